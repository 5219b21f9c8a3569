package page

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"ocobench/stats"
)

// verdictKey returns the name of a verdict in the script and the style of the page, such as
// at-most.
func verdictKey(v stats.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") }

// verdicts returns the table from which the page takes all signs and words of verdicts, in the
// order of legends. The last entry, with the key "", stands for a pair that was not played or is
// not judged.
var verdicts = sync.OnceValue(func() (all []verdictData) {
	known := append(slices.Clone(stats.Verdicts), "")
	for _, v := range known {
		data := verdictData{Key: verdictKey(v), Sign: v.Sign(), Word: v.Word("√t"),
			Claim: v.Word("the claim"), Doc: verdictMeaning(v)}
		// The severity counts the verdicts that are less bad.
		for _, other := range known {
			if other != v && stats.Worst(v, other) == v {
				data.Severity++
			}
		}
		all = append(all, data)
	}
	return all
})

// verdictMeaning says when a verdict is given.
func verdictMeaning(v stats.Verdict) string {
	switch v {
	case stats.AtMost:
		return fmt.Sprintf("The upper bound of the exponent is below the claimed one (½ for √t) plus "+
			"%g, and the exponent is not shown to rise above that; ≤ 0 is at most any rate.", stats.Near)
	case stats.Above:
		return fmt.Sprintf("The lower bound of the exponent is above the claimed one plus %g.",
			stats.Beyond)
	case stats.Slowing:
		return "As " + stats.Above.Sign() + ", and the exponent is shown to fall along the window. " +
			"A longer horizon may tell."
	case stats.Undecided:
		return "The bounds of the exponent allow both. More replicates or a longer horizon may tell."
	case stats.TooLittle:
		return "The window is too short, has too few checkpoints, or there are too few replicates; or " +
			"the mean has become positive only in the last half of the window."
	}
	return "The problem lacks what the algorithm assumes; or the growth of the metric is not judged."
}
