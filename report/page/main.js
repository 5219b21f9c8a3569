// The sections of the page, and what happens when the view changes. From the top, the page has the
// head with the settings; the differences from another store; the first screen (overview.js) with
// its sentences; the matrix (matrix.js); the open cell (detail.js); A against B (versus.js); regret
// against violation; the means across T; and the profiles and ranks over the problems. The tables
// and the words below them are text of page.html. A change of the view, see state.js, draws the
// sections that depend on it.

// sections lists what draws each section of the page, behind the keys of the view that it depends
// on. All depend on the key x, the experiment.
const sections = [
	[[], renderHead],
	[["plane", "regret", "violation", "lift"], renderOverview],
	[
		[
			"metric",
			"regret",
			"violation",
			"show",
			"rows",
			"sort",
			"q",
			"class",
			"feedback",
			"verdict",
			"problem",
			"algorithms",
		],
		renderControls,
	],
	[
		[
			"problem",
			"algorithms",
			"problems",
			"over",
			"metric",
			"violation",
			"xaxis",
			"yaxis",
			"replicates",
			"bound",
			"claim",
		],
		renderDetail,
	],
	[["a", "b", "regret", "violation"], renderVersus],
	[["plane", "regret", "violation"], renderPlane],
	[["plane", "regret", "violation", "lift"], renderHorizons],
	[["profile", "metric", "violation", "lines", "ranks"], renderProfiles],
	[["beside", "differing", "significant", "equal"], renderBeside],
	[[], renderAbout],
];

// render draws the sections that depend on what has changed.
function render(changed) {
	const experiment = shownExperiment();
	if (!experiment) return;
	for (const [keys, draw] of sections) {
		if (changed.includes("x") || keys.some(key => changed.includes(key))) draw(experiment, changed);
	}
}

// fillSelect fills a select with values and their names, and chooses one.
function fillSelect(select, list, value) {
	select.replaceChildren(...list.map(([option, name]) => el("option", { value: option }, name)));
	select.value = value;
}

// metricOptions returns the name and the title of each metric, for a list to choose from.
function metricOptions(experiment) {
	return experiment.metrics.map(metric => [metric.name, metric.title]);
}

// mostSentences is the largest number of sentences on the first screen; the others are folded.
const mostSentences = 5;

// renderHead draws what the experiment is, and the sentences on what came out.
function renderHead(experiment) {
	if (experiments.length > 1) {
		byId("experiment").value = experiment.name;
		byId("experiment").nextSibling.textContent = experiment.name;
	}
	byId("description").textContent = experiment.raw.asked.description ?? "";
	byId("settings").textContent = experiment.raw.settings;
	const [first, rest] = [
		experiment.raw.words.slice(0, mostSentences),
		experiment.raw.words.slice(mostSentences),
	];
	byId("words").replaceChildren(...first.map(word => el("li", {}, word)));
	byId("rest").replaceChildren(...rest.map(word => el("li", {}, word)));
	byId("more").hidden = !rest.length;
	for (const item of document.querySelectorAll("#tables > .item")) {
		item.hidden = item.dataset.experiment !== experiment.name;
	}
}

// renderPlane draws regret against violation on the problem of the first screen.
function renderPlane(experiment) {
	const problemIndex = problemOf(experiment);
	byId("fronts").hidden =
		problemIndex >= experiment.problems.length ||
		!experiment.metric(regretOf(experiment, problemIndex)) ||
		!experiment.metric(violationOf(experiment));
	if (byId("fronts").hidden) return;
	fillSelect(
		byId("plane-problem"),
		experiment.problems.map(problem => [problem.spec, problem.title]),
		experiment.problems[problemIndex].spec,
	);
	byId("plane-facts").textContent = experiment.problems[problemIndex].facts.join(", ");
	byId("plane").replaceChildren(
		planeFigure(
			experiment,
			problemIndex,
			regretOf(experiment, problemIndex),
			violationOf(experiment),
			spec => openCell(spec, experiment.problems[problemIndex].spec),
		),
	);
}

