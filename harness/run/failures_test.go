package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// faultyRound is the round in which something is wrong; it is no checkpoint.
const faultyRound = 8

// oddLearner does something wrong in one round.
func oddLearner(fault func(l *harnesstest.Learner)) func(algorithms.Setup) *harnesstest.Learner {
	return func(s algorithms.Setup) *harnesstest.Learner {
		l, wrong := harnesstest.Still(s), harnesstest.Still(s)
		fault(wrong)
		return &harnesstest.Learner{
			Play: func(t int, x []float64) {
				l.Play(t, x)
				if t == faultyRound {
					wrong.Play(t, x)
				}
			},
			Learn: func(t int, x []float64, r convex.Round) error {
				if t == faultyRound && wrong.Learn != nil {
					return wrong.Learn(t, x, r)
				}
				return nil
			},
		}
	}
}

// playing returns a fault of [oddLearner]: it plays v.
func playing(v float64) func(*harnesstest.Learner) {
	return func(l *harnesstest.Learner) { l.Play = func(_ int, x []float64) { x[0] = v } }
}

// problemWithOddRound returns a problem of which one round is another one.
func problemWithOddRound(name string, loss, constraint convex.Func) problems.Problem {
	return harnesstest.Problem(name, harnesstest.LineRounds(1, func(t int) convex.Round {
		if t == faultyRound {
			return convex.Round{Loss: loss, Constraints: []convex.Func{constraint}}
		}
		return harnesstest.Calm(t)
	}))
}

// nan is a function without values.
var nan = &harnesstest.Opaque{
	F:    func([]float64) float64 { return math.NaN() },
	Grad: func(dst, _ []float64) { dst[0] = math.NaN() },
}

