// Walks at random over pages of random experiments, as a reader who clicks, chooses, types and goes to
// addresses, right and wrong ones. After each step the address is that of a plain model of the view,
// the page is the one that its address opens, and what its tables show are the numbers of the data, by
// plain definitions.
"use strict";
const fs = require("fs");
const {random, pick, between, times, check, done, verdictTable, worstOf} = require("./dom.js"), {visit} = require("./visit.js");

const html = fs.readFileSync(process.argv[2], "utf8").replace(/(id="data">).*?(?=<\/script>)/s, "$1").replace(/<style>.*?<\/style>/s, "").replace(/<div class="item".*?(?=<\/details>)/s, "");
let what = "";
const want = (ok, ...said) => check(what, ok, ...said);
const maybe = (share, f, other) => random() < share ? f() : other;
const unique = list => [...new Set(list)], some = list => list.filter(() => random() < 0.5);

// experiment makes the data of an experiment, with all that may be missing.
function experiment(name) {
	const [n, m] = [pick([1, 4, 4, 9]), pick([1, 3, 3, 10])], roots = verdictTable.map(v => v.key);
	const metrics = ["regret_xmax", "regret_dynamic", "violation_soft", "violation_hard", "cost"], T = 1000, beside = maybe(0.3, () => ["new", "old"]);
	const round = v => Math.round(1000 * v) / 1000, estimate = (a, b) => { const v = round(between(a, b)); return {value: v, lower: round(v - 0.3), upper: round(v + 0.4)}; }, none = {value: null, lower: null, upper: null};
	const fit = () => ({exponent: pick([estimate(-1, 2), estimate(0, 1), none]), shape: pick(["power", "bounded", "logarithmic", "offset-power", "transient", "non-positive"]), superlinear: random() < 0.2, non_positive: pick([0, 0.25]), increments: estimate(0, 1), from: 10, to: T, points: 17, design: pick(["along-t", "across-T"]), replicates: 4, drift: pick([none, estimate(-1, 1)]), warnings: some(["first warning", "second"]), end: maybe(0.7, () => ({exponent: estimate(0, 1), from: 200}))});
	const words = ["alpha", "beta", "gamma"], named = (k, kind) => `${pick(words)} ${kind} ${k}`;
	const sources = times(n, () => beside ? pick(beside) : undefined);
	const algorithms = times(n, k => ({spec: `a${k}:c=${pick([1, 2])};x&y${sources[k] === "old" ? " @ old" : ""}`, title: named(k, "method"), doc: pick(words), feedback: pick(["FI", "FO", "FO+"]), anytime: random() < 0.5, claims: some(["first claim", "second claim"]), assumes: some(["a Slater point"]), params: pick([{}, {c: 1, d: [2]}]), tuned: maybe(0.2, () => "grid"), source: sources[k]}));
	const problems = times(m, k => ({spec: `p${k}:d=${pick([1, 2])}`, title: `Family, ${named(k, "problem")}`, short: named(k, "problem"), doc: pick(words), facts: some(["convex", "fixed"]), params: {d: 1}}));
	const judgement = (metric, series) => ({metric, claim: pick([undefined, "t^0.5"]), exponent: 0.5, log: 0, verdict: series[metric] ? pick(roots) : "", why: pick([undefined, "a reason"]), p: pick([null, 0.012]), bound: maybe(0.6, () => ({state: pick(["held", "broken", "unsettled", "unstated"]), formula: "2RG√T", reason: pick([undefined, "unknown"]), ratio: estimate(0.1, 2), at: 321})), no_bound: pick([undefined, "not known"])});
	const measured = metrics.filter((name, k) => k % 2 === 0 || random() < 0.7), fitted = name => name !== "cost", pairs = [], unplayed = [];
	for (const a of times(n, k => k)) for (const p of times(m, k => k)) {
		if (random() < 0.2 || a === 3) {
			if (random() < 0.7) unplayed.push({a, p, lacks: pick([["a Slater point"], ["convexity", "a Slater point"]])});
			continue;
		}
		const series = Object.fromEntries(measured.filter(() => random() < 0.9).map(name => {
			const state = pick(["measured", "measured", "measured", "measured", "rounding", "overflow"]), final = pick([estimate(-5, 50), estimate(1, 9), {...none, value: round(between(0, 9))}, state === "measured" ? estimate(3, 4) : none]);
			return [name, {state, replicates: pick([4, 4, 3]), of: 4, final, rank: maybe(0.8, () => pick([1, 1.5, 2, 3.25, n]), null), lead: random() < 0.2, doubts: maybe(0.2, () => ["few"]), ...maybe(0.1, () => ({root: "at-most", never: true, why: "it is never positive"}), {root: fitted(name) ? pick(roots) : ""}), fit: fitted(name) ? maybe(0.8, fit, null) : null, mean: {t: 0, v: [1, 2, 3]}}];
		}));
		const replicates = pick([1, 4, 12]);
		pairs.push({a, p, unmet: maybe(0.2, () => ["a Slater point"], []), resolved: maybe(0.3, () => "c=0.25"), deterministic: random() < 0.2, replicates, played: replicates, failed: maybe(0.2, () => 2, 0), failure: "it fell", verdict: pick(roots), root: pick(roots), series, regret: judgement("regret_xmax", series), violation: judgement("violation_soft", series), dynamic: maybe(0.5, () => judgement("regret_dynamic", series)), play: maybe(0.9, () => `bench play --algorithm a${a} --problem p${p} --replicate 1`, "")});
	}
	const ranks = measured.flatMap(metric => [-1, ...problems.keys()].flatMap(p => times(n, k => k).filter(() => random() < 0.9).map(a => ({p, metric, a, rank: estimate(1, n), of: n, problems: pick([1, 2, m])}))));
	const compared = problems.flatMap((_, p) => measured.filter(fitted).flatMap(metric => {
		const of = pairs.filter(q => q.p === p && q.series[metric] && random() < 0.9).map(q => q.a), all = of.flatMap((a, i) => of.slice(i + 1).map(b => maybe(0.1, () => none, maybe(0.1, () => ({...none, value: 0}), estimate(-1, 1)))));
		return all.length ? [{p, metric, of, ...Object.fromEntries([["v", "value"], ["l", "lower"], ["u", "upper"]].map(([short, key]) => [short, all.map(e => e[key])])), p_adjusted: all.map(() => pick([null, 0.004, 0.321])), sign: all.map(e => e.value === null ? 0 : pick([-1, 0, 1])), doubt: some(all.map((_, k) => k))}] : [];
	}));
	const differences = pairs.filter(q => sources[q.a] === "new").flatMap(q => some(Object.keys(q.series)).map(metric => {
		const equal = random() < 0.2, tested = !equal && random() < 0.8;
		return {problem: problems[q.p].spec, a: algorithms[q.a].spec, metric, mean_a: round(between(-9, 9)), mean_b: round(between(1, 9)), difference: {...equal ? {...none, value: 0} : estimate(-2, 2), p: tested ? 0.01 : null, p_adjusted: tested ? pick([0.001, 0.02, 0.05, 0.4]) : null}, equal, paired: random() < 0.5, replicates: 4};
	}));
	const focus = {regret: "regret_xmax", violation: "violation_soft", views: problems.map(() => ({regret: pick(["regret_xmax", "regret_xmax", "regret_dynamic"]), violation: "violation_soft"}))};
	return {
		asked: {name, description: pick([undefined, "what it is"]), horizon: [100, T], seed: 3, confidence: 0.95, window: 3}, settings: "settings", words: times(pick([0, 3, 8]), k => `sentence ${k}`), method: ["method"], focus, own: pick([...algorithms.keys()]), opens: pick([...problems.keys()]), shared: pick(["", "Family"]),
		computed: [{version: "1", go: "go", goarch: "amd64", cells: 3}], missing: 2, cells_digest: "abc", file: maybe(0.7, () => "the file", ""), command: maybe(0.8, () => "bench run made", ""), algorithms, problems, pairs, unplayed, ranks, compared, t: [[1, 100, T]],
		metrics: metrics.map(metric => ({name: metric, title: `title of ${metric}`, doc: "doc", fitted: fitted(metric)})), fronts: problems.flatMap((_, p) => maybe(0.7, () => [{p, regret: "regret_xmax", violation: "violation_soft", algorithms: some([...algorithms.keys()])}], [])),
		profiles: measured.filter(() => random() < 0.8).flatMap(metric => some([...algorithms.keys()]).map(a => ({metric, a, ratio: pick([[1, 2.5], [1.5, 4], [0.5, 1, 7]]), share: [0.25, 0.5, 0.75]}))), beside: beside && {sources: beside, differences, warnings: some(["other seeds"])},
	};
}

