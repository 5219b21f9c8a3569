package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
	"ocobench/stats"
)

// Rates returns the table that holds every algorithm on every problem against what
// is claimed of it: a row for the regret, one for the violation, and one for the dynamic
// regret of those that claim something of it, each with the measured and the claimed
// exponent, the verdict on the slope, and the bound of the proof. It returns nil if no algorithm has a claim.
func Rates(a *analysis.Analysis) *table.Table {
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Measured growth beside what is claimed, experiment %s", a.Experiment.Name)),
		Label: "tab:" + a.Experiment.Name + "-rates",
		Columns: append(pairColumns(),
			table.Column{Name: table.Plain("of"), CSV: []string{"metric"}},
			growthColumn(table.Plain("measured"), "exponent"),
			table.Column{Name: table.Plain("claim"), Align: table.Right, CSV: []string{"claim", "claim_log"}},
			table.Column{Name: table.Plain("slope"), CSV: []string{"slope", "p", "p_adjusted"}},
			table.Column{Name: table.Plain("bound"), CSV: []string{"bound", "ratio", "ratio_lower", "ratio_upper", "bound_t", "bound_replicate"}},
			table.Column{Name: table.Plain("both"), CSV: []string{"both"}}),
		Keys: 3,
	}
	var foot tally
	w, measured := make(windows), &table.Table{} // whose words the notes explain
	for _, p := range a.Pairs {
		judgements := p.Judgements()
		claimed := slices.ContainsFunc(judgements, func(j *analysis.Judgement) bool { return j.Claim != nil })
		first := true
		for _, j := range judgements {
			if claimed && j.Claim == nil {
				continue
			}
			of := ofMetric(a.Metric(j.Metric))
			exponent := growth(w.see(p.Series[j.Metric]))
			measured.Rows = append(measured.Rows, []table.Text{exponent})
			row := append(named(a, p), of, exponent)
			if j.Claim == nil {
				row = append(row, table.Plains("–", "–", "–", "–")...)
			} else {
				foot.count(p, *j)
				both := table.Text{CSV: []string{string(p.Verdict)}}
				if first {
					both.Plain, first = string(p.Verdict), false
				}
				row = append(row, rate(*j.Claim), slope(*j, p.Series[j.Metric].Fit), bound(*j), both)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if foot.claims == 0 {
		return nil
	}
	t.Notes = append(w.notes(a, measured), foot.notes(a)...)
	t.Notes = append(t.Notes, pairNotes(a)...)
	return t
}

// ofMetric names what a claim is about, in short.
func ofMetric(m analysis.Metric) table.Text {
	text := table.Text{Plain: short(m.Name), CSV: []string{string(m.Name)}}
	if m.Set != "" {
		text.Plain, text.TeX = "vs "+text.Plain, "vs "+setSymbols[m.Set]
	}
	return text
}

// Standings returns the table of how every claim stands over the problems that meet its
// assumptions: a row for each claim, with the number of slopes by verdict, the p-value
// of the hypothesis that the claimed exponent is kept on every problem, and the largest
// value over the bound.
// It returns nil if no algorithm has a claim.
func Standings(a *analysis.Analysis) *table.Table {
	if len(a.Standings) == 0 {
		return nil
	}
	t := &table.Table{
		Title: table.Plain(fmt.Sprintf("Claims over the problems of experiment %s", a.Experiment.Name)),
		Label: "tab:" + a.Experiment.Name + "-claims",
		Keys:  2,
		Columns: []table.Column{
			{Name: table.Plain("algorithm"), CSV: []string{"algorithm"}},
			{Name: table.Plain("claim"), CSV: []string{"metric", "claim", "claim_log"}},
		},
	}
	for _, name := range []string{"within", "above", "open", "trivial"} {
		t.Columns = append(t.Columns, table.Column{Name: table.Plain(name), Align: table.Right, CSV: []string{name}})
	}
	t.Columns = append(t.Columns,
		table.Column{Name: table.Plain("p"), Align: table.Right, CSV: []string{"p", "p_adjusted"}},
		table.Column{Name: table.Plain("of bound"), Align: table.Right, CSV: []string{"held", "broken", "unsettled", "ratio"}})
	tested, moves := 0, false
	for i, s := range a.Standings {
		moves = moves || s.Claim.Growth != ""
		if s.P.Defined() {
			tested++
		}
		name := table.Text{CSV: []string{s.Algorithm}}
		if i == 0 || a.Standings[i-1].Algorithm != s.Algorithm {
			k := slices.IndexFunc(a.Algorithms, func(e analysis.Algorithm) bool { return e.Spec == s.Algorithm })
			name = entrantText(a.Algorithms[k])
		}
		claim := rate(*s.Claim)
		claim.Plain = short(s.Metric) + " " + claim.Plain
		claim.TeX = strings.TrimPrefix(join(ofMetric(a.Metric(s.Metric))).TeX, "vs ") + " " + claim.TeX
		claim.CSV = append([]string{string(s.Metric)}, claim.CSV...)
		row := []table.Text{name, claim}
		for _, n := range []int{s.Within, s.Above, s.Open, s.Trivial} {
			text := table.Text{Plain: fmt.Sprint(n), CSV: []string{fmt.Sprint(n)}}
			if n == 0 {
				text.Plain = "·"
			}
			row = append(row, text)
		}
		said := table.Plain("–")
		if s.Held+s.Broken+s.Unsettled > 0 {
			said.Plain = percent(float64(s.Ratio))
			switch {
			case s.Broken > 0:
				said.Plain = "broken, " + said.Plain
			case s.Unsettled > 0:
				said.Plain = "unsettled, " + said.Plain
			}
		}
		said.CSV = []string{fmt.Sprint(s.Held), fmt.Sprint(s.Broken), fmt.Sprint(s.Unsettled), table.Value(float64(s.Ratio))}
		adjusted := probability(s.Adjusted)
		adjusted.CSV = []string{table.Value(float64(s.P)), table.Value(float64(s.Adjusted))}
		t.Rows = append(t.Rows, append(row, adjusted, said))
	}
	t.Notes = []table.Text{
		note(fmt.Sprintf("claim: the regret against a set or against the best actions of the rounds (dynamic), or the violation, and its claimed growth. within, above, open, trivial: on how many problems that meet the assumptions the slope in the window is within the claimed one, above it, open, or says nothing; rates.txt has each. p: of the hypothesis that on every problem the exponent is at most the claimed one plus %g (the smallest p-value times their number), corrected by Holm for the %d claims. of bound: the largest value over the explicit bound of the proof, at all checkpoints of all games at which it says something; –: it says nothing, or has no constants.", stats.DefaultTolerance, tested)),
	}
	if moves {
		t.Notes = append(t.Notes, note(movingGrowth))
	}
	t.Notes = append(t.Notes, provenance(a))
	return t
}

// movingGrowth explains the growth of claims that depend on how the rounds move.
const movingGrowth = "P_t, V_t: the path length of the best actions of the rounds, and the variation of the constraints. The slope of such a claim is not judged; its bound is evaluated with those of the rounds that were played."

// slope formats the verdict on a slope.
func slope(j analysis.Judgement, f *analysis.Fit) table.Text {
	text := table.Plain(string(j.Slope))
	switch j.Slope {
	case "":
		text.Plain = "–"
	case stats.Above:
		from, to := table.Tens(f.From), table.Tens(f.To)
		text = table.Text{
			Plain: fmt.Sprintf("above on [%s, %s]", from.Plain, to.Plain),
			TeX:   fmt.Sprintf("above on $[%s, %s]$", from.TeX, to.TeX),
		}
	}
	text.CSV = []string{string(j.Slope), table.Value(float64(j.P)), table.Value(float64(j.Adjusted))}
	return text
}

// bound formats what the values say of the bound of a proof.
func bound(j analysis.Judgement) table.Text {
	b := j.Bound
	if b == nil {
		return table.Text{Plain: "–", CSV: []string{"", "", "", "", "", ""}}
	}
	text := table.Plain(string(b.State))
	switch b.State {
	case analysis.Broken:
		text.Plain = fmt.Sprintf("broken at t = %g", b.T)
		if b.Replicate > 0 {
			text.Plain += fmt.Sprintf(", replicate %d", b.Replicate)
		}
		text.Plain += ": " + percent(float64(b.Ratio.Value))
	case analysis.Held:
		text.Plain = "held"
		if b.Until > 0 {
			text.Plain += fmt.Sprintf(" to t = %d", b.Until)
		}
		text.Plain += fmt.Sprintf(", %s", percent(float64(b.Ratio.Value)))
	case analysis.Unsettled:
		text.Plain = fmt.Sprintf("unsettled, %s", percent(float64(b.Ratio.Value)))
	}
	where := []string{"", ""}
	if b.State != analysis.Unstated {
		where[0] = table.Value(b.T)
		if b.Replicate > 0 {
			where[1] = fmt.Sprint(b.Replicate)
		}
	}
	text.CSV = slices.Concat([]string{string(b.State)}, estimateValues(b.Ratio), where)
	return text
}

// percent formats the largest ratio of a metric to its bound. One that is not positive
// says that the metric never was.
func percent(v float64) string {
	switch {
	case v <= 0:
		return "≤ 0"
	case v < 0.005:
		return "< 1 %"
	case v > 1 && v < 1.01:
		return "> 100 %"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// tally counts what the rows of a table say.
type tally struct {
	claims   int
	slopes   map[stats.Slope]int
	random   int // slopes with a p-value
	bounds   map[analysis.BoundState]int
	unstated []unstated
	trivial  map[string]int
	standIns [][2]algorithms.Metric
	moves    bool // a claim depends on how the rounds move
}

// unstated is a reason why the theorems of some algorithms say nothing.
type unstated struct {
	reason     string
	algorithms []string
}

// count counts the judgement of a pair.
func (y *tally) count(p analysis.Pair, j analysis.Judgement) {
	if y.slopes == nil {
		y.slopes, y.bounds, y.trivial = make(map[stats.Slope]int), make(map[analysis.BoundState]int), make(map[string]int)
	}
	y.claims++
	y.moves = y.moves || j.Claim.Growth != ""
	if j.Slope != "" {
		y.slopes[j.Slope]++
	}
	if j.P.Defined() {
		y.random++
	}
	if j.Why != "" {
		y.trivial[j.Why]++
	}
	if b := j.Bound; b != nil {
		y.bounds[b.State]++
		if b.State == analysis.Unstated && !slices.ContainsFunc(y.unstated, func(u unstated) bool { return slices.Contains(u.algorithms, p.Algorithm) }) {
			k := slices.IndexFunc(y.unstated, func(u unstated) bool { return u.reason == b.Reason })
			if k < 0 {
				k, y.unstated = len(y.unstated), append(y.unstated, unstated{reason: b.Reason})
			}
			y.unstated[k].algorithms = append(y.unstated[k].algorithms, p.Algorithm)
		}
	}
	if pair := [2]algorithms.Metric{j.Claim.Metric, j.Metric}; pair[0] != pair[1] && !slices.Contains(y.standIns, pair) {
		y.standIns = append(y.standIns, pair)
	}
}

// notes explain the verdicts, and say how many there are and how many chance makes.
func (y *tally) notes(a *analysis.Analysis) (notes []table.Text) {
	say := func(format string, args ...any) { notes = append(notes, note(fmt.Sprintf(format, args...))) }
	alpha := (1 - a.Experiment.Confidence) / 2
	judged := y.slopes[stats.Within] + y.slopes[stats.Above] + y.slopes[stats.Open]
	say("slope: of the window, and not of the limit. within: the upper end of the interval is at most the claimed exponent plus %g; above: the lower end is larger, after a correction by Holm for the %d slopes with a p-value; open: neither; trivial: the mean is never positive, or the claim is one that any bounded play keeps. A logarithm of the claim adds its slope in the window. both: above or open where one of the slopes is.", stats.DefaultTolerance, y.random)
	if y.moves {
		say("%s", movingGrowth)
	}
	counts := fmt.Sprintf("%d slopes judged: %d within, %d above, %d open; %d more are trivial (%d never positive).",
		judged, y.slopes[stats.Within], y.slopes[stats.Above], y.slopes[stats.Open], y.slopes[stats.Trivial], y.trivial["its mean is never positive"])
	if y.random > 0 {
		counts += fmt.Sprintf(" By chance: were all %d slopes with a p-value (the never positive among them) exactly at their limits, one or more would be above in at most %.2g %% of such tables, and %.1f within.",
			y.random, 100*alpha, alpha*float64(y.random))
	}
	say("%s", counts)
	if n := y.bounds[analysis.Held] + y.bounds[analysis.Broken] + y.bounds[analysis.Unsettled]; n > 0 {
		say("bound: the explicit bound of the proof, at every checkpoint of every game at which it says something; where it is in expectation, of the mean. %d of %d are held, %d broken, %d unsettled (the interval of a mean reaches across, or one replicate has none); the number is the largest value over the bound (100 %% may be met, as in round 1).",
			y.bounds[analysis.Held], n, y.bounds[analysis.Broken], y.bounds[analysis.Unsettled])
	}
	var reasons []string
	for _, u := range y.unstated {
		reasons = append(reasons, strings.Join(u.algorithms, ", ")+": "+u.reason)
	}
	if len(reasons) > 0 {
		say("unstated: the theorem says nothing about these %d; the first reason for each algorithm: %s.", y.bounds[analysis.Unstated], strings.Join(reasons, "; "))
	}
	for _, s := range y.standIns {
		say("Claims about %s are judged by %s where the former is not measured.", a.Metric(s[0]).Title, a.Metric(s[1]).Title)
	}
	return notes
}
