package claims

import "fmt"

var familiesSets = checks{"sets": familySets}

func familySets(l *Lab) (Finding, error) {
	const horizon = 10000
	all, lasting, longest, beyond, last := 0, 0, 0., 0., 0.
	specs := []string{"family:dim=1", "family:dim=1,rate=1", "periodic:dim=1"}
	err := l.eachTrial(20, specs, func(p *trial) error {
		o, err := p.line("", horizon, nil)
		if err != nil {
			return err
		}
		limit, x := o.halfLine(o.limitSlope, o.limitShift), o.currentSet()
		was, is := o.averagesSet(1, horizon/10), o.averagesSet(1, horizon)
		all++
		missing := limit.without(is)
		if missing > 0.01 && missing == limit.without(was) {
			lasting++
		}
		longest = max(longest, missing)
		beyond = max(beyond, is.without(limit))
		last = max(last, limit.without(x)+x.without(limit))
		return nil
	})
	return Finding{
		Outcome: refutesOr(lasting > 0, Undecided),
		Text: fmt.Sprintf(`on %d of %d streams $\hat{X}^{\max}_t$ lacks a part of $X^{\max}_\infty$ that stays, of length %.3g at most; the part of $\hat{X}^{\max}_t$ outside of $X^{\max}_\infty$ has length %.2g at most; $X^{\max}_t$ differs from $X^{\max}_\infty$ by %.2g at most at $t=10000$`,
			lasting, all, longest, beyond, last),
		Values: []Value{{"streams", float64(all)}, {"lasting", float64(lasting)}, {"longest", longest}},
	}, err
}
