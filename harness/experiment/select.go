package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
)

// A user chooses by SPECs, names or labels which recorded results a verb shows. A SPEC may be
// written in another way than in the record. A name stands for all entries of that name.

// ChosenAlgorithms returns the SPECs of the recorded algorithms that uses choose, each a SPEC, a
// name or a label. No uses choose all. It is an error if one of them chooses nothing.
func (c Catalog) ChosenAlgorithms(uses []string, recorded []Entry) (map[string]bool, error) {
	specOf := func(a Algorithm) string { return a.Spec }
	return chooseEntries("algorithm", uses, recorded, c.AlgorithmSpec, c.ResolveAlgorithms, specOf)
}

// ChosenProblems returns the SPECs of the recorded problems that uses choose, each a SPEC, a name
// or a label. No uses choose all. It is an error if one of them chooses nothing.
func (c Catalog) ChosenProblems(uses []string, recorded []Entry) (map[string]bool, error) {
	specOf := func(a Problem) string { return a.Spec }
	return chooseEntries("problem", uses, recorded, c.ProblemSpec, c.ResolveProblems, specOf)
}

// chooseEntries returns the SPECs of the entries that uses choose. Resolve returns what a use
// stands for, and canonical makes SPECs comparable.
func chooseEntries[T any](
	kind string, uses []string, recorded []Entry, canonical func(string) string,
	resolve func(spec.Use) ([]T, error), specOf func(T) string,
) (map[string]bool, error) {
	chosen := make(map[string]bool)
	var specs []string
	for _, e := range recorded {
		if !slices.Contains(specs, e.Spec) {
			specs = append(specs, e.Spec)
		}
		if len(uses) == 0 {
			chosen[e.Spec] = true
		}
	}
	for _, text := range splitAtLabels(uses, recorded) {
		found := false
		for _, e := range recorded {
			if e.Label != "" && e.Label == text {
				chosen[e.Spec], found = true, true
			}
		}
		if found {
			continue
		}
		u, err := spec.ParseSpec(text)
		if err != nil {
			return nil, err
		}
		var wanted []string
		resolved, _ := resolve(u) // an error means that the text can only be a recorded name or SPEC
		for _, configured := range resolved {
			wanted = append(wanted, canonical(specOf(configured)))
		}
		for _, e := range recorded {
			if e.Name == u.Name && len(u.Args) == 0 || slices.Contains(wanted, canonical(e.Spec)) ||
				e.Spec == text {
				chosen[e.Spec], found = true, true
			}
		}
		if !found {
			return nil, spec.Unknown(kind, text, specs, spec.Pos{})
		}
	}
	return chosen, nil
}

// splitAtLabels returns the texts with those in parts that are a list of labels and SPECs with
// commas between them. A label may have commas itself: of several that fit the longest is meant.
func splitAtLabels(texts []string, recorded []Entry) (parts []string) {
	isLabel := func(text string) bool {
		return slices.ContainsFunc(recorded,
			func(e Entry) bool { return e.Label != "" && e.Label == text })
	}
	for _, text := range texts {
		pieces := strings.Split(text, ",")
		var written []string // pieces of SPECs
		endSpecs := func() {
			if joined := strings.Join(written, ","); joined != "" {
				if _, specs, err := spec.ParseSpecs(joined); err == nil {
					parts = append(parts, specs...)
				} else {
					parts = append(parts, joined)
				}
			}
			written = nil
		}
		for len(pieces) > 0 {
			n := len(pieces)
			for n > 0 && !isLabel(strings.TrimSpace(strings.Join(pieces[:n], ","))) {
				n--
			}
			if n == 0 {
				written, pieces = append(written, pieces[0]), pieces[1:]
				continue
			}
			endSpecs()
			parts = append(parts, strings.TrimSpace(strings.Join(pieces[:n], ",")))
			pieces = pieces[n:]
		}
		endSpecs()
	}
	return parts
}

// ChosenAlgorithm returns the SPEC of the recorded algorithm that a SPEC stands for.
// Of a name that the program does not have, such as that of another program, it is the SPEC as
// it was recorded, or the only one of the name.
func (c Catalog) ChosenAlgorithm(text string, r Record) (string, error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return "", err
	}
	one, err := One(u, c.ResolveAlgorithms)
	known := slices.ContainsFunc(c.Algorithms, func(a algorithms.Algorithm) bool {
		return a.Name == u.Name
	})
	var specs, named []string
	for _, e := range r.Algorithms {
		specs = append(specs, e.Spec)
		if e.Name == u.Name {
			named = append(named, e.Spec)
		}
		if known && err == nil && c.AlgorithmSpec(e.Spec) == c.AlgorithmSpec(one.Spec) ||
			!known && e.Spec == text {
			return e.Spec, nil
		}
	}
	switch {
	case !known && len(named) == 1 && len(u.Args) == 0:
		return named[0], nil
	case err != nil && (known || len(named) == 0):
		return "", err
	}
	return "", fmt.Errorf("%s is not in experiment %s (expected one of %s)", text, r.Name,
		strings.Join(specs, "; "))
}

// NamedAlgorithm returns the SPEC of the recorded algorithm that a text names: a SPEC, a label,
// or a name that only one algorithm has. The error says which there are.
func (c Catalog) NamedAlgorithm(text string, r Record) (string, error) {
	var named []string
	for _, e := range r.Algorithms {
		if e.Label == text || e.Spec == text {
			return e.Spec, nil
		}
		if e.Name == text {
			named = append(named, e.Spec)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	chosen, err := c.ChosenAlgorithm(text, r)
	if err != nil && len(named) > 1 {
		err = fmt.Errorf("%s is the name of %d algorithms; write the SPEC of one: %s", text, len(named),
			strings.Join(named, "; "))
	}
	return chosen, err
}
