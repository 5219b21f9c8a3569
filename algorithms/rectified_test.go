package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// The actions of [algorithms.Guo], [algorithms.COLDQ] and [algorithms.Yi2021]
// solve min w‖x−c‖² + Σ_j u_j[g_j(x)]₊ over D, those of
// [algorithms.VazeSinha] and [algorithms.FTRL] the same with u_j = ∞. byDual
// solves it for functions c_j + a_j·x + ½w_j‖x−z_j‖² by its dual: with
// multipliers μ_j in [0, u_j] the minimiser of the Lagrangian is
//
//	x(μ) = Π((2wc + Σ_j μ_j(w_jz_j − a_j)) / (2w + Σ_j μ_jw_j)),
//
// and g_j(x(μ)) falls as μ_j rises, also where the multipliers after j are best
// for it: bisection within bisection.
func byDual(set convex.Set, w float64, center []float64, gs []smooth, caps []float64) []float64 {
	mu := make([]float64, len(gs))
	at := func() []float64 {
		weight := 2 * w
		x := make([]float64, len(center))
		for i, c := range center {
			x[i] = 2 * w * c
		}
		for j, g := range gs {
			weight += mu[j] * g.w
			for i := range x {
				x[i] += mu[j] * (g.w*g.z[i] - g.a[i])
			}
		}
		for i := range x {
			x[i] /= weight
		}
		return nearestPoint(set, x)
	}
	var solve func(j int) []float64
	solve = func(j int) []float64 {
		if j == len(gs) {
			return at()
		}
		mu[j] = 0
		x := solve(j + 1)
		if gs[j].value(x) <= 0 {
			return x
		}
		lo, hi := 0.0, caps[j]
		if math.IsInf(hi, 1) {
			for hi = 1; ; hi *= 4 {
				if mu[j] = hi; gs[j].value(solve(j+1)) <= 0 {
					break
				}
			}
		} else if mu[j] = hi; gs[j].value(solve(j+1)) >= 0 {
			return solve(j + 1)
		}
		for range 64 {
			mu[j] = (lo + hi) / 2
			if gs[j].value(solve(j+1)) > 0 {
				lo = mu[j]
			} else {
				hi = mu[j]
			}
		}
		mu[j] = hi
		return solve(j + 1)
	}
	return solve(0)
}

// positivePart returns [v]₊.
func positivePart(v float64) float64 { return math.Max(0, v) }

// movedBy returns x + by·g.
func movedBy(x []float64, by float64, g []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] += by * g[i]
	}
	return y
}

// largestConstraint returns the constraint that is largest at x, with its value there.
func largestConstraint(gs []smooth, x []float64) (g smooth, value float64) {
	value = math.Inf(-1)
	for _, c := range gs {
		if v := c.value(x); v > value {
			g, value = c, v
		}
	}
	return g, value
}

// feasible moves the constraints of a script down, so that the middle of the
// domain satisfies all of them by at least 0.05.
func (s script) feasible() script {
	z := make([]float64, s.n)
	if simplex, ok := s.set.(*convex.Simplex); ok {
		z = slices.Repeat([]float64{simplex.Scale / float64(s.n)}, s.n)
	}
	s.rounds = slices.Clone(s.rounds)
	for i, r := range s.rounds {
		r.constraints, r.real.Constraints = slices.Clone(r.constraints), slices.Clone(r.real.Constraints)
		for j, g := range r.constraints {
			v := g.value(z)
			down := v + 0.05 + math.Abs(v)
			r.constraints[j].c -= down
			r.real.Constraints[j] = plusConstant(r.real.Constraints[j], s.n, -down)
		}
		s.rounds[i] = r
	}
	return s
}

// plusConstant returns f + c.
func plusConstant(f convex.Func, n int, c float64) *convex.Form {
	form := convex.NewForm(n)
	f.AddTo(form, 1)
	form.Const += c
	return form
}

// everyScript calls f for games on all domains with affine and curved
// constraints; tol is the accuracy to be had: rounding, or the root of the
// relative gap of a certificate.
func everyScript(rounds int, f func(where string, s script, tol float64)) {
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 4; n++ {
			for m := range 3 {
				for _, kind := range []string{"affine", "curved"} {
					tol, T := 1e-9, rounds
					if kind == "curved" && n > 1 {
						tol, T = 1e-4, rounds/4
					}
					rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
					f(fmt.Sprintf("%s/%s/n=%d/m=%d", domain, kind, n, m), newScript(rng, domain, kind, n, m, T),
						tol)
				}
			}
		}
	}
}

// rectifiedProblems returns problems of the registry in one to five dimensions, with one to three
// constraints. The curvature is that of the losses, where it can be chosen.
func rectifiedProblems(curvature float64) (list []testProblem) {
	losses := problems.Losses{LossNoise: 1, Curvature: curvature}
	for _, n := range []int{1, 2, 5} {
		for _, set := range []string{"box", "ball", "simplex"} {
			if n == 1 && set != "box" {
				continue
			}
			space := problems.Space{Dim: n, Set: set, Radius: 1}
			margin := 0.25
			if set == "simplex" {
				margin = 0.1
			}
			m := min(n, 3)
			list = append(list, testProblem{"fixed", problems.FixedParams{Space: space, Losses: losses,
				Shapes: problems.Shapes{Constraints: m, Kind: "affine", Margin: margin}}})
			if n == 2 {
				list = append(list, testProblem{"fixed", problems.FixedParams{Space: space, Losses: losses,
					Shapes: problems.Shapes{Constraints: m, Kind: "quadratic", Margin: margin}}})
			}
			for _, noise := range []string{"iid", "adversarial"} {
				list = append(list, testProblem{"perturbed",
					problems.PerturbedParams{Space: space, Losses: losses, Noise: noise, Amplitude: margin / 2,
						Period: 10,
						Shapes: problems.Shapes{Constraints: m, Kind: "affine", Margin: margin}}})
			}
			if curvature == 0 {
				list = append(list, testProblem{"iid", problems.IIDParams{
					Space: space, Constraints: m, Slack: margin, Margin: margin / 2, Spread: 0.5, LossNoise: 1,
					Direction: "random",
				}})
			}
		}
	}
	if curvature == 0 {
		list = append(list,
			testProblem{"shrinking", nil},
			testProblem{"decaying-frequency", problems.DecayingFrequencyParams{C: 1, Constraints: 1}},
			testProblem{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.5, Constraints: 2}})
	}
	return list
}

// setupOf returns what a learner knows of a stream.
func setupOf(s problems.Stream, horizon int) algorithms.Setup {
	return algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(),
		Horizon: horizon}
}

// programAccuracy is that of an action that is the solution of a
// [convex.Program]: it stops at a relative gap of 1e-14, and the action is as
// accurate as its root.
const programAccuracy = 2e-7

// wantNear checks actions like wantActions, up to a tolerance.
func wantNear(t *testing.T, got [][]float64, tol float64, want ...float64) {
	t.Helper()
	flat := slices.Concat(got...)
	if len(flat) != len(want) {
		t.Fatalf("%d numbers were played, %d were worked by hand", len(flat), len(want))
	}
	for k, v := range flat {
		if !(math.Abs(v-want[k]) <= tol) {
			t.Errorf("number %d is %v, by hand it is %v", k+1, v, want[k])
		}
	}
}
