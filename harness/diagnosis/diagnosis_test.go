package diagnosis

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
	longtest "ocobench/internal/long"
	"ocobench/internal/race"
	"ocobench/problems"
)

// made reveals rounds that a function makes.
type made struct {
	set   convex.Set
	m     int
	facts convex.Facts
	round func(t int) convex.Round
}

func (s *made) Set() convex.Set                         { return s.set }
func (s *made) Constraints() int                        { return s.m }
func (s *made) Facts() convex.Facts                     { return s.facts }
func (s *made) Reveal(t int, _ []float64) *convex.Round { r := s.round(t); return &r }

// affine returns the function a·x + b.
func affine(b float64, a ...float64) *convex.Affine { return &convex.Affine{A: a, B: b} }

// roundOf returns a round with a loss and constraints.
func roundOf(loss convex.Func, g ...convex.Func) convex.Round {
	return convex.Round{Loss: loss, Constraints: g}
}

// startOf starts a made stream, from the source of its replicate.
func startOf(f func(rng *rand.Rand) *made) Start {
	return func(replicate int) (problems.Stream, algorithms.Learner, error) {
		return f(rand.New(rand.NewPCG(1, uint64(replicate)))), nil, nil
	}
}

// startOn starts a registered problem, and the algorithm that plays on it, if any.
func startOn(t testing.TB, problem, algorithm string, seed uint64, horizon int) Start {
	t.Helper()
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	u, err := spec.ParseSpec(problem)
	if err != nil {
		t.Fatal(err)
	}
	resolvedProblems, err := catalog.ResolveProblems(u)
	if err != nil {
		t.Fatal(err)
	}
	var resolvedAlgorithms []experiment.Algorithm
	if algorithm != "" {
		if u, err = spec.ParseSpec(algorithm); err != nil {
			t.Fatal(err)
		}
		if resolvedAlgorithms, err = catalog.ResolveAlgorithms(u); err != nil {
			t.Fatal(err)
		}
	}
	return func(replicate int) (problems.Stream, algorithms.Learner, error) {
		s, err := resolvedProblems[0].Stream(seed, replicate)
		if err != nil || resolvedAlgorithms == nil {
			return s, nil, err
		}
		l, err := resolvedAlgorithms[0].Learner(s, seed, replicate, horizon)
		return s, l, err
	}
}

