// Package jsonline frames messages of JSON-RPC 2.0 as lines: one message a line, in
// UTF-8, without line breaks inside.
//
// Messages carry vectors, and are mostly numbers. Parameters and results are
// therefore passed over once by the reader and not at all by the writer, where
// package jsonrpc2 does it several times.
package jsonline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/exp/jsonrpc2"
)

// Limit is the largest number of bytes of a line that a [Framer] reads: 16 MiB.
const Limit = 16 << 20

// Lines reads lines. Empty lines are skipped, and the last line needs no line break.
type Lines struct {
	in    *bufio.Reader
	limit int
	line  []byte
}

// NewLines returns the lines of r. A line of more than limit bytes, its line break
// included, is an error, and what is read after it is the rest of that line.
func NewLines(r io.Reader, limit int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 1<<16), limit: limit}
}

// Next returns the next line without the space around it, until the next call. At the end
// of the input it returns [io.EOF].
func (l *Lines) Next() (line []byte, err error) {
	for {
		err := bufio.ErrBufferFull
		for l.line = l.line[:0]; err == bufio.ErrBufferFull; {
			var part []byte
			part, err = l.in.ReadSlice('\n')
			if l.line = append(l.line, part...); len(l.line) > l.limit {
				return nil, fmt.Errorf("a line has more than %d bytes, the limit", l.limit)
			}
		}
		switch text := bytes.TrimSpace(l.line); {
		case err != nil && err != io.EOF:
			return nil, err
		case len(text) > 0:
			return text, nil
		case err == io.EOF:
			return nil, io.EOF
		}
	}
}

// Framer is the [jsonrpc2.Framer] of one message a line.
type Framer struct{}

// SyntaxError is the error of a line that is not a message. The next line can be read
// all the same.
type SyntaxError struct {
	Line string // without the space around it
	Err  error
}

func (e *SyntaxError) Error() string { return "not a message of JSON-RPC 2.0: " + e.Err.Error() }

func (e *SyntaxError) Unwrap() error { return e.Err }

// Reader implements [jsonrpc2.Framer]. At the end of the input, Read returns [io.EOF].
func (Framer) Reader(r io.Reader) jsonrpc2.Reader { return reader{NewLines(r, Limit)} }

// Writer implements [jsonrpc2.Framer]. Every message is one Write, see [Encode].
func (Framer) Writer(w io.Writer) jsonrpc2.Writer { return writer{w} }

type reader struct{ lines *Lines }

func (r reader) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	line, err := r.lines.Next()
	if err != nil {
		return nil, 0, err
	}
	m, err := Decode(line)
	return m, int64(len(line)), err
}

// Decode reads the message on a line. The error is a [SyntaxError].
func Decode(line []byte) (jsonrpc2.Message, error) {
	m, err := decode(line)
	if err != nil {
		return nil, &SyntaxError{string(line), err}
	}
	return m, nil
}

// decode is [jsonrpc2.DecodeMessage], faster for answers in the form in which they are
// written here.
func decode(text []byte) (jsonrpc2.Message, error) {
	if rest, ok := bytes.CutPrefix(text, []byte(`{"jsonrpc":"2.0","id":`)); ok {
		digits, rest, _ := bytes.Cut(rest, []byte(`,"result":`))
		id, err := strconv.ParseUint(string(digits), 10, 53) // a number of JSON is a float64
		result, ok := bytes.CutSuffix(rest, []byte("}"))
		if ok && err == nil && (len(digits) == 1 || digits[0] != '0') && json.Valid(result) {
			return &jsonrpc2.Response{ID: jsonrpc2.Int64ID(int64(id)), Result: bytes.Clone(bytes.TrimSpace(result))}, nil
		}
	}
	return jsonrpc2.DecodeMessage(text)
}

// Encode writes a message as a line, without the line break. Its parameters or its result
// have to be JSON, and are written as they are; line breaks in them are an error. For
// [jsonrpc2.EncodeMessage] would check and compact them.
func Encode(m jsonrpc2.Message) ([]byte, error) {
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

type writer struct{ w io.Writer }

func (w writer) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	line, err := Encode(m)
	if err != nil {
		return 0, err
	}
	n, err := w.w.Write(append(line, '\n'))
	return int64(n), err
}
