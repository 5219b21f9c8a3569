package problems

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/errtest"
	"ocobench/internal/golden"
	"ocobench/internal/long"
	"ocobench/internal/tool"
)

func init() { long.InMemory() }

// testInstance is a problem with parameters.
type testInstance struct {
	name    string
	problem Problem
	params  any
}

// stream starts the instance with a seed; an error ends the test.
func (c testInstance) stream(t testing.TB, seed uint64) Stream {
	t.Helper()
	s, err := c.problem.New(c.params, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return s
}

// testInstances returns every generator in every mode. A problem that no row names is there with
// its defaults.
func testInstances() []testInstance {
	all := []testInstance{
		{"shrinking", shrinking, nil},
		{"trace", trace, TraceParams{File: "testdata/rounds.jsonl"}},
		{"mannor", mannor, mannor.Params},
		{"mannor threshold=0.6", mannor, MannorParams{Threshold: 0.6}},
		{"soft-gap", softGap, softGap.Params},
		{"soft-gap margin=0.3", softGap, SoftGapParams{Margin: 0.3}},
		{"alternating", alternating, alternating.Params},
		{"alternating swing=0", alternating, AlternatingParams{}},
		{"soft-gap opening=500 walls=2", softGap, SoftGapParams{Margin: 0.05, Opening: 500, Walls: 2}},
		{"pinned", pinned, pinned.Params},
		{"regime-switch", regimeSwitch, regimeSwitch.Params},
		{"regime-switch switch=7 slope=0.5", regimeSwitch, RegimeSwitchParams{Switch: 7, Slope: 0.5}},
		{"drifting-average", driftingAverage, driftingAverage.Params},
		{"drifting-average swings", driftingAverage,
			DriftingAverageParams{Kind: "affine", Amplitude: 0.25, Turns: 1}},
		{"drifting-average quadratic", driftingAverage,
			DriftingAverageParams{Kind: "quadratic", Amplitude: -0.1, Rate: 0.25}},
	}
	for _, c := range []float64{0.5, 0.9, 1} {
		for m := 1; m <= 2; m++ {
			all = append(all, testInstance{fmt.Sprintf("decaying-frequency c=%v m=%d", c, m),
				decayingFrequency, DecayingFrequencyParams{C: c, Constraints: m}})
		}
	}
	for _, period := range []int{5000, 7} { // the second repeats within the digests
		costs := Costs{Period: period}
		all = append(all, testInstance{fmt.Sprintf("yu-neely-lp period=%d", period), yuNeelyLP,
			YuNeelyLPParams{costs}})
		for _, loss := range []string{"quadratic", "linear"} {
			all = append(all, testInstance{fmt.Sprintf("online-qp %s period=%d", loss, period), onlineQP,
				OnlineQPParams{loss, costs}})
		}
	}
	all = append(all,
		testInstance{"regression", regression,
			RegressionParams{Dim: 10, Samples: 4, Constraints: 2, Noise: 1, Upper: 5, Slopes: 1}},
		testInstance{"regression line", regression,
			RegressionParams{Dim: 1, Samples: 1, Constraints: 1, Noise: 3, Upper: 5, Slopes: 1}},
		testInstance{"regression small", regression, RegressionParams{Dim: 10, Samples: 4, Constraints: 4,
			Noise: 1, Clip: 1, Upper: 1, Slopes: 2}},
		testInstance{"regression narrow", regression, RegressionParams{Dim: 2, Samples: 1, Constraints: 1,
			Noise: 1, Clip: 0.01, Upper: 0.25, Slopes: 0.1}},
		testInstance{"uniform-targets", uniformTargets, uniformTargets.Params},
		testInstance{"uniform-targets line", uniformTargets,
			UniformTargetsParams{Dim: 1, Radius: 2, Half: 2, Weight: 0.5, Low: 1, High: 1}},
		testInstance{"uniform-targets 5", uniformTargets,
			UniformTargetsParams{Dim: 5, Radius: 1, Half: 0.25, Weight: 1, Low: -3, High: 4}},
		testInstance{"doubly-stochastic 2", doublyStochastic, DoublyStochasticParams{Size: 2}},
		testInstance{"logistic", logistic, LogisticParams{Dim: 22, Nonzeros: 12, Rho: 10, Samples: "sparse", Constraint: "elastic-net"}},
		testInstance{"logistic line", logistic, LogisticParams{Dim: 1, Nonzeros: 1, Rho: 0.5, Samples: "sparse", Constraint: "elastic-net"}},
		testInstance{"logistic normal", logistic, LogisticParams{Dim: 20, Nonzeros: 12, Rho: 0.6,
			Samples: "normal", Constraint: "norm", Radius: 5}},
		testInstance{"logistic norm", logistic, LogisticParams{Dim: 3, Nonzeros: 2, Rho: 2,
			Constraint: "norm", Samples: "sparse"}},
		testInstance{"logistic wide", logistic, LogisticParams{Dim: 2, Nonzeros: 1, Rho: 1,
			Samples: "normal", Radius: 0.5, Constraint: "elastic-net"}},
		testInstance{"doubly-stochastic 3", doublyStochastic, DoublyStochasticParams{Size: 3}},
	)
	for i, set := range []string{"box", "ball", "simplex"} {
		for _, n := range []int{1, 2, 5} {
			if set == "simplex" && n == 1 {
				continue
			}
			space := Space{Dim: n, Set: set, Radius: 1.5}
			for j, kind := range []string{"affine", "quadratic", "norm"} {
				shapes := Shapes{Constraints: 2, Kind: kind, Margin: 0.25}
				losses := Losses{LossNoise: 0.5, Curvature: float64((i + j) % 2)}
				all = append(all, testInstance{fmt.Sprintf("fixed %s %d %s", set, n, kind), fixed,
					FixedParams{space, shapes, losses}})
				for k, noise := range []string{"iid", "drift", "periodic", "adversarial"} {
					if (i+j+k)%2 == 0 || n == 2 {
						all = append(all, testInstance{fmt.Sprintf("perturbed %s %d %s %s", set, n, kind, noise),
							perturbed,
							PerturbedParams{Space: space, Shapes: shapes, Noise: noise, Amplitude: 0.125 * float64(k+1),
								Period: 7, Losses: losses}})
					}
				}
			}
			p := IIDParams{Space: space, Constraints: 3, Slack: 0.25, Margin: 0.1, Spread: 0.5, LossNoise: 1,
				Direction: "random"}
			all = append(all, testInstance{fmt.Sprintf("iid %s %d", set, n), iid, p})
			if n > 1 {
				p.Margin, p.Spread, p.Direction, p.Angle = -0.1, 1, "fixed", 30
				all = append(all, testInstance{fmt.Sprintf("iid %s %d fixed direction", set, n), iid, p})
			}
			for j, kind := range []string{"affine", "quadratic"} {
				families := Families{Constraints: 1 + j, Functions: 2 + i + n%2, Kind: kind, Slack: 0.25,
					Margin: 0.1 - 0.2*float64(j), Spread: 0.5}
				losses := Losses{LossNoise: 0.5, Curvature: float64((i + j) % 2)}
				for k, draw := range []string{"balanced", "iid"} {
					if (i+j+k)%2 == 0 || n == 2 {
						all = append(all, testInstance{fmt.Sprintf("family %s %d %s %s", set, n, kind, draw), family,
							FamilyParams{Space: space, Families: families, Draw: draw, Rate: 0.25 * float64(1+i+j),
								Losses: losses}})
					}
				}
				all = append(all, testInstance{fmt.Sprintf("periodic %s %d %s", set, n, kind), periodic,
					PeriodicParams{Space: space, Families: families, Period: 7, Losses: losses}})
			}
		}
	}
	for _, n := range []int{1, 2, 5} {
		all = append(all,
			testInstance{fmt.Sprintf("gradual-slater %d", n), gradualSlater,
				GradualSlaterParams{Dim: n, Margin: 0.1 * float64(n), Noise: 0.35, Period: 30, Targets: "switch"}},
			testInstance{fmt.Sprintf("gradual-slater circle %d", n), gradualSlater,
				GradualSlaterParams{Dim: n, Margin: 0.3, Noise: 0.7, Period: 50, Targets: "circle"}},
			testInstance{fmt.Sprintf("conflicting %d", n), conflicting,
				ConflictingParams{Dim: n, Losses: Losses{LossNoise: 1, Curvature: float64(n % 2)}}})
	}
	all = append(all, testInstance{"vaze-sinha", vazeSinha, VazeSinhaParams{A: 3, C: 2}})
	all = append(all, driftingInstances()...)
	all = append(all, scheduleInstances()...)
	jobs := jobScheduling.Params.(JobSchedulingParams)
	all = append(all, testInstance{"job-scheduling", jobScheduling, jobs})
	jobs.Servers, jobs.Zones, jobs.Jobs, jobs.SpikeProbability = 5, 2, 30, 0.1
	all = append(all, testInstance{"job-scheduling small", jobScheduling, jobs})
	fog := fogOffloading.Params.(FogOffloadingParams)
	all = append(all, testInstance{"fog-offloading", fogOffloading, fog})
	fog.Nodes, fog.Tick, fog.Cloud, fog.Period = 3, 0.3, 50, 7
	all = append(all, testInstance{"fog-offloading small", fogOffloading, fog})
	wealth := portfolio.Params.(PortfolioParams)
	for _, wealth.Loss = range []string{"log", "linear"} {
		for _, wealth.Budget = range []string{"risk", "turnover"} {
			all = append(all, testInstance{fmt.Sprintf("portfolio %s %s", wealth.Loss, wealth.Budget),
				portfolio, wealth})
		}
	}
	for _, p := range All {
		if !slices.ContainsFunc(all, func(c testInstance) bool { return c.problem.Name == p.Name }) {
			all = append(all, testInstance{p.Name, p, p.Params})
		}
	}
	return all
}

// randomPoint draws a point of the set.
func randomPoint(set convex.Set, rng *rand.Rand) []float64 {
	x := make([]float64, set.Dim())
	for i := range x {
		x[i] = uniform(rng, -2, 2)
	}
	set.Project(x, x)
	return x
}

// TestDigests compares the first 1000 rounds of every generator with those of the last time that
// its Version was raised: whoever changes the rounds raises it. TestOtherTargetsHaveTheSameRounds
// runs this test on other targets.
func TestDigests(t *testing.T) {
	var all []golden.Digest
	for _, c := range testInstances() {
		s := c.stream(t, 2026)
		rng := rand.New(rand.NewPCG(1, 2))
		points := [][]float64{randomPoint(s.Set(), rng), randomPoint(s.Set(), rng)}
		grad := make([]float64, s.Set().Dim())
		h := sha256.New()
		emit := func(xs ...float64) {
			for _, x := range xs {
				var bits [8]byte
				binary.LittleEndian.PutUint64(bits[:], math.Float64bits(x+0)) // one zero
				h.Write(bits[:])
			}
		}
		rounds := 1000
		if n := s.Facts().Rounds; n > 0 {
			rounds = min(rounds, n)
		}
		for i := 1; i <= rounds; i++ {
			r := s.Reveal(i, points[i%2])
			for _, f := range append([]convex.Func{r.Loss}, r.Constraints...) {
				for _, x := range points {
					f.Subgrad(grad, x)
					emit(f.Value(x))
					emit(grad...)
				}
			}
		}
		f := s.Facts()
		emit(f.LossLipschitz, f.ConstraintLipschitz, f.LossRange, f.ConstraintBound, f.Diameter, f.Slater,
			f.Curvature)
		all = append(all, golden.Digest{Entry: c.problem.Name, Version: c.problem.Version, Case: c.name,
			Digest: fmt.Sprintf("%x", h.Sum(nil)[:8])})
	}
	golden.Digests(t, "digests.golden", "reveals other rounds", "packages convex and convex/vec", all,
		*update)
}

// TestOtherTargetsHaveTheSameRounds builds this test for other targets and runs TestDigests there.
// A sample has the target that this processor runs by itself; emulation takes three times as long.
func TestOtherTargetsHaveTheSameRounds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for other targets: skipped in short mode")
	}
	t.Parallel()
	long.Run(t, func(t *testing.T, whole bool) {
		for _, target := range []tool.Target{tool.ARM64, tool.AMD64v3} {
			t.Run(target.Name, func(t *testing.T) { tool.RunOn(t, target, whole, "TestDigests") })
		}
	})
}

