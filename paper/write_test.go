package paper

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/internal/golden"
	"ocobench/report/table"
)

var update = flag.Bool("update", false, "write testdata anew")

func number(x float64) *float64 { return &x }

// madeUp returns two documents that between them have all that writers treat in a way of its own:
// claims that hold under a condition and fail, and a published table that differs, with a cause
// that was not played.
func madeUp() (claims, published *Document) {
	nan := analysis.Number(math.NaN())
	claims = &Document{
		Kind: &Kind{Name: "claims", Title: "The claims", Introduction: "What is *tested*.",
			Hint: "bench claims NAME prints one.", Verdicts: []string{"holds", "holds if", "fails", "open"}},
		Entries: []Entry{{
			Number: 7, Name: "small-steps", Place: `Theorem 1, $\tau = 2$`, Statement: `Regret is $O(\sqrt{t})$.`,
			Setting: `$f_t$ is convex`, Verdict: "holds if", Condition: "the domain is convex", Rule: "more",
			Findings: []Finding{
				{Role: Stated, What: `games of \texttt{ogd:step=1}`, Outcome: "counterexample", Decides: true,
					Text: `it is $2t$ in \texttt{ogd:step=1}`, Command: "bench play --algorithm ogd --horizon 10",
					Values: []Value{{Name: "ratio", Measured: 1234567, Error: nan, Samples: 48},
						{Name: "share", Measured: 0.25, Error: nan}, {Name: "unknown", Measured: nan, Error: nan}}},
				{Role: Amended, What: "convex domains", Outcome: "no counterexample", Decides: true,
					Text: "it is at most 1", Values: []Value{{Name: "ratio", Measured: 1, Error: nan, Samples: 2}}},
			},
			Proof: `$1 < 2$`, Instead: "less is true", Experiments: []string{"quick", "sets"}, Cost: "3 games",
			Command: "bench claims small-steps",
		}, {
			Number: 8, Name: "all-steps", Place: "§2", Statement: "So it always is.", Verdict: "fails",
			Findings: []Finding{{Role: Beside, What: "nothing", Outcome: "undecided", Text: "nothing"}},
			Instead:  "it is so at times", Command: "bench claims all-steps",
		}, {
			Number: 9, Name: "signs", Place: "§3", Statement: "It is $-1$.", Verdict: "fails",
			Correction: "it is 1", Condition: "$t > 1$", Command: "bench claims signs",
		}},
	}
	value := Value{Name: "OGD", Problem: "P", Metric: "loss", T: 500, Each: true, Published: number(2),
		Within: number(0.5), Measured: 2.25, Error: 0.125, Samples: 9, Agreement: "agrees"}
	apart := value
	apart.Name, apart.Measured, apart.Error, apart.Agreement = "Other", 7, nan, "differs"
	regret := Value{Name: "OGD", Metric: "regret", T: 500, Measured: 3, Error: 0}
	published = &Document{
		Quick: true,
		Kind: &Kind{Name: "published", Title: "Published tables", Introduction: "Played again.",
			Hint: "bench claims NAME --of published prints one.", Verdicts: []string{"differs"}},
		Entries: []Entry{{
			Name: "table-1", Paper: "somebody", Source: "Somebody, A Paper, 2026", Place: Plain("a_b.png"),
			Statement: "loss", Verdict: "differs", Reading: "off a plot", Known: Plain("x_1 is 0"),
			Findings: []Finding{
				{Role: Stated, What: "the experiment", Outcome: "differs", Text: "1 of 2 agree", Decides: true,
					Values: []Value{value, apart}},
				{Role: Amended, What: "with other steps", Outcome: NotPlayed, Text: Plain("it takes --external"),
					Values: []Value{apart}},
			},
			Command: "bench claims table-1 --of somebody --external a='python3 a.py'",
		}, {
			Name: "table-2", Paper: "somebody", Source: "Somebody, A Paper, 2026", Place: "table 2",
			Statement: "loss and regret", Verdict: "differs", Known: Plain("x_1 is 0"),
			Findings: []Finding{
				{Role: Stated, Outcome: "differs", Text: "1 of 3 agree", Decides: true,
					Values: []Value{value, apart, regret}},
				{Role: Amended, What: "with other steps", Outcome: "agrees", Text: "1 of 1 agree",
					Values: []Value{value}},
			},
			Command: "bench claims table-2 --of somebody --external a='python3 a.py'",
		}},
	}
	return claims, published
}

