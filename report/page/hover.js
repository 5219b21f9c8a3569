// What a chart shows while it is pointed at or has the focus: a crosshair at the nearest stop, and
// a tooltip. The arrow keys, Home and End go from stop to stop. A stop is an x of lines, with a row
// for each of them, or a point. Places in the chart are px and py, in its pixels.

let chartTip; // the one tooltip of the page, undefined until it is needed

// tip returns the one tooltip of the page, which it makes at its first call.
function tip() {
	if (!chartTip) {
		chartTip = el("div", { class: "chart-tip", role: "status", "aria-live": "polite" });
		chartTip.hidden = true;
		document.body.append(chartTip);
	}
	return chartTip;
}

// placeTip shows the tooltip within the window: beside a point where there is room, and
// else above or below it.
function placeTip(x, y, width, height) {
	const { clientWidth, clientHeight } = document.documentElement;
	const gap = 16;
	let left = x + gap;
	let top = y - height / 2;
	if (left + width > clientWidth) left = x - gap - width;
	if (left < 0) {
		left = Math.max(4, Math.min(x - width / 2, clientWidth - width - 4));
		top = y - height - gap >= 0 ? y - height - gap : y + gap;
	}
	top = Math.max(4, Math.min(top, clientHeight - height - 4));
	tip().style.transform = `translate(${Math.round(left)}px,${Math.round(top)}px)`;
}

// intervalText writes an interval, or nothing if an end is missing.
function intervalText(lower, upper) {
	return isNumber(lower) && isNumber(upper) ? `[${format(lower)}, ${format(upper)}]` : "";
}

// tipRow makes a row of the tooltip with a sample of the mark; near makes the row stand out.
function tipRow(mark, near, ...cells) {
	const picture = svgNode(
		"svg",
		{ width: 22, height: 12, viewBox: "0 -6 22 12", "aria-hidden": "true" },
		drawSample(mark),
	);
	const row = el(
		"tr",
		near ? { class: "near" } : {},
		el("td", {}, picture),
		el("th", { scope: "row" }, cells[0]),
	);
	for (const text of cells.slice(1)) {
		row.append(el("td", {}, text));
	}
	return row;
}

// lineStops returns a stop for each x of a line or step, with the values of all of them there.
function lineStops(spec, { x, y }) {
	const marks = spec.marks.filter(
		mark => mark.name && !mark.faint && mark.kind !== "band" && mark.kind !== "guide",
	);
	const stops = new Map();
	for (const mark of marks) {
		if (mark.kind === "step") continue;
		mark.x.forEach((value, k) => {
			if (!isNumber(mark.y[k]) || !x.shows(value)) return;
			if (!stops.has(value)) stops.set(value, { value, px: x.at(value), rows: [] });
			stops.get(value).rows.push({
				mark,
				y: mark.y[k],
				lower: mark.lower?.[k],
				upper: mark.upper?.[k],
				py: y.at(mark.y[k]),
			});
		});
	}
	const steps = marks.filter(mark => mark.kind === "step");
	for (const value of new Set(steps.flatMap(mark => mark.x))) {
		if (x.shows(value) && !stops.has(value)) {
			stops.set(value, { value, px: x.at(value), rows: [] });
		}
	}
	for (const stop of stops.values()) {
		for (const mark of steps) {
			let k = mark.x.length - 1;
			while (k >= 0 && mark.x[k] > stop.value) k--;
			if (k >= 0) stop.rows.push({ mark, y: mark.y[k], py: y.at(mark.y[k]) });
		}
		stop.rows.sort((a, b) => b.y - a.y);
	}
	return [...stops.values()].sort((a, b) => a.value - b.value);
}

// pointStops returns a stop for each point, in the order of x.
function pointStops(spec, { x, y }) {
	const stops = [];
	for (const mark of spec.marks) {
		if (mark.kind !== "points" || !mark.name) continue;
		mark.x.forEach((value, k) => {
			if (shownAt(mark, k, x, y)) {
				stops.push({ mark, k, key: mark.key, px: x.at(value), py: y.at(mark.y[k]) });
			}
		});
	}
	return stops.sort((a, b) => a.px - b.px || a.py - b.py);
}

