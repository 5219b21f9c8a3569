// A DOM that is only as large as charts need, on which the script of the page runs in Node, and
// numbers that are random and the same each time.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");

// Attributes of an element are members by name, and are listed as those of the DOM.
class Attributes {
	*[Symbol.iterator]() { for (const [name, value] of Object.entries(this)) yield {name, value}; }
}

class Node {
	constructor(tag) { Object.assign(this, {tag, attributes: new Attributes(), children: [], listeners: {}, style: {}, hidden: false, offsetWidth: 80, offsetHeight: 40}); }
	setAttribute(name, v) { this.attributes[name] = String(v); }
	getAttribute(name) { return this.attributes[name]; }
	hasAttribute(name) { return name in this.attributes; }
	removeAttribute(name) { delete this.attributes[name]; }
	append(...nodes) {
		this.children.push(...nodes);
		for (const n of nodes) if (n instanceof Node) n.parent = this;
	}
	prepend(...nodes) { this.children.unshift(...nodes); }
	remove() { this.parent.children = this.parent.children.filter(c => c !== this); }
	replaceChildren(...nodes) {
		this.children = [];
		this.append(...nodes);
	}
	cloneNode() {
		const copy = new Node(this.tag);
		Object.assign(copy.attributes, this.attributes);
		copy.append(...this.children.map(c => c.cloneNode?.() ?? c));
		return copy;
	}
	addEventListener(type, f) { this.listeners[type] = f; }
	getBoundingClientRect() { return {left: 0, top: 0, width: Number(this.attributes.width), height: Number(this.attributes.height)}; }
	getContext() { return {measureText: text => ({width: 6 * text.length})}; }
	get viewBox() {
		const [, , width, height] = this.attributes.viewBox.split(" ").map(Number);
		return {baseVal: {width, height}};
	}
	get all() { return [this, ...this.children.flatMap(c => c.all ?? [])]; }
	find(tag, has = () => true) { return this.all.filter(n => n.tag === tag && has(n.attributes)); }
	querySelector() { return this.find("g", a => a["clip-path"])[0]; }
	querySelectorAll(of) { // *, .class or [attribute]
		const name = of.replace(/[.[\]]/g, "");
		return this.all.slice(1).filter(n => of === "*" || (of[0] === "." ? n.attributes.class?.split(" ").includes(name) : n.hasAttribute(name)));
	}
	get text() { return this.children.map(c => c.text ?? c).join(""); }
	get words() { return this.children.map(c => (c.attributes.dy?.startsWith("-") ? "^" : "") + c.text).join(""); }
	fire(type, event) { this.listeners[type]?.({preventDefault() {}, stopPropagation() {}, pointerType: "mouse", ...event}); }
}
const make = tag => new Node(tag), body = make("body");
const document = {
	body, createElement: make, createElementNS: (_, tag) => make(tag), documentElement: {clientWidth: 2000, clientHeight: 1000},
	getElementById: () => ({textContent: `{"experiments": []}`}),
};
class ResizeObserver {
	constructor(f) { this.observe = node => Object.assign(node, {resized: f}); }
}
const page = vm.createContext({document, structuredClone, ResizeObserver, queueMicrotask() {}, window: make("window")});
for (const name of ["data.js", "svg.js", "scale.js", "labels.js", "chart.js", "hover.js", "figures.js", "state.js", "matrix.js", "overview.js", "versus.js", "detail.js"]) {
	vm.runInContext(fs.readFileSync(path.join(__dirname, "..", name), "utf8"), page, name);
}

let seed = 1;
function random() { // mulberry32
	seed = seed + 0x6d2b79f5 | 0;
	let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
	t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
	return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
}
const pick = list => list[Math.floor(random() * list.length)], between = (a, b) => a + (b - a) * random();
const times = (n, f) => Array.from({length: n}, (_, k) => f(k));

module.exports = {vm, make, body, document, page, random, pick, between, times};
