// The first screen: the curves of one problem by violation and by regret, and who keeps both at
// √t on it. An algorithm that is pointed at, here or in the matrix, is lifted: its curves stand
// out, and the others are grey.

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
function bothOf(x, q, regret = regretOf(x, q.p), violation = violationOf(x)) {
	const analysed = x.raw.focus.views[q.p] ?? x.raw.focus;
	if (regret === analysed.regret && violation === analysed.violation) return q.root;
	return worstVerdict(q.series[regret]?.root ?? "", q.series[violation]?.root ?? "");
}

// keepsBoth tells whether a pair keeps both regret and violation at √t.
function keepsBoth(x, q) { return bothOf(x, q) === "at-most"; }

// answersOn returns the groups of a problem with the pairs of each, in the order of their
// violation.
function answersOn(x, p) {
	const all = inOrder(x.pairsOn(p), q => number(q.series[violationOf(x)]?.final.value), "asc");
	return answerGroups.map(([keys, words]) => ({ keys, words, members: all.filter(q => keys.includes(bothOf(x, q))) }));
}

// renderOverview draws the choice of the problem and the metrics, and the three boxes.
function renderOverview(x) {
	const p = problemOf(x);
	fillSelect(byId("regret"), fittedMetrics(x, isRegret).map(m => [m.name, m.title]), regretOf(x, p));
	fillSelect(byId("violation"), fittedMetrics(x, isViolation).map(m => [m.name, m.title]), violationOf(x));
	byId("overview").hidden = byId("problems").hidden = p >= x.problems.length;
	if (p >= x.problems.length) return;
	renderProblems(x, p);
	const coloured = colouredOn(x, p);
	byId("violation-curves").replaceChildren(panelFigure(x, p, violationOf(x), coloured, pointAt));
	byId("regret-curves").replaceChildren(panelFigure(x, p, regretOf(x, p), coloured, pointAt));
	renderAnswers(x, p);
	showLifted();
}

// renderProblems draws the choice of the problem: a button each, or a list where they are too
// wide for a row.
function renderProblems(x, p) {
	const holder = byId("problems"), focused = holder.contains(document.activeElement);
	const words = shortProblems(x), choose = spec => setState({ plane: spec });
	const page = document.documentElement.clientWidth;
	const room = page > 900 ? 0.52 * page : 2 * page; // two rows on a phone
	const wide = words.reduce((sum, text) => sum + 1.3 * textWidth(text) + 22, 0);
	if (x.problems.length === 1) holder.replaceChildren(el("b", {}, x.problems[0].title));
	else if (wide <= room) {
		holder.replaceChildren(x.raw.shared ? x.raw.shared : "", ...words.map((text, k) => el("button", {
			type: "button", class: "chip", "aria-pressed": String(k === p), title: x.problems[k].title, click: () => choose(x.problems[k].spec),
		}, text)));
	} else {
		const select = el("select", { "aria-label": "problem", change: event => choose(event.target.value) });
		fillSelect(select, x.problems.map(e => [e.spec, e.title]), x.problems[p].spec);
		holder.replaceChildren(select);
	}
	if (focused) holder.querySelector("[aria-pressed='true'], select")?.focus();
}

// shortProblems names the problems without what they share. Where they differ in one parameter,
// the first has its name, and the others the value.
function shortProblems(x) {
	const words = x.problems.map(e => e.short), parts = words.map(text => text.split(" = "));
	const oneParameter = x.raw.shared && parts.every(part => part.length === 2 && part[0] === parts[0][0]);
	return oneParameter ? words.map((text, k) => k === 0 ? text : parts[k][1]) : words;
}

// colouredOn returns the SPECs of the algorithms on a problem whose curves have colours: all, or
// where they are many those that are lifted.
function colouredOn(x, p) {
	const all = x.pairsOn(p).map(q => x.algorithms[q.a].spec), up = liftedAlgorithms(x);
	return new Set(all.length > mostColoured ? all.filter(spec => up.includes(spec)) : all);
}

// liftedAlgorithms returns the SPECs of the algorithms whose curves stand out while none is pointed
// at: the baseline, and the algorithm that the reader chose.
function liftedAlgorithms(x) {
	return [x.algorithms[x.raw.own]?.spec, state.lift].filter(Boolean);
}

// sampleOf draws what the curves of an algorithm look like.
function sampleOf(a) {
	return svgNode("svg", { class: "sample", width: 22, height: 12, viewBox: "0 -6 22 12", "aria-hidden": "true" }, drawSample({ kind: "line", style: a }));
}

// endWords says what an exponent is, for the titles of columns that show one.
const endWords = "p of t^p: the exponent of the largest mean so far at the end of the window, by which growth is judged, with its bounds";

// judgedGrowth returns the exponent by which the growth of a series is judged, as the tables do, or
// words where there is none. Across horizons it is a power of T.
function judgedGrowth(s) {
	if (!s) return { words: verdicts.get("").sign, title: "not measured" };
	if (s.never) return { words: "≤ 0", title: s.why };
	if (!hasValues(s)) return { words: stateWords[s.state] ?? s.state };
	const f = s.fit;
	if (!f?.end || !s.root || s.root === "too-little-evidence") return { words: "", title: s.why };
	const across = f.design === "across-T", base = across ? "T" : "t", exponent = f.end.exponent;
	return {
		base, exponent, words: "",
		title: base + "^" + exponentText(exponent) + " on " + base + " = " + coordinate(f.end.from) + "…" + coordinate(f.to) + (across ? ", across the horizons" : ""),
	};
}

