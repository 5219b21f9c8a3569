package algorithms_test

import (
	"math"
	"ocobench/algorithms"
	"ocobench/convex"
	"slices"
	"testing"
)

// Bounds know no units, where steps and weights come from what the problem declares. In another
// unit of length, in which the domain is s times as large and slopes are 1/s of what they were, the
// functions have the same values, and the bounds are the same. In another unit of losses and
// constraints they are as many times as large, and squares of violations as many times twice. The
// others have steps or weights in units of their own.
func TestBoundsKnowNoUnits(t *testing.T) {
	lengths := []string{"chen", "liakopoulos", "mahdavi", "mahdavi-mirror-prox",
		"mahdavi-zero-violation", "neely-yu", "penalised-ftrl", "primal-dual-average", "sun",
		"valls", "yu-lee-lee", "yu-neely", "yu-neely-wei"}
	values := []string{"chen", "coldq", "liakopoulos", "mahdavi-mirror-prox", "neely-yu",
		"penalised-ftrl", "primal-dual-average", "yi-2020", "yu-lee-lee", "yu-neely", "yu-neely-wei"}
	m := algorithms.Motion{Path: 7, Variation: 20, Rise: 30, Steepest: 0.1}
	for k := range 4 {
		base := plainSetup()
		base.Horizon, base.Facts.Fixed, base.Facts.Affine = 1<<20, k&1 > 0, k&2 > 0
		for _, c := range []struct {
			length, unit float64
			without      []string
		}{{0.125, 1, lengths}, {64, 1, lengths}, {1, 0.25, values}, {1, 32, values}} {
			scaled, moved := inUnits(base, m, c.length, c.unit)
			for _, a := range algorithms.All {
				differ, stated := 0, 0
				for _, claim := range a.ClaimsOf(a.Params) {
					if !claim.Proven() {
						continue
					}
					unit := c.unit
					if claim.Metric == algorithms.SquaredViolation {
						unit *= c.unit
					}
					want, err := claim.Limit(base)
					got, failed := claim.Limit(scaled)
					if err == nil || failed == nil {
						stated++
					}
					if (err == nil) != (failed == nil) {
						differ++
						t.Logf("%s, %s, %+v: errors %v and %v", a.Name, claim.Metric, c, err, failed)
					}
					for _, i := range []int{1, 100, 1 << 20} {
						if err != nil || failed != nil {
							break
						}
						if u, v := want(i, m)*unit, got(i, moved); math.Abs(u-v) > 1e-9*u {
							differ++
							t.Logf("%s, %s, %+v: %v, want %v", a.Name, claim.Metric, c, v, u)
						}
					}
				}
				if stated > 0 && (differ > 0) != slices.Contains(c.without, a.Name) {
					t.Errorf("%s with lengths times %v and values times %v: got %d other bounds, want some "+
						"only of %v", a.Name, c.length, c.unit, differ, c.without)
				}
			}
		}
	}
}

// inUnits returns a problem and how it moves with other units of length and of values.
func inUnits(s algorithms.Setup, m algorithms.Motion, length, unit float64) (algorithms.Setup,
	algorithms.Motion) {
	s.Set = convex.Cube(1, -length, length)
	f := &s.Facts
	f.Diameter *= length
	f.LossLipschitz *= unit / length
	f.ConstraintLipschitz *= unit / length
	f.Curvature *= unit / length / length
	for _, v := range []*float64{&f.LossRange, &f.ConstraintBound, &f.Slater, &m.Variation, &m.Rise,
		&m.Steepest} {
		*v *= unit
	}
	m.Path *= length
	return s, m
}
