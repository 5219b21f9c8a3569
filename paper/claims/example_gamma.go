package claims

import (
	"fmt"
	"math"
)

var exampleGamma = checks{
	"between": exampleGammaBetween,
	"ends":    exampleGammaEnds,
}

const exampleHorizon = 10000

// playExample returns the soft violation of Penalised FTRL in the Example at a tenth of
// the horizon and at the horizon.
func playExample(l *Lab, c, gamma float64, replicate int) (soft [2]float64, err error) {
	_, err = l.playLine(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), fmt.Sprintf("decaying-frequency:c=%v", c), replicate, exampleHorizon, func(o *line, t int) {
		if t == exampleHorizon/10 {
			soft[0] = o.soft()
		}
		soft[1] = o.soft()
	})
	return soft, err
}

func exampleGammaBetween(l *Lab) (Finding, error) {
	games, cut, least, most := 0, 0, math.Inf(1), 0.
	for _, c := range []float64{0.6, 0.75, 0.9} {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			small, err := playExample(l, c, 25, replicate)
			if err != nil {
				return Finding{}, err
			}
			large, err := playExample(l, c, 2500, replicate)
			if err != nil {
				return Finding{}, err
			}
			least, most = math.Min(least, small[1]), math.Max(most, large[1])
			if games++; large[1] < small[1]/100 {
				cut++
			}
		}
	}
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`with $c=0.6$, 0.75 and 0.9 and at $t=10^4$ the soft violation is at least %.3g with $\gamma=25$ and at most %.2g with $\gamma=2500$, less than a hundredth in %d of %d games`, least, most, cut, games),
		Values:  []Value{{"gamma-25", least}, {"gamma-2500", most}},
	}
	if cut == games {
		f.Outcome = Refutes
	}
	return f, nil
}

func exampleGammaEnds(l *Lab) (Finding, error) {
	n := l.Repeat(20)
	f := Finding{Outcome: Survives, Text: fmt.Sprintf("the mean soft violation of %d games at $t=10^3$ and $10^4$ is", n)}
	for k, p := range []struct{ c, gamma float64 }{{0.5, 25}, {1, 25}, {1, 15}} {
		var sum [2]float64
		for replicate := 1; replicate <= n; replicate++ {
			soft, err := playExample(l, p.c, p.gamma, replicate)
			if err != nil {
				return Finding{}, err
			}
			sum[0] += soft[0]
			sum[1] += soft[1]
		}
		grows := sum[1] / math.Max(sum[0], 1)
		if k > 0 {
			f.Text += ","
		}
		f.Text += fmt.Sprintf(` %.3g and %.3g with $c=%v$ and $\gamma=%v$`, sum[0]/float64(n), sum[1]/float64(n), p.c, p.gamma)
		switch above := grows > 1.2*math.Sqrt(10); {
		case p.gamma == 25 && above:
			f.Outcome = Refutes
		case p.gamma < 20 && !above && f.Outcome == Survives:
			f.Outcome = Undecided // the check does not see a weight that is too small
		}
	}
	return f, nil
}
