package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
)

// An experiment is planned in this order. Its uses are resolved to algorithms and problems.
// On each problem the learners are started once, to see whether the problem meets their
// assumptions ([cellBuilder.startAll]). The cells are laid out by horizon and replicate
// ([cellBuilder.addHorizon]); a cell that serves several horizons is made once. Last, the openings
// are played ([Plan.playOpenings]), whose digests complete the keys of the cells.

// Plan holds an experiment resolved into cells.
type Plan struct {
	Experiment *spec.Experiment
	Algorithms []Algorithm
	Problems   []Problem
	Cells      []*Cell
	// Entries lists the cells of every horizon: one for each game and each comparator of the
	// experiment. Several horizons may share a cell.
	Entries []CellAt
	// Unmet lists the pairs whose problem does not meet an assumption of the algorithm. They are
	// not played, unless the experiment ignores assumptions.
	Unmet []Unmet
	// Tuned holds the grid that each algorithm was chosen from, as it was written, by SPEC.
	Tuned map[string]spec.Use
	// RecordAs is the name under which the experiment is recorded, "" for its own.
	RecordAs string

	baseline string // the SPEC of the algorithm that the experiment names as its baseline
	// playing holds the algorithms that started on some problem; startErrors, the starts that failed.
	playing     map[*Algorithm]bool
	startErrors []startError
	// shownStates lists the metrics that the learners show of themselves; states, the recorded ones.
	states, shownStates []algorithms.Metric
	catalog             Catalog
}

// Unmet names a pair, and the assumptions of the algorithm that the problem does not meet.
type Unmet struct {
	Algorithm   string   `json:"algorithm"` // SPECs
	Problem     string   `json:"problem"`
	Assumptions []string `json:"assumptions"`
}

// Others returns the SPECs of the algorithms that the word others stands for.
func (p *Plan) Others() (specs []string) {
	for _, a := range p.Algorithms {
		if slices.ContainsFunc(p.Experiment.Algorithms, func(u spec.Use) bool {
			return u.Name == spec.Others && u.Pos == a.Use.Pos
		}) {
			specs = append(specs, a.Spec)
		}
	}
	return specs
}

// String names the algorithm, what it assumes, and the problem that lacks it.
func (u Unmet) String() string {
	return fmt.Sprintf("%s assumes %s, which %s does not %s", u.Algorithm,
		strings.Join(u.Assumptions, " and "), u.Problem, u.Lack())
}

// Lack returns the end of the sentence "… which the problem does not …": "have", or, where declared
// facts decide, "declare" with the names of the facts.
func (u Unmet) Lack() string {
	facts, place := algorithms.FactsOf(u.Assumptions), ""
	if name, _, _ := strings.Cut(u.Problem, ":"); name == traceName {
		place = ` in "facts" of its first line`
		// Whether constraints are fixed and functions affine is read off the rounds of a file: to declare
		// it would not help.
		if slices.Contains(facts, "fixed") || slices.Contains(facts, "affine") {
			facts = nil
		}
	}
	if facts == nil {
		return "have"
	}
	return fmt.Sprintf("declare (by %s%s)", strings.Join(facts, " and "), place)
}

// MostUndeclared returns the constant that keeps most pairs from being played because a problem of
// another program does not declare it, with the problem and the number of these pairs, which is 0
// if there are none. Only constants count, since every problem with bounded rounds has them and
// could declare them; a condition may just be false.
func (p *Plan) MostUndeclared() (problem, fact string, pairs int) {
	type missing struct{ problem, fact string }
	count := make(map[missing]int) // of pairs
	for _, u := range p.Unplayed() {
		k := slices.IndexFunc(p.Problems, func(problem Problem) bool { return problem.Spec == u.Problem })
		if k < 0 || !p.Problems[k].isExternal() {
			continue
		}
		for _, what := range u.Assumptions {
			for _, name := range algorithms.ConstantsOf(what) {
				m := missing{p.Problems[k].Name, name}
				if count[m]++; count[m] > pairs {
					problem, fact, pairs = m.problem, m.fact, count[m]
				}
			}
		}
	}
	return problem, fact, pairs
}

// maxCells limits the number of cells of a plan. A larger one comes from a mistyped number.
const maxCells = 2_000_000

// Starter starts learners and plays the first rounds of games for a plan, in a way that survives
// panics and hangs.
type Starter interface {
	// Start calls [Cell.Start]. If both a result and an error are returned, the stream started and the
	// learner refused. A [game.CrashError] without a result is a panic, or a start that took too long.
	Start(ctx context.Context, c *Cell, anyway bool) (*Started, error)
	// Opening calls [Cell.DigestOpening]. It is an error if that crashes, or takes too long.
	Opening(ctx context.Context, c *Cell) (digest, lack string, err error)
}

