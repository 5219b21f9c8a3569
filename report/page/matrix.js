// The matrix of algorithms and problems. In the order of this file: the badges of verdicts, what a
// cell shows of a pair, the filters and the order of rows, the table with its caption and counts,
// its CSV file, and the keys and clicks that move in it and open a cell. The member root of a
// series is the verdict on growth like √t of its metric.

// boundVerdicts has, for each state of a bound, the verdict whose sign and colour it is shown with.
const boundVerdicts = { held: "at-most", broken: "above", unsettled: "undecided" };

// shows has the name of each thing that a cell can show, and what the caption says of it.
const shows = {
	both: [
		"value and verdict",
		"the mean at T, and the sign of the verdict on this metric alone against √t",
	],
	final: ["value at T", "the mean at T and the half-width of its interval"],
	exponent: [
		"exponent",
		"the exponent of the largest mean so far at the end of the window, its bounds, " +
			"and the verdict on growth like √t",
	],
	verdict: [
		"verdict on the claim",
		"the same exponent with the verdict on the algorithm's claim; a metric is named " +
			"where the claim is about another",
	],
	bound: [
		"measured over bound",
		"the largest ratio of the measured value to the bound of the proof, up to T",
	],
	rank: ["rank on the problem", "the mean rank over the replicates with its interval, 1 the least"],
	difference: [
		"difference of the stores",
		"the difference of the means at T with its interval, and the corrected p-value",
	],
};

// badge writes a verdict as a coloured sign, and a word where there is room, else a name for
// whoever does not see it. The colour is never the only cue.
function badge(verdict, word = verdictWord(verdict), name = verdictWord(verdict)) {
	return el(
		"span",
		{ class: "verdict " + verdict, title: word ? null : name },
		verdicts.get(verdict).sign,
		word ? " " + word : el("span", { class: "hidden" }, " " + name),
	);
}

// verdictWord returns the words of the verdict on a pair that was played.
function verdictWord(verdict) {
	return verdict ? verdicts.get(verdict).word : "not judged";
}

// claimBadge writes the verdict on a claim.
function claimBadge(verdict, word = verdicts.get(verdict).claim) {
	return badge(verdict, word, verdicts.get(verdict).claim);
}

// boundBadge writes the state of a bound.
function boundBadge(state) {
	return boundVerdicts[state]
		? badge(boundVerdicts[state], state)
		: el("span", { class: "muted" }, state);
}

// judgementOf returns the pair's judgement of the kind of a metric, or undefined.
function judgementOf(pair, metric) {
	if (metric === "regret_dynamic") return pair.dynamic;
	if (metric.startsWith("regret")) return pair.regret;
	if (metric.startsWith("violation")) return pair.violation;
	return undefined;
}

