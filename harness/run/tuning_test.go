package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// The tuning seed is frozen with the seed scheme, and starts other rounds than the experiment's.
func TestTuningSeedIsFrozenAndDisjoint(t *testing.T) {
	if got := TuningSeed(1); got != 6477775000073797921 {
		t.Errorf("the tuning seed of 1 is %d, want 6477775000073797921", got)
	}
	var rounds [2][]float64
	for k, seed := range []uint64{TuningSeed(1), 1} {
		s, err := problemOf(t, "iid").Stream(seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		rounds[k] = harnesstest.FirstRounds(t, s, 20)
	}
	if slices.Equal(rounds[0], rounds[1]) {
		t.Error("got the same rounds of tuning and evaluation, want others")
	}
}

type stayParams struct {
	At float64 `name:"at" doc:"what is played"`
}

type tiltParams struct {
	Slope float64 `name:"slope" doc:"of the loss"`
}

// tiltedCatalog has an algorithm stay, which plays one point of [−1, 1] throughout (and
// NaN for a point outside), and a problem tilt with the losses s·slope·x, s of
// the replicate in [1, 2], and the constraint x ≤ ½; flat is tilt without
// randomness, s = 1. After T rounds the best fixed action is −1 or ½ as the
// slope is positive or negative, and the violation of x is T·max(0, x−½).
func tiltedCatalog() experiment.Catalog {
	stay := algorithms.Algorithm{Name: "stay", Version: 1, Anytime: true, Params: stayParams{},
		New: func(p any, _ algorithms.Setup) (algorithms.Learner, error) {
			at := p.(stayParams).At
			if math.Abs(at) > 1 {
				at = math.NaN()
			}
			return &harnesstest.Learner{Play: func(_ int, x []float64) { x[0] = at }}, nil
		}}
	tilt := func(name string, draw func(*rand.Rand) float64) problems.Problem {
		return problems.Problem{Name: name, Version: 1, Params: tiltParams{1},
			New: func(p any, rng *rand.Rand) (problems.Stream, error) {
				r := convex.Round{Loss: harnesstest.Affine(draw(rng)*p.(tiltParams).Slope, 0),
					Constraints: []convex.Func{harnesstest.Affine(1, -0.5)}}
				return harnesstest.LineRounds(1, func(int) convex.Round { return r })(), nil
			}}
	}
	return experiment.Catalog{
		Algorithms: []algorithms.Algorithm{stay, harnesstest.Algorithm("still", harnesstest.Still)},
		Problems: []problems.Problem{
			tilt("tilt", func(rng *rand.Rand) float64 { return 1 + rng.Float64() }),
			tilt("flat", func(*rand.Rand) float64 { return 1 }),
		},
	}
}

func newTuning(t *testing.T, text string) *Tuning {
	t.Helper()
	tuning, err := tuningOf(text)
	if err != nil {
		t.Fatal(err)
	}
	return tuning
}

func tuningOf(text string) (*Tuning, error) {
	e, err := spec.Parse("e.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return NewTuning(context.Background(), nil, tiltedCatalog(), e, e.Replicates)
}

// runTuning runs the tuning with so many workers.
func runTuning(t *testing.T, tuning *Tuning, workers int) [][]Score {
	t.Helper()
	dir := t.TempDir()
	runPlan(t, tuning.Plan, dir, Options{Workers: workers})
	r, err := LoadExperiment(openStore(t, dir), tuning.Plan.Experiment.Name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tuning.Scores(r, []algorithms.Metric{"regret_xhat", "violation_soft"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The best point is known: with T = 100 and σ the mean of s, the costs of −1,
// ½ and 1 are
//
//	slope 1       0        150σ     200σ + 50
//	slope −4      600σ     0        0 + 50       (the regret of 1 is −200σ)
//	slope −1000   150000σ  0        0 + 50
//
// and those of 7 are infinite, as its games fail. So ½ has the ranks 2, 1, 1.
// Did negative regret make up for violation, 1 would have 3, 1, 1 and ½ 2, 2, 2.
func TestTuningFindsPlantedBest(t *testing.T) {
	tuning := newTuning(t, `
name: planted
horizon: [10, 100]
replicates: 3
problems: [{use: tilt, slope: [1, -4, -1000]}]
algorithms: [{use: stay, at: [-1, 0.5, 1, 7]}, {use: still}]
`)
	x := tuning.Plan.Experiment
	if x.Seed != TuningSeed(1) || x.Name != "planted-tuning" || !slices.Equal(x.Horizon, []int{100}) {
		t.Errorf("got tuning as %s on seed %d, horizon %v, want planted-tuning on %d, 100", x.Name,
			x.Seed, x.Horizon, TuningSeed(1))
	}
	all := runTuning(t, tuning, 1)
	if len(all) != 2 || len(all[0]) != 4 || len(all[1]) != 1 {
		t.Fatalf("got %d grids scored, want 2, of 4 points and one", len(all))
	}
	ranks := [][]float64{{1, 3, 3}, {2, 1, 1}, {3, 2, 2}, {4, 4, 4}}
	for k, s := range all[0] {
		if !slices.Equal(s.Ranks, ranks[k]) || s.Chosen != (k == 1) {
			t.Errorf("%s has the ranks %v, chosen: %v; want %v", s.Spec, s.Ranks, s.Chosen, ranks[k])
		}
		if mean := (ranks[k][0] + ranks[k][1] + ranks[k][2]) / 3; s.Mean != mean {
			t.Errorf("%s has the mean rank %v, want %v", s.Spec, s.Mean, mean)
		}
	}
	sigma := all[0][1].Costs[0] / 150
	if !(sigma > 1 && sigma < 2) {
		t.Errorf("got σ = %v, want one between 1 and 2", sigma)
	}
	for k, want := range [][]float64{{0, 600 * sigma, 150000 * sigma}, {150 * sigma, 0, 0},
		{50 + 200*sigma, 50, 50}} {
		for p, c := range all[0][k].Costs {
			if math.Abs(c-want[p]) > 1e-9*(1+want[p]) {
				t.Errorf("%s costs %v on problem %d, want %v", all[0][k].Spec, c, p, want[p])
			}
		}
	}
	if !math.IsInf(all[0][3].Costs[0], 1) {
		t.Errorf("got cost %v of what failed, want +Inf", all[0][3].Costs[0])
	}
	// Neither the number of workers nor the order shows.
	if got := fmt.Sprint(runTuning(t, tuning, 4)); got != fmt.Sprint(all) {
		t.Error("got other scores with 4 workers, want those with one")
	}

	tuned := tuning.Tuned(all)
	const want = `name: planted-tuned
horizon: [10,100]
replicates: 3
problems:
  - {use: tilt, slope: [1, -4, -1000]}
algorithms:
  - {use: stay, at: 0.5}
  - {use: still}
tuned:
  - {use: stay, at: [-1, 0.5, 1, 7]}
tuning_seed: 6477775000073797921
tuning_horizon: 100
tuning_replicates: 3
`
	if got := tuned.YAML(); got != want {
		t.Errorf("the tuned experiment is\n%s\nwant\n%s", got, want)
	}
	// Its record tells the tuned from the others.
	r, _ := runAndLoad(t, newPlan(t, tiltedCatalog(), tuned.YAML()))
	if r.Tuning != tuned.Tuning || r.TuningSeed != TuningSeed(1) ||
		r.Algorithms[0].Tuned != "{use: stay, at: [-1, 0.5, 1, 7]}" ||
		r.Algorithms[1].Tuned != "" {
		t.Errorf("got recorded tuning %+v, %q and %q, want the grid of the first only", r.Tuning,
			r.Algorithms[0].Tuned, r.Algorithms[1].Tuned)
	}
}

// Two grids that choose alike leave one algorithm.
func TestTuningListsOnce(t *testing.T) {
	tuning := newTuning(t, "name: twice\nhorizon: 10\nreplicates: 1\nproblems: [{use: "+
		"tilt}]\nalgorithms: [{use: stay, at: [-1, 1]}, {use: stay, at: [0.25, 0.5]}]")
	all := runTuning(t, tuning, 1)
	all[1][0].Algorithm, all[1][0].Chosen, all[1][1].Chosen = all[0][0].Algorithm, true, false
	if x := tuning.Tuned(all); len(x.Algorithms) != 1 || len(x.Tuned) != 2 {
		t.Errorf("%d algorithms of %d grids, want 1 of 2", len(x.Algorithms), len(x.Tuned))
	}
}

// The point that is chosen from a grid has the label of the grid, without its values.
func TestChosenOneHasTheLabelOfItsGrid(t *testing.T) {
	tuning := newTuning(t, "name: labelled\nhorizon: 10\nreplicates: 1\nproblems: [{use: "+
		"tilt}]\nalgorithms: [{use: stay, at: [-1, 1], label: ours}]")
	all := runTuning(t, tuning, 1)
	if x := tuning.Tuned(all); len(x.Algorithms) != 1 || x.Algorithms[0].Label != "ours" {
		t.Errorf("chosen is %v, want ours", x.Algorithms)
	}
}

// A problem that draws nothing is the same on every seed.
func TestUnseededFindsProblemsWithoutDraws(t *testing.T) {
	tuning := newTuning(t, "name: u\nhorizon: 10\nreplicates: 1\nproblems: [{use: tilt}, {use: "+
		"flat}, {use: flat, slope: 2}]\nalgorithms: [{use: stay, at: [0, 1]}]")
	got, err := tuning.Unseeded(t.Context())
	if err != nil || !slices.Equal(got, []string{"flat", "flat:slope=2"}) {
		t.Errorf("unseeded: got %v, error %v, want flat and flat:slope=2", got, err)
	}
}

func TestFaultyTuningIsRefused(t *testing.T) {
	const head = "name: x\nhorizon: 10\nreplicates: 1\nproblems: [{use: tilt}]\n"
	for _, c := range []struct{ text, want string }{
		{"algorithms: [{use: stay, at: 1}, {use: still}]",
			"nothing to tune in experiment x: no algorithm has a parameter with a list of values"},
		{"algorithms: [{use: stay, at: [1, 2, 1]}]", "e.yaml:5:37: at: 1 is swept twice"},
		{"algorithms: [{use: stay, at: 1}]\ntuned: [{use: stay, at: [0, 1]}]\ntuning_seed: 5",
			"experiment x is tuned already, on seed 5"},
	} {
		_, err := tuningOf(head + c.text)
		errtest.Contains(t, err, c.want, "%s", c.text)
	}
	for _, c := range []struct{ text, want string }{
		{"algorithms: [{use: stay, at: 1}]\ntuned: [{use: stay, at: [0, 1]}]\ntuning_seed: 1",
			"parameters were tuned on seed 1; evaluate them on another"},
		{"algorithms: [{use: stay, at: 1}]\ntuned: [{use: stay, at: [0, 0.5]}]\ntuning_seed: 5",
			"e.yaml:6:15: tuned: no algorithm of the experiment is from this grid of stay"},
		{"algorithms: [{use: stay, at: 1}]\ntuned: [{use: stya, at: [0, 1]}]\ntuning_seed: 5",
			`e.yaml:6:15: unknown algorithm "stya"; did you mean "stay"?`},
		{"algorithms: [{use: stay, at: 1}]\ntuned: [{use: stay, ta: [0, 1]}]\ntuning_seed: 5",
			`unknown parameter "ta"`},
	} {
		_, err := planOf(t, tiltedCatalog(), head+c.text)
		errtest.Contains(t, err, c.want, "%s", c.text)
	}
}

// Only a chosen number at the end of three or more asks for a wider grid.
func TestChosenEndOfThreeNumbersAsksForMore(t *testing.T) {
	tuning := newTuning(t, "name: e\nhorizon: 10\nreplicates: 1\nproblems: [{use: "+
		"tilt}]\nalgorithms: [{use: stay, at: [0.5, -1, 1]}, {use: stay, at: [0.25, -0.25]}]")
	for k, want := range []string{"[]", "[at=-1]", "[at=1]"} {
		g := tuning.Grids[0]
		if got := fmt.Sprint(g.Ends(Score{Algorithm: g.Points[k]})); got != want {
			t.Errorf("%s is at the ends %s, want %s", g.Points[k].Spec, got, want)
		}
	}
	if g := tuning.Grids[1]; g.Ends(Score{Algorithm: g.Points[0]}) != nil {
		t.Error("two values: got ends, want none, as they have no inside")
	}
}

// An algorithm has no best parameter if all of its games fail or lack the metric.
func TestGridWithoutCostsHasNoBest(t *testing.T) {
	for _, c := range []struct {
		name, at string
		metric   algorithms.Metric
	}{
		{"all games fail", "[7, 8]", algorithms.SoftViolation},
		{"no game has the metric", "[0, 1]", "regret_declared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tuning := newTuning(t, "name: f\nhorizon: 10\nreplicates: 1\nproblems: [{use: "+
				"tilt}]\nalgorithms: [{use: stay, at: "+c.at+"}]")
			dir := t.TempDir()
			runPlan(t, tuning.Plan, dir, Options{})
			r, err := LoadExperiment(openStore(t, dir), "f-tuning")
			if err != nil {
				t.Fatal(err)
			}
			want := "of {use: stay, at: " + c.at + "} no point could be played on any problem"
			_, err = tuning.Scores(r, []algorithms.Metric{c.metric})
			errtest.Contains(t, err, want)
		})
	}
}

// The ranks of random costs, with ties and without a cost, are the mean places of a sorted list.
func TestRanksAgreeWithSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		problems := 1 + rng.IntN(4)
		scores := make([]Score, 1+rng.IntN(5))
		for k := range scores {
			for range problems {
				cost := float64(rng.IntN(4))
				if cost == 3 {
					cost = math.Inf(1)
				}
				scores[k].Costs = append(scores[k].Costs, cost)
			}
		}
		rankScores(scores, nil)
		least, fewest := math.Inf(1), math.MaxInt
		for k, s := range scores {
			mean, none := 0.0, 0
			for p, cost := range s.Costs {
				var sorted, places []float64
				for _, other := range scores {
					sorted = append(sorted, other.Costs[p])
				}
				slices.Sort(sorted)
				for place, c := range sorted {
					if c == cost {
						places = append(places, float64(place+1))
					}
				}
				if want := vec.Sum(places) / float64(len(places)); s.Ranks[p] != want {
					t.Fatalf("point %d of %+v has rank %v on problem %d, want %v", k, scores, s.Ranks[p], p, want)
				}
				mean += s.Ranks[p]
				if math.IsInf(cost, 1) {
					none++
				}
			}
			mean /= float64(problems)
			if s.Mean != mean || s.NoCost != none {
				t.Fatalf("point %d of %+v: want mean %v, without cost on %d", k, scores, mean, none)
			}
			least = min(least, mean)
		}
		for _, s := range scores {
			if s.Mean == least {
				fewest = min(fewest, s.NoCost)
			}
		}
		for k, s := range scores {
			first := slices.IndexFunc(scores, func(s Score) bool {
				return s.Mean == least && s.NoCost == fewest
			})
			if s.Chosen != (first == k) {
				t.Fatalf("point %d of %+v: got chosen %v, want %v", k, scores, s.Chosen, first == k)
			}
		}
	}
}

// Points with equal mean ranks are told apart by their violations, then by their regrets.
func TestTiesAreBrokenByViolationThenRegret(t *testing.T) {
	inf := math.Inf(1)
	metrics := []algorithms.Metric{algorithms.RegretXHat, algorithms.SoftViolation,
		algorithms.HardViolation}
	for _, c := range []struct {
		name   string
		costs  [][][]float64 // of each point, metric and problem
		chosen int
	}{
		// The costs are 3 5 and 5 3, and the violations 2½ and 1 on average.
		{"violation", [][][]float64{{{1, 2}, {1, 2}, {1, 1}}, {{4, 2}, {1, 0}, {0, 1}}}, 1},
		// The costs are 5 4 and 4 4½, the violations 1 on average, and the regrets 3½ and 3¼.
		{"regret", [][][]float64{{{3, 4}, {2, 0}, {0, 0}}, {{4, 2.5}, {0, 2}, {0, 0}}}, 1},
		{"order", [][][]float64{{{1, 2}, {0, 0}, {0, 0}}, {{2, 1}, {0, 0}, {0, 0}}}, 0},
		// What fails on a problem has no part of its mean there.
		{"no cost", [][][]float64{{{0, inf}, {0, 0}, {0, 0}}, {{5, 5}, {5, 5}, {5, 5}}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var scores []Score
			for _, parts := range c.costs {
				s := Score{MetricCosts: parts, Costs: make([]float64, 2)}
				for _, part := range parts {
					for p, v := range part {
						s.Costs[p] += v
					}
				}
				scores = append(scores, s)
			}
			rankScores(scores, metrics)
			if scores[0].Mean != scores[1].Mean {
				t.Fatalf("the mean ranks are %v and %v, want a tie", scores[0].Mean, scores[1].Mean)
			}
			if !scores[c.chosen].Chosen || scores[1-c.chosen].Chosen {
				t.Errorf("got another point chosen in %+v, want only point %d", scores, c.chosen)
			}
		})
	}
}
