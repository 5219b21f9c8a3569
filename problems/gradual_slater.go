package problems

import (
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var gradualSlater = Problem{
	Name:  "gradual-slater",
	Title: "Vanishing Slater margin",
	Doc: "a noisy budget Σx ≤ margin, for sweeps from a large Slater margin to none, with " +
		"losses whose minimiser switches",
	Reference: "synthetic; the setting is that of Yu, Lee, Lee, Constrained online convex " +
		"optimization without Slater's condition, 2026",
	Definition: []string{
		"$D = [0, 1]^n$ with $n = dim$ and, with $u_t$ uniform on $[−noise, noise]$, independent,",
		"$f_t(x) = ½‖x − c_t‖²,  g_t(x) = Σ_i x_i + u_t − margin.$",
		"targets = switch: $c_t = 0.8·(1, …, 1)$ for period rounds, then $0.2·(1, …, 1)$ for as " +
			"many, and so on;",
		"targets = circle: $c_{t,i} = ½ + 0.3·cos(2π(t − 1)/period − (i − 1)π/n)$.",
	},
	Version: 1,
	Params:  GradualSlaterParams{Dim: 5, Margin: 0.3, Noise: 0.35, Period: 30, Targets: "switch"},
	New: Typed(func(p GradualSlaterParams, rng *rand.Rand) (Stream, error) {
		return newGradualSlater(p, rng), nil
	}),
}

// GradualSlaterParams are the parameters of gradual-slater.
// With circle and n = 2 the minimiser goes round (½, ½) once a period, as in the program
// of Yu, Lee and Lee.
//
// X^E is {Σx ≤ margin}, with the Slater margin margin at 0; with margin = 0 it
// is {0}. Its best action with switch after an even number of periods, and with circle after any
// number, has all coordinates min(1/2, margin/n). X^min tends to {Σx ≤ margin − noise}, and X^max
// to X^E. The constraints are i.i.d.; the rounds are not, because the losses depend on t.
type GradualSlaterParams struct {
	Dim     int     `name:"dim" doc:"dimension n" min:"1" max:"1000"`
	Margin  float64 `name:"margin" doc:"E g_t(0) = −margin, the Slater margin in expectation; 0.7, 0.5, 0.3, 0.1, 0 is a sweep" min:"0" max:"1e6"`
	Noise   float64 `name:"noise" doc:"the noise of g_t is uniform on [−noise, noise]; up to margin, some action is feasible in every round" min:"0" max:"1e6"`
	Period  int     `name:"period" doc:"rounds until the minimiser of the losses switches, or has gone round" min:"1" max:"1000000"`
	Targets string  `name:"targets" doc:"how the minimiser of the losses moves: it switches between two points, or goes round" enum:"switch,circle"`
}

// gradualSlaterStream moves the target of the loss, and adds noise to the budget.
type gradualSlaterStream struct {
	Instance
	rng    *rand.Rand
	p      GradualSlaterParams
	sum    *convex.Basis // Σ_i x_i
	center []float64     // of the loss
	target convex.HalfSquaredDistance
	g      convex.Shifted
}

// newGradualSlater returns the stream at round 1.
func newGradualSlater(p GradualSlaterParams, rng *rand.Rand) *gradualSlaterStream {
	n := float64(p.Dim)
	s := &gradualSlaterStream{
		Instance: Instance{
			Domain: convex.Cube(p.Dim, 0, 1),
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: 0.8 * math.Sqrt(n), ConstraintLipschitz: math.Sqrt(n),
				LossRange: 0.32 * n, ConstraintBound: p.Noise + max(p.Margin, n-p.Margin),
				Diameter: math.Sqrt(n), Slater: max(0, p.Margin-p.Noise), Curvature: 1,
				Feasible: p.Noise <= p.Margin, Fixed: p.Noise == 0, Deterministic: p.Noise == 0, Affine: true,
				Perturbed: true, IID: true,
			},
		},
		rng:    rng,
		p:      p,
		sum:    convex.NewBasis(&convex.Affine{A: slices.Repeat([]float64{1}, p.Dim)}),
		center: make([]float64, p.Dim),
	}
	s.share(s.sum)
	s.g = convex.Shifted{Base: s.sum, Shift: -p.Margin}
	s.Round = convex.Round{Loss: &s.target, Constraints: []convex.Func{&s.g}}
	return s
}

// Reveal implements [Stream].
func (s *gradualSlaterStream) Reveal(t int, _ []float64) *convex.Round {
	shift := -s.p.Margin
	if s.p.Noise > 0 {
		shift = uniform(s.rng, -s.p.Noise, s.p.Noise) - s.p.Margin
	}
	s.g = convex.Shifted{Base: s.sum, Shift: shift}
	s.move(t)
	s.target = convex.HalfSquaredDistance{Weight: 1, Center: s.center}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}

// move sets the centre of the loss to c_t.
func (s *gradualSlaterStream) move(t int) {
	c := 0.8
	if (t-1)/s.p.Period%2 == 1 {
		c = 0.2
	}
	for i := range s.center {
		if s.center[i] = c; s.p.Targets == "circle" {
			angle := float64(2*math.Pi*float64((t-1)%s.p.Period)) / float64(s.p.Period)
			s.center[i] = 0.5 + float64(0.3*vec.Cos(angle-float64(math.Pi*float64(i))/float64(s.p.Dim)))
		}
	}
}

// Expectation implements [Expecter]: Σ_i x_i − margin.
func (s *gradualSlaterStream) Expectation() []convex.Func {
	return []convex.Func{&convex.Affine{A: slices.Repeat([]float64{1}, s.p.Dim), B: -s.p.Margin}}
}
