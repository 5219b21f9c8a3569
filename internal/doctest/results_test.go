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

// formatResults returns the generated part of docs/results.md: a line for each algorithm and a
// column for each class of problems, from the rows of docs/rates.md.
func formatResults(pairs []pair, version, date string) string {
	var classes, heads, algorithms []string
	cells := make(map[[2]string]pair)
	held, broken := 0, 0
	for _, p := range pairs {
		if !slices.Contains(algorithms, p.algorithm) {
			algorithms = append(algorithms, p.algorithm)
		}
		for _, bound := range []string{p.regretBound, p.violationBound} {
			if strings.HasPrefix(bound, "broken") {
				broken++
			} else if bound != "" && bound != "–" {
				held++
			}
		}
		cells[[2]string{p.algorithm, p.class}] = p
		if strings.HasPrefix(p.class, "*claim") || strings.HasSuffix(p.class, ofDynamic) ||
			slices.Contains(classes, p.class) {
			continue
		}
		classes = append(classes, p.class)
		head, _, _ := strings.Cut(p.class, ":")
		if slices.Contains(heads, head) {
			head = p.class
		}
		heads = append(heads, head)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| algorithm | claims: regret · violation | %s |\n%s|\n",
		strings.Join(heads, " | "), strings.Repeat("|:---", len(heads)+2))
	byVerdict := make(map[string][]string) // the algorithms by their worst verdict
	for _, a := range algorithms {
		var line []string
		worst := "kept"
		for _, c := range classes {
			text, verdict := resultCell(cells[[2]string{a, c}])
			line = append(line, text)
			order := []string{"kept", "undecided", "none", "above"}
			if slices.Index(order, verdict) > slices.Index(order, worst) {
				worst = verdict
			}
		}
		byVerdict[worst] = append(byVerdict[worst], "`"+a+"`")
		claim := cells[[2]string{a, claimed}]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a, joinNonEmpty(claim.regret, claim.violation),
			strings.Join(line, " | "))
	}
	for _, k := range [][2]string{
		{"kept", "Both claims kept on every class that was played"},
		{"undecided", "Kept on every class but those where the games do not decide"},
		{"above", "Above a claim on some class"},
		{"none", "Not judged, because one of the two exponents is not claimed"},
	} {
		fmt.Fprintf(&b, "\n- %s: %s.", k[1], strings.Join(byVerdict[k[0]], ", "))
	}
	fmt.Fprintf(&b, "\n- Bounds with constants, where the proof has them: %d held by every game or "+
		"by the mean, %d broken.\n\nMeasured on %s. %s.\n", held, broken, date, version)
	return b.String()
}

// joinNonEmpty joins the texts that are not empty by a dot.
func joinNonEmpty(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), " · ")
}

// resultCell returns the sign of the regret and of the violation on one class, or the exponent
// where there is no sign, and whether the algorithm keeps both claims: kept, undecided, above, or
// none if one is not claimed or not measured. Both are empty where the algorithm was not played.
func resultCell(p pair) (text, verdict string) {
	sign := func(measured string) string {
		for _, s := range []string{"✓", "▲", "△", "?"} {
			if strings.HasSuffix(measured, s) {
				return s
			}
		}
		exponent, _, _ := strings.Cut(measured, " [")
		return exponent
	}
	text = joinNonEmpty(sign(p.regret), sign(p.violation))
	has := func(signs string) bool { return strings.ContainsAny(text, signs) }
	switch {
	case text == "":
		return "", ""
	case has("▲△"):
		verdict = "above"
	case strings.Count(text, "✓") == 2:
		verdict = "kept"
	case has("?"):
		verdict = "undecided"
	default:
		verdict = "none"
	}
	return text, verdict
}

// splitResults returns the parts of docs/results.md before, within and after the markers, and the
// date and the version of the measurement.
func splitResults(t *testing.T) (before, within, after, date, version string) {
	t.Helper()
	document, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?s)^(.*<!-- rates: begin -->\n)(.*)(<!-- rates: end -->.*)$`).
		FindStringSubmatch(string(document))
	if m == nil {
		t.Fatalf("%s: got no markers, want them", resultsFile)
	}
	v := regexp.MustCompile(`Measured on (\S+)\. (Experiment rates, .*)\.\n`).FindStringSubmatch(m[2])
	if v == nil {
		v = []string{"", "unknown", "unknown"}
	}
	return m[1], m[2], m[3], v[1], v[2]
}

const resultsFile = "docs/results.md"

// writeResults replaces the generated part of docs/results.md by that of docs/rates.md.
func writeResults(t *testing.T, pairs []pair, version, date string) {
	t.Helper()
	before, _, after, _, _ := splitResults(t)
	text := before + formatResults(pairs, version, date) + after
	if err := os.WriteFile(resultsFile, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestResultsDocumentHasTheNumbersOfRates checks that docs/results.md has the numbers of
// docs/rates.md. scripts/rates.sh writes both.
func TestResultsDocumentHasTheNumbersOfRates(t *testing.T) {
	rates, err := os.ReadFile(ratesFile)
	if err != nil {
		t.Fatal(err)
	}
	pairs := parsePairs(t, string(rates))
	if len(pairs) < 100 {
		t.Fatalf("%s: got %d rows, want at least 100", ratesFile, len(pairs))
	}
	_, within, _, date, version := splitResults(t)
	if d := golden.Diff(resultsFile, within, formatResults(pairs, version, date)); d != "" {
		t.Errorf("%sif %s is right, run scripts/rates.sh", d, ratesFile)
	}
}

// TestResultCellHasTextAndVerdict checks the text and the verdict of a cell of each kind.
func TestResultCellHasTextAndVerdict(t *testing.T) {
	for _, c := range []struct {
		name, regret, violation, text, verdict string
	}{
		{"not played", "", "", "", ""},
		{"kept", "≤ 0 ✓", "0.70 [0.53, 0.82] ✓", "✓ · ✓", "kept"},
		{"above", "≤ 0 ✓", "0.70 [0.53, 0.82] △", "✓ · △", "above"},
		{"undecided", "≤ 0 ✓", "0.70 [0.53, 0.82] ?", "✓ · ?", "undecided"},
		{"no claim", "≤ 0 ✓", "0.70 [0.53, 0.82]", "✓ · 0.70", "none"},
		{"too little evidence", "–", "0.70 [0.53, 0.82] ✓", "– · ✓", "none"},
		{"regret alone", "≤ 0 ✓", "", "✓", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, verdict := resultCell(pair{regret: c.regret, violation: c.violation})
			if text != c.text || verdict != c.verdict {
				t.Errorf("got %q, %q; want %q, %q", text, verdict, c.text, c.verdict)
			}
		})
	}
}
