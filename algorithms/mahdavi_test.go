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

// longTermSetup returns the setup of a script for learners that are told constants.
// They need not be true of the script to tell one formula from another.
func longTermSetup(s script) algorithms.Setup {
	return algorithms.Setup{
		Set: s.set, Constraints: s.m, Horizon: len(s.rounds),
		Facts: convex.Facts{LossLipschitz: 2, ConstraintLipschitz: 1.5, LossRange: 7, ConstraintBound: 3,
			Slater: 0.4, Curvature: 0.5},
	}
}

// longTermScripts plays scripts on all kinds of domains and constraints.
func longTermScripts(t *testing.T, domains, kinds []string, check func(where string, s script)) {
	t.Helper()
	for _, domain := range domains {
		for _, kind := range kinds {
			for n := 1; n <= 4; n++ {
				for m := range 4 {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
					check(fmt.Sprintf("%s/%s/n=%d/m=%d", domain, kind, n, m),
						newScript(rng, domain, kind, n, m, 250))
				}
			}
		}
	}
}

var (
	domainKinds     = []string{"box", "ball", "simplex"}
	constraintKinds = []string{"affine", "curved", "perturbed", "norm"}
)

// worstOf returns the index of the largest constraint of a round at x.
func worstOf(r twinRound, x []float64) (j int) {
	for k, g := range r.constraints {
		if g.value(x) > r.constraints[j].value(x) {
			j = k
		}
	}
	return j
}

func twinMahdavi(eta, delta float64, x0 []float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearest(s.set, x0)}
		lambda := make([]float64, s.m)
		for t, r := range s.rounds {
			x := xs[t]
			p := r.loss.gradient(x)
			for j, g := range r.constraints {
				for i, d := range g.gradient(x) {
					p[i] += lambda[j] * d
				}
			}
			for j, g := range r.constraints {
				lambda[j] = math.Max(0, lambda[j]+eta*(g.value(x)-eta*delta*lambda[j]))
			}
			xs = append(xs, descend(s.set, x, eta, p))
		}
		return xs
	}
}

func TestMahdaviTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		setup := longTermSetup(s)
		x0 := slices.Repeat([]float64{0.4}, s.n)
		m, T := float64(s.m), float64(len(s.rounds))
		R := farthest(s.set, nearest(s.set, x0))
		a := R * math.Sqrt((m+1)*2*2+2*m*3*3)
		eta := 0.
		if R > 0 {
			eta = R * R / (a * math.Sqrt(T))
		}
		agree(t, where, newLearner(t, "mahdavi",
			algorithms.MahdaviParams{FirstAction: algorithms.FirstAction{X0: x0[:1]}}, setup), s,
			twinMahdavi(eta, 2*(m+1)*2*2, x0)(s), 1e-9)
		p := algorithms.MahdaviParams{Step: 0.1, Damping: 0.7,
			FirstAction: algorithms.FirstAction{X0: x0[:1]}}
		agree(t, where, newLearner(t, "mahdavi", p, setup), s, twinMahdavi(0.1, 0.7, x0)(s), 1e-9)
	})
}

// longTerm is what a game on a problem came to.
type longTerm struct {
	loss   float64
	most   float64   // Σ_t max f_t, where losses are linear
	signed []float64 // Σ_t g_{t,j}(x_t)
	worst  float64   // Σ_t max_j g_{t,j}(x_t)
	best   float64   // a lower bound of the least Σ_t f_t(u) over the comparators
	empty  bool      // there are no comparators
}

// squares returns Σ_j [S_j]₊².
func (g longTerm) squares() (sum float64) {
	for _, s := range g.signed {
		sum += math.Pow(math.Max(0, s), 2)
	}
	return sum
}

// deaf keeps constraints from its learner: it hands it 0 ≤ 0 instead.
type deaf struct{ algorithms.Learner }

func (l deaf) Observe(x []float64, r convex.Round) error {
	silent := convex.Round{Loss: r.Loss}
	for range r.Constraints {
		silent.Constraints = append(silent.Constraints, affine(0, make([]float64, len(x))...))
	}
	return l.Learner.Observe(x, silent)
}

