// A chart is one SVG with axes, a light grid, marks and their names. A tooltip reads the values off
// it. It knows nothing of experiments, and computes nothing but places. Drawn are, from below: the
// legend, the axes with the grid, bands, faint lines, guides, lines, the names of guides and of
// points, markers, and the names at the ends of lines.
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
	const look = lookOf(mark);
	const node = svgNode("g");
	if (mark.kind !== "points") {
		node.append(
			svgNode("path", {
				d: "M0,0H22",
				fill: "none",
				stroke: look.colour,
				"stroke-width": mark.kind === "guide" ? 1.2 : 1.8,
				"stroke-dasharray": look.dash,
			}),
		);
	}
	if (mark.kind === "points" || (mark.kind === "line" && !mark.plain)) {
		node.append(marker(look, 11, 0, mark.kind === "points" ? 4.5 : 3));
	}
	return node;
}

// shownAt tells whether a point of a mark has a place on the axes.
function shownAt(mark, k, x, y) {
	return (
		isNumber(mark.x[k]) &&
		isNumber(mark.y[k]) &&
		(x.kind !== "log" || mark.x[k] > 0) &&
		(y.kind !== "log" || mark.y[k] > 0)
	);
}

// linePath returns the path of a line, or of steps that hold a value until the next.
function linePath(mark, x, y) {
	let path = "";
	let open = false;
	let before = 0;
	for (let k = 0; k < mark.x.length; k++) {
		if (!shownAt(mark, k, x, y)) {
			open = false;
			continue;
		}
		const px = x.at(mark.x[k]);
		const py = y.at(mark.y[k]);
		if (open && mark.kind === "step") {
			path += `V${pixel(before)}H${pixel(px)}V${pixel(py)}`;
		} else {
			path += `${open ? "L" : "M"}${pixel(px)},${pixel(py)}`;
		}
		open = true;
		before = py;
	}
	return path;
}

// bandPath returns the outline of each unbroken part of a band.
function bandPath(mark, x, y) {
	let path = "";
	let upper = [];
	let lower = [];
	const close = () => {
		if (upper.length > 1) path += `M${upper.join("L")}L${lower.reverse().join("L")}Z`;
		upper = [];
		lower = [];
	};
	for (let k = 0; k < mark.x.length; k++) {
		const lo = mark.lower[k];
		const hi = mark.upper[k];
		if (!isNumber(lo) || !isNumber(hi) || (y.kind === "log" && !(hi > 0))) {
			close();
			continue;
		}
		const px = pixel(x.at(mark.x[k]));
		upper.push(`${px},${pixel(y.at(hi))}`);
		lower.push(`${px},${pixel(y.at(lo))}`);
	}
	close();
	return path;
}

// crossPath returns the path of the intervals of points, a cross for each point.
function crossPath(mark, x, y) {
	let path = "";
	for (let k = 0; k < mark.x.length; k++) {
		const px = pixel(x.at(mark.x[k]));
		const py = pixel(y.at(mark.y[k]));
		if (isNumber(mark.lower?.[k])) {
			path += `M${px},${pixel(y.at(mark.lower[k]))}V${pixel(y.at(mark.upper[k]))}`;
		}
		if (isNumber(mark.xlower?.[k])) {
			path += `M${pixel(x.at(mark.xlower[k]))},${py}H${pixel(x.at(mark.xupper[k]))}`;
		}
	}
	return path;
}

// The heights above and below the frame of a chart, for the names of its axes and the ticks.
const [chartTop, chartBottom] = [26, 38];

// axesOf returns the scales of the two axes. Means and points have their place on them; bands,
// intervals and faint lines stretch them by a limited length, see axisScale, and guides and free
// marks do not.
function axesOf(spec) {
	const stretching = spec.marks.filter(mark => !mark.free && mark.kind !== "guide");
	const main = stretching.filter(mark => mark.kind !== "band" && !mark.faint);
	const gather = (marks, ...members) =>
		marks.flatMap(mark => members.flatMap(member => mark[member] ?? []));
	return {
		x: axisScale(spec.x, gather(main, "x"), gather(stretching, "x", "xlower", "xupper")),
		y: axisScale(spec.y, gather(main, "y"), gather(stretching, "y", "lower", "upper")),
	};
}

