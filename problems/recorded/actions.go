package recorded

import (
	"fmt"
	"io"
	"slices"

	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// Actions are actions that were played elsewhere, in rounds 1, 2, 3, ….
type Actions struct {
	file  string
	dim   int
	x     []float64 // one action after the other
	lines []int32   // the line of the file that each action is on
}

// Len returns the number of actions.
func (a *Actions) Len() int { return len(a.lines) }

// At returns the action of round t, which is not to be changed.
func (a *Actions) At(t int) []float64 { return a.x[(t-1)*a.dim : t*a.dim : t*a.dim] }

// Place returns where the action of round t stands: file:line.
func (a *Actions) Place(t int) string { return fmt.Sprintf("%s:%d", a.file, a.lines[t-1]) }

// CheckHorizon returns an error if the actions end before the horizon.
func (a *Actions) CheckHorizon(horizon int) error {
	if n := a.Len(); n < horizon {
		return fmt.Errorf("%s: the actions end after round %d, before the horizon %d; lower the horizon",
			a.Place(n), n, horizon)
	}
	return nil
}

// OpenActions does what [ReadActions] does, with a file of at most 1 GiB.
func OpenActions(file string, n, limit int) (*Actions, error) {
	in, err := input.Open(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf(`%s: %w (expected a file with a line {"t":1,"x":[…]} for each round)`,
			input.Shown(file), err)
	}
	defer in.Close()
	return ReadActions(in, file, n, limit)
}

// ReadActions reads actions in n dimensions; if n is 0, the first action decides. It reads at most
// limit of them, or all if limit is 0. Each is a line
//
//	{"t":1,"x":[…]}
//
// in order; t may be absent. The output of [Writer] is read, too: the header, losses and
// constraints are skipped. The parameter file names the text in errors, which give line and column
// of the first fault.
func ReadActions(r io.Reader, file string, n, limit int) (*Actions, error) {
	file = input.Shown(file)
	p := &roundReader{file: file}
	a := &Actions{file: file, dim: n}
	isFirstLine := true
	err := p.forEachLine(r, func() {
		keys := slices.Clone(roundKeys)
		for _, key := range headerKeys { // the first line may be a header
			if isFirstLine && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		if x, isHeader := p.readAction(a.Len()+1, a.dim, n == 0, keys); !isHeader {
			a.dim, a.x, a.lines = len(x), append(a.x, x...), append(a.lines, int32(p.line))
		}
		isFirstLine = false
		p.stop = limit > 0 && a.Len() == limit
	})
	if err != nil {
		return nil, err
	}
	if a.Len() == 0 {
		return nil, fmt.Errorf("%s:%d: the file ends before the first action (expected a line "+
			"{\"t\":1,\"x\":[…]} for each round)", file, p.line)
	}
	return a, nil
}

// readAction reads the action of round t, or skips a header, and then isHeader is true. The action
// has n coordinates. If the first action decides how many, n is its length, or 0 before it is read.
// The line may have these keys. The action is valid until the next call.
func (p *roundReader) readAction(t, n int, firstDecides bool, keys []string) (x []float64,
	isHeader bool) {
	if t > maxRounds {
		p.Fault(0, "more than %d rounds, the limit", maxRounds)
	}
	given := p.Object("a round", keys, func(key string) {
		switch key {
		case "t":
			p.readRoundNumber(t)
		case "x":
			at := p.At
			want := n
			if firstDecides {
				want = wire.AnyLength
			}
			x = p.Numbers("x", p.x[:0], want)
			if firstDecides && p.Err == nil && (len(x) == 0 || n > 0 && len(x) != n) {
				p.Fault(at, "x has length %d, expected %d, the length of the first action", len(x), max(n, 1))
			}
			p.x = x
		case "domain":
			isHeader = true
			p.Skip(key)
		default:
			p.Skip(key)
		}
	})
	if !isHeader {
		p.Require("a round", given, keys, "x")
	}
	p.End()
	return x, isHeader
}
