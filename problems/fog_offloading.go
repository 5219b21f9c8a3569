package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var fogOffloading = Problem{
	Name:  "fog-offloading",
	Title: "Fog offloading",
	Doc: "fog nodes on a ring that send work to the cloud at an exponential price, to their " +
		"neighbours, or do it themselves, under a periodic demand",
	Reference: "Chen, Giannakis, Bandit convex optimization for scalable and dynamic IoT " +
		"management, IEEE Internet of Things Journal 6, 2019, the experiment; synthetic data",
	Definition: []string{
		"Nodes $n = 1, …, N$ are a ring, $N = nodes$. $D$ is a box, $x = (z, v, w, y) ≥ 0$: " +
			"$z_n ≤ Z = cloud$, the work that node $n$ sends to the cloud; $v_n$ and $w_n ≤ link$, to " +
			"nodes $n − 1$ and $n + 1$; $y_n ≤ local$, what it does itself.",
		"$f_t(x) = Σ_n (e^{q_{t,n}z_n/Z} + α_n v_n + α'_n w_n + ℓ_n y_n²)$",
		"$g_{t,n}(x) = b_{t,n} + w_{n−1} + v_{n+1} − v_n − w_n − z_n − y_n$",
		"with $α_n$ and $α'_n$ uniform on link-cost·$[½, 3/2]$, $ℓ_n$ on local-cost·$[½, 3/2]$, " +
			"drawn once;",
		"$q_{t,n} = exponent + exponent-swing·sin(2πt/period + φ_n) + exponent-noise·u_{t,n},$",
		"rounded to a multiple of tick;",
		"$b_{t,n} = demand + demand-swing·sin(2πt/period + ψ_n) + demand-noise·u'_{t,n},$",
		"with phases $φ_n$ and $ψ_n$ uniform on $[0, 2π)$, $u_{t,n}$ and $u'_{t,n}$ on $[−1, 1]$, " +
			"all independent.",
	},
	Version: 1,
	Params: FogOffloadingParams{
		Nodes: 10, Cloud: 100, Link: 10, Local: 50,
		Exponent: 5, ExponentSwing: 1, ExponentNoise: 0.5, Tick: 0.1,
		LinkCost: 0.5, LocalCost: 0.1,
		Demand: 60, DemandSwing: 30, DemandNoise: 10, Period: 96,
	},
	New: Typed(newFogOffloading),
}

// FogOffloadingParams are the parameters of fog-offloading.
//
// The paper has e^{p z} with z up to 100. Here p = q/Z, so that a full link to
// the cloud costs e^q whatever the unit of work: with the defaults q is between
// 3.5 and 6.5, that is p between 0.035 and 0.065, and a full link costs between
// 33 and 665. The largest cost that parameters allow, e^40, is far from overflow.
//
// The demand is at most b̄ = demand + demand-swing + demand-noise. If the cloud
// and the nodes work at full capacity, every constraint holds with the margin Z
// + local − b̄.
//
// The constraints are affine functions plus numbers. The losses have one basis
// for each node and tick, 310 with the defaults, so that the sums of
// penalised-ftrl and of hindsight stop growing: a round takes 0.2 ms and a set
// 1 ms up to T = 5000, with certified gaps of 10⁻¹⁴ of the value.
type FogOffloadingParams struct {
	Nodes         int     `name:"nodes" doc:"number of nodes N on the ring; the dimension is 4N, and there are N constraints" min:"3" max:"250"`
	Cloud         float64 `name:"cloud" doc:"the most that a node sends to the cloud, Z" above:"0" max:"1e6"`
	Link          float64 `name:"link" doc:"the most that a node sends to a neighbour" above:"0" max:"1e6"`
	Local         float64 `name:"local" doc:"the most that a node does itself" above:"0" max:"1e6"`
	Exponent      float64 `name:"exponent" doc:"mean of the exponents q: sending z to the cloud costs e^(qz/Z)" above:"0" max:"20"`
	ExponentSwing float64 `name:"exponent-swing" doc:"amplitude of the periodic part of q" min:"0" max:"20"`
	ExponentNoise float64 `name:"exponent-noise" doc:"q has a uniform noise of this size" min:"0" max:"20"`
	Tick          float64 `name:"tick" doc:"q is rounded to a multiple of this; the range of q may be 1000 ticks wide" min:"1e-6" max:"20"`
	LinkCost      float64 `name:"link-cost" doc:"mean cost ℓ of a unit sent to a neighbour; that of each link is within 50 % of it" min:"0" max:"1e6"`
	LocalCost     float64 `name:"local-cost" doc:"mean of the ℓ in the cost ℓy² of work y done by the node; that of each node is within 50 % of it" min:"0" max:"1e6"`
	Demand        float64 `name:"demand" doc:"mean of the work that comes to a node" min:"0" max:"1e6"`
	DemandSwing   float64 `name:"demand-swing" doc:"amplitude of the periodic part of the demand" min:"0" max:"1e6"`
	DemandNoise   float64 `name:"demand-noise" doc:"the demand has a uniform noise of this size" min:"0" max:"1e6"`
	Period        int     `name:"period" doc:"rounds of a period" min:"1" max:"1000000"`
}

