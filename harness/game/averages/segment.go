package averages

import (
	"ocobench/convex"
	"ocobench/convex/vec"
)

// Segment holds the part in X̂^max of the segment from a point z at which all averages are
// negative to another point of D: x = z + λ(end − z), 0 ≤ λ ≤ Share. As averages are convex,
// their zero sets cut it once.
type Segment struct {
	Share float64 // the largest λ ≤ 1 in X̂^max
	// Cut reports whether the part ends on the boundary of X̂^max, and not only of D.
	Cut         bool
	z, along, x []float64
}

// NewSegment returns the whole segment from z to end.
func NewSegment(z, end []float64) *Segment {
	s := &Segment{Share: 1, z: z, along: make([]float64, len(z)), x: make([]float64, len(z))}
	vec.AxpyTo(s.along, -1, z, end)
	return s
}

// At returns the point at λ = share, which is valid until the next call of a method.
func (s *Segment) At(share float64) []float64 {
	vec.AxpyTo(s.x, share, s.along, s.z)
	return s.x
}

// Reset restores the whole segment.
func (s *Segment) Reset() { s.Share, s.Cut = 1, false }

// Shrink reduces the part to the points with f ≤ 0, for f convex and negative at z.
func (s *Segment) Shrink(f *convex.Form) {
	value := func(share float64) float64 { return f.Value(s.At(share)) }
	hi, vhi := s.Share, value(s.Share)
	if vhi <= 0 {
		return
	}
	s.Cut = true
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
	s.Share = lo
}
