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
	"ocobench/convex"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Goal is what a search maximises.
type Goal string

const (
	Value Goal = "value" // the metric after T rounds
	// its largest value over the bound of the theorem, at all checkpoints: above 1 something is false
	Bound Goal = "bound"
	// Growth is the least exponent between successive ones of T/64, T/16, T/4 and T, at
	// most 1 where the metric is at most linear. A thousandth of the value after T rounds
	// a round decides between equals. What is below 10⁻³ after T/64 rounds does not count:
	// rounding errors grow, too.
	Growth Goal = "growth"
	Lead   Goal = "lead" // the metric after T rounds less that of a rival
)

// Goals are all of them.
var Goals = []Goal{Bound, Value, Growth, Lead}

// Question is what a search looks for.
type Question struct {
	Algorithm  spec.Use
	Rival      spec.Use // of Lead
	Metric     algorithms.Metric
	Goal       Goal
	Horizon    int
	Replicates int // of instances that are drawn
	Seed       uint64
	Problems   []string // registered problems with ranges, low..high for a value; none: schedules
	Dims       []int    // of schedules
	Margin     float64  // of schedules: a Slater margin, at least that of what the algorithm assumes
	Rounds     int      // up to this horizon the rounds themselves are refined
}

// Instance is an instance with its score.
type Instance struct {
	Spec   string
	Family string
	Score  float64
}

// Search is a search under way.
type Search struct {
	Question
	Evaluations int // so far
	Failed      int // instances of which a game failed
	Failure     error
	Best        Instance
	// Progress is called after every generation.
	Progress func(*Search)
	// Until is when the search ends, but not before its first generation; zero: no such time.
	// What is found then depends on the machine.
	Until time.Time

	ctx     context.Context // of what is under way
	cancel  func()          // ends it
	catalog experiment.Catalog
	store   *store.Store
	options run.Options

	algorithm experiment.Algorithm
	limit     int    // of evaluations
	unstated  string // why a bound says nothing
	known     map[string]float64
	at        []float64
	from      *family // of the best
}

// Name is that of the experiments that a search plays.
const Name = "attack"

// assumptions are the conditions that instances must meet.
type assumptions struct {
	shape     shape
	iid       bool
	affine    bool
	oblivious bool
	slater    bool
	margin    float64
	curvature float64
}

func assumptionsOf(a experiment.Algorithm) (as assumptions) {
	meets := func(f convex.Facts) bool { return len(a.Unmet(f)) == 0 }
	all := convex.Facts{Affine: true, Fixed: true, Perturbed: true, IID: true, Slater: 1, Curvature: 1,
		Feasible: true, KnownConstraints: true}
	without := func(change func(*convex.Facts)) bool { // reports whether a fact is assumed
		f := all
		change(&f)
		return !meets(f)
	}
	as.oblivious = without(func(f *convex.Facts) { f.Adaptive = true })
	as.affine = without(func(f *convex.Facts) { f.Affine = false })
	as.slater = without(func(f *convex.Facts) { f.Slater = 0 })
	if as.slater {
		as.margin = 0.05
	}
	if without(func(f *convex.Facts) { f.Curvature = 0 }) {
		as.curvature = 1
	}
	switch {
	case without(func(f *convex.Facts) { f.Fixed, f.Perturbed, f.IID = false, true, true }):
		as.shape = fixed
	case without(func(f *convex.Facts) { f.Fixed, f.Perturbed = false, false }):
		as.shape = parallel
	}
	as.iid = as.shape != fixed && without(func(f *convex.Facts) { f.Fixed, f.IID = false, false })
	return as
}

// assumptions are the conditions that the instances of the search must meet.
func (x *Search) assumptions() assumptions {
	as := assumptionsOf(x.algorithm)
	as.margin = max(as.margin, x.Margin)
	as.slater = as.margin > 0
	return as
}

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
		if _, err := ranges(c, p); err != nil {
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
	if err := x.run(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return x.Best, err
	}
	if math.IsInf(x.Best.Score, -1) {
		return x.Best, x.nothing()
	}
	return x.Best, nil
}

