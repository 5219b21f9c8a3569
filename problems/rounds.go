package problems

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// Members of the objects of the format, in the order in which they are written.
var (
	headerKeys   = []string{"domain", "constraints", "algorithm", "problem", "seed", "replicate", "version", "go", "goarch"}
	roundKeys    = []string{"t", "x", "loss", "constraints"}
	functionKeys = []string{"value", "form", "subgradient"}
)

// RoundHeader is the first line of recorded rounds: the domain and the number
// of constraints, and the origin of the rounds. Empty members from Replicate on
// are left out. Readers ignore the origin.
type RoundHeader struct {
	Domain      convex.Set
	Constraints int

	Algorithm string // SPEC of the algorithm that played
	Problem   string // SPEC of the problem
	Seed      uint64
	Replicate int
	Version   string // of the program
	Go        string // version of Go
	GOARCH    string
}

// RoundWriter writes rounds in the format that the problem trace reads.
//
// The format is JSON lines. The first line describes the problem, and every
// other line a round, in order:
//
//	{"domain":DOMAIN,"constraints":m,"algorithm":…,"problem":…,"seed":…}
//	{"t":1,"x":[…],"loss":FUNC,"constraints":[FUNC,…]}
//	{"t":2,…
//
//	DOMAIN  {"box":{"lower":[…],"upper":[…]}} or
//	        {"ball":{"center":[…],"radius":r}} or
//	        {"simplex":{"dim":n,"scale":s}}
//	FUNC    {"value":v,"form":FORM}, v being the value at x
//	FORM    {"const":c,"lin":[…],"quad":[[…],…]}, which is c + lin·x + ½xᵀ quad x
//
// Members of FORM that are absent are zero. A function that is neither affine
// nor quadratic is written as its value and a subgradient at x,
//
//	{"value":v,"form":{"opaque":true},"subgradient":[…]}
//
// and cannot be read back. The reader needs domain, constraints, t, loss and
// form. The other members may be absent, and must agree with these if they are
// present.
type RoundWriter struct {
	w    io.Writer
	n    int // 0 before the header
	line wire.Writer
}

// NewRoundWriter returns a writer to w, which gets one Write a line.
func NewRoundWriter(w io.Writer) *RoundWriter { return &RoundWriter{w: w} }

// WriteHeader writes the first line.
func (w *RoundWriter) WriteHeader(h RoundHeader) error {
	w.n = h.Domain.Dim()
	line := &w.line
	line.Reset()
	line.Text(`{"domain":`)
	line.Set(h.Domain)
	line.Text(`,"constraints":`)
	line.Int(h.Constraints)
	line.Text(`,"algorithm":`)
	line.JSON(h.Algorithm)
	line.Text(`,"problem":`)
	line.JSON(h.Problem)
	line.Text(`,"seed":`)
	line.JSON(h.Seed)
	if h.Replicate != 0 {
		line.Text(`,"replicate":`)
		line.Int(h.Replicate)
	}
	for _, member := range []struct{ key, value string }{{"version", h.Version}, {"go", h.Go}, {"goarch", h.GOARCH}} {
		if member.value != "" {
			line.Text(`,"` + member.key + `":`)
			line.JSON(member.value)
		}
	}
	return w.flush("the header")
}

// WriteRound writes round t with the action x. For rounds that were not played,
// x is nil, and values are left out. It is an error if a number is not finite,
// or if x is nil and a function is neither affine nor quadratic; then nothing
// is written.
func (w *RoundWriter) WriteRound(t int, x []float64, r convex.Round) error {
	if w.n == 0 {
		panic("problems: WriteRound before WriteHeader")
	}
	line := &w.line
	line.Reset()
	line.Text(`{"t":`)
	line.Int(t)
	if x != nil {
		line.Text(`,"x":`)
		line.Numbers(x)
	}
	line.Text(`,"loss":`)
	w.function(x, r.Loss)
	line.Text(`,"constraints":[`)
	for j, g := range r.Constraints {
		if j > 0 {
			line.Text(",")
		}
		w.function(x, g)
	}
	line.Text("]")
	return w.flush(fmt.Sprintf("round %d", t))
}

