// The data of the page, how numbers are written, and the DOM builder. The numbers are those of the
// analysis. Only the verdict on two metrics that the reader chooses is found here.

// page has the data that page.go writes, in the form of pagedata.go.
const page = JSON.parse(document.getElementById("data").textContent);

// number reads a JSON number of the analysis: null is read as NaN, and "Infinity" is an open end.
function number(v) {
	return v === null || v === undefined || v === "" ? NaN : Number(v);
}

// verdicts has the sign, the words and the severity of each verdict by its key.
const verdicts = new Map(page.verdicts.map(v => [v.key, v]));

// worstVerdict returns the verdict on several metrics together, as the analysis finds it
// (stats.Worst).
function worstVerdict(...keys) {
	return keys.reduce((a, b) => verdicts.get(b).severity > verdicts.get(a).severity ? b : a);
}

// Experiment wraps the data of one experiment with its look-ups by index, SPEC and metric. In all
// files of the script x is an Experiment, a and p are indices of an algorithm and a problem, q is
// the pair of both, and s is a series of q.
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
		this.differences = new Map((raw.beside?.differences ?? []).map(d => [[d.metric, d.a, d.problem].join("\n"), d]));
	}

	// pair returns the pair of an algorithm and a problem, given by index.
	pair(a, p) { return this.pairs.get(a + " " + p); }

	// lacks returns the assumptions of an algorithm that a problem does not meet, if the pair was
	// not played because of them.
	lacks(a, p) { return this.unplayed.get(a + " " + p) ?? []; }

	// metric returns the metric of a name.
	metric(name) { return this.raw.metrics.find(m => m.name === name); }

	// roundsOf returns the rounds t of a band or of runs.
	roundsOf(band) { return this.raw.t[band.t]; }

	// rank returns the rank of an algorithm on a problem, or over the problems (p = -1).
	rank(metric, a, p) { return this.ranks.get(metric + " " + a + " " + p); }

	// difference returns the difference of the pair's mean from its mean in the other store, or
	// undefined for a pair that is not from the first store. The SPEC of an algorithm of two stores
	// ends with " @ " and its store, which the differences leave out.
	difference(metric, a, p) {
		const { spec, source } = this.algorithms[a];
		if (source && source !== this.raw.beside?.sources[0]) return undefined;
		const plain = source && spec.endsWith(" @ " + source) ? spec.slice(0, -source.length - 3) : spec;
		return this.differences.get([metric, plain, this.problems[p].spec].join("\n"));
	}

	// algorithm returns the index of the algorithm with a SPEC, or -1.
	algorithm(spec) { return this.algorithms.findIndex(a => a.spec === spec); }

	// problem returns the index of the problem with a SPEC, or -1.
	problem(spec) { return this.problems.findIndex(p => p.spec === spec); }

	// lastHorizon returns the last horizon T.
	get lastHorizon() { return this.raw.asked.horizon.at(-1); }

	// pairsOn returns the pairs that were played on a problem.
	pairsOn(p) { return this.raw.pairs.filter(q => q.p === p); }
}

const experiments = page.experiments.map(raw => new Experiment(raw));

// superscripts has the raised form of each character of an exponent.
const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

// decimal writes a number with so many decimals, and thin spaces between thousands.
function decimal(v, decimals) {
	const [whole, fraction] = fixed(Math.abs(v), decimals).split(".");
	const text = (whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole) + (fraction ? "." + fraction : "");
	return v < 0 ? "−" + text : text;
}

// fixed writes a number ≥ 0 with so many decimals. A tie goes to the even digit, as in the tables,
// where toFixed rounds it up. A binary number is exactly a tie only if it is an integer once it is
// multiplied by 2^(decimals + 1).
function fixed(v, decimals) {
	const isTieAboveEven = Number.isInteger(v * 2 ** (decimals + 1)) && v * 10 ** decimals % 2 === 0.5;
	return (isTieAboveEven ? Math.floor(v * 10 ** decimals) / 10 ** decimals : v).toFixed(decimals);
}

// precise writes a number with so many significant digits, and with all those of its whole part if
// it is less than a million. It is a power of ten outside of [1e-4, 1e6).
function precise(v, digits) {
	if (Number.isNaN(v)) return "–";
	if (!Number.isFinite(v)) return v < 0 ? "−∞" : "∞";
	if (v === 0) return "0";
	const power = powerOf(v, Math.max(digits, 3));
	if (power >= -4 && power < 6) return decimal(v, Math.max(0, digits - 1 - power));
	const [mantissa, k] = scientific(v, digits);
	return mantissa.replace("-", "−") + "·10" + [...k].map(c => superscripts[c]).join("");
}

