// Package misbehave has learners and problems that misbehave: they panic, hang, or end their
// process. Tests run them to check that each fails its own cell and nothing else.
package misbehave

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/internal/race"
	"ocobench/problems"
)

// Catalog returns the catalog of bench with the learners of [All], and with the problems
// stream-panics, stream-hangs and stream-exits, which misbehave at their start.
func Catalog() experiment.Catalog {
	c := experiment.Catalog{Algorithms: slices.Clip(algorithms.All),
		Problems: slices.Clip(problems.All)}
	for _, l := range All {
		c.Algorithms = append(c.Algorithms, algorithms.Algorithm{
			Name: l.Name, Version: 1, Anytime: true,
			New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
				if l.start != nil {
					l.start()
				}
				return &game{l, 0}, nil
			},
		})
	}
	for name, start := range map[string]func(){
		"stream-panics": func() { panic("no stream") },
		"stream-hangs":  hang,
		"stream-exits":  func() { os.Exit(5) },
	} {
		c.Problems = append(c.Problems, problems.Problem{
			Name: name, Version: 1,
			New: func(any, *rand.Rand) (problems.Stream, error) { start(); return nil, nil },
		})
	}
	return c
}

// Learner plays the origin, except where it misbehaves: at its start, in Act or in Observe.
// Games have 200 rounds, and a time limit of 1 s.
type Learner struct {
	Name    string
	Fails   string // the reason, a regular expression; "" if nothing fails
	Process bool   // needs a process of its own, or other cells fail, too

	start   func()
	act     func(t int, dst []float64)
	observe func(t int) error
}

// Memory is the learner that fails only where memory is limited.
const Memory = "allocates"

// Pick returns the learners of an experiment but [Memory]: all of them if cells have their own
// processes, and else those that fail no more than their cell.
func Pick(ownProcesses bool) (picked []Learner) {
	for _, l := range All {
		if (ownProcesses || !l.Process) && l.Name != Memory {
			picked = append(picked, l)
		}
	}
	return picked
}

// failedLine matches the line of a failed game in the output of a run.
var failedLine = regexp.MustCompile(`(?m)^bench: failed: (.*) on iid, horizon 200, replicate 1(: .*)$`)

// Check compares what a run on the problem iid says of failures with the reasons for which these
// learners should fail, and returns the differences.
func Check(said string, learners []Learner) (faults []string) {
	reasons := make(map[string]string)
	for _, l := range learners {
		if l.Fails != "" {
			reasons[l.Name] = l.Fails
		}
	}
	for _, f := range failedLine.FindAllStringSubmatch(said, -1) {
		switch reason := reasons[f[1]]; {
		case reason == "":
			faults = append(faults, f[1]+" fails"+f[2])
		case !regexp.MustCompile(reason).MatchString(f[2]):
			faults = append(faults, fmt.Sprintf("%s fails%s, want %s", f[1], f[2], reason))
		}
		delete(reasons, f[1])
	}
	for name := range reasons {
		faults = append(faults, name+" does not fail")
	}
	if Stack.MatchString(said) {
		faults = append(faults, "a stack is shown")
	}
	slices.Sort(faults)
	return faults
}

// Late reports whether the cause of a fault may be a slow machine: a learner has reached the time
// limit that should not have. The limit is then too short for a test.
func Late(faults []string) bool {
	return slices.ContainsFunc(faults, func(fault string) bool {
		found, _, _ := strings.Cut(fault, ", want ")
		return strings.Contains(found, "not finished after ") ||
			strings.Contains(found, "is not answered after ")
	})
}

// Stack matches a line that is in every stack that Go prints.
var Stack = regexp.MustCompile(`goroutine \d+ \[`)

// game plays a misbehaving learner on one stream.
type game struct {
	Learner
	t int
}

// Act implements [algorithms.Learner]: it plays the origin unless the learner does otherwise.
func (g *game) Act(dst []float64) {
	g.t++
	clear(dst)
	if g.act != nil {
		g.act(g.t, dst)
	}
}

// Observe implements [algorithms.Learner].
func (g *game) Observe([]float64, convex.Round) error {
	if g.observe != nil {
		return g.observe(g.t)
	}
	return nil
}

// hang blocks for ever without using the processor.
func hang() {
	Announce()
	select {}
}

// Announce says in the file that the environment variable HANGS names, if there is one, that
// something is about to hang: tests wait for it.
func Announce() {
	if name := os.Getenv("HANGS"); name != "" {
		if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
			fmt.Fprintln(f, os.Getpid())
			f.Close()
		}
	}
}

// inRound returns an act of a [Learner] that calls do in one round.
func inRound(round int, do func()) func(int, []float64) {
	return func(t int, _ []float64) {
		if t == round {
			do()
		}
	}
}

