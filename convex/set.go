package convex

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Set is the convex and bounded domain D of the actions: a [Box], a [Ball] or a
// [Simplex]. Its methods but Clone do not allocate. They panic if the length of an
// argument is not Dim. Sets do not change, so that goroutines may share them.
type Set interface {
	// Dim is the dimension n of the space.
	Dim() int
	// Project writes Π(x), the point of the set nearest to x, to dst, which
	// may be x itself.
	Project(dst, x []float64)
	// Support writes to dst a point of the set at which dir·x is largest and
	// returns that largest value. dst may not be dir.
	Support(dst, dir []float64) float64
	// Diameter is the largest distance between two points of the set.
	Diameter() float64
	// Residual is 0 if x is in the set, and otherwise the largest violation of
	// one of the set's inequalities.
	Residual(x []float64) float64
	// Clone returns a copy that shares no memory.
	Clone() Set

	// domain returns the set with its inequalities.
	domain() quadprog.Domain
}

// Box is {x : Lower ≤ x ≤ Upper}, coordinate by coordinate.
type Box struct{ Lower, Upper []float64 }

// NewBox returns the box with these bounds. It is an error if they are empty,
// of different lengths or not finite, or if a lower bound exceeds its upper bound.
func NewBox(lower, upper []float64) (*Box, error) {
	if len(lower) == 0 || len(lower) != len(upper) {
		return nil, fmt.Errorf("a box needs as many lower as upper bounds, and at least one: got %d "+
			"and %d", len(lower), len(upper))
	}
	for i := range lower {
		if !finite(lower[i]) || !finite(upper[i]) {
			return nil, fmt.Errorf("a box needs finite bounds: coordinate %d has [%v, %v]", i+1, lower[i],
				upper[i])
		}
		if lower[i] > upper[i] {
			return nil, fmt.Errorf("a box needs lower ≤ upper: coordinate %d has lower %v > upper %v", i+1,
				lower[i], upper[i])
		}
	}
	return &Box{slices.Clone(lower), slices.Clone(upper)}, nil
}

// Cube returns the box [lower, upper]^n. It panics where [NewBox] fails.
func Cube(n int, lower, upper float64) *Box {
	b, err := NewBox(slices.Repeat([]float64{lower}, n), slices.Repeat([]float64{upper}, n))
	if err != nil {
		panic("convex: " + err.Error())
	}
	return b
}

// Dim implements [Set].
func (b *Box) Dim() int { return len(b.Lower) }

// Project implements [Set].
func (b *Box) Project(dst, x []float64) {
	checkLen("dst", len(dst), b.Dim())
	checkLen("x", len(x), b.Dim())
	lower, upper := b.Lower[:len(x)], b.Upper[:len(x)]
	dst = dst[:len(x)]
	if len(x) == 1 { // a branch hides the latency of min and max
		v := x[0]
		if v < lower[0] {
			v = lower[0]
		} else if v > upper[0] {
			v = upper[0]
		}
		dst[0] = v
		return
	}
	for i, v := range x {
		dst[i] = min(max(v, lower[i]), upper[i])
	}
}

// Support implements [Set].
func (b *Box) Support(dst, dir []float64) float64 {
	checkLen("dst", len(dst), b.Dim())
	for i, d := range dir {
		dst[i] = b.Lower[i]
		if d > 0 {
			dst[i] = b.Upper[i]
		}
	}
	return vec.Dot(dst, dir)
}

// Diameter implements [Set].
func (b *Box) Diameter() float64 { return vec.Dist(b.Upper, b.Lower) }

// Residual implements [Set].
func (b *Box) Residual(x []float64) float64 {
	checkLen("x", len(x), b.Dim())
	lower, upper := b.Lower[:len(x)], b.Upper[:len(x)]
	r := 0.0
	for i, v := range x {
		if !(lower[i] <= v && v <= upper[i]) {
			r = max(r, v-upper[i], lower[i]-v)
		}
	}
	return r
}

// Clone implements [Set].
func (b *Box) Clone() Set { return &Box{slices.Clone(b.Lower), slices.Clone(b.Upper)} }

