// Draws charts and figures of made-up data in Node, and prints each sheet of them as an SVG that a
// browser shows, after a line "== FILE". What a chart tells in sentences is left out. What charts do
// when they are pointed at, and what figures save, are texts.
"use strict";
const assert = require("assert");
const {vm, make, body, page, pick, random, times, worstOf} = require("./dom.js");
const Experiment = vm.runInContext("Experiment", page);

const escaped = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

// written writes a node as a text, with an element on each line.
function written(node, indent = "") {
	if (node.tag === undefined) return escaped(String(node));
	const attributes = [...node.attributes].map(({name, value}) => ` ${name}="${escaped(value.replace(/\d+\.\d{4,}/g, v => String(Number(Number(v).toFixed(3)))))}"`).join("");
	const inside = ["desc", "p"].includes(node.tag) ? [] : node.children, space = node.tag === "svg" ? ` xmlns="http://www.w3.org/2000/svg"` : node.tag === "div" ? ` xmlns="http://www.w3.org/1999/xhtml"` : "";
	if (inside.length === 0) return `<${node.tag}${space}${attributes}/>`;
	const flat = node.tag === "text" || inside.every(c => c.tag === undefined), deeper = indent + " ";
	return `<${node.tag}${space}${attributes}>${inside.map(c => flat ? written(c) : `\n${deeper}${written(c, deeper)}`).join("")}${flat ? "" : `\n${indent}`}</${node.tag}>`;
}
page.XMLSerializer = class { serializeToString(node) { return written(node); } };

// sheet prints charts, so many in a row.
function sheet(name, charts, columns = 1) {
	const all = make("svg"), widths = charts.map(c => Number(c.attributes.width)), cell = Math.max(...widths) + 10;
	all.append(make("rect"));
	all.children[0].setAttribute("fill", "#fff");
	let top = 0, next = 0;
	charts.forEach((c, k) => {
		if (k % columns === 0) top = next;
		const g = make("g");
		g.setAttribute("transform", `translate(${cell * (k % columns)},${top})`);
		g.append(c);
		all.append(g);
		next = Math.max(next, top + Number(c.attributes.height) + 10);
	});
	for (const node of [all, all.children[0]]) Object.assign(node.attributes, {width: String(cell * columns), height: String(next)});
	console.log(`== ${name}.svg\n${written(all)}`);
	page.chart.count = 0; // of the ids
}

// pointed is a picture of a chart while a pointer is at a place, or after a key, with its tooltip.
function pointed(svg, x, y) {
	if (typeof x === "string") svg.fire("keydown", {key: x});
	else svg.find("rect", a => a.class === "chart-over")[0].fire("pointermove", {clientX: x, clientY: y});
	const copy = svg.cloneNode(), tip = body.find("div", a => a.class === "chart-tip")[0];
	if (!tip.hidden) {
		const [left, top] = tip.style.transform.match(/-?\d+/g), place = make("foreignObject");
		Object.assign(place.attributes, {x: left, y: top, width: "250", height: "200"});
		place.append(tip.cloneNode());
		copy.append(place);
	}
	svg.fire("keydown", {key: "Escape"});
	return copy;
}

const drawing = (width, height, marks, x, y, more) => page.chart({title: "a chart", width, height, marks, legend: true, x: {label: "t", ...x}, y: {label: "value", ...y}, ...more});
const log = {scale: "log"}, linear = {scale: "linear"}, symlog = {scale: "symlog"};

