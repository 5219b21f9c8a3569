// Package gate checks whether the curves of an experiment are those of a reference.
//
// A [Reference] keeps an [Excerpt] of every curve of an experiment, that is of
// every algorithm, problem and metric: the value of each replicate at a few
// checkpoints of the window, and a digest of its exact bits. [Measure] takes the
// excerpts of new results, and [Reference.Compare] compares them with the
// reference, first bit for bit, and those that differ by a
// [stats.RegressionTest]. The answer is the worst of
//
//	the same     the curves have the same bits
//	changed      curves have other bits, or are new; no change is significant
//	suspicious   a regret or a violation has fallen significantly
//	regression   a regret or a violation has risen significantly, or a curve is gone
//
// A curve with the same bits has not changed. It is no hypothesis to be tested,
// and Holm's correction counts the other curves only. If the seed is that of the
// reference, replicate r of both runs was played on the same random numbers. The
// comparison is then of pairs, and most of the noise cancels. With another seed
// the two runs are independent, and the exponents vary with the rounds.
//
// There are up to three metrics: regret against the algorithm's own comparator,
// the violation that its theorem bounds, and the hard violation, in which no
// round compensates another. Each has a curve along t. An algorithm that needs the
// horizon has another one across horizons, if the experiment has at least three.
package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/algorithms"
	"ocobench/convex/vec"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/stats"
)

// A Key names a curve.
type Key struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Problem   string            `json:"problem"`   // SPEC
	Metric    algorithms.Metric `json:"metric"`    // as in an export
	Design    stats.Design      `json:"design"`
}

// Pair returns "algorithm on problem", and ", across T" if the curve is.
func (k Key) Pair() string {
	pair := k.Algorithm + " on " + k.Problem
	if k.Design == stats.AcrossT {
		pair += ", across T"
	}
	return pair
}

// String returns "metric of algorithm on problem", and ", across T" if it is.
func (k Key) String() string { return string(k.Metric) + " of " + k.Pair() }

// An Excerpt is what a reference keeps of a curve.
type Excerpt struct {
	Key
	// Bits is the digest of the exact bits of all replicates at all
	// checkpoints, including those that Values leaves out.
	Bits string
	// Values are the replicates at a few checkpoints of the window, rounded to
	// six digits.
	Values stats.Curve
}

// spacing is the distance of the checkpoints that are kept. Results have 16
// checkpoints a decade, so that about three a decade are kept. The exponents lose
// hardly any precision by this.
const spacing = 5

// Measure returns the excerpts of all curves of an experiment, in the order of
// its results. A metric that is undefined at a checkpoint, such as regret against
// an empty set, has no curve.
func Measure(r *run.Results) []Excerpt {
	var excerpts []Excerpt
	for _, p := range r.Problems {
		for _, a := range r.Algorithms {
			for _, design := range []stats.Design{stats.AlongT, stats.AcrossT} {
				for _, metric := range metrics(r, a, p.Spec) {
					c := curve(r, a, p.Spec, metric, design)
					if p.Deterministic && len(c.Y) == 1 { // all replicates would be alike
						c.Y = slices.Repeat(c.Y, r.Replicates)
					}
					if c.Validate() != nil {
						continue
					}
					if values := thin(c, design, r.Window); values.Validate() == nil {
						excerpts = append(excerpts, Excerpt{Key{a.Spec, p.Spec, metric, design}, digest(c), values})
					}
				}
			}
		}
	}
	return excerpts
}

// curve returns a curve of this design; it is empty if there is none.
func curve(r *run.Results, a experiment.Entry, problem string, metric algorithms.Metric,
	design stats.Design) stats.Curve {
	if design == stats.AlongT {
		return r.Curve(a.Spec, problem, metric)
	}
	if curves, d := r.Growth(problem, metric, a); d == design {
		return curves[0]
	}
	return stats.Curve{}
}