// The binding constraint comes as often as its expectation Σ_{τ≤t} 0.1c/τ^{1−c} says, over many
// instances: within five standard errors, false alarm below 1e-6 each.
func TestBindingConstraintComesAsOftenAsExpected(t *testing.T) {
	const instances, rounds = 40, 4000
	for _, c := range []float64{0.25, 0.5, 0.6, 0.75, 0.9, 1} {
		for m := 1; m <= 2; m++ {
			count, mean, variance := 0.0, 0.0, 0.0
			for i := 1; i <= rounds; i++ {
				p := 0.1 * c * math.Pow(float64(i), c-1)
				mean += p
				variance += p * (1 - p)
			}
			// The sum is an integral, nearly: the paper's 0.1 t^c.
			if ideal := 0.1 * math.Pow(rounds, c); math.Abs(mean-ideal) > 0.1 {
				t.Errorf("c=%v: expectation %v, want about %v", c, mean, ideal)
			}
			for seed := range uint64(instances) {
				s := testInstance{"", decayingFrequency, DecayingFrequencyParams{C: c, Constraints: m}}.stream(t,
					seed)
				for i := 1; i <= rounds; i++ {
					g := s.Reveal(i, nil).Constraints
					v, w := g[0].Value([]float64{5}), 0.0
					if m == 2 {
						w = g[1].Value([]float64{5})
					}
					switch {
					case v+w == 5 && v*w == 0 && (m == 1 || w == 5):
						count++
					case v+w == -0.01 && v*w == 0 && w == 0:
					default:
						t.Fatalf("c=%v m=%d round %d: got constraints %v, %v at 5, want one of them to bind, or none",
							c, m, i, v, w)
					}
				}
			}
			z := (count/instances - mean) / math.Sqrt(variance/instances)
			if math.Abs(z) > 5 {
				t.Errorf("c=%v m=%d: got the binding constraint %.2f times by round %d, want %.2f (%.1f "+
					"standard errors)", c, m, count/instances, rounds, mean, z)
			}
		}
	}
}

