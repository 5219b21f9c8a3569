package claims

import (
	"io/fs"
	"strings"
	"testing"
)

// The registry has the claims in the order of their numbers, and every file of texts.
func TestRegistryHasEveryFileInOrder(t *testing.T) {
	listed := make(map[string]bool)
	for k, c := range All() {
		listed[fileOf(c.Name)] = true
		if c.Number != k+1 {
			t.Errorf("%s: got number %d, want %d as in the registry", c.Name, c.Number, k+1)
		}
	}
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !listed[name] {
			t.Errorf("%s: got no claim of the registry, want one", name)
		}
	}
	if c, ok := Lookup("sets-nested"); !ok || c.Number != 2 {
		t.Errorf("sets-nested: got claim %v, want the second", c)
	}
	if _, ok := Lookup("sets"); ok {
		t.Error("got a claim sets, want none")
	}
}

// A file that lacks a key, has one too many, or has other checks than Go is refused. TeX
// needs no escapes.
func TestParseRefusesWhatDiffersFromGo(t *testing.T) {
	const good = `number: 7
place: §4.2
statement: >-
  It is: $\frac{1}{t}\sum_i
  g_i \le 0$ # "always".
cost: nothing
checks:
  - name: look
    role: stated
    what: $t=1$
`
	run := checks{"look": func(*Lab) (Finding, error) { return Finding{}, nil }}
	c, err := parseClaim("it-is", []byte(good), run)
	if err != nil {
		t.Fatal(err)
	}
	if want := `It is: $\frac{1}{t}\sum_i g_i \le 0$ # "always".`; string(c.Statement) != want ||
		c.Number != 7 || c.Checks[0].Run == nil {
		t.Errorf("read %+v, want the statement %s", c, want)
	}
	again := good + strings.TrimPrefix(good[strings.Index(good, "  - "):], "checks:\n")
	for what, text := range map[string]string{
		"unknown field":                      good + "proved: yes\n",
		"number, place, statement and cost":  strings.Replace(good, "place: §4.2\n", "", 1),
		"is none of those in Go, or":         strings.Replace(good, "look", "see", 1),
		`check 2, "look", is none`:           again,
		`has the role "told"`:                strings.Replace(good, "stated", "told", 1),
		"does not say what it looks at":      strings.Replace(good, "    what: $t=1$\n", "", 1),
		"0 checks, and in Go 1":              good[:strings.Index(good, "checks:")],
		`cannot unmarshal string into Go st`: strings.Replace(good, "7", "seven", 1),
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := parseClaim("it-is", []byte(text), run); err == nil ||
				!strings.Contains(err.Error(), what) || !strings.HasPrefix(err.Error(), "it_is.yaml: ") {
				t.Errorf("error %v, want one of it_is.yaml with %q", err, what)
			}
		})
	}
}