// renderHorizons draws the means of a sweep across T on the problem of the first screen.
function renderHorizons(experiment) {
	const problemIndex = problemOf(experiment);
	const section = byId("horizons");
	section.hidden =
		experiment.raw.asked.horizon.length < 2 || problemIndex >= experiment.problems.length;
	if (section.hidden) return;
	const shown = colouredOn(experiment, problemIndex);
	const draw = metric =>
		experiment.metric(metric) ? horizonFigure(experiment, problemIndex, metric, shown) : "";
	byId("horizons-violation").replaceChildren(draw(violationOf(experiment)));
	byId("horizons-regret").replaceChildren(draw(regretOf(experiment, problemIndex)));
}

// renderControls draws the filters and the matrix.
function renderControls(experiment, changed) {
	if (changed.includes("x")) {
		const facts = [...new Set(experiment.problems.flatMap(problem => problem.facts))].sort();
		const feedback = [
			...new Set(experiment.algorithms.map(algorithm => algorithm.feedback)),
		].sort();
		fillSelect(byId("metric"), metricOptions(experiment), metricOf(experiment));
		fillSelect(byId("curves-metric"), metricOptions(experiment), metricOf(experiment));
		fillSelect(
			byId("show"),
			choices.show
				.filter(shown => shown !== "difference" || experiment.raw.beside)
				.map(shown => [shown, shows[shown][0]]),
			state.show,
		);
		fillSelect(byId("class"), [["", "all"], ...facts.map(fact => [fact, fact])], state.class);
		fillSelect(
			byId("feedback"),
			[["", "all"], ...feedback.map(kind => [kind, kind])],
			state.feedback,
		);
	}
	byId("metric").value = metricOf(experiment);
	for (const id of ["show", "rows", "class", "feedback", "verdict"]) {
		byId(id).value = state[id];
	}
	if (byId("q").value !== state.q) byId("q").value = state.q;
	renderMatrix(experiment);
}

// profiledAlgorithms returns the SPECs of the algorithms of the profiles: those that the reader
// chose, else the eight with the least mean rank.
function profiledAlgorithms(experiment, metric) {
	if (state.lines.length) return state.lines;
	const ranked = inOrder(
		experiment.raw.ranks.filter(rank => rank.p === -1 && rank.metric === metric),
		rank => number(rank.rank.value),
		"asc",
	);
	return ranked.slice(0, 8).map(rank => experiment.algorithms[rank.a].spec);
}

// renderProfiles draws how the algorithms do over all problems.
function renderProfiles(experiment) {
	const known = new Set(experiment.raw.profiles.map(profile => profile.metric));
	const section = byId("profiles");
	section.hidden = experiment.problems.length < 2 || !known.size;
	if (section.hidden) return;
	const metric = [state.profile, metricOf(experiment), ...known].find(name => known.has(name));
	fillSelect(
		byId("profile"),
		metricOptions(experiment).filter(([name]) => known.has(name)),
		metric,
	);
	const lines = profiledAlgorithms(experiment, metric);
	byId("profile-figure").replaceChildren(
		profileFigure(
			experiment,
			metric,
			lines.map(spec => experiment.algorithm(spec)),
		),
	);
	const rows = rankRows(experiment, metric);
	byId("ranks-csv").onclick = () =>
		download(
			`${experiment.name}-ranks-${metric}.csv`,
			"text/csv",
			csv([
				["algorithm", "metric", "rank", "lower", "upper", "problems", "best"],
				...rows.map(({ algorithm, mean, problems, best }) => [
					algorithm.spec,
					metric,
					exact(mean.value),
					exact(mean.lower),
					exact(mean.upper),
					problems,
					exact(best),
				]),
			]),
		);
	byId("ranks").replaceChildren(...rankTable(experiment.metric(metric).title, rows, lines));
}

