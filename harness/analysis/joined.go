package analysis

import (
	"maps"
	"slices"

	"ocobench/harness/run"
	"ocobench/stats"
)

// Joined returns one analysis with the algorithms, problems and pairs of both. No algorithm and
// no problem of other may have the SPEC of one of a, but its pairs may be on problems of a.
// Focus, fronts, ranks and profiles are computed again for all pairs together; a rank compares the
// algorithms within the replicates of both that have the same number. Claims, verdicts and
// standings are taken from both analyses, and comparisons, baseline and settings from a alone.
// Neither analysis is changed.
func (a *Analysis) Joined(other *Analysis) (*Analysis, error) {
	out := *a
	out.Missing += other.Missing
	if other.Cells != out.Cells {
		out.Cells += "+" + other.Cells
	}
	out.Computed = slices.Clone(a.Computed)
	for _, c := range other.Computed {
		k := slices.IndexFunc(out.Computed,
			func(o run.Computed) bool { return o.Provenance == c.Provenance })
		if k < 0 {
			out.Computed = append(out.Computed, c)
		} else {
			out.Computed[k].Cells += c.Cells
		}
	}
	out.Metrics = slices.Clone(a.Metrics)
	for _, m := range other.Metrics {
		if !slices.ContainsFunc(out.Metrics, func(o Metric) bool { return o.Name == m.Name }) {
			out.Metrics = append(out.Metrics, m)
		}
	}
	out.Algorithms = copyOrEmpty(slices.Concat(a.Algorithms, other.Algorithms))
	out.Problems = copyOrEmpty(slices.Concat(a.Problems, other.Problems))
	out.Unmet = copyOrEmpty(slices.Concat(a.Unmet, other.Unmet))
	out.Standings = copyOrEmpty(slices.Concat(a.Standings, other.Standings))
	out.Pairs = []Pair{}
	for _, problem := range out.Problems {
		for _, p := range slices.Concat(a.Pairs, other.Pairs) {
			if p.Problem == problem.Spec {
				p.addMissingSeries(out.Metrics)
				out.Pairs = append(out.Pairs, p)
			}
		}
	}
	out.Focus = out.findFocus()
	out.Fronts = out.paretoFronts()
	err := out.rankAlgorithms()
	return &out, err
}

// addMissingSeries gives the pair a series of every metric. The series of a metric that it lacks
// has the state Missing.
func (p *Pair) addMissingSeries(metrics []Metric) {
	p.Series = maps.Clone(p.Series)
	for _, m := range metrics {
		if p.Series[m.Name] == nil {
			s, _ := meanSeries(stats.Curve{}, 0)
			s.Of, s.Finals = p.Replicates, finalValues(stats.Curve{}, nil, p.Replicates)
			p.Series[m.Name] = &s
		}
	}
}
