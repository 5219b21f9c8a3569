package claims

import (
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
)

// Claim 44, a conjecture: the primal-dual update on the averaged constraints, as printed, performs
// like Penalised FTRL, so that violation and regret are O(√t). A game in which one of them is
// linear refutes it. There are three answers:
//
//   - swings: for every step the penalty violation is linear on a fixed constraint.
//   - large-steps: with large steps both violations and the regret are linear.
//   - small-steps: with small steps the regret and the signed sums keep to the bounds of the
//     theorem of the update (docs/mathematics.md).
//
// Beside these are checks of the update with the average clipped at 0: on streams with steps to
// which its theorem applies (algorithms.PrimalDualAverageParams), and on one where its regret
// exceeds √t by the root of a logarithm.
var averagedPrimalDual = checks{
	"swings":      averagedPrimalDualSwings,
	"large-steps": func(l *Lab) (Finding, error) { return largeStepsAlternate(l, 5) },
	"small-steps": func(l *Lab) (Finding, error) { return smallStepsKeep(l, "primal-dual-average") },
	"clipped":     func(l *Lab) (Finding, error) { return clippedSettles(l, 0.5) },
	"logarithm":   clippedLogarithm,
}

// averagedPrimalDualSwings plays the update as printed with three steps, and Penalised FTRL, on the
// fixed constraint x ≤ 0 with the loss −x. Over the last decade √t grows by 3.2 and t by 10: a
// penalty violation that grows by more than 7 with every step is nearly linear, and refutes.
func averagedPrimalDualSwings(l *Lab) (Finding, error) {
	const problem, horizon = "drifting-average:amplitude=0", 100000
	play := func(algorithm string) (penalty, soft, regret [2]float64, err error) {
		_, err = l.playLine(algorithm, problem, 1, horizon, func(o *line, t int) {
			k := 0
			if t > horizon/10 {
				k = 1
			}
			// Soft violation and regret swing; their largest values do not.
			penalty[k], soft[k] = o.penalty, max(soft[k], o.softViolation())
			regret[k] = max(regret[k], o.regret(o.currentSet()))
		})
		return penalty, soft, regret, err
	}
	leader, _, _, err := play("penalised-ftrl")
	if err != nil {
		return Finding{}, err
	}
	leastGrowth, leastShare, soft, regret := math.Inf(1), math.Inf(1), 0., 0.
	for _, step := range []float64{0.5, 1, 5} {
		v, s, r, err := play(fmt.Sprintf("primal-dual-average:step=%v", step))
		if err != nil {
			return Finding{}, err
		}
		leastGrowth, leastShare = min(leastGrowth, v[1]/v[0]), min(leastShare, v[1]/horizon)
		soft = max(soft, s[1]/math.Sqrt(horizon))
		regret = max(regret, r[1]/math.Sqrt(horizon))
	}
	return Finding{
		Outcome: refutesOr(leastGrowth > 7, Undecided),
		Text: fmt.Sprintf(`with steps $\alpha_t=a/\sqrt{t}$, $a=0.5$, 1 and 5, $V_t$ grows by a factor of at least %.3g from $t=10^4$ to $10^5$, to at least $%.3gt$, and that of Penalised FTRL is %.2g; soft violation and regret swing up to $%.2g$ and $%.2g$ times $\sqrt{10^5}$`,
			leastGrowth, leastShare, leader[1], soft, regret),
		Values: []Value{{"growth", leastGrowth}, {"share", leastShare}, {"penalised-ftrl", leader[1]}},
	}, nil
}

// clippedSettles plays the clipped update with steps that are small enough for its theorem,
// and Penalised FTRL, where the average is fixed and where it swings for ever.
func clippedSettles(l *Lab, step float64) (Finding, error) {
	const horizon = 100000
	f := Finding{Outcome: Survives}
	for _, c := range []struct{ name, problem, where string }{
		{"fixed", "drifting-average:amplitude=0", "where the average is fixed"},
		{"swings", "drifting-average:rate=0,turns=1", "where it swings for ever"},
	} {
		play := func(algorithm string) (v, regret [2]float64, err error) {
			at, err := l.lineAt(algorithm, c.problem, 1, horizon/10, horizon)
			for k, o := range at {
				v[k], regret[k] = o.penalty, o.regret(o.averagesSet(1, o.rounds()))
			}
			return v, regret, err
		}
		v, regret, err := play(fmt.Sprintf("primal-dual-average:clip=true,step=%v", step))
		if err != nil {
			return Finding{}, err
		}
		leader, _, err := play("penalised-ftrl")
		if err != nil {
			return Finding{}, err
		}
		f.Outcome = refutesOr(outgrows(v, regret[1], horizon), f.Outcome)
		f.addSentence("; ", `%s $V_t$ is %.3g and %.3g, that of Penalised FTRL %.3g and %.3g, and the regret against $\hat{X}^{\max}_t$ %.3g and %.3g`,
			c.where, v[0], v[1], leader[0], leader[1], regret[0], regret[1])
		f.Values = append(f.Values, Value{"violation-" + c.name, v[1]},
			Value{"leader-" + c.name, leader[1]})
	}
	f.Text = fmt.Sprintf(`clipped, with steps $%v/\sqrt{t}$, at $t=10^4$ and $10^5$: `, step) + f.Text
	return f, nil
}

