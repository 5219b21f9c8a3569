package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A twin computes a fit as the package comment says it: the line by sums over the points, each
// number of a resample from its rows anew, the quantiles by sorting.
type twin struct {
	g Growth
	x []float64 // log t
}

// slopeOf returns the slope of the line through points i to j.
func slopeOf(x, y []float64, i, j int) float64 {
	n, mx, my, sxx, sxy := float64(j-i+1), 0.0, 0.0, 0.0, 0.0
	for k := i; k <= j; k++ {
		mx, my = mx+x[k]/n, my+y[k]/n
	}
	for k := i; k <= j; k++ {
		sxx, sxy = sxx+(x[k]-mx)*(x[k]-mx), sxy+(x[k]-mx)*(y[k]-my)
	}
	return sxy / sxx
}

// nearestTo is the index of the point between two that is nearest to x.
func (w twin) nearestTo(x float64, from, to int) int {
	best := from
	for k := from; k <= to; k++ {
		if math.Abs(w.x[k]-x) < math.Abs(w.x[best]-x) {
			best = k
		}
	}
	return best
}

// borders are the ends of n parts.
func (w twin) borders(n int) []int {
	last := len(w.x) - 1
	all := []int{0}
	for p := 1; p <= n; p++ {
		at := w.x[0] + (w.x[last]-w.x[0])*float64(p)/float64(n)
		all = append(all, w.nearestTo(at, all[p-1]+1, last-(n-p)))
	}
	return all
}

// numbers are exponent, drift, increments and bend of the means of rows, with the influences of
// each row on them; NaN where they do not exist.
func (w twin) numbers(rows [][]float64) (values [4]float64, influences [4][]float64) {
	last := len(w.x) - 1
	logs := make([]float64, last+1)
	means := columnMeans(rows)
	for k, m := range means {
		logs[k] = math.Log(m)
	}
	halves := w.borders(2)
	line := func(y []float64) (exponent, drift float64) {
		return slopeOf(w.x, y, 0, last), slopeOf(w.x, y, halves[1], last) - slopeOf(w.x, y, 0, halves[1])
	}
	values[0], values[1] = line(logs)
	if slices.Min(means) <= 0 {
		values[0], values[1] = math.NaN(), math.NaN()
	}
	steps := func(parts int) (value float64, of []float64) {
		if last < parts {
			return math.NaN(), make([]float64, len(rows))
		}
		b, squares := w.borders(parts), make([]float64, last+1)
		for k, x := range w.x {
			squares[k] = x * x / 2
		}
		growth := func(of func(p int) float64) (all []float64) {
			for p := 1; p < parts; p++ {
				gap := slopeOf(w.x, squares, b[p], b[p+1]) - slopeOf(w.x, squares, b[p-1], b[p])
				all = append(all, (of(p)-of(p-1))/gap)
			}
			return all
		}
		change := func(of func(p int) float64) float64 {
			if all := growth(of); parts == 3 {
				return all[1] - all[0]
			} else {
				return all[0]
			}
		}
		mean := func(p int) float64 { return slopeOf(w.x, means, b[p], b[p+1]) }
		for _, y := range rows {
			of = append(of, change(func(p int) float64 { return slopeOf(w.x, y, b[p], b[p+1]) / mean(p) }))
		}
		for p := range parts {
			if mean(p) <= 0 {
				return math.NaN(), of
			}
		}
		return change(func(p int) float64 { return math.Log(mean(p)) }), of
	}
	for _, y := range rows {
		z := make([]float64, last+1)
		for k := range y {
			z[k] = y[k] / means[k]
		}
		u, v := line(z)
		influences[0], influences[1] = append(influences[0], u), append(influences[1], v)
	}
	values[2], influences[2] = steps(2)
	values[3], influences[3] = steps(3)
	return values, influences
}

// spread returns the standard error that influences have.
func spread(influences []float64) float64 {
	n, sum := float64(len(influences)), 0.0
	for _, u := range influences {
		sum += u * u
	}
	return math.Sqrt(sum / (n * (n - 1)))
}

// atTheEnds returns the ratios in ascending order with none more at −∞, and at +∞.
func atTheEnds(ratios []float64, none int) (low, high []float64) {
	low = slices.Concat(slices.Repeat([]float64{math.Inf(-1)}, none), ratios)
	high = slices.Concat(ratios, slices.Repeat([]float64{math.Inf(1)}, none))
	slices.Sort(low)
	slices.Sort(high)
	return low, high
}

