package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/regression"
	"ocobench/report"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// The significant digits of a curve; of the ends of its interval and of local exponents, which are
// read less closely; and of single replicates, which are only drawn.
const (
	curveDigits     = 5
	intervalDigits  = 4
	replicateDigits = 3
)

// A builder turns an analysis into the data of a page.
type builder struct {
	*analysis.Analysis
	out        *experimentData
	algorithms map[string]int // the index on the page, by SPEC
	problems   map[string]int // the index on the page, by SPEC
	ranks      map[seriesID]analysis.Number
	leads      []analysis.Lead
	beside     *regression.Joint // nil where the page shows one store
}

// A seriesID names a metric of a pair.
type seriesID struct {
	problem, algorithm string
	metric             algorithms.Metric
}

// buildExperiment returns the data of an analysis for a page. beside is the comparison of the two
// stores that the analysis joins, or nil if it is of one store.
func buildExperiment(a *analysis.Analysis, beside *regression.Joint) *experimentData {
	b := &builder{Analysis: a, out: &experimentData{}, algorithms: make(map[string]int),
		problems: make(map[string]int), ranks: make(map[seriesID]analysis.Number), leads: a.Leads(),
		beside: beside}
	x := b.out
	x.Requested, x.Computed, x.Beside = a.Experiment, nonNil(a.Computed), beside
	x.Missing, x.Cells, x.Metrics = a.Missing, a.Cells, a.Metrics
	x.Algorithms, x.Problems, x.T, x.Pairs = []algorithm{}, []problem{}, [][]float64{}, []pair{}
	x.Fronts, x.Ranks, x.Profiles = []front{}, []rank{}, []profile{}
	// Algorithms and problems first: all else refers to them by their index.
	for k, e := range a.Algorithms {
		b.algorithms[e.Spec] = k
		x.Algorithms = append(x.Algorithms, b.buildAlgorithm(e))
	}
	for k, p := range a.Problems {
		b.problems[p.Spec] = k
		x.Problems = append(x.Problems, problem{
			Spec: p.Spec, Title: b.displayName(p.Spec), Doc: p.Doc, Facts: nonNil(p.Facts),
			Deterministic: p.Deterministic, Params: p.Params,
		})
	}
	b.shortenTitles()
	for _, r := range a.Ranks {
		b.ranks[seriesID{r.Problem, r.Algorithm, r.Metric}] = r.Rank.Value
		x.Ranks = append(x.Ranks,
			rank{b.rankedProblem(r.Problem), string(r.Metric), b.algorithms[r.Algorithm],
				r.Rank, r.Of, r.Problems})
	}
	for i := range a.Pairs {
		x.Pairs = append(x.Pairs, b.buildPair(&a.Pairs[i]))
	}
	for _, u := range a.Unmet {
		if a.Pair(u.Algorithm, u.Problem) == nil { // else it was played all the same
			x.Unplayed = append(x.Unplayed, unmetPair{
				b.problems[u.Problem], b.algorithms[u.Algorithm], u.Assumptions,
			})
		}
	}
	for _, f := range a.Fronts {
		row := front{b.problems[f.Problem], string(f.Regret), string(f.Violation), []int{}}
		for _, spec := range f.Algorithms {
			row.Algorithms = append(row.Algorithms, b.algorithms[spec])
		}
		x.Fronts = append(x.Fronts, row)
	}
	for _, p := range a.Profiles {
		x.Profiles = append(x.Profiles, profile{
			string(p.Metric), b.algorithms[p.Algorithm], nonNil(p.Ratio), nonNil(p.Share),
		})
	}
	x.Focus = a.Focus
	x.Focus.Views, x.Focus.Notes = nonNil(x.Focus.Views), nonNil(x.Focus.Notes)
	x.answers = b.problemAnswers()
	x.Compared = b.comparisons()
	x.Opens, x.Baseline = mostDividedProblem(x), b.algorithms[a.Experiment.Baseline]
	x.Settings, x.Sentences, x.Method = typesetNumbers(b.settingsText()), b.resultSentences(),
		nonNil(b.methodSentences())
	for k, text := range x.Sentences {
		x.Sentences[k] = typesetNumbers(text)
	}
	file, requested := b.experimentFile()
	x.File, x.Command = file, runCommand(requested, len(a.Unmet) > 0)
	if x.Command != "" {
		x.Command += b.externalFlags(nil)
	}
	return x
}

// nonNil returns a copy of the list that is not nil, since JSON has null for nil.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }

