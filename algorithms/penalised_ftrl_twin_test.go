package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/race"
)

// leader is the minimisation of a round of Penalised FTRL, written out:
//
//	min  κ√τ‖x−x_0‖² + Σ_i f_i(x) + γ Σ_k w_k max(0, h_k(x))  over D,
//
// with every f_i kept, and every h_k as the list of functions whose sum it is.
type leader struct {
	set    convex.Set
	n      int
	weight float64 // κ√τ
	center []float64
	losses []smooth
	gamma  float64
	hinges []hinge
}

// hinge is w·max(0, h(x)) with h a sum of functions, all without norms or all
// with the same one.
type hinge struct {
	w     float64
	total smooth
}

func newHinge(w float64, sum []smooth) hinge {
	n := len(sum[0].a)
	h := hinge{w, smooth{a: make([]float64, n), z: make([]float64, n), y: sum[0].y}}
	for _, f := range sum {
		square := 0.0
		for i := range n { // ½w‖x−z‖² is ½w‖x‖² − wz·x + ½w‖z‖²
			h.total.a[i] += f.a[i] - f.w*f.z[i]
			square += f.z[i] * f.z[i]
		}
		h.total.c += f.c + f.w*square/2
		h.total.w += f.w
		h.total.u += f.u
	}
	return h
}

// penalty returns Σ w max(0, h(x)), without γ.
func (l leader) penalty(x []float64) float64 {
	v := 0.0
	for _, h := range l.hinges {
		v += h.w * math.Max(0, h.total.value(x))
	}
	return v
}

func (l leader) value(x []float64) float64 {
	d := distance(x, l.center)
	v := l.weight*d*d + l.gamma*l.penalty(x)
	for _, f := range l.losses {
		v += f.value(x)
	}
	return v
}

// quadratic returns q and c with ½q‖x‖² + c·x the smooth part but for a number.
func (l leader) quadratic() (q float64, c []float64) {
	c = make([]float64, l.n)
	q = 2 * l.weight
	for i := range c {
		c[i] = -2 * l.weight * l.center[i]
	}
	for _, f := range l.losses {
		q += f.w
		for i := range c {
			c[i] += f.a[i] - f.w*f.z[i]
		}
	}
	return q, c
}

// enumerate minimises in one dimension. The objective is quadratic between the
// zeros of the hinges; from left to right, the first interval at whose end the
// slope is not negative holds the minimiser.
func (l leader) enumerate() []float64 {
	at := make([]float64, 1)
	lo, hi := -l.set.Support(at, []float64{-1}), l.set.Support(at, []float64{1})
	q, c := l.quadratic()
	zeros := []float64{lo, hi}
	for _, h := range l.hinges {
		w, a, b := h.total.w, h.total.a[0], h.total.c
		var roots []float64
		if w > 0 {
			if disc := a*a - 2*w*b; disc > 0 {
				s := -(a + math.Copysign(math.Sqrt(disc), a))
				roots = []float64{s / w, 2 * b / s}
			}
		} else if a != 0 {
			roots = []float64{-b / a}
		}
		for _, r := range roots {
			if r > lo && r < hi {
				zeros = append(zeros, r)
			}
		}
	}
	slices.Sort(zeros)
	for k := range len(zeros) - 1 {
		left, right := zeros[k], zeros[k+1]
		middle := left + (right-left)/2
		curve, slope := q, c[0]
		for _, h := range l.hinges {
			w, a, b := h.total.w, h.total.a[0], h.total.c
			if (w*middle/2+a)*middle+b > 0 {
				curve += l.gamma * h.w * w
				slope += l.gamma * h.w * a
			}
		}
		if curve*left+slope >= 0 {
			return []float64{left}
		}
		if curve*right+slope >= 0 {
			return []float64{-slope / curve}
		}
	}
	return []float64{hi}
}

