// Package rounds is the format of recorded rounds: its writer, which bench play uses, its
// reader, which the problem trace uses, the reader of actions alone, and the rounds that
// are made of CSV files.
//
// The format is JSON lines. The first line describes the problem, and every other line a
// round, in order:
//
//	{"domain":DOMAIN,"constraints":m,"algorithm":…,"problem":…,"seed":…,"facts":FACTS}
//	{"t":1,"x":[…],"loss":FUNC,"constraints":[FUNC,…]}
//	{"t":2,…
//
//	DOMAIN  {"box":{"lower":[…],"upper":[…]}} or
//	        {"ball":{"center":[…],"radius":r}} or
//	        {"simplex":{"dim":n,"scale":s}}
//	FACTS   what the problem declares, as in bench list --json
//	FUNC    {"value":v,"form":FORM}, v being the value at x
//	FORM    {"const":c,"lin":[…],"quad":[[…],…]}, which is c + lin·x + ½xᵀ quad x
//
// Members of FORM that are absent are zero. A function that is neither affine nor
// quadratic is written as its value and a subgradient at x,
//
//	{"value":v,"form":{"opaque":true},"subgradient":[…]}
//
// and cannot be read back. The reader needs domain, constraints, t, loss and form. The
// other members may be absent, and must agree with these if they are present.
package rounds

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"ocobench/convex"
	"ocobench/internal/input"
)

// The limits of a file of rounds.
const (
	maxFile   = 1 << 30 // bytes
	maxLine   = 1 << 26
	maxRounds = 10_000_000
	maxFuncs  = 20_000_000
)

// Expected says in messages what a file of rounds is.
const Expected = "expected a file of JSON lines as bench play writes it"

// Recording is recorded rounds as they are revealed. Nothing of them changes, so that
// streams may share them.
type Recording struct {
	Domain      convex.Set
	Constraints int
	Facts       convex.Facts // declared, or computed from the rounds; Facts.Rounds is their number

	funcs []convex.Func // a round after the other: the loss and the constraints
}

// Round is round t, from 1 on.
func (r *Recording) Round(t int) convex.Round {
	funcs := r.funcs[(t-1)*(1+r.Constraints) : t*(1+r.Constraints)]
	return convex.Round{Loss: funcs[0], Constraints: funcs[1:]}
}

// Open is [Read] of a file, a regular one or a pipe. It also returns the SHA-256 of the
// file.
func Open(file string) (r *Recording, digest string, err error) {
	f, err := input.Open(file, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("%s: there is no such file (%s; a relative path starts at the "+
			"working directory)", input.Shown(file), Expected)
	case err != nil:
		return nil, "", fmt.Errorf("%s: %w (%s)", input.Shown(file), err, Expected)
	}
	defer f.Close()
	h := sha256.New()
	if r, err = Read(io.TeeReader(f, h), file); err != nil {
		return nil, "", err
	}
	return r, hex.EncodeToString(h.Sum(nil)), nil
}

// Read reads recorded rounds. File is their name in errors, which give line and column of
// the first fault. A quadratic constraint that changes by constants only, or takes two
// forms only, is read as a basis, so that package convex adds multiples of it and not
// matrices.
//
// Rounds have at most 64 MiB in a line, 10⁷ lines, 2·10⁷ losses and constraints,
// 10⁴ dimensions, and 10³ dimensions where a function is quadratic. Time and memory are
// proportional to their length, except that each quadratic function takes O(n³) to check.
func Read(r io.Reader, file string) (*Recording, error) {
	rec, err := readRounds(r, file)
	if err != nil {
		return nil, err
	}
	facts, err := rec.facts()
	if err != nil {
		return nil, err
	}
	return rec.freeze(facts), nil
}

// raw is the content of recorded rounds, before functions are made from it.
type raw struct {
	domain convex.Set
	m      int
	funcs  []recorded // a round after the other: the loss and m constraints
	data   []float64

	declared convex.Facts
	given    uint   // the facts that are declared, as bits
	place    string // where they stand
}

// recorded is the function const + lin·x + ½xᵀ quad x. It has the places of its vectors
// in the data, which are negative where the vectors are zero.
type recorded struct {
	constant  float64
	lin, quad int
}

func (r *raw) rounds() int { return len(r.funcs) / (1 + r.m) }

// vectors returns lin and quad of f, nil where they are zero.
func (r *raw) vectors(f recorded) (lin, quad []float64) {
	n := r.domain.Dim()
	if f.lin >= 0 {
		lin = r.data[f.lin : f.lin+n]
	}
	if f.quad >= 0 {
		quad = r.data[f.quad : f.quad+n*n]
	}
	return lin, quad
}

func zero(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 })
}

// freeze returns the rounds with functions that cannot be changed. Functions that
// are equal in consecutive rounds are one.
func (r *raw) freeze(facts convex.Facts) *Recording {
	out := &Recording{r.domain, r.m, facts, make([]convex.Func, len(r.funcs))}
	zeros := make([]float64, r.domain.Dim())
	bases := make([]map[recorded]convex.Func, 1+r.m)
	shift := make([]bool, 1+r.m)
	for j := 1; j <= r.m; j++ {
		bases[j], shift[j] = r.bases(j, zeros)
	}
	for i, f := range r.funcs {
		j, before := i%(1+r.m), i-(1+r.m)
		shape := f
		shape.constant = 0
		switch {
		case before >= 0 && f == r.funcs[before]:
			out.funcs[i] = out.funcs[before]
		case shift[j]:
			out.funcs[i] = convex.Freeze(&convex.Shifted{Base: bases[j][shape], Shift: f.constant})
		case bases[j][f] != nil:
			out.funcs[i] = bases[j][f]
		default:
			out.funcs[i] = convex.Freeze(r.function(f, zeros))
		}
	}
	return out
}

// function returns f as an affine or quadratic function.
func (r *raw) function(f recorded, zeros []float64) convex.Func {
	lin, quad := r.vectors(f)
	if lin == nil {
		lin = zeros
	}
	if quad == nil {
		return &convex.Affine{A: lin, B: f.constant}
	}
	return &convex.Quadratic{Q: quad, A: lin, B: f.constant}
}

// bases returns bases of the functions of constraint j if they are quadratic and
// there are few of them, and whether all are one basis and a shift.
func (r *raw) bases(j int, zeros []float64) (bases map[recorded]convex.Func, shift bool) {
	var whole, shapes []recorded // distinct ones, up to three
	note := func(seen []recorded, f recorded) []recorded {
		if len(seen) > 2 || slices.Contains(seen, f) {
			return seen
		}
		return append(seen, f)
	}
	for i := j; i < len(r.funcs); i += 1 + r.m {
		f := r.funcs[i]
		if f.quad < 0 {
			return nil, false
		}
		whole = note(whole, f)
		f.constant = 0
		shapes = note(shapes, f)
	}
	if len(whole) > 2 {
		if len(shapes) > 1 {
			return nil, false
		}
		whole, shift = shapes, true
	}
	bases = make(map[recorded]convex.Func)
	for _, f := range whole {
		bases[f] = convex.NewBasis(r.function(f, zeros))
	}
	return bases, shift
}
