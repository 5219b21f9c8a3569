package probtest_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/internal/errtest"
	"ocobench/internal/race"
	"ocobench/problems"
	"ocobench/problems/probtest"
	"ocobench/problems/recorded"
)

// opaqueFunc is a convex function known by value and subgradient only.
type opaqueFunc struct {
	F    func(x []float64) float64
	Grad func(dst, x []float64) // writes a subgradient at x to dst
}

func (f *opaqueFunc) Value(x []float64) float64 { return f.F(x) }
func (f *opaqueFunc) Subgrad(dst, x []float64)  { f.Grad(dst, x) }

// testedParams has the parameters of problems that have no defaults, or whose defaults are large:
// m·n numbers a round.
var testedParams = map[string]any{
	"doubly-stochastic": problems.DoublyStochasticParams{Size: 4},

	"trace": problems.TraceParams{File: "testdata/rounds.jsonl"},
}

// TestProblemsKeepAllLaws tests every problem of the registry. With the race detector it leaves the
// large problems to TestModesKeepAllLaws.
func TestProblemsKeepAllLaws(t *testing.T) {
	all := slices.DeleteFunc(slices.Clone(problems.All), func(p problems.Problem) bool {
		return race.Enabled && slices.Contains([]string{"doubly-stochastic", "fog-offloading",
			"job-scheduling"}, p.Name)
	})
	for i, p := range all {
		if params, ok := testedParams[p.Name]; ok {
			all[i].Params = params
		}
	}
	probtest.Run(t, all...)
}

