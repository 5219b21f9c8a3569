// The data of the page, how numbers are written, and the DOM builder. The numbers are those of the
// analysis. Only the verdict on two metrics that the reader chooses is found here.

// page has the data that page.go writes, in the form of pagedata.go.
const page = JSON.parse(document.getElementById("data").textContent);

// number reads a JSON number of the analysis: null is read as NaN, and "Infinity" is an open end.
function number(value) {
	return value === null || value === undefined || value === "" ? NaN : Number(value);
}

// verdicts has the sign, the words and the severity of each verdict by its key.
const verdicts = new Map(page.verdicts.map(verdict => [verdict.key, verdict]));

// worstVerdict returns the verdict on several metrics together, as the analysis finds it
// (stats.Worst).
function worstVerdict(...keys) {
	return keys.reduce((a, b) => (verdicts.get(b).severity > verdicts.get(a).severity ? b : a));
}

// Experiment wraps the data of one experiment with its look-ups by index, SPEC and metric. A pair
// names its algorithm and its problem by their indices, pair.a and pair.p, and has the series of
// its metrics, pair.series.
class Experiment {
	constructor(raw) {
		this.raw = raw;
		this.name = raw.asked.name;
		this.algorithms = raw.algorithms;
		this.problems = raw.problems;
		this.pairs = new Map(raw.pairs.map(pair => [pair.a + " " + pair.p, pair]));
		this.unplayed = new Map(
			(raw.unplayed ?? []).map(unplayedPair => [
				unplayedPair.a + " " + unplayedPair.p,
				unplayedPair.lacks,
			]),
		);
		this.ranks = new Map(raw.ranks.map(rank => [rank.metric + " " + rank.a + " " + rank.p, rank]));
		const measured = new Set(raw.pairs.flatMap(pair => Object.keys(pair.series)));
		this.metrics = raw.metrics.filter(metric => measured.has(metric.name));
		this.differences = new Map(
			(raw.beside?.differences ?? []).map(difference => [
				[difference.metric, difference.a, difference.problem].join("\n"),
				difference,
			]),
		);
	}

	// pair returns the pair of an algorithm and a problem, given by index.
	pair(algorithmIndex, problemIndex) {
		return this.pairs.get(algorithmIndex + " " + problemIndex);
	}

	// lacks returns the assumptions of an algorithm that a problem does not meet, if the pair was
	// not played because of them.
	lacks(algorithmIndex, problemIndex) {
		return this.unplayed.get(algorithmIndex + " " + problemIndex) ?? [];
	}

	// metric returns the metric of a name.
	metric(name) {
		return this.raw.metrics.find(metric => metric.name === name);
	}

	// roundsOf returns the rounds t of a band or of runs.
	roundsOf(band) {
		return this.raw.t[band.t];
	}

	// rank returns the rank of an algorithm on a problem, or over the problems (index -1).
	rank(metric, algorithmIndex, problemIndex) {
		return this.ranks.get(metric + " " + algorithmIndex + " " + problemIndex);
	}

	// difference returns the difference of the pair's mean from its mean in the other store, or
	// undefined for a pair that is not from the first store. The SPEC of an algorithm of two stores
	// ends with " @ " and its store, which the differences leave out.
	difference(metric, algorithmIndex, problemIndex) {
		const { spec, source } = this.algorithms[algorithmIndex];
		if (source && source !== this.raw.beside?.sources[0]) return undefined;
		const plain =
			source && spec.endsWith(" @ " + source) ? spec.slice(0, -source.length - 3) : spec;
		return this.differences.get([metric, plain, this.problems[problemIndex].spec].join("\n"));
	}

	// algorithm returns the index of the algorithm with a SPEC, or -1.
	algorithm(spec) {
		return this.algorithms.findIndex(algorithm => algorithm.spec === spec);
	}

	// problem returns the index of the problem with a SPEC, or -1.
	problem(spec) {
		return this.problems.findIndex(problem => problem.spec === spec);
	}

	// lastHorizon returns the last horizon T.
	get lastHorizon() {
		return this.raw.asked.horizon.at(-1);
	}

