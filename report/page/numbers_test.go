package page

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// Every final mean and every exponent by which growth is judged has on the page the text that
// tables have.
func TestPageWritesNumbersAsTablesDo(t *testing.T) {
	a := analysed(t, `name: small
horizon: 120
replicates: 3
problems: [{use: decaying-frequency, c: [0.5, 1]}, {use: shrinking}]
algorithms: [{use: penalised-ftrl, gamma: 25}, {use: primal-dual, step: 5}]
`)
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
