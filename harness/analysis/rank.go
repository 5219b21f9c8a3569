package analysis

import (
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/stats"
)

// Rank holds the rank of an algorithm on a problem by the final values of a metric, among the
// algorithms that have the metric there, two at least. Rank 1 has the least value; equal values
// share their mean rank. The rank is the mean over the replicates that all these algorithms have,
// with Student's interval over the replicates. A deterministic pair has one replicate, which counts
// as every other replicate too. Algorithms whose games are equal, bit for bit, are ranked as one.
//
// The mean over the problems is taken replicate by replicate, over the problems on which the
// algorithm is ranked and in the replicates that all of them have. Its interval is about other
// replicates on these problems, not about other problems.
type Rank struct {
	Problem   string            `json:"problem"` // SPEC; "" for the mean over the problems
	Metric    algorithms.Metric `json:"metric"`
	Algorithm string            `json:"algorithm"`
	Rank      Estimate          `json:"rank"`
	// Of is the number of algorithms that are ranked, those with equal games counted once. A mean over
	// problems has the number of problems instead.
	Of       int `json:"of,omitempty"`
	Problems int `json:"problems,omitempty"`
}

// Profile holds the performance profile of an algorithm by the final means of a metric (Dolan
// and Moré, Math. Program. 91, 2002): Share[k] is the share of all problems on which
// max(mean, b) is at most Ratio[k] times the least of the algorithms, where b is what one
// round can cost or violate at most, and 0 where the problem does not declare it. A problem
// on which the algorithm was not played counts as one where this never holds. A problem is
// left out where nobody has the metric, and where the least is not positive.
type Profile struct {
	Metric    algorithms.Metric `json:"metric"`
	Algorithm string            `json:"algorithm"`
	Problems  int               `json:"problems"` // that it was played on, of Of
	Of        int               `json:"of"`
	Ratio     Numbers           `json:"ratio"` // ascending
	Share     Numbers           `json:"share"`
}

// rankAlgorithms fills in the ranks and the profiles of the metrics that are shown and fitted. Of a
// pair it reads only the series and whether it is deterministic. Both are in the JSON form, so it
// also works on an analysis that was read from a file.
func (a *Analysis) rankAlgorithms() error {
	a.Ranks, a.Profiles = []Rank{}, []Profile{}
	var means []Rank
	for _, m := range a.Metrics {
		if !m.Shown || !m.Fitted || m.OfRounds {
			continue
		}
		ranked := make(map[string][]replicateRanks) // by algorithm: an element for each problem
		for _, problem := range a.Problems {
			pairs := a.pairsWith(problem.Spec, m.Name)
			if len(pairs) < 2 {
				continue
			}
			all, n := ranksOf(pairs, m.Name)
			for i, ranks := range all {
				e, err := a.meanRank(ranks)
				if err != nil {
					return err
				}
				if spec := pairs[i].Algorithm; e.Value.Defined() {
					ranked[spec] = append(ranked[spec], ranks)
					a.Ranks = append(a.Ranks, Rank{Problem: problem.Spec, Metric: m.Name, Algorithm: spec, Rank: e,
						Of: n})
				}
			}
		}
		for _, e := range a.Algorithms {
			mean, err := a.meanRank(ranked[e.Spec]...)
			if err != nil {
				return err
			}
			if mean.Value.Defined() {
				means = append(means, Rank{Metric: m.Name, Algorithm: e.Spec, Rank: mean,
					Problems: len(ranked[e.Spec])})
			}
		}
		a.Profiles = append(a.Profiles, a.profilesBy(m)...)
	}
	a.Ranks = append(a.Ranks, means...)
	return nil
}

// pairsWith returns the pairs of a problem that have a metric.
func (a *Analysis) pairsWith(problem string, m algorithms.Metric) []*Pair {
	return slices.DeleteFunc(a.pairsOn(problem), func(p *Pair) bool { return !p.Series[m].Known() })
}

