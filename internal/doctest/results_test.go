package doctest

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/internal/golden"
)

// A rate is a row of the table of docs/rates.md: what one algorithm shows of one metric on one
// class of problems.
type rate struct{ problem, algorithm, metric, measured, claim, bound, both string }

// parseRates returns the rows of the table of docs/rates.md, and the sentence below it that names
// the version.
func parseRates(t *testing.T, document string) (rows []rate, version string) {
	t.Helper()
	_, table, found := strings.Cut(document, "\n| problem | algorithm | of | measured | claim |")
	table, _, closed := strings.Cut(table, "<!-- rates: end -->")
	if !found || !closed {
		t.Fatal("docs/rates.md has no table of rates")
	}
	for line := range strings.Lines(table) {
		if c := strings.Split(line, " | "); len(c) == 7 {
			rows = append(rows, rate{strings.TrimPrefix(c[0], "| "), c[1], c[2], c[3], c[4], c[5],
				strings.TrimRight(c[6], " |\n")})
		}
	}
	version = regexp.MustCompile(`Experiment rates, .*\b(amd64|arm64)\b`).FindString(table)
	if len(rows) < 100 || version == "" {
		t.Fatalf("docs/rates.md has %d rates of the version %q", len(rows), version)
	}
	return rows, version
}

// results returns the generated part of docs/results.md: a line for each algorithm and a column
// for each class of problems, from the rows of docs/rates.md.
func results(rows []rate, version, date string) string {
	var classes, heads, algorithms []string
	cells := make(map[[2]string][]rate)
	for _, r := range rows {
		if !slices.Contains(classes, r.problem) {
			classes = append(classes, r.problem)
			head, _, _ := strings.Cut(strings.Fields(r.problem)[0], ":")
			if slices.Contains(heads, head) {
				head = r.problem
			}
			heads = append(heads, head)
		}
		if !slices.Contains(algorithms, r.algorithm) {
			algorithms = append(algorithms, r.algorithm)
		}
		key := [2]string{r.algorithm, r.problem}
		cells[key] = append(cells[key], r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s. %s.\n\n| algorithm | claims: regret · violation | %s |\n%s|\n",
		date, version, strings.Join(heads, " | "), strings.Repeat("|:---", len(heads)+2))
	kept := make(map[string][]string)
	for _, a := range algorithms {
		var line []string
		claim, worst := "", "kept"
		for _, c := range classes {
			text, claims, verdict := resultCell(cells[[2]string{a, c}])
			line = append(line, text)
			if claims != "" {
				claim = claims
			}
			order := []string{"kept", "undecided", "none", "above"}
			if verdict != "" && slices.Index(order, verdict) > slices.Index(order, worst) {
				worst = verdict
			}
		}
		kept[worst] = append(kept[worst], "`"+a+"`")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a, claim, strings.Join(line, " | "))
	}
	for _, k := range [][2]string{
		{"kept", "Both claims kept on every class that was played"},
		{"undecided", "Kept on every class but those where the games do not decide"},
		{"above", "Above a claim on some class"},
		{"none", "Not judged, because one of the two exponents is not claimed"},
	} {
		fmt.Fprintf(&b, "\n- %s: %s.", k[1], strings.Join(kept[k[0]], ", "))
	}
	held, broken := 0, 0
	for _, r := range rows {
		if strings.HasPrefix(r.bound, "held") {
			held++
		} else if strings.HasPrefix(r.bound, "broken") {
			broken++
		}
	}
	fmt.Fprintf(&b, "\n- Bounds with constants, where the proof has them: %d held by every game or "+
		"by the mean, %d broken.\n", held, broken)
	return b.String()
}

