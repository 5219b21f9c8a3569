// Package analysis turns the results of an experiment into everything that is
// shown of them: one value, made once, which tables, figures and pages render.
//
//	results → Analysis → tables, figures, analysis.json
//
// [Unfitted.Fit] is a pure function of the results. For every pair of an algorithm and a problem
// that was played, it has every metric of the table [game.Metrics]: the mean at all checkpoints
// with its interval, the growth of the mean, and the local exponents; and each claim of the
// algorithm with its verdict. It compares every two algorithms on the same rounds, and names the
// programs that computed the results.
//
// # JSON
//
// [Analysis] marshals to the file analysis.json, which docs/analysis.md
// documents. Its schema has a version, [Schema], which rises with every change
// that a reader of the file could notice.
package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
	"ocobench/stats"
)

// Schema names the JSON form of an [Analysis].
const Schema = "ocobench analysis 11"

// Analysis holds all numbers, verdicts and names that views show of an experiment.
type Analysis struct {
	Schema     string     `json:"schema"`
	Experiment Experiment `json:"experiment"`
	// Provenance is the program that analysed the results, and Computed lists the programs that
	// computed the cells.
	Provenance store.Provenance `json:"provenance"`
	Computed   []run.Computed   `json:"computed"`
	Metrics    []Metric         `json:"metrics"`
	// Focus says which regret and which violation of each problem are shown first.
	Focus      Focus       `json:"focus"`
	Algorithms []Algorithm `json:"algorithms"`
	Problems   []Problem   `json:"problems"`
	// Unmet lists the pairs whose problem lacks what the algorithm assumes.
	Unmet []experiment.Unmet `json:"unmet"`
	// Pairs lists the pairs that are shown, by problem: those that were to be played, and those that
	// were played although the problem does not meet an assumption.
	Pairs []Pair `json:"pairs"`
	// Standings counts the verdicts on each claim over the problems.
	Standings []Standing `json:"standings"`
	// Fronts lists the Pareto fronts of the problems.
	Fronts []Front `json:"fronts"`
	// Equal lists the algorithms that play the same games on a problem.
	Equal []Equal `json:"equal"`
	// Comparisons compare every two algorithms on every problem.
	Comparisons Comparisons `json:"comparisons"`
	// Ranks lists the ranks of the algorithms by their final values, and Profiles says how close they
	// come to the best over the problems.
	Ranks    []Rank    `json:"ranks"`
	Profiles []Profile `json:"profiles"`
	// Cells identifies the cells that the numbers are from: a digest of their keys.
	Cells string `json:"cells_digest"`
	// Missing is the number of cells that the store lacks.
	Missing int `json:"missing"`
}

// Experiment holds the settings that the results were requested with.
type Experiment struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Seed        uint64  `json:"seed"`
	Replicates  int     `json:"replicates"`
	Horizon     []int   `json:"horizon"`
	Window      float64 `json:"window"`
	Confidence  float64 `json:"confidence"`
	spec.Tuning
	// RecordedBaseline is the SPEC of the algorithm whose comparisons are a family of their own, see
	// [BaselineOf]. Baseline is the one that sentences and tables compare the others with: the same,
	// unless a view was asked for another one.
	RecordedBaseline string `json:"recorded_baseline,omitempty"`
	Baseline         string `json:"baseline,omitempty"`
	// Metrics are the values of the key metrics in the experiment file; see
	// [experiment.Record.Measured].
	Metrics []string `json:"metrics,omitempty"`
	// States are the metrics that learners show of themselves, see [experiment.Record].
	States []string `json:"states,omitempty"`
}

// SettingsOf returns the settings that results were requested with.
func SettingsOf(r *run.Results) Experiment {
	recorded := BaselineOf(r.Record)
	return Experiment{r.Name, r.Description, r.Seed, r.Replicates, r.Horizon, r.Window, r.Confidence,
		r.Tuning, recorded, cmp.Or(r.ViewBaseline, recorded), r.Record.Metrics, r.States}
}

// Last returns the last horizon, in rounds.
func (e Experiment) Last() int { return e.Horizon[len(e.Horizon)-1] }

// Metric is an entry of the table of metrics; [game.Metric] has the same fields.
type Metric struct {
	Name   algorithms.Metric `json:"name"`
	Title  string            `json:"title"`
	Doc    string            `json:"doc"`
	Set    string            `json:"set,omitempty"`
	Fitted bool              `json:"fitted"`
	Shown  bool              `json:"shown"`
	// OfRounds reports that the metric is the same for all algorithms that play the rounds, so that
	// none ranks or leads by it.
	OfRounds bool `json:"of_rounds,omitempty"`
}

