// Package completion completes command lines in a shell: it goes through the words of one by
// the grammar of the program, and returns what may stand in place of the last.
package completion

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/paper/claims"
	"ocobench/paper/published"
	"ocobench/problems"
	"ocobench/report"
	"ocobench/report/table"
)

// Scripts has a script for each shell, by the name of the shell in the folder scripts. It
// calls the program with the words of a command line.
//
//go:embed scripts/*
var Scripts embed.FS

// Candidate holds a word that may stand at some place, and what it is.
type Candidate struct{ Word, Doc string }

// Complete returns the words that may stand in place of the last word of a command line and begin
// as it does. The words are those behind the name of the program.
func Complete(root *kong.Node, words []string, catalog experiment.Catalog) []Candidate {
	if len(words) == 0 {
		return nil
	}
	c := completer{catalog: catalog, verb: root, storeDir: "results",
		givenFlags: make(map[string]bool)}
	for _, word := range words[:len(words)-1] {
		c.takeWord(word)
	}
	last := words[len(words)-1]
	name, _, equals := strings.Cut(last, "=")
	switch {
	case c.pendingFlag != nil:
		return c.valueCandidates(c.pendingFlag.Value, "", last)
	case !c.flagsEnded && equals && strings.HasPrefix(last, "--"):
		if f := c.flagNamed(name); f != nil {
			return c.valueCandidates(f.Value, name+"=", last[len(name)+1:])
		}
		return nil
	case !c.flagsEnded && strings.HasPrefix(last, "-"):
		var all []Candidate
		for _, f := range c.knownFlags() {
			if !c.givenFlags[f.Name] {
				all = append(all, Candidate{"--" + f.Name, firstPart(f.Help)})
			}
		}
		return withPrefix(all, last)
	}
	return c.argumentCandidates(last)
}

// completer goes through the words of a command line up to the one that is completed.
type completer struct {
	catalog       experiment.Catalog
	verb          *kong.Node // the innermost so far
	storeDir      string
	argumentCount int             // positional arguments so far
	givenFlags    map[string]bool // by name: true if it cannot be repeated
	pendingFlag   *kong.Flag      // the flag whose value is the next word, or nil
	flagsEnded    bool            // -- has come, after which no word is a flag
}

// takeWord takes note of a word before the last: a flag, its value, a verb or an argument.
func (c *completer) takeWord(word string) {
	name, text, equals := strings.Cut(word, "=")
	switch {
	case c.pendingFlag != nil:
		c.noteValue(c.pendingFlag, word)
		c.pendingFlag = nil
	case !c.flagsEnded && word == "--":
		c.flagsEnded = true
	case !c.flagsEnded && strings.HasPrefix(word, "-"):
		f := c.flagNamed(name)
		if f == nil {
			return
		}
		c.givenFlags[f.Name] = !f.IsCumulative()
		if equals {
			c.noteValue(f, text)
		} else if !f.IsBool() {
			c.pendingFlag = f
		}
	default:
		verb := func(n *kong.Node) bool { return n.Name == word && !n.Hidden }
		if k := slices.IndexFunc(c.verb.Children, verb); k >= 0 {
			c.verb = c.verb.Children[k]
		} else {
			c.argumentCount++
		}
	}
}

// argumentCandidates returns the verbs and the values of a positional argument that begin with
// text.
func (c *completer) argumentCandidates(text string) (all []Candidate) {
	for _, n := range c.verb.Children {
		if !n.Hidden {
			all = append(all, Candidate{n.Name, firstPart(n.Help)})
		}
	}
	all = withPrefix(all, text)
	arguments, k := c.verb.Positional, c.argumentCount
	if last := len(arguments) - 1; last >= 0 && k > last && arguments[last].IsCumulative() {
		k = last // the last argument may be repeated
	}
	if k < len(arguments) {
		all = append(all, c.valueCandidates(arguments[k], "", text)...)
	}
	return all
}

