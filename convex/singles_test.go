package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/vec"
)

// Hinges of affine bases, with one kink each or several, and of bases that are not affine: in so
// many dimensions that the former are rows, a sum has the value of its functions at the point, and
// the minimum that it has where they are none.
func TestHingesOfAffineBasesAreRowsWhereTheyMay(t *testing.T) {
	restoreSizes(t)
	largeSingles = math.MaxInt
	r := rand.New(rand.NewPCG(12, 13))
	rows := 0
	for game := range 150 {
		n := 2 + r.IntN(5)
		vector := func() []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			return v
		}
		type term struct{ w, scale, shift float64 }
		loss, center, gamma := vector(), vector(), 0.5+r.Float64()
		var bases []*Basis
		var hinges [][]term
		for range 1 + r.IntN(4) {
			f := Func(&Affine{A: vector(), B: r.NormFloat64()})
			if game%3 == 0 && r.IntN(3) == 0 {
				f = &HalfSquaredDistance{Weight: 1 + r.Float64(), Center: vector(), Offset: -1}
			}
			var own []term
			for range 1 + r.IntN(1+game%4) {
				own = append(own, term{3 * r.Float64(), 0.5 + r.Float64(), r.NormFloat64()})
			}
			bases, hinges = append(bases, NewBasis(f)), append(hinges, own)
		}
		value := func(x []float64) float64 {
			v := vec.Dot(loss, x) + 0.5*math.Pow(vec.Dist(x, center), 2)
			for k, own := range hinges {
				for _, h := range own {
					v += gamma * h.w * max(0, h.scale*bases[k].Value(x)+h.shift)
				}
			}
			return v
		}
		minimum := func() (lower, upper float64) {
			sum := NewSum(Cube(n, -1, 1))
			sum.Add(1, &Affine{A: loss})
			sum.SetGamma(gamma)
			for k, own := range hinges {
				for _, h := range own {
					f := NewForm(n)
					bases[k].AddTo(f, h.scale)
					f.Const += h.shift
					sum.AddHinge(h.w, f)
				}
			}
			x := make([]float64, n)
			if _, ok := sum.minimizeSingles(x, Prox{Weight: 0.5, Center: center}); ok {
				rows++
			}
			cert, err := sum.Minimize(x, Prox{Weight: 0.5, Center: center})
			if err != nil || !(cert.Gap <= 1e-7*(1+math.Abs(cert.Value))) {
				t.Fatalf("game %d: got %+v, error %v, want a gap of 1e-7", game, cert, err)
			}
			if v := value(x); !(math.Abs(v-cert.Value) <= 1e-10*(1+math.Abs(v))) {
				t.Fatalf("game %d: got value %v, want %v of the functions", game, cert.Value, v)
			}
			return cert.Value - cert.Gap, cert.Value
		}
		lower, upper := minimum()
		largeSingles = 2
		low, up := minimum()
		largeSingles = math.MaxInt
		if slack := 1e-10 * (1 + math.Abs(upper)); low > upper+slack || lower > up+slack {
			t.Fatalf("game %d: got minima in [%v, %v] and [%v, %v], want them to overlap", game, lower,
				upper, low, up)
		}
	}
	if rows < 30 || rows > 120 {
		t.Errorf("hinges of %d of 150 games are rows, want them in some games only", rows)
	}
}
