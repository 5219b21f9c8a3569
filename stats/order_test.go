package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Order statistics and counts are those of the sorted values, with many ties and infinities.
func TestOrderStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values := make([]float64, 1+rng.IntN(40))
		for i := range values {
			switch rng.IntN(4) {
			case 0:
				values[i] = float64(rng.IntN(5))
			case 1:
				values[i] = math.Inf(1 - 2*rng.IntN(2))
			default:
				values[i] = rng.NormFloat64()
			}
		}
		sorted := slices.Sorted(slices.Values(values))
		k, x := 1+rng.IntN(len(values)), values[rng.IntN(len(values))]
		below, _ := slices.BinarySearch(sorted, x)
		if n := atLeast(values, x); n != len(values)-below {
			t.Fatalf("%d of %v are at least %v, want %d", n, sorted, x, len(values)-below)
		}
		above, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
		if math.IsInf(x, 1) {
			above = len(sorted)
		}
		if n := atMost(values, x); n != above {
			t.Fatalf("%d of %v are at most %v, want %d", n, sorted, x, above)
		}
		if got := kth(values, k); got != sorted[k-1] {
			t.Fatalf("number %d of %v is %v", k, sorted, got)
		}
		if slices.Sort(values); !slices.Equal(values, sorted) {
			t.Fatalf("%v has become %v", sorted, values)
		}
	}
}
