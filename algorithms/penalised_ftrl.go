package algorithms

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
)

var penalisedFTRL = Algorithm{
	Name:  "penalised-ftrl",
	Title: "Penalised FTRL",
	Doc: "follow the regularised leader on losses plus an exact penalty of the running " +
		"averages of the constraints",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Theorem 2",
	Definition: slices.Concat([]string{
		"$x_{t+1} = argmin_{x∈D} κ√t‖x − x_0‖² + Σ_{i≤t} f_i(x) + γΣ_{i≤t} h_i(x)$",
		"with $κ = kappa$, $γ = gamma$ and, by penalty,",
		"average: $h_i(x) = Σ_j [(1/i)Σ_{k≤i} g_{k,j}(x)]₊$;",
		"per-round: $h_i(x) = Σ_j [g_{i,j}(x)]₊$;",
		"difference: $Σ_{i≤t} h_i(x) = Σ_j [Σ_{k≤t} g_{k,j}(x)]₊$.",
		"The $h_i$ of the first burn-in rounds are left out. gamma = adaptive: $γ$ is gamma-start at " +
			"first and is doubled, and the round solved again, while $Σ_{i≤t} h_i(x_{t+1}) > " +
			"tolerance$ and $γ < gamma-max$; after $⌈√t⌉$ rounds in a row without this, $γ$ is fixed.",
		"accuracy = exact: the minimum is exact up to rounding; accuracy = certified: up to " +
			"$10^{−3}/√t$.",
	}, startDefinition),
	Version: 4,
	Params: PenalisedFTRLParams{
		Gamma: Gamma{Value: 25}, Kappa: 1, Penalty: "average", Accuracy: "exact", GammaStart: 1,
		GammaMax: 1 << 20, Tolerance: 1e-6,
	},
	Feedback: FullInfo,
	Anytime:  true,
	Assumes: []Assumption{
		WholeFunctions,
		Undecided("a Slater point common to the running averages"),
		Undecided("penalty growth: of order τ averages active on the boundary of X̂^max"),
	},
	Solvers: 1,
	Cost: "one minimisation of a sum of τ·m hinges: O(log τ) in one dimension, one basis or two; " +
		"else O(n+K) for each hinge that may be active at x, of K bases, and O(n³), with the " +
		"coordinates between their bounds alone for n from 64 dimensions on",
	New: Typed(newPenalisedFTRL),
}

// PenalisedFTRLParams are the parameters of penalised-ftrl. There are three penalties.
// The first is the paper's, with regret O(√t) against X̂^max and penalty
// violation O(√t) if γ exceeds the threshold of its Theorem 1. The second
// competes with X^min, and its penalties sum to the hard violation. The third is
// not uniformly Lipschitz, and has no theorem.
//
// The regret has constants (D). With L = G + γmL_g, where G and L_g are the
// Lipschitz constants of losses and constraints, and ρ ≥ ‖u − x_0‖ for all u of D,
// every such u has
//
//	Σ_{τ≤t} (f_τ(x_τ) − f_τ(u)) + γΣ_{τ≤t} (h_τ(x_τ) − h_τ(u)) ≤ κρ²√t + L²(1 + 2√t)/(4κ),
//
// and h_τ(u) = 0 on the comparator set, whatever γ is. An increase of γ adds a
// multiple of past penalties to the objective, which is no less than 0 at x_t
// and 0 on the comparator set, so that the bound holds with the largest γ. It
// says nothing of the penalties: that they are O(√t), and not O(t), needs the
// growth of the penalty outside of the set, which is not among the facts that a
// problem declares. With gamma=adaptive γ may stay too small for it.
//
// With accuracy=certified, the minimisations that iterate (curved constraints
// and losses, or γ so large that the regulariser is negligible) end at a gap of 10⁻³/√τ; a
// trace keeps the largest gap. The objective is 2κ√τ-strongly convex, so that
// x_{τ+1} is then within √(10⁻³/κτ) of the minimiser, which adds O(√T) to the
// regret, 2√t(10⁻³ + L√(10⁻³/κ)), and to the violation: neither rate changes. Affine
// constraints are solved by a finite method, which is exact at either accuracy.
//
// The memory is O(τ·m·n). No way was found to need less at this accuracy.
// Measured on iid with m = 1 and γ = 25: of the averages at τ = 27000, 2 to 11
// % change sign at x by round 10⁵, some of the farthest among them, so that no
// average can be dropped safely. Merging each average with the one most similar
// to it saves half of the memory and makes the gap 134 and 198 times as large
// (two games with n = 2; 338 times with n = 10 at τ = 9000).
//
// With gamma=adaptive ("grow, then freeze"), γ is doubled, and the round solved
// again, while Σ_{i≤τ} h_i(x_{τ+1}) exceeds the tolerance. After ⌈√τ⌉ clean
// rounds in a row, γ is fixed. The current γ is the weight of all past
// penalties. Where the first rounds happen to be clean, γ is fixed at
// gamma-start long before any constraint is active: on decaying-frequency in
// nine games of ten, at a twentieth of the γ that is needed. The rule therefore
// needs a gamma-start near the threshold.
type PenalisedFTRLParams struct {
	Gamma Gamma   `name:"gamma" type:"number or adaptive" doc:"penalty weight γ; adaptive doubles it while x violates past averages, and fixes it after enough clean rounds"`
	Kappa float64 `name:"kappa" doc:"weight κ of the regulariser κ√τ‖x−x0‖²" above:"0"`
	FirstAction
	Penalty    string  `name:"penalty" doc:"average: of the running averages (the paper); per-round: of every round's constraint; difference: of the cumulative constraint" enum:"average,per-round,difference"`
	Accuracy   string  `name:"accuracy" doc:"exact: every minimisation to rounding; certified: to a gap of 10⁻³/√τ" enum:"exact,certified"`
	BurnIn     int     `name:"burn-in" doc:"the penalties of so many first rounds are left out" min:"0"`
	GammaStart float64 `name:"gamma-start" doc:"adaptive: first γ" above:"0"`
	GammaMax   float64 `name:"gamma-max" doc:"adaptive: γ is not doubled from here on" above:"0"`
	Tolerance  float64 `name:"tolerance" doc:"adaptive: a round is clean if the past penalties at the new action sum to at most this" min:"0"`
}

