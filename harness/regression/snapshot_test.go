package regression

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/run/runtest"
	"ocobench/problems"
	"ocobench/stats"
)

var all = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

const tiny = "name: tiny\nhorizon: 200\nreplicates: 6\n" +
	"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: guo}]\n"

// play plays an experiment with this seed, and fails the test on an error.
func play(t testing.TB, source string, seed uint64) *run.Results {
	t.Helper()
	x, err := spec.Parse("x.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	x.Seed = seed
	return runtest.Play(t, t.TempDir(), all, x)
}

// A snapshot keeps every fifth checkpoint of the window, counted backwards from
// the last one, with six digits and without rounding errors.
func TestTakeKeepsEveryFifthCheckpointWithSixDigits(t *testing.T) {
	r := play(t, tiny, 1)
	curves := Take(r).Curves
	var keys []string
	for _, c := range curves {
		keys = append(keys, c.String())
	}
	want := []string{
		"regret_xmin of ogd on iid", "violation_soft of ogd on iid", "violation_hard of ogd on iid",
		"regret_xmin of guo on iid", "violation_hard of guo on iid",
		"regret_xmin of ogd on shrinking", "violation_soft of ogd on shrinking",
		"violation_hard of ogd on shrinking",
		"regret_xmin of guo on shrinking", "violation_hard of guo on shrinking",
	}
	if !slices.Equal(keys, want) {
		t.Fatalf("got curves %q, want %q", keys, want)
	}
	// Checkpoints are round(10^(k/16)), each once, and 200. Every fifth of those
	// from 2 to 200 is kept, counted backwards from 200. The checkpoint before 200
	// has k = 36, so k = 32, 27, 22, 17 are kept. Before 12 come 10, 9, 7, 6 and 5,
	// and before 5 only 4, 3 and 2.
	at := []float64{5, 12, 24, 49, 100, 200}
	if got := curves[0].T; !slices.Equal(got, at) {
		t.Errorf("checkpoints %v, want %v", got, at)
	}
	hard := r.Curve("ogd", "iid", "violation_hard")
	ts, y := hard.T, hard.Y
	for i, row := range curves[2].Y {
		for k, v := range row {
			whole := y[i][slices.Index(ts, at[k])]
			if math.Abs(v-whole) > 5.1e-6*math.Abs(whole) ||
				fmt.Sprintf("%.6g", v) != fmt.Sprintf("%.6g", whole) {
				t.Errorf("replicate %d at %v: got %v, want %v to six digits", i+1, at[k], v, whole)
			}
		}
	}
	if slices.Equal(y[0], y[1]) || curves[2].Bits == curves[1].Bits {
		t.Error("got replicates or metrics that are alike, want others")
	}
	for _, c := range []struct{ v, want float64 }{
		{1.23456789e-7, 1.23457e-7}, {0, 0}, {-123456.7, -123457}, {math.Copysign(0, -1), 0},
	} {
		if got := sixDigits(c.v); got != c.want || math.Signbit(got) != (c.want < 0) {
			t.Errorf("round(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}

// An algorithm that needs the horizon has curves along t and, with three horizons,
// across them. Any other has curves along t only.
func TestCurvesAcrossHorizonsNeedTheHorizon(t *testing.T) {
	source := func(horizons string) string {
		return "name: across\nhorizon: " + horizons +
			"\nreplicates: 2\nproblems: [{use: shrinking}]\nalgorithms: [{use: ogd}, {use: mahdavi}]"
	}
	count := make(map[string]int)
	bits := make(map[Key]string)
	for _, c := range Take(play(t, source("[20, 40, 80, 160]"), 1)).Curves {
		count[c.Algorithm+" "+string(c.Design)]++
		bits[c.Key] = c.Bits
		if across := slices.Equal(c.T,
			[]float64{20, 40, 80, 160}); across != (c.Design == stats.AcrossT) ||
			!across && len(c.T) < 5 {
			t.Errorf("%s: got checkpoints %v, want four horizons exactly if it is across them", c.Key, c.T)
		}
	}
	if want := map[string]int{"ogd along-t": 3, "mahdavi along-t": 3,
		"mahdavi across-T": 3}; !maps.Equal(count, want) {
		t.Errorf("curves %v, want %v", count, want)
	}
	// Curves along t are those of the last horizon, whatever the others are.
	one := Take(play(t, source("160"), 1)).Curves
	for _, c := range one {
		if c.Design != stats.AlongT || c.Bits != bits[c.Key] {
			t.Errorf("%s: got other bits with one horizon, want the same", c.Key)
		}
	}
	if len(one) != 6 {
		t.Errorf("%d curves, want 6", len(one))
	}
}

// The digest of a curve is that of its checkpoints and of all its values.
func TestDigestDependsOnEveryBit(t *testing.T) {
	c := stats.Curve{T: []float64{1, 2}, Y: [][]float64{{3, 4}, {5, 6}}}
	if got := digestCurve(stats.Curve{T: []float64{1, 2}, Y: [][]float64{{3, 4}, {5,
		6}}}); got != digestCurve(
		c) {
		t.Error("equal curves: got two digests, want one")
	}
	for what, other := range map[string]stats.Curve{
		"a checkpoint":        {T: []float64{1, 3}, Y: c.Y},
		"the last bit":        {T: c.T, Y: [][]float64{{3, 4}, {5, math.Nextafter(6, 7)}}},
		"the order":           {T: c.T, Y: [][]float64{{5, 6}, {3, 4}}},
		"a replicate less":    {T: c.T, Y: c.Y[:1]},
		"the sign of a value": {T: c.T, Y: [][]float64{{-3, 4}, {5, 6}}},
	} {
		t.Run(what, func(t *testing.T) {
			if digestCurve(other) == digestCurve(c) {
				t.Errorf("another %s: got the same digest, want another", what)
			}
		})
	}
}