// Lines with bands, gaps, steps and guides, on logarithmic axes.
const decades = times(17, k => Math.round(10 ** (k / 4)));
function lineMarks() {
	const curve = f => decades.map(f), root = curve(t => 2 * Math.sqrt(t));
	const broken = curve((t, k) => [3, 4].includes(k) ? null : k === 8 ? 0 : k === 9 ? -3 : 5 + 0.3 * t);
	return [
		{kind: "band", key: "a", style: 0, x: decades, lower: root.map(v => 0.7 * v), upper: root.map((v, k) => k === 7 ? null : 1.4 * v)},
		{kind: "line", key: "a", name: "root", style: 0, x: decades, y: root, lower: root.map(v => 0.7 * v), upper: root.map(v => 1.4 * v)},
		{kind: "band", key: "b", style: 1, x: decades, lower: broken.map((v, k) => k < 2 ? 0 : v && 0.9 * v), upper: broken.map((v, k) => k === 12 ? Infinity : v && 1.1 * v)},
		{kind: "line", key: "b", name: "with gaps, step = 0.5", style: 1, x: decades, y: broken},
		{kind: "line", key: "c", name: "ninth", style: 9, width: 2.5, x: decades, y: curve(t => 40 + Math.sqrt(Math.sqrt(t)))},
		...times(2, k => ({kind: "line", key: "a", faint: true, style: 0, dash: "", x: [1, 10, 100, 1e4], y: [2, 8, 15 + 9 * k, 150 + 90 * k]})),
		{kind: "line", key: "a bound", name: "root: bound", unnamed: true, plain: true, free: true, style: 0, dash: "1.5 3", width: 1.5, x: decades, y: curve(t => 9 * Math.sqrt(t))},
		{kind: "guide", key: "g", style: 1, dash: "6 4", free: true, label: "∝ t^0.5", x: decades.slice(6), y: decades.slice(6).map(t => 4 * Math.sqrt(t))},
		{kind: "guide", key: "h", colour: "grey", free: true, label: "∝ t^−1 log t", x: decades.slice(1), y: decades.slice(1).map(t => 500 / t)},
		{kind: "band", key: "d", style: 4, x: [2, 5], lower: [300, 400], upper: [600, 800]},
		{kind: "line", key: "d", faint: true, style: 4, x: [1, 10, 100], y: [0.003, 9, 1e7]},
		{kind: "line", key: "e", name: "lowest", style: 5, x: [1, 1e4], y: [0.5, 0.6]},
		{kind: "points", key: "a", name: "games", unnamed: true, style: 0, hollow: true, whiskers: 1, x: [100, 1000, 1e4, -1], y: [25, 70, 210, 5], lower: [20, 60, 190, 4], upper: [31, 80, 240, 6]},
	];
}

function lineSheets() {
	const wide = drawing(800, 300, lineMarks(), log, log);
	sheet("lines", [pointed(wide, 300, 150), pointed(wide, "End")]);
	const phone = drawing(320, 260, lineMarks(), log, log);
	sheet("lines-phone", [pointed(phone, 60, 200), drawing(320, 200, lineMarks(), linear, linear, {legend: false, margins: {left: 60, right: 40}})]);
	const signs = [-40, -3, -0.2, 0, 0.04, 2, 30, 1500].map((v, k) => [k, v]), steps = [[0, 1], [2, -5], [3.5, 200], [6, 0]];
	const marks = [
		{kind: "line", key: "s", name: "of both signs and with a long name, c = 0.25", style: 2, x: signs.map(p => p[0]), y: signs.map(p => p[1])},
		{kind: "step", key: "t", name: "steps", style: 3, x: steps.map(p => p[0]), y: steps.map(p => p[1])},
		{kind: "line", key: "n", name: "near the steps", style: 4, x: [0, 7], y: [2, 1]},
		{kind: "line", key: "v", name: "falling", style: 6, x: [0, 7], y: [1, -90]},
		{kind: "line", key: "w", name: "falling too", style: 7, x: [0, 7], y: [0.5, -80]},
		{kind: "line", key: "u", name: "above the frame", style: 5, x: [0, 7], y: [2, 1e9], free: true},
	];
	for (const [name, width, more] of [["signs", 640, {}], ["signs-phone", 320, {ends: new Set(["s", "t", "u", "v", "w"])}]]) {
		const c = drawing(width, 240, marks, linear, symlog, more), one = drawing(width, 240, marks, linear, {scale: "symlog", threshold: 5, domain: [-10, 1e4]}, more);
		sheet(name, [pointed(c, 150, 60), pointed(one, "ArrowLeft")]);
	}
}