// recordedFile returns a file of rounds of the problem iid.
func recordedFile(t *testing.T, count int) string {
	p, _ := problems.Lookup(problems.All, "iid")
	s, err := p.New(p.Params, rand.New(rand.NewPCG(3, 3)))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	w := recorded.NewWriter(&text)
	if err := w.Header(recorded.Header{Domain: s.Set(), Constraints: s.Constraints()}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= count; i++ {
		if err := w.Round(i, nil, s.Reveal(i, nil)); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// brokenLaws returns the names of the laws that a problem breaks.
func brokenLaws(p problems.Problem) (names []string) {
	for _, law := range probtest.Laws {
		if _, err := law.Test(p); err != nil {
			names = append(names, law.Name)
		}
	}
	return names
}

// TestModesKeepAllLaws tests the problems with parameters that lead through code which the
// defaults do not reach.
func TestModesKeepAllLaws(t *testing.T) {
	modes := map[string][]any{}
	for _, c := range []float64{0.5, 1} {
		modes["decaying-frequency"] = append(modes["decaying-frequency"],
			problems.DecayingFrequencyParams{C: c, Constraints: 2})
	}
	for i, set := range []string{"box", "ball", "simplex"} {
		for j, kind := range []string{"affine", "quadratic", "norm"} {
			space := problems.Space{Dim: 2 + i + j, Set: set, Radius: 0.5 + float64(i)}
			shapes := problems.Shapes{Constraints: 1 + j, Kind: kind, Margin: 0.25}
			losses := problems.Losses{LossNoise: float64(i), Curvature: float64(j) / 2}
			modes["fixed"] = append(modes["fixed"],
				problems.FixedParams{Space: space, Shapes: shapes, Losses: losses})
			for k, noise := range []string{"iid", "drift", "periodic", "adversarial"} {
				if (i+j+k)%2 == 1 {
					continue
				}
				modes["perturbed"] = append(modes["perturbed"], problems.PerturbedParams{
					Space: space, Shapes: shapes, Noise: noise, Amplitude: float64(k) / 10, Period: 7,
					Losses: losses})
			}
		}
		for j, direction := range []string{"random", "fixed"} {
			modes["iid"] = append(modes["iid"], problems.IIDParams{
				Space:       problems.Space{Dim: 2 + i, Set: set, Radius: 2},
				Constraints: 2, Slack: 0.25, Margin: 0.2 - 0.3*float64(j), Spread: float64(1+j) / 2,
				LossNoise: 1, Direction: direction, Angle: -75,
			})
		}
	}
	const count = 700
	file := recordedFile(t, count)
	modes["trace"] = []any{problems.TraceParams{File: file}} // which every stream reads
	for _, window := range []int{1, 100, count} {
		loaded, _, err := problems.Load(problems.TraceParams{File: file, Window: window})
		if err != nil {
			t.Fatal(err)
		}
		modes["trace"] = append(modes["trace"], loaded)
	}
	modes["mannor"] = append(modes["mannor"], problems.MannorParams{Threshold: 0.9})
	modes["alternating"] = append(modes["alternating"], problems.AlternatingParams{Swing: 0.5})
	modes["soft-gap"] = append(modes["soft-gap"], problems.SoftGapParams{Margin: 0.5},
		problems.SoftGapParams{Margin: 0.05, Opening: 20, Walls: 2})
	modes["regime-switch"] = append(modes["regime-switch"],
		problems.RegimeSwitchParams{Switch: 5, Slope: 0.5})
	for _, period := range []int{1, 7, 300} {
		costs := problems.Costs{Period: period}
		modes["yu-neely-lp"] = append(modes["yu-neely-lp"], problems.YuNeelyLPParams{Costs: costs})
		for _, loss := range []string{"quadratic", "linear"} {
			modes["online-qp"] = append(modes["online-qp"],
				problems.OnlineQPParams{Loss: loss, Costs: costs})
		}
	}
	modes["regression"] = []any{
		problems.RegressionParams{Dim: 1, Samples: 1, Constraints: 1, Noise: 3, Upper: 5, Slopes: 1},
		problems.RegressionParams{Dim: 4, Samples: 3, Constraints: 5, Upper: 5, Slopes: 1},
	}
	modes["logistic"] = []any{
		problems.LogisticParams{Dim: 54, Nonzeros: 12, Rho: 10, Samples: "sparse", Constraint: "elastic-net"},
		problems.LogisticParams{Dim: 1, Nonzeros: 1, Rho: 0.5, Samples: "sparse", Constraint: "elastic-net"},
		problems.LogisticParams{Dim: 3, Nonzeros: 3, Rho: 100, Samples: "sparse", Constraint: "elastic-net"},
	}
	modes["doubly-stochastic"] = []any{
		problems.DoublyStochasticParams{Size: 2}, problems.DoublyStochasticParams{Size: 3},
	}
	for i, set := range []string{"box", "ball", "simplex"} {
		for j, kind := range []string{"affine", "quadratic"} {
			space := problems.Space{Dim: 2 + i + j, Set: set, Radius: 0.5 + float64(i)}
			families := problems.Families{Constraints: 1 + i, Functions: 2 + 2*j, Kind: kind, Slack: 0.25,
				Margin: 0.2 - 0.3*float64(j), Spread: float64(i) / 2}
			losses := problems.Losses{LossNoise: 1, Curvature: float64(i) / 2}
			for _, draw := range []string{"balanced", "iid"} {
				modes["family"] = append(modes["family"],
					problems.FamilyParams{Space: space, Families: families, Draw: draw,
						Rate: 0.25 + 0.5*float64(j), Losses: losses})
			}
			modes["periodic"] = append(modes["periodic"],
				problems.PeriodicParams{Space: space, Families: families, Period: 4 + i, Losses: losses})
		}
	}
	for _, n := range []int{1, 2, 30} {
		modes["conflicting"] = append(modes["conflicting"],
			problems.ConflictingParams{Dim: n, Losses: problems.Losses{LossNoise: 0.5, Curvature: 2}})
	}
	for i, margin := range []float64{0, 0.5, 2} {
		modes["gradual-slater"] = append(modes["gradual-slater"],
			problems.GradualSlaterParams{Dim: 1 + i, Margin: margin, Noise: 0.35 * float64(i), Period: 5, Targets: "switch"})
	}
	// Rounds that leave something, but not the same in all of them, and rounds that may not.
	for _, margin := range []float64{-0.2, -0.5} {
		box := problems.Space{Dim: 2, Set: "box", Radius: 1}
		for constraints := range 2 {
			families := problems.Families{Constraints: 1 + constraints, Functions: 3, Kind: "affine",
				Slack: 0.25, Margin: margin, Spread: 0.8}
			modes["family"] = append(modes["family"],
				problems.FamilyParams{Space: box, Families: families, Draw: "iid",
					Losses: problems.Losses{LossNoise: 1}})
		}
		modes["iid"] = append(modes["iid"],
			problems.IIDParams{Space: box, Constraints: 2, Slack: 0.25, Margin: margin, Spread: 0.2,
				LossNoise: 1, Direction: "random"})
		for _, kind := range []string{"affine", "quadratic", "norm"} {
			modes["perturbed"] = append(modes["perturbed"],
				problems.PerturbedParams{Space: box, Noise: "iid",
					Shapes: problems.Shapes{Constraints: 3, Kind: kind, Margin: 0.2}, Amplitude: 0.2 - margin,
					Losses: problems.Losses{LossNoise: 1}})
		}
	}
	for _, kind := range []string{"affine", "quadratic"} {
		for _, amplitude := range []float64{-0.3, 0, 0.3} {
			modes["drifting-average"] = append(modes["drifting-average"],
				problems.DriftingAverageParams{Kind: kind, Amplitude: amplitude, Rate: 0.75, Turns: 0},
				problems.DriftingAverageParams{Kind: kind, Amplitude: amplitude, Rate: 1, Turns: 1})
		}
	}
	for n := 2; n <= 4; n++ {
		modes["drifting"] = append(modes["drifting"],
			problems.DriftingParams{Dim: n, Constraints: n - 1, Radius: 2, P: 1, Speed: 1, Orbit: 1,
				Loss: "quadratic", Pull: 0.1},
			problems.DriftingParams{Dim: n, Constraints: 2*n - 1, Radius: 0.5, P: 0.25 * float64(n-2),
				Speed: 0.1, Orbit: 0.25, Loss: "affine", Pull: 2})
	}
	modes["vaze-sinha"] = append(modes["vaze-sinha"], problems.VazeSinhaParams{A: 2.5, C: 100})
	line := problems.Space{Dim: 1, Set: "box", Radius: 1}
	modes["iid"] = append(modes["iid"],
		problems.IIDParams{Space: line, Constraints: 1, Slack: 0.25, Margin: 0.1, Spread: 0.5,
			LossNoise: 1, Direction: "random"})
	// Without a spread, constraints differ by numbers, and with margin = slack not at all.
	modes["iid"] = append(modes["iid"],
		problems.IIDParams{Space: line, Constraints: 2, Slack: 0.25, Margin: 0.25, LossNoise: 1,
			Direction: "random"})
	for _, margin := range []float64{0.1, 0.25} {
		families := problems.Families{Constraints: 2, Functions: 3, Kind: "affine", Slack: 0.25,
			Margin: margin}
		modes["family"] = append(modes["family"],
			problems.FamilyParams{Space: line, Families: families, Draw: "balanced", Rate: 1,
				Losses: problems.Losses{LossNoise: 1}})
		modes["periodic"] = append(modes["periodic"],
			problems.PeriodicParams{Space: line, Families: families, Period: 3,
				Losses: problems.Losses{LossNoise: 1}})
	}
	modes["fixed"] = append(modes["fixed"],
		problems.FixedParams{Space: line, Shapes: problems.Shapes{
			Constraints: 2, Kind: "affine", Margin: 0.25,
		}})
	defaults := map[string]any{}
	for _, p := range problems.All {
		defaults[p.Name] = p.Params
	}
	rounds := defaults["schedule"].(problems.ScheduleParams)
	for i, law := range []string{"turns", "rare", "iid", "worst", "stages"} {
		rounds.Set, rounds.Dim, rounds.Constraints,
			rounds.Functions = []string{"box", "ball", "simplex"}[i%3], 2+i%2, 1+i%2, 3
		rounds.Law, rounds.LossLaw, rounds.Curvature = law,
			[]string{"same", "worst", "iid", "rare", "turns"}[i], float64(i%2)
		if law == "stages" { // the mean of g_1 has either sign
			rounds.Slopes, rounds.Slack = []float64{1, 0, 0, 1, -1, 0}, []float64{0.1}
		}
		rounds.Period, rounds.Turn, rounds.Fade, rounds.Quadratic, rounds.Scale = 1.5, 0, 0,
			[]float64{0.5}, 1
		modes["schedule"] = append(modes["schedule"], rounds)
		rounds.Turn, rounds.Fade, rounds.Quadratic, rounds.Scale, rounds.PeriodGrowth,
			rounds.SlackGrowth = 0.3, 0.5*float64(i%2), []float64{3}, 100, 0.25, -0.5
		modes["schedule"] = append(modes["schedule"], rounds)
	}
	// One function in all rounds, and two that differ in slack or in their curvature.
	rounds = defaults["schedule"].(problems.ScheduleParams)
	rounds.Slopes, rounds.Point = []float64{0.5, 0.25, 0.5, 0.25}, []float64{0.5, -0.5}
	for _, rounds.Law = range []string{"turns", "iid"} {
		for _, rounds.Slack = range [][]float64{{0.25}, {0.25, 0.5}} {
			for _, rounds.Quadratic = range [][]float64{{0.25}, {0.25, 0}} {
				modes["schedule"] = append(modes["schedule"], rounds)
			}
		}
	}
	// One function is not chosen, whatever the law.
	rounds = defaults["schedule"].(problems.ScheduleParams)
	rounds.Functions, rounds.Losses, rounds.Slopes, rounds.Slack = 1, []float64{1, 0},
		[]float64{0.5, 0.25}, []float64{0.25}
	for _, rounds.Law = range []string{"iid", "worst"} {
		modes["schedule"] = append(modes["schedule"], rounds)
	}
	jobs := defaults["job-scheduling"].(problems.JobSchedulingParams)
	jobs.Servers, jobs.Zones, jobs.Jobs, jobs.SpikeProbability, jobs.Period = 5, 2, 30, 0.1, 7
	modes["job-scheduling"] = append(modes["job-scheduling"], jobs)
	fog := defaults["fog-offloading"].(problems.FogOffloadingParams)
	fog.Nodes, fog.Tick, fog.Cloud, fog.Period = 3, 0.3, 50, 7
	modes["fog-offloading"] = append(modes["fog-offloading"], fog)
	fog.DemandSwing, fog.DemandNoise, fog.ExponentSwing = 0, 0, 0
	modes["fog-offloading"] = append(modes["fog-offloading"], fog)
	wealth := defaults["portfolio"].(problems.PortfolioParams)
	for _, wealth.Loss = range []string{"log", "linear"} {
		for _, wealth.Budget = range []string{"risk", "turnover"} {
			modes["portfolio"] = append(modes["portfolio"], wealth)
		}
	}
	wealth.Budget, wealth.Turbulence = "risk", 1
	modes["portfolio"] = append(modes["portfolio"], wealth)
	for _, p := range problems.All {
		for k, params := range modes[p.Name] {
			if race.Enabled && k > 0 { // rounds are numbers, and one goroutine plays them
				break
			}
			p.Params = params
			t.Run(fmt.Sprintf("%+v", params), func(t *testing.T) { probtest.Run(t, p) })
		}
		delete(modes, p.Name)
	}
	for name := range modes {
		t.Errorf("got no problem %q, want one of the registry", name)
	}
}

// liarStream is a stream made of functions, on [−1, 1]. It may break any law.
type liarStream struct {
	facts  convex.Facts
	reveal func(t int, x []float64) convex.Round
	bare   bool // the list of the constraints is revealed as it is
	lists  problems.Instance
	round  convex.Round
}

func (l *liarStream) Set() convex.Set     { return convex.Cube(1, -1, 1) }
func (l *liarStream) Constraints() int    { return 1 }
func (l *liarStream) Facts() convex.Facts { return l.facts }
func (l *liarStream) Reveal(t int, x []float64) *convex.Round {
	l.round = l.reveal(t, x)
	if l.bare {
		return &l.round
	}
	return l.lists.Show(l.round.Loss, l.round.Constraints)
}

// lineFunc returns the function ax + b.
func lineFunc(a, b float64) convex.Func { return convex.Freeze(&convex.Affine{A: []float64{a}, B: b}) }

// newRound returns a round with one constraint.
func newRound(loss convex.Func, g convex.Func) convex.Round {
	return convex.Round{Loss: loss, Constraints: []convex.Func{g}}
}

// liarProblem returns a problem whose streams are liars.
func liarProblem(new func(rng *rand.Rand) *liarStream) problems.Problem {
	return problems.Problem{Name: "liar", Doc: "breaks one rule", Reference: "none", Version: 1,
		New: func(_ any, rng *rand.Rand) (problems.Stream, error) { return new(rng), nil }}
}

// TestLawsCatchFactsThatDependOnTheSeed: a fact that decides which games are played must not depend
// on the seed.
func TestLawsCatchFactsThatDependOnTheSeed(t *testing.T) {
	for name, set := range map[string]func(f *convex.Facts, drawn bool){
		"Adaptive":      func(f *convex.Facts, drawn bool) { f.Adaptive = drawn },
		"Deterministic": func(f *convex.Facts, drawn bool) { f.Deterministic = drawn },
		"Rounds": func(f *convex.Facts, drawn bool) {
			if drawn {
				f.Rounds = 1000
			}
		},
	} {
		odd := false
		p := liarProblem(func(rng *rand.Rand) *liarStream {
			l := &liarStream{facts: convex.Facts{Diameter: 2, Affine: true},
				reveal: func(int, []float64) convex.Round { return newRound(lineFunc(1, 0), lineFunc(0.5, -1)) }}
			odd = !odd
			set(&l.facts, odd)
			return l
		})
		for _, law := range probtest.Laws {
			if law.Name != "facts" {
				continue
			}
			_, err := law.Test(p)
			errtest.Contains(t, err, ", and with seed ", "%s depends on the seed", name)
		}
	}
}

// misfitFunc is an affine function whose normal form is another one.
type misfitFunc struct{ convex.Affine }

func (f *misfitFunc) AddTo(dst *convex.Form, scale float64) { dst.Const += 3 * scale }

// TestLawsCatchLiars tests the suite: each liar breaks the rule of its name, and
// perhaps some that follow from it.
func TestLawsCatchLiars(t *testing.T) {
	for _, law := range probtest.Laws {
		if law.Doc == "" || law.Remedy == "" {
			t.Errorf("law %q: got no remedy, want one", law.Name)
		}
	}
	honest := convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, LossRange: 2, ConstraintBound: 2,
		Diameter: 2, Slater: 0.5, Affine: true, Deterministic: true}
	declare := func(change func(f *convex.Facts)) convex.Facts {
		f := honest
		change(&f)
		return f
	}
	ordinary := func(int, []float64) convex.Round {
		return newRound(lineFunc(1, 0), lineFunc(0.5, -1))
	}
	shared := 0
	same := newRound(lineFunc(1, 0), lineFunc(0.5, -1))
	for rule, c := range map[string]struct {
		facts  convex.Facts
		reveal func(rng *rand.Rand) func(t int, x []float64) convex.Round
		also   string
		bare   bool
	}{
		"": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			return func(int, []float64) convex.Round { return same }
		}},
		"allocations": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			return ordinary
		}},
		"shapes": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			return func(t int, _ []float64) convex.Round {
				if t == 50 {
					return convex.Round{Loss: same.Loss}
				}
				return same
			}
		}, also: "allocations replay seeds"},
		"forms": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			r := newRound(convex.Freeze(&misfitFunc{convex.Affine{A: []float64{1}}}), lineFunc(0.5, -1))
			return func(int, []float64) convex.Round { return r }
		}},
		"convex": {facts: convex.Facts{Diameter: 2, Deterministic: true},
			reveal: func(*rand.Rand) func(int, []float64) convex.Round {
				r := newRound(convex.NewBasis(&opaqueFunc{
					F:    func(x []float64) float64 { return -x[0] * x[0] },
					Grad: func(dst, x []float64) { dst[0] = -2 * x[0] },
				}),
					convex.NewBasis(&convex.Distance{Weight: 1, Center: []float64{0}}))
				return func(int, []float64) convex.Round { return r }
			}},
		"replay": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			return func(int, []float64) convex.Round {
				shared++
				return newRound(lineFunc(float64(shared%7)/7, 0), lineFunc(0.5, -1))
			}
		}, also: "allocations blind seeds untouchable deterministic"},
		"seeds": {facts: declare(func(f *convex.Facts) { f.Deterministic = false }),
			reveal: func(rng *rand.Rand) func(int, []float64) convex.Round {
				return func(int, []float64) convex.Round { rng.Float64(); return same }
			}},
		"blind": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			return func(_ int, x []float64) convex.Round {
				if x != nil && x[0] > 0.5 {
					return newRound(lineFunc(0.5, 0), lineFunc(0.5, -1))
				}
				return same
			}
		}, also: "allocations"},
		"blind ": {facts: declare(func(f *convex.Facts) { f.Adaptive = true }), also: "blind"},
		"untouchable": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			r := newRound(same.Loss, &convex.Affine{A: []float64{0.5}, B: -1})
			return func(int, []float64) convex.Round { return r }
		}},
		"untouchable ": {facts: honest, reveal: func(*rand.Rand) func(int, []float64) convex.Round {
			g, slope := new(convex.Affine), []float64{0.5} // written, but not whole
			r := newRound(same.Loss, g)
			return func(int, []float64) convex.Round { *g = convex.Affine{A: slope, B: -1}; return r }
		}, also: "untouchable"},
		"untouchable  ": {facts: honest, bare: true,
			reveal: func(*rand.Rand) func(int, []float64) convex.Round {
				r := newRound(lineFunc(1, 0), lineFunc(0.5, -1)) // one list
				return func(int, []float64) convex.Round { return r }
			}, also: "untouchable"},
		"facts":     {facts: declare(func(f *convex.Facts) { f.Diameter = 3 })},
		"lipschitz": {facts: declare(func(f *convex.Facts) { f.ConstraintLipschitz = 0.25 })},
		"bounds":    {facts: declare(func(f *convex.Facts) { f.LossRange = 1.5 })},
		"curvature": {facts: declare(func(f *convex.Facts) { f.Curvature = 0.1 })},
		"slater":    {facts: declare(func(f *convex.Facts) { f.Slater = 1.6 })},
		"feasible": {facts: declare(func(f *convex.Facts) { f.Feasible, f.Slater = true, 0 }),
			reveal: func(*rand.Rand) func(int, []float64) convex.Round {
				none := newRound(lineFunc(1, 0), lineFunc(0.5, 0.5+1e-5)) // feasible at −1 but for a hair
				return func(t int, _ []float64) convex.Round {
					if t == 300 {
						return none
					}
					return same
				}
			}},
		"affine": {facts: declare(func(f *convex.Facts) { f.Affine = false })},
		"known":  {facts: declare(func(f *convex.Facts) { f.KnownConstraints = true })},
		"fixed": {facts: declare(func(f *convex.Facts) { f.Fixed = true }),
			reveal: func(*rand.Rand) func(int, []float64) convex.Round {
				other := newRound(lineFunc(1, 0), lineFunc(0.5, -1.5))
				return func(t int, _ []float64) convex.Round {
					if t == 300 {
						return other
					}
					return same
				}
			}},
		"deterministic": {facts: declare(func(f *convex.Facts) { f.Deterministic = false })},
		"deterministic ": {facts: honest, reveal: func(rng *rand.Rand) func(int, []float64) convex.Round {
			g, half := new(convex.Shifted), lineFunc(0.5, -1)
			r := newRound(same.Loss, g)
			return func(int, []float64) convex.Round {
				*g = convex.Shifted{Base: half, Shift: -rng.Float64() / 4}
				return r
			}
		}, also: "deterministic"},
		"iid": {facts: declare(func(f *convex.Facts) { f.IID, f.Deterministic = true, false }),
			reveal: func(rng *rand.Rand) func(int, []float64) convex.Round {
				v := 0.0 // a moving average: one law, but not independent
				return func(int, []float64) convex.Round {
					v = v/2 + rng.Float64()/2
					return newRound(lineFunc(1, 0), lineFunc(v/2, -1))
				}
			}, also: "allocations"},
	} {
		t.Run(rule, func(t *testing.T) {
			broken := brokenLaws(liarProblem(func(rng *rand.Rand) *liarStream {
				if c.reveal == nil {
					return &liarStream{facts: c.facts, reveal: func(int, []float64) convex.Round { return same }}
				}
				return &liarStream{facts: c.facts, reveal: c.reveal(rng), bare: c.bare}
			}))
			rule := strings.TrimSpace(rule)
			if rule != "" && !slices.Contains(broken, rule) {
				t.Errorf("got broken %v, want %s", broken, rule)
			}
			for _, b := range broken {
				if b != rule && !strings.Contains(c.also, b) {
					t.Errorf("got %s broken, want only the planted law", b)
				}
			}
		})
	}
}

