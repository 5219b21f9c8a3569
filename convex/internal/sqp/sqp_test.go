package sqp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/scalar"
	"ocobench/convex/vec"
)

// sizesOf runs f with these sizes.
func sizesOf(largeModel, fewShare int, f func()) {
	defer func(was int) { Sizes.LargeModel = was }(Sizes.LargeModel)
	defer func(was int) { Sizes.FewShare = was }(Sizes.FewShare)
	Sizes.LargeModel, Sizes.FewShare = largeModel, fewShare
	f()
}

// −x_1 + γ·2·max(0, ½‖x‖² − ½) over [−2, 2]² is least at (1, 0), where it is −1, with the
// multiplier 1, for every γ above ½. At (2, 0) it is −2 + 3γ, L = −x_1 + ½‖x‖² − ½ is −½, and its
// tangent falls by 1·4: the gap is 3γ − 1½ + 4. The constant −½
// is one of the function or of the hinge.
func TestMultipliersAndGapByHand(t *testing.T) {
	for _, c := range []struct {
		name  string
		gamma float64
		add   func(q *Solver)
	}{
		{"own function", 1, func(q *Solver) { q.AddHinge(2, &ball{1, -0.5, []float64{0, 0}}) }},
		{"own function, γ = 4", 4, func(q *Solver) { q.AddHinge(2, &ball{1, -0.5, []float64{0, 0}}) }},
		{"hinges of one function, γ = 2", 2, func(q *Solver) {
			h := new(scalar.Hinges)
			h.Add(2, -1)
			q.AddHinges(h, &ball{1, 0, []float64{0, 0}})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, x := newSolver(cube{2, 2}), make([]float64, 2)
			q.model.SetGamma(c.gamma)
			q.Begin(affine(-1, 0), quadprog.Prox{}, nil, 0)
			c.add(q)
			cert, err := q.Minimize(x, nil)
			if err != nil || math.Abs(cert.Value+1) > 1e-12 || math.Abs(x[0]-1) > 1e-7 ||
				!(cert.Gap <= 1e-12) {
				t.Errorf("%+v at %v, %v, want −1 at (1, 0)", cert, x, err)
			}
			if lambda := q.inner[0].coefficient; math.Abs(lambda-1) > 1e-7 {
				t.Errorf("the multiplier is %v, want 1", lambda)
			}
			at := []float64{2, 0}
			value, _ := q.Evaluate(at)
			gap, want := q.Gap(at, value), 3*c.gamma-2
			if math.Abs(value-want) > 1e-12 || math.Abs(gap-want-4.5) > 1e-6 {
				t.Errorf("at (2, 0) the value is %v and the gap %v, want %v and %v", value, gap, want, want+4.5)
			}
		})
	}
}

// The certificate does not need the right multipliers: for any 0 ≤ λ ≤ w it bounds the loss of any
// point, of smooth functions, ‖x‖₁ in the objective and in a hinge, and a regulariser.
func TestCertificatesHoldForAnyMultipliers(t *testing.T) {
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
		q := newSolver(cube{n, 1})
		q.Begin(affine(vector()...), quadprog.Prox{Weight: float64(r.IntN(2)), Center: vector()}, nil, 0)
		q.SetTerms(objectiveTerms{&bowl{a: vector()}})
		for range 3 {
			q.AddHinge(1, &ball{1 + r.Float64(), -1, vector()})
		}
		if seed%2 == 0 {
			q.AddHinge(1, newNetBall(n, -r.Float64()))
		}
		x, x0 := make([]float64, n), make([]float64, n)
		best, err := q.Minimize(x, nil)
		if err != nil || best.Relative() > 1e-9 {
			t.Fatalf("seed %d: %+v, %v, want a certificate", seed, best, err)
		}
		for k := range q.inner[1:] {
			q.inner[k+1].coefficient = r.Float64()
		}
		q.constant = 0
		for _, far := range []float64{0, 1e-3, 0.1, 10} {
			y := vector()
			for i := range y {
				x0[i] = x[i] + far*y[i]
			}
			q.domain.Project(y, x0)
			value, _ := q.Evaluate(y)
			if gap := q.Gap(y, value); gap < value-best.Value-1e-9 {
				t.Errorf("seed %d: %v loses %g, want at most its gap %g", seed, y, value-best.Value, gap)
			}
		}
	}
}

// The Hessians of the functions make a step exact where these are quadratic: one of ¾‖x − c‖² in
// the objective from any point, and one of −x_1 + λ(½‖x‖² − ½) once the multiplier λ = 1 is known.
func TestStepsUseTheHessian(t *testing.T) {
	q, center := newSolver(cube{2, 5}), []float64{1, -3}
	q.Begin(affine(0, 0), quadprog.Prox{}, nil, 0)
	q.SetTerms(objectiveTerms{&ball{1.5, 0, center}})
	q.Evaluate(q.x)
	if err := q.step(q.x, 0); err != nil || vec.Dist(q.x, center) > 1e-12 {
		t.Errorf("a step leads to %v, %v, want %v", q.x, err, center)
	}

	q.Begin(affine(-1, 0), quadprog.Prox{}, nil, 0)
	q.Constrain(&ball{1, -0.5, []float64{0, 0}}, 1)
	copy(q.x, []float64{1, 0.01})
	q.Evaluate(q.x)
	q.inner[0].coefficient = 1
	// The model has the linearised constraint, and leaves an error of about 0.01².
	if err := q.step(q.x, 0); err != nil || vec.Dist(q.x, []float64{1, 0}) > 1e-4 {
		t.Errorf("a step leads to %v, %v, want (1, 0) within 10⁻⁴", q.x, err)
	}
}

