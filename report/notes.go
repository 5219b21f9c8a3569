package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// Each table has one list of notes, the sentences below it, the most important first. [showNotes]
// takes the first ones whose condition holds, and [note.render] makes text and LaTeX of each.

// maxNotes is the largest number of notes below a table, with the one on the experiment.
const maxNotes = 5

// A note is a sentence that a table shows when its condition holds.
type note struct {
	when   bool
	text   string // a format of [fmt.Sprintf]
	args   []any  // numbers, texts, mentions, and lists: names, clauses, quantity
	onlyIn medium // empty for all
	// textSuffix follows the sentence in text only, such as a command that shows more.
	textSuffix string
}

// A medium restricts a note to one kind of output.
type medium string

const (
	inText  medium = "text" // terminal, Markdown and HTML
	inLaTeX medium = "LaTeX"
)

// Arguments of notes besides numbers and texts.
type (
	names    []string // a, b and 3 more
	clauses  []string // a; b and 3 more
	quantity struct { // 1 pair, 2 pairs
		n    int
		noun string
	}
)

// noteIf returns a note for all media that is shown if the condition holds.
func noteIf(when bool, text string, args ...any) note {
	return note{when: when, text: text, args: args}
}

// titleText returns a title, a heading or the text of a cell, with arguments and formulas as in a
// note. Names are not in italics, since the class of an article sets titles in its own font.
func titleText(text string, args ...any) table.Text {
	filled := note{text: text, args: args}.fill()
	return table.Text{Plain: withoutMentions(filled), TeX: withFormulas(filled, "%s")}
}

// alwaysShown returns the text of a note without a condition.
func alwaysShown(text string, args ...any) table.Text {
	return noteIf(true, text, args...).render()
}

// entryMention returns an algorithm or a problem as an argument of a note: its title, for text, and
// its name in TeX, for LaTeX, between control characters that [mentioned] matches.
func entryMention(e experiment.Entry) string {
	return "\x02" + e.LabelOrSpec() + "\x1f" + nameInSentence(e) + "\x03"
}

// mentioned matches what [entryMention] returns.
var mentioned = regexp.MustCompile("\x02([^\x02\x1f]*)\x1f([^\x03]*)\x03")

// mention returns [entryMention] of the algorithm or the problem with a SPEC.
func (v *analysisView) mention(spec string) string { return entryMention(v.Entry(spec)) }

// render returns the sentence. LaTeX sets comparator sets, √t, t, T and their powers as formulas,
// and names in italics, since some have commas.
func (n note) render() table.Text {
	text := n.fill()
	plain, latex := withoutMentions(text)+n.textSuffix, withFormulas(text, `\emph{%s}`)
	switch n.onlyIn {
	case inText:
		return table.Text{Plain: plain, NotInLaTeX: true}
	case inLaTeX:
		return table.Text{TeX: latex}
	}
	return table.Text{Plain: plain, TeX: latex}
}

// withoutMentions returns a text with the titles that it mentions in place of the mentions.
func withoutMentions(text string) string { return mentioned.ReplaceAllString(text, "$1") }

// fill returns the text of the note with its arguments.
func (n note) fill() string {
	var args []any
	for _, a := range n.args {
		switch arg := a.(type) {
		case names:
			a = input.Few(arg, ", ")
		case clauses:
			a = input.Few(arg, "; ")
		case quantity:
			a = input.Plural(arg.n, arg.noun)
		}
		args = append(args, a)
	}
	return fmt.Sprintf(n.text, args...)
}

// withFormulas returns a text in TeX, with sets, √t, t, T and their powers as formulas. The format,
// such as \emph{%s}, wraps each mention. A mention that begins the sentence gets a capital letter.
func withFormulas(text, format string) string {
	// Code points for private use stand for the mentions meanwhile, so that their TeX stays as it is.
	var mentions []string
	begins := strings.HasPrefix(text, "\x02")
	text = mentioned.ReplaceAllStringFunc(text, func(m string) string {
		mentions = append(mentions, mentioned.FindStringSubmatch(m)[2])
		return string(rune(firstMention + len(mentions) - 1))
	})
	if begins && len(mentions) > 0 && mentions[0] != "" {
		mentions[0] = strings.ToUpper(mentions[0][:1]) + mentions[0][1:]
	}
	latex := formulas.ReplaceAllStringFunc(tex.Prose(text), formulaOf)
	for k, title := range mentions {
		latex = strings.ReplaceAll(latex, string(rune(firstMention+k)), fmt.Sprintf(format, title))
	}
	return latex
}

