package game

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/race"
	"ocobench/problems"
)

// isNear reports whether two numbers agree to tol, relative beyond 1.
// isNear reports whether a and b differ by at most tol, relative to b or to 1 if that is larger.
func isNear(a, b, tol float64) bool { return math.Abs(a-b) <= tol*max(1, math.Abs(b)) }

// solved holds the hindsight of a stream at its checkpoints.
type solved struct {
	t []int
	n int
	// by set: value, gap, residual and action at the checkpoints
	value, gap, residual map[string][]float64
	action               map[string][][]float64
}

// startLearner returns a learner for a stream that is adaptive, and nil for others.
func startLearner(t testing.TB, s problems.Stream, horizon int) algorithms.Learner {
	t.Helper()
	if !s.Facts().Adaptive {
		return nil
	}
	return harnesstest.StartLearner(t, "primal-dual", s, horizon)
}

// solveHindsight plays a stream and solves its hindsight at the checkpoints.
func solveHindsight(t testing.TB, s problems.Stream, horizon int) solved {
	t.Helper()
	n := s.Set().Dim()
	h := &hindsightRecorder{Hindsight: NewHindsight(s), checkpoints: checkpoints{Checkpoints(horizon)}}
	if err := Play(context.Background(), startLearner(t, s, horizon), s, horizon, h); err != nil {
		t.Fatal(err)
	}
	out := solved{Checkpoints(horizon), n, map[string][]float64{}, map[string][]float64{},
		map[string][]float64{}, map[string][][]float64{}}
	cell := NewTable(hindsightColumns(comparatorSets(s), n), h.rows)
	for i, v := range cell.Column(TimeColumn) {
		if v != float64(out.t[i]) {
			t.Fatalf("the checkpoints are %v, want %d", cell.Column(TimeColumn), out.t)
		}
	}
	for _, set := range comparatorSets(s) {
		out.value[set] = cell.Column(set + "_value")
		out.gap[set] = cell.Column(set + "_gap")
		out.residual[set] = cell.Column(set + "_residual")
		out.action[set] = make([][]float64, len(out.t))
		for i := range n {
			for k, v := range cell.Column(fmt.Sprintf("%s_x%d", set, i+1)) {
				out.action[set][k] = append(out.action[set][k], v)
			}
		}
	}
	return out
}

// On decaying-frequency, f = −2x on [−10, 10], and with N_i the number of
// binding rounds (g = x) up to i, N = N_t > 0,
//
//	X^min   x ≤ 0
//	X̂^max  x ≤ 0.01 (i − N_i)/N_i for all i ≤ t with N_i > 0
//	X^max   x ≤ 0.01 (t − N)/N
//
// and everything while N = 0; with two constraints all three are x ≤ 0 once
// there was a binding round.
func TestHindsightOfDecayingFrequencyIsInClosedForm(t *testing.T) {
	const T = 2000
	for _, c := range []float64{0.5, 0.75, 1} {
		for m := 1; m <= 2; m++ {
			name := fmt.Sprintf("decaying-frequency:c=%v,constraints=%d", c, m)
			got := solveHindsight(t, harnesstest.Start(t, name), T)
			again := harnesstest.Start(t, name)
			ends := map[string]float64{"xmin": 10, "xhat": 10, "xmax": 10}
			binding, at := 0, 0
			for k := 1; k <= T; k++ {
				r := again.Reveal(k, nil)
				if r.Constraints[m-1].Value([]float64{10}) == 10 {
					binding++
					ends["xmin"] = 0
				}
				if binding > 0 {
					ends["xmax"] = min(10, 0.01*float64(k-binding)/float64(binding))
					if m == 2 {
						ends["xmax"] = 0
					}
					ends["xhat"] = min(ends["xhat"], ends["xmax"])
				}
				if at == len(got.t) || got.t[at] != k {
					continue
				}
				for set, end := range ends {
					want := -2 * float64(k) * end
					if v, gap := got.value[set][at], got.gap[set][at]; !isNear(v, want, 1e-9) ||
						gap > 1e-9*max(1, math.Abs(want)) {
						t.Errorf("%s, t=%d: the value over %s is %v ± %v, want %v", name, k, set, v, gap, want)
					}
				}
				at++
			}
			if binding == 0 || binding == T {
				t.Errorf("%s: got %d of %d rounds that bind, want some and not all", name, binding, T)
			}
			if m == 1 && c < 1 && ends["xhat"] == ends["xmax"] {
				t.Errorf("%s: got the same X̂^max and X^max, want two that differ", name)
			}
		}
	}
}

