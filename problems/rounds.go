package problems

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// Members of the objects of the format, in the order in which they are written.
var (
	headerKeys   = []string{"domain", "constraints", "algorithm", "problem", "seed", "replicate", "version", "go", "goarch"}
	domainKeys   = []string{"box", "ball", "simplex"}
	boxKeys      = []string{"lower", "upper"}
	ballKeys     = []string{"center", "radius"}
	simplexKeys  = []string{"dim", "scale"}
	roundKeys    = []string{"t", "x", "loss", "constraints"}
	functionKeys = []string{"value", "form", "subgradient"}
	formKeys     = []string{"const", "lin", "quad", "opaque"}
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
		p.fault(0, "more than %d rounds, the limit", maxRounds)
	}
	given := p.object("a round", keys, func(key string) {
		switch key {
		case "t":
			p.numbered(t)
		case "x":
			p.space()
			at := p.at
			if !free {
				x = p.numbers("x", p.x[:0], n)
			} else if x = p.numbers("x", p.x[:0], -1); p.err == nil && (len(x) == 0 || n > 0 && len(x) != n) {
				p.fault(at, "x has length %d, expected %d, the length of the first action", len(x), max(n, 1))
			}
			p.x = x
		case "domain":
			header = true
			p.skip(key)
		default:
			p.skip(key)
		}
	})
	if !header {
		p.require("a round", given, keys, "x")
	}
	p.end()
	return x, header
}

// skip skips a value.
func (p *roundReader) skip(what string) {
	p.space()
	if p.err != nil {
		return
	}
	var value json.RawMessage
	d := json.NewDecoder(bytes.NewReader(p.text[p.at:]))
	if err := d.Decode(&value); err != nil {
		p.expected(what, "a value of JSON")
		return
	}
	p.at += int(d.InputOffset())
}

// roundReader parses one line at a time. The first fault stops it: after that
// every method does nothing.
type roundReader struct {
	file    string
	line    int
	text    []byte
	at      int
	err     error
	enough  bool // no more lines are needed
	rec     *recording
	x       []float64
	checks  []check
	scratch struct{ lin, quad []float64 }
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
		p.text, p.at = bytes.TrimRight(line, " \t\r\n"), 0
		line = line[:0]
		if len(p.text) > 0 {
			read()
		}
		if p.err != nil || p.enough || err == io.EOF {
			return p.err
		}
	}
}

const headerName = "the first line, which describes the problem"

// The limits of a file of rounds, which [TraceParams] states.
const (
	maxFile      = 1 << 30 // bytes
	maxLine      = 1 << 26
	maxRounds    = 10_000_000
	maxFuncs     = 20_000_000
	maxDim       = 10_000
	maxQuadratic = 1000 // dimensions of a quadratic function
)

func (p *roundReader) header() {
	given := p.object(headerName, headerKeys, func(key string) {
		switch key {
		case "domain":
			p.domain()
		case "constraints":
			p.rec.m = p.integer("constraints", 1, math.MaxInt32, `; where there are none, give every round one that is always satisfied, {"form":{"const":-1}}`)
		default:
			p.ignore(key)
		}
	})
	p.require(headerName, given, headerKeys, "domain", "constraints")
	p.end()
}

