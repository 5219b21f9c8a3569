package convex

import (
	"math"

	"ocobench/problems/convex/vec"
)

// ray is a sum of hinges max(0, s·φ(x) + c) of one basis φ, s > 0: a convex,
// increasing and piecewise linear function H of the number u = φ(x), with
// breakpoints −c/s.
type ray struct {
	basis *Basis
	form  *Form // φ where it is affine or quadratic, else nil
	steps breaks
}

func newRay(b *Basis, n int) *ray {
	r := &ray{basis: b}
	if form, ok := b.Expand(n); ok {
		r.form = form
	}
	return r
}

func (r *ray) add(s, c float64) { r.steps.add(-c/s, increment{s, c}) }

func (r *ray) value(x []float64) float64 { return r.at(r.basis.Value(x)) }

// at returns H(u).
func (r *ray) at(u float64) float64 {
	sum := r.steps.below(u)
	return max(0, float64(sum[0]*u)+sum[1])
}

// subgrad writes a subgradient of H(φ(x)) to dst.
func (r *ray) subgrad(dst, x []float64) {
	sum := r.steps.below(r.basis.Value(x))
	r.basis.Subgrad(dst, x)
	vec.Scale(dst, sum[0])
}

// minimizeRay minimises f + γH(φ(x)) with f and φ affine or quadratic. For a
// multiplier μ let x(μ) minimise f + μφ; u(μ) = φ(x(μ)) falls in μ, and the
// minimiser is x(μ) for the μ in γ∂H(u(μ)), found by one search over the
// breakpoints of H and, at a breakpoint, a root of u(μ) = u.
func (s *Sum) minimizeRay(dst []float64, prox Prox) (Cert, error) {
	r := s.rays[0]
	inner := newActiveSet(s.n, s.set)
	obj := NewForm(s.n)
	probes := 0
	solve := func(mu float64) (u float64, err error) {
		probes++
		obj.Reset()
		s.smooth.AddTo(obj, 1)
		r.form.AddTo(obj, mu)
		_, err = inner.minimize(dst, s.set, obj, prox)
		return r.form.Value(dst), err
	}
	var failed error
	key, before, at, ok := r.steps.search(func(key float64, sum increment) bool {
		u, err := solve(s.gamma * sum[0])
		if err != nil {
			failed = err
		}
		return u <= key
	})
	if failed != nil {
		return Cert{}, failed
	}
	mu := s.gamma * before[0]
	u, err := solve(mu)
	if err != nil {
		return Cert{}, err
	}
	if ok && u > key {
		mu, u, err = root(mu, s.gamma*(before[0]+at[0]), u-key, func(mu float64) (float64, error) {
			u, err := solve(mu)
			return u - key, err
		})
		u += key
	}
	if err != nil {
		return Cert{}, err
	}
	// The dual bound: H(u) ≥ μu − H*(μ), with equality on the piece of slope
	// μ, extended by the fraction of a breakpoint's hinge that is on.
	h := float64(s.gamma * r.at(u))
	conj := float64(s.gamma * before[1])
	if ok && mu > s.gamma*before[0] {
		conj -= float64((mu - float64(s.gamma*before[0])) * key)
	}
	slack := h - (float64(mu*u) + conj)
	g := make([]float64, s.n)
	obj.Subgrad(g, dst)
	return s.proxCert(dst, g, prox, s.smooth.Value(dst)+h+float64(s.gamma*s.consts), max(0, slack), probes), nil
}

// proxCert certifies dst, where g is a subgradient there of a lower bound of
// the sum that is slack below it, and adds the regulariser to both.
func (s *Sum) proxCert(dst, g []float64, prox Prox, value, slack float64, iterations int) Cert {
	if prox.Weight > 0 {
		for i, v := range dst {
			g[i] += float64(2 * prox.Weight * (v - prox.Center[i]))
		}
	}
	return Cert{
		Value:      value + s.proxValue(prox, dst),
		Gap:        slack + tangentGap(s.set, dst, g, 2*prox.Weight),
		Exact:      true,
		Iterations: iterations,
	}
}

// root finds the zero of a falling function on [a, b] to rounding, given
// f(a) > 0 ≥ f(b), by the Illinois method guarded by bisection. It ends at
// the last point evaluated.
func root(a, b, fa float64, f func(float64) (float64, error)) (x, fx float64, err error) {
	fb, err := f(b)
	if err != nil {
		return b, fb, err
	}
	x, fx = b, fb
	tight := 1e-15 * (abs(fa) + abs(fb))
	for k := 0; k < 200 && abs(fx) > tight; k++ {
		m := b - float64(fb*(b-a))/(fb-fa)
		if !(m > a && m < b) || k%8 == 7 {
			m = a + (b-a)/2
		}
		if m <= a || m >= b {
			break
		}
		x = m
		if fx, err = f(m); err != nil {
			return x, fx, err
		}
		if fx <= 0 {
			b, fb = m, fx
			fa /= 2
		} else {
			a, fa = m, fx
			fb /= 2
		}
	}
	return x, fx, nil
}

