package claims

import (
	"fmt"
	"math"
	"strings"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
	"ocobench/problems"
)

var ratesOfTheLiterature = Claim{
	Name:       "rates-of-the-literature",
	Place:      "Related Work",
	Sentence:   `The bounds of Jenatton et al. at $\beta=2/3$ are $t^{2/3}$ for regret and violation, and those of Liakopoulos et al. at $V=\sqrt{t}$, $K=1$ are $t^{1/2}$ and $t^{3/4}$.`,
	Hypothesis: `fixed constraints for the first; any constraints and the comparator $X^{\min}_t$ for the second`,
	Statistic:  `exponents of the explicit bounds between $t=10^{10}$ and $10^{12}$; measured regret against $X^{\min}_t$ and soft violation over the bounds`,
	Rule:       `an exponent that differs from the quoted one by more than 0.01, or a measured value above its bound`,
	Proof: `$O(\max(t^\beta, t^{1-\beta}))$ and $O(t^{1-\beta/2})$ at $\beta=2/3$ are $t^{2/3}$ twice, and $O(\sqrt{t} + KT/V)$ and $O((Vt)^{1/2})$ at $V=\sqrt{T}$, $K=1$ are $t^{1/2}$ and $t^{3/4}$. ` +
		`The bounds themselves follow from both papers' inequality for primal-dual steps: regret plus $[\sum_i g_i(x_i)]_+^2$ over a weight $w_t$ is at most $C_t$, so that the violation is at most $\sqrt{w_t(Ft+C_t)}$. ` +
		`For Jenatton et al. $C_t = \Delta^2/(2\eta_t) + \sum_i (G^2\eta_i + B^2\mu_i)$ and $w_t = 2(\theta_1 + \sum_i \theta_i)$ with $\eta_t, \theta_t \sim t^{-\beta}$, $\mu_t \sim t^{\beta-1}$; ` +
		`for Liakopoulos et al. $C_t \sim \sqrt{T} + T/V$ and $w_t \sim V$.`,
	Cost: "5 games of 1024 rounds, and 45 of at most 4096",
	Checks: []Check{{
		Role: Stated,
		What: `exponents of the bounds of the theorems, with all their constants`,
		Run:  quotedExponents,
	}, {
		Role:    Stated,
		What:    `regret and violation over these bounds, in every round, or for Liakopoulos et al. at the horizons 64, 512 and 4096`,
		Command: "bench play --algorithm jenatton:beta=0.6666666666666666 --problem fixed --horizon 1024",
		Run:     quotedBounds,
	}},
}

const jenattonTwoThirds = "jenatton:beta=0.6666666666666666"

func quotedExponents(l *Lab) (Finding, error) {
	s, err := l.Stream("fixed", 1)
	if err != nil {
		return Finding{}, err
	}
	const low, high = 1e10, 1e12
	off, said := 0.0, []string(nil)
	var at [2][4]float64 // the bounds of the claim at both horizons
	for k, t := range []int{low, high} {
		regret, violation, err := l.provenBounds(jenattonTwoThirds, s, t)
		if err != nil {
			return Finding{}, err
		}
		at[k] = [4]float64{regret(t), violation(t)}
		at[k][2], at[k][3] = windowBounds(s, 1, t)
	}
	for k, want := range []float64{2. / 3, 2. / 3, 1. / 2, 3. / 4} {
		p := vec.Log(at[1][k]/at[0][k]) / vec.Log(high/low)
		off = max(off, math.Abs(p-want))
		said = append(said, fmt.Sprintf("%.3f", p))
	}
	return Finding{Outcome: refutesIf(!(off <= 0.01)), Text: fmt.Sprintf("the exponents of the bounds are %s, in the order of the claim", strings.Join(said, ", "))}, nil
}

// windowBounds are those of Liakopoulos et al. at the horizon T, with V = K√T, of the
// regret against X_K and of the soft violation, for affine constraints and without a
// Slater point:
//
//	(αΔ² + T·e)/V   and   √m·q + mLT(VG + √mLq)/(2α),   q² = 2(αΔ² + (e + VF)T),
//
// with α = max(T, V√T), e = V²G²/(4α) + C²/2 + C²(K−1)/2 and C = √mB. The last term
// of e is of the windows: the queues change by at most C in a round.
func windowBounds(s problems.Stream, window, horizon int) (regret, violation float64) {
	f, T, K, m := s.Facts(), float64(horizon), float64(window), float64(s.Constraints())
	V := min(K*math.Sqrt(T), T)
	alpha := max(T, V*math.Sqrt(T))
	c := math.Sqrt(m) * f.ConstraintBound
	start := float64(alpha * f.Diameter * f.Diameter)
	each := float64(V*V*f.LossLipschitz*f.LossLipschitz/(4*alpha)) + float64(c*c*K/2)
	q := math.Sqrt(2 * (start + float64((each+float64(V*f.LossRange))*T)))
	step := float64(V*f.LossLipschitz) + float64(math.Sqrt(m)*f.ConstraintLipschitz*q)
	return (start + float64(T*each)) / V, float64(math.Sqrt(m)*q) + float64(m*f.ConstraintLipschitz*T*step/(2*alpha))
}

func quotedBounds(l *Lab) (Finding, error) {
	var worst Worst
	n := l.Repeat(5)
	for replicate := 1; replicate <= n; replicate++ {
		const T = 1024
		s, err := l.Stream("fixed", replicate)
		if err != nil {
			return Finding{}, err
		}
		regret, violation, err := l.provenBounds(jenattonTwoThirds, s, T)
		if err != nil {
			return Finding{}, err
		}
		h, game := harness.NewHindsight(s), &sums{}
		err = l.Play(jenattonTwoThirds, "fixed", replicate, T, h, game, Observe(func(t int, _ []float64, _ *convex.Round) error {
			best, err := h.Solve()
			if err != nil {
				return err
			}
			worst.See((game.loss-best[0].Value)/regret(t), `round %d of Jenatton et al. on \texttt{fixed}, replicate %d, regret`, t, replicate)
			worst.See(game.soft/violation(t), `round %d of Jenatton et al. on \texttt{fixed}, replicate %d, violation`, t, replicate)
			return nil
		}))
		if err != nil {
			return Finding{}, err
		}
		for _, problem := range []string{"alternating", "family", "fixed"} {
			for _, T := range []int{64, 512, 4096} {
				if s, err = l.Stream(problem, replicate); err != nil {
					return Finding{}, err
				}
				regret, violation := windowBounds(s, 1, T)
				if err := l.overBounds(&worst, "liakopoulos", problem, replicate, T, regret, violation); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return worst.Finding("measured regret and violation are", 0), nil
}
