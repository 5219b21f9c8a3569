package page

import (
	"net/url"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/internal/golden"
)

// What a page shows of an experiment with several horizons, failed cells and assumptions that are
// not met, and of many algorithms beside another store, is what somebody has read.
func TestPictures(t *testing.T) {
	a := analysed(t, `name: picture
description: "what a page shows"
horizon: [20, 40, 80, 160, 320]
replicates: 6
window: 1.5
problems: [{use: iid, dim: 2}, {use: decaying-frequency, c: [0.5, 1]}, {use: shrinking}]
algorithms: [{use: penalised-ftrl, gamma: 25, label: ours}, {use: primal-dual, step: [1, 5]},
  {use: ogd}, {use: yu-neely-wei}, {use: mahdavi}]
`)
	first, second := &a.Pairs[0], &a.Pairs[1]
	first.Failed, first.Failure, second.Unmet = 2, "it fell", []string{"a Slater point"}
	file := saved(t, Item{Analysis: a}, Item{Analysis: besideAnother()})
	opened := func(p *analysis.Pair) string {
		return "&problem=" + url.QueryEscape(p.Problem) + "&algorithms=" + url.QueryEscape(p.Algorithm)
	}
	golden.File(t, "pictures.txt", inNode(t, "pictures.js", file, "",
		"#show=exponent&replicates=1"+opened(first), "#show=verdict&over=problems"+opened(second),
		"#show=bound&rows=problems&metric=regret_xhat"+opened(first), "#show=rank&metric=regret_xhat",
		"#x=planted&equal=1",
		"#x=planted&show=difference"+opened(&analysis.Pair{Problem: "iid", Algorithm: "a1"}),
	), *update)
}
