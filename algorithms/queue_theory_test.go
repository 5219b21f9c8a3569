package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// The theorems of the algorithms with virtual queues, with their constants, on
// the registered problems that meet their assumptions. All bounds hold round
// by round, with no expectation; they are derived in the documents of the
// algorithms.

// measured is a game that was played.
type measured struct {
	where    string
	facts    convex.Facts
	diameter float64
	m        float64
	T        float64
	regret   float64 // against X^min
	soft     float64 // max_j Σ_t g_{t,j}(x_t)
	rise     float64 // V̄ = max_t V_t and Σ V_t of chen
	rises    float64
}

// M bounds ‖g_t(x)‖.
func (g measured) M() float64 { return math.Sqrt(g.m) * g.facts.ConstraintBound }

// problemSpec is a registered problem with parameters.
type problemSpec struct {
	name   string
	params any
}

func queueProblems() (list []problemSpec) {
	list = append(list,
		problemSpec{"decaying-frequency", problems.DecayingFrequencyParams{C: 1, Constraints: 1}},
		problemSpec{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.6, Constraints: 1}},
		problemSpec{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.9, Constraints: 2}},
		problemSpec{"shrinking", nil},
	)
	for _, s := range []problems.Space{
		{Dim: 1, Set: "box", Radius: 2}, {Dim: 2, Set: "box", Radius: 1},
		{Dim: 3, Set: "ball", Radius: 1}, {Dim: 3, Set: "simplex", Radius: 2},
	} {
		for k, kind := range []string{"affine", "quadratic", "norm"} {
			shapes := problems.Shapes{Constraints: 1 + k, Kind: kind, Margin: 0.25}
			losses := problems.Losses{LossNoise: 1, Curvature: float64(k)}
			list = append(list, problemSpec{"fixed",
				problems.FixedParams{Space: s, Shapes: shapes, Losses: losses}})
		}
		for k, noise := range []string{"iid", "drift", "periodic", "adversarial"} {
			shapes := problems.Shapes{Constraints: 1 + k%3, Kind: []string{"affine", "quadratic"}[k%2],
				Margin: 0.3}
			list = append(list, problemSpec{"perturbed",
				problems.PerturbedParams{Space: s, Shapes: shapes, Noise: noise, Amplitude: 0.05, Period: 10,
					Losses: problems.Losses{LossNoise: 1}}})
		}
		list = append(list, problemSpec{"iid",
			problems.IIDParams{Space: s, Constraints: s.Dim, Slack: 0.25, Margin: 0.1, Spread: 0.5,
				LossNoise: 1, Direction: "random"}})
	}
	return list
}

func (p problemSpec) stream(t testing.TB) problems.Stream { return p.seeded(t, 1) }