// probedProblems returns SPECs of every problem that needs no file, in several dimensions, domains
// and shapes. A problem that has no row here is probed at its defaults: a row is for one whose
// parameters lead to other shapes, or whose defaults are too large.
func probedProblems() (specs []string) {
	specs = []string{
		"decaying-frequency", "decaying-frequency:c=0.5", "decaying-frequency:c=0.75,constraints=2",
		"drifting-average", "drifting-average:turns=1,rate=0",
		"schedule", "schedule:dim=3,set=ball,constraints=2,functions=4,law=iid,turn=0.3,curvature=0.5",
		"drifting", "drifting:p=1,dim=3,constraints=4,loss=affine", "drifting:p=0.75,dim=4",
		"fixed:dim=1", "perturbed:dim=1", "iid:dim=1", "iid:dim=10,constraints=5",
		"perturbed:dim=10,set=ball,constraints=2", "perturbed:dim=3,noise=adversarial",
		"perturbed:dim=3,noise=drift", "perturbed:dim=3,noise=periodic,constraints=2",
		"online-qp", "online-qp:loss=linear,period=10", "regression", "regression:dim=3,samples=1",
		"doubly-stochastic:size=3",
		"logistic:dim=5,nonzeros=3,rho=2", "logistic:dim=3,nonzeros=1,rho=50",
		"logistic:dim=4,nonzeros=1,samples=normal,constraint=norm,rho=0.6,radius=5",
		"uniform-targets", "uniform-targets:dim=3,radius=0.5,low=-3",
		"regression:upper=1,slopes=2,clip=1,constraints=4,dim=3",
		"gradual-slater:targets=circle,noise=0.2,dim=2,period=7",
		"family:dim=1", "periodic:dim=1,kind=quadratic", "gradual-slater:margin=0.5",
		"gradual-slater:margin=0.7,dim=1",
		"conflicting", "conflicting:dim=5,curvature=1",
		"job-scheduling:servers=10,zones=3,jobs=100", "fog-offloading:nodes=4",
		"portfolio:dim=4", "portfolio:budget=turnover", "portfolio:loss=linear,risk=0.01",
		"decaying-frequency:c=0.75,constraints=2,combine=max", "iid:dim=3,constraints=3,combine=max",
		"fixed:constraints=3,combine=max", "fixed:constraints=2,kind=quadratic,combine=max",
	}
	for _, domain := range []string{"dim=2,set=box", "dim=2,set=ball,constraints=2",
		"dim=4,set=simplex,radius=2,constraints=3"} {
		specs = append(specs, "iid:"+domain, "iid:loss-noise=0,"+domain)
		for _, shape := range []string{"affine", "quadratic", "norm"} {
			names := []string{"fixed", "perturbed", "family", "periodic"}
			if shape == "norm" {
				names = names[:2]
			}
			for _, name := range names {
				specs = append(specs, fmt.Sprintf("%s:%s,kind=%s", name, domain, shape),
					fmt.Sprintf("%s:%s,kind=%s,curvature=1", name, domain, shape))
			}
		}
	}
	for _, p := range problems.All {
		of := func(text string) bool { return text == p.Name || strings.HasPrefix(text, p.Name+":") }
		if p.Name != "trace" && !slices.ContainsFunc(specs, of) { // which needs a file
			specs = append(specs, p.Name)
		}
	}
	return specs
}

