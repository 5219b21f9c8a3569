package stats

import "gonum.org/v1/gonum/floats"

// This file has order statistics without sorting: a quantile of resamples is one order statistic,
// and a p-value is a count.

// kthSmallest returns the k-th smallest of values, counted from 1, and changes their order. There
// are no NaNs. O(n) on average (quickselect); gonum's stat.Quantile needs sorted values.
func kthSmallest(values []float64, k int) float64 {
	for {
		if len(values) < 3 {
			if len(values) == 2 && values[1] < values[0] {
				values[0], values[1] = values[1], values[0]
			}
			return values[k-1]
		}
		a, b, c := values[0], values[len(values)/2], values[len(values)-1]
		pivot := max(min(a, b), min(max(a, b), c)) // their median
		// values[:less] < pivot, values[less:i] = pivot, values[more:] > pivot
		less, more := 0, len(values)
		for i := 0; i < more; {
			switch v := values[i]; {
			case v < pivot:
				values[i], values[less] = values[less], v
				less, i = less+1, i+1
			case v > pivot:
				more--
				values[i], values[more] = values[more], v
			default:
				i++
			}
		}
		switch {
		case k <= less:
			values = values[:less]
		case k > more:
			values, k = values[more:], k-more
		default:
			return pivot
		}
	}
}

// atLeast returns the number of values ≥ x.
func atLeast(values []float64, x float64) int {
	return floats.Count(func(v float64) bool { return v >= x }, values)
}

// atMost returns the number of values ≤ x.
func atMost(values []float64, x float64) int {
	return floats.Count(func(v float64) bool { return v <= x }, values)
}
