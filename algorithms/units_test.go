package algorithms_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// Bounds know no units, where steps and weights come from what the problem declares. In another
// unit of length, in which the domain is s times as large and slopes are 1/s of what they were, the
// functions have the same values, and the bounds are the same. In another unit of losses and
// constraints they are as many times as large, and squares of violations as many times twice. The
// others have steps or weights in units of their own.
func TestBoundsInOtherUnits(t *testing.T) {
	lengths := []string{"chen", "liakopoulos", "mahdavi", "mahdavi-mirror-prox",
		"mahdavi-zero-violation", "neely-yu", "penalised-ftrl", "primal-dual-average", "sun",
		"valls", "yu-lee-lee", "yu-neely", "yu-neely-wei"}
	values := []string{"chen", "coldq", "liakopoulos", "mahdavi-mirror-prox", "neely-yu",
		"penalised-ftrl", "primal-dual-average", "yi-2020", "yu-lee-lee", "yu-neely", "yu-neely-wei"}
	m := algorithms.Motion{Path: 7, Variation: 20, Rise: 30, Steepest: 0.1}
	for k := range 4 {
		base := plain()
		base.Horizon, base.Facts.Fixed, base.Facts.Affine = 1<<20, k&1 > 0, k&2 > 0
		for _, c := range []struct {
			length, unit float64
			without      []string
		}{{0.125, 1, lengths}, {64, 1, lengths}, {1, 0.25, values}, {1, 32, values}} {
			scaled, moved := inUnits(base, m, c.length, c.unit)
			for _, a := range algorithms.All {
				differ, stated := 0, 0
				for _, claim := range a.Claims {
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
					t.Errorf("%s with lengths times %v and values times %v: %d bounds are others", a.Name,
						c.length, c.unit, differ)
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

// Whoever lacks a constant says so before the game, or plays without it: no action is ever other
// than a point of the domain.
func TestLackingFactsAreSaid(t *testing.T) {
	drop := map[string]func(*convex.Facts){
		"nothing": func(*convex.Facts) {}, "all": func(f *convex.Facts) { *f = convex.Facts{} },
		"the slope of losses":      func(f *convex.Facts) { f.LossLipschitz = 0 },
		"the slope of constraints": func(f *convex.Facts) { f.ConstraintLipschitz = 0 },
		"both slopes":              func(f *convex.Facts) { f.LossLipschitz, f.ConstraintLipschitz = 0, 0 },
		"the range of losses":      func(f *convex.Facts) { f.LossRange = 0 },
		"the bound of constraints": func(f *convex.Facts) { f.ConstraintBound = 0 },
		"the Slater point":         func(f *convex.Facts) { f.Slater = 0 },
		"the curvature":            func(f *convex.Facts) { f.Curvature = 0 },
	}
	for what, drop := range drop {
		for _, a := range algorithms.All {
			s := plain()
			s.Horizon = 50
			drop(&s.Facts)
			l, err := a.Start(a.Params, s)
			if err != nil {
				if what == "nothing" {
					t.Errorf("%s: %v", a.Name, err)
				}
				continue
			}
			if l == nil {
				t.Errorf("%s without %s: there is neither a learner nor an error", a.Name, what)
				continue
			}
			rng := rand.New(rand.NewPCG(48, 1))
			x := make([]float64, 1)
			for i := 1; i <= s.Horizon; i++ {
				if l.Act(x); !(math.Abs(x[0]) <= 1+1e-12) {
					t.Errorf("%s without %s: x_%d = %v", a.Name, what, i, x)
					break
				}
				g := affine(-1-rng.Float64(), 1)
				if err := l.Observe(x, round(affine(0, rng.Float64()-0.7), g, affine(-2, -1))); err != nil {
					if !slices.Contains([]string{"polyak-feasibility"}, a.Name) {
						t.Errorf("%s without %s: round %d: %v", a.Name, what, i, err)
					}
					break
				}
			}
		}
	}
}
