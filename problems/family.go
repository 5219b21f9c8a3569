package problems

import (
	"math"
	"math/rand/v2"
	"slices"

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

// FamilyParams are the parameters of family. Call the difference between the target
// p_k·(t + w_k·s_t) of a balanced family and the number of times that function k was revealed
// its deficit. A round adds to the deficits K amounts of sum 1, since Σ_k p_k·w_k = 0. They are
// ≥ 0, since |w_k| ≤ 1 and |s_t − s_{t−1}| ≤ A·√((1−r)² + ω²) ≤ 1 (s_0 = 0). It then subtracts 1
// from the largest deficit. So no deficit exceeds 1/2 + … + 1/K at the end of a round (the
// average of any j deficits is at most 1/(j+1) + … + 1/K, by induction), and
// all are above −1. With p_{k,t} the frequency of function k so far,
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
	if err := p.Space.Validate(); err != nil {
		return err
	}
	return p.Families.validate()
}

// newFamily returns the stream at round 1, whose indices are drawn or balanced.
func newFamily(p FamilyParams, rng *rand.Rand) (Stream, error) {
	// newLaw draws the law of one constraint. newFamilyStream calls it once for each constraint, just
	// before it draws the family.
	newLaw := func() familyLaw {
		freq := drawFrequencies(p.Functions, rng)
		if p.Draw == "iid" {
			return familyLaw{freq, func(int) int { return drawCategory(freq, rng) }}
		}
		return familyLaw{freq, balancedIndices(freq, p.Rate, uniform(rng, 0, 2*math.Pi))}
	}
	s, err := newFamilyStream(p.Families, p.Space, p.Losses, newLaw, rng)
	if err != nil {
		return nil, err
	}
	s.Declared.IID = p.Draw == "iid" || s.Declared.Fixed
	return s, nil
}

// drawFrequencies returns k frequencies that are proportional to uniform draws from [½, 3/2].
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

// balancedIndices returns a function that has to be called for rounds 1, 2, … in turn, and returns
// the index with the largest deficit, as [FamilyParams] describes.
func balancedIndices(freq []float64, rate, phase float64) func(t int) int {
	const omega = decadeFrequency
	weights := centredOffsets(freq) // v_k, of which the largest is v_1 = 1
	vec.Scale(weights, 1/math.Max(1, -slices.Min(weights)))
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