// rankRows returns the rows of the table of mean ranks over the problems, in the order that the
// reader chose: the algorithm, its mean rank, the number of problems that it was played on, and the
// share of the problems on which it has the least value.
function rankRows(experiment, metric) {
	const shares = new Map(
		experiment.raw.profiles
			.filter(profile => profile.metric === metric)
			.map(profile => [profile.a, bestShare(profile)]),
	);
	const rows = experiment.raw.ranks
		.filter(rank => rank.p === -1 && rank.metric === metric)
		.map(rank => ({
			algorithm: experiment.algorithms[rank.a],
			mean: rank.rank,
			problems: rank.problems,
			best: shares.get(rank.a) ?? NaN,
		}));
	const values = {
		name: row => row.algorithm.title,
		rank: row => number(row.mean.value),
		problems: row => row.problems,
		best: row => row.best,
	};
	const [key, direction] = sorting(state.ranks || "rank:asc");
	return inOrder(rows, values[key] ?? values.rank, direction);
}

// rankTable makes the caption, the head and the body of the table of mean ranks. A box in each row
// adds the algorithm to the lines of the profiles.
function rankTable(title, rows, lines) {
	return [
		el(
			"caption",
			{},
			"Mean rank by ",
			title,
			" over the problems played, with its interval; 1 is the least. Best on: the share of all " +
				"problems with the least value, or one below what one round can cost or violate. Ranks " +
				"over different problems do not compare.",
		),
		el(
			"thead",
			{},
			el(
				"tr",
				{},
				sortHeader("ranks", "name", "algorithm"),
				sortHeader("ranks", "rank", "mean rank"),
				sortHeader("ranks", "problems", "problems"),
				sortHeader("ranks", "best", "best on"),
			),
		),
		el(
			"tbody",
			{},
			rows.map(({ algorithm, mean, problems, best }) =>
				el(
					"tr",
					{},
					el(
						"th",
						{ scope: "row" },
						el(
							"label",
							{},
							el("input", {
								type: "checkbox",
								value: algorithm.spec,
								checked: lines.includes(algorithm.spec),
								disabled: lines.length === 1 && lines[0] === algorithm.spec,
								change: () => toggleLine(lines, algorithm.spec),
							}),
							algorithm.title,
						),
					),
					el("td", { "data-value": exact(mean.value) }, plusMinus(mean)),
					el("td", { "data-value": problems }, problems),
					el("td", { "data-value": exact(best) }, percent(best)),
				),
			),
		),
	];
}

// bestShare returns the share of the problems on which an algorithm has the least value, which is
// that of the last step of its profile at a ratio of at most 1.
function bestShare(profile) {
	const last = profile.ratio.findLastIndex(ratio => number(ratio) <= 1);
	return last < 0 ? 0 : number(profile.share[last]);
}

// toggleLine adds an algorithm to the lines of the profiles, or removes it.
function toggleLine(lines, spec) {
	const next = lines.includes(spec) ? lines.filter(line => line !== spec) : [...lines, spec];
	setState({ lines: next });
	focusInput("ranks", spec);
}