// scientific returns the digits and the power of ten of a number, as texts. A tie, which only an
// integer below 2^53 can be exactly, goes to the even digit.
function scientific(v, digits) {
	let [mantissa, k] = v.toExponential(digits - 1).split("e");
	const unit = 10 ** (Number(k) - digits + 1);
	if (unit > 1 && Math.abs(v) < 2 ** 53 && Math.abs(v) % (2 * unit) === unit / 2) [mantissa, k] = (v - Math.sign(v) * unit / 2).toExponential(digits - 1).split("e");
	return [mantissa, k.replace("+", "")];
}

// powerOf returns the power of ten of the first digit, once the number is rounded.
function powerOf(v, digits = 3) { return Number(scientific(v, digits)[1]); }

// digitsFor returns the significant digits of a number: three, or as many as its uncertainty, which
// may be NaN, deserves.
function digitsFor(v, half) {
	return half > 0 && Number.isFinite(half) && v ? Math.min(10, Math.max(3, powerOf(v) - powerOf(half) + 2)) : 3;
}

// format writes a number without uncertainty, such as 12.3 and 1.23·10⁸.
function format(x) { return precise(number(x), 3); }

// coordinate writes a round, or the value of a parameter: whole numbers have all their digits.
function coordinate(x) {
	const v = number(x);
	return Number.isInteger(v) && Math.abs(v) < 1e15 ? decimal(v, 0) : format(v);
}

// exact writes a number with all its digits, and "" where there is none.
function exact(x) {
	const v = number(x);
	return Number.isNaN(v) ? "" : String(v);
}

// plusMinus writes an estimate with the half-width of its interval, which has two digits.
function plusMinus(e) {
	const v = number(e.value), half = number(e.upper) - v;
	return precise(v, digitsFor(v, half)) + (Number.isNaN(half) ? "" : " ± " + precise(half, 2));
}

// interval writes an estimate with its interval, whose ends have two digits of half its width.
function interval(e) {
	const [v, lower, upper] = [e.value, e.lower, e.upper].map(number), half = (upper - lower) / 2;
	const end = x => precise(x, half > 0 && Number.isFinite(half) && x ? Math.min(10, Math.max(1, powerOf(x) - powerOf(half) + 2)) : 3);
	return precise(v, digitsFor(v, half)) + intervalBehind(lower, upper, end);
}

// exponentText writes a growth exponent with two decimals and its interval, such as 0.43 [0.31,
// 0.52].
function exponentText(e) {
	const write = v => Number.isFinite(v) ? decimal(Math.abs(v) < 1e-9 ? 0 : v, 2) : format(v);
	return write(number(e.value)) + intervalBehind(number(e.lower), number(e.upper), write);
}

// intervalBehind writes the interval [lower, upper] that follows an estimate, or nothing if there
// is none.
function intervalBehind(lower, upper, write) {
	return Number.isNaN(lower) && Number.isNaN(upper) ? "" : " [" + write(lower) + ", " + write(upper) + "]";
}

// pValue writes a p-value with three decimals.
function pValue(x) {
	const v = number(x);
	return Number.isNaN(v) ? "–" : v > 0 && v < 0.001 ? "< 0.001" : decimal(v, 3);
}

// pEquation writes which p-value there is: p = 0.012, p < 0.001.
function pEquation(x) {
	const text = pValue(x);
	return text.startsWith("<") ? "p " + text : "p = " + text;
}

// percent writes a share in per cent, such as 12.3 %.
function percent(x) { return number(x) === 0 ? "0 %" : format(100 * number(x)) + " %"; }

// boundPercent writes the ratio of a value to its bound in per cent. A ratio just above 1 is not
// rounded to 100 %.
function boundPercent(x) {
	const v = number(x);
	return v <= 0 ? "≤ 0" : v > 1 && v < 1.005 ? "> 100 %" : percent(v);
}

// confidence writes the confidence of intervals, such as 95 %.
function confidence(x) { return Number((100 * x).toPrecision(12)) + " %"; }

// stateWords has the word that a cell shows in place of a mean, by the state of the series.
const stateWords = { empty: "empty", failed: "failed", overflow: "overflow", rounding: "0 (rounding)", missing: "missing" };

// plural writes a number of things.
function plural(n, thing) { return coordinate(n) + " " + thing + (n === 1 ? "" : "s"); }

// leadText says why a pair has a star.
function leadText(q) {
	return q.deterministic ? "less than every other, in deterministic games" : "significantly less than every other";
}

// partialText says from how many replicates a number is, if fewer were played than was asked.
function partialText(s) {
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
