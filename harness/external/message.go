package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/exp/jsonrpc2"

	"ocobench/internal/input"
)

// Messages of JSON-RPC 2.0 are lines: one message a line, in UTF-8, without line breaks inside.
// Package jsonrpc2 has their types and writes them. Its DecodeMessage is not used: it takes a
// member for another one if their names differ by case, the id 2.4 for 2, 2⁵³+1 for 2⁵³ and null
// for none, and its errors name types of Go. A check for all of that before the call would have to
// read the message itself.

// maxMessage limits the bytes of a message.
const maxMessage = 16 << 20

// Codes of errors: of JSON-RPC, and codeGame for games that cannot go on.
const (
	codeParse   = -32700
	codeRequest = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeBug     = -32603
	codeGame    = -32000
)

// decodeMessage reads the message on a line.
func decodeMessage(line []byte) (jsonrpc2.Message, error) {
	m, err := readMessage(line)
	if err != nil {
		return nil, fmt.Errorf("not a message of JSON-RPC 2.0: %w", err)
	}
	return m, nil
}

// readMessage reads a request, a notification or a response.
func readMessage(line []byte) (jsonrpc2.Message, error) {
	const version = "2.0"
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *codedError     `json:"error"`
	}
	if err := input.JSON(line, &m); err != nil {
		return nil, err
	}
	id, err := readID(m.ID)
	switch {
	case m.Version != version:
		return nil, fmt.Errorf("jsonrpc: found %q, expected %q", clipAnswer([]byte(m.Version)), version)
	case err != nil:
		return nil, err
	case m.Method != "":
		return &jsonrpc2.Request{ID: id, Method: m.Method, Params: m.Params}, nil
	case !id.IsValid():
		return nil, errors.New("it has neither a method nor an id")
	case m.Error != nil:
		return &jsonrpc2.Response{ID: id, Result: m.Result, Error: m.Error}, nil
	}
	return &jsonrpc2.Response{ID: id, Result: m.Result}, nil
}

// appendMessage appends a message to dst, without the line break, for which it leaves room. The
// parameters or the result of the message have to be JSON without line breaks, and are copied as
// they are: EncodeMessage would scan them twice, which takes a twelfth of a round of a learner in
// Python in ten dimensions.
func appendMessage(dst []byte, m jsonrpc2.Message) ([]byte, error) {
	var name string
	var carried json.RawMessage
	switch message := m.(type) {
	case *jsonrpc2.Request:
		name, carried = "params", message.Params
		m = &jsonrpc2.Request{ID: message.ID, Method: message.Method}
	case *jsonrpc2.Response:
		name, carried = "result", message.Result
		m = &jsonrpc2.Response{ID: message.ID, Error: message.Error}
	}
	line, err := jsonrpc2.EncodeMessage(m)
	switch {
	case err != nil:
		return nil, err
	case carried == nil:
		return append(dst, line...), nil
	case bytes.IndexByte(carried, '\n') >= 0:
		return nil, errors.New("a line break in a message")
	}
	dst = slices.Grow(dst, len(line)+len(name)+len(carried)+len(`,"":`+"}\n"))
	dst = append(append(dst, line[:len(line)-1]...), `,"`+name+`":`...)
	return append(append(dst, carried...), '}'), nil
}

// readID reads the id of a message, which is invalid if there is none.
func readID(text json.RawMessage) (jsonrpc2.ID, error) {
	if text == nil {
		return jsonrpc2.ID{}, nil
	}
	var name string
	if text[0] == '"' && json.Unmarshal(text, &name) == nil {
		return jsonrpc2.StringID(name), nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		err = fmt.Errorf("id: found %s, expected a string or an integer of 64 bits; a notification has "+
			"no id", clipAnswer(text))
	}
	return jsonrpc2.Int64ID(n), err
}

// codedError holds the error of a response with its code, which an error of package jsonrpc2 shows
// only in JSON.
type codedError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *codedError) Error() string { return e.Message }

// Unwrap returns the error of package jsonrpc2, from which EncodeMessage takes the code.
func (e *codedError) Unwrap() error { return jsonrpc2.NewError(e.Code, e.Message) }