// A game in which something is not a number, not in the domain, not to the
// learner's liking or a panic fails alone, and its message names algorithm, problem,
// replicate and round.
func TestFaultyGamesFailAlone(t *testing.T) {
	refusal, affine := errors.New("this round is not to my liking"), harnesstest.Affine
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{
			harnesstest.Algorithm("rest", harnesstest.Still),
			harnesstest.Algorithm("nan", oddLearner(playing(math.NaN()))),
			harnesstest.Algorithm("inf", oddLearner(playing(math.Inf(-1)))),
			harnesstest.Algorithm("outside", oddLearner(playing(1.01))),
			harnesstest.Algorithm("rounding", oddLearner(playing(1+1e-12))), // is no fault
			harnesstest.Algorithm("panics", oddLearner(func(l *harnesstest.Learner) {
				l.Play = func(_ int, x []float64) { x[len(x)] = 0 }
			})),
			harnesstest.Algorithm("unhappy", oddLearner(func(l *harnesstest.Learner) {
				l.Learn = func(int, []float64, convex.Round) error { return refusal }
			})),
		},
		Problems: []problems.Problem{
			harnesstest.Problem("calm", harnesstest.LineRounds(1, harnesstest.Calm)),
			problemWithOddRound("nan-loss", affine(1, math.NaN()), affine(1, 0)),
			problemWithOddRound("inf-loss", affine(1, math.Inf(-1)), affine(1, 0)),
			problemWithOddRound("nan-constraint", affine(1, 0), affine(math.NaN(), 0)),
			problemWithOddRound("inf-constraint", affine(1, 0), affine(1, math.Inf(1))),
			problemWithOddRound("opaque-loss", convex.NewBasis(nan), affine(1, 0)),
			problemWithOddRound("opaque-constraint", affine(1, 0), convex.NewBasis(nan)),
			harnesstest.Problem("plane-loss", func() *harnesstest.Stream {
				return &harnesstest.Stream{Domain: convex.Cube(2, -1, 1), Count: 1, Round: func(t int,
					_ []float64) convex.Round {
					r := convex.Round{Loss: &convex.Affine{A: []float64{1, 1}},
						Constraints: []convex.Func{&convex.Affine{A: []float64{1, 0}}}}
					if t == faultyRound {
						r.Loss = convex.NewBasis(nan)
					}
					return r
				}}
			}),
			problemWithOddRound("steep-constraint", affine(1, 0), affine(math.Inf(1), 0)),
		},
	}
	p := newPlan(t, c, "name: faults\nhorizon: 10\nreplicates: 2\nproblems: all\nalgorithms: all\n")
	dir := t.TempDir()
	var told []string
	s := openStore(t, dir)
	failures, err := Run(context.Background(), p, s,
		Options{Workers: 3, Progress: func(c *experiment.Cell, _ bool, err error) {
			if err != nil {
				told = append(told, c.String())
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	// Whatever is wrong with a game, on a sound problem only the faulty
	// learners fail; on a problem with a faulty round all cells do.
	wrong := map[string]string{ // by algorithm, on the problem calm
		"nan": "coordinate 1 of the action is NaN", "inf": "coordinate 1 of the action is -Inf",
		"outside": "outside of the domain", "unhappy": refusal.Error(),
		"panics": "panic: runtime error: index out of range",
	}
	failed := make(map[*experiment.Cell]error)
	for _, f := range failures {
		failed[f.Cell] = f.Err
	}
	for _, c := range p.Cells {
		want, err := "", failed[c]
		if c.Problem.Name == "calm" {
			if c.Algorithm != nil {
				want = wrong[c.Algorithm.Name]
			}
		} else {
			_, want, _ = strings.Cut(c.Problem.Name, "-") // loss or constraint
		}
		switch {
		case want == "" && err != nil:
			t.Errorf("got error %v, want none of a sound cell", err)
		case want == "":
			if !s.Has(c.Key) {
				t.Errorf("got no cell %s in the store, want it there", c)
			}
		case err == nil:
			t.Errorf("%s: got no error, want a failure", c)
		case s.Has(c.Key):
			t.Errorf("got the failed cell %s in the store, want it left out", c)
		case !strings.HasPrefix(err.Error(), fmt.Sprintf("%s: round %d: ", c, faultyRound)) ||
			!strings.Contains(err.Error(), want):
			t.Errorf("%s failed with the message %q, want its name, round %d and %q", c, err, faultyRound,
				want)
		}
	}
	if len(told) != len(failures) {
		t.Errorf("progress: got %d failures, want %d as Run returns", len(told), len(failures))
	}
	if !slices.IsSortedFunc(failures, func(a, b Failure) int {
		return slices.Index(p.Cells, a.Cell) - slices.Index(p.Cells, b.Cell)
	}) {
		t.Error("got failures in another order, want that of the plan")
	}
	if err := failed[cellOf(t, p, store.Game, "unhappy", "calm", 2, 10)]; !errors.Is(err, refusal) {
		t.Errorf("got error %v, want one that wraps %v", err, refusal)
	}

	// Nothing that failed is taken for done.
	found, computed, again := runPlan(t, p, dir, Options{Workers: 2})
	if found != len(p.Cells)-len(failures) || computed != 0 || len(again) != len(failures) {
		t.Errorf("run again, %d cells are found, %d computed, %d fail; want %d, 0, %d", found, computed,
			len(again), len(p.Cells)-len(failures), len(failures))
	}
}

// A stream or a learner that refuses to start although the first replicate's
// did fails its cells, by their names.
func TestLateRefusalFailsItsCells(t *testing.T) {
	var streams, learners atomic.Int32
	p := harnesstest.Problem("moody", nil)
	p.New = func(any, *rand.Rand) (problems.Stream, error) {
		if streams.Add(1) == 4 { // three are the planner's
			return nil, errors.New("not this stream")
		}
		return harnesstest.LineRounds(1, harnesstest.Calm)(), nil
	}
	a := harnesstest.Algorithm("moody", nil)
	a.New = func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
		if learners.Add(1) == 3 { // two are the planner's
			return nil, errors.New("not this game")
		}
		return harnesstest.Still(s), nil
	}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{a}, Problems: []problems.Problem{p}}
	plan := newPlan(t, c, "name: late\nhorizon: 10\nreplicates: 2\nproblems: [{use: "+
		"moody}]\nalgorithms: [{use: moody}]")
	_, computed, failures := runPlan(t, plan, t.TempDir(), Options{})
	if computed != 2 || len(failures) != 2 {
		t.Fatalf("%d cells are computed and %d fail, want 2 and 2", computed, len(failures))
	}
	for i, reason := range []string{"not this stream", "not this game"} {
		f := failures[i]
		if f.Cell != plan.Cells[i] || !strings.HasPrefix(f.Err.Error(), f.Cell.String()+": ") ||
			!strings.Contains(f.Err.Error(), reason) {
			t.Errorf("failure %d is %q, want %s: … %s", i+1, f.Err, plan.Cells[i], reason)
		}
	}
}

// What the planner can know is refused before anything runs, with its place.
func TestFaultsKnownAtPlanningAreRefused(t *testing.T) {
	choosy := harnesstest.Algorithm("choosy", harnesstest.Still)
	choosy.New = func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
		if s.Constraints != 1 {
			return nil, fmt.Errorf("%d constraints are too many", s.Constraints)
		}
		return harnesstest.Still(s), nil
	}
	picky := harnesstest.Problem("picky", nil)
	picky.New = func(any, *rand.Rand) (problems.Stream, error) {
		return nil, errors.New("there is no such instance")
	}
	short := harnesstest.Problem("short", func() *harnesstest.Stream {
		s := harnesstest.LineRounds(1, harnesstest.Calm)()
		s.Declared.Rounds = 99
		return s
	})
	two := harnesstest.Problem("two", harnesstest.LineRounds(2, func(t int) convex.Round {
		r := harnesstest.Calm(t)
		r.Constraints = append(r.Constraints, r.Constraints[0])
		return r
	}))
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{choosy, harnesstest.Algorithm("rest", harnesstest.Still),
			harnesstest.Algorithm("primal-dual", harnesstest.Still)},
		Problems: []problems.Problem{harnesstest.Problem("calm", harnesstest.LineRounds(1,
			harnesstest.Calm)), picky, short, two, harnesstest.Problem("decaying-frequency",
			harnesstest.LineRounds(1, harnesstest.Calm))},
	}
	for _, test := range []struct {
		name, problems, algorithms, horizon string
		want                                []string // by line: place and parts
	}{
		{"short stream", "[{use: calm}, {use: short}]", "[{use: rest}]", "[50, 100]",
			[]string{`^e.yaml:4:31: .*short.* 99, .*100`}},
		{"refused learner", "[{use: calm}, {use: two}]", "[{use: rest}, {use: choosy}]", "10",
			[]string{`^e.yaml:5:33: .*choosy.*2 constraints are too many.*two`}},
		{"refused stream", "[{use: picky}]", "[{use: rest}]", "10",
			[]string{`^e.yaml:4:18: .*picky.*no such instance`}},
		{"unknown algorithm", "[{use: calm}]", "[{use: primal-daul}]", "10",
			[]string{`^e.yaml:5:20: unknown algorithm "primal-daul"; did you mean "primal-dual"\?.*choosy, rest, primal-dual`}},
		{"unknown problem", "[{use: decaying-frequencies}]", "[{use: rest}]", "10",
			[]string{`^e.yaml:4:18: unknown problem "decaying-frequencies"; did you mean "decaying-frequency"\?`}},
		{"everything at once", "[{use: clam}]", "[{use: rest, gamma: 3}, {use: chosy}]", "10",
			[]string{`^e.yaml:4:18: .*did you mean "calm"`, `^e.yaml:5:26: .*gamma`,
				`^e.yaml:5:43: .*did you mean "choosy"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "name: refused\nhorizon: " + test.horizon + "\nreplicates: 1\nproblems: " +
				test.problems + "\nalgorithms: " + test.algorithms
			_, err := planOf(t, c, text)
			var refusals spec.Errors
			if !errors.As(err, &refusals) || len(refusals) != len(test.want) {
				t.Fatalf("got %v, want %d refusals", err, len(test.want))
			}
			for i, want := range test.want {
				if !regexp.MustCompile(want).MatchString(refusals[i].Error()) {
					t.Errorf("refusal %d is\n%v\nwant %s", i+1, refusals[i], want)
				}
			}
		})
	}
}

// Too many cells are refused at once, whatever makes them many.
func TestTooManyCellsAreRefused(t *testing.T) {
	_, err := planOf(t, programCatalog,
		"name: many\nhorizon: [10, 20, 30, 40, 50]\nreplicates: 50001\n"+
			"problems: [{use: decaying-frequency, c: [0.2, 0.4, 0.6, 0.8]}]\nalgorithms: [{use: ogd}]")
	errtest.Contains(t, err, "about 2000040 cells", "a plan of 5 · 50 001 · 4 games and hindsights")
}

// watcher logs the rounds that it observes, and fails in round 3.
type watcher struct{ log *[]string }

func (w watcher) Round(t int, x []float64, r *convex.Round) error {
	*w.log = append(*w.log, fmt.Sprintf("watch %d at %v", t, x))
	if t == 3 {
		return errors.New("enough")
	}
	return nil
}

// Act, Reveal, the observers in order, Observe; an observer's error ends the
// game before the learner sees the round.
func TestRoundIsActRevealObserversObserve(t *testing.T) {
	var log []string
	note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	s := &harnesstest.Stream{Domain: convex.Cube(1, -9, 9), Round: func(t int,
		x []float64) convex.Round {
		note("reveal %d at %v", t, x)
		return convex.Round{Loss: harnesstest.Affine(1, 0)}
	}}
	l := &harnesstest.Learner{
		Play: func(t int, x []float64) { x[0] = float64(t); note("act %d", t) },
		Learn: func(t int, x []float64, _ convex.Round) error {
			note("observe %d at %v", t, x)
			return nil
		},
	}
	err := game.Play(context.Background(), l, s, 5, watcher{&log}, watcher{&log})
	want := []string{
		"act 1", "reveal 1 at [1]", "watch 1 at [1]", "watch 1 at [1]", "observe 1 at [1]",
		"act 2", "reveal 2 at [2]", "watch 2 at [2]", "watch 2 at [2]", "observe 2 at [2]",
		"act 3", "reveal 3 at [3]", "watch 3 at [3]",
	}
	if !slices.Equal(log, want) {
		t.Errorf("the game went\n%q, want\n%q", log, want)
	}
	if err == nil || err.Error() != "round 3: enough" {
		t.Errorf("Play returns %v, want what the observer said of round 3", err)
	}
}
