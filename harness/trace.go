package harness

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/convex"
)

// The columns of a trace. All but the first and the last are sums over the
// rounds so far.
const (
	colT       = "t"
	colLoss    = "loss"              // Σ f_t(x_t)
	colSigned  = "violation_signed"  // Σ_j Σ_t g_{t,j}(x_t)
	colSoft    = "violation_soft"    // Σ_j [Σ_t g_{t,j}(x_t)]₊
	colRunning = "violation_running" // the largest soft violation so far
	colHard    = "violation_hard"    // Σ_t Σ_j [g_{t,j}(x_t)]₊
	colPenalty = "violation_penalty" // Σ_t Σ_j [(1/t) Σ_{i≤t} g_{i,j}(x_t)]₊
	colSquared = "violation_squared" // Σ_t Σ_j [g_{t,j}(x_t)]₊²
	colMax     = "violation_max"     // max_{t,j} [g_{t,j}(x_t)]₊
	colGap     = "gap"               // worst relative certificate of an action
)

var traceColumns = []string{colT, colLoss, colSigned, colSoft, colRunning, colHard, colPenalty, colSquared, colMax, colGap}

// trace is the observer that keeps the metrics of a game, in constant memory
// but for the checkpoints.
type trace struct {
	checkpoints
	certified algorithms.Certified // the learner, or nil
	cum       []*convex.Form       // Σ_{i≤t} g_{i,j}
	signed    []float64            // Σ_t g_{t,j}(x_t)

	loss, running, hard, penalty, squared, largest, gap float64

	rows [][]float64
}

func newTrace(l algorithms.Learner, n, m, horizon int) *trace {
	tr := &trace{checkpoints: checkpoints{Checkpoints(horizon)}, signed: make([]float64, m)}
	tr.certified, _ = l.(algorithms.Certified)
	for range m {
		tr.cum = append(tr.cum, convex.NewForm(n))
	}
	return tr
}

// Round implements [Observer].
func (tr *trace) Round(t int, x []float64, r convex.Round) error {
	loss := r.Loss.Value(x)
	if !finite(loss) {
		return fmt.Errorf("the loss is %v", loss)
	}
	tr.loss += loss
	soft, total := 0.0, 0.0
	for j, g := range r.Constraints {
		v, sum := tr.cum[j].Accumulate(g, x)
		if !finite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		s := tr.signed[j] + v
		tr.signed[j] = s
		total += s
		if s > 0 {
			soft += s
		}
		if v > 0 {
			tr.hard += v
			tr.squared += float64(v * v)
			if v > tr.largest {
				tr.largest = v
			}
		}
		if sum > 0 {
			tr.penalty += sum / float64(t)
		}
	}
	if soft > tr.running {
		tr.running = soft
	}
	if tr.certified != nil {
		tr.gap = max(tr.gap, tr.certified.Cert().Relative())
	}
	if tr.due(t) {
		tr.rows = append(tr.rows, []float64{float64(t), tr.loss, total, soft, tr.running, tr.hard, tr.penalty, tr.squared, tr.largest, tr.gap})
	}
	return nil
}
