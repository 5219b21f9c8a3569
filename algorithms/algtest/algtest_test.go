package algtest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
)

// faultyLearner is a learner with one fault: its hooks replace the methods of a right learner.
type faultyLearner struct {
	algorithms.Learner
	act     func(l *faultyLearner, dst []float64)
	observe func(l *faultyLearner, x []float64, r convex.Round) error
	setup   algorithms.Setup
	kept    convex.Func
	x       []float64
	t       int
}

// Act implements [algorithms.Learner].
func (l *faultyLearner) Act(dst []float64) {
	if l.act != nil {
		l.act(l, dst)
		return
	}
	l.Learner.Act(dst)
}

// Observe implements [algorithms.Learner].
func (l *faultyLearner) Observe(x []float64, r convex.Round) error {
	l.t++
	if l.observe != nil {
		return l.observe(l, x, r)
	}
	return l.Learner.Observe(x, r)
}

// registered returns the algorithm of the registry with a name.
func registered(name string) algorithms.Algorithm {
	a, ok := algorithms.Lookup(algorithms.All, name)
	if !ok {
		panic("no algorithm " + name)
	}
	return a
}

// withFault returns an algorithm of the registry with a fault.
func withFault(name string, fault faultyLearner) algorithms.Algorithm {
	return addFault(registered(name), fault)
}

// twoPointCheat returns ogd with two-point feedback and an Observe that asks for something else.
func twoPointCheat(
	observe func(l *faultyLearner, x []float64, r convex.Round) error) algorithms.Algorithm {
	a, err := registered("ogd").WithTwoPoint()
	if err != nil {
		panic(err)
	}
	return addFault(a, faultyLearner{observe: observe})
}

// elsewhere is a function whose values are asked for at other points.
type elsewhere struct {
	convex.Func
	point func(x []float64) []float64
}

func (f elsewhere) Value(x []float64) float64 { return f.Func.Value(f.point(x)) }

// addFault returns an algorithm whose learners have a fault.
func addFault(a algorithms.Algorithm, fault faultyLearner) algorithms.Algorithm {
	right := a.New
	a.New = func(p any, s algorithms.Setup) (algorithms.Learner, error) {
		l := fault
		l.setup = s
		var err error
		l.Learner, err = right(p, s)
		return &l, err
	}
	return a
}

// sharedRounds counts the rounds of all learners, on which some faults depend.
var sharedRounds float64

// actAside moves the action away from that of the right learner, within the domain.
func actAside(l *faultyLearner, dst []float64, by float64) {
	l.Learner.Act(dst)
	for i := range dst {
		dst[i] += by
	}
	l.setup.Set.Project(dst, dst)
}

// sink keeps slices, so that the compiler allocates them.
var sink []float64

