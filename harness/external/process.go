package external

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/harness/host"
	"ocobench/internal/input"
)

// process is a process that answers calls of JSON-RPC, one after another. After a call
// that failed, it is of no more use: it has been killed.
type process struct {
	*host.Process
	program *Program
}

// call calls a method and returns its result. The error is a [refusedError] if the
// parameters are refused, and else what the process did wrong.
func (c *process) call(method string, params json.RawMessage, limit time.Duration) (json.RawMessage,
	error) {
	id := strconv.AppendInt(nil, c.Calls()+1, 10)
	line, err := lineOf(&message{ID: id, Method: method, Params: params})
	if err != nil {
		return nil, c.fail("%s cannot be sent: %w", method, err)
	}
	answer, err := c.Call(context.Background(), line, limit)
	c.program.called(err == host.ErrLate)
	switch {
	case err == host.ErrLate:
		return nil, c.fail("%s is not answered after %v, the limit of --external-timeout", method, limit)
	case err == io.EOF:
		return nil, c.fail("%s", c.epitaph())
	case answer == nil:
		return nil, c.fail("%s: %w", method, err)
	}
	r, wrong := messageOf(answer)
	switch {
	case wrong != nil:
		if answer[0] != '{' {
			wrong = fmt.Errorf("%w; what else a program prints belongs to standard error (in Python, "+
				"import ocobench first)", wrong)
		}
		return nil, c.fail("%s is answered by %q, %w", method, clip(answer), wrong)
	case err != nil:
		return nil, c.fail("%s cannot be sent: %w", method, err)
	case r.Method != "":
		return nil, c.fail("%s is answered by a call of %q", method, r.Method)
	case !bytes.Equal(r.ID, id):
		return nil, c.fail("%s is answered with another id\n    it is call %d, and the answer is to "+
			"call %s", method, c.Calls(), clip(r.ID))
	}
	if r.Error != nil {
		r.Error.Text = input.Cut(r.Error.Text)
	}
	switch {
	case r.Error != nil && method == "initialize" && r.Error.Code == codeParams:
		return nil, &refusedError{r.Error}
	case r.Error != nil:
		return nil, c.fail("%s is answered by the error %q (%d)", method, r.Error.Text,
			r.Error.Code)
	}
	return r.Result, nil
}

// epitaph says how the process ended, and what is missing where it did not answer once, and had no
// fault of its own.
func (c *process) epitaph() string {
	text := c.Epitaph()
	if c.Calls() > 1 || !strings.HasSuffix(text, "(exit status 0)") {
		return text
	}
	return text + " without an answer; a program answers calls until its input ends: " +
		"the last line of a file in Python is ocobench.main(CLASS)"
}

// shownLines is how many lines of standard error an error has, and mostLines how many if they
// are a traceback.
const shownLines, mostLines = 8, 60

// shown returns the last traceback of some lines, or the last lines.
func shown(lines []string) []string {
	for i, text := range slices.Backward(lines) {
		if strings.HasPrefix(text, "Traceback ") {
			return lines[i:]
		}
	}
	return lines[max(0, len(lines)-shownLines):]
}

// fail kills the process and returns the error, with the end of its standard error. That
// stands on lines of its own: the first line of an error is the same every time, and part
// of the opening of the game.
func (c *process) fail(format string, args ...any) error {
	c.End()
	err := fmt.Errorf(format, args...)
	words := shown(c.LastLines(mostLines))
	if len(words) == 0 {
		return err
	}
	for i, text := range words {
		words[i] = "    " + input.Message(text)
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(words, "\n"))
}