func (p *roundReader) domain() {
	const expected = `{"box":{"lower":[…],"upper":[…]}}, {"ball":{"center":[…],"radius":r}} or {"simplex":{"dim":n,"scale":s}}`
	at, count := p.at, 0
	var set convex.Set
	var err error
	p.object("domain", domainKeys, func(key string) {
		count++
		switch key {
		case "box":
			var lower, upper []float64
			given := p.object("box", boxKeys, func(key string) {
				if v := p.numbers(key, nil, -1); key == "lower" {
					lower = v
				} else {
					upper = v
				}
			})
			p.require("box", given, boxKeys, boxKeys...)
			set, err = orNil(convex.NewBox(lower, upper))
		case "ball":
			var center []float64
			var radius float64
			given := p.object("ball", ballKeys, func(key string) {
				if key == "center" {
					center = p.numbers(key, nil, -1)
				} else {
					radius = p.number(key)
				}
			})
			p.require("ball", given, ballKeys, ballKeys...)
			set, err = orNil(convex.NewBall(center, radius))
		case "simplex":
			var dim int
			var scale float64
			given := p.object("simplex", simplexKeys, func(key string) {
				if key == "dim" {
					dim = p.integer(key, 1, maxDim, "")
				} else {
					scale = p.number(key)
				}
			})
			p.require("simplex", given, simplexKeys, simplexKeys...)
			set, err = orNil(convex.NewSimplex(dim, scale))
		}
	})
	switch {
	case p.err != nil:
	case count != 1:
		p.fault(at, "domain has %d members, expected one of %s", count, expected)
	case err != nil:
		p.fault(at, "domain: %v", err)
	case set.Dim() > maxDim:
		p.fault(at, "domain has %d dimensions, expected at most %d", set.Dim(), maxDim)
	}
	p.rec.domain = set
}

// orNil makes an untyped nil of a set that came with an error.
func orNil[S convex.Set](s S, err error) (convex.Set, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *roundReader) round() {
	t := p.rec.rounds() + 1
	if t > maxRounds || len(p.rec.funcs)+1+p.rec.m > maxFuncs {
		p.fault(0, "more than %d rounds, or %d losses and constraints, the limits; split the file", maxRounds, maxFuncs)
	}
	p.x, p.checks = nil, p.checks[:0]
	var loss recorded
	constraints := make([]recorded, 0, min(p.rec.m, 1000))
	given := p.object("a round", roundKeys, func(key string) {
		at := p.at
		switch key {
		case "t":
			p.numbered(t)
		case "x":
			p.x = p.numbers("x", nil, p.rec.domain.Dim())
		case "loss":
			loss = p.function("loss", 0)
		case "constraints":
			p.array("constraints", func(j int) {
				if j >= p.rec.m {
					p.fault(p.at, "more than %d constraints, the number that the first line gives; every round has the same number, with the form {} for one that says nothing", p.rec.m)
					return
				}
				constraints = append(constraints, p.function("constraint "+strconv.Itoa(j+1), 1+j))
			})
			if p.err == nil && len(constraints) < p.rec.m {
				p.fault(at, "%d constraints, expected %d as the first line gives; every round has the same number, with the form {} for one that says nothing", len(constraints), p.rec.m)
			}
		}
	})
	p.require("a round", given, roundKeys, "t", "loss", "constraints")
	p.end()
	if p.x != nil {
		for _, c := range p.checks {
			p.verify(c)
		}
	}
	if p.err == nil {
		p.rec.funcs = append(append(p.rec.funcs, loss), constraints...)
	}
}

// numbered reads the number of round t.
func (p *roundReader) numbered(t int) {
	at := p.at
	if got := p.number("t"); p.err == nil && got != float64(t) {
		p.fault(at, "t is %v, expected %d: rounds are numbered 1, 2, 3, … without gaps", got, t)
	}
}

// function reads the loss (index 0) or constraint j (index j) of a round.
func (p *roundReader) function(what string, index int) recorded {
	f := recorded{lin: -1, quad: -1}
	claim := check{what: what, at: -1}
	given := p.object(what, functionKeys, func(key string) {
		switch key {
		case "value":
			claim.at = p.at
			claim.value = p.number("value of " + what)
		case "form":
			f = p.form(what, index)
		case "subgradient":
			p.numbers("subgradient of "+what, nil, p.rec.domain.Dim())
		}
	})
	p.require(what, given, functionKeys, "form")
	if claim.f = f; claim.at >= 0 {
		p.checks = append(p.checks, claim)
	}
	return f
}

