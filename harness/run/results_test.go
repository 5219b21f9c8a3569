package run

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// runAndLoad runs a plan into a fresh store and loads its experiment.
func runAndLoad(t *testing.T, p *experiment.Plan) (*Results, *store.Store) {
	t.Helper()
	dir := t.TempDir()
	if _, _, failures := runPlan(t, p, dir, Options{Workers: 2}); len(failures) > 0 {
		t.Fatal(failures[0].Err)
	}
	s := openStore(t, dir)
	r, err := LoadExperiment(s, p.Experiment.Name)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

// sameNumbers compares with NaN equal to NaN.
func sameNumbers(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

// On [−1, 1], three rounds of f = x − 1 with the constraints x ≤ ½, x ≤ ½ and
// 2 − x ≤ 0, which empties X^min and leaves of X̂^max (sums x − ½, 2x − 1,
// x + 1) and of X^max the points x ≤ −1. The learners stay at 0 and ½, so that
// their losses are −t and −t/2; the best action is −1, with the value −2t.
func TestRegretByHand(t *testing.T) {
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("rest", harnesstest.Still),
			harnesstest.Algorithm("half", func(algorithms.Setup) *harnesstest.Learner {
				return &harnesstest.Learner{Play: func(_ int, x []float64) { x[0] = 0.5 }}
			})},
		Problems: []problems.Problem{harnesstest.Problem("three", harnesstest.LineRounds(1, func(t int) convex.Round {
			g := harnesstest.Affine(1, -0.5)
			if t == 3 {
				g = harnesstest.Affine(-1, 2)
			}
			return convex.Round{Loss: harnesstest.Affine(1, -1), Constraints: []convex.Func{g}}
		}))},
	}
	r, _ := runAndLoad(t, newPlan(t, c, "name: three\nhorizon: 3\nreplicates: 1\nproblems: [{use: "+
		"three}]\nalgorithms: [{use: rest}, {use: half}]"))
	if len(r.Games) != 2 || r.Missing != 0 {
		t.Fatalf("got %d games and %d cells missing, want 2 and none", len(r.Games), r.Missing)
	}
	nan := math.NaN()
	for i, want := range []map[algorithms.Metric][]float64{
		{"loss": {-1, -2, -3}, "regret_xmin": {1, 2, nan}, "regret_xhat": {1, 2, 3},
			"regret_xmax": {1, 2, 3}},
		{"loss": {-0.5, -1, -1.5}, "regret_xmin": {1.5, 3, nan}, "regret_xhat": {1.5, 3, 4.5},
			"regret_xmax": {1.5, 3, 4.5}},
	} {
		g := r.Games[i]
		want["violation_max"] = []float64{0, 0, []float64{2, 1.5}[i]}
		for name, v := range want {
			if got := g.Metric(name); !sameNumbers(got, v) {
				t.Errorf("%s: %s = %v, want %v", g.Algorithm, name, got, v)
			}
		}
		for _, name := range []algorithms.Metric{
			"", "regret", "regret_", "regret_domain", "losses", "xmin", "xmax_x1", "regret_xe", "regret_xk",
		} {
			if got := g.Metric(name); got != nil {
				t.Errorf("the unknown metric %q is %v, want nil", name, got)
			}
		}
		for _, m := range game.Metrics {
			if got := g.Metric(m.Name); len(got) != len(g.T()) && m.StandIn == "" && !m.OnRequest {
				t.Errorf("%s: got %[3]d values of %[2]s, want one at each of %[4]d checkpoints", g.Algorithm,
					m.Name, len(got), len(g.T()))
			}
		}
	}
	for set, want := range map[string][]float64{
		"xmin": {nan}, "xhat": {-1}, "xmax": {-1}, "xe": nil, "": nil,
	} {
		if got := r.BestAction("three", set); !sameNumbers(got, want) {
			t.Errorf("the best action of %q is %v, want %v", set, got, want)
		}
	}
	// What Metric returns is the caller's.
	r.Games[0].Metric("regret_xmax")[0] = 99
	r.Games[0].Metric("loss")[0] = 99
	if got := r.Games[0].Metric("regret_xmax"); got[0] != 1 {
		t.Errorf("after a caller's change: got regret %v, want 1", got)
	}
}

