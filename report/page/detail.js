// The open cell: its title, its curves and the list of what else can be on the chart, the table of
// what is known of its numbers, and the commands that play it again, in this order.

// startMembers is how many problems of one algorithm are on the chart at the start.
const startMembers = 8;

let focusBefore; // what had the focus before the cell was opened
let openedCell; // the SPECs of the open cell's algorithm and problem

// cellView returns the view of a pair. On the chart is also, for reference, the algorithm
// with the least violation of those that keep both regret and violation at √t, or the
// first of the front.
function cellView(experiment, algorithmIndex, problemIndex) {
	const atMost = answersOn(experiment, problemIndex)[0].members.map(pair => pair.a);
	const front =
		experiment.raw.fronts.find(candidate => candidate.p === problemIndex)?.algorithms ?? [];
	const reference = [...atMost, ...front].find(
		candidate =>
			candidate !== algorithmIndex &&
			experiment.pair(candidate, problemIndex)?.series[metricOf(experiment)],
	);
	const members = reference === undefined ? [algorithmIndex] : [algorithmIndex, reference];
	return {
		problem: experiment.problems[problemIndex].spec,
		algorithms: members.map(member => experiment.algorithms[member].spec),
		over: "algorithms",
		problems: [],
	};
}

// openCell opens the curves of a pair, with others beside it, moves the focus there, and puts the
// pair into the curves of the first screen.
function openCell(algorithm, problem, beside) {
	const experiment = shownExperiment();
	const algorithmIndex = experiment.algorithm(algorithm);
	const problemIndex = experiment.problem(problem);
	if (!experiment.pair(algorithmIndex, problemIndex)) return;
	if (!byId("detail").contains(document.activeElement)) focusBefore = document.activeElement;
	const view = cellView(experiment, algorithmIndex, problemIndex);
	if (beside) view.algorithms = [algorithm, ...beside];
	setState({ ...view, plane: problem, lift: algorithm });
	const title = byId("detail-title");
	title.focus({ preventScroll: true });
	byId("detail").scrollIntoView({
		behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
	});
}

// closeCell closes the open cell.
function closeCell() {
	setState({ problem: "", algorithms: [], problems: [], over: "algorithms" });
}

// leaveCell returns the focus to where it came from.
function leaveCell() {
	const back =
		focusBefore?.isConnected && focusBefore !== document.body
			? focusBefore
			: cellButton(...openedCell);
	(back ?? byId("q")).focus();
	focusBefore = openedCell = undefined;
}

// toggleMember puts an algorithm (or a problem) on the chart, or takes it off; the last one stays.
function toggleMember(spec) {
	const experiment = shownExperiment();
	const key = state.over;
	const members =
		key === "algorithms"
			? state.algorithms
			: shownProblems(experiment).map(problemIndex => experiment.problems[problemIndex].spec);
	const next = members.includes(spec)
		? members.filter(member => member !== spec)
		: [...members, spec];
	if (next.length) setState({ [key]: next });
}

// shownProblems returns the problems on the chart of one algorithm.
function shownProblems(experiment) {
	const algorithmIndex = experiment.algorithm(state.algorithms[0]);
	const all = experiment.problems
		.map((_, problemIndex) => problemIndex)
		.filter(problemIndex => experiment.pair(algorithmIndex, problemIndex));
	const picked = all.filter(problemIndex =>
		state.problems.includes(experiment.problems[problemIndex].spec),
	);
	if (picked.length) return picked;
	const openProblem = experiment.problem(state.problem);
	return [openProblem, ...all.filter(other => other !== openProblem)]
		.slice(0, startMembers)
		.sort((one, two) => one - two);
}

// onChart returns the pairs on the chart, that of the open cell first.
function onChart(experiment) {
	const problemIndex = experiment.problem(state.problem);
	const algorithmIndex = experiment.algorithm(state.algorithms[0]);
	if (state.over === "algorithms") {
		return state.algorithms.map(spec => experiment.pair(experiment.algorithm(spec), problemIndex));
	}
	return shownProblems(experiment).map(shownProblem =>
		experiment.pair(algorithmIndex, shownProblem),
	);
}

