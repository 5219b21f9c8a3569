// Package published has figures and tables of papers of the field as data, and computes for each
// whether this program gives the same numbers:
//
//	entry → experiment → measured values → verdict
//
// An [Entry] is a file: the paper and the place, where the parameters are stated, the experiment,
// the published values with how they were read, and how far a measured value may be from each.
// What is measured is the mean over replicates of a metric at a round. The interval is the one of
// the difference between this mean and the published one, which is of its own replicates:
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
// It takes a file, such as hutchinson_alizadeh_regret.yaml, whose keys are the fields of [Entry].
// A generator that is missing becomes a parameter of a problem of the registry, and an update as
// coded elsewhere a program in examples, which the command line names with --external.
package published

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/game"
	"ocobench/harness/run"
)

// Entry is a figure or a table of a paper.
type Entry struct {
	Name string `yaml:"-"` // that of the file, with - for _
	// Paper is a short name of the paper, and Source its authors, title and venue.
	Paper, Source string
	Place         string // in the paper, such as "Fig. 1a"
	Shows         string // what it shows, in a sentence
	Parameters    string // where they are stated
	// Read says how the published values were read: [Text], [Stored] or [Plot]; Reading has the
	// details, such as the resolution of a plot.
	Read       Origin
	Reading    string
	Replicates int // of the paper; 0 where it does not say
	// Experiment is the text of an experiment without its name.
	Experiment string
	Values     []Value
	Known      string // what is known to differ from the paper
	// Missing says what the paper does not state and nobody could find. The entry is then not
	// determined, and its experiment, if it has one, is a guess.
	Missing string
	Causes  []Cause

	games []Game
}

// Origin is where published values were read.
type Origin string

const (
	Text   Origin = "text"   // stated in the text or a table
	Stored Origin = "stored" // printed or stored by the program of the authors
	Plot   Origin = "plot"   // off a figure
)

// Value is a published number.
type Value struct {
	Curve  string // the label of an algorithm of the experiment
	On     string // the label or SPEC of a problem; may be empty where there is one
	Metric string
	At     int  // a horizon, or a checkpoint of the last one; 0 is the last horizon
	Each   bool // the metric is divided by the round
	// Published is the number, and Within the tolerance. Both are there, unless the entry has
	// something Missing: then a value may say only what is to be measured.
	Published, Within *float64
}

// Cause is an experiment that differs from that of its entry in one thing.
type Cause struct {
	What string // what is changed, as a condition: "with γ_t = …, as in the published program"
	// External is NAME=COMMAND of the program that the experiment plays, or empty.
	External   string
	Experiment string
	// Values are compared in place of those of the entry with the same curves, if there are some.
	Values []Value
}

//go:embed *.yaml
var files embed.FS

// All returns the entries, by the names of their files. It reads these once.
func All() []*Entry { return all() }

var all = sync.OnceValue(func() (read []*Entry) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic("published: " + err.Error())
	}
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic("published: " + err.Error())
		}
		e, err := Parse(name, data)
		if err != nil {
			panic("published: " + err.Error())
		}
		read = append(read, e)
	}
	return read
})

// Everything is the name of all papers together.
const Everything = "published"

// Papers are the names of all papers, and [Everything] first.
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