// outgrows reports whether a violation at a tenth of the horizon and at the horizon, or a regret
// there, counts against √t·log t: if the violation grows by a quarter more than that, or if
// the regret is above it. The early rounds leave a regret below 0, whose growth says nothing.
func outgrows(violation [2]float64, regret, horizon float64) bool {
	allowed := 1.25 * math.Sqrt(10) * math.Log(horizon) / math.Log(horizon/10)
	root := math.Sqrt(horizon)
	return growthFactor(violation, root) > allowed || regret > root*math.Log(horizon)
}

// asPrinted and clipped are values of clip, the parameter of primal-dual-average that says whether
// the averages are clipped at 0.
const asPrinted, clipped = false, true

// averagedOn plays primal-dual-average with the steps step/√t on [−2, 2], on a constraint that does
// not change. After every round it calls see with t, x_t and what has been played.
func averagedOn(l *Lab, clip bool, step float64, horizon int, constraint convex.Evaluator,
	slope func(t int, x float64) float64, see func(t int, x float64, played *sums)) error {
	s := newFixedLine(-2, 2, constraint, slope)
	algorithm := fmt.Sprintf("primal-dual-average:clip=%v,step=%v", clip, step)
	played := &sums{}
	return l.PlayOn(algorithm, s, 1, horizon, played,
		roundObserver(func(t int, x []float64, _ *convex.Round) { see(t, x[0], played) }))
}

// largeStepsAlternate plays the update as printed and clipped with g = |x| − ½ and f = −x: with
// these steps, with 2/√t, and with steps of a tenth where f and g are ten times as large.
func largeStepsAlternate(l *Lab, step float64) (Finding, error) {
	const horizon = 100000
	alternates := true
	// soft violation, V_t and regret over t
	least := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for _, c := range []struct {
		step, unit float64
		clip       bool
	}{
		{step, 1, asPrinted}, {step, 1, clipped},
		{min(step, 2), 1, asPrinted}, {step / 10, 10, asPrinted},
	} {
		bowl := &convex.Distance{Weight: c.unit, Center: []float64{0}, Offset: -c.unit / 2}
		err := averagedOn(l, c.clip, c.step, horizon, bowl,
			func(int, float64) float64 { return -c.unit },
			func(t int, x float64, played *sums) {
				alternates = alternates && (t < 4 || x == float64(2-4*(t%2))) // 2 in even rounds, else −2
				if t == 2000 || t == horizon {
					n := c.unit * float64(t)
					regret := played.loss + float64(n/2) // against x = ½
					for k, v := range []float64{played.signed[0], played.hard, regret} {
						least[k] = min(least[k], v/n)
					}
				}
			})
		if err != nil {
			return Finding{}, err
		}
	}
	f := Finding{Outcome: refutesIf(least[0] > 1 && least[1] > 1 && least[2] > 0.4), Text: fmt.Sprintf(
		`as printed and clipped, with steps $%v/\sqrt{t}$ on $g=|x|-\frac{1}{2}$ with $f=-x$, with $2/\sqrt{t}$, and with $%v/\sqrt{t}$ where $f$ and $g$ are ten times as large, the soft violation is at least $%.4gt$, $V_t$ $%.4gt$ and the regret $%.3gt$ at $t=2000$ and $10^5$, in units of $f$`,
		step, step/10, least[0], least[1], least[2]),
		Values: []Value{{"soft", least[0]}, {"violation", least[1]}, {"regret", least[2]}}}
	if alternates {
		f.Text += `; $x_t$ is 2 and $-2$ in turn from round 4 on at the latest`
	}
	return f, nil
}

