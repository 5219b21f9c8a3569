package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var jobScheduling = Problem{
	Name:  "job-scheduling",
	Title: "Job scheduling",
	Doc: "servers in zones with different electricity prices; power is bought before the " +
		"prices and the Poisson number of jobs are known",
	Reference: "Yu, Neely, Wei, Online convex optimization with stochastic constraints, NeurIPS " +
		"2017, the experiment; synthetic prices",
	Definition: []string{
		"$D = [0, power]^n$: the power $x_i$ of $n = servers$ servers, of which server $i$ is in " +
			"zone $ζ(i) = ⌈i·zones/n⌉$.",
		"$f_t(x) = Σ_i c_{t,ζ(i)}x_i,  g_t(x) = ω_t − Σ_i gain·log(1 + rate·x_i),$",
		"with $ω_t$ Poisson of mean jobs, independent. The price of zone $z$ is, clipped to $[floor, " +
			"ceiling]$,",
		"$c_{t,z} = (price + swing·sin(2πt/period + φ_z) + a_{t,z})σ_{t,z}$",
		"with $φ_z$ uniform on $[0, 2π)$, $σ_{t,z} = spike$ with probability spike-probability, else " +
			"1, and",
		"$a_{t,z} = correlation·a_{t−1,z} + noise·ε_{t,z},$",
		"with $ε_{t,z}$ standard normal, from its stationary law.",
	},
	Version: 1,
	Params: JobSchedulingParams{
		Servers: 100, Zones: 10, Power: 30, Gain: 4, Rate: 4, Jobs: 1000,
		Price: 30, Swing: 12, Period: 288, Correlation: 0.95, Noise: 2,
		SpikeProbability: 0.005, Spike: 5, Floor: 1, Ceiling: 400,
	},
	New: Typed(newJobScheduling),
}

// JobSchedulingParams are the parameters of job-scheduling. The paper has T = 2160 rounds and the
// prices of a week and a half in New York. The floor and the ceiling are not in the paper. The
// ceiling bounds the losses; with the defaults only a spike on a price six standard deviations
// above the mean reaches it. The number of jobs is exact up to the rounding of its distribution
// function, and truncated where probabilities are below 10⁻¹⁸ of the largest.
//
// The constraints are one basis plus a number. At full power they hold with the
// margin n·h(P) − max ω. A round of penalised-ftrl takes two or three steps of
// Newton's method, O(n²) each since the Hessian is diagonal: with the defaults 0.2 ms
// up to T = 2160, with a certified gap of 10⁻¹⁴ of the value. A set in hindsight takes 50 ms.
// First-order algorithms take 4 µs a round.
type JobSchedulingParams struct {
	Servers          int     `name:"servers" doc:"number of servers n" min:"1" max:"1000"`
	Zones            int     `name:"zones" doc:"number of zones, in which servers pay the same price; at most servers" min:"1" max:"1000"`
	Power            float64 `name:"power" doc:"the largest power P of a server" above:"0" max:"1e6"`
	Gain             float64 `name:"gain" doc:"a in the jobs h(x) = a·log(1 + bx) that a server does with power x" above:"0" max:"1e6"`
	Rate             float64 `name:"rate" doc:"b in the jobs h(x) = a·log(1 + bx)" above:"0" max:"1e6"`
	Jobs             float64 `name:"jobs" doc:"mean number of jobs that come in a round" above:"0" max:"1e6"`
	Price            float64 `name:"price" doc:"mean price of power" min:"0" max:"1e6"`
	Swing            float64 `name:"swing" doc:"amplitude of the periodic part of a zone's price" min:"0" max:"1e6"`
	Period           int     `name:"period" doc:"rounds of a period: 288 rounds of five minutes are a day" min:"1" max:"1000000"`
	Correlation      float64 `name:"correlation" doc:"ρ of the autoregressive noise of a zone's price" min:"0" below:"1"`
	Noise            float64 `name:"noise" doc:"standard deviation of the innovations of this noise" min:"0" max:"1e6"`
	SpikeProbability float64 `name:"spike-probability" doc:"probability that the price of a zone in a round is multiplied by spike" min:"0" max:"1"`
	Spike            float64 `name:"spike" doc:"factor of the price in such a round" min:"1" max:"1000"`
	Floor            float64 `name:"floor" doc:"the lowest price" min:"0" max:"1e6"`
	Ceiling          float64 `name:"ceiling" doc:"the highest price, as in electricity markets" above:"0" max:"1e9"`
}

// Validate implements the check across parameters of package spec.
func (p JobSchedulingParams) Validate() error {
	switch {
	case p.Zones > p.Servers:
		return fmt.Errorf("zones %d is more than servers %d: lower zones, or raise servers", p.Zones,
			p.Servers)
	case p.Floor > p.Ceiling:
		return fmt.Errorf("floor %v is more than ceiling %v: lower floor, or raise ceiling", p.Floor,
			p.Ceiling)
	}
	return nil
}