// renderDetail shows or hides the open cell.
function renderDetail(experiment) {
	const section = byId("detail");
	const problemIndex = experiment.problem(state.problem);
	const algorithmIndex = experiment.algorithm(state.algorithms[0]);
	section.hidden = problemIndex < 0 || algorithmIndex < 0;
	if (section.hidden) {
		if (openedCell) leaveCell();
		return;
	}
	openedCell = [state.algorithms[0], state.problem];
	const pair = experiment.pair(algorithmIndex, problemIndex);
	const metric = experiment.metric(metricOf(experiment));
	byId("detail-title").textContent =
		experiment.algorithms[algorithmIndex].title + " on " + experiment.problems[problemIndex].title;
	byId("detail-doc").replaceChildren(
		el("code", {}, experiment.algorithms[algorithmIndex].spec),
		" " + experiment.algorithms[algorithmIndex].doc,
		el("br"),
		el("code", {}, experiment.problems[problemIndex].spec),
		" " + experiment.problems[problemIndex].doc,
	);
	for (const id of ["over", "xaxis", "yaxis"]) {
		byId(id).value = state[id];
	}
	for (const id of ["replicates", "bound", "claim"]) {
		byId(id).checked = state[id];
	}
	byId("curves-metric").value = metricOf(experiment);
	renderMembers(experiment, problemIndex, algorithmIndex);
	byId("curves").replaceChildren(
		curvesFigure(experiment, {
			pairs: onChart(experiment),
			metric: metricOf(experiment),
			xaxis: state.xaxis,
			yaxis: state.yaxis,
			replicates: state.replicates,
			bound: state.bound,
			claim: state.claim,
		}),
	);
	byId("facts").replaceChildren(
		el(
			"caption",
			{},
			(metric?.title ?? metricOf(experiment)) +
				" of " +
				experiment.algorithms[algorithmIndex].title,
		),
		el(
			"tbody",
			{},
			factRows(experiment, pair).map(([name, ...content]) =>
				el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, ...content)),
			),
		),
	);
	renderCommands(experiment, pair);
}

// memberValue writes the value at T of an item in the list of renderMembers.
function memberValue(series) {
	if (!series) return "–";
	return series.state === "measured" ? plusMinus(series.final) : stateWords[series.state];
}

// renderMembers lists what can be on the chart, with the values at T.
function renderMembers(experiment, problemIndex, algorithmIndex) {
	const overProblems = state.over === "problems";
	const shown = new Set(onChart(experiment));
	const all = overProblems
		? experiment.problems.map((_, other) => experiment.pair(algorithmIndex, other)).filter(Boolean)
		: inOrder(
				experiment.pairsOn(problemIndex),
				pair => number(pair.series[metricOf(experiment)]?.final.value),
				"asc",
			);
	const items = all.map(pair => {
		const entry = overProblems ? experiment.problems[pair.p] : experiment.algorithms[pair.a];
		const series = pair.series[metricOf(experiment)];
		const last = shown.has(pair) && shown.size === 1;
		return el(
			"label",
			{ class: pair.a === algorithmIndex && pair.p === problemIndex ? "chosen" : null },
			el("input", {
				type: "checkbox",
				value: entry.spec,
				checked: shown.has(pair),
				disabled: last,
				change: () => {
					toggleMember(entry.spec);
					focusInput("members", entry.spec);
				},
			}),
			el("span", {}, entry.title),
			el("small", {}, badge(series?.root ?? "", ""), " ", memberValue(series)),
		);
	});
	const front =
		experiment.raw.fronts.find(candidate => candidate.p === problemIndex)?.algorithms ?? [];
	const setMembers = specs => () => setState({ [state.over]: specs });
	byId("members").replaceChildren(
		el(
			"legend",
			{},
			overProblems
				? "Problems of " + experiment.algorithms[algorithmIndex].title
				: "Algorithms on " + experiment.problems[problemIndex].title + ", by their values",
		),
		el(
			"p",
			{ class: "controls" },
			overProblems
				? null
				: [
						el("button", { type: "button", click: setMembers([state.algorithms[0]]) }, "only this"),
						front.length
							? el(
									"button",
									{
										type: "button",
										click: setMembers([
											...new Set([
												state.algorithms[0],
												...front.map(member => experiment.algorithms[member].spec),
											]),
										]),
									},
									"the Pareto front",
								)
							: null,
					],
			el(
				"button",
				{
					type: "button",
					click: setMembers(
						overProblems
							? all.map(pair => experiment.problems[pair.p].spec)
							: [
									...new Set([
										state.algorithms[0],
										...all.map(pair => experiment.algorithms[pair.a].spec),
									]),
								],
					),
				},
				"all",
			),
		),
		el("div", { class: "members" }, items),
	);
}

