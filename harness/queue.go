package harness

import (
	"context"
	"time"
)

// queue holds the indices of cells that wait for a worker. A cell that another
// process computes comes last, and again every interval until it is there or the
// other process has ended.
type queue struct {
	cells chan queued
	idle  func() // is called when all that is left is computed by other processes
}

type queued struct {
	index     int
	notBefore time.Time
}

const interval = 50 * time.Millisecond

func newQueue(n int, idle func()) queue {
	q := queue{make(chan queued, n), idle}
	for i := range n {
		q.cells <- queued{index: i}
	}
	return q
}

// next takes the first one. It returns false when none is left, or ctx ended.
func (q queue) next(ctx context.Context) (i int, ok bool) {
	select {
	case first := <-q.cells:
		if wait := time.Until(first.notBefore); wait > 0 {
			q.idle()
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

// later puts back one that was taken.
func (q queue) later(i int) { q.cells <- queued{i, time.Now().Add(interval)} }
