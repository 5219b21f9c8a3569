// The matrix of algorithms and problems with its filters. x is an experiment of the page, q a pair of
// it (data.js), a and p are the indices of an algorithm and a problem; q.series[m].root is the verdict
// on growth like √t of the metric m.

// boundVerdicts has, for each state of a bound, the verdict whose sign and colour it is shown with.
const boundVerdicts = { held: "at-most", broken: "above", unsettled: "undecided" };

// shows has the name of each thing that a cell can show, and what the caption says of it.
const shows = {
	both: ["value and verdict", "the mean at T, and the sign of the verdict on this metric alone against √t"],
	final: ["value at T", "the mean at T and the half-width of its interval"],
	exponent: ["exponent", "the exponent of the largest mean so far at the end of the window, its bounds, and the verdict on growth like √t"],
	verdict: ["verdict on the claim", "the same exponent with the verdict on the algorithm's claim; a metric is named where the claim is about another"],
	bound: ["measured over bound", "the largest ratio of the measured value to the bound of the proof, up to T"],
	rank: ["rank on the problem", "the mean rank over the replicates with its interval, 1 the least"],
	difference: ["difference of the stores", "the difference of the means at T with its interval, and the corrected p-value"],
};

// badge writes a verdict as a coloured sign, and a word where there is room, else a name for
// whoever does not see it. The colour is never the only cue.
function badge(verdict, word = verdictWord(verdict), name = verdictWord(verdict)) {
	return el("span", { class: "verdict " + verdict, title: word ? null : name }, verdicts.get(verdict).sign, word ? " " + word : el("span", { class: "hidden" }, " " + name));
}

// verdictWord returns the words of the verdict on a pair that was played.
function verdictWord(verdict) { return verdict ? verdicts.get(verdict).word : "not judged"; }

// claimBadge writes the verdict on a claim.
function claimBadge(verdict, word = verdicts.get(verdict).claim) { return badge(verdict, word, verdicts.get(verdict).claim); }

// boundBadge writes the state of a bound.
function boundBadge(state) {
	return boundVerdicts[state] ? badge(boundVerdicts[state], state) : el("span", { class: "muted" }, state);
}

// judgementOf returns the pair's judgement of the kind of a metric, or undefined.
function judgementOf(q, metric) {
	if (metric === "regret_dynamic") return q.dynamic;
	return metric.startsWith("regret") ? q.regret : metric.startsWith("violation") ? q.violation : undefined;
}

// matrixCell returns what the matrix shows of a pair: parts (nodes or texts), the estimate with its
// interval, a title, and the verdict: on the claim or the bound if the matrix shows these, else on
// growth like √t.
function matrixCell(x, q, metric, show) {
	const s = q.series[metric], j = judgementOf(q, metric);
	const none = (word, title) => ({ parts: [el("span", { class: "muted" }, word)], title, verdict: "" });
	switch (show) {
	case "both": {
		const c = matrixCell(x, q, metric, "final");
		return { ...c, parts: [c.verdict ? badge(c.verdict, "") : "", " ", ...c.parts] };
	}
	case "final":
		if (!s) return none("–", "not measured");
		if (s.state !== "measured") return { ...none(stateWords[s.state] ?? s.state), estimate: s.final, verdict: s.root };
		return { parts: [plusMinus(s.final).replace("± ", "±\u00a0") + partialText(s), s.lead ? el("span", { class: "lead", title: leadText(q) + (s.doubts ? "; " + s.doubts.join("; ") : "") }, s.doubts ? " ★?" : " ★") : ""], estimate: s.final, verdict: s.root };
	case "exponent": {
		if (!s || !s.root) return none(s && !hasValues(s) ? stateWords[s.state] ?? s.state : verdicts.get("").sign, s?.why || "not judged");
		const { exponent: estimate, title } = judgedGrowth(s);
		return { parts: [...growthShort(s, { bounds: true }), partialText(s)], estimate, verdict: s.root, title };
	}
	case "verdict": {
		if (!j?.verdict) return j?.claim ? none(`O(${j.claim})`, "its growth is not judged") : none("no claim");
		const of = q.series[j.metric], other = j.metric !== metric && x.metric(j.metric);
		const { exponent: estimate, title } = judgedGrowth(of);
		const parts = [...growthShort(of, { bounds: true, sign: claimBadge(j.verdict, "") }), partialText(of), other ? el("small", {}, other.title) : null];
		return { parts, estimate, verdict: j.verdict, title: ["claim: O(" + j.claim + ")", j.why, title].filter(Boolean).join("; ") };
	}
	case "bound": {
		const b = j?.bound;
		if (!b || b.state === "unstated") return none("no bound", b?.reason || j?.no_bound || undefined);
		const other = j.metric !== metric && x.metric(j.metric);
		const parts = [boundPercent(b.ratio.value) + " ", boundBadge(b.state), other ? el("small", {}, other.title) : null];
		return { parts, estimate: b.ratio, verdict: boundVerdicts[b.state] ?? "", title: b.formula };
	}
	case "rank": {
		const r = x.rank(metric, q.a, q.p);
		if (!s || s.rank === null || !r) return none("–", "not ranked");
		return { parts: [plusMinus(r.rank) + " of " + r.of], estimate: { ...r.rank, value: s.rank }, verdict: s.root };
	}
	case "difference": {
		const d = x.difference(metric, q.a, q.p);
		if (!d) return none("–", "not in both stores");
		const p = number(d.difference.p_adjusted);
		return { parts: [d.equal ? "equal" : interval(d.difference), d.equal ? null : el("small", {}, Number.isNaN(p) ? "not tested" : pEquation(p))], estimate: d.difference, verdict: s?.root ?? "" };
	}
	}
}

