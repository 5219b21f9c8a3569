package analysis

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"ocobench/algorithms"
)

// Validate returns an error if the settings are not those of any experiment.
func (e Experiment) Validate() error {
	switch {
	case e.Name == "":
		return errors.New("it has no name")
	case !areIncreasing(e.Horizon):
		return fmt.Errorf("its horizons are %v, expected different positive integers in ascending order",
			e.Horizon)
	case e.Replicates < 1 || e.Replicates > 1e6:
		return fmt.Errorf("it has %d replicates", e.Replicates)
	case !(e.Confidence > 0 && e.Confidence < 1):
		return fmt.Errorf("its confidence is %v, not between 0 and 1", e.Confidence)
	}
	return nil
}

// areIncreasing reports whether there are horizons, each larger than the one before and the first
// positive.
func areIncreasing(horizons []int) bool {
	last := 0
	for _, h := range horizons {
		if h <= last {
			return false
		}
		last = h
	}
	return last > 0
}

// Validate returns an error if an analysis that was read from JSON lacks what tables, pages and
// [Analysis.Joined] rely on.
func (a *Analysis) Validate() error {
	if err := a.Experiment.Validate(); err != nil {
		return err
	}
	hasAlgorithm, hasProblem := make(map[string]bool), make(map[string]bool)
	hasMetric := make(map[algorithms.Metric]bool)
	for _, m := range a.Metrics {
		hasMetric[m.Name] = true
	}
	for _, e := range a.Algorithms {
		hasAlgorithm[e.Spec] = true
		for _, c := range e.Claims {
			if !hasMetric[c.Metric] {
				return fmt.Errorf("it lacks the metric %q, which %s has a claim on", c.Metric, e.Spec)
			}
		}
	}
	for _, p := range a.Problems {
		hasProblem[p.Spec] = true
	}
	if len(hasAlgorithm) != len(a.Algorithms) || len(hasProblem) != len(a.Problems) {
		return errors.New("it has an algorithm or a problem twice")
	}
	for _, u := range a.Unmet {
		if !hasAlgorithm[u.Algorithm] || !hasProblem[u.Problem] {
			return fmt.Errorf("it lacks %q or %q, which it says do not meet", u.Algorithm, u.Problem)
		}
	}
	for _, s := range a.Standings {
		if !hasAlgorithm[s.Algorithm] || s.Claim == nil {
			return fmt.Errorf("a standing of %q is of no algorithm or no claim", s.Algorithm)
		}
	}
	for i := range a.Pairs {
		p := &a.Pairs[i]
		if !hasAlgorithm[p.Algorithm] || !hasProblem[p.Problem] {
			return fmt.Errorf("it lacks %q or %q, which it has a pair of", p.Algorithm, p.Problem)
		}
		if p.Played < 0 || p.Replicates < p.Played || a.Experiment.Replicates < p.Replicates {
			return fmt.Errorf("%s has played %d of %d replicates on %s, in an experiment of %d",
				p.Algorithm, p.Played, p.Replicates, p.Problem, a.Experiment.Replicates)
		}
		for _, m := range a.Metrics {
			if p.Series[m.Name] == nil {
				return fmt.Errorf("it lacks %s of %s on %s", m.Name, p.Algorithm, p.Problem)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.Series)) {
			s := p.Series[name]
			if !hasMetric[name] || !s.isComplete() || len(s.Finals) != p.Replicates {
				return fmt.Errorf("%s of %s on %s is not whole", name, p.Algorithm, p.Problem)
			}
		}
		for _, j := range p.Judgements() {
			if b := j.Bound; b != nil && (len(b.Mean.T) != len(b.Mean.Value) ||
				len(b.Ratios.T) != len(b.Ratios.Value)) {
				return fmt.Errorf("the bound of %s of %s on %s is not whole", j.Metric, p.Algorithm, p.Problem)
			}
		}
	}
	// The pairs of metrics that tables may ask for: those that the experiment names, those of the
	// focus, and those of each problem's view. The problem of the first two is not used.
	regret, violation := wantedMetrics(a.Experiment.Metrics)
	views := []ProblemFocus{{"", regret, violation}, {"", a.Focus.Regret, a.Focus.Violation}}
	for _, v := range a.Focus.Views {
		if !hasProblem[v.Problem] {
			return fmt.Errorf("it lacks the problem %q, which it has a view of", v.Problem)
		}
		views = append(views, v)
	}
	for _, v := range views {
		for _, m := range []algorithms.Metric{v.Regret, v.Violation} {
			if !hasMetric[m] {
				return fmt.Errorf("it lacks the metric %q, which its views are about", m)
			}
		}
	}
	return nil
}

// isComplete reports whether the lists of a series have the lengths that they must share.
func (s *Series) isComplete() bool {
	if s == nil || s.Known() && len(s.Mean.T) == 0 {
		return false
	}
	for _, b := range []*Band{&s.Mean, s.Across, s.Slopes} {
		if b != nil && (len(b.Value) != len(b.T) || len(b.Lower) != len(b.T) ||
			len(b.Upper) != len(b.T)) {
			return false
		}
	}
	if s.Runs == nil {
		return true
	}
	return len(s.Runs.Value) == len(s.Runs.Replicate) &&
		!slices.ContainsFunc(s.Runs.Value, func(row Numbers) bool { return len(row) != len(s.Runs.T) })
}
