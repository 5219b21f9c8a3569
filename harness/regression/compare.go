package regression

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run/process"
	"ocobench/stats"
)

// An experiment is compared with another in three steps. [findCounterparts] finds the algorithms
// and problems that both have, [matchedExperiments.compareCurves] pairs their curves, and
// [testAll] tests those that differ, either their growth ([Compare]) or their final values
// ([SideBySide]).

// Difference compares a curve of two experiments, A of the current one and B of the reference.
type Difference struct {
	// Comparison compares the final values. Equal reports that the curves have the same bits. State is
	// Missing if only one of the two has the curve. The difference has an interval and a p-value if
	// final values are tested.
	analysis.Comparison
	Design stats.Design `json:"design"`
	// Answer is NoChange, Rounding, Gone, New, or the answer of the test of growth.
	Answer stats.Answer `json:"answer,omitempty"`
	// Growth is nil where growth is not tested.
	*Growth
}

// The answers besides those of package stats.
const (
	NoChange stats.Answer = "the same" // no bit differs
	Rounding stats.Answer = "rounding" // no value differs by more than roundingTolerance
	Gone     stats.Answer = "gone"     // only the reference has the curve
	New      stats.Answer = "new"      // only the current experiment has it
)

// Growth holds the test of whether a curve grows faster or slower than before.
type Growth struct {
	// Compared is "exponent", or "final" where a mean is not positive throughout the window and final
	// means are compared in place of exponents.
	Compared string `json:"compared"`
	// Reference and Current are these values, and Change is the current one less the reference.
	Reference analysis.Estimate `json:"reference"`
	Current   analysis.Estimate `json:"current"`
	Change    analysis.Estimate `json:"change"`
	// Margin, P, Adjusted and Open have the meaning that they have in a [stats.Change].
	Margin   float64         `json:"margin"`
	P        analysis.Number `json:"p"`
	Adjusted analysis.Number `json:"p_adjusted"`
	Open     bool            `json:"open"`
}

// Key returns the name of the curve in the current experiment.
func (d Difference) Key() Key { return Key{d.A, d.Problem, d.Metric, d.Design} }

// Compare tests whether the growth of the curves of an experiment has changed since the reference.
// The experiments have to be comparable, see [Snapshot.Comparable]. It uses all processors; the
// result does not depend on their number. Errors name the curve, or are the context's.
func Compare(ctx context.Context, current, reference *Snapshot) (*Report, error) {
	m := matchExperiments(current, reference)
	// Under one SPEC, a new default or another file of rounds is the change to be tested.
	compareChanged(m.algorithms)
	compareChanged(m.problems)
	differences, curves := m.compareCurves(func(Key) bool { return true })
	for i, c := range curves {
		if c.Paired && differOnlyByRounding(c.Current, c.Reference) {
			differences[i].Answer, curves[i] = Rounding, stats.Rerun{}
		}
	}
	if err := testGrowth(ctx, differences, curves, reference.Confidence); err != nil {
		return nil, err
	}
	out := &Report{Experiment: reference.Name, Answer: NoChange, Paired: m.sameSeed(),
		Confidence: reference.Confidence, Reference: Run{reference.Seed, reference.Program},
		Current: Run{current.Seed, current.Program}, Broken: []BrokenBound{}, Gone: []Key{}, New: []Key{},
		Changes: []Difference{}}
	for _, d := range differences {
		answer := d.Answer
		switch d.Answer {
		case Gone:
			out.Gone, answer = append(out.Gone, d.Key()), stats.Regression
		case New:
			out.New, answer = append(out.New, d.Key()), stats.Changed
		case NoChange:
			out.Same++
		case Rounding:
			out.Rounding++
		default:
			out.Changes = append(out.Changes, d)
		}
		if answer.Compare(out.Answer) > 0 {
			out.Answer = answer
		}
	}
	if out.Answer == NoChange && out.Rounding > 0 {
		out.Answer = Rounding
	}
	out.Total = out.Same + out.Rounding + len(out.Changes)
	slices.SortStableFunc(out.Changes,
		func(a, b Difference) int { return b.Answer.Compare(a.Answer) })
	return out, nil
}

