package run

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/problems"
)

// threeRounds are, on [−1, 1],
//
//	t   f_t      g_t ≤ 0     x*_t   f_t(x*_t)   max g_t − g_{t−1}   max |g_t − g_{t−1}|
//	1   −x       x ≤ ½       ½      −½
//	2   −x       x ≤ −¼      −¼     ¼           ¾                   ¾
//	3   2x − 1   x ≥ 0       0      −1          −2x − ¼ = 1¾        2¼ at 1
//
// so that Σ f_t(x*_t) = −1¼, P_3 = ¾ + ¼, V_3 = 3, and constraints rise by 2½ in all. From
// the round after them on they are empty.
func threeRounds(t int) convex.Round {
	f, g := harnesstest.Affine(-1, 0), harnesstest.Affine(1, -0.5)
	switch t {
	case 2:
		g = harnesstest.Affine(1, 0.25)
	case 3:
		f, g = harnesstest.Affine(2, -1), harnesstest.Affine(-1, 0)
	case 4:
		g = harnesstest.Affine(0, 1)
	}
	return convex.Round{Loss: f, Constraints: []convex.Func{g}}
}

func movingCatalog() experiment.Catalog {
	return experiment.Catalog{
		Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("rest", harnesstest.Still),
			harnesstest.Algorithm("half", func(algorithms.Setup) *harnesstest.Learner {
				return &harnesstest.Learner{Play: func(_ int, x []float64) { x[0] = 0.5 }}
			})},
		Problems: []problems.Problem{harnesstest.Problem("three", harnesstest.LineRounds(1,
			threeRounds))},
	}
}

// Dynamic regret, path length and variation are exact on rounds that are solved by hand,
// and those that need an action in every round have no value from an empty round on.
func TestDynamicRegretByHand(t *testing.T) {
	r, _ := runAndLoad(t, newPlan(t, movingCatalog(), "name: three\nhorizon: 4\nreplicates: "+
		"1\nmetrics: [regret_dynamic, path_length, constraint_variation]\nproblems: [{use: "+
		"three}]\nalgorithms: [{use: rest}, {use: half}]"))
	nan := math.NaN()
	// Losses are 0, 0, −1 at 0, and −½, −½, 0 at ½.
	for i, regret := range [][]float64{{0.5, 0.25, 0.25, nan}, {0, -0.75, 0.25, nan}} {
		g := r.Games[i]
		for name, want := range map[algorithms.Metric][]float64{
			"regret_dynamic": regret, "path_length": {0, 0.75, 1, nan},
			"constraint_variation": {0, 0.75, 3, 3 + 2},
		} {
			if got := g.Metric(name); !sameNumbers(got, want) {
				t.Errorf("%s: %s = %v, want %v", g.Algorithm, name, got, want)
			}
		}
		if got, want := g.Motion()[2], (algorithms.Motion{
			Path: 1, Variation: 3, Rise: 2.5, Steepest: 1.75,
		}); got != want {
			t.Errorf("the motion is %+v, want %+v", got, want)
		}
	}
}

// The best actions of the rounds are solved for where somebody asks: the experiment, or a
// claim of a learner that plays. All other cells are what they are without, and one cell
// serves all who play the same rounds.
func TestMovingIsPlannedWhereAsked(t *testing.T) {
	keys := func(text string) (moving int, others []store.Key) {
		for _, c := range newPlan(t, programCatalog, text).Cells {
			if c.Kind == store.Moving {
				moving++
			} else {
				others = append(others, c.Key)
			}
		}
		return moving, others
	}
	const plain = "name: p\nhorizon: 20\nreplicates: 2\nproblems: [{use: iid}, {use: " +
		"family}]\nalgorithms: [{use: ogd}, {use: mahdavi}]"
	moving, without := keys(plain)
	if moving != 0 {
		t.Errorf("got %d moving comparators, want none that nobody asks for", moving)
	}
	moving, with := keys(plain + "\nmetrics: [path_length]")
	if moving != 4 || !slices.Equal(without, with) {
		t.Errorf("%d moving comparators, want one for each of 4 streams; are the other cells the "+
			"same? %v", moving, slices.Equal(without, with))
	}
	for _, name := range []string{"chen", "coldq"} { // their claims need it
		if moving, _ := keys(strings.Replace(plain, "{use: mahdavi}", "{use: "+name+"}",
			1)); moving != 4 {
			t.Errorf("%s: %d moving comparators, want 4", name, moving)
		}
	}
	for _, a := range programCatalog.Algorithms {
		needs := slices.ContainsFunc(a.ClaimsOf(a.Params),
			func(c algorithms.Claim) bool { return c.Moving != nil || c.Metric == algorithms.RegretDynamic })
		p := newPlan(t, programCatalog,
			"name: m\nhorizon: 10\nreplicates: 1\nassumptions: ignore\nproblems: "+
				"[{use: fixed}]\nalgorithms: [{use: "+a.Name+"}]")
		if slices.ContainsFunc(p.Cells,
			func(c *experiment.Cell) bool { return c.Kind == store.Moving }) != needs {
			t.Errorf("%s: got another plan of moving comparators, want one planned: %v", a.Name, needs)
		}
	}
}

