package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/store"
	"ocobench/stats"
)

// Metrics are the metrics of an export, in its order. A game has regret_xe
// where its problem knows its constraints on average.
var Metrics = []string{
	colLoss, "regret_xmin", "regret_xhat", "regret_xmax", "regret_xe",
	colSoft, colHard, colPenalty, colSquared, colMax,
}

// Results are the results of one recorded experiment.
type Results struct {
	Record
	Games   []*Game
	Missing int // cells that the store does not have, or has damaged
}

// Game is one game with what hindsight knows of it.
type Game struct {
	Algorithm, Problem string // SPECs
	Replicate, Horizon int
	T                  []float64 // checkpoints
	trace, hindsight   table
}

// table is a stored cell by columns.
type table struct {
	columns []string
	rows    [][]float64
}

func (t table) column(name string) []float64 {
	k := slices.Index(t.columns, name)
	if k < 0 {
		return nil
	}
	out := make([]float64, len(t.rows))
	for i, row := range t.rows {
		out[i] = row[k]
	}
	return out
}

// Metric returns a metric of the game at its checkpoints: a column of its
// trace, a column of its hindsight, or regret against a comparator set, the
// one minus the other. Regret against an empty set is NaN. An unknown metric,
// and one whose cell is missing, is nil.
func (g *Game) Metric(name string) []float64 {
	if set, ok := strings.CutPrefix(name, "regret_"); ok {
		loss, best := g.trace.column(colLoss), g.hindsight.column(set+"_value")
		if loss == nil || len(best) != len(loss) {
			return nil
		}
		for i, v := range best {
			loss[i] -= v
		}
		return loss
	}
	if c := g.trace.column(name); c != nil {
		return c
	}
	return g.hindsight.column(name)
}

// Load reads the results of every experiment in the store, sorted by name.
func Load(s *store.Store) ([]*Results, error) {
	records, err := s.Experiments()
	if err != nil {
		return nil, err
	}
	var all []*Results
	for _, rec := range records {
		r, err := load(s, rec)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// LoadExperiment reads the results of one experiment.
func LoadExperiment(s *store.Store, name string) (*Results, error) {
	rec, err := s.Experiment(name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("no experiment %q in %s; run it first: bench run %s", name, s.Dir(), name)
	}
	if err != nil {
		return nil, err
	}
	return load(s, rec)
}

func load(s *store.Store, rec store.Record) (*Results, error) {
	r := &Results{}
	if err := json.Unmarshal(rec.Data, &r.Record); err != nil {
		return nil, fmt.Errorf("experiment %s in %s: %w; run it again", rec.Name, s.Dir(), err)
	}
	read := func(key store.Key) (table, error) {
		c, err := s.Get(key)
		var damaged *store.DamagedError
		switch {
		case errors.Is(err, store.ErrNotFound), errors.As(err, &damaged):
			r.Missing++
			return table{}, nil
		case err != nil:
			return table{}, err
		}
		return table{c.Columns, c.Rows}, nil
	}
	// The hindsight of a stream is planned before the games that it serves.
	type streamOf struct {
		problem, algorithm string
		replicate, horizon int
	}
	hindsight := make(map[streamOf]table)
	for _, c := range r.Cells {
		t, err := read(c.Key)
		if err != nil {
			return nil, err
		}
		if c.Kind == store.Hindsight {
			hindsight[streamOf{c.Problem, c.Algorithm, c.Replicate, c.Horizon}] = t
			continue
		}
		h, ok := hindsight[streamOf{c.Problem, c.Algorithm, c.Replicate, c.Horizon}]
		if !ok {
			h = hindsight[streamOf{c.Problem, "", c.Replicate, c.Horizon}]
		}
		if t.rows == nil {
			continue
		}
		r.Games = append(r.Games, &Game{c.Algorithm, c.Problem, c.Replicate, c.Horizon, t.column(colT), t, h})
	}
	return r, nil
}

// Curve returns a metric of one algorithm on one problem at one horizon, a
// row a replicate, at common checkpoints.
func (r *Results) Curve(algorithm, problem string, horizon int, metric string) (t []float64, y [][]float64) {
	for _, g := range r.Games {
		if g.Algorithm == algorithm && g.Problem == problem && g.Horizon == horizon {
			if v := g.Metric(metric); v != nil {
				t, y = g.T, append(y, v)
			}
		}
	}
	return t, y
}

// Negligible is what a metric may gain in a round by rounding errors, which
// minimisations are certified to: no more than that counts as 0.
const Negligible = 1e-9

// Growth returns the curve whose growth is fitted: of an algorithm that needs
// the horizon, the final values across a sweep of at least three horizons, and
// else the last horizon along t. It has no replicates where games are missing.
func (r *Results) Growth(algorithm Entrant, problem, metric string) (stats.Curve, stats.Design) {
	last := r.Horizon[len(r.Horizon)-1]
	if len(r.Horizon) < 3 || algorithm.Anytime {
		t, y := r.Curve(algorithm.Spec, problem, last, metric)
		return stats.Curve{T: t, Y: y}, stats.AlongT
	}
	c := stats.Curve{Y: make([][]float64, r.Replicates)}
	for _, horizon := range r.Horizon {
		_, y := r.Curve(algorithm.Spec, problem, horizon, metric)
		if len(y) != r.Replicates {
			return stats.Curve{}, stats.AcrossT
		}
		c.T = append(c.T, float64(horizon))
		for i, v := range y {
			c.Y[i] = append(c.Y[i], v[len(v)-1])
		}
	}
	return c, stats.AcrossT
}

// Regret is the metric by which the regret of an algorithm is measured on a
// problem: the one that it makes a claim of, or else that against X^min. X^max
// stands in for an X^E that is not known, to which it tends.
func (r *Results) Regret(a Entrant, problem string) algorithms.Metric {
	claim, ok := algorithms.Claimed(a.Claims, algorithms.Regrets)
	if !ok {
		return algorithms.RegretXMin
	}
	if claim.Metric == algorithms.RegretXE {
		if _, known := r.Curve(a.Spec, problem, r.Horizon[len(r.Horizon)-1], "regret_xe"); known == nil {
			return algorithms.RegretXMax
		}
	}
	return claim.Metric
}
