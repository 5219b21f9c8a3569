package claims

import "fmt"

// combine returns a finding with the texts of f and g. Its outcome is that of g, or that of f if g
// survives.
func (f Finding) combine(g Finding) Finding {
	f.Text += "; " + g.Text
	if g.Outcome != Survives {
		f.Outcome = g.Outcome
	}
	return f
}

// addSentence adds a sentence to the text, after the separator between if there is a text.
func (f *Finding) addSentence(between, format string, args ...any) {
	if f.Text != "" {
		f.Text += between
	}
	f.Text += fmt.Sprintf(format, args...)
}

// refutesIf returns Refutes if there is a counterexample, and else Survives.
func refutesIf(counterexample bool) Outcome { return refutesOr(counterexample, Survives) }

// refutesOr returns Refutes if there is a counterexample, and else the other outcome.
func refutesOr(counterexample bool, otherwise Outcome) Outcome {
	if counterexample {
		return Refutes
	}
	return otherwise
}
