package stats

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/race"
	"ocobench/problems"
)

// A population is a number of paths from which replicates are drawn, with
// replacement: its mean is known exactly.
type population struct {
	t     []float64
	paths [][]float64
	mean  []float64
}

func newPopulation(t []float64, paths [][]float64) population {
	return population{t, paths, columnMeans(paths)}
}

// plant is a model of replicates from the population, which is made when first used.
func (k kind) plant(people func() population) (kind, planted) {
	k.mean = func(t float64) float64 {
		p := people()
		return p.mean[slices.Index(p.t, t)]
	}
	return k, planted{name: k.name, mean: k.mean, paths: func(rng *rand.Rand, _, y []float64) {
		p := people()
		copy(y, p.paths[rng.IntN(len(p.paths))])
	}}
}

// populationSize returns the number of paths of a population: enough for rare ones in
// testdata/calibration.md, and fewer in the tests, to which any population will do.
func populationSize() int {
	switch {
	case *tableRepetitions > 0:
		return 1000
	case race.Enabled || testing.Short():
		return 20
	}
	return 100
}

// simulated returns the population of these paths.
func simulated(to float64, path func(rng *rand.Rand, t, y []float64)) func() population {
	return sync.OnceValue(func() population {
		t := checkpoints(100, to)
		rng := rand.New(rand.NewPCG(71, 1))
		paths := make([][]float64, populationSize())
		for r := range paths {
			paths[r] = make([]float64, len(t))
			path(rng, t, paths[r])
		}
		return newPopulation(t, paths)
	})
}

// gamesOf returns the soft and the penalty violation of an algorithm on the paper's
// Example, the experiment of the README.
func gamesOf(algorithm string, c, to float64) (soft, penalty func() population) {
	both := sync.OnceValues(func() (soft, penalty population) {
		t := checkpoints(100, to)
		softs, penalties := make([][]float64, populationSize()), make([][]float64, populationSize())
		for r := range softs {
			softs[r], penalties[r] = violations(algorithm, c, uint64(r), t)
		}
		return newPopulation(t, softs), newPopulation(t, penalties)
	})
	return func() population { p, _ := both(); return p },
		func() population { _, p := both(); return p }
}

// violations plays a game. With G_t = g_1 + … + g_t it returns [Σ_t g_t(x_t)]₊ and
// Σ_t [G_t(x_t)/t]₊ at the checkpoints.
func violations(algorithm string, c float64, seed uint64, at []float64) (soft, penalty []float64) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	problem, _ := problems.Lookup(problems.All, "decaying-frequency")
	s, err := problem.New(problems.DecayingFrequencyParams{C: c, Constraints: 1},
		rand.New(rand.NewPCG(72, seed)))
	must(err)
	a, _ := algorithms.Lookup(algorithms.All, algorithm)
	l, err := a.New(a.Params, algorithms.Setup{Set: s.Set(), Constraints: 1, Facts: s.Facts()})
	must(err)
	x, sum := make([]float64, 1), convex.NewForm(1)
	var signed, total float64
	for t := 1; len(soft) < len(at); t++ {
		l.Act(x)
		r := s.Reveal(t, x)
		g := r.Constraints[0]
		g.AddTo(sum, 1)
		signed += g.Value(x)
		total += max(0, sum.Value(x)/float64(t))
		if float64(t) == at[len(soft)] {
			soft, penalty = append(soft, max(0, signed)), append(penalty, total)
		}
		must(l.Observe(x, *r))
	}
	return soft, penalty
}

var reflectedWalks = simulated(1e4, reflected)

// A played is a population of games, in the setting of an experiment.
type played struct {
	kind
	population func() population
	replicates int
	to         float64
	heavy      bool
}

// playedGames are in the settings of frequency, the experiment of the README, and
// of rates.
var playedGames = func() (all []played) {
	add := func(algorithm string, c, to float64, replicates int, heavy bool) {
		soft, penalty := gamesOf(algorithm, c, to)
		name := fmt.Sprintf("%s, c = %v", algorithm, c)
		all = append(all, played{kind{name: name + ", soft"}, soft, replicates, to, heavy})
		k := kind{name: name + ", penalty"}
		if algorithm == "penalised-ftrl" && c == 1 {
			k.limit = growthOf(0.5, 0) // by Theorem 2 of the paper
		}
		all = append(all, played{k, penalty, replicates, to, heavy})
	}
	add("penalised-ftrl", 1, 1e4, 30, true)
	add("penalised-ftrl", 0.75, 1e4, 30, false)
	add("primal-dual", 1, 1e4, 30, false)
	add("primal-dual", 0.75, 1e4, 30, false)
	add("penalised-ftrl", 1, 1e5, 20, true)
	add("primal-dual", 1, 1e5, 20, false)
	return all
}()