// matrixCell returns what the matrix shows of a pair: parts (nodes or texts), the estimate with its
// interval, a title, and the verdict: on the claim or the bound if the matrix shows these, else on
// growth like √t.
function matrixCell(experiment, pair, metric, show) {
	const series = pair.series[metric];
	const judgement = judgementOf(pair, metric);
	const none = (word, title) => ({
		parts: [el("span", { class: "muted" }, word)],
		title,
		verdict: "",
	});
	switch (show) {
		case "both": {
			const cell = matrixCell(experiment, pair, metric, "final");
			return { ...cell, parts: [cell.verdict ? badge(cell.verdict, "") : "", " ", ...cell.parts] };
		}
		case "final":
			if (!series) return none("–", "not measured");
			if (series.state !== "measured") {
				return {
					...none(stateWords[series.state] ?? series.state),
					estimate: series.final,
					verdict: series.root,
				};
			}
			return {
				parts: [
					plusMinus(series.final).replace("± ", "±\u00a0") + partialText(series),
					series.lead
						? el(
								"span",
								{
									class: "lead",
									title: leadText(pair) + (series.doubts ? "; " + series.doubts.join("; ") : ""),
								},
								series.doubts ? " ★?" : " ★",
							)
						: "",
				],
				estimate: series.final,
				verdict: series.root,
			};
		case "exponent": {
			if (!series || !series.root) {
				return none(
					series && !hasValues(series)
						? (stateWords[series.state] ?? series.state)
						: verdicts.get("").sign,
					series?.why || "not judged",
				);
			}
			const { exponent: estimate, title } = judgedGrowth(series);
			return {
				parts: [...growthShort(series, { bounds: true }), partialText(series)],
				estimate,
				verdict: series.root,
				title,
			};
		}
		case "verdict": {
			if (!judgement?.verdict) {
				return judgement?.claim
					? none(`O(${judgement.claim})`, "its growth is not judged")
					: none("no claim");
			}
			const of = pair.series[judgement.metric];
			const other = judgement.metric !== metric && experiment.metric(judgement.metric);
			const { exponent: estimate, title } = judgedGrowth(of);
			const parts = [
				...growthShort(of, { bounds: true, sign: claimBadge(judgement.verdict, "") }),
				partialText(of),
				other ? el("small", {}, other.title) : null,
			];
			return {
				parts,
				estimate,
				verdict: judgement.verdict,
				title: ["claim: O(" + judgement.claim + ")", judgement.why, title]
					.filter(Boolean)
					.join("; "),
			};
		}
		case "bound": {
			const bound = judgement?.bound;
			if (!bound || bound.state === "unstated") {
				return none("no bound", bound?.reason || judgement?.no_bound || undefined);
			}
			const other = judgement.metric !== metric && experiment.metric(judgement.metric);
			const parts = [
				boundPercent(bound.ratio.value) + " ",
				boundBadge(bound.state),
				other ? el("small", {}, other.title) : null,
			];
			return {
				parts,
				estimate: bound.ratio,
				verdict: boundVerdicts[bound.state] ?? "",
				title: bound.formula,
			};
		}
		case "rank": {
			const rank = experiment.rank(metric, pair.a, pair.p);
			if (!series || series.rank === null || !rank) return none("–", "not ranked");
			return {
				parts: [plusMinus(rank.rank) + " of " + rank.of],
				estimate: { ...rank.rank, value: series.rank },
				verdict: series.root,
			};
		}
		case "difference": {
			const difference = experiment.difference(metric, pair.a, pair.p);
			if (!difference) return none("–", "not in both stores");
			const pAdjusted = number(difference.difference.p_adjusted);
			return {
				parts: [
					difference.equal ? "equal" : interval(difference.difference),
					difference.equal
						? null
						: el("small", {}, Number.isNaN(pAdjusted) ? "not tested" : pEquation(pAdjusted)),
				],
				estimate: difference.difference,
				verdict: series?.root ?? "",
			};
		}
	}
}

// rankShade returns how strongly a value is shaded: 5 for the least ranks on its problem, 1 for the
// largest, 0 without a rank.
function rankShade(experiment, pair, metric) {
	const rank = number(pair.series[metric]?.rank);
	const of = experiment.rank(metric, pair.a, pair.p)?.of;
	if (!(rank >= 1) || !(of > 1)) return 0;
	return 5 - Math.min(4, Math.floor((5 * (rank - 1)) / of));
}

// neverPlayed tells whether an algorithm, given by index, was played on no problem.
function neverPlayed(experiment, algorithmIndex) {
	return !experiment.problems.some((_, problemIndex) =>
		experiment.pair(algorithmIndex, problemIndex),
	);
}

// everPlayed returns the indices of the algorithms that were played on some problem.
function everPlayed(experiment) {
	return experiment.algorithms
		.map((_, algorithmIndex) => algorithmIndex)
		.filter(algorithm => !neverPlayed(experiment, algorithm));
}

