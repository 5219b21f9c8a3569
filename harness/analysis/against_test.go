package analysis

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/stats"
)

// The outcome follows from the planted exponents, and the differences from the planted curves:
// with s of the replicate, regrets are s·t^p and violations t^p/2.
func TestAgainst(t *testing.T) {
	_, a := wallPlays(t)
	slow, fast := math.Pow(1000, 0.3), math.Pow(1000, 0.8)
	s := float64(a.Pair("slow", "walled").final(algorithms.RegretXHat)) / slow
	if s < 1 || s > 2 {
		t.Fatalf("s is %v on average, want a mean of numbers in [1, 2]", s)
	}
	for _, c := range []struct {
		first, second string
		want          Outcome
		regret, soft  float64 // first − second
	}{
		{"slow", "fast", FirstKeeps, s * (slow - fast), 0},
		{"fast", "slow", SecondKeeps, s * (fast - slow), 0},
		{"slow", "slow-beyond", BothKeep, s * 1.5 * slow, -slow / 2},
		{"fast-beyond", "fast", NeitherKeeps, -s * 1.5 * fast, fast / 2},
		{"fast", "none", NotJudged, math.NaN(), math.NaN()},
		{"slow", "slow", BothKeep, 0, 0},
	} {
		x, err := a.Against(t.Context(), c.first, c.second)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Problems) != 1 || x.Needs != 6 {
			t.Fatalf("%s against %s: %+v", c.first, c.second, x)
		}
		on := x.Problems[0]
		if on.Outcome != c.want || on.Equal != (c.first == c.second) {
			t.Errorf("%s against %s: %q, equal %v, want %q", c.first, c.second, on.Outcome, on.Equal, c.want)
		}
		for _, by := range []struct {
			AgainstBy
			want float64
		}{{on.Regret, c.regret}, {on.Violation, c.soft}} {
			d := by.Difference
			if math.IsNaN(by.want) {
				if by.State != Missing || d.Value.Defined() || d.Adjusted.Defined() {
					t.Errorf("%s against %s: %+v", c.first, c.second, by)
				}
				continue
			}
			if !near(d.Value, by.want, 1e-9*math.Abs(by.want)) || by.Replicates != 12 || by.Of != 12 ||
				!near(by.Mean[0]-by.Mean[1], by.want, 1e-6) {
				t.Errorf("%s against %s: %s differs by %v, want %v", c.first, c.second, by.Metric, d.Value,
					by.want)
			}
			if d.Adjusted < d.P || by.want != 0 && by.Metric == algorithms.RegretXHat &&
				!(d.Adjusted < 0.01 && d.Lower <= d.Value && d.Value <= d.Upper) {
				t.Errorf("%s against %s: %+v", c.first, c.second, d)
			}
		}
	}
}

// Both tests of the same games give the same difference, and the correction is that of the rows.
func TestAgainstIsCompare(t *testing.T) {
	r, a := wallPlays(t)
	metrics := []algorithms.Metric{algorithms.RegretXHat, algorithms.SoftViolation}
	c, err := Compare(t.Context(), r, "fast", metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Versus {
		x, err := a.Against(t.Context(), v.Algorithm, "fast")
		if err != nil {
			t.Fatal(err)
		}
		by := map[algorithms.Metric]AgainstBy{metrics[0]: x.Problems[0].Regret,
			metrics[1]: x.Problems[0].Violation}[v.Metric]
		if by.State != v.State || by.Difference.Value != v.Final.Value ||
			by.Difference.P.Defined() != v.Final.P.Defined() {
			t.Errorf("%s by %s: %+v, but compared with the baseline %+v", v.Algorithm, v.Metric,
				by.Difference, v.Final)
		}
		want := stats.JointFlips([][]float64{x.Problems[0].Regret.row, x.Problems[0].Violation.row})
		for k, got := range []AgainstBy{x.Problems[0].Regret, x.Problems[0].Violation} {
			if adjusted := max(Number(want[k]), got.Difference.P); adjusted != got.Difference.Adjusted &&
				adjusted.Defined() {
				t.Errorf("%s by %s: adjusted %v, want %v", v.Algorithm, got.Metric, got.Difference.Adjusted,
					adjusted)
			}
		}
	}
}

// One that is open where the other keeps both ties with it if it is not shown to end with more of
// what it is open on: 0.04 ± 0.1 is no more than 0, and 0.04 ± 0.01 is.
func TestTied(t *testing.T) {
	by := func(roots [2]stats.Verdict, value, lower, upper float64) AgainstBy {
		return AgainstBy{State: Measured, Root: roots, Difference: Difference{
			Estimate: Estimate{Number(value), Number(lower), Number(upper)}}}
	}
	within := [2]stats.Verdict{stats.AtMost, stats.AtMost}
	open := [2]stats.Verdict{stats.AtMost, stats.Undecided}
	above := [2]stats.Verdict{stats.AtMost, stats.Above}
	large := by(within, -5, -6, -4) // of what both keep
	nan := math.NaN()
	for _, c := range []struct {
		name      string
		regret    AgainstBy
		violation AgainstBy
		root      stats.Verdict // of the second
		want      bool
	}{
		{"0 against 0.04 ± 0.1", large, by(open, -0.04, -0.14, 0.06), stats.Undecided, true},
		{"0 against 0.04 ± 0.01", large, by(open, -0.04, -0.05, -0.03), stats.Undecided, false},
		{"less by far", by(within, 0, 0, 0), by(open, 9, 8, 10), stats.Undecided, true},
		{"above", large, by(above, -0.04, -0.14, 0.06), stats.Above, false},
		{"without chance, equal", large, by(open, 0, nan, nan), stats.Undecided, true},
		{"without chance, more", large, by(open, -0.04, nan, nan), stats.Undecided, false},
		{"one of both more", by(open, -5, -6, -4), by(open, 0, -1, 1), stats.Undecided, false},
		{"both no more", by(open, 0, -1, 1), by(open, 0, -1, 1), stats.Undecided, true},
		{"not measured", large, AgainstBy{State: Empty, Root: open, Difference: noDifference}, stats.Undecided,
			false},
	} {
		on := AgainstOn{Outcome: FirstKeeps, Root: [2]stats.Verdict{stats.AtMost, c.root},
			Regret: c.regret, Violation: c.violation}
		if got := on.tied(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		turned := AgainstOn{Outcome: SecondKeeps, Root: [2]stats.Verdict{on.Root[1], on.Root[0]},
			Regret: c.regret, Violation: c.violation}
		for _, by := range []*AgainstBy{&turned.Regret, &turned.Violation} {
			d := by.Difference
			by.Root = [2]stats.Verdict{by.Root[1], by.Root[0]}
			by.Difference.Value, by.Difference.Lower, by.Difference.Upper = -d.Value, -d.Upper, -d.Lower
		}
		if got := turned.tied(); got != c.want {
			t.Errorf("%s, turned: %v", c.name, got)
		}
		if on.Outcome = BothKeep; on.tied() {
			t.Errorf("%s: a tie where both keep both", c.name)
		}
	}
}
