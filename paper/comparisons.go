package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"ocobench/harness/store"
	"ocobench/paper/published"
	"ocobench/report/table"
)

// Comparisons returns the table of published figures and tables with their verdicts.
func Comparisons(all []published.Verdict, quick bool) *table.Table {
	t := &table.Table{
		Title: table.Plain("Published figures and tables: " + countedComparisons(all)),
		Label: "tab:published",
		Columns: []table.Column{{Name: table.Plain("name")}, {Name: table.Plain("verdict")},
			{Name: table.Plain("values")}, {Name: table.Plain("with what is changed")}},
		Notes: []table.Text{table.Plain("bench claims NAME --of published prints one with its source " +
			"and its values, and with the experiments in which one thing is changed.")},
	}
	for _, v := range all {
		values, changed := "·", "·"
		for k, g := range v.Games {
			switch {
			case k == 0:
				values = agreeing(g)
			case !g.Played:
				changed = "not played"
			default:
				changed = agreeing(g)
			}
		}
		t.Rows = append(t.Rows, table.Plains(v.Entry.Name, string(v.State), values, changed))
	}
	if quick {
		t.Notes = append(t.Notes, table.Plain(quickComparisons))
	}
	return t
}

// quickComparisons is in everything that a quick run writes of published comparisons.
const quickComparisons = "A quick run: fewer replicates, so that some values are undecided."

// agreeing says how many values of a game agree.
func agreeing(g published.Compared) string {
	n, of := 0, 0
	for _, m := range g.Values {
		if m.Agreement == published.Agrees {
			n++
		}
		if m.Agreement != published.Unsaid {
			of++
		}
	}
	if of == 0 {
		return fmt.Sprintf("%d measured", len(g.Values))
	}
	return fmt.Sprintf("%d of %d agree", n, of)
}

func countedComparisons(all []published.Verdict) string {
	var parts []string
	for _, s := range published.States {
		n := 0
		for _, v := range all {
			if v.State == s {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", s, n))
		}
	}
	return strings.Join(parts, ", ")
}

// valueTable has the values of a game.
func valueTable(g published.Compared) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: table.Plain("curve")},
		{Name: table.Plain("metric")}, {Name: table.Plain("t"), Align: table.Right},
		{Name: table.Plain("published"), Align: table.Right},
		{Name: table.Plain("within"), Align: table.Right},
		{Name: table.Plain("measured"), Align: table.Right}, {Name: table.Plain("")}}}
	for _, m := range g.Values {
		curve, metric, at := m.Curve, m.Metric, m.At
		if m.On != "" {
			curve += " on " + m.On
		}
		if m.Each {
			metric += "/t"
		}
		if at == 0 {
			at = g.Experiment.Horizon[len(g.Experiment.Horizon)-1]
		}
		t.Rows = append(t.Rows, table.Plains(curve, metric, strconv.Itoa(at), digits(m.Published),
			digits(m.Within), measuredText(m), string(m.Agreement)))
	}
	return t
}

// digits prints a number with at most six digits, or a dot for none.
func digits(x *float64) string {
	if x == nil || math.IsNaN(*x) {
		return "·"
	}
	return strconv.FormatFloat(*x, 'g', 6, 64)
}

// measuredText is a measured value with the half width of its interval, which has three digits.
func measuredText(m published.Measured) string {
	if math.IsNaN(m.Mean) || math.IsNaN(m.Error) {
		return digits(&m.Mean)
	}
	if m.Error == 0 {
		return digits(&m.Mean) + " ± 0"
	}
	places := max(0, 2-int(math.Floor(math.Log10(m.Error))))
	return fmt.Sprintf("%.*f ± %.*f", places, m.Mean, places, m.Error)
}

// verdictText is a verdict with why nothing is determined.
func verdictText(v published.Verdict) string {
	if v.Reason != "" {
		return fmt.Sprintf("%s: %s", v.State, strings.TrimSpace(v.Reason))
	}
	return string(v.State)
}

// causeText says what a cause has shown.
func causeText(g published.Compared) string {
	what := strings.TrimSpace(g.What)
	switch {
	case !g.Played:
		return what + ": not played; it takes --external " + shellExternal(g.External)
	case g.Agrees():
		return what + ": the published values come out"
	}
	return what + ": " + agreeing(g)
}

// shellExternal is NAME=COMMAND as a shell reads it.
func shellExternal(text string) string {
	name, command, _ := strings.Cut(text, "=")
	return name + "='" + command + "'"
}

// comparisonParts is what is said of a comparison in words, in order.
func comparisonParts(v published.Verdict) (parts []passage) {
	add := func(heading, text string) {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, passage{heading, text})
		}
	}
	e := v.Entry
	add("Paper", e.Source)
	add("Place", e.Place)
	add("Shows", e.Shows)
	add("Parameters", e.Parameters)
	if e.Reading != "" {
		add("Values", map[published.Origin]string{published.Text: "stated in the text: ",
			published.Stored: "stored by the authors: ", published.Plot: "read off a plot: "}[e.Read]+
			e.Reading)
	}
	add("Known to differ", e.Known)
	add("Verdict", verdictText(v))
	add("Replayed by", e.Command())
	return parts
}

