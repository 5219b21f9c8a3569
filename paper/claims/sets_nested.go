package claims

import (
	"fmt"
	"math"

	"ocobench/harness/game"
)

var setsNested = checks{"values": setsNestedValues}

func setsNestedValues(l *Lab) (Finding, error) {
	var n nesting
	err := l.eachTrial(20, []string{
		"decaying-frequency", "shrinking", "fixed:dim=3,constraints=2", "perturbed:dim=3", "family:dim=3",
		"iid:dim=3,constraints=2",
	}, func(p *trial) error {
		return l.PlayLearner(nil, p, 200, compareEvery(p, 200, func(_ int, _ *sums, best []game.Best) {
			n.checkNested(p, best)
		}))
	})
	return n.finding(), err
}

// nesting holds the best losses over sets against those over larger ones.
type nesting struct {
	worst Worst
	pairs int
	lost  string // which set is empty, and one that it contains is not
}

// checkNested compares the best actions over X^min, X̂^max and X^max.
func (n *nesting) checkNested(p fmt.Stringer, best []game.Best) {
	for k, small := range best[:2] {
		large := best[k+1]
		if small.Empty {
			continue
		}
		if n.pairs++; large.Empty {
			n.lost = fmt.Sprintf(`on %v, %s is empty and %s is not`, p, large.Set, small.Set)
		}
		n.worst.See((large.Value-small.Value)/(large.Gap+float64(1e-7*(1+math.Abs(large.Value)))), `%v`,
			p)
	}
}

func (n *nesting) finding() Finding {
	f := n.worst.Finding("", 0)
	switch {
	case n.lost != "":
		f = Finding{Outcome: Refutes, Text: n.lost}
	case f.Outcome == Refutes:
		f.Text = fmt.Sprintf("the best loss over a larger set exceeds that over a smaller one by %.4g "+
			"times the certified gaps, at %s", n.worst.Ratio, n.worst.At)
	default:
		f.Text = fmt.Sprintf("for %d pairs of sets, the best loss over the larger one is at most that "+
			"over the smaller one, up to certified gaps", n.pairs)
	}
	return f
}