// The view: its keys with what they are where the address does not say.
const start = {x: "", plane: "", regret: "", violation: "", lift: "", a: "", b: "", metric: "", show: "both", rows: "algorithms", sort: "", q: "", class: "", feedback: "", verdict: "", problem: "", algorithms: [], over: "algorithms", problems: [], xaxis: "", yaxis: "", replicates: false, bound: true, claim: true, profile: "", lines: [], ranks: "", beside: "", differing: "", significant: false, equal: false};
const values = {show: ["both", "final", "exponent", "verdict", "bound", "rank", "difference"], rows: ["algorithms", "problems"], over: ["algorithms", "problems"], xaxis: ["", "log", "symlog", "linear"], verdict: verdictTable.map(v => v.key)};
values.yaxis = values.xaxis;

// Model is what a view of experiments has, by plain definitions.
class Model {
	constructor(all, view) { Object.assign(this, {all, view, x: all.find(x => x.asked.name === view.x) ?? all[0]}); }
	pair(a, p) { return this.x.pairs.find(q => q.a === a && q.p === p); }
	a(spec) { return this.x.algorithms.findIndex(e => e.spec === spec); }
	p(spec) { return this.x.problems.findIndex(e => e.spec === spec); }
	get measured() { return this.x.metrics.map(m => m.name).filter(name => this.x.pairs.some(q => q.series[name])); }
	fitted(kind) { return this.measured.filter(name => name.startsWith(kind) && this.x.metrics.find(m => m.name === name).fitted); }
	regret(p) { return this.view.regret || this.x.focus.views[p].regret; }
	get violation() { return this.view.violation || this.x.focus.violation; }
	get metric() { return this.view.metric || this.violation; }
	get plane() { return this.view.plane ? this.p(this.view.plane) : this.x.opens; }
	get played() { return this.x.algorithms.map((_, a) => a).filter(a => this.x.pairs.some(q => q.a === a)); }
	both(q) {
		const {focus} = this.x, own = this.regret(q.p) === focus.views[q.p].regret && this.violation === focus.violation;
		return own ? q.root : worstOf(...[q.series[this.regret(q.p)], q.series[this.violation]].map(s => s?.root ?? ""));
	}
	keeps(q) { return this.both(q) === "at-most"; }
	// by orders pairs of a problem by a metric, those without a value last.
	by(p, metric) {
		const of = q => q.series[metric]?.final.value ?? Infinity;
		return this.x.pairs.filter(q => q.p === p).sort((q, r) => of(q) === of(r) ? 0 : of(q) - of(r));
	}
	front(p) { return this.x.fronts.find(f => f.p === p)?.algorithms ?? []; }
	get shown() { // the problems on the chart of one algorithm
		const all = this.x.problems.map((_, p) => p).filter(p => this.pair(this.a(this.view.algorithms[0]), p)), asked = all.filter(p => this.view.problems.includes(this.x.problems[p].spec)), own = this.p(this.view.problem);
		return asked.length ? asked : all.filter(p => p === own || all.filter(k => k !== own).indexOf(p) < 7);
	}

	// mended leaves out what the experiments do not have, which it names.
	mended() {
		const view = structuredClone(this.view), x = this.x, wrong = [];
		const keep = (key, ok, usual) => {
			if (!ok(view[key])) {
				wrong.push(`${key}=${view[key]}`);
				view[key] = start[key];
			} else if (view[key] === usual) view[key] = "";
		};
		for (const [key, list] of Object.entries(values)) keep(key, v => list.includes(v));
		keep("x", v => !v || this.all.some(x => x.asked.name === v), this.all[0].asked.name);
		const among = list => v => !v || list.includes(v), specs = {problems: x.problems.map(e => e.spec), algorithms: x.algorithms.map(e => e.spec)};
		const same = x.focus.views.every(v => v.regret === x.focus.regret);
		keep("regret", among(this.fitted("regret")), same ? x.focus.regret : undefined);
		keep("violation", among(this.fitted("violation")), x.focus.violation);
		keep("metric", among(this.measured), view.violation || x.focus.violation);
		for (const key of ["profile", "differing"]) keep(key, among(this.measured));
		keep("show", v => v !== "difference" || x.beside);
		keep("plane", among(specs.problems), specs.problems[x.opens]);
		for (const key of ["lift", "a"]) keep(key, among(specs.algorithms), specs.algorithms[x.own]);
		keep("b", among(specs.algorithms));
		keep("class", v => !v || x.problems.some(p => p.facts.includes(v)));
		keep("feedback", v => !v || x.algorithms.some(a => a.feedback === v));
		const known = {algorithms: spec => this.pair(this.a(spec), this.p(view.problem)), problems: spec => specs.problems.includes(spec), lines: spec => specs.algorithms.includes(spec)}, asked = view.problem;
		for (const [key, has] of Object.entries(known)) {
			const kept = unique(view[key]).filter(has);
			if (kept.length < view[key].length) wrong.push(`${key}=${view[key].join(";")}`);
			view[key] = kept;
		}
		keep("problem", among(specs.problems));
		if (asked && !view.algorithms.length) view.problem = "";
		return {view, wrong};
	}