// counterpart holds an algorithm or a problem of the reference with its counterpart in the current
// experiment. There are three cases:
//
//	same:     an entry has the same name and the same parameters
//	changed:  no entry is the same, and one with the same SPEC has parameters that the reference lacks
//	none
type counterpart struct {
	reference experiment.Entry
	// currentSpec is the SPEC of the entry of the current experiment that is compared, or "": the
	// same entry or, after compareChanged, a changed one.
	currentSpec string
	changed     bool
}

// findCounterparts returns the entries of a reference with their counterparts in the current
// experiment.
func findCounterparts(current, reference []experiment.Entry) (all []counterpart) {
	for _, e := range reference {
		c := counterpart{reference: e, currentSpec: specOfSame(current, e)}
		c.changed = c.currentSpec == "" && slices.ContainsFunc(current, func(m experiment.Entry) bool {
			return m.Spec == e.Spec && specOfSame(reference, m) == ""
		})
		all = append(all, c)
	}
	return all
}

// compareChanged decides that entries with other parameters under one SPEC are compared, too.
func compareChanged(all []counterpart) {
	for i := range all {
		if c := &all[i]; c.changed {
			c.currentSpec = c.reference.Spec
		}
	}
}

// specOfSame returns the SPEC of an entry of all that is the same as e, one with the SPEC of e if
// there are several, or "" if there is none.
func specOfSame(all []experiment.Entry, e experiment.Entry) (spec string) {
	for _, m := range all {
		if sameEntry(m, e) && (spec == "" || m.Spec == e.Spec) {
			spec = m.Spec
		}
	}
	return spec
}

// sameEntry reports whether two entries have the same name and the same parameters, whose JSON is
// sorted.
func sameEntry(e, f experiment.Entry) bool {
	params := func(e experiment.Entry) []byte {
		if e.Params == nil {
			return []byte("null")
		}
		return e.Params
	}
	return e.Name == f.Name && bytes.Equal(params(e), params(f))
}

// counterpartOf returns the counterpart of a SPEC of the reference.
func counterpartOf(all []counterpart, spec string) counterpart {
	return all[slices.IndexFunc(all, func(c counterpart) bool { return c.reference.Spec == spec })]
}

// matchedExperiments holds two experiments, with the algorithms and problems of the reference in
// its order.
type matchedExperiments struct {
	current, reference   *Snapshot
	algorithms, problems []counterpart
}

// matchExperiments finds what two experiments have in common.
func matchExperiments(current, reference *Snapshot) matchedExperiments {
	return matchedExperiments{current, reference,
		findCounterparts(current.Algorithms, reference.Algorithms),
		findCounterparts(current.Problems, reference.Problems)}
}

// sameSeed reports whether replicate r of both was played on the same random numbers.
func (m matchedExperiments) sameSeed() bool { return m.current.Seed == m.reference.Seed }

// compareCurves compares the curves whose current key satisfies keep: first those of the
// reference, in its order, then the new ones. It tests nothing, and returns for each difference
// the replicates to test, which are empty if there is nothing to test.
func (m matchedExperiments) compareCurves(keep func(Key) bool) (all []Difference,
	curves []stats.Rerun) {
	byKey := make(map[Key]Curve)
	for _, c := range m.current.Curves {
		byKey[c.Key] = c
	}
	seen := make(map[Key]bool) // the current curves that the reference has, too
	for _, was := range m.reference.Curves {
		a, p := counterpartOf(m.algorithms, was.Algorithm), counterpartOf(m.problems, was.Problem)
		k := Key{a.currentSpec, p.currentSpec, was.Metric, was.Design}
		now, both := byKey[k]
		if !both {
			k.Algorithm, k.Problem = was.Algorithm, was.Problem
		}
		if !keep(k) {
			continue
		}
		d, tested := emptyDifference(k, was.Algorithm), stats.Rerun{}
		if both {
			seen[k] = true
			d, tested = m.compareCurve(d, now, was)
		} else {
			d.Answer = Gone
		}
		all, curves = append(all, d), append(curves, tested)
	}
	for _, c := range m.current.Curves {
		if !seen[c.Key] && keep(c.Key) {
			d := emptyDifference(c.Key, c.Algorithm)
			d.Answer = New
			all, curves = append(all, d), append(curves, stats.Rerun{})
		}
	}
	return all, curves
}

