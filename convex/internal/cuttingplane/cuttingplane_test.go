package cuttingplane

import (
	"math"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// cube is {x : −2 ≤ x_i ≤ 2} of n dimensions.
type cube struct{ n int }

func (c cube) Dim() int { return c.n }

func (c cube) Project(dst, x []float64) {
	for i, v := range x {
		dst[i] = min(max(-2, v), 2)
	}
}

func (c cube) Support(dst, dir []float64) (most float64) {
	for i, v := range dir {
		dst[i] = math.Copysign(2, v)
		most += v * dst[i]
	}
	return most
}

func (c cube) Diameter() float64 { return 4 * math.Sqrt(float64(c.n)) }

// newProblem returns the problem of these components over the cube, from one point.
func newProblem(start []float64, components ...Component) Problem {
	n := len(start)
	d := quadprog.Domain{Set: cube{n}, Lower: make([]float64, n), Upper: make([]float64, n)}
	for i := range n {
		d.Lower[i], d.Upper[i] = -2, 2
	}
	return Problem{Domain: d, Objective: quadprog.Quadratic{Lin: make([]float64, n)},
		Rows: quadprog.New(d, n), Components: components, Start: [][]float64{start}}
}

// unknown is the certificate of a point without a value.
var unknown = quadprog.Certificate{Value: math.Inf(1), Gap: math.Inf(1)}

// sizes is offset + Σ|x_i|.
func sizes(offset float64) Component {
	return Component{
		Value: func(x []float64) float64 {
			sum := offset
			for _, v := range x {
				sum += math.Abs(v)
			}
			return sum
		},
		Subgrad: func(dst, x []float64) {
			for i, v := range x {
				dst[i] = math.Copysign(1, v)
			}
		},
	}
}

// distance is ‖x − center‖, which has one kink and is curved elsewhere.
func distance(center ...float64) Component {
	return Component{
		Value: func(x []float64) float64 { return vec.Dist(x, center) },
		Subgrad: func(dst, x []float64) {
			vec.SubTo(dst, x, center)
			if d := vec.Norm(dst); d > 0 {
				vec.Scale(dst, 1/d)
			}
		},
	}
}

// The dual bound holds for any multipliers, not only for those of a solved model, whose cuts of a
// component have the sum 1. Where the model has the weight s of the component, their sum is s; the
// bound of 3 + |x₁| + |x₂| is 3 nevertheless.
func TestLowerBoundOfAnyMultipliers(t *testing.T) {
	start := []float64{0.5, -0.3}
	m := bundle{Problem: newProblem(start, sizes(3))}
	x := make([]float64, 2)
	if cert, err := m.minimize(x, unknown); err != nil || math.Abs(cert.Value-3) > 1e-9 {
		t.Fatalf("%+v, %v, want 3", cert, err)
	}
	for _, s := range []float64{1, 0.5, 1.5} {
		const small = 1e-6 // makes the model strictly convex in the variable of the component
		copy(m.model.Linear(), []float64{0, 0, s - 3*small})
		if err := m.model.Solve(1, []float64{0, 0, 0, 0, 0, 0, 0, 0, small}); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		m.model.Active(func(i int, mu float64) {
			if i >= m.firstCut {
				sum += mu
			}
		})
		if lower, _ := m.lowerBound(x); math.Abs(lower-3) > 1e-9 || math.Abs(sum-s) > 1e-5 {
			t.Errorf("with multipliers of the sum %v, want %v, the lower bound is %v, want 3", sum, s, lower)
		}
	}
}

// The median of three points in the plane, whose angles are less than 120°, sees them under
// 120°: for (±1, 0) and (0, 2) it is (0, 1/√3), with the sum of distances 2 + √3. From any start
// the steps are few, since the proximal weight follows what the model predicted.
func TestFewStepsToTheMedian(t *testing.T) {
	for _, start := range [][]float64{{0, 0}, {2, 2}, {-1, 0}} {
		x := make([]float64, 2)
		p := newProblem(start, distance(-1, 0), distance(1, 0), distance(0, 2))
		cert, _, err := p.Minimize(x, unknown)
		want := 2 + math.Sqrt(3)
		if err != nil || math.Abs(cert.Value-want) > 1e-9 || !(cert.Gap <= 1e-9) ||
			vec.Dist(x, []float64{0, 1 / math.Sqrt(3)}) > 1e-4 {
			t.Errorf("from %v: %+v at %v, %v, want %v at (0, 1/√3)", start, cert, x, err, want)
		}
		if cert.Iterations > 100 { // 43, 64 and 69
			t.Errorf("from %v: %d ascents, want 100 at most", start, cert.Iterations)
		}
	}
}

// |x_1| + |x_2| with 1 − x_1 ≤ 0, both given by values and subgradients alone, is least at (1, 0),
// from an infeasible point.
func TestConstraintsAreCuts(t *testing.T) {
	p := newProblem([]float64{-1, 1}, sizes(0))
	p.Constraints = []Constraint{{
		Value:   func(x []float64) float64 { return 1 - x[0] },
		Subgrad: func(dst, x []float64) { dst[0], dst[1] = -1, 0 },
		Size:    3,
	}}
	x := make([]float64, 2)
	cert, _, err := p.Minimize(x, unknown)
	if err != nil || math.Abs(cert.Value-1) > 1e-9 || !(cert.Gap <= 1e-9) ||
		vec.Dist(x, []float64{1, 0}) > 1e-6 {
		t.Errorf("%+v at %v, %v, want 1 at (1, 0)", cert, x, err)
	}
}

// Among many cuts, those that were idle for long go, but not the pieces of a component. The model
// then has the rows of the others, in their order.
func TestOnlyIdleCutsArePruned(t *testing.T) {
	p := newProblem([]float64{0.5, -0.3}, sizes(3))
	m := bundle{Problem: p}
	if _, err := m.minimize(make([]float64, 2), unknown); err != nil {
		t.Fatal(err)
	}
	m.model.Truncate(m.firstCut)
	m.cuts = nil
	most := 40*m.model.Dim() + 200
	for k := range most {
		m.addCut(cut{k: 0, g: []float64{float64(k), 1}, c: -float64(k), idle: k % 40, isPiece: k%40 == 30})
	}
	if m.prune(); len(m.cuts) != most {
		t.Errorf("%d cuts remain of %d, want all", len(m.cuts), most)
	}
	m.addCut(cut{k: 0, g: []float64{-1, 1}, c: 1, idle: 20})
	m.prune()
	if rows := m.model.Len() - m.firstCut; rows != len(m.cuts) || len(m.cuts) != 8*22+1 {
		t.Fatalf("%d cuts remain, with %d rows, want %d", len(m.cuts), rows, 8*22+1)
	}
	for i, c := range m.cuts {
		if c.idle > 20 != c.isPiece {
			t.Errorf("got a cut that was idle for %d solutions, a piece: %v, want exactly the pieces idle "+
				"for over 20", c.idle, c.isPiece)
		}
		if a, b, _ := m.model.Row(m.firstCut + i); a[0] != c.g[0] || a[2] != -1 || b != c.c {
			t.Errorf("row %d is %v, %v, want the cut %v, %v", i, a, b, c.g, c.c)
		}
	}
}
