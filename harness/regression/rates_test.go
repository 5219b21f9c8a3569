package regression

import (
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/harness/run/runtest"
	"ocobench/internal/long"
	"ocobench/internal/race"
	"ocobench/stats"
)

var (
	seeds = flag.Int("seeds", 2, "the number of seeds that the rates of the check are measured "+
		"on; with 10 or more, all defects are measured and the rates printed")
	firstSeed = flag.Uint64("first-seed", 1000, "the first of these seeds")
)

// A defect is a fault that is put into one algorithm, which keeps its name.
type defect struct {
	name, algorithm string
	start           func(params any, s algorithms.Setup) (algorithms.Learner, error)
}

// registered returns the registered algorithm of this name.
func registered(name string) algorithms.Algorithm {
	return algorithms.All[slices.IndexFunc(algorithms.All,
		func(a algorithms.Algorithm) bool { return a.Name == name })]
}

// withParams returns a start of the registered algorithm that changes its parameters first.
func withParams[P any](algorithm string, change func(*P)) func(any,
	algorithms.Setup) (algorithms.Learner, error) {
	return func(params any, s algorithms.Setup) (algorithms.Learner, error) {
		p := params.(P)
		change(&p)
		return registered(algorithm).New(p, s)
	}
}

// descent is a second implementation of primal-dual and, without multipliers, of
// ogd. The power of the steps and the sign of the dual step can be changed.
type descent struct {
	set                   convex.Set
	step, power, sign     float64
	t                     int
	x, grad, piece, multi []float64
}

// newDescent returns a start of a descent whose steps shrink by this power, and whose dual step has
// this sign.
func newDescent(power, sign float64) func(any, algorithms.Setup) (algorithms.Learner, error) {
	return func(params any, s algorithms.Setup) (algorithms.Learner, error) {
		n := s.Set.Dim()
		l := &descent{s.Set, 5, power, sign, 0, make([]float64, n), make([]float64, n),
			make([]float64, n), make([]float64, s.Constraints)}
		if _, ogd := params.(algorithms.OGDParams); ogd {
			l.multi = nil
			l.step = 1
			if s.Facts.LossLipschitz > 0 {
				l.step = s.Set.Diameter() / s.Facts.LossLipschitz
			}
		}
		s.Set.Project(l.x, l.x)
		return l, nil
	}
}

func (l *descent) Act(dst []float64) { copy(dst, l.x) }

func (l *descent) Observe(_ []float64, r convex.Round) error {
	l.t++
	alpha := l.step * vec.Pow(float64(l.t), -l.power)
	r.Loss.Subgrad(l.grad, l.x)
	for j, v := range l.multi {
		r.Constraints[j].Subgrad(l.piece, l.x)
		vec.Axpy(l.grad, v, l.piece)
	}
	vec.Axpy(l.x, -alpha, l.grad)
	l.set.Project(l.x, l.x)
	for j := range l.multi {
		l.multi[j] = max(0, l.multi[j]+float64(l.sign*alpha)*r.Constraints[j].Value(l.x))
	}
	return nil
}

var defects = []defect{
	{"dual step of the wrong sign", "primal-dual", newDescent(0.5, -1)},
	{"γ dropped", "penalised-ftrl", withParams("penalised-ftrl",
		func(p *algorithms.PenalisedFTRLParams) { p.Gamma.Value = 0 })},
	{"steps t^-0.4", "primal-dual", newDescent(0.4, 1)},
	{"steps t^-0.4", "ogd", newDescent(0.4, 1)},
	{"steps t^-0.6", "primal-dual", newDescent(0.6, 1)},
	{"steps t^-0.4", "valls", withParams("valls",
		func(p *algorithms.VallsParams) { p.Epsilon = 0.4 })},
	{"steps t^-0.57", "yi-2020", withParams("yi-2020",
		func(p *algorithms.Yi2020Params) { p.Kappa -= 0.1 })},
	{"γ of 1", "penalised-ftrl", withParams("penalised-ftrl",
		func(p *algorithms.PenalisedFTRLParams) { p.Gamma.Value = 1 })},
	{"charges of constraints dropped", "guo",
		withParams("guo", func(p *algorithms.GuoParams) { p.Gamma, p.Eta = 1e-9, 1e-9 })},
}

