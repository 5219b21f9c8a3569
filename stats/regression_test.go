package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// runModels are the models of a run of 24 curves: four of each.
var runModels = []planted{
	times("√t × lognormal level and noise", math.Sqrt, lognormal),
	times("t^¾ × geometric walk of 0.1", powerOf(0.75), walkOf("", 0.1).draw),
	times("√t × geometric walk of 0.2", math.Sqrt, walkOf("", 0.2).draw),
	times("log t × lognormal level and noise", math.Log, lognormal),
	times("level × lognormal level and noise", func(float64) float64 { return 5 }, lognormal),
	ofWalk("−t + walk", func(t float64) float64 { return -t }, nil),
}

// A runKind is a way to repeat a run.
type runKind struct {
	paired     bool
	replicates int
	from       float64 // the first of the checkpoints
}

// A runRate is how often a RegressionTest was right in runs of 24 curves.
type runRate struct {
	runKind
	runs, alarms, passes int   // alarms are regressions and suspicious runs; passes have no open curve
	caught, fell, curves []int // by model: exponents raised, and lowered, by 0.1 one at a time
	stdErr               []float64
}

// measure draws runs in which only the seed has changed. In each of them it then
// raises the exponents by 0.1, and lowers them, one at a time. With pairs a curve is compared with
// the same replicates, disturbed.
func (g runKind) measure(t testing.TB, runs int) runRate {
	ts := checkpoints(g.from, 10000)
	rng := rand.New(rand.NewPCG(41, uint64(g.replicates)))
	test := RegressionTest{Growth: Growth{Window: Window{From: g.from}}}
	alone := test
	alone.Growth.Resamples = 4799 // as among 24
	rate := runRate{runKind: g, caught: make([]int, len(runModels)), fell: make([]int, len(runModels)),
		curves: make([]int, len(runModels)), stdErr: make([]float64, len(runModels))}
	for range runs {
		var curves []Rerun
		for i := range 24 {
			m := runModels[i%len(runModels)]
			reference := thinned(m.draw(rng, ts, g.replicates))
			current := thinned(m.draw(rng, ts, g.replicates))
			if g.paired {
				current = disturbed(rng, reference)
			}
			curves = append(curves, Rerun{Name: fmt.Sprint(m.name, i), Reference: reference,
				Current: current, Paired: g.paired})
		}
		before := mustTest(t, test, curves)
		rate.runs++
		switch {
		case before.Answer != Changed:
			rate.alarms++
		case !slices.ContainsFunc(before.Changes, func(c Change) bool { return c.Open }):
			rate.passes++
		}
		for i, was := range before.Changes {
			if was.Final {
				continue
			}
			k := i % len(runModels)
			rate.curves[k]++
			rate.stdErr[k] += was.StdErr
			shifted := func(p float64) Change {
				c := curves[i]
				c.Current = changed(c.Current, func(t, y float64) float64 { return y * math.Pow(t/100, p) })
				return mustTest(t, alone, []Rerun{c}).Changes[0]
			}
			if c := shifted(0.1); adjustedAmong(before, i, c) <= 0.05 && c.Value > c.Margin {
				rate.caught[k]++
			}
			if c := shifted(-0.1); adjustedAmong(before, i, c) <= 0.05 && c.Value < -c.Margin {
				rate.fell[k]++
			}
		}
	}
	for k := range rate.stdErr {
		rate.stdErr[k] /= float64(rate.curves[k])
	}
	return rate
}

// adjustedAmong is the adjusted p-value of the changed curve i among the others.
func adjustedAmong(r Report, i int, c Change) float64 {
	p := make([]float64, len(r.Changes))
	for k := range p {
		p[k] = r.Changes[k].P
	}
	p[i] = c.P
	return Holm(p)[i]
}