// All lists the learners.
var All = []Learner{
	{Name: "panics-new", start: func() { panic("boom") },
		Fails: `: algorithm panics-new: panic: boom$`},
	{Name: "panics-act", act: inRound(1, func() { panic("boom") }), Fails: `: round 1: panic: boom$`},
	{Name: "panics-later", act: inRound(100, func() { panic(errors.New("boom")) }),
		Fails: `: round 100: panic: boom$`},
	{Name: "panics-observe", observe: func(t int) error { none[t] = t; return nil },
		Fails: `: round 1: panic: assignment to entry in nil map$`},
	{Name: "hangs-new", start: hang, Fails: `: before round 1: not finished after \d+s, which is the time limit$`},
	{Name: "hangs-act", act: inRound(5, hang),
		Fails: `: round 5: not finished after \d+s, which is the time limit$`},
	{Name: "hangs-observe", observe: func(t int) error {
		if t == 150 {
			hang()
		}
		return nil
	}, Fails: `: rounds 128 to 191: not finished after \d+s, which is the time limit$`},
	{Name: "exits-goroutine", act: inRound(7, runtime.Goexit),
		Fails: `: round 7: runtime.Goexit was called$`},
	{Name: "nan", act: func(t int, x []float64) { x[0] = math.NaN() },
		Fails: `: round 1: coordinate 1 of the action is NaN$`},
	{Name: "inf", act: func(t int, x []float64) { x[1] = math.Inf(1) },
		Fails: `: round 1: coordinate 2 of the action is \+Inf$`},
	{Name: "too-long", act: func(t int, x []float64) { x[len(x)] = 0 },
		Fails: `: round 1: panic: runtime error: index out of range`},
	{Name: "error", observe: func(t int) error { return errors.New("no\nmore") },
		Fails: `: round 1: no`},
	{Name: "races", act: inRound(1, func() {
		if race.Enabled {
			return
		}
		n := 0
		go func() { n++ }()
		n++
	})},

	{Name: "exits-0", act: inRound(3, func() { os.Exit(0) }),
		Fails: `: its process ended \(exit status 0\)$`, Process: true},
	{Name: "exits-3", act: inRound(3, func() { os.Exit(3) }),
		Fails: `: its process ended \(exit status 3\)$`, Process: true},
	{Name: "exits-later", act: inRound(100, func() { os.Exit(3) }),
		Fails: `: its process ended \(exit status 3\)$`, Process: true},
	{Name: "exits-new", start: func() { os.Exit(4) }, Fails: `: its process ended \(exit status 4\)$`,
		Process: true},
	{Name: "log-fatal",
		act:   inRound(3, func() { log.SetFlags(0); log.Print("so"); log.Fatal("it is") }),
		Fails: `: its process ended \(exit status 1\): so; it is$`, Process: true},
	{Name: "overflows", act: inRound(1, func() {
		debug.SetMaxStack(1 << 20)
		runtime.KeepAlive(overflow(0))
	}), Fails: `: its process ended \(exit status 2\): fatal error: stack overflow$`, Process: true},
	{Name: "panics-goroutine", act: inRound(1, func() { go panic("elsewhere"); hang() }),
		Fails: `: its process ended \(exit status (2|66)\): panic: elsewhere$`, Process: true},
	{Name: "panics-afterwards", act: inRound(1,
		func() { time.AfterFunc(50*time.Millisecond, func() { panic("too late") }) }), Process: true},
	{Name: "writes-map", act: inRound(1, writeMap),
		Fails:   `: its process ended \(exit status (2|66)\): fatal error: concurrent map writes$`,
		Process: true},
	{Name: "spins", act: inRound(5, spin),
		Fails: `: round 5: not finished after \d+s, which is the time limit$`, Process: true},
	{Name: "spins-later", act: inRound(100, spin),
		Fails: `: rounds 64 to 127: not finished after \d+s, which is the time limit$`, Process: true},
	{Name: "closes-stdout", act: inRound(1, func() { os.Stdout.Close(); os.NewFile(1, "").Close() }),
		Fails: `: its process ended \(exit status 3\)`, Process: true},
	{Name: "writes-stdout", act: inRound(1, func() { os.NewFile(1, "").WriteString("garbage\n") }),
		Fails: `: it wrote "garbage" to the standard output of its process$`, Process: true},
	{Name: "prints", act: inRound(1, func() { fmt.Println("debugging") }), Process: true},
	{Name: "reads-stdin", act: inRound(1, func() { fmt.Scanln() }), Process: true},
	// It keeps 256 MiB in each round, up to the limit of memory.
	{Name: Memory, act: func(int, []float64) { kept = append(kept, make([]byte, 1<<28)) },
		Process: true},
	{Name: "changes-directory", act: inRound(1, func() { os.Chdir(os.TempDir()) }),
		Fails: `: it changed the working directory$`, Process: true},
}

var (
	none map[int]int // nil: writing to it panics
	kept [][]byte    // the memory that the learner Memory has allocated
)

// spin runs for ever.
func spin() {
	Announce()
	for {
		runtime.KeepAlive(kept)
	}
}

// overflow calls itself until the stack is full, which ends the process.
func overflow(n int) int {
	if n < 0 { // never
		return n
	}
	return overflow(n+1) + 1
}

// writeMap writes a map from several goroutines at once, which ends the process.
func writeMap() {
	m := make(map[int]int)
	for range 8 {
		go func() {
			for i := 0; ; i++ {
				m[i%16] = i
			}
		}()
	}
	hang()
}
