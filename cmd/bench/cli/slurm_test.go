package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// The program of go run is removed before a job begins. Nothing is submitted that runs it.
func TestSlurmRefusesTheProgramOfGoRun(t *testing.T) {
	for program, want := range map[string]bool{
		"/tmp/go-build40110209/b001/exe/bench": true,
		"/home/me/.cache/go-build/ab/bench":    false,
		"/home/me/go-build-2/bench":            false,
		"/home/me/bin/bench":                   false,
	} {
		t.Run(program, func(t *testing.T) {
			if got := temporaryProgram.MatchString(program); got != want {
				t.Errorf("%s is refused: %v, want %v", program, got, want)
			}
		})
	}
}

// An interrupt of bench slurm while it finds out how long cells take submits nothing.
func TestInterruptedSlurmSubmitsNothing(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: e\nhorizon: 10\nreplicates: 1\n"+
		"problems: [{use: iid}]\nalgorithms: [{use: ogd}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	plan, err := run.NewPlanOn(t.Context(), nil, catalog, x)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	for _, want := range []error{nil, context.Canceled} {
		var out, said bytes.Buffer
		w := &workbench{env: &env{ctx: ctx, catalog: catalog, stdout: &out, stderr: &said}, store: s}
		c := &slurmCmd{CPUs: 1, Attempts: 1, DryRun: true}
		c.Out = path(t.TempDir())
		err := c.submitArray(w, plan, plan.Cells)
		if !errors.Is(err, want) || (out.Len() == 0) != (want != nil) ||
			(said.Len() == 0) != (want != nil) {
			t.Errorf("%v, want %v: %s%s", err, want, &out, &said)
		}
		interrupt()
	}
}
