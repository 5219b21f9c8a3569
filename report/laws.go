package report

import (
	"fmt"
	"io"
	"strings"

	"ocobench/harness/conform"
	"ocobench/report/table"
)

// lawColumn is the column of the texts beside verdicts and facts.
const lawColumn = 33

// WriteLawVerdict writes the verdict on a law with its rule, or why the law was skipped. For a
// broken law it adds what is wrong and the remedy.
func WriteLawVerdict(v conform.Verdict, w *table.Folded) {
	line := v.Doc
	if v.Verdict == conform.Skipped {
		line = v.Reason
	}
	w.Item(lawColumn, fmt.Sprintf("  %-14s  %-13s", v.Verdict, v.Law), line)
	if v.Verdict == conform.Broken {
		for text := range strings.SplitSeq(v.Reason+"\n"+v.Remedy, "\n") {
			if strings.HasPrefix(text, " ") { // what the program said
				fmt.Fprintf(w.W, "      %s\n", text)
			} else {
				w.Item(6, "", text)
			}
		}
	}
}

// WriteUndeclared writes which facts a problem does not declare, and the algorithms that are not
// played on it for that reason.
func WriteUndeclared(r conform.Result, w *table.Folded) {
	if len(r.Undeclared) == 0 {
		return
	}
	w.Item(2, "", "Not declared, which excludes algorithms (declare what is true of all rounds):")
	for _, u := range r.Undeclared {
		w.Item(lawColumn, "  "+u.Fact, "excludes "+strings.Join(u.Excludes, ", "))
	}
}

// WriteLawCounts writes how many laws there are of each verdict.
func WriteLawCounts(r conform.Result, w io.Writer) {
	broken, hint := r.Count(conform.Broken), ""
	if broken > 1 {
		hint = "; begin with the first one, which may break others"
	}
	skipped := r.Count(conform.Skipped)
	if skipped > 0 {
		hint = " (--law NAME and --json say why)" + hint
	}
	fmt.Fprintf(w, "  %d hold, %d broken, %d not applicable%s\n\n",
		r.Count(conform.Holds), broken, skipped, hint)
}