	// The cell of a pair: its estimate and its verdict.
	cell(q) {
		const s = q.series[this.metric], {show} = this.view, j = this.metric === "regret_dynamic" ? q.dynamic : this.metric.startsWith("regret") ? q.regret : this.metric.startsWith("violation") ? q.violation : undefined;
		const judged = s => s && !s.never && ["measured", "rounding"].includes(s.state) && !["", "too-little-evidence"].includes(s.root) ? s.fit?.end?.exponent : undefined;
		const of = (estimate, verdict) => ({value: estimate?.value ?? "", lower: estimate?.lower ?? "", upper: estimate?.upper ?? "", verdict});
		if (show === "both" || show === "final") return of(s?.final, s?.root ?? "");
		if (show === "exponent") return of(judged(s), s?.root ?? "");
		if (show === "verdict") return of(j?.verdict ? judged(q.series[j.metric]) : undefined, j?.verdict || "");
		if (show === "bound") return j?.bound && j.bound.state !== "unstated" ? of(j.bound.ratio, {held: "at-most", broken: "above", unsettled: "undecided"}[j.bound.state]) : of(undefined, "");
		if (show === "rank") {
			const r = this.x.ranks.find(r => r.metric === this.metric && r.p === q.p && r.a === q.a);
			return r && s && s.rank !== null ? of({...r.rank, value: s.rank}, s.root) : of(undefined, "");
		}
		const d = this.x.beside.differences.find(d => d.metric === this.metric && d.a === this.x.algorithms[q.a].spec && d.problem === this.x.problems[q.p].spec);
		return of(d?.difference, d ? s?.root ?? "" : "");
	}

	// rows and columns of the matrix, as [algorithm, problem] of each cell.
	matrix() {
		const {view, x} = this, words = view.q.toLowerCase().split(/\s+/).filter(Boolean), finds = (e, w) => [e.title, e.spec, e.doc].some(t => t.toLowerCase().includes(w));
		const inA = w => x.algorithms.some(e => finds(e, w)), inP = w => x.problems.some(e => finds(e, w));
		const algorithms = unique([x.own, ...x.algorithms.keys()]).filter(a => this.played.includes(a) && words.every(w => finds(x.algorithms[a], w) || !inA(w) && inP(w))
			&& (view.show !== "difference" || x.algorithms[a].source !== x.beside.sources[1]) && (!view.feedback || x.algorithms[a].feedback === view.feedback));
		const problems = [...x.problems.keys()].filter(p => words.every(w => finds(x.problems[p], w) || !inP(w)) && (!view.class || x.problems[p].facts.includes(view.class)));
		const flip = view.rows === "problems", place = (r, c) => flip ? [c, r] : [r, c], cell = (r, c) => { const q = this.pair(...place(r, c)); return q && this.cell(q); };
		let [rows, columns] = flip ? [problems, algorithms] : [algorithms, problems];
		const [of, across] = flip ? [x.problems, x.algorithms] : [x.algorithms, x.problems];
		if (view.verdict) rows = rows.filter(r => columns.some(c => cell(r, c)?.verdict === view.verdict));
		if (view.verdict && rows.length === 0) columns = [];
		const [, key, direction] = view.sort.match(/^(.*):(.*)$/) ?? [, "", ""], by = columns.length ? across.findIndex(e => e.spec === key) : -1;
		if (key === "name" || by >= 0) rows = stablySorted(rows, r => key === "name" ? of[r].title : columns.includes(by) ? cell(r, by)?.value ?? "" : "", direction);
		return {rows, columns, place, flip};
	}

	// The lists of A against B.
	versus() {
		const {x, view} = this, all = this.played, [own, other] = [view.a ? this.a(view.a) : x.own, this.a(view.b)];
		const a = all.includes(own) ? own : all[0], lists = b => {
			const out = {first: [], second: [], tie: [], both: [], neither: []};
			for (const p of x.problems.keys()) {
				const [q, r] = [this.pair(a, p), this.pair(b, p)];
				if (!q || !r) continue;
				const mine = this.keeps(q), theirs = this.keeps(r), [loser, winner] = mine ? [r, q] : [q, r];
				const tie = mine !== theirs && this.both(loser) === "undecided" && [this.regret(p), this.violation].every(m => {
					const d = loser.series[m]?.root === "undecided" ? this.comparison(m, loser.a, winner.a, p) : {value: 0, sign: 0};
					return d && d.value !== null && d.sign <= 0;
				});
				out[tie ? "tie" : mine ? theirs ? "both" : "first" : theirs ? "second" : "neither"].push(p);
			}
			return out;
		};
		if (all.includes(other) && other !== a) return {a, b: other, lists: lists(other)};
		const far = b => lists(b).first.length + lists(b).second.length, others = all.filter(b => b !== a), near = others.filter(b => x.algorithms[b].source === x.algorithms[a].source), rest = near.length ? near : others, most = Math.max(...rest.map(far)), b = rest.find(b => far(b) === most);
		return {a, b, lists: lists(b)};
	}
	comparison(metric, a, b, p) {
		const d = this.x.compared.find(d => d.p === p && d.metric === metric), at = d ? d.of.flatMap((i, k) => d.of.slice(k + 1).map(j => [i, j])) : [];
		const k = at.findIndex(([i, j]) => i === a && j === b), back = at.findIndex(([i, j]) => i === b && j === a), minus = v => v === null ? null : -v;
		if (k < 0 && back < 0) return undefined;
		const place = k < 0 ? back : k, e = {p: d.p_adjusted[place], doubt: d.doubt.includes(place)};
		return k >= 0 ? {...e, value: d.v[k], lower: d.l[k], upper: d.u[k], sign: d.sign[k]} : {...e, value: minus(d.v[back]), lower: minus(d.u[back]), upper: minus(d.l[back]), sign: -d.sign[back]};
	}
}

// stablySorted sorts a list stably; items without a value come last.
function stablySorted(list, of, direction) {
	const has = list.filter(e => of(e) !== ""), sign = direction === "desc" ? -1 : 1;
	has.sort((e, f) => of(e) === of(f) ? 0 : sign * (typeof of(e) === "string" ? of(e).localeCompare(of(f)) : of(e) - of(f)));
	return [...has, ...list.filter(e => of(e) === "")];
}

