package external

import (
	"reflect"
	"strings"
	"testing"
)

// A declaration is the same if its members have the same values, in any order, whether or not this
// package knows them. The instance is no part of it.
func TestDeclarationsAreTheSame(t *testing.T) {
	const of = `{"protocol":1,"name":"a",` +
		`"parameters":[{"name":"c","type":"number","default":1}],"x":{"y":1,"z":2}}`
	for _, c := range []struct {
		name, text string
		same       bool
	}{
		{"another order", `{"x":{"z":2,"y":1},` +
			`"parameters":[{"default":1,"type":"number","name":"c"}],"name":"a","protocol":1}`, true},
		{"an instance", `{"instance":{"domain":1},` + of[1:], true},
		{"the default written out", `{"role":"learner",` + of[1:], true},
		{"another version", `{"version":2,` + of[1:], false},
		{"one more unknown member", `{"w":0,` + of[1:], false},
		{"another default", strings.Replace(of, `"default":1`, `"default":2`, 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, _, err := decodeDeclaration([]byte(of))
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := decodeDeclaration([]byte(c.text))
			if err != nil || reflect.DeepEqual(got, want) != c.same {
				t.Errorf("%+v and %+v: the same is %t, want %t, error %v", got, want, !c.same, c.same, err)
			}
		})
	}
}
