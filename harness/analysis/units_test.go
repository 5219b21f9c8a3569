package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/internal/long"
	"ocobench/problems"
)

// inUnits is a stream whose losses and constraints are multiplied by a number.
type inUnits struct {
	problems.Stream
	by    float64
	round convex.Round
}

// Facts implements [problems.Stream].
func (s *inUnits) Facts() convex.Facts {
	f := s.Stream.Facts()
	for _, v := range []*float64{&f.LossLipschitz, &f.ConstraintLipschitz, &f.LossRange,
		&f.ConstraintBound, &f.Slater, &f.Curvature} {
		*v *= s.by
	}
	return f
}

// Reveal implements [problems.Stream].
func (s *inUnits) Reveal(t int, x []float64) *convex.Round {
	r := s.Stream.Reveal(t, x)
	s.round = convex.Round{Loss: s.times(r.Loss)}
	for _, g := range r.Constraints {
		s.round.Constraints = append(s.round.Constraints, s.times(g))
	}
	return &s.round
}

// times returns f multiplied by the number of the stream.
func (s *inUnits) times(f convex.Func) convex.Func {
	form := convex.NewForm(s.Set().Dim())
	f.AddTo(form, s.by)
	return form
}

// inUnitsExpecter is a stream with multiplied losses and constraints that implements
// [problems.Expecter].
type inUnitsExpecter struct{ *inUnits }

// Expectation implements [problems.Expecter].
func (s inUnitsExpecter) Expectation() (all []convex.Func) {
	for _, g := range s.Stream.(problems.Expecter).Expectation() {
		all = append(all, s.times(g))
	}
	return all
}

// problemInUnits returns a problem whose losses and constraints are multiplied by a number.
func problemInUnits(p problems.Problem, by float64) problems.Problem {
	of := p.New
	p.New = func(params any, rng *rand.Rand) (problems.Stream, error) {
		s, err := of(params, rng)
		if err != nil {
			return nil, err
		}
		scaled := &inUnits{Stream: s, by: by}
		if e, ok := s.(problems.Expecter); ok && e.Expectation() != nil {
			return inUnitsExpecter{scaled}, nil
		}
		return scaled, nil
	}
	return p
}

// given plays the actions of the first game of a replicate in all other games of the replicate.
type given struct {
	algorithms.Learner
	actions *[][]float64
	t       int
	first   bool
}

// Act implements [algorithms.Learner].
func (l *given) Act(dst []float64) {
	if l.first {
		l.Learner.Act(dst)
		return
	}
	copy(dst, (*l.actions)[l.t])
}

// Observe implements [algorithms.Learner].
func (l *given) Observe(x []float64, r convex.Round) error {
	l.t++
	if l.first {
		*l.actions = append(*l.actions, slices.Clone(x))
		return l.Learner.Observe(x, r)
	}
	return nil
}

// recordFirst returns an algorithm that keeps the actions of its games at first, and then plays
// them.
func recordFirst(of algorithms.Algorithm, first *bool) algorithms.Algorithm {
	var actions sync.Map // from a replicate and a horizon
	start := of.New
	of.New = func(params any, s algorithms.Setup) (algorithms.Learner, error) {
		l, err := start(params, s)
		game := [2]int{s.Replicate, s.Horizon}
		if *first {
			actions.Store(game, new([][]float64))
		}
		kept, _ := actions.Load(game)
		return &given{Learner: l, actions: kept.(*[][]float64), first: *first}, err
	}
	return of
}

// With the actions given, losses and constraints in other units have the same verdicts, exponents,
// best actions and failures, and values that are multiplied.
func TestUnitsOfLossesAndConstraintsChangeNoVerdict(t *testing.T) {
	long.Run(t, func(t *testing.T, whole bool) {
		k := slices.IndexFunc(algorithms.All,
			func(a algorithms.Algorithm) bool { return a.Name == "ogd" })
		for i, p := range problems.All {
			units := []float64{1e-9, 1e-3, 1e6, 1e12}
			if !whole {
				units = []float64{units[i%2*3]} // 1e-9 and 1e12
			}
			t.Run(p.Name, func(t *testing.T) {
				first := true
				learner := recordFirst(algorithms.All[k], &first)
				want := analyseInUnit(t, learner, p, 1)
				first = false
				for _, by := range units {
					t.Run(fmt.Sprint(by), func(t *testing.T) {
						checkSameInUnits(t, want, analyseInUnit(t, learner, p, by), by)
					})
				}
			})
		}
	})
}