func (p problemSpec) seeded(t testing.TB, seed uint64) problems.Stream {
	t.Helper()
	for _, entry := range problems.All {
		if entry.Name == p.name {
			s, err := entry.New(p.params, rand.New(rand.NewPCG(seed, 4)))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatalf("no problem %q", p.name)
	return nil
}

// hindsightOf plays T rounds of a problem to nobody: the best fixed loss over
// X^min, and by how much constraints rise. ok is false where X^min is empty.
func (p problemSpec) hindsightOf(t testing.TB, T int) (best, rise, rises float64, ok bool) {
	t.Helper()
	s := p.stream(t)
	n := s.Set().Dim()
	program, loss := convex.NewProgram(s.Set()), convex.NewForm(n)
	last := make([]*convex.Form, s.Constraints())
	at := make([]float64, n)
	for i := 1; i <= T; i++ {
		r := s.Reveal(i, nil)
		r.Loss.AddTo(loss, 1)
		square := 0.0
		for j, g := range r.Constraints {
			form := convex.Lower(g, n)
			program.Constrain(form)
			if last[j] != nil { // bases cancel: what is left is affine
				diff := form.Clone()
				last[j].AddTo(diff, -1)
				up := math.Max(0, s.Set().Support(at, diff.Lin)+diff.Const)
				square += up * up
			}
			last[j] = form
		}
		rise = max(rise, math.Sqrt(square))
		rises += math.Sqrt(square)
	}
	sol, err := program.Minimize(at, loss)
	if err != nil {
		return 0, 0, 0, false
	}
	return sol.Value - sol.Gap, rise, rises, true
}

// measure plays a game of T rounds.
func (p problemSpec) measure(t testing.TB, name string, params any, T int) measured {
	t.Helper()
	s := p.stream(t)
	n := s.Set().Dim()
	g := measured{
		where: fmt.Sprintf("%s %+v on %s %+v, T=%d", name, params, p.name, p.params, T),
		facts: s.Facts(), diameter: s.Set().Diameter(), m: float64(s.Constraints()), T: float64(T),
	}
	setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts()}
	if !entry(t, name).Anytime {
		setup.Horizon = T
	}
	l := newLearner(t, name, params, setup)
	x, sums := make([]float64, n), make([]float64, s.Constraints())
	for i := 1; i <= T; i++ {
		r := s.Reveal(i, x)
		l.Act(x)
		g.regret += r.Loss.Value(x)
		for j, c := range r.Constraints {
			sums[j] += c.Value(x)
			g.soft = max(g.soft, 0)
		}
		if err := l.Observe(x, *r); err != nil {
			t.Fatalf("%s: round %d: %v", g.where, i, err)
		}
	}
	for _, v := range sums {
		g.soft = max(g.soft, v)
	}
	return g
}

// checkBounds plays an algorithm with some parameters on all problems that
// meet its assumptions, and compares with the bounds; one of +Inf says nothing.
func checkBounds(t *testing.T, name string, params []any,
	bounds func(g measured, params any) (regret, soft float64)) {
	t.Helper()
	t.Parallel()
	games := 0
	var tightest [2]float64
	var where [2]string
	for _, p := range queueProblems() {
		facts := p.stream(t).Facts()
		if unmet := entry(t, name).Unmet(facts); len(unmet) > 0 {
			continue
		}
		for _, T := range []int{30, 300, 1000} {
			best, rise, rises, ok := p.hindsightOf(t, T)
			if !ok {
				t.Fatalf("%v: X^min is empty", p)
			}
			for _, q := range params {
				g := p.measure(t, name, q, T)
				g.regret -= best
				g.rise, g.rises = rise, rises
				regret, soft := bounds(g, q)
				if g.regret > regret*(1+1e-9)+1e-9 {
					t.Errorf("%s: regret %v, the bound is %v", g.where, g.regret, regret)
				}
				if g.soft > soft*(1+1e-9)+1e-9 {
					t.Errorf("%s: violation %v, the bound is %v", g.where, g.soft, soft)
				}
				for k, v := range []float64{g.regret / regret, g.soft / soft} {
					if v > tightest[k] {
						tightest[k], where[k] = v, g.where
					}
				}
				games++
			}
		}
	}
	t.Logf("%d games; the bound of regret is met up to a factor %.3f (%s), that of violation up to "+
		"%.3f (%s)", games, tightest[0], where[0], tightest[1], where[1])
	if games == 0 {
		t.Error("no registered problem meets the assumptions")
	}
}

// dpp has the bounds of drift plus penalty: see [algorithms.DriftPlusPenalty].
type dpp struct {
	v, alpha, T float64
	G, lip, F   float64 // Lipschitz constants of losses and constraints, range of losses
	C, m        float64
	diameter    float64
	extra       float64 // bounds Σ_t Q_t·g_t(z)
}

// total bounds V·regret + ½‖Q_{T+1}‖².
func (b dpp) total() float64 {
	return b.alpha*b.diameter*b.diameter + b.T*b.v*b.v*b.G*b.G/(4*b.alpha) + b.T*b.C*b.C/2 + b.extra
}

func (b dpp) regretBound() float64 { return b.total() / b.v }

// soft bounds every Σ_t g_{t,j}(x_t).
func (b dpp) soft() float64 {
	queue := math.Sqrt(2 * (b.total() + b.v*b.F*b.T))
	moves := b.T * (b.v*b.G + math.Sqrt(b.m)*b.lip*queue) / (2 * b.alpha)
	return queue + b.lip*moves
}

func TestChenBounds(t *testing.T) {
	checkBounds(t, "chen", []any{
		algorithms.ChenParams{},
		algorithms.ChenParams{Step: 0.5},
		algorithms.ChenParams{DualStep: 0.02, Step: 0.05},
	}, func(g measured, params any) (float64, float64) {
		p := params.(algorithms.ChenParams)
		if p.Step == 0 {
			p.Step = math.Pow(g.T, -1./3)
		}
		if p.DualStep == 0 {
			p.DualStep = math.Pow(g.T, -1./3)
		}
		if g.rise >= g.facts.Slater {
			return math.Inf(1), math.Inf(1)
		}
		G, M, F := g.facts.LossLipschitz, g.M(), g.facts.LossRange
		per := (p.Step*G*G + p.DualStep*M*M) / 2
		theta := (F + per) / (g.facts.Slater - g.rise)
		lambda := math.Sqrt((theta+p.DualStep*M)*(theta+p.DualStep*M) +
			p.DualStep*g.diameter*g.diameter/p.Step)
		regret := g.diameter*g.diameter/(2*p.Step) + per*g.T + p.DualStep*M*M/2 + lambda*(M+g.rises)
		return regret, lambda / p.DualStep
	})
}

// The drift-plus-penalty argument itself, one round of it, for each algorithm:
// the inequalities of which the bounds above are sums, with what came about in
// place of constants, at random points z of the domain, feasible or not.
func TestDriftInequalities(t *testing.T) {
	t.Parallel()
	inequalities := []struct {
		name string
		path func(script) path
		// sides are those of round t, with z at the squared distances from and
		// to of x_t and x_{t+1}.
		sides func(r dualRound) (left, right float64)
	}{
		{"drift plus penalty", pathDrift(2, 6, nil), func(r dualRound) (float64, float64) {
			const v, alpha = 2, 6
			return v*r.loss + (square(r.next)-square(r.dual))/2,
				inner(r.dual, r.atZ) + alpha*r.nearer + v*v*r.grad2/(4*alpha) + square(r.linear)/2
		}},
		{"valls", pathValls(0.7, 0.5, nil), func(r dualRound) (float64, float64) {
			alpha := 0.7 / math.Sqrt(r.t)
			return r.loss + (square(r.next)-square(r.dual))/(2*alpha),
				inner(r.dual, r.atZ) + r.nearer/(2*alpha) + alpha*r.grad2/2 + alpha*square(r.atNext)/2
		}},
		{"chen", pathChen(0.4, 0.3, nil), func(r dualRound) (float64, float64) {
			const alpha = 0.4
			return r.loss + inner(r.next, r.atNext),
				inner(r.next, r.atZ) + r.nearer/(2*alpha) + alpha*r.grad2/2
		}},
		{"yi-2020", pathYi(0.5, 0.6, nil), func(r dualRound) (float64, float64) {
			alpha, beta, gamma := 0.5*math.Pow(r.t+1, -0.6), math.Pow(r.t+1, -0.6), math.Pow(r.t+1, -0.4)
			residual := make([]float64, len(r.dual))
			for j := range residual {
				residual[j] = r.linear[j] - beta*r.dual[j]
			}
			return r.loss + (square(r.next)-square(r.dual))/(2*gamma),
				inner(r.dual, r.atZ) - beta*square(r.dual) + gamma*square(residual)/2 + alpha*r.grad2/2 +
					r.nearer/(2*alpha)
		}},
	}
	for _, q := range inequalities {
		slack := math.Inf(1)
		queueGames(60, func(where string, s script) {
			p := q.path(s)
			if p.xs == nil { // not a game of the solver's
				return
			}
			rng := rand.New(rand.NewPCG(uint64(s.n), 21))
			for i, r := range s.rounds {
				x, next := p.xs[i], p.xs[i+1]
				for range 4 {
					z := randomPoint(s.set, rng, s.n)
					d := dualRound{
						t: float64(i + 1), dual: p.duals[i], next: p.duals[i+1],
						loss:   r.loss.value(x) - r.loss.value(z),
						grad2:  square(r.loss.gradient(x)),
						nearer: distance(z, x)*distance(z, x) - distance(z, next)*distance(z, next),
					}
					for _, c := range r.constraints {
						d.atZ = append(d.atZ, c.value(z))
						d.atNext = append(d.atNext, c.value(next))
						d.linear = append(d.linear, linearised(c, x, next))
					}
					left, right := q.sides(d)
					slack = min(slack, right-left)
					if left > right+1e-9*(1+math.Abs(right)) {
						t.Fatalf("%s on %s, round %d: %v > %v", q.name, where, i+1, left, right)
					}
				}
			}
		})
		t.Logf("%s: the least slack is %.2g", q.name, slack)
		if !(slack < 1e-3) {
			t.Errorf("%s: the inequality is never nearly met: least slack %v", q.name, slack)
		}
	}
}

// path is a game of a twin: its actions and the duals at the start of rounds.
type path struct{ xs, duals [][]float64 }

// dualRound is what a round's inequality is made of.
type dualRound struct {
	t                   float64
	dual, next          []float64 // at the start of the round and of the next
	loss                float64   // f_t(x_t) − f_t(z)
	grad2               float64   // ‖∂f_t(x_t)‖²
	nearer              float64   // ‖z − x_t‖² − ‖z − x_{t+1}‖²
	atZ, atNext, linear []float64 // g_t(z), g_t(x_{t+1}), and its tangent at x_t there
}

func square(v []float64) float64 { return inner(v, v) }

// randomPoint returns a point of the set, at its boundary more often than not.
func randomPoint(set convex.Set, rng *rand.Rand, n int) []float64 {
	v := uniformVector(rng, n)
	for i := range v {
		v[i] *= 2
	}
	return nearest(set, v)
}

// queueAlgorithms are the algorithms of this file with parameters at which
// their duals move within a few rounds.
var queueAlgorithms = []struct {
	name   string
	params any
	// scaled are the parameters that make up for losses times c² and
	// constraints times c, or nil where there are none.
	scaled func(c float64) any
}{
	{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{V: 2, Alpha: 5}),
		func(c float64) any {
			return driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{V: 2, Alpha: 5 * c * c})
		}},
	{"neely-yu", driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{V: 2, Alpha: 5}),
		func(c float64) any {
			return driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{V: 2, Alpha: 5 * c * c})
		}},
	{"liakopoulos", algorithms.LiakopoulosParams{Window: 1, Tradeoff: 0.5}, nil},
	{"yu-neely", algorithms.YuNeelyParams{Gamma: 1, Alpha: 5}, func(c float64) any {
		return algorithms.YuNeelyParams{Gamma: 1, Alpha: 5 * c * c}
	}},
	{"valls", algorithms.VallsParams{Step: 0.5, Epsilon: 0.5}, nil},
	{"chen", algorithms.ChenParams{Step: 0.3, DualStep: 0.2}, func(c float64) any {
		return algorithms.ChenParams{Step: 0.3 / (c * c), DualStep: 0.2}
	}},
	{"yi-2020", algorithms.Yi2020Params{Step: 0.5, Kappa: 0.6}, func(c float64) any {
		return algorithms.Yi2020Params{Step: 0.5 / (c * c), Kappa: 0.6}
	}},
}