// smallStepsKeep plays an algorithm with steps that are small enough for the theorem of the update
// as printed, on streams of one to five constraints, and compares regret and the signed sums of the
// averages with its bounds.
func smallStepsKeep(l *Lab, algorithm string) (Finding, error) {
	const horizon = 10000
	var regret, signed Worst
	err := l.eachTrial(5, []string{
		"fixed:dim=3,constraints=2", "perturbed:dim=3,constraints=3", "periodic:dim=3,constraints=4",
		"iid:dim=3,constraints=5", "drifting-average:rate=0,turns=1",
		"fixed:dim=3,kind=norm,constraints=2",
	}, func(p *trial) error {
		if p.repeatsFirstReplicate() {
			return nil
		}
		setup := algorithms.Setup{Set: p.Set(), Constraints: p.Constraints(), Facts: p.Facts()}
		steps := []float64{0.5, 5}
		if b := setup.Facts; !b.Affine {
			// 0.9 times the largest step a of the theorem, which asks for a²mBH² < η. Here H is 2L_g, and
			// m, B, L_g and η are what the problem declares.
			steps = []float64{0.9 * math.Sqrt(b.Slater/(4*b.ConstraintBound*float64(setup.Constraints))) /
				b.ConstraintLipschitz}
		}
		for _, step := range steps {
			if err := compareWithTheorem(p, algorithm, step, horizon, setup, &regret, &signed); err != nil {
				return err
			}
		}
		return nil
	})
	f := regret.Finding(`as printed, with steps $a/\sqrt{t}$, $a=0.5$ and 5 for affine constraints and smaller ones for others, the regret against $\hat{X}^{\max}_t$ is`, exact).
		combine(signed.Finding(`$\sum_i\bar{g}_i^{(j)}(x_i)$ is`, exact))
	f.Values = []Value{{"regret", regret.Ratio}, {"signed", signed.Ratio}}
	return f, err
}

// compareWithTheorem plays a game and adds, at ten rounds, its regret against X̂^max and the
// largest signed sum Σ_i ḡ_i(x_i), each over its bound of the theorem. That of the sums is Λ√t/a +
// B(1 + 2 log t), with Λ the bound of the multipliers, a the step and B the bound of the
// constraints.
func compareWithTheorem(p *trial, algorithm string, step float64, horizon int,
	setup algorithms.Setup, regret, signed *Worst) error {
	params := algorithms.PrimalDualAverageParams{
		PrimalDualParams: algorithms.PrimalDualParams{Step: step}}
	multiplierBound, err := params.Multipliers(setup)
	if err != nil {
		return err
	}
	bound, err := params.Claims()[0].Bound(setup)
	if err != nil {
		return err
	}
	means := averages.New(setup.Set.Dim(), setup.Constraints)
	meanSums := make([]float64, setup.Constraints) // Σ_i ḡ_i^{(j)}(x_i)
	where := func(t int) string { return fmt.Sprintf(`$t=%d$ of %v with $a=%.3g$`, t, p, step) }
	return p.play(fmt.Sprintf("%s:step=%v", algorithm, step), horizon, means,
		roundObserver(func(t int, x []float64, _ *convex.Round) {
			for j := range meanSums {
				meanSums[j] += means.Value(j, x)
			}
			if t%(horizon/10) == 0 {
				n := float64(t)
				signedBound := float64(multiplierBound*math.Sqrt(n)/step) +
					float64(setup.Facts.ConstraintBound*(1+float64(2*vec.Log(n))))
				signed.Add(slices.Max(meanSums)/signedBound, `%s`, where(t))
			}
		}),
		compareEvery(p, horizon/10, func(t int, played *sums, best []game.Best) {
			regret.Add((played.loss-best[overXHatMax].Value)/bound(t), `%s`, where(t))
		}))
}

// clippedLogarithm plays the clipped update on x ≤ 0, with losses that are half as steep while x_t
// is between −α_t and −α_t/2. The regret over √t is not bounded if it grows by 0.2 in each of two
// decades, about what √(log t) does.
func clippedLogarithm(l *Lab) (Finding, error) {
	const step, horizon = 1., 100000
	var overRoot []float64 // the regret over √t, at t = 10³, 10⁴ and 10⁵
	err := averagedOn(l, clipped, step, horizon, affine(0, 1),
		func(t int, x float64) float64 {
			if alpha := step / math.Sqrt(float64(t)); -alpha < x && x <= -alpha/2 {
				return -0.5
			}
			return -1
		}, func(t int, _ float64, played *sums) { // the best action is 0
			if t == 1000 || t == 10000 || t == horizon {
				overRoot = append(overRoot, played.loss/math.Sqrt(float64(t)))
			}
		})
	if err != nil {
		return Finding{}, err
	}
	return Finding{
		Outcome: refutesIf(overRoot[1] > overRoot[0]+0.2 && overRoot[2] > overRoot[1]+0.2),
		Text: fmt.Sprintf(`clipped, with steps $1/\sqrt{t}$ and losses that are slower next to 0, the regret over $\sqrt{t}$ is %.3g, %.3g and %.3g at $t=10^3$, $10^4$ and $10^5$`,
			overRoot[0], overRoot[1], overRoot[2]),
		Values: []Value{{"last", overRoot[2]}},
	}, nil
}
