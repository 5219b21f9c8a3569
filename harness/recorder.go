package harness

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/convex"
)

// recorder is the observer that keeps the metrics of a game at its checkpoints,
// its trace. It needs constant memory otherwise.
type recorder struct {
	checkpoints
	certified algorithms.Certified // the learner, or nil
	cum       []*convex.Form       // Σ_{i≤t} g_{i,j}
	signed    []float64            // Σ_t g_{t,j}(x_t)

	// What the table of metrics reads, after the round last seen.
	loss, total, soft, running, hard, penalty, squared, largest, gap float64

	rows [][]float64
}

func newRecorder(l algorithms.Learner, n, m int, at []int) *recorder {
	rec := &recorder{checkpoints: checkpoints{at}, signed: make([]float64, m)}
	rec.certified, _ = l.(algorithms.Certified)
	for range m {
		rec.cum = append(rec.cum, convex.NewForm(n))
	}
	return rec
}

// Round implements [Observer].
func (rec *recorder) Round(t int, x []float64, r *convex.Round) error {
	loss := r.Loss.Value(x)
	if !finite(loss) {
		return fmt.Errorf("the loss is %v", loss)
	}
	rec.loss += loss
	soft, total := 0.0, 0.0
	for j, g := range r.Constraints {
		v, sum := rec.cum[j].Accumulate(g, x)
		if !finite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		s := rec.signed[j] + v
		rec.signed[j] = s
		total += s
		if s > 0 {
			soft += s
		}
		if v > 0 {
			rec.hard += v
			rec.squared += float64(v * v)
			if v > rec.largest {
				rec.largest = v
			}
		}
		if sum > 0 {
			rec.penalty += sum / float64(t)
		}
	}
	rec.total, rec.soft = total, soft
	if soft > rec.running {
		rec.running = soft
	}
	if rec.certified != nil {
		rec.gap = max(rec.gap, rec.certified.Cert().Relative())
	}
	if rec.due(t) {
		row := []float64{float64(t)}
		for _, m := range inTrace {
			row = append(row, m.read(rec))
		}
		rec.rows = append(rec.rows, row)
	}
	return nil
}
