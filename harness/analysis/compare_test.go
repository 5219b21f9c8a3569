package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
	"ocobench/stats"
)

// steep has the losses s·x on [−1, 1], with s of the replicate in [1, 2], and
// the constraint x ≤ ½: the best fixed action is −1 in every set, and the
// regret of x is s·(x+1) a round.
type steep struct{ round convex.Round }

func (s *steep) Set() convex.Set                     { return convex.Cube(1, -1, 1) }
func (s *steep) Constraints() int                    { return 1 }
func (s *steep) Facts() convex.Facts                 { return convex.Facts{} }
func (s *steep) Reveal(int, []float64) *convex.Round { return &s.round }

var steepProblem = problems.Problem{
	Name: "steep", Version: 1, New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
		return &steep{convex.Round{
			Loss:        &convex.Affine{A: []float64{1 + rng.Float64()}},
			Constraints: []convex.Func{&convex.Affine{A: []float64{1}, B: -0.5}},
		}}, nil
	}}

// ran runs an experiment into a store of its own.
func ran(t *testing.T, c experiment.Catalog, text string) (*experiment.Plan, *store.Store,
	[]run.Failure) {
	t.Helper()
	e, err := spec.Parse("e.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.NewPlan(c, e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := run.Run(context.Background(), p, s, run.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return p, s, failures
}

// loaded returns the results of experiment e in a store, and their analysis.
func loaded(t *testing.T, c experiment.Catalog, s *store.Store) (*run.Results, *Analysis) {
	t.Helper()
	r, err := run.LoadExperiment(s, "e")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Of(t.Context(), c, r)
	if err != nil {
		t.Fatal(err)
	}
	return r, a
}

// position plays a fixed function of t.
type position struct {
	t  int
	at func(t float64) float64
}

func (p *position) Act(dst []float64)                     { dst[0] = p.at(float64(p.t + 1)) }
func (p *position) Observe([]float64, convex.Round) error { p.t++; return nil }

// planted are results of algorithms whose regret is known:
//
//	low, high   s·t/10 and s·t/2
//	root        s·Σ 1/√i ≈ 2s·√t
//	told        as low, but it needs the horizon
//
// The cells that are named are lost.
func planted(t *testing.T, text string, lost ...string) *run.Results {
	t.Helper()
	at := func(name string, at func(t float64) float64) algorithms.Algorithm {
		return algorithms.Algorithm{Name: name, Version: 1, Anytime: name != "told",
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &position{at: at}, nil
			}}
	}
	low := func(float64) float64 { return -0.9 }
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{
			at("low", low), at("told", low),
			at("high", func(float64) float64 { return -0.5 }),
			at("root", func(t float64) float64 { return 1/math.Sqrt(t) - 1 }),
		},
		Problems: []problems.Problem{steepProblem},
	}
	p, st, failures := ran(t, c, "name: planted\nproblems: [{use: steep}]\n"+text)
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	for _, c := range p.Cells {
		if slices.Contains(lost, c.String()) {
			if err := os.Remove(st.Path(c.Key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := run.LoadExperiment(st, "planted")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compared(t *testing.T, r *run.Results, baseline string,
	metrics ...algorithms.Metric) map[string]Versus {
	t.Helper()
	all, err := Compare(t.Context(), r, baseline, metrics)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]Versus)
	for _, v := range all.Versus {
		out[v.Algorithm+" "+string(v.Metric)] = v
	}
	return out
}

// slopes are the values of s of the replicates, from the regret of high.
func slopes(r *run.Results) (s []float64) {
	for _, v := range r.Curve("high", "steep", "regret_xmin").Y {
		s = append(s, v[len(v)-1]/(0.5*float64(r.Horizon[len(r.Horizon)-1])))
	}
	return s
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func near(x Number, y, tol float64) bool { return math.Abs(float64(x)-y) <= tol }

// The differences are those that were planted.
func TestComparePlanted(t *testing.T) {
	r := planted(t, "horizon: 1000\nreplicates: 12\nalgorithms: [{use: high}, {use: low}, {use: "+
		"root}]")
	s := average(slopes(r))
	if s < 1 || s > 2 {
		t.Fatalf("the slopes have mean %v", s)
	}
	all := compared(t, r, "high", "regret_xmin", "violation_soft", "regret_xe")
	if len(all) != 6 {
		t.Fatalf("%d comparisons, want those of 2 algorithms by 3 metrics", len(all))
	}
	low, root := all["low regret_xmin"], all["root regret_xmin"]
	sum := 0.0
	for i := range 1000 {
		sum += 1 / math.Sqrt(float64(i+1))
	}
	for _, c := range []struct {
		v     Versus
		final float64
	}{{low, s * (100 - 500)}, {root, s * (sum - 500)}} {
		if !near(c.v.Final.Value, c.final, 1e-6) || !near(c.v.Mean-c.v.Baseline, c.final, 1e-6) ||
			!near(c.v.Baseline, 500*s, 1e-6) {
			t.Errorf("%s ends at %v − %v, %v apart; want %v", c.v.Algorithm, c.v.Mean, c.v.Baseline,
				c.v.Final.Value, c.final)
		}
		if !(float64(c.v.Final.Lower) < c.final && c.final < float64(c.v.Final.Upper) &&
			c.v.Final.Upper < 0 && c.v.Final.Adjusted < 0.05) {
			t.Errorf("%s is not found to be better: [%v, %v], p = %v", c.v.Algorithm, c.v.Final.Lower,
				c.v.Final.Upper, c.v.Final.Adjusted)
		}
		if c.v.Less.Value != 1 || c.v.Replicates != 12 || c.v.Design != stats.AlongT {
			t.Errorf("%s is better in %v of %d pairs, %s; want 1 of 12, along t", c.v.Algorithm,
				c.v.Less.Value, c.v.Replicates, c.v.Design)
		}
	}
	if !near(low.Exponents.Value, 0, 1e-9) || low.Exponents.Adjusted != 1 {
		t.Errorf("low grows by another exponent than high: %v, p = %v", low.Exponents.Value,
			low.Exponents.Adjusted)
	}
	if !near(root.Exponents.Value, -0.5, 0.05) || root.Exponents.Adjusted >= 0.05 {
		t.Errorf("root and high differ by %v in their exponents, p = %v; want about −0.5",
			root.Exponents.Value, root.Exponents.Adjusted)
	}
	// Nobody violates: there is no exponent, and nothing between the two.
	if v := all["low violation_soft"]; v.Final.Value != 0 || v.Final.Adjusted != 1 ||
		v.Exponents.Value.Defined() || v.Less.Value != 0.5 {
		t.Errorf("violations of 0 differ: %+v", v)
	}
	// X^E is not known.
	if v := all["low regret_xe"]; v.State != Missing || v.Replicates != 0 ||
		v.Final.Adjusted.Defined() {
		t.Errorf("a metric that the games do not have is compared: %+v", v)
	}
	// Against low, high is the worse by as much; the resamples are others.
	tol := 0.05 * float64(low.Final.Upper-low.Final.Lower)
	if v := compared(t, r, "low", "regret_xmin")["high regret_xmin"]; v.Less.Value != 0 ||
		v.Final.Value != -low.Final.Value ||
		!near(v.Final.Lower, -float64(low.Final.Upper), tol) {
		t.Errorf("high against low is %v [%v, %v], low against high %v [%v, %v]", v.Final.Value,
			v.Final.Lower, v.Final.Upper, low.Final.Value, low.Final.Lower, low.Final.Upper)
	}
}

// The correction is over all p-values of the table, finals and exponents; rows that are there
// ten times count once; and however many there are, p-values can be below the level.
func TestCompareCorrection(t *testing.T) {
	r := planted(t, "horizon: 100\nreplicates: 10\nalgorithms: [{use: high}, {use: low}, {use: root}]")
	metrics := []algorithms.Metric{"regret_xmin", "regret_xhat", "regret_xmax", "loss"}
	once, err := Compare(t.Context(), r, "high", metrics)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Compare(t.Context(), r, "high", slices.Repeat(metrics, 10))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, v := range once.Versus {
		rows = append(rows, v.finals, v.exponents)
	}
	want, shown := stats.JointFlips(rows), 0
	for _, v := range all.Versus {
		k := slices.IndexFunc(once.Versus, func(w Versus) bool {
			return w.Metric == v.Metric && w.Algorithm == v.Algorithm
		})
		for i, d := range []Difference{v.Final, v.Exponents} {
			if p := want[2*k+i]; float64(d.Adjusted) != p && !math.IsNaN(p) {
				t.Errorf("%s of %s: p = %v, want %v", v.Metric, v.Algorithm, d.Adjusted, p)
			}
			if d.Adjusted < d.P {
				t.Errorf("%s of %s: p = %v is corrected to %v", v.Metric, v.Algorithm, d.P, d.Adjusted)
			}
		}
		if v.Final.Adjusted <= 0.05 {
			shown++
		}
	}
	if shown < 40 || all.Needs != 6 || all.Correction != "max-t" {
		t.Errorf("%d of %d differences are shown, %d pairs are needed for %s", shown, len(all.Versus),
			all.Needs, all.Correction)
	}
}

// Beside one that draws, an algorithm without chance has one game, which is the partner of
// every replicate: ten pairs, and p = 2/1024 where all differences have one sign.
func TestCompareWithoutChance(t *testing.T) {
	r, a := stillAndDice(t, 10)
	c, err := Compare(t.Context(), r, "still", []algorithms.Metric{algorithms.RegretXHat})
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Versus[0]; v.Replicates != 10 || v.Of != 10 || v.Final.P != 2.0/1024 ||
		v.Less.Value != 0 {
		t.Errorf("a random side against one without chance: %+v", v)
	}
	if l := leadOf(t, a, algorithms.RegretXHat); l.Algorithm != "still" || !l.Significant ||
		l.P != 2.0/1024 {
		t.Errorf("the lead is %+v, want a significant one of still", l)
	}
	_, a = stillAndDice(t, 5)
	if l := leadOf(t, a, algorithms.RegretXHat); l.Significant || l.P != 2.0/32 || l.Needs != 6 ||
		a.Doubts("still", "still-rounds", algorithms.RegretXHat) != nil {
		t.Errorf("with 5 replicates the lead is %+v", l)
	}
	_, a = stillAndDice(t, 8) // these show no skew
	if l := leadOf(t, a, algorithms.RegretXHat); !l.Significant || l.P != 2.0/256 ||
		len(l.Warnings) != 1 || !strings.HasPrefix(l.Warnings[0], "against dice: 8 differences ") ||
		!slices.Equal(a.Doubts("still", "still-rounds", algorithms.RegretXHat), l.Warnings) {
		t.Errorf("with 8 replicates the lead is %+v", l)
	}
}

// stillAndDice are results of still, which plays −1, and dice, which plays above −0.5, on rounds
// without chance.
func stillAndDice(t *testing.T, replicates int) (*run.Results, *Analysis) {
	t.Helper()
	rounds := certainProblem("still-rounds")
	still := algorithms.Algorithm{Name: "still", Version: 1, Anytime: true,
		New: func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(float64) float64 { return -1 }}, nil
		}}
	dice := algorithms.Algorithm{Name: "dice", Version: 1, Anytime: true, Draws: true,
		New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
			x := rand.New(rand.NewPCG(s.Seed, 0)).Float64()/2 - 0.5
			return &position{at: func(float64) float64 { return x }}, nil
		}}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{still, dice},
		Problems: []problems.Problem{rounds}}
	_, s, failures := ran(t, c, fmt.Sprintf("name: e\nhorizon: 20\nreplicates: %d\nproblems: [{use: "+
		"still-rounds}]\nalgorithms: all", replicates))
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	return loaded(t, c, s)
}

