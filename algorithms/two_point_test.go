package algorithms

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/errtest"
)

// probe is a learner of two-point feedback that plays y and keeps what it is shown.
type probe struct {
	y     []float64
	ask   func(r convex.Round)
	value []float64   // of the loss and of each constraint
	grad  [][]float64 // at y
}

func (p *probe) Act(dst []float64) { copy(dst, p.y) }

// Observe implements [Learner].
func (p *probe) Observe(_ []float64, r convex.Round) error {
	p.value, p.grad = nil, nil
	for _, f := range append([]convex.Func{r.Loss}, r.Constraints...) {
		g := make([]float64, len(p.y))
		f.Subgrad(g, p.y)
		p.value, p.grad = append(p.value, f.Value(p.y)), append(p.grad, g)
	}
	if p.ask != nil {
		p.ask(r)
	}
	return nil
}

// withProbe starts a probe with two-point feedback.
func withProbe(t *testing.T, p *probe, set convex.Set, constraints int, seed uint64) (*twoPoint,
	Setup) {
	t.Helper()
	var told Setup
	a := Algorithm{Name: "probe", Feedback: FirstOrder, Anytime: true,
		New: func(_ any, s Setup) (Learner, error) {
			told = s
			return p, nil
		}}
	a, err := a.WithTwoPoint()
	if err != nil {
		t.Fatal(err)
	}
	l, err := a.Start(nil, Setup{Set: set, Constraints: constraints, Seed: seed,
		Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 2, Fixed: true, Slater: 3,
			Curvature: 4}})
	if err != nil {
		t.Fatal(err)
	}
	return l.(*twoPoint), told
}

