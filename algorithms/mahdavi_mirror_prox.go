package algorithms

import (
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var mahdaviMirrorProx = Algorithm{
	Name:  "mahdavi-mirror-prox",
	Title: "Mahdavi et al., mirror-prox",
	Doc: "mirror-prox on the Lagrangian of fixed affine constraints: an extrapolation step " +
		"and a correction step",
	Reference: "Mahdavi, Jin, Yang, Trading regret for efficiency: online convex optimization with " +
		"long term constraints, JMLR 13, 2012, section on the mirror-prox method",
	Definition: slices.Concat([]string{
		"For constraints $g(x) = Ax − b$, from $z_1 = x_1 = Π(x_0)$ and $μ_1 = 0$,",
		"$x_t = Π(z_t − ηAᵀμ_t)$",
		"$λ_t = [μ_t + η(g(z_t) − ηδμ_t)]₊$",
		"$z_{t+1} = Π(z_t − η(∂f_t(x_t) + Aᵀλ_t))$",
		"$μ_{t+1} = [μ_t + η(g(x_t) − ηδλ_t)]₊$",
		"with $η = step$, by default $T^{−1/3}$, $δ = damping$, by default $T^{−2/3}$, and A of the " +
			"round before; Π is the projection on $D$, and $x_0$ the parameter x0.",
	}, epochsDefinition),
	Version:  1,
	Params:   MahdaviMirrorProxParams{},
	Feedback: FirstOrder,
	Assumes: []Assumption{
		FixedConstraints, AffineConstraints,
		Undecided("T so large that η²(‖A‖² + δ²η²) ≤ 1/2"),
	},
	Cost: "O(m·n) and two projections",
	New:  Typed(newMahdaviMirrorProx),
}

// MahdaviMirrorProxParams are the parameters of mahdavi-mirror-prox. A is that of the round before,
// and g(z_t) = g(x_t) + A(z_t − x_t), because g is affine. In the first round
// neither is needed, because μ_1 = 0.
//
// With R = max ‖z_1 − u‖, S_j = Σ_{τ≤t} g_j(x_τ), G of the losses and η²(‖A‖² +
// δ²η²) ≤ 1/2, at every t ≤ T and for every feasible u,
//
//	Σ_{τ≤t} (f_τ(x_τ) − f_τ(u)) + Σ_j [S_j]₊²/(δηt + 2/η) ≤ C_t = R²/(2η) + ηG²t:
//
// regret is at most (R²/2)T^{1/3} + G²T^{2/3}, and Σ_j [S_j]₊² at most (1 +
// 2T^{1/3})(FT + that), so both are O(T^{2/3}). The paper scales the rows of A
// to length 1, so that ‖A‖² ≤ m; here it is at most mL², with L the Lipschitz
// constant of the constraints. The damping is not needed for the bounds.
type MahdaviMirrorProxParams struct {
	Epochs
	Step    float64 `name:"step" doc:"step η of all updates; 0 takes the theorem's T^(−1/3)" min:"0"`
	Damping float64 `name:"damping" doc:"damping δ of the multipliers; 0 takes the theorem's T^(−2/3)" min:"0"`
	FirstAction
}

// Claims returns O(T^{2/3}) twice, and the bounds of these steps.
func (p MahdaviMirrorProxParams) Claims() []Claim {
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 2. / 3, Formula: "C_t = R²/(2η) + ηG²t",
			Bound: provenBound(newMahdaviMirrorProx, p, p.regretBound)},
		{Metric: SoftViolation, Exponent: 2. / 3, Formula: "√(m(δηt + 2/η)(Ft + C_t))",
			Bound: provenBound(newMahdaviMirrorProx, p, p.violationBound)},
	}, p.Step, p.Damping)
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p MahdaviMirrorProxParams) regretBound(l *mahdaviMirrorProxLearner,
	k *boundInputs) func(t int) float64 {
	g, lip, r := k.lossLipschitz(), k.constraintLipschitz(), k.radiusFrom(l.X)
	norm := float64(k.m() * lip * lip)
	k.require(square(l.eta)*(norm+square(l.delta*l.eta)) <= 0.5, "η²(mL² + δ²η²) is more than 1/2, "+
		"with η = %.3g and mL² = %.3g: the horizon is too short, or a step set by hand too long", l.eta,
		norm)
	return affineBound(r*r/(2*l.eta), l.eta*g*g)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p MahdaviMirrorProxParams) violationBound(l *mahdaviMirrorProxLearner,
	k *boundInputs) func(t int) float64 {
	regret := p.regretBound(l, k)
	k.requireNonemptyXMin()
	return violationFromRegret(affineBound(2*k.m()/l.eta, k.m()*l.delta*l.eta), regret,
		k.lossRange())
}

// mahdaviMirrorProxLearner holds the action x_t, the extrapolated point z_t, the multipliers μ_t,
// and the matrix A of the last round.
type mahdaviMirrorProxLearner struct {
	Descent                // its X is x_t
	z          []float64   // z_t
	mu         []float64   // μ_t
	slopes     [][]float64 // ∇g_j, the rows of A
	eta, delta float64
}

// newMahdaviMirrorProx returns the learner at round 1, with the step T^{−1/3} and the damping
// T^{−2/3} where the parameters are 0.
func newMahdaviMirrorProx(p MahdaviMirrorProxParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	n := s.Set.Dim()
	l := &mahdaviMirrorProxLearner{Descent: d, z: make([]float64, n),
		mu: make([]float64, s.Constraints), eta: p.Step, delta: p.Damping}
	copy(l.z, l.X)
	for range s.Constraints {
		l.slopes = append(l.slopes, make([]float64, n))
	}
	if l.eta == 0 {
		l.eta = vec.Pow(float64(s.Horizon), -1./3)
	}
	if l.delta == 0 {
		l.delta = vec.Pow(float64(s.Horizon), -2./3)
	}
	return l, nil
}

// Observe implements [Learner].
func (l *mahdaviMirrorProxLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	for j, g := range r.Constraints {
		a, mu, gAtX := l.slopes[j], l.mu[j], g.Value(l.X)
		g.Subgrad(a, l.X)
		gAtZ := gAtX + (vec.Dot(a, l.z) - vec.Dot(a, l.X))
		lambda := dampedMultiplier(mu, l.eta, l.delta, gAtZ)
		vec.Axpy(l.Grad, lambda, a)
		l.mu[j] = max(0, mu+float64(l.eta*(gAtX-float64(l.eta*l.delta*lambda))))
	}
	vec.Axpy(l.z, -l.eta, l.Grad)
	l.set.Project(l.z, l.z)
	copy(l.X, l.z)
	for j, a := range l.slopes {
		vec.Axpy(l.X, -l.eta*l.mu[j], a)
	}
	l.set.Project(l.X, l.X)
	return nil
}

// State implements [Stateful].
func (l *mahdaviMirrorProxLearner) State() []State { return multiplierState(l.mu...) }
