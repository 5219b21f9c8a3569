package spec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ocobench/internal/errtest"
)

const whole = `# growth over the frequency of constraint changes
name: frequency
description: |
  Regret and violation: [both] of them,
  # as c grows.
horizon: [1e3, 3162, 10000]   # an across-T sweep
replicates: 20
seed: 18446744073709551615
window: 1.5
confidence: 0.9
problems:   [{use: decaying-frequency, c: [0.5, 0.6]}]
algorithms:
  - use: ftrl
    gamma: [25, adaptive]
    penalty: [average, "per-round"]
  - {use: trace, file: "a:b, c.jsonl"}
`

func TestExperimentFileIsParsed(t *testing.T) {
	e, err := Parse("frequency.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	scalar := func(texts ...string) (vs []Value) {
		for _, text := range texts {
			vs = append(vs, Value{Text: text})
		}
		return vs
	}
	want := &Experiment{
		Name:        "frequency",
		Description: "Regret and violation: [both] of them,\n# as c grows.\n",
		Horizon:     []int{1000, 3162, 10000},
		Replicates:  20, Seed: 18446744073709551615, Window: 1.5, Confidence: 0.9, Assumptions: "check",
		Problems: []Use{{Name: "decaying-frequency",
			Args: []Arg{{Key: "c", Value: Value{Items: scalar("0.5", "0.6")}}}}},
		Algorithms: []Use{
			{Name: "ftrl", Args: []Arg{
				{Key: "gamma", Value: Value{Items: scalar("25", "adaptive")}},
				{Key: "penalty", Value: Value{Items: scalar("average", "per-round")}}}},
			{Name: "trace", Args: []Arg{{Key: "file", Value: Value{Text: "a:b, c.jsonl"}}}},
		},
	}
	if diff := cmp.Diff(want, e, cmpopts.IgnoreUnexported(Value{}),
		cmpopts.IgnoreTypes(Pos{})); diff != "" {
		t.Error(diff)
	}
}

// An experiment is the same whatever the order of its keys.
func TestOrderOfKeysChangesNothing(t *testing.T) {
	keys := []string{"name: x", "horizon: [10, 20]", "problems: [{use: p}]",
		"algorithms: [{use: a, step: 1}, {use: b}]", "replicates: 3", "seed: 7", "tuned: [{use: a, step: [1, 2]}]",
		"tuning_seed: 5", "feedback: [first-order]", "confidence: 0.9", "assumptions: ignore"}
	parse := func(keys []string) *Experiment {
		e, err := Parse("x.yaml", []byte(strings.Join(keys, "\n")+"\n"))
		if err != nil {
			t.Fatalf("%v in\n%s", err, strings.Join(keys, "\n"))
		}
		return e
	}
	want := parse(keys)
	rng := rand.New(rand.NewPCG(1, 2))
	for first := range keys {
		for range 5 {
			rng.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
			at := slices.Index(keys, slices.Sorted(slices.Values(keys))[first])
			keys[0], keys[at] = keys[at], keys[0]
			if diff := cmp.Diff(want, parse(keys), cmpopts.IgnoreUnexported(Value{}),
				cmpopts.IgnoreTypes(Pos{})); diff != "" {
				t.Fatalf("%s\ngot (+), want (-):\n%s", strings.Join(keys, "\n"), diff)
			}
		}
	}
}

func TestMissingKeysHaveDefaults(t *testing.T) {
	for _, text := range []string{
		"name: x\nhorizon: 10\nproblems: [{use: p}]\nalgorithms: [{use: a}]\n",
		"---\r\nname: 'x'\r\nhorizon: 1e1\r\nproblems:\r\n- use: p\r\nalgorithms: {use: a}\r\n...\r\n",
		"\ufeff{name: x, horizon: [10,], problems: [{use: p}], algorithms: [{use: a}]}",
	} {
		e, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Error(err)
			continue
		}
		want := Defaults()
		want.Name, want.Horizon = "x", []int{10}
		want.Problems, want.Algorithms = []Use{{Name: "p"}}, []Use{{Name: "a"}}
		if diff := cmp.Diff(&want, e, cmpopts.EquateEmpty(), cmpopts.IgnoreTypes(Pos{})); diff != "" {
			t.Error(diff)
		}
	}
	Describe(Defaults()) // panics if a default is refused
}

