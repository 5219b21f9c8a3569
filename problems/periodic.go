package problems

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ocobench/convex/vec"
)

var periodic = Problem{
	Name:  "periodic",
	Title: "Periodic constraints",
	Doc:   "each constraint repeats one random pattern of K functions",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Families Of " +
		"Constraints, with frequencies that converge as 1/t",
	Definition: slices.Concat(spaceDefinition, familiesDefinition, []string{
		"A pattern $k_1, …, k_P$, $P = period$, is drawn once for each constraint: each function " +
			"once and uniform draws in the other places, in a random order. In round $t$, $k = k_i$ " +
			"with $i = 1 + ((t − 1) mod P)$; $p_k$ is the frequency of $k$ in the pattern.",
	}, lossesDefinition),
	Version: 1,
	Params: PeriodicParams{
		Space:    Space{Dim: 2, Set: "box", Radius: 1},
		Families: familiesDefaults,
		Period:   10,
		Losses:   Losses{LossNoise: 1},
	},
	New: Typed(newPeriodic),
}

// PeriodicParams are the parameters of periodic. Frequencies are exact whenever P divides t, and
// off by less than P/t otherwise.
//
// The paper has function k in the rounds n·T_k. A pattern is drawn instead,
// because this may give two functions in one round and none in another.
type PeriodicParams struct {
	Space
	Families
	Period int `name:"period" doc:"length P of the pattern, which has each function at least once" min:"2" max:"1000000"`
	Losses
}

// Validate implements the check across parameters of package spec.
func (p PeriodicParams) Validate() error {
	if p.Period < p.Functions {
		return fmt.Errorf("a pattern of period %d is too short for %d functions: raise period or lower "+
			"functions", p.Period, p.Functions)
	}
	if err := p.Space.Validate(); err != nil {
		return err
	}
	return p.Families.validate()
}

// newPeriodic draws the families and a pattern for each of them, and returns the stream at round 1.
func newPeriodic(p PeriodicParams, rng *rand.Rand) (Stream, error) {
	s, err := newFamilyStream(p.Families, p.Space, p.Losses, func() familyLaw {
		pattern, freq := make([]int, p.Period), make([]float64, p.Functions)
		for i := range pattern {
			k := i
			if i >= p.Functions {
				k = rng.IntN(p.Functions)
			}
			pattern[i] = k
			freq[k]++
		}
		rng.Shuffle(len(pattern), func(i, j int) { pattern[i], pattern[j] = pattern[j], pattern[i] })
		vec.Scale(freq, 1/float64(p.Period))
		return familyLaw{freq, func(t int) int { return pattern[(t-1)%len(pattern)] }}
	}, rng)
	if err != nil {
		return nil, err
	}
	s.Declared.IID = s.Declared.Fixed
	return s, nil
}