// filteredIndices returns the indices of the algorithms and the problems that the filters keep. A
// word of the search keeps the algorithms that have it, and the problems that have it; a word that
// is found in neither keeps no algorithm. Algorithms that were played nowhere are left out, and the
// baseline comes first. Differences of two stores belong to the algorithms of the first store, so
// that those of the second are left out.
function filteredIndices(experiment) {
	const behindBaseline = algorithmIndex => (algorithmIndex === experiment.raw.own ? 0 : 1);
	let algorithms = everPlayed(experiment).sort((a, b) => behindBaseline(a) - behindBaseline(b));
	let problems = experiment.problems.map((_, problemIndex) => problemIndex);
	const has = entry => {
		const text = [entry.title, entry.spec, entry.doc].join("\n").toLowerCase();
		return word => text.includes(word);
	};
	for (const word of state.q.toLowerCase().split(/\s+/).filter(Boolean)) {
		const inA = experiment.algorithms.map(algorithm => has(algorithm)(word));
		const inP = experiment.problems.map(problem => has(problem)(word));
		const nowhere = !inA.includes(true) && !inP.includes(true); // then no row is left
		if (inA.includes(true) || nowhere) {
			algorithms = algorithms.filter(algorithmIndex => inA[algorithmIndex]);
		}
		if (inP.includes(true)) problems = problems.filter(problemIndex => inP[problemIndex]);
	}
	if (state.show === "difference") {
		algorithms = algorithms.filter(
			algorithmIndex =>
				experiment.algorithms[algorithmIndex].source !== experiment.raw.beside.sources[1],
		);
	}
	if (state.feedback) {
		algorithms = algorithms.filter(
			algorithmIndex => experiment.algorithms[algorithmIndex].feedback === state.feedback,
		);
	}
	if (state.class) {
		problems = problems.filter(problemIndex =>
			experiment.problems[problemIndex].facts.includes(state.class),
		);
	}
	return { algorithms, problems };
}

// inOrder sorts items stably by a value in a direction; items without a value come last in both
// directions.
function inOrder(items, valueOf, direction) {
	const isMissing = value => value === "" || Number.isNaN(value);
	const sign = direction === "desc" ? -1 : 1;
	return items
		.map(item => [item, valueOf(item)])
		.sort(([, one], [, other]) => {
			if (isMissing(one) || isMissing(other)) return isMissing(one) - isMissing(other);
			return sign * compareValues(one, other);
		})
		.map(([item]) => item);
}

// compareValues compares two texts or two numbers: it returns -1 if the first is less, 1 if it is
// more, and else 0.
function compareValues(one, other) {
	if (typeof one === "string") return one.localeCompare(other);
	if (one < other) return -1;
	return one > other ? 1 : 0;
}

// sorting splits an order such as iid:dim=3:desc into its column and direction.
function sorting(order) {
	const colon = order.lastIndexOf(":");
	return colon < 0
		? ["", ""]
		: [order.slice(0, colon), order.slice(colon + 1) === "desc" ? "desc" : "asc"];
}

// sortWords has the value of aria-sort of a column, and its arrow, by the direction in which it is
// sorted.
const sortWords = {
	asc: { order: "ascending", arrow: " ▴" },
	desc: { order: "descending", arrow: " ▾" },
	"": { order: "none", arrow: "" },
};

// sortHeader makes the head of a column that sorts: key names it in the order of the view.
function sortHeader(orderKey, key, title, attributes = {}) {
	const [column, direction] = sorting(state[orderKey]);
	const now = column === key ? direction : "";
	const next = key + (now === "asc" ? ":desc" : ":asc");
	const { order, arrow } = sortWords[now];
	return el(
		"th",
		{ scope: "col", "aria-sort": order, ...attributes },
		el(
			"button",
			{ type: "button", "data-sort": key, click: () => sortBy(orderKey, key, next) },
			title,
			el("span", { class: "arrow", "aria-hidden": "true" }, arrow),
		),
	);
}