// Points with intervals and names, of which some have no room.
function pointSheets() {
	const at = [[1, 5], [1.1, 5.2], [1.3, 4.9], [30, 0.2], [900, 90], [20, 0.9], [15, 30], [17, 33], [300, 0.1], [310, 0.11], [320, 0.105], [1.2, 5], [-4, 7]];
	const marks = [
		{kind: "step", key: "front", faint: true, free: true, opacity: 1, width: 1.5, colour: "grey", dash: "", x: [1, 1, 20, 300, Infinity], y: [Infinity, 5, 0.9, 0.1, 0.1]},
		...at.map(([u, v], k) => ({
			kind: "points", key: `k${k}`, name: `point ${k}`, label: `✓ point ${k}`, first: k % 4 === 0, style: k, size: 4.8, hollow: k % 3 === 1, x: [u], y: [v], note: k % 2 ? "a note" : "",
			...(k % 5 === 4 ? {} : {xlower: [0.6 * u], xupper: [k === 6 ? Infinity : 1.5 * u], lower: [0.8 * v], upper: [1.4 * v]}),
		})),
	];
	const more = {legend: false, onpick() {}};
	for (const [name, width, x, ...at] of [["points", 560, log, 215, 70], ["points-phone", 300, log, "ArrowLeft"], ["points-signs", 420, symlog, "ArrowRight"]]) {
		sheet(name, [pointed(drawing(width, 300, marks, {label: "regret", short: "R", ...x}, log, more), ...at)]);
	}
}

// Styles in lines, points and their legends, and the shapes of markers.
function styleSheet() {
	const lines = times(16, k => ({kind: "line", key: `k${k}`, name: `style ${k}`, style: k, x: [0, 1, 2, 3], y: [k, k + 0.3, k, k + 0.5]}));
	const points = times(16, k => ({kind: "points", key: `k${k}`, name: `style ${k}`, style: k, hollow: k % 2 === 1, x: [k % 8, k % 8 + 0.3], y: [k < 8 ? 1 : 2, 2.2]}));
	const own = [..."circle square triangle diamond down star pentagon slashed".split(" ")].map((shape, k) => ({kind: k % 3 ? "points" : "line", name: shape, shape, colour: k % 2 ? "red" : "var(--ink, #000)", dash: "1 1", hollow: k === 7, x: [k, k + 1], y: [k, 1]}));
	sheet("styles", [drawing(700, 300, lines, linear, linear), drawing(400, 160, points, linear, linear), drawing(400, 160, own, linear, linear), drawing(400, 160, [], log, linear, {empty: "of nothing"}), drawing(200, 160, [], linear, symlog, {empty: "of nothing that would be short enough"})]);
}

// Axes of many lengths and kinds.
function axisSheet() {
	const axes = [
		["log", 1, 9e4], ["log", 3, 8], ["log", 0.93, 1.02], ["log", 1e-12, 1e14], ["log", 0.02, 0.5], ["log", 7e3, 7e3], ["symlog", 0, 3e9, 0.3, 3, 30, 3e3, 3e5, 3e7], ["log", 1.5e5, 4e5],
		["linear", 0, 1], ["linear", -3e-7, 2e-7], ["linear", 9.98e5, 1.003e6], ["linear", 12e7, 4e8], ["linear", -5, -5], ["linear", 0.4, 12345], ["linear", 0, 0], ["linear", 20, 27],
		["symlog", -1e3, 1e3], ["symlog", 0, 1e-5], ["symlog", -0.2, 4e7], ["symlog", 3, 4], ["symlog", -90, -1e-3], ["symlog", -1e-20, 1e9], ["symlog", -12, 1e5],
	];
	sheet("axes", axes.map(([scale, lo, hi, ...more], k) => {
		const values = [lo, hi, ...more.length > 0 ? more : [(lo + hi) / 2]], line = {kind: "line", key: "a", name: "a", x: values, y: values};
		return drawing([200, 300, 420][Math.floor(k / 8)], [90, 140, 260][Math.floor(k / 8)], [line], {scale}, {scale}, {legend: false});
	}), 4);
}

