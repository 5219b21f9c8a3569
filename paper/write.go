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
		Keys: 2, Columns: namedColumns("№>", "name", "place", "verdict"), Notes: table.Plains(d.Hint)}
	if compared {
		t.Keys, t.Columns = 1, namedColumns("name", "verdict", "as stated", "as amended")
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

// namedColumns returns columns with these names. Those that end in > are aligned to the right.
func namedColumns(names ...string) (all []table.Column) {
	for _, name := range names {
		c := table.Column{Name: table.Plain(strings.TrimSuffix(name, ">"))}
		if c.Name.Plain != name {
			c.Align = table.Right
		}
		all = append(all, c)
	}
	return all
}

// passage holds a part of what is written of an entry: a line of text, or a table.
type passage struct {
	heading string
	text    TeX
	code    bool         // the text is a command line
	link    bool         // the text is the name of an entry, which has the same under this heading
	values  *table.Table // if not nil, the passage is this table, and the other fields are unset
}

// paragraphs returns all that is said of an entry, in order.
func (e *Entry) paragraphs() (all []passage) {
	add := func(heading string, text TeX) { all = appendText(all, heading, text) }
	command := func(heading, line string) { all = appendCommand(all, heading, line) }
	add("Statement", e.Statement)
	add("Source", e.Source)
	add("Place", e.Place)
	add("Setting", e.Setting)
	add("Published values", e.Reading)
	add("Known to differ", e.Known)
	add("Verdict", e.verdict())
	add("Measured", e.Statistic)
	add("Refuted by", e.Rule)
	for _, f := range e.Findings {
		add(roleHeadings[f.Role], f.What)
		add("Found", f.result())
		command("Shown by", f.Command)
		if f.comparesValues() && f.Outcome != NotPlayed {
			all = append(all, passage{values: f.valueTable()})
		}
	}
	add("Proof", e.Proof)
	add("Instead", e.Instead)
	add("To decide it", e.Decide)
	add("Experiments", TeX(strings.Join(e.Experiments, ", ")))
	add("Cost", e.Cost)
	command("Repeated by", e.Command)
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

// shortParagraphs returns the paragraphs of an entry in a document of all entries: what it says,
// its verdict, the first finding of each role and outcome and how many more there are, how many
// checks of what is amended found no counterexample, and all values that are compared in one table.
// The proof, what is measured and how published values were read are left to paragraphs.
//
// A text that an earlier entry has too becomes a link to that entry: said maps each text to the
// name of the entry that had it first, and is added to.
func (e *Entry) shortParagraphs(said map[TeX]string) (all []passage) {
	add := func(heading string, text TeX) { all = appendText(all, heading, text) }
	linked := ""          // the one earlier entry that the last passage links to
	var repeated []string // the headings of the texts that this entry has too
	once := func(heading string, text TeX) {
		first := said[text]
		switch {
		case text == "":
		case first == "" || first == e.Name || linked != "" && linked != first:
			said[text] = e.Name
			add(heading, text)
		default:
			linked = first
			repeated = append(repeated, strings.ToLower(heading))
		}
	}
	statement := e.Statement
	if e.Number == 0 { // the table of claims has their places
		statement += " (" + e.Place + ")"
	}
	add("Statement", statement)
	once("Setting", e.Setting)
	add("Verdict", e.verdict())
	onlyBeside := !slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.Role != Beside })
	survived := 0 // checks of what is amended without a counterexample
	type roleAndOutcome struct {
		role    Role
		outcome string
	}
	// The number of findings in sentences, and 0 once the first one is shown.
	unshown := make(map[roleAndOutcome]int)
	for _, f := range e.Findings {
		if f.inSentence() {
			unshown[roleAndOutcome{f.Role, f.Outcome}]++
		}
	}
	constant, values := e.allValuesTable()
	for _, f := range e.Findings {
		key := roleAndOutcome{f.Role, f.Outcome}
		switch {
		case f.Role == Beside && !onlyBeside: // left to paragraphs
		case f.Role == Amended && f.Outcome == Survives:
			survived++
		case f.comparesValues() && f.Outcome != NotPlayed: // in the table of all values
			if f.Role != Stated {
				once("Amended", f.What)
			}
		case !f.inSentence():
			add(roleHeadings[f.Role], f.What+": "+f.result())
		case unshown[key] == 0: // the first one is shown
		case said[f.Text] != "" && said[f.Text] != e.Name:
			all = append(all, passage{heading: roleHeadings[f.Role], text: TeX(said[f.Text]), link: true})
			unshown[key] = 0
		default:
			said[f.Text] = e.Name
			text := f.result()
			if more := unshown[key] - 1; more > 0 {
				text += TeX(fmt.Sprintf(" (%d more)", more))
			}
			add(roleHeadings[f.Role], text)
			unshown[key] = 0
		}
	}
	switch survived {
	case 0:
	case 1:
		add(roleHeadings[Amended], Survives)
	default:
		add(roleHeadings[Amended], TeX(fmt.Sprintf("%s in %d checks", Survives, survived)))
	}
	source, _, _ := strings.Cut(string(e.Reading), ":") // such as: read off a plot
	if values != nil {
		text := string(Plain(constant))
		if constant != "" && source != "" {
			text += ", "
		}
		add("Values", TeX(text+source))
		all = append(all, passage{values: values})
	} else if !slices.ContainsFunc(e.Findings, func(f Finding) bool { return f.comparesValues() }) {
		add("Published values", TeX(source))
	}
	add("Instead", e.Instead)
	add("To decide it", e.Decide)
	once("Source", e.Source)
	once("Known to differ", e.Known)
	// Of the entries that play the same other program, the first one has the command.
	if _, program, ok := strings.Cut(e.Command, " --external "); ok {
		if _, again := said[TeX(program)]; !again {
			all = appendCommand(all, "Repeated by", e.Command)
		}
		said[TeX(program)] = e.Name
	}
	if repeated != nil {
		all = append(all, passage{heading: input.Capital(strings.Join(repeated, ", ")),
			text: TeX(linked), link: true})
	}
	return all
}

