package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
)

// An experiment is planned in this order. Its uses are resolved to algorithms and problems.
// On each problem the learners are started once, to see whether the problem meets their
// assumptions ([Plan.startOn]). The cells are laid out by horizon and replicate ([cellBuilder]);
// a cell that serves several horizons is made once. At last the openings are played
// ([Plan.open]), which complete the keys of the cells.

// Plan is an experiment resolved into cells.
type Plan struct {
	Experiment *spec.Experiment
	Algorithms []Algorithm
	Problems   []Problem
	Cells      []*Cell
	// Entries are the cells of every horizon: one for each game and each comparator of
	// the experiment. Several horizons may have one cell.
	Entries []CellAt
	// Unmet are the pairs whose problem does not meet an assumption of the
	// algorithm: not played, unless the experiment ignores assumptions.
	Unmet []Unmet
	// Tuned are the grids that algorithms were chosen from, by their SPECs: each
	// as it was written.
	Tuned map[string]spec.Use
	// RecordAs is the name under which the experiment is recorded, "" for its own.
	RecordAs string

	baseline string // the SPEC of the one that the experiment names
	// the learners that started, and those that did not, on some problem
	playing     map[*Algorithm]bool
	startErrors []startError
	// names are those of the catalog, of algorithms and of problems
	names [2][]string
}

// CellAt is a cell at one of the horizons that it serves.
type CellAt struct {
	*Cell
	At int // the horizon
}

// Unmet says what a problem lacks for an algorithm.
type Unmet struct {
	Algorithm   string   `json:"algorithm"` // SPECs
	Problem     string   `json:"problem"`
	Assumptions []string `json:"assumptions"`
}

// String says it in words.
func (u Unmet) String() string {
	return fmt.Sprintf("%s assumes %s, which %s does not have", u.Algorithm,
		strings.Join(u.Assumptions, " and "), u.Problem)
}

// maxCells is the size of the largest plan. A larger one comes from a mistyped number.
const maxCells = 2_000_000

// Cell is one unit of work: a game, or a comparator, which serves all games on
// its stream (and has no algorithm) unless the stream is adaptive: a hindsight, of the
// best fixed actions, or a moving one, of the best action of each round.
//
// A game of an anytime learner at T is the beginning of its game at 2T. So in a sweep
// across horizons such a game is that of the last one, and serves all. So does a
// moving comparator, and a hindsight if the horizon is a checkpoint of the last.
type Cell struct {
	Kind      string
	Algorithm *Algorithm
	Problem   *Problem
	Seed      uint64
	Replicate int
	Horizon   int
	// Also are the horizons that a game, or a moving comparator, serves and that are not among the
	// checkpoints of its own: it has rows there, too.
	Also []int
	// Asked are the metrics on request that the trace of a game must have. They are no part of its
	// key: a stored game that lacks one is played again.
	Asked []algorithms.Metric

	Key store.Key

	pair *pairIdentity
	// Fingerprint is that of the data of the problem.
	Fingerprint string
	// Broken is why the cell cannot be computed, or nil.
	Broken error
}

// pairIdentity holds what the cells of an algorithm on a problem have in common at one horizon.
type pairIdentity struct {
	identity identity
	asked    []algorithms.Metric
	opening  *string
	prefix   []byte // of the identity, up to the replicate
}

// identity is what determines the numbers of a cell, and all that its key is
// hashed from, but for the replicate.
type identity struct {
	Kind             string          `json:"kind"`
	Format           int             `json:"format"`
	Algorithm        string          `json:"algorithm,omitempty"`
	AlgorithmVersion int             `json:"algorithm_version,omitempty"`
	AlgorithmParams  json.RawMessage `json:"algorithm_params,omitempty"`
	AlgorithmCode    string          `json:"algorithm_code,omitempty"` // its fingerprint
	Problem          string          `json:"problem"`
	ProblemVersion   int             `json:"problem_version"`
	ProblemParams    json.RawMessage `json:"problem_params"`
	Fingerprint      string          `json:"fingerprint,omitempty"`  // of its data
	ProblemCode      string          `json:"problem_code,omitempty"` // its own fingerprint
	Seeds            string          `json:"seeds"`
	Seed             uint64          `json:"seed"`
	Horizon          int             `json:"horizon"`
	Also             []int           `json:"also,omitempty"`
	Opening          string          `json:"opening"`
}

