package convex_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/convex"
)

func quadratic(q, a []float64, b float64) *convex.Quadratic {
	return must(convex.NewQuadratic(q, a, b))
}

func distance(w, offset float64, center ...float64) *convex.Basis {
	return convex.NewBasis(&convex.Distance{Weight: w, Center: center, Offset: offset})
}

// absolute is |x_1|, with the subgradient 0 at the kink.
func absolute() *convex.Basis {
	return convex.NewBasis(&opaque{
		F: func(x []float64) float64 { return math.Abs(x[0]) },
		Grad: func(dst, x []float64) {
			clear(dst)
			switch {
			case x[0] > 0:
				dst[0] = 1
			case x[0] < 0:
				dst[0] = -1
			}
		}})
}

func TestFunctionsKeepTheLaws(t *testing.T) {
	plane := [][]float64{{0, 0}, {1, 0}, {0, -1}, {1, 2}, {-3, .5}, {1e3, -1e3}, {1e-9, 0}}
	line := [][]float64{{0}, {1}, {-1}, {1e-8}, {250}, {-3.5}}
	mixed := affine(3, 1, -2)
	distance(2, -1, 1, 2).AddTo(mixed, 3)
	absolute().AddTo(mixed, .5)
	quadratic([]float64{2, 1, 1, 3}, []float64{0, 0}, 0).AddTo(mixed, 1)
	for name, f := range map[string]convex.Func{
		"affine":           &convex.Affine{A: []float64{2, -3}, B: 1},
		"zero":             &convex.Affine{A: []float64{0, 0}},
		"quadratic":        quadratic([]float64{2, 1, 1, 3}, []float64{-1, 1}, 5),
		"quadratic=flat":   quadratic([]float64{1, 1, 1, 1}, []float64{-1, 1}, 0),
		"quadratic=zero":   quadratic([]float64{0, 0, 0, 0}, []float64{-1, 1}, 0),
		"squared-distance": &convex.HalfSquaredDistance{Weight: 3, Center: []float64{1, 2}, Offset: -1},
		"least-squares": &convex.LeastSquares{
			H: []float64{1, -2, .5, 3, 0, 1}, Y: []float64{1, -1, 4},
		},
		"least-squares=row": &convex.LeastSquares{H: []float64{1, -2}, Y: []float64{1}},
		"shifted":           &convex.Shifted{Base: &convex.Affine{A: []float64{1, 1}}, Shift: -4},
		"shifted=quadratic": &convex.Shifted{
			Base: quadratic([]float64{2, 1, 1, 3}, []float64{-1, 1}, 5), Shift: 2,
		},
		"shifted=distance": &convex.Shifted{Base: distance(1, 0, 1, 2), Shift: -2},
		"linear":           &convex.Linear{First: 1, A: []float64{3}},
		"single":           &convex.Single{Of: &convex.Distance{Weight: 2, Center: []float64{1, 2}}},
		"composite": &convex.Composite{Const: 1, Lin: []float64{1, -2}, Diag: []float64{2, 0},
			Quad: []float64{2, 1, 1, 3}, Parts: []convex.Part{
				{Scale: 1, Func: &convex.HalfSquaredDistance{Weight: 3, Center: []float64{1, 2}}},
				{Scale: 2, Func: distance(2, 1, 1, 2)},
				{Scale: -1, Func: &convex.Linear{A: []float64{3}}},
				{Scale: 0.5, Func: &convex.Single{Of: &convex.ElasticNet{L1: 2, L2: .5}}},
			}},
		"form":       affine(1, 2, 3),
		"form=mixed": mixed,
	} {
		t.Run(name, func(t *testing.T) { checkFunc(t, f, plane...) })
	}
	t.Run("line", func(t *testing.T) {
		checkFunc(t, quadratic([]float64{3}, []float64{1}, -2), line...)
		checkFunc(t, &convex.Affine{A: []float64{-2}, B: .1}, line...)
	})
	for name, b := range map[string]*convex.Basis{
		"basis=affine":    convex.NewBasis(&convex.Affine{A: []float64{2, -3}, B: 1}),
		"basis=quadratic": convex.NewBasis(quadratic([]float64{2, 1, 1, 3}, []float64{-1, 1}, 5)),
		"basis=squared":   convex.NewBasis(&convex.HalfSquaredDistance{Weight: 3, Center: []float64{1, 2}}),
		"basis=distance":  distance(2, 1, 1, 2),
		"basis=opaque":    absolute(),
		"basis=ridge": convex.NewBasis(
			&convex.Ridge{Curve: convex.Exp{}, Weight: 2, A: []float64{.005, -.01}, B: 1}),
		"basis=softplus": convex.NewBasis(
			&convex.Ridge{Curve: convex.Softplus{}, Weight: 1, A: []float64{2, -3}, B: 1}),
		"basis=elastic": convex.NewBasis(&convex.ElasticNet{L1: 2, L2: .5, Offset: -3}),
		"basis=lasso":   convex.NewBasis(&convex.ElasticNet{L1: 1}),
		"basis=separable": convex.NewBasis(
			&convex.Separable{Curve: convex.Exp{}, Weight: 2, First: 1, Rate: []float64{.005}, Offset: -1}),
	} {
		t.Run(name, func(t *testing.T) { checkBasis(t, b, plane...) })
	}
}