// changedKeys returns the keys of a view that an address has, with their values.
const changedKeys = view => Object.fromEntries(Object.entries(view).filter(([key, v]) => JSON.stringify(v) !== JSON.stringify(start[key])));
// readAddress returns the view of an address, and what is wrong in it.
function readAddress(address) {
	const view = structuredClone(start), wrong = [];
	for (const part of address.replace(/^#/, "").split("&").filter(Boolean)) {
		const [, key, text] = part.match(/^([^=]*)=(.*)$/s) ?? [], kind = Array.isArray(start[key]) ? "list" : typeof start[key];
		const broken = /%(?![0-9a-f]{2})/i.test(text ?? "");
		if (!Object.keys(start).includes(key) || broken || kind === "boolean" && !["0", "1"].includes(text)) wrong.push(part);
		if (!Object.keys(start).includes(key) || broken) continue;
		view[key] = kind === "list" ? text.split(";").filter(Boolean).map(decodeURIComponent) : kind === "boolean" ? text === "1" : decodeURIComponent(text);
	}
	return {view, wrong};
}

// shownText writes what a page shows: all nodes that are not hidden, with what its controls hold.
function shownText(node) {
	if (typeof node === "string") return node.trim();
	if (node.hidden || ["script", "style", "noscript"].includes(node.tag) || ["replicate", "command", "copied", "astray"].includes(node.id)) return "";
	let text = `<${node.tag}`;
	for (const name in node.attributes) if (name !== "tabindex" && name !== "value") text += ` ${name}=${node.attributes[name]}`;
	if (node.tag === "input" || node.tag === "select") text += ` = ${node.value}`;
	for (const child of node.children) text += `\n${shownText(child)}`;
	return text;
}
// firstDifference returns the first line in which two texts differ, with the lines before it.
function firstDifference(a, b) {
	const [s, t] = [a, b].map(v => v.split("\n")), k = s.findIndex((line, k) => line !== t[k]);
	return [s.slice(Math.max(0, k - 4), k + 1).join("\n"), "and not", t[k] ?? "nothing"];
}

// checkPage compares the matrix, the answers, A against B and the tables with the model.
function checkPage(page, m) {
	const {x, view} = m, {byId} = page, specs = k => x.algorithms[k].spec, table = byId("matrix-table");
	const {rows, columns, place, flip} = m.matrix(), [down, along] = flip ? [x.problems, x.algorithms] : [x.algorithms, x.problems];
	const columnHeads = table.querySelectorAll("thead button").map(b => b.dataset.sort), drawn = table.querySelectorAll("tbody tr");
	want(columnHeads.join() === ["name", ...columns.map(c => along[c].spec)].join(), "columns", columnHeads, "want", columns);
	want(drawn.length === rows.length, "rows", drawn.length, "want", rows);
	const first = drawn.flatMap(r => r.cells.slice(1)).filter(td => td.querySelector("button")), stops = first.filter(td => td.querySelector("button").attributes.tabindex === "0");
	want(stops.length === Math.min(1, first.length), stops.length, "cells are reached by the Tab key");
	const swatches = table.querySelectorAll("caption .swatch").map(n => n.dataset.shade);
	want(swatches.join() === (["final", "rank"].includes(view.show) ? "1,2,3,4,5" : ""), "the shades are explained by", swatches);
	const csv = [];
	rows.forEach((r, i) => {
		const [head, ...cells] = drawn[i]?.cells ?? [], e = down[r];
		want(head?.find("span")[0].text === (e.short ?? e.title), "row", i, "is", head?.text, "want", e.title);
		want(drawn[i]?.classes.includes("own") === (!flip && r === x.own), "the row of the baseline", drawn[i]?.attributes);
		columns.forEach((c, k) => {
			const [a, p] = place(r, c), q = m.pair(a, p), {dataset: d, classes, text} = cells[k] ?? head, said = [d.algorithm, d.problem, d.value, d.verdict];
			const w = q ? m.cell(q) : {value: "", verdict: ""}, s = q?.series[m.metric];
			want(JSON.stringify(said) === JSON.stringify([specs(a), x.problems[p].spec, String(w.value), w.verdict]), "cell", said, "want", w, "of", s ?? "nothing");
			const shown = q && view.problem === x.problems[p].spec && view.algorithms.includes(specs(a));
			want(classes.includes("open") === Boolean(shown) && classes.includes("none") === !q && classes.includes("dim") === Boolean(q && view.verdict && w.verdict !== view.verdict), "classes", classes, "of", said);
			const of = x.ranks.find(r => r.metric === m.metric && r.p === p && r.a === a)?.of, shade = s && s.rank !== null && of > 1 && ["final", "rank"].includes(view.show) ? String(5 - [0.2, 0.4, 0.6, 0.8].filter(share => (s.rank - 1) / of >= share - 1e-9).length) : undefined;
			want(d.shade === shade, "shade", d.shade ?? "none", "want", shade ?? "none", "of rank", s?.rank ?? "none", "of", of ?? "none");
			if (!q) return want(x.unplayed.filter(u => u.a === a && u.p === p).every(u => u.lacks.every(l => cells[k].title.includes(l))) && !cells[k].querySelector("button"), "a cell that was not played says", cells[k].title);
			want(/ \*( !)?$/.test(text) === q.unmet.length > 0 && text.endsWith(" !") === q.failed > 0, "marks", text, "of", q.unmet, q.failed);
			if (view.show === "both") want(text.startsWith(w.verdict ? verdictTable.find(v => v.key === w.verdict).sign : " "), "sign", text, "of", w);
			if (view.show === "exponent" && s?.never) want(text.startsWith("≤ 0 ✓"), "what is never positive is", text);
			if (["both", "final"].includes(view.show) && s?.state === "measured") want(text.includes("★") === s.lead && text.includes("★?") === Boolean(s.lead && s.doubts) && text.includes("(3 of 4)") === (s.replicates === 3), "value", text, "of", s);
			csv.push([x.problems[p].spec, specs(a), m.metric, view.show, w.value, w.lower, w.upper, w.verdict].join());
		});
	});
	page.saved.length = 0;
	byId("matrix-csv").click();
	want(page.saved[0].text.trim().split("\r\n").slice(1).join("\n") === csv.join("\n"), "CSV", page.saved[0].text, "want", csv);
	const nowhere = x.algorithms.length - m.played.length, [shownA, shownP] = (flip ? [columns, rows] : [rows, columns]).map(l => l.length);
	const said = byId("count").text.match(/\d+/g).map(Number), counted = (shown, all) => shown === all ? [all] : [shown, all], both = [counted(shownA, m.played.length), counted(shownP, x.problems.length)];
	want(said.join() === [...(flip ? both.reverse() : both).flat(), ...nowhere ? [nowhere] : []].join(), "count", said, "want", shownA, shownP, nowhere);

	const groups = [["at-most"], ["undecided", "too-little-evidence"], ["above", "slowing"], [""]].map(keys => m.by(m.plane, m.violation).filter(q => keys.includes(m.both(q)))).filter(g => g.length);
	want(byId("answers").find("tbody").map(b => b.rows.map(r => r.dataset.algorithm ?? "-")).join("|") === groups.map(g => ["-", ...g.map(q => specs(q.a))]).join("|"), "answers", byId("answers").text, "want", groups.map(g => g.map(q => q.a)));

	const heads = byId("answers").querySelectorAll("thead th").map(th => th.text);
	want([m.regret(m.plane), m.violation].every((name, k) => heads[k + 1].startsWith(`title of ${name}`)), "the answers are by", heads);

	want(byId("versus").hidden === m.played.length < 2, "A against B is hidden:", byId("versus").hidden);
	if (m.played.length > 1) {
		const {a, b, lists} = m.versus(), rest = [...lists.second, ...lists.tie, ...lists.both, ...lists.neither], value = e => e && e.value !== null ? String(e.value) : "-";
		want(byId("versus-a").value === specs(a) && byId("versus-b").value === specs(b), byId("versus-a").value, "against", byId("versus-b").value, "want", a, b);
		want(byId("versus-a").options.length === m.played.length && byId("versus-b").options.length === m.played.length - 1, "A and B are chosen among", byId("versus-a").options.length);
		for (const [id, list] of [["versus-first", lists.first], ["versus-rest", rest]]) {
			const got = byId(id).querySelectorAll("tbody tr").map(r => [r.querySelector("button").dataset.problem, ...r.cells.slice(3).map(td => `${td.dataset.value ?? "-"}${td.find("b").length ? " clear" : ""}${td.find("small").map(e => e.text.replace("p =", "")).join("")}`)].join(" "));
			const wanted = list.map(p => [x.problems[p].spec, ...[m.regret(p), m.violation].map(metric => { const e = m.comparison(metric, a, b, p); return `${value(e)}${e && e.value !== null && e.sign ? " clear" : ""}${e && e.value !== null && e.p !== null ? ` ${e.p}${e.doubt ? " ?" : ""}` : ""}`; })].join(" "));
			want(got.join("|") === wanted.join("|"), "A against B", id, got, "want", wanted);
			list.forEach((p, k) => [a, b].forEach((e, i) => {
				const q = m.pair(e, p), keys = [m.both(q), ...[m.regret(p), m.violation].map(metric => q.series[metric]?.root)], parts = byId(id).querySelectorAll("tbody tr")[k].cells[1 + i].text.split("; ");
				want(parts.length === 3 && keys.every((key, n) => !key || parts[n].includes(verdictTable.find(v => v.key === key).sign)), "verdicts", parts, "want", keys);
			}));
		}
		want(byId("versus-others").hidden === !rest.length && byId("versus-others").open === !lists.first.length, "the other problems", rest);
		const counts = byId("versus-count").text.match(/\d+(?=,|$)/g) ?? [], wanted = [lists.second, lists.tie, lists.both, lists.neither].map(l => l.length).filter(Boolean);
		want(counts.join() === wanted.join(), "counts", byId("versus-count").text, "want", wanted);
		const own = x.focus.views.every((v, p) => v.regret === m.regret(p) && v.violation === m.violation);
		want(byId("versus-command").parentNode.hidden === (!own || Boolean(x.beside)), "the command of A against B");
	}
	checkTables(page, m);
	checkOpenCell(page, m);
	for (const t of page.document.find("table").filter(visible)) {
		const widths = t.rows.map(r => r.cells.reduce((sum, c) => sum + Number(c.attributes.colspan ?? 1), 0));
		want(unique(widths).length < 2, "rows of", t.text.slice(0, 60), "are of", widths);
	}
}

// checkTables compares the mean ranks and the differences of two stores with the model.
function checkTables({byId}, m) {
	const {x, view} = m, known = unique(x.profiles.map(f => f.metric)), of = (key, usual) => view[key].match(/^(.*):(.*)$/)?.slice(1) ?? usual;
	want(byId("profiles").hidden === (x.problems.length < 2 || !known.length), "ranks are hidden:", byId("profiles").hidden);
	if (!byId("profiles").hidden) {
		const metric = [view.profile, m.metric, known[0]].find(name => known.includes(name)), mean = x.ranks.filter(r => r.p === -1 && r.metric === metric);
		const best = r => { const f = x.profiles.find(f => f.metric === metric && f.a === r.a); return f ? f.ratio.some(v => v <= 1) ? f.share[f.ratio.filter(v => v <= 1).length - 1] : 0 : ""; };
		const by = {name: r => x.algorithms[r.a].title, rank: r => r.rank.value, problems: r => r.problems, best}, [key, direction] = of("ranks", ["rank", "asc"]);
		const wanted = stablySorted(mean, by[key] ?? by.rank, direction), lines = view.lines.length ? view.lines : stablySorted(mean, by.rank, "asc").slice(0, 8).map(r => x.algorithms[r.a].spec);
		const got = byId("ranks").querySelectorAll("tbody tr").map(r => [r.find("input")[0].value, r.find("input")[0].checked, r.find("input")[0].disabled, ...r.cells.slice(1).map(td => td.dataset.value)].join());
		want(byId("profile").value === metric && got.join("|") === wanted.map(r => [x.algorithms[r.a].spec, lines.includes(x.algorithms[r.a].spec), lines.join("\n") === x.algorithms[r.a].spec, r.rank.value, r.problems, best(r)].join()).join("|"), "mean ranks by", byId("profile").value, got, "want", metric, wanted.map(r => [r.a, r.rank.value]));
	}
	if (!x.beside) return want(!byId("beside") || byId("beside").hidden, "another store is shown");
	const level = 1 - x.asked.confidence, differs = d => d.difference.p_adjusted === null ? !d.equal && d.difference.value !== 0 : d.difference.p_adjusted <= level;
	const all = x.beside.differences, asked = all.filter(d => (!view.differing || d.metric === view.differing) && (!view.significant || differs(d))), shown = asked.filter(d => view.equal || !d.equal);
	const title = d => x.algorithms.find(e => e.spec === d.a).title, test = d => d.equal ? "equal" : d.paired ? "paired" : "two samples";
	const by = {algorithm: d => d.a, problem: d => d.problem, metric: d => d.metric, mean: d => d.mean_a, reference: d => d.mean_b, difference: d => d.difference.value, p: d => d.difference.p_adjusted ?? "", test}, [key, direction] = of("beside", ["", ""]);
	const got = byId("differences").querySelectorAll("tbody tr").map(r => [r.find("th")[0].text, r.cells[1].title, ...r.cells.slice(3, 7).map(td => td.dataset.value), r.classes.includes("differing")].join());
	const text = d => [title(d), d.problem, d.mean_a, d.mean_b, d.difference.value, d.difference.p_adjusted ?? "", differs(d)].join();
	if (by[key]) want(got.join("|") === stablySorted(shown, by[key], direction).map(text).join("|"), "differences by", key, direction, got, "want", stablySorted(shown, by[key], direction).map(text));
	else {
		const at = got.map(row => shown.find(d => text(d) === row)), part = d => Math.abs(d.difference.value) / Math.max(Math.abs(d.mean_a), Math.abs(d.mean_b)), order = d => [differs(d) ? 0 : d.equal ? 2 : 1, d.difference.p_adjusted ?? 0, -part(d)];
		want(got.slice().sort().join("|") === shown.map(text).sort().join("|") && at.every((d, k) => k === 0 || compare(order(at[k - 1]), order(d)) <= 0), "differences", got, "want", shown.map(text));
	}
	want(byId("differences").parentNode.hidden === !shown.length, "the table of differences is hidden:", byId("differences").parentNode.hidden, "of", shown.length);
	const counts = byId("beside-count").text.match(/\d+/g).map(Number), many = shown.filter(differs).length;
	want(counts.join() === [many, all.length, ...shown.length > many ? [shown.length - many] : [], ...asked.length > shown.length ? [asked.length - shown.length] : []].join(), "counts of differences", byId("beside-count").text);
}
const compare = (a, b) => { const k = a.findIndex((v, k) => v !== b[k]); return k < 0 ? 0 : a[k] - b[k]; };

// checkOpenCell compares the open cell with the view, its numbers and its commands.
function checkOpenCell({byId}, m) {
	const {x, view} = m;
	want(byId("detail").hidden === !view.problem, "the open cell is hidden:", byId("detail").hidden);
	if (!view.problem) return;
	const p = m.p(view.problem), a = m.a(view.algorithms[0]), q = m.pair(a, p), s = q.series[m.metric], said = byId("facts").text, over = view.over === "problems";
	want(byId("detail-title").text === `${x.algorithms[a].title} on ${x.problems[p].title}`, "the open cell is", byId("detail-title").text);
	const all = over ? x.pairs.filter(q => q.a === a).sort((q, r) => q.p - r.p) : m.by(p, m.metric), on = over ? m.shown.map(k => x.problems[k].spec) : view.algorithms, spec = q => over ? x.problems[q.p].spec : x.algorithms[q.a].spec;
	const boxes = byId("members").find("input").map(b => [b.value, b.checked, b.disabled].join()), alone = on.length === 1;
	want(boxes.join("|") === all.map(q => [spec(q), on.includes(spec(q)), alone && on.includes(spec(q))].join()).join("|"), "members", boxes, "want", all.map(spec), on);
	const says = (v, ok) => want(said.includes(v) === Boolean(ok), JSON.stringify(v), ok ? "is missing in" : "is in", said), has = v => says(v, true);
	says("not measured", !s);
	has(`${q.played} played of ${q.replicates}`);
	says("2 cells failed: it fell", q.failed);
	says("assumptions not met", q.unmet.length);
	says("both claims", q.verdict);
	says("c=0.25", q.resolved);
	for (const text of [...x.algorithms[a].assumes, ...x.algorithms[a].claims, x.algorithms[a].feedback, ...x.problems[p].facts, "abc"]) has(text);
	says("tuned from grid", x.algorithms[a].tuned);
	says("needs the horizon", !x.algorithms[a].anytime);
	if (s) {
		says(`${s.replicates} of 4 replicates`, !q.deterministic);
		const {sign, word} = verdictTable.find(v => v.key === s.root);
		says(`${sign} ${word}`, s.root || q.root === s.root && q.root);
		says("≤ 0 ✓ at most √t: it is never positive", s.never);
		const b = byId("facts").find("b").find(b => b.title === String(s.final.value));
		if (s.state === "measured" && s.final.value !== null) want(b && b.text.includes("[") === (s.final.lower !== null), "the mean at T", said, "of", s.final);
		const r = x.ranks.find(r => r.metric === m.metric && r.p === p && r.a === a);
		says(` of ${x.algorithms.length} –`, r && s.rank !== null && s.lead);
	}
	want(byId("command").parentNode.hidden === !q.play && byId("run").parentNode.hidden === !x.command && byId("file").hidden === !x.file && byId("run").text === x.command, "commands that are offered");
	for (const [typed, r] of [["3", Math.min(3, q.replicates)], ["0", 1], ["99", q.replicates], ["", 1], ["2.4", Math.min(2, q.replicates)]]) {
		byId("replicate").value = typed;
		byId("replicate").fire("input", {});
		want(byId("command").text === q.play.replace(/\d+$/, String(r)), "replicate", typed, "is", byId("command").text);
	}
	want(byId("replicate").getAttribute("max") === String(q.replicates), "the largest replicate is", byId("replicate").getAttribute("max"));
	byId("replicate").fire("change", {});
	want(byId("replicate").value === String(Math.min(2, q.replicates)), "the replicate", byId("replicate").value);
	if (!x.file) return;
	byId("file").click();
}

// visible tells whether a reader sees an element.
const visible = node => !node.hidden && (!node.parentNode || visible(node.parentNode));

// randomStep does something that a reader can do on a page, and returns its name and the view that
// it must lead to.
function randomStep(page, m) {
	const {byId, document} = page, {x, view} = m, set = changes => ({...view, ...changes});
	const selects = {experiment: "x", regret: "regret", violation: "violation", "versus-a": "a", "versus-b": "b", "plane-problem": "plane", metric: "metric", "curves-metric": "metric", show: "show", rows: "rows", class: "class", feedback: "feedback", verdict: "verdict", over: "over", xaxis: "xaxis", yaxis: "yaxis", profile: "profile", differing: "differing"};
	const buttons = selector => document.querySelectorAll(selector).filter(visible), open = (spec, problem, rest = undefined) => {
		const a = m.a(spec), p = m.p(problem), better = [...m.by(p, m.violation).filter(q => m.keeps(q)).map(q => q.a), ...m.front(p)].find(k => k !== a && m.pair(k, p)?.series[m.metric]);
		return set({problem, algorithms: [spec, ...rest ?? (better === undefined ? [] : [x.algorithms[better].spec])], over: "algorithms", problems: [], plane: problem, lift: spec});
	};
	const join = spec => {
		const key = view.over, now = key === "algorithms" ? view.algorithms : m.shown.map(p => x.problems[p].spec), next = now.includes(spec) ? now.filter(s => s !== spec) : [...now, spec];
		return next.length ? set({[key]: next}) : view;
	};
	const cellOf = td => ({spec: td.dataset.algorithm, problem: td.dataset.problem});
	const all = [
		() => { const id = pick(Object.keys(selects).filter(id => byId(id) && visible(byId(id)) && byId(id).options.length > 0)), v = pick(byId(id).options).value; byId(id).choose(v); return [`${id} is ${v}`, set({[selects[id]]: v, ...id === "rows" ? {sort: ""} : {}})]; },
		() => { const id = pick(["replicates", "bound", "claim", "significant", "equal"].filter(id => byId(id) && visible(byId(id)))); if (!id) return; byId(id).click(); return [id, set({[id]: !view[id]})]; },
		() => { const q = pick(["", "alpha", "Method 1", "beta problem", "nowhere"]); byId("q").choose(q); return [`find ${q}`, set({q})]; },
		() => { byId("clear").click(); return ["clear", set({q: "", class: "", feedback: "", verdict: ""})]; },
		...[["matrix-table", "sort"], ["ranks", "ranks"], ["differences", "beside"]].map(([id, key]) => () => {
			const b = pick(buttons(`#${id} thead button`));
			if (!b) return;
			const k = b.dataset.sort, now = view[key];
			b.click();
			want(document.activeElement.dataset.sort === k && document.activeElement.closest("table").id === id, "the focus is on", document.activeElement.tag, "and not on the head", k);
			return [`sort ${id} by ${k}`, set({[key]: now === `${k}:asc` || key === "ranks" && !now && k === "rank" ? `${k}:${now ? "desc" : "asc"}` : `${k}:asc`})];
		}),
		...times(3, () => () => {
			const td = pick(buttons("#matrix-table tbody td > button"))?.parentNode, ctrlKey = random() < 0.4;
			if (!td) return;
			const {spec, problem} = cellOf(td);
			td.querySelector("button").click({ctrlKey});
			return [`${ctrlKey ? "Ctrl and " : ""}a click on ${spec} on ${problem}`, ctrlKey && view.problem === problem && view.over === "algorithms" ? join(spec) : open(spec, problem)];
		}),
		() => { const box = pick(byId("members").find("input").filter(b => visible(b) && !b.disabled)); if (!box) return; box.click(); want(document.activeElement.value === box.value, "the focus left", box.value); return [`member ${box.value}`, join(box.value)]; },
		() => {
			const b = pick(buttons("#members button")), own = view.algorithms[0], key = view.over;
			if (!b) return;
			const list = {"only this": () => [own], "the Pareto front": () => [own, ...m.front(m.p(view.problem)).map(a => x.algorithms[a].spec)], all: () => key === "problems" ? x.problems.map(e => e.spec).filter(spec => m.pair(m.a(own), m.p(spec))) : [own, ...m.by(m.p(view.problem), m.metric).map(q => x.algorithms[q.a].spec)]}[b.text]();
			b.click();
			return [b.text, set({[key]: unique(list)})];
		},
		() => { const a = pick(buttons("#answers a")); if (!a) return; const spec = a.closest("tr").dataset.algorithm; a.click(); return [`the answer of ${spec}`, open(spec, x.problems[m.plane].spec)]; },
		() => { const b = pick(buttons("#versus button")), v = m.played.length > 1 && m.versus(); if (!b) return; b.click(); return ["both", open(x.algorithms[v.a].spec, b.dataset.problem, [x.algorithms[v.b].spec])]; },
		() => { const b = pick(buttons("#problems button")), k = b ? b.parentNode.find("button").indexOf(b) : -1, select = byId("problems").find("select")[0]; if (b) b.click(); else if (select) select.choose(x.problems[0].spec); else return; return ["a problem", set({plane: x.problems[b ? k : 0].spec})]; },
		() => {
			const box = pick(byId("ranks").find("input").filter(b => visible(b) && !b.disabled));
			if (!box) return;
			const on = byId("ranks").find("input").filter(b => b.checked).map(b => b.value), {metric} = {metric: byId("profile").value}, best = stablySorted(x.ranks.filter(r => r.p === -1 && r.metric === metric), r => r.rank.value, "asc").slice(0, 8).map(r => x.algorithms[r.a].spec);
			const lines = view.lines.length ? view.lines : best, was = box.checked;
			want(on.every(spec => lines.includes(spec)), "lines", on, "of", lines);
			box.click();
			return [`line ${box.value}`, set({lines: was ? lines.filter(s => s !== box.value) : [...lines, box.value]})];
		},
		() => { if (!view.problem) return; const by = pick(["Escape", "the button"]); if (by === "Escape") document.activeElement.key("Escape"); else byId("close").click(); want(document.activeElement !== document.body && visible(document.activeElement), "the focus is lost"); return [`closed by ${by}`, set({problem: "", algorithms: [], problems: [], over: "algorithms"})]; },
		...times(2, () => () => walkMatrix(page, m)),
	];
	for (;;) {
		const done = pick(all)();
		if (done) return done;
	}
}

// walkMatrix goes through the matrix by the keys, from the cell that the Tab key reaches.
function walkMatrix({byId, document}, m) {
	const table = byId("matrix-table"), start = table.querySelector("button[tabindex='0']");
	if (!start || !table.querySelector("td > button")) return;
	start.focus();
	const grid = table.querySelectorAll("tbody tr").map(r => r.cells.slice(1).map(td => td.querySelector("button"))), place = b => { const r = grid.findIndex(row => row.includes(b)); return [r, r < 0 ? -1 : grid[r].indexOf(b)]; };
	for (let k = 0; k < 8; k++) {
		const [r, c] = place(document.activeElement), key = pick(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "x"]), [ctrlKey, altKey, metaKey] = [0.3, 0.1, 0.1].map(share => random() < share), row = grid[r].filter(Boolean), all = grid.flat().filter(Boolean), column = grid.map(row => row[c]);
		const to = {ArrowLeft: grid[r].slice(0, c).filter(Boolean).at(-1), ArrowRight: grid[r].slice(c + 1).find(Boolean), ArrowUp: column.slice(0, r).filter(Boolean).at(-1), ArrowDown: column.slice(r + 1).find(Boolean), Home: (ctrlKey ? all : row)[0], End: (ctrlKey ? all : row).at(-1)}[key];
		document.activeElement.key(key, {ctrlKey, altKey, metaKey});
		const stays = !to || altKey || metaKey || ctrlKey && key.startsWith("Arrow");
		want(document.activeElement === (stays ? grid[r][c] : to), key, ctrlKey, altKey, metaKey, "from", r, c, "leads to", place(document.activeElement));
		want(document.activeElement.attributes.tabindex === "0" && all.filter(b => b.attributes.tabindex === "0").length === 1, "the Tab key does not lead back");
	}
	return ["keys", m.view];
}

