package convex

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// fromDimension runs f with separable programs solved by their multiplier from n dimensions on.
func fromDimension(n int, f func()) {
	defer func(was int) { largeSeparable = was }(largeSeparable)
	largeSeparable = n
	f()
}

// The nearest point to 0 with (1+x₁)(1+x₂) ≥ 4 is (1, 1), where x = λ/(1+x) gives λ = 2. From
// (−1, 4) it is where x₁ + 1 = λ/(1+x₁) and x₂ − 4 = λ/(1+x₂), unless that is outside of the box:
// with x₁ ≥ 0, (0, 4) is feasible, and nearest.
func TestMultiplierByHand(t *testing.T) {
	fromDimension(2, func() {
		p := NewProgram(Cube(2, 0, 4))
		p.Constrain(&Form{Const: math.Log(4), Lin: make([]float64, 2), Terms: []Term{{
			NewBasis(&Separable{Curve: NegLog{}, Weight: 1, Rate: []float64{1, 1}, Offset: 1}), 1}}})
		for _, c := range []struct {
			from, want []float64
			lambda     float64
		}{
			{[]float64{0, 0}, []float64{1, 1}, 2},
			{[]float64{-1, 4}, []float64{0, 4}, 0},
			{[]float64{2, 2}, []float64{2, 2}, 0},
			{[]float64{3, -9}, []float64{3, 0}, 0},
		} {
			x := make([]float64, 2)
			sol, err := p.Project(x, c.from)
			if err != nil || vec.Dist(x, c.want) > 1e-14 || abs(p.separable.Lambda()-c.lambda) > 1e-13 ||
				sol.Gap > 1e-14 || sol.Residual > 0 {
				t.Errorf("from %v: %v at %v, λ = %v, want %v and %v (%v)", c.from, sol, x,
					p.separable.Lambda(), c.want, c.lambda, err)
			}
		}
	})
}

// The least x₁ + x₂ with x₁x₂ ≥ 4 is 4, also where −log is infinite on a part of the box, such as
// in its middle. Few coordinates are left to SQP, which begins there: it does not say that there is
// no point.
func TestMultiplierAllowsInfiniteLogarithms(t *testing.T) {
	for _, from := range []int{2, 3} {
		fromDimension(from, func() {
			p, x := NewProgram(Cube(2, -4, 4)), make([]float64, 2)
			p.Constrain(&Form{Const: math.Log(4), Lin: make([]float64, 2), Terms: []Term{{
				NewBasis(&Separable{Curve: NegLog{}, Weight: 1, Rate: []float64{1, 1}}), 1}}})
			sol, err := p.Minimize(x, &Form{Lin: []float64{1, 1}})
			if err == nil && abs(sol.Value-4) > 1e-12 || err != nil && from == 2 ||
				errors.Is(err, ErrEmpty) {
				t.Errorf("multipliers from %d dimensions on: got %v at %v, error %v, want the value 4", from,
					sol, x, err)
			}
		})
	}
}

// Where a minimisation begins at a point at which the sum is infinite, that is an error, and no
// panic: of SQP, and of the cutting planes that a kink needs.
func TestSumsThatBeginAtInfinityReturnAnError(t *testing.T) {
	kink := &Max{Pieces: []*Form{{Lin: []float64{1, 0}}, {Lin: []float64{0, 1}}}}
	obj := NewForm(2)
	NewBasis(&Ridge{Curve: NegLog{}, Weight: 1, A: []float64{1, 1}}).AddTo(obj, 1)
	for range 2 {
		x, s := make([]float64, 2), NewSum(Cube(2, -1, 1))
		if s.Add(1, obj); len(obj.Terms) > 1 != s.isKinked() {
			t.Fatalf("%d terms: got kinked %v, want %v", len(obj.Terms), s.isKinked(), len(obj.Terms) > 1)
		}
		_, err := s.Minimize(x, Prox{})
		_, again := NewProgram(Cube(2, -1, 1)).Minimize(x, obj)
		if !errors.Is(err, quadprog.ErrNotFinite) ||
			again != nil && !errors.Is(again, quadprog.ErrNotFinite) {
			t.Errorf("%d terms: got errors %v and %v, want %v, the second or none", len(obj.Terms), err,
				again, quadprog.ErrNotFinite)
		}
		NewBasis(kink).AddTo(obj, 1)
	}
}

