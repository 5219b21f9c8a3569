package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run/process"
)

// Tuning plays all points of all grids as one experiment on another seed, ranks the points
// of each grid by their costs on every problem, and chooses the one with the lowest mean
// rank; among equals, that with the least violation, then with the least regret. The experiment
// with the chosen parameters records the grids, and the seed, horizon and replicates.

// TuningSeed returns the seed on which the parameters of an experiment with this seed are tuned.
// It is hashed from the seed and the word "tune" in the scheme of all seeds, and so differs from
// those of streams and learners. No stream of the experiment is played on it.
func TuningSeed(seed uint64) uint64 { return experiment.DerivedSeed(seed, "tune") }

// Tuning chooses parameters for the algorithms of an experiment. Its plan is
// the experiment at its last horizon on the tuning seed, so that what is chosen
// has not seen a round of the evaluation.
type Tuning struct {
	Experiment *spec.Experiment
	Plan       *experiment.Plan
	// Grids lists the algorithms of the experiment as they are listed, each with the points that its
	// lists of values span: one, if it has no list.
	Grids []Grid

	host *process.Host
}

// Grid holds an algorithm with the parameters that tuning may choose from.
type Grid struct {
	Use    spec.Use // as it was written
	Points []experiment.Algorithm
}

// NewTuning plans the tuning of an experiment, of which at least one algorithm has a parameter
// with a list of values, on so many replicates. The host computes its cells.
func NewTuning(ctx context.Context, h *process.Host, c experiment.Catalog, e *spec.Experiment,
	replicates int) (*Tuning, error) {
	if len(e.Tuned) > 0 {
		return nil, fmt.Errorf("experiment %s is tuned already, on seed %d; tune the one that it is from",
			e.Name, e.TuningSeed)
	}
	x := *e
	x.Name += tuningSuffix
	x.Seed, x.Replicates = TuningSeed(e.Seed), replicates
	x.Horizon = e.Horizon[len(e.Horizon)-1:]
	if named, _ := splitOthers(e.Algorithms); named != nil {
		x.Algorithms = named
	}
	plan, err := NewPlanOn(ctx, h, c, &x)
	if err != nil {
		return nil, err
	}
	t := &Tuning{Experiment: e, Plan: plan, host: h}
	rest := plan.Algorithms // the points of all grids, one grid after another
	for _, u := range c.AlgorithmUses(&x) {
		points, err := c.ResolveAlgorithms(u)
		if err != nil {
			return nil, err
		}
		t.Grids = append(t.Grids, Grid{u, rest[:len(points)]})
		rest = rest[len(points):]
	}
	if !slices.ContainsFunc(t.Grids, func(g Grid) bool { return len(g.Points) > 1 }) {
		return nil, fmt.Errorf("nothing to tune in experiment %s: no algorithm has a parameter with a "+
			"list of values, such as {use: %s, step: [0.1, 1, 10]}", e.Name, t.Grids[0].Use.Name)
	}
	return t, nil
}

// Unseeded returns the problems that are the same for every seed. Parameters that are tuned
// on them have seen the rounds of the evaluation. A problem counts as one if it draws no
// random number at its start and in its first rounds. A problem that crashes does not
// count: its cells fail.
func (t *Tuning) Unseeded(ctx context.Context) (specs []string, err error) {
	e := t.Plan.Experiment
	for _, open := range t.Plan.Problems {
		problem, err := open.Bind(e.Horizon[0])
		if err != nil {
			return nil, err
		}
		r, err := runTask(ctx, t.host, &experiment.Cell{Problem: &problem, Seed: e.Seed, Replicate: 1,
			Horizon: e.Horizon[0]}, taskSeed)
		var crash *game.CrashError
		switch {
		case errors.As(err, &crash): // its cells fail
		case err != nil:
			return nil, err
		case !r.Seeded:
			specs = append(specs, problem.Spec)
		}
	}
	return specs, nil
}

// Score says how well one point of a grid did.
type Score struct {
	experiment.Algorithm
	// MetricCosts has, for each metric and each problem of the plan, the mean over the replicates
	// of the metric at the last round. A metric counts as 0 if it is below 0, if it is a rounding
	// error, or if its comparator set is empty. It is +Inf where a game failed or was not to be
	// played.
	MetricCosts [][]float64
	// Costs has the cost on each problem: the sum of its MetricCosts.
	Costs []float64
	// Ranks are those of the costs among the points of the grid, from 1; equal
	// costs share their mean rank.
	Ranks []float64
	// Mean is the mean of the ranks over the problems.
	Mean float64
	// NoCost is the number of problems on which the cost is +Inf.
	NoCost int
	// Chosen marks the point of the grid with the lowest mean rank. Among equals it is the one
	// with the fewest problems without cost, then with the lowest mean of its violations over the
	// problems with a cost, then of its other metrics, then the first one.
	Chosen bool
}