// Identity is JSON on one line that determines the numbers of the cell; the key
// is its hash.
func (c *Cell) Identity() []byte {
	l := c.pair
	if l.prefix == nil {
		l.identity.Opening = *l.opening
		data, err := json.Marshal(l.identity)
		if err != nil {
			panic(fmt.Sprintf("experiment: the identity of a cell cannot be written: %v", err))
		}
		l.prefix = data[:len(data)-1]
	}
	return fmt.Appendf(slices.Clip(l.prefix), `,"replicate":%d}`, c.Replicate)
}

// Starter starts learners and plays the first rounds of games for a plan.
type Starter interface {
	// Start does [Cell.Start]. An error with a result is one of the learner. A
	// [game.CrashError] without a result is a panic, or a start that took too long.
	Start(ctx context.Context, c *Cell, anyway bool) (*Started, error)
	// Opening does [Cell.DigestOpening]. It is an error if that crashes, or takes too long.
	Opening(ctx context.Context, c *Cell) (digest, lack string, err error)
}

// Plan resolves an experiment. The faults of the experiment are reported with their places before
// anything runs: unknown names and parameters, and streams and learners that refuse to start. One
// that panics, or does not start in time, is no fault of the experiment: its cells fail.
func (c Catalog) Plan(ctx context.Context, s Starter, e *spec.Experiment) (*Plan, error) {
	p := &Plan{Experiment: e, playing: make(map[*Algorithm]bool)}
	for _, a := range c.Algorithms {
		p.names[0] = append(p.names[0], a.Name)
	}
	for _, a := range c.Problems {
		p.names[1] = append(p.names[1], a.Name)
	}
	var err error
	p.Algorithms, p.Problems, err = c.Resolve(e)
	errs := []error{err}
	errs = append(errs, p.addTuned(c))
	if e.Baseline != "" && err == nil {
		if p.baseline, err = c.NamedAlgorithm(e.Baseline, p.Record()); err != nil {
			errs = append(errs, fmt.Errorf("experiment %s: baseline: %v", e.Name, err)) // no fault of a SPEC
		}
	}
	if err := spec.Join(errs...); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	once := func(kind, name, same string, u spec.Use) {
		if same = kind + " " + same; seen[same] {
			errs = append(errs, u.Pos.Refuse(fmt.Errorf("%s %s is listed twice", kind, name)))
		}
		label := kind + " label " + u.Label
		if u.Label != "" && seen[label] {
			errs = append(errs, u.Pos.Refuse(fmt.Errorf("label %q is that of another %s too", u.Label,
				kind)))
		}
		seen[same], seen[label] = true, true
	}
	for _, a := range p.Algorithms {
		once("algorithm", a.Spec, c.AlgorithmSpec(a.Spec), a.Use)
	}
	if n := float64(len(e.Horizon)) * float64(e.Replicates) * float64(len(p.Problems)) * float64(
		len(p.Algorithms)+1); n > maxCells {
		return nil, fmt.Errorf("experiment %s has about %.0f cells; at most %d fit into one: lower "+
			"replicates, or split it", e.Name, n, maxCells)
	}
	for i := range p.Problems {
		once("problem", p.Problems[i].Spec, c.ProblemSpec(p.Problems[i].Spec), p.Problems[i].Use)
		errs = append(errs, p.addCells(ctx, s, &p.Problems[i])...)
	}
	errs = append(errs, p.reportStartErrors()...)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := spec.Join(errs...); err != nil {
		return nil, err
	}
	if err := p.open(ctx, s); err != nil {
		return nil, err
	}
	if len(p.Unmet) == len(p.Algorithms)*len(p.Problems) && e.Assumptions != "ignore" {
		return nil, fmt.Errorf("nothing to play in experiment %s: %s; to play all the same, say "+
			"assumptions: ignore", e.Name, p.Unmet[0])
	}
	return p, nil
}