// rankShade returns how strongly a value is shaded: 5 for the least ranks on its problem, 1 for the
// largest, 0 without a rank.
function rankShade(x, q, metric) {
	const rank = number(q.series[metric]?.rank), of = x.rank(metric, q.a, q.p)?.of;
	if (!(rank >= 1) || !(of > 1)) return 0;
	return 5 - Math.min(4, Math.floor(5 * (rank - 1) / of));
}

// neverPlayed tells whether an algorithm, given by index, was played on no problem.
function neverPlayed(x, a) { return !x.problems.some((_, p) => x.pair(a, p)); }

// everPlayed returns the indices of the algorithms that were played on some problem.
function everPlayed(x) { return x.algorithms.map((_, a) => a).filter(a => !neverPlayed(x, a)); }

// filteredIndices returns the indices of the algorithms and the problems that the filters keep. A
// word of the search keeps the algorithms that have it, and the problems that have it; a word that
// is found in neither keeps no algorithm. Algorithms that were played nowhere are left out, and the
// baseline comes first. Differences of two stores belong to the algorithms of the first store, so that
// those of the second are left out.
function filteredIndices(x) {
	const behindBaseline = a => a === x.raw.own ? 0 : 1;
	let algorithms = everPlayed(x).sort((a, b) => behindBaseline(a) - behindBaseline(b)), problems = x.problems.map((_, p) => p);
	const has = e => {
		const text = [e.title, e.spec, e.doc].join("\n").toLowerCase();
		return word => text.includes(word);
	};
	for (const word of state.q.toLowerCase().split(/\s+/).filter(Boolean)) {
		const inA = x.algorithms.map(e => has(e)(word)), inP = x.problems.map(e => has(e)(word));
		const nowhere = !inA.includes(true) && !inP.includes(true); // then no row is left
		if (inA.includes(true) || nowhere) algorithms = algorithms.filter(a => inA[a]);
		if (inP.includes(true)) problems = problems.filter(p => inP[p]);
	}
	if (state.show === "difference") algorithms = algorithms.filter(a => x.algorithms[a].source !== x.raw.beside.sources[1]);
	if (state.feedback) algorithms = algorithms.filter(a => x.algorithms[a].feedback === state.feedback);
	if (state.class) problems = problems.filter(p => x.problems[p].facts.includes(state.class));
	return { algorithms, problems };
}

// inOrder sorts items stably by a value in a direction; items without a value come last in both
// directions.
function inOrder(items, value, direction) {
	const missing = v => v === "" || Number.isNaN(v);
	const sign = direction === "desc" ? -1 : 1;
	return items.map(item => [item, value(item)]).sort(([, v], [, w]) => {
		if (missing(v) || missing(w)) return missing(v) - missing(w);
		return sign * (typeof v === "string" ? v.localeCompare(w) : v < w ? -1 : v > w ? 1 : 0);
	}).map(([item]) => item);
}

// sorting splits an order such as iid:dim=3:desc into its column and direction.
function sorting(order) {
	const colon = order.lastIndexOf(":");
	return colon < 0 ? ["", ""] : [order.slice(0, colon), order.slice(colon + 1) === "desc" ? "desc" : "asc"];
}

// sortHeader makes the head of a column that sorts: key names it in the order of the view.
function sortHeader(orderKey, key, title, attributes = {}) {
	const [column, direction] = sorting(state[orderKey]);
	const now = column === key ? direction : "";
	const next = key + (now === "asc" ? ":desc" : ":asc");
	return el("th", { scope: "col", "aria-sort": now === "asc" ? "ascending" : now === "desc" ? "descending" : "none", ...attributes },
		el("button", { type: "button", "data-sort": key, click: () => sortBy(orderKey, key, next) },
			title, el("span", { class: "arrow", "aria-hidden": "true" }, now === "asc" ? " ▴" : now === "desc" ? " ▾" : "")));
}

