// The open cell: its curves, the table of what is known of its numbers, and the commands that play
// it again.

// startMembers is how many problems of one algorithm are on the chart at the start.
const startMembers = 8;

let focusBefore; // what had the focus before the cell was opened
let openedCell; // the SPECs of the open cell's algorithm and problem

// cellView returns the view of a pair. On the chart is also, for reference, the algorithm
// with the least violation of those that keep both regret and violation at √t, or the
// first of the front.
function cellView(x, a, p) {
	const atMost = answersOn(x, p)[0].members.map(q => q.a);
	const front = x.raw.fronts.find(f => f.p === p)?.algorithms ?? [];
	const reference = [...atMost, ...front].find(k => k !== a && x.pair(k, p)?.series[metricOf(x)]);
	const members = reference === undefined ? [a] : [a, reference];
	return { problem: x.problems[p].spec, algorithms: members.map(k => x.algorithms[k].spec), over: "algorithms", problems: [] };
}

// openCell opens the curves of a pair, with others beside it, moves the focus there, and puts the
// pair into the curves of the first screen.
function openCell(algorithm, problem, beside) {
	const x = shownExperiment(), a = x.algorithm(algorithm), p = x.problem(problem);
	if (!x.pair(a, p)) return;
	if (!byId("detail").contains(document.activeElement)) focusBefore = document.activeElement;
	const view = cellView(x, a, p);
	if (beside) view.algorithms = [algorithm, ...beside];
	setState({ ...view, plane: problem, lift: algorithm });
	const title = byId("detail-title");
	title.focus({ preventScroll: true });
	byId("detail").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

// closeCell closes the open cell.
function closeCell() {
	setState({ problem: "", algorithms: [], problems: [], over: "algorithms" });
}

// leaveCell returns the focus to where it came from.
function leaveCell() {
	const back = focusBefore?.isConnected && focusBefore !== document.body ? focusBefore : cellButton(...openedCell);
	(back ?? byId("q")).focus();
	focusBefore = openedCell = undefined;
}

// toggleMember puts an algorithm (or a problem) on the chart, or takes it off; the last one stays.
function toggleMember(spec) {
	const x = shownExperiment(), key = state.over;
	const members = key === "algorithms" ? state.algorithms : shownProblems(x).map(p => x.problems[p].spec);
	const next = members.includes(spec) ? members.filter(s => s !== spec) : [...members, spec];
	if (next.length) setState({ [key]: next });
}

// shownProblems returns the problems on the chart of one algorithm.
function shownProblems(x) {
	const a = x.algorithm(state.algorithms[0]);
	const all = x.problems.map((_, p) => p).filter(p => x.pair(a, p));
	const picked = all.filter(p => state.problems.includes(x.problems[p].spec));
	if (picked.length) return picked;
	const p = x.problem(state.problem);
	return [p, ...all.filter(k => k !== p)].slice(0, startMembers).sort((k, l) => k - l);
}

// onChart returns the pairs on the chart, that of the open cell first.
function onChart(x) {
	const p = x.problem(state.problem), a = x.algorithm(state.algorithms[0]);
	if (state.over === "algorithms") return state.algorithms.map(spec => x.pair(x.algorithm(spec), p));
	return shownProblems(x).map(k => x.pair(a, k));
}

// renderDetail shows or hides the open cell.
function renderDetail(x) {
	const section = byId("detail"), p = x.problem(state.problem), a = x.algorithm(state.algorithms[0]);
	section.hidden = p < 0 || a < 0;
	if (section.hidden) {
		if (openedCell) leaveCell();
		return;
	}
	openedCell = [state.algorithms[0], state.problem];
	const q = x.pair(a, p), metric = x.metric(metricOf(x));
	byId("detail-title").textContent = x.algorithms[a].title + " on " + x.problems[p].title;
	byId("detail-doc").replaceChildren(el("code", {}, x.algorithms[a].spec), " " + x.algorithms[a].doc, el("br"), el("code", {}, x.problems[p].spec), " " + x.problems[p].doc);
	for (const id of ["over", "xaxis", "yaxis"]) byId(id).value = state[id];
	for (const id of ["replicates", "bound", "claim"]) byId(id).checked = state[id];
	byId("curves-metric").value = metricOf(x);
	renderMembers(x, p, a);
	byId("curves").replaceChildren(curvesFigure(x, {
		pairs: onChart(x), metric: metricOf(x), xaxis: state.xaxis, yaxis: state.yaxis,
		replicates: state.replicates, bound: state.bound, claim: state.claim,
	}));
	byId("facts").replaceChildren(el("caption", {}, (metric?.title ?? metricOf(x)) + " of " + x.algorithms[a].title),
		el("tbody", {}, factRows(x, q).map(([name, ...content]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, ...content)))));
	renderCommands(x, q);
}