// jobStream draws the prices of the zones and the number of jobs in every round. The constraint is
// one basis plus that number.
type jobStream struct {
	Instance
	p           JobSchedulingParams
	rng         *rand.Rand
	zone        []int     // of each server, from 0
	phases      []float64 // of the periodic part of the price, by zone
	noise       []float64 // a, the autoregressive noise, by zone
	price       []float64 // c, by zone
	jobs        *poisson
	cost        []float64     // c, by server
	minusServed *convex.Basis // −Σ_i h(x_i), minus the jobs that are done
	loss        convex.Affine
	shifted     convex.Shifted
}

// newJobScheduling draws the phases and the initial noise of the prices, and returns the stream at
// round 1.
func newJobScheduling(p JobSchedulingParams, rng *rand.Rand) (Stream, error) {
	n := p.Servers
	set := convex.Cube(n, 0, p.Power)
	jobs := newPoisson(p.Jobs)
	least, most := jobs.support()
	fullPower := float64(float64(n) * p.Gain * vec.Log(1+float64(p.Rate*p.Power)))
	s := &jobStream{
		Instance: Instance{
			Domain: set,
			M:      1,
			Declared: convex.Facts{
				LossLipschitz:       p.Ceiling * math.Sqrt(float64(n)),
				LossRange:           p.Ceiling * p.Power * float64(n),
				ConstraintLipschitz: p.Gain * p.Rate * math.Sqrt(float64(n)),
				ConstraintBound:     max(most, fullPower-least),
				Diameter:            set.Diameter(),
				Slater:              max(0, fullPower-most),
				Feasible:            fullPower >= most,
				Perturbed:           true,
				IID:                 true,
			},
		},
		p:     p,
		rng:   rng,
		noise: make([]float64, p.Zones),
		price: make([]float64, p.Zones),
		jobs:  jobs,
		cost:  make([]float64, n),
		minusServed: convex.NewBasis(&convex.Separable{
			Curve: convex.NegLog{}, Weight: p.Gain, Rate: slices.Repeat([]float64{p.Rate}, n), Offset: 1,
		}),
	}
	for i := range n {
		s.zone = append(s.zone, i*p.Zones/n)
	}
	equilibrium := p.Noise / math.Sqrt(1-float64(p.Correlation*p.Correlation))
	for z := range p.Zones {
		s.phases = append(s.phases, uniform(rng, 0, 2*math.Pi))
		s.noise[z] = equilibrium * normal(rng)
	}
	s.share(s.minusServed)
	s.Round = convex.Round{Loss: &s.loss, Constraints: []convex.Func{&s.shifted}}
	return s, nil
}

// Expectation implements [Expecter].
func (s *jobStream) Expectation() []convex.Func {
	return []convex.Func{&convex.Shifted{Base: s.minusServed, Shift: s.p.Jobs}}
}

// Reveal implements [Stream].
func (s *jobStream) Reveal(t int, _ []float64) *convex.Round {
	p := &s.p
	angle := float64(2 * math.Pi * float64(t%p.Period) / float64(p.Period))
	for z := range s.price {
		s.noise[z] = float64(p.Correlation*s.noise[z]) + float64(p.Noise*normal(s.rng))
		c := p.Price + float64(p.Swing*vec.Sin(angle+s.phases[z])) + s.noise[z]
		if s.rng.Float64() < p.SpikeProbability {
			c *= p.Spike
		}
		s.price[z] = min(max(c, p.Floor), p.Ceiling)
	}
	for i, z := range s.zone {
		s.cost[i] = s.price[z]
	}
	s.loss = convex.Affine{A: s.cost}
	s.shifted = convex.Shifted{Base: s.minusServed, Shift: s.jobs.draw(s.rng)}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}

// poisson is a Poisson distribution, drawn by inversion.
type poisson struct {
	first      float64   // the least value
	cumulative []float64 // Σ_{k ≤ first+i} p_k, times a constant
}

// newPoisson returns the distribution with this mean. It computes the probabilities from the mode
// outwards, by p_k/p_{k−1} = mean/k.
func newPoisson(mean float64) *poisson {
	const negligible = 1e-18 // far below the rounding of a cumulative sum
	mode := math.Floor(mean)
	var left, right []float64
	for k, p := mode, 1.0; p > negligible; k++ {
		right = append(right, p)
		p *= mean / (k + 1)
	}
	for k, p := mode, mode/mean; p > negligible; k-- {
		left = append(left, p)
		p *= (k - 1) / mean
	}
	slices.Reverse(left)
	d := &poisson{first: mode - float64(len(left))}
	sum := 0.0
	for _, p := range append(left, right...) {
		sum += p
		d.cumulative = append(d.cumulative, sum)
	}
	return d
}

// support returns the least and the largest number that can be drawn.
func (d *poisson) support() (least, most float64) {
	return d.first, d.first + float64(len(d.cumulative)-1)
}

// draw returns a number of jobs.
func (d *poisson) draw(rng *rand.Rand) float64 {
	u := rng.Float64() * d.cumulative[len(d.cumulative)-1]
	i := sort.Search(len(d.cumulative)-1, func(i int) bool { return u < d.cumulative[i] })
	return d.first + float64(i)
}
