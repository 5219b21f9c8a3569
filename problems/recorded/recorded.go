// Package recorded writes and reads recorded rounds. Its writer serves bench play, its reader the
// problem trace. A second reader takes the actions alone, and bench import makes rounds of CSV
// files.
//
// The format is JSON lines, which may be gzipped. The first line describes the problem, and every
// other line a round, in order:
//
//	{"domain":DOMAIN,"constraints":m,"algorithm":…,"problem":…,"seed":…,"facts":FACTS,
//	 "functions":{"name":FORM,…},"expectation":[FORM,…]}
//	{"t":1,"x":[…],"loss":FUNCTION,"constraints":[FUNCTION,…]}
//	{"t":2,…
//
//	DOMAIN    {"box":{"lower":[…],"upper":[…]}} or
//	          {"ball":{"center":[…],"radius":r}} or
//	          {"simplex":{"dim":n,"scale":s}}
//	FACTS     what the problem declares, as in bench list --json
//	FUNCTION  {"value":v,"form":FORM}, v being the value at x
//	FORM      in the notation of package wire
//
// The functions of the first line are those that rounds share: a name stands for one function in
// all rounds. The expectation is that of the constraints, if it is known. A function that is known
// by its values only is written as its value and a subgradient at x,
//
//	{"value":v,"form":{"opaque":true},"subgradient":[…]}
//
// and cannot be read back. The reader needs domain, constraints, t, loss and form. The
// other members may be absent, and must agree with these if they are present.
package recorded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"ocobench/convex"
	"ocobench/convex/wire"
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

// Recording holds recorded rounds. Their text is read once, to check it and to find its facts. A
// large file is read again by every [Player]; of any other text the functions are kept in memory. A
// Recording never changes, so streams may share it.
type Recording struct {
	Domain      convex.Set
	Constraints int
	Facts       convex.Facts // declared, or computed from the rounds; Facts.Rounds is their number
	// Bases are the functions that rounds share. Fixed are the constraints of all rounds, nil if they
	// change. Expectation is that of the constraints, nil if the first line does not have it.
	Bases              []*convex.Basis
	Fixed, Expectation []convex.Func

	file    *rereadFile   // nil if funcs has the functions
	funcs   []convex.Func // a round after the other: the loss and the constraints
	decoder wire.Reader   // reads file again: it knows the functions of the first line
}

// Open reads recorded rounds, as [Read] does, of a regular file or a pipe, which may be gzipped. It
// also returns the SHA-256 of the text. The rounds of a large file are not kept: a player fails if
// the file was changed since.
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
	again, err := openForRereading(file)
	if err != nil {
		return nil, "", err
	}
	if r, digest, err = readRecording(f, file, again); again != nil && (err != nil || r.file == nil) {
		again.Close()
	}
	return r, digest, err
}

// Read reads recorded rounds. The parameter file is their name in errors, which give line and
// column of the first fault.
//
// Rounds have at most 1 GiB of text, 64 MiB in a line, 10⁷ lines, 2·10⁷ losses and constraints,
// 10⁴ dimensions, and 10³ dimensions where a function has a matrix. Time is proportional to the
// length of the text, except that each matrix that differs from the one before takes O(n³) to
// check. Memory is proportional to it as well, except for a large file.
func Read(r io.Reader, file string) (*Recording, error) {
	rec, _, err := readRecording(r, file, nil)
	return rec, err
}