// renderMembers lists what can be on the chart, with the values at T.
function renderMembers(x, p, a) {
	const overProblems = state.over === "problems";
	const shown = new Set(onChart(x));
	const all = overProblems ? x.problems.map((_, k) => x.pair(a, k)).filter(Boolean)
		: inOrder(x.pairsOn(p), q => number(q.series[metricOf(x)]?.final.value), "asc");
	const items = all.map(q => {
		const e = overProblems ? x.problems[q.p] : x.algorithms[q.a], s = q.series[metricOf(x)];
		const last = shown.has(q) && shown.size === 1;
		return el("label", { class: q.a === a && q.p === p ? "chosen" : null },
			el("input", { type: "checkbox", value: e.spec, checked: shown.has(q), disabled: last, change: () => {
				toggleMember(e.spec);
				focusInput("members", e.spec);
			} }),
			el("span", {}, e.title), el("small", {}, badge(s?.root ?? "", ""), " ", s ? s.state === "measured" ? plusMinus(s.final) : stateWords[s.state] : "–"));
	});
	const front = x.raw.fronts.find(f => f.p === p)?.algorithms ?? [];
	const setMembers = specs => () => setState({ [state.over]: specs });
	byId("members").replaceChildren(
		el("legend", {}, overProblems ? "Problems of " + x.algorithms[a].title : "Algorithms on " + x.problems[p].title + ", by their values"),
		el("p", { class: "controls" },
			overProblems ? null : [el("button", { type: "button", click: setMembers([state.algorithms[0]]) }, "only this"),
				front.length ? el("button", { type: "button", click: setMembers([...new Set([state.algorithms[0], ...front.map(k => x.algorithms[k].spec)])]) }, "the Pareto front") : null],
			el("button", { type: "button", click: setMembers(overProblems ? all.map(q => x.problems[q.p].spec) : [...new Set([state.algorithms[0], ...all.map(q => x.algorithms[q.a].spec)])]) }, "all")),
		el("div", { class: "members" }, items));
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
const designWords = { "along-t": "along t at the last horizon", "across-T": "across the horizons, each with parameters of its own" };

// factRows returns the rows of the table of a pair: a name and what stands beside it.
function factRows(x, q) {
	const s = q.series[metricOf(x)], metric = x.metric(metricOf(x)), j = judgementOf(q, metricOf(x));
	const rows = [["metric", metric?.title ?? metricOf(x), metric?.doc ? [": ", metric.doc] : null].flat()];
	if (!s) rows.push(["state", "not measured"]);
	else rows.push(...valueFacts(x, q, s), ...fitFacts(s.fit));
	if (j?.claim) rows.push(...claimFacts(x, q, j));
	if (q.verdict) rows.push(["both claims", claimBadge(q.verdict)]);
	if (q.root) rows.push(["regret and violation", badge(q.root)]);
	return [...rows, ...gameFacts(x, q)];
}

// valueFacts returns the rows on the final mean: its state, its rank and its growth.
function valueFacts(x, q, s) {
	const r = x.rank(metricOf(x), q.a, q.p), e = s.final;
	const rows = [["mean at T = " + coordinate(x.lastHorizon), s.state === "measured" ? el("b", { title: exact(e.value) }, interval(e)) : stateWords[s.state] ?? s.state,
		s.state === "rounding" ? " – rounding errors" : null, q.deterministic ? ", deterministic" : ", " + s.replicates + " of " + s.of + " replicates"]];
	if (r && s.rank !== null) rows.push(["rank", plusMinus(r.rank), " of " + r.of, s.lead ? " – " + leadText(q) + (s.doubts ? " (" + s.doubts.join("; ") + ")" : "") : ""]);
	if (s.root || s.why) rows.push(["growth", ...judgedWords(s)]);
	return rows;
}

// judgedWords returns the exponent by which a series is judged, with its bounds and where it is
// measured, and the verdict on √t in words.
function judgedWords(s) {
	const { words, exponent, base, title } = judgedGrowth(s);
	const verdict = s.root ? badge(s.root) : "";
	if (!exponent) return [words, words && " ", verdict, s.why ? ": " + s.why : ""];
	return [el("b", { title: exact(exponent.value) }, base + "^" + exponentText(exponent)), " ", verdict, ";" + title.slice(title.indexOf(" on "))];
}

// fitFacts returns the rows on the growth over the whole window, which no verdict is about: the
// exponent w of the mean, and the exponent q of its increments.
function fitFacts(f) {
	if (!f) return [];
	const power = e => e.value === null ? "no exponent" : "t^w, w = " + exponentText(e);
	const rows = [["over the whole window", power(f.exponent) + ", " + (shapeWords[f.shape] ?? f.shape), f.superlinear ? "; above 1 of what grows at most linearly, which cannot last" : ""]];
	if (f.negated && f.negated.exponent.value !== null) rows.push(["size of the negative mean", power(f.negated.exponent) + ", " + (shapeWords[f.negated.shape] ?? f.negated.shape)]);
	if (f.shape === "offset-power") rows.push(["q of a + b·t^q", exponentText(f.increments)]);
	if (f.non_positive > 0) rows.push(["share not positive", percent(f.non_positive) + " of the points of the window"]);
	rows.push(["window", "[" + coordinate(f.from) + ", " + coordinate(f.to) + "], " + plural(f.points, "point") + ", " + (designWords[f.design] ?? f.design) + "; " + plural(f.replicates, "replicate")]);
	if (f.drift.value !== null) rows.push(["local drift", exponentText(f.drift) + ", of the exponent from the first to the second half"]);
	const warnings = [...(f.warnings ?? []), ...(f.negated?.warnings ?? []).map(w => "negative mean: " + w)];
	if (warnings.length) rows.push(["warnings", el("ul", {}, warnings.map(w => el("li", {}, w)))]);
	return rows;
}

// claimFacts returns the rows on what the algorithm claims of a metric: the verdict, and the bound
// of the proof with the largest ratio to it.
function claimFacts(x, q, j) {
	const title = x.metric(j.metric)?.title ?? j.metric, b = j.bound;
	const rows = [["claim", j.claim ? title + " = O(" + j.claim + ")" : "none", j.note ? " – " + j.note : ""]];
	const p = number(j.p), { base, exponent } = judgedGrowth(q.series[j.metric]);
	const by = exponent ? ": " + base + "^" + exponentText(exponent) : "";
	if (j.verdict) rows.push(["verdict on the claim", claimBadge(j.verdict), j.metric === metricOf(x) ? "" : ", by " + title + by, j.why ? ": " + j.why : "", Number.isNaN(p) ? "" : ", " + pEquation(p)]);
	if (j.keeps) rows.push(["mean", "at most " + j.keeps + " in the window"]);
	if (b) rows.push(["bound", boundBadge(b.state),
		b.formula ? [": ", el("span", { class: "formula" }, b.formula)] : null, b.reason ? " – " + b.reason : ""].flat());
	else if (j.no_bound) rows.push(["bound", "none: " + j.no_bound]);
	if (b && b.ratio.value !== null) rows.push(["largest ratio", boundPercent(b.ratio.value) + " of the bound", number(b.ratio.upper) > number(b.ratio.lower) ? " [" + boundPercent(b.ratio.lower) + ", " + boundPercent(b.ratio.upper) + "]" : "",
		" at t = " + coordinate(b.at), b.replicate ? " of replicate " + b.replicate : " of the mean", b.horizon ? ", T = " + coordinate(b.horizon) : ""]);
	return rows;
}

// parameterText writes parameters as key=value.
function parameterText(params) {
	const list = Object.entries(params ?? {}).map(([k, v]) => k + "=" + (typeof v === "object" ? JSON.stringify(v) : v));
	return list.length ? el("code", {}, list.join(", ")) : "none";
}

// gameFacts returns the rows on the games of the pair: replicates, assumptions, parameters and
// programs.
function gameFacts(x, q) {
	const a = x.algorithms[q.a], p = x.problems[q.p], asked = x.raw.asked;
	const rows = [["replicates", q.played + " played of " + q.replicates + (q.deterministic ? ", deterministic" : ""), q.failed ? el("span", { class: "verdict above" }, "; " + plural(q.failed, "cell") + " failed: " + (q.failure ?? "")) : ", none failed"]];
	if (q.unmet.length) rows.push(["assumptions not met", q.unmet.join("; ")]);
	if (a.assumes?.length) rows.push(["assumes", a.assumes.join("; ")]);
	rows.push(["claims", a.claims?.length ? a.claims.join("; ") : "none"],
		["feedback", [a.feedback, a.anytime ? "anytime" : "needs the horizon", a.source && "from " + a.source].filter(Boolean).join(", ")],
		...(q.resolved ? [["played as", el("code", {}, q.resolved), " at T = " + coordinate(asked.horizon.at(-1))]] : []),
		["parameters", parameterText(a.params), a.tuned ? " tuned from " : null, a.tuned ? el("code", {}, a.tuned) : null],
		["problem", (p.facts.length ? p.facts.join(", ") + ": " : ""), parameterText(p.params)],
		["seed", String(asked.seed)],
		["computed by", x.raw.computed.map(programText).join("; ")],
		["digest of the cells", el("code", {}, x.raw.cells_digest)]);
	return rows;
}

// programText names a program that computed cells.
function programText(c) {
	return "ocobench " + c.version + ", " + c.go + ", " + c.goarch + (c.cells ? ", " + plural(c.cells, "cell") : "");
}

// renderCommands writes the commands that play the cell and the experiment again.
function renderCommands(x, q) {
	const input = byId("replicate");
	input.max = q.replicates;
	const replicate = () => Math.min(Math.max(1, Math.round(Number(input.value)) || 1), q.replicates);
	const write = () => { byId("command").textContent = q.play.replace(/\d+$/, String(replicate())); };
	input.oninput = write;
	input.onchange = () => { // when the reader has finished, the input is corrected, too
		input.value = replicate();
		write();
	};
	input.onchange();
	byId("run").textContent = x.raw.command;
	byId("command").parentNode.hidden = !q.play;
	byId("run").parentNode.hidden = !x.raw.command;
	byId("file").hidden = !x.raw.file;
	byId("file").onclick = () => download(x.name + ".yaml", "application/yaml", x.raw.file);
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
	copyText.timer = setTimeout(() => { status.textContent = ""; }, 4000);
}