// sortBy changes an order, and leaves the focus on the head.
function sortBy(orderKey, key, order) {
	const table = document.activeElement?.closest("table")?.id;
	setState({ [orderKey]: order });
	if (table) {
		byId(table)
			?.querySelector(`[data-sort="${CSS.escape(key)}"]`)
			?.focus();
	}
}

// matrixLayout returns the rows and columns of the matrix in their order, as lists of indices,
// with the function that finds a pair, and what each cell shows.
function matrixLayout(experiment) {
	const { algorithms, problems } = filteredIndices(experiment);
	const flipped = state.rows === "problems";
	const [rowsOf, columnsOf] = flipped
		? [experiment.problems, experiment.algorithms]
		: [experiment.algorithms, experiment.problems];
	let rows = flipped ? problems : algorithms;
	let columns = flipped ? algorithms : problems;
	const pairAt = (row, column) =>
		flipped ? experiment.pair(column, row) : experiment.pair(row, column);
	const cells = new Map();
	for (const row of rows) {
		for (const column of columns) {
			const pair = pairAt(row, column);
			if (pair) cells.set(pair, matrixCell(experiment, pair, metricOf(experiment), state.show));
		}
	}
	if (state.verdict) {
		rows = rows.filter(row =>
			columns.some(column => cells.get(pairAt(row, column))?.verdict === state.verdict),
		);
		if (!rows.length) columns = [];
	}
	const [key, direction] = sorting(state.sort);
	const by = columnsOf.findIndex(entry => entry.spec === key);
	if (key === "name") {
		rows = inOrder(rows, row => rowsOf[row].title, direction);
	} else if (by >= 0) {
		rows = inOrder(rows, row => number(cells.get(pairAt(row, by))?.estimate?.value), direction);
	}
	return { flipped, rows, columns, rowsOf, columnsOf, pairAt, cells };
}

// entrantHead makes the head of an algorithm or a problem: its title, and for an algorithm its
// feedback, T if it needs the horizon, and its store.
function entrantHead(entry) {
	const notes = entry.facts
		? []
		: [entry.feedback, entry.anytime ? "" : "T", entry.source].filter(Boolean);
	return [
		el(
			"span",
			{
				title: [entry.title, entry.spec, entry.doc, entry.facts?.join(", ")]
					.filter(Boolean)
					.join("\n"),
			},
			unbroken(entry.short ?? entry.title),
		),
		notes.length ? el("small", {}, notes.join(", ")) : null,
	];
}