// WriteComparison writes all that is said of a comparison for a terminal.
func WriteComparison(w io.Writer, v published.Verdict, width int) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", v.Entry.Name)
	const indent = 20
	for _, p := range comparisonParts(v) {
		for k, line := range table.Wrap(p.text, max(width-indent, 30)) {
			if k > 0 {
				p.heading = ""
			}
			fmt.Fprintf(&out, "%-*s%s\n", indent, p.heading, line)
		}
	}
	for k, g := range v.Games {
		out.WriteString("\n")
		if k > 0 {
			for _, line := range table.Wrap(causeText(g), width) {
				out.WriteString(line + "\n")
			}
		}
		if !g.Played {
			continue
		}
		if err := table.WriteTerminal(&out, valueTable(g), width); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteComparisonsMarkdown writes the document of all comparisons.
func WriteComparisonsMarkdown(w io.Writer, all []published.Verdict, quick bool) error {
	var out strings.Builder
	out.WriteString(`# Published figures and tables, played again

Numbers of papers beside what this program measures on the rounds that the papers describe.
` + "`bench claims --of published`" + ` plays all of them, in some minutes, and the command of each plays
one, from the directory of the repository where it names a program of examples/. A value
agrees where the published one is within the tolerance and the noise of the measured mean, and
the noise is within the tolerance. An entry is reproduced where all values agree, differs where
one does not, and is not determined where something is missing, which is then said. The doc of
package ` + "`paper/published`" + ` has the rule. A difference is between numbers: where an
experiment shows what it comes from, that is said, and otherwise nothing.

`)
	if quick {
		out.WriteString(quickComparisons + "\n\n")
	}
	fmt.Fprintf(&out, "Of %d: %s.\n\n| name | place | verdict | values | with what is changed |\n"+
		"|---|---|---|---|---|\n", len(all), countedComparisons(all))
	t := Comparisons(all, false)
	for k, v := range all {
		name := v.Entry.Name
		fmt.Fprintf(&out, "| [%s](#%s) | %s | %s | %s | %s |\n", name, name,
			table.EscapeMarkdown(v.Entry.Place), v.State, t.Rows[k][2].Plain, t.Rows[k][3].Plain)
	}
	for _, v := range all {
		fmt.Fprintf(&out, "\n## %s\n\n", v.Entry.Name)
		for _, p := range comparisonParts(v) {
			text := table.EscapeMarkdown(p.text)
			if p.heading == "Replayed by" {
				text = "`" + p.text + "`"
			}
			fmt.Fprintf(&out, "- **%s**: %s\n", p.heading, text)
		}
		for k, g := range v.Games {
			out.WriteString("\n")
			if k > 0 {
				fmt.Fprintf(&out, "%s.\n\n", table.EscapeMarkdown(causeText(g)))
			}
			if !g.Played {
				continue
			}
			if err := table.WriteMarkdown(&out, valueTable(g)); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// comparisonJSON is a comparison in JSON.
type comparisonJSON struct {
	Name       string           `json:"id"`
	Paper      string           `json:"paper"`
	Source     string           `json:"source"`
	Place      string           `json:"place"`
	Shows      string           `json:"shows"`
	Parameters string           `json:"parameters"`
	Read       published.Origin `json:"read,omitempty"`
	Reading    string           `json:"reading,omitempty"`
	Known      string           `json:"known,omitempty"`
	Verdict    published.State  `json:"verdict"`
	Reason     string           `json:"reason,omitempty"`
	Values     []valueJSON      `json:"values"`
	Causes     []causeJSON      `json:"causes,omitempty"`
	Command    string           `json:"command"`
}

type valueJSON struct {
	Curve      string              `json:"curve"`
	Problem    string              `json:"problem,omitempty"`
	Metric     string              `json:"metric"`
	Each       bool                `json:"each,omitempty"` // divided by t
	T          int                 `json:"t"`
	Published  *float64            `json:"published"`
	Within     *float64            `json:"within"`
	Measured   *float64            `json:"measured"` // null where it was not measured
	Error      *float64            `json:"error"`
	Replicates int                 `json:"replicates"`
	Agreement  published.Agreement `json:"agreement"`
}

type causeJSON struct {
	What     string      `json:"what"`
	External string      `json:"external,omitempty"`
	Played   bool        `json:"played"`
	Agrees   bool        `json:"agrees"`
	Values   []valueJSON `json:"values"`
}

// WriteComparisonsJSON writes comparisons as one JSON object.
func WriteComparisonsJSON(w io.Writer, all []published.Verdict, quick bool) error {
	list := []comparisonJSON{}
	for _, v := range all {
		e := v.Entry
		c := comparisonJSON{Name: e.Name, Paper: e.Paper, Source: e.Source, Place: e.Place,
			Shows: e.Shows, Parameters: e.Parameters, Read: e.Read, Reading: e.Reading, Known: e.Known,
			Verdict: v.State,
			Reason:  v.Reason, Values: []valueJSON{}, Command: e.Command()}
		for k, g := range v.Games {
			if k == 0 {
				c.Values = valuesJSON(g)
				continue
			}
			c.Causes = append(c.Causes,
				causeJSON{g.What, g.External, g.Played, g.Agrees(), valuesJSON(g)})
		}
		list = append(list, c)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Quick      bool             `json:"quick"`
		Provenance store.Provenance `json:"provenance"`
		Published  []comparisonJSON `json:"published"`
	}{quick, store.CurrentProvenance(), list})
}

func valuesJSON(g published.Compared) (all []valueJSON) {
	finite := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	for _, m := range g.Values {
		at := m.At
		if at == 0 {
			at = g.Experiment.Horizon[len(g.Experiment.Horizon)-1]
		}
		all = append(all, valueJSON{m.Curve, m.On, m.Metric, m.Each, at, m.Published, m.Within,
			finite(m.Mean), finite(m.Error), m.Replicates, m.Agreement})
	}
	return all
}

// Described is what a page says of the experiment of a comparison.
func Described(v published.Verdict) string {
	return fmt.Sprintf("%s, %s: %s", v.Entry.Source, v.Entry.Place, verdictText(v))
}
