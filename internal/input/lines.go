package input

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// Lines reads lines. Empty lines are skipped, and the last line needs no line break.
type Lines struct {
	in      *bufio.Reader
	limit   int
	line    []byte
	started bool // the first line was read
}

// NewLines returns the lines of r. A line of more than limit bytes, its line break
// included, is an error. The next read then continues within that line.
func NewLines(r io.Reader, limit int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 1<<16), limit: limit}
}

// SkipMark returns a text without the byte order mark of UTF-8 that some programs write first.
func SkipMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Next returns the next line without the space around it, valid until the next call. A byte
// order mark before the first line is skipped. At the end of the input it returns [io.EOF].
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
		text := l.line
		if !l.started {
			text = SkipMark(text)
		}
		l.started = true
		switch text = bytes.TrimSpace(text); {
		case err != nil && err != io.EOF:
			return nil, err
		case len(text) > 0:
			return text, nil
		case err == io.EOF:
			return nil, io.EOF
		}
	}
}
