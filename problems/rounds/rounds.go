// Package rounds is the format of recorded rounds: its writer, which bench play uses, its
// reader, which the problem trace uses, the reader of actions alone, and the rounds that
// are made of CSV files.
//
// The format is JSON lines. The first line describes the problem, and every other line a
// round, in order:
//
//	{"domain":DOMAIN,"constraints":m,"algorithm":…,"problem":…,"seed":…,"facts":FACTS,
//	 "expectation":[FORM,…],"rounds":{"row":[…],"loss":FUNC,"constraints":[FUNC,…]}}
//	{"t":1,"x":[…],"loss":FUNC,"constraints":[FUNC,…]}
//	{"t":2,…
//
//	DOMAIN  {"box":{"lower":[…],"upper":[…]}} or
//	        {"ball":{"center":[…],"radius":r}} or
//	        {"simplex":{"dim":n,"scale":s}}
//	FACTS   what the problem declares, as in bench list --json
//	FUNC    {"value":v,"form":FORM}, v being the value at x
//	FORM    see [wire.Form]: {"const":c,"lin":[…],"quad":[[…],…]}, which is c + lin·x + ½xᵀ quad x, and
//	        sums of other functions that package convex can minimise
//
// The first line and every round may have a member "functions", {"name":FORM,…}: functions that are
// used in several rounds, by their names, from there on, and a member "vectors", {"name":[…],…},
// which the functions of the line use. The expectation is that of the constraints, if it is known.
//
// A round may also be a list of numbers, [0.5,-1,2]. The member "rounds" of the first line says
// what it means: the loss and the constraints of such a round, and the row, the names that they
// have in the place of the numbers and vectors of the list ([wire.Row]).
//
// Members of FORM that are absent are zero. A function that is known by its values only is written
// as its value and a subgradient at x,
//
//	{"value":v,"form":{"opaque":true},"subgradient":[…]}
//
// and cannot be read back. The reader needs domain, constraints, t, loss and form. The
// other members may be absent, and must agree with these if they are present.
//
// A function that is read has the values, the subgradients and the normal form of the one that was
// written, bit for bit. Of a [convex.Form] that is not affine, it is the normal form only: values
// are added up in another order.
package rounds

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

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

// Recording is recorded rounds. Their text is read once, to check it and to find its facts. That of
// a large file is read again by every [Player]; of all others the functions are kept. Nothing of
// them changes, so that streams may share them.
type Recording struct {
	Domain      convex.Set
	Constraints int
	Facts       convex.Facts // declared, or computed from the rounds; Facts.Rounds is their number

	text     *onDisk       // nil where the functions are kept
	funcs    []convex.Func // a round after the other: the loss and the constraints
	fixed    []convex.Func // the constraints of the first round, where all rounds have them
	mean     []convex.Func // the expectation of the constraints, where the first line has it
	families []family      // by constraint
	places
}

// places say where rounds are in the text.
type places struct {
	marks   []place // of rounds 1, 1 + markEvery, …
	defines []place // of rounds that define functions
}

type place struct {
	t, line int
	at      int64 // in bytes
}

const markEvery = 64

// Fixed returns the constraints of all rounds, or nil if they change. They cannot be changed.
func (r *Recording) Fixed() []convex.Func { return r.fixed }

// Expectation returns the expectation of the constraints, or nil if the first line does not have
// it. It cannot be changed.
func (r *Recording) Expectation() []convex.Func { return r.mean }

// Open is [Read] of a file, a regular one or a pipe. It also returns the SHA-256 of the
// file. The text of a large file stays in the file: a player of one that was changed since fails.
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
	t, err := openLarge(file)
	if err != nil {
		return nil, "", err
	}
	if r, err = read(io.TeeReader(f, h), file, t); err != nil {
		return nil, "", err
	}
	return r, hex.EncodeToString(h.Sum(nil)), nil
}

// Read reads recorded rounds. File is their name in errors, which give line and column of
// the first fault. A quadratic constraint without a name that changes by constants only, or takes
// two forms only, is read as a basis, so that package convex adds multiples of it and not
// matrices.
//
// Rounds have at most 64 MiB in a line, 10⁷ lines, 2·10⁷ losses and constraints,
// 10⁴ dimensions, and 10³ dimensions where a function has a matrix. Time is proportional to their
// length, except that each matrix takes O(n³) to check. So is memory, but for a large file.
func Read(r io.Reader, file string) (*Recording, error) { return read(r, file, nil) }

// read is Read of a text that players read again, unless it is nil.
func read(r io.Reader, file string, t *onDisk) (*Recording, error) {
	s, err := scan(r, file, t == nil)
	if err != nil {
		return nil, err
	}
	facts, err := s.facts()
	if err != nil {
		return nil, err
	}
	return s.recording(facts, t), nil
}
