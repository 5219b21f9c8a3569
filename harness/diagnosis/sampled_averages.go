package diagnosis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game/averages"
	"ocobench/problems"
)

// samplePoints holds points of a domain: pairs of opposite points of its boundary, followed by
// pairs of other points.
type samplePoints struct {
	points [][]float64
	ends   int // the number of points on the boundary
}

// newSamplePoints takes boundary points in the directions of up to four axes and, in more than
// one dimension, in four random directions; then the mean of these, and three points between it
// and some of them.
func newSamplePoints(set convex.Set) samplePoints {
	const axes, draws, inner = 4, 4, 4
	n := set.Dim()
	rng := rand.New(rand.NewPCG(20210901, 1)) // a fixed seed: all problems have the same directions
	var s samplePoints
	dir := make([]float64, n)
	add := func() {
		x, y := make([]float64, n), make([]float64, n)
		convex.Extremes(set, dir, x, y)
		s.points = append(s.points, x, y)
	}
	for i := range min(n, axes) {
		clear(dir)
		dir[i] = 1
		add()
	}
	for k := 0; k < draws && n > 1; k++ {
		for i := range dir {
			dir[i] = float64(2*float64(rng.Float64())) - 1
		}
		add()
	}
	s.ends = len(s.points)
	center := make([]float64, n)
	for _, p := range s.points[:s.ends] {
		vec.Axpy(center, 1/float64(s.ends), p)
	}
	for k := range inner {
		p, end, share := make([]float64, n), s.points[k%s.ends], rng.Float64()
		if k == 0 {
			share = 0
		}
		for i, c := range center {
			p[i] = c + float64(share*(end[i]-c))
		}
		set.Project(p, p) // p is in the set up to rounding
		s.points = append(s.points, p)
	}
	return s
}

// pairOfRound returns the pair of points of round t, in cyclic order.
func (s samplePoints) pairOfRound(t int) (x, y int) {
	k := t % (len(s.points) / 2)
	return 2 * k, 2*k + 1
}

// sampledAverages observes a game and evaluates the running averages of one replicate at the
// sampled points. It does so after every t/1000 rounds, over which an average changes by at most
// a thousandth of the range of the constraints. Each value stands for all rounds since the last
// one.
type sampledAverages struct {
	*averages.Running
	checkpoints []int
	set         convex.Set
	points      [][]float64
	loss        *convex.Form // the sum of the losses
	evaluatedAt int          // the last round at which averages were evaluated

	storeAt []int            // rounds at which the averages are stored as functions
	forms   [][]*convex.Form // a_{τ,j}, a row for each round of storeAt

	expected     []float64   // E g_j(p) at j·len(points)+p; nil if it is not known
	value        []float64   // a_{τ,j}(p) at j·len(points)+p
	sum          []float64   // by j: Σ_{i≤τ} max_x max(0, a_{i,j}(x))
	sampled      []bool      // by j: the maximum over x was taken over the points only
	values, sums [][]float64 // value and sum at the checkpoints

	scratch []float64
}

// newSampledAverages returns averages of a stream that have seen no round.
func newSampledAverages(m *measurement, s problems.Stream) *sampledAverages {
	n, constraints := m.set.Dim(), s.Constraints()
	a := &sampledAverages{
		Running: averages.New(n, constraints), checkpoints: m.checkpoints, set: m.set,
		points: m.points.points, loss: convex.NewForm(n), scratch: make([]float64, n),
		value: make([]float64, constraints*len(m.points.points)),
		sum:   make([]float64, constraints), sampled: make([]bool, constraints),
	}
	if e, ok := s.(problems.Expecter); ok {
		for _, g := range e.Expectation() {
			for _, x := range a.points {
				a.expected = append(a.expected, g.Value(x))
			}
		}
	}
	return a
}

// Round implements [game.Observer].
func (a *sampledAverages) Round(t int, x []float64, r *convex.Round) error {
	r.Loss.AddTo(a.loss, 1)
	if err := a.Running.Round(t, x, r); err != nil {
		return err
	}
	checkpoint := t == a.checkpoints[len(a.values)]
	if checkpoint || t-a.evaluatedAt >= max(1, t/1000) {
		if err := a.evaluateAverages(float64(t - a.evaluatedAt)); err != nil {
			return err
		}
		a.evaluatedAt = t
	}
	if k := len(a.forms); k < len(a.storeAt) && t == a.storeAt[k] {
		a.forms = append(a.forms, a.Means())
	}
	if checkpoint {
		a.values = append(a.values, slices.Clone(a.value))
		a.sums = append(a.sums, slices.Clone(a.sum))
	}
	return nil
}

// evaluateAverages evaluates the averages, and adds the penalties to sum, since times: once for
// each round since the last evaluation.
func (a *sampledAverages) evaluateAverages(since float64) error {
	for j, sum := range a.Sums {
		value := a.value[j*len(a.points):][:len(a.points)]
		for k, x := range a.points {
			value[k] = a.Value(j, x)
		}
		top, exact := averages.Highest(a.set, sum, a.scratch)
		if top /= float64(a.T); !exact {
			top = slices.Max(value)
			// In one dimension the points have both ends of D.
			a.sampled[j] = a.sampled[j] || len(a.scratch) > 1
		}
		a.sum[j] += float64(since * max(0, top))
		if v := value[0]; math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("constraint %d, or its sum so far, is not finite", j+1)
		}
	}
	return nil
}

// hasSameAverages reports whether two replicates have the same averages at the checkpoints.
func (a *sampledAverages) hasSameAverages(b *sampledAverages) bool {
	return slices.EqualFunc(a.values, b.values, slices.Equal[[]float64])
}

// areConstant reports whether the averages at the checkpoints are the same up to rounding.
func (a *sampledAverages) areConstant(rounding float64) bool {
	for _, row := range a.values {
		for q, v := range row {
			if math.Abs(v-a.values[0][q]) > rounding {
				return false
			}
		}
	}
	return true
}

// forEachOctave calls f for each octave [τ, 2τ] that starts at a checkpoint and ends by T, with the
// index k of the checkpoint τ and the index of the last checkpoint up to 2τ.
func (a *sampledAverages) forEachOctave(f func(k, last int)) {
	last := 0
	for k, tau := range a.checkpoints {
		if 2*tau > a.checkpoints[len(a.checkpoints)-1] {
			return
		}
		for last+1 < len(a.checkpoints) && a.checkpoints[last+1] <= 2*tau {
			last++
		}
		f(k, last)
	}
}

// octaveDeviation returns, for each octave after τ, the largest distance of averages in it from
// their expectation or, if that is not known, from the averages at τ: D_τ.
func (a *sampledAverages) octaveDeviation() (d []float64) {
	a.forEachOctave(func(k, last int) {
		from, largest := a.expected, 0.0
		if from == nil {
			from = a.values[k]
		}
		for _, row := range a.values[k : last+1] {
			for q, v := range row {
				largest = max(largest, math.Abs(v-from[q]))
			}
		}
		d = append(d, largest)
	})
	return d
}

// octaveChanges returns a_{τ,j}(p) − a_{2τ,j}(p) for each octave after τ.
func (a *sampledAverages) octaveChanges() (rows [][]float64) {
	a.forEachOctave(func(k, last int) {
		row := slices.Clone(a.values[k])
		for q, v := range a.values[last] {
			row[q] -= v
		}
		rows = append(rows, row)
	})
	return rows
}

// maxAbsAverage returns the largest absolute value of an average at a checkpoint.
func (a *sampledAverages) maxAbsAverage() float64 {
	largest := 0.0
	for _, row := range a.values {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}