func (x *Search) run() error {
	rng := rand.New(rand.NewPCG(x.Seed, 0x6174_7461_636b)) // "attack"
	as := x.assumptions()
	// Three quarters look for instances, the rest refines the best one.
	wide := x.limit * 3 / 4
	for restart := 0; !x.spent(wide); restart++ {
		var f *family
		switch {
		case len(x.Problems) > 0:
			f, _ = ranges(x.catalog, x.Problems[restart%len(x.Problems)])
			if f.dim == 0 { // one instance
				if _, err := x.scores([][]float64{nil}, f); err != nil {
					return err
				}
				if restart >= len(x.Problems) {
					wide = 0
				}
				continue
			}
		case restart%3 == 2 && x.from != nil: // the best family again, from another point
			f = x.from
		default:
			f = schedules(rng, x.Dims, x.Horizon, x.Goal == Growth, as)
		}
		before := x.Evaluations
		share := min(wide-x.Evaluations, max(wide/6, 20*(4+int(3*math.Log(float64(f.dim))))))
		err := evolve(x.ctx, f.start(rng), 0.3, share, rng, func(points [][]float64) ([]float64, error) {
			return x.scores(points, f)
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
		return climb(x.ctx, at, score, 0.05, 1e-4, limit-x.Evaluations,
			func(points [][]float64) ([]float64, error) {
				return x.scores(points, f)
			})
	}
	if x.Horizon > x.Rounds || x.Goal == Growth {
		return refine(x.from, x.at, x.Best.Score, x.limit)
	}
	if err := refine(x.from, x.at, x.Best.Score, (x.Evaluations+x.limit)/2); err != nil {
		return err
	}
	f, at, err := x.unrolled(x.Best.Spec)
	if f == nil || err != nil {
		return err
	}
	start, err := x.scores([][]float64{at}, f)
	if err != nil {
		return err
	}
	return refine(f, at, start[0], x.limit)
}

func (x *Search) nothing() error {
	why := "no instance meets the assumptions of " + x.algorithm.Spec
	switch {
	case x.Failure != nil:
		why = fmt.Sprintf("all games failed, the first one: %v", x.Failure)
	case x.unstated != "":
		why = "the bound says nothing of any instance: " + x.unstated
	}
	return fmt.Errorf("nothing was found in %d evaluations: %s", x.Evaluations, why)
}

func (x *Search) spent(limit int) bool {
	return x.Evaluations >= limit || x.ctx.Err() != nil
}

// scores returns the scores of points of a family, and keeps the best.
func (x *Search) scores(points [][]float64, f *family) ([]float64, error) {
	specs := make([]string, len(points))
	var fresh []string
	for i, p := range points {
		if specs[i] = f.spec(p); specs[i] != "" {
			specs[i] = x.member(x.catalog.ProblemSpec(specs[i]), x.Horizon)
		}
		if _, ok := x.known[specs[i]]; !ok && specs[i] != "" && !slices.Contains(fresh, specs[i]) {
			fresh = append(fresh, specs[i])
		}
	}
	values, err := x.play(fresh, x.Question.Seed)
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

// horizons are those at which instances are played.
func (q Question) horizons() []int {
	if q.Goal == Growth {
		return []int{q.Horizon / 64, q.Horizon / 16, q.Horizon / 4, q.Horizon}
	}
	return []int{q.Horizon}
}

// experiment plays instances.
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

// play returns the scores of instances: −Inf where one is not to be played, or fails.
func (x *Search) play(specs []string, seed uint64) ([]float64, error) {
	scores := make([]float64, len(specs))
	var playable []string
	for i, s := range specs {
		scores[i] = math.Inf(-1)
		if x.playable(s) {
			playable = append(playable, s)
		}
	}
	if len(playable) == 0 {
		return scores, nil
	}
	o, err := x.outcome(playable, seed)
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
func (x *Search) Replay(ctx context.Context, found Instance) (float64, error) {
	x.ctx = ctx
	scores, err := x.play([]string{found.Spec}, x.Question.Seed)
	if err != nil {
		return 0, err
	}
	if math.IsInf(scores[0], -1) {
		return 0, x.nothing()
	}
	return scores[0], nil
}

// playable reports whether an instance meets what the algorithms assume.
func (x *Search) playable(text string) bool {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return false
	}
	arenas, err := x.catalog.ResolveProblems(u)
	if err != nil || len(arenas) != 1 {
		return false
	}
	arena, err := arenas[0].Bind(x.Horizon)
	if err != nil {
		return false
	}
	s, err := arena.Stream(x.Question.Seed, 1)
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

// scale matches the parameter scale in the SPEC of a schedule. In a family indexed by the
// horizon, it is the horizon.
var scale = regexp.MustCompile(`^(schedule:(?:.*,)?scale=)[^,]+`)

// indexed reports whether an instance is one of a family indexed by the horizon. With the
// goal growth, every schedule with a scale is one: T rounds are played with the scale T.
func (q Question) indexed(problem string) bool {
	return q.Goal == Growth && scale.MatchString(problem)
}

// member is the instance of a family for a horizon. An instance that is not indexed is the
// same for all horizons.
func (q Question) member(problem string, horizon int) string {
	if !q.indexed(problem) {
		return problem
	}
	return scale.ReplaceAllString(problem, "${1}"+strconv.Itoa(horizon))
}

// outcome has the results of games by horizon, and the scores of their instances: −Inf for
// an instance without one.
type outcome struct {
	search  *Search
	results map[int]*run.Results
	bounds  *analysis.Analysis // of the goal bound
	score   func(problem string) float64
}

// value is the mean of the metric after the last round.
func (o *outcome) value(problem string, horizon int) float64 {
	r := o.results[horizon]
	return o.search.final(r, r.Algorithms[0].Spec, o.search.member(problem, horizon), horizon)
}

// curve is the mean of the metric along the longest game, or its ratio to the bound if that
// is the goal. For an instance that is indexed by the horizon, it has the values at the
// horizons.
func (o *outcome) curve(problem string) (line analysis.Line) {
	x := o.search
	r := o.results[x.Horizon]
	switch {
	case x.Goal == Bound:
		if b := x.bound(o.bounds, problem); b != nil {
			return b.Ratios
		}
		return line
	case x.indexed(problem):
		for _, horizon := range x.horizons() {
			line.T = append(line.T, float64(horizon))
			line.Value = append(line.Value, analysis.Number(o.value(problem, horizon)))
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
		v := x.metric(g)
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

// outcome plays instances to the horizons of the search.
func (x *Search) outcome(specs []string, seed uint64) (*outcome, error) {
	horizons := x.horizons()
	o := &outcome{search: x, results: make(map[int]*run.Results)}
	if slices.ContainsFunc(specs, x.indexed) {
		for _, horizon := range horizons {
			at := make([]string, len(specs))
			for i, s := range specs {
				at[i] = x.member(s, horizon)
			}
			var err error
			if o.results[horizon], err = x.results(at, []int{horizon}, seed); err != nil {
				return nil, err
			}
		}
	} else {
		r, err := x.results(specs, horizons, seed)
		if err != nil {
			return nil, err
		}
		for _, horizon := range horizons {
			o.results[horizon] = r
		}
	}
	var err error
	o.score, err = x.scorer(o)
	return o, err
}

// results plays instances. It computes only those comparators that the metric needs.
func (x *Search) results(specs []string, horizons []int, seed uint64) (*run.Results, error) {
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

// scorer returns the function that scores an instance by its results.
func (x *Search) scorer(o *outcome) (func(problem string) float64, error) {
	none := math.Inf(-1)
	horizons, r, own := x.horizons(), o.results[x.Horizon], o.value
	switch x.Goal {
	case Bound:
		var err error
		o.bounds, err = analysis.Bounds(x.catalog, r)
		return func(problem string) float64 { return x.ratio(o.bounds, problem) }, err
	case Growth:
		return func(problem string) float64 {
			slope, last := math.Inf(1), 0.0
			if m, _ := game.MetricNamed(x.Metric); m.Linear {
				slope = 1
			}
			for i, horizon := range horizons {
				v := own(problem, horizon)
				if !(v >= smallest) {
					return none
				}
				if i > 0 {
					before := own(problem, horizons[i-1])
					slope = min(slope, math.Log(v/before)/math.Log(float64(horizon)/float64(horizons[i-1])))
				}
				last = v / float64(horizon)
			}
			return slope + last/1000
		}, nil
	case Lead:
		return func(problem string) float64 {
			return orNone(own(problem, x.Horizon) - x.final(r, r.Algorithms[1].Spec, problem, x.Horizon))
		}, nil
	}
	return func(problem string) float64 { return orNone(own(problem, x.Horizon)) }, nil
}

// smallest is the least value of a metric whose growth counts.
const smallest = 1e-3

func orNone(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

// metric is the metric of a game at its checkpoints, or its stand-in; nil where there is none.
func (q Question) metric(g *game.Game) []float64 {
	v := g.Metric(q.Metric)
	if m, _ := game.MetricNamed(q.Metric); v == nil && m.StandIn != "" {
		v = g.Metric(m.StandIn)
	}
	return v
}

// final is the mean of the metric, or of its stand-in, after the last round, NaN where a
// replicate lacks it.
func (q Question) final(r *run.Results, algorithm, problem string, horizon int) float64 {
	sum, games := 0.0, 0
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(algorithm, problem, replicate, horizon)
		if g == nil {
			continue
		}
		v := q.metric(g)
		if v == nil {
			return math.NaN()
		}
		sum += v[len(v)-1]
		games++
	}
	if games == 0 || r.Missing > 0 && games < r.Planned(algorithm, problem) {
		return math.NaN()
	}
	return sum / float64(games)
}

// ratio is the largest value over the bound, −Inf where there is none.
func (x *Search) ratio(a *analysis.Analysis, problem string) float64 {
	b := x.bound(a, problem)
	if b == nil {
		return math.Inf(-1)
	}
	if !b.Ratio.Value.Defined() {
		x.unstated = b.Reason
	}
	return orNone(float64(b.Ratio.Value))
}

// bound is the judgement of the metric by its bound, or nil.
func (x *Search) bound(a *analysis.Analysis, problem string) *analysis.Bound {
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
