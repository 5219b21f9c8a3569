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

// Candidate is a word that may stand at some place, and what it is.
type Candidate struct{ Word, Doc string }

// Complete returns the words that begin as the last one of a command line does, after the
// name of the program, in place of which they may stand.
func Complete(root *kong.Node, words []string, catalog experiment.Catalog) []Candidate {
	if len(words) == 0 {
		return nil
	}
	c := completer{catalog: catalog, node: root, store: "results", given: make(map[string]bool)}
	for _, word := range words[:len(words)-1] {
		c.pass(word)
	}
	last := words[len(words)-1]
	name, _, equals := strings.Cut(last, "=")
	switch {
	case c.pending != nil:
		return c.values(c.pending.Value, "", last)
	case !c.ended && equals && strings.HasPrefix(last, "--"):
		if f := c.flag(name); f != nil {
			return c.values(f.Value, name+"=", last[len(name)+1:])
		}
		return nil
	case !c.ended && strings.HasPrefix(last, "-"):
		var all []Candidate
		for _, f := range c.flags() {
			if !c.given[f.Name] {
				all = append(all, Candidate{"--" + f.Name, brief(f.Help)})
			}
		}
		return beginning(all, last)
	}
	return c.arguments(last)
}

// completer goes through a command line up to the word that is completed.
type completer struct {
	catalog  experiment.Catalog
	node     *kong.Node // the verb so far
	store    string
	position int             // the number of positional arguments so far
	given    map[string]bool // flags
	pending  *kong.Flag      // whose value is the next word
	ended    bool            // the flags, by --
}

// pass goes beyond a word.
func (c *completer) pass(word string) {
	name, text, equals := strings.Cut(word, "=")
	switch {
	case c.pending != nil:
		c.set(c.pending, word)
		c.pending = nil
	case !c.ended && word == "--":
		c.ended = true
	case !c.ended && strings.HasPrefix(word, "-"):
		f := c.flag(name)
		if f == nil {
			return
		}
		c.given[f.Name] = !f.IsCumulative()
		if equals {
			c.set(f, text)
		} else if !f.IsBool() {
			c.pending = f
		}
	default:
		verb := func(n *kong.Node) bool { return n.Name == word && !n.Hidden }
		if k := slices.IndexFunc(c.node.Children, verb); k >= 0 {
			c.node = c.node.Children[k]
		} else {
			c.position++
		}
	}
}

// arguments returns the verbs and the values of a positional argument that begin with text.
func (c *completer) arguments(text string) (all []Candidate) {
	for _, n := range c.node.Children {
		if !n.Hidden {
			all = append(all, Candidate{n.Name, brief(n.Help)})
		}
	}
	all = beginning(all, text)
	if k := c.position; len(c.node.Positional) > 0 {
		if n := len(c.node.Positional) - 1; k > n && c.node.Positional[n].IsCumulative() {
			k = n
		}
		if k < len(c.node.Positional) {
			all = append(all, c.values(c.node.Positional[k], "", text)...)
		}
	}
	return all
}

// flags returns the flags of the verb and of its parents, and without a verb those of the
// default one.
func (c *completer) flags() (all []*kong.Flag) {
	node := c.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for _, group := range node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

// flag returns the flag of that name, which begins with --, or nil.
func (c *completer) flag(name string) *kong.Flag {
	for _, f := range c.flags() {
		if "--"+f.Name == name {
			return f
		}
	}
	return nil
}

// set takes note of the value of a flag.
func (c *completer) set(f *kong.Flag, text string) {
	if f.Name == "store" {
		c.store = text
	}
}

// values returns values of a flag or an argument that begin with text, each behind a
// prefix. Its tag completes has the words that it takes, and @KIND for all names of one
// kind.
func (c *completer) values(v *kong.Value, prefix, text string) []Candidate {
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
	case tag == "":
	case parameterised:
		for kind := range strings.SplitSeq(tag, ",") {
			all = append(all, parameters(c.params(kind, name), prefix+name+":", rest)...)
		}
		return all
	default:
		for kind := range strings.SplitSeq(tag, ",") {
			all = append(all, Names(c.catalog, c.store, kind)...)
		}
	}
	all = beginning(all, text)
	for k := range all {
		all[k].Word = prefix + all[k].Word
	}
	return all
}

// Names returns the names of one kind, which the tag completes of a flag names, or the word itself.
func Names(catalog experiment.Catalog, dir, kind string) (all []Candidate) {
	add := func(word, doc string) { all = append(all, Candidate{word, brief(doc)}) }
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
		s, err := store.Open(dir)
		if err != nil {
			break
		}
		names, _ := s.Names()
		for _, name := range names {
			add(name, "")
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
		for _, name := range published.Papers() {
			add(name, "")
		}
	case "@format":
		for _, name := range report.Formats() {
			add(name, "")
		}
	case "@table":
		for _, name := range table.Names() {
			add(name, "")
		}
	case "@value":
		names, docs := report.CellValues()
		for k, name := range names {
			add(name, docs[k])
		}
	default:
		add(kind, "")
	}
	return all
}

// params describes the parameters of an algorithm or a problem.
func (c *completer) params(kind, name string) []spec.Param {
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

// parameters completes the last of the parameters of a SPEC: its name, or its value.
func parameters(params []spec.Param, prefix, text string) (all []Candidate) {
	k := strings.LastIndex(text, ",") + 1
	prefix, text = prefix+text[:k], text[k:]
	key, value, equals := strings.Cut(text, "=")
	for _, p := range params {
		switch {
		case !equals:
			all = append(all, Candidate{p.Name + "=", brief(p.Doc)})
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
	all = beginning(all, text)
	for k := range all {
		all[k].Word = prefix + all[k].Word
	}
	return all
}

// beginning returns the candidates that begin with a text.
func beginning(all []Candidate, text string) []Candidate {
	return slices.DeleteFunc(all, func(c Candidate) bool { return !strings.HasPrefix(c.Word, text) })
}

// brief returns the first part of a text.
func brief(doc string) string {
	if rest := furtherParts.FindStringIndex(doc); rest != nil {
		doc = doc[:rest[0]]
	}
	return strings.TrimSuffix(doc, ".")
}

var furtherParts = regexp.MustCompile(`; |\. \p{Lu}`)