// shapeWords says how a mean grows over the whole window, by the shape of its fit.
const shapeWords = {
	power: "like a power of t",
	bounded: "bounded: the interval admits no growth",
	logarithmic: "like a + b·log t",
	"offset-power": "like a + b·t^q, and not like t^w",
	transient: "transient: the local exponent drifts along the window, or goes up and down",
	"non-positive": "not positive everywhere in the window",
	undetermined: "undetermined",
};

// designWords says where the points of a fit are, by its design.
const designWords = {
	"along-t": "along t at the last horizon",
	"across-T": "across the horizons, each with parameters of its own",
};

// factRows returns the rows of the table of a pair: a name and what stands beside it.
function factRows(experiment, pair) {
	const series = pair.series[metricOf(experiment)];
	const metric = experiment.metric(metricOf(experiment));
	const judgement = judgementOf(pair, metricOf(experiment));
	const rows = [
		[
			"metric",
			metric?.title ?? metricOf(experiment),
			metric?.doc ? [": ", metric.doc] : null,
		].flat(),
	];
	if (!series) {
		rows.push(["state", "not measured"]);
	} else {
		rows.push(...valueFacts(experiment, pair, series), ...fitFacts(series.fit));
	}
	if (judgement?.claim) rows.push(...claimFacts(experiment, pair, judgement));
	if (pair.verdict) rows.push(["both claims", claimBadge(pair.verdict)]);
	if (pair.root) rows.push(["regret and violation", badge(pair.root)]);
	return [...rows, ...gameFacts(experiment, pair)];
}

// valueFacts returns the rows on the final mean: its state, its rank and its growth.
function valueFacts(experiment, pair, series) {
	const rank = experiment.rank(metricOf(experiment), pair.a, pair.p);
	const estimate = series.final;
	const rows = [
		[
			"mean at T = " + coordinate(experiment.lastHorizon),
			series.state === "measured"
				? el("b", { title: exact(estimate.value) }, interval(estimate))
				: (stateWords[series.state] ?? series.state),
			series.state === "rounding" ? " – rounding errors" : null,
			pair.deterministic
				? ", deterministic"
				: ", " + series.replicates + " of " + series.of + " replicates",
		],
	];
	if (rank && series.rank !== null) {
		rows.push([
			"rank",
			plusMinus(rank.rank),
			" of " + rank.of,
			series.lead
				? " – " + leadText(pair) + (series.doubts ? " (" + series.doubts.join("; ") + ")" : "")
				: "",
		]);
	}
	if (series.root || series.why) rows.push(["growth", ...judgedWords(series)]);
	return rows;
}

// judgedWords returns the exponent by which a series is judged, with its bounds and where it is
// measured, and the verdict on √t in words.
function judgedWords(series) {
	const { words, exponent, base, title } = judgedGrowth(series);
	const verdict = series.root ? badge(series.root) : "";
	if (!exponent) return [words, words && " ", verdict, series.why ? ": " + series.why : ""];
	return [
		el("b", { title: exact(exponent.value) }, base + "^" + exponentText(exponent)),
		" ",
		verdict,
		";" + title.slice(title.indexOf(" on ")),
	];
}

