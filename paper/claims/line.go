package claims

import (
	"math"

	"ocobench/convex"
)

// line observes a game with linear losses and one affine constraint on an interval D.
// There the sums over rounds are two numbers each, and the best fixed actions are ends of
// intervals.
type line struct {
	lower, upper float64 // D
	// The average of g_1, …, g_i is slope[i−1]·x + shift[i−1].
	slope, shift []float64
	a, b         float64 // Σ g_i = a·x + b
	loss         float64 // Σ f_i = loss·x
	x            float64 // x_t
	h            float64 // h_t(x_t)
	// Of the actions played: Σ f_i(x_i), Σ g_i(x_i), Σ h_i(x_i).
	played, signed, penalty float64
}

// newLine returns the observer of a game on [lower, upper].
func newLine(s interface{ Set() convex.Set }) *line {
	d := []float64{0}
	l := &line{upper: s.Set().Support(d, []float64{1})}
	l.lower = -s.Set().Support(d, []float64{-1})
	return l
}

// Round implements [harness.Observer].
func (l *line) Round(t int, x []float64, r convex.Round) error {
	a, b := affine(r.Constraints[0])
	l.a, l.b = l.a+a, l.b+b
	n := float64(t)
	l.slope, l.shift = append(l.slope, l.a/n), append(l.shift, l.b/n)
	slope, _ := affine(r.Loss)
	l.loss += slope
	if x == nil {
		return nil
	}
	l.x = x[0]
	l.h = max(0, float64(l.a*l.x)+l.b) / n
	l.played += float64(slope * l.x)
	l.signed += float64(a*l.x) + b
	l.penalty += l.h
	return nil
}

// soft is the soft violation.
func (l *line) soft() float64 { return max(0, l.signed) }

// affine returns the slope and the value at 0 of an affine function on the line.
func affine(f convex.Func) (slope, shift float64) {
	shift = f.Value([]float64{0})
	return f.Value([]float64{1}) - shift, shift
}

// where is {x in D : slope·x + shift ≤ 0}, empty if the lower end is above the upper one.
func (l *line) where(slope, shift float64) (lower, upper float64) {
	lower, upper = l.lower, l.upper
	switch {
	case slope > 0:
		upper = min(upper, -shift/slope)
	case slope < 0:
		lower = max(lower, -shift/slope)
	case shift > 0:
		lower = math.Inf(1)
	}
	return lower, upper
}

// prefixes is X̂^max of the averages from number first to number last.
func (l *line) prefixes(first, last int) (lower, upper float64) {
	lower, upper = l.lower, l.upper
	for i := first - 1; i < last; i++ {
		lo, up := l.where(l.slope[i], l.shift[i])
		lower, upper = max(lower, lo), min(upper, up)
	}
	return lower, upper
}

// regret is that against the best action of [lower, upper].
func (l *line) regret(lower, upper float64) float64 {
	return l.played - min(float64(l.loss*lower), float64(l.loss*upper))
}

// distance is the largest difference on D between average i and slope·x + shift.
func (l *line) distance(i int, slope, shift float64) float64 {
	da, db := l.slope[i-1]-slope, l.shift[i-1]-shift
	return max(math.Abs(float64(da*l.lower)+db), math.Abs(float64(da*l.upper)+db))
}
