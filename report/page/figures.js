// The figures of an experiment: the plane of regret against violation, curves with their local
// exponents, means across horizons, and performance profiles. Each figure chooses marks for
// chart.js; the numbers are those of the data.

// bandNumbers returns a band of the data as members of a mark.
function bandNumbers(x, band) {
	const out = {x: x.roundsOf(band), y: band.v.map(number)};
	if (band.l) [out.lower, out.upper] = [band.l.map(number), band.u.map(number)];
	return out;
}

// autoScale returns "log" for numbers that are all positive, and else "symlog".
function autoScale(values) {
	return values.some(v => v <= 0) ? "symlog" : "log";
}

const figureWidths = new Map(); // the last width of a figure, by its kind

// figureOf makes a figure of charts with its caption, and with buttons that save the charts and
// their rows in files, which are named by fileParts. The charts are drawn as wide as the last
// figure of the kind, and again if the page has other room for them.
function figureOf(kind, fileParts, caption, notes, draw, rows) {
	const name = fileParts.join("-");
	let charts = [], drawnAs;
	const sensor = el("div"); // without a height, so that drawing does not change its size
	const holder = el("div", {class: "chart-holder"});
	const redraw = width => {
		figureWidths.set(kind, width);
		drawnAs = width;
		charts = draw(width);
		holder.replaceChildren(...charts);
	};
	const redrawToFit = () => {
		const width = Math.max(240, Math.floor(sensor.clientWidth));
		if (sensor.clientWidth > 0 && width !== drawnAs) redraw(width);
	};
	const button = (text, label, click) => el("button", {type: "button", "aria-label": label, click}, text);
	const save = el("span", {class: "chart-save"},
		button("SVG", `Save “${caption}” as SVG`, () => download(`${name}.svg`, "image/svg+xml", svgText(...charts))),
		button("CSV", `Save the data of “${caption}” as CSV`, () => download(`${name}.csv`, "text/csv", csv(rows()))));
	if (figureWidths.has(kind)) redraw(figureWidths.get(kind));
	queueMicrotask(redrawToFit); // when it is in the page, and before anything is painted
	new ResizeObserver(redrawToFit).observe(sensor);
	return el("figure", {class: `figure ${kind}`}, sensor, holder,
		el("figcaption", {}, el("p", {}, el("strong", {}, caption), " ", notes.join(" ")), save));
}

// capitalised starts a text with a capital.
function capitalised(text) {
	return text[0].toUpperCase() + text.slice(1);
}

