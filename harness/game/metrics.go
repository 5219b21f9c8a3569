package game

import (
	"slices"

	"ocobench/algorithms"
)

// Metric describes a quantity that a game has at its checkpoints. Regret is Σ f_t(x_t) less the
// value of the best fixed action of a comparator set, or of the best action of each round; path
// length and variation measure how far the rounds move; all other metrics are read off the trace
// of the game.
type Metric struct {
	Name  algorithms.Metric // in traces, exports and claims
	Title string            // in tables
	Doc   string            // the formula

	// Set is the comparator set of a regret.
	Set string
	// OnRequest reports that the metric is measured only where an experiment asks for it, or a claim
	// is about it.
	OnRequest bool
	// Moving names the column that the metric has in the table of the moving comparator, or "".
	Moving string
	// OfRounds reports that the metric is about the rounds only: it is the same for all who
	// play them.
	OfRounds bool
	// OfLearner reports that the metric is what learners show of themselves. It is not in the table
	// [Metrics].
	OfLearner bool
	// read reads the metric off what the recorder of a game keeps.
	read func(rec *traceRecorder) float64
	// StandIn names the metric that is used where this one is not measured.
	StandIn algorithms.Metric
	// Below reports that the stand-in is never larger, so that an upper bound of this metric also
	// holds for it. Otherwise it converges to this metric.
	Below bool

	// Linear reports that the metric grows at most like t where losses and
	// constraints are bounded.
	Linear bool

	Internal bool // it is read by the harness alone
	Exported bool // bench export has it
	Fitted   bool // its growth exponent is estimated
	Shown    bool // the tables and figures of every experiment show it
}

// The names of the metrics that no algorithm makes a claim about.
const (
	MetricLoss      algorithms.Metric = "loss"
	metricSigned    algorithms.Metric = "violation_signed"
	metricRunning   algorithms.Metric = "violation_running"
	metricPath      algorithms.Metric = "path_length"
	metricVariation algorithms.Metric = "constraint_variation"
	metricMovement  algorithms.Metric = "movement"
	metricGap       algorithms.Metric = "gap"

	// Magnitudes bound the rounding errors of the metrics ([Game.Rounding]). A round counts as the
	// largest of the rounds 1, 2, 4, … so far: to measure it evaluates all its functions once more.
	metricLossMagnitude       algorithms.Metric = "loss_magnitude"
	metricConstraintMagnitude algorithms.Metric = "constraint_magnitude"
	metricActionMagnitude     algorithms.Metric = "action_magnitude"
)