// ShardOrder returns the cells in the order in which they are dealt to shards: cell k goes to
// shard k mod N + 1. Cells that cost about the same (comparators, or games of one algorithm, at
// one horizon) stand together, so that every shard has its part of them. In the order of the
// plan, in which the games of a replicate stand together, a shard of N would have the games of
// one algorithm only whenever N is a multiple of what is played on one replicate.
func (p *Plan) ShardOrder() []*Cell {
	algorithm := func(c *Cell) string {
		if c.Algorithm == nil {
			return ""
		}
		return c.Algorithm.Algorithm.Name
	}
	order := slices.Clone(p.Cells)
	slices.SortStableFunc(order, func(a, b *Cell) int {
		return cmp.Or(cmp.Compare(algorithm(a), algorithm(b)), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Horizon, b.Horizon))
	})
	return order
}

// Unplayed returns the pairs of Unmet that are not played.
func (p *Plan) Unplayed() (all []Unmet) {
	for _, u := range p.Unmet {
		if !slices.ContainsFunc(p.Cells, func(c *Cell) bool {
			return c.Algorithm != nil && c.Algorithm.Spec == u.Algorithm && c.Problem.Spec == u.Problem
		}) {
			all = append(all, u)
		}
	}
	return all
}

// addTuned finds the algorithms that were chosen from the experiment's grids.
func (p *Plan) addTuned(c Catalog) error {
	e := p.Experiment
	if len(e.Tuned) > 0 && e.Seed == e.TuningSeed {
		return fmt.Errorf("experiment %s: its parameters were tuned on seed %d; evaluate them on another",
			e.Name, e.Seed)
	}
	p.Tuned = make(map[string]spec.Use)
	for _, u := range e.Tuned {
		points, err := c.ResolveAlgorithms(u)
		if err != nil {
			return err
		}
		found := false
		for _, point := range points {
			for _, a := range p.Algorithms {
				if c.AlgorithmSpec(a.Spec) == c.AlgorithmSpec(point.Spec) {
					p.Tuned[a.Spec], found = u, true
				}
			}
		}
		if !found {
			return u.Pos.Refuse(fmt.Errorf("tuned: no algorithm of the experiment is from this grid of %s",
				u.Name))
		}
	}
	return nil
}

// addCells plans the cells on one problem. If its expressions name T, it is another problem at
// every horizon, and no two horizons have a cell in common.
func (p *Plan) addCells(ctx context.Context, s Starter, a *Problem) (errs []error) {
	if len(a.open) == 0 {
		return p.addCellsAt(ctx, s, a, p.Experiment.Horizon)
	}
	groups := [][]int{p.Experiment.Horizon}
	if a.IsIndexed() {
		groups = nil
		for _, horizon := range p.Experiment.Horizon {
			groups = append(groups, []int{horizon})
		}
	}
	all := make([]Problem, len(groups))
	for k, horizons := range groups {
		var err error
		if all[k], err = a.Bind(horizons[len(horizons)-1]); err != nil {
			errs = append(errs, err)
		}
		all[k].of = &a.Configuration
	}
	for k, horizons := range groups {
		if len(errs) == 0 {
			errs = p.addCellsAt(ctx, s, &all[k], horizons)
		}
		a.deterministic = all[k].deterministic
	}
	return errs
}