func mustTest(t testing.TB, test RegressionTest, curves []Rerun) Report {
	t.Helper()
	r, err := test.Compare(curves)
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

// The outcomes, one by one.
func TestRegressionAnswersByCase(t *testing.T) {
	ts := checkpoints(100, 10000)
	rng := rand.New(rand.NewPCG(43, 1))
	root := thinned(runModels[0].draw(rng, ts, 20))
	level := func(v float64) Curve { return power(thinned(root).T, v, 1e-9, 20) }
	zero := changed(root, func(t, y float64) float64 { return 0 })
	raise := func(p float64) Curve {
		return changed(root, func(t, y float64) float64 {
			return y * math.Pow(t, p) * (1 + 0.01*rng.Float64())
		})
	}
	regret := thinned(runModels[5].draw(rng, ts, 20))
	tests := []struct {
		name               string
		reference, current Curve
		paired             bool
		want               string // the answer, and whether it is open
		final              bool
	}{
		{"unchanged, same seed", root, root, true, "changed", false},
		{"unchanged, another seed", thinned(runModels[1].draw(rng, ts, 50)),
			thinned(runModels[1].draw(rng, ts, 60)), false, "changed", false},
		{"all but unchanged", root, raise(1e-4), true, "changed", false},
		{"raised by less than the margin", root, raise(0.03), true, "changed", false},
		{"raised by a little more", root, raise(0.06), true, "regression", false},
		{"raised by 0.1, another seed", root, raise(0.1), false, "regression", false},
		{"lowered by less than the margin", root, raise(-0.03), true, "changed", false},
		{"lowered by a little more", root, raise(-0.06), true, "suspicious", false},
		{"lowered by 0.1, another seed", root, raise(-0.1), false, "suspicious", false},
		{"lowered", root, raise(-0.2), true, "suspicious", false},
		{"another level", root, changed(root, func(t, y float64) float64 { return 10 * y }), true,
			"changed", false},
		{"too noisy", thinned(models[4].draw(rng, ts, 10)), thinned(models[4].draw(rng, ts, 10)), false,
			"changed, open", false},
		{"zero as ever", zero, zero, true, "changed", true},
		{"zero as ever, not paired", zero, zero, false, "changed", true},
		{"no more zero", zero, root, true, "regression", true},
		{"no more zero, not paired", zero, root, false, "regression", true},
		{"zero now", root, zero, true, "suspicious", true},
		{"zero now, not paired", root, zero, false, "suspicious", true},
		{"regret as ever", regret, thinned(runModels[5].draw(rng, ts, 20)), false, "changed", true},
		{"regret now positive", regret, root, false, "regression", true},
		{"regret now negative", root, regret, false, "suspicious", true},
		{"one replicate", Curve{root.T, root.Y[:1]}, Curve{root.T, root.Y[:1]}, true, "changed, open",
			false},
	}
	var curves []Rerun
	for _, test := range tests {
		curves = append(curves, Rerun{test.name, test.reference, test.current, test.paired})
	}
	report := mustTest(t, RegressionTest{}, curves)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := report.Changes[i]
			got := string(c.Answer)
			if c.Open {
				got += ", open"
			}
			if got != test.want || c.Final != test.final || c.Name != test.name {
				t.Errorf("%+v, want %s by final values: %v", c, test.want, test.final)
			}
		})
	}
	named := func(name string) Rerun {
		return curves[slices.IndexFunc(curves, func(c Rerun) bool { return c.Name == name })]
	}
	same, up, down := named("unchanged, same seed"), named("raised by a little more"),
		named("lowered by a little more")
	for _, c := range []struct {
		test   RegressionTest
		curves []Rerun
		want   Answer
	}{
		{RegressionTest{}, curves, Regression},
		{RegressionTest{}, []Rerun{up, same, down}, Regression},
		{RegressionTest{}, []Rerun{down, up}, Regression},
		{RegressionTest{}, []Rerun{same, down}, Suspicious},
		{RegressionTest{}, []Rerun{same, named("too noisy")}, Changed},
		{RegressionTest{Margin: 0.2}, []Rerun{up, down}, Changed},
		{RegressionTest{}, nil, Changed},
	} {
		if r := mustTest(t, c.test, c.curves); r.Answer != c.want {
			t.Errorf("%+v, want %s", r, c.want)
		}
	}
	// The current curve may have more checkpoints than the reference.
	whole := runModels[0].draw(rng, ts, 20)
	if r := mustTest(t, RegressionTest{},
		[]Rerun{{"", thinned(whole), whole, true}}); r.Changes[0].Value != 0 || r.Answer != Changed ||
		r.Changes[0].Open {
		t.Errorf("the same run on more checkpoints: %+v, want no change", r)
	}
	for what, c := range map[string]Rerun{
		"fewer checkpoints": {"x", whole, thinned(whole), true},
		"no reference":      {"x", Curve{}, whole, true},
		"no current":        {"x", whole, Curve{}, true},
		"not pairs":         {"x", root, level(1), true},
	} {
		t.Run(what, func(t *testing.T) {
			if what == "not pairs" {
				c.Current.Y = c.Current.Y[1:]
			}
			if _, err := (RegressionTest{}).Compare([]Rerun{c}); err == nil ||
				!strings.HasPrefix(err.Error(), "x: stats: ") {
				t.Errorf("got error %v, want one that begins with x: stats:", err)
			}
		})
	}
	late := Curve{T: append(slices.Clone(root.T), 20000)}
	for _, y := range root.Y {
		late.Y = append(late.Y, append(slices.Clone(y), math.NaN()))
	}
	if _, err := (RegressionTest{}).Compare([]Rerun{{"x", root, late, true}}); err == nil {
		t.Error("NaN after the last checkpoint of the reference is taken, want an error")
	}
	for _, bad := range []RegressionTest{
		{Margin: -1}, {Margin: math.NaN()}, {Growth: Growth{Confidence: 2}},
	} {
		if _, err := bad.Compare(curves[:1]); err == nil {
			t.Errorf("%+v is taken, want an error", bad)
		}
	}
	if _, err := (RegressionTest{Growth: Growth{Window: Window{1e6, 1e7}}}).Compare(
		curves[:1]); err == nil {
		t.Error("an empty window is taken, want an error")
	}
}

