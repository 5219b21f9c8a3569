package problems

import (
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var decayingFrequency = Problem{
	Name:  "decaying-frequency",
	Title: "Decaying frequency",
	Doc: "the paper's Example: a binding constraint that is revealed with the decaying " +
		"probability 0.1c/t^(1−c)",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Example and its " +
		"figure",
	Definition: []string{
		"$D = [−10, 10]$, $f_t(x) = −2x$ and, independently,",
		"$g_t(x) = x$ with probability $0.1c/t^{1−c}$, else $g_t(x) = −0.01$.",
		"With $constraints = 2$, $g_t(x) = (0, x)$ with this probability, else $(−0.01, 0)$.",
	},
	Version: 1,
	Params:  DecayingFrequencyParams{C: 1, Constraints: 1},
	New:     Typed(newDecayingFrequency),
}

// DecayingFrequencyParams are the parameters of decaying-frequency. With c < 1 the average of g
// at x = 10 is near t^{c−1} − 0.01, which is negative beyond t = 100^{1/(1−c)}:
// from there on the constraint is slack on average, and a small violation says
// nothing.
type DecayingFrequencyParams struct {
	C           float64 `name:"c" doc:"the binding constraint is revealed about 0.1·t^c times in t rounds" above:"0" max:"1"`
	Constraints int     `name:"constraints" doc:"1: one constraint that switches; 2: one constraint for each of its two values, 0 in the rounds of the other" min:"1" max:"2"`
}

// decayingFrequencyStream reveals one of two frozen rounds: with the binding constraint, with a
// probability that decays, or without it.
type decayingFrequencyStream struct {
	Instance
	c        float64
	rng      *rand.Rand
	binding  convex.Round // with the binding constraint
	ordinary convex.Round
}

// newDecayingFrequency returns the stream at round 1.
func newDecayingFrequency(p DecayingFrequencyParams, rng *rand.Rand) (Stream, error) {
	s := &decayingFrequencyStream{
		Instance: Instance{
			Domain: convex.Cube(1, -10, 10),
			M:      p.Constraints,
			Declared: convex.Facts{
				LossLipschitz: 2, ConstraintLipschitz: 1, LossRange: 40, ConstraintBound: 10,
				Diameter: 20, Feasible: true, Affine: true, IID: p.C == 1,
			},
		},
		c:   p.C,
		rng: rng,
	}
	affine := func(a, b float64) convex.Func {
		return convex.Freeze(&convex.Affine{A: []float64{a}, B: b})
	}
	loss, active, slack, zero := affine(-2, 0), affine(1, 0), affine(0, -0.01), affine(0, 0)
	s.binding.Loss, s.ordinary.Loss = loss, loss
	if p.Constraints == 1 {
		s.Declared.Slater = 0.01 // at any x ≤ −0.01
		s.binding.Constraints, s.ordinary.Constraints = []convex.Func{active}, []convex.Func{slack}
	} else {
		s.binding.Constraints, s.ordinary.Constraints = []convex.Func{zero, active},
			[]convex.Func{slack, zero}
	}
	return s, nil
}

// Expectation implements [Expecter] for c = 1, where the probability does not
// change: 0.1x − 0.009, or with two constraints −0.009 and 0.1x.
func (s *decayingFrequencyStream) Expectation() []convex.Func {
	switch {
	case s.c < 1:
		return nil
	case s.M == 1:
		return []convex.Func{&convex.Affine{A: []float64{0.1}, B: -0.009}}
	}
	return []convex.Func{&convex.Affine{A: []float64{0}, B: -0.009}, &convex.Affine{A: []float64{0.1}}}
}

// Reveal implements [Stream].
func (s *decayingFrequencyStream) Reveal(t int, _ []float64) *convex.Round {
	r := &s.ordinary
	if s.rng.Float64() < float64(0.1*s.c)/vec.Pow(float64(t), 1-s.c) {
		r = &s.binding
	}
	return s.Show(r.Loss, r.Constraints)
}
