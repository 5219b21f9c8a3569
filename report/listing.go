package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// Listing holds everything that bench list can list.
type Listing struct {
	Algorithms  []experiment.AlgorithmEntry `json:"algorithms"`
	Problems    []experiment.ProblemEntry   `json:"problems"`
	Experiments []experiments.Entry         `json:"experiments"`
}

// List lists the algorithms and problems of a catalog, and the experiments.
func List(c experiment.Catalog) (*Listing, error) {
	l := &Listing{Algorithms: c.AlgorithmEntries(), Problems: c.ProblemEntries()}
	var err error
	l.Experiments, err = experiments.Entries()
	return l, err
}

// A listPart holds the entries of one kind.
type listPart struct {
	kind        string   // algorithms, problems or experiments
	entries     any      // for JSON
	names, docs []string // of each entry, its name and what a list says of it
	describe    func(*table.Folded)
}

// addItem adds the name of an entry, and what a list says of it.
func (p *listPart) addItem(name, doc string) {
	p.names, p.docs = append(p.names, name), append(p.docs, doc)
}

// parts returns the entries of the listing by their kind.
func (l *Listing) parts() []listPart {
	algorithms := listPart{kind: "algorithms", entries: l.Algorithms, describe: l.describeAlgorithms}
	for _, a := range l.Algorithms {
		algorithms.addItem(a.Name, a.Doc)
	}
	problems := listPart{kind: "problems", entries: l.Problems, describe: l.describeProblems}
	for _, p := range l.Problems {
		problems.addItem(p.Name, p.Doc)
	}
	known := listPart{kind: "experiments", entries: l.Experiments, describe: l.describeExperiments}
	for _, x := range l.Experiments {
		known.addItem(x.Name, x.Doc+"; "+sizeText(x))
	}
	return []listPart{algorithms, problems, known}
}

// Part returns a part of the listing: the entries, for JSON, and the function that prints them. The
// text what is algorithms, problems, experiments or all, which are printed with a line each, or the
// name of an entry, which is printed with all its details.
func (l *Listing) Part(what string) (entries any, print func(*table.Folded), err error) {
	kinds, names := []string{}, []string{}
	for _, p := range l.parts() {
		if p.kind == what {
			return p.entries, p.printLines, nil
		}
		kinds, names = append(kinds, p.kind), append(names, p.names...)
	}
	if what == "all" {
		return l, func(s *table.Folded) { l.printParts(s, listPart.printLines) }, nil
	}
	if known := slices.Concat(kinds, []string{"all"}, names); !slices.Contains(known, what) {
		return nil, nil, spec.UnknownEntry("name", what, known, spec.Pos{}, "bench list")
	}
	named := l.entriesNamed(what)
	return named, func(s *table.Folded) {
		named.printParts(s, func(p listPart, s *table.Folded) { p.describe(s) })
	}, nil
}

// entriesNamed returns the entries with this name, which an algorithm and a problem may share.
func (l Listing) entriesNamed(name string) Listing {
	return Listing{
		slices.DeleteFunc(slices.Clone(l.Algorithms),
			func(a experiment.AlgorithmEntry) bool { return a.Name != name }),
		slices.DeleteFunc(slices.Clone(l.Problems),
			func(p experiment.ProblemEntry) bool { return p.Name != name }),
		slices.DeleteFunc(slices.Clone(l.Experiments),
			func(x experiments.Entry) bool { return x.Name != name }),
	}
}

// printParts prints a heading and, by print, the entries of each part that has some.
func (l *Listing) printParts(s *table.Folded, print func(listPart, *table.Folded)) {
	for _, p := range l.parts() {
		if len(p.names) > 0 {
			fmt.Fprintf(s.W, "%s\n\n", strings.ToUpper(p.kind))
			print(p, s)
		}
	}
}

// nameColumn is the column at which the description of an entry begins in a list of names.
const nameColumn = 26

// printLines prints a line for each entry: its name and its description.
func (p listPart) printLines(s *table.Folded) {
	for k, name := range p.names {
		s.Item(nameColumn, "  "+name, p.docs[k])
	}
	fmt.Fprintln(s.W)
}

