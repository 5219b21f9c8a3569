// The first screen: the choice of a problem, its curves by violation and by regret, and the table
// of who keeps both at √t on it, in this order. An algorithm that is pointed at, here or in the
// matrix, is lifted: its curves stand out, and the others are grey.

// mostColoured is the largest number of algorithms whose curves have colours from the start.
const mostColoured = 7;

// answerGroups has the answers to whether an algorithm keeps both at √t: the verdicts that belong
// to each answer, and its words. The rows of algorithms stand below their answer.
const answerGroups = [
	[["at-most"], "both at most √t"],
	[["undecided", "too-little-evidence"], "undecided"],
	[["above", "slowing"], "one or both above or slowing"],
	[[""], "not judged"],
];

// bothOf returns the verdict on a regret and a violation of a pair together; without them, those of
// the first screen. It is the verdict of the analysis, or the worse of the two if the reader has
// chosen other metrics.
function bothOf(
	experiment,
	pair,
	regret = regretOf(experiment, pair.p),
	violation = violationOf(experiment),
) {
	const analysed = experiment.raw.focus.views[pair.p] ?? experiment.raw.focus;
	if (regret === analysed.regret && violation === analysed.violation) return pair.root;
	return worstVerdict(pair.series[regret]?.root ?? "", pair.series[violation]?.root ?? "");
}

// keepsBoth tells whether a pair keeps both regret and violation at √t.
function keepsBoth(experiment, pair) {
	return bothOf(experiment, pair) === "at-most";
}

// answersOn returns the groups of a problem with the pairs of each, in the order of their
// violation.
function answersOn(experiment, problemIndex) {
	const all = inOrder(
		experiment.pairsOn(problemIndex),
		pair => number(pair.series[violationOf(experiment)]?.final.value),
		"asc",
	);
	return answerGroups.map(([keys, words]) => ({
		keys,
		words,
		members: all.filter(pair => keys.includes(bothOf(experiment, pair))),
	}));
}

// renderOverview draws the choice of the problem and the metrics, and the three boxes.
function renderOverview(experiment) {
	const problemIndex = problemOf(experiment);
	fillSelect(
		byId("regret"),
		fittedMetrics(experiment, isRegret).map(metric => [metric.name, metric.title]),
		regretOf(experiment, problemIndex),
	);
	fillSelect(
		byId("violation"),
		fittedMetrics(experiment, isViolation).map(metric => [metric.name, metric.title]),
		violationOf(experiment),
	);
	byId("overview").hidden = byId("problems").hidden = problemIndex >= experiment.problems.length;
	if (problemIndex >= experiment.problems.length) return;
	renderProblems(experiment, problemIndex);
	const coloured = colouredOn(experiment, problemIndex);
	byId("violation-curves").replaceChildren(
		panelFigure(experiment, problemIndex, violationOf(experiment), coloured, pointAt),
	);
	byId("regret-curves").replaceChildren(
		panelFigure(experiment, problemIndex, regretOf(experiment, problemIndex), coloured, pointAt),
	);
	renderAnswers(experiment, problemIndex);
	showLifted();
}

// renderProblems draws the choice of the problem: a button each, or a list where they are too
// wide for a row.
function renderProblems(experiment, problemIndex) {
	const holder = byId("problems");
	const focused = holder.contains(document.activeElement);
	const words = shortProblems(experiment);
	const choose = spec => setState({ plane: spec });
	const page = document.documentElement.clientWidth;
	const room = page > 900 ? 0.52 * page : 2 * page; // two rows on a phone
	const wide = words.reduce((sum, text) => sum + 1.3 * textWidth(text) + 22, 0);
	if (experiment.problems.length === 1) {
		holder.replaceChildren(el("b", {}, experiment.problems[0].title));
	} else if (wide <= room) {
		holder.replaceChildren(
			experiment.raw.shared ? experiment.raw.shared : "",
			...words.map((text, index) =>
				el(
					"button",
					{
						type: "button",
						class: "chip",
						"aria-pressed": String(index === problemIndex),
						title: experiment.problems[index].title,
						click: () => choose(experiment.problems[index].spec),
					},
					text,
				),
			),
		);
	} else {
		const select = el("select", {
			"aria-label": "problem",
			change: event => choose(event.target.value),
		});
		fillSelect(
			select,
			experiment.problems.map(problem => [problem.spec, problem.title]),
			experiment.problems[problemIndex].spec,
		);
		holder.replaceChildren(select);
	}
	if (focused) holder.querySelector("[aria-pressed='true'], select")?.focus();
}

