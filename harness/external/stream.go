package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/problems"
)

// A stream of a program starts with its declaration of the instance, and asks for each
// round with one call. Every function that is revealed is checked before it is used: that
// it is convex, that it has the declared properties, and that it is the same in games with
// the same calls.

// stream reveals the rounds that a process answers with.
type stream struct {
	problems.Instance
	program *Program
	process *child        // nil once the stream is closed
	mean    []convex.Func // the expectation of the constraints, or nil
	over    string        // the set of the declared comparator, or ""
	funcs   []*function   // of the round: the loss and the constraints
	opaque  *opaque       // nil unless the problem is

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
	c, err := p.begin(w.Line, func(instance jsontext.Value) error {
		s.record = newRecord(p, w.Line)
		if err := s.start(instance); err != nil || !s.Declared.Opaque {
			return err
		}
		s.opaque = &opaque{origin: make([]float64, s.Domain.Dim()), record: newRecord(p, w.Line)}
		s.Domain.Project(s.opaque.origin, s.opaque.origin)
		return nil
	})
	var failed *failedError
	if errors.As(err, &failed) {
		return nil, &problems.FailedError{Reason: failed.Error()}
	} else if err != nil {
		return nil, err
	}
	s.process = c
	if s.Declared.Opaque {
		return opaqueStream{s}, nil
	}
	return s, nil
}

// The members of the instance, of an answer to reveal, and of the loss and of a constraint.
var (
	instanceKeys = []string{"domain", "constraints", "facts", "functions", "expectation", "hindsight"}
	roundKeys    = []string{"loss", "constraints"}
	functionKeys = []string{"form", "value", "subgradient"}
)

// maxConstraints limits the constraints of a round.
const maxConstraints = 100_000

// start interprets the instance.
func (s *stream) start(instance jsontext.Value) error {
	if instance == nil {
		return errors.New(`"instance" is missing`)
	}
	r := &s.reader
	*r = wire.Reader{Open: true, Packed: s.program.declared.Packed, Place: "instance, column "}
	r.Reset(instance)
	s.Instance, s.mean, s.funcs, s.over = problems.Instance{}, nil, nil, ""
	hasMean := false
	// Functions have the dimension of the domain, and the expectation uses them.
	last := instanceKeys[2:]
	r.Ordered("instance", instanceKeys, instanceKeys[:2], last, func(key string) {
		switch key {
		case "domain":
			s.Domain = r.Set()
		case "constraints":
			s.M = r.Integer("constraints", 1, maxConstraints, "")
		case "facts":
			r.Facts(&s.Declared)
		case "functions":
			at := r.At
			s.prepare()
			r.Functions(s.Domain.Dim())
			s.record.answers.Write(r.Text[at:r.At])
			s.Shared = r.Bases()
		case "expectation":
			hasMean = true
			s.prepare()
			s.expectation()
		case "hindsight":
			s.readDeclared(hasMean)
		}
	})
	if r.Err != nil {
		return r.Err
	}
	if !hasMean && s.Declared.Fixed {
		r.Require("instance with the fact fixed", 0, instanceKeys, "expectation")
	}
	s.prepare()
	s.Declared.Diameter = s.Domain.Diameter()
	r.Place = "column "
	s.identify()
	return r.Err
}

// prepare prepares the functions of a round.
func (s *stream) prepare() {
	if s.funcs != nil {
		return
	}
	s.reader.Domain = s.Domain
	s.funcs = []*function{{name: "the loss"}}
	for j := range s.M {
		s.funcs = append(s.funcs, &function{name: fmt.Sprintf("constraint %d", j+1), number: 1 + j})
	}
}

// answer reads the answer to reveal, in a round with the action x.
func (s *stream) answer(x []float64) {
	r := &s.reader
	given := r.Object("the answer", roundKeys, func(key string) {
		if key == "loss" {
			s.read(s.funcs[0], x)
			return
		}
		s.forms("constraints", func(f *function) { s.read(f, x) })
	})
	r.Require("the answer", given, roundKeys, roundKeys...)
}

