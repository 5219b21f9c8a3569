package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// keys returns the columns of the table of a sweep, which the values of the parameter name.
func (s *sweep) keys() (keys []key) {
	for k, e := range s.columns {
		name := table.Text{Plain: s.heading(k), TeX: tex.Param(s.param, s.value(k)),
			CSV: []string{e.Spec}}
		keys = append(keys, key{name: name, spec: e.Spec})
	}
	return keys
}

// of says what the columns of a sweep are of, such as " by c of Decaying frequency".
func (s *sweep) of() table.Text {
	return join(table.Plain(" by "+s.param+" of "), entryText(without(s.columns[0], s.param)))
}

// sweepOf returns the sweep that some problems or algorithms are, or nil.
func (x *subject) sweepOf(d Dim, some []key) *sweep {
	all := x.problems
	if d == ByAlgorithm {
		all = x.Algorithms
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e experiment.Entry) bool {
		return !slices.ContainsFunc(some, func(k key) bool { return k.spec == e.Spec })
	})
	if sweeps, rest := swept(all); len(sweeps) == 1 && rest == nil {
		return sweeps[0]
	}
	return nil
}

// stem is the label of an entry without the value of a swept parameter, which the label of a
// sweep ends with ([spec.Use.Expand]).
func stem(e experiment.Entry, param string) string {
	if k := strings.LastIndex(e.Label, ", "+param+" = "); k >= 0 {
		return e.Label[:k]
	}
	return e.Label
}

// without returns an entry whose names lack a parameter.
func without(e experiment.Entry, param string) experiment.Entry {
	args := strings.Split(strings.TrimPrefix(strings.TrimPrefix(e.Spec, e.Name), ":"), ",")
	args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, param+"=") })
	e.Spec, e.Label = strings.TrimSuffix(e.Name+":"+strings.Join(args, ","), ":"), stem(e, param)
	return e
}

// value returns the value of the parameter in a column.
func (s *sweep) value(k int) string { return s.columns[k].Param(s.param) }

// heading returns the heading of a column, such as c = 0.5.
func (s *sweep) heading(k int) string { return s.param + " = " + s.value(k) }

// pair returns the pair of a row and a column, or nil if it was not played.
func (s *sweep) pair(x *subject, row, column experiment.Entry) *analysis.Pair {
	if s.ofProblem {
		return x.pairs[pairID{row.Spec, column.Spec}]
	}
	return x.pairs[pairID{column.Spec, row.Spec}]
}

// words says what a sweep shows of a metric: how large it is for which values, and,
// where the paired comparison is significant, which algorithm has less of it. The
// algorithms are compared with the baseline, by the metrics whose growth is fitted.
func (s *sweep) words(x *subject, m analysis.Metric) table.Text {
	text, end := about(m, ""), s.said(x, m)
	text.Plain += end.Plain
	text.TeX += end.TeX
	return text
}

// said are the words after what they are about.
func (s *sweep) said(x *subject, m analysis.Metric) table.Text {
	return table.Text{
		Plain: s.sentences(x, m, x.Title, strings.Clone),
		TeX: s.sentences(x, m, func(spec string) string { return Name(x.Entry(spec)) },
			tex.Escape),
	}
}

// Words says what the sweep of an experiment shows, a sentence for each metric that a run
// prints. There are none for an experiment with no sweep or several.
func Words(a *analysis.Analysis) (all []string) {
	x := subjectOf(a)
	if len(x.sweeps) != 1 || x.outlines != nil ||
		len(x.Comparisons.Rows) == 0 && len(x.Algorithms) > 1 {
		return nil
	}
	for _, m := range x.glance {
		all = append(all, about(m, "").Plain+
			x.sweeps[0].sentences(x, m, func(spec string) string {
				return tex.Unicode(Name(x.Entry(spec)))
			}, strings.Clone))
	}
	return all
}

// sentences returns what a sweep shows of a metric. An algorithm is called what name makes of
// its SPEC, and all other text goes through escape.
func (s *sweep) sentences(x *subject, m analysis.Metric, name, escape func(string) string) string {
	text := fmt.Sprintf("at T = %d: ", x.Experiment.Last())
	if s.ofProblem {
		base := x.Entry(x.Experiment.Baseline)
		text += name(base.Spec) + " has " + escape(s.extent(x, m, base)) + "."
		names := s.rivals(x, m, name, escape)
		if names != nil && m.Fitted {
			text += " Against it: " + strings.Join(names, "; ") + "."
		}
		return text
	}
	var rows []string
	for _, r := range s.rows {
		row := "on " + name(r.Spec) + " it is " + escape(s.extent(x, m, r))
		if len(rows) > 0 {
			row = input.Capital(row)
		}
		if text := s.compared(x, m, r); text != "" && m.Fitted {
			row += fmt.Sprintf("; against %s %s", name(x.Experiment.Baseline), escape(text))
		}
		rows = append(rows, row+".")
	}
	if n := len(rows) - input.MaxNames; n > 0 {
		rows = append(rows[:input.MaxNames], fmt.Sprintf("And %d more.", n))
	}
	return text + strings.Join(rows, " ")
}

