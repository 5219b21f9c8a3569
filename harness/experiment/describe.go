package experiment

import (
	"cmp"
	"math/rand/v2"
	"strings"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
)

// This file describes the entries of a catalog, in the JSON form of bench list.

// AlgorithmEntry describes an algorithm in the JSON of bench list.
type AlgorithmEntry struct {
	Name       string              `json:"name"`
	Title      string              `json:"title"`
	Doc        string              `json:"doc"`
	Reference  string              `json:"reference"`
	Definition []string            `json:"definition"` // formulas between dollar signs
	Version    int                 `json:"version"`
	Parameters []spec.Param        `json:"parameters"`
	Feedback   algorithms.Feedback `json:"feedback"`
	Anytime    bool                `json:"anytime"`
	Draws      bool                `json:"draws"`
	UnitFree   *bool               `json:"unit_free"` // null for a program, which does not declare it
	Comparator string              `json:"comparator"`
	Violation  string              `json:"violation"`
	Claims     []algorithms.Claim  `json:"claims"`
	Assumes    []string            `json:"assumes"`
	Cost       string              `json:"cost"`
}

// ProblemEntry describes a problem in the JSON of bench list.
type ProblemEntry struct {
	Name       string       `json:"name"`
	Title      string       `json:"title"`
	Doc        string       `json:"doc"`
	Reference  string       `json:"reference"`
	Definition []string     `json:"definition"` // formulas between dollar signs
	Version    int          `json:"version"`
	Parameters []spec.Param `json:"parameters"`
	Facts      convex.Facts `json:"facts"` // at the default parameters
}

// AlgorithmEntries describes the algorithms of the catalog.
func (c Catalog) AlgorithmEntries() (out []AlgorithmEntry) {
	for _, a := range c.Algorithms {
		unitFree := &a.UnitFree
		if a.Flag != "" {
			unitFree = nil
		}
		out = append(out, AlgorithmEntry{
			a.Name, cmp.Or(a.Title, a.Name), a.Doc, a.Reference, orEmpty(a.Definition), a.Version,
			orEmpty(Parameters(a)), a.Feedback, a.Anytime, a.Draws, unitFree,
			claimedMetric(a, algorithms.Regrets, "regret_"), claimedMetric(a, algorithms.Violations,
				"violation_"),
			orEmpty(a.ClaimsOf(a.Params)), a.AssumptionNames(), a.Cost,
		})
	}
	return out
}

// ProblemEntries describes the problems of the catalog.
func (c Catalog) ProblemEntries() (out []ProblemEntry) {
	for _, p := range c.Problems {
		entry := ProblemEntry{
			Name: p.Name, Title: cmp.Or(p.Title, p.Name), Doc: p.Doc, Reference: p.Reference,
			Definition: orEmpty(p.Definition), Version: p.Version,
			Parameters: ProblemParameters(p),
		}
		// A problem with a required parameter has no facts at its defaults.
		if s, err := p.New(p.Params, rand.New(rand.NewPCG(0, 0))); err == nil {
			entry.Facts = s.Facts()
			game.Close(s)
		}
		out = append(out, entry)
	}
	return out
}

// claimedMetric returns the name, without the prefix, of the metric among the given ones that the
// algorithm has a claim about, such as xmax of regret_xmax; or "none".
func claimedMetric(a algorithms.Algorithm, metrics []algorithms.Metric, prefix string) string {
	if claim, ok := algorithms.Claimed(a.ClaimsOf(a.Params), metrics); ok {
		return strings.TrimPrefix(string(claim.Metric), prefix)
	}
	return "none"
}

// orEmpty returns an empty list for nil, so that JSON has [] and not null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