func (w *RoundWriter) function(x []float64, f convex.Func) {
	line := &w.line
	line.Text("{")
	if x != nil {
		line.Text(`"value":`)
		line.Number(f.Value(x))
		line.Text(",")
	}
	line.Text(`"form":`)
	if !line.Form(f, w.n) {
		if x == nil {
			line.Err = cmp.Or(line.Err, errors.New("a function that is neither affine nor quadratic is known by its value and a subgradient at the action, and there is none"))
			return
		}
		line.Text(`,"subgradient":`)
		line.Subgradient(f, x)
	}
	line.Text("}")
}

func (w *RoundWriter) flush(what string) error {
	if w.line.Err != nil {
		return fmt.Errorf("problems: %s cannot be written: %w", what, w.line.Err)
	}
	w.line.Text("}\n")
	_, err := w.w.Write(w.line.Line)
	return err
}

func zero(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 })
}

// recording is what recorded rounds say.
type recording struct {
	domain convex.Set
	m      int
	funcs  []recorded // a round after the other: the loss and m constraints
	data   []float64
}

// recorded is the function const + lin·x + ½xᵀ quad x, its vectors at these
// places of the data; negative where they are zero.
type recorded struct {
	constant  float64
	lin, quad int
}

func (r *recording) rounds() int { return len(r.funcs) / (1 + r.m) }

// vectors returns lin and quad of f, nil where they are zero.
func (r *recording) vectors(f recorded) (lin, quad []float64) {
	n := r.domain.Dim()
	if f.lin >= 0 {
		lin = r.data[f.lin : f.lin+n]
	}
	if f.quad >= 0 {
		quad = r.data[f.quad : f.quad+n*n]
	}
	return lin, quad
}

// readRounds reads recorded rounds; file is their name in errors, which tell
// line and column of the first fault.
func readRounds(r io.Reader, file string) (*recording, error) {
	file = input.Shown(file)
	p := &roundReader{file: file, rec: new(recording)}
	err := p.lines(r, func() {
		if p.rec.domain == nil {
			p.header()
		} else {
			p.round()
		}
	})
	if err != nil {
		return nil, err
	}
	const expected = `expected a first line {"domain":…,"constraints":m} and then a line {"t":1,"loss":{"form":…},"constraints":[{"form":…},…]} for each round, as bench play writes them`
	switch {
	case p.rec.domain == nil:
		return nil, fmt.Errorf("%s:1: the file is empty (%s)", file, expected)
	case p.rec.rounds() == 0:
		return nil, fmt.Errorf("%s:%d: the file ends before the first round (%s)", file, p.line, expected)
	}
	return p.rec, nil
}

// Actions are actions that were played elsewhere, in rounds 1, 2, 3, ….
type Actions struct {
	file  string
	dim   int
	x     []float64 // one action after the other
	lines []int32   // of the file
}

// Len is the number of actions.
func (a *Actions) Len() int { return len(a.lines) }

// At is the action of round t, which is not to be changed.
func (a *Actions) At(t int) []float64 { return a.x[(t-1)*a.dim : t*a.dim : t*a.dim] }

// Place is where the action of round t stands: file:line.
func (a *Actions) Place(t int) string { return fmt.Sprintf("%s:%d", a.file, a.lines[t-1]) }

// Reach returns an error if the actions end before the horizon.
func (a *Actions) Reach(horizon int) error {
	if n := a.Len(); n < horizon {
		return fmt.Errorf("%s: the actions end after round %d, before the horizon %d; lower the horizon", a.Place(n), n, horizon)
	}
	return nil
}

// OpenActions is [ReadActions] of a file of at most 1 GiB.
func OpenActions(file string, n, most int) (*Actions, error) {
	in, err := input.Open(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf(`%s: %w (expected a file with a line {"t":1,"x":[…]} for each round)`, input.Shown(file), err)
	}
	defer in.Close()
	return ReadActions(in, file, n, most)
}

