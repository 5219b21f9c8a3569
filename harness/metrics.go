package harness

import (
	"slices"

	"ocobench/algorithms"
)

// Metric is an entry of the table of metrics: a quantity that a game has at its
// checkpoints. Regret is Σ f_t(x_t) less the value of the best fixed action of
// a comparator set; all other metrics are read off the trace of the game.
type Metric struct {
	Name  algorithms.Metric // in traces, exports and claims
	Title string            // in tables
	Doc   string            // the formula

	// Set is the comparator set of a regret.
	Set string
	// read reads the metric off what the recorder of a game keeps.
	read func(rec *recorder) float64
	// StandIn is measured where the metric is not. It is no larger (Below), so
	// that a bound of the metric is one of it, or tends to the metric.
	StandIn algorithms.Metric
	Below   bool

	// Linear tells that the metric grows at most like t where losses and
	// constraints are bounded.
	Linear bool

	Exported bool // bench export has it
	Fitted   bool // its growth exponent is estimated
	Shown    bool // the tables and figures of every experiment show it
}

// The names of the metrics that no algorithm makes a claim about.
const (
	metricLoss    algorithms.Metric = "loss"
	metricSigned  algorithms.Metric = "violation_signed"
	metricRunning algorithms.Metric = "violation_running"
	metricGap     algorithms.Metric = "gap"
)

// Metrics is the table of metrics. Its order is that of the columns of a
// trace, of exports and of tables.
var Metrics = []Metric{
	{Name: metricLoss, Linear: true, Title: "loss", Doc: "Σ_t f_t(x_t)",
		read: func(rec *recorder) float64 { return rec.loss }, Exported: true},
	{Name: algorithms.RegretXMin, Linear: true, Title: "regret vs Xmin", Doc: "against X^min, the actions that are feasible in every round",
		Set: "xmin", Exported: true, Fitted: true},
	{Name: algorithms.RegretXHat, Linear: true, Title: "regret vs X̂max", Doc: "against X̂^max, the actions for which every prefix of the constraints sums to ≤ 0",
		Set: "xhat", Exported: true, Fitted: true, Shown: true},
	{Name: algorithms.RegretXMax, Linear: true, Title: "regret vs Xmax", Doc: "against X^max, the actions for which the constraints sum to ≤ 0",
		Set: "xmax", Exported: true, Fitted: true},
	{Name: algorithms.RegretXE, Linear: true, Title: "regret vs XE", Doc: "against X^E, the actions for which the constraints are ≤ 0 in expectation; X^max tends to X^E and stands in where a problem does not know its constraints on average",
		Set: "xe", StandIn: algorithms.RegretXMax, Exported: true, Fitted: true},
	{Name: algorithms.RegretDomain, Linear: true, Title: "regret vs D", Doc: "against all actions of the domain; not measured: regret against X^min, which is no larger, stands in",
		StandIn: algorithms.RegretXMin, Below: true},
	{Name: metricSigned, Linear: true, Title: "signed sum", Doc: "Σ_j Σ_t g_{t,j}(x_t)",
		read: func(rec *recorder) float64 { return rec.total }, Shown: true},
	{Name: algorithms.SoftViolation, Linear: true, Title: "soft violation", Doc: "Σ_j [Σ_t g_{t,j}(x_t)]₊",
		read: func(rec *recorder) float64 { return rec.soft }, Exported: true, Fitted: true, Shown: true},
	{Name: metricRunning, Linear: true, Title: "running maximum", Doc: "the largest soft violation so far",
		read: func(rec *recorder) float64 { return rec.running }, Shown: true},
	{Name: algorithms.HardViolation, Linear: true, Title: "hard violation", Doc: "Σ_t Σ_j [g_{t,j}(x_t)]₊",
		read: func(rec *recorder) float64 { return rec.hard }, Exported: true, Fitted: true, Shown: true},
	{Name: algorithms.PenaltyViolation, Linear: true, Title: "penalty violation", Doc: "Σ_t Σ_j [(1/t) Σ_{i≤t} g_{i,j}(x_t)]₊",
		read: func(rec *recorder) float64 { return rec.penalty }, Exported: true, Fitted: true, Shown: true},
	{Name: algorithms.SquaredViolation, Linear: true, Title: "squared violation", Doc: "Σ_t Σ_j [g_{t,j}(x_t)]₊²",
		read: func(rec *recorder) float64 { return rec.squared }, Exported: true, Fitted: true},
	{Name: algorithms.MaxViolation, Title: "largest violation", Doc: "max_{t,j} [g_{t,j}(x_t)]₊",
		read: func(rec *recorder) float64 { return rec.largest }, Exported: true, Fitted: true},
	{Name: metricGap, Title: "certificate", Doc: "the largest relative gap of the minimisations behind the actions",
		read: func(rec *recorder) float64 { return rec.gap }},
}

// MetricNamed returns the entry of a metric.
func MetricNamed(name algorithms.Metric) (Metric, bool) {
	k := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	if k < 0 {
		return Metric{}, false
	}
	return Metrics[k], true
}

// Select returns the entries that keep holds for, in the order of the table.
func Select(keep func(Metric) bool) []Metric {
	return slices.DeleteFunc(slices.Clone(Metrics), func(m Metric) bool { return !keep(m) })
}

// inTrace are the metrics that a trace keeps.
var inTrace = Select(func(m Metric) bool { return m.read != nil })

// traceColumns are the columns of a trace: the round, and a metric each.
var traceColumns = func() []string {
	columns := []string{colT}
	for _, m := range inTrace {
		columns = append(columns, string(m.Name))
	}
	return columns
}()

// colT is the column of the round in the cells of games and hindsights.
const colT = "t"
