package attack

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Instances are scored in three steps: those that do not meet the assumptions are left out
// ([Search.meetsAssumptions]); the others are played as one experiment, or one for each horizon
// ([Search.playHorizons]); and the goal says how a score follows from the results
// ([playedInstances.score]).

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
			scores[i] = played.scoreOf(s)
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
	bounds  *analysis.Analysis // for the goal bound
}

// The algorithms of results.
const attacked, rival = 0, 1

// scoreOf returns the score of an instance for the goal of the search, −Inf for one that could not
// be played.
func (played *playedInstances) scoreOf(problem string) float64 {
	horizon, v := played.search.Horizon, math.NaN()
	switch played.search.Goal {
	case Bound:
		if b := played.boundOf(problem); b != nil {
			if v = float64(b.Ratio.Value); math.IsNaN(v) {
				played.search.unstatedReason = b.Reason
			}
		}
	case Growth:
		v = played.growthOf(problem)
	case Lead:
		v = played.finalMean(attacked, problem, horizon) - played.finalMean(rival, problem, horizon)
	default:
		v = played.finalMean(attacked, problem, horizon)
	}
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

// minGrowthValue is the least value of a metric whose growth counts: rounding errors grow, too.
const minGrowthValue = 1e-3

// growthOf returns the score of the goal [Growth], or NaN if a value is too small.
func (played *playedInstances) growthOf(problem string) float64 {
	exponent, before, horizonBefore := math.Inf(1), 0.0, 0
	if m, _ := game.MetricNamed(played.search.Metric); m.Linear {
		exponent = 1
	}
	for i, horizon := range played.search.playedHorizons() {
		v := played.finalMean(attacked, problem, horizon)
		if !(v >= minGrowthValue) {
			return math.NaN()
		}
		if i > 0 {
			exponent = min(exponent, math.Log(v/before)/math.Log(float64(horizon)/float64(horizonBefore)))
		}
		before, horizonBefore = v, horizon
	}
	meanPerRound := before / float64(horizonBefore)
	return exponent + meanPerRound/1000
}

// finalMean returns the mean over replicates of the metric of an algorithm, or of its stand-in,
// after the last round; NaN if a replicate lacks it.
func (played *playedInstances) finalMean(algorithm int, problem string, horizon int) float64 {
	r := played.results[horizon]
	name, problem := r.Algorithms[algorithm].Spec, played.search.atHorizon(problem, horizon)
	sum, games := 0.0, 0
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(name, problem, replicate, horizon)
		if g == nil {
			continue
		}
		v := played.search.metricValues(g)
		if v == nil {
			return math.NaN()
		}
		sum += v[len(v)-1]
		games++
	}
	if games == 0 || r.Missing > 0 && games < r.PlannedReplicates(name, problem) {
		return math.NaN()
	}
	return sum / float64(games)
}

// boundOf returns how the metric compares with its bound, or nil without a bound.
func (played *playedInstances) boundOf(problem string) *analysis.Bound {
	for _, p := range played.bounds.Pairs {
		if p.Problem != problem || p.Algorithm != played.bounds.Algorithms[attacked].Spec {
			continue
		}
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Claim.Metric == played.search.Metric && j.Bound != nil {
				return j.Bound
			}
		}
	}
	return nil
}

// meanCurve returns the mean of the metric along the longest game. With the goal bound, it returns
// the ratios to the bound; of an instance that is indexed by the horizon, the final means at the
// horizons.
func (played *playedInstances) meanCurve(problem string) (line analysis.Line) {
	search := played.search
	r := played.results[search.Horizon]
	switch {
	case search.Goal == Bound:
		if b := played.boundOf(problem); b != nil {
			return b.Ratios
		}
		return line
	case search.isIndexed(problem):
		for _, horizon := range search.playedHorizons() {
			line.T = append(line.T, float64(horizon))
			line.Value = append(line.Value, analysis.Number(played.finalMean(attacked, problem, horizon)))
		}
		return line
	}
	games := 0.0
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(r.Algorithms[attacked].Spec, problem, replicate, search.Horizon)
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
	played := &playedInstances{search: search, results: make(map[int]*run.Results)}
	together := [][]int{search.playedHorizons()} // horizons of one experiment
	if slices.ContainsFunc(specs, search.isIndexed) {
		together = slices.Collect(slices.Chunk(together[0], 1)) // each has instances of its own
	}
	for _, horizons := range together {
		var instances []string
		for _, s := range specs {
			instances = append(instances, search.atHorizon(s, horizons[0]))
		}
		r, err := search.playExperiment(instances, horizons, seed)
		if err != nil {
			return nil, err
		}
		for _, horizon := range horizons {
			played.results[horizon] = r
		}
	}
	var err error
	if search.Goal == Bound {
		played.bounds, err = analysis.Bounds(search.catalog, played.results[search.Horizon])
	}
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
	plan.Cells = slices.DeleteFunc(plan.Cells,
		func(c *experiment.Cell) bool { return !needed[c.Kind] })
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

// metricValues returns the metric of a game at its checkpoints. If the game lacks it, it returns
// the stand-in, such as regret against another set, or nil if the game lacks that, too.
func (q Question) metricValues(g *game.Game) []float64 {
	v := g.Metric(q.Metric)
	if m, _ := game.MetricNamed(q.Metric); v == nil && m.StandIn != "" {
		v = g.Metric(m.StandIn)
	}
	return v
}
