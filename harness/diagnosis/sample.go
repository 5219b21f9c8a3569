package diagnosis

import (
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// sample has points of a domain: pairs of opposite points of its boundary, followed by
// pairs of other points.
type sample struct {
	points [][]float64
	ends   int // the number of points on the boundary
}

// newSample takes boundary points in the directions of up to four axes and, in more
// than one dimension, in four random directions.
func newSample(set convex.Set) sample {
	n := set.Dim()
	rng := rand.New(rand.NewPCG(20210901, 1))
	var s sample
	dir := make([]float64, n)
	add := func() {
		for range 2 {
			p := make([]float64, n)
			set.Support(p, dir)
			s.points = append(s.points, p)
			vec.Scale(dir, -1)
		}
	}
	const axes, draws, inner = 4, 4, 4
	for i := range min(n, axes) {
		clear(dir)
		dir[i] = 1
		add()
	}
	if n > 1 {
		for range draws {
			for i := range dir {
				dir[i] = float64(2*float64(rng.Float64())) - 1
			}
			add()
		}
	}
	s.ends = len(s.points)
	center := make([]float64, n)
	for _, p := range s.points[:s.ends] {
		vec.Axpy(center, 1/float64(s.ends), p)
	}
	for k := range inner {
		p := make([]float64, n)
		end := s.points[k%s.ends]
		share := rng.Float64()
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

// pair returns the pair of points of round t, in cyclic order.
func (s sample) pair(t int) (x, y int) {
	k := t % (len(s.points) / 2)
	return 2 * k, 2*k + 1
}