// Units: losses times c² and constraints times c multiply duals by c, and both
// of their terms in the step by c²: steps 1/c² as long undo it. Valls has one
// step for both: losses and constraints times c, the step by 1/c.
func TestQueueScaling(t *testing.T) {
	for _, a := range queueAlgorithms {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for _, kind := range []string{"affine", "curved"} {
				for _, c := range []float64{0.25, 3} {
					s := newScript(rand.New(rand.NewPCG(3, 9)), domain, kind, 3, 2, 60)
					loss, scaledParams := c*c, any(nil)
					switch {
					case a.name == "valls":
						loss, scaledParams = c, algorithms.VallsParams{Step: 0.5 / c, Epsilon: 0.5}
					case a.scaled == nil:
						continue
					default:
						scaledParams = a.scaled(c)
					}
					other := s
					other.rounds = nil
					for _, r := range s.rounds {
						other.rounds = append(other.rounds, twinRound{real: scaledRound(r.real, s.n, loss, c)})
					}
					want := actions(t, newLearner(t, a.name, a.params, s.horizon()), s)
					agree(t, fmt.Sprintf("%s on %s/%s times %v", a.name, domain, kind, c),
						newLearner(t, a.name, scaledParams, s.horizon()), other, want, 1e-8)
				}
			}
		}
	}
}