// isNamedMark tells whether a mark has a name at the end of its line, or in the legend.
function isNamedMark(mark) {
	if (mark.kind === "band" || mark.kind === "guide") return false;
	return Boolean(mark.name) && !mark.faint && !mark.unnamed;
}

// widestName returns the width of the longest name of marks in pixels, 0 without any.
function widestName(marks) {
	return Math.max(0, ...marks.map(mark => textWidth(mark.name)));
}

// endNamesOf returns the names at the ends of lines, with their places. These are the names of the
// keys spec.ends, cut to a third of the width; or all names, if the chart has a legend and is wide;
// else none.
function endNamesOf(spec, named, x, y) {
	const bottom = spec.height - chartBottom;
	if (spec.ends) {
		const chosen = named.filter(mark => spec.ends.has(mark.key));
		const room = Math.floor(0.34 * spec.width);
		return endLabels(chosen, x, y, chartTop, bottom).map(end => ({
			...end,
			name: shorten(end.mark.name, room),
		}));
	}
	if (!spec.legend || spec.width < 560 || widestName(named) > 0.3 * spec.width) return [];
	return endLabels(named, x, y, chartTop, bottom).map(end => ({ ...end, name: end.mark.name }));
}

// rightMargin returns the room beside the frame for the names at the ends of lines.
function rightMargin(spec, named, ends) {
	if (ends.length === 0) return 14;
	if (spec.ends) return 20 + Math.max(...ends.map(end => textWidth(end.name, 600)));
	return 46 + widestName(named);
}

// layoutOf places the frame, the axes and the names of a chart. The vertical axis is laid out
// twice: whether names have room at the ends of lines decides how high the legend above the frame
// is.
function layoutOf(spec) {
	const { width } = spec;
	const { x, y } = axesOf(spec);
	const named = spec.marks.filter(isNamedMark);

	layOutScale(y, spec.height - chartBottom, chartTop);
	const ends = endNamesOf(spec, named, x, y);
	const legend = legendRows(ends.length > 0 || !spec.legend ? [] : named, width);

	const height = spec.height + legend.height;
	const top = chartTop + legend.height;
	const bottom = height - chartBottom;
	layOutScale(y, bottom, top);
	const yticks = ticksOf(y, 20);
	const widestTick = Math.max(...yticks.map(tick => wordsWidth(tick.text)));

	const left = spec.margins?.left ?? Math.max(30, 12 + widestTick);
	const right = spec.margins?.right ?? rightMargin(spec, named, ends);
	layOutScale(x, left, width - right);
	return {
		x,
		y,
		xticks: bottomTicks(x),
		yticks,
		legend,
		ends,
		height,
		frame: { left, right: width - right, top, bottom },
		margins: { left, right },
	};
}

// bottomTicks returns the ticks of an axis along the bottom, with so much between labels that they
// do not touch.
function bottomTicks(x) {
	for (let gap = x.kind === "linear" ? 50 : 42; ; gap *= 1.4) {
		const ticks = ticksOf(x, gap);
		if (gap > 400 || labelsAreApart(x, ticks)) return ticks;
	}
}

// labelsAreApart tells whether at least 6 pixels are between neighbouring labels of a horizontal
// axis.
function labelsAreApart(x, ticks) {
	const labelled = ticks.filter(tick => tick.text);
	labelled.sort((a, b) => x.at(a.value) - x.at(b.value));
	let end = -Infinity; // of the label before
	for (const tick of labelled) {
		const half = wordsWidth(tick.text) / 2;
		if (x.at(tick.value) - half < end + 6) return false;
		end = x.at(tick.value) + half;
	}
	return true;
}

// layers has the layers of the marks in a frame, from the bottom to the top.
const layers = ["band", "faint", "guide", "line"];

// layerOf returns the layer that a mark is drawn in.
function layerOf(mark) {
	if (mark.kind === "band" || mark.kind === "guide") return mark.kind;
	return mark.faint ? "faint" : "line";
}

