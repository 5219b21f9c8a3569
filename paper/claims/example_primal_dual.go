package claims

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/convex/vec"
)

// Claim 40: in the Example the primal-dual update with steps 5/√t does poorly too: its soft
// violation grows faster than √t for c in (½, 1). By the proof it grows like t^c: a mean below half
// of t^c (share), or a growth exponent whose interval does not lie above ½ (growth), refutes the
// claim. Beside it, converging shows the violation for c = 1, where the frequencies converge.
var examplePrimalDual = checks{
	"share":      func(l *Lab) (Finding, error) { return primalDualShare(l, "primal-dual") },
	"growth":     primalDualGrowth,
	"converging": primalDualConverging,
}

// primalDualShare compares the mean soft violation with t^c, at a tenth of the horizon and at its
// end.
func primalDualShare(l *Lab, algorithm string) (Finding, error) {
	const horizon = 10000
	marks := [2]int{horizon / 10, horizon}
	f := Finding{Outcome: Survives}
	for _, c := range []float64{0.6, 0.7} {
		// Soft violations over t^c at a tenth of the horizon and at its end, summed over the games.
		var overPower [2]float64
		games := 0
		err := l.eachTrial(20, exampleSpecs(2, c), func(p *trial) error {
			var played sums
			games++
			return p.play(algorithm, horizon, &played, atTwoRounds(marks[0], marks[1], func(k int) {
				overPower[k] += played.soft / vec.Pow(float64(marks[k]), c)
			}))
		})
		if err != nil {
			return Finding{}, err
		}
		early, late := overPower[0]/float64(games), overPower[1]/float64(games)
		f.Outcome = refutesOr(min(early, late) < 0.5, f.Outcome)
		f.addSentence(", and ", `%.3g and %.3g times $t^c$ at $t=%d$ and %d with $c=%v$`, early, late, marks[0], marks[1], c)
		f.Values = append(f.Values, Value{fmt.Sprintf("share-%.0f", 100*c), late})
	}
	f.Text = "the mean soft violation is " + f.Text
	return f, nil
}

// primalDualGrowth reads growth exponents for c = 0.75 from two experiments: with the one
// constraint of the Example, and with the two it is split into.
func primalDualGrowth(l *Lab) (Finding, error) {
	f := Finding{Outcome: Survives}
	for k, x := range []struct{ experiment, constraints string }{
		{"frequency", "one constraint"}, {"frequency-split", "two"},
	} {
		a, err := l.Experiment(x.experiment)
		if err != nil {
			return Finding{}, err
		}
		fit := a.Pair("primal-dual", exampleSpecs(k+1, 0.75)[0]).Series[algorithms.SoftViolation].Fit
		if fit == nil {
			return Finding{Outcome: Undecided, Text: "an exponent was not fitted"}, nil
		}
		e := fit.Exponent
		f.addSentence(" and ", "%.2f [%.2f, %.2f] with %s",
			float64(e.Value), float64(e.Lower), float64(e.Upper), x.constraints)
		if !(e.Lower > 0.5) {
			f.Outcome = Refutes
		}
		f.Values = append(f.Values, Value{fmt.Sprintf("exponent-%s-75", x.experiment),
			float64(e.Value)})
	}
	f.Text = "the growth exponents of the soft violation of the primal-dual update are " + f.Text
	return f, nil
}

// primalDualConverging reports mean soft violations at t = 10⁴ for c = 1; it decides nothing.
func primalDualConverging(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency")
	if err != nil {
		return Finding{}, err
	}
	soft := func(algorithm string, c float64) float64 {
		return float64(experimentMean(a, algorithm, fmt.Sprintf("decaying-frequency:c=%v", c),
			algorithms.SoftViolation, 10000).Value)
	}
	one, between, ftrl := soft("primal-dual", 1), soft("primal-dual", 0.75), soft("penalised-ftrl", 1)
	return Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`the mean soft violation of the primal-dual update is %.4g with $c=1$ and %.3g with $c=0.75$; that of Penalised FTRL is %.3g with $c=1$`, one, between, ftrl),
		Values:  []Value{{"primal-dual-1", one}, {"primal-dual-75", between}},
	}, nil
}
