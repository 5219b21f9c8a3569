package external

import (
	"errors"
	"time"
)

// session plays one game with a process of a program: a learner or a stream makes its calls one
// after another. The first call that fails ends the game.
type session struct {
	program *Program
	process *child // nil once the game is over
	record  record // by which the game is compared with earlier ones
	t       int    // the last round
	err     error  // of the first call that failed
}

// Err implements [algorithms.Fallible] and [problems.Fallible].
func (g *session) Err() error { return g.err }

// request calls a method, unless a call has failed before, and reads the answer with read.
func (g *session) request(method string, params []byte, limit time.Duration,
	read func(answer []byte) error) {
	if g.err == nil && g.process == nil {
		g.err = errors.New("the game is over")
	}
	if g.err != nil {
		return
	}
	answer, err := g.process.call(method, params, limit)
	if err != nil {
		g.err = err
	} else if err := read(answer); err != nil {
		g.fail("%s is answered by %s: %w", method, clipAnswer(answer), err)
	}
}

// fail ends the game with an error, and kills the process.
func (g *session) fail(format string, args ...any) { g.err = g.process.fail(format, args...) }

// compare ends the game with an error if a record of it, after round t, differs from that of an
// earlier game with the same calls.
func (g *session) compare(r *record, t int) {
	if g.err == nil && !r.agreesWithEarlier() {
		g.fail("%s", r.differenceMessage(t))
	}
}

// Close implements [io.Closer]: the process is free for another game. It is an error if the program
// has failed, or answered something else in an earlier game with the same calls.
func (g *session) Close() error {
	if g.process == nil {
		return g.err
	}
	g.compare(&g.record, g.t)
	if g.err == nil {
		g.program.putProcess(g.process)
	}
	g.process = nil
	return g.err
}
