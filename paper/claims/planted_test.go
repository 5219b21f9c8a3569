package claims

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/game"
	"ocobench/internal/race"
	"ocobench/problems"
)

// Checks say the opposite where a constant is wrong, γ is too small or has the other sign, an
// algorithm ignores constraints, or the stream is one on which the claim turns out the other way.
func TestPlantedDefectsChangeTheOutcome(t *testing.T) {
	race.SkipSequential(t)
	l := quickLab(t)
	for _, c := range []struct {
		name string
		run  func() (Finding, error)
		want Outcome
	}{
		{"the regret is of order √t", func() (Finding, error) {
			return differenceRegret(l, "shrinking", linearRate)
		}, Refutes},
		{"a regret of order t", func() (Finding, error) {
			return differenceRegret(l, "perturbed:dim=1,noise=periodic,period=2,loss-noise=0", rootRate)
		}, Survives},
		{"nine tenths of the threshold", func() (Finding, error) { return leastGamma(l, 0.9) }, Refutes},
		{"γ that is enough", func() (Finding, error) {
			return outsidePrefixes(l, "", func() (problems.Stream, error) {
				return l.Stream("regime-switch", 1)
			}, 7)
		}, Survives},
		{"γ that is enough for steep losses", func() (Finding, error) { return printedSigns(l, 100) },
			Survives},
		{"γ below the threshold as printed", func() (Finding, error) { return printedSigns(l, 12) },
			Undecided},
		{"γ is not fooled", func() (Finding, error) {
			return frozenGamma(l, "regime-switch:switch=0", 7, 1, 4000)
		}, Survives},
		{"a regulariser of order √t", func() (Finding, error) { return regretLinear(l, sqrt) }, Survives},
		{"constraints that are fixed", func() (Finding, error) {
			return linearPenalty(l, "fixed:dim=1", 13)
		}, Survives},
		{"signs that follow the action", func() (Finding, error) { return softPerturbed(l, "soft-gap") },
			Refutes},
		{"signs that follow the action, taken for periodic ones", func() (Finding, error) {
			return softPeriodic(l, 0, 1, "soft-gap")
		}, Refutes},
		{"signs that follow the action, taken for i.i.d. ones", func() (Finding, error) {
			return softIID(l, 0, "soft-gap")
		}, Refutes},
		{"a primal-dual update with small steps", func() (Finding, error) {
			return primalDualShare(l, "primal-dual:step=0.01")
		}, Refutes},
		{"γ below the slope of the losses", func() (Finding, error) { return relaxed(l, 1) }, Refutes},
		{"growth like √t", func() (Finding, error) {
			return excessFinding("it", [2]float64{10, 20}, 400, 2.6), nil
		}, Survives},
		{"hinges that are late by 1/√i", func() (Finding, error) {
			return lateHinges(l, "drifting-average:amplitude=-0.25")
		}, Survives},
		{"hinges with a slack", func() (Finding, error) { return zeroSetsPoints(l, 1) }, Refutes},
		{"hinges that are 0 on empty sets", func() (Finding, error) { return zeroSetsPrograms(l, -100) },
			Refutes},
		{"hinges that are positive on sets", func() (Finding, error) { return zeroSetsPrograms(l, 100) },
			Refutes},
		// t/2 is below √t + 9·(1 + 2√t)/4 until t = 130.
		{"too few rounds for t/2", func() (Finding, error) { return ftrlOnGrowingSets(l, 100) }, Refutes},
		{"enough rounds for t/2", func() (Finding, error) { return ftrlOnGrowingSets(l, 144) }, Survives},
		// 100^(1/0.48) = 14678
		{"a violation that stops before the half", func() (Finding, error) {
			return necessitySlack(l, 0.52, 40000)
		}, Refutes},
		{"a violation that grows", func() (Finding, error) { return necessitySlack(l, 0.9, 40000) },
			Survives},
		{"a family at the rate of the paper", func() (Finding, error) { return slowFamily(l, 0.5) },
			Undecided},
		{"no regret", func() (Finding, error) { return regretBound(l, []string{"shrinking"}) }, Undecided},
		{"some regret", func() (Finding, error) { return regretBound(l, []string{"soft-gap"}) }, Survives},
		{"a constraint that turns slowly", func() (Finding, error) { return turningCap(l, 0.3) }, Survives},
		{"coins within twice the bound", func() (Finding, error) { return coinConvergence(l, 2) },
			Undecided},
		{"averages that are not negative", func() (Finding, error) { return softLinear(l, "soft-gap") },
			Undecided},
		{"γ that does not grow", func() (Finding, error) {
			return growingWeights(l, func(int) float64 { return 25 })
		}, Survives},
		{"γ of fixed constraints, a fiftieth", func() (Finding, error) { return fixedActions(l, 0.02) },
			Refutes},
		{"the regulariser of FTRL, a millionth", func() (Finding, error) { return leadersOnCubes(l, 1e-6) },
			Refutes},
		{"X^E, of gradient descent that is blind to constraints", func() (Finding, error) {
			return conflictingMeans(l, "ogd")
		}, Survives},
		{"the threshold by the deepest constraint", func() (Finding, error) {
			return l.compareThreshold(func(p *program) float64 { return p.deepest })
		}, Refutes},
		{"the threshold, a half", func() (Finding, error) {
			return l.compareThreshold(func(p *program) float64 { return 2 * p.margin })
		}, Refutes},
		{"the bounds of small steps, of gradient descent", func() (Finding, error) {
			return smallStepsKeep(l, "ogd")
		}, Refutes},
		{"the bounds of neely-yu, of gradient descent", func() (Finding, error) {
			return neelyYuBounds(l, "ogd")
		}, Survives},
		{"minimisers at a hundredth of γ_0", func() (Finding, error) { return penaltyMinimisers(l, 0.01) },
			Refutes},
		{"minimisers at γ_0", func() (Finding, error) { return penaltyMinimisers(l, 1) }, Survives},
		{"points at a hundredth of γ_0", func() (Finding, error) { return penaltyPoints(l, 0.01) }, Refutes},
		{"points at −γ_0", func() (Finding, error) { return penaltyPoints(l, -1) }, Refutes},
		{"points at γ_0", func() (Finding, error) { return penaltyPoints(l, 1) }, Survives},
		{"prefixes at −γ_0", func() (Finding, error) { return expressionInProof(l) }, Refutes},
		{"prefixes at γ_0", func() (Finding, error) { return leastGamma(l, 1) }, Survives},
		{"prefixes at a tenth of the threshold of the condition", func() (Finding, error) {
			return amendedPrefixes(l, 0.1)
		}, Refutes},
		{"prefixes at the threshold of the condition", func() (Finding, error) {
			return amendedPrefixes(l, 1.001)
		}, Survives},
		{"penalties at a tenth of the threshold of the condition", func() (Finding, error) {
			return amendedPenalty(l, 0.1)
		}, Refutes},
		{"penalties at the threshold of the condition", func() (Finding, error) {
			return amendedPenalty(l, 1.001)
		}, Survives},
		{"frequencies a fifth below", func() (Finding, error) { return frequencySumsDrawn(l, 0.08) }, Refutes},
		{"frequencies as drawn", func() (Finding, error) { return frequencySumsDrawn(l, 0.1) }, Survives},
		{"frequencies a fifth above", func() (Finding, error) { return frequencySumsDrawn(l, 0.12) }, Refutes},
		{"clipped small steps settle", func() (Finding, error) { return clippedSettles(l, 0.5) }, Survives},
		{"clipped long steps do not", func() (Finding, error) { return clippedSettles(l, 5) }, Refutes},
		{"long steps alternate", func() (Finding, error) { return largeStepsAlternate(l, 5) }, Refutes},
		{"small steps come to rest", func() (Finding, error) { return largeStepsAlternate(l, 0.3) },
			Survives},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f, err := c.run(); err != nil || f.Outcome != c.want {
				t.Errorf("%s, error %v, want %s: %s", f.Outcome, err, c.want, f.Text)
			}
		})
	}

	outside, slow := 0, 0
	if err := l.playGrowing(0.1, func(_ growingStream, _ int, excess float64, a *penaltyObserver) {
		if excess > 1e-9 {
			outside++
		}
		if a.penalty > 1e-9+1.000001*a.weighted {
			slow++
		}
	}); err != nil || outside == 0 || slow == 0 {
		t.Errorf("a tenth of the threshold: got x outside of X̂^max in %d rounds and the violation "+
			"above its bound in %d (%v), want some of both", outside, slow, err)
	}
}

