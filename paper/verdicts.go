package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"ocobench/harness/store"
	"ocobench/paper/claims"
	"ocobench/report"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// Verdicts returns the table of the claims of the paper with their verdicts.
func Verdicts(all []claims.Verdict, quick bool) *table.Table {
	t := &table.Table{
		Title: table.Plain("The claims of the paper: " + tallied(all)),
		Label: "tab:claims",
		Columns: []table.Column{
			{Name: table.Plain("№"), Align: table.Right}, {Name: table.Plain("name")},
			{Name: table.Plain("place")}, {Name: table.Plain("verdict")},
		},
		Keys: 2,
		Notes: []table.Text{table.Plain("bench claims NAME prints a claim with the evidence for its " +
			"verdict.")},
	}
	for _, v := range all {
		t.Rows = append(t.Rows, []table.Text{
			table.Plain(strconv.Itoa(v.Claim.Number)), table.Plain(v.Claim.Name), table.TeX(v.Claim.Place),
			table.Plain(word(v.State)),
		})
	}
	if quick {
		t.Notes = append(t.Notes, table.Plain(QuickNote))
	}
	return t
}

// QuickNote is in everything that a quick run writes.
const QuickNote = "A quick run: fewer repetitions and replicates than the figures of an article " +
	"need."

// word is a verdict in a table.
func word(s claims.State) string {
	if s == claims.HoldsIf {
		return "holds if …"
	}
	return string(s)
}

// states are the verdicts in the order in which they are counted.
var states = []claims.State{claims.Holds, claims.HoldsIf, claims.Fails, claims.Open, claims.None}

// tallied counts verdicts.
func tallied(all []claims.Verdict) string {
	var parts []string
	for _, s := range states {
		if n := count(all, s); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", word(s), n))
		}
	}
	return strings.Join(parts, ", ")
}

func count(all []claims.Verdict, s claims.State) (n int) {
	for _, v := range all {
		if v.State == s {
			n++
		}
	}
	return n
}

// A passage is a part of the full account of a claim.
type passage struct{ heading, text string } // the text is TeX

// account is all that is said of a claim, in order. The findings are numbered as their
// checks.
func account(v claims.Verdict) (parts []passage) {
	add := func(heading, text string) {
		if text != "" {
			parts = append(parts, passage{heading, text})
		}
	}
	c := v.Claim
	add("Claim", c.Sentence)
	add("Place", c.Place)
	add("Assuming", c.Hypothesis)
	add("Verdict", strings.TrimSuffix(word(v.State), " …")+conditioned(v))
	add("No verdict because", c.Opinion)
	add("Measured", c.Statistic)
	add("Refuted by", c.Rule)
	for k, f := range v.Findings {
		heading := map[claims.Role]string{claims.Stated: "As stated",
			claims.Amended: "With the condition", claims.Beside: "Beside"}[c.Checks[k].Role]
		add(heading, c.Checks[k].What)
		add("Found", fmt.Sprintf("%s: %s", f.Outcome, f.Text))
		if c.Checks[k].Command != "" {
			add("Shown by", `\texttt{`+tex.Escape(c.Checks[k].Command)+`}`)
		}
	}
	add("Proof", c.Proof)
	add("Instead", c.Instead)
	add("To decide it", c.Decide)
	if c.Experiments != nil {
		add("Experiments", strings.Join(c.Experiments, ", "))
	}
	add("Cost", c.Cost)
	return parts
}

// conditioned is the condition of a verdict that has one.
func conditioned(v claims.Verdict) string {
	if v.State != claims.HoldsIf {
		return ""
	}
	return " " + v.Claim.Condition
}

