package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/experiments"
	"ocobench/harness/spec"
	"ocobench/report/table"
)

type listCmd struct {
	What string `arg:"" optional:"" default:"all" help:"algorithms, problems, experiments, or the name of one. Default: all." completes:"algorithms,problems,experiments,all,@algorithm,@problem,@experiment"`
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
	var print func(*folded)
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
		entries, print = l, l.printWhole
	}
	if !c.JSON {
		out := bufio.NewWriter(e.stdout)
		print(&folded{out, e.width(table.Width)})
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

func (l *listing) print(s *folded) {
	l.printParts(s, l.printAlgorithms, l.printProblems, l.printExperiments)
}

// printWhole prints everything that is known of the entries.
func (l *listing) printWhole(s *folded) {
	l.printParts(s, l.describeAlgorithms, l.describeProblems, l.describeExperiments)
}

func (l *listing) printParts(s *folded, algorithms, problems, experiments func(*folded)) {
	for _, part := range []struct {
		heading string
		n       int
		print   func(*folded)
	}{
		{"ALGORITHMS", len(l.Algorithms), algorithms},
		{"PROBLEMS", len(l.Problems), problems},
		{"EXPERIMENTS", len(l.Experiments), experiments},
	} {
		if part.n > 0 {
			fmt.Fprintf(s.w, "%s\n\n", part.heading)
			part.print(s)
		}
	}
}

func (l *listing) printAlgorithms(s *folded) {
	for _, a := range l.Algorithms {
		kind := "anytime"
		if !a.Anytime {
			kind = "needs the horizon"
		}
		s.entry(a.Name, a.Doc)
		s.item(4, "", fmt.Sprintf("%s, %s", a.Feedback, kind))
		s.item(4, "", a.Reference)
		for _, c := range a.Claims {
			s.item(11, "    claims", rated(c))
			s.item(6, "", bound(c))
		}
		s.parameters(a.Parameters)
	}
}

// rated is the rate of a claim and its note.
func rated(c algorithms.Claim) string {
	text := fmt.Sprintf("%s = O(%s)", c.Metric, c.ExactRate())
	if c.Note != "" {
		text += ", " + c.Note
	}
	return text
}

// bound is the bound of a claim, or why it has none.
func bound(c algorithms.Claim) string {
	switch {
	case c.Formula == "":
		return "no bound: " + c.NoBound
	case c.Expected:
		return "in expectation at most " + c.Formula
	}
	return "at most " + c.Formula
}

func (l *listing) printProblems(s *folded) {
	for _, p := range l.Problems {
		s.entry(p.Name, p.Doc)
		s.item(4, "", p.Reference)
		s.parameters(p.Parameters)
	}
}

func (l *listing) printExperiments(s *folded) {
	for _, x := range l.Experiments {
		s.entry(x.Name, x.Doc)
		s.item(4, "", x.size())
		fmt.Fprintln(s.w)
	}
}

func (x experimentEntry) size() string {
	horizon := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(x.Horizon), "[]")), ", ")
	return fmt.Sprintf("horizon %s; %s", horizon, plural(x.Replicates, "replicate"))
}

// described is the column of what an entry says of itself.
const described = 16

func (l *listing) describeAlgorithms(s *folded) {
	for _, a := range l.Algorithms {
		s.entry(a.Name, a.Doc)
		s.item(described, "    reference", a.Reference)
		s.item(described, "    version", strconv.Itoa(a.Version))
		s.item(described, "    feedback", string(a.Feedback)+", "+a.Feedback.Doc())
		switch {
		case a.Anytime:
			s.item(described, "    horizon", "not used: the algorithm is anytime")
		case slices.ContainsFunc(a.Parameters, func(p spec.Param) bool { return p.Name == "doubling" }):
			s.item(described, "    horizon", "needed; doubling=true plays without it, on epochs of doubling length")
		default:
			s.item(described, "    horizon", "needed")
		}
		if a.Draws {
			s.item(described, "    randomness", "draws random numbers, from a seed of its own")
		}
		if len(a.Assumes) > 0 {
			s.item(described, "    assumes", strings.Join(a.Assumes, "; "))
		}
		s.item(described, "    cost", a.Cost)
		for _, c := range a.Claims {
			s.item(described, "    claims", rated(c))
			if m, ok := harness.MetricNamed(c.Metric); ok {
				s.item(described+2, "", m.Title+": "+m.Doc)
			}
			s.item(described+2, "", bound(c))
		}
		fmt.Fprintln(s.w)
		s.parameters(a.Parameters)
	}
}

