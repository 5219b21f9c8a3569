package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/problems"
)

// Cell describes one unit of work, of one of three kinds: a game; a hindsight, which solves for the
// best fixed actions; or a moving comparator, which solves for the best action of each round. The
// two comparators serve all games on their stream and have no algorithm, unless the stream is
// adaptive: then each game has its own.
//
// The game of an anytime learner at horizon T is the beginning of its game at 2T. In a sweep across
// horizons, only the longest such game is a cell, which serves all horizons. So does a moving
// comparator, and a hindsight at the horizons that are checkpoints of the longest.
type Cell struct {
	Kind      string
	Algorithm *Algorithm
	Problem   *Problem
	Seed      uint64
	Replicate int
	Horizon   int
	// Also lists the horizons that a game, or a moving comparator, serves and that are not among its
	// own checkpoints: it has rows there, too.
	Also []int
	// Requested lists the metrics on request that the trace of a game must have. They are not part of
	// its key: a stored game that lacks one is played again.
	Requested []algorithms.Metric

	// Key is the hash of [Cell.Identity]. [Plan.playOpenings] sets it, once the opening is played.
	Key store.Key

	pair *pairIdentity // shared with the other replicates
	// Fingerprint is the digest of the data of the problem.
	Fingerprint string
	// Broken says why the cell cannot be computed; nil if it can.
	Broken error
}

// CellAt pairs a cell with one of the horizons that it serves.
type CellAt struct {
	*Cell
	At int // the horizon
}

// pairIdentity holds what the cells of an algorithm on a problem have in common at one horizon.
type pairIdentity struct {
	identity  identity
	requested []algorithms.Metric
	opening   *opening // which several pairs may share
	prefix    []byte   // the JSON of the identity, up to the replicate; nil until it is needed
}

// identity holds all that determines the numbers of a cell but the replicate, and that its key is
// hashed from.
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

// Identity returns JSON on one line that determines the numbers of the cell; the key is its hash.
func (c *Cell) Identity() []byte {
	pair := c.pair
	if pair.prefix == nil {
		pair.identity.Opening = pair.opening.digest
		data, err := json.Marshal(pair.identity)
		if err != nil {
			panic(fmt.Sprintf("experiment: the identity of a cell cannot be written: %v", err))
		}
		pair.prefix = data[:len(data)-1]
	}
	return fmt.Appendf(slices.Clip(pair.prefix), `,"replicate":%d}`, c.Replicate)
}

// newPairIdentity returns the identity of the cells of a pair without their opening, which
// [Plan.playOpenings] adds.
func newPairIdentity(cell *Cell) *pairIdentity {
	problem := cell.Problem
	id := identity{
		Kind: cell.Kind, Format: formats[cell.Kind],
		Problem: problem.Name, ProblemVersion: problem.Version,
		ProblemParams: json.RawMessage(problem.Resolved()),
		Fingerprint:   cell.Fingerprint, ProblemCode: problem.Fingerprint,
		Seeds: SeedScheme, Seed: cell.Seed, Horizon: cell.Horizon, Also: cell.Also,
	}
	if algorithm := cell.Algorithm; algorithm != nil {
		id.Algorithm, id.AlgorithmVersion = algorithm.Name, algorithm.Version
		id.AlgorithmParams = json.RawMessage(algorithm.Resolved())
		id.AlgorithmCode = algorithm.Fingerprint
	}
	return &pairIdentity{identity: id}
}

// formats holds the version of the stored columns by kind of cell. Raising a version gives all
// cells of the kind new keys.
var formats = map[string]int{store.Game: 3, store.Hindsight: 4, store.Moving: 2}

// rowRounds returns the rounds at which the cell has rows.
func (c *Cell) rowRounds() []int {
	at := append(game.Checkpoints(c.Horizon), c.Also...)
	slices.Sort(at)
	return at
}

