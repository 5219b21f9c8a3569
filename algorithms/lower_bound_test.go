package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/problems"
)

// violationOn plays a learner of the registry for T rounds on the problem
// vaze-sinha and returns Σ g_t(x_t), Σ [g_t(x_t)]₊ and the action after.
func violationOn(t *testing.T, name string, p problems.VazeSinhaParams, T int) (soft, hard,
	last float64) {
	t.Helper()
	s := stream(t, "vaze-sinha", p, 1)
	setup := algorithms.Setup{Set: s.Set(), Constraints: 1, Facts: s.Facts()}
	if !entry(t, name).Anytime {
		setup.Horizon = T
	}
	l, x := newLearner(t, name, nil, setup), make([]float64, 1)
	for i := 1; i <= T; i++ {
		l.Act(x)
		r := s.Reveal(i, x)
		v := r.Constraints[0].Value(x)
		soft += v
		hard += max(0, v)
		if err := l.Observe(x, *r); err != nil {
			t.Fatal(err)
		}
	}
	l.Act(x)
	return soft, hard, x[0]
}

// TestVazeSinhaLowerBound: on one fixed loss and constraint, sinha-vaze violates
// linearly until its queue holds log(2c/λ)/λ, and by no less than that from
// there on, which is 4GΔ√T·log(4c√T) for λ = 1/(2√T); nested projections
// violate once.
func TestVazeSinhaLowerBound(t *testing.T) {
	for _, c := range []struct {
		p      problems.VazeSinhaParams
		T      int
		linear bool
	}{
		{problems.VazeSinhaParams{A: 4, C: 1}, 10000, true},
		{problems.VazeSinhaParams{A: 4, C: 0.25}, 10000, true},
		{problems.VazeSinhaParams{A: 4, C: 0.25}, 40000, false},
		{problems.VazeSinhaParams{A: 4, C: 0.25}, 640000, false},
		{problems.VazeSinhaParams{A: 6, C: 0.25}, 640000, false},
	} {
		root := math.Sqrt(float64(c.T))
		unit := 4 * max(1, 2*c.p.C*c.p.A) * (c.p.A - 1) * root // 4GΔ√T
		all, least, most := (c.p.A/2-1)*float64(c.T), unit*math.Log(4*c.p.C*root),
			unit*math.Log(2*(1+2*float64(c.T)))
		if c.linear != (all < least) {
			t.Fatalf("%+v, T=%d: violating throughout is %v, the bound %v", c.p, c.T, all, least)
		}
		_, hard, _ := violationOn(t, "sinha-vaze", c.p, c.T)
		t.Logf("%+v, T=%d: %.6g of %.6g, from %.6g to %.6g", c.p, c.T, hard, all, least, most)
		if c.linear && hard != all || !c.linear && !(hard >= least && hard <= most) {
			t.Errorf("%+v, T=%d: the violation is %v of %v, want from %v to %v", c.p, c.T, hard, all, least,
				most)
		}
		if _, hard, _ := violationOn(t, "vaze-sinha", c.p, 1000); hard > c.p.A/2-1 {
			t.Errorf("%+v: nested projections violate by %v", c.p, hard)
		}
	}
}

// TestDriftPlusPenaltyOnVazeSinha: the queue comes to V·ca, the multiplier of the
// constraint times V, and as it is fed with the constraint at the next action,
//
//	Σ_t g(x_t) = Q_{T+1} + g(x_1) − g(x_{T+1}) = √T·ca + a/2 − 1.
func TestDriftPlusPenaltyOnVazeSinha(t *testing.T) {
	for _, name := range []string{"neely-yu", "yu-neely-wei"} {
		for _, p := range []problems.VazeSinhaParams{{A: 4, C: 1}, {A: 3, C: 5}} {
			for _, T := range []int{100000, 1000000} {
				soft, _, last := violationOn(t, name, p, T)
				want := math.Sqrt(float64(T))*p.C*p.A + p.A/2 - 1
				if math.Abs(soft-want) > 0.01*want || math.Abs(last-p.A/2) > 0.01 {
					t.Errorf("%s on %+v, T=%d: the soft violation is %v at %v, want %v", name, p, T, soft, last,
						want)
				}
			}
		}
	}
}
