// Package probtest is the conformance suite of problems: the laws that package
// problems states, and that learners, comparators and statistics rely on, checked
// on a generator.
//
// One line tests a registry, or a single problem:
//
//	func TestConformance(t *testing.T) { probtest.Run(t, myProblems...) }
//
// [Run] looks at what the entries say of themselves and then plays several
// hundred rounds of a few seeds of each problem at the parameters of its entry,
// and looks at its functions at sampled points. Seeds and points are fixed, so
// that a verdict does not change by itself. A failure names the law and the
// round, and says what to do. Other parameters are tested by another entry, and
// so is a problem with required parameters:
//
//	p.Params = MyParams{Margin: 0.5}
//	probtest.Run(t, p)
package probtest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// Law is a rule that problems keep.
type Law struct {
	Name   string
	Doc    string // the rule
	Remedy string // what to do where it is broken
	// Skip says why the rule does not apply to this problem, or returns "". It is nil
	// for a rule that applies to all.
	Skip  func(problems.Problem) string
	Check func(problems.Problem) error
}

// Test checks the law, unless there is a reason to skip it.
func (l Law) Test(p problems.Problem) (skip string, err error) {
	if l.Skip != nil {
		if skip = l.Skip(p); skip != "" {
			return skip, nil
		}
	}
	return "", l.Check(p)
}

// Run checks the entries with [Registry], and every law of [Laws] for each of
// them, in subtests NAME/LAW.
func Run(t *testing.T, all ...problems.Problem) {
	t.Helper()
	if err := Registry(all); err != nil {
		t.Error(err)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			for _, law := range Laws {
				t.Run(law.Name, func(t *testing.T) {
					skip, err := law.Test(p)
					switch {
					case skip != "":
						t.Skip(skip)
					case err != nil:
						t.Errorf("%s breaks the law %q (%s): %v\n%s", p.Name, law.Name, law.Doc, err, law.Remedy)
					}
				})
			}
		})
	}
}

