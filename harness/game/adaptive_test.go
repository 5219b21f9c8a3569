package game

import (
	"context"
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/harnesstest"
	"ocobench/internal/race"
)

// The table of soft-gap, as an independent program printed it: with the loss
// as it is and R_τ = √τx², Penalised FTRL's soft violation is linear while its
// penalty violation stays bounded, whatever γ.
func TestSoftGapMatchesIndependentTable(t *testing.T) {
	race.SkipSequential(t)
	const T = 40000
	for _, want := range []struct {
		gamma                 string
		soft, penalty, regret float64
	}{
		{"0", 8003, 0.59, 232},
		{"1", 7443, 0.28, 225},
		{"5", 6181, 0.21, 214},
		{"25", 3794, 0.21, 201},
	} {
		s := harnesstest.Start(t, "soft-gap")
		l := harnesstest.StartLearner(t, "penalised-ftrl:gamma="+want.gamma, s, T)
		h := &hindsightRecorder{Hindsight: NewHindsight(s), checkpoints: checkpoints{Checkpoints(T)}}
		tr := newTraceRecorder(l, 1, 1, Checkpoints(T))
		if err := Play(context.Background(), l, s, T, h, tr); err != nil {
			t.Fatal(err)
		}
		g := &Game{Trace: NewTable(tr.Kept()), Hindsight: NewTable(hindsightColumns(Sets, 1), h.rows)}
		last := func(metric algorithms.Metric) float64 {
			v := g.Metric(metric)
			return v[len(v)-1]
		}
		if soft, regret := last(algorithms.SoftViolation), last("regret_xmax"); math.Round(
			soft) != want.soft || math.Round(regret) != want.regret {
			t.Errorf("γ=%s: soft violation %.2f and regret %.2f, want %v and %v", want.gamma, soft, regret,
				want.soft, want.regret)
		}
		if penalty := last(algorithms.PenaltyViolation); math.Abs(penalty-want.penalty) > 0.005 {
			t.Errorf("γ=%s: penalty violation %.4f, want %v", want.gamma, penalty, want.penalty)
		}
		// Linear the one, in the last nine tenths, and the other unchanged.
		soft, penalty := g.Metric(algorithms.SoftViolation), g.Metric(algorithms.PenaltyViolation)
		k := slices.IndexFunc(tr.rows, func(row []float64) bool { return row[0] >= 4000 })
		// it swings a little
		if grew, tenfold := last(algorithms.SoftViolation)/soft[k], T/g.T()[k]; grew < 0.95*tenfold {
			t.Errorf("γ=%s: the soft violation grew %.2f-fold in the last rounds, t %.2f-fold", want.gamma,
				grew, tenfold)
		}
		if penalty[k] != last(algorithms.PenaltyViolation) {
			t.Errorf("γ=%s: in the last nine tenths the penalty violation grew from %v to %v", want.gamma,
				penalty[k], last(algorithms.PenaltyViolation))
		}
	}
}