// Every regret is its game's loss minus the value of its own stream: of its
// problem, replicate and horizon.
func TestRegretUsesComparatorOfItsStream(t *testing.T) {
	p := newPlan(t, programCatalog, small)
	r, _ := runAndLoad(t, p)
	games := 0
	for _, g := range r.Games {
		games++
		cell := computeAt(t, p, store.Game, g.Algorithm, g.Problem, g.Replicate, g.Horizon)
		best := computeAt(t, p, store.Hindsight, "", g.Problem, g.Replicate, g.Horizon)
		if !slices.Equal(g.T(), column(t, cell, "t")) || g.T()[len(g.T())-1] != float64(g.Horizon) {
			t.Errorf("%s on %s: got checkpoints %v, want those of the cell, up to %d", g.Algorithm,
				g.Problem, g.T(), g.Horizon)
		}
		for _, set := range game.Sets {
			want := column(t, cell, "loss")
			for i, v := range column(t, best, set+"_value") {
				want[i] -= v
			}
			if got := g.Metric(algorithms.Metric("regret_" + set)); !sameNumbers(got, want) {
				t.Errorf("%s on %s, replicate %d, horizon %d: regret over %s is %v, want %v", g.Algorithm,
					g.Problem, g.Replicate, g.Horizon, set, got, want)
			}
		}
	}
	if want := 4 * 2 * 2 * 3; games != want || r.Missing != 0 {
		t.Errorf("%d games are loaded and %d cells missing, want %d and none", games, r.Missing, want)
	}
	// Replicates in order, one horizon at a time.
	c := r.Curve("primal-dual", "iid:dim=3,constraints=2", "loss")
	if len(c.Y) != 2 || !sameNumbers(c.T, toFloats(game.Checkpoints(150))) {
		t.Fatalf("got a curve of %d replicates at %v, want 2 at the checkpoints", len(c.Y), c.T)
	}
	for k := range c.Y {
		game := computeAt(t, p, store.Game, "primal-dual", "iid:dim=3,constraints=2", k+1, 150)
		if !sameNumbers(c.Y[k], column(t, game, "loss")) {
			t.Errorf("replicate %d: got another curve, want that of the game", k+1)
		}
	}
	if c := r.Curve("primal-dual", "iid:dim=3,constraints=2", "unknown"); c.T != nil || c.Y != nil {
		t.Errorf("an unknown metric: got curve %v, want an empty one", c)
	}
}

// computeAt computes a cell of a plan, at the checkpoints of the horizon.
func computeAt(t *testing.T, p *experiment.Plan, kind, algorithm, problem string, replicate,
	horizon int) *store.Cell {
	t.Helper()
	c := compute(t, cellOf(t, p, kind, algorithm, problem, replicate, horizon))
	c.Rows = rowsOf(game.NewTable(c.Columns, c.Rows).At(game.Checkpoints(horizon)))
	return c
}

// rowsOf returns the rows of a table.
func rowsOf(t game.Table) (rows [][]float64) {
	for i := range t.Column(game.TimeColumn) {
		var row []float64
		for _, name := range t.Columns() {
			row = append(row, t.Column(name)[i])
		}
		rows = append(rows, row)
	}
	return rows
}

func toFloats(ints []int) (out []float64) {
	for _, v := range ints {
		out = append(out, float64(v))
	}
	return out
}

// The error for a record that is not there names the store. One for a record that cannot be used is
// another.
func TestUnusableRecordIsNotAMissingOne(t *testing.T) {
	s := openStore(t, t.TempDir())
	if err := s.PutExperiment("rec", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"other": s.Dir(), "rec": "no horizon; run it again"} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadRecord(s, name)
			errtest.Contains(t, err, want)
		})
	}
}

// A text is shown as it is, whatever JSON makes of it, and anything else as it stands in JSON.
func TestParamShowsTextUnescaped(t *testing.T) {
	e := experiment.Entry{Params: []byte(`{"a":"x\u003cy\u0026\"z\"","b":["x\u003cy","z"],"c":[0.5,1],"d":1e-9,` +
		`"e":true,"f":"a\nb","g":[],"h":""}`)}
	for name, want := range map[string]string{
		"a": `x<y&"z"`, "b": `["x<y","z"]`, "c": "[0.5,1]", "d": "1e-9", "e": "true", "f": `"a\nb"`,
		"g": "[]", "h": "", "none": "",
	} {
		t.Run(name, func(t *testing.T) {
			if got := e.Param(name); got != want {
				t.Errorf("the parameter %s is shown as %s, want %s", name, got, want)
			}
		})
	}
}

