// A DOM in Node that has only what the scripts of the page use: elements, selectors, events, the
// focus, and what a reader does. Also random numbers, which are the same in each run, and the list of
// faults that the checks find.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");

const flags = ["hidden", "checked", "disabled", "open"];

// Attributes of an element are members by name, and are listed as those of the DOM.
class Attributes {
	*[Symbol.iterator]() { for (const [name, value] of Object.entries(this)) yield {name, value}; }
}

class Node {
	constructor(tag) { Object.assign(this, {tag, attributes: new Attributes(), children: [], listeners: {}, style: {}, offsetWidth: 80, offsetHeight: 40, parentNode: null}); }
	setAttribute(name, v) { this.attributes[name] = String(v); }
	getAttribute(name) { return this.attributes[name] ?? null; }
	append(...nodes) {
		for (const n of nodes) {
			n?.remove?.();
			if (n instanceof Node) n.parentNode = this;
			this.children.push(n instanceof Node ? n : String(n));
		}
	}
	remove() {
		const at = this.parentNode?.children.indexOf(this) ?? -1;
		if (at >= 0) this.parentNode.children.splice(at, 1);
		this.parentNode = null;
	}
	replaceChildren(...nodes) {
		for (const n of this.children) if (n instanceof Node) n.parentNode = null;
		this.children = [];
		this.append(...nodes);
	}
	addEventListener(type, f) { (this.listeners[type] ??= []).push(f); }
	getBoundingClientRect() { return {left: 0, top: 0, width: Number(this.attributes.width), height: Number(this.attributes.height)}; }
	getContext() { return {measureText: text => ({width: 6 * text.length})}; }
	scrollIntoView() {}
	hasAttribute(name) { return name in this.attributes; }
	removeAttribute(name) { delete this.attributes[name]; }
	prepend(...nodes) {
		const rest = this.children;
		this.children = [];
		this.append(...nodes);
		this.children.push(...rest);
	}
	cloneNode() {
		const copy = new Node(this.tag);
		Object.assign(copy.attributes, this.attributes);
		copy.append(...this.children.map(c => c.cloneNode?.() ?? c));
		return copy;
	}
	get viewBox() {
		const [, , width, height] = this.attributes.viewBox.split(" ").map(Number);
		return {baseVal: {width, height}};
	}
	get elements() { return this.children.filter(c => c instanceof Node); }
	get all() { return this.gather([]); }
	gather(into) {
		into.push(this);
		for (const c of this.children) if (c instanceof Node) c.gather(into);
		return into;
	}
	find(tag, has = () => true) { return this.all.filter(n => n.tag === tag && has(n.attributes)); }
	get text() { return this.children.map(c => c.text ?? c).join(""); }
	get words() { return this.children.map(c => (c.attributes?.dy?.startsWith("-") ? "^" : "") + (c.text ?? c)).join(""); }
	get textContent() { return this.text; }
	set textContent(v) { this.replaceChildren(...v === "" ? [] : [v]); }
	get tagName() { return this.tag.toUpperCase(); }
	get id() { return this.attributes.id ?? ""; }
	get type() { return this.attributes.type ?? ""; }
	get title() { return this.attributes.title ?? ""; }
	set title(v) { this.attributes.title = v; }
	set max(v) { this.attributes.max = String(v); }
	get options() { return this.find("option"); }
	get value() {
		if (this.tag === "option") return this.attributes.value ?? this.text;
		if (this.tag !== "select") return this.typed ?? this.attributes.value ?? "";
		const all = this.options.map(o => o.value);
		return this.typed === undefined ? all[0] ?? "" : all.includes(this.typed) ? this.typed : "";
	}
	set value(v) { this.typed = String(v); }
	get dataset() {
		const name = key => "data-" + key.replace(/[A-Z]/g, c => "-" + c.toLowerCase()), of = this.attributes;
		return new Proxy({}, {get: (_, key) => of[name(key)], set: (_, key, v) => { of[name(key)] = String(v); return true; }});
	}
	get classes() { return (this.attributes.class ?? "").split(" ").filter(Boolean); }
	get classList() {
		const toggle = (name, on = !this.classes.includes(name)) => { this.attributes.class = [...this.classes.filter(c => c !== name), ...on ? [name] : []].join(" "); };
		return {toggle, add: name => toggle(name, true), contains: name => this.classes.includes(name)};
	}
	get isConnected() { return this.tag === "#document" || Boolean(this.parentNode?.isConnected); }
	get nextSibling() { return this.parentNode?.children[this.parentNode.children.indexOf(this) + 1] ?? null; }
	contains(node) { return node === this || Boolean(node?.parentNode && this.contains(node.parentNode)); }
	matches(selector) { return selectors(selector).some(s => matches(this, s)); }
	closest(selector) { return this.matches(selector) ? this : this.parentNode?.closest?.(selector) ?? null; }
	querySelectorAll(selector) {
		const all = selectors(selector);
		return this.all.filter(n => n !== this && all.some(s => matches(n, s)));
	}
	querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
	get rows() { return this.find("tr"); }
	get cells() { return this.elements; }
	get rowIndex() { return this.closest("table").rows.indexOf(this); }
	get cellIndex() { return this.parentNode.cells.indexOf(this); }
	get document() { return this.tag === "#document" ? this : this.parentNode?.document; }
	focus() {
		if (!this.isConnected || this.document.activeElement === this) return;
		this.document.focused = this;
		this.fire("focusin", {});
	}
	get activeElement() { return this.focused?.isConnected ? this.focused : this.body; }
	fire(type, event) {
		let stopped = false;
		const e = {type, target: this, pointerType: "mouse", defaultPrevented: false, preventDefault() { e.defaultPrevented = true; }, stopPropagation() { stopped = true; }, ...event};
		for (let n = this; n && !stopped; n = n.parentNode) {
			for (const f of n.listeners[type] ?? []) f(e);
			n["on" + type]?.(e);
		}
		return e;
	}
	// What a reader does: a click, a key, the choice of an option, and a text that is typed.
	click(event = {}) {
		if (this.disabled) return;
		const on = this.closest("button, a, input");
		if (on) on.focus();
		const e = this.fire("click", event);
		if (this.type === "checkbox") {
			this.checked = !this.checked;
			this.fire("change", {});
		}
		if (on?.tag === "a" && on.attributes.href && !e.defaultPrevented && !event.ctrlKey) this.document.follow?.(on);
	}
	key(key, event = {}) {
		if (!this.fire("keydown", {key, ...event}).defaultPrevented && key === "Enter" && this.tag === "button") this.click();
	}
	choose(value) {
		this.focus();
		this.value = value;
		this.fire("input", {});
		this.fire("change", {});
	}
}
for (const name of flags) Object.defineProperty(Node.prototype, name, {
	get() { return name in this.attributes; },
	set(v) { v ? this.attributes[name] = "" : delete this.attributes[name]; },
});

