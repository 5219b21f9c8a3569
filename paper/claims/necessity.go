package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
)

var necessity = Claim{
	Name:       "necessity",
	Place:      "§4.5, Necessity of Penalty Growth Condition",
	Sentence:   `Where Condition 2 is violated there are examples in which Theorems 1 and 2 fail, such as the Example with $c\in(\frac{1}{2},1)$.`,
	Hypothesis: `The reading of §4.5, with $h_i=(n_{2,i}/i)\max(0,x)$: one constraint for each of the two values.`,
	Statistic:  `whether $x_{\tau+1}\in \hat{X}^{\max}_\tau=[-10,0]$, and the growth exponent of the penalty violation, with its interval`,
	Rule:       `$x_{\tau+1}\le 0$ in more than a tenth of the rounds after the first reveal, or an exponent whose interval does not lie above $\frac{1}{2}$`,
	Proof: `$f_i=-2x$, and the penalty has the slope $\gamma\sum_{i\le\tau} n_{2,i}/i$, where $n_{2,i}\approx 0.1i^c$ almost surely up to a factor that tends to 1. It is about $0.1\gamma\tau^c/c$, less than $2\tau-20\sqrt{\tau}$ from some $\tau_0(\gamma)$ on, whatever $\gamma$ is. ` +
		`From there on $x_{\tau+1}=10\notin \hat{X}^{\max}_\tau$, against Theorem 1, and $\sum_{i\le t} h_i(x_i)$ is $10\sum n_{2,i}/i\approx t^c/c$, more than $O(\sqrt{t})$, against the violation of Theorem 2. ` +
		`Its regret does not fail: it is $O(\sqrt{t})$ without Condition 2. ` +
		`With one constraint that alternates, as the Example has it, the average at $x=10$ is negative beyond $100^{1/(1-c)}$ rounds, and the violation stops: there Theorem 2 fails up to that horizon only.`,
	Experiments: []string{"frequency-split"},
	Cost:        "the experiment frequency-split, 3 × 10 games of 16000 rounds, and a game of 160000",
	Checks: []Check{{
		Role:    Stated,
		What:    `Theorem 1: $x_{\tau+1}$ with two constraints, $\gamma=25$, $c=0.6$, $0.75$, $0.9$`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.75,constraints=2 --horizon 16000",
		Run:     outsideExample,
	}, {
		Role:    Stated,
		What:    `Theorem 2: the exponent of the penalty violation with two constraints, $\gamma=25$, $c=0.6$, $0.75$, $0.9$`,
		Command: "bench run frequency-split",
		Run:     exampleExponents,
	}, {
		Role:    Beside,
		What:    `one constraint that alternates, $c=0.55$, where the slack horizon is $27800$: does the violation grow from $t=80000$ to $160000$?`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.55 --horizon 160000",
		Run:     necessitySlack,
	}},
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