// Among many curves a p-value is from as many resamples as Holm's correction
// requires, if it is small. With fewer it could not be as small as that.
func TestSmallPValuesHaveEnoughResamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 1))
	root := thinned(runModels[0].draw(rng, checkpoints(100, 10000), 20))
	worse := changed(root, func(t, y float64) float64 {
		return y * math.Pow(t, 0.1) * (1 + 0.01*rng.Float64())
	})
	alike := changed(root, func(t, y float64) float64 { return y * (1 + 0.01*rng.Float64()) })
	family := func(size int) []Rerun {
		return append(slices.Repeat([]Rerun{{"alike", root, alike, true}}, size-1),
			Rerun{"worse", root, worse, true})
	}
	for size, resamples := range map[int]int{1: 1999, 10: 1999, 24: 4799, 100: 19999} {
		changes := mustTest(t, RegressionTest{}, family(size)).Changes
		if got, want := changes[size-1].P, 2/float64(resamples+1); got != want ||
			changes[size-1].Answer != Regression {
			t.Errorf("%d curves: %+v, want p = %v", size, changes[size-1], want)
		}
		alone := mustTest(t, RegressionTest{Growth: Growth{Resamples: 1999}}, family(2)).Changes
		if size > 1 && (changes[0].P != alone[0].P || changes[0].P <= 0.05) {
			t.Errorf("%d curves: p = %v without a change, want %v", size, changes[0].P, alone[0].P)
		}
	}
	chosen := mustTest(t, RegressionTest{Growth: Growth{Resamples: 199}}, family(100)).Changes[99]
	if chosen.P != 2.0/200 || chosen.Answer != Changed {
		t.Errorf("199 resamples: %+v, want p = 2/200 and no regression", chosen)
	}
}

// A change of the size that is announced is detected in eight of ten runs or more, also with skewed
// replicates, and a quarter of it in few.
func TestAnnouncedChangeIsDetectedInEightOfTenRuns(t *testing.T) {
	const runs, among = 100, 6
	ts := checkpoints(100, 10000)
	test := RegressionTest{Growth: Growth{Resamples: 1199}}
	for i, m := range runModels {
		for _, replicates := range []int{10, 30} {
			t.Run(fmt.Sprintf("%s, %d replicates", m.name, replicates), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(47, uint64(i)))
				announced, quarter := 0, 0
				for range runs {
					reference := thinned(m.draw(rng, ts, replicates))
					current := thinned(m.draw(rng, ts, replicates))
					s, err := test.Sensitivity(reference, among, 0.8)
					if err != nil {
						t.Fatal(err)
					}
					size := math.Abs(reference.FinalMean())
					detects := func(change float64) int {
						c := changed(current, func(t, y float64) float64 {
							if s.Final {
								return y + change*size
							}
							return y * math.Pow(t/100, change)
						})
						r := mustTest(t, test, []Rerun{{Reference: reference, Current: c}}).Changes[0]
						if r.P*among <= 0.05 && r.Value > r.Margin {
							return 1
						}
						return 0
					}
					announced += detects(s.Change)
					quarter += detects(s.Change / 4)
				}
				if announced < 72 || announced > 98 || quarter > 20 {
					t.Errorf("the announced change is detected in %d of %d runs and a quarter of it in %d, want "+
						"80 or a few more, and few", announced, runs, quarter)
				}
			})
		}
	}
}

// Of the final values 0, 2, 4 the mean is 2 and the squared standard error 4/3. The difference of
// two such samples has 8/3, with four degrees of freedom. It is known from three replicates: the
// factor is √(2/χ²), and −2 log 0.8 is the quantile of χ² with two degrees at 0.2. Replicates that
// are alike need the margin.
func TestSensitivityByHand(t *testing.T) {
	among := func(curves int) float64 {
		stdErr := math.Sqrt(8./3) / math.Sqrt(-math.Log(0.8))
		critical := studentQuantile(4, 1-0.05/float64(2*curves)) * stdErr
		return (critical + studentQuantile(4, 0.8)*stdErr) / 2
	}
	ends := Curve{T: []float64{1, 10}, Y: [][]float64{{0, 0}, {0, 2}, {0, 4}}}
	for _, c := range []struct {
		name      string
		reference Curve
		curves    int
		want      float64
	}{
		{"one curve", ends, 1, among(1)}, {"six curves", ends, 6, among(6)},
		{"alike", power(checkpoints(1, 100), 3, 0.5, 10), 6, DefaultTolerance},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := RegressionTest{}.Sensitivity(c.reference, c.curves, 0.8)
			if err != nil || !near(s.Change, c.want, 1e-8) || s.Final != (len(c.reference.T) == 2) {
				t.Errorf("%+v, %v, want the change %v", s, err, c.want)
			}
		})
	}
}
