// The sections of the page, and what happens when the view changes.

// sections lists what draws each section of the page, behind the keys of the view that it depends
// on. All depend on x.
const sections = [
	[[], renderHead],
	[["plane", "regret", "violation", "lift"], renderOverview],
	[["metric", "regret", "violation", "show", "rows", "sort", "q", "class", "feedback", "verdict", "problem", "algorithms"], renderControls],
	[["problem", "algorithms", "problems", "over", "metric", "violation", "xaxis", "yaxis", "replicates", "bound", "claim"], renderDetail],
	[["a", "b", "regret", "violation"], renderVersus],
	[["plane", "regret", "violation"], renderPlane],
	[["plane", "regret", "violation", "lift"], renderHorizons],
	[["profile", "metric", "violation", "lines", "ranks"], renderProfiles],
	[["beside", "differing", "significant", "equal"], renderBeside],
	[[], renderAbout],
];

// render draws the sections that depend on what has changed.
function render(changed) {
	const x = shownExperiment();
	if (!x) return;
	for (const [keys, draw] of sections) if (changed.includes("x") || keys.some(key => changed.includes(key))) draw(x, changed);
}

// fillSelect fills a select with values and their names, and chooses one.
function fillSelect(select, list, value) {
	select.replaceChildren(...list.map(([v, name]) => el("option", { value: v }, name)));
	select.value = value;
}

// metricOptions returns the name and the title of each metric, for a list to choose from.
function metricOptions(x) { return x.metrics.map(m => [m.name, m.title]); }

// mostSentences is the largest number of sentences on the first screen; the others are folded.
const mostSentences = 5;

// renderHead draws what the experiment is, and the sentences on what came out.
function renderHead(x) {
	if (experiments.length > 1) {
		byId("experiment").value = x.name;
		byId("experiment").nextSibling.textContent = x.name;
	}
	byId("description").textContent = x.raw.asked.description ?? "";
	byId("settings").textContent = x.raw.settings;
	const [first, rest] = [x.raw.words.slice(0, mostSentences), x.raw.words.slice(mostSentences)];
	byId("words").replaceChildren(...first.map(w => el("li", {}, w)));
	byId("rest").replaceChildren(...rest.map(w => el("li", {}, w)));
	byId("more").hidden = !rest.length;
	for (const item of document.querySelectorAll("#tables > .item")) item.hidden = item.dataset.experiment !== x.name;
}

// renderPlane draws regret against violation on the problem of the first screen.
function renderPlane(x) {
	const p = problemOf(x);
	byId("fronts").hidden = p >= x.problems.length || !x.metric(regretOf(x, p)) || !x.metric(violationOf(x));
	if (byId("fronts").hidden) return;
	fillSelect(byId("plane-problem"), x.problems.map(e => [e.spec, e.title]), x.problems[p].spec);
	byId("plane-facts").textContent = x.problems[p].facts.join(", ");
	byId("plane").replaceChildren(planeFigure(x, p, regretOf(x, p), violationOf(x), spec => openCell(spec, x.problems[p].spec)));
}

// renderHorizons draws the means of a sweep across T on the problem of the first screen.
function renderHorizons(x) {
	const p = problemOf(x), section = byId("horizons");
	section.hidden = x.raw.asked.horizon.length < 2 || p >= x.problems.length;
	if (section.hidden) return;
	const shown = colouredOn(x, p), draw = metric => x.metric(metric) ? horizonFigure(x, p, metric, shown) : "";
	byId("horizons-violation").replaceChildren(draw(violationOf(x)));
	byId("horizons-regret").replaceChildren(draw(regretOf(x, p)));
}

