// Package paper tests what papers say, and writes the results. It has three parts:
//
//   - [Document] holds tested statements with their verdicts. Two packages fill one:
//     paper/claims tests sentences of the paper that started this project, and
//     paper/published plays figures and tables of other papers again. Both go
//     entry → findings → verdict, and both are written by the methods of Document:
//     as a table and in full for a terminal, as Markdown, JSON, LaTeX and macros.
//   - [WriteArticle] writes the article about Penalised FTRL, which includes the claims.
//   - [PenaltySketch] draws the figure of the article that is not of an experiment.
//
// A verdict is computed from the findings by the package that fills the document, whose
// comment states the rule.
package paper

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/report/tex"
)

// Document holds entries of one kind.
type Document struct {
	*Kind
	Quick   bool // fewer repetitions and replicates than usual
	Entries []Entry
}

// Kind describes what the entries of a document have in common.
type Kind struct {
	Name         string // of the files of a document, such as claims for claims.md
	Title        string
	Introduction string   // says in Markdown what is tested, and what the verdicts mean
	Hint         string   // says how to print one entry
	Verdicts     []string // all verdicts of the kind, in the order in which they are counted
}

// TeX is a text in the language of package tex. Its JSON form is plain.
type TeX string

// Plain returns the TeX of a text that has no formulas.
func Plain(text string) TeX { return TeX(tex.Escape(text)) }

// Unicode returns the plain form.
func (t TeX) Unicode() string { return tex.Unicode(string(t)) }

// MarshalText implements [encoding.TextMarshaler].
func (t TeX) MarshalText() ([]byte, error) { return []byte(t.Unicode()), nil }

// Entry is a tested statement of a source, such as a theorem or a figure. Its texts are read
// from a file, and its verdict and findings are computed.
type Entry struct {
	Number    int    `json:"number,omitempty"`          // in its source, or 0
	Name      string `json:"name" yaml:"-"`             // of lower-case words joined by dashes
	Paper     string `json:"paper,omitempty"`           // its short name
	Source    TeX    `json:"source,omitempty"`          // authors, title and venue of the paper
	Place     TeX    `json:"place"`                     // in the source, such as "Theorem 1"
	Statement TeX    `json:"statement"`                 // what the source says or shows there
	Setting   TeX    `json:"setting,omitempty"`         // its hypotheses or parameters
	Verdict   string `json:"verdict" yaml:"-"`          // one of those of the [Kind]
	Reason    TeX    `json:"reason,omitempty" yaml:"-"` // why it is not decided
	Statistic TeX    `json:"statistic,omitempty"`       // what the findings measure
	Rule      TeX    `json:"rule,omitempty"`            // which outcome refutes the statement
	Reading   TeX    `json:"reading,omitempty"`         // how the published values were read
	Known     TeX    `json:"known,omitempty"`           // what is known to differ from the source

	// A verdict may be about a statement that is changed in up to three ways.
	ReadAs     TeX `json:"read_as,omitempty" yaml:"read-as"` // the reading, where another is refuted
	Condition  TeX `json:"condition,omitempty"`              // what has to be assumed besides
	Correction TeX `json:"correction,omitempty"`             // what the statement has to say instead

	Findings []Finding `json:"findings,omitempty" yaml:"-"`

	Proof       TeX      `json:"proof,omitempty"`       // of the statement, or under the condition
	Instead     TeX      `json:"instead,omitempty"`     // what is true in place of the statement
	Decide      TeX      `json:"decide,omitempty"`      // what would decide an open one
	Experiments []string `json:"experiments,omitempty"` // that the findings read
	Cost        TeX      `json:"cost,omitempty"`        // of the findings, in games or problems
	Command     string   `json:"command" yaml:"-"`      // tests the entry again
}

// Role says which form of a statement a finding is about.
type Role string

// The roles of a finding.
const (
	Stated  Role = "stated"  // as the source has it
	Amended Role = "amended" // under the condition, or with the change, that What names
	Beside  Role = "beside"  // something of interest that decides nothing
)

// Outcomes of a check of a claim, and of a comparison with published values.
const (
	Survives  = "no counterexample"
	Agrees    = "agrees"
	NotPlayed = "not played"
)

