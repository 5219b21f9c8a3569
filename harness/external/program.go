// Package external makes entries of the registries of other programs, and of actions
// that they played ([ReadActions]).
//
// A program speaks JSON-RPC 2.0 on its standard input and output, one message a
// line: docs/protocol.md has the methods. [Start] starts it, reads what it declares
// of itself, and makes an entry for the registry of it:
//
//	program, err := external.Start(ctx, "mine", []string{"python3", "mine.py"}, external.Options{})
//	if err != nil {
//		return err
//	}
//	defer program.Close()
//	if p, ok := program.Problem(); ok {
//		catalog.Problems = append(catalog.Problems, p)
//	} else {
//		catalog.Algorithms = append(catalog.Algorithms, program.Algorithm())
//	}
//
// A process plays many games, one after another. Games that are played at the same time
// have processes of their own. A process that dies, does not answer in time, or answers
// what it should not, fails its game with the reason and the end of its standard error; it
// is killed, and the next game has a new one. A game fails in the same way if the program
// answers differently than before in the same game.
//
// Processes end with the program that started them: [Program.Close] ends them, and
// if the program is killed, their standard input is at its end. On Linux the kernel
// kills them then, too.
package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/wire"
	"ocobench/harness/run/process"
	"ocobench/problems"
)

// Protocol numbers the version of the protocol that this package speaks.
const Protocol = 1

// Timeout limits the time of an answer, the first one of a process included.
const Timeout = 10 * time.Second

// programVariable names the environment variable by which a program knows that its standard output
// is for answers: a library may then send to standard error what the program prints.
const programVariable = "OCOBENCH_PROGRAM"

// threadsVariable names the environment variable for the number of threads of numerical libraries,
// such as OpenBLAS and MKL. Their default is one per core, which slows games that are played at the
// same time, and makes results depend on the machine.
const threadsVariable = "OMP_NUM_THREADS"

// Options configure a program. The zero value has the defaults.
type Options struct {
	Timeout time.Duration // of an answer; 0 stands for the constant [Timeout]
	// Stderr, unless nil, receives all that processes write to standard error.
	Stderr io.Writer
	// Flag is the flag of the command line for the entry, such as --external NAME=COMMAND.
	Flag string
	// Forgetful turns off the comparison of a game with an earlier game that had the same calls.
	Forgetful bool
}

// Program runs the processes of one external program, which plays games or reveals rounds.
type Program struct {
	name        string
	command     []string
	options     Options
	code        code
	firstAnswer declaration // as it was decoded; later processes must declare the same
	declared    declaration // the same after check

	pool process.Pool // of its processes
	stop func() bool  // stops watching the context

	mu             sync.Mutex
	earlierAnswers map[uint64]uint64 // the hash of answers by the hash of calls; see [record]
	hashSeed       maphash.Seed      // of records
	timeouts       int               // calls in a row that were not answered in time
}

// commandOf returns the command of these words, with one thread unless the environment says
// otherwise.
func commandOf(words []string) *exec.Cmd {
	c := exec.Command(words[0], words[1:]...)
	c.Env = append([]string{threadsVariable + "=1"}, os.Environ()...) // the last one of a name counts
	c.Env = append(c.Env, programVariable+"=1")
	return c
}

// Start starts the program of a command, whose words are its path and its arguments, and reads what
// it declares. name is its name in SPECs. When the context ends, its processes are killed, and all
// games that they play fail.
func Start(ctx context.Context, name string, command []string, o Options) (*Program, error) {
	if o.Timeout == 0 {
		o.Timeout = Timeout
	}
	p := &Program{
		name: name, command: command, options: o, code: codeOf(command),
		pool: process.Pool{
			Command: func() *exec.Cmd { return commandOf(command) },
			Stderr:  o.Stderr, Limit: maxMessage,
		},
		earlierAnswers: make(map[uint64]uint64), hashSeed: maphash.MakeSeed(),
	}
	p.stop = context.AfterFunc(ctx, p.pool.Kill)
	if err := p.readDeclaration(); err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", oneLine(strings.Join(command, " ")), err)
	}
	return p, nil
}

