package attack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
	"ocobench/internal/long"
	"ocobench/problems"
)

func init() { long.InMemory() }

var catalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// runSearch prepares a search on a store of its own.
func runSearch(t *testing.T, c experiment.Catalog, dir string, workers, evaluations int,
	algorithm string,
	q Question) *Search {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if q.Algorithm, err = spec.ParseSpec(algorithm); err != nil {
		t.Fatal(err)
	}
	if q.Replicates == 0 {
		q.Replicates = 1
	}
	x, err := New(c, s, run.Options{Workers: workers}, q, evaluations)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// On a slope without a maximum, both methods end when the evaluations are spent. They return the
// error of a score.
func TestSearchesEndWithTheirBudget(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for name, climb := range map[string]func(func([][]float64) ([]float64, error)) error{
			"evolution": func(scores func([][]float64) ([]float64, error)) error {
				return evolve(t.Context(), make([]float64, n), 0.3, 100, rand.New(rand.NewPCG(1, 2)), scores)
			},
			"coordinates": func(scores func([][]float64) ([]float64, error)) error {
				return climbCoordinates(t.Context(), make([]float64, n), 0, 0.1, 1e-4, 100, scores)
			},
		} {
			t.Run(name, func(t *testing.T) {
				played, broken := 0, errors.New("broken")
				if err := climb(func(points [][]float64) (out []float64, err error) {
					for _, p := range points {
						out = append(out, vec.Sum(p))
					}
					if played += len(points); played > 200 {
						return nil, errors.New("too many")
					}
					return out, nil
				}); err != nil || played < 90 || played > 100+2*n+8 {
					t.Errorf("%s in %d dimensions: got %d evaluations, error %v, want about 100", name, n, played,
						err)
				}
				if err := climb(func([][]float64) ([]float64, error) { return nil, broken }); err != broken {
					t.Errorf("the error is %v, want that of the score", err)
				}
			})
		}
	}
}

// The same seed finds the same for any number of workers, and a store that has
// the games has nothing to compute.
func TestSearchDoesNotDependOnWorkers(t *testing.T) {
	q := Question{Metric: algorithms.CCViolation, Goal: Bound, Horizon: 60, Seed: 3,
		Dims: []int{1, 2}}
	dir := t.TempDir()
	one := runSearch(t, catalog, dir, 1, 60, "sinha-vaze", q)
	a, err := one.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	four := runSearch(t, catalog, t.TempDir(), 4, 60, "sinha-vaze", q)
	b, err := four.Run(t.Context())
	if err != nil || a != b || one.Evaluations != four.Evaluations {
		t.Errorf("four workers: got %v with %d instances, error %v, want %v with %d", b, four.Evaluations,
			err, a, one.Evaluations)
	}
	again := runSearch(t, catalog, dir, 2, 60, "sinha-vaze", q)
	computed := 0
	again.options.Progress = func(_ *experiment.Cell, found bool, _ error) {
		if !found {
			computed++
		}
	}
	if c, err := again.Run(t.Context()); err != nil || c != a || computed > 0 {
		t.Errorf("the second search finds %v, %v, and computes %d cells, want %v and none", c, err,
			computed, a)
	}
	if other := runSearch(t, catalog, dir, 2, 60, "sinha-vaze",
		Question{Metric: q.Metric, Goal: Bound, Horizon: 60, Seed: 4, Dims: q.Dims}); func() bool {
		c, _ := other.Run(t.Context())
		return c == a
	}() {
		t.Error("another seed: got the same finding, want another")
	}
}

