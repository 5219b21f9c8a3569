package algorithms_test

import (
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// The twin projects on the half-space of its own, and on D.
func TestPolyakFeasibilityTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		s = s.feasible().fixedConstraints()
		rho, eta := 0.01, 0.05
		xs := [][]float64{nearest(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			x := xs[i]
			y := moved(x, -eta, r.loss.gradient(x))
			if s.m > 0 {
				g := r.constraints[worstOf(r, x)]
				slope := g.gradient(x)
				square, value := 0.0, g.value(x)+rho
				for k, v := range slope {
					square += v * v
					value += v * (y[k] - x[k])
				}
				if value > 0 {
					y = moved(y, -value/square, slope)
				}
			}
			xs = append(xs, nearest(s.set, y))
		}
		l := newLearner(t, "polyak-feasibility",
			algorithms.PolyakFeasibilityParams{Tightening: rho, Step: eta, Slater: 1}, longTermSetup(s))
		agree(t, where, l, s, xs, 1e-9)
	})
}

// pushed plays linear losses and returns the largest max_j g_j(x_t).
func pushed(t *testing.T, p algorithms.PolyakFeasibilityParams, s algorithms.Setup,
	gs []convex.Func, T int, loss func(i int) []float64) (most float64) {
	t.Helper()
	s.Horizon = T
	l := newLearner(t, "polyak-feasibility", p, s)
	x := make([]float64, s.Set.Dim())
	most = math.Inf(-1)
	for i := range T {
		l.Act(x)
		for _, g := range gs {
			most = max(most, g.Value(x))
		}
		if err := l.Observe(x, round(affine(0, loss(i)...), gs...)); err != nil {
			t.Fatal(err)
		}
	}
	return most
}

// The paper's example: the box |x_i| ≤ ½ in the plane, inside of a ball, as a maximum of
// four affine functions: σ = 1/√2, L = 1, ϵ = ½. Losses push into a corner and along its
// sides. No action violates, and the tightening is used; a step forty times as large
// violates.
func TestPolyakFeasibilityOnTheBoxOfThePaper(t *testing.T) {
	gs := []convex.Func{affine(-0.5, 1, 0), affine(-0.5, -1, 0), affine(-0.5, 0, 1),
		affine(-0.5, 0, -1)}
	s := algorithms.Setup{
		Set: &convex.Ball{Center: []float64{0, 0}, Radius: 1}, Constraints: 4,
		Facts: convex.Facts{LossLipschitz: 3, ConstraintLipschitz: 1, Slater: 0.5, Fixed: true,
			Affine: true},
	}
	loss := func(i int) []float64 {
		a := []float64{0, 0}
		a[i%2] = -3
		return a
	}
	for _, T := range []int{100, 2500} {
		rho := 0.25 / math.Sqrt(1+float64(T)/(8*(2+math.Sqrt2))) // T_0 = 8/(1−√½)
		p := algorithms.PolyakFeasibilityParams{
			Sigma: math.Sqrt(0.5), FirstAction: algorithms.FirstAction{X0: []float64{0.5 - rho - 1e-9}},
		}
		byHand := p
		byHand.Tightening, byHand.Step = rho, (1-math.Sqrt(0.5))*rho/3
		most, same := pushed(t, p, s, gs, T, loss), pushed(t, byHand, s, gs, T, loss)
		byHand.Step *= 40
		far := pushed(t, byHand, s, gs, T, loss)
		t.Logf("T=%d: g(x_t) is up to %.6f with ρ = %.6f, and %.6f with a step 40 times as large", T,
			most, rho, far)
		if math.Abs(most-same) > 1e-12 {
			t.Errorf("T=%d: the default comes to %v, with ρ and η worked out by hand %v", T, most, same)
		}
		if most > 0 || most < -0.95*rho || far <= 0 {
			t.Errorf("T=%d: the largest g(x_t) is %v with ρ = %v; with a step 40 times as large it is %v", T,
				most, rho, far)
		}
	}
}

