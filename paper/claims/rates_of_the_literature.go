package claims

import (
	"fmt"
	"math"
	"strings"

	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Claim 6: the bounds of Jenatton et al. at β = 2/3 are t^(2/3) for regret and violation, and
// those of Liakopoulos et al. at V = √t, K = 1 are t^(1/2) and t^(3/4). An explicit bound with
// another exponent (exponents), or a measured value above a bound (bounds), refutes the claim.
var ratesOfTheLiterature = checks{
	"exponents": quotedExponents,
	"bounds":    quotedBounds,
}

// jenattonTwoThirds is the algorithm of Jenatton et al. with β = 2/3 to the precision of a float64.
const jenattonTwoThirds = "jenatton:beta=0.6666666666666666"

// quotedExponents measures the exponents of the four bounds between two horizons that are so large
// that terms of lower order do not count.
func quotedExponents(l *Lab) (Finding, error) {
	s, err := l.Stream("fixed", 1)
	if err != nil {
		return Finding{}, err
	}
	const low, high = 1e10, 1e12
	largestError, exponents := 0.0, []string(nil)
	var bounds [2][4]float64 // at both horizons, in the order of the claim
	for k, t := range []int{low, high} {
		regret, violation, err := l.provenBounds(jenattonTwoThirds, s, t)
		if err != nil {
			return Finding{}, err
		}
		bounds[k] = [4]float64{regret(t), violation(t)}
		bounds[k][2], bounds[k][3] = windowBounds(s, 1, t)
	}
	for k, want := range []float64{2. / 3, 2. / 3, 1. / 2, 3. / 4} {
		exponent := vec.Log(bounds[1][k]/bounds[0][k]) / vec.Log(high/low)
		largestError = max(largestError, math.Abs(exponent-want))
		exponents = append(exponents, fmt.Sprintf("%.3f", exponent))
	}
	return Finding{Outcome: refutesIf(!(largestError <= 0.01)),
		Text: fmt.Sprintf("the exponents of the bounds are %s, in the order of the claim",
			strings.Join(exponents, ", "))}, nil
}

// windowBounds returns the bounds of Liakopoulos et al. at the horizon T, with V = min(K√T, T), of
// the regret against X_K and of the soft violation, for affine constraints and without a Slater
// point:
//
//	(αΔ² + T·e)/V   and   √m·q + mLT(VG + √mLq)/(2α),   q² = 2(αΔ² + (e + VF)T),
//
// with α = max(T, V√T), e = V²G²/(4α) + C²/2 + C²(K−1)/2 and C = √mB, where Δ is the diameter of
// the set, F the range of the losses, G and L the Lipschitz constants of losses and constraints,
// and B the bound of the m constraints. The last term of e is of the windows: the queues change by
// at most C in a round.
func windowBounds(s problems.Stream, window, horizon int) (regret, violation float64) {
	f, T, K, m := s.Facts(), float64(horizon), float64(window), float64(s.Constraints())
	V := min(K*math.Sqrt(T), T)
	alpha := max(T, V*math.Sqrt(T))
	c := math.Sqrt(m) * f.ConstraintBound
	alphaDelta2 := float64(alpha * f.Diameter * f.Diameter)
	e := float64(V*V*f.LossLipschitz*f.LossLipschitz/(4*alpha)) + float64(c*c*K/2)
	q := math.Sqrt(2 * (alphaDelta2 + float64((e+float64(V*f.LossRange))*T)))
	step := float64(V*f.LossLipschitz) + float64(math.Sqrt(m)*f.ConstraintLipschitz*q)
	return (alphaDelta2 + float64(T*e)) / V,
		float64(math.Sqrt(m)*q) + float64(m*f.ConstraintLipschitz*T*step/(2*alpha))
}

// quotedBounds compares measured regret and violation with the bounds: of Jenatton et al. in every
// round, of Liakopoulos et al. at the horizons that V is set for.
func quotedBounds(l *Lab) (Finding, error) {
	const T = 1024
	var worst Worst
	err := l.eachTrial(5, []string{"fixed"}, func(p *trial) error {
		regret, violation, err := l.provenBounds(jenattonTwoThirds, p, T)
		if err != nil {
			return err
		}
		return p.play(jenattonTwoThirds, T, compareEvery(p, 1, func(t int, played *sums,
			best []game.Best) {
			worst.Add((played.loss-best[overXMin].Value)/regret(t), `round %d of Jenatton et al. on %v, regret`, t, p)
			worst.Add(played.soft/violation(t), `round %d of Jenatton et al. on %v, violation`, t, p)
		}))
	})
	if err != nil {
		return Finding{}, err
	}
	err = l.eachTrial(5, []string{"alternating", "family", "fixed"}, func(p *trial) error {
		for _, T := range []int{64, 512, 4096} {
			regret, violation := windowBounds(p, 1, T)
			if err := p.compareWithBounds(&worst, "liakopoulos", T, regret, violation); err != nil {
				return err
			}
		}
		return nil
	})
	return worst.Finding("measured regret and violation are", exact), err
}
