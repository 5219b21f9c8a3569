// The names in a chart: how wide they are, and where they hide as little as possible. These are, in
// the order of this file, names at the ends of lines, the legend, labels of guides, and names of
// points.

// The widths that were measured, by weight and text, and the canvas that measures them.
const textWidths = new Map();
let textCanvas;

// textWidth returns the width of a text of 11 px, without any layout of the page.
function textWidth(text, weight = 400) {
	const key = `${weight} ${text}`;
	if (!textWidths.has(key)) {
		textCanvas ??= document.createElement("canvas").getContext("2d");
		textCanvas.font = `${weight} 11px ${chartFont}`;
		textWidths.set(key, textCanvas.measureText(text).width);
	}
	return textWidths.get(key);
}

// wordsWidth returns the width of a text in which svgWords raises the number behind ^. A raised
// digit is about 1.5 px less wide.
function wordsWidth(text, weight) {
	const raised = text.match(/\^(−?[\d.]+)/)?.[1].length ?? 0;
	return textWidth(text.replace("^", ""), weight) - 1.5 * raised;
}

// tailOf returns the parameters that a name ends with, such as ", step = 0.2", by which it differs
// from others.
function tailOf(name) {
	return name.match(/(, [^,]*\d[^,]*)+$/)?.[0] ?? "";
}

// shorten cuts a text so that it is at most so wide. The parameters of a name stay, where they
// leave room for some of it.
function shorten(text, width) {
	if (textWidth(text) <= width) return text;
	let tail = "…" + tailOf(text);
	if (textWidth(tail) > 0.8 * width) tail = "…";
	text = text.slice(0, text.length - tail.length + 1);
	while (text.length > 1 && textWidth(text + tail) > width) text = text.slice(0, -1);
	return text.trimEnd() + tail;
}

// spreadPlaces moves sorted places apart, by at least the gap between neighbours, within
// [from, to]. There must be room for all.
function spreadPlaces(places, gap, from, to) {
	const out = places.slice();
	for (let k = 0; k < out.length; k++) {
		out[k] = Math.max(out[k], k > 0 ? out[k - 1] + gap : from);
	}
	for (let k = out.length - 1; k >= 0; k--) {
		out[k] = Math.min(out[k], k < out.length - 1 ? out[k + 1] - gap : to);
	}
	return out;
}

// labelHeight is the height of a name at the end of a line, in pixels.
const labelHeight = 14;

// endLabels returns places for the names of lines at their ends: {mark, at, place} with the height
// at of the end of the line, and that of the name, place. There are none if the names are too many
// for the height, or if one of more than eight would be far from its line.
function endLabels(lines, x, y, top, bottom) {
	if (lines.some(line => line.kind === "points") || lines.length * labelHeight > bottom - top) {
		return [];
	}
	const all = lines
		.map(mark => {
			let k = mark.x.length - 1;
			while (k >= 0 && !shownAt(mark, k, x, y)) k--;
			return { mark, at: k < 0 ? bottom : Math.min(bottom, Math.max(top, y.at(mark.y[k]))) };
		})
		.sort((a, b) => a.at - b.at);
	const places = spreadPlaces(
		all.map(label => label.at),
		labelHeight,
		top,
		bottom,
	);
	const far = all.some((label, k) => Math.abs(places[k] - label.at) > 50);
	return far && lines.length > 8 ? [] : all.map((label, k) => ({ ...label, place: places[k] }));
}

// legendRows breaks the items of a legend into rows: placed has each with its text and its place,
// and height is that of all rows.
function legendRows(items, width) {
	const placed = [];
	let x = 0;
	let y = 0;
	for (const item of items) {
		const text = shorten(item.name, width - 40);
		const length = textWidth(text) + 46;
		if (x > 0 && x + length > width) [x, y] = [0, y + 17];
		placed.push({ item, text, x, y });
		x += length;
	}
	return { placed, height: placed.length > 0 ? y + 24 : 0 };
}

// haloedText makes a text that is legible on lines: write, such as svgWords, writes it once with a
// wide outline and once on top.
function haloedText(write, text, attributes) {
	const halo = {
		"aria-hidden": "true",
		stroke: chartColours.ground,
		"stroke-width": 3.5,
		"stroke-linejoin": "round",
	};
	return svgNode("g", {}, write(text, { ...attributes, ...halo }), write(text, attributes));
}

// overlap returns the area that two boxes share.
function overlap(a, b) {
	const width = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
	if (width <= 0) return 0;
	return width * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));
}

// inside tells whether a box is within a frame.
function inside(box, frame) {
	return (
		box.x >= frame.left &&
		box.x + box.w <= frame.right &&
		box.y >= frame.top &&
		box.y + box.h <= frame.bottom
	);
}