// shortProblems names the problems without what they share. Where they differ in one parameter,
// the first has its name, and the others the value.
function shortProblems(experiment) {
	const words = experiment.problems.map(problem => problem.short);
	const parts = words.map(text => text.split(" = "));
	const oneParameter =
		experiment.raw.shared && parts.every(part => part.length === 2 && part[0] === parts[0][0]);
	return oneParameter ? words.map((text, index) => (index === 0 ? text : parts[index][1])) : words;
}

// colouredOn returns the SPECs of the algorithms on a problem whose curves have colours: all, or
// where they are many those that are lifted.
function colouredOn(experiment, problemIndex) {
	const all = experiment.pairsOn(problemIndex).map(pair => experiment.algorithms[pair.a].spec);
	const up = liftedAlgorithms(experiment);
	return new Set(all.length > mostColoured ? all.filter(spec => up.includes(spec)) : all);
}

// liftedAlgorithms returns the SPECs of the algorithms whose curves stand out while none is pointed
// at: the baseline, and the algorithm that the reader chose.
function liftedAlgorithms(experiment) {
	return [experiment.algorithms[experiment.raw.own]?.spec, state.lift].filter(Boolean);
}

// sampleOf draws what the curves of an algorithm look like.
function sampleOf(style) {
	return svgNode(
		"svg",
		{ class: "sample", width: 22, height: 12, viewBox: "0 -6 22 12", "aria-hidden": "true" },
		drawSample({ kind: "line", style }),
	);
}

// endWords says what an exponent is, for the titles of columns that show one.
const endWords =
	"p of t^p: the exponent of the largest mean so far at the end of the window, " +
	"by which growth is judged, with its bounds";

// judgedGrowth returns the exponent by which the growth of a series is judged, as the tables do, or
// words where there is none. Across horizons it is a power of T.
function judgedGrowth(series) {
	if (!series) return { words: verdicts.get("").sign, title: "not measured" };
	if (series.never) return { words: "≤ 0", title: series.why };
	if (!hasValues(series)) return { words: stateWords[series.state] ?? series.state };
	const fit = series.fit;
	if (!fit?.end || !series.root || series.root === "too-little-evidence") {
		return { words: "", title: series.why };
	}
	const across = fit.design === "across-T";
	const base = across ? "T" : "t";
	const exponent = fit.end.exponent;
	const span = `${coordinate(fit.end.from)}…${coordinate(fit.to)}`;
	const how = across ? ", across the horizons" : "";
	const title = `${base}^${exponentText(exponent)} on ${base} = ${span}${how}`;
	return { base, exponent, words: "", title };
}

// acrossWords says what a power of T is, if a table of the problems has one.
function acrossWords(experiment, list) {
	const isAcross = pair => {
		const metrics = [regretOf(experiment, pair.p), violationOf(experiment)];
		return metrics.some(metric => judgedGrowth(pair.series[metric]).base === "T");
	};
	if (!list.some(problemIndex => experiment.pairsOn(problemIndex).some(isAcross))) return "";
	const title =
		"Across the horizons, each with parameters of its own, where an algorithm needs the horizon";
	return el(
		"small",
		{ title },
		"T",
		el("sup", {}, "p"),
		": growth across the horizons; t",
		el("sup", {}, "p"),
		": along t at the last one.",
	);
}

// growthShort writes the exponent by which a series is judged, with its bounds if these are asked
// for, and the sign of a verdict: that on √t if no other one is given.
function growthShort(
	series,
	{ bounds = false, sign = series?.root ? badge(series.root, "") : "" } = {},
) {
	const { words, base, exponent } = judgedGrowth(series);
	if (!exponent) return words ? [words + " ", sign] : [sign || badge("", "")];
	const [value, ...ends] = exponentText(exponent).split(" ");
	return [
		base,
		el("sup", {}, value),
		" ",
		...(bounds && ends.length ? [el("span", { class: "ends" }, ends.join(" ")), " "] : []),
		sign,
	];
}

// finalShort writes the mean at T with the half-width of its interval, or why there is none.
function finalShort(series) {
	if (!series) return "–";
	if (hasValues(series)) return plusMinus(series.final) + partialText(series);
	return stateWords[series.state] ?? series.state;
}