// Laws are the rules that every problem keeps.
var Laws = []Law{
	{
		Name: "fingerprint",
		Doc: "parameters that name a file are loaded with a fingerprint that is not empty and does " +
			"not change, and then have the same rounds",
		Remedy: "Let Load read the file once, and return its content in the parameters and a digest " +
			"of its bytes.",
		Skip: func(p problems.Problem) string {
			if _, ok := p.Params.(problems.Loader); !ok {
				return "its parameters name no file"
			}
			return ""
		},
		Check: lawOf(fingerprint),
	},
	{
		Name: "shapes",
		Doc:  "every round has one loss and m constraints on ℝⁿ, with finite numbers",
		Remedy: "Let Reveal return a loss and as many constraints as Constraints says, at least 1, " +
			"and bound what is drawn.",
		Check: lawOf(shapes),
	},
	{
		Name: "forms",
		Doc:  "a function and its normal form have the same values",
		Remedy: "Make Value and AddTo of the function compute the same mathematics, or use a " +
			"function of package convex.",
		Skip: func(p problems.Problem) string {
			if isExternal(p) {
				return "a program gives the normal form alone"
			}
			return ""
		},
		Check: lawOf(forms),
	},
	{
		Name: "convex",
		Doc:  "functions are convex, and their subgradients are",
		Remedy: "Check the sign of every term, and the subgradient against finite differences of " +
			"Value.",
		Check: lawOf(convexity),
	},
	{
		Name: "replay",
		Doc:  "one seed, one stream, whatever other streams do meanwhile",
		Remedy: "Draw from the rng of New alone (a program: from the seed of the game), and keep no " +
			"state of other streams.",
		Check: lawOf(replay),
	},
	{
		Name:   "seeds",
		Doc:    "a stream that draws depends on its seed",
		Remedy: "Use what is drawn in the rounds. If nothing is to be random, do not draw.",
		Skip: func(p problems.Problem) string {
			if isExternal(p) {
				return "what a program draws is not seen; the law deterministic compares its seeds"
			}
			return ""
		},
		Check: lawOf(seeds),
	},
	{
		Name: "deterministic",
		Doc:  "Deterministic is declared where nothing is drawn, and only there",
		Remedy: "Declare Deterministic if no round depends on the rng of New, whatever the " +
			"parameters, and only then.",
		Check: lawOf(deterministic),
	},
	{
		Name:   "blind",
		Doc:    "rounds do not depend on the actions, unless Adaptive is declared, and then they do",
		Remedy: "Declare Adaptive if Reveal uses x, and only then.",
		Check:  lawOf(blind),
	},
	{
		Name: "untouchable",
		Doc: "whatever is written to a round or a set that was handed out, what comes later is the " +
			"same",
		Remedy: "Freeze functions that are revealed more than once (convex.Freeze), write all others " +
			"whole in every Reveal, and return Set().Clone() (problems.Instance does).",
		Skip:  inProcess,
		Check: lawOf(survivesOverwriting),
	},
	{
		Name: "facts",
		Doc:  "facts are finite, do not change, and the diameter is that of the set",
		Remedy: "Compute the facts in New, Adaptive, Deterministic and Rounds from the parameters " +
			"alone, and set Diameter to Set().Diameter(); 0 stands for an unknown constant.",
		Check: lawOf(facts),
	},
	{
		Name: "lipschitz",
		Doc:  "subgradients are no longer than declared",
		Remedy: "Raise the fact LossLipschitz or ConstraintLipschitz to a bound that holds for all " +
			"rounds and actions, or declare 0, unknown.",
		Skip: undeclared("loss_lipschitz and constraint_lipschitz",
			func(f convex.Facts) bool { return f.G() > 0 }),
		Check: lawOf(lipschitz),
	},
	{
		Name: "bounds",
		Doc:  "values are in the range declared",
		Remedy: "Raise the fact LossRange or ConstraintBound to a bound that holds for all rounds " +
			"and actions, or declare 0, unknown.",
		Skip: undeclared("loss_range and constraint_bound",
			func(f convex.Facts) bool { return max(f.LossRange, f.ConstraintBound) > 0 }),
		Check: lawOf(bounds),
	},
	{
		Name: "curvature",
		Doc:  "losses are as strongly convex as declared",
		Remedy: "Lower the fact Curvature to the least strong convexity of a loss; 0 for losses that " +
			"are not strongly convex.",
		Skip:  undeclared("curvature", func(f convex.Facts) bool { return f.Curvature != 0 }),
		Check: lawOf(curvature),
	},
	{
		Name: "slater",
		Doc:  "one point of the set satisfies all constraints with the margin declared",
		Remedy: "Lower the fact Slater to a margin that one action has in all rounds; 0 if there is " +
			"none.",
		Skip:  undeclared("slater", func(f convex.Facts) bool { return f.Slater != 0 }),
		Check: lawOf(slater),
	},
	{
		Name: "feasible",
		Doc: "some action satisfies all constraints of a round, in every round, if Feasible is " +
			"declared",
		Remedy: "Declare Feasible only if no round that may come is empty; it is not if a Slater " +
			"margin is declared.",
		Skip:  undeclared("feasible", func(f convex.Facts) bool { return f.Feasible }),
		Check: lawOf(feasible),
	},
	{
		Name:   "fixed",
		Doc:    "constraints do not change if Fixed is declared",
		Remedy: "Reveal the same functions in every round, or do not declare Fixed.",
		Skip:   undeclared("fixed", func(f convex.Facts) bool { return f.Fixed }),
		Check:  lawOf(fixed),
	},
	{
		Name:   "affine",
		Doc:    "constraints are affine if Affine is declared, and not all are if not",
		Remedy: "Declare Affine if all constraints of all rounds are affine, and only then.",
		Check:  lawOf(affine),
	},
	{
		Name:   "iid",
		Doc:    "constraints look independent and of one law if IID is declared",
		Remedy: "Declare IID only if the constraints of each round are drawn anew from one law.",
		Skip:   undeclared("iid", func(f convex.Facts) bool { return f.IID }),
		Check:  lawOf(iid),
	},
	{
		Name: "expectation",
		Doc: "an Expectation is m functions that do not change, and the averages of i.i.d. " +
			"constraints go to them",
		Remedy: "Let Expectation return E g_1, …, E g_m, or nil where it is not known; copy " +
			"functions that Reveal overwrites.",
		Check: lawOf(expectation),
	},
	{
		Name:   "known",
		Doc:    "known constraints are fixed",
		Remedy: "Declare KnownConstraints only together with Fixed.",
		Check:  lawOf(known),
	},
	{
		Name:   "allocations",
		Doc:    "Reveal does not allocate where constraints are affine",
		Remedy: "Make the functions in New, and let Reveal overwrite their numbers.",
		Skip:   inProcess,
		Check:  lawOf(allocations),
	},
}

// undeclared skips a law about facts that a problem does not declare. A stream that does not start,
// or whose facts panic, is left to the law.
func undeclared(names string, declares func(convex.Facts) bool) func(problems.Problem) string {
	return func(problem problems.Problem) (skip string) {
		p := &problemUnderTest{Problem: problem}
		defer func() {
			_ = p.close()
			if recover() != nil {
				skip = ""
			}
		}()
		for seed := range uint64(3) { // facts may depend on what is drawn
			s, _, err := p.start(seed)
			if err != nil || declares(s.Facts()) {
				return ""
			}
		}
		return "the facts do not declare " + names
	}
}

// isExternal reports whether a problem is that of another program.
func isExternal(p problems.Problem) bool { return p.Fingerprint != "" }

// inProcess skips a law about memory.
func inProcess(p problems.Problem) string {
	if isExternal(p) {
		return "a program shares no memory with this one"
	}
	return ""
}

