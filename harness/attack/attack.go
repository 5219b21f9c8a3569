// Package attack searches for the rounds on which an algorithm looks worst.
//
// An instance is a SPEC of a problem. A search draws families of instances (parameters
// of a registered problem within ranges, or schedules, see [problems.ScheduleParams])
// and climbs in each by CMA-ES, then from the best instance by steps along
// coordinates, and where there are few rounds in the rounds themselves. Every
// evaluation is a game of package harness, a cell of its store: what was played once is
// not played again, and the same seed finds the same instance, whatever the number of
// workers.
//
// With the goal growth, an instance may be a family indexed by the horizon: its schedule has a
// scale, of which period, turn and slack are powers, and T rounds are played with the scale T.
//
// What a theorem assumes is a constraint of the search: every schedule has a point that
// is feasible in every round and Lipschitz constants of 1, and only instances whose
// facts meet the assumptions of the algorithm are played. What is found is the worst
// with this budget, never the worst: [Question.Measure] plays it again on seeds that
// the search has not seen, and to ten times the horizon.
package attack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Goal names what a search maximises.
type Goal string

const (
	Value Goal = "value" // the metric after T rounds
	// Bound is the largest ratio of the metric to the bound of the theorem, at all checkpoints. A
	// ratio above 1 refutes the claim, the implementation, or a declared fact.
	Bound Goal = "bound"
	// Growth is the least exponent between successive ones of T/64, T/16, T/4 and T, at
	// most 1 if the metric grows at most linearly. Between equal exponents, the value after T rounds
	// decides: a thousandth of its mean over the rounds is added. Values below 10⁻³ do not count,
	// since rounding errors grow, too.
	Growth Goal = "growth"
	Lead   Goal = "lead" // the metric after T rounds less that of a rival
)

// Goals lists all goals.
var Goals = []Goal{Bound, Value, Growth, Lead}

// Question says what to search for: the algorithm to attack, by which metric and goal, on which
// problems.
type Question struct {
	Algorithm  spec.Use
	Rival      spec.Use // for the goal Lead
	Metric     algorithms.Metric
	Goal       Goal
	Horizon    int
	Replicates int // of every instance
	Seed       uint64
	Problems   []string // registered problems with ranges, low..high for a value; none: schedules
	Dims       []int    // of schedules
	Margin     float64  // of schedules: a Slater margin, at least that of what the algorithm assumes
	// Rounds is the largest horizon at which the search ends by changing single rounds of the best
	// instance.
	Rounds int
}

// Instance holds the SPEC of a problem, the family that it was found in, and its score.
type Instance struct {
	Spec   string
	Family string
	Score  float64
}

// Search holds the state of a search.
type Search struct {
	Question
	Evaluations int   // so far
	Failed      int   // games that failed
	Failure     error // the first failure
	Best        Instance
	// Progress is called after every generation.
	Progress func(*Search)
	// Until is when the search ends, but not before its first generation; zero: no such time.
	// What is found then depends on the machine.
	Until time.Time

	ctx     context.Context // of the running search, with the deadline Until
	cancel  func()          // releases the deadline
	catalog experiment.Catalog
	store   *store.Store
	options run.Options

	algorithm  experiment.Algorithm
	limit      int                // of evaluations
	unstated   string             // why a bound says nothing of an instance that was tried last
	known      map[string]float64 // scores, by SPEC
	bestPoint  []float64          // the best instance as a point of bestFamily
	bestFamily *family
}

// Name names the experiments that a search plays.
const Name = "attack"

