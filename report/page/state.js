// The view: what is chosen, kept in the fragment of the address. Only what differs from the
// defaults is written, in the order of this table.

// defaults has every key of the view with its default.
const defaults = {
	x: "", // the name of the experiment
	plane: "", // the SPEC of the problem of the first screen and the plane; "" is the one that the data opens with
	regret: "", violation: "", // the metrics of the first screen, the plane and A against B; "" is what the data is about
	lift: "", // the algorithm whose curves stand out; "" is the baseline
	a: "", b: "", // A against B; "" is the baseline, and the rival that differs most from A
	metric: "", // that of the matrix and the open cell; "" is the violation of the first screen
	show: "both", // both, final, exponent, verdict, bound, rank or difference
	rows: "algorithms", // or problems
	sort: "", // such as name:asc or SPEC:desc
	q: "", class: "", feedback: "", verdict: "", // filters
	problem: "", algorithms: [], // the open cell: its problem, and the algorithms on the chart, the cell's first
	over: "algorithms", // or problems: of the first algorithm
	problems: [], // those on the chart of one algorithm; none stands for all
	xaxis: "", yaxis: "", // log, symlog or linear; "" is automatic
	replicates: false, bound: true, claim: true,
	profile: "", // the metric of the profiles; "" is the metric
	lines: [], // the algorithms of the profiles; none stands for the best by mean rank
	ranks: "", // the order of the mean ranks, as sort
	beside: "", // the order of the differences
	differing: "", // the metric of the differences
	significant: false, equal: false, // whether only significant differences are shown, and equal values
};

// choices has the values of the keys that have only a few.
const choices = {
	show: ["both", "final", "exponent", "verdict", "bound", "rank", "difference"],
	rows: ["algorithms", "problems"],
	over: ["algorithms", "problems"],
	xaxis: ["", "log", "symlog", "linear"],
	yaxis: ["", "log", "symlog", "linear"],
	verdict: [...verdicts.keys()], // the last is "", by which no cell is left out
};

// state has the view that is shown.
const state = structuredClone(defaults);

// shownExperiment returns the experiment that is shown.
function shownExperiment() {
	return experiments.find(x => x.name === state.x) ?? experiments[0];
}

// isRegret tells whether a metric is a regret.
function isRegret(name) { return name.startsWith("regret"); }

// isViolation tells whether a metric is a violation.
function isViolation(name) { return name.startsWith("violation"); }

// fittedMetrics returns the metrics of a kind, isRegret or isViolation, that the first screen can
// be about: those whose growth is fitted.
function fittedMetrics(x, isKind) {
	return x.metrics.filter(m => m.fitted && isKind(m.name));
}

// regretOf returns the regret that is shown of a problem, given by its index. Without an index it
// returns the regret of most problems.
function regretOf(x, p) { return state.regret || (x.raw.focus.views[p] ?? x.raw.focus).regret; }

// violationOf returns the violation metric that is shown.
function violationOf(x, view = state) { return view.violation || x.raw.focus.violation; }

// metricOf returns the metric of the matrix and the open cell.
function metricOf(x, view = state) { return view.metric || violationOf(x, view); }

// problemOf returns the index of the problem of the first screen and the plane.
function problemOf(x) {
	const p = x.problem(state.plane);
	return p < 0 ? x.raw.opens : p;
}

// valuesDiffer tells whether two values of the view differ, lists by their items.
function valuesDiffer(a, b) { return JSON.stringify(a) !== JSON.stringify(b); }

// encode writes the view as a fragment. An item of a list is escaped before the semicolon
// separates it.
function encode(view) {
	return Object.keys(defaults)
		.filter(key => valuesDiffer(view[key], defaults[key]))
		.map(key => {
			const v = view[key];
			return key + "=" + (Array.isArray(v) ? v.map(encodeURIComponent).join(";") : typeof v === "boolean" ? Number(v) : encodeURIComponent(v));
		}).join("&");
}

// decode reads a fragment. What it cannot read is left at its default, and is added to the list
// of what is wrong.
function decode(fragment, wrong) {
	const view = structuredClone(defaults);
	for (const part of fragment.split("&")) {
		const equals = part.indexOf("=");
		const key = part.slice(0, equals), text = part.slice(equals + 1);
		if (equals < 0 || !Object.hasOwn(defaults, key)) {
			if (part) wrong.push(part);
			continue;
		}
		try {
			if (Array.isArray(defaults[key])) view[key] = text.split(";").filter(Boolean).map(decodeURIComponent);
			else if (typeof defaults[key] === "boolean") view[key] = text === "1";
			else view[key] = decodeURIComponent(text);
			if (typeof defaults[key] === "boolean" && !["0", "1"].includes(text)) wrong.push(part);
		} catch {
			wrong.push(part); // a broken escape
		}
	}
	return view;
}

