package game

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/harnesstest"
	"ocobench/internal/race"
	"ocobench/problems"
)

// Checkpoints are round(10^{k/16}), each once, and the horizon: from 10 on 16 per decade, including
// the powers of ten. A shorter game has the checkpoints of a longer one, apart from its last.
func TestCheckpointsAreSixteenADecade(t *testing.T) {
	// 1, 1.15, 1.33, 1.54, 1.78, 2.05, 2.37, 2.74, 3.16, 3.65, 4.22, 4.87, 5.62, 6.49, 7.50, 8.66,
	// 10, 11.5, 13.3, 15.4, 17.8, …
	if got, want := Checkpoints(16), []int{1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13, 15,
		16}; !slices.Equal(got, want) {
		t.Errorf("Checkpoints(16) = %d, want %d", got, want)
	}
	if last := Checkpoints(math.MaxInt); last[len(last)-1] != math.MaxInt {
		t.Errorf("the last of all checkpoints is %d, want %d", last[len(last)-1], math.MaxInt)
	}
	long := Checkpoints(1e9)
	for low := 10; low < 1e9; low *= 10 {
		i, j := slices.Index(long, low), slices.Index(long, 10*low)
		if i < 0 || j-i != 16 {
			t.Errorf("%d and %d are checkpoints %d and %d, want 16 apart", low, 10*low, i, j)
		}
	}
	for horizon := 1; horizon < 5000; horizon = horizon*11/10 + 1 {
		at := Checkpoints(horizon)
		n := len(at) - 1
		if at[n] != horizon || !slices.Equal(at[:n], long[:n]) || long[n] < horizon {
			t.Errorf("those of horizon %d are %d, want the beginning of %d, and the horizon", horizon, at,
				long[:n+1])
		}
	}
}

// certified plays a script, and has a certificate for each action.
type certified struct {
	harnesstest.Learner
	certs []convex.Cert
}

func (l *certified) Cert() convex.Cert { return l.certs[l.Rounds] }

// Three rounds on [−5, 5] with two constraints, worked by hand.
//
//	t   x    f           f(x)   g_1          g_1(x)   g_2        g_2(x)
//	1   1    2x           2     x − 2         −1      x            1
//	2   2    1 − x       −1     2x − 3         1      1 − x       −1
//	3  −1    x²           1     −2x            2      x/2        −½
//
//	t   Σf   Σg_1  Σg_2   signed   soft   running   hard   squared   max
//	1    2    −1     1       0      1        1        1       1       1
//	2    1     0     0       0      0        1        2       2       1
//	3    2     2    −½      1½      2        2        4       6       2
//
// The penalty adds Σ_j [G_j(x_t)/t]₊ with G_j the sum of the first t
// functions:
//
//	1   G = (x − 2, x)             at  1: (−1, 1)      → 1
//	2   G = (3x − 5, 1)            at  2: (1, 1)/2     → 1     in all 2
//	3   G = (x − 5, 1 + x/2)       at −1: (−6, ½)/3    → 1/6   in all 2 + 1/6
//
// The certificates 1e-3, 4e-3 at the value −2 and 1e-4 are 1e-3, 2e-3 and 1e-4
// relative to max(1, |value|).
func TestTraceByHand(t *testing.T) {
	rounds := []convex.Round{
		{Loss: harnesstest.Affine(2, 0), Constraints: []convex.Func{harnesstest.Affine(1, -2), harnesstest.Affine(1, 0)}},
		{Loss: harnesstest.Affine(-1, 1), Constraints: []convex.Func{harnesstest.Affine(2, -3), harnesstest.Affine(-1, 1)}},
		{Loss: &convex.Quadratic{Q: []float64{2}, A: []float64{0}},
			Constraints: []convex.Func{harnesstest.Affine(-2, 0), harnesstest.Affine(0.5, 0)}},
	}
	s := &harnesstest.Stream{Domain: convex.Cube(1, -5, 5), Count: 2,
		Round: func(t int, _ []float64) convex.Round { return rounds[t-1] }}
	l := &certified{certs: []convex.Cert{{Gap: 1e-3}, {Value: -2, Gap: 4e-3}, {Gap: 1e-4}, {Gap: 1}}}
	l.Play = func(t int, x []float64) { x[0] = []float64{1, 2, -1}[t-1] }
	tr := newTraceRecorder(l, 1, 2, Checkpoints(3), tracedOnRequest...)
	if err := Play(context.Background(), l, s, 3, tr); err != nil {
		t.Fatal(err)
	}
	want := map[string][]float64{
		"t":                 {1, 2, 3},
		"loss":              {2, 1, 2},
		"violation_signed":  {0, 0, 1.5},
		"violation_soft":    {1, 0, 2},
		"violation_running": {1, 1, 2},
		"violation_hard":    {1, 2, 4},
		"violation_penalty": {1, 2, 2 + 1./6},
		"violation_squared": {1, 2, 6},
		"violation_max":     {1, 1, 2},
		"violation_ccv":     {1, 2, 4},
		"violation_norm":    {1, 2, 4},
		"movement":          {0, 1, 4}, // 1 to 2 to −1
		"gap":               {1e-3, 2e-3, 2e-3},
		// |f| + ‖∂f‖ |x| is 4 and 3 in rounds 1 and 2, Σ_j |g_j| + ‖∂g_j‖ |x| is 2 + 2 and 5 + 3;
		// a round counts as the largest of those so far, and round 3 is not measured.
		"loss_magnitude":       {4, 8, 12},
		"constraint_magnitude": {4, 12, 20},
		"action_magnitude":     {1, 3, 5},
	}
	columns, rows := tr.Kept()
	for _, name := range columns {
		v, ok := want[name]
		if !ok {
			t.Errorf("%s is not worked out by hand: add a row to want", name)
			continue
		}
		if got := NewTable(columns, rows).Column(name); !slices.Equal(got, v) {
			t.Errorf("%s = %v, by hand %v: undo the change that moved it, in harness/game/trace.go or "+
				"harness/game/metrics.go; if the metric is defined otherwise now, work out the row of want "+
				"anew, and naive, and raise formats[store.Game] in harness/experiment/cell.go", name, got, v)
		}
	}
}

