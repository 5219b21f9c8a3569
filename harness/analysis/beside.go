package analysis

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
	"ocobench/stats"
)

// Two analyses are joined in three steps. [join] decides what each algorithm and problem of
// the reference is called beside mine. [joint.analysis] makes one analysis of both under
// these names. [joint.differences] tests the pairs that both have, with one correction for
// all.

// Beside compares the pairs of two stores that have the same algorithm and problem. One
// store is the reference.
type Beside struct {
	Sources     [2]string      `json:"sources"` // the names of both; the second is the reference
	Differences []BesideMetric `json:"differences"`
	Warnings    []string       `json:"warnings"` // such as different seeds
}

// BesideMetric is the difference of the final means of a pair: that of the first store
// minus that of the reference.
type BesideMetric struct {
	Problem   string            `json:"problem"` // SPECs, without a source
	Algorithm string            `json:"algorithm"`
	Metric    algorithms.Metric `json:"metric"`
	// Mean and Reference are the means of the replicates that are compared.
	Mean      Number `json:"mean"`
	Reference Number `json:"reference_mean"`
	// Difference has no interval and no p-value where there is one replicate, and where
	// all final values of the pair, by every metric, are the same bits: then the games
	// are the same, and there is nothing to test.
	Difference Difference `json:"difference"`
	// Paired reports that the replicates play the same rounds, and the test is of pairs;
	// else it is of two samples. Equal reports that all final values are the same bits.
	Paired bool `json:"paired"`
	Equal  bool `json:"equal"`
	// Replicates is the number that the test has, and ReferenceReplicates that of the
	// reference.
	Replicates          int `json:"replicates"`
	ReferenceReplicates int `json:"reference_replicates"`
}

// SideBySide returns one analysis that shows two: mine, and a reference, such as the same
// experiment in the store of another version. The names tell the two apart.
//
// It has the algorithms of both. An algorithm of the reference gets the suffix " @ NAME" in
// its SPEC and label if mine has it too, with the same name and all the same parameters, or
// if mine has another one with its SPEC or title. A problem is the same in both if its name
// and all its parameters are the same. It is shown once, as mine describes it. A problem of
// the reference that only looks the same gets the suffix. Fronts, Ranks and Profiles are
// those of all pairs together; ranks are within replicates of the same number. The claims
// and their corrected p-values are those of each analysis, and the Comparisons those of mine.
//
// For every pair that both have, and every metric that is shown and fitted,
// [Beside.Differences] has the difference d of the means of the final values, mine less
// the reference's. The test is the one of [stats.RegressionTest] (Student's interval
// and a bootstrap, the more conservative of the two) at the confidence of mine.
// Replicate is paired with replicate where the rounds are the same,
//
//	d = mean of (xᵣ − yᵣ) over the replicates r that both have,
//
// and else both are independent samples,
//
//	d = mean of x − mean of y,
//
// with the degrees of freedom of Welch and Satterthwaite. The p-values are corrected by
// Holm for all of them together.
//
// It is an error if the last horizons differ, since no number of one analysis then compares
// with one of the other; if a name is not valid; or if an analysis already shows two
// stores. Otherwise the error is the context's. The result does not depend on the number of
// processors. Neither analysis is changed.
func SideBySide(ctx context.Context, mine, reference *Analysis, names [2]string) (*Analysis,
	error) {
	x, y := mine.Experiment, reference.Experiment
	switch {
	case names[0] == "" || names[0] == names[1] || names[1] == "":
		return nil, fmt.Errorf("two names are needed to tell the analyses apart, not %q and %q", names[0],
			names[1])
	case mine.Beside != nil || reference.Beside != nil:
		return nil, fmt.Errorf("experiment %s is shown beside another already", x.Name)
	case x.Last() != y.Last():
		return nil, fmt.Errorf("experiment %s of %s has the last horizon %d and %s of %s has %d, so "+
			"that their values cannot be compared; run one of them again with the horizon of the other",
			x.Name, names[0], x.Last(), y.Name, names[1], y.Last())
	}
	j := join(mine, reference, names)
	out := j.analysis()
	out.Focus = out.focus()
	out.Fronts = out.fronts()
	if err := out.rank(); err != nil {
		return nil, err
	}
	differences, err := j.differences(ctx)
	out.Beside = &Beside{Sources: names, Differences: differences, Warnings: j.warnings()}
	return out, err
}