// lawOf makes a check of a law; a panic breaks the law.
func lawOf(check func(*problemUnderTest) error) func(problems.Problem) error {
	return func(problem problems.Problem) (err error) {
		p := &problemUnderTest{Problem: problem}
		defer func() {
			closed := p.close()
			switch v := recover().(type) {
			case nil:
				if err == nil {
					err = closed
				}
			case *failure:
				err = fmt.Errorf("round %d: %w", v.t, &problems.FailedError{Reason: v.err.Error()})
			default:
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return check(p)
	}
}

// failure is the panic of a stream that can fail, and does.
type failure struct {
	t   int
	err error
}

// watched is a stream that can fail.
type watched struct{ problems.Fallible }

func (w watched) Reveal(t int, x []float64) *convex.Round {
	r := w.Fallible.Reveal(t, x)
	if err := w.Err(); err != nil {
		panic(&failure{t, err})
	}
	return r
}

// Expectation implements [problems.Expecter].
func (w watched) Expectation() []convex.Func {
	if e, ok := w.Fallible.(problems.Expecter); ok {
		return e.Expectation()
	}
	return nil
}

// Registry returns what is wrong with the entries of a registry: a missing name,
// sentence, reference, version or constructor, and names that are used twice.
func Registry(all []problems.Problem) error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Name] {
			errs = append(errs, fmt.Errorf("two problems are called %q", p.Name))
		}
		seen[p.Name] = true
		if err := entry(p); err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", p.Name, err))
		}
	}
	return errors.Join(errs...)
}

var kebab = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func entry(p problems.Problem) error {
	switch {
	case !kebab.MatchString(p.Name):
		return errors.New("the name is not in kebab-case")
	case p.Name == "all":
		return errors.New("the name all stands for every entry in experiments")
	case p.Doc == "" || strings.ContainsAny(p.Doc, "\n"):
		return errors.New("its Doc is not one sentence")
	case p.Reference == "":
		return errors.New("its Reference is empty")
	case p.Version < 1:
		return errors.New("its Version is not at least 1")
	case p.New == nil:
		return errors.New("its New is nil")
	case p.Params != nil && reflect.TypeOf(p.Params).Kind() != reflect.Struct:
		return fmt.Errorf("its Params is a %T, not a struct", p.Params)
	}
	return nil
}

// horizon is how many rounds are looked at; half of them where many points are.
const horizon = 600

// tol is for rounding.
const tol = 1e-9

// slopeTol is tol where subgradients may be differences of values: those of opaque streams.
func slopeTol(s problems.Stream) float64 {
	if s.Facts().Opaque {
		return 1e-6
	}
	return tol
}

// problemUnderTest holds a problem and the streams of it that a law has started.
type problemUnderTest struct {
	problems.Problem
	open []io.Closer // streams that hold resources
}

// close closes the streams: the process of one then reveals the next. The error is that of a
// stream that finds at the end that it has failed.
func (p *problemUnderTest) close() (err error) {
	for _, stream := range p.open {
		if wrong := stream.Close(); wrong != nil && err == nil {
			err = &problems.FailedError{Reason: wrong.Error()}
		}
	}
	p.open = nil
	return err
}

// start returns the stream of a seed and its source.
func (p *problemUnderTest) start(seed uint64) (problems.Stream, *source, error) {
	src := &source{pcg: rand.NewPCG(seed, 0)}
	stream, err := p.New(p.Params, rand.New(src))
	if err != nil {
		return nil, nil, fmt.Errorf("from New: %w", err)
	}
	if c, ok := stream.(io.Closer); ok {
		p.open = append(p.open, c)
	}
	if f, ok := stream.(problems.Fallible); ok {
		stream = watched{f}
	}
	return stream, src, nil
}

// source counts what is drawn.
type source struct {
	pcg   *rand.PCG
	draws int
}

func (s *source) Uint64() uint64 {
	s.draws++
	return s.pcg.Uint64()
}

// roundsChecked returns how many rounds of a stream are looked at.
func roundsChecked(s problems.Stream, most int) int {
	if n := s.Facts().Rounds; n > 0 {
		return min(n, most)
	}
	return most
}

// sampler draws points of a set: extreme points, and points between two of them.
type sampler struct {
	set    convex.Set
	rng    *rand.Rand
	dir, y []float64 // scratch
}

// newSampler returns a sampler that draws the same points for the same number.
func newSampler(set convex.Set, number int) *sampler {
	scratch := make([]float64, 2*set.Dim())
	return &sampler{set, rand.New(rand.NewPCG(17, uint64(number))), scratch[:set.Dim()],
		scratch[set.Dim():]}
}

func (s *sampler) point() []float64 {
	x := make([]float64, len(s.dir))
	s.extreme(x)
	if s.rng.IntN(2) == 0 {
		s.extreme(s.y)
		w := s.rng.Float64()
		for i := range x {
			x[i] = (1-w)*x[i] + w*s.y[i]
		}
	}
	return x
}

// extreme writes a point that maximises a direction to x.
func (s *sampler) extreme(x []float64) {
	for i := range s.dir {
		s.dir[i] = s.rng.NormFloat64()
	}
	s.set.Support(x, s.dir)
}

