// A against B: on which problems the one keeps both regret and violation at √t and the other does
// not, and by how much they differ. First is the table of the problems on which A alone keeps both,
// then, folded, that of all other problems. In this file, first and second are the indices of A and
// B.

// comparison returns the comparison of two algorithms, given by index, by a metric on a problem:
// the difference of the means at T, the first less the second, its corrected p-value, whether the
// first is shown to have less (sign −1) or more (1), and whether that is in doubt. It is undefined
// where the analysis has no comparison.
function comparison(experiment, metric, first, second, problemIndex) {
	const comparisons = experiment.raw.compared.find(
		candidate => candidate.p === problemIndex && candidate.metric === metric,
	);
	if (!comparisons || first === second) return undefined;
	let [firstPlace, secondPlace] = [comparisons.of.indexOf(first), comparisons.of.indexOf(second)];
	if (firstPlace < 0 || secondPlace < 0) return undefined;
	const turned = firstPlace > secondPlace;
	const count = comparisons.of.length;
	if (turned) [firstPlace, secondPlace] = [secondPlace, firstPlace];
	// The comparisons of each algorithm with those behind it are listed row by row.
	const rowStart = firstPlace * count - (firstPlace * (firstPlace + 1)) / 2;
	const index = rowStart + secondPlace - firstPlace - 1;
	const found = {
		value: comparisons.v[index],
		lower: comparisons.l[index],
		upper: comparisons.u[index],
		p: comparisons.p_adjusted[index],
		sign: comparisons.sign[index],
		doubt: comparisons.doubt.includes(index),
	};
	if (!turned) return found;
	const negative = value => (value === null ? null : -number(value));
	return {
		...found,
		value: negative(found.value),
		lower: negative(found.upper),
		upper: negative(found.lower),
		sign: -found.sign,
	};
}

// problemsByOutcome returns the problems that two algorithms were played on, by who keeps both:
// only the first, only the second, one of them and the other is no worse, both, neither.
function problemsByOutcome(experiment, first, second) {
	const out = { first: [], second: [], tie: [], both: [], neither: [] };
	experiment.problems.forEach((_, problemIndex) => {
		const firstPair = experiment.pair(first, problemIndex);
		const secondPair = experiment.pair(second, problemIndex);
		if (!firstPair || !secondPair) return;
		const firstKeeps = keepsBoth(experiment, firstPair);
		const secondKeeps = keepsBoth(experiment, secondPair);
		if (firstKeeps && secondKeeps) {
			out.both.push(problemIndex);
		} else if (firstKeeps) {
			const tie = isTie(experiment, first, second, problemIndex);
			out[tie ? "tie" : "first"].push(problemIndex);
		} else if (secondKeeps) {
			const tie = isTie(experiment, second, first, problemIndex);
			out[tie ? "tie" : "second"].push(problemIndex);
		} else {
			out.neither.push(problemIndex);
		}
	});
	return out;
}

// isTie tells whether two algorithms tie, of which the first keeps both at √t, and the second is
// not shown to: the second is undecided, and is not shown to have more than the first of what it is
// undecided on.
function isTie(experiment, first, second, problemIndex) {
	const secondPair = experiment.pair(second, problemIndex);
	return (
		bothOf(experiment, secondPair) === "undecided" &&
		[regretOf(experiment, problemIndex), violationOf(experiment)].every(metric => {
			if (secondPair.series[metric]?.root !== "undecided") return true;
			const difference = comparison(experiment, metric, second, first, problemIndex);
			return difference && difference.value !== null && difference.sign <= 0;
		})
	);
}

// comparedPair returns A and B of the algorithms that were played: those that the reader chose,
// else the baseline as A, and as B the first of those that differ from A on the most problems. B is
// from the store of A if another algorithm is, since the analysis compares none across stores.
function comparedPair(experiment, all) {
	const chosenA = state.a ? experiment.algorithm(state.a) : experiment.raw.own;
	const chosenB = experiment.algorithm(state.b);
	const first = all.includes(chosenA) ? chosenA : all[0];
	if (all.includes(chosenB) && chosenB !== first) return [first, chosenB];
	const others = all.filter(other => other !== first);
	const sameStore = others.filter(
		other => experiment.algorithms[other].source === experiment.algorithms[first].source,
	);
	let best = -1;
	let most = -1;
	(sameStore.length ? sameStore : others).forEach(other => {
		const outcomes = problemsByOutcome(experiment, first, other);
		const differing = outcomes.first.length + outcomes.second.length;
		if (differing > most) [best, most] = [other, differing];
	});
	return [first, best];
}

