package run

import (
	"errors"
	"fmt"

	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/stats"
)

// HorizonWarnings says what the horizons of an experiment will leave without a result, before it is
// played: pairs that are fitted across horizons which are too few or too near for a verdict on
// growth, and parameters that were tuned at another horizon than the last one. Horizons are those
// of the experiment; a plan that tunes it has the last one only.
func HorizonWarnings(plan *experiment.Plan, horizons []int) error {
	var all []error
	e, last := plan.Experiment, horizons[len(horizons)-1]
	if tuned := e.TuningHorizon; tuned > 0 && tuned != last {
		all = append(all, fmt.Errorf("%s: its parameters were tuned at T = %d, and are played to "+
			"T = %d; tune them at this horizon, or say so with the results", e.Name, tuned, last))
	}
	record := plan.Record()
	for _, singlePath := range []bool{false, true} {
		reason := acrossReason(horizons, e.Window, singlePath)
		if reason == "" {
			continue
		}
		pairs := pairsAcross(horizons, record, singlePath)
		if len(pairs) == 0 {
			continue
		}
		all = append(all, fmt.Errorf("%s: no verdict on growth, –, for %s that depend on the "+
			"horizon (%s): across horizons, %s; let the horizons span it", e.Name,
			input.Plural(len(pairs), "pair"), input.Few(pairs, ", "), reason))
	}
	return errors.Join(all...)
}

// acrossReason returns why a fit across horizons has no verdict on growth whatever is measured, or
// an empty string.
func acrossReason(horizons []int, decades float64, singlePath bool) string {
	ends := make([]float64, len(horizons))
	for i, horizon := range horizons {
		ends[i] = float64(horizon)
	}
	growth := stats.Growth{Design: stats.AcrossT, Decades: decades}
	return growth.WindowOf(ends).NoVerdictReason(singlePath)
}

// pairsAcross returns the pairs of a record whose growth is fitted across the horizons, and that
// draw random numbers, or do not if singlePath is set.
func pairsAcross(horizons []int, r experiment.Record, singlePath bool) (pairs []string) {
	type specs struct{ algorithm, problem string }
	played := make(map[specs]bool)
	for _, cell := range r.Cells {
		played[specs{cell.Algorithm, cell.Problem}] = true
	}
	for _, p := range r.Problems {
		for _, a := range r.Algorithms {
			if played[specs{a.Spec, p.Spec}] && fitsAcross(horizons, p, a) &&
				(p.Deterministic && !a.Draws) == singlePath {
				pairs = append(pairs, a.LabelOrSpec()+" on "+p.LabelOrSpec())
			}
		}
	}
	return pairs
}
