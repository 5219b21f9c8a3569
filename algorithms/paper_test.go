package algorithms_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/internal/long"
	"ocobench/internal/race"
	"ocobench/problems"
)

// entry returns an algorithm of the registry with parameters of its own type;
// nil takes the defaults.
func entry(t testing.TB, name string) algorithms.Algorithm {
	t.Helper()
	a, ok := algorithms.Lookup(algorithms.All, name)
	if !ok {
		t.Fatalf("no algorithm %q", name)
	}
	return a
}

func newLearner(t testing.TB, name string, params any, s algorithms.Setup) algorithms.Learner {
	t.Helper()
	a := entry(t, name)
	if params == nil {
		params = a.Params
	}
	l, err := a.Start(params, s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return l
}

// example is a game on decaying-frequency at one of its rounds.
type example struct {
	x       float64 // x_{t+1}
	sum     float64 // Σ_i g_i(x_i)
	soft    float64 // [Σ_i g_i(x_i)]₊
	penalty float64 // Σ_i [(1/i) Σ_{k≤i} g_k(x_i)]₊
	regret  float64 // against the best fixed action in X̂^max
	breaks  []float64
	weights []float64 // of the breakpoints, p₂
}

// playExample plays decaying-frequency and returns what stands at the rounds
// asked for, in order. All that is known of the rounds is whether the binding
// constraint came: N₁ and N₂ count −0.01 and x, so that Σ_k g_k(x) = N₂x −
// 0.01N₁, an action is in X̂^max if x ≤ 0.01N₁/N₂ at every prefix with N₂ > 0,
// and 0.01p₁/p₂ is the breakpoint of the penalty.
func playExample(t testing.TB, algorithm string, c float64, seed uint64, at ...int) []example {
	t.Helper()
	stream := newExample(t, c, seed)
	l := newLearner(t, algorithm, nil, algorithms.Setup{
		Set: stream.Set(), Constraints: 1, Facts: stream.Facts(),
	})
	var results []example
	var e example
	var n1, n2, loss float64
	best := 10.0
	x := make([]float64, 1)
	for i := 1; i <= at[len(at)-1]; i++ {
		l.Act(x)
		r := stream.Reveal(i, x)
		loss += r.Loss.Value(x)
		e.sum += r.Constraints[0].Value(x)
		if r.Constraints[0].Value([]float64{1}) > 0 {
			n2++
		} else {
			n1++
		}
		e.penalty += max(0, n2*x[0]-0.01*n1) / float64(i)
		if n2 > 0 {
			best = min(best, 0.01*n1/n2)
			e.breaks = append(e.breaks, 0.01*n1/n2)
			e.weights = append(e.weights, n2/float64(i))
		}
		if err := l.Observe(x, *r); err != nil {
			t.Fatalf("%s, round %d: %v", algorithm, i, err)
		}
		if slices.Contains(at, i) {
			l.Act(x)
			e.x, e.soft, e.regret = x[0], max(0, e.sum), loss+2*best*float64(i)
			results = append(results, e)
		}
	}
	return results
}

func newExample(t testing.TB, c float64, seed uint64) problems.Stream {
	t.Helper()
	for _, p := range problems.All {
		if p.Name == "decaying-frequency" {
			s, err := p.New(problems.DecayingFrequencyParams{C: c, Constraints: 1},
				rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatal("no problem decaying-frequency")
	return nil
}

func meanSD(v []float64) (mean, sd float64) {
	for _, y := range v {
		mean += y / float64(len(v))
	}
	for _, y := range v {
		sd += (y - mean) * (y - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// published is a number as it was published, the mean over some seeds.
type published struct {
	algorithm string
	c         float64
	t         int
	metric    string
	text      string
}

// compareWith checks that the means over our n seeds agree with published
// means over others, within the sampling error of both: the difference of two
// means has the standard deviation s·√(1/n+1/others), s being that over seeds,
// and the digits left out of the text add half a unit of its last.
func compareWith(t *testing.T, list []published, n, others int) {
	t.Helper()
	type game struct {
		algorithm string
		c         float64
	}
	var games []game
	at := map[game][]int{}
	for _, p := range list {
		g := game{p.algorithm, p.c}
		if at[g] == nil {
			games = append(games, g)
		}
		at[g] = append(at[g], p.t)
	}
	for _, g := range games {
		slices.Sort(at[g])
		rounds := slices.Compact(at[g])
		runs := make([][]example, n)
		for seed := range n {
			runs[seed] = playExample(t, g.algorithm, g.c, uint64(seed), rounds...)
		}
		for _, p := range list {
			if (game{p.algorithm, p.c}) != g {
				continue
			}
			values := make([]float64, n)
			for seed, run := range runs {
				values[seed] = run[slices.Index(rounds, p.t)].metric(p.metric)
			}
			mean, sd := meanSD(values)
			want, half := digits(p.text)
			tol := 4*sd*math.Sqrt(1/float64(n)+1/float64(others)) + half
			t.Logf("%-19s c=%-4v t=%-6d %-7s %10.4g ± %-7.2g published %6s, %4.1f%% of the tolerance",
				p.algorithm, p.c, p.t, p.metric, mean, sd/math.Sqrt(float64(n)), p.text,
				100*math.Abs(mean-want)/tol)
			if !(math.Abs(mean-want) <= tol) {
				t.Errorf("%s, c=%v, t=%d: mean %s over %d seeds is %.4g (sd over seeds %.3g), published %s: "+
					"off by more than %.3g",
					p.algorithm, p.c, p.t, p.metric, n, mean, sd, p.text, tol)
			}
		}
	}
}

// digits reads a number and half a unit of its last digit.
func digits(text string) (value, half float64) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(exponent)
	return value, math.Pow10(e-len(fraction)) / 2
}

func (e example) metric(name string) float64 {
	switch name {
	case "x":
		return e.x
	case "sum":
		return e.sum
	case "soft":
		return e.soft
	case "penalty":
		return e.penalty
	case "regret":
		return e.regret
	}
	panic("no metric " + name)
}

// The three algorithms on the paper's Example as measured once before, by
// somebody else's program: the mean over 3 seeds of Σ_i g_i(x_i).
func TestExampleAsMeasuredBefore(t *testing.T) {
	t.Parallel()
	table := []struct {
		algorithm string
		c         float64
		sums      [3]string // at t = 10³, 10⁴, 10⁵
	}{
		{"penalised-ftrl", 0.5, [3]string{"17", "3", "-690"}},
		{"penalised-ftrl", 0.75, [3]string{"119", "910", "4675"}},
		{"penalised-ftrl", 0.9, [3]string{"242", "3721", "30449"}},
		{"penalised-ftrl", 1, [3]string{"74", "80", "74"}},
		{"primal-dual", 0.5, [3]string{"20", "7", "-686"}},
		{"primal-dual", 0.75, [3]string{"180", "922", "4473"}},
		{"primal-dual", 0.9, [3]string{"356", "1593", "6398"}},
		{"primal-dual", 1, [3]string{"401", "1538", "5446"}},
		{"primal-dual-average", 0.5, [3]string{"20", "7", "-686"}},
		{"primal-dual-average", 0.75, [3]string{"167", "938", "4559"}},
		{"primal-dual-average", 0.9, [3]string{"64", "197", "822"}},
		{"primal-dual-average", 1, [3]string{"46", "-2", "685"}},
	}
	var early, late []published
	for _, row := range table {
		for k, at := range []int{1000, 10000} {
			early = append(early, published{row.algorithm, row.c, at, "sum", row.sums[k]})
		}
		if row.c >= 0.9 { // the other rows are as long and say less
			late = append(late, published{row.algorithm, row.c, 100000, "sum", row.sums[2]})
		}
	}
	t.Run("to 10⁴", func(t *testing.T) { compareWith(t, early, seeds(20), 3) })
	t.Run("to 10⁵", func(t *testing.T) {
		if testing.Short() || race.Enabled {
			t.Skip("long: without -short and -race")
		}
		long.Run(t, func(t *testing.T, whole bool) { // a sample has c = 1
			compareWith(t, slices.DeleteFunc(slices.Clone(late), func(p published) bool {
				return !whole && p.c < 1
			}), 10, 3)
		})
	})
}

// Penalised FTRL on the same, over 20 seeds, every notion of its performance.
func TestExampleCrossCheck(t *testing.T) {
	t.Parallel()
	at := func(c float64, t int, x, soft, penalty, regret string) (list []published) {
		for k, metric := range []string{"x", "soft", "penalty", "regret"} {
			if text := []string{x, soft, penalty, regret}[k]; text != "" {
				list = append(list, published{"penalised-ftrl", c, t, metric, text})
			}
		}
		return list
	}
	compareWith(t, slices.Concat(
		at(1, 13336, ".091", "61.6", "49.0", "-2513"),
		at(0.9, 13336, "10", "4808", "5304", ""),
		at(0.75, 13336, "10", "1074", "1494", "-2.6e5"),
	), seeds(30), 20)
}

// seeds returns fewer seeds than asked for, but at least 10, where they cost more.
func seeds(n int) int {
	if testing.Short() || race.Enabled {
		return max(10, n/4)
	}
	return n
}