// renderControls draws the filters and the matrix.
function renderControls(x, changed) {
	if (changed.includes("x")) {
		const facts = [...new Set(x.problems.flatMap(p => p.facts))].sort();
		const feedback = [...new Set(x.algorithms.map(a => a.feedback))].sort();
		fillSelect(byId("metric"), metricOptions(x), metricOf(x));
		fillSelect(byId("curves-metric"), metricOptions(x), metricOf(x));
		fillSelect(byId("show"), choices.show.filter(s => s !== "difference" || x.raw.beside).map(s => [s, shows[s][0]]), state.show);
		fillSelect(byId("class"), [["", "all"], ...facts.map(f => [f, f])], state.class);
		fillSelect(byId("feedback"), [["", "all"], ...feedback.map(f => [f, f])], state.feedback);
	}
	byId("metric").value = metricOf(x);
	for (const id of ["show", "rows", "class", "feedback", "verdict"]) byId(id).value = state[id];
	if (byId("q").value !== state.q) byId("q").value = state.q;
	renderMatrix(x);
}

// profiledAlgorithms returns the SPECs of the algorithms of the profiles: those that the reader
// chose, else the eight with the least mean rank.
function profiledAlgorithms(x, metric) {
	if (state.lines.length) return state.lines;
	const ranked = inOrder(x.raw.ranks.filter(r => r.p === -1 && r.metric === metric), r => number(r.rank.value), "asc");
	return ranked.slice(0, 8).map(r => x.algorithms[r.a].spec);
}

// renderProfiles draws how the algorithms do over all problems.
function renderProfiles(x) {
	const known = new Set(x.raw.profiles.map(f => f.metric));
	const section = byId("profiles");
	section.hidden = x.problems.length < 2 || !known.size;
	if (section.hidden) return;
	const metric = [state.profile, metricOf(x), ...known].find(m => known.has(m));
	fillSelect(byId("profile"), metricOptions(x).filter(([name]) => known.has(name)), metric);
	const lines = profiledAlgorithms(x, metric);
	byId("profile-figure").replaceChildren(profileFigure(x, metric, lines.map(spec => x.algorithm(spec))));
	const rows = x.raw.ranks.filter(r => r.p === -1 && r.metric === metric)
		.map(r => ({ r, a: x.algorithms[r.a], f: x.raw.profiles.find(f => f.metric === metric && f.a === r.a) }));
	const values = { name: e => e.a.title, rank: e => number(e.r.rank.value), problems: e => e.r.problems, best: e => bestShare(e.f) };
	const [key, direction] = sorting(state.ranks || "rank:asc");
	const ordered = inOrder(rows, values[key] ?? values.rank, direction);
	byId("ranks-csv").onclick = () => download(x.name + "-ranks-" + metric + ".csv", "text/csv", csv([["algorithm", "metric", "rank", "lower", "upper", "problems", "best"],
		...ordered.map(e => [e.a.spec, metric, exact(e.r.rank.value), exact(e.r.rank.lower), exact(e.r.rank.upper), e.r.problems, exact(bestShare(e.f))])]));
	byId("ranks").replaceChildren(
		el("caption", {}, "Mean rank by ", x.metric(metric).title, " over the problems played, with its interval; 1 is the least. Best on: the share of all problems with the least value, or one below what one round can cost or violate. Ranks over different problems do not compare."),
		el("thead", {}, el("tr", {}, sortHeader("ranks", "name", "algorithm"), sortHeader("ranks", "rank", "mean rank"), sortHeader("ranks", "problems", "problems"), sortHeader("ranks", "best", "best on"))),
		el("tbody", {}, ordered.map(e => el("tr", {},
			el("th", { scope: "row" }, el("label", {}, el("input", { type: "checkbox", value: e.a.spec, checked: lines.includes(e.a.spec), disabled: lines.length === 1 && lines[0] === e.a.spec, change: () => toggleLine(lines, e.a.spec) }), e.a.title)),
			el("td", { "data-value": exact(e.r.rank.value) }, plusMinus(e.r.rank)), el("td", { "data-value": e.r.problems }, e.r.problems), el("td", { "data-value": exact(bestShare(e.f)) }, percent(bestShare(e.f)))))));
}