// Regret reports whether the metric is a regret.
func (m Metric) Regret() bool {
	return m.Set != "" || slices.Contains(algorithms.DynamicRegrets, m.Name)
}

// Algorithm describes an algorithm of the experiment with its parameters.
type Algorithm = experiment.Entry

// Problem describes a problem of the experiment with its parameters.
type Problem struct {
	experiment.Entry
	// Best lists the best fixed actions at the end of the first replicate, where they do not depend on
	// the actions of the learner.
	Best []Best `json:"best"`
	// Rounds identifies the rounds of each replicate at the last horizon, by the first 16
	// digits of the key of its hindsight. Deterministic rounds have one entry, unless an
	// algorithm draws random numbers. Rounds that depend on the actions have none.
	Rounds []string `json:"rounds"`
	// Loss is how far the losses of one round can lie apart, and Constraint what one round
	// can violate at most, all constraints together: null where the problem does not
	// declare it.
	Loss       Number `json:"round_loss"`
	Constraint Number `json:"round_constraint"`
}

// Best holds the best fixed action of a comparator set. Its coordinates are null where the set is
// empty.
type Best struct {
	Set    string  `json:"set"`
	Action Numbers `json:"action"`
}

// Pair holds what was measured of an algorithm on a problem.
type Pair struct {
	Problem   string `json:"problem"`   // SPEC
	Algorithm string `json:"algorithm"` // SPEC
	// Resolved is the algorithm with the numbers of its expressions at the last horizon.
	Resolved string `json:"resolved,omitempty"`
	// Unmet lists the assumptions of the algorithm that the problem does not meet.
	Unmet []string `json:"unmet"`
	// Deterministic reports that neither draws random numbers, so that the pair is played once.
	Deterministic bool `json:"deterministic"`
	// Replicates is the number of replicates that were to be played, and Played the
	// number of those with a game at every horizon.
	Replicates int `json:"replicates"`
	Played     int `json:"played"`
	// Failed is the number of games and comparators that failed, of all replicates
	// and horizons, and Failure the reason of the first.
	Failed  int    `json:"failed"`
	Failure string `json:"failure,omitempty"`
	// SqrtVerdict says whether both the regret and the violation in the [Focus] of the problem grow at
	// most like √t: it is the worse of their two verdicts.
	SqrtVerdict stats.Verdict `json:"sqrt_verdict,omitempty"`
	// Series has every metric of the experiment.
	Series map[algorithms.Metric]*Series `json:"series"`
	// Regret, Violation and Dynamic compare the pair with its claims, and ClaimVerdict is the
	// worst of their verdicts. Dynamic is nil if nothing is claimed of the dynamic regret.
	Regret       Judgement     `json:"regret"`
	Violation    Judgement     `json:"violation"`
	Dynamic      *Judgement    `json:"dynamic,omitempty"`
	ClaimVerdict stats.Verdict `json:"claim_verdict,omitempty"`

	entry experiment.Entry // the algorithm
}

// Unfitted holds an analysis whose curves are not fitted yet.
type Unfitted struct {
	analysis *Analysis
	results  *run.Results
	bounds   boundInputs
}

// NewUnfitted returns the analysis of the results as far as it is known without fitting a curve.
// The catalog has the claims with their bounds, and the problems, whose facts the bounds depend on.
func NewUnfitted(c experiment.Catalog, r *run.Results) *Unfitted {
	u := &Unfitted{Describe(r), r, newBoundInputs(c, r)}
	for i := range u.analysis.Algorithms {
		a := &u.analysis.Algorithms[i]
		if known, ok := c.Registered(*a); ok {
			a.DescribeAlgorithm(known)
		}
	}
	for i := range u.analysis.Problems {
		u.analysis.Problems[i].describeProblem(c, u.bounds)
	}
	return u
}

// Curves returns the number of curves that [Unfitted.Fit] analyses: one for each pair and metric.
func (u *Unfitted) Curves() int { return len(u.analysis.Pairs) * len(u.results.Measured()) }

