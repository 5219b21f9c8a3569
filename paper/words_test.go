package paper

import (
	"strings"
	"testing"
	"unicode"

	"ocobench/paper/claims"
	"ocobench/paper/published"
)

// A verdict and a comparison are as wide as the terminal, and no wider.
func TestTextsAreAsWideAsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		longest := 0
		check := func(what string, write func(out *strings.Builder) error) {
			var out strings.Builder
			if err := write(&out); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for line := range strings.Lines(out.String()) {
				n := 0
				for _, r := range strings.TrimRight(line, "\n") {
					if !unicode.Is(unicode.Mn, r) { // a circumflex is over the letter before it
						n++
					}
				}
				if n > width && len(strings.Fields(line)) > 2 {
					t.Errorf("%s: %d characters of %d: %s", what, n, width, line)
				}
				longest = max(longest, n)
			}
		}
		for _, c := range claims.All() {
			check(c.Name, func(out *strings.Builder) error {
				return WriteVerdict(out, claims.Verdict{Claim: c, State: claims.Holds}, width)
			})
		}
		if longest < width-8 {
			t.Errorf("no line of a claim has more than %d characters of %d", longest, width)
		}
		longest = 0
		for _, e := range published.All() {
			check(e.Name, func(out *strings.Builder) error {
				return WriteComparison(out, published.Verdict{Entry: e, State: published.NotDetermined,
					Reason: "it was not played"}, width)
			})
		}
		if longest < width-8 {
			t.Errorf("no line of a comparison has more than %d characters of %d", longest, width)
		}
	}
}

// The comparisons are counted by their verdicts, and verdicts that none has are left out.
func TestCountedComparisons(t *testing.T) {
	all := []published.Verdict{{State: published.Differs}, {State: published.NotDetermined},
		{State: published.Differs}}
	want := string(published.Differs) + " 2, " + string(published.NotDetermined) + " 1"
	if got := countedComparisons(all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
