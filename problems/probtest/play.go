package probtest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/problems"
)

// This file starts the streams of a problem under test, plays them, and samples points of their
// sets. All seeds and points are fixed.

// streamFailure is the value with which [watchedStream] panics.
type streamFailure struct {
	t   int
	err error
}

// watchedStream panics with a *streamFailure in the round in which a stream fails.
type watchedStream struct{ problems.Fallible }

// Reveal implements [problems.Stream].
func (w watchedStream) Reveal(t int, x []float64) *convex.Round {
	r := w.Fallible.Reveal(t, x)
	if err := w.Err(); err != nil {
		panic(&streamFailure{t, err})
	}
	return r
}

// Expectation implements [problems.Expecter].
func (w watchedStream) Expectation() []convex.Func {
	if e, ok := w.Fallible.(problems.Expecter); ok {
		return e.Expectation()
	}
	return nil
}

// maxRounds is how many rounds of a stream most laws examine. Laws that look at many points of
// each round examine half of them.
const maxRounds = 600

// roundingTol is the relative tolerance for rounding errors.
const roundingTol = 1e-9

// slopeTol returns the relative tolerance for subgradients. Those of an opaque stream may be
// differences of values, which are less accurate.
func slopeTol(s problems.Stream) float64 {
	if s.Facts().Opaque {
		return 1e-6
	}
	return roundingTol
}

// problemUnderTest holds a problem and the streams that a law has started.
type problemUnderTest struct {
	problems.Problem
	openStreams []io.Closer // streams that hold resources
}

// close closes the open streams, so that a program can reveal another stream. It returns an error
// if a stream finds only then that it has failed.
func (p *problemUnderTest) close() (err error) {
	for _, stream := range p.openStreams {
		if wrong := stream.Close(); wrong != nil && err == nil {
			err = &problems.FailedError{Reason: wrong.Error()}
		}
	}
	p.openStreams = nil
	return err
}

// start returns the stream of a seed, and the source of its random numbers.
func (p *problemUnderTest) start(seed uint64) (problems.Stream, *countingSource, error) {
	src := &countingSource{pcg: rand.NewPCG(seed, 0)}
	stream, err := p.New(p.Params, rand.New(src))
	if err != nil {
		return nil, nil, fmt.Errorf("from New: %w", err)
	}
	if c, ok := stream.(io.Closer); ok {
		p.openStreams = append(p.openStreams, c)
	}
	if f, ok := stream.(problems.Fallible); ok {
		stream = watchedStream{f}
	}
	return stream, src, nil
}

// countingSource counts the numbers that are drawn.
type countingSource struct {
	pcg   *rand.PCG
	draws int
}

// Uint64 implements [rand.Source].
func (s *countingSource) Uint64() uint64 {
	s.draws++
	return s.pcg.Uint64()
}

// roundsChecked returns how many rounds of a stream are examined: at most so many, and no more than
// the stream has.
func roundsChecked(s problems.Stream, most int) int {
	if n := s.Facts().Rounds; n > 0 {
		return min(n, most)
	}
	return most
}

// sampler draws extreme points of a set, and points on the segment between two of them.
type sampler struct {
	set    convex.Set
	rng    *rand.Rand
	dir, y []float64 // scratch
}

// newSampler returns a sampler of the set. Samplers with the same number draw the same points.
func newSampler(set convex.Set, number int) *sampler {
	scratch := make([]float64, 2*set.Dim())
	return &sampler{set, rand.New(rand.NewPCG(17, uint64(number))), scratch[:set.Dim()],
		scratch[set.Dim():]}
}

// drawPoint returns a new point.
func (s *sampler) drawPoint() []float64 {
	x := make([]float64, len(s.dir))
	s.drawExtreme(x)
	if s.rng.IntN(2) == 0 {
		s.drawExtreme(s.y)
		w := s.rng.Float64()
		for i := range x {
			x[i] = (1-w)*x[i] + w*s.y[i]
		}
	}
	return x
}

// drawExtreme writes to x the point of the set that is farthest in a random direction.
func (s *sampler) drawExtreme(x []float64) {
	for i := range s.dir {
		s.dir[i] = s.rng.NormFloat64()
	}
	s.set.Support(x, s.dir)
}

// drawPoints returns k new points.
func (s *sampler) drawPoints(k int) [][]float64 {
	points := make([][]float64, k)
	for i := range points {
		points[i] = s.drawPoint()
	}
	return points
}

// errEnough ends [problemUnderTest.eachRound] for a stream whose further rounds cannot change the
// verdict.
var errEnough = errors.New("the rest decides nothing")

// eachRound calls f for at most the given number of rounds of the streams of three seeds. funcs
// holds the loss and then the constraints of the round, and is overwritten by the next one. If f
// returns errEnough, the next stream follows.
func (p *problemUnderTest) eachRound(most int, f func(stream problems.Stream, t int,
	funcs []convex.Func) error) error {
	return p.eachStream(3, func(seed uint64, stream problems.Stream) error {
		sample := newSampler(stream.Set(), 0)
		var funcs []convex.Func
		for t := 1; t <= roundsChecked(stream, most); t++ {
			r := stream.Reveal(t, sample.drawPoint())
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

// eachStream calls f for the stream of each of the first seeds, and then closes the stream.
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

// functionName names a function of a round: 0 is the loss, and j is constraint j.
func functionName(j int) string {
	if j == 0 {
		return "the loss"
	}
	return fmt.Sprintf("constraint %d", j)
}

// allFinite reports whether no number is NaN or infinite.
func allFinite(xs ...float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// streamReader plays a stream one round at a time, and turns every round into a list of numbers.
type streamReader struct {
	stream problems.Stream
	source *countingSource // of its random numbers
	// act returns the action of a round.
	act func(t int) []float64
	// points are where the functions are evaluated.
	points [][]float64
	t      int
	round  *convex.Round // the last one
	funcs  []convex.Func // scratch
}

// newReader returns a reader of the stream of a seed. If act is nil, the actions are sampled, the
// same for every reader.
func (p *problemUnderTest) newReader(seed uint64,
	act func(t int) []float64) (*streamReader, error) {
	stream, source, err := p.start(seed)
	if err != nil {
		return nil, err
	}
	if act == nil {
		sample := newSampler(stream.Set(), 0)
		act = func(int) []float64 { return sample.drawPoint() }
	}
	points := newSampler(stream.Set(), 0).drawPoints(3)
	return &streamReader{stream: stream, source: source, act: act, points: points}, nil
}

// next plays the next round, and returns the values and subgradients of its functions at the points
// of the reader: the loss first, point after point.
func (r *streamReader) next() []float64 {
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

// firstDifference returns the first round of n in which the two streams differ, or 0.
func firstDifference(a, b *streamReader, n int) int {
	for t := 1; t <= n; t++ {
		if !slices.Equal(a.next(), b.next()) {
			return t
		}
	}
	return 0
}
