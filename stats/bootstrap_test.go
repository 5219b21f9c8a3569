package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The means of a resample are those of its rows, each as often as it was drawn, added one after
// another: to the last bit.
func TestWeightedMeansAreThoseOfTheDrawnRows(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 13; n++ {
		rows, counts := make([][]float64, n), make([]int, n)
		for r := range rows {
			counts[src.IntN(n)]++
			for range 7 {
				rows[r] = append(rows[r], src.NormFloat64()*math.Exp(10*src.NormFloat64()))
			}
		}
		got := make([]float64, 7)
		weightedMeans(got, rows, counts)
		for k, v := range got {
			want := 0.0
			for r, count := range counts {
				if count > 0 {
					want += float64(float64(count) * rows[r][k])
				}
			}
			if want /= float64(n); v != want {
				t.Errorf("%d rows, column %d: %v, want %v", n, k, v, want)
			}
		}
	}
}
