// Package published holds figures and tables of papers of the field as data, and computes for each
// whether this program gives the same numbers:
//
//	entry → experiments → findings → verdict
//
// An [Entry] is read from a file: the paper and the place, where the parameters are stated, the
// experiment, the published values with how they were read, and how far a measured value may be
// from each. The measured value is the mean over replicates of a metric at a round. Its interval
// is that of the difference from the published mean, which has replicates of its own:
//
//	e = h·√(1 + R/R_p),
//
// with h half the width of the interval of the mean over our R replicates, and R_p the replicates
// of the paper. For a measured m, a published p and a tolerance w a value
//
//	agrees     |m − p| ≤ w + e, and e ≤ w
//	differs    |m − p| > w + e
//	undecided  otherwise: the noise exceeds the tolerance
//
// and an entry is
//
//	not determined  something is missing that the file names, or a value is undecided
//	differs         a value differs
//	reproduced      all values agree
//
// A verdict is never typed. An entry that differs may have causes, which are experiments too: the
// same comparison with one thing changed, such as the update as a published program has it. Where
// its values agree, that change gives the published numbers. No more is said of it.
//
// # How to add an entry
//
// It takes a file, such as hutchinson_alizadeh_regret.yaml, whose keys are the fields of [Entry],
// [paper.Entry], [Experiment] and [paper.Value]. The test of this package checks that they fit
// together.
// A generator that is missing becomes a parameter of a problem of the registry, and an update as
// coded elsewhere a program in examples, which the command line names with --external.
package published

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/paper"
)

// Entry is a figure or a table of a paper. The texts of its file are plain.
type Entry struct {
	paper.Entry `yaml:",inline"`
	// Read says how the published values were read: text (stated in the text or a table), stored
	// (printed or stored by the program of the authors) or plot (off a figure). Reading has the
	// details, such as the resolution of a plot.
	Read       string
	Replicates int // of the paper; 0 where it does not say
	// Missing says what the paper does not state and nobody could find. The entry is then not
	// determined, and its experiment, if it has one, is a guess.
	Missing    paper.TeX
	Experiment `yaml:",inline"`
	Causes     []Experiment // each with one thing changed
}

// Experiment is an experiment with the published values that it is compared with.
type Experiment struct {
	// What is changed in a cause, as a condition: "with γ_t = …, as in the published program".
	What paper.TeX
	// External is NAME=COMMAND of the program that the experiment of a cause plays, or empty.
	External string
	Text     string `yaml:"experiment"` // without its name
	// Values are compared. If a cause has none, they are those of the entry that its experiment has
	// algorithms and problems for. The round of a value is a horizon, by default the last one, or a
	// checkpoint of the last one. Published and Within may be missing where the entry has something
	// Missing.
	Values []paper.Value
	Spec   *spec.Experiment `yaml:"-"` // with the name of the entry, or NAME-cause-K
}

//go:embed *.yaml
var files embed.FS

// All returns the entries in the order of the names of their files, which it reads once.
var All = sync.OnceValue(func() (read []*Entry) {
	names, err := fs.Glob(files, "*.yaml")
	for _, name := range names {
		data, unread := files.ReadFile(name)
		e, invalid := Parse(name, data)
		err = errors.Join(err, unread, invalid)
		read = append(read, e)
	}
	if err != nil {
		panic("published: " + err.Error())
	}
	return read
})

// Everything names all papers together.
const Everything = "published"

// Papers returns [Everything] and the names of all papers.
func Papers() []string {
	names := []string{Everything}
	for _, e := range All() {
		if !slices.Contains(names, e.Paper) {
			names = append(names, e.Paper)
		}
	}
	return names
}

// Choose returns the entries of a paper, or of all papers for [Everything], and of these the one
// with a name, if it is not empty.
func Choose(paper, name string) (chosen []*Entry, err error) {
	var names []string
	for _, e := range All() {
		if paper != Everything && e.Paper != paper {
			continue
		}
		names = append(names, e.Name)
		if name == "" || e.Name == name {
			chosen = append(chosen, e)
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("--of: %w", spec.Unknown("paper", paper, Papers(), spec.Pos{}))
	case len(chosen) == 0:
		return nil, spec.Unknown("published comparison", name, names, spec.Pos{})
	}
	return chosen, nil
}

// readings says in words what Entry.Read may be.
var readings = map[string]paper.TeX{"text": "stated in the text", "stored": "stored by the authors",
	"plot": "read off a plot"}

// Parse reads the file of an entry. It does not check that the values fit the experiments; a test
// does so for the files of this package.
func Parse(file string, data []byte) (*Entry, error) {
	e := new(Entry)
	if err := yaml.UnmarshalWithOptions(data, e, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	e.Name = strings.ReplaceAll(strings.TrimSuffix(file, ".yaml"), "_", "-")
	if e.Reading != "" {
		e.Reading = readings[e.Read] + ": " + e.Reading
	}
	texts := []*paper.TeX{&e.Source, &e.Place, &e.Statement, &e.Setting, &e.Reading, &e.Known,
		&e.Missing}
	for k, g := range e.experiments() {
		texts = append(texts, &g.What)
		name := e.Name
		if k > 0 {
			name = fmt.Sprintf("%s-cause-%d", e.Name, k)
		}
		x, err := spec.Parse(file+", experiment "+name, []byte("name: "+name+"\n"+g.Text))
		if err != nil {
			return nil, err
		}
		g.Spec = x
		if len(g.Values) == 0 {
			g.Values = slices.DeleteFunc(slices.Clone(e.Values), func(v paper.Value) bool {
				return !hasLabel(x.Algorithms, v.Name) || v.Problem != "" && !hasLabel(x.Problems, v.Problem)
			})
		}
		for i := range g.Values {
			if v := &g.Values[i]; v.T == 0 {
				v.T = x.Horizon[len(x.Horizon)-1]
			}
		}
	}
	for _, text := range texts {
		*text = paper.Plain(string(*text))
	}
	return e, nil
}

// experiments returns the experiment of the entry, if it has one, and those of its causes.
func (e *Entry) experiments() (all []*Experiment) {
	if e.Text == "" {
		return nil
	}
	all = append(all, &e.Experiment)
	for k := range e.Causes {
		all = append(all, &e.Causes[k])
	}
	return all
}

// hasLabel reports whether an algorithm or problem of an experiment has a label.
func hasLabel(uses []spec.Use, label string) bool {
	return slices.ContainsFunc(uses, func(u spec.Use) bool { return u.Label == label })
}

// Experiments returns the experiments of an entry: its own, if it has one, and then those of its
// causes. Quick ones have fewer replicates.
func (e *Entry) Experiments(quick bool) (all []Experiment) {
	for _, g := range e.experiments() {
		x := *g
		if quick {
			quickSpec := *g.Spec
			quickSpec.Replicates = experiments.QuickReplicates(quickSpec.Replicates)
			x.Spec = &quickSpec
		}
		all = append(all, x)
	}
	return all
}

// Program returns the name of the other program that an experiment plays, or "".
func (x Experiment) Program() string {
	name, _, _ := strings.Cut(x.External, "=")
	return name
}