// renderAnswers draws who keeps both regret and violation small on the problem. Of a few
// algorithms it has the intervals of the exponents and both means, of more the violation alone.
function renderAnswers(experiment, problemIndex) {
	const metrics = [
		experiment.metric(regretOf(experiment, problemIndex)),
		experiment.metric(violationOf(experiment)),
	];
	const { title, facts } = experiment.problems[problemIndex];
	const few = experiment.pairsOn(problemIndex).length <= mostColoured;
	const head = (metric, below, span) =>
		el(
			"th",
			{
				scope: span ? "colgroup" : "col",
				colspan: span,
				title: [metric?.doc, endWords].filter(Boolean).join("\n"),
			},
			metric?.title ?? "–",
			el("small", {}, below),
		);
	const answers = answersOn(experiment, problemIndex).filter(group => group.members.length);
	byId("overview").classList.toggle("long", !few);
	byId("overview").classList.toggle(
		"tall",
		!few && 17 * experiment.pairsOn(problemIndex).length + 26 * answers.length > 280,
	);
	byId("answers").replaceChildren(
		el(
			"caption",
			{ title: facts.join(", ") },
			el("b", {}, title),
			few && facts.length ? " – " + facts.join(", ") : "",
			acrossWords(experiment, [problemIndex]),
		),
		el(
			"colgroup",
			{},
			["name", "growth", "growth", ...(few ? [] : ["value"])].map(name =>
				el("col", { class: name }),
			),
		),
		el(
			"thead",
			{},
			el(
				"tr",
				{},
				el("th", { scope: "col" }, "algorithm"),
				few
					? metrics.map(metric => head(metric, "growth; mean\u00a0at\u00a0T"))
					: [head(metrics[0], "growth"), head(metrics[1], "growth; mean\u00a0at\u00a0T", 2)],
			),
		),
		...answers.map(({ keys, words, members }) =>
			el(
				"tbody",
				{},
				el(
					"tr",
					{ class: "group" },
					el(
						"th",
						{ scope: "rowgroup", colspan: few ? 3 : 4 },
						keys
							.filter(key => members.some(pair => bothOf(experiment, pair) === key))
							.flatMap(key => [badge(key, ""), " "]),
						words + ": " + members.length,
					),
				),
				members.map(pair => answerRow(experiment, pair, few)),
			),
		),
	);
}

// answerRow makes the row of a pair: a sample of its curve, its name, and the growth and the mean
// of both metrics.
function answerRow(experiment, pair, few) {
	const algorithm = experiment.algorithms[pair.a];
	const violation = pair.series[violationOf(experiment)];
	const both = [pair.series[regretOf(experiment, pair.p)], violation];
	return el(
		"tr",
		{ "data-algorithm": algorithm.spec },
		el(
			"th",
			{ scope: "row" },
			sampleOf(pair.a),
			el(
				"a",
				{
					href: "#" + encode({ ...state, ...cellView(experiment, pair.a, pair.p) }),
					title: algorithm.title + "\n" + algorithm.spec,
					click: event => openFromLink(event, pair),
				},
				nameParts(algorithm.title),
			),
		),
		both.map(series =>
			el(
				"td",
				{ title: judgedGrowth(series).title },
				growthShort(series, { bounds: few }),
				few ? el("small", {}, finalShort(series)) : "",
			),
		),
		few ? "" : el("td", {}, finalShort(violation)),
	);
}

// nameParts splits a name into what may be cut and its parameters, which are never cut.
function nameParts(title) {
	const tail = tailOf(title);
	return [
		el("span", {}, title.slice(0, title.length - tail.length)),
		tail && el("span", {}, unbroken(tail)),
	];
}

// openFromLink opens a cell from a link; with a key that opens tabs the browser does.
function openFromLink(event, pair) {
	if (event.ctrlKey || event.metaKey || event.shiftKey) return;
	event.preventDefault();
	openCell(shownExperiment().algorithms[pair.a].spec, shownExperiment().problems[pair.p].spec);
}

let pointedAlgorithm; // the SPEC of the algorithm that the pointer or the focus is on

// pointAt lifts the algorithm that is pointed at in place of the others; undefined ends that.
function pointAt(spec) {
	if (spec === pointedAlgorithm) return;
	pointedAlgorithm = spec;
	showLifted();
}

// showLifted shows which curves and names of the first screen stand out, and which are grey.
function showLifted() {
	const experiment = shownExperiment();
	const problemIndex = problemOf(experiment);
	const known =
		pointedAlgorithm !== undefined &&
		experiment.pair(experiment.algorithm(pointedAlgorithm), problemIndex);
	const up = new Set(known ? [pointedAlgorithm] : liftedAlgorithms(experiment));
	const coloured = known ? up : colouredOn(experiment, problemIndex);
	for (const node of byId("overview").querySelectorAll("[data-key], [data-algorithm]")) {
		const key = node.dataset.key ?? node.dataset.algorithm;
		node.classList.toggle("dim", !coloured.has(key));
		node.classList.toggle("up", up.has(key));
		if (up.has(key) && node.matches("g > path") && node.nextSibling) {
			node.parentNode.append(node); // above the others
		}
	}
}

// listenToPointer lifts what the pointer or the focus is on.
function listenToPointer() {
	const over = event => pointAt(event.target.closest?.("[data-algorithm]")?.dataset.algorithm);
	document.addEventListener("pointerover", over);
	document.addEventListener("focusin", over);
}
