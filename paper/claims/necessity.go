package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
)

// Claim 27: where Condition 2 is violated there are examples in which Theorems 1 and 2 fail, such
// as the Example with c between ½ and 1. Theorem 1 fails if actions are outside of X̂^max_τ:
// feasibility refutes the claim if more than a tenth are inside. Theorem 2 fails if the violation
// grows faster than √t: exponents refutes it if an interval of the growth exponent does not lie
// above ½. Beside it, with one constraint that alternates, the violation stops once the constraint
// is slack.
var necessity = checks{
	"feasibility": outsideExample,
	"exponents":   exampleExponents,
	"slack":       func(l *Lab) (Finding, error) { return necessitySlack(l, 0.55, 160000) },
}

// outsideExample counts the actions x_{τ+1} ≤ 0, in X̂^max_τ = [−10, 0], after the first reveal.
func outsideExample(l *Lab) (Finding, error) {
	const horizon = 16000
	largestShare, itsC := 0., "" // the largest share of actions inside, and its c
	for _, c := range []float64{0.6, 0.75, 0.9} {
		inside, rounds := 0, 0
		err := l.eachTrial(10, exampleSpecs(2, c), func(p *trial) error {
			var count revealCounter
			err := p.play("penalised-ftrl", horizon, &count)
			inside, rounds = inside+count.feasible, rounds+count.after
			return err
		})
		if err != nil {
			return Finding{}, err
		}
		if share := float64(inside) / float64(rounds); itsC == "" || share > largestShare {
			largestShare, itsC = share, fmt.Sprintf("c=%v", c)
		}
	}
	return Finding{
		Outcome: refutesIf(largestShare > 0.1),
		Text:    fmt.Sprintf(`$x_{\tau+1}>0$ in all but %.3g\,\%% of the rounds after the first reveal, with $%s$`, 100*largestShare, itsC),
		Values:  []Value{{"share-inside", largestShare}},
	}, nil
}

// exampleExponents reads the growth exponents of the penalty violation from an experiment, and
// counts intervals that exclude c, the exponent as t → ∞.
func exampleExponents(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency-split")
	if err != nil {
		return Finding{}, err
	}
	f, excluded := Finding{Outcome: Survives}, 0
	for _, c := range []float64{0.6, 0.75, 0.9} {
		s := a.Pair("penalised-ftrl", exampleSpecs(2, c)[0]).Series[algorithms.PenaltyViolation]
		if s == nil || s.Fit == nil {
			return Finding{Outcome: Undecided, Text: fmt.Sprintf("the violation with $c=%v$ has no fit", c)},
				nil
		}
		e := s.Fit.Exponent
		f.Outcome = refutesOr(!(e.Lower > 0.5), f.Outcome)
		f.addSentence(", ", `%.3g (%.3g to %.3g) with $c=%v$`, e.Value, e.Lower, e.Upper, c)
		if float64(e.Lower) > c || float64(e.Upper) < c {
			excluded++
		}
		f.Values = append(f.Values, Value{fmt.Sprintf("exponent-c-%d", int(math.Round(100*c))),
			float64(e.Value)})
	}
	f.Text = "the growth exponent of the penalty violation is " + f.Text
	f.addSentence("; ", `as $t\to\infty$ it is 0.6, 0.75 and 0.9, as derived, which %d of the 3 intervals, of a window that ends at $t=10^4$, exclude`, excluded)
	return f, nil
}

// necessitySlack plays the Example with one constraint, which is slack from round 100^(1/(1−c))
// on, and asks whether the violation still grows in the second half of the game.
func necessitySlack(l *Lab, c float64, horizon int) (Finding, error) {
	var a penaltyObserver
	half := 0.
	err := l.Play("penalised-ftrl", exampleSpecs(1, c)[0], 1, horizon, &a,
		roundObserver(func(t int, _ []float64, _ *convex.Round) {
			if t == horizon/2 {
				half = a.penalty
			}
		}))
	f := Finding{Outcome: Survives, Text: fmt.Sprintf(`the violation grows from %.4g to %.4g`, half,
		a.penalty)}
	if a.penalty < 1.001*half {
		f.Outcome, f.Text = Refutes, fmt.Sprintf(`the violation has stopped: it is %.4g at both`,
			a.penalty)
	}
	return f, err
}