// resultCell returns what an algorithm shows on one class, what it claims of regret and violation,
// and whether it keeps both: kept, undecided, above, or none if one is not claimed. All are empty
// where the algorithm was not played.
func resultCell(rows []rate) (text, claims, verdict string) {
	var shown, claimed []string
	for _, r := range rows {
		if r.metric == "dynamic" {
			continue
		}
		exponent := regexp.MustCompile(` \[[^]]*\]`).ReplaceAllString(r.measured, "")
		shown = append(shown, exponent)
		claimed = append(claimed, strings.TrimPrefix(r.metric, "vs ")+" "+r.claim)
	}
	switch {
	case len(rows) == 0:
		return "", "", ""
	case rows[0].both == "✓":
		verdict = "kept"
	case rows[0].both == "▲" || rows[0].both == "△":
		verdict = "above"
	case rows[0].both == "?":
		verdict = "undecided"
	default:
		verdict = "none"
	}
	return strings.Join(shown, " · "), strings.Join(claimed, " · "), verdict
}

// splitResults returns the parts of docs/results.md before, within and after the markers, and the
// date of the measurement.
func splitResults(t *testing.T) (before, within, after, date string) {
	t.Helper()
	document, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)^(.*<!-- rates: begin -->\n)(.*)(<!-- rates: end -->.*)$`).
		FindStringSubmatch(string(document))
	if m == nil {
		t.Fatalf("%s has no markers", resultsFile)
	}
	day := regexp.MustCompile(`Measured on (\d{4}-\d\d-\d\d)\.`).FindStringSubmatch(m[2])
	if day == nil {
		day = []string{"", "unknown"}
	}
	return m[1], m[2], m[3], day[1]
}

const resultsFile = "docs/results.md"

// writeResults replaces the generated part of docs/results.md by that of docs/rates.md.
func writeResults(t *testing.T, rates, date string) {
	t.Helper()
	before, _, after, _ := splitResults(t)
	rows, version := parseRates(t, rates)
	text := before + results(rows, version, date) + after
	if err := os.WriteFile(resultsFile, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestResultsDocument checks that docs/results.md has the numbers of docs/rates.md.
// scripts/rates.sh writes both.
func TestResultsDocument(t *testing.T) {
	rates, err := os.ReadFile("docs/rates.md")
	if err != nil {
		t.Fatal(err)
	}
	_, within, _, date := splitResults(t)
	rows, version := parseRates(t, string(rates))
	if d := golden.Diff(resultsFile, within, results(rows, version, date)); d != "" {
		t.Errorf("%sif docs/rates.md is right, run scripts/rates.sh", d)
	}
}

// TestResultCell has one cell of each verdict.
func TestResultCell(t *testing.T) {
	regret := func(both string) rate {
		return rate{metric: "vs xmin", measured: "≤ 0 ✓", claim: "t^0.5", both: both}
	}
	hard := rate{metric: "hard", measured: "0.70 [0.53, 0.82] △", claim: "t^0.75"}
	dynamic := rate{metric: "dynamic", measured: "1.03 [1.02, 1.03]", claim: "√t(1 + P\\_t)"}
	for _, c := range []struct {
		name                  string
		rows                  []rate
		text, claims, verdict string
	}{
		{"not played", nil, "", "", ""},
		{"kept", []rate{regret("✓"), hard}, "≤ 0 ✓ · 0.70 △", "xmin t^0.5 · hard t^0.75", "kept"},
		{"above", []rate{regret("△"), dynamic, hard}, "≤ 0 ✓ · 0.70 △", "xmin t^0.5 · hard t^0.75", "above"},
		{"undecided", []rate{regret("?"), hard}, "≤ 0 ✓ · 0.70 △", "xmin t^0.5 · hard t^0.75", "undecided"},
		{"regret alone", []rate{regret("–")}, "≤ 0 ✓", "xmin t^0.5", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, claims, verdict := resultCell(c.rows)
			if text != c.text || claims != c.claims || verdict != c.verdict {
				t.Errorf("got %q, %q, %q; want %q, %q, %q", text, claims, verdict, c.text, c.claims, c.verdict)
			}
		})
	}
}