// Finding says what a test has found.
type Finding struct {
	Role    Role   `json:"role"`
	What    TeX    `json:"what"` // what was looked at
	Outcome string `json:"outcome"`
	Text    TeX    `json:"text"`              // what was found
	Decides bool   `json:"decides"`           // whether the verdict rests on it
	Command string `json:"command,omitempty"` // a command line that shows the evidence
	// Values are the numbers behind it.
	Values []Value `json:"values,omitempty"`
}

// Value is a measured number. One that a paper publishes too has a Metric, and Name is then
// that of its curve.
type Value struct {
	Name    string `json:"name" yaml:"curve"`
	Problem string `json:"problem,omitempty" yaml:"on"`
	Metric  string `json:"metric,omitempty"`
	T       int    `json:"t,omitempty" yaml:"at"` // the round
	Each    bool   `json:"each,omitempty"`        // the metric is divided by the round
	// Published is the number of the paper, and Within how far Measured may be from it.
	Published *float64 `json:"published,omitempty"`
	Within    *float64 `json:"within,omitempty"`
	// Error is half the width of the interval of Measured − Published: 0 without random
	// numbers, and NaN where it is unknown. Measured is NaN where nothing could be measured.
	Measured  analysis.Number `json:"measured" yaml:"-"`
	Error     analysis.Number `json:"error" yaml:"-"`
	Samples   int             `json:"samples,omitempty" yaml:"-"` // replicates or ratios it is from
	Agreement string          `json:"agreement,omitempty" yaml:"-"`
}

// amendment returns the words after a verdict that is about a changed statement: of one that holds
// if something is assumed, or read in a certain way, and of one that fails and is corrected.
func (e *Entry) amendment() TeX {
	var parts []string
	if e.ReadAs != "" {
		parts = append(parts, "read so: "+string(e.ReadAs))
	}
	if e.Condition != "" {
		parts = append(parts, string(e.Condition))
	}
	if e.Correction == "" {
		return TeX(strings.Join(parts, "; and if "))
	}
	corrected := "as printed, and holds corrected: " + string(e.Correction)
	return TeX(strings.Join(append([]string{corrected}, parts...), "; if "))
}

// verdict returns the verdict with what is amended and its reason.
func (e *Entry) verdict() TeX {
	verdict := TeX(e.Verdict)
	if amendment := e.amendment(); amendment != "" {
		verdict += " " + amendment
	}
	if e.Reason != "" {
		verdict += ": " + e.Reason
	}
	return verdict
}

// Summary says in a line what an entry is and what came out.
func (e *Entry) Summary() string {
	return (e.Source + ", " + e.Place + ": " + e.verdict()).Unicode()
}

// shortVerdict returns a verdict as tables have it, without its condition.
func shortVerdict(verdict string) string {
	if strings.HasSuffix(verdict, " if") {
		return verdict + " …"
	}
	return verdict
}

// countVerdict returns how many entries have a verdict.
func (d *Document) countVerdict(verdict string) (n int) {
	for _, e := range d.Entries {
		if e.Verdict == verdict {
			n++
		}
	}
	return n
}

// verdictCounts returns how many entries have each verdict, such as "holds 11, fails 13".
func (d *Document) verdictCounts() string {
	var parts []string
	for _, v := range d.Verdicts {
		if n := d.countVerdict(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", shortVerdict(v), n))
		}
	}
	return strings.Join(parts, ", ")
}

// agreements returns [Finding.Agreement] of the findings in a role, or a dot without any.
func (e *Entry) agreements(role Role) string {
	var all []string
	for _, f := range e.Findings {
		if f.Role == role {
			all = append(all, f.Agreement())
		}
	}
	if all == nil {
		return "·"
	}
	return strings.Join(all, "; ")
}

// Agreement says how many of the published values of a finding agree with the measured ones.
func (f *Finding) Agreement() string {
	agree, published := 0, 0
	for _, v := range f.Values {
		if v.Published != nil {
			published++
		}
		if v.Agreement == Agrees {
			agree++
		}
	}
	switch {
	case f.Outcome == NotPlayed:
		return NotPlayed
	case published == 0:
		return fmt.Sprintf("%d measured", len(f.Values))
	}
	return fmt.Sprintf("%d of %d agree", agree, published)
}

// comparesValues reports whether values of a finding are compared with those of a paper.
func (f *Finding) comparesValues() bool {
	return slices.ContainsFunc(f.Values, func(v Value) bool { return v.Metric != "" })
}