// tickRange returns the least and the largest q that can be drawn, in ticks.
func (p FogOffloadingParams) tickRange() (least, most int) {
	reach := p.ExponentSwing + p.ExponentNoise
	return p.ticks(p.Exponent - reach), p.ticks(p.Exponent + reach)
}

// ticks returns q in ticks, rounded.
func (p FogOffloadingParams) ticks(q float64) int { return int(math.Round(q / p.Tick)) }

// exponentAt returns q = k ticks.
func (p FogOffloadingParams) exponentAt(k int) float64 { return float64(p.Tick * float64(k)) }

// rate returns q/Z, the factor of z in the exponent, for q = k ticks.
func (p FogOffloadingParams) rate(k int) float64 { return p.exponentAt(k) / p.Cloud }

// Validate implements the check across parameters of package spec.
func (p FogOffloadingParams) Validate() error {
	switch least, most := p.tickRange(); {
	case least < 1:
		return fmt.Errorf("exponents are from %v on, and must be positive: lower exponent-swing, "+
			"exponent-noise or tick, or raise exponent", p.exponentAt(least))
	case p.exponentAt(most) > 40:
		return fmt.Errorf("exponents are up to %v, expected at most 40: lower exponent, exponent-swing "+
			"or exponent-noise", p.exponentAt(most))
	case most-least > 1000:
		return fmt.Errorf("there are %d ticks from %v to %v, expected at most 1000: raise tick",
			most-least, p.exponentAt(least), p.exponentAt(most))
	case p.DemandSwing+p.DemandNoise > p.Demand:
		return fmt.Errorf("the demand falls below 0: lower demand-swing or demand-noise, or raise demand")
	}
	return nil
}

// fogStream draws the price and the demand of every node in every round. A constraint is a fixed
// flow g − b plus the demand.
type fogStream struct {
	Instance
	p       FogOffloadingParams
	rng     *rand.Rand
	phases  []float64 // φ, then ψ
	loss    fogLoss
	flows   []*convex.Basis // g − b, by node
	shifted []convex.Shifted
}

// fogLoss is the loss of a round: the exponential prices of the cloud, and the fixed costs of links
// and of local work.
type fogLoss struct {
	cloud convex.Separable
	fixed convex.Quadratic
	links []float64 // ℓᵛ and ℓʷ
	local []float64 // ℓ

	bases [][]*convex.Basis // of the price, by node and tick, made when first needed
	first int               // the first tick
	ticks []int             // of this round, by node
}