// playLongTerm plays T rounds. Comparators are the actions with g_{t,j}(u) ≤
// −margin in all rounds, or without constraints all of D.
func playLongTerm(t *testing.T, l algorithms.Learner, s problems.Stream, T int, margin float64,
	constrained bool) longTerm {
	t.Helper()
	n := s.Set().Dim()
	game := longTerm{signed: make([]float64, s.Constraints())}
	x, at := make([]float64, n), make([]float64, n)
	loss, form := convex.NewForm(n), convex.NewForm(n)
	program := convex.NewProgram(s.Set())
	for round := 1; round <= T; round++ {
		l.Act(x)
		r := s.Reveal(round, x)
		game.loss += r.Loss.Value(x)
		r.Loss.AddTo(loss, 1)
		form.Reset()
		r.Loss.AddTo(form, 1)
		game.most += form.Const + s.Set().Support(at, form.Lin)
		worst := math.Inf(-1)
		for j, g := range r.Constraints {
			v := g.Value(x)
			game.signed[j] += v
			worst = math.Max(worst, v)
			if constrained {
				form.Reset()
				g.AddTo(form, 1)
				form.Const += margin
				program.Constrain(form)
			}
		}
		game.worst += worst
		if err := l.Observe(x, *r); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	solution, err := program.Minimize(at, loss)
	game.best, game.empty = solution.Value-solution.Gap, err != nil
	return game
}

// arena is a problem of the registry with parameters, or a stream of this test.
type arena struct {
	name   string
	params any
}

func (a arena) String() string { return fmt.Sprintf("%s %+v", a.name, a.params) }

func (a arena) stream(t *testing.T, seed uint64) problems.Stream {
	t.Helper()
	if s, ok := a.params.(problems.Stream); ok {
		return s
	}
	name, combine := strings.CutSuffix(a.name, ":combine=max")
	for _, p := range problems.All {
		if p.Name == name {
			if combine {
				p = p.Combined()
			}
			s, err := p.New(a.params, rand.New(rand.NewPCG(seed, 77)))
			if err != nil {
				t.Fatalf("%v: %v", a, err)
			}
			return s
		}
	}
	t.Fatalf("no problem %q", a.name)
	return nil
}

func space(dim int, set string, radius float64) problems.Space {
	return problems.Space{Dim: dim, Set: set, Radius: radius}
}

func shapes(m int, kind string, margin float64) problems.Shapes {
	return problems.Shapes{Constraints: m, Kind: kind, Margin: margin}
}

// hostile is a game on [−1, 1]² or on the simplex of two coordinates that turns
// on the action: the loss rises where x_1 has gone, and the constraint is
// violated unless x_1 is in the middle, the only point of X^min.
type hostile struct {
	simplex   bool
	curvature float64
}

func (h hostile) Set() convex.Set {
	if h.simplex {
		return &convex.Simplex{N: 2, Scale: 1}
	}
	return convex.Cube(2, -1, 1)
}

func (hostile) Constraints() int { return 1 }

func (h hostile) Facts() convex.Facts {
	return convex.Facts{
		LossLipschitz: math.Max(1, 4*h.curvature), ConstraintLipschitz: 1,
		LossRange: math.Max(2, 8*h.curvature), ConstraintBound: 1,
		Diameter: h.Set().Diameter(), Curvature: h.curvature, Affine: true, Adaptive: true,
	}
}

func (h hostile) Reveal(_ int, x []float64) *convex.Round {
	middle, side := 0., 1.
	if h.simplex {
		middle = 0.5
	}
	if x[0] < middle {
		side = -1
	}
	r := round(affine(0, side, 0), affine(-side*middle, side, 0))
	if h.curvature > 0 {
		r.Loss = &convex.HalfSquaredDistance{Weight: h.curvature, Center: []float64{middle - side, middle}}
	}
	return &r
}

// arenas are instances of every problem of the registry, of all their kinds,
// and harder ones.
var arenas = []arena{
	{"decaying-frequency", problems.DecayingFrequencyParams{C: 1, Constraints: 1}},
	{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.5, Constraints: 1}},
	{"decaying-frequency", problems.DecayingFrequencyParams{C: 0.75, Constraints: 2}},
	{"shrinking", nil},
	{"fixed", problems.FixedParams{Space: space(1, "box", 1), Shapes: shapes(1, "affine", 0.25),
		Losses: problems.Losses{LossNoise: 1}}},
	{"fixed", problems.FixedParams{Space: space(2, "box", 1), Shapes: shapes(1, "affine", 0.25),
		Losses: problems.Losses{}}},
	{"fixed", problems.FixedParams{Space: space(5, "ball", 2), Shapes: shapes(3, "affine", 0.25),
		Losses: problems.Losses{LossNoise: 1}}},
	{"fixed", problems.FixedParams{Space: space(3, "ball", 1), Shapes: shapes(2, "quadratic", 0.1),
		Losses: problems.Losses{LossNoise: 1}}},
	{"fixed", problems.FixedParams{Space: space(4, "simplex", 3), Shapes: shapes(2, "norm", 0.1),
		Losses: problems.Losses{LossNoise: 0.5, Curvature: 1}}},
	{"fixed", problems.FixedParams{Space: space(2, "box", 1), Shapes: shapes(1, "affine", 0.25),
		Losses: problems.Losses{LossNoise: 0.2, Curvature: 2}}},
	{"fixed", problems.FixedParams{Space: space(2, "box", 100), Shapes: shapes(2, "affine", 60),
		Losses: problems.Losses{LossNoise: 0.2}}},
	{"perturbed", problems.PerturbedParams{
		Space: space(2, "box", 1), Shapes: shapes(1, "affine", 0.25), Noise: "iid", Amplitude: 0.2,
		Period: 10, Losses: problems.Losses{LossNoise: 1},
	}},
	{"perturbed", problems.PerturbedParams{
		Space: space(3, "ball", 1), Shapes: shapes(2, "norm", 0.25), Noise: "drift", Amplitude: 0.2,
		Period: 10, Losses: problems.Losses{LossNoise: 1},
	}},
	{"perturbed", problems.PerturbedParams{
		Space: space(3, "simplex", 2), Shapes: shapes(1, "quadratic", 0.2), Noise: "periodic",
		Amplitude: 0.2, Period: 10, Losses: problems.Losses{LossNoise: 0.1, Curvature: 0.5},
	}},
	{"perturbed", problems.PerturbedParams{
		Space: space(2, "box", 1), Shapes: shapes(2, "affine", 0.5), Noise: "adversarial", Amplitude: 0.3,
		Period: 10, Losses: problems.Losses{LossNoise: 1},
	}},
	{"iid", problems.IIDParams{Space: space(2, "box", 1), Constraints: 1, Slack: 0.25, Margin: 0.1,
		Spread: 0.5, LossNoise: 1, Direction: "random"}},
	{"hostile", hostile{}},
	{"hostile", hostile{simplex: true}},
	{"hostile", hostile{curvature: 1}},
	{"hostile", hostile{simplex: true, curvature: 0.25}},
	{"brink", brink{0.1}},
	{"brink", brink{1}},
	{"iid", problems.IIDParams{Space: space(5, "ball", 1), Constraints: 3, Slack: 0.25, Margin: 0.1,
		Spread: 0.3, LossNoise: 1, Direction: "random"}},
}

