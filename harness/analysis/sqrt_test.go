package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/problems"
	"ocobench/stats"
)

// walled is steep with the constraint x ≥ −½: the best fixed action is −½ in every set,
// the regret of x is s·(x+½) a round, and its violation −½−x.
type walled struct{ steep }

func (*walled) Facts() convex.Facts { return convex.Facts{} }

// wallPlays plays four algorithms on walled: two with a regret of s·t^p, for p = 0.3 and 0.8, and
// two with a violation of t^p/2.
func wallPlays(t *testing.T) (*run.Results, *Analysis) {
	t.Helper()
	wall := problems.Problem{Name: "walled", Version: 1,
		New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
			return &walled{steep{convex.Round{
				Loss:        &convex.Affine{A: []float64{1 + rng.Float64()}},
				Constraints: []convex.Func{&convex.Affine{A: []float64{-1}, B: -0.5}},
			}}}, nil
		}}
	c := experiment.Catalog{Problems: []problems.Problem{wall}}
	// The sum of x+½ is size·t^p.
	entry := func(name string, size, p float64) {
		c.Algorithms = append(c.Algorithms,
			algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
				New: func(any, algorithms.Setup) (algorithms.Learner, error) {
					return &position{at: func(t float64) float64 {
						return -0.5 + size*(math.Pow(t, p)-math.Pow(t-1, p))
					}}, nil
				}})
	}
	entry("slow", 1, 0.3)
	entry("fast", 1, 0.8)
	entry("slow-beyond", -0.5, 0.3)
	entry("fast-beyond", -0.5, 0.8)
	return analysedRun(t, c, "horizon: 1000\nreplicates: 12\nproblems: [{use: walled}]\n"+
		"algorithms: all")
}

// A regret or a violation of t^p is held against √t, whatever is claimed.
func TestGrowthIsJudgedAgainstSqrtT(t *testing.T) {
	_, a := wallPlays(t)
	for name, want := range map[string]struct {
		exponent                algorithms.Metric // has the planted one
		regret, violation, both stats.Verdict
	}{
		"slow":        {algorithms.RegretXHat, stats.AtMost, stats.AtMost, stats.AtMost},
		"fast":        {algorithms.RegretXHat, stats.Above, stats.AtMost, stats.Above},
		"slow-beyond": {algorithms.SoftViolation, stats.AtMost, stats.AtMost, stats.AtMost},
		"fast-beyond": {algorithms.SoftViolation, stats.AtMost, stats.Above, stats.Above},
	} {
		t.Run(name, func(t *testing.T) {
			p := a.Pair(name, "walled")
			exponent := 0.3
			if name[:4] == "fast" {
				exponent = 0.8
			}
			if f := p.Series[want.exponent].Fit; !isNear(f.Exponent.Value, exponent, 1e-6) {
				t.Errorf("got exponent %v, want %v as planted", f.Exponent.Value, exponent)
			}
			if got := p.Series[algorithms.RegretXHat].SqrtVerdict; got != want.regret {
				t.Errorf("the regret is %q, want %q", got, want.regret)
			}
			if got := p.Series[algorithms.SoftViolation].SqrtVerdict; got != want.violation {
				t.Errorf("the violation is %q, want %q", got, want.violation)
			}
			if p.SqrtVerdict != want.both {
				t.Errorf("both are %q, want %q", p.SqrtVerdict, want.both)
			}
			for _, m := range a.Metrics {
				s := p.Series[m.Name]
				if fitted := m.Fitted && s.Fit != nil; (s.SqrtVerdict != "") != fitted {
					t.Errorf("%s: got verdict %[3]q on %[2]s, want one: %[4]v", name, m.Name, s.SqrtVerdict,
						fitted)
				}
			}
			if p.ClaimVerdict != "" || p.Regret.Verdict != "" {
				t.Errorf("%s claims nothing: got verdict %q, want none", name, p.ClaimVerdict)
			}
		})
	}
}