// sortBy changes an order, and leaves the focus on the head.
function sortBy(orderKey, key, order) {
	const table = document.activeElement?.closest("table")?.id;
	setState({ [orderKey]: order });
	if (table) byId(table)?.querySelector(`[data-sort="${CSS.escape(key)}"]`)?.focus();
}

// matrixLayout returns the rows and columns of the matrix in their order, as lists of indices,
// with the function that finds a pair, and what each cell shows.
function matrixLayout(x) {
	const { algorithms, problems } = filteredIndices(x);
	const flipped = state.rows === "problems";
	const [rowsOf, columnsOf] = flipped ? [x.problems, x.algorithms] : [x.algorithms, x.problems];
	let rows = flipped ? problems : algorithms, columns = flipped ? algorithms : problems;
	const pair = (r, c) => flipped ? x.pair(c, r) : x.pair(r, c);
	const cells = new Map();
	for (const r of rows) for (const c of columns) {
		const q = pair(r, c);
		if (q) cells.set(q, matrixCell(x, q, metricOf(x), state.show));
	}
	if (state.verdict) {
		rows = rows.filter(r => columns.some(c => cells.get(pair(r, c))?.verdict === state.verdict));
		if (!rows.length) columns = [];
	}
	const [key, direction] = sorting(state.sort);
	const by = columnsOf.findIndex(e => e.spec === key);
	if (key === "name") rows = inOrder(rows, r => rowsOf[r].title, direction);
	else if (by >= 0) rows = inOrder(rows, r => number(cells.get(pair(r, by))?.estimate?.value), direction);
	return { flipped, rows, columns, rowsOf, columnsOf, pair, cells };
}

// entrantHead makes the head of an algorithm or a problem: its title, and for an algorithm its
// feedback, T if it needs the horizon, and its store.
function entrantHead(e) {
	const notes = e.facts ? [] : [e.feedback, e.anytime ? "" : "T", e.source].filter(Boolean);
	return [el("span", { title: [e.title, e.spec, e.doc, e.facts?.join(", ")].filter(Boolean).join("\n") }, unbroken(e.short ?? e.title)), notes.length ? el("small", {}, notes.join(", ")) : null];
}

// renderMatrix draws the matrix, its legend and the counts.
function renderMatrix(x) {
	const m = matrixLayout(x), metric = x.metric(metricOf(x)), [what, how] = shows[state.show];
	const table = byId("matrix-table");
	const focused = table.contains(document.activeElement) ? document.activeElement.closest("td")?.dataset : undefined;
	const ranked = state.show === "final" || state.show === "rank";
	byId("legend").replaceChildren(...[...verdicts.values()].map(v => badge(v.key, state.show === "verdict" ? v.claim : v.word)));
	table.classList.toggle("judged", ["both", "exponent", "verdict", "bound"].includes(state.show));
	const head = el("tr", {}, sortHeader("sort", "name", m.flipped ? "problem" : "algorithm"), m.columns.map(c => sortHeader("sort", m.columnsOf[c].spec, entrantHead(m.columnsOf[c]))));
	const body = el("tbody");
	for (const r of m.rows) {
		const own = !m.flipped && r === x.raw.own;
		const row = el("tr", { class: own ? "own" : null }, el("th", { scope: "row", "data-algorithm": m.flipped ? null : m.rowsOf[r].spec }, entrantHead(m.rowsOf[r])));
		for (const c of m.columns) {
			const q = m.pair(r, c), [a, p] = m.flipped ? [c, r] : [r, c];
			row.append(q ? cellElement(x, q, m.cells.get(q), ranked) : emptyCell(x, a, p));
		}
		body.append(row);
	}
	table.replaceChildren(
		el("caption", {}, el("b", {}, (metric?.title ?? metricOf(x)) + ": " + what), x.raw.shared ? " on " + x.raw.shared : "", " – " + how + "." + (ranked ? " " : ""),
			ranked ? el("span", { class: "scale" }, "Shade: the stronger, the smaller on its problem ", [1, 2, 3, 4, 5].map(k => el("span", { class: "swatch", "data-shade": k }))) : null),
		el("thead", {}, head), body);
	setTabStop(table);
	if (focused) cellButton(focused.algorithm, focused.problem)?.focus();
	const nowhere = x.algorithms.filter((_, a) => neverPlayed(x, a)).map(e => e.title);
	byId("count").textContent = countText(m, nowhere.length);
	byId("count").title = nowhere.join("; ");
	byId("matrix-csv").onclick = () => download([x.name, metricOf(x), state.show].join("-") + ".csv", "text/csv", matrixCSV(x, m));
}

