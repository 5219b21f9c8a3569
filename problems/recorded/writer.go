package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"ocobench/convex"
	"ocobench/convex/wire"
)

// Header holds what the first line of recorded rounds says: the domain, the number of constraints,
// and the origin of the rounds. Empty members from Replicate on are left out. Readers ignore the
// origin.
type Header struct {
	Domain      convex.Set
	Constraints int
	// Facts are what the problem declares; nil leaves them to be computed from the rounds.
	Facts *convex.Facts
	// Expectation holds the expectations of the constraints, if they are known
	// ([problems.Expecter]). They are left out if the constraints are fixed, or if one of them is
	// known by its values only.
	Expectation []convex.Func
	// Bases are the functions that rounds share ([problems.Sharer]).
	Bases []*convex.Basis

	Algorithm string // SPEC of the algorithm that played
	Problem   string // SPEC of the problem
	Seed      uint64
	Replicate int
	Version   string // of the program
	Go        string // version of Go
	GOARCH    string
}

// Writer writes rounds in the format of the package, a line each.
type Writer struct {
	w    io.Writer
	n    int         // the dimension, 0 before the header
	line wire.Writer // the current line
}

// NewWriter returns a writer to w. It calls w.Write once for each line.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Header writes the first line.
func (w *Writer) Header(h Header) error {
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
	for _, member := range []struct{ key, value string }{
		{"version", h.Version}, {"go", h.Go}, {"goarch", h.GOARCH},
	} {
		if member.value != "" {
			line.Text(`,"` + member.key + `":`)
			line.JSON(member.value)
		}
	}
	if h.Facts != nil {
		line.Text(`,"facts":`)
		line.Facts(*h.Facts, func(key string, declared bool) bool {
			return !slices.Contains(recordingFacts, key) && (declared || slices.Contains(computedFacts, key))
		})
	}
	line.Text(",")
	if wroteFunctions := line.Functions(w.n, h.Bases); !wroteFunctions {
		line.Line = line.Line[:len(line.Line)-1] // without the comma
	}
	if h.Facts == nil || !h.Facts.Fixed {
		w.writeExpectation(h.Expectation)
	}
	line.Text("}")
	return w.flush("the header")
}

// writeExpectation writes the expectations of the constraints, or nothing if one has no form.
func (w *Writer) writeExpectation(mean []convex.Func) {
	start, sep := len(w.line.Line), `,"expectation":[`
	for _, g := range mean {
		w.line.Text(sep)
		if !w.line.Form(w.n, g) {
			w.line.Line = w.line.Line[:start]
			return
		}
		sep = ","
	}
	if len(mean) > 0 {
		w.line.Text("]")
	}
}

// Round writes round t with the action x: a Writer is an observer of games. For rounds that were
// not played x is nil, and no values are written. Round returns an error, and writes nothing, if a
// number is not finite, or if x is nil and a function is known by its values only.
//
// A [convex.Basis] of the header is written by its name, any other by the functions it is made of.
func (w *Writer) Round(t int, x []float64, r *convex.Round) error {
	if w.n == 0 {
		panic("recorded: Round before Header")
	}
	line := &w.line
	line.Reset()
	line.Text(`{"t":`)
	line.Int(t)
	if x != nil {
		line.Text(`,"x":`)
		line.Numbers(x)
	}
	line.Text(",")
	writeFunctions(line, *r, func(f convex.Func) { w.writeFunction(x, f) })
	line.Text("}")
	return w.flush(fmt.Sprintf("round %d", t))
}

// WriteSeen writes the members that a player of another program sees of a round after its
// action x,
//
//	"loss":FUNC,"constraints":[FUNC,…]
//
// with FUNC as [wire.Writer.Seen] writes it.
func WriteSeen(line *wire.Writer, r convex.Round, x []float64, forms bool) {
	writeFunctions(line, r, func(f convex.Func) { line.Seen(f, x, forms) })
}

// writeFunctions writes the members loss and constraints; write writes one function.
func writeFunctions(line *wire.Writer, r convex.Round, write func(f convex.Func)) {
	line.Text(`"loss":`)
	write(r.Loss)
	line.Text(`,"constraints":[`)
	for j, g := range r.Constraints {
		if j > 0 {
			line.Text(",")
		}
		write(g)
	}
	line.Text("]")
}

// writeFunction writes a function with its value at x, if x is not nil, and its form. A function
// without a form gets a subgradient at x instead.
func (w *Writer) writeFunction(x []float64, f convex.Func) {
	line := &w.line
	line.Text("{")
	if x != nil {
		line.Text(`"value":`)
		line.Number(f.Value(x))
		line.Text(",")
	}
	line.Text(`"form":`)
	if !line.Form(w.n, f) {
		if x == nil {
			line.Err = cmp.Or(line.Err, errOpaque)
			return
		}
		line.Text(`,"subgradient":`)
		line.Subgradient(f, x)
	}
	line.Text("}")
}

var errOpaque = errors.New("a function that is neither affine nor quadratic, nor made of " +
	"functions of package convex, is known by its value and a subgradient at the action, and there " +
	"is none")

// flush writes the line to w.w; what names its content in an error.
func (w *Writer) flush(what string) error {
	if w.line.Err != nil {
		return fmt.Errorf("%s cannot be written: %w", what, w.line.Err)
	}
	w.line.Text("\n")
	_, err := w.w.Write(w.line.Line)
	return err
}
