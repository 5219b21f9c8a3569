package claims

import "math"

var perturbedAverage = checks{
	"bounds": perturbedAverageBounds,
}

func perturbedAverageBounds(l *Lab) (Finding, error) {
	const horizon = 10000
	all := convergence{soft: true}
	for _, p := range perturbedStreams(l) {
		for replicate := 1; replicate <= p.n; replicate++ {
			o, err := l.playLine("", p.problem, replicate, horizon, nil)
			if err != nil {
				return Finding{}, err
			}
			c := rateConstant(o.shift)
			all.limit = func(o *line, t int) (slope, shift float64) { return o.slope[t-1], o.shift[t-1] }
			all.error = func(_ *line, i int) float64 { return c / math.Sqrt(float64(i)) }
			for _, all.gamma = range []float64{3, 25} {
				if err := all.play(l, p.problem, replicate, horizon); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return all.finding("streams whose averages converge from above, from below and in swings"), nil
}

// streams are replicates of a problem.
type streams struct {
	problem string
	n       int
}

// perturbedStreams are on a line and have averages that converge at the rate 1/√t.
func perturbedStreams(l *Lab) []streams {
	return []streams{
		{"drifting-average", 1},
		{"drifting-average:amplitude=-0.25", 1},
		{"drifting-average:turns=1", 1},
		{"drifting-average:amplitude=-0.25,turns=1", 1},
		{"perturbed:dim=1,noise=drift", l.Repeat(10)},
		{"perturbed:dim=1,noise=periodic", l.Repeat(10)},
	}
}

// rateConstant is the largest √i·|m_i − m_k| over i ≤ k.
func rateConstant(m []float64) (c float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for i := len(m) - 1; i >= 0; i-- {
		least, most = math.Min(least, m[i]), math.Max(most, m[i])
		c = math.Max(c, float64(math.Sqrt(float64(i+1))*math.Max(most-m[i], m[i]-least)))
	}
	return c
}
