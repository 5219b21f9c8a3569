// The figures of an experiment. In the order of this file: what all figures share, the plane of
// regret against violation, the curves along t (of the first screen, of the open cell with their
// local exponents below, and across horizons), and the performance profiles. Each figure chooses
// marks for chart.js, notes for its caption, and rows for its CSV file; the numbers are those of
// the data.

// bandNumbers returns a band of the data as members of a mark.
function bandNumbers(experiment, band) {
	const out = { x: experiment.roundsOf(band), y: band.v.map(number) };
	if (band.l) [out.lower, out.upper] = [band.l.map(number), band.u.map(number)];
	return out;
}

// autoScale returns "log" for numbers that are all positive, and else "symlog".
function autoScale(values) {
	return values.some(value => value <= 0) ? "symlog" : "log";
}

const figureWidths = new Map(); // the last width of a figure, by its kind

// figureOf makes a figure of charts with its caption, and with buttons that save the charts and
// their rows in files, which are named by fileParts. The charts are drawn as wide as the last
// figure of the kind, and again if the page has other room for them.
function figureOf(kind, fileParts, caption, notes, draw, rows) {
	const name = fileParts.join("-");
	let charts = [];
	let drawnAs;
	const sensor = el("div"); // without a height, so that drawing does not change its size
	const holder = el("div", { class: "chart-holder" });
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
	const button = (text, label, click) =>
		el("button", { type: "button", "aria-label": label, click }, text);
	const save = el(
		"span",
		{ class: "chart-save" },
		button("SVG", `Save “${caption}” as SVG`, () =>
			download(`${name}.svg`, "image/svg+xml", svgText(...charts)),
		),
		button("CSV", `Save the data of “${caption}” as CSV`, () =>
			download(`${name}.csv`, "text/csv", csv(rows())),
		),
	);
	if (figureWidths.has(kind)) redraw(figureWidths.get(kind));
	queueMicrotask(redrawToFit); // when it is in the page, and before anything is painted
	new ResizeObserver(redrawToFit).observe(sensor);
	return el(
		"figure",
		{ class: `figure ${kind}` },
		sensor,
		holder,
		el("figcaption", {}, el("p", {}, el("strong", {}, caption), " ", notes.join(" ")), save),
	);
}

// capitalised starts a text with a capital.
function capitalised(text) {
	return text[0].toUpperCase() + text.slice(1);
}

