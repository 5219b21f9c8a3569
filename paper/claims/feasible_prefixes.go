package claims

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/problems"
)

// Claim 20 (Theorem 1): with γ above (E+L+1)/β, Penalised FTRL has x_{τ+1} in X̂^max_τ. A round in
// which an average of the constraints so far is positive at x_{τ+1} refutes it.
//
//   - signs: E and L as printed bound R_i(y)−R_i(z) and f_i(y)−f_i(z), where the proof needs the
//     negatives, so that γ above the printed threshold is too small.
//   - pinned: a first round that is infeasible at z pins X̂^max to a point, and no γ suffices.
//   - amended: with the threshold of the amended claim, no average is positive on any stream.
var feasiblePrefixes = checks{
	"signs": func(l *Lab) (Finding, error) { return printedSigns(l, 13, 50, 99) },
	"pinned": func(l *Lab) (Finding, error) {
		return outsidePrefixes(l, `on \texttt{pinned}, whose threshold is 12: `,
			func() (problems.Stream, error) { return l.Stream("pinned", 1) }, 13, 100)
	},
	"amended": func(l *Lab) (Finding, error) { return amendedPrefixes(l, 1.001) },
}

// amendedPrefixes looks for a positive average at x_{τ+1} with γ = scale times the amended
// threshold.
func amendedPrefixes(l *Lab, scale float64) (Finding, error) {
	largest, games, rounds := math.Inf(-1), 0, 0
	err := l.playGrowing(scale, func(g growingStream, t int, excess float64, _ *penaltyObserver) {
		largest, rounds = max(largest, excess), rounds+1
		if t == 1 {
			games++
		}
	})
	f := Finding{Outcome: Survives, Text: fmt.Sprintf(
		`under the condition $x_{\tau+1}\in \hat{X}^{\max}_\tau$, up to rounding, in all %d rounds of %d games`, rounds, games)}
	if !(largest <= 1e-9) {
		f.Outcome, f.Text = Refutes, fmt.Sprintf(`an average is %.4g at $x_{\tau+1}$`, largest)
	}
	return f, err
}

// printedSigns plays with γ above the threshold (E+L+1)/β with E and L as the paper prints them,
// where both ends of X̂^max are inside of D, so that all averages are active on its whole boundary:
// k_τ = τ, and β = η.
func printedSigns(l *Lab, gammas ...float64) (Finding, error) {
	const lower, upper, end, slope, z = -0.501, 1, 0.5, -100, -0.41
	g := convex.NewMax(1, affine(-end, 1), affine(-10*end, -10))
	e := max(lower*lower, upper*upper) - float64(z*z) // of i = 1, where it is largest
	losses := max(slope*lower, slope*upper) - float64(slope*z)
	eta := -g.Value([]float64{z})
	threshold := (e + losses + 1) / eta
	f, err := outsidePrefixes(l, fmt.Sprintf(`on $[%v,%v]$ with $E=%.4g$, $L=%.4g$, $\eta=%.4g$ and the `+
		`threshold %.4g: `, lower, upper, e, losses, eta, threshold),
		func() (problems.Stream, error) {
			return newFixedLine(lower, upper, g, func(int, float64) float64 { return slope }), nil
		}, gammas...)
	active := g.Value([]float64{-end}) == 0 && g.Value([]float64{end}) == 0
	if !active || slices.Min(gammas) <= threshold || e < 0 || losses < 0 {
		f.Outcome = Undecided // the hypothesis is not met
	}
	return f, err
}

// outsidePrefixes plays Penalised FTRL with each γ, and counts the rounds with x_{τ+1} outside of
// X̂^max_τ. The first two rounds are left out, as the theorem is about τ > t_ε = 1.
func outsidePrefixes(l *Lab, where string, start func() (problems.Stream, error),
	gammas ...float64) (Finding, error) {
	const horizon = 1000
	f := Finding{Outcome: Survives}
	for _, gamma := range gammas {
		var p pastAverages
		outside := 0
		s, err := start()
		if err != nil {
			return Finding{}, err
		}
		err = l.PlayOn(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), s, 1, horizon, &p,
			roundObserver(func(t int, _ []float64, _ *convex.Round) {
				if p.excess > 1e-9 && t > 2 { // x_t is x_{τ+1} of τ = t − 1
					outside++
				}
			}))
		if err != nil {
			return Finding{}, err
		}
		f.Outcome = refutesOr(outside > 0, f.Outcome)
		f.addSentence(", ", `%d and %.4g with $\gamma=%v$`, outside, p.excess, gamma)
		f.Values = append(f.Values, Value{fmt.Sprintf("average-at-gamma-%d", int(math.Ceil(gamma))),
			p.excess})
	}
	f.Text = fmt.Sprintf(`%sthe rounds of %d with $x_{\tau+1}$ outside of $\hat{X}^{\max}_\tau$, and the `+
		`largest average at $\tau=%d$, are %s`, where, horizon, horizon-1, f.Text)
	return f, nil
}