// A label is a key beside use. It names the swept values too, and comes back from YAML.
func TestLabelNamesSweptValues(t *testing.T) {
	const text = "name: x\nhorizon: 10\nproblems: [{use: p}]\nalgorithms: [{use: ftrl, label: \"a: " +
		"\\\"b\\\"\", dim: [2, 3], gamma: 1}]\n"
	e, err := Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("again.yaml", []byte(e.YAML()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, e.YAML())
	}
	for _, e := range []*Experiment{e, again} {
		uses, err := e.Algorithms[0].Expand(defaultFTRL())
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []string{`a: "b", dim = 2`, `a: "b", dim = 3`} {
			if got := uses[k].Label; got != want {
				t.Errorf("label %q, want %q", got, want)
			}
		}
	}
	for _, bad := range []string{`""`, "[a]", "null", `"a\nb"`, `" a"`, strings.Repeat("x", 61)} {
		_, err := Parse("x.yaml", []byte("name: x\nhorizon: 10\nproblems: [{use: p}]\nalgorithms: "+
			"[{use: ftrl, label: "+bad+"}]\n"))
		errtest.Contains(t, err, "label: found", "label %s", bad)
	}
}

func TestSweepsExpandInOrder(t *testing.T) {
	const text = `
name: x
horizon: 10
problems: [{use: p}]
algorithms:
  - {use: ftrl, penalty: [average, per-round], dim: 3, gamma: [1, adaptive]}
  - {use: ftrl, center: [1, 2]}
  - {use: ftrl, center: [[1, 2], [3], 4]}
  - {use: ftrl, tags: [["1", b]]}
`
	e, err := Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got, written []string
	for _, u := range e.Algorithms {
		uses, err := u.Expand(defaultFTRL())
		if err != nil {
			t.Fatal(err)
		}
		swept := u.Swept(defaultFTRL())
		for _, u := range uses {
			p, err := u.Apply(defaultFTRL())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, Format(u.Name, p, defaultFTRL()))
			written = append(written, Format(u.Name, p, defaultFTRL(), swept...))
		}
	}
	want := []string{
		"ftrl:gamma=1,dim=3",
		"ftrl:gamma=adaptive,dim=3",
		"ftrl:gamma=1,penalty=per-round,dim=3",
		"ftrl:gamma=adaptive,penalty=per-round,dim=3",
		"ftrl:center=[1,2]",
		"ftrl:center=[1,2]",
		"ftrl:center=[3]",
		"ftrl:center=[4]",
		"ftrl:tags=[1,b]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A list is no sweep where the parameter is a list.
	want[0], want[1] = "ftrl:gamma=1,penalty=average,dim=3",
		"ftrl:gamma=adaptive,penalty=average,dim=3"
	if diff := cmp.Diff(want, written); diff != "" {
		t.Errorf("with the swept parameters: got (+), want (-): %s", diff)
	}
}