// displayName returns how the page names the algorithm or the problem with this SPEC: its display
// name in Unicode.
func (b *builder) displayName(spec string) string { return tex.Unicode(report.Name(b.Entry(spec))) }

// rankedProblem returns the index of the problem of a rank, or −1 for the mean over problems.
func (b *builder) rankedProblem(problem string) int {
	if problem == "" {
		return -1
	}
	return b.problems[problem]
}

// buildAlgorithm returns the data of an algorithm.
func (b *builder) buildAlgorithm(e experiment.Entry) algorithm {
	out := algorithm{
		Spec: e.Spec, Title: b.displayName(e.Spec), Doc: e.Doc, Feedback: string(e.Feedback),
		Anytime: e.Anytime, Claims: []string{}, Assumes: nonNil(e.Assumes), Params: e.Params,
		Tuned: e.Tuned, Source: e.Source,
	}
	for _, c := range e.Claims {
		text := fmt.Sprintf("%s = O(%s)", b.Metric(c.Metric).Title, c.Rate())
		if c.Expected {
			text += " in expectation"
		}
		out.Claims = append(out.Claims, text)
	}
	return out
}

// buildPair returns the data of a pair with its series and judgements.
func (b *builder) buildPair(p *analysis.Pair) pair {
	out := pair{
		Problem: b.problems[p.Problem], Algorithm: b.algorithms[p.Algorithm], Unmet: nonNil(p.Unmet),
		Resolved: p.Resolved, Deterministic: p.Deterministic, Replicates: p.Replicates,
		Played: p.Played, Failed: p.Failed, Failure: p.Failure,
		Verdict: verdictKey(p.ClaimVerdict), Root: verdictKey(p.SqrtVerdict),
		Series: make(map[string]*series), Regret: b.buildJudgement(p.Regret),
		Violation: b.buildJudgement(p.Violation), Play: b.playCommand(p),
	}
	if p.Dynamic != nil {
		j := b.buildJudgement(*p.Dynamic)
		out.Dynamic = &j
	}
	for _, name := range slices.Sorted(maps.Keys(p.Series)) {
		s := p.Series[name]
		if s.State != analysis.Missing {
			out.Series[string(name)] = b.buildSeries(p, name, s)
		}
	}
	return out
}

// none stands for a number that does not exist. JSON has null for it.
var none = analysis.Number(math.NaN())

// buildSeries returns the data of a metric of a pair.
func (b *builder) buildSeries(p *analysis.Pair, m algorithms.Metric, s *analysis.Series) *series {
	out := &series{
		State: string(s.State), Replicates: s.Replicates, Of: s.Of, Final: finalEstimate(s), Rank: none,
		Root: verdictKey(s.SqrtVerdict), Why: cmp.Or(s.SqrtReason, s.NoVerdictReason),
		Never: s.NeverPositive(),
		Mean:  b.meanBand(m, s.Mean), Fit: s.Fit, Slopes: b.buildBand(s.Slopes, intervalDigits),
	}
	if across := b.buildBand(s.Across, curveDigits); s.Fit != nil && s.Fit.Design == stats.AcrossT {
		out.Across = across
	} else {
		out.Ends = across
	}
	if r, ok := b.ranks[seriesID{p.Problem, p.Algorithm, m}]; ok {
		out.Rank = r
	}
	for _, l := range b.leads {
		if l.Shown && l.Problem == p.Problem && l.Algorithm == p.Algorithm && l.Metric == m {
			out.Lead = true
			for _, c := range l.Doubtful {
				for _, warning := range c.Warnings {
					out.Doubts = append(out.Doubts, typesetNumbers("against "+c.B+": "+warning))
				}
			}
		}
	}
	if r := s.Runs; r != nil {
		out.Runs = &runs{T: b.timesIndex(r.T), Replicate: r.Replicate, Value: []analysis.Numbers{}}
		for _, row := range r.Value {
			out.Runs.Value = append(out.Runs.Value, roundAll(row, replicateDigits, toNearest))
		}
	}
	return out
}

// meanBand returns the curve of a metric. It has an interval if the metric is shown or fitted.
func (b *builder) meanBand(name algorithms.Metric, curve analysis.Band) *band {
	out := b.buildBand(&curve, curveDigits)
	if m := b.Metric(name); out != nil && !m.Shown && !m.Fitted {
		out.Lower, out.Upper = nil, nil
	}
	return out
}

// finalEstimate returns the estimate at the last point. Its numbers are undefined without points.
func finalEstimate(s *analysis.Series) analysis.Estimate {
	if s == nil || len(s.Mean.T) == 0 {
		return analysis.Estimate{Value: none, Lower: none, Upper: none}
	}
	return s.Mean.Final()
}