func (p *roundReader) form(what string, index int) recorded {
	n := p.rec.domain.Dim()
	f := recorded{lin: -1, quad: -1}
	var lin, quad []float64
	quadAt := p.at
	what = "the form of " + what
	p.object(what, formKeys, func(key string) {
		at := p.at
		switch key {
		case "const":
			f.constant = p.number("const in " + what)
		case "lin":
			lin = p.numbers("lin in "+what, p.scratch.lin[:0], n)
			p.scratch.lin = lin
		case "quad":
			quadAt = at
			if n > maxQuadratic {
				p.fault(at, "quad in %s: a function in %d dimensions is quadratic, expected at most %d", what, n, maxQuadratic)
			}
			quad = p.matrix("quad in "+what, p.scratch.quad[:0], n)
			p.scratch.quad = quad
		case "opaque":
			if !p.literal("true") && p.err == nil {
				p.fault(at, "opaque in %s: found %s, expected true; leave it out for a function that is written out", what, p.found())
			}
			p.fault(at, `%s is opaque: only its value and a subgradient at the recorded x are known, so that it cannot be replayed; write it out with "const", "lin" and "quad", or use the problem that generated it`, what)
		}
	})
	if p.err != nil {
		return f
	}
	if zero(lin) {
		lin = nil
	}
	if zero(quad) {
		quad = nil
	}
	var known bool
	f.lin, _ = p.keep(lin, index, func(r recorded) int { return r.lin })
	f.quad, known = p.keep(quad, index, func(r recorded) int { return r.quad })
	if !known {
		if _, err := convex.NewQuadratic(quad, make([]float64, n), 0); err != nil {
			p.fault(quadAt, "quad in %s: %v; the function is const + lin·x + ½xᵀ quad x", what, err)
		}
	}
	return f
}

// keep stores a vector of the function at an index and returns its place, or a
// negative number for nil. A vector that is equal to one of the last few rounds
// is shared with it, so that functions that do not change take no memory and
// compare equal.
func (p *roundReader) keep(v []float64, index int, place func(recorded) int) (at int, known bool) {
	if v == nil {
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
	if !(math.Abs(v-c.value) <= 1e-6*size) && p.err == nil {
		p.fault(c.at, "value of %s is %v, but its form at x is %v; correct one of them, or leave out value", c.what, c.value, v)
	}
}

// The rest is JSON.

// fault records the first fault, at a place of the line.
func (p *roundReader) fault(at int, format string, args ...any) {
	if p.err == nil {
		column := 1 + utf8.RuneCount(p.text[:at])
		p.err = fmt.Errorf("%s:%d:%d: %s", p.file, p.line, column, input.Clip(fmt.Sprintf(format, args...), 500))
	}
}

func (p *roundReader) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r", p.text[p.at]) >= 0 {
		p.at++
	}
}

