package paper

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"ocobench/paper/claims"
	"ocobench/paper/published"
	"ocobench/report/table"
)

// A verdict and a comparison are as wide as the terminal, and no wider, and have the same words
// at every width.
func TestTextsAreAsWideAsTheTerminal(t *testing.T) {
	texts := make(map[string][]string)
	for _, width := range []int{60, 80, 120, 20000} {
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
			texts[what] = append(texts[what], strings.Join(strings.Fields(out.String()), " "))
		}
		for _, c := range claims.All() {
			check(c.Name, func(out *strings.Builder) error {
				return WriteVerdict(out, claims.Verdict{Claim: c, State: claims.Holds}, width)
			})
		}
		if width < 1000 && longest < width-8 {
			t.Errorf("no line of a claim has more than %d characters of %d", longest, width)
		}
		longest = 0
		for _, e := range published.All() {
			check(e.Name, func(out *strings.Builder) error {
				return WriteComparison(out, published.Verdict{Entry: e, State: published.NotDetermined,
					Reason: "it was not played"}, width)
			})
		}
		if width < 1000 && longest < width-8 {
			t.Errorf("no line of a comparison has more than %d characters of %d", longest, width)
		}
	}
	for what, all := range texts {
		for _, text := range all[1:] {
			if text != all[0] {
				t.Errorf("%s: other words at another width:\n%s\n%s", what, all[0], text)
			}
		}
	}
}

// A measured value has the places of three digits of its noise, or none behind the point.
func TestMeasuredText(t *testing.T) {
	nan := math.NaN()
	for want, m := range map[string][2]float64{
		"2.250 ± 0.125": {2.25, 0.125}, "-17.5 ± 12.5": {-17.5, 12.5}, "1234 ± 250": {1234, 250},
		"7 ± 1300": {7, 1300}, "2.50 ± 1.00": {2.5, 1}, "0.002500 ± 0.000120": {0.0025, 0.00012},
		"0.333333 ± 0": {1. / 3, 0}, "2.5": {2.5, nan}, "·": {nan, 1},
	} {
		if got := measuredText(published.Measured{Mean: m[0], Error: m[1]}); got != want {
			t.Errorf("%v: %q, want %q", m, got, want)
		}
	}
}

// What a quick run writes says so in every format for reading, and nothing else does.
func TestQuickIsSaid(t *testing.T) {
	verdicts := []claims.Verdict{madeUp(claims.Fails)}
	compared := []published.Verdict{{Entry: published.All()[0], State: published.Differs,
		Games: published.All()[0].Judge(true, nil).Games}}
	for _, quick := range []bool{false, true} {
		for what, write := range map[string]func(out *strings.Builder) error{
			"document": func(out *strings.Builder) error {
				return WriteVerdictsMarkdown(out, verdicts, quick)
			},
			"table": func(out *strings.Builder) error {
				return table.WriteTerminal(out, Verdicts(verdicts, quick), 100)
			},
			"document of comparisons": func(out *strings.Builder) error {
				return WriteComparisonsMarkdown(out, compared, quick)
			},
			"table of comparisons": func(out *strings.Builder) error {
				return table.WriteTerminal(out, Comparisons(compared, quick), 100)
			},
		} {
			var out strings.Builder
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "quick run") != quick {
				t.Errorf("%s, quick=%v:\n%s", what, quick, &out)
			}
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