// Gamma is a penalty weight: a number, or adaptive.
type Gamma struct {
	Value    float64
	Adaptive bool
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (g *Gamma) UnmarshalText(text []byte) error {
	if string(text) == "adaptive" {
		*g = Gamma{Adaptive: true}
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return fmt.Errorf("%q is neither a number ≥ 0 nor the word adaptive", text)
	}
	*g = Gamma{Value: v}
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (g Gamma) MarshalText() ([]byte, error) {
	if g.Adaptive {
		return []byte("adaptive"), nil
	}
	return strconv.AppendFloat(nil, g.Value, 'g', -1, 64), nil
}

// Claims returns O(√t) against the comparator of the penalty, and of the penalties
// O(√t) where γ is a number; nothing for penalty=difference.
func (p PenalisedFTRLParams) Claims() []Claim {
	regret := Claim{Metric: RegretXHat, Exponent: 0.5,
		Formula: "κρ²√t + L²(1 + 2√t)/(4κ), L = G + γmL_g", Bound: p.regretBound}
	violation := Claim{
		Metric: PenaltyViolation, Exponent: 0.5,
		Note: "of the penalty, for γ above the threshold; the soft violation can be linear",
		NoBound: "the threshold of γ and the constants depend on how the penalty grows outside of the " +
			"comparator set, which problems do not declare",
	}
	switch p.Penalty {
	case "difference":
		return nil
	case "per-round":
		regret.Metric = RegretXMin
		violation.Metric, violation.Note = HardViolation, "the sum of the penalties, for γ above a "+
			"threshold, if of order t constraints are active on the boundary of X^min; re-derived"
	}
	if p.Accuracy == "certified" {
		regret.Formula += ", + 2√t(c + L√(c/κ)), c = 10⁻³"
	}
	if p.Gamma.Adaptive {
		regret.Note = "with the largest γ"
		return []Claim{regret}
	}
	return []Claim{regret, violation}
}

// largestGamma returns the largest weight γ that the penalty may get.
func (p PenalisedFTRLParams) largestGamma() float64 {
	if !p.Gamma.Adaptive {
		return p.Gamma.Value
	}
	gamma := p.GammaStart
	for gamma < p.GammaMax {
		gamma *= 2
	}
	return gamma
}

// regretBound returns the bound of the regret that Claims states.
func (p PenalisedFTRLParams) regretBound(s Setup) (func(t int) float64, error) {
	rho, err := firstActionReach(p.FirstAction, s.Set)
	k := boundInputs{s, err}
	k.requireDiameter()
	lip := k.lossLipschitz() + float64(p.largestGamma()*k.m()*k.constraintLipschitz())
	exact := followTheLeaderBound(p.Kappa, rho, lip)
	gapCost := 0.0 // what the certified gaps add, over √t
	if p.Accuracy == "certified" {
		gapCost = 2 * (certifiedGap + float64(lip*math.Sqrt(certifiedGap/p.Kappa)))
	}
	return func(t int) float64 { return exact(t) + float64(gapCost*math.Sqrt(float64(t))) }, k.err
}

// certifiedGap is the factor of 1/√τ in the gap that accuracy=certified allows in round τ.
const certifiedGap = 1e-3

// penalisedFTRLLearner holds the action x_t, the objective, and the sums of the constraints.
type penalisedFTRLLearner struct {
	p      PenalisedFTRLParams
	sum    *convex.Sum
	cum    []*convex.Form // the sum of constraint j over the rounds
	round  *convex.Form   // scratch: a constraint of this round
	center []float64      // x_0
	x      []float64
	t      int
	gamma  float64
	clean  int  // adaptive: rounds in a row in which γ was not raised
	frozen bool // adaptive: γ is fixed
	cert   convex.Cert
}

// newPenalisedFTRL returns the learner at round 1.
func newPenalisedFTRL(p PenalisedFTRLParams, s Setup) (Learner, error) {
	n := s.Set.Dim()
	l := &penalisedFTRLLearner{p: p, sum: convex.NewSum(s.Set), round: convex.NewForm(n),
		gamma: p.Gamma.Value}
	var err error
	if l.center, err = p.Point(n); err != nil {
		return nil, err
	}
	if l.x, err = p.Project(s.Set); err != nil {
		return nil, err
	}
	for range s.Constraints {
		l.cum = append(l.cum, convex.NewForm(n))
	}
	if p.Gamma.Adaptive {
		l.gamma = p.GammaStart
	}
	l.cert = convex.Cert{Exact: true}
	return l, nil
}

// Act implements [Learner].
func (l *penalisedFTRLLearner) Act(dst []float64) { copy(dst, l.x) }

// Cert implements [Certified].
func (l *penalisedFTRLLearner) Cert() convex.Cert { return l.cert }

// Gamma returns the current penalty weight.
func (l *penalisedFTRLLearner) Gamma() float64 { return l.gamma }

// Observe implements [Learner].
func (l *penalisedFTRLLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	l.sum.Add(1, r.Loss)
	if l.p.Penalty == "difference" {
		l.sum.ResetHinges()
	}
	for j, g := range r.Constraints {
		g.AddTo(l.cum[j], 1)
		if !isFiniteForm(l.cum[j]) {
			return fmt.Errorf("constraint %d of round %d, or the sum so far, is not finite", j+1, l.t)
		}
		if l.t <= l.p.BurnIn {
			continue
		}
		switch l.p.Penalty {
		case "average": // [S/i]₊ = (1/i)[S]₊ for the sum S
			l.sum.AddHinge(1/float64(l.t), l.cum[j])
		case "per-round":
			l.round.Reset()
			g.AddTo(l.round, 1)
			l.sum.AddHinge(1, l.round)
		case "difference":
			l.sum.AddHinge(1, l.cum[j])
		}
	}
	return l.solve()
}

// solve sets x to the minimiser of losses, penalties and regulariser. With an adaptive γ it doubles
// γ while the past penalties at x exceed the tolerance, and fixes it after ⌈√t⌉ rounds without
// that.
func (l *penalisedFTRLLearner) solve() (err error) {
	prox := convex.Prox{Weight: l.p.Kappa * math.Sqrt(float64(l.t)), Center: l.center}
	if l.p.Accuracy == "certified" {
		l.sum.SetAccuracy(certifiedGap / math.Sqrt(float64(l.t)))
	}
	minimize := func() error {
		l.sum.SetGamma(l.gamma)
		l.cert, err = l.sum.Minimize(l.x, prox)
		return err
	}
	if err := minimize(); err != nil || !l.p.Gamma.Adaptive || l.frozen {
		return err
	}
	l.clean++
	for l.sum.Hinges(l.x) > l.p.Tolerance && l.gamma < l.p.GammaMax {
		l.clean = 0
		l.gamma *= 2
		if err := minimize(); err != nil {
			return err
		}
	}
	l.frozen = l.clean > 0 && float64(l.clean) >= math.Ceil(math.Sqrt(float64(l.t)))
	return nil
}

// isFiniteForm reports whether all numbers of a form are finite, for only then is 0·v = 0.
func isFiniteForm(f *convex.Form) bool {
	zero := float64(0 * f.Const)
	for _, v := range f.Lin {
		zero += float64(0 * v)
	}
	for _, v := range f.Quad {
		zero += float64(0 * v)
	}
	for _, t := range f.Terms {
		zero += float64(0 * t.Scale)
	}
	return zero == 0
}