// catalogOf returns the catalog of the program with these algorithms only.
func catalogOf(names ...string) experiment.Catalog {
	c := all
	c.Algorithms = slices.DeleteFunc(slices.Clone(c.Algorithms),
		func(a algorithms.Algorithm) bool { return !slices.Contains(names, a.Name) })
	return c
}

// catalog returns the catalog that has the algorithm of the defect only, with the
// defect. The version distinguishes its cells from others in a store.
func (d defect) catalog(version int) experiment.Catalog {
	c := catalogOf(d.algorithm)
	c.Algorithms[0].New = d.start
	c.Algorithms[0].Version = version
	return c
}

// playCI plays the experiment ci, with the algorithms of the catalog, at a seed.
// Calls with the same folder share their hindsight.
func playCI(t testing.TB, dir string, c experiment.Catalog, seed uint64) *run.Results {
	t.Helper()
	x, err := experiments.Read(experiments.CI)
	if err != nil {
		t.Fatal(err)
	}
	x.Seed = seed
	return runtest.Play(t, dir, c, x)
}

// curvesOf returns the reference with the curves of one algorithm.
func curvesOf(ref *Snapshot, algorithm string) *Snapshot {
	out := *ref
	out.Curves = slices.DeleteFunc(slices.Clone(ref.Curves),
		func(c Curve) bool { return c.Algorithm != algorithm })
	return &out
}