// The binding constraint comes in the first round with the probability 0.1c, and in the second with
// 0.1c/2^(1−c): within five standard errors over many seeds.
func TestFirstRoundsHaveTheDeclaredFrequency(t *testing.T) {
	const c, seeds = 0.5, 20000
	var count [2]float64
	for seed := range uint64(seeds) {
		s := testInstance{"", decayingFrequency, DecayingFrequencyParams{C: c, Constraints: 1}}.stream(t,
			seed)
		for k := range count {
			if s.Reveal(k+1, nil).Constraints[0].Value([]float64{5}) > 0 {
				count[k]++
			}
		}
	}
	for k, got := range count {
		p := 0.1 * c / math.Pow(float64(k+1), 1-c)
		if mean := p * seeds; math.Abs(got-mean) > 5*math.Sqrt(mean*(1-p)) {
			t.Errorf("the binding constraint comes in round %d of %v games, want about %.0f", k+1, got, mean)
		}
	}
}

// shiftsOf returns b_1, …, b_rounds of each constraint of a perturbed problem.
func shiftsOf(t *testing.T, p PerturbedParams, rounds int) [][]float64 {
	s := testInstance{"perturbed", perturbed, p}.stream(t, 3)
	shifts := make([][]float64, s.Constraints())
	for i := 1; i <= rounds; i++ {
		for j, g := range s.Reveal(i, nil).Constraints {
			shifts[j] = append(shifts[j], g.(*convex.Shifted).Shift)
		}
	}
	return shifts
}