func (s *sampler) points(k int) [][]float64 {
	points := make([][]float64, k)
	for i := range points {
		points[i] = s.point()
	}
	return points
}

// errEnough ends [problemUnderTest.eachRound] for a stream of which the rest decides nothing.
var errEnough = errors.New("the rest decides nothing")

// eachRound calls f for the first rounds of three seeds, with the functions of a
// round: the loss is number 0. The list of the functions is written anew in each round.
func (p *problemUnderTest) eachRound(most int, f func(stream problems.Stream, t int,
	funcs []convex.Func) error) error {
	return p.eachStream(3, func(seed uint64, stream problems.Stream) error {
		sample := newSampler(stream.Set(), 0)
		var funcs []convex.Func
		for t := 1; t <= roundsChecked(stream, most); t++ {
			r := stream.Reveal(t, sample.point())
			funcs = append(append(funcs[:0], r.Loss), r.Constraints...)
			switch err := f(stream, t, funcs); {
			case err == errEnough:
				return nil
			case err != nil:
				return fmt.Errorf("seed %d, round %d: %w", seed, t, err)
			}
		}
		return nil
	})
}

// eachStream calls f for the streams of the first seeds, which it closes.
func (p *problemUnderTest) eachStream(seeds uint64, f func(seed uint64,
	stream problems.Stream) error) error {
	for seed := range seeds {
		stream, _, err := p.start(seed)
		if err != nil {
			return err
		}
		if err := f(seed, stream); err != nil {
			return err
		}
		if err := p.close(); err != nil {
			return err
		}
	}
	return nil
}

func functionName(j int) string {
	if j == 0 {
		return "the loss"
	}
	return fmt.Sprintf("constraint %d", j)
}

