package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/problems"
)

// The update as printed is refuted by its penalty violation on a fixed constraint. That with
// the average clipped at 0 is looked at beside it: on streams with steps to which its theorem
// applies (algorithms.PrimalDualAverageParams), with steps that are too large, and where its
// regret exceeds √t by the root of a logarithm.
var averagedPrimalDual = checks{
	"swings":      averagedPrimalDualSwings,
	"clipped":     func(l *Lab) (Finding, error) { return clippedSettles(l, 0.5) },
	"large-steps": func(l *Lab) (Finding, error) { return clippedAlternates(l, 5) },
	"logarithm":   clippedLogarithm,
}

func averagedPrimalDualSwings(l *Lab) (Finding, error) {
	const problem, horizon = "drifting-average:amplitude=0", 100000
	play := func(algorithm string) (penalty, soft, regret [2]float64, err error) {
		_, err = l.playLine(algorithm, problem, 1, horizon, func(o *line, t int) {
			k := 0
			if t > horizon/10 {
				k = 1
			}
			// Soft violation and regret swing; their largest values do not.
			penalty[k], soft[k] = o.penalty, max(soft[k], o.soft())
			regret[k] = max(regret[k], o.regret(o.now()))
		})
		return penalty, soft, regret, err
	}
	leader, _, _, err := play("penalised-ftrl")
	if err != nil {
		return Finding{}, err
	}
	least, share, soft, regret := math.Inf(1), math.Inf(1), 0., 0.
	for _, step := range []float64{0.5, 1, 5} {
		v, s, r, err := play(fmt.Sprintf("primal-dual-average:step=%v", step))
		if err != nil {
			return Finding{}, err
		}
		least, share = min(least, v[1]/v[0]), min(share, v[1]/horizon)
		soft = max(soft, s[1]/math.Sqrt(horizon))
		regret = max(regret, r[1]/math.Sqrt(horizon))
	}
	return Finding{
		Outcome: refutesOr(least > 7, Undecided),
		Text: fmt.Sprintf(`with steps $\alpha_t=a/\sqrt{t}$, $a=0.5$, 1 and 5, $V_t$ grows by a factor of at least %.3g from $t=10^4$ to $10^5$, to at least $%.3gt$, while that of Penalised FTRL is %.2g; soft violation and regret swing, between $t=10^4$ and $10^5$ up to $%.2g$ and $%.2g$ times $\sqrt{10^5}$`,
			least, share, leader[1], soft, regret),
		Values: []Value{{"growth", least}, {"share", share}, {"penalised-ftrl", leader[1]}},
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
			_, err = l.playLine(algorithm, c.problem, 1, horizon, func(o *line, t int) {
				if t == horizon/10 || t == horizon {
					v[t/horizon], regret[t/horizon] = o.penalty, o.regret(o.prefixes(1, t))
				}
			})
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
		f.say("; ", `%s $V_t$ is %.3g and %.3g, that of Penalised FTRL %.3g and %.3g, and the regret against $\hat{X}^{\max}_t$ %.3g and %.3g`,
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
	slow := 1.25 * math.Sqrt(10) * math.Log(horizon) / math.Log(horizon/10)
	root := math.Sqrt(horizon)
	return growth(violation, root) > slow || regret > root*math.Log(horizon)
}

// onLine plays primal-dual-average:clip=true on rounds x ↦ loss and constraint, on [−2, 2].
type onLine struct {
	problems.Instance
	constraint convex.Func
	slope      func(t int, x float64) float64 // of the loss
}

// Reveal implements [problems.Stream].
func (s *onLine) Reveal(t int, x []float64) *convex.Round {
	at := 0. // hindsight and facts do not look at the loss
	if x != nil {
		at = x[0]
	}
	return &convex.Round{Loss: &convex.Affine{A: []float64{s.slope(t, at)}},
		Constraints: []convex.Func{s.constraint}}
}

// clippedOn plays it with these steps, and hands over t, x_t, Σ f_i(x_i) and Σ h_i(x_i), for
// the constraint does not change.
func clippedOn(l *Lab, step float64, horizon int, constraint convex.Func,
	slope func(t int, x float64) float64, see func(t int, x, played, penalty float64)) error {
	s := &onLine{problems.Instance{Domain: convex.Cube(1, -2, 2), M: 1}, constraint, slope}
	algorithm := fmt.Sprintf("primal-dual-average:clip=true,step=%v", step)
	played, penalty := 0., 0.
	return l.PlayOn(algorithm, s, 1, horizon, watch(func(t int, x []float64, r *convex.Round) {
		played += r.Loss.Value(x)
		penalty += max(0, r.Constraints[0].Value(x))
		see(t, x[0], played, penalty)
	}))
}

func clippedAlternates(l *Lab, step float64) (Finding, error) {
	const horizon = 2000
	bowl := convex.NewBasis(&convex.Distance{Weight: 1, Center: []float64{0}, Offset: -0.5})
	ends, regret, share := true, 0., 0.
	err := clippedOn(l, step, horizon, bowl, func(int, float64) float64 { return -1 },
		func(t int, x, played, penalty float64) {
			ends = ends && (t == 1 || x == float64(2-4*(t%2)))
			// against 1/2
			regret, share = (played+float64(0.5*float64(t)))/float64(t), penalty/float64(t)
		})
	f := Finding{Outcome: refutesIf(share > 1 && regret > 0.4), Text: fmt.Sprintf(
		`clipped, with steps $%v/\sqrt{t}$ on $g=|x|-\frac{1}{2}$, $V_t=%.4gt$ and the regret is $%.3gt$ at $t=%d$`,
		step, share, regret, horizon),
		Values: []Value{{"violation", share}, {"regret", regret}}}
	if ends {
		f.Text += `; $x_t$ is 2 and $-2$ in turn from round 2 on`
	}
	return f, err
}

func clippedLogarithm(l *Lab) (Finding, error) {
	const step, horizon = 1., 100000
	var over []float64
	err := clippedOn(l, step, horizon, convex.NewBasis(&convex.Affine{A: []float64{1}}),
		func(t int, x float64) float64 {
			if alpha := step / math.Sqrt(float64(t)); -alpha < x && x <= -alpha/2 {
				return -0.5
			}
			return -1
		}, func(t int, _, played, _ float64) { // the best action is 0
			if t == 1000 || t == 10000 || t == horizon {
				over = append(over, played/math.Sqrt(float64(t)))
			}
		})
	if err != nil {
		return Finding{}, err
	}
	return Finding{
		Outcome: refutesIf(over[1] > over[0]+0.2 && over[2] > over[1]+0.2),
		Text: fmt.Sprintf(`clipped, with steps $1/\sqrt{t}$ and losses that are slower next to 0, the regret over $\sqrt{t}$ is %.3g, %.3g and %.3g at $t=10^3$, $10^4$ and $10^5$`,
			over[0], over[1], over[2]),
		Values: []Value{{"last", over[2]}},
	}, nil
}