// The averages and maxima of the four sequences are as documented.
func TestPerturbationsHaveTheirAverages(t *testing.T) {
	const rounds, A = 1<<14 - 1, 0.5
	p := perturbed.Params.(PerturbedParams)
	p.Constraints, p.Amplitude, p.Period = 3, A, 12
	for _, noise := range []string{"iid", "drift", "periodic", "adversarial"} {
		p.Noise = noise
		for j, b := range shiftsOf(t, p, rounds) {
			sum, largest, scaled, swing := 0.0, math.Inf(-1), 0.0, 0.0
			low, high := math.Inf(1), math.Inf(-1)
			for i, v := range b {
				if math.Abs(v) > A {
					t.Fatalf("%s: got |b| = %v, want at most %v", noise, v, A)
				}
				sum += v
				largest = max(largest, v)
				n := float64(i + 1)
				scaled = max(scaled, math.Abs(sum)/math.Sqrt(n))
				if i >= rounds/4 {
					swing = max(swing, math.Abs(sum)/math.Sqrt(n))
					low, high = min(low, sum/n), max(high, sum/n)
				}
			}
			fail := func(what string, got any) {
				t.Errorf("%s, constraint %d: got %s %v, want that of the law", noise, j+1, what, got)
			}
			if largest < 0.96*A {
				fail("the largest b", largest)
			}
			switch noise {
			case "iid": // five standard errors
				if math.Abs(sum) > 5*A/math.Sqrt(3)*math.Sqrt(rounds) {
					fail("the sum", sum)
				}
			case "drift":
				if scaled > 2*A || swing < 0.9*A || swing > 1.1*A {
					fail("the largest |sum|/√t, all and late,", [2]float64{scaled, swing})
				}
			case "periodic":
				if mean := vec.Sum(b[:12*100]); math.Abs(mean) > 1e-9 {
					fail("the sum over periods", mean)
				}
				if b[5] != b[5+12*50] {
					fail("the round 50 periods later", b[5+12*50]-b[5])
				}
			case "adversarial":
				if math.Abs(low+A/3) > 1e-3 || math.Abs(high-A/3) > 1e-3 {
					fail("the late range of averages", [2]float64{low, high})
				}
				if got := [7]float64(b[:7]); got != [7]float64{A, -A, -A, A, A, A, A} {
					fail("the beginning", got)
				}
			}
		}
	}
}

