package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
)

// A user selects recorded entries by texts. A text is a label; or a SPEC, which may be written in
// another way than in the record; or a name, which stands for all entries of that name. One text
// may list several with commas between them.

// ChosenAlgorithms returns the SPECs of the recorded algorithms that texts select. No texts select
// all. It is an error if one of them selects nothing.
func (c Catalog) ChosenAlgorithms(texts []string, recorded []Entry) (map[string]bool, error) {
	return algorithmKind.selectEntries(texts, recorded, c.Algorithms)
}

// ChosenProblems returns the SPECs of the recorded problems that texts select. No texts select all.
// It is an error if one of them selects nothing.
func (c Catalog) ChosenProblems(texts []string, recorded []Entry) (map[string]bool, error) {
	return problemKind.selectEntries(texts, recorded, c.Problems)
}

// NamedAlgorithm returns the SPEC of the recorded algorithm that a text selects: by its label, its
// SPEC, or a name that only one algorithm has. The error says which there are.
func (c Catalog) NamedAlgorithm(text string, r Record) (string, error) {
	exact, named, err := algorithmKind.matchText(text, r.Algorithms, c.Algorithms)
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return "", fmt.Errorf("%s is the name of %d algorithms; write the SPEC of one: %s", text,
			len(named), strings.Join(named, "; "))
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("%s is not in experiment %s (expected one of %s)", text, r.Name,
		strings.Join(specsOf(r.Algorithms), "; "))
}

// selectEntries returns the SPECs of the recorded entries that texts select.
func (k entryKind[E]) selectEntries(texts []string, recorded []Entry, registry []E) (
	map[string]bool, error) {
	parts, err := splitAtLabels(texts, recorded)
	if err != nil {
		return nil, err
	}
	var selected []string
	if len(texts) == 0 {
		selected = specsOf(recorded)
	}
	for _, text := range parts {
		// A text that the registry does not know can still be a recorded name or SPEC.
		exact, named, _ := k.matchText(text, recorded, registry)
		if exact == nil && named == nil {
			return nil, spec.Unknown(k.name, text, specsOf(recorded), spec.Pos{})
		}
		selected = slices.Concat(selected, exact, named)
	}
	isSelected := make(map[string]bool)
	for _, text := range selected {
		isSelected[text] = true
	}
	return isSelected, nil
}

// matchText returns the SPECs of the recorded entries that one text stands for: exact lists the
// entries with this label or, if there are none, with this SPEC; named lists those with this name.
// The error says why the text is not one entry of the registry; recorded entries may match all the
// same.
func (k entryKind[E]) matchText(text string, recorded []Entry, registry []E) (exact, named []string,
	err error) {
	for _, e := range recorded {
		if e.Label != "" && e.Label == text {
			exact = append(exact, e.Spec)
		}
	}
	if exact != nil {
		return exact, nil, nil
	}
	u, err := spec.ParseSpec(text)
	if err != nil {
		return nil, nil, err
	}
	resolved, err := k.resolveUse(u, registry)
	if len(resolved) > 1 {
		err = sweptError(u, len(resolved))
	}
	isWanted := make(map[string]bool) // by SPEC without defaults
	for _, c := range resolved {
		isWanted[k.canonicalSpec(c.Spec, registry)] = true
	}
	for _, e := range recorded {
		switch {
		case e.Spec == text || isWanted[k.canonicalSpec(e.Spec, registry)]:
			exact = append(exact, e.Spec)
		case e.Name == u.Name && len(u.Args) == 0:
			named = append(named, e.Spec)
		}
	}
	return exact, named, err
}

// specsOf returns the SPECs of entries, each once.
func specsOf(entries []Entry) (specs []string) {
	for _, e := range entries {
		if !slices.Contains(specs, e.Spec) {
			specs = append(specs, e.Spec)
		}
	}
	return specs
}

// splitAtLabels splits texts that list labels and SPECs with commas between them. A label may have
// commas itself: where several fit, the longest is meant.
func splitAtLabels(texts []string, recorded []Entry) (parts []string, err error) {
	isLabel := func(text string) bool {
		return slices.ContainsFunc(recorded,
			func(e Entry) bool { return e.Label != "" && e.Label == text })
	}
	for _, text := range texts {
		pieces := strings.Split(text, ",")
		var written []string // the pieces of SPECs since the last label
		endSpecs := func() {
			if joined := strings.Join(written, ","); joined != "" && err == nil {
				var specs []string
				_, specs, err = spec.ParseSpecs(joined)
				parts = append(parts, specs...)
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
	return parts, err
}
