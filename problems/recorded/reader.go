package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// The members of the objects of the format, in the order in which they are written.
var (
	headerKeys = []string{
		"domain", "constraints", "algorithm", "problem", "seed", "replicate", "version", "go", "goarch",
		"facts", "functions", "expectation",
	}
	roundKeys    = []string{"t", "x", "loss", "constraints"}
	functionKeys = []string{"value", "form", "subgradient"}
)

// roundReader reads rounds, one line at a time.
type roundReader struct {
	wire.Reader
	file   string
	in     *bufio.Reader
	buffer []byte    // the current line
	line   int       // its number
	size   int       // of the text so far, in bytes
	digest hash.Hash // of the text so far, or nil
	stop   bool      // no more lines are needed

	domain convex.Set
	m      int // the number of constraints
	header header

	t       int             // the number of the last round
	x       []float64       // its action, nil if the file has none
	funcs   []wire.Function // its loss, and then its constraints
	claimed []claimedValue  // the values at x that the file gives for funcs

	// semidefinite holds, for each of funcs, the last matrix that was found to be semidefinite.
	semidefinite [][]float64
}

// header holds what the first line says beside the domain and the number of constraints.
type header struct {
	facts        convex.Facts
	declaredBits uint            // bit i: the first line has the fact wire.FactKeys[i]
	factsPlace   string          // where the facts stand, for messages
	expectation  []wire.Function // of the constraints, or nil
}

// declares reports whether the first line has the fact of this name.
func (h *header) declares(key string) bool {
	return h.declaredBits>>slices.Index(wire.FactKeys, key)&1 == 1
}

// claimedValue is the value of a function at x as the file gives it.
type claimedValue struct {
	at    int // its position in the line, or -1 if the file gives none
	value float64
}

// open starts to read the text of r, which may be gzipped.
func (p *roundReader) open(r io.Reader) error {
	p.in = bufio.NewReaderSize(r, 1<<16)
	if start, _ := p.in.Peek(2); string(start) != "\x1f\x8b" {
		return nil
	}
	z, err := gzip.NewReader(p.in)
	if err != nil {
		return fmt.Errorf("%s:1: the file is gzipped, and cannot be unzipped: %w", p.file, err)
	}
	p.in = bufio.NewReaderSize(z, 1<<16)
	return nil
}

// nextLine reads the next line, which may be empty. more is false at the last one.
func (p *roundReader) nextLine() (more bool, err error) {
	p.buffer = p.buffer[:0]
	for {
		part, err := p.in.ReadSlice('\n')
		p.buffer = append(p.buffer, part...)
		if p.digest != nil {
			p.digest.Write(part)
		}
		switch p.size += len(part); {
		case len(p.buffer) > maxLine:
			return false, fmt.Errorf("%s:%d: the line has more than %d bytes, the limit; every round is "+
				"a line of its own", p.file, p.line+1, maxLine)
		case p.size > maxFile || p.line >= 2*maxRounds:
			return false, fmt.Errorf("%s:%d: the text has more than 1 GiB, or %d lines, the limits", p.file,
				p.line+1, 2*maxRounds)
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && err != io.EOF:
			return false, fmt.Errorf("%s:%d: %w", p.file, p.line+1, err)
		}
		p.line++
		p.Place = fmt.Sprintf("%s:%d:", p.file, p.line)
		text := bytes.TrimRight(p.buffer, " \t\r\n")
		if p.line == 1 {
			text = input.SkipMark(text)
		}
		p.Reset(text)
		return err == nil, nil
	}
}

// forEachLine calls read for every line that is not empty, up to the first fault or until p.stop.
func (p *roundReader) forEachLine(r io.Reader, read func()) error {
	if err := p.open(r); err != nil {
		return err
	}
	for {
		more, err := p.nextLine()
		if err != nil {
			return err
		}
		if len(p.Text) > 0 {
			read()
		}
		if p.Err != nil || p.stop || !more {
			return p.Err
		}
	}
}

const headerName = "the first line, which describes the problem"