// Each writer has a golden, of the claims and of the published table one after the other.
func TestWritersKeepTheirGoldens(t *testing.T) {
	claims, published := madeUp()
	for _, c := range []struct {
		name  string
		write func(w io.Writer, d *Document) error
	}{
		{"table.txt", func(w io.Writer, d *Document) error {
			return table.WriteTerminal(w, d.Table(), 100)
		}},
		{"entry.txt", func(w io.Writer, d *Document) error { return d.Entries[0].WriteText(w, 80) }},
		{"document.md", func(w io.Writer, d *Document) error { return d.WriteMarkdown(w) }},
		{"document.json", func(w io.Writer, d *Document) error { return d.WriteJSON(w) }},
		{"entries.tex", func(w io.Writer, d *Document) error { return d.WriteLaTeX(w) }},
		{"macros.tex", func(w io.Writer, d *Document) error { return d.WriteMacros(w) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			for _, d := range []*Document{claims, published} {
				if err := c.write(&out, d); err != nil {
					t.Fatal(err)
				}
			}
			text := regexp.MustCompile(`"(version|go|goarch)": "[^"]+"`).ReplaceAllString(out.String(),
				`"$1": "…"`) // of this program
			golden.File(t, c.name, text, *update)
		})
	}
}

// fillTexts writes the name of each text of a struct into it, in capitals.
func fillTexts(v reflect.Value) (names []string) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String {
			names = append(names, strings.ToUpper(v.Type().Field(i).Name))
			f.SetString(names[len(names)-1])
		}
	}
	return names
}

// terminalOnly are the texts that the document of all entries leaves to the account of one.
var terminalOnly = []string{"STATISTIC", "RULE", "WHAT", "PROOF", "COST", "COMMAND", "EXPERIMENT-1",
	"EXPERIMENT-2"}

func TestEveryTextOfAnEntryIsWritten(t *testing.T) {
	var e Entry
	var f Finding
	texts := append(fillTexts(reflect.ValueOf(&e).Elem()), fillTexts(reflect.ValueOf(&f).Elem())...)
	f.Role, e.Experiments = Stated, []string{"EXPERIMENT-1", "EXPERIMENT-2"}
	e.Findings = []Finding{f}
	d := &Document{Kind: &Kind{}, Entries: []Entry{e}}
	for format, write := range map[string]func(io.Writer) error{
		"terminal": func(w io.Writer) error { return e.WriteText(w, 80) },
		"Markdown": d.WriteMarkdown, "JSON": d.WriteJSON,
	} {
		t.Run(format, func(t *testing.T) {
			var out strings.Builder
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			for _, text := range append(texts, e.Experiments...) {
				shown := text != "ROLE" && (format == "JSON" || text != "PAPER") &&
					(format != "Markdown" || !slices.Contains(terminalOnly, text))
				if shown && !strings.Contains(out.String(), text) {
					t.Errorf("want %s in\n%s", text, &out)
				}
			}
		})
	}
}