// metrics returns the metrics whose curves are compared, for an algorithm on a
// problem.
func metrics(r *run.Results, a experiment.Entry, problem string) []algorithms.Metric {
	regret, violation := r.Watched(a, problem)
	return slices.Compact([]algorithms.Metric{regret, violation, algorithms.HardViolation})
}

// digest returns a hash of the bits of a curve.
func digest(c stats.Curve) string {
	h := sha256.New()
	for _, row := range append([][]float64{c.T}, c.Y...) {
		binary.Write(h, binary.LittleEndian, row)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// thin returns the curve at a few checkpoints of the window. It keeps all of them
// if the curve is across horizons, or if fewer than four would be left.
func thin(c stats.Curve, design stats.Design, decades float64) stats.Curve {
	last := len(c.T) - 1
	from := c.T[last] / vec.Pow(10, decades) * (1 - 1e-9)
	first := slices.IndexFunc(c.T, func(t float64) bool { return t >= from })
	step := spacing
	if design == stats.AcrossT || last-first < 3*spacing {
		step = 1
	}
	out := stats.Curve{Y: make([][]float64, len(c.Y))}
	for k := first + (last-first)%step; k <= last; k += step {
		out.T = append(out.T, c.T[k])
		for r, y := range c.Y {
			out.Y[r] = append(out.Y[r], round(y[k]))
		}
	}
	return out
}

// round returns v with six digits.
func round(v float64) float64 {
	v, err := strconv.ParseFloat(formatValue(v), 64)
	if err != nil {
		panic("gate: " + err.Error())
	}
	return v + 0 // −0 is 0
}

func formatValue(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// Same is the answer where no bit differs from the reference. The other answers are
// those of package stats.
const Same stats.Answer = "the same"

// A Report is the result of a comparison.
type Report struct {
	Experiment         string
	Reference, Current Run
	// Total is the number of curves that both have, and Same how many of them
	// are the same, bit for bit.
	Total, Same int
	// Gone are the curves that only the reference has, and New those that only
	// the results have.
	Gone, New []Key
	// Changes are the curves that differ, the worst answers first, and else in the
	// order of the reference.
	Changes []Change
	// Broken are the bounds of theorems that the run breaks. [Reference.Compare]
	// leaves them empty: bounds are no matter of the reference.
	Broken []BrokenBound
	// Unmet are the pairs of the run whose problem lacks what the algorithm assumes.
	Unmet []experiment.Unmet
	// Paired reports that replicates are compared in pairs, because the seeds are
	// the same.
	Paired bool
	// Confidence is that of the test of the whole run.
	Confidence float64
	// Answer is the worst answer of all curves. A curve that is gone is a
	// regression, and a new one has changed.
	Answer stats.Answer
}

// A Run is what the curves were computed with.
type Run struct {
	Seed       uint64           `json:"seed"`
	Provenance store.Provenance `json:"provenance"`
}

// A Change is a curve that differs from the reference, with the result of the
// test.
type Change struct {
	Key
	// Before and After are the exponents of the reference and of the new curve,
	// or their final means if Final is true.
	Before, After stats.Estimate
	stats.Change
}

// A BrokenBound is a game that breaks the explicit bound of a theorem.
type BrokenBound struct {
	Algorithm string            `json:"algorithm"`
	Problem   string            `json:"problem"` // SPECs
	Metric    algorithms.Metric `json:"metric"`
	T         int               `json:"t"` // the round at which the ratio is largest
	Horizon   int               `json:"horizon"`
	Replicate int               `json:"replicate"` // 0 if the bound is of the mean of all replicates
	// Ratio is that of the metric to its bound: above 1, and +Inf if the bound is not
	// positive.
	Ratio analysis.Number `json:"ratio"`
}

// String says what is broken, where, and by how much.
func (b BrokenBound) String() string {
	who := fmt.Sprintf("in replicate %d", b.Replicate)
	if b.Replicate == 0 {
		who = "on average"
	}
	return fmt.Sprintf("%s of %s on %s is %.3g times its bound at t = %d of %d, %s", b.Metric,
		b.Algorithm, b.Problem, b.Ratio, b.T, b.Horizon, who)
}

// Failed reports whether the run fails the check: its answer is suspicious or
// regression, a bound is broken, or, if the check is strict, anything has changed.
func (r *Report) Failed(strict bool) bool {
	return len(r.Broken) > 0 || r.Answer != Same && (strict || r.Answer != stats.Changed)
}

// Count returns the number of changes with the answer a.
func (r *Report) Count(a stats.Answer) (n int) {
	for _, c := range r.Changes {
		if c.Answer == a {
			n++
		}
	}
	return n
}

// Open returns the number of changes that are open.
func (r *Report) Open() (n int) {
	for _, c := range r.Changes {
		if c.Open {
			n++
		}
	}
	return n
}

// Compare compares the curves of a run with the reference. The experiments have
// to be comparable, see [Reference.Comparable]. Curves are the same ones if the
// catalog reads their SPECs as the same parameters. Errors name the curve.
func (ref *Reference) Compare(r *run.Results, c experiment.Catalog) (*Report, error) {
	out := &Report{
		Experiment: ref.Name,
		Reference:  Run{ref.Seed, ref.Provenance}, Current: Run{r.Seed, store.CurrentProvenance()},
		Paired: r.Seed == ref.Seed, Unmet: r.Unmet, Confidence: ref.Confidence, Answer: Same,
	}
	same := func(k Key) Key {
		k.Algorithm, k.Problem = c.AlgorithmSpec(k.Algorithm), c.ProblemSpec(k.Problem)
		return k
	}
	before := make(map[Key]bool)
	for _, was := range ref.Curves {
		before[same(was.Key)] = true
	}
	now := make(map[Key]Excerpt)
	for _, is := range Measure(r) {
		now[same(is.Key)] = is
		if !before[same(is.Key)] {
			out.New = append(out.New, is.Key)
			out.Answer = stats.Changed
		}
	}
	var reruns []stats.Rerun
	for _, was := range ref.Curves {
		is, ok := now[same(was.Key)]
		switch {
		case !ok:
			out.Gone = append(out.Gone, was.Key)
			out.Answer = stats.Regression
			continue
		case is.Bits == was.Bits:
			out.Same++
		default:
			reruns = append(reruns, stats.Rerun{
				Name: is.String(), Reference: was.Values, Current: is.Values, Paired: out.Paired,
			})
			out.Changes = append(out.Changes, Change{Key: is.Key})
		}
		out.Total++
	}
	if len(reruns) == 0 {
		return out, nil
	}
	// the excerpts have no other checkpoints
	growth := stats.Growth{Window: stats.Window{From: 1}, Confidence: ref.Confidence}
	report, err := stats.RegressionTest{Growth: growth}.Compare(reruns)
	if err != nil {
		return nil, err
	}
	if report.Answer.Compare(out.Answer) > 0 {
		out.Answer = report.Answer
	}
	for i := range out.Changes {
		c := &out.Changes[i]
		c.Change = report.Changes[i]
		for _, side := range []struct {
			curve stats.Curve
			into  *stats.Estimate
		}{{reruns[i].Reference, &c.Before}, {reruns[i].Current, &c.After}} {
			if *side.into, err = value(growth, side.curve, c.Final); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Key, err)
			}
		}
	}
	slices.SortStableFunc(out.Changes, func(a, b Change) int { return b.Answer.Compare(a.Answer) })
	return out, nil
}

// value returns the exponent of a curve, or its final mean.
func value(g stats.Growth, c stats.Curve, final bool) (stats.Estimate, error) {
	if final {
		b, err := c.Band(g.Confidence)
		if err != nil {
			return stats.Estimate{}, err
		}
		last := len(c.T) - 1
		return stats.Estimate{Value: b.Mean[last], StdErr: math.NaN(), Lower: b.Lower[last],
			Upper: b.Upper[last]}, nil
	}
	f, err := g.Fit(c)
	return stats.Estimate{Value: f.Exponent, StdErr: f.StdErr, Lower: f.Lower, Upper: f.Upper}, err
}