// law is a theorem on long-term constraints: for every u with g_{t,j}(u) ≤
// −margin in all rounds,
//
//	Σ_t (f_t(x_t) − f_t(u)) + Σ_j [S_j + margin·T]₊²/weight ≤ limit.
type law struct {
	name   string
	params any
	worst  bool // there is one S, of the largest constraint in every round
	longer int  // a horizon besides the usual ones
	// terms returns what the theorem says of T rounds, and whether it does.
	terms func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool)
}

// check plays the arenas and holds the theorem against them. It fails too if
// learners that are deaf to constraints pass: the theorem would say nothing.
func (w law) check(t *testing.T) {
	t.Helper()
	entry := entry(t, w.name)
	played, nearest, caught := 0, math.Inf(-1), 0
	horizons := []int{50, 500, 4000}
	if w.longer > 0 {
		horizons = append(horizons, w.longer)
	}
	for k, a := range arenas {
		if len(entry.Unmet(a.stream(t, 1).Facts())) > 0 {
			continue
		}
		for _, T := range horizons {
			for _, hears := range []bool{true, false} {
				s := a.stream(t, uint64(k))
				limit, weight, margin, holds := w.terms(s, float64(T))
				if !holds {
					continue
				}
				setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(),
					Horizon: T}
				l := newLearner(t, w.name, w.params, setup)
				if !hears {
					l = deaf{l}
				}
				game := playLongTerm(t, l, s, T, margin, true)
				if game.empty {
					continue
				}
				squares := game.squares()
				if w.worst {
					squares = math.Pow(math.Max(0, game.worst+margin*float64(T)), 2)
				}
				value := game.loss - game.best + squares/weight
				switch {
				case !hears && value > limit:
					caught++
				case hears:
					played++
					nearest = math.Max(nearest, value/limit)
					if !(value <= limit) {
						t.Errorf("%s on %v, T=%d: regret %v and squared violation %v make %v, the theorem allows %v",
							w.name, a, T, game.loss-game.best, squares, value, limit)
					}
				}
			}
		}
	}
	t.Logf("%s: %d games, the bound is met up to a factor %.3f; %d deaf learners break it", w.name,
		played, nearest, caught)
	if played == 0 || caught == 0 {
		t.Errorf("%s: %d games were played, and %d deaf learners broke the theorem", w.name, played,
			caught)
	}
}

