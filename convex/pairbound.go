package convex

import "slices"

// pairBound is the constraints α_i·φ(x) + β_i·ψ(x) ≤ 0 with α_i, β_i > 0, for two quadratic bases,
// such as the sums of a constraint that is one of two functions in every round. In the units of
// α + β they are (1 − s)φ + sψ ≤ 0, where s = β/(α + β). The constraints with the least and the
// largest s imply all others, which are convex combinations of these two.
//
// In fewer dimensions than pairFrom every constraint is kept by itself, with its bits.
type pairBound struct {
	first, second *Basis
	scales        [][2]float64 // α_i and β_i; none after [Program.Reset], until one is added
	ends          [2]end       // of the least and of the largest s
}

// pairFrom is the number of dimensions from which on constraints of a pair are kept as one. It is
// above the default sizes of all problems: their results keep their bits.
var pairFrom = 64 // tests change it

// end is one of the two constraints that imply the others, as a quadratic form, in the units in
// which it was added.
type end struct {
	share float64 // s
	form  *Form
}

// boundPair keeps f as a constraint of a pair, and reports whether it is one: two positive
// multiples of quadratic bases that are not affine, without a constant.
func (p *Program) boundPair(f *Form) bool {
	if p.n < pairFrom || f.Const != 0 || !f.hasPositiveTerms(2) {
		return false
	}
	a, b := f.Terms[0], f.Terms[1]
	for _, t := range f.Terms {
		if form, ok := t.Basis.expansion(p.n); !ok || form.isAffine() {
			return false
		}
	}
	for _, q := range p.pairs {
		switch {
		case q.first == a.Basis && q.second == b.Basis:
			q.add(a.Scale, b.Scale)
			return true
		case q.first == b.Basis && q.second == a.Basis:
			q.add(b.Scale, a.Scale)
			return true
		}
	}
	q := &pairBound{first: a.Basis, second: b.Basis}
	q.ends[0].form, q.ends[1].form = NewForm(p.n), NewForm(p.n)
	q.add(a.Scale, b.Scale)
	p.pairs = append(p.pairs, q)
	return true
}

// hasPairs reports whether there is a constraint of a pair.
func (p *Program) hasPairs() bool {
	return slices.ContainsFunc(p.pairs, func(q *pairBound) bool { return len(q.scales) > 0 })
}

// add adds the constraint α·φ + β·ψ ≤ 0.
func (q *pairBound) add(alpha, beta float64) {
	share := beta / (alpha + beta)
	for k := range q.ends {
		e := &q.ends[k]
		if len(q.scales) > 0 && (k == 0 && share >= e.share || k == 1 && share <= e.share) {
			continue
		}
		e.share = share
		e.form.Reset()
		for _, t := range []Term{{q.first, alpha}, {q.second, beta}} {
			form, _ := t.Basis.expansion(e.form.Dim())
			form.AddTo(e.form, t.Scale)
		}
	}
	q.scales = append(q.scales, [2]float64{alpha, beta})
}

// tightest returns the constraints that imply the others.
func (q *pairBound) tightest() []*Form {
	switch {
	case len(q.scales) == 0:
		return nil
	case q.ends[0].share == q.ends[1].share:
		return []*Form{q.ends[0].form}
	}
	return []*Form{q.ends[0].form, q.ends[1].form}
}

// residual returns the largest value at x of a constraint of the pair, or 0 if none is positive.
func (q *pairBound) residual(x []float64) (worst float64) {
	if len(q.scales) == 0 {
		return 0
	}
	first, second := q.first.Value(x), q.second.Value(x)
	for _, s := range q.scales {
		worst = max(worst, float64(s[0]*first)+float64(s[1]*second))
	}
	return worst
}
