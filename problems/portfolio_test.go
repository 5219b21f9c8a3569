package problems

import (
	"math"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// TestPortfolioRegimesHaveTheirReturns compares the returns of each regime with their means and
// covariances, and how long regimes last with their lengths, within five
// standard errors.
func TestPortfolioRegimesHaveTheirReturns(t *testing.T) {
	const rounds = 60000
	p := portfolio.Params.(PortfolioParams)
	p.Dim, p.Cap, p.Calm, p.Turbulent, p.Loss, p.Drift = 4, 0.9, 50, 20, "linear", 0.01
	s := testInstance{"portfolio", portfolio, p}.stream(t, 8).(*portfolioStream)
	var counts, starts [2]float64
	var sums [2][]float64
	var products [2][]float64
	for k := range 2 {
		sums[k], products[k] = make([]float64, 4), make([]float64, 16)
	}
	was := -1
	for i := 1; i <= rounds; i++ {
		r := s.Reveal(i, nil)
		k := 0
		if r.Constraints[0] == convex.Func(s.turbulentRisk) {
			k = 1
		}
		if k != was {
			starts[k]++
		}
		was = k
		counts[k]++
		rho := append([]float64(nil), r.Loss.(*convex.Affine).A...)
		vec.Scale(rho, -p.Unit)
		if math.Abs(rho[0]-p.Rate) > 1e-15 {
			t.Fatalf("got return %v of cash, want %v", rho[0], p.Rate)
		}
		for a, v := range rho {
			sums[k][a] += v
			for b, w := range rho {
				products[k][4*a+b] += v * w
			}
		}
	}
	if starts[0] == 0 || was < 0 {
		t.Fatal("got a turbulent start, want a calm one")
	}
	for k, lasts := range []float64{p.Calm, p.Turbulent} {
		if z := (counts[k]/starts[k]/lasts - 1) * math.Sqrt(starts[k]); math.Abs(z) > 5 {
			t.Errorf("regime %d lasts %v, want %v: %.1f standard errors", k, counts[k]/starts[k], lasts, z)
		}
		drift, volatility := []float64{p.Drift, -2 * p.Drift}[k],
			[]float64{p.Volatility, p.Volatility * p.Turbulence}[k]
		x := make([]float64, 4)
		for a := 1; a < 4; a++ {
			mean := sums[k][a] / counts[k]
			sd := volatility * math.Hypot(s.beta[a], s.kappa[a])
			if z := (mean - drift*s.beta[a]) / sd * math.Sqrt(counts[k]); math.Abs(z) > 5 {
				t.Errorf("regime %d: asset %d returns %v, want %v: %.1f standard errors", k, a+1, mean,
					drift*s.beta[a], z)
			}
			for b := 1; b <= a; b++ {
				got := products[k][4*a+b]/counts[k] - mean*sums[k][b]/counts[k]
				want := volatility * volatility * s.beta[a] * s.beta[b]
				if a == b {
					want = sd * sd
				}
				spread := volatility * volatility * math.Hypot(s.beta[a], s.kappa[a]) *
					math.Hypot(s.beta[b], s.kappa[b]) * math.Sqrt2
				if z := (got - want) / spread * math.Sqrt(counts[k]); math.Abs(z) > 5 {
					t.Errorf("regime %d: assets %d and %d have covariance %v, want %v: %.1f standard errors", k,
						a+1, b+1, got, want, z)
				}
				// The constraint is of that covariance.
				clear(x)
				x[a]++
				x[b]++
				g := []*convex.Basis{s.calmRisk, s.turbulentRisk}[k].Value(x)
				variance := 4 * want // all of it in one asset, twice
				if a != b {
					variance = sd*sd + 2*want + volatility*volatility*(s.beta[b]*s.beta[b]+s.kappa[b]*s.kappa[b])
				}
				if want := variance/(p.Risk*p.Risk) - 1; math.Abs(g-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("regime %d: g = %v, want %v", k, g, want)
				}
			}
		}
	}
}

// TestPortfolioConstraintBoundsTheTurnover: the constraint is the bound of the exact turnover
// that it is said to be, and cash has none.
func TestPortfolioConstraintBoundsTheTurnover(t *testing.T) {
	p := portfolio.Params.(PortfolioParams)
	p.Budget = "turnover"
	s := testInstance{"portfolio", portfolio, p}.stream(t, 4).(*portfolioStream)
	x := []float64{.1, .2, .05, .05, .3, .1, .15, .05}
	cash := []float64{1, 0, 0, 0, 0, 0, 0, 0}
	for i := 1; i <= 500; i++ {
		g := s.Reveal(i, nil).Constraints[0]
		if v := g.Value(cash); math.Abs(v+1) > 1e-12 {
			t.Fatalf("round %d: got %v of cash, want −1", i, v)
		}
		wealth, traded := 1+vec.Dot(s.returns, x), 0.0
		for k, share := range x {
			traded += math.Abs(share*(1+s.returns[k])/wealth-share) / 2
		}
		if bound := p.Turnover * (g.Value(x) + 1) / wealth; traded > bound+1e-12 || traded < bound/100 {
			t.Fatalf("round %d: got %v traded, want at most %v and at least a hundredth of it", i, traded,
				bound)
		}
	}
}
