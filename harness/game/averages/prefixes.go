package averages

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Prefixes evaluates the largest of the averages of one constraint from round s on,
//
//	P(x) = max_{s≤τ≤t} (1/τ) Σ_{i≤τ} g_i(x),
//
// for a constraint whose sums have as many terms as rounds: one evaluation adds up t functions,
// while evaluating all sums one by one would add up t²/2. Each round that is added changes P
// itself, so that a program with the constraint P ≤ 0 needs no other constraint for it.
type Prefixes struct {
	first       *convex.Form   // Σ_{i≤s} g_i
	firstRounds int            // s
	rounds      []*convex.Form // g_{s+1}, …
	grad        []float64
}

// NewPrefixes begins with the sum of the first s rounds.
func NewPrefixes(sum *convex.Form, s int) *Prefixes {
	return &Prefixes{first: sum.Clone(), firstRounds: s, grad: make([]float64, sum.Dim())}
}

// Add adds the constraint of the next round.
func (p *Prefixes) Add(g *convex.Form) {
	if n := len(p.rounds); n > 0 && p.rounds[n-1].Equal(g) {
		p.rounds = append(p.rounds, p.rounds[n-1])
		return
	}
	p.rounds = append(p.rounds, g.Clone())
}

// largestPrefix returns P(x) and the number of rounds of the first prefix that attains it.
func (p *Prefixes) largestPrefix(x []float64) (value float64, rounds int) {
	sum := p.first.Value(x)
	value, rounds = sum/float64(p.firstRounds), p.firstRounds
	for k, g := range p.rounds {
		sum += g.Value(x)
		if v := sum / float64(p.firstRounds+k+1); v > value || math.IsNaN(v) {
			value, rounds = v, p.firstRounds+k+1
		}
	}
	return value, rounds
}

// Value implements [convex.Evaluator].
func (p *Prefixes) Value(x []float64) float64 {
	v, _ := p.largestPrefix(x)
	return v
}

// Subgrad implements [convex.Evaluator].
func (p *Prefixes) Subgrad(dst, x []float64) {
	_, rounds := p.largestPrefix(x)
	p.first.Subgrad(dst, x)
	for _, g := range p.rounds[:rounds-p.firstRounds] {
		g.Subgrad(p.grad, x)
		vec.Axpy(dst, 1, p.grad)
	}
	vec.Scale(dst, 1/float64(rounds))
}

// Kinked implements [convex.Kinked].
func (p *Prefixes) Kinked() {}

// Constraint returns P as a form, for a program.
func (p *Prefixes) Constraint() *convex.Form {
	return &convex.Form{Lin: slices.Repeat([]float64{0}, p.first.Dim()),
		Terms: []convex.Term{{Basis: convex.NewBasis(p), Scale: 1}}}
}
