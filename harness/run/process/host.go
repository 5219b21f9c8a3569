// Package process runs code that may panic, hang, or end the process that it runs in, and
// turns what goes wrong into errors. A [Job] goes in, and a result comes out.
//
// A [Host] does a job in a goroutine of this process, or has a worker do it: another
// process of the same program, which calls [Serve]. [Each] and [Queue] spread work over
// goroutines. A [Pool] starts, feeds and ends the processes of one command: the workers
// of a host, and the programs of others.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"ocobench/harness/game"
)

// Host does jobs. The zero value does them in this process, and so does nil.
type Host struct {
	// Timeout is how long a job may take, 0 for any time. Whoever makes jobs reads it.
	Timeout time.Duration
	// Command makes the command of a worker, a process that calls [Serve]. A worker does
	// one job after another; one that ends is replaced. With a nil Command this process
	// does them.
	Command func() *exec.Cmd
	// Stderr, unless nil, receives all that workers write to standard error.
	Stderr io.Writer

	once sync.Once
	pool *Pool
}

// Job describes work that a [Host] does, here or in a worker.
type Job[R any] struct {
	// Limit is how long the job may take, 0 for any time. What takes longer fails, and its
	// goroutine is left behind.
	Limit time.Duration
	// Do does the job in this process. It returns soon after its context has ended. An
	// error may come with a result.
	Do func(context.Context) (*R, error)
	// Place says how far Do has come.
	Place func() string
	// Request says in JSON which job it is, for a worker.
	Request func() any
}

// lateError reports a job that did not end in time, whose code may still be running.
type lateError struct{ game.CrashError }

// Unwrap returns the error as a [game.CrashError].
func (e *lateError) Unwrap() error { return &e.CrashError }

// Run does a job. An error may come with a result.
func Run[R any](ctx context.Context, h *Host, j Job[R]) (*R, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case h == nil || h.Command == nil:
		return runWithLimit(ctx, j)
	}
	return runInWorker[R](ctx, h.workerPool(), j.Limit, j.Request())
}

// cancelGracePeriod is the time that a cancelled job has to return. It is also the time that a
// process has to end after it has closed its output, and for which what it has started may keep
// its standard error open.
const cancelGracePeriod = time.Second

// runWithLimit does a job in a goroutine of its own, which is left behind if it does not end in
// time.
func runWithLimit[R any](ctx context.Context, j Job[R]) (*R, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the goroutine left behind ends when it looks
	type outcome struct {
		result *R
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		o := outcome{err: errExited} // unless the job returns
		defer func() {
			if v := recover(); v != nil {
				o.err = game.Panicked(v)
			}
			done <- o
		}()
		o.result, o.err = j.Do(ctx)
	}()
	var late <-chan time.Time
	if j.Limit > 0 {
		timer := time.NewTimer(j.Limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case o := <-done:
		if o.err == errExited {
			o.err = &game.CrashError{Reason: j.Place() + ": runtime.Goexit was called"}
		}
		return o.result, o.err
	case <-late:
		return nil, &lateError{game.CrashError{Reason: fmt.Sprintf(
			"%s: not finished after %v, which is the time limit", j.Place(), j.Limit)}}
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(cancelGracePeriod):
		}
		return nil, ctx.Err()
	}
}

// errExited stands for the error of a job that calls runtime.Goexit.
var errExited = errors.New("runtime.Goexit")