// fan is a sum of hinges max(0, p·φ(x) + q·ψ(x)) of two bases, p, q > 0. Which
// of them are on depends on the ratio of u = φ(x) and v = ψ(x) alone: with
// u > 0 > v those with q/p < u/(−v), with u < 0 < v those with q/p > u/(−v).
type fan struct {
	first, second *ray // their bases; the breakpoints are here
	steps         breaks
}

func (f *fan) add(p, q float64) { f.steps.add(q/p, increment{p, q}) }

// active returns the sums of p and q over the hinges that are on.
func (f *fan) active(u, v float64) increment {
	switch {
	case u >= 0 && v >= 0:
		return f.steps.total()
	case u > 0:
		return f.steps.below(u / -v)
	case v > 0:
		sum, less := f.steps.total(), f.steps.below(math.Nextafter(-u/v, math.Inf(1)))
		return increment{sum[0] - less[0], sum[1] - less[1]}
	}
	return increment{}
}

func (f *fan) value(x []float64) float64 {
	u, v := f.first.basis.Value(x), f.second.basis.Value(x)
	sum := f.active(u, v)
	return max(0, float64(sum[0]*u)+float64(sum[1]*v))
}

// subgrad writes a subgradient to dst.
func (f *fan) subgrad(dst, x []float64) {
	sum := f.active(f.first.basis.Value(x), f.second.basis.Value(x))
	g := make([]float64, len(x))
	f.first.basis.Subgrad(dst, x)
	vec.Scale(dst, sum[0])
	f.second.basis.Subgrad(g, x)
	vec.Axpy(dst, sum[1], g)
}

// minimizeFan minimises f + γΣ max(0, pφ + qψ). The multipliers (μ, ν) of φ
// and ψ lie in the zonotope Σ[0,1]·γ(p, q), whose boundary is two chains of
// the hinges in order of q/p: one adds them by rising, the other by falling
// ratio. The optimum is a corner or on an edge of one of the chains, where it
// is found by a search, unless both bases vanish there; then the certificate
// is loose, and cutting planes take over.
func (s *Sum) minimizeFan(dst []float64, prox Prox) (Cert, error) {
	f := s.fans[0]
	inner := newActiveSet(s.n, s.set)
	obj := NewForm(s.n)
	probes := 0
	var failed error
	solve := func(mu increment) (u, v float64) {
		probes++
		obj.Reset()
		s.smooth.AddTo(obj, 1)
		f.first.form.AddTo(obj, s.gamma*mu[0])
		f.second.form.AddTo(obj, s.gamma*mu[1])
		if _, err := inner.minimize(dst, s.set, obj, prox); err != nil {
			failed = err
		}
		return f.first.form.Value(dst), f.second.form.Value(dst)
	}
	certify := func(mu increment) Cert {
		u, v := solve(mu)
		sum := f.active(u, v)
		h := float64(s.gamma * max(0, float64(sum[0]*u)+float64(sum[1]*v)))
		slack := h - float64(s.gamma*(float64(mu[0]*u)+float64(mu[1]*v)))
		g := make([]float64, s.n)
		obj.Subgrad(g, dst)
		return s.proxCert(dst, g, prox, s.smooth.Value(dst)+h+float64(s.gamma*s.consts), max(0, slack), probes)
	}
	total := f.steps.total()
	best := Cert{Gap: math.Inf(1)}
	point := make([]float64, s.n)
	// On the first chain the hinges before the one found are on; on the
	// second those after it. chain returns the corner next to an edge.
	for _, second := range []bool{false, true} {
		corner := func(sum increment) increment {
			if second {
				return increment{total[0] - sum[0], total[1] - sum[1]}
			}
			return sum
		}
		ratio, before, at, ok := f.steps.search(func(ratio float64, sum increment) bool {
			u, v := solve(corner(sum))
			rises := u+float64(ratio*v) > 0
			if second {
				return rises
			}
			return !rises
		})
		mu := corner(before)
		if u, v := solve(mu); ok && (u+float64(ratio*v) > 0) != second {
			// Part of the hinge found is on: walk its edge until p·u+q·v = 0.
			after := before
			after.add(at)
			from, edge := mu, at
			if second {
				from = corner(after)
				u, v = solve(from)
			}
			on := func(l float64) increment {
				return increment{from[0] + float64(l*edge[0]), from[1] + float64(l*edge[1])}
			}
			l, _, err := root(0, 1, u+float64(ratio*v), func(l float64) (float64, error) {
				u, v := solve(on(l))
				return u + float64(ratio*v), failed
			})
			if err != nil {
				return Cert{}, err
			}
			mu = on(l)
		}
		cert := certify(mu)
		if failed != nil {
			return Cert{}, failed
		}
		if cert.Gap < best.Gap {
			best = cert
			copy(point, dst)
		}
		if best.Relative() <= certified {
			break
		}
	}
	copy(dst, point)
	best.Iterations = probes
	return best, nil
}