// mustBox returns a box; an error ends the test.
func mustBox(t *testing.T, lower, upper []float64) *convex.Box {
	t.Helper()
	b, err := convex.NewBox(lower, upper)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// On D = [−1, 3], c = 1 and r = 2. In round 1 ξ = 1/2, δ = 1, and y = 3 is played as
// x = 1 + ½·2 = 2, with the points 3 and 1 whatever the sign of u. Of f = x² these are 9
// and 1: the value is 5 and the gradient ½·1/2·8 = 2, which is that of (1 + (y−1)/2)² at
// 3. In round 2 ξ = 1/3, δ = 2/3 and x = 1 + ⅔·2 = 7/3: the points are 3 and 5/3. Of
// g = 2x − 1 these are 5 and 7/3: 11/3, and ⅔·1/(4/3)·8/3 = 4/3.
func TestTwoPointByHandOnALine(t *testing.T) {
	p := &probe{y: []float64{3}}
	l, told := withProbe(t, p, mustBox(t, []float64{-1}, []float64{3}), 1, 1)
	if told.Facts.LossLipschitz != 1 || told.Facts.ConstraintLipschitz != 2 {
		t.Errorf("on a line: got told %+v, want the Lipschitz constants of the functions, 1 and 2",
			told.Facts)
	}
	round := convex.Round{
		Loss:        &convex.HalfSquaredDistance{Weight: 2, Center: []float64{0}}, // x²
		Constraints: []convex.Func{&convex.Affine{A: []float64{2}, B: -1}},
	}
	x := make([]float64, 1)
	for _, want := range []struct{ x, f, df, g, dg float64 }{
		{2, 5, 2, 3, 1},
		{7. / 3, (9 + 25./9) / 2, 2. / 3 / (4. / 3) * (9 - 25./9), 11. / 3, 4. / 3},
	} {
		l.Act(x)
		if err := l.Observe(x, round); err != nil {
			t.Fatal(err)
		}
		got := []float64{x[0], p.value[0], p.grad[0][0], p.value[1], p.grad[1][0]}
		for k, w := range []float64{want.x, want.f, want.df, want.g, want.dg} {
			if math.Abs(got[k]-w) > 1e-14 {
				t.Errorf("x, f, ∂f, g, ∂g are %v, want %+v", got, want)
				break
			}
		}
	}
}

// twoPointDomains returns a domain of each kind, with a coordinate that is fixed.
func twoPointDomains(t *testing.T) map[string]convex.Set {
	ball, err := convex.NewBall([]float64{0.3, -0.2, 1}, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	simplex, err := convex.NewSimplex(4, 2)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]convex.Set{
		"line": mustBox(t, []float64{-1}, []float64{2}),
		"box":  mustBox(t, []float64{-1, 2, 0}, []float64{1, 2, 3}), "ball": ball, "simplex": simplex,
	}
}

// The ball is inside: its points in 2·10⁴ directions are in the domain, and some are
// on its boundary or, in a simplex, near it.
func TestInscribedBallIsInside(t *testing.T) {
	for name, set := range twoPointDomains(t) {
		ball, err := inscribedBall(set)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		u, x := make([]float64, set.Dim()), make([]float64, set.Dim())
		outside := false
		for range 20000 {
			ball.drawDirection(u, rng)
			if r := math.Abs(vec.Norm(u) - 1); r > 1e-14 {
				t.Fatalf("%s: got a direction of length 1 ± %v, want 1", name, r)
			}
			vec.AxpyTo(x, ball.radius, u, ball.center)
			if r := set.Residual(x); r > 1e-14 {
				t.Fatalf("%s: got %v, which is outside by %v, want a point of the set", name, x, r)
			}
			vec.AxpyTo(x, ball.radius*1.05, u, ball.center)
			outside = outside || set.Residual(x) > 1e-3*ball.radius
		}
		if !outside {
			t.Errorf("%s: got no point outside of a slightly larger ball, want the largest ball that is "+
				"inside", name)
		}
	}
}

// The mean of the estimates over directions is the gradient, within 5 standard errors,
// for an affine function and a quadratic one, whose gradient the smoothing leaves as it
// is. E‖p‖² = d‖∂f‖² for the affine one is the variance that the errors are computed
// from. Projected on the span, gradients of the simplex have no part across it.
func TestTwoPointIsUnbiased(t *testing.T) {
	const draws = 40000
	for name, set := range twoPointDomains(t) {
		n := set.Dim()
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		a := make([]float64, n)
		root := make([]float64, n*n)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		for i := range root {
			root[i] = rng.NormFloat64()
		}
		q := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for k := range n {
					q[i*n+j] += root[i*n+k] * root[j*n+k]
				}
			}
		}
		round := convex.Round{Loss: &convex.Affine{A: a, B: 0.5},
			Constraints: []convex.Func{&convex.Quadratic{Q: q, A: a}}}
		y := make([]float64, n)
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		set.Project(y, y)
		p := &probe{y: y}
		l, told := withProbe(t, p, set, 1, 9)
		if want := math.Sqrt(l.secondMoment()); told.Facts.LossLipschitz != want ||
			told.Facts.ConstraintLipschitz != 2*want || told.Facts.Fixed || told.Facts.Slater != 3 ||
			told.Facts.Curvature != 4 {
			t.Errorf("%s: got told %+v, want the Lipschitz constants %v and twice it, not fixed, the "+
				"margin 3 and the curvature 4", name, told.Facts, want)
		}
		x := make([]float64, n)
		sums := [2][]float64{make([]float64, n), make([]float64, n)}
		squares := 0.0
		for range draws {
			l.played = 2 // ξ = 1/4 in every draw
			l.Act(x)
			if err := l.Observe(x, round); err != nil {
				t.Fatal(err)
			}
			for k := range sums {
				vec.AddTo(sums[k], sums[k], p.grad[k])
			}
			squares += vec.Dot(p.grad[0], p.grad[0])
			if value := round.Loss.Value(x); math.Abs(p.value[0]-value) > 1e-12 {
				t.Fatalf("%s: the mean of two values of an affine function is %v, want %v", name, p.value[0],
					value)
			}
		}
		for k, f := range []convex.Func{round.Loss, round.Constraints[0]} {
			want := make([]float64, n)
			f.Subgrad(want, x)
			for i := range want {
				if l.fixed[i] {
					want[i] = 0
				}
			}
			if l.flat {
				mean := vec.Sum(want) / float64(n)
				for i := range want {
					want[i] -= mean
				}
			}
			vec.Scale(want, 0.75) // 1 − ξ
			// Of a quadratic function the difference over 2δ is ∂f·u, too. Each coordinate of
			// d(v·u)u has at most the second moment d²‖v‖²·E u_1²u_2² + … ≤ 3d‖v‖²/(d+2)·d.
			tolerance := 5 * math.Sqrt(3*l.dim*vec.Dot(want, want)/draws)
			for i := range want {
				if got := sums[k][i] / draws; math.Abs(got-want[i]) > tolerance {
					t.Errorf("%s: function %d: the mean gradient has the coordinate %v, want %v ± %v", name, k,
						got, want[i], tolerance)
				}
			}
			if k > 0 {
				continue
			}
			// E‖p‖² = d‖v‖², with the variance of ‖p‖² = d²(v·u)² at most that of its square, 3d²‖v‖⁴.
			second := l.dim * vec.Dot(want, want)
			if got, tolerance := squares/draws, 5*second*math.Sqrt(3./draws); math.Abs(got-
				second) > tolerance+1e-12 {
				t.Errorf("%s: E‖p‖² is %v, want %v ± %v", name, got, second, tolerance)
			}
			if second > l.secondMoment()*vec.Dot(want, want)*(1+1e-12) {
				t.Errorf("%s: got κ = %v, want at least d = %v", name, l.secondMoment(), l.dim)
			}
		}
	}
}