// renderMatrix draws the matrix, its legend and the counts.
function renderMatrix(experiment) {
	const layout = matrixLayout(experiment);
	const metric = experiment.metric(metricOf(experiment));
	const [what, how] = shows[state.show];
	const table = byId("matrix-table");
	const focused = table.contains(document.activeElement)
		? document.activeElement.closest("td")?.dataset
		: undefined;
	const ranked = state.show === "final" || state.show === "rank";
	byId("legend").replaceChildren(
		...[...verdicts.values()].map(verdict =>
			badge(verdict.key, state.show === "verdict" ? verdict.claim : verdict.word),
		),
	);
	table.classList.toggle("judged", ["both", "exponent", "verdict", "bound"].includes(state.show));
	const head = el(
		"tr",
		{},
		sortHeader("sort", "name", layout.flipped ? "problem" : "algorithm"),
		layout.columns.map(column =>
			sortHeader("sort", layout.columnsOf[column].spec, entrantHead(layout.columnsOf[column])),
		),
	);
	const body = el("tbody");
	for (const row of layout.rows) {
		const own = !layout.flipped && row === experiment.raw.own;
		const rowElement = el(
			"tr",
			{ class: own ? "own" : null },
			el(
				"th",
				{ scope: "row", "data-algorithm": layout.flipped ? null : layout.rowsOf[row].spec },
				entrantHead(layout.rowsOf[row]),
			),
		);
		for (const column of layout.columns) {
			const pair = layout.pairAt(row, column);
			const [algorithmIndex, problemIndex] = layout.flipped ? [column, row] : [row, column];
			rowElement.append(
				pair
					? cellElement(experiment, pair, layout.cells.get(pair), ranked)
					: emptyCell(experiment, algorithmIndex, problemIndex),
			);
		}
		body.append(rowElement);
	}
	table.replaceChildren(
		el(
			"caption",
			{},
			el("b", {}, (metric?.title ?? metricOf(experiment)) + ": " + what),
			experiment.raw.shared ? " on " + experiment.raw.shared : "",
			" – " + how + "." + (ranked ? " " : ""),
			ranked
				? el(
						"span",
						{ class: "scale" },
						"Shade: the stronger, the smaller on its problem ",
						[1, 2, 3, 4, 5].map(shade => el("span", { class: "swatch", "data-shade": shade })),
					)
				: null,
		),
		el("thead", {}, head),
		body,
	);
	setTabStop(table);
	if (focused) cellButton(focused.algorithm, focused.problem)?.focus();
	const nowhere = experiment.algorithms
		.filter((_, algorithmIndex) => neverPlayed(experiment, algorithmIndex))
		.map(algorithm => algorithm.title);
	byId("count").textContent = countText(layout, nowhere.length);
	byId("count").title = nowhere.join("; ");
	byId("matrix-csv").onclick = () =>
		download(
			[experiment.name, metricOf(experiment), state.show].join("-") + ".csv",
			"text/csv",
			matrixCSV(experiment, layout),
		);
}

// countText says how many algorithms and problems are shown, and how many algorithms were played
// on no problem.
function countText(layout, nowhere) {
	const of = (shown, all, noun) => (shown === all ? "" : shown + " of ") + plural(all, noun);
	const [rows, columns] = layout.flipped ? ["problem", "algorithm"] : ["algorithm", "problem"];
	const played = (list, noun) => list.length - (noun === "algorithm" ? nowhere : 0);
	return (
		of(layout.rows.length, played(layout.rowsOf, rows), rows) +
		", " +
		of(layout.columns.length, played(layout.columnsOf, columns), columns) +
		(nowhere ? "; " + plural(nowhere, "algorithm") + " played on none" : "")
	);
}

// cellElement makes the cell of a pair.
function cellElement(experiment, pair, cell, ranked) {
	const algorithm = experiment.algorithms[pair.a].spec;
	const problem = experiment.problems[pair.p].spec;
	const open = state.problem === problem && state.algorithms.includes(algorithm);
	return el(
		"td",
		{
			"data-algorithm": algorithm,
			"data-problem": problem,
			"data-value": exact(cell.estimate?.value),
			"data-verdict": cell.verdict,
			"data-shade": ranked ? rankShade(experiment, pair, metricOf(experiment)) || null : null,
			class:
				[state.verdict && cell.verdict !== state.verdict ? "dim" : "", open ? "open" : ""]
					.join(" ")
					.trim() || null,
		},
		el(
			"button",
			{
				type: "button",
				tabindex: -1,
				title:
					[cell.title, pair.unmet.length ? "* lacks: " + pair.unmet.join("; ") : ""]
						.filter(Boolean)
						.join("\n") || null,
			},
			cell.parts,
			pair.unmet.length ? " *" : null,
			pair.failed
				? el(
						"span",
						{ class: "verdict above", title: plural(pair.failed, "cell") + " failed" },
						" !",
					)
				: null,
		),
	);
}

// emptyCell makes the cell of a pair that was not played.
function emptyCell(experiment, algorithmIndex, problemIndex) {
	const lacks = experiment.lacks(algorithmIndex, problemIndex);
	return el(
		"td",
		{
			class: "none",
			"data-algorithm": experiment.algorithms[algorithmIndex].spec,
			"data-problem": experiment.problems[problemIndex].spec,
			"data-value": "",
			"data-verdict": "",
			title:
				verdicts.get("").word + (lacks.length ? ": the problem lacks " + lacks.join("; ") : ""),
		},
		verdicts.get("").sign,
	);
}