// domain returns the set as quadprog needs it.
func (b *Box) domain() quadprog.Domain {
	return quadprog.Domain{Set: b, Lower: b.Lower, Upper: b.Upper}
}

// Ball is {x : ‖x − Center‖ ≤ Radius}.
type Ball struct {
	Center []float64
	Radius float64
}

// NewBall returns the ball with this centre and radius. It is an error if the
// centre is empty or not finite, or if the radius is not positive and finite.
func NewBall(center []float64, radius float64) (*Ball, error) {
	if len(center) == 0 {
		return nil, fmt.Errorf("a ball needs a centre with at least one coordinate")
	}
	for i, c := range center {
		if !finite(c) {
			return nil, fmt.Errorf("a ball needs a finite centre: coordinate %d is %v", i+1, c)
		}
	}
	if !(radius > 0) || !finite(radius) {
		return nil, fmt.Errorf("a ball needs a positive radius: got %v", radius)
	}
	return &Ball{slices.Clone(center), radius}, nil
}

// Dim implements [Set].
func (b *Ball) Dim() int { return len(b.Center) }

// Project implements [Set].
func (b *Ball) Project(dst, x []float64) {
	checkLen("dst", len(dst), b.Dim())
	d := vec.Dist(x, b.Center)
	if d <= b.Radius {
		copy(dst, x)
		return
	}
	for i, c := range b.Center { // the quotient first: Radius/d may be tiny
		dst[i] = c + float64(b.Radius*((x[i]-c)/d))
	}
}

// Support implements [Set].
func (b *Ball) Support(dst, dir []float64) float64 {
	checkLen("dst", len(dst), b.Dim())
	norm := vec.Norm(dir)
	copy(dst, b.Center)
	if norm > 0 {
		for i, d := range dir {
			dst[i] += float64(b.Radius * (d / norm))
		}
	}
	return vec.Dot(b.Center, dir) + float64(b.Radius*norm)
}

// Diameter implements [Set].
func (b *Ball) Diameter() float64 { return 2 * b.Radius }

// Residual implements [Set].
func (b *Ball) Residual(x []float64) float64 { return max(0, vec.Dist(x, b.Center)-b.Radius) }

// Clone implements [Set].
func (b *Ball) Clone() Set { return &Ball{slices.Clone(b.Center), b.Radius} }

// domain returns the set as quadprog needs it.
func (b *Ball) domain() quadprog.Domain {
	return quadprog.Domain{Set: b, Center: b.Center, Radius: b.Radius}
}

// Simplex is {x ≥ 0 : Σ x_i = Scale}.
type Simplex struct {
	N     int
	Scale float64
}

// NewSimplex returns the simplex of dimension n (n coordinates) and scale s.
// It is an error if n < 1 or if s is not positive and finite.
func NewSimplex(n int, s float64) (*Simplex, error) {
	if n < 1 {
		return nil, fmt.Errorf("a simplex needs at least one coordinate: got %d", n)
	}
	if !(s > 0) || !finite(s) {
		return nil, fmt.Errorf("a simplex needs a positive scale: got %v", s)
	}
	return &Simplex{n, s}, nil
}

// Dim implements [Set].
func (s *Simplex) Dim() int { return s.N }