// addCellsAt plans the cells on one problem at these horizons.
func (p *Plan) addCellsAt(ctx context.Context, s Starter, a *Problem, horizons []int) []error {
	fingerprint, err := a.LoadAgain()
	if err != nil {
		return []error{a.Use.Pos.Refuse(err)}
	}
	f, err := p.startOn(ctx, s, a, fingerprint, horizons)
	if err != nil {
		return []error{err}
	}
	var errs []error
	a.deterministic = f.stream.Deterministic
	last := horizons[len(horizons)-1]
	at := game.Checkpoints(last)
	l := cellBuilder{
		problemCells: f, plan: p, last: last, shared: make(map[cellGroup][]*Cell),
		bindings: make(map[binding]*Algorithm),
		also: slices.DeleteFunc(slices.Clone(horizons), func(horizon int) bool {
			return slices.Contains(at, horizon)
		}),
	}
	for _, horizon := range horizons {
		playing, more := l.bound(horizon)
		if errs = append(errs, more...); len(errs) == 0 {
			l.addHorizon(playing, horizon)
		}
	}
	return errs
}

// problemCells holds a problem with the algorithms that play on it.
type problemCells struct {
	problem     *Problem
	fingerprint string
	stream      *Started // the zero value if no learner showed one
	playing     []*Algorithm
	broken      error // why there is no stream
}

// startOn starts every algorithm on the problem. The error is one of the problem. Those of
// learners that did not start are in [Plan.startErrors].
func (p *Plan) startOn(ctx context.Context, s Starter, a *Problem, fingerprint string,
	horizons []int) (f *problemCells, err error) {
	e := p.Experiment
	f = &problemCells{problem: a, fingerprint: fingerprint}
	for i := range p.Algorithms {
		c := &p.Algorithms[i]
		cell := Cell{Algorithm: c, Problem: a, Seed: e.Seed, Horizon: horizons[0],
			Fingerprint: fingerprint}
		r, err := p.start(ctx, s, cell, horizons)
		var crash *game.CrashError
		switch {
		case errors.As(err, &crash):
			f.broken = fmt.Errorf("the start of replicate 1: %w", err)
		case r == nil:
			return nil, a.Use.Pos.Refuse(err)
		}
		if r != nil && f.stream == nil {
			if err := game.CheckHorizon(r.Rounds, slices.Max(horizons)); err != nil {
				return nil, a.Use.Pos.Refuse(fmt.Errorf("problem %s: %w", a.Spec, err))
			}
			f.stream = r
		}
		if r != nil && err != nil && crash == nil {
			p.startErrors = append(p.startErrors, startError{c, a, err, r})
			continue
		}
		if r != nil && len(r.Unmet) > 0 {
			p.addUnmet(Unmet{c.Spec, a.Spec, r.Unmet})
			if e.Assumptions != "ignore" {
				continue
			}
		}
		f.playing, p.playing[c] = append(f.playing, c), true
	}
	if f.stream != nil {
		f.broken = nil // the cells of a learner that did not start fail by themselves
	} else {
		f.stream = new(Started)
	}
	return f, nil
}

// startError is the error of a learner that did not start on a problem.
type startError struct {
	algorithm *Algorithm
	problem   *Problem
	err       error
	stream    *Started // whose Lack is what it assumes, if that is known
}

// reportStartErrors adds the learners that did not start to [Plan.Unmet] where an assumption is not
// met: one that they named, if anything is played, or one that another program did not name, if it
// plays on another problem. It returns all other errors, which are faults of the experiment.
func (p *Plan) reportStartErrors() (errs []error) {
	for _, r := range p.startErrors {
		what := r.stream.Lack
		switch {
		case what != "" && len(p.Cells) > 0:
		case p.playing[r.algorithm] && r.algorithm.Fingerprint != "": // of another program
			reason := strings.TrimPrefix(r.err.Error(), "algorithm "+r.algorithm.Spec+": ")
			what = fmt.Sprintf("a problem on which it starts (%s)", reason)
		default:
			errs = append(errs,
				r.algorithm.Use.Pos.Refuse(fmt.Errorf("%w (on problem %s)", r.err, r.problem.Spec)))
			continue
		}
		p.addUnmet(Unmet{r.algorithm.Spec, r.problem.Spec, append(r.stream.Unmet, what)})
	}
	return errs
}

