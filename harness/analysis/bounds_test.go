package analysis

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/problems"
	"ocobench/stats"
)

// linearBound returns the bound slope·t, which a theorem about the horizon has only there.
func linearBound(slope float64, atHorizon bool) func(algorithms.Setup) (func(int) float64, error) {
	return func(s algorithms.Setup) (func(int) float64, error) {
		return func(t int) float64 {
			if atHorizon && t < s.Horizon {
				return math.Inf(1)
			}
			return slope * float64(t)
		}, nil
	}
}

// judgedPairs plays a learner at −0.9, whose regret is s·t/10 with s of the
// replicate in [1, 2], under several claims.
func judgedPairs(t *testing.T, horizon string, claims map[string]algorithms.Claim) (*Analysis,
	[]float64) {
	t.Helper()
	c := experiment.Catalog{Problems: []problems.Problem{steepProblem}}
	text := ""
	entry := func(name string, at float64, claims ...algorithms.Claim) {
		c.Algorithms = append(c.Algorithms,
			algorithms.Algorithm{Name: name, Version: 1, Anytime: true, Claims: claims,
				New: func(any, algorithms.Setup) (algorithms.Learner, error) {
					return &position{at: func(float64) float64 { return at }}, nil
				}})
		text += ", {use: " + name + "}"
	}
	entry("high", -0.5)
	for name, claim := range claims {
		entry(name, -0.9, claim)
	}
	r, a := analysedRun(t, c, "problems: [{use: steep}]\nreplicates: 12\nhorizon: "+
		horizon+"\nalgorithms: ["+text[2:]+"]")
	// The bounds alone are the same.
	only, err := Bounds(c, r)
	if err != nil {
		t.Fatal(err)
	}
	bounds := func(a *Analysis) string {
		var all []any
		for _, p := range a.Pairs {
			all = append(all, p.Algorithm, p.Regret.Claim, p.Regret.Bound, p.Violation.Bound)
		}
		data, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got, want := bounds(only), bounds(a); got != want {
		t.Errorf("the bounds alone are\n%s\nwant\n%s", got, want)
	}
	return a, streamSlopes(r)
}

// The largest ratio is reached by the replicate with the largest s: s·t/10 over the bound.
func TestBoundsAreHeldAgainstTheLargestRatio(t *testing.T) {
	claim := func(slope float64, expected, atHorizon bool) algorithms.Claim {
		return algorithms.Claim{Metric: algorithms.RegretXMin, Exponent: 1.5, Formula: "a·t",
			Expected: expected, Bound: linearBound(slope, atHorizon)}
	}
	refused, unmeasured, none := claim(1, false, false), claim(1, false, false), claim(1, false, false)
	refused.Bound = func(algorithms.Setup) (func(int) float64, error) {
		return nil, errors.New("T < 8R²")
	}
	unmeasured.Metric = algorithms.RegretXE
	none.Bound, none.Formula = nil, ""
	later := claim(0, false, false)
	later.Bound = func(algorithms.Setup) (func(int) float64, error) {
		return func(int) float64 { return math.Inf(1) }, nil
	}
	// A theorem that asks for a long or for a short horizon speaks of the games of those.
	long, short := claim(0.2, false, false), claim(0.2, false, false)
	asks := func(c *algorithms.Claim, ok func(T int) bool) {
		bound := c.Bound
		c.Bound = func(s algorithms.Setup) (func(int) float64, error) {
			if !ok(s.Horizon) {
				return nil, errors.New("another horizon is asked for")
			}
			return bound(s)
		}
	}
	asks(&long, func(T int) bool { return T > 50 })
	asks(&short, func(T int) bool { return T == 50 })
	early := claim(0.2, false, false) // one that says nothing of the rounds after the tenth
	early.Bound = func(algorithms.Setup) (func(int) float64, error) {
		return func(t int) float64 {
			if t > 10 {
				return math.Inf(1)
			}
			return 0.2 * float64(t)
		}, nil
	}
	domain := claim(0.2, false, false) // regret against X^min stands in, and is no larger
	domain.Metric = algorithms.RegretDomain
	a, s := judgedPairs(t, "[50, 1000]", map[string]algorithms.Claim{
		"held": claim(0.2, false, false), "broken": claim(0.15, false, false),
		"last": claim(0.2, false, true), "broken-last": claim(0.15, false, true),
		"mean-held": claim(0.3, true, false), "mean-broken": claim(0.1, true, false),
		"mean-last": claim(0.3, true, true),
		"refused":   refused, "unmeasured": unmeasured, "none": none, "later": later, "domain": domain,
		"long": long, "short": short, "early": early,
	})
	most, mean := slices.Max(s), meanOfValues(s)
	for name, want := range map[string]struct {
		state  BoundState
		ratio  float64
		reason string
		points int // of the bound that is drawn
	}{
		"held":        {Held, most / 2, "", 49},
		"broken":      {Broken, most / 1.5, "", 49},
		"last":        {Held, most / 2, "", 2},
		"broken-last": {Broken, most / 1.5, "", 2},
		"domain":      {Held, most / 2, "", 49},
		"long":        {Held, most / 2, "", 49},
		"short":       {Held, most / 2, "", 21}, // along 50 rounds
		"early":       {Held, most / 2, "", 9},
		"mean-held":   {Held, mean / 3, "", 49},
		"mean-broken": {Broken, mean, "", 49},
		"mean-last":   {Held, mean / 3, "", 2},
		"refused":     {Unstated, math.NaN(), "T < 8R²", 0},
		"unmeasured":  {Unstated, math.NaN(), "regret vs XE is not measured", 0},
		"later":       {Unstated, math.NaN(), "says nothing about these rounds", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := a.Pair(name, "steep").Regret.Bound
			if b == nil || b.State != want.state || !strings.Contains(b.Reason, want.reason) ||
				(b.Reason == "") != (want.reason == "") ||
				b.Ratio.Value.Defined() && !isNear(b.Ratio.Value, want.ratio, 1e-9) ||
				b.Ratio.Value.Defined() == math.IsNaN(want.ratio) {
				t.Fatalf("the bound is %+v, want %+v", b, want)
			}
			// Every point has the same ratio, up to rounding.
			if !slices.Equal(b.Ratios.T, b.Mean.T) ||
				slices.ContainsFunc(b.Ratios.Value, func(v Number) bool {
					return !isNear(v, want.ratio,
						1e-9)
				}) {
				t.Errorf("the ratios are %+v, want %v at %v", b.Ratios, want.ratio, b.Mean.T)
			}
			if len(b.Mean.T) != min(want.points,
				len(a.Pair(name, "steep").Series[algorithms.RegretXMin].Mean.T)) && want.points != 2 ||
				want.points == 2 && !slices.Equal(b.Mean.T, []float64{50, 1000}) {
				t.Errorf("got the bound at %v, want %d points", b.Mean.T, want.points)
			}
			if expected := strings.HasPrefix(name, "mean"); want.state != Unstated &&
				(b.Replicate == 0) != expected {
				t.Errorf("got the largest ratio at replicate %d, want none (0) exactly of a mean: %v",
					b.Replicate, expected)
			} else if want.state != Unstated && !expected && !isNear(Number(s[b.Replicate-1]), most, 1e-12) {
				t.Errorf("got the largest ratio at replicate %d, slope %v of %v, want slope %v", b.Replicate,
					s[b.Replicate-1], s, most)
			}
			if until := map[string]int{"short": 50, "early": 10}[name]; b.Until != until {
				t.Errorf("the bound is held until t = %d, want %d", b.Until, until)
			}
			if e := b.Ratio; name == "mean-held" && !(e.Lower < e.Value && e.Value < e.Upper) {
				t.Errorf("a mean over its bound: got ratio %+v, want an interval around it", e)
			}
		})
	}
	if b := a.Pair("none", "steep").Regret.Bound; b != nil {
		t.Errorf("a claim without a bound: got %+v, want none", b)
	}
}

