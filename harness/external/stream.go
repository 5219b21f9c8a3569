package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/internal/input"
	"ocobench/problems"
)

// A stream of a program starts with its declaration of the instance, and asks for each
// round with one call. Every function that is revealed is checked before it is used: that
// it is convex, that it has the declared properties, and that it is the same in games with
// the same calls.

// stream is a stream that a process reveals.
type stream struct {
	problems.Instance
	program *Program
	process *process      // nil once the stream is closed
	mean    []convex.Func // the expectation of the constraints, or nil
	funcs   []*function   // of the round: the loss and the constraints

	reader wire.Reader
	line   wire.Writer
	record record
	t      int // the last round
	err    error
}

// stream starts a stream.
func (p *Program) stream(params any, rng *rand.Rand) (problems.Stream, error) {
	var w wire.Writer
	w.Text(`{"protocol":`)
	w.Int(Protocol)
	w.Text(`,"game":{`)
	p.drawn(&w, params, rng.Uint64())
	if w.Err != nil {
		return nil, w.Err
	}
	s := &stream{program: p}
	c, err := p.begin(w.Line, func(result []byte) error {
		s.record = newRecord(p, w.Line)
		return s.start(result)
	})
	var failed *failedError
	if errors.As(err, &failed) {
		return nil, &problems.FailedError{Reason: failed.Error()}
	} else if err != nil {
		return nil, err
	}
	s.process = c
	return s, nil
}

// Members of the objects of the protocol.
var (
	instanceKeys = []string{"domain", "constraints", "facts", "expectation"}
	roundKeys    = []string{"loss", "constraints"}
	functionKeys = []string{"form", "value", "subgradient"}
)

// maxConstraints is the largest number of constraints.
const maxConstraints = 100_000

// start reads the instance.
func (s *stream) start(result []byte) error {
	var answer struct {
		Instance json.RawMessage `json:"instance"`
	}
	if err := input.JSON(result, &answer); err != nil {
		return err
	}
	if answer.Instance == nil {
		return errors.New(`"instance" is missing`)
	}
	r := &s.reader
	r.Open, r.Place = true, "instance, column "
	r.Reset(answer.Instance)
	s.Instance = problems.Instance{}
	expectationAt := -1
	given := r.Object("instance", instanceKeys, func(key string) {
		switch key {
		case "domain":
			s.Domain = r.Set()
		case "constraints":
			s.M = r.Integer("constraints", 1, maxConstraints, "")
		case "facts":
			r.Facts(&s.Declared)
		case "expectation": // needs the others
			expectationAt = r.At
			r.Skip(key)
		}
	})
	r.Require("instance", given, instanceKeys, "domain", "constraints")
	if r.Err != nil {
		return r.Err
	}
	s.Declared.Diameter = s.Domain.Diameter()
	n := s.Domain.Dim()
	s.funcs = []*function{newFunction("the loss", n)}
	for j := range s.M {
		s.funcs = append(s.funcs, newFunction(fmt.Sprintf("constraint %d", j+1), n))
	}
	if s.mean = nil; expectationAt >= 0 {
		r.At = expectationAt
		s.expectation()
	} else if s.Declared.Fixed {
		r.Require("instance with the fact fixed", given, instanceKeys, "expectation")
	}
	r.Place = "column "
	s.identify()
	return r.Err
}

// expectation reads the averages of the constraints. With the fact fixed they are the
// constraints.
func (s *stream) expectation() {
	r := &s.reader
	s.forms("expectation", func(f *function) {
		at := r.Form("the expectation of "+f.name, f.form)
		s.examine(f, at)
		s.mean = append(s.mean, f.form.Clone())
		if s.Declared.Fixed {
			s.Round.Constraints = append(s.Round.Constraints, convex.Freeze(f.function()))
			f.fixed = f.form.Clone()
		}
	})
}

