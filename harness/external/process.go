package external

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/exp/jsonrpc2"

	"ocobench/internal/input"
	"ocobench/internal/jsonline"
)

// process is a process that answers calls, one after another. After a call that
// failed, it is of no more use: it has been killed.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	in     jsonrpc2.Reader
	out    jsonrpc2.Writer
	stderr tail
	calls  int64
	done   chan struct{} // is closed when it has ended
}

// patience is how long a process may take to end that has closed its output, and how
// long what it has started may keep its standard error open.
const patience = time.Second

// startProcess starts a process, and calls gone when it has ended.
func startProcess(command []string, stderr io.Writer, gone func(*process)) (*process, error) {
	c := &process{cmd: exec.Command(command[0], command[1:]...), stderr: tail{copy: stderr}, done: make(chan struct{})}
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = patience
	group(c.cmd)
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not a StdoutPipe, which must not be waited for before it is read.
	stdout, childs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout = childs
	err = spawn(c.cmd)
	childs.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, fmt.Errorf("it does not start: %w", err)
	}
	c.stdin, c.stdout = stdin, stdout
	c.in, c.out = jsonline.Framer{}.Reader(stdout), jsonline.Framer{}.Writer(stdin)
	go func() {
		c.cmd.Wait()
		c.kill() // what it has started
		close(c.done)
		gone(c)
	}()
	return c, nil
}

// kill ends the process and all of its group. Once it has ended, the group has too,
// and its number may be that of another.
func (c *process) kill() {
	select {
	case <-c.done:
	default:
		killGroup(c.cmd.Process)
	}
}

// shutdown asks the process to end.
func (c *process) shutdown() {
	if m, err := jsonrpc2.NewNotification("shutdown", nil); err == nil {
		c.out.Write(context.Background(), m)
	}
	c.stdin.Close()
}

// call calls a method and returns its result. The error is a [refusedError] if the
// parameters are refused, and else what the process did wrong.
func (c *process) call(method string, params json.RawMessage, limit time.Duration) (json.RawMessage, error) {
	c.calls++
	timer := time.AfterFunc(limit, func() {
		c.kill()
		c.close() // a process outside of the group may have the other ends
	})
	id := jsonrpc2.Int64ID(c.calls)
	ctx := context.Background()
	_, unsent := c.out.Write(ctx, &jsonrpc2.Request{ID: id, Method: method, Params: params})
	// One that ends, or complains, without reading the call may have said why.
	m, _, err := c.in.Read(ctx)
	late := !timer.Stop()
	var syntax *jsonline.SyntaxError
	switch {
	case late:
		return nil, c.fail("%s is not answered after %v, which is the time limit", method, limit)
	case errors.As(err, &syntax):
		return nil, c.fail("%s is answered by %q, %w", method, clip([]byte(syntax.Line)), err)
	case err == io.EOF, errors.Is(err, os.ErrClosed):
		return nil, c.epitaph()
	case err != nil:
		return nil, c.fail("%s: %w", method, err)
	case unsent != nil:
		return nil, c.fail("%s cannot be sent: %w", method, unsent)
	}
	r, ok := m.(*jsonrpc2.Response)
	switch {
	case !ok:
		return nil, c.fail("%s is answered by a call of %q", method, m.(*jsonrpc2.Request).Method)
	case r.ID != id:
		return nil, c.fail("%s is answered with another id\n    it is call %d, and the answer is to call %#v", method, c.calls, r.ID.Raw())
	case r.Error != nil && method == "initialize" && codeOf(r.Error) == invalidParams:
		return nil, &refusedError{r.Error}
	case r.Error != nil:
		return nil, c.fail("%s is answered by the error %q (%d)", method, r.Error.Error(), codeOf(r.Error))
	}
	return r.Result, nil
}

// fail kills the process and returns the error, with the end of its standard error.
func (c *process) fail(format string, args ...any) error {
	c.kill()
	<-c.done
	c.close()
	return c.quote(fmt.Errorf(format, args...))
}

// epitaph says how the process ended, whose standard output is at its end.
func (c *process) epitaph() error {
	select {
	case <-c.done:
	case <-time.After(patience): // it may only have closed it
		c.kill()
		<-c.done
	}
	c.close()
	return c.quote(fmt.Errorf("its process ended (%v)", c.cmd.ProcessState))
}

func (c *process) close() {
	c.stdin.Close()
	c.stdout.Close()
}

// quote adds the end of standard error. It stands on lines of its own: the first line
// of an error is the same every time, and part of the opening of the game.
func (c *process) quote(err error) error {
	words := c.stderr.String()
	if words == "" {
		return err
	}
	return fmt.Errorf("%w\n%s", err, words)
}

// tail keeps the end of what is written.
type tail struct {
	copy io.Writer // of everything, or nil

	mu  sync.Mutex
	end []byte
}

// kept is how much of standard error is kept, in bytes, and shown, in lines.
const (
	keptBytes = 4096
	keptLines = 8
)

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := p[max(0, len(p)-keptBytes):]
	if over := len(t.end) + len(last) - keptBytes; over > 0 {
		t.end = append(t.end[:0], t.end[over:]...)
	}
	t.end = append(t.end, last...)
	if t.copy != nil {
		t.copy.Write(p)
	}
	return len(p), nil
}

// String returns the last lines, indented.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range bytes.Lines(t.end) {
		if text := strings.TrimRight(string(line), " \t\r\n"); text != "" {
			lines = append(lines, "    "+input.Message(text))
		}
	}
	return strings.Join(lines[max(0, len(lines)-keptLines):], "\n")
}