// undefined stands for a number that does not exist.
var undefined = analysis.Number(math.NaN())

// emptyDifference returns the difference of a curve that only one experiment has: no number is
// defined.
func emptyDifference(k Key, b string) Difference {
	unknown := analysis.Estimate{Value: undefined, Lower: undefined, Upper: undefined}
	return Difference{Comparison: analysis.Comparison{Problem: k.Problem, A: k.Algorithm, B: b,
		Metric: k.Metric, State: analysis.Missing, MeanA: undefined, MeanB: undefined,
		Difference:      analysis.Difference{Estimate: unknown, P: undefined, Adjusted: undefined},
		ProbabilityLess: unknown},
		Design: k.Design}
}

// compareCurve compares two curves without testing them, and returns the replicates to test.
func (m matchedExperiments) compareCurve(d Difference, now, was Curve) (Difference, stats.Rerun) {
	a, replicates := m.current.replicateRows(now)
	b, others := m.reference.replicateRows(was)
	d.State, d.Of, d.Equal = analysis.Measured, m.current.Replicates, now.Bits == was.Bits
	deterministic := m.current.isDeterministic(now.Key) && m.reference.isDeterministic(was.Key)
	d.Paired = m.sameSeed() || deterministic || d.Equal
	if d.Paired {
		common := func(c stats.Curve, of, with []int) stats.Curve {
			out := stats.Curve{T: c.T}
			for k, y := range c.Y {
				if _, in := slices.BinarySearch(with, of[k]); in {
					out.Y = append(out.Y, y)
				}
			}
			return out
		}
		a, b = common(a, replicates, others), common(b, others, replicates)
	}
	if len(a.Y) == 0 { // no replicate is in both
		d.State, d.Answer = analysis.Missing, Gone
		return d, stats.Rerun{}
	}
	tested := stats.Rerun{Name: d.Key().String(), Reference: b, Current: a, Paired: d.Paired}
	if deterministic { // all replicates are alike
		d.Of, a.Y, b.Y = 1, a.Y[:1], b.Y[:1]
	}
	if d.Replicates = len(a.Y); !d.Paired {
		d.ReplicatesB = len(b.Y)
	}
	d.MeanA, d.MeanB = analysis.Number(a.FinalMean()), analysis.Number(b.FinalMean())
	d.Difference.Value = d.MeanA - d.MeanB
	if deterministic {
		d.Sign = cmp.Compare(d.Difference.Value, 0)
	}
	if d.Equal {
		d.Answer = NoChange
		return d, stats.Rerun{}
	}
	return d, tested
}

// roundingTolerance is the largest difference that counts as rounding, as a share of the largest
// value of a replicate: the last of the six digits that a snapshot keeps.
const roundingTolerance = 1e-5

// differOnlyByRounding reports whether two curves have the same checkpoints and replicates, and no
// value of one differs from the other's by more than [roundingTolerance].
func differOnlyByRounding(a, b stats.Curve) bool {
	if !slices.Equal(a.T, b.T) || len(a.Y) != len(b.Y) {
		return false
	}
	for r := range a.Y {
		largest := 0.0
		for _, y := range b.Y[r] {
			largest = max(largest, math.Abs(y))
		}
		for k := range a.Y[r] {
			if !(math.Abs(a.Y[r][k]-b.Y[r][k]) <= roundingTolerance*largest) {
				return false
			}
		}
	}
	return true
}

