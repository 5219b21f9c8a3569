package game

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/long"
	"ocobench/internal/race"
)

// least returns about where the convex function f of one variable is least on
// [lo, hi], by golden sections.
func least(f func(float64) float64, lo, hi float64) float64 {
	r := (math.Sqrt(5) - 1) / 2
	a, b := hi-r*(hi-lo), lo+r*(hi-lo)
	fa, fb := f(a), f(b)
	for hi-lo > 1e-11 {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - r*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + r*(hi-lo)
			fb = f(b)
		}
	}
	return (lo + hi) / 2
}

// sublevel returns the ends of {u in [lo, hi] : c(u) ≤ 0}, of a convex c, and
// whether there are any.
func sublevel(c func(float64) float64, lo, hi float64) (float64, float64, bool) {
	inside := least(c, lo, hi)
	for _, end := range []float64{lo, hi} { // where the least is there
		if c(end) <= c(inside) {
			inside = end
		}
	}
	if c(inside) > 0 {
		return 0, 0, false
	}
	edge := func(out float64) float64 {
		if c(out) <= 0 {
			return out
		}
		in := inside
		for range 50 {
			if m := (in + out) / 2; c(m) <= 0 {
				in = m
			} else {
				out = m
			}
		}
		return in
	}
	return edge(lo), edge(hi), true
}

// nested is the least value of the convex f over {x in D : c(x) ≤ 0} in the
// plane, by searches within searches, which need no derivatives and look at
// nothing but values. D is the unit ball or [−1, 1]².
func nested(ball bool, f, c func(x []float64) float64) float64 {
	column := func(u float64) (lo, hi float64, ok bool) {
		half := 1.0
		if ball {
			half = math.Sqrt(max(0, 1-u*u))
		}
		return sublevel(func(v float64) float64 { return c([]float64{u, v}) }, -half, half)
	}
	// The least constraint in a column.
	depth := func(u float64) float64 {
		half := 1.0
		if ball {
			half = math.Sqrt(max(0, 1-u*u))
		}
		g := func(v float64) float64 { return c([]float64{u, v}) }
		return min(g(least(g, -half, half)), g(-half), g(half))
	}
	lo, hi, ok := sublevel(depth, -1, 1)
	if !ok {
		return math.Inf(1)
	}
	value := func(u float64) float64 {
		a, b, ok := column(u)
		if !ok {
			return math.Inf(1)
		}
		g := func(v float64) float64 { return f([]float64{u, v}) }
		return min(g(least(g, a, b)), g(a), g(b))
	}
	return min(value(least(value, lo, hi)), value(lo), value(hi))
}

// curvedFuncs makes functions of one kind, not affine: with f(0) = −margin.
func curvedFuncs(kind string, rng *rand.Rand) func(margin float64) convex.Func {
	u := func() float64 { return 2*rng.Float64() - 1 }
	at := func(b *convex.Basis, margin float64) convex.Func {
		return &convex.Shifted{Base: b, Shift: -b.Value([]float64{0, 0}) - margin}
	}
	once := func(make func() convex.Evaluator) func(float64) convex.Func {
		return func(margin float64) convex.Func { return at(convex.NewBasis(make()), margin) }
	}
	switch kind {
	case "log":
		return once(func() convex.Evaluator {
			return &convex.Ridge{Curve: convex.NegLog{}, Weight: 1 + rng.Float64(),
				A: []float64{u() * 0.7, u() * 0.7}, B: 1.5}
		})
	case "separable log":
		return once(func() convex.Evaluator {
			return &convex.Separable{Curve: convex.NegLog{}, Weight: 1,
				Rate: []float64{rng.Float64(), rng.Float64()}, Offset: 1.25}
		})
	case "exp":
		return once(func() convex.Evaluator {
			return &convex.Ridge{Curve: convex.Exp{}, Weight: 1, A: []float64{2 * u(), 2 * u()}}
		})
	case "logistic":
		return once(func() convex.Evaluator {
			a, b := 3*u(), 3*u()
			return &harnesstest.Opaque{
				F: func(x []float64) float64 { return math.Log1p(math.Exp(a*x[0] + b*x[1])) },
				Grad: func(dst, x []float64) {
					p := 1 / (1 + math.Exp(-a*x[0]-b*x[1]))
					dst[0], dst[1] = p*a, p*b
				},
			}
		})
	case "norm":
		return once(func() convex.Evaluator {
			return &convex.Distance{Weight: 1 + rng.Float64(), Center: []float64{u() / 2, u() / 2}}
		})
	case "ℓ1":
		return once(func() convex.Evaluator {
			a, b := u()/2, u()/2
			return &harnesstest.Opaque{
				F: func(x []float64) float64 { return math.Abs(x[0]-a) + math.Abs(x[1]-b) },
				Grad: func(dst, x []float64) {
					dst[0], dst[1] = math.Copysign(1, x[0]-a), math.Copysign(1, x[1]-b)
				},
			}
		})
	case "quadratic":
		return func(margin float64) convex.Func {
			a, b, s := u(), u(), rng.Float64()
			return &convex.Quadratic{Q: []float64{2*a*a + s, 2 * a * b, 2 * a * b, 2*b*b + s},
				A: []float64{u(), u()}, B: -margin}
		}
	case "squares":
		return func(margin float64) convex.Func {
			f := &convex.HalfSquaredDistance{Weight: 1 + rng.Float64(), Center: []float64{u() / 2, u() / 2}}
			f.Offset = -f.Value([]float64{0, 0}) - margin
			return f
		}
	case "family of norms", "family of logs":
		// Three functions, each of which comes back: sums of few bases.
		var three []*convex.Basis
		for range 3 {
			var f convex.Evaluator = &convex.Distance{
				Weight: 1, Center: []float64{u() / 2, u() / 2}, Offset: -0.9,
			}
			if kind == "family of logs" {
				f = &convex.Shifted{Base: convex.NewBasis(
					&convex.Ridge{Curve: convex.NegLog{}, Weight: 1, A: []float64{u() * 0.7, u() * 0.7}, B: 1.5}),
					Shift: 0.25}
			}
			three = append(three, convex.NewBasis(f))
		}
		return func(float64) convex.Func { return three[rng.IntN(3)] }
	}
	panic(kind)
}

