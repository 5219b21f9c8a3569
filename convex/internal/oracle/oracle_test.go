package oracle_test

import (
	"errors"
	"math"
	"testing"

	"ocobench/convex"
)

// known is an oracle of functions with gradients.
func known(fs ...convex.Func) func([]float64, []convex.Piece) (convex.Sample, error) {
	return func(x []float64, _ []convex.Piece) (convex.Sample, error) {
		s := convex.Sample{X: x}
		for _, f := range fs {
			g := make([]float64, len(x))
			f.Subgrad(g, x)
			s.Values, s.Subgrads = append(s.Values, f.Value(x)), append(s.Subgrads, g)
		}
		return s, nil
	}
}

// The point of the unit disc nearest to (2, 1) is (2, 1)/√5, at the distance √5 − 1.
func TestNearestPointOfADisc(t *testing.T) {
	f := &convex.HalfSquaredDistance{Weight: 2, Center: []float64{2, 1}}
	disc := convex.Lower(&convex.HalfSquaredDistance{Weight: 1, Center: []float64{0, 0}}, 2)
	disc.Const -= 0.5
	for _, accuracy := range []float64{1e-3, 1e-7} {
		x := make([]float64, 2)
		p := convex.Sampled{Set: convex.Cube(2, -3, 3), Evaluate: known(f, disc), Accuracy: accuracy}
		sol, err := p.Minimize(x)
		want := math.Pow(math.Sqrt(5)-1, 2)
		if err != nil || sol.Gap > 2*accuracy || sol.Value-sol.Gap > want+1e-12 ||
			math.Abs(sol.Value-want) > 2*accuracy {
			t.Errorf("accuracy %g: %+v at %v, error %v; want the value %v", accuracy, sol, x, err, want)
		}
		if sol.Iterations > 15 {
			t.Errorf("accuracy %g: %d calls, want at most 15", accuracy, sol.Iterations)
		}
	}
}

// |x| + |y − 1| has its kinks at the minimiser, which the constraint x ≥ ½ moves to (½, 1).
func TestKinkAtTheMinimiser(t *testing.T) {
	f := convex.NewBasis(&convex.Max{Pieces: []*convex.Form{
		{Lin: []float64{1, 1}, Const: -1}, {Lin: []float64{1, -1}, Const: 1},
		{Lin: []float64{-1, 1}, Const: -1}, {Lin: []float64{-1, -1}, Const: 1}}})
	g := &convex.Affine{A: []float64{-1, 0}, B: 0.5}
	x := make([]float64, 2)
	p := convex.Sampled{Set: convex.Cube(2, -3, 4), Evaluate: known(f, g), Accuracy: 1e-9}
	sol, err := p.Minimize(x)
	if err != nil || sol.Gap > 1e-9 || math.Abs(x[0]-0.5)+math.Abs(x[1]-1) > 1e-8 {
		t.Errorf("%+v at %v, error %v; want 0.5 at (0.5, 1)", sol, x, err)
	}
}

// In the disc of radius 1 around (0, 0) and the one around (1, 0) the point nearest to (½, 2) is
// (½, √3/2). It takes fewer samples if they tell which of the two is larger.
func TestPiecesOfAMaximum(t *testing.T) {
	discs := []*convex.HalfSquaredDistance{{Weight: 2, Center: []float64{0, 0}},
		{Weight: 2, Center: []float64{1, 0}}}
	f := &convex.HalfSquaredDistance{Weight: 2, Center: []float64{0.5, 2}}
	tangent := func(i int, x []float64) convex.Tangent {
		g := make([]float64, 2)
		discs[i-1].Subgrad(g, x)
		return convex.Tangent{Piece: convex.Piece{Of: 1, Number: i}, Value: discs[i-1].Value(x) - 1,
			Subgrad: g}
	}
	refine := func(x []float64, pieces []convex.Piece) (all []convex.Tangent, err error) {
		for _, p := range pieces {
			all = append(all, tangent(p.Number, x))
		}
		return all, nil
	}
	want := math.Pow(2-math.Sqrt(3)/2, 2)
	for name, most := range map[string]int{"told": 8, "untold": 15} {
		t.Run(name, func(t *testing.T) {
			evaluate := func(x []float64, pieces []convex.Piece) (convex.Sample, error) {
				largest := tangent(1, x)
				if other := tangent(2, x); other.Value > largest.Value {
					largest = other
				}
				g := make([]float64, 2)
				f.Subgrad(g, x)
				s := convex.Sample{X: x, Values: []float64{f.Value(x), largest.Value},
					Subgrads: [][]float64{g, largest.Subgrad}}
				if name == "told" {
					s.Reached = []int{0, largest.Number}
					s.Pieces, _ = refine(x, pieces)
				}
				return s, nil
			}
			x := make([]float64, 2)
			p := convex.Sampled{Set: convex.Cube(2, -3, 3), Evaluate: evaluate, Refine: refine,
				Accuracy: 1e-9}
			sol, err := p.Minimize(x)
			if err != nil || sol.Gap > 2e-9 || math.Abs(sol.Value-want) > 1e-8 ||
				sol.Value-sol.Gap > want+1e-12 {
				t.Errorf("%+v at %v, error %v; want the value %v", sol, x, err, want)
			}
			if sol.Iterations > most {
				t.Errorf("%d calls, want at most %d", sol.Iterations, most)
			}
		})
	}
}

// No point of the box has x ≤ −2, as its cuts say.
func TestConstraintsThatLeaveNoPoint(t *testing.T) {
	f := &convex.Affine{A: []float64{1, 1}}
	g := &convex.Affine{A: []float64{1, 0}, B: 2}
	p := convex.Sampled{Set: convex.Cube(2, -1, 1), Evaluate: known(f, g), Accuracy: 1e-7}
	if _, err := p.Minimize(make([]float64, 2)); !errors.Is(err, convex.ErrEmpty) {
		t.Errorf("the error is %v, want %v", err, convex.ErrEmpty)
	}
}
