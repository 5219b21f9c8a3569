package claims

import (
	"fmt"
	"math"
)

var classesSatisfyGrowth = checks{"active": activeAtBoundary}

func activeAtBoundary(l *Lab) (Finding, error) {
	const horizon, control = 10000, "fixed:dim=1"
	specs := []string{
		control, "decaying-frequency", "perturbed:dim=1", "perturbed:dim=1,noise=periodic",
		"family:dim=1", "family:dim=1,draw=iid", "iid:dim=1",
	}
	most, refuted, all, miscounted := 0, 0, 0, ""
	err := l.eachTrial(10, specs, func(p *trial) error {
		o, err := p.line("", horizon, nil)
		if err != nil {
			return err
		}
		for _, first := range []int{1, 100} {
			was, k := o.active(first, horizon/10), o.active(first, horizon)
			if p.problem == control {
				if k != horizon-first+1 {
					miscounted = fmt.Sprintf("of fixed constraints %d averages are counted as active, which "+
						"should be %d", k, horizon-first+1)
				}
				continue
			}
			if all++; 0 < k && k == was && k <= horizon/100 {
				refuted++
			}
			most = max(most, k)
		}
		return nil
	})
	if miscounted != "" {
		return Finding{Outcome: Undecided, Text: miscounted}, err
	}
	return Finding{
		Outcome: refutesOr(refuted > 0, Undecided),
		Text:    fmt.Sprintf(`$k_\tau$, of all prefixes and of those from 100 on, is the same at $\tau=1000$ and at $\tau=10000$ in %d of %d cases, and at most %d; on fixed constraints it is the number of prefixes`, refuted, all, most),
		Values: []Value{{"counts", float64(all)}, {"constant", float64(refuted)},
			{"most-active", float64(most)}},
	}, err
}

// active returns the least number of averages from first to last that are ≥ 0, up to
// rounding, at a point of the boundary of X̂^max inside D; 0 if there is none.
func (o *line) active(first, last int) (least int) {
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
