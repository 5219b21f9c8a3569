package claims

import (
	"fmt"
	"math"

	"ocobench/harness"
)

var setsNested = checks{"values": setsNestedValues}

func setsNestedValues(l *Lab) (Finding, error) {
	var worst Worst
	pairs, lost := 0, ""
	err := l.trials(20, []string{
		"decaying-frequency", "shrinking", "fixed:dim=3,constraints=2", "perturbed:dim=3", "family:dim=3",
		"iid:dim=3,constraints=2",
	}, func(p *trial) error {
		return l.PlayLearner(nil, p, 200, compare(p, 200, func(_ int, _ *sums, best []harness.Best) {
			for k, small := range best[:2] { // of X^min, X̂^max and X^max
				large := best[k+1]
				if small.Empty {
					continue
				}
				if pairs++; large.Empty {
					lost = fmt.Sprintf(`on %v, %s is empty and %s is not`, p, large.Set, small.Set)
				}
				worst.See((large.Value-small.Value)/(large.Gap+float64(1e-7*(1+math.Abs(large.Value)))), `%v`,
					p)
			}
		}))
	})
	f := worst.Finding("", 0)
	switch {
	case lost != "":
		f = Finding{Outcome: Refutes, Text: lost}
	case f.Outcome == Refutes:
		f.Text = fmt.Sprintf("the best loss over a larger set exceeds that over a smaller one by %.4g "+
			"times the certified gaps, at %s", worst.Ratio, worst.At)
	default:
		f.Text = fmt.Sprintf("for %d pairs of sets, the best loss over the larger one is at most that "+
			"over the smaller one, up to certified gaps", pairs)
	}
	return f, err
}