// A search whose store breaks at any time ends with an error, and so does a measurement.
func TestBrokenStoreEndsSearch(t *testing.T) {
	for _, q := range []Question{
		{Metric: algorithms.HardViolation, Goal: Value, Horizon: 6, Rounds: 6, Dims: []int{1}},
		{Metric: algorithms.HardViolation, Goal: Value, Horizon: 9, Problems: []string{"fixed:dim=1",
			"iid:dim=1..3"}},
		{Metric: algorithms.HardViolation, Goal: Growth, Horizon: 640, Dims: []int{1}},
	} {
		last := math.MaxInt // of the steps of a search
		for good := 1; good <= last; good++ {
			dir, steps, played := filepath.Join(t.TempDir(), "results"), 0, 0
			x := runSearch(t, catalog, dir, 1, 24, "guo", q)
			x.Progress = func(*Search) {
				if steps++; steps != good {
					return
				}
				played = x.Evaluations
				err := errors.Join(os.Rename(dir, dir+"-moved"), os.WriteFile(dir, nil, 0o666))
				if err != nil {
					t.Fatal(err)
				}
			}
			best, err := x.Run(t.Context())
			var broken *run.StoreError
			switch {
			case x.Evaluations > played:
				t.Fatalf("%v: got %d instances played after the store is broken, want none", q,
					x.Evaluations-played)
			case err != nil && !errors.As(err, &broken):
				t.Errorf("%v: broken after %d steps: got error %v, want one of the store", q, good, err)
			case err == nil:
				last = good
				if f, err := x.Measure(t.Context(), best); err == nil {
					t.Errorf("%v: without a store: got %+v, want an error", q, f.Fresh)
				}
			}
		}
		if last < 2 {
			t.Errorf("%v: got %d steps, want at least 2", q, last)
		}
	}
}

// At a small horizon the rounds themselves are refined, and what is found is verified by its score.
func TestRefinedRoundsAreVerified(t *testing.T) {
	q := Question{Metric: algorithms.HardViolation, Goal: Value, Horizon: 8, Seed: 1, Dims: []int{2},
		Rounds: 8}
	x := runSearch(t, catalog, t.TempDir(), 2, 300, "guo", q)
	found, err := x.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(found.Family, "the rounds") {
		t.Errorf("got %v, want refined rounds", found)
	}
	if err := x.Verify(t.Context(), found); err != nil {
		t.Errorf("the finding: got error %v, want it verified", err)
	}
	was := found
	was.Score *= 1 + 1e-6
	var changed *ChangedError
	if err := x.Verify(t.Context(), was); !errors.As(err, &changed) || changed.Was != was.Score ||
		math.Abs(changed.Is-found.Score) > 1e-9*math.Abs(found.Score) {
		t.Errorf("another score: got error %v, want both scores", err)
	}
}

// A finding is written as an experiment and read back, and its score is replayed.
func TestFindingRoundTripsAsExperiment(t *testing.T) {
	q := Question{Metric: algorithms.HardViolation, Goal: Bound, Horizon: 50, Seed: 1, Dims: []int{1}}
	dir := t.TempDir()
	x := runSearch(t, catalog, dir, 2, 60, "guo", q)
	found, err := x.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := x.Measure(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	if f.Fresh.Seed == q.Seed || f.Fresh.Seed != f.Long.Seed {
		t.Errorf("the search has the seed %d: got %d and %d measured again, want one other seed", q.Seed,
			f.Fresh.Seed, f.Long.Seed)
	}
	if most := slices.Max(f.Curve.Value); f.Long.Horizon != 500 || float64(most) != f.Long.Score {
		t.Errorf("to ten times the horizon: got %+v, want 500 rounds and the largest ratio %v", f.Long,
			most)
	}
	f.Evaluations = x.Evaluations
	file, err := f.YAML("found")
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(file), "\n"); !strings.Contains(first,
		fmt.Sprintf("%d instances", x.Evaluations)) ||
		!strings.Contains(first, "ocobench "+store.CurrentProvenance().Version) {
		t.Errorf("got a file that begins with %s, want the instances and the program", first)
	}
	back, err := spec.Parse("found.yaml", file)
	if err != nil {
		t.Fatal(err)
	}
	read, instance, evaluations, err := Read(catalog, back)
	if err != nil || instance.Spec != found.Spec || instance.Score != found.Score ||
		evaluations != x.Evaluations || read.Metric != q.Metric || read.Goal != q.Goal ||
		read.Horizon != q.Horizon {
		t.Errorf("read back %+v, %+v, %d, %v; want %+v", read, instance, evaluations, err, found)
	}
	y := runSearch(t, catalog, t.TempDir(), 1, 1, "guo", read)
	if again, err := y.Replay(t.Context(), instance); err != nil || again != found.Score {
		t.Errorf("replayed %v, %v; want %v", again, err, found.Score)
	}
	back.Attack = nil
	if _, _, _, err := Read(catalog, back); err == nil {
		t.Error("an experiment without a finding: got no error, want one")
	}
}