// renderBeside draws the differences from another store.
function renderBeside(experiment) {
	const beside = experiment.raw.beside;
	if (byId("beside")) byId("beside").hidden = !beside;
	if (!beside) return;
	const metrics = new Set(beside.differences.map(difference => difference.metric));
	fillSelect(
		byId("differing"),
		[["", "all"], ...metricOptions(experiment).filter(([name]) => metrics.has(name))],
		state.differing,
	);
	byId("significant").checked = state.significant;
	byId("equal").checked = state.equal;
	byId("beside-words").textContent =
		beside.sources[0] + " less " + beside.sources[1] + ", the reference.";
	byId("beside-warnings").replaceChildren(
		...(beside.warnings ?? []).map(warning => el("li", {}, warning)),
	);
	const title = (list, spec) =>
		list.find(entry => entry.spec === spec || entry.spec.startsWith(spec + " @ "))?.title ?? spec;
	const values = {
		algorithm: difference => difference.a,
		problem: difference => difference.problem,
		metric: difference => difference.metric,
		mean: difference => number(difference.mean_a),
		reference: difference => number(difference.mean_b),
		difference: difference => number(difference.difference.value),
		p: difference => number(difference.difference.p_adjusted),
		test: difference => {
			if (difference.equal) return "equal";
			if (difference.paired) return "paired";
			return "two samples";
		},
	};
	const selected = beside.differences.filter(
		difference =>
			(!state.differing || difference.metric === state.differing) &&
			(!state.significant || isShownToDiffer(experiment, difference)),
	);
	const rows = state.equal ? selected : selected.filter(difference => !difference.equal);
	const hidden = selected.length - rows.length;
	const [key, direction] = sorting(state.beside);
	const ordered = values[key]
		? inOrder(rows, values[key], direction)
		: bySignificance(experiment, rows);
	const significant = rows.filter(difference => isShownToDiffer(experiment, difference)).length;
	const others = rows.length > significant ? `, ${rows.length - significant} not` : "";
	const equal = hidden ? `; ${hidden} equal to the last bit are not shown` : "";
	const all = plural(beside.differences.length, "difference");
	byId("beside-count").textContent =
		`${significant} of ${all} significant or deterministic${others}${equal}`;
	byId("differences-csv").onclick = () =>
		download(
			experiment.name + "-differences.csv",
			"text/csv",
			csv([
				[
					"problem",
					"algorithm",
					"metric",
					"mean",
					"reference",
					"difference",
					"lower",
					"upper",
					"p",
					"p_adjusted",
					"paired",
					"equal",
					"replicates",
				],
				...ordered.map(difference => [
					difference.problem,
					difference.a,
					difference.metric,
					...[
						difference.mean_a,
						difference.mean_b,
						difference.difference.value,
						difference.difference.lower,
						difference.difference.upper,
						difference.difference.p,
						difference.difference.p_adjusted,
					].map(exact),
					difference.paired,
					Boolean(difference.equal),
					difference.replicates,
				]),
			]),
		);
	const cellOf = (value, text) => el("td", { "data-value": exact(value) }, text);
	byId("differences").parentNode.hidden = !rows.length;
	byId("differences").replaceChildren(
		el(
			"caption",
			{},
			"Differences of the means at T, with " +
				confidence(experiment.raw.asked.confidence) +
				" intervals and p-values corrected by Holm",
		),
		el(
			"thead",
			{},
			el(
				"tr",
				{},
				[
					["algorithm", "algorithm"],
					["problem", "problem"],
					["metric", "metric"],
					["mean", beside.sources[0]],
					["reference", beside.sources[1]],
					["difference", "difference [interval]"],
					["p", "corrected p"],
					["test", "test"],
				].map(([column, name]) => sortHeader("beside", column, name)),
			),
		),
		el(
			"tbody",
			{},
			ordered.map(difference =>
				el(
					"tr",
					{ class: isShownToDiffer(experiment, difference) ? "differing" : null },
					el(
						"th",
						{ scope: "row", title: difference.a },
						title(experiment.algorithms, difference.a),
					),
					el(
						"td",
						{ class: "text", title: difference.problem },
						title(experiment.problems, difference.problem),
					),
					el(
						"td",
						{ class: "text" },
						experiment.metric(difference.metric)?.title ?? difference.metric,
					),
					cellOf(difference.mean_a, format(difference.mean_a)),
					cellOf(difference.mean_b, format(difference.mean_b)),
					cellOf(difference.difference.value, interval(difference.difference)),
					cellOf(difference.difference.p_adjusted, pValue(difference.difference.p_adjusted)),
					el(
						"td",
						{ class: "text" },
						values.test(difference) +
							(difference.equal ? "" : ", " + plural(difference.replicates, "replicate")),
					),
				),
			),
		),
	);
}

