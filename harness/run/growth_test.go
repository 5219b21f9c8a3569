package run

import (
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/harnesstest"
	"ocobench/problems"
	"ocobench/stats"
)

// On [−1, 1] the learner rest stays at 0, and the loss of round t is x + t, so that
// the loss of T rounds is T(T+1)/2: 10 after 4, 36 after 8 and 136 after 16. Across
// horizons the growth is that of these last values; along t it is that of all
// checkpoints of the last horizon.
func TestGrowthAcrossHorizonsIsOfLastValues(t *testing.T) {
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("rest", harnesstest.Still)},
		Problems: []problems.Problem{harnesstest.Problem("rising", harnesstest.LineRounds(1, func(t int) convex.Round {
			return convex.Round{Loss: harnesstest.Affine(1, float64(t)), Constraints: []convex.Func{harnesstest.Affine(1, -1)}}
		}))},
	}
	r, _ := runAndLoad(t, newPlan(t, c, "name: rising\nhorizon: [4, 8, 16]\nreplicates: 2\nproblems: "+
		"[{use: rising}]\nalgorithms: [{use: rest}]"))
	told := experiment.Entry{Spec: "rest"}
	curves, _, design := r.GrowthCurves("rising", game.MetricLoss, told)
	want := []float64{10, 36, 136}
	if design != stats.AcrossT || !slices.Equal(curves[0].T, []float64{4, 8, 16}) {
		t.Fatalf("got growth %s at %v, want %s at the horizons 4, 8, 16", design,
			curves[0].T, stats.AcrossT)
	}
	for _, y := range curves[0].Y {
		if !slices.Equal(y, want) {
			t.Errorf("across horizons the losses are %v, want %v", y, want)
		}
	}
	if len(curves[0].Y) != 2 {
		t.Errorf("%d replicates, want 2", len(curves[0].Y))
	}
	anytime := experiment.Entry{Spec: "rest", Anytime: true}
	curves, _, design = r.GrowthCurves("rising", game.MetricLoss, anytime)
	at := toFloats(game.Checkpoints(16))
	if design != stats.AlongT || !slices.Equal(curves[0].T, at) {
		t.Fatalf("got growth %s at %v, want %s at the checkpoints", design, curves[0].T, stats.AlongT)
	}
	for k, v := range curves[0].Y[0] {
		if want := at[k] * (at[k] + 1) / 2; v != want {
			t.Errorf("the loss at %v is %v, want %v", at[k], v, want)
		}
	}
	// One of the two needs the horizon, and both are followed across horizons.
	curves, _, design = r.GrowthCurves("rising", game.MetricLoss, anytime, told)
	if design != stats.AcrossT || len(curves) != 2 || !slices.Equal(curves[0].Y[0], want) ||
		!slices.Equal(curves[1].Y[1], want) {
		t.Errorf("of two: got %s, %+v, want %s, and both through %v", design, curves, stats.AcrossT, want)
	}
}
