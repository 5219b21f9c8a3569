package game

import (
	"fmt"
	"math"
	"slices"

	"ocobench/problems"
)

// declaredSet names the comparator that a problem declares itself ([problems.Declarer]). Its value
// and its action are columns of a hindsight, after those of the certified sets. It is not certified,
// but what can be checked of it is.
const declaredSet = "declared"

// DeclaredSet returns the comparator set over which a stream declares the best fixed action, or "".
func DeclaredSet(s problems.Stream) string {
	if d, ok := s.(problems.Declarer); ok {
		return d.DeclaredSet()
	}
	return ""
}

// declaredColumns returns the columns of the declared comparator in n dimensions.
func declaredColumns(n int) []string {
	columns := []string{ValueColumn(declaredSet)}
	for i := range n {
		columns = append(columns, ActionColumn(declaredSet, i+1))
	}
	return columns
}

// askDeclared returns the declared comparator after t rounds: its value, then its action. It is an
// error if the value is not the sum of the losses at the action, or differs from the certified one
// over the same set by more than the gap and 10⁻⁶ of its size. The rounds of an adaptive stream
// may be tangents of its functions, which are not above them: then it is only an error if the value
// is too low.
func (h *hindsightRecorder) askDeclared(t int, certified []Best) ([]float64, error) {
	row := make([]float64, 1+h.set.Dim())
	x := row[1:]
	v, err := h.declarer.Hindsight(t, x)
	if err != nil {
		return nil, err
	}
	row[0] = v
	if !isFinite(v) {
		return nil, fmt.Errorf("the declared comparator has the value %v", v)
	}
	if err := problems.CheckAction(h.set, x); err != nil {
		return nil, fmt.Errorf("the declared comparator: %w", err)
	}
	unit := h.lossUnit.orOne()
	const tolerance = 1e-6 // of what a certified value has
	differs := func(other, gap float64) bool {
		allowed := gap + float64(tolerance*(unit+max(math.Abs(v), math.Abs(other))))
		return other-v > allowed || !h.oneSided && v-other > allowed
	}
	if sum := float64(h.loss.Value(x) * unit); differs(sum, 0) {
		return nil, fmt.Errorf("the declared comparator has the value %v, and the losses of rounds 1 to "+
			"%d sum to %v at its action %v", v, t, sum, x)
	}
	k := slices.IndexFunc(certified, func(b Best) bool { return b.Set == h.over })
	if k < 0 {
		return row, nil
	}
	best := certified[k]
	const remedy = `; if it is over another set, declare that set, or "own"`
	if best.Empty {
		return nil, fmt.Errorf("the declared comparator over %s has the value %v, and no action is in "+
			"%[1]s after round %[3]d%[4]s", h.over, v, t, remedy)
	}
	if differs(best.Value, best.Gap) {
		return nil, fmt.Errorf("the declared comparator over %s has the value %v after round %d, and the "+
			"certified one %v with a gap of %.2g, a difference of %.3g%s", h.over, v, t, best.Value,
			best.Gap, v-best.Value, remedy)
	}
	return row, nil
}
