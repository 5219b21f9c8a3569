package attack

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Instances are scored in three steps: those that do not meet the assumptions are left out
// ([Search.meetsAssumptions]); the others are played as one experiment, or one for each horizon
// ([Search.playHorizons]); and the goal says how a score follows from the results
// ([Search.scoreFunction]).

// playedHorizons returns the horizons at which instances are played, in ascending order.
func (q Question) playedHorizons() []int {
	if q.Goal == Growth {
		return []int{q.Horizon / 64, q.Horizon / 16, q.Horizon / 4, q.Horizon}
	}
	return []int{q.Horizon}
}

// newExperiment returns the experiment that plays instances to these horizons.
func (q Question) newExperiment(specs []string, horizons []int, seed uint64) (*spec.Experiment,
	error) {
	e := spec.Defaults()
	e.Name, e.Horizon, e.Replicates, e.Seed = experimentName, horizons, q.Replicates, seed
	e.Algorithms = []spec.Use{q.Algorithm}
	if m, _ := game.MetricNamed(q.Metric); m.Moving != "" {
		e.Metrics = []string{string(q.Metric)}
	}
	if q.Rival.Name != "" {
		e.Algorithms = append(e.Algorithms, q.Rival)
	}
	for _, s := range specs {
		u, err := spec.ParseSpec(s)
		if err != nil {
			return nil, err
		}
		e.Problems = append(e.Problems, u)
	}
	return &e, nil
}

// scoreInstances returns the scores of instances, −Inf for one that may not be played or fails.
func (search *Search) scoreInstances(specs []string, seed uint64) ([]float64, error) {
	scores := make([]float64, len(specs))
	var playable []string
	for i, s := range specs {
		scores[i] = math.Inf(-1)
		if search.meetsAssumptions(s) {
			playable = append(playable, s)
		}
	}
	if len(playable) == 0 {
		return scores, nil
	}
	played, err := search.playHorizons(playable, seed)
	if err != nil {
		return nil, err
	}
	for i, s := range specs {
		if slices.Contains(playable, s) {
			scores[i] = played.score(s)
		}
	}
	return scores, nil
}

// meetsAssumptions reports whether the algorithm starts on an instance, and its assumptions hold
// there.
func (search *Search) meetsAssumptions(text string) bool {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return false
	}
	resolved, err := search.catalog.ResolveProblems(u)
	if err != nil || len(resolved) != 1 {
		return false
	}
	problem, err := resolved[0].Bind(search.Horizon)
	if err != nil {
		return false
	}
	s, err := problem.Stream(search.Question.Seed, 1)
	if err != nil {
		return false
	}
	defer game.Close(s)
	if len(search.algorithm.Unmet(s.Facts())) > 0 {
		return false
	}
	l, err := search.algorithm.Learner(s, search.Question.Seed, 1, search.Horizon)
	if err != nil {
		search.unstatedReason = err.Error()
		return false
	}
	game.Close(l)
	return true
}

// scaleParameter matches the parameter scale in the SPEC of a schedule. In a family indexed by
// the horizon, it equals the horizon.
var scaleParameter = regexp.MustCompile(`^(schedule:(?:.*,)?scale=)[^,]+`)

// isIndexed reports whether an instance belongs to a family indexed by the horizon. With the goal
// growth, every schedule with a scale does: T rounds are played with the scale T.
func (q Question) isIndexed(problem string) bool {
	return q.Goal == Growth && scaleParameter.MatchString(problem)
}

// atHorizon returns the instance of a family for a horizon, or the problem itself if it is not
// indexed.
func (q Question) atHorizon(problem string, horizon int) string {
	if !q.isIndexed(problem) {
		return problem
	}
	return scaleParameter.ReplaceAllString(problem, "${1}"+strconv.Itoa(horizon))
}

// playedInstances holds the results of instances by horizon.
type playedInstances struct {
	search  *Search
	results map[int]*run.Results
	bounds  *analysis.Analysis           // for the goal bound
	score   func(problem string) float64 // −Inf for an instance that could not be played
}

// finalMean returns the mean of the metric of the attacked algorithm after the last round.
func (played *playedInstances) finalMean(problem string, horizon int) float64 {
	r := played.results[horizon]
	problem = played.search.atHorizon(problem, horizon)
	return played.search.finalMean(r, r.Algorithms[0].Spec, problem, horizon)
}

// meanCurve returns the mean of the metric along the longest game. With the goal bound, it returns
// the ratios to the bound; of an instance that is indexed by the horizon, the final means at the
// horizons.
func (played *playedInstances) meanCurve(problem string) (line analysis.Line) {
	search := played.search
	r := played.results[search.Horizon]
	switch {
	case search.Goal == Bound:
		if b := search.metricBound(played.bounds, problem); b != nil {
			return b.Ratios
		}
		return line
	case search.isIndexed(problem):
		for _, horizon := range search.playedHorizons() {
			line.T = append(line.T, float64(horizon))
			line.Value = append(line.Value, analysis.Number(played.finalMean(problem, horizon)))
		}
		return line
	}
	games := 0.0
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(r.Algorithms[0].Spec, problem, replicate, search.Horizon)
		if g == nil {
			continue
		}
		if games++; line.T == nil {
			line = analysis.Line{T: g.T(), Value: make([]analysis.Number, len(g.T()))}
		}
		v := search.metricValues(g)
		if v == nil {
			return analysis.Line{}
		}
		for i := range v {
			line.Value[i] += analysis.Number(v[i])
		}
	}
	for i := range line.Value {
		line.Value[i] /= analysis.Number(games)
	}
	return line
}