// refusals lists malformed documents. A ‸ stands before each place that a
// refusal has to name, and is not part of the document. Uses of ftrl are expanded and decoded.
var refusals = []struct{ name, text string }{
	{"empty", "‸"},
	{"only a comment", "‸# nothing\n"},
	{"only a header", "‸---\n"},
	{"scalar document", "‸name\n"},
	{"missing keys", "‸description: x\n"},
	{"unknown key", head + "‸replicate: 3\n"},
	{"unknown key far from any", head + "‸colour: red\n"},
	{"tuned without its seed", head + "‸tuned: [{use: a, step: [1, 2]}]\n"},
	{"tuning seed without a grid", head + "‸tuning_seed: 5\n"},
	{"tuning horizon without a grid", head + "‸tuning_horizon: 5\n"},
	{"tuned by a name", head + "tuned: [‸a]\ntuning_seed: 5\n"},
	{"duplicate key", head + "‸name: y\n"},
	{"duplicate key in use", usesWith("gamma: 3, ‸gamma: 4")},
	{"key that is a number", head + "‸5: y\n"},
	{"key that is null", head + "‸~: y\n"},
	{"key that is a list", head + "[a]‸: y\n"},
	{"complex key", head + "‸? a\n: y\n"},
	{"name with capitals", documentOf("‸Frequency", "10")},
	{"name with a slash", documentOf("‸../x", "10")},
	{"name that is a number", documentOf("‸5", "10")},
	{"name left empty", "name:‸\nhorizon: 10\n" + rest},
	{"horizon of zero", documentOf("x", "‸0")},
	{"horizon not integral", documentOf("x", "‸15e-1")},
	{"octal horizon", documentOf("x", "‸010")},
	{"quoted horizon", documentOf("x", `‸"10"`)},
	{"huge horizon", documentOf("x", "‸1e30")},
	{"empty horizon", documentOf("x", "‸[]")},
	{"horizons repeated", documentOf("x", "[10, ‸1e1]")},
	{"horizons decreasing", documentOf("x", "[10, ‸5]")},
	{"horizons of one round", documentOf("x", "[1, ‸1]")},
	{"a bad horizon among others", documentOf("x", "[10, ‸ten, ‸-1]")},
	{"no replicates", head + "replicates: ‸0\n"},
	{"negative seed", head + "seed: ‸-1\n"},
	{"seed beyond 64 bits", head + "seed: ‸18446744073709551616\n"},
	{"confidence of one", head + "confidence: ‸1\n"},
	{"NaN", usesWith("gamma: 3, step: ‸.nan")},
	{"problems a name", "name: x\nhorizon: 10\nproblems: ‸ftrl\nalgorithms: [{use: a}]\n"},
	{"all misspelt", "name: x\nhorizon: 10\nproblems: all\nalgorithms: ‸al\n"},
	{"all with parameters", "name: x\nhorizon: 10\nproblems: [{use: all, ‸step: 3}]\nalgorithms: " +
		"[all, {use: a}]\n"},
	{"problems names", "name: x\nhorizon: 10\nproblems: [‸ftrl, {use: b}]\nalgorithms: [{use: a}]\n"},
	{"problems empty", "name: x\nhorizon: 10\nproblems: ‸[]\nalgorithms: [{use: a}]\n"},
	{"use missing", "name: x\nhorizon: 10\nproblems: [‸{gamma: 3}]\nalgorithms: [{use: a}]\n"},
	{"use missing in a block", "name: x\nhorizon: 10\nproblems:\n  - ‸gamma: 3\nalgorithms: [{use: " +
		"a}]\n"},
	{"use of a SPEC", "name: x\nhorizon: 10\nproblems: [{use: ‸'ftrl:gamma=3'}]\nalgorithms: [{use: " +
		"a}]\n"},
	{"use of a list", "name: x\nhorizon: 10\nproblems: [{use: ‸[a, b]}]\nalgorithms: [{use: a}]\n"},
	{"unknown parameter", usesWith("‸gama: 25")},
	{"unknown parameter swept", usesWith("‸gama: [25, 26]")},
	{"below the range", usesWith("gamma: 3, power: ‸-3")},
	{"fraction for an integer", usesWith("dim: ‸1.5")},
	{"fraction in a sweep", usesWith("dim: [1, ‸1.5, ‸0]")},
	{"number for a text", usesWith("title: ‸25")},
	{"value out of the enum", usesWith("penalty: ‸per-rond")},
	{"text for a number", usesWith("step: ‸'1'")},
	{"null parameter", usesWith("step: ‸~")},
	{"mapping for a number", usesWith("step: ‸{a: 1}")},
	{"empty sweep", usesWith("step: ‸[]")},
	{"empty list", usesWith("center: ‸[]")},
	{"list in a sweep", usesWith("step: [1, ‸[2, 3]]")},
	{"value swept twice", usesWith("step: [1, 2, ‸1e0]")},
	{"sweep too large", usesWith("dim: [" + listOfNumbers(101) + "], ‸salt: [" + listOfNumbers(101) + "]")},
	{"union neither", usesWith("gamma: ‸fast")},
	{"several documents", head + "‸---\n" + head},
	{"several documents, ended", head + "‸...\n" + head},
	{"directive", "‸%YAML 1.2\n---\n" + head},
	{"anchor", documentOf("‸&n x", "10")},
	{"alias", documentOf("x", "‸*n")},
	{"merge key", head + "‸<<: {seed: 1}\n"},
	{"tag", documentOf("x", "‸!!int 10")},
	{"tab in the indentation", "name: x\nproblems:\n‸\t- use: a\n"},
	{"tab after the colon", "name:‸\tx\n"},
	{"carriage return alone", "name: x‸\rhorizon: 10\n"},
	{"control character", "name: x‸\x07\n"},
	{"not UTF-8", "name: é‸\xff\n"},
	{"list not closed", "name: x\nproblems: ‸[{use: a}\n"},
	{"mapping not closed", "name: x\nproblems: [{use: a‸]\n"},
	{"comma missing", usesWith("title: ‸a step: 3")},
	{"comma too many", usesWith("step: [1,‸,2]")},
	{"list beside its key", "name: ‸- x\n"},
	{"too many keys", "name: x\n" + strings.Repeat("a: 1\n", maxKeys-1) + "a‸: 1\n"},
	{"comma missing in a list", usesWith("step: [‸1 2]")},
	{"space missing", "name: x\n‸horizon:10\n"},
	{"deeper indentation", "name: ‸x\n  horizon: 10\n"},
	{"shallower indentation", "  name: x\n‸horizon: 10\n"},
	{"two colons", "name: ‸x: y\n"},
	{"nested too deep", "name: " + strings.Repeat("[", 16) + "‸[\n"},
	{"dashes too deep", "name:\n  " + strings.Repeat("- ", 16) + "‸- x\n"},
	{"several faults", "name: ‸X\nhorizon: ‸0\nproblems: [{use: ‸B}]\nalgorithms: [‸a]\n‸seeds: 3\n"},
	{"non-ASCII before", usesWith("title: 'é日本', ‸gama: 25")},
	{"long line", usesWith("title: '" + strings.Repeat("long ", 40) + "', ‸gama: 25, tags: ['" +
		strings.Repeat("long ", 40) + "']")},
	{"Windows line ends", "name: x\r\nhorizon: ‸0\r\nproblems: [{use: b}]\r\nalgorithms: [{use: " +
		"a}]\r\n"},
}

