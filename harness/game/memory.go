package game

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// This file refuses games and hindsight that need more memory than the machine has, before they
// begin: a machine that swaps, or ends processes, ends others too. The need has two parts. Solvers
// over the domain take O(n²) bytes in n dimensions before the first round: a hindsight has three,
// and an algorithm declares how many it has. What is kept of rounds grows with the horizon, and is
// measured over some first rounds ([memoryGrowth]).

// AvailableMemory returns the number of bytes that this process may use: what Linux reports as
// available, within the limit of a control group and of the variable GOMEMLIMIT; 0 if none of
// them is known.
func AvailableMemory() int64 {
	least := debug.SetMemoryLimit(-1) // GOMEMLIMIT, or the largest number
	for _, line := range strings.Split(readText("/proc/meminfo"), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemAvailable:" {
			if kb, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				least = min(least, kb<<10)
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit, err := strconv.ParseInt(strings.TrimSpace(readText(file)), 10, 64); err == nil {
			least = min(least, limit)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// readText returns the content of a file, or "" if it cannot be read.
func readText(file string) string {
	text, _ := os.ReadFile(file)
	return string(text)
}

// Afford returns a [MemoryError] if something would take more bytes than the machine has. what is
// the subject of its sentence. bytes is a float64, since a product of a large horizon and many
// replicates could overflow an integer.
func Afford(what string, bytes float64) error {
	has := float64(AvailableMemory())
	if has == 0 || bytes <= has {
		return nil
	}
	return &MemoryError{fmt.Sprintf("%s would take %.3g GB of memory, and there are %.3g GB; lower "+
		"the dimension, the horizon or the replicates, or use a larger machine", what, bytes/1e9,
		has/1e9)}
}

// MemoryError refuses work that would take more memory than there is.
type MemoryError struct{ text string }

// Error implements error.
func (e *MemoryError) Error() string { return e.text }

// solverBytes returns how many bytes n solvers over a set take.
func solverBytes(n int, set convex.Set) int64 { return int64(n) * convex.Memory(set) }

// AffordLearner returns an error if the solvers that an algorithm declares would take more memory
// than there is.
func AffordLearner(a algorithms.Algorithm, set convex.Set) error {
	return Afford(fmt.Sprintf("in %d dimensions it", set.Dim()), float64(solverBytes(a.Solvers, set)))
}

// comparatorBytes returns how many bytes the solvers of comparators take before the first round:
// those of the best fixed actions if hindsight is set, and that of the best action of each round if
// moving is set.
func comparatorBytes(s problems.Stream, hindsight, moving bool) (bytes int64) {
	n := 0 // solvers
	if hindsight {
		n = len(Sets)
		if expectedConstraints(s) != nil {
			n++
		}
	}
	if moving {
		n++
	}
	return solverBytes(n, s.Set())
}

// AffordComparators returns an error if the solvers of the best fixed actions, if hindsight is set,
// and of the best action of each round, if moving is set, would take more memory than there is.
func AffordComparators(s problems.Stream, hindsight, moving bool) error {
	return Afford(fmt.Sprintf("in %d dimensions the best actions", s.Set().Dim()),
		float64(comparatorBytes(s, hindsight, moving)))
}

const (
	// manyRounds is the horizon from which on the memory of a hindsight is estimated, over
	// memorySampleRounds rounds.
	manyRounds         = 100_000
	memorySampleRounds = 4096
)

// AffordHindsight returns an error if the best fixed actions of a stream, and the best action of
// each round if moving is set, would take more memory than there is. For a long horizon it measures
// the first rounds of a second game of the same rounds, whose learner, stream and observers begin
// returns.
func AffordHindsight(ctx context.Context, s problems.Stream, moving bool, horizon int,
	begin func() (algorithms.Learner, problems.Stream, []Observer, error)) error {
	need := comparatorBytes(s, true, moving)
	what := fmt.Sprintf("the hindsight in %d dimensions", s.Set().Dim())
	if err := Afford(what, float64(need)); err != nil || horizon < manyRounds {
		return err
	}
	before := Heap()
	l, other, observers, err := begin()
	if err != nil {
		return err
	}
	g := &memoryGrowth{rounds: memorySampleRounds}
	if Play(ctx, l, other, memorySampleRounds, append(observers, g)...) != nil {
		return ctx.Err() // nil unless cancelled: the game itself will report what is wrong
	}
	return Afford(fmt.Sprintf("the hindsight of %d rounds", horizon), float64(g.bytesAt(horizon,
		before)))
}

// Heap returns the number of bytes in use after a garbage collection.
func Heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Saturated returns the integer part of a number ≥ 0, or the largest integer if that is smaller.
func Saturated(v float64) int64 {
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}
