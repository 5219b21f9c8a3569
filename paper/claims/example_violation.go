package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
)

var exampleViolation = checks{
	"slack":  exampleSlack,
	"growth": exampleGrowth,
}

func exampleSlack(l *Lab) (Finding, error) {
	const c, horizon, slack = 0.55, 100000, 50000
	games, zero, peak, late, stuck := l.Repeat(5), 0, 0., 0., 0
	err := l.eachTrial(5, exampleSpecs("", c), func(p *trial) error {
		before := 0.
		o, err := p.line("penalised-ftrl", horizon, func(o *line, t int) {
			if peak = max(peak, o.softViolation()); t == slack {
				before = o.penalty
			}
			if o.x < 10 {
				stuck = max(stuck, t)
			}
		})
		if err != nil {
			return err
		}
		if o.softViolation() == 0 && o.penalty == before {
			zero++
		}
		late = max(late, o.penalty)
		return nil
	})
	return Finding{
		Outcome: refutesIf(zero == games),
		Text: fmt.Sprintf(`with $c=%v$, $x_t=10$ from $t=%d$ on; the soft violation rises to %.3g and is 0 at $t=%d$ in %d of %d games, where the penalty violation, at most %.3g, does not change from $t=%d$ on`,
			c, stuck+1, peak, horizon, zero, games, late, slack),
		Values: []Value{{"peak", peak}, {"games", float64(games)}, {"slack", float64(zero)}},
	}, err
}

func exampleGrowth(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency")
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Outcome: Survives, Text: "the mean soft violation at $t=10^3$ and $10^4$ is"}
	at := func(c, t float64) analysis.Estimate {
		return experimentMean(a, "penalised-ftrl", fmt.Sprintf("decaying-frequency:c=%v", c),
			algorithms.SoftViolation, t)
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
		f.Values = append(f.Values, Value{fmt.Sprintf("soft-%d", int(math.Round(100*c))),
			float64(is.Value)})
	}
	return f, nil
}

// experimentMean returns the mean of a metric in an experiment at the last checkpoint up to t.
func experimentMean(a *analysis.Analysis, algorithm, problem string, metric algorithms.Metric,
	t float64) (e analysis.Estimate) {
	band := a.Pair(algorithm, problem).Series[metric].Mean
	for _, at := range band.T {
		if at <= t {
			e, _ = band.At(at)
		}
	}
	return e
}