// Comparator returns the name of the comparator that cells of a kind hold, or "" for games.
func Comparator(kind string) string {
	switch kind {
	case store.Hindsight:
		return "hindsight"
	case store.Moving:
		return "moving comparator"
	}
	return ""
}

// String names what is played, the problem, the horizon and the replicate.
func (c *Cell) String() string {
	played := Comparator(c.Kind)
	switch {
	case c.Algorithm != nil && played != "":
		played += " of " + c.Algorithm.Spec
	case c.Algorithm != nil:
		played = c.Algorithm.Spec
	}
	return fmt.Sprintf("%s on %s, horizon %d, replicate %d", played, c.Problem.Spec, c.Horizon,
		c.Replicate)
}

// Started holds what a plan needs to know of a stream and a learner that were started.
type Started struct {
	Adaptive      bool     `json:"adaptive,omitempty"`
	Deterministic bool     `json:"deterministic,omitempty"`
	Opaque        bool     `json:"opaque,omitempty"`
	Rounds        int      `json:"rounds,omitempty"` // that the stream has; 0 for any number
	Unmet         []string `json:"unmet,omitempty"`  // assumptions of the algorithm
	// Variables are the values of what expressions may name, at the horizon of the start.
	Variables map[string]float64 `json:"variables"`
	// Lack is what the learner assumes of the problem and, as it started, found missing; "" if
	// nothing.
	Lack string `json:"lack,omitempty"`
	// States are the metrics that the learner shows of itself.
	States []algorithms.Metric `json:"states,omitempty"`
	// Declares is the comparator set over which the problem declares a best action, or "".
	Declares string `json:"declares,omitempty"`
}

// Begin starts the stream of a replicate and the learner, which is nil for a cell without an
// algorithm.
func (c *Cell) Begin(replicate int) (s problems.Stream, l algorithms.Learner, err error) {
	if s, err = c.Problem.Stream(c.Seed, replicate); err != nil {
		return s, nil, err
	}
	if err := game.AffordComparators(s, c.Kind == store.Hindsight,
		c.Kind == store.Moving); err != nil {
		game.Close(s)
		return nil, nil, err
	}
	if c.Algorithm == nil {
		return s, nil, nil
	}
	if l, err = c.Algorithm.Learner(s, c.Seed, replicate, c.Horizon); err != nil {
		game.Close(s)
	}
	return s, l, err
}

// Columns returns the columns that the stored numbers of the cell must have, or nil if none is
// optional.
func (c *Cell) Columns() []string {
	switch c.Kind {
	case store.Game:
		return game.TraceColumns(c.Requested...)
	case store.Moving:
		return game.MovingColumns()
	}
	return nil // a hindsight with other columns has another opening, and so another key
}

// Lacks reports whether a stored cell with these columns lacks one that the plan needs.
func (c *Cell) Lacks(columns []string) bool {
	return slices.ContainsFunc(c.Columns(), func(name string) bool {
		return !slices.Contains(columns, name)
	})
}

// WithColumns returns a copy of the cell that also records the metrics on request among the given
// columns, so that a stored cell that is played again keeps the metrics that it had.
func (c *Cell) WithColumns(columns []string) *Cell {
	extended := *c
	extended.Requested = slices.Clone(c.Requested)
	for _, name := range columns {
		m, known := game.MetricNamed(algorithms.Metric(name))
		if known && m.OnRequest && !slices.Contains(extended.Requested, m.Name) {
			extended.Requested = append(extended.Requested, m.Name)
		}
	}
	return &extended
}

// Play plays the cell in this goroutine and returns its numbers: one row for each checkpoint.
func (c *Cell) Play(ctx context.Context) (columns []string, rows [][]float64, err error) {
	stream, learner, err := c.Begin(c.Replicate)
	if err != nil {
		return nil, nil, err
	}
	o := c.newRecorder(stream, learner, c.rowRounds())
	err = game.Play(ctx, learner, stream, c.Horizon, o)
	columns, rows = o.Kept()
	return columns, rows, err
}

