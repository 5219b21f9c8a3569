package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var logistic = Problem{
	Name:  "logistic",
	Title: "Logistic regression",
	Doc:   "online logistic regression of sparse samples under a fixed elastic-net constraint",
	Reference: "Jenatton, Huang, Archambeau, Adaptive algorithms for online convex optimization " +
		"with long-term constraints, ICML 2016, the experiment, on synthetic samples",
	Definition: []string{
		"$D = {‖x‖ ≤ R}$ in $ℝ^n$, $n = dim$, and, all independent,",
		"$f_t(x) = log(1 + exp(−y_t u_t·x)),$",
		"$y_t = 1$ with probability $1/(1 + exp(−w·u_t))$, else $−1$;",
		"$g_t(x) = ‖x‖_1 + ½‖x‖² − ρ$ with constraint = elastic-net, $‖x‖ − ρ$ with constraint = " +
			"norm, $ρ = rho$.",
		"samples = sparse: $u_t$ is uniform on $[−1, 1]$ in nonzeros random places and 0 elsewhere; " +
			"$w_i$ is ±1 times a uniform draw from $[½, 2]$ for odd $i$, and 0 for even $i$, drawn " +
			"once.",
		"samples = normal: $u_t$ is standard normal, and $w$ the direction of a standard normal " +
			"vector.",
		"$R = radius$; for $radius = 0$, $R$ is $√(1 + 2ρ) − 1$ with elastic-net and $ρ$ with norm.",
	},
	Version: 1,
	Params: LogisticParams{Dim: 22, Nonzeros: 12, Rho: 10, Samples: "sparse",
		Constraint: "elastic-net"},
	New: Typed(newLogistic),
}

// LogisticParams are the parameters of logistic. The ball of radius √(1+2ρ) − 1 about 0 is the
// smallest that contains {g ≤ 0}: they touch on the axes. The minimiser of the
// expected loss is w, which violates g if it is large, as with the defaults.
// The best fixed action is then a sparser vector on the boundary.
//
// The experiment with samples=normal and constraint=norm has n = 20, ρ = 0.6 and R = 5.
//
// The origin satisfies g with the largest margin, ρ. Every loss is a new basis,
// so that sums of losses grow with t, and a step of their minimisation costs
// O(n) for each round so far, and O(n·nonzeros) where it needs a new Hessian. Over
// T = 1000 rounds, Penalised FTRL takes 0.1 ms a round with n = 22, a hindsight optimum 3
// ms and 30 ms, with gaps of 1e-15. A first-order learner takes O(n), about a
// microsecond, and allocates nothing.
type LogisticParams struct {
	Dim        int     `name:"dim" doc:"dimension n: 22 and 54 are those of the data sets of the paper" min:"1" max:"1000"`
	Nonzeros   int     `name:"nonzeros" doc:"number of entries of a sparse sample that are not 0; at most dim" min:"1" max:"1000"`
	Rho        float64 `name:"rho" doc:"ρ of the constraint" above:"0" max:"1e6"`
	Samples    string  `name:"samples" doc:"sparse and uniform, of weights half of which are 0; or normal, of a unit vector of weights" enum:"sparse,normal"`
	Constraint string  `name:"constraint" doc:"‖x‖₁ + ½‖x‖² ≤ ρ, or ‖x‖ ≤ ρ" enum:"elastic-net,norm"`
	Radius     float64 `name:"radius" doc:"of the domain; 0: the least that contains what the constraint leaves" min:"0" max:"1e6"`
}

// Validate implements the check across parameters of package spec.
func (p LogisticParams) Validate() error {
	if p.Nonzeros > p.Dim {
		return fmt.Errorf("nonzeros %d is more than dim %d: lower nonzeros", p.Nonzeros, p.Dim)
	}
	return nil
}

