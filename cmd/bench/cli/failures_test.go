package cli

import (
	"errors"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// A function that raises fails under every learner, at other actions: these are one kind of
// failure. Another exception is another kind.
func TestFailuresOfAFunctionAreOfOneKind(t *testing.T) {
	problem := new(experiment.Problem)
	problem.Spec, problem.Flag = "mine", "--external mine=command"
	failure := func(learner, reason string) run.Failure {
		c := &experiment.Cell{Kind: store.Hindsight, Problem: problem, Horizon: 10, Replicate: 1}
		if learner != "" {
			c.Kind, c.Algorithm = store.Game, new(experiment.Algorithm)
			c.Algorithm.Spec = learner
		}
		return run.Failure{Cell: c, Err: errors.New(c.String() + ": " + reason)}
	}
	want := failureKind(failure("", "the loss of round 7 at x = [0.0, 1e-05]: division by zero"))
	for _, f := range []run.Failure{
		failure("ogd", "the loss of round 7 at x = [-1.0, 0.25]: division by zero"),
		failure("clasp:beta=2", "the loss of round 8 at x = [1.0, -0.5]: division by zero"),
	} {
		if got := failureKind(f); got != want {
			t.Errorf("%v is of the kind %q, want %q", f.Err, got, want)
		}
	}
	if got := failureKind(failure("ogd", "the loss of round 7 at x = [1, 2]: KeyError")); got == want {
		t.Errorf("a KeyError: got kind %q, want another", got)
	}
	problem.Flag = ""
	a, b := failureKind(failure("a", "panic: boom")), failureKind(failure("b", "panic: boom"))
	if a == b {
		t.Errorf("panics of two learners: got one kind %q, want two", a)
	}
}