// interior minimises in n dimensions by a primal-dual interior-point method:
// Newton's method on the optimality conditions of
//
//	min ½q‖x‖² + c·x + Σ u_k p_k   with  h_k(x) = p_k − v_k,  p, v ≥ 0,  Cx ≤ d,
//
// with every product of a slack and its multiplier equal to a number that goes
// to zero. It shares no idea with the active sets and cuts of package convex.
// A ball is the Lagrangian in its one multiplier, found by a secant
// method; on the
// simplex the last coordinate is the scale less the others.
func (l leader) interior() []float64 {
	q, c := l.quadratic()
	switch set := l.set.(type) {
	case *convex.Box:
		var rows [][]float64
		var d []float64
		for i := range l.n {
			up, down := make([]float64, l.n), make([]float64, l.n)
			up[i], down[i] = 1, -1
			rows = append(rows, up, down)
			d = append(d, set.Upper[i], -set.Lower[i])
		}
		start := make([]float64, l.n)
		for i := range start {
			start[i] = (set.Lower[i] + set.Upper[i]) / 2
		}
		return l.newton(q, c, rows, d, start)
	case *convex.Ball:
		// ½ν(‖x−z‖²−r²) is added.
		solve := func(nu float64) []float64 {
			shifted := slices.Clone(c)
			for i := range shifted {
				shifted[i] -= nu * set.Center[i]
			}
			return l.newton(q+nu, shifted, nil, nil, slices.Clone(set.Center))
		}
		x := solve(0)
		if distance(x, set.Center) <= set.Radius {
			return x
		}
		// Illinois on 1/‖x(ν)−z‖ − 1/r, which rises almost linearly.
		excess := func(nu float64) float64 { return 1/distance(solve(nu), set.Center) - 1/set.Radius }
		lo, hi, below := 0.0, 1.0, 1/distance(x, set.Center)-1/set.Radius
		above := excess(hi)
		for above < 0 {
			lo, below, hi = hi, above, 4*hi
			above = excess(hi)
		}
		side := 0
		nu := hi
		for range 40 {
			nu = (lo*above - hi*below) / (above - below)
			e := excess(nu)
			if math.Abs(e) < 1e-14 {
				break
			}
			if e < 0 {
				lo, below = nu, e
				if side < 0 {
					above /= 2
				}
				side = -1
			} else {
				hi, above = nu, e
				if side > 0 {
					below /= 2
				}
				side = 1
			}
		}
		return solve(nu)
	case *convex.Simplex:
		if l.n == 1 {
			return []float64{set.Scale}
		}
		return l.onSimplex(q, c, set.Scale)
	}
	panic("a set of another kind")
}

// newton minimises by the interior-point method from a point inside of the rows.
func (l leader) newton(q float64, c []float64, rows [][]float64, d, x []float64) []float64 {
	expand := func(y []float64) []float64 { return y }
	shrink := func(g []float64) []float64 { return g }
	return l.newtonIn(q, c, rows, d, x, expand, shrink)
}

// onSimplex substitutes x = (y, s − Σy).
func (l leader) onSimplex(q float64, c []float64, s float64) []float64 {
	k := l.n - 1
	var rows [][]float64
	d := make([]float64, k+1)
	for i := range k {
		r := make([]float64, k)
		r[i] = -1
		rows = append(rows, r)
	}
	rows = append(rows, slices.Repeat([]float64{1}, k))
	d[k] = s
	expand := func(y []float64) []float64 {
		last := s
		for _, v := range y {
			last -= v
		}
		return append(slices.Clone(y), last)
	}
	shrink := func(g []float64) []float64 {
		r := make([]float64, k)
		for i := range r {
			r[i] = g[i] - g[k]
		}
		return r
	}
	return expand(l.newtonIn(q, c, rows, d, slices.Repeat([]float64{s / float64(k+1)}, k), expand,
		shrink))
}

