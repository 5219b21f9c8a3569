// A chart is one SVG with axes, a light grid, marks and their names. A tooltip reads the
// values off it. It knows nothing of experiments, and computes nothing but places.
//
//	AXIS = {label, short?, scale: "log"|"symlog"|"linear", domain?: [lo, hi]}
//	MARK = {kind: "line"|"band"|"points"|"step"|"guide", key, name, style, x, y}
//
// A band has lower and upper, points may have these and xlower and xupper. Infinite ends
// reach the frame; null and NaN break a line. Further members of a mark: label is written
// at it, faint lines are thin and not read off, a free mark does not stretch the axes,
// first tells which labels of points are placed first, colour, dash, shape and hollow
// replace those of the style, and note is a line of the tooltip.

const svgNamespace = "http://www.w3.org/2000/svg";
const chartFont = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

// Every colour is a variable of the style sheet, with that on paper as its fallback.
const chartColours = {
	ink: "var(--chart-ink, #222222)",
	muted: "var(--chart-muted, #5c5f66)",
	grid: "var(--chart-grid, #e6e6e9)",
	axis: "var(--chart-axis, #9a9ca3)",
	ground: "var(--chart-ground, #ffffff)",
};

// The colours of Okabe and Ito except yellow, dashes and markers: those of the figures of
// the article. Styles beyond the last colour have other dashes and markers.
const lookColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#2a2a2a"]
	.map((colour, k) => `var(--chart-${k}, ${colour})`);
const lookDashes = ["", "8 3", "8 3 2 3", "4 2.5", "13 3", "8 2.5 2 2.5 2 2.5", "2 2"];
const lookShapes = ["circle", "square", "triangle", "diamond", "down", "star", "pentagon"];

/** lookOf returns the colour, dash and marker of a mark. */
function lookOf(mark) {
	const n = lookColours.length, k = mark.style ?? 0;
	const other = (k + Math.floor(k / n)) % n;
	return {
		colour: mark.colour ?? lookColours[k % n],
		dash: mark.dash ?? lookDashes[other],
		shape: mark.shape ?? lookShapes[other],
		hollow: mark.hollow ?? false,
	};
}

/** svgNode makes an element of SVG; attributes that are undefined or "" are left out. */
function svgNode(tag, attributes = {}, ...children) {
	const node = document.createElementNS(svgNamespace, tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (value !== undefined && value !== "") node.setAttribute(name, value);
	}
	node.append(...children);
	return node;
}

/** svgWords makes a text in which ^ raises the number behind it. */
function svgWords(text, attributes) {
	const node = svgNode("text", attributes);
	text.split(/\^(−?[\d.]+)/).forEach((part, k) => {
		if (part === "") return;
		node.append(k % 2 === 0
			? svgNode("tspan", {dy: k > 0 ? "0.4em" : undefined}, part)
			: svgNode("tspan", {dy: "-0.53em", "font-size": "75%"}, part));
	});
	return node;
}

const textWidths = new Map();
let textCanvas;

/** textWidth returns the width of a text of 11 px, without any layout of the page. */
function textWidth(text, weight = 400) {
	const key = `${weight} ${text}`;
	if (!textWidths.has(key)) {
		textCanvas ??= document.createElement("canvas").getContext("2d");
		textCanvas.font = `${weight} 11px ${chartFont}`;
		const raised = text.match(/\^(−?[\d.]+)/)?.[1].length ?? 0;
		textWidths.set(key, textCanvas.measureText(text.replace("^", "")).width - 1.5 * raised);
	}
	return textWidths.get(key);
}

/** shorten cuts a text so that it is at most so wide. */
function shorten(text, width) {
	if (textWidth(text) <= width) return text;
	while (text.length > 1 && textWidth(text + "…") > width) text = text.slice(0, -1);
	return text.trimEnd() + "…";
}

/** given tells whether a value is a number, which may be infinite. */
function given(v) {
	return typeof v === "number" && !Number.isNaN(v);
}

/** place rounds a place to a tenth of a pixel, and keeps it near the chart. */
function place(v) {
	return Math.round(10 * Math.min(2e4, Math.max(-2e4, v))) / 10;
}

// Marks.