// joint is two analyses, with the names that the algorithms and problems of the reference
// have in the joint analysis.
type joint struct {
	mine, reference *Analysis
	names           [2]string
	algorithms      []counterpart // of the reference, in its order
	problems        []counterpart
}

// counterpart is an algorithm or a problem of the reference in the joint analysis.
type counterpart struct {
	experiment.Entry        // with the SPEC that it has there
	was              string // the SPEC that it has in the reference
	of               string // the SPEC in mine of the same one, or ""
	changed          bool   // mine has this SPEC with other parameters
}

func join(mine, reference *Analysis, names [2]string) joint {
	j := joint{mine: mine, reference: reference, names: names}
	suffix := " @ " + names[1]
	for _, e := range reference.Algorithms {
		c := counterpartOf(e, mine.Algorithms, reference.Algorithms, suffix)
		if c.changed { // the difference that a new default makes
			c.of = c.was
		}
		c.Source = names[1]
		j.algorithms = append(j.algorithms, c)
	}
	for _, p := range reference.Problems {
		c := counterpartOf(p.Entry, entrants(mine.Problems), entrants(reference.Problems), suffix)
		if c.of != "" {
			c.Spec = c.of
		}
		c.Source = names[1]
		j.problems = append(j.problems, c)
	}
	return j
}

// counterpartOf returns what an entry of the reference is called beside all of mine.
func counterpartOf(e experiment.Entry, mine, reference []experiment.Entry,
	suffix string) counterpart {
	c := counterpart{Entry: e, was: e.Spec}
	clash := false
	for _, m := range mine {
		switch {
		case alike(m, e) && (c.of == "" || m.Spec == e.Spec):
			c.of = m.Spec
		case m.Spec == e.Spec: // unless another of the reference is the same
			c.changed = !slices.ContainsFunc(reference, func(r experiment.Entry) bool { return alike(m, r) })
		}
		clash = clash || m.Spec == e.Spec || m.Title() == e.Title()
	}
	c.changed = c.changed && c.of == ""
	if c.of == "" && !clash {
		return c
	}
	if c.of != "" && !slices.ContainsFunc(reference,
		func(r experiment.Entry) bool { return r.Spec == c.of }) {
		c.Spec = c.of
	}
	c.Spec += suffix
	if c.Label != "" {
		c.Label += suffix
	}
	return c
}

// alike reports whether two entries have the same name and the same parameters.
func alike(e, f experiment.Entry) bool {
	return e.Name == f.Name && bytes.Equal(params(e), params(f))
}

// params are the parameters of an entry: [spec.Resolved] sorts them.
func params(e experiment.Entry) []byte {
	if e.Params == nil {
		return []byte("null")
	}
	return e.Params
}

func entrants(problems []Problem) (all []experiment.Entry) {
	for _, p := range problems {
		all = append(all, p.Entry)
	}
	return all
}

// called returns the counterpart of a SPEC of the reference.
func called(all []counterpart, was string) counterpart {
	return all[slices.IndexFunc(all, func(c counterpart) bool { return c.was == was })]
}