// estimates are the four numbers with their intervals, and how many of the samples have no
// exponent.
func (w twin) estimates(rows [][]float64, src *rand.Rand) (all [4]Estimate, undefined int) {
	n := len(rows)
	values, influences := w.numbers(rows)
	var ratios [4][]float64
	var none [4]int
	for range w.g.Resamples {
		if n < minBootstrap {
			break
		}
		drawn := make([][]float64, n)
		for i := range drawn {
			drawn[i] = rows[src.IntN(n)]
		}
		moved, of := w.numbers(drawn)
		for i, v := range moved {
			d, s := v-values[i], spread(of[i])
			switch {
			case math.IsNaN(d):
				none[i]++
			case math.Abs(d) <= negligible:
				ratios[i] = append(ratios[i], 0)
			case s <= negligible:
				ratios[i] = append(ratios[i], math.Copysign(math.Inf(1), d))
			default:
				ratios[i] = append(ratios[i], d/s)
			}
		}
	}
	student := studentQuantile(float64(n-1), (1+w.g.Confidence)/2)
	rank := int((float64(w.g.Resamples+1)*(1-w.g.Confidence))/2 + 1e-9)
	for i, v := range values {
		if math.IsNaN(v) {
			all[i] = noEstimate
			continue
		}
		s, down, up := spread(influences[i]), student, student
		if n >= minBootstrap {
			low, high := atTheEnds(ratios[i], none[i])
			down, up = max(down, high[len(high)-rank]), max(up, -low[rank-1])
		}
		if s <= negligible {
			down, up = 0, 0
		}
		all[i] = Estimate{v, s, v - s*down, v + s*up}
	}
	if n < minBootstrap || spread(influences[0]) <= negligible {
		none[0] = 0
	}
	return all, none[0]
}

// wavers tries all pairs of sections of a quarter decade.
func (w twin) wavers(rows [][]float64) bool {
	last, n := len(w.x)-1, float64(len(rows))
	count := int(math.Round((w.x[last] - w.x[0]) / math.Log(10) * 8))
	if count < 8 {
		return false
	}
	means := columnMeans(rows)
	var slopes []float64
	var influences [][]float64
	for i := 2; i <= count; i++ {
		at := func(i int) int {
			return w.nearestTo(w.x[0]+(w.x[last]-w.x[0])*float64(i)/float64(count), 0, last)
		}
		from, to := at(i-2), at(i)
		if to-from < 2 {
			return false
		}
		slopes = append(slopes, slopeOf(w.x, logs(means), from, to))
		var of []float64
		for _, y := range rows {
			z := make([]float64, len(y))
			for k := range y {
				z[k] = y[k] / means[k]
			}
			of = append(of, slopeOf(w.x, z, from, to))
		}
		influences = append(influences, of)
	}
	pairs := float64(len(slopes)*(len(slopes)-1)) / 2
	t := studentQuantile(n-1, 1-(1-w.g.Confidence)/pairs/2)
	rises, falls := false, false
	for j := range slopes {
		for i := range j {
			var d []float64
			for r, u := range influences[j] {
				d = append(d, u-influences[i][r])
			}
			by, reach := slopes[j]-slopes[i], t*spread(d)
			rises, falls = rises || by-reach > w.g.Tolerance, falls || -by-reach > w.g.Tolerance
		}
	}
	return rises && falls
}

// shape applies the table of shapes in the package comment.
func (w twin) shape(e [4]Estimate, late float64, wavers bool) Shape {
	tau, f, drift, p, bend := w.g.Tolerance, e[0], e[1], e[2], e[3]
	outside := func(e Estimate, by float64) bool { return e.Lower > by || e.Upper < -by }
	shaped := f.Lower > 0 && !outside(bend, tau) && !wavers
	differs := outside(drift, negligible) && math.Abs(p.Value-f.Value) > tau
	explained := p.Lower > tau && f.Lower > 0 && !outside(bend, tau)
	switch {
	case f.Upper < tau && !(outside(drift, tau) && late > tau):
		return Bounded
	case differs && p.Lower > tau && shaped:
		return OffsetPower
	case differs && !outside(p, tau) && p.Lower > -f.Value && p.Upper < f.Value && shaped:
		return Logarithmic
	case outside(drift, tau) && !explained, f.Lower > 0 && wavers:
		return Transient
	case f.Lower > 0:
		return Power
	}
	return Undetermined
}