// fitFacts returns the rows on the growth over the whole window, which no verdict is about: the
// exponent w of the mean, and the exponent q of its increments.
function fitFacts(fit) {
	if (!fit) return [];
	const power = estimate =>
		estimate.value === null ? "no exponent" : "t^w, w = " + exponentText(estimate);
	const rows = [
		[
			"over the whole window",
			power(fit.exponent) + ", " + (shapeWords[fit.shape] ?? fit.shape),
			fit.superlinear ? "; above 1 of what grows at most linearly, which cannot last" : "",
		],
	];
	if (fit.negated && fit.negated.exponent.value !== null) {
		rows.push([
			"size of the negative mean",
			power(fit.negated.exponent) + ", " + (shapeWords[fit.negated.shape] ?? fit.negated.shape),
		]);
	}
	if (fit.shape === "offset-power") rows.push(["q of a + b·t^q", exponentText(fit.increments)]);
	if (fit.non_positive > 0) {
		rows.push(["share not positive", percent(fit.non_positive) + " of the points of the window"]);
	}
	const design = designWords[fit.design] ?? fit.design;
	rows.push([
		"window",
		`[${coordinate(fit.from)}, ${coordinate(fit.to)}], ${plural(fit.points, "point")}, ` +
			`${design}; ${plural(fit.replicates, "replicate")}`,
	]);
	if (fit.drift.value !== null) {
		rows.push([
			"local drift",
			exponentText(fit.drift) + ", of the exponent from the first to the second half",
		]);
	}
	const warnings = [
		...(fit.warnings ?? []),
		...(fit.negated?.warnings ?? []).map(warning => "negative mean: " + warning),
	];
	if (warnings.length) {
		rows.push([
			"warnings",
			el(
				"ul",
				{},
				warnings.map(warning => el("li", {}, warning)),
			),
		]);
	}
	return rows;
}

// claimFacts returns the rows on what the algorithm claims of a metric: the verdict, and the bound
// of the proof with the largest ratio to it.
function claimFacts(experiment, pair, judgement) {
	const title = experiment.metric(judgement.metric)?.title ?? judgement.metric;
	const bound = judgement.bound;
	const rows = [
		[
			"claim",
			judgement.claim ? title + " = O(" + judgement.claim + ")" : "none",
			judgement.note ? " – " + judgement.note : "",
		],
	];
	const pValueOfClaim = number(judgement.p);
	const { base, exponent } = judgedGrowth(pair.series[judgement.metric]);
	const by = exponent ? ": " + base + "^" + exponentText(exponent) : "";
	if (judgement.verdict) {
		rows.push([
			"verdict on the claim",
			claimBadge(judgement.verdict),
			judgement.metric === metricOf(experiment) ? "" : ", by " + title + by,
			judgement.why ? ": " + judgement.why : "",
			Number.isNaN(pValueOfClaim) ? "" : ", " + pEquation(pValueOfClaim),
		]);
	}
	if (judgement.keeps) rows.push(["mean", "at most " + judgement.keeps + " in the window"]);
	if (bound) {
		rows.push(
			[
				"bound",
				boundBadge(bound.state),
				bound.formula ? [": ", el("span", { class: "formula" }, bound.formula)] : null,
				bound.reason ? " – " + bound.reason : "",
			].flat(),
		);
	} else if (judgement.no_bound) {
		rows.push(["bound", "none: " + judgement.no_bound]);
	}
	if (bound && bound.ratio.value !== null) {
		rows.push([
			"largest ratio",
			boundPercent(bound.ratio.value) + " of the bound",
			number(bound.ratio.upper) > number(bound.ratio.lower)
				? " [" + boundPercent(bound.ratio.lower) + ", " + boundPercent(bound.ratio.upper) + "]"
				: "",
			" at t = " + coordinate(bound.at),
			bound.replicate ? " of replicate " + bound.replicate : " of the mean",
			bound.horizon ? ", T = " + coordinate(bound.horizon) : "",
		]);
	}
	return rows;
}