func finite(xs ...float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// fingerprint checks the law "fingerprint" of [Laws].
func fingerprint(p *problemUnderTest) error {
	params, first, err := problems.Load(p.Params)
	if err != nil {
		return err
	}
	if reflect.TypeOf(params) != reflect.TypeOf(p.Params) {
		return fmt.Errorf("a %T is loaded as a %T", p.Params, params)
	}
	if _, again, err := problems.Load(p.Params); first == "" || again != first || err != nil {
		return fmt.Errorf("%q, then %q (%v)", first, again, err)
	}
	loaded := &problemUnderTest{Problem: p.Problem}
	defer loaded.close()
	loaded.Params = params
	a, _, err := p.read(1, nil)
	if err != nil {
		return err
	}
	b, _, err := loaded.read(1, nil)
	if err != nil {
		return err
	}
	if t := differ(a, b, roundsChecked(a.stream, horizon)); t > 0 {
		return fmt.Errorf("round %d of the parameters and of what was loaded differ", t)
	}
	return nil
}

// shapes checks the law "shapes" of [Laws].
func shapes(p *problemUnderTest) error {
	return p.eachRound(horizon, func(stream problems.Stream, t int, funcs []convex.Func) error {
		n := stream.Set().Dim()
		if m := stream.Constraints(); m < 1 || len(funcs) != 1+m {
			return fmt.Errorf("%d constraints, the stream declares %d", len(funcs)-1, m)
		}
		x := newSampler(stream.Set(), t).point()
		grad := make([]float64, n)
		for j, f := range funcs {
			if f == nil {
				return fmt.Errorf("%s is nil", functionName(j))
			}
			f.Subgrad(grad, x)
			form := convex.Lower(f, n)
			if !finite(append(append(append(grad, f.Value(x), form.Const), form.Lin...), form.Quad...)...) {
				return fmt.Errorf("%s is %v with subgradient %v and form %+v at %v", functionName(j),
					f.Value(x), grad,
					form, x)
			}
		}
		return nil
	})
}

// magnitude returns the size of the numbers that make up f(x), which may cancel.
func magnitude(f *convex.Form, x []float64) float64 {
	v := math.Abs(f.Const)
	for i, xi := range x {
		v += math.Abs(f.Lin[i] * xi)
		if len(f.Quad) > 0 {
			for j, xj := range x {
				v += math.Abs(f.Quad[i*len(x)+j] * xi * xj)
			}
		}
	}
	for _, t := range f.Terms {
		v += math.Abs(t.Scale * t.Basis.Value(x))
	}
	return v
}

// forms checks the law "forms" of [Laws].
func forms(p *problemUnderTest) error {
	return p.eachRound(horizon/2, func(stream problems.Stream, t int, funcs []convex.Func) error {
		points := newSampler(stream.Set(), t).points(3)
		for j, f := range funcs {
			form := convex.Lower(f, stream.Set().Dim())
			for _, x := range points {
				if a, b := f.Value(x), form.Value(x); math.Abs(a-b) > tol*(math.Abs(a)+magnitude(form, x)) {
					return fmt.Errorf("%s is %v at %v, its form %v", functionName(j), a, x, b)
				}
			}
		}
		return nil
	})
}

// convexity checks the law "convex" of [Laws].
func convexity(p *problemUnderTest) error {
	var probe convex.Probe
	return p.eachRound(horizon/2, func(stream problems.Stream, t int, funcs []convex.Func) error {
		sample, grad := newSampler(stream.Set(), t), make([]float64, stream.Set().Dim())
		for j, f := range funcs {
			for range 3 {
				x, y := sample.point(), sample.point()
				fx, fy, above := probe.Chord(f, x, y)
				size := 1 + math.Abs(fx) + math.Abs(fy)
				if above < -tol*size {
					return fmt.Errorf("%s is, in the middle of %v and %v, %v above the mean of its values there, "+
						"%v and %v", functionName(j), x, y, -above, fx, fy)
				}
				f.Subgrad(grad, x)
				below := fx + vec.Dot(grad, y) - vec.Dot(grad, x)
				if fy < below-slopeTol(stream)*size {
					return fmt.Errorf("%s is %v at %v, below %v of its linearisation at %v", functionName(j), fy,
						y, below,
						x)
				}
			}
		}
		return nil
	})
}

// reading plays a stream one round at a time and returns values and
// subgradients of the functions at fixed points.
type reading struct {
	stream problems.Stream
	act    func(t int) []float64
	points [][]float64
	t      int
	round  *convex.Round // the last one
	funcs  []convex.Func // scratch
}

func (p *problemUnderTest) read(seed uint64, act func(t int) []float64) (*reading, *source, error) {
	stream, src, err := p.start(seed)
	if err != nil {
		return nil, nil, err
	}
	if act == nil {
		sample := newSampler(stream.Set(), 0)
		act = func(int) []float64 { return sample.point() }
	}
	return &reading{stream: stream, act: act, points: newSampler(stream.Set(), 0).points(3)}, src, nil
}

func (r *reading) next() []float64 {
	r.t++
	r.round = r.stream.Reveal(r.t, r.act(r.t))
	r.funcs = append(append(r.funcs[:0], r.round.Loss), r.round.Constraints...)
	n := len(r.points[0])
	numbers := make([]float64, n+len(r.funcs)*len(r.points)*(n+1))
	grad, out := numbers[:n], numbers[n:n]
	for _, f := range r.funcs {
		for _, x := range r.points {
			f.Subgrad(grad, x)
			out = append(append(out, f.Value(x)), grad...)
		}
	}
	return out
}

// differ returns the first round of n in which the streams differ, or 0.
func differ(a, b *reading, n int) int {
	for t := 1; t <= n; t++ {
		if !slices.Equal(a.next(), b.next()) {
			return t
		}
	}
	return 0
}

// replay checks the law "replay" of [Laws].
func replay(p *problemUnderTest) error {
	for seed := range uint64(3) {
		first, _, err := p.read(seed, nil)
		if err != nil {
			return err
		}
		n := roundsChecked(first.stream, horizon)
		var want [][]float64
		for range n {
			want = append(want, first.next())
		}
		p.close()
		second, _, err := p.read(seed, nil)
		if err != nil {
			return err
		}
		other, _, err := p.read(seed+100, nil)
		if err != nil {
			return err
		}
		for t := range n {
			other.next()
			if !slices.Equal(second.next(), want[t]) {
				return fmt.Errorf("seed %d played twice differs in round %d", seed, t+1)
			}
		}
	}
	return nil
}

// pair reads the streams of seeds 1 and 2 side by side. It returns the first stream, its source,
// and the first of n rounds in which the streams differ, or 0.
func (p *problemUnderTest) pair() (stream problems.Stream, src *source, n, t int, err error) {
	a, src, err := p.read(1, nil)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	b, _, err := p.read(2, nil)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	n = roundsChecked(a.stream, horizon)
	return a.stream, src, n, differ(a, b, n), nil
}

// seeds checks the law "seeds" of [Laws].
func seeds(p *problemUnderTest) error {
	_, src, _, t, err := p.pair()
	switch {
	case err != nil:
		return err
	case src.draws > 0 && t == 0:
		return fmt.Errorf("%d draws were made, but seeds 1 and 2 give the same rounds", src.draws)
	case src.draws == 0 && t > 0:
		return fmt.Errorf("nothing was drawn, but two streams differ in round %d", t)
	}
	return nil
}

// deterministic checks the law "deterministic" of [Laws].
func deterministic(p *problemUnderTest) error {
	stream, src, n, t, err := p.pair()
	if err != nil {
		return err
	}
	switch declared := stream.Facts().Deterministic; {
	case declared && src.draws > 0 && !isExternal(p.Problem):
		return fmt.Errorf("it is declared, and %d draws are made in %d rounds", src.draws, n)
	case declared && t > 0:
		return fmt.Errorf("it is declared, and seeds 1 and 2 differ in round %d", t)
	case !declared && (src.draws == 0 || t == 0 && isExternal(p.Problem)):
		return fmt.Errorf("it is not declared, and nothing is drawn in %d rounds", n)
	}
	return nil
}

// blind checks the law "blind" of [Laws].
func blind(p *problemUnderTest) error {
	a, _, err := p.read(1, nil)
	if err != nil {
		return err
	}
	// still, ahead and back are the projected origin and two opposite ends.
	still, ahead, back := make([]float64, a.stream.Set().Dim()), make([]float64, a.stream.Set().Dim()),
		make([]float64, a.stream.Set().Dim())
	a.stream.Set().Project(still, still)
	direction := make([]float64, len(still))
	direction[0] = 1
	convex.Extremes(a.stream.Set(), direction, ahead, back)
	acts, adaptive := [][]float64{nil, still}, a.stream.Facts().Adaptive
	if adaptive {
		acts = [][]float64{still, ahead, back}
	}
	for _, x := range acts {
		a, _, err := p.read(1, nil)
		if err != nil {
			return err
		}
		b, _, err := p.read(1, func(int) []float64 { return x })
		if err != nil {
			return err
		}
		switch t := differ(a, b, roundsChecked(a.stream, horizon)); {
		case adaptive && t > 0:
			return nil
		case t > 0:
			return fmt.Errorf("round %d depends on the actions", t)
		}
	}
	if adaptive {
		return errors.New("rounds are the same for all actions, but Adaptive is declared")
	}
	return nil
}

// facts checks the law "facts" of [Laws].
func facts(p *problemUnderTest) error {
	var before convex.Facts
	for seed := uint64(9); seed >= 2; seed-- {
		stream, _, err := p.start(seed)
		if err != nil {
			return err
		}
		f := stream.Facts()
		if seed < 9 && (f.Adaptive != before.Adaptive || f.Deterministic != before.Deterministic ||
			f.Rounds != before.Rounds) {
			return fmt.Errorf("seed %d: Adaptive, Deterministic and Rounds are %v, %v and %d, and with "+
				"seed %d %v, %v and %d",
				seed, f.Adaptive, f.Deterministic, f.Rounds, seed+1, before.Adaptive, before.Deterministic,
				before.Rounds)
		}
		before = f
		p.close()
	}
	stream, _, err := p.start(1)
	if err != nil {
		return err
	}
	before = stream.Facts()
	v := reflect.ValueOf(before)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Float64 && !(f.Float() >= 0 && finite(f.Float())) {
			return fmt.Errorf("%s is %v", v.Type().Field(i).Name, f.Float())
		}
	}
	if d := stream.Set().Diameter(); math.Abs(before.Diameter-d) > tol*d {
		return fmt.Errorf("the fact Diameter is %v, that of the set %v", before.Diameter, d)
	}
	for t := 1; t <= roundsChecked(stream, horizon); t++ {
		stream.Reveal(t, newSampler(stream.Set(), 0).point())
	}
	if after := stream.Facts(); after != before {
		return fmt.Errorf("%+v became %+v", before, after)
	}
	return nil
}