// driftPlusPenalty plays the update of yu-neely-wei with a defect.
type driftPlusPenalty struct {
	algorithms.Descent
	defect        string
	v, alpha      float64
	queue, before []float64
}

// Observe implements [algorithms.Learner].
func (l *driftPlusPenalty) Observe(x []float64, r convex.Round) error {
	n := len(x)
	grads, values := make([][]float64, len(r.Constraints)), make([]float64, len(r.Constraints))
	l.Begin(r.Loss)
	vec.Scale(l.Grad, l.v)
	for j, g := range r.Constraints {
		grads[j], values[j] = make([]float64, n), g.Value(x)
		g.Subgrad(grads[j], x)
		l.Add(l.queue[j], g)
	}
	now := slices.Clone(l.X)
	l.Step(1 / (2 * l.alpha))
	for j := range values {
		vec.SubTo(now, l.X, x)
		fed := values[j] + vec.Dot(grads[j], now)
		switch l.defect {
		case "sign":
			fed = -fed
		case "late":
			fed, l.before[j] = l.before[j], fed
		}
		l.queue[j] = max(0, l.queue[j]+fed)
	}
	return nil
}

// blind is a learner that is not shown the constraints, so that it projects on the domain only.
type blind struct{ algorithms.Learner }

// Observe implements [algorithms.Learner].
func (l blind) Observe(x []float64, r convex.Round) error {
	r.Constraints = nil
	return l.Learner.Observe(x, r)
}

// A search breaks the bound of a learner with a defect, and not that of the same
// learner without.
func TestSearchBreaksBoundOfDefectiveLearner(t *testing.T) { long.Run(t, testPlanted) }

// testPlanted searches with a larger budget if whole is set.
func testPlanted(t *testing.T, whole bool) {
	budget := 100
	if whole {
		budget = 250
	}
	entry := func(name string) algorithms.Algorithm {
		a, _ := algorithms.Lookup(algorithms.All, name)
		return a
	}
	drift := func(defect string) algorithms.Algorithm {
		a := entry("yu-neely-wei")
		a.New = func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
			d, err := algorithms.NewDescent(s, algorithms.FirstAction{})
			T := float64(s.Horizon)
			return &driftPlusPenalty{Descent: d, defect: defect, v: math.Sqrt(T), alpha: T,
				queue: make([]float64, s.Constraints), before: make([]float64, s.Constraints)}, err
		}
		return a
	}
	nested := func(defect string) algorithms.Algorithm {
		a := entry("vaze-sinha")
		if defect != "" {
			start := a.New
			a.New = func(p any, s algorithms.Setup) (algorithms.Learner, error) {
				l, err := start(p, s)
				return blind{l}, err
			}
		}
		return a
	}
	for _, c := range []struct {
		defect string
		a      algorithms.Algorithm
		broken bool
	}{
		{"none", drift(""), false}, {"dual step of the wrong sign", drift("sign"), true},
		// A queue that is fed a round late costs what one round does, which no bound here notices.
		{"queue fed late", drift("late"), false},
		{"none", nested(""), false}, {"dropped projection", nested("dropped"), true},
	} {
		metric := algorithms.SoftViolation
		if c.a.Name == "vaze-sinha" {
			metric = algorithms.HardViolation
		}
		only := experiment.Catalog{Algorithms: []algorithms.Algorithm{c.a}, Problems: problems.All}
		x := runSearch(t, only, t.TempDir(), 2, budget, c.a.Name,
			Question{Metric: metric, Goal: Bound, Horizon: 300, Seed: 1, Dims: []int{1}})
		found, err := x.Run(t.Context())
		if err != nil || (found.Score > 1) != c.broken {
			t.Errorf("%s with the defect %q: got %v of the bound after %d instances, error %v, want it "+
				"broken: %v; %s", c.a.Name, c.defect, found.Score, x.Evaluations, err, c.broken, found.Spec)
		}
		t.Logf("%s with the defect %q: %.3g over the bound after %d instances", c.a.Name, c.defect,
			found.Score, x.Evaluations)
	}
}

