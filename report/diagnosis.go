package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness/diagnosis"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// DiagnosisTables returns the tables of a diagnosis: the facts, the measures of the paper's
// conditions, and the findings. Each fits into 80 columns of a terminal.
func DiagnosisTables(d *diagnosis.Diagnosis) []*table.Table {
	return []*table.Table{factTable(d), measureTable(d), findingTable(d)}
}

// factTable returns the facts as measured, which bound the true ones from one side, beside those
// that the problem declares.
func factTable(d *diagnosis.Diagnosis) *table.Table {
	t := &table.Table{
		Title:   table.Plain("Facts, at sampled and played points"),
		Columns: table.Columns("fact", ">measured", ">declared", ""),
	}
	for _, f := range d.Facts {
		measured, declared, note := "≥ "+fourDigits(f.Measured), "", ""
		switch {
		case f.Name == "curvature":
			measured = "≤ " + fourDigits(f.Measured)
		case f.Name == "diameter":
			measured = fourDigits(f.Measured)
		case strings.HasPrefix(f.Name, "departure") && f.Measured == 0:
			measured = "none"
		}
		if f.Declared != nil {
			if declared = fourDigits(*f.Declared); strings.HasPrefix(f.Name, "departure") {
				declared = "none"
			}
		}
		if f.Broken {
			note = "broken by the rounds"
		}
		t.Rows = append(t.Rows, table.Plains(strings.ReplaceAll(f.Name, "_", " "), measured, declared,
			note))
	}
	return t
}

// A conditionRow is a row of the table of [measureTable]: a measure and its value.
type conditionRow struct{ name, value string }

// measureTable returns the measures of all conditions, wrapped into two columns.
func measureTable(d *diagnosis.Diagnosis) *table.Table {
	t := &table.Table{
		Title:   table.Plain("The conditions"),
		Columns: table.Columns("measure", "value"),
	}
	const nameWidth, valueWidth = 38, 35 // with the borders of the table 80 columns
	rows := slices.Concat(
		setMeasures(d.Sets), slaterMeasures(&d.Slater), growthMeasures(&d.Growth),
		convergenceMeasures(&d.Convergence), penaltyMeasures(d.Penalties),
		motionMeasures(&d.Motion), weightMeasures(&d.Gamma),
	)
	for _, row := range rows {
		left, right := table.Wrap(row.name, nameWidth), table.Wrap(row.value, valueWidth)
		for k := range max(len(left), len(right)) {
			var cells [2]string
			if k < len(left) {
				cells[0] = left[k]
			}
			if k < len(right) {
				cells[1] = right[k]
			}
			t.Rows = append(t.Rows, table.Plains(cells[:]...))
		}
	}
	return t
}

// setMeasures says which comparator sets are empty.
func setMeasures(all []diagnosis.Set) []conditionRow {
	var empty, others []string
	for _, s := range all {
		if s.Empty {
			empty = append(empty, s.Name)
		} else {
			others = append(others, s.Name)
		}
	}
	return []conditionRow{{"empty comparator sets", joinOrNone(empty)},
		{"nonempty comparator sets", joinOrNone(others)}}
}

// slaterMeasures returns the margins at the Slater point z, or nil if there is no such point.
func slaterMeasures(s *diagnosis.Slater) []conditionRow {
	if s.Margin == nil {
		return nil
	}
	rows := []conditionRow{
		{"Slater point z", coordinatesText(s.Point, 3, 4)},
		{"margin of the averages at z, at T", fourDigits(*s.Margin)},
	}
	if s.Exponent != nil {
		slowest := fmt.Sprintf("t^%s, of constraint %d", plainExponent(*s.Exponent), s.Constraint)
		rows = append(rows, conditionRow{"slowest growth of a constraint's margin at z", slowest})
	}
	if s.Eta != nil {
		margin := fmt.Sprintf("%s, %d", fourDigits(*s.Eta), s.Burn+1)
		rows = append(rows, conditionRow{"η, and the round from which it holds", margin})
	}
	rows = append(rows, conditionRow{"margin at z of all averages", optionalNumber(s.Uniform)},
		conditionRow{"margin at z of every single round", optionalNumber(s.Round)})
	if s.Limit != nil {
		rows = append(rows, conditionRow{"largest margin in expectation", fourDigits(*s.Limit)})
	}
	return rows
}

