package problems

import (
	"errors"
	"io"
	"math/rand/v2"

	"ocobench/convex"
)

// The constraints of a problem may be combined: a stream then reveals the one constraint
// max_j g_{t,j}, which an action satisfies exactly if it satisfies all of them. It is kept whole,
// as a [convex.Max].

// Combined returns the problem whose streams reveal the largest of their constraints as their only
// one. Everything else in the rounds is as with the same parameters and seed; with one constraint
// nothing changes.
//
// All facts stay but two, with more than one constraint: the largest of affine constraints is not
// affine, and the largest of perturbed ones is perturbed only if it is fixed. The expectation is
// known only if the constraints are fixed.
func (p Problem) Combined() Problem {
	start := p.New
	p.New = func(params any, rng *rand.Rand) (Stream, error) {
		s, err := start(params, rng)
		if err != nil || s.Constraints() < 2 {
			return s, err
		}
		if s.Facts().Opaque {
			if c, ok := s.(io.Closer); ok {
				c.Close()
			}
			return nil, errors.New("the functions of the problem are opaque, and only it can reveal the " +
				"largest of its constraints; leave out combine=max")
		}
		return &combinedStream{Stream: s, n: s.Set().Dim()}, nil
	}
	return p
}

// combinedStream reveals the rounds of a stream with the largest of the constraints as one.
type combinedStream struct {
	Stream
	n     int
	known []largest // the latest different ones, so that one that recurs has the same basis
	next  int       // the index in known that is overwritten next
	round convex.Round
	list  [1]convex.Func
}

// largest is a function max_j g_{t,j} that was revealed, with its basis.
type largest struct {
	*convex.Max
	basis *convex.Basis
}

// maxKnown is the number of functions max_j g_{t,j} that are kept and looked up.
const maxKnown = 64

// Constraints implements [Stream].
func (s *combinedStream) Constraints() int { return 1 }

// Facts implements [Stream].
func (s *combinedStream) Facts() convex.Facts {
	f := s.Stream.Facts()
	f.Affine, f.Perturbed = false, f.Perturbed && f.Fixed
	return f
}

// Reveal implements [Stream].
func (s *combinedStream) Reveal(t int, x []float64) *convex.Round {
	r := s.Stream.Reveal(t, x)
	if f, ok := s.Stream.(Fallible); ok && f.Err() != nil {
		return r
	}
	s.list[0] = s.basis(r.Constraints)
	s.round = convex.Round{Loss: r.Loss, Constraints: s.list[:]}
	return &s.round
}

// basis returns the largest of these constraints. If the same function was revealed lately, it
// returns the same basis, so that sums contain multiples of one function and not its copies.
func (s *combinedStream) basis(constraints []convex.Func) *convex.Basis {
	now := convex.NewMax(s.n, constraints...)
	for _, old := range s.known {
		if now.Equal(old.Max) {
			return old.basis
		}
	}
	add := largest{now, convex.NewBasis(now)}
	if len(s.known) < maxKnown {
		s.known = append(s.known, add)
	} else {
		s.known[s.next] = add
		s.next = (s.next + 1) % maxKnown
	}
	return add.basis
}

// Expectation implements [Expecter]. It is known for fixed constraints only.
func (s *combinedStream) Expectation() []convex.Func {
	e, ok := s.Stream.(Expecter)
	if !ok || !s.Stream.Facts().Fixed {
		return nil
	}
	means := e.Expectation()
	if means == nil {
		return nil
	}
	return []convex.Func{s.basis(means)}
}

// DeclaredSet implements [Declarer]. X^min is the same as before; for sums of constraints the sets
// differ.
func (s *combinedStream) DeclaredSet() string {
	d, ok := s.Stream.(Declarer)
	if !ok {
		return ""
	}
	set := d.DeclaredSet()
	if set != "" && set != "xmin" {
		return OwnSet
	}
	return set
}

// Hindsight implements [Declarer].
func (s *combinedStream) Hindsight(t int, action []float64) (float64, error) {
	return s.Stream.(Declarer).Hindsight(t, action)
}

// Bases implements [Sharer] by the bases of the stream and, if the constraints are fixed, the
// largest of them.
func (s *combinedStream) Bases() []*convex.Basis {
	bases := BasesOf(s.Stream)
	for _, g := range s.Expectation() {
		bases = append(bases[:len(bases):len(bases)], g.(*convex.Basis))
	}
	return bases
}

// Err implements [Fallible].
func (s *combinedStream) Err() error {
	if f, ok := s.Stream.(Fallible); ok {
		return f.Err()
	}
	return nil
}

// Close implements [io.Closer].
func (s *combinedStream) Close() error {
	if c, ok := s.Stream.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}
