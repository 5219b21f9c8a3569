package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
)

var necessity = checks{
	"feasibility": outsideExample,
	"exponents":   exampleExponents,
	"slack":       necessitySlack,
}

func outsideExample(l *Lab) (Finding, error) {
	const horizon = 16000
	most, at := 0., "" // share of rounds with x ≤ 0
	for _, c := range []float64{0.6, 0.75, 0.9} {
		inside, rounds := 0, 0
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			n := 0
			err := l.Play("penalised-ftrl", exampleSplit(c), replicate, horizon, Observe(func(_ int, x []float64, r *convex.Round) error {
				if n > 0 {
					rounds++
					if x[0] <= 1e-9 {
						inside++
					}
				}
				n += revealed(*r)
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
		}
		if share := float64(inside) / float64(rounds); at == "" || share > most {
			most, at = share, fmt.Sprintf("c=%v", c)
		}
	}
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`$x_{\tau+1}>0$ in all but at most %.3g\,\%% of the rounds after the first reveal, with $%s$`, 100*most, at),
		Values:  []Value{{"share-inside", most}},
	}
	if most > 0.1 {
		f.Outcome = Refutes
	}
	return f, nil
}

// exampleSplit is the Example with two constraints, by its SPEC.
func exampleSplit(c float64) string {
	return fmt.Sprintf("decaying-frequency:c=%v,constraints=2", c)
}

// revealed is 1 in the rounds of the Example that reveal x ≤ 0.
func revealed(r convex.Round) int {
	for _, g := range r.Constraints {
		if g.Value([]float64{1}) == 1 {
			return 1
		}
	}
	return 0
}

func exampleExponents(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency-split")
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Outcome: Survives}
	for k, p := range a.Pairs {
		for _, c := range []float64{0.6, 0.75, 0.9} {
			if p.Problem != exampleSplit(c) || p.Algorithm != a.Algorithms[0].Spec {
				continue
			}
			s := a.Pairs[k].Series[algorithms.PenaltyViolation]
			if s == nil || s.Fit == nil {
				return Finding{Outcome: Undecided, Text: fmt.Sprintf("the violation with $c=%v$ has no fit", c)}, nil
			}
			e := s.Fit.Exponent
			if !(e.Lower > 0.5) {
				f.Outcome = Refutes
			}
			if f.Text != "" {
				f.Text += ", "
			}
			f.Text += fmt.Sprintf(`%.3g (%.3g to %.3g) with $c=%v$`, e.Value, e.Lower, e.Upper, c)
			f.Values = append(f.Values, Value{fmt.Sprintf("exponent-c-%d", int(math.Round(100*c))), float64(e.Value)})
		}
	}
	if len(f.Values) != 3 {
		return Finding{}, fmt.Errorf("the experiment has %d of the 3 pairs", len(f.Values))
	}
	f.Text = "the growth exponent of the penalty violation is " + f.Text
	return f, nil
}

func necessitySlack(l *Lab) (Finding, error) {
	const horizon = 160000
	var a averages
	half := 0.
	err := l.Play("penalised-ftrl", "decaying-frequency:c=0.55", 1, horizon, &a, Observe(func(t int, _ []float64, _ *convex.Round) error {
		if t == horizon/2 {
			half = a.penalty
		}
		return nil
	}))
	f := Finding{Outcome: Survives, Text: fmt.Sprintf(`the violation grows from %.4g to %.4g`, half, a.penalty)}
	if a.penalty < 1.001*half {
		f.Outcome, f.Text = Refutes, fmt.Sprintf(`the violation has stopped: it is %.4g at both`, a.penalty)
	}
	return f, err
}
