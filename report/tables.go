package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/report/table"
	"ocobench/stats"
)

// shown returns the metrics that every experiment shows, and those of them whose
// growth is fitted.
func shown(a *analysis.Analysis) (all, fitted []analysis.Metric) {
	for _, m := range a.Metrics {
		if m.Shown {
			all = append(all, m)
			if m.Fitted {
				fitted = append(fitted, m)
			}
		}
	}
	return all, fitted
}

// Exponents returns the table of growth exponents of an experiment: a row for each
// algorithm on each problem, and a column for each metric.
func Exponents(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	return exponents(a, metrics, "Growth exponents", "exponents", Grid{Rows: []Dim{ByProblem, ByAlgorithm}, Columns: ByMetric})
}

// Overview returns the table of growth exponents of an experiment with many
// problems and a few algorithms: a column for each algorithm, and a row for each
// problem and metric. It returns nil for other experiments.
func Overview(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	if !isComparison(a) {
		return nil
	}
	return exponents(a, metrics, "Growth exponents of regret and violation", "overview", Grid{Rows: []Dim{ByProblem, ByMetric}, Columns: ByAlgorithm})
}

// exponents returns a table of the growth exponents of the metrics whose growth is
// fitted; it is nil if there are none.
func exponents(a *analysis.Analysis, metrics []analysis.Metric, title, label string, g Grid) *table.Table {
	for _, m := range metrics {
		if m.Fitted {
			g.Metrics = append(g.Metrics, m.Name)
		}
	}
	if g.Metrics == nil {
		return nil
	}
	g.Values = []string{"exponent"}
	tables := g.Tables(a)
	if tables == nil {
		return nil
	}
	t := tables[0]
	t.Title = table.Plain(fmt.Sprintf("%s, experiment %s", title, a.Experiment.Name))
	t.Label = "tab:" + a.Experiment.Name + "-" + label
	return t
}

