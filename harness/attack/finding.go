package attack

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// Finding holds the worst instance that a search has found, with measurements of it on another
// seed.
type Finding struct {
	Question
	Name        string // of its file; may be empty
	Instance    Instance
	Evaluations int
	// Fresh measures the instance on a seed that the search has not seen, and Long does so to ten
	// times the horizon.
	Fresh, Long Measurement
	// Curve is the metric of the long play at its checkpoints, or its ratio to the bound
	// where that is the goal.
	Curve analysis.Line
	// Exponent is the growth exponent of the metric between the two horizons; NaN if the metric is
	// not positive.
	Exponent float64
	// Passing reports that Exponent is above 1 plus a tolerance of 0.05 although the metric grows at
	// most linearly, so that the exponent must fall at larger horizons.
	Passing bool
}

// Measurement holds the result of playing an instance.
type Measurement struct {
	Horizon int
	Seed    uint64
	Score   float64 // of the goal
	Value   float64 // the mean of the metric at the end
}

// FreshSeed returns the seed on which an instance is measured again after it was found with the
// given seed.
func FreshSeed(seed uint64) uint64 { return experiment.DerivedSeed(seed, experimentName) }

// Measure plays an instance on [FreshSeed], to the horizon and to ten times the horizon.
func (search *Search) Measure(ctx context.Context, found Instance) (Finding, error) {
	search.ctx = ctx
	f := Finding{Question: search.Question, Instance: found, Evaluations: search.Evaluations}
	var err error
	if f.Fresh, _, err = search.measureAt(found, search.Horizon); err != nil {
		return f, err
	}
	if f.Long, f.Curve, err = search.measureAt(found, 10*search.Horizon); err != nil {
		return f, err
	}
	f.Exponent = math.NaN()
	if f.Fresh.Value > 0 && f.Long.Value > 0 {
		f.Exponent = math.Log10(f.Long.Value / f.Fresh.Value)
		m, _ := game.MetricNamed(f.Question.Metric)
		f.Passing = m.Linear && f.Exponent > 1.05
	}
	return f, nil
}

// measureAt plays an instance on the fresh seed to a horizon, and returns its curve as well.
func (search *Search) measureAt(found Instance, horizon int) (Measurement, analysis.Line, error) {
	longer := *search // the same search at another horizon
	longer.Horizon = horizon
	m := Measurement{Horizon: horizon, Seed: FreshSeed(search.Question.Seed)}
	o, err := longer.playHorizons([]string{found.Spec}, m.Seed)
	if err != nil {
		return m, analysis.Line{}, err
	}
	m.Score, m.Value = o.scoreOf(found.Spec), o.finalMean(attacked, found.Spec, horizon)
	return m, o.meanCurve(found.Spec), nil
}

// Experiment returns the finding as an experiment, which bench run and bench report take, and
// [Read] reads back. An instance that is indexed by the horizon becomes a sweep over its scale.
func (f *Finding) Experiment(name string) (*spec.Experiment, error) {
	problem := f.Instance.Spec
	if f.isIndexed(problem) {
		var all []string
		for _, horizon := range f.playedHorizons() {
			all = append(all, strconv.Itoa(horizon))
		}
		problem = scaleParameter.ReplaceAllString(problem, "${1}["+strings.Join(all, ",")+"]")
	}
	e, err := f.newExperiment([]string{problem}, f.playedHorizons(), f.Question.Seed)
	if err != nil {
		return nil, err
	}
	e.Name = name
	e.Problems[0].Label = name
	newArg := func(key, text string) spec.Arg {
		return spec.Arg{Key: key, Value: spec.Value{Text: text}}
	}
	exactText := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	e.Attack = []spec.Use{{Name: string(f.Goal), Args: []spec.Arg{
		newArg("metric", string(f.Metric)), newArg("score", exactText(f.Instance.Score)),
		newArg("evaluations", strconv.Itoa(f.Evaluations)),
	}}}
	return e, nil
}

// Read returns the question and the instance of an experiment that bench attack wrote.
func Read(c experiment.Catalog, e *spec.Experiment) (q Question, found Instance, evaluations int,
	err error) {
	if len(e.Attack) != 1 || len(e.Problems) != 1 || len(e.Algorithms) == 0 || len(e.Algorithms) > 2 {
		return q, found, 0, fmt.Errorf("experiment %s was not written by bench attack: it lacks the "+
			"key attack, or has more than one problem", e.Name)
	}
	a := e.Attack[0]
	q = Question{Algorithm: e.Algorithms[0], Goal: Goal(a.Name), Horizon: e.Horizon[len(e.Horizon)-1],
		Replicates: e.Replicates, Seed: e.Seed}
	if len(e.Algorithms) == 2 {
		q.Rival = e.Algorithms[1]
	}
	params, err := a.Apply(findingParams{})
	if err != nil {
		return q, found, 0, err
	}
	written := params.(findingParams)
	q.Metric = algorithms.Metric(written.Metric)
	resolved, err := c.ResolveProblems(e.Problems[0])
	if err != nil {
		return q, found, 0, err
	}
	last := resolved[len(resolved)-1].Spec
	for i, problem := range resolved {
		if len(resolved) > 1 && (len(resolved) != len(e.Horizon) ||
			q.atHorizon(last, e.Horizon[i]) != problem.Spec) {
			return q, found, 0, fmt.Errorf("experiment %s has several problems that are not one schedule "+
				"with the scale of each horizon", e.Name)
		}
	}
	found = Instance{Spec: last, Score: written.Score}
	return q, found, written.Evaluations, nil
}

// findingParams lists the keys of a finding beside its goal.
type findingParams struct {
	Metric      string  `name:"metric" doc:"the metric" required:"true"`
	Score       float64 `name:"score" doc:"what the search found"`
	Evaluations int     `name:"evaluations" doc:"the number of instances that were played" min:"0"`
}

// Falsifies reports whether a value is above the bound of the theorem.
func (f *Finding) Falsifies() bool {
	return f.Goal == Bound && max(f.Instance.Score, f.Fresh.Score, f.Long.Score) > 1
}

// YAML returns the experiment file of a finding.
func (f *Finding) YAML(name string) ([]byte, error) {
	e, err := f.Experiment(name)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "# The worst that bench attack found with %s, ocobench %s.\n%s",
		input.Plural(f.Evaluations, "instance"), store.CurrentProvenance().Version, e.YAML()), nil
}