// bestShare returns the share of the problems on which an algorithm has the least value.
function bestShare(f) {
	if (!f) return NaN;
	const k = f.ratio.findLastIndex(r => number(r) <= 1); // the profile steps at 1 times the least value
	return k < 0 ? 0 : number(f.share[k]);
}

// toggleLine adds an algorithm to the lines of the profiles, or removes it.
function toggleLine(lines, spec) {
	const next = lines.includes(spec) ? lines.filter(s => s !== spec) : [...lines, spec];
	setState({ lines: next });
	focusInput("ranks", spec);
}

// renderBeside draws the differences from another store.
function renderBeside(x) {
	const b = x.raw.beside;
	if (byId("beside")) byId("beside").hidden = !b;
	if (!b) return;
	const metrics = new Set(b.differences.map(d => d.metric));
	fillSelect(byId("differing"), [["", "all"], ...metricOptions(x).filter(([name]) => metrics.has(name))], state.differing);
	byId("significant").checked = state.significant;
	byId("equal").checked = state.equal;
	byId("beside-words").textContent = b.sources[0] + " less " + b.sources[1] + ", the reference.";
	byId("beside-warnings").replaceChildren(...(b.warnings ?? []).map(w => el("li", {}, w)));
	const title = (list, spec) => list.find(e => e.spec === spec || e.spec.startsWith(spec + " @ "))?.title ?? spec;
	const values = {
		algorithm: d => d.a, problem: d => d.problem, metric: d => d.metric, mean: d => number(d.mean_a), reference: d => number(d.mean_b),
		difference: d => number(d.difference.value), p: d => number(d.difference.p_adjusted), test: d => d.equal ? "equal" : d.paired ? "paired" : "two samples",
	};
	const selected = b.differences.filter(d => (!state.differing || d.metric === state.differing) && (!state.significant || isShownToDiffer(x, d)));
	const rows = state.equal ? selected : selected.filter(d => !d.equal), hidden = selected.length - rows.length;
	const [key, direction] = sorting(state.beside);
	const ordered = values[key] ? inOrder(rows, values[key], direction) : bySignificance(x, rows);
	const significant = rows.filter(d => isShownToDiffer(x, d)).length;
	byId("beside-count").textContent = significant + " of " + plural(b.differences.length, "difference") + " significant or deterministic" +
		(rows.length > significant ? ", " + (rows.length - significant) + " not" : "") + (hidden ? "; " + hidden + " equal to the last bit are not shown" : "");
	byId("differences-csv").onclick = () => download(x.name + "-differences.csv", "text/csv", csv([["problem", "algorithm", "metric", "mean", "reference", "difference", "lower", "upper", "p", "p_adjusted", "paired", "equal", "replicates"],
		...ordered.map(d => [d.problem, d.a, d.metric, ...[d.mean_a, d.mean_b, d.difference.value, d.difference.lower, d.difference.upper, d.difference.p, d.difference.p_adjusted].map(exact), d.paired, Boolean(d.equal), d.replicates])]));
	const cellOf = (v, text) => el("td", { "data-value": exact(v) }, text);
	byId("differences").parentNode.hidden = !rows.length;
	byId("differences").replaceChildren(
		el("caption", {}, "Differences of the means at T, with " + confidence(x.raw.asked.confidence) + " intervals and p-values corrected by Holm"),
		el("thead", {}, el("tr", {}, [["algorithm", "algorithm"], ["problem", "problem"], ["metric", "metric"], ["mean", b.sources[0]], ["reference", b.sources[1]], ["difference", "difference [interval]"], ["p", "corrected p"], ["test", "test"]]
			.map(([k, name]) => sortHeader("beside", k, name)))),
		el("tbody", {}, ordered.map(d => el("tr", { class: isShownToDiffer(x, d) ? "differing" : null },
			el("th", { scope: "row", title: d.a }, title(x.algorithms, d.a)), el("td", { class: "text", title: d.problem }, title(x.problems, d.problem)), el("td", { class: "text" }, x.metric(d.metric)?.title ?? d.metric),
			cellOf(d.mean_a, format(d.mean_a)), cellOf(d.mean_b, format(d.mean_b)),
			cellOf(d.difference.value, interval(d.difference)),
			cellOf(d.difference.p_adjusted, pValue(d.difference.p_adjusted)),
			el("td", { class: "text" }, values.test(d) + (d.equal ? "" : ", " + plural(d.replicates, "replicate")))))));
}

