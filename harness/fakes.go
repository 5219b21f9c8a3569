package harness

import (
	"math/rand/v2"
	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/spec"
	"ocobench/problems"
	"slices"
	"testing"
)

// stream is a problem made for a test.
type stream struct {
	set    convex.Set
	m      int
	facts  convex.Facts
	reveal func(t int, x []float64) convex.Round
}

func (s *stream) Set() convex.Set { return s.set }

func (s *stream) Constraints() int { return s.m }

func (s *stream) Facts() convex.Facts { return s.facts }

func (s *stream) Reveal(t int, x []float64) *convex.Round { r := s.reveal(t, x); return &r }

// problem is a problem with this stream.
func problem(name string, s func() *stream) problems.Problem {
	return problems.Problem{Name: name, Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) { return s(), nil }}
}

// learner is an algorithm made for a test: act writes x_t; a nil observe
// learns nothing.
type learner struct {
	act     func(t int, x []float64)
	observe func(t int, x []float64, r convex.Round) error
	t       int
}

func (l *learner) Act(dst []float64) { l.act(l.t+1, dst) }

func (l *learner) Observe(x []float64, r convex.Round) error {
	l.t++
	if l.observe == nil {
		return nil
	}
	return l.observe(l.t, x, r)
}

// algorithm is an algorithm with this learner.
func algorithm(name string, l func(algorithms.Setup) *learner) algorithms.Algorithm {
	return algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
		New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) { return l(s), nil }}
}

// still plays the origin.
func still(algorithms.Setup) *learner {
	return &learner{act: func(_ int, x []float64) { clear(x) }}
}

// affine is a·x + b on the line.
func affine(a, b float64) convex.Func { return &convex.Affine{A: []float64{a}, B: b} }

// lineRounds is a problem on [−1, 1] with these rounds.
func lineRounds(m int, reveal func(t int) convex.Round) func() *stream {
	return func() *stream {
		return &stream{set: convex.Cube(1, -1, 1), m: m,
			reveal: func(t int, _ []float64) convex.Round { return reveal(t) }}
	}
}

// calm is x with the constraint x ≤ ½.
func calm(int) convex.Round {
	return convex.Round{Loss: affine(1, 0), Constraints: []convex.Func{affine(1, -0.5)}}
}

// start starts a problem of the program, by its SPEC, with seed 1.
func start(t testing.TB, text string) problems.Stream {
	t.Helper()
	return startSeed(t, text, 1)
}

// startSeed starts a problem of the program, by its SPEC, with a seed.
func startSeed(t testing.TB, text string, seed uint64) problems.Stream {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := problems.Lookup(problems.All, u.Name)
	if !ok {
		t.Fatalf("there is no problem %s", u.Name)
	}
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
	s, err := p.New(params, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// startLearner starts an algorithm of the program, by its SPEC, on a stream.
func startLearner(t testing.TB, text string, s problems.Stream, horizon int) algorithms.Learner {
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

// opaque is a convex function known by value and subgradient only.
type opaque struct {
	F    func(x []float64) float64
	Grad func(dst, x []float64) // writes a subgradient at x to dst
}

func (f *opaque) Value(x []float64) float64 { return f.F(x) }

func (f *opaque) Subgrad(dst, x []float64) { f.Grad(dst, x) }
