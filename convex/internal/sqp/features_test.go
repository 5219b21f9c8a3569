package sqp

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/screen"
	"ocobench/convex/vec"
)

// newFeatures returns features of some functions and, with products, of x_j x_k.
func newFeatures(r *rand.Rand, n, bases int, products bool) *Features {
	f := NewFeatures(cube{n, 2}.domain())
	for k := range bases {
		var b Function = &ball{1, r.Float64() - 0.5, normals(r, n)}
		if k%2 == 1 {
			b = &bowl{normals(r, n), r.Float64() - 0.5}
		}
		f.AddFeatures([]Function{b}, products)
	}
	return f
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.5 * r.NormFloat64()
	}
	return x
}

// The gradient and the Hessian of a combination of features are its derivatives.
func TestDerivativesOfFeatures(t *testing.T) {
	const h = 1e-5
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(32, seed))
		n := 2 + r.IntN(3)
		f := newFeatures(r, n, 1+r.IntN(4), seed%2 == 0)
		s, x := normals(r, f.Dim()), normals(r, n)
		for k := f.FirstBasis() + len(f.bases); k < f.Dim(); k++ {
			s[k] = 0 // unused capacity
		}
		at := func(i int, by float64) (value float64, grad []float64) {
			y := append([]float64(nil), x...)
			y[i] += by
			f.evaluate(y)
			grad = make([]float64, n)
			f.addGrad(grad, 1, s)
			return vec.Dot(s, f.phi), grad
		}
		_, grad := at(0, 0)
		hess := make([]float64, n*n)
		f.addHessian(hess, s)
		for i := range n {
			above, gradAbove := at(i, h)
			below, gradBelow := at(i, -h)
			if want := (above - below) / (2 * h); math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("seed %d: the derivative in x_%d is %v, by differences %v", seed, i, grad[i], want)
			}
			for j := range n {
				want := (gradAbove[j] - gradBelow[j]) / (2 * h)
				if got := hess[i*n+j]; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("seed %d: the second derivative in x_%d, x_%d is %v, by differences %v", seed, i, j,
						got, want)
				}
			}
		}
	}
}

// The sum of the hinges that are positive is kept from point to point, as hinges change sign and
// features and hinges are added, with a screen and without.
func TestValueOfFeaturesIsTheSumOfHinges(t *testing.T) {
	for seed := range uint64(60) {
		screen.Off = seed%3 == 0
		r := rand.New(rand.NewPCG(33, seed))
		n := 2 + r.IntN(3)
		f := newFeatures(r, n, 1+r.IntN(3), seed%2 == 0)
		screen.Off = false
		flips := 0
		for range 40 {
			switch {
			case r.IntN(20) == 0:
				f.Reset()
			case r.IntN(10) == 0 && len(f.bases) < 6:
				f.AddFeatures([]Function{&ball{1, 0, normals(r, n)}}, r.IntN(2) == 0)
			}
			for range 1 + r.IntN(5) {
				f.Add(normals(r, f.Dim()), r.NormFloat64())
			}
			x := normals(r, n)
			before := append([]bool(nil), f.on...)
			got, want := f.Value(x), 0.0
			for i := range f.c {
				v := vec.Dot(f.coefficients(i), f.phi) + f.c[i]
				want += max(0, v)
				if f.on[i] != (v > 0) {
					t.Errorf("seed %d: hinge %d of value %v: got on %v, want %v", seed, i, v, f.on[i], v > 0)
				}
				if f.on[i] != before[i] {
					flips++
				}
			}
			if math.Abs(got-want) > 1e-11*(1+want) {
				t.Errorf("seed %d: %d hinges sum to %v, want %v", seed, f.Len(), got, want)
			}
		}
		if flips < 20 {
			t.Errorf("seed %d: %d hinges changed sign, want 20 at least", seed, flips)
		}
	}
}

// Of many hinges that are averages of four balls, few are evaluated, thanks to the screen.
func TestFeaturesLookAtFew(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	const n, rounds = 3, 3000
	f, q := NewFeatures(cube{n, 2}.domain()), newSolver(cube{n, 2})
	for range 4 {
		f.AddFeatures([]Function{&ball{1, -0.5 + 0.3*r.Float64(), normals(r, n)}}, false)
	}
	q.model.SetGamma(25)
	sum, x, flips := make([]float64, f.Dim()), make([]float64, n), 0
	loss := []float64{0, 0, 0}
	on := []bool{}
	for round := 1; round <= rounds; round++ {
		vec.Axpy(loss, 1, []float64{-1 + r.NormFloat64(), 1 + r.NormFloat64(), r.NormFloat64()})
		sum[f.FirstBasis()+r.IntN(4)]++
		row := append([]float64(nil), sum...)
		vec.Scale(row, 1/float64(round))
		f.Add(row, 0)
		q.Begin(affine(loss...), quadprog.Prox{Weight: math.Sqrt(float64(round)),
			Center: make([]float64, n)}, f, 0)
		if cert, err := q.Minimize(x, x); err != nil || cert.Relative() > 1e-10 {
			t.Fatalf("round %d: %+v, %v, want a certificate", round, cert, err)
		}
		for i, is := range f.on {
			switch {
			case i == len(on):
				on = append(on, is)
			case on[i] != is:
				on[i] = is
				flips++
			}
		}
	}
	if flips < rounds/4 {
		t.Errorf("%d hinges changed sign, want %d at least", flips, rounds/4)
	}
	if pending := len(f.screen.Pending); pending > 20 {
		t.Errorf("%d hinges of %d are pending, want 20 at most", pending, rounds)
	}
}

// The certificate pays for hinges that are merged although they differ by rounding. With
// δ = 2⁻⁴⁶, max(0, x+1) + max(0, x+1+δ) becomes max(0, 2x+2+δ), which is less by δ/2 at
// −1 − δ/2; a bound is δ. The next hinge, max(0, x+1+δ), is off half of 2 + δ by δ/2. Rows that are
// taken over, 3x + 3 + 2δ once more, are merged too, and bring their own error.
func TestMergedFeaturesBoundTheirError(t *testing.T) {
	const delta = 0x1p-46
	domain := cube{1, 2}.domain()
	f, p := NewFeatures(domain), quadprog.New(domain, 1)
	add := func(b float64) {
		f.Add([]float64{1}, b)
		p.AddHinge([]float64{1}, b, 1)
	}
	add(1)
	for k, want := range []float64{delta, 1.5 * delta} {
		if add(1 + delta); f.Len() != 1 || f.mergeError != want {
			t.Errorf("%d hinges become %d with the error %g, want one with %g", k+2, f.Len(), f.mergeError,
				want)
		}
	}
	if f.TakeRows(p); f.Len() != 1 || f.mergeError != 3*delta || p.Len() != p.First() {
		t.Errorf("with rows there are %d hinges with the error %g, want one with %g; %d rows are left",
			f.Len(), f.mergeError, 3*delta, p.Len()-p.First())
	}
	q := newSolver(cube{1, 2})
	q.Begin(affine(0), quadprog.Prox{}, f, 0)
	q.model.SetGamma(2)
	x := []float64{-2}
	value, _ := q.Evaluate(x)
	if gap := q.Gap(x, value); gap != 6*delta {
		t.Errorf("at a minimiser the gap is %g, want the error %g", gap, 6*delta)
	}
}
