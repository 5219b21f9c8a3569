package convex

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The hinges of a constraint that does not change are merged, for every form.
func TestMultiplesOfAFeatureHingeAreOne(t *testing.T) {
	f := &Quadratic{Q: []float64{2, .3, .3, 1}, A: []float64{.1, -.7}, B: -.4}
	b, c := NewBasis(f), NewBasis(&HalfSquaredDistance{Weight: 1, Center: []float64{.3, .1}})
	for name, g := range map[string]Func{
		"quadratic": f, "bases": &Form{Lin: []float64{.1, .3}, Const: -.3,
			Terms: []Term{{b, .3}, {c, .7}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, cum := NewSum(Cube(2, -1, 1)), NewForm(2)
			x := make([]float64, 2)
			for round := 1; round <= 500; round++ {
				g.AddTo(cum, 1)
				s.AddHinge(1/float64(round), cum)
				s.Add(1, &Affine{A: []float64{-.2, .1}})
				cert, err := s.Minimize(x, Prox{Weight: 1, Center: []float64{1, 1}})
				if err != nil || cert.Relative() > 1e-9 {
					t.Fatalf("round %d: got %+v, error %v, want a gap of 1e-9", round, cert, err)
				}
			}
			if rows := s.features.Len(); rows != 1 {
				t.Errorf("%d hinges for 500 multiples of one, want 1", rows)
			}
		})
	}

	// A second constraint that changes does not prevent this.
	s, cum, random := NewSum(Cube(2, -1, 1)), NewForm(2), NewForm(2)
	r := rand.New(rand.NewPCG(35, 1))
	for round := 1; round <= 200; round++ {
		for _, h := range []struct {
			cum *Form
			g   Func
		}{{random, &HalfSquaredDistance{Weight: r.Float64(), Center: []float64{r.Float64(), 0}}}, {cum, f}} {
			h.g.AddTo(h.cum, 1)
			s.AddHinge(1/float64(round), h.cum)
		}
	}
	if rows := s.features.Len(); rows != 201 {
		t.Errorf("%d hinges for 200 hinges and 200 multiples of one, want 201", rows)
	}
}

// Hinges are complete if there are more bases than features may have.
func TestHingesBeyondTheFeaturesAreComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	defer func(size int) { maxCoefficients = size }(maxCoefficients)
	maxCoefficients = 2000
	for _, opaque := range []bool{false, true} {
		t.Run(fmt.Sprintf("opaque=%v", opaque), func(t *testing.T) {
			s, cum := NewSum(Cube(2, -1, 1)), NewForm(2)
			var forms []*Form
			for round := range 128 {
				f := &HalfSquaredDistance{Weight: 1, Center: []float64{r.Float64(), r.Float64()}, Offset: -.3}
				if opaque {
					NewBasis(hidden{f}).AddTo(cum, 1)
				} else {
					NewBasis(f).AddTo(cum, 1)
				}
				s.AddHinge(1/float64(round+1), cum)
				forms = append(forms, cum.Clone())
			}
			s.Add(1, &Affine{A: []float64{-40, -40}})
			x := make([]float64, 2)
			cert, err := s.Minimize(x, Prox{Weight: 1, Center: make([]float64, 2)})
			if err != nil || cert.Relative() > 1e-9 {
				t.Fatalf("got %+v, error %v, want a gap of 1e-9", cert, err)
			}
			want := 0.0
			for i, f := range forms {
				want += max(0, f.Value(x)) / float64(i+1)
			}
			if got := s.Hinges(x); abs(got-want) > 1e-12*want || want == 0 {
				t.Errorf("the hinges sum to %v, want %v", got, want)
			}
			if rest := len(s.others); opaque != (rest > 0) {
				t.Errorf("got %d other hinges, want some: %v", rest, opaque)
			}
			if cells := len(s.features.bases) * s.features.Len(); cells > maxCoefficients {
				t.Errorf("got a table of %d numbers, want at most %d", cells, maxCoefficients)
			}
		})
	}
}