// claimLine returns the claimed rate and its note.
func claimLine(c algorithms.Claim) string {
	text := fmt.Sprintf("%s = O(%s)", c.Metric, c.ExactRate())
	if c.Note != "" {
		text += ", " + c.Note
	}
	return text
}

// boundLine returns the bound of a claim, or why it has none.
func boundLine(c algorithms.Claim) string {
	switch {
	case c.Formula == "":
		return "no bound: " + c.NoBound
	case c.Expected:
		return "in expectation at most " + c.Formula
	}
	return "at most " + c.Formula
}

// sizeText returns the horizons and the replicates of an experiment.
func sizeText(x experiments.Entry) string {
	horizon := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(x.Horizon), "[]")), ", ")
	return fmt.Sprintf("horizon %s; %s", horizon, input.Plural(x.Replicates, "replicate"))
}

// docColumn is the column at which the description of an entry begins.
const docColumn = 16

// describeAlgorithms prints the algorithms with all their details.
func (l *Listing) describeAlgorithms(s *table.Folded) {
	for _, a := range l.Algorithms {
		s.Entry(a.Name, a.Doc)
		printDefinition(s, "    update", a.Definition)
		s.Item(docColumn, "    reference", a.Reference)
		s.Item(docColumn, "    version", strconv.Itoa(a.Version))
		s.Item(docColumn, "    feedback", string(a.Feedback)+", "+a.Feedback.Doc())
		switch {
		case a.Anytime:
			s.Item(docColumn, "    horizon", "not used: the algorithm is anytime")
		case slices.ContainsFunc(a.Parameters, func(p spec.Param) bool { return p.Name == "doubling" }):
			s.Item(docColumn, "    horizon", "needed; doubling=true plays without it, on epochs of "+
				"doubling length")
		default:
			s.Item(docColumn, "    horizon", "needed")
		}
		switch {
		case a.UnitFree == nil: // not declared
		case *a.UnitFree:
			s.Item(docColumn, "    units", "any: multiplied losses and constraints have the same actions")
		default:
			s.Item(docColumn, "    units", "actions depend on the unit of losses and constraints: "+
				"choose steps and weights for yours, or bench tune")
		}
		if a.Draws {
			s.Item(docColumn, "    randomness", "draws random numbers, from a seed of its own")
		}
		if len(a.Assumes) > 0 {
			s.Item(docColumn, "    assumes", strings.Join(a.Assumes, "; "))
		}
		s.Item(docColumn, "    cost", a.Cost)
		for _, c := range a.Claims {
			s.Item(docColumn, "    claims", claimLine(c))
			if m, ok := game.MetricNamed(c.Metric); ok {
				s.Item(docColumn+2, "", m.Title+": "+m.Doc)
			}
			s.Item(docColumn+2, "", boundLine(c))
		}
		fmt.Fprintln(s.W)
		printParams(s, a.Parameters)
	}
}

// describeProblems prints the problems with all their details.
func (l *Listing) describeProblems(s *table.Folded) {
	for _, p := range l.Problems {
		s.Entry(p.Name, p.Doc)
		printDefinition(s, "    rounds", p.Definition)
		s.Item(docColumn, "    reference", p.Reference)
		s.Item(docColumn, "    version", strconv.Itoa(p.Version))
		if facts := analysis.DescribeFacts(p.Facts); len(facts) > 0 {
			s.Item(docColumn, "    facts", strings.Join(facts, ", ")+", at the defaults")
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
				s.Item(docColumn, "", fmt.Sprintf(fact.formula, fact.value))
			}
		}
		fmt.Fprintln(s.W)
		printParams(s, p.Parameters)
	}
}

// printDefinition prints the sentences of a definition beside a heading.
func printDefinition(s *table.Folded, heading string, sentences []string) {
	for _, sentence := range sentences {
		s.Item(docColumn, heading, tex.PlainText(sentence))
		heading = ""
	}
}

// Named returns the entries that [Listing.WriteLaTeX] writes. The text what is algorithms,
// problems, all, or the name of an entry.
func (l *Listing) Named(what string) Listing {
	switch what {
	case "all":
		return *l
	case "algorithms":
		return Listing{Algorithms: l.Algorithms}
	case "problems":
		return Listing{Problems: l.Problems}
	}
	return l.entriesNamed(what)
}

