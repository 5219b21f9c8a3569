// A against B: on which problems the one keeps both regret and violation at √t and the other does
// not, and by how much they differ.

// comparison returns the comparison of a with b by a metric on a problem: the difference of the
// means at T, a less b, its corrected p-value, whether a is shown to have less (sign −1) or more
// (1), and whether that is in doubt. It is undefined where the analysis has no comparison.
function comparison(x, metric, a, b, p) {
	const c = x.raw.compared.find(e => e.p === p && e.metric === metric);
	if (!c || a === b) return undefined;
	let [i, j] = [c.of.indexOf(a), c.of.indexOf(b)];
	if (i < 0 || j < 0) return undefined;
	const turned = i > j, n = c.of.length;
	if (turned) [i, j] = [j, i];
	const k = i * n - i * (i + 1) / 2 + j - i - 1; // the pairs i < j are listed row by row
	const e = { value: c.v[k], lower: c.l[k], upper: c.u[k], p: c.p_adjusted[k], sign: c.sign[k], doubt: c.doubt.includes(k) };
	if (!turned) return e;
	const negative = v => v === null ? null : -number(v);
	return { ...e, value: negative(e.value), lower: negative(e.upper), upper: negative(e.lower), sign: -e.sign };
}

// problemsByOutcome returns the problems that two algorithms were played on, by who keeps both:
// only the first, only the second, one of them and the other is no worse, both, neither.
function problemsByOutcome(x, a, b) {
	const out = { first: [], second: [], tie: [], both: [], neither: [] };
	x.problems.forEach((_, p) => {
		const q = x.pair(a, p), r = x.pair(b, p);
		if (!q || !r) return;
		const one = keepsBoth(x, q) ? keepsBoth(x, r) ? "both" : "first" : keepsBoth(x, r) ? "second" : "neither";
		const tie = one === "first" ? isTie(x, a, b, p) : one === "second" && isTie(x, b, a, p);
		out[tie ? "tie" : one].push(p);
	});
	return out;
}

// isTie tells whether a, which keeps both at √t, and b, which is not shown to, tie: b is undecided,
// and is not shown to have more than a of what it is undecided on.
function isTie(x, a, b, p) {
	const q = x.pair(b, p);
	return bothOf(x, q) === "undecided" && [regretOf(x, p), violationOf(x)].every(m => {
		if (q.series[m]?.root !== "undecided") return true;
		const e = comparison(x, m, b, a, p);
		return e && e.value !== null && e.sign <= 0;
	});
}

// comparedPair returns A and B of the algorithms that were played: those that the reader chose,
// else the baseline as A, and as B the first of those that differ from A on the most problems. B is
// from the store of A if another algorithm is, since the analysis compares none across stores.
function comparedPair(x, all) {
	const chosenA = state.a ? x.algorithm(state.a) : x.raw.own, chosenB = x.algorithm(state.b);
	const a = all.includes(chosenA) ? chosenA : all[0];
	if (all.includes(chosenB) && chosenB !== a) return [a, chosenB];
	const others = all.filter(b => b !== a), sameStore = others.filter(b => x.algorithms[b].source === x.algorithms[a].source);
	let best = -1, most = -1;
	(sameStore.length ? sameStore : others).forEach(b => {
		const c = problemsByOutcome(x, a, b), n = c.first.length + c.second.length;
		if (n > most) [best, most] = [b, n];
	});
	return [a, best];
}