// readDeclaration asks a new process for its declaration, and checks it.
func (p *Program) readDeclaration() error {
	const fresh = true
	c, err := p.takeProcess(fresh)
	if err != nil {
		return err
	}
	result, err := c.call("initialize", fmt.Appendf(nil, `{"protocol":%d}`, Protocol),
		p.options.Timeout)
	if err != nil {
		return err
	}
	if p.firstAnswer, _, err = decodeDeclaration(result); err != nil {
		return c.fail("%w", err)
	}
	p.declared = p.firstAnswer
	if err := p.declared.check(); err != nil {
		return c.fail("its declaration: %w", err)
	}
	if err := p.code.checkUnchanged(); err != nil { // by now the program has read its own files
		return c.fail("%w", err)
	}
	p.putProcess(c)
	return nil
}

// Name returns the name of the entry.
func (p *Program) Name() string { return p.name }

// Algorithm returns the program as an algorithm of a catalog.
func (p *Program) Algorithm() algorithms.Algorithm {
	d := p.declared
	a := algorithms.Algorithm{
		Name: p.name, Title: d.Title, Doc: d.Doc, Reference: p.reference(), Definition: d.Definition,
		Version: d.Version, Fingerprint: p.fingerprint(), Flag: p.options.Flag,
		Params: d.params, Feedback: d.Feedback, Anytime: d.Anytime, Draws: d.Draws,
		Claims: d.claims, Assumes: d.assumes,
		ClaimsAt: func(params any) []algorithms.Claim {
			claims, err := d.claimsAt(params)
			if err != nil { // cannot happen: the same claims were read at the defaults
				panic("external: " + err.Error())
			}
			return claims
		},
		Cost: "a round trip to another program, and what it computes",
		New: func(params any, s algorithms.Setup) (algorithms.Learner, error) {
			return p.startLearner(params, s, func(call []byte) []byte { return call })
		},
	}
	if a.Doc == "" {
		a.Doc = "an algorithm of another program"
	}
	return a
}

// Problem returns the program as a problem of a catalog; ok is false if it is a learner.
func (p *Program) Problem() (entry problems.Problem, ok bool) {
	d := p.declared
	if d.Role != problemRole {
		return entry, false
	}
	entry = problems.Problem{
		Name: p.name, Title: d.Title, Doc: d.Doc, Reference: p.reference(), Definition: d.Definition,
		Version: d.Version, Fingerprint: p.fingerprint(), Flag: p.options.Flag,
		Params: d.params, New: p.startStream,
	}
	if entry.Doc == "" {
		entry.Doc = "a problem of another program"
	}
	return entry, true
}

// reference returns the declared reference, or says which flag gave the program.
func (p *Program) reference() string {
	if p.declared.Reference != "" {
		return p.declared.Reference
	}
	return oneLine(fmt.Sprintf("%s, as %s declares it", p.declared.Name, strings.Join(p.command, " ")))
}

// startLearner begins a game. Edit changes the parameters of its calls.
func (p *Program) startLearner(params any, s algorithms.Setup,
	edit func([]byte) []byte) (algorithms.Learner, error) {
	game, err := p.gameParams(params, s)
	if err != nil {
		return nil, err
	}
	game = edit(game)
	c, err := p.beginGame(game, func(jsontext.Value) error { return nil })
	var failed *failedError
	if errors.As(err, &failed) {
		return nil, &algorithms.FailedError{Reason: failed.Error()}
	} else if err != nil {
		return nil, err
	}
	var state []algorithms.State
	for _, name := range p.declared.State {
		state = append(state, algorithms.State{Name: name, Values: []float64{math.NaN()}})
	}
	return &learner{
		session: session{program: p, process: c, record: newRecord(p, game)},
		state:   state, edit: edit, n: s.Set.Dim(), horizon: s.Horizon,
		nextAction: make([]float64, 0, s.Set.Dim()),
		seesAhead:  p.declared.Feedback == algorithms.FirstOrderPlus,
		seesForms:  p.declared.Feedback == algorithms.FullInfo,
		writer:     wire.Writer{Plain: !p.declared.Terms, Packed: p.declared.Packed},
	}, nil
}

// failedError reports that a program did not begin a game although it did not refuse its
// parameters.
type failedError struct{ error }