// Fit finishes the analysis; it can be called once. It compares the curves of all metrics with the
// bounds of claims, fits them, and judges the fits. Then it chooses the focus, and compares and
// ranks the algorithms. The error is the context's, or says which curve could not be analysed. It
// uses all processors; the result does not depend on their number.
func (u *Unfitted) Fit(ctx context.Context) (*Analysis, error) {
	a, r, inputs := u.analysis, u.results, u.bounds
	err := process.Each(ctx, len(a.Pairs),
		func(i int) error { return a.Pairs[i].checkBounds(r, inputs) })
	if err == nil {
		err = process.Each(ctx, len(a.Pairs),
			func(i int) error { return a.Pairs[i].measureAll(r, inputs) })
	}
	if err != nil {
		return nil, err
	}
	a.judgeClaims(inputs)
	a.judgeSqrtT(inputs)
	a.showFocus(a.findFocus(), r)
	for i := range a.Pairs {
		p := &a.Pairs[i]
		v := a.Focus.On(p.Problem)
		p.SqrtVerdict = stats.Worst(p.Series[v.Regret].SqrtVerdict,
			p.Series[v.Violation].SqrtVerdict)
	}
	a.Equal, a.Standings, a.Fronts = a.equalAlgorithms(), a.claimStandings(), a.paretoFronts()
	if a.Comparisons, err = a.compareAll(ctx, a.comparedMetrics(), inputs.tellProgress); err == nil {
		err = a.rankAlgorithms()
	}
	return a, err
}

// Describe returns an analysis with the settings, entries and pairs of an experiment. Nothing is
// measured yet: the pairs have no series.
func Describe(r *run.Results) *Analysis {
	a := &Analysis{
		Schema: Schema, Experiment: SettingsOf(r),
		Provenance: store.CurrentProvenance(), Algorithms: slices.Clone(r.Algorithms), Pairs: []Pair{},
		Equal: []Equal{}, Comparisons: noComparisons, Unmet: copyOrEmpty(r.Unmet),
		Missing: r.Missing, Cells: r.Digest(), Computed: copyOrEmpty(r.Computed), Ranks: []Rank{},
		Profiles: []Profile{},
	}
	for _, m := range r.Measured() {
		a.Metrics = append(a.Metrics, Metric{
			m.Name, m.Title, m.Doc, m.Set, m.Fitted, m.Shown, m.OfRounds,
		})
	}
	for _, p := range r.Problems {
		a.Problems = append(a.Problems, Problem{
			Entry: p, Best: bestActions(r, p.Spec), Rounds: roundDigests(r, p.Spec), Loss: none,
			Constraint: none,
		})
		for _, e := range r.Algorithms {
			if pair, shown := pairOf(r, e, p); shown {
				a.Pairs = append(a.Pairs, pair)
			}
		}
	}
	labelFiles(a.Problems)
	a.Focus = a.findFocus()
	return a
}

// copyOrEmpty returns a copy that is not nil, so that JSON has [] and not null.
func copyOrEmpty[T any](all []T) []T { return append([]T{}, all...) }

// bestActions returns the best fixed action of each comparator set on a problem.
func bestActions(r *run.Results, problem string) []Best {
	out := []Best{}
	for _, m := range game.Metrics {
		if x := r.BestAction(problem, m.Set); x != nil {
			out = append(out, Best{m.Set, toNumbers(x)})
		}
	}
	return out
}

// pairOf returns a pair before its metrics are measured. shown is false if the problem does not
// meet an assumption of the algorithm and the store has no game of the pair. A pair whose games
// failed is shown.
func pairOf(r *run.Results, a, p experiment.Entry) (pair Pair, shown bool) {
	pair = Pair{Problem: p.Spec, Algorithm: a.Spec, Unmet: []string{}, entry: a}
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		if !slices.ContainsFunc(r.Horizon, func(h int) bool {
			return r.Game(a.Spec, p.Spec, replicate, h) == nil
		}) {
			pair.Played++
		}
	}
	pair.Replicates = r.PlannedReplicates(a.Spec, p.Spec)
	if g := r.Game(a.Spec, p.Spec, 1, r.Last()); g != nil {
		pair.Resolved = g.Resolved
	}
	pair.Deterministic = p.Deterministic && !a.Draws
	const allAlgorithms = "" // stands for a SPEC where a comparator serves all algorithms
	for _, algorithm := range []string{a.Spec, allAlgorithms} {
		n, first := r.Failures(algorithm, p.Spec)
		pair.Failed += n
		if first != nil && pair.Failure == "" {
			pair.Failure = first.Error()
		}
	}
	k := slices.IndexFunc(r.Unmet, func(u experiment.Unmet) bool {
		return u.Algorithm == a.Spec && u.Problem == p.Spec
	})
	if k < 0 {
		return pair, true
	}
	pair.Unmet = r.Unmet[k].Assumptions
	played := slices.ContainsFunc(r.Games,
		func(g *game.Game) bool { return g.Algorithm == a.Spec && g.Problem == p.Spec })
	return pair, played
}