// experiment has algorithms with all kinds of curves on problem 0, an empty problem 1, and few
// algorithms on problem 2.
function experiment() {
	const t = [[1, 2, 10, 30, 100, 300, 1000, 3000, 10000], [2500, 5000, 10000], [2, 20, 200, 2000, 6000], [1, 100, 10000], [10000]];
	const band = (k, f, half) => ({t: k, v: t[k].map(f), ...(half ? {l: t[k].map((v, i) => f(v, i) === null ? null : f(v, i) - half * Math.sqrt(v)), u: t[k].map((v, i) => f(v, i) === null ? null : f(v, i) + half * Math.sqrt(v))} : {})});
	const series = (f, half, more = {}) => {
		const value = f(10000, 8);
		return {state: "measured", root: "at-most", mean: band(0, f, half), final: {value, lower: half ? value - 100 * half : null, upper: half ? value + 100 * half : null}, fit: {from: 100}, ...more};
	};
	const slopes = (p, half) => ({t: 2, v: t[2].map((_, k) => k === 0 ? null : p + 0.4 / k), ...(half ? {l: t[2].map((_, k) => p - half / (k + 1)), u: t[2].map((_, k) => p + half * 4 / (k + 1))} : {})});
	const root = c => v => c * Math.sqrt(v), bound = c => ({mean: band(0, root(c))});
	const made = [ // regret, violation
		[series(root(1), 0.2, {across: band(1, root(0.9), 0.3), slopes: slopes(0.5, 0.3)}), series(root(0.5), 0.1, {slopes: slopes(0.5)})],
		[series(v => 0.2 * v, 0.1, {root: "above", fit: {from: 1}, slopes: slopes(1, 0.2), runs: {t: 3, replicate: [1, 2], v: [[0.1, 25, 2100], [0.3, null, 9e5]]}}), series((v, k) => k === 3 ? null : 20 + v / 50, 0, {root: "above", slopes: slopes(0.2)})],
		[series((v, k) => 30 - 2 * Math.sqrt(v) + k, 0.5, {never: true}), series(v => v < 100 ? 0 : Math.sqrt(v) - 9, 0.2, {root: "undecided", runs: {t: 3, replicate: [1], v: [[0, 5, 60]]}})],
		[series(v => 3 + Math.log10(v), 0.01, {root: "slowing", mean: {...band(0, v => 3 + Math.log10(v)), l: Array(9).fill(2), u: [3.2, 4, 5, 6, "Infinity", 7, 8, 8, 9]}}), {state: "rounding", root: "at-most", never: true, mean: band(0, () => 0), final: {value: 0, lower: 0, upper: 0}}],
		[{state: "failed", final: {value: null}}, series(root(3), 0)],
		[series(root(2), 0.1, {across: band(1, root(1.5))}), undefined],
		[series(root(2.1), 0.1), series(root(0.45), 0.05, {final: {value: "Infinity", lower: 1, upper: "Infinity"}})],
		[series(root(1.1), 0.3, {root: "too-little-evidence"}), series(root(0.7), 0.2)],
	];
	const judge = (metric, a) => ({metric, ...[{exponent: 0.5, log: 0, bound: bound(4)}, {exponent: 1, log: 1}, {exponent: 0, log: 1}, {exponent: 0.75, log: 0.5, bound: bound(300)}, {exponent: null, log: 0}, {exponent: 0.5, log: 0}, {exponent: -0.25, log: 2}, {exponent: 0.5, log: 0}][a]});
	const metrics = ["regret", "violation"], of = (a, p, [r, v]) => ({a, p, root: worstOf(r?.root ?? "", v?.root ?? ""), series: Object.fromEntries([["regret", r], ["violation", v]].filter(e => e[1])), regret: judge("regret", a), violation: judge("violation", a)});
	const pairs = made.map((m, a) => of(a, 0, m));
	pairs.push(...times(2, a => of(a, 1, [{state: "empty", final: {value: null}}, {state: "empty", final: {value: null}}])), ...times(2, a => of(a, 2, made[a])));
	pairs.push(of(0, 3, [series(root(1), 0, {mean: {t: 4, v: [100], l: [90], u: [130]}}), series(root(1), 0)]));
	const titles = ["Own", "Another, step = 0.2", "Of both signs", "Logarithmic", "Failing", "Twice", "Twice again, c = 0.5", "With a long name that has no room, step = 0.125, c = 2"];
	return new Experiment({
		asked: {name: "made up", horizon: [2500, 5000, 10000]}, t, pairs, ranks: [], own: 0,
		metrics: metrics.map(name => ({name, title: name, doc: "doc", fitted: true})),
		algorithms: titles.map((title, a) => ({spec: `a${a}`, title})), problems: times(4, p => ({spec: `p${p}`, title: `Problem ${p}`, facts: []})),
		fronts: [{p: 0, regret: "regret", violation: "violation", algorithms: [2, 3]}], compared: [], opens: 0,
		profiles: [[[1, 1.5, 4, "Infinity"], [0.25, 0.5, 0.75, 1]], [[2, 3], [0.5, 1]], [[1], [0.75]], [["Infinity"], [1]]].map(([ratio, share], a) => ({a, metric: "regret", ratio, share})),
		focus: {regret: "regret", violation: "violation", views: []},
	});
}