// In every drawn instance g_1 stands in the way of the drift within √2·margin of the centre, and
// the margin there is as declared.
func TestDrawnConstraintsBindWithinTheirMargin(t *testing.T) {
	for _, set := range []string{"box", "ball", "simplex"} {
		for _, kind := range []string{"affine", "quadratic", "norm"} {
			for seed := range uint64(50) {
				p := FixedParams{Space{Dim: 2 + int(seed%5), Set: set, Radius: 3},
					Shapes{Constraints: 3, Kind: kind, Margin: 0.25}, Losses{}}
				rng := rand.New(rand.NewPCG(seed, 1))
				space, err := p.Space.newSpace()
				if err != nil {
					t.Fatal(err)
				}
				drift := space.drawDirection(rng)
				s, err := newShapes(p.Shapes, space, p.Radius, drift, rng)
				if err != nil {
					t.Fatal(err)
				}
				x := make([]float64, p.Dim)
				vec.AxpyTo(x, math.Sqrt2*p.Margin+1e-9, drift, space.center)
				if g := s.funcs[0].Value(x); g < 0 {
					t.Errorf("%s %s seed %d: got g_1 = %v beyond the margin, want at least 0", set, kind, seed, g)
				}
				for j, g := range s.funcs {
					if v := g.Value(space.center); math.Abs(v+s.margins[j]) > 1e-12 || s.margins[j] < p.Margin ||
						s.margins[0] != p.Margin {
						t.Errorf("%s %s seed %d: got g_%d(z) = %v, want its margin %v, the first the least", set,
							kind, seed, j+1, v, s.margins[j])
					}
				}
				if set == "simplex" && math.Abs(vec.Sum(drift)) > 1e-12 {
					t.Errorf("seed %d: got drift %v, want one within the simplex", seed, drift)
				}
			}
		}
	}
}