// ReadActions reads actions in n dimensions, or in those of the first one where n is
// 0; at most the given number of them where that is above 0. Each is a line
//
//	{"t":1,"x":[…]}
//
// in order, of which t may be absent. What [RoundWriter] writes is read too: the
// header, losses and constraints are skipped. File is its name in errors, which tell
// line and column of the first fault.
func ReadActions(r io.Reader, file string, n, most int) (*Actions, error) {
	file = input.Shown(file)
	p := &roundReader{file: file}
	a := &Actions{file: file, dim: n}
	first := true
	err := p.lines(r, func() {
		keys := roundKeys
		if first {
			keys = slices.Concat(roundKeys, []string{"domain"}, headerKeys[2:])
		}
		if x, header := p.action(a.Len()+1, a.dim, n == 0, keys); !(header && first) {
			a.dim, a.x, a.lines = len(x), append(a.x, x...), append(a.lines, int32(p.line))
		}
		first = false
		p.enough = most > 0 && a.Len() == most
	})
	if err != nil {
		return nil, err
	}
	if a.Len() == 0 {
		return nil, fmt.Errorf("%s:%d: the file ends before the first action (expected a line {\"t\":1,\"x\":[…]} for each round)", file, p.line)
	}
	return a, nil
}

// action reads the action of round t, or skips a header. It has n coordinates; if
// their number is free, n is that of the first action, and 0 before it. The action is
// valid until the next call.
func (p *roundReader) action(t, n int, free bool, keys []string) (x []float64, header bool) {
	if t > maxRounds {
		p.Fault(0, "more than %d rounds, the limit", maxRounds)
	}
	given := p.Object("a round", keys, func(key string) {
		switch key {
		case "t":
			p.numbered(t)
		case "x":
			at := p.At
			if !free {
				x = p.Numbers("x", p.x[:0], n)
			} else if x = p.Numbers("x", p.x[:0], -1); p.Err == nil && (len(x) == 0 || n > 0 && len(x) != n) {
				p.Fault(at, "x has length %d, expected %d, the length of the first action", len(x), max(n, 1))
			}
			p.x = x
		case "domain":
			header = true
			p.Skip(key)
		default:
			p.Skip(key)
		}
	})
	if !header {
		p.Require("a round", given, keys, "x")
	}
	p.End()
	return x, header
}

// roundReader reads rounds, one line at a time.
type roundReader struct {
	wire.Reader
	file   string
	line   int
	enough bool // no more lines are needed
	rec    *recording
	x      []float64
	checks []check
	parsed *convex.Form
}

// check is a value that the file claims of a function at x.
type check struct {
	what  string
	at    int // where the claim stands
	value float64
	f     recorded
}

// lines has read parse the text of every line that is not empty, up to the first fault.
func (p *roundReader) lines(r io.Reader, read func()) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return fmt.Errorf("%s:%d: the line has more than %d bytes, the limit; every round is a line of its own", p.file, p.line+1, maxLine)
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && err != io.EOF:
			return fmt.Errorf("%s:%d: %w", p.file, p.line+1, err)
		}
		p.line++
		p.Place = fmt.Sprintf("%s:%d:", p.file, p.line)
		p.Reset(bytes.TrimRight(line, " \t\r\n"))
		line = line[:0]
		if len(p.Text) > 0 {
			read()
		}
		if p.Err != nil || p.enough || err == io.EOF {
			return p.Err
		}
	}
}

const headerName = "the first line, which describes the problem"

// The limits of a file of rounds, which [TraceParams] states.
const (
	maxFile   = 1 << 30 // bytes
	maxLine   = 1 << 26
	maxRounds = 10_000_000
	maxFuncs  = 20_000_000
)

func (p *roundReader) header() {
	given := p.Object(headerName, headerKeys, func(key string) {
		switch key {
		case "domain":
			p.rec.domain = p.Set()
		case "constraints":
			p.rec.m = p.Integer("constraints", 1, math.MaxInt32, `; where there are none, give every round one that is always satisfied, {"form":{"const":-1}}`)
		default:
			p.Ignore(key)
		}
	})
	p.Require(headerName, given, headerKeys, "domain", "constraints")
	p.End()
}