// A first action that is not strictly feasible ends the game in round 1, and the error
// names the remedy; one that is plays on. So does one whose constraint has no slope.
func TestPolyakFeasibilityChecksTheStart(t *testing.T) {
	s := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1, Horizon: 100,
		Facts: convex.Facts{Slater: 1, LossLipschitz: 1, ConstraintLipschitz: 1}}
	for _, c := range []struct {
		x0   float64
		g    convex.Func
		want string
	}{
		{0.5, affine(0, 1), "set x0"},
		{-0.04, affine(0, 1), "at most −ρ = -0.05"},
		{-0.05, affine(0, 1), ""},
		{0, affine(math.NaN(), 1), "set x0"},
		{0, affine(0, 0), "set x0"},
	} {
		l := newLearner(t, "polyak-feasibility",
			algorithms.PolyakFeasibilityParams{
				Tightening: 0.05, FirstAction: algorithms.FirstAction{X0: []float64{c.x0}},
			}, s)
		x := make([]float64, 1)
		l.Act(x)
		err := l.Observe(x, round(affine(0, 1), c.g))
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("from %v: %v, want %q", c.x0, err, c.want)
		}
	}
	l := newLearner(t, "polyak-feasibility", nil, s)
	played(t, l, 1, round(affine(0, 1), affine(-1, 1)))
	if err := l.Observe([]float64{0}, round(affine(0, 1), affine(1, 0))); err == nil ||
		!strings.Contains(err.Error(), "no action") {
		t.Errorf("a constraint that no action satisfies: %v", err)
	}
}

// epochParams claims a constant bound of one metric.
type epochParams struct {
	algorithms.Epochs
	metric algorithms.Metric
}

func (p epochParams) Claims() []algorithms.Claim {
	return []algorithms.Claim{{Metric: p.metric, Formula: "b",
		Bound: func(algorithms.Setup) (func(int) float64, error) {
			return func(int) float64 { return 1 }, nil
		}}}
}

// Over epochs a constant bound of a sum grows like log t, and that of the largest violation stays
// constant. A claim that is not proven is not proven over epochs either, whose rates are the same
// as of proven ones.
func TestViolationsOverEpochs(t *testing.T) {
	for metric, want := range map[algorithms.Metric][2]string{ // the rate, and how the bound begins
		algorithms.HardViolation:    {"log t", "Σ"},
		algorithms.SquaredViolation: {"log t", "Σ"},
		algorithms.MaxViolation:     {"1", "the largest"},
	} {
		claim := algorithms.Algorithm{}.ClaimsOf(epochParams{epochs, metric})[0]
		if claim.Rate() != want[0] || !strings.HasPrefix(claim.Formula, want[1]) {
			t.Errorf("%s: the rate is %s and the bound %s, want %s and %s…", metric, claim.Rate(),
				claim.Formula, want[0], want[1])
		}
	}
	for rate, claim := range map[string]algorithms.Claim{
		"t^0.5": {Metric: algorithms.HardViolation, Exponent: 0.5},
		"log t": {Metric: algorithms.HardViolation},
		"1":     {Metric: algorithms.MaxViolation, NoBound: "nobody found one"},
	} {
		got := algorithms.Algorithm{Claims: []algorithms.Claim{claim}}.ClaimsOf(epochs)[0]
		if got.Proven() || got.Formula != "" || got.NoBound != claim.NoBound || got.Rate() != rate {
			t.Errorf("%s, not proven, of rate %s: %+v", claim.Metric, rate, got)
		}
	}
	// Each epoch of polyak-feasibility starts anew, and none of them violates.
	s := plain()
	s.Horizon = 15
	claims := entry(t, "polyak-feasibility").ClaimsOf(
		algorithms.PolyakFeasibilityParams{Epochs: epochs})
	b, err := claims[1].Bound(s)
	if err != nil || b(15) != 0 || claims[1].Rate() != "1" || claims[0].Rate() != "t^0.5" {
		t.Errorf("polyak-feasibility over epochs: %v, %v", claims, err)
	}
}
