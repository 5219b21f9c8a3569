package stats

import (
	"fmt"
	"strings"
)

// A Verdict says how the measured growth of a mean compares with a claimed rate such as √t. It is
// about the window that was measured: no window shows the limit t → ∞.
type Verdict string

const (
	AtMost    Verdict = "at most"             // grows at most like the claimed rate
	Above     Verdict = "above"               // grows faster
	Slowing   Verdict = "slowing"             // grows faster so far, and is shown to slow down
	Undecided Verdict = "undecided"           // the interval allows both
	TooLittle Verdict = "too little evidence" // the window, or the replicates, cannot tell
)

// Verdicts has all verdicts in the order of legends.
var Verdicts = []Verdict{AtMost, Above, Slowing, Undecided, TooLittle}

// Sign returns the character that stands for the verdict, and "·" for a pair that was not played
// or is not judged, which has the empty verdict. It panics if the verdict is unknown.
func (v Verdict) Sign() string { sign, _ := v.signAndWord(); return sign }

// Word returns the verdict in words, with the claimed rate in place: "at most √t".
func (v Verdict) Word(rate string) string {
	_, word := v.signAndWord()
	if v == AtMost || v == Above {
		word += " " + rate
	}
	return word
}

// Legend explains all signs of verdicts on a claimed rate with its exponent in one line:
//
//	✓ at most √t (exponent shown below 0.6) · ▲ above √t (shown above 0.52) · …
func Legend(rate string, exponent float64) string {
	var entries []string
	for _, v := range Verdicts {
		text := v.Sign() + " " + v.Word(rate)
		switch v {
		case AtMost:
			text += fmt.Sprintf(" (exponent shown below %.4g)", exponent+Near)
		case Above:
			text += fmt.Sprintf(" (shown above %.4g)", exponent+Beyond)
		}
		entries = append(entries, text)
	}
	return strings.Join(entries, " · ")
}

// signAndWord returns the sign of the verdict and its word. This is the table that all views read;
// package report/tex spells the signs for LaTeX, and report/table keeps a sign on the line of its
// word.
func (v Verdict) signAndWord() (sign, word string) {
	switch v {
	case AtMost:
		return "✓", "at most"
	case Above:
		return "▲", "above"
	case Slowing:
		return "△", "above so far, slowing"
	case Undecided:
		return "?", "undecided"
	case TooLittle:
		return "–", "too little evidence"
	case "":
		return "·", "not played"
	}
	panic(fmt.Sprintf("stats: unknown verdict %q", v))
}

// Worst returns the verdict on several quantities that are to keep a rate together: the first of
// Above, Slowing, Undecided, TooLittle, AtMost that one of them has. It is empty where one of them
// has no verdict, unless another one is Above or Slowing.
func Worst(verdicts ...Verdict) Verdict {
	if len(verdicts) == 0 {
		return ""
	}
	worst := AtMost
	for _, v := range verdicts {
		if v.severity() > worst.severity() {
			worst = v
		}
	}
	return worst
}

// severity orders verdicts from the best one to the worst.
func (v Verdict) severity() int {
	switch v {
	case AtMost:
		return 0
	case TooLittle:
		return 1
	case Undecided:
		return 2
	case "":
		return 3
	case Slowing:
		return 4
	}
	return 5
}
