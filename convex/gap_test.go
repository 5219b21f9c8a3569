package convex

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// A certificate bounds the suboptimality of any point, and not only that of a
// minimiser. These tests certify points that are not optimal. The wanted gaps are
// computed by hand.

// Bisection that may stop at once returns the better end of [−1, 2] for eˣ − x,
// and the gap down to where the tangents at both ends meet,
//
//	m = (v_b − v_a − g_b(b−a))/(g_a − g_b),   gap = −g_a·m.
func TestBisectionStopsWithItsGap(t *testing.T) {
	s := NewSum(Cube(1, -1, 2))
	s.Add(1, NewBasis(&Ridge{Curve: Exp{}, Weight: 1, A: []float64{1}}))
	s.Add(1, &Affine{A: []float64{-1}})
	s.SetAccuracy(2)
	x := make([]float64, 1)
	cert, err := s.Minimize(x, Prox{})
	if err != nil {
		t.Fatal(err)
	}
	va, ga := math.Exp(-1)+1, math.Exp(-1)-1
	vb, gb := math.Exp(2)-2, math.Exp(2)-1
	gap := -ga * (vb - va - gb*3) / (ga - gb)
	const least = 1 // at 0
	if x[0] != -1 || math.Abs(cert.Value-va) > 1e-14 || math.Abs(cert.Gap-gap) > 1e-12 ||
		cert.Gap < cert.Value-least {
		t.Errorf("at %v: %+v, want the value %v and the gap %v", x, cert, va, gap)
	}
}

// For every σ-strongly convex f with the subgradient g at x, the gap of the tangent bounds the loss
// of x against every other point of the set, on each kind of set.
func TestTangentGapBoundsTheLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	simplex, err := NewSimplex(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	ball, err := NewBall([]float64{0, 1, 0}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		for _, set := range []Set{Cube(3, -1, 1), ball, simplex} {
			draw := func() []float64 { return []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()} }
			sigma := float64(r.IntN(3))
			f := Lower(&HalfSquaredDistance{Weight: sigma, Center: draw()}, 3)
			(&Affine{A: draw()}).AddTo(f, 1)
			x, y := draw(), draw()
			set.Project(x, x)
			set.Project(y, y)
			g, a, b := make([]float64, 3), make([]float64, 3), make([]float64, 3)
			f.Subgrad(g, x)
			gap := quadprog.TangentGap(set, x, g, sigma, a, b)
			if loss := f.Value(x) - f.Value(y); loss > gap+1e-12 {
				t.Fatalf("%T: %v loses %g against %v, want at most its gap %g", set, x, loss, y, gap)
			}
		}
	}
}

// The certificate of SQP holds at every point for a term of ‖·‖₁, whose signs in the last model
// are not those of the point: over [−2, 2]², −x_1 − x_2 + 8·max(0, ‖x‖₁ + ½‖x‖² − 1) is least
// on ‖x‖₁ + ½‖x‖² = 1, at x_1 = x_2 = √2 − 1, where the multiplier is 1/√2. For
// y_1, y_2 ≤ 0 the Lagrangian is L(y) = −y_1 − y_2 + (−y_1 − y_2 + ½‖y‖² − 1)/√2, which the
// certificate bounds below by the tangent, at y, of
//
//	l(z) = −z_1 − z_2 + (z_1 + z_2 + ½‖z‖² − 1)/√2 ≤ L(z).
func TestSQPCertifiesOtherSigns(t *testing.T) {
	s := NewSum(Cube(2, -2, 2))
	s.Add(1, &Affine{A: []float64{-1, -1}})
	s.AddHinge(8, Lower(NewBasis(&ElasticNet{L1: 1, L2: 1, Offset: -1}), 2))
	x := make([]float64, 2)
	cert, err := s.Minimize(x, Prox{})
	root := math.Sqrt2 - 1
	if err != nil || vec.Dist(x, []float64{root, root}) > 1e-6 || math.Abs(cert.Value+2*root) > 1e-9 {
		t.Fatalf("got %+v at %v, error %v, want %v at (√2-1, √2-1)", cert, x, err, -2*root)
	}
	value := func(y []float64) float64 {
		return -y[0] - y[1] + 8*max(0, math.Abs(y[0])+math.Abs(y[1])+vec.Dot(y, y)/2-1)
	}
	for _, y := range [][]float64{{-1, -1}, {-0.25, -0.5}, {-1, 1}, {0, -2}, {1.5, 1}} {
		v, _ := s.sqp.Evaluate(y)
		if math.Abs(v-value(y)) > 1e-12 {
			t.Errorf("the value at %v is %v, want %v", y, v, value(y))
		}
		least := (-1 + vec.Dot(y, y)/2) / math.Sqrt2 // of the tangent over the box, at its corners
		for _, c := range y {
			slope := -1 + (1+c)/math.Sqrt2
			least += c*(-1+1/math.Sqrt2) - math.Abs(slope)*2 - slope*c
		}
		want := value(y) - least
		if gap := s.sqp.Gap(y, v); math.Abs(gap-want) > 1e-5 || gap < value(y)-cert.Value {
			t.Errorf("at %v the gap is %v, want %v; the point is suboptimal by %v", y, gap, want,
				value(y)-cert.Value)
		}
	}
}

// Bisection ends where two numbers are neighbours, however steep the function: the minimiser
// is in the middle between the number ⅓, which is odd, and the next one, 2⁻⁵⁴ above it, to
// which the middle is rounded. Of two ends with one value it takes the lower: with a gap of 1
// allowed, |x| on [−1, 1] is looked at there only, and the tangents meet in (0, 0).
func TestBisectionEnds(t *testing.T) {
	for _, c := range []struct {
		lo, hi, slope, kink, above float64
		accuracy, want             float64
		gap                        float64
	}{
		{0, 1, 3e6, 1. / 3, 0x1p-55, 0, 1. / 3, 3e6 * 0x1p-55},
		{-1, 1, 1, 0, 0, 1, -1, 1},
	} {
		looks := 0
		s := NewSum(Cube(1, c.lo, c.hi))
		s.SetAccuracy(c.accuracy)
		s.Add(1, NewBasis(&steep{c.slope, c.kink, c.above, func() {
			if looks++; looks > 1000 {
				panic("it does not end")
			}
		}}))
		x := []float64{math.NaN()}
		if cert, err := s.Minimize(x, Prox{}); err != nil || x[0] != c.want ||
			abs(cert.Gap-c.gap) > float64(1e-6*c.gap) || cert.Value != c.gap {
			t.Errorf("slope %g: %+v at %v, want the gap and the value %g at %v, %v", c.slope, cert, x, c.gap,
				c.want, err)
		}
	}
}

// steep is slope·|x − kink − above|, where kink + above may be between two numbers.
type steep struct {
	slope, kink, above float64
	look               func()
}

func (f *steep) Value(x []float64) float64 {
	f.look()
	return float64(f.slope * abs(x[0]-f.kink-f.above))
}

func (f *steep) Subgrad(dst, x []float64) {
	dst[0] = f.slope
	if x[0] <= f.kink {
		dst[0] = -f.slope
	}
}
