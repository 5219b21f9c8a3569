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

// Limit is the default of [Framer]'s Limit: 16 MiB.
const Limit = 16 << 20

// Framer is the framer of one message a line. Empty lines are skipped, and the last
// line needs no line break.
type Framer struct {
	// Limit is the largest number of bytes of a line that is read, its line break
	// included; 0 stands for the constant [Limit]. A longer line is an error, and what
	// is read after it is the rest of that line.
	Limit int
}

// SyntaxError is the error of a line that is not a message. The next line can be read
// all the same.
type SyntaxError struct {
	Line string // without the space around it
	Err  error
}

func (e *SyntaxError) Error() string { return "not a message of JSON-RPC 2.0: " + e.Err.Error() }

func (e *SyntaxError) Unwrap() error { return e.Err }

// Reader implements [jsonrpc2.Framer]. At the end of the input, Read returns [io.EOF].
func (f Framer) Reader(r io.Reader) jsonrpc2.Reader {
	if f.Limit == 0 {
		f.Limit = Limit
	}
	return &reader{in: bufio.NewReaderSize(r, 1<<16), limit: f.Limit}
}

// Writer implements [jsonrpc2.Framer]. Every message is one Write. Its parameters or
// its result have to be JSON, and are written as they are; line breaks in them are an
// error.
func (Framer) Writer(w io.Writer) jsonrpc2.Writer { return writer{w} }

type reader struct {
	in    *bufio.Reader
	limit int
	line  []byte
}

func (r *reader) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		err := bufio.ErrBufferFull
		for r.line = r.line[:0]; err == bufio.ErrBufferFull; {
			var part []byte
			part, err = r.in.ReadSlice('\n')
			if r.line = append(r.line, part...); len(r.line) > r.limit {
				return nil, 0, fmt.Errorf("a line has more than %d bytes, the limit", r.limit)
			}
		}
		n := int64(len(r.line))
		switch text := bytes.TrimSpace(r.line); {
		case err != nil && err != io.EOF:
			return nil, n, err
		case len(text) > 0:
			m, err := decode(text)
			if err != nil {
				err = &SyntaxError{string(text), err}
			}
			return m, n, err
		case err == io.EOF:
			return nil, n, io.EOF
		}
	}
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

// encode is [jsonrpc2.EncodeMessage], which would check and compact what the message
// carries.
func encode(m jsonrpc2.Message) ([]byte, error) {
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
	line, err := encode(m)
	if err != nil {
		return 0, err
	}
	n, err := w.w.Write(append(line, '\n'))
	return int64(n), err
}