// measure returns the diagnosis with these options, replicate 1 and γ = 25 where they are 0.
func measure(t testing.TB, start Start, o Options) *Diagnosis {
	t.Helper()
	if o.Replicate == 0 {
		o.Replicate = 1
	}
	if o.Gamma == 0 {
		o.Gamma = 25
	}
	d, err := Measure(context.Background(), start, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// verdictOn returns the verdict of the finding with this name, or "".
func verdictOn(d *Diagnosis, name string) Verdict {
	for _, f := range d.Findings {
		if f.Name == name {
			return f.Verdict
		}
	}
	return ""
}

// isNear reports whether a and b differ by at most tol.
func isNear(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// On [−1, 1] with f = −x and g = x − 1/2 in every round, z = −1 has the margin
// 3/2 and η = 3/4; all averages are active at x = 1/2, so that k_τ = τ and
// β = 3/4; E = 1² − 0, L = f(−1) − f(1) = 2: Theorem 1 asks for 4/(3/4). The
// multiplier of min −x, x ≤ 1/2 is 1.
func TestConstantsOfFixedRoundsByHand(t *testing.T) {
	d := measure(t, startOf(func(*rand.Rand) *made {
		r := roundOf(affine(0, -1), affine(-0.5, 1))
		return &made{convex.Cube(1, -1, 1), 1, convex.Facts{Fixed: true, Affine: true},
			func(int) convex.Round { return r }}
	}), Options{Horizon: 1000, Replicates: 5})
	for name, c := range map[string]struct{ got, want float64 }{
		"z": {d.Slater.Point[0], -1}, "margin": {*d.Slater.Margin, 1.5}, "η": {*d.Slater.Eta, 0.75},
		"t_ε": {float64(d.Slater.Burn), 0}, "k": {float64(*d.Growth.Count), 1000},
		"β": {*d.Growth.Beta, 0.75},
		"ε": {*d.Growth.Epsilon, 0.075}, "E": {*d.Gamma.E, 1}, "L": {*d.Gamma.L, 2},
		"sufficient": {*d.Gamma.Sufficient, 4 / 0.75}, "limit": {*d.Gamma.Limit, 4 / 1.5},
		"effective": {*d.Gamma.Effective, 1},
		"paths":     {float64(d.Paths), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if !isNear(c.got, c.want, 1e-6) {
				t.Errorf("%s is %v, want %v", name, c.got, c.want)
			}
		})
	}
	for _, f := range d.Findings {
		if f.Verdict != Holds && f.Verdict != Applies {
			t.Errorf("%s: got %s, %s, want it to hold", f.Name, f.Verdict, f.Reason)
		}
	}
	if d.Convergence.Rate != "constant" {
		t.Errorf("got rate %s, want constant", d.Convergence.Rate)
	}
}

// classes lists the verdicts that the theory gives for every class of problems; see problems.md
// and the paper.
var classes = []struct {
	problem, algorithm string
	replicates         int
	want               map[string]Verdict
}{
	{"fixed", "", 5, map[string]Verdict{
		"Slater point": Holds, "penalty growth": Holds, "1/√t-convergence": Holds, "theorem 2": Applies,
		"corollary 2": Applies,
	}},
	{"fixed:kind=quadratic,constraints=2,dim=3", "", 5,
		map[string]Verdict{"penalty growth": Holds, "theorem 2": Applies}},
	{"online-qp", "", 2, map[string]Verdict{
		"Slater point": Holds, "penalty growth": Holds, "theorem 2": Applies, "γ is enough": Fails,
	}},
	// Equalities as pairs of inequalities leave no Slater point.
	{"doubly-stochastic:size=4", "", 2,
		map[string]Verdict{"Slater point": Fails, "1/√t-convergence": Holds, "theorem 2": Inapplicable,
			"corollary 2": Inapplicable}},
	{"regression", "", 20, map[string]Verdict{
		"Slater point": Holds, "1/√t-convergence": Holds, "corollary 2": Applies,
	}},

	// Averages of independent rounds swing early and settle within: the early
	// ones bound X̂^max, where the late ones are not active. Condition 3 fails,
	// and Corollary 2 takes over, as it does in the paper.
	{"iid:dim=3", "", 30, map[string]Verdict{
		"Slater point": Holds, "penalty growth": Fails, "1/√t-convergence": Holds,
		"theorem 2": Inapplicable, "corollary 1": Inapplicable, "corollary 2": Applies,
	}},
	{"decaying-frequency", "", 30, map[string]Verdict{
		"Slater point": Holds, "penalty growth": Fails, "1/√t-convergence": Holds, "corollary 2": Applies,
	}},
	{"perturbed:noise=drift", "", 30, map[string]Verdict{
		"Slater point": Holds, "1/√t-convergence": Holds, "corollary 2": Applies,
	}},
	{"perturbed:noise=adversarial", "", 30,
		map[string]Verdict{"Slater point": Holds, "penalty growth": Fails, "1/√t-convergence": Fails,
			"theorem 2": Inapplicable, "corollary 2": Inapplicable}},
	{"family:rate=1", "", 20, map[string]Verdict{"1/√t-convergence": Holds, "corollary 2": Applies}},
	{"family:rate=0.25", "", 20, map[string]Verdict{
		"1/√t-convergence": Fails, "theorem 2": Inapplicable, "corollary 2": Inapplicable,
	}},
	{"family:draw=iid", "", 30, map[string]Verdict{"1/√t-convergence": Holds, "corollary 2": Applies}},
	{"conflicting", "", 30, map[string]Verdict{
		"Slater point": Holds, "1/√t-convergence": Holds, "corollary 2": Applies,
	}},
	{"gradual-slater:margin=0", "", 30, map[string]Verdict{"theorem 2": Inapplicable}},
	{"vaze-sinha", "", 2, map[string]Verdict{
		"penalty growth": Holds, "theorem 1": Open, "theorem 2": Applies, "γ is enough": Holds,
	}},

	// The Example between c = 1/2 and 1: averages drift to their limit like
	// t^{c−1}. As one constraint it has a Slater point (every round leaves 0.01),
	// but few averages are active; as two all are active at x = 0, contrary to
	// the paper's k_τ ≤ n_{2,τ}, which counts rounds and not averages, and what
	// fails of the condition is the margin, which vanishes like t^{c−1}.
	{"decaying-frequency:c=0.75", "", 50,
		map[string]Verdict{"Slater point": Holds, "penalty growth": Fails, "1/√t-convergence": Fails,
			"theorem 2": Inapplicable, "corollary 1": Inapplicable, "corollary 2": Inapplicable,
			"γ is enough": Fails}},
	{"decaying-frequency:c=0.9", "", 50,
		map[string]Verdict{"penalty growth": Fails, "1/√t-convergence": Fails,
			"corollary 2": Inapplicable}},
	{"decaying-frequency:c=0.75,constraints=2", "", 50,
		map[string]Verdict{"Slater point": Fails, "penalty growth": Holds, "theorem 2": Inapplicable,
			"corollary 1": Inapplicable, "corollary 2": Inapplicable}},
	{"decaying-frequency:c=1,constraints=2", "", 30,
		map[string]Verdict{"Slater point": Holds, "penalty growth": Holds, "theorem 2": Applies,
			"corollary 2": Applies}},
	// At c = 1/2 the penalty of any action is O(√t): Corollary 1 asks for no more.
	{"decaying-frequency:c=0.5", "", 100,
		map[string]Verdict{"penalty growth": Fails, "theorem 2": Inapplicable, "corollary 1": Applies}},

	// X̂^max shrinks to {0}: the Slater margin is 2/√t.
	{"shrinking", "", 5, map[string]Verdict{
		"Slater point": Fails, "1/√t-convergence": Holds, "theorem 2": Inapplicable,
		"corollary 2": Inapplicable,
	}},
	{"soft-gap", "penalised-ftrl", 2, map[string]Verdict{"1/√t-convergence": Holds}},
}

func TestProblemClassesHaveTheirDiagnosis(t *testing.T) {
	if testing.Short() {
		t.Skip("every class of problems")
	}
	longtest.Run(t, testClasses)
}

// shorter divides the horizons of a sample: what the theory says of a class shows earlier
// for some classes, and not for others.
var shorter = map[string]int{"fixed:kind=quadratic,constraints=2,dim=3": 10,
	"regression": 6, "shrinking": 1, "soft-gap": 1,
	"doubly-stochastic:size=4": 1}

// testClasses plays T = 3·10⁴ rounds, 10⁵ where a trend needs many, and 10³ where rounds are slow.
func testClasses(t *testing.T, whole bool) {
	for _, c := range classes {
		t.Run(c.problem, func(t *testing.T) {
			T := 30000
			switch {
			case strings.Contains(c.problem, ":c="), c.algorithm != "":
				T = 100000
			case strings.HasPrefix(c.problem, "doubly-stochastic"):
				T = 1000
			}
			if !whole {
				T /= cmp.Or(shorter[c.problem], 3)
			}
			d := measure(t, startOn(t, c.problem, c.algorithm, 1, T),
				Options{Horizon: T, Replicates: c.replicates, Moves: 1})
			for name, want := range c.want {
				if got := verdictOn(d, name); got != want {
					t.Errorf("%s: %s, want %s; %+v", name, got, want, d.Findings)
				}
			}
			for _, f := range d.Facts {
				if f.Broken {
					t.Errorf("%s: got %v, want %v as declared", f.Name, f.Measured, *f.Declared)
				}
			}
			if got := verdictOn(d, "FTRL condition"); got != Holds {
				t.Errorf("FTRL condition: got %s, want it to hold", got)
			}
			if _, err := json.Marshal(d); err != nil {
				t.Error(err)
			}
		})
	}
}

// plantedRate returns streams whose averages are exactly a_t(x) = x·t^{−r} − ½.
func plantedRate(r float64) func(*rand.Rand) *made {
	return func(*rand.Rand) *made {
		g, loss := affine(-0.5, 0), affine(0, -1)
		power := func(t int) float64 {
			if t == 0 {
				return 0
			}
			return vec.Pow(float64(t), 1-r)
		}
		return &made{convex.Cube(1, -1, 1), 1, convex.Facts{}, func(t int) convex.Round {
			g.A[0] = power(t) - power(t-1)
			return roundOf(loss, g)
		}}
	}
}

// A rate that is planted is found, on one path; the average at T in the place
// of the limit would find another one, as the package says.
func TestPlantedRatesAreFound(t *testing.T) {
	const T = 100000
	for _, c := range []struct {
		r    float64
		rate string
	}{{0.1, "slower"}, {0.25, "slower"}, {0.5, "1/sqrt(t)"}, {0.75, "faster"}, {1, "faster"}} {
		if race.Enabled && c.r != 0.25 {
			continue
		}
		start := startOf(plantedRate(c.r))
		d := measure(t, start, Options{Horizon: T, Replicates: 3})
		if v := *d.Convergence.Value; !isNear(v, -c.r, 0.02) || d.Convergence.Rate != c.rate {
			t.Errorf("t^−%v: got t^%v, %s, want %s", c.r, v, d.Convergence.Rate, c.rate)
		}
		if c.r != 0.25 {
			continue
		}
		at := game.Checkpoints(T)
		var y []float64
		for _, tau := range at {
			y = append(y, vec.Pow(float64(tau), -c.r)-vec.Pow(T, -c.r))
		}
		if v := *pathExponent(at, y, T/1000, T/10); !isNear(v, -0.4, 0.03) {
			t.Errorf("against the average at T: got slope %v, want −0.4", v)
		}
	}
}

// A drift t^{−0.3} under noise t^{−1/2} that is larger is found by the mean of
// the replicates, and noise alone has no drift.
func TestDriftUnderNoiseIsFound(t *testing.T) {
	race.SkipSequential(t)
	const T = 30000
	for _, drift := range []float64{0, 1} {
		d := measure(t, startOf(func(rng *rand.Rand) *made {
			s := plantedRate(0.3)(nil)
			plain := s.round
			s.round = func(t int) convex.Round {
				r := plain(t)
				g := r.Constraints[0].(*convex.Affine)
				g.A[0] = float64(drift*g.A[0]) + float64(4*rng.Float64()) - 2
				return r
			}
			return s
		}), Options{Horizon: T, Replicates: 60, Moves: 1})
		c := d.Convergence
		if drift > 0 && !(c.Drift && *c.Upper > -0.4) ||
			drift == 0 && (c.Verdict != Holds || c.Rate != "1/sqrt(t)") {
			t.Errorf("drift %v: got %s, %v [%v, %v], want drift found, or 1/sqrt(t) without", drift, c.Rate,
				*c.Value, *c.Lower, *c.Upper)
		}
	}
}

// naiveCounts computes what the passes over the rounds compute, from all averages at once. ties
// counts the averages that are exactly active at the points of X̂^max of all prefixes; −1 for none.
func naiveCounts(t *testing.T, start Start, m *measurement, c *penaltyCondition) (active []int,
	ties,
	burn int) {
	t.Helper()
	s, _, err := start(m.Replicate)
	if err != nil {
		t.Fatal(err)
	}
	n := m.set.Dim()
	var all [][]*convex.Form
	cum := make([]*convex.Form, s.Constraints())
	for j := range cum {
		cum[j] = convex.NewForm(n)
	}
	z, eta := c.slater.Point, *c.slater.Eta
	for tau := 1; tau <= m.Horizon; tau++ {
		r := s.Reveal(tau, nil)
		var row []*convex.Form
		for j, g := range r.Constraints {
			g.AddTo(cum[j], 1)
			row = append(row, averages.Scaled(cum[j], 1/float64(tau)))
			if row[j].Value(z) > -eta {
				burn = tau
			}
		}
		all = append(all, row)
	}
	inside := func(x []float64, tau int) bool {
		for _, row := range all[burn:tau] {
			for _, a := range row {
				if a.Value(x) > 1e-15 {
					return false
				}
			}
		}
		return true
	}
	down := make([]float64, n)
	sum := convex.NewSum(m.set)
	sum.Add(1, m.loss)
	if _, err := sum.Minimize(down, convex.Prox{}); err != nil {
		t.Fatal(err)
	}
	ends := append([][]float64{down}, m.points.points[:m.points.ends]...)
	for _, a := range all[m.Horizon-1] {
		if p := make([]float64, n); len(a.Quad)+len(a.Terms) == 0 {
			m.set.Support(p, a.Lin)
			ends = append(ends, p)
		}
	}
	ties = -1
	x := make([]float64, n)
	for _, tau := range m.checkpoints {
		least := -1
		for _, p := range ends {
			to := func(share float64) []float64 {
				for i := range x {
					x[i] = z[i] + share*(p[i]-z[i])
				}
				return x
			}
			if tau <= burn || inside(to(1), tau) {
				continue
			}
			lo, hi := 0.0, 1.0
			for range 60 {
				if mid := (lo + hi) / 2; inside(to(mid), tau) {
					lo = mid
				} else {
					hi = mid
				}
			}
			count := 0
			for i := burn; i < tau; i++ {
				for _, a := range all[i] {
					if math.Abs(a.Value(to(lo))) <= *c.growth.Epsilon/math.Sqrt(float64(i+1))+1e-12 {
						count++
					}
				}
			}
			if least < 0 || count < least {
				least = count
			}
			if tau < m.Horizon {
				continue
			}
			exact := 0
			for _, row := range all {
				for _, a := range row {
					switch v := a.Value(to(lo)); {
					case v > 1e-12:
						exact = math.MaxInt / 2 // not in X̂^max
					case v >= -1e-12:
						exact++
					}
				}
			}
			if exact < math.MaxInt/2 && (ties < 0 || exact < ties) {
				ties = exact
			}
		}
		active = append(active, least)
	}
	return active, ties, burn
}

// The passes count the same active averages as a program that keeps all averages.
func TestActiveCountAgreesWithNaive(t *testing.T) {
	race.SkipSequential(t)
	const T = 300
	bounds := 0 // lower bounds that say something
	for _, problem := range []string{
		"fixed:dim=3,constraints=3", "fixed:kind=quadratic,dim=2,constraints=2", "vaze-sinha",
		"yu-neely-lp", "decaying-frequency:c=1,constraints=2", "iid:dim=2,constraints=2",
		"iid:dim=3,margin=-1,spread=2", "perturbed:kind=quadratic,constraints=2",
		"perturbed:kind=norm,set=ball,dim=3",
		"perturbed:noise=drift", "shrinking", "decaying-frequency",
		"decaying-frequency:c=0.6,constraints=2", "fixed:set=simplex,dim=3,margin=0.05", "conflicting",
	} {
		for seed := range uint64(4) {
			start := startOn(t, problem, "", seed, T)
			m := &measurement{ctx: context.Background(), start: start,
				Options: Options{Horizon: T, Replicate: 1, Gamma: 25}, checkpoints: game.Checkpoints(T)}
			s, _, err := start(1)
			if err != nil {
				t.Fatal(err)
			}
			m.set, m.facts, m.points = s.Set(), s.Facts(), newSamplePoints(s.Set())
			p := newSampledAverages(m, s)
			p.storeAt = slaterRounds(T)
			if err := game.Play(m.ctx, nil, s, T, p); err != nil {
				t.Fatal(err)
			}
			m.loss, m.forms, m.values, m.size = averages.Scaled(p.loss, 1.0/T), p.forms, p.values,
				p.maxAbsAverage()
			use := make([]int, s.Constraints())
			for j := range use {
				use[j] = j
			}
			c, err := m.judgePenaltyCondition(use)
			if err != nil {
				t.Fatal(err)
			}
			if c.slater.Eta == nil {
				continue
			}
			want, ties, burn := naiveCounts(t, start, m, c)
			if lower := c.growth.Lower; lower != nil && ties >= 0 && *lower > ties {
				t.Errorf("%s, seed %d: got k ≥ %d, want at most the %d averages that are active at a point",
					problem, seed, *lower, ties)
			}
			if lower := c.growth.Lower; lower != nil && *lower > 1 {
				bounds++
			}
			if c.slater.Burn != burn {
				t.Errorf("%s, seed %d: t_ε is %d, want %d", problem, seed, c.slater.Burn, burn)
			}
			for k, v := range want {
				got := -1
				if y := c.active.Y[k]; y != nil {
					got = int(*y)
				}
				if got != v {
					t.Errorf("%s, seed %d: k at %d is %d, want %d", problem, seed, m.checkpoints[k], got, v)
				}
			}
		}
	}
	if bounds < 20 {
		t.Errorf("got %d lower bounds above 1, want at least 20", bounds)
	}
}

// Facts that the rounds break are reported, and facts that they keep are not.
func TestBrokenFactsAreReported(t *testing.T) {
	true_ := convex.Facts{LossLipschitz: 2, ConstraintLipschitz: 1, LossRange: 4, ConstraintBound: 1.5,
		Diameter: 2, Affine: true, Perturbed: true}
	liars := map[string]func(*convex.Facts){
		"":                         func(*convex.Facts) {},
		"loss_lipschitz":           func(f *convex.Facts) { f.LossLipschitz = 1.9 },
		"constraint_lipschitz":     func(f *convex.Facts) { f.ConstraintLipschitz = 0.9 },
		"loss_range":               func(f *convex.Facts) { f.LossRange = 3.9 },
		"constraint_bound":         func(f *convex.Facts) { f.ConstraintBound = 1.4 },
		"diameter":                 func(f *convex.Facts) { f.Diameter = 1 },
		"curvature":                func(f *convex.Facts) { f.Curvature = 0.1 },
		"departure_from_fixed":     func(f *convex.Facts) { f.Fixed = true },
		"departure_from_perturbed": nil, // the slope changes
		"departure_from_affine":    nil, // the constraint is curved
		"departure_from_convex":    nil, // the loss is concave
	}
	for name, lie := range liars {
		facts := true_
		if lie != nil {
			lie(&facts)
		}
		d := measure(t, startOf(func(*rand.Rand) *made {
			loss, g := affine(0, -2), affine(0, 1)
			return &made{convex.Cube(1, -1, 1), 1, facts, func(t int) convex.Round {
				g.B = 0.5
				if t%2 == 0 {
					g.B = -0.5
				}
				r := roundOf(loss, g)
				switch {
				case name == "departure_from_perturbed" && t == 50:
					r.Constraints[0] = affine(-0.5, 0.5)
				case name == "departure_from_affine" && t%7 == 0:
					r.Constraints[0] = &convex.HalfSquaredDistance{Weight: 0.1, Center: []float64{0}}
				case name == "departure_from_convex" && t%7 == 0:
					r.Loss = &convex.Quadratic{Q: []float64{-0.1}, A: []float64{-1}}
				}
				return r
			}}
		}), Options{Horizon: 100, Replicates: 2})
		var broken []string
		for _, f := range d.Facts {
			if f.Broken {
				broken = append(broken, f.Name)
			}
		}
		if name == "departure_from_affine" {
			broken = slices.DeleteFunc(broken, func(s string) bool {
				return s == "departure_from_perturbed"
			})
		}
		want := []string{name}
		if name == "" {
			want = nil
		}
		if !slices.Equal(broken, want) {
			t.Errorf("%q: got broken %q, want %q", name, broken, want)
		}
		if got := verdictOn(d, "FTRL condition"); (got == Fails) != (name == "departure_from_convex") {
			t.Errorf("%q: got FTRL condition %s, want it to fail only of departure_from_convex", name, got)
		}
	}
}

// A diagnosis at a short horizon says that the horizon is too short.
func TestShortHorizonsHoldNothing(t *testing.T) {
	for _, problem := range []string{"iid:dim=2,constraints=2", "shrinking", "fixed",
		"decaying-frequency:c=0.5", "conflicting"} {
		for _, T := range []int{1, 2, 3, 5, 8, 13, 21, 39, 40} {
			d := measure(t, startOn(t, problem, "", 1, T), Options{Horizon: T, Replicates: 1 + T%7})
			if _, err := json.Marshal(d); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"Slater point", "penalty growth", "1/√t-convergence", "theorem 2",
				"corollary 2"} {
				if v := verdictOn(d, name); v == Holds || v == Applies {
					t.Errorf("%s: got %s held after %d rounds, want it open", problem, name, T)
				}
			}
		}
	}
}

// The same problem has the same diagnosis on any number of processors.
func TestDiagnosisDoesNotDependOnProcessors(t *testing.T) {
	start := startOn(t, "iid:dim=3", "", 1, 0)
	var first []byte
	for _, procs := range []int{1, 4} {
		old := runtime.GOMAXPROCS(procs)
		d := measure(t, start, Options{Horizon: 2000, Replicates: 12})
		runtime.GOMAXPROCS(old)
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		} else if string(first) != string(data) {
			t.Error("got another diagnosis with other processors, want the same")
		}
	}
}

// The passes allocate nothing in a round without a checkpoint.
func TestRoundsDoNotAllocate(t *testing.T) {
	const T = 100000
	s, _, err := startOn(t, "iid:dim=3,constraints=2", "", 1, T)(1)
	if err != nil {
		t.Fatal(err)
	}
	m := &measurement{Options: Options{Horizon: T}, checkpoints: []int{T}, set: s.Set(),
		points: newSamplePoints(s.Set()), loss: convex.NewForm(3)}
	b := newBoundary(m, []int{0, 1}, make([]float64, 3), 0.01)
	r := s.Reveal(1, nil)
	for name, o := range map[string]game.Observer{
		"path": newSampledAverages(m, s), "functions": newFunctionConstants(m, 2), "boundary": b, "count": newActiveCount(m, b),
	} {
		t.Run(name, func(t *testing.T) {
			i := 0
			next := func() {
				i++
				if err := o.Round(i, nil, r); err != nil {
					t.Fatal(err)
				}
			}
			next()
			if n := testing.AllocsPerRun(50, next); n != 0 {
				t.Errorf("got %v allocations a round, want 0", n)
			}
		})
	}
}
