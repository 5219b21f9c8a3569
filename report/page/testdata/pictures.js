// Writes what a page shows at some addresses, as text: of the first one all, and of the others the
// sections that differ from it.
"use strict";
const fs = require("fs"), {visit} = require("./visit.js");

const blocks = ["body", "header", "main", "section", "div", "nav", "table", "thead", "tbody", "ul", "dl", "details", "fieldset", "figure", "figcaption"];

// inline is an element in a line: what it says, in braces what it is, and in angles what it tells
// who points at it.
function inline(node) {
	if (typeof node === "string") return node.replace(/\s+/g, " ");
	if (node.hidden || ["script", "style", "noscript"].includes(node.tag)) return "";
	const {tag, attributes: a} = node, said = node.children.map(inline).join("");
	const is = [...node.classes.filter(c => ["above", "lead", "own", "open", "dim", "none", "chosen", "differing", "up"].includes(c)), a["aria-pressed"] === "true" ? "pressed" : "", a["aria-sort"] ?? "", node.disabled ? "disabled" : ""].filter(Boolean).join(" ").replace(/^none$/, "");
	if (tag === "svg") return a.class === "sample" ? "" : `(${node.find("text").map(t => t.words).join(" · ")})`;
	const more = (is ? `{${is}}` : "") + (a.title && !node.classes.includes("verdict") ? ` <${a.title.replace(/\s+/g, " ")}>` : "");
	if (tag === "select") return `[${node.value} of ${node.options.map(o => o.text).join(", ")}]`;
	if (tag === "input") return a.type === "checkbox" ? node.checked ? "[x]" + more : "[ ]" + more : `[${node.value}]`;
	if (tag === "button") return `[${said}]${more}`;
	if (tag === "sup") return `^${said}`;
	if (["span", "small", "a"].includes(tag)) return ` ${said}${more}`;
	return said + more;
}

// picture are the lines of an element.
function picture(node) {
	if (typeof node === "string") return node.trim() ? [inline(node)] : [];
	if (node.hidden || ["script", "style", "noscript"].includes(node.tag) || node.classes.includes("help")) return [];
	if (node.tag === "tr") return [node.cells.map(inline).join(" | ")];
	if (!blocks.includes(node.tag)) return [inline(node)];
	if (node.id === "about") return node.find("dl").at(-1).children.flatMap(picture);
	const of = node.classes.filter(c => ["judged", "long", "tall"].includes(c)).join(" ");
	return [...node.id ? [`${node.tag} ${node.id}${of ? ` {${of}}` : ""}`] : [], ...node.children.flatMap(picture)];
}

// What the page says of the program is the same on every machine.
const html = fs.readFileSync(process.argv[2], "utf8"), addresses = process.argv.slice(3), program = {version: "1", go: "go", goarch: "arch"};
const data = JSON.parse(html.match(/id="data">(.*?)<\/script>/s)[1]);
data.program = program;
for (const x of data.experiments) Object.assign(x, {computed: [{...program, cells: 12}, program], cells_digest: "digest"});
let usual;
for (const address of addresses) {
	const {document} = visit(html, address, data, 500);
	const sections = [document.find("header")[0], ...document.find("section")].map(s => [s.id, picture(s).map(l => l.replace(/[ \u2009]+/g, " ").trim()).filter(Boolean).join("\n")]);
	usual ??= new Map();
	console.log(`== ${address || "no address"}`);
	for (const [id, text] of sections) if (usual.get(id) !== text && text) console.log(text);
	if (usual.size === 0) usual = new Map(sections);
}