// Hindsight is certified: to 1e-9 relative in value and in feasibility, which is measured on the
// rounds, or on what they are on average; its value is that of its action; the larger of two sets
// has the better value; and solutions that start from the last checkpoint's are those that start
// cold.
func TestHindsightIsCertified(t *testing.T) {
	race.SkipSequential(t)
	const T = 60
	for _, name := range probedProblems() {
		t.Run(name, func(t *testing.T) {
			got := solveHindsight(t, harnesstest.Start(t, name), T)
			for i, at := range got.t {
				if i%4 != 0 && at != T {
					continue
				}
				stream := harnesstest.Start(t, name)
				fresh := NewHindsight(stream)
				rounds := &lowered{n: got.n}
				if err := Play(context.Background(), startLearner(t, stream, at), stream, at, fresh,
					rounds); err != nil {
					t.Fatal(err)
				}
				bests, err := fresh.Solve()
				if err != nil {
					t.Fatal(err)
				}
				for k, set := range comparatorSets(stream) {
					value, gap, x := got.value[set][i], got.gap[set][i], got.action[set][i]
					unit := max(1, math.Abs(value))
					if math.IsNaN(value) != bests[k].Empty {
						t.Errorf("t=%d: %s: got value %v, want NaN exactly if started cold it is empty: %v", at, set,
							value, bests[k].Empty)
					}
					if math.IsNaN(value) {
						if !strings.HasPrefix(name, "conflicting") || set == "xmax" || set == "xe" {
							t.Errorf("t=%d: got %s empty, want a point; where that is meant, say so here", at, set)
						}
						continue
					}
					if !(gap >= 0 && gap <= 1e-9*unit) {
						t.Errorf("t=%d: value %v over %s: got gap %v, want at most 1e-9 of it", at, value, set, gap)
					}
					if r := got.residual[set][i]; !(r >= 0 && r <= 1e-9*float64(at)) {
						t.Errorf("t=%d: over %s: got residual %v, want at most 1e-9 a round", at, set, r)
					}
					if v := rounds.loss(x); !isNear(v, value, 1e-12*float64(at)) {
						t.Errorf("t=%d: over %s: got losses of sum %v at the action, want %v", at, set, v, value)
					}
					violation := rounds.violation(set, x)
					if set == "xe" {
						violation = math.Inf(-1)
						for _, g := range expectedConstraints(stream) {
							violation = max(violation, g.Value(x))
						}
					}
					if v := max(violation, stream.Set().Residual(x)); v > 1e-9 {
						t.Errorf("t=%d: over %s: got an action that violates by %v, want at most 1e-9", at, set, v)
					}
					if b := bests[k]; math.Abs(b.Value-value) > gap+b.Gap+1e-9*unit {
						t.Errorf("t=%d: over %s: got %v ± %v, want %v ± %v as started cold", at, set, value, gap,
							b.Value, b.Gap)
					}
					if 0 < k && k < len(Sets) {
						smaller := Sets[k-1]
						if v := got.value[smaller][i]; v < value-gap-1e-9*unit {
							t.Errorf("t=%d: got %v over %s, want at least %v ± %v as over %s, which contains it", at,
								v, smaller, value, gap, set)
						}
					}
				}
			}
		})
	}
}

// lowered observes a game and keeps the forms of all rounds.
type lowered struct {
	n     int
	total *convex.Form
	g     [][]*convex.Form
}

func (l *lowered) Round(_ int, _ []float64, r *convex.Round) error {
	if l.total == nil {
		l.total = convex.NewForm(l.n)
	}
	r.Loss.AddTo(l.total, 1)
	var g []*convex.Form
	for _, f := range r.Constraints {
		g = append(g, convex.Lower(f, l.n))
	}
	l.g = append(l.g, g)
	return nil
}

// loss returns the sum of the losses at x.
func (l *lowered) loss(x []float64) float64 { return l.total.Value(x) }

// violation returns the largest violation by x of an inequality that defines the
// set, with sums of t constraints in units of t. It is below 0 where all hold strictly.
func (l *lowered) violation(set string, x []float64) float64 {
	worst := math.Inf(-1)
	sums := make([]float64, len(l.g[0]))
	for i, g := range l.g {
		for j, f := range g {
			v := f.Value(x)
			sums[j] += v
			switch {
			case set == "xmin":
				worst = max(worst, v)
			case set == "xhat" || i == len(l.g)-1:
				worst = max(worst, sums[j]/float64(i+1))
			}
		}
	}
	return worst
}

