package input

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ocobench/internal/errtest"
)

// Lines are read whatever the pieces in which they arrive, without the empty ones.
func TestLinesAreReadInAnyPieces(t *testing.T) {
	l := NewLines(iotest.OneByteReader(strings.NewReader("\r\n a\tb \r\n\n \nc")), 100)
	for _, want := range []string{"a\tb", "c"} {
		if line, err := l.Next(); string(line) != want || err != nil {
			t.Errorf("read %q, %v; want %q", line, err, want)
		}
	}
	if line, err := l.Next(); err != io.EOF {
		t.Errorf("at the end: got %q, error %v, want %v", line, err, io.EOF)
	}
}

// The byte order mark is skipped once, before the first line.
func TestLinesSkipTheByteOrderMark(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"before the first line": {"\ufeff{}\n[]", []string{"{}", "[]"}},
		"before the line break": {"\ufeff\r\n[]", []string{"[]"}},
		"twice":                 {"\ufeff\ufeff{}", []string{"\ufeff{}"}},
		"before a later line":   {"{}\n\ufeff[]", []string{"{}", "\ufeff[]"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLines(strings.NewReader(c.text), 100)
			for _, want := range c.want {
				if line, err := l.Next(); string(line) != want || err != nil {
					t.Errorf("read %q, %v; want %q", line, err, want)
				}
			}
		})
	}
}

// A line has a limit.
func TestLinesBeyondTheLimitAreRefused(t *testing.T) {
	const line = `{"jsonrpc":"2.0","id":7,"method":"ask"}` + "\n"
	if _, err := NewLines(strings.NewReader(line), len(line)).Next(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		limit int
		in    io.Reader
	}{
		{len(line) - 1, strings.NewReader(line)},
		{16 << 20, endless{}},
	} {
		_, err := NewLines(c.in, c.limit).Next()
		errtest.Contains(t, err, "the limit", "limit %d", c.limit)
	}
}

// endless is a line without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