/** markerPath returns a marker around a point. */
function markerPath(shape, x, y, r) {
	const corners = {square: [4, 45], triangle: [3, 90], diamond: [4, 0], down: [3, -90], star: [10, 90], pentagon: [5, 90]}[shape];
	x = place(x), y = place(y);
	if (!corners) {
		const circle = `M${x - r},${y}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`;
		const d = place(0.95 * r);
		return shape === "slashed" ? `${circle}M${x - d},${y + d}L${x + d},${y - d}` : circle;
	}
	const [n, first] = corners;
	let path = "";
	for (let k = 0; k < n; k++) {
		const angle = (first + 360 * k / n) * Math.PI / 180, size = 1.25 * r * (n === 10 && k % 2 ? 0.5 : 1);
		path += `${k ? "L" : "M"}${place(x + size * Math.cos(angle))},${place(y - size * Math.sin(angle))}`;
	}
	return path + "Z";
}

/** marker draws a marker of a look. */
function marker(look, x, y, r) {
	return svgNode("path", {
		d: markerPath(look.shape, x, y, r), stroke: look.hollow ? look.colour : chartColours.ground,
		"stroke-width": look.hollow ? 1.5 : 0.75, fill: look.hollow ? chartColours.ground : look.colour,
	});
}

/** sample draws what a mark looks like in a legend, 22 wide around (11, 0). */
function sample(mark) {
	const look = lookOf(mark), node = svgNode("g");
	if (mark.kind !== "points") {
		node.append(svgNode("path", {d: "M0,0H22", fill: "none", stroke: look.colour, "stroke-width": mark.kind === "guide" ? 1.2 : 1.8, "stroke-dasharray": look.dash}));
	}
	if (mark.kind === "points" || (mark.kind === "line" && !mark.plain)) node.append(marker(look, 11, 0, mark.kind === "points" ? 4.5 : 3));
	return node;
}

/** shownAt tells whether a point of a mark has a place on the axes. */
function shownAt(mark, k, x, y) {
	return given(mark.x[k]) && given(mark.y[k]) && (x.kind !== "log" || mark.x[k] > 0) && (y.kind !== "log" || mark.y[k] > 0);
}

/** linePath returns the path of a line, or of steps that hold a value until the next. */
function linePath(mark, x, y) {
	let path = "", open = false, before = 0;
	for (let k = 0; k < mark.x.length; k++) {
		if (!shownAt(mark, k, x, y)) {
			open = false;
			continue;
		}
		const u = x.at(mark.x[k]), v = y.at(mark.y[k]);
		if (open && mark.kind === "step") path += `V${place(before)}H${place(u)}V${place(v)}`;
		else path += `${open ? "L" : "M"}${place(u)},${place(v)}`;
		open = true;
		before = v;
	}
	return path;
}

/** bandPath returns the outline of each unbroken part of a band. */
function bandPath(mark, x, y) {
	let path = "", upper = [], lower = [];
	const close = () => {
		if (upper.length > 1) path += `M${upper.join("L")}L${lower.reverse().join("L")}Z`;
		upper = [], lower = [];
	};
	for (let k = 0; k < mark.x.length; k++) {
		const lo = mark.lower[k], hi = mark.upper[k];
		if (!given(lo) || !given(hi) || (y.kind === "log" && !(hi > 0))) {
			close();
			continue;
		}
		const u = place(x.at(mark.x[k]));
		upper.push(`${u},${place(y.at(hi))}`);
		lower.push(`${u},${place(y.at(lo))}`);
	}
	close();
	return path;
}

/** crossPath returns the intervals of points. */
function crossPath(mark, x, y) {
	let path = "";
	for (let k = 0; k < mark.x.length; k++) {
		const u = place(x.at(mark.x[k])), v = place(y.at(mark.y[k]));
		if (given(mark.lower?.[k])) path += `M${u},${place(y.at(mark.lower[k]))}V${place(y.at(mark.upper[k]))}`;
		if (given(mark.xlower?.[k])) path += `M${place(x.at(mark.xlower[k]))},${v}H${place(x.at(mark.xupper[k]))}`;
	}
	return path;
}

// The layout of a chart.