// testGrowth tests the growth of the curves that differ.
func testGrowth(ctx context.Context, all []Difference, curves []stats.Rerun,
	confidence float64) error {
	growth := growthOf(confidence)
	return testAll(ctx, curves, confidence, func(i int, c stats.Change) error {
		d := &all[i]
		d.Answer = c.Answer
		d.Growth = &Growth{Compared: "exponent", Change: analysis.EstimateOf(c.Estimate),
			Margin: c.Margin, P: analysis.Number(c.P), Adjusted: analysis.Number(c.Adjusted), Open: c.Open}
		if c.Final {
			d.Compared = "final"
			d.setFinal(c, confidence)
		}
		var err error
		if d.Reference, err = growthValue(growth, curves[i].Reference, c.Final); err == nil {
			d.Current, err = growthValue(growth, curves[i].Current, c.Final)
		}
		return err
	})
}

// growthValue returns the exponent of a curve, or its final mean.
func growthValue(g stats.Growth, c stats.Curve, final bool) (analysis.Estimate, error) {
	if final {
		b, err := c.Band(g.Confidence)
		if err != nil {
			return analysis.Estimate{}, err
		}
		last := len(c.T) - 1
		return analysis.EstimateOf(stats.Estimate{Value: b.Mean[last], Lower: b.Lower[last],
			Upper: b.Upper[last]}), nil
	}
	f, err := g.Fit(c)
	return analysis.EstimateOf(stats.Estimate{Value: f.Exponent, Lower: f.Lower, Upper: f.Upper}), err
}

// testFinals tests the final values of the curves that differ and have random numbers.
func testFinals(ctx context.Context, all []Difference, curves []stats.Rerun,
	confidence float64) error {
	ends := make([]stats.Rerun, len(curves)) // empty where there is nothing to test
	for i, c := range curves {
		if c.Current.Y != nil && all[i].Of > 1 {
			ends[i] = stats.Rerun{Name: c.Name, Reference: lastValues(c.Reference),
				Current: lastValues(c.Current), Paired: c.Paired}
		}
	}
	return testAll(ctx, ends, confidence, func(i int, c stats.Change) error {
		all[i].setFinal(c, confidence)
		return nil
	})
}

// setFinal fills in the difference of the final means.
func (d *Difference) setFinal(c stats.Change, confidence float64) {
	d.Difference = analysis.Difference{Estimate: analysis.EstimateOf(c.Estimate),
		P: analysis.Number(c.P), Adjusted: analysis.Number(c.Adjusted)}
	if c.Adjusted <= 1-confidence {
		d.Sign = cmp.Compare(d.Difference.Value, 0)
	}
}

// lastValues returns a curve of two points at the last values. It is too short for an exponent, so
// that a test compares its final means.
func lastValues(c stats.Curve) stats.Curve {
	out := stats.Curve{T: []float64{1, 2}}
	for _, y := range c.Y {
		out.Y = append(out.Y, []float64{y[len(y)-1], y[len(y)-1]})
	}
	return out
}

// growthOf returns the growth of curves of a snapshot, which have no checkpoints outside of the
// window.
func growthOf(confidence float64) stats.Growth {
	return stats.Growth{Window: stats.Window{From: 1}, Confidence: confidence}
}

// testAll tests the curves that are not empty with one [stats.RegressionTest], on all processors,
// and calls set for each.
func testAll(ctx context.Context, curves []stats.Rerun, confidence float64,
	set func(i int, c stats.Change) error) error {
	var tested []int
	var all []stats.Rerun
	for i, c := range curves {
		if c.Current.Y != nil {
			tested, all = append(tested, i), append(all, c)
		}
	}
	test := stats.RegressionTest{Growth: growthOf(confidence),
		Each: func(n int, f func(i int) error) error { return process.Each(ctx, n, f) }}
	report, err := test.Compare(all)
	if err != nil {
		return err
	}
	for k, c := range report.Changes {
		if err := set(tested[k], c); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}
