package problems

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
)

// TestPoissonDrawsHaveTheirLaw compares the distribution with mean^k e^(−mean)/k!, and draws
// with it.
func TestPoissonDrawsHaveTheirLaw(t *testing.T) {
	for _, mean := range []float64{0.3, 1, 7.5, 1000} {
		d := newPoisson(mean)
		first, last := d.support()
		total, before := d.cumulative[len(d.cumulative)-1], 0.0
		for i, sum := range d.cumulative {
			k := first + float64(i)
			log, _ := math.Lgamma(k + 1)
			want := math.Exp(k*math.Log(mean) - mean - log)
			if got := (sum - before) / total; math.Abs(got-want) > 1e-11*want+1e-16 {
				t.Errorf("mean %v: P(%v) = %v, want %v", mean, k, got, want)
			}
			before = sum
		}
		const draws = 200000
		rng := rand.New(rand.NewPCG(1, 2))
		sum, squares := 0.0, 0.0
		for range draws {
			k := d.draw(rng)
			if k < first || k > last || k != math.Trunc(k) {
				t.Fatalf("mean %v: got %v, want a whole number from %v to %v", mean, k, first, last)
			}
			sum += k - mean
			squares += (k - mean) * (k - mean)
		}
		// The fourth central moment is mean + 3 mean².
		if z := sum / math.Sqrt(mean*draws); math.Abs(z) > 5 {
			t.Errorf("mean %v: got draws off by %v standard errors, want at most 5", mean, z)
		}
		if z := (squares - mean*draws) / math.Sqrt((mean+2*mean*mean)*draws); math.Abs(z) > 5 {
			t.Errorf("mean %v: got squares off by %v standard errors, want at most 5", mean, z)
		}
	}
}

// TestJobPricesAreAutoregressiveWithSpikes takes the daily swing off the prices of zones: what is
// left is an autoregression with the variance σ²/(1−ρ²) and spikes as often as they should be.
func TestJobPricesAreAutoregressiveWithSpikes(t *testing.T) {
	const rounds = 40000
	p := jobScheduling.Params.(JobSchedulingParams)
	p.Servers, p.Jobs, p.Price, p.Ceiling = 20, 100, 100, 1e4 // so that nothing is cut off
	s := testInstance{"job-scheduling", jobScheduling, p}.stream(t, 5).(*jobStream)
	spikes, count := 0, 0.0
	var squares, lagged float64
	before := make([]float64, p.Zones)
	for i := 1; i <= rounds; i++ {
		loss := s.Reveal(i, nil).Loss.(*convex.Affine)
		for k, c := range loss.A {
			if k%2 == 1 {
				if c != loss.A[k-1] {
					t.Fatalf("round %d: servers %d and %d of one zone: got prices %v and %v, want the same", i, k,
						k+1, loss.A[k-1], c)
				}
				continue
			}
			z := k / 2
			mean := p.Price + p.Swing*math.Sin(2*math.Pi*float64(i)/float64(p.Period)+s.phases[z])
			a := c - mean
			if c > 200 { // no price is so without a spike
				spikes++
				a = c/p.Spike - mean
			}
			if math.Abs(a-s.noise[z]) > 1e-9 {
				t.Fatalf("round %d: zone %d: got price %v, want one of the noise %v", i, z+1, c, s.noise[z])
			}
			squares += a * a
			if i > 1 {
				lagged += a * before[z]
			}
			before[z] = a
			count++
		}
	}
	variance := p.Noise * p.Noise / (1 - p.Correlation*p.Correlation)
	// Correlated draws: worth (1−ρ²)/(1+ρ²) of independent squares.
	tolerance := 5 * math.Sqrt(2/count*(1+p.Correlation*p.Correlation)/(1-p.Correlation*p.Correlation))
	if v := squares / count; math.Abs(v/variance-1) > tolerance {
		t.Errorf("the noise has variance %v, want %v within %.1f %%", v, variance, 100*tolerance)
	}
	if r := lagged / squares; math.Abs(r-
		p.Correlation) > 5*math.Sqrt((1-p.Correlation*p.Correlation)/count)+1./rounds {
		t.Errorf("the noise has correlation %v, want %v", r, p.Correlation)
	}
	if z := (float64(spikes) - p.SpikeProbability*count) / math.Sqrt(
		p.SpikeProbability*count); math.Abs(z) > 5 {
		t.Errorf("got %d spikes in %v prices, %.1f standard errors off, want at most 5", spikes, count, z)
	}
}