	// pairsOn returns the pairs that were played on a problem.
	pairsOn(problemIndex) {
		return this.raw.pairs.filter(pair => pair.p === problemIndex);
	}
}

const experiments = page.experiments.map(raw => new Experiment(raw));

// superscripts has the raised form of each character of an exponent.
const superscripts = {
	"-": "⁻",
	0: "⁰",
	1: "¹",
	2: "²",
	3: "³",
	4: "⁴",
	5: "⁵",
	6: "⁶",
	7: "⁷",
	8: "⁸",
	9: "⁹",
};

// decimal writes a number with so many decimals, and thin spaces between thousands.
function decimal(value, decimals) {
	const [whole, fraction] = fixed(Math.abs(value), decimals).split(".");
	const text =
		(whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole) +
		(fraction ? "." + fraction : "");
	return value < 0 ? "−" + text : text;
}

// fixed writes a number ≥ 0 with so many decimals. A tie goes to the even digit, as in the tables,
// where toFixed rounds it up. A binary number is exactly a tie only if it is an integer once it is
// multiplied by 2^(decimals + 1).
function fixed(value, decimals) {
	const isTieAboveEven =
		Number.isInteger(value * 2 ** (decimals + 1)) && (value * 10 ** decimals) % 2 === 0.5;
	return (isTieAboveEven ? Math.floor(value * 10 ** decimals) / 10 ** decimals : value).toFixed(
		decimals,
	);
}

// precise writes a number with so many significant digits, and with all those of its whole part if
// it is less than a million. It is a power of ten outside of [1e-4, 1e6).
function precise(value, digits) {
	if (Number.isNaN(value)) return "–";
	if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
	if (value === 0) return "0";
	const power = powerOf(value, Math.max(digits, 3));
	if (power >= -4 && power < 6) return decimal(value, Math.max(0, digits - 1 - power));
	const [mantissa, exponent] = scientific(value, digits);
	return (
		mantissa.replace("-", "−") +
		"·10" +
		[...exponent].map(character => superscripts[character]).join("")
	);
}

// scientific returns the digits and the power of ten of a number, as texts. A tie, which only an
// integer below 2^53 can be exactly, goes to the even digit.
function scientific(value, digits) {
	let [mantissa, power] = value.toExponential(digits - 1).split("e");
	const unit = 10 ** (Number(power) - digits + 1);
	if (unit > 1 && Math.abs(value) < 2 ** 53 && Math.abs(value) % (2 * unit) === unit / 2) {
		[mantissa, power] = (value - (Math.sign(value) * unit) / 2)
			.toExponential(digits - 1)
			.split("e");
	}
	return [mantissa, power.replace("+", "")];
}

// powerOf returns the power of ten of the first digit, once the number is rounded.
function powerOf(value, digits = 3) {
	return Number(scientific(value, digits)[1]);
}

// digitsFor returns the significant digits of a number: three, or as many as its uncertainty, which
// may be NaN, deserves.
function digitsFor(value, half) {
	return half > 0 && Number.isFinite(half) && value
		? Math.min(10, Math.max(3, powerOf(value) - powerOf(half) + 2))
		: 3;
}

// format writes a number without uncertainty, such as 12.3 and 1.23·10⁸.
function format(raw) {
	return precise(number(raw), 3);
}

// coordinate writes a round, or the value of a parameter: whole numbers have all their digits.
function coordinate(raw) {
	const value = number(raw);
	return Number.isInteger(value) && Math.abs(value) < 1e15 ? decimal(value, 0) : format(value);
}

// exact writes a number with all its digits, and "" where there is none.
function exact(raw) {
	const value = number(raw);
	return Number.isNaN(value) ? "" : String(value);
}

// plusMinus writes an estimate with the half-width of its interval, which has two digits.
function plusMinus(estimate) {
	const value = number(estimate.value);
	const half = number(estimate.upper) - value;
	return (
		precise(value, digitsFor(value, half)) + (Number.isNaN(half) ? "" : " ± " + precise(half, 2))
	);
}