// The violation at a point is that of the constraint which is violated most, whichever comes
// last: of ‖x‖² ≤ 1 and ‖x‖² ≤ 3 at (2, 0) it is 3, over the slope 4 times the size of the domain.
func TestViolationIsTheLargest(t *testing.T) {
	for _, most := range [][2]float64{{1, 3}, {3, 1}} {
		q := newSolver(cube{2, 2})
		q.Begin(affine(0, 0), quadprog.Prox{}, nil, 0)
		for _, r := range most {
			q.Constrain(&ball{2, -r, []float64{0, 0}}, 0)
		}
		q.chooseModel()
		want := 3 / (4 * q.model.Scale())
		if _, got := q.Evaluate([]float64{2, 0}); math.Abs(got-want) > 1e-12 {
			t.Errorf("‖x‖² ≤ %v and ≤ %v are violated by %v at (2, 0), want %v", most[0], most[1], got, want)
		}
	}
}

// The curvature of the quadratic part makes the gap the square of an error: of ½·3‖x‖² − 3x₁ over
// [−2, 2]², where the Hessian has the eigenvalues 3 and 3, at (1 + ε, 0) the value is too large by
// 3ε²/2, and the gap is as large. Without the curvature it is 3ε(3 + ε), the slope times the way
// to the corner (−2, ·).
func TestCurvatureBoundsTheGap(t *testing.T) {
	const e = 0x1p-10
	none := objectiveTerms{&ball{center: make([]float64, 2)}}
	for _, c := range []struct {
		from int
		want float64
	}{{2, 1.5 * e * e}, {1 << 30, 3 * e * (3 + e)}} {
		sizesOf(c.from, 4, func() {
			q := newSolver(cube{2, 2})
			q.Begin(quadprog.Quadratic{Lin: []float64{-3, 0}, Q: []float64{3, 0, 0, 3}}, quadprog.Prox{}, nil, 0)
			q.SetTerms(none)
			q.boundCurvature()
			x := []float64{1 + e, 0}
			v, _ := q.Evaluate(x)
			if gap := q.Gap(x, v); math.Abs(gap-c.want) > 1e-12*c.want+1e-15 {
				t.Errorf("from %d dimensions on: the gap is %g, want %g", c.from, gap, c.want)
			}
		})
	}
	// Of [[2, 1], [1, 2]] the circles bound the eigenvalues 1 and 3 by 1, of [[1, 2], [2, 4]] by 0.
	sizesOf(2, 4, func() {
		q := newSolver(cube{2, 2})
		for _, c := range []struct{ quad, want float64 }{{2, 1}, {1, 0}} {
			q.Begin(quadprog.Quadratic{Lin: []float64{0, 0}, Q: []float64{c.quad, 1, 1, c.quad}},
				quadprog.Prox{}, nil, 0)
			q.SetTerms(none)
			if q.boundCurvature(); q.curvature > c.want || q.curvature < c.want-1e-12 {
				t.Errorf("the curvature of %v is bounded by %v, want %v", q.obj.Q, q.curvature, c.want)
			}
		}
	})
}

// Where a gradient has few numbers, the models have a list of them.
func TestModelsListFewNumbers(t *testing.T) {
	sizesOf(24, 1, func() {
		q := newSolver(cube{3, 1})
		q.Begin(affine(0, 0, 0), quadprog.Prox{Weight: 1, Center: make([]float64, 3)}, nil, 0)
		q.SetTerms(objectiveTerms{&ball{1, 0, []float64{0.5, 0.5, 0.5}}})
		h := new(scalar.Hinges)
		h.Add(1, 0.25)
		q.AddHinges(h, &coordinate{1})
		if _, err := q.Minimize(make([]float64, 3), nil); err != nil {
			t.Fatal(err)
		}
		if few := q.inner[1].fewCoordinates(); !slices.Equal(few, []int32{1}) {
			t.Errorf("numbers at %v, want [1]", few)
		}
	})
}

// coordinate is x_i.
type coordinate struct{ i int }

func (f *coordinate) Value(x []float64) float64                       { return x[f.i] }
func (f *coordinate) Subgrad(dst, x []float64)                        { clear(dst); dst[f.i] = 1 }
func (f *coordinate) AddHessian([]float64, []float64, float64, []int) {}
func (f *coordinate) Norm1() float64                                  { return 0 }

