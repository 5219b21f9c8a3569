package rounds

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"ocobench/convex"
	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// Members of the objects of the format, in the order in which they are written.
var (
	headerKeys = []string{
		"domain", "constraints", "algorithm", "problem", "seed", "replicate", "version", "go", "goarch",
		"facts", "expectation", "rounds", "vectors", "functions",
	}
	templateKeys = []string{"row", "loss", "constraints"}
	roundKeys    = []string{"t", "x", "vectors", "functions", "loss", "constraints"}
	functionKeys = []string{"value", "form", "subgradient"}
)

// scan reads recorded rounds once, and keeps of them what their facts and the place of each round
// need, or all functions; file is their name in errors, which give line and column of the first
// fault.
func scan(r io.Reader, file string, keeping bool) (*scanned, error) {
	file = input.Shown(file)
	p := &roundReader{file: file, scanned: newScanned(keeping)}
	err := p.lines(r, func() {
		if p.domain == nil {
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
	case p.domain == nil:
		return nil, fmt.Errorf("%s:1: the file is empty (%s)", file, expected)
	case p.t == 0:
		return nil, fmt.Errorf("%s:%d: the file ends before the first round (%s)", file, p.line, expected)
	}
	return p.scanned, nil
}

// roundReader reads rounds, one line at a time.
type roundReader struct {
	wire.Reader
	file   string
	buffer []byte
	line   int
	begin  int64 // of the line in the file, in bytes
	end    int64
	enough bool // no more lines are needed

	domain convex.Set
	m      int
	named  bool // "functions" are defined in the line
	t      int  // the last round
	x      []float64
	row    []float64 // the list that the round is, if it is one
	loss   wire.Function
	g      []wire.Function
	checks []check

	template *template // nil if no line is a list

	*scanned // nil where rounds are read again
}

// template says what a line that is a list means: the member "rounds" of the first line.
type template struct {
	text              []byte // the first line
	row               wire.Row
	loss, constraints int // where they stand
}

// check is a value that the file claims of a function at x.
type check struct {
	what  string
	at    int // where the claim stands
	value float64
	index int // 0 for the loss
}

// next reads the next line, and reports whether there is one; it may be empty.
func (p *roundReader) next(in *bufio.Reader) (more bool, err error) {
	p.buffer, p.begin = p.buffer[:0], p.end
	for {
		part, err := in.ReadSlice('\n')
		p.buffer = append(p.buffer, part...)
		switch {
		case len(p.buffer) > maxLine:
			return false, fmt.Errorf("%s:%d: the line has more than %d bytes, the limit; every round is "+
				"a line of its own", p.file, p.line+1, maxLine)
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && err != io.EOF:
			return false, fmt.Errorf("%s:%d: %w", p.file, p.line+1, err)
		}
		p.line++
		p.end += int64(len(p.buffer))
		p.Place = fmt.Sprintf("%s:%d:", p.file, p.line)
		text := bytes.TrimRight(p.buffer, " \t\r\n")
		if p.line == 1 {
			text = input.SkipMark(text)
		}
		p.Reset(text)
		return err == nil, nil
	}
}

// lines calls read for every line that is not empty, up to the first fault.
func (p *roundReader) lines(r io.Reader, read func()) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		more, err := p.next(in)
		if err != nil {
			return err
		}
		if len(p.Text) > 0 {
			read()
		}
		if p.Err != nil || p.enough || !more {
			return p.Err
		}
	}
}

const headerName = "the first line, which describes the problem"

func (p *roundReader) header() {
	later := make(map[string]int) // members that use others, by their places
	given := p.Object(headerName, headerKeys, func(key string) {
		switch key {
		case "domain":
			p.domain = p.Set()
			p.Domain = p.domain
		case "constraints":
			p.m = p.Integer("constraints", 1, math.MaxInt32, `; where there are none, `+
				`give every round one that is always satisfied, {"form":{"const":-1}}`)
		case "facts":
			at := p.At
			var declared convex.Facts
			if given := p.Facts(&declared); p.Err == nil && p.scanned != nil {
				p.declared, p.given, p.place = declared, given, p.Here(at)
			}
		case "rounds":
			p.readTemplate()
		case "vectors", "functions", "expectation":
			later[key] = p.At
			p.Skip(key)
		default:
			p.Ignore(key)
		}
	})
	p.Require(headerName, given, headerKeys, "domain", "constraints")
	p.End()
	for _, key := range []string{"vectors", "functions", "expectation"} {
		at, ok := later[key]
		if !ok || p.Err != nil {
			continue
		}
		switch p.At = at; {
		case key == "vectors":
			p.Vectors(p.domain.Dim())
		case key == "functions":
			p.Functions(p.domain.Dim())
		case p.scanned != nil:
			p.expected()
		}
	}
}

// expected reads the expectation of the constraints.
func (p *roundReader) expected() {
	at := p.At
	p.Array("expectation", func(j int) {
		what := "the expectation of constraint " + strconv.Itoa(j+1)
		f := p.Function(what, p.domain.Dim())
		p.Convex(what, &f)
		p.mean = append(p.mean, f)
	})
	if p.Err == nil && len(p.mean) != p.m {
		p.Fault(at, "expectation has length %d, expected %d, the number of constraints", len(p.mean), p.m)
	}
}