// Where the rounds depend on who plays, everybody has a moving comparator.
func TestAdaptiveRoundsHaveAMovingComparatorEach(t *testing.T) {
	c := movingCatalog()
	c.Problems = []problems.Problem{harnesstest.Problem("against", func() *harnesstest.Stream {
		return &harnesstest.Stream{Domain: convex.Cube(1, -1, 1), Count: 0,
			Declared: convex.Facts{Adaptive: true}, Round: func(_ int, x []float64) convex.Round {
				return convex.Round{Loss: harnesstest.Affine(1-x[0], 0)} // the best action is −1, at x_t − 1
			}}
	})}
	r, _ := runAndLoad(t, newPlan(t, c, "name: a\nhorizon: 3\nreplicates: 1\nmetrics: "+
		"[regret_dynamic]\nproblems: [{use: against}]\nalgorithms: [{use: rest}, {use: half}]"))
	for i, want := range [][]float64{{1, 2, 3}, {0.75, 1.5, 2.25}} {
		if got := r.Games[i].Metric("regret_dynamic"); !sameNumbers(got, want) {
			t.Errorf("%s: %v, want %v", r.Games[i].Algorithm, got, want)
		}
	}
}

// The key metrics of experiments names the metrics of the table that are exported or shown, and
// knows which are on request.
func TestMetricsOnRequest(t *testing.T) {
	var all []string
	for _, m := range game.Select(func(m game.Metric) bool { return m.Exported || m.Shown }) {
		all = append(all, string(m.Name))
	}
	if !slices.Equal(all, spec.Metrics) {
		t.Errorf("got spec.Metrics = %v, want %v in this order (harness/experiment/spec/experiment.go)",
			spec.Metrics, all)
	}
	var names []string
	for _, m := range game.Select(func(m game.Metric) bool { return m.OnRequest }) {
		names = append(names, string(m.Name))
	}
	if !slices.Equal(names, spec.OnRequest) {
		t.Errorf("got spec.OnRequest = %v, want %v in this order (harness/experiment/spec/experiment.go)",
			spec.OnRequest, names)
	}
}

// undefinedWhileIll is |x| on the line; while ill is true it has no values but at 0 and ½.
type undefinedWhileIll struct{ ill *bool }

func (f undefinedWhileIll) Value(x []float64) float64 {
	if *f.ill && x[0] != 0 && x[0] != 0.5 {
		return math.NaN()
	}
	return math.Abs(x[0])
}

func (f undefinedWhileIll) Subgrad(dst, x []float64) { dst[0] = math.Copysign(1, x[0]) }

// A round that cannot be solved fails the moving comparator, and nothing else: the next
// checkpoint comes after it.
func TestUnsolvedRoundFailsMovingComparatorOnly(t *testing.T) {
	c := movingCatalog()
	c.Problems = []problems.Problem{harnesstest.Problem("moody", func() *harnesstest.Stream {
		ill := new(bool)
		return &harnesstest.Stream{Domain: convex.Cube(1, -1, 1), Round: func(t int,
			_ []float64) convex.Round {
			if *ill = t == 50; t != 50 {
				return convex.Round{Loss: harnesstest.Affine(1, 0)}
			}
			return convex.Round{Loss: convex.NewBasis(undefinedWhileIll{ill})}
		}}
	})}
	p := newPlan(t, c, "name: b\nhorizon: 56\nreplicates: 1\nmetrics: [regret_dynamic]\nproblems: "+
		"[{use: moody}]\nalgorithms: [{use: rest}, {use: half}]")
	s := openStore(t, t.TempDir())
	failures, err := Run(t.Context(), p, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(failures) != 1 || failures[0].Cell.Kind != store.Moving ||
		!strings.Contains(failures[0].Err.Error(),
			"moving comparator on moody, horizon 56, replicate 1: round 50: ") {
		t.Fatalf("got failures %v, want one, of the moving comparator in round 50", failures)
	}
	r, err := LoadExperiment(s, "b")
	if err != nil {
		t.Fatal(err)
	}
	n, first := r.Failures("", "moody")
	if g := r.Game("rest", "moody", 1, 56); g.Metric("regret_dynamic") != nil || g.Motion() != nil ||
		g.Metric("regret_xhat") == nil || r.Missing != 1 || n != 1 || first == nil {
		t.Errorf("%d cells are missing and %d failed, %v; want the moving comparator alone", r.Missing, n,
			first)
	}
}
