package report

import (
	"regexp"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/report/tex"
)

// The names of macros have letters only, and all are different, for entries too whose
// names have the same letters.
func TestMacroNamesAreLettersAndDistinct(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: a-1\nhorizon: 200\nreplicates: 3\n"+
		"problems: [{use: decaying-frequency, c: [0.5, 1]}, {use: iid, dim: 1}, {use: iid, dim: 11}]\n"+
		"algorithms: [{use: penalised-ftrl}, {use: primal-dual, step: [1, 1e-3]}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	of := newView(a)
	all := numberMacros(of, of.metrics)
	distinct(t, all)
	for name, want := range map[string]string{
		"ocoAOneHorizon":    "200",
		"ocoAOneReplicates": "3",
		"ocoAOnePenalisedFtrlDecayingFrequencyCZeroPointFiveSoftFinal":      "",
		"ocoAOnePrimalDualStepZeroPointZeroZeroOneIidDimOneOneHardFinal":    "",
		"ocoAOnePrimalDualStepOneIidDimOneRegretXhatAtOneZeroZeroHalf":      "",
		"ocoAOnePenalisedFtrlDecayingFrequencyCOneRegretXhatClaim":          "0.5",
		"ocoAOnePenalisedFtrlClaimPenaltyAtMost":                            "",
		"ocoAOnePrimalDualStepOneDecayingFrequencyCZeroPointFiveSignedHalf": "absent",
	} {
		found := ""
		for _, m := range all {
			if m.name == name {
				found = m.value
			}
		}
		if want == "absent" && found != "" || want != "absent" && found == "" ||
			want != "" && want != "absent" && found != want {
			t.Errorf("\\%s is %q, want %q", name, found, want)
		}
	}
	p := a.Pair("penalised-ftrl", "decaying-frequency:c=1")
	for _, m := range all {
		if m.name == "ocoAOnePenalisedFtrlDecayingFrequencyCOneSoftFinal" {
			if want := plusMinus(p.Series["violation_soft"].Mean.Last()).Plain; !strings.HasPrefix(want,
				m.value+" ") {
				t.Errorf("the final value is %s, and the table has %s", m.value, want)
			}
		}
	}
	var text strings.Builder
	if err := WriteMacros(&text, of, of.metrics); err != nil ||
		strings.Count(text.String(), "\n") != len(all)+1 {
		t.Errorf("%d macros take %d lines, error %v", len(all), strings.Count(text.String(), "\n"), err)
	}
}

func distinct(t *testing.T, all []macro) {
	t.Helper()
	name := regexp.MustCompile(`^oco[A-Za-z]+$`)
	seen := make(map[string]string)
	for _, m := range all {
		if !name.MatchString(m.name) {
			t.Errorf("%q is not of letters", m.name)
		}
		if seen[m.name] != "" {
			t.Errorf("\\%s is %s, and %s", m.name, seen[m.name], m.doc)
		}
		seen[m.name] = m.doc
	}
}

// Entries whose names have the same letters have different parts, the same in every run.
func TestMacroPartsAreDistinctAndStable(t *testing.T) {
	e := func(spec, name string) experiment.Entry { return experiment.Entry{Spec: spec, Name: name} }
	got := macroParts([]analysis.Algorithm{
		e("a-b", "a-b"), e("a_b", "a_b"), e("A-b", "A-b"), e("a.b", "a.b"), e("a1", "a1"),
		e("aOne", "aOne"),
	})
	for spec, want := range map[string]string{
		"a-b": "ABB", "a_b": "ABC", "A-b": "AB", "a.b": "APointB", "a1": "AOne", "aOne": "AOneB",
	} {
		if got[spec] != want {
			t.Errorf("%s is %s, want %s", spec, got[spec], want)
		}
	}
	labelled := func(spec, label string) experiment.Entry {
		return experiment.Entry{Spec: spec, Name: "ogd", Label: label}
	}
	got = macroParts([]analysis.Algorithm{labelled("ogd", ""), labelled("ogd:step=2", "Ours, fast"),
		labelled("ogd:step=3", "λ")})
	for spec, want := range map[string]string{"ogd": "Ogd", "ogd:step=2": "OursFast",
		"ogd:step=3": "OgdB"} {
		if got[spec] != want {
			t.Errorf("with labels %s is %s, want %s", spec, got[spec], want)
		}
	}
	for name, want := range map[string]string{"a-b": "AB", "a_b": "AUnderscoreB"} {
		if got := experimentLetters(name); got != want {
			t.Errorf("the experiment %s is written as %s, want %s", name, got, want)
		}
	}
	texts, used := make([]string, 100), make(map[string]bool)
	for _, name := range tex.Unique(texts, texts, letterSuffix) {
		used[name] = true
	}
	if len(used) != 100 {
		t.Errorf("100 names gave %d", len(used))
	}
	for s, want := range map[string]string{
		"-0.5": "MinusZeroPointFive", "1e-3": "OneEMinusThree", "soft-gap": "SoftGap", "10": "OneZero",
		"é": "", "drift": "Drift", "case-2": "CaseTwo",
	} {
		if got := Letters(s); got != want {
			t.Errorf("%q is written as %q, want %q", s, got, want)
		}
	}
}