// MetricMean returns the mean of a metric's costs over the problems on which the point has a cost,
// or NaN if there are none.
func (s *Score) MetricMean(metric int) float64 {
	sum, n := 0.0, 0
	for p, v := range s.MetricCosts[metric] {
		if !math.IsInf(s.Costs[p], 1) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// Scores scores the points of every grid by the results of the plan. Ranks are free of the
// units of a problem and of its outliers: no problem counts for more than another. It is an
// error if every game of a grid failed.
func (t *Tuning) Scores(r *Results, metrics []algorithms.Metric) ([][]Score, error) {
	type specs struct{ algorithm, problem string }
	sums := make(map[specs][]float64) // of each metric over the replicates
	played := make(map[specs]int)     // the number of replicates
	for _, g := range r.Games {
		pair := specs{g.Algorithm, g.Problem}
		if sums[pair] == nil {
			sums[pair] = make([]float64, len(metrics))
		}
		for i, m := range metrics {
			v, _ := g.ZeroRoundingErrors(m)
			if v == nil {
				sums[pair][i] = math.Inf(1)
				continue
			}
			if last := v[len(v)-1]; last > 0 { // not NaN either, which an empty set gives
				sums[pair][i] += last
			}
		}
		played[pair]++
	}
	var all [][]Score
	for _, g := range t.Grids {
		scores := make([]Score, len(g.Points))
		for k, point := range g.Points {
			s := &scores[k]
			s.Algorithm, s.MetricCosts = point, make([][]float64, len(metrics))
			for _, problem := range t.Plan.Problems {
				pair := specs{point.Spec, problem.Spec}
				planned := r.PlannedReplicates(point.Spec, problem.Spec)
				cost := 0.0
				for i := range metrics {
					part := math.Inf(1)
					if planned > 0 && played[pair] == planned {
						part = sums[pair][i] / float64(planned)
					}
					s.MetricCosts[i] = append(s.MetricCosts[i], part)
					cost += part
				}
				s.Costs = append(s.Costs, cost)
			}
		}
		rankScores(scores, metrics)
		if slices.Min(chosenScore(scores).Costs) == math.Inf(1) {
			return nil, fmt.Errorf("of %s no point could be played on any problem", g.Use)
		}
		all = append(all, scores)
	}
	return all, nil
}

// chosenScore returns the score of the point that is chosen from a grid.
func chosenScore(scores []Score) Score {
	return scores[slices.IndexFunc(scores, func(s Score) bool { return s.Chosen })]
}

// rankScores fills in the ranks, their means and the choice.
func rankScores(scores []Score, metrics []algorithms.Metric) {
	for p := range scores[0].Costs {
		for k := range scores {
			below, equal := 0, 0
			for _, s := range scores {
				switch {
				case s.Costs[p] < scores[k].Costs[p]:
					below++
				case s.Costs[p] == scores[k].Costs[p]:
					equal++
				}
			}
			// Equal costs have the ranks from below+1 to below+equal, and share the mean of these.
			scores[k].Ranks = append(scores[k].Ranks, float64(below)+float64(float64(equal+1)/2))
			if math.IsInf(scores[k].Costs[p], 1) {
				scores[k].NoCost++
			}
		}
	}
	for k := range scores {
		for _, v := range scores[k].Ranks {
			scores[k].Mean += v
		}
		scores[k].Mean /= float64(len(scores[k].Ranks))
	}
	best := 0
	for k := range scores {
		if compareScores(&scores[k], &scores[best], metrics) < 0 {
			best = k
		}
	}
	scores[best].Chosen = true
}

// compareScores orders the points of a grid by the rule of [Score.Chosen], the better one first.
func compareScores(a, b *Score, metrics []algorithms.Metric) int {
	metricMeans := func(s *Score) (violations, others float64) {
		for i, m := range metrics {
			if slices.Contains(algorithms.Violations, m) {
				violations += s.MetricMean(i)
			} else {
				others += s.MetricMean(i)
			}
		}
		return violations, others
	}
	violationsOfA, othersOfA := metricMeans(a)
	violationsOfB, othersOfB := metricMeans(b)
	return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.NoCost, b.NoCost),
		cmp.Compare(violationsOfA, violationsOfB), cmp.Compare(othersOfA, othersOfB))
}

