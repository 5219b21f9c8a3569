// The scales of axes: linear, log and symlog, which is linear within ± a threshold. A scale maps
// numbers to pixels along its axis, and has ticks at round numbers.

// scaleMaps returns the maps to and from the units in which the axis is linear: decades, if it is
// logarithmic. The linear part of a symlog axis, from 0 to the threshold, is as long as a decade.
function scaleMaps(scale, threshold) {
	switch (scale) {
		case "log":
			return {
				to: value => (value > 0 ? Math.log10(value) : -Infinity),
				from: position => 10 ** position,
			};
		case "symlog":
			return {
				to: value =>
					Math.abs(value) > threshold
						? Math.sign(value) * (1 + Math.log10(Math.abs(value) / threshold))
						: value / threshold,
				from: position =>
					Math.abs(position) > 1
						? Math.sign(position) * threshold * 10 ** (Math.abs(position) - 1)
						: position * threshold,
			};
	}
	return { to: value => value, from: position => position };
}

// decadeOf returns the k for which x is in [10^k, 10^(k+1)), up to rounding.
function decadeOf(value) {
	return Math.floor(Math.log10(value) + 1e-9);
}

// symlogThreshold returns the end of the linear part: the decade below which a tenth of the values
// are, but at most six decades below the largest, or three if values have both signs.
function symlogThreshold(values) {
	const sizes = values
		.filter(value => value !== 0 && Number.isFinite(value))
		.map(Math.abs)
		.sort((a, b) => a - b);
	if (sizes.length === 0) return 1;
	const both =
		values.some(value => value < 0 && Number.isFinite(value)) &&
		values.some(value => value > 0 && Number.isFinite(value));
	const least = decadeOf(sizes[sizes.length - 1]) - (both ? 3 : 6);
	return 10 ** Math.max(least, decadeOf(sizes[Math.floor(0.1 * sizes.length)]));
}