// lineView returns how lines are shown at a stop: draw and words return what is drawn and written,
// same tells whether nothing changes, and clear ends it. The line nearest to the height py stands
// out.
function lineView(spec, lay, lines) {
	const { frame } = lay;
	return {
		draw(stop, py) {
			const near = nearestRow(stop.rows, py);
			const nodes = [
				svgNode("path", {
					d: `M${pixel(stop.px)},${frame.top}V${frame.bottom}`,
					stroke: chartColours.muted,
					"stroke-width": 1,
				}),
			];
			for (const row of stop.rows) {
				if (row.py < frame.top - 1 || row.py > frame.bottom + 1) continue;
				nodes.push(
					svgNode("circle", {
						cx: pixel(stop.px),
						cy: pixel(row.py),
						r: row === near ? 5 : 3.5,
						fill: lookOf(row.mark).colour,
						stroke: chartColours.ground,
					}),
				);
			}
			for (const [mark, line] of lines) {
				line.setAttribute("stroke-width", near?.mark === mark ? 3 : (mark.width ?? 1.8));
			}
			spec.onnear?.(near?.mark.key);
			return nodes;
		},
		words(stop, py) {
			const near = nearestRow(stop.rows, py);
			const rows = stop.rows.map(row =>
				tipRow(
					row.mark,
					row === near,
					row.mark.name,
					format(row.y),
					intervalText(row.lower, row.upper),
				),
			);
			return [
				el(
					"table",
					{},
					el("caption", {}, `${spec.x.short ?? spec.x.label} = ${coordinate(stop.value)}`),
					el("tbody", {}, ...rows),
				),
			];
		},
		same: (a, b, py, before) => a === b && nearestRow(a.rows, py) === nearestRow(a.rows, before),
		clear() {
			for (const [mark, line] of lines) {
				line.setAttribute("stroke-width", mark.width ?? 1.8);
			}
			spec.onnear?.(undefined);
		},
	};
}

// nearestRow returns the row whose point is nearest to py, if there is any choice.
function nearestRow(rows, py) {
	if (py === undefined || rows.length < 2) return undefined;
	return rows.reduce((a, b) => (Math.abs(b.py - py) < Math.abs(a.py - py) ? b : a));
}

// pointView returns how a point is shown with both of its coordinates, with the members of
// lineView.
function pointView(spec, lay) {
	const { frame } = lay;
	return {
		draw({ mark, px, py }) {
			const look = lookOf(mark);
			return [
				svgNode("path", {
					d: `M${pixel(px)},${frame.bottom}V${pixel(py)}H${frame.left}`,
					stroke: chartColours.muted,
					"stroke-dasharray": "2 2",
					fill: "none",
				}),
				svgNode("path", {
					d: crossPath(mark, lay.x, lay.y),
					stroke: look.colour,
					"stroke-width": 2,
					"clip-path": lay.clip,
				}),
				marker(look, px, py, 6.5),
			];
		},
		words({ mark, k }) {
			const table = el(
				"table",
				{},
				el("caption", {}, mark.name),
				el(
					"tbody",
					{},
					el(
						"tr",
						{},
						el("th", { scope: "row" }, spec.x.short ?? spec.x.label),
						el("td", {}, format(mark.x[k])),
						el("td", {}, intervalText(mark.xlower?.[k], mark.xupper?.[k])),
					),
					el(
						"tr",
						{},
						el("th", { scope: "row" }, spec.y.short ?? spec.y.label),
						el("td", {}, format(mark.y[k])),
						el("td", {}, intervalText(mark.lower?.[k], mark.upper?.[k])),
					),
				),
			);
			return mark.note ? [table, el("p", {}, mark.note)] : [table];
		},
		same: (a, b) => a === b,
		clear() {},
	};
}