// ChoiceWarnings returns the reasons why the choice of a point may be wrong, a sentence each: costs
// that say nothing, and a choice at the end of its grid.
func (t *Tuning) ChoiceWarnings(scores [][]Score, r *Results,
	metrics []algorithms.Metric) (warnings []string) {
	for i, g := range t.Grids {
		if len(g.Points) > 1 {
			warnings = append(warnings, t.uninformativeCosts(g, scores[i], r, metrics)...)
		}
		for _, end := range g.Ends(chosenScore(scores[i])) {
			warnings = append(warnings, fmt.Sprintf("%s of %s is at the end of its grid; a wider grid may "+
				"have a better value", end, g.Use.Name))
		}
	}
	return warnings
}

// uninformativeCosts returns warnings of problems on which the costs of a grid say nothing: a
// metric is undefined in every game, since a set or a round is empty, or the cost of every point
// is 0.
func (t *Tuning) uninformativeCosts(g Grid, scores []Score, r *Results,
	metrics []algorithms.Metric) (warnings []string) {
	for k, problem := range t.Plan.Problems {
		for _, m := range metrics {
			games, empty := 0, 0
			for _, game := range r.Games {
				if game.Problem != problem.Spec || !slices.ContainsFunc(scores,
					func(s Score) bool { return s.Spec == game.Algorithm }) {
					continue
				}
				games++
				if v := game.Metric(m); len(v) > 0 && math.IsNaN(v[len(v)-1]) {
					empty++
				}
			}
			if games > 0 && empty == games {
				why := "against an empty set"
				if m == algorithms.RegretDynamic {
					why = "undefined, after an empty round,"
				}
				warnings = append(warnings, fmt.Sprintf("on %s %s is %s in every game of %s, and counts as 0",
					problem.Spec, m, why, g.Use))
			}
		}
		if !slices.ContainsFunc(scores, func(s Score) bool { return s.Costs[k] != 0 }) {
			warnings = append(warnings, fmt.Sprintf("on %s every point of %s has the cost 0: it has no "+
				"part in the choice", problem.Spec, g.Use))
		}
	}
	return warnings
}

// Ends returns the parameters of a score, as key=value, that are the least or
// the largest of three numbers or more of its grid: a wider grid may have a
// better one.
func (g Grid) Ends(s Score) (ends []string) {
	for _, a := range g.Use.Args {
		var numbers []float64
		for _, item := range a.Value.Items {
			v, err := strconv.ParseFloat(item.Text, 64)
			if err != nil {
				break
			}
			numbers = append(numbers, v)
		}
		if len(numbers) < 3 || len(numbers) < len(a.Value.Items) {
			continue
		}
		text := s.Use.Args[slices.IndexFunc(s.Use.Args,
			func(b spec.Arg) bool { return b.Key == a.Key })].Value.Text
		if v, err := strconv.ParseFloat(text, 64); err == nil &&
			(v == slices.Min(numbers) || v == slices.Max(numbers)) {
			ends = append(ends, a.Key+"="+text)
		}
	}
	return ends
}

// Tuned returns the experiment with the chosen parameters, on its own seed. It says from which
// grids and on which games they were chosen. The algorithm that is chosen from a grid has the label
// of the grid. An algorithm that is chosen from two grids is listed once.
func (t *Tuning) Tuned(scores [][]Score) *spec.Experiment {
	x := *t.Experiment
	x.Name += "-tuned"
	played := t.Plan.Experiment
	x.Algorithms, x.Tuning = nil, spec.Tuning{TuningSeed: played.Seed,
		TuningHorizon: played.Horizon[0], TuningReplicates: played.Replicates}
	listed := make(map[string]bool) // by the parameters, however the grid writes them
	for i, g := range t.Grids {
		if len(g.Points) > 1 {
			x.Tuned = append(x.Tuned, g.Use)
		}
		chosen := chosenScore(scores[i])
		chosen.Use.Label = g.Use.Label
		if same := chosen.Name + chosen.Resolved(); !listed[same] {
			x.Algorithms = append(x.Algorithms, chosen.Use)
			listed[same] = true
		}
	}
	_, others := splitOthers(t.Experiment.Algorithms)
	x.Algorithms = append(x.Algorithms, others...)
	return &x
}

// splitOthers returns the uses of an experiment that name algorithms, and the word others, whose
// algorithms have nothing to tune.
func splitOthers(uses []spec.Use) (named, others []spec.Use) {
	for _, u := range uses {
		if u.Name == spec.Others {
			others = append(others, u)
		} else {
			named = append(named, u)
		}
	}
	return named, others
}