// buildBand returns a curve rounded to the given significant digits, or nil without points.
func (b *builder) buildBand(curve *analysis.Band, digits int) *band {
	if curve == nil || len(curve.T) == 0 {
		return nil
	}
	out := &band{T: b.timesIndex(curve.T), Value: roundAll(curve.Value, digits, toNearest)}
	if slices.ContainsFunc(curve.Lower, analysis.Number.Defined) {
		// Rounded outwards, so that the value stays between them.
		out.Lower = roundAll(curve.Lower, intervalDigits, down)
		out.Upper = roundAll(curve.Upper, intervalDigits, up)
	}
	return out
}

// timesIndex returns the index of a list of rounds t on the page, and adds the list if it is new.
func (b *builder) timesIndex(t []float64) int {
	k := slices.IndexFunc(b.out.T, func(known []float64) bool { return slices.Equal(known, t) })
	if k < 0 {
		k, b.out.T = len(b.out.T), append(b.out.T, t)
	}
	return k
}

// buildJudgement returns the data of a judgement, with the claim and its bound.
func (b *builder) buildJudgement(j analysis.Judgement) judgement {
	out := judgement{Metric: string(j.Metric), Exponent: none, Verdict: verdictKey(j.Verdict),
		Why: j.VerdictReason, P: j.P}
	if f := j.Factor; f != nil && j.Claim != nil {
		multiple := strings.TrimSpace(table.Number(float64(f.Value), math.NaN()).Plain + " " + f.Name)
		out.Keeps = multiple + "·" + j.Claim.Rate()
	}
	if c := j.Claim; c != nil {
		out.Claim, out.Log, out.Note, out.NoBound = c.Rate(), c.Log, c.Note, c.NoBound
		if c.Growth == "" {
			out.Exponent = analysis.Number(c.Exponent)
		}
	}
	if proven := j.Bound; proven != nil {
		out.Bound = &bound{State: string(proven.State), Reason: proven.Reason, Ratio: proven.Ratio,
			At: proven.T, Replicate: proven.Replicate, Horizon: proven.Horizon}
		if j.Claim != nil {
			out.Bound.Formula = j.Claim.Formula
		}
		curve := analysis.Band{T: proven.Mean.T, Value: proven.Mean.Value}
		out.Bound.Curve = b.buildBand(&curve, curveDigits)
	}
	return out
}

// playCommand returns the command that plays the first replicate of a pair; its last word is the
// number of the replicate. It is empty for a pair of another store, whose program and seed
// may differ.
func (b *builder) playCommand(p *analysis.Pair) string {
	e := b.Algorithms[b.algorithms[p.Algorithm]]
	if e.Source != b.sourceStore() {
		return ""
	}
	ignore := ""
	if len(p.Unmet) > 0 {
		ignore = " --ignore-assumptions"
	}
	return fmt.Sprintf("bench play --algorithm %s --problem %s%s%s --horizon %d --seed %d "+
		"--replicate 1", shellquote.Join(p.Algorithm), shellquote.Join(p.Problem), b.externalFlags(p),
		ignore, b.Experiment.Last(), b.Experiment.Seed)
}

// externalFlags returns the flags that declare the external programs and files of actions of a pair
// or, if it is nil, of the experiment, each after a blank.
func (b *builder) externalFlags(pair *analysis.Pair) (text string) {
	var needed []experiment.Entry
	for _, e := range b.Algorithms {
		if pair == nil && e.Source == b.sourceStore() || pair != nil && e.Spec == pair.Algorithm {
			needed = append(needed, e)
		}
	}
	for _, p := range b.Problems {
		if pair == nil || p.Spec == pair.Problem {
			needed = append(needed, p.Entry)
		}
	}
	for _, e := range needed {
		if flag := " " + e.Flag; e.Flag != "" && !strings.Contains(text, flag) {
			text += flag
		}
	}
	return text
}

// sourceStore returns the source of the algorithms whose results the commands of the page ask for
// again: of two stores the first one, and else "".
func (b *builder) sourceStore() string {
	if b.beside == nil {
		return ""
	}
	return b.beside.Sources[0]
}

