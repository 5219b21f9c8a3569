package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/internal/race"
)

// gateModels are the models of a run of 24 cells: four of each.
var gateModels = []planted{
	{name: "√t × lognormal level and noise", mean: math.Sqrt, paths: factor(math.Sqrt, lognormal)},
	{name: "t^¾ × geometric walk of 0.1", mean: raised(0.75), paths: factor(raised(0.75), func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.1) })},
	{name: "√t × geometric walk of 0.2", mean: math.Sqrt, paths: factor(math.Sqrt, func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.2) })},
	{name: "log t × lognormal level and noise", mean: math.Log, paths: factor(math.Log, lognormal)},
	{name: "level × lognormal level and noise", mean: func(float64) float64 { return 5 }, paths: factor(func(float64) float64 { return 5 }, lognormal)},
	{name: "−t + walk", mean: func(t float64) float64 { return -t }, paths: func(rng *rand.Rand, t, y []float64) {
		walk(rng, t, y)
		for k := range t {
			y[k] -= t[k]
		}
	}},
}

// A gating is a way to run a Gate.
type gating struct {
	paired     bool
	replicates int
	from       float64 // the first of the checkpoints
}

// A gateRate is what runs of 24 cells say of a Gate.
type gateRate struct {
	gating
	runs, alarms, passes int
	caught, cells        []int // by model: exponents raised by 0.1 one at a time
	stdErr               []float64
}

// measure draws runs in which nothing has changed but the seed, and in
// each cell with an exponent, all else unchanged, a change of it by 0.1. With
// pairs a cell is compared with the same replicates, disturbed.
func (g gating) measure(t testing.TB, runs int) gateRate {
	ts := checkpoints(g.from, 10000)
	rng := rand.New(rand.NewPCG(41, uint64(g.replicates)))
	gate := Gate{Growth: Growth{Window: Window{From: g.from}}}
	alone := gate
	alone.Growth.Resamples = 4799 // as among 24
	rate := gateRate{gating: g, caught: make([]int, len(gateModels)), cells: make([]int, len(gateModels)), stdErr: make([]float64, len(gateModels))}
	for range runs {
		var cells []Cell
		for i := range 24 {
			m := gateModels[i%len(gateModels)]
			reference := thinned(m.draw(rng, ts, g.replicates))
			current := thinned(m.draw(rng, ts, g.replicates))
			if g.paired {
				current = disturbed(rng, reference)
			}
			cells = append(cells, Cell{Name: fmt.Sprint(m.name, i), Reference: reference, Current: current, Paired: g.paired})
		}
		before := mustGate(t, gate, cells)
		rate.runs++
		switch before.Outcome {
		case Regression:
			rate.alarms++
		case Pass:
			rate.passes++
		}
		for i, was := range before.Cells {
			if was.Final {
				continue
			}
			k := i % len(gateModels)
			worse := cells[i]
			worse.Current = changed(worse.Current, func(t, y float64) float64 { return y * math.Pow(t/100, 0.1) })
			rate.cells[k]++
			rate.stdErr[k] += was.StdErr
			if caughtAmong(before, i, mustGate(t, alone, []Cell{worse}).Cells[0]) {
				rate.caught[k]++
			}
		}
	}
	for k := range rate.stdErr {
		rate.stdErr[k] /= float64(rate.cells[k])
	}
	return rate
}

// caughtAmong tells whether the changed cell i is a regression among the others.
func caughtAmong(r Report, i int, c Change) bool {
	p := make([]float64, len(r.Cells))
	for k := range p {
		p[k] = r.Cells[k].P
	}
	p[i] = c.P
	return Holm(p)[i] <= 0.05 && c.Value > c.Margin
}

