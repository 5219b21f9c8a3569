package claims

import (
	"fmt"
	"math"
	"slices"
)

// convergence checks the theorem that replaces Corollary 2 where averages converge,
// on games with linear losses and one affine constraint on an interval. Let ḡ be affine,
// X = {x in D : ḡ(x) ≤ 0} not empty, h̄ = max(0, ḡ), and
//
//	e_i ≥ |h_i − h̄| on D,   S_τ = Σ_{i≤τ} e_i,   h̄(x) ≥ μ·dist(x, X) on D.
//
// Let Penalised FTRL have R_τ = √τx², losses that are L-Lipschitz, and γμ > L. Let ρ√τ ≥ |R_τ'|,
// x = x_{τ+1}, u the point of X nearest to x, and d their distance. x minimises
// R_τ + Σ_{i≤τ} f_i + γΣ_{i≤τ} h_i; comparing x with u gives
//
//	γ(τμd − S_τ) ≤ γΣ_{i≤τ} h_i(x) ≤ Lτd + ρ√τd + γS_τ,
//
// so that
//
//	d ≤ 2γS_τ / ((γμ − L)τ − ρ√τ)   where the denominator is > 0,
//	h_{τ+1}(x_{τ+1}) ≤ μd + e_{τ+1}                                    (penalty)
//	Σ_{i≤t} f_i(x_i) − f_i(u) ≤ B(t) + γS_t   for u in X               (regret)
//
// with B(t) the bound of FTRL on D ([leaderBound]), as h_i(u) ≤ e_i. If e_i = O(1/√i), both sums
// are O(√t). A Slater point z with ḡ(z) ≤ −η has μ = η/diam D.
type convergence struct {
	gamma float64
	// checksSoft also compares the soft violation with the penalty violation plus S_t, which bounds
	// it for perturbed constraints: Σ_{i≤t} (b_i − m_i) = Σ_{i≤t} (m_t − m_i), with m_i the averages
	// of b.
	checksSoft bool
	// currentSet measures regret against X^max_t instead of X: the averages at t are within e_t of ḡ,
	// so that γte_t is added to the bound.
	currentSet bool

	worstPenalty, worstRegret, worstSoft Worst // values over their bounds
	// penaltySums and regretSums hold V_t and R_t, summed over the games, at a tenth of the horizon
	// and at the horizon.
	penaltySums, regretSums [2]float64
	games                   int
	sqrtHorizon             float64
}

// firstCheckedRound is the first round at which the bounds are checked. Earlier, B(t) and the first
// e_i dominate.
const firstCheckedRound = 10

// play plays a game of Penalised FTRL and compares its violations and its regret with their bounds
// in every round. limitAt returns ḡ, which may be that of round t, and e_t.
func (c *convergence) play(p *trial, horizon int,
	limitAt func(o *line, t int) (slope, shift, e float64)) error {
	var sum, bound float64 // S_t, and the bound of V_t
	algorithm := fmt.Sprintf("penalised-ftrl:gamma=%v", c.gamma)
	_, err := p.playLine(algorithm, horizon, func(o *line, t int) {
		n, facts, radius := float64(t), o.facts, o.domainRadius()
		slope, shift, e := limitAt(o, t)
		mu, sumBefore := math.Abs(slope), sum
		sum += e
		d := facts.Diameter // of x_t, with τ = t − 1
		if tau := n - 1; tau > 0 {
			// ρ = 2·radius
			if denominator := float64((float64(c.gamma*mu)-facts.LossLipschitz)*tau) - float64(
				2*radius*math.Sqrt(tau)); denominator > 0 {
				d = min(d, 2*c.gamma*sumBefore/denominator)
			}
		}
		bound += float64(mu*d) + e
		set, setError := o.halfLine(slope, shift), 0. // setError is te_t if X^max_t stands for X
		if c.currentSet {
			set, setError = o.currentSet(), n*e
		}
		regret := o.regret(set)
		if t < firstCheckedRound {
			return
		}
		addRatio := func(w *Worst, value, bound float64) {
			w.Add(value/bound, `$t=%d$ of %v`, t, p)
		}
		addRatio(&c.worstPenalty, o.penalty, bound)
		addRatio(&c.worstRegret, regret, leaderBound(t, radius,
			facts.LossLipschitz+float64(c.gamma*facts.ConstraintLipschitz))+float64(c.gamma*(sum+setError)))
		if c.checksSoft {
			addRatio(&c.worstSoft, o.softViolation(), o.penalty+sum)
		}
		if k := slices.Index([]int{horizon / 10, horizon}, t); k >= 0 {
			c.penaltySums[k] += o.penalty
			c.regretSums[k] += max(0, regret)
		}
	})
	c.games++
	c.sqrtHorizon = math.Sqrt(float64(horizon))
	return err
}

// playAgainstExpectation plays a game with ḡ the expectation of the averages that the stream
// declares, and e_i the distance of average i from it.
func (c *convergence) playAgainstExpectation(p *trial, horizon int) error {
	return c.play(p, horizon, func(o *line, t int) (slope, shift, e float64) {
		return o.limitSlope, o.limitShift, o.averageDistance(t, o.limitSlope, o.limitShift)
	})
}

// boundsToLimit checks the bounds on n replicates of each problem, with each γ and with ḡ the
// limit of the averages.
func boundsToLimit(l *Lab, where string, n int, gammas []float64, specs ...string) (Finding,
	error) {
	var games convergence
	err := l.eachTrial(n, specs, func(p *trial) error {
		for _, games.gamma = range gammas {
			if err := games.playAgainstExpectation(p, 10000); err != nil {
				return err
			}
		}
		return nil
	})
	return games.finding(where), err
}

// finding returns how the bounds were kept, and the mean violation and regret over √t at a tenth of
// the horizon and at its end. The check is undecided if they grow by more than 1.2√10 in between.
func (c *convergence) finding(where string) Finding {
	worst := worstOf(&c.worstPenalty, &c.worstRegret, &c.worstSoft)
	n := float64(c.games) * c.sqrtHorizon // a sum over the games, over n, is the mean over √t
	early, kept := n/math.Sqrt(10), "both"
	if c.checksSoft {
		kept = "both and the soft violation"
	}
	penalty, regret := c.penaltySums[1]/n, c.regretSums[1]/n
	text := fmt.Sprintf(`in %d games on %s, from a tenth of the horizon to its end, the mean penalty violation goes from $%.3g\sqrt{t}$ to $%.3g\sqrt{t}$, the mean regret from $%.3g\sqrt{t}$ to $%.3g\sqrt{t}$; in all rounds %s are`,
		c.games, where, c.penaltySums[0]/early, penalty, c.regretSums[0]/early, regret, kept)
	f := worst.Finding(text, rounding)
	if f.Outcome == Survives &&
		max(growthFactor(c.penaltySums, n), growthFactor(c.regretSums, n)) > 1.2*math.Sqrt(10) {
		f.Outcome = Undecided
	}
	f.Values = []Value{{"penalty-per-root", penalty}, {"regret-per-root", regret}}
	return f
}

// growthFactor returns the factor between two sums of values at t/10 and t, n being the number of
// values times √t. What is below a hundredth of √t on average counts as that.
func growthFactor(sums [2]float64, n float64) float64 {
	return sums[1] / max(sums[0], 0.01*n/math.Sqrt(10))
}
