package convex

import (
	"math"

	"ocobench/convex/vec"
)

// ray is a sum of hinges max(0, s·φ(x) + c) of one basis φ, s > 0: a convex,
// increasing and piecewise linear function H of the number u = φ(x), with
// breakpoints −c/s.
type ray struct {
	basis *Basis
	steps breaks
}

func (r *ray) add(s, c float64) { r.steps.add(-c/s, increment{a: s, b: c}) }

// homogeneous tells that all constants c are 0, and then returns Σ s.
func (r *ray) homogeneous() (float64, bool) {
	root := r.steps.root
	if root.kids != nil || root.n > 1 || root.key[0] != 0 {
		return 0, false
	}
	return root.sum[0].a, true
}

func (r *ray) value(x []float64) float64 { return r.at(r.basis.Value(x)) }

// at returns H(u).
func (r *ray) at(u float64) float64 {
	sum := r.steps.below(u)
	return max(0, float64(sum.a*u)+sum.b)
}

// subgrad writes a subgradient of H(φ(x)) to dst.
func (r *ray) subgrad(dst, x []float64) {
	sum := r.steps.below(r.basis.Value(x))
	r.basis.Subgrad(dst, x)
	vec.Scale(dst, sum.a)
}

// fan is a sum of hinges max(0, p·φ(x) + q·ψ(x)) of two bases, p, q ≥ 0. Which
// of them are on depends on the direction of (u, v) = (φ(x), ψ(x)) alone: with
// θ = q/(p+q), those with u + θ(v−u) > 0.
type fan struct {
	first, second *Basis
	steps         breaks // by θ
}

func (f *fan) add(p, q float64) { f.steps.add(q/(p+q), increment{a: p, b: q}) }

// active returns the sums of p and q over the hinges that are on.
func (f *fan) active(u, v float64) increment {
	switch {
	case u >= 0 && v >= 0:
		return f.steps.total()
	case u <= 0 && v <= 0:
		return increment{}
	case u > 0:
		return f.steps.below(u / (u - v))
	}
	sum, less := f.steps.total(), f.steps.below(math.Nextafter(u/(u-v), 2))
	return increment{a: sum.a - less.a, b: sum.b - less.b}
}

// at returns the value where the bases have the values u and v.
func (f *fan) at(u, v float64) float64 {
	sum := f.active(u, v)
	return max(0, float64(sum.a*u)+float64(sum.b*v))
}

func (f *fan) value(x []float64) float64 { return f.at(f.first.Value(x), f.second.Value(x)) }

// subgrad writes a subgradient to dst.
func (f *fan) subgrad(dst, x []float64) {
	sum := f.active(f.first.Value(x), f.second.Value(x))
	g := make([]float64, len(x))
	f.first.Subgrad(dst, x)
	vec.Scale(dst, sum.a)
	f.second.Subgrad(g, x)
	vec.Axpy(dst, sum.b, g)
}