// The angle changes the loss alone.
func TestFixedDirectionKeepsConstraints(t *testing.T) {
	p := iid.Params.(IIDParams)
	p.Constraints, p.Dim = 2, 3
	random := testInstance{"iid", iid, p}.stream(t, 9)
	p.Direction, p.Angle = "fixed", 60
	fixed := testInstance{"iid", iid, p}.stream(t, 9)
	x := []float64{0.25, -0.5, 1}
	for i := 1; i <= 100; i++ {
		a, b := random.Reveal(i, nil), fixed.Reveal(i, nil)
		for j := range a.Constraints {
			if a.Constraints[j].Value(x) != b.Constraints[j].Value(x) {
				t.Fatalf("round %d: got constraint %d changed by the direction, want it the same", i, j+1)
			}
		}
		if got, want := b.Loss.Value(x), -(0.5*x[0] + math.Sqrt(3)/2*x[1]); !isNear(got, want) {
			t.Fatalf("round %d: loss %v, want %v", i, got, want)
		}
	}
}

func TestBadParametersAreRefused(t *testing.T) {
	for want, c := range map[string]testInstance{
		"dim=2 or more": {"", fixed,
			FixedParams{Space{1, "simplex", 1}, Shapes{1, "affine", 1}, Losses{}}},
		`set: unknown value`: {"", fixed,
			FixedParams{Space{1, "cube", 1}, Shapes{1, "affine", 1}, Losses{}}},
		`kind: unknown value`: {"", fixed,
			FixedParams{Space{1, "box", 1}, Shapes{1, "cubic", 1}, Losses{}}},
		`noise: unknown value`: {"", perturbed,
			PerturbedParams{Space: Space{1, "box", 1}, Shapes: Shapes{1, "affine", 1}, Noise: "pink"}},
		"nonzeros 4 is more":  {"", logistic, LogisticParams{Dim: 3, Nonzeros: 4, Rho: 1, Samples: "sparse", Constraint: "elastic-net"}},
		`loss: unknown value`: {"", onlineQP, OnlineQPParams{"cubic", Costs{1}}},
		"margin 1 is more than": {"", iid,
			IIDParams{Space: Space{1, "box", 1}, Constraints: 1, Slack: 0.5, Margin: 1, Direction: "random"}},
		"margin 2 is more than": {"", family,
			FamilyParams{Space: Space{1, "box", 1}, Families: Families{1, 2, "affine", 1, 2, 0},
				Draw: "iid"}},
		"affine, quadratic)": {"", periodic,
			PeriodicParams{Space: Space{1, "box", 1}, Families: Families{1, 2, "norm", 1, 0, 0}, Period: 5}},
		`draw: unknown value`: {"", family,
			FamilyParams{Space: Space{1, "box", 1}, Families: familiesDefaults, Draw: "raffle"}},
		"is too short for 3": {"", periodic,
			PeriodicParams{Space: Space{1, "box", 1}, Families: familiesDefaults, Period: 2}},
		"direction=fixed needs two": {"", iid,
			IIDParams{Space: Space{1, "box", 1}, Constraints: 1, Slack: 0.5, Direction: "fixed"}},
		"zones 3 is more than": {"", jobScheduling, JobSchedulingParams{Servers: 2, Zones: 3}},
		"floor 2 is more than": {"", jobScheduling,
			JobSchedulingParams{Servers: 2, Zones: 1, Floor: 2, Ceiling: 1}},
		"low 2 is more than": {"", uniformTargets,
			UniformTargetsParams{Dim: 1, Radius: 1, Half: 1, Weight: 1, Low: 2, High: 1}},
		"half 2 is more than": {"", uniformTargets,
			UniformTargetsParams{Dim: 1, Radius: 1, Half: 2, Weight: 1}},
		"demand falls below 0": {"", fogOffloading,
			FogOffloadingParams{Exponent: 5, Tick: 0.1, Demand: 1, DemandNoise: 2}},
		"of cash is more": {"", portfolio, PortfolioParams{Rate: 0.1, Cap: 0.05}},
		`unknown value "root"`: {"", portfolio,
			PortfolioParams{Dim: 2, Loss: "root", Cap: 0.1, Unit: 1}},
		`budget: unknown value`: {"", portfolio,
			PortfolioParams{Dim: 2, Loss: "log", Budget: "time", Cap: 0.1, Unit: 1}},
	} {
		t.Run(c.problem.Name+" "+want, func(t *testing.T) {
			_, err := c.problem.New(c.params, rand.New(rand.NewPCG(1, 1)))
			errtest.Contains(t, err, want)
			// A check across parameters refuses what New refuses, in the same words.
			if p, ok := c.params.(interface{ Validate() error }); ok && err != nil {
				if early := p.Validate(); early != nil && early.Error() != err.Error() {
					t.Errorf("Validate says %v, want %v as New", early, err)
				}
			}
		})
	}
}