// WithParameters returns the entries that a SPEC names, with the values of the SPEC as defaults of
// their parameters.
func (l Listing) WithParameters(u spec.Use) Listing {
	named := l.entriesNamed(u.Name)
	set := func(params []spec.Param) []spec.Param {
		params = slices.Clone(params)
		for i, p := range params {
			for _, a := range u.Args {
				if a.Key == p.Name {
					params[i].Default = a.Value.Text
				}
			}
		}
		return params
	}
	for i := range named.Algorithms {
		named.Algorithms[i].Parameters = set(named.Algorithms[i].Parameters)
	}
	for i := range named.Problems {
		named.Problems[i].Parameters = set(named.Problems[i].Parameters)
	}
	return named
}

// WriteLaTeX writes the definitions of the algorithms and problems as paragraphs of LaTeX for an
// article. A sentence that is one formula is displayed. It returns an error if no entry has a
// definition, or if a formula cannot be read.
func (l Listing) WriteLaTeX(w io.Writer) error {
	var anyDefined bool
	var faults []error
	write := func(name, title, reference string, version int, sentences []string,
		params []spec.Param) {
		if len(sentences) == 0 {
			return
		}
		if !anyDefined {
			fmt.Fprintln(w, "% of bench list; needs amsmath and amssymb")
			anyDefined = true
		}
		fmt.Fprintf(w, "\n%% %s, version %d: %s\n\\paragraph{%s}\n", name, version, reference,
			tex.LaTeX(tex.Escape(strings.TrimSuffix(title, "."))))
		for _, sentence := range sentences {
			if err := tex.Check(tex.OfText(sentence)); err != nil { // another program may declare it
				faults = append(faults, fmt.Errorf("the definition of %s: %q: %w", name, sentence, err))
			}
			fmt.Fprintln(w, latexSentence(sentence))
		}
		var defaults []string
		for _, p := range params {
			if p.Default != "" && !experiment.IsOwnFeedback(p) { // it says nothing of the algorithm
				defaults = append(defaults, tex.LaTeX(tex.Escape(p.Name+" = "+p.Default)))
			}
		}
		if len(defaults) > 0 {
			fmt.Fprintf(w, "The parameters are %s.\n", strings.Join(defaults, ", "))
		}
	}
	for _, a := range l.Algorithms {
		write(a.Name, a.Title, a.Reference, a.Version, a.Definition, a.Parameters)
	}
	for _, p := range l.Problems {
		write(p.Name, p.Title, p.Reference, p.Version, p.Definition, p.Parameters)
	}
	if !anyDefined {
		return errors.New("nothing of this has a definition in formulas: expected an algorithm or a " +
			"problem of the program, or one that declares its definition")
	}
	return errors.Join(faults...)
}

// latexSentence returns the LaTeX of a sentence of a definition.
func latexSentence(s string) string {
	source := tex.LaTeX(tex.OfText(s))
	if strings.HasPrefix(s, "$") && strings.HasSuffix(s, "$") && strings.Count(s, "$") == 2 {
		return `\[ ` + strings.Trim(source, "$") + ` \]`
	}
	return source
}

// describeExperiments prints experiments with their files.
func (l *Listing) describeExperiments(s *table.Folded) {
	for _, x := range l.Experiments {
		s.Entry(x.Name, x.Doc)
		s.Item(4, "", x.Reference)
		source, err := experiments.Source(x.Name)
		if err != nil {
			panic("report: " + err.Error()) // it is in the program
		}
		fmt.Fprintf(s.W, "\n%s\n", source)
	}
}

// paramColumn is the column at which the description of a parameter begins, after its name and
// its value.
const paramColumn = 32

// printParams prints the parameters of an entry, and an empty line.
func printParams(s *table.Folded, params []spec.Param) {
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
		s.Item(paramColumn, fmt.Sprintf("      %-12s %-12s", p.Name, value), doc)
	}
	fmt.Fprintln(s.W)
}
