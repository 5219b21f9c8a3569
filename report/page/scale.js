// The scales of axes: linear, log and symlog, which is linear within ± a threshold. A scale maps
// numbers to pixels along its axis, and has ticks at round numbers.

// scaleMaps returns the maps to and from the units in which the axis is linear: decades, if it is
// logarithmic. The linear part of a symlog axis, from 0 to the threshold, is as long as a decade.
function scaleMaps(scale, threshold) {
	switch (scale) {
	case "log":
		return {to: v => v > 0 ? Math.log10(v) : -Infinity, from: u => 10 ** u};
	case "symlog":
		return {
			to: v => Math.abs(v) > threshold ? Math.sign(v) * (1 + Math.log10(Math.abs(v) / threshold)) : v / threshold,
			from: u => Math.abs(u) > 1 ? Math.sign(u) * threshold * 10 ** (Math.abs(u) - 1) : u * threshold,
		};
	}
	return {to: v => v, from: u => u};
}

// decadeOf returns the k for which x is in [10^k, 10^(k+1)), up to rounding.
function decadeOf(x) {
	return Math.floor(Math.log10(x) + 1e-9);
}

// symlogThreshold returns the end of the linear part: the decade below which a tenth of the values
// are, but at most six decades below the largest, or three if values have both signs.
function symlogThreshold(values) {
	const sizes = values.filter(v => v !== 0 && Number.isFinite(v)).map(Math.abs).sort((a, b) => a - b);
	if (sizes.length === 0) return 1;
	const both = values.some(v => v < 0 && Number.isFinite(v)) && values.some(v => v > 0 && Number.isFinite(v));
	const least = decadeOf(sizes[sizes.length - 1]) - (both ? 3 : 6);
	return 10 ** Math.max(least, decadeOf(sizes[Math.floor(0.1 * sizes.length)]));
}

// axisScale makes the scale of an axis that shows all values. Ends of intervals stretch it by at
// most a decade or, if it is linear, by the length that the values take.
function axisScale(axis, values, ends) {
	values = values.filter(v => Number.isFinite(v) && (axis.scale !== "log" || v > 0));
	const threshold = axis.scale === "symlog" ? axis.threshold ?? symlogThreshold(values) : 1;
	const s = scaleMaps(axis.scale, threshold);
	const scale = {...s, kind: axis.scale, threshold};
	if (axis.domain) {
		[scale.lo, scale.hi] = axis.domain.map(s.to);
		return scale;
	}
	let lo = Infinity, hi = -Infinity;
	for (const v of values) {
		lo = Math.min(lo, s.to(v));
		hi = Math.max(hi, s.to(v));
	}
	if (lo > hi) [lo, hi] = axis.scale === "log" ? [0, 1] : [-1, 1];
	const most = axis.scale === "linear" ? hi - lo || Math.abs(hi) : 1;
	const least = lo - (lo >= 0 && axis.scale !== "log" ? 0.2 : 1) * most; // only ends are below 0
	let from = lo, to = hi;
	for (const v of ends) {
		const u = s.to(v);
		if (!Number.isFinite(u)) continue;
		from = Math.min(from, Math.max(u, least));
		to = Math.max(to, Math.min(u, hi + most));
	}
	if (to - from < 1e-9 * Math.max(1e-280, Math.abs(from), Math.abs(to))) {
		const half = {linear: Math.abs(from) / 2 || 1, symlog: 1, log: 0.5}[axis.scale];
		[from, to] = [from - half, to + half];
	}
	const margin = 0.04 * (to - from);
	scale.lo = axis.scale === "linear" && from >= 0 && from < 0.3 * to ? 0 : from - margin;
	scale.hi = to + margin;
	return scale;
}

// layOutScale lays a scale out from one pixel to another: at(v) is then the pixel of a number, and
// shows(v) tells whether the axis has it.
function layOutScale(scale, from, to) {
	const unit = (to - from) / (scale.hi - scale.lo);
	scale.at = v => from + (scale.to(v) - scale.lo) * unit;
	scale.length = Math.abs(to - from);
	scale.shows = v => {
		const u = scale.to(v);
		return u >= scale.lo - 1e-9 && u <= scale.hi + 1e-9;
	};
}

