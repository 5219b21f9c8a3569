package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/exp/jsonrpc2"
)

// Messages of JSON-RPC 2.0 are lines: one message a line, in UTF-8, without line breaks
// inside. They carry vectors, and are mostly numbers. To save time, the reader scans
// parameters and results only once, and the writer does not scan them. Package jsonrpc2
// scans them several times.

// maxMessage is the largest number of bytes of a message.
const maxMessage = 16 << 20

// messageOf reads the message on a line.
func messageOf(line []byte) (jsonrpc2.Message, error) {
	m, err := decodeMessage(line)
	if err != nil {
		return nil, fmt.Errorf("not a message of JSON-RPC 2.0: %w", err)
	}
	return m, nil
}

// decodeMessage is [jsonrpc2.DecodeMessage], faster for answers in the form in which they are
// written here.
func decodeMessage(text []byte) (jsonrpc2.Message, error) {
	if rest, ok := bytes.CutPrefix(text, []byte(`{"jsonrpc":"2.0","id":`)); ok {
		digits, rest, _ := bytes.Cut(rest, []byte(`,"result":`))
		id, err := strconv.ParseUint(string(digits), 10, 53) // a number of JSON is a float64
		result, ok := bytes.CutSuffix(rest, []byte("}"))
		if ok && err == nil && (len(digits) == 1 || digits[0] != '0') && json.Valid(result) {
			return &jsonrpc2.Response{ID: jsonrpc2.Int64ID(int64(id)),
				Result: bytes.Clone(bytes.TrimSpace(result))}, nil
		}
	}
	return jsonrpc2.DecodeMessage(text)
}

// lineOf writes a message as a line, without the line break. Its parameters or its result
// have to be JSON, and are written as they are, where [jsonrpc2.EncodeMessage] would check
// and compact them; line breaks in them are an error.
func lineOf(m jsonrpc2.Message) ([]byte, error) {
	var name string
	var carried json.RawMessage
	switch v := m.(type) {
	case *jsonrpc2.Request:
		name, carried, m = `,"params":`, v.Params, &jsonrpc2.Request{ID: v.ID, Method: v.Method}
	case *jsonrpc2.Response:
		if v.Error == nil {
			name, carried, m = `,"result":`, v.Result, &jsonrpc2.Response{ID: v.ID}
		}
	}
	line, err := jsonrpc2.EncodeMessage(m)
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
