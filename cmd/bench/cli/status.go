package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report/table"
)

// statusCmd holds the flags of bench status, which says how far an experiment is.
type statusCmd struct {
	storeFlags
	Experiment string `arg:"" optional:"" help:"An experiment in the store, or its YAML file; default: a line for each." placeholder:"EXPERIMENT" completes:"@stored"`
	JSON       bool   `name:"json" help:"Print JSON."`
}

// experimentStatus counts the cells of a recorded experiment. Done, Failed and Missing add up to
// Cells.
type experimentStatus struct {
	Experiment string `json:"experiment"`
	Cells      int    `json:"cells"`
	Done       int    `json:"done"`    // in the store, damaged or not
	Failed     int    `json:"failed"`  // tried, and not in the store
	Missing    int    `json:"missing"` // the others, computed by some process now or by none
	// ComputeSeconds estimates the time that failed and missing cells take on one processor. It is 0
	// if there are none, or if no estimate was asked for or can be made.
	ComputeSeconds float64 `json:"compute_seconds,omitempty"`
	// Failures are the reasons of the failed cells, in the order of the experiment.
	Failures []string `json:"failures,omitempty"`
}

// maxShownFailures limits the failures that are printed.
const maxShownFailures = 5

// Run implements the verb.
func (c *statusCmd) Run(e *env) error {
	name := c.Experiment
	var file *spec.Experiment
	if end := filepath.Ext(name); end == ".yaml" || end == ".yml" {
		x, _, err := experiments.Load(name)
		if err != nil {
			return err
		}
		name, file = x.Name, x
	}
	s, err := c.openStore()
	if err != nil {
		return err
	}
	if name == "" {
		return c.listExperiments(e, s)
	}
	r, err := run.LoadRecord(s, name)
	if err != nil {
		return err
	}
	if file != nil && (!slices.Equal(file.Horizon, r.Horizon) || file.Replicates != r.Replicates ||
		file.Seed != r.Seed) {
		e.warn(fmt.Errorf("these are the cells of the run with horizon %v, %s and seed %d, and the "+
			"file says otherwise", r.Horizon, plural(r.Replicates, "replicate"), r.Seed))
	}
	st := countCells(s, r)
	if st.Failed+st.Missing > 0 {
		st.ComputeSeconds = estimateMissing(e, s, r)
	}
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(st)
	}
	fmt.Fprintf(e.stdout, "%s: %d of %s done, %d failed, %d missing\n", name, st.Done,
		plural(st.Cells, "cell"), st.Failed, st.Missing)
	if st.ComputeSeconds > 0 {
		fmt.Fprintf(e.stdout, "about %s left on one processor\n",
			roundDuration(seconds(st.ComputeSeconds)))
	}
	for k, reason := range st.Failures {
		if k == maxShownFailures {
			fmt.Fprintf(e.stdout, "failed: %d more; --json has all\n", len(st.Failures)-k)
			break
		}
		fmt.Fprintf(e.stdout, "failed: %s\n", input.Message(reason))
	}
	return nil
}

// countCells counts the cells of a recorded experiment by what the store has of them.
func countCells(s *store.Store, r experiment.Record) experimentStatus {
	st := experimentStatus{Experiment: r.Name}
	seen := make(map[store.Key]bool)
	for _, c := range r.Cells {
		if seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		st.Cells++
		if s.Has(c.Key) {
			st.Done++
		} else if failure, err := s.Failure(c.Key); err == nil {
			st.Failed++
			st.Failures = append(st.Failures, failure.Reason)
		} else {
			st.Missing++
		}
	}
	return st
}

// estimateMissing estimates how many seconds the cells that are not in the store take on one
// processor. It returns 0 if this program does not know all that the experiment names.
func estimateMissing(e *env, s *store.Store, r experiment.Record) float64 {
	plan, keys, _, err := run.Replan(e.ctx, nil, e.catalog, r)
	if err != nil {
		return 0
	}
	for i, key := range keys { // the recorded keys: another version of the program has others
		plan.Cells[i].Key = key
	}
	o := run.Options{Workers: 1}
	return run.EstimateRun(e.ctx, plan, s, o, anyRounds).Time.Seconds()
}

// listExperiments prints a line for each experiment of the store.
func (c *statusCmd) listExperiments(e *env, s *store.Store) error {
	names, unread, err := run.Recorded(s)
	if err != nil {
		return err
	}
	e.warn(unread)
	names = slices.DeleteFunc(names, run.IsInternal)
	t := &table.Table{Columns: table.Columns("experiment", ">cells", ">done", ">failed", ">missing")}
	all := []experimentStatus{}
	for _, name := range names {
		r, err := run.LoadRecord(s, name)
		if err != nil {
			return err
		}
		st := countCells(s, r)
		all = append(all, st)
		t.Rows = append(t.Rows, table.Plains(name, fmt.Sprint(st.Cells), fmt.Sprint(st.Done),
			fmt.Sprint(st.Failed), fmt.Sprint(st.Missing)))
	}
	switch {
	case c.JSON:
		err = json.NewEncoder(e.stdout).Encode(all)
	case len(all) > 0:
		err = e.printTable(t, table.Width)
	}
	if err == nil && unread != nil {
		err = &failedError{errDamagedRecords}
	}
	return err
}
