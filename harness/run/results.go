package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/stats"
)

// Results are read from a record and the cells that it names. Comparators come before the
// games that they serve, so that one pass over the record joins each game with its
// comparators. Metrics and curves are made from these when they are asked for.

// Results holds the record and the games of one experiment.
type Results struct {
	experiment.Record
	Games []*game.Game
	// ViewBaseline is the SPEC of the algorithm that views compare the others with, or "" for the
	// recorded one.
	ViewBaseline string
	Missing      int // cells that the store does not have, or has damaged
	// Computed lists the programs that computed the cells, in the order of their first cell in the
	// plan.
	Computed []Computed
	// Damaged lists the damaged files of missing cells.
	Damaged []*store.DamagedError
	// Failed lists the missing cells that were tried and failed, in the order of the plan. The
	// other missing cells are not computed yet, or damaged.
	Failed []FailedCell

	contents  map[store.Key]string // the digest of each cell, or the reason of its failure
	games     map[gameID]*game.Game
	planned   map[gameID]int        // replicates of a pair at a horizon, under replicate 0
	hindsight map[gameID]game.Table // the ID has an algorithm only if the stream is adaptive
	moving    map[gameID]game.Table // likewise
}

// Computed says how many cells a program has computed.
type Computed struct {
	store.Provenance
	Cells int `json:"cells"`
}

// countProgram returns computed with one more cell of a program.
func countProgram(computed []Computed, by store.Provenance) []Computed {
	k := slices.IndexFunc(computed, func(c Computed) bool { return c.Provenance == by })
	if k < 0 {
		return append(computed, Computed{by, 1})
	}
	computed[k].Cells++
	return computed
}

// gameID tells the games of an experiment apart.
type gameID struct {
	algorithm, problem string // SPECs
	replicate, horizon int
}

// FailedCell describes a cell that could not be computed.
type FailedCell struct {
	experiment.RecordCell
	Reason string // algorithm, problem, horizon, replicate, and what happened
}

// Failures returns how many cells of an algorithm on a problem failed, games and
// comparators of its own, over all replicates and horizons, and the reason of the
// first: 0 and nil where none did. With "" for the algorithm it returns the same of
// the comparators that serve all algorithms.
func (r *Results) Failures(algorithm, problem string) (n int, first error) {
	for _, c := range r.Failed {
		if c.Algorithm == algorithm && c.Problem == problem {
			if n++; n == 1 {
				first = errors.New(c.Reason)
			}
		}
	}
	return n, first
}

// DamagedCells joins the errors of Damaged.
func (r *Results) DamagedCells() error {
	var all []error
	for _, d := range r.Damaged {
		all = append(all, d)
	}
	return errors.Join(all...)
}

// LoadRecord reads the record of one experiment.
func LoadRecord(s *store.Store, name string) (r experiment.Record, err error) {
	rec, err := s.Experiment(name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		if names, _ := s.Names(); len(names) > 0 {
			return r, fmt.Errorf("%s: %w", s.Dir(), spec.Unknown("experiment", name, names, spec.Pos{}))
		}
		return r, fmt.Errorf("no experiment %q in %s; run it first: bench run %s, or its file", name,
			s.Dir(), name)
	case err != nil:
		return r, err
	}
	if err := json.Unmarshal(rec.Data, &r); err != nil {
		return r, fmt.Errorf("experiment %s in %s: %w; run it again", rec.Name, s.Dir(), err)
	}
	if len(r.Horizon) == 0 {
		return r, fmt.Errorf("experiment %s in %s: its record has no horizon; run it again", rec.Name,
			s.Dir())
	}
	return r, nil
}

// LoadExperiment reads the results of one experiment.
func LoadExperiment(s *store.Store, name string) (*Results, error) {
	rec, err := LoadRecord(s, name)
	if err != nil {
		return nil, err
	}
	return loadResults(s, rec)
}

// LoadRecorded reads the results of a plan that [Run] has recorded.
func LoadRecorded(s *store.Store, p *experiment.Plan) (*Results, error) {
	return LoadExperiment(s, recordName(p))
}

// LoadPlan reads the results of a plan, recorded or not.
func LoadPlan(s *store.Store, p *experiment.Plan) (*Results, error) {
	return loadResults(s, p.Record())
}