// fit is the twin of [Growth.Fit], without the envelope, and the numbers of its warnings.
func (w twin) fit(c Curve) (f Fit, warnings []string) {
	says := func(numbers ...float64) {
		warnings = append(warnings, strings.Trim(fmt.Sprint(numbers), "[]"))
	}
	nan := math.NaN()
	f = Fit{Shape: Undetermined, Exponent: nan, Intercept: nan, Residual: nan, StdErr: nan,
		Lower: nan, Upper: nan, Drift: noEstimate, Increments: noEstimate}
	to := w.g.Window.To
	if to == 0 {
		to = c.T[len(c.T)-1]
	}
	from := w.g.Window.From
	if from == 0 {
		from = to * math.Pow(10, -w.g.Decades) * (1 - 1e-9)
	}
	var ts []float64
	rows := make([][]float64, len(c.Y))
	for k, t := range c.T {
		if from <= t && t <= to {
			ts = append(ts, t)
			for r := range rows {
				rows[r] = append(rows[r], c.Y[r][k])
			}
		}
	}
	if f.Points = len(ts); f.Points > 0 {
		f.Window = Window{ts[0], ts[len(ts)-1]}
	}
	if f.Points < 3 {
		says(float64(f.Points), 3)
		return f, warnings
	}
	w.x = logs(ts)
	slices.SortFunc(rows, slices.Compare[[]float64])
	means, below, positive := columnMeans(rows), 0, false
	for k, m := range means {
		if m <= 0 {
			below++
		}
		for _, y := range rows {
			positive = positive || y[k] > 0
		}
	}
	f.NonPositive, f.NeverPositive = float64(below)/float64(len(ts)), !positive
	if below > 0 {
		f.Shape = NonPositive
		if slices.Min(means) == 0 && slices.Max(means) == 0 {
			says(float64(below))
		} else {
			says(float64(below), float64(len(ts)))
		}
		if len(rows) > 1 {
			e, _ := w.estimates(rows, rand.New(seeded(ts, rows)))
			f.Increments = e[2]
		}
		return f, warnings
	}
	values, _ := w.numbers(rows)
	f.Exponent, f.Intercept, f.Residual = values[0], 0, 0
	for _, v := range logs(means) {
		f.Intercept += v / float64(len(ts))
	}
	for _, x := range w.x {
		f.Intercept -= f.Exponent * x / float64(len(ts))
	}
	for k, v := range logs(means) {
		off := v - f.Intercept - f.Exponent*w.x[k]
		f.Residual += off * off / float64(len(ts))
	}
	f.Residual = math.Sqrt(f.Residual)
	if len(rows) == 1 {
		says()
		return f, warnings
	}
	w.carriers(ts, rows, says)
	w.jumps(rows, means, says)
	e, undefined := w.estimates(rows, rand.New(seeded(ts, rows)))
	f.StdErr, f.Lower, f.Upper, f.Drift, f.Increments = e[0].StdErr, e[0].Lower, e[0].Upper, e[1], e[2]
	f.Undefined = undefined
	switch {
	case f.StdErr <= negligible:
		says()
	case len(rows) < minBootstrap:
		says(float64(len(rows)))
	default:
		f.Resamples = w.g.Resamples
	}
	if undefined > 0 {
		says(float64(undefined), float64(w.g.Resamples))
	}
	if math.IsInf(f.Lower, 0) || math.IsInf(f.Upper, 0) {
		says(float64(len(rows)), w.g.Confidence)
	}
	b := w.borders(2)
	f.Shape = w.shape(e, slopeOf(w.x, logs(means), b[1], b[2]), w.wavers(rows))
	return f, warnings
}

// carriers looks for the fewest rows that are half of the last mean.
func (w twin) carriers(t []float64, rows [][]float64, says func(...float64)) {
	var ends []float64
	for _, y := range rows {
		ends = append(ends, y[len(t)-1])
	}
	slices.Sort(ends)
	slices.Reverse(ends)
	total := columnMean(rows, len(t)-1) * float64(len(rows))
	for n := range ends {
		sum := 0.0
		for _, v := range ends[:n] {
			sum += v
		}
		if sum >= total/2 {
			if n <= len(rows)/5 {
				says(float64(n), float64(len(rows)), t[len(t)-1])
			}
			return
		}
	}
}

