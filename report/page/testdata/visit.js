// Opens a page in a window of its own, on the DOM of dom.js.
"use strict";
const {vm, Node} = require("./dom.js");

const entities = {amp: "&", lt: "<", gt: ">", quot: '"'};
const plain = text => text.replace(/&(#?\w+);/g, (all, name) => name[0] === "#" ? String.fromCodePoint(name[1] === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1))) : entities[name] ?? all);

// parse reads HTML as template and tables of the page are: every element is closed or empty.
function parse(html) {
	const document = new Node("#document"), open = [document];
	for (let at = html.indexOf("<html"); at < html.length;) {
		const text = html.slice(at).match(/^[^<]+/)?.[0];
		if (text) {
			open.at(-1).children.push(plain(text));
			at += text.length;
			continue;
		}
		const [all, end, tag, rest] = html.slice(at).match(/^<(\/?)([a-z]\w*)((?:\s+[\w-]+(?:=(?:"[^"]*"|'[^']*'|[^\s>]+))?)*)\s*>/);
		at += all.length;
		if (end) {
			while (open.pop().tag !== tag);
			continue;
		}
		const node = new Node(tag);
		for (const [, name, a, b, c] of rest.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|'([^']*)'|(\S+)))?/g)) node.attributes[name] = plain(a ?? b ?? c ?? "");
		open.at(-1).append(node);
		if (["script", "style"].includes(tag)) {
			const to = html.indexOf(`</${tag}`, at);
			node.children.push(html.slice(at, to));
			at = to;
		}
		if (!["meta", "input", "br", "col"].includes(tag)) open.push(node);
	}
	return document;
}

// A page opens in a window with an address, where figures are drawn if there is a width for them.
function visit(html, hash = "", data = undefined, width = 0) {
	const document = parse(html), window = new Node("#window"), saved = [], copied = [], selected = [], ids = new Map(document.all.map(n => [n.id, n]));
	document.parentNode = window;
	document.documentElement = document.find("html")[0];
	Object.assign(document.documentElement, {clientWidth: 1200, clientHeight: 900});
	[document.body] = document.find("body");
	Object.assign(document, {
		createElement: tag => new Node(tag), createElementNS: (_, tag) => new Node(tag), execCommand: () => true,
		getElementById: id => ids.get(id)?.isConnected ? ids.get(id) : null,
	});
	if (data) ids.get("data").children = [JSON.stringify(data)];
	const address = {hash, steps: [hash]};
	const go = to => { if (to !== address.hash) { address.hash = to; window.fire("hashchange", {}); } };
	document.follow = link => { address.steps.push(link.attributes.href); go(link.attributes.href); };
	const tasks = [], later = [];
	let denied = false;
	const context = vm.createContext({
		document, window, location: address, structuredClone, console,
		history: {pushState: (_, __, to) => { address.steps.push(to); address.hash = to; }, replaceState: (_, __, to) => { address.steps[address.steps.length - 1] = to; address.hash = to; }},
		navigator: {clipboard: {writeText: async text => { if (denied) throw new Error("denied"); copied.push(text); }}}, matchMedia: () => ({matches: true}), CSS: {escape: text => text.replace(/[^\w-]/g, "\\$&")},
		queueMicrotask: f => tasks.push(f), setTimeout: f => (later.push(f), f), clearTimeout: f => { if (later.includes(f)) later.splice(later.indexOf(f), 1); }, getSelection: () => ({selectAllChildren: node => selected.push(node.text)}),
		ResizeObserver: class { observe(node) { node.clientWidth = width; } },
		Blob: class { constructor(parts, {type}) { Object.assign(this, {text: parts.join(""), type}); } },
		URL: {createObjectURL: blob => blob, revokeObjectURL() {}},
	});
	document.createElement = tag => {
		const node = new Node(tag);
		if (tag === "a") {
			const set = node.setAttribute.bind(node);
			node.setAttribute = (name, v) => { if (name === "href" && typeof v !== "string") node.blob = v; else set(name, v); };
			const click = node.click.bind(node);
			node.click = event => node.blob ? saved.push({name: node.attributes.download, type: node.blob.type, text: node.blob.text}) : click(event);
		}
		return node;
	};
	const settle = () => { while (tasks.length) tasks.shift()(); };
	script(document.find("script").at(-1).text).runInContext(context);
	settle();
	return {document, byId: id => document.getElementById(id), address, go: to => { address.steps.push(to); go(to); settle(); }, saved, copied, selected, deny: v => { denied = v; }, later, settle};
}
const compiled = new Map();
function script(text) {
	if (!compiled.has(text)) compiled.set(text, new vm.Script(text, {filename: "page"}));
	return compiled.get(text);
}

module.exports = {visit};
