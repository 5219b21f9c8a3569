package game

import (
	"context"
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/race"
)

// stageEnds is the observer of mannor that solves hindsight at the ends of
// stages B: after as many rounds of column 1 as of column 2.
type stageEnds struct {
	*Hindsight
	t      *testing.T
	second int
	loss   float64
	solved int // the last end solved at
	ends   int
	least  float64 // the least regret/t against X^max there
}

func (o *stageEnds) Round(t int, x []float64, r *convex.Round) error {
	if err := o.Hindsight.Round(t, x, r); err != nil {
		return err
	}
	o.loss += r.Loss.Value(x)
	stageB := r.Constraints[0].Value([]float64{1}) == -1
	if !stageB {
		o.second++
	}
	if !stageB || 2*o.second != t {
		return nil
	}
	o.ends++
	if t < o.solved+o.solved/10 {
		return nil
	}
	o.solved = t
	bests, err := o.Solve()
	if err != nil {
		return err
	}
	n := float64(t)
	xhat, xmax := bests[1], bests[2]
	if xmax.Action[0] != 1 || xmax.Value != -n {
		o.t.Errorf("t=%d: at the end of a stage B the best of X^max is %v with the value %v, want 1 "+
			"and %v", t, xmax.Action, xmax.Value, -n)
	}
	if xhat.Action[0] != 0.5 || xhat.Value != -n/4 {
		o.t.Errorf("t=%d: the best of X̂^max is %v with the value %v, want ½ and %v", t, xhat.Action,
			xhat.Value, -n/4)
	}
	if t >= 1000 {
		o.least = min(o.least, (o.loss-xmax.Value)/n)
	}
	return nil
}

// No learner has both regret o(t) against X^max and violation o(t) on mannor:
// at the end of every stage B regret is at least (t−1)/4, and without such ends
// violation is linear. Of those that see many ends, learners that look at the
// averages of the constraints follow them into ever longer stages A, so that
// their violation swings up to a share of t as well.
func TestMannorStagesMakeAveragersViolateLinearly(t *testing.T) {
	const T = 20000
	for name, most := range map[string]float64{ // of violation/T
		"primal-dual": 0.02, "neely-yu": 0.02, "yi-2020": 0.02, "guo": 0.02, "castiglioni": 0.02,
		"coldq": 0.02, "vaze-sinha": 0.02,
		"penalised-ftrl": 0.2, "primal-dual-average": 0.2, "ogd": 1,
	} {
		s := harnesstest.Start(t, "mannor")
		l := harnesstest.StartLearner(t, name, s, T)
		o := &stageEnds{Hindsight: NewHindsight(s), t: t, least: math.Inf(1)}
		tr := newTraceRecorder(l, 1, 1, Checkpoints(T))
		if err := Play(context.Background(), l, s, T, o, tr); err != nil {
			t.Fatal(err)
		}
		soft := NewTable(tr.Kept()).Column(string(algorithms.SoftViolation))
		violation := soft[len(soft)-1] / T
		if o.least < 0.25-1./1000 || violation > most {
			t.Errorf("%s: %d stages B end, regret/t there is at least %.4f and violation/T is %.4f", name,
				o.ends, o.least, violation)
		}
		if escaped := o.ends < 5; escaped != (name == "ogd") || escaped && violation < 0.49 { // 2θ−1
			t.Errorf("%s: %d stages B end, and violation/T is %.4f", name, o.ends, violation)
		}
	}
}

// The table of soft-gap, as an independent program printed it: with the loss
// as it is and R_τ = √τx², Penalised FTRL's soft violation is linear while its
// penalty violation stays bounded, whatever γ.
func TestSoftGapMatchesIndependentTable(t *testing.T) {
	race.Alone(t)
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