// growingStream holds a stream that meets Condition 2 in every round, that is with t_ε = 0, with
// k_τ counted on the boundary relative to D. So its penalty grows: k_τ ≥ (β/η)τ for all τ, with
// β = η·min k_τ/τ. Its γ is a multiple of the amended threshold (E + L + 1)/β.
type growingStream struct {
	stream func() (problems.Stream, error)
	name   string
	gamma  float64
	bound  float64 // B ≥ |g|
	// lastRise is the round mη/β, after which no round adds to the penalty violation.
	lastRise float64
}

// playGrowing plays Penalised FTRL on 240 streams that meet Condition 2 ([growingStream]): 200
// drawn ones whose averages over whole periods are the same function ([drawTied]), and 40 with
// fixed constraints. γ is scale times the amended threshold. It calls see after every round, with
// the excess of [pastAverages].
func (l *Lab) playGrowing(scale float64,
	see func(g growingStream, t int, excess float64, a *penaltyObserver)) error {
	const horizon = 200
	var all []growingStream
	rng := l.Rand("growing")
	for n := range l.Repeat(200) {
		m := 1 + n%2
		p := drawTied(rng, m, horizon)
		pre := p.newPrefix()
		share := math.Inf(1) // min k_τ/τ
		for t := 1; t <= horizon; t++ {
			pre.next()
			if k, ok := pre.leastActive(relativeBoundary); ok {
				share = min(share, float64(k)/float64(t))
			}
		}
		z, eta := pre.slaterPoint()
		if eta <= 0 || math.IsInf(share, 1) {
			continue
		}
		at := z.float() // the Slater point
		// E = R_1(z) − R_1(0) = z², L = 3(max D − z): slopes of losses are at most 3, and D = [−4, 4].
		gamma := scale * (float64(at*at) + float64(3*(4-at)) + 1) / float64(share*eta)
		all = append(all, growingStream{
			stream: func() (problems.Stream, error) { return p.stream(), nil },
			// |g| ≤ 3·4 + 5 on [−4, 4]
			name: fmt.Sprintf("stream %d", n+1), gamma: gamma, bound: 17,
			lastRise: float64(m) / share,
		})
	}
	for n := range l.Repeat(40) {
		const problem = "fixed:dim=3,constraints=2"
		s, err := l.Stream(problem, n+1)
		if err != nil {
			return err
		}
		// z = 0, η = β = 0.25, E = 0, L the Lipschitz constant 2 times √3
		facts := s.Facts()
		gamma := scale * (float64(facts.LossLipschitz*math.Sqrt(3)) + 1) / facts.Slater
		all = append(all, growingStream{
			stream: func() (problems.Stream, error) { return l.Stream(problem, n+1) },
			name:   fmt.Sprintf(`\texttt{%s}, replicate %d`, problem, n+1), gamma: gamma,
			bound: facts.ConstraintBound, lastRise: 2,
		})
	}
	for _, g := range all {
		s, err := g.stream()
		if err != nil {
			return err
		}
		var p pastAverages
		err = l.PlayOn(fmt.Sprintf("penalised-ftrl:gamma=%v", g.gamma), s, 1, horizon, &p,
			roundObserver(func(t int, _ []float64, _ *convex.Round) {
				see(g, t, p.excess, &p.penaltyObserver)
			}))
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	return nil
}

// pastAverages observes a game and keeps the averages of all rounds. X̂^max is where none of them
// is positive.
type pastAverages struct {
	penaltyObserver
	past   []*convex.Form // the averages of the rounds before t
	excess float64        // the largest of these at x_t, or −∞
}

// Round implements [game.Observer].
func (p *pastAverages) Round(t int, x []float64, r *convex.Round) error {
	p.past = append(p.past, p.Means()...)
	p.excess = math.Inf(-1)
	for _, mean := range p.past {
		p.excess = max(p.excess, mean.Value(x))
	}
	return p.penaltyObserver.Round(t, x, r)
}