// acrossWords says what a power of T is, if a table of the problems has one.
function acrossWords(x, list) {
	const across = list.some(p => x.pairsOn(p).some(q => [regretOf(x, p), violationOf(x)].some(m => judgedGrowth(q.series[m]).base === "T")));
	return across ? el("small", { title: "Across the horizons, each with parameters of its own, where an algorithm needs the horizon" }, "T", el("sup", {}, "p"), ": growth across the horizons; t", el("sup", {}, "p"), ": along t at the last one.") : "";
}

// growthShort writes the exponent by which a series is judged, with its bounds if these are asked
// for, and the sign of a verdict: that on √t if no other one is given.
function growthShort(s, { bounds = false, sign = s?.root ? badge(s.root, "") : "" } = {}) {
	const { words, base, exponent } = judgedGrowth(s);
	if (!exponent) return words ? [words + " ", sign] : [sign || badge("", "")];
	const [value, ...ends] = exponentText(exponent).split(" ");
	return [base, el("sup", {}, value), " ", ...bounds && ends.length ? [el("span", { class: "ends" }, ends.join(" ")), " "] : [], sign];
}

// finalShort writes the mean at T with the half-width of its interval, or why there is none.
function finalShort(s) {
	return !s ? "–" : hasValues(s) ? plusMinus(s.final) + partialText(s) : stateWords[s.state] ?? s.state;
}

// renderAnswers draws who keeps both regret and violation small on the problem. Of a few
// algorithms it has the intervals of the exponents and both means, of more the violation alone.
function renderAnswers(x, p) {
	const metrics = [x.metric(regretOf(x, p)), x.metric(violationOf(x))], { title, facts } = x.problems[p];
	const few = x.pairsOn(p).length <= mostColoured;
	const head = (m, below, span) => el("th", { scope: span ? "colgroup" : "col", colspan: span, title: [m?.doc, endWords].filter(Boolean).join("\n") }, m?.title ?? "–", el("small", {}, below));
	const answers = answersOn(x, p).filter(group => group.members.length);
	byId("overview").classList.toggle("long", !few);
	byId("overview").classList.toggle("tall", !few && 17 * x.pairsOn(p).length + 26 * answers.length > 280);
	byId("answers").replaceChildren(
		el("caption", { title: facts.join(", ") }, el("b", {}, title), few && facts.length ? " – " + facts.join(", ") : "", acrossWords(x, [p])),
		el("colgroup", {}, ["name", "growth", "growth", ...few ? [] : ["value"]].map(name => el("col", { class: name }))),
		el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "algorithm"),
			few ? metrics.map(m => head(m, "growth; mean\u00a0at\u00a0T")) : [head(metrics[0], "growth"), head(metrics[1], "growth; mean\u00a0at\u00a0T", 2)])),
		...answers.map(({ keys, words, members }) => el("tbody", {},
			el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: few ? 3 : 4 },
				keys.filter(key => members.some(q => bothOf(x, q) === key)).flatMap(key => [badge(key, ""), " "]), words + ": " + members.length)),
			members.map(q => answerRow(x, q, few)))));
}

// answerRow makes the row of a pair: a sample of its curve, its name, and the growth and the mean
// of both metrics.
function answerRow(x, q, few) {
	const algorithm = x.algorithms[q.a], violation = q.series[violationOf(x)];
	const both = [q.series[regretOf(x, q.p)], violation];
	return el("tr", { "data-algorithm": algorithm.spec },
		el("th", { scope: "row" }, sampleOf(q.a),
			el("a", { href: "#" + encode({ ...state, ...cellView(x, q.a, q.p) }), title: algorithm.title + "\n" + algorithm.spec, click: event => openFromLink(event, q) }, nameParts(algorithm.title))),
		both.map(s => el("td", { title: judgedGrowth(s).title }, growthShort(s, { bounds: few }), few ? el("small", {}, finalShort(s)) : "")),
		few ? "" : el("td", {}, finalShort(violation)));
}

// nameParts splits a name into what may be cut and its parameters, which are never cut.
function nameParts(title) {
	const tail = tailOf(title);
	return [el("span", {}, title.slice(0, title.length - tail.length)), tail && el("span", {}, unbroken(tail))];
}

// openFromLink opens a cell from a link; with a key that opens tabs the browser does.
function openFromLink(event, q) {
	if (event.ctrlKey || event.metaKey || event.shiftKey) return;
	event.preventDefault();
	openCell(shownExperiment().algorithms[q.a].spec, shownExperiment().problems[q.p].spec);
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
	const x = shownExperiment(), p = problemOf(x), known = pointedAlgorithm !== undefined && x.pair(x.algorithm(pointedAlgorithm), p);
	const up = new Set(known ? [pointedAlgorithm] : liftedAlgorithms(x)), coloured = known ? up : colouredOn(x, p);
	for (const node of byId("overview").querySelectorAll("[data-key], [data-algorithm]")) {
		const key = node.dataset.key ?? node.dataset.algorithm;
		node.classList.toggle("dim", !coloured.has(key));
		node.classList.toggle("up", up.has(key));
		if (up.has(key) && node.matches("g > path") && node.nextSibling) node.parentNode.append(node); // above the others
	}
}

// listenToPointer lifts what the pointer or the focus is on.
function listenToPointer() {
	const over = event => pointAt(event.target.closest?.("[data-algorithm]")?.dataset.algorithm);
	document.addEventListener("pointerover", over);
	document.addEventListener("focusin", over);
}