const (
	rest = "problems: [{use: b}]\nalgorithms: [{use: a}]\n"
	head = "name: x\nhorizon: 10\n" + rest
)

// documentOf returns an experiment file with this name and horizon.
func documentOf(name, horizon string) string {
	return fmt.Sprintf("name: %s\nhorizon: %s\n%s", name, horizon, rest)
}

// usesWith returns a document with a use of ftrl.
func usesWith(args string) string {
	return fmt.Sprintf("name: x\nhorizon: 10\nproblems: [{use: b}]\nalgorithms: [{use: ftrl, %s}]\n",
		args)
}

// listOfNumbers returns "1, 2, …, n".
func listOfNumbers(n int) string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprint(i + 1)
	}
	return strings.Join(s, ", ")
}

func TestRefusalsNameTheirPlaces(t *testing.T) {
	for _, test := range refusals {
		text, want := splitMarks(test.text)
		e, err := Parse("x.yaml", []byte(text))
		if err == nil {
			for _, u := range e.Algorithms {
				if u.Name == "ftrl" {
					_, err = u.Expand(defaultFTRL())
				}
			}
		}
		var errs Errors
		if !errors.As(err, &errs) {
			t.Errorf("%s: got error %v, want a refusal", test.name, err)
			continue
		}
		var got []string
		for _, e := range errs {
			got = append(got, fmt.Sprintf("%d:%d", e.Line, e.Column))
			if text := e.Error(); !strings.Contains(text, " (") && !strings.Contains(text, "deep") {
				t.Errorf("%s: got %s, want what was expected", test.name, text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: places (want, got):\n%s\n%v", test.name, diff, err)
		}
	}
}

// splitMarks removes the ‸ from text and returns the places it marked.
func splitMarks(text string) (unmarked string, places []string) {
	for {
		before, after, found := strings.Cut(text, "‸")
		if !found {
			return text, places
		}
		line := strings.Count(before, "\n") + 1
		column := len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1
		places = append(places, fmt.Sprintf("%d:%d", line, column))
		text = before + after
	}
}

// Documents on which a recursive or quadratic reader would exhaust the machine are refused, and do
// not drown the user in messages.
func TestHostileDocumentsAreRefusedBriefly(t *testing.T) {
	const n = maxBytes - 100
	var keys strings.Builder
	for i := 0; keys.Len() < n-10; i++ {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	for _, text := range []string{
		head + strings.Repeat("#\n", maxBytes),
		strings.Repeat("[", n),
		strings.Repeat("- ", n/2),
		strings.Repeat("? ", n/2),
		strings.Repeat(">", n),
		strings.Repeat("a:\n", n/3),
		"a: {" + strings.Repeat("b: 1,", n/5) + "}",
		"horizon: [" + strings.Repeat("0,", n/2) + "]",
		"horizon: " + strings.Repeat("9", n),
		strings.Repeat("x", n) + ": 1",
		keys.String(),
	} {
		_, err := Parse("x.yaml", []byte(text))
		if err == nil || len(err.Error()) > 20000 {
			t.Errorf("%.20q: got error %.200v, want one of up to 20000 characters", text, err)
		}
	}
}

func TestErrorsJoinByPlace(t *testing.T) {
	if Join() != nil || Join(nil, nil) != nil {
		t.Error("nothing joined: got an error, want nil")
	}
	a, b := &Error{Pos{File: "x", Line: 2}, "a"}, &Error{Pos{File: "x", Line: 1}, "b"}
	err := Join(a, nil, Errors{b, a}, errors.New("c"))
	want := "c\nx:1:0: b\n    1 | \n      | ^\nx:2:0: a\n    2 | \n      | ^"
	if got := err.Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, a) {
		t.Error("got an error that does not wrap a, want it to")
	}
}

// sameAs tells in what an experiment differs from one that was written and
// read back: in nothing but places, and quotes.
func sameAs(e *Experiment) string {
	back, err := Parse("back.yaml", []byte(e.YAML()))
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, e.YAML())
	}
	return cmp.Diff(e, back, cmpopts.IgnoreUnexported(Value{}), cmpopts.IgnoreTypes(Pos{}),
		cmpopts.EquateEmpty())
}