// nameList joins names by commas, and the last by “and”.
function nameList(names) {
	return names.length < 2
		? names.join("")
		: `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

// stateReason says why a series has no values, or that they are rounding errors.
function stateReason(series) {
	return {
		empty:
			"undefined: the comparator set (of dynamic regret and path length: a round) " +
			"is empty in some replicate",
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
	for (const { pair, name } of named) {
		const why = stateReason(pair.series[metric]);
		if (why) namesByReason.set(why, [...(namesByReason.get(why) ?? []), name]);
	}
	return [...namesByReason].map(([why, names]) => `${nameList(names)}: ${why}.`);
}

// emptyFigure stands in the place of a figure where no pair of a problem has values of a metric. It
// says why: of a regret, which set has no action.
function emptyFigure(experiment, kind, problemIndex, metric, named) {
	const metricInfo = experiment.metric(metric);
	const problem = experiment.problems[problemIndex];
	const title = metricInfo?.title ?? metric;
	const words = [];
	const states = [...new Set(named.map(({ pair }) => pair.series[metric]?.state ?? "missing"))];
	if (states.join() === "empty" && metricInfo?.set) {
		const others = experiment.metrics.filter(
			other =>
				other.name.startsWith("regret") &&
				named.some(({ pair }) => hasValues(pair.series[other.name])),
		);
		const what = metricInfo.doc.split(";")[0].replaceAll("^", "");
		const where = problem.deterministic ? "here" : "in some replicate";
		words.push(
			`It is ${what}; ${where} there is no such action.`,
			others.length > 0
				? `There is ${nameList(others.map(other => other.title))}.`
				: "Nor is there another regret on this problem.",
		);
	} else {
		words.push(...stateNotes(named, metric));
	}
	return el(
		"figure",
		{ class: `figure ${kind} nothing` },
		el(
			"p",
			{},
			el("strong", {}, `There is no ${title} on ${problem.title}.`),
			" ",
			words.join(" "),
		),
	);
}

// The plane.

// planeFigure shows the algorithms of a problem by regret and violation at T. onpick is
// called with the SPEC of an algorithm.
function planeFigure(experiment, problemIndex, regretMetric, violationMetric, onpick) {
	const problem = experiment.problems[problemIndex];
	const [regretInfo, violationInfo] = [
		experiment.metric(regretMetric),
		experiment.metric(violationMetric),
	];
	const front =
		experiment.raw.fronts.find(
			candidate =>
				candidate.p === problemIndex &&
				candidate.regret === regretMetric &&
				candidate.violation === violationMetric,
		)?.algorithms ?? [];
	const pairs = experiment.pairsOn(problemIndex);
	const points = [];
	const absent = [];
	for (const pair of pairs) {
		const point = planePoint(
			experiment,
			pair,
			regretMetric,
			violationMetric,
			front.includes(pair.a),
		);
		if (point) {
			points.push(point);
		} else {
			absent.push({ pair, name: experiment.algorithms[pair.a].title });
		}
	}
	if (points.length === 0) {
		const lacking = [regretMetric, violationMetric].find(
			metric => !pairs.some(pair => hasValues(pair.series[metric])),
		);
		if (lacking) return emptyFigure(experiment, "plane", problemIndex, lacking, absent);
	}
	const marks = [...frontMark(points.filter(point => point.first)), ...points];
	const T = powerOrNumber(experiment.lastHorizon);
	const notes = [
		"Bars: the intervals of both means.",
		front.length > 0
			? "Grey line and bold names: the front: no algorithm has less of both means."
			: "",
		"Sign: the verdict on growth of both like √t; filled: both keep it.",
		"Names without room show when pointed at.",
		...absent.map(({ pair, name }) => {
			const both = [pair.series[regretMetric], pair.series[violationMetric]];
			const why = stateReason(both.find(series => !hasValues(series)));
			return `Not in the plane: ${name} (${why}).`;
		}),
	].filter(Boolean);
	const title = capitalised(
		`${regretInfo.title} against ${violationInfo.title} on ${problem.title}`,
	);
	const axis = (metricInfo, values) => ({
		label: `${metricInfo.title} at T = ${T}`,
		short: metricInfo.title,
		scale: autoScale(values),
	});
	const draw = width => [
		chart({
			title,
			description: notes.join(" "),
			width,
			height: Math.round(Math.min(460, Math.max(340, 0.72 * width))),
			marks,
			legend: false,
			onpick,
			x: axis(
				regretInfo,
				points.map(point => point.x[0]),
			),
			y: axis(
				violationInfo,
				points.map(point => point.y[0]),
			),
		}),
	];
	const rows = () => [
		csvHead,
		...pairs.flatMap(pair =>
			[regretMetric, violationMetric]
				.filter(metric => pair.series[metric])
				.map(metric => {
					const { value, lower, upper } = pair.series[metric].final;
					return [
						problem.spec,
						experiment.algorithms[pair.a].spec,
						metric,
						"",
						experiment.lastHorizon,
						value,
						lower,
						upper,
					];
				}),
		),
	];
	return figureOf(
		"plane",
		[experiment.name, "plane", problem.spec],
		`${title}.`,
		notes,
		draw,
		rows,
	);
}

// hasValues tells whether a series has values.
function hasValues(series) {
	return series?.state === "measured" || series?.state === "rounding";
}

// planePoint returns the mark of a pair, if it has both values.
function planePoint(experiment, pair, regretMetric, violationMetric, first) {
	const [regret, violation] = [pair.series[regretMetric], pair.series[violationMetric]];
	if (
		!hasValues(regret) ||
		!hasValues(violation) ||
		!Number.isFinite(number(regret.final.value)) ||
		!Number.isFinite(number(violation.final.value))
	) {
		return undefined;
	}
	const { title, spec } = experiment.algorithms[pair.a];
	const verdict = bothOf(experiment, pair, regretMetric, violationMetric);
	const ends = estimate => [[number(estimate.lower)], [number(estimate.upper)]];
	const [xlower, xupper] = ends(regret.final);
	const [lower, upper] = ends(violation.final);
	return {
		kind: "points",
		key: spec,
		name: title,
		label: `${verdicts.get(verdict).sign} ${title}`,
		first,
		style: pair.a,
		size: 4.8,
		hollow: verdict !== "at-most",
		x: [number(regret.final.value)],
		y: [number(violation.final.value)],
		xlower,
		xupper,
		lower,
		upper,
		note: [`both: ${verdictWord(verdict)}`, first ? "on the front" : ""].filter(Boolean).join("; "),
	};
}

// frontMark returns the steps through the front, beyond which the points are that it leaves out.
function frontMark(points) {
	if (points.length === 0) return [];
	const sorted = points
		.map(mark => [mark.x[0], mark.y[0]])
		.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
	const path = [[sorted[0][0], Infinity], ...sorted, [Infinity, sorted[sorted.length - 1][1]]];
	return [
		{
			kind: "step",
			key: "front",
			faint: true,
			free: true,
			opacity: 1,
			width: 1.5,
			colour: chartColours.axis,
			dash: "",
			x: path.map(point => point[0]),
			y: path.map(point => point[1]),
		},
	];
}

// powerOrNumber writes a power of ten from 1000 on as 10^k, and other numbers with their digits.
function powerOrNumber(round) {
	const power = Math.round(Math.log10(round));
	return power >= 3 && 10 ** power === round ? `10^${power}` : numberText(round);
}

// Curves.

// csvHead names the columns of a figure's data.
const csvHead = ["problem", "algorithm", "metric", "replicate", "t", "value", "lower", "upper"];

// drawnLines returns the named pairs that have a curve of a metric, each with its series and the
// judgement that is about the metric.
function drawnLines(named, metric) {
	return named
		.filter(({ pair }) => hasValues(pair.series[metric]) && pair.series[metric].mean)
		.map(entry => ({
			...entry,
			series: entry.pair.series[metric],
			judged: judgedBy(entry.pair, metric),
		}));
}

// valuesOf returns all means of lines, those of the horizons included.
function valuesOf(lines) {
	return lines.flatMap(({ series }) => [...series.mean.v, ...(series.across?.v ?? [])].map(number));
}

// panelFigure shows a metric of all algorithms of a problem along t, for the first screen: bands,
// bounds and names of those that are coloured, and how √t grows. onnear is called with the SPEC of
// the algorithm that is pointed at, or with undefined.
function panelFigure(experiment, problemIndex, metric, coloured, onnear) {
	const metricInfo = experiment.metric(metric);
	const problem = experiment.problems[problemIndex];
	const named = experiment.pairsOn(problemIndex).map(pair => {
		const algorithm = experiment.algorithms[pair.a];
		return { pair, algorithm, problem, name: algorithm.title, style: pair.a, key: algorithm.spec };
	});
	const lines = drawnLines(named, metric);
	const values = valuesOf(lines);
	if (lines.length === 0) return emptyFigure(experiment, "panel", problemIndex, metric, named);
	const ends = lines.map(({ series }) => number(series.mean.v[series.mean.v.length - 1]));
	// A line that begins at 0 is only cut on a logarithmic axis; one that ends there needs symlog.
	const scale = {
		scale: ends.every(value => value > 0) ? "log" : "symlog",
		threshold: symlogThreshold(values),
	};
	const bold = lines.filter(line => coloured.has(line.key));
	const marks = [
		...lines.flatMap(line =>
			curveMarks(experiment, line).filter(
				mark => mark.kind === "line" || (mark.kind === "band" && coloured.has(line.key)),
			),
		),
		...bold
			.flatMap(line => boundMarks(experiment, line))
			.map(mark => ({ ...mark, key: mark.key.replace(/ bound$/, "") })),
		...rootGuide(experiment, lines, ends, scale),
	];
	const { domain, hidden } = cappedDomain(scale, marks);
	const hasMark = test => marks.some(test);
	const notes = [
		hasMark(mark => mark.kind === "band") ? "Bands: intervals of the means." : "",
		hasMark(mark => mark.free && mark.kind === "line") ? "Dotted: the bound of the proof." : "",
		hidden ? hiddenBoundsNote : "",
		...stateNotes(named, metric),
	].filter(Boolean);
	const title = `${capitalised(metricInfo?.title ?? metric)} on ${problem.title}`;
	const [from, to] = timeSpan(lines, experiment, "log");
	const draw = width => [
		chart({
			title,
			description: notes.join(" "),
			width,
			height: Math.round(Math.min(380, Math.max(290, 0.86 * width))),
			marks,
			legend: false,
			ends: coloured.size <= mostColoured ? coloured : undefined,
			onnear,
			x: { label: "t", short: "t", scale: "log", domain: [from, to] },
			y: { label: metricInfo?.title ?? metric, ...scale, domain },
		}),
	];
	const rows = () => [
		csvHead,
		...lines.flatMap(line => curveRows(experiment, line, metric, false, true)),
	];
	return figureOf(
		"panel",
		[experiment.name, metric, problem.spec],
		`${title}.`,
		notes,
		width => {
			queueMicrotask(showLifted); // when it is in the page
			return draw(width);
		},
		rows,
	);
}

// rootGuide returns a guide that grows like √t over the last 2.5 decades of t, to the middle, on a
// logarithmic axis, of the positive means at its end.
function rootGuide(experiment, lines, ends, scale) {
	const positive = ends.filter(value => value > (scale.scale === "log" ? 0 : scale.threshold));
	if (positive.length === 0) return [];
	const T = experiment.lastHorizon;
	const height = Math.sqrt(Math.min(...positive) * Math.max(...positive));
	const rounds = experiment.roundsOf(lines[0].series.mean).filter(round => round >= T / 300);
	return [
		{
			kind: "guide",
			key: "",
			colour: chartColours.muted,
			dash: "6 4",
			free: true,
			label: "√t",
			x: rounds,
			y: rounds.map(round => height * Math.sqrt(round / T)),
		},
	];
}

// curvesFigure shows a metric of pairs along t, and the local exponents below.
function curvesFigure(experiment, { pairs, metric, xaxis, yaxis, replicates, bound, claim }) {
	const metricInfo = experiment.metric(metric);
	const named = namedPairs(experiment, pairs);
	const lines = drawnLines(named, metric);
	const values = valuesOf(lines);
	if (lines.length === 0 && new Set(pairs.map(pair => pair.p)).size === 1) {
		return emptyFigure(experiment, "curves", pairs[0].p, metric, named);
	}
	const scale = {
		x: xaxis || "log",
		y: yaxis || autoScale(values),
		threshold: symlogThreshold(values),
	};
	const upper = [
		...lines.flatMap(line => curveMarks(experiment, line)),
		...(replicates ? lines.flatMap(line => runMarks(experiment, line)) : []),
		...(claim ? claimMarks(experiment, lines, scale.y === "symlog" ? scale.threshold : 0) : []),
		...(bound ? lines.flatMap(line => boundMarks(experiment, line)) : []),
	];
	const { domain, hidden } = bound
		? cappedDomain({ scale: scale.y, threshold: scale.threshold }, upper)
		: {};
	const lower = localMarks(experiment, lines, claim);
	const cut = lower.some(mark =>
		[...mark.y, ...(mark.lower ?? []), ...(mark.upper ?? [])].some(
			value => value < -0.5 || value > 1.5,
		),
	);
	const notes = curveNotes({
		lines,
		named,
		metric,
		scale,
		upper,
		lower,
		replicates,
		bound,
		claim,
		hidden,
	});
	const title = curvesTitle(experiment, metricInfo, named);
	const [from, to] = timeSpan(lines, experiment, scale.x);
	const draw = width => {
		const axis = { label: "t", short: "t", scale: scale.x, domain: [from, to] };
		const top = chart({
			title,
			description: notes.join(" "),
			width,
			height: Math.round(Math.min(400, Math.max(290, 0.5 * width))),
			marks: upper,
			legend: true,
			empty: stateNotes(named, metric).join(" "),
			x: axis,
			y: { label: metricInfo.title, scale: scale.y, threshold: scale.threshold, domain },
		});
		if (lower.length === 0) return [top];
		return [
			top,
			chart({
				title: `Local exponents: ${title}`,
				description: "Over half a decade each.",
				width,
				height: 190,
				marks: lower,
				legend: false,
				margins: top.margins,
				x: axis,
				y: {
					label: `local exponent${cut ? "  (cut at −0.5 and 1.5)" : ""}`,
					short: "local exponent",
					scale: "linear",
					domain: [-0.5, 1.5],
				},
			}),
		];
	};
	const rows = () => [
		csvHead,
		...lines.flatMap(line => curveRows(experiment, line, metric, replicates, bound)),
	];
	return figureOf(
		"curves",
		[
			experiment.name,
			metric,
			...new Set(named.map(entry => entry.problem.spec)),
			...(named.length === 1 ? [named[0].algorithm.spec] : []),
		],
		`${title}.`,
		notes,
		draw,
		rows,
	);
}

// horizonFigure shows a metric of algorithms on a problem at the horizons of a sweep across T:
// means with intervals, lines with the exponents that are judged, and the claimed growth.
function horizonFigure(experiment, problemIndex, metric, shown) {
	const metricInfo = experiment.metric(metric);
	const named = namedPairs(experiment, experiment.pairsOn(problemIndex)).filter(entry =>
		shown.has(entry.algorithm.spec),
	);
	const lines = drawnLines(named, metric)
		.map(line => ({ ...line, band: line.series.across ?? line.series.ends }))
		.filter(line => line.band);
	if (lines.length === 0) return emptyFigure(experiment, "horizons", problemIndex, metric, named);
	const values = lines.flatMap(({ band }) => band.v.map(number));
	const scale = { scale: autoScale(values), threshold: symlogThreshold(values) };
	const floor = scale.scale === "symlog" ? scale.threshold : 0;
	const slopes = lines.flatMap(line => judgedSlope(line, floor));
	const claims = claimMarks(experiment, lines, floor);
	const marks = [
		...lines.map(({ band, name, style, key }) => ({
			kind: "points",
			key,
			name,
			style,
			whiskers: 1,
			...bandNumbers(experiment, band),
		})),
		...slopes,
		...claims,
	];
	const notes = [
		"Points: means at T; bars: their intervals.",
		slopes.length > 0 ? "Lines: the exponents that are judged." : "",
		claims.length > 0 ? "Dashed: the claimed growth, at an arbitrary height." : "",
		...stateNotes(named, metric),
	].filter(Boolean);
	const problem = experiment.problems[problemIndex];
	const title = `${capitalised(metricInfo.title)} on ${problem.title} across T`;
	const draw = width => [
		chart({
			title,
			description: notes.join(" "),
			width,
			height: Math.round(Math.min(380, Math.max(290, 0.7 * width))),
			marks,
			legend: true,
			x: { label: "T", short: "T", scale: "log" },
			y: { label: metricInfo.title, ...scale },
		}),
	];
	const rows = () => [
		csvHead,
		...lines.flatMap(({ band, problem, algorithm }) =>
			experiment
				.roundsOf(band)
				.map((t, k) => [
					problem.spec,
					algorithm.spec,
					metric,
					"",
					t,
					band.v[k],
					band.l?.[k],
					band.u?.[k],
				]),
		),
	];
	return figureOf(
		"horizons",
		[experiment.name, metric, problem.spec, "T"],
		`${title}.`,
		notes,
		draw,
		rows,
	);
}

// judgedSlope returns a guide that grows with the exponent by which a series is judged, and ends at
// its last mean. The guide is left out where it is not above a floor.
function judgedSlope({ series, style, key }, floor) {
	const { exponent } = judgedGrowth(series);
	const last = number(series.final.value);
	if (!exponent || !(last > floor)) return [];
	const { end, to } = series.fit;
	const { from } = end;
	const at = k => from * (to / from) ** (k / 8);
	const grows = time => last * (time / to) ** number(exponent.value);
	const times = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(at).filter(time => grows(time) > floor);
	return [
		{
			kind: "guide",
			key: `${key} slope`,
			style,
			dash: "",
			free: true,
			x: times,
			y: times.map(grows),
		},
	];
}

// namedPairs names each pair by what it does not share with the others. An algorithm has the same
// style wherever it is drawn; so has a problem among those of one algorithm.
function namedPairs(experiment, pairs) {
	const hasSeveralAlgorithms = new Set(pairs.map(pair => pair.a)).size > 1;
	const hasSeveralProblems = new Set(pairs.map(pair => pair.p)).size > 1;
	const nameOf = (algorithm, problem) => {
		if (!hasSeveralProblems) return algorithm.title;
		if (!hasSeveralAlgorithms) return problem.title;
		return `${algorithm.title}, ${problem.title}`;
	};
	return pairs.map(pair => {
		const algorithm = experiment.algorithms[pair.a];
		const problem = experiment.problems[pair.p];
		return {
			pair,
			algorithm,
			problem,
			name: nameOf(algorithm, problem),
			style: hasSeveralProblems && !hasSeveralAlgorithms ? pair.p : pair.a,
			key: `${algorithm.spec} ${problem.spec}`,
		};
	});
}

// curvesTitle names the metric of curves, with the algorithm and the problem if all have the same.
function curvesTitle(experiment, metricInfo, named) {
	const problems = new Set(named.map(entry => entry.problem.title));
	const algorithms = new Set(named.map(entry => entry.algorithm.title));
	const of = algorithms.size === 1 && named.length > 0 ? ` of ${[...algorithms][0]}` : "";
	const on = problems.size === 1 ? ` on ${[...problems][0]}` : "";
	return `${capitalised(metricInfo.title)}${of}${on}`;
}

// judgedBy returns the judgement of a pair that is about a metric, if one is.
function judgedBy(pair, metric) {
	return [pair.regret, pair.dynamic, pair.violation].find(
		judgement => judgement?.metric === metric,
	);
}

// timeSpan returns the first and the last round that is shown; a linear axis begins at 0.
function timeSpan(lines, experiment, scale) {
	let from = Infinity;
	let to = -Infinity;
	for (const { series } of lines) {
		for (const t of experiment.roundsOf(series.mean)) {
			[from, to] = [Math.min(from, t), Math.max(to, t)];
		}
	}
	if (from > to) [from, to] = [1, experiment.lastHorizon];
	if (from === to) [from, to] = scale === "log" ? [from / 2, to * 2] : [from - 1, to + 1];
	return scale === "log" ? [from, to] : [0, to];
}

// curveMarks returns the mean with its interval, and the final means of each horizon.
function curveMarks(experiment, { series, name, style, key }) {
	const mean = bandNumbers(experiment, series.mean);
	const marks = [];
	if (mean.lower) marks.push({ kind: "band", key, style, ...mean });
	marks.push({ kind: "line", key, name, style, ...mean });
	if (series.across) {
		marks.push({
			kind: "points",
			key,
			name: `${name}, games with T = t`,
			unnamed: true,
			style,
			hollow: true,
			whiskers: 1,
			...bandNumbers(experiment, series.across),
		});
	}
	return marks;
}

// runMarks returns a thin line for each replicate of a series.
function runMarks(experiment, { series, style, key }) {
	const { runs } = series;
	return (runs?.v ?? []).map(row => ({
		kind: "line",
		key,
		faint: true,
		style,
		dash: "",
		x: experiment.roundsOf(runs),
		y: row.map(number),
	}));
}

// claimedExponent writes an exponent of a claim.
function claimedExponent(exponent) {
	return String(Number(exponent.toFixed(3))).replace("-", "−");
}

// growthText writes a growth as ∝ t^exponent (log t)^log, without factors that are 1.
function growthText(exponent, log) {
	const power = `t^${claimedExponent(exponent)}`;
	if (!log) return `∝ ${power}`;
	const logPower = log === 1 ? "log t" : `(log t)^${claimedExponent(log)}`;
	return exponent === 0 ? `∝ ${logPower}` : `∝ ${power} ${logPower}`;
}

// claimMarks returns a guide for each claimed growth: over the window of the fit, 1.7 times as high
// as the end of the first line that it is claimed of, so that it hides none, and only where it is
// above a floor.
function claimMarks(experiment, lines, floor) {
	const guides = new Map();
	for (const { series, judged, style } of lines) {
		const exponent = judged?.exponent;
		const end = number(series.mean.v[series.mean.v.length - 1]);
		if (exponent === null || exponent === undefined || !(end > floor)) continue;
		const text = growthText(exponent, judged.log);
		if (guides.has(text)) {
			guides.get(text).colour = chartColours.muted; // it is of several lines
			continue;
		}
		const all = experiment.roundsOf(series.mean);
		const T = all[all.length - 1];
		const from = series.fit?.from ?? T / 1000;
		const grows = round => round ** exponent * (judged.log ? Math.log(round) ** judged.log : 1);
		const height = round => (1.7 * end * grows(round)) / grows(T);
		const rounds = all.filter(round => round >= from && round > 1 && height(round) > floor);
		guides.set(text, {
			kind: "guide",
			key: text,
			style,
			dash: "6 4",
			free: true,
			label: text,
			x: rounds,
			y: rounds.map(height),
		});
	}
	return [...guides.values()];
}

// boundMarks returns the bound of a line, as a dotted line, if one is known.
function boundMarks(experiment, { judged, name, style, key }) {
	const band = judged?.bound?.mean;
	if (!band) return [];
	return [
		{
			kind: "line",
			plain: true,
			free: true,
			key: `${key} bound`,
			name: `${name}: bound`,
			unnamed: true,
			style,
			dash: "1.5 3",
			width: 1.5,
			...bandNumbers(experiment, band),
		},
	];
}

// mostOverValues is how many times the largest value an axis may reach to show bounds.
const mostOverValues = 30;

// hiddenBoundsNote is the note on bounds that cappedDomain hides.
const hiddenBoundsNote =
	`Bounds above ${mostOverValues} times the largest value ` + "are beyond the frame.";

// cappedDomain returns the domain of an axis that has room for bounds of at most mostOverValues
// times the largest value, and whether a bound is hidden. It returns {} without bounds.
function cappedDomain(axis, marks) {
	const bounds = marks
		.filter(mark => mark.free && mark.kind === "line")
		.flatMap(mark => mark.y)
		.filter(Number.isFinite);
	if (bounds.length === 0) return {};
	const others = marks.filter(mark => !mark.free && mark.kind !== "guide");
	const values = others.filter(mark => mark.kind !== "band" && !mark.faint).flatMap(mark => mark.y);
	const scale = axisScale(
		axis,
		values,
		others.flatMap(mark => [...mark.y, ...(mark.lower ?? []), ...(mark.upper ?? [])]),
	);
	const hi = scale.from(scale.hi);
	const most = mostOverValues * Math.max(...values.filter(Number.isFinite).map(Math.abs));
	const top = Math.max(...bounds);
	return {
		domain: [scale.from(scale.lo), Math.max(hi, Math.min(1.15 * top, most))],
		hidden: top > Math.max(hi, most),
	};
}

// localMarks returns the local exponents with their intervals, and a level at each claim.
function localMarks(experiment, lines, claim) {
	const marks = [];
	const levels = new Map();
	for (const { series, judged, name, style, key } of lines) {
		const { slopes } = series;
		if (!slopes || !slopes.v.some(slope => slope !== null)) continue;
		const band = bandNumbers(experiment, slopes);
		if (band.lower) marks.push({ kind: "band", key, style, ...band });
		marks.push({ kind: "line", key, name, style, unnamed: true, ...band });
		const exponent = judged?.exponent;
		if (!claim || exponent === null || exponent === undefined) continue;
		const text = claimedExponent(exponent);
		if (levels.has(text)) {
			levels.get(text).style = undefined; // it is of several lines
		} else {
			levels.set(text, { exponent, style });
		}
	}
	const T = experiment.lastHorizon;
	const places = [1, 1.5, 3, 10, T / 3, T]; // where the label of a level may be
	for (const [text, { exponent, style }] of levels) {
		marks.push({
			kind: "guide",
			key: `claim ${text}`,
			dash: "6 4",
			...(style === undefined ? { colour: chartColours.muted } : { style }),
			label: text,
			x: places,
			y: places.map(() => exponent),
		});
	}
	return marks;
}

// curveNotes says what is drawn, and what is not.
function curveNotes({
	lines,
	named,
	metric,
	scale,
	upper,
	lower,
	replicates,
	bound,
	claim,
	hidden,
}) {
	const has = test => upper.some(test);
	const below =
		scale.y === "log" &&
		has(mark => mark.kind === "line" && !mark.free && mark.y.some(value => value <= 0));
	const notes = [];
	if (has(mark => mark.kind === "band")) {
		notes.push("Lines: means; bands: their pointwise intervals.");
	} else if (lines.length > 0) {
		notes.push("One replicate: no interval.");
	}
	if (has(mark => mark.kind === "points")) {
		notes.push("Hollow markers: means at T of games that are played with that horizon.");
	}
	if (replicates && has(mark => mark.faint)) {
		notes.push("Thin lines: single replicates.");
	} else if (replicates) {
		notes.push("Single replicates are not kept for this metric.");
	}
	if (claim && has(mark => mark.kind === "guide")) {
		notes.push("Dashed: the claimed growth, at an arbitrary height.");
	}
	if (bound && has(mark => mark.free && mark.kind === "line")) {
		notes.push("Dotted: the bound of the proof.");
	} else if (bound) {
		notes.push("No bound is stated for this metric.");
	}
	if (hidden) notes.push(hiddenBoundsNote);
	if (below) notes.push("Values ≤ 0 have no place on a logarithmic axis and are left out.");
	if (lower.length > 0) notes.push("Below: exponents over half a decade each.");
	return [...notes, ...stateNotes(named, metric)];
}

// curveRows returns what is seen of a line, in rows of the columns csvHead.
function curveRows(experiment, { series, judged, problem, algorithm }, metric, replicates, bound) {
	const rows = [];
	const { runs } = series;
	const addBand = (name, band) => {
		if (!band) return;
		for (const [k, t] of experiment.roundsOf(band).entries()) {
			const interval = [band.v[k], band.l?.[k], band.u?.[k]];
			rows.push([problem.spec, algorithm.spec, name, "", t, ...interval]);
		}
	};
	addBand(metric, series.mean);
	addBand(`${metric} across T`, series.across);
	addBand(`${metric} local exponent`, series.slopes);
	if (bound) addBand(`${metric} bound`, judged?.bound?.mean);
	if (!replicates || !runs) return rows;
	for (const [i, replicate] of runs.replicate.entries()) {
		for (const [k, t] of experiment.roundsOf(runs).entries()) {
			rows.push([problem.spec, algorithm.spec, metric, replicate, t, runs.v[i][k], "", ""]);
		}
	}
	return rows;
}

// Profiles.

// profileFigure shows the performance profiles of algorithms that are given by index, or of all if
// none is.
function profileFigure(experiment, metric, algorithms) {
	const metricInfo = experiment.metric(metric);
	const wanted = new Set(algorithms);
	const profiles = experiment.raw.profiles.filter(
		profile => profile.metric === metric && (wanted.size === 0 || wanted.has(profile.a)),
	);
	const marks = profiles.map(profile =>
		profileMark(profile, experiment.algorithms[profile.a], profile.a),
	);
	const title = `Performance profiles by ${metricInfo.title}`;
	const notes = [
		"Share of all problems on which an algorithm has at most so many times the least value.",
		"What is below what one round can cost or violate counts as that much.",
		"A problem that it was not played on counts as one on which it never has.",
		profiles.length === 0 ? "There is no profile of this metric." : "",
	].filter(Boolean);
	const most = Math.max(2, ...marks.flatMap(mark => mark.x.filter(Number.isFinite)));
	const draw = width => [
		chart({
			title,
			description: notes.join(" "),
			width,
			height: Math.round(Math.min(420, Math.max(320, 0.5 * width))),
			marks,
			legend: true,
			x: { label: "times the least value", short: "ratio", scale: "log", domain: [1, 1.3 * most] },
			y: { label: "share of problems", scale: "linear", domain: [0, 1.03] },
		}),
	];
	const rows = () => [
		["algorithm", "metric", "ratio", "share"],
		...profiles.flatMap(profile =>
			profile.ratio.map((ratio, k) => [
				experiment.algorithms[profile.a].spec,
				metric,
				ratio,
				profile.share[k],
			]),
		),
	];
	return figureOf("profile", [experiment.name, "profile", metric], `${title}.`, notes, draw, rows);
}

// profileMark returns the steps of a profile, from ratio 1 to the frame.
function profileMark(profile, algorithm, style) {
	const steps = new Map([[1, 0]]);
	for (const [k, ratio] of profile.ratio.entries()) {
		if (Number.isFinite(number(ratio))) steps.set(number(ratio), number(profile.share[k]));
	}
	const x = [...steps.keys()];
	const y = [...steps.values()];
	return {
		kind: "step",
		key: algorithm.spec,
		name: algorithm.title,
		style,
		x: [...x, Infinity],
		y: [...y, y[y.length - 1]],
	};
}