// randomAddress writes an address with anything in it, at times with what no page has.
function randomAddress(all) {
	const x = pick(all), strange = () => pick(["strange", "", "1", "%zz", "a;b", "é"]);
	const of = {x: all.map(x => x.asked.name), plane: x.problems.map(e => e.spec), regret: ["regret_xmax", "regret_dynamic"], violation: ["violation_soft", "violation_hard"], metric: x.metrics.map(m => m.name), class: ["convex", "fixed"], feedback: ["FI", "FO+"], sort: ["name:asc", "name:desc", ...x.algorithms.map(e => `${e.spec}:desc`), ...x.problems.map(e => `${e.spec}:asc`)], ranks: ["best:desc", "problems:asc"], beside: ["p:asc", "difference:desc"], q: ["alpha", "a%"], ...values};
	for (const key of ["lift", "a", "b", "algorithms", "lines"]) of[key] = x.algorithms.map(e => e.spec);
	for (const key of ["problem", "problems"]) of[key] = x.problems.map(e => e.spec);
	for (const key of ["profile", "differing"]) of[key] = of.metric;
	const parts = some(Object.keys(start)).map(key => {
		const word = () => random() < 0.15 ? strange() : encodeURIComponent(pick(of[key] ?? [""]));
		return `${key}=${Array.isArray(start[key]) ? times(pick([1, 2]), word).join(";") : typeof start[key] === "boolean" ? pick(["0", "1", "1", "yes"]) : word()}`;
	});
	return `#${[...parts, ...maybe(0.2, () => [pick(["nothing", "other=1", "toString=1", ""])], [])].join("&") || "x="}`;
}