// newtonIn minimises over y, x = expand(y) being affine and shrink the
// transpose of its matrix.
func (l leader) newtonIn(q float64, c []float64, rows [][]float64, d, y []float64, expand,
	shrink func([]float64) []float64) []float64 {
	k, H, R := len(y), len(l.hinges), len(rows)
	basis := make([][]float64, k) // the columns of the matrix of expand
	origin := expand(make([]float64, k))
	for i := range k {
		e := make([]float64, k)
		e[i] = 1
		basis[i] = expand(e)
		for j := range basis[i] {
			basis[i][j] -= origin[j]
		}
	}
	u := make([]float64, H)
	p, v := make([]float64, H), make([]float64, H)
	mu, rest := make([]float64, H), make([]float64, H) // multipliers, u − mu
	s, z := make([]float64, R), make([]float64, R)
	for h := range H {
		u[h] = l.gamma * l.hinges[h].w
		value := l.hinges[h].total.value(expand(y))
		p[h], v[h], mu[h], rest[h] = math.Max(value, 0)+1, math.Max(-value, 0)+1, u[h]/2, u[h]/2
	}
	for r := range R {
		s[r], z[r] = d[r]-inner(rows[r], y), 1
	}
	scale := 1.0
	for _, g := range c {
		scale = math.Max(scale, math.Abs(g))
	}

	grads := make([][]float64, H)
	for range 200 {
		x := expand(y)
		// The products of slacks and multipliers, and where they should be.
		mean := 0.0
		for h := range H {
			mean += (mu[h]*v[h] + rest[h]*p[h]) / float64(2*H+R)
		}
		for r := range R {
			mean += s[r] * z[r] / float64(2*H+R)
		}
		target := mean / 10

		gradient := slices.Clone(c)
		matrix := make([][]float64, len(x)) // of second derivatives, in x
		for i := range x {
			gradient[i] += q * x[i]
			matrix[i] = make([]float64, len(x))
			matrix[i][i] = q
		}
		residual := make([]float64, H)
		for h, f := range l.hinges {
			g := f.total.gradient(x)
			for i := range x {
				gradient[i] += mu[h] * g[i]
				matrix[i][i] += mu[h] * f.total.w
			}
			if dist := distance(x, f.total.y); f.total.u > 0 {
				for i := range x {
					for j := range x {
						second := -(x[i] - f.total.y[i]) * (x[j] - f.total.y[j]) / (dist * dist)
						if i == j {
							second++
						}
						matrix[i][j] += mu[h] * f.total.u / dist * second
					}
				}
			}
			grads[h] = shrink(g)
			residual[h] = f.total.value(x) - p[h] + v[h]
		}
		rhs := shrink(gradient)
		for r := range R {
			for i := range k {
				rhs[i] += z[r] * rows[r][i]
			}
		}
		error, worst := 0.0, 0.0
		for i := range k {
			error = math.Max(error, math.Abs(rhs[i]))
		}
		for _, e := range residual {
			worst = math.Max(worst, math.Abs(e))
		}
		if mean < 1e-16*scale && error < 1e-11*scale && worst < 1e-12*scale {
			break
		}

		// The Newton step, with everything but y eliminated.
		m := make([][]float64, k)
		for i := range k {
			m[i] = make([]float64, k)
			for j := range k {
				for a := range x {
					m[i][j] += basis[i][a] * inner(matrix[a], basis[j])
				}
			}
		}
		pull := make([]float64, H)
		stiff := make([]float64, H)
		for h := range H {
			if u[h] == 0 {
				continue
			}
			stiff[h] = 1 / (p[h]/rest[h] + v[h]/mu[h])
			pull[h] = residual[h] - (target/rest[h] - p[h]) + (target/mu[h] - v[h])
			for i := range k {
				rhs[i] += stiff[h] * pull[h] * grads[h][i]
				for j := range k {
					m[i][j] += stiff[h] * grads[h][i] * grads[h][j]
				}
			}
		}
		for r := range R {
			gap := d[r] - inner(rows[r], y) - s[r]
			for i := range k {
				rhs[i] += (target/s[r] - z[r] - z[r]/s[r]*gap) * rows[r][i]
				for j := range k {
					m[i][j] += z[r] / s[r] * rows[r][i] * rows[r][j]
				}
			}
		}
		dy := solveLinear(m, rhs)
		for i := range dy {
			dy[i] = -dy[i]
		}
		step := 1.0
		limit := func(v, dv float64) {
			if dv < 0 {
				step = math.Min(step, -0.995*v/dv)
			}
		}
		dp, dv, dmu := make([]float64, H), make([]float64, H), make([]float64, H)
		ds, dz := make([]float64, R), make([]float64, R)
		for h := range H {
			if u[h] == 0 {
				continue
			}
			dmu[h] = stiff[h] * (inner(grads[h], dy) + pull[h])
			// The smaller slack from its own equation, the larger from h = p − v.
			if move := inner(grads[h], dy) + residual[h]; mu[h] > rest[h] {
				dv[h] = (target-v[h]*dmu[h])/mu[h] - v[h]
				dp[h] = dv[h] + move
			} else {
				dp[h] = (target+p[h]*dmu[h])/rest[h] - p[h]
				dv[h] = dp[h] - move
			}
			limit(mu[h], dmu[h])
			limit(rest[h], -dmu[h])
			limit(p[h], dp[h])
			limit(v[h], dv[h])
		}
		for r := range R {
			ds[r] = d[r] - inner(rows[r], y) - s[r] - inner(rows[r], dy)
			dz[r] = (target-z[r]*ds[r])/s[r] - z[r]
			limit(s[r], ds[r])
			limit(z[r], dz[r])
		}
		for i := range y {
			y[i] += step * dy[i]
		}
		for h := range H {
			p[h] += step * dp[h]
			v[h] += step * dv[h]
			mu[h] += step * dmu[h]
			rest[h] -= step * dmu[h]
		}
		for r := range R {
			s[r] += step * ds[r]
			z[r] += step * dz[r]
		}
	}
	return y
}