/** layoutOf places the frame, the axes and the names of a chart. */
function layoutOf(spec) {
	const {width, marks} = spec;
	const stretching = marks.filter(m => !m.free && m.kind !== "guide");
	const gather = (kinds, ...members) => stretching.filter(m => kinds(m)).flatMap(m => members.flatMap(name => m[name] ?? []));
	const firm = m => m.kind !== "band" && !m.faint;
	const x = axisScale(spec.x, gather(firm, "x"), gather(() => true, "x", "xlower", "xupper"));
	const y = axisScale(spec.y, gather(firm, "y"), gather(m => m.kind !== "step" || !m.faint, "y", "lower", "upper"));

	const named = marks.filter(m => m.name && !m.faint && m.kind !== "band" && m.kind !== "guide" && !m.unnamed);
	fit(y, spec.height - 38, 26);
	const ends = spec.legend === true && width >= 560 ? endsOf(named, x, y, 26, spec.height - 38) : [];
	const legend = legendRows(ends.length > 0 || !spec.legend ? [] : spec.legend === true ? named : spec.legend, width);
	const height = spec.height + legend.height, top = 26 + legend.height, bottom = height - 38;
	fit(y, bottom, top);
	const yticks = ticksOf(y, 20);
	const longest = Math.min(0.26 * width, Math.max(0, ...ends.map(e => textWidth(e.mark.name))));
	const right = spec.margins?.right ?? (ends.length > 0 ? 46 + longest : 14);
	const left = spec.margins?.left ?? Math.max(30, 12 + Math.max(...yticks.map(t => textWidth(t.text))));
	fit(x, left, width - right);
	return {
		x, y, xticks: ticksOf(x, spec.x.scale === "linear" ? 50 : 42), yticks, legend, ends, height,
		frame: {left, right: width - right, top, bottom}, margins: {left, right},
	};
}

/** endsOf returns places for the names of lines at their ends. There are none if names
    are too many for the height, or many of them far from their lines. */
function endsOf(lines, x, y, top, bottom) {
	if (lines.some(m => m.kind === "points") || lines.length * 14 > bottom - top) return [];
	const all = lines.map(mark => {
		let k = mark.x.length - 1;
		while (k >= 0 && !shownAt(mark, k, x, y)) k--;
		return {mark, at: k < 0 ? bottom : Math.min(bottom, Math.max(top, y.at(mark.y[k])))};
	}).sort((a, b) => a.at - b.at);
	const places = spread(all.map(e => e.at), 14, top, bottom);
	const far = all.some((e, k) => Math.abs(places[k] - e.at) > 50);
	return far && lines.length > 8 ? [] : all.map((e, k) => ({...e, place: places[k]}));
}

/** legendRows breaks the items of a legend into rows. */
function legendRows(items, width) {
	const placed = [];
	let x = 0, y = 0;
	for (const item of items) {
		const text = shorten(item.name, width - 40), length = textWidth(text) + 46;
		if (x > 0 && x + length > width) [x, y] = [0, y + 17];
		placed.push({item, text, x, y});
		x += length;
	}
	return {placed, height: placed.length > 0 ? y + 24 : 0};
}

/** chart draws a chart. Its legend is true (names at the ends of lines where there is
    room), false, or a list of marks; it adds to the height. onpick is called with the key of a point. */
function chart(spec) {
	const lay = layoutOf(spec), {width} = spec, {height} = lay, id = `chart-${++chart.count}`;
	const svg = svgNode("svg", {
		class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: 0,
		"aria-labelledby": `${id}-title ${id}-desc`, "font-family": chartFont, "font-size": 11, fill: chartColours.ink,
	});
	svg.append(
		svgNode("title", {id: `${id}-title`}, spec.title), svgNode("desc", {id: `${id}-desc`}, spec.description ?? ""),
		svgNode("clipPath", {id: `${id}-clip`}, frameRect(lay.frame, 1)),
		drawLegend(lay.legend), drawAxes(spec, lay),
	);
	const clipped = svgNode("g", {"clip-path": `url(#${id}-clip)`, fill: "none", "stroke-linejoin": "round"});
	const names = svgNode("g"), free = svgNode("g"), lines = new Map();
	for (const kind of ["band", "faint", "guide", "line"]) {
		for (const mark of spec.marks) {
			const layer = mark.kind === "band" || mark.kind === "guide" ? mark.kind : mark.faint ? "faint" : "line";
			if (layer === kind) drawMark(mark, lay, clipped, free, lines);
		}
	}
	svg.append(clipped, names, free);
	drawGuideNames(spec.marks, lay, names);
	drawPointNames(spec.marks, lay, names);
	drawEnds(lay, svg);
	if (spec.marks.length === 0) {
		svg.append(svgNode("text", {x: (lay.frame.left + lay.frame.right) / 2, y: (lay.frame.top + lay.frame.bottom) / 2, "text-anchor": "middle", fill: chartColours.muted}, "nothing to draw"));
	}
	svg.margins = lay.margins;
	attend(svg, spec, lay, lines);
	return svg;
}
chart.count = 0;