// repairView replaces each value of the view that the experiments do not have by its default, and
// adds it to the list of what is wrong. A value that "" stands for, such as the usual regret,
// becomes "", so that the address does not name it.
function repairView(view, wrong = []) {
	const replace = (key, value = defaults[key]) => {
		wrong.push(key + "=" + [view[key]].flat().join(";"));
		view[key] = value;
	};
	for (const key of Object.keys(choices)) if (!choices[key].includes(view[key])) replace(key);
	if (view.x && !experiments.some(e => e.name === view.x)) replace("x");
	const x = experiments.find(e => e.name === view.x) ?? experiments[0];
	if (!x || x === experiments[0]) view.x = "";
	if (!x) return view;
	const check = (key, isKnown, usual) => {
		if (view[key] && !isKnown(view[key])) replace(key);
		if (view[key] === usual) view[key] = "";
	};
	const hasMetric = name => x.metrics.some(m => m.name === name);
	const usual = x.raw.focus.views.every(v => v.regret === x.raw.focus.regret) ? x.raw.focus.regret : undefined;
	check("regret", name => fittedMetrics(x, isRegret).some(m => m.name === name), usual);
	check("violation", name => fittedMetrics(x, isViolation).some(m => m.name === name), x.raw.focus.violation);
	check("metric", hasMetric, violationOf(x, view));
	for (const key of ["profile", "differing"]) check(key, hasMetric);
	if (view.show === "difference" && !x.raw.beside) replace("show");
	check("plane", spec => x.problem(spec) >= 0, x.problems[x.raw.opens]?.spec);
	for (const key of ["lift", "a"]) check(key, spec => x.algorithm(spec) >= 0, x.algorithms[x.raw.own]?.spec);
	check("b", spec => x.algorithm(spec) >= 0);
	check("class", fact => x.problems.some(p => p.facts.includes(fact)));
	check("feedback", feedback => x.algorithms.some(a => a.feedback === feedback));
	const p = x.problem(view.problem);
	const checkList = (key, isKnown) => {
		const known = [...new Set(view[key])].filter(isKnown);
		if (known.length < view[key].length) replace(key, known);
	};
	if (view.problem && p < 0) replace("problem");
	checkList("algorithms", spec => p >= 0 && x.pair(x.algorithm(spec), p));
	if (!view.algorithms.length) view.problem = "";
	checkList("problems", spec => x.problem(spec) >= 0);
	checkList("lines", spec => x.algorithm(spec) >= 0);
	return view;
}

// setState changes the view and shows it. The opening of a cell is a step of the
// browser's history; other changes replace the present one.
function setState(changes) {
	const view = repairView({ ...state, ...changes });
	const changed = Object.keys(view).filter(key => valuesDiffer(view[key], state[key]));
	const opening = view.problem !== "" && (view.problem !== state.problem || view.algorithms[0] !== state.algorithms[0]);
	Object.assign(state, view);
	const address = "#" + encode(state);
	if (opening) history.pushState(null, "", address);
	else history.replaceState(null, "", address);
	byId("astray").hidden = true;
	if (changed.length) render(changed);
}

// readState takes the view from the fragment, and says what the page does not have of it. A
// fragment without a key, such as #matrix, is the id of an element and no view. At first, when the
// page is loaded, all sections are drawn, and later those that depend on what changed.
function readState({ first = false } = {}) {
	const fragment = location.hash.slice(1), wrong = [];
	const element = fragment && !fragment.includes("=") && byId(fragment);
	if (!first && element) return;
	const view = repairView(decode(element ? "" : fragment, wrong), wrong);
	const changed = Object.keys(view).filter(key => first || valuesDiffer(view[key], state[key]));
	Object.assign(state, view);
	byId("astray").hidden = !wrong.length;
	byId("astray").textContent = "The address asks for what this page does not have, which is left out: " + wrong.slice(0, 5).join(", ") + (wrong.length > 5 ? " and " + (wrong.length - 5) + " more" : "") + ".";
	if (changed.length) render(changed);
}

window.addEventListener("hashchange", () => readState());
