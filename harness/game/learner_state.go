package game

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
)

// What a learner shows of itself ([algorithms.Stateful]) becomes columns of the trace. They are
// metrics on request that are not in the table [Metrics], since learners name them: a number called
// queue is the metric state_queue. A vector called queue has its largest number state_queue_max,
// its sum state_queue_sum and, if it has up to four numbers, each of them: state_queue_1, …

// statePrefix begins the names of the metrics that learners show of themselves.
const statePrefix = "state_"

// maxElementMetrics is the length of the longest vector whose elements are metrics of their own.
const maxElementMetrics = 4

// StateMetrics returns the metrics that a learner shows of itself.
func StateMetrics(l algorithms.Learner) (names []algorithms.Metric) {
	readState(l, func(name string, _ float64) {
		names = append(names, algorithms.Metric(statePrefix+name))
	})
	return names
}

// readState calls yield for every number that a learner shows of itself.
func readState(l algorithms.Learner, yield func(name string, v float64)) {
	for _, s := range algorithms.StateOf(l) {
		switch len(s.Values) {
		case 0:
			continue
		case 1:
			yield(s.Name, s.Values[0])
			continue
		}
		sum := 0.0
		for _, v := range s.Values {
			sum += v
		}
		yield(s.Name+"_max", slices.Max(s.Values))
		yield(s.Name+"_sum", sum)
		if len(s.Values) > maxElementMetrics {
			continue
		}
		for j, v := range s.Values {
			yield(fmt.Sprintf("%s_%d", s.Name, j+1), v)
		}
	}
}

// IsState reports whether the metric is one that learners show of themselves.
func IsState(name algorithms.Metric) bool { return strings.HasPrefix(string(name), statePrefix) }

// StateMatches reports whether a name that an experiment asks for stands for the metric m that a
// learner shows of itself: state stands for all of them, and state_queue also for state_queue_max.
func StateMatches(asked string, m algorithms.Metric) bool {
	rest, ok := strings.CutPrefix(string(m), asked)
	if !ok || !IsState(m) {
		return false
	}
	return rest == "" || rest[0] == '_'
}

// stateMetric returns the entry of a metric that learners show of themselves.
func stateMetric(name algorithms.Metric) Metric {
	title := strings.ReplaceAll(strings.TrimPrefix(string(name), statePrefix), "_", " ")
	return Metric{Name: name, Title: title, Doc: "what the learner shows of itself after round t",
		OfLearner: true, OnRequest: true, Exported: true, Shown: true}
}

// stateRecorder keeps, beside the metrics of a game, what its learner shows of itself.
type stateRecorder struct {
	*traceRecorder
	learner algorithms.Learner
	names   []algorithms.Metric
}

// Learned implements [learnedObserver]. Metrics that the learner does not show are NaN.
func (rec *stateRecorder) Learned(t int) error {
	n := len(rec.rows)
	if n == 0 || rec.rows[n-1][0] != float64(t) {
		return nil
	}
	values := make([]float64, len(rec.names))
	for k := range values {
		values[k] = math.NaN()
	}
	var wrong error
	readState(rec.learner, func(name string, v float64) {
		k := slices.Index(rec.names, algorithms.Metric(statePrefix+name))
		if k >= 0 {
			values[k] = v
		}
		if !isFinite(v) && wrong == nil {
			wrong = fmt.Errorf("the state %s of the learner is %v", name, v)
		}
	})
	rec.rows[n-1] = append(rec.rows[n-1], values...)
	if f, ok := rec.learner.(algorithms.Fallible); ok && f.Err() != nil {
		return f.Err()
	}
	return wrong
}

// Kept implements [Recorder].
func (rec *stateRecorder) Kept() ([]string, [][]float64) {
	columns, rows := rec.traceRecorder.Kept()
	return append(columns, stateColumns(rec.names)...), rows
}

// learnedObserver is an observer that is also called after the learner has observed a round.
type learnedObserver interface {
	// Learned is called after the learner has observed round t. An error ends the game.
	Learned(t int) error
}

// learnedObservers returns the observers that are a learnedObserver.
func learnedObservers(observers []Observer) (learned []learnedObserver) {
	for _, o := range observers {
		if o, ok := o.(learnedObserver); ok {
			learned = append(learned, o)
		}
	}
	return learned
}

// stateMetrics returns the requested metrics that learners show of themselves.
func stateMetrics(requested []algorithms.Metric) []algorithms.Metric {
	return slices.DeleteFunc(slices.Clone(requested),
		func(m algorithms.Metric) bool { return !IsState(m) })
}

// stateColumns returns the columns of metrics that learners show of themselves: their names.
func stateColumns(names []algorithms.Metric) (columns []string) {
	for _, m := range names {
		columns = append(columns, string(m))
	}
	return columns
}