func (l *listing) describeProblems(s *folded) {
	for _, p := range l.Problems {
		s.entry(p.Name, p.Doc)
		s.item(described, "    reference", p.Reference)
		s.item(described, "    version", strconv.Itoa(p.Version))
		if facts := analysis.FactsOf(p.Facts); len(facts) > 0 {
			s.item(described, "    facts", strings.Join(facts, ", ")+", at the defaults")
		}
		f := p.Facts
		for _, fact := range []struct {
			value   float64
			formula string
		}{
			{f.LossLipschitz, "‖∂f_t(x)‖ ≤ %.4g"},
			{f.ConstraintLipschitz, "‖∂g_{t,j}(x)‖ ≤ %.4g"},
			{f.LossRange, "|f_t(x) − f_t(y)| ≤ %.4g"},
			{f.ConstraintBound, "|g_{t,j}(x)| ≤ %.4g"},
			{f.Diameter, "the diameter of D is %.4g"},
			{f.Slater, "a point z of D has g_{t,j}(z) ≤ −%.4g in every round"},
			{f.Curvature, "every f_t is %.4g-strongly convex"},
			{float64(f.Rounds), "%.0f rounds at most"},
		} {
			if fact.value != 0 {
				s.item(described, "", fmt.Sprintf(fact.formula, fact.value))
			}
		}
		fmt.Fprintln(s.w)
		s.parameters(p.Parameters)
	}
}

// describeExperiments prints experiments with their files.
func (l *listing) describeExperiments(s *folded) {
	for _, x := range l.Experiments {
		s.entry(x.Name, x.Doc)
		s.item(4, "", x.Reference)
		source, err := experiments.Source(x.Name)
		if err != nil {
			panic("cli: " + err.Error()) // it is in the program
		}
		fmt.Fprintf(s.w, "\n%s\n", source)
	}
}

// folded prints paragraphs in lines of at most width characters.
type folded struct {
	w     io.Writer
	width int
}

// entry prints the name of an entry and its sentence.
func (s *folded) entry(name, doc string) {
	fmt.Fprintln(s.w, name)
	s.item(4, "", doc)
}

// item prints a heading, and beside or below it a text whose lines begin at a column.
func (s *folded) item(column int, heading, text string) {
	if utf8.RuneCountInString(heading) >= column {
		fmt.Fprintln(s.w, heading)
		heading = ""
	}
	for _, line := range table.Wrap(text, max(s.width-column, 30)) {
		fmt.Fprintf(s.w, "%-*s%s\n", column, heading, line)
		heading = ""
	}
}

// parameters prints the parameters of an entry, and an empty line.
func (s *folded) parameters(params []spec.Param) {
	for _, p := range params {
		value := "= " + p.Default
		if p.Default == "" {
			value = ""
		}
		if p.Required {
			value = "(required)"
		}
		doc := p.Doc
		if p.Range != "" {
			doc += fmt.Sprintf(" (%s)", p.Range)
		}
		if p.Enum != nil {
			doc += fmt.Sprintf(" (one of %s)", strings.Join(p.Enum, ", "))
		}
		s.item(32, fmt.Sprintf("      %-12s %-12s", p.Name, value), doc)
	}
	fmt.Fprintln(s.w)
}

func (c *listCmd) algorithms(e *env) (out []algorithmEntry) {
	for _, a := range e.catalog.Algorithms {
		out = append(out, algorithmEntry{
			a.Name, a.Doc, a.Reference, a.Version, list(harness.Parameters(a)), a.Feedback, a.Anytime, a.Draws,
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
	for _, name := range experiments.Names() {
		x, err := experiments.Read(name)
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
