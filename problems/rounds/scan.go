package rounds

import (
	"slices"

	"ocobench/convex"
	"ocobench/convex/wire"
)

// This file has what the first reading of rounds keeps: the place of some rounds, bounds for the
// facts, and whether quadratic constraints without names are few functions. It keeps functions of
// the last rounds only. Two vectors are the same if they are equal and one is that of a function
// of the same index in the rounds just before.

// scanned is what is known of the rounds so far.
type scanned struct {
	places
	domain      convex.Set
	constraints int

	declared convex.Facts
	given    uint   // the facts that are declared, as bits
	place    string // where they stand
	computed convex.Facts
	mean     []wire.Function // the expectation of the constraints, or nil
	steep    string          // the first function that is steeper than declared

	keeping bool            // all functions are kept
	kept    []wire.Function // a round after the other, the loss first

	last   []memory // by function, the loss first
	ids    int
	first  []seen
	fixed  []convex.Func // the constraints of round 1
	shapes []shapes      // by constraint

	center []float64 // of the domain
	reach  float64   // the largest distance of a point of the domain from it
	known  map[*convex.Basis]bound
}

func newScanned(keeping bool) *scanned {
	return &scanned{keeping: keeping, known: make(map[*convex.Basis]bound)}
}

// seen identifies a function: by the numbers of its vectors, which are -1 where they are zero.
type seen struct {
	constant  float64
	lin, quad int
	other     convex.Func
}

func (s seen) equal(o seen) bool {
	if s.other != nil || o.other != nil {
		return s.other != nil && o.other != nil && convex.Equal(s.other, o.other)
	}
	return s == o
}

// back is the number of rounds in which a function is looked for.
const back = 8

// memory has the functions of the last rounds.
type memory struct {
	of   [back]wire.Function
	seen [back]seen
	next int // where the next one is written
	full int // how many there are
}

// latest calls look with the functions, the latest first, until it returns true.
func (m *memory) latest(look func(f *wire.Function, s seen) bool) {
	for k := range m.full {
		i := (m.next + 2*back - 1 - k) % back
		if look(&m.of[i], m.seen[i]) {
			return
		}
	}
}

// isKnown reports whether a matrix was that of the function at the index lately.
func (s *scanned) isKnown(quad []float64, index int) (known bool) {
	if quad != nil && index < len(s.last) {
		s.last[index].latest(func(f *wire.Function, _ seen) bool {
			known = slices.Equal(f.Quad, quad)
			return known
		})
	}
	return known
}

// remember returns the identity of a function. Its vectors become those of a function that has the
// same.
func (s *scanned) remember(f *wire.Function, index int) seen {
	m := &s.last[index]
	out := seen{f.Const, -1, -1, f.Other}
	if out.other == nil {
		out.lin = s.share(m, &f.Lin, func(g *wire.Function, old seen) ([]float64, int) {
			return g.Lin, old.lin
		})
		out.quad = s.share(m, &f.Quad, func(g *wire.Function, old seen) ([]float64, int) {
			return g.Quad, old.quad
		})
	}
	m.of[m.next], m.seen[m.next] = *f, out
	m.next, m.full = (m.next+1)%back, min(m.full+1, back)
	return out
}

// share returns the number of a vector, from 1 on, or -1 where it is zero. It becomes the vector of
// a function that has the same.
func (s *scanned) share(m *memory, v *[]float64,
	of func(*wire.Function, seen) (u []float64, id int)) (id int) {
	if *v == nil {
		return -1
	}
	m.latest(func(g *wire.Function, old seen) bool {
		u, known := of(g, old)
		if known < 0 || !slices.Equal(*v, u) {
			return false
		}
		*v, id = u, known
		return true
	})
	if id == 0 {
		s.ids++
		id = s.ids
	}
	return id
}

// see looks at the round that was read.
func (s *scanned) see(p *roundReader) {
	if p.t == 1 {
		s.begin(p)
	}
	if p.t%markEvery == 1 {
		s.marks = append(s.marks, place{p.t, p.line, p.begin})
	}
	if p.named {
		s.defines = append(s.defines, place{p.t, p.line, p.begin})
	}
	for index := range s.last {
		f := &p.loss
		if index > 0 {
			f = &p.g[index-1]
		}
		s.bound(p, f, index)
		id := s.remember(f, index)
		if s.keeping {
			s.kept = append(s.kept, *f)
		}
		if index == 0 {
			continue
		}
		if p.t == 1 {
			s.first = append(s.first, id)
			s.fixed = append(s.fixed, convex.Freeze(f.Func(nil)))
		} else if s.computed.Fixed && !id.equal(s.first[index-1]) {
			s.computed.Fixed, s.fixed = false, nil
		}
		s.shapes[index-1].note(id, *f)
	}
	s.computed.Rounds = p.t
}

