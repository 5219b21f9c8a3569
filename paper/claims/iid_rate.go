package claims

var iidRate = checks{
	"bounds": iidBounds,
}

func iidBounds(l *Lab) (Finding, error) {
	all := convergence{gamma: 25, now: true}
	for _, problem := range []string{"family:dim=1,draw=iid", "perturbed:dim=1", "decaying-frequency"} {
		for replicate := 1; replicate <= l.Repeat(30); replicate++ {
			if err := all.playToLimit(l, problem, replicate, 10000); err != nil {
				return Finding{}, err
			}
		}
	}
	return all.finding("i.i.d. streams"), nil
}