// chartsOf are the charts of a figure in so wide a place.
function chartsOf(figure, width) {
	const [sensor, holder] = figure.children;
	sensor.clientWidth = width;
	sensor.resized();
	return [...holder.children];
}

function figureSheets() {
	const x = experiment(), pairs = p => x.played(p), both = figure => [700, 330].flatMap(width => chartsOf(figure(), width));
	const [plane] = chartsOf(page.planeFigure(x, 0, "regret", "violation", () => {}), 640);
	sheet("plane", [pointed(plane, "Home"), ...chartsOf(page.planeFigure(x, 0, "regret", "violation", () => {}), 330)]);
	for (const [name, metric, p, coloured] of [["panel-regret", "regret", 0, ["a0", "a3"]], ["panel-violation", "violation", 0, ["a0", "a1", "a7"]], ["panel-many", "violation", 2, times(40, k => `a${k}`)], ["panel-single", "regret", 3, []]]) {
		const [wide, phone] = both(() => page.panelFigure(x, p, metric, new Set(coloured), () => {}));
		sheet(name, [pointed(wide, 400, 150), phone]);
	}
	for (const [name, spec] of Object.entries({
		"curves": {width: 330, pairs: pairs(0), metric: "violation"},
		"curves-more": {width: 900, pairs: pairs(0), metric: "regret", replicates: true, bound: true, claim: true},
		"curves-log": {pairs: pairs(0).slice(0, 4), metric: "violation", yaxis: "log", bound: true, claim: true},
		"curves-linear": {pairs: pairs(0).slice(0, 3), metric: "regret", xaxis: "linear", yaxis: "linear", claim: true},
		"curves-problems": {pairs: [0, 1, 2].map(p => x.pair(0, p)), metric: "regret", bound: true},
		"curves-both": {pairs: [x.pair(0, 0), x.pair(1, 2)], metric: "regret", xaxis: "log"},
		"curves-one": {pairs: [x.pair(0, 3)], metric: "regret", claim: true},
		"curves-one-linear": {pairs: [x.pair(0, 3)], metric: "regret", xaxis: "linear"},
	})) sheet(name, chartsOf(page.curvesFigure(x, spec), spec.width ?? 700));
	const [profile, phone] = both(() => page.profileFigure(x, "regret", []));
	sheet("profile", [pointed(profile, 300, 100), phone, ...chartsOf(page.profileFigure(x, "regret", [2, 3]), 400)]);
	const [top, low] = chartsOf(page.curvesFigure(x, {pairs: pairs(0).slice(0, 2), metric: "regret"}), 500);
	for (const node of top.find("path", a => a["data-key"] === "a1 p0")) node.setAttribute("class", "dim");
	pointed(top, 200, 200);
	console.log(`== saved.svg\n${page.svgText(top, low)}`);
}

// told prints what is seen after each of some events on a chart: the tooltip, the row that stands out,
// the lines that are wide, what the chart calls, and whether the page is kept from using a key.
function told(name, svg, calls, events) {
	const target = svg.find("rect", a => a.class === "chart-over")[0], over = svg.find("g", a => a.class === "chart-over")[0];
	let shown;
	console.log(`== ${name}`);
	for (const event of events) {
		const [type, key, y] = event.split(" "), [kind, pointerType] = type.split("/");
		const did = [], members = {preventDefault: () => did.push("prevented"), stopPropagation: () => did.push("stopped")};
		calls.length = 0;
		if (kind === "key" || kind === "blur") svg.fire(kind === "key" ? "keydown" : kind, {key, ...members});
		else target.fire(kind, {clientX: Number(key), clientY: Number(y), ...pointerType && {pointerType}, ...members});
		const tip = body.find("div", a => a.class === "chart-tip")[0], wide = svg.find("path", a => a["stroke-width"] === "3").map(p => p.attributes["data-key"]);
		const rows = tip.find("tr", a => a.class === "near").map(r => r.find("th")[0].text);
		const again = shown !== over.children[0] && over.children.length > 0 ? "drawn" : over.children.length > 0 ? "as before" : "nothing";
		shown = over.children[0];
		console.log([`${event}:`, again, tip.hidden ? "" : `at ${tip.find("caption")[0].text}`, tip.hidden ? "" : rows.map(r => `near ${r}`), wide.length > 0 ? `wide ${wide}` : "", target.style.cursor ? `cursor ${target.style.cursor}` : "", ...calls, ...did].flat().filter(Boolean).join(" "));
	}
}

