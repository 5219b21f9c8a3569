package paper

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"ocobench/report"
	"ocobench/report/table"
)

// WriteLaTeX writes the entries for an article: for each a command
//
//	\ococlaim{number}{place}{statement}{setting}{verdict}{evidence}
//
// that the article defines. The setting may be empty. The evidence begins with what has to be
// assumed, read or corrected, where the verdict is about that.
func (d *Document) WriteLaTeX(w io.Writer) error {
	var out strings.Builder
	out.WriteString("% Generated; needs amsmath, amssymb and a definition of \\ococlaim with six " +
		"arguments:\n% number, place, statement, setting, verdict, evidence.\n")
	for _, e := range d.Entries {
		verdict := e.Verdict
		if e.amendment() == "" {
			verdict += "."
		}
		fmt.Fprintf(&out, "\\ococlaim{%d}{%s}{%s}{%s}{%s}{%s}\n", e.Number, e.Place, e.Statement,
			allowBreaks(asSentence(e.Setting)), verdict, allowBreaks(e.shortEvidence()))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// shortEvidence returns the evidence of a verdict in short: the reason or the amendment, the
// findings that decide and, unless the statement is amended, what is true instead or would decide.
func (e *Entry) shortEvidence() TeX {
	texts := []TeX{asSentence(e.Reason)}
	amendment := e.amendment()
	if amendment != "" { // it continues "holds if" or "fails"
		texts[0] = TeX(strings.TrimSuffix(string(amendment), ".") + ".")
	}
	for _, f := range e.Findings {
		if f.Decides {
			texts = append(texts, asSentence(f.Text))
		}
	}
	if amendment == "" {
		texts = append(texts, asSentence(e.Instead), asSentence(e.Decide))
	}
	var out strings.Builder
	for _, text := range texts {
		if out.Len() > 0 && text != "" {
			out.WriteString(" ")
		}
		out.WriteString(string(text))
	}
	return TeX(out.String())
}

// asSentence returns a text with a capital and a full stop, or "" for "".
func asSentence(text TeX) TeX {
	if text == "" {
		return ""
	}
	r := []rune(text)
	r[0] = unicode.ToUpper(r[0])
	return TeX(strings.TrimSuffix(string(r), ".") + ".")
}

// WriteMacros writes a LaTeX command for every verdict, every number behind it, and how many
// entries have each verdict, such as \ocoClaimSetsNested, \ocoClaimLeaderStepRatio and
// \ocoClaimsHolds. Numbers of the second finding of an entry have Two before their name, and so on.
// It also writes commands for the number, statement, setting and amendment of every entry, such as
// \ocoClaimLeaderStepNumber, …Sentence, …Hypothesis and …Amendment.
func (d *Document) WriteMacros(w io.Writer) error {
	var out strings.Builder
	command := func(name string, value TeX) {
		fmt.Fprintf(&out, "\\newcommand{\\oco%s}{%s}\n", name, value)
	}
	plural := report.Letters(d.Name)
	out.WriteString("% Generated: the verdicts, and the numbers behind them.\n")
	command(plural, TeX(strconv.Itoa(len(d.Entries))))
	for _, verdict := range d.Verdicts {
		command(plural+report.Letters(verdict), TeX(strconv.Itoa(d.countVerdict(verdict))))
	}
	for _, e := range d.Entries {
		base := strings.TrimSuffix(plural, "s") + report.Letters(e.Name)
		command(base, TeX(e.Verdict))
		command(base+"Number", TeX(strconv.Itoa(e.Number)))
		command(base+"Sentence", allowBreaks(e.Statement))
		command(base+"Hypothesis", allowBreaks(asSentence(e.Setting)))
		command(base+"Amendment", allowBreaks(e.amendment()))
		for k, f := range e.Findings {
			prefix := base
			if k > 0 {
				prefix += report.Letters(strconv.Itoa(k + 1))
			}
			for _, v := range f.Values {
				x := float64(v.Measured)
				if v.Metric == "" && !math.IsNaN(x) && !math.IsInf(x, 0) {
					command(prefix+report.Letters(v.Name), macroNumber(x))
				}
			}
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// macroNumber returns a number for prose: four digits without zeros at the end, and a power of ten
// after × where tables have ·.
func macroNumber(x float64) TeX {
	number, power, raised := strings.Cut(strings.Trim(table.Precise(x, 4).TeX, "$"), `\cdot`)
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	if raised {
		number += `\times` + power
	}
	return TeX(`\ensuremath{` + number + `}`)
}

// allowBreaks lets LaTeX break the SPECs in a text after a sign of punctuation.
func allowBreaks(text TeX) TeX {
	signs := strings.NewReplacer(":", `:\allowbreak{}`, ",", `,\allowbreak{}`, "-",
		`-\allowbreak{}`, "=", `=\allowbreak{}`)
	return TeX(texttt.ReplaceAllStringFunc(string(text), func(s string) string {
		return `\texttt{` + signs.Replace(s[len(`\texttt{`):])
	}))
}

// texttt matches a command that sets its argument in typewriter type.
var texttt = regexp.MustCompile(`\\texttt\{[^{}]*\}`)