// lipschitz checks the law "lipschitz" of [Laws].
func lipschitz(p *problemUnderTest) error {
	var probe convex.Probe
	return p.eachRound(horizon, func(stream problems.Stream, t int, funcs []convex.Func) error {
		declared, points := stream.Facts(), newSampler(stream.Set(), t).points(4)
		for j, f := range funcs {
			most := declared.ConstraintLipschitz
			if j == 0 {
				most = declared.LossLipschitz
			}
			for _, x := range points {
				if slope := probe.Slope(f, x); most > 0 && slope > most*(1+slopeTol(stream)) {
					return fmt.Errorf("%s has a subgradient of length %v at %v, declared is %v", functionName(j),
						slope, x,
						most)
				}
			}
		}
		return nil
	})
}

// bounds checks the law "bounds" of [Laws].
func bounds(p *problemUnderTest) error {
	return p.eachRound(horizon, func(stream problems.Stream, t int, funcs []convex.Func) error {
		declared := stream.Facts()
		grad, points := make([]float64, stream.Set().Dim()), newSampler(stream.Set(), t).points(6)
		for j, f := range funcs {
			f.Subgrad(grad, points[0]) // the ends of an affine function
			convex.Extremes(stream.Set(), grad, points[1], points[2])
			low, high := math.Inf(1), math.Inf(-1)
			for _, x := range points {
				low, high = min(low, f.Value(x)), max(high, f.Value(x))
			}
			switch size := max(high, -low); {
			case j == 0 && declared.LossRange > 0 && high-low > declared.LossRange+tol*size:
				return fmt.Errorf("the loss has values from %v to %v, declared is a range of %v", low, high,
					declared.LossRange)
			case j > 0 && declared.ConstraintBound > 0 && size > declared.ConstraintBound*(1+tol):
				return fmt.Errorf("%s has values from %v to %v, declared is a bound of %v", functionName(j),
					low, high,
					declared.ConstraintBound)
			}
		}
		return nil
	})
}