// naiveMetrics computes the columns of a trace after T rounds from the actions and
// the functions, penalties by their definition.
func naiveMetrics(x [][]float64, f []*convex.Form, g [][]*convex.Form, T,
	m int) map[string]float64 {
	out := make(map[string]float64)
	softAfter := func(t int) float64 {
		soft := 0.0
		for j := range m {
			sum := 0.0
			for i := range t {
				sum += g[i][j].Value(x[i])
			}
			soft += max(0, sum)
		}
		return soft
	}
	var sizes [3]float64
	for t := range T {
		if round := t + 1; bits.OnesCount(uint(round)) == 1 {
			size := func(f *convex.Form) float64 {
				slope := make([]float64, len(x[t]))
				f.Subgrad(slope, x[t])
				return math.Abs(f.Value(x[t])) + vec.Norm(slope)*vec.Norm(x[t])
			}
			constraints := 0.0
			for j := range m {
				constraints += size(g[t][j])
			}
			for k, v := range []float64{size(f[t]), constraints, vec.Norm(x[t])} {
				sizes[k] = max(sizes[k], v)
			}
		}
		for k, name := range []string{"loss_magnitude", "constraint_magnitude", "action_magnitude"} {
			out[name] += sizes[k]
		}
		out["loss"] += f[t].Value(x[t])
		out["violation_running"] = max(out["violation_running"], softAfter(t+1))
		most, squares := 0.0, 0.0
		out["movement"] += vec.Dist(x[t], x[max(t-1, 0)])
		for j := range m {
			v := g[t][j].Value(x[t])
			most, squares = max(most, v), squares+max(0, v)*max(0, v)
			out["violation_signed"] += v
			out["violation_hard"] += max(0, v)
			out["violation_squared"] += max(0, v) * max(0, v)
			out["violation_max"] = max(out["violation_max"], v)
			average := 0.0
			for i := range t + 1 {
				average += g[i][j].Value(x[t]) / float64(t+1)
			}
			out["violation_penalty"] += max(0, average)
		}
		out["violation_ccv"] += most
		out["violation_norm"] += math.Sqrt(squares)
	}
	out["violation_soft"] = softAfter(T)
	return out
}