// Functions are equal if all their numbers are, and only then.
func TestFunctionsAreEqualIfAllNumbersAre(t *testing.T) {
	affine := func(v, b float64) *convex.Affine { return &convex.Affine{A: []float64{1, v}, B: b} }
	form := func(c, lin, quad, scale, b float64) *convex.Form {
		return &convex.Form{Const: c, Lin: []float64{lin, 0}, Quad: []float64{quad, 0, 0, 0},
			Terms: []convex.Term{{Scale: scale, Basis: convex.NewBasis(affine(2, b))}}}
	}
	composite := func(c, lin, diag, quad, scale, b float64) *convex.Composite {
		return &convex.Composite{Const: c, Lin: []float64{lin, 0}, Diag: []float64{diag, 0},
			Quad: []float64{quad, 0, 0, 0}, Parts: []convex.Part{{Scale: scale, Func: affine(2, b)}}}
	}
	for i, list := range [][]func() convex.Evaluator{{
		func() convex.Evaluator { return affine(2, 0) },
		func() convex.Evaluator { return affine(2, 1) },
		func() convex.Evaluator { return affine(3, 1) },
		func() convex.Evaluator { return &convex.Single{Of: affine(3, 1)} },
		func() convex.Evaluator { return &convex.Shifted{Base: affine(2, 0), Shift: 1} },
		func() convex.Evaluator { return &convex.Shifted{Base: affine(2, 0), Shift: 2} },
		func() convex.Evaluator { return &convex.Shifted{Base: affine(2, 1), Shift: 2} },
		func() convex.Evaluator { return &convex.Max{Pieces: []*convex.Form{form(1, 1, 1, 1, 1)}} },
		func() convex.Evaluator { return &convex.Max{Pieces: []*convex.Form{form(2, 1, 1, 1, 1)}} },
	}, {
		func() convex.Evaluator { return form(1, 1, 1, 1, 1) },
		func() convex.Evaluator { return form(2, 1, 1, 1, 1) },
		func() convex.Evaluator { return form(1, 2, 1, 1, 1) },
		func() convex.Evaluator { return form(1, 1, 2, 1, 1) },
		func() convex.Evaluator { return form(1, 1, 1, 2, 1) },
		func() convex.Evaluator { return form(1, 1, 1, 1, 2) },
	}, {
		func() convex.Evaluator { return composite(1, 1, 1, 1, 1, 1) },
		func() convex.Evaluator { return composite(2, 1, 1, 1, 1, 1) },
		func() convex.Evaluator { return composite(1, 2, 1, 1, 1, 1) },
		func() convex.Evaluator { return composite(1, 1, 2, 1, 1, 1) },
		func() convex.Evaluator { return composite(1, 1, 1, 2, 1, 1) },
		func() convex.Evaluator { return composite(1, 1, 1, 1, 2, 1) },
		func() convex.Evaluator { return composite(1, 1, 1, 1, 1, 2) },
	}} {
		for j, f := range list {
			for k, g := range list {
				if convex.Equal(f(), g()) != (j == k) {
					t.Errorf("list %d: functions %d and %d: got equal %v, want %v", i, j, k, j != k, j == k)
				}
			}
		}
	}
}

// unknown is a function of another package.
type unknown struct{ slope float64 }

func (f *unknown) Value(x []float64) float64 { return f.slope * x[0] }
func (f *unknown) Subgrad(dst, _ []float64)  { dst[0] = f.slope }

// A function of another package is equal to itself alone, and may be the base of others.
func TestUnknownFunctionsAreEqualToThemselvesAlone(t *testing.T) {
	f, g := &unknown{1}, &unknown{1}
	if !convex.Equal(f, f) || convex.Equal(f, g) || convex.Equal(f, &convex.Affine{A: []float64{1}}) {
		t.Error("got other functions equal, or a function not equal to itself, want it equal to " +
			"itself only")
	}
}