// chart draws a chart. With a legend, lines are named at their ends where there is room, and else
// in rows above the frame, which add to the height. In place of a legend, ends is a set of keys
// whose lines are named at their ends, also where there is little room. onpick is called with the
// key of a point, onnear with that of the line that is pointed at, or undefined, and empty is
// written where there are no marks.
function chart(spec) {
	const lay = layoutOf(spec);
	const { width } = spec;
	const { height } = lay;
	const id = `chart-${++chart.count}`;
	const svg = svgNode("svg", {
		class: "chart",
		viewBox: `0 0 ${width} ${height}`,
		width,
		height,
		role: "img",
		tabindex: 0,
		"aria-labelledby": `${id}-title ${id}-desc`,
		"font-family": chartFont,
		"font-size": 11,
		fill: chartColours.ink,
	});
	svg.append(
		svgNode("title", { id: `${id}-title` }, spec.title),
		svgNode("desc", { id: `${id}-desc` }, spec.description ?? ""),
		svgNode("clipPath", { id: `${id}-clip` }, frameRect(lay.frame, 1)),
		drawLegend(lay.legend),
		drawAxes(spec, lay),
	);
	const clipped = svgNode("g", {
		"clip-path": `url(#${id}-clip)`,
		fill: "none",
		"stroke-linejoin": "round",
	});
	const names = svgNode("g");
	const free = svgNode("g");
	const lines = new Map();
	for (const layer of layers) {
		for (const mark of spec.marks) {
			if (layerOf(mark) === layer) drawMark(mark, lay, clipped, free, lines);
		}
	}
	svg.append(clipped, names, free);
	drawGuideNames(spec.marks, lay, names);
	drawPointNames(spec.marks, lay, names);
	drawEnds(lay, svg, !spec.ends);
	if (spec.marks.length === 0) {
		const words = shorten(spec.empty ?? "nothing to draw", lay.frame.right - lay.frame.left);
		svg.append(
			svgNode(
				"text",
				{
					x: (lay.frame.left + lay.frame.right) / 2,
					y: (lay.frame.top + lay.frame.bottom) / 2,
					"text-anchor": "middle",
					fill: chartColours.muted,
				},
				words,
			),
		);
	}
	svg.margins = lay.margins;
	listenToChart(svg, spec, lay, lines);
	return svg;
}
chart.count = 0;

// frameRect makes the rectangle of a frame, larger by a margin.
function frameRect(frame, margin, attributes) {
	return svgNode("rect", {
		x: frame.left - margin,
		y: frame.top - margin,
		width: frame.right - frame.left + 2 * margin,
		height: frame.bottom - frame.top + 2 * margin,
		...attributes,
	});
}

// drawAxes draws grid, ticks and the names of the axes.
function drawAxes(spec, lay) {
	const { frame } = lay;
	const node = svgNode("g", { class: "chart-axes" });
	let grid = "";
	let zero = "";
	let marks = "";
	const words = svgNode("g", { fill: chartColours.muted });
	for (const tick of lay.xticks) {
		const px = pixel(lay.x.at(tick.value));
		if (tick.text) {
			grid += `M${px},${frame.top}V${frame.bottom}`;
			words.append(svgWords(tick.text, { x: px, y: frame.bottom + 16, "text-anchor": "middle" }));
		}
		marks += `M${px},${frame.bottom}v${tick.text ? 5 : 3}`;
	}
	for (const tick of lay.yticks) {
		const py = pixel(lay.y.at(tick.value));
		if (tick.text) {
			if (tick.value === 0 && lay.y.lo < 0) {
				zero += `M${frame.left},${py}H${frame.right}`;
			} else {
				grid += `M${frame.left},${py}H${frame.right}`;
			}
			words.append(svgWords(tick.text, { x: frame.left - 8, y: py + 3.8, "text-anchor": "end" }));
		}
		marks += `M${frame.left},${py}h${tick.text ? -5 : -3}`;
	}
	if (lay.x.kind !== "log" && lay.x.lo < 0 && lay.x.hi > 0) {
		zero += `M${pixel(lay.x.at(0))},${frame.top}V${frame.bottom}`;
	}
	node.append(
		svgNode("path", { d: grid, stroke: chartColours.grid, fill: "none" }),
		svgNode("path", {
			d: zero + marks + `M${frame.left},${frame.top}V${frame.bottom}H${frame.right}`,
			stroke: chartColours.axis,
			fill: "none",
		}),
		words,
		svgWords(shorten(axisName(spec.y, lay.y), frame.right - 4), {
			x: 2,
			y: frame.top - 11,
			"font-weight": 600,
		}),
		svgWords(shorten(axisName(spec.x, lay.x), frame.right - 4), {
			x: frame.right,
			y: frame.bottom + 33,
			"text-anchor": "end",
			"font-weight": 600,
		}),
	);
	return node;
}

