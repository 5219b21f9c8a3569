package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var portfolio = Problem{
	Name:  "portfolio",
	Title: "Portfolio",
	Doc: "daily rebalanced portfolios: log wealth as the loss, a budget of risk or of " +
		"turnover as the constraint, and markets that switch between a calm and a turbulent regime",
	Reference: "Cover, Universal portfolios, Mathematical Finance 1, 1991, the loss; Hamilton, A " +
		"new approach to the economic analysis of nonstationary time series and the business cycle, " +
		"Econometrica 57, 1989, the regimes; synthetic data",
	Definition: []string{
		"$D$ is the simplex $x ≥ 0$, $Σ_i x_i = 1$ in $n = dim$ dimensions: $x_i$ is the share of " +
			"wealth in asset $i$, of which 1 is cash. The returns of a round are $ρ_{t,1} = rate$ and, " +
			"clipped to $[−cap, cap]$, for $i > 1$",
		"$ρ_{t,i} = μ_s β_i + ν_s(β_i M_t + κ_i e_{t,i}),$",
		"with $M_t$ and $e_{t,i}$ standard normal, independent, $β_i$ and $κ_i$ uniform on $[½, " +
			"3/2]$, drawn once. The regime $s$ is a Markov chain that starts calm. In the calm regime " +
			"$μ_s = drift$ and $ν_s = volatility$, in the turbulent one $μ_s = −2·drift$ and $ν_s = " +
			"turbulence·volatility$; it ends with probability $1/calm$ or $1/turbulent$ in a round.",
		"By loss, $f_t(x) = −log(1 + ρ_t·x)/unit$ (log) or $f_t(x) = −ρ_t·x/unit$ (linear).",
		"budget = risk: $g_t(x) = xᵀC_s x/risk² − 1$, with $C_s$ the covariance of the returns of " +
			"the regime before they are clipped.",
		"budget = turnover: $g_t(x) = Σ_i |ρ_{t,i} − ρ_{t,1}|x_i/turnover − 1$.",
	},
	Version: 1,
	Params: PortfolioParams{
		Dim: 8, Loss: "log", Budget: "risk", Risk: 0.015, Turnover: 0.01,
		Drift: 0.001, Volatility: 0.01, Turbulence: 3, Calm: 100, Turbulent: 30,
		Rate: 0.0001, Cap: 0.2, Unit: 0.01,
	},
	New: Typed(newPortfolio),
}

// PortfolioParams are the parameters of portfolio. With losses in percent, the loss of a game is
// −log of the final wealth in percent. The exact turnover of trading back to x after the returns
// ρ_t, half of what is bought and sold in units of wealth, is not convex. It is bounded by
//
//	½ Σ_i x_i |(1+ρ_i)/(1+ρ·x) − 1| ≤ Σ_i x_i |ρ_i − c| / (1+ρ·x)   for every c.
//
// The constraint takes the return of cash for c, and leaves out the denominator,
// which is near 1. The action that holds cash only satisfies both budgets in every
// round, with margin 1.
//
// The risk is one of two bases. Every log loss is a new basis, so that round t
// of penalised-ftrl and a set in hindsight evaluate t of them about three times:
// 0.15·t µs and 3·t µs with the defaults up to t = 5000, with certified gaps of
// 10⁻¹³ of the value. With linear losses a round takes 0.1 ms.
type PortfolioParams struct {
	Dim        int     `name:"dim" doc:"number of assets n, of which the first is cash" min:"2" max:"1000"`
	Loss       string  `name:"loss" doc:"log: −log of what wealth is multiplied by; linear: −the return" enum:"log,linear"`
	Budget     string  `name:"budget" doc:"what the constraint bounds: the variance in the regime of the round, or the turnover of rebalancing" enum:"risk,turnover"`
	Risk       float64 `name:"risk" doc:"budget=risk: the largest standard deviation of the return of a round" above:"0" max:"1"`
	Turnover   float64 `name:"turnover" doc:"budget=turnover: the largest share of wealth that is traded in a round" above:"0" max:"1"`
	Drift      float64 `name:"drift" doc:"mean return of the market in the calm regime; in the turbulent regime it is −2 times this" min:"0" max:"0.1"`
	Volatility float64 `name:"volatility" doc:"standard deviation of the market's return in the calm regime" min:"0" max:"0.1"`
	Turbulence float64 `name:"turbulence" doc:"factor of the volatility in the turbulent regime" min:"1" max:"100"`
	Calm       float64 `name:"calm" doc:"mean length of a calm regime in rounds" min:"1" max:"1e6"`
	Turbulent  float64 `name:"turbulent" doc:"mean length of a turbulent regime in rounds" min:"1" max:"1e6"`
	Rate       float64 `name:"rate" doc:"return of cash" min:"0" max:"0.1"`
	Cap        float64 `name:"cap" doc:"returns are clipped to ±cap, as exchanges do" above:"0" max:"0.9"`
	Unit       float64 `name:"unit" doc:"losses are in units of this: 0.01 is a percent" above:"0" max:"1"`
}

// Validate implements the check across parameters of package spec.
func (p PortfolioParams) Validate() error {
	if p.Rate > p.Cap {
		return fmt.Errorf("the return %v of cash is more than cap %v: lower rate or raise cap", p.Rate,
			p.Cap)
	}
	return nil
}

// portfolioStream draws the regime and the returns of every round.
type portfolioStream struct {
	Instance
	p         PortfolioParams
	rng       *rand.Rand
	beta      []float64     // β_i, the share of the market in a return
	kappa     []float64     // κ_i, the size of an asset's own noise
	turbulent bool          // the regime of the round
	returns   []float64     // ρ_t
	slope     []float64     // of the linear loss
	traded    []float64     // |ρ_{t,i} − ρ_{t,1}|/turnover
	wealth    convex.Ridge  // of the log loss
	log       convex.Single // the loss
	linear    convex.Affine
	turnover  convex.Affine
	// With budget=risk, the constraints of the two regimes.
	calmRisk, turbulentRisk *convex.Basis
}