// analysis is the joint analysis, without what is computed over all pairs.
func (j joint) analysis() *Analysis {
	out := *j.mine
	out.Missing += j.reference.Missing
	if j.reference.Cells != out.Cells {
		out.Cells += "+" + j.reference.Cells
	}
	out.Computed = slices.Clone(out.Computed)
	for _, c := range j.reference.Computed {
		k := slices.IndexFunc(out.Computed,
			func(by run.Computed) bool { return by.Provenance == c.Provenance })
		if k < 0 {
			out.Computed = append(out.Computed, c)
		} else {
			out.Computed[k].Cells += c.Cells
		}
	}
	out.Metrics = slices.Clone(out.Metrics)
	for _, m := range j.reference.Metrics {
		if !slices.ContainsFunc(out.Metrics, func(has Metric) bool { return has.Name == m.Name }) {
			out.Metrics = append(out.Metrics, m)
		}
	}
	out.Algorithms = slices.Clone(out.Algorithms)
	for i := range out.Algorithms {
		out.Algorithms[i].Source = j.names[0]
	}
	for _, c := range j.algorithms {
		out.Algorithms = append(out.Algorithms, c.Entry)
	}
	out.Problems = slices.Clone(out.Problems)
	for i, c := range j.problems {
		if c.of == "" {
			p := j.reference.Problems[i]
			p.Entry = c.Entry
			out.Problems = append(out.Problems, p)
		}
	}
	out.Unmet = slices.Clone(out.Unmet)
	for _, u := range j.reference.Unmet {
		u.Algorithm, u.Problem = called(j.algorithms, u.Algorithm).Spec,
			called(j.problems, u.Problem).Spec
		out.Unmet = append(out.Unmet, u)
	}
	out.Standings = slices.Clone(out.Standings)
	for _, s := range j.reference.Standings {
		s.Algorithm = called(j.algorithms, s.Algorithm).Spec
		out.Standings = append(out.Standings, s)
	}
	out.Pairs = []Pair{}
	for _, problem := range out.Problems {
		for _, p := range j.mine.Pairs {
			if p.Problem == problem.Spec {
				out.Pairs = append(out.Pairs, p)
			}
		}
		for _, p := range j.reference.Pairs {
			if p.Problem = called(j.problems, p.Problem).Spec; p.Problem == problem.Spec {
				p.Algorithm = called(j.algorithms, p.Algorithm).Spec
				out.Pairs = append(out.Pairs, p)
			}
		}
	}
	for i := range out.Pairs {
		out.Pairs[i].complete(out.Metrics)
	}
	return &out
}

// complete gives the pair a series of every metric. The series of a metric that it lacks
// has the state Missing.
func (p *Pair) complete(metrics []Metric) {
	p.Series = maps.Clone(p.Series)
	for _, m := range metrics {
		if p.Series[m.Name] == nil {
			s, _ := mean(stats.Curve{}, 0)
			s.Of, s.Finals = p.Replicates, finals(stats.Curve{}, nil, p.Replicates)
			p.Series[m.Name] = &s
		}
	}
}

// sides is a pair in both analyses.
type sides struct {
	mine, reference *Pair
	paired          func(replicate int) bool // plays the same rounds in both; nil where none does
	same            bool                     // the games are the same
}

