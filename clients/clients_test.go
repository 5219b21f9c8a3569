// Package clients tests the clients of the protocol in other languages.
package clients

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/internal/long"
	"ocobench/problems"
)

// scratch is a directory that the tests share.
var scratch string

func TestMain(m *testing.M) {
	long.InMemory()
	os.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	flag.Set("test.parallel", "4") // of two processors, the tests wait for programs
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// bench is the program of this tree, which is built once.
var bench = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(scratch, "bench")
	build := exec.Command("go", "build", "-o", program, "../cmd/bench")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
})

// built returns the program of this tree.
func built(t *testing.T) string {
	t.Helper()
	program, err := bench()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// follows plays a command beside the algorithm that it is written after, on the same
// rounds. Coordinates may differ by most; if it is 0, their bits are the same.
func follows(t *testing.T, command []string, algorithm, parameters, problem string, horizon int,
	most float64) {
	t.Helper()
	var stderr strings.Builder
	program, err := external.Start(t.Context(), "mine", command,
		external.Options{Timeout: time.Minute, Stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	catalog := experiment.Catalog{Algorithms: append(slices.Clone(algorithms.All), program.Algorithm()),
		Problems: problems.All}
	stream, err := problemOf(t, catalog, problem).Stream(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	learner := func(text string) algorithms.Learner {
		l, err := algorithmOf(t, catalog, text+parameters).Learner(stream, 1, 1, horizon)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	theirs, moved, worst := learner(algorithm), false, 0.
	watch := observer(func(_ int, x []float64, r *convex.Round) error {
		want := make([]float64, len(x))
		theirs.Act(want)
		for i, w := range want {
			if most == 0 && math.Float64bits(x[i]) != math.Float64bits(w) {
				return fmt.Errorf("plays %v, want %v", x, want)
			}
			worst = max(worst, math.Abs(x[i]-w))
			moved = moved || w != want[0] || w != 0
		}
		return theirs.Observe(x, *r)
	})
	if err := game.Play(t.Context(), learner("mine"), stream, horizon, watch); err != nil {
		t.Fatal(err)
	}
	program.Close()
	if worst > most {
		t.Errorf("got an action off by %g, want at most %g", worst, most)
	}
	if !moved {
		t.Error("got an algorithm that does not move, want it to")
	}
	if stderr.Len() > 0 {
		t.Errorf("standard error: got %s, want nothing", &stderr)
	}
}

func problemOf(t *testing.T, c experiment.Catalog, text string) experiment.Problem {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	resolvedProblems, err := c.ResolveProblems(u)
	if err != nil {
		t.Fatal(err)
	}
	return resolvedProblems[0]
}

func algorithmOf(t *testing.T, c experiment.Catalog, text string) experiment.Algorithm {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	resolvedAlgorithms, err := c.ResolveAlgorithms(u)
	if err != nil {
		t.Fatal(err)
	}
	return resolvedAlgorithms[0]
}

type observer func(t int, x []float64, r *convex.Round) error

func (o observer) Round(t int, x []float64, r *convex.Round) error { return o(t, x, r) }
