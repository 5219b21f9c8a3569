// Package regression tells whether the curves of an experiment have changed.
//
// A [Snapshot] keeps what an experiment has measured: of every [Curve], that is of a metric of an
// algorithm on a problem, the value of each replicate at a few checkpoints of the window, and a
// digest of its exact bits. [Take] makes one of results, [Write] writes a file of them, and [Read]
// reads it. There are two ways to compare two of them.
//
//   - [Compare], for bench check, tests growth: whether an exponent has risen or fallen. Its
//     reference is a snapshot that is committed with a project.
//   - [SideBySide], for bench report --beside, tests final values, and joins two analyses into one
//     that shows both. An archive is a snapshot that has the analyses, too.
//
// Both have a [Difference] for each curve. Curves with the same bits have not changed. They are
// no hypotheses to be tested, and Holm's correction counts the other curves only. Those are tested
// by a [stats.RegressionTest]. The answer of [Compare] is the worst of
//
//	the same     the curves have the same bits
//	changed      curves have other bits, or are new; no change is significant
//	suspicious   a regret or a violation has fallen significantly
//	regression   a regret or a violation has risen significantly, or a curve is gone
//
// If the seeds are equal, replicate r of both was played on the same random numbers. The
// comparison is then of pairs, and most of the noise cancels. With another seed the two are
// independent, and the values vary with the rounds.
package regression

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// Snapshot holds the settings and the curves of an experiment, and its analysis if it is an
// archive.
type Snapshot struct {
	Program             store.Provenance    `json:"program"` // that took it
	analysis.Experiment `json:"experiment"` // its settings
	Source              string              `json:"source,omitempty"` // its YAML file, or empty
	Algorithms          []experiment.Entry  `json:"algorithms"`       // with SPEC, name and parameters
	Problems            []experiment.Entry  `json:"problems"`
	Curves              []Curve             `json:"curves"`
	// Games is what was played, and Analysis everything that a page shows; nil in a snapshot for
	// bench check.
	Games    *Games             `json:"games,omitempty"`
	Analysis *analysis.Analysis `json:"analysis,omitempty"`
}

// Games holds the record of an experiment and its cells, in the form of a pack of a store.
type Games struct {
	Record experiment.Record `json:"record"`
	Pack   []byte            `json:"pack"`
}

// TakeAll makes the snapshot of an archive: of results in a store, with their analysis, their games
// and, as its source, the experiment that plays them again.
func TakeAll(s *store.Store, r *run.Results, a *analysis.Analysis) (*Snapshot, error) {
	x, err := r.Record.Experiment()
	if err != nil {
		return nil, err
	}
	var keys []store.Key
	for _, c := range r.Record.Cells {
		keys = append(keys, c.Key)
	}
	slices.Sort(keys)
	var pack bytes.Buffer
	if err := s.WritePack(&pack, slices.Compact(keys)); err != nil {
		return nil, err
	}
	out := TakeFitted(r)
	out.Source, out.Analysis, out.Games = x.YAML(), a, &Games{r.Record, pack.Bytes()}
	return out, nil
}

// Unpack adds the games to a store.
func (g *Games) Unpack(s *store.Store) error {
	record, err := json.Marshal(g.Record)
	if err != nil {
		return err
	}
	return errors.Join(s.AddPack(g.Record.Name, g.Pack), s.PutExperiment(g.Record.Name, record))
}

// Key names a curve.
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

// Curve holds the values of a metric of an algorithm on a problem at a few checkpoints, and a
// digest of all of them.
type Curve struct {
	Key
	// Bits is the digest of the exact bits of all replicates at all checkpoints, including those
	// that are not kept.
	Bits string `json:"bits"`
	// Replicates lists the replicates that have the metric, counted from 1; nil stands for all.
	Replicates []int `json:"replicates,omitempty"`
	// Y has a row for each replicate, of the values at the checkpoints T, rounded to six digits. If
	// all rows are equal, it has one.
	T []float64   `json:"t"`
	Y [][]float64 `json:"y"`
}

// Take makes a snapshot of results for bench check, without a source and an analysis: it has the
// curves along t of [checkedMetrics] and, where growth is fitted across horizons, those across
// them. A metric that is undefined at a checkpoint, such as regret against an empty set, has no
// curve.
func Take(r *run.Results) *Snapshot { return takeCurves(r, checkedMetrics) }

// TakeFitted makes a snapshot of results for an archive, which [SideBySide] compares: the curves
// of [Take], and those along t of all other metrics that are fitted.
func TakeFitted(r *run.Results) *Snapshot { return takeCurves(r, fittedMetrics) }

// takeCurves makes a snapshot with curves along t of the given metrics of each pair, and across
// horizons of its checked ones.
func takeCurves(r *run.Results, metricsAlongT func(r *run.Results, algorithm experiment.Entry,
	problem string) []algorithms.Metric) *Snapshot {

	s := &Snapshot{Program: store.CurrentProvenance(), Experiment: analysis.SettingsOf(r),
		Algorithms: entryIdentities(r.Algorithms), Problems: entryIdentities(r.Problems),
		Curves: []Curve{}}
	for _, p := range r.Problems {
		for _, e := range r.Algorithms {
			for _, m := range metricsAlongT(r, e, p.Spec) {
				c, replicates, _ := r.CurveAndReplicates(e.Spec, p.Spec, m)
				s.addCurve(Key{e.Spec, p.Spec, m, stats.AlongT}, c, replicates)
			}
			for _, m := range checkedMetrics(r, e, p.Spec) {
				curves, replicates, design := r.GrowthCurves(p.Spec, m, e)
				if design == stats.AcrossT {
					s.addCurve(Key{e.Spec, p.Spec, m, design}, curves[0], replicates)
				}
			}
		}
	}
	return s
}