// What is described of a function that does not change is a copy, equal until it is changed.
func TestDescriptionsAreCopies(t *testing.T) {
	for _, f := range []convex.Func{
		convex.Freeze(&convex.Affine{A: []float64{1, 2}, B: 1}),
		convex.NewBasis(quadratic([]float64{2, 1, 1, 3}, []float64{0, 0}, 0)),
		convex.Freeze(&convex.Shifted{Base: &convex.Affine{A: []float64{1, 2}}, Shift: 3}),
		convex.NewBasis(&convex.Ridge{Curve: convex.Exp{}, Weight: 2, A: []float64{1, 2}}),
		convex.NewBasis(&convex.Separable{Curve: convex.Exp{}, Weight: 2, Rate: []float64{1, 2}}),
		convex.NewBasis(&convex.Distance{Weight: 2, Center: []float64{1, 2}}),
		convex.Freeze(&convex.LeastSquares{H: []float64{1, 2}, Y: []float64{1}}),
		convex.NewBasis(convex.NewMax(2, affine(1, 1, 2), affine(2, 0, 1))),
		convex.Freeze(&convex.Composite{Lin: []float64{1, 2}, Parts: []convex.Part{
			{Scale: 1, Func: &convex.Single{Of: &convex.ElasticNet{L1: 2}}}}}),
	} {
		x := []float64{0.5, -2}
		before, d, other := f.Value(x), convex.Describe(f), convex.Describe(f)
		if d == nil || d.Value(x) != before || !convex.Equal(d, other) || convex.Equal(d, absolute()) {
			t.Fatalf("%#v: got descriptions %#v and %#v, want two that are equal, with its values", f, d,
				other)
		}
		switch d := d.(type) {
		case *convex.Affine:
			d.A[0] = 7
		case *convex.Quadratic:
			d.Q[0] = 7
		case *convex.Shifted:
			d.Base.(*convex.Affine).A[0] = 7
		case *convex.Ridge:
			d.A[0] = 7
		case *convex.Separable:
			d.Rate[0] = 7
		case *convex.Distance:
			d.Center[0] = 7
		case *convex.LeastSquares:
			d.H[0] = 7
		case *convex.Max:
			d.Pieces[0].Lin[0] = 7
		case *convex.Composite:
			d.Parts[0].Func.(*convex.Single).Of.(*convex.ElasticNet).L1 = 7
		default:
			t.Fatalf("got a description %T, want one of the cases", d)
		}
		if convex.Equal(d, other) || f.Value(x) != before {
			t.Errorf("%T: got a change of the description in the function, or none in it, want a copy", d)
		}
	}
	if d := convex.Describe(absolute()); d != nil {
		t.Errorf("a function that is known by its values: got description %#v, want none", d)
	}
}

func TestBadQuadraticsAreRefused(t *testing.T) {
	for _, err := range []error{
		second(convex.NewQuadratic([]float64{1}, []float64{1, 2}, 0)),
		second(convex.NewQuadratic([]float64{1, 2, 3, 1}, []float64{1, 2}, 0)),
		second(convex.NewQuadratic([]float64{1, 2, 2, 1}, []float64{1, 2}, 0)),
		second(convex.NewQuadratic([]float64{-1}, []float64{1}, 0)),
		second(convex.NewQuadratic([]float64{math.NaN()}, []float64{1}, 0)),
		second(convex.NewQuadratic([]float64{1}, []float64{math.Inf(1)}, 0)),
	} {
		if err == nil {
			t.Error("a bad quadratic function: got no error, want one")
		}
	}
}

func TestResetFormIsZero(t *testing.T) {
	f := convex.NewForm(2)
	quadratic([]float64{2, 1, 1, 3}, []float64{-1, 1}, 5).AddTo(f, 1)
	distance(1, 0, 1, 2).AddTo(f, 2)
	kept := f.Clone()
	f.Reset()
	x := []float64{3, -4}
	if v := f.Value(x); v != 0 {
		t.Errorf("a form after Reset: got %v, want 0", v)
	}
	(&convex.HalfSquaredDistance{Weight: 2, Center: []float64{0, 0}}).AddTo(f, 1)
	if v := f.Value(x); v != 25 {
		t.Errorf("nothing of the old form is left: got %v, want 25", v)
	}
	if v, want := kept.Value(x), 9.-12+24-3-4+5+2*math.Hypot(2, 6); math.Abs(v-want) > 1e-12 {
		t.Errorf("a clone shares nothing: got %v, want %v", v, want)
	}
}

func TestAccumulateHasTheBitsOfAddTo(t *testing.T) {
	affines := []convex.Func{&convex.Affine{A: []float64{.1, -.3}, B: .7}, affine(-.2, .4, .6),
		&convex.Affine{A: []float64{1e-3, 1e3}, B: -1e-9}}
	curved, far := quadratic([]float64{2, 1, 1, 3}, []float64{.1, .2}, .3), distance(2, -1, 1, 2)
	// Affine functions take another path until others come among them.
	for k, others := range [][]convex.Func{nil, {curved}, {far}, {curved, far}, {far, curved}} {
		sum, twin := convex.NewForm(2), convex.NewForm(2)
		x := []float64{.7, -1.3}
		for i, g := range slices.Concat(affines, others, affines) {
			g.AddTo(twin, 1)
			value, total := sum.Accumulate(g, x)
			if want, wantTotal := g.Value(x), twin.Value(x); value != want || total != wantTotal {
				t.Errorf("function %d of sum %d: got %v and the sum %v; want %v and %v", i+1, k, value, total,
					want, wantTotal)
			}
		}
	}
}