// nameList joins names by commas, and the last by “and”.
function nameList(names) {
	return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

// stateReason says why a series has no values, or that they are rounding errors.
function stateReason(series) {
	return {
		empty: "undefined: the comparator set (of dynamic regret and path length: a round) is empty in some replicate",
		failed: "all replicates failed",
		overflow: "a value is beyond ±1e300",
		rounding: "rounding errors, shown as 0",
		missing: "not measured",
	}[series?.state ?? "missing"];
}

// stateNotes names, by the reason, the pairs whose series of a metric have no values or are
// rounding errors.
function stateNotes(named, metric) {
	const namesByReason = new Map();
	for (const {pair, name} of named) {
		const why = stateReason(pair.series[metric]);
		if (why) namesByReason.set(why, [...namesByReason.get(why) ?? [], name]);
	}
	return [...namesByReason].map(([why, names]) => `${nameList(names)}: ${why}.`);
}

// emptyFigure stands in the place of a figure where no pair of a problem has values of a metric. It
// says why: of a regret, which set has no action.
function emptyFigure(x, kind, p, metric, named) {
	const m = x.metric(metric), problem = x.problems[p], title = m?.title ?? metric;
	const words = [], states = [...new Set(named.map(({pair}) => pair.series[metric]?.state ?? "missing"))];
	if (states.join() === "empty" && m?.set) {
		const others = x.metrics.filter(o => o.name.startsWith("regret") && named.some(({pair}) => hasValues(pair.series[o.name])));
		words.push(`It is ${m.doc.split(";")[0].replaceAll("^", "")}; ${problem.deterministic ? "here" : "in some replicate"} there is no such action.`,
			others.length > 0 ? `There is ${nameList(others.map(o => o.title))}.` : "Nor is there another regret on this problem.");
	} else words.push(...stateNotes(named, metric));
	return el("figure", {class: `figure ${kind} nothing`}, el("p", {}, el("strong", {}, `There is no ${title} on ${problem.title}.`), " ", words.join(" ")));
}

// The plane.

// planeFigure shows the algorithms of a problem by regret and violation at T. onpick is
// called with the SPEC of an algorithm.
function planeFigure(x, problemIndex, regretMetric, violationMetric, onpick) {
	const problem = x.problems[problemIndex], [rm, vm] = [x.metric(regretMetric), x.metric(violationMetric)];
	const front = x.raw.fronts.find(f => f.p === problemIndex && f.regret === regretMetric && f.violation === violationMetric)?.algorithms ?? [];
	const pairs = x.pairsOn(problemIndex);
	const points = [], absent = [];
	for (const pair of pairs) {
		const point = planePoint(x, pair, regretMetric, violationMetric, front.includes(pair.a));
		if (point) points.push(point);
		else absent.push({pair, name: x.algorithms[pair.a].title});
	}
	if (points.length === 0) {
		const lacking = [regretMetric, violationMetric].find(m => !pairs.some(pair => hasValues(pair.series[m])));
		if (lacking) return emptyFigure(x, "plane", problemIndex, lacking, absent);
	}
	const marks = [...frontMark(points.filter(m => m.first)), ...points];
	const T = powerOrNumber(x.lastHorizon);
	const notes = [
		"Bars: the intervals of both means.", front.length > 0 ? "Grey line and bold names: the front: no algorithm has less of both means." : "",
		"Sign: the verdict on growth of both like √t; filled: both keep it.", "Names without room show when pointed at.",
		...absent.map(({pair, name}) => `Not in the plane: ${name} (${stateReason([regretMetric, violationMetric].map(m => pair.series[m]).find(s => !hasValues(s)))}).`),
	].filter(Boolean);
	const title = capitalised(`${rm.title} against ${vm.title} on ${problem.title}`);
	const axis = (m, values) => ({label: `${m.title} at T = ${T}`, short: m.title, scale: autoScale(values)});
	const draw = width => [chart({
		title, description: notes.join(" "), width, height: Math.round(Math.min(460, Math.max(340, 0.72 * width))), marks, legend: false, onpick,
		x: axis(rm, points.map(m => m.x[0])), y: axis(vm, points.map(m => m.y[0])),
	})];
	const rows = () => [csvHead, ...pairs.flatMap(pair => [regretMetric, violationMetric].filter(m => pair.series[m]).map(m => {
		const {value, lower, upper} = pair.series[m].final;
		return [problem.spec, x.algorithms[pair.a].spec, m, "", x.lastHorizon, value, lower, upper];
	}))];
	return figureOf("plane", [x.name, "plane", problem.spec], `${title}.`, notes, draw, rows);
}

// hasValues tells whether a series has values.
function hasValues(series) {
	return series?.state === "measured" || series?.state === "rounding";
}

// planePoint returns the mark of a pair, if it has both values.
function planePoint(x, pair, regretMetric, violationMetric, first) {
	const [r, v] = [pair.series[regretMetric], pair.series[violationMetric]];
	if (!hasValues(r) || !hasValues(v) || !Number.isFinite(number(r.final.value)) || !Number.isFinite(number(v.final.value))) return undefined;
	const {title, spec} = x.algorithms[pair.a], verdict = bothOf(x, pair, regretMetric, violationMetric);
	const ends = e => [[number(e.lower)], [number(e.upper)]];
	const [xlower, xupper] = ends(r.final), [lower, upper] = ends(v.final);
	return {
		kind: "points", key: spec, name: title, label: `${verdicts.get(verdict).sign} ${title}`, first,
		style: pair.a, size: 4.8, hollow: verdict !== "at-most",
		x: [number(r.final.value)], y: [number(v.final.value)], xlower, xupper, lower, upper,
		note: [`both: ${verdictWord(verdict)}`, first ? "on the front" : ""].filter(Boolean).join("; "),
	};
}

// frontMark returns the steps through the front, beyond which the points are that it leaves out.
function frontMark(points) {
	if (points.length === 0) return [];
	const sorted = points.map(m => [m.x[0], m.y[0]]).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
	const path = [[sorted[0][0], Infinity], ...sorted, [Infinity, sorted[sorted.length - 1][1]]];
	return [{kind: "step", key: "front", faint: true, free: true, opacity: 1, width: 1.5, colour: chartColours.axis, dash: "", x: path.map(p => p[0]), y: path.map(p => p[1])}];
}

// powerOrNumber writes a power of ten from 1000 on as 10^k, and other numbers with their digits.
function powerOrNumber(t) {
	const k = Math.round(Math.log10(t));
	return k >= 3 && 10 ** k === t ? `10^${k}` : numberText(t);
}

// Curves.

// csvHead names the columns of a figure's data.
const csvHead = ["problem", "algorithm", "metric", "replicate", "t", "value", "lower", "upper"];

// drawnLines returns the named pairs that have a curve of a metric, each with its series and the
// judgement that is about the metric.
function drawnLines(named, metric) {
	return named.filter(({pair}) => hasValues(pair.series[metric]) && pair.series[metric].mean)
		.map(n => ({...n, series: n.pair.series[metric], judged: judgedBy(n.pair, metric)}));
}

// valuesOf returns all means of lines, those of the horizons included.
function valuesOf(lines) {
	return lines.flatMap(({series}) => [...series.mean.v, ...series.across?.v ?? []].map(number));
}

// panelFigure shows a metric of all algorithms of a problem along t, for the first screen: bands,
// bounds and names of those that are coloured, and how √t grows. onnear is called with the SPEC of
// the algorithm that is pointed at, or with undefined.
function panelFigure(x, p, metric, coloured, onnear) {
	const m = x.metric(metric), problem = x.problems[p];
	const named = x.pairsOn(p).map(pair => {
		const algorithm = x.algorithms[pair.a];
		return {pair, algorithm, problem, name: algorithm.title, style: pair.a, key: algorithm.spec};
	});
	const lines = drawnLines(named, metric), values = valuesOf(lines);
	if (lines.length === 0) return emptyFigure(x, "panel", p, metric, named);
	const ends = lines.map(({series}) => number(series.mean.v[series.mean.v.length - 1]));
	// A line that begins at 0 is only cut on a logarithmic axis; one that ends there needs symlog.
	const scale = {scale: ends.every(v => v > 0) ? "log" : "symlog", threshold: symlogThreshold(values)};
	const bold = lines.filter(line => coloured.has(line.key));
	const marks = [
		...lines.flatMap(line => curveMarks(x, line).filter(mark => mark.kind === "line" || mark.kind === "band" && coloured.has(line.key))),
		...bold.flatMap(line => boundMarks(x, line)).map(mark => ({...mark, key: mark.key.replace(/ bound$/, "")})),
		...rootGuide(x, lines, ends, scale),
	];
	const {domain, hidden} = cappedDomain(scale, marks);
	const hasMark = test => marks.some(test);
	const notes = [
		hasMark(mark => mark.kind === "band") ? "Bands: intervals of the means." : "",
		hasMark(mark => mark.free && mark.kind === "line") ? "Dotted: the bound of the proof." : "",
		hidden ? hiddenBoundsNote : "",
		...stateNotes(named, metric),
	].filter(Boolean);
	const title = `${capitalised(m?.title ?? metric)} on ${problem.title}`;
	const [from, to] = timeSpan(lines, x, "log");
	const draw = width => [chart({
		title, description: notes.join(" "), width, height: Math.round(Math.min(380, Math.max(290, 0.86 * width))), marks,
		legend: false, ends: coloured.size <= mostColoured ? coloured : undefined, onnear,
		x: {label: "t", short: "t", scale: "log", domain: [from, to]}, y: {label: m?.title ?? metric, ...scale, domain},
	})];
	const rows = () => [csvHead, ...lines.flatMap(line => curveRows(x, line, metric, false, true))];
	return figureOf("panel", [x.name, metric, problem.spec], `${title}.`, notes, width => {
		queueMicrotask(showLifted); // when it is in the page
		return draw(width);
	}, rows);
}

// rootGuide returns a guide that grows like √t over the last 2.5 decades of t, to the middle, on a
// logarithmic axis, of the positive means at its end.
function rootGuide(x, lines, ends, scale) {
	const positive = ends.filter(v => v > (scale.scale === "log" ? 0 : scale.threshold));
	if (positive.length === 0) return [];
	const T = x.lastHorizon, height = Math.sqrt(Math.min(...positive) * Math.max(...positive));
	const t = x.roundsOf(lines[0].series.mean).filter(v => v >= T / 300);
	return [{kind: "guide", key: "", colour: chartColours.muted, dash: "6 4", free: true, label: "√t", x: t, y: t.map(v => height * Math.sqrt(v / T))}];
}

// curvesFigure shows a metric of pairs along t, and the local exponents below.
function curvesFigure(x, {pairs, metric, xaxis, yaxis, replicates, bound, claim}) {
	const m = x.metric(metric), named = namedPairs(x, pairs);
	const lines = drawnLines(named, metric), values = valuesOf(lines);
	if (lines.length === 0 && new Set(pairs.map(q => q.p)).size === 1) return emptyFigure(x, "curves", pairs[0].p, metric, named);
	const scale = {x: xaxis || "log", y: yaxis || autoScale(values), threshold: symlogThreshold(values)};
	const upper = [
		...lines.flatMap(line => curveMarks(x, line)),
		...(replicates ? lines.flatMap(line => runMarks(x, line)) : []),
		...(claim ? claimMarks(x, lines, scale.y === "symlog" ? scale.threshold : 0) : []),
		...(bound ? lines.flatMap(line => boundMarks(x, line)) : []),
	];
	const {domain, hidden} = bound ? cappedDomain({scale: scale.y, threshold: scale.threshold}, upper) : {};
	const lower = localMarks(x, lines, claim);
	const cut = lower.some(mark => [...mark.y, ...mark.lower ?? [], ...mark.upper ?? []].some(v => v < -0.5 || v > 1.5));
	const notes = curveNotes({lines, named, metric, scale, upper, lower, replicates, bound, claim, hidden});
	const title = curvesTitle(x, m, named);
	const [from, to] = timeSpan(lines, x, scale.x);
	const draw = width => {
		const axis = {label: "t", short: "t", scale: scale.x, domain: [from, to]};
		const top = chart({
			title, description: notes.join(" "), width, height: Math.round(Math.min(400, Math.max(290, 0.5 * width))), marks: upper, legend: true, empty: stateNotes(named, metric).join(" "),
			x: axis, y: {label: m.title, scale: scale.y, threshold: scale.threshold, domain},
		});
		if (lower.length === 0) return [top];
		return [top, chart({
			title: `Local exponents: ${title}`, description: "Over half a decade each.", width, height: 190, marks: lower, legend: false, margins: top.margins,
			x: axis, y: {label: `local exponent${cut ? "  (cut at −0.5 and 1.5)" : ""}`, short: "local exponent", scale: "linear", domain: [-0.5, 1.5]},
		})];
	};
	const rows = () => [csvHead, ...lines.flatMap(line => curveRows(x, line, metric, replicates, bound))];
	return figureOf("curves", [x.name, metric, ...new Set(named.map(n => n.problem.spec)), ...named.length === 1 ? [named[0].algorithm.spec] : []], `${title}.`, notes, draw, rows);
}

// horizonFigure shows a metric of algorithms on a problem at the horizons of a sweep across T:
// means with intervals, lines with the exponents that are judged, and the claimed growth.
function horizonFigure(x, p, metric, shown) {
	const m = x.metric(metric), named = namedPairs(x, x.pairsOn(p)).filter(n => shown.has(n.algorithm.spec));
	const lines = drawnLines(named, metric).map(line => ({...line, band: line.series.across ?? line.series.ends})).filter(line => line.band);
	if (lines.length === 0) return emptyFigure(x, "horizons", p, metric, named);
	const values = lines.flatMap(({band}) => band.v.map(number)), scale = {scale: autoScale(values), threshold: symlogThreshold(values)};
	const floor = scale.scale === "symlog" ? scale.threshold : 0;
	const slopes = lines.flatMap(line => judgedSlope(line, floor)), claims = claimMarks(x, lines, floor);
	const marks = [...lines.map(({band, name, style, key}) => ({kind: "points", key, name, style, whiskers: 1, ...bandNumbers(x, band)})), ...slopes, ...claims];
	const notes = [
		"Points: means at T; bars: their intervals.", slopes.length > 0 ? "Lines: the exponents that are judged." : "",
		claims.length > 0 ? "Dashed: the claimed growth, at an arbitrary height." : "", ...stateNotes(named, metric),
	].filter(Boolean);
	const title = `${capitalised(m.title)} on ${x.problems[p].title} across T`;
	const draw = width => [chart({
		title, description: notes.join(" "), width, height: Math.round(Math.min(380, Math.max(290, 0.7 * width))), marks, legend: true,
		x: {label: "T", short: "T", scale: "log"}, y: {label: m.title, ...scale},
	})];
	const rows = () => [csvHead, ...lines.flatMap(({band, problem, algorithm}) => x.roundsOf(band).map((t, k) => [problem.spec, algorithm.spec, metric, "", t, band.v[k], band.l?.[k], band.u?.[k]]))];
	return figureOf("horizons", [x.name, metric, x.problems[p].spec, "T"], `${title}.`, notes, draw, rows);
}

// judgedSlope returns a guide that grows with the exponent by which a series is judged, and ends at
// its last mean. The guide is left out where it is not above a floor.
function judgedSlope({series, style, key}, floor) {
	const {exponent} = judgedGrowth(series), last = number(series.final.value);
	if (!exponent || !(last > floor)) return [];
	const {end: {from}, to} = series.fit, at = k => from * (to / from) ** (k / 8);
	const grows = t => last * (t / to) ** number(exponent.value), t = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(at).filter(v => grows(v) > floor);
	return [{kind: "guide", key: `${key} slope`, style, dash: "", free: true, x: t, y: t.map(grows)}];
}

// namedPairs names each pair by what it does not share with the others. An algorithm has the same
// style wherever it is drawn; so has a problem among those of one algorithm.
function namedPairs(x, pairs) {
	const differ = member => new Set(pairs.map(q => q[member])).size > 1;
	return pairs.map(pair => {
		const algorithm = x.algorithms[pair.a], problem = x.problems[pair.p];
		const name = differ("p") ? differ("a") ? `${algorithm.title}, ${problem.title}` : problem.title : algorithm.title;
		return {pair, algorithm, problem, name, style: differ("p") && !differ("a") ? pair.p : pair.a, key: `${algorithm.spec} ${problem.spec}`};
	});
}

// curvesTitle names the metric of curves, with the algorithm and the problem if all have the same.
function curvesTitle(x, m, named) {
	const problems = new Set(named.map(n => n.problem.title)), algorithms = new Set(named.map(n => n.algorithm.title));
	const of = algorithms.size === 1 && named.length > 0 ? ` of ${[...algorithms][0]}` : "";
	return `${capitalised(m.title)}${of}${problems.size === 1 ? ` on ${[...problems][0]}` : ""}`;
}

// judgedBy returns the judgement of a pair that is about a metric, if one is.
function judgedBy(pair, metric) {
	return [pair.regret, pair.dynamic, pair.violation].find(j => j?.metric === metric);
}

// timeSpan returns the first and the last round that is shown; a linear axis begins at 0.
function timeSpan(lines, x, scale) {
	let from = Infinity, to = -Infinity;
	for (const {series} of lines) {
		for (const t of x.roundsOf(series.mean)) [from, to] = [Math.min(from, t), Math.max(to, t)];
	}
	if (from > to) [from, to] = [1, x.lastHorizon];
	if (from === to) [from, to] = scale === "log" ? [from / 2, to * 2] : [from - 1, to + 1];
	return scale === "log" ? [from, to] : [0, to];
}

// curveMarks returns the mean with its interval, and the final means of each horizon.
function curveMarks(x, {series, name, style, key}) {
	const mean = bandNumbers(x, series.mean), marks = [];
	if (mean.lower) marks.push({kind: "band", key, style, ...mean});
	marks.push({kind: "line", key, name, style, ...mean});
	if (series.across) {
		marks.push({kind: "points", key, name: `${name}, games with T = t`, unnamed: true, style, hollow: true, whiskers: 1, ...bandNumbers(x, series.across)});
	}
	return marks;
}

// runMarks returns a thin line for each replicate of a series.
function runMarks(x, {series, style, key}) {
	const {runs} = series;
	return (runs?.v ?? []).map(row => ({kind: "line", key, faint: true, style, dash: "", x: x.roundsOf(runs), y: row.map(number)}));
}

// claimedExponent writes an exponent of a claim.
function claimedExponent(v) {
	return String(Number(v.toFixed(3))).replace("-", "−");
}

// growthText writes t^p (log t)^q.
function growthText(p, log) {
	const power = p === 0 && log ? "" : `t^${claimedExponent(p)}`;
	return `∝ ${power}${power && log ? " " : ""}${log ? log === 1 ? "log t" : `(log t)^${claimedExponent(log)}` : ""}`;
}

// claimMarks returns a guide for each claimed growth: over the window of the fit, 1.7 times as high
// as the end of the first line that it is claimed of, so that it hides none, and only where it is
// above a floor.
function claimMarks(x, lines, floor) {
	const guides = new Map();
	for (const {series, judged, style} of lines) {
		const p = judged?.exponent, end = number(series.mean.v[series.mean.v.length - 1]);
		if (p === null || p === undefined || !(end > floor)) continue;
		const text = growthText(p, judged.log);
		if (guides.has(text)) {
			guides.get(text).colour = chartColours.muted; // it is of several lines
			continue;
		}
		const all = x.roundsOf(series.mean), T = all[all.length - 1], from = series.fit?.from ?? T / 1000;
		const grows = t => t ** p * (judged.log ? Math.log(t) ** judged.log : 1);
		const height = v => 1.7 * end * grows(v) / grows(T);
		const t = all.filter(v => v >= from && v > 1 && height(v) > floor);
		guides.set(text, {kind: "guide", key: text, style, dash: "6 4", free: true, label: text, x: t, y: t.map(height)});
	}
	return [...guides.values()];
}

// boundMarks returns the bound of a line, as a dotted line, if one is known.
function boundMarks(x, {judged, name, style, key}) {
	const b = judged?.bound?.mean;
	return b ? [{kind: "line", plain: true, free: true, key: `${key} bound`, name: `${name}: bound`, unnamed: true, style, dash: "1.5 3", width: 1.5, ...bandNumbers(x, b)}] : [];
}

// mostOverValues is how many times the largest value an axis may reach to show bounds.
const mostOverValues = 30;

// hiddenBoundsNote is the note on bounds that cappedDomain hides.
const hiddenBoundsNote = `Bounds above ${mostOverValues} times the largest value are beyond the frame.`;

// cappedDomain returns the domain of an axis that has room for bounds of at most mostOverValues
// times the largest value, and whether a bound is hidden. It returns {} without bounds.
function cappedDomain(axis, marks) {
	const bounds = marks.filter(m => m.free && m.kind === "line").flatMap(m => m.y).filter(Number.isFinite);
	if (bounds.length === 0) return {};
	const others = marks.filter(m => !m.free && m.kind !== "guide");
	const values = others.filter(m => m.kind !== "band" && !m.faint).flatMap(m => m.y);
	const s = axisScale(axis, values, others.flatMap(m => [...m.y, ...m.lower ?? [], ...m.upper ?? []]));
	const hi = s.from(s.hi), most = mostOverValues * Math.max(...values.filter(Number.isFinite).map(Math.abs)), top = Math.max(...bounds);
	return {domain: [s.from(s.lo), Math.max(hi, Math.min(1.15 * top, most))], hidden: top > Math.max(hi, most)};
}

// localMarks returns the local exponents with their intervals, and a level at each claim.
function localMarks(x, lines, claim) {
	const marks = [], levels = new Map();
	for (const {series, judged, name, style, key} of lines) {
		const {slopes} = series;
		if (!slopes || !slopes.v.some(v => v !== null)) continue;
		const band = bandNumbers(x, slopes);
		if (band.lower) marks.push({kind: "band", key, style, ...band});
		marks.push({kind: "line", key, name, style, unnamed: true, ...band});
		const p = judged?.exponent;
		if (!claim || p === null || p === undefined) continue;
		const text = claimedExponent(p);
		if (levels.has(text)) levels.get(text).style = undefined; // it is of several lines
		else levels.set(text, {p, style});
	}
	const T = x.lastHorizon, places = [1, 1.5, 3, 10, T / 3, T]; // where the label of a level may be
	for (const [text, {p, style}] of levels) {
		marks.push({kind: "guide", key: `claim ${text}`, dash: "6 4", ...(style === undefined ? {colour: chartColours.muted} : {style}), label: text, x: places, y: places.map(() => p)});
	}
	return marks;
}

// curveNotes says what is drawn, and what is not.
function curveNotes({lines, named, metric, scale, upper, lower, replicates, bound, claim, hidden}) {
	const has = test => upper.some(test);
	const below = scale.y === "log" && has(m => m.kind === "line" && !m.free && m.y.some(v => v <= 0));
	return [
		has(m => m.kind === "band") ? "Lines: means; bands: their pointwise intervals." : lines.length > 0 ? "One replicate: no interval." : "",
		has(m => m.kind === "points") ? "Hollow markers: means at T of games that are played with that horizon." : "",
		replicates ? has(m => m.faint) ? "Thin lines: single replicates." : "Single replicates are not kept for this metric." : "",
		claim && has(m => m.kind === "guide") ? "Dashed: the claimed growth, at an arbitrary height." : "",
		bound ? has(m => m.free && m.kind === "line") ? "Dotted: the bound of the proof." : "No bound is stated for this metric." : "",
		hidden ? hiddenBoundsNote : "",
		below ? "Values ≤ 0 have no place on a logarithmic axis and are left out." : "",
		lower.length > 0 ? "Below: exponents over half a decade each." : "",
		...stateNotes(named, metric),
	].filter(Boolean);
}

// curveRows returns what is seen of a line, in rows of the columns csvHead.
function curveRows(x, {series, judged, problem, algorithm}, metric, replicates, bound) {
	const rows = [];
	const add = (name, band) => band && x.roundsOf(band).forEach((t, k) => rows.push([problem.spec, algorithm.spec, name, "", t, band.v[k], band.l?.[k], band.u?.[k]]));
	add(metric, series.mean);
	add(`${metric} across T`, series.across);
	add(`${metric} local exponent`, series.slopes);
	if (bound) add(`${metric} bound`, judged?.bound?.mean);
	if (replicates && series.runs) {
		series.runs.replicate.forEach((r, i) => x.roundsOf(series.runs).forEach((t, k) => rows.push([problem.spec, algorithm.spec, metric, r, t, series.runs.v[i][k], "", ""])));
	}
	return rows;
}

// Profiles.

// profileFigure shows the performance profiles of algorithms that are given by index, or of all if
// none is.
function profileFigure(x, metric, algorithms) {
	const m = x.metric(metric), wanted = new Set(algorithms);
	const profiles = x.raw.profiles.filter(f => f.metric === metric && (wanted.size === 0 || wanted.has(f.a)));
	const marks = profiles.map(f => profileMark(f, x.algorithms[f.a], f.a));
	const title = `Performance profiles by ${m.title}`;
	const notes = ["Share of all problems on which an algorithm has at most so many times the least value.", "What is below what one round can cost or violate counts as that much.", "A problem that it was not played on counts as one on which it never has.", profiles.length === 0 ? "There is no profile of this metric." : ""].filter(Boolean);
	const most = Math.max(2, ...marks.flatMap(mark => mark.x.filter(Number.isFinite)));
	const draw = width => [chart({
		title, description: notes.join(" "), width, height: Math.round(Math.min(420, Math.max(320, 0.5 * width))), marks, legend: true,
		x: {label: "times the least value", short: "ratio", scale: "log", domain: [1, 1.3 * most]},
		y: {label: "share of problems", scale: "linear", domain: [0, 1.03]},
	})];
	const rows = () => [["algorithm", "metric", "ratio", "share"], ...profiles.flatMap(f => f.ratio.map((r, k) => [x.algorithms[f.a].spec, metric, r, f.share[k]]))];
	return figureOf("profile", [x.name, "profile", metric], `${title}.`, notes, draw, rows);
}

// profileMark returns the steps of a profile, from ratio 1 to the frame.
function profileMark(profile, algorithm, style) {
	const steps = new Map([[1, 0]]);
	profile.ratio.forEach((r, k) => Number.isFinite(number(r)) && steps.set(number(r), number(profile.share[k])));
	const x = [...steps.keys()], y = [...steps.values()];
	return {kind: "step", key: algorithm.spec, name: algorithm.title, style, x: [...x, Infinity], y: [...y, y[y.length - 1]]};
}