// Value implements [convex.Func]; O(N).
func (f *fogLoss) Value(x []float64) float64 {
	n := len(f.local)
	v := f.cloud.Value(x) + vec.Dot(f.links, x[n:3*n])
	for i, y := range x[3*n:] {
		v += float64(f.local[i] * float64(y*y))
	}
	return v
}

// Subgrad implements [convex.Func]; O(N).
func (f *fogLoss) Subgrad(dst, x []float64) {
	n := len(f.local)
	f.cloud.Subgrad(dst, x)
	copy(dst[n:], f.links)
	for i, y := range x[3*n:] {
		dst[3*n+i] = 2 * f.local[i] * y
	}
}

// AddTo implements [convex.Func]; O(N²).
func (f *fogLoss) AddTo(dst *convex.Form, scale float64) {
	f.fixed.AddTo(dst, scale)
	for i := range f.ticks {
		f.priceBasis(i).AddTo(dst, scale)
	}
}

// priceBasis returns the basis of the price e^{qz/Z} that node i pays in this round.
func (f *fogLoss) priceBasis(i int) *convex.Basis {
	return f.priceAt(i, f.ticks[i], f.cloud.Rate[i])
}

// priceAt returns the basis of the price that node i pays with this number of ticks, whose rate is
// q/Z. It makes the basis when it is first needed.
func (f *fogLoss) priceAt(i, tick int, rate float64) *convex.Basis {
	b := &f.bases[i][tick-f.first]
	if *b == nil {
		*b = convex.NewBasis(&convex.Separable{
			Curve: convex.Exp{}, Weight: 1, First: i, Rate: []float64{rate},
		})
	}
	return *b
}

// Describe implements [convex.Describer].
func (f *fogLoss) Describe() convex.Evaluator {
	n := len(f.local)
	c := &convex.Composite{Diag: make([]float64, 4*n)}
	for i, l := range f.local {
		c.Parts = append(c.Parts, convex.Part{Scale: 1, Func: f.priceBasis(i)})
		c.Diag[3*n+i] = 2 * l
	}
	c.Parts = append(c.Parts, convex.Part{Scale: 1, Func: &convex.Linear{First: n, A: f.links}})
	return c
}

// newFogOffloading draws the phases and the fixed costs, and returns the stream at round 1.
func newFogOffloading(p FogOffloadingParams, rng *rand.Rand) (Stream, error) {
	n := p.Nodes
	upper := slices.Concat(slices.Repeat([]float64{p.Cloud}, n), slices.Repeat([]float64{p.Link}, 2*n),
		slices.Repeat([]float64{p.Local}, n))
	set, err := convex.NewBox(make([]float64, 4*n), upper)
	if err != nil {
		return nil, err
	}
	reach := p.DemandSwing + p.DemandNoise
	s := &fogStream{
		Instance: Instance{
			Domain: set,
			M:      n,
			Declared: convex.Facts{
				ConstraintLipschitz: math.Sqrt(6),
				ConstraintBound: max(p.Demand+reach+float64(2*p.Link),
					p.Cloud+p.Local+float64(2*p.Link)-(p.Demand-reach)),
				Diameter: set.Diameter(),
				Slater:   max(0, p.Cloud+p.Local-(p.Demand+reach)),
				Feasible: p.Cloud+p.Local >= p.Demand+reach,
				Affine:   true, Perturbed: true, Fixed: reach == 0, IID: p.DemandSwing == 0,
			},
		},
		p:       p,
		rng:     rng,
		shifted: make([]convex.Shifted, n),
	}
	for range 2 * n {
		s.phases = append(s.phases, uniform(rng, 0, 2*math.Pi))
	}
	s.loss = p.drawLosses(rng)
	s.declareLossFacts()
	s.Round.Loss = &s.loss
	for i := range n {
		before, after := (i+n-1)%n, (i+1)%n
		a := make([]float64, 4*n)
		a[2*n+before], a[n+after] = 1, 1
		a[i], a[n+i], a[2*n+i], a[3*n+i] = -1, -1, -1, -1
		s.flows = append(s.flows, convex.NewBasis(&convex.Affine{A: a}))
		s.shifted[i].Base = s.flows[i]
		s.Round.Constraints = append(s.Round.Constraints, &s.shifted[i])
	}
	return s, nil
}

