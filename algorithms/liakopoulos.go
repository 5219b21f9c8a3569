package algorithms

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

var liakopoulos = Algorithm{
	Name:  "liakopoulos",
	Title: "Liakopoulos et al.",
	Doc: "cautious online Lagrangian descent for windowed budgets: drift plus penalty with " +
		"longer proximal terms, no Slater point",
	Reference: "Liakopoulos, Destounis, Paschos, Spyropoulos, Mertikopoulos, Cautious regret " +
		"minimization: online optimization with long-term budget constraints, ICML 2019, Theorem 1",
	Definition: slices.Concat([]string{
		"$x_{t+1} = Π(x_t − (V∂f_t(x_t) + Σ_j Q_{t,j}∂g_{t,j}(x_t))/(2α))$",
		"$Q_{t+1} = [Q_t + g_t(x_t) + ∂g_t(x_t)(x_{t+1} − x_t)]₊,  Q_1 = 0$",
		"with $V = min(K·T^v, T)$, $K = window$, $v = tradeoff$, and $α = max(T, V√T)$.",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   LiakopoulosParams{Window: 1, Tradeoff: 0.5},
	Feedback: FirstOrder,
	Cost:     "O(m·n) and a projection",
	New:      Typed(newLiakopoulos),
}

// LiakopoulosParams are the parameters of liakopoulos, with the update of
// [DriftPlusPenaltyParams].
//
// The comparator is X_K: a point z with Σ_{i=t}^{t+K−1} g_i(z) ≤ 0 for all
// windows of K rounds. Queues change by at most C in a round. With Γ a bound
// of ‖g_t(z)‖ and windows that end in round T, of which the first may be shorter,
//
//	Σ_t Q_t·g_t(z) ≤ ½CΓ(K−1)T,
//
// so that the inequality of [DriftPlusPenaltyParams] becomes
//
//	Σ_t f_t(x_t) − f_t(z) ≤ αΔ²/V + TVG²/(4α) + C(C + Γ(K−1))T/(2V) = O(KT/V + √T),
//
// and, without any Slater point, with f_t(z) − f_t(x_t) ≤ F,
//
//	½‖Q_{T+1}‖² ≤ VFT + αΔ² + TV²G²/(4α) + ½C(C + Γ(K−1))T = O(VT).
//
// As α ≥ V√T, the error of the linearisation, Σ_t ‖x_{t+1} − x_t‖, is of no
// higher order: the violation is O(√(VT)). The paper has V in [K, T]. With a Slater
// point in every round, the bound of queues of [DriftPlusPenaltyParams] makes it
// O(T^{max(v,1/2)}), √T at v = 1/2.
//
// Against a point of X^min, the last term of the first bound is C²T/(2V). This is the
// bound that Claims states.
//
// Regret is measured against X^min, which is X_1 and a subset of every X_K. For K
// > 1 the theorem says more: X_K is a subset of X^max where K divides T, so that
// regret against X_K is between those against X^min and X^max. The command "bench
// hindsight --window K" solves for the best action of X_K on one stream.
type LiakopoulosParams struct {
	Window   int     `name:"window" doc:"rounds K over which the comparator keeps its budgets: with K = 1 it is in X^min" min:"1"`
	Tradeoff float64 `name:"tradeoff" doc:"exponent v of the weight V = K·T^v of the losses against the queues, at most T: regret decreases with it, violation increases" min:"0" max:"1"`
	FirstAction
	Epochs
}

// Claims returns O(KT/V + √T) and O(√(VT)), and the bounds of this V.
func (p LiakopoulosParams) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: max(1-p.Tradeoff, 0.5), Formula: driftRegret,
			Bound: provenBound(newLiakopoulos, p, (*driftPlusPenaltyLearner).regretBound)},
		{Metric: SoftViolation, Exponent: (1 + p.Tradeoff) / 2,
			Note: "t^max(v,1/2) with a Slater point: √T at v = 1/2", Formula: driftViolation,
			Bound: provenBound(newLiakopoulos, p, (*driftPlusPenaltyLearner).violationBound)},
	}
}

// newLiakopoulos returns a drift-plus-penalty learner at round 1, with the weights V = min(K·T^v,
// T) and α = max(T, V√T).
func newLiakopoulos(p LiakopoulosParams, s Setup) (Learner, error) {
	T := float64(s.Horizon)
	v := min(float64(p.Window)*vec.Pow(T, p.Tradeoff), T)
	return newDriftPlusPenalty(DriftPlusPenaltyParams{
		V: v, Alpha: max(T, v*math.Sqrt(T)), FirstAction: p.FirstAction,
	}, s)
}