// knownFlags returns the flags of the verb and of its parents; where no verb was given, those of
// the default one.
func (c *completer) knownFlags() (all []*kong.Flag) {
	node := c.verb
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for _, group := range node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

// flagNamed returns the flag of a name, which begins with --, or nil if there is none.
func (c *completer) flagNamed(name string) *kong.Flag {
	for _, f := range c.knownFlags() {
		if "--"+f.Name == name {
			return f
		}
	}
	return nil
}

// noteValue keeps the value of the flag --store, in which stored experiments are looked up.
func (c *completer) noteValue(f *kong.Flag, text string) {
	if f.Name == "store" {
		c.storeDir = text
	}
}

// valueCandidates returns the values of a flag or an argument that begin with text, each behind a
// prefix. The tag completes of the flag lists the words that it takes, and @KIND for all names of
// one kind.
func (c *completer) valueCandidates(v *kong.Value, prefix, text string) []Candidate {
	if list := v.IsCumulative() && v.Tag.Sep == ','; list && v.Flag != nil {
		k := strings.LastIndex(text, ",") + 1
		prefix, text = prefix+text[:k], text[k:]
	}
	var all []Candidate
	tag := v.Tag.Get("completes")
	switch name, rest, parameterised := strings.Cut(text, ":"); {
	case tag == "" && v.Enum != "":
		for _, word := range v.EnumSlice() {
			all = append(all, Candidate{Word: word})
		}
	case tag == "": // any text
	case parameterised:
		for kind := range strings.SplitSeq(tag, ",") {
			all = append(all, parameterCandidates(c.parametersOf(kind, name), prefix+name+":", rest)...)
		}
		return all
	default:
		for kind := range strings.SplitSeq(tag, ",") {
			all = append(all, Names(c.catalog, c.storeDir, kind)...)
		}
	}
	all = withPrefix(all, text)
	for k := range all {
		all[k].Word = prefix + all[k].Word
	}
	return all
}

// Names returns the names of a kind such as @algorithm, or the kind itself if it is a word without
// @. Stored experiments are looked up in the store dir.
func Names(catalog experiment.Catalog, dir, kind string) (all []Candidate) {
	add := func(word, doc string) { all = append(all, Candidate{word, firstPart(doc)}) }
	var undescribed []string
	switch kind {
	case "@algorithm":
		for _, a := range catalog.Algorithms {
			add(a.Name, a.Doc)
		}
	case "@problem":
		for _, p := range catalog.Problems {
			add(p.Name, p.Doc)
		}
	case "@experiment":
		for _, name := range experiments.Names() {
			x, err := experiments.Read(name)
			if err == nil {
				add(name, x.Description)
			}
		}
	case "@stored":
		if s, err := store.Open(dir); err == nil {
			undescribed, _ = s.Names()
		}
	case "@metric":
		for _, m := range game.Select(func(m game.Metric) bool { return m.Exported }) {
			add(string(m.Name), m.Title)
		}
	case "@claim":
		for _, c := range claims.All() {
			add(c.Name, "")
		}
	case "@paper":
		undescribed = published.Papers()
	case "@format":
		undescribed = report.Formats()
	case "@table":
		undescribed = table.Names()
	case "@value":
		names, docs := report.CellValues()
		for k, name := range names {
			add(name, docs[k])
		}
	default:
		undescribed = []string{kind}
	}
	for _, name := range undescribed {
		add(name, "")
	}
	return all
}

// parametersOf returns the parameters of an algorithm or a problem.
func (c *completer) parametersOf(kind, name string) []spec.Param {
	switch kind {
	case "@algorithm":
		a, _ := algorithms.Lookup(c.catalog.Algorithms, name)
		return experiment.Parameters(a)
	case "@problem":
		p, _ := problems.Lookup(c.catalog.Problems, name)
		return experiment.ProblemParameters(p)
	}
	return nil
}

// parameterCandidates completes the last parameter of a SPEC: its name, or its value.
func parameterCandidates(params []spec.Param, prefix, text string) (all []Candidate) {
	k := strings.LastIndex(text, ",") + 1
	prefix, text = prefix+text[:k], text[k:]
	key, value, equals := strings.Cut(text, "=")
	for _, p := range params {
		switch {
		case !equals:
			all = append(all, Candidate{p.Name + "=", firstPart(p.Doc)})
		case p.Name == key && p.Type == "boolean":
			all = append(all, Candidate{Word: "true"}, Candidate{Word: "false"})
		case p.Name == key:
			for _, v := range p.Enum {
				all = append(all, Candidate{Word: v})
			}
		}
	}
	if equals {
		prefix, text = prefix+key+"=", value
	}
	all = withPrefix(all, text)
	for k := range all {
		all[k].Word = prefix + all[k].Word
	}
	return all
}

// withPrefix returns the candidates that begin with a text.
func withPrefix(all []Candidate, text string) []Candidate {
	return slices.DeleteFunc(all, func(c Candidate) bool { return !strings.HasPrefix(c.Word, text) })
}

// firstPart returns a text up to its first semicolon or the end of its first sentence.
func firstPart(doc string) string {
	if rest := furtherParts.FindStringIndex(doc); rest != nil {
		doc = doc[:rest[0]]
	}
	return strings.TrimSuffix(doc, ".")
}

// furtherParts matches the beginning of a second part or sentence.
var furtherParts = regexp.MustCompile(`; |\. \p{Lu}`)
