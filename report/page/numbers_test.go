package page

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report"
	"ocobench/report/table"
	"ocobench/stats"
)

// Every final mean and every exponent by which growth is judged is the same text in the tables, in
// the macros and on the page.
func TestEveryNumberHasOneText(t *testing.T) {
	a := analysed(t, `name: small
horizon: 120
replicates: 3
problems: [{use: decaying-frequency, c: [0.5, 1]}, {use: shrinking}]
algorithms: [{use: penalised-ftrl, gamma: 25}, {use: primal-dual, step: 5}]
`)
	dir := t.TempDir()
	if _, err := report.Write(dir, a, report.Options{}); err != nil {
		t.Fatal(err)
	}
	read := func(pattern string) (all string) {
		files, err := filepath.Glob(filepath.Join(dir, "small", pattern))
		if err != nil || files == nil {
			t.Fatalf("no file %s (%v)", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		return all
	}
	tables, latex := read("tables/finals.txt"), read("tables/finals.tex")
	macros := read("tables/macros.tex")
	exponents := read("tables/exponents.txt")
	numbers := 0
	has := func(where, text, want string) {
		t.Helper()
		if numbers++; !strings.Contains(text, want) {
			t.Errorf("%s has no %q", where, want)
		}
	}
	for _, p := range a.Pairs {
		for _, m := range a.Metrics {
			s := p.Series[m.Name]
			if !m.Shown || !m.Fitted || s == nil || s.State != analysis.Measured {
				continue
			}
			e := s.Mean.Final()
			mean := table.Number(float64(e.Value), float64(e.Upper-e.Value))
			tex := strings.Trim(mean.TeX, "$")
			if m.Name != algorithms.HardViolation { // finals has no room for it
				has("finals.txt", tables, mean.Plain)
				has("finals.tex", latex, tex)
			}
			value := "{" + tex + "}"
			if strings.Trim(tex, "0123456789.") != "" {
				value = `{\ensuremath` + value + "}"
			}
			has("macros.tex", macros, value)
			if e, ok := s.Judged(); ok && !s.NeverPositive() {
				text := table.Exponent(float64(e.Value), math.NaN(), math.NaN())
				if s.SqrtVerdict != stats.TooLittle {
					has("exponents.txt", exponents, text.Plain)
				}
				has("macros.tex", macros, "{"+text.Plain+"}")
			}
		}
	}
	if numbers < 40 {
		t.Errorf("%d numbers are compared", numbers)
	}
	samePage(t, a)
}

// samePage compares the final means and the exponents that the script of the page writes with those
// of the tables.
func samePage(t *testing.T, a *analysis.Analysis) {
	type number struct {
		Value analysis.Number   `json:"value"`
		Lower analysis.Number   `json:"lower"`
		Upper analysis.Number   `json:"upper"`
		Half  analysis.Number   `json:"half"`
		Text  map[string]string `json:"text"`
	}
	var all []number
	data, _ := dataOf(t, written(t, Item{Analysis: a}))
	for i, pair := range data.Experiments[0].Pairs {
		p := a.Pairs[i]
		for name, s := range pair.Series {
			e := p.Series[algorithms.Metric(name)].Mean.Final()
			all = append(all, number{s.Final.Value, s.Final.Lower, s.Final.Upper, s.Final.Upper,
				map[string]string{"plusMinus": table.Number(float64(e.Value),
					float64(e.Upper-e.Value)).Plain}})
			if e, ok := p.Series[algorithms.Metric(name)].Judged(); ok {
				end := s.Fit.End.Exponent
				all = append(all, number{end.Value, end.Lower, end.Upper, end.Upper,
					map[string]string{"exponent": table.Exponent(float64(e.Value), float64(e.Lower),
						float64(e.Upper)).Plain}})
			}
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "numbers.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	inNode(t, "charts.js", file)
}
