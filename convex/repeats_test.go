package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Each of several constraints that do not change has one row, both in a sum, where
// the averages are hinges, and in a program. One round of ten has another
// constraint.
func TestRepeatedConstraintIsOneRow(t *testing.T) {
	const m, rounds = 30, 100
	set, rng := Cube(3, -1, 1), rand.New(rand.NewPCG(4, 9))
	line := func() *Affine {
		return &Affine{A: []float64{rng.Float64() - .5, rng.Float64() - .5, rng.Float64() - .5},
			B: -.2 * rng.Float64()}
	}
	sum, one := NewSum(set), NewSum(set)
	program, every := NewProgram(set), NewProgram(set)
	var fixed []*Affine
	for range m {
		fixed = append(fixed, line())
	}
	extra := 0
	for k := 1; k <= rounds; k++ {
		for j, g := range fixed {
			if k%10 == 0 && j == m/2 {
				f := Lower(line(), 3)
				sum.AddHinge(1, f)
				one.AddHinge(1, f)
				program.Constrain(f)
				every.Constrain(f)
				extra++
			}
			f := NewForm(3)
			g.AddTo(f, float64(k)) // Σ_{i≤k} g, weighed by 1/k
			sum.AddHinge(1/float64(k), f)
			program.Constrain(Lower(g, 3))
			if k == 1 {
				every.Constrain(f)
			}
			if k == rounds {
				one.AddHinge(rounds, Lower(g, 3))
			}
		}
	}
	for what, rows := range map[string]*quadprog.Solver{"sum": sum.rows, "program": program.rows} {
		if got := rows.Len() - rows.First(); got != m+extra {
			t.Errorf("the %s has %d rows, want %d", what, got, m+extra)
		}
	}
	x, y, loss := make([]float64, 3), make([]float64, 3), &Affine{A: []float64{-30, -50, 20}}
	sum.Add(1, loss)
	one.Add(1, loss)
	prox := Prox{1, make([]float64, 3)}
	a, err := sum.Minimize(x, prox)
	if err != nil {
		t.Fatal(err)
	}
	b, err := one.Minimize(y, prox)
	if err != nil || vec.Dist(x, y) > 1e-10 || math.Abs(a.Value-b.Value) > 1e-9*math.Abs(b.Value) {
		t.Errorf("the sum has %v at %v, want %v at %v (%v)", a, x, b, y, err)
	}
	c, err := program.Minimize(x, Lower(loss, 3))
	if err != nil {
		t.Fatal(err)
	}
	d, err := every.Minimize(y, Lower(loss, 3))
	if err != nil || vec.Dist(x, y) > 1e-10 || math.Abs(c.Value-d.Value) > 1e-9*math.Abs(d.Value) {
		t.Errorf("the program has %v at %v, want %v at %v (%v)", c, x, d, y, err)
	}
}
