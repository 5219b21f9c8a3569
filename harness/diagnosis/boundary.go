package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
)

// boundary is the observer that evaluates the averages at the Slater point, and finds
// the points where segments from there leave X̂^max_τ.
type boundary struct {
	*measurement
	*averages.Running // of the constraints in use
	z                 []float64
	eta               float64
	segments          []*averages.Segment

	burn    int       // t_ε
	uniform float64   // the largest average at z, of all τ
	least   []float64 // by constraint in use: min over the rounds of −g_{i,j}(z)
	pull    float64   // max over i and y of ∇f_i(z)·(z−y)
	// at the checkpoints
	worst  []float64   // max_j a_{τ,j}(z)
	others [][]float64 // by best action: max_j a_{τ,j} there
	shares [][]float64 // by segment: its share, or NaN if it is not cut
	// by constraint in use: −a_{τ,j}(z), and min over i ≤ τ of −g_{i,j}(z)
	margins, rounds [][]float64

	grad, scratch []float64
}

func newBoundary(m *measurement, use []int, z []float64, eta float64) *boundary {
	n := len(z)
	b := &boundary{
		measurement: m, Running: averages.Of(n, use), z: z, eta: eta,
		uniform: math.Inf(-1), pull: math.Inf(-1),
		least: slices.Repeat([]float64{math.Inf(1)}, len(use)),
		grad:  make([]float64, n), scratch: make([]float64, n),
	}
	for _, p := range m.targets(use) {
		if vec.Dist(p, z) > float64(1e-9*m.set.Diameter()) {
			b.segments = append(b.segments, averages.NewSegment(z, p))
		}
	}
	b.margins, b.rounds = make([][]float64, len(use)), make([][]float64, len(use))
	b.shares, b.others = make([][]float64, len(b.segments)), make([][]float64, len(m.bests))
	return b
}

// targets are the points at which segments end: the minimiser of the average loss, the
// sampled points of the boundary of D, and the points where affine averages at T are largest.
func (m *measurement) targets(use []int) [][]float64 {
	n := m.set.Dim()
	down := make([]float64, n)
	ends := slices.Clone(m.points.points[:m.points.ends])
	sum := convex.NewSum(m.set)
	sum.Add(1, m.loss)
	if _, err := sum.Minimize(down, convex.Prox{}); err == nil {
		ends = append(ends, down)
	}
	const most = 16
	for k := 0; k < min(len(use), most) && n > 1 && m.forms != nil; k++ {
		p := make([]float64, n)
		if _, ok := averages.Highest(m.set, m.forms[len(m.forms)-1][use[k]], p); ok {
			ends = append(ends, p)
		}
	}
	return ends
}

// Round implements [game.Observer].
func (b *boundary) Round(t int, x []float64, r *convex.Round) error {
	r.Loss.Subgrad(b.grad, b.z)
	here := vec.Dot(b.grad, b.z)
	vec.Scale(b.grad, -1)
	b.pull = max(b.pull, here+b.set.Support(b.scratch, b.grad))
	for k, j := range b.Use {
		g := r.Constraints[j]
		b.least[k] = min(b.least[k], -g.Value(b.z))
	}
	if err := b.Running.Round(t, x, r); err != nil {
		return err
	}
	worst := b.Max(b.z)
	b.uniform = max(b.uniform, worst)
	b.shrink(t, worst)
	if t == b.at[len(b.worst)] {
		b.record(worst)
	}
	return nil
}

// shrink cuts the segments to their parts in X̂^max_t, which begins anew after t_ε.
func (b *boundary) shrink(t int, worst float64) {
	if worst > -b.eta {
		b.burn = t
		for _, s := range b.segments {
			s.Reset()
		}
		return
	}
	for _, s := range b.segments {
		for _, f := range b.Sums {
			s.Shrink(f)
		}
	}
}

// record keeps what the averages are at a checkpoint.
func (b *boundary) record(worst float64) {
	b.worst = append(b.worst, worst)
	for k := range b.Use {
		b.margins[k] = append(b.margins[k], -b.Value(k, b.z))
		b.rounds[k] = append(b.rounds[k], b.least[k])
	}
	for k, s := range b.segments {
		share := math.NaN()
		if s.Cut {
			share = s.Share
		}
		b.shares[k] = append(b.shares[k], share)
	}
	for k, best := range b.bests {
		if !best.Empty {
			b.others[k] = append(b.others[k], b.Max(best.Action))
		}
	}
}