// renderVersus draws the comparison of two algorithms.
function renderVersus(experiment) {
	const all = everPlayed(experiment);
	byId("versus").hidden = all.length < 2;
	if (all.length < 2) return;
	const [first, second] = comparedPair(experiment, all);
	const names = algorithmIndex => [
		experiment.algorithms[algorithmIndex].spec,
		experiment.algorithms[algorithmIndex].title,
	];
	fillSelect(byId("versus-a"), all.map(names), experiment.algorithms[first].spec);
	fillSelect(
		byId("versus-b"),
		all.filter(algorithmIndex => algorithmIndex !== first).map(names),
		experiment.algorithms[second].spec,
	);
	const outcomes = problemsByOutcome(experiment, first, second);
	const rest = [...outcomes.second, ...outcomes.tie, ...outcomes.both, ...outcomes.neither];
	const [firstTitle, secondTitle] = [
		experiment.algorithms[first].title,
		experiment.algorithms[second].title,
	];
	const table = (list, caption) => versusTable(experiment, first, second, list, caption);
	const counts = [
		[outcomes.second, secondTitle + " alone keeps both"],
		[outcomes.tie, "one alone does, and the other is not shown to have more,"],
		[outcomes.both, "both algorithms do"],
		[outcomes.neither, "neither is shown to"],
	]
		.filter(([list]) => list.length)
		.map(([list, words]) => words + " on " + list.length);
	const above = outcomes.first.filter(
		problemIndex => bothOf(experiment, experiment.pair(second, problemIndex)) === "above",
	).length;
	const notShown = outcomes.first.length - above;
	const lacks = [
		[above, "does not"],
		[notShown, "is not shown to"],
	]
		.filter(([count]) => count)
		.map(([count, words]) => secondTitle + " " + words + ": on " + plural(count, "problem"))
		.join("; ");
	const nobody = !outcomes.first.length && !rest.length;
	const onNone =
		`On no problem ${firstTitle} is shown to keep both at √t ` + `where ${secondTitle} is not.`;
	byId("versus-first").replaceChildren(
		outcomes.first.length
			? table(outcomes.first, firstTitle + " keeps both at √t, and " + lacks)
			: el("p", {}, nobody ? "No problem was played by both." : onNone),
	);
	byId("versus-others").hidden = !rest.length;
	byId("versus-others").open = !outcomes.first.length;
	byId("versus-count").textContent =
		plural(rest.length, outcomes.first.length ? "other problem" : "problem") +
		": " +
		counts.join(", ");
	byId("versus-rest").replaceChildren(table(rest, "The other problems"));
	// bench compare judges by the metrics that the experiment is about, and reads one store.
	const usualMetrics = experiment.raw.focus.views.every(
		(view, problemIndex) =>
			view.regret === regretOf(experiment, problemIndex) &&
			view.violation === violationOf(experiment),
	);
	byId("versus-command").parentNode.hidden = !usualMetrics || Boolean(experiment.raw.beside);
	byId("versus-command").textContent = [
		"bench compare",
		...[experiment.algorithms[first].spec, experiment.algorithms[second].spec].map(shellWord),
		"--experiment",
		shellWord(experiment.name),
	].join(" ");
}

// shellWord writes a word of a command for a POSIX shell.
function shellWord(word) {
	return /^[\w.\/:=,+%@-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

// reasonOfNone says why there is no comparison of two algorithms by a metric, or returns null if
// the reason is not known.
function reasonOfNone(experiment, metric, first, second) {
	if (!experiment.raw.compared.some(compared => compared.metric === metric)) {
		return "the page has no comparisons by this metric: bench compare --metric " + metric;
	}
	const sources = experiment.raw.beside?.sources;
	if (!sources) return null;
	const isReference = index => experiment.algorithms[index].source === sources[1];
	if (!isReference(first) && !isReference(second)) return null;
	return "only algorithms of " + sources[0] + " are compared";
}

// versusTable makes the table of two algorithms on some problems: the verdicts and the growth of
// each, and the differences of their means.
function versusTable(experiment, first, second, list, caption) {
	const verdictCell = (algorithmIndex, problemIndex) => {
		const pair = experiment.pair(algorithmIndex, problemIndex);
		const both = [regretOf(experiment, problemIndex), violationOf(experiment)].map(
			metric => pair.series[metric],
		);
		return el(
			"td",
			{
				title:
					both
						.map(series => judgedGrowth(series).title)
						.filter(Boolean)
						.join("\n") || null,
			},
			badge(bothOf(experiment, pair), ""),
			both.flatMap(series => ["; ", ...growthShort(series)]),
		);
	};
	const differenceCell = (metric, problemIndex) => {
		const difference = comparison(experiment, metric, first, second, problemIndex);
		if (!difference || difference.value === null) {
			return el("td", { title: reasonOfNone(experiment, metric, first, second) }, "–");
		}
		const text = number(difference.value) === 0 ? "equal" : interval(difference);
		return el(
			"td",
			{ "data-value": exact(difference.value) },
			difference.sign ? el("b", {}, text) : text,
			difference.p === null
				? null
				: el("small", {}, pEquation(difference.p) + (difference.doubt ? " ?" : "")),
		);
	};
	return el(
		"table",
		{},
		el("caption", {}, caption + ".", acrossWords(experiment, list)),
		el(
			"thead",
			{},
			el(
				"tr",
				{},
				el("th", { scope: "col" }, "problem"),
				[first, second].map(algorithmIndex =>
					el(
						"th",
						{ scope: "col", title: endWords },
						unbroken(experiment.algorithms[algorithmIndex].title),
						el("small", {}, "both; regret; violation"),
					),
				),
				[
					state.regret ? experiment.metric(state.regret).title : "regret",
					experiment.metric(violationOf(experiment))?.title ?? "violation",
				].map(title =>
					el(
						"th",
						{ scope: "col" },
						title,
						el("small", {}, "A − B at T [" + confidence(experiment.raw.asked.confidence) + "]"),
					),
				),
			),
		),
		el(
			"tbody",
			{},
			list.map(problemIndex =>
				el(
					"tr",
					{},
					el(
						"th",
						{ scope: "row" },
						el(
							"button",
							{
								type: "button",
								class: "link",
								"data-problem": experiment.problems[problemIndex].spec,
								title: "Opens the curves of both",
								click: () => openBoth(experiment, first, second, problemIndex),
							},
							unbroken(experiment.problems[problemIndex].title),
						),
					),
					verdictCell(first, problemIndex),
					verdictCell(second, problemIndex),
					differenceCell(regretOf(experiment, problemIndex), problemIndex),
					differenceCell(violationOf(experiment), problemIndex),
				),
			),
		),
	);
}

// openBoth opens the curves of two algorithms on a problem.
function openBoth(experiment, first, second, problemIndex) {
	openCell(experiment.algorithms[first].spec, experiment.problems[problemIndex].spec, [
		experiment.algorithms[second].spec,
	]);
}