// Content returns a digest of the record, of the baseline of the views, and of the content of every
// cell, or of the reason why there is none.
func (r *Results) Content() string {
	h := sha256.New()
	fmt.Fprintln(h, r.Record.Sum(), r.ViewBaseline)
	for _, c := range r.Cells {
		fmt.Fprintln(h, c.Key, r.contents[c.Key])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// loadResults reads the cells of a record and joins games with their comparators.
func loadResults(s *store.Store, rec experiment.Record) (*Results, error) {
	r := &Results{Record: rec, contents: make(map[store.Key]string),
		games: make(map[gameID]*game.Game), planned: make(map[gameID]int),
		hindsight: make(map[gameID]game.Table), moving: make(map[gameID]game.Table)}
	columnNames := make(map[string][]string) // one slice for all cells that have the same columns
	checkpoints := make(map[int][]int)
	for _, horizon := range r.Horizon {
		checkpoints[horizon] = game.Checkpoints(horizon)
	}
	tables := make(map[store.Key]game.Table) // a cell that serves several horizons is read once
	// tableOf returns the numbers of a cell at the checkpoints of its horizon, or no columns if they
	// are missing.
	tableOf := func(rc experiment.RecordCell) (game.Table, error) {
		if t, known := tables[rc.Key]; known {
			return t.At(checkpoints[rc.Horizon]), nil
		}
		c, digest, err := s.Read(rc.Key)
		var damaged *store.DamagedError
		if errors.As(err, &damaged) && !slices.ContainsFunc(r.Damaged,
			func(d *store.DamagedError) bool { // a damaged pack is reported once for all its cells
				return d.Path == damaged.Path && d.Reason == damaged.Reason
			}) {
			r.Damaged = append(r.Damaged, damaged)
		}
		switch {
		case err == nil:
			r.contents[rc.Key] = digest
			r.Computed = countProgram(r.Computed, c.Provenance)
			joined := strings.Join(c.Columns, "\t")
			if columnNames[joined] == nil {
				columnNames[joined] = c.Columns
			}
			t := game.LazyTable(columnNames[joined], c.Numbers)
			if len(r.Horizon) > 1 {
				tables[rc.Key] = t
			}
			return t.At(checkpoints[rc.Horizon]), nil
		case damaged == nil && !errors.Is(err, store.ErrNotFound):
			return game.Table{}, err
		default:
			if f, err := s.Failure(rc.Key); err == nil {
				r.contents[rc.Key] = strconv.Quote(f.Reason)
				r.Failed = append(r.Failed, FailedCell{rc, f.Reason})
			}
		}
		r.Missing++
		tables[rc.Key] = game.Table{}
		return game.Table{}, nil
	}
	for _, c := range r.Cells {
		t, err := tableOf(c)
		if err != nil {
			return nil, err
		}
		id := gameID{c.Algorithm, c.Problem, c.Replicate, c.Horizon}
		switch c.Kind {
		case store.Hindsight:
			r.hindsight[id] = t
			continue
		case store.Moving:
			r.moving[id] = t
			continue
		}
		r.planned[gameID{c.Algorithm, c.Problem, 0, c.Horizon}]++
		if t.Columns() == nil {
			continue
		}
		g := &game.Game{Algorithm: c.Algorithm, Problem: c.Problem, Resolved: c.Resolved,
			Replicate: c.Replicate, Horizon: c.Horizon, Trace: t,
			Hindsight: comparatorOf(r.hindsight, id), Moving: comparatorOf(r.moving, id)}
		r.Games, r.games[id] = append(r.Games, g), g
	}
	return r, nil
}

// comparatorOf returns the comparator of a game, its own or that of its stream: they are planned
// before the games that they serve.
func comparatorOf(comparators map[gameID]game.Table, id gameID) game.Table {
	if t, ok := comparators[id]; ok {
		return t
	}
	id.algorithm = ""
	return comparators[id]
}

// Last returns the last horizon.
func (r *Results) Last() int { return r.Horizon[len(r.Horizon)-1] }

// PlannedReplicates returns how many replicates of a pair were to be played.
func (r *Results) PlannedReplicates(algorithm, problem string) int {
	return r.planned[gameID{algorithm, problem, 0, r.Last()}]
}

// Game returns a game, or nil where it is missing.
func (r *Results) Game(algorithm, problem string, replicate, horizon int) *game.Game {
	return r.games[gameID{algorithm, problem, replicate, horizon}]
}

// BestAction returns the best fixed action of a comparator set on a problem, at the
// end of the last horizon of the first replicate: NaN where the set is empty,
// nil where it is not known or depends on the actions of the learner.
func (r *Results) BestAction(problem, set string) (action []float64) {
	h := r.hindsight[gameID{"", problem, 1, r.Last()}]
	for i := 1; ; i++ {
		x := h.Column(game.ActionColumn(set, i))
		if x == nil {
			return action
		}
		action = append(action, x[len(x)-1])
	}
}

// Curve returns a metric of one algorithm on one problem along the last horizon, a row a replicate,
// as they count in estimates; see [game.Game.ZeroRoundingErrors]. Replicates that lack the metric
// are left out.
func (r *Results) Curve(algorithm, problem string, metric algorithms.Metric) stats.Curve {
	c, _, _ := r.CurveAndReplicates(algorithm, problem, metric)
	return c
}

// CurveAndReplicates returns [Results.Curve] and the replicate of each of its rows, counted from
// 1. Rounding reports that all rows are 0 once rounding errors count as 0, and that there were
// some.
func (r *Results) CurveAndReplicates(algorithm, problem string,
	metric algorithms.Metric) (c stats.Curve, replicates []int, rounding bool) {
	curves, replicates, rounding := r.curvesByDesign(stats.AlongT, problem, metric,
		experiment.Entry{Spec: algorithm})
	return curves[0], replicates, rounding
}

// AcrossHorizons returns the final values of a metric across the horizons, a row a replicate.
// Replicates that lack one of them are left out.
func (r *Results) AcrossHorizons(problem string, metric algorithms.Metric,
	a experiment.Entry) stats.Curve {
	curves, _, _ := r.curvesByDesign(stats.AcrossT, problem, metric, a)
	return curves[0]
}

// GrowthCurves returns the curves whose growth is fitted, one for each algorithm, and the
// replicates of their rows. By the rule of [fitsAcross] the curves have the final values across the
// horizons, or else the values along the games of the last horizon. Row r of every curve is the
// same replicate; replicates that one of the algorithms lacks are left out. If the games of another
// algorithm are random, the one game of a deterministic algorithm counts in every replicate.
func (r *Results) GrowthCurves(problem string, metric algorithms.Metric,
	entries ...experiment.Entry) (curves []stats.Curve, replicates []int, design stats.Design) {
	design = stats.AlongT
	if fitsAcross(r.Horizon, r.problemEntry(problem), entries...) {
		design = stats.AcrossT
	}
	curves, replicates, _ = r.curvesByDesign(design, problem, metric, entries...)
	return curves, replicates, design
}

// fitsAcross reports whether the growth of algorithms on a problem is fitted across horizons: there
// are at least three, and the games of a longer one do not continue those of a shorter one.
func fitsAcross(horizons []int, problem experiment.Entry, entries ...experiment.Entry) bool {
	usesHorizon := slices.ContainsFunc(entries, func(a experiment.Entry) bool { return !a.Anytime })
	return len(horizons) >= 3 && (problem.Indexed || usesHorizon)
}

// problemEntry returns the problem with a SPEC.
func (r *Results) problemEntry(spec string) (p experiment.Entry) {
	k := slices.IndexFunc(r.Problems, func(p experiment.Entry) bool { return p.Spec == spec })
	if k >= 0 {
		p = r.Problems[k]
	}
	return p
}

// curvesByDesign returns the curves of algorithms in a design, and the replicates of their rows;
// see [Results.GrowthCurves]. Rounding is as in [Results.CurveAndReplicates].
func (r *Results) curvesByDesign(design stats.Design, problem string, metric algorithms.Metric,
	entries ...experiment.Entry) (curves []stats.Curve, replicates []int, rounding bool) {
	curves = make([]stats.Curve, len(entries))
	anyDraws := slices.ContainsFunc(entries, func(a experiment.Entry) bool { return a.Draws })
	oneGame := anyDraws && r.problemEntry(problem).Deterministic // of algorithms that do not draw
	allZero := true
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		var t []float64 // the rounds of the row, the same for all algorithms
		rows := make([][]float64, len(entries))
		complete := true
		for i, a := range entries {
			played := replicate
			if oneGame && !a.Draws {
				played = 1
			}
			var rounded bool
			t, rows[i], rounded = r.rowOf(design, a.Spec, problem, metric, played)
			complete = complete && rows[i] != nil
			rounding = rounding || rounded
			allZero = allZero && game.IsZero(rows[i])
		}
		if !complete {
			continue
		}
		replicates = append(replicates, replicate)
		for i := range curves {
			curves[i].T, curves[i].Y = t, append(curves[i].Y, rows[i])
		}
	}
	return curves, replicates, rounding && allZero
}

// rowOf returns the rounds and the values of a replicate: those of the game to the last horizon or,
// across horizons, the last ones of the games to each. They are nil if a game lacks the metric.
func (r *Results) rowOf(design stats.Design, algorithm, problem string, metric algorithms.Metric,
	replicate int) (t, y []float64, rounding bool) {
	horizons := []int{r.Last()}
	if design == stats.AcrossT {
		horizons = r.Horizon
	}
	for _, horizon := range horizons {
		g := r.Game(algorithm, problem, replicate, horizon)
		if g == nil {
			return nil, nil, false
		}
		at := g.T()
		v, rounded := g.ZeroRoundingErrors(metric)
		if v == nil {
			return nil, nil, false
		}
		if design == stats.AcrossT {
			at, v = at[len(at)-1:], v[len(v)-1:]
		}
		t, y, rounding = append(t, at...), append(y, v...), rounding || rounded
	}
	return t, y, rounding
}

// JudgedMetrics returns the metrics that an algorithm is judged by on a problem: those that it
// makes claims about, or their stand-ins where they are not measured, and regret against X^min
// and the soft violation where it claims nothing. With two-point feedback and no claim for it,
// the algorithm is judged by the metrics of its claims with first-order feedback, if that is
// played beside it.
func (r *Results) JudgedMetrics(a experiment.Entry, problem string) (regret,
	violation algorithms.Metric) {
	regret, violation = algorithms.RegretXMin, algorithms.SoftViolation
	if k := slices.IndexFunc(r.Algorithms, a.IsTwoPointOf); k >= 0 && len(a.Claims) == 0 {
		a.Claims = r.Algorithms[k].Claims
	}
	if claim, ok := algorithms.Claimed(a.Claims, algorithms.Regrets); ok {
		regret = r.measuredOrStandIn(claim.Metric, a, problem)
	}
	if claim, ok := algorithms.Claimed(a.Claims, algorithms.Violations); ok {
		violation = r.measuredOrStandIn(claim.Metric, a, problem)
	}
	return regret, violation
}

// measuredOrStandIn returns the metric, or its stand-in where games do not have it.
func (r *Results) measuredOrStandIn(name algorithms.Metric, a experiment.Entry,
	problem string) algorithms.Metric {
	if m, _ := game.MetricNamed(name); m.StandIn != "" {
		if r.Curve(a.Spec, problem, name).Y == nil {
			return m.StandIn
		}
	}
	return name
}

// Only returns the part of results that has these algorithms and problems, by their SPECs.
func (r *Results) Only(algorithms, problems map[string]bool) *Results {
	part := *r
	part.Algorithms = entriesOf(r.Algorithms, algorithms)
	part.Problems = entriesOf(r.Problems, problems)
	part.Games = nil
	for _, g := range r.Games {
		if algorithms[g.Algorithm] && problems[g.Problem] {
			part.Games = append(part.Games, g)
		}
	}
	return &part
}

// AtHorizons returns the part of results that has these of the horizons.
func (r *Results) AtHorizons(chosen []int) *Results {
	part := *r
	part.Horizon, part.Games = nil, nil
	for _, t := range r.Horizon {
		if slices.Contains(chosen, t) {
			part.Horizon = append(part.Horizon, t)
		}
	}
	for _, g := range r.Games {
		if slices.Contains(chosen, g.Horizon) {
			part.Games = append(part.Games, g)
		}
	}
	return &part
}

// Specs returns the SPECs of the algorithms and of the problems.
func (r *Results) Specs() (algorithms, problems []string) {
	for _, a := range r.Algorithms {
		algorithms = append(algorithms, a.Spec)
	}
	for _, p := range r.Problems {
		problems = append(problems, p.Spec)
	}
	return algorithms, problems
}

// Setups returns what a learner was told before the games on a recorded problem, but
// for the horizon and its seed. A replicate without a game is left out: its stream may
// not start.
func Setups(c experiment.Catalog, r *Results,
	problem experiment.Entry) (map[GameAt]algorithms.Setup, error) {
	u, err := spec.ParseSpec(problem.Spec)
	if err != nil {
		return nil, err
	}
	resolved, err := c.ResolveProblems(u)
	if err != nil {
		return nil, err
	}
	if len(resolved) != 1 || resolved[0].Resolved() != string(problem.Params) {
		return nil, fmt.Errorf("this program has another problem %s", problem.Spec)
	}
	setups, bound := make(map[GameAt]algorithms.Setup), make(map[int]*experiment.Problem)
	for _, g := range r.Games {
		at := GameAt{Replicate: g.Replicate}
		if resolved[0].IsIndexed() {
			at.Horizon = g.Horizon
		}
		if _, known := setups[at]; known || g.Problem != problem.Spec {
			continue
		}
		if bound[at.Horizon] == nil {
			p, err := resolved[0].Bind(g.Horizon)
			if err != nil {
				return nil, err
			}
			if _, err := p.LoadReloadable(); err != nil {
				return nil, err
			}
			bound[at.Horizon] = &p
		}
		s, err := bound[at.Horizon].Stream(r.Seed, g.Replicate)
		if err != nil {
			return nil, err
		}
		setups[at] = experiment.SetupOf(s)
		game.Close(s)
	}
	return setups, nil
}

// GameAt identifies the games of all algorithms on a problem that have the same setup.
type GameAt struct {
	Replicate int
	Horizon   int // 0 unless the problem is another one at every horizon
}

// entriesOf returns the entries with the chosen SPECs.
func entriesOf(entries []experiment.Entry, chosen map[string]bool) (kept []experiment.Entry) {
	for _, e := range entries {
		if chosen[e.Spec] {
			kept = append(kept, e)
		}
	}
	return kept
}
