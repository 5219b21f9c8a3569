package analysis

import (
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/stats"
)

// Standing is how a claim of an algorithm stands over the problems of an experiment
// that meet its assumptions.
type Standing struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Metric    algorithms.Metric `json:"metric"`    // of the claim
	Claim     *algorithms.Claim `json:"claim"`
	// Problems is the number of problems that it is judged on, and the next four
	// are the verdicts on its slopes.
	Problems int `json:"problems"`
	Within   int `json:"within"`
	Above    int `json:"above"`
	Open     int `json:"open"`
	Trivial  int `json:"trivial"`
	// P is the p-value of the hypothesis that the exponent agrees with the claim
	// on every problem: the smallest of those of the problems, times their number.
	// Problems without chance have no part in it. Adjusted is P corrected by Holm for
	// all claims; those of equal rates about equal games are one.
	P        Number `json:"p"`
	Adjusted Number `json:"p_adjusted"`
	// Held, Broken and Unsettled count the problems by what is said of the bound,
	// and Ratio is the largest value over the bound.
	Held      int    `json:"held"`
	Broken    int    `json:"broken"`
	Unsettled int    `json:"unsettled"`
	Ratio     Number `json:"ratio"`
}

// standings returns how every claim stands, by algorithm.
func (a *Analysis) standings() []Standing {
	all := []Standing{}
	var combined []float64
	var judged [][]*trial // by standing
	var place []int       // in combined: claims of equal rates about equal games are one
	for _, e := range a.Algorithms {
		for _, of := range []func(*Pair) *Judgement{
			func(p *Pair) *Judgement { return &p.Regret },
			func(p *Pair) *Judgement { return p.Dynamic },
			func(p *Pair) *Judgement { return &p.Violation },
		} {
			s := Standing{Algorithm: e.Spec, P: none, Adjusted: none, Ratio: none}
			var ps []float64
			var trials []*trial
			for i := range a.Pairs {
				if j := of(&a.Pairs[i]); a.Pairs[i].Algorithm == e.Spec && len(a.Pairs[i].Unmet) == 0 &&
					j != nil && j.Claim != nil {
					s.Claim, s.Metric = j.Claim, j.Claim.Metric
					s.add(j)
					ps = append(ps, float64(j.P))
					trials = append(trials, &trial{pair: &a.Pairs[i], metric: j.Metric,
						rate: stats.Claim{Exponent: j.Claim.Exponent, Log: j.Claim.Log}})
				}
			}
			if s.P = Number(anyOf(ps)); s.Claim != nil {
				k := slices.IndexFunc(judged, func(known []*trial) bool {
					return slices.EqualFunc(known, trials, (*trial).same)
				})
				if k < 0 {
					place, combined = append(place, len(combined)), append(combined, float64(s.P))
				} else {
					place = append(place, place[k])
				}
				all, judged = append(all, s), append(judged, trials)
			}
		}
	}
	adjusted := stats.Holm(combined)
	for i := range all {
		all[i].Adjusted = Number(adjusted[place[i]])
	}
	return all
}

// add counts the judgement on one problem.
func (s *Standing) add(j *Judgement) {
	if n := map[stats.Verdict]*int{stats.AtMost: &s.Within, stats.Above: &s.Above, stats.Undecided: &s.Open,
		stats.Trivial: &s.Trivial}[j.Slope]; n != nil {
		*n++
		s.Problems++
	}
	if j.Bound == nil {
		return
	}
	if n := map[BoundState]*int{Held: &s.Held, Broken: &s.Broken,
		Unsettled: &s.Unsettled}[j.Bound.State]; n != nil {
		*n++
		if !(s.Ratio >= j.Bound.Ratio.Value) {
			s.Ratio = j.Bound.Ratio.Value
		}
	}
}

// anyOf is the p-value of the hypothesis that all of several hypotheses are true, by
// Bonferroni, which allows any dependence. It is NaN where none has a p-value.
func anyOf(ps []float64) float64 {
	least, n := math.NaN(), 0
	for _, p := range ps {
		if !math.IsNaN(p) {
			n++
			if !(least <= p) {
				least = p
			}
		}
	}
	return math.Min(1, float64(n)*least)
}

// Overall is how an algorithm compares with the baseline over all problems, by the
// final value of one metric.
type Overall struct {
	Algorithm string            `json:"algorithm"` // SPEC
	Metric    algorithms.Metric `json:"metric"`
	// Problems is the number of problems with a p-value. On Less of them the mean is
	// below that of the baseline, on More above it, both after the correction.
	Problems int `json:"problems"`
	Less     int `json:"less"`
	More     int `json:"more"`
	// P is the p-value of the hypothesis that there is no difference on any problem: the
	// smallest one of the problems, corrected for them by joint sign flips.
	P Number `json:"p"`
}

// overall sums up a comparison.
func (c *Comparison) overall(confidence float64) {
	type key struct {
		algorithm string
		metric    algorithms.Metric
	}
	at := make(map[key]int)
	var rows [][][]float64
	var ps [][]Number
	for _, v := range c.Versus {
		k := key{v.Algorithm, v.Metric}
		i, ok := at[k]
		if !ok {
			i = len(c.Overall)
			at[k], ps, rows = i, append(ps, nil), append(rows, nil)
			c.Overall = append(c.Overall, Overall{Algorithm: v.Algorithm, Metric: v.Metric})
		}
		o := &c.Overall[i]
		ps[i], rows[i] = append(ps[i], v.Final.P), append(rows[i], v.finals)
		if !v.Final.P.Defined() {
			continue
		}
		o.Problems++
		switch shown := v.Final.Adjusted <= Number(1-confidence); {
		case shown && v.Final.Value < 0:
			o.Less++
		case shown && v.Final.Value > 0:
			o.More++
		}
	}
	for i := range c.Overall {
		c.Overall[i].P = none
		for k, joint := range stats.JointFlips(rows[i]) {
			if p := max(Number(joint), ps[i][k]); !(c.Overall[i].P <= p) && p.Defined() {
				c.Overall[i].P = p
			}
		}
	}
}