// growthMeasures returns what is measured for Condition 2: k_T, its growth and β.
func growthMeasures(g *diagnosis.Growth) (rows []conditionRow) {
	if g.Count != nil {
		count := fmt.Sprintf("%d, at ε/√i with ε = %s", *g.Count, optionalNumber(g.Epsilon))
		rows = append(rows, conditionRow{"k_T, upper bound", count})
	}
	if g.Lower != nil {
		lower := strconv.Itoa(*g.Lower)
		if *g.Lower == 0 {
			lower = "not known"
		}
		rows = append(rows, conditionRow{"k_T, lower bound", lower})
	}
	if g.Beta == nil {
		return rows
	}
	if g.Exponent != nil {
		rows = append(rows, conditionRow{"growth of k_τ", "t^" + plainExponent(*g.Exponent)})
	}
	beta := fmt.Sprintf("%s, %d", fourDigits(*g.Beta), g.From)
	return append(rows, conditionRow{"β = η·min k_τ/τ, and the round from which it is taken", beta})
}

// convergenceMeasures returns the rate at which averages converge, for Condition 3.
func convergenceMeasures(c *diagnosis.Convergence) []conditionRow {
	switch {
	case c.Zero:
		return []conditionRow{{"convergence of the averages", "they do not move"}}
	case c.Value == nil:
		return nil
	}
	value := fmt.Sprintf("%s, rounds %d to %d", powerOfT(&c.Exponent), c.From, c.To)
	return []conditionRow{{"convergence of the averages, " + c.Of, value}}
}

// penaltyMeasures returns, for Corollary 1, the growth of the largest penalties of the first
// constraints.
func penaltyMeasures(all []diagnosis.Exponent) (rows []conditionRow) {
	const shown = 3
	for j := range all {
		if j == shown {
			return append(rows, conditionRow{"…", fmt.Sprintf("(%d constraints)", len(all))})
		}
		value := powerOfT(&all[j])
		if all[j].Zero {
			value = "0"
		}
		rows = append(rows, conditionRow{fmt.Sprintf("Σ_i max_x max(0, a_{i,%d}(x))", j+1), value})
	}
	return rows
}

// weightMeasures returns the γ in use beside the γ that Theorem 1 asks for.
func weightMeasures(g *diagnosis.Gamma) (rows []conditionRow) {
	if g.L != nil {
		value := fmt.Sprintf("%s and %s", optionalNumber(g.E), optionalNumber(g.L))
		rows = append(rows, conditionRow{"E and L at z", value})
	}
	return append(rows, conditionRow{"γ in use", fourDigits(g.Used)},
		conditionRow{"γ that Theorem 1 asks for, (E+L+1)/β", optionalNumber(g.Sufficient)},
		conditionRow{"the same for a_T in every round", optionalNumber(g.Limit)},
		conditionRow{"largest multiplier of the averages", optionalNumber(g.Effective)})
}

// motionMeasures returns how far the rounds move: path length and variation.
func motionMeasures(m *diagnosis.Motion) []conditionRow {
	path, variation := motionTexts(m)
	return []conditionRow{
		{"path length P_T of the rounds' best actions", path},
		{"variation V_T of the constraints", variation},
	}
}

// motionTexts returns the path length and the constraint variation of the rounds as texts, which
// say why where they are not known.
func motionTexts(m *diagnosis.Motion) (path, variation string) {
	if m.Unsolved != "" {
		return "not known: " + m.Unsolved, "not known"
	}
	total := func(t *diagnosis.Total) string {
		var text string
		switch {
		case t.Last == nil:
			return "–"
		case t.Zero:
			return "0"
		case t.Constant:
			text = fmt.Sprintf("%s, constant from round %d on", fourDigits(*t.Last), t.From)
		case t.Value == nil:
			text = fourDigits(*t.Last) + ", without an exponent"
		default:
			text = fmt.Sprintf("%s, %s", fourDigits(*t.Last), powerOfT(&t.Exponent))
		}
		if t.AtMost {
			text = "≤ " + text + ", of an upper bound"
		}
		return text
	}
	path = total(&m.Path)
	if m.Empty > 0 {
		path = fmt.Sprintf("none: no action satisfies round %d", m.Empty)
		if m.Paths > 1 {
			path += fmt.Sprintf("; %d of %d replicates have such a round", m.Empties, m.Paths)
		}
	}
	return path, total(&m.Variation)
}

