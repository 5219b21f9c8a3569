package game

import (
	"math"
	"slices"

	"ocobench/algorithms"
)

// Game holds the tables of one game: its trace, its hindsight and its moving comparator.
type Game struct {
	Algorithm, Problem       string // SPECs
	Resolved                 string // the algorithm with the numbers of its expressions, or ""
	Replicate, Horizon       int
	Trace, Hindsight, Moving Table
}

// T returns the checkpoints of the game, which the caller must not change.
func (g *Game) T() []float64 { return g.Trace.View(TimeColumn) }

// Metric returns a metric of the game at its checkpoints. Regret against an
// empty set is NaN, and so are dynamic regret and the path length once a round is
// empty. The result is nil for a metric that is unknown or not
// measured, and for one whose cell is missing.
func (g *Game) Metric(name algorithms.Metric) []float64 {
	m, _ := MetricNamed(name)
	if m.InTrace() {
		return g.Trace.Column(string(name))
	}
	best := g.Hindsight.Column(ValueColumn(m.Set))
	if m.Moving != "" {
		best = g.Moving.Column(m.Moving)
	}
	if m.OfRounds {
		return best
	}
	loss := g.Trace.Column(string(MetricLoss))
	if loss == nil || len(best) != len(loss) {
		return nil
	}
	for i, v := range best {
		loss[i] -= v
	}
	return loss
}

// Negligible bounds the rounding error of a metric, as a share of the magnitude of the numbers
// that were added. A game in which a metric is never larger counts as 0 in estimates.
const Negligible = 1e-9

// Rounding returns the largest rounding error of a metric of the game at its checkpoints: it is
// [Negligible] times the magnitude of the losses, constraints or actions that the metric is made
// of. It is nil if the game lacks the metric, and for metrics that a learner shows of itself.
func (g *Game) Rounding(name algorithms.Metric) []float64 {
	m, _ := MetricNamed(name)
	if m.OfLearner {
		return nil
	}
	sums := g.Trace.Column(string(m.magnitudeMetric()))
	for k, t := range g.T()[:len(sums)] {
		// The sums are of t magnitudes; squares and maxima are of single rounds.
		switch name {
		case algorithms.SquaredViolation:
			sums[k] *= sums[k] / t
		case algorithms.MaxViolation:
			sums[k] /= t
		}
		sums[k] = float64(Negligible * sums[k])
	}
	return sums
}

// ZeroRoundingErrors returns [Game.Metric] as it counts in estimates: if all values are at most
// rounding errors, they are replaced by 0. Rounding reports whether that changed any.
func (g *Game) ZeroRoundingErrors(name algorithms.Metric) (v []float64, rounding bool) {
	v = g.Metric(name)
	largestError := g.Rounding(name)
	if len(largestError) != len(v) {
		return v, false
	}
	for k := range v {
		if !(math.Abs(v[k]) <= largestError[k]) { // also if it is NaN
			return v, false
		}
		rounding = rounding || v[k] != 0
	}
	clear(v)
	return v, rounding
}

// IsZero reports whether all values are 0.
func IsZero(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != 0 })
}