// Curved losses and constraints of every kind (logarithms, exponentials, norms,
// quadratics; new every round, or few that come back; smooth, or with kinks)
// are solved over every set: against searches that look at values alone.
func TestHindsightOfCurvedFunctions(t *testing.T) { long.Run(t, testHindsightOfCurvedFunctions) }

func testHindsightOfCurvedFunctions(t *testing.T, whole bool) {
	race.Alone(t)
	const T = 8
	losses := []string{"log", "separable log", "exp", "logistic", "norm", "ℓ1", "quadratic", "squares"}
	constraints := append(slices.Clip(losses), "family of norms", "family of logs")
	for i, kind := range constraints {
		for j, loss := range losses {
			if !whole && (i+j)%2 == 1 { // a sample has every loss and every constraint
				continue
			}
			name := fmt.Sprintf("%s under %s", loss, kind)
			seed := uint64(len(losses)*i + j)
			ball := seed%2 == 1
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(seed, 8))
				lose, limit := curvedFuncs(loss, rng), curvedFuncs(kind, rng)
				drift := []float64{rng.Float64(), -rng.Float64()}
				if seed%3 == 0 { // else the losses' own minimum, perhaps inside
					drift[0], drift[1] = 4*drift[0], 4*drift[1]
				}
				set := convex.Set(convex.Cube(2, -1, 1))
				if ball {
					set = &convex.Ball{Center: []float64{0, 0}, Radius: 1}
				}
				s := &harnesstest.Stream{Domain: set, Count: 1, Round: func(int, []float64) convex.Round {
					f := convex.Lower(lose(0), 2)
					(&convex.Affine{A: drift}).AddTo(f, 1)
					return convex.Round{Loss: f, Constraints: []convex.Func{limit(0.05 + 0.25*rng.Float64())}}
				}}
				h, rounds := NewHindsight(s), &lowered{n: 2}
				h.Window = 3
				if err := Play(context.Background(), nil, s, T, h, rounds); err != nil {
					t.Fatal(err)
				}
				bests, err := h.Solve()
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range bests {
					violation := func(x []float64) float64 {
						if b.Set == "xk" {
							return rounds.windows(3, x)
						}
						return rounds.violation(b.Set, x)
					}
					if b.Empty {
						t.Errorf("%s is said to be empty", b.Set)
						continue
					}
					unit := max(1, math.Abs(b.Value))
					want := nested(ball, rounds.loss, violation)
					if math.Abs(b.Value-want) > 1e-7*unit || b.Gap > 1e-9*unit || b.Value-b.Gap > want+1e-9*unit {
						t.Errorf("over %s the value is %v ± %v, the search finds %v", b.Set, b.Value, b.Gap, want)
					}
					if v := max(violation(b.Action), set.Residual(b.Action)); v > 1e-9 {
						t.Errorf("over %s the action violates a constraint by %v", b.Set, v)
					}
				}
			})
		}
	}
}