// findingTable returns the verdict on each statement of the theory, with its reason wrapped.
func findingTable(d *diagnosis.Diagnosis) *table.Table {
	t := &table.Table{
		Title:   table.Plain("What the theory says"),
		Columns: table.Columns("", "verdict", "why"),
	}
	const width = 40 // of the reason, so that the table has 80 columns
	for _, f := range d.Findings {
		name, verdict := f.Name, string(f.Verdict)
		for _, line := range table.Wrap(f.Reason, width) {
			t.Rows = append(t.Rows, table.Plains(name, verdict, line))
			name, verdict = "", ""
		}
	}
	return t
}

// DiagnosisFigure returns the figure of a diagnosis: the averages of the constraints at the Slater
// point and at the best actions, the number k_t of active averages beside √t and t, and the
// deviation of the averages beside 1/√t and 1/t. It returns nil if there is nothing to draw.
func DiagnosisFigure(d *diagnosis.Diagnosis) *figure.Figure {
	// The averages, of z and of the comparator sets, take the first styles.
	const activeStyle, deviationStyle = 6, 5
	f := &figure.Figure{}
	time := figure.Axis{Label: "$t$", Scale: figure.Log}
	series := func(c diagnosis.Curve, label string, style int) figure.Series {
		s := figure.Series{Label: label, Style: style}
		for k, v := range c.Y {
			if v != nil {
				s.X, s.Y = append(s.X, float64(d.Curves.T[k])), append(s.Y, *v)
			}
		}
		return s
	}
	averages := figure.Panel{X: time, Y: figure.Axis{Label: `$\max_j a_{t,j}$`, Scale: figure.SymLog}}
	for k, c := range d.Curves.Average {
		label := setSymbols[c.Name]
		if c.Name == "slater" {
			label = "$z$"
		} else if label == "" {
			label = tex.Escape(c.Name)
		}
		averages.Series = append(averages.Series, series(c, label, k))
	}
	active := figure.Panel{X: time, Y: figure.Axis{Label: `$k_t$`, Scale: figure.Log}}
	if s := positivePoints(series(d.Curves.Active, "$k_t$", activeStyle)); len(s.X) > 1 {
		active.Series = append(active.Series, s)
		// The axis shows 1 to the number of rounds, with some room.
		active.Y.Min, active.Y.Max = 0.8, 1.25*max(float64(d.Rounds), slices.Max(s.Y))
		for _, slope := range []float64{0.5, 1} {
			active.Guides = append(active.Guides, figure.Guide{Slope: slope, X: 1, Y: 1})
		}
	}
	label := "$D_t$"
	if d.Convergence.Of == "expectation" {
		label = `$\max_j |a_{t,j} - \mathbb{E} g_j|$`
	}
	deviation := figure.Panel{X: time, Y: figure.Axis{Label: label, Scale: figure.Log}}
	if s := positivePoints(series(d.Curves.Deviation, label, deviationStyle)); len(s.X) > 1 {
		deviation.Series = append(deviation.Series, s)
		for _, slope := range []float64{-0.5, -1} {
			deviation.Guides = append(deviation.Guides, figure.Guide{Slope: slope, X: s.X[0], Y: s.Y[0]})
		}
	}
	for _, p := range []figure.Panel{averages, active, deviation} {
		if len(p.Series) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	if len(f.Panels) == 0 {
		return nil
	}
	return f
}

// positivePoints returns the points of s with a positive value, which have a logarithm.
func positivePoints(s figure.Series) figure.Series {
	out := figure.Series{Label: s.Label, Style: s.Style}
	for k, y := range s.Y {
		if y > 0 {
			out.X, out.Y = append(out.X, s.X[k]), append(out.Y, y)
		}
	}
	return out
}

// joinOrNone joins names with commas; without any it returns "none".
func joinOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
