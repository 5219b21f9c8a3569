package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
)

var exampleViolation = Claim{
	Name:       "example-violation",
	Place:      "Example, with the left part of its figure; §4.5",
	Sentence:   `In the Example with $\gamma=25$ the violation stays near 0 for $c=1$ and $c=0.5$, and grows with $t$, faster than $\sqrt{t}$, for $c\in(0.5,1)$.`,
	Hypothesis: `$D=[-10,10]$, $f=-2x$, $R_\tau=\sqrt{\tau}\,x^2$; the paper gives no horizon and no number of runs. $V_t=\max(0,\sum g_i(x_i))$.`,
	Statistic:  `the soft and the penalty violation of games with $c=0.55$ to $t=10^5$; the mean soft violation at $t=10^3$ and $10^4$ for $c=0.5,0.75,0.9,1$`,
	Rule:       `as stated: a soft violation that ends at 0, and a penalty violation that ends constant, in all games; under the condition: growth over the decade, with intervals, by less than $\sqrt{10}$ for $c=0.75$ or $0.9$; or by more for $c=0.5$ or 1, or above a fifth of the violation of $c=0.75$`,
	Condition:  `for $c$ in between, $t<(200(c-\tfrac{1}{2}))^{1/(1-c)}$, before the constraint is slack: 1789 rounds for $c=0.6$, $6\cdot10^6$ for $c=0.75$`,
	Proof: `For $c<1$ all hinges together have slope at most $25\sum_{i\le\tau}n_{2,i}/i$, of mean about $2.5\tau^c/c$, and the losses $-2\tau$: after a while $x_t=10$, for ever. From there on $\sum g_i(x_i)=10n_{2,t}-0.01n_{1,t}+O(1)$, of mean $t^c-0.01t+O(1)$ (\texttt{frequency-sums}). Over $\sqrt{t}$ this grows while $t^{1-c}<200(c-\tfrac{1}{2})$. ` +
		`It is largest at $(100c)^{1/(1-c)}$, 25 for $c=0.5$, and negative from $100^{1/(1-c)}$ on: $10^4$, $10^5$, $10^8$ for $c=0.5,0.6,0.75$. There $h_i(10)=0$ too, and both violations are bounded, for every $c<1$. ` +
		`For $c=1$ the limit $0.1x-0.009$ has a Slater point and $\gamma=25$ is above $2/0.1$: $O(\sqrt{t})$ in mean by \texttt{iid-rate}.`,
	Experiments: []string{"frequency"},
	Cost:        "5 games of 100000 rounds; the experiment frequency",
	Checks: []Check{{
		Role:    Stated,
		What:    `$c=0.55$, which is slack from $t=27800$ on`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.55 --horizon 100000",
		Run:     exampleSlack,
	}, {
		Role:    Amended,
		What:    `mean soft violations to $t=10^4$`,
		Command: "bench run frequency",
		Run:     exampleGrowth,
	}},
}

func exampleSlack(l *Lab) (Finding, error) {
	const horizon, slack = 100000, 50000
	games, zero, peak, late, stuck := l.Repeat(5), 0, 0., 0., 0
	for replicate := 1; replicate <= games; replicate++ {
		before := 0.
		o, err := l.playLine("penalised-ftrl", "decaying-frequency:c=0.55", replicate, horizon, func(o *line, t int) {
			if peak = math.Max(peak, o.soft()); t == slack {
				before = o.penalty
			}
			if o.x < 10 {
				stuck = max(stuck, t)
			}
		})
		if err != nil {
			return Finding{}, err
		}
		if o.soft() == 0 && o.penalty == before {
			zero++
		}
		late = math.Max(late, o.penalty)
	}
	f := Finding{
		Outcome: Survives,
		Text: fmt.Sprintf(`with $c=0.55$, $x_t=10$ from $t=%d$ on; the soft violation rises to %.3g and is 0 at $t=10^5$ in %d of %d games, where the penalty violation, at most %.3g, does not change from $t=50000$ on`,
			stuck+1, peak, zero, games, late),
		Values: []Value{{"peak", peak}, {"games", float64(games)}, {"slack", float64(zero)}},
	}
	if zero == games {
		f.Outcome = Refutes
	}
	return f, nil
}

func exampleGrowth(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency")
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Outcome: Survives, Text: "the mean soft violation at $t=10^3$ and $10^4$ is"}
	at := func(c, t float64) analysis.Estimate {
		return experimentMean(a, "penalised-ftrl", fmt.Sprintf("decaying-frequency:c=%v", c), algorithms.SoftViolation, t)
	}
	most := float64(at(0.75, 10000).Value)
	for _, c := range []float64{0.5, 0.75, 0.9, 1} {
		was, is := at(c, 1000), at(c, 10000)
		grows := float64(is.Lower) > math.Sqrt(10)*float64(was.Upper)
		small := float64(is.Value) < math.Sqrt(10)*float64(was.Value) && float64(is.Value) < most/5
		if c > 0.5 && c < 1 && !grows || (c == 0.5 || c == 1) && !small {
			f.Outcome = Refutes
		}
		if f.Values != nil {
			f.Text += ","
		}
		f.Text += fmt.Sprintf(` %.3g and %.4g with $c=%v$`, float64(was.Value), float64(is.Value), c)
		f.Values = append(f.Values, Value{fmt.Sprintf("soft-%d", int(math.Round(100*c))), float64(is.Value)})
	}
	return f, nil
}

// experimentMean is the mean of a metric in an experiment at the last checkpoint up to t.
func experimentMean(a *analysis.Analysis, algorithm, problem string, metric algorithms.Metric, t float64) (e analysis.Estimate) {
	band := a.Pair(algorithm, problem).Series[metric].Mean
	for _, at := range band.T {
		if at <= t {
			e, _ = band.At(at)
		}
	}
	return e
}
