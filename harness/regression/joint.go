package regression

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/stats"
)

// Joint holds one analysis that shows two stores side by side, the second of them as the
// reference, and the differences of their final values.
type Joint struct {
	Analysis *analysis.Analysis `json:"-"`
	Sources  [2]string          `json:"sources"` // the names of both; the second is the reference
	// Differences compares every pair that both have, A in the first store with B in the reference,
	// by every metric that is shown and fitted.
	Differences []analysis.Comparison `json:"differences"`
	Warnings    []string              `json:"warnings"` // such as different seeds
}

// ErrNoAnalysis is the error of a snapshot that can be compared, but not shown.
var ErrNoAnalysis = errors.New("it has the curves of a check, without games and analysis; " +
	"write it with bench export --archive")

// SideBySide returns one analysis that shows two: that of the current experiment, and a reference,
// such as the same experiment in the store of another version. Both snapshots need their analyses.
// The names tell the two apart.
//
// The analysis is that of [analysis.Analysis.Joined]. An algorithm of the reference gets the suffix
// " @ NAME" in its SPEC and label if the current one has it too, with the same name and all the
// same parameters, or has another one with its SPEC or title. A problem is the same in both if its
// name and all its parameters are the same. It is shown once, as the current one describes it. A
// problem of the reference that only looks the same gets the suffix.
//
// A difference d of the means of the final values is the current one less the reference's, with the
// test of [stats.RegressionTest] (Student's interval and a bootstrap, the more conservative of the
// two) at the confidence of the current one. With the same seed replicate is paired with replicate,
//
//	d = mean of (xᵣ − yᵣ) over the replicates r that both have,
//
// and else both are independent samples,
//
//	d = mean of x − mean of y,
//
// with the degrees of freedom of Welch and Satterthwaite. The p-values are corrected by
// Holm for all of them together. There is no interval and no p-value where the curves have the same
// bits, of a single replicate, and of games without random numbers.
//
// It is an error if the last horizons differ, since no number of one analysis then compares
// with one of the other, or if a name is not valid. Otherwise the error is the context's. The
// result does not depend on the number of processors. Neither snapshot is changed.
func SideBySide(ctx context.Context, current, reference *Snapshot,
	names [2]string) (*Joint, error) {
	last, referenceLast := current.Last(), reference.Last()
	switch {
	case names[0] == "" || names[0] == names[1] || names[1] == "":
		return nil, fmt.Errorf("two names are needed to tell the analyses apart, not %q and %q", names[0],
			names[1])
	case current.Analysis == nil || reference.Analysis == nil:
		return nil, ErrNoAnalysis
	case last != referenceLast:
		return nil, fmt.Errorf("the last horizon is %d in experiment %s of %s and %d in %s of %s; run "+
			"one of them again with the horizon of the other", last, current.Name, names[0],
			referenceLast, reference.Name, names[1])
	}
	m := matchExperiments(current, reference)
	// An algorithm with the same SPEC and other parameters, such as a new default, is compared with
	// its namesake. A problem with other parameters has other rounds, and is not.
	compareChanged(m.algorithms)
	shownAs := m.joinedEntries(" @ " + names[1])
	joined, err := m.joinAnalyses(names, shownAs)
	if err != nil {
		return nil, err
	}
	shown := make(map[algorithms.Metric]bool)
	for _, metric := range current.Analysis.Metrics {
		shown[metric.Name] = metric.Shown && metric.Fitted
	}
	all, curves := m.compareCurves(func(k Key) bool {
		return k.Design == stats.AlongT && shown[k.Metric]
	})
	if err := testFinals(ctx, all, curves, current.Confidence); err != nil {
		return nil, err
	}
	out := &Joint{Analysis: joined, Sources: names, Differences: []analysis.Comparison{}}
	for _, d := range all {
		if d.State == analysis.Measured {
			d.B = shownAs.algorithms[d.B].Spec
			out.Differences = append(out.Differences, d.Comparison)
		}
	}
	out.Warnings = m.comparabilityWarnings(names, len(out.Differences))
	return out, nil
}