// Duals react: the same game with constraints turned round, or twice as steep,
// is played differently, but for its first two actions perhaps.
func TestQueuesMoveActions(t *testing.T) {
	for _, a := range queueAlgorithms {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for n := 2; n <= 4; n++ {
				for m := 1; m <= 3; m++ {
					s := newScript(rand.New(rand.NewPCG(uint64(n), uint64(m))), domain, "affine", n, m, 60)
					for _, r := range s.rounds { // violated more often than not
						for _, g := range r.real.Constraints {
							g.(*convex.Affine).B += 0.6
						}
					}
					if err := reactsToConstraints(s, func() algorithms.Learner {
						return newLearner(t, a.name, a.params, s.horizon())
					}); err != nil {
						t.Errorf("%s on %s/n=%d/m=%d: %v", a.name, domain, n, m, err)
					}
					// A learner whose duals stay at 0 is found out.
					if err := reactsToConstraints(s, func() algorithms.Learner {
						return blind{newLearner(t, a.name, a.params, s.horizon())}
					}); err == nil {
						t.Errorf("%s on %s/n=%d/m=%d with duals that do not move passes", a.name, domain, n, m)
					}
				}
			}
		}
	}
}

// blind shows its learner constraints that are 0.
type blind struct{ algorithms.Learner }

