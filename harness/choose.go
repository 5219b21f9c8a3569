package harness

import (
	"slices"

	"ocobench/harness/spec"
)

// A user chooses by SPECs or names which recorded results a verb shows. A SPEC may be
// written in another way than in the record. A name stands for all entrants of that name.

// ChosenAlgorithms returns the SPECs of the algorithms that some SPECs of a user choose:
// all of them where there are none. It is an error if one of them chooses nothing.
func (c Catalog) ChosenAlgorithms(uses []string, of []Entrant) (map[string]bool, error) {
	return chosen("algorithm", uses, of, c.AlgorithmSpec, func(u spec.Use) (specs []string) {
		found, _ := c.Contenders(u)
		for _, one := range found {
			specs = append(specs, one.Spec)
		}
		return specs
	})
}

// ChosenProblems is [Catalog.ChosenAlgorithms] for problems.
func (c Catalog) ChosenProblems(uses []string, of []Entrant) (map[string]bool, error) {
	return chosen("problem", uses, of, c.ProblemSpec, func(u spec.Use) (specs []string) {
		found, _ := c.Arenas(u)
		for _, one := range found {
			specs = append(specs, one.Spec)
		}
		return specs
	})
}

// chosen returns the SPECs of the entrants that uses choose. Resolve returns the SPECs that
// a use stands for, which canonical makes comparable.
func chosen(kind string, uses []string, entrants []Entrant, canonical func(string) string, resolve func(spec.Use) []string) (map[string]bool, error) {
	is := make(map[string]bool)
	var specs []string
	for _, e := range entrants {
		if !slices.Contains(specs, e.Spec) {
			specs = append(specs, e.Spec)
		}
		if len(uses) == 0 {
			is[e.Spec] = true
		}
	}
	for _, text := range uses {
		u, err := spec.ParseSpec(text)
		if err != nil {
			return nil, err
		}
		wanted, found := resolve(u), false
		for i := range wanted {
			wanted[i] = canonical(wanted[i])
		}
		for _, e := range entrants {
			if e.Name == u.Name && len(u.Args) == 0 || slices.Contains(wanted, canonical(e.Spec)) || e.Spec == text {
				is[e.Spec], found = true, true
			}
		}
		if !found {
			return nil, spec.Unknown(kind, text, specs, spec.Pos{})
		}
	}
	return is, nil
}

// Only returns the part of results that has these algorithms and problems, by their SPECs.
func (r *Results) Only(algorithms, problems map[string]bool) *Results {
	part := *r
	part.Algorithms = entrantsOf(r.Algorithms, algorithms)
	part.Problems = entrantsOf(r.Problems, problems)
	part.Games = nil
	for _, g := range r.Games {
		if algorithms[g.Algorithm] && problems[g.Problem] {
			part.Games = append(part.Games, g)
		}
	}
	return &part
}

func entrantsOf(all []Entrant, chosen map[string]bool) (some []Entrant) {
	for _, e := range all {
		if chosen[e.Spec] {
			some = append(some, e)
		}
	}
	return some
}

// Specs returns the SPECs of the algorithms and of the problems.
func (r *Results) Specs() (algorithms, problems []string) {
	for _, a := range r.Algorithms {
		algorithms = append(algorithms, a.Spec)
	}
	for _, p := range r.Problems {
		problems = append(problems, p.Spec)
	}
	return algorithms, problems
}
