package report_test

import (
	"bytes"
	"fmt"

	"ocobench/harness/analysis"
	"ocobench/paper/report"
)

func Example() {
	a := &analysis.Analysis{Experiment: analysis.Experiment{Name: "nothing yet", Horizon: []int{100}, Replicates: 3}}
	var page bytes.Buffer
	if err := report.Write(&page, []report.Item{{Analysis: a}}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(report.Marked(page.Bytes()), bytes.Contains(page.Bytes(), []byte("0 algorithms on 0 problems (0 pairs played). 3 replicates, T = 100, seed 0.")))
	// Output: true true
}