// newPortfolio draws β_i and κ_i, and returns the stream at round 1.
func newPortfolio(p PortfolioParams, rng *rand.Rand) (Stream, error) {
	n := p.Dim
	set, err := convex.NewSimplex(n, 1)
	if err != nil {
		return nil, err
	}
	s := &portfolioStream{
		// Holding only cash has the margin 1.
		Instance: Instance{Domain: set, M: 1,
			Declared: convex.Facts{Diameter: set.Diameter(), Slater: 1, Feasible: true}},
		p:       p,
		rng:     rng,
		beta:    make([]float64, n),
		kappa:   make([]float64, n),
		returns: make([]float64, n),
		slope:   make([]float64, n),
		traded:  make([]float64, n),
	}
	for i := 1; i < n; i++ {
		s.beta[i], s.kappa[i] = uniform(rng, 0.5, 1.5), uniform(rng, 0.5, 1.5)
	}
	steepest := math.Sqrt(float64(p.Rate*p.Rate)+float64(float64(float64(n-1)*p.Cap)*p.Cap)) / p.Unit
	switch p.Loss {
	case "log":
		s.Round.Loss = &s.log
		s.Declared.LossLipschitz = steepest / (1 - p.Cap)
		s.Declared.LossRange = vec.Log((1+p.Cap)/(1-p.Cap)) / p.Unit
	case "linear":
		s.Round.Loss = &s.linear
		s.Declared.LossLipschitz = steepest
		s.Declared.LossRange = 2 * p.Cap / p.Unit
	}
	switch p.Budget {
	case "risk":
		s.calmRisk = s.varianceConstraint(p.Volatility)
		s.turbulentRisk = s.varianceConstraint(p.Volatility * p.Turbulence)
		s.share(s.calmRisk, s.turbulentRisk)
		s.Declared.Fixed = p.Turbulence == 1
		s.Round.Constraints = []convex.Func{s.calmRisk}
	case "turnover":
		steepest := (p.Cap + p.Rate) / p.Turnover
		s.Declared.ConstraintLipschitz = steepest * math.Sqrt(float64(n-1))
		s.Declared.ConstraintBound = max(1, steepest-1)
		s.Declared.Affine = true
		s.Round.Constraints = []convex.Func{&s.turnover}
	}
	return s, nil
}

// varianceConstraint returns the constraint of a regime of this volatility with budget=risk, and
// adds its bounds to the facts: a convex quadratic function, and the norm of its gradient, are
// largest at a vertex of the simplex.
func (s *portfolioStream) varianceConstraint(volatility float64) *convex.Basis {
	n, v := s.p.Dim, volatility/s.p.Risk
	q := make([]float64, n*n)
	for i, b := range s.beta {
		row := q[i*n : (i+1)*n]
		for j, c := range s.beta {
			row[j] = 2 * v * v * b * c
		}
		row[i] += float64(2 * v * v * s.kappa[i] * s.kappa[i])
		s.Declared.ConstraintLipschitz = max(s.Declared.ConstraintLipschitz, vec.Norm(row))
		s.Declared.ConstraintBound = max(s.Declared.ConstraintBound, 1, float64(row[i]/2)-1)
	}
	return convex.NewBasis(&convex.Quadratic{Q: q, A: make([]float64, n), B: -1})
}

// Expectation implements [Expecter], with budget=risk, by the limit of the averages: regimes have
// weights in proportion to their mean lengths.
func (s *portfolioStream) Expectation() []convex.Func {
	if s.p.Budget != "risk" {
		return nil
	}
	mean, share := convex.NewForm(s.p.Dim), s.p.Calm/(s.p.Calm+s.p.Turbulent)
	s.calmRisk.AddTo(mean, share)
	s.turbulentRisk.AddTo(mean, 1-share)
	return []convex.Func{mean}
}

// Reveal implements [Stream].
func (s *portfolioStream) Reveal(t int, _ []float64) *convex.Round {
	p := &s.p
	meanLength := p.Calm
	if s.turbulent {
		meanLength = p.Turbulent
	}
	if t > 1 && s.rng.Float64() < 1/meanLength {
		s.turbulent = !s.turbulent
	}
	drift, volatility := p.Drift, p.Volatility
	if s.turbulent {
		drift, volatility = -2*p.Drift, p.Volatility*p.Turbulence
	}
	s.returns[0] = p.Rate
	market := drift + float64(volatility*normal(s.rng))
	for i := 1; i < p.Dim; i++ {
		r := float64(s.beta[i]*market) + float64(float64(volatility*s.kappa[i])*normal(s.rng))
		s.returns[i] = min(max(r, -p.Cap), p.Cap)
	}
	if p.Loss == "linear" {
		for i, r := range s.returns {
			s.slope[i] = -r / p.Unit
		}
		s.linear = convex.Affine{A: s.slope}
	} else {
		s.wealth = convex.Ridge{Curve: convex.NegLog{}, Weight: 1 / p.Unit, A: s.returns, B: 1}
		s.log = convex.Single{Of: &s.wealth}
	}
	switch {
	case p.Budget == "turnover":
		for i, r := range s.returns {
			s.traded[i] = math.Abs(r-p.Rate) / p.Turnover
		}
		s.turnover = convex.Affine{A: s.traded, B: -1}
	case s.turbulent && !s.Declared.Fixed:
		s.Round.Constraints[0] = s.turbulentRisk
	default:
		s.Round.Constraints[0] = s.calmRisk
	}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