// formulaOf returns in TeX what [formulas] matches in an escaped text.
func formulaOf(match string) string {
	base, power, hasPower := strings.Cut(match, tex.Escape("^"))
	switch {
	case hasPower && len(power) > 1:
		return "$" + base + "^{" + power + "}$"
	case hasPower:
		return "$" + base + "^" + power + "$"
	case match == "√t":
		return `$\sqrt{t}$`
	case match == exponentP:
		return "Exponent $p$"
	case match[0] == 't' || match[0] == 'T':
		return "$" + match + "$"
	case match[0] == '\'': // of a word such as can't
		return match
	}
	return setSymbols[setNames[match]]
}

// firstMention is the code point for private use that stands for the first mention of a sentence.
const firstMention = 0xf0000

// setNames are the names of the comparator sets that have symbols, by the escaped name in titles.
var setNames = func() map[string]string {
	sets := make(map[string]string)
	for _, m := range game.Metrics {
		if name, ok := strings.CutPrefix(m.Title, "regret vs "); ok && setSymbols[m.Set] != "" {
			sets[tex.Escape(name)] = m.Set
		}
	}
	return sets
}()

// exponentP is the beginning of the sentence on exponents, whose p is set as a formula.
const exponentP = "Exponent p"

// formulas matches what LaTeX sets as formulas: the names of sets, t and T, their values, and their
// powers.
var formulas = func() *regexp.Regexp {
	all := []string{"[tT](" + regexp.QuoteMeta(tex.Escape("^")) + "([pq]|-?[0-9.]*[0-9])| = [0-9]+)?"}
	for name := range setNames {
		all = append(all, regexp.QuoteMeta(name))
	}
	slices.Sort(all)
	return regexp.MustCompile(`√t|'t|` + exponentP + `|\b(` + strings.Join(all, "|") + `)\b`)
}()

// showNotes returns the first notes whose condition holds, at most [maxNotes] with the last one,
// which is always shown. Where notes are left out, it says which file has them.
func showNotes(all []note, last table.Text) []table.Text {
	return limitNotes(all, last, maxNotes)
}

// limitNotes returns the first notes whose condition holds, at most maxText of them in text and
// [maxNotes] in LaTeX, followed by the note last unless that is empty. A note that does not fit
// into one of the two stays in the other. Where text lacks notes, last says which file has them.
func limitNotes(all []note, last table.Text, maxText int) (shown []table.Text) {
	text, latex, omitted := 0, 0, false
	if last.Plain != "" {
		text, latex = 1, 1
	}
	for _, n := range all {
		if !n.when {
			continue
		}
		out := n.render()
		switch {
		case out.Plain == "":
		case text < maxText:
			text++
		default:
			out.Plain = ""
			omitted = true
		}
		switch {
		case out.NotInLaTeX:
		case latex < maxNotes:
			latex++
		case out.Plain == "":
			continue
		default:
			out.TeX, out.NotInLaTeX = "", true
		}
		if out.Plain+out.TeX != "" {
			shown = append(shown, out)
		}
	}
	switch {
	case last.Plain == "":
		return shown
	case omitted:
		last.Plain += " More notes: exponents.txt."
	}
	return append(shown, last)
}

// sourceNote returns the note on the experiment and the programs that computed it.
func (v *analysisView) sourceNote() note {
	made := []string{fmt.Sprintf("seed %d", v.Experiment.Seed)}
	for _, c := range v.Computed {
		program := fmt.Sprintf("ocobench %s, %s, %s", c.Version, c.Go, c.GOARCH)
		if len(v.Computed) > 1 {
			program += fmt.Sprintf(" (%d cells)", c.Cells)
		}
		made = append(made, program)
	}
	return note{text: "Experiment %s, %s.", args: []any{v.Experiment.Name, strings.Join(made, "; ")}}
}

// plainNote returns a note without arguments. An empty text is not shown.
func plainNote(text string) note { return noteIf(text != "", "%s", text) }