func (l blind) Observe(x []float64, r convex.Round) error {
	zero := affine(0, make([]float64, len(x))...)
	hidden := convex.Round{Loss: r.Loss}
	for range r.Constraints {
		hidden.Constraints = append(hidden.Constraints, zero)
	}
	return l.Learner.Observe(x, hidden)
}

func reactsToConstraints(s script, start func() algorithms.Learner) error {
	play := func(factor float64) (xs [][]float64, err error) {
		l := start()
		for _, r := range s.rounds {
			x := make([]float64, s.n)
			l.Act(x)
			xs = append(xs, x)
			if err := l.Observe(x, scaledRound(r.real, s.n, 1, factor)); err != nil {
				return nil, err
			}
		}
		return xs, nil
	}
	want, err := play(1)
	if err != nil {
		return err
	}
	for _, factor := range []float64{-1, 2} {
		got, err := play(factor)
		if err != nil {
			return err
		}
		apart := 0
		for i := range want {
			if distance(want[i], got[i]) > 1e-3 {
				apart++
			}
		}
		if apart < len(want)/4 {
			return fmt.Errorf("constraints times %v change %d of %d actions", factor, apart, len(want))
		}
	}
	return nil
}

// What a problem does not declare is asked for by the name of the parameter.
func TestQueueAlgorithmsAskForConstants(t *testing.T) {
	s := algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 2, Horizon: 10}
	for name, want := range map[string]string{
		"yu-neely": "set beta", "valls": "set step", "yi-2020": "set lipschitz",
	} {
		_, err := entry(t, name).Start(entry(t, name).Params, s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s without facts: the error is %v, want one that says %q", name, err, want)
		}
	}
	for _, a := range queueAlgorithms {
		if _, err := entry(t, a.name).Start(a.params, s); err != nil {
			t.Errorf("%s with %+v: %v", a.name, a.params, err)
		}
	}
}