// checkedMetrics returns the metrics of a pair that bench check compares: the regret against the
// algorithm's own comparator, the violation that its theorem bounds, the hard violation, in which
// no round compensates another, and the fitted ones among the key metrics of the experiment.
func checkedMetrics(r *run.Results, algorithm experiment.Entry,
	problem string) []algorithms.Metric {

	regret, violation := r.JudgedMetrics(algorithm, problem)
	metrics := slices.Compact([]algorithms.Metric{regret, violation, algorithms.HardViolation})
	return addFitted(metrics, r, func(name string) bool { return slices.Contains(r.Metrics, name) })
}

// fittedMetrics returns the metrics of [checkedMetrics], and then all others that are fitted.
func fittedMetrics(r *run.Results, algorithm experiment.Entry, problem string) []algorithms.Metric {
	return addFitted(checkedMetrics(r, algorithm, problem), r, func(string) bool { return true })
}

// addFitted appends the fitted metrics of results with a wanted name that are not in the list.
func addFitted(metrics []algorithms.Metric, r *run.Results,
	wanted func(name string) bool) []algorithms.Metric {

	for _, m := range r.Measured() {
		if m.Fitted && wanted(string(m.Name)) && !slices.Contains(metrics, m.Name) {
			metrics = append(metrics, m.Name)
		}
	}
	return metrics
}

// entryIdentities returns the entries with the fields that tell whether two are the same, and the
// flag that gave them.
func entryIdentities(all []experiment.Entry) []experiment.Entry {
	out := []experiment.Entry{}
	for _, e := range all {
		out = append(out, experiment.Entry{Spec: e.Spec, Label: e.Label, Name: e.Name, Params: e.Params,
			Flag: e.Flag, Deterministic: e.Deterministic, Draws: e.Draws})
	}
	return out
}

// addCurve keeps a curve whose rows are these replicates. It adds none if a value is undefined.
func (s *Snapshot) addCurve(k Key, c stats.Curve, replicates []int) {
	if len(c.Y) == 1 && s.isDeterministic(k) { // all replicates would be alike
		c.Y, replicates = slices.Repeat(c.Y, s.Replicates), nil
	}
	if len(replicates) == s.Replicates {
		replicates = nil
	}
	if c.Validate() != nil {
		return
	}
	thinned := thinCheckpoints(c, k.Design, s.Window)
	if thinned.Validate() != nil {
		return
	}
	if !slices.ContainsFunc(thinned.Y,
		func(y []float64) bool { return !slices.Equal(y, thinned.Y[0]) }) {
		thinned.Y = thinned.Y[:1]
	}
	s.Curves = append(s.Curves, Curve{k, digestCurve(c), replicates, thinned.T, thinned.Y})
}

// isDeterministic reports whether neither the algorithm nor the problem of a curve draws random
// numbers.
func (s *Snapshot) isDeterministic(k Key) bool {
	return entryOf(s.Problems, k.Problem).Deterministic && !entryOf(s.Algorithms, k.Algorithm).Draws
}

// entryOf returns the entry with this SPEC, which must exist.
func entryOf(all []experiment.Entry, spec string) experiment.Entry {
	return all[slices.IndexFunc(all, func(e experiment.Entry) bool { return e.Spec == spec })]
}

// replicateRows returns a curve with a row for each replicate, and which replicates these are.
func (s *Snapshot) replicateRows(c Curve) (stats.Curve, []int) {
	replicates := c.Replicates
	for r := 1; c.Replicates == nil && r <= s.Replicates; r++ {
		replicates = append(replicates, r)
	}
	rows := c.Y
	if len(rows) == 1 {
		rows = slices.Repeat(rows, len(replicates))
	}
	return stats.Curve{T: c.T, Y: rows}, replicates
}

// digestCurve returns a hash of the exact bits of a curve.
func digestCurve(c stats.Curve) string {
	h := sha256.New()
	for _, row := range append([][]float64{c.T}, c.Y...) {
		binary.Write(h, binary.LittleEndian, row)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// checkpointSpacing keeps every fifth checkpoint: of 16 a decade in the results, about three. The
// exponents lose hardly any precision by this.
const checkpointSpacing = 5

// thinCheckpoints returns the curve at a few checkpoints of the window. It keeps all of them
// if the curve is across horizons, or if fewer than four would be left.
func thinCheckpoints(c stats.Curve, design stats.Design, decades float64) stats.Curve {
	last := len(c.T) - 1
	from := c.T[last] / vec.Pow(10, decades) * (1 - 1e-9)
	first := slices.IndexFunc(c.T, func(t float64) bool { return t >= from })
	step := checkpointSpacing
	if design == stats.AcrossT || last-first < 3*checkpointSpacing {
		step = 1
	}
	out := stats.Curve{Y: make([][]float64, len(c.Y))}
	for k := first + (last-first)%step; k <= last; k += step {
		out.T = append(out.T, c.T[k])
		for r, y := range c.Y {
			out.Y[r] = append(out.Y[r], sixDigits(y[k]))
		}
	}
	return out
}

// sixDigits returns v with six digits.
func sixDigits(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		panic("regression: " + err.Error())
	}
	return v + 0 // −0 is 0
}
