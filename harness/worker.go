package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"

	"ocobench/harness/spec"
)

// request is what a host asks of a worker: a line of JSON.
type request struct {
	Task        task          `json:"task"`
	Limit       time.Duration `json:"limit"`
	Kind        string        `json:"kind"`
	Algorithm   *part         `json:"algorithm,omitempty"`
	Code        string        `json:"code,omitempty"` // the fingerprint of the algorithm
	Problem     *part         `json:"problem"`
	Fingerprint string        `json:"fingerprint,omitempty"`
	Seed        uint64        `json:"seed"`
	Replicate   int           `json:"replicate"`
	Horizon     int           `json:"horizon"`
	Also        []int         `json:"also,omitempty"`
}

// part is an algorithm or a problem.
type part struct {
	Spec   string `json:"spec"`
	Params string `json:"params"` // all of them, to be sure that the SPEC says it all
}

// reply is what a worker answers: a line of JSON.
type reply struct {
	Result *result `json:"result,omitempty"`
	Error  string  `json:"error,omitempty"`
	Crash  bool    `json:"crash,omitempty"` // the error is a CrashError
	Stack  string  `json:"stack,omitempty"`
	Late   bool    `json:"late,omitempty"` // something may still be running
}

// numbers are rows of numbers that keep their bits in JSON.
type numbers [][]float64

// MarshalJSON implements [json.Marshaler].
func (n numbers) MarshalJSON() ([]byte, error) {
	rows := make([][]byte, len(n))
	for i, row := range n {
		for _, v := range row {
			rows[i] = binary.LittleEndian.AppendUint64(rows[i], math.Float64bits(v))
		}
	}
	return json.Marshal(rows)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *numbers) UnmarshalJSON(data []byte) error {
	var rows [][]byte
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	*n = make(numbers, len(rows))
	for i, row := range rows {
		for ; len(row) >= 8; row = row[8:] {
			(*n)[i] = append((*n)[i], math.Float64frombits(binary.LittleEndian.Uint64(row)))
		}
	}
	return nil
}