// New prepares a search with a budget of evaluations.
func New(c experiment.Catalog, s *store.Store, o run.Options, q Question,
	evaluations int) (*Search, error) {
	search := &Search{
		Question: q, Best: Instance{Score: math.Inf(-1)}, catalog: c, store: s, options: o,
		limit: evaluations, known: make(map[string]float64), Progress: func(*Search) {},
	}
	uses := []spec.Use{q.Algorithm}
	if q.Rival.Name != "" {
		uses = append(uses, q.Rival)
	}
	for i, u := range uses {
		all, err := c.ResolveAlgorithms(u)
		if err != nil {
			return nil, err
		}
		if len(all) != 1 {
			return nil, u.Pos.Refuse(fmt.Errorf("%s has a parameter with a list of values; attack one "+
				"algorithm", u.Name))
		}
		if i == 0 {
			search.algorithm = all[0]
		}
	}
	if q.Goal == Bound {
		claim, ok := algorithms.Claimed(search.algorithm.OwnClaims(),
			[]algorithms.Metric{q.Metric})
		if !ok || !claim.Proven() {
			return nil, fmt.Errorf("%s has no bound of %s; choose another goal",
				search.algorithm.Spec, q.Metric)
		}
	}
	for _, p := range q.Problems {
		if _, err := parameterFamily(c, p); err != nil {
			return nil, err
		}
	}
	return search, nil
}

// Attacked returns the algorithm that is attacked.
func (search *Search) Attacked() experiment.Algorithm { return search.algorithm }

// Run searches until the budget is spent, and returns the best instance. The error says that no
// instance could be played, or what ended the search.
func (search *Search) Run(ctx context.Context) (Instance, error) {
	search.ctx, search.cancel = ctx, func() {}
	defer func() { search.cancel() }()
	if err := search.searchAndRefine(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return search.Best, err
	}
	if math.IsInf(search.Best.Score, -1) {
		return search.Best, search.noInstanceError()
	}
	return search.Best, nil
}

// searchAndRefine spends three quarters of the budget on restarts in several families, and the
// rest on refining the best instance.
func (search *Search) searchAndRefine() error {
	rng := rand.New(rand.NewPCG(search.Seed, 0x6174_7461_636b)) // "attack" in ASCII
	as := search.instanceAssumptions()
	searchBudget := search.limit * 3 / 4
	for restart := 0; !search.budgetSpent(searchBudget); restart++ {
		var f *family
		switch {
		case len(search.Problems) > 0:
			f, _ = parameterFamily(search.catalog, search.Problems[restart%len(search.Problems)])
			if f.dim == 0 { // no ranges: the family is one instance, and is played once
				if _, err := search.scorePoints([][]float64{nil}, f); err != nil {
					return err
				}
				if restart >= len(search.Problems) {
					searchBudget = 0
				}
				continue
			}
		case restart%3 == 2 && search.bestFamily != nil: // the best family again, from another point
			f = search.bestFamily
		default:
			f = scheduleFamilyFor(rng, search.Dims, search.Horizon, search.Goal == Growth, as)
		}
		before := search.Evaluations
		// A restart gets a sixth of the budget, or 20 generations of CMA-ES if that is more.
		share := min(searchBudget-search.Evaluations,
			max(searchBudget/6, 20*(4+int(3*math.Log(float64(f.dim))))))
		const step = 0.3 // of ranges that span 1
		score := func(points [][]float64) ([]float64, error) { return search.scorePoints(points, f) }
		err := evolve(search.ctx, f.randomStart(rng), step, share, rng, score)
		if err != nil {
			return err
		}
		if search.Evaluations == before && restart > 1000 {
			break // every instance drawn was played already, or cannot be played
		}
	}
	if search.bestFamily == nil || search.bestFamily.dim == 0 {
		return nil
	}
	refine := func(f *family, at []float64, score float64, limit int) error {
		const step, leastStep = 0.05, 1e-4
		return climbCoordinates(search.ctx, at, score, step, leastStep, limit-search.Evaluations,
			func(points [][]float64) ([]float64, error) {
				return search.scorePoints(points, f)
			})
	}
	// Games of few rounds have a second refinement, in the rounds themselves.
	if search.Horizon > search.Rounds || search.Goal == Growth {
		return refine(search.bestFamily, search.bestPoint, search.Best.Score, search.limit)
	}
	half := (search.Evaluations + search.limit) / 2 // half of what remains
	if err := refine(search.bestFamily, search.bestPoint, search.Best.Score, half); err != nil {
		return err
	}
	f, at, err := search.roundsFamily(search.Best.Spec)
	if f == nil || err != nil {
		return err
	}
	start, err := search.scorePoints([][]float64{at}, f)
	if err != nil {
		return err
	}
	return refine(f, at, start[0], search.limit)
}

