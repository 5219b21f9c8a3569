package report

import (
	"regexp"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
)

// distinct wants names of letters that differ.
func distinct(t *testing.T, all []macro) {
	t.Helper()
	name := regexp.MustCompile(`^oco[A-Za-z]+$`)
	seen := make(map[string]string)
	for _, m := range all {
		if !name.MatchString(m.name) {
			t.Errorf("got name %q, want letters only", m.name)
		}
		if seen[m.name] != "" {
			t.Errorf("\\%s: got it for %s and %s, want one", m.name, seen[m.name], m.comment)
		}
		seen[m.name] = m.comment
	}
}

// A label that has letters is the part of its entry, and others have the name.
func TestMacroPartsAreOfLabels(t *testing.T) {
	labelled := func(spec, label string) experiment.Entry {
		return experiment.Entry{Spec: spec, Name: "ogd", Label: label}
	}
	got := macroParts([]analysis.Algorithm{labelled("ogd", ""), labelled("ogd:step=2", "Ours, fast"),
		labelled("ogd:step=3", "λ")})
	for spec, want := range map[string]string{"ogd": "Ogd", "ogd:step=2": "OursFast",
		"ogd:step=3": "OgdB"} {
		t.Run(spec, func(t *testing.T) {
			if got[spec] != want {
				t.Errorf("with labels %s is %s, want %s", spec, got[spec], want)
			}
		})
	}
	for name, want := range map[string]string{"a-b": "AB", "a_b": "AUnderscoreB"} {
		t.Run(name, func(t *testing.T) {
			if got := experimentLetters(name); got != want {
				t.Errorf("the experiment %s is written as %s, want %s", name, got, want)
			}
		})
	}
	for s, want := range map[string]string{
		"-0.5": "MinusZeroPointFive", "1e-3": "OneEMinusThree", "soft-gap": "SoftGap", "10": "OneZero",
		"é": "", "drift": "Drift", "case-2": "CaseTwo",
	} {
		t.Run(s, func(t *testing.T) {
			if got := Letters(s); got != want {
				t.Errorf("%q is written as %q, want %q", s, got, want)
			}
		})
	}
}
