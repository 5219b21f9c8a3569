// Draws random charts in Node, and reads them as a reader does: by the labels of their axes, their
// names, and what a pointer and the keys show. What the page says of random data is compared with
// plain definitions.
"use strict";
const {vm, make, body, document, page, random, pick, between, times, check, done, verdictTable, worstOf} = require("./dom.js");
const [Experiment, experiments, defaults] = ["Experiment", "experiments", "defaults"].map(name => vm.runInContext(name, page));

let what = "";
const want = (ok, ...said) => check(what, ok, ...said);

// numberOf reads a number: 12 345.6, −1.235·10⁸, 5×10^−4, ∞.
function numberOf(text) {
	const raised = {"⁻": "-", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((c, k) => [c, k]))};
	text = text.replace(/·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/, (_, p) => "e" + [...p].map(c => raised[c]).join(""));
	return Number(text.replaceAll("−", "-").replace(/×?10\^/, (p, at) => (p[0] === "×" ? "" : "1") + "e").replace(/[\u2009\u202f]/g, "").replace("∞", "Infinity"));
}

// digits counts the significant digits of a number.
function digits(text) { return text.replace(/[·×]10.*/, "").replace(/[^\d.]/g, "").replace(/^[0.]+/, "").replace(".", "").length; }

// agreesWith tells whether a text is v, rounded to a unit.
function agreesWith(text, v, unit) { return Math.abs(numberOf(text) - v) <= 0.5 * unit * (1 + 1e-9) || numberOf(text) === v; }

// checkNumbers compares what the page writes of numbers with what the tables write.
function checkNumbers() {
	const plain = text => text.replaceAll("−", "-").replaceAll("\u202f", "");
	for (const {value: v, lower, upper, half, text} of JSON.parse(require("fs").readFileSync(process.argv[2]))) {
		what = `number ${v} in [${lower}, ${upper}]`;
		const said = {number: page.format(v), plusMinus: page.plusMinus({value: v, lower, upper: half}), interval: page.interval({value: v, lower, upper}), exponent: page.exponentText({value: v, lower, upper}), p: page.pValue(v)};
		for (const [kind, wanted] of Object.entries(text)) want(plain(said[kind]) === wanted, kind, said[kind], "wanted", wanted);
		if (v && Number.isFinite(v)) {
			const round = Number(v.toPrecision(2)), tick = page.numberText(round);
			want(Math.abs(numberOf(tick) / round - 1) < 1e-9 && tick.length < 12, "tick", round, tick);
		}
	}
	what = "no number";
	want([null, undefined, "", NaN].every(v => page.format(v) === "–") && page.format("Infinity") === "∞" && page.format(-Infinity) === "−∞", "format");
	want(page.coordinate(1234567) === "1\u202f234\u202f567" && page.coordinate(5) === "5" && page.coordinate(0.05) === "0.0500", "coordinate");
}

// scaleOf returns where an axis has a value, by two of its labels.
function scaleOf(axis, ticks, marks, label) {
	const threshold = axis.scale === "symlog" ? numberOf(label.match(/within ±(.*)\)/)[1]) : 1;
	const map = {
		linear: v => v, log: v => v > 0 ? Math.log10(v) : -Infinity,
		symlog: v => Math.abs(v) > threshold ? Math.sign(v) * (1 + Math.log10(Math.abs(v) / threshold)) : v / threshold,
	}[axis.scale];
	ticks.sort((a, b) => a.at - b.at);
	const from = ticks[0], to = ticks.at(-1), unit = (to.at - from.at) / (map(to.value) - map(from.value));
	const place = v => from.at + (map(v) - map(from.value)) * unit, at = v => Math.min(2e4, Math.max(-2e4, place(v)));
	want(ticks.length > 1, "labels of an axis", ticks);
	for (const t of ticks) want(Math.abs(at(t.value) - t.at) < 0.3 && !t.words.endsWith("−0"), "label", t, "where the axis has", at(t.value));
	if (axis.scale === "log") { // decades with room have nine ticks, and narrow ones have one
		const decade = place(10) - place(1), of = Math.abs(decade) > 30 ? 9 : Math.abs(decade) < 20 ? 1 : 0;
		const powers = marks.filter(m => Math.abs((m - place(1)) / decade - Math.round((m - place(1)) / decade)) < 0.02).length;
		want(of === 0 || of === 1 && marks.length === powers || of === 9 && marks.length >= 9 * (powers - 1) + 1, "ticks", marks, "of a decade of", decade);
	}
	return {at, shows: v => Number.isFinite(v) && (axis.scale !== "log" || v > 0)};
}

// vertices returns the corners of each unbroken part of a path of M, L, H and V.
function vertices(d) {
	return d.split("M").slice(1).map(part => {
		const corners = [];
		for (const [, command, first, second] of ("L" + part).matchAll(/([LHV])([\d.e-]+)(?:,([\d.e-]+))?/g)) {
			const [x, y] = corners.at(-1) ?? [];
			corners.push(command === "H" ? [Number(first), y] : command === "V" ? [x, Number(first)] : [Number(first), Number(second)]);
		}
		return corners;
	});
}

// markerCentre returns the middle of a marker.
function markerCentre(d) {
	const [x, y, r] = d.match(/-?[\d.]+/g).map(Number);
	if (d.includes("a")) return [x + r, y];
	const corners = vertices(d)[0];
	return [0, 1].map(k => corners.reduce((sum, c) => sum + c[k], 0) / corners.length);
}

const together = (a, b, far = 1) => Math.hypot(a[0] - b[0], a[1] - b[1]) < far;
const same = (a, b) => a.length === b.length && a.every((c, k) => together(c, b[k]));

// unbrokenRuns cuts what a mark shows into unbroken parts.
function unbrokenRuns(mark, shown) {
	const all = [[]];
	mark.x.forEach((_, k) => shown(k) ? all.at(-1).push(k) : all.push([]));
	return all.filter(run => run.length > 0);
}

