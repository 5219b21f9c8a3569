package convex

import (
	"math"
	"testing"

	"ocobench/convex/vec"
)

// absolute is |x_1 − a| + |x_2 − b|, as a user's own function without a Hessian.
type absolute struct{ a, b float64 }

func (f *absolute) Value(x []float64) float64 { return math.Abs(x[0]-f.a) + math.Abs(x[1]-f.b) }
func (f *absolute) Subgrad(dst, x []float64)  { dst[0], dst[1] = sign(x[0]-f.a), sign(x[1]-f.b) }

// TestOnlyCutsCertifyKinks: if the minimiser is at a kink that is not the kink of a
// hinge, SQP finds it but has no certificate, and the cutting planes have one. A
// drift-plus-penalty learner meets this with a constraint ‖x − c‖ ≤ r and a large
// multiplier:
//
//	min 2‖x − c‖ + a·x + ‖x‖²   is at c, where 0 ∈ 2·(unit ball) + a + 2c.
func TestOnlyCutsCertifyKinks(t *testing.T) {
	want := []float64{0.3, -0.2}
	for name, f := range map[string]Evaluator{
		"norm":     &Distance{Weight: 2, Center: want},
		"absolute": &absolute{want[0], want[1]},
	} {
		t.Run(name, func(t *testing.T) {
			prox := Prox{Weight: 1, Center: []float64{0, 0}}
			s := NewSum(Cube(2, -1, 1))
			s.Add(1, NewBasis(f))
			s.Add(1, &Affine{A: []float64{-0.4, 0.5}})
			x := make([]float64, 2)
			if cert, err := s.prepareSQP(prox).Minimize(x, nil); err != nil ||
				cert.Relative() <= gapTolerance {
				t.Errorf("SQP alone: %+v, %v, want no certificate", cert, err)
			}
			if cert, err := s.Minimize(x, prox); err != nil || cert.Relative() > gapTolerance ||
				vec.Dist(x, want) > 1e-4 {
				t.Errorf("sum: %+v at %v, %v, want %v", cert, x, err, want)
			}

			// The same function as the objective of a program.
			p := NewProgram(Cube(2, -1, 1))
			obj := Lower(&Affine{A: []float64{-0.4, 0.5}}, 2)
			NewBasis(f).AddTo(obj, 1)
			b := p.prepareSQP(obj, Prox{}, nil)
			if cert, err := b.Minimize(x, nil); err != nil || cert.Relative() <= gapTolerance {
				t.Errorf("SQP alone: %+v, %v, want no certificate", cert, err)
			}
			if cert, err := p.Minimize(x, obj); err != nil || cert.Relative() > gapTolerance ||
				vec.Dist(x, want) > 1e-4 {
				t.Errorf("program: %+v at %v, %v, want %v", cert, x, err, want)
			}
		})
	}
}
