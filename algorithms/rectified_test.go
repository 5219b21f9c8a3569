package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
		return nearest(set, x)
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

// against a grid: byDual is no worse than any point near to it.
func TestByDualIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, domain := range []string{"box", "ball", "simplex"} {
		for _, kind := range []string{"affine", "curved"} {
			for range 20 {
				s := newScript(rng, domain, kind, 2, 2, 1)
				gs, caps := s.rounds[0].constraints, []float64{3 * rng.Float64(), 3 * rng.Float64()}
				center := []float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
				value := func(x []float64) float64 {
					d := distance(x, center)
					return d*d + caps[0]*max(0, gs[0].value(x)) + caps[1]*max(0, gs[1].value(x))
				}
				x := byDual(s.set, 1, center, gs, caps)
				for range 200 {
					y := nearest(s.set, []float64{x[0] + 0.1*rng.NormFloat64(), x[1] + 0.1*rng.NormFloat64()})
					if d := distance(x, y); value(y) < value(x)+d*d-1e-12 { // it is 2-strongly convex
						t.Fatalf("%s/%s: value %v at %v, and %v at %v", domain, kind, value(x), x, value(y), y)
					}
				}
			}
		}
	}
}

func clip(v float64) float64 { return math.Max(0, v) }

func moved(x []float64, by float64, g []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] += by * g[i]
	}
	return y
}

// largest returns the constraint that is largest at x.
func largest(gs []smooth, x []float64) (g smooth, value float64) {
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
			r.real.Constraints[j] = plus(r.real.Constraints[j], s.n, -down)
		}
		s.rounds[i] = r
	}
	return s
}

