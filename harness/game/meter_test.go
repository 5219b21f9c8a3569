package game

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
	"ocobench/internal/race"
)

// played observes a game and keeps the actions.
type played struct{ x [][]float64 }

func (p *played) Round(_ int, x []float64, _ *convex.Round) error {
	p.x = append(p.x, slices.Clone(x))
	return nil
}

// A meter measures given actions as a run measures its algorithms: its game equals the cells bit
// for bit. Its outcome at the end is the last row of the game; between checkpoints it solves for
// the best actions again.
func TestMeterHasTheBitsOfCells(t *testing.T) {
	race.SkipSequential(t)
	const T = 60
	ctx := context.Background()
	for _, name := range probedProblems() {
		t.Run(name, func(t *testing.T) {
			s := harnesstest.Start(t, name)
			l := harnesstest.StartLearner(t, "primal-dual", s, T)
			var p played
			trace := newTraceRecorder(l, s.Set().Dim(), s.Constraints(), Checkpoints(T))
			best := newHindsightRecorder(s, Checkpoints(T))
			if err := Play(ctx, l, s, T, &p, trace, best); err != nil {
				t.Fatal(err)
			}
			stream := harnesstest.Start(t, name)
			m, end := NewMeter(stream, Checkpoints(T)), NewMeter(stream, []int{10})
			e, err := NewEnvironment(stream, T, m, end)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range p.x {
				if err := e.Check(x); err != nil {
					t.Fatal(err)
				}
				if _, err := e.Step(x); err != nil {
					t.Fatal(err)
				}
			}
			if e.Played() != T {
				t.Errorf("got %d rounds played, want %d", e.Played(), T)
			}
			g := m.Game("a", "p", 1, T)
			for _, cell := range []struct {
				kind  string
				table Table
				want  Recorder
			}{{"game", g.Trace, trace}, {"hindsight", g.Hindsight, best}} {
				columns, rows := cell.want.Kept()
				if n := len(cell.table.Column(TimeColumn)); n != len(rows) {
					t.Fatalf("%s: %d checkpoints, want %d", cell.kind, n, len(rows))
				}
				for i, row := range rows {
					for k, v := range row {
						if got := cell.table.Column(columns[k])[i]; math.Float64bits(got) != math.Float64bits(
							v) && !(math.IsNaN(got) && math.IsNaN(v)) {
							t.Fatalf("%s at t = %v: %s is %v, want %v", cell.kind, row[0], columns[k], got, v)
						}
					}
				}
			}
			values := m.Metrics()
			regrets, err := m.Regrets()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range regrets {
				for _, metric := range Metered {
					if metric.Set == r.Best.Set {
						values[metric.Name] = r.Value
						if r.Best.Empty {
							values[metric.Name] = math.NaN()
						}
					}
				}
			}
			for name, v := range values {
				curve := g.Metric(name)
				if slices.Contains(tracedOnRequest, name) {
					curve = NewTable(m.trace.Kept()).Column(string(name))
				}
				if last := curve[len(curve)-1]; math.Float64bits(last) != math.Float64bits(v) &&
					!(math.IsNaN(last) && math.IsNaN(v)) {
					t.Errorf("%s: got %v, want %v as at the last checkpoint", name, v, last)
				}
			}
			for name, v := range end.Metrics() {
				if v != values[name] {
					t.Errorf("%s: got %v between checkpoints, want %v as at one", name, v, values[name])
				}
			}
			cold, err := end.Regrets()
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range cold {
				if w := regrets[i]; r.Best.Empty != w.Best.Empty ||
					!r.Best.Empty && !isNear(r.Value, w.Value, 1e-9*T) {
					t.Errorf("regret over %s: got %v between checkpoints, want %v as at one", r.Best.Set, r.Value,
						w.Value)
				}
			}
		})
	}
}

