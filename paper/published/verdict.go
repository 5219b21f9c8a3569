package published

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/paper"
	"ocobench/stats"
)

// The verdicts on an entry.
const (
	Reproduced    = "reproduced"
	Differs       = "differs"
	NotDetermined = "not determined"
)

// The verdicts on a value, besides [paper.Agrees] and "" where no number is published.
const (
	differs   = "differs"
	undecided = "undecided"
)

// Kind describes a document of entries.
var Kind = &paper.Kind{
	Name:  "published",
	Title: "Published figures and tables, played again",
	Introduction: "Numbers of papers beside what this program measures on the rounds that they " +
		"describe. ± is half the\ninterval of 95 % of the difference. A value agrees where it is within " +
		"the tolerance and the interval, and\nthe interval is within the tolerance. An entry is " +
		"reproduced where all values agree, differs where one\ndoes not, and is not determined where " +
		"something is missing;\nbench claims NAME --of published then prints what is measured. Amended: " +
		"with one thing changed.",
	Hint: "bench claims --of published plays all of them, in some minutes, and with NAME one. Those " +
		"that need a program of examples/ have their command.",
	Verdicts: []string{Reproduced, Differs, NotDetermined},
}

// Judge returns an entry with its verdict. Measure sets Measured, Error and Samples of a value,
// and reports whether the experiment was played.
func (e *Entry) Judge(measure func(Experiment, *paper.Value) (played bool)) paper.Entry {
	out := e.Entry
	out.Command, out.Verdict, out.Reason = e.Command(), NotDetermined, e.Missing
	for k, g := range e.experiments() {
		f := paper.Finding{Role: paper.Amended, What: g.What, Values: slices.Clone(g.Values)}
		if k == 0 {
			f.Role, f.What = paper.Stated, "the experiment, as far as the paper describes it"
			f.Decides = true
		}
		for i := range f.Values {
			v := &f.Values[i]
			v.Measured, v.Error = analysis.Number(math.NaN()), analysis.Number(math.NaN())
			if !measure(*g, v) {
				f.Outcome = paper.NotPlayed
			}
			if v.Published != nil {
				v.Agreement = compareWithPublished(float64(v.Measured), *v.Published, *v.Within,
					float64(v.Error))
			}
		}
		if f.Outcome == paper.NotPlayed {
			f.Text = paper.Plain("it takes --external " + quoteCommand(g.External))
		} else {
			f.Outcome = worstAgreement(f.Values)
			f.Text = paper.Plain(f.Agreement())
		}
		out.Findings = append(out.Findings, f)
	}
	switch {
	case e.Missing != "":
	case out.Findings[0].Outcome == paper.Agrees:
		out.Verdict = Reproduced
	case out.Findings[0].Outcome == differs:
		out.Verdict = Differs
	default:
		out.Reason = "some values have more noise than their tolerance, or were not measured"
	}
	return out
}

// compareWithPublished applies the rule of the package comment for a value to a measured mean whose
// error is e.
func compareWithPublished(mean, published, within, e float64) string {
	switch d := math.Abs(mean - published); {
	case d > within+e:
		return differs
	case d <= within+e && e <= within:
		return paper.Agrees
	}
	return undecided
}

// worstAgreement returns what the values of an experiment say together: that one differs, that one
// is undecided, that all agree, or that none is compared.
func worstAgreement(values []paper.Value) string {
	has := func(agreement string) bool {
		return slices.ContainsFunc(values, func(v paper.Value) bool { return v.Agreement == agreement })
	}
	for _, agreement := range []string{differs, undecided, paper.Agrees} {
		if has(agreement) {
			return agreement
		}
	}
	return "not compared"
}

// FromResults returns the measure of [Entry.Judge] that reads the results of experiments by their
// names. An experiment without results was not played.
//
// A value is the mean of a metric over the replicates of a pair. Its error is half the width of the
// interval of its difference from the mean of as many replicates as the paper has. Where the paper
// does not say how many, its mean counts as one without error.
func (e *Entry) FromResults(results map[string]*run.Results) func(Experiment, *paper.Value) bool {
	return func(g Experiment, v *paper.Value) bool {
		r := results[g.Spec.Name]
		if r == nil {
			return false
		}
		algorithm, problem := findLabel(r.Algorithms, v.Name), findLabel(r.Problems, v.Problem)
		c := stats.Curve{T: []float64{1}} // of one point, for the interval of its mean
		for replicate := 1; replicate <= r.Replicates; replicate++ {
			if y, ok := valueAt(r, algorithm.Spec, problem.Spec, replicate, v); ok {
				c.Y = append(c.Y, []float64{y})
			}
		}
		v.Samples = len(c.Y)
		band, err := c.Band(0.95)
		if err != nil || math.IsNaN(band.Mean[0]) {
			return true
		}
		half := band.Upper[0] - band.Mean[0]
		if problem.Deterministic && !algorithm.Draws {
			half = 0
		} else if e.Replicates > 0 {
			half *= math.Sqrt(1 + float64(v.Samples)/float64(e.Replicates))
		}
		v.Measured, v.Error = analysis.Number(band.Mean[0]), analysis.Number(half)
		return true
	}
}

// findLabel returns the algorithm or problem with a label, or the first one for an empty label,
// which a value has where there is only one problem.
func findLabel(all []experiment.Entry, label string) experiment.Entry {
	for _, x := range all {
		if x.Label == label || label == "" {
			return x
		}
	}
	return experiment.Entry{}
}

// valueAt returns a value of one game, and whether the store has it.
func valueAt(r *run.Results, algorithm, problem string, replicate int, v *paper.Value) (float64,
	bool) {
	horizon := r.Last()
	if slices.Contains(r.Horizon, v.T) {
		horizon = v.T
	}
	g := r.Game(algorithm, problem, replicate, horizon)
	if g == nil {
		return 0, false
	}
	values := g.Metric(algorithms.Metric(v.Metric))
	k := slices.Index(g.T(), float64(v.T))
	if k < 0 || k >= len(values) {
		return 0, false
	}
	if v.Each {
		return values[k] / float64(v.T), true
	}
	return values[k], true
}

// Command returns the command line that plays an entry again.
func (e *Entry) Command() string {
	command := fmt.Sprintf("bench claims %s --of %s", e.Name, e.Paper)
	for _, c := range e.Causes {
		if c.External != "" {
			command += " --external " + quoteCommand(c.External)
		}
	}
	return command
}

// quoteCommand returns NAME=COMMAND as a shell reads it.
func quoteCommand(external string) string {
	name, command, _ := strings.Cut(external, "=")
	return name + "='" + command + "'"
}
