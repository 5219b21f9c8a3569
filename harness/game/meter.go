package game

import (
	"encoding/json"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// Meter observes actions that no algorithm of a run plays, and measures them in the same way: at
// the checkpoints, the trace and the hindsight are equal, bit for bit, to the cells of a run with
// these actions.
type Meter struct {
	stream    problems.Stream
	trace     *traceRecorder
	hindsight *hindsightRecorder
}

// NewMeter returns the meter of a stream before its first round. The checkpoints
// increase; at each of them the best fixed actions are solved for.
func NewMeter(s problems.Stream, at []int) *Meter {
	trace := newTraceRecorder(nil, s.Set().Dim(), s.Constraints(), at, tracedOnRequest...)
	return &Meter{s, trace, newHindsightRecorder(s, at)}
}

// Round implements [Observer].
func (m *Meter) Round(t int, x []float64, r *convex.Round) error {
	if err := m.trace.Round(t, x, r); err != nil {
		return err
	}
	return m.hindsight.Round(t, x, r)
}

// Metered lists the metrics of a meter: all but the internal ones and the certificate, which only a
// learner has.
var Metered = Select(func(m Metric) bool {
	return !m.Internal && (m.read != nil && m.Name != metricGap || m.Set != "")
})

// Metrics returns the metrics so far that need no hindsight.
func (m *Meter) Metrics() map[algorithms.Metric]float64 {
	values := make(map[algorithms.Metric]float64)
	for _, metric := range Metered {
		if metric.read == nil {
			continue
		}
		if v := metric.read(m.trace); !math.IsNaN(v) { // the penalty of opaque constraints is NaN
			values[metric.Name] = v
		}
	}
	return values
}

// Regret holds the regret against the best fixed action of a comparator set. It has no value if
// the set is empty.
type Regret struct {
	Value float64 // Σ_{i≤t} f_i(x_i) − Best.Value
	Best  Best
}

// Regrets returns the regret so far against every comparator set that the stream has.
func (m *Meter) Regrets() ([]Regret, error) {
	bests := m.hindsight.lastBests
	if n := len(m.hindsight.rows); n == 0 ||
		m.hindsight.rows[n-1][0] != float64(m.hindsight.played) {
		var err error
		if bests, err = m.hindsight.Solve(); err != nil {
			return nil, err
		}
	}
	var regrets []Regret
	for _, b := range bests {
		regrets = append(regrets, Regret{m.trace.loss - b.Value, b})
	}
	return regrets, nil
}

// MarshalJSON implements [json.Marshaler].
func (r Regret) MarshalJSON() ([]byte, error) {
	if r.Best.Empty {
		return json.Marshal(r.Best)
	}
	return json.Marshal(struct {
		Value float64 `json:"value"`
		Least float64 `json:"best"`
		solution
	}{r.Value, r.Best.Value, r.Best.solution()})
}

// Outcome holds the metrics and regrets of actions.
type Outcome struct {
	T       int                           `json:"t"` // rounds
	Metrics map[algorithms.Metric]float64 `json:"metrics"`
	Regret  map[string]Regret             `json:"regret"` // by comparator set
}

// Outcome solves for the best fixed actions of the t rounds so far.
func (m *Meter) Outcome(t int) (*Outcome, error) {
	regrets, err := m.Regrets()
	if err != nil {
		return nil, err
	}
	o := &Outcome{t, m.Metrics(), make(map[string]Regret)}
	for _, r := range regrets {
		o.Regret[r.Best.Set] = r
	}
	return o, nil
}

// Game returns the game at the checkpoints so far, with the metrics that every game has.
func (m *Meter) Game(algorithm, problem string, replicate, horizon int) *Game {
	all, columns := NewTable(m.trace.Kept()), traceColumns(traceMetrics(nil))
	var values []float64
	for _, name := range columns {
		values = append(values, all.View(name)...)
	}
	trace := Table{columns, func() []float64 { return values }}
	return &Game{algorithm, problem, "", replicate, horizon, trace, NewTable(m.hindsight.Kept()),
		Table{}}
}