// forms reads a list that has an element for every constraint.
func (s *stream) forms(what string, element func(f *function)) {
	r := &s.reader
	at, count := r.At, 0
	r.Array(what, func(j int) {
		if count++; count > s.M {
			r.Fault(r.At, "%s has more than %d elements, the number of constraints", what, s.M)
			return
		}
		element(s.funcs[1+j])
	})
	if count < s.M {
		r.Fault(at, "%s has length %d, expected %d, the number of constraints", what, count, s.M)
	}
}

// identify adds the instance to the record.
func (s *stream) identify() {
	if s.reader.Err != nil {
		return
	}
	w := &s.line
	w.Reset()
	w.Set(s.Domain)
	w.JSON(s.Declared)
	s.record.answers.Write(w.Line)
	s.record.answer([]float64{float64(s.M), float64(len(s.mean))})
	for _, g := range s.mean {
		s.record.form(g.(*convex.Form))
	}
	if !s.record.same() {
		s.reader.Err = errors.New(s.record.complaint(0))
	}
}

// Expectation implements [problems.Expecter].
func (s *stream) Expectation() []convex.Func { return s.mean }

// Err implements [problems.Fallible].
func (s *stream) Err() error { return s.err }

// Reveal implements [problems.Stream].
func (s *stream) Reveal(t int, x []float64) *convex.Round {
	if s.reveal(t, x); s.err != nil { // for those who do not look at Err
		nothing := &convex.Affine{A: make([]float64, s.Domain.Dim()), B: math.NaN()}
		return s.Show(nothing, slices.Repeat([]convex.Func{nothing}, s.M))
	}
	constraints := s.Round.Constraints
	if !s.Declared.Fixed {
		constraints = constraints[:0]
		for _, f := range s.funcs[1:] {
			constraints = append(constraints, f.function())
		}
		s.Round.Constraints = constraints
	}
	return s.Show(s.funcs[0].function(), constraints)
}

// reveal asks for a round.
func (s *stream) reveal(t int, x []float64) {
	switch {
	case s.err != nil:
		return
	case s.process == nil:
		s.err = errors.New("the stream is closed")
		return
	case s.Declared.Adaptive && len(x) != s.Domain.Dim():
		panic(fmt.Sprintf("external: an adaptive stream is shown %d coordinates of the action, want %d",
			len(x), s.Domain.Dim()))
	}
	w := &s.line
	w.Reset()
	w.Text(`{"t":`)
	w.Int(t)
	if s.Declared.Adaptive {
		w.Text(`,"x":`)
		w.Numbers(x)
	}
	w.Text("}")
	if s.err = w.Err; s.err != nil {
		return
	}
	s.record.call("reveal", w.Line)
	var result json.RawMessage
	if result, s.err = s.process.call("reveal", w.Line, s.program.options.Timeout); s.err != nil {
		return
	}
	r := &s.reader
	r.Reset(result)
	given := r.Object("the answer", roundKeys, func(key string) {
		if key == "loss" {
			s.function(s.funcs[0], x)
		} else {
			s.forms("constraints", func(f *function) { s.function(f, x) })
		}
	})
	r.Require("the answer", given, roundKeys, roundKeys...)
	if r.Err != nil {
		s.err = s.process.fail("reveal is answered by %s: %w", clip(result), r.Err)
		return
	}
	for _, f := range s.funcs {
		s.record.form(f.form)
	}
	if s.t = t; due(t) && !s.record.same() {
		s.err = s.process.fail("%s", s.record.complaint(t))
	}
}

