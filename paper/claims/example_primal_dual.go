package claims

import (
	"fmt"

	"ocobench/algorithms"
)

var examplePrimalDual = Claim{
	Name:       "example-primal-dual",
	Place:      "Example, last paragraph and the right part of its figure",
	Sentence:   `Poor performance without $1/\sqrt{t}$-convergence is not specific to FTRL: in the Example the primal-dual update with steps $5/\sqrt{t}$ does poorly too.`,
	Hypothesis: `The Example with $c\in(0.5,1)$, with one constraint or with one for each value.`,
	Statistic:  `the growth exponent of the mean soft violation of \texttt{primal-dual} on $[100,10^4]$ with its interval, for $c=0.75$ and $c=0.9$; beside them $c=1$`,
	Rule:       `an interval that does not lie above $\tfrac{1}{2}$ at $c=0.75$ or $c=0.9$`,
	Proof: `One example is enough. Let there be a constraint for each value, $c\in(\tfrac{1}{2},\tfrac{3}{4})$, and $v_t=10-x_t$. A binding round adds at most $\alpha_t\lambda_t$ to $v$, any round takes $2\alpha_t$ from it, down to 0: $v$ is a queue. With $N=n_{2,t}$ binding rounds $\lambda_t\le\sum10\alpha_i$ over these, of mean $O(t^{c-1/2})$, and a round binds with probability $0.1c\,t^{c-1}$. ` +
		`The load of the queue is $O(t^{2c-3/2})\to0$. So $v_t=0$ in all binding rounds but a vanishing share, and the mean of $\sum g_{i,2}(x_i)$ is $(1-o(1))t^c$, not $O(\sqrt{t})$. With one constraint the same holds while $t\ll100^{1/(1-c)}$, where it turns slack. ` +
		`The figure shows less than it seems to: with $c=1$, where frequencies converge, the violation of the primal-dual update is larger than with $c=0.75$ at $t=10^4$. And with $\gamma\ge2000c$ Penalised FTRL does well for all $c$ (\texttt{example-gamma}).`,
	Experiments: []string{"frequency", "frequency-split"},
	Cost:        "the experiments frequency and frequency-split",
	Checks: []Check{{
		Role:    Stated,
		What:    `the soft violation of the primal-dual update, with one constraint and with two`,
		Command: "bench run frequency-split",
		Run:     primalDualGrowth,
	}, {
		Role:    Beside,
		What:    `the same where the frequencies converge, $c=1$, at $t=10^4$`,
		Command: "bench run frequency",
		Run:     primalDualConverging,
	}},
}

func primalDualGrowth(l *Lab) (Finding, error) {
	f := Finding{Outcome: Survives, Text: "the growth exponents of the soft violation of the primal-dual update are"}
	for _, x := range []struct{ experiment, suffix string }{{"frequency", ""}, {"frequency-split", ",constraints=2"}} {
		a, err := l.Experiment(x.experiment)
		if err != nil {
			return Finding{}, err
		}
		for _, c := range []float64{0.75, 0.9} {
			fit := a.Pair("primal-dual", fmt.Sprintf("decaying-frequency:c=%v%s", c, x.suffix)).Series[algorithms.SoftViolation].Fit
			if fit == nil {
				return Finding{Outcome: Undecided, Text: "an exponent was not fitted"}, nil
			}
			e := fit.Exponent
			f.Text += fmt.Sprintf(" %.2f [%.2f, %.2f] ($c=%v$%s),", float64(e.Value), float64(e.Lower), float64(e.Upper), c, map[string]string{"": "", ",constraints=2": ", two constraints"}[x.suffix])
			if !(e.Lower > 0.5) {
				f.Outcome = Refutes
			}
			f.Values = append(f.Values, Value{fmt.Sprintf("exponent-%s-%.0f", x.experiment, 100*c), float64(e.Value)})
		}
	}
	f.Text = f.Text[:len(f.Text)-1]
	return f, nil
}

func primalDualConverging(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency")
	if err != nil {
		return Finding{}, err
	}
	soft := func(algorithm string, c float64) float64 {
		return float64(experimentMean(a, algorithm, fmt.Sprintf("decaying-frequency:c=%v", c), algorithms.SoftViolation, 10000).Value)
	}
	one, between, ftrl := soft("primal-dual", 1), soft("primal-dual", 0.75), soft("penalised-ftrl", 1)
	return Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`the mean soft violation of the primal-dual update is %.4g with $c=1$ and %.3g with $c=0.75$; that of Penalised FTRL is %.3g with $c=1$`, one, between, ftrl),
		Values:  []Value{{"primal-dual-1", one}, {"primal-dual-75", between}},
	}, nil
}