func plus(f convex.Func, n int, c float64) *convex.Form {
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

// tally is what a game on a stream adds up to.
type tally struct {
	t      int
	facts  convex.Facts
	m      int
	regret float64 // against the best action of X^min
	hard   float64 // Σ_tΣ_j [g_{t,j}(x_t)]₊
	worst  float64 // Σ_t max_j [g_{t,j}(x_t)]₊
	top    float64 // Σ_t max_j g_{t,j}(x_t)
	next   float64 // Σ_tΣ_j [g_{t,j}(x_{t+1})]₊
	first  float64 // Σ_j [g_{1,j}(x_1)]₊
	rise   float64 // Σ_{t>1}Σ_j max_D [g_{t,j} − g_{t−1,j}]₊, of affine constraints
}

// bounds has the tallies of a game checked at its checkpoints.
type bounds func(t *testing.T, where string, v tally)

// playBounds plays a game and checks what it adds up to at the rounds given.
func playBounds(t *testing.T, where string, l algorithms.Learner, s problems.Stream, at []int,
	check bounds) {
	t.Helper()
	n := s.Set().Dim()
	v := tally{facts: s.Facts(), m: s.Constraints()}
	xmin, losses := convex.NewProgram(s.Set()), convex.NewForm(n)
	x, next, best := make([]float64, n), make([]float64, n), make([]float64, n)
	previous := make([]*convex.Form, v.m)
	total := 0.0
	for v.t = 1; v.t <= at[len(at)-1]; v.t++ {
		l.Act(x)
		r := s.Reveal(v.t, x)
		total += r.Loss.Value(x)
		r.Loss.AddTo(losses, 1)
		top := math.Inf(-1)
		for j, g := range r.Constraints {
			form := convex.Lower(g, n)
			xmin.Constrain(form)
			value := form.Value(x)
			top = max(top, value)
			v.hard += max(0, value)
			if v.t == 1 {
				v.first += max(0, value)
			} else if v.facts.Affine {
				v.rise += rise(s.Set(), form, previous[j])
			}
			previous[j] = form
		}
		v.worst += max(0, top)
		v.top += top
		if err := l.Observe(x, *r); err != nil {
			t.Errorf("%s: round %d: %v", where, v.t, err)
			return
		}
		l.Act(next)
		for _, g := range r.Constraints {
			v.next += max(0, g.Value(next))
		}
		if slices.Contains(at, v.t) {
			if _, err := xmin.Minimize(best, losses); err != nil {
				t.Errorf("%s: X^min after %d rounds: %v", where, v.t, err)
				return
			}
			v.regret = total - losses.Value(best)
			check(t, fmt.Sprintf("%s, t=%d", where, v.t), v)
		}
	}
}

// rise returns the most by which an affine constraint exceeds another one.
func rise(set convex.Set, f, g *convex.Form) float64 {
	d := convex.NewForm(f.Dim())
	for _, term := range []struct {
		f *convex.Form
		c float64
	}{{f, 1}, {g, -1}} {
		d.Const += term.c * term.f.Const
		for i, v := range term.f.Lin {
			d.Lin[i] += term.c * v
		}
		for _, b := range term.f.Terms {
			linear, _ := b.Basis.Expand(f.Dim())
			d.Const += term.c * b.Scale * linear.Const
			for i, v := range linear.Lin {
				d.Lin[i] += term.c * b.Scale * v
			}
		}
	}
	return max(0, d.Const+set.Support(make([]float64, f.Dim()), d.Lin))
}

// atMost checks a bound and keeps how near it was met.
type atMost struct {
	kind    string
	nearest float64
	where   string
}

func (b *atMost) check(t *testing.T, where string, value, bound float64) {
	t.Helper()
	if !(value <= bound*(1+1e-9)+1e-9) {
		t.Errorf("%s: %s is %.6g, the bound is %.6g", where, b.kind, value, bound)
	}
	if value/bound > b.nearest {
		b.nearest, b.where = value/bound, where
	}
}

func (b *atMost) log(t *testing.T) {
	t.Logf("%s: up to %.3f of the bound, on %s", b.kind, b.nearest, b.where)
}

// stream starts a registered problem.
func stream(t testing.TB, name string, params any, seed uint64) problems.Stream {
	t.Helper()
	for _, p := range problems.All {
		if p.Name == name {
			s, err := p.New(params, rand.New(rand.NewPCG(seed, 5)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return s
		}
	}
	t.Fatalf("no problem %q", name)
	return nil
}

// venue is a registered problem with parameters, of a non-empty X^min.
type venue struct {
	name   string
	params any
}

func (a venue) String() string {
	return strings.ReplaceAll(fmt.Sprintf("%s%+v", a.name, a.params), "ocobench/", "")
}

// venues returns the registered problems in one to five dimensions, with one to
// three constraints; curvature is that of the losses, where it can be chosen.
func venues(curvature float64) (list []venue) {
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
			list = append(list, venue{"fixed", problems.FixedParams{Space: space, Losses: losses,
				Shapes: problems.Shapes{Constraints: m, Kind: "affine", Margin: margin}}})
			if n == 2 {
				list = append(list, venue{"fixed", problems.FixedParams{Space: space, Losses: losses,
					Shapes: problems.Shapes{Constraints: m, Kind: "quadratic", Margin: margin}}})
			}
			for _, noise := range []string{"iid", "adversarial"} {
				list = append(list, venue{"perturbed",
					problems.PerturbedParams{Space: space, Losses: losses, Noise: noise, Amplitude: margin / 2,
						Period: 10,
						Shapes: problems.Shapes{Constraints: m, Kind: "affine", Margin: margin}}})
			}
			if curvature == 0 {
				list = append(list, venue{"iid", problems.IIDParams{
					Space: space, Constraints: m, Slack: margin, Margin: margin / 2, Spread: 0.5, LossNoise: 1,
					Direction: "random",
				}})
			}
		}
	}
	if curvature == 0 {
		list = append(list,
			venue{"shrinking", nil},
			venue{"decaying-frequency", problems.DecayingFrequencyParams{C: 1, Constraints: 1}},
			venue{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.5, Constraints: 2}})
	}
	return list
}

