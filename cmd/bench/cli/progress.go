package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

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
	bar   *mpb.Bar  // nil if there is no terminal
	above io.Writer // writes lines above the bar; nil if there is no bar
	end   func()    // ends the display

	mu                      sync.Mutex
	began                   time.Time
	total                   int // cells
	computed, found, failed int
	roundsPlayed            int // rounds of what was computed
	forecast                *run.Forecast

	failures []run.Failure // of the cells that failed; set when the run has ended
}

// newProgress begins to show the progress of a run with this estimate.
func (e *env) newProgress(name string, o run.RunEstimate) *progress {
	p := &progress{name: name, w: e.stderr, began: time.Now(), total: o.Cells, forecast: o.Forecast}
	switch {
	case o.Cells == 0:
		p.end = func() {}
	case isTerminal(e.stderr):
		p.bar, p.above, p.end = e.showBar(name, o.Cells,
			decor.Any(func(decor.Statistics) string { return p.stateText() }))
	default:
		p.end = callEvery(progressInterval,
			func(time.Duration) { p.printLine("%s: %s\n", name, p.stateText()) })
	}
	return p
}

// showBar shows a bar on the terminal, with a name before it and a text behind, until end is called
// or the verb is interrupted. Lines that are written to above appear above it.
func (e *env) showBar(name string, total int, text decor.Decorator) (bar *mpb.Bar, above io.Writer,
	end func()) {
	bars := mpb.New(mpb.WithOutput(e.stderr), mpb.WithWidth(30))
	bar = bars.AddBar(int64(total), mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(text), mpb.BarRemoveOnComplete())
	end = sync.OnceFunc(func() {
		bar.Abort(true) // unless it is full
		bars.Wait()
		e.clearProgressBar.Store(nil)
	})
	e.clearProgressBar.Store(&end)
	return bar, bars, end
}

// cellDone counts a cell that was found, computed or failed, and moves the bar.
func (p *progress) cellDone(c *experiment.Cell, found bool, err error) {
	p.mu.Lock()
	switch {
	case found:
		p.found++
	case err == nil:
		p.computed++
		p.roundsPlayed += c.Horizon
	default:
		p.failed++
	}
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
	}
}

// stateText says how many cells are finished and have failed, how many rounds a second were
// computed on average, and how long the others take.
func (p *progress) stateText() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%d/%s", p.computed+p.found+p.failed, plural(p.total, "cell"))
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	elapsed := time.Since(p.began)
	if p.roundsPlayed == 0 || elapsed < time.Second {
		return text
	}
	pace := float64(p.roundsPlayed) / elapsed.Seconds()
	text += fmt.Sprintf(", %s rounds/s", shortNumber(pace))
	if left := p.forecast.Left(); left > 0 {
		text += fmt.Sprintf(", %s left", roundDuration(left))
	}
	return text
}

// countsText says how many cells a finished run computed and how many it found in the store. Failed
// cells are reported by failedCells.
func (p *progress) countsText(s *store.Store) string {
	return fmt.Sprintf("%s computed, %d found in %s", plural(p.computed, "cell"), p.found, s.Dir())
}

// failedCells returns an error that counts the cells that failed and ends with these words, or nil
// if none failed.
func (p *progress) failedCells(words string) error {
	if len(p.failures) == 0 {
		return nil
	}
	return &failedError{fmt.Errorf("%d of %s failed%s", len(p.failures), plural(p.total, "cell"),
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
func (p *progress) printLine(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.above != nil {
		if _, err := fmt.Fprintf(p.above, format, args...); err == nil {
			return
		}
	}
	fmt.Fprintf(p.w, format, args...) // without a bar, or after it
}

// warn prints a warning above the bar.
func (p *progress) warn(err error) {
	p.printLine("bench: warning: %s\n", input.Message(err.Error()))
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

// showStage prints which stage runs, such as "rates: fitting". On a terminal it prints a line that
// end erases; elsewhere it prints a line every [progressInterval] until end is called.
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
