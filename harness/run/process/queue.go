package process

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// queuedItem holds the index of work that waits for a goroutine, and when it may be taken.
type queuedItem struct {
	index     int
	notBefore time.Time
}

// RetryPause is the pause before a [Queue] calls do again for work that another process does.
const RetryPause = 50 * time.Millisecond

// Queue calls do(0), …, do(n−1) on a number of goroutines, workers, until all have returned true
// or ctx has ended. If do(i) returns false, another process is doing this work: i goes to the end
// of the queue, and do(i) is called again after [RetryPause]. When only such work is left, idle is
// called, possibly several times.
func Queue(ctx context.Context, n, workers int, idle func(), do func(i int) (done bool)) {
	work := make(chan queuedItem, n)
	for i := range n {
		work <- queuedItem{index: i}
	}
	// next takes the first of the queue; ok is false when none is left, or ctx has ended.
	next := func() (i int, ok bool) {
		select {
		case first := <-work:
			if wait := time.Until(first.notBefore); wait > 0 {
				idle()
				select {
				case <-time.After(wait):
				case <-ctx.Done():
				}
			}
			return first.index, ctx.Err() == nil
		default:
			return 0, false
		}
	}
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i, ok := next(); ok; i, ok = next() {
				if !do(i) {
					work <- queuedItem{i, time.Now().Add(RetryPause)}
				}
			}
		})
	}
	wg.Wait()
}

// Each calls f for 0, …, n−1 on all processors and returns the first error by index.
func Each(ctx context.Context, n int, f func(i int) error) error {
	errs := make([]error, n)
	idle := func() {} // is never called, since no other process does the work
	Queue(ctx, n, runtime.GOMAXPROCS(0), idle, func(i int) bool {
		errs[i] = f(i)
		return true
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