// Project implements [Set]. The projection is Π(x)_i = max(0, x_i − θ), where θ is
// such that the coordinates sum to Scale. The iteration begins at
// θ = max x − Scale. With the coordinates above θ as S, it repeats
//
//	θ ← (Σ_{i∈S} x_i − Scale)/|S|
//
// until S does not change. An iteration costs O(n). There are at most n of them,
// and usually few. Coordinates are relative to the largest one, so that large x do
// not lose digits. A point that is in the set up to rounding is returned with
// negative coordinates set to 0, and otherwise unchanged.
//
// Reference: Michelot, A finite algorithm for finding the projection of a point
// onto the canonical simplex of ℝⁿ, 1986.
func (s *Simplex) Project(dst, x []float64) {
	checkLen("dst", len(dst), s.N)
	checkLen("x", len(x), s.N)
	if s.Residual(x) <= float64(2e-16*s.Scale)*float64(s.N) {
		for i, v := range x {
			dst[i] = max(0, v)
		}
		return
	}
	largest := slices.Max(x)
	theta := -s.Scale
	for lastAbove := s.N + 1; ; {
		sum, above := 0.0, 0
		for _, v := range x {
			if v -= largest; v > theta {
				sum += v
				above++
			}
		}
		if above >= lastAbove {
			break
		}
		theta, lastAbove = (sum-s.Scale)/float64(above), above
	}
	for i, v := range x {
		dst[i] = max(0, v-largest-theta)
	}
	// A correction on the support reduces the error of the sum from the size
	// of the rounding errors of x to that of the rounding errors of Scale.
	total, support := 0.0, 0
	for _, v := range dst {
		total += v
		if v > 0 {
			support++
		}
	}
	shift := (s.Scale - total) / float64(support)
	for i, v := range dst {
		if v > 0 {
			dst[i] = max(0, v+shift)
		}
	}
}

// Support implements [Set].
func (s *Simplex) Support(dst, dir []float64) float64 {
	checkLen("dst", len(dst), s.N)
	best := 0
	for i, d := range dir {
		dst[i] = 0
		if d > dir[best] {
			best = i
		}
	}
	dst[best] = s.Scale
	return float64(s.Scale * dir[best])
}

// Diameter implements [Set].
func (s *Simplex) Diameter() float64 {
	if s.N == 1 {
		return 0
	}
	return math.Sqrt2 * s.Scale
}

// Residual implements [Set].
func (s *Simplex) Residual(x []float64) float64 {
	checkLen("x", len(x), s.N)
	r, sum := 0.0, 0.0
	for _, v := range x {
		r = max(r, -v)
		sum += v
	}
	return max(r, abs(sum-s.Scale))
}

// Clone implements [Set].
func (s *Simplex) Clone() Set { return &Simplex{s.N, s.Scale} }

// domain returns the set as quadprog needs it.
func (s *Simplex) domain() quadprog.Domain {
	return quadprog.Domain{Set: s, Scale: s.Scale}
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// bytesPerRow is how many bytes each inequality of the domain takes, in all tables together.
const bytesPerRow = 45

// Memory returns how many bytes a [Sum] or a [Program] over the set takes in n dimensions, before
// a function is added: 16n², and little for each inequality of the set. In a box or a simplex of
// 512 dimensions or more, only the k coordinates that are not at a bound count, with 16k²; k is
// not known before, and Memory is then an upper bound. A quadratic function takes 8n² more, and
// ‖x‖₁ four times 16n². In one dimension Memory is 0.
func Memory(set Set) int64 {
	domain := set.domain()
	n, rows := int64(set.Dim()), int64(domain.Rows())
	if n == 1 {
		return 0
	}
	return 16*n*n + bytesPerRow*rows
}

// magnitude returns the largest absolute value of a coordinate of a point of the set.
func magnitude(set Set) float64 {
	domain := set.domain()
	return domain.Magnitude()
}

// LargestDistance returns the largest distance of a point of a set from x, which is in the set. In
// a box or a simplex that point is a vertex. In a set of another kind the diameter bounds the
// distance. It takes O(n), and O(n²) for a simplex.
func LargestDistance(set Set, x []float64) float64 {
	switch set := set.(type) {
	case *Ball:
		return vec.Dist(set.Center, x) + set.Radius
	case *Box:
		toVertex := make([]float64, len(x))
		for i, v := range x {
			toVertex[i] = max(set.Upper[i]-v, v-set.Lower[i])
		}
		return vec.Norm(toVertex)
	case *Simplex:
		largest := 0.0
		vertex := make([]float64, len(x))
		for i := range vertex {
			vertex[i] = set.Scale
			largest = max(largest, vec.Dist(vertex, x))
			vertex[i] = 0
		}
		return largest
	}
	return set.Diameter()
}