// appendText appends a passage of text, unless it is empty.
func appendText(all []passage, heading string, text TeX) []passage {
	if text == "" {
		return all
	}
	return append(all, passage{heading: heading, text: text})
}

// appendCommand appends a passage that is a command line, unless it is empty.
func appendCommand(all []passage, heading, line string) []passage {
	if line == "" {
		return all
	}
	return append(all, passage{heading: heading, text: Plain(line), code: true})
}

// valueTable returns the table of published and measured values of a finding.
func (f *Finding) valueTable() *table.Table {
	t := &table.Table{Columns: namedColumns("curve", "metric", "t>", "published>", "within>",
		"measured>",
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
// same in all rows, constant says it in place of a column. The table is nil if no value is
// published.
func (e *Entry) allValuesTable() (constant string, t *table.Table) {
	var columns []string                    // one a finding
	var rows [][3]string                    // curve, metric and round
	cells := make(map[[3]string][]string)   // of a row, in the order of columns
	published := make(map[[3]string]string) // of a row
	metrics, rounds := make(map[string]bool), make(map[string]bool)
	known := false
	for _, f := range e.Findings {
		if !f.comparesValues() || f.Outcome == NotPlayed {
			continue
		}
		columns = append(columns, measuredColumns[f.Role]+">")
		for _, v := range f.Values {
			key := [3]string{v.curve(), v.metric(), strconv.Itoa(v.T)}
			if _, seen := published[key]; !seen {
				rows = append(rows, key)
				published[key] = optionalNumber(v.Published)
			}
			if v.Published != nil {
				known = true
				published[key] = optionalNumber(v.Published) + " ± " + optionalNumber(v.Within)
			}
			for len(cells[key]) < len(columns)-1 {
				cells[key] = append(cells[key], "")
			}
			cells[key] = append(cells[key], strings.TrimSpace(v.measuredText()+" "+v.Agreement))
			metrics[key[1]], rounds[key[2]] = true, true
		}
	}
	if !known {
		return "", nil
	}
	head := []string{"curve"}
	var same []string
	if len(metrics) > 1 {
		head = append(head, "metric")
	} else {
		same = append(same, rows[0][1])
	}
	if len(rounds) > 1 {
		head = append(head, "t>")
	} else {
		same = append(same, "t = "+rows[0][2])
	}
	head = append(head, "published ± tolerance>")
	t = &table.Table{Columns: namedColumns(append(head, columns...)...)}
	for _, key := range rows {
		row := []string{key[0]}
		if len(metrics) > 1 {
			row = append(row, key[1])
		}
		if len(rounds) > 1 {
			row = append(row, key[2])
		}
		row = append(append(row, published[key]), cells[key]...)
		for len(row) < len(t.Columns) {
			row = append(row, "")
		}
		t.Rows = append(t.Rows, table.Plains(row...))
	}
	return strings.Join(same, ", "), t
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
