package paper

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report/table"
)

// Schema names the JSON form of a document. Its number rises with every change of the form.
const Schema = "ocobench verdicts 1"

// QuickNote stands in every text that a quick run writes.
const QuickNote = "A quick run: fewer repetitions and replicates than the figures of an article " +
	"need."

// Table returns the table of all entries with their verdicts. It has numbers and places, or how
// many published values agree if there are some.
func (d *Document) Table() *table.Table {
	compared := slices.ContainsFunc(d.Entries, func(e Entry) bool {
		return slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.comparesValues() })
	})
	t := &table.Table{Title: table.Plain(d.Title + ": " + d.verdictCounts()), Label: "tab:" + d.Name,
		Keys: 2, Columns: table.Columns(">№", "name", "place", "verdict"), Notes: table.Plains(d.Hint)}
	if compared {
		t.Keys, t.Columns = 1, table.Columns("name", "verdict", "as stated", "as amended")
	}
	for _, e := range d.Entries {
		number, name := table.Plain(strconv.Itoa(e.Number)), table.Plain(e.Name)
		verdict := table.Plain(shortVerdict(e.Verdict))
		row := []table.Text{number, name, table.TeX(string(e.Place)), verdict}
		if compared {
			row = append([]table.Text{name, verdict},
				table.Plains(e.agreements(Stated), e.agreements(Amended))...)
		}
		t.Rows = append(t.Rows, row)
	}
	if d.Quick {
		t.Notes = append(t.Notes, table.Plain(QuickNote))
	}
	return t
}

// passage holds a part of what is written of an entry: a line of text, or a table.
type passage struct {
	heading string
	text    TeX
	code    bool         // the text is a command line
	link    bool         // the text is the name of an entry, which has the same under this heading
	values  *table.Table // if not nil, the passage is this table, and the other fields are unset
}

// passages holds what is written of an entry, in order.
type passages []passage

// addText adds a text, unless it is empty.
func (p *passages) addText(heading string, text TeX) {
	if text != "" {
		*p = append(*p, passage{heading: heading, text: text})
	}
}

// addCommand adds a command line, unless it is empty.
func (p *passages) addCommand(heading, line string) {
	if line != "" {
		*p = append(*p, passage{heading: heading, text: Plain(line), code: true})
	}
}

// addLink adds a link to another entry, which has the same under this heading.
func (p *passages) addLink(heading, entry string) {
	*p = append(*p, passage{heading: heading, text: TeX(entry), link: true})
}

// addTable adds a table of values.
func (p *passages) addTable(t *table.Table) { *p = append(*p, passage{values: t}) }

// paragraphs returns all that is said of an entry, in order.
func (e *Entry) paragraphs() (all passages) {
	all.addText("Statement", e.Statement)
	all.addText("Source", e.Source)
	all.addText("Place", e.Place)
	all.addText("Setting", e.Setting)
	all.addText("Published values", e.Reading)
	all.addText("Known to differ", e.Known)
	all.addText("Verdict", e.verdict())
	all.addText("Measured", e.Statistic)
	all.addText("Refuted by", e.Rule)
	for _, f := range e.Findings {
		all.addText(roleHeadings[f.Role], f.What)
		all.addText("Found", f.result())
		all.addCommand("Shown by", f.Command)
		if f.hasMeasured() {
			all.addTable(f.valueTable())
		}
	}
	all.addText("Proof", e.Proof)
	all.addText("Instead", e.Instead)
	all.addText("To decide it", e.Decide)
	all.addText("Experiments", TeX(strings.Join(e.Experiments, ", ")))
	all.addText("Cost", e.Cost)
	all.addCommand("Repeated by", e.Command)
	return all
}

// roleHeadings holds the heading of a finding of each role.
var roleHeadings = map[Role]string{Stated: "As stated", Amended: "As amended", Beside: "Beside"}

// result returns the outcome of a finding and the sentence that explains it.
func (f *Finding) result() TeX {
	if f.Text == "" {
		return TeX(f.Outcome)
	}
	return TeX(f.Outcome) + ": " + f.Text
}

