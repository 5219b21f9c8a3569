package report

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// An algorithm or a problem, an [experiment.Entry], is given three names:
//
//	penalised-ftrl:gamma=25    the SPEC
//	Penalised FTRL             the full name, of the registry; a name without one stands for it
//	mine                       the label, of the experiment file, which most entries lack
//
// Each view makes one of them: tables in text the title, which is the label or else the SPEC;
// LaTeX, figures and the page [Name], the label or else the full name with parameters; and a legend
// [lineLabel], what tells the entry from the others of the legend.

// metricSymbols holds the TeX symbols of the metrics in figures and LaTeX.
var metricSymbols = map[algorithms.Metric]string{
	"loss":                      `$\sum_i f_i(x_i)$`,
	algorithms.RegretXMin:       `$\mathcal{R}_t(X^{\min}_t)$`,
	algorithms.RegretXHat:       `$\mathcal{R}_t(\hat{X}^{\max}_t)$`,
	algorithms.RegretXMax:       `$\mathcal{R}_t(X^{\max}_t)$`,
	algorithms.RegretXE:         `$\mathcal{R}_t(X^E)$`,
	algorithms.RegretDeclared:   `$\mathcal{R}^{\mathrm{declared}}_t$`,
	algorithms.RegretDynamic:    `$\mathcal{R}^{\mathrm{d}}_t$`,
	"path_length":               `$P_t$`,
	"constraint_variation":      `$V_t$`,
	algorithms.SoftViolation:    `$\sum_j[\sum_i g_i^{(j)}(x_i)]_+$`,
	algorithms.HardViolation:    `$\sum_i\sum_j[g_i^{(j)}(x_i)]_+$`,
	algorithms.PenaltyViolation: `$\sum_i h_i(x_i)$`,
	algorithms.SquaredViolation: `$\sum_i\sum_j[g_i^{(j)}(x_i)]_+^2$`,
	algorithms.MaxViolation:     `$\max_{i,j}[g_i^{(j)}(x_i)]_+$`,
	algorithms.CCViolation:      `$\sum_i\max_j[g_i^{(j)}(x_i)]_+$`,
	algorithms.NormViolation:    `$\sum_i\|[g_i(x_i)]_+\|$`,
	"movement":                  `$\sum_i\|x_i-x_{i-1}\|$`,
	"violation_signed":          `$\sum_i\sum_j g_i^{(j)}(x_i)$`,
	"violation_running":         `$\max_{\tau\le t}\sum_j[\sum_{i\le\tau} g_i^{(j)}(x_i)]_+$`,
}

// setSymbols holds the TeX symbols of the comparator sets.
var setSymbols = map[string]string{
	"xmin": `$X^{\min}_t$`,
	"xhat": `$\hat{X}^{\max}_t$`,
	"xmax": `$X^{\max}_t$`,
	"xe":   `$X^E$`,

	"declared": "declared", // the set of the problem's own comparator has no symbol
}

// metricText returns the name of a metric in a table.
func metricText(m analysis.Metric) table.Text {
	if symbol := setSymbols[m.Set]; symbol != "" {
		return table.Text{Plain: m.Title, TeX: "regret vs " + symbol}
	}
	return table.Plain(m.Title)
}

// shortMetric returns the name of a metric without its kind, such as xhat or soft.
func shortMetric(m algorithms.Metric) string {
	_, name, _ := strings.Cut(string(m), "_")
	return name
}

// claimMetricText returns the short name of the metric of a claim, such as soft or vs xhat.
func claimMetricText(m analysis.Metric) table.Text {
	text := table.Text{Plain: shortMetric(m.Name), CSV: []string{string(m.Name)}}
	if m.Set != "" {
		text.Plain, text.TeX = "vs "+text.Plain, "vs "+setSymbols[m.Set]
	}
	return text
}

// Name returns what figures, LaTeX and the page call an algorithm or a problem, in TeX: its label,
// or else its full name with the parameters that its SPEC writes, such as "Penalised FTRL, $\gamma
// = 25$". If the SPEC names a store, so does the name.
func Name(e experiment.Entry) string {
	if e.Label != "" {
		return tex.Escape(e.Label)
	}
	args, source, err := writtenParams(e)
	if err != nil {
		return tex.Escape(e.Spec)
	}
	name := appendParams(tex.Escape(cmp.Or(e.FullName, e.Name)), args)
	if source != "" {
		name += " " + tex.Escape(source)
	}
	return name
}

// nameWithParams returns [Name] with all parameters that the SPEC writes, also those that a label
// does not name: "mine, $\gamma = 25$".
func nameWithParams(e experiment.Entry) string { return appendParams(Name(e), unnamedParams(e)) }

// appendParams appends parameters to a name in TeX.
func appendParams(name string, params []param) string {
	for _, p := range params {
		name += ", " + tex.Param(p.name, p.value)
	}
	return name
}

// A param is a parameter of an algorithm or a problem with its value, as they are shown.
type param struct{ name, value string }

// writtenParams returns the parameters that the SPEC of an entry writes, and its end that names
// the store which the entry is from, such as "@ old".
func writtenParams(e experiment.Entry) (all []param, source string, err error) {
	written := e.Spec
	if cut, ok := strings.CutSuffix(e.Spec, " @ "+e.Source); ok {
		written, source = cut, e.Spec[len(cut)+1:]
	}
	u, err := spec.ParseSpec(written)
	if err != nil {
		return nil, "", err
	}
	for _, a := range u.Args {
		all = append(all, param{a.Key, cmp.Or(a.Value.Text, e.Param(a.Key))})
	}
	return all, source, nil
}

