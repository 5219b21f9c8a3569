package analysis

import (
	"cmp"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/stats"
)

// Lead names the algorithm with the smallest final mean of a metric on a problem, among all
// algorithms ([Analysis.Leads]) or among some ([Analysis.LeadsOfKeepers]).
type Lead struct {
	Problem   string // SPEC
	Algorithm string // SPEC
	Metric    algorithms.Metric
	// Shown reports that the algorithm has significantly less than every other one among them.
	Shown bool
	// Tested reports that at least one comparison with the others is a test with a p-value, which two
	// deterministic games do not have.
	Tested bool
	// Doubtful holds, of a lead that is shown, the comparisons of the algorithm with others that are
	// [Comparison.IsDoubtful].
	Doubtful []Comparison
}

// Leads returns the leading algorithm by every metric of the comparisons on every problem on which
// two algorithms or more have the metric. It makes no test: a lead is shown if all its comparisons
// are, and is left out if one of them does not exist.
func (a *Analysis) Leads() []Lead {
	return a.leadsAmong(func(*Pair, algorithms.Metric) bool { return true })
}

// LeadsOfKeepers returns the leads among the algorithms that keep another metric at √t: the leads
// by violations among those that keep regret, and the leads by all other metrics among those that
// keep violation, since a small regret that violation pays for does not lead. Regret and violation
// are those of the focus. An algorithm that keeps √t only after a steep start
// ([Series.SteepUntil]) does not count.
func (a *Analysis) LeadsOfKeepers() []Lead {
	return a.leadsAmong(func(p *Pair, m algorithms.Metric) bool {
		focus := a.Focus.On(p.Problem)
		kept := focus.Violation
		if strings.HasPrefix(string(m), "violation_") {
			kept = focus.Regret
		}
		s := p.Series[kept]
		_, steep := s.SteepUntil()
		return s != nil && s.SqrtVerdict == stats.AtMost && !steep
	})
}

// leadsAmong returns the leads by each metric among the pairs that a condition admits.
func (a *Analysis) leadsAmong(admitted func(*Pair, algorithms.Metric) bool) (leads []Lead) {
	// The rows of one problem and metric stand together.
	for rest := a.Comparisons.Rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Problem == rest[0].Problem && rest[n].Metric == rest[0].Metric {
			n++
		}
		block := Comparisons{Rows: rest[:n]}
		rest = rest[n:]
		l := Lead{Problem: block.Rows[0].Problem, Metric: block.Rows[0].Metric, Shown: true}
		pairs := slices.DeleteFunc(a.pairsWith(l.Problem, l.Metric),
			func(p *Pair) bool { return !admitted(p, l.Metric) })
		if len(pairs) < 2 {
			continue
		}
		l.Algorithm = slices.MinFunc(pairs, func(p, q *Pair) int {
			return cmp.Compare(p.meanOfFinals(l.Metric), q.meanOfFinals(l.Metric))
		}).Algorithm
		compared := 0
		for _, p := range pairs {
			c, ok := block.Between(l.Algorithm, p.Algorithm, l.Problem, l.Metric)
			if !ok {
				continue
			}
			compared++
			l.Shown, l.Tested = l.Shown && c.Sign < 0, l.Tested || c.Difference.P.Defined()
			if c.IsDoubtful() {
				l.Doubtful = append(l.Doubtful, c)
			}
		}
		if !l.Shown {
			l.Doubtful = nil
		}
		if compared == len(pairs)-1 { // else a pair lacks its comparison
			leads = append(leads, l)
		}
	}
	return leads
}

// meanOfFinals returns the mean of the final values, or 0 where they are rounding errors.
func (p *Pair) meanOfFinals(m algorithms.Metric) Number {
	s := p.Series[m]
	sum, n := Number(0), 0
	for _, v := range s.Finals {
		if v.Defined() && s.State != Rounding {
			sum, n = sum+v, n+1
		}
	}
	return sum / Number(max(n, 1))
}