// inSentence reports whether the text of a finding says what was found, and not a table of values.
func (f *Finding) inSentence() bool { return f.Text != "" && !f.comparesValues() }

// hasMeasured reports whether a finding has measured values beside published ones.
func (f *Finding) hasMeasured() bool { return f.comparesValues() && f.Outcome != NotPlayed }

// shortEntry holds an entry and what is written of it so far in a document of all entries. In such
// a document an entry is short: the proof, what is measured, and how published values were read are
// left to [Entry.paragraphs]. A text that an earlier entry has too is a link to that entry. There
// is one link for all texts that are those of one earlier entry, at the end; the texts of further
// entries are written again.
type shortEntry struct {
	*Entry
	passages
	said       map[TeX]string // which entry had a text first, by its name
	sharedWith string         // the earlier entry that has some of the texts; empty without one
	shared     []string       // the headings of these texts
}

// shortParagraphs returns the paragraphs of an entry in a document of all entries. What earlier
// entries said is added to.
func (e *Entry) shortParagraphs(said map[TeX]string) passages {
	s := &shortEntry{Entry: e, said: said}
	statement := e.Statement
	if e.Number == 0 { // the table of claims has their places
		statement += " (" + e.Place + ")"
	}
	s.addText("Statement", statement)
	s.addOnce("Setting", e.Setting)
	s.addText("Verdict", e.verdict())
	s.addFindings()
	s.addValues()
	s.addText("Instead", e.Instead)
	s.addText("To decide it", e.Decide)
	s.addOnce("Source", e.Source)
	s.addOnce("Known to differ", e.Known)
	// Of the entries that play the same other program, the first one has the command.
	if _, program, ok := strings.Cut(e.Command, " --external "); ok && s.saidBy(TeX(program)) == "" {
		s.addCommand("Repeated by", e.Command)
	}
	if s.shared != nil {
		s.addLink(input.Capital(strings.Join(s.shared, ", ")), s.sharedWith)
	}
	return s.passages
}

// saidBy returns the earlier entry that has said a text. Without one it returns "", and notes that
// this entry says it.
func (s *shortEntry) saidBy(text TeX) string {
	if first := s.said[text]; first != s.Name {
		s.said[text] = cmp.Or(first, s.Name)
		return first
	}
	return ""
}

// addOnce adds a text, or counts it among those that are shared with an earlier entry.
func (s *shortEntry) addOnce(heading string, text TeX) {
	if text == "" {
		return
	}
	first := s.saidBy(text)
	if first == "" || s.sharedWith != "" && s.sharedWith != first {
		s.said[text] = s.Name // which later entries link to
		s.addText(heading, text)
		return
	}
	s.sharedWith, s.shared = first, append(s.shared, strings.ToLower(heading))
}

// addFindings adds the findings that are no tables: of each role and outcome the first one, and how
// many more there are. Of what is amended it adds how many checks found no counterexample. What is
// found beside the statement is left out, unless there is nothing else.
func (s *shortEntry) addFindings() {
	onlyBeside := !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Role != Beside })
	type kind struct {
		role    Role
		outcome string
	}
	alike, shown := make(map[kind]int), make(map[kind]bool)
	for _, f := range s.Findings {
		if f.inSentence() {
			alike[kind{f.Role, f.Outcome}]++
		}
	}
	survived := 0 // checks of what is amended without a counterexample
	for _, f := range s.Findings {
		k := kind{f.Role, f.Outcome}
		switch {
		case f.Role == Beside && !onlyBeside: // left out
		case f.Role == Amended && f.Outcome == Survives:
			survived++
		case f.hasMeasured(): // its values are in the table of addValues
			if f.Role != Stated {
				s.addOnce("Amended", f.What)
			}
		case !f.inSentence():
			s.addText(roleHeadings[f.Role], f.What+": "+f.result())
		case !shown[k]:
			shown[k] = true
			if first := s.saidBy(f.Text); first != "" {
				s.addLink(roleHeadings[f.Role], first)
				continue
			}
			text := f.result()
			if more := alike[k] - 1; more > 0 {
				text += TeX(fmt.Sprintf(" (%d more)", more))
			}
			s.addText(roleHeadings[f.Role], text)
		}
	}
	switch survived {
	case 0:
	case 1:
		s.addText(roleHeadings[Amended], Survives)
	default:
		s.addText(roleHeadings[Amended], TeX(fmt.Sprintf("%s in %d checks", Survives, survived)))
	}
}

