package problems

import (
	"math/rand/v2"
	"slices"

	"ocobench/convex"
)

var fixed = Problem{
	Name:  "fixed",
	Title: "Fixed constraints",
	Doc: "constraints that do not change: affine, quadratic or balls, in n dimensions, with " +
		"random losses whose drift they bound",
	Reference: "Mahdavi, Jin, Yang, Trading regret for efficiency: online convex optimization with " +
		"long term constraints, JMLR 13, 2012, the setting",
	Definition: slices.Concat(spaceDefinition, shapesDefinition, []string{
		"The constraints of every round are $g_{t,j} = g_j$.",
	}, lossesDefinition),
	Version: 1,
	Params: FixedParams{
		Space:  Space{Dim: 2, Set: "box", Radius: 1},
		Shapes: Shapes{Constraints: 1, Kind: "affine", Margin: 0.25},
		Losses: Losses{LossNoise: 1},
	},
	New: Typed(newFixed),
}

// FixedParams are the parameters of fixed. All four comparators X^min, X̂^max, X^max
// and X^E are the same set.
type FixedParams struct {
	Space
	Shapes
	Losses
}

// fixedStream draws a loss in every round. The constraints are fixed.
type fixedStream struct {
	Instance
	rng    *rand.Rand
	losses *losses
}

// newFixed draws the drift and the constraints, and returns the stream at round 1.
func newFixed(p FixedParams, rng *rand.Rand) (Stream, error) {
	space, err := p.Space.newSpace()
	if err != nil {
		return nil, err
	}
	drift := space.drawDirection(rng) // losses fall and constraints rise in about this direction
	shapes, err := newShapes(p.Shapes, space, p.Radius, drift, rng)
	if err != nil {
		return nil, err
	}
	s := &fixedStream{
		Instance: Instance{
			Domain: space.set,
			M:      p.Constraints,
			Declared: convex.Facts{
				ConstraintLipschitz: shapes.lipschitz, ConstraintBound: shapes.bound,
				Diameter: space.set.Diameter(), Slater: p.Margin,
				Feasible: true, Fixed: true, Affine: p.Kind == "affine", IID: true, KnownConstraints: true,
			},
			Round: convex.Round{Constraints: shapes.funcs},
		},
		rng:    rng,
		losses: newLosses(p.Losses, space, p.Radius, drift),
	}
	s.share(shapes.funcs...) // all rounds have them: see [Sharer]
	p.Losses.declare(&s.Declared, space, p.Radius)
	return s, nil
}

// Reveal implements [Stream].
func (s *fixedStream) Reveal(int, []float64) *convex.Round {
	return s.Show(s.losses.draw(s.rng), s.Round.Constraints)
}