// noInstanceError says why a search found nothing.
func (search *Search) noInstanceError() error {
	why := "no instance meets the assumptions of " + search.algorithm.Spec
	switch {
	case search.Failure != nil:
		why = fmt.Sprintf("all games failed, the first one: %v", search.Failure)
	case search.unstated != "":
		why = "the bound says nothing of any instance: " + search.unstated
	}
	return fmt.Errorf("nothing was found in %d evaluations: %s", search.Evaluations, why)
}

// budgetSpent reports whether a search has played limit instances, or was ended.
func (search *Search) budgetSpent(limit int) bool {
	return search.Evaluations >= limit || search.ctx.Err() != nil
}

// scorePoints returns the scores of points of a family, and keeps the best.
func (search *Search) scorePoints(points [][]float64, f *family) ([]float64, error) {
	specs := make([]string, len(points))
	var fresh []string
	for i, p := range points {
		if specs[i] = f.spec(p); specs[i] != "" {
			specs[i] = search.atHorizon(search.catalog.ProblemSpec(specs[i]), search.Horizon)
		}
		if _, ok := search.known[specs[i]]; !ok && specs[i] != "" && !slices.Contains(fresh, specs[i]) {
			fresh = append(fresh, specs[i])
		}
	}
	values, err := search.scoreInstances(fresh, search.Question.Seed)
	if err != nil {
		return nil, err
	}
	if search.Evaluations == 0 && !search.Until.IsZero() {
		search.ctx, search.cancel = context.WithDeadline(search.ctx, search.Until)
	}
	for i, s := range fresh {
		search.known[s] = values[i]
	}
	search.Evaluations += len(fresh)
	out := make([]float64, len(points))
	for i, s := range specs {
		out[i] = math.Inf(-1)
		if v, ok := search.known[s]; ok {
			out[i] = v
		}
		if out[i] > search.Best.Score {
			search.Best = Instance{s, f.name, out[i]}
			search.bestFamily, search.bestPoint = f, slices.Clone(points[i])
		}
	}
	search.Progress(search)
	return out, nil
}

// playedHorizons returns the horizons at which instances are played, in ascending order.
func (q Question) playedHorizons() []int {
	if q.Goal == Growth {
		return []int{q.Horizon / 64, q.Horizon / 16, q.Horizon / 4, q.Horizon}
	}
	return []int{q.Horizon}
}

// experiment returns the experiment that plays instances to these horizons.
func (q Question) experiment(specs []string, horizons []int, seed uint64) (*spec.Experiment,
	error) {
	e := spec.Defaults()
	e.Name, e.Horizon, e.Replicates, e.Seed = Name, horizons, q.Replicates, seed
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
	o, err := search.playHorizons(playable, seed)
	if err != nil {
		return nil, err
	}
	for i, s := range specs {
		if slices.Contains(playable, s) {
			scores[i] = o.score(s)
		}
	}
	return scores, nil
}

