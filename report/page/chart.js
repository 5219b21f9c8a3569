// A chart is one SVG with axes, a light grid, marks and their names. A tooltip reads the
// values off it. It knows nothing of experiments, and computes nothing but places.
//
//	AXIS = {label, short?, scale: "log"|"symlog"|"linear", domain?: [lo, hi]}
//	MARK = {kind: "line"|"band"|"points"|"step"|"guide", key, name, style, x, y}
//
// A band has lower and upper, points may have these and xlower and xupper. Infinite ends reach the
// frame; null and NaN break a line. Further members of a mark: label is written at it, faint lines
// are thin and not in the tooltip, a free mark does not stretch the axes, first tells which labels
// of points are placed first, colour, dash, shape and hollow replace those of the style, and note
// is a line of the tooltip. The nodes of a mark have its key as data-key.

// drawSample draws what a mark looks like in a legend, 22 pixels wide around (11, 0).
function drawSample(mark) {
	const look = lookOf(mark), node = svgNode("g");
	if (mark.kind !== "points") {
		node.append(svgNode("path", {d: "M0,0H22", fill: "none", stroke: look.colour, "stroke-width": mark.kind === "guide" ? 1.2 : 1.8, "stroke-dasharray": look.dash}));
	}
	if (mark.kind === "points" || (mark.kind === "line" && !mark.plain)) node.append(marker(look, 11, 0, mark.kind === "points" ? 4.5 : 3));
	return node;
}

// shownAt tells whether a point of a mark has a place on the axes.
function shownAt(mark, k, x, y) {
	return isNumber(mark.x[k]) && isNumber(mark.y[k]) && (x.kind !== "log" || mark.x[k] > 0) && (y.kind !== "log" || mark.y[k] > 0);
}

// linePath returns the path of a line, or of steps that hold a value until the next.
function linePath(mark, x, y) {
	let path = "", open = false, before = 0;
	for (let k = 0; k < mark.x.length; k++) {
		if (!shownAt(mark, k, x, y)) {
			open = false;
			continue;
		}
		const u = x.at(mark.x[k]), v = y.at(mark.y[k]);
		if (open && mark.kind === "step") path += `V${pixel(before)}H${pixel(u)}V${pixel(v)}`;
		else path += `${open ? "L" : "M"}${pixel(u)},${pixel(v)}`;
		open = true;
		before = v;
	}
	return path;
}

// bandPath returns the outline of each unbroken part of a band.
function bandPath(mark, x, y) {
	let path = "", upper = [], lower = [];
	const close = () => {
		if (upper.length > 1) path += `M${upper.join("L")}L${lower.reverse().join("L")}Z`;
		upper = [], lower = [];
	};
	for (let k = 0; k < mark.x.length; k++) {
		const lo = mark.lower[k], hi = mark.upper[k];
		if (!isNumber(lo) || !isNumber(hi) || (y.kind === "log" && !(hi > 0))) {
			close();
			continue;
		}
		const u = pixel(x.at(mark.x[k]));
		upper.push(`${u},${pixel(y.at(hi))}`);
		lower.push(`${u},${pixel(y.at(lo))}`);
	}
	close();
	return path;
}

// crossPath returns the path of the intervals of points, a cross for each point.
function crossPath(mark, x, y) {
	let path = "";
	for (let k = 0; k < mark.x.length; k++) {
		const u = pixel(x.at(mark.x[k])), v = pixel(y.at(mark.y[k]));
		if (isNumber(mark.lower?.[k])) path += `M${u},${pixel(y.at(mark.lower[k]))}V${pixel(y.at(mark.upper[k]))}`;
		if (isNumber(mark.xlower?.[k])) path += `M${pixel(x.at(mark.xlower[k]))},${v}H${pixel(x.at(mark.xupper[k]))}`;
	}
	return path;
}

// The heights above and below the frame of a chart, for the names of its axes and the ticks.
const [chartTop, chartBottom] = [26, 38];

