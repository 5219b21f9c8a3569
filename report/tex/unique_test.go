package tex

import (
	"slices"
	"testing"
)

// No two names are equal, and a text has the same name whatever the order of the texts.
func TestUniqueNamesIgnoreTheOrder(t *testing.T) {
	for _, c := range []struct {
		name                string
		texts, names, wants []string
	}{
		{"all differ", []string{"a", "b"}, []string{"x", "y"}, []string{"x", "y"}},
		{"two are equal", []string{"b", "a"}, []string{"x", "x"}, []string{"x-2", "x"}},
		{"a name is that of a suffix", []string{"a", "b", "c"}, []string{"x", "x", "x-2"},
			[]string{"x", "x-2", "x-2-2"}},
		{"no names", []string{"a", "b", "c"}, []string{"", "", ""}, []string{"", "-2", "-3"}},
		{"equal texts", []string{"a", "a"}, []string{"x", "x"}, []string{"x", "x-2"}},
		{"nothing", nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Unique(c.texts, c.names, Numbered); !slices.Equal(got, c.wants) {
				t.Errorf("the names are %q, want %q", got, c.wants)
			}
			if slices.Equal(c.texts, []string{"a", "a"}) {
				return // which of the two is first decides
			}
			texts, names, wants := slices.Clone(c.texts), slices.Clone(c.names), slices.Clone(c.wants)
			slices.Reverse(texts)
			slices.Reverse(names)
			slices.Reverse(wants)
			if got := Unique(texts, names, Numbered); !slices.Equal(got, wants) {
				t.Errorf("in the other order the names are %q, want %q", got, wants)
			}
		})
	}
}