// Metrics lists all metrics, in the order of the columns of a trace, of exports and of tables.
var Metrics = []Metric{
	{Name: MetricLoss, Linear: true, Title: "loss", Doc: "Σ_t f_t(x_t)",
		read: func(rec *traceRecorder) float64 { return rec.loss }, Exported: true},
	{Name: algorithms.RegretXMin, Linear: true, Title: "regret vs Xmin",
		Doc: "against X^min, the actions that are feasible in every round",
		Set: "xmin", Exported: true, Fitted: true},
	{Name: algorithms.RegretXHat, Linear: true, Title: "regret vs X̂max",
		Doc: "against X̂^max, the actions for which every prefix of the constraints sums to ≤ 0",
		Set: "xhat", Exported: true, Fitted: true, Shown: true},
	{Name: algorithms.RegretXMax, Linear: true, Title: "regret vs Xmax",
		Doc: "against X^max, the actions for which the constraints sum to ≤ 0",
		Set: "xmax", Exported: true, Fitted: true},
	{Name: algorithms.RegretXE, Linear: true, Title: "regret vs XE", Doc: "against X^E, the actions " +
		"for which the constraints are ≤ 0 in expectation; X^max tends to X^E and stands in where a " +
		"problem does not know its constraints on average",
		Set: "xe", StandIn: algorithms.RegretXMax, Exported: true, Fitted: true},
	{Name: algorithms.RegretDeclared, Linear: true, Title: "regret vs declared",
		Doc: "against the action that the problem declares to be its comparator, which is not certified",
		Set: declaredSet, OnRequest: true, Exported: true, Fitted: true},
	{Name: algorithms.RegretDomain, Linear: true, Title: "regret vs D", Doc: "against all actions " +
		"of the domain; not measured: regret against X^min, which is no larger, stands in",
		StandIn: algorithms.RegretXMin, Below: true},
	{Name: algorithms.RegretDynamic, Linear: true, Title: "dynamic regret",
		Doc: "Σ_t f_t(x_t) − Σ_t f_t(x*_t), where x*_t minimises f_t over the actions that are " +
			"feasible in round t",
		Moving: colValue, OnRequest: true, Exported: true, Fitted: true},
	{Name: metricSigned, Linear: true, Title: "signed sum", Doc: "Σ_j Σ_t g_{t,j}(x_t)",
		read: func(rec *traceRecorder) float64 { return rec.total }, Shown: true},
	{Name: algorithms.SoftViolation, Linear: true, Title: "soft violation",
		Doc:  "Σ_j [Σ_t g_{t,j}(x_t)]₊",
		read: func(rec *traceRecorder) float64 { return rec.soft }, Exported: true, Fitted: true,
		Shown: true},
	{Name: metricRunning, Linear: true, Title: "running maximum",
		Doc:  "the largest soft violation so far",
		read: func(rec *traceRecorder) float64 { return rec.running }, Shown: true},
	{Name: algorithms.HardViolation, Linear: true, Title: "hard violation",
		Doc:  "Σ_t Σ_j [g_{t,j}(x_t)]₊",
		read: func(rec *traceRecorder) float64 { return rec.hard }, Exported: true, Fitted: true,
		Shown: true},
	{Name: algorithms.PenaltyViolation, Linear: true, Title: "penalty violation",
		Doc:  "Σ_t Σ_j [(1/t) Σ_{i≤t} g_{i,j}(x_t)]₊",
		read: func(rec *traceRecorder) float64 { return rec.penalty }, Exported: true, Fitted: true,
		Shown: true},
	{Name: algorithms.SquaredViolation, Linear: true, Title: "squared violation",
		Doc:  "Σ_t Σ_j [g_{t,j}(x_t)]₊²",
		read: func(rec *traceRecorder) float64 { return rec.squared }, Exported: true, Fitted: true},
	{Name: algorithms.MaxViolation, Title: "largest violation", Doc: "max_{t,j} [g_{t,j}(x_t)]₊",
		read: func(rec *traceRecorder) float64 { return rec.largest }, Exported: true, Fitted: true},
	{Name: algorithms.CCViolation, Linear: true, Title: "CCV", Doc: "Σ_t max_j [g_{t,j}(x_t)]₊, " +
		"the cumulative constraint violation of the literature on adversarial constraints",
		OnRequest: true,
		read:      func(rec *traceRecorder) float64 { return rec.ccv }, Exported: true, Fitted: true},
	{Name: algorithms.NormViolation, Linear: true, Title: "norm violation",
		Doc: "Σ_t ‖[g_t(x_t)]₊‖₂, the norm over the constraints of a round", OnRequest: true,
		read: func(rec *traceRecorder) float64 { return rec.norm }, Exported: true, Fitted: true},
	{Name: metricMovement, Linear: true, Title: "movement", Doc: "Σ_{1<τ≤t} ‖x_τ − x_{τ−1}‖ of the " +
		"actions that are played", OnRequest: true,
		read: func(rec *traceRecorder) float64 { return rec.movement }, Exported: true, Fitted: true},
	{Name: metricPath, Linear: true, Title: "path length",
		Doc:    "P_t = Σ_{1<τ≤t} ‖x*_τ − x*_{τ−1}‖ of the best actions of the rounds",
		Moving: colPath, OnRequest: true, OfRounds: true, Exported: true, Fitted: true},
	{Name: metricVariation, Linear: true, Title: "constraint variation", Doc: "V_t = Σ_{1<τ≤t} " +
		"max_{x,j} |g_{τ,j}(x) − g_{τ−1,j}(x)|, or an upper bound where the change is not affine",
		Moving: colVariation, OnRequest: true, OfRounds: true, Exported: true, Fitted: true},
	{Name: metricGap, Title: "certificate",
		Doc:  "the largest relative gap of the minimisations behind the actions",
		read: func(rec *traceRecorder) float64 { return rec.gap }},
	{Name: metricLossMagnitude, Internal: true, Title: "magnitude of the losses",
		Doc:  "Σ_t max_k (|f_k(x_k)| + ‖∂f_k(x_k)‖ ‖x_k‖), where k are the powers of two ≤ t",
		read: func(rec *traceRecorder) float64 { return rec.losses.sum }},
	{Name: metricConstraintMagnitude, Internal: true, Title: "magnitude of the constraints",
		Doc:  "Σ_t max_k Σ_j (|g_{k,j}(x_k)| + ‖∂g_{k,j}(x_k)‖ ‖x_k‖), where k are the powers of two ≤ t",
		read: func(rec *traceRecorder) float64 { return rec.constraints.sum }},
	{Name: metricActionMagnitude, Internal: true, Title: "magnitude of the actions",
		Doc:  "Σ_t max_k ‖x_k‖, where k are the powers of two ≤ t",
		read: func(rec *traceRecorder) float64 { return rec.actions.sum }},
}

// InTrace reports whether the metric is a column of the trace of a game.
func (m Metric) InTrace() bool { return m.read != nil || m.OfLearner }

// Regret reports whether the metric is a regret that is measured.
func (m Metric) Regret() bool { return m.Set != "" || m.Moving == colValue }

// MetricNamed returns the entry of a metric, or of what a learner shows of itself.
func MetricNamed(name algorithms.Metric) (Metric, bool) {
	if IsState(name) {
		return stateMetric(name), true
	}
	k := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	if k < 0 {
		return Metric{}, false
	}
	return Metrics[k], true
}

// magnitudeMetric returns the internal metric with the sizes of the numbers that this metric adds.
func (m Metric) magnitudeMetric() algorithms.Metric {
	switch {
	case m.Name == metricMovement || m.Name == metricPath:
		return metricActionMagnitude
	case m.Name == MetricLoss || m.Regret():
		return metricLossMagnitude
	}
	return metricConstraintMagnitude
}

// Select returns the metrics for which keep is true, in the order of the table.
func Select(keep func(Metric) bool) []Metric {
	return slices.DeleteFunc(slices.Clone(Metrics), func(m Metric) bool { return !keep(m) })
}

// traceMetrics returns the metrics that the trace of a game keeps: those of every game, and the
// requested ones.
func traceMetrics(requested []algorithms.Metric) []Metric {
	return Select(func(m Metric) bool {
		return m.read != nil && (!m.OnRequest || slices.Contains(requested, m.Name))
	})
}

// tracedOnRequest lists all metrics on request that a trace may have.
var tracedOnRequest = func() (names []algorithms.Metric) {
	for _, m := range Select(func(m Metric) bool { return m.OnRequest && m.read != nil }) {
		names = append(names, m.Name)
	}
	return names
}()

// traceColumns returns the columns of a trace: the round, then the metrics.
func traceColumns(metrics []Metric) []string {
	columns := []string{TimeColumn}
	for _, m := range metrics {
		columns = append(columns, string(m.Name))
	}
	return columns
}

// TimeColumn names the first column of every table, which has the round t.
const TimeColumn = "t"
