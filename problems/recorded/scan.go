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

// scanner reads rounds for the first time, and holds what is known of them so far.
type scanner struct {
	roundReader
	again *rereadFile // the file, nil if it cannot be read again

	facts         convex.Facts // computed from the rounds
	contradiction string       // the first function that is not as declared
	changed       bool         // constraints differ from those of round 1

	firstConstraints []wire.Function // of round 1, as they were read
	fixedFuncs       []convex.Func   // the same, as functions
	keptFuncs        []convex.Func   // a round after the other, the loss first; nil for a large file

	lastLossMatrix []float64
	center         []float64 // of a ball that contains the domain
	domainRadius   float64   // its radius
	basisBounds    map[*convex.Basis]functionBound
	basisCurvature map[*convex.Basis]float64
}

// readRecording reads a recording of r, and returns the digest of its text. If rereadable is not
// nil and the text is large, its players read that file again.
func readRecording(r io.Reader, file string, rereadable *rereadFile) (*Recording, string, error) {
	file = input.Shown(file)
	s := &scanner{roundReader: roundReader{file: file}, again: rereadable,
		basisBounds:    make(map[*convex.Basis]functionBound),
		basisCurvature: make(map[*convex.Basis]float64)}
	s.digest = sha256.New()
	err := s.forEachLine(r, func() {
		if s.domain == nil {
			s.readHeader()
		} else if s.readRound(); s.Err == nil {
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
		funcs: s.keptFuncs, decoder: s.Again()}
	if s.keptFuncs == nil {
		rec.file = rereadable
	}
	if facts.Fixed {
		rec.Fixed = s.fixedFuncs
	}
	if err := rec.addMargin(&s.header); err != nil {
		return nil, "", err
	}
	for _, f := range s.header.expectation {
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
		s.keptFuncs = []convex.Func{}
	}
	if s.again != nil && s.size >= minRereadSize {
		s.keptFuncs = nil
	}
	s.facts.Rounds = s.t
	for index := range s.funcs {
		f := &s.funcs[index]
		b := s.addFunction(f, index)
		s.verifyValue(f, index, b)
		frozen, j := convex.Freeze(f.Func()), index-1
		switch {
		case index == 0:
			s.addCurvature(f)
		case s.t == 1:
			s.firstConstraints, s.fixedFuncs = append(s.firstConstraints, *f), append(s.fixedFuncs, frozen)
			s.facts.Fixed = s.facts.Fixed &&
				(s.header.expectation == nil || f.Equal(&s.header.expectation[j]))
		case f.Equal(&s.firstConstraints[j]):
			frozen = s.fixedFuncs[j] // one object for equal functions
		default:
			s.facts.Fixed, s.changed = false, true
		}
		if s.keptFuncs != nil {
			s.keptFuncs = append(s.keptFuncs, frozen)
		}
	}
}

// verifyValue records a fault if the value that the file claims of a function at x differs from
// that of its form. The tolerance is relative to the size of the terms of the form, which may
// cancel; the bound b, of its slope and its value at the centre, estimates that size.
func (s *scanner) verifyValue(f *wire.Function, index int, b functionBound) {
	c := s.claimed[index]
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

// nameOf names the function of a round with this index: the loss (0), or a constraint from 1 on.
func nameOf(index int) string {
	if index == 0 {
		return "loss"
	}
	return fmt.Sprintf("constraint %d", index)
}
