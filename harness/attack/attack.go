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

	algorithm experiment.Algorithm
	limit     int                // of evaluations
	unstated  string             // why a bound says nothing of an instance that was tried last
	known     map[string]float64 // scores, by SPEC
	at        []float64          // the best instance as a point of its family, from
	from      *family
}

// Name names the experiments that a search plays.
const Name = "attack"

// New prepares a search with a budget of evaluations.
func New(c experiment.Catalog, s *store.Store, o run.Options, q Question,
	evaluations int) (*Search, error) {
	x := &Search{
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
			x.algorithm = all[0]
		}
	}
	if q.Goal == Bound {
		claim, ok := algorithms.Claimed(x.algorithm.OwnClaims(),
			[]algorithms.Metric{q.Metric})
		if !ok || !claim.Proven() {
			return nil, fmt.Errorf("%s has no bound of %s; choose another goal", x.algorithm.Spec, q.Metric)
		}
	}
	for _, p := range q.Problems {
		if _, err := parameterFamily(c, p); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Attacked returns the algorithm that is attacked.
func (x *Search) Attacked() experiment.Algorithm { return x.algorithm }

// Run searches until the budget is spent, and returns the best instance. The error says that no
// instance could be played, or what ended the search.
func (x *Search) Run(ctx context.Context) (Instance, error) {
	x.ctx, x.cancel = ctx, func() {}
	defer func() { x.cancel() }()
	if err := x.searchAndRefine(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return x.Best, err
	}
	if math.IsInf(x.Best.Score, -1) {
		return x.Best, x.noInstanceError()
	}
	return x.Best, nil
}

// searchAndRefine spends three quarters of the budget on restarts in several families, and the
// rest on refining the best instance.
func (x *Search) searchAndRefine() error {
	rng := rand.New(rand.NewPCG(x.Seed, 0x6174_7461_636b)) // "attack" in ASCII
	as := x.instanceAssumptions()
	searchBudget := x.limit * 3 / 4
	for restart := 0; !x.budgetSpent(searchBudget); restart++ {
		var f *family
		switch {
		case len(x.Problems) > 0:
			f, _ = parameterFamily(x.catalog, x.Problems[restart%len(x.Problems)])
			if f.dim == 0 { // no ranges: the family is one instance, and is played once
				if _, err := x.scorePoints([][]float64{nil}, f); err != nil {
					return err
				}
				if restart >= len(x.Problems) {
					searchBudget = 0
				}
				continue
			}
		case restart%3 == 2 && x.from != nil: // the best family again, from another point
			f = x.from
		default:
			f = scheduleFamilyFor(rng, x.Dims, x.Horizon, x.Goal == Growth, as)
		}
		before := x.Evaluations
		// A restart gets a sixth of the budget, or 20 generations of CMA-ES if that is more.
		share := min(searchBudget-x.Evaluations,
			max(searchBudget/6, 20*(4+int(3*math.Log(float64(f.dim))))))
		const step = 0.3 // of ranges that span 1
		err := evolve(x.ctx, f.randomStart(rng), step, share, rng, func(points [][]float64) ([]float64,
			error) {
			return x.scorePoints(points, f)
		})
		if err != nil {
			return err
		}
		if x.Evaluations == before && restart > 1000 {
			break // every instance drawn was played already, or cannot be played
		}
	}
	if x.from == nil || x.from.dim == 0 {
		return nil
	}
	refine := func(f *family, at []float64, score float64, limit int) error {
		const step, leastStep = 0.05, 1e-4
		return climbCoordinates(x.ctx, at, score, step, leastStep, limit-x.Evaluations,
			func(points [][]float64) ([]float64, error) {
				return x.scorePoints(points, f)
			})
	}
	// Games of few rounds have a second refinement, in the rounds themselves.
	if x.Horizon > x.Rounds || x.Goal == Growth {
		return refine(x.from, x.at, x.Best.Score, x.limit)
	}
	if err := refine(x.from, x.at, x.Best.Score, (x.Evaluations+x.limit)/2); err != nil {
		return err
	}
	f, at, err := x.roundsFamily(x.Best.Spec)
	if f == nil || err != nil {
		return err
	}
	start, err := x.scorePoints([][]float64{at}, f)
	if err != nil {
		return err
	}
	return refine(f, at, start[0], x.limit)
}

// noInstanceError says why a search found nothing.
func (x *Search) noInstanceError() error {
	why := "no instance meets the assumptions of " + x.algorithm.Spec
	switch {
	case x.Failure != nil:
		why = fmt.Sprintf("all games failed, the first one: %v", x.Failure)
	case x.unstated != "":
		why = "the bound says nothing of any instance: " + x.unstated
	}
	return fmt.Errorf("nothing was found in %d evaluations: %s", x.Evaluations, why)
}

// budgetSpent reports whether a search has played limit instances, or was ended.
func (x *Search) budgetSpent(limit int) bool {
	return x.Evaluations >= limit || x.ctx.Err() != nil
}

// scorePoints returns the scores of points of a family, and keeps the best.
func (x *Search) scorePoints(points [][]float64, f *family) ([]float64, error) {
	specs := make([]string, len(points))
	var fresh []string
	for i, p := range points {
		if specs[i] = f.spec(p); specs[i] != "" {
			specs[i] = x.atHorizon(x.catalog.ProblemSpec(specs[i]), x.Horizon)
		}
		if _, ok := x.known[specs[i]]; !ok && specs[i] != "" && !slices.Contains(fresh, specs[i]) {
			fresh = append(fresh, specs[i])
		}
	}
	values, err := x.scoreInstances(fresh, x.Question.Seed)
	if err != nil {
		return nil, err
	}
	if x.Evaluations == 0 && !x.Until.IsZero() {
		x.ctx, x.cancel = context.WithDeadline(x.ctx, x.Until)
	}
	for i, s := range fresh {
		x.known[s] = values[i]
	}
	x.Evaluations += len(fresh)
	out := make([]float64, len(points))
	for i, s := range specs {
		out[i] = math.Inf(-1)
		if v, ok := x.known[s]; ok {
			out[i] = v
		}
		if out[i] > x.Best.Score {
			x.Best = Instance{s, f.name, out[i]}
			x.from, x.at = f, slices.Clone(points[i])
		}
	}
	x.Progress(x)
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
func (x *Search) scoreInstances(specs []string, seed uint64) ([]float64, error) {
	scores := make([]float64, len(specs))
	var playable []string
	for i, s := range specs {
		scores[i] = math.Inf(-1)
		if x.meetsAssumptions(s) {
			playable = append(playable, s)
		}
	}
	if len(playable) == 0 {
		return scores, nil
	}
	o, err := x.playHorizons(playable, seed)
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
func (x *Search) Replay(ctx context.Context, instance Instance) (float64, error) {
	x.ctx = ctx
	scores, err := x.scoreInstances([]string{instance.Spec}, x.Question.Seed)
	if err != nil {
		return 0, err
	}
	if math.IsInf(scores[0], -1) {
		return 0, x.noInstanceError()
	}
	return scores[0], nil
}

// meetsAssumptions reports whether the algorithm starts on an instance, and its assumptions hold
// there.
func (x *Search) meetsAssumptions(text string) bool {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return false
	}
	resolved, err := x.catalog.ResolveProblems(u)
	if err != nil || len(resolved) != 1 {
		return false
	}
	problem, err := resolved[0].Bind(x.Horizon)
	if err != nil {
		return false
	}
	s, err := problem.Stream(x.Question.Seed, 1)
	if err != nil {
		return false
	}
	defer game.Close(s)
	if len(x.algorithm.Unmet(s.Facts())) > 0 {
		return false
	}
	l, err := x.algorithm.Learner(s, x.Question.Seed, 1, x.Horizon)
	if err != nil {
		x.unstated = err.Error()
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
	x := o.search
	r := o.results[x.Horizon]
	switch {
	case x.Goal == Bound:
		if b := x.metricBound(o.bounds, problem); b != nil {
			return b.Ratios
		}
		return line
	case x.isIndexed(problem):
		for _, horizon := range x.playedHorizons() {
			line.T = append(line.T, float64(horizon))
			line.Value = append(line.Value, analysis.Number(o.finalMean(problem, horizon)))
		}
		return line
	}
	games := 0.0
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(r.Algorithms[0].Spec, problem, replicate, x.Horizon)
		if g == nil {
			continue
		}
		if games++; line.T == nil {
			line = analysis.Line{T: g.T(), Value: make([]analysis.Number, len(g.T()))}
		}
		v := x.metricValues(g)
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
func (x *Search) playHorizons(specs []string, seed uint64) (*playedInstances, error) {
	horizons := x.playedHorizons()
	o := &playedInstances{search: x, results: make(map[int]*run.Results)}
	if slices.ContainsFunc(specs, x.isIndexed) {
		for _, horizon := range horizons {
			at := make([]string, len(specs))
			for i, s := range specs {
				at[i] = x.atHorizon(s, horizon)
			}
			var err error
			if o.results[horizon], err = x.playExperiment(at, []int{horizon}, seed); err != nil {
				return nil, err
			}
		}
	} else {
		r, err := x.playExperiment(specs, horizons, seed)
		if err != nil {
			return nil, err
		}
		for _, horizon := range horizons {
			o.results[horizon] = r
		}
	}
	var err error
	o.score, err = x.scoreFunction(o)
	return o, err
}

// playExperiment plays instances, and computes only those comparators that the metric needs.
func (x *Search) playExperiment(specs []string, horizons []int, seed uint64) (*run.Results, error) {
	e, err := x.experiment(specs, horizons, seed)
	if err != nil {
		return nil, err
	}
	plan, err := run.NewPlanOn(x.ctx, x.options.Host, x.catalog, e)
	if err != nil {
		return nil, err
	}
	o := x.options
	o.Unrecorded = true
	m, _ := game.MetricNamed(x.Metric)
	needed := map[string]bool{
		store.Game: true, store.Hindsight: m.Set != "" || m.StandIn != "",
		store.Moving: m.Moving != "" || x.Goal == Bound,
	}
	o.Keys = make(map[store.Key]bool)
	for _, c := range plan.Cells {
		if needed[c.Kind] {
			o.Keys[c.Key] = true
		}
	}
	failures, err := run.Run(x.ctx, plan, x.store, o)
	if err != nil {
		return nil, err
	}
	if len(failures) > 0 {
		x.Failed += len(failures)
		if x.Failure == nil {
			x.Failure = failures[0].Err
		}
	}
	return run.LoadPlan(x.store, plan)
}

// scoreFunction returns the function that scores an instance by its results.
func (x *Search) scoreFunction(o *playedInstances) (func(problem string) float64, error) {
	horizons, r, attackedMean := x.playedHorizons(), o.results[x.Horizon], o.finalMean
	switch x.Goal {
	case Bound:
		var err error
		o.bounds, err = analysis.Bounds(x.catalog, r)
		return func(problem string) float64 { return x.boundRatio(o.bounds, problem) }, err
	case Growth:
		return func(problem string) float64 {
			exponent, meanPerRound := math.Inf(1), 0.0
			if m, _ := game.MetricNamed(x.Metric); m.Linear {
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
			rivalMean := x.finalMean(r, r.Algorithms[1].Spec, problem, x.Horizon)
			return minusInfIfNaN(attackedMean(problem, x.Horizon) - rivalMean)
		}, nil
	}
	return func(problem string) float64 { return minusInfIfNaN(attackedMean(problem, x.Horizon)) }, nil
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
func (x *Search) boundRatio(a *analysis.Analysis, problem string) float64 {
	b := x.metricBound(a, problem)
	if b == nil {
		return math.Inf(-1)
	}
	if !b.Ratio.Value.Defined() {
		x.unstated = b.Reason
	}
	return minusInfIfNaN(float64(b.Ratio.Value))
}

// metricBound returns how the metric compares with its bound, or nil without a bound.
func (x *Search) metricBound(a *analysis.Analysis, problem string) *analysis.Bound {
	for _, p := range a.Pairs {
		if p.Problem != problem || p.Algorithm != a.Algorithms[0].Spec {
			continue
		}
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Claim.Metric == x.Metric && j.Bound != nil {
				return j.Bound
			}
		}
	}
	return nil
}
