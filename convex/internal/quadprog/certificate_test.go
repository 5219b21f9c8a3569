package quadprog

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/vec"
)

// unitCube is {x : −1 ≤ x_i ≤ 1} of n dimensions.
type unitCube struct{ n int }

func (c unitCube) Dim() int { return c.n }

func (c unitCube) Project(dst, x []float64) {
	for i, v := range x {
		dst[i] = min(max(-1, v), 1)
	}
}

func (c unitCube) Support(dst, dir []float64) (most float64) {
	for i, v := range dir {
		dst[i] = math.Copysign(1, v)
		most += math.Abs(v)
	}
	return most
}

func (c unitCube) Diameter() float64 { return 2 * math.Sqrt(float64(c.n)) }

// The certificate needs neither the minimiser nor its multipliers: at any point, and for any
// multipliers between 0 and the weights of hinges, it bounds the loss.
func TestCertificateHoldsForAnyMultipliers(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(8, seed))
		n := 2 + r.IntN(3)
		vector := func() []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			return x
		}
		d := Domain{Set: unitCube{n}, Lower: make([]float64, n), Upper: make([]float64, n)}
		for i := range n {
			d.Lower[i], d.Upper[i] = -1, 1
		}
		p, obj, x := New(d, n), Quadratic{Lin: vector()}, make([]float64, n)
		for range 5 {
			p.AddHinge(vector(), r.NormFloat64(), 1)
		}
		prox := Prox{Weight: float64(r.IntN(2)), Center: make([]float64, n)}
		best, err := p.Minimize(x, obj, prox, 0)
		if err != nil || best.Relative() > 1e-9 {
			t.Fatalf("seed %d: %+v, %v, want a certificate", seed, best, err)
		}
		for _, far := range []float64{1e-6, 1e-3, 0.1, 10} {
			y := vector()
			vec.AxpyTo(y, far, y, x)
			d.Project(y, y)
			for _, multipliers := range []string{"right", "other"} {
				if multipliers == "other" {
					for k, i := range p.active {
						if i >= p.First() {
							p.mu[k] = r.Float64() * p.MaxMultiplier(i)
						}
					}
				}
				c := p.certify(y, obj, prox)
				if loss := c.Value - best.Value; c.Gap < loss-1e-9 {
					t.Errorf("seed %d, %s multipliers: the loss is %g, want at most the gap %g", seed,
						multipliers, loss, c.Gap)
				}
			}
		}
	}
}
