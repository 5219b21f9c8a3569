package claims

// Claim 42: with i.i.d. constraints Penalised FTRL has regret and violation O(√t) against X^max_t
// with high probability. Fixed constraints are i.i.d., so that the counterexamples of claims 22
// (linear regret) and 34 (linear violation without a Slater point) refute it. With a Slater point
// and the usual regulariser, both must keep to the bounds at [convergence].
var iidRate = checks{
	"linear":    regretLinearly,
	"no-slater": familyWithoutSlater,
	"bounds":    iidBounds,
}

// iidBounds checks the bounds of regret and violation on i.i.d. streams of up to 10000 rounds, over
// 30 replicates each.
func iidBounds(l *Lab) (Finding, error) {
	games := convergence{gamma: 25, currentSet: true}
	specs := []string{"family:dim=1,draw=iid", "perturbed:dim=1", "decaying-frequency"}
	err := l.eachTrial(30, specs, func(p *trial) error {
		return games.playAgainstExpectation(p, 10000)
	})
	return games.finding("i.i.d. streams"), err
}