// The verdict of a pair is about the soft violation: 0.9 and −0.9 in turn violate the constraint x
// ≤ 0 in half of all rounds, and their sum does not grow.
func TestVerdictOfAPairIsAboutSoftViolation(t *testing.T) {
	half := problems.Problem{Name: "half", Version: 1,
		New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
			return &walled{steep{convex.Round{
				Loss:        &convex.Affine{A: []float64{-1e-9 * (1 + rng.Float64())}},
				Constraints: []convex.Func{&convex.Affine{A: []float64{1}}},
			}}}, nil
		}}
	turns := algorithms.Algorithm{Name: "turns", Version: 1, Anytime: true,
		New: func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(t float64) float64 { return 0.9 * (2*math.Mod(t, 2) - 1) }}, nil
		}}
	c := experiment.Catalog{Problems: []problems.Problem{half}, Algorithms: []algorithms.Algorithm{turns}}
	_, a := analysedRun(t, c, "horizon: 1000\nreplicates: 3\nproblems: [{use: half}]\nalgorithms: all")
	p := a.Pair("turns", "half")
	soft, hard := p.Series[algorithms.SoftViolation].SqrtVerdict,
		p.Series[algorithms.HardViolation].SqrtVerdict
	if soft != stats.AtMost || hard != stats.Above || p.SqrtVerdict != stats.AtMost {
		t.Errorf("soft %q, hard %q, both %q; want at most, above and at most", soft, hard, p.SqrtVerdict)
	}
}

// boundedWall is a problem with the constraint x ≥ 0 that declares the bound 1 of its size.
type boundedWall struct{ walled }

func (*boundedWall) Facts() convex.Facts { return convex.Facts{ConstraintBound: 1} }

// A violation of 1 a round until round s, and of none later, keeps c·√t with c = √s in the window
// [100, 1000] if s is in it: c·√t is above t until c² = s. With s = 50 it keeps 50 = c·√100. The
// largest step, 1, says the same where the problem declares no bound of its constraints.
func TestVerdictAfterASteepStartIsSaid(t *testing.T) {
	stream := func(rng *rand.Rand) walled {
		return walled{steep{convex.Round{
			Loss:        &convex.Affine{A: []float64{1e-9 * (1 + rng.Float64())}},
			Constraints: []convex.Func{&convex.Affine{A: []float64{-1}}},
		}}}
	}
	walls := []problems.Problem{
		{Name: "declared", Version: 1, New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
			return &boundedWall{stream(rng)}, nil
		}},
		{Name: "undeclared", Version: 1, New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
			s := stream(rng)
			return &s, nil
		}},
	}
	until := func(name string, last float64) algorithms.Algorithm {
		return algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &position{at: func(t float64) float64 {
					if t <= last {
						return -1
					}
					return 0
				}}, nil
			}}
	}
	c := experiment.Catalog{Problems: walls,
		Algorithms: []algorithms.Algorithm{until("short", 50), until("long", 237)}}
	_, a := analysedRun(t, c, "horizon: 1000\nreplicates: 3\nproblems: all\nalgorithms: all")
	for _, problem := range walls {
		for name, want := range map[string]bool{"short": false, "long": true} {
			s := a.Pair(name, problem.Name).Series[algorithms.SoftViolation]
			last, ok := s.SteepUntil()
			if s.SqrtVerdict != stats.AtMost || ok != want || ok && math.Abs(last-237) > 1e-9 ||
				(s.SqrtFactor.Name == "B") != (problem.Name == "declared") {
				t.Errorf("%s on %s: the verdict is %q, steep until %v, %v, of unit %q; want %q, and %v at "+
					"237 of the long start", name, problem.Name, s.SqrtVerdict, last, ok, s.SqrtFactor.Name,
					stats.AtMost, want)
			}
		}
	}
}

