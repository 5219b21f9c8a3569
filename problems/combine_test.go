package problems_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/problems"
	"ocobench/problems/probtest"
)

// constrainedProblems returns problems of several constraints, of every shape.
func constrainedProblems() []problems.Problem {
	box := problems.Space{Dim: 3, Set: "box", Radius: 1}
	shapes := func(kind string) problems.Shapes {
		return problems.Shapes{Constraints: 3, Kind: kind, Margin: 0.25}
	}
	var all []problems.Problem
	for _, c := range []struct {
		name   string
		params any
	}{
		{"iid", problems.IIDParams{Space: box, Constraints: 3, Slack: 0.25, Margin: 0.1, Spread: 0.5,
			LossNoise: 1, Direction: "random"}},
		{"fixed", problems.FixedParams{Space: box, Shapes: shapes("affine")}},
		{"fixed", problems.FixedParams{Space: box, Shapes: shapes("norm"),
			Losses: problems.Losses{LossNoise: 1, Curvature: 1}}},
		{"perturbed", problems.PerturbedParams{Space: box, Shapes: shapes("quadratic"), Noise: "periodic",
			Amplitude: 0.2, Period: 7}},
		{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.75, Constraints: 2}},
	} {
		p, _ := problems.Lookup(problems.All, c.name)
		p.Params = c.params
		all = append(all, p)
	}
	return all
}

func TestCombinedProblemsConform(t *testing.T) {
	for k, p := range constrainedProblems() {
		p = p.Combined()
		p.Name += string(rune('a' + k))
		probtest.Run(t, p)
	}
}

// The one constraint is at every point the largest of the m, and its subgradient that of the
// first of them; losses are the same, and facts but two. Where constraints are fixed, it is its own
// expectation, if the stream knows its own; else none is known.
func TestCombinedConstraintIsTheLargest(t *testing.T) {
	for _, p := range constrainedProblems() {
		start := func(p problems.Problem) problems.Stream {
			s, err := p.New(p.Params, rand.New(rand.NewPCG(5, 6)))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		one, all := start(p.Combined()), start(p)
		if one.Constraints() != 1 || all.Constraints() < 2 {
			t.Errorf("%s: %d constraints, of %d", p.Name, one.Constraints(), all.Constraints())
		}
		want := all.Facts()
		want.Affine, want.Perturbed = false, want.Perturbed && want.Fixed
		if one.Facts() != want {
			t.Errorf("%s: the facts are %+v, want %+v", p.Name, one.Facts(), want)
		}
		mean := one.(problems.Expecter).Expectation()
		bare := p
		bare.New = func(any, *rand.Rand) (problems.Stream, error) {
			return struct{ problems.Stream }{start(p)}, nil
		}
		if none := start(bare.Combined()).(problems.Expecter).Expectation(); none != nil ||
			len(mean) != 0 && len(mean) != 1 || (len(mean) == 1) != want.Fixed {
			t.Fatalf("%s: the expectations are %v, and %v of a stream without", p.Name, mean, none)
		}
		rng := rand.New(rand.NewPCG(7, 8))
		n := one.Set().Dim()
		x, got, first := make([]float64, n), make([]float64, n), make([]float64, n)
		bases := make(map[convex.Func]bool)
		for round := 1; round <= 100; round++ {
			for i := range x {
				x[i] = 2*rng.Float64() - 1
			}
			r, pieces := one.Reveal(round, nil), all.Reveal(round, nil)
			if a, b := r.Loss.Value(x), pieces.Loss.Value(x); a != b || len(r.Constraints) != 1 {
				t.Fatalf("%s, round %d: %d constraints, the loss is %v and not %v", p.Name, round,
					len(r.Constraints), a, b)
			}
			bases[r.Constraints[0]] = true
			largest := 0
			for j, g := range pieces.Constraints {
				if convex.Lower(g, n).Value(x) > convex.Lower(pieces.Constraints[largest], n).Value(x) {
					largest = j
				}
			}
			g := convex.Lower(pieces.Constraints[largest], n)
			g.Subgrad(first, x)
			for _, f := range append(mean, r.Constraints[0]) {
				f.Subgrad(got, x)
				if v := f.Value(x); v != g.Value(x) || !slices.Equal(got, first) {
					t.Fatalf("%s, round %d: %v with the slope %v, want %v with %v", p.Name, round, v, got,
						g.Value(x), first)
				}
			}
		}
		if want.Fixed != (len(bases) == 1) {
			t.Errorf("%s: fixed is %v, and there are %d functions", p.Name, want.Fixed, len(bases))
		}
	}
}