// drawLosses returns the losses with fixed costs that are drawn, and without prices yet.
func (p FogOffloadingParams) drawLosses(rng *rand.Rand) fogLoss {
	n := p.Nodes
	f := fogLoss{
		cloud: convex.Separable{Curve: convex.Exp{}, Weight: 1, Rate: make([]float64, n)},
		fixed: convex.Quadratic{Q: make([]float64, 16*n*n), A: make([]float64, 4*n)},
		ticks: make([]int, n),
	}
	for range 2 * n {
		f.links = append(f.links, uniform(rng, p.LinkCost/2, p.LinkCost*1.5))
	}
	for range n {
		f.local = append(f.local, uniform(rng, p.LocalCost/2, p.LocalCost*1.5))
	}
	copy(f.fixed.A[n:], f.links)
	for i, l := range f.local {
		k := 3*n + i
		f.fixed.Q[k*4*n+k] = 2 * l
	}
	least, most := p.tickRange()
	f.first = least
	for range n {
		f.bases = append(f.bases, make([]*convex.Basis, most-least+1))
	}
	return f
}

// declareLossFacts adds the range and the Lipschitz constant of the losses to the facts. The prices
// are steepest at the largest exponent.
func (s *fogStream) declareLossFacts() {
	p, n := s.p, float64(s.p.Nodes)
	_, ticks := p.tickRange()
	most := p.exponentAt(ticks)
	steepest := float64(most/p.Cloud) * vec.Exp(most)
	squares := float64(n*float64(steepest*steepest)) + vec.Dot(s.loss.links, s.loss.links)
	s.Declared.LossRange = float64(n*(vec.Exp(most)-1)) + float64(p.Link*vec.Sum(s.loss.links)) +
		float64(float64(p.Local*p.Local)*vec.Sum(s.loss.local))
	for _, l := range s.loss.local {
		slope := 2 * l * p.Local
		squares += float64(slope * slope)
	}
	s.Declared.LossLipschitz = math.Sqrt(squares)
}

// Expectation implements [Expecter] by the limits of the averages, in which the periodic parts
// cancel.
func (s *fogStream) Expectation() []convex.Func {
	var mean []convex.Func
	for _, flow := range s.flows {
		mean = append(mean, &convex.Shifted{Base: flow, Shift: s.p.Demand})
	}
	return mean
}

// Bases implements [Sharer] by the flows, and by the prices of all nodes and ticks.
func (s *fogStream) Bases() []*convex.Basis {
	bases, f := slices.Clone(s.flows), &s.loss
	for i, ticks := range f.bases {
		for k := range ticks {
			bases = append(bases, f.priceAt(i, f.first+k, s.p.rate(f.first+k)))
		}
	}
	return bases
}

// Reveal implements [Stream].
func (s *fogStream) Reveal(t int, _ []float64) *convex.Round {
	p, f := &s.p, &s.loss
	angle := float64(2 * math.Pi * float64(t%p.Period) / float64(p.Period))
	for i := range p.Nodes {
		phi, psi := s.phases[i], s.phases[p.Nodes+i]
		q := p.Exponent + float64(p.ExponentSwing*vec.Sin(angle+phi)) +
			float64(p.ExponentNoise*centredUniform(s.rng))
		f.ticks[i] = min(max(p.ticks(q), f.first), f.first+len(f.bases[i])-1) // for rounding
		f.cloud.Rate[i] = p.rate(f.ticks[i])
		b := p.Demand + float64(p.DemandSwing*vec.Sin(angle+psi)) +
			float64(p.DemandNoise*centredUniform(s.rng))
		s.shifted[i] = convex.Shifted{Base: s.flows[i], Shift: b}
	}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