/** frameRect is the rectangle of a frame, larger by a margin. */
function frameRect(frame, margin, attributes) {
	return svgNode("rect", {
		x: frame.left - margin, y: frame.top - margin,
		width: frame.right - frame.left + 2 * margin, height: frame.bottom - frame.top + 2 * margin, ...attributes,
	});
}

/** drawAxes draws grid, ticks and the names of the axes. */
function drawAxes(spec, lay) {
	const {frame} = lay, node = svgNode("g", {class: "chart-axes"});
	let grid = "", zero = "", marks = "";
	const words = svgNode("g", {fill: chartColours.muted});
	for (const t of lay.xticks) {
		const u = place(lay.x.at(t.value));
		if (t.text) {
			grid += `M${u},${frame.top}V${frame.bottom}`;
			words.append(svgWords(t.text, {x: u, y: frame.bottom + 16, "text-anchor": "middle"}));
		}
		marks += `M${u},${frame.bottom}v${t.text ? 5 : 3}`;
	}
	for (const t of lay.yticks) {
		const v = place(lay.y.at(t.value));
		if (t.text) {
			if (t.value === 0 && lay.y.lo < 0) zero += `M${frame.left},${v}H${frame.right}`;
			else grid += `M${frame.left},${v}H${frame.right}`;
			words.append(svgWords(t.text, {x: frame.left - 8, y: v + 3.8, "text-anchor": "end"}));
		}
		marks += `M${frame.left},${v}h${t.text ? -5 : -3}`;
	}
	if (lay.x.kind !== "log" && lay.x.lo < 0 && lay.x.hi > 0) zero += `M${place(lay.x.at(0))},${frame.top}V${frame.bottom}`;
	node.append(
		svgNode("path", {d: grid, stroke: chartColours.grid, fill: "none"}),
		svgNode("path", {d: zero + marks + `M${frame.left},${frame.top}V${frame.bottom}H${frame.right}`, stroke: chartColours.axis, fill: "none"}),
		words,
		svgWords(shorten(axisName(spec.y, lay.y), frame.right - 4), {x: 2, y: frame.top - 11, "font-weight": 600}),
		svgWords(axisName(spec.x, lay.x), {x: frame.right, y: frame.bottom + 33, "text-anchor": "end", "font-weight": 600}),
	);
	return node;
}

/** axisName is the name of an axis, with the linear part of a symlog one. */
function axisName(axis, scale) {
	return axis.scale === "symlog" ? `${axis.label}  (linear within ±${numberText(scale.threshold)})` : axis.label;
}

/** drawLegend draws the rows of a legend. */
function drawLegend(legend) {
	const node = svgNode("g", {class: "chart-legend"});
	for (const {item, text, x, y} of legend.placed) {
		const row = svgNode("g", {transform: `translate(${x + 2},${y + 9})`}, sample(item));
		row.append(svgNode("text", {x: 28, y: 3.8}, text));
		node.append(row);
	}
	return node;
}

/** drawMark draws a mark: lines into what is clipped by the frame, markers on top. */
function drawMark(mark, {x, y}, clipped, free, lines) {
	const look = lookOf(mark);
	if (mark.kind === "band") {
		clipped.append(svgNode("path", {d: bandPath(mark, x, y), fill: look.colour, "fill-opacity": 0.14}));
		return;
	}
	if (mark.kind === "points") {
		clipped.append(svgNode("path", {d: crossPath(mark, x, y), stroke: look.colour, "stroke-width": 1.2, "stroke-opacity": mark.whiskers ?? 0.45}));
		for (let k = 0; k < mark.x.length; k++) {
			if (shownAt(mark, k, x, y) && x.shows(mark.x[k]) && y.shows(mark.y[k])) free.append(marker(look, x.at(mark.x[k]), y.at(mark.y[k]), mark.size ?? 4.5));
		}
		return;
	}
	const line = svgNode("path", {
		d: linePath(mark, x, y), stroke: look.colour, "stroke-dasharray": mark.faint ? mark.dash : look.dash,
		"stroke-width": mark.width ?? (mark.faint ? 0.8 : mark.kind === "guide" ? 1.2 : 1.8), "stroke-opacity": mark.faint ? mark.opacity ?? 0.4 : 1,
	});
	clipped.append(line);
	if (mark.faint || mark.kind === "guide") return;
	lines.set(mark, line);
	if (mark.kind !== "line" || mark.plain) return;
	let before = -40 - 9 * ((mark.style ?? 0) % 5); // markers of several lines are apart
	for (let k = 0; k < mark.x.length; k++) {
		const u = x.at(mark.x[k]);
		if (u - before < 64 || !shownAt(mark, k, x, y) || !y.shows(mark.y[k]) || !x.shows(mark.x[k])) continue;
		free.append(marker(look, u, y.at(mark.y[k]), 3));
		before = u;
	}
}

