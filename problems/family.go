package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var family = Problem{
	Name:  "family",
	Title: "Converging family",
	Doc: "each constraint is one of K functions, drawn so that frequencies converge at a " +
		"chosen rate, or i.i.d.",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Families Of " +
		"Constraints; Yu, Neely, Wei, Online convex optimization with stochastic constraints, NeurIPS " +
		"2017, for draw=iid",
	Definition: slices.Concat(spaceDefinition, familiesDefinition, []string{
		"The $p_k$ are proportional to uniform draws from $[½, 3/2]$. By draw, $k$ is in round $t$",
		"iid: drawn with probability $p_k$, independently;",
		"balanced: the function that is farthest behind $p_k(t + w_k s_t)$, the number of its rounds " +
			"to be, with",
		"$s_t = A·t^{1−r}sin(ω·log t + φ),  r = rate,  ω = 2π/log 10,  A = 1/√(1 + ω²),$",
		"$φ$ uniform on $[0, 2π)$ and $w_k = v_k/max{1, max_i |v_i|}$.",
	}, lossesDefinition),
	Version: 1,
	Params: FamilyParams{
		Space:    Space{Dim: 2, Set: "box", Radius: 1},
		Families: familiesDefaults,
		Draw:     "balanced",
		Rate:     0.5,
		Losses:   Losses{LossNoise: 1},
	},
	New: Typed(newFamily),
}

var familiesDefaults = Families{Constraints: 1, Functions: 3, Kind: "affine", Slack: 0.25,
	Margin: 0.1, Spread: 0.5}

// FamilyParams are the parameters of family. Call the difference between the target
// p_k·(t + w_k·s_t) of a balanced family and the number of times that function k was revealed
// its deficit. With this A, and one period a decade, a
// round adds K amounts ≥ 0 of sum 1 to the deficits, and subtracts 1 from the
// largest. Then no deficit exceeds 1/2 + … + 1/K at the end of a round (the
// average of any j deficits is at most 1/(j+1) + … + 1/K, by induction), and
// all are above −1. So with p_{k,t} the frequency of function k so far,
//
//	p_{k,t} = p_k + p_k·w_k·A·sin(ω·log t + φ)·t^{−r} + ε,   −(1/2 + … + 1/K)/t ≤ ε < 1/t:
//
// the rate t^{−r} is attained twice in a period. With r = 1 both terms are of
// the order 1/t, as in the problem periodic. The paper's condition (|p_{k,t} −
// p_k| ≤ ε/√t from some round on) is met with r = 1/2 if it is read as "for
// some ε". If it is read as it is written, "for ε > 0", it needs r > 1/2.
// Independent draws do not meet it for any ε: by the law of the iterated
// logarithm, |p_{k,t} − p_k|·√t exceeds (1−δ)√(2p_k(1−p_k)·log log t)
// infinitely often, for every δ > 0.
//
// The regret against X^max has this rate. With dim=1, slack=0.5, margin=0.05 the
// regret of penalised-ftrl, in the mean of eight instances, is at t = 10³, 10⁴, 10⁵
//
//	rate=0.1     49   343   2676        rate=0.5    19   45   125
//	rate=0.25    32   147    791        rate=1      16   21    27
//
// about t^{1−r}, while its penalty violation is bounded. The regret against
// X̂^max is negative and linear at all rates. The paper says that X̂^max is the
// limit of X^max, which is wrong: the first prefixes, of which the first is a
// single function, make it smaller, and with a negative margin it may be empty.
type FamilyParams struct {
	Space
	Families
	Draw string  `name:"draw" doc:"balanced: frequencies converge at the rate t^(−rate), no faster and no slower; iid: independent draws, whose rate is √(log log t/t)" enum:"balanced,iid"`
	Rate float64 `name:"rate" doc:"r of |p_t − p| ~ t^(−r), for draw=balanced; the paper's theory asks for 1/2 or more" above:"0" max:"1"`
	Losses
}

// Validate implements the check across parameters of package spec.
func (p FamilyParams) Validate() error {
	if _, err := p.Space.new(); err != nil {
		return err
	}
	return p.Families.validate()
}

// newFamily starts a stream with these parameters.
func newFamily(p FamilyParams, rng *rand.Rand) (Stream, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var start func() ([]float64, func(int) int)
	switch p.Draw {
	case "iid":
		start = func() ([]float64, func(int) int) {
			freq := drawFrequencies(p.Functions, rng)
			return freq, func(int) int { return drawCategory(freq, rng) }
		}
	case "balanced":
		start = func() ([]float64, func(int) int) {
			freq := drawFrequencies(p.Functions, rng)
			return freq, balancedIndices(freq, p.Rate, uniform(rng, 0, 2*math.Pi))
		}
	default:
		return nil, fmt.Errorf("draw: unknown value %q (expected one of balanced, iid)", p.Draw)
	}
	s, err := newFamilyStream(p.Families, p.Space, p.Losses, start, rng)
	if err != nil {
		return nil, err
	}
	s.Declared.IID = p.Draw == "iid" || s.Declared.Fixed
	return s, nil
}

