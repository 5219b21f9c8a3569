package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
)

// boundary is the observer that evaluates the averages at the Slater point, and finds
// the points where segments from there leave X̂^max_τ.
type boundary struct {
	*measurement
	use      []int
	z        []float64
	eta      float64
	cum      []*convex.Form
	segments []*segment

	burn    int       // t_ε
	uniform float64   // the largest average at z, of all τ
	least   []float64 // by constraint in use: min over the rounds of −g_{i,j}(z)
	pull    float64   // max over i and y of ∇f_i(z)·(z−y)
	// at the checkpoints
	worst  []float64   // max_j a_{τ,j}(z)
	others [][]float64 // by best action: max_j a_{τ,j} there
	// by constraint in use: −a_{τ,j}(z), and min over i ≤ τ of −g_{i,j}(z)
	margins, rounds [][]float64

	grad, scratch []float64
}

// segment is the segment from z to a point of the boundary of D: x = z + λ·along.
type segment struct {
	along []float64
	x     []float64
	// share is the largest λ ≤ 1 with x in X̂^max_τ. cut tells that the end of the
	// segment is on the boundary of X̂^max_τ, and not only of D.
	share float64
	cut   bool
	// share at the checkpoints, NaN without cut
	shares []float64
}

// to returns the point at λ = share.
func (r *segment) to(z []float64, share float64) []float64 {
	vec.AxpyTo(r.x, share, r.along, z)
	return r.x
}

func newBoundary(m *measurement, use []int, z []float64, eta float64) *boundary {
	n := len(z)
	b := &boundary{
		measurement: m, use: use, z: z, eta: eta,
		uniform: math.Inf(-1), pull: math.Inf(-1),
		grad: make([]float64, n), scratch: make([]float64, n),
	}
	for range use {
		b.cum, b.least = append(b.cum, convex.NewForm(n)), append(b.least, math.Inf(1))
	}
	b.margins, b.rounds = make([][]float64, len(use)), make([][]float64, len(use))
	// The segments end at the minimiser of the average loss, at the sampled points of
	// the boundary of D, and where the affine averages at T are largest.
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
		if _, ok := highest(m.set, m.forms[len(m.forms)-1][use[k]], p); ok {
			ends = append(ends, p)
		}
	}
	for _, p := range ends {
		if vec.Dist(p, z) > float64(1e-9*m.set.Diameter()) {
			r := &segment{along: make([]float64, n), x: make([]float64, n), share: 1}
			vec.AxpyTo(r.along, -1, z, p)
			b.segments = append(b.segments, r)
		}
	}
	b.others = make([][]float64, len(m.bests))
	return b
}

// Round implements [harness.Observer].
func (b *boundary) Round(t int, _ []float64, r *convex.Round) error {
	r.Loss.Subgrad(b.grad, b.z)
	here := vec.Dot(b.grad, b.z)
	vec.Scale(b.grad, -1)
	b.pull = max(b.pull, here+b.set.Support(b.scratch, b.grad))
	inv, worst := float64(t), math.Inf(-1)
	for k, j := range b.use {
		g := r.Constraints[j]
		b.least[k] = min(b.least[k], -g.Value(b.z))
		g.AddTo(b.cum[k], 1)
		worst = max(worst, b.cum[k].Value(b.z)/inv)
	}
	if b.uniform = max(b.uniform, worst); worst > -b.eta {
		b.burn = t
		for _, segment := range b.segments {
			segment.share, segment.cut = 1, false
		}
	} else {
		for _, segment := range b.segments {
			for _, f := range b.cum {
				b.shrink(segment, f)
			}
		}
	}
	if t != b.at[len(b.worst)] {
		return nil
	}
	b.worst = append(b.worst, worst)
	for k, f := range b.cum {
		b.margins[k] = append(b.margins[k], -f.Value(b.z)/inv)
		b.rounds[k] = append(b.rounds[k], b.least[k])
	}
	for _, segment := range b.segments {
		share := math.NaN()
		if segment.cut {
			share = segment.share
		}
		segment.shares = append(segment.shares, share)
	}
	for k, best := range b.bests {
		if best.Empty {
			continue
		}
		v := math.Inf(-1)
		for _, f := range b.cum {
			v = max(v, f.Value(best.Action)/inv)
		}
		b.others[k] = append(b.others[k], v)
	}
	return nil
}

