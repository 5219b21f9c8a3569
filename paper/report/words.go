package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/paper"
	"ocobench/stats"
)

// settings says what was asked for.
func (b *builder) settings() string {
	e := b.Experiment
	text := fmt.Sprintf("%s on %s (%s", plural(len(b.Algorithms), "algorithm"), plural(len(b.Problems), "problem"), plural(len(b.Pairs), "pair"))
	anyway := 0
	for _, p := range b.Pairs {
		if len(p.Unmet) > 0 {
			anyway++
		}
	}
	const lacks = "although the problem lacks what the algorithm assumes"
	if anyway > 0 {
		text += fmt.Sprintf(", %d of them %s", anyway, lacks)
	}
	if n := len(b.Unmet) - anyway; n > 0 {
		text += fmt.Sprintf("; %s not played because the problem lacks what the algorithm assumes", plural(n, "pair"))
	}
	text += fmt.Sprintf("). %s, T = %s", plural(e.Replicates, "replicate"), grouped(float64(e.Last())))
	if n := len(e.Horizon) - 1; n > 0 {
		text += fmt.Sprintf(" and %s", plural(n, "shorter horizon"))
	}
	return text + fmt.Sprintf(", seed %d.", e.Seed)
}

// maxProblems is the largest number of problems that each has sentences of its own.
const maxProblems = 8

// words says what came out, a sentence each.
func (b *builder) words() []string {
	return some(slices.Concat(b.besideWords(), b.answerWords(), b.claimWords(), b.boundWords(), b.lossWords(), b.leadWords(), paper.Words(b.Analysis)))
}

// besideWords says how the two stores differ.
func (b *builder) besideWords() (words []string) {
	if b.Beside == nil {
		return nil
	}
	alpha := 1 - b.Experiment.Confidence
	tested, shown, equal := 0, 0, 0
	for _, d := range b.Beside.Differences {
		if d.Difference.P.Defined() {
			tested++
		}
		if float64(d.Difference.Adjusted) <= alpha {
			shown++
		}
		if d.Equal {
			equal++
		}
	}
	text := fmt.Sprintf("%s beside %s: %s of final means, %d of them equal to the last bit; ", b.Beside.Sources[0], b.Beside.Sources[1], plural(len(b.Beside.Differences), "comparison"), equal)
	if tested == 0 {
		text += "none is tested."
	} else {
		text += fmt.Sprintf("%d of the %d that are tested are significant (Holm's correction; were there no difference, one or more would be in at most about %s of experiments).", shown, tested, share(alpha))
	}
	return append(append(words, text), b.Beside.Warnings...)
}

// answerWords says who keeps both regret and violation at √t.
func (b *builder) answerWords() (words []string) {
	if len(b.Problems) > maxProblems {
		return nil
	}
	for _, row := range b.out.Answers {
		n := len(row.Within) + len(row.Open) + len(row.Above)
		if n == 0 {
			continue
		}
		regret, violation := b.Metric(algorithms.RegretXHat).Title, b.Metric(algorithms.SoftViolation).Title
		text := fmt.Sprintf("%s: %s and %s are both shown to be at most √t for ", b.out.Problems[row.Problem].Title, regret, violation)
		if len(row.Within) == 0 {
			text += "no algorithm."
		} else {
			text += fmt.Sprintf("%d of %s: %s.", len(row.Within), plural(n, "algorithm"), listed(b.titles(row.Within)))
		}
		if k := len(row.Above); k > 0 {
			text += fmt.Sprintf(" One of the two is shown to be above for %d.", k)
		}
		if k := len(row.Open); k > 0 {
			text += fmt.Sprintf(" Neither is shown for %d.", k)
		}
		words = append(words, text)
	}
	if words == nil {
		return nil
	}
	a, limit, exact := (1-b.Experiment.Confidence)/2, 0.5+stats.DefaultTolerance, ""
	if slices.ContainsFunc(b.Pairs, func(p analysis.Pair) bool { return p.Deterministic }) {
		exact = " Where chance has no part, the interval is the exponent itself."
	}
	return append(words,
		fmt.Sprintf("Shown to be at most √t: in the window%s the upper end of the %s interval of the growth exponent is at most %g and the exponent does not rise, or the mean is never positive. An exponent at %g passes in about %s of experiments, each by itself.%s",
			b.windows(), share(b.Experiment.Confidence), limit, limit, share(a), exact),
		fmt.Sprintf("Shown to be above: the lower end is larger, after Holm's correction over all pairs, for each of the two by itself; one or more of these are wrong in at most about %s of experiments. A window says nothing of the limit.", share(float64(2*a))))
}