// numberText writes the number of a tick with so many decimals (−3 rounds to thousands) or, without
// decimals, with up to six digits.
function numberText(v, decimals) {
	if (v === 0) return "0";
	const size = Math.abs(v), sign = v < 0 ? "−" : "", k = decadeOf(size);
	const round = (m, places) => decimals === undefined ? String(Number(m.toPrecision(6))) : m.toFixed(Math.min(20, Math.max(0, places)));
	if (k < -3 || k > (decimals === undefined ? 4 : 6)) {
		const m = round(size / 10 ** k, k + decimals);
		return sign + (Number(m) === 1 ? powerText(1, k) : `${m}×${powerText(1, k)}`);
	}
	const [whole, fraction] = round(size, decimals).split(".");
	return sign + whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") + (fraction ? `.${fraction}` : "");
}

// powerText writes ±10^k.
function powerText(sign, k) {
	return `${sign < 0 ? "−" : ""}10^${k < 0 ? "−" + -k : k}`;
}

// ticksOf returns the ticks of a laid out scale. Labels are at least gap pixels apart, and minor
// ticks have none. A scale with room for fewer than two labels has the ticks of a linear one.
function ticksOf(scale, gap) {
	const ticks = {log: logTicks, symlog: symlogTicks, linear: linearTicks}[scale.kind](scale, gap).filter(t => scale.shows(t.value));
	if (scale.kind === "linear" || ticks.filter(t => t.text).length >= 2) return ticks;
	let before = -Infinity; // the labels are nearer where the scale is not linear
	return linearTicks(scale, gap).filter(t => scale.shows(t.value)).map(t => {
		const at = scale.at(t.value), far = Math.abs(at - before) >= gap;
		if (far) before = at;
		return far ? t : {...t, text: ""};
	});
}

// logTicks returns the ticks of a logarithmic axis: powers of ten with labels at least gap apart.
// With fewer than two powers on the axis, 2 and 5 times a power have labels too.
function logTicks(scale, gap) {
	const perDecade = scale.length / (scale.hi - scale.lo), step = Math.max(1, Math.ceil(gap / perDecade));
	const few = Math.floor(scale.hi + 1e-9) - Math.ceil(scale.lo - 1e-9) < 1; // fewer than two powers
	const ticks = [];
	for (let k = Math.floor(scale.lo); k <= Math.ceil(scale.hi); k++) {
		for (let m = 1; m <= (perDecade > 24 ? 9 : 1); m++) {
			const value = m * 10 ** k;
			if (m === 1) ticks.push({value, text: k % step === 0 ? (few ? numberText(value) : powerText(1, k)) : ""});
			else ticks.push({value, text: few && (m === 2 || m === 5) ? numberText(value) : ""});
		}
	}
	return ticks;
}

// symlogTicks returns the ticks of an axis that is logarithmic on both sides of 0, and linear
// around it.
function symlogTicks(scale, gap) {
	const perDecade = scale.length / (scale.hi - scale.lo), step = Math.max(1, Math.ceil(gap / perDecade));
	const first = decadeOf(scale.threshold), last = decadeOf(Math.max(Math.abs(scale.from(scale.lo)), Math.abs(scale.from(scale.hi))));
	const ticks = [{value: 0, text: "0"}];
	for (const sign of [-1, 1]) {
		for (let k = first; k <= last; k++) {
			const labelled = (k - first) % step === 0 && (k > first || gap <= perDecade);
			for (let m = 1; m <= (perDecade > 24 ? 9 : 1); m++) {
				ticks.push({value: sign * m * 10 ** k, text: m === 1 && labelled ? powerText(sign, k) : ""});
			}
		}
	}
	return ticks;
}

// linearTicks returns the ticks of a linear axis at multiples of 1, 2 or 5 times a power of ten.
function linearTicks(scale, gap) {
	const lo = scale.from(scale.lo), hi = scale.from(scale.hi);
	const rough = (hi - lo) * Math.min(1, Math.max(0.125, 1.1 * gap / scale.length)), size = 10 ** decadeOf(rough);
	const step = [1, 2, 5, 10].find(m => m * size >= rough * (1 - 1e-9)) * size;
	const decimals = -decadeOf(step);
	const ticks = [];
	for (let k = Math.ceil(lo / step - 1e-9); k <= hi / step + 1e-9 && ticks.length < 100; k++) {
		const value = k * step;
		ticks.push({value, text: numberText(value, decimals)});
	}
	return ticks;
}