// Replay returns the score of an instance on the seed of the search.
func (search *Search) Replay(ctx context.Context, instance Instance) (float64, error) {
	search.ctx = ctx
	scores, err := search.scoreInstances([]string{instance.Spec}, search.Question.Seed)
	if err != nil {
		return 0, err
	}
	if math.IsInf(scores[0], -1) {
		return 0, search.noInstanceError()
	}
	return scores[0], nil
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
		search.unstated = err.Error()
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

// playedInstances holds the results of instances by horizon. Its score is −Inf for an instance
// without one.
type playedInstances struct {
	search  *Search
	results map[int]*run.Results
	bounds  *analysis.Analysis // of the goal bound
	score   func(problem string) float64
}

// finalMean returns the mean of the metric after the last round.
func (o *playedInstances) finalMean(problem string, horizon int) float64 {
	r := o.results[horizon]
	return o.search.finalMean(r, r.Algorithms[0].Spec, o.search.atHorizon(problem, horizon), horizon)
}

// meanCurve returns the mean of the metric along the longest game, or its ratio to the bound if
// the goal is the bound. For an instance that is indexed by the horizon, it returns the final
// means at the horizons.
func (o *playedInstances) meanCurve(problem string) (line analysis.Line) {
	search := o.search
	r := o.results[search.Horizon]
	switch {
	case search.Goal == Bound:
		if b := search.metricBound(o.bounds, problem); b != nil {
			return b.Ratios
		}
		return line
	case search.isIndexed(problem):
		for _, horizon := range search.playedHorizons() {
			line.T = append(line.T, float64(horizon))
			line.Value = append(line.Value, analysis.Number(o.finalMean(problem, horizon)))
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
	o := &playedInstances{search: search, results: make(map[int]*run.Results)}
	if slices.ContainsFunc(specs, search.isIndexed) {
		for _, horizon := range horizons {
			at := make([]string, len(specs))
			for i, s := range specs {
				at[i] = search.atHorizon(s, horizon)
			}
			var err error
			if o.results[horizon], err = search.playExperiment(at, []int{horizon}, seed); err != nil {
				return nil, err
			}
		}
	} else {
		r, err := search.playExperiment(specs, horizons, seed)
		if err != nil {
			return nil, err
		}
		for _, horizon := range horizons {
			o.results[horizon] = r
		}
	}
	var err error
	o.score, err = search.scoreFunction(o)
	return o, err
}

// playExperiment plays instances, and computes only those comparators that the metric needs.
func (search *Search) playExperiment(specs []string, horizons []int,
	seed uint64) (*run.Results, error) {
	e, err := search.experiment(specs, horizons, seed)
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
func (search *Search) scoreFunction(o *playedInstances) (func(problem string) float64, error) {
	horizons, r, attackedMean := search.playedHorizons(), o.results[search.Horizon], o.finalMean
	switch search.Goal {
	case Bound:
		var err error
		o.bounds, err = analysis.Bounds(search.catalog, r)
		return func(problem string) float64 { return search.boundRatio(o.bounds, problem) }, err
	case Growth:
		return func(problem string) float64 {
			exponent, meanPerRound := math.Inf(1), 0.0
			if m, _ := game.MetricNamed(search.Metric); m.Linear {
				exponent = 1
			}
			for i, horizon := range horizons {
				v := attackedMean(problem, horizon)
				if !(v >= minGrowthValue) {
					return math.Inf(-1)
				}
				if i > 0 {
					before := attackedMean(problem, horizons[i-1])
					exponent = min(exponent,
						math.Log(v/before)/math.Log(float64(horizon)/float64(horizons[i-1])))
				}
				meanPerRound = v / float64(horizon)
			}
			return exponent + meanPerRound/1000
		}, nil
	case Lead:
		return func(problem string) float64 {
			rivalMean := search.finalMean(r, r.Algorithms[1].Spec, problem, search.Horizon)
			return minusInfIfNaN(attackedMean(problem, search.Horizon) - rivalMean)
		}, nil
	}
	return func(problem string) float64 {
		return minusInfIfNaN(attackedMean(problem, search.Horizon))
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

// metricValues returns the metric of a game at its checkpoints. If the game lacks it, the metric
// that stands in for it is returned, such as regret against another set; nil if there is none.
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
		search.unstated = b.Reason
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