// slater returns what was measured at z, without the verdict. The largest margin in the
// limit is nil if it is not known.
func (b *boundary) slater(limit *float64, rises bool) Slater {
	s := Slater{
		Point: b.z, Margin: number(-b.worst[len(b.worst)-1]), Burn: b.burn,
		Uniform: number(-b.uniform), Round: number(slices.Min(b.least)), Limit: limit,
		none:    limit != nil && *limit <= float64(1e-9*b.size),
		hopeful: rises || limit != nil, late: !b.settled(),
	}
	if b.eta <= 0 {
		return s
	}
	s.Eta = number(b.eta)
	for k, j := range b.Use {
		e := b.trend(k, &s)
		if e != nil && (s.Exponent == nil || *e < *s.Exponent) {
			s.Exponent, s.Constraint = e, j+1
		}
	}
	if s.vanishes {
		s.Other = b.elsewhere()
	}
	return s
}

// trend returns the exponent of the margin at z of constraint k in use over the last
// decade. It says in s whether this margin vanishes, or whether that is not clear: in the
// limit there is no Slater point if any margin vanishes, even if another one is smaller now.
func (b *boundary) trend(k int, s *Slater) *float64 {
	decade, before := max(1, b.Horizon/10), max(1, b.Horizon/100)
	late := slope(b.at, b.margins[k], decade, b.Horizon)
	every := slope(b.at, b.rounds[k], decade, b.Horizon)
	switch early := slope(b.at, b.margins[k], before, decade); {
	case every != nil && *every >= -vanishing: // the margin of the single rounds stays
	case late == nil:
		s.unclear = true
	case *late >= -vanishing:
	case early == nil || *late > lasting**early, b.swings(k): // it levels off, or has come back before
		s.unclear = true
	default:
		s.vanishes = true
	}
	return late
}

// swings reports whether the margin at z of constraint k in use was about as small before the
// last decade as it is at T, from T/1000 on and after t_ε, so that its decay does not last.
func (b *boundary) swings(k int) bool {
	const decayed = 0.7943282347242815 // of a margin like t^{−vanishing} in a decade
	least := math.Inf(1)
	for i, t := range b.at {
		if t > b.burn && 1000*t >= b.Horizon && 10*t <= b.Horizon {
			least = min(least, b.margins[k][i])
		}
	}
	return b.margins[k][len(b.at)-1] > float64(decayed*least)
}

// elsewhere returns the largest margin at T at a sampled point where the margins of all
// constraints stay over the last decade, or nil.
func (b *boundary) elsewhere() *float64 {
	points := len(b.points.points)
	var most *float64
	for p := range points {
		least := math.Inf(1)
		for _, j := range b.Use {
			var margins []float64
			for _, row := range b.values {
				margins = append(margins, -row[j*points+p])
			}
			e := slope(b.at, margins, max(1, b.Horizon/10), b.Horizon)
			if least = min(least, margins[len(margins)-1]); e == nil || *e < -vanishing {
				least = 0
			}
		}
		if least > 0 && (most == nil || least > *most) {
			most = number(least)
		}
	}
	return most
}

// settled reports whether the averages at z were at most −η over the last decade, and the
// horizon is long enough to say so.
func (b *boundary) settled() bool { return 10*b.burn <= b.Horizon && b.Horizon >= shortest }

// vanishing is the exponent p up to which a margin that decays like t^{−p} counts as
// one that stays.
const vanishing = 0.1

// curves are the averages at z and at the best actions.
func (b *boundary) curves(bests []game.Best) []Curve {
	cs := []Curve{{Name: "slater", Y: numbers(b.worst)}}
	for k, best := range bests {
		if !best.Empty {
			cs = append(cs, Curve{Name: best.Set, Y: numbers(b.others[k])})
		}
	}
	return cs
}

func numbers(v []float64) []*float64 {
	out := make([]*float64, len(v))
	for k := range v {
		out[k] = number(v[k])
	}
	return out
}