// windows names the windows of the growth of regret and violation.
func (b *builder) windows() string {
	var all []string
	for _, p := range b.Pairs {
		for _, m := range []algorithms.Metric{algorithms.RegretXHat, algorithms.SoftViolation} {
			s := p.Series[m]
			if s == nil || s.Fit == nil || s.Fit.Points == 0 {
				continue
			}
			text := fmt.Sprintf("t = %s…%s", power(s.Fit.From), power(s.Fit.To))
			if s.Fit.Design == stats.AcrossT {
				text = strings.ToUpper(text) + " for algorithms that need the horizon"
			}
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	if all == nil {
		return ""
	}
	slices.SortFunc(all, func(x, y string) int { return strings.Compare(y, x) }) // t before T
	return " " + strings.Join(all, " or ")
}

// claimWords says how many claims agree with what was measured.
func (b *builder) claimWords() (words []string) {
	slopes := make(map[stats.Slope]int)
	random := 0
	var above []string
	b.judgements(func(kind string, p *analysis.Pair, j *analysis.Judgement) {
		slopes[j.Slope]++
		if j.P.Defined() {
			random++
		}
		if j.Slope == stats.Above {
			above = append(above, b.place(kind, p))
		}
	})
	judged := slopes[stats.Within] + slopes[stats.Above] + slopes[stats.Open]
	if judged+slopes[stats.Trivial] == 0 {
		return nil
	}
	text := fmt.Sprintf("Claimed rates: %d of %d are within their claim in the window, %d above, %d open", slopes[stats.Within], judged, slopes[stats.Above], slopes[stats.Open])
	if n := slopes[stats.Trivial]; n > 0 {
		text += fmt.Sprintf("; for %d more any play keeps the claim, or the mean is never positive", n)
	}
	words = append(words, text+".")
	if above != nil {
		words = append(words, "Above the claim: "+listed(above)+".")
	}
	if random > 0 {
		a := (1 - b.Experiment.Confidence) / 2
		words = append(words, fmt.Sprintf("By chance, were all %s that chance has a part in exactly at their limits (0.05 above the claim), one or more would be above in at most about %s of such experiments, and about %.1f within, or fewer.",
			plural(random, "rate"), share(a), a*float64(random)))
	}
	return words
}

// boundWords says how many explicit bounds hold.
func (b *builder) boundWords() (words []string) {
	states := make(map[analysis.BoundState]int)
	var broken []string
	b.judgements(func(kind string, p *analysis.Pair, j *analysis.Judgement) {
		if j.Bound == nil {
			return
		}
		states[j.Bound.State]++
		if j.Bound.State == analysis.Broken {
			broken = append(broken, b.place(kind, p))
		}
	})
	n := states[analysis.Held] + states[analysis.Broken] + states[analysis.Unsettled]
	if n > 0 {
		words = append(words, fmt.Sprintf("Explicit bounds: %d of %d are held, %d broken, %d unsettled.", states[analysis.Held], n, states[analysis.Broken], states[analysis.Unsettled]))
	}
	if broken != nil {
		words = append(words, "Broken bounds: "+listed(broken)+".")
	}
	return words
}

// judgements visits the judgements of all pairs whose claims are judged.
func (b *builder) judgements(visit func(kind string, p *analysis.Pair, j *analysis.Judgement)) {
	for i := range b.Pairs {
		p := &b.Pairs[i]
		for _, of := range []struct {
			kind string
			j    *analysis.Judgement
		}{{"regret", &p.Regret}, {"violation", &p.Violation}} {
			if of.j.Claim != nil {
				visit(of.kind, p, of.j)
			}
		}
	}
}

// place names a judgement.
func (b *builder) place(kind string, p *analysis.Pair) string {
	text := fmt.Sprintf("%s of %s on %s", kind, b.title(p.Algorithm), b.title(p.Problem))
	if len(p.Unmet) > 0 {
		text += " (which lacks what it assumes)"
	}
	return text
}

// lossWords says what is not there.
func (b *builder) lossWords() (words []string) {
	cells, pairs := 0, []string(nil)
	for _, p := range b.Pairs {
		if p.Failed > 0 {
			cells += p.Failed
			pairs = append(pairs, fmt.Sprintf("%s on %s", b.title(p.Algorithm), b.title(p.Problem)))
		}
	}
	if pairs != nil {
		words = append(words, fmt.Sprintf("%s failed: of %s.", plural(cells, "cell"), listed(pairs)))
	}
	if b.Missing > 0 {
		words = append(words, fmt.Sprintf("The store lacks %s, so that the numbers are of fewer replicates than were asked for.", plural(b.Missing, "cell")))
	}
	return words
}

// leadWords says on each problem who has the least regret and the least violation.
func (b *builder) leadWords() (words []string) {
	if len(b.Problems) > maxProblems {
		return nil
	}
	for _, p := range b.Problems {
		var parts []string
		for _, m := range []algorithms.Metric{algorithms.RegretXHat, algorithms.SoftViolation} {
			for _, l := range b.Leads {
				if l.Problem == p.Spec && l.Metric == m {
					parts = append(parts, b.lead(l))
				}
			}
		}
		if parts != nil {
			words = append(words, fmt.Sprintf("%s: %s.", b.title(p.Spec), strings.Join(parts, "; ")))
		}
	}
	return words
}

// lead says who has the least of a metric, and whether that is significant.
func (b *builder) lead(l analysis.Lead) string {
	who, how := b.title(l.Algorithm)+" has", "not significantly less than every other"
	switch tied := b.tied(l); {
	case l.Significant && l.P.Defined():
		how = "significantly less than every other"
	case l.Significant:
		how = "less than every other"
	case tied > 1:
		who, how = fmt.Sprintf("%s and %s have", b.title(l.Algorithm), plural(tied-1, "other")), "the same"
	case !l.P.Defined():
		how = "not tested"
	}
	return fmt.Sprintf("%s the least %s at T, %s (%s)", who, b.Metric(l.Metric).Title, short(float64(b.finalOf(l, l.Algorithm))), how)
}

// tied is the number of algorithms with the value of a lead.
func (b *builder) tied(l analysis.Lead) (n int) {
	for _, e := range b.Algorithms {
		if b.finalOf(l, e.Spec) == b.finalOf(l, l.Algorithm) {
			n++
		}
	}
	return n
}

// finalOf is the final mean of an algorithm where a lead is.
func (b *builder) finalOf(l analysis.Lead, algorithm string) analysis.Number {
	p := b.Pair(algorithm, l.Problem)
	if p == nil {
		return none
	}
	return final(p.Series[l.Metric]).Value
}

// maxListed is the largest number of names in a sentence.
const maxListed = 5

// listed joins names, the first ones of many.
func listed(names []string) string {
	if n := len(names) - maxListed; n == 1 {
		names = append(slices.Clone(names[:maxListed]), "1 other")
	} else if n > 1 {
		names = append(slices.Clone(names[:maxListed]), fmt.Sprintf("%d others", n))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], "; ") + " and " + names[last]
}

// titles are the names of algorithms.
func (b *builder) titles(all []int) (names []string) {
	for _, k := range all {
		names = append(names, b.out.Algorithms[k].Title)
	}
	return names
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(float64(n)) + " " + thing
}

// share formats a share of 1, such as 95 %.
func share(v float64) string { return strconv.FormatFloat(100*v, 'g', 3, 64) + " %" }

// grouped formats an integer in groups of three digits.
func grouped(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	whole, rest, _ := strings.Cut(text, ".")
	sign := ""
	if digits, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "−", digits
	}
	if len(whole) > 4 {
		for k := len(whole) - 3; k > 0; k -= 3 {
			whole = whole[:k] + "\u202f" + whole[k:]
		}
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}

// short formats a number with three significant digits.
func short(v float64) string {
	switch size := math.Abs(v); {
	case size != 0 && (size >= 1e6 || size < 1e-3) && !math.IsInf(v, 0):
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
		n, _ := strconv.Atoi(exponent)
		return strings.Replace(digits, "-", "−", 1) + " · 10" + superscript(n)
	default:
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
		return grouped(v)
	}
}

// power formats a power of ten from 100 on as 10², and any other number in digits.
func power(v float64) string {
	if n := math.Round(math.Log10(v)); n >= 2 && math.Pow(10, n) == v {
		return "10" + superscript(int(n))
	}
	return grouped(v)
}

func superscript(n int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}
