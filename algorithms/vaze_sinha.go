package algorithms

import (
	"errors"
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var vazeSinha = Algorithm{
	Name:      "vaze-sinha",
	Title:     "Vaze, Sinha",
	Doc:       "projected gradient on the actions that satisfy all constraints so far, a nested sequence of sets",
	Reference: "Vaze, Sinha, O(√T) static regret and instance dependent constraint violation for constrained online convex optimization, NeurIPS 2025, Algorithm 2",
	Version:   2,
	Params:    VazeSinhaParams{},
	Feedback:  FullInfo,
	Anytime:   true,
	Claims:    VazeSinhaParams{}.Claims(),
	Assumes:   []Assumption{Undecided("a point feasible in every round")},
	Cost:      "two projections on the constraints so far: O(1) on a line and for perturbed constraints, else O(t·m·n)",
	New:       Typed(newVazeSinha),
}

// VazeSinhaParams are the parameters of vaze-sinha, which plays, with S_t = {x
// in D : g_{τ,j}(x) ≤ 0 for all τ ≤ t and j} and Π_S the projection on S,
//
//	y_t     = Π_{S_{t−1}}(x_t − η_t∂f_t(x_t)),   η_t = Δ/(G√t)
//	x_{t+1} = Π_{S_t}(y_t),                      x_1 = Π_D(x_0).
//
// X^min is a subset of every S_t, so that no projection increases the distance to
// a point u of X^min. As for [OGDParams],
//
//	Σ_t f_t(x_t) − f_t(u) ≤ Δ²/(2η_T) + ½G²Σ_t η_t ≤ (3/2)GΔ√T.
//
// The violation of an action is at most the Lipschitz constant L of the
// constraints times its distance from S_t. On a line, the segments from actions
// to S_t do not overlap, so that Σ_t max_j [g_{t,j}(x_t)]₊ ≤ LΔ. If every S_t
// is a box, the same holds in each coordinate, and the paper bounds the violation
// by a constant if all are balls. These are its special cases. In the plane
// arXiv:2603.20671 proves O(T^{1/3}). For sets of any shape nothing better than
// O(T) is proven, which is what the registry claims, with the bound on a line. If
// S_t is empty, an error ends the game.
type VazeSinhaParams struct {
	LossConstants
	Step float64 `name:"step" doc:"steps are η_t = step/√t; 0 takes Δ/G" min:"0"`
	FirstAction
}

// Claims are O(√t), and O(t) for sets of any shape, with the bound on a line.
func (p VazeSinhaParams) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: 0.5, Formula: gradientRegret, Bound: p.regret},
		{
			Metric: HardViolation, Exponent: 1, Note: "trivial in general; constant on a line and where all sets are boxes or balls, t^(1/3) in the plane",
			Formula: "mLΔ, on a line", Bound: p.violation,
		},
	}
}

func (p VazeSinhaParams) regret(s Setup) (func(t int) float64, error) {
	l, err := of[*vazeSinhaLearner](newVazeSinha(p, s))
	if err != nil {
		return nil, err
	}
	k := known{Setup: s}
	return gradientDescent(k.diameter(), k.losses(p.Lipschitz), l.step), k.err
}

func (p VazeSinhaParams) violation(s Setup) (func(t int) float64, error) {
	k := known{Setup: s}
	k.demand(s.Constraints > 0, "there are no constraints")
	k.demand(s.Set.Dim() == 1, "the constant is proven on a line, and the domain has %d dimensions", s.Set.Dim())
	return constant(k.m() * k.constraints(0) * k.diameter()), k.err
}

type vazeSinhaLearner struct {
	step     float64
	t        int
	x        []float64
	grad     []float64
	feasible *convex.Program
	g        *convex.Form
	square   *convex.Form
	cert     convex.Cert
}

func newVazeSinha(p VazeSinhaParams, s Setup) (Learner, error) {
	if p.Step == 0 {
		k, err := p.stiffness(s, "step")
		if err != nil {
			return nil, err
		}
		p.Step = 1 / k
	}
	x, err := p.Project(s.Set)
	n := s.Set.Dim()
	return &vazeSinhaLearner{
		step: p.Step, x: x, grad: make([]float64, n), feasible: convex.NewProgram(s.Set),
		g: convex.NewForm(n), square: convex.NewForm(n), cert: convex.Cert{Exact: true},
	}, err
}

// Act implements [Learner].
func (l *vazeSinhaLearner) Act(dst []float64) { copy(dst, l.x) }

// Cert implements [Certified].
func (l *vazeSinhaLearner) Cert() convex.Cert { return l.cert }

// Observe implements [Learner].
func (l *vazeSinhaLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	r.Loss.Subgrad(l.grad, l.x)
	vec.Axpy(l.x, -l.step/math.Sqrt(float64(l.t)), l.grad)
	if err := l.project(); err != nil {
		return err
	}
	for j, g := range r.Constraints {
		l.g.Reset()
		g.AddTo(l.g, 1)
		if !finite(l.g) {
			return fmt.Errorf("constraint %d is not finite", j+1)
		}
		l.feasible.Constrain(l.g)
	}
	return l.project()
}

// project moves x to the nearest point of S.
func (l *vazeSinhaLearner) project() error {
	l.square.Reset()
	nearest := convex.SquaredDistance{Weight: 1, Center: l.x}
	nearest.AddTo(l.square, 1)
	if !finite(l.square) {
		return fmt.Errorf("the gradient of the loss is not finite")
	}
	s, err := l.feasible.Minimize(l.x, l.square)
	if errors.Is(err, convex.ErrEmpty) {
		return fmt.Errorf("no action satisfies the constraints of rounds 1 to %d", l.t)
	}
	l.cert = s.Cert
	return err
}