// playHorizons plays instances to the horizons of the search.
func (search *Search) playHorizons(specs []string, seed uint64) (*playedInstances, error) {
	horizons := search.playedHorizons()
	played := &playedInstances{search: search, results: make(map[int]*run.Results)}
	if slices.ContainsFunc(specs, search.isIndexed) {
		for _, horizon := range horizons {
			at := make([]string, len(specs))
			for i, s := range specs {
				at[i] = search.atHorizon(s, horizon)
			}
			var err error
			if played.results[horizon], err = search.playExperiment(at, []int{horizon}, seed); err != nil {
				return nil, err
			}
		}
	} else {
		r, err := search.playExperiment(specs, horizons, seed)
		if err != nil {
			return nil, err
		}
		for _, horizon := range horizons {
			played.results[horizon] = r
		}
	}
	var err error
	played.score, err = search.scoreFunction(played)
	return played, err
}

// playExperiment plays instances to these horizons, and computes only the comparators that the
// metric and the goal need.
func (search *Search) playExperiment(specs []string, horizons []int,
	seed uint64) (*run.Results, error) {
	e, err := search.newExperiment(specs, horizons, seed)
	if err != nil {
		return nil, err
	}
	plan, err := run.NewPlanOn(search.ctx, search.options.Host, search.catalog, e)
	if err != nil {
		return nil, err
	}
	o := search.options
	o.Unrecorded = true
	m, _ := game.MetricNamed(search.Metric)
	needed := map[string]bool{
		store.Game: true, store.Hindsight: m.Set != "" || m.StandIn != "",
		store.Moving: m.Moving != "" || search.Goal == Bound,
	}
	o.Keys = make(map[store.Key]bool)
	for _, c := range plan.Cells {
		if needed[c.Kind] {
			o.Keys[c.Key] = true
		}
	}
	failures, err := run.Run(search.ctx, plan, search.store, o)
	if err != nil {
		return nil, err
	}
	if len(failures) > 0 {
		search.Failed += len(failures)
		if search.Failure == nil {
			search.Failure = failures[0].Err
		}
	}
	return run.LoadPlan(search.store, plan)
}

// scoreFunction returns the function that scores an instance by its results.
func (search *Search) scoreFunction(played *playedInstances) (func(problem string) float64, error) {
	horizons, r := search.playedHorizons(), played.results[search.Horizon]
	switch search.Goal {
	case Bound:
		var err error
		played.bounds, err = analysis.Bounds(search.catalog, r)
		return func(problem string) float64 { return search.boundRatio(played.bounds, problem) }, err
	case Growth:
		return func(problem string) float64 {
			exponent, meanPerRound := math.Inf(1), 0.0
			if m, _ := game.MetricNamed(search.Metric); m.Linear {
				exponent = 1
			}
			for i, horizon := range horizons {
				v := played.finalMean(problem, horizon)
				if !(v >= minGrowthValue) {
					return math.Inf(-1)
				}
				if i > 0 {
					before := played.finalMean(problem, horizons[i-1])
					exponent = min(exponent,
						math.Log(v/before)/math.Log(float64(horizon)/float64(horizons[i-1])))
				}
				meanPerRound = v / float64(horizon)
			}
			return exponent + meanPerRound/1000 // see [Growth]
		}, nil
	case Lead:
		return func(problem string) float64 {
			rivalMean := search.finalMean(r, r.Algorithms[1].Spec, problem, search.Horizon)
			return minusInfIfNaN(played.finalMean(problem, search.Horizon) - rivalMean)
		}, nil
	}
	return func(problem string) float64 {
		return minusInfIfNaN(played.finalMean(problem, search.Horizon))
	}, nil
}

// minGrowthValue is the least value of a metric whose growth counts: rounding errors grow, too.
const minGrowthValue = 1e-3

// minusInfIfNaN returns −Inf, the score of an instance that cannot be played, for NaN.
func minusInfIfNaN(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

// metricValues returns the metric of a game at its checkpoints. If the game lacks it, it returns
// the stand-in, such as regret against another set, or nil if the game lacks that, too.
func (q Question) metricValues(g *game.Game) []float64 {
	v := g.Metric(q.Metric)
	if m, _ := game.MetricNamed(q.Metric); v == nil && m.StandIn != "" {
		v = g.Metric(m.StandIn)
	}
	return v
}

// finalMean returns the mean over replicates of the metric, or of its stand-in, after the last
// round; NaN if a replicate lacks it.
func (q Question) finalMean(r *run.Results, algorithm, problem string, horizon int) float64 {
	sum, games := 0.0, 0
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(algorithm, problem, replicate, horizon)
		if g == nil {
			continue
		}
		v := q.metricValues(g)
		if v == nil {
			return math.NaN()
		}
		sum += v[len(v)-1]
		games++
	}
	if games == 0 || r.Missing > 0 && games < r.PlannedReplicates(algorithm, problem) {
		return math.NaN()
	}
	return sum / float64(games)
}

// boundRatio returns the largest ratio of the metric to its bound, or −Inf without a bound.
func (search *Search) boundRatio(a *analysis.Analysis, problem string) float64 {
	b := search.metricBound(a, problem)
	if b == nil {
		return math.Inf(-1)
	}
	if !b.Ratio.Value.Defined() {
		search.unstatedReason = b.Reason
	}
	return minusInfIfNaN(float64(b.Ratio.Value))
}

// metricBound returns how the metric compares with its bound, or nil without a bound.
func (search *Search) metricBound(a *analysis.Analysis, problem string) *analysis.Bound {
	for _, p := range a.Pairs {
		if p.Problem != problem || p.Algorithm != a.Algorithms[0].Spec {
			continue
		}
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Claim.Metric == search.Metric && j.Bound != nil {
				return j.Bound
			}
		}
	}
	return nil
}
