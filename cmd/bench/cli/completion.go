package cli

import (
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/experiments"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/paper/claims"
	"ocobench/problems"
	"ocobench/report"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help implements the verb's help.
func (*completionCmd) Help() string {
	return `The script completes verbs, flags, and the names of algorithms, problems, their
parameters, experiments, metrics and claims:

    echo 'source <(bench completion bash)' >> ~/.bashrc
    echo 'source <(bench completion zsh)' >> ~/.zshrc       after compinit
    bench completion fish > ~/.config/fish/completions/bench.fish

The shell asks bench, which has to be on the PATH.`
}

//go:embed completion/*
var completionScripts embed.FS

// Run implements the verb.
func (c *completionCmd) Run(e *env) error {
	script, err := completionScripts.ReadFile("completion/" + c.Shell)
	if err != nil {
		return err
	}
	_, err = e.stdout.Write(script)
	return err
}

// completeVerb makes the program print what may stand in place of the last word of a
// command line: a line for each word, with its description behind a tab. The scripts
// of bench completion call it. It is in no help.
const completeVerb = "__complete"

// writeCandidates completes the words of a command line after the name of the program.
func writeCandidates(w io.Writer, root *kong.Node, words []string, catalog harness.Catalog) {
	c := completer{catalog: catalog, node: root, store: "results"}
	for _, can := range c.complete(words) {
		fmt.Fprintf(w, "%s\t%s\n", can.word, can.doc)
	}
}

// candidate is a word that may stand at some place, and what it is.
type candidate struct{ word, doc string }

// completer goes through a command line up to the word that is completed.
type completer struct {
	catalog  harness.Catalog
	node     *kong.Node // the verb so far
	store    string
	position int             // the number of positional arguments so far
	given    map[string]bool // flags
}

// complete returns the words that begin as the last one does, in place of which they
// may stand.
func (c *completer) complete(words []string) []candidate {
	if len(words) == 0 {
		return nil
	}
	c.given = make(map[string]bool)
	last := words[len(words)-1]
	var pending *kong.Flag // whose value is the next word
	flags := true
	for _, word := range words[:len(words)-1] {
		name, text, equals := strings.Cut(word, "=")
		switch {
		case pending != nil:
			c.set(pending, word)
			pending = nil
		case flags && word == "--":
			flags = false
		case flags && strings.HasPrefix(word, "-"):
			if f := c.flag(name); f != nil {
				c.given[f.Name] = !f.IsCumulative()
				if equals {
					c.set(f, text)
				} else if !f.IsBool() {
					pending = f
				}
			}
		default:
			if k := slices.IndexFunc(c.node.Children, func(n *kong.Node) bool { return n.Name == word && !n.Hidden }); k >= 0 {
				c.node = c.node.Children[k]
			} else {
				c.position++
			}
		}
	}
	name, _, equals := strings.Cut(last, "=")
	switch {
	case pending != nil:
		return c.values(pending.Value, "", last)
	case flags && equals && strings.HasPrefix(last, "--"):
		if f := c.flag(name); f != nil {
			return c.values(f.Value, name+"=", last[len(name)+1:])
		}
		return nil
	case flags && strings.HasPrefix(last, "-"):
		var all []candidate
		for _, f := range c.flags() {
			if !c.given[f.Name] {
				all = append(all, candidate{"--" + f.Name, brief(f.Help)})
			}
		}
		return beginning(all, last)
	}
	var all []candidate
	for _, n := range c.node.Children {
		if !n.Hidden {
			all = append(all, candidate{n.Name, brief(n.Help)})
		}
	}
	all = beginning(all, last)
	if k := c.position; len(c.node.Positional) > 0 {
		if n := len(c.node.Positional) - 1; k > n && c.node.Positional[n].IsCumulative() {
			k = n
		}
		if k < len(c.node.Positional) {
			all = append(all, c.values(c.node.Positional[k], "", last)...)
		}
	}
	return all
}

// flags are those of the verb and of its parents, and without a verb those of the
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
func (c *completer) values(v *kong.Value, prefix, text string) []candidate {
	if list := v.IsCumulative() && v.Tag.Sep == ','; list && v.Flag != nil {
		k := strings.LastIndex(text, ",") + 1
		prefix, text = prefix+text[:k], text[k:]
	}
	var all []candidate
	tag := v.Tag.Get("completes")
	switch name, rest, parameterised := strings.Cut(text, ":"); {
	case tag == "" && v.Enum != "":
		for _, word := range v.EnumSlice() {
			all = append(all, candidate{word: word})
		}
	case tag == "":
	case parameterised:
		for kind := range strings.SplitSeq(tag, ",") {
			all = append(all, parameters(c.params(kind, name), prefix+name+":", rest)...)
		}
		return all
	default:
		for kind := range strings.SplitSeq(tag, ",") {
			all = append(all, c.names(kind)...)
		}
	}
	all = beginning(all, text)
	for k := range all {
		all[k].word = prefix + all[k].word
	}
	return all
}

// names are those of one kind, or the word itself.
func (c *completer) names(kind string) (all []candidate) {
	add := func(word, doc string) { all = append(all, candidate{word, brief(doc)}) }
	switch kind {
	case "@algorithm":
		for _, a := range c.catalog.Algorithms {
			add(a.Name, a.Doc)
		}
	case "@problem":
		for _, p := range c.catalog.Problems {
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
		s, err := store.Open(c.store)
		if err != nil {
			break
		}
		names, _ := s.Names()
		for _, name := range names {
			add(name, "")
		}
	case "@metric":
		for _, m := range harness.Select(func(m harness.Metric) bool { return m.Exported }) {
			add(string(m.Name), m.Title)
		}
	case "@claim":
		for _, c := range claims.All() {
			add(c.Name, "")
		}
	case "@format":
		for _, name := range report.Formats() {
			add(name, "")
		}
	case "@value":
		names, docs := report.Values()
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
		return harness.Parameters(a)
	case "@problem":
		p, _ := problems.Lookup(c.catalog.Problems, name)
		return spec.Describe(p.Params)
	}
	return nil
}

// parameters completes the last of the parameters of a SPEC: its name, or its value.
func parameters(params []spec.Param, prefix, text string) (all []candidate) {
	k := strings.LastIndex(text, ",") + 1
	prefix, text = prefix+text[:k], text[k:]
	key, value, equals := strings.Cut(text, "=")
	for _, p := range params {
		switch {
		case !equals:
			all = append(all, candidate{p.Name + "=", brief(p.Doc)})
		case p.Name == key && p.Type == "boolean":
			all = append(all, candidate{word: "true"}, candidate{word: "false"})
		case p.Name == key:
			for _, v := range p.Enum {
				all = append(all, candidate{word: v})
			}
		}
	}
	if equals {
		prefix, text = prefix+key+"=", value
	}
	all = beginning(all, text)
	for k := range all {
		all[k].word = prefix + all[k].word
	}
	return all
}

// beginning returns the candidates that begin with a text.
func beginning(all []candidate, text string) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.word, text) })
}

// brief returns the first part of a text.
func brief(doc string) string {
	if rest := furtherParts.FindStringIndex(doc); rest != nil {
		doc = doc[:rest[0]]
	}
	return strings.TrimSuffix(doc, ".")
}

var furtherParts = regexp.MustCompile(`; |\. \p{Lu}`)
