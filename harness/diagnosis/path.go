package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/problems"
)

// path is the observer that evaluates the running averages of one replicate at the
// sampled points. It does so after every t/1000 rounds, over which an average changes
// by at most a thousandth of the range of the constraints. Each value stands for all
// rounds since the last one.
type path struct {
	at     []int
	points [][]float64
	loss   *convex.Form
	cum    []*convex.Form // Σ_{i≤τ} g_{i,j}
	rounds int
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
		at: m.at, points: m.points.points, loss: convex.NewForm(n), set: m.set, scratch: make([]float64, n),
		sum: make([]float64, s.Constraints()), sampled: make([]bool, s.Constraints()),
	}
	for range s.Constraints() {
		p.cum = append(p.cum, convex.NewForm(n))
	}
	p.value = make([]float64, len(p.cum)*len(p.points))
	if e, ok := s.(problems.Expecter); ok {
		for _, g := range e.Expectation() {
			for _, x := range p.points {
				p.expected = append(p.expected, g.Value(x))
			}
		}
	}
	return p
}

// Round implements [harness.Observer].
func (p *path) Round(t int, _ []float64, r *convex.Round) error {
	r.Loss.AddTo(p.loss, 1)
	p.rounds = t
	checkpoint := t == p.at[len(p.values)]
	look := checkpoint || t-p.seen >= max(1, t/1000)
	rounds, since := float64(t), float64(t-p.seen)
	if look {
		p.seen = t
	}
	for j, g := range r.Constraints {
		g.AddTo(p.cum[j], 1)
		if !look {
			continue
		}
		value := p.value[j*len(p.points):][:len(p.points)]
		for k, x := range p.points {
			value[k] = p.cum[j].Value(x) / rounds
		}
		top, exact := highest(p.set, p.cum[j], p.scratch)
		if top /= rounds; !exact {
			top = slices.Max(value)
			p.sampled[j] = p.sampled[j] || len(p.scratch) > 1 // the points have both ends of an interval
		}
		p.sum[j] += float64(since * max(0, top))
		if v := value[0]; v-v != 0 {
			return fmt.Errorf("constraint %d, or its sum so far, is not finite", j+1)
		}
	}
	if k := len(p.forms); k < len(p.keep) && t == p.keep[k] {
		var forms []*convex.Form
		for _, c := range p.cum {
			forms = append(forms, scaled(c, 1/rounds))
		}
		p.forms = append(p.forms, forms)
	}
	if !checkpoint {
		return nil
	}
	p.values, p.sums = append(p.values, slices.Clone(p.value)), append(p.sums, slices.Clone(p.sum))
	return nil
}

// highest returns the maximum of an affine f over the set, or false for other
// functions.
func highest(set convex.Set, f *convex.Form, scratch []float64) (value float64, ok bool) {
	if len(f.Quad)+len(f.Terms) > 0 {
		return 0, false
	}
	return f.Const + set.Support(scratch, f.Lin), true
}

// like tells whether two replicates have the same averages at the checkpoints.
func (p *path) like(q *path) bool {
	return slices.EqualFunc(p.values, q.values, slices.Equal[[]float64])
}

// still tells whether the averages at the checkpoints are the same up to rounding.
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
func (p *path) averageLoss() *convex.Form { return scaled(p.loss, 1/float64(p.rounds)) }

func scaled(f *convex.Form, by float64) *convex.Form {
	out := convex.NewForm(f.Dim())
	f.AddTo(out, by)
	return out
}

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