// A hinge of ‖x‖₁ lifts the model unless it is slack in many dimensions. Both models find the
// minimiser: −x_1 − x_2 with 8·max(0, ‖x‖₁ + ½‖x‖² − 1) is least at x_1 = x_2 = √2 − 1; with the
// offset −100 it is least at the corner.
func TestOnlyActiveHingesLiftLargeModels(t *testing.T) {
	for _, c := range []struct {
		from       int
		offset, at float64
		lifted     bool
	}{
		{from: 1 << 30, offset: -1, at: math.Sqrt2 - 1, lifted: true},
		{from: 1 << 30, offset: -100, at: 2, lifted: true},
		{from: 2, offset: -1, at: math.Sqrt2 - 1, lifted: true},
		{from: 2, offset: -100, at: 2, lifted: false},
	} {
		sizesOf(c.from, 4, func() {
			q, x := newSolver(cube{2, 2}), make([]float64, 2)
			q.Begin(affine(-1, -1), quadprog.Prox{}, nil, 0)
			q.AddHinge(8, newNetBall(2, c.offset))
			cert, err := q.Minimize(x, nil)
			if err != nil || vec.Dist(x, []float64{c.at, c.at}) > 1e-6 || cert.Relative() > 1e-10 ||
				q.isLifted != c.lifted {
				t.Errorf("from %d dimensions on, offset %v: %+v at %v, lifted %v, %v; want %v, lifted %v",
					c.from, c.offset, cert, x, q.isLifted, err, c.at, c.lifted)
			}
		})
	}
}

// The minimiser of a multiple of ‖x‖₁ has zeros, not small numbers, and the subgradient of ‖x‖₁
// there follows from the multipliers: ½‖x − c‖² + ‖x‖₁ + ½‖x‖² has it at x_i = (c_i ∓ 1)/2, or at 0
// where |c_i| ≤ 1, with the sign c_i.
func TestSignsAreRecovered(t *testing.T) {
	q, x := newSolver(cube{3, 5}), make([]float64, 3)
	q.Begin(affine(-3, 0.5, 2), quadprog.Prox{Weight: 0.5, Center: make([]float64, 3)}, nil, 0)
	q.SetTerms(objectiveTerms{newNetBall(3, 0)})
	cert, err := q.Minimize(x, nil)
	if err != nil || vec.Dist(x, []float64{1, 0, -0.5}) > 1e-7 || x[1] != 0 || cert.Relative() > 1e-12 {
		t.Errorf("%+v at %v, %v, want (1, 0, −½)", cert, x, err)
	}
	if vec.Dist(q.lifted.sign, []float64{1, -0.5, -1}) > 1e-7 {
		t.Errorf("the subgradient of ‖x‖₁ is %v, want (1, −½, −1)", q.lifted.sign)
	}
}

// Of the hinges of one function, the five on each side of the predicted value are rows by
// themselves, and the others sums of 2, 4, 8, … whose arguments add up to all.
func TestGroupsOfHingesGrowWithTheDistance(t *testing.T) {
	around := make([]scalar.Increment, 40)
	for k := range around {
		around[k] = scalar.Increment{A: 1, B: math.Ldexp(1, k)}
	}
	sizes, sum := []float64{}, 0.0
	for s := range groupFromMiddle(around, 20) {
		sizes, sum = append(sizes, s.A), sum+s.B
	}
	side := []float64{1, 1, 1, 1, 1, 2, 4, 8, 1} // 20 hinges
	want := slices.Concat(side, side)
	if !slices.Equal(sizes, want) || sum != math.Ldexp(1, 40)-1 {
		t.Errorf("groups of %v with the sum %v, want groups of %v with the sum 2⁴⁰ − 1", sizes, sum, want)
	}
}

// A hinge whose argument is 0 up to rounding at the last minimiser begins at its kink, so that a
// model with the same minimiser takes no ascent: x_1² − 2½x_1 + max(0, x_1 + c) is least at −c,
// near 1. Others begin on or off.
func TestHingesBeginAsTheyEnded(t *testing.T) {
	for _, c := range []struct {
		c          float64
		on, atKink bool
	}{
		{-1, false, true}, {-1 + 0x1p-50, false, true}, {-1 - 0x1p-50, false, true},
		{-1 - 1e-11, false, false}, {-1 + 1e-11, true, false},
	} {
		q := newSolver(cube{2, 2})
		q.Begin(affine(0, 0), quadprog.Prox{}, nil, 0)
		q.AddHinge(1, &coordinate{0})
		q.inner[0].model = 1
		p := q.model
		row := p.Len()
		p.AddRow([]float64{1, 0}, c.c, 1)
		q.setInitialState(compositeHinge{i: 0, j: -1, p: 1, c: c.c, w: 1}, row)
		if on := p.IsOn(row); on != c.on {
			t.Errorf("c = %v: on is %v, want %v", c.c, on, c.on)
		}
		p.Linear()[0] = -2.5
		err := p.Solve(2, make([]float64, 4))
		if none := p.Steps() == 0; err != nil || !p.AtKink(row) || none != c.atKink {
			t.Errorf("c = %v: %d ascents to %v, %v, want none: %v", c.c, p.Steps(), p.X(), err, c.atKink)
		}
	}
}
