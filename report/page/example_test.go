package page_test

import (
	"bytes"
	"fmt"

	"ocobench/harness/analysis"
	"ocobench/report/page"
)

func Example() {
	a := &analysis.Analysis{Experiment: analysis.Experiment{
		Name: "nothing yet", Horizon: []int{100}, Replicates: 3,
	}}
	var html bytes.Buffer
	if err := page.Write(&html, []page.Item{{Analysis: a}}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(page.IsPage(html.Bytes()),
		bytes.Contains(html.Bytes(), []byte("0 algorithms on 0 problems (0 pairs played). 3 "+
			"replicates, T\u00a0=\u00a0100, seed 0.")))
	// Output: true true
}
