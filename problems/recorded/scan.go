package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// This file reads rounds for the first time. It checks them, finds their facts, and keeps their
// functions unless they are in a large file.

// scanner is what is known of the rounds so far.
type scanner struct {
	roundReader
	again *onDisk // the file, if it may be read again

	facts         convex.Facts  // of the rounds
	contradiction string        // the first function that is not as declared
	changed       bool          // constraints change
	fixed         []convex.Func // the constraints of round 1
	first         []wire.Function
	kept          []convex.Func // a round after the other, the loss first; nil of a large file

	matrix       []float64 // of the last loss
	center       []float64 // of the domain
	domainRadius float64   // at least the distance of every point of the domain from the centre
	known        map[*convex.Basis]bound
	curved       map[*convex.Basis]float64 // the curvature of each
}

// read reads a recording, and returns the digest of its text. A text in a file is read again if it
// is large.
func read(r io.Reader, file string, again *onDisk) (*Recording, string, error) {
	file = input.Shown(file)
	s := &scanner{roundReader: roundReader{file: file}, again: again,
		known: make(map[*convex.Basis]bound), curved: make(map[*convex.Basis]float64)}
	s.digest = sha256.New()
	err := s.lines(r, func() {
		if s.domain == nil {
			s.firstLine()
		} else if s.round(); s.Err == nil {
			s.addRound()
		}
	})
	const expected = `expected a first line {"domain":…,"constraints":m} and then a line ` +
		`{"t":1,"loss":{"form":…},"constraints":[{"form":…},…]} for each round, as bench play writes them`
	switch {
	case err != nil:
		return nil, "", err
	case s.domain == nil:
		return nil, "", fmt.Errorf("%s:1: the file is empty (%s)", file, expected)
	case s.t == 0:
		return nil, "", fmt.Errorf("%s:%d: the file ends before the first round (%s)", file, s.line,
			expected)
	}
	facts, err := s.mergeDeclaredFacts()
	if err != nil {
		return nil, "", err
	}
	rec := &Recording{Domain: s.domain, Constraints: s.m, Facts: facts, Bases: s.Bases(),
		funcs: s.kept, again: s.Again()}
	if s.kept == nil {
		rec.text = again
	}
	if facts.Fixed {
		rec.Fixed = s.fixed
	}
	if err := rec.addMargin(&s.header); err != nil {
		return nil, "", err
	}
	for _, f := range s.header.mean {
		rec.Expectation = append(rec.Expectation, convex.Freeze(f.Func()))
	}
	return rec, hex.EncodeToString(s.digest.Sum(nil)), nil
}

// addRound adds the round that was read to the facts, and keeps its functions.
func (s *scanner) addRound() {
	if s.t == 1 {
		s.center, s.domainRadius = enclosingBall(s.domain)
		s.facts = convex.Facts{Diameter: s.domain.Diameter(), Affine: true, Deterministic: true,
			Fixed: true, Curvature: math.Inf(1)}
		s.kept = []convex.Func{}
	}
	if s.again != nil && s.size >= large {
		s.kept = nil
	}
	s.facts.Rounds = s.t
	for index := range s.funcs {
		f := &s.funcs[index]
		b := s.addFacts(f, index)
		s.verify(f, index, b)
		frozen, j := convex.Freeze(f.Func()), index-1
		switch {
		case index == 0:
			s.addCurvature(f)
		case s.t == 1:
			s.first, s.fixed = append(s.first, *f), append(s.fixed, frozen)
			s.facts.Fixed = s.facts.Fixed && (s.header.mean == nil || f.Equal(&s.header.mean[j]))
		case f.Equal(&s.first[j]):
			frozen = s.fixed[j] // one object for equal functions
		default:
			s.facts.Fixed, s.changed = false, true
		}
		if s.kept != nil {
			s.kept = append(s.kept, frozen)
		}
	}
}

// verify records a fault if the value that the file claims of a function at x is not that of its
// form. The terms of the form, which may cancel, are not larger than its value at the centre and
// its slope allow.
func (s *scanner) verify(f *wire.Function, index int, b bound) {
	c := s.claims[index]
	if s.x == nil || c.at < 0 || s.Err != nil {
		return
	}
	v := f.Func().Value(s.x)
	termSize := math.Abs(v) + math.Abs(c.value) + math.Abs(b.value) +
		float64(b.lipschitz*(vec.Norm(s.x)+vec.Norm(s.center)))
	if math.IsNaN(termSize) && !math.IsNaN(v) { // slopes too large to bound
		termSize = math.Inf(1)
	}
	if !(math.Abs(v-c.value) <= 1e-6*termSize) {
		s.Fault(c.at, "value of %s is %v, but its form at x is %v; correct one of them, or leave out "+
			"value", nameOf(index), c.value, v)
	}
}

// nameOf returns the name of a function of a round.
func nameOf(index int) string {
	if index == 0 {
		return "loss"
	}
	return fmt.Sprintf("constraint %d", index)
}
