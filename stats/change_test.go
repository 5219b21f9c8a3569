package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// A changeTwin computes what a [RegressionTest] says of one curve from the rows of both sides.
type changeTwin struct {
	x      []float64 // log t
	final  bool      // the values at the end, and not the exponents
	paired bool
}

// of is the difference of some rows, and that of each row to first order.
func (w changeTwin) of(rows [][]float64) (value float64, parts []float64) {
	last := len(w.x) - 1
	if w.final {
		for _, y := range rows {
			value += y[last] / float64(len(rows))
		}
		for _, y := range rows {
			parts = append(parts, y[last]-value)
		}
		return value, parts
	}
	means := columnMeans(rows)
	if slices.Min(means) <= 0 {
		return math.NaN(), make([]float64, len(rows))
	}
	for _, y := range rows {
		z := make([]float64, len(y))
		for k := range y {
			z[k] = y[k] / means[k]
		}
		parts = append(parts, slopeOf(w.x, z, 0, last))
	}
	return slopeOf(w.x, logs(means), 0, last), parts
}

// drawn are the changes of a sample of each side, and their standard errors. Pairs are drawn
// together.
func (w changeTwin) drawn(a, b [][]float64, samples int, src *rand.Rand) (d, s []float64) {
	some := func(n int) (all [][]int) {
		for range samples {
			var drawn []int
			for range n {
				drawn = append(drawn, src.IntN(n))
			}
			all = append(all, drawn)
		}
		return all
	}
	ofA := some(len(a))
	ofB := ofA
	if !w.paired {
		ofB = some(len(b))
	}
	rows := func(all [][]float64, drawn []int) (out [][]float64) {
		for _, r := range drawn {
			out = append(out, all[r])
		}
		return out
	}
	value := func(a, b [][]float64) (float64, float64) {
		v, u := w.of(a)
		other, minus := w.of(b)
		if !w.paired {
			return v - other, math.Hypot(spread(u), spread(minus))
		}
		for r := range u {
			u[r] -= minus[r]
		}
		return v - other, spread(u)
	}
	at, _ := value(a, b)
	for k := range samples {
		v, e := value(rows(a, ofA[k]), rows(b, ofB[k]))
		d, s = append(d, v-at), append(s, e)
	}
	v, e := value(a, b)
	return append(d, v), append(s, e)
}