func TestYAMLRoundTrips(t *testing.T) {
	for _, text := range []string{
		whole, head,
		"{name: '1', description: \"a: \\x7f \\u2028 [\\\"] # é <&>\", horizon: 10, problems: [{use: " +
			"\"true\"}], algorithms: [{use: a, b: 'true', c: x y, d: [[1, 2], [\"3\"]]}]}",
		"name: x\nhorizon: 10\nproblems:\n- use: b\n  file: a,b] x\nalgorithms: [{use: a, g: " +
			"1}]\ntuned: [{use: a, g: [1, 2]}]\ntuning_seed: 18446744073709551615\n",
	} {
		e, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if diff := sameAs(e); diff != "" {
			t.Errorf("written and read back (-want +got):\n%s", diff)
		}
		for _, u := range slices.Concat(e.Problems, e.Algorithms, e.Tuned) {
			back, err := ParseUse(u.String())
			if diff := cmp.Diff(u, back, cmpopts.IgnoreUnexported(Value{}), cmpopts.IgnoreTypes(Pos{}),
				cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("%s is read back with %v (-want +got):\n%s", u, err, diff)
			}
		}
	}
	for _, text := range []string{"", "{", "[a]", "{label: x}", "{use: a}\nb: c"} {
		if u, err := ParseUse(text); err == nil {
			t.Errorf("%q is read as %s, want an error", text, u)
		}
	}
	e := Defaults()
	e.Name, e.Horizon = "every", []int{10}
	e.Problems, e.Algorithms = []Use{{Name: All}}, []Use{{Name: All}, {Name: "a"}}
	const every = "name: every\nhorizon: [10]\nproblems:\n  - all\nalgorithms:\n  - all\n  - " +
		"{use: a}\n"
	if got := e.YAML(); got != every || sameAs(&e) != "" {
		t.Errorf("written as\n%s\nwant\n%s", got, every)
	}
	for _, text := range []string{"all", "[all]", "[{use: all}]"} {
		x, err := Parse("x.yaml", []byte("{name: every, horizon: 10, problems: all, algorithms: ["+
			strings.Trim(text, "[]")+", {use: a}]}"))
		if err != nil || sameAs(x) != "" ||
			cmp.Diff(x, &e, cmpopts.IgnoreTypes(Pos{}), cmpopts.EquateEmpty()) != "" {
			t.Errorf("%s: got %+v (%v), want %+v", text, x, err, e)
		}
	}
	e = Defaults()
	e.Name, e.Horizon, e.Seed = "plain-name", []int{10, 20}, 2
	e.Problems, e.Algorithms = []Use{{Name: "p"}},
		[]Use{{Name: "a", Args: []Arg{{Key: "step", Value: Value{Text: "1e-3"}},
			{Key: "n", Value: Value{Text: "2"}}}}}
	const want = "name: plain-name\nhorizon: [10,20]\nseed: 2\nproblems:\n  - {use: " +
		"p}\nalgorithms:\n  - {use: a, step: 1e-3, \"n\": 2}\n"
	if got := e.YAML(); got != want {
		t.Errorf("written as\n%s\nwant\n%s", got, want)
	}
}