// problemAnswers returns for each problem which algorithms keep both regret and violation at √t.
func (b *builder) problemAnswers() (all []problemAnswer) {
	for k, p := range b.Problems {
		var pairs []*analysis.Pair // on the problem, by their violation
		for i := range b.Pairs {
			if b.Pairs[i].Problem == p.Spec {
				pairs = append(pairs, &b.Pairs[i])
			}
		}
		slices.SortStableFunc(pairs, func(p, q *analysis.Pair) int {
			return compareNumbers(b.finalViolation(p), b.finalViolation(q))
		})
		row := problemAnswer{Problem: k}
		for _, p := range pairs {
			i := b.algorithms[p.Algorithm]
			switch p.SqrtVerdict {
			case stats.AtMost:
				row.AtMost = append(row.AtMost, i)
			case stats.Undecided, stats.TooLittle:
				row.Undecided = append(row.Undecided, i)
			case stats.Above, stats.Slowing:
				row.Above = append(row.Above, i)
			}
		}
		all = append(all, row)
	}
	return all
}

// mostDividedProblem returns the problem on which the verdicts differ most. With m, u and a
// algorithms at most √t, undecided and above, it maximises 4ma + 2mu + ua, since the question is
// which algorithms keep both metrics and which do not. Of several it takes the one with the most
// significant differences between algorithms.
func mostDividedProblem(x *experimentData) (best int) {
	different := make(map[int]int) // significant differences, by problem
	for _, c := range x.Compared {
		focus := x.Focus.On(x.Problems[c.Problem].Spec)
		if m := algorithms.Metric(c.Metric); m == focus.Regret || m == focus.Violation {
			for _, sign := range c.Sign {
				if sign != 0 {
					different[c.Problem]++
				}
			}
		}
	}
	most := [2]int{0, -1}
	for k, row := range x.answers {
		m, u, a := len(row.AtMost), len(row.Undecided), len(row.Above)
		if score := [2]int{4*m*a + 2*m*u + u*a, different[k]}; slices.Compare(score[:], most[:]) > 0 {
			best, most = k, score
		}
	}
	return best
}

// shortenTitles sets the short titles of problems: without the parts, up to a comma, with which all
// titles begin.
func (b *builder) shortenTitles() {
	all := b.out.Problems
	var shared []string
	for k := range all {
		parts := strings.Split(all[k].Title, ", ")
		if k == 0 {
			shared = parts
		}
		n := 0
		for n < min(len(shared), len(parts)-1) && parts[n] == shared[n] {
			n++
		}
		shared = shared[:n]
		all[k].Short = all[k].Title
	}
	if len(all) < 2 || len(shared) == 0 {
		return
	}
	b.out.Shared = strings.Join(shared, ", ")
	for k := range all {
		all[k].Short = strings.TrimPrefix(all[k].Title, b.out.Shared+", ")
	}
}

// comparisons returns the comparisons of the analysis, a list for each problem and metric.
func (b *builder) comparisons() []comparisonList {
	all := []comparisonList{}
	// Rows come by problem, metric, and pairs of algorithms: (0,1), (0,2), …, (1,2), …. So the
	// rows of the first algorithm list all others.
	first := ""
	for _, row := range b.Comparisons.Rows {
		problem, metric := b.problems[row.Problem], string(row.Metric)
		if n := len(all); n == 0 || all[n-1].Problem != problem || all[n-1].Metric != metric {
			first = row.A
			all = append(all, comparisonList{Problem: problem, Metric: metric,
				Algorithms: []int{b.algorithms[first]}, Doubt: []int{}})
		}
		c, d := &all[len(all)-1], row.Difference
		if row.A == first {
			c.Algorithms = append(c.Algorithms, b.algorithms[row.B])
		}
		if row.IsDoubtful() {
			c.Doubt = append(c.Doubt, len(c.Sign))
		}
		c.Value, c.Lower, c.Upper, c.P, c.Sign = append(c.Value, d.Value), append(c.Lower, d.Lower),
			append(c.Upper, d.Upper), append(c.P, d.Adjusted), append(c.Sign, row.Sign)
	}
	for k := range all {
		c := &all[k]
		c.Value, c.P = roundAll(c.Value, curveDigits, toNearest), roundAll(c.P, curveDigits, toNearest)
		c.Lower = roundAll(c.Lower, intervalDigits, down)
		c.Upper = roundAll(c.Upper, intervalDigits, up)
	}
	return all
}

// finalViolation returns the violation of a pair at the last round, in the metric that the page
// shows.
func (b *builder) finalViolation(p *analysis.Pair) analysis.Number {
	return finalEstimate(p.Series[b.Focus.On(p.Problem).Violation]).Value
}

// compareNumbers orders numbers, undefined ones last.
func compareNumbers(x, y analysis.Number) int {
	switch {
	case x.Defined() == y.Defined():
		return cmp.Compare(x, y)
	case x.Defined():
		return -1
	}
	return 1
}
