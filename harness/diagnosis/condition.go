package diagnosis

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
	"ocobench/problems"
)

// condition has the Slater point and the penalty growth of some of the constraints.
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
	last := pick(m.forms[len(m.forms)-1:], use)
	if c.gamma.Effective, err = averages.Threshold(m.set, m.loss, last); err != nil {
		return nil, err
	}
	b := newBoundary(m, use, z, common/2)
	if err := m.again(m.Replicate, by(b)); err != nil {
		return nil, err
	}
	var limit *float64
	if m.expected != nil {
		_, margin, err := averages.Deepest(m.set, pick([][]*convex.Form{m.expected}, use))
		if err != nil {
			return nil, err
		}
		limit = number(margin)
	}
	c.at = b.curves(m.bests)
	c.slater = b.slater(limit, rises)
	defer c.judge(&Diagnosis{Rounds: m.Horizon, Constraints: len(use)})
	if c.slater.Eta == nil {
		return c, nil
	}
	n := newCount(m, b)
	if err := m.again(m.Replicate, by(n)); err != nil {
		return nil, err
	}
	c.growth, c.active = n.growth()
	least := make([]float64, len(z))
	m.set.Project(least, least)
	e := max(0, vec.Dot(z, z)-vec.Dot(least, least))
	c.gamma.E, c.gamma.L = number(e), number(b.pull)
	need := e + b.pull + 1
	c.gamma.Limit = number(need / *c.slater.Margin)
	if c.growth.Beta != nil && !c.growth.slower {
		c.gamma.Sufficient = number(need / *c.growth.Beta)
	}
	return c, nil
}

// by returns the observer of any stream.
func by(o game.Observer) func(problems.Stream) game.Observer {
	return func(problems.Stream) game.Observer { return o }
}

// judge sets the verdicts.
func (c *condition) judge(d *Diagnosis) {
	s := &subject{Diagnosis: d, slater: &c.slater, growth: &c.growth}
	c.slater.Verdict = s.judge("Slater point").Verdict
	c.growth.Verdict = s.judge("penalty growth").Verdict
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
// takes. If there is none at T alone, the margin is 0, and rises reports that the largest
// margin at T is above those of all other looks.
func (m *measurement) slaterPoint(use []int) (z []float64, margin float64, rises bool, err error) {
	none := float64(rounding * m.size)
	for k := range m.forms {
		x, v, err := averages.Deepest(m.set, pick(m.forms[k:], use))
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
		_, v, err := averages.Deepest(m.set, pick(m.forms[k:k+1], use))
		if err != nil {
			return nil, 0, false, err
		}
		best = max(best, v)
	}
	return z, 0, margin > best+none, nil
}