// drawFrequencies draws K frequencies.
func drawFrequencies(k int, rng *rand.Rand) []float64 {
	freq := make([]float64, k)
	for i := range freq {
		freq[i] = uniform(rng, 0.5, 1.5)
	}
	vec.Scale(freq, 1/vec.Sum(freq))
	return freq
}

// drawCategory draws k with probability freq[k].
func drawCategory(freq []float64, rng *rand.Rand) int {
	u, last := rng.Float64(), len(freq)-1 // the last one takes what rounding leaves
	for k, p := range freq[:last] {
		if u < p {
			return k
		}
		u -= p
	}
	return last
}

// balancedIndices returns a function that returns, called for rounds 1, 2, … in turn, the index
// with the largest deficit, as [FamilyParams] describes.
func balancedIndices(freq []float64, rate, phase float64) func(t int) int {
	const omega = 2 * math.Pi / math.Ln10
	weights := centredOffsets(freq)
	vec.Scale(weights, 1/math.Max(1, -weights[len(weights)-1])) // from 1 down to at least −1
	count := make([]float64, len(freq))
	amplitude := 1 / math.Sqrt(1+omega*omega)
	return func(t int) int {
		n := float64(t)
		shift := amplitude * vec.Pow(n, 1-rate) * vec.Sin(float64(omega*vec.Log(n))+phase)
		next, deficit := 0, math.Inf(-1)
		for k, p := range freq {
			if d := float64(p*(n+float64(weights[k]*shift))) - count[k]; d > deficit {
				next, deficit = k, d
			}
		}
		count[next]++
		return next
	}
}

// Families are the parameters of constraints that come from families: constraint j of a round
// is one function of a family a_{j,1}, …, a_{j,K}, the same objects in all rounds; see
// [familiesDefinition]. The average of the
// family is
//
//	Σ_k p_k·a_k(x) = ā·(x−z) − slack  [ + ½(x−z)ᵀ(Σ p_k·Q_k)(x−z) ].
//
// X^max tends to the set where this average is ≤ 0, whose boundary is inside
// the domain in the direction of the drift if slack < h/√2 (h as in [Shapes]).
// With margin > 0, the centre z is in X^min. With margin < 0, X^min may be
// empty. Every round is then declared to be feasible where z − h·d satisfies all functions
// or, with one constraint, each function is satisfied by the point of D that is farthest
// against its slope at z.
type Families struct {
	Constraints int     `name:"constraints" doc:"number of constraints m, each drawn from a family of its own" min:"1" max:"1000"`
	Functions   int     `name:"functions" doc:"number K of functions of a family" min:"2" max:"1000"`
	Kind        string  `name:"kind" doc:"of the functions: affine, or that plus a convex quadratic form" enum:"affine,quadratic"`
	Slack       float64 `name:"slack" doc:"on average over the family, the centre z of the domain has Σ_k p_k·a_k(z) = −slack" above:"0" max:"1e6"`
	Margin      float64 `name:"margin" doc:"the worst function has a_1(z) = −margin; at most slack, where all have; below 0, X^min may be empty" min:"-1e6" max:"1e6"`
	Spread      float64 `name:"spread" doc:"size, in each coordinate, of the differences between the slopes of a family, whose mean has length 1" min:"0" max:"1e6"`
}

// validate checks what the ranges of single parameters do not.
func (p Families) validate() error {
	switch {
	case p.Margin > p.Slack:
		return fmt.Errorf("margin %v is more than slack %v: the worst function cannot be better than "+
			"the mean; raise slack or lower margin", p.Margin, p.Slack)
	case p.Kind != "affine" && p.Kind != "quadratic":
		return fmt.Errorf("kind: unknown value %q (expected one of affine, quadratic)", p.Kind)
	}
	return nil
}

// familiesDefinition states the constraints of [Families].
var familiesDefinition = []string{
	"$g_{t,j} = a_{j,k}$: each of $m = constraints$ constraints has $K = functions$ functions, " +
		"drawn once, with frequencies $p_k$, and",
	"$a_{j,k}(x) = (ā_j + spread·u_k)·(x − z) − slack + (slack − margin)v_k$",
	"with $ā_j$ near $d$ and $u_k$ uniform on $[−1, 1]^n$, less $Σ_i p_i u_i$; $v_1 = 1$, the " +
		"$v_k$ fall in equal steps and $Σ_k p_k v_k = 0$. kind = quadratic (in place of affine) adds " +
		"$½(x − z)ᵀQ_k(x − z)$, with $Q_k$ the mean of $u uᵀ/R$ over $n$ draws $u$ as of $d$.",
}

// familyStream reveals the rounds of one instance, those of a seed.
type familyStream struct {
	Instance
	rng      *rand.Rand
	losses   *losses
	families [][]convex.Func   // the functions a_{j,k} of constraint j
	freq     [][]float64       // their frequencies p_k
	index    []func(t int) int // the index k of constraint j in round t
}

