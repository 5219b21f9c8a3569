package analysis

import (
	"math"
	"slices"
	"sync"

	"ocobench/stats"
)

// Many metrics of an experiment are the same curves: the three regrets where constraints are
// fixed, soft and hard violation where no round makes up for another, and all metrics of
// algorithms that play equal games. What is computed from a curve depends on nothing else, so
// that it is computed once for equal curves.

// memos remember what was computed from curves.
type memos struct {
	fits      memo[fitted]
	ps        memo[float64]
	contrasts memo[contrast]
}

// fitted is what [Series.grow] needs of a curve.
type fitted struct {
	fit      stats.Fit
	warnings []error // not those of a fit to copies
	slopes   stats.Band
}

// memo remembers values of curves. The zero value remembers nothing yet.
type memo[V any] struct {
	mu    sync.Mutex
	known map[uint64][]*remembered[V]
}

// remembered is the value of some curves with options, which are comparable.
type remembered[V any] struct {
	options any
	curves  []stats.Curve
	value   func() (V, error)
}

// of returns what compute returns, which it calls once for the same options and equal curves.
func (m *memo[V]) of(options any, curves []stats.Curve, compute func() (V, error)) (V, error) {
	h := uint64(14695981039346656037) // FNV-1a, by words
	for _, c := range curves {
		for _, row := range c.Y {
			for _, v := range row {
				h = (h ^ math.Float64bits(v)) * 1099511628211
			}
		}
	}
	m.mu.Lock()
	if m.known == nil {
		m.known = make(map[uint64][]*remembered[V])
	}
	k := slices.IndexFunc(m.known[h], func(r *remembered[V]) bool {
		return r.options == options && slices.EqualFunc(r.curves, curves, sameCurve)
	})
	if k < 0 {
		k = len(m.known[h])
		m.known[h] = append(m.known[h], &remembered[V]{options, curves, sync.OnceValues(compute)})
	}
	r := m.known[h][k]
	m.mu.Unlock()
	return r.value()
}

// sameCurve reports whether two curves are equal, bit for bit.
func sameCurve(a, b stats.Curve) bool {
	bits := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return slices.EqualFunc(a.T, b.T, bits) && slices.EqualFunc(a.Y, b.Y,
		func(x, y []float64) bool { return slices.EqualFunc(x, y, bits) })
}