// Changes of random curves, in pairs and not, of few replicates and of some, by exponents and by
// final values, are those of the twin: the estimate, its interval, the p-value, and the answer.
func TestChangeAgreesWithItsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 43))
	answers := make(map[string]int)
	for game := range 150 {
		confidence, samples := []float64{0.8, 0.9}[rng.IntN(2)], 59
		var curves []Rerun
		for range 1 + rng.IntN(4) {
			ts := []float64{100, 320, 1000, 3300, 10000}
			n, m := 2+rng.IntN(10), 2+rng.IntN(10)
			paired := rng.IntN(2) == 0
			if paired {
				m = n
			}
			shift, noise := 0.4*rng.Float64()-0.2, math.Pow(10, -2*rng.Float64())
			offset := []float64{0, 0, 0, -40}[rng.IntN(4)]
			draw := func(n int, p float64) (c Curve) {
				c.T = ts
				for range n {
					var y []float64
					level := math.Exp(noise * rng.NormFloat64())
					for _, at := range ts {
						y = append(y, offset+level*math.Pow(at, p)*math.Exp(noise*rng.ExpFloat64()))
					}
					c.Y = append(c.Y, y)
				}
				return c
			}
			curves = append(curves, Rerun{fmt.Sprint(n, m), draw(n, 0.5), draw(m, 0.5+shift), paired})
		}
		test := RegressionTest{Margin: 0.1 * rng.Float64(),
			Growth: Growth{Confidence: confidence, Resamples: samples}}
		report := mustTest(t, test, curves)
		var ps []float64
		for k, c := range curves {
			got := report.Changes[k]
			ts := c.Reference.T
			w := changeTwin{x: logs(ts), paired: c.Paired}
			a, b := slices.Clone(c.Current.Y), slices.Clone(c.Reference.Y)
			w.final = slices.Min(columnMeans(a)) <= 0 || slices.Min(columnMeans(b)) <= 0
			slices.SortFunc(a, slices.Compare[[]float64])
			slices.SortFunc(b, slices.Compare[[]float64])
			if c.Paired {
				pairs := interleave(c.Current.Y, c.Reference.Y)
				slices.SortFunc(pairs, slices.Compare[[]float64])
				for r, y := range pairs {
					a[r], b[r] = y[:len(ts)], y[len(ts):]
				}
			}
			d, s := w.drawn(a, b, samples, rand.New(seeded(ts, slices.Concat(a, b))))
			value, stdErr := d[samples], s[samples]
			na, nb := float64(len(a)), float64(len(b))
			degrees := na - 1
			if !c.Paired {
				_, u := w.of(a)
				_, v := w.of(b)
				one, two := spread(u)*spread(u), spread(v)*spread(v)
				degrees = (one + two) * (one + two) / (one*one/(na-1) + two*two/(nb-1))
			}
			var ratios []float64 // resamples without a value are at both ends
			none := 0
			for k := range samples {
				if math.IsNaN(d[k]) {
					none++
				} else {
					ratios = append(ratios, d[k]/s[k])
				}
			}
			low, high := atTheEnds(ratios, none)
			down := studentQuantile(degrees, (1+confidence)/2)
			up, few := down, min(len(a), len(b)) < minBootstrap
			rank := int(60*(1-confidence)/2 + 1e-9)
			if !few {
				down, up = max(down, high[samples-rank]), max(up, -low[rank-1])
			}
			tail := func(at float64, beyond int) float64 { // the p-value where so many ratios are beyond
				p := studentTail(degrees, at)
				if !few {
					p = min(1, max(p, float64(1+beyond)/60))
				}
				return p
			}
			above := func(x float64) float64 { // of the hypothesis that it is at most x
				at := (value - x) / stdErr
				return tail(at, len(high)-sort.SearchFloat64s(high, at))
			}
			below := func(x float64) float64 {
				at := (x - value) / stdErr
				return tail(at, sort.Search(len(low), func(k int) bool { return low[k] > -at }))
			}
			margin := test.Margin
			if w.final {
				size := 0.0
				for _, y := range b {
					size += math.Abs(y[len(ts)-1]) / nb
				}
				margin = (math.Exp(margin*math.Log(100)) - 1) * size
			}
			p := min(1, 2*above(0), 2*below(0))
			ps = append(ps, p)
			open := max(below(margin), above(-margin)) > 1-confidence && got.Answer == Changed
			for _, n := range [][2]float64{{got.Value, value}, {got.StdErr, stdErr},
				{got.Lower, value - down*stdErr}, {got.Upper, value + up*stdErr}, {got.P, p},
				{got.Margin, margin}} {
				if n[0] != n[1] && !(math.Abs(n[0]-n[1]) <= 1e-8*(1+math.Abs(n[1]))) {
					t.Fatalf("game %d, curve %d of %s, paired %v, final %v: %+v, want %v ± %v [−%v, +%v], p "+
						"%v, margin %v", game, k, c.Name, c.Paired, w.final, got, value, stdErr, down, up, p, margin)
				}
			}
			if got.Final != w.final || got.Open != open || got.Name != c.Name {
				t.Errorf("game %d, curve %d: %+v, want final %v and open %v", game, k, got, w.final, open)
			}
			answers[fmt.Sprint(got.Answer, " ", got.Open)]++
		}
		for k, adjusted := range Holm(ps) {
			got, want := report.Changes[k], Changed
			if adjusted <= 1-confidence && math.Abs(got.Value) > got.Margin {
				if want = Suspicious; got.Value > 0 {
					want = Regression
				}
			}
			if got.Answer != want || !near(got.Adjusted, adjusted, 1e-8) {
				t.Errorf("game %d, curve %d: %+v, want %s with p = %v", game, k, got, want, adjusted)
			}
		}
		for _, answer := range []Answer{Regression, Suspicious, Changed} { // the worst of the curves
			if slices.ContainsFunc(report.Changes, func(c Change) bool { return c.Answer == answer }) {
				if report.Answer != answer {
					t.Errorf("game %d: the answer is %s, want %s", game, report.Answer, answer)
				}
				break
			}
		}
	}
	if len(answers) < 4 {
		t.Errorf("the answers are %v, want four kinds", answers)
	}
}
