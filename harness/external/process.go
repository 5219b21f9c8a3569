package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/jsonrpc2"

	"ocobench/harness/run/process"
	"ocobench/internal/input"
)

// child holds a process of the program, which answers calls of JSON-RPC one after another. A call
// that fails kills the process.
type child struct {
	*process.Process
	program *Program
	line    []byte // the last call, whose memory the next one uses
}

// call calls a method and returns its result. The error is a [refusedError] if initialize refuses
// the parameters, and otherwise says what the process did wrong.
func (c *child) call(method string, params json.RawMessage, limit time.Duration) (json.RawMessage,
	error) {
	id := jsonrpc2.Int64ID(c.Calls() + 1)
	line, err := appendMessage(c.line[:0],
		&jsonrpc2.Request{ID: id, Method: method, Params: params})
	if err != nil {
		return nil, c.fail("%s cannot be sent: %w", method, err)
	}
	c.line = line
	answer, err := c.Call(context.Background(), line, limit)
	c.program.countTimeouts(err == process.ErrLate)
	switch {
	case err == process.ErrLate:
		return nil, c.fail("%s is not answered after %v, the limit of --external-timeout", method, limit)
	case err == io.EOF:
		return nil, c.fail("%s", c.epitaph())
	case answer == nil:
		return nil, c.fail("%s: %w", method, err)
	}
	m, decodeErr := decodeMessage(answer)
	if decodeErr != nil {
		if answer[0] != '{' {
			decodeErr = fmt.Errorf("%w; what else a program prints belongs to standard error (in Python, "+
				"import ocobench first)", decodeErr)
		}
		return nil, c.fail("%s is answered by %q, %w", method, clipAnswer(answer), decodeErr)
	}
	if err != nil {
		return nil, c.fail("%s cannot be sent: %w", method, err)
	}
	switch r := m.(type) {
	case *jsonrpc2.Request:
		return nil, c.fail("%s is answered by a call of %q", method, r.Method)
	case *jsonrpc2.Response:
		return c.resultOf(r, method, id)
	}
	panic("external: a message is neither a request nor a response")
}

// resultOf returns the result of the answer to a call.
func (c *child) resultOf(r *jsonrpc2.Response, method string,
	id jsonrpc2.ID) (json.RawMessage, error) {
	failed, _ := errors.AsType[*codedError](r.Error)
	switch {
	case r.ID != id:
		return nil, c.fail("%s is answered with another id\n    it is call %v, and the answer is to "+
			"call %s", method, id.Raw(), clipAnswer(fmt.Appendf(nil, "%#v", r.ID.Raw())))
	case failed == nil:
		return r.Result, nil
	case method == "initialize" && failed.Code == codeParams:
		return nil, &refusedError{errors.New(input.Cut(failed.Message))}
	default:
		return nil, c.fail("%s is answered by the error %q (%d)", method, input.Cut(failed.Message),
			failed.Code)
	}
}

// epitaph says how the process ended. If it ended without an error and without a single answer, it
// adds what such a program usually lacks.
func (c *child) epitaph() string {
	text := c.Epitaph()
	if c.Calls() > 1 || !strings.HasSuffix(text, "(exit status 0)") {
		return text
	}
	return text + " without an answer; a program answers calls until its input ends: " +
		"the last line of a file in Python is ocobench.main(CLASS)"
}

// shownLines limits the lines of standard error that an error shows, and tracebackLines the lines
// of a traceback of Python.
const shownLines, tracebackLines = 8, 60

// errorLines returns the lines of the last traceback or, without one, the last lines.
func errorLines(lines []string) []string {
	for i, text := range slices.Backward(lines) {
		if strings.HasPrefix(text, "Traceback ") {
			return lines[i:]
		}
	}
	return lines[max(0, len(lines)-shownLines):]
}

// fail kills the process and returns an error with the end of its standard error on lines of their
// own: only the first line of an error is part of the opening of a game, and must be the same every
// time.
func (c *child) fail(format string, args ...any) error {
	c.End()
	err := fmt.Errorf(format, args...)
	lines := errorLines(c.LastLines(tracebackLines))
	if len(lines) == 0 {
		return err
	}
	for i, text := range lines {
		lines[i] = "    " + input.Message(text)
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(lines, "\n"))
}