// On [−1, 1] with f = x, rounds that alternate between the constraints below:
//
//	t       1        2        3        4        5 …
//	g     −x − ½   −x − ½    x + ¾   −x − ½   −x − ½
//	sum   −x − ½   −2x − 1  −x − ¼   −2x − ¾  −3x − 1¼
//
// X^min is [−½, 1] until round 3, which wants x ≤ −¾ and empties it for good;
// the prefixes are satisfied by x ≥ −¼. With −x + 2, which no point
// satisfies, X̂^max is empty too, and X^max until its sum recovers.
func TestEmptySetsByHand(t *testing.T) {
	play := func(rounds ...convex.Func) solved {
		s := harnesstest.LineRounds(1, func(t int) convex.Round {
			return convex.Round{Loss: harnesstest.Affine(1, 0), Constraints: []convex.Func{rounds[t-1]}}
		})()
		return solveHindsight(t, s, len(rounds))
	}
	// the best actions, NaN where empty
	check := func(what string, got solved, set string, want []float64) {
		t.Helper()
		for i, at := range got.t {
			x, v := got.action[set][i][0], got.value[set][i]
			numbers := []float64{x, v, got.gap[set][i], got.residual[set][i]}
			switch w := want[at-1]; {
			case math.IsNaN(w):
				if slices.ContainsFunc(numbers, func(v float64) bool { return !math.IsNaN(v) }) {
					t.Errorf("%s: %s is empty at t=%d: got columns %v, want NaN", what, set, at, numbers)
				}
			case !isNear(x, w, 1e-12) || !isNear(v, float64(at)*w, 1e-12):
				t.Errorf("%s: t=%d: over %s the action %v has the value %v, want %v and %v", what, at, set, x,
					v, w, float64(at)*w)
			}
		}
	}
	nan := math.NaN()
	a, b := harnesstest.Affine(-1, -0.5), harnesstest.Affine(1, 0.75)
	got := play(a, a, b, a, a)
	check("contradicting rounds", got, "xmin", []float64{-0.5, -0.5, nan, nan, nan})
	check("contradicting rounds", got, "xhat", []float64{-0.5, -0.5, -0.25, -0.25, -0.25})
	check("contradicting rounds", got, "xmax", []float64{-0.5, -0.5, -0.25, -0.375, -1.25 / 3})

	// Sums: −x − ½, −2x + 1½, −3x + 1, −4x + ½.
	got = play(a, harnesstest.Affine(-1, 2), a, a)
	check("an impossible round", got, "xmin", []float64{-0.5, nan, nan, nan})
	check("an impossible round", got, "xhat", []float64{-0.5, 0.75, 0.75, 0.75})
	check("an impossible round", got, "xmax", []float64{-0.5, 0.75, 1. / 3, 0.125})

	// Sums: −x + 2, −2x + 1½, −3x + 1: X̂^max is empty, X^max recovers.
	got = play(harnesstest.Affine(-1, 2), a, a)
	check("an impossible beginning", got, "xmin", []float64{nan, nan, nan})
	check("an impossible beginning", got, "xhat", []float64{nan, nan, nan})
	check("an impossible beginning", got, "xmax", []float64{nan, 0.75, 1. / 3})

	// Constants, of which the sum alone is feasible at the end.
	got = play(harnesstest.Affine(0, 1), harnesstest.Affine(0, -2))
	check("constants", got, "xmin", []float64{nan, nan})
	check("constants", got, "xhat", []float64{nan, nan})
	check("constants", got, "xmax", []float64{nan, -1})
}