// A loss that is less over the smaller set refutes that sets are nested, and so does a larger set
// that is empty. Nothing is said of an empty one.
func TestNestingByHand(t *testing.T) {
	over := func(values ...float64) (best []game.Best) {
		for _, v := range values {
			b := game.Best{Value: v, Gap: 0.1}
			if math.IsNaN(v) {
				b = game.Best{Empty: true}
			}
			best = append(best, b)
		}
		return best
	}
	for _, c := range []struct {
		best []game.Best
		want Outcome
	}{
		{over(1, 1, 0), Survives},
		{over(1, 1.05, 1.05), Survives}, // within the gap
		{over(1, 1.2, 0), Refutes},
		{over(1, 0, 0.2), Refutes},
		{over(math.NaN(), 1, 0), Survives},
		{over(1, math.NaN(), 0), Refutes},
		{over(2, 1, math.NaN()), Refutes},
	} {
		var n nesting
		n.checkNested(new(trial), c.best)
		if f := n.finding(); f.Outcome != c.want {
			t.Errorf("%+v: %s, want %s: %s", c.best, f.Outcome, c.want, f.Text)
		}
	}
}

// Ties of the Example are those of exact sums of 100x and −1, in one constraint or in two.
func TestTiesAreThoseOfExactSums(t *testing.T) {
	rng := quickLab(t).Rand("ties")
	for game := range 200 {
		m := 1 + game%2
		counted, line := ties{m: m}, &exactLine{lo: -10, hi: 10}
		p := line.newPrefix()
		for round := 1; round <= 40; round++ {
			reveal := rng.Int64N(2)
			slope, shift := []int64{100 * reveal, 0}, []int64{0, reveal - 1}
			if m == 1 {
				slope, shift = slope[:1], shift[1:]
			}
			line.slope, line.shift = append(line.slope, slope), append(line.shift, shift)
			p.next()
			counted.next(round, int(reveal))
			k, ok := p.leastActive(relativeBoundary)
			whole, _ := p.leastActive(wholeBoundary)
			if ok != counted.bounded() || ok && (k != counted.k || whole != counted.wholeBoundaryActive()) {
				t.Fatalf("after %d rounds %d ties with %d constraints, and %d on the whole boundary, want %d "+
					"and %d: %v", round, counted.k, m, counted.wholeBoundaryActive(), k, whole, line.slope)
			}
		}
	}
}