// WriteVerdict writes all that is said of a claim for a terminal, in lines of at most
// width characters.
func WriteVerdict(w io.Writer, v claims.Verdict, width int) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%d  %s\n", v.Claim.Number, v.Claim.Name)
	const indent = 20
	for _, p := range account(v) {
		for k, line := range table.Wrap(tex.Unicode(p.text), max(width-indent, 30)) {
			if k > 0 {
				p.heading = ""
			}
			fmt.Fprintf(&out, "%-*s%s\n", indent, p.heading, line)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// verdictJSON is a verdict in JSON. Texts are plain.
type verdictJSON struct {
	Number      int         `json:"number"`
	Name        string      `json:"id"`
	Place       string      `json:"place"`
	Sentence    string      `json:"claim"`
	Hypothesis  string      `json:"hypothesis,omitempty"`
	Verdict     string      `json:"verdict"`
	Condition   string      `json:"condition,omitempty"`
	Opinion     string      `json:"opinion,omitempty"`
	Statistic   string      `json:"statistic,omitempty"`
	Rule        string      `json:"rule,omitempty"`
	Evidence    []checkJSON `json:"evidence"`
	Proof       string      `json:"proof,omitempty"`
	Instead     string      `json:"instead,omitempty"`
	Decide      string      `json:"decide,omitempty"`
	Experiments []string    `json:"experiments"`
	Cost        string      `json:"cost,omitempty"`
	Command     string      `json:"command"`
}

type checkJSON struct {
	Role    claims.Role `json:"role"`
	What    string      `json:"what"`
	Command string      `json:"command,omitempty"`
	claims.Finding
}

// WriteVerdictsJSON writes verdicts as one JSON object.
func WriteVerdictsJSON(w io.Writer, all []claims.Verdict, quick bool) error {
	plain := tex.Unicode
	list := []verdictJSON{}
	for _, v := range all {
		c := v.Claim
		e := verdictJSON{
			Number: c.Number, Name: c.Name, Place: plain(c.Place), Sentence: plain(c.Sentence),
			Hypothesis: plain(c.Hypothesis),
			Verdict:    string(v.State), Opinion: plain(c.Opinion), Statistic: plain(c.Statistic),
			Rule:     plain(c.Rule),
			Evidence: []checkJSON{}, Proof: plain(c.Proof), Decide: plain(c.Decide),
			Experiments: append([]string{}, c.Experiments...), Cost: c.Cost,
			Command: "bench claims " + c.Name,
		}
		if v.State == claims.HoldsIf {
			e.Condition = plain(c.Condition)
		}
		if v.State == claims.Fails || v.State == claims.HoldsIf {
			e.Instead = plain(c.Instead)
		}
		for k, f := range v.Findings {
			f.Text = plain(f.Text)
			e.Evidence = append(e.Evidence, checkJSON{
				c.Checks[k].Role, plain(c.Checks[k].What), c.Checks[k].Command, f,
			})
		}
		list = append(list, e)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Quick      bool             `json:"quick"`
		Provenance store.Provenance `json:"provenance"`
		Claims     []verdictJSON    `json:"claims"`
	}{quick, store.CurrentProvenance(), list})
}

// WriteVerdictsMarkdown writes a document with the table of the verdicts and the full
// account of every claim.
func WriteVerdictsMarkdown(w io.Writer, all []claims.Verdict, quick bool) error {
	var out strings.Builder
	out.WriteString("# The claims of the paper\n\n" +
		"Each sentence of the paper that can be tested, with its verdict. Verdicts are computed from " +
		"what the checks\n" +
		"find, by the rule that the doc of package `paper/claims` states. `bench claims NAME` does it " +
		"again for one.\n\n" + claims.Convention + "\n\n")
	if quick {
		out.WriteString(QuickNote + "\n\n")
	}
	fmt.Fprintf(&out, "Of %d claims: %s.\n\n| № | claim | verdict |\n|--:|---|---|\n", len(all),
		tallied(all))
	for _, v := range all {
		fmt.Fprintf(&out, "| %d | [%s](#%s) | %s |\n", v.Claim.Number, v.Claim.Name, v.Claim.Name,
			word(v.State))
	}
	for _, v := range all {
		fmt.Fprintf(&out, "\n## %s\n\n", v.Claim.Name)
		for _, p := range account(v) {
			text := tex.Unicode(p.text)
			if p.heading == "Shown by" {
				text = "`" + text + "`"
			} else {
				text = table.EscapeMarkdown(text)
			}
			fmt.Fprintf(&out, "- **%s**: %s\n", p.heading, text)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// WriteVerdictsTeX writes the claims for an article: for each a command
//
//	\ococlaim{number}{place}{sentence}{hypothesis}{verdict}{evidence}
//
// that the article defines. The hypothesis may be empty. The evidence of a claim that holds
// under a condition begins with the condition.
func WriteVerdictsTeX(w io.Writer, all []claims.Verdict) error {
	var out strings.Builder
	out.WriteString("% Generated; needs amsmath, amssymb and a definition of \\ococlaim with six " +
		"arguments:\n% number, place, sentence, hypothesis, verdict, evidence.\n")
	for _, v := range all {
		fmt.Fprintf(&out, "\\ococlaim{%d}{%s}{%s}{%s}{%s}{%s}\n", v.Claim.Number, v.Claim.Place,
			v.Claim.Sentence, breakable(sentence(v.Claim.Hypothesis)),
			strings.Replace(word(v.State)+".", " ….", "", 1), breakable(digest(v)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// digest is the evidence of a verdict in short: the condition, what decided, and what
// is true instead or would decide.
func digest(v claims.Verdict) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, sentence(text))
		}
	}
	if v.State == claims.HoldsIf {
		parts = append(parts, strings.TrimSuffix(v.Claim.Condition, ".")+".")
	}
	if v.State == claims.None {
		add(v.Claim.Opinion)
	}
	decides := func(k int, f claims.Finding) bool {
		role := v.Claim.Checks[k].Role
		switch v.State {
		case claims.Fails:
			return role == claims.Stated && f.Outcome == claims.Refutes
		case claims.HoldsIf:
			return role == claims.Stated && f.Outcome == claims.Refutes || role == claims.Amended
		case claims.None:
			return true
		}
		return role == claims.Stated
	}
	for k, f := range v.Findings {
		if decides(k, f) {
			add(f.Text)
		}
	}
	switch v.State {
	case claims.Fails:
		add(v.Claim.Instead)
	case claims.Open:
		add(v.Claim.Decide)
	}
	return strings.Join(parts, " ")
}

// sentence makes a sentence of a text in TeX, and nothing of none.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if r := []rune(text); unicode.IsLower(r[0]) {
		r[0] = unicode.ToUpper(r[0])
		text = string(r)
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// WriteVerdictMacros writes a LaTeX command for every verdict, every number that the
// findings give, and how many claims have each verdict, such as \ocoClaimSetsNested,
// \ocoClaimLeaderStepRatio and \ocoClaimsHold; and one for the sentence of every claim, its
// hypothesis, and the condition under which it holds, such as \ocoClaimLeaderStepSentence.
func WriteVerdictMacros(w io.Writer, all []claims.Verdict) error {
	var out strings.Builder
	command := func(name, value string) {
		fmt.Fprintf(&out, "\\newcommand{\\oco%s}{%s}\n", name, value)
	}
	fmt.Fprintf(&out, "%% Generated: the verdicts of the claims, and the numbers behind them.\n")
	command("Claims", strconv.Itoa(len(all)))
	for _, s := range states {
		command("Claims"+report.Letters(string(s)), strconv.Itoa(count(all, s)))
	}
	for _, v := range all {
		base := "Claim" + report.Letters(v.Claim.Name)
		command(base, strings.TrimSuffix(word(v.State), " …"))
		command(base+"Number", strconv.Itoa(v.Claim.Number))
		command(base+"Sentence", breakable(v.Claim.Sentence))
		command(base+"Hypothesis", breakable(sentence(v.Claim.Hypothesis)))
		command(base+"Condition", breakable(strings.TrimPrefix(conditioned(v), " ")))
		for k, f := range v.Findings {
			which := ""
			if k > 0 {
				which = report.Letters(strconv.Itoa(k + 1))
			}
			if f.Ratio != nil {
				command(base+which+"Ratio", quoted(*f.Ratio))
			}
			for _, value := range f.Values {
				command(base+which+report.Letters(value.Name), quoted(value.Value))
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// quoted is a number as prose quotes it.
func quoted(x float64) string {
	s := strconv.FormatFloat(x, 'g', 4, 64)
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		k, _ := strconv.Atoi(exponent)
		return fmt.Sprintf(`\ensuremath{%s\times 10^{%d}}`, mantissa, k)
	}
	return `\ensuremath{` + s + `}`
}