const selectorCache = new Map(); // by text

// selectors reads a list of selectors. Each is a list of compounds, the last one first, with the
// combinator that leads to it.
function selectors(text) {
	if (!selectorCache.has(text)) {
		const one = /^([\w-]+|\*)?((?:#[\w-]+|\.[\w-]+|\[[\w-]+(?:=(?:'[^']*'|"(?:\\.|[^"\\])*"))?\])*)/;
		selectorCache.set(text, text.split(/,\s+(?![^[]*\])/).map(selector => {
			const parts = [];
			for (let rest = selector.trim(), how = ""; rest;) {
				const [found, tag, more] = rest.match(one);
				if (!found) throw new Error(`selector ${selector}`);
				parts.unshift({tag, how, has: [...(more ?? "").matchAll(/#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:=["']((?:\\.|[^"'\\])*)["'])?\]/g)]});
				[, how] = rest.slice(found.length).match(/^(\s*>\s*|\s+|)/);
				rest = rest.slice(found.length + how.length);
				how = how.trim() || how;
			}
			return parts;
		}));
	}
	return selectorCache.get(text);
}

// matches tells whether a selector, given as compounds, selects a node.
function matches(node, [part, ...rest]) {
	if (part.tag && part.tag !== "*" && part.tag !== node.tag) return false;
	for (const [, id, name, attribute, v] of part.has) {
		if (id && node.attributes.id !== id || name && !node.classes.includes(name)) return false;
		if (attribute && (!(attribute in node.attributes) || v !== undefined && node.attributes[attribute] !== v.replace(/\\(.)/g, "$1"))) return false;
	}
	if (!rest.length) return true;
	for (let up = node.parentNode; up; up = up.parentNode) {
		if (matches(up, rest)) return true;
		if (part.how === ">") return false;
	}
	return false;
}

// The verdicts, and the worst one of several by a plain definition.
const verdictTable = [["at-most", "✓", "at most √t"], ["above", "▲", "above √t"], ["slowing", "△", "above so far, slowing"], ["undecided", "?", "undecided"], ["too-little-evidence", "–", "too little evidence"], ["", "·", "not played"]]
	.map(([key, sign, word]) => ({key, sign, word, claim: word.replace("√t", "the claim"), severity: ["at-most", "too-little-evidence", "undecided", "", "slowing", "above"].indexOf(key)}));
const worstOf = (...keys) => ["above", "slowing", "", "undecided", "too-little-evidence", "at-most"].find(key => keys.includes(key));

const make = tag => new Node(tag), body = make("body");
const document = {
	body, createElement: make, createElementNS: (_, tag) => make(tag), documentElement: {clientWidth: 2000, clientHeight: 1000},
	getElementById: () => ({textContent: JSON.stringify({verdicts: verdictTable, experiments: []})}),
};
class ResizeObserver {
	constructor(f) { this.observe = node => Object.assign(node, {resized: f}); }
}
const page = vm.createContext({document, structuredClone, ResizeObserver, queueMicrotask() {}, window: make("window")});
for (const name of ["data.js", "svg.js", "scale.js", "labels.js", "chart.js", "hover.js", "figures.js", "state.js", "matrix.js", "overview.js", "versus.js", "detail.js"]) {
	vm.runInContext(fs.readFileSync(path.join(__dirname, "..", name), "utf8"), page, name);
}

let seed = 1;
// random returns a number in [0, 1), by the generator mulberry32.
function random() {
	seed = seed + 0x6d2b79f5 | 0;
	let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
	t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
	return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
}
const pick = list => list[Math.floor(random() * list.length)], between = (a, b) => a + (b - a) * random();
const times = (n, f) => Array.from({length: n}, (_, k) => f(k));

const faults = [];

// check notes a fault, unless ok: what is looked at, and what is wrong with it.
function check(what, ok, ...said) {
	if (!ok && faults.length < 20) faults.push(`${what}: ${said.map(s => typeof s === "string" ? s : JSON.stringify(s)).join(" ")}`);
}

// done prints the faults, and ends the process with 1 if there are any.
function done() {
	if (faults.length === 0) return;
	console.error(faults.join("\n"));
	process.exit(1);
}

module.exports = {vm, Node, make, body, document, page, random, pick, between, times, check, done, verdictTable, worstOf};
