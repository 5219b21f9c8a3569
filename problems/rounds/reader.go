package rounds

import (
	"bufio"
	"bytes"
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
	headerKeys = []string{
		"domain", "constraints", "algorithm", "problem", "seed", "replicate", "version", "go", "goarch",
		"facts",
	}
	roundKeys    = []string{"t", "x", "loss", "constraints"}
	functionKeys = []string{"value", "form", "subgradient"}
)

// readRounds reads recorded rounds; file is their name in errors, which give
// line and column of the first fault.
func readRounds(r io.Reader, file string) (*raw, error) {
	file = input.Shown(file)
	p := &roundReader{file: file, rec: new(raw)}
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
	const expected = `expected a first line {"domain":…,"constraints":m} and then a line ` +
		`{"t":1,"loss":{"form":…},"constraints":[{"form":…},…]} for each round, as bench play writes them`
	switch {
	case p.rec.domain == nil:
		return nil, fmt.Errorf("%s:1: the file is empty (%s)", file, expected)
	case p.rec.rounds() == 0:
		return nil, fmt.Errorf("%s:%d: the file ends before the first round (%s)", file, p.line, expected)
	}
	return p.rec, nil
}

// roundReader reads rounds, one line at a time.
type roundReader struct {
	wire.Reader
	file   string
	line   int
	enough bool // no more lines are needed
	rec    *raw
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

// lines calls read for every line that is not empty, up to the first fault.
func (p *roundReader) lines(r io.Reader, read func()) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return fmt.Errorf("%s:%d: the line has more than %d bytes, the limit; every round is a line "+
				"of its own", p.file, p.line+1, maxLine)
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

func (p *roundReader) header() {
	given := p.Object(headerName, headerKeys, func(key string) {
		switch key {
		case "domain":
			p.rec.domain = p.Set()
		case "constraints":
			p.rec.m = p.Integer("constraints", 1, math.MaxInt32, `; where there are none, `+
				`give every round one that is always satisfied, {"form":{"const":-1}}`)
		case "facts":
			at := p.At
			if p.rec.given = p.Facts(&p.rec.declared); p.Err == nil {
				p.rec.place = p.Here(at)
			}
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
		p.Fault(0, "more than %d rounds, or %d losses and constraints, the limits; split the file",
			maxRounds, maxFuncs)
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
					p.Fault(p.At, "more than %d constraints, the number that the first line gives; every round "+
						"has the same number, with the form {} for one that says nothing", p.rec.m)
					return
				}
				constraints = append(constraints, p.function("constraint "+strconv.Itoa(j+1), 1+j))
			})
			if p.Err == nil && len(constraints) < p.rec.m {
				p.Fault(at, "%d constraints, expected %d as the first line gives; every round has the same "+
					"number, with the form {} for one that says nothing", len(constraints), p.rec.m)
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
		p.Fault(c.at, "value of %s is %v, but its form at x is %v; correct one of them, or leave out "+
			"value", c.what, c.value, v)
	}
}
