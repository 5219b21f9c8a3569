package claims

import "fmt"

// Claim 35: for families with 1/√t-convergence, X̂^max_t, the set of all averages so far, is
// X^max_∞ = {x : Σ_k p_k a_k(x) ≤ 0}, the set of their limit. X̂^max_t can only shrink: a part of
// X^max_∞ that an early average excludes is lost for ever. A stream on which X̂^max_t lacks such a
// part, longer than 0.01 and the same at t = 1000 and t = 10000, refutes the claim.
var familiesSets = checks{"sets": familySets}

// familySets computes the sets, intervals in D = [−1, 1], on families and periodic patterns. No
// algorithm plays: the sets depend on the constraints only.
func familySets(l *Lab) (Finding, error) {
	const horizon = 10000
	streams, lasting := 0, 0
	var longest, mostOutside, maxDiff float64 // lengths
	specs := []string{"family:dim=1", "family:dim=1,rate=1", "periodic:dim=1"}
	err := l.eachTrial(20, specs, func(p *trial) error {
		o, err := p.playLine("", horizon, nil)
		if err != nil {
			return err
		}
		limit, maxEnd := o.halfLine(o.limitSlope, o.limitShift), o.currentSet()
		prefixEarly, prefixEnd := o.averagesSet(1, horizon/10), o.averagesSet(1, horizon)
		streams++
		missing := limit.lengthOutside(prefixEnd)
		if missing > 0.01 && missing == limit.lengthOutside(prefixEarly) {
			lasting++
		}
		longest = max(longest, missing)
		mostOutside = max(mostOutside, prefixEnd.lengthOutside(limit))
		maxDiff = max(maxDiff, limit.lengthOutside(maxEnd)+maxEnd.lengthOutside(limit))
		return nil
	})
	return Finding{
		Outcome: refutesOr(lasting > 0, Undecided),
		Text: fmt.Sprintf(`on %d of %d streams $\hat{X}^{\max}_t$ lacks a part of $X^{\max}_\infty$ for good, of length %.3g at most; the part of $\hat{X}^{\max}_t$ outside of $X^{\max}_\infty$ has length %.2g at most, and $X^{\max}_t$ differs from $X^{\max}_\infty$ by %.2g at most at $t=10000$`,
			lasting, streams, longest, mostOutside, maxDiff),
		Values: []Value{{"streams", float64(streams)}, {"lasting", float64(lasting)},
			{"longest", longest}},
	}, err
}
