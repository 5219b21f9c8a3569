// The data of the page, how numbers are written, and the DOM builder. Nothing is computed
// here: the numbers are those of the analysis.

const page = JSON.parse(document.getElementById("data").textContent);

// number reads a JSON number of the analysis: null is NaN, and "Infinity" an open end.
function number(v) {
	return v === null || v === undefined || v === "" ? NaN : Number(v);
}

// Experiment wraps one experiment of the page.
class Experiment {
	constructor(raw) {
		this.raw = raw;
		this.name = raw.asked.name;
		this.algorithms = raw.algorithms;
		this.problems = raw.problems;
		this.pairs = new Map(raw.pairs.map(q => [q.a + " " + q.p, q]));
		this.unplayed = new Map((raw.unplayed ?? []).map(u => [u.a + " " + u.p, u.lacks]));
		this.ranks = new Map(raw.ranks.map(r => [r.metric + " " + r.a + " " + r.p, r]));
		const measured = new Set(raw.pairs.flatMap(q => Object.keys(q.series)));
		this.metrics = raw.metrics.filter(m => measured.has(m.name));
		this.differences = new Map((raw.beside?.differences ?? []).map(d => [[d.metric, d.algorithm, d.problem].join("\n"), d]));
	}

	// pair returns the pair of an algorithm and a problem, given by index.
	pair(a, p) { return this.pairs.get(a + " " + p); }

	// lacks returns what an unplayed pair's problem lacks of what the algorithm assumes.
	lacks(a, p) { return this.unplayed.get(a + " " + p) ?? []; }

	metric(name) { return this.raw.metrics.find(m => m.name === name); }

	// t returns the rounds of a band or of runs.
	t(band) { return this.raw.t[band.t]; }

	// rank returns the rank of an algorithm on a problem, or over the problems (p = -1).
	rank(metric, a, p) { return this.ranks.get(metric + " " + a + " " + p); }

	// difference returns the pair's difference from that of the other store.
	difference(metric, a, p) {
		const { spec, source } = this.algorithms[a];
		const plain = source && spec.endsWith(" @ " + source) ? spec.slice(0, -source.length - 3) : spec;
		if (source && source !== this.raw.beside?.sources[0]) return undefined;
		return this.differences.get([metric, plain, this.problems[p].spec].join("\n"));
	}

	algorithm(spec) { return this.algorithms.findIndex(a => a.spec === spec); }

	problem(spec) { return this.problems.findIndex(p => p.spec === spec); }

	// last returns the last horizon T.
	get last() { return this.raw.asked.horizon.at(-1); }

	// played returns the pairs of a problem.
	played(p) { return this.raw.pairs.filter(q => q.p === p); }
}

const experiments = page.experiments.map(raw => new Experiment(raw));

const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// decimal writes a number with so many decimals, and thin spaces between thousands.
function decimal(v, decimals) {
	const [whole, part] = Math.abs(v).toFixed(decimals).split(".");
	const text = (whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole) + (part ? "." + part : "");
	return v < 0 && /[1-9]/.test(text) ? "−" + text : text;
}

// format writes a number in four digits or whole, such as 12.35, 123 456 and 1.235·10⁸.
function format(x) {
	const v = number(x);
	if (Number.isNaN(v)) return "–";
	if (!Number.isFinite(v)) return v < 0 ? "−∞" : "∞";
	if (v === 0) return "0";
	const size = Math.abs(v);
	if (size >= 1e7 || size < 1e-4) {
		const [digits, power] = v.toExponential(3).split("e");
		return digits.replace("-", "−").replace(/\.?0+$/, "") + "·10" + [...power.replace("+", "")].map(c => superscripts[c]).join("");
	}
	const decimals = Math.max(0, 3 - Math.floor(Math.log10(size)));
	return Number.isInteger(v) ? decimal(v, 0) : decimal(v, decimals);
}

// exact writes a number with all its digits, and "" where there is none.
function exact(x) {
	const v = number(x);
	return Number.isNaN(v) ? "" : String(v);
}

// plusMinus writes an estimate with the half-width of its interval, which has two digits
// where both are of a size.
function plusMinus(e) {
	const v = number(e.value), half = number(e.upper) - v;
	if (!(half > 0)) return format(v);
	if (!(Math.max(Math.abs(v), half) < 1e7 && half >= 1e-6)) return format(v) + " ± " + format(half);
	const decimals = Math.max(0, 1 - Math.floor(Math.log10(half)));
	return decimal(v, decimals) + " ± " + decimal(half, decimals);
}