// An environment refuses a point that is no action, and does not play the round. After the horizon
// it plays none.
func TestEnvironmentRefusesBadActionsAndRounds(t *testing.T) {
	var rounds []int
	s := &harnesstest.Stream{Domain: convex.Cube(2, -1, 1), Count: 1, Declared: convex.Facts{Rounds: 2},
		Round: func(t int, _ []float64) convex.Round {
			rounds = append(rounds, t)
			return convex.Round{Loss: &convex.Affine{A: []float64{1, 0}},
				Constraints: []convex.Func{&convex.Affine{A: []float64{0, 1}}}}
		}}
	_, err := NewEnvironment(s, 3)
	errtest.Contains(t, err, "the problem ends after round 2", "a horizon beyond the rounds")
	e, err := NewEnvironment(s, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    []float64
		want string
	}{
		{[]float64{1}, "the action has length 1, expected 2"},
		{nil, "the action has length 0, expected 2"},
		{[]float64{0, math.NaN()}, "coordinate 2 of the action is NaN"},
		{[]float64{math.Inf(-1), 0}, "coordinate 1 of the action is -Inf"},
		{[]float64{0, 1.5}, "the action is outside of the domain by 0.5"},
		{[]float64{0, 1 + 1e-8}, "the action is outside of the domain by "},
	} {
		errtest.Contains(t, e.Check(c.x), c.want, "%v", c.x)
	}
	for _, x := range [][]float64{{1, 1 + 1e-9}, {0, 0}} {
		if err := e.Check(x); err != nil {
			t.Error(err)
		}
		if _, err := e.Step(x); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.Step([]float64{0, 0}); err == nil ||
		!strings.Contains(err.Error(), "the game is over after round 2") ||
		!slices.Equal(rounds, []int{1, 2}) {
		t.Errorf("after the end: got error %v after rounds %v, want one after two rounds", err, rounds)
	}
}

// Play reveals no round of a stream that ends before the horizon, or that depends on the actions
// where nobody plays.
func TestPlayRefusesBeforeTheFirstRound(t *testing.T) {
	for want, facts := range map[string]convex.Facts{
		"ends after round 3": {Rounds: 3}, "nobody plays": {Adaptive: true},
	} {
		t.Run(want, func(t *testing.T) {
			s := harnesstest.LineRounds(1, func(int) convex.Round {
				t.Error("got a round revealed, want none")
				return harnesstest.Calm(1)
			})()
			s.Declared = facts
			errtest.Contains(t, Play(t.Context(), nil, s, 4), want)
		})
	}
}

// Play refuses an action that is NaN or outside of the domain, in the round in which it is played,
// and takes one that is outside by a rounding error.
func TestPlayRefusesActionsOutsideOfTheDomain(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string // nothing if it is played
	}{
		{1, ""}, {1 + 1e-9, ""},
		{1 + 1e-8, "round 2: the action is outside of the domain by "},
		{math.NaN(), "round 2: coordinate 1 of the action is NaN"},
		{math.Inf(1), "round 2: coordinate 1 of the action is +Inf"},
	} {
		t.Run(fmt.Sprint(c.x), func(t *testing.T) {
			l := &harnesstest.Learner{Play: func(t int, x []float64) {
				if x[0] = 0; t == 2 {
					x[0] = c.x
				}
			}}
			err := Play(t.Context(), l, harnesstest.LineRounds(1, harnesstest.Calm)(), 3)
			if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// fallibleStream is a stream whose functions can fail: failed is then why.
type fallibleStream struct {
	*harnesstest.Stream
	failed error
}

// Err implements [problems.Fallible].
func (s *fallibleStream) Err() error { return s.failed }

// Close implements [io.Closer]. It always fails.
func (s *fallibleStream) Close() error { return errors.New("closing failed") }

// Of all that fails in a game Play reports the failure of a function of the stream, also where the
// learner then panics or returns an error, then the failure of the learner, and then that of
// closing.
func TestPlayReportsTheCauseOfAFailedGame(t *testing.T) {
	panics := func() error { panic("the learner panics") }
	fails := func() error { return errors.New("the learner fails") }
	succeeds := func() error { return nil }
	for _, c := range []struct {
		name           string
		functionFails  bool
		learner        func() error // in round 2
		want           string
		wantCrashError bool
	}{
		{"function, then panic", true, panics, "round 2: the function failed", false},
		{"function, then error", true, fails, "round 2: the function failed", false},
		{"function alone", true, succeeds, "round 3: the function failed", false},
		{"panic", false, panics, "round 2: panic: the learner panics", true},
		{"error", false, fails, "round 2: the learner fails", false},
		{"closing", false, succeeds, "round 3: closing failed", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &fallibleStream{Stream: harnesstest.LineRounds(1, harnesstest.Calm)()}
			l := harnesstest.Still(algorithms.Setup{})
			l.Learn = func(round int, _ []float64, _ convex.Round) error {
				if round != 2 {
					return nil
				}
				if c.functionFails {
					s.failed = errors.New("the function failed")
				}
				return c.learner()
			}
			err := Play(t.Context(), l, s, 3)
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %q", err, c.want)
			}
			if crash := (*CrashError)(nil); errors.As(err, &crash) != c.wantCrashError {
				t.Errorf("got error %#v, want a CrashError: %v", err, c.wantCrashError)
			}
		})
	}
}
