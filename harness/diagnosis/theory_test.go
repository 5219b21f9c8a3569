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

// Each field shows its own number, and – where there is none. One round is shown without its
// number.
func TestFieldsByHand(t *testing.T) {
	v := make([]float64, 20)
	for k := range v {
		v[k] = float64(k + 10)
	}
	count, least := 41, 42
	s := &subject{Diagnosis: &Diagnosis{Constraints: 51,
		Gamma:       Gamma{Used: 10, Sufficient: &v[1], Limit: &v[2], Effective: &v[3]},
		Convergence: Convergence{Exponent: Exponent{Value: &v[4], Lower: &v[5], Upper: &v[6]}},
		Penalties:   []Exponent{{Verdict: Open}, {Value: &v[7]}, {Value: &v[8]}, {Verdict: Open}},
	}, slater: &Slater{Limit: &v[9], Eta: &v[10], Other: &v[11], Round: &v[12], Exponent: &v[13],
		Constraint: 43, Burn: 44}, growth: &Growth{Count: &count, Lower: &least, Exponent: &v[14],
		Beta: &v[15], From: 45, Epsilon: &v[16]}, plus: []int{1, 2, 3}}
	none := &subject{Diagnosis: &Diagnosis{
		Convergence: Convergence{Exponent: Exponent{Value: &v[4], Lower: &v[5]}},
	}, slater: &Slater{Burn: 1}, growth: &Growth{}}
	for field, want := range map[string][2]string{
		"{γ}": {"10", "0"}, "{enough}": {"11", "–"}, "{γ_T}": {"12", "–"}, "{multiplier}": {"13", "–"},
		"{rate}": {"14.00 [15.00, 16.00]", "14.00"}, "{penalty}": {"18.00", "?"}, "{open}": {"4", "0"},
		"{limit}": {"19", "–"}, "{η}": {"20", "–"}, "{other}": {"21", "–"}, "{round}": {"22", "–"},
		"{margin}": {"23.00", "–"}, "{j}": {"43", "0"}, "{t_ε}": {"45", "2"}, "{first}": {"44", ""},
		"{k}": {"41", "–"}, "{least}": {"42", "–"}, "{p}": {"24.00", "–"}, "{β}": {"25", "–"},
		"{from}": {"45", "0"}, "{ε}": {"26", "–"}, "{m}": {"51", "0"}, "{left}": {"48", "0"},
	} {
		for k, s := range []*subject{s, none} {
			got := s.fields().Replace(field)
			if field == "{first}" { // and not the word
				got = regexp.MustCompile(`\D`).ReplaceAllString(got, "")
			}
			if got != want[k] {
				t.Errorf("%s is %q, want %q", field, got, want[k])
			}
		}
	}
}