// drawGuideNames writes labels at guides: not on points or other labels, and where they hide least
// of the lines. It tries at most 12 points of a guide, above and below it; of equal places it takes
// the first.
function drawGuideNames(marks, { x, y, frame }, node) {
	const guides = marks.filter(mark => mark.kind === "guide" && mark.label);
	if (guides.length === 0) return;
	const boxes = (mark, width, height) =>
		mark.x.flatMap((value, k) =>
			shownAt(mark, k, x, y)
				? [{ x: x.at(value) - width / 2, y: y.at(mark.y[k]) - height / 2, w: width, h: height }]
				: [],
		);
	const taken = marks.filter(mark => mark.kind === "points").flatMap(mark => boxes(mark, 12, 12));
	const lines = marks
		.filter(mark => mark.kind === "line" && !mark.faint)
		.flatMap(mark => boxes(mark, 10, 6));
	for (const mark of guides) {
		const count = mark.x.length;
		const width = wordsWidth(mark.label, 600) + 4;
		let best;
		for (let k = 0; k < count; k += Math.ceil(count / 12)) {
			if (!shownAt(mark, k, x, y)) continue;
			for (const dy of [-13, 3]) {
				const box = { x: x.at(mark.x[k]) + 2, y: y.at(mark.y[k]) + dy, w: width, h: 12 };
				if (!inside(box, frame) || taken.some(other => overlap(other, box) > 0)) continue;
				// The hidden area in px², and up to 2 for points towards the end of the guide.
				const cost = lines.reduce((sum, line) => sum + overlap(line, box), (2 * k) / count);
				if (!best || cost < best.cost) best = { ...box, cost };
			}
		}
		if (!best) continue;
		taken.push(best);
		node.append(
			haloedText(svgWords, mark.label, {
				x: pixel(best.x + 2),
				y: pixel(best.y + 9.5),
				fill: chartColours.muted,
				"font-weight": 600,
			}),
		);
	}
}

// namePlaces has the directions from a point in which its name may stand.
const namePlaces = [
	[1, 0],
	[-1, 0],
	[0.7, -0.8],
	[0.7, 0.8],
	[-0.7, -0.8],
	[-0.7, 0.8],
	[0, -1],
	[0, 1],
];

// nameRadii has the distances from a point at which its name may stand, in pixels.
const nameRadii = [8, 16, 28, 44];

// drawPointNames writes names beside points, those of first marks first. It tries each of
// namePlaces on a circle of each of nameRadii, far being the number of the circle, and takes a near
// place that hides few intervals. A name that has only a far place is written if its mark is a
// first one; a line then leads to it.
function drawPointNames(marks, { x, y, frame }, node) {
	const points = marks.filter(
		mark => mark.kind === "points" && mark.label && shownAt(mark, 0, x, y),
	);
	const taken = points.map(mark => ({
		x: x.at(mark.x[0]) - 6,
		y: y.at(mark.y[0]) - 6,
		w: 12,
		h: 12,
	}));
	const bars = [
		...points.flatMap(mark => crossBoxes(mark, x, y)),
		...marks.filter(mark => mark.kind === "step").flatMap(mark => stepBoxes(mark, x, y)),
	];
	for (const mark of points.slice().sort((a, b) => (b.first ? 1 : 0) - (a.first ? 1 : 0))) {
		const px = x.at(mark.x[0]);
		const py = y.at(mark.y[0]);
		const width = textWidth(mark.label, mark.first ? 600 : 400) + 2;
		let best;
		for (const [far, radius] of nameRadii.entries()) {
			for (const [dx, dy] of namePlaces) {
				const box = {
					x: px + dx * radius - (width * (1 - Math.sign(dx))) / 2,
					y: py + dy * (radius + 3) - 6,
					w: width,
					h: 12,
					dx,
					dy,
					far,
				};
				if (!inside(box, frame) || taken.some(other => overlap(other, box) > 0)) continue;
				const cost = 30 * far + bars.reduce((sum, other) => sum + overlap(other, box), 0);
				if (!best || cost < best.cost) best = { ...box, cost };
			}
		}
		if (!best || (!mark.first && best.far > 2)) continue;
		taken.push(best);
		if (best.far > 0) {
			const anchor = leaderEnd(best, width);
			node.append(
				svgNode("path", {
					d: `M${pixel(px)},${pixel(py)}L${pixel(anchor)},${pixel(best.y + 6)}`,
					stroke: chartColours.axis,
					"stroke-width": 0.8,
				}),
			);
		}
		node.append(
			haloedText(svgName, mark.label, {
				x: pixel(best.x + 1),
				y: pixel(best.y + 9.8),
				fill: mark.first ? chartColours.ink : chartColours.muted,
				"font-weight": mark.first ? 600 : "",
			}),
		);
	}
}

// leaderEnd returns where along the width of a name the line from its point ends: at the side that
// is nearer to the point, or in the middle of a name above or below it.
function leaderEnd(box, width) {
	if (box.dx > 0) return box.x;
	if (box.dx < 0) return box.x + width;
	return box.x + width / 2;
}

// crossBoxes returns the boxes that the two intervals of a point cover.
function crossBoxes(mark, x, y) {
	const boxes = [];
	const px = x.at(mark.x[0]);
	const py = y.at(mark.y[0]);
	if (isNumber(mark.lower?.[0])) {
		boxes.push({
			x: px - 1,
			y: pixel(y.at(mark.upper[0])),
			w: 2,
			h: pixel(y.at(mark.lower[0])) - pixel(y.at(mark.upper[0])),
		});
	}
	if (isNumber(mark.xlower?.[0])) {
		boxes.push({
			x: pixel(x.at(mark.xlower[0])),
			y: py - 1,
			w: pixel(x.at(mark.xupper[0])) - pixel(x.at(mark.xlower[0])),
			h: 2,
		});
	}
	return boxes;
}

// stepBoxes returns the boxes that the level parts of steps cover.
function stepBoxes(mark, x, y) {
	const boxes = [];
	for (let k = 1; k < mark.x.length; k++) {
		const from = pixel(x.at(mark.x[k - 1]));
		const py = pixel(y.at(mark.y[k - 1]));
		boxes.push({ x: from, y: py - 1, w: pixel(x.at(mark.x[k])) - from, h: 2 });
	}
	return boxes;
}
