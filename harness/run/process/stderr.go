package process

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
)

// stderrTail keeps what matters of the standard error of a process: its last lines, and the first
// line that a program in Go writes when it crashes, before its stacks.
type stderrTail struct {
	copy io.Writer // of everything, or nil

	mu         sync.Mutex
	unfinished []byte // the line whose end has not been written yet
	fatal      string
	lines      []string
}

// How much of standard error is kept.
const (
	keptLine  = 4096 // bytes of a line
	keptLines = 60
)

// Write implements [io.Writer].
func (w *stderrTail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := range bytes.Lines(p) {
		w.unfinished = append(w.unfinished, line[:min(len(line), keptLine-len(w.unfinished))]...)
		if line[len(line)-1] == '\n' {
			w.endLine()
		}
	}
	if w.copy != nil {
		w.copy.Write(p)
	}
	return len(p), nil
}

// endLine keeps the line that has begun, unless it is blank.
func (w *stderrTail) endLine() {
	line := strings.TrimRight(string(w.unfinished), " \t\r\n")
	w.unfinished = w.unfinished[:0]
	if line == "" {
		return
	}
	fatal := strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	if fatal && w.fatal == "" {
		w.fatal = line
	}
	if w.lines = append(w.lines, line); len(w.lines) > keptLines {
		w.lines = w.lines[1:]
	}
}

// reset forgets all lines.
func (w *stderrTail) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unfinished, w.fatal, w.lines = w.unfinished[:0], "", nil
}

// lastLines returns the last lines, at most n of them.
func (w *stderrTail) lastLines(n int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endLine()
	return slices.Clone(w.lines[max(0, len(w.lines)-n):])
}

// fatalLine returns the first line of a crash of a program in Go, or "".
func (w *stderrTail) fatalLine() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endLine()
	return w.fatal
}
