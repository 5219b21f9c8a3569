package regression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/run"
	"ocobench/stats"
)

// Compare distinguishes curves that are the same, changed, suspicious, worse, gone or
// new.
func TestCompareTellsChangesApart(t *testing.T) {
	r := play(t, tiny, 1)
	ref := Take(r)
	compare := func(ref *Snapshot, r *run.Results) *Report {
		t.Helper()
		report, err := Compare(t.Context(), Take(r), ref)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	failed := func(report *Report, want, strict bool) {
		t.Helper()
		if report.Failed(false) != want || report.Failed(true) != strict {
			t.Errorf("failed %v, strict %v; want %v, %v", report.Failed(false), report.Failed(true), want,
				strict)
		}
	}
	expect := func(got *Report, answer stats.Answer, same, total, changed, gone, new int) {
		t.Helper()
		is := []int{got.Same, got.Total, len(got.Changes), len(got.Gone), len(got.New)}
		if got.Answer != answer || !slices.Equal(is, []int{same, total, changed, gone, new}) {
			t.Fatalf("got %s, with same, total, changed, gone and new curves %v, want %s, %v", got.Answer,
				is, answer, []int{same, total, changed, gone, new})
		}
	}
	got := compare(ref, r)
	expect(got, NoChange, 10, 10, 0, 0, 0)
	if !got.Paired || got.Experiment != "tiny" {
		t.Errorf("got paired %v, experiment %s, want pairs of tiny", got.Paired, got.Experiment)
	}
	failed(got, false, false)
	got.Broken = []BrokenBound{{"ogd", "iid", algorithms.RegretDomain, 100, 200, 3, 1.25}}
	failed(got, true, true)
	for _, name := range []string{"regret_domain", "ogd", "iid", "1.25", "t = 100", "replicate 3"} {
		if text := got.Broken[0].String(); !strings.Contains(text, name) {
			t.Errorf("a broken bound is %q, want that it names %q", text, name)
		}
	}

	// On another machine sums are rounded otherwise.
	for _, c := range []struct {
		relative float64
		want     stats.Answer
		same     int
		changed  int
	}{{2e-6, Rounding, 9, 0}, {2e-5, stats.Changed, 9, 1}} {
		was := *ref
		was.Curves = slices.Clone(ref.Curves)
		curve := &was.Curves[2]
		curve.Bits, curve.Y = "0", slices.Clone(curve.Y)
		curve.Y[1] = slices.Clone(curve.Y[1])
		last := len(curve.T) - 1
		curve.Y[1][last] += c.relative * slices.Max(curve.Y[1])
		got := compare(&was, r)
		expect(got, c.want, c.same, 10, c.changed, 0, 0)
		failed(got, false, c.want == stats.Changed)
	}

	// In the reference the hard violation of ogd on shrinking, where all replicates are alike, grew
	// by t^p less, and so did that of ogd on iid.
	for _, c := range []struct {
		p      float64
		want   stats.Answer
		failed bool
	}{{0.1, stats.Regression, true}, {-0.1, stats.Suspicious, true}, {0.01, stats.Changed, false}} {
		for _, k := range []int{7, 2} {
			was := *ref
			was.Curves = slices.Clone(ref.Curves)
			curve := &was.Curves[k]
			curve.Bits = "0"
			y := make([][]float64, len(curve.Y))
			for r, row := range curve.Y {
				for k, v := range row {
					y[r] = append(y[r], v*math.Pow(curve.T[k], -c.p))
				}
			}
			curve.Y = y
			got := compare(&was, r)
			expect(got, c.want, 9, 10, 1, 0, 0)
			failed(got, c.failed, true)
			if w := got.Changes[0]; w.Key() != curve.Key || !near(w.Change.Value, c.p, 1e-5) ||
				!near(w.Current.Value-w.Reference.Value, c.p, 1e-5) || w.Compared != "exponent" ||
				w.Answer != c.want || w.Open || w.MeanB.Defined() != w.MeanA.Defined() {
				t.Errorf("grown by t^%v: got %+v, %+v, want %v", c.p, w.Comparison, w.Growth, c.want)
			}
		}
	}

	// Another seed: the curves of a problem without randomness stay the same.
	got = compare(ref, play(t, tiny, 2))
	expect(got, stats.Changed, 5, 10, 5, 0, 0)
	if got.Paired || got.Changes[0].Paired || got.Changes[0].ReplicatesB != 6 {
		t.Errorf("another seed: got %+v, want 6 replicates that are not paired", got.Changes[0])
	}
	failed(got, false, true)

	half := *ref
	half.Curves = ref.Curves[:4]
	got = compare(&half, r)
	expect(got, stats.Changed, 4, 4, 0, 0, 6)
	failed(got, false, true)
	got = compare(ref, play(t, strings.Replace(tiny, "{use: iid}, ", "", 1), 1))
	expect(got, stats.Regression, 5, 5, 0, 5, 0)
	failed(got, true, true)
}

// An algorithm whose SPEC is written in another way is the same one, and so is one whose default
// has changed: its curves are compared and not gone.
func TestCompareFindsAlgorithmsByTheirParameters(t *testing.T) {
	ref := Take(play(t, tiny, 1))
	for name, change := range map[string]func(s *Snapshot){
		"another SPEC": func(s *Snapshot) {
			s.Algorithms[0].Spec = "ogd:step=1"
			for i := range s.Curves {
				if s.Curves[i].Algorithm == "ogd" {
					s.Curves[i].Algorithm = "ogd:step=1"
				}
			}
		},
		"another default": func(s *Snapshot) { s.Algorithms[0].Params = []byte(`{"step":7}`) },
	} {
		t.Run(name, func(t *testing.T) {
			was := *ref
			was.Algorithms, was.Curves = slices.Clone(ref.Algorithms), slices.Clone(ref.Curves)
			change(&was)
			report, err := Compare(t.Context(), ref, &was)
			if err != nil || report.Answer != NoChange || report.Total != 10 {
				t.Errorf("%s: got error %v, %+v, want no change of 10 curves", name, err, report)
			}
		})
	}
}

// The answers of testAll are those of a RegressionTest of all curves, for any number of processors,
// also where a curve is significant alone and not among all.
func TestAllCurvesAreOneRegressionTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	curve := func(p, noise float64) (c stats.Curve) {
		c.T = []float64{1, 3, 10, 30, 100}
		for range 6 {
			level := 1 + noise*rng.Float64()
			var y []float64
			for _, t := range c.T {
				y = append(y, level*math.Pow(t, p))
			}
			for k := range y {
				y[k] *= 1 + noise*rng.Float64()
			}
			c.Y = append(c.Y, y)
		}
		return c
	}
	var curves []stats.Rerun
	for i := range 30 {
		p := []float64{0.5, 0.5, 0.5, 0.6, 0.4}[i%5]
		curves = append(curves, stats.Rerun{Name: fmt.Sprint(i), Reference: curve(0.5, 0.3),
			Current: curve(p, 0.3), Paired: i%2 == 0})
	}
	want, err := stats.RegressionTest{Growth: growthOf(0.95)}.Compare(curves)
	if err != nil {
		t.Fatal(err)
	}
	alone := 0
	for _, n := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		seen := 0
		err := testAll(t.Context(), curves, 0.95, func(i int, got stats.Change) error {
			seen++
			if got != want.Changes[i] {
				t.Errorf("curve %d: %+v, want %+v", i, got, want.Changes[i])
			}
			if got.P <= 0.05 && got.Adjusted > 0.05 && math.Abs(got.Value) > got.Margin {
				alone++
			}
			return nil
		})
		if err != nil || seen != len(curves) {
			t.Errorf("got error %v and %d curves, want %d", err, seen, len(curves))
		}
	}
	if alone == 0 {
		t.Error("got no curve that is significant alone and not among all, want one")
	}
}

// near reports whether a is b up to the tolerance, which is relative where |b| > 1.
func near(a analysis.Number, b, tolerance float64) bool {
	return math.Abs(float64(a)-b) <= tolerance*max(1, math.Abs(b))
}
