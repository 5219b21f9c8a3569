package stats

import "math"

// LineSlope is the slope of the least-squares line through n points whose errors are independent,
// with its standard error. Student's distribution with n−2 degrees of freedom applies to it,
//
//	Value = Σ_k (x_k − x̄)(y_k − ȳ) / Σ_k (x_k − x̄)²,   StdErr² = Σ_k r_k² / ((n−2) Σ_k (x_k − x̄)²),
//
// with r_k the distance of y_k from the line. StdErr has no meaning for fewer than three points.
type LineSlope struct {
	Value, StdErr float64
	points        int
}

// FitLineSlope returns the slope of y on x, O(n).
func FitLineSlope(x, y []float64) LineSlope {
	n := float64(len(x))
	mx, my := 0.0, 0.0
	for k, v := range y {
		mx += x[k] / n
		my += v / n
	}
	sxx, sxy := 0.0, 0.0
	for k := range x {
		sxx += float64((x[k] - mx) * (x[k] - mx))
		sxy += float64((x[k] - mx) * (y[k] - my))
	}
	slope, residual2 := sxy/sxx, 0.0
	for k := range x {
		r := y[k] - my - float64(slope*(x[k]-mx))
		residual2 += float64(r * r)
	}
	return LineSlope{slope, math.Sqrt(residual2 / (n - 2) / sxx), len(x)}
}

// HalfWidth returns half of the length of the two-sided interval of this confidence.
func (s LineSlope) HalfWidth(confidence float64) float64 {
	return float64(studentQuantile(float64(s.points-2), (1+confidence)/2) * s.StdErr)
}

// MeanDiffers reports whether the mean of independent values differs from zero, by Student's
// two-sided test at this level.
func MeanDiffers(values []float64, level float64) bool {
	n := float64(len(values))
	mean, deviations2 := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		deviations2 += float64((v - mean) * (v - mean))
	}
	stdErr := math.Sqrt(deviations2 / (n - 1) / n)
	return math.Abs(mean) > float64(studentQuantile(n-1, 1-float64(level/2))*stdErr)
}