// checkRandomPages opens a random page, and checks that every step leads to what the model says.
function checkRandomPages() {
	const all = times(pick([1, 1, 2]), k => experiment(k ? "other one" : "made up")), data = {program: {version: "1", go: "go", goarch: "amd64"}, verdicts: verdictTable, experiments: all};
	const first = maybe(0.7, () => randomAddress(all), ""), page = visit(html, first, data, maybe(0.1, () => 500, 0)), {byId, document} = page;
	let {view, wrong} = readAddress(first), trace = `opened at ${first}`;
	const arrive = () => { // by an address
		const mended = new Model(all, view).mended();
		wrong = [...wrong, ...mended.wrong];
		view = mended.view;
		what = trace.slice(-400);
		want(byId("astray").hidden === !wrong.length, "what is astray is hidden:", byId("astray").hidden, "want", wrong);
		if (wrong.length > 0) want(wrong.length > 5 ? byId("astray").text.includes(`${wrong.length - 5} more`) : wrong.every(w => byId("astray").text.includes(w)), byId("astray").text, "want", wrong);
	};
	arrive();
	for (let k = 0; k < 12; k++) {
		const model = new Model(all, view);
		checkPage(page, model);
		if (random() < 0.4) {
			const fresh = visit(html, `#${Object.entries(changedKeys(view)).map(([key, v]) => `${key}=${Array.isArray(v) ? v.map(encodeURIComponent).join(";") : typeof v === "boolean" ? Number(v) : encodeURIComponent(v)}`).join("&")}`, data, 0), [now, then] = [shownText(document.body), shownText(fresh.document.body)];
			want(now === then || now.includes("<path"), "it is not what its address opens:", ...now === then ? [] : firstDifference(now, then));
		}
		if (random() < 0.2) {
			const to = randomAddress(all);
			page.go(to);
			trace += `; went to ${to}`;
			({view, wrong} = readAddress(to));
			arrive();
			continue;
		}
		const steps = page.address.steps.length, before = view, [name, next] = randomStep(page, model);
		trace += `; ${name}`;
		what = trace.slice(-400);
		view = new Model(all, next).mended().view;
		const got = changedKeys(readAddress(page.address.hash).view);
		want(next === before || JSON.stringify(got) === JSON.stringify(changedKeys(view)) && readAddress(page.address.hash).wrong.length === 0, "the address is", page.address.hash, "want", changedKeys(view));
		const opens = view.problem && (view.problem !== before.problem || view.algorithms[0] !== before.algorithms[0]);
		want(next === before || page.address.steps.length === steps + (opens ? 1 : 0), "steps of the history:", page.address.steps.length, "after", steps);
		want(next === before || byId("astray").hidden, "something is astray after a step");
		page.settle();
	}
}