// What counts as growth, by hand. From 10⁴ to 10⁵, √t·log t grows by √10·5/4 = 3.95, and a
// quarter more is 4.94; t^0.7 grows by 5.01, and √t·log t is 3641 at the end.
func TestGrowthByHand(t *testing.T) {
	for _, c := range []struct {
		violation [2]float64
		regret    float64
		want      bool
	}{
		{[2]float64{100, 395}, 3600, false},
		{[2]float64{100, 490}, -3700, false},
		{[2]float64{100, 501}, 0, true},
		{[2]float64{100, 100}, 3700, true},
	} {
		if got := outgrows(c.violation, c.regret, 1e5); got != c.want {
			t.Errorf("violation %v and regret %v outgrow √t·log t: %v, want %v", c.violation, c.regret, got,
				c.want)
		}
	}
	for _, c := range []struct {
		at   [2][2]float64
		want bool
	}{
		{[2][2]float64{{10, 0.5}, {40, 0.5}}, true},
		{[2][2]float64{{10, 0.5}, {30, 0.5}}, false}, // slows down
		{[2][2]float64{{0, 0.5}, {40, 0.5}}, false},
		{[2][2]float64{{10, 0.5}, {40, 1.5}}, false}, // the other one grows, too
		{[2][2]float64{{10, 0.5}, {40, 1}}, false},
	} {
		if got := softAlone(c.at); got != c.want {
			t.Errorf("of soft and penalty %v only soft grows: %v, want %v", c.at, got, c.want)
		}
	}
	// √t grows by 4, and what is meant by half more, or a fifth more.
	for _, c := range []struct {
		violation, fixed [2]float64
		want             bool
	}{
		{[2]float64{10, 61}, [2]float64{10, 47}, true},
		{[2]float64{10, 59}, [2]float64{10, 47}, false},
		{[2]float64{10, 61}, [2]float64{10, 49}, false},
		{[2]float64{0, 0}, [2]float64{10, 40}, false},
	} {
		if got := outrunsFixed(c.violation, c.fixed); got != c.want {
			t.Errorf("violation %v outruns that of a fixed penalty %v: %v, want %v", c.violation, c.fixed,
				got, c.want)
		}
	}
}

// c·Σ τ^(c−1) of three rounds, by hand, and of any number with c = 1.
func TestFrequencySumByHand(t *testing.T) {
	for _, c := range []struct {
		c    float64
		t    int
		want float64
	}{
		{1, 1, 1}, {1, 7, 7}, {0, 9, 0}, {0.5, 3, 0.5 * (1 + 1/math.Sqrt2 + 1/math.Sqrt(3))},
	} {
		if got := frequencySum(c.c, c.t); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("c = %v, %d rounds: %v, want %v", c.c, c.t, got, c.want)
		}
	}
}