// Counts returns how many differences have equal bits, are tested, and are significant at a level.
func (j *Joint) Counts(alpha float64) (equal, tested, significant int) {
	for _, d := range j.Differences {
		if d.Equal {
			equal++
		}
		if d.Difference.P.Defined() {
			tested++
		}
		if float64(d.Difference.Adjusted) <= alpha {
			significant++
		}
	}
	return equal, tested, significant
}

// joinedEntries holds the entries of a reference with the SPEC and the label that they have in a
// joined analysis, by their SPEC in the reference.
type joinedEntries struct{ algorithms, problems map[string]experiment.Entry }

// joinedEntries returns the entries of the reference, with a suffix that tells them from current
// ones. A problem that both have is shown once, and has its current SPEC.
func (m matchedExperiments) joinedEntries(suffix string) joinedEntries {
	all := joinedEntries{suffixedEntries(m.algorithms, m.current.Algorithms, suffix),
		suffixedEntries(m.problems, m.current.Problems, suffix)}
	for _, c := range m.problems {
		if c.currentSpec != "" {
			all.problems[c.reference.Spec] = experiment.Entry{Spec: c.currentSpec}
		}
	}
	return all
}

// suffixedEntries returns entries of a reference, by their SPECs, that are shown beside the current
// ones:
//
//	compared with a current one    the SPEC of this and the suffix, or its own SPEC and the suffix
//	                               if the reference has the current SPEC, too
//	has a current SPEC or title    its own SPEC and the suffix
//	else                           its own SPEC
//
// A label has the suffix where the SPEC has it.
func suffixedEntries(all []counterpart, current []experiment.Entry,
	suffix string) map[string]experiment.Entry {
	hasSpec := func(spec string) bool {
		return slices.ContainsFunc(all, func(c counterpart) bool { return c.reference.Spec == spec })
	}
	shown := make(map[string]experiment.Entry)
	for _, c := range all {
		e := c.reference
		isCompared := c.currentSpec != ""
		isNamedAlike := slices.ContainsFunc(current, func(m experiment.Entry) bool {
			return m.Spec == e.Spec || m.LabelOrSpec() == e.LabelOrSpec()
		})
		if isCompared && !hasSpec(c.currentSpec) {
			e.Spec = c.currentSpec
		}
		if isCompared || isNamedAlike {
			e.Spec += suffix
			if e.Label != "" {
				e.Label += suffix
			}
		}
		shown[c.reference.Spec] = e
	}
	return shown
}

// joinAnalyses returns one analysis with the algorithms and problems of both.
func (m matchedExperiments) joinAnalyses(names [2]string,
	shownAs joinedEntries) (*analysis.Analysis, error) {

	current, reference := *m.current.Analysis, *m.reference.Analysis
	current.Algorithms = slices.Clone(current.Algorithms)
	for i := range current.Algorithms {
		current.Algorithms[i].Source = names[0]
	}
	reference.Algorithms, reference.Problems = slices.Clone(reference.Algorithms), nil
	for i := range reference.Algorithms {
		e := &reference.Algorithms[i]
		shown := shownAs.algorithms[e.Spec]
		e.Spec, e.Label, e.Source = shown.Spec, shown.Label, names[1]
	}
	for _, p := range m.reference.Analysis.Problems {
		if counterpartOf(m.problems, p.Spec).currentSpec == "" {
			shown := shownAs.problems[p.Spec]
			p.Spec, p.Label, p.Source = shown.Spec, shown.Label, names[1]
			reference.Problems = append(reference.Problems, p)
		}
	}
	rename := func(all map[string]experiment.Entry, spec *string) { *spec = all[*spec].Spec }
	reference.Unmet = slices.Clone(reference.Unmet)
	for i := range reference.Unmet {
		rename(shownAs.algorithms, &reference.Unmet[i].Algorithm)
		rename(shownAs.problems, &reference.Unmet[i].Problem)
	}
	reference.Standings = slices.Clone(reference.Standings)
	for i := range reference.Standings {
		rename(shownAs.algorithms, &reference.Standings[i].Algorithm)
	}
	reference.Pairs = slices.Clone(reference.Pairs)
	for i := range reference.Pairs {
		rename(shownAs.algorithms, &reference.Pairs[i].Algorithm)
		rename(shownAs.problems, &reference.Pairs[i].Problem)
	}
	return current.Joined(&reference)
}