// newRecorder returns the recorder of the cell, with rows at these checkpoints.
func (c *Cell) newRecorder(s problems.Stream, l algorithms.Learner, at []int) game.Recorder {
	switch c.Kind {
	case store.Hindsight:
		return game.NewHindsightRecorder(s, at)
	case store.Moving:
		return game.NewMovingRecorder(s, at)
	}
	return game.NewTrace(l, s, at, c.Requested...)
}

// Start starts the stream, and its learner if the stream meets the assumptions or anyway is set. If
// both a result and an error are returned, the stream started and the learner refused.
func (c *Cell) Start(anyway bool) (*Started, error) {
	stream, err := c.Problem.Stream(c.Seed, c.Replicate)
	if err != nil {
		return nil, err
	}
	defer game.Close(stream)
	// Every experiment has hindsights, so that the stream must be small enough for one.
	const hindsight, moving = true, false
	if err := game.AffordComparators(stream, hindsight, moving); err != nil {
		return nil, fmt.Errorf("problem %s: %w", c.Problem.Spec, err)
	}
	facts, setup := stream.Facts(), SetupOf(stream)
	setup.Horizon = c.Horizon
	s := &Started{
		Adaptive: facts.Adaptive, Deterministic: facts.Deterministic, Opaque: facts.Opaque,
		Rounds: facts.Rounds, Unmet: c.Algorithm.Unmet(facts), Variables: Variables(setup),
		Declares: game.DeclaredSet(stream),
	}
	// An expression that names what has no value is reported by the plan, which binds at all horizons.
	if _, unbound := c.Algorithm.Bind(s.Variables); unbound == nil && (len(s.Unmet) == 0 || anyway) {
		var learner algorithms.Learner
		learner, err = c.Algorithm.Learner(stream, c.Seed, c.Replicate, c.Horizon)
		if err == nil {
			s.States = game.StateMetrics(learner)
			err = c.showFirstRound(learner, stream)
		}
		game.Close(learner)
		s.Lack = lackOf(err)
	}
	return s, err
}

// lackOf returns what a learner that refused says the problem lacks, or "" if it does not say so.
func lackOf(err error) string {
	var lack *algorithms.LackError
	if errors.As(err, &lack) {
		return lack.What
	}
	return ""
}

// showFirstRound shows the first round to a learner that assumes something of it. A learner or a
// stream that panics fails in its games.
func (c *Cell) showFirstRound(l algorithms.Learner, s problems.Stream) (err error) {
	i, ok := l.(algorithms.Inspector)
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	x := make([]float64, s.Set().Dim())
	i.Act(x)
	if err = i.Inspect(*s.Reveal(1, x)); err != nil {
		err = fmt.Errorf("algorithm %s: %w", c.Algorithm.Spec, err)
	}
	return err
}

// Seeded reports whether the seed matters: whether the problem draws a random number at its start
// or in its first 100 rounds, and does not declare that it is deterministic. A problem of another
// program always draws one, the seed that it is sent, so that its declaration decides.
func (c *Cell) Seeded() (bool, error) {
	source := &countingSource{Source: NewSource(c.Seed, c.Problem.Name, c.Replicate, "stream")}
	s, err := c.Problem.startStream(rand.New(source))
	if err != nil {
		return false, err
	}
	defer game.Close(s)
	e, err := game.NewEnvironment(s, min(100, c.Horizon))
	if err != nil {
		return false, err
	}
	x := make([]float64, s.Set().Dim())
	s.Set().Project(x, x)
	for e.Played() < e.Horizon() {
		if _, err := e.Step(x); err != nil {
			return false, &game.CrashError{Reason: err.Error()}
		}
	}
	return source.n > 0 && !s.Facts().Deterministic, nil
}

// countingSource counts the random numbers that are drawn.
type countingSource struct {
	rand.Source
	n int
}

// Uint64 implements [rand.Source].
func (s *countingSource) Uint64() uint64 {
	s.n++
	return s.Source.Uint64()
}