// addValues adds the table of all values that are compared, below a line that says what its rows
// have in common and where the published values are from. Without values it adds the latter, if
// there was something to compare.
func (s *shortEntry) addValues() {
	source, _, _ := strings.Cut(string(s.Reading), ":") // such as: read off a plot
	inCommon, values := s.allValuesTable()
	switch {
	case values != nil:
		text := string(Plain(inCommon))
		if inCommon != "" && source != "" {
			text += ", "
		}
		s.addText("Values", TeX(text+source))
		s.addTable(values)
	case !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.comparesValues() }):
		s.addText("Published values", TeX(source))
	}
}

// valueTable returns the table of published and measured values of a finding.
func (f *Finding) valueTable() *table.Table {
	t := &table.Table{Columns: table.Columns("curve", "metric", ">t", ">published", ">within",
		">measured",
		"")}
	for _, v := range f.Values {
		t.Rows = append(t.Rows, table.Plains(v.curve(), v.metric(), strconv.Itoa(v.T),
			optionalNumber(v.Published), optionalNumber(v.Within), v.measuredText(),
			cmp.Or(v.Agreement, "·")))
	}
	return t
}

// optionalNumber returns a number that may be missing.
func optionalNumber(x *float64) string {
	if x == nil {
		return "·"
	}
	return table.Trimmed(*x, 6)
}

// curve returns the name of the curve of a value.
func (v *Value) curve() string {
	if v.Problem != "" {
		return v.Name + " on " + v.Problem
	}
	return v.Name
}

// metric returns the metric of a value.
func (v *Value) metric() string {
	if v.Each {
		return v.Metric + "/t"
	}
	return v.Metric
}

// allValuesTable returns the table of the values of all findings that are compared, with a row for
// each curve, metric and round, and a column for each finding. If the metric or the round is the
// same in all rows, inCommon says it in place of a column. The table is nil if no value is
// published.
func (e *Entry) allValuesTable() (inCommon string, t *table.Table) {
	const metric, round, published, firstMeasured = 1, 2, 3, 4 // columns
	t = &table.Table{Columns: table.Columns("curve", "metric", ">t", ">published ± tolerance")}
	var compared []Finding
	for _, f := range e.Findings {
		if f.hasMeasured() {
			compared = append(compared, f)
			t.Columns = append(t.Columns, table.Columns(">"+measuredColumns[f.Role])...)
		}
	}
	known := false                  // some value is published
	rows := make(map[[3]string]int) // places in t.Rows, by curve, metric and round
	for i, f := range compared {
		for _, v := range f.Values {
			key := [3]string{v.curve(), v.metric(), strconv.Itoa(v.T)}
			k, seen := rows[key]
			if !seen {
				k = len(t.Rows)
				row := append(table.Plains(key[:]...), table.Plain(optionalNumber(v.Published)))
				rows[key], t.Rows = k, append(t.Rows, append(row, make([]table.Text, len(compared))...))
			}
			if v.Published != nil {
				known = true
				t.Rows[k][published] = table.Plain(optionalNumber(v.Published) + " ± " +
					optionalNumber(v.Within))
			}
			t.Rows[k][firstMeasured+i] = table.Plain(
				strings.TrimSpace(v.measuredText() + " " + v.Agreement))
		}
	}
	if !known {
		return "", nil
	}
	// remove removes a column whose cells are all alike, and returns its cell after a prefix.
	remove := func(column int, prefix string) (same []string) {
		first := t.Rows[0][column].Plain
		for _, row := range t.Rows {
			if row[column].Plain != first {
				return nil
			}
		}
		t.Columns = slices.Delete(t.Columns, column, column+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], column, column+1)
		}
		return []string{prefix + first}
	}
	sameRound := remove(round, "t = ")
	sameMetric := remove(metric, "")
	return strings.Join(append(sameMetric, sameRound...), ", "), t
}