func TestTwoPointAnswersNothingElse(t *testing.T) {
	for text, ask := range map[string]func(r convex.Round){
		"known at the action": func(r convex.Round) { r.Loss.Value([]float64{0.1}) },
		"action of the learn": func(r convex.Round) {
			r.Constraints[0].Subgrad(make([]float64, 1), []float64{0.1})
		},
		"no normal form": func(r convex.Round) { convex.Lower(r.Loss, 1) },
	} {
		t.Run(text, func(t *testing.T) {
			p := &probe{y: []float64{0.5}, ask: ask}
			l, _ := withProbe(t, p, mustBox(t, []float64{-1}, []float64{1}), 1, 1)
			x := make([]float64, 1)
			l.Act(x)
			func() {
				defer func() {
					if v, ok := recover().(string); !ok || !strings.Contains(v, text) {
						t.Errorf("the panic is %q, want %q", v, text)
					}
				}()
				l.Observe(x, convex.Round{Loss: &convex.Affine{A: []float64{1}},
					Constraints: []convex.Func{&convex.Affine{A: []float64{1}}}})
			}()
		})
	}
}

func TestTwoPointIsOfFirstOrderFeedbackOnly(t *testing.T) {
	for _, a := range All {
		b, err := a.WithTwoPoint()
		if (err == nil) != (a.Feedback == FirstOrder) {
			t.Errorf("%s with feedback %s: got error %v, want one unless it is first-order", a.Name,
				a.Feedback, err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), a.Name) || !strings.Contains(err.Error(), string(a.Feedback)) {
				t.Errorf("got error %v, want one that names %s and %s", err, a.Name, a.Feedback)
			}
			continue
		}
		if !b.Draws || b.Feedback != TwoPoint || b.Anytime != a.Anytime ||
			len(b.Unmet(convex.Facts{Adaptive: true})) == 0 {
			t.Errorf("%s: got %+v, want one that draws, of two-point feedback, that needs rounds that do "+
				"not adapt", a.Name, b)
		}
		if _, err := b.WithTwoPoint(); err == nil {
			t.Errorf("%s: got two-point feedback twice, want an error", a.Name)
		}
		_, proven := b.Params.(interface{ TwoPointClaims() []Claim })
		if claims := b.ClaimsOf(b.Params); proven != (len(claims) > 0) {
			t.Errorf("%s: got claims %+v with two-point feedback, want those of its method TwoPointClaims",
				a.Name, claims)
		}
	}
	for _, set := range []convex.Set{mustBox(t, []float64{1, 2}, []float64{1, 2}),
		&convex.Simplex{N: 1, Scale: 1}} {
		a, err := ogd.WithTwoPoint()
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Start(a.Params, Setup{Set: set})
		errtest.Contains(t, err, "more than one point", "a domain of one point")
	}
}

