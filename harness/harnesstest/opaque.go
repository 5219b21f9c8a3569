package harnesstest

import (
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// OpaqueStream has the rounds of another stream, but hides the form of its functions: they can be
// evaluated only, one by one or, by [problems.Evaluator], in sums.
type OpaqueStream struct {
	problems.Stream
	Passes int     // calls of Evaluate that pass over rounds, not for single rounds alone
	Rounds float64 // rounds that these calls evaluated, together

	// HideRounds leaves out the rounds in which maxima are reached.
	HideRounds bool

	rounds []convex.Round
}

// Facts implements [problems.Stream].
func (o *OpaqueStream) Facts() convex.Facts {
	f := o.Stream.Facts()
	f.Opaque = true
	return f
}

// hidden marks a function as opaque.
type hidden struct{ *convex.Basis }

// Opaque implements [problems.Opaque].
func (hidden) Opaque() {}

// values keeps of a function only the methods that evaluate it: the basis of a convex.Func could be
// expanded into its normal form.
type values struct{ convex.Evaluator }

// Reveal implements [problems.Stream].
func (o *OpaqueStream) Reveal(t int, x []float64) *convex.Round {
	r := o.Stream.Reveal(t, x)
	hide := func(f convex.Func) convex.Func {
		return hidden{convex.NewBasis(values{convex.Lower(f, o.Set().Dim())})}
	}
	kept := convex.Round{Loss: hide(r.Loss)}
	for _, g := range r.Constraints {
		kept.Constraints = append(kept.Constraints, hide(g))
	}
	o.rounds = append(o.rounds, kept)
	// A learner may change the list that it gets.
	return &convex.Round{Loss: kept.Loss, Constraints: slices.Clone(kept.Constraints)}
}

// Evaluate implements [problems.Evaluator].
func (o *OpaqueStream) Evaluate(rounds, single []int, x []float64) (all []problems.Sums,
	ofSingle [][]problems.Oracle, err error) {
	n, m := len(x), o.Constraints()
	for _, t := range single {
		var list []problems.Oracle
		for _, f := range o.rounds[t-1].Constraints {
			g := make([]float64, n)
			f.Subgrad(g, x)
			list = append(list, problems.Oracle{Value: f.Value(x), Subgradient: g})
		}
		ofSingle = append(ofSingle, list)
	}
	if len(rounds) == 0 {
		return nil, ofSingle, nil
	}
	o.Passes++
	o.Rounds += float64(rounds[len(rounds)-1])
	g := make([]float64, n)
	newOracles := func() []problems.Oracle {
		list := make([]problems.Oracle, m)
		for j := range list {
			list[j].Subgradient = make([]float64, n)
		}
		return list
	}
	sums := problems.Sums{Loss: problems.Oracle{Subgradient: make([]float64, n)}, Total: newOracles(),
		Largest: newOracles(), Prefix: newOracles()}
	add := func(sum *problems.Oracle, f convex.Func) {
		f.Subgrad(g, x)
		sum.Value += f.Value(x)
		vec.Axpy(sum.Subgradient, 1, g)
	}
	for t, r := range o.rounds[:rounds[len(rounds)-1]] {
		add(&sums.Loss, r.Loss)
		for j, f := range r.Constraints {
			add(&sums.Total[j], f)
			if v := f.Value(x); t == 0 || v > sums.Largest[j].Value {
				sums.Largest[j].Value = v
				if !o.HideRounds {
					sums.Largest[j].Round = t + 1
				}
				copy(sums.Largest[j].Subgradient, g)
			}
			if t == 0 || sums.Total[j].Value > sums.Prefix[j].Value {
				sums.Prefix[j].Value = sums.Total[j].Value
				if !o.HideRounds {
					sums.Prefix[j].Round = t + 1
				}
				copy(sums.Prefix[j].Subgradient, sums.Total[j].Subgradient)
			}
		}
		if t+1 == rounds[len(all)] {
			all = append(all, problems.Sums{Loss: clone(sums.Loss), Total: cloneAll(sums.Total),
				Largest: cloneAll(sums.Largest), Prefix: cloneAll(sums.Prefix)})
		}
	}
	return all, ofSingle, nil
}

// clone returns a copy that shares nothing.
func clone(o problems.Oracle) problems.Oracle {
	o.Subgradient = slices.Clone(o.Subgradient)
	return o
}

// cloneAll returns copies that share nothing.
func cloneAll(list []problems.Oracle) (copies []problems.Oracle) {
	for _, o := range list {
		copies = append(copies, clone(o))
	}
	return copies
}

// Expectation implements [problems.Expecter]. Expected constraints are not hidden.
func (o *OpaqueStream) Expectation() []convex.Func {
	if e, ok := o.Stream.(problems.Expecter); ok {
		return e.Expectation()
	}
	return nil
}