// interval writes an estimate with its interval, such as 0.43 [0.31, 0.52].
function interval(e, decimals = 2) {
	const write = x => Number.isFinite(number(x)) ? decimal(number(x), decimals) : format(x);
	if (Number.isNaN(number(e.value))) return "–";
	const open = Number.isNaN(number(e.lower)) && Number.isNaN(number(e.upper));
	return write(e.value) + (open ? "" : " [" + write(e.lower) + ", " + write(e.upper) + "]");
}

// pValue writes a p-value in two digits.
function pValue(x) {
	const v = Number(number(x).toPrecision(2));
	return v >= 1e-4 ? String(v) : format(v);
}

// percent writes a share in two digits.
function percent(x) {
	const v = 100 * number(x);
	return Number.isNaN(v) ? "–" : v < 9.95 ? Number(v.toPrecision(2)) + " %" : v < 1e6 ? decimal(v, 0) + " %" : format(v / 100) + " times";
}

// stateWords say why a series has no number.
const stateWords = { empty: "empty", failed: "failed", overflow: "overflow", rounding: "0 (rounding)", missing: "missing" };

// growth writes how a series grows, in the words of the tables: the exponent, and the
// shape or "".
function growth(s) {
	if (!s) return ["–", ""];
	if (s.state !== "measured") return [stateWords[s.state] ?? s.state, ""];
	if (!s.fit) return ["–", ""];
	const negated = s.fit.shape === "non-positive" && s.fit.negated && s.fit.negated.exponent.value !== null;
	const f = negated ? s.fit.negated : s.fit;
	if (f.shape === "non-positive") return ["≤ 0", "at " + decimal(100 * f.non_positive, 0) + " %"];
	if (f.exponent.value === null) return ["–", ""];
	if (Math.abs(number(f.exponent.lower)) > 100 || Math.abs(number(f.exponent.upper)) > 100) return [(negated ? "−t^" : "") + interval(f.exponent), "unresolved"];
	const shape = { bounded: "bounded", transient: "transient", logarithmic: "log t", "offset-power": "a + b·t^" + interval({ value: f.increments.value }) };
	return [(negated ? "−t^" : "") + interval(f.exponent), [f.passing ? "passing" : "", negated ? "" : shape[f.shape]].filter(Boolean).join(", ")];
}

// plural writes a number of things.
function plural(n, thing) { return format(n) + " " + thing + (n === 1 ? "" : "s"); }

// leads says of a pair with a star by how much it leads.
function leads(q) {
	return q.deterministic ? "less than every other; chance has no part in it" : "significantly less than every other";
}

// partial says that a number is from fewer replicates than were to be played.
function partial(s) {
	return s.replicates < s.of ? " (" + s.replicates + " of " + s.of + ")" : "";
}

// el makes an element. An attribute that is a function listens to the event of its name;
// false, null and undefined leave the attribute out. Children are nodes or texts.
function el(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [key, v] of Object.entries(attributes ?? {})) {
		if (typeof v === "function") e.addEventListener(key, v);
		else if (v === true) e.setAttribute(key, "");
		else if (v !== false && v !== null && v !== undefined) e.setAttribute(key, v);
	}
	e.append(...children.flat().filter(c => c !== null && c !== undefined && c !== false));
	return e;
}

// unbroken keeps a parameter and its value in one line.
function unbroken(name) { return name.replaceAll(" = ", "\u00a0=\u00a0"); }

// byId returns the element with the id.
function byId(id) { return document.getElementById(id); }

// focusInput moves the focus to the input of a value, after its list was drawn again.
function focusInput(id, value) {
	[...byId(id).querySelectorAll("input")].find(i => i.value === value)?.focus();
}

// csv writes rows as comma-separated values (RFC 4180).
function csv(rows) {
	const quote = v => {
		const s = v === null || v === undefined ? "" : String(v);
		return /[",\r\n]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
	};
	return rows.map(row => row.map(quote).join(",") + "\r\n").join("");
}

// download hands a file to the reader.
function download(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	el("a", { href: url, download: name.replace(/[^\p{L}\p{N}._-]+/gu, "-") }).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
