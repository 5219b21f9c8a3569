package claims

import (
	"fmt"
	"math"

	"ocobench/harness/game"
)

// Claim 2: X^min_t ⊆ X̂^max_t ⊆ X^max_t. The minimum of the loss over a larger set cannot be
// larger: a best value above that over a smaller set, by more than the certified gaps, refutes the
// claim, and so does a larger set that is empty while the smaller one is not.
var setsNested = checks{"values": setsNestedValues}

// setsNestedValues computes the best values over the sets at t = 200 on streams of every class. No
// algorithm plays.
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

// nesting accumulates comparisons of the best losses over sets with those over larger ones.
type nesting struct {
	worst Worst
	pairs int
	lost  string // says which set is empty although it contains one that is not; TeX
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
		n.worst.Add((large.Value-small.Value)/(large.Gap+float64(1e-7*(1+math.Abs(large.Value)))), `%v`,
			p)
	}
}

// finding returns what the comparisons say of the claim.
func (n *nesting) finding() Finding {
	f := n.worst.Finding("", exact)
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