// unnamedParams returns the parameters that the SPEC of a labelled entry writes and its label does
// not name. Of penalised-ftrl:gamma=25,kappa=2 with the label "mine, gamma = 25" of a sweep over
// gamma, this is kappa. It returns nil for an entry without a label, of which [Name] has all.
func unnamedParams(e experiment.Entry) (all []param) {
	if e.Label == "" {
		return nil
	}
	written, _, _ := writtenParams(e)
	return slices.DeleteFunc(written, func(p param) bool { return labelHasValue(e, p.name) })
}

// nameInSentence returns [Name] in the middle of a sentence, where the full name of a problem of
// the registry begins with a small letter, unless it names persons or begins with an acronym.
func nameInSentence(e experiment.Entry) string {
	name, isProblem := Name(e), e.Feedback == "" // only algorithms have feedback
	if isProblem && e.Label == "" && commonNoun.MatchString(e.FullName) &&
		!persons.MatchString(e.FullName) {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	return name
}

// commonNoun matches a full name whose first word has one capital, its first letter. persons
// matches one that begins with names of authors.
var (
	commonNoun = regexp.MustCompile(`^[A-Z][^A-Z ]`)
	persons    = regexp.MustCompile(`^[A-Z][a-z]+( et al\.|(,| and) [A-Z])`)
)

// Undrawable returns a warning for each algorithm and each problem of an analysis whose name has
// characters that documents and figures lack.
func Undrawable(a *analysis.Analysis) error {
	var all []error
	warn := func(e experiment.Entry) {
		var chars []string
		for _, r := range tex.Missing(Name(e)) {
			chars = append(chars, fmt.Sprintf("%c (U+%04X)", r, r))
		}
		if len(chars) > 0 {
			all = append(all, fmt.Errorf("%s: figures and LaTeX have no %s, and show the code instead; "+
				"give it a label in Latin or Greek letters", input.Shown(e.LabelOrSpec()),
				input.Few(chars, ", ")))
		}
	}
	for _, e := range a.Algorithms {
		warn(e)
	}
	for _, p := range a.Problems {
		warn(p.Entry)
	}
	return errors.Join(all...)
}

// entryText returns how a table names an algorithm or a problem: text has its title, LaTeX its
// [Name], both with a remark on deterministic problems, and CSV the SPEC.
func entryText(e experiment.Entry) table.Text {
	text := table.Text{Plain: e.LabelOrSpec(), TeX: Name(e), CSV: []string{e.Spec}}
	if e.Deterministic {
		text.Plain, text.TeX = text.Plain+" (deterministic)", text.TeX+" (deterministic)"
	}
	return text
}

// textInSentence returns [entryText] in the middle of a sentence.
func textInSentence(e experiment.Entry) table.Text {
	text := entryText(e)
	text.TeX = nameInSentence(e) + strings.TrimPrefix(text.TeX, Name(e))
	return text
}

// nameText returns an algorithm or a problem in a cell: text has its title, and LaTeX its [Name].
func nameText(e experiment.Entry) table.Text {
	return table.Text{Plain: e.LabelOrSpec(), TeX: Name(e)}
}

// joinTexts concatenates texts, in plain form and in TeX.
func joinTexts(texts ...table.Text) (out table.Text) {
	for _, t := range texts {
		src := t.TeX
		if src == "" {
			src = tex.BetweenBlanks(t.Plain, tex.Prose)
		}
		out.Plain += t.Plain
		out.TeX += src
	}
	return out
}

// withExperiment returns a title that names the experiment, but for LaTeX: an article has its own
// name for it, and the notes have this one.
func (v *analysisView) withExperiment(title table.Text) table.Text {
	title = joinTexts(title)
	title.Plain += ", experiment " + v.Experiment.Name
	return title
}

// joinNames joins names as in "a, b and c". It panics without names.
func joinNames(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return names[0]
}

// lineLabel returns the label of an entry in a legend of all entries, in TeX: its own label, its
// full name and parameters, joined by commas, as far as they tell it from the others. For example:
//
//	penalised-ftrl:gamma=5                 Penalised FTRL, $\gamma = 5$
//	penalised-ftrl:gamma=25                Penalised FTRL, $\gamma = 25$
//	ogd:step=3                             Gradient descent
//	penalised-ftrl:gamma=1, label mine     mine
//
// Of the first two alone it is $\gamma = 5$ and $\gamma = 25$, and of one entry alone its label and
// its full name. It is the SPEC, ogd:step=3, where another entry has the label
// "Gradient descent".
func lineLabel(e experiment.Entry, all []experiment.Entry) string {
	fullName := tex.Escape(cmp.Or(e.FullName, e.Name))
	needsFullName, fullNameIsTaken := len(all) == 1, false
	var alike []experiment.Entry // the entries with the label and the name of e, and e itself
	for _, other := range all {
		switch {
		case other.Label == e.Label && other.Name == e.Name: // parameters tell them apart
			alike = append(alike, other)
		case other.Label == e.Label: // the full names tell them apart
			needsFullName = true
		case e.Label == "": // the full name tells e from the label of the other
			needsFullName = true
			fullNameIsTaken = fullNameIsTaken || tex.Escape(other.Label) == fullName
		default: // the label of e tells them apart
		}
	}
	varying := experiment.Varying(alike)
	if fullNameIsTaken && varying == nil {
		return tex.Escape(e.Spec)
	}
	var parts []string
	if e.Label != "" {
		parts = append(parts, tex.Escape(e.Label))
	}
	if needsFullName {
		parts = append(parts, fullName)
	}
	for _, name := range varying {
		if value := e.Param(name); value != "" {
			parts = append(parts, tex.Param(name, value))
		}
	}
	return strings.Join(parts, ", ")
}