// measureAll fills in the series of all metrics of the pair.
func (p *Pair) measureAll(r *run.Results, inputs boundInputs) error {
	p.Series = make(map[algorithms.Metric]*Series)
	for _, m := range r.Measured() {
		s, err := p.measureMetric(r, m)
		if err != nil {
			return fmt.Errorf("%s of %s on %s: %w", m.Name, p.Algorithm, p.Problem, err)
		}
		if s.Fit != nil && m.Linear {
			s.Fit.markSuperlinear(inputs.setups[p.Problem].boundsGrowth(m))
		}
		p.Series[m.Name] = s
		inputs.tellProgress(1)
	}
	return nil
}

// measureMetric computes the series of one metric of the pair: its mean, final values and growth.
func (p *Pair) measureMetric(r *run.Results, m game.Metric) (*Series, error) {
	c, replicates, rounding := r.CurveAndReplicates(p.Algorithm, p.Problem, m.Name)
	s, err := meanSeries(c, r.Confidence)
	if err != nil {
		return nil, err
	}
	s.Of = p.Replicates
	s.Finals = finalValues(c, replicates, p.Replicates)
	if s.State == Missing && p.Failed > 0 && m.StandIn == "" {
		s.State = Failed // a metric with a stand-in may be missing because its set is not known
	}
	if m.Fitted {
		curves, _, design := r.GrowthCurves(p.Problem, m.Name, p.entry)
		fitted := curves[0] // along the last horizon, or across the horizons
		rounding = rounding && !slices.ContainsFunc(fitted.Y,
			func(y []float64) bool { return !game.IsZero(y) })
		err := s.fitGrowth(fitted, p.Deterministic,
			stats.Growth{Design: design, Decades: r.Window, Confidence: r.Confidence})
		if err != nil {
			return nil, err
		}
	}
	if len(r.Horizon) > 1 {
		across, err := meanSeries(r.AcrossHorizons(p.Problem, m.Name, p.entry), r.Confidence)
		if err != nil {
			return nil, err
		}
		if len(across.Mean.T) > 0 {
			s.Across = &across.Mean
		}
	}
	if rounding {
		s.setNoGrowth()
		if p.Deterministic {
			s.Fit.dropIntervals()
		}
	}
	return &s, nil
}

// Judgements returns the judgements on the claims: on regret, on dynamic regret where something is
// claimed of it, and on violation.
func (p *Pair) Judgements() []*Judgement {
	if p.Dynamic == nil {
		return []*Judgement{&p.Regret, &p.Violation}
	}
	return []*Judgement{&p.Regret, p.Dynamic, &p.Violation}
}

// judgedBy reports whether a judgement uses the metric.
func (p *Pair) judgedBy(m algorithms.Metric) bool {
	return slices.ContainsFunc(p.Judgements(), func(j *Judgement) bool { return j.Metric == m })
}

// Pair returns the pair of an algorithm and a problem, by their SPECs, or nil
// where it is not shown.
func (a *Analysis) Pair(algorithm, problem string) *Pair {
	for k := range a.Pairs { // without copies, which are large
		if p := &a.Pairs[k]; p.Algorithm == algorithm && p.Problem == problem {
			return p
		}
	}
	return nil
}

// Entry returns the algorithm or the problem with this SPEC, or an entry labelled with the SPEC if
// the analysis has neither.
func (a *Analysis) Entry(spec string) experiment.Entry {
	for _, e := range a.Algorithms {
		if e.Spec == spec {
			return e
		}
	}
	for _, p := range a.Problems {
		if p.Spec == spec {
			return p.Entry
		}
	}
	return experiment.Entry{Spec: spec, Label: spec}
}

// Title returns how text names the algorithm or the problem with this SPEC: its label, or the SPEC
// if it has none.
func (a *Analysis) Title(spec string) string { return a.Entry(spec).LabelOrSpec() }

// Metric returns the metric with this name. It panics if the analysis does not have it.
func (a *Analysis) Metric(name algorithms.Metric) Metric {
	return a.Metrics[slices.IndexFunc(a.Metrics, func(m Metric) bool { return m.Name == name })]
}
