package claims

import (
	"fmt"
	"math"
)

// Claim 38: γ = 25 is an adequate weight of the penalty in the paper's Example ([exampleSpecs]), in
// which the frequency of the constraint x ≤ 0 decays like t^(c−1). Growth of the violation is then
// due to the frequencies.
//
//   - between: the claim is refuted if, in all games with c between ½ and 1, a γ a hundred times as
//     large cuts the violation on the same rounds to less than a hundredth: the violation was due
//     to γ.
//   - ends: for c = ½ and c = 1 the claim holds if the mean violation grows at most like √t over
//     the last decade. With γ = 15, below the threshold 20 of c = 1, it has to grow faster, or the
//     check would not see a weight that is too small.
var exampleGamma = checks{
	"between": exampleGammaBetween,
	"ends":    exampleGammaEnds,
}

// softInExample returns the soft violation of Penalised FTRL in the Example at t = 10³ and 10⁴.
func (p *trial) softInExample(gamma float64) (soft [2]float64, err error) {
	at, err := p.lab.lineAt(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), p.problem, p.replicate,
		1000, 10000)
	return [2]float64{at[0].softViolation(), at[1].softViolation()}, err
}

// exampleGammaBetween counts the games in which γ = 2500 has less than a hundredth of the soft
// violation of γ = 25 at t = 10⁴.
func exampleGammaBetween(l *Lab) (Finding, error) {
	games, cutGames, leastAt25, mostAt2500 := 0, 0, math.Inf(1), 0.
	err := l.eachTrial(10, exampleSpecs(1, 0.6, 0.75, 0.9), func(p *trial) error {
		at25, err := p.softInExample(25)
		if err != nil {
			return err
		}
		at2500, err := p.softInExample(2500)
		leastAt25, mostAt2500 = min(leastAt25, at25[1]), max(mostAt2500, at2500[1])
		if games++; at2500[1] < at25[1]/100 {
			cutGames++
		}
		return err
	})
	return Finding{
		Outcome: refutesIf(cutGames == games),
		Text:    fmt.Sprintf(`with $c=0.6$, 0.75 and 0.9 and at $t=10^4$ the soft violation is at least %.3g with $\gamma=25$ and at most %.2g with $\gamma=2500$, less than a hundredth in %d of %d games`, leastAt25, mostAt2500, cutGames, games),
		Values:  []Value{{"gamma-25", leastAt25}, {"gamma-2500", mostAt2500}},
	}, err
}

// exampleGammaEnds compares the mean soft violations at t = 10³ and 10⁴. √t grows by √10; a fifth
// more counts as faster.
func exampleGammaEnds(l *Lab) (Finding, error) {
	n := l.Repeat(20)
	f := Finding{Outcome: Survives}
	for _, at := range []struct{ c, gamma float64 }{{0.5, 25}, {1, 25}, {1, 15}} {
		var sum [2]float64
		err := l.eachTrial(20, exampleSpecs(1, at.c), func(p *trial) error {
			soft, err := p.softInExample(at.gamma)
			sum[0] += soft[0]
			sum[1] += soft[1]
			return err
		})
		if err != nil {
			return Finding{}, err
		}
		f.addSentence(", ", `%.3g and %.3g with $c=%v$ and $\gamma=%v$`, sum[0]/float64(n),
			sum[1]/float64(n), at.c, at.gamma)
		switch faster := sum[1]/max(sum[0], 1) > 1.2*math.Sqrt(10); {
		case at.gamma == 25 && faster:
			f.Outcome = Refutes
		case at.gamma < 20 && !faster && f.Outcome == Survives:
			f.Outcome = Undecided // the check does not see a weight that is too small
		}
	}
	f.Text = fmt.Sprintf("the mean soft violation of %d games at $t=10^3$ and $10^4$ is ", n) + f.Text
	return f, nil
}
