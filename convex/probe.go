package convex

import "ocobench/convex/vec"

// Probe measures functions on ℝⁿ at given points. A constant that is measured at points, such as a
// Lipschitz constant, bounds the true one from one side. The zero value is ready for use.
type Probe struct{ grad, mid []float64 }

// Slope returns the length of the subgradient of f at x. A Lipschitz constant is at least that.
func (p *Probe) Slope(f Func, x []float64) float64 {
	if len(p.grad) != len(x) {
		p.grad = make([]float64, len(x))
	}
	f.Subgrad(p.grad, x)
	return vec.Norm(p.grad)
}

// Chord returns the values of f at x and y, and how far their mean is above the value at the
// midpoint of x and y: at least 0 if f is convex, at least ‖x−y‖²·σ/8 if f is σ-strongly convex,
// and 0 if f is affine.
func (p *Probe) Chord(f Func, x, y []float64) (fx, fy, above float64) {
	if len(p.mid) != len(x) {
		p.mid = make([]float64, len(x))
	}
	for i := range x {
		p.mid[i] = float64(x[i]/2) + float64(y[i]/2)
	}
	fx, fy = f.Value(x), f.Value(y)
	return fx, fy, float64(fx/2) + float64(fy/2) - f.Value(p.mid)
}

// Extremes writes the points of the set that are farthest in a direction and against it to x and y.
func Extremes(set Set, direction, x, y []float64) {
	set.Support(x, direction)
	vec.Scale(direction, -1)
	set.Support(y, direction)
	vec.Scale(direction, -1)
}
