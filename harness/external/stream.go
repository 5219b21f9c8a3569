package external

import (
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

// A stream of a program starts with its declaration of the instance ([stream.readInstance]), and
// asks for each round with one call ([stream.requestRound]). Every function that is revealed is
// checked as it is read ([stream.readFunction]): that it is convex and has the declared properties.
//
// Games with the same calls must have the same rounds. Every call and answer is therefore added to
// the [record] of the game, and in the rounds of comparison, which are 1 to 32, 64, 128, … and the
// last one, the record is compared with that of an earlier game ([session.compare]).
//
// An opaque problem reveals a function by its value and subgradient at the action alone. Its rounds
// of comparison are therefore probed: they are evaluated at a second point too, which depends on
// the number of the round alone, and the values there have a record of their own
// ([stream.probeRound]).
// Before sums are used, and when the game is over, the probed rounds are evaluated again at their
// actions ([stream.verifyProbed]). What this finds is said in opaque.go.

// stream reveals the rounds that a process answers with.
type stream struct {
	session // the process, the record of the game, and the first error
	problems.Instance
	expectation []convex.Func // the expectation of the constraints, or nil
	declaredSet string        // the set of the declared comparator, or ""
	functions   []*function   // of the round: the loss and the constraints
	opaque      *opaque       // what is known of the rounds of an opaque problem, else nil

	reader wire.Reader
	line   wire.Writer
}

// function holds a function of the round while it is read, and what is known of it.
type function struct {
	name        string
	number      int            // 0 is the loss
	isOpaque    bool           // known by value and subgradient at the action only
	value       float64        // at the action, unless there is a form
	subgradient []float64      // there
	parsed      wire.Function  // as it was read last, unless it is opaque
	source      []byte         // from which, valid in the round
	fixed       *wire.Function // as it has to be in every round, or nil
	// convexQuad and curvedQuad are the last quadratic forms that were found to be convex, and to have
	// the declared curvature: the same form is not checked again.
	convexQuad, curvedQuad []float64
}

// addFunction adds a function to the record: its numbers, or its text if it has terms.
func (r *record) addFunction(f *function) {
	switch {
	case f.isOpaque:
		r.addAnswer([]float64{f.value})
		r.addAnswer(f.subgradient)
		return
	case f.parsed.Other != nil:
		r.answers.Write(f.source)
		return
	}
	r.addAnswer([]float64{f.parsed.Const})
	r.addAnswer(f.parsed.Lin)
	r.addAnswer(f.parsed.Quad)
}

// startStream begins a game and returns its stream. It draws the seed of the game from rng.
func (p *Program) startStream(params any, rng *rand.Rand) (problems.Stream, error) {
	var w wire.Writer
	w.Text(`{"protocol":`)
	w.Int(Protocol)
	w.Text(`,"game":{`)
	p.writeDraws(&w, params, rng.Uint64()) // which also closes both objects
	if w.Err != nil {
		return nil, w.Err
	}
	s := &stream{session: session{program: p}}
	// If a process fails, the function is called again with the answer of a new one.
	c, err := p.beginGame(w.Line, func(instance jsontext.Value) error {
		s.record = newRecord(p, w.Line)
		if err := s.readInstance(instance); err != nil || !s.Declared.Opaque {
			return err
		}
		s.opaque = &opaque{origin: make([]float64, s.Domain.Dim()), probeRecord: newRecord(p, w.Line)}
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

// readInstance reads what the program says of its rounds before the first one. It may be called
// again, with the answer of a new process.
func (s *stream) readInstance(instance jsontext.Value) error {
	if instance == nil {
		return errors.New(`"instance" is missing`)
	}
	r := &s.reader
	*r = wire.Reader{Open: true, Packed: s.program.declared.Packed, Place: "instance, column "}
	r.Reset(instance)
	s.Instance, s.expectation, s.functions, s.declaredSet = problems.Instance{}, nil, nil, ""
	hasExpectation := false
	required := []string{"domain", "constraints"}
	// These depend on the dimension and on each other. They are read last, in this order.
	last := []string{"facts", "functions", "expectation", "hindsight"}
	r.Ordered("instance", instanceKeys, required, last, func(key string) {
		switch key {
		case "domain":
			s.Domain = r.Set()
		case "constraints":
			const noRemedy = ""
			s.M = r.Integer("constraints", 1, maxConstraints, noRemedy)
		case "facts":
			r.Facts(&s.Declared)
		case "functions":
			at := r.At
			s.prepareFunctions()
			r.Functions(s.Domain.Dim())
			s.record.answers.Write(r.Text[at:r.At])
			s.Shared = r.Bases()
		case "expectation":
			hasExpectation = true
			s.prepareFunctions()
			s.readExpectation()
		case "hindsight":
			s.readDeclared(hasExpectation)
		}
	})
	if r.Err != nil {
		return r.Err
	}
	if !hasExpectation && s.Declared.Fixed {
		const given = 0 // no bit is set: the expectation is missing
		r.Require("instance with the fact fixed", given, instanceKeys, "expectation")
	}
	s.prepareFunctions()
	s.Declared.Diameter = s.Domain.Diameter()
	r.Place = "column "
	s.recordInstance()
	return r.Err
}

// prepareFunctions makes a [function] for the loss and for every constraint, once the domain and
// the number of constraints are known.
func (s *stream) prepareFunctions() {
	if s.functions != nil {
		return
	}
	s.reader.Domain = s.Domain
	s.functions = []*function{{name: "the loss"}}
	for j := range s.M {
		s.functions = append(s.functions,
			&function{name: fmt.Sprintf("constraint %d", j+1), number: 1 + j})
	}
}

// readAnswer reads the answer to reveal, in a round with the action x.
func (s *stream) readAnswer(x []float64) {
	r := &s.reader
	given := r.Object("the answer", roundKeys, func(key string) {
		if key == "loss" {
			s.readFunction(s.functions[0], x)
			return
		}
		s.readPerConstraint("constraints", func(f *function) { s.readFunction(f, x) })
	})
	r.Require("the answer", given, roundKeys, roundKeys...)
}

// readExpectation reads the averages of the constraints. With the fact fixed they are the
// constraints.
func (s *stream) readExpectation() {
	r := &s.reader
	s.readPerConstraint("expectation", func(f *function) {
		at := r.At
		f.parsed = r.Function("the expectation of "+f.name, s.Domain.Dim())
		f.source = r.Text[at:r.At]
		if s.checkConvex(f, at); r.Err != nil {
			return
		}
		g := convex.Freeze(f.parsed.Func())
		s.expectation = append(s.expectation, g)
		s.record.addFunction(f)
		if s.Declared.Fixed {
			s.Round.Constraints = append(s.Round.Constraints, g)
			fixed := f.parsed
			f.fixed = &fixed
		}
	})
}

// readPerConstraint reads a list that has one element for every constraint.
func (s *stream) readPerConstraint(what string, element func(f *function)) {
	r := &s.reader
	at, count := r.At, 0
	r.Array(what, func(j int) {
		if count++; count > s.M {
			r.Fault(r.At, "%s has more than %d elements, the number of constraints", what, s.M)
			return
		}
		element(s.functions[1+j])
	})
	if count < s.M {
		r.Fault(at, "%s has length %d, expected %d, the number of constraints", what, count, s.M)
	}
}

// recordInstance adds the instance to the record, and compares it with an earlier game.
func (s *stream) recordInstance() {
	if s.reader.Err != nil {
		return
	}
	w := &s.line
	w.Reset()
	w.Set(s.Domain)
	w.JSON(s.Declared)
	s.record.answers.Write(w.Line)
	s.record.addAnswer([]float64{float64(s.M), float64(len(s.expectation))})
	if !s.record.agreesWithEarlier() {
		s.reader.Err = errors.New(s.record.differenceMessage(0))
	}
}

// Expectation implements [problems.Expecter].
func (s *stream) Expectation() []convex.Func { return s.expectation }

// Reveal implements [problems.Stream].
func (s *stream) Reveal(t int, x []float64) *convex.Round {
	if s.requestRound(t, x); s.err != nil { // NaN, so that an unnoticed error cannot pass for a round
		nothing := &convex.Affine{A: make([]float64, s.Domain.Dim()), B: math.NaN()}
		return s.Show(nothing, slices.Repeat([]convex.Func{nothing}, s.M))
	}
	constraints := s.Round.Constraints
	if !s.Declared.Fixed {
		constraints = constraints[:0]
		for _, f := range s.functions[1:] {
			constraints = append(constraints, s.revealedFunc(f))
		}
		s.Round.Constraints = constraints
	}
	return s.Show(s.revealedFunc(s.functions[0]), constraints)
}

// requestRound asks for round t and adds it to the record. In a round of comparison it compares the
// record with that of an earlier game, and then probes opaque functions.
func (s *stream) requestRound(t int, x []float64) {
	showsAction := s.Declared.Adaptive || s.Declared.Opaque
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
		if showsAction {
			w.Text(`,"x":`)
			w.Numbers(x)
		}
	}, func() { s.readAnswer(x) })
	if s.err != nil {
		return
	}
	s.t = t
	s.record.addCall("reveal", s.line.Line)
	for _, f := range s.functions {
		s.record.addFunction(f)
	}
	if s.opaque != nil {
		s.opaque.round = s.newOpaqueRound(t, x)
	}
	if !isComparedIn(t) {
		return
	}
	s.compare(&s.record, t)
	if s.opaque != nil && s.err == nil {
		s.probeRound(s.opaque.round)
	}
}

// call calls a method with an object whose members params writes, and reads the answer with read.
// It sets s.err if the call fails.
func (s *stream) call(method string, limit time.Duration, params func(w *wire.Writer),
	read func()) {
	w := &s.line
	w.Reset()
	w.Text("{")
	params(w)
	w.Text("}")
	if s.err == nil {
		s.err = w.Err
	}
	s.request(method, w.Line, limit, func(answer []byte) error {
		s.reader.Reset(answer)
		read()
		return s.reader.Err
	})
}

// readFunction reads a function of the round with the action x, and checks it: a form or, of opaque
// and adaptive problems, a value and a subgradient at x.
func (s *stream) readFunction(f *function, x []float64) {
	r := &s.reader
	at, formAt := r.At, 0
	given := r.Object(f.name, functionKeys, func(key string) {
		switch key {
		case "form":
			formAt = r.At
			f.parsed = r.Function(f.name, s.Domain.Dim())
			f.source = r.Text[formAt:r.At]
		case "value":
			f.value = r.Number("value of " + f.name)
		case "subgradient":
			f.subgradient = r.Numbers("subgradient of "+f.name, f.subgradient[:0], s.Domain.Dim())
		}
	})
	const form, valueAndSubgradient = 1, 2 | 4 // bits of given, in the order of functionKeys
	hasForm := given&form != 0
	hasTangent := given&valueAndSubgradient == valueAndSubgradient
	isConstraint := f != s.functions[0]
	f.isOpaque = false
	switch {
	case r.Err != nil:
	case hasForm: // of any problem, whatever else is given
		s.checkForm(f, at, formAt)
	case !hasTangent:
		r.Fault(at, `%s: the key "form" is missing, or "value" and "subgradient" at x`, f.name)
	case s.Declared.Opaque && isConstraint && (s.Declared.Affine || s.Declared.Fixed):
		// One value and one subgradient cannot be checked against these declarations.
		r.Fault(at, `%s has a value and a subgradient, and the constraints are declared to be affine or `+
			`fixed; give "form"`, f.name)
	case s.Declared.Opaque:
		f.isOpaque = true
	case s.Declared.Adaptive: // the tangent at x takes the place of the function
		f.parsed = wire.Function{Lin: slices.Clone(f.subgradient)}
		f.parsed.Const = f.value - vec.Dot(f.subgradient, x)
		if !(math.Abs(f.parsed.Const) <= math.MaxFloat64) { // also if it is NaN
			r.Fault(at, "the tangent of %s overflows", f.name)
			return
		}
		s.checkForm(f, at, at)
	default:
		r.Fault(at, `%s has a value and a subgradient, which are those at an action: `+
			`"opaque" is not declared, and "adaptive" is not declared; give "form"`, f.name)
	}
}

// checkForm checks that a function has the declared properties. Its text begins at at, and its form
// at formAt.
func (s *stream) checkForm(f *function, at, formAt int) {
	r := &s.reader
	s.checkConvex(f, formAt)
	switch {
	case r.Err != nil:
	case f == s.functions[0]:
		s.checkCurvature(f, at)
	case f.fixed != nil && !f.parsed.Equal(f.fixed):
		r.Fault(at, "%s is not the one of the expectation, and the constraints are declared to be fixed",
			f.name)
	}
}

// checkConvex checks that a function is convex, and affine where that is declared.
func (s *stream) checkConvex(f *function, at int) {
	r := &s.reader
	if r.Err != nil || f.parsed.IsAffine() {
		return
	}
	if s.Declared.Affine && f != s.functions[0] {
		r.Fault(at, "%s is not affine, and the constraints are declared to be affine", f.name)
	}
	if !slices.Equal(f.parsed.Quad, f.convexQuad) {
		if r.CheckConvex(f.name, &f.parsed); r.Err == nil {
			f.convexQuad = append(f.convexQuad[:0], f.parsed.Quad...)
		}
	}
}

// checkCurvature checks that a loss has the declared curvature, unless it has terms beside its
// quadratic form, which may be curved, too. A loss without a quadratic form fails.
func (s *stream) checkCurvature(f *function, at int) {
	curvature, n := s.Declared.Curvature, s.Domain.Dim()
	if curvature == 0 || f.parsed.Quad != nil && slices.Equal(f.parsed.Quad, f.curvedQuad) {
		return
	}
	form := convex.Lower(f.parsed.Func(), n)
	if len(form.Terms) > 0 {
		return
	}
	f.curvedQuad = append(f.curvedQuad[:0], f.parsed.Quad...) // if it is not, the stream ends here
	// Without curvature·‖x‖²/2 the loss must still be convex; 1e-9 allows for rounding.
	reduced := form.Quad
	for i := range n {
		if len(reduced) > 0 {
			reduced[i*n+i] -= float64(curvature * (1 - 1e-9))
		}
	}
	if _, err := convex.NewQuadratic(reduced, form.Lin, 0); err != nil {
		s.reader.Fault(at, "the loss is not strongly convex with the declared curvature %v", curvature)
	}
}

// Close implements [io.Closer]. It checks that probed rounds of an opaque problem have not changed,
// and then ends the session, which compares the record of the whole game.
func (s *stream) Close() error {
	if s.opaque != nil && s.process != nil && s.err == nil {
		s.verifyProbed()
	}
	return s.session.Close()
}