function tellings() {
	const calls = [], keys = ["ArrowLeft", "Escape", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "ArrowLeft", "End", "ArrowUp", "Tab", "Enter", "Enter", "Escape", "ArrowDown", "Escape", "End"].map(key => `key ${key}`);
	const points = [[1, 1], [2, 2], [2, 5], [6, 3]].map(([u, v], k) => ({kind: "points", key: `k${k}`, name: `point ${k}`, style: k, x: [u], y: [v]}));
	const more = {legend: false, margins: {left: 40, right: 20}, onpick: key => calls.push(`picks ${key}`), onnear: key => calls.push(`calls ${key}`)}; // 340 × 236
	const at = (u, v) => `${Math.round(40 + 340 * (u - 0) / 6.2)} ${Math.round(262 - 236 * v / 5.2)}`;
	const mouse = ["pointermove 390 30", `pointermove ${at(2, 5)}`, `pointermove ${at(2.1, 5)}`, `pointermove ${at(2, 3.6)}`, `pointerdown ${at(6, 3)}`, `click ${at(6, 3)}`, "click 390 30", `pointermove ${at(2, 2)}`, "pointerleave", `pointermove ${at(2, 2)}`, "blur"];
	const touch = [at(6, 3), at(6, 3), at(2, 2), "200 30"].flatMap(p => [`pointerdown/touch ${p}`, "pointerleave/touch", `click/touch ${p}`]);
	told("points.txt", drawing(400, 300, points, linear, linear, more), calls, [...mouse, ...touch, ...keys]);
	told("points-kept.txt", drawing(400, 300, points, linear, linear, {...more, onpick: undefined}), calls, [mouse[1], `click ${at(2, 5)}`, "key Enter", "blur"]);
	const lines = [["a", 0.5, 2], ["b", 2], ["c", 4]].map(([key, level, width], k) => ({kind: "line", key, name: `line ${key}`, style: k, width, x: [0, 2, 6].slice(k), y: Array(3 - k).fill(level)}));
	const over = [[0.4, 1], [0.5, 1.1], [0.5, 4], [2.1, 1.9], [2.1, 2.1], [3.9, 4.5], [4.1, 4.5], [5.9, 4.2], [5.9, 0.4]].map(p => `pointermove ${at(...p)}`);
	told("lines.txt", drawing(400, 300, lines, linear, linear, more), calls, [...over, `click ${at(2, 2)}`, "pointerleave", over[3], "blur", ...keys]);
}

// Figures are as wide as there is room, at first as the last of their class, and are saved by name.
function savings() {
	const x = experiment(), widths = f => `${f.children[1].children.map(c => c.attributes.width)} wide`;
	console.log("== saved.txt");
	page.download = (name, type, text) => console.log(`${name} ${type}\n${type === "text/csv" ? text.replaceAll("\r", "") : ""}`);
	for (const make of [
		() => page.curvesFigure(x, {pairs: [x.pair(1, 0), x.pair(0, 2)], metric: "regret", replicates: true, bound: true}), () => page.curvesFigure(x, {pairs: [x.pair(2, 0)], metric: "violation", replicates: true}),
		() => page.planeFigure(x, 0, "regret", "violation", () => {}), () => page.panelFigure(x, 2, "violation", new Set(["a0"]), () => {}), () => page.profileFigure(x, "regret", [1, 3]),
	]) {
		const figure = make();
		console.log(widths(figure));
		for (const width of [555.7, 0, 100, 320]) {
			chartsOf(figure, width);
			console.log(`in ${width}: ${widths(figure)}`);
		}
		for (const button of figure.find("button")) button.fire("click");
	}
}

