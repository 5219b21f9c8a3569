package diagnosis

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// Every word and every field of theory.yaml is known, every word is asked for, and what a
// theorem needs is judged before it.
func TestTheory(t *testing.T) {
	s := &subject{Diagnosis: &Diagnosis{}, slater: &Slater{}, growth: &Growth{}}
	known, fill := s.words(), s.fields()
	unused, field := maps.Clone(known), regexp.MustCompile(`\{[^}]*\}`)
	var check func(name string, cases []clause)
	check = func(name string, cases []clause) {
		for _, c := range cases {
			for _, w := range c.When {
				if _, ok := known[w]; !ok {
					t.Errorf("%s: the word %q is not known", name, w)
				}
				delete(unused, w)
			}
			for _, text := range []string{c.Say, c.Brief} {
				for _, f := range field.FindAllString(fill.Replace(text), -1) {
					if !slices.Contains([]string{"{brief}", "{i,j}", "{τ+1}"}, f) {
						t.Errorf("%s: the field %s is not known", name, f)
					}
				}
			}
			check(name, c.Also)
		}
	}
	var before []string
	for _, p := range theory() {
		check(p.Name, p.Cases)
		check(p.Name, p.Lacking)
		if n := len(p.Cases); n == 0 || p.Cases[n-1].When != nil {
			t.Errorf("%s: the last case is not one for all others", p.Name)
		}
		for _, need := range p.Needs {
			if need = regexp.MustCompile(` of .*`).ReplaceAllString(need, ""); !slices.Contains(before,
				need) {
				t.Errorf("%s needs %q, which is not judged before", p.Name, need)
			}
		}
		before = append(before, p.Name)
	}
	if len(unused) > 0 {
		t.Errorf("nothing asks for %q", slices.Sorted(maps.Keys(unused)))
	}
}