// The instances of drawn families meet the assumptions at every point, and use all that these
// allow.
func TestDrawnInstancesMeetAssumptions(t *testing.T) {
	none := assumptions{}
	for _, c := range []struct {
		name   string
		as     assumptions
		growth bool
		meets  func(convex.Facts) bool
	}{
		{"no assumption", none, false, func(f convex.Facts) bool { return true }},
		{"no assumption, growth", none, true, func(f convex.Facts) bool { return true }},
		{"affine", assumptions{affine: true}, true, func(f convex.Facts) bool { return f.Affine }},
		{"one function plus numbers", assumptions{variation: perturbed}, true,
			func(f convex.Facts) bool { return f.Perturbed }},
		{"fixed", assumptions{variation: fixed}, true, func(f convex.Facts) bool { return f.Fixed }},
		{"i.i.d.", assumptions{iid: true, oblivious: true}, true,
			func(f convex.Facts) bool { return f.IID && !f.Adaptive }},
		{"oblivious", assumptions{oblivious: true}, false,
			func(f convex.Facts) bool { return !f.Adaptive }},
		{"Slater", assumptions{slater: true, margin: 0.05}, true,
			func(f convex.Facts) bool { return f.Slater >= 0.05 }},
		{"strongly convex", assumptions{curvature: 1}, false,
			func(f convex.Facts) bool { return f.Curvature == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			quadratic, indexed := 0, 0
			for range 60 {
				f := scheduleFamilyFor(rng, []int{1, 2, 3}, 640, c.growth, c.as)
				for range 3 {
					text := f.specAt(f.randomStart(rng))
					u, err := spec.ParseSpec(text)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					resolvedProblems, err := catalog.ResolveProblems(u)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					s, err := resolvedProblems[0].Stream(1, 1)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					facts := s.Facts()
					if !c.meets(facts) {
						t.Errorf("%s: got facts %+v, want those that its assumptions need", text, facts)
					}
					if !facts.Affine {
						quadratic++
					}
					if strings.Contains(text, "scale=640,") {
						indexed++
					}
					p := resolvedProblems[0].Params.(problems.ScheduleParams)
					if p.Dim == 1 && (p.Turn != 0 || p.LossTurn != 0) {
						t.Errorf("%s: got slopes that turn, want none on a line", text)
					}
					// Laws tick from once to in every round of the horizon.
					for _, l := range []struct{ period, growth, power float64 }{
						{p.Period, p.PeriodGrowth, p.Power}, {p.LossPeriod, p.LossPeriodGrowth, p.LossPower},
					} {
						end := math.Log(640)
						if l.power > 0 {
							end = (math.Pow(640, l.power) - 1) / l.power
						}
						if ticks := max(end, 1) / (l.period * math.Pow(float64(p.Scale), l.growth)); ticks < 0.999 ||
							ticks > 641 {
							t.Errorf("%s: got %v ticks of a law, want 1 to 641", text, ticks)
						}
					}
				}
			}
			if (quadratic > 0) == c.as.affine || (indexed > 0) != c.growth {
				t.Errorf("got %d of 180 quadratic and %d indexed by T, want quadratic: %v, indexed: %v",
					quadratic, indexed, !c.as.affine, c.growth)
			}
		})
	}
}

// The conditions of instances follow from the assumptions in the registry.
func TestInstanceConditionsFollowRegistry(t *testing.T) {
	all := slices.Clone(algorithms.All)
	for _, as := range algorithms.Assumptions { // some are of no algorithm
		all = append(all, algorithms.Algorithm{Name: as.Name, Assumes: []algorithms.Assumption{as}})
	}
	for _, a := range all {
		assumes := func(as algorithms.Assumption) bool {
			return slices.Contains(a.AssumptionNames(), as.Name)
		}
		want := assumptions{
			affine: assumes(algorithms.AffineConstraints), oblivious: assumes(algorithms.Oblivious),
			slater: assumes(algorithms.SlaterPoint),
			iid:    assumes(algorithms.IIDConstraints) && !assumes(algorithms.FixedConstraints),
		}
		if want.slater {
			want.margin = 0.05
		}
		if assumes(algorithms.StrongConvexity) {
			want.curvature = 1
		}
		switch {
		case assumes(algorithms.FixedConstraints):
			want.variation = fixed
		case assumes(algorithms.Perturbed):
			want.variation = perturbed
		}
		if got := assumptionsOf(experiment.Algorithm{Algorithm: a}); got != want {
			t.Errorf("%s: %+v, want %+v", a.Name, got, want)
		}
	}
	// What does not meet them is not played.
	q := Question{Metric: algorithms.SoftViolation, Goal: Value, Horizon: 20, Seed: 1}
	x := runSearch(t, catalog, t.TempDir(), 1, 1, "mahdavi-mirror-prox", q)
	problem := "schedule:dim=1,functions=1,losses=[1],slopes=[-1],slack=[0.25]"
	if _, err := x.Replay(t.Context(), Instance{Spec: problem}); err != nil {
		t.Errorf("%s: %v", problem, err)
	}
	problem = "schedule:dim=1,functions=1,losses=[1],slopes=[-1],quadratic=[1],slack=[0.25]"
	_, err := x.Replay(t.Context(), Instance{Spec: problem})
	errtest.Contains(t, err, "no instance meets the assumptions", "%s", problem)
}

