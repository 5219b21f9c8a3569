package convex_test

import (
	"math"
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

func TestFuncs(t *testing.T) {
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
		"squared-distance": &convex.SquaredDistance{Weight: 3, Center: []float64{1, 2}, Offset: -1},
		"least-squares": &convex.LeastSquares{
			H: []float64{1, -2, .5, 3, 0, 1}, Y: []float64{1, -1, 4},
		},
		"least-squares=row": &convex.LeastSquares{H: []float64{1, -2}, Y: []float64{1}},
		"shifted":           &convex.Shifted{Base: &convex.Affine{A: []float64{1, 1}}, Shift: -4},
		"shifted=quadratic": &convex.Shifted{
			Base: quadratic([]float64{2, 1, 1, 3}, []float64{-1, 1}, 5), Shift: 2,
		},
		"shifted=distance": &convex.Shifted{Base: distance(1, 0, 1, 2), Shift: -2},
		"form":             affine(1, 2, 3),
		"form=mixed":       mixed,
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
		"basis=squared":   convex.NewBasis(&convex.SquaredDistance{Weight: 3, Center: []float64{1, 2}}),
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

func TestBadQuadratics(t *testing.T) {
	for _, err := range []error{
		second(convex.NewQuadratic([]float64{1}, []float64{1, 2}, 0)),
		second(convex.NewQuadratic([]float64{1, 2, 3, 1}, []float64{1, 2}, 0)),
		second(convex.NewQuadratic([]float64{1, 2, 2, 1}, []float64{1, 2}, 0)),
		second(convex.NewQuadratic([]float64{-1}, []float64{1}, 0)),
		second(convex.NewQuadratic([]float64{math.NaN()}, []float64{1}, 0)),
		second(convex.NewQuadratic([]float64{1}, []float64{math.Inf(1)}, 0)),
	} {
		if err == nil {
			t.Error("a bad quadratic function was made")
		}
	}
}

func TestFormReuse(t *testing.T) {
	f := convex.NewForm(2)
	quadratic([]float64{2, 1, 1, 3}, []float64{-1, 1}, 5).AddTo(f, 1)
	distance(1, 0, 1, 2).AddTo(f, 2)
	kept := f.Clone()
	f.Reset()
	x := []float64{3, -4}
	if v := f.Value(x); v != 0 {
		t.Errorf("a form after Reset is zero: got %v", v)
	}
	(&convex.SquaredDistance{Weight: 2, Center: []float64{0, 0}}).AddTo(f, 1)
	if v := f.Value(x); v != 25 {
		t.Errorf("nothing of the old form is left: got %v, want 25", v)
	}
	if v, want := kept.Value(x), 9.-12+24-3-4+5+2*math.Hypot(2, 6); math.Abs(v-want) > 1e-12 {
		t.Errorf("a clone shares nothing: got %v, want %v", v, want)
	}
}

func TestAccumulate(t *testing.T) {
	sum, twin := convex.NewForm(2), convex.NewForm(2)
	x := []float64{.7, -1.3}
	// Affine functions take another path until others come among them.
	for i, g := range []convex.Func{
		&convex.Affine{A: []float64{.1, -.3}, B: .7},
		affine(-.2, .4, .6),
		&convex.Affine{A: []float64{1e-3, 1e3}, B: -1e-9},
		quadratic([]float64{2, 1, 1, 3}, []float64{.1, .2}, .3),
		&convex.Affine{A: []float64{.1, -.3}, B: .7},
		distance(2, -1, 1, 2),
		&convex.Affine{A: []float64{-.9, .3}, B: .1},
	} {
		g.AddTo(twin, 1)
		value, total := sum.Accumulate(g, x)
		if want, wantTotal := g.Value(x), twin.Value(x); value != want || total != wantTotal {
			t.Errorf("function %d: got %v and the sum %v; want %v and %v", i+1, value, total, want,
				wantTotal)
		}
	}
}
