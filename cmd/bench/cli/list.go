package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/paper"
)

type listCmd struct {
	What string `arg:"" optional:"" default:"all" help:"algorithms, problems, experiments, or the name of one. Default: all."`
	JSON bool   `help:"Print JSON, with parameters."`
	externalFlags
}

type algorithmEntry struct {
	Name       string              `json:"name"`
	Doc        string              `json:"doc"`
	Reference  string              `json:"reference"`
	Version    int                 `json:"version"`
	Parameters []spec.Param        `json:"parameters"`
	Feedback   algorithms.Feedback `json:"feedback"`
	Anytime    bool                `json:"anytime"`
	Draws      bool                `json:"draws"`
	Comparator string              `json:"comparator"`
	Violation  string              `json:"violation"`
	Claims     []algorithms.Claim  `json:"claims"`
	Assumes    []string            `json:"assumes"`
	Cost       string              `json:"cost"`
}

type problemEntry struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Reference  string       `json:"reference"`
	Version    int          `json:"version"`
	Parameters []spec.Param `json:"parameters"`
	Facts      convex.Facts `json:"facts"` // at the default parameters
}

type experimentEntry struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Reference  string       `json:"reference"`
	Parameters []spec.Param `json:"parameters"`
	Horizon    []int        `json:"horizon"`
	Replicates int          `json:"replicates"`
}

// listing is everything that can be listed.
type listing struct {
	Algorithms  []algorithmEntry  `json:"algorithms"`
	Problems    []problemEntry    `json:"problems"`
	Experiments []experimentEntry `json:"experiments"`
}

// Run implements the verb.
func (c *listCmd) Run(e *env) error {
	l := listing{Algorithms: c.algorithms(e), Problems: c.problems(e)}
	var err error
	if l.Experiments, err = c.experiments(); err != nil {
		return err
	}
	var entries any
	var print func(io.Writer)
	switch c.What {
	case "algorithms":
		entries, print = l.Algorithms, l.printAlgorithms
	case "problems":
		entries, print = l.Problems, l.printProblems
	case "experiments":
		entries, print = l.Experiments, l.printExperiments
	case "all":
		entries, print = l, l.print
	default:
		known := append([]string{"algorithms", "problems", "experiments", "all"}, l.names()...)
		if !slices.Contains(known, c.What) {
			return spec.Unknown("name", c.What, known, spec.Pos{})
		}
		l = l.named(c.What)
		entries, print = l, l.print
	}
	if !c.JSON {
		out := bufio.NewWriter(e.stdout)
		print(out)
		return out.Flush()
	}
	out := json.NewEncoder(e.stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(entries)
}

// names are those of all entries.
func (l *listing) names() (all []string) {
	for _, a := range l.Algorithms {
		all = append(all, a.Name)
	}
	for _, p := range l.Problems {
		all = append(all, p.Name)
	}
	for _, x := range l.Experiments {
		all = append(all, x.Name)
	}
	return all
}

// named returns the entries of this name: an algorithm and a problem may share it.
func (l listing) named(name string) listing {
	return listing{
		slices.DeleteFunc(l.Algorithms, func(a algorithmEntry) bool { return a.Name != name }),
		slices.DeleteFunc(l.Problems, func(p problemEntry) bool { return p.Name != name }),
		slices.DeleteFunc(l.Experiments, func(x experimentEntry) bool { return x.Name != name }),
	}
}

func (l *listing) print(w io.Writer) {
	for _, part := range []struct {
		heading string
		n       int
		print   func(io.Writer)
	}{
		{"ALGORITHMS", len(l.Algorithms), l.printAlgorithms},
		{"PROBLEMS", len(l.Problems), l.printProblems},
		{"EXPERIMENTS", len(l.Experiments), l.printExperiments},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, "%s\n\n", part.heading)
			part.print(w)
		}
	}
}