// layoutOf places the frame, the axes and the names of a chart. The vertical axis is laid out twice:
// whether names have room at the ends of lines decides how high the legend above the frame is.
function layoutOf(spec) {
	const {width, marks} = spec;
	const stretching = marks.filter(m => !m.free && m.kind !== "guide");
	const gather = (isTaken, ...members) => stretching.filter(m => isTaken(m)).flatMap(m => members.flatMap(name => m[name] ?? []));
	const isMain = m => m.kind !== "band" && !m.faint;
	const x = axisScale(spec.x, gather(isMain, "x"), gather(() => true, "x", "xlower", "xupper"));
	const y = axisScale(spec.y, gather(isMain, "y"), gather(() => true, "y", "lower", "upper"));

	const named = marks.filter(m => m.name && !m.faint && m.kind !== "band" && m.kind !== "guide" && !m.unnamed);
	layOutScale(y, spec.height - chartBottom, chartTop);
	const longest = Math.max(0, ...named.map(m => textWidth(m.name)));
	const room = Math.floor(0.34 * width); // for the names of a narrow chart
	const ends = spec.ends ? endLabels(named.filter(m => spec.ends.has(m.key)), x, y, chartTop, spec.height - chartBottom)
		: spec.legend && width >= 560 && longest <= 0.3 * width ? endLabels(named, x, y, chartTop, spec.height - chartBottom) : [];
	for (const end of ends) end.name = spec.ends ? shorten(end.mark.name, room) : end.mark.name;
	const legend = legendRows(ends.length > 0 || !spec.legend ? [] : named, width);
	const height = spec.height + legend.height, top = chartTop + legend.height, bottom = height - chartBottom;
	layOutScale(y, bottom, top);
	const yticks = ticksOf(y, 20);
	const right = spec.margins?.right ?? (ends.length === 0 ? 14 : spec.ends ? 20 + Math.max(...ends.map(e => textWidth(e.name, 600))) : 46 + longest);
	const left = spec.margins?.left ?? Math.max(30, 12 + Math.max(...yticks.map(t => wordsWidth(t.text))));
	layOutScale(x, left, width - right);
	return {
		x, y, xticks: bottomTicks(x), yticks, legend, ends, height,
		frame: {left, right: width - right, top, bottom}, margins: {left, right},
	};
}

// bottomTicks returns the ticks of an axis along the bottom, with so much between labels that they
// do not touch.
function bottomTicks(x) {
	for (let gap = x.kind === "linear" ? 50 : 42; ; gap *= 1.4) {
		const ticks = ticksOf(x, gap), named = ticks.filter(t => t.text).sort((a, b) => x.at(a.value) - x.at(b.value));
		const half = t => wordsWidth(t.text) / 2;
		if (gap > 400 || named.every((t, k) => k === 0 || x.at(t.value) - half(t) >= x.at(named[k - 1].value) + half(named[k - 1]) + 6)) return ticks;
	}
}

// chart draws a chart. With a legend, lines are named at their ends where there is room, and else in
// rows above the frame, which add to the height. In place of a legend, ends is a set of keys whose
// lines are named at their ends, also where there is little room. onpick is called with the key of
// a point, onnear with that of the line that is pointed at, or undefined, and empty is written where
// there are no marks.
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
	drawEnds(lay, svg, !spec.ends);
	if (spec.marks.length === 0) {
		const words = shorten(spec.empty ?? "nothing to draw", lay.frame.right - lay.frame.left);
		svg.append(svgNode("text", {x: (lay.frame.left + lay.frame.right) / 2, y: (lay.frame.top + lay.frame.bottom) / 2, "text-anchor": "middle", fill: chartColours.muted}, words));
	}
	svg.margins = lay.margins;
	listenToChart(svg, spec, lay, lines);
	return svg;
}
chart.count = 0;

// frameRect makes the rectangle of a frame, larger by a margin.
function frameRect(frame, margin, attributes) {
	return svgNode("rect", {
		x: frame.left - margin, y: frame.top - margin,
		width: frame.right - frame.left + 2 * margin, height: frame.bottom - frame.top + 2 * margin, ...attributes,
	});
}