// jumps counts the rows that make half of their way in one step up.
func (w twin) jumps(rows [][]float64, means []float64, says func(...float64)) {
	share := func(y []float64) float64 {
		way, step := 0.0, 0.0
		for k := range len(y) - 1 {
			way, step = way+math.Abs(y[k+1]-y[k]), max(step, y[k+1]-y[k])
		}
		return step / max(way, 1e-300)
	}
	n := 0
	for _, y := range rows {
		if share(y) >= 0.5 {
			n++
		}
	}
	if n > 1 && float64(n) >= float64(len(rows))/5 && share(means) <= 0.25 {
		says(float64(n), float64(len(rows)))
	}
}

// A planted curve at random checkpoints: of one of some kinds, with some noise, or of waves, with
// little.
func randomCurve(rng *rand.Rand, waves bool) Curve {
	var c Curve
	step := 0.05 + 0.3*rng.Float64()
	if waves {
		step /= 4
	}
	for x := 6 * rng.Float64(); len(c.T) < 2 || rng.IntN(60) > 0 && len(c.T) < 60; {
		x += step * (0.5 + rng.Float64())
		if t := math.Round(1e3*math.Exp(x)) / 1e3; len(c.T) == 0 || t > c.T[len(c.T)-1] {
			c.T = append(c.T, t)
		}
	}
	first, last := c.T[0], c.T[len(c.T)-1]
	kind, noise := rng.IntN(10), math.Pow(10, -4*rng.Float64())
	p, at := 1.2*rng.Float64()-0.1, first*math.Pow(last/first, rng.Float64())
	offset := math.Pow(at, p) * (4*rng.Float64() - 0.5)
	if rng.IntN(5) == 0 {
		noise = 0
	}
	if waves {
		kind, noise = 4, noise/100
	}
	for range 1 + rng.IntN(12) {
		y, level := make([]float64, len(c.T)), math.Exp(noise*rng.NormFloat64())
		when, carries := first*math.Pow(last/first, rng.Float64()), rng.IntN(6) == 0
		for k, t := range c.T {
			switch kind {
			case 0, 1:
				y[k] = math.Pow(t, p)
			case 2:
				y[k] = offset + math.Pow(t, p)
			case 3:
				y[k] = math.Log(t) + 10*p
			case 4: // periodic in log t
				y[k] = math.Pow(t, p) * (1.5 + math.Sin(2.5*math.Log(t)+at))
			case 5: // a kink
				y[k] = max(math.Pow(t, p), t*math.Pow(at, p-1))
			case 6: // a level
				y[k] = t / (t + at)
			case 7: // jumps at times of its own
				if y[k] = math.Pow(t, 0.01); t >= when {
					y[k] *= 10
				}
			case 8: // some carry the mean
				if y[k] = math.Pow(t, p); carries {
					y[k] *= 10
				}
			case 9: // about 0
				y[k] = float64(rng.IntN(3)-rng.IntN(2)) * (1 + rng.Float64())
			}
			y[k] *= level * math.Exp(0.3*noise*rng.NormFloat64())
		}
		c.Y = append(c.Y, y)
	}
	if rng.IntN(12) == 0 {
		for _, y := range c.Y {
			for k := range y {
				y[k] *= float64(-rng.IntN(2))
			}
		}
	}
	return c
}

var anyNumber = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)