func TestMahdaviRegretAndViolation(t *testing.T) {
	t.Parallel()
	law{name: "mahdavi", terms: func(s problems.Stream, T float64) (limit, weight, margin float64,
		holds bool) {
		f, m := s.Facts(), float64(s.Constraints())
		x1 := make([]float64, s.Set().Dim())
		R := farthest(s.Set(), nearest(s.Set(), x1))
		a := R * math.Sqrt((m+1)*f.G()*f.G()+2*m*f.ConstraintBound*f.ConstraintBound)
		eta, delta := R*R/(a*math.Sqrt(T)), 2*(m+1)*f.G()*f.G()
		return a * math.Sqrt(T), 2 * (delta*eta*T + 1/eta), 0, 8*(m+1)*f.G()*f.G()*eta*eta <= 1
	}}.check(t)
}

// longTermNames are the algorithms of the tests below, with parameters that
// make all of them react within a few rounds.
var longTermNames = map[string]any{
	"mahdavi":                algorithms.MahdaviParams{},
	"mahdavi-zero-violation": algorithms.MahdaviZeroViolationParams{},
	"mahdavi-mirror-prox":    algorithms.MahdaviMirrorProxParams{},
	"jenatton":               algorithms.JenattonParams{Beta: 0.5, Losses: "convex"},
	"sun":                    algorithms.SunParams{Mirror: "euclidean"},
	"castiglioni":            algorithms.CastiglioniParams{},
}

// The multipliers move the actions: other constraints, other actions.
func TestLongTermReaction(t *testing.T) {
	reacts := func(name string, params any, wrap func(algorithms.Learner) algorithms.Learner, n int,
		kind string) error {
		s := newScript(rand.New(rand.NewPCG(uint64(n), 3)), "ball", kind, n, 2, 200)
		var want [][]float64
		for k, by := range []float64{1, -1, 3, 0} {
			other := s
			other.rounds = slices.Clone(s.rounds)
			for i, r := range s.rounds {
				if by < 0 && kind != "affine" {
					return nil // it would not be convex
				}
				other.rounds[i].real = scaledRound(r.real, n, 1, by)
			}
			got := actions(t, wrap(newLearner(t, name, params, longTermSetup(s))), other)
			if k == 0 {
				want = got
				continue
			}
			if d := distance(got[len(got)-1], want[len(want)-1]); !(d > 1e-6) {
				return fmt.Errorf("%s on %s, n=%d: constraints times %v change the last action by %v", name,
					kind, n, by, d)
			}
		}
		return nil
	}
	for name, params := range longTermNames {
		for _, n := range []int{1, 3} {
			if err := reacts(name, params, func(l algorithms.Learner) algorithms.Learner { return l }, n,
				"affine"); err != nil {
				t.Error(err)
			}
		}
		if err := reacts(name, params, func(l algorithms.Learner) algorithms.Learner { return deaf{l} },
			3, "affine"); err == nil {
			t.Errorf("%s: a learner that is deaf to constraints passes", name)
		}
	}
}