// The laws of convexity and of Lipschitz constants evaluate all functions of a round at the same
// points, for all of which a program answers at once.
func TestFunctionsOfRoundShareTheirPoints(t *testing.T) {
	points := make([][]string, 2) // of the loss, and of the constraint
	watched := func(k int) convex.Func {
		return convex.NewBasis(&opaqueFunc{
			F: func(x []float64) float64 { points[k] = append(points[k], fmt.Sprint(x)); return x[0] },
			Grad: func(dst, x []float64) {
				points[k] = append(points[k], fmt.Sprint(x))
				dst[0] = 1
			}})
	}
	p := liarProblem(func(*rand.Rand) *liarStream {
		return &liarStream{facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1},
			reveal: func(int, []float64) convex.Round { return newRound(watched(0), watched(1)) }}
	})
	for _, l := range probtest.Laws {
		if l.Name != "convex" && l.Name != "lipschitz" {
			continue
		}
		points[0], points[1] = nil, nil
		if skip, err := l.Test(p); skip != "" || err != nil {
			t.Fatalf("%s: got skipped %q, error %v, want it kept", l.Name, skip, err)
		}
		if len(points[0]) == 0 || !slices.Equal(points[0], points[1]) {
			t.Errorf("%s: got %d points of the loss, %d of the constraint, want the same", l.Name,
				len(points[0]), len(points[1]))
		}
	}
}