// Sentences name what they are of, and nothing else, whatever their words are.
function sentences() {
	const names = n => times(n, k => `name ${k}.`), has = (text, all, some) => assert.deepStrictEqual(all.filter(name => text.includes(name)), some, text);
	for (const n of [0, 1, 2, 3, 5]) assert.deepStrictEqual(page.nameList(names(n)).split(/, | and /).filter(Boolean), names(n));
	for (const t of [1, 10, 100, 1000, 2500, 10 ** 6, 99999]) assert.strictEqual(page.powerOrNumber(t).replace(/10\^(\d+)/, (_, k) => 10 ** k).replaceAll("\u2009", ""), String(t));
	for (const [v, text] of [[1234567, "1.23457×10^6"], [12345.678, "12\u2009345.7"], [-2e-5, "−2×10^−5"]]) assert.strictEqual(page.numberText(v), text);
	for (const t of [1000, 10 ** 6]) assert.match(page.powerOrNumber(t), /\^/);
	for (const [v, text] of [[0.5, "0.5"], [-0.25, "−0.25"], [2 / 3, "0.667"], [1, "1"]]) assert.strictEqual(page.claimedExponent(v), text);
	const [one, none] = ["regret", "violation"].map(metric => page.profileFigure(experiment(), metric, [2]).find("figcaption")[0].text.length);
	assert.ok(none > one + "violation".length, "a figure of no profile does not say so");
	const states = ["measured", "empty", "failed", "overflow", "rounding", undefined], metrics = ["regret_a", "regret_b", "violation"];
	for (let round = 0; round < 100; round++) {
		const all = pick([states, ["empty"], ["empty", "measured"]]), named = times(4, k => {
			const series = Object.fromEntries(metrics.map(m => [m, pick(m === "regret_a" ? all : states)]).filter(e => e[1]).map(([m, state]) => [m, {state, final: {value: k, lower: k, upper: k}}]));
			return {pair: {a: k, p: 0, series}, name: `name ${k}.`};
		}), state = n => n.pair.series.regret_a?.state, other = named.filter(n => state(n) !== "measured");
		const notes = page.stateNotes(named, "regret_a"), distinct = [...new Set(other.map(state))];
		assert.strictEqual(notes.length, distinct.length);
		distinct.forEach((s, k) => has(notes[k], names(4), other.filter(n => state(n) === s).map(n => n.name)));

		const title = m => `title of ${m}.`, x = new Experiment({
			asked: {name: "x", horizon: [10]}, metrics: metrics.map(m => ({name: m, title: title(m), doc: "the first ^part; the second", set: m !== "violation"})), ranks: [], fronts: [],
			pairs: named.map(n => n.pair), algorithms: names(4).map(title => ({title, spec: title})), problems: [{title: "the problem", deterministic: random() < 0.5}],
			focus: {regret: "another", violation: "violation", views: []},
		});
		const said = page.nothing(x, "kind", 0, "regret_a", named).text, empty = distinct.join() === "empty" && other.length === 4;
		assert.ok(said.includes("the problem") && said.includes(title("regret_a")) && said.includes("the first part") === empty && !said.includes("second"), said);
		has(said, metrics.slice(1).map(title), empty && named.some(n => page.drawn(n.pair.series.regret_b)) ? [title("regret_b")] : []);
		has(said, names(4), empty ? [] : other.map(n => n.name));

		const absent = named.filter(n => !["regret_a", "violation"].every(m => page.drawn(n.pair.series[m])));
		const lacking = ["regret_a", "violation"].find(m => !named.some(n => page.drawn(n.pair.series[m]))), plane = page.planeFigure(x, 0, "regret_a", "violation");
		x.raw.fronts.push({p: 0, regret: "regret_a", violation: "violation", algorithms: [0]});
		if (absent.length < 4) assert.ok(plane.text.length < page.planeFigure(x, 0, "regret_a", "violation").text.length, "the front is not named");
		if (absent.length < 4) has(plane.find("figcaption")[0].text, names(4), absent.map(n => n.name));
		else if (lacking) assert.ok(plane.text.includes(`no ${title(lacking)}`), plane.text);
	}
}

for (const draw of [lineSheets, pointSheets, styleSheet, axisSheet, figureSheets, tellings, savings, sentences]) draw();
