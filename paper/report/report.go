// Package report makes a page of analyses: one HTML file that needs no network, with
// tables, curves and the data behind them. The page computes nothing but its layout.
package report

import (
	"encoding/json"
	"fmt"
	"html"
	"io"

	"ocobench/harness/analysis"
	"ocobench/paper/table"
)

// Schema names the form of the data in a page.
const Schema = "ocobench report 1"

type Item struct {
	Analysis *analysis.Analysis
	Tables   []*table.Table
}

func Write(w io.Writer, all []Item) error {
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"ocobench stub\">\n")
	for _, it := range all {
		fmt.Fprintf(w, "<h2>%s</h2>%s", html.EscapeString(it.Analysis.Experiment.Name), html.EscapeString(it.Analysis.Experiment.Description))
		d, err := json.Marshal(it.Analysis)
		if err != nil {
			return err
		}
		w.Write(d)
	}
	return nil
}