func inner(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// solveLinear solves linear equations by Gaussian elimination with pivots; it overwrites both.
func solveLinear(m [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		pivot := i
		for r := i; r < n; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[pivot][i]) {
				pivot = r
			}
		}
		m[i], m[pivot], b[i], b[pivot] = m[pivot], m[i], b[pivot], b[i]
		for r := i + 1; r < n; r++ {
			f := m[r][i] / m[i][i]
			for j := i; j < n; j++ {
				m[r][j] -= f * m[i][j]
			}
			b[r] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= m[i][j] * b[j]
		}
		b[i] /= m[i][i]
	}
	return b
}

func (l leader) minimise() []float64 {
	if l.n == 1 && len(l.hinges) > 0 && l.hinges[0].total.u == 0 || l.n == 1 && len(l.hinges) == 0 {
		return l.enumerate()
	}
	return l.interior()
}

// twinFTRL plays Penalised FTRL as algorithms.md has it, every round solved from
// nothing. each is given the problem of a round and its solution.
func twinFTRL(p algorithms.PenalisedFTRLParams, each func(t int, l leader, x []float64)) twin {
	return func(s script) [][]float64 {
		center := slices.Repeat(p.X0, s.n)
		xs := [][]float64{nearest(s.set, center)}
		past := make([][]smooth, s.m)
		var hinges []hinge
		gamma, clean, frozen := p.Gamma.Value, 0, !p.Gamma.Adaptive
		if p.Gamma.Adaptive {
			gamma = p.GammaStart
		}
		for tau := 1; tau <= len(s.rounds); tau++ {
			l := leader{set: s.set, n: s.n, center: center, weight: p.Kappa * math.Sqrt(float64(tau)),
				gamma: gamma}
			for _, r := range s.rounds[:tau] {
				l.losses = append(l.losses, r.loss)
			}
			for j := range s.m {
				past[j] = append(past[j], s.rounds[tau-1].constraints[j]) // g_1, …, g_τ
				if tau <= p.BurnIn {
					continue
				}
				switch p.Penalty {
				case "average":
					hinges = append(hinges, newHinge(1/float64(tau), past[j]))
				case "per-round":
					hinges = append(hinges, newHinge(1, past[j][tau-1:]))
				case "difference": // that of the round before, s.m hinges ago, goes
					hinges = append(hinges, newHinge(1, past[j]))
					hinges = hinges[max(0, len(hinges)-s.m):]
				}
			}
			l.hinges = hinges
			x := l.minimise()
			if !frozen {
				clean++
				for l.penalty(x) > p.Tolerance && l.gamma < p.GammaMax {
					l.gamma *= 2
					clean = 0
					x = l.minimise()
				}
				gamma = l.gamma
				frozen = clean > 0 && clean >= int(math.Ceil(math.Sqrt(float64(tau))))
			}
			xs = append(xs, x)
			if each != nil {
				each(tau, l, x)
			}
		}
		return xs
	}
}

func ftrlParams(change func(*algorithms.PenalisedFTRLParams)) algorithms.PenalisedFTRLParams {
	p := algorithms.PenalisedFTRLParams{
		Gamma: algorithms.Gamma{Value: 5}, Kappa: 0.8,
		FirstAction: algorithms.FirstAction{X0: []float64{0.3}}, Penalty: "average", GammaStart: 0.01,
		GammaMax: 1 << 20, Tolerance: 1e-6,
	}
	if change != nil {
		change(&p)
	}
	return p
}

var ftrlVariants = []struct {
	name   string
	params algorithms.PenalisedFTRLParams
}{
	{"average", ftrlParams(nil)},
	{"average, burn-in", ftrlParams(func(p *algorithms.PenalisedFTRLParams) { p.BurnIn = 7 })},
	{"average, adaptive", ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
		p.Gamma.Adaptive = true
	})},
	{"per-round", ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
		p.Penalty = "per-round"
		p.Gamma.Value = 0.5
	})},
	{"difference", ftrlParams(func(p *algorithms.PenalisedFTRLParams) { p.Penalty = "difference" })},
	{"difference, adaptive, burn-in", ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
		p.Penalty, p.Gamma.Adaptive, p.BurnIn = "difference", true, 3
	})},
}