// A record whose SPECs leave out what was swept, as those of ocobench 0.1 do, is
// planned again under its own SPECs.
func TestOlderRecordIsPlannedUnderItsSpecs(t *testing.T) {
	p := newPlan(t, programCatalog, "name: old\nhorizon: 8\nreplicates: 2\nproblems: [{use: "+
		"decaying-frequency, c: [0.5, 1]}]\nalgorithms: [{use: primal-dual, step: [2, 5]}]")
	r, _ := runAndLoad(t, p)
	rec := r.Record
	rec.Problems[1].Spec, rec.Algorithms[1].Spec = "decaying-frequency", "primal-dual"
	for i := range rec.Cells {
		c := &rec.Cells[i]
		c.Problem = strings.TrimSuffix(c.Problem, ":c=1")
		c.Algorithm = strings.TrimSuffix(c.Algorithm, ":step=5")
	}
	again, keys, gone, err := Replan(t.Context(), nil, programCatalog, rec)
	if err != nil {
		t.Fatal(err)
	}
	if len(keys) != len(p.Cells) || gone != 0 {
		t.Fatalf("got %d planned cells and %d gone, want %d and none", len(keys), gone, len(p.Cells))
	}
	for i, c := range again.Cells {
		if c.Key != keys[i] || keys[i] != p.Cells[i].Key {
			t.Errorf("%s: got key %s, in the record %s, want %s", c, c.Key, keys[i], p.Cells[i].Key)
		}
	}
}

