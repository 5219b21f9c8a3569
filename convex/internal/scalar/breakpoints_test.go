package scalar

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// TestBreakpointsAgreeWithASortedSlice compares the tree with a sorted slice, also with ties.
func TestBreakpointsAgreeWithASortedSlice(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(4, seed))
		var b Breakpoints
		for k := range []int{0, 5, 2000}[seed%3] { // of which a reset leaves nothing
			b.Add(float64(k), Increment{1, 2, 3})
		}
		b.Reset()
		type step struct {
			key float64
			d   Increment
		}
		var all []step
		count := 1 + r.IntN(3000)
		for k := range count {
			key := r.NormFloat64()
			switch seed % 4 {
			case 1:
				key = float64(r.IntN(20)) // ties
			case 2:
				key = float64(k) // rising
			case 3:
				key = -float64(k)
			}
			// sums are exact
			d := Increment{float64(r.IntN(9)), float64(r.IntN(9) - 4), float64(r.IntN(9) - 4)}
			b.Add(key, d)
			all = append(all, step{key, d})
			if k%(1+count/20) != 0 {
				continue
			}
			u := all[r.IntN(len(all))].key + float64(r.IntN(3)-1)/2
			var below, total, opened Increment
			previous := math.Inf(-1)
			var first *float64
			slices.SortFunc(all, func(a, b step) int { return int(math.Copysign(1, a.key-b.key)) })
			for i, s := range all {
				if s.key < u {
					below = below.Plus(s.d)
					previous = s.key
				}
				if s.key >= u && first == nil {
					first = &all[i].key
				}
				total = total.Plus(s.d)
			}
			if got := b.sumBelow(u); got != below {
				t.Fatalf("seed %d, %d breakpoints: sumBelow(%v) = %v, want %v", seed, k+1, u, got, below)
			}
			if got := b.Total(); got != total {
				t.Fatalf("seed %d: total = %v, want %v", seed, got, total)
			}
			pieces := 0
			b.VisitAround(u, func(d Increment) { opened = opened.Plus(d); pieces++ })
			if opened != total {
				t.Fatalf("seed %d: visitAround(%v) sums to %v, want %v", seed, u, opened, total)
			}
			if most := fanout * 8; pieces > most {
				t.Fatalf("seed %d: got %d pieces of %d breakpoints, want at most %d", seed, pieces, k+1, most)
			}
			key, last, before, _, _, ok := b.search(derivative{q: 1, a: -u})
			if ok != (first != nil) || ok && key != *first || before != below || last != previous {
				t.Fatalf("seed %d: search(%v) = %v, %v, %v; want %v", seed, u, key, before, ok, below)
			}
		}
	}
}

// orders are keys in orders that differ in cost.
var orders = []struct {
	name string
	key  func(k int, r *rand.Rand) float64
	most float64 // bytes that a breakpoint may take
}{
	{"random", func(_ int, r *rand.Rand) float64 { return r.NormFloat64() }, 50},
	// as averages converge
	{"near", func(k int, r *rand.Rand) float64 { return r.NormFloat64() / math.Sqrt(float64(k+1)) },
		50},
	{"rising", func(k int, _ *rand.Rand) float64 { return float64(k) }, 65},
}

// A breakpoint takes some 45 bytes, 65 where leaves stay half full, and 20 more with curvature.
func TestBreakpointsTakeLittleMemory(t *testing.T) {
	const count = 100_000
	for _, o := range orders {
		for _, q := range []float64{0, 1} {
			r := rand.New(rand.NewPCG(5, 6))
			var b Breakpoints
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for k := range count {
				b.Add(o.key(k, r), Increment{q, 1, 1})
			}
			runtime.ReadMemStats(&after)
			bytes := float64(after.TotalAlloc-before.TotalAlloc) / count
			if most := o.most + 20*q; bytes > most {
				t.Errorf("%s, curvature %v: a breakpoint takes %.1f bytes, want at most %v", o.name, q, bytes,
					most)
			}
		}
	}
}