// The mean of a regret whose set is empty in some game is compared with no bound; the reason names
// the set.
func TestMeanOverAnEmptySetHasNoBound(t *testing.T) {
	c := experiment.Catalog{Problems: problems.All, Algorithms: []algorithms.Algorithm{{
		Name: "still", Version: 1, Anytime: true,
		Claims: []algorithms.Claim{{Metric: algorithms.RegretXMin, Formula: "t", Expected: true,
			Bound: linearBound(1, false)}},
		New: func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(float64) float64 { return 0 }}, nil
		},
	}}}
	_, a := analysedRun(t, c, "problems: [{use: iid, dim: 1, margin: -1, spread: "+
		"2}]\nreplicates: 3\nhorizon: 100\nalgorithms: [{use: still}]")
	if b := a.Pairs[0].Regret.Bound; b.State != Unstated || b.Reason != "the comparator set is empty" {
		t.Errorf("got bound %+v, want none, as the comparator set is empty", b)
	}
}

// A mean within its interval of the bound is neither held nor broken.
func TestMeanWithinItsIntervalOfTheBoundIsUnsettled(t *testing.T) {
	claims := map[string]algorithms.Claim{
		"at": {Metric: algorithms.RegretXMin, Formula: "the mean", Expected: true},
	}
	_, s := judgedPairs(t, "100", claims)
	c := claims["at"]
	c.Bound = linearBound(meanOfValues(s)/10*1.001, false)
	a, _ := judgedPairs(t, "100", map[string]algorithms.Claim{"at": c})
	if b := a.Pair("at", "steep").Regret.Bound; b.State != Unsettled ||
		!isNear(b.Ratio.Value, 1/1.001, 1e-9) || b.Ratio.Upper <= 1 {
		t.Errorf("got bound %+v, want it unsettled, ratio 1/1.001, and an interval beyond 1", b)
	}
}

