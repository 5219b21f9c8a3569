package claims

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// line observes a game with linear losses and one affine constraint on an interval D.
// There the sums over rounds are two numbers each, and the comparator sets are intervals.
type line struct {
	facts  convex.Facts
	domain span
	// limitSlope·x + limitShift is ḡ(x), the expectation or the limit of the averages, if the stream
	// declares it, and else 0.
	limitSlope, limitShift float64
	// slope[i−1]·x + shift[i−1] is the average of g_1, …, g_i.
	slope, shift []float64
	xMin         span // X^min
	// Σ g_i(x) = sumSlope·x + sumShift, and Σ f_i(x) = lossSlope·x.
	sumSlope, sumShift, lossSlope float64
	x                             float64 // x_t
	h                             float64 // h_t(x_t), h_t the hinge of the average of g_1, …, g_t
	// Σ f_i(x_i), Σ g_i(x_i) and Σ h_i(x_i) over the actions played.
	loss, signed, penalty float64
}

// playLine observes a game of an algorithm on a problem, both SPECs, and calls each, unless it is
// nil, after every round. With an empty algorithm no actions are played, and x is nil.
func (l *Lab) playLine(algorithm, problem string, replicate, horizon int,
	each func(o *line, t int)) (*line, error) {
	s, err := l.Stream(problem, replicate)
	if err != nil {
		return nil, err
	}
	maximiser := []float64{0} // is written to, and not needed
	o := &line{facts: s.Facts(), domain: span{
		-s.Set().Support(maximiser, []float64{-1}), s.Set().Support(maximiser, []float64{1}),
	}}
	o.xMin = o.domain
	if e, ok := s.(problems.Expecter); ok {
		if limits := e.Expectation(); len(limits) > 0 {
			o.limitSlope, o.limitShift = slopeAndShift(limits[0])
		}
	}
	observers := []game.Observer{o}
	if each != nil {
		observers = append(observers,
			roundObserver(func(t int, _ []float64, _ *convex.Round) { each(o, t) }))
	}
	if algorithm == "" {
		return o, l.PlayLearner(nil, s, horizon, observers...)
	}
	return o, l.Play(algorithm, problem, replicate, horizon, observers...)
}

// lineAt plays like playLine, and returns the game as it is after round early and after the last.
func (l *Lab) lineAt(algorithm, problem string, replicate, early, horizon int) (at [2]line,
	err error) {
	_, err = l.playLine(algorithm, problem, replicate, horizon, func(o *line, t int) {
		if k := slices.Index([]int{early, horizon}, t); k >= 0 {
			at[k] = *o
		}
	})
	return at, err
}

// Round implements [game.Observer].
func (o *line) Round(t int, x []float64, r *convex.Round) error {
	a, b := slopeAndShift(r.Constraints[0])
	o.sumSlope, o.sumShift = o.sumSlope+a, o.sumShift+b
	n := float64(t)
	o.slope, o.shift = append(o.slope, o.sumSlope/n), append(o.shift, o.sumShift/n)
	o.xMin = o.xMin.intersect(o.halfLine(a, b))
	slope, _ := slopeAndShift(r.Loss)
	o.lossSlope += slope
	if x == nil {
		return nil
	}
	o.x = x[0]
	o.h = max(0, float64(o.sumSlope*o.x)+o.sumShift) / n
	o.loss += float64(slope * o.x)
	o.signed += float64(a*o.x) + b
	o.penalty += o.h
	return nil
}

// slopeAndShift returns a and b of the affine function a·x + b.
func slopeAndShift(f convex.Func) (slope, shift float64) {
	shift = f.Value(atZero)
	return f.Value(atOne) - shift, shift
}

// atZero and atOne are the points at which [slopeAndShift] reads functions. They are shared by all
// checks, and nothing writes to them.
var atZero, atOne = []float64{0}, []float64{1}

// rounds returns the number of rounds so far.
func (o *line) rounds() int { return len(o.slope) }

// softViolation returns [Σ g_i(x_i)]₊ of the rounds so far.
func (o *line) softViolation() float64 { return max(0, o.signed) }

// halfLine returns {x in D : slope·x + shift ≤ 0}.
func (o *line) halfLine(slope, shift float64) span {
	s := o.domain
	switch {
	case slope > 0:
		s.upper = min(s.upper, -shift/slope)
	case slope < 0:
		s.lower = max(s.lower, -shift/slope)
	case shift > 0:
		s.lower = math.Inf(1) // a positive constant: the set is empty
	}
	return s
}

// currentSet returns X^max_t after the rounds so far.
func (o *line) currentSet() span { return o.halfLine(o.sumSlope, o.sumShift) }

// averagesSet returns {x in D : the averages after rounds first to last are ≤ 0}, which is
// X̂^max_last for first = 1.
func (o *line) averagesSet(first, last int) span {
	s := o.domain
	for i := first - 1; i < last; i++ {
		s = s.intersect(o.halfLine(o.slope[i], o.shift[i]))
	}
	return s
}

// regret returns the regret against the best action of an interval.
func (o *line) regret(s span) float64 {
	return o.loss - min(float64(o.lossSlope*s.lower), float64(o.lossSlope*s.upper))
}

// averageDistance returns the largest difference on D between the average of g_1, …, g_i and
// slope·x + shift.
func (o *line) averageDistance(i int, slope, shift float64) float64 {
	da, db := o.slope[i-1]-slope, o.shift[i-1]-shift
	return max(math.Abs(float64(da*o.domain.lower)+db), math.Abs(float64(da*o.domain.upper)+db))
}

// domainRadius returns the largest |x| of D.
func (o *line) domainRadius() float64 { return max(-o.domain.lower, o.domain.upper) }

// span is an interval, empty if the lower end is above the upper one.
type span struct{ lower, upper float64 }

// empty reports whether the span has no point, intersect returns the points of both spans, and
// length returns upper − lower, or 0 if the span is empty.
func (s span) empty() bool           { return s.lower > s.upper }
func (s span) intersect(r span) span { return span{max(s.lower, r.lower), min(s.upper, r.upper)} }
func (s span) length() float64       { return max(0, s.upper-s.lower) }

// lengthOutside returns the length of the part of s that is outside of r.
func (s span) lengthOutside(r span) float64 { return s.length() - s.intersect(r).length() }
