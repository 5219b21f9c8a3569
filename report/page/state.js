// The view: what is chosen, kept in the fragment of the address. Only what differs from the
// defaults is written, in the order of this table.

// defaults has every key of the view with its default.
const defaults = {
	x: "", // the name of the experiment
	// The SPEC of the problem of the first screen and the plane; "" is the one that the data opens
	// with.
	plane: "",
	// The metrics of the first screen, the plane and A against B; "" is what the data is about.
	regret: "",
	violation: "",
	lift: "", // the algorithm whose curves stand out; "" is the baseline
	// A against B; "" is the baseline, and the rival that differs most from A.
	a: "",
	b: "",
	metric: "", // that of the matrix and the open cell; "" is the violation of the first screen
	show: "both", // both, final, exponent, verdict, bound, rank or difference
	rows: "algorithms", // or problems
	sort: "", // such as name:asc or SPEC:desc
	// The filters of the matrix: the words that are searched for, and three lists.
	q: "",
	class: "",
	feedback: "",
	verdict: "",
	// The open cell: its problem, and the algorithms on the chart, the cell's first.
	problem: "",
	algorithms: [],
	over: "algorithms", // or problems: of the first algorithm
	problems: [], // those on the chart of one algorithm; none stands for all
	xaxis: "", // log, symlog or linear; "" is automatic
	yaxis: "", // as xaxis
	replicates: false,
	bound: true,
	claim: true,
	profile: "", // the metric of the profiles; "" is the metric
	lines: [], // the algorithms of the profiles; none stands for the best by mean rank
	ranks: "", // the order of the mean ranks, as sort
	beside: "", // the order of the differences
	differing: "", // the metric of the differences
	significant: false, // whether only significant differences are shown
	equal: false, // whether equal values are shown, too
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
	return experiments.find(experiment => experiment.name === state.x) ?? experiments[0];
}

// isRegret tells whether a metric is a regret.
function isRegret(name) {
	return name.startsWith("regret");
}

// isViolation tells whether a metric is a violation.
function isViolation(name) {
	return name.startsWith("violation");
}

// fittedMetrics returns the metrics of a kind, isRegret or isViolation, that the first screen can
// be about: those whose growth is fitted.
function fittedMetrics(experiment, isKind) {
	return experiment.metrics.filter(metric => metric.fitted && isKind(metric.name));
}

// regretOf returns the regret that is shown of a problem, given by its index. Without an index it
// returns the regret of most problems.
function regretOf(experiment, problemIndex) {
	return state.regret || (experiment.raw.focus.views[problemIndex] ?? experiment.raw.focus).regret;
}

// violationOf returns the violation metric that is shown.
function violationOf(experiment, view = state) {
	return view.violation || experiment.raw.focus.violation;
}

// metricOf returns the metric of the matrix and the open cell.
function metricOf(experiment, view = state) {
	return view.metric || violationOf(experiment, view);
}

// problemOf returns the index of the problem of the first screen and the plane.
function problemOf(experiment) {
	const problemIndex = experiment.problem(state.plane);
	return problemIndex < 0 ? experiment.raw.opens : problemIndex;
}

// valuesDiffer tells whether two values of the view differ, lists by their items.
function valuesDiffer(one, other) {
	return JSON.stringify(one) !== JSON.stringify(other);
}

// valueText writes a value of the view for a fragment. An item of a list is escaped before the
// semicolon separates it.
function valueText(value) {
	if (Array.isArray(value)) return value.map(encodeURIComponent).join(";");
	if (typeof value === "boolean") return String(Number(value));
	return encodeURIComponent(value);
}

// encode writes the view as a fragment.
function encode(view) {
	return Object.keys(defaults)
		.filter(key => valuesDiffer(view[key], defaults[key]))
		.map(key => key + "=" + valueText(view[key]))
		.join("&");
}

