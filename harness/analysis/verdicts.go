package analysis

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/game"
	"ocobench/stats"
)

// Claims are judged in two ways. First the values of every pair are compared with the
// explicit bounds of theorems ([Pair.checkBounds]), game by game, or by the mean where the bound
// is in expectation. Then the growth of every pair is judged against the claimed rate
// ([Analysis.judgeClaims]) and against √t ([Analysis.judgeSqrtT]). A verdict is about one metric of
// one pair, and is not corrected for their number: of n exponents that equal the rate, 5 % of n are
// expected to have an interval above it.

// Judgement compares a measured metric with the claim about it: its growth with the claimed
// rate, and its values with the bound of the proof.
type Judgement struct {
	// Metric is the metric measured: the one of the claim, its stand-in, or, where
	// nothing is claimed, regret against X^min and the soft violation.
	Metric algorithms.Metric `json:"metric"`
	// Claim is nil where nothing is claimed.
	Claim *algorithms.Claim `json:"claim"`
	// Verdict compares the growth with the claimed rate. It is empty if nothing is claimed, if
	// the claim is not about an exponent, or if the metric has no value. VerdictReason says what
	// evidence is lacking, or why at most follows without an exponent: the claim is linear, or the
	// metric is never positive.
	Verdict       stats.Verdict `json:"verdict,omitempty"`
	VerdictReason string        `json:"why,omitempty"`
	// Factor is the c of the bound c·t^p log^q t that the mean keeps in the window: null where
	// nothing is judged.
	Factor *Factor `json:"factor,omitempty"`
	// P is the p-value of the hypothesis that the exponent agrees with the claim, without a correction
	// for other claims. It is null without an interval, and where the pair is deterministic.
	P Number `json:"p"`
	// Bound is nil where the claim has no bound.
	Bound *Bound `json:"bound"`
}

// Factor holds the least c with mean ≤ c·Unit·t^p log^q t in the window. The unit of a regret is
// G·Δ, and the unit of a violation B: the largest that one round can add by the problem's
// declaration. Where they are not declared, and for metrics that may grow faster than t, it is 1.
type Factor struct {
	Value Number `json:"value"`
	Unit  Number `json:"unit"`
	Name  string `json:"name,omitempty"` // of the unit: GΔ, B
}

// growthTest holds what comes of judging the growth of a metric of a pair against a rate.
type growthTest struct {
	pair   *Pair
	metric algorithms.Metric
	rate   stats.Claim

	verdict stats.Verdict
	reason  string // as [Judgement.VerdictReason]
	p       Number // of the hypothesis that the exponent agrees with the rate
}

// newGrowthTest judges the growth of a metric of a pair against a rate. The verdict is "" if the
// growth is not fitted.
func newGrowthTest(p *Pair, metric algorithms.Metric, rate stats.Claim) *growthTest {
	g := &growthTest{pair: p, metric: metric, rate: rate, p: none}
	s := p.Series[metric]
	m, _ := game.MetricNamed(metric)
	if s == nil || s.Fit == nil || s.Fit.Points == 0 {
		return g
	}
	f := s.Fit.fit
	neverPositive := s.State == Rounding ||
		f.NeverPositive && slices.Contains(algorithms.Violations, metric)
	switch {
	case s.NoVerdictReason != "":
		g.verdict, g.reason = stats.TooLittle, s.NoVerdictReason
	case m.Linear && rate.Exponent >= 1:
		g.verdict, g.reason = stats.AtMost, "it grows at most linearly"
	case neverPositive && f.Replicates < 2:
		g.verdict, g.reason = stats.TooLittle, "it is never positive in the only replicate"
	case neverPositive:
		g.verdict, g.reason = stats.AtMost, stats.ReasonNeverPositive
	default:
		g.verdict, g.reason = rate.Judge(f)
		if !p.Deterministic {
			g.p = Number(rate.P(f))
		}
	}
	return g
}

// leastFactor returns the least c with mean ≤ c·unit·rate in the window, or nil where the growth
// is not judged.
func (g *growthTest) leastFactor(inputs boundInputs) *Factor {
	if g.verdict == "" || g.verdict == stats.TooLittle {
		return nil
	}
	s := g.pair.Series[g.metric]
	m, _ := game.MetricNamed(g.metric)
	factor := inputs.setups[g.pair.Problem].unitOf(m)
	if s.State != Rounding { // values that are rounding errors keep c = 0
		factor.Value = Number(g.rate.Factor(s.Fit.fit)) / factor.Unit
	}
	if !factor.Value.Defined() {
		return nil
	}
	return &factor
}

// judgeClaims judges the growth of every pair against the rates of its claims.
func (a *Analysis) judgeClaims(inputs boundInputs) {
	for i := range a.Pairs {
		p := &a.Pairs[i]
		verdicts := []stats.Verdict{}
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Claim.Growth == "" {
				g := newGrowthTest(p, j.Metric,
					stats.Claim{Exponent: j.Claim.Exponent, Log: j.Claim.Log})
				j.Verdict, j.VerdictReason, j.P, j.Factor = g.verdict, g.reason, g.p, g.leastFactor(inputs)
			}
			// A dynamic claim that is not about an exponent has no verdict, and must not count as the worst.
			if j != p.Dynamic || j.Claim.Growth == "" {
				verdicts = append(verdicts, j.Verdict)
			}
		}
		p.ClaimVerdict = stats.Worst(verdicts...)
	}
}

// judgeSqrtT judges the growth of every metric of every pair against √t.
func (a *Analysis) judgeSqrtT(inputs boundInputs) {
	for _, m := range a.Metrics {
		for i := range a.Pairs {
			s := a.Pairs[i].Series[m.Name]
			g := newGrowthTest(&a.Pairs[i], m.Name, stats.Claim{Exponent: 0.5})
			s.SqrtVerdict, s.SqrtReason, s.SqrtFactor = g.verdict, g.reason, g.leastFactor(inputs)
			inputs.tellProgress(1)
		}
	}
}