// held counts how often it is closed.
type held struct {
	problems.Stream
	closed *int
}

func (c *held) Close() error { *c.closed++; return nil }

// Points that are no instances, or whose instances do not meet the assumptions, score worse than
// all others, and are not found. Every stream that is started is closed.
func TestPointsThatAreNoInstancesAreWorst(t *testing.T) {
	begun, closed := 0, 0
	c := catalog
	k := slices.IndexFunc(problems.All, func(p problems.Problem) bool { return p.Name == "schedule" })
	counted := problems.All[k]
	counted.New = func(params any, rng *rand.Rand) (problems.Stream, error) {
		s, err := problems.All[k].New(params, rng)
		if err != nil {
			return nil, err
		}
		begun++
		return &held{s, &closed}, nil
	}
	c.Problems = []problems.Problem{counted}
	x := runSearch(t, c, t.TempDir(), 1, 50, "mahdavi-mirror-prox", Question{
		Metric: algorithms.SoftViolation, Goal: Value, Horizon: 20, Seed: 1})
	x.ctx = t.Context()
	const sound = "schedule:dim=1,functions=1,losses=[1],slopes=[-1],slack=[0.25]"
	f := &family{name: "planted", dim: 1, specAt: func(u []float64) string {
		return []string{"", "schedule:dim=1,functions=1,losses=[1],slopes=[-1],quadratic=[1],slack=[0.25]",
			sound}[int(u[0])]
	}}
	got, err := x.scorePoints([][]float64{{0}, {1}}, f)
	if err != nil || !slices.Equal(got, []float64{math.Inf(-1), math.Inf(-1)}) || x.Best.Spec != "" {
		t.Fatalf("points that cannot be played: got scores %v, %q found, error %v, want −Inf and nothing",
			got, x.Best.Spec, err)
	}
	got, err = x.scorePoints([][]float64{{1}, {2}, {0}}, f)
	if err != nil || !math.IsInf(got[0], -1) || math.IsInf(got[1], 0) || !math.IsInf(got[2], -1) ||
		x.Best.Score != got[1] || x.Best.Family != "planted" {
		t.Fatalf("got scores %v, %+v found, error %v, want only the second finite, and found", got,
			x.Best, err)
	}
	if begun == 0 || closed != begun {
		t.Errorf("got %d streams begun and %d closed, want as many", begun, closed)
	}
}