// drawRandomChart draws a random chart, and returns it with what a reader finds of its axes.
function drawRandomChart(kind, n) {
	const values = (scale, m) => {
		const size = 10 ** between(-6, 6), spread = between(0.5, 5), signs = scale !== "log" && random() < 0.5 ? [1, -1] : [1];
		return times(m, () => pick(signs) * size * (scale === "linear" ? between(0, 1) : 10 ** (spread * random())));
	};
	const spec = {
		title: "", width: Math.round(between(300, 900)), height: Math.round(between(180, 360)), legend: kind !== "points",
		x: {label: "x", scale: pick(["log", "linear"])}, y: {label: "y", scale: pick(["log", "symlog", "linear"])}, marks: [],
	};
	const count = kind === "points" ? 1 : Math.round(between(3, 30)), x = values(spec.x.scale, count), y = values(spec.y.scale, n * count);
	x.splice(0, count, ...x.map(Math.abs).sort((a, b) => a - b));
	for (let k = 0; k < n; k++) {
		const of = y.slice(k * count, (k + 1) * count).map(v => kind === "points" || random() < 0.8 ? v : spec.y.scale === "log" ? pick([null, 0, -v]) : null);
		const mark = {kind, key: `k${k}`, name: `name ${k}${" and more".repeat(pick([0, 0, 1, 5]))}`, style: k, x: kind === "line" ? x : values(spec.x.scale, count).map(v => kind === "step" ? Math.abs(v) : v).sort((a, b) => a - b), y: of};
		if (kind === "points") Object.assign(mark, {label: `label ${k}`, first: true});
		else if (kind === "line") {
			const band = {kind: "band", key: `b${k}`, style: k, x, lower: of.map(v => v && v * between(0.7, 1)), upper: of.map(v => v && v * (random() < 0.9 ? between(1, 1.5) : v > 0 ? Infinity : 1))};
			[band.lower, band.upper] = [0, 1].map(i => band.x.map((_, j) => of[j] === null ? null : [band.lower[j], band.upper[j]].sort((a, b) => a - b)[i]));
			spec.marks.push(band);
		}
		spec.marks.push(mark);
	}
	if (kind !== "points" && random() < 0.3) spec.ends = new Set(spec.marks.filter(m => m.name && random() < 0.6).map(m => m.key));
	const svg = page.chart(Object.assign(spec, {onpick: key => spec.picked = key}));
	what = `${spec.width} × ${spec.height} ${kind} on ${spec.x.scale} and ${spec.y.scale} ${JSON.stringify(spec.marks.map(m => [m.x, m.y]))}`.slice(0, 300);
	svg.getBoundingClientRect = () => ({left: 17, top: 23, width: spec.width / 2, height: svg.attributes.height / 2});
	const axes = svg.find("g", a => a.class === "chart-axes")[0], ticks = {middle: [], end: []}, labels = {};
	for (const t of axes.find("text")) {
		const {"text-anchor": anchor, "font-weight": bold, x, y} = t.attributes;
		if (bold) labels[t.words[0]] = t.words;
		else ticks[anchor].push({words: t.words, value: numberOf(t.words), at: anchor === "end" ? y - 3.8 : Number(x), from: x - 3 * t.text.length, to: Number(x) + 3 * t.text.length});
	}
	const places = [/M([\d.]+),[\d.]+v[35]/g, /M[\d.]+,([\d.]+)h-[35]/g].map(mark => [...axes.find("path").map(p => p.attributes.d).join("").matchAll(mark)].map(m => Number(m[1])));
	const scale = {x: scaleOf(spec.x, ticks.middle, places[0], labels.x), y: scaleOf(spec.y, ticks.end, places[1], labels.y)};
	ticks.middle.forEach((t, k) => want(k === 0 || t.from - ticks.middle[k - 1].to > 2, "labels touch", ticks.middle));
	ticks.end.forEach((t, k) => want(k === 0 || t.at - ticks.end[k - 1].at > 11, "labels touch", ticks.end));
	const lines = svg.find("g", a => a["clip-path"])[0], frame = Object.fromEntries(Object.entries(svg.find("rect")[0].attributes).map(([k, v]) => [k, Number(v)]));
	for (const [axis, from, length] of [["x", frame.x, frame.width], ["y", frame.y, frame.height]]) {
		const all = kind === "line" && axis === "y" ? [] : spec.marks.flatMap(m => m[axis]).filter(v => v !== null && scale[axis].shows(v)).map(scale[axis].at), [low, high] = [Math.min(...all), Math.max(...all)];
		want(all.every(v => v > from && v < from + length) && (all.length < 2 || high - low < 1e-6 || high - low > 0.6 * length), "the axis", axis, "is from", from, length, "and the values", low, high);
	}
	const zero = ticks.end.find(t => t.value === 0)?.at;
	if (zero > frame.y + 3 && zero < frame.y + frame.height - 3) want(axes.find("path").at(-1).attributes.d.includes(`M${frame.x + 1},${Math.round(10 * zero) / 10}H`), "no line at 0");
	const markers = svg.children.filter(c => c.tag === "g" && !c.attributes.class && !c.attributes.transform && c !== lines).flatMap(c => c.find("path", a => a["stroke-width"] === "0.75")).map(p => markerCentre(p.attributes.d));
	const target = svg.find("rect", a => a.class === "chart-over")[0];
	return {spec, svg, scale, lines, markers, target, frame, at: (m, k) => [scale.x.at(m.x[k]), scale.y.at(m.y[k])]};
}

// shownTip returns what the tooltip says: of each row its cells; near is the row that stands out.
function shownTip() {
	const shown = body.children.find(n => n.attributes.class === "chart-tip");
	if (!shown || shown.hidden) return undefined;
	const rows = shown.find("tr");
	return {caption: shown.find("caption")[0].text, rows: rows.map(r => r.children.filter(c => c.text !== "").map(c => c.text)), near: rows.findIndex(r => r.attributes.class === "near")};
}

// pointTo moves the pointer to a place of a chart, which is half as large on the page.
function pointTo(c, x, y, event = "pointermove") {
	c.target.fire(event, {clientX: 17 + x / 2, clientY: 23 + y / 2});
	if (event === "pointermove" && shownTip()) checkTipBeside(c, x, y);
}

// checkTipBeside checks that the tooltip is at the right of a place of a chart.
function checkTipBeside(c, x, y) {
	const [left, top] = body.children.at(-1).style.transform.match(/-?\d+/g).map(Number);
	want(together([left, top], [17 + x / 2 + 16, Math.max(4, 23 + y / 2 - 20)], 1.5), "the tooltip is at", left, top, "beside", x, y);
}

// checkTooltips checks that the tooltip is within the window, and does not cover the place that it
// is about.
function checkTooltips() {
	for (let k = 0; k < 200; k++) {
		const [width, height, w, h] = [between(300, 900), between(200, 900), between(20, 250), between(20, 80)], x = between(0, width), y = between(0, height);
		document.documentElement = {clientWidth: width, clientHeight: height};
		page.placeTip(x, y, w, h);
		const [left, top] = body.children.at(-1).style.transform.match(/-?\d+/g).map(Number);
		what = `a tooltip of ${w} × ${h} for ${x}, ${y} in ${width} × ${height}`;
		want(left > -1 && top > 3 && left + w < width + 1 && top + h < height + 1 && (x < left + 1 || x > left + w - 1 || y < top + 1 || y > top + h - 1), left, top);
		if (y < top - 5 || y > top + h + 5) want(Math.abs(left + w / 2 - Math.min(Math.max(x, w / 2), width - w / 2)) < 6, left, top, "is not in the middle above or below");
	}
	document.documentElement = {clientWidth: 2000, clientHeight: 1000};
}

// checkShortening checks that a text is cut as little as need be, and keeps its parameters if there
// is room.
function checkShortening() {
	for (let k = 0; k < 500; k++) {
		const tail = pick(["", ", c = 0.5", ", step = 0.2, dim = 3"]), text = "abc def ".repeat(8).slice(0, Math.ceil(between(1, 60))).trimEnd() + tail, room = Math.floor(between(3, 70));
		const cut = page.shorten(text, 6 * room), [begin, end] = cut.split("…");
		what = `"${text}" in ${room} characters`;
		if (text.length <= room) want(cut === text, cut);
		else want(cut.length <= room && cut.length > room - 3 && text.startsWith(begin) && end === (tail.length + 1 <= 0.8 * room ? tail : ""), cut);
	}
}

