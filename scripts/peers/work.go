package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// result is what one process measured of itself.
type result struct {
	Seconds float64    `json:"seconds"`
	Rounds  int        `json:"rounds"` // played; fewer than asked for where the time was up
	Memory  float64    `json:"memory"` // largest resident memory in MB, 0 where unknown
	Wall    float64    `json:"wall"`   // seconds of a clock, where measured
	Python  float64    `json:"python"` // the seconds that are of another program
	Columns []string   `json:"columns,omitempty"`
	Rows    [][]number `json:"rows,omitempty"`
}

// A number is written as null in JSON where it is NaN.
type number float64

// MarshalJSON implements [json.Marshaler].
func (x number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// worst returns the largest number in a column.
func (r *result) worst(column string) float64 {
	w := math.NaN()
	for k, name := range r.Columns {
		for _, row := range r.Rows {
			if v := float64(row[k]); name == column && !(v <= w) {
				w = v
			}
		}
	}
	return w
}

// work lists what a process can do, by the first argument.
var work = map[string]func(args []string) (*result, error){
	"game":      playGame,
	"hindsight": hindsight,
	"sweep":     runSweep,
	"external":  externalGames,
}

// budgetVariable is the environment variable that holds the CPU time of a game.
const budgetVariable = "PEERS_BUDGET"

// playGame plays the algorithm on the problem, on rounds drawn with these seed
// words, or those that `bench play` prints if there are none.
func playGame(args []string) (*result, error) {
	if len(args) != 3 && len(args) != 5 {
		return nil, errors.New("usage: peers game ALGORITHM PROBLEM T [SEED1 SEED2]")
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	if len(args) == 5 {
		seed1, err1 := strconv.ParseUint(args[3], 10, 64)
		seed2, err2 := strconv.ParseUint(args[4], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		catalog.Problems = withStart(catalog.Problems,
			func(p problems.Problem, params any, _ *rand.Rand) (problems.Stream, error) {
				return p.New(params, rand.New(rand.NewPCG(seed1, seed2)))
			})
	}
	ctx, counted := context.Background(), (*counter)(nil)
	if d, err := time.ParseDuration(os.Getenv(budgetVariable)); err == nil {
		var cancel func()
		ctx, cancel = context.WithCancel(ctx)
		go func() {
			for cpu() < d.Seconds() {
				time.Sleep(20 * time.Millisecond)
			}
			cancel()
		}()
		catalog.Problems = withStart(catalog.Problems,
			func(p problems.Problem, params any, rng *rand.Rand) (problems.Stream, error) {
				s, err := p.New(params, rng)
				counted = &counter{Stream: s}
				return counted, err
			})
	}
	r, err := compute(ctx, catalog, store.Game, args[0], args[1], args[2])
	if errors.Is(err, context.Canceled) {
		r.Rounds, err = counted.rounds, nil
	}
	return r, err
}

// hindsight solves the best actions of a stream at all checkpoints.
func hindsight(args []string) (*result, error) {
	if len(args) != 2 {
		return nil, errors.New("usage: peers hindsight PROBLEM T")
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	// A plan needs an algorithm; ogd is not played.
	return compute(context.Background(), catalog, store.Hindsight, "ogd", args[0], args[1])
}

// counter is a stream that counts its rounds.
type counter struct {
	problems.Stream
	rounds int
}

// Reveal implements [problems.Stream].
func (c *counter) Reveal(t int, x []float64) *convex.Round {
	c.rounds = t
	return c.Stream.Reveal(t, x)
}

// withStart returns the problems with start in place of their own way to start a stream.
func withStart(all []problems.Problem, start func(p problems.Problem, params any,
	rng *rand.Rand) (problems.Stream, error)) []problems.Problem {
	var out []problems.Problem
	for _, p := range all {
		wrapped := p
		wrapped.New = func(params any, rng *rand.Rand) (problems.Stream, error) {
			return start(p, params, rng)
		}
		out = append(out, wrapped)
	}
	return out
}

// compute computes one cell, as a run does, and measures that alone.
func compute(ctx context.Context, catalog experiment.Catalog, kind, algorithm, problem,
	horizon string) (*result, error) {
	t, err := strconv.Atoi(horizon)
	if err != nil {
		return nil, err
	}
	c, err := cellOf(catalog, kind, algorithm, problem, t)
	if err != nil {
		return nil, err
	}
	start := cpu()
	cell, err := run.Compute(ctx, nil, c)
	r := &result{Seconds: cpu() - start, Rounds: t, Memory: memory()}
	if err != nil {
		return r, err
	}
	r.keep(cell)
	return r, nil
}

// keep stores the columns and rows of a cell in the result.
func (r *result) keep(cell *store.Cell) {
	r.Columns = cell.Columns
	for _, row := range cell.Rows {
		var numbers []number
		for _, v := range row {
			numbers = append(numbers, number(v))
		}
		r.Rows = append(r.Rows, numbers)
	}
}

// cellOf returns the cell of a kind, a game or hindsight, of one algorithm on one problem.
func cellOf(catalog experiment.Catalog, kind, algorithm, problem string,
	horizon int) (*experiment.Cell, error) {
	e := spec.Experiment{Name: "peers", Horizon: []int{horizon}, Replicates: 1, Seed: 1}
	var err error
	if e.Problems, err = parseUses(problem); err != nil {
		return nil, err
	}
	if e.Algorithms, err = parseUses(algorithm); err != nil {
		return nil, err
	}
	plan, err := run.NewPlan(catalog, &e)
	if err != nil {
		return nil, err
	}
	for _, c := range plan.Cells {
		if c.Kind == kind {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no %s of %s on %s", kind, algorithm, problem)
}

// parseUses parses SPECs.
func parseUses(specs ...string) ([]spec.Use, error) {
	var out []spec.Use
	for _, text := range specs {
		u, err := spec.ParseSpec(text)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// runSweep runs an experiment of many cells into a fresh store.
func runSweep(args []string) (*result, error) {
	if len(args) != 2 {
		return nil, errors.New("usage: peers sweep WORKERS REPLICATES")
	}
	workers, err1 := strconv.Atoi(args[0])
	replicates, err2 := strconv.Atoi(args[1])
	e := spec.Experiment{Name: "peers", Horizon: []int{20000}, Replicates: replicates, Seed: 1}
	var err3, err4 error
	e.Problems, err3 = parseUses("decaying-frequency:c=0.75", "iid:dim=10")
	e.Algorithms, err4 = parseUses("primal-dual", "primal-dual-average", "ogd")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	plan, err := run.NewPlan(experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All},
		&e)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	failures, err := run.Run(context.Background(), plan, s, run.Options{Workers: workers})
	if len(failures) > 0 {
		err = failures[0].Err
	}
	return &result{Seconds: time.Since(start).Seconds(), Rounds: len(plan.Cells)}, err
}

// memory returns the largest resident memory of this process so far in MB, or 0 where it is
// unknown. It does not read rusage, whose value begins with that of the parent.
func memory() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kb, _ := strconv.ParseFloat(strings.Fields(after + " 0")[0], 64)
	return kb / 1000
}
