package diagnosis

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game/averages"
)

// penaltyCondition holds what was measured for Condition 2 of the paper, a Slater point and penalty
// growth, of some of the constraints.
type penaltyCondition struct {
	rounds, constraints int
	slater              Slater
	growth              Growth
	gamma               Gamma
	average             []Curve
	active              Curve
}

// judgePenaltyCondition measures and judges Condition 2 for the constraints with the indices in
// use: the Slater point z and the effective γ first, then η and the boundary of X̂^max in a second
// play of the rounds, and, if there is an η, the penalty growth in a third one and the γ of the
// theorem.
func (m *measurement) judgePenaltyCondition(use []int) (*penaltyCondition, error) {
	c := &penaltyCondition{rounds: m.Horizon, constraints: len(use), gamma: Gamma{Used: m.Gamma}}
	if len(use) == 0 { // nothing is asked for, and no penalty is paid
		c.slater.Verdict, c.growth.Verdict, c.growth.Vacuous = Holds, Holds, true
		c.gamma.Effective = new(float64)
		return c, nil
	}
	z, margin, rises, err := m.deepestPoint(use)
	if err != nil {
		return nil, err
	}
	atHorizon := formsInUse(m.forms[len(m.forms)-1:], use)
	if c.gamma.Effective, err = averages.Threshold(m.set, m.loss, atHorizon); err != nil {
		return nil, err
	}
	var limit *float64
	if m.expected != nil {
		_, limitMargin, err := averages.Deepest(m.set, formsInUse([][]*convex.Form{m.expected}, use))
		if err != nil {
			return nil, err
		}
		limit = finiteOrNil(limitMargin)
	}
	b := newBoundary(m, use, z, margin/2)
	if err := m.playAgain(b); err != nil {
		return nil, err
	}
	c.average, c.slater = b.curves, b.measureSlater(limit, rises)
	if c.slater.Eta != nil {
		count := newActiveCount(m, b)
		if err := m.playAgain(count); err != nil {
			return nil, err
		}
		c.growth, c.active = count.measureGrowth()
		// E = ‖z‖² − min over y in D of ‖y‖², since R_i(z)/i falls with i.
		nearest := make([]float64, len(z))
		m.set.Project(nearest, nearest)
		maxRegulariser := max(0, vec.Dot(z, z)-vec.Dot(nearest, nearest))
		needed := maxRegulariser + b.excessLoss + 1
		c.gamma.E, c.gamma.L = finiteOrNil(maxRegulariser), finiteOrNil(b.excessLoss)
		c.gamma.Limit = finiteOrNil(needed / *c.slater.Margin)
		if c.growth.Beta != nil && !c.growth.slower {
			c.gamma.Sufficient = finiteOrNil(needed / *c.growth.Beta)
		}
	}
	c.setVerdicts()
	return c, nil
}

// setVerdicts judges the Slater point and the penalty growth.
func (c *penaltyCondition) setVerdicts() {
	c.slater.Verdict = slaterPoint(c).Verdict
	c.growth.Verdict = penaltyGrowth(c).Verdict
}

// formsInUse returns the functions of the constraints with the indices in use, of all rounds. forms
// has a row for each round.
func formsInUse(forms [][]*convex.Form, use []int) (out []*convex.Form) {
	for _, round := range forms {
		for _, j := range use {
			out = append(out, round[j])
		}
	}
	return out
}

// deepestPoint returns the point z at which the least margin over all slaterRounds is largest, and
// this margin. If it is not positive, the first of these rounds are left out, as few as possible.
// If it is not positive even at T alone, z is the point for all rounds, the margin is 0, and rises
// reports whether the largest margin at T is above those at all other rounds.
func (m *measurement) deepestPoint(use []int) (z []float64, margin float64, rises bool, err error) {
	roundingError := float64(rounding * m.size)
	for k := range m.forms {
		x, v, err := averages.Deepest(m.set, formsInUse(m.forms[k:], use))
		if err != nil {
			return nil, 0, false, err
		}
		if v > roundingError {
			return x, v, false, nil
		}
		if k == 0 {
			z = x
		}
		margin = v
	}
	best := math.Inf(-1)
	for k := range m.forms[:len(m.forms)-1] {
		_, v, err := averages.Deepest(m.set, formsInUse(m.forms[k:k+1], use))
		if err != nil {
			return nil, 0, false, err
		}
		best = max(best, v)
	}
	return z, 0, margin > best+roundingError, nil
}