// Every law catches learners that break it, and a right one keeps them all.
func TestLawsCatchFaults(t *testing.T) {
	lookAhead := func(l *faultyLearner, x []float64, r convex.Round) error {
		err := l.Learner.Observe(x, r)
		next := make([]float64, len(x))
		l.Learner.Act(next)
		for _, g := range r.Constraints {
			g.Value(next)
		}
		return err
	}
	declared := func(a algorithms.Algorithm, change func(*algorithms.Algorithm)) algorithms.Algorithm {
		change(&a)
		return a
	}
	for law, mutants := range map[string][]algorithms.Algorithm{
		"domain": {
			withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) { l.Learner.Act(dst); dst[0] += 1e-6 }}),
			withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) {
				x := make([]float64, len(dst))
				l.Learner.Act(x)
				copy(dst[:len(dst)-1], x)
			}}),
		},
		"act": {withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) {
			l.t++
			actAside(l, dst, 1e-3*float64(l.t))
		}})},
		"deterministic": {withFault("ogd", faultyLearner{
			act: func(l *faultyLearner, dst []float64) { actAside(l, dst, 1e-3*math.Mod(sharedRounds, 7)) },
			observe: func(l *faultyLearner, x []float64, r convex.Round) error {
				sharedRounds++
				return l.Learner.Observe(x, r)
			},
		})},
		"owner": {
			withFault("ogd", faultyLearner{ // keeps a function
				observe: func(l *faultyLearner, x []float64, r convex.Round) error {
					l.kept = r.Loss
					return l.Learner.Observe(x, r)
				},
				act: func(l *faultyLearner, dst []float64) {
					actAside(l, dst, 0)
					if l.kept != nil {
						actAside(l, dst, 1e-3*math.Tanh(l.kept.Value(dst)))
					}
				},
			}),
			withFault("ogd", faultyLearner{ // keeps the action
				observe: func(l *faultyLearner, x []float64, r convex.Round) error {
					l.x = x
					return l.Learner.Observe(x, r)
				},
				act: func(l *faultyLearner, dst []float64) {
					actAside(l, dst, 0)
					if l.x != nil {
						actAside(l, dst, 1e-3*l.x[0])
					}
				},
			}),
		},
		"draws": {
			withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) {
				actAside(l, dst, 1e-3*float64(l.setup.Seed%7))
			}}),
			declared(registered("ogd"), func(a *algorithms.Algorithm) { a.Draws = true }),
		},
		"hands off": {
			// scales in place
			withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
				err := l.Learner.Observe(x, r)
				if f, ok := r.Loss.(*convex.Affine); ok {
					vec.Scale(f.A, 0.5)
				}
				return err
			}}),
			withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
				err := l.Learner.Observe(x, r)
				l.setup.Set.Project(x, make([]float64, len(x)))
				return err
			}}),
			withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
				err := l.Learner.Observe(x, r)
				r.Constraints[0] = r.Loss
				return err
			}}),
			withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
				if box, ok := l.setup.Set.(*convex.Box); ok {
					vec.Scale(box.Lower, 0.9)
				}
				return l.Learner.Observe(x, r)
			}}),
		},
		"horizon": {
			withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) {
				actAside(l, dst, 1e-3*float64(l.setup.Horizon))
			}}),
			declared(registered("ogd"), func(a *algorithms.Algorithm) { a.Anytime = false }),
		},
		"doubling": {declared(registered("mahdavi"), func(a *algorithms.Algorithm) { // looks at doubling itself
			right := a.New
			a.New = func(p any, s algorithms.Setup) (algorithms.Learner, error) {
				if p.(algorithms.MahdaviParams).Doubling {
					s.Horizon = 100
				}
				return right(p, s)
			}
		})},
		"feedback": {
			withFault("ogd", faultyLearner{observe: lookAhead}),
			declared(registered("primal-dual"), func(a *algorithms.Algorithm) {
				a.Feedback = algorithms.FirstOrder
			}),
			declared(registered("primal-dual-average"),
				func(a *algorithms.Algorithm) { a.Feedback = algorithms.FirstOrderPlus }),
			declared(registered("ogd"), func(a *algorithms.Algorithm) { a.Feedback = algorithms.TwoPoint }),
			twoPointCheat(func(l *faultyLearner, x []float64, r convex.Round) error { // a third value
				r.Loss.Value(x)
				return l.Learner.Observe(x, r)
			}),
			twoPointCheat(func(l *faultyLearner, x []float64, r convex.Round) error {
				r.Constraints[0].Subgrad(make([]float64, len(x)), x)
				return l.Learner.Observe(x, r)
			}),
			twoPointCheat(func(l *faultyLearner, x []float64, r convex.Round) error { // no value of a constraint
				r.Constraints[0] = &convex.Affine{A: make([]float64, len(x))}
				return l.Learner.Observe(x, r)
			}),
			// other points of a constraint, as far away
			twoPointCheat(func(l *faultyLearner, x []float64, r convex.Round) error {
				r.Constraints[0] = elsewhere{r.Constraints[0], func(p []float64) []float64 {
					p = slices.Clone(p)
					vec.AxpyTo(p, -1, p, x)
					vec.Axpy(p, 1, x)
					return p
				}}
				return l.Learner.Observe(x, r)
			}),
			twoPointCheat(func(l *faultyLearner, x []float64, r convex.Round) error { // points farther away
				r.Constraints = nil
				r.Loss = elsewhere{r.Loss, func(p []float64) []float64 {
					far := make([]float64, len(p))
					vec.SubTo(far, p, x)
					vec.AxpyTo(far, 1.01, far, x)
					return far
				}}
				return l.Learner.Observe(x, r)
			}),
			twoPointCheat(func(l *faultyLearner, x []float64, r convex.Round) error { // both points on one side
				first := true
				turn := func(p []float64) []float64 {
					if first = !first; first {
						q := make([]float64, len(p))
						vec.SubTo(q, x, p)
						vec.AddTo(q, q, x)
						return q
					}
					return p
				}
				r.Loss = elsewhere{r.Loss, turn}
				for j, g := range r.Constraints {
					r.Constraints[j] = elsewhere{g, turn}
				}
				return l.Learner.Observe(x, r)
			}),
		},
		"loss shift": {withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
			return l.Learner.Observe(x, convex.Round{
				Loss: &convex.HalfSquaredDistance{Weight: 1, Center: []float64{r.Loss.Value(x), 0, 0}[:len(x)]},
			})
		}})},
		"coordinates": {withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) {
			actAside(l, dst, 0)
			dst[0] += 0.1
			l.setup.Set.Project(dst, dst)
		}})},
		"order": {withFault("primal-dual", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
			for j := range r.Constraints {
				r.Constraints[j] = r.Constraints[0]
			}
			return l.Learner.Observe(x, r)
		}})},
		"bounds": {
			declared(registered("primal-dual"), declareClaim(algorithms.SoftViolation,
				func(int) float64 { return 1e-3 })),
			declared(registered("primal-dual"), declareClaim(algorithms.RegretXMin,
				func(t int) float64 { return 0.01 * float64(t) })),
			declared(registered("primal-dual"), declareClaim(algorithms.RegretXMin,
				func(t int) float64 { return 1e6 / float64(t) })),
			declared(registered("primal-dual"), declareClaim(algorithms.HardViolation,
				func(int) float64 { return math.NaN() })),
		},
		"reaction": {declared(registered("ogd"), func(a *algorithms.Algorithm) {
			params, start := a.Params, a.New
			a.Params = nil // without their claim
			a.New = func(_ any, s algorithms.Setup) (algorithms.Learner, error) { return start(params, s) }
		})},
		"non-finite": {
			withFault("ogd", faultyLearner{act: func(l *faultyLearner, dst []float64) { // swallows
				l.Learner.Act(dst)
				for i, v := range dst {
					if math.IsNaN(v) {
						dst[i] = 0
					}
				}
			}}),
			withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
				if math.IsNaN(r.Constraints[1].Value(x)) {
					panic("a NaN")
				}
				return l.Learner.Observe(x, r)
			}}),
		},
		"allocations": {withFault("ogd", faultyLearner{observe: func(l *faultyLearner, x []float64, r convex.Round) error {
			sink = make([]float64, 3)
			return l.Learner.Observe(x, r)
		}})},
	} {
		t.Run(law, func(t *testing.T) {
			l := lawOf(t, law)
			if l.Remedy == "" {
				t.Error("got a law without a remedy, want one")
			}
			for k, a := range mutants {
				if l.Check(a) == nil {
					t.Errorf("mutant %d: got no error, want one", k+1)
				}
			}
		})
	}
}

