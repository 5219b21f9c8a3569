package cli

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
)

// Without a terminal a run says every half minute how far it is, and nothing after its
// end. Two cells of 1000 rounds are in the store; of the three others one fails, one is
// computed, and another process computes one.
func TestProgressWithoutTerminalIsSaidEveryHalfMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		cells := make([]*experiment.Cell, 4)
		for k := range cells {
			cells[k] = &experiment.Cell{Horizon: 1000}
		}
		forecast := run.NewForecast(cells, nil, 1)
		b := (&env{stderr: &out}).newProgress("tiny", run.RunEstimate{Cells: 6, Found: 2, Forecast: forecast})
		tick := func(k int, found bool, err error, took time.Duration) {
			forecast.Finish(cells[k], took)
			b.cellDone(cells[k], found, err)
		}
		b.cellDone(&experiment.Cell{Horizon: 1000}, true, nil)
		b.cellDone(&experiment.Cell{Horizon: 1000}, true, nil)
		time.Sleep(20 * time.Second)
		tick(0, false, nil, 20*time.Second)
		time.Sleep(20 * time.Second) // a line at 30 s: 3 cells are left, of 20 s each
		tick(1, false, errors.New("failed"), 0)
		b.warn(errors.New("careful"))
		time.Sleep(10 * time.Second)
		tick(2, true, nil, 0)
		time.Sleep(15 * time.Second) // a line at 60 s: one is left
		tick(3, false, nil, 65*time.Second)
		time.Sleep(30 * time.Second) // a line at 90 s
		b.end()
		time.Sleep(time.Hour)
		if want := `tiny: 3/6 cells, 33.3 rounds/s, 1m left
bench: warning: careful
tiny: 5/6 cells, 1 failed, 16.7 rounds/s, 20s left
tiny: 6/6 cells, 1 failed, 22.2 rounds/s
`; out.String() != want {
			t.Errorf("got\n%swant\n%s", &out, want)
		}
		if b.computed != 2 || b.found != 3 {
			t.Errorf("%d computed and %d found, want 2 and 3", b.computed, b.found)
		}
	})
}

// How far a run is has a pace once some round has been computed for a second, and the time that is
// left as long as a round is.
func TestPaceIsSaidAfterASecondOfRounds(t *testing.T) {
	for _, c := range []struct {
		after         time.Duration
		found, played int // cells, of 3 with a round each
		failed        error
		pace, left    bool
	}{
		{time.Hour, 0, 0, nil, false, false}, {time.Hour, 2, 0, nil, false, false},
		{time.Hour, 0, 1, errors.New("failed"), false, false},
		{time.Second - 1, 0, 1, nil, false, false}, {time.Second, 0, 1, nil, true, true},
		{time.Hour, 0, 2, nil, true, true}, {time.Hour, 0, 3, nil, true, false},
		{time.Hour, 1, 2, nil, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			cells := make([]*experiment.Cell, 3)
			for k := range cells {
				cells[k] = &experiment.Cell{Horizon: 1}
			}
			forecast := run.NewForecast(cells[c.found:], nil, 1)
			b := (&env{stderr: io.Discard}).newProgress("tiny", run.RunEstimate{Cells: 3, Found: c.found,
				Forecast: forecast})
			defer b.end()
			time.Sleep(c.after)
			for k, cell := range cells[:c.found+c.played] {
				if c.failed == nil {
					forecast.Finish(cell, c.after)
				} else {
					forecast.Finish(cell, 0)
				}
				b.cellDone(cell, k < c.found, c.failed)
			}
			said := b.stateText()
			if strings.Contains(said, "/s") != c.pace || strings.Contains(said, " left") != c.left {
				t.Errorf("got %[2]s, want that of %+[1]v", c, said)
			}
		})
	}
}

// A guessed time has no more digits than it deserves, and is off by half of the last at most.
func TestRoundedTimeIsOffByHalfADigit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	last := time.Duration(0)
	for range 2000 {
		last += time.Duration(rng.Int64N(int64(1+last/50) + int64(50*time.Millisecond)))
		text := roundDuration(last)
		if last < time.Second {
			if text != "a second" {
				t.Errorf("%v: got %s, want a second", last, text)
			}
			continue
		}
		unit, digits := 10*time.Minute, "m"
		if last < time.Minute-time.Second/2 {
			unit, digits = time.Second, "s"
		} else if last < time.Hour-time.Minute/2 {
			unit = time.Minute
		}
		got, err := time.ParseDuration(text)
		if err != nil || !strings.HasSuffix(text, digits) || got%unit != 0 || got == 0 ||
			max(got-last, last-got) > unit/2 {
			t.Errorf("%v: got %s, error %v, want it rounded to half of its last digit", last, text, err)
		}
	}
	if last < 100*time.Hour {
		t.Errorf("got durations up to %v, want 100 hours", last)
	}
}
