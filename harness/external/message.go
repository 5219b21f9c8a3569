package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"ocobench/internal/input"
)

// Messages of JSON-RPC 2.0 are lines: one message a line, in UTF-8, without line breaks
// inside. They carry vectors, and are mostly numbers. To save time, the reader scans
// parameters and results only once, and the writer does not scan them.

// maxMessage is the largest number of bytes of a message.
const maxMessage = 16 << 20

// A message with a method is a request, and without an id a notification; any other one is a
// response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // a string or an integer, as it is written; nil for none
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *failure        `json:"error"`
}

const version = "2.0"

// failure is the error of a response.
type failure struct {
	Code int64  `json:"code"`
	Text string `json:"message"`
}

func (f *failure) Error() string { return f.Text }

// The codes of errors: those of JSON-RPC, and one for games that cannot go on.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeBug     = -32603
	codeGame    = -32000
)

// messageOf reads the message on a line.
func messageOf(line []byte) (*message, error) {
	m := quickly(line)
	if m == nil {
		var err error
		if m, err = decodeMessage(line); err != nil {
			return nil, fmt.Errorf("not a message of JSON-RPC 2.0: %w", err)
		}
	}
	return m, nil
}

// quickly is [decodeMessage] of an answer in the form in which answers are written here, and
// nil of any other line.
func quickly(line []byte) *message {
	rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return nil
	}
	digits, rest, _ := bytes.Cut(rest, []byte(`,"result":`))
	result, ok := bytes.CutSuffix(rest, []byte("}"))
	if !ok || !isInteger(digits) || !json.Valid(result) {
		return nil
	}
	return &message{Version: version, ID: bytes.Clone(digits),
		Result: bytes.Clone(bytes.TrimSpace(result))}
}

func decodeMessage(line []byte) (*message, error) {
	m := new(message)
	if err := input.JSON(line, m); err != nil {
		return nil, err
	}
	if m.Version != version {
		return nil, fmt.Errorf("jsonrpc: found %q, expected %q", clip([]byte(m.Version)), version)
	}
	if m.ID != nil && m.ID[0] != '"' && !isInteger(m.ID) {
		return nil, fmt.Errorf("id: found %s, expected a string or an integer; a notification has no id",
			clip(m.ID))
	}
	switch {
	case m.Method != "":
		m.Result, m.Error = nil, nil
	case m.ID == nil:
		return nil, errors.New("it has neither a method nor an id")
	default:
		m.Params = nil
	}
	return m, nil
}

// isInteger reports whether a text is an integer as JSON writes it, of any size.
func isInteger(text []byte) bool {
	digits := bytes.TrimPrefix(text, []byte("-"))
	return len(digits) > 0 && len(bytes.Trim(digits, "0123456789")) == 0 &&
		(len(digits) == 1 || digits[0] != '0')
}

// lineOf writes a message as a line, without the line break. Its id, and its parameters or its
// result, have to be JSON, and are written as they are, where package json would check and
// compact them; line breaks in them are an error.
func lineOf(m *message) ([]byte, error) {
	line := []byte(`{"jsonrpc":"` + version + `"`)
	member := func(name string, value []byte) {
		if len(value) > 0 {
			line = append(append(append(line, `,"`...), name...), `":`...)
			line = append(line, value...)
		}
	}
	member("id", m.ID)
	if m.Method != "" {
		method, err := json.Marshal(m.Method)
		if err != nil {
			return nil, err
		}
		member("method", method)
		member("params", m.Params)
	} else {
		member("result", m.Result)
	}
	if m.Error != nil {
		failed, err := json.Marshal(m.Error)
		if err != nil {
			return nil, err
		}
		member("error", failed)
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		return nil, errors.New("a line break in a message")
	}
	return append(line, '}'), nil
}