// curvature checks the law "curvature" of [Laws].
func curvature(p *problemUnderTest) error {
	var probe convex.Probe
	return p.eachRound(horizon/2, func(stream problems.Stream, t int, funcs []convex.Func) error {
		sigma := stream.Facts().Curvature
		if sigma == 0 {
			return errEnough
		}
		points := newSampler(stream.Set(), t).points(6)
		for k, y := range points[1:] {
			x := points[k]
			fx, fy, above := probe.Chord(funcs[0], x, y)
			d := vec.Dist(x, y)
			if least := sigma / 8 * d * d; above < least-tol*(1+math.Abs(fx)+math.Abs(fy)) {
				return fmt.Errorf("in the middle of %v and %v the loss is %v below the mean of its values "+
					"there, less than the %v of curvature %v", x, y, above, least, sigma)
			}
		}
		return nil
	})
}

// slater checks the law "slater" of [Laws].
func slater(p *problemUnderTest) error {
	return p.eachStream(3, func(seed uint64, stream problems.Stream) error {
		margin := stream.Facts().Slater
		if margin == 0 {
			return nil
		}
		n := stream.Set().Dim()
		program, sample := convex.NewProgram(stream.Set()), newSampler(stream.Set(), 0)
		for t := 1; t <= roundsChecked(stream, horizon/2); t++ {
			for _, g := range stream.Reveal(t, sample.point()).Constraints {
				form := convex.Lower(g, n)
				form.Const += margin - 1e-7*(1+margin)
				program.Constrain(form)
			}
		}
		z := make([]float64, n)
		switch sol, err := program.Minimize(z, convex.NewForm(n)); {
		case err != nil:
			return fmt.Errorf("seed %d: no point with margin %v was found: %w", seed, margin, err)
		case sol.Residual > 1e-6:
			return fmt.Errorf("seed %d: no point with margin %v was found: the best is off by %v", seed,
				margin, sol.Residual)
		}
		return nil
	})
}

// feasible checks that every round has a feasible action. It solves a program only for
// rounds whose constraints the last action found does not satisfy.
func feasible(p *problemUnderTest) error {
	return p.eachStream(3, func(seed uint64, stream problems.Stream) error {
		if !stream.Facts().Feasible {
			return nil
		}
		n, slack := stream.Set().Dim(), tol*(1+stream.Facts().ConstraintBound)
		program, sample, z := convex.NewProgram(stream.Set()), newSampler(stream.Set(), 0),
			make([]float64, n)
		stream.Set().Project(z, z)
		for t := 1; t <= roundsChecked(stream, horizon); t++ {
			constraints := stream.Reveal(t, sample.point()).Constraints
			if !slices.ContainsFunc(constraints, func(g convex.Func) bool { return g.Value(z) > 0 }) {
				continue
			}
			program.Reset()
			for _, g := range constraints {
				form := convex.Lower(g, n)
				form.Const -= slack
				program.Constrain(form)
			}
			if _, err := program.Minimize(z, convex.NewForm(n)); err != nil {
				return fmt.Errorf("seed %d, round %d: no action satisfies all constraints: %w", seed, t, err)
			}
			for j, g := range constraints {
				if v := g.Value(z); v > 1e-6+slack {
					return fmt.Errorf("seed %d, round %d: no action satisfies all constraints: at the best %s "+
						"is %v", seed, t, functionName(j+1), v)
				}
			}
		}
		return nil
	})
}

// fixed checks the law "fixed" of [Laws].
func fixed(p *problemUnderTest) error {
	var first []*convex.Form
	return p.eachRound(horizon, func(stream problems.Stream, t int, funcs []convex.Func) error {
		if !stream.Facts().Fixed {
			return errEnough
		}
		if t == 1 {
			first = nil
		}
		for j, f := range funcs[1:] {
			form := convex.Lower(f, stream.Set().Dim())
			if t == 1 {
				first = append(first, form)
				continue
			}
			// Equal coefficients and the same bases, by pointer: the kernel
			// recognises equal constraints by their forms.
			if a := first[j]; a.Const != form.Const || !slices.Equal(a.Lin, form.Lin) ||
				!slices.Equal(a.Quad, form.Quad) || !slices.Equal(a.Terms, form.Terms) {
				return fmt.Errorf("%s has the form %+v, in round 1 %+v", functionName(j+1), form, a)
			}
		}
		return nil
	})
}

// affine checks the law "affine" of [Laws].
func affine(p *problemUnderTest) error {
	allAffine, declared := true, false
	err := p.eachRound(horizon, func(stream problems.Stream, t int, funcs []convex.Func) error {
		declared = stream.Facts().Affine
		n := stream.Set().Dim()
		for j, f := range funcs[1:] {
			form := convex.Lower(f, n)
			plain := !slices.ContainsFunc(form.Quad, func(v float64) bool { return v != 0 })
			for _, term := range form.Terms {
				basis, ok := term.Basis.Expand(n)
				plain = plain && ok && !slices.ContainsFunc(basis.Quad, func(v float64) bool { return v != 0 })
			}
			allAffine = allAffine && plain
			switch {
			case plain:
			case declared:
				return fmt.Errorf("%s is not affine", functionName(j+1))
			default:
				return errEnough
			}
		}
		return nil
	})
	if err == nil && allAffine && !declared {
		return errors.New("all constraints are affine, but Affine is not declared")
	}
	return err
}