// renderVersus draws the comparison of two algorithms.
function renderVersus(x) {
	const all = everPlayed(x);
	byId("versus").hidden = all.length < 2;
	if (all.length < 2) return;
	const [a, b] = comparedPair(x, all), names = k => [x.algorithms[k].spec, x.algorithms[k].title];
	fillSelect(byId("versus-a"), all.map(names), x.algorithms[a].spec);
	fillSelect(byId("versus-b"), all.filter(k => k !== a).map(names), x.algorithms[b].spec);
	const c = problemsByOutcome(x, a, b), rest = [...c.second, ...c.tie, ...c.both, ...c.neither];
	const [A, B] = [x.algorithms[a].title, x.algorithms[b].title];
	const table = (list, caption) => versusTable(x, a, b, list, caption);
	const counts = [[c.second, B + " alone keeps both"], [c.tie, "one alone does, and the other is not shown to have more,"], [c.both, "both algorithms do"], [c.neither, "neither is shown to"]]
		.filter(([list]) => list.length).map(([list, words]) => words + " on " + list.length);
	const above = c.first.filter(p => bothOf(x, x.pair(b, p)) === "above").length, notShown = c.first.length - above;
	const lacks = [[above, "does not"], [notShown, "is not shown to"]].filter(([n]) => n).map(([n, words]) => B + " " + words + ": on " + plural(n, "problem")).join("; ");
	const nobody = !c.first.length && !rest.length;
	byId("versus-first").replaceChildren(c.first.length
		? table(c.first, A + " keeps both at √t, and " + lacks)
		: el("p", {}, nobody ? "No problem was played by both." : "On no problem " + A + " is shown to keep both at √t where " + B + " is not."));
	byId("versus-others").hidden = !rest.length;
	byId("versus-others").open = !c.first.length;
	byId("versus-count").textContent = plural(rest.length, c.first.length ? "other problem" : "problem") + ": " + counts.join(", ");
	byId("versus-rest").replaceChildren(table(rest, "The other problems"));
	const usualMetrics = x.raw.focus.views.every((v, p) => v.regret === regretOf(x, p) && v.violation === violationOf(x));
	byId("versus-command").parentNode.hidden = !usualMetrics || Boolean(x.raw.beside);
	byId("versus-command").textContent = ["bench compare", ...[x.algorithms[a].spec, x.algorithms[b].spec].map(shellWord), "--experiment", shellWord(x.name)].join(" ");
}

// shellWord writes a word of a command for a POSIX shell.
function shellWord(word) {
	return /^[\w.\/:=,+%@-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

// versusTable makes the table of two algorithms on some problems: the verdicts and the growth of
// each, and the differences of their means.
function versusTable(x, a, b, list, caption) {
	const verdictCell = (k, p) => {
		const q = x.pair(k, p);
		const both = [regretOf(x, p), violationOf(x)].map(m => q.series[m]);
		return el("td", { title: both.map(s => judgedGrowth(s).title).filter(Boolean).join("\n") || null }, badge(bothOf(x, q), ""), both.flatMap(s => ["; ", ...growthShort(s)]));
	};
	const differenceCell = (metric, p) => {
		const e = comparison(x, metric, a, b, p);
		if (!e || e.value === null) {
			const known = x.raw.compared.some(c => c.metric === metric);
			const reference = x.raw.beside && [a, b].some(k => x.algorithms[k].source === x.raw.beside.sources[1]);
			return el("td", { title: !known ? "the page has no comparisons by this metric: bench compare --metric " + metric : reference ? "only algorithms of " + x.raw.beside.sources[0] + " are compared" : null }, "–");
		}
		const text = number(e.value) === 0 ? "equal" : interval(e);
		return el("td", { "data-value": exact(e.value) }, e.sign ? el("b", {}, text) : text, e.p === null ? null : el("small", {}, pEquation(e.p) + (e.doubt ? " ?" : "")));
	};
	return el("table", {},
		el("caption", {}, caption + ".", acrossWords(x, list)),
		el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "problem"),
			[a, b].map(k => el("th", { scope: "col", title: endWords }, unbroken(x.algorithms[k].title), el("small", {}, "both; regret; violation"))),
			[state.regret ? x.metric(state.regret).title : "regret", x.metric(violationOf(x))?.title ?? "violation"].map(title => el("th", { scope: "col" }, title, el("small", {}, "A − B at T [" + confidence(x.raw.asked.confidence) + "]"))))),
		el("tbody", {}, list.map(p => el("tr", {},
			el("th", { scope: "row" }, el("button", { type: "button", class: "link", "data-problem": x.problems[p].spec, title: "Opens the curves of both", click: () => openBoth(x, a, b, p) }, unbroken(x.problems[p].title))),
			verdictCell(a, p), verdictCell(b, p), differenceCell(regretOf(x, p), p), differenceCell(violationOf(x), p)))));
}

// openBoth opens the curves of two algorithms on a problem.
function openBoth(x, a, b, p) {
	openCell(x.algorithms[a].spec, x.problems[p].spec, [x.algorithms[b].spec]);
}
