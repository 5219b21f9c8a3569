package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
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
)

// steep reveals the losses s·x on [−1, 1], where the replicate draws s from [1, 2], and
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

// runExperiment runs an experiment into a store of its own.
func runExperiment(t *testing.T, c experiment.Catalog, text string) (*experiment.Plan, *store.Store,
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

// analysedRun runs an experiment, of which no cell fails, and returns its results and their
// analysis.
func analysedRun(t *testing.T, c experiment.Catalog, text string) (*run.Results, *Analysis) {
	t.Helper()
	_, s, failures := runExperiment(t, c, "name: e\n"+text)
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	return loadAndAnalyse(t, c, s)
}

// loadAndAnalyse returns the results of experiment e in a store, and their analysis.
func loadAndAnalyse(t *testing.T, c experiment.Catalog, s *store.Store) (*run.Results, *Analysis) {
	t.Helper()
	r, err := run.LoadExperiment(s, "e")
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewUnfitted(c, r).Fit(t.Context())
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

// plantedResults returns results of algorithms whose regret is known:
//
//	low, high   s·t/10 and s·t/2
//	root        s·Σ 1/√i ≈ 2s·√t
//	told        as low, but it needs the horizon
//
// The cells that are named are lost.
func plantedResults(t *testing.T, text string, lost ...string) *run.Results {
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
	p, st, failures := runExperiment(t, c, "name: planted\nproblems: [{use: steep}]\n"+text)
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

// comparisonOf returns a comparison on the problem steep that must be there.
func comparisonOf(t *testing.T, a *Analysis, first, second string, m algorithms.Metric) Comparison {
	t.Helper()
	c, err := a.Compare(t.Context(), []algorithms.Metric{m})
	if err != nil {
		t.Fatal(err)
	}
	row, ok := c.Between(first, second, "steep", m)
	if !ok {
		t.Fatalf("got no comparison of %s with %s by %s, want one", first, second, m)
	}
	return row
}

// streamSlopes returns the values of s of the replicates, from the regret of high.
func streamSlopes(r *run.Results) (s []float64) {
	for _, v := range r.Curve("high", "steep", "regret_xmin").Y {
		s = append(s, v[len(v)-1]/(0.5*float64(r.Horizon[len(r.Horizon)-1])))
	}
	return s
}

// meanOfValues returns the mean of v.
func meanOfValues(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// isNear reports whether x and y differ by at most tol.
func isNear(x Number, y, tol float64) bool { return math.Abs(float64(x)-y) <= tol }

// The differences are those that were planted.
func TestComparisonsHaveThePlantedDifferences(t *testing.T) {
	r := plantedResults(t,
		"horizon: 1000\nreplicates: 12\nalgorithms: [{use: high}, {use: low}, {use: "+
			"root}]")
	a, s := analyse(t, r), meanOfValues(streamSlopes(r))
	sum := 0.0
	for i := range 1000 {
		sum += 1 / math.Sqrt(float64(i+1))
	}
	for name, mean := range map[string]float64{"low": 100 * s, "root": sum * s} {
		t.Run(name, func(t *testing.T) {
			c := comparisonOf(t, a, name, "high", algorithms.RegretXMin)
			want := mean - 500*s
			if d := c.Difference; !isNear(d.Value, want, 1e-6) || !isNear(c.MeanA, mean, 1e-6) ||
				!isNear(c.MeanB, 500*s, 1e-6) ||
				!(float64(d.Lower) < want && want < float64(d.Upper) && d.Upper < 0 && d.Adjusted < 0.05) {
				t.Errorf("%s ends at %v − %v: %+v, want %v", name, c.MeanA, c.MeanB, d, want)
			}
			if c.Sign != -1 || c.ProbabilityLess.Value != 1 || c.Replicates != 12 ||
				c.Of != 12 || !c.Paired || c.Equal {
				t.Errorf("got %+v, want less in every pair of 12", c)
			}
		})
	}
	// Nobody violates: there is nothing between the two.
	if c := comparisonOf(t, a, "low", "high", algorithms.SoftViolation); c.Difference.Value != 0 ||
		c.Difference.Adjusted != 1 || c.ProbabilityLess.Value != 0.5 || c.Sign != 0 {
		t.Errorf("violations of 0: got %+v, want no difference", c)
	}
	// X^E is not known.
	if c := comparisonOf(t, a, "low", "high", algorithms.RegretXE); c.State != Missing ||
		c.Replicates != 0 || c.Difference.Adjusted.Defined() || c.Sign != 0 {
		t.Errorf("a metric that the games do not have: got %+v, want it missing", c)
	}
}

// analysisOfFinals returns an analysis with these final values of the soft violation, of a constant
// number of replicates.
func analysisOfFinals(finals map[string]map[string][]Number, problems, algs []string) *Analysis {
	a := &Analysis{Experiment: Experiment{Confidence: 0.95},
		Metrics: []Metric{{Name: algorithms.SoftViolation, Fitted: true, Shown: true}}}
	for _, spec := range algs {
		a.Algorithms = append(a.Algorithms, Algorithm{Spec: spec})
	}
	for _, problem := range problems {
		a.Problems = append(a.Problems, Problem{Entry: experiment.Entry{Spec: problem}})
		for _, spec := range algs {
			values := finals[problem][spec]
			a.Experiment.Replicates = len(values)
			mean := 0.0
			for _, v := range values {
				mean += float64(v) / float64(len(values))
			}
			a.Pairs = append(a.Pairs, Pair{Problem: problem, Algorithm: spec, Replicates: len(values),
				Series: map[algorithms.Metric]*Series{algorithms.SoftViolation: {State: Measured,
					Finals: values, Mean: Band{T: []float64{1}, Value: []Number{Number(mean)},
						Lower: []Number{none}, Upper: []Number{none}}}}})
		}
	}
	return a
}

// Three replicates on one problem, worked by hand. a − b is 1, 2, 3 with mean 2; of the 8 ways to
// choose the signs 2 have |Σ| ≥ 6, so that p = 1/4. a − c is 3, −1, 1 with mean 1; |Σ| ≥ 3 have
// ±(3, 1, 1) with 5, ±(3, 1, −1) and ±(3, −1, 1) with 3: 6 of 8. b − c is 2, −3, −2 with mean −1;
// |Σ| ≥ 3 have ±(2, 3, 2) with 7, and ±(2, 3, −2) and ±(−2, 3, 2) with 3: 6 of 8.
//
// The statistics |Σ|/‖d‖ are 6/√14 = 1.60, 3/√11 = 0.90 and 3/√17 = 0.73. With the flips
//
//	s          a − b       a − c       b − c       largest   of the last two   the last
//	(+, +, +)  6/√14       3/√11       3/√17       1.60      0.90              0.73
//	(−, +, +)  4/√14       3/√11       7/√17       1.70      1.70              1.70
//	(+, −, +)  2/√14       5/√11       3/√17       1.51      1.51              0.73
//	(+, +, −)  0           1/√11       1/√17       0.30      0.30              0.24
//
// and the negated ones, the corrected p-values are 2/4, 3/4 and 3/4.
func TestComparisonsOfThreeReplicatesByHand(t *testing.T) {
	a := analysisOfFinals(map[string]map[string][]Number{"p": {
		"a": {5, 7, 9}, "b": {4, 5, 6}, "c": {2, 8, 8},
	}}, []string{"p"}, []string{"a", "b", "c"})
	c, err := a.Compare(t.Context(), []algorithms.Metric{algorithms.SoftViolation})
	if err != nil {
		t.Fatal(err)
	}
	if c.Needs != 6 || c.Correction != "max-t" || len(c.Rows) != 3 {
		t.Errorf("%d rows, %s, %d pairs are needed; want 3, max-t, 6", len(c.Rows), c.Correction, c.Needs)
	}
	for k, want := range []struct {
		a, b               string
		value, p, adjusted Number
		less               Number
	}{{"a", "b", 2, 0.25, 0.5, 0}, {"a", "c", 1, 0.75, 0.75, 1. / 3}, {"b", "c", -1, 0.75, 0.75,
		2. / 3}} {
		row := c.Rows[k]
		if d := row.Difference; row.A != want.a || row.B != want.b || d.Value != want.value ||
			d.P != want.p || d.Adjusted != want.adjusted || row.ProbabilityLess.Value != want.less ||
			row.Sign != 0 ||
			!math.IsInf(float64(d.Lower), -1) || !math.IsInf(float64(d.Upper), 1) {
			t.Errorf("%s against %s: %+v, less with %v, sign %d; want %+v and no bounds", row.A, row.B, d,
				row.ProbabilityLess.Value, row.Sign, want)
		}
	}
}

// naiveMaxT returns the step-down p-values of Westfall and Young by all flips, from the definition.
func naiveMaxT(rows [][]float64) []float64 {
	statistic := func(row []float64, flip int) float64 {
		sum, squares := 0.0, 0.0
		for r, v := range row {
			if flip>>r&1 == 1 {
				sum -= v
			} else {
				sum += v
			}
			squares += v * v
		}
		return math.Abs(sum) / math.Sqrt(squares)
	}
	order := make([]int, len(rows))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(i, k int) int {
		return cmp.Compare(statistic(rows[k], 0), statistic(rows[i], 0))
	})
	out, least := make([]float64, len(rows)), 0.0
	for rank, k := range order {
		flips, reach := 1<<len(rows[k]), 0
		for flip := range flips {
			if slices.ContainsFunc(order[rank:], func(i int) bool {
				return statistic(rows[i], flip) >= statistic(rows[k], 0)-1e-12
			}) {
				reach++
			}
		}
		least = max(least, float64(reach)/float64(flips))
		out[k] = least
	}
	return out
}

// TestComparisonsHaveOnePValue compares the p-values with those of a naive twin: the rows with the
// recorded baseline, here c, are a family, and all others another. No view changes them: a
// selection of metrics, the baseline that is shown, or the order of two.
func TestComparisonsHaveOnePValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	algs, probs := []string{"a", "b", "c", "d"}, []string{"p", "q", "r"}
	finals := make(map[string]map[string][]Number)
	for _, p := range probs {
		finals[p] = make(map[string][]Number)
		for k, spec := range algs {
			for range 7 {
				finals[p][spec] = append(finals[p][spec], Number(float64(k)+rng.NormFloat64()))
			}
		}
	}
	a := analysisOfFinals(finals, probs, algs)
	a.Experiment.RecordedBaseline, a.Experiment.Baseline = "c", "a"
	c, err := a.Compare(t.Context(), []algorithms.Metric{algorithms.SoftViolation})
	if err != nil {
		t.Fatal(err)
	}
	var families [2][][]float64 // with c, and without
	var of, at []int            // by row: its family, and its place there
	shown := 0
	for _, row := range c.Rows {
		var d []float64
		for r := range 7 {
			d = append(d, float64(finals[row.Problem][row.A][r]-finals[row.Problem][row.B][r]))
		}
		f := 1
		if row.A == "c" || row.B == "c" {
			f = 0
		}
		of, at = append(of, f), append(at, len(families[f]))
		families[f] = append(families[f], d)
		shown += row.Sign * row.Sign
	}
	if len(c.Rows) != 6*3 || shown == 0 || shown == len(c.Rows) {
		t.Fatalf("%d of %d comparisons are shown, want some of 18", shown, len(c.Rows))
	}
	want := [2][]float64{naiveMaxT(families[0]), naiveMaxT(families[1])}
	for k := range c.Rows {
		d, want := c.Rows[k].Difference, want[of[k]][at[k]]
		if math.Abs(float64(d.Adjusted)-max(want, float64(d.P))) > 1e-12 {
			t.Errorf("%s against %s on %s: adjusted %v, want %v", c.Rows[k].A, c.Rows[k].B,
				c.Rows[k].Problem, d.Adjusted, want)
		}
		if sign := cmp.Compare(d.Value, 0); d.Adjusted <= 0.05 != (c.Rows[k].Sign == sign) {
			t.Errorf("p = %v: got sign %d of %v, want its sign exactly if p ≤ 0.05", d.Adjusted,
				c.Rows[k].Sign, d.Value)
		}
	}
	for _, baseline := range algs {
		against := c.Against(baseline)
		if len(against.Rows) != 3*3 {
			t.Errorf("%d comparisons with %s, want 9", len(against.Rows), baseline)
		}
		for _, row := range against.Rows {
			two, ok := c.Between(row.A, baseline, row.Problem, row.Metric)
			back, okBack := c.Between(baseline, row.A, row.Problem, row.Metric)
			if !ok || !okBack || !reflect.DeepEqual(row, two) {
				t.Errorf("got %+v against a baseline, want %+v as of two", row, two)
			}
			if d, e := row.Difference, back.Difference; d.P != e.P || d.Adjusted != e.Adjusted ||
				d.Value != -e.Value || d.Lower != -e.Upper || row.MeanA != back.MeanB ||
				row.Sign != -back.Sign || !isNear(row.ProbabilityLess.Value,
				float64(1-back.ProbabilityLess.Value), 1e-15) {
				t.Errorf("A − B: got %+v, want the opposite of %+v", row, back)
			}
		}
	}
	// The algorithms in another order are the same comparisons, turned.
	turned := analysisOfFinals(finals, probs, []string{"d", "c", "b", "a"})
	turned.Experiment.RecordedBaseline = "c"
	again, err := turned.Compare(t.Context(), []algorithms.Metric{algorithms.SoftViolation})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range c.Rows {
		got, _ := again.Between(row.A, row.B, row.Problem, row.Metric)
		if d, e := row.Difference, got.Difference; math.Abs(float64(d.Value-e.Value)) > 1e-12 ||
			d.P != e.P || d.Adjusted != e.Adjusted || got.Sign != row.Sign {
			t.Errorf("in another order %+v, want %+v", got, row)
		}
	}
}

// told plays the same games as low. Its comparisons add nothing to the family, and change no
// p-value.
func TestEqualGamesCountOnceInComparisons(t *testing.T) {
	once := analyse(t, plantedResults(t,
		"horizon: 40\nreplicates: 9\nalgorithms: [{use: high}, {use: "+
			"low}, {use: root}]"))
	twice := analyse(t, plantedResults(t,
		"horizon: 40\nreplicates: 9\nalgorithms: [{use: high}, {use: "+
			"low}, {use: root}, {use: told}]"))
	for _, row := range once.Comparisons.Rows {
		got, _ := twice.Comparisons.Between(row.A, row.B, row.Problem, row.Metric)
		if fmt.Sprint(got) != fmt.Sprint(row) {
			t.Errorf("beside equal games %+v, want %+v", got, row)
		}
	}
	c := comparisonOf(t, twice, "low", "told", algorithms.RegretXHat)
	if !c.Equal || c.Difference.Value != 0 || c.Sign != 0 {
		t.Errorf("equal games: got %+v, want equal", c)
	}
	low, told := comparisonOf(t, twice, "low", "high", algorithms.RegretXHat), comparisonOf(t, twice,
		"told",
		"high", algorithms.RegretXHat)
	if low.Difference != told.Difference || low.Equal {
		t.Errorf("low: got %+v, want %+v as of told, with equal games", low.Difference, told.Difference)
	}
}

// A deterministic algorithm has one game, which is the partner of every replicate of one that draws
// random numbers: ten pairs, and p = 2/1024 where all differences have one sign.
func TestDeterministicGameIsPairedWithEveryReplicate(t *testing.T) {
	for replicates, want := range map[int]struct {
		sign     int
		warnings int
	}{
		10: {-1, 0}, 5: {0, 0}, 8: {-1, 1}, // eight are too few to show a skew
	} {
		_, a := stillAndDice(t, replicates)
		c, ok := a.Comparisons.Between("still", "dice", "still-rounds", algorithms.RegretXHat)
		if p := Number(math.Pow(2, float64(1-replicates))); !ok || c.Replicates != replicates ||
			c.Of != replicates || c.Difference.P != p || c.Difference.Adjusted != p ||
			c.ProbabilityLess.Value != 1 ||
			c.Sign != want.sign || len(c.Warnings) != want.warnings {
			t.Errorf("a random side against a deterministic one: %+v, want p = %v, %+v", c, p, want)
		}
		l := leadOf(t, a, algorithms.RegretXHat)
		if l.Algorithm != "still" || l.Shown != (want.sign < 0) || !l.Tested ||
			len(l.Doubtful) != want.warnings || want.warnings > 0 && (l.Doubtful[0].B != "dice" ||
			!strings.HasPrefix(l.Doubtful[0].Warnings[0], "8 differences ")) {
			t.Errorf("with %d replicates the lead is %+v, want %+v", replicates, l, want)
		}
	}
}

// Values that are rounding errors count as 0.
func TestRoundingErrorsCompareAsZero(t *testing.T) {
	a := analysisOfFinals(map[string]map[string][]Number{"p": {
		"a": {1e-12, 2e-12, 3e-12, 1e-12, 2e-12, 3e-12}, "b": {0, 0, 0, 0, 0, 0},
	}}, []string{"p"}, []string{"a", "b"})
	for state, sign := range map[State]int{Measured: 1, Rounding: 0} {
		a.Pairs[0].Series[algorithms.SoftViolation].State = state
		c, err := a.Compare(t.Context(), []algorithms.Metric{algorithms.SoftViolation})
		if err != nil || c.Rows[0].Sign != sign || c.Rows[0].State != Measured {
			t.Errorf("%s: %+v, error %v; want the sign %d", state, c.Rows, err, sign)
		}
	}
}

// stillAndDice returns results of still, which plays −1, and dice, which plays above −0.5, on
// deterministic rounds.
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
	return analysedRun(t, c, fmt.Sprintf("horizon: 20\nreplicates: %d\nproblems: [{use: "+
		"still-rounds}]\nalgorithms: all", replicates))
}

// Where a game is missing, its partner is left out, too. The others stay paired, and in the family
// every difference stays with its replicate.
func TestPartnersOfMissingGamesAreLeftOut(t *testing.T) {
	const text = "horizon: 40\nreplicates: 9\nalgorithms: [{use: root}, {use: low}, {use: high}]"
	r := plantedResults(t, text, "high on steep, horizon 40, replicate 2",
		"high on steep, horizon 40, replicate 3", "low on steep, horizon 40, replicate 5",
		"root on steep, horizon 40, replicate 9")
	a, whole := analyse(t, r), analyse(t, plantedResults(t, text))
	missing := map[string][]int{"high": {2, 3}, "low": {5}, "root": {9}}
	for _, two := range [][2]string{{"low", "high"}, {"high", "root"}, {"root", "low"}} {
		p, q := whole.Pair(two[0], "steep"), whole.Pair(two[1], "steep")
		x, y := p.Series[algorithms.RegretXHat].Finals, q.Series[algorithms.RegretXHat].Finals
		_, got, err := a.comparePairs(a.Pair(two[0], "steep"), a.Pair(two[1], "steep"),
			algorithms.RegretXHat)
		if err != nil || len(got) != 9 {
			t.Fatalf("%v: got differences %v, error %v, want 9", two, got, err)
		}
		sum, n := 0.0, 0
		for k, d := range got {
			lost := slices.Contains(missing[two[0]], k+1) || slices.Contains(missing[two[1]], k+1)
			if lost != math.IsNaN(d) || !lost && !isNear(x[k]-y[k], d, 1e-9) {
				t.Errorf("%v, replicate %d: the difference is %v, want %v, lost %v", two, k+1, d, x[k]-y[k],
					lost)
			}
			if !lost {
				sum, n = sum+float64(x[k]-y[k]), n+1
			}
		}
		if c := comparisonOf(t, a, two[0], two[1],
			algorithms.RegretXHat); c.Replicates != n || c.Of != 9 ||
			!isNear(c.Difference.Value, sum/float64(n), 1e-9) {
			t.Errorf("%v: %v of %d pairs, want %v of %d", two, c.Difference.Value, c.Replicates,
				sum/float64(n), n)
		}
	}
}

// A cancelled context ends the comparisons.
func TestCancelledContextEndsComparisons(t *testing.T) {
	a := analyse(t, plantedResults(t,
		"horizon: 100\nreplicates: 6\nalgorithms: [{use: high}, {use: low}]"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Compare(ctx, []algorithms.Metric{"loss"}); err != context.Canceled {
		t.Errorf("error %v, want that it is cancelled", err)
	}
}

// Deterministic games that differ by rounding errors are not shown to differ.
func TestDeterministicComparisonsAllowForRounding(t *testing.T) {
	for _, c := range []struct {
		x, y Number
		sign int
	}{{1e4, 1e4 + 1e-9, 0}, {1e4, 1e4 + 1e-3, -1}, {2, 1, 1}, {0, 0, 0}} {
		a := analysisOfFinals(map[string]map[string][]Number{"p": {"a": {c.x}, "b": {c.y}}}, []string{"p"},
			[]string{"a", "b"})
		for k := range a.Pairs {
			a.Pairs[k].Deterministic = true
		}
		all, err := a.Compare(t.Context(), []algorithms.Metric{algorithms.SoftViolation})
		if row := all.Rows[0]; err != nil || row.Sign != c.sign || row.Difference.P.Defined() {
			t.Errorf("%v against %v: %+v, error %v, want the sign %d", c.x, c.y, row, err, c.sign)
		}
	}
}
