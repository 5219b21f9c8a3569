package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report/table"
)

// progressInterval is the time between two lines of progress without a terminal.
const progressInterval = 30 * time.Second

// progress shows how far a run is: a bar on a terminal, and a line from time to time
// elsewhere.
type progress struct {
	name  string
	w     io.Writer
	bar   *mpb.Bar         // nil if there is no terminal
	above io.Writer        // of lines above the bar
	close func(abort bool) // more than once does no harm

	mu                      sync.Mutex
	began                   time.Time
	total                   int // cells
	computed, found, failed int
	roundsPlayed            int // rounds of what was computed
	forecast                *run.Forecast

	failures []run.Failure // at its end
	workers  int
}

// newProgress begins to show the progress of a run with this estimate.
func newProgress(w io.Writer, name string, o run.RunEstimate) *progress {
	b := &progress{name: name, w: w, began: time.Now(), total: o.Cells,
		forecast: o.Forecast, workers: o.Workers}
	switch {
	case o.Cells == 0: // a bar with a total of 0 never completes
		b.close = func(bool) {}
	case isTerminal(w):
		p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(30))
		b.bar = p.AddBar(int64(o.Cells),
			mpb.PrependDecorators(decor.Name(name+" ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.stateText() })),
			mpb.BarRemoveOnComplete())
		b.above = p
		var once sync.Once
		b.close = func(abort bool) {
			once.Do(func() {
				if abort {
					b.bar.Abort(true)
				}
				p.Wait()
			})
		}
	default:
		stop := callEvery(progressInterval,
			func(time.Duration) { b.printLine("%s: %s\n", name, b.stateText()) })
		b.close = func(bool) { stop() }
	}
	return b
}

// cellDone counts a cell that was found, computed or failed, and moves the bar.
func (b *progress) cellDone(c *experiment.Cell, found bool, err error) {
	b.mu.Lock()
	switch {
	case found:
		b.found++
	case err == nil:
		b.computed++
		b.roundsPlayed += c.Horizon
	default:
		b.failed++
	}
	b.mu.Unlock()
	if b.bar != nil {
		b.bar.Increment()
	}
}

// stateText says how many cells are finished and have failed, how many rounds a second were
// computed on average, and how long the others take.
func (b *progress) stateText() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := fmt.Sprintf("%d/%s", b.computed+b.found+b.failed, plural(b.total, "cell"))
	if b.failed > 0 {
		text += fmt.Sprintf(", %d failed", b.failed)
	}
	elapsed := time.Since(b.began)
	if b.roundsPlayed == 0 || elapsed < time.Second {
		return text
	}
	pace := float64(b.roundsPlayed) / elapsed.Seconds()
	text += fmt.Sprintf(", %s rounds/s", shortNumber(pace))
	if left, _ := b.forecast.Left(); left > 0 {
		text += fmt.Sprintf(", %s left", roundDuration(left))
	}
	return text
}

// countsText summarises a finished run: cells found, computed and failed.
func (b *progress) countsText(s *store.Store) string {
	return fmt.Sprintf("%s computed, %d found in %s", plural(b.computed, "cell"), b.found, s.Dir())
}

// failedCells returns the error of failed cells, which ends with these words; nil if none failed.
func (b *progress) failedCells(words string) error {
	if len(b.failures) == 0 {
		return nil
	}
	return &failedError{fmt.Errorf("%d of %s failed%s", len(b.failures), plural(b.total, "cell"),
		words)}
}

// shortNumber formats a number ≥ 0 with at most three digits, such as 412k.
func shortNumber(v float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	return fmt.Sprintf("%.3g%s", v, unit)
}

// printLine prints above the bar, or to the writer if there is no bar.
func (b *progress) printLine(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.above != nil {
		if _, err := fmt.Fprintf(b.above, format, args...); err == nil {
			return
		}
	}
	fmt.Fprintf(b.w, format, args...) // without a bar, or after it
}

// warn prints a warning above the bar.
func (b *progress) warn(err error) {
	b.printLine("bench: warning: %s\n", input.Message(err.Error()))
}

// callEvery calls f at intervals, with the time since the start, until stop is called.
func callEvery(interval time.Duration, f func(elapsed time.Duration)) (stop func()) {
	began, ended := time.Now(), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				f(time.Since(began))
			case <-ended:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		running.Wait()
	})
}

// printTable prints a table as wide as the terminal. Without a terminal it is width characters wide
// or, if width is 0, as wide as its content, for programs that read lines.
func (e *env) printTable(t *table.Table, width int) error {
	return table.WriteTerminal(e.stdout, t, e.outputWidth(width))
}

// showAll prints tables with blank lines between them.
func (e *env) showAll(tables []*table.Table) error {
	for k, t := range tables {
		if k > 0 {
			fmt.Fprintln(e.stdout)
		}
		if err := e.printTable(t, table.Width); err != nil {
			return err
		}
	}
	return nil
}

// outputWidth returns the width of the terminal, or other where standard output is none.
func (e *env) outputWidth(other int) int {
	if o, ok := e.stdout.(*stdoutWriter); ok {
		return terminalWidth(o.Writer, other)
	}
	return terminalWidth(e.stdout, other)
}

// terminalWidth returns the width of a terminal in characters, or other if w is no terminal.
func terminalWidth(w io.Writer, other int) int {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
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

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// showStage prints what takes a while, such as "rates: fitting". On a terminal it prints a line
// that end erases; otherwise it prints one every [progressInterval].
func (e *env) showStage(format string, args ...any) (end func()) {
	what := fmt.Sprintf(format, args...)
	if isTerminal(e.stderr) {
		what = input.Clip(what, terminalWidth(e.stderr, table.Width)-4) + " …"
		fmt.Fprint(e.stderr, what)
		return sync.OnceFunc(func() {
			fmt.Fprintf(e.stderr, "\r%*s\r", utf8.RuneCountInString(what), "")
		})
	}
	return callEvery(progressInterval, func(elapsed time.Duration) {
		fmt.Fprintf(e.stderr, "%s, for %s\n", what, elapsed.Round(time.Second))
	})
}