// addUnmet notes what a problem lacks for an algorithm, once for all horizons.
func (p *Plan) addUnmet(u Unmet) {
	if !slices.ContainsFunc(p.Unmet, func(known Unmet) bool {
		return known.Algorithm == u.Algorithm && known.Problem == u.Problem
	}) {
		p.Unmet = append(p.Unmet, u)
	}
}

// cellGroup names the cells of a kind and an algorithm on one problem, which differ in the horizon
// and the replicate.
type cellGroup struct {
	kind string
	c    *Algorithm // or nil
}

// cellBuilder adds the cells of a problem to a plan.
type cellBuilder struct {
	*problemCells
	plan     *Plan
	last     int                   // horizon
	also     []int                 // the horizons that are no checkpoints of the last
	shared   map[cellGroup][]*Cell // by horizons: a cell a replicate
	bindings map[binding]*Algorithm
	pairs    map[cellGroup]*pairIdentity // at a horizon
}

// addHorizon adds the games and their comparators at a horizon. A deterministic game that
// draws nothing either has one replicate.
func (l *cellBuilder) addHorizon(playing []*Algorithm, horizon int) {
	l.pairs = make(map[cellGroup]*pairIdentity)
	for replicate := 1; replicate <= l.plan.Experiment.Replicates; replicate++ {
		if l.stream.Deterministic && replicate == 2 {
			playing = slices.DeleteFunc(slices.Clone(playing), func(c *Algorithm) bool { return !c.Draws })
		}
		if !l.stream.Adaptive && len(playing) > 0 {
			l.addComparators(nil, slices.ContainsFunc(playing, l.plan.needsMoving), replicate, horizon)
		}
		for _, c := range playing {
			if l.stream.Adaptive {
				l.addComparators(c, l.plan.needsMoving(c), replicate, horizon)
			}
			l.add(cellGroup{store.Game, c}, replicate, horizon)
		}
	}
}

// addComparators adds the comparators of the games of an algorithm, or of all.
func (l *cellBuilder) addComparators(c *Algorithm, moving bool, replicate, horizon int) {
	l.add(cellGroup{store.Hindsight, c}, replicate, horizon)
	if moving {
		l.add(cellGroup{store.Moving, c}, replicate, horizon)
	}
}

// add adds a cell, or an entry for the one that serves other horizons too.
func (l *cellBuilder) add(of cellGroup, replicate, horizon int) {
	p := l.plan
	share := l.shares(of, horizon)
	if share && len(l.shared[of]) >= replicate {
		p.Entries = append(p.Entries, CellAt{l.shared[of][replicate-1], horizon})
		return
	}
	cell := &Cell{
		Kind: of.kind, Algorithm: of.c, Problem: l.problem, Seed: p.Experiment.Seed, Replicate: replicate,
		Horizon:     horizon,
		Fingerprint: l.fingerprint, Broken: l.broken,
	}
	if share {
		cell.Horizon = l.last
		l.shared[of] = append(l.shared[of], cell)
		if of.kind != store.Hindsight {
			cell.Also = l.also
		}
	}
	if l.pairs[of] == nil {
		l.pairs[of] = newPairIdentity(cell, l.fingerprint)
		if of.kind == store.Game {
			l.pairs[of].asked = p.traceMetrics(of.c)
		}
	}
	cell.pair = l.pairs[of]
	cell.Asked = cell.pair.asked
	p.Cells, p.Entries = append(p.Cells, cell), append(p.Entries, CellAt{cell, horizon})
}

// shares reports whether the cell at the last horizon serves another one. A solution in
// hindsight starts from the solution before it. One more solution in between would change
// the last bits of those that follow.
func (l *cellBuilder) shares(of cellGroup, horizon int) bool {
	if of.c != nil && !of.c.IsAnytime() {
		return false
	}
	return of.kind != store.Hindsight || !slices.Contains(l.also, horizon)
}