// function reads a function of the round with the action x, or its tangent at x.
func (s *stream) function(f *function, x []float64) {
	r := &s.reader
	at, formAt := r.At, 0
	var value float64
	given := r.Object(f.name, functionKeys, func(key string) {
		switch key {
		case "form":
			formAt = r.Form(f.name, f.form)
		case "value":
			value = r.Number("value of " + f.name)
		case "subgradient":
			f.subgradient = r.Numbers("subgradient of "+f.name, f.subgradient[:0], s.Domain.Dim())
		}
	})
	const form, tangent = 1, 2 | 4
	switch {
	case r.Err != nil:
		return
	case given&form == 0 && given&tangent != tangent:
		r.Fault(at, `%s: the key "form" is missing, or "value" and "subgradient" at x`, f.name)
	case given&form == 0 && !s.Declared.Adaptive:
		r.Fault(at, `%s has a value and a subgradient, which are those at an action: "adaptive" is not declared; give "form"`, f.name)
	case given&form == 0:
		f.form.Reset()
		copy(f.form.Lin, f.subgradient)
		if f.form.Const = value - vec.Dot(f.subgradient, x); f.form.Const-f.form.Const != 0 {
			r.Fault(at, "the tangent of %s overflows", f.name)
		}
	}
	s.examine(f, formAt)
	switch {
	case r.Err != nil:
	case f == s.funcs[0]:
		s.curvature(f, at)
	case f.fixed != nil && !equal(f.form, f.fixed):
		r.Fault(at, "%s is not the one of the expectation, and the constraints are declared to be fixed",
			f.name)
	}
}

// examine checks that a function is convex, and affine where that is declared.
func (s *stream) examine(f *function, at int) {
	r, quad := &s.reader, f.form.Quad
	if r.Err != nil || len(quad) == 0 {
		return
	}
	if s.Declared.Affine && f != s.funcs[0] {
		r.Fault(at, "%s is quadratic, and the constraints are declared to be affine", f.name)
	}
	if !slices.Equal(quad, f.convex) {
		if r.Convex(f.name, at, f.form); r.Err == nil {
			f.convex = append(f.convex[:0], quad...)
		}
	}
}

// curvature checks that a loss has the declared curvature.
func (s *stream) curvature(f *function, at int) {
	curvature, n := s.Declared.Curvature, s.Domain.Dim()
	if curvature == 0 || len(f.form.Quad) > 0 && slices.Equal(f.form.Quad, f.curved) {
		return
	}
	f.curved = append(f.curved[:0], f.form.Quad...)
	less := slices.Clone(f.form.Quad)
	for i := range n {
		if len(less) > 0 {
			less[i*n+i] -= float64(curvature * (1 - 1e-9))
		}
	}
	if _, err := convex.NewQuadratic(less, f.form.Lin, 0); err != nil {
		s.reader.Fault(at, "the loss is not strongly convex with the declared curvature %v", curvature)
	}
}

// equal reports whether two forms are the same.
func equal(f, g *convex.Form) bool {
	return f.Const == g.Const && slices.Equal(f.Lin, g.Lin) && slices.Equal(f.Quad, g.Quad)
}

// form adds a function to the record.
func (r *record) form(f *convex.Form) {
	r.answer([]float64{f.Const})
	r.answer(f.Lin)
	r.answer(f.Quad)
}

// Close implements [io.Closer]: the process is free for another stream. The error is that of a
// program that has revealed something else than before.
func (s *stream) Close() error {
	c := s.process
	s.process = nil
	switch {
	case c == nil || s.err != nil:
		return nil
	case !s.record.same():
		return c.fail("%s", s.record.complaint(s.t))
	}
	s.program.put(c)
	return nil
}

// function is a function of the round, and what is known of it.
type function struct {
	name           string
	form           *convex.Form // as it was read last
	fixed          *convex.Form // as it has to be in every round, or nil
	subgradient    []float64    // as it was read last
	convex, curved []float64    // matrices that were found to be so

	// What is revealed; a learner may write to it.
	lin, quad []float64
	affine    convex.Affine
	quadratic convex.Quadratic
}

func newFunction(name string, n int) *function {
	return &function{name: name, form: convex.NewForm(n)}
}

// function is the form as it is revealed, written anew.
func (f *function) function() convex.Func {
	f.lin = append(f.lin[:0], f.form.Lin...)
	if len(f.form.Quad) == 0 {
		f.affine = convex.Affine{A: f.lin, B: f.form.Const}
		return &f.affine
	}
	f.quad = append(f.quad[:0], f.form.Quad...)
	f.quadratic = convex.Quadratic{Q: f.quad, A: f.lin, B: f.form.Const}
	return &f.quadratic
}