// sides returns the pairs that both have, in the order of mine.
func (j joint) sides() (all []sides) {
	for i := range j.mine.Pairs {
		p := &j.mine.Pairs[i]
		for k := range j.reference.Pairs {
			q := &j.reference.Pairs[k]
			if called(j.algorithms, q.Algorithm).of == p.Algorithm &&
				called(j.problems, q.Problem).of == p.Problem {
				s := sides{p, q, j.rounds(p.Problem, q.Problem), sameGames(p, q)}
				if s.same {
					s.paired = func(int) bool { return true }
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// rounds returns the function that reports which replicates of a problem, by its SPECs in
// both analyses, play the same rounds in both. It returns nil if none does.
func (j joint) rounds(mine, reference string) func(replicate int) bool {
	p, q := j.mine.problem(mine), j.reference.problem(reference)
	n := min(len(p.Rounds), len(q.Rounds))
	if n == 0 || !slices.Equal(p.Rounds[:n], q.Rounds[:n]) {
		return nil
	}
	// A problem without chance has one hindsight, and the same rounds in all replicates.
	return func(replicate int) bool { return replicate <= n || p.Deterministic }
}

// problem is the problem with this SPEC, which must exist.
func (a *Analysis) problem(spec string) Problem {
	return a.Problems[slices.IndexFunc(a.Problems, func(p Problem) bool { return p.Spec == spec })]
}

// sameGames reports whether all final values have the same bits, for every metric that both
// have and in every replicate that both may have.
func sameGames(p, q *Pair) bool {
	played := false
	for m, a := range p.Series {
		b := q.Series[m]
		if b == nil || unasked(m, a, b) {
			continue
		}
		n := min(len(a.Finals), len(b.Finals))
		if !equal(a.Finals[:n], b.Finals[:n]) {
			return false
		}
		played = played || a.Known() && slices.ContainsFunc(a.Finals[:n], Number.Defined)
	}
	return played
}

// equal reports whether numbers have the same bits. Two undefined numbers are equal.
func equal(a, b []Number) bool {
	return slices.EqualFunc(a, b, func(x, y Number) bool {
		return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) ||
			!x.Defined() && !y.Defined()
	})
}

// differences are those of all pairs that both have.
func (j joint) differences(ctx context.Context) ([]BesideMetric, error) {
	all := []BesideMetric{}
	var tests []stats.Rerun // of all
	var tested []int        // indices of all
	for _, s := range j.sides() {
		for _, m := range j.mine.Metrics {
			a, b := s.mine.Series[m.Name], s.reference.Series[m.Name]
			if !m.Shown || !m.Fitted || !a.Known() || !b.Known() {
				continue
			}
			x, y := a.defined(), b.defined()
			if s.paired != nil {
				x, y = common(a.Finals, b.Finals, s.paired)
			}
			if len(x) == 0 || len(y) == 0 {
				continue
			}
			d := BesideMetric{
				Problem: s.mine.Problem, Algorithm: s.mine.Algorithm, Metric: m.Name, Mean: a.meanOf(x),
				Reference: b.meanOf(y),
				Paired:    s.paired != nil, Equal: equal(x, y), Replicates: len(x), ReferenceReplicates: len(y),
			}
			d.Difference = Difference{Estimate{d.Mean - d.Reference, none, none}, none, none}
			if !s.same {
				tested = append(tested, len(all))
			}
			all = append(all, d)
			tests = append(tests, stats.Rerun{Name: string(m.Name), Current: ended(x), Reference: ended(y),
				Paired: d.Paired})
		}
	}
	level := 1 - j.mine.Experiment.Confidence
	// The smallest p-value of a bootstrap must be able to be significant after the correction, as in
	// Compare.
	resamples := max(stats.DefaultResamples, int(math.Ceil(float64(4*len(tested))/level))-1)
	ps := make([]float64, len(tested))
	err := process.Each(ctx, len(tested), func(i int) error {
		d, curve := &all[tested[i]], tests[tested[i]:tested[i]+1]
		for _, n := range []int{stats.DefaultResamples, resamples} {
			if n > stats.DefaultResamples && !(ps[i] <= level) { // not significant even without it
				break
			}
			t := stats.RegressionTest{Growth: stats.Growth{
				Confidence: j.mine.Experiment.Confidence, Resamples: n,
			}}
			report, err := t.Compare(curve)
			if err != nil {
				return fmt.Errorf("%s of %s on %s: %w", d.Metric, d.Algorithm, d.Problem, err)
			}
			change := report.Changes[0]
			d.Difference.Estimate, ps[i] = EstimateOf(change.Estimate), change.P
		}
		return nil
	})
	for i, adjusted := range stats.Holm(ps) {
		d := &all[tested[i]].Difference
		d.P, d.Adjusted = Number(ps[i]), Number(adjusted)
	}
	return all, err
}

// defined are the final values of the replicates that have one.
func (s *Series) defined() []Number {
	return slices.DeleteFunc(slices.Clone(s.Finals), func(v Number) bool { return !v.Defined() })
}

// common are the final values of the replicates that both have.
func common(a, b []Number, paired func(replicate int) bool) (x, y []Number) {
	for i := range min(len(a), len(b)) {
		if paired(i+1) && a[i].Defined() && b[i].Defined() {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// meanOf is the mean of these final values. If they are all that the series has, it is the
// mean of the series.
func (s *Series) meanOf(values []Number) Number {
	if len(values) == s.Replicates {
		return s.Mean.Last().Value
	}
	return finalMean(ended(values))
}

// ended returns curves that end in these values. A test of final values uses nothing else
// of a curve.
func ended(values []Number) stats.Curve {
	c := stats.Curve{T: []float64{1, 2}}
	for _, v := range values {
		c.Y = append(c.Y, []float64{float64(v), float64(v)})
	}
	return c
}

// warnings name the differences between the two that make their numbers less comparable: in
// the settings of the experiment, and in missing cells.
func (j joint) warnings() []string {
	all := []string{}
	warn := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	x, y, a, b := j.mine.Experiment, j.reference.Experiment, j.names[0], j.names[1]
	if x.Name != y.Name {
		warn("experiment %s of %s is beside %s of %s", x.Name, a, y.Name, b)
	}
	if p, q := versions(j.mine), versions(j.reference); p != q {
		warn("the results of %s are by ocobench %s, those of %s by ocobench %s", a, p, b, q)
	}
	if x.Seed != y.Seed {
		warn("the seed of %s is %d and that of %s %d: where chance has a part the rounds differ, and "+
			"the tests are of two samples", a, x.Seed, b, y.Seed)
	}
	if x.Replicates != y.Replicates {
		warn("%s has %d replicates and %s %d: on the same rounds those are compared that both have", a,
			x.Replicates, b, y.Replicates)
	}
	if !slices.Equal(x.Horizon, y.Horizon) {
		warn("the horizons of %s are %v and those of %s %v: exponents across horizons are of different "+
			"points", a, x.Horizon, b, y.Horizon)
	}
	if x.Window != y.Window {
		warn("exponents of %s are fitted over %v decades and those of %s over %v", a, x.Window, b,
			y.Window)
	}
	if x.Confidence != y.Confidence {
		warn("intervals of %s have confidence %v and those of %s %v; those of the differences have %v", a,
			x.Confidence, b, y.Confidence, x.Confidence)
	}
	for _, side := range []struct {
		of   string
		lack int
	}{{a, j.mine.Missing}, {b, j.reference.Missing}} {
		if side.lack > 0 {
			warn("cells that %s lacks: %d", side.of, side.lack)
		}
	}
	for _, c := range j.algorithms {
		if c.changed {
			warn("algorithm %s has other parameters in %s than in %s: the difference is between the two",
				c.was, a, b)
		}
	}
	for _, c := range j.problems {
		if c.changed {
			warn("problem %s has other parameters in %s than in %s: it is shown twice, and not compared",
				c.was, a, b)
		}
	}
	both := j.sides()
	if len(both) == 0 {
		warn("%s and %s have no algorithm on the same problem", a, b)
	}
	var unpaired []string
	for _, s := range both {
		if s.paired == nil && x.Seed == y.Seed && !slices.Contains(unpaired, s.mine.Problem) {
			unpaired = append(unpaired, s.mine.Problem)
		}
	}
	if len(unpaired) > 0 {
		warn("the rounds differ or depend on who plays, so that the tests are of two samples: %s",
			strings.Join(unpaired, "; "))
	}
	return all
}

// versions are those of the programs that computed the results.
func versions(a *Analysis) string {
	var all []string
	for _, c := range a.Computed {
		all = append(all, c.Version)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " and ")
}