// An algorithm that needs the horizon is followed across horizons, and so is
// whoever is held against it.
func TestCompareAcrossHorizons(t *testing.T) {
	r := planted(t, "horizon: [10, 20, 40, 80]\nreplicates: 6\nwindow: 1\nalgorithms: [{use: high}, "+
		"{use: told}, {use: low}]")
	all := compared(t, r, "high", "regret_xmin")
	told, low := all["told regret_xmin"], all["low regret_xmin"]
	if told.Design != stats.AcrossT || told.From != 10 || told.To != 80 || low.Design != stats.AlongT {
		t.Errorf("told is followed %s on %v, low %s", told.Design, []float64{told.From, told.To},
			low.Design)
	}
	if told.Final.Value != low.Final.Value || !near(told.Exponents.Value, 0, 1e-9) {
		t.Errorf("the same actions end %v and %v below; the exponents differ by %v", told.Final.Value,
			low.Final.Value, told.Exponents.Value)
	}
}

// Where a game is missing its partner is left out with it: the others stay
// paired.
func TestCompareMissing(t *testing.T) {
	const text = "horizon: 100\nreplicates: 6\nalgorithms: [{use: high}, {use: low}]"
	s := slopes(planted(t, text))
	r := planted(t, text, "low on steep, horizon 100, replicate 2",
		"high on steep, horizon 100, replicate 5")
	v := compared(t, r, "high", "regret_xmin")["low regret_xmin"]
	want := -40 * average([]float64{s[0], s[2], s[3], s[5]})
	if v.Replicates != 4 || !near(v.Final.Value, want, 1e-9) {
		t.Errorf("the difference over %d pairs is %v, want %v over 4", v.Replicates, v.Final.Value, want)
	}
}

// The number of processors does not show in an analysis.
func TestProcessors(t *testing.T) {
	r := planted(t, "horizon: 100\nreplicates: 6\nalgorithms: [{use: high}, {use: low}, {use: root}]")
	form := func(n int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		a, err := Of(t.Context(), experiment.Catalog{}, r)
		if err != nil {
			t.Fatal(err)
		}
		if s := a.Pairs[2].Series[algorithms.RegretXHat]; len(a.Ranks) == 0 || len(a.Profiles) == 0 ||
			s.Runs == nil || s.SqrtVerdict == "" {
			t.Errorf("an analysis without ranks, profiles, replicates or roots: %+v", s)
		}
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if one, many := form(1), form(7); one != many {
		t.Errorf("1 and 7 processors give\n%s\n%s", one, many)
	}
}

// A cancelled context ends a comparison.
func TestCompareCancelled(t *testing.T) {
	r := planted(t, "horizon: 100\nreplicates: 6\nalgorithms: [{use: high}, {use: low}]")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, r, "high", []algorithms.Metric{"loss"}); err != context.Canceled {
		t.Errorf("error %v, want that it is cancelled", err)
	}
}