// parameterText writes parameters as key=value.
function parameterText(params) {
	const list = Object.entries(params ?? {}).map(
		([key, value]) => key + "=" + (typeof value === "object" ? JSON.stringify(value) : value),
	);
	return list.length ? el("code", {}, list.join(", ")) : "none";
}

// gameFacts returns the rows on the games of the pair: replicates, assumptions, parameters and
// programs.
function gameFacts(experiment, pair) {
	const algorithm = experiment.algorithms[pair.a];
	const problem = experiment.problems[pair.p];
	const asked = experiment.raw.asked;
	const rows = [
		[
			"replicates",
			pair.played + " played of " + pair.replicates + (pair.deterministic ? ", deterministic" : ""),
			pair.failed
				? el(
						"span",
						{ class: "verdict above" },
						"; " + plural(pair.failed, "cell") + " failed: " + (pair.failure ?? ""),
					)
				: ", none failed",
		],
	];
	if (pair.unmet.length) rows.push(["assumptions not met", pair.unmet.join("; ")]);
	if (algorithm.assumes?.length) rows.push(["assumes", algorithm.assumes.join("; ")]);
	rows.push(
		["claims", algorithm.claims?.length ? algorithm.claims.join("; ") : "none"],
		[
			"feedback",
			[
				algorithm.feedback,
				algorithm.anytime ? "anytime" : "needs the horizon",
				algorithm.source && "from " + algorithm.source,
			]
				.filter(Boolean)
				.join(", "),
		],
		...(pair.resolved
			? [
					[
						"played as",
						el("code", {}, pair.resolved),
						" at T = " + coordinate(asked.horizon.at(-1)),
					],
				]
			: []),
		[
			"parameters",
			parameterText(algorithm.params),
			algorithm.tuned ? " tuned from " : null,
			algorithm.tuned ? el("code", {}, algorithm.tuned) : null,
		],
		[
			"problem",
			problem.facts.length ? problem.facts.join(", ") + ": " : "",
			parameterText(problem.params),
		],
		["seed", String(asked.seed)],
		["computed by", experiment.raw.computed.map(programText).join("; ")],
		["digest of the cells", el("code", {}, experiment.raw.cells_digest)],
	);
	return rows;
}

// programText names a program that computed cells.
function programText(program) {
	const cells = program.cells ? ", " + plural(program.cells, "cell") : "";
	return `ocobench ${program.version}, ${program.go}, ${program.goarch}${cells}`;
}

// renderCommands writes the commands that play the cell and the experiment again.
function renderCommands(experiment, pair) {
	const input = byId("replicate");
	input.max = pair.replicates;
	const replicate = () =>
		Math.min(Math.max(1, Math.round(Number(input.value)) || 1), pair.replicates);
	const write = () => {
		byId("command").textContent = pair.play.replace(/\d+$/, String(replicate()));
	};
	input.oninput = write;
	input.onchange = () => {
		// when the reader has finished, the input is corrected, too
		input.value = replicate();
		write();
	};
	input.onchange();
	byId("run").textContent = experiment.raw.command;
	byId("command").parentNode.hidden = !pair.play;
	byId("run").parentNode.hidden = !experiment.raw.command;
	byId("file").hidden = !experiment.raw.file;
	byId("file").onclick = () =>
		download(experiment.name + ".yaml", "application/yaml", experiment.raw.file);
}

// copyText puts the text of an element on the clipboard; where the browser does not let
// it, the text is selected.
async function copyText(id) {
	const status = byId("copied");
	try {
		await navigator.clipboard.writeText(byId(id).textContent);
		status.textContent = "copied";
	} catch {
		getSelection().selectAllChildren(byId(id));
		status.textContent = document.execCommand("copy") ? "copied" : "selected: copy it with Ctrl+C";
	}
	clearTimeout(copyText.timer); // that of a copy just before
	copyText.timer = setTimeout(() => {
		status.textContent = "";
	}, 4000);
}
