package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"

	"ocobench/internal/input"
)

// A process is started in a group of its own, so that Ctrl-C in the terminal does not reach it,
// and so that what it has started ends with it. A call writes it a line, and it
// answers with a line, one call after another. Between calls it waits in its pool. One that
// does not answer in time is ended: its standard input is closed, and if it has not ended
// by itself within the grace of its pool, its group is killed.
//
// A descendant can leave the group by setsid. On Linux it is found by a mark in the environment
// that it has inherited, and is killed when the process has ended.

// Pool holds the running processes of a command.
type Pool struct {
	// Command makes the command.
	Command func() *exec.Cmd
	// Stderr, unless nil, receives all that processes write to standard error.
	Stderr io.Writer
	// Limit is the largest number of bytes of an answer, its line break included.
	Limit int
	// Grace is how long a process may take to end at the end of its standard input. With 0
	// processes are killed at once.
	Grace time.Duration

	mu     sync.Mutex
	idle   []*Process
	alive  map[*Process]bool
	closed bool
}

// markVariable names the environment variable that holds the marks of a process: those of its
// ancestors, each after a slash, and then its own.
const markVariable = "OCOBENCH_PROCESS"

// ErrClosed reports that the processes of a pool are being ended.
var ErrClosed = errors.New("the program is being ended")

// Take returns an idle process. It starts one if there is none, or if fresh is true.
func (p *Pool) Take(fresh bool) (*Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 && !fresh {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	if p.closed {
		return nil, ErrClosed
	}
	c, err := startProcess(p)
	if err != nil {
		return nil, err
	}
	if p.alive == nil {
		p.alive = make(map[*Process]bool)
	}
	p.alive[c] = true
	return c, nil
}

// Put gives a process back: it is idle until [Pool.Take] returns it.
func (p *Pool) Put(c *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
}

// Closed reports whether the processes are being ended.
func (p *Pool) Closed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// Kill kills all processes, and returns when they have ended. There will be no others.
func (p *Pool) Kill() {
	p.mu.Lock()
	p.closed, p.idle = true, nil
	var all []*Process
	for c := range p.alive {
		all = append(all, c)
	}
	p.mu.Unlock()
	for _, c := range all {
		c.killGroup()
	}
	for _, c := range all {
		<-c.done
		c.closePipes()
	}
}

// Close ends all processes. To those that wait it writes the farewell, unless it is empty. It
// closes their standard input, and gives them the time grace to end by themselves.
func (p *Pool) Close(farewell []byte, grace time.Duration) {
	p.mu.Lock()
	idle := p.idle
	p.closed, p.idle = true, nil
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	for _, c := range idle {
		go func() { // a full pipe may block it
			if len(farewell) > 0 {
				c.stdin.Write(farewell)
			}
			c.stdin.Close()
		}()
	}
	for _, c := range idle {
		select {
		case <-c.done:
		case <-ctx.Done():
		}
	}
	p.Kill()
	for _, c := range idle {
		c.closePipes() // of those that ended by themselves, which Kill does not see
	}
}

// Process runs a command that answers calls, one after another.
type Process struct {
	pool   *Pool
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	lines  *input.Lines // of stdout
	stderr stderrTail
	mark   string // is in the environment of all that it starts
	calls  int64
	end    func()        // calls endOnce, once
	done   chan struct{} // is closed when it has ended, and what it has started was killed
}

// startProcess starts a process of a pool.
func startProcess(p *Pool) (*Process, error) {
	c := &Process{pool: p, cmd: p.Command(), stderr: stderrTail{copy: p.Stderr},
		done: make(chan struct{})}
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = cancelGracePeriod
	setOwnGroup(c.cmd)
	c.mark = fmt.Sprintf("/%016x", rand.Uint64())
	c.cmd.Env = append(c.cmd.Environ(), markVariable+"="+os.Getenv(markVariable)+c.mark)
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not cmd.StdoutPipe: Wait would close it before all of it is read.
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout = childStdout
	err = startCommand(c.cmd)
	childStdout.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	c.stdin, c.stdout, c.lines = stdin, stdout, input.NewLines(stdout, p.Limit)
	c.end = sync.OnceFunc(c.endOnce)
	go func() {
		c.cmd.Wait()
		c.killGroup() // what it has started
		killMarked(c.mark)
		close(c.done)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.alive, c)
	}()
	return c, nil
}

// killGroup kills the process and all of its group. After done is closed the group has ended, and
// its number may belong to another process: then killGroup does nothing.
func (c *Process) killGroup() {
	select {
	case <-c.done:
	default:
		killGroup(c.cmd.Process)
	}
}

// End ends the process, and returns when it has ended.
func (c *Process) End() { c.end() }

// endOnce ends the process: it closes standard input, waits for the grace of the pool, and kills
// the group.
func (c *Process) endOnce() {
	if c.pool.Grace > 0 {
		c.stdin.Close()
		select {
		case <-c.done:
		case <-time.After(c.pool.Grace):
		}
	}
	c.killGroup()
	c.closePipes() // a process outside of the group may have the other ends
	<-c.done
}

// closePipes closes the pipes to and from the process.
func (c *Process) closePipes() {
	c.stdin.Close()
	c.stdout.Close()
}

// Calls returns the number of calls so far.
func (c *Process) Calls() int64 { return c.calls }

// ErrLate reports that a call was not answered in time.
var ErrLate = errors.New("not answered in time")

// Call writes a line, to which it adds the line break, and returns the answer, a line that
// is valid until the next call. With a limit of 0 it waits for any time. The error is that of the
// context, [ErrLate], [io.EOF] at the end of the standard output of the process, or what else went
// wrong. If the line could not be written, an answer may come with the error. After an error the
// process must be ended.
func (c *Process) Call(ctx context.Context, line []byte, limit time.Duration) ([]byte, error) {
	c.calls++
	// Both stops return false if End was called before.
	stopTimer := func() bool { return true }
	if limit > 0 {
		stopTimer = time.AfterFunc(limit, c.End).Stop
	}
	stopWatching := context.AfterFunc(ctx, c.End)
	_, writeErr := c.stdin.Write(append(line, '\n'))
	// Read even if the line could not be written: a process that ends without reading it may
	// have said why.
	answer, err := c.lines.Next()
	late, cancelled := !stopTimer(), !stopWatching()
	switch {
	case cancelled:
		c.End()
		return nil, ctx.Err()
	case late:
		c.End()
		return nil, ErrLate
	case errors.Is(err, os.ErrClosed):
		return nil, io.EOF
	case err != nil:
		return nil, err
	}
	return answer, writeErr
}

// Epitaph says how a process ended, after the end of its standard output.
func (c *Process) Epitaph() string {
	select {
	case <-c.done:
	case <-time.After(cancelGracePeriod): // it may have closed its output and go on
		c.killGroup()
	}
	c.End()
	return fmt.Sprintf("its process ended (%v)", c.cmd.ProcessState)
}

// LastLines returns the last lines that the process has written to standard error, at
// most so many, as they are.
func (c *Process) LastLines(n int) []string { return c.stderr.lastLines(n) }
