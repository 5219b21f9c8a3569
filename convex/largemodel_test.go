package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/vec"
)

// largeFrom runs f with what large models have from n dimensions on.
func largeFrom(n int, f func()) {
	defer func(n int) { largeModel = n }(largeModel)
	largeModel = n
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

// play returns the certificates and the points, and counts the models that were lifted.
func (g leaderGame) play(t *testing.T) (certs []Cert, points [][]float64, lifted int) {
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
			(&SquaredDistance{Weight: g.l2, Center: make([]float64, n)}).AddTo(losses, 1)
		}
		if g.rows && round%6 == 3 {
			p.Constrain(&Form{Lin: a, Const: -0.1})
		}
		leader := losses.Clone()
		(&SquaredDistance{Weight: 0.1 * math.Sqrt(float64(round+1)),
			Center: make([]float64, n)}).AddTo(leader, 1)
		sol, err := p.Minimize(x, leader)
		if err != nil || !(sol.Relative() <= 1e-9) || sol.Residual > 1e-9 || net.Value(x) > 1e-9 {
			t.Errorf("game %d, round %d: %+v (%v)", g.seed, round, sol, err)
		}
		if d := abs(sol.Value - leader.Value(x)); d > float64(1e-12*(1+abs(sol.Value))) {
			t.Errorf("game %d, round %d: the value is off by %g", g.seed, round, d)
		}
		if p.sqp != nil && p.sqp.isLifted {
			lifted++
		}
		certs, points = append(certs, sol.Cert), append(points, append([]float64(nil), x...))
	}
	return certs, points, lifted
}

// Large models find the minimisers of all others, which are unique, and both certificates hold for
// the other one's value.
func TestLargeModelTwin(t *testing.T) {
	most, least := 0, 15
	for seed := range uint64(200) {
		g := newLeaderGame(seed)
		largeFrom(2, func() {
			got, at, lifted := g.play(t)
			most, least = max(most, lifted), min(least, lifted)
			largeFrom(1<<30, func() {
				want, from, _ := g.play(t)
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
	if least > 0 || most < 10 {
		t.Errorf("of 15 models %d to %d are lifted at the end, want none to most", least, most)
	}
}

// The curvature of the quadratic part makes the gap the square of an error: of ½·3‖x‖² − 3x₁ over
// [−2, 2]², where the Hessian has the eigenvalues 3 and 3, at (1 + ε, 0) the value is too large by
// 3ε²/2, and the gap is as large. Without the curvature it is 3ε(3 + ε), the slope times the way
// to the corner (−2, ·).
func TestCurvatureBoundsTheGap(t *testing.T) {
	const e = 0x1p-10
	for _, c := range []struct {
		from int
		want float64
	}{{2, 1.5 * e * e}, {1 << 30, 3 * e * (3 + e)}} {
		largeFrom(c.from, func() {
			set := Cube(2, -2, 2)
			q := newSQP(set, newActiveSet(2, set))
			q.obj = &Form{Lin: []float64{-3, 0}, Quad: []float64{3, 0, 0, 3}, Terms: []Term{{nil, 0}}}
			q.boundCurvature()
			x := []float64{1 + e, 0}
			v, _ := q.evaluate(x)
			if gap := q.gap(x, v); abs(gap-c.want) > float64(1e-12*c.want)+1e-15 {
				t.Errorf("from %d dimensions on: the gap is %g, want %g", c.from, gap, c.want)
			}
		})
	}
	// Of [[2, 1], [1, 2]] the circles bound the eigenvalues 1 and 3 by 1, of [[1, 2], [2, 4]] by 0.
	largeFrom(2, func() {
		q := newSQP(Cube(2, -2, 2), newActiveSet(2, Cube(2, -2, 2)))
		for _, c := range []struct{ quad, want float64 }{{2, 1}, {1, 0}} {
			q.obj = &Form{Lin: []float64{0, 0}, Quad: []float64{c.quad, 1, 1, c.quad},
				Terms: []Term{{nil, 0}}}
			if q.boundCurvature(); q.curvature > c.want || q.curvature < c.want-1e-12 {
				t.Errorf("the curvature of %v is bounded by %v, want %v", q.obj.Quad, q.curvature, c.want)
			}
		}
	})
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