// constraint returns g, bounds of its slopes and of its values on the domain, and the radius R of
// the domain.
func (p LogisticParams) constraint() (g *convex.Basis, lipschitz, bound, radius float64) {
	radius = p.Radius
	if p.Constraint == "norm" {
		if radius == 0 {
			radius = p.Rho
		}
		g = convex.NewBasis(&convex.Distance{Weight: 1, Center: make([]float64, p.Dim), Offset: -p.Rho})
		return g, 1, max(p.Rho, radius-p.Rho), radius
	}
	if radius == 0 {
		radius = math.Sqrt(1+float64(2*p.Rho)) - 1
	}
	corner := math.Sqrt(float64(p.Dim)) // ‖x‖₁ is at most this times ‖x‖
	g = convex.NewBasis(&convex.ElasticNet{L1: 1, L2: 1, Offset: -p.Rho})
	return g, corner + radius,
		max(p.Rho, float64(corner*radius)+float64(radius*radius/2)-p.Rho), radius
}

// logisticStream draws a sample and its label in every round. The constraint is fixed.
type logisticStream struct {
	Instance
	rng      *rand.Rand
	normal   bool // samples=normal, else sparse
	weights  []float64
	places   []int        // samples=sparse: a permutation of the coordinates
	nonzeros int          // samples=sparse: the entries of a sample that are drawn
	sample   []float64    // −y_t·u_t
	margin   convex.Ridge // the loss, a function of −y_t u_t·x
	loss     convex.Single
}

// newLogistic draws the weights w, and returns the stream at round 1.
func newLogistic(p LogisticParams, rng *rand.Rand) (Stream, error) {
	g, lipschitz, bound, radius := p.constraint()
	ball, err := convex.NewBall(make([]float64, p.Dim), radius)
	if err != nil {
		return nil, err
	}
	sampleLength := math.Sqrt(float64(p.Nonzeros)) // at most
	if p.Samples == "normal" {
		sampleLength = maxNormal * math.Sqrt(float64(p.Dim))
	}
	s := &logisticStream{
		Instance: Instance{
			Domain: ball,
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: sampleLength, LossRange: sampleLength * radius,
				ConstraintLipschitz: lipschitz, ConstraintBound: bound,
				Diameter: ball.Diameter(), Slater: p.Rho,
				Feasible: true, Fixed: true, IID: true, KnownConstraints: true,
			},
		},
		rng:      rng,
		normal:   p.Samples == "normal",
		weights:  make([]float64, p.Dim),
		places:   make([]int, p.Dim),
		nonzeros: p.Nonzeros,
		sample:   make([]float64, p.Dim),
	}
	s.drawWeights()
	s.share(g)
	s.Round = convex.Round{
		Loss:        &s.loss,
		Constraints: []convex.Func{g},
	}
	return s, nil
}

// drawWeights draws w, for either kind of samples.
func (s *logisticStream) drawWeights() {
	for i := range s.weights {
		s.places[i] = i
		if s.normal {
			s.weights[i] = normal(s.rng)
		} else if i%2 == 0 {
			s.weights[i] = uniform(s.rng, 0.5, 2)
			if s.rng.IntN(2) == 0 {
				s.weights[i] = -s.weights[i]
			}
		}
	}
	if s.normal {
		vec.Scale(s.weights, 1/vec.Norm(s.weights))
	}
}

// Reveal implements [Stream].
func (s *logisticStream) Reveal(int, []float64) *convex.Round {
	a := s.sample
	clear(a)
	if s.normal {
		for i := range a {
			a[i] = normal(s.rng)
		}
	} else {
		for i := range s.nonzeros { // the shuffle of Fisher and Yates, as far as it is needed
			k := i + s.rng.IntN(len(s.places)-i)
			s.places[i], s.places[k] = s.places[k], s.places[i]
			a[s.places[i]] = centredUniform(s.rng)
		}
	}
	if labelIsOne := s.rng.Float64() < 1/(1+vec.Exp(-vec.Dot(s.weights, a))); labelIsOne {
		vec.Scale(a, -1)
	}
	s.margin = convex.Ridge{Curve: convex.Softplus{}, Weight: 1, A: a}
	s.loss = convex.Single{Of: &s.margin}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