// iid compares means of values in the two halves of 2000 rounds, and looks at
// the correlation of neighbours: within six standard errors.
func iid(p *problemUnderTest) error {
	for seed := range uint64(2) {
		r, _, err := p.read(seed, nil)
		if err != nil || !r.stream.Facts().IID {
			return err
		}
		n := roundsChecked(r.stream, 2000) / 2 * 2
		if n < 100 {
			return nil
		}
		var series [][]float64
		for range n {
			numbers := r.next()[len(r.points)*(1+r.stream.Set().Dim()):] // but for the loss
			for k, v := range numbers {
				if k == len(series) {
					series = append(series, nil)
				}
				series[k] = append(series[k], v)
			}
		}
		for k, xs := range series {
			m1, v1 := moments(xs[:n/2])
			m2, v2 := moments(xs[n/2:])
			mean, variance := moments(xs)
			if gap := math.Abs(m1 - m2); gap > 6*math.Sqrt((v1+v2)/float64(n/2))+
				tol*(math.Abs(m1)+math.Abs(m2)) {
				return fmt.Errorf("seed %d: number %d of a round has mean %v in the first %d rounds and %v "+
					"in the next", seed, k, m1, n/2, m2)
			}
			lagged := 0.0
			for i := 1; i < n; i++ {
				lagged += (xs[i] - mean) * (xs[i-1] - mean)
			}
			if c := lagged / float64(n); math.Abs(c) > 6*variance/math.Sqrt(float64(n))+tol*mean*mean {
				return fmt.Errorf("seed %d: number %d of a round has correlation %v with the round before",
					seed, k, c/variance)
			}
		}
	}
	return nil
}

func moments(xs []float64) (mean, variance float64) {
	mean = vec.Sum(xs) / float64(len(xs))
	for _, x := range xs {
		variance += (x - mean) * (x - mean)
	}
	return mean, variance / float64(len(xs))
}

// expectation compares means of 2000 rounds with the declared expectation: within six
// standard errors.
func expectation(p *problemUnderTest) error {
	return p.eachStream(2, func(seed uint64, stream problems.Stream) error {
		e, ok := stream.(problems.Expecter)
		if !ok || e.Expectation() == nil {
			return nil
		}
		means := e.Expectation()
		if m := stream.Constraints(); len(means) != m {
			return fmt.Errorf("seed %d: %d functions for %d constraints", seed, len(means), m)
		}
		points := newSampler(stream.Set(), 0).points(3)
		want := make([][]float64, len(means))
		for j, f := range means {
			for _, x := range points {
				want[j] = append(want[j], f.Value(x))
			}
		}
		n := roundsChecked(stream, 2000)
		values := make([][][]float64, len(means)) // by constraint and point
		for j := range values {
			values[j] = make([][]float64, len(points))
		}
		for t := 1; t <= n; t++ {
			for j, g := range stream.Reveal(t, points[0]).Constraints {
				for k, x := range points {
					values[j][k] = append(values[j][k], g.Value(x))
				}
			}
		}
		for j, f := range means {
			for k, x := range points {
				if v := f.Value(x); v != want[j][k] {
					return fmt.Errorf("seed %d: the expectation of %s at %v was %v and is %v", seed,
						functionName(j+1), x,
						want[j][k], v)
				}
				mean, variance := moments(values[j][k])
				if off := math.Abs(mean - want[j][k]); stream.Facts().IID &&
					off > 6*math.Sqrt(variance/float64(n))+tol*math.Abs(mean) {
					return fmt.Errorf("seed %d: %s is %v on average at %v, said is %v", seed, functionName(j+1),
						mean, x,
						want[j][k])
				}
			}
		}
		return nil
	})
}

// known checks the law "known" of [Laws].
func known(p *problemUnderTest) error {
	stream, _, err := p.start(1)
	if err != nil {
		return err
	}
	if f := stream.Facts(); f.KnownConstraints && !f.Fixed {
		return errors.New("KnownConstraints is declared and Fixed is not: what is known of constraints " +
			"that change is only their shape")
	}
	return nil
}

// allocations checks the law "allocations" of [Laws].
func allocations(p *problemUnderTest) error {
	stream, _, err := p.start(1)
	if err != nil || !stream.Facts().Affine {
		return err
	}
	x := newSampler(stream.Set(), 0).point()
	runs := roundsChecked(stream, 200) - 1
	if runs < 1 {
		return nil
	}
	t := 0
	if n := testing.AllocsPerRun(runs, func() {
		t++
		stream.Reveal(t, x)
	}); n > 0 {
		return fmt.Errorf("%v allocations a round", n)
	}
	return nil
}