// listenToChart makes a chart answer to the pointer and the keys.
function listenToChart(svg, spec, lay, lines) {
	const ofLines = spec.marks.some(
		mark => mark.kind === "line" || (mark.kind === "step" && !mark.faint),
	);
	const stops = ofLines ? lineStops(spec, lay) : pointStops(spec, lay);
	if (stops.length === 0) return;
	lay.clip = svg.querySelector("g[clip-path]").getAttribute("clip-path");
	const view = ofLines ? lineView(spec, lay, lines) : pointView(spec, lay);
	const over = svgNode("g", { class: "chart-over", "pointer-events": "none" });
	// The empty title keeps that of the chart from being shown as a tooltip as well.
	const target = frameRect(lay.frame, 8, { class: "chart-over", fill: "transparent" });
	target.append(svgNode("title"));
	svg.append(over, target);
	const cursor = cursorOf(view, over);
	const pick =
		ofLines || !spec.onpick
			? undefined
			: stop => {
					cursor.hide();
					spec.onpick(stop.key);
				};
	followPointer(svg, spec, target, cursor, (px, py) => nearestStop(stops, px, py, ofLines), pick);
	followKeys(svg, spec, lay, cursor, stops, pick);
}

// cursorOf returns the cursor of a view, which is drawn into over. show puts it on a stop, for the
// height py of the pointer in the chart and its place (x, y) in the window; hide removes it. Its
// member at is the stop that it is on.
function cursorOf(view, over) {
	let lastY, width, height;
	const cursor = {
		hide() {
			cursor.at = lastY = undefined;
			over.replaceChildren();
			view.clear();
			tip().hidden = true;
		},
		show(stop, py, x, y) {
			if (cursor.at === undefined || !view.same(cursor.at, stop, py, lastY)) {
				over.replaceChildren(...view.draw(stop, py));
				tip().replaceChildren(...view.words(stop, py));
				tip().hidden = false;
				[width, height] = [tip().offsetWidth, tip().offsetHeight];
			}
			[cursor.at, lastY] = [stop, py];
			placeTip(x, y, width, height);
		},
	};
	return cursor;
}

// followPointer moves the cursor with the pointer over the target. A click picks a point; the first
// touch of a point only moves the cursor there, and shows its tooltip.
function followPointer(svg, spec, target, cursor, nearest, pick) {
	let touched;
	const showAt = event => {
		const box = svg.getBoundingClientRect();
		const unit = spec.width / box.width;
		const py = (event.clientY - box.top) * unit;
		const stop = nearest((event.clientX - box.left) * unit, py);
		if (stop) {
			cursor.show(stop, py, event.clientX, event.clientY);
		} else {
			cursor.hide();
		}
		if (pick) target.style.cursor = stop ? "pointer" : "";
		return stop;
	};
	target.addEventListener("pointerdown", event => {
		const before = cursor.at;
		touched = event.pointerType === "touch" && showAt(event) !== before;
	});
	target.addEventListener("pointermove", showAt);
	target.addEventListener("pointerleave", event => event.pointerType === "touch" || cursor.hide());
	target.addEventListener("click", event => {
		const stop = pick && !touched && showAt(event);
		if (stop) pick(stop);
	});
}

// followKeys moves the cursor with the keys. Enter picks a point.
function followKeys(svg, spec, lay, cursor, stops, pick) {
	const last = stops.length - 1;
	const go = index => {
		const stop = stops[Math.min(last, Math.max(0, index))];
		const box = svg.getBoundingClientRect();
		const unit = box.width / spec.width;
		cursor.show(
			stop,
			undefined,
			box.left + stop.px * unit,
			box.top + (stop.py ?? (lay.frame.top + lay.frame.bottom) / 2) * unit,
		);
	};
	svg.addEventListener("blur", cursor.hide);
	svg.addEventListener("keydown", event => {
		const index = stops.indexOf(cursor.at);
		const before = index < 0 ? last : index - 1;
		const next = {
			ArrowRight: index + 1,
			ArrowUp: index + 1,
			ArrowLeft: before,
			ArrowDown: before,
			Home: 0,
			End: last,
		}[event.key];
		if (next !== undefined) {
			go(next);
		} else if (event.key === "Escape" && cursor.at) {
			cursor.hide();
		} else if (event.key === "Enter" && cursor.at && pick) {
			pick(cursor.at);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	});
}

// nearestStop returns the stop that is nearest to the pointer: of lines in x alone, and of points
// within 30 pixels, or undefined.
function nearestStop(stops, px, py, ofLines) {
	let best;
	let least = ofLines ? Infinity : 30 ** 2;
	for (const stop of stops) {
		const distance = (stop.px - px) ** 2 + (ofLines ? 0 : (stop.py - py) ** 2);
		if (distance < least) [best, least] = [stop, distance];
	}
	return best;
}
