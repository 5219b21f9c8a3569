package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var familiesDefaults = Families{Constraints: 1, Functions: 3, Kind: "affine", Slack: 0.25,
	Margin: 0.1, Spread: 0.5}

// Families are the parameters of constraints that come from families: constraint j of a round
// is one function of a family a_{j,1}, …, a_{j,K}, the same objects in all rounds; see
// [familiesDefinition]. The average of the family is
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

// validate checks what the ranges of the single parameters do not.
func (p Families) validate() error {
	if p.Margin > p.Slack {
		return fmt.Errorf("margin %v is more than slack %v: the worst function cannot be better than "+
			"the mean; raise slack or lower margin", p.Margin, p.Slack)
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

// familyStream reveals one function of each family in every round, and draws a loss.
type familyStream struct {
	Instance
	rng      *rand.Rand
	losses   *losses
	families [][]convex.Func // the functions a_{j,k} of constraint j
	laws     []familyLaw     // of constraint j
}

// familyLaw chooses one function of a family in every round.
type familyLaw struct {
	freq  []float64       // the frequencies p_k of the functions
	index func(t int) int // the index k in round t, from 0; called once for t = 1, 2, 3, … in turn
}

// newFamilyStream draws the families of a stream, one for each constraint, each with a new law.
func newFamilyStream(p Families, domain Space, l Losses, newLaw func() familyLaw,
	rng *rand.Rand) (*familyStream, error) {
	space, err := domain.newSpace()
	if err != nil {
		return nil, err
	}
	drift := space.drawDirection(rng)
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
		law := newLaw()
		funcs, err := s.drawFamily(p, space, domain.Radius, law.freq, space.drawNear(drift, rng))
		if err != nil {
			return nil, err
		}
		s.families, s.laws = append(s.families, funcs), append(s.laws, law)
	}
	s.Declared.Feasible = p.Margin >= 0 || s.feasible(space, drift)
	return s, nil
}

// feasible reports whether every round is shown to have a feasible action. With a single
// constraint it tries, for each function, the point of the domain that is farthest against
// the slope of the function at the centre z. With several constraints it tries z − h·d.
func (s *familyStream) feasible(space space, drift []float64) bool {
	if len(s.families) > 1 {
		x := space.pointBehind(drift)
		return !slices.ContainsFunc(s.families,
			func(fs []convex.Func) bool { return !allAtMost(fs, x, 0) })
	}
	slope, x := make([]float64, space.n), make([]float64, space.n)
	return !slices.ContainsFunc(s.families[0], func(f convex.Func) bool {
		f.Subgrad(slope, space.center)
		vec.Scale(slope, -1)
		space.set.Support(x, slope)
		return f.Value(x) > 0
	})
}

// drawFamily draws the functions of one family with the given frequencies and mean slope, and adds
// their bounds to the facts.
func (s *familyStream) drawFamily(p Families, space space, radius float64, freq,
	slope []float64) ([]convex.Func, error) {
	us, mean := make([][]float64, len(freq)), make([]float64, space.n)
	for k, f := range freq {
		us[k] = make([]float64, space.n)
		for i := range us[k] {
			us[k][i] = centredUniform(s.rng)
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
	for j, law := range s.laws {
		s.Round.Constraints[j] = s.families[j][law.index(t)]
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
			f.AddTo(form, s.laws[j].freq[k])
		}
		means[j] = form
	}
	return means
}