// measuredColumns holds the heading of the values of a finding of each role.
var measuredColumns = map[Role]string{Stated: "measured", Amended: "amended", Beside: "beside"}

// measuredText returns the measured number with its error.
func (v *Value) measuredText() string {
	x, e := float64(v.Measured), float64(v.Error)
	switch {
	case math.IsNaN(x):
		return "·"
	case math.IsNaN(e):
		return table.Trimmed(x, 6)
	case e == 0:
		return table.Trimmed(x, 6) + " ± 0"
	}
	return table.Number(x, e).Plain
}

// WriteText writes the paragraphs of an entry for a terminal, in lines of at most width
// characters.
func (e *Entry) WriteText(w io.Writer, width int) error {
	var out strings.Builder
	if e.Number > 0 {
		fmt.Fprintf(&out, "%d  ", e.Number)
	}
	fmt.Fprintln(&out, e.Name)
	const indent = 20
	for _, p := range e.paragraphs() {
		if p.values != nil {
			if err := table.WriteTerminal(&out, p.values, width); err != nil {
				return err
			}
			continue
		}
		for k, line := range table.Wrap(p.text.Unicode(), max(width-indent, 30)) {
			if k > 0 {
				p.heading = ""
			}
			fmt.Fprintf(&out, "%-*s%s\n", indent, p.heading, line)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteMarkdown writes the table of all entries and then each entry in short. Only WriteText has
// what is measured, the findings beside the statement, their commands, the proof and the cost.
func (d *Document) WriteMarkdown(w io.Writer) error {
	var out, index strings.Builder
	if err := table.WriteMarkdown(&index, d.Table()); err != nil {
		return err
	}
	linked := repeatedBlanks.ReplaceAllString(index.String(), " ") // links make cells wider
	for _, e := range d.Entries {
		linked = strings.Replace(linked, "| "+e.Name+" ", fmt.Sprintf("| [%s](#%[1]s) ", e.Name), 1)
	}
	fmt.Fprintf(&out, "# %s\n\n%s\n\n%s", d.Title, d.Introduction, linked)
	said := make(map[TeX]string)
	for _, e := range d.Entries {
		fmt.Fprintf(&out, "\n## %s\n\n", e.Name)
		afterTable := false
		for _, p := range e.shortParagraphs(said) {
			if p.values != nil || afterTable {
				out.WriteString("\n")
			}
			afterTable = p.values != nil
			switch text := p.text.Unicode(); {
			case p.values != nil:
				if err := table.WriteMarkdown(&out, p.values); err != nil {
					return err
				}
			case p.code:
				fmt.Fprintf(&out, "- **%s**: `%s`\n", p.heading, text)
			case p.link:
				fmt.Fprintf(&out, "- **%s**: as of [%s](#%[2]s)\n", p.heading, text)
			default:
				fmt.Fprintf(&out, "- **%s**: %s\n", p.heading, table.EscapeMarkdown(text))
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// repeatedBlanks matches two blanks or more.
var repeatedBlanks = regexp.MustCompile(` {2,}`)

// WriteJSON writes a document as one JSON object, which docs/article.md describes.
func (d *Document) WriteJSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Schema     string           `json:"schema"`
		Kind       string           `json:"kind"`
		Quick      bool             `json:"quick"`
		Provenance store.Provenance `json:"provenance"`
		Entries    []Entry          `json:"entries"`
	}{Schema, d.Name, d.Quick, store.CurrentProvenance(), d.Entries})
}