// setupOf returns what a learner knows of a stream.
func setupOf(s problems.Stream, horizon int) algorithms.Setup {
	return algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(),
		Horizon: horizon}
}

// A queue remembers: two games differ by a constraint that is the constant 1
// in one and −1 in the other. While it is, no learner has a reason to play
// them differently, and none does. After that the games are the same, with
// losses too steep for a first charge to hold, and the queues alone tell them
// apart: the learner with the longer one violates less.
func TestQueuesRemember(t *testing.T) {
	const before, after = 20, 2
	for _, c := range []struct {
		name   string
		params any
	}{
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Scale: 1, Lambda: 0.2}},
		{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Curvature: 1, Weight: 5}},
		{"yu-lee-lee", algorithms.YuLeeLeeParams{
			Constants: algorithms.Constants{Lipschitz: 0.001, Bound: 0.1}, Constraint: "signed",
		}},
		{"yu-lee-lee", algorithms.YuLeeLeeParams{
			Constants: algorithms.Constants{Lipschitz: 0.001, Bound: 0.1}, Constraint: "clipped",
		}},
		{"guo", algorithms.GuoParams{Alpha: 1, Gamma: 0.3, Eta: 0.3, Epsilon: 0.01}},
		{"coldq", algorithms.COLDQParams{Alpha: 1, Epsilon: 0.001, Eta: 0.001}},
		{"yi-2021", algorithms.Yi2021Params{C: 0.5, Alpha0: 1, Gamma0: 0.3}},
	} {
		var actions [2][][]float64
		for k, constant := range []float64{1, -1} {
			l := newLearner(t, c.name, c.params,
				algorithms.Setup{Set: convex.Cube(2, -3, 3), Constraints: 1, Horizon: before + after})
			var rounds []convex.Round
			for i := range before + after {
				turn := math.Pow(-1, float64(i)) // the losses keep the action near the middle
				r := round(affine(0, turn, turn), affine(constant, 0, 0))
				if i >= before {
					r = round(affine(0, -3, 0), affine(1, 1, 0))
				}
				rounds = append(rounds, r)
			}
			actions[k] = played(t, l, 2, rounds...)
		}
		for i := range before + 1 {
			if !slices.Equal(actions[0][i], actions[1][i]) {
				t.Errorf("%s %+v: action %d is %v or %v, for constraints without a slope", c.name, c.params,
					i+1, actions[0][i], actions[1][i])
			}
		}
		long, short := actions[0][before+after], actions[1][before+after]
		t.Logf("%s: with a long queue %v, with a short one %v", c.name, long, short)
		if !(long[0] < short[0]-1e-6) {
			t.Errorf("%s %+v: with a long queue it goes to %v, with a short one to %v", c.name, c.params,
				long, short)
		}
	}
}

// scaled multiplies the losses and the constraints of a script.
func (s script) scaled(losses, constraints float64) script {
	s.rounds = slices.Clone(s.rounds)
	for i := range s.rounds {
		s.rounds[i].real = scaledRound(s.rounds[i].real, s.n, losses, constraints)
	}
	return s
}