// A JSON document is read back with the same values, and docs/article.md describes each member.
func TestJSONIsReadBackAndDocumented(t *testing.T) {
	_, d := madeUp()
	var out strings.Builder
	if err := d.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Schema, Kind string
		Quick        bool
		Entries      []Entry
	}
	if err := json.Unmarshal([]byte(out.String()), &read); err != nil {
		t.Fatal(err)
	}
	got, want := read.Entries[0], d.Entries[0]
	v := got.Findings[0].Values
	if read.Schema != Schema || read.Kind != "published" || !read.Quick ||
		got.Verdict != want.Verdict || *v[0].Published != 2 ||
		v[0].Measured != 2.25 || !math.IsNaN(float64(v[1].Error)) {
		t.Errorf("got %+v, want the values of\n%s", read, &out)
	}
	text, err := os.ReadFile("../docs/article.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []any{Entry{}, Finding{}, Value{}} {
		for i := range reflect.TypeOf(of).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(of).Field(i).Tag.Get("json"), ",")
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/article.md: got no member %s of %T, want it described", name, of)
			}
		}
	}
}

// The verdict and what is quoted as its evidence depend on the reason, and on what is amended.
func TestVerdictDecidesWhatEvidenceIsQuoted(t *testing.T) {
	e := Entry{Instead: "instead", Decide: "decide", Findings: []Finding{
		{Decides: true, Text: "first"}, {Text: "second"}, {Decides: true, Text: `$x$ third.`}}}
	const findings, rest = "First. $x$ third.", " Instead. Decide."
	for _, c := range []struct {
		verdict            string
		amended            Entry // its reason, condition, reading and correction
		sentence, evidence string
	}{
		{"fails", Entry{}, "fails", findings + rest},
		{"holds if", Entry{Condition: "it is so."}, "holds if it is so.", "it is so. " + findings},
		{"holds if", Entry{ReadAs: "it is so", Condition: "$m=1$"},
			"holds if read so: it is so; and if $m=1$", "read so: it is so; and if $m=1$. " + findings},
		{"fails", Entry{Correction: "more", Condition: "$m=1$"},
			"fails as printed, and holds corrected: more; if $m=1$",
			"as printed, and holds corrected: more; if $m=1$. " + findings},
		{"no verdict", Entry{Reason: "it is so"}, "no verdict: it is so", "It is so. " + findings + rest},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			e.Verdict, e.Reason = c.verdict, c.amended.Reason
			e.Condition, e.ReadAs, e.Correction = c.amended.Condition, c.amended.ReadAs, c.amended.Correction
			if got := string(e.verdict()); got != c.sentence {
				t.Errorf("verdict %q, want %q", got, c.sentence)
			}
			if got := string(e.shortEvidence()); got != c.evidence {
				t.Errorf("evidence %q, want %q", got, c.evidence)
			}
		})
	}
}

func TestMeasuredNumbersHaveTheirErrors(t *testing.T) {
	nan := math.NaN()
	for want, m := range map[string][2]float64{
		"2.25 ± 0.12": {2.25, 0.125}, "0.333333 ± 0": {1. / 3, 0}, "2.5": {2.5, nan}, "·": {nan, 1},
	} {
		t.Run(want, func(t *testing.T) {
			v := Value{Measured: analysis.Number(m[0]), Error: analysis.Number(m[1])}
			if got := v.measuredText(); got != want {
				t.Errorf("%v: %q, want %q", m, got, want)
			}
		})
	}
}

func TestAgreementCountsPublishedValues(t *testing.T) {
	of := func(agreements ...string) (f Finding) {
		for _, a := range agreements {
			v := Value{Agreement: a}
			if a != "" {
				v.Published = number(1)
			}
			f.Values = append(f.Values, v)
		}
		return f
	}
	one, none, left := of("agrees", "differs", ""), of("", ""), of("")
	left.Outcome = NotPlayed
	var got []string
	for _, f := range []Finding{one, none, left} {
		got = append(got, f.Agreement())
	}
	if want := []string{"1 of 2 agree", "2 measured", "not played"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	e := Entry{Findings: []Finding{one, left}}
	if got := fmt.Sprint(e.agreements(Stated), e.agreements(Beside)); got != "··" {
		t.Errorf("findings without a role: got %s, want none shown", got)
	}
}