// separableCase draws a function Φ of a box, an objective and a regulariser. Half of the
// coordinates have the numbers of the one before.
func separableCase(r *rand.Rand) (box *Box, phi *Basis, obj *Form, prox Prox) {
	n := 1 + r.IntN(7)
	if n == 1 {
		n = 8
	}
	lower, upper := make([]float64, n), make([]float64, n)
	first := r.IntN(n)
	rate := make([]float64, 1+r.IntN(n-first))
	curve, sign := []Curve{NegLog{}, Exp{}, Softplus{}}[r.IntN(3)], 1.0
	if _, ok := curve.(NegLog); !ok && r.IntN(2) == 0 {
		sign = -1
	}
	obj, prox = NewForm(n), Prox{Center: make([]float64, n)}
	if r.IntN(2) == 0 {
		obj.quadStorage()
	}
	if r.IntN(2) == 0 {
		prox.Weight = math.Ldexp(1, r.IntN(12)-6)
	}
	for i := range n {
		k := i - first
		same := i > 0 && r.IntN(2) == 0
		switch {
		case same:
			lower[i], upper[i] = lower[i-1], upper[i-1]
			obj.Lin[i], prox.Center[i] = obj.Lin[i-1], prox.Center[i-1]
		default:
			lower[i] = r.Float64()
			upper[i] = lower[i] + 3*r.Float64()
			obj.Lin[i], prox.Center[i] = 4*r.NormFloat64()*float64(r.IntN(3)), 3*r.NormFloat64()
		}
		if len(obj.Quad) > 0 {
			obj.Quad[i*n+i] = float64(r.IntN(3))
		}
		if k >= 0 && k < len(rate) {
			if rate[k] = sign * (0.2 + 2*r.Float64()); same && k > 0 {
				rate[k] = rate[k-1]
			}
		}
	}
	f := &Separable{Curve: curve, Weight: 0.1 + 3*r.Float64(), First: first, Rate: rate,
		Offset: 0.5 * r.Float64()}
	return &Box{lower, upper}, NewBasis(f), obj, prox
}

// The multiplier and SQP find the same least value, for constraints and for hinges, within what
// their certificates allow; and the multiplier is what solved it.
func TestMultiplierHasTheMinimumOfSQP(t *testing.T) {
	const cases = 3000
	empty, active, moved := 0, 0, 0
	for k := range cases {
		r := rand.New(rand.NewPCG(7, uint64(k)))
		box, phi, obj, prox := separableCase(r)
		n := box.Dim()
		low, high := slices.Clone(box.Lower), slices.Clone(box.Upper)
		ends := []float64{phi.Value(low), phi.Value(high)}
		slices.Sort(ends)
		// Some constraints have no point, and some no effect.
		b := -(ends[0] + float64((ends[1]-ends[0])*(1.2*r.Float64()-0.1)))
		weight := math.Inf(1)
		if r.IntN(2) == 0 {
			weight = math.Ldexp(1, r.IntN(16)-6)
		}
		solve := func(from int) (x []float64, cert Cert, steps int, err error) {
			x = make([]float64, n)
			fromDimension(from, func() {
				con := &Form{Const: b, Lin: make([]float64, n), Terms: []Term{{phi, 1}}}
				if math.IsInf(weight, 1) {
					p := NewProgram(box)
					p.Constrain(con)
					var sol Solution
					if sol, err = p.minimize(x, obj, prox); err == nil && sol.Residual > 1e-9 {
						t.Errorf("case %d: got residual %g, want at most 1e-9", k, sol.Residual)
					}
					cert, steps = sol.Cert, p.separable.Steps()
					return
				}
				s := NewSum(box)
				s.Add(1, obj)
				s.SetGamma(4)
				s.AddHinge(weight/4, con)
				cert, err = s.Minimize(x, prox)
				steps = s.separable.Steps()
			})
			return x, cert, steps, err
		}
		x, got, steps, err := solve(1)
		y, want, _, wrong := solve(1 << 30)
		if errors.Is(err, ErrEmpty) != errors.Is(wrong, ErrEmpty) || err == nil != (wrong == nil) {
			t.Errorf("case %d: got error %v, want %v as by SQP", k, err, wrong)
		}
		if err != nil {
			empty++
			continue
		}
		if steps == 0 || steps > 80 || got.Iterations != steps {
			t.Errorf("case %d: got %d values of the multiplier and %d iterations, want as many, 1 to 80", k,
				steps, got.Iterations)
		}
		unit := 1 + abs(want.Value)
		switch {
		case !(got.Gap <= 1e-10*unit) || box.Residual(x) > 0:
			t.Errorf("case %d: gap %g at %v", k, got.Gap, x)
		case got.Value-got.Gap > want.Value+1e-8*unit || want.Value-want.Gap > got.Value+1e-8*unit:
			t.Errorf("case %d: %+v at %v, by SQP %+v at %v", k, got, x, want, y)
		}
		if steps > 2 {
			active++
		}
		if vec.Dist(x, y) > 1e-5 {
			moved++
		}
	}
	t.Logf("%d empty, %d with a multiplier, %d of other minimisers", empty, active, moved)
	if empty < cases/100 || active < cases/4 || moved > cases/4 {
		t.Error("got one-sided cases, want at least 1 % empty, 25 % with a multiplier, at most 25 % " +
			"moved")
	}
}