// readHeader reads the first line. The functions and the expectation are read last, since they need
// the domain.
func (p *roundReader) readHeader() {
	required, last := []string{"domain", "constraints"}, []string{"functions", "expectation"}
	p.Ordered(headerName, headerKeys, required, last, func(key string) {
		switch at := p.At; key {
		case "domain":
			p.Domain = p.Set()
			p.domain = p.Domain
		case "constraints":
			p.m = p.Integer("constraints", 1, math.MaxInt32, `; where there are none, `+
				`give every round one that is always satisfied, {"form":{"const":-1}}`)
		case "facts":
			p.header.declaredBits, p.header.factsPlace = p.Facts(&p.header.facts), p.Here(at)
		case "functions":
			p.Functions(p.domain.Dim())
		case "expectation":
			p.Array("expectation", func(j int) {
				what := "the expectation of constraint " + strconv.Itoa(j+1)
				f := p.Function(what, p.domain.Dim())
				p.CheckConvex(what, &f)
				p.header.expectation = append(p.header.expectation, f)
			})
			if got := len(p.header.expectation); p.Err == nil && got != p.m {
				p.Fault(at, "expectation has length %d, expected %d, the number of constraints", got, p.m)
			}
		default:
			p.Skip(key)
		}
	})
	p.End()
}

// readRound reads the line of the round after p.t.
func (p *roundReader) readRound() {
	t := p.t + 1
	if t > maxRounds || t*(1+p.m) > maxFuncs {
		p.Fault(0, "more than %d rounds, or %d losses and constraints, the limits; split the file",
			maxRounds, maxFuncs)
		return
	}
	if bytes.HasPrefix(bytes.TrimLeft(p.Text, " \t"), []byte("[")) {
		p.Fault(0, "%s", wire.Former)
		return
	}
	if p.funcs == nil {
		p.funcs, p.claimed = make([]wire.Function, 1+p.m), make([]claimedValue, 1+p.m)
		p.semidefinite = make([][]float64, 1+p.m)
	}
	p.x, p.Where = nil, " of round "+strconv.Itoa(t)
	given := p.Object("a round", roundKeys, func(key string) {
		switch key {
		case "t":
			p.readRoundNumber(t)
		case "x":
			p.x = p.Numbers("x", nil, p.domain.Dim())
		case "loss":
			p.readFunction(0)
		case "constraints":
			p.readConstraints()
		}
	})
	p.Require("a round", given, roundKeys, "t", "loss", "constraints")
	if p.End(); p.Err == nil {
		p.t = t
	}
}

// readConstraints reads the constraints of a round.
func (p *roundReader) readConstraints() {
	at, count := p.At, 0
	p.Array("constraints", func(j int) {
		if count++; count > p.m {
			p.Fault(p.At, "more than %d constraints, the number that the first line gives; every round "+
				"has the same number, with the form {} for one that says nothing", p.m)
			return
		}
		p.readFunction(count)
	})
	if p.Err == nil && count < p.m {
		p.Fault(at, "%d constraints, expected %d as the first line gives; every round has the same "+
			"number, with the form {} for one that says nothing", count, p.m)
	}
}

// readRoundNumber reads the number of a round, which has to be t.
func (p *roundReader) readRoundNumber(t int) {
	at := p.At
	if got := p.Number("t"); p.Err == nil && got != float64(t) {
		p.Fault(at, "t is %v, expected %d: rounds are numbered 1, 2, 3, … without gaps", got, t)
	}
}

// readFunction reads the loss (index 0) or constraint j (index j) of a round. A matrix that equals
// the previous one of the same index shares its memory, and is not checked again.
func (p *roundReader) readFunction(index int) {
	what := nameOf(index)
	p.claimed[index] = claimedValue{at: -1}
	given := p.Object(what, functionKeys, func(key string) {
		switch key {
		case "value":
			at := p.At
			p.claimed[index] = claimedValue{at, p.Number("value of " + what)}
		case "form":
			f := p.Function(what, p.domain.Dim())
			if f.Quad != nil && slices.Equal(f.Quad, p.semidefinite[index]) {
				f.Quad = p.semidefinite[index]
			} else if f.Quad != nil {
				p.CheckConvex(what, &f)
				p.semidefinite[index] = f.Quad
			}
			p.funcs[index] = f
		case "subgradient":
			p.Numbers("subgradient of "+what, nil, p.domain.Dim())
		}
	})
	p.Require(what, given, functionKeys, "form")
}