// checkCopies checks that a command is put on the clipboard or, if that is denied, selected, and
// that the page says so for a while.
async function checkCopies() {
	const x = experiment("copied"), q = x.pairs[0], at = q && `#problem=${encodeURIComponent(x.problems[q.p].spec)}&algorithms=${encodeURIComponent(x.algorithms[q.a].spec)}`;
	if (!q?.play) return checkCopies();
	const page = visit(html, at, {program: {}, verdicts: verdictTable, experiments: [x]}), {byId} = page, said = [];
	for (const denied of [false, true]) for (const [button, id] of [["copy", "command"], ["copy-run", "run"]]) {
		page.deny(denied);
		for (const _ of [1, 2]) { // the second is said for as long as the first
			byId(button).click();
			await new Promise(setImmediate);
		}
		said.push(byId("copied").text);
		want((denied ? page.selected : page.copied).at(-1) === byId(id).text, button, "copies", page.copied, page.selected);
		want(byId("copied").text !== "" && page.later.length === 1, "it is said for a while:", said);
		page.later.pop()?.();
		want(byId("copied").text === "", "it is still said", byId("copied").text);
	}
}

// checkFew opens pages of experiments with two algorithms that were played, with one, and without
// problems.
function checkFew() {
	const x = experiment("few"), q = {unmet: [], series: {}, replicates: 1, played: 1, failed: 0, verdict: "", root: "", play: ""};
	const [algorithms, problems] = [2, 1].map((n, k) => times(n, i => ({...[x.algorithms, x.problems][k][0], spec: `e${i}`})));
	for (const n of [2, 1]) {
		what = `${n} algorithms that were played`;
		const fewer = {...x, own: 0, opens: 0, algorithms, problems, pairs: times(n, a => ({...q, a, p: 0})), unplayed: [], ranks: [], compared: [], fronts: [], profiles: [], beside: undefined, focus: {...x.focus, views: x.focus.views.slice(0, 1)}};
		const {byId} = visit(html, "", {program: {}, verdicts: verdictTable, experiments: [fewer]});
		want(byId("versus").hidden === (n < 2), "A against B is hidden:", byId("versus").hidden);
	}
	what = "no problem";
	const {byId} = visit(html, "", {program: {}, verdicts: verdictTable, experiments: [{...x, opens: 0, own: 0, problems: [], pairs: [], unplayed: [], ranks: [], compared: [], fronts: [], profiles: [], beside: undefined, focus: {...x.focus, views: []}}]});
	want(byId("overview").hidden && byId("problems").hidden && byId("versus").hidden, "its curves are shown");
}

times(Number(process.argv[3] ?? 20), checkRandomPages);
checkFew();
checkCopies().then(done);