// isShownToDiffer tells whether a difference is significant, by its corrected p-value, or is one of
// deterministic games, which have no p-value.
function isShownToDiffer(experiment, difference) {
	const pAdjusted = number(difference.difference.p_adjusted);
	return Number.isNaN(pAdjusted)
		? !difference.equal && number(difference.difference.value) !== 0
		: pAdjusted <= 1 - experiment.raw.asked.confidence;
}

// bySignificance sorts differences: first those that are significant, by their p-value and then
// relative to the larger of the two means, and equal values last.
function bySignificance(experiment, rows) {
	const rank = difference => {
		if (isShownToDiffer(experiment, difference)) return 0;
		if (difference.equal) return 2;
		return 1;
	};
	const pOf = difference => {
		const pAdjusted = number(difference.difference.p_adjusted);
		return Number.isNaN(pAdjusted) ? 0 : pAdjusted;
	};
	const relative = difference => {
		const most = Math.max(Math.abs(number(difference.mean_a)), Math.abs(number(difference.mean_b)));
		return most ? Math.abs(number(difference.difference.value)) / most : 0;
	};
	return rows.toSorted(
		(one, other) =>
			rank(one) - rank(other) || pOf(one) - pOf(other) || relative(other) - relative(one),
	);
}

// renderAbout draws the method and the provenance of the numbers.
function renderAbout(experiment) {
	byId("method").textContent = experiment.raw.method.join(" ");
	byId("provenance").replaceChildren(
		...[
			["experiment", experiment.name],
			["seed", experiment.raw.asked.seed],
			["confidence", confidence(experiment.raw.asked.confidence)],
			["window of the exponents", experiment.raw.asked.window + " decades of t"],
			["computed by", experiment.raw.computed.map(programText).join("; ")],
			["missing cells", experiment.raw.missing],
			["digest of the cells", experiment.raw.cells_digest],
			["analysed by", programText(page.program)],
			["run again", experiment.raw.command || "–"],
		].flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, String(text))]),
	);
}

// listen connects the controls with the view. A control sets the key of the view that is its id, or
// that is listed behind the id.
function listen() {
	for (const [id, key] of [
		["experiment", "x"],
		["regret"],
		["violation"],
		["versus-a", "a"],
		["versus-b", "b"],
		["plane-problem", "plane"],
		["metric", "metric"],
		["curves-metric", "metric"],
		["show"],
		["rows"],
		["class"],
		["feedback"],
		["verdict"],
		["over"],
		["xaxis"],
		["yaxis"],
		["profile"],
		["differing"],
	]) {
		byId(id)?.addEventListener("change", event =>
			setState({ [key ?? id]: event.target.value, ...(id === "rows" ? { sort: "" } : {}) }),
		);
	}
	for (const id of ["replicates", "bound", "claim", "significant", "equal"]) {
		byId(id)?.addEventListener("change", event => setState({ [id]: event.target.checked }));
	}
	byId("q").addEventListener("input", event => setState({ q: event.target.value }));
	byId("clear").addEventListener("click", () =>
		setState({ q: "", class: "", feedback: "", verdict: "" }),
	);
	listenToPointer();
	byId("matrix-table").addEventListener("keydown", moveInMatrix);
	byId("matrix-table").addEventListener("click", pickInMatrix);
	byId("close").addEventListener("click", closeCell);
	byId("copy").addEventListener("click", () => copyText("command"));
	byId("copy-run").addEventListener("click", () => copyText("run"));
	document.addEventListener("keydown", event => {
		if (
			event.key === "Escape" &&
			state.problem &&
			event.target.type !== "search" &&
			!event.defaultPrevented
		) {
			closeCell();
		}
	});
}

if (experiments.length > 1) {
	fillSelect(
		byId("experiment"),
		experiments.map(experiment => [experiment.name, experiment.name]),
		"",
	);
} else {
	byId("experiment").parentNode.remove();
}
if (!experiments.some(experiment => experiment.raw.beside)) byId("beside").remove();
document.documentElement.classList.add("script");
listen();
readState({ first: true });
if (state.problem) byId("detail").scrollIntoView();
document.documentElement.dataset.ready = "true";