// checkNames checks that names at the ends of lines are beside the ends and in their order, and
// that those of a legend are above the frame and do not overlap.
function checkNames(c, named) {
	const {x, y, width, height} = c.frame, last = m => m.y.findLastIndex((v, k) => v !== null && c.scale.y.shows(v));
	const place = row => row.attributes.transform.match(/[\d.]+/g).map(Number), legend = c.svg.find("g", a => a.class === "chart-legend")[0].children;
	const boxes = legend.map(row => ({at: place(row), w: 30 + 6 * row.find("text")[0].text.length}));
	boxes.forEach((a, k) => want(a.at[0] >= 0 && a.at[0] + a.w <= c.spec.width && a.at[1] > 0 && a.at[1] < y && boxes.slice(k + 1).every(b => b.at[1] > a.at[1] + 14 || b.at[0] >= a.at[0] + a.w), "the legend", boxes, "above", y));
	want(legend.length > 0 || y < 30, "the frame begins at", y, "without a legend");
	const ends = named.map(m => ({m, rows: c.svg.children.filter(n => n.attributes.transform && n.attributes["data-key"] === m.key), path: c.svg.children.find(n => n.tag === "path" && n.attributes["data-key"] === m.key)})).filter(e => e.rows.length > 0);
	for (const {m, rows, path} of ends) {
		const k = last(m), end = k < 0 ? y + height - 1 : c.scale.y.at(m.y[k]), [[from, to]] = vertices(path.attributes.d), [left, at] = place(rows[0]);
		want(rows.length === 1 && from[0] > x + width - 2 && Math.abs(from[1] - end) < 0.3 && to[1] === at && left > to[0] && at > y && at < y + height, "the name of", m.name, "at", left, at, "of", from, "for the end", end);
	}
	const order = ends.map(e => [vertices(e.path.attributes.d)[0][0][1], place(e.rows[0])[1]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	want(order.every(([, v], k) => k === 0 || v - order[k - 1][1] > 13.5), "names at ends", order);
}

// checkPoints checks the markers, names and tooltips of a random chart of points.
function checkPoints() {
	const c = drawRandomChart("points", Math.floor(between(0, 8))), marks = c.spec.marks;
	const shown = marks.filter(m => c.scale.x.shows(m.x[0]) && c.scale.y.shows(m.y[0])), places = shown.map(m => c.at(m, 0));
	want(c.markers.length === shown.length && places.every(p => c.markers.some(q => together(p, q))), "markers", c.markers, "want", places);
	const boxes = c.svg.find("text", a => a.y && !a["text-anchor"] && !a["stroke-width"]).filter(t => t.text.startsWith("label")).map(t => ({name: t.text, x: Number(t.attributes.x), y: t.attributes.y - 9.8, w: 6 * t.text.length, h: 12}));
	want(boxes.length === shown.length || shown.length > 4, "names", boxes, "of", marks.length);
	const {x, y, width, height} = c.frame;
	const empty = c.svg.find("text").some(t => t.text === "nothing to draw" && together([t.attributes.x, t.attributes.y], [x + width / 2, y + height / 2]));
	want(empty === (marks.length === 0), "a chart of", marks.length, "says that it is empty:", empty);
	const apart = (a, b) => a.x + a.w <= b.x + 0.2 || b.x + b.w <= a.x + 0.2 || a.y + a.h <= b.y + 0.2 || b.y + b.h <= a.y + 0.2;
	boxes.forEach((a, k) => {
		want(a.x > x && a.y > y && a.x + a.w < x + width && a.y + a.h < y + height, "a name outside", a, c.frame);
		want(boxes.slice(k + 1).every(b => apart(a, b)) && places.every(p => apart(a, {x: p[0] - 5, y: p[1] - 5, w: 10, h: 10})), "a name on another or on a point", boxes, places);
	});
	shown.forEach((m, k) => {
		const [clientX, clientY] = places[k];
		pointTo(c, clientX + between(-4, 4), clientY + between(-4, 4));
		const said = shownTip(), j = shown.findIndex(m => m.name === said?.caption), crowd = places.filter(p => together(p, places[k], 20)).length > 1;
		want(j === k || crowd && j >= 0, "pointing at", m.name, "shows", said ?? "nothing");
		if (j < 0) return;
		want(agreesWith(said.rows[0][1], shown[j].x[0], 1e-2 * Math.abs(shown[j].x[0])) && agreesWith(said.rows[1][1], shown[j].y[0], 1e-2 * Math.abs(shown[j].y[0])), "the tooltip", said, "of", shown[j]);
		pointTo(c, clientX, clientY, "click");
		want((crowd || c.spec.picked === m.key) && !shownTip(), "a click picks", c.spec.picked, "and leaves", shownTip() ?? "nothing");
	});
}

// checkLines checks the paths, names and tooltips of a random chart of lines or steps.
function checkLines() {
	const kind = pick(["line", "line", "step"]), c = drawRandomChart(kind, Math.ceil(between(0, 9))), named = c.spec.marks.filter(m => m.kind === kind);
	for (const m of c.spec.marks) {
		const drawn = vertices(c.lines.find("path", a => a["data-key"] === m.key)[0].attributes.d ?? "");
		if (m.kind === "band") {
			const outlines = unbrokenRuns(m, k => m.lower[k] !== null && (c.spec.y.scale !== "log" || m.upper[k] > 0)).filter(r => r.length > 1);
			want(drawn.length === outlines.length, "parts of a band", drawn.length, "want", outlines.length);
			outlines.forEach((run, i) => {
				const [upper, lower] = [m.upper, m.lower].map(list => run.map(k => [c.scale.x.at(m.x[k]), c.scale.y.at(list[k])]));
				want(drawn[i] && same(drawn[i], [...upper, ...lower.reverse()]), "band", drawn[i] ?? "none", "want", upper, lower);
			});
			continue;
		}
		const parts = unbrokenRuns(m, k => m.y[k] !== null && c.scale.y.shows(m.y[k])).map(run => run.flatMap((k, i) => {
			const [x, y] = c.at(m, k);
			return kind === "line" || i === 0 ? [[x, y]] : [[c.at(m, run[i - 1])[0], c.at(m, run[i - 1])[1]], [x, c.at(m, run[i - 1])[1]], [x, y]];
		}));
		want(parts.length === drawn.length && parts.every((p, i) => same(p, drawn[i])), "line", drawn, "want", parts);
		const names = c.svg.find("text").filter(t => t.text === m.name || t.text.includes("…") && m.name.startsWith(t.text.split("…")[0]));
		want(names.length === (!c.spec.ends || c.spec.ends.has(m.key) ? 1 : 0) || c.spec.ends?.size === 0, "the name", m.name, "is there", names.length, "times");
	}
	checkNames(c, named);
	const corners = named.flatMap(m => m.x.flatMap((_, k) => m.y[k] === null ? [] : [c.at(m, k)]));
	want(kind === "step" || c.markers.length >= named.filter(m => m.y.some(v => v !== null)).length && c.markers.every(p => corners.some(q => together(p, q))), "markers", c.markers, "at", corners);

	const stops = [...new Set(named.flatMap(m => m.x.filter((_, k) => kind === "step" || m.y[k] !== null)))].sort((a, b) => a - b);
	const holds = (m, x) => kind === "step" ? m.y[m.x.findLastIndex(v => v <= x)] : m.y[m.x.indexOf(x)];
	const check = (said, x, py) => {
		const rows = named.map(m => ({m, y: holds(m, x)})).filter(r => kind === "step" ? r.y !== undefined : r.y !== null).sort((a, b) => b.y - a.y);
		want(said && agreesWith(said.caption.replace("x = ", ""), x, 1e-2 * Math.abs(x)) && said.rows.length === rows.length, "the tooltip", said ?? "none", "of", x);
		if (kind === "step" || said?.rows.length !== rows.length) return;
		rows.forEach((r, k) => want(said.rows[k][0] === r.m.name && agreesWith(said.rows[k][1], r.y, 1e-2 * Math.abs(r.y)), "row", said.rows[k], "want", r.m.name, r.y));
		if (py === undefined || rows.length < 2) return want(said.near < 0, "a row stands out");
		const far = rows.map(r => Math.abs(c.scale.y.at(r.y) - py));
		want(far[said.near] <= Math.min(...far) + 0.5, "row", said.near, "is nearest of", far);
	};
	for (let k = 0; k < 5 && stops.length > 0; k++) {
		const clientX = between(c.frame.x, c.frame.x + c.frame.width), clientY = between(30, c.spec.height - 40);
		const far = stops.map(s => Math.abs(c.scale.x.at(s) - clientX)), least = Math.min(...far);
		if (far.filter(d => d < least + 1).length > 1) continue;
		pointTo(c, clientX, clientY);
		check(shownTip(), stops[far.indexOf(least)], clientY);
	}
	c.target.fire("pointerleave", {});
	want(!shownTip(), "a pointer that left shows", shownTip() ?? "nothing");
	["Home", "ArrowRight", "ArrowUp", "ArrowLeft", "End", "ArrowRight", "ArrowDown"].reduce((at, key) => {
		const last = stops.length - 1, now = {Home: 0, End: last}[key] ?? Math.min(last, Math.max(0, at + (/Right|Up/.test(key) ? 1 : -1)));
		c.svg.fire("keydown", {key});
		if (stops.length > 0) check(shownTip(), stops[now]);
		if (stops.length > 0) checkTipBeside(c, c.scale.x.at(stops[now]), c.frame.y + c.frame.height / 2);
		return now;
	}, 0);
	c.svg.fire("keydown", {key: "Escape"});
	want(!shownTip(), "Escape leaves", shownTip() ?? "nothing");
}

// checkCorners checks that the name of a point in a corner of the frame stands on the side with
// room.
function checkCorners() {
	for (const [u, v] of [[5, 5], [395, 5], [5, 195], [395, 195]]) {
		what = `a name at ${u}, ${v}`;
		const node = make("g"), place = {at: v => v};
		page.drawPointNames([{kind: "points", label: "name", first: true, x: [u], y: [v]}], {x: place, y: place, frame: {left: 0, right: 400, top: 0, bottom: 200}}, node);
		const texts = node.find("text").filter(t => !t.attributes["stroke-width"]);
		want(texts.length === 1, texts.length, "names");
		want(texts.every(({attributes: {x, y}}) => x > 0 && x < 376 && y > 9 && y < 200 && Math.min(Math.abs(x - u), Math.abs(Number(x) + 24 - u)) < 20), texts.map(t => t.attributes));
	}
}

// checkThresholds checks where the linear part of an axis ends: at most six decades below the
// largest value, or three if values have both signs, and where at most a tenth of the values are
// below.
function checkThresholds() {
	for (const [values, end] of [[[1e-9, 1e-9, 1e6], 1], [[-1e-9, 1e-9, 1e6], 1e3], [[-2e6, 1e-9, 1e-9], 1e3], [[30, 400, 5000], 10], [[0], 1]]) {
		what = `threshold of ${values}`;
		want(page.symlogThreshold(values) === end, page.symlogThreshold(values), "want", end);
	}
}

// checkGuides checks that the name of a guide stands at its line, within the frame, and not on the
// name of another.
function checkGuides() {
	for (let n = 1; n < 5; n++) {
		const frame = {left: 0, right: 400, top: 0, bottom: 300}, place = {at: v => v}, node = make("g");
		const marks = times(n, k => ({kind: "guide", label: `guide ${k}`, x: times(30, i => 10 * i), y: times(30, i => 20 + 60 * k + (1 - k % 2) * 5 * i)}));
		marks.push({kind: "line", x: times(40, i => 10 * i), y: times(40, i => 40 + 3 * i)});
		page.drawGuideNames(marks, {x: place, y: place, frame}, node);
		const texts = node.find("text", a => !a["stroke-width"]).map(t => ({name: t.text, x: Number(t.attributes.x), y: t.attributes.y - 9.5}));
		what = `names of ${n} guides`;
		want(texts.map(t => t.name).sort().join() === marks.slice(0, n).map(m => m.label).join(), texts);
		for (const t of texts) {
			const m = marks.find(m => m.label === t.name), far = Math.min(...m.x.map((x, i) => Math.hypot(x - t.x, m.y[i] - t.y - 6)));
			want(far < 15 && t.x > 0 && t.x + 42 < 400 && t.y > 0 && t.y + 12 < 300 && texts.every(o => o === t || Math.abs(o.y - t.y) > 11 || Math.abs(o.x - t.x) > 41), t, "is", far, "from its guide; all", texts);
		}
	}
}

// checkGuidesNearPoints checks that the name of a guide covers no point, however many there are.
function checkGuidesNearPoints() {
	const frame = {left: 0, right: 400, top: 0, bottom: 300}, at = {at: v => v};
	let named = 0;
	for (let k = 0; k < 300; k++) {
		const node = make("g"), label = "g".repeat(Math.ceil(between(0, 12))), m = Math.ceil(between(0, 30));
		const points = {kind: "points", x: times(m, () => between(0, 400)), y: times(m, () => between(100, 200))};
		page.drawGuideNames([{kind: "guide", label, x: times(40, i => 10 * i), y: times(40, () => 150)}, points], {x: at, y: at, frame}, node);
		for (const {attributes} of node.find("text", a => !a["stroke-width"])) {
			const [x, y] = [attributes.x, attributes.y].map(Number), near = points.x.filter((u, i) => u > x - 8 + 0.1 && u < x + 6 * label.length + 8 - 0.1 && points.y[i] > y - 9.5 - 6 + 0.1 && points.y[i] < y - 9.5 + 18 - 0.1);
			what = `the name of a guide among ${m} points`;
			want(near.length === 0, "at", x, y, "is on points at", near);
			named++;
		}
	}
	want(named > 100, "is written", named, "times of 300");
}

// checkStepBoxes checks that the level parts of steps are boxes around the values that the steps
// hold.
function checkStepBoxes() {
	for (let k = 0; k < 50; k++) {
		const n = Math.ceil(between(1, 8)), x = times(n, () => between(0, 400)).sort((a, b) => a - b), y = times(n, () => between(0, 200)), at = {at: v => v};
		const boxes = page.stepBoxes({x, y}, at, at);
		what = `steps ${JSON.stringify([x, y])}`;
		for (const u of times(20, () => between(x[0], x.at(-1)))) {
			const on = boxes.filter(b => u >= b.x - 0.1 && u <= b.x + b.w + 0.1 && b.h === 2).map(b => b.y + 1), holds = y[x.findLastIndex(v => v <= u)];
			want(on.length > 0 && on.some(v => Math.abs(v - holds) < 0.1) && on.length <= 1 + x.filter(v => Math.abs(v - u) < 0.3).length, "are", on, "at", u, "and hold", holds);
		}
	}
}

// checkLegends checks that the rows of a legend are below each other within its height, and their
// names beside each other within its width. A legend of nothing has no height.
function checkLegends() {
	want(page.legendRows([], 400).height === 0, "a legend of nothing has a height");
	for (let k = 0; k < 100; k++) {
		const n = Math.ceil(between(0, 9)), width = between(150, 900), {placed, height} = page.legendRows(times(n, i => ({name: `name ${i}${" and more".repeat(pick([0, 1, 5]))}`})), width);
		what = `a legend of ${n} in ${width}`;
		const boxes = placed.map(p => ({...p, w: 30 + 6 * p.text.length}));
		want(placed.length === n && boxes.every((a, i) => a.x >= 0 && a.x + a.w <= width && a.y >= 0 && a.y + 17 <= height && boxes.slice(i + 1).every(b => b.y >= a.y + 15 || b.y === a.y && b.x > a.x + a.w)), "of the height", height, boxes);
		want(height < 17 * n + 10, "is", height, "high");
	}
}

// checkNearestStops checks that the nearest stop is the nearest by x, and the nearest point is one
// within 30 pixels.
function checkNearestStops() {
	for (let k = 0; k < 2000; k++) {
		const flat = random() < 0.3, stops = times(Math.floor(between(0, 12)), () => ({px: between(0, 120), py: flat ? undefined : between(0, 120)})), [px, py] = [between(0, 120), between(0, 120)];
		const far = stops.map(s => flat ? Math.abs(s.px - px) : Math.hypot(s.px - px, s.py - py)), least = Math.min(...far);
		what = `the nearest of ${JSON.stringify(stops)} to ${px}, ${py}`;
		want(page.nearestStop(stops, px, py, flat) === (flat || least < 30 ? stops[far.indexOf(least)] : undefined), "is another");
	}
}

// checkRootGuide checks that the guide of √t goes through the middle, on a logarithmic axis, of the
// last means that are beyond its linear part.
function checkRootGuide() {
	for (let k = 0; k < 200; k++) {
		const T = pick([50, 1000, 1e5]), t = times(40, i => T ** (i / 39)), symlog = random() < 0.6, threshold = pick([0.1, 1, 10]);
		const ends = times(Math.floor(between(1, 6)), () => symlog ? pick([0, -5, 0.05, threshold, between(0, 20)]) : between(1e-3, 50));
		const x = {lastHorizon: T, roundsOf: () => t}, found = page.rootGuide(x, [{series: {mean: {}}}], ends, {scale: symlog ? "symlog" : "log", threshold});
		const [low, ...more] = ends.filter(v => symlog ? v > threshold : true).sort((a, b) => a - b), middle = (Math.log(low) + Math.log(more.at(-1) ?? low)) / 2;
		what = `√t through ${ends}, linear to ${symlog ? threshold : 0}`;
		want(found.length === (low === undefined ? 0 : 1), "guides:", found.length);
		if (low === undefined) continue;
		const [{x: at, y}] = found;
		want(at.join() === t.filter(v => v * 300 >= T).join() && y.length === at.length, "rounds", at);
		want(y.every((v, i) => Math.abs(Math.log(v) - middle - Math.log(at[i] / T) / 2) < 1e-9), "it is", y, "want at last", Math.exp(middle));
	}
}

// checkEndNames checks that names stand at the ends of lines that end apart, and in a legend if
// many lines end together.
function checkEndNames() {
	for (const [n, apart] of [[4, 1], [10, 1], [18, 1], [12, 0], [40, 1]]) {
		const marks = times(n, k => ({kind: "line", key: `k${k}`, name: `name ${k}`, style: k, x: [0, 1], y: [0, apart * k + 1]}));
		const svg = page.chart({title: "", width: 800, height: 400, legend: true, x: {label: "x", scale: "linear"}, y: {label: "y", scale: "linear"}, marks});
		what = `${n} lines that end ${apart} apart`;
		want(svg.find("g", a => a.class === "chart-legend")[0].children.length === (apart && n < 30 ? 0 : n), "have another number of names in the legend");
	}
}

// checkLevels checks that each claimed exponent is a level over the whole axis, in the colour of
// its line unless several lines have it.
function checkLevels() {
	const x = {lastHorizon: 1e4, roundsOf: band => band.t};
	for (let k = 0; k < 50; k++) {
		const lines = times(Math.floor(between(0, 6)), k => ({key: `k${k}`, name: `n${k}`, style: k, judged: pick([undefined, {exponent: pick([0, 0.5, 0.75, 1])}]), series: {slopes: pick([undefined, {t: [1, 2, 3], v: [0.1, 0.2, 0.3], ...pick([{}, {l: [0, 0, 0], u: [1, 1, 1]}])}])}}));
		const claim = random() < 0.7, marks = page.localMarks(x, lines, claim), drawn = lines.filter(l => l.series.slopes), found = marks.filter(m => m.kind === "guide");
		what = `levels of ${JSON.stringify(drawn.map(l => l.judged?.exponent))}`;
		want(["line", "band"].every(kind => marks.filter(m => m.kind === kind).map(m => m.key).join() === drawn.filter(l => kind === "line" || l.series.slopes.l).map(l => l.key).join()), "lines", marks);
		const judged = claim ? drawn.filter(l => l.judged) : [], distinct = new Set(judged.map(l => l.judged.exponent));
		want(found.length === distinct.size, found.length, "levels");
		for (const g of found) {
			const lines = judged.filter(l => l.judged.exponent === Number(g.label));
			want(lines.length > 0 && g.y.every(v => v === Number(g.label)) && g.x[0] === 1 && g.x.at(-1) === 1e4 && g.y.length === g.x.length && g.style === (lines.length === 1 ? lines[0].style : undefined), "level", g, "of", lines.length);
		}
	}
}

// checkFitFacts checks that a cell says all of a fit: its exponents, window and warnings.
function checkFitFacts() {
	const exponent = () => ({value: between(0.1, 1), lower: 0.05, upper: 1.2});
	for (let k = 0; k < 50; k++) {
		const fit = () => ({exponent: pick([exponent(), {value: null, lower: null, upper: null}]), shape: pick(["power", "offset-power", "transient"]), superlinear: random() < 0.5, non_positive: pick([0, 0.25]), increments: exponent(), from: 12, to: 345, points: 17, design: pick(["along-t", "across-T"]), replicates: 9, drift: pick([exponent(), {value: null}]), warnings: times(Math.floor(between(0, 3)), k => `warning ${k} of ${random()}`)});
		const f = {...fit(), negated: random() < 0.5 ? fit() : undefined}, rows = page.fitFacts(f), said = rows.map(r => r.map(c => c.text ?? c).join("")).join("\n");
		what = `facts of ${JSON.stringify(f)}`.slice(0, 900);
		const has = (v, ok = true) => want(said.includes(v) === ok, JSON.stringify(v), ok ? "is missing in" : "is in", said);
		f.exponent.value === null ? has("no exponent") : has("w = " + page.exponentText(f.exponent));
		if (f.shape === "offset-power") has(page.exponentText(f.increments));
		if (f.drift.value !== null) has(page.exponentText(f.drift));
		if (f.negated?.exponent.value) has(page.exponentText(f.negated.exponent));
		has("share not positive", f.non_positive > 0);
		has("cannot last", f.superlinear);
		for (const v of ["[12, 345]", "17 points", "9 replicates", ...f.warnings, ...f.negated?.warnings ?? []]) has(v);
		want(rows.length === new Set(rows.map(r => r[0])).size, "rows with one head");
	}
	want(page.fitFacts(null).length === 0, "facts without a fit");
}

// checkShortProblems checks that the name of the only parameter in which problems differ stands
// once.
function checkShortProblems() {
	for (const [shared, short, one] of [["Frequency", ["c = 0.5", "c = 1"], "c = 0.5|1"], ["Frequency", ["c = 0.5", "d = 1"], ""], ["", ["c = 0.5", "c = 1"], ""], ["Frequency", ["c = 0.5", "plain"], ""], ["Frequency", ["c = 0.5, d = 1", "c = 1"], ""]]) {
		what = `heads of ${short}`;
		const said = page.shortProblems({problems: short.map(short => ({short})), raw: {shared}}).join("|");
		want(said === (one || short.join("|")), said);
	}
}

// textOf returns what rows of facts say, without the commas and brackets of their lists.
const textOf = rows => rows.map(r => r.flat().filter(c => c !== null && c !== undefined).map(c => c.text ?? c).join("")).join("\n");

// checkClaimFacts checks that a claim is told with its verdict, its bound and the largest ratio to
// it.
function checkClaimFacts() {
	for (let k = 0; k < 80; k++) {
		const ratio = between(0.1, 2), bound = {state: pick(["held", "broken", "unsettled", "unstated"]), formula: pick(["", "2RG√T"]), reason: pick(["", "no reason"]), ratio: pick([{value: null}, {value: ratio, lower: ratio / 2, upper: 2 * ratio}, {value: ratio, lower: ratio, upper: ratio}]), at: 321, replicate: pick([0, 4]), horizon: pick([0, 7654])};
		const j = {metric: pick(["violation_soft", "regret_xhat"]), claim: pick(["", "√T"]), note: pick(["", "a note"]), verdict: pick(verdictTable).key, why: pick(["", "some reason"]), p: pick([null, 0.012]), keeps: pick(["", "12.5"]), bound: pick([bound, bound, undefined]), no_bound: pick(["", "nothing is known"])};
		const shown = pick(["violation_soft", "regret_xhat"]), x = {metric: name => ({title: `title of ${name}`}), raw: {focus: {violation: shown, views: []}}};
		const exponent = {value: 0.4, lower: 0.3, upper: 0.61}, q = {series: {[j.metric]: {state: "measured", root: "at-most", fit: {design: "along-t", shape: "power", exponent, increments: exponent, end: {exponent}}}}};
		const said = textOf(page.claimFacts(x, q, j)), b = j.bound;
		what = `what is said of ${JSON.stringify(j)}`;
		const has = (v, ok) => want(said.includes(v) === Boolean(ok), JSON.stringify(v), ok ? "is missing in" : "is in", said);
		has(j.claim ? `title of ${j.metric} = O(√T)` : "claimnone", true);
		has("a note", j.note);
		const {sign, claim} = verdictTable.find(v => v.key === j.verdict);
		has(`${sign} ${claim}`, j.verdict);
		has("some reason", j.verdict && j.why);
		has(`, by title of ${j.metric}: t^0.40 [0.30, 0.61]`, j.verdict && j.metric !== shown);
		has("p = 0.012", j.verdict && j.p !== null);
		has("at most 12.5 in the window", j.keeps);
		has("none: nothing is known", !b && j.no_bound);
		has(bound.state, b);
		has("2RG√T", b?.formula);
		has("no reason", b?.reason);
		has("largest ratio", b && b.ratio.value !== null);
		if (!b || b.ratio.value === null) continue;
		has(`${page.boundPercent(b.ratio.value)} of the bound`, true);
		has(`[${page.boundPercent(b.ratio.lower)}, ${page.boundPercent(b.ratio.upper)}]`, b.ratio.upper > b.ratio.lower);
		has("at t = 321", true);
		has("of replicate 4", b.replicate);
		has("of the mean", !b.replicate);
		has("T = 7654", b.horizon);
	}
}

// checkNotes checks that the notes below curves say what is drawn, and nothing else.
function checkNotes() {
	const marks = {band: {kind: "band"}, points: {kind: "points"}, run: {kind: "line", faint: true, y: [1]}, line: {kind: "line", y: [2, 3]}, low: {kind: "line", y: [2, -3]}, bound: {kind: "line", free: true, y: [-5]}, guide: {kind: "guide", y: [-1]}};
	for (let k = 0; k < 200; k++) {
		const upper = Object.entries(marks).filter(() => random() < 0.5), has = name => upper.some(([n]) => n === name), flag = () => random() < 0.5;
		const spec = {lines: pick([[], [1]]), named: [], metric: "m", scale: {y: pick(["log", "linear"])}, upper: upper.map(([, m]) => m), lower: pick([[], [1]]), replicates: flag(), bound: flag(), claim: flag(), hidden: flag()};
		const said = page.curveNotes(spec).join(" ");
		what = `notes of ${JSON.stringify(spec)}`;
		for (const [words, ok] of [
			["bands: their", has("band")], ["One replicate", !has("band") && spec.lines.length > 0], ["Hollow markers", has("points")],
			["Thin lines", spec.replicates && has("run")], ["are not kept", spec.replicates && !has("run")], ["Dashed", spec.claim && has("guide")],
			["Dotted", spec.bound && has("bound")], ["No bound is stated", spec.bound && !has("bound")], ["beyond the frame", spec.hidden],
			["left out", spec.scale.y === "log" && has("low")], ["half a decade", spec.lower.length > 0],
		]) want(said.includes(words) === ok, JSON.stringify(words), ok ? "is missing in" : "is in", said);
	}
}

// checkSearch checks that the filters keep what a plain search keeps.
function checkSearch() {
	const letters = "abcd", word = () => times(2, () => pick([...letters])).join("");
	for (let k = 0; k < 300; k++) {
		const thing = () => ({title: word(), spec: word(), doc: `${word()} ${word()}`, feedback: pick(["FI", "FO"]), facts: pick([["convex"], ["convex", "fixed"], []])});
		const x = {algorithms: times(4, thing), problems: times(3, thing), pair: (a, p) => (7 * a + p) % 5 !== 0 && a !== 3, raw: {own: pick([-1, 0, 2])}};
		const state = vm.runInContext("state", page), words = times(pick([0, 1, 1, 2]), word);
		Object.assign(state, {q: words.join("  ").toUpperCase(), feedback: pick(["", "FI"]), class: pick(["", "fixed"]), show: "both"});
		const finds = (e, w) => [e.title, e.spec, e.doc].some(text => text.includes(w));
		const kept = (things, others) => things.map((_, k) => k).filter(k => words.every(w => finds(things[k], w) || !things.some(e => finds(e, w)) && others && others.some(e => finds(e, w))));
		const order = x.raw.own < 0 ? [0, 1, 2] : [x.raw.own, ...[0, 1, 2].filter(a => a !== x.raw.own)];
		const algorithms = order.filter(a => kept(x.algorithms, x.problems).includes(a) && (!state.feedback || x.algorithms[a].feedback === "FI"));
		const problems = x.problems.map((_, p) => p).filter(p => words.every(w => !x.problems.some(e => finds(e, w)) || finds(x.problems[p], w)) && (!state.class || x.problems[p].facts.includes("fixed")));
		const found = page.filteredIndices(x);
		what = `"${state.q}" ${state.feedback} ${state.class} in ${JSON.stringify(x)}`;
		want(found.algorithms.join() === algorithms.join() && found.problems.join() === problems.join(), found, "want", algorithms, problems);
		Object.assign(state, {q: "", feedback: "", class: ""});
	}
}

// checkComparisons checks that the differences of A against B do not depend on which is first, and
// that each problem is in one list.
function checkComparisons() {
	for (let k = 0; k < 60; k++) {
		const n = 5, ids = times(n, k => k).filter(() => random() < 0.8), values = ids.map(() => between(-5, 5)), half = between(0, 4);
		const factor = (metric, p) => (metric === "r" ? 1 : 3) * (p + 1), flat = (metric, p) => {
			const all = ids.flatMap((_, i) => values.slice(i + 1).map(w => factor(metric, p) * (values[i] - w)));
			return {v: all, l: all.map(v => v - half), u: all.map(v => v + 2 * half), p_adjusted: all.map(v => Math.abs(v) / 100), sign: all.map(v => Math.abs(v) > half ? Math.sign(v) : 0), doubt: all.flatMap((v, k) => v > 3 ? [k] : [])};
		};
		const verdicts = ["at-most", "above", "undecided", "at-most"], pair = (a, p, r, v) => ({a, p, root: worstOf(r, v), series: {r: {root: r}, v: {root: v}}});
		const pairs = times(n, a => times(3, p => random() < 0.9 ? pair(a, p, pick(verdicts), pick(verdicts)) : undefined));
		const x = {raw: {focus: {regret: "r", violation: "v", views: []}, compared: times(3, p => ["r", "v"].map(metric => ({p, metric, of: ids, ...flat(metric, p)}))).flat(), own: pick([0, 1])}, algorithms: times(n, () => ({})), problems: times(3, () => ({})), pair: (a, p) => pairs[a][p], algorithm: () => -1};
		what = `differences of ${JSON.stringify([ids, values, half])}`;
		for (const a of times(n, k => k)) for (const b of times(n, k => k)) {
			const metric = pick(["r", "v"]), on = pick([0, 1, 2]), d = page.comparison(x, metric, a, b, on), [i, j] = [ids.indexOf(a), ids.indexOf(b)], first = i < j;
			if (a === b || i < 0 || j < 0) { want(d === undefined, a, b, d ?? ""); continue; }
			const e = factor(metric, on) * (values[i] - values[j]);
			want([d.value, d.lower, d.upper].every((v, k) => Math.abs(v - [e, e - (first ? 1 : 2) * half, e + (first ? 2 : 1) * half][k]) < 1e-9), a, "less", b, d, "want", e);
			want(d.sign === (Math.abs(e) > half ? Math.sign(e) : 0) && Math.abs(d.p - Math.abs(e) / 100) < 1e-12 && d.doubt === ((first ? e : -e) > 3), a, "less", b, d, "has another sign, p-value or doubt than", e);
			const root = (a, p) => ["r", "v"].map(m => pairs[a][p].series[m].root), bad = ["above", "undecided"];
			const keeps = (a, p) => root(a, p).every(v => !bad.includes(v));
			const more = (b, a, p) => ["r", "v"].some(m => pairs[b][p].series[m].root === "undecided" && page.comparison(x, m, b, a, p).sign > 0);
			const lists = page.problemsByOutcome(x, a, b);
			x.problems.forEach((_, p) => {
				const where = Object.keys(lists).filter(key => lists[key].includes(p));
				if (!pairs[a][p] || !pairs[b][p]) return want(where.length === 0, "a problem not played is in", where);
				const one = keeps(a, p) ? keeps(b, p) ? "both" : "first" : keeps(b, p) ? "second" : "neither", loser = one === "first" ? b : a, winner = one === "first" ? a : b;
				const tie = ["first", "second"].includes(one) && !root(loser, p).includes("above") && !more(loser, winner, p);
				want(where.length === 1 && where[0] === (tie ? "tie" : one), a, "against", b, [...root(a, p), ...root(b, p)], "is in", where, "want", tie ? "tie" : one);
			});
		}
		const all = times(n, k => k), [a, b] = page.comparedPair(x, all), far = b => { const c = page.problemsByOutcome(x, a, b); return c.first.length + c.second.length; };
		want(a === x.raw.own && b !== a && all.every(c => c === a || far(c) <= far(b)), "rivals", a, b);
	}
}

// checkLooks checks that no two of many styles are alike in colour and dash, nor in colour and
// marker, that the members of a mark replace those of its style, and that a legend shows a mark as
// the chart does.
function checkLooks() {
	what = "looks";
	const all = times(49, k => page.lookOf({style: k}));
	for (const of of ["dash", "shape"]) want(new Set(all.map(l => `${l.colour} ${l[of]}`)).size === 49, "two styles have one colour and", of);
	want(new Set(all.slice(0, 7).map(l => l.colour)).size === 7, "the first styles have one colour");
	const own = {style: 3, colour: "red", dash: "1 1", shape: "star", hollow: true}, look = page.lookOf(own);
	want(["colour", "dash", "shape", "hollow"].every(key => look[key] === own[key]), own, "looks like", look);
	for (const [mark, stroke, marker] of [[{kind: "line"}, true, true], [{kind: "line", plain: true}, true, false], [{kind: "step"}, true, false], [{kind: "guide"}, true, false], [{kind: "points"}, false, true]]) {
		const paths = page.drawSample(mark).find("path").map(p => p.attributes.d);
		want(paths.length === stroke + marker && paths.includes("M0,0H22") === stroke, "the sample of", mark, "is", paths);
	}
}

const metrics = ["regret_xmax", "violation_soft"], statesDrawn = ["measured", "rounding"];

// experiment draws an experiment in which some series lack values, and some intervals.
function experiment() {
	const t = [[1, 10, 100, 1000], [250, 500, 1000], [3, 30, 300]];
	const values = k => t[k].map(() => random() < 0.1 ? null : between(0.1, 50));
	const band = k => ({t: k, v: values(k), ...pick([{}, {l: values(k), u: values(k)}])}), maybe = f => random() < 0.5 ? f() : undefined;
	const final = () => ({value: pick([between(1, 50), between(-5, 50), null, "Infinity"]), lower: between(-9, -5), upper: between(50, 60)});
	const series = () => pick([undefined, {state: "empty", final: {value: null, lower: null, upper: null}}, ...times(6, () => ({
		state: pick(statesDrawn), mean: pick([undefined, ...times(5, () => band(0))]), across: maybe(() => band(1)), slopes: maybe(() => band(2)),
		runs: maybe(() => ({t: 0, replicate: [1, 3], v: times(2, () => values(0))})), final: final(), root: pick(verdictTable).key,
	}))]);
	const judgement = metric => maybe(() => ({metric, exponent: pick([null, 0.5, 0]), log: pick([0, 1]), bound: maybe(() => ({mean: pick([undefined, {t: 0, v: values(0)}])}))}));
	const named = (names, more) => names.map(spec => ({spec, title: `title of ${spec}`, ...more}));
	const pairs = times(3, a => times(2, p => random() < 0.9 ? [{a, p, root: pick(verdictTable).key, series: Object.fromEntries(metrics.map(m => [m, series()])), regret: judgement(metrics[0]), violation: judgement(metrics[1])}] : [])).flat(2);
	const profiles = times(3, a => metrics.map(metric => ({a, metric, ratio: [1, 2.5, "Infinity"], share: [random(), random(), 1]}))).flat();
	return new Experiment({
		asked: {name: "made up", horizon: [1000]}, algorithms: named(["ogd", "a:k=1,b=2", 'q"x']), problems: named(["iid", "fixed:n=2,m=3"], {facts: []}), ranks: [], t, pairs, profiles,
		metrics: metrics.map(name => ({name, title: `title of ${name}`, fitted: true, doc: "doc"})), fronts: times(2, p => ({p, regret: metrics[0], violation: metrics[1], algorithms: [0, 2]})),
		focus: {regret: metrics[0], violation: metrics[1], views: times(2, () => ({regret: metrics[0], violation: metrics[1]}))}, opens: 0, own: 1,
	});
}

// savedRows returns what the CSV of a figure has: by the name of the metric the rows without it,
// sorted.
function savedRows(figure) {
	let text;
	page.download = (name, type, words) => { text = words; };
	figure.find("button").find(b => b.text === "CSV").fire("click");
	const [head, ...rows] = text.trimEnd().split("\r\n").map(line => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(m => (m[1] ?? m[2]).replaceAll('""', '"')));
	const at = head.indexOf("metric"), by = {};
	for (const row of rows) (by[row[at]] ??= []).push(row.filter((_, k) => k !== at).join("|"));
	return by;
}

// sameRows checks that the saved rows are those of some groups, each under a name that begins with
// the metric.
function sameRows(figure, metric, groups) {
	const by = savedRows(figure), text = rows => rows.map(row => typeof row === "string" ? row : row.map(v => v ?? "").join("|")).sort().join("\n");
	const [got, wanted] = [Object.values(by), groups.filter(g => g.length > 0)].map(all => all.map(text).sort().join("\n\n"));
	want(Object.keys(by).every(name => name.startsWith(metric)) && got === wanted, "CSV has", Object.keys(by), got.slice(0, 400), "want", wanted.slice(0, 400));
}

// chartsOf returns the charts of a figure in a place of a width, which are drawn once for each
// width.
function chartsOf(figure, width) {
	const [sensor, holder] = figure.children, resize = to => {
		sensor.clientWidth = to;
		sensor.resized();
		return holder.children;
	};
	const charts = resize(width);
	want(resize(width) === charts && resize(0) === charts, "a figure is drawn again without other room");
	want(charts.length > 0 && charts.every(c => Number(c.attributes.width) === width), "the width of charts in", width);
	return charts;
}

// checkFigures checks that figures have the lines of their pairs, and that their CSV has what is
// drawn, for one random experiment.
function checkFigures() {
	const x = experiment(), metric = pick(metrics), spec = q => [x.problems[q.p].spec, x.algorithms[q.a].spec], t = x.raw.t;
	const judged = q => metric === metrics[0] ? q.regret : q.violation, shown = s => statesDrawn.includes(s?.state);
	const long = (pairs, bandOf) => pairs.flatMap(q => {
		const band = bandOf(q.series[metric], q);
		return band ? t[band.t].map((at, k) => [...spec(q), "", at, band.v[k], band.l?.[k], band.u?.[k]]) : [];
	});
	const runs = pairs => pairs.flatMap(q => {
		const {runs} = q.series[metric];
		return runs ? runs.replicate.flatMap((r, i) => t[0].map((at, k) => [...spec(q), r, at, runs.v[i][k], "", ""])) : [];
	});
	const groups = (pairs, replicates, bound) => [
		[...long(pairs, s => s.mean), ...replicates ? runs(pairs) : []], long(pairs, s => s.across), long(pairs, s => s.slopes), bound ? long(pairs, (_, q) => judged(q)?.bound?.mean) : [],
	];
	what = `figures of ${metric} of ${JSON.stringify(x.raw.pairs)}`.slice(0, 600);

	const pairs = x.raw.pairs.filter(() => random() < 0.7), lines = pairs.filter(q => shown(q.series[metric]) && q.series[metric].mean), [replicates, bound, claim] = times(3, () => random() < 0.5);
	const figure = page.curvesFigure(x, {pairs, metric, replicates, bound, claim});
	if (lines.length > 0) {
		sameRows(figure, metric, groups(lines, replicates, bound));
		const [top, low] = chartsOf(figure, 700), frame = c => c.find("rect")[0].attributes;
		for (const q of lines) {
			const key = `${spec(q)[1]} ${spec(q)[0]}`, s = q.series[metric], drawn = top.querySelector("g[clip-path]").find("path", a => a["data-key"] === key).length;
			want(drawn === 1 + (s.mean.l ? 1 : 0) + (replicates && s.runs ? 2 : 0), key, "is drawn", drawn, "times");
			want(top.querySelector("g[clip-path]").find("path", a => a["data-key"] === `${key} bound`).length === (bound && judged(q)?.bound?.mean ? 1 : 0), "the bound of", key);
		}
		want(Boolean(low) === lines.some(q => q.series[metric].slopes?.v.some(v => v !== null)), "local exponents");
		if (low) {
			const {x, y, width, height} = frame(low), at = low.find("text", a => a["text-anchor"] === "end" && !a["font-weight"]).map(n => [numberOf(n.words), n.attributes.y - 3.8]);
			const unit = (at.at(-1)[1] - at[0][1]) / (at.at(-1)[0] - at[0][0]), place = v => at[0][1] + (v - at[0][0]) * unit;
			want(Math.abs(place(1.5) - y - 1) < 1 && Math.abs(place(-0.5) - y - height + 1) < 1, "the exponents are on an axis from", y, height, at);
			want(x === frame(top).x && width === frame(top).width, "the two charts have other frames");
		}
		want(chartsOf(figure, 500).length === (low ? 2 : 1), "charts in less room");
	}

	const p = pick([0, 1]), own = x.raw.pairs.filter(q => q.p === p), drawn = own.filter(q => shown(q.series[metric]) && q.series[metric].mean);
	if (drawn.length > 0) sameRows(page.panelFigure(x, p, metric, new Set()), metric, groups(drawn, false, true));
	const profiles = x.raw.profiles.filter(f => f.metric === metric && f.a !== 1);
	sameRows(page.profileFigure(x, metric, [0, 2]), metric, [profiles.flatMap(f => f.ratio.map((r, k) => [x.algorithms[f.a].spec, r, f.share[k]]))]);

	const plane = page.planeFigure(x, p, ...metrics, () => {}), inPlane = own.filter(q => metrics.every(m => shown(q.series[m]) && Number.isFinite(page.number(q.series[m].final.value))));
	for (const q of own) {
		const point = page.planePoint(x, q, ...metrics, true), [r, v] = metrics.map(m => q.series[m]);
		want(Boolean(point) === inPlane.includes(q), q, "is in the plane:", point ?? "no");
		if (!point) continue;
		const keeps = q.root === "at-most";
		want(point.x[0] === r.final.value && point.y[0] === v.final.value && point.hollow !== keeps && point.key === x.algorithms[q.a].spec, "point", point);
		want([[point.xlower, point.xupper, r], [point.lower, point.upper, v]].every(([l, u, s]) => l[0] === s.final.lower && u[0] === s.final.upper), "intervals", point);
	}
	if (inPlane.length > 0) sameRows(plane, "", metrics.map(m => own.filter(q => q.series[m]).map(q => [...spec(q), "", 1000, ...["value", "lower", "upper"].map(key => q.series[m].final[key])])));
}

// checkViews checks that an address reads as the view that it was written from, and that what an
// experiment does not have is left out of a view and named.
function checkViews() {
	const x = experiment();
	experiments.splice(0, 1, x);
	const word = () => times(3, () => pick([..."a;&=%√ +#"])).join(""), text = () => random() < 0.5 ? "" : word();
	const any = Object.fromEntries(Object.entries(defaults).map(([key, v]) => [key, Array.isArray(v) ? times(pick([0, 1, 3]), word) : typeof v === "boolean" ? random() < 0.5 : text()])), astray = [];
	what = `view ${JSON.stringify(any)}`;
	const back = page.decode(page.encode(any), astray);
	want(JSON.stringify(back) === JSON.stringify(any) && astray.length === 0, "is read as", back, astray);

	const specs = {problems: x.problems.map(e => e.spec), algorithms: x.algorithms.map(e => e.spec)}, of = {plane: "problems", lift: "algorithms", a: "algorithms", b: "algorithms", problems: "problems", lines: "algorithms"};
	const view = structuredClone(defaults), usual = {plane: specs.problems[0], lift: specs.algorithms[1], a: specs.algorithms[1]}, wanted = structuredClone(defaults), named = [];
	for (const [key, list] of Object.entries(of)) {
		const known = specs[list], draw = () => pick([...known, "strange"]);
		view[key] = Array.isArray(defaults[key]) ? times(pick([0, 1, 2]), draw) : pick(["", draw()]);
		const kept = [view[key]].flat().filter(v => known.includes(v));
		wanted[key] = Array.isArray(view[key]) ? [...new Set(kept)] : kept[0] === usual[key] ? "" : kept[0] ?? "";
		if (kept.length < [view[key]].flat().filter(Boolean).length || wanted[key].length < view[key].length && Array.isArray(view[key])) named.push(`${key}=${[view[key]].flat().join(";")}`);
	}
	const q = pick(x.raw.pairs);
	Object.assign(view, {problem: specs.problems[q.p], algorithms: [specs.algorithms[q.a]]});
	Object.assign(wanted, {problem: view.problem, algorithms: view.algorithms});
	what = `view ${JSON.stringify(view)}`;
	const wrong = [], got = page.repairView(structuredClone(view), wrong);
	want(JSON.stringify(got) === JSON.stringify(wanted) && wrong.sort().join() === named.sort().join(), "is mended to", got, wrong, "want", wanted, named);
	experiments.length = 0;
}

// checkCommands checks that the command that compares A with B is shown only if the page shows the
// metrics that the command has.
function checkCommands() {
	const x = experiment(), state = vm.runInContext("state", page), elements = {}, find = document.getElementById;
	x.raw.compared = [];
	page.fillSelect = () => {}; // the menus
	document.getElementById = id => elements[id] ??= Object.assign(make("div"), {parentNode: make("p")});
	for (const [regret, violation, shows] of [["", "", true], [metrics[0], metrics[1], true], [metrics[1], "", false], ["", metrics[0], false]]) {
		Object.assign(state, {regret, violation});
		what = `A against B by "${regret}" and "${violation}"`;
		page.renderVersus(x);
		const {parentNode: {hidden}, textContent} = elements["versus-command"];
		want(hidden !== shows && textContent.startsWith("bench compare") && textContent.endsWith("--experiment 'made up'"), "hidden:", hidden, textContent);
	}
	Object.assign(state, {regret: "", violation: ""});
	document.getElementById = find;
}

// checkMatrixKeys checks that the keys lead over cells that were not played to the next one that
// was, and to the first and the last of a row, or with Ctrl of all.
function checkMatrixKeys() {
	const [m, n] = [Math.ceil(between(0, 4)), Math.ceil(between(0, 5))], table = {querySelector: () => null}, buttons = list => list.map(c => c.querySelector()).filter(Boolean);
	const rows = times(m, r => ({rowIndex: r + 1})), tbody = {rows, querySelectorAll: () => rows.flatMap(row => row.querySelectorAll())};
	rows.forEach((row, r) => Object.assign(row, {cells: times(n, cellIndex => {
		const button = random() < 0.6 ? {at: `${r} ${cellIndex}`, setAttribute() {}, focus() { focused = this.at; }} : null;
		const td = {parentNode: row, cellIndex, querySelector: () => button, closest: of => ({td, tbody, table})[of]};
		return td;
	}), querySelectorAll: () => buttons(row.cells)}));
	let focused;
	for (const row of rows) for (const td of row.cells.filter(c => c.querySelector())) {
		const [r, c] = [row.rowIndex - 1, td.cellIndex], column = rows.map(o => o.cells[c]), all = buttons(rows.flatMap(o => o.cells)), own = buttons(row.cells);
		const wanted = {ArrowRight: buttons(row.cells.slice(c + 1))[0], ArrowLeft: buttons(row.cells.slice(0, c)).at(-1), ArrowDown: buttons(column.slice(r + 1))[0], ArrowUp: buttons(column.slice(0, r)).at(-1), Home: own[0], End: own.at(-1), CtrlHome: all[0], CtrlEnd: all.at(-1)};
		for (const [key, to] of Object.entries(wanted)) {
			focused = undefined;
			page.moveInMatrix({target: td, key: key.replace("Ctrl", ""), ctrlKey: key.startsWith("Ctrl"), preventDefault() {}});
			what = `${key} at ${r} ${c} of ${all.map(b => b.at)}`;
			want(focused === to?.at, "leads to", focused ?? "nothing", "want", to?.at ?? "nothing");
		}
	}
}

checkNumbers();
checkCorners();
checkLooks();
checkThresholds();
checkShortening();
times(60, checkPoints);
times(60, checkLines);
checkTooltips();
checkGuides();
checkGuidesNearPoints();
checkStepBoxes();
checkLegends();
checkNearestStops();
checkRootGuide();
checkEndNames();
checkLevels();
checkFitFacts();
checkShortProblems();
checkClaimFacts();
checkNotes();
checkSearch();
checkComparisons();
times(40, checkFigures);
times(100, checkViews);
checkCommands();
times(20, checkMatrixKeys);
done();
