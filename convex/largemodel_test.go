package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/sqp"
	"ocobench/convex/vec"
)

// largeFrom runs f with what large models have from n dimensions on.
func largeFrom(n int, f func()) {
	defer func(n int) { sqp.Sizes.LargeModel = n }(sqp.Sizes.LargeModel)
	sqp.Sizes.LargeModel = n
	f()
}

// leaderGame is a sequence of programs as those of a learner that follows the regularised leader
// over logistic losses, under ‖x‖₁ + ½‖x‖² ≤ ρ. Sometimes losses begin anew, and a row is added.
type leaderGame struct {
	set      Set
	rho, l2  float64
	seed     uint64
	rows     bool
	changing bool
}

func newLeaderGame(seed uint64) leaderGame {
	r := rand.New(rand.NewPCG(41, seed))
	n := 2 + r.IntN(6)
	g := leaderGame{seed: seed, rho: math.Ldexp(1, r.IntN(8)-4), l2: float64(r.IntN(2)) * r.Float64(),
		rows: r.IntN(3) == 0, changing: r.IntN(3) == 0, set: Cube(n, -2, 2)}
	if r.IntN(2) == 0 {
		g.set, _ = NewBall(make([]float64, n), math.Sqrt(1+2*g.rho)-1)
	}
	return g
}

// play returns the certificates and the points.
func (g leaderGame) play(t *testing.T) (certs []Cert, points [][]float64) {
	r := rand.New(rand.NewPCG(42, g.seed))
	n := g.set.Dim()
	p := NewProgram(g.set)
	net := Lower(NewBasis(&ElasticNet{L1: 1, L2: 1, Offset: -g.rho}), n)
	p.Constrain(net)
	losses, x := NewForm(n), make([]float64, n)
	direction := make([]float64, n)
	for i := range direction {
		direction[i] = r.NormFloat64()
	}
	for round := range 15 {
		if g.changing && round%5 == 4 {
			losses.Reset()
		}
		a := make([]float64, n)
		for i := range a {
			a[i] = r.NormFloat64() - direction[i]
		}
		NewBasis(&Ridge{Curve: Softplus{}, Weight: 1, A: a}).AddTo(losses, 1)
		if g.l2 > 0 {
			(&HalfSquaredDistance{Weight: g.l2, Center: make([]float64, n)}).AddTo(losses, 1)
		}
		if g.rows && round%6 == 3 {
			p.Constrain(&Form{Lin: a, Const: -0.1})
		}
		leader := losses.Clone()
		(&HalfSquaredDistance{Weight: 0.1 * math.Sqrt(float64(round+1)),
			Center: make([]float64, n)}).AddTo(leader, 1)
		sol, err := p.Minimize(x, leader)
		if err != nil || !(sol.Relative() <= 1e-9) || sol.Residual > 1e-9 || net.Value(x) > 1e-9 {
			t.Errorf("game %d, round %d: got %+v, error %v, want a gap and a residual of 1e-9", g.seed,
				round, sol, err)
		}
		if d := abs(sol.Value - leader.Value(x)); d > float64(1e-12*(1+abs(sol.Value))) {
			t.Errorf("game %d, round %d: got a value that is off by %g, want the value at the action",
				g.seed, round, d)
		}
		certs, points = append(certs, sol.Cert), append(points, append([]float64(nil), x...))
	}
	return certs, points
}

// Large models find the minimisers of all others, which are unique, and both certificates hold for
// the other one's value.
func TestLargeModelsHaveTheMinimaOfOthers(t *testing.T) {
	for seed := range uint64(200) {
		g := newLeaderGame(seed)
		largeFrom(2, func() {
			got, at := g.play(t)
			largeFrom(1<<30, func() {
				want, from := g.play(t)
				for k, w := range want {
					unit := 1 + abs(w.Value)
					if rounding := float64(1e-13 * unit); got[k].Value-got[k].Gap > w.Value+rounding ||
						w.Value-w.Gap > got[k].Value+rounding || vec.Dist(at[k], from[k]) > 1e-4 {
						t.Errorf("game %d, round %d: %+v at %v, want %+v at %v", seed, k, got[k], at[k], w, from[k])
					}
				}
			})
		})
	}
}

// The Hessian that a program keeps is dropped if the terms are others.
func TestKeptHessianIsOfTheSameTerms(t *testing.T) {
	a, b := NewBasis(&Ridge{Curve: Softplus{}, A: []float64{1}}), NewBasis(&Ridge{Curve: Exp{}, A: []float64{1}})
	for _, c := range []struct {
		terms []Term
		want  int
	}{
		{[]Term{{a, 1}, {b, 1}}, 2}, {[]Term{{a, 2}, {b, 1}, {b, 1}}, 2},
		{[]Term{{a, 1}}, 0}, {[]Term{{b, 1}, {a, 1}}, 0}, {nil, 0},
	} {
		h := combination{summed: []Term{{a, 1}, {b, 1}}}
		if h.keepFor(c.terms); len(h.summed) != c.want {
			t.Errorf("%d terms are kept for %v, want %d", len(h.summed), c.terms, c.want)
		}
	}
}