func (p *roundReader) round() {
	t := p.rec.rounds() + 1
	if t > maxRounds || len(p.rec.funcs)+1+p.rec.m > maxFuncs {
		p.Fault(0, "more than %d rounds, or %d losses and constraints, the limits; split the file", maxRounds, maxFuncs)
	}
	p.x, p.checks = nil, p.checks[:0]
	var loss recorded
	constraints := make([]recorded, 0, min(p.rec.m, 1000))
	given := p.Object("a round", roundKeys, func(key string) {
		at := p.At
		switch key {
		case "t":
			p.numbered(t)
		case "x":
			p.x = p.Numbers("x", nil, p.rec.domain.Dim())
		case "loss":
			loss = p.function("loss", 0)
		case "constraints":
			p.Array("constraints", func(j int) {
				if j >= p.rec.m {
					p.Fault(p.At, "more than %d constraints, the number that the first line gives; every round has the same number, with the form {} for one that says nothing", p.rec.m)
					return
				}
				constraints = append(constraints, p.function("constraint "+strconv.Itoa(j+1), 1+j))
			})
			if p.Err == nil && len(constraints) < p.rec.m {
				p.Fault(at, "%d constraints, expected %d as the first line gives; every round has the same number, with the form {} for one that says nothing", len(constraints), p.rec.m)
			}
		}
	})
	p.Require("a round", given, roundKeys, "t", "loss", "constraints")
	p.End()
	if p.x != nil {
		for _, c := range p.checks {
			p.verify(c)
		}
	}
	if p.Err == nil {
		p.rec.funcs = append(append(p.rec.funcs, loss), constraints...)
	}
}

// numbered reads the number of round t.
func (p *roundReader) numbered(t int) {
	at := p.At
	if got := p.Number("t"); p.Err == nil && got != float64(t) {
		p.Fault(at, "t is %v, expected %d: rounds are numbered 1, 2, 3, … without gaps", got, t)
	}
}

// function reads the loss (index 0) or constraint j (index j) of a round.
func (p *roundReader) function(what string, index int) recorded {
	f := recorded{lin: -1, quad: -1}
	claim := check{what: what, at: -1}
	given := p.Object(what, functionKeys, func(key string) {
		switch key {
		case "value":
			claim.at = p.At
			claim.value = p.Number("value of " + what)
		case "form":
			f = p.form(what, index)
		case "subgradient":
			p.Numbers("subgradient of "+what, nil, p.rec.domain.Dim())
		}
	})
	p.Require(what, given, functionKeys, "form")
	if claim.f = f; claim.at >= 0 {
		p.checks = append(p.checks, claim)
	}
	return f
}

func (p *roundReader) form(what string, index int) recorded {
	if p.parsed == nil {
		p.parsed = convex.NewForm(p.rec.domain.Dim())
	}
	at := p.Form(what, p.parsed)
	f := recorded{constant: p.parsed.Const, lin: -1, quad: -1}
	if p.Err != nil {
		return f
	}
	var known bool
	f.lin, _ = p.keep(p.parsed.Lin, index, func(r recorded) int { return r.lin })
	if f.quad, known = p.keep(p.parsed.Quad, index, func(r recorded) int { return r.quad }); !known {
		p.Convex(what, at, p.parsed)
	}
	return f
}

// keep stores a vector of the function at an index and returns its place, or a
// negative number for zero. A vector that is equal to one of the last few rounds
// is shared with it, so that functions that do not change take no memory and
// compare equal.
func (p *roundReader) keep(v []float64, index int, place func(recorded) int) (at int, known bool) {
	if zero(v) {
		return -1, true
	}
	const back = 8
	step := 1 + p.rec.m
	for i := len(p.rec.funcs) - step + index; i >= max(0, len(p.rec.funcs)-back*step); i -= step {
		if at := place(p.rec.funcs[i]); at >= 0 && slices.Equal(v, p.rec.data[at:at+len(v)]) {
			return at, true
		}
	}
	p.rec.data = append(p.rec.data, v...)
	return len(p.rec.data) - len(v), false
}

// verify compares a claimed value with the form at x, relative to the size of
// the terms of the form, which may cancel.
func (p *roundReader) verify(c check) {
	lin, quad := p.rec.vectors(c.f)
	n := len(p.x)
	v, size := c.f.constant, math.Abs(c.f.constant)+math.Abs(c.value)
	add := func(term float64) {
		v += float64(term)
		size += math.Abs(term)
	}
	for i, a := range lin {
		add(float64(a * p.x[i]))
	}
	if quad != nil {
		for i, xi := range p.x {
			add(xi * vec.Dot(quad[i*n:(i+1)*n], p.x) / 2)
		}
	}
	if !(math.Abs(v-c.value) <= 1e-6*size) && p.Err == nil {
		p.Fault(c.at, "value of %s is %v, but its form at x is %v; correct one of them, or leave out value", c.what, c.value, v)
	}
}