// axisName writes the name of an axis; that of a symlog axis says where it is linear.
function axisName(axis, scale) {
	return axis.scale === "symlog"
		? `${axis.label}  (linear within ±${numberText(scale.threshold)})`
		: axis.label;
}

// drawLegend draws the rows of a legend.
function drawLegend(legend) {
	const node = svgNode("g", { class: "chart-legend" });
	for (const { item, text, x, y } of legend.placed) {
		const row = svgNode("g", { transform: `translate(${x + 2},${y + 9})` }, drawSample(item));
		row.append(svgNode("text", { x: 28, y: 3.8 }, text));
		node.append(row);
	}
	return node;
}

// drawMark draws a mark: lines and bands into clipped, which the frame cuts, and markers into free,
// on top. It adds the path of a named line to lines, by its mark.
function drawMark(mark, { x, y }, clipped, free, lines) {
	const look = lookOf(mark);
	if (mark.kind === "band") {
		clipped.append(
			svgNode("path", {
				d: bandPath(mark, x, y),
				fill: look.colour,
				"fill-opacity": 0.14,
				"data-key": mark.key,
			}),
		);
		return;
	}
	if (mark.kind === "points") {
		clipped.append(
			svgNode("path", {
				d: crossPath(mark, x, y),
				stroke: look.colour,
				"stroke-width": 1.2,
				"stroke-opacity": mark.whiskers ?? 0.45,
			}),
		);
		for (let k = 0; k < mark.x.length; k++) {
			if (shownAt(mark, k, x, y) && x.shows(mark.x[k]) && y.shows(mark.y[k])) {
				free.append(marker(look, x.at(mark.x[k]), y.at(mark.y[k]), mark.size ?? 4.5));
			}
		}
		return;
	}
	const line = svgNode("path", {
		d: linePath(mark, x, y),
		stroke: look.colour,
		"stroke-dasharray": mark.faint ? mark.dash : look.dash,
		"stroke-width": mark.width ?? usualWidth(mark),
		"stroke-opacity": mark.faint ? (mark.opacity ?? 0.4) : 1,
		"data-key": mark.key,
	});
	clipped.append(line);
	if (mark.faint || mark.kind === "guide") return;
	lines.set(mark, line);
	if (mark.kind !== "line" || mark.plain) return;
	let before = -Infinity;
	for (let k = 0; k < mark.x.length; k++) {
		const px = x.at(mark.x[k]);
		if (px - before < 64 || !shownAt(mark, k, x, y) || !y.shows(mark.y[k]) || !x.shows(mark.x[k])) {
			continue;
		}
		free.append(withKey(marker(look, px, y.at(mark.y[k]), 3), mark));
		before = px;
	}
}

// usualWidth returns the width of the line of a mark that has no width of its own.
function usualWidth(mark) {
	if (mark.faint) return 0.8;
	return mark.kind === "guide" ? 1.2 : 1.8;
}

// withKey gives a node of a mark the mark's key, and returns the node.
function withKey(node, { key }) {
	if (key) node.setAttribute("data-key", key);
	return node;
}

// drawEnds names lines at the right of the frame, with samples or without.
function drawEnds({ ends, frame }, svg, samples) {
	for (const { mark, name, at, place: to } of ends) {
		const py = pixel(to);
		const row = withKey(
			svgNode("g", { transform: `translate(${pixel(frame.right + 14)},${py})` }),
			mark,
		);
		if (samples) row.append(drawSample(mark));
		row.append(svgNode("text", { x: samples ? 27 : 2, y: 3.8 }, name));
		svg.append(
			withKey(
				svgNode("path", {
					d: `M${pixel(frame.right + 2)},${pixel(at)}L${pixel(frame.right + 13)},${py}`,
					stroke: lookOf(mark).colour,
					"stroke-width": 0.8,
					fill: "none",
				}),
				mark,
			),
			row,
		);
	}
}