// decode reads a fragment. What it cannot read is left at its default, and is added to the list
// of what is wrong.
function decode(fragment, wrong) {
	const view = structuredClone(defaults);
	for (const part of fragment.split("&")) {
		const equals = part.indexOf("=");
		const key = part.slice(0, equals);
		const text = part.slice(equals + 1);
		if (equals < 0 || !Object.hasOwn(defaults, key)) {
			if (part) wrong.push(part);
			continue;
		}
		try {
			if (Array.isArray(defaults[key])) {
				view[key] = text.split(";").filter(Boolean).map(decodeURIComponent);
			} else if (typeof defaults[key] === "boolean") {
				view[key] = text === "1";
			} else {
				view[key] = decodeURIComponent(text);
			}
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
	for (const key of Object.keys(choices)) {
		if (!choices[key].includes(view[key])) replace(key);
	}
	if (view.x && !experiments.some(candidate => candidate.name === view.x)) replace("x");
	const experiment = experiments.find(candidate => candidate.name === view.x) ?? experiments[0];
	if (!experiment || experiment === experiments[0]) view.x = "";
	if (!experiment) return view;
	const check = (key, isKnown, usual) => {
		if (view[key] && !isKnown(view[key])) replace(key);
		if (view[key] === usual) view[key] = "";
	};
	const hasMetric = name => experiment.metrics.some(metric => metric.name === name);
	const usual = experiment.raw.focus.views.every(
		value => value.regret === experiment.raw.focus.regret,
	)
		? experiment.raw.focus.regret
		: undefined;
	check(
		"regret",
		name => fittedMetrics(experiment, isRegret).some(metric => metric.name === name),
		usual,
	);
	check(
		"violation",
		name => fittedMetrics(experiment, isViolation).some(metric => metric.name === name),
		experiment.raw.focus.violation,
	);
	check("metric", hasMetric, violationOf(experiment, view));
	for (const key of ["profile", "differing"]) {
		check(key, hasMetric);
	}
	if (view.show === "difference" && !experiment.raw.beside) replace("show");
	check(
		"plane",
		spec => experiment.problem(spec) >= 0,
		experiment.problems[experiment.raw.opens]?.spec,
	);
	for (const key of ["lift", "a"]) {
		check(
			key,
			spec => experiment.algorithm(spec) >= 0,
			experiment.algorithms[experiment.raw.own]?.spec,
		);
	}
	check("b", spec => experiment.algorithm(spec) >= 0);
	check("class", fact => experiment.problems.some(problem => problem.facts.includes(fact)));
	check("feedback", feedback =>
		experiment.algorithms.some(algorithm => algorithm.feedback === feedback),
	);
	const problemIndex = experiment.problem(view.problem);
	const checkList = (key, isKnown) => {
		const known = [...new Set(view[key])].filter(isKnown);
		if (known.length < view[key].length) replace(key, known);
	};
	if (view.problem && problemIndex < 0) replace("problem");
	checkList(
		"algorithms",
		spec => problemIndex >= 0 && experiment.pair(experiment.algorithm(spec), problemIndex),
	);
	if (!view.algorithms.length) view.problem = "";
	checkList("problems", spec => experiment.problem(spec) >= 0);
	checkList("lines", spec => experiment.algorithm(spec) >= 0);
	return view;
}

// setState changes the view and shows it. The opening of a cell is a step of the
// browser's history; other changes replace the present one.
function setState(changes) {
	const view = repairView({ ...state, ...changes });
	const changed = Object.keys(view).filter(key => valuesDiffer(view[key], state[key]));
	const opening =
		view.problem !== "" &&
		(view.problem !== state.problem || view.algorithms[0] !== state.algorithms[0]);
	Object.assign(state, view);
	const address = "#" + encode(state);
	if (opening) {
		history.pushState(null, "", address);
	} else {
		history.replaceState(null, "", address);
	}
	byId("astray").hidden = true;
	if (changed.length) render(changed);
}

// readState takes the view from the fragment, and says what the page does not have of it. A
// fragment without a key, such as #matrix, is the id of an element and no view. At first, when the
// page is loaded, all sections are drawn, and later those that depend on what changed.
function readState({ first = false } = {}) {
	const fragment = location.hash.slice(1);
	const wrong = [];
	const element = fragment && !fragment.includes("=") && byId(fragment);
	if (!first && element) return;
	const view = repairView(decode(element ? "" : fragment, wrong), wrong);
	const changed = Object.keys(view).filter(key => first || valuesDiffer(view[key], state[key]));
	Object.assign(state, view);
	byId("astray").hidden = !wrong.length;
	byId("astray").textContent =
		"The address asks for what this page does not have, which is left out: " +
		wrong.slice(0, 5).join(", ") +
		(wrong.length > 5 ? " and " + (wrong.length - 5) + " more" : "") +
		".";
	if (changed.length) render(changed);
}

window.addEventListener("hashchange", () => readState());