// Fits of curves of every kind, long and short, exact and noisy, of one replicate and of some, in
// windows that end at checkpoints and between them, are those of the twin: every number, the
// shape, and the numbers of the warnings.
func TestFitAgreesWithItsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 34))
	seen := make(map[Shape]int)
	for game := range 350 {
		waves := game%5 == 0
		c := randomCurve(rng, waves)
		g := Growth{Decades: 0.3 + 2*rng.Float64(), Resamples: 39 + rng.IntN(60),
			Confidence: 1 - []float64{0.05, 0.1, 0.2, 0.5}[rng.IntN(4)], Tolerance: 0.2 * rng.Float64()}
		at := func() float64 { return c.T[rng.IntN(len(c.T))] + float64(rng.IntN(2)) }
		if waves {
			g.Decades = 0.8 + 0.5*rng.Float64()
		}
		if rng.IntN(3) == 0 {
			g.Window.To = at()
		}
		if rng.IntN(3) == 0 {
			g.Window.From = min(at(), cmp.Or(g.Window.To, math.Inf(1)))
		}
		got := mustFit(t, g, c)
		want, says := twin{g: g}.fit(c)
		where := fmt.Sprintf("game %d: %d of %d points, %d replicates, %+v", game, got.Points, len(c.T),
			len(c.Y), g)
		for _, n := range []struct {
			name      string
			got, want float64
		}{
			{"exponent", got.Exponent, want.Exponent}, {"intercept", got.Intercept, want.Intercept},
			{"standard error", got.StdErr, want.StdErr}, {"residual", got.Residual, want.Residual},
			{"lower", got.Lower, want.Lower}, {"upper", got.Upper, want.Upper},
			{"drift", got.Drift.Value, want.Drift.Value},
			{"error of drift", got.Drift.StdErr, want.Drift.StdErr},
			{"lower drift", got.Drift.Lower, want.Drift.Lower},
			{"upper drift", got.Drift.Upper, want.Drift.Upper},
			{"increments", got.Increments.Value, want.Increments.Value},
			{"error of increments", got.Increments.StdErr, want.Increments.StdErr},
			{"lower increments", got.Increments.Lower, want.Increments.Lower},
			{"upper increments", got.Increments.Upper, want.Increments.Upper},
			{"points", float64(got.Points), float64(want.Points)},
			{"from", got.Window.From, want.Window.From}, {"to", got.Window.To, want.Window.To},
			{"not positive", got.NonPositive, want.NonPositive},
			{"resamples", float64(got.Resamples), float64(want.Resamples)},
			{"undefined", float64(got.Undefined), float64(want.Undefined)},
		} {
			if n.got != n.want && !(math.Abs(n.got-n.want) <= 1e-7*(1+math.Abs(n.want))) &&
				!(math.IsNaN(n.got) && math.IsNaN(n.want)) {
				t.Errorf("%s: %s is %v, want %v", where, n.name, n.got, n.want)
			}
		}
		if got.Shape != want.Shape || got.NeverPositive != want.NeverPositive {
			t.Errorf("%s: %s, never positive: %v, want %s, %v", where, got.Shape, got.NeverPositive,
				want.Shape, want.NeverPositive)
		}
		if said := numbersOf(got.Warnings); !slices.Equal(said, says) {
			t.Errorf("%s: %q, want the numbers %q", where, got.Warnings, says)
		}
		seen[got.Shape]++
		if t.Failed() {
			break
		}
	}
	for shape, least := range map[Shape]int{Power: 50, OffsetPower: 5, Logarithmic: 2,
		Transient: 15, Bounded: 20, NonPositive: 10, Undetermined: 20} {
		if seen[shape] < least {
			t.Errorf("%d fits are %s, want %d", seen[shape], shape, least)
		}
	}
}

// Doubts of random differences, many of them equal, are those of the definition.
func TestDoubtsAgreeWithTheirTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 87))
	seen := make(map[string]int)
	for range 2000 {
		d := make([]float64, 2+rng.IntN(20))
		values := 1 + rng.IntN(40)
		for r := range d {
			d[r] = float64(rng.IntN(values)) - float64(rng.IntN(8)*rng.IntN(2)) + 1e-14*rng.Float64()
		}
		n, mean, two, three := float64(len(d)), 0.0, 0.0, 0.0
		distinct := make(map[float64]bool)
		for _, v := range d {
			distinct[math.Round(v)], mean = true, mean+v/n
		}
		for _, v := range d {
			two, three = two+(v-mean)*(v-mean)/n, three+math.Pow(v-mean, 3)/n
		}
		skew := three / math.Pow(two, 1.5)
		kind, want := "none", ""
		switch {
		case len(distinct) <= len(d)/2:
			kind, want = "few values", fmt.Sprintf("%d %d", len(d), len(distinct))
		case len(d) < 10:
			kind, want = "few", fmt.Sprintf("%d 10", len(d))
		case math.Abs(skew) > 0.6*(1-10/n) && (skew > 0) != (mean > 0):
			kind, want = "skewed", fmt.Sprintf("%.2g", skew)+" 0" // the longer tail towards 0
		}
		seen[kind]++
		if got := strings.Join(numbersOf(symmetryWarnings(d, 1e-12)), "|"); got != want {
			t.Errorf("%v with skewness %v: the numbers %q, want %q", d, skew, got, want)
		}
	}
	if len(seen) < 4 || seen["skewed"] < 30 {
		t.Errorf("the doubts are %v, want four kinds, and 30 skewed", seen)
	}
}

// numbersOf returns the numbers that each error says.
func numbersOf(errs []error) (all []string) {
	for _, err := range errs {
		all = append(all, strings.Join(anyNumber.FindAllString(err.Error(), -1), " "))
	}
	return all
}