// In one dimension, with affine and with quadratic constraints, the twin is
// exact: it looks at all breakpoints.
func TestPenalisedFTRLTwinInOneDimension(t *testing.T) {
	t.Parallel()
	for _, v := range ftrlVariants {
		for _, kind := range []string{"affine", "curved"} {
			for m := range 4 {
				for seed := range uint64(4) {
					rng := rand.New(rand.NewPCG(seed, uint64(m)))
					s := newScript(rng, []string{"box", "ball"}[seed%2], kind, 1, m, 100)
					where := fmt.Sprintf("%s on %s/m=%d/seed=%d", v.name, kind, m, seed)
					l := newLearner(t, "penalised-ftrl", v.params, s.setup())
					agree(t, where, l, s, twinFTRL(v.params, nil)(s), 1e-9)
				}
			}
		}
	}
}

// In n dimensions with affine constraints package convex has an active-set
// method; the twin is an interior-point method.
func TestPenalisedFTRLTwinInManyDimensions(t *testing.T) {
	t.Parallel()
	for _, v := range ftrlVariants {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for n := 2; n <= 4; n++ {
				m := n - 1
				s := newScript(rand.New(rand.NewPCG(uint64(n), 9)), domain, "affine", n, m, rounds(120/n))
				where := fmt.Sprintf("%s on %s/n=%d/m=%d", v.name, domain, n, m)
				l := newLearner(t, "penalised-ftrl", v.params, s.setup())
				agree(t, where, l, s, twinFTRL(v.params, nil)(s), 1e-9)
			}
		}
	}
}

// rounds returns a number of rounds, which is smaller where they cost more.
func rounds(n int) int {
	if testing.Short() || race.Enabled {
		return n / 3
	}
	return n
}

// Constraints that are not affine are solved by iteration to a certified gap,
// and by strong convexity the certificate says how near the action is to the
// minimiser:
//
//	κ√τ‖x−x*‖² ≤ F(x) − F(x*) ≤ Gap.
//
// The twin knows x* and F, and so tests the certificate of every round.
func TestPenalisedFTRLCertificates(t *testing.T) {
	t.Parallel()
	iterations := map[string]int{}
	for _, kind := range []string{"affine", "curved", "perturbed", "norm"} {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for n := 1; n <= 3; n++ {
				for m := 1; m <= 4; m++ {
					accuracy := []string{"exact", "certified"}[m%2]
					where := fmt.Sprintf("%s/%s/n=%d/m=%d/accuracy=%s", domain, kind, n, (m+1)/2, accuracy)
					s := newScript(rand.New(rand.NewPCG(uint64(n), uint64((m+1)/2))), domain, kind, n, (m+1)/2,
						rounds(30))
					p := ftrlParams(nil)
					p.Accuracy = accuracy
					l := newLearner(t, "penalised-ftrl", p, s.setup()).(algorithms.Certified)
					x := make([]float64, n)
					twinFTRL(p, func(tau int, leader leader, best []float64) {
						l.Act(x)
						if err := l.Observe(x, s.rounds[tau-1].real); err != nil {
							t.Fatalf("%s: round %d: %v", where, tau, err)
						}
						l.Act(x)
						cert := l.Cert()
						value, least := leader.value(x), leader.value(best)
						rounding := 1e-12 * (1 + math.Abs(value))
						if math.Abs(cert.Value-value) > 10*rounding {
							t.Errorf("%s: round %d: certified value %v, by definition %v", where, tau, cert.Value, value)
						}
						iterations[accuracy] += cert.Iterations
						allowed := 1e-9 * math.Max(1, math.Abs(value))
						if accuracy == "certified" {
							allowed = 1e-3 / math.Sqrt(float64(tau))
						}
						if cert.Gap > allowed {
							t.Errorf("%s: round %d: gap %v at the value %v", where, tau, cert.Gap, value)
						}
						if value-least > cert.Gap+rounding {
							t.Errorf("%s: round %d: %v above the minimum, certified %v", where, tau, value-least,
								cert.Gap)
						}
						if least-value > rounding {
							t.Fatalf("%s: round %d: the twin's minimum %v is above the learner's %v", where, tau, least,
								value)
						}
						if d := distance(x, best); leader.weight*d*d > cert.Gap+rounding {
							t.Errorf("%s: round %d: %v from the minimiser, with a gap of %v", where, tau, d, cert.Gap)
						}
					})(s)
				}
			}
		}
	}
	if iterations["certified"] >= iterations["exact"] {
		t.Errorf("iterations: %v; the lower accuracy is not easier", iterations)
	}
}
