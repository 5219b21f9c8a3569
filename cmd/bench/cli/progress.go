package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"ocobench/harness"
	"ocobench/internal/input"
	"ocobench/paper/table"
)

// progress shows the progress of a run on a terminal. Elsewhere it prints nothing.
type progress struct {
	w               io.Writer
	p               *mpb.Progress
	bar             *mpb.Bar
	computed, found int
}

func newProgress(w io.Writer, name string, total int) *progress {
	b := &progress{w: w}
	// A bar with a total of 0 never completes.
	if total > 0 && isTerminal(w) {
		b.p = mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
		b.bar = b.p.AddBar(int64(total),
			mpb.PrependDecorators(decor.Name(name+" ")),
			mpb.AppendDecorators(
				decor.CountersNoUnit("%d/%d cells"),
				decor.Name("  "),
				decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), "done")),
			mpb.BarRemoveOnComplete())
		b.w = b.p
	}
	return b
}

func (b *progress) tick(_ *harness.Cell, found bool, err error) {
	switch {
	case found:
		b.found++
	case err == nil:
		b.computed++
	}
	if b.bar != nil {
		b.bar.Increment()
	}
}

func (b *progress) warn(err error) {
	fmt.Fprintf(b.w, "bench: warning: %s\n", input.Message(err.Error()))
}

func (b *progress) close(abort bool) {
	if b.p == nil {
		return
	}
	if abort {
		b.bar.Abort(true)
	}
	b.p.Wait()
}

// show prints a table as wide as the terminal. Elsewhere it is width characters wide,
// or as wide as it is if width is 0, for programs that read lines.
func (e *env) show(t *table.Table, width int) error {
	return table.WriteTerminal(e.stdout, t, e.width(width))
}

// width returns the width of the terminal, or other where standard output is none.
func (e *env) width(other int) int {
	if f, ok := e.stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return other
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// says tells somebody at a terminal what takes a while.
func (e *env) says(format string, args ...any) {
	if isTerminal(e.stderr) {
		fmt.Fprintf(e.stderr, format+" …\n", args...)
	}
}
