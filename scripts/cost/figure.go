package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"ocobench/report/figure"
	"ocobench/report/tex"
)

// maxLines is the largest number of lines in a panel; more are illegible.
const maxLines = 7

// Cost returns the figure of the cost of a round in nanoseconds, against the number of
// rounds T. Times are not reproducible, so that they are no part of an analysis: the figure is made
// from the output of benchmarks,
//
//	go test -run '^$' -bench . -count 5 ./harness/...
//
// It takes those with T=… in their name, whose operation is a game of T rounds. A panel is a
// benchmark, with a line for each of its other parameters: the median of its runs, with the least
// and the largest as interval. The error says what cannot be read, or that there is no such
// benchmark.
func Cost(benchmarks io.Reader) (*figure.Figure, error) {
	type curve struct {
		panel, label string
		t            []float64
		costs        [][]float64 // by T
	}
	var curves []*curve
	reader := benchfmt.NewReader(benchmarks, "benchmarks")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			if err, bad := reader.Result().(*benchfmt.SyntaxError); bad {
				return nil, fmt.Errorf("cost: %w", err)
			}
			continue
		}
		seconds, ok := result.Value("sec/op")
		panel, label, rounds := costName(result.Name)
		if !ok || rounds <= 0 {
			continue
		}
		k := slices.IndexFunc(curves, func(c *curve) bool { return c.panel == panel && c.label == label })
		if k < 0 {
			k, curves = len(curves), append(curves, &curve{panel: panel, label: label})
		}
		c := curves[k]
		index, found := slices.BinarySearch(c.t, rounds)
		if !found {
			c.t, c.costs = slices.Insert(c.t, index, rounds), slices.Insert(c.costs, index, nil)
		}
		c.costs[index] = append(c.costs[index], 1e9*seconds/rounds)
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("cost: %w", err)
	}
	f := &figure.Figure{}
	for _, c := range curves {
		k := slices.IndexFunc(f.Panels, func(p figure.Panel) bool {
			return p.Title == c.panel && len(p.Series) < maxLines
		})
		if k < 0 {
			k = len(f.Panels)
			f.Panels = append(f.Panels, figure.Panel{
				Title: c.panel,
				X:     figure.Axis{Label: "$T$", Scale: figure.Log},
				Y:     figure.Axis{Label: "nanoseconds a round", Scale: figure.Log},
				Ends:  true,
			})
		}
		s := figure.Series{Label: c.label, Style: len(f.Panels[k].Series), X: c.t}
		for _, runs := range c.costs {
			slices.Sort(runs)
			s.Y, s.Lower, s.Upper = append(s.Y, runs[len(runs)/2]), append(s.Lower, runs[0]),
				append(s.Upper, runs[len(runs)-1])
		}
		f.Panels[k].Series = append(f.Panels[k].Series, s)
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("cost: no benchmark with T=… in its name, such as FTRL/problem=iid/T=1000")
	}
	f.Columns, f.Width, f.Height = min(len(f.Panels), 2), 8.4, 5.2
	return f, nil
}

// costName returns the parts of the name of a benchmark, such as FTRL/problem=iid/n=2/T=1000:
// the title FTRL, the label of the other parameters, and T, or 0 if there is none.
func costName(name benchfmt.Name) (title, label string, rounds float64) {
	base, parts := name.Parts()
	var params []string
	for _, p := range parts {
		key, value, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "=")
		switch {
		case key == "T":
			n, err := strconv.Atoi(value)
			if err == nil {
				rounds = float64(n)
			}
		case value != "":
			params = append(params, tex.Param(key, value))
		}
	}
	return tex.Escape(string(base)), strings.Join(params, ", "), rounds
}
