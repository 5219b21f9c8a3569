package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"ocobench/harness/game"
)

// workerRequest holds what a host asks a worker, as a line of JSON.
type workerRequest[Q any] struct {
	Limit   time.Duration `json:"limit"`
	Request Q             `json:"request"`
}

// workerReply holds what a worker answers, as a line of JSON.
type workerReply[R any] struct {
	Result *R     `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
	Crash  bool   `json:"crash,omitempty"` // the error is a CrashError
	Stack  string `json:"stack,omitempty"`
	// Unusable says that the worker must not be used again: its job may still be running, or its
	// working directory is lost.
	Unusable bool `json:"unusable,omitempty"`
}

// unpack returns the result and the error that the worker had.
func (r *workerReply[R]) unpack() (*R, error) {
	switch {
	case r.Crash && r.Unusable:
		return r.Result, &lateError{game.CrashError{Reason: r.Error, Stack: r.Stack}}
	case r.Crash:
		return r.Result, &game.CrashError{Reason: r.Error, Stack: r.Stack}
	case r.Error != "":
		return r.Result, errors.New(r.Error)
	}
	return r.Result, nil
}

// Lifeline returns a reader of in, to which a host writes, for its worker. When in has ended, it
// waits, so that the worker can end by itself, and then calls end, whatever the worker is doing: a
// worker does not outlive its host.
func Lifeline(in io.Reader, end func()) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		time.AfterFunc(2*workerGrace, end)
		w.CloseWithError(err)
	}()
	return r
}

// Serve does, as a worker, the jobs that a host of another process writes to in, until in ends.
// Prepare returns the job of a request; its time limit is that of the host.
func Serve[Q, R any](in io.Reader, out io.Writer, prepare func(Q) (Job[R], error)) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	requests := make(chan workerRequest[Q])
	go func() {
		defer close(requests)
		defer cancel() // also the job that is being done: the host is gone
		for d := json.NewDecoder(in); ; {
			var q workerRequest[Q]
			if d.Decode(&q) != nil {
				return
			}
			select {
			case requests <- q:
			case <-ctx.Done():
				return
			}
		}
	}()
	for q := range requests {
		reply := doRequest(ctx, q, prepare)
		if ctx.Err() != nil {
			return nil
		}
		if err := json.NewEncoder(out).Encode(reply); err != nil {
			return err
		}
	}
	return nil
}

// doRequest does a job, which must leave the working directory as it was.
func doRequest[Q, R any](
	ctx context.Context, q workerRequest[Q], prepare func(Q) (Job[R], error),
) (out workerReply[R]) {
	dir, dirErr := os.Getwd()
	job, err := prepare(q.Request)
	if err == nil {
		job.Limit = q.Limit
		out.Result, err = runWithLimit(ctx, job)
	}
	if now, nowErr := os.Getwd(); dirErr == nil && (nowErr != nil || now != dir) {
		if err == nil {
			err = &game.CrashError{Reason: "it changed the working directory"}
		}
		if os.Chdir(dir) != nil {
			out.Unusable = true // this worker cannot go on
		}
	}
	var crash *game.CrashError
	var late *lateError
	if errors.As(err, &crash) {
		out.Crash, out.Stack = true, crash.Stack
	}
	if err != nil {
		out.Error = err.Error()
	}
	out.Unusable = out.Unusable || errors.As(err, &late)
	return out
}

const (
	// maxReply is the largest number of bytes of a reply.
	maxReply = 1 << 28
	// workerGrace is how long a worker may take to end. It first ends the processes that its jobs
	// have started, which have cancelGracePeriod.
	workerGrace = 2 * cancelGracePeriod
)

// workerPool returns the pool of the workers of a host that has a command.
func (h *Host) workerPool() *Pool {
	h.once.Do(func() {
		h.pool = &Pool{Command: h.Command, Stderr: h.Stderr, Limit: maxReply, Grace: workerGrace}
	})
	return h.pool
}

// Close ends the workers, of which none may be doing a job. The host does no more jobs in
// workers.
func (h *Host) Close() {
	if h.Command != nil {
		h.workerPool().Close(nil, workerGrace)
	}
}

// runInWorker has a worker do a job. If the worker ends, the job fails. The exception is a worker
// that has done other jobs before: these may have caused its end, and a new worker does the job
// again.
func runInWorker[R any](ctx context.Context, p *Pool, limit time.Duration, request any) (*R,
	error) {
	line, err := json.Marshal(workerRequest[any]{limit, request})
	if err != nil {
		return nil, err
	}
	for fresh := false; ; fresh = true {
		c, err := p.Take(fresh)
		if err != nil {
			return nil, fmt.Errorf("no worker can be started: %w", err)
		}
		c.stderr.reset() // what is left of it belongs to earlier jobs
		r, err := callWorker[R](ctx, c, limit, line)
		if err == nil && !r.Unusable {
			p.Put(c)
			return r.unpack()
		}
		c.End()
		var late *lateError
		switch {
		case err == nil:
			return r.unpack()
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case c.Calls() == 1 || errors.As(err, &late):
			return nil, err
		}
	}
}

// callWorker writes a request to a worker and reads the reply. After an error the worker must not
// be used again.
func callWorker[R any](
	ctx context.Context, c *Process, limit time.Duration, line []byte,
) (*workerReply[R], error) {
	wait := limit
	if limit > 0 {
		wait += 5 * cancelGracePeriod // a worker fails a late job itself, if it still can
	}
	text, err := c.Call(ctx, line, wait)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == ErrLate:
		return nil, &lateError{game.CrashError{Reason: fmt.Sprintf(
			"not finished after %v, which is the time limit; its process did not answer", limit)}}
	case err == io.EOF:
		return nil, &game.CrashError{Reason: c.Epitaph() + lastWords(c)}
	case text == nil: // an answer may come although the request could not be written
		return nil, &game.CrashError{Reason: fmt.Sprintf("the standard output of its process: %v", err)}
	}
	r := new(workerReply[R])
	if err := json.Unmarshal(text, r); err != nil {
		return nil, &game.CrashError{Reason: fmt.Sprintf(
			"it wrote %q to the standard output of its process", clipLine(string(text)))}
	}
	return r, nil
}

// lastWords returns what a worker wrote to standard error before it ended, on one line.
func lastWords(c *Process) string {
	lines := c.LastLines(3)
	if fatal := c.stderr.fatalLine(); fatal != "" {
		lines = []string{fatal}
	}
	for i, line := range lines {
		lines[i] = clipLine(line)
	}
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines, "; ")
}

// maxShownBytes limits how much of a line is shown.
const maxShownBytes = 200

// clipLine returns the beginning of a text, without control characters.
func clipLine(s string) string {
	if len(s) > maxShownBytes {
		s = strings.ToValidUTF8(s[:maxShownBytes], "") + "…"
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}
