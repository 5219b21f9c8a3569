// Package gate tells whether the growth exponents of an experiment have become
// worse than they were.
//
// A [Reference] keeps what the curves of an experiment were once: for every
// algorithm, problem and metric the value of each replicate at a few
// checkpoints of the window, and a digest of its exact bits. [Measure] takes
// the curves of results just computed, and [Reference.Compare] holds them
// against the reference, first bit for bit, and those that differ by
// [stats.Gate].
//
// A curve that is the same bit for bit is known not to have changed: it is no
// hypothesis to be tested, and Holm's correction counts the others only. Where
// the seed is that of the reference, replicate r of both was played on the same
// random numbers, and the comparison is of pairs: a change of the code has next
// to nothing to hide behind. With another seed the two are independent, and the
// exponents vary with the rounds.
//
// The metrics are three: regret against the algorithm's own comparator, the
// violation that it makes a claim of, and the hard violation, which nothing
// cancels in. To be worse is to grow faster.
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
	"ocobench/harness"
	"ocobench/harness/store"
	"ocobench/stats"
)

// A Key names a curve.
type Key struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Problem   string            `json:"problem"`   // SPEC
	Metric    algorithms.Metric `json:"metric"`    // as in an export
}

// String says which curve it is.
func (k Key) String() string { return string(k.Metric) + " of " + k.Algorithm + " on " + k.Problem }

// A Curve is what a reference keeps of one metric of a pair.
type Curve struct {
	Key
	Design stats.Design
	// Bits is the digest of the exact bits of all replicates at all
	// checkpoints, also those that Values leaves out.
	Bits string
	// Values are the replicates at a few checkpoints of the window, with six
	// digits.
	Values stats.Curve
}

// spacing of the checkpoints that are kept: three a decade tell next to nothing
// less than all.
const spacing = 5

// Measure returns the curves of an experiment in the order of its results.
// A metric that is undefined somewhere, as regret against an empty set is, has
// no curve.
func Measure(r *harness.Results) []Curve {
	var curves []Curve
	for _, p := range r.Problems {
		for _, a := range r.Algorithms {
			for _, metric := range metrics(r, a, p.Spec) {
				growth, design := r.Growth(p.Spec, metric, a)
				c := growth[0]
				if c.Validate() != nil {
					continue
				}
				if values := thin(c, design, r.Window); values.Validate() == nil {
					curves = append(curves, Curve{Key{a.Spec, p.Spec, metric}, design, digest(c), values})
				}
			}
		}
	}
	return curves
}

// metrics are those that a pair is watched by.
func metrics(r *harness.Results, a harness.Entrant, problem string) []algorithms.Metric {
	regret, violation := r.Watched(a, problem)
	return slices.Compact([]algorithms.Metric{regret, violation, algorithms.HardViolation})
}

// digest hashes the bits of a curve.
func digest(c stats.Curve) string {
	h := sha256.New()
	for _, row := range append([][]float64{c.T}, c.Y...) {
		binary.Write(h, binary.LittleEndian, row)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// thin keeps a few checkpoints of the window: all of them across horizons, and
// where there would be fewer than four.
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
			out.Y[r] = append(out.Y[r], round(y[k], c.T[k]))
		}
	}
	return out
}

// round returns v with six digits, or 0 where it is rounding errors that add
// up.
func round(v, t float64) float64 {
	if math.Abs(v) <= harness.Negligible*t {
		return 0
	}
	v, err := strconv.ParseFloat(formatValue(v), 64)
	if err != nil {
		panic("gate: " + err.Error())
	}
	return v
}

func formatValue(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// A Report is what a comparison found.
type Report struct {
	Reference, Current Run
	// Total is the number of curves that both have, and Same how many of them
	// are the same, bit for bit.
	Total, Same int
	// Gone are the curves that the reference has and the results have not, and
	// New the other way round.
	Gone, New []Key
	// Changes are the curves that differ, in the order of the reference.
	Changes []Change
	Paired  bool
	// Confidence is that of the whole run.
	Confidence float64
	// Outcome is that of the changes; with none of them, pass.
	Outcome stats.Outcome
}

// A Run says what gave the curves.
type Run struct {
	Seed       uint64
	Provenance store.Provenance
}

// A Change is a curve that is not the same, with what the gate says of it.
type Change struct {
	Key
	// Before and After are the exponents, or the final means where Final says
	// that these are compared.
	Before, After stats.Estimate
	stats.Change
}

// Failed tells that the run is not to pass: something has become worse, or is
// gone.
func (r *Report) Failed() bool { return r.Outcome == stats.Regression || len(r.Gone) > 0 }

// Count returns how many changes have the outcome.
func (r *Report) Count(o stats.Outcome) (n int) {
	for _, c := range r.Changes {
		if c.Outcome == o {
			n++
		}
	}
	return n
}

// Compare holds the curves of a run against the reference. The experiments
// must be comparable, see [Reference.Comparable].
func (ref *Reference) Compare(r *harness.Results) (*Report, error) {
	out := &Report{
		Reference: Run{ref.Seed, ref.Provenance}, Current: Run{r.Seed, harness.Provenance()},
		Paired: r.Seed == ref.Seed, Confidence: ref.Confidence, Outcome: stats.Pass,
	}
	now := make(map[Key]Curve)
	for _, c := range Measure(r) {
		now[c.Key] = c
		if !slices.ContainsFunc(ref.Curves, func(was Curve) bool { return was.Key == c.Key }) {
			out.New = append(out.New, c.Key)
		}
	}
	var cells []stats.Cell
	for _, was := range ref.Curves {
		is, ok := now[was.Key]
		switch {
		case !ok || is.Design != was.Design:
			out.Gone = append(out.Gone, was.Key)
			continue
		case is.Bits == was.Bits:
			out.Same++
		default:
			cells = append(cells, stats.Cell{Name: was.String(), Reference: was.Values, Current: is.Values, Paired: out.Paired})
			out.Changes = append(out.Changes, Change{Key: was.Key})
		}
		out.Total++
	}
	growth := stats.Growth{Window: stats.Window{From: 1}, Confidence: ref.Confidence} // thinned to the window already
	report, err := stats.Gate{Growth: growth}.Compare(cells)
	if err != nil {
		return nil, err
	}
	out.Outcome = report.Outcome
	for i := range out.Changes {
		c := &out.Changes[i]
		c.Change = report.Cells[i]
		for _, side := range []struct {
			curve stats.Curve
			into  *stats.Estimate
		}{{cells[i].Reference, &c.Before}, {cells[i].Current, &c.After}} {
			if *side.into, err = value(growth, side.curve, c.Final); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Key, err)
			}
		}
	}
	return out, nil
}

// value is the exponent of a curve, or its final mean.
func value(g stats.Growth, c stats.Curve, final bool) (stats.Estimate, error) {
	if final {
		b, err := c.Band(g.Confidence)
		if err != nil {
			return stats.Estimate{}, err
		}
		last := len(c.T) - 1
		return stats.Estimate{Value: b.Mean[last], StdErr: math.NaN(), Lower: b.Lower[last], Upper: b.Upper[last]}, nil
	}
	f, err := g.Fit(c)
	return stats.Estimate{Value: f.Exponent, StdErr: f.StdErr, Lower: f.Lower, Upper: f.Upper}, err
}