// A character that cannot be seen is refused in any line, but for line ends and the tab of a
// comment.
func TestCharactersThatCannotBeSeenAreRefused(t *testing.T) {
	for r := rune(0); r <= 0xffff; r++ {
		if !unicode.IsControl(r) && r != 0x2028 && r != 0x2029 && r != 0xfeff || r == '\n' || r == '\r' {
			continue
		}
		for line, where := range []string{"name: x%cy\n", "# %c\nname: x\n"} {
			text := fmt.Sprintf(where, r) + "horizon: 10\nproblems: [{use: p}]\nalgorithms: [{use: a}]\n"
			if _, err := Parse("x.yaml", []byte(text)); (err == nil) != (r == '\t' && line == 1) {
				t.Errorf("%q: got error %v, want one but for a tab in a comment", text, err)
			}
		}
	}
}

func FuzzParsedExperimentsAreValidOrRefused(f *testing.F) {
	f.Add([]byte(whole))
	for _, test := range refusals {
		text, _ := splitMarks(test.text)
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse("x.yaml", data)
		if err != nil {
			var errs Errors
			if !errors.As(err, &errs) || len(errs) == 0 {
				t.Fatalf("got %T: %v, want Errors with places", err, err)
			}
			lines := strings.Count(string(data), "\n") + 1
			for _, e := range errs {
				if e.Line < 1 || e.Line > lines || e.Column < 1 || e.Msg == "" || e.sourceSnippet() == "" {
					t.Fatalf("got %+v, want a place in the file, a message and a snippet", e)
				}
			}
			return
		}
		if e.Name == "" || len(e.Horizon) == 0 || e.Horizon[0] < 1 || e.Replicates < 1 ||
			len(e.Problems) == 0 || len(e.Algorithms) == 0 {
			t.Fatalf("got %+v, want a name, horizons, replicates, problems and algorithms", e)
		}
		if diff := sameAs(e); diff != "" {
			t.Fatalf("written and read back (-want +got):\n%s", diff)
		}
		for _, u := range append(e.Algorithms, e.Problems...) {
			uses, err := u.Expand(defaultFTRL())
			if err != nil {
				_ = err.Error()
				continue
			}
			for _, u := range uses {
				p := defaultFTRL()
				if err := u.Decode(&p); err != nil {
					t.Fatalf("got error %v of what was expanded, want none", err)
				}
			}
		}
	})
}

// A file with many faults has a message of one page.
func TestManyFaultsHaveOnePage(t *testing.T) {
	text := "name: a\nhorizon: 20\nproblems: [{use: iid}]\nalgorithms: [{use: ogd}]\n" +
		strings.Repeat("replicates: 2\n", 300)
	_, err := Parse("a.yaml", []byte(text))
	if err == nil {
		t.Fatal("got no error, want one")
	}
	message := err.Error()
	if n := utf8.RuneCountInString(message); n > 2000 ||
		!regexp.MustCompile(`^a\.yaml:6:1: (?s:.*)\nand \d+ more$`).MatchString(message) {
		t.Errorf("got %d characters, want at most 2000, the place and a count: %s", n, message)
	}
}
