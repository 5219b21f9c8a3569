package analysis

import "ocobench/stats"

// Outcome says which of two algorithms keep both regret and violation at √t on a problem.
type Outcome string

const (
	FirstKeeps  Outcome = "first"  // the first keeps both, and the second is not shown to
	SecondKeeps Outcome = "second" // the second keeps both, and the first is not shown to
	BothKeep    Outcome = "both"   // each is shown to keep both
	// Tie: one keeps both; the other is undecided, and the two were compared on each metric that it is
	// undecided on, without showing that it ends with more ([Comparison.Sign]). Verdicts are about
	// growth, and say nothing of how much there is.
	Tie          Outcome = "tie"
	NeitherKeeps Outcome = "neither" // neither is shown to keep both
	// NotJudged: one of them was not played, or has no verdict.
	NotJudged Outcome = "not judged"
)

// Keeps reports whether both regret and violation of a pair are shown to grow at most like √t,
// or are never positive.
func (p *Pair) Keeps() bool { return p.SqrtVerdict == stats.AtMost }

// Outcome returns which of two algorithms, given by their SPECs, keep regret and violation in the
// [Focus] of a problem at √t. It follows from the verdicts and the comparisons.
func (a *Analysis) Outcome(first, second, problem string) Outcome {
	p, q := a.Pair(first, problem), a.Pair(second, problem)
	switch {
	case p == nil || q == nil || p.SqrtVerdict == "" || q.SqrtVerdict == "":
		return NotJudged
	case p.Keeps() && q.Keeps():
		return BothKeep
	case p.Keeps() && a.isUndecidedWithoutMore(second, first, problem),
		q.Keeps() && a.isUndecidedWithoutMore(first, second, problem):
		return Tie
	case p.Keeps():
		return FirstKeeps
	case q.Keeps():
		return SecondKeeps
	}
	return NeitherKeeps
}

// isUndecidedWithoutMore reports whether the verdict on an algorithm is undecided and, on each
// metric on which it is, a comparison with the other algorithm was made and does not show that the
// algorithm ends with more.
func (a *Analysis) isUndecidedWithoutMore(algorithm, other, problem string) bool {
	p, focus := a.Pair(algorithm, problem), a.Focus.On(problem)
	if p.SqrtVerdict != stats.Undecided {
		return false
	}
	for _, m := range focus.Metrics() {
		if p.Series[m].SqrtVerdict != stats.Undecided {
			continue
		}
		if c, ok := a.Comparisons.Between(algorithm, other, problem, m); !ok || c.State != Measured ||
			c.Sign > 0 {
			return false
		}
	}
	return true
}
