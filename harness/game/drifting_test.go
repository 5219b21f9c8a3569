package game

import (
	"math"
	"testing"

	"ocobench/convex/vec"
	"ocobench/harness/harnesstest"
)

// The problem drifting knows its best actions. What Moving finds round by round has their
// path, their losses and, as the constraints change by numbers, their variation.
func TestMovingOnDrifting(t *testing.T) {
	for _, settings := range []string{
		"p=0.5", "p=0", "p=1,speed=1,orbit=1,constraints=1", "p=0.75,dim=5,constraints=3,radius=3",
		"p=0.5,loss=affine", "p=1,loss=affine,dim=3,constraints=5,orbit=0.9,pull=2",
		"p=0.25,dim=10,constraints=10,pull=0.1",
	} {
		for seed := range uint64(2) {
			s := harnesstest.StartSeed(t, "drifting:"+settings, seed)
			knows := s.(interface{ Best(dst []float64) })
			n := s.Set().Dim()
			m := NewMoving(s)
			now, last := make([]float64, n), make([]float64, n)
			shifts := make([]float64, s.Constraints())
			value, path, variation := 0.0, 0.0, 0.0
			for i := 1; i <= 300; i++ {
				r := s.Reveal(i, nil)
				if err := m.Round(i, nil, r); err != nil {
					t.Fatal(err)
				}
				knows.Best(now)
				value += r.Loss.Value(now)
				largest := 0.0
				for j, g := range r.Constraints {
					shift := g.Value(make([]float64, n))
					largest = max(largest, math.Abs(shift-shifts[j]))
					shifts[j] = shift
				}
				if i > 1 {
					path, variation = path+vec.Dist(now, last), variation+largest
				}
				copy(last, now)
				for _, c := range []struct {
					name      string
					got, want float64
				}{{"the sum of losses", m.Value, value}, {"the path", m.Path, path},
					{"the variation", m.Variation, variation}} {
					if math.Abs(c.got-c.want) > 1e-9*float64(i) || math.IsNaN(c.got) {
						t.Fatalf("%s, seed %d, round %d: %s is %v, want %v", settings, seed, i, c.name, c.got, c.want)
					}
				}
			}
			if m.Empty != 0 || m.Residual > 1e-9 {
				t.Errorf("%s: round %d is empty, or the residual %v too large", settings, m.Empty, m.Residual)
			}
		}
	}
}