// next skips space and consumes c if it is next.
func (p *roundReader) next(c byte) bool {
	p.space()
	if p.err == nil && p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// literal consumes a word such as true if it is next.
func (p *roundReader) literal(word string) bool {
	p.space()
	if p.err == nil && p.word() == word {
		p.at += len(word)
		return true
	}
	return false
}

// word returns the letters, digits, signs and points that come next.
func (p *roundReader) word() string {
	end := p.at
	for end < len(p.text) && (strings.IndexByte("+-._", p.text[end]) >= 0 ||
		'0' <= p.text[end] && p.text[end] <= '9' || 'a' <= p.text[end]|32 && p.text[end]|32 <= 'z') {
		end++
	}
	return string(p.text[p.at:end])
}

// found describes what comes next, for people.
func (p *roundReader) found() string {
	p.space()
	if p.at >= len(p.text) {
		return "the end of the line"
	}
	const shown = 20
	rest := []rune(string(p.text[p.at:min(len(p.text), p.at+8*shown)]))
	switch word := p.word(); {
	case p.text[p.at] == '{':
		return "an object"
	case p.text[p.at] == '[':
		return "a list"
	case p.text[p.at] == '"':
		if s, ok := p.string(); ok && utf8.RuneCountInString(s) <= shown {
			return "the text " + strconv.Quote(s)
		} else if ok {
			return "a text"
		}
		return "an unfinished text"
	case rest[0] == '\ufeff':
		return "a byte order mark, which JSON does not allow"
	case word == "":
		return strconv.QuoteRune(rest[0])
	case len(word) > shown:
		return word[:shown] + "…"
	default:
		return word
	}
}

// expected records that something else was expected here.
func (p *roundReader) expected(what, expected string) {
	if p.err != nil {
		return
	}
	p.space()
	at := p.at
	found := p.found()
	p.at = at
	remedy := ""
	switch {
	case found == "null":
		remedy = "; leave out what is absent"
	case notFinite(found):
		remedy = "; every number must be finite: JSON has neither NaN nor Infinity"
	case found == "an unfinished text", at+len(p.word()) >= len(p.text):
		remedy = "; the line is cut short: write it whole, on one line, or remove it"
	case strings.HasPrefix(found, "the text") && expected == "a number":
		remedy = "; numbers are finite and written without quotes"
	case expected == "a number" && strings.Trim(found, numeric) == "":
		remedy = " as JSON writes it: no leading zero or plus sign, digits on both sides of the point"
	}
	p.fault(at, "%s: found %s, expected %s%s", what, found, expected, remedy)
}

func notFinite(word string) bool {
	w := strings.ToLower(strings.TrimLeft(word, "+-"))
	return w == "nan" || w == "inf" || w == "infinity"
}

// string consumes a string if a well-formed one is next.
func (p *roundReader) string() (string, bool) {
	start := p.at
	if !p.next('"') {
		return "", false
	}
	for p.at < len(p.text) && p.text[p.at] != '"' {
		if p.text[p.at] == '\\' {
			p.at++
		}
		p.at++
	}
	if p.at >= len(p.text) {
		p.at = start
		return "", false
	}
	p.at++
	if inner := p.text[start+1 : p.at-1]; p.text[start] == '"' && !slices.ContainsFunc(inner, func(c byte) bool { return c < ' ' || c > '~' || c == '\\' }) {
		return string(inner), true
	}
	var s string
	if json.Unmarshal(bytes.TrimLeft(p.text[start:p.at], " \t\r"), &s) != nil {
		p.at = start
		return "", false
	}
	return s, true
}

// object reads an object whose keys are among these, each at most once, and
// returns which were there, as bits. Member reads the value of a key.
func (p *roundReader) object(what string, keys []string, member func(key string)) (given uint) {
	if !p.next('{') {
		p.expected(what, "an object {"+strconv.Quote(keys[0])+":…}")
		return 0
	}
	for first := true; p.err == nil && !p.next('}'); first = false {
		if !first && !p.next(',') {
			p.expected(what, "a comma or the end } of the object")
			return given
		}
		p.space()
		at := p.at
		key, ok := p.string()
		k := slices.Index(keys, key)
		switch {
		case !ok:
			p.expected(what, "a key in quotes")
		case k < 0:
			p.fault(at, "%s: unknown key %q (keys: %s)", what, input.Clip(key, 40), strings.Join(keys, ", "))
		case given>>k&1 == 1:
			p.fault(at, "%s: the key %q comes twice; keep one", what, key)
		case !p.next(':'):
			p.expected(what, "a colon after the key")
		default:
			p.space()
			given |= 1 << k
			member(key)
		}
	}
	return given
}

// require records the first of these keys that an object does not have.
func (p *roundReader) require(what string, given uint, keys []string, required ...string) {
	for _, key := range required {
		if given>>slices.Index(keys, key)&1 == 0 {
			p.fault(p.at, "%s: the key %q is missing (needed: %s)", what, key, strings.Join(required, ", "))
		}
	}
}

// array reads a list, of which element reads one value.
func (p *roundReader) array(what string, element func(i int)) {
	if !p.next('[') {
		p.expected(what, "a list […]")
		return
	}
	for i := 0; p.err == nil && !p.next(']'); i++ {
		if i > 0 && !p.next(',') {
			p.expected(what, "a comma or the end ] of the list")
			return
		}
		p.space()
		element(i)
	}
}

// numbers appends a list of n numbers to dst, or of any length if n < 0.
func (p *roundReader) numbers(what string, dst []float64, n int) []float64 {
	p.space()
	at := p.at
	p.array(what, func(int) { dst = append(dst, p.number(what)) })
	if p.err == nil && n >= 0 && len(dst) != n {
		p.fault(at, "%s has length %d, expected %d, the dimension of the domain", what, len(dst), n)
	}
	return dst
}

// matrix appends a list of n lists of n numbers to dst.
func (p *roundReader) matrix(what string, dst []float64, n int) []float64 {
	p.space()
	at := p.at
	p.array(what, func(i int) {
		if i < n {
			rowAt := p.at
			p.array(what, func(int) { dst = append(dst, p.number(what)) })
			if len(dst) == (i+1)*n {
				return
			}
			p.fault(rowAt, "%s: row %d has length %d, expected %d, the dimension of the domain", what, i+1, len(dst)-i*n, n)
		}
		p.fault(at, "%s has more than %d rows, the dimension of the domain", what, n)
	})
	if p.err == nil && len(dst) != n*n {
		p.fault(at, "%s has %d rows, expected %d, the dimension of the domain", what, len(dst)/n, n)
	}
	return dst
}

func (p *roundReader) number(what string) float64 {
	p.space()
	word := p.word()
	if p.err != nil || !isNumber(word) {
		p.expected(what, "a number")
		return 0
	}
	v, err := strconv.ParseFloat(word, 64)
	if errors.Is(err, strconv.ErrRange) {
		p.fault(p.at, "%s: %s is too large for a 64-bit number", what, input.Clip(word, 40))
		return 0
	}
	p.at += len(word)
	return v
}

const numeric = "+-.0123456789eE"

// isNumber tells whether a word is a number of JSON:
// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
func isNumber(word string) bool {
	digits := func() bool {
		rest := strings.TrimLeft(word, "0123456789")
		some := len(rest) < len(word)
		word = rest
		return some
	}
	word = strings.TrimPrefix(word, "-")
	if strings.HasPrefix(word, "0") {
		word = word[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(word, ".") {
		if word = word[1:]; !digits() {
			return false
		}
	}
	if word != "" && word[0]|32 == 'e' {
		if word = word[1:]; word != "" && strings.IndexByte("+-", word[0]) >= 0 {
			word = word[1:]
		}
		return digits() && word == ""
	}
	return word == ""
}

// integer reads an integer from least to most.
func (p *roundReader) integer(what string, least, most int, remedy string) int {
	p.space()
	at := p.at
	v := p.number(what)
	if p.err == nil && (v != math.Trunc(v) || v < float64(least) || v > float64(most)) {
		p.fault(at, "%s is %v, expected an integer from %d to %d%s", what, v, least, most, remedy)
	}
	return int(v)
}

// ignore skips the value of a member that describes the origin of the rounds.
func (p *roundReader) ignore(what string) {
	p.space()
	if _, ok := p.string(); ok || p.err != nil {
		return
	}
	switch word := p.word(); {
	case word == "null", word == "true", word == "false", isNumber(word):
		p.at += len(word)
	default:
		p.expected(what, "a text or a number")
	}
}

// end records what follows the object of a line.
func (p *roundReader) end() {
	if p.space(); p.err == nil && p.at < len(p.text) {
		p.fault(p.at, "found %s after the end of the object; every line is one object", p.found())
	}
}
