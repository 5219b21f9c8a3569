package claims

import (
	"fmt"
	"math"

	"ocobench/harness"
)

var setsNested = checks{
	"values": setsNestedValues,
}

func setsNestedValues(l *Lab) (Finding, error) {
	var worst Worst
	n, pairs := l.Repeat(20), 0
	for _, problem := range []string{"decaying-frequency", "shrinking", "fixed:dim=3,constraints=2", "perturbed:dim=3", "family:dim=3", "iid:dim=3,constraints=2"} {
		for replicate := 1; replicate <= n; replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			h := harness.NewHindsight(s)
			if err := l.PlayLearner(nil, s, 200, h); err != nil {
				return Finding{}, err
			}
			best, err := h.Solve()
			if err != nil {
				return Finding{}, err
			}
			for k, small := range best[:2] { // of X^min, X̂^max and X^max
				large := best[k+1]
				if small.Empty {
					continue
				}
				pairs++
				if large.Empty {
					return Finding{Outcome: Refutes, Text: fmt.Sprintf(`on \texttt{%s}, replicate %d, %s is empty and %s is not`, problem, replicate, large.Set, small.Set)}, nil
				}
				worst.See((large.Value-small.Value)/(large.Gap+float64(1e-7*(1+math.Abs(large.Value)))), `\texttt{%s}, replicate %d`, problem, replicate)
			}
		}
	}
	f := worst.Finding("", 0)
	f.Text = fmt.Sprintf("for %d pairs of sets, the best loss over the larger one is at most that over the smaller one, up to certified gaps", pairs)
	if f.Outcome == Refutes {
		f.Text = fmt.Sprintf("the best loss over a larger set exceeds that over a smaller one by %.4g times the certified gaps, at %s", worst.Ratio, worst.At)
	}
	return f, nil
}