// axisScale makes the scale of an axis that shows all values. Ends of intervals stretch it by at
// most a decade or, if it is linear, by the length that the values take.
function axisScale(axis, values, ends) {
	values = values.filter(value => Number.isFinite(value) && (axis.scale !== "log" || value > 0));
	const threshold = axis.scale === "symlog" ? (axis.threshold ?? symlogThreshold(values)) : 1;
	const maps = scaleMaps(axis.scale, threshold);
	const scale = { ...maps, kind: axis.scale, threshold };
	if (axis.domain) {
		[scale.lo, scale.hi] = axis.domain.map(maps.to);
		return scale;
	}
	let lo = Infinity;
	let hi = -Infinity;
	for (const value of values) {
		lo = Math.min(lo, maps.to(value));
		hi = Math.max(hi, maps.to(value));
	}
	if (lo > hi) [lo, hi] = axis.scale === "log" ? [0, 1] : [-1, 1];
	const most = axis.scale === "linear" ? hi - lo || Math.abs(hi) : 1;
	const least = lo - (lo >= 0 && axis.scale !== "log" ? 0.2 : 1) * most; // only ends are below 0
	let from = lo;
	let to = hi;
	for (const value of ends) {
		const position = maps.to(value);
		if (!Number.isFinite(position)) continue;
		from = Math.min(from, Math.max(position, least));
		to = Math.max(to, Math.min(position, hi + most));
	}
	if (to - from < 1e-9 * Math.max(1e-280, Math.abs(from), Math.abs(to))) {
		const half = { linear: Math.abs(from) / 2 || 1, symlog: 1, log: 0.5 }[axis.scale];
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
	scale.at = value => from + (scale.to(value) - scale.lo) * unit;
	scale.length = Math.abs(to - from);
	scale.shows = value => {
		const position = scale.to(value);
		return position >= scale.lo - 1e-9 && position <= scale.hi + 1e-9;
	};
}

// numberText writes the number of a tick with so many decimals (−3 rounds to thousands) or, without
// decimals, with up to six digits.
function numberText(value, decimals) {
	if (value === 0) return "0";
	const size = Math.abs(value);
	const sign = value < 0 ? "−" : "";
	const power = decadeOf(size);
	const round = (mantissa, places) =>
		decimals === undefined
			? String(Number(mantissa.toPrecision(6)))
			: mantissa.toFixed(Math.min(20, Math.max(0, places)));
	if (power < -3 || power > (decimals === undefined ? 4 : 6)) {
		const mantissa = round(size / 10 ** power, power + decimals);
		return (
			sign + (Number(mantissa) === 1 ? powerText(1, power) : `${mantissa}×${powerText(1, power)}`)
		);
	}
	const [whole, fraction] = round(size, decimals).split(".");
	return sign + whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") + (fraction ? `.${fraction}` : "");
}

// powerText writes ±10^k.
function powerText(sign, power) {
	return `${sign < 0 ? "−" : ""}10^${power < 0 ? "−" + -power : power}`;
}

// ticksOf returns the ticks of a laid out scale. Labels are at least gap pixels apart, and minor
// ticks have none. A scale with room for fewer than two labels has the ticks of a linear one.
function ticksOf(scale, gap) {
	const ticks = { log: logTicks, symlog: symlogTicks, linear: linearTicks }
		[scale.kind](scale, gap)
		.filter(tick => scale.shows(tick.value));
	if (scale.kind === "linear" || ticks.filter(tick => tick.text).length >= 2) return ticks;
	let before = -Infinity; // the labels are nearer where the scale is not linear
	return linearTicks(scale, gap)
		.filter(tick => scale.shows(tick.value))
		.map(tick => {
			const at = scale.at(tick.value);
			const far = Math.abs(at - before) >= gap;
			if (far) before = at;
			return far ? tick : { ...tick, text: "" };
		});
}

// logTicks returns the ticks of a logarithmic axis: powers of ten with labels at least gap apart.
// With fewer than two powers on the axis, 2 and 5 times a power have labels too.
function logTicks(scale, gap) {
	const perDecade = scale.length / (scale.hi - scale.lo);
	const step = Math.max(1, Math.ceil(gap / perDecade));
	const few = Math.floor(scale.hi + 1e-9) - Math.ceil(scale.lo - 1e-9) < 1; // fewer than two powers
	const ticks = [];
	const label = (value, digit, power) => {
		if (digit !== 1) return few && (digit === 2 || digit === 5) ? numberText(value) : "";
		if (power % step !== 0) return "";
		return few ? numberText(value) : powerText(1, power);
	};
	for (let power = Math.floor(scale.lo); power <= Math.ceil(scale.hi); power++) {
		for (let digit = 1; digit <= (perDecade > 24 ? 9 : 1); digit++) {
			const value = digit * 10 ** power;
			ticks.push({ value, text: label(value, digit, power) });
		}
	}
	return ticks;
}

// symlogTicks returns the ticks of an axis that is logarithmic on both sides of 0, and linear
// around it.
function symlogTicks(scale, gap) {
	const perDecade = scale.length / (scale.hi - scale.lo);
	const step = Math.max(1, Math.ceil(gap / perDecade));
	const first = decadeOf(scale.threshold);
	const last = decadeOf(Math.max(Math.abs(scale.from(scale.lo)), Math.abs(scale.from(scale.hi))));
	const ticks = [{ value: 0, text: "0" }];
	for (const sign of [-1, 1]) {
		for (let power = first; power <= last; power++) {
			const labelled = (power - first) % step === 0 && (power > first || gap <= perDecade);
			for (let digit = 1; digit <= (perDecade > 24 ? 9 : 1); digit++) {
				ticks.push({
					value: sign * digit * 10 ** power,
					text: digit === 1 && labelled ? powerText(sign, power) : "",
				});
			}
		}
	}
	return ticks;
}

// linearTicks returns the ticks of a linear axis at multiples of 1, 2 or 5 times a power of ten.
function linearTicks(scale, gap) {
	const lo = scale.from(scale.lo);
	const hi = scale.from(scale.hi);
	const rough = (hi - lo) * Math.min(1, Math.max(0.125, (1.1 * gap) / scale.length));
	const size = 10 ** decadeOf(rough);
	const step = [1, 2, 5, 10].find(multiple => multiple * size >= rough * (1 - 1e-9)) * size;
	const decimals = -decadeOf(step);
	const ticks = [];
	for (let k = Math.ceil(lo / step - 1e-9); k <= hi / step + 1e-9 && ticks.length < 100; k++) {
		const value = k * step;
		ticks.push({ value, text: numberText(value, decimals) });
	}
	return ticks;
}