// drawAxes draws grid, ticks and the names of the axes.
function drawAxes(spec, lay) {
	const {frame} = lay, node = svgNode("g", {class: "chart-axes"});
	let grid = "", zero = "", marks = "";
	const words = svgNode("g", {fill: chartColours.muted});
	for (const t of lay.xticks) {
		const u = pixel(lay.x.at(t.value));
		if (t.text) {
			grid += `M${u},${frame.top}V${frame.bottom}`;
			words.append(svgWords(t.text, {x: u, y: frame.bottom + 16, "text-anchor": "middle"}));
		}
		marks += `M${u},${frame.bottom}v${t.text ? 5 : 3}`;
	}
	for (const t of lay.yticks) {
		const v = pixel(lay.y.at(t.value));
		if (t.text) {
			if (t.value === 0 && lay.y.lo < 0) zero += `M${frame.left},${v}H${frame.right}`;
			else grid += `M${frame.left},${v}H${frame.right}`;
			words.append(svgWords(t.text, {x: frame.left - 8, y: v + 3.8, "text-anchor": "end"}));
		}
		marks += `M${frame.left},${v}h${t.text ? -5 : -3}`;
	}
	if (lay.x.kind !== "log" && lay.x.lo < 0 && lay.x.hi > 0) zero += `M${pixel(lay.x.at(0))},${frame.top}V${frame.bottom}`;
	node.append(
		svgNode("path", {d: grid, stroke: chartColours.grid, fill: "none"}),
		svgNode("path", {d: zero + marks + `M${frame.left},${frame.top}V${frame.bottom}H${frame.right}`, stroke: chartColours.axis, fill: "none"}),
		words,
		svgWords(shorten(axisName(spec.y, lay.y), frame.right - 4), {x: 2, y: frame.top - 11, "font-weight": 600}),
		svgWords(shorten(axisName(spec.x, lay.x), frame.right - 4), {x: frame.right, y: frame.bottom + 33, "text-anchor": "end", "font-weight": 600}),
	);
	return node;
}

// axisName writes the name of an axis; that of a symlog axis says where it is linear.
function axisName(axis, scale) {
	return axis.scale === "symlog" ? `${axis.label}  (linear within ±${numberText(scale.threshold)})` : axis.label;
}

// drawLegend draws the rows of a legend.
function drawLegend(legend) {
	const node = svgNode("g", {class: "chart-legend"});
	for (const {item, text, x, y} of legend.placed) {
		const row = svgNode("g", {transform: `translate(${x + 2},${y + 9})`}, drawSample(item));
		row.append(svgNode("text", {x: 28, y: 3.8}, text));
		node.append(row);
	}
	return node;
}

// drawMark draws a mark: lines and bands into clipped, which the frame cuts, and markers into free,
// on top. It adds the path of a named line to lines, by its mark.
function drawMark(mark, {x, y}, clipped, free, lines) {
	const look = lookOf(mark);
	if (mark.kind === "band") {
		clipped.append(svgNode("path", {d: bandPath(mark, x, y), fill: look.colour, "fill-opacity": 0.14, "data-key": mark.key}));
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
		"stroke-width": mark.width ?? (mark.faint ? 0.8 : mark.kind === "guide" ? 1.2 : 1.8), "stroke-opacity": mark.faint ? mark.opacity ?? 0.4 : 1, "data-key": mark.key,
	});
	clipped.append(line);
	if (mark.faint || mark.kind === "guide") return;
	lines.set(mark, line);
	if (mark.kind !== "line" || mark.plain) return;
	let before = -Infinity;
	for (let k = 0; k < mark.x.length; k++) {
		const u = x.at(mark.x[k]);
		if (u - before < 64 || !shownAt(mark, k, x, y) || !y.shows(mark.y[k]) || !x.shows(mark.x[k])) continue;
		free.append(withKey(marker(look, u, y.at(mark.y[k]), 3), mark));
		before = u;
	}
}

// withKey gives a node of a mark the mark's key, and returns the node.
function withKey(node, {key}) {
	if (key) node.setAttribute("data-key", key);
	return node;
}

// drawEnds names lines at the right of the frame, with samples or without.
function drawEnds({ends, frame}, svg, samples) {
	for (const {mark, name, at, place: to} of ends) {
		const v = pixel(to), row = withKey(svgNode("g", {transform: `translate(${pixel(frame.right + 14)},${v})`}), mark);
		if (samples) row.append(drawSample(mark));
		row.append(svgNode("text", {x: samples ? 27 : 2, y: 3.8}, name));
		svg.append(withKey(svgNode("path", {d: `M${pixel(frame.right + 2)},${pixel(at)}L${pixel(frame.right + 13)},${v}`, stroke: lookOf(mark).colour, "stroke-width": 0.8, fill: "none"}), mark), row);
	}
}
