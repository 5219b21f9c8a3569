package claims

import (
	"fmt"
	"math"
)

// Claim 31: perturbed, family and i.i.d. constraints satisfy Condition 2, by which k_τ, the least
// number of active averages at the boundary of X̂^max_τ, grows at least in proportion to τ. The
// check counts k_τ at τ = 1000 and τ = 10000 on streams of these classes. If it is the same at
// both and at most τ/100, it does not grow in proportion on that stream, which refutes the claim.
var classesSatisfyGrowth = checks{"active": activeAtBoundary}

// activeAtBoundary counts over all prefixes and over those from round 100 on, as Condition 2 may
// leave out the first ones. Fixed constraints are the control: there every average is active.
func activeAtBoundary(l *Lab) (Finding, error) {
	const horizon, control = 10000, "fixed:dim=1"
	specs := []string{
		control, "decaying-frequency", "perturbed:dim=1", "perturbed:dim=1,noise=periodic",
		"family:dim=1", "family:dim=1,draw=iid", "iid:dim=1",
	}
	mostActive, refuted, cases, miscounted := 0, 0, 0, ""
	err := l.eachTrial(10, specs, func(p *trial) error {
		o, err := p.playLine("", horizon, nil)
		if err != nil {
			return err
		}
		for _, first := range []int{1, 100} {
			early, late := o.leastActive(first, horizon/10), o.leastActive(first, horizon)
			if p.problem == control {
				if late != horizon-first+1 {
					miscounted = fmt.Sprintf("of fixed constraints %d averages are counted as active, which "+
						"should be %d", late, horizon-first+1)
				}
				continue
			}
			if cases++; 0 < late && late == early && late <= horizon/100 {
				refuted++
			}
			mostActive = max(mostActive, late)
		}
		return nil
	})
	if miscounted != "" {
		return Finding{Outcome: Undecided, Text: miscounted}, err
	}
	return Finding{
		Outcome: refutesOr(refuted > 0, Undecided),
		Text:    fmt.Sprintf(`$k_\tau$ is the same at $\tau=1000$ and at $\tau=10000$ in %d of %d cases, and at most %d; on fixed constraints it is the number of prefixes`, refuted, cases, mostActive),
		Values: []Value{{"counts", float64(cases)}, {"constant", float64(refuted)},
			{"most-active", float64(mostActive)}},
	}, err
}

// leastActive returns the least number of the averages after rounds first to last that are ≥ 0, up
// to rounding, at a point of the boundary of X̂^max inside D; 0 if there is none.
func (o *line) leastActive(first, last int) (least int) {
	set := o.averagesSet(first, last)
	if set.empty() {
		return 0
	}
	for _, x := range []float64{set.lower, set.upper} {
		if x == o.domain.lower || x == o.domain.upper {
			continue
		}
		n := 0
		for i := first - 1; i < last; i++ {
			a, b := float64(o.slope[i]*x), o.shift[i]
			if a+b >= -1e-12*(math.Abs(a)+math.Abs(b)) {
				n++
			}
		}
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}