// Means returns the table of the means of a metric at the powers of ten and at the
// last horizon, with the half-widths of their intervals.
func Means(a *analysis.Analysis, m analysis.Metric) *table.Table {
	t := &table.Table{
		Title:   table.Text{Plain: fmt.Sprintf("Mean %s, experiment %s", m.Title, a.Experiment.Name)},
		Label:   "tab:" + a.Experiment.Name + "-" + string(m.Name),
		Columns: pairColumns(),
		Keys:    2,
	}
	at := checkpoints(a)
	for _, v := range at {
		t.Columns = append(t.Columns, table.Column{
			Name: table.Text{Plain: fmt.Sprintf("t = %g", v), TeX: fmt.Sprintf("$t = %g$", v)}, Align: table.Right, CSV: estimateFields(fmt.Sprintf("t%g", v)),
		})
	}
	bold := false
	for _, p := range a.Pairs {
		row := named(a, p)
		s := p.Series[m.Name]
		for _, v := range at {
			cell := table.Plain("–")
			if e, ok := s.Mean.At(v); ok {
				cell = partial(plusMinus(e), s.Replicates, s.Of)
				cell.Bold = v == at[len(at)-1] && a.Leading(p.Algorithm, p.Problem, m.Name)
				bold = bold || cell.Bold
			} else if s.State == analysis.Empty || s.State == analysis.Failed {
				cell = table.Plain(string(s.State))
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("Mean and half-width of its %g %% interval over %s.", 100*a.Experiment.Confidence, Replicates(a))))
	if bold {
		t.Notes = append(t.Notes, boldNote(a))
	}
	t.Notes = append(t.Notes, provenance(a))
	t.Notes = append(t.Notes, pairNotes(a)...)
	return t
}

// checkpoints returns the powers of ten and the last horizon.
func checkpoints(a *analysis.Analysis) (at []float64) {
	last := a.Experiment.Last()
	for t := 100; t < last; t *= 10 {
		at = append(at, float64(t))
	}
	return append(at, float64(last))
}

// pairColumns returns the columns that name a pair.
func pairColumns() []table.Column {
	return []table.Column{{Name: table.Plain("problem"), CSV: []string{"problem"}}, {Name: table.Plain("algorithm"), CSV: []string{"algorithm"}}}
}

// named returns the cells that name a pair. Marks are for readers: CSV has the SPECs.
func named(a *analysis.Analysis, p analysis.Pair) []table.Text {
	k := slices.IndexFunc(a.Problems, func(other analysis.Problem) bool { return other.Spec == p.Problem })
	return []table.Text{problemText(a.Problems[k].Entrant), starred(a, p)}
}

// entrantText is how a table names an algorithm or a problem: LaTeX has its display
// name.
func entrantText(e harness.Entrant) table.Text {
	return table.Text{Plain: e.Title(), TeX: e.Display, CSV: []string{e.Spec}}
}

// problemText is entrantText with a remark on problems without chance.
func problemText(e harness.Entrant) table.Text {
	text := entrantText(e)
	if e.Deterministic {
		text.Plain += " (deterministic)"
		if text.TeX != "" {
			text.TeX += " (deterministic)"
		}
	}
	return text
}

// starred returns the algorithm of a pair as tables name it. It has a star if the
// problem does not meet its assumptions.
func starred(a *analysis.Analysis, p analysis.Pair) table.Text {
	k := slices.IndexFunc(a.Algorithms, func(e harness.Entrant) bool { return e.Spec == p.Algorithm })
	text := entrantText(a.Algorithms[k])
	if len(p.Unmet) > 0 {
		text.Plain += " *"
		if text.TeX != "" {
			text.TeX += "$^*$"
		}
	}
	return text
}

// starredCell returns a cell with a star.
func starredCell(cell table.Text) table.Text {
	cell.Plain += " *"
	if cell.TeX != "" {
		cell.TeX += "$^*$"
	}
	if cell.Number != "" {
		if cell.Small = slices.Clone(cell.Small); cell.Small == nil {
			cell.Small = []string{""}
		}
		cell.Small[0] += "$^*$"
	}
	return cell
}

// readings explain the words beside an exponent, or in place of it.
var readings = []struct{ word, meaning string }{
	{" bounded", "bounded: the interval admits no growth"},
	{" log t", "log t: the mean grows like a + b·log t"},
	{" a + b·t^", "a + b·t^q: the mean grows like that, and not like t^p"},
	{" transient", "transient: the local exponent drifts along the window"},
	{"−t^", "−t^p: the mean is negative, and its size grows like t^p"},
	{"≤ 0 (", "≤ 0: the mean is not positive at that share of the points of the window, and has no exponent"},
	{" passing", "passing: an exponent above 1 of what grows at most linearly, which cannot last"},
	{"(unresolved)", "unresolved: the replicates do not bound the exponent"},
	{"0 (rounding)", "0 (rounding): at most 1e-9 a round"},
	{"empty", "empty: the comparator set (of dynamic regret and path length: a round) is empty"},
}

// reading returns the note that explains the words in the cells of tables, if there
// are any.
func reading(tables ...*table.Table) (notes []table.Text) {
	var rows [][]table.Text
	for _, t := range tables {
		rows = append(rows, t.Rows...)
		for _, b := range t.Blocks {
			rows = append(rows, b.Rows...)
		}
	}
	var meanings []string
	for _, r := range readings {
		has := func(cell table.Text) bool {
			return strings.Contains(cell.Plain, r.word) || cell.Below != nil && strings.Contains(cell.Below.Plain, r.word)
		}
		if slices.ContainsFunc(rows, func(row []table.Text) bool { return slices.ContainsFunc(row, has) }) {
			meanings = append(meanings, r.meaning)
		}
	}
	if meanings == nil {
		return nil
	}
	return []table.Text{note(strings.Join(meanings, "; ") + ".")}
}

// windows are the windows of the fits in a table, by design.
type windows map[stats.Design]analysis.Fit

// see records the window of a series, and returns the series.
func (w windows) see(s *analysis.Series) *analysis.Series {
	if s != nil && s.Fit != nil && s.Fit.Points > 0 {
		w[s.Fit.Design] = *s.Fit
	}
	return s
}

// notes returns the notes that explain the exponents of tables.
func (w windows) notes(a *analysis.Analysis, tables ...*table.Table) (notes []table.Text) {
	for _, d := range []stats.Design{stats.AlongT, stats.AcrossT} {
		f, ok := w[d]
		if !ok {
			continue
		}
		how := fmt.Sprintf("along t, horizon %d", a.Experiment.Last())
		if d == stats.AcrossT {
			how = fmt.Sprintf("across %d horizons, each with parameters of its own", len(a.Experiment.Horizon))
			if len(w) > 1 {
				how += ", for algorithms that need the horizon"
			}
		}
		notes = append(notes, note(fmt.Sprintf("Exponent p of mean ~ t^p on [%g, %g], %s; %g %% interval over %s.", f.From, f.To, how, 100*a.Experiment.Confidence, Replicates(a))))
	}
	return append(append(notes, reading(tables...)...), provenance(a))
}

// pairNotes returns the notes on pairs that were not played, that are starred, in
// which cells failed, and that are deterministic. LaTeX has many assumptions that are
// not met in short.
func pairNotes(a *analysis.Analysis) (notes []table.Text) {
	many := len(a.Unmet) > maxNamed
	for _, u := range a.Unmet {
		note := "Not played: "
		if a.Pair(u.Algorithm, u.Problem) != nil {
			note = "* "
		}
		notes = append(notes, table.Text{Plain: note + u.String() + ".", Aside: many})
	}
	if many {
		for _, m := range unmet(a) {
			notes = append(notes, table.Text{TeX: table.Prose(m)})
		}
	}
	return append(notes, outcomes(a)...)
}

// maxNamed is the largest number of pairs whose assumptions the printed tables name.
const maxNamed = 3

// marks returns the notes of pairNotes. Many assumptions that are not met are counted
// only; a run prints them all before it begins.
func marks(a *analysis.Analysis) (notes []table.Text) {
	if len(a.Unmet) <= maxNamed {
		return pairNotes(a)
	}
	for _, m := range unmet(a) {
		notes = append(notes, table.Plain(m))
	}
	return append(notes, outcomes(a)...)
}

// unmet says how many assumptions are not met.
func unmet(a *analysis.Analysis) (notes []string) {
	starred := 0
	for _, u := range a.Unmet {
		if a.Pair(u.Algorithm, u.Problem) != nil {
			starred++
		}
	}
	if starred > 0 {
		notes = append(notes, "* played although the problem does not meet an assumption of the algorithm.")
	}
	if n := len(a.Unmet) - starred; n > 0 {
		notes = append(notes, fmt.Sprintf("Not played: %d of %d pairs, whose problem does not meet an assumption of the algorithm; the table of exponents names them.", n, len(a.Algorithms)*len(a.Problems)))
	}
	return notes
}

// outcomes returns the notes on pairs in which cells failed, and that are
// deterministic.
func outcomes(a *analysis.Analysis) (notes []table.Text) {
	deterministic := false
	for _, p := range a.Pairs {
		deterministic = deterministic || p.Deterministic
		if p.Failed > 0 {
			notes = append(notes, table.Plain(fmt.Sprintf("Failed: %d cells of %s on %s, %d of %d replicates are whole; the first: %s.", p.Failed, p.Algorithm, p.Problem, p.Played, p.Replicates, p.Failure)))
		}
	}
	if deterministic {
		notes = append(notes, table.Plain("Deterministic: no random number is drawn, so that one replicate is all there is, and no interval."))
	}
	return notes
}

func Replicates(a *analysis.Analysis) string {
	if a.Experiment.Replicates == 1 {
		return "1 replicate"
	}
	return fmt.Sprintf("%d replicates", a.Experiment.Replicates)
}

// provenance returns the note with the seed and the programs that computed the
// results, which ends every table.
func provenance(a *analysis.Analysis) table.Text {
	var programs []string
	for _, c := range a.Computed {
		program := fmt.Sprintf("ocobench %s, %s, %s", c.Version, c.Go, c.GOARCH)
		if len(a.Computed) > 1 {
			program += fmt.Sprintf(" (%d cells)", c.Cells)
		}
		programs = append(programs, program)
	}
	return table.Plain(fmt.Sprintf("Experiment %s, seed %d; %s.", a.Experiment.Name, a.Experiment.Seed, strings.Join(programs, "; ")) + tunedNote(a))
}

// tunedNote returns the note on tuned parameters, empty if no parameters were
// tuned.
func tunedNote(a *analysis.Analysis) string {
	var tuned, defaults, given []string
	for _, e := range a.Algorithms {
		switch {
		case e.Tuned != "":
			tuned = append(tuned, e.Spec)
		case e.Spec == e.Name:
			defaults = append(defaults, e.Spec)
		default:
			given = append(given, e.Spec)
		}
	}
	if tuned == nil {
		return ""
	}
	note := fmt.Sprintf(" Parameters tuned on seed %d: %s.", a.Experiment.TuningSeed, strings.Join(tuned, "; "))
	if defaults != nil {
		note += fmt.Sprintf(" Default: %s.", strings.Join(defaults, "; "))
	}
	if given != nil {
		note += fmt.Sprintf(" Given: %s.", strings.Join(given, "; "))
	}
	return note
}