// newFamilyStream makes the families of a stream. For each constraint, start
// returns the frequencies of the functions, and the function of their indices
// by round.
func newFamilyStream(p Families, domain Space, l Losses, start func() ([]float64, func(t int) int),
	rng *rand.Rand) (*familyStream, error) {
	space, err := domain.new()
	if err != nil {
		return nil, err
	}
	drift := space.direction(rng)
	parallel := p.Kind == "affine" && p.Spread == 0
	s := &familyStream{
		Instance: Instance{
			Domain: space.set,
			M:      p.Constraints,
			Declared: convex.Facts{
				Diameter: space.set.Diameter(), Slater: max(0, p.Margin),
				Affine: p.Kind == "affine", Perturbed: parallel, Fixed: parallel && p.Margin == p.Slack,
			},
			Round: convex.Round{Constraints: make([]convex.Func, p.Constraints)},
		},
		rng:    rng,
		losses: newLosses(l, space, domain.Radius, drift),
	}
	l.declare(&s.Declared, space, domain.Radius)
	for range p.Constraints {
		freq, index := start()
		funcs, err := s.newFamily(p, space, domain.Radius, freq, space.near(drift, rng))
		if err != nil {
			return nil, err
		}
		s.families, s.freq, s.index = append(s.families, funcs), append(s.freq, freq),
			append(s.index, index)
	}
	s.Declared.Feasible = p.Margin >= 0 || s.feasible(space, drift)
	return s, nil
}

// feasible reports whether every round is shown to have a feasible action. With a single
// constraint it tries, for each function, the point of the domain that is farthest against
// the slope of the function at the centre z. With several constraints it tries z − h·d.
func (s *familyStream) feasible(space space, drift []float64) bool {
	if len(s.families) > 1 {
		x := space.behind(drift)
		return !slices.ContainsFunc(s.families,
			func(fs []convex.Func) bool { return !satisfied(fs, x, 0) })
	}
	slope, x := make([]float64, space.n), make([]float64, space.n)
	return !slices.ContainsFunc(s.families[0], func(f convex.Func) bool {
		f.Subgrad(slope, space.center)
		vec.Scale(slope, -1)
		space.set.Support(x, slope)
		return f.Value(x) > 0
	})
}

// newFamily makes the functions of one family with the given mean slope, and adds
// their bounds to the facts.
func (s *familyStream) newFamily(p Families, space space, radius float64, freq,
	slope []float64) ([]convex.Func, error) {
	us, mean := make([][]float64, len(freq)), make([]float64, space.n)
	for k, f := range freq {
		us[k] = make([]float64, space.n)
		for i := range us[k] {
			us[k][i] = centred(s.rng)
		}
		vec.Axpy(mean, f, us[k])
	}
	funcs := make([]convex.Func, len(freq))
	for k, v := range centredOffsets(freq) {
		a := us[k]
		for i, u := range a {
			a[i] = slope[i] + float64(p.Spread*(u-mean[i]))
		}
		length, margin := vec.Norm(a), p.Slack-float64((p.Slack-p.Margin)*v)
		f, excess, err := newShape(p.Kind, space, radius, a, margin, s.rng)
		if err != nil {
			return nil, err
		}
		funcs[k] = f
		s.share(f)
		s.Declared.ConstraintLipschitz = max(s.Declared.ConstraintLipschitz, length+excess)
		s.Declared.ConstraintBound = max(s.Declared.ConstraintBound,
			math.Abs(margin)+float64((length+excess)*space.reach))
	}
	return funcs, nil
}

// centredOffsets returns v_1, …, v_K in equal steps, with v_1 = 1 and Σ p_k·v_k = 0.
func centredOffsets(freq []float64) []float64 {
	v := make([]float64, len(freq))
	for k := range v {
		v[k] = 1 - float64(2*float64(k))/float64(len(v)-1)
	}
	mean := vec.Dot(freq, v)
	for k := range v {
		v[k] = (v[k] - mean) / (1 - mean)
	}
	return v
}

// Reveal implements [Stream].
func (s *familyStream) Reveal(t int, _ []float64) *convex.Round {
	for j, index := range s.index {
		s.Round.Constraints[j] = s.families[j][index(t)]
	}
	return s.Show(s.losses.draw(s.rng), s.Round.Constraints)
}

// Expectation implements [Expecter]: Σ_k p_k·a_{j,k}, which is E g_{t,j} if
// indices are drawn independently, and otherwise the limit of the averages.
func (s *familyStream) Expectation() []convex.Func {
	means := make([]convex.Func, len(s.families))
	for j, funcs := range s.families {
		form := convex.NewForm(s.Domain.Dim())
		for k, f := range funcs {
			f.AddTo(form, s.freq[j][k])
		}
		means[j] = form
	}
	return means
}
