// The view: what is chosen, kept in the fragment of the address. Only what differs from the
// defaults is written, in the order of this table.

const defaults = {
	x: "", // the name of the experiment
	plane: "", // the SPEC of the problem of the answers and the plane
	metric: "violation_soft",
	show: "final", // final, exponent, verdict, root, bound, rank or difference
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
	significant: false,
};

// choices are the values of keys that have a few.
const choices = {
	show: ["final", "exponent", "verdict", "root", "bound", "rank", "difference"],
	rows: ["algorithms", "problems"],
	over: ["algorithms", "problems"],
	xaxis: ["", "log", "symlog", "linear"],
	yaxis: ["", "log", "symlog", "linear"],
	verdict: ["", "within", "above", "open", "trivial"],
};

const state = structuredClone(defaults);

// chosen returns the experiment that is shown.
function chosen() {
	return experiments.find(x => x.name === state.x) ?? experiments[0];
}

function differs(a, b) { return JSON.stringify(a) !== JSON.stringify(b); }

// encode writes the view as a fragment. An item of a list is escaped before the semicolon
// separates it.
function encode(view) {
	return Object.keys(defaults)
		.filter(key => differs(view[key], defaults[key]))
		.map(key => {
			const v = view[key];
			return key + "=" + (Array.isArray(v) ? v.map(encodeURIComponent).join(";") : typeof v === "boolean" ? Number(v) : encodeURIComponent(v));
		}).join("&");
}

// decode reads a fragment. What it cannot read is left at its default.
function decode(fragment) {
	const view = structuredClone(defaults);
	for (const part of fragment.split("&")) {
		const at = part.indexOf("=");
		const key = part.slice(0, at), text = part.slice(at + 1);
		if (at < 0 || !Object.hasOwn(defaults, key)) continue;
		try {
			if (Array.isArray(defaults[key])) view[key] = text.split(";").filter(Boolean).map(decodeURIComponent);
			else if (typeof defaults[key] === "boolean") view[key] = text === "1";
			else view[key] = decodeURIComponent(text);
		} catch { /* a broken escape */ }
	}
	return view;
}

// mend puts defaults in the place of what the experiments do not have.
function mend(view) {
	for (const key of Object.keys(choices)) if (!choices[key].includes(view[key])) view[key] = defaults[key];
	const x = experiments.find(e => e.name === view.x) ?? experiments[0];
	if (!x || x === experiments[0]) view.x = "";
	if (!x) return view;
	const has = name => x.metrics.some(m => m.name === name);
	if (!has(view.metric)) view.metric = has(defaults.metric) || !x.metrics.length ? defaults.metric : x.metrics[0].name;
	for (const key of ["profile", "differing"]) if (view[key] && !has(view[key])) view[key] = "";
	if (view.show === "difference" && !x.raw.beside) view.show = defaults.show;
	if (x.problem(view.plane) < 0) view.plane = "";
	if (view.class && !x.problems.some(p => p.facts.includes(view.class))) view.class = "";
	if (view.feedback && !x.algorithms.some(a => a.feedback === view.feedback)) view.feedback = "";
	const p = x.problem(view.problem);
	const known = (list, on) => [...new Set(list)].filter(on);
	view.algorithms = known(view.algorithms, spec => p >= 0 && x.pair(x.algorithm(spec), p));
	if (!view.algorithms.length) view.problem = "";
	view.problems = known(view.problems, spec => x.problem(spec) >= 0);
	view.lines = known(view.lines, spec => x.algorithm(spec) >= 0);
	return view;
}

// setState changes the view and shows it. The opening of a cell is a step of the
// browser's history; other changes replace the present one.
function setState(changes) {
	const view = mend({ ...state, ...changes });
	const changed = Object.keys(view).filter(key => differs(view[key], state[key]));
	const opening = view.problem !== "" && (view.problem !== state.problem || view.algorithms[0] !== state.algorithms[0]);
	Object.assign(state, view);
	const address = "#" + encode(state);
	if (opening) history.pushState(null, "", address);
	else history.replaceState(null, "", address);
	if (changed.length) render(changed);
}

// readState takes the view from the fragment. One without a key, such as #matrix, is a
// place of the page, and no view.
function readState(first) {
	const fragment = location.hash.slice(1);
	if (!first && fragment && !fragment.includes("=")) return;
	const view = mend(decode(fragment));
	const changed = Object.keys(view).filter(key => first || differs(view[key], state[key]));
	Object.assign(state, view);
	if (changed.length) render(changed);
}

window.addEventListener("hashchange", () => readState(false));
