package attack

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/problems"
)

var catalog = harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// search prepares a search on a store of its own.
func search(t *testing.T, c harness.Catalog, dir string, workers, evaluations int, algorithm string, q Question) *Search {
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
	x, err := New(c, new(harness.Host), s, harness.Options{Workers: workers}, q, evaluations)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestEvolution: both ways to climb reach the top of a function that is known, and do not
// mind points that cannot be played.
func TestEvolution(t *testing.T) {
	top := []float64{0.3, -0.2, 0.7}
	value := func(p []float64) float64 {
		if p[0] > 0.9 {
			return math.Inf(-1)
		}
		return -10*(p[0]-top[0])*(p[0]-top[0]) - (p[1]-top[1])*(p[1]-top[1]) - (p[2]-top[2])*(p[2]-top[2])
	}
	best, played := math.Inf(-1), 0
	scores := func(points [][]float64) ([]float64, error) {
		var out []float64
		for _, p := range points {
			out = append(out, value(p))
			best = max(best, value(p))
			played++
		}
		return out, nil
	}
	if err := evolve(context.Background(), []float64{0, 0, 0}, 0.3, 1500, rand.New(rand.NewPCG(1, 2)), scores); err != nil || best < -1e-9 || played > 1500+7 {
		t.Errorf("CMA-ES comes to %v of the top after %d evaluations, %v", -best, played, err)
	}
	best, played = math.Inf(-1), 0
	if err := climb(context.Background(), []float64{0, 0, 0}, value([]float64{0, 0, 0}), 0.05, 1e-4, 2000, scores); err != nil || best < -1e-6 {
		t.Errorf("steps along coordinates come to %v of the top after %d evaluations, %v", -best, played, err)
	}
	broken := errors.New("broken")
	for _, err := range []error{
		evolve(context.Background(), top, 0.3, 100, rand.New(rand.NewPCG(1, 2)), func([][]float64) ([]float64, error) { return nil, broken }),
		climb(context.Background(), top, 0, 0.1, 1e-4, 100, func([][]float64) ([]float64, error) { return nil, broken }),
	} {
		if err != broken {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestWorkers: the same seed finds the same for any number of workers, and a store that has
// the games has nothing to compute.
func TestWorkers(t *testing.T) {
	q := Question{Metric: algorithms.HardViolation, Goal: Bound, Horizon: 60, Seed: 3, Dims: []int{1, 2}}
	dir := t.TempDir()
	one := search(t, catalog, dir, 1, 150, "sinha-vaze", q)
	a, err := one.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	four := search(t, catalog, t.TempDir(), 4, 150, "sinha-vaze", q)
	b, err := four.Run(t.Context())
	if err != nil || a != b || one.Evaluations != four.Evaluations {
		t.Errorf("one worker finds %v with %d instances, four %v with %d, %v", a, one.Evaluations, b, four.Evaluations, err)
	}
	again := search(t, catalog, dir, 2, 150, "sinha-vaze", q)
	computed := 0
	again.options.Progress = func(_ *harness.Cell, found bool, _ error) {
		if !found {
			computed++
		}
	}
	if c, err := again.Run(t.Context()); err != nil || c != a || computed > 0 {
		t.Errorf("the second search finds %v, %v, and computes %d cells, want %v and none", c, err, computed, a)
	}
	if other := search(t, catalog, dir, 2, 150, "sinha-vaze", Question{Metric: q.Metric, Goal: Bound, Horizon: 60, Seed: 4, Dims: q.Dims}); func() bool { c, _ := other.Run(t.Context()); return c == a }() {
		t.Error("another seed finds the same")
	}
}

// TestRefinedRounds: at a small horizon the rounds themselves are refined, from those of the
// best schedule, which they repeat.
func TestRefinedRounds(t *testing.T) {
	q := Question{Metric: algorithms.HardViolation, Goal: Value, Horizon: 8, Seed: 1, Dims: []int{2}, Rounds: 8}
	x := search(t, catalog, t.TempDir(), 2, 300, "guo", q)
	found, err := x.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, at, err := x.unrolled(found.Spec)
	if err != nil || f == nil {
		t.Fatalf("%s: %v", found.Spec, err)
	}
	same, err := x.scores([][]float64{at}, f)
	if err != nil || math.Abs(same[0]-found.Score) > 1e-3 {
		t.Errorf("the rounds of %v have the score %v, %v", found, same, err)
	}
	if !strings.HasPrefix(found.Family, "the rounds") {
		t.Errorf("no rounds were refined: %v", found)
	}
}

// TestFile: a finding is written as an experiment and read back, and its score is replayed.
func TestFile(t *testing.T) {
	q := Question{Metric: algorithms.HardViolation, Goal: Bound, Horizon: 50, Seed: 1, Dims: []int{1}}
	dir := t.TempDir()
	x := search(t, catalog, dir, 2, 60, "guo", q)
	found, err := x.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := x.Measure(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Experiment("found")
	if err != nil {
		t.Fatal(err)
	}
	back, err := spec.Parse("found.yaml", []byte(e.YAML()))
	if err != nil {
		t.Fatal(err)
	}
	read, instance, evaluations, err := Read(catalog, back)
	if err != nil || instance.Spec != found.Spec || instance.Score != found.Score || evaluations != x.Evaluations || read.Metric != q.Metric || read.Goal != q.Goal || read.Horizon != q.Horizon {
		t.Errorf("read back %+v, %+v, %d, %v; want %+v", read, instance, evaluations, err, found)
	}
	y := search(t, catalog, t.TempDir(), 1, 1, "guo", read)
	if again, err := y.Replay(t.Context(), instance); err != nil || again != found.Score {
		t.Errorf("replayed %v, %v; want %v", again, err, found.Score)
	}
	back.Attack = nil
	if _, _, _, err := Read(catalog, back); err == nil {
		t.Error("an experiment without a finding is read")
	}
}

// driftPlusPenalty is the update of yu-neely-wei once more, with a defect.
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

// TestPlanted: a search breaks the bound of a learner with a defect, and not that of the same
// learner without.
func TestPlanted(t *testing.T) {
	entry := func(name string) algorithms.Algorithm {
		a, _ := algorithms.Lookup(algorithms.All, name)
		return a
	}
	drift := func(defect string) algorithms.Algorithm {
		a := entry("yu-neely-wei")
		a.New = func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
			d, err := algorithms.NewDescent(s, algorithms.FirstAction{})
			T := float64(s.Horizon)
			return &driftPlusPenalty{Descent: d, defect: defect, v: math.Sqrt(T), alpha: T, queue: make([]float64, s.Constraints), before: make([]float64, s.Constraints)}, err
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
		only := harness.Catalog{Algorithms: []algorithms.Algorithm{c.a}, Problems: problems.All}
		x := search(t, only, t.TempDir(), 2, 250, c.a.Name, Question{Metric: metric, Goal: Bound, Horizon: 300, Seed: 1, Dims: []int{1}})
		found, err := x.Run(t.Context())
		if err != nil || (found.Score > 1) != c.broken {
			t.Errorf("%s with the defect %q: %v over the bound after %d instances, %v: %s", c.a.Name, c.defect, found.Score, x.Evaluations, err, found.Spec)
		}
		t.Logf("%s with the defect %q: %.3g over the bound after %d instances", c.a.Name, c.defect, found.Score, x.Evaluations)
	}
}