// With losses and constraints times c, and constants likewise, the same
// actions are played.
func TestLongTermScaling(t *testing.T) {
	for _, c := range []float64{0.2, 7} {
		times := func(f convex.Facts) convex.Facts {
			f.LossLipschitz *= c
			f.ConstraintLipschitz *= c
			f.LossRange *= c
			f.ConstraintBound *= c
			f.Slater *= c
			f.Curvature *= c
			return f
		}
		for _, v := range []struct {
			name     string
			one, two any
		}{
			{"mahdavi", algorithms.MahdaviParams{}, algorithms.MahdaviParams{}},
			{"mahdavi", algorithms.MahdaviParams{Step: 0.1, Damping: 2},
				algorithms.MahdaviParams{Step: 0.1 / c, Damping: 2 * c * c}},
			{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{},
				algorithms.MahdaviZeroViolationParams{}},
			{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Margin: 0.1},
				algorithms.MahdaviZeroViolationParams{Margin: 0.1 * c}},
			{"mahdavi-mirror-prox", algorithms.MahdaviMirrorProxParams{Step: 0.1, Damping: 2},
				algorithms.MahdaviMirrorProxParams{Step: 0.1 / c, Damping: 2 * c * c}},
			{"jenatton", jenattonParams("convex", 0.6), jenattonParams("convex", 0.6)},
			{"jenatton", jenattonParams("strongly-convex", 0.5), jenattonParams("strongly-convex", 0.5)},
			{"sun", algorithms.SunParams{Mirror: "euclidean"}, algorithms.SunParams{Mirror: "euclidean"}},
			{"sun", algorithms.SunParams{Mirror: "entropy"}, algorithms.SunParams{Mirror: "entropy"}},
			{"castiglioni", algorithms.CastiglioniParams{}, algorithms.CastiglioniParams{}},
			{"castiglioni", algorithms.CastiglioniParams{Cap: 0.1, Step: 0.2, DualStep: 3},
				algorithms.CastiglioniParams{Cap: 0.1, Step: 0.2 / c, DualStep: 3 / c}},
		} {
			s := newScript(rand.New(rand.NewPCG(4, 4)), "simplex", "affine", 3, 2, 60)
			other := s
			other.rounds = slices.Clone(s.rounds)
			for i := range other.rounds {
				other.rounds[i].real = scaledRound(s.rounds[i].real, s.n, c, c)
			}
			setup := longTermSetup(s)
			want := actions(t, newLearner(t, v.name, v.one, setup), s)
			setup.Facts = times(setup.Facts)
			agree(t, fmt.Sprintf("%s %+v times %v", v.name, v.one, c), newLearner(t, v.name, v.two, setup),
				other, want, 1e-9)
		}
	}
}