// Plan resolves an experiment. The faults of the experiment are reported with their places before
// anything runs: unknown names and parameters, and streams and learners that refuse to start. One
// that panics, or does not start in time, is no fault of the experiment: its cells fail.
func (c Catalog) Plan(ctx context.Context, s Starter, e *spec.Experiment) (*Plan, error) {
	p := &Plan{Experiment: e, catalog: c, playing: make(map[*Algorithm]bool)}
	var err error
	p.Algorithms, p.Problems, err = c.Resolve(e)
	errs := []error{err, p.addTuned()}
	if e.Baseline != "" && err == nil {
		if p.baseline, err = c.NamedAlgorithm(e.Baseline, p.Record()); err != nil {
			errs = append(errs, fmt.Errorf("experiment %s: baseline: %v", e.Name, err)) // no fault of a SPEC
		}
	}
	if err := spec.Join(errs...); err != nil {
		return nil, err
	}
	errs = append(checkListed("algorithm", p.Algorithms, c.AlgorithmSpec),
		checkListed("problem", p.Problems, c.ProblemSpec)...)
	// At each horizon a replicate of a problem has a game of every algorithm, and a hindsight.
	if n := float64(len(e.Horizon)) * float64(e.Replicates) * float64(len(p.Problems)) *
		float64(len(p.Algorithms)+1); n > maxCells {
		return nil, fmt.Errorf("experiment %s has about %.0f cells; at most %d fit into one: lower "+
			"replicates, or split it", e.Name, n, maxCells)
	}
	for i := range p.Problems {
		errs = append(errs, p.addCells(ctx, s, &p.Problems[i])...)
	}
	errs = append(errs, p.reportStartErrors()...)
	errs = append(errs, p.checkStates())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := spec.Join(errs...); err != nil {
		return nil, err
	}
	if err := p.playOpenings(ctx, s); err != nil {
		return nil, err
	}
	if len(p.Unmet) == len(p.Algorithms)*len(p.Problems) && e.Assumptions != "ignore" {
		return nil, fmt.Errorf("nothing to play in experiment %s: %s; to play all the same, say "+
			"assumptions: ignore", e.Name, p.Unmet[0])
	}
	return p, nil
}

// checkListed returns an error for each entry of a kind that the experiment lists twice, or whose
// label another one has as its label or, without a label, as its name.
func checkListed[C interface{ configuration() Configuration }](kind string, entries []C,
	canonical func(string) string) (errs []error) {
	specs, labels := make(map[string]bool), make(map[string]bool)
	for _, entry := range entries {
		c := entry.configuration()
		refuse := func(format string, args ...any) {
			errs = append(errs, c.Use.Pos.Refuse(fmt.Errorf(format, args...)))
		}
		if specs[canonical(c.Spec)] {
			refuse("%s %s is listed twice", kind, c.Spec)
		}
		label := c.Use.Label
		if labels[label] {
			refuse("label %q is that of another %s too", label, kind)
		}
		if label != "" && slices.ContainsFunc(entries, func(other C) bool {
			u := other.configuration().Use
			return u.Label == "" && u.Name == label
		}) {
			refuse("label %q is the name of another entry, which has no label; give %s another one", label,
				c.Use.Name)
		}
		specs[canonical(c.Spec)], labels[label] = true, label != ""
	}
	return errs
}

// checkStates returns an error if the experiment asks for a metric that no learner shows of itself.
// It is silent if a learner did not start, since that one may show it.
func (p *Plan) checkStates() error {
	for _, name := range p.Experiment.Metrics {
		shown := slices.ContainsFunc(p.shownStates, func(m algorithms.Metric) bool {
			return game.StateMatches(name, m)
		})
		if !spec.IsState(name) || shown || len(p.startErrors) > 0 {
			continue
		}
		var all []string
		for _, m := range p.shownStates {
			all = append(all, string(m))
		}
		shownText := "they show nothing of themselves"
		if all != nil {
			shownText = "they show " + strings.Join(all, ", ")
		}
		return fmt.Errorf("experiment %s: metrics: no algorithm that is played shows %s; %s",
			p.Experiment.Name, name, shownText)
	}
	return nil
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
func (p *Plan) addTuned() error {
	e, c := p.Experiment, p.catalog
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

// reportStartErrors decides what becomes of learners that did not start. A failed start becomes an
// entry of [Plan.Unmet] in two cases: the learner said what it lacks and some cell is played; or it
// is a learner of another program that starts on another problem. All others are faults of the
// experiment, and are returned.
func (p *Plan) reportStartErrors() (errs []error) {
	for _, failed := range p.startErrors {
		algorithm, lack := failed.algorithm, failed.started.Lack
		switch {
		case lack != "" && len(p.Cells) > 0: // the learner said what it lacks
		case p.playing[algorithm] && algorithm.isExternal():
			reason := strings.TrimPrefix(failed.err.Error(), "algorithm "+algorithm.Spec+": ")
			lack = fmt.Sprintf("a problem on which it starts (%s)", reason)
		default:
			errs = append(errs, algorithm.Use.Pos.Refuse(
				fmt.Errorf("%w (on problem %s)", failed.err, failed.problem.Spec)))
			continue
		}
		p.addUnmet(Unmet{algorithm.Spec, failed.problem.Spec, append(failed.started.Unmet, lack)})
	}
	return errs
}

// addUnmet adds a pair to [Plan.Unmet], once for all horizons.
func (p *Plan) addUnmet(u Unmet) {
	if !slices.ContainsFunc(p.Unmet, func(known Unmet) bool {
		return known.Algorithm == u.Algorithm && known.Problem == u.Problem
	}) {
		p.Unmet = append(p.Unmet, u)
	}
}