/** spread moves labels apart that are sorted by their places, within an interval. */
function spread(places, gap, from, to) {
	const out = places.slice();
	for (let k = 0; k < out.length; k++) out[k] = Math.max(out[k], k > 0 ? out[k - 1] + gap : from);
	for (let k = out.length - 1; k >= 0; k--) out[k] = Math.min(out[k], k < out.length - 1 ? out[k + 1] - gap : to);
	return out;
}

/** drawEnds names lines at the right of the frame. */
function drawEnds({ends, frame, margins}, svg) {
	for (const {mark, at, place: to} of ends) {
		const v = place(to), row = svgNode("g", {transform: `translate(${place(frame.right + 14)},${v})`}, sample(mark));
		row.append(svgNode("text", {x: 27, y: 3.8}, shorten(mark.name, margins.right - 44)));
		svg.append(svgNode("path", {d: `M${place(frame.right + 2)},${place(at)}L${place(frame.right + 13)},${v}`, stroke: lookOf(mark).colour, "stroke-width": 0.8, fill: "none"}), row);
	}
}

/** haloed is a text that is legible on lines. */
function haloed(text, attributes) {
	const halo = {"aria-hidden": "true", stroke: chartColours.ground, "stroke-width": 3.5, "stroke-linejoin": "round"};
	return svgNode("g", {}, svgWords(text, {...attributes, ...halo}), svgWords(text, attributes));
}

/** overlap is the area that two boxes share. */
function overlap(a, b) {
	const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
	if (w <= 0) return 0;
	return w * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));
}

/** inside tells whether a box is within a frame. */
function inside(box, frame) {
	return box.x >= frame.left && box.x + box.w <= frame.right && box.y >= frame.top && box.y + box.h <= frame.bottom;
}

/** drawGuideNames writes labels at guides and plain lines where they hide least. */
function drawGuideNames(marks, {x, y, frame}, node) {
	const taken = [];
	if (!marks.some(m => m.label && m.kind !== "points")) return;
	for (const mark of marks) {
		if (mark.kind !== "points" && !mark.faint && mark.kind !== "band" && mark.kind !== "guide") {
			mark.x.forEach((v, k) => shownAt(mark, k, x, y) && taken.push({x: x.at(v) - 5, y: y.at(mark.y[k]) - 3, w: 10, h: 6, soft: true}));
		}
	}
	for (const mark of marks) {
		if (!mark.label || mark.kind === "points") continue;
		let best;
		for (let k = 0; k < mark.x.length; k += Math.ceil(mark.x.length / 12)) {
			if (!shownAt(mark, k, x, y)) continue;
			for (const dy of [-13, 3]) {
				const box = {x: x.at(mark.x[k]) + 2, y: y.at(mark.y[k]) + dy, w: textWidth(mark.label, 600) + 4, h: 12};
				if (!inside(box, frame) || taken.some(b => !b.soft && overlap(b, box) > 0)) continue;
				const cost = taken.reduce((sum, b) => sum + overlap(b, box), 0) + 2 * k / mark.x.length;
				if (!best || cost < best.cost) best = {box, cost};
			}
		}
		if (!best) continue;
		taken.push(best.box);
		node.append(haloed(mark.label, {x: place(best.box.x + 2), y: place(best.box.y + 9.5), fill: lookOf(mark).colour, "font-weight": 600}));
	}
}