// What is known of constraints on average is known where they are of one law.
func TestExpectationIsOfOneLaw(t *testing.T) {
	for _, c := range testInstances() {
		s := c.stream(t, 3)
		known := s.(Expecter).Expectation() != nil
		want := s.Facts().Fixed
		switch p := c.params.(type) {
		case DecayingFrequencyParams:
			if want = p.C == 1; s.Facts().IID != want {
				t.Errorf("%s: IID is declared as %v, want %v", c.name, s.Facts().IID, want)
			}
		case PerturbedParams:
			want = p.Noise == "iid"
		case MannorParams, SoftGapParams, PinnedParams, TraceParams, nil:
		default:
			want = known // of others, the suite of problems holds it to the rounds
		}
		if known != want {
			t.Errorf("%s: got an expectation: %v, want %v", c.name, known, want)
		}
		if s.Facts().Fixed && !known {
			t.Errorf("%s: got no expectation of fixed constraints, want one", c.name)
		}
	}
	// What averages tend to: they are near after many periods and regimes.
	const rounds = 288 * 200
	for _, c := range testInstances() {
		switch c.problem.Name {
		case jobScheduling.Name, fogOffloading.Name, portfolio.Name:
		default:
			continue
		}
		s := c.stream(t, 3)
		mean := s.(Expecter).Expectation()
		x := randomPoint(s.Set(), rand.New(rand.NewPCG(1, 2)))
		sums := make([]float64, s.Constraints())
		for i := 1; i <= rounds; i++ {
			for j, g := range s.Reveal(i, nil).Constraints {
				sums[j] += g.Value(x) / rounds
			}
		}
		for j, f := range mean {
			tolerance := 0.02 * (1 + math.Abs(sums[j]))
			if s, ok := s.(*portfolioStream); ok {
				// Five standard deviations of the share of a regime, of a chain
				// with the second eigenvalue λ.
				share := s.p.Calm / (s.p.Calm + s.p.Turbulent)
				lambda := 1 - 1/s.p.Calm - 1/s.p.Turbulent
				sd := math.Sqrt(share * (1 - share) * (1 + lambda) / (1 - lambda) / rounds)
				tolerance = 5 * sd * math.Abs(s.turbulentRisk.Value(x)-s.calmRisk.Value(x))
			}
			if d := math.Abs(sums[j] - f.Value(x)); d > tolerance {
				t.Errorf("%s: constraint %d: got %v on average, want %v as said", c.name, j+1, sums[j],
					f.Value(x))
			}
		}
	}
	s := testInstance{"", decayingFrequency, DecayingFrequencyParams{C: 1, Constraints: 2}}.stream(t, 1)
	mean := s.(Expecter).Expectation()
	if a, b := mean[0].Value([]float64{5}), mean[1].Value([]float64{5}); a != -0.009 || b != 0.5 {
		t.Errorf("the means at 5 are %v and %v, want −0.009 and 0.5", a, b)
	}
}
