package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game/averages"
	"ocobench/problems"
)

// path is the observer that evaluates the running averages of one replicate at the
// sampled points. It does so after every t/1000 rounds, over which an average changes
// by at most a thousandth of the range of the constraints. Each value stands for all
// rounds since the last one.
type path struct {
	*averages.Running
	at     []int
	points [][]float64
	loss   *convex.Form
	seen   int // the last round at which averages were evaluated

	keep  []int            // rounds at which the averages are stored as functions
	forms [][]*convex.Form // by round of keep: a_{τ,j}

	expected []float64 // E_j(p) at j·len(points)+p; nil if it is not known
	value    []float64 // a_{τ,j}(p) at j·len(points)+p
	sum      []float64 // by j: Σ_{i≤τ} max_x max(0, a_{i,j}(x))
	sampled  []bool    // by j: the maximum over x was taken over the points only
	// at the checkpoints
	values, sums [][]float64

	set     convex.Set
	scratch []float64
}

func newPath(m *measurement, s problems.Stream) *path {
	n := m.set.Dim()
	p := &path{
		Running: averages.New(n, s.Constraints()),
		at:      m.at, points: m.points.points, set: m.set,
		loss: convex.NewForm(n), scratch: make([]float64, n),
		sum: make([]float64, s.Constraints()), sampled: make([]bool, s.Constraints()),
	}
	p.value = make([]float64, len(p.sum)*len(p.points))
	if e, ok := s.(problems.Expecter); ok {
		for _, g := range e.Expectation() {
			for _, x := range p.points {
				p.expected = append(p.expected, g.Value(x))
			}
		}
	}
	return p
}

// Round implements [game.Observer].
func (p *path) Round(t int, x []float64, r *convex.Round) error {
	r.Loss.AddTo(p.loss, 1)
	if err := p.Running.Round(t, x, r); err != nil {
		return err
	}
	checkpoint := t == p.at[len(p.values)]
	if checkpoint || t-p.seen >= max(1, t/1000) {
		if err := p.look(float64(t - p.seen)); err != nil {
			return err
		}
		p.seen = t
	}
	if k := len(p.forms); k < len(p.keep) && t == p.keep[k] {
		p.forms = append(p.forms, p.Means())
	}
	if checkpoint {
		p.values = append(p.values, slices.Clone(p.value))
		p.sums = append(p.sums, slices.Clone(p.sum))
	}
	return nil
}

// look evaluates the averages, for so many rounds since the last time.
func (p *path) look(since float64) error {
	for j, sum := range p.Sums {
		value := p.value[j*len(p.points):][:len(p.points)]
		for k, x := range p.points {
			value[k] = p.Value(j, x)
		}
		top, exact := averages.Highest(p.set, sum, p.scratch)
		if top /= float64(p.T); !exact {
			top = slices.Max(value)
			// In one dimension the points have both ends of D.
			p.sampled[j] = p.sampled[j] || len(p.scratch) > 1
		}
		p.sum[j] += float64(since * max(0, top))
		if v := value[0]; v-v != 0 {
			return fmt.Errorf("constraint %d, or its sum so far, is not finite", j+1)
		}
	}
	return nil
}

// like reports whether two replicates have the same averages at the checkpoints.
func (p *path) like(q *path) bool {
	return slices.EqualFunc(p.values, q.values, slices.Equal[[]float64])
}

// still reports whether the averages at the checkpoints are the same up to rounding.
func (p *path) still(rounding float64) bool {
	first := p.values[0]
	for _, row := range p.values {
		for q, v := range row {
			if math.Abs(v-first[q]) > rounding {
				return false
			}
		}
	}
	return true
}

// averageLoss returns the average of the losses.
func (p *path) averageLoss() *convex.Form { return averages.Scaled(p.loss, 1/float64(p.T)) }

// deviation returns, at the checkpoints τ with 2τ ≤ T, the largest distance of averages
// over the octave after τ from their expectation or, if that is not known, from the
// averages at τ: D_τ.
func (p *path) deviation() []float64 {
	var d []float64
	for k, tau := range p.at {
		if 2*tau > p.at[len(p.at)-1] {
			break
		}
		from := p.expected
		if from == nil {
			from = p.values[k]
		}
		largest := 0.0
		for s := k; s < len(p.at) && p.at[s] <= 2*tau; s++ {
			for q, v := range p.values[s] {
				largest = max(largest, math.Abs(v-from[q]))
			}
		}
		d = append(d, largest)
	}
	return d
}

// octave returns a_{τ,j}(p) − a_{2τ,j}(p) at the checkpoints τ with 2τ ≤ T. The last
// checkpoint up to 2τ stands for 2τ.
func (p *path) octave() [][]float64 {
	var out [][]float64
	s := 0
	for k, tau := range p.at {
		if 2*tau > p.at[len(p.at)-1] {
			break
		}
		for s+1 < len(p.at) && p.at[s+1] <= 2*tau {
			s++
		}
		row := make([]float64, len(p.value))
		for q := range row {
			row[q] = p.values[k][q] - p.values[s][q]
		}
		out = append(out, row)
	}
	return out
}

// size is the largest average at a checkpoint, in size.
func (p *path) size() float64 {
	largest := 0.0
	for _, row := range p.values {
		for _, v := range row {
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}