// Parse reads the file of an entry. The error names the file, the place and what is wrong there.
func Parse(file string, data []byte) (*Entry, error) {
	e := &Entry{Name: strings.ReplaceAll(strings.TrimSuffix(file, ".yaml"), "_", "-")}
	if err := yaml.UnmarshalWithOptions(data, e, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	f := faults{file: file}
	f.need(e.Paper != "" && e.Source != "" && e.Place != "" && e.Shows != "" && e.Parameters != "",
		"paper, source, place, shows and parameters are needed")
	f.need(e.Paper != Everything, "paper: %s stands for all papers", Everything)
	f.need(e.Experiment != "" || e.Missing != "",
		"an entry without an experiment needs missing: what would have to be known")
	f.need((e.Experiment == "") == (len(e.Values) == 0),
		"experiment and values are needed both, or none")
	f.need(len(e.Values) == 0 || e.Reading != "" &&
		slices.Contains([]Origin{Text, Stored, Plot}, e.Read),
		"read and reading are needed: how the values were read (text, stored or plot), and the details")
	f.need(e.Replicates >= 0, "replicates: %d is negative", e.Replicates)
	f.need(len(e.Values) > 0 || len(e.Causes) == 0, "causes need values")
	if len(f.all) > 0 || e.Experiment == "" {
		return e, errors.Join(f.all...)
	}
	e.read(data, &f)
	return e, errors.Join(f.all...)
}

// read reads the experiments of a file, and holds the values to them.
func (e *Entry) read(data []byte, f *faults) {
	texts := []string{e.Experiment}
	e.games = []Game{{Name: e.Name, Values: e.Values}}
	for k, c := range e.Causes {
		f.need(c.What != "" && c.Experiment != "", "cause %d: what and experiment are needed", k+1)
		f.need(c.External == "" || strings.Contains(c.External, "="),
			"cause %d: external: %q (expected NAME=COMMAND)", k+1, c.External)
		texts = append(texts, c.Experiment)
		e.games = append(e.games, Game{Name: fmt.Sprintf("%s-cause-%d", e.Name, k+1), What: c.What,
			External: c.External, Values: c.Values})
	}
	for k := range e.games {
		g := &e.games[k]
		x, err := experimentOf(f.file, data, g.Name, texts[k], k)
		if err != nil {
			f.all = append(f.all, err)
			return
		}
		if g.Experiment = x; len(g.Values) == 0 {
			g.Values = slices.DeleteFunc(slices.Clone(e.Values), func(v Value) bool {
				return !labelled(x.Algorithms, v.Curve) || v.On != "" && !labelled(x.Problems, v.On)
			})
			f.need(len(g.Values) > 0, "%s has no curve with a published value", g.Name)
		}
		for _, v := range g.Values {
			if e.Missing == "" || v.Published != nil || v.Within != nil {
				f.need(finite(v.Published) && finite(v.Within) && *v.Within > 0,
					"%s: %s needs published, and within above 0", g.Name, v)
			}
			f.check(g.Name, v, x)
		}
	}
}

// experiment reads the text of the k-th experiment of a file. Lines count from the start of the
// file.
func experimentOf(file string, data []byte, name, text string, k int) (*spec.Experiment, error) {
	line := 0
	for i, s := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimLeft(s, " -"), "experiment:") {
			if line = i; k == 0 {
				break
			}
			k--
		}
	}
	x, err := spec.Parse(file, []byte(strings.Repeat("\n", line)+"name: "+name+"\n"+text))
	if err == nil && run.IsInternal(x.Name) {
		err = fmt.Errorf("%s: no entry has the name %s", file, name)
	}
	return x, err
}

func labelled(uses []spec.Use, label string) bool {
	return slices.ContainsFunc(uses, func(u spec.Use) bool { return u.Label == label })
}

// faults gathers what is wrong with a file.
type faults struct {
	file string
	all  []error
}

func (f *faults) need(ok bool, format string, args ...any) {
	if !ok {
		f.all = append(f.all, fmt.Errorf(f.file+": "+format, args...))
	}
}

// check holds a value to the experiment that is to measure it.
func (f *faults) check(name string, v Value, x *spec.Experiment) {
	f.need(labelled(x.Algorithms, v.Curve), "%s: no algorithm has the label %q", name, v.Curve)
	f.need(v.On == "" && len(x.Problems) == 1 || labelled(x.Problems, v.On),
		"%s: %s: no problem has the label %q", name, v, v.On)
	f.need(slices.Contains(spec.Metrics, v.Metric), "%s: unknown metric %q", name, v.Metric)
	f.need(!slices.Contains(spec.OnRequest, v.Metric) || slices.Contains(x.Metrics, v.Metric),
		"%s: the experiment does not measure %s; add metrics: [%[2]s]", name, v.Metric)
	f.need(v.At == 0 || slices.Contains(x.Horizon, v.At) ||
		slices.Contains(game.Checkpoints(x.Horizon[len(x.Horizon)-1]), v.At),
		"%s: round %d is neither a horizon nor a checkpoint", name, v.At)
}

func finite(p *float64) bool { return p != nil && !math.IsNaN(*p) && !math.IsInf(*p, 0) }

// String names what a value is of.
func (v Value) String() string {
	s := fmt.Sprintf("%s of %s", v.Metric, v.Curve)
	if v.On != "" {
		s += " on " + v.On
	}
	if v.At > 0 {
		s += fmt.Sprintf(" at t = %d", v.At)
	}
	return s
}

// A Game is an experiment of an entry with the values that it is compared with.
type Game struct {
	Name       string
	What       string // that of a [Cause]
	External   string // the same
	Experiment *spec.Experiment
	Values     []Value
}

// Games are the experiments of an entry: its own, if it has one, and then those of its causes. A
// quick one has fewer replicates.
func (e *Entry) Games(quick bool) []Game {
	games := slices.Clone(e.games)
	for k := range games {
		x := *games[k].Experiment
		if games[k].Experiment = &x; quick {
			x.Replicates = experiments.QuickReplicates(x.Replicates)
		}
	}
	return games
}

// Program is the name of the program of others that a game plays, or "".
func (g Game) Program() string {
	name, _, _ := strings.Cut(g.External, "=")
	return name
}