// Traces in constant memory agree with sums over all rounds on random games:
// affine, quadratic, perturbed and opaque constraints.
func TestTraceAgreesWithNaiveSums(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, m, T := 1+rng.IntN(3), rng.IntN(4), 40
		v := func() []float64 {
			a := make([]float64, n)
			for i := range a {
				a[i] = rng.NormFloat64()
			}
			return a
		}
		bases := []*convex.Basis{
			convex.NewBasis(&convex.Distance{Weight: 1, Center: v(), Offset: -1}),
			convex.NewBasis(&convex.HalfSquaredDistance{Weight: 2, Center: v(), Offset: -1}),
		}
		draw := func() convex.Func {
			switch rng.IntN(4) {
			case 0:
				return &convex.HalfSquaredDistance{Weight: rng.Float64(), Center: v(), Offset: rng.NormFloat64()}
			case 1:
				return &convex.Shifted{Base: bases[rng.IntN(2)], Shift: rng.NormFloat64()}
			}
			return &convex.Affine{A: v(), B: rng.NormFloat64()}
		}
		var xs [][]float64
		var fs []*convex.Form
		var gs [][]*convex.Form
		s := &harnesstest.Stream{Domain: convex.Cube(n, -2, 2), Count: m, Round: func(t int, x []float64) convex.Round {
			r := convex.Round{Loss: draw()}
			var lowered []*convex.Form
			for range m {
				r.Constraints = append(r.Constraints, draw())
				lowered = append(lowered, convex.Lower(r.Constraints[len(r.Constraints)-1], n))
			}
			xs, fs, gs = append(xs, slices.Clone(x)), append(fs, convex.Lower(r.Loss, n)),
				append(gs, lowered)
			return r
		}}
		l := &harnesstest.Learner{Play: func(_ int, x []float64) {
			for i := range x {
				x[i] = 4*rng.Float64() - 2
			}
		}}
		tr := newTraceRecorder(l, n, m, Checkpoints(T), tracedOnRequest...)
		if err := Play(context.Background(), l, s, T, tr); err != nil {
			t.Fatal(err)
		}
		for _, row := range tr.rows {
			want := naiveMetrics(xs, fs, gs, int(row[0]), m)
			for k, name := range traceColumns(tr.metrics) {
				if name == TimeColumn || name == string(metricGap) {
					continue
				}
				if _, ok := want[name]; !ok && m > 0 {
					t.Fatalf("got no definition of %s, want it in naiveMetrics", name)
				}
				if d := math.Abs(row[k] - want[name]); !(d <= 1e-11*(1+math.Abs(want[name]))) {
					t.Errorf("seed %d, n=%d, m=%d, t=%v: got %s = %v, want %v by its definition: undo the "+
						"change that moved it, in harness/game/trace.go or harness/game/metrics.go", seed, n, m,
						row[0], name, row[k], want[name])
				}
			}
		}
	}
}

// A round costs no allocation: neither the game, nor the trace, nor learners
// whose rounds are of a fixed shape, nor the streams.
func TestPlayDoesNotAllocate(t *testing.T) {
	race.SkipSequential(t)
	// Horizons with as many checkpoints: 1155 is the one after 1000.
	const from, to = 1001, 1154
	if len(Checkpoints(from)) != len(Checkpoints(to)) {
		t.Fatalf("horizons %d and %d: got different numbers of checkpoints, want the same", from, to)
	}
	check := func(algorithm, problem string) {
		allocations := func(horizon int) float64 {
			return testing.AllocsPerRun(3, func() {
				s := harnesstest.Start(t, problem)
				l := harnesstest.StartLearner(t, algorithm, s, horizon)
				if _, err := playTraced(l, s, horizon); err != nil {
					t.Fatal(err)
				}
			})
		}
		// A few come and go with the pools of package fmt, which the race
		// detector empties at random, and as buffers grow.
		if short, long := allocations(from), allocations(to); long-short > (to-from)/10 {
			t.Errorf("%s on %s: %v allocations in %d rounds, %v in %d", algorithm, problem, short, from,
				long, to)
		}
	}
	for _, problem := range []string{"decaying-frequency", "decaying-frequency:constraints=2",
		"perturbed:dim=10"} {
		check("primal-dual", problem)
	}
	proximal := []string{"yu-neely", "valls", "chen", "guo", "coldq", "yi-2021"}
	for _, a := range algorithms.All {
		if a.Feedback != algorithms.FullInfo || a.Name == "primal-dual-average" ||
			slices.Contains(proximal, a.Name) {
			check(a.Name, "iid:dim=10,constraints=3")
		}
	}
}

// playTraced plays a game as a cell does.
func playTraced(l algorithms.Learner, s problems.Stream, horizon int) (*traceRecorder, error) {
	tr := newTraceRecorder(l, s.Set().Dim(), s.Constraints(), Checkpoints(horizon))
	return tr, Play(context.Background(), l, s, horizon, tr)
}
