package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sums of curves and hinges in one dimension, at any accuracy: the value is that of the functions
// at the point, no point of a grid is below the certificate, the gap is what was asked for, and the
// same sum of −x has the same value and gap, at −x.
func TestLineMirrored(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 74))
		lo := -2 * r.Float64()
		hi := lo + 0.1 + 3*r.Float64()
		accuracy := []float64{0, 1e-6, 0.01, 1}[r.IntN(4)]
		var ridges []*Ridge
		var hinges []hinge
		for range 1 + r.IntN(3) {
			ridges = append(ridges, &Ridge{[]Curve{Exp{}, Softplus{}}[r.IntN(2)], r.Float64(),
				[]float64{4 * r.NormFloat64()}, r.NormFloat64()})
			hinges = append(hinges, hinge{r.Float64(), &Form{Lin: []float64{r.NormFloat64()},
				Const: r.NormFloat64()}})
		}
		prox, gamma := Prox{r.Float64(), []float64{r.NormFloat64()}}, 3*r.Float64()
		value := func(x float64) float64 {
			v := prox.value([]float64{x})
			for k, f := range ridges {
				v += f.Value([]float64{x}) + gamma*hinges[k].w*max(0, hinges[k].f.Value([]float64{x}))
			}
			return v
		}
		minimize := func(sign float64) (x float64, cert Cert) {
			ends := []float64{sign * lo, sign * hi}
			s := NewSum(&Box{[]float64{min(ends[0], ends[1])}, []float64{max(ends[0], ends[1])}})
			s.SetAccuracy(accuracy)
			s.SetGamma(gamma)
			for k, f := range ridges {
				s.Add(1, NewBasis(&Ridge{f.Curve, f.Weight, []float64{sign * f.A[0]}, f.B}))
				h := hinges[k]
				s.AddHinge(h.w, &Form{Lin: []float64{sign * h.f.Lin[0]}, Const: h.f.Const})
			}
			at := []float64{math.NaN()}
			cert, err := s.Minimize(at, Prox{prox.Weight, []float64{sign * prox.Center[0]}})
			if err != nil {
				t.Fatal(err)
			}
			return sign * at[0], cert
		}
		x, cert := minimize(1)
		y, mirrored := minimize(-1)
		unit := 1 + abs(cert.Value)
		if v := value(x); !(abs(v-cert.Value) <= 1e-12*unit) || !(x >= lo && x <= hi) ||
			cert.Gap > max(accuracy, 1e-12*unit) {
			t.Errorf("seed %d: %v at %v, accuracy %v: %+v", seed, v, x, accuracy, cert)
		}
		if v := value(y); !(abs(v-mirrored.Value) <= 1e-12*unit) ||
			abs(mirrored.Value-cert.Value) > 1e-12*unit || abs(mirrored.Gap-cert.Gap) > 1e-11*unit {
			t.Errorf("seed %d, mirrored: %v at %v: %+v, not %+v at %v", seed, v, y, mirrored, cert, x)
		}
		for k := range 101 {
			at := lo + (hi-lo)*float64(k)/100
			if v := value(at); v < cert.Value-cert.Gap-1e-12*unit {
				t.Fatalf("seed %d: %v at %v, below %+v", seed, v, at, cert)
			}
		}
	}
}