// One replicate without a violation does not show that the violation is never positive.
func TestOneReplicateShowsNoAbsence(t *testing.T) {
	for replicates, want := range map[string]stats.Verdict{"1": stats.TooLittle, "2": stats.AtMost} {
		t.Run(replicates, func(t *testing.T) {
			a := analyse(t, plantedResults(t,
				"horizon: 100\nreplicates: "+replicates+"\nalgorithms: [{use: low}]"))
			if got := a.Pairs[0].Series[algorithms.SoftViolation].SqrtVerdict; got != want {
				t.Errorf("a violation of 0 in %s replicates is %q, want %q", replicates, got, want)
			}
		})
	}
}

// The replicates are the rows of the curve, by their numbers; those that a game lacks
// have no values.
func TestReplicatesAreRowsOfTheCurve(t *testing.T) {
	const text = "horizon: 1500\nreplicates: 5\nalgorithms: [{use: high}, {use: low}]"
	r := plantedResults(t, text, "low on steep, horizon 1500, replicate 2")
	a := analyse(t, r)
	played := []int{1, 3, 4, 5}
	for _, p := range a.Pairs {
		for _, m := range a.Metrics {
			s := p.Series[m.Name]
			c, replicates, _ := r.CurveAndReplicates(p.Algorithm, p.Problem, m.Name)
			if len(s.Finals) != 5 {
				t.Fatalf("%s of %s: got %d final values, want 5", m.Name, p.Algorithm, len(s.Finals))
			}
			if p.Algorithm == "low" && len(c.Y) > 0 && !slices.Equal(replicates, played) {
				t.Errorf("%s: the rows are those of %v, want %v", m.Name, replicates, played)
			}
			n := 0
			for k, v := range s.Finals {
				row := slices.Index(replicates, k+1)
				if row < 0 != !v.Defined() || row >= 0 && float64(v) != c.Y[row][len(c.T)-1] &&
					s.State == Measured {
					t.Errorf("%s of %s: replicate %d: got end %v, want that of its curve", m.Name, p.Algorithm,
						k+1, v)
				}
				if row >= 0 {
					n++
				}
			}
			if n != s.Replicates {
				t.Errorf("%s of %s: got %d final values, want %d", m.Name, p.Algorithm, n, s.Replicates)
			}
			kept := m.Shown && m.Fitted || m.Name == p.Regret.Metric || m.Name == p.Violation.Metric
			if (s.Runs != nil) != (kept && n > 1) {
				t.Errorf("%s of %s: got single replicates %+v, want them: %v", m.Name, p.Algorithm, s.Runs,
					kept && n > 1)
			}
			if s.Runs == nil {
				continue
			}
			if !slices.Equal(s.Runs.Replicate, replicates) || len(s.Runs.Value) != n {
				t.Errorf("%s of %s: replicates %v with %d rows, want %v", m.Name, p.Algorithm, s.Runs.Replicate,
					len(s.Runs.Value), replicates)
			}
			// Between 866 and 1500 are the checkpoints 1000, 1155 and 1334.
			if ts := s.Runs.T; len(ts) != (len(c.T)+3)/4 ||
				!slices.Equal(ts[len(ts)-2:], []float64{866, 1500}) {
				t.Errorf("%s of %s: got checkpoints %v of %v, want every fourth, up to 866 and 1500", m.Name,
					p.Algorithm, ts, c.T)
			}
			for k, at := range s.Runs.T {
				column := slices.Index(c.T, at)
				for row, v := range s.Runs.Value {
					if float64(v[k]) != c.Y[row][column] && s.State == Measured {
						t.Errorf("%s of %s: replicate %d at %v: got %v, want %v", m.Name, p.Algorithm,
							s.Runs.Replicate[row], at, v[k], c.Y[row][column])
					}
				}
			}
		}
	}
	for _, s := range analyse(t, plantedResults(t,
		"horizon: 100\nreplicates: 1\nalgorithms: [{use: low}]")).Pairs[0].Series {
		if s.Runs != nil || len(s.Finals) != 1 {
			t.Errorf("one replicate: got %+v and final values %v, want no runs and one value", s.Runs,
				s.Finals)
		}
	}
}