// Serve is a worker: it answers the requests that a host of another process
// writes to in, until in ends. The catalog is that of the host.
func Serve(c Catalog, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	requests := make(chan request)
	go func() {
		defer close(requests)
		defer cancel() // whatever is being computed: the host is gone
		for d := json.NewDecoder(in); ; {
			var r request
			if d.Decode(&r) != nil {
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	s := &server{c, make(map[part]*Arena), make(map[part]*Contender), make(map[*Arena]string)}
	for r := range requests {
		answer := s.answer(ctx, r)
		if ctx.Err() != nil {
			return nil
		}
		if err := json.NewEncoder(out).Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// server keeps what requests have named so far.
type server struct {
	catalog    Catalog
	arenas     map[part]*Arena
	contenders map[part]*Contender
	// fingerprints are those of the arenas that have read their files.
	fingerprints map[*Arena]string
}

func (s *server) answer(ctx context.Context, r request) (out reply) {
	dir, dirErr := os.Getwd()
	c, err := s.cell(r)
	if err == nil {
		out.Result, err = limited(ctx, r.Limit, r.Task, c)
	}
	if now, nowErr := os.Getwd(); dirErr == nil && (nowErr != nil || now != dir) {
		if err == nil {
			err = &CrashError{Reason: "it changed the working directory"}
		}
		if os.Chdir(dir) != nil {
			out.Late = true // this worker cannot go on
		}
	}
	var crash *CrashError
	var late *lateError
	if errors.As(err, &crash) {
		out.Crash, out.Stack = true, crash.Stack
	}
	if err != nil {
		out.Error = err.Error()
	}
	out.Late = out.Late || errors.As(err, &late)
	return out
}

// cell is the cell of a request, without its identity.
func (s *server) cell(r request) (c *Cell, err error) {
	c = &Cell{Kind: r.Kind, Seed: r.Seed, Replicate: r.Replicate, Horizon: r.Horizon, Also: r.Also}
	if c.Arena, err = named(s.arenas, *r.Problem, s.catalog.Arenas, (*Arena).Resolved); err != nil {
		return nil, err
	}
	c.Arena.Spec = r.Problem.Spec // a swept parameter is written
	fingerprint, known := s.fingerprints[c.Arena]
	if !known {
		if fingerprint, err = c.Arena.Load(); err != nil {
			return nil, err
		}
		s.fingerprints[c.Arena] = fingerprint
	}
	if fingerprint != r.Fingerprint {
		return nil, fmt.Errorf("problem %s: its file has changed since the run began", c.Arena.Spec)
	}
	if r.Algorithm != nil {
		if c.Contender, err = named(s.contenders, *r.Algorithm, s.catalog.Contenders, (*Contender).Resolved); err != nil {
			return nil, err
		}
		if c.Contender.Fingerprint != r.Code {
			return nil, fmt.Errorf("algorithm %s: its files have changed since the run began", r.Algorithm.Spec)
		}
		c.Contender.Spec = r.Algorithm.Spec
	}
	return c, nil
}

// named looks up the one that is meant.
func named[T any](known map[part]*T, p part, resolve func(spec.Use) ([]T, error), resolved func(*T) string) (*T, error) {
	if v := known[p]; v != nil {
		return v, nil
	}
	u, err := spec.ParseSpec(p.Spec)
	if err != nil {
		return nil, err
	}
	all, err := resolve(u)
	switch {
	case err != nil:
		return nil, err
	case len(all) != 1 || resolved(&all[0]) != p.Params:
		return nil, fmt.Errorf("%s does not say all parameters, which are %s: it cannot be computed in a process of its own", p.Spec, p.Params)
	}
	known[p] = &all[0]
	return known[p], nil
}

// worker is a process that answers requests, one after another.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr *lastWords
	wait   func() // until the process has ended; any number of times
	served int    // requests so far
}

// maxReply bounds the line of a reply.
const maxReply = 1 << 28

func (h *Host) newWorker() (*worker, error) {
	w := &worker{cmd: h.Command(), stderr: &lastWords{copy: h.Stderr}}
	w.cmd.Stderr = w.stderr
	w.cmd.WaitDelay = patience // for what the worker has started
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.wait = sync.OnceFunc(func() { w.cmd.Wait() })
	w.in, w.out = in, bufio.NewScanner(out)
	w.out.Buffer(nil, maxReply)
	return w, w.cmd.Start()
}

// ask has a worker do a task. A worker that ends fails the task, but for one
// that has done others before: what they have left behind may have ended it, and
// a new worker does the task again.
func (h *Host) ask(ctx context.Context, t task, c *Cell) (*result, error) {
	r := request{
		Task: t, Limit: h.limit(t), Kind: c.Kind, Problem: &part{c.Arena.Spec, c.Arena.Resolved()}, Fingerprint: c.fingerprint,
		Seed: c.Seed, Replicate: c.Replicate, Horizon: c.Horizon, Also: c.Also,
	}
	if c.Contender != nil {
		r.Algorithm, r.Code = &part{c.Contender.Spec, c.Contender.Resolved()}, c.Contender.Fingerprint
	}
	for w := h.take(); ; w = nil {
		if w == nil {
			var err error
			if w, err = h.newWorker(); err != nil {
				return nil, fmt.Errorf("no worker can be started: %w", err)
			}
		}
		out, err := w.ask(ctx, r)
		if err == nil && !out.Late {
			h.put(w)
			return out.result()
		}
		w.end()
		var late *lateError
		switch {
		case err == nil:
			return out.result()
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case w.served == 1 || errors.As(err, &late):
			return nil, err
		}
	}
}

func (r *reply) result() (*result, error) {
	switch {
	case r.Crash && r.Late:
		return r.Result, &lateError{CrashError{r.Error, r.Stack}}
	case r.Crash:
		return r.Result, &CrashError{r.Error, r.Stack}
	case r.Error != "":
		return r.Result, errors.New(r.Error)
	}
	return r.Result, nil
}

// take returns a worker that is idle, or nil.
func (h *Host) take() (w *worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.idle); n > 0 {
		w, h.idle = h.idle[n-1], h.idle[:n-1]
	}
	return w
}

func (h *Host) put(w *worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle, w)
}

// Close ends the workers, of which none may be computing.
func (h *Host) Close() {
	for w := h.take(); w != nil; w = h.take() {
		w.end()
	}
}

// ask writes a request and reads the reply. After an error the worker is of no
// more use.
func (w *worker) ask(ctx context.Context, r request) (*reply, error) {
	w.served++
	w.stderr.forget()
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	type outcome struct {
		reply *reply
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		if _, err := w.in.Write(append(line, '\n')); err != nil || !w.out.Scan() {
			if w.out.Err() != nil {
				err = &CrashError{Reason: fmt.Sprintf("the standard output of its process: %v", w.out.Err())}
			} else {
				err = w.epitaph()
			}
			done <- outcome{nil, err}
			return
		}
		out := new(reply)
		if err := json.Unmarshal(w.out.Bytes(), out); err != nil {
			done <- outcome{nil, &CrashError{Reason: fmt.Sprintf("it wrote %q to the standard output of its process", cut(string(w.out.Bytes())))}}
			return
		}
		done <- outcome{out, nil}
	}()
	var late <-chan time.Time
	if r.Limit > 0 {
		// A worker fails a late cell itself, if it still can.
		timer := time.NewTimer(r.Limit + 5*patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case o := <-done:
		return o.reply, o.err
	case <-late:
		return nil, &lateError{CrashError{Reason: fmt.Sprintf("not finished after %v, which is the time limit; its process did not answer", r.Limit)}}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// epitaph says how the process ended, whose standard output is at its end.
func (w *worker) epitaph() error {
	timer := time.AfterFunc(patience, func() { w.cmd.Process.Kill() }) // it may only have closed it
	w.wait()
	timer.Stop()
	said := ""
	if words := w.stderr.String(); words != "" {
		said = ": " + words
	}
	return &CrashError{Reason: fmt.Sprintf("its process ended (%v)%s", w.cmd.ProcessState, said)}
}

// end ends the process. At the end of its input it ends what its learners have started,
// and then itself; it is killed if it does not.
func (w *worker) end() {
	w.in.Close()
	timer := time.AfterFunc(2*patience, func() { w.cmd.Process.Kill() })
	w.wait()
	timer.Stop()
}

// lastWords keeps what matters of the standard error of a process that ended:
// the line that a Go program begins to end with, or else the last three.
type lastWords struct {
	copy io.Writer // of everything, or nil

	mu    sync.Mutex
	begun []byte // a line
	fatal string
	lines []string
}

// Write implements [io.Writer].
func (l *lastWords) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(p) {
		if len(l.begun) < maxLine {
			l.begun = append(l.begun, line...)
		}
		if line[len(line)-1] == '\n' {
			l.add(cut(string(l.begun)))
			l.begun = l.begun[:0]
		}
	}
	if l.copy != nil {
		l.copy.Write(p)
	}
	return len(p), nil
}

func (l *lastWords) add(line string) {
	switch {
	case line == "":
		return
	case l.fatal == "" && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")):
		l.fatal = line
	}
	if l.lines = append(l.lines, line); len(l.lines) > 3 {
		l.lines = l.lines[1:]
	}
}

// forget is called before a request.
func (l *lastWords) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun, l.fatal, l.lines = l.begun[:0], "", nil
}

// String returns them on one line.
func (l *lastWords) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.begun) > 0 {
		l.add(cut(string(l.begun)))
		l.begun = l.begun[:0]
	}
	if l.fatal != "" {
		return l.fatal
	}
	return strings.Join(l.lines, "; ")
}

// maxLine is how much of a line is shown.
const maxLine = 200

// cut returns the beginning of a text, without control characters.
func cut(s string) string {
	if len(s) > maxLine {
		s = strings.ToValidUTF8(s[:maxLine], "") + "…"
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}
