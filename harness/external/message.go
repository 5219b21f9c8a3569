package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
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
	ID      any             `json:"id,omitempty"` // int64 or string
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
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
	id, err := strconv.ParseUint(string(digits), 10, 53) // a number of JSON is a float64
	result, ok := bytes.CutSuffix(rest, []byte("}"))
	if !ok || err != nil || len(digits) > 1 && digits[0] == '0' || !json.Valid(result) {
		return nil
	}
	return &message{Version: version, ID: int64(id), Result: bytes.Clone(bytes.TrimSpace(result))}
}

func decodeMessage(line []byte) (*message, error) {
	m := new(message)
	if err := json.Unmarshal(line, m); err != nil {
		return nil, err
	}
	if m.Version != version {
		return nil, fmt.Errorf("jsonrpc: found %q, expected %q", m.Version, version)
	}
	switch id := m.ID.(type) {
	case float64:
		m.ID = int64(id)
	case nil, string:
	default:
		return nil, fmt.Errorf("id: found %v, expected a number or a string", id)
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

// lineOf writes a message as a line, without the line break. Its parameters or its result
// have to be JSON, and are written as they are, where package json would check and compact
// them; line breaks in them are an error.
func lineOf(m *message) ([]byte, error) {
	head, name, carried := *m, "", json.RawMessage(nil)
	switch {
	case m.Method != "":
		name, carried, head.Params = `,"params":`, m.Params, nil
	case m.Error == nil:
		name, carried, head.Result = `,"result":`, m.Result, nil
	}
	head.Version = version
	line, err := json.Marshal(head)
	if err != nil || len(carried) == 0 {
		return line, err
	}
	if bytes.IndexByte(carried, '\n') >= 0 {
		return nil, errors.New("a line break in a message")
	}
	line = append(line[:len(line)-1], name...)
	line = append(line, carried...)
	return append(line, '}'), nil
}