func (l *listing) printAlgorithms(w io.Writer) {
	for _, a := range l.Algorithms {
		kind := "anytime"
		if !a.Anytime {
			kind = "needs the horizon"
		}
		fmt.Fprintf(w, "%s\n    %s\n    %s, %s\n    %s\n", a.Name, a.Doc, a.Feedback, kind, a.Reference)
		for _, cl := range a.Claims {
			printClaim(w, cl)
		}
		printParameters(w, a.Parameters)
	}
}

// printClaim prints a claim: its rate, its notes, and its bound or why it has none.
func printClaim(w io.Writer, c algorithms.Claim) {
	fmt.Fprintf(w, "    claims %s = O(%s)", c.Metric, c.Rate())
	if c.Note != "" {
		fmt.Fprintf(w, ", %s", c.Note)
	}
	if c.Formula != "" {
		fmt.Fprintf(w, "\n      at most %s\n", c.Formula)
	} else {
		fmt.Fprintf(w, "\n      no bound: %s\n", c.NoBound)
	}
}

func (l *listing) printProblems(w io.Writer) {
	for _, p := range l.Problems {
		fmt.Fprintf(w, "%s\n    %s\n    %s\n", p.Name, p.Doc, p.Reference)
		printParameters(w, p.Parameters)
	}
}

func (l *listing) printExperiments(w io.Writer) {
	for _, x := range l.Experiments {
		horizon := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(x.Horizon), "[]")), ", ")
		fmt.Fprintf(w, "%s\n    %s\n    horizon %s; %s\n\n", x.Name, x.Doc, horizon, plural(x.Replicates, "replicate"))
	}
}

// printParameters prints the parameters of an entry.
func printParameters(w io.Writer, params []spec.Param) {
	for _, p := range params {
		value := "= " + p.Default
		if p.Default == "" {
			value = ""
		}
		if p.Required {
			value = "(required)"
		}
		fmt.Fprintf(w, "      %-12s %-12s %s", p.Name, value, p.Doc)
		if p.Range != "" {
			fmt.Fprintf(w, " (%s)", p.Range)
		}
		if p.Enum != nil {
			fmt.Fprintf(w, " (one of %s)", strings.Join(p.Enum, ", "))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

func (c *listCmd) algorithms(e *env) (out []algorithmEntry) {
	for _, a := range e.catalog.Algorithms {
		out = append(out, algorithmEntry{
			a.Name, a.Doc, a.Reference, a.Version, list(spec.Describe(a.Params)), a.Feedback, a.Anytime, a.Draws,
			claimed(a, algorithms.Regrets, "regret_"), claimed(a, algorithms.Violations, "violation_"), list(a.Claims), a.AssumptionNames(), a.Cost,
		})
	}
	return out
}

func (c *listCmd) problems(e *env) (out []problemEntry) {
	for _, p := range e.catalog.Problems {
		entry := problemEntry{p.Name, p.Doc, p.Reference, p.Version, list(spec.Describe(p.Params)), convex.Facts{}}
		// A problem with a required parameter has no facts at its defaults.
		if s, err := p.New(p.Params, rand.New(rand.NewPCG(0, 0))); err == nil {
			entry.Facts = s.Facts()
			harness.Close(s)
		}
		out = append(out, entry)
	}
	return out
}

func (c *listCmd) experiments() (out []experimentEntry, err error) {
	for _, name := range paper.Names() {
		x, err := paper.Experiment(name)
		if err != nil {
			return nil, err
		}
		out = append(out, experimentEntry{name, x.Description, "bench run " + name, spec.Describe(spec.Defaults()), x.Horizon, x.Replicates})
	}
	return out, nil
}

// claimed returns the set or the notion of violation that the algorithm claims a
// bound of, or none.
func claimed(a algorithms.Algorithm, metrics []algorithms.Metric, prefix string) string {
	if claim, ok := algorithms.Claimed(a.Claims, metrics); ok {
		return strings.TrimPrefix(string(claim.Metric), prefix)
	}
	return "none"
}

// list returns an empty list for nil, so that JSON has [] and not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