// The unit is the largest amount that one round of any game can add: for a regret G·Δ, or the
// declared range where G or Δ is missing; for a violation B. It is 1 where a game declares nothing,
// and for metrics that do not grow with the rounds.
func TestFactorUnitIsTheLargestStepOfARound(t *testing.T) {
	product := convex.Facts{LossLipschitz: 2, Diameter: 3, LossRange: 9, ConstraintBound: 4}
	spread := convex.Facts{LossRange: 7, Diameter: 3, ConstraintBound: 5}
	open := convex.Facts{LossLipschitz: 2, LossRange: 5}
	for _, c := range []struct {
		games             []convex.Facts
		regret, violation Factor
	}{
		{nil, Factor{Unit: 1}, Factor{Unit: 1}},
		{[]convex.Facts{product}, Factor{Unit: 6, Name: "GΔ"}, Factor{Unit: 4, Name: "B"}},
		{[]convex.Facts{spread}, Factor{Unit: 7, Name: "GΔ"}, Factor{Unit: 5, Name: "B"}},
		{[]convex.Facts{open}, Factor{Unit: 5, Name: "GΔ"}, Factor{Unit: 1}},
		{[]convex.Facts{product, spread}, Factor{Unit: 7, Name: "GΔ"}, Factor{Unit: 5, Name: "B"}},
		{[]convex.Facts{product, open}, Factor{Unit: 6, Name: "GΔ"}, Factor{Unit: 1}},
		{[]convex.Facts{spread, {ConstraintBound: 8}}, Factor{Unit: 1}, Factor{Unit: 8, Name: "B"}},
	} {
		s := gameSetups{byGame: make(map[run.GameAt]algorithms.Setup)}
		for k, f := range c.games {
			s.byGame[run.GameAt{Replicate: k + 1}] = algorithms.Setup{Facts: f}
		}
		for name, want := range map[algorithms.Metric]Factor{
			algorithms.RegretXMin: c.regret, algorithms.RegretDynamic: c.regret,
			algorithms.SoftViolation: c.violation, algorithms.MaxViolation: {Unit: 1},
		} {
			m, _ := game.MetricNamed(name)
			if got := s.unitOf(m); got != want {
				t.Errorf("the unit of %s with %+v is %+v, want %+v", name, c.games, got, want)
			}
		}
	}
}

