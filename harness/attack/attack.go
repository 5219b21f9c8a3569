// Package attack searches for the rounds on which an algorithm looks worst.
//
// An instance is a SPEC of a problem. A search draws families of instances (parameters
// of a registered problem within ranges, or schedules, see [problems.ScheduleParams])
// and climbs in each by CMA-ES. It then refines the best instance by steps along
// coordinates and, where there are few rounds, by changing single rounds. Every
// evaluation is an experiment with the cells of any other: what was played once is
// not played again, and the same seed finds the same instance, whatever the number of
// workers.
//
// With the goal growth, an instance may be indexed by the horizon: its schedule has a scale, of
// which period, turn and slack are powers, and games of T rounds are played with the scale T.
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
	"slices"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
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
	Lead   Goal = "lead" // the metric after T rounds minus the metric of a rival
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
	// Until is the time at which the search ends, though not before its first generation; zero for no
	// such time. What is found then depends on the speed of the machine.
	Until time.Time

	ctx     context.Context // of the running search, with the deadline Until
	cancel  func()          // releases the deadline
	catalog experiment.Catalog
	store   *store.Store
	options run.Options

	algorithm      experiment.Algorithm
	maxEvaluations int                // the budget
	unstatedReason string             // why the bound says nothing of the instance that was tried last
	scores         map[string]float64 // by SPEC
	bestPoint      []float64          // the best instance as a point of bestFamily
	bestFamily     *family
}

// experimentName is the name of the experiments that a search plays.
const experimentName = "attack"

// New prepares a search with a budget of evaluations.
func New(c experiment.Catalog, s *store.Store, o run.Options, q Question,
	evaluations int) (*Search, error) {
	search := &Search{
		Question: q, Best: Instance{Score: math.Inf(-1)}, catalog: c, store: s, options: o,
		maxEvaluations: evaluations, scores: make(map[string]float64), Progress: func(*Search) {},
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

// searchAndRefine spends three quarters of the budget on restarts of CMA-ES in several families,
// and the rest on refining the best instance, unless its family has no numbers to change.
func (search *Search) searchAndRefine() error {
	if err := search.searchFamilies(search.maxEvaluations * 3 / 4); err != nil {
		return err
	}
	if search.bestFamily == nil || search.bestFamily.dim == 0 {
		return nil
	}
	return search.refineBest()
}

// searchFamilies runs CMA-ES in one family after another until the budget is spent.
func (search *Search) searchFamilies(budget int) error {
	rng := rand.New(rand.NewPCG(search.Seed, 0x6174_7461_636b)) // "attack" in ASCII
	assumed := search.instanceAssumptions()
	for restart := 0; !search.budgetSpent(budget); restart++ {
		f := search.nextFamily(restart, rng, assumed)
		score := func(points [][]float64) ([]float64, error) { return search.scorePoints(points, f) }
		if f.dim == 0 { // a registered problem without ranges: the family is one instance
			if _, err := score([][]float64{nil}); err != nil {
				return err
			}
			if restart >= len(search.Problems) {
				return nil // all of them were played
			}
			continue
		}
		before := search.Evaluations
		// A restart gets a sixth of the budget, or 20 generations of CMA-ES if that is more.
		share := min(budget-search.Evaluations, max(budget/6, 20*populationSize(f.dim)))
		const step = 0.3 // of ranges that span 1
		if err := evolve(search.ctx, f.randomStart(rng), step, share, rng, score); err != nil {
			return err
		}
		const manyRestarts = 1000
		if search.Evaluations == before && restart > manyRestarts {
			return nil // every instance drawn was played already, or cannot be played
		}
	}
	return nil
}

// nextFamily returns the family of a restart: the registered problems in turn, if there are some,
// and else schedules, where every third restart is in the best family so far, from another point.
func (search *Search) nextFamily(restart int, rng *rand.Rand, assumed assumptions) *family {
	switch {
	case len(search.Problems) > 0:
		// New has checked that there is no error.
		f, _ := parameterFamily(search.catalog, search.Problems[restart%len(search.Problems)])
		return f
	case restart%3 == 2 && search.bestFamily != nil:
		return search.bestFamily
	}
	return scheduleFamilyFor(rng, search.Dims, search.Horizon, search.Goal == Growth, assumed)
}

// refineBest spends the rest of the budget on steps along coordinates from the best instance. Games
// of few rounds have a second refinement, in the rounds themselves, for half of the rest.
func (search *Search) refineBest() error {
	refine := func(f *family, at []float64, score float64, limit int) error {
		const step, leastStep = 0.05, 1e-4
		return climbCoordinates(search.ctx, at, score, step, leastStep, limit-search.Evaluations,
			func(points [][]float64) ([]float64, error) { return search.scorePoints(points, f) })
	}
	if search.Horizon > search.Rounds || search.Goal == Growth {
		return refine(search.bestFamily, search.bestPoint, search.Best.Score, search.maxEvaluations)
	}
	half := (search.Evaluations + search.maxEvaluations) / 2 // half of what remains
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
	return refine(f, at, start[0], search.maxEvaluations)
}

// noInstanceError returns an error that says why a search found nothing.
func (search *Search) noInstanceError() error {
	why := "no instance meets the assumptions of " + search.algorithm.Spec
	switch {
	case search.Failure != nil:
		why = fmt.Sprintf("all games failed, the first one: %v", search.Failure)
	case search.unstatedReason != "":
		why = "the bound says nothing of any instance: " + search.unstatedReason
	}
	return fmt.Errorf("nothing was found in %d evaluations: %s", search.Evaluations, why)
}

// budgetSpent reports whether a search has played limit instances, or was ended.
func (search *Search) budgetSpent(limit int) bool {
	return search.Evaluations >= limit || search.ctx.Err() != nil
}

// scorePoints returns the scores of points of a family, and updates [Search.Best].
func (search *Search) scorePoints(points [][]float64, f *family) ([]float64, error) {
	specs := make([]string, len(points))
	var fresh []string
	for i, p := range points {
		if specs[i] = f.specAt(p); specs[i] != "" {
			specs[i] = search.atHorizon(search.catalog.ProblemSpec(specs[i]), search.Horizon)
		}
		if _, ok := search.scores[specs[i]]; !ok && specs[i] != "" && !slices.Contains(fresh, specs[i]) {
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
		search.scores[s] = values[i]
	}
	search.Evaluations += len(fresh)
	out := make([]float64, len(points))
	for i, s := range specs {
		out[i] = math.Inf(-1)
		if v, ok := search.scores[s]; ok {
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

// ChangedError reports that an instance no longer has the score that it had when it was found.
type ChangedError struct{ Was, Is float64 }

// Error implements error.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%v was found, and is %v now", e.Was, e.Is)
}

// Verify plays an instance again on the seed of the search. The error is a [*ChangedError] if its
// score has changed.
func (search *Search) Verify(ctx context.Context, found Instance) error {
	again, err := search.Replay(ctx, found)
	if err == nil && !(math.Abs(again-found.Score) <= 1e-9*max(1, math.Abs(found.Score))) {
		err = &ChangedError{found.Score, again}
	}
	return err
}