// comparabilityWarnings names the differences between the two experiments that make their numbers
// less comparable: in the settings, and in missing cells.
func (m matchedExperiments) comparabilityWarnings(names [2]string, differences int) []string {
	all := []string{}
	warn := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	current, reference, a, b := m.current, m.reference, names[0], names[1]
	if current.Name != reference.Name {
		warn("experiment %s of %s is beside %s of %s", current.Name, a, reference.Name, b)
	}
	if p, q := ProgramVersions(current.Analysis), ProgramVersions(reference.Analysis); p != q {
		warn("the results of %s are by ocobench %s, those of %s by ocobench %s", a, p, b, q)
	}
	if current.Seed != reference.Seed {
		warn("the seed of %s is %d and that of %s %d: random rounds differ, and the tests are of two "+
			"samples", a, current.Seed, b, reference.Seed)
	}
	if current.Replicates != reference.Replicates {
		warn("%s has %d replicates and %s %d: on the same rounds those are compared that both have", a,
			current.Replicates, b, reference.Replicates)
	}
	if !slices.Equal(current.Horizon, reference.Horizon) {
		warn("the horizons of %s are %v and those of %s %v: exponents across horizons are of different "+
			"points", a, current.Horizon, b, reference.Horizon)
	}
	if current.Window != reference.Window {
		warn("exponents of %s are fitted over %v decades and those of %s over %v", a, current.Window, b,
			reference.Window)
	}
	if current.Confidence != reference.Confidence {
		warn("intervals of %s have confidence %v and those of %s %v; those of the differences have %v", a,
			current.Confidence, b, reference.Confidence, current.Confidence)
	}
	for _, side := range []struct {
		source string
		lack   int
	}{{a, current.Analysis.Missing}, {b, reference.Analysis.Missing}} {
		if side.lack > 0 {
			warn("cells that %s lacks: %d", side.source, side.lack)
		}
	}
	for _, c := range m.algorithms {
		if c.changed {
			warn("algorithm %s has other parameters in %s than in %s: the difference is between the two",
				c.reference.Spec, a, b)
		}
	}
	for _, c := range m.problems {
		if c.changed {
			warn("problem %s has other parameters in %s than in %s: it is shown twice, and not compared",
				c.reference.Spec, a, b)
		}
	}
	if differences == 0 {
		warn("%s and %s have no curve of the same algorithm on the same problem", a, b)
	}
	if others := m.otherRounds(); len(others) > 0 {
		warn("the seeds are equal, but the rounds differ: %s", strings.Join(others, "; "))
	}
	return all
}

// otherRounds returns the problems whose rounds differ although the seeds are equal: another
// program has made them.
func (m matchedExperiments) otherRounds() (specs []string) {
	for _, q := range m.reference.Analysis.Problems {
		for _, p := range m.current.Analysis.Problems {
			n := min(len(p.Rounds), len(q.Rounds))
			if p.Spec == counterpartOf(m.problems, q.Spec).currentSpec && m.sameSeed() &&
				!slices.Equal(p.Rounds[:n], q.Rounds[:n]) {
				specs = append(specs, p.Spec)
			}
		}
	}
	return specs
}

// ProgramVersions returns the versions of the programs that computed the results, in words.
func ProgramVersions(a *analysis.Analysis) string {
	var all []string
	for _, c := range a.Computed {
		all = append(all, c.Version)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " and ")
}
