package paper

import (
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/problems"
	"ocobench/stats"
)

// A claim against X^E is held to X^E where the problem knows it, and to X^max
// elsewhere, which the table says; other claims to their own sets.
func TestRatesAgainstExpectation(t *testing.T) {
	e, err := spec.Parse("e.yaml", []byte("name: sets\nhorizon: 200\nreplicates: 2\nassumptions: ignore\n"+
		"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: yu-neely-wei}, {use: neely-yu}]"))
	if err != nil {
		t.Fatal(err)
	}
	r := play(t, t.TempDir(), harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}, e)
	rates, err := Rates(r)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"iid yu-neely-wei": "vs xe", "shrinking yu-neely-wei *": "vs xmax",
		"iid neely-yu": "vs xmin", "shrinking neely-yu *": "vs xmin",
	}
	for _, row := range rates.Rows {
		pair := row[0].Plain + " " + row[1].Plain
		if row[2].Plain != want[pair] || row[3].Plain == "–" {
			t.Errorf("%s is measured %q: %s, want %q", pair, row[2].Plain, row[3].Plain, want[pair])
		}
		delete(want, pair)
	}
	if len(want) > 0 {
		t.Errorf("no rows for %v", want)
	}
	said := false
	for _, n := range rates.Notes {
		said = said || strings.Contains(n.Plain, "measured against xmax where")
	}
	if !said {
		t.Errorf("the notes do not say that xmax stands in: %v", rates.Notes)
	}
}

// The mean, some ¾√t + t/4000, keeps the claim √t that the second path breaks.
func TestJudgePaths(t *testing.T) {
	c := stats.Curve{Y: make([][]float64, 4)}
	for k := 100.0; k <= 1e4; k *= 1.5 {
		c.T = append(c.T, k)
		for r := range c.Y {
			v := math.Sqrt(k) * (1 + float64(r)/100)
			if r == 1 {
				v = k / 1000
			}
			c.Y[r] = append(c.Y[r], v)
		}
	}
	f, err := stats.Growth{Confidence: 0.5}.Fit(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := judge(algorithms.Claim{Exponent: 0.5}, f); got != "supported; 25 % of paths above" {
		t.Errorf("%s of exponent %v [%v, %v]", got, f.Exponent, f.Lower, f.Upper)
	}
	if got := judge(algorithms.Claim{Exponent: 1}, f); got != "supported" {
		t.Errorf("%s of the claim t", got)
	}
}
