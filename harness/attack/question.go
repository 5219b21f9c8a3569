package attack

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/internal/input"
)

// maxDim limits the dimension of a schedule, and maxReplicates the replicates of an instance, so
// that a generation fits into an experiment.
const maxDim, maxReplicates = 1000, 80_000

// Complete fills in what a question leaves open. The metric is then the violation that the
// algorithm claims, and the goal its bound if there is one. The errors name the flags of
// bench attack.
func (q Question) Complete(c experiment.Catalog) (Question, error) {
	if q.Algorithm.Name == "" || q.Horizon == 0 {
		return q, fmt.Errorf("attack needs --algorithm SPEC and --horizon T, or --verify FILE.yaml")
	}
	if len(q.Dims) == 0 {
		q.Dims = []int{1, 2, 3}
	}
	if q.Rival.Name != "" {
		if q.Goal != "" && q.Goal != Lead {
			return q, fmt.Errorf("--against: with a rival the goal is lead, not %s", q.Goal)
		}
		q.Goal = Lead
	}
	all, err := c.ResolveAlgorithms(q.Algorithm)
	if err != nil {
		return q, err
	}
	claims := all[0].OwnClaims()
	if q.Metric, err = metricOrDefault(q.Metric, claims); err != nil {
		return q, err
	}
	if q.Goal == "" {
		q.Goal = Value
		if claim, ok := algorithms.Claimed(claims, []algorithms.Metric{q.Metric}); ok && claim.Proven() {
			q.Goal = Bound
		}
	}
	switch largest := slices.Max(q.Dims); {
	case largest > maxDim:
		return q, fmt.Errorf("--dim: %d is too large; give schedules at most %d dimensions", largest,
			maxDim)
	case q.Replicates > maxReplicates:
		return q, fmt.Errorf("--replicates: %d are too many; give at most %d", q.Replicates,
			maxReplicates)
	case !(q.Margin >= 0 && q.Margin < 1):
		return q, fmt.Errorf("--margin: %v is not in [0, 1)", q.Margin)
	case !slices.Contains(Goals, q.Goal):
		return q, fmt.Errorf("--goal: unknown goal %q (expected one of bound, value, growth, lead)",
			input.Clip(string(q.Goal), 40))
	case q.Goal == Lead && q.Rival.Name == "":
		return q, fmt.Errorf("--goal: lead needs a rival, --against SPEC")
	case q.Goal == Growth && q.Horizon < 640:
		return q, fmt.Errorf("--horizon: growth is across T/64, T/16, T/4 and T; give 640 or more")
	}
	return q, nil
}

// metricOrDefault returns the metric of a question, which must be exported or claimed, or the
// default.
func metricOrDefault(name algorithms.Metric, claims []algorithms.Claim) (algorithms.Metric, error) {
	if name == "" {
		if claim, ok := algorithms.Claimed(claims, algorithms.Violations); ok {
			return claim.Metric, nil
		}
		return algorithms.HardViolation, nil
	}
	var known []string
	for _, m := range game.Select(func(game.Metric) bool { return true }) {
		if _, claimed := algorithms.Claimed(claims, []algorithms.Metric{m.Name}); m.Exported || claimed {
			known = append(known, string(m.Name))
		}
	}
	if !slices.Contains(known, string(name)) {
		return name, fmt.Errorf("--metric: %w", spec.Unknown("metric", string(name), known, spec.Pos{}))
	}
	return name, nil
}

// ParseBudget reads a budget: a number of instances, or a time. For a time, limit is the time, and
// evaluations more than can be played in it; otherwise limit is 0.
func ParseBudget(text string) (evaluations int, limit time.Duration, err error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n, 0, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return max(100, int(200*d.Seconds())), d, nil // small games play at most about 200 a second
	}
	return 0, 0, fmt.Errorf("--budget: %q is neither a number ≥ 1 nor a time such as 10m",
		input.Clip(text, 40))
}