func compare(t testing.TB, ref *Snapshot, r *run.Results) *Report {
	t.Helper()
	report, err := Compare(t.Context(), Take(r), ref)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// checkRates counts how often the check was right in whole runs of the experiment
// ci.
type checkRates struct {
	runs, alarms int   // runs in which only the seed has changed, and failures of them
	seeds        int   // runs with the defects, on the same seed
	caught       []int // detections of each defect
}

// measureCheck plays the experiment ci once for each seed, with the algorithms of
// the catalog, and on the first seeds with the defects, too. It compares the runs of a seed
// with each other, and the run without defects with that of the previous seed.
func measureCheck(t *testing.T, c experiment.Catalog, first uint64, seeds int,
	defects []defect, withDefects int) checkRates {
	rates := checkRates{caught: make([]int, len(defects))}
	var before *Snapshot
	for seed := first; seed < first+uint64(seeds); seed++ {
		dir := t.TempDir()
		r := playCI(t, dir, c, seed)
		ref := Take(r)
		if before != nil {
			report := compare(t, before, r)
			rates.runs++
			if report.Failed(false) {
				rates.alarms++
			}
			for _, c := range report.Changes {
				if c.Answer != stats.Changed {
					t.Logf("seed %d: false alarm: %s is %s: %v, p %v", seed, c.Key(), c.Answer, c.Change,
						c.Adjusted)
				}
			}
		}
		before = ref
		if rates.seeds == withDefects {
			continue
		}
		rates.seeds++
		for k, d := range defects {
			worse := playCI(t, dir, d.catalog(1000+k), seed)
			if compare(t, curvesOf(ref, d.algorithm), worse).Failed(false) {
				rates.caught[k]++
			}
		}
		if rates.seeds%5 == 0 {
			t.Logf("%+v", rates)
		}
	}
	return rates
}

// manySeeds is the number of seeds from which on rates are printed.
const manySeeds = 10

// Whole runs of the experiment ci in which only the seed has changed raise an alarm
// in 5 % at most. With the same seed the defects are detected. The rates in
// docs/regression.md are those of
//
//	go test ./harness/regression -run Rates -seeds 10 -first-seed 5000 -v -timeout 3h
//
// The sample has the defects on one seed.
func TestCheckAlarmsAtPlannedRates(t *testing.T) { long.Run(t, testCheckRates) }

func testCheckRates(t *testing.T, whole bool) {
	n, planted, catalog := *seeds, defects, all
	if n < manySeeds {
		planted, catalog = planted[:4], catalogOf("primal-dual", "penalised-ftrl", "ogd")
	}
	if race.Enabled || testing.Short() {
		n, planted = 1, planted[:1]
	}
	with := n
	if n < manySeeds && !whole {
		with = 1
	}
	rates := measureCheck(t, catalog, *firstSeed, n, planted, with)
	if n >= manySeeds {
		t.Logf("%d runs with another seed: %d alarms", rates.runs, rates.alarms)
		for k, d := range planted {
			t.Logf("%s, %s: caught in %d of %d", d.algorithm, d.name, rates.caught[k], rates.seeds)
		}
	}
	if limit := 0.05*float64(rates.runs) + 4*math.Sqrt(0.05*0.95*float64(rates.runs)); float64(
		rates.alarms) > limit {
		t.Errorf("got %d alarms in %d runs, want at most %v", rates.alarms, rates.runs, limit)
	}
	for k, d := range planted {
		of := float64(rates.seeds)
		if least := max(1, 0.95*of-4*math.Sqrt(0.05*0.95*of)); float64(rates.caught[k]) < least {
			t.Errorf("%s, %s: got caught in %d of %d runs, want at least %v", d.algorithm, d.name,
				rates.caught[k], rates.seeds, least)
		}
	}
}

// TestCheckTellsRoundingFromAChange plays the second implementation of a learner, which differs
// from the first in rounding only.
func TestCheckTellsRoundingFromAChange(t *testing.T) {
	dir, names := t.TempDir(), []string{"primal-dual", "ogd"}
	ref := Take(playCI(t, dir, catalogOf(names...), 1))
	for _, name := range names {
		d := defect{"none", name, newDescent(0.5, 1)}
		report := compare(t, curvesOf(ref, name), playCI(t, dir, d.catalog(2), 1))
		if report.Answer != Rounding || len(report.Changes) > 0 {
			t.Errorf("%s: want rounding alone, got %s with %d changes", name, report.Answer,
				len(report.Changes))
		}
	}
}

// The reference that comes with the program was made from the current experiment
// ci. It has curves along t of every algorithm, and curves across T of every
// algorithm that needs the horizon.
func TestBuiltinReferenceIsOfTheCurrentExperiment(t *testing.T) {
	ref, err := Check{}.Reference()
	if err != nil {
		t.Fatal(err)
	}
	x, err := experiments.Read(experiments.CI)
	if err != nil {
		t.Fatal(err)
	}
	source, err := experiments.Source(experiments.CI)
	if err != nil {
		t.Fatal(err)
	}
	remedy := "; bench check --update --experiment ci --baseline " + BuiltinFile
	if err := ref.Comparable(x); err != nil || ref.Seed != x.Seed || ref.Source != string(source) {
		t.Errorf("got another reference (%v), want that of the current experiment%s", err, remedy)
	}
	if info, err := os.Stat("../../" + BuiltinFile); err != nil || info.Size() > 200e3 {
		t.Errorf("got a reference of more than 200 kB, or none (%v), want a small one", err)
	}
	type half struct {
		algorithm string
		regret    bool
		design    stats.Design
	}
	has := make(map[half]bool)
	for _, c := range ref.Curves {
		regret := strings.HasPrefix(string(c.Metric), "regret_")
		if !regret && !strings.HasPrefix(string(c.Metric), "violation_") {
			t.Errorf("got metric %s, want a regret or a violation", c.Metric)
		}
		has[half{c.Algorithm, regret, c.Design}] = true
	}
	for _, a := range algorithms.All {
		for _, regret := range []bool{true, false} {
			if !has[half{a.Name, regret, stats.AlongT}] ||
				has[half{a.Name, regret, stats.AcrossT}] == a.Anytime {
				t.Errorf("%s (anytime: %v): got another set of curves (regret: %v), want one along t, and "+
					"one across horizons if it needs T%s", a.Name, a.Anytime, regret, remedy)
			}
		}
	}
}