// rivals says of each algorithm but the baseline where it has less than that. Algorithms with the
// same result are named together. More than five are counted.
func (s *sweep) rivals(x *subject, m analysis.Metric, name, escape func(string) string) []string {
	var names [][]string
	var results []string
	others := 0
	for _, r := range s.rows {
		if r.Spec == x.Experiment.Baseline {
			continue
		}
		result := s.compared(x, m, r)
		if result == "" {
			continue
		}
		k := slices.Index(results, result)
		if k < 0 {
			k, names, results = len(results), append(names, nil), append(results, result)
		}
		names[k] = append(names[k], name(r.Spec))
		others++
	}
	if others > input.MaxNames {
		return []string{fmt.Sprintf("of %d others ", others) + escape(s.counted(x, m))}
	}
	var all []string
	for k, result := range results {
		all = append(all, input.Few(names[k], ", ")+" "+escape(result))
	}
	return all
}

// counted says how many algorithms have less than the baseline, and how many have more: for each
// value of the parameter, or over all values if there are many.
func (s *sweep) counted(x *subject, m analysis.Metric) string {
	var texts []string
	var less, more int
	for k, c := range s.columns {
		var n [2]int
		for _, r := range s.rows {
			if o := outcomeOf(x, m, r.Spec, c.Spec); o < len(n) && r.Spec != x.Experiment.Baseline {
				n[o]++
			}
		}
		less, more = less+n[0], more+n[1]
		format, at := "%d and %d (%s)", s.value(k)
		if k == 0 {
			format, at = "%d lower and %d higher (%s)", s.heading(k)
		}
		texts = append(texts, fmt.Sprintf(format, n[0], n[1], at))
	}
	if len(texts) > maxListed {
		return fmt.Sprintf("%d lower and %d higher, over %d values of %s", less, more, len(texts),
			s.param)
	}
	return strings.Join(texts, ", ")
}

// maxListed is the largest number of values of a parameter that are listed in words.
const maxListed = 7

// extent says which means a row has, or between which they lie if there are many.
func (s *sweep) extent(x *subject, m analysis.Metric, row experiment.Entry) string {
	var means []analysis.Number
	var texts []string
	for k, c := range s.columns {
		p := s.pair(x, row, c)
		if p == nil || !p.Series[m.Name].Known() {
			continue
		}
		mean := p.Series[m.Name].Mean.Final()
		text, _, _ := strings.Cut(plusMinus(mean).Plain, " ±")
		at := s.value(k)
		if texts == nil || len(s.columns) > maxListed {
			at = s.heading(k)
		}
		means, texts = append(means, mean.Value), append(texts, fmt.Sprintf("%s (%s)", text, at))
	}
	switch {
	case texts == nil:
		return "no value"
	case len(s.columns) <= maxListed:
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("from %s to %s", texts[slices.Index(means, slices.Min(means))],
		texts[slices.Index(means, slices.Max(means))])
}

// results say how an algorithm compares with the baseline on the same rounds.
var results = []string{"lower", "higher", "no difference shown", "not compared"}

// outcomeOf returns the index of the outcome of an algorithm on a problem.
func outcomeOf(x *subject, m analysis.Metric, algorithm, problem string) int {
	c, ok := x.Comparisons.Between(algorithm, x.Experiment.Baseline, problem, m.Name)
	switch {
	case !ok || c.State != analysis.Measured:
		return 3
	case c.Sign < 0:
		return 0
	case c.Sign > 0:
		return 1
	}
	return 2
}

// compared says for which values a row has less of the metric than the baseline
// on the same rounds, for which it has more, and for which neither is
// shown. It is empty for a row that is compared nowhere.
func (s *sweep) compared(x *subject, m analysis.Metric, row experiment.Entry) string {
	at := make([][]string, len(results))
	n := 0
	for k, c := range s.columns {
		algorithm, problem := row.Spec, c.Spec
		if !s.ofProblem {
			algorithm, problem = c.Spec, row.Spec
		}
		if algorithm == x.Experiment.Baseline {
			continue
		}
		o := outcomeOf(x, m, algorithm, problem)
		at[o] = append(at[o], s.value(k))
		n++
	}
	if len(at[3]) == n {
		return ""
	}
	var parts []string
	for k, values := range at {
		switch {
		case len(values) == n && n > 1 && k < 2:
			parts = append(parts, fmt.Sprintf("%s for every %s", results[k], s.param))
		case len(values) == n && n > 1:
			parts = append(parts, fmt.Sprintf("%s for any %s", results[k], s.param))
		case values != nil:
			parts = append(parts, fmt.Sprintf("%s at %s = %s", results[k], s.param,
				strings.Join(values, ", ")))
		}
	}
	return strings.Join(parts, ", ")
}