// The regret 12·√t is 2 steps of the largest size GΔ = 6 times √t; rounding errors are 0 of them.
func TestLeastFactorIsInUnitsOfTheLargestStep(t *testing.T) {
	c := stats.Curve{Y: make([][]float64, 8)}
	for at := 10.0; at <= 1000; at *= 1.5 {
		c.T = append(c.T, at)
		for r := range c.Y {
			c.Y[r] = append(c.Y[r], 12*math.Sqrt(at))
		}
	}
	s, err := SeriesOf(c, stats.Growth{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	game := algorithms.Setup{Facts: convex.Facts{LossLipschitz: 2, Diameter: 3}}
	inputs := boundInputs{setups: map[string]gameSetups{"steps": {
		byGame: map[run.GameAt]algorithms.Setup{{Replicate: 1}: game}}}}
	for _, want := range []struct {
		name   string
		state  State
		factor float64
	}{{"measured", s.State, 2}, {"rounding errors", Rounding, 0}} {
		t.Run(want.name, func(t *testing.T) {
			s.State = want.state
			p := &Pair{Problem: "steps", Series: map[algorithms.Metric]*Series{algorithms.RegretXMin: &s}}
			g := newGrowthTest(p, algorithms.RegretXMin, stats.Claim{Exponent: 0.5})
			f := g.leastFactor(inputs)
			if f == nil || !isNear(f.Value, want.factor, 1e-9) || f.Unit != 6 || f.Name != "GΔ" {
				t.Errorf("the factor is %+v, want %v of the unit GΔ = 6", f, want.factor)
			}
		})
	}
}

// The regret s·t/10 grows like t. It is above √t, at most about t^0.99, and any bounded play keeps
// a claim of t. A violation of 0 is at most √t.
func TestClaimsAreJudgedByTheExponent(t *testing.T) {
	rate := func(metric algorithms.Metric, p float64) algorithms.Claim {
		return algorithms.Claim{Metric: metric, Exponent: p}
	}
	a, _ := judgedPairs(t, "1000", map[string]algorithms.Claim{
		"above": rate(algorithms.RegretXMin, 0.5), "near": rate(algorithms.RegretXMin, 0.99),
		"any":       rate(algorithms.RegretXMin, 1),
		"violation": rate(algorithms.SoftViolation, 0.5),
	})
	for name, want := range map[string]stats.Verdict{
		"above": stats.Above, "near": stats.AtMost, "any": stats.AtMost,
	} {
		t.Run(name, func(t *testing.T) {
			p := a.Pair(name, "steep")
			if p.Regret.Verdict != want {
				t.Errorf("the verdict is %s, want %s", p.Regret.Verdict, want)
			}
			if tested := name != "any"; p.Regret.P.Defined() != tested ||
				(p.Regret.VerdictReason == "") != tested {
				t.Errorf("p = %v, why %q, want a p-value and no reason: %v", p.Regret.P,
					p.Regret.VerdictReason, tested)
			}
		})
	}
	if j := a.Pair("violation", "steep").Violation; j.Verdict != stats.AtMost ||
		j.VerdictReason != stats.ReasonNeverPositive {
		t.Errorf("a violation of 0: got %+v, want at most, never positive", j)
	}
}

// What grows like t^1.3 and cannot grow faster than t for ever is marked as superlinear.
func TestSuperlinearGrowthIsMarked(t *testing.T) {
	c := stats.Curve{}
	for k := 10.0; k <= 1000; k *= 1.5 {
		c.T = append(c.T, k)
	}
	for r := range 8 {
		var y []float64
		for _, t := range c.T {
			y = append(y, (1+float64(r)/100)*math.Pow(t, 1.3))
		}
		c.Y = append(c.Y, y)
	}
	for _, sign := range []float64{1, -1} {
		for _, y := range c.Y {
			for k := range y {
				y[k] *= sign
			}
		}
		s, err := SeriesOf(c, stats.Growth{Confidence: 0.95})
		if err != nil {
			t.Fatal(err)
		}
		f := s.Fit
		if sign < 0 {
			f = f.Negated
		}
		if f.Superlinear {
			t.Error("got marked before anything says that it grows at most linearly, want unmarked")
		}
		if s.Fit.markSuperlinear(true); !f.Superlinear {
			t.Errorf("t^1.3: got %+v, want marked", f)
		}
		if s.Fit.markSuperlinear(false); f.Superlinear {
			t.Error("got marked where nothing bounds the growth, want unmarked")
		}
	}
}

// Without an interval an exponent is marked if it is above 1 by more than the tolerance.
func TestSuperlinearGrowthOfOneReplicateNeedsTheTolerance(t *testing.T) {
	for exponent, want := range map[float64]bool{1.03: false, 1.05: false, 1.06: true} {
		f := &Fit{Exponent: Estimate{Value: Number(exponent), Lower: none, Upper: none}}
		if f.markSuperlinear(true); f.Superlinear != want {
			t.Errorf("t^%v without an interval is marked: %v, want %v", exponent, f.Superlinear, want)
		}
	}
}