func (s *scanned) begin(p *roundReader) {
	s.domain, s.constraints = p.domain, p.m
	s.center, s.reach = middle(p.domain)
	s.last, s.shapes = make([]memory, 1+p.m), make([]shapes, p.m)
	s.computed = convex.Facts{Diameter: p.domain.Diameter(), Affine: true, Deterministic: true}
	s.computed.Fixed = s.mean == nil || slices.EqualFunc(s.mean, p.g,
		func(f, g wire.Function) bool { return f.Equal(&g) })
}

// shapes are the distinct functions of a constraint, up to three, with and without constants.
type shapes struct {
	many         bool // the constraint is no basis
	whole, shape []seen
	functions    []wire.Function // those of whole
}

// note notes a function of the constraint.
func (s *shapes) note(id seen, f wire.Function) {
	if s.many {
		return
	}
	if id.other != nil || id.quad < 0 {
		*s = shapes{many: true}
		return
	}
	if len(s.whole) <= 2 && !slices.Contains(s.whole, id) {
		s.whole, s.functions = append(s.whole, id), append(s.functions, f)
	}
	id.constant = 0
	if len(s.shape) <= 2 && !slices.Contains(s.shape, id) {
		s.shape = append(s.shape, id)
	}
	if len(s.whole) > 2 && len(s.shape) > 1 {
		*s = shapes{many: true}
	}
}

// family is the bases of a constraint that is one quadratic function plus constants (shift), or
// two of them.
type family struct {
	shift     bool
	functions []wire.Function
	bases     []*convex.Basis
}

// family returns the bases of the constraint, if there are any.
func (s *shapes) family() (out family) {
	if s.many {
		return out
	}
	out.functions = s.functions
	if out.shift = len(s.whole) > 2; out.shift {
		f := s.functions[0]
		f.Const = 0
		out.functions = []wire.Function{f}
	}
	for _, f := range out.functions {
		out.bases = append(out.bases, convex.NewBasis(f.Func(nil)))
	}
	return out
}

// function returns the function as a basis, or as itself.
func (m *family) function(f *wire.Function, zeros []float64) convex.Func {
	if f.Other == nil && f.Quad != nil {
		for k := range m.functions {
			g := &m.functions[k]
			switch {
			case !m.shift && g.Const != f.Const || !slices.Equal(g.Lin, f.Lin) ||
				!slices.Equal(g.Quad, f.Quad):
			case m.shift:
				return &convex.Shifted{Base: m.bases[k], Shift: f.Const}
			default:
				return m.bases[k]
			}
		}
	}
	return f.Func(zeros)
}

// recording is what players need.
func (s *scanned) recording(facts convex.Facts, t *onDisk) *Recording {
	r := &Recording{Domain: s.domain, Constraints: s.constraints, Facts: facts, text: t,
		places: s.places}
	if facts.Fixed {
		r.fixed = s.fixed
	}
	for j := range s.shapes {
		r.families = append(r.families, s.shapes[j].family())
	}
	for j, g := range r.fixed {
		if m := &r.families[j]; len(m.bases) > 0 {
			r.fixed[j] = m.function(&s.shapes[j].functions[0], nil)
		} else {
			r.fixed[j] = g
		}
	}
	for _, f := range s.mean {
		r.mean = append(r.mean, convex.Freeze(f.Func(nil)))
	}
	s.keep(r)
	return r
}

// keep gives the recording all functions, which cannot be changed. Affine and quadratic functions
// that are equal in consecutive rounds are one.
func (s *scanned) keep(r *Recording) {
	zeros, step := make([]float64, s.domain.Dim()), 1+s.constraints
	for i := range s.kept {
		f, j := &s.kept[i], i%step
		switch {
		case i >= step && f.Other == nil && f.Equal(&s.kept[i-step]):
			r.funcs = append(r.funcs, r.funcs[i-step])
		case j == 0:
			r.funcs = append(r.funcs, convex.Freeze(f.Func(zeros)))
		default:
			r.funcs = append(r.funcs, convex.Freeze(r.families[j-1].function(f, zeros)))
		}
	}
}
