package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/spec"
	"ocobench/paper"
	"ocobench/paper/table"
	"ocobench/problems/convex"
)

type listCmd struct {
	What string `arg:"" optional:"" enum:"algorithms,problems,experiments,all" default:"all" help:"algorithms, problems or experiments; default all."`
	JSON bool   `help:"Print JSON, with parameters."`
}

type algorithmEntry struct {
	Name       string                `json:"name"`
	Doc        string                `json:"doc"`
	Reference  string                `json:"reference"`
	Version    int                   `json:"version"`
	Parameters []spec.Param          `json:"parameters"`
	Feedback   algorithms.Feedback   `json:"feedback"`
	Anytime    bool                  `json:"anytime"`
	Comparator algorithms.Comparator `json:"comparator"`
	Violation  algorithms.Violation  `json:"violation"`
	Claims     []algorithms.Claim    `json:"claims"`
	Assumes    []string              `json:"assumes"`
	Cost       string                `json:"cost"`
}

type problemEntry struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Reference  string       `json:"reference"`
	Version    int          `json:"version"`
	Parameters []spec.Param `json:"parameters"`
	Facts      convex.Facts `json:"facts"` // at the default parameters
}

type experimentEntry struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Reference  string       `json:"reference"`
	Parameters []spec.Param `json:"parameters"`
	Horizon    []int        `json:"horizon"`
	Replicates int          `json:"replicates"`
}

// Run implements the verb.
func (c *listCmd) Run(e *env) error {
	as, ps := c.algorithms(e), c.problems(e)
	xs, err := c.experiments()
	if err != nil {
		return err
	}
	if c.JSON {
		var v any
		switch c.What {
		case "algorithms":
			v = as
		case "problems":
			v = ps
		case "experiments":
			v = xs
		default:
			v = struct {
				Algorithms  []algorithmEntry  `json:"algorithms"`
				Problems    []problemEntry    `json:"problems"`
				Experiments []experimentEntry `json:"experiments"`
			}{as, ps, xs}
		}
		out := json.NewEncoder(e.stdout)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(v)
	}
	if c.What == "algorithms" || c.What == "all" {
		for _, a := range as {
			kind := "anytime"
			if !a.Anytime {
				kind = "needs the horizon"
			}
			var claims []string
			for _, cl := range a.Claims {
				claims = append(claims, fmt.Sprintf("%s t^%g", cl.Metric, cl.Exponent))
			}
			fmt.Fprintf(e.stdout, "%s\n    %s\n    %s, %s", a.Name, a.Doc, a.Feedback, kind)
			if len(claims) > 0 {
				fmt.Fprintf(e.stdout, "; claims %s", strings.Join(claims, ", "))
			}
			fmt.Fprintf(e.stdout, "\n    %s\n", a.Reference)
			c.parameters(e, a.Parameters)
		}
	}
	if c.What == "problems" || c.What == "all" {
		for _, p := range ps {
			fmt.Fprintf(e.stdout, "%s\n    %s\n    %s\n", p.Name, p.Doc, p.Reference)
			c.parameters(e, p.Parameters)
		}
	}
	if c.What == "experiments" || c.What == "all" {
		t := &table.Table{Columns: []table.Column{
			{Name: table.Plain("experiment")}, {Name: table.Plain("what it shows")},
			{Name: table.Plain("horizon"), Align: table.Right}, {Name: table.Plain("replicates"), Align: table.Right},
		}}
		for _, x := range xs {
			t.Rows = append(t.Rows, table.Plains(x.Name, x.Doc, strings.Trim(fmt.Sprint(x.Horizon), "[]"), fmt.Sprint(x.Replicates)))
		}
		return table.WriteTerminal(e.stdout, t)
	}
	return nil
}

// parameters prints the parameters of an entry.
func (c *listCmd) parameters(e *env, params []spec.Param) {
	for _, p := range params {
		value := "= " + p.Default
		if p.Default == "" {
			value = ""
		}
		if p.Required {
			value = "(required)"
		}
		fmt.Fprintf(e.stdout, "      %-12s %-12s %s", p.Name, value, p.Doc)
		if p.Range != "" {
			fmt.Fprintf(e.stdout, " (%s)", p.Range)
		}
		fmt.Fprintln(e.stdout)
	}
	fmt.Fprintln(e.stdout)
}

func (c *listCmd) algorithms(e *env) (out []algorithmEntry) {
	for _, a := range e.catalog.Algorithms {
		out = append(out, algorithmEntry{
			a.Name, a.Doc, a.Reference, a.Version, list(spec.Describe(a.Params)), a.Feedback, a.Anytime,
			a.Comparator, a.Violation, list(a.Claims), list(a.Assumes), a.Cost,
		})
	}
	return out
}

func (c *listCmd) problems(e *env) (out []problemEntry) {
	for _, p := range e.catalog.Problems {
		entry := problemEntry{p.Name, p.Doc, p.Reference, p.Version, list(spec.Describe(p.Params)), convex.Facts{}}
		// A problem that its defaults do not determine has no facts yet.
		if s, err := p.New(p.Params, rand.New(rand.NewPCG(0, 0))); err == nil {
			entry.Facts = s.Facts()
		}
		out = append(out, entry)
	}
	return out
}

func (c *listCmd) experiments() (out []experimentEntry, err error) {
	for _, name := range paper.Names() {
		x, err := paper.Experiment(name)
		if err != nil {
			return nil, err
		}
		out = append(out, experimentEntry{name, x.Description, "bench run " + name, spec.Describe(spec.Defaults()), x.Horizon, x.Replicates})
	}
	return out, nil
}

// list makes an empty list of none, so that JSON has [] and not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
