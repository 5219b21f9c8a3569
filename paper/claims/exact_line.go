package claims

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
)

// exactLine holds a sequence of rounds on an interval D. In its constraints a·x + b, a and b are
// small integers, so that sums, and ties of averages, are exact.
type exactLine struct {
	lo, hi int64     // the ends of D
	slope  [][]int64 // slope[i][j] and shift[i][j] are a and b of constraint j in round i+1
	shift  [][]int64
	loss   []int64 // the losses are −loss·x
}

// fraction is num/den with den > 0.
type fraction struct{ num, den int64 }

// less reports whether q < r, exactly.
func (q fraction) less(r fraction) bool { return q.num*r.den < r.num*q.den }

// float returns the float64 next to q, up to rounding.
func (q fraction) float() float64 { return float64(q.num) / float64(q.den) }

// prefix holds the sums and the set X̂^max of an [exactLine] after t rounds.
type prefix struct {
	sums   [][2]int64 // (Σa, Σb) after every round so far, m entries a round, one a constraint
	rounds []int64    // rounds[k] is the number of rounds that sums[k] adds up
	lo, hi fraction   // X̂^max, if lo ≤ hi
	line   *exactLine
	t      int
}

// newPrefix returns the prefix of no rounds.
func (p *exactLine) newPrefix() *prefix {
	return &prefix{lo: fraction{p.lo, 1}, hi: fraction{p.hi, 1}, line: p}
}

// next adds a round.
func (p *prefix) next() {
	m := len(p.line.slope[p.t])
	for j := range m {
		var sum [2]int64
		if p.t > 0 {
			sum = p.sums[len(p.sums)-m] // of the same constraint, one round earlier
		}
		sum[0] += p.line.slope[p.t][j]
		sum[1] += p.line.shift[p.t][j]
		p.sums = append(p.sums, sum)
		p.rounds = append(p.rounds, int64(p.t+1))
		switch root := (fraction{-sum[1], sum[0]}); {
		case sum[0] > 0:
			if root.less(p.hi) {
				p.hi = root
			}
		case sum[0] < 0:
			if root = (fraction{sum[1], -sum[0]}); p.lo.less(root) {
				p.lo = root
			}
		case sum[1] > 0:
			p.lo, p.hi = fraction{1, 1}, fraction{0, 1} // a positive constant: the set is empty
		}
	}
	p.t++
}

// empty reports whether X̂^max is empty.
func (p *prefix) empty() bool { return p.hi.less(p.lo) }

// activeAt returns the number of averages that are ≥ 0 at x.
func (p *prefix) activeAt(x fraction) int {
	k := 0
	for _, s := range p.sums {
		if s[0]*x.num+s[1]*x.den >= 0 {
			k++
		}
	}
	return k
}

// boundaryKind says which boundary of X̂^max is meant: the whole one, or the boundary relative to
// D, without the ends of D.
type boundaryKind int

const (
	wholeBoundary boundaryKind = iota
	relativeBoundary
)

// boundary returns the ends of X̂^max that belong to the boundary of that kind.
func (p *prefix) boundary(kind boundaryKind) []fraction {
	if p.empty() {
		return nil
	}
	var ends []fraction
	if kind == wholeBoundary || (fraction{p.line.lo, 1}).less(p.lo) {
		ends = append(ends, p.lo)
	}
	if kind == wholeBoundary || p.hi.less(fraction{p.line.hi, 1}) {
		ends = append(ends, p.hi)
	}
	return ends
}

// leastActive returns k_t, the least number of averages that are ≥ 0 at a point of the boundary of
// that kind. ok is false if there is no such point.
func (p *prefix) leastActive(kind boundaryKind) (k int, ok bool) {
	for _, x := range p.boundary(kind) {
		if active := p.activeAt(x); !ok || active < k {
			k, ok = active, true
		}
	}
	return k, ok
}

// margin returns the largest η such that all averages are ≤ −η at x.
func (p *prefix) margin(x fraction) float64 {
	eta := math.Inf(1)
	for i, s := range p.sums {
		eta = min(eta, -float64(s[0]*x.num+s[1]*x.den)/float64(x.den*p.rounds[i]))
	}
	return eta
}

// slaterPoint returns the point of the grid of quarters in D with the largest margin, and that
// margin.
func (p *prefix) slaterPoint() (z fraction, eta float64) {
	eta = math.Inf(-1)
	for n := 4 * p.line.lo; n <= 4*p.line.hi; n++ {
		if m := p.margin(fraction{n, 4}); m > eta {
			z, eta = fraction{n, 4}, m
		}
	}
	return z, eta
}

// drawTied draws a line of m constraints whose averages tie: a pattern of up to four rounds
// recurs, each with slopes from 1 to 3, or for the second constraint their negatives, so
// that all averages of whole patterns are the same function.
func drawTied(rng *rand.Rand, m, rounds int) *exactLine {
	p := &exactLine{lo: -4, hi: 4}
	period := 1 + rng.IntN(4)
	var slope, shift [][]int64
	for range period {
		a, b := make([]int64, m), make([]int64, m)
		for j := range m {
			a[j], b[j] = 1+rng.Int64N(3), -rng.Int64N(6)
			if j%2 == 1 {
				a[j] = -a[j]
			}
		}
		slope, shift = append(slope, a), append(shift, b)
	}
	for i := range rounds {
		p.slope, p.shift = append(p.slope, slope[i%period]), append(p.shift, shift[i%period])
		p.loss = append(p.loss, rng.Int64N(4))
	}
	return p
}

// stream returns a stream that reveals the rounds from the first one on.
func (p *exactLine) stream() *scripted {
	m := len(p.slope[0])
	s := newScripted(convex.Cube(1, float64(p.lo), float64(p.hi)), m,
		func(t int, _ []float64) *convex.Round {
			r := &convex.Round{Loss: affine(0, -float64(p.loss[t-1]))}
			for j, slope := range p.slope[t-1] {
				r.Constraints = append(r.Constraints, affine(float64(p.shift[t-1][j]), float64(slope)))
			}
			return r
		})
	s.Declared = convex.Facts{Diameter: float64(p.hi - p.lo), Affine: true, Deterministic: true}
	return s
}