// Cells that are not there or damaged are counted: without its cell a game is none, and with a
// missing hindsight it has no regret and all else.
func TestMissingCellsAreCounted(t *testing.T) {
	p := newPlan(t, programCatalog, "name: gaps\nhorizon: 20\nreplicates: 2\nproblems: [{use: "+
		"iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	_, s := runAndLoad(t, p)
	damaged := s.Path(cellOf(t, p, store.Game, "ogd", "iid", 1, 20).Key)
	if err := errors.Join(os.Truncate(damaged, 100),
		os.Remove(s.Path(cellOf(t, p, store.Hindsight, "", "iid", 2, 20).Key))); err != nil {
		t.Fatal(err)
	}
	r, err := LoadExperiment(s, "gaps")
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing != 2 || len(r.Games) != 3 || len(r.Damaged) != 1 || r.Damaged[0].Path != damaged {
		t.Errorf("%d cells are missing, %d games there and %v damaged, want 2, 3 and %s", r.Missing,
			len(r.Games), r.Damaged, damaged)
	}
	for _, g := range r.Games {
		if got, want := g.Metric("regret_xhat") != nil, g.Replicate == 1; got != want {
			t.Errorf("%s, replicate %d: it has a regret: %v, want %v", g.Algorithm, g.Replicate, got, want)
		}
		if g.Metric("loss") == nil {
			t.Errorf("%s, replicate %d: got no loss, want one", g.Algorithm, g.Replicate)
		}
	}
	if c := r.Curve("primal-dual", "iid", "regret_xmin"); len(c.Y) != 1 {
		t.Errorf("the curve of regret has %d replicates, want 1", len(c.Y))
	}
}

// pursuer is an adaptive problem on [−1, 1]: its loss pushes away from the
// action played, f_t = sign(x_t)·x, and its constraint is x ≤ ½.
func pursuer() *harnesstest.Stream {
	return &harnesstest.Stream{
		Domain: convex.Cube(1, -1, 1), Count: 1, Declared: convex.Facts{Adaptive: true},
		Round: func(_ int, x []float64) convex.Round {
			return convex.Round{Loss: harnesstest.Affine(math.Copysign(1, x[0]), 0),
				Constraints: []convex.Func{harnesstest.Affine(1, -0.5)}}
		},
	}
}

// scripted plays ½ or −½ by the sign of a pattern.
func scripted(name string, sign func(t int) float64) algorithms.Algorithm {
	return harnesstest.Algorithm(name, func(algorithms.Setup) *harnesstest.Learner {
		return &harnesstest.Learner{Play: func(t int, x []float64) { x[0] = sign(t) / 2 }}
	})
}

// Every game on an adaptive stream has a hindsight of its own: of the rounds
// that this learner was shown. Three patterns against the pursuer lose ½ in
// every round; with s the sum of the signs, the best action in [−1, ½] has the
// value min(−s, s/2).
func TestAdaptiveGamesHaveTheirOwnHindsight(t *testing.T) {
	patterns := map[string]func(t int) float64{
		"up":   func(int) float64 { return 1 },
		"down": func(int) float64 { return -1 },
		"both": func(t int) float64 {
			if t%3 == 0 {
				return -1
			}
			return 1
		},
	}
	c := experiment.Catalog{Problems: []problems.Problem{
		harnesstest.Problem("pursuer", pursuer), harnesstest.Problem("calm", harnesstest.LineRounds(1, harnesstest.Calm)),
	}}
	for _, name := range []string{"up", "down", "both"} {
		c.Algorithms = append(c.Algorithms, scripted(name, patterns[name]))
	}
	p := newPlan(t, c, "name: chase\nhorizon: 30\nreplicates: 2\nproblems: [{use: pursuer}, {use: "+
		"calm}]\nalgorithms: [{use: up}, {use: down}, {use: both}]")
	keys := make(map[store.Key]bool)
	count := make(map[string]int)
	for _, c := range p.Cells {
		keys[c.Key] = true
		count[c.Kind+" on "+c.Problem.Name]++
	}
	if len(keys) != 2*(3+3)+2*(1+3) || count["hindsight on pursuer"] != 6 ||
		count["hindsight on calm"] != 2 {
		t.Fatalf("%d different cells, %v: want one hindsight a game on the adaptive problem and one a "+
			"replicate on the other", len(keys), count)
	}
	r, _ := runAndLoad(t, p)
	chased := 0
	for _, g := range r.Games {
		sum, next := 0.0, 0
		var want []float64
		for k := 1; k <= 30; k++ {
			sum += patterns[g.Algorithm](k)
			if g.T()[next] == float64(k) {
				next++
				if g.Problem == "pursuer" {
					want = append(want, float64(k)/2-min(-sum, sum/2))
				} else { // f = x: the loss of the actions minus that of −1
					want = append(want, sum/2+float64(k))
				}
			}
		}
		if g.Problem == "pursuer" {
			chased++
		}
		if got := g.Metric("regret_xmin"); !slices.Equal(got, want) {
			t.Errorf("%s on %s: regret is %v, want %v", g.Algorithm, g.Problem, got, want)
		}
	}
	if chased != 6 {
		t.Errorf("%d games on the adaptive problem, want 6", chased)
	}
}

// Cells have X^E, and games regret against it, where the expectation is known,
// and what is known is part of what identifies a hindsight: a problem that
// learns it is not answered from cells that are without.
func TestKnownExpectationIsPartOfHindsight(t *testing.T) {
	mean := map[string][]convex.Func{
		"told":   {harnesstest.Affine(1, 0.25)},  // x ≤ −¼
		"empty":  {harnesstest.Affine(0, 0.125)}, // ⅛ ≤ 0
		"untold": nil,
	}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("rest", harnesstest.Still)}}
	for _, name := range []string{"told", "empty", "untold"} {
		p := harnesstest.Problem(name, harnesstest.LineRounds(1, harnesstest.Calm))
		p.New = func(any, *rand.Rand) (problems.Stream, error) {
			return &harnesstest.ExpectedStream{Stream: harnesstest.LineRounds(1, harnesstest.Calm)(), Mean: mean[name]}, nil
		}
		c.Problems = append(c.Problems, p)
	}
	text := "name: means\nhorizon: 20\nreplicates: 1\nproblems: [{use: told}, {use: empty}, {use: " +
		"untold}]\nalgorithms: [{use: rest}]"
	p := newPlan(t, c, text)
	r, s := runAndLoad(t, p)
	for _, g := range r.Games {
		regret := g.Metric("regret_xe")
		switch g.Problem {
		case "told": // f = x: nothing is lost at 0, and the best is −1 in [−1, −¼]
			if len(regret) != len(g.T()) || regret[len(regret)-1] != 20 {
				t.Errorf("told: got regret %v, want one that ends at 20", regret)
			}
		case "empty":
			if len(regret) != len(g.T()) || !math.IsNaN(regret[0]) {
				t.Errorf("empty: got regret %v, want NaN", regret)
			}
		case "untold":
			if regret != nil {
				t.Errorf("untold: got regret %v, want none", regret)
			}
		}
		if v := g.Metric("regret_xmax"); v[len(v)-1] != 20 {
			t.Errorf("%s: got regret %v against X^max, want one that ends at 20", g.Problem, v)
		}
	}
	before := cellOf(t, p, store.Hindsight, "", "untold", 1, 20).Key
	mean["untold"] = mean["told"]
	p = newPlan(t, c, text)
	if after := cellOf(t, p, store.Hindsight, "", "untold", 1, 20).Key; after == before {
		t.Error("got the same key of hindsights with and without X^E, want two")
	}
	if _, computed, _ := runPlan(t, p, s.Dir(), Options{}); computed != 1 {
		t.Errorf("%d cells are computed, want the hindsight that was told since", computed)
	}
	if r, err := LoadExperiment(s, "means"); err != nil || r.Games[2].Metric("regret_xe") == nil {
		t.Errorf("got no regret against X^E (%v), want the one that was told since", err)
	}
}