/** drawPointNames writes names beside points: the first ones, and others with room. */
function drawPointNames(marks, {x, y, frame}, node) {
	const points = marks.filter(m => m.kind === "points" && m.label && shownAt(m, 0, x, y));
	const taken = points.map(m => ({x: x.at(m.x[0]) - 6, y: y.at(m.y[0]) - 6, w: 12, h: 12}));
	const bars = [...points.flatMap(m => crossBoxes(m, x, y)), ...marks.filter(m => m.kind === "step").flatMap(m => stepBoxes(m, x, y))];
	for (const mark of points.slice().sort((a, b) => (b.first ? 1 : 0) - (a.first ? 1 : 0))) {
		const u = x.at(mark.x[0]), v = y.at(mark.y[0]), w = textWidth(mark.label, mark.first ? 600 : 400) + 2;
		let best;
		for (const [far, r] of [[0, 8], [1, 16], [2, 28], [3, 44]]) {
			for (const [dx, dy] of [[1, 0], [-1, 0], [0.7, -0.8], [0.7, 0.8], [-0.7, -0.8], [-0.7, 0.8], [0, -1], [0, 1]]) {
				const box = {x: u + dx * r - w * (1 - Math.sign(dx)) / 2, y: v + dy * (r + 3) - 6, w, h: 12, dx, dy, far};
				if (!inside(box, frame) || taken.some(b => overlap(b, box) > 0)) continue;
				const cost = 30 * far + bars.reduce((sum, b) => sum + overlap(b, box), 0);
				if (!best || cost < best.cost) best = {...box, cost};
			}
		}
		if (!best || (!mark.first && best.far > 2)) continue;
		taken.push(best);
		const middle = best.x + w / 2, anchor = best.dx > 0 ? best.x : best.dx < 0 ? best.x + w : middle;
		if (best.far > 0) node.append(svgNode("path", {d: `M${place(u)},${place(v)}L${place(anchor)},${place(best.y + 6)}`, stroke: chartColours.axis, "stroke-width": 0.8}));
		node.append(haloed(mark.label, {x: place(best.x + 1), y: place(best.y + 9.8), fill: mark.first ? chartColours.ink : chartColours.muted, "font-weight": mark.first ? 600 : ""}));
	}
}

/** crossBoxes returns the boxes of the intervals of a point. */
function crossBoxes(mark, x, y) {
	const boxes = [], u = x.at(mark.x[0]), v = y.at(mark.y[0]);
	if (given(mark.lower?.[0])) boxes.push({x: u - 1, y: place(y.at(mark.upper[0])), w: 2, h: place(y.at(mark.lower[0])) - place(y.at(mark.upper[0]))});
	if (given(mark.xlower?.[0])) boxes.push({x: place(x.at(mark.xlower[0])), y: v - 1, w: place(x.at(mark.xupper[0])) - place(x.at(mark.xlower[0])), h: 2});
	return boxes;
}

/** stepBoxes returns the boxes of the level parts of steps. */
function stepBoxes(mark, x, y) {
	const boxes = [];
	for (let k = 1; k < mark.x.length; k++) {
		const from = place(x.at(mark.x[k - 1])), v = place(y.at(mark.y[k - 1]));
		boxes.push({x: from, y: v - 1, w: place(x.at(mark.x[k])) - from, h: 2});
	}
	return boxes;
}

/** svgText returns charts, one below the other, as one SVG on white paper that needs
    nothing else: every variable is replaced by its fallback. */
function svgText(...charts) {
	const width = Math.max(...charts.map(c => c.viewBox.baseVal.width));
	const all = svgNode("svg", {width});
	let height = 0;
	for (const c of charts) {
		const copy = c.cloneNode(true);
		for (const node of copy.querySelectorAll(".chart-over")) node.remove();
		for (const name of ["class", "tabindex"]) copy.removeAttribute(name);
		copy.setAttribute("y", height);
		height += c.viewBox.baseVal.height;
		all.append(copy);
	}
	all.setAttribute("height", height);
	all.setAttribute("viewBox", `0 0 ${width} ${height}`);
	all.prepend(svgNode("rect", {width, height, fill: "#ffffff"}));
	for (const node of all.querySelectorAll("*")) {
		for (const {name, value} of [...node.attributes]) {
			const variable = value.match(/^var\(--[\w-]+, (.+)\)$/);
			if (variable) node.setAttribute(name, variable[1]);
		}
	}
	return new XMLSerializer().serializeToString(all);
}