// analyseInUnit returns the analysis of a learner on a problem in a unit.
func analyseInUnit(t *testing.T, a algorithms.Algorithm, p problems.Problem, by float64) *Analysis {
	t.Helper()
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{a},
		Problems: []problems.Problem{problemInUnits(p, by)}}
	use, horizon := p.Name, 100
	switch p.Name {
	case "trace": // recorded rounds
		use, horizon = "trace, file: ../../problems/testdata/rounds.jsonl", 4
	case "job-scheduling": // these five are large by default
		use += ", servers: 6, zones: 3, jobs: 60"
	case "fog-offloading":
		use += ", nodes: 4"
	case "portfolio":
		use += ", dim: 4"
	case "logistic":
		use += ", dim: 5, nonzeros: 3, rho: 2"
	case "doubly-stochastic":
		use += ", size: 3"
	}
	_, st, failures := runExperiment(t, c,
		fmt.Sprintf("name: e\nhorizon: %d\nreplicates: 3\nproblems: [{use: "+
			"%s}]\nalgorithms: [{use: ogd}]\nmetrics: [regret_dynamic, path_length, constraint_variation, "+
			"violation_ccv, violation_norm, movement]", horizon, use))
	for _, f := range failures {
		t.Error(f)
	}
	_, analysis := loadAndAnalyse(t, c, st)
	return analysis
}

// checkSameInUnits compares two analyses, of which the second has values that are multiplied.
func checkSameInUnits(t *testing.T, want, got *Analysis, by float64) {
	t.Helper()
	if len(got.Pairs) != len(want.Pairs) {
		t.Fatalf("there are %d pairs, want %d", len(got.Pairs), len(want.Pairs))
	}
	for i := range want.Pairs {
		p, q := &want.Pairs[i], &got.Pairs[i]
		for name, s := range p.Series {
			checkSameSeriesInUnits(t, name, s, q.Series[name], by)
		}
		for k, j := range p.Judgements() {
			other := q.Judgements()[k]
			if other.Verdict != j.Verdict || (other.Bound == nil) != (j.Bound == nil) ||
				j.Bound != nil && (other.Bound.State != j.Bound.State ||
					!isNear(other.Bound.Ratio.Value, float64(j.Bound.Ratio.Value), 1e-6)) {
				t.Errorf("%s is judged %+v, want %+v", j.Metric, *other, *j)
			}
		}
	}
	for i, p := range want.Problems {
		for k, best := range p.Best {
			for l, v := range best.Action {
				if w := got.Problems[i].Best[k].Action[l]; v.Defined() != w.Defined() ||
					v.Defined() && !isNear(w, float64(v), 1e-6*(1+math.Abs(float64(v)))) {
					t.Errorf("the best action of %s is %v, want %v", best.Set, got.Problems[i].Best[k].Action,
						best.Action)
					break
				}
			}
		}
	}
}

// checkSameSeriesInUnits checks that a series in the unit by is that in the unit 1 times a power of
// by.
func checkSameSeriesInUnits(t *testing.T, name algorithms.Metric, want, got *Series, by float64) {
	t.Helper()
	power, exact := 1.0, 1e-6
	switch name {
	case algorithms.SquaredViolation:
		power = 2
	case "path_length":
		power, exact = 0, 1e-4 // as exact as [convex.Program.MinimizeLeastNorm]
	case "movement", "gap":
		power = 0
	}
	if got.State != want.State || got.SqrtVerdict != want.SqrtVerdict ||
		got.SqrtReason != want.SqrtReason || (got.Fit == nil) != (want.Fit == nil) {
		t.Errorf("%s is %s, %q, %q; want %s, %q, %q", name, got.State, got.SqrtVerdict, got.SqrtReason,
			want.State, want.SqrtVerdict, want.SqrtReason)
		return
	}
	if want.Fit != nil {
		if got.Fit.Shape != want.Fit.Shape || want.Fit.Exponent.Value.Defined() &&
			!isNear(got.Fit.Exponent.Value, float64(want.Fit.Exponent.Value), exact) {
			t.Errorf("%s grows %s, t^%v, want %s, t^%v", name, got.Fit.Shape, got.Fit.Exponent.Value,
				want.Fit.Shape, want.Fit.Exponent.Value)
		}
	}
	size := 0.0
	for _, v := range want.Mean.Value {
		size = max(size, math.Abs(float64(v)))
	}
	for r, v := range want.Finals {
		if w := float64(got.Finals[r]) / math.Pow(by, power); v.Defined() &&
			!(math.Abs(w-float64(v)) <= exact*(size+math.Abs(float64(v)))) {
			t.Errorf("%s ends at %v of this unit, want %v", name, w, v)
		}
	}
}