// countText says how many algorithms and problems are shown, and how many algorithms were played
// on no problem.
function countText(m, nowhere) {
	const of = (shown, all, noun) => (shown === all ? "" : shown + " of ") + plural(all, noun);
	const [rows, columns] = m.flipped ? ["problem", "algorithm"] : ["algorithm", "problem"];
	const played = (list, noun) => list.length - (noun === "algorithm" ? nowhere : 0);
	return of(m.rows.length, played(m.rowsOf, rows), rows) + ", " + of(m.columns.length, played(m.columnsOf, columns), columns) +
		(nowhere ? "; " + plural(nowhere, "algorithm") + " played on none" : "");
}

// cellElement makes the cell of a pair.
function cellElement(x, q, c, ranked) {
	const a = x.algorithms[q.a].spec, p = x.problems[q.p].spec;
	const open = state.problem === p && state.algorithms.includes(a);
	return el("td", {
		"data-algorithm": a, "data-problem": p, "data-value": exact(c.estimate?.value), "data-verdict": c.verdict,
		"data-shade": ranked ? rankShade(x, q, metricOf(x)) || null : null,
		class: [state.verdict && c.verdict !== state.verdict ? "dim" : "", open ? "open" : ""].join(" ").trim() || null,
	}, el("button", { type: "button", tabindex: -1, title: [c.title, q.unmet.length ? "* lacks: " + q.unmet.join("; ") : ""].filter(Boolean).join("\n") || null },
		c.parts, q.unmet.length ? " *" : null, q.failed ? el("span", { class: "verdict above", title: plural(q.failed, "cell") + " failed" }, " !") : null));
}

// emptyCell makes the cell of a pair that was not played.
function emptyCell(x, a, p) {
	const lacks = x.lacks(a, p);
	return el("td", { class: "none", "data-algorithm": x.algorithms[a].spec, "data-problem": x.problems[p].spec, "data-value": "", "data-verdict": "", title: verdicts.get("").word + (lacks.length ? ": the problem lacks " + lacks.join("; ") : "") }, verdicts.get("").sign);
}

// matrixCSV writes the cells that are shown, one a row.
function matrixCSV(x, m) {
	const rows = [["problem", "algorithm", "metric", "show", "value", "lower", "upper", "verdict"]];
	for (const r of m.rows) for (const c of m.columns) {
		const q = m.pair(r, c), shown = m.cells.get(q);
		if (q) rows.push([x.problems[q.p].spec, x.algorithms[q.a].spec, metricOf(x), state.show, ...["value", "lower", "upper"].map(k => exact(shown.estimate?.[k])), shown.verdict]);
	}
	return csv(rows);
}

// cellButton returns the button of a cell.
function cellButton(algorithm, problem) {
	return [...byId("matrix-table").querySelectorAll("td[data-algorithm] > button")]
		.find(b => b.parentNode.dataset.algorithm === algorithm && b.parentNode.dataset.problem === problem);
}

// setTabStop leaves one cell of the table in the order of the Tab key: the given one, else the open
// one, else the first.
function setTabStop(table, button) {
	table.querySelector("td > button[tabindex='0']")?.setAttribute("tabindex", -1);
	(button ?? table.querySelector("td.open > button") ?? table.querySelector("td > button"))?.setAttribute("tabindex", 0);
}

// moveInMatrix moves the focus by the arrow keys, over cells that were not played.
function moveInMatrix(event) {
	const td = event.target.closest("td");
	if (!td || event.ctrlKey && !["Home", "End"].includes(event.key) || event.altKey || event.metaKey) return;
	const rows = [...td.closest("tbody").rows], at = td.parentNode.rowIndex - 1, column = td.cellIndex;
	const along = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
	let to;
	if (along) {
		for (let r = at + along[0], c = column + along[1]; rows[r]?.cells[c] && !to; r += along[0], c += along[1]) to = rows[r].cells[c].querySelector("button");
	} else if (event.key === "Home" || event.key === "End") {
		const within = event.ctrlKey ? [...td.closest("tbody").querySelectorAll("td > button")] : [...td.parentNode.querySelectorAll("td > button")];
		to = within.at(event.key === "Home" ? 0 : -1);
	} else return;
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
	if ((event.ctrlKey || event.metaKey || event.shiftKey) && state.problem === problem && state.over === "algorithms") toggleMember(algorithm);
	else openCell(algorithm, problem);
}
