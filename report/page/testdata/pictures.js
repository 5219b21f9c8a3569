// Writes what a page shows, as text: of each argument ID#FRAGMENT the element at the address.
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
const html = fs.readFileSync(process.argv[2], "utf8"), program = {version: "1", go: "go", goarch: "arch"};
const data = JSON.parse(html.match(/id="data">(.*?)<\/script>/s)[1]);
data.program = program;
for (const x of data.experiments) Object.assign(x, {computed: [{...program, cells: 12}], cells_digest: "digest"});
for (const asked of process.argv.slice(3)) {
	const [id, address = ""] = asked.split("#"), {byId} = visit(html, address && "#" + address, data, 500);
	console.log(`== ${id} at ${address || "no address"}`);
	console.log(picture(byId(id)).map(l => l.replace(/[ \u2009]+/g, " ").trim()).filter(Boolean).join("\n"));
}
