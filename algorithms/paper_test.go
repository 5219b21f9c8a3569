package algorithms_test

import (
	"math"
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

// sumsOfExample plays decaying-frequency and returns Σ_i g_i(x_i) at the rounds asked for.
func sumsOfExample(t *testing.T, algorithm string, c float64, seed uint64, at ...int) (
	sums []float64) {
	t.Helper()
	stream := arena{"decaying-frequency", problems.DecayingFrequencyParams{C: c,
		Constraints: 1}}.stream(t, seed)
	l := newLearner(t, algorithm, nil, algorithms.Setup{
		Set: stream.Set(), Constraints: 1, Facts: stream.Facts(),
	})
	sum, x := 0.0, make([]float64, 1)
	for i := 1; i <= at[len(at)-1]; i++ {
		l.Act(x)
		r := stream.Reveal(i, x)
		sum += r.Constraints[0].Value(x)
		if err := l.Observe(x, *r); err != nil {
			t.Fatalf("%s, round %d: %v", algorithm, i, err)
		}
		if slices.Contains(at, i) {
			sums = append(sums, sum)
		}
	}
	return sums
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

// published is a mean of Σ_i g_i(x_i) over some seeds, as it was published.
type published struct {
	algorithm string
	c         float64
	t         int
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
	at := map[game][]int{}
	for _, p := range list {
		g := game{p.algorithm, p.c}
		at[g] = append(at[g], p.t)
	}
	for g, rounds := range at {
		slices.Sort(rounds)
		runs := make([][]float64, n)
		for seed := range n {
			runs[seed] = sumsOfExample(t, g.algorithm, g.c, uint64(seed), rounds...)
		}
		for _, p := range list {
			if (game{p.algorithm, p.c}) != g {
				continue
			}
			values := make([]float64, n)
			for seed, run := range runs {
				values[seed] = run[slices.Index(rounds, p.t)]
			}
			mean, sd := meanSD(values)
			want, half := digits(p.text)
			tol := 4*sd*math.Sqrt(1/float64(n)+1/float64(others)) + half
			t.Logf("%-19s c=%-4v t=%-6d %10.4g ± %-7.2g published %6s, %4.1f%% of the tolerance",
				p.algorithm, p.c, p.t, mean, sd/math.Sqrt(float64(n)), p.text, 100*math.Abs(mean-want)/tol)
			if !(math.Abs(mean-want) <= tol) {
				t.Errorf("%s, c=%v, t=%d: the mean of Σg over %d seeds is %.4g (sd over seeds %.3g), want the "+
					"published %s ± %.3g", p.algorithm, p.c, p.t, n, mean, sd, p.text, tol)
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
			early = append(early, published{row.algorithm, row.c, at, row.sums[k]})
		}
		if row.c >= 0.9 { // the other rows are as long and say less
			late = append(late, published{row.algorithm, row.c, 100000, row.sums[2]})
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

// seeds returns fewer seeds than asked for, but at least 10, where they cost more.
func seeds(n int) int {
	if testing.Short() || race.Enabled {
		return max(10, n/4)
	}
	return n
}