// onRequest returns the metrics on request that the experiment asks for, or that a claim of the
// algorithm is about.
func (p *Plan) onRequest(c *Algorithm) []game.Metric {
	return game.Select(func(m game.Metric) bool {
		return m.OnRequest && (slices.Contains(p.Experiment.Metrics, string(m.Name)) ||
			slices.ContainsFunc(c.ClaimsOf(c.Params), func(claim algorithms.Claim) bool {
				return claim.Metric == m.Name
			}))
	})
}

// traceMetrics returns the metrics on request that the trace of a game must record.
func (p *Plan) traceMetrics(c *Algorithm) (names []algorithms.Metric) {
	for _, m := range p.onRequest(c) {
		if m.InTrace() {
			names = append(names, m.Name)
		}
	}
	return names
}

// needsMoving reports whether the games of an algorithm need the moving comparator: the experiment
// asks for a metric that does, or a claim is about one, or has a bound that does.
func (p *Plan) needsMoving(c *Algorithm) bool {
	return slices.ContainsFunc(p.onRequest(c), func(m game.Metric) bool { return m.Moving != "" }) ||
		slices.ContainsFunc(c.ClaimsOf(c.Params), func(claim algorithms.Claim) bool {
			return claim.Moving != nil
		})
}

// start starts the learner of a cell in replicate 1. A learner of recorded actions is
// started in the other replicates too, and for the largest horizon.
func (p *Plan) start(ctx context.Context, s Starter, c Cell, horizons []int) (*Started, error) {
	anyway := p.Experiment.Assumptions == "ignore"
	c.Replicate = 1
	if c.Algorithm.Feedback != algorithms.Recorded {
		return s.Start(ctx, &c, anyway)
	}
	c.Horizon = slices.Max(horizons)
	r, err := s.Start(ctx, &c, anyway)
	for err == nil && c.Replicate < p.Experiment.Replicates {
		c.Replicate++
		_, err = s.Start(ctx, &c, anyway)
	}
	return r, err
}

func newPairIdentity(cell *Cell, fingerprint string) *pairIdentity {
	a := cell.Problem
	id := identity{
		Kind: cell.Kind, Format: formats[cell.Kind],
		Problem: a.Name, ProblemVersion: a.Version, ProblemParams: json.RawMessage(a.Resolved()),
		Fingerprint: fingerprint, ProblemCode: a.Fingerprint,
		Seeds: SeedScheme, Seed: cell.Seed, Horizon: cell.Horizon, Also: cell.Also,
	}
	if c := cell.Algorithm; c != nil {
		id.Algorithm, id.AlgorithmVersion, id.AlgorithmParams = c.Name, c.Version,
			json.RawMessage(c.Resolved())
		id.AlgorithmCode = c.Fingerprint
	}
	return &pairIdentity{identity: id}
}

// formats are the versions of what cells of a kind hold.
var formats = map[string]int{store.Game: 3, store.Hindsight: 3, store.Moving: 1}

// checkpoints are the rounds at which the cell has rows.
func (c *Cell) checkpoints() []int {
	at := append(game.Checkpoints(c.Horizon), c.Also...)
	slices.Sort(at)
	return at
}

// Comparator names the comparator that a cell of a kind is of: nothing for a game.
func Comparator(kind string) string {
	switch kind {
	case store.Hindsight:
		return "hindsight"
	case store.Moving:
		return "moving comparator"
	}
	return ""
}

// String says which cell it is.
func (c *Cell) String() string {
	who := Comparator(c.Kind)
	switch {
	case c.Algorithm != nil && who != "":
		who += " of " + c.Algorithm.Spec
	case c.Algorithm != nil:
		who = c.Algorithm.Spec
	}
	return fmt.Sprintf("%s on %s, horizon %d, replicate %d", who, c.Problem.Spec, c.Horizon,
		c.Replicate)
}
