package claims

import (
	"fmt"

	"ocobench/algorithms"
)

var examplePrimalDual = checks{
	"growth":     primalDualGrowth,
	"converging": primalDualConverging,
}

func primalDualGrowth(l *Lab) (Finding, error) {
	f := Finding{Outcome: Survives, Text: "the growth exponents of the soft violation of the " +
		"primal-dual update are"}
	for _, x := range []struct {
		experiment, suffix string
		c                  []float64
	}{
		{"frequency", "", []float64{0.75}}, {"frequency-split", ",constraints=2", []float64{0.6, 0.75}},
	} {
		a, err := l.Experiment(x.experiment)
		if err != nil {
			return Finding{}, err
		}
		for _, c := range x.c {
			fit := a.Pair("primal-dual", fmt.Sprintf("decaying-frequency:c=%v%s", c,
				x.suffix)).Series[algorithms.SoftViolation].Fit
			if fit == nil {
				return Finding{Outcome: Undecided, Text: "an exponent was not fitted"}, nil
			}
			e := fit.Exponent
			f.Text += fmt.Sprintf(" %.2f [%.2f, %.2f] ($c=%v$%s),", float64(e.Value), float64(e.Lower),
				float64(e.Upper), c, map[string]string{"": "", ",constraints=2": ", two constraints"}[x.suffix])
			if !(e.Lower > 0.5) {
				f.Outcome = Refutes
			}
			f.Values = append(f.Values, Value{fmt.Sprintf("exponent-%s-%.0f", x.experiment, 100*c),
				float64(e.Value)})
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
