package game

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Counter counts the rounds of a game for others to read. The zero value is at 0.
type Counter struct{ round atomic.Int64 }

// counterKey identifies the counter in a context.
type counterKey struct{}

// WithCounter returns a context in which [Play] counts its rounds.
func WithCounter(ctx context.Context, c *Counter) context.Context {
	return context.WithValue(ctx, counterKey{}, c)
}

// counterOf returns the counter that a game keeps for others to read.
func counterOf(ctx context.Context) *Counter {
	if c, ok := ctx.Value(counterKey{}).(*Counter); ok {
		return c
	}
	return new(Counter)
}

// countingStep is the number of first rounds that a game counts one by one, and of rounds that it
// counts at once from then on: an atomic store takes 7 ns, and a fast round 100.
const countingStep = 64

// Place says in words in which round a game of this horizon is.
func (c *Counter) Place(horizon int) string {
	switch t := int(c.round.Load()); {
	case t == 0:
		return "before round 1"
	case t < countingStep || t == horizon:
		return fmt.Sprintf("round %d", t)
	default:
		return fmt.Sprintf("rounds %d to %d", t, min(t+countingStep-1, horizon))
	}
}
