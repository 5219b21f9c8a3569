package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
)

// A word in the place of the value of a parameter may change how an algorithm starts: x0=random
// and doubling=warm. It is taken out of the use before the parameters are resolved, stands in the
// SPEC after them, and is recorded as the value of the parameter.

// word is such a value.
type word struct {
	key, text string
	apply     func(algorithms.Algorithm) (algorithms.Algorithm, error)
}

// words are in the order in which they are applied.
var words = []word{
	{"doubling", "warm", algorithms.Algorithm.WithWarmEpochs},
	{"x0", "random", algorithms.Algorithm.WithRandomStart},
}

// wordOf returns the word that an argument has for its value, or nil.
func wordOf(a spec.Arg) *word {
	k := slices.IndexFunc(words, func(w word) bool {
		return w.key == a.Key && w.text == strings.TrimSpace(a.Value.Text) && a.Value.Items == nil
	})
	if k < 0 {
		return nil
	}
	return &words[k]
}

// variants returns a use for each value of a list that contains a word, since words are no values
// of the parameter: doubling=[true,warm] is doubling=[true] and doubling=warm.
func variants(u spec.Use) []spec.Use {
	for i, a := range u.Args {
		items := a.Value.Items
		isWord := func(v spec.Value) bool { return wordOf(spec.Arg{Key: a.Key, Value: v}) != nil }
		if !slices.ContainsFunc(items, isWord) {
			continue
		}
		var all []spec.Use
		for _, item := range items {
			one := u
			one.Args = slices.Clone(u.Args)
			if isWord(item) {
				one.Args[i].Value = item
			} else {
				one.Args[i].Value.Items = []spec.Value{item}
			}
			all = append(all, variants(one)...)
		}
		return all
	}
	return []spec.Use{u}
}

// withoutWords returns the use without its words: the parameters then have their defaults.
func withoutWords(u spec.Use) spec.Use {
	u.Args = slices.DeleteFunc(slices.Clone(u.Args), func(a spec.Arg) bool { return wordOf(a) != nil })
	return u
}

// wordsOf are the words of a use, in the order of [words].
func wordsOf(u spec.Use) (all []spec.Arg) {
	for _, w := range words {
		for _, a := range u.Args {
			if of := wordOf(a); of != nil && of.key == w.key {
				all = append(all, a)
			}
		}
	}
	return all
}

// applyWords has the words of the use change the algorithm, and adds them to the SPEC.
func (c *Algorithm) applyWords(given []spec.Arg) error {
	for _, a := range given {
		w := wordOf(a)
		changed, err := w.apply(c.Algorithm)
		if err != nil {
			return a.Value.Pos.Refuse(fmt.Errorf("%s: %s: %w", a.Key, w.text, err))
		}
		c.Algorithm = changed
	}
	c.Spec = writeWords(c.Spec, given)
	return nil
}

// writeWords adds words to a SPEC.
func writeWords(text string, given []spec.Arg) string {
	for _, a := range given {
		separator := ","
		if !strings.Contains(text, ":") {
			separator = ":"
		}
		text += separator + a.Key + "=" + wordOf(a).text
	}
	return text
}