// matrixCSV writes the cells that are shown, one a row.
function matrixCSV(experiment, layout) {
	const rows = [["problem", "algorithm", "metric", "show", "value", "lower", "upper", "verdict"]];
	for (const row of layout.rows) {
		for (const column of layout.columns) {
			const pair = layout.pairAt(row, column);
			const shown = layout.cells.get(pair);
			if (pair) {
				rows.push([
					experiment.problems[pair.p].spec,
					experiment.algorithms[pair.a].spec,
					metricOf(experiment),
					state.show,
					...["value", "lower", "upper"].map(member => exact(shown.estimate?.[member])),
					shown.verdict,
				]);
			}
		}
	}
	return csv(rows);
}

// cellButton returns the button of a cell.
function cellButton(algorithm, problem) {
	return [...byId("matrix-table").querySelectorAll("td[data-algorithm] > button")].find(
		button =>
			button.parentNode.dataset.algorithm === algorithm &&
			button.parentNode.dataset.problem === problem,
	);
}

// setTabStop leaves one cell of the table in the order of the Tab key: the given one, else the open
// one, else the first.
function setTabStop(table, button) {
	table.querySelector("td > button[tabindex='0']")?.setAttribute("tabindex", -1);
	(
		button ??
		table.querySelector("td.open > button") ??
		table.querySelector("td > button")
	)?.setAttribute("tabindex", 0);
}

// arrowSteps has the step of each arrow key, in rows and columns.
const arrowSteps = {
	ArrowRight: [0, 1],
	ArrowLeft: [0, -1],
	ArrowDown: [1, 0],
	ArrowUp: [-1, 0],
};

// nextButton returns the button of the next cell in a direction that was played, or undefined.
function nextButton(td, rowStep, columnStep) {
	const rows = [...td.closest("tbody").rows];
	let row = td.parentNode.rowIndex - 1 + rowStep;
	let column = td.cellIndex + columnStep;
	while (rows[row]?.cells[column]) {
		const button = rows[row].cells[column].querySelector("button");
		if (button) return button;
		row += rowStep;
		column += columnStep;
	}
	return undefined;
}

// moveInMatrix moves the focus by the arrow keys, over cells that were not played.
function moveInMatrix(event) {
	const td = event.target.closest("td");
	if (
		!td ||
		(event.ctrlKey && !["Home", "End"].includes(event.key)) ||
		event.altKey ||
		event.metaKey
	) {
		return;
	}
	let to;
	if (arrowSteps[event.key]) {
		to = nextButton(td, ...arrowSteps[event.key]);
	} else if (event.key === "Home" || event.key === "End") {
		const within = event.ctrlKey
			? [...td.closest("tbody").querySelectorAll("td > button")]
			: [...td.parentNode.querySelectorAll("td > button")];
		to = within.at(event.key === "Home" ? 0 : -1);
	} else {
		return;
	}
	event.preventDefault();
	if (!to) return;
	setTabStop(td.closest("table"), to);
	to.focus();
}

// pickInMatrix opens the cell of a click. With Ctrl or Shift an algorithm on the open
// problem joins the chart, or leaves it.
function pickInMatrix(event) {
	const td = event.target.closest("td[data-algorithm]");
	if (!td || !event.target.closest("button")) return;
	setTabStop(td.closest("table"), td.querySelector("button"));
	const { algorithm, problem } = td.dataset;
	if (
		(event.ctrlKey || event.metaKey || event.shiftKey) &&
		state.problem === problem &&
		state.over === "algorithms"
	) {
		toggleMember(algorithm);
	} else {
		openCell(algorithm, problem);
	}
}