// An exponent whose interval reaches ½ refutes that the soft violation grows faster than √t, with
// one constraint or with two.
func TestPrimalDualGrowthByHand(t *testing.T) {
	for low := range 3 { // which of them does; the last is none
		l, k := quickLab(t), 0
		l.Experiment = func(name string) (*analysis.Analysis, error) {
			e := analysis.Estimate{Value: 0.7, Lower: 0.51, Upper: 0.9}
			if k == low {
				e.Lower = 0.5
			}
			k++
			problem := "decaying-frequency:c=0.75"
			if name == "frequency-split" {
				problem += ",constraints=2"
			}
			return &analysis.Analysis{Pairs: []analysis.Pair{{Algorithm: "primal-dual", Problem: problem,
				Series: map[algorithms.Metric]*analysis.Series{
					algorithms.SoftViolation: {Fit: &analysis.Fit{Exponent: e}}}}}}, nil
		}
		f, err := primalDualGrowth(l)
		if err != nil || f.Outcome != refutesIf(low < 2) || len(f.Values) != 2 {
			t.Errorf("interval %d reaches ½: %+v, %v, want the outcome %s and two values", low, f, err,
				refutesIf(low < 2))
		}
	}
}

// Functions on the square by hand: x² + x − y at (3, 2) is 9 + 3 − 2. Over [−1, 1]² it is least
// at (−½, 1).
func TestSeparableFunctionsByHand(t *testing.T) {
	f := separable{[]float64{2, 0}, []float64{1, -1}}
	x := make([]float64, 2)
	f.argmin(x)
	if v := f.value([]float64{3, 2}); v != 10 || x[0] != -0.5 || x[1] != 1 || f.value(x) != -1.25 {
		t.Errorf("the value is %v, the least one %v at %v, want 10, and −1.25 at −½", v, f.value(x), x)
	}
}

// Averages at the ends of X̂^max on [−4, 4]: x − 1 ends it at 1, where it is the one that is 0;
// x + 5 leaves no action, and there is nothing to count.
func TestActiveByHand(t *testing.T) {
	for shift, want := range map[float64]int{-1: 1, 5: 0} {
		o := &line{domain: span{-4, 4}, slope: []float64{1}, shift: []float64{shift}}
		if n := o.leastActive(1, 1); n != want {
			t.Errorf("x %+v: %d averages are active, want %d", shift, n, want)
		}
	}
}

// The constants of averages are those of all pairs of rounds, also of averages that only rise or
// only fall.
func TestConstantsOfAveragesAreThoseOfAllPairs(t *testing.T) {
	rng := quickLab(t).Rand("constants")
	for game := range 300 {
		m := make([]float64, 1+rng.IntN(30))
		for i := range m {
			m[i] = drawSymmetric(rng)
		}
		if game%3 > 0 {
			slices.Sort(m)
		}
		if game%3 > 1 {
			slices.Reverse(m)
		}
		rate, rise := 0.0, 0.0
		for i := range m {
			for k := i; k < len(m); k++ {
				root := math.Sqrt(float64(i + 1))
				rate = max(rate, root*math.Abs(m[i]-m[k]))
				if k+1 <= 2*(i+1) {
					rise = max(rise, root*(m[k]-m[i]))
				}
			}
		}
		if r, s := rateConstant(m), riseConstant(m); math.Abs(r-rate) > 1e-12 ||
			math.Abs(s-rise) > 1e-12 {
			t.Fatalf("of %v: %v and %v, want %v and %v", m, r, s, rate, rise)
		}
	}
}

// A line worked by hand: x − 2, then 2x on [−4, 4]. The averages are x − 2 and (3x − 2)/2,
// so that X̂^max = [−4, 2/3], where one of two averages is 0.
func TestLineByHand(t *testing.T) {
	p := (&exactLine{lo: -4, hi: 4, slope: [][]int64{{1}, {2}}, shift: [][]int64{{-2}, {0}}}).newPrefix()
	p.next()
	if k, ok := p.leastActive(relativeBoundary); k != 1 || !ok || p.hi != (fraction{2, 1}) {
		t.Errorf("after a round k = %d, X̂^max = [%v, %v], want 1 and the end 2", k, p.lo, p.hi)
	}
	p.next()
	k, ok := p.leastActive(relativeBoundary)
	if k != 1 || !ok || p.hi != (fraction{2, 3}) {
		t.Errorf("after two rounds k = %d, X̂^max = [%v, %v], want 1 and the end 2/3", k, p.lo, p.hi)
	}
	if k, _ := p.leastActive(wholeBoundary); k != 0 {
		t.Errorf("at −4 there are %d active averages, want none", k)
	}
	if z, eta := p.slaterPoint(); z != (fraction{-16, 4}) || eta != 6 {
		t.Errorf("Slater point %v with the margin %v, want −4 with 6", z, eta)
	}
	if m := p.margin(fraction{0, 1}); math.Abs(m-1) > 1e-15 {
		t.Errorf("the margin at 0 is %v, want 1", m)
	}
}
