package diagnosis

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
	"ocobench/problems"
)

// condition has the Slater point and the penalty growth for some of the constraints.
type condition struct {
	slater Slater
	growth Growth
	gamma  Gamma
	at     []Curve
	active Curve
}

// condition measures for the constraints in use.
func (m *measurement) condition(use []int) (*condition, error) {
	c := &condition{gamma: Gamma{Used: m.Gamma}}
	if len(use) == 0 { // nothing is asked for, and no penalty is paid
		c.slater.Verdict, c.growth.Verdict, c.growth.Vacuous = Holds, Holds, true
		c.gamma.Effective = new(float64)
		return c, nil
	}
	z, common, rises, err := m.slaterPoint(use)
	if err != nil {
		return nil, err
	}
	if c.gamma.Effective, err = threshold(m.set, m.loss, pick(m.forms[len(m.forms)-1:], use)); err != nil {
		return nil, err
	}
	b := newBoundary(m, use, z, common/2)
	if err := m.again(m.Replicate, func(problems.Stream) harness.Observer { return b }); err != nil {
		return nil, err
	}
	var limit *float64
	if m.expected != nil {
		_, margin, err := deepest(m.set, pick([][]*convex.Form{m.expected}, use))
		if err != nil {
			return nil, err
		}
		limit = number(margin)
	}
	c.at = b.curves(m.bests)
	if c.slater = b.slater(limit, rises); c.slater.Eta == nil {
		c.growth.Verdict = c.slater.Verdict
		return c, nil
	}
	n := newCount(m, b)
	if err := m.again(m.Replicate, func(problems.Stream) harness.Observer { return n }); err != nil {
		return nil, err
	}
	c.growth, c.active = n.growth()
	least := make([]float64, len(z))
	m.set.Project(least, least)
	e := max(0, vec.Dot(z, z)-vec.Dot(least, least))
	c.gamma.E, c.gamma.L = number(e), number(b.pull)
	need := e + b.pull + 1
	c.gamma.Limit = number(need / *c.slater.Margin)
	if c.growth.Beta != nil && c.growth.Verdict != Fails {
		c.gamma.Sufficient = number(need / *c.growth.Beta)
	}
	return c, nil
}

// pick returns the functions of the constraints in use, of all rounds.
func pick(forms [][]*convex.Form, use []int) []*convex.Form {
	var out []*convex.Form
	for _, of := range forms {
		for _, j := range use {
			out = append(out, of[j])
		}
	}
	return out
}

// slaterPoint returns the point with the largest least margin at looks, and this margin:
// at all looks or, if no point has a positive one, at as many of the last ones as it
// takes. If there is none at T alone, the margin is 0, and rises tells that the largest
// margin at T is above those of all other looks.
func (m *measurement) slaterPoint(use []int) (z []float64, margin float64, rises bool, err error) {
	none := float64(rounding * m.size)
	for k := range m.forms {
		x, v, err := deepest(m.set, pick(m.forms[k:], use))
		if err != nil {
			return nil, 0, false, err
		}
		if v > none {
			return x, v, false, nil
		}
		if k == 0 {
			z = x
		}
		margin = v
	}
	best := math.Inf(-1)
	for k := range m.forms[:len(m.forms)-1] {
		_, v, err := deepest(m.set, pick(m.forms[k:k+1], use))
		if err != nil {
			return nil, 0, false, err
		}
		best = max(best, v)
	}
	return z, 0, margin > best+none, nil
}

// deepest returns the minimiser over the set of max_j f_j, and the negative of the
// minimum. Let
//
//	v(s) = min over x in the set of Σ_j max(0, f_j(x) − s).
//
// The minimum is the least s with v(s) = 0. v is convex, with slopes of at least minus
// the number of active j, so that Newton's method from below increases s to the
// minimum.
func deepest(set convex.Set, fs []*convex.Form) (z []float64, margin float64, err error) {
	n := set.Dim()
	z = make([]float64, n)
	mean := convex.NewSum(set)
	for _, f := range fs {
		mean.Add(1/float64(len(fs)), f)
	}
	cert, err := mean.Minimize(z, convex.Prox{})
	if err != nil {
		return nil, 0, err
	}
	worst := func(x []float64) float64 {
		v := math.Inf(-1)
		for _, f := range fs {
			v = max(v, f.Value(x))
		}
		return v
	}
	best, x := worst(z), make([]float64, n)
	for s := cert.Value - cert.Gap; len(fs) > 1; {
		const steps = 1e-10
		if best-s <= float64(steps*max(1, math.Abs(best))) {
			break
		}
		sum := convex.NewSum(set)
		for _, f := range fs {
			g := f.Clone()
			g.Const -= s
			sum.AddHinge(1, g)
		}
		cert, err := sum.Minimize(x, convex.Prox{})
		if err != nil {
			return nil, 0, err
		}
		if w := worst(x); w < best {
			best = w
			copy(z, x)
		}
		active := 0.0
		for _, f := range fs { // a tie may have a multiplier
			if f.Value(x) > s-float64(1e-9*max(1, math.Abs(s))) {
				active++
			}
		}
		rise := (cert.Value - cert.Gap) / max(1, active)
		if rise <= float64(steps/10*max(1, math.Abs(best))) {
			break
		}
		s += rise
	}
	return z, -best, nil
}

// threshold returns the least γ at which the minimiser over the set of the loss plus
// γ Σ_j max(0, f_j) satisfies all f_j ≤ 0, to six digits: the largest multiplier of the
// constrained problem. It returns nil if there is no such γ.
func threshold(set convex.Set, loss *convex.Form, fs []*convex.Form) (*float64, error) {
	sum := convex.NewSum(set)
	sum.Add(1, loss)
	size := 0.0
	x := make([]float64, set.Dim())
	set.Project(x, x)
	for _, f := range fs {
		size = max(size, math.Abs(f.Value(x)))
		sum.AddHinge(1, f)
	}
	size = max(size, 1e-9)
	enough := func(gamma float64) (bool, error) {
		sum.SetGamma(gamma)
		_, err := sum.Minimize(x, convex.Prox{})
		return sum.Hinges(x) <= float64(1e-8*size), err
	}
	lo, hi := 0.0, 1.0
	ok, err := enough(0)
	if ok || err != nil {
		return &lo, err
	}
	for {
		if ok, err = enough(hi); ok || err != nil {
			break
		}
		if lo, hi = hi, 2*hi; hi > 1e9 {
			return nil, nil
		}
	}
	for err == nil && hi-lo > 1e-7*hi {
		mid := lo + float64((hi-lo)/2)
		if ok, err = enough(mid); ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	return &hi, err
}