// shrink shortens a segment to the part with f ≤ 0, for f convex and negative at z.
func (b *boundary) shrink(r *segment, f *convex.Form) {
	value := func(share float64) float64 { return f.Value(r.to(b.z, share)) }
	hi, vhi := r.share, value(r.share)
	if vhi <= 0 {
		return
	}
	r.cut = true
	lo, vlo := 0.0, value(0)
	// A convex function is not positive at the zero of its chord. This zero is the
	// root if the function is affine, and before the root otherwise; the interval is
	// then halved too.
	for vlo < 0 && hi-lo > float64(1e-15*hi) {
		chord := lo + float64((hi-lo)*(vlo/(vlo-vhi)))
		v := value(chord)
		if lo == chord || v >= 0 {
			lo = chord
			break
		}
		lo, vlo = chord, v
		mid := lo + float64((hi-lo)/2)
		if v := value(mid); v > 0 {
			hi, vhi = mid, v
		} else {
			lo, vlo = mid, v
		}
	}
	r.share = lo
}

// slater returns the measurement at z. In the limit there is no Slater point if the
// margin of any constraint vanishes, even if another margin is smaller now. The largest
// margin in the limit is nil if it is not known.
func (b *boundary) slater(limit *float64, rises bool) Slater {
	s := Slater{
		Verdict: Fails, Point: b.z, Margin: number(-b.worst[len(b.worst)-1]), Burn: b.burn,
		Uniform: number(-b.uniform), Round: number(slices.Min(b.least)), Limit: limit,
	}
	none := limit != nil && *limit <= float64(1e-9*b.size)
	if b.eta <= 0 {
		if !none && (rises || limit != nil || b.Horizon < shortest) {
			s.Verdict = Open
		}
		return s
	}
	s.Eta = number(b.eta)
	decade, before := max(1, b.Horizon/10), max(1, b.Horizon/100)
	short, vanishes, levels := false, false, false
	for k := range b.use {
		e, every := slope(b.at, b.margins[k], decade, b.Horizon), slope(b.at, b.rounds[k], decade, b.Horizon)
		if e != nil && (s.Exponent == nil || *e < *s.Exponent) {
			s.Exponent, s.Constraint = e, b.use[k]+1
		}
		switch early := slope(b.at, b.margins[k], before, decade); {
		case every != nil && *every >= -vanishing: // the margin of the single rounds stays
		case e == nil:
			short = true
		case *e >= -vanishing:
		case early == nil || *e > lasting**early:
			levels = true
		default:
			vanishes = true
		}
	}
	if vanishes {
		s.Other = b.elsewhere()
	}
	switch {
	case none || vanishes && limit == nil && s.Other == nil && b.Horizon >= long:
	case vanishes && s.Other == nil || short || levels || !b.settled():
		s.Verdict = Open
	default:
		s.Verdict = Holds
	}
	return s
}

