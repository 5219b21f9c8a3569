package problems

import (
	"math"
	"strings"
	"testing"

	"ocobench/convex"
)

// TestFogFlowsAreThoseByHand checks a ring of four by hand: node 1 gets 10, sends 1 to the
// cloud, 2 to node 4 and 3 to node 2, and does 4 itself.
func TestFogFlowsAreThoseByHand(t *testing.T) {
	p := fogOffloading.Params.(FogOffloadingParams)
	p.Nodes, p.Demand, p.DemandSwing, p.DemandNoise = 4, 10, 0, 0
	p.Exponent, p.ExponentSwing, p.ExponentNoise = 5, 0, 0
	s := testInstance{"fog-offloading", fogOffloading, p}.stream(t, 1).(*fogStream)
	r := s.Reveal(1, nil)
	x := make([]float64, 16)
	z, v, w, y := x[:4], x[4:8], x[8:12], x[12:]
	z[0], v[0], w[0], y[0] = 1, 2, 3, 4
	for j, want := range []float64{0, 10 + 3, 10, 10 + 2} {
		if got := r.Constraints[j].Value(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("g_%d = %v, want %v", j+1, got, want)
		}
	}
	links, local := s.loss.links, s.loss.local
	want := math.Exp(5.*1/100) + 3 + 2*links[0] + 3*links[4] + 16*local[0]
	if got := r.Loss.Value(x); math.Abs(got-want) > 1e-12*want {
		t.Errorf("the loss is %v, want %v", got, want)
	}
	for _, l := range append(links, local...) {
		if l < 0.05 || l > 0.75 {
			t.Errorf("got a cost of %v, want one in [0.05, 0.75]", l)
		}
	}
}

// TestFogExponentsAreMultiplesOfTheTick: exponents are multiples of the tick in their range, all of
// which come, and equal ones are one basis.
func TestFogExponentsAreMultiplesOfTheTick(t *testing.T) {
	p := fogOffloading.Params.(FogOffloadingParams)
	s := testInstance{"fog-offloading", fogOffloading, p}.stream(t, 3).(*fogStream)
	sum := convex.NewForm(40)
	seen := map[int]bool{}
	for i := 1; i <= 3000; i++ {
		s.Reveal(i, nil).Loss.AddTo(sum, 1)
		for _, r := range s.loss.cloud.Rate {
			ticks := r * p.Cloud / p.Tick
			if math.Abs(ticks-math.Round(ticks)) > 1e-9 || ticks < 34.5 || ticks > 65.5 {
				t.Fatalf("got an exponent of %v ticks, want a whole number from 35 to 65", ticks)
			}
			seen[int(math.Round(ticks))] = true
		}
	}
	if len(seen) != 31 || len(sum.Terms) > 310 || len(sum.Terms) < 300 {
		t.Errorf("got %d exponents and %d bases, want 31 and 300 to 310", len(seen), len(sum.Terms))
	}
}

func TestFogParamsAreRefusedBeyondTheirLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*FogOffloadingParams)
		want   string // nothing if they are taken
	}{
		{"1000 ticks", func(p *FogOffloadingParams) { p.Tick = 0.003 }, ""},
		{"1001 ticks", func(p *FogOffloadingParams) { p.Tick = 3 / 1001.0 }, "there are 1001 ticks"},
		{"exponents down to a tick", func(p *FogOffloadingParams) { p.Exponent = 1.6 }, ""},
		{"exponents down to 0", func(p *FogOffloadingParams) { p.Exponent = 1.5 }, "must be positive"},
		{"exponents up to 40", func(p *FogOffloadingParams) {
			p.Exponent, p.ExponentSwing, p.ExponentNoise, p.Tick = 20.1, 19.9, 0, 0.1
		}, ""},
		{"exponents above 40", func(p *FogOffloadingParams) {
			p.Exponent, p.ExponentSwing, p.ExponentNoise, p.Tick = 20.2, 19.9, 0, 0.1
		}, "expected at most 40"},
		{"demand down to 0", func(p *FogOffloadingParams) { p.Demand = 40 }, ""},
		{"demand below 0", func(p *FogOffloadingParams) { p.Demand = 39 }, "falls below 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := fogOffloading.Params.(FogOffloadingParams)
			c.change(&p)
			err := p.Validate()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}