// Two learners with state in common are told apart from two without.
func TestIndependenceCatchesSharedState(t *testing.T) {
	var last *faultyLearner
	a := addFault(registered("ogd"), faultyLearner{
		act: func(l *faultyLearner, dst []float64) { // moves with whoever was asked last
			if last != nil && last != l {
				actAside(l, dst, 1e-3)
			} else {
				actAside(l, dst, 0)
			}
			last = l
		}})
	if err := lawOf(t, "independent").Check(a); err == nil {
		t.Error("two learners that know of each other: got no error, want one")
	}
}

// declareClaim returns a change that declares a claim with a bound.
func declareClaim(metric algorithms.Metric,
	bound func(t int) float64) func(a *algorithms.Algorithm) {
	return func(a *algorithms.Algorithm) {
		a.Claims = []algorithms.Claim{{Metric: metric, Formula: "b(t)",
			Bound: func(algorithms.Setup) (func(int) float64, error) { return bound, nil }}}
	}
}

// lawOf returns the law with a name.
func lawOf(t *testing.T, name string) Law {
	t.Helper()
	for _, l := range Laws {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("got no law %q, want one of algtest.Laws", name)
	return Law{}
}

func TestRegistryNamesEveryFault(t *testing.T) {
	type Embedded struct {
		C int `name:"Second" doc:""`
	}
	type bad struct {
		Embedded
		A string  `name:"a" doc:"one of two" enum:"x,y"`
		B float64 `name:"b" doc:"above 0" above:"0"`
		D int     `name:"b" doc:"again"`
	}
	a := algorithms.Algorithm{
		Name: "Two Words", Doc: "a sentence.", Reference: "somewhere", Params: bad{A: "z"},
		Feedback: "all",
		Claims: []algorithms.Claim{{Metric: algorithms.RegretXMin, Exponent: 1.5},
			{Metric: algorithms.RegretXHat, NoBound: "none", Formula: "t"}, {Metric: "regret"}},
	}
	every := algorithms.Algorithm{Name: "all", Anytime: true, Params: algorithms.MahdaviParams{},
		Claims: []algorithms.Claim{{Metric: algorithms.RegretXMin}}}
	others := every
	others.Name = "others"
	err := Registry([]algorithms.Algorithm{a, a, every, others})
	if err == nil {
		t.Fatal("got no error, want one that names every fault")
	}
	for _, want := range []string{
		"there twice", "lower-case words", "full stop", "no theorem", "Version is 0",
		`unknown Feedback "all"`,
		"Cost is missing", "New is missing", "2 claims about regret", "not a rate",
		"exactly one of Bound", "both of Bound and Formula", "both of the field Claims",
		`unknown metric "regret"`,
		"the name all stands for every entry", "the name others stands for every entry", "embeds Epochs", "none of x,y", `against its tag above:"0"`,
		`name "Second"`, "has no doc", `name of another one, "b"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the faults do not say %q:\n%v", want, err)
		}
	}
}
