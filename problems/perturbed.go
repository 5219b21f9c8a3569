package problems

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var perturbed = Problem{
	Name:  "perturbed",
	Title: "Perturbed constraints",
	Doc: "constraints g_j(x) + b_{t,j}: one function plus a number that is noise, drifts, is " +
		"periodic, or is chosen by an adversary",
	Reference: "Valls, Iosifidis, Leith, Tassiulas, Online convex optimization with perturbed " +
		"constraints, AISTATS 2020; Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, " +
		"Perturbed Constraints",
	Definition: slices.Concat(spaceDefinition, shapesDefinition, []string{
		"$g_{t,j}(x) = g_j(x) + b_{t,j}$, with $A = amplitude$ and $φ_j$ uniform on $[0, 2π)$. By " +
			"noise,",
		"iid: $b_{t,j}$ is uniform on $[−A, A]$, independent;",
		"drift: $b_{t,j} = A·cos(2√t + φ_j)$;",
		"periodic: $b_{t,j} = A·cos(2πt/period + φ_j)$;",
		"adversarial: $b_{t,j} = A(−1)^k$ for $2^k ≤ t < 2^{k+1}$.",
	}, lossesDefinition),
	Version: 1,
	Params: PerturbedParams{
		Space:     Space{Dim: 2, Set: "box", Radius: 1},
		Shapes:    Shapes{Constraints: 1, Kind: "affine", Margin: 0.25},
		Noise:     "iid",
		Amplitude: 0.2,
		Period:    10,
		Losses:    Losses{LossNoise: 1},
	},
	New: Typed(newPerturbed),
}

// PerturbedParams are the parameters of perturbed. The average of b tends to 0 at the rate
// √(log log t/t) with iid, and at the rate 1/t with periodic. With drift it oscillates with an
// amplitude of about A/√t. With adversarial it does not converge: it oscillates between about −A/3
// and A/3.
//
// So the comparators differ. X^max_t is {g_j + average of b ≤ 0 for all j},
// which tends to {g_j ≤ 0}, except with adversarial, where its boundary
// oscillates by A/3. X^min_t is {g_j + max b ≤ 0}, which tends to {g_j + A ≤ 0}
// and may be empty if A > margin. X̂^max_t is {g_j + largest average of b so
// far ≤ 0}. With adversarial it is X^min_t, because b_1 = A.
//
// With iid and adversarial some round has b_{t,j} = A, or nearly so, for all j: where no action has
// g_j + A ≤ 0, a round is empty. Every round is declared to be feasible where the centre z of the
// domain has g_j + A ≤ 0 for all j, or the point z − h·d has, where h is the inradius of the domain
// and d the unit vector in which the losses fall: with affine constraints, as far as A ≤ margin +
// h/√2.
type PerturbedParams struct {
	Space
	Shapes
	Noise     string  `name:"noise" doc:"b_t: uniform draws, oscillations that slow down, periodic oscillations, or blocks of doubling length" enum:"iid,drift,periodic,adversarial"`
	Amplitude float64 `name:"amplitude" doc:"|b_t| ≤ amplitude; above margin, X^min may be empty" min:"0" max:"1e6"`
	Period    int     `name:"period" doc:"rounds of a period, with noise=periodic" min:"2" max:"1000000"`
	Losses
}

// perturbedStream reveals the fixed functions g_j plus the numbers b_{t,j}, and draws a loss.
type perturbedStream struct {
	Instance
	rng     *rand.Rand
	losses  *losses
	bases   []*convex.Basis        // g_j
	shifted []convex.Shifted       // g_j + b_{t,j} in this round
	shift   func(t, j int) float64 // returns b_{t,j}
	mean    []convex.Func          // g_j where b is independent with mean 0; otherwise nil
}

// newPerturbed draws the functions g_j and the phases, and returns the stream at round 1.
func newPerturbed(p PerturbedParams, rng *rand.Rand) (Stream, error) {
	space, err := p.Space.newSpace()
	if err != nil {
		return nil, err
	}
	lossDirection := space.drawDirection(rng)
	shapes, err := newShapes(p.Shapes, space, p.Radius, lossDirection, rng)
	if err != nil {
		return nil, err
	}
	s := &perturbedStream{
		Instance: Instance{
			Domain: space.set,
			M:      p.Constraints,
			Declared: convex.Facts{
				ConstraintLipschitz: shapes.lipschitz, ConstraintBound: shapes.bound + p.Amplitude,
				Diameter: space.set.Diameter(), Slater: max(0, p.Margin-p.Amplitude),
				Affine: p.Kind == "affine", IID: p.Noise == "iid" || p.Amplitude == 0,
				Fixed: p.Amplitude == 0, Perturbed: true,
				Feasible: p.Amplitude <= p.Margin ||
					allAtMost(shapes.funcs, space.pointBehind(lossDirection), -p.Amplitude),
			},
		},
		rng:     rng,
		losses:  newLosses(p.Losses, space, p.Radius, lossDirection),
		shifted: make([]convex.Shifted, p.Constraints),
	}
	p.Losses.declare(&s.Declared, space, p.Radius)
	phases := make([]float64, p.Constraints)
	for j := range phases {
		phases[j] = uniform(rng, 0, 2*math.Pi)
	}
	switch p.Noise {
	case "iid":
		s.shift = func(int, int) float64 { return uniform(rng, -p.Amplitude, p.Amplitude) }
	case "drift":
		s.shift = func(t, j int) float64 {
			return p.Amplitude * vec.Cos(float64(2*math.Sqrt(float64(t)))+phases[j])
		}
	case "periodic":
		s.shift = func(t, j int) float64 {
			return p.Amplitude * vec.Cos(float64(2*math.Pi*float64(t%p.Period)/float64(p.Period))+phases[j])
		}
	case "adversarial":
		s.shift = func(t, _ int) float64 {
			if bits.Len(uint(t))%2 == 1 { // 2^k ≤ t < 2^(k+1) with k even
				return p.Amplitude
			}
			return -p.Amplitude
		}
	}
	for j, f := range shapes.funcs {
		b, ok := f.(*convex.Basis)
		if !ok {
			b = convex.NewBasis(f)
		}
		if s.Declared.IID {
			s.mean = append(s.mean, b)
		}
		s.bases = append(s.bases, b)
		s.share(b)
		s.shifted[j].Base = b
		s.Round.Constraints = append(s.Round.Constraints, &s.shifted[j])
	}
	return s, nil
}

// Expectation implements [Expecter] by g_j if b_{t,j} is independent noise; otherwise it is nil.
func (s *perturbedStream) Expectation() []convex.Func { return s.mean }

// Reveal implements [Stream].
func (s *perturbedStream) Reveal(t int, _ []float64) *convex.Round {
	for j := range s.shifted {
		s.shifted[j] = convex.Shifted{Base: s.bases[j], Shift: s.shift(t, j)}
	}
	return s.Show(s.losses.draw(s.rng), s.Round.Constraints)
}