// X̂^max of constraints that stay the same for a while is that of all prefixes, with
// and without a burn-in, and its residual bounds every prefix.
func TestHindsightOfFixedConstraintsIsThatOfPrefixes(t *testing.T) {
	const T = 12
	g := func(j, i int) convex.Func {
		switch {
		case j == 0 && i > 7: // changes, and returns
			return &convex.Affine{A: []float64{1, 0.1}, B: 0.3 - 0.01*float64(i%4)}
		case j == 0:
			return &convex.Affine{A: []float64{0.3, 1}, B: -0.1}
		case j == 1:
			return &convex.Affine{A: []float64{0.7, -0.9}, B: -0.2}
		}
		return &convex.HalfSquaredDistance{Weight: 1.1, Center: []float64{0.1, 0}, Offset: -0.6}
	}
	reveal := func(i int, _ []float64) convex.Round {
		r := convex.Round{Loss: &convex.Affine{A: []float64{-1, -0.3}}}
		for j := range 3 {
			r.Constraints = append(r.Constraints, g(j, i))
		}
		return r
	}
	for _, burnIn := range []int{0, 1, 3, 9, T} {
		s := &harnesstest.Stream{Domain: convex.Cube(2, -1, 1), Count: 3, Round: reveal}
		h := NewHindsight(s)
		h.BurnIn = burnIn
		all := convex.NewProgram(s.Domain)
		var prefixes []*convex.Form
		sum := []*convex.Form{convex.NewForm(2), convex.NewForm(2), convex.NewForm(2)}
		loss := convex.NewForm(2)
		for i := 1; i <= T; i++ {
			r := reveal(i, nil)
			if err := h.Round(i, nil, &r); err != nil {
				t.Fatal(err)
			}
			r.Loss.AddTo(loss, 1)
			for j, g := range r.Constraints {
				g.AddTo(sum[j], 1)
				if i >= burnIn {
					all.Constrain(sum[j])
					prefixes = append(prefixes, sum[j].Clone())
				}
			}
			if i < burnIn {
				continue
			}
			bests, err := h.Solve()
			if err != nil {
				t.Fatal(err)
			}
			best := bests[slices.Index(Sets, "xhat")]
			x := make([]float64, 2)
			want, err := all.Minimize(x, loss)
			if err != nil || best.Empty || !isNear(best.Value, want.Value, 1e-9*float64(i)) {
				t.Errorf("burn-in %d, t = %d: %v is best, want %v at %v, %v", burnIn, i, best, want, x, err)
			}
			for _, p := range prefixes {
				if v := p.Value(best.Action); v > best.Residual+1e-15*float64(i) {
					t.Errorf("burn-in %d, t = %d: got a prefix of %g, want at most the residual %g", burnIn, i, v,
						best.Residual)
				}
			}
		}
	}
}

// The programs keep a fixed constraint once, whatever the horizon is.
func TestHindsightKeepsFixedConstraintsOnce(t *testing.T) {
	for _, c := range []struct {
		problem string
		m       int // 0: in one dimension, where constraints are an interval
	}{
		{"doubly-stochastic", 96}, {"online-qp", 3}, {"yu-neely-lp", 3}, {"logistic", 1}, {"fixed", 1},
		{"fixed:dim=3,kind=quadratic,constraints=2", 2}, {"fixed:dim=2,kind=norm", 1}, {"fixed:dim=1", 0},
	} {
		t.Run(c.problem, func(t *testing.T) {
			s := harnesstest.Start(t, c.problem)
			if !s.Facts().Fixed {
				t.Error("got constraints that change, want fixed ones")
			}
			h := NewHindsight(s)
			h.Window = 17
			for i := 1; i <= 300; i++ {
				if err := h.Round(i, nil, s.Reveal(i, nil)); err != nil {
					t.Fatal(err)
				}
			}
			for set, p := range map[string]*convex.Program{"xmin": h.xmin, "xhat": h.xhat, "xk": h.xk} {
				if p.Len() != c.m {
					t.Errorf("after 300 rounds %s keeps %d constraints, want %d", set, p.Len(), c.m)
				}
			}
		})
	}
	// Functions that are new in each round, and have no basis in common.
	reveal := func(int, []float64) convex.Round {
		return convex.Round{
			Loss: &convex.Affine{A: []float64{-1, -0.3}},
			Constraints: []convex.Func{&convex.Quadratic{
				Q: []float64{2, 1, 1, 2}, A: []float64{0.1, 0.3}, B: -1,
			}},
		}
	}
	h := NewHindsight(&harnesstest.Stream{Domain: convex.Cube(2, -1, 1), Count: 1, Round: reveal})
	h.Window = 17
	for i := 1; i <= 300; i++ {
		r := reveal(i, nil)
		if err := h.Round(i, nil, &r); err != nil {
			t.Fatal(err)
		}
	}
	if h.xmin.Len() != 1 || h.xhat.Len() != 1 || h.xk.Len() != 1 {
		t.Errorf("of a quadratic constraint X^min, X̂^max and X_K keep %d, %d and %d, want 1",
			h.xmin.Len(), h.xhat.Len(), h.xk.Len())
	}
}