func mustGate(t testing.TB, g Gate, cells []Cell) Report {
	t.Helper()
	r, err := g.Compare(cells)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// thinned keeps four checkpoints a decade.
func thinned(c Curve) Curve {
	thin := Curve{Y: make([][]float64, len(c.Y))}
	for k := 0; k < len(c.T); k += 4 {
		thin.T = append(thin.T, c.T[k])
		for r, y := range c.Y {
			thin.Y[r] = append(thin.Y[r], y[k])
		}
	}
	return thin
}

// disturbed multiplies each replicate by a walk of 0.05 in log t.
func disturbed(rng *rand.Rand, c Curve) Curve {
	y := make([][]float64, len(c.Y))
	for r := range y {
		y[r] = make([]float64, len(c.T))
		geometric(rng, c.T, y[r], 0.05)
		for k := range y[r] {
			y[r][k] *= c.Y[r][k]
		}
	}
	return Curve{c.T, y}
}

func changed(c Curve, f func(t, y float64) float64) Curve {
	y := make([][]float64, len(c.Y))
	for r := range y {
		for k, t := range c.T {
			y[r] = append(y[r], f(t, c.Y[r][k]))
		}
	}
	return Curve{c.T, y}
}

// Whole runs of 24 cells with nothing changed but the seed raise an alarm in
// 5 % at most, and a shift of 0.1 in one cell is caught in 95 % where the
// standard error of the difference allows. docs/calibration.md has the rates
// of many more runs.
func TestGateRates(t *testing.T) {
	runs := 6
	if race.Enabled || testing.Short() {
		runs = 1
	}
	for _, paired := range []bool{false, true} {
		t.Run(fmt.Sprintf("paired=%v", paired), func(t *testing.T) {
			t.Parallel()
			rate := gating{paired, 20, 100}.measure(t, runs)
			if tooMany(rate.alarms, runs, 0.05) {
				t.Errorf("%d alarms in %d runs", rate.alarms, runs)
			}
			for k, m := range gateModels {
				n := rate.cells[k]
				if n > 0 && paired != (rate.stdErr[k] < 0.01) {
					t.Errorf("%s: standard error %v", m.name, rate.stdErr[k])
				}
				if n > 0 && rate.stdErr[k] < 0.017 && tooMany(n-rate.caught[k], n, 0.05) {
					t.Errorf("%s: %d of %d shifts caught at standard error %.4f", m.name, rate.caught[k], n, rate.stdErr[k])
				}
			}
		})
	}
}

// The outcomes, one by one.
func TestGate(t *testing.T) {
	ts := checkpoints(100, 10000)
	rng := rand.New(rand.NewPCG(43, 1))
	root := thinned(gateModels[0].draw(rng, ts, 20))
	level := func(v float64) Curve { return power(thinned(root).T, v, 1e-9, 20) }
	zero := changed(root, func(t, y float64) float64 { return 0 })
	raise := func(p float64) Curve {
		return changed(root, func(t, y float64) float64 { return y * math.Pow(t, p) * (1 + 0.01*rng.Float64()) })
	}
	regret := thinned(gateModels[5].draw(rng, ts, 20))
	tests := []struct {
		name               string
		reference, current Curve
		paired             bool
		want               Outcome
		final              bool
	}{
		{"unchanged, same seed", root, root, true, Pass, false},
		{"unchanged, another seed", thinned(gateModels[1].draw(rng, ts, 50)), thinned(gateModels[1].draw(rng, ts, 60)), false, Pass, false},
		{"all but unchanged", root, raise(1e-4), true, Pass, false},
		{"raised by less than the margin", root, raise(0.03), true, Pass, false},
		{"raised by a little more", root, raise(0.06), true, Regression, false},
		{"raised by 0.1, another seed", root, raise(0.1), false, Regression, false},
		{"lowered", root, raise(-0.2), true, Pass, false},
		{"another level", root, changed(root, func(t, y float64) float64 { return 10 * y }), true, Pass, false},
		{"too noisy", thinned(models[4].draw(rng, ts, 10)), thinned(models[4].draw(rng, ts, 10)), false, Inconclusive, false},
		{"zero as ever", zero, zero, true, Pass, true},
		{"zero as ever, not paired", zero, zero, false, Pass, true},
		{"no more zero", zero, root, true, Regression, true},
		{"no more zero, not paired", zero, root, false, Regression, true},
		{"zero now", root, zero, true, Pass, true},
		{"regret as ever", regret, thinned(gateModels[5].draw(rng, ts, 20)), false, Pass, true},
		{"regret now positive", regret, root, false, Regression, true},
		{"one replicate", Curve{root.T, root.Y[:1]}, Curve{root.T, root.Y[:1]}, true, Inconclusive, false},
	}
	var cells []Cell
	for _, test := range tests {
		cells = append(cells, Cell{test.name, test.reference, test.current, test.paired})
	}
	report := mustGate(t, Gate{}, cells)
	for i, test := range tests {
		if c := report.Cells[i]; c.Outcome != test.want || c.Final != test.final || c.Name != test.name {
			t.Errorf("%s: %+v, want %s", test.name, c, test.want)
		}
	}
	if report.Outcome != Regression {
		t.Errorf("the run is %s", report.Outcome)
	}
	if r := mustGate(t, Gate{}, cells[:4]); r.Outcome != Pass {
		t.Errorf("four cells that pass: %+v", r)
	}
	if r := mustGate(t, Gate{}, []Cell{cells[0], cells[8]}); r.Outcome != Inconclusive {
		t.Errorf("one cell too noisy: %+v", r)
	}
	if r := mustGate(t, Gate{Margin: 0.2}, cells[4:5]); r.Outcome != Pass {
		t.Errorf("margin 0.2: %+v", r)
	}
	if r := mustGate(t, Gate{}, nil); r.Outcome != Pass {
		t.Errorf("no cells: %+v", r)
	}
	// More checkpoints than the reference are no matter.
	whole := gateModels[0].draw(rng, ts, 20)
	if r := mustGate(t, Gate{}, []Cell{{"", thinned(whole), whole, true}}); r.Cells[0].Value != 0 || r.Outcome != Pass {
		t.Errorf("the same run on more checkpoints: %+v", r)
	}
	for what, c := range map[string]Cell{
		"fewer checkpoints": {"x", whole, thinned(whole), true},
		"no reference":      {"x", Curve{}, whole, true},
		"no current":        {"x", whole, Curve{}, true},
		"not pairs":         {"x", root, level(1), true},
	} {
		if what == "not pairs" {
			c.Current.Y = c.Current.Y[1:]
		}
		if _, err := (Gate{}).Compare([]Cell{c}); err == nil || !strings.HasPrefix(err.Error(), "x: stats: ") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	for _, bad := range []Gate{{Margin: -1}, {Margin: math.NaN()}, {Growth: Growth{Confidence: 2}}} {
		if _, err := bad.Compare(cells[:1]); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if _, err := (Gate{Growth: Growth{Window: Window{1e6, 1e7}}}).Compare(cells[:1]); err == nil {
		t.Error("an empty window is taken")
	}
}

// Welch's test by hand: means 3 and 4, squared standard errors 7/6 and 4/3, and
// so 2.5²/((7/6)²/3 + (4/3)²/2) degrees of freedom. And a difference of
// exponents without pairs is that of two fits, with the errors of both.
func TestTwoSample(t *testing.T) {
	a, _ := newLevel([]float64{1, 2, 3, 6})
	b, _ := newLevel([]float64{2, 4, 6})
	p := twoSample(-1, a, b, 0, 99, rand.NewPCG(1, 1))
	if !near(p.stdErr, math.Sqrt(2.5), 1e-12) || !near(p.degrees, 4.655172414, 1e-9) || p.samples() != 0 {
		t.Errorf("%+v", p)
	}
	rng := rand.New(rand.NewPCG(44, 1))
	ts := checkpoints(100, 10000)
	reference, current := models[4].draw(rng, ts, 30), models[4].draw(rng, ts, 20)
	f, g := mustFit(t, Growth{}, reference), mustFit(t, Growth{}, current)
	c := mustGate(t, Gate{}, []Cell{{"", reference, current, false}}).Cells[0]
	if !near(c.Value, g.Exponent-f.Exponent, 1e-12) || !near(c.StdErr, math.Hypot(f.StdErr, g.StdErr), 1e-12) {
		t.Errorf("%v ± %v, fits have %v ± %v and %v ± %v", c.Value, c.StdErr, g.Exponent, g.StdErr, f.Exponent, f.StdErr)
	}
}

// A cell alone is judged among many with more resamples, or Holm's level would
// be out of their reach.
func TestGateResamples(t *testing.T) {
	for cells, want := range map[int]int{0: 1999, 1: 1999, 24: 4799, 100: 19999} {
		g, err := (Gate{}).growth(cells)
		if err != nil || g.Resamples != want {
			t.Errorf("%d cells: %d resamples, want %d (%v)", cells, g.Resamples, want, err)
		}
	}
	if g, _ := (Gate{Growth: Growth{Resamples: 199}}).growth(100); g.Resamples != 199 {
		t.Errorf("%d resamples, want 199", g.Resamples)
	}
}