// elsewhere returns the largest margin at T at a sampled point where the margins of all
// constraints stay over the last decade, or nil.
func (b *boundary) elsewhere() *float64 {
	points := len(b.points.points)
	var most *float64
	for p := range points {
		least := math.Inf(1)
		for _, j := range b.use {
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

// settled tells whether the averages at z were at most −η over the last decade.
func (b *boundary) settled() bool { return 10*b.burn <= b.Horizon && b.Horizon >= shortest }

// vanishing is the exponent p up to which a margin that decays like t^{−p} counts as
// one that stays.
const vanishing = 0.1

// curves are the averages at z and at the best actions.
func (b *boundary) curves(bests []harness.Best) []Curve {
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

// count is the observer that counts the active averages at points of the boundary of
// X̂^max_τ.
type count struct {
	*boundary
	epsilon float64
	cum     []*convex.Form
	next    int // checkpoint
	points  []*point
	ends    [][]float64 // z and the ends of the segments in X̂^max_T
	facets  []facets    // by constraint in use; nil in one dimension
	early   bool        // an average up to t_ε is positive at an end
	active  []int       // k_τ at the checkpoints, or −1
	lower   []int       // lower bounds of it, or −1
}

// point is a point of the boundary of X̂^max_τ at the checkpoints from, …, to.
type point struct {
	x        []float64
	from, to int
	active   int
	ties     int // active ones for the lower bound
}

func newCount(m *measurement, b *boundary) *count {
	c := &count{boundary: b, epsilon: m.Epsilon, ends: [][]float64{b.z}}
	if c.epsilon == 0 {
		c.epsilon = b.eta / 10
	}
	for range b.use {
		c.cum = append(c.cum, convex.NewForm(len(b.z)))
	}
	if len(b.z) > 1 {
		c.facets = make([]facets, len(b.use))
	}
	for _, r := range b.segments {
		c.ends = append(c.ends, slices.Clone(r.to(b.z, r.share)))
		for k, share := range r.shares {
			switch {
			case math.IsNaN(share) || m.at[k] <= b.burn:
			case k > 0 && share == r.shares[k-1] && len(c.points) > 0 && c.points[len(c.points)-1].to == k-1:
				c.points[len(c.points)-1].to = k
			default:
				p := &point{x: make([]float64, len(b.z)), from: k, to: k}
				copy(p.x, r.to(b.z, share))
				c.points = append(c.points, p)
			}
		}
	}
	return c
}

// Round implements [harness.Observer].
func (c *count) Round(t int, _ []float64, r *convex.Round) error {
	for k, j := range c.use {
		r.Constraints[j].AddTo(c.cum[k], 1)
		if c.facets != nil {
			c.facets[k].add(c.set, c.cum[k], c.scratch, float64(1e-13*float64(t)))
		}
	}
	// |a| ≤ ε/√t, times t, plus the rounding error of sums.
	tie := float64(1e-13 * float64(t))
	most := float64(c.epsilon*math.Sqrt(float64(t))) + tie
	if c.Epsilon > 0 {
		tie = most
	}
	for _, p := range c.points {
		if p.to < c.next || t <= c.burn {
			continue
		}
		for _, f := range c.cum {
			v := math.Abs(f.Value(p.x))
			if v <= most {
				p.active++
			}
			if v <= tie {
				p.ties++
			}
		}
	}
	if t <= c.burn && !c.early {
		for _, x := range c.ends {
			c.early = c.early || slices.ContainsFunc(c.cum, func(f *convex.Form) bool { return f.Value(x) > tie })
		}
	}
	if t != c.at[c.next] {
		return nil
	}
	least, lower := -1, -1
	for _, p := range c.points {
		if p.from <= c.next && c.next <= p.to && (least < 0 || p.active < least) {
			least = p.active
		}
		if p.from <= c.next && c.next <= p.to && (lower < 0 || p.ties < lower) {
			lower = p.ties
		}
	}
	for k, f := range c.facets {
		if v := f.least(); k == 0 || v >= 0 && (lower < 0 || v < lower) {
			lower = v
		}
	}
	c.active, c.lower = append(c.active, least), append(c.lower, lower)
	c.next++
	return nil
}

// growth returns the growth of k_τ. It holds by the lower bound, and fails by the count
// at the points.
func (c *count) growth() (Growth, Curve) {
	g := Growth{Verdict: Open, Epsilon: number(c.epsilon), Early: c.early, Tolerant: c.Epsilon > 0 && len(c.z) == 1}
	curve := Curve{Name: "active", Y: make([]*float64, len(c.at))}
	last, lower := c.active[len(c.active)-1], c.lower[len(c.lower)-1]
	g.Vacuous = last < 0
	switch {
	case !g.Vacuous:
		g.Count = &last
	case lower < 0 && !c.early && c.settled():
		g.Verdict = Holds
	}
	if lower >= 0 {
		g.Lower = &lower
	}
	from := max(c.burn+1, c.Horizon/100)
	var k, least []float64
	for q, v := range c.active {
		k, least = append(k, float64(v)), append(least, float64(c.lower[q]))
		if v >= 0 {
			curve.Y[q] = number(float64(v))
		}
		if max(v, c.lower[q]) < 0 { // no average is active yet
			from = max(from, c.at[q]+1)
		}
	}
	if max(last, lower) < 0 {
		return g, curve
	}
	decade := max(from, c.Horizon/10)
	g.Exponent = slope(c.at, k, from, c.Horizon)
	late, shown := slope(c.at, k, decade, c.Horizon), slope(c.at, least, from, c.Horizon)
	switch {
	case !c.settled():
	case shown != nil && *shown >= linear && !c.early:
		g.Verdict, g.Exponent, k = Holds, shown, least
	case g.Exponent != nil && late != nil && max(*g.Exponent, *late) <= sublinear && c.Horizon >= long:
		g.Verdict = Fails
	}
	ratio := math.Inf(1)
	for q, t := range c.at {
		if t < from {
			continue
		}
		if g.From == 0 {
			g.From = t
		}
		ratio = min(ratio, k[q]/float64(t))
	}
	g.Beta = number(c.eta * ratio)
	return g, curve
}

// Growth like t^p counts as linear from the first p on, and as slower up to the second.
const linear, sublinear = 0.95, 0.85