// With doubling, epochs of 1, 2, 4, … rounds are played as if each were a game.
func TestLongTermDoubling(t *testing.T) {
	s := newScript(rand.New(rand.NewPCG(3, 2)), "box", "affine", 3, 2, 100)
	on := algorithms.Epochs{Doubling: true}
	for name, params := range map[string]any{
		"mahdavi":                algorithms.MahdaviParams{Epochs: on},
		"mahdavi-zero-violation": algorithms.MahdaviZeroViolationParams{Epochs: on},
		"mahdavi-mirror-prox":    algorithms.MahdaviMirrorProxParams{Epochs: on},
		"sun":                    algorithms.SunParams{Epochs: on, Mirror: "euclidean"},
		"castiglioni":            algorithms.CastiglioniParams{Epochs: on},
	} {
		if !entry(t, name).AnytimeWith(params) || entry(t, name).AnytimeWith(longTermNames[name]) {
			t.Errorf("%s: with doubling it is anytime, and without it is not", name)
		}
		setup := longTermSetup(s)
		setup.Horizon = 0
		if _, err := entry(t, name).Start(longTermNames[name], setup); err == nil ||
			!strings.Contains(err.Error(), "horizon") {
			t.Errorf("%s: without horizon the error is %v", name, err)
		}
		got := actions(t, newLearner(t, name, params, setup), s)
		for first, length := 0, 1; first < len(s.rounds); first, length = first+length, 2*length {
			epoch := s
			epoch.rounds = s.rounds[first:min(first+length, len(s.rounds))]
			setup.Horizon = length
			want := actions(t, newLearner(t, name, longTermNames[name], setup), epoch)
			for i := range epoch.rounds {
				if !slices.Equal(got[first+i], want[i]) {
					t.Errorf("%s: action %d, %d of an epoch of %d, is %v, alone it is %v", name, first+i+1, i+1,
						length, got[first+i], want[i])
				}
			}
		}
	}
}

// A constant that is neither declared nor set is named, and can be set.
func TestLongTermConstants(t *testing.T) {
	all := algorithms.Constants{Lipschitz: 2, Bound: 3}
	for _, c := range []struct {
		name   string
		params any
		want   string // the parameter that is missing, or ""
	}{
		{"mahdavi", algorithms.MahdaviParams{}, "lipschitz"},
		{"mahdavi", algorithms.MahdaviParams{Constants: algorithms.Constants{Lipschitz: 2}}, "bound"},
		{"mahdavi", algorithms.MahdaviParams{Constants: all}, ""},
		{"mahdavi", algorithms.MahdaviParams{Step: 1, Damping: 1}, ""},
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Constants: all}, "loss-range"},
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Constants: all, LossRange: 7},
			""},
		{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Constants: all, Margin: 1}, ""},
		{"mahdavi-mirror-prox", algorithms.MahdaviMirrorProxParams{}, ""},
		{"jenatton", jenattonParams("convex", 0.5), "lipschitz"},
		{"jenatton", algorithms.JenattonParams{Lipschitz: 2, Beta: 0.5, Losses: "convex"}, ""},
		{"jenatton", algorithms.JenattonParams{Lipschitz: 2, Beta: 0.5, Losses: "strongly-convex"},
			"curvature"},
		{"jenatton", algorithms.JenattonParams{
			Lipschitz: 2, Beta: 0.5, Losses: "strongly-convex", Curvature: 1,
		}, ""},
		{"sun", algorithms.SunParams{Mirror: "euclidean"}, "lipschitz"},
		{"sun", algorithms.SunParams{Mirror: "euclidean", Constants: all}, ""},
		{"sun", algorithms.SunParams{Mirror: "euclidean", Step: 1, Damping: 1}, ""},
		{"sun", algorithms.SunParams{Mirror: "entropy", Constants: all}, "mirror"},
		{"castiglioni", algorithms.CastiglioniParams{}, "lipschitz"},
		{"castiglioni", algorithms.CastiglioniParams{Lipschitz: 2}, "loss-range"},
		{"castiglioni", algorithms.CastiglioniParams{Lipschitz: 2, LossRange: 7}, "slater"},
		{"castiglioni", algorithms.CastiglioniParams{Lipschitz: 2, LossRange: 7, Slater: 0.1}, ""},
	} {
		_, err := entry(t, c.name).Start(c.params,
			algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 2, Horizon: 9})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), "set "+c.want) {
			t.Errorf("%s %+v: the error is %v, want one that says what to set: %q", c.name, c.params, err,
				c.want)
		}
	}
}