// readTemplate reads the names of the numbers of a list. The functions are read with them.
func (p *roundReader) readTemplate() {
	of := &template{text: bytes.Clone(p.Text)}
	given := p.Object("rounds", templateKeys, func(key string) {
		switch key {
		case "row":
			of.row = p.Row()
			return
		case "loss":
			of.loss = p.At
		case "constraints":
			of.constraints = p.At
		}
		p.Skip(key)
	})
	p.Require("rounds", given, templateKeys, templateKeys...)
	p.template = of
}

// expand reads the functions of a round by the template, with the numbers of a list. The place
// stands before the column of the first line in faults.
func (p *roundReader) expand(place string, numbers []float64) {
	p.g = p.g[:0]
	if p.Name(p.template.row, numbers); p.Err != nil {
		return
	}
	text, before, at := p.Text, p.Place, p.At
	p.Text, p.Place, p.Where = p.template.text, place, ""
	p.At = p.template.loss
	p.loss = p.function("loss", 0)
	if p.Err == nil {
		p.At = p.template.constraints
		p.constraints()
	}
	p.Text, p.Place, p.At = text, before, at
}

// round reads a round, and looks at it if the rounds are scanned.
func (p *roundReader) round() {
	t := p.t + 1
	if p.scanned != nil && (t > maxRounds || t*(1+p.m) > maxFuncs) {
		p.Fault(0, "more than %d rounds, or %d losses and constraints, the limits; split the file",
			maxRounds, maxFuncs)
	}
	p.x, p.checks, p.g, p.named = nil, p.checks[:0], p.g[:0], false
	p.ForgetVectors()
	if p.template != nil && bytes.HasPrefix(bytes.TrimLeft(p.Text, " \t"), []byte("[")) {
		p.row = p.Numbers("the list", p.row[:0], -1)
		if p.End(); p.Err == nil {
			p.expand(fmt.Sprintf(`%s round %d, by "rounds" of the first line, column `, p.Place, t), p.row)
		}
	} else {
		p.members(t)
	}
	if p.Err == nil {
		if p.t = t; p.scanned != nil {
			p.see(p)
		}
	}
}

// members reads round t, an object.
func (p *roundReader) members(t int) {
	n := p.domain.Dim()
	p.Where = " of round " + strconv.Itoa(t)
	// The functions of a line come after the vectors and functions that they use. Where the line
	// has these later, its functions are read last.
	waits := bytes.Count(p.Text, []byte(`"vectors"`)) + bytes.Count(p.Text, []byte(`"functions"`))
	lossAt, constraintsAt := -1, -1
	given := p.Object("a round", roundKeys, func(key string) {
		switch key {
		case "t":
			p.numbered(t)
		case "x":
			p.x = p.Numbers("x", nil, n)
		case "vectors":
			waits--
			p.Vectors(n)
		case "functions":
			waits--
			p.named = true
			p.Functions(n)
		case "loss":
			if lossAt = p.At; waits > 0 {
				p.Skip(key)
				return
			}
			lossAt = -1
			p.loss = p.function("loss", 0)
		case "constraints":
			if constraintsAt = p.At; waits > 0 {
				p.Skip(key)
				return
			}
			constraintsAt = -1
			p.constraints()
		}
	})
	p.Require("a round", given, roundKeys, "t", "loss", "constraints")
	p.End()
	if lossAt >= 0 && p.Err == nil {
		p.At = lossAt
		p.loss = p.function("loss", 0)
	}
	if constraintsAt >= 0 && p.Err == nil {
		p.At = constraintsAt
		p.constraints()
	}
	if p.scanned != nil && p.x != nil && p.Err == nil {
		for _, c := range p.checks {
			p.verify(c)
		}
	}
}

// constraints reads those of a round.
func (p *roundReader) constraints() {
	at := p.At
	p.Array("constraints", func(j int) {
		if j >= p.m {
			p.Fault(p.At, "more than %d constraints, the number that the first line gives; every round "+
				"has the same number, with the form {} for one that says nothing", p.m)
			return
		}
		p.g = append(p.g, p.function("constraint "+strconv.Itoa(j+1), 1+j))
	})
	if p.Err == nil && len(p.g) < p.m {
		p.Fault(at, "%d constraints, expected %d as the first line gives; every round has the same "+
			"number, with the form {} for one that says nothing", len(p.g), p.m)
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
func (p *roundReader) function(what string, index int) (f wire.Function) {
	claim := check{what: what, at: -1, index: index}
	given := p.Object(what, functionKeys, func(key string) {
		switch key {
		case "value":
			claim.at = p.At
			claim.value = p.Number("value of " + what)
		case "form":
			f = p.Function(what, p.domain.Dim())
			if p.scanned != nil && !p.isKnown(f.Quad, index) {
				p.Convex(what, &f)
			}
		case "subgradient":
			p.Numbers("subgradient of "+what, nil, p.domain.Dim())
		}
	})
	p.Require(what, given, functionKeys, "form")
	if claim.at >= 0 {
		p.checks = append(p.checks, claim)
	}
	return f
}

// verify compares a claimed value with the form at x, relative to the size of
// the terms of the form, which may cancel.
func (p *roundReader) verify(c check) {
	f := &p.loss
	if c.index > 0 {
		f = &p.g[c.index-1]
	}
	v, size := p.valueOf(f, p.x)
	size += math.Abs(c.value)
	if !(math.Abs(v-c.value) <= 1e-6*size) && p.Err == nil {
		p.Fault(c.at, "value of %s is %v, but its form at x is %v; correct one of them, or leave out "+
			"value", c.what, c.value, v)
	}
}
