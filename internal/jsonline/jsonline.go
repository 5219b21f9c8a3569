// Package jsonline frames messages of JSON-RPC 2.0 as lines: one message a line, in
// UTF-8, without line breaks inside.
package jsonline

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

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

// Writer implements [jsonrpc2.Framer]. Every message is one Write.
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
			m, err := jsonrpc2.DecodeMessage(text)
			if err != nil {
				err = &SyntaxError{string(text), err}
			}
			return m, n, err
		case err == io.EOF:
			return nil, n, io.EOF
		}
	}
}

type writer struct{ w io.Writer }

func (w writer) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	line, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	n, err := w.w.Write(append(line, '\n'))
	return int64(n), err
}