// isShownToDiffer tells whether a difference is significant, by its corrected p-value, or is one of
// deterministic games, which have no p-value.
function isShownToDiffer(x, d) {
	const p = number(d.difference.p_adjusted);
	return Number.isNaN(p) ? !d.equal && number(d.difference.value) !== 0 : p <= 1 - x.raw.asked.confidence;
}

// bySignificance sorts differences: first those that are significant, by their p-value and then
// relative to the larger of the two means, and equal values last.
function bySignificance(x, rows) {
	const rank = d => isShownToDiffer(x, d) ? 0 : d.equal ? 2 : 1;
	const p = d => { const v = number(d.difference.p_adjusted); return Number.isNaN(v) ? 0 : v; };
	const relative = d => { const most = Math.max(Math.abs(number(d.mean_a)), Math.abs(number(d.mean_b))); return most ? Math.abs(number(d.difference.value)) / most : 0; };
	return rows.toSorted((d, e) => rank(d) - rank(e) || p(d) - p(e) || relative(e) - relative(d));
}

// renderAbout draws the method and the provenance of the numbers.
function renderAbout(x) {
	byId("method").textContent = x.raw.method.join(" ");
	byId("provenance").replaceChildren(
		...[["experiment", x.name], ["seed", x.raw.asked.seed], ["confidence", confidence(x.raw.asked.confidence)], ["window of the exponents", x.raw.asked.window + " decades of t"],
			["computed by", x.raw.computed.map(programText).join("; ")], ["missing cells", x.raw.missing], ["digest of the cells", x.raw.cells_digest],
			["analysed by", programText(page.program)], ["run again", x.raw.command || "–"]]
			.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, String(text))]));
}

// listen connects the controls with the view. A control sets the key of the view that is its id, or
// that is listed behind the id.
function listen() {
	for (const [id, key] of [["experiment", "x"], ["regret"], ["violation"], ["versus-a", "a"], ["versus-b", "b"], ["plane-problem", "plane"], ["metric", "metric"], ["curves-metric", "metric"], ["show"], ["rows"], ["class"], ["feedback"], ["verdict"], ["over"], ["xaxis"], ["yaxis"], ["profile"], ["differing"]]) {
		byId(id)?.addEventListener("change", event => setState({ [key ?? id]: event.target.value, ...id === "rows" ? { sort: "" } : {} }));
	}
	for (const id of ["replicates", "bound", "claim", "significant", "equal"]) byId(id)?.addEventListener("change", event => setState({ [id]: event.target.checked }));
	byId("q").addEventListener("input", event => setState({ q: event.target.value }));
	byId("clear").addEventListener("click", () => setState({ q: "", class: "", feedback: "", verdict: "" }));
	listenToPointer();
	byId("matrix-table").addEventListener("keydown", moveInMatrix);
	byId("matrix-table").addEventListener("click", pickInMatrix);
	byId("close").addEventListener("click", closeCell);
	byId("copy").addEventListener("click", () => copyText("command"));
	byId("copy-run").addEventListener("click", () => copyText("run"));
	document.addEventListener("keydown", event => {
		if (event.key === "Escape" && state.problem && event.target.type !== "search" && !event.defaultPrevented) closeCell();
	});
}

if (experiments.length > 1) fillSelect(byId("experiment"), experiments.map(x => [x.name, x.name]), "");
else byId("experiment").parentNode.remove();
if (!experiments.some(x => x.raw.beside)) byId("beside").remove();
document.documentElement.classList.add("script");
listen();
readState({ first: true });
if (state.problem) byId("detail").scrollIntoView();
document.documentElement.dataset.ready = "true";
