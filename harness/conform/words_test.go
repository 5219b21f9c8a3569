package conform

import (
	"regexp"
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/problems"
	"ocobench/problems/probtest"
)

// The texts of laws that are shown to authors of other programs name nothing of Go.
func TestLawsOfProgramsHaveNoNamesOfGo(t *testing.T) {
	nameOfGo := regexp.MustCompile(`\b(Act|Observe|New|Reveal|Draws|Anytime|Bound|Value|nil|rng|Go|` +
		`[a-z]+\.[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|(Declare|if|fact|unless) [A-Z]\w+)\b`)
	check := func(name, doc, remedy string) {
		l := inProgramWords(Law{Name: name, Doc: doc, Remedy: remedy})
		for _, text := range []string{l.Doc, l.Remedy} {
			if found := nameOfGo.FindString(text); found != "" {
				t.Errorf("%s: got the name of Go %q in %q, want words of the protocol", name, found, text)
			}
		}
	}
	a := algorithms.Algorithm{Name: "mine", Fingerprint: "0123"}
	for _, l := range algtest.Laws {
		if l.Skip == nil || l.Skip(a) == "" || l.Name == "bounds" || l.Name == "reaction" {
			check(l.Name, l.Doc, l.Remedy)
		}
	}
	p := problems.Problem{Name: "mine", Fingerprint: "0123"}
	ofGo := map[string]bool{"fingerprint": true, "forms": true, "seeds": true, "untouchable": true,
		"allocations": true}
	for _, l := range probtest.Laws {
		if l.Skip != nil && ofGo[l.Name] {
			if l.Skip(p) == "" {
				t.Errorf("%s applies to a program, want it skipped", l.Name)
			}
			continue
		}
		check(l.Name, l.Doc, l.Remedy)
	}
}

// The words are those of programs only where the entry is from a flag.
func TestWordsAreThoseOfTheEntry(t *testing.T) {
	for flag, want := range map[string]string{"": "Reveal", "--external mine=x": "reveal"} {
		e := TestedEntry{Laws: []Law{{Doc: "Reveal"}}}.inWordsFor(flag)
		if got := e.Laws[0].Doc; got != want {
			t.Errorf("with the flag %q the law is %q, want %q", flag, got, want)
		}
	}
}