// randomSigns draws 1 and −1.
func randomSigns(seed uint64) func() float64 {
	rng := rand.New(rand.NewPCG(seed, 77))
	return func() float64 { return float64(2*rng.IntN(2) - 1) }
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

// What a theorem needs and neither the problem declares nor the user sets is
// named by the error; set, it is not needed.
func TestRectifiedAskForConstants(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: 10}
	for _, c := range []struct {
		name   string
		facts  convex.Facts
		params any
		want   string // none: no error
	}{
		{"sinha-vaze", convex.Facts{}, nil, "set lipschitz"},
		{"sinha-vaze", convex.Facts{}, algorithms.SinhaVazeParams{Losses: "convex", Lipschitz: 1}, ""},
		{"sinha-vaze", convex.Facts{}, algorithms.SinhaVazeParams{Losses: "convex", Scale: 1}, ""},
		{"sinha-vaze", convex.Facts{LossLipschitz: 1},
			algorithms.SinhaVazeParams{Losses: "strongly-convex"}, "set curvature"},
		{"sinha-vaze", convex.Facts{Curvature: 1}, algorithms.SinhaVazeParams{Losses: "strongly-convex"},
			"set lipschitz"},
		{"sinha-vaze", convex.Facts{Curvature: 1},
			algorithms.SinhaVazeParams{Losses: "strongly-convex", Weight: 1}, ""},
		{"yu-lee-lee", convex.Facts{ConstraintBound: 1}, nil, "set lipschitz"},
		{"yu-lee-lee", convex.Facts{LossLipschitz: 1}, nil, "set bound"},
		{"guo", convex.Facts{ConstraintLipschitz: 1}, nil, "set lipschitz or alpha"},
		{"coldq", convex.Facts{ConstraintBound: 1}, nil, "set lipschitz or alpha"},
		{"coldq", convex.Facts{LossLipschitz: 1}, nil, "set epsilon"},
		{"coldq", convex.Facts{}, algorithms.COLDQParams{Alpha: 1, Epsilon: 1}, ""},
		{"yi-2021", convex.Facts{ConstraintLipschitz: 1}, algorithms.Yi2021Params{C: 0.5},
			"set lipschitz or alpha0"},
		{"yi-2021", convex.Facts{LossLipschitz: 1}, algorithms.Yi2021Params{C: 0.5},
			"set beta or gamma0"},
		{"yi-2021", convex.Facts{LossLipschitz: 1}, algorithms.Yi2021Params{C: 0.5, Beta: 1}, ""},
		{"vaze-sinha", convex.Facts{ConstraintLipschitz: 1}, nil, "set lipschitz or step"},
		{"vaze-sinha", convex.Facts{}, algorithms.VazeSinhaParams{Step: 1}, ""},
		{"ftrl", convex.Facts{ConstraintLipschitz: 1}, nil, "set lipschitz or kappa"},
		{"ftrl", convex.Facts{}, algorithms.FTRLParams{Kappa: 1}, ""},
	} {
		a := entry(t, c.name)
		if c.params == nil {
			c.params = a.Params
		}
		setup.Facts = c.facts
		_, err := a.Start(c.params, setup)
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %+v with %+v: the error is %v, want %q", c.name, c.params, c.facts, err, c.want)
		}
	}
}

// With doubling, the horizon is not asked for, and epochs of 1, 2, 4 and 8
// rounds are games of their own.
func TestRectifiedDoubling(t *testing.T) {
	s := newScript(rand.New(rand.NewPCG(5, 5)), "ball", "affine", 2, 2, 15)
	setup := s.setup()
	setup.Facts.ConstraintLipschitz, setup.Facts.ConstraintBound = 2, 1
	for name, params := range map[string]any{
		"sinha-vaze": algorithms.SinhaVazeParams{
			Losses: "convex", Epochs: algorithms.Epochs{Doubling: true},
		},
		"coldq":   algorithms.COLDQParams{Epochs: algorithms.Epochs{Doubling: true}},
		"yi-2021": algorithms.Yi2021Params{C: 0.5, Epochs: algorithms.Epochs{Doubling: true}},
	} {
		if !entry(t, name).AnytimeWith(params) {
			t.Errorf("%s is not anytime with doubling", name)
		}
		var want [][]float64
		for length, from := 1, 0; from < len(s.rounds); from, length = from+length, 2*length {
			epoch := s
			epoch.rounds = s.rounds[from : from+length]
			setup := setup
			setup.Horizon = length
			want = append(want, actions(t, newLearner(t, name, nil, setup), epoch)[:length]...)
		}
		agree(t, name, newLearner(t, name, params, setup), s, want, 1e-12)
	}
}