// expectation reads the averages of the constraints. With the fact fixed they are the
// constraints.
func (s *stream) expectation() {
	r := &s.reader
	s.forms("expectation", func(f *function) {
		at := r.At
		f.read = r.Function("the expectation of "+f.name, s.Domain.Dim())
		f.text = r.Text[at:r.At]
		if s.examine(f, at); r.Err != nil {
			return
		}
		g := convex.Freeze(f.read.Func())
		s.mean = append(s.mean, g)
		s.record.function(f)
		if s.Declared.Fixed {
			s.Round.Constraints = append(s.Round.Constraints, g)
			fixed := f.read
			f.fixed = &fixed
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
			constraints = append(constraints, s.function(f))
		}
		s.Round.Constraints = constraints
	}
	return s.Show(s.function(s.funcs[0]), constraints)
}

// reveal asks for a round.
func (s *stream) reveal(t int, x []float64) {
	shown := s.Declared.Adaptive || s.Declared.Opaque
	switch {
	case s.Declared.Adaptive && len(x) != s.Domain.Dim():
		panic(fmt.Sprintf("external: an adaptive stream is shown %d coordinates of the action, want %d",
			len(x), s.Domain.Dim()))
	case s.Declared.Opaque && x == nil:
		x = s.opaque.origin
	}
	s.call("reveal", s.program.options.Timeout, func(w *wire.Writer) {
		w.Text(`"t":`)
		w.Int(t)
		if shown {
			w.Text(`,"x":`)
			w.Numbers(x)
		}
	}, func() { s.answer(x) })
	if s.err != nil {
		return
	}
	s.record.call("reveal", s.line.Line)
	for _, f := range s.funcs {
		s.record.function(f)
	}
	if s.t = t; due(t) && !s.record.same() {
		s.err = s.process.fail("%s", s.record.complaint(t))
	}
	if s.opaque != nil {
		s.opaque.round = s.newRound(t, x)
		if s.err == nil && due(t) {
			s.probe(s.opaque.round)
		}
	}
}

// call calls a method with an object whose members params writes, and reads the answer. An error
// is that of the stream.
func (s *stream) call(method string, limit time.Duration, params func(w *wire.Writer),
	read func()) {
	switch {
	case s.err != nil:
		return
	case s.process == nil:
		s.err = errors.New("the stream is closed")
		return
	}
	w := &s.line
	w.Reset()
	w.Text("{")
	params(w)
	w.Text("}")
	if s.err = w.Err; s.err != nil {
		return
	}
	var result json.RawMessage
	if result, s.err = s.process.call(method, w.Line, limit); s.err != nil {
		return
	}
	s.reader.Reset(result)
	if read(); s.reader.Err != nil {
		s.err = s.process.fail("%s is answered by %s: %w", method, clip(result), s.reader.Err)
	}
}

// read reads a function of the round with the action x: its form, of an opaque problem also its
// value and a subgradient at x, or of an adaptive one its tangent at x.
func (s *stream) read(f *function, x []float64) {
	r := &s.reader
	at, formAt := r.At, 0
	f.own = false
	given := r.Object(f.name, functionKeys, func(key string) {
		switch key {
		case "form":
			formAt = r.At
			f.read = r.Function(f.name, s.Domain.Dim())
			f.text = r.Text[formAt:r.At]
		case "value":
			f.value = r.Number("value of " + f.name)
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
	case given&form == 0 && s.Declared.Opaque && f != s.funcs[0] &&
		(s.Declared.Affine || s.Declared.Fixed):
		r.Fault(at, `%s has a value and a subgradient, and the constraints are declared to be affine or `+
			`fixed; give "form"`, f.name)
	case given&form == 0 && s.Declared.Opaque:
		f.own = true
		return
	case given&form == 0 && !s.Declared.Adaptive:
		r.Fault(at, `%s has a value and a subgradient, which are those at an action: `+
			`"opaque" is not declared, and "adaptive" is not declared; give "form"`, f.name)
	case given&form == 0:
		f.read = wire.Function{Lin: slices.Clone(f.subgradient)}
		if f.read.Const = f.value - vec.Dot(f.subgradient, x); f.read.Const-f.read.Const != 0 {
			r.Fault(at, "the tangent of %s overflows", f.name)
		}
	}
	s.examine(f, formAt)
	switch {
	case r.Err != nil:
	case f == s.funcs[0]:
		s.curvature(f, at)
	case f.fixed != nil && !f.read.Equal(f.fixed):
		r.Fault(at, "%s is not the one of the expectation, and the constraints are declared to be fixed",
			f.name)
	}
}

// examine checks that a function is convex, and affine where that is declared.
func (s *stream) examine(f *function, at int) {
	r := &s.reader
	if r.Err != nil || f.read.IsAffine() {
		return
	}
	if s.Declared.Affine && f != s.funcs[0] {
		r.Fault(at, "%s is not affine, and the constraints are declared to be affine", f.name)
	}
	if !slices.Equal(f.read.Quad, f.convex) {
		if r.CheckConvex(f.name, &f.read); r.Err == nil {
			f.convex = append(f.convex[:0], f.read.Quad...)
		}
	}
}

// curvature checks that a loss has the declared curvature, unless it has terms that may be curved.
func (s *stream) curvature(f *function, at int) {
	curvature, n := s.Declared.Curvature, s.Domain.Dim()
	if curvature == 0 || f.read.Quad != nil && slices.Equal(f.read.Quad, f.curved) {
		return
	}
	form := convex.Lower(f.read.Func(), n)
	if len(form.Terms) > 0 {
		return
	}
	f.curved = append(f.curved[:0], f.read.Quad...)
	less := form.Quad
	for i := range n {
		if len(less) > 0 {
			less[i*n+i] -= float64(curvature * (1 - 1e-9))
		}
	}
	if _, err := convex.NewQuadratic(less, form.Lin, 0); err != nil {
		s.reader.Fault(at, "the loss is not strongly convex with the declared curvature %v", curvature)
	}
}

// function adds a function to the record: its numbers, or its text if it has terms.
func (r *record) function(f *function) {
	switch {
	case f.own:
		r.answer([]float64{f.value})
		r.answer(f.subgradient)
		return
	case f.read.Other != nil:
		r.answers.Write(f.text)
		return
	}
	r.answer([]float64{f.read.Const})
	r.answer(f.read.Lin)
	r.answer(f.read.Quad)
}

// Close implements [io.Closer]: the process is free for another stream. The error is that of a
// program that has failed, or has revealed something else than before.
func (s *stream) Close() error {
	if s.opaque != nil && s.process != nil && s.err == nil {
		s.verify()
	}
	c := s.process
	s.process = nil
	switch {
	case c == nil || s.err != nil:
		return s.err
	case !s.record.same():
		return c.fail("%s", s.record.complaint(s.t))
	}
	s.program.put(c)
	return nil
}

// function holds a function of the round while it is read, and what is known of it.
type function struct {
	name           string
	number         int            // 0 is the loss
	own            bool           // it is opaque
	value          float64        // at the action, unless there is a form
	subgradient    []float64      // there
	read           wire.Function  // as it was read last, unless it is opaque
	text           []byte         // from which, valid in the round
	fixed          *wire.Function // as it has to be in every round, or nil
	convex, curved []float64      // matrices that were found to be so
}