// interval writes an estimate with its interval, whose ends have two digits of half its width.
function interval(estimate) {
	const [value, lower, upper] = [estimate.value, estimate.lower, estimate.upper].map(number);
	const half = (upper - lower) / 2;
	const end = bound =>
		precise(
			bound,
			half > 0 && Number.isFinite(half) && bound
				? Math.min(10, Math.max(1, powerOf(bound) - powerOf(half) + 2))
				: 3,
		);
	return precise(value, digitsFor(value, half)) + intervalBehind(lower, upper, end);
}

// exponentText writes a growth exponent with two decimals and its interval, such as 0.43 [0.31,
// 0.52].
function exponentText(estimate) {
	const write = value =>
		Number.isFinite(value) ? decimal(Math.abs(value) < 1e-9 ? 0 : value, 2) : format(value);
	return (
		write(number(estimate.value)) +
		intervalBehind(number(estimate.lower), number(estimate.upper), write)
	);
}

// intervalBehind writes the interval [lower, upper] that follows an estimate, or nothing if there
// is none.
function intervalBehind(lower, upper, write) {
	return Number.isNaN(lower) && Number.isNaN(upper)
		? ""
		: " [" + write(lower) + ", " + write(upper) + "]";
}

// pValue writes a p-value with three decimals.
function pValue(raw) {
	const value = number(raw);
	if (Number.isNaN(value)) return "–";
	if (value > 0 && value < 0.001) return "< 0.001";
	return decimal(value, 3);
}

// pEquation writes which p-value there is: p = 0.012, p < 0.001.
function pEquation(raw) {
	const text = pValue(raw);
	return text.startsWith("<") ? "p " + text : "p = " + text;
}

// percent writes a share in per cent, such as 12.3 %.
function percent(raw) {
	return number(raw) === 0 ? "0 %" : format(100 * number(raw)) + " %";
}

// boundPercent writes the ratio of a value to its bound in per cent. A ratio just above 1 is not
// rounded to 100 %.
function boundPercent(raw) {
	const value = number(raw);
	if (value <= 0) return "≤ 0";
	if (value > 1 && value < 1.005) return "> 100 %";
	return percent(value);
}

// confidence writes the confidence of intervals, such as 95 %.
function confidence(level) {
	return Number((100 * level).toPrecision(12)) + " %";
}

// stateWords has the word that a cell shows in place of a mean, by the state of the series.
const stateWords = {
	empty: "empty",
	failed: "failed",
	overflow: "overflow",
	rounding: "0 (rounding)",
	missing: "missing",
};

// plural writes a number of things.
function plural(count, thing) {
	return coordinate(count) + " " + thing + (count === 1 ? "" : "s");
}

// leadText says why a pair has a star.
function leadText(pair) {
	return pair.deterministic
		? "less than every other, in deterministic games"
		: "significantly less than every other";
}

// partialText says from how many replicates a number is, if fewer were played than was asked.
function partialText(series) {
	return series.replicates < series.of ? " (" + series.replicates + " of " + series.of + ")" : "";
}

// el makes an element. An attribute that is a function listens to the event of its name;
// false, null and undefined leave the attribute out. Children are nodes or texts.
function el(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(attributes ?? {})) {
		if (typeof value === "function") {
			element.addEventListener(key, value);
		} else if (value === true) {
			element.setAttribute(key, "");
		} else if (value !== false && value !== null && value !== undefined) {
			element.setAttribute(key, value);
		}
	}
	element.append(
		...children.flat().filter(child => child !== null && child !== undefined && child !== false),
	);
	return element;
}

// unbroken keeps a parameter and its value in one line.
function unbroken(name) {
	return name.replaceAll(" = ", "\u00a0=\u00a0");
}

// byId returns the element with the id.
function byId(id) {
	return document.getElementById(id);
}

// focusInput moves the focus to the input of a value, after its list was drawn again.
function focusInput(id, value) {
	[...byId(id).querySelectorAll("input")].find(input => input.value === value)?.focus();
}

// csv writes rows as comma-separated values (RFC 4180).
function csv(rows) {
	const quote = value => {
		const text = value === null || value === undefined ? "" : String(value);
		return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
	};
	return rows.map(row => row.map(quote).join(",") + "\r\n").join("");
}

// download hands a file to the reader.
function download(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], { type }));
	el("a", { href: url, download: name.replace(/[^\p{L}\p{N}._-]+/gu, "-") }).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