// The lead is the value of the algorithm minus the value of the rival.
func TestLeadIsValueLessRival(t *testing.T) {
	const problem = "schedule:dim=1,losses=[1,0.5],slopes=[-1,-0.5],slack=[0.25]"
	value := func(q Question, algorithm string) float64 {
		v, err := runSearch(t, catalog, t.TempDir(), 1, 1, algorithm, q).Replay(t.Context(),
			Instance{Spec: problem})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	q := Question{Metric: algorithms.HardViolation, Goal: Value, Horizon: 40, Seed: 1}
	a, b := value(q, "ogd"), value(q, "guo")
	q.Goal, q.Rival = Lead, spec.Use{Name: "guo"}
	if got := value(q, "ogd"); got != a-b || a < b+1 || b < 0.1 {
		t.Errorf("got lead %v, want the difference of %v and %v", got, a, b)
	}
}

// The maps from [0, 1] to parameters, by hand.
func TestMapsToParametersByHand(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{triangleWave(0.25), 0.25}, {triangleWave(1.25), 0.75}, {triangleWave(-0.25), 0.25},
		{triangleWave(2.25), 0.25},
		{triangleWave(-1.75), 0.25},
		{interpolate(0.5, 0, 100), 50}, {interpolate(0.5, 1, 100), 10}, {interpolate(0.5, 1, 9), 5},
		{interpolate(1.25, -1, 1), 0.5},
		{slackOf(0.5, 0), 0.25}, {slackOf(0.5, 0.2), 0.4}, {slackOf(1, 0.2), 1},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// A family has an instance for each horizon. No loss moves ogd
// from 0. A constraint that 0 violates by ½ is revealed every √T rounds, ⌊(T−1)/√T⌋ times in T:
// 3, 7, 15 and 31 times in 16, 64, 256 and 1024 rounds, and 101 times in 10240.
func TestIndexedFamilyByHand(t *testing.T) {
	q := Question{Metric: algorithms.HardViolation, Goal: Growth, Horizon: 1024, Seed: 1}
	x := runSearch(t, catalog, t.TempDir(), 2, 1, "ogd", q)
	found := Instance{Spec: "schedule:dim=1,losses=[0,0],slopes=[0,0.5],slack=[0],point=[-1]," +
		"law=rare,scale=1024,period-growth=0.5"}
	want := math.Log(31.0/15)/math.Log(4) + 15.5/1024/1000
	var err error
	if found.Score, err = x.Replay(t.Context(), found); err != nil ||
		math.Abs(found.Score-want) > 1e-12 {
		t.Fatalf("the growth is %v, %v, want %v", found.Score, err, want)
	}
	f, err := x.Measure(t.Context(), found)
	if err != nil || f.Fresh.Value != 15.5 || f.Long.Value != 50.5 || f.Fresh.Score != found.Score ||
		f.Exponent != math.Log10(50.5/15.5) || f.Passing {
		t.Errorf("measured again: %+v, %v; want 15.5 after 1024 rounds and 50.5 after 10240", f, err)
	}
	if want := (analysis.Line{T: []float64{160, 640, 2560, 10240},
		Value: []analysis.Number{6, 12.5, 25, 50.5}}); !reflect.DeepEqual(f.Curve, want) {
		t.Errorf("the curve is %v, want %v", f.Curve, want)
	}
	e, err := f.Experiment("indexed")
	if err != nil {
		t.Fatal(err)
	}
	back, err := spec.Parse("indexed.yaml", []byte(e.YAML()))
	if err != nil || !strings.Contains(e.YAML(), "scale: [16, 64, 256, 1024]") {
		t.Fatalf("got %s (%v), want the scales 16 to 1024", e.YAML(), err)
	}
	read, again, _, err := Read(catalog, back)
	if err != nil || again.Spec != found.Spec || again.Score != found.Score {
		t.Fatalf("read back %+v, %v; want %+v", again, err, found)
	}
	y := runSearch(t, catalog, t.TempDir(), 1, 1, "ogd", read)
	if score, err := y.Replay(t.Context(), again); err != nil || score != found.Score {
		t.Errorf("replayed %v, %v; want %v", score, err, found.Score)
	}
	back.Horizon = []int{16, 64, 256, 1000}
	_, _, _, err = Read(catalog, back)
	errtest.Contains(t, err, "several problems", "scales that are not the horizons")
	// Values below a thousandth do not count: 3·10⁻⁴ after 16 rounds.
	if _, err := x.Replay(t.Context(), Instance{
		Spec: strings.Replace(found.Spec, "[0,0.5]", "[0,0.0001]", 1),
	}); err == nil {
		t.Error("a growth of 3·10⁻⁴: got no error, want one")
	}
	// With another goal, the scale is a parameter like others.
	q.Goal = Value
	z := runSearch(t, catalog, t.TempDir(), 1, 1, "ogd", q)
	if f, err = z.Measure(t.Context(), found); err != nil || f.Long.Value != math.Floor(10239.0/32)/2 {
		t.Errorf("the value after 10240 rounds is %v, %v; want one each 32 rounds", f.Long.Value, err)
	}
	if n := len(f.Curve.T); n < 50 || f.Curve.T[n-1] != 10240 ||
		float64(f.Curve.Value[n-1]) != f.Long.Value {
		t.Errorf("the curve is %v, want one to %v after 10240 rounds", f.Curve, f.Long.Value)
	}
}

// A schedule whose parameters are the rounds of another schedule reveals these rounds, affine or
// quadratic, where the slack is above the margin.
func TestRoundsFamilyReproducesSchedule(t *testing.T) {
	for text, margin := range map[string]float64{
		"schedule:dim=1,losses=[1,-0.5],slopes=[0.5,-1],slack=[0.25,0.5],point=[0.5],law=worst": 0.2,
		"schedule:losses=[1,0,0,-1],slopes=[0.3,0.4,-0.2,0.1],quadratic=[0.125,0.25],slack=[0.25,0.5]," +
			"point=[-0.5,0.5],turn=0.5": 0.1,
		"schedule:set=ball,constraints=2,losses=[1,0,0,-1],slopes=[0.3,0.4,-0.2,0.1,0,0.5,0.1,0]," +
			"quadratic=[1],slack=[0.02],point=[-0.5,0.5],loss-law=worst,law=worst": 0,
	} {
		t.Run(text, func(t *testing.T) {
			q := Question{Metric: algorithms.HardViolation, Goal: Value, Horizon: 12, Seed: 1, Rounds: 12,
				Margin: margin}
			x := runSearch(t, catalog, t.TempDir(), 1, 1, "guo", q)
			want, err := x.Replay(t.Context(), Instance{Spec: text})
			if err != nil || want < 0.01 {
				t.Fatalf("%s: %v, %v", text, want, err)
			}
			f, at, err := x.roundsFamily(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.scorePoints([][]float64{at}, f)
			if err != nil || math.Abs(got[0]-want) > 1e-3 {
				t.Errorf("%s: %v, its rounds %v, %v", text, want, got, err)
			}
			if quadratic := strings.Contains(text, "quadratic"); quadratic != strings.Contains(f.specAt(at),
				"quadratic=[") {
				t.Errorf("%s: got %s, want quadratic rounds: %v", text, f.specAt(at), quadratic)
			}
		})
	}
}

// moody violates x ≤ ¼ the more, the larger the first number of its seed is, and
// fails late in the game if that is above a limit.
type moody struct {
	u, limit float64
	t        int
}

func (l *moody) Act(dst []float64) { dst[0] = l.u }

func (l *moody) Observe([]float64, convex.Round) error {
	if l.t++; l.t > 80 && l.u > l.limit {
		return errors.New("a bad mood")
	}
	return nil
}

// moodyCatalog returns a catalog with the learner moody and this limit.
func moodyCatalog(limit float64) experiment.Catalog {
	c := catalog
	c.Algorithms = append(slices.Clip(c.Algorithms), algorithms.Algorithm{
		Name: "moody", Version: 1, Anytime: true, Draws: true,
		New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
			return &moody{u: rand.New(rand.NewPCG(s.Seed, 0)).Float64(), limit: limit}, nil
		},
	})
	return c
}

// An instance with a failed game has no score, since the mean must be over all replicates: without
// the failing games, which have the largest values here, it would be smaller.
func TestInstanceWithFailedReplicatesHasNoScore(t *testing.T) {
	const problem = "schedule:dim=1,functions=1,losses=[1],slopes=[1],slack=[0.25]"
	for _, goal := range []Goal{Value, Growth} {
		q := Question{Metric: algorithms.HardViolation, Goal: goal, Horizon: 100, Seed: 2, Replicates: 6}
		whole := runSearch(t, moodyCatalog(1), t.TempDir(), 1, 1, "moody", q)
		all, err := whole.Replay(t.Context(), Instance{Spec: problem})
		if err != nil || whole.Failed != 0 || goal == Value && !(all > 1) {
			t.Fatalf("%v: got %v, %d failed, error %v, want none failed", goal, all, whole.Failed, err)
		}
		x := runSearch(t, moodyCatalog(0.6), t.TempDir(), 1, 1, "moody", q)
		got, err := x.Replay(t.Context(), Instance{Spec: problem})
		errtest.Contains(t, err, "a bad mood", "%v: games that fail, with the score %v (%v with all)",
			goal, got, all)
		if x.Failed == 0 || x.Failed == q.Replicates {
			t.Errorf("%v: got %d of %d games failed, want some and not all", goal, x.Failed, q.Replicates)
		}
	}
}
