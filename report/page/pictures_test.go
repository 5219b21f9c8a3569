package page

import (
	"net/url"
	"testing"

	"ocobench/internal/golden"
)

// The answers, the exponents, the verdicts on the claims and the facts of an open cell are what
// somebody has read: of an experiment with several horizons, a failed cell and an assumption that
// is not met.
func TestPictures(t *testing.T) {
	a := analysed(t, `name: picture
horizon: [20, 40, 80, 160, 320]
replicates: 6
window: 1.5
problems: [{use: iid, dim: 2}, {use: decaying-frequency, c: 0.5}]
algorithms: [{use: penalised-ftrl, gamma: 25, label: ours}, {use: primal-dual, step: 5}, {use: ogd},
  {use: yu-neely-wei}, {use: mahdavi}]
`)
	first, second := &a.Pairs[0], &a.Pairs[1]
	first.Failed, first.Failure, second.Unmet = 2, "it fell", []string{"a Slater point"}
	open := "problem=" + url.QueryEscape(second.Problem) + "&algorithms=" +
		url.QueryEscape(second.Algorithm)
	golden.File(t, "pictures.txt", inNode(t, "pictures.js", saved(t, Item{Analysis: a}), "answers",
		"matrix-table#show=exponent", "matrix-table#show=verdict", "facts#"+open), *update)
}