// lenderStream is a liar that returns its own set, and not a copy.
type lenderStream struct {
	*liarStream
	set convex.Set
}

func (l *lenderStream) Set() convex.Set { return l.set }

func TestLawsCatchSharedSets(t *testing.T) {
	p := liarProblem(nil)
	p.New = func(any, *rand.Rand) (problems.Stream, error) {
		r := newRound(lineFunc(1, 0), lineFunc(0.5, -1))
		l := &liarStream{facts: convex.Facts{Diameter: 2, Affine: true, Deterministic: true},
			reveal: func(int, []float64) convex.Round { return r }}
		return &lenderStream{l, convex.Cube(1, -1, 1)}, nil
	}
	if broken := brokenLaws(p); !slices.Equal(broken, []string{"untouchable"}) {
		t.Errorf("got broken %v, want untouchable", broken)
	}
}

// oracleStream is a liar that says what its constraints are on average.
type oracleStream struct {
	*liarStream
	mean func() []convex.Func
}

func (o *oracleStream) Expectation() []convex.Func { return o.mean() }

func TestLawsCatchWrongExpectations(t *testing.T) {
	is := func(fs ...convex.Func) func(convex.Func) []convex.Func {
		return func(convex.Func) []convex.Func { return fs }
	}
	for _, c := range []struct {
		name   string
		iid    bool
		mean   func(g convex.Func) []convex.Func // g is the constraint of the round
		broken bool
	}{
		{"right", true, is(lineFunc(0.5, -0.5)), false},
		{"unknown", true, is(), false},
		{"off", true, is(lineFunc(0.5, -0.45)), true},
		{"off, but rounds need not be of one law", false, is(lineFunc(0.5, -0.45)), false},
		{"one too many", false, is(lineFunc(0.5, -0.5), lineFunc(0.5, -0.5)), true},
		{"one that changes", false, func(g convex.Func) []convex.Func { return []convex.Func{g} }, true},
	} {
		p := problems.Problem{Name: "oracle", Doc: "may break one rule", Reference: "none", Version: 1,
			New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
				g, half := &convex.Shifted{Base: lineFunc(0.5, 0)}, lineFunc(0.5, 0)
				r := newRound(lineFunc(1, 0), g)
				l := &liarStream{facts: convex.Facts{Diameter: 2, Affine: true, IID: c.iid},
					reveal: func(int, []float64) convex.Round {
						*g = convex.Shifted{Base: half, Shift: -rng.Float64()} // uniform on [−1, 0]
						return r
					}}
				return &oracleStream{l, func() []convex.Func { return c.mean(g) }}, nil
			}}
		broken := brokenLaws(p)
		if c.broken && slices.Contains(broken, "untouchable") { // by one that changes
			broken = slices.DeleteFunc(broken, func(law string) bool { return law == "untouchable" })
		}
		if slices.Contains(broken, "expectation") != c.broken || len(broken) > 1 {
			t.Errorf("%s: got broken %v, want expectation: %v", c.name, broken, c.broken)
		}
	}
}

func TestRegistryNamesEveryFault(t *testing.T) {
	good := liarProblem(func(*rand.Rand) *liarStream { return nil })
	for want, change := range map[string]func(p *problems.Problem){
		"kebab-case":  func(p *problems.Problem) { p.Name = "My_Problem" },
		"sentence":    func(p *problems.Problem) { p.Doc = "" },
		"Reference":   func(p *problems.Problem) { p.Reference = "" },
		"Version":     func(p *problems.Problem) { p.Version = 0 },
		"New":         func(p *problems.Problem) { p.New = nil },
		"Params":      func(p *problems.Problem) { p.Params = &struct{}{} },
		"two":         func(*problems.Problem) {},
		"every":       func(p *problems.Problem) { p.Name = "all" },
		"every other": func(p *problems.Problem) { p.Name = "others" },
	} {
		bad := good
		bad.Name = "other"
		change(&bad)
		all := []problems.Problem{good, bad}
		if want == "two" {
			all[1].Name = good.Name
		}
		errtest.Contains(t, probtest.Registry(all), want)
	}
	if err := probtest.Registry([]problems.Problem{good}); err != nil {
		t.Errorf("a good registry: got error %v, want none", err)
	}
}
