package claims

var iidRate = checks{
	"linear":    regretLinearly,
	"no-slater": familyWithoutSlater,
	"bounds":    iidBounds,
}

// iidBounds checks the bounds of regret and violation on i.i.d. streams of up to 10000 rounds, over
// 30 replicates each.
func iidBounds(l *Lab) (Finding, error) {
	all := convergence{gamma: 25, currentSet: true}
	specs := []string{"family:dim=1,draw=iid", "perturbed:dim=1", "decaying-frequency"}
	err := l.eachTrial(30, specs, func(p *trial) error { return all.playToLimit(p, 10000) })
	return all.finding("i.i.d. streams"), err
}