// pairsOn returns the pairs of a problem.
func (a *Analysis) pairsOn(problem string) (pairs []*Pair) {
	for i := range a.Pairs {
		if p := &a.Pairs[i]; p.Problem == problem {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// replicateRanks holds the ranks of an algorithm on a problem by replicate.
type replicateRanks struct {
	ranks         []float64 // NaN in a replicate that some algorithm lacks
	deterministic bool      // the one rank holds in all replicates
}

// rankIn returns the rank in a replicate, counted from 0.
func (r replicateRanks) rankIn(replicate int) float64 {
	return replicateValue(r.ranks, replicate, r.deterministic)
}

// replicateValue returns the value of a replicate, counted from 0. It is NaN where there is none; a
// deterministic pair has the same value in all replicates.
func replicateValue[F ~float64](values []F, replicate int, deterministic bool) float64 {
	if deterministic {
		replicate = 0
	}
	if replicate >= len(values) {
		return math.NaN()
	}
	return float64(values[replicate])
}

// ranksOf returns, for each pair of a problem, its ranks by a metric in every replicate. Pairs with
// equal games are ranked as one; n is the number of pairs that differ.
func ranksOf(pairs []*Pair, m algorithms.Metric) (all []replicateRanks, n int) {
	replicates, deterministic := 0, true
	for _, p := range pairs {
		replicates = max(replicates, len(p.Series[m].Finals))
		deterministic = deterministic && p.Deterministic
	}
	first, n := distinctGames(pairs)
	all = slices.Repeat([]replicateRanks{{deterministic: deterministic}}, len(pairs))
	for replicate := range replicates {
		var values []float64
		indexOf := make(map[int]int) // in values, by the index of the first pair with these games
		for i, p := range pairs {
			if first[i] == i {
				indexOf[i] = len(values)
				values = append(values, replicateValue(p.Series[m].Finals, replicate, p.Deterministic))
			}
		}
		ranks := midRanks(values)
		for i := range pairs {
			all[i].ranks = append(all[i].ranks, ranks[indexOf[first[i]]])
		}
	}
	return all, n
}

// midRanks returns the ranks of values, from 1 for the least. Equal values share their mean rank.
// All ranks are NaN if a value is.
func midRanks(values []float64) []float64 {
	if slices.ContainsFunc(values, math.IsNaN) {
		return slices.Repeat([]float64{math.NaN()}, len(values))
	}
	out := make([]float64, len(values))
	for i, v := range values {
		less, equal := 0, 0
		for _, w := range values {
			switch {
			case w < v:
				less++
			case w == v:
				equal++
			}
		}
		out[i] = float64(2*less+1+equal) / 2
	}
	return out
}

// meanRank returns the mean of the ranks on the given problems, over the replicates that all of
// them have.
func (a *Analysis) meanRank(over ...replicateRanks) (Estimate, error) {
	n := 0
	for _, ranks := range over {
		n = max(n, len(ranks.ranks))
	}
	c := stats.Curve{T: []float64{1}}
	for replicate := range n {
		sum := 0.0
		for _, ranks := range over {
			sum += ranks.rankIn(replicate)
		}
		if !math.IsNaN(sum) {
			c.Y = append(c.Y, []float64{sum / float64(len(over))})
		}
	}
	if len(c.Y) == 0 {
		return noEstimate, nil
	}
	b, err := c.Band(a.Experiment.Confidence)
	if err != nil {
		return noEstimate, err
	}
	return bandOf(b).Last(), nil
}

// profilesBy returns the performance profiles by a metric, of the algorithms that have it on at
// least one problem that is not left out.
func (a *Analysis) profilesBy(m Metric) []Profile {
	ratios := make(map[string][]Number) // by algorithm
	problems := 0
	for _, problem := range a.Problems {
		b := problem.Constraint
		if m.Regret() {
			b = problem.Loss
		}
		if !b.Defined() {
			b = 0
		}
		pairs := a.pairsWith(problem.Spec, m.Name)
		least := Number(math.Inf(1))
		for _, p := range pairs {
			least = min(least, max(p.Series[m.Name].Mean.Last().Value, b))
		}
		if len(pairs) == 0 || least <= 0 {
			continue
		}
		problems++
		for _, p := range pairs {
			ratios[p.Algorithm] = append(ratios[p.Algorithm],
				max(p.Series[m.Name].Mean.Last().Value, b)/least)
		}
	}
	var all []Profile
	for _, e := range a.Algorithms {
		played := ratios[e.Spec]
		if len(played) == 0 {
			continue
		}
		slices.Sort(played)
		f := Profile{Metric: m.Name, Algorithm: e.Spec, Problems: len(played), Of: problems}
		for k, ratio := range played {
			if k+1 == len(played) || played[k+1] > ratio {
				f.Ratio, f.Share = append(f.Ratio, ratio),
					append(f.Share, Number(float64(k+1)/float64(problems)))
			}
		}
		all = append(all, f)
	}
	return all
}
