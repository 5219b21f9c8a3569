// Package harnesstest has streams, learners and functions for tests: [Stream], [Learner] and
// [Opaque] are given by their fields, and [Start] and [StartLearner] start problems and algorithms
// of the program by their SPECs.
package harnesstest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment/spec"
	"ocobench/problems"
)

// Stream implements [problems.Stream] by its fields.
type Stream struct {
	Domain   convex.Set
	Count    int // the number of constraints
	Declared convex.Facts
	Round    func(t int, x []float64) convex.Round
}

// Set implements [problems.Stream].
func (s *Stream) Set() convex.Set { return s.Domain }

// Constraints implements [problems.Stream].
func (s *Stream) Constraints() int { return s.Count }

// Facts implements [problems.Stream].
func (s *Stream) Facts() convex.Facts { return s.Declared }

// Reveal implements [problems.Stream].
func (s *Stream) Reveal(t int, x []float64) *convex.Round { r := s.Round(t, x); return &r }

// Problem returns a problem with this stream.
func Problem(name string, s func() *Stream) problems.Problem {
	return problems.Problem{Name: name, Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) { return s(), nil }}
}

// Learner implements [algorithms.Learner] by its fields. Play writes x_t. Learn may be nil.
type Learner struct {
	Play   func(t int, x []float64)
	Learn  func(t int, x []float64, r convex.Round) error
	Rounds int // observed so far
}

// Act implements [algorithms.Learner].
func (l *Learner) Act(dst []float64) { l.Play(l.Rounds+1, dst) }

// Observe implements [algorithms.Learner].
func (l *Learner) Observe(x []float64, r convex.Round) error {
	l.Rounds++
	if l.Learn == nil {
		return nil
	}
	return l.Learn(l.Rounds, x, r)
}

// Algorithm returns an algorithm with this learner.
func Algorithm(name string, l func(algorithms.Setup) *Learner) algorithms.Algorithm {
	return algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
		New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) { return l(s), nil }}
}

// Still returns a learner that plays the origin in every round.
func Still(algorithms.Setup) *Learner {
	return &Learner{Play: func(_ int, x []float64) { clear(x) }}
}

// Affine returns a·x + b on the line.
func Affine(a, b float64) convex.Func { return &convex.Affine{A: []float64{a}, B: b} }

// LineRounds returns a stream on [−1, 1] with m constraints and these rounds.
func LineRounds(m int, reveal func(t int) convex.Round) func() *Stream {
	return func() *Stream {
		return &Stream{Domain: convex.Cube(1, -1, 1), Count: m,
			Round: func(t int, _ []float64) convex.Round { return reveal(t) }}
	}
}

// Calm returns the same round for every t, in which nothing is difficult: the loss x with the
// constraint x ≤ ½.
func Calm(int) convex.Round {
	return convex.Round{Loss: Affine(1, 0), Constraints: []convex.Func{Affine(1, -0.5)}}
}

// Start starts a problem of the program, by its SPEC, with seed 1.
func Start(t testing.TB, text string) problems.Stream {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := problems.Lookup(problems.All, u.Name)
	if !ok {
		t.Fatalf("there is no problem %s", u.Name)
	}
	// Every problem has the parameter combine, which is not among its own: it replaces the
	// constraints by their maximum.
	if k := slices.IndexFunc(u.Args, func(a spec.Arg) bool { return a.Key == "combine" }); k >= 0 {
		u.Args, p = slices.Delete(u.Args, k, k+1), p.Combined()
	}
	params, err := u.Apply(p.Params)
	if err == nil {
		params, _, err = problems.Load(params)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.New(params, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// StartLearner starts an algorithm of the program, by its SPEC, on a stream.
func StartLearner(t testing.TB, text string, s problems.Stream, horizon int) algorithms.Learner {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := algorithms.Lookup(algorithms.All, u.Name)
	if !ok {
		t.Fatalf("there is no algorithm %s", u.Name)
	}
	params, err := u.Apply(a.Params)
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Start(params, algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(),
		Facts: s.Facts(), Horizon: horizon, Replicate: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// FirstRounds returns the coefficients of the first rounds of a stream.
func FirstRounds(t testing.TB, s problems.Stream, rounds int) (out []float64) {
	t.Helper()
	appendForm := func(f convex.Func) {
		form := convex.Lower(f, s.Set().Dim())
		out = append(append(out, form.Const), form.Lin...)
	}
	for i := range rounds {
		r := s.Reveal(i+1, nil)
		appendForm(r.Loss)
		for _, g := range r.Constraints {
			appendForm(g)
		}
	}
	return out
}

// Opaque holds a convex function that is known by value and subgradient only.
type Opaque struct {
	F    func(x []float64) float64
	Grad func(dst, x []float64) // writes a subgradient at x to dst
}

// Value implements [convex.Func].
func (f *Opaque) Value(x []float64) float64 { return f.F(x) }

// Subgrad implements [convex.Func].
func (f *Opaque) Subgrad(dst, x []float64) { f.Grad(dst, x) }

// Recorded writes rounds to a path, and returns the SPEC of their problem.
func Recorded(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return "trace:file=" + path
}

// ExpectedStream adds to a stream the means of its random constraints: it implements
// [problems.Expecter].
type ExpectedStream struct {
	*Stream
	Mean []convex.Func
}

// Expectation returns Mean.
func (o *ExpectedStream) Expectation() []convex.Func { return o.Mean }