// The bound of ogd holds in expectation against the best action in hindsight: the mean
// over 400 games, plus 4 standard errors, is below it at every power of two, on losses
// drawn beforehand that pull to all sides, on each domain. Its constants are those of
// the formula.
func TestTwoPointOGDKeepsItsBound(t *testing.T) {
	const games, rounds = 400, 512
	a, err := ogd.WithTwoPoint()
	if err != nil {
		t.Fatal(err)
	}
	c := a.ClaimsOf(a.Params)[0]
	// With G = 1 and Δ = 2, the line has κ = r = 1 and the ball κ = 9/2 and r = 1. The step is
	// 2/√κ, and F = 2.
	sphere, err := convex.NewBall([]float64{0, 0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []struct {
		set  convex.Set
		root float64
	}{{mustBox(t, []float64{-1}, []float64{1}), 1}, {sphere, math.Sqrt(4.5)}} {
		bound, err := c.Bound(Setup{Set: h.set, Horizon: 100, Facts: convex.Facts{LossLipschitz: 1}})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{1, 9, 100} {
			if got, want := bound(at), h.root*(3*math.Sqrt(float64(at))-
				1)+3*math.Log(float64(at+1)); math.Abs(got-want) > 1e-12*want {
				t.Errorf("the bound at %d is %v, want %v", at, got, want)
			}
		}
	}
	for name, set := range twoPointDomains(t) {
		n := set.Dim()
		rng := rand.New(rand.NewPCG(8, uint64(n)))
		losses := make([]*convex.Affine, rounds)
		for k := range losses {
			v := make([]float64, n)
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			vec.Scale(v, 1/vec.Norm(v))
			losses[k] = &convex.Affine{A: v}
		}
		setup := Setup{Set: set, Horizon: rounds, Facts: convex.Facts{LossLipschitz: 1}}
		bound, err := c.Bound(setup)
		if err != nil {
			t.Fatal(err)
		}
		var sum, squares [rounds]float64
		for game := range games {
			setup.Seed = uint64(game)
			l, err := a.Start(a.Params, setup)
			if err != nil {
				t.Fatal(err)
			}
			x, total, best := make([]float64, n), make([]float64, n), make([]float64, n)
			cost := 0.0
			for k, f := range losses {
				l.Act(x)
				cost += f.Value(x)
				if err := l.Observe(x, convex.Round{Loss: f}); err != nil {
					t.Fatal(err)
				}
				vec.Axpy(total, -1, f.A)
				regret := cost + set.Support(best, total)
				sum[k] += regret
				squares[k] += regret * regret
			}
		}
		for at := 1; at <= rounds; at *= 2 {
			mean := sum[at-1] / games
			high := mean + 4*math.Sqrt(max(0, squares[at-1]/games-mean*mean)/games)
			if b := bound(at); !(high <= b) {
				t.Errorf("%s: got a mean regret after %d rounds of up to %.3g, want at most %.3g", name, at,
					high, b)
			}
			if at == rounds && testing.Verbose() {
				t.Logf("%s: mean regret %.3g, bound %.3g", name, mean, bound(at))
			}
		}
	}
}