// beginGame returns a process that has begun a game. The function accept interprets the instance of
// its answer, nil if there is none, after the declaration was found to be the same as before. If a
// process that has served other games fails, a new one is tried.
func (p *Program) beginGame(game []byte,
	accept func(instance jsontext.Value) error) (*child, error) {
	for fresh := false; ; fresh = true {
		c, err := p.takeProcess(fresh)
		if err != nil {
			return nil, &failedError{err}
		}
		served := c.Calls() > 0 // it has played other games
		result, err := c.call("initialize", game, p.options.Timeout)
		if err == nil && !served {
			if wrong := p.code.checkUnchanged(); wrong != nil {
				err = c.fail("%w", wrong)
			}
		}
		if err == nil {
			again, instance, wrong := decodeDeclaration(result)
			if wrong != nil || !reflect.DeepEqual(again, p.firstAnswer) {
				err = c.fail("its declaration has changed: initialize is answered by %s", clipAnswer(result))
			} else if wrong := accept(instance); wrong != nil {
				err = c.fail("initialize is answered by %s: %w", clipAnswer(result), wrong)
			}
		}
		if err == nil {
			return c, nil
		}
		var refused *refusedError
		switch {
		case errors.As(err, &refused):
			p.putProcess(c)
			return nil, err
		case !served || p.pool.Closed():
			return nil, &failedError{err}
		}
		// What an earlier game has left behind is no fault of this one.
	}
}

// gameParams returns the parameters of the call initialize that begins a game of a learner.
func (p *Program) gameParams(params any, s algorithms.Setup) ([]byte, error) {
	var w wire.Writer
	w.Text(`{"protocol":`)
	w.Int(Protocol)
	w.Text(`,"game":{`)
	writeInstance(&w, s.Set, s.Constraints, s.Facts)
	w.Text(`,"horizon":`)
	if s.Horizon > 0 {
		w.Int(s.Horizon)
	} else {
		w.Text("null")
	}
	w.Text(`,`)
	p.writeDraws(&w, params, s.Seed)
	return w.Line, w.Err
}

// writeInstance writes the members that tell a learner the domain, the number of constraints and
// the facts.
func writeInstance(w *wire.Writer, set convex.Set, constraints int, facts convex.Facts) {
	w.Text(`"domain":`)
	w.Set(set)
	w.Text(`,"constraints":`)
	w.Int(constraints)
	w.Text(`,"facts":`)
	w.JSON(facts)
}

// writeDraws writes the end of the parameters of initialize: the seed and the parameters of the
// entry.
func (p *Program) writeDraws(w *wire.Writer, params any, seed uint64) {
	w.Text(`"seed":`)
	w.JSON(seed >> 11) // below 2⁵³, which JSON readers of every language keep exactly
	if p.declared.Packed {
		w.Text(`,"packed":true`)
	}
	w.Text(`,"parameters":{`)
	for i, d := range p.declared.Parameters {
		if i > 0 {
			w.Text(",")
		}
		w.JSON(d.Name)
		w.Text(":")
		w.JSON(reflect.ValueOf(params).Field(i).Interface())
	}
	w.Text("}}}")
}

// maxTimeouts limits the calls in a row that a program does not answer in time. After so many, each
// of which took the whole time limit, the program is not started again.
const maxTimeouts = 3

// countTimeouts counts a call that was not answered in time, or starts again from 0 after an
// answer.
func (p *Program) countTimeouts(late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if late {
		p.timeouts++
	} else {
		p.timeouts = 0
	}
}

// hasGivenUp reports whether the program has missed so many time limits that it is not asked any
// more.
func (p *Program) hasGivenUp() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timeouts >= maxTimeouts
}

// takeProcess returns a process for a game: a waiting one or, if there is none or fresh is set, a
// new one.
func (p *Program) takeProcess(fresh bool) (*child, error) {
	if p.hasGivenUp() {
		return nil, fmt.Errorf("it is not started again: it hung %d times in a row, with no answer "+
			"between, and a later run tries again", maxTimeouts)
	}
	c, err := p.pool.Take(fresh)
	switch {
	case err == process.ErrClosed:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("it does not start: %w", err)
	}
	return &child{Process: c, program: p}, nil
}

// putProcess gives a process back after its game.
func (p *Program) putProcess(c *child) { p.pool.Put(c.Process) }

// exitGracePeriod limits the time that a process may take to end by itself.
const exitGracePeriod = 500 * time.Millisecond

// Close ends the program: processes that play no game are asked to, and have half
// a second for it.
func (p *Program) Close() error {
	p.stop()
	p.pool.Close([]byte(`{"jsonrpc":"2.0","method":"shutdown"}`+"\n"), exitGracePeriod)
	return nil
}

// refusedError reports that the program refused the parameters of a game.
type refusedError struct{ error }

// clipAnswer returns the beginning of an answer for a message.
func clipAnswer(text []byte) string {
	const maxBytes = 100
	text = bytes.ToValidUTF8(text, []byte("�"))
	if len(text) > maxBytes {
		text = append(bytes.ToValidUTF8(text[:maxBytes], nil), "…"...)
	}
	return string(text)
}
