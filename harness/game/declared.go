package game

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex/vec"
	"ocobench/problems"
)

// A problem may declare a comparator itself ([problems.Declarer]). Its value and its action are
// columns of a hindsight, after those of the certified sets. It is not certified. Two properties
// are checked: its value is the sum of the losses at its action, and it agrees with the certified
// value if it is over a certified set.

// declaredSet takes the place of the set in the names of these columns.
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

// Declared holds the comparator that a problem declares itself.
type Declared struct {
	Over   string    `json:"over"` // the set that it is over, or [problems.OwnSet]
	Value  float64   `json:"value"`
	Action []float64 `json:"action"`
}

// Declared returns the comparator that the stream declares after the rounds so far, or nil if it
// declares none. It is an error if the value is not the sum of the losses at its action, or differs
// from the certified one over the same set.
func (h *Hindsight) Declared(certified []Best) (*Declared, error) {
	if h.declarer == nil {
		return nil, nil
	}
	row, err := h.queryDeclared()
	if err == nil {
		err = h.checkDeclared(h.played, row, certified)
	}
	if err != nil {
		return nil, err
	}
	return &Declared{h.declarer.DeclaredSet(), row[0], row[1:]}, nil
}

// lossesAt returns the sum of the losses of the first t rounds at x, and the unit that its rounding
// errors are relative to. Of opaque rounds that is how much the sum changes over the diameter of
// the domain by its subgradient. Otherwise t is the number of rounds so far.
func (h *Hindsight) lossesAt(t int, x []float64) (sum, unit float64, err error) {
	if h.opaque == nil {
		unit = h.lossUnit.orOne()
		return float64(h.loss.Value(x) * unit), unit, nil
	}
	sums, _, err := h.opaque.stream.Evaluate([]int{t}, nil, x)
	if err != nil {
		return 0, 0, err
	}
	o := sums[0].Loss
	return o.Value, float64(vec.Norm(o.Subgradient) * h.set.Diameter()), nil
}

// queryDeclared returns a row with the declared comparator after the rounds so far: its value, then
// its action. It is an error if the value is not the sum of the losses at the action, unless the
// stream is adaptive and the value is higher.
func (h *Hindsight) queryDeclared() ([]float64, error) {
	row, t := make([]float64, 1+h.set.Dim()), h.played
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
	sum, unit, err := h.lossesAt(t, x)
	if err != nil {
		return nil, err
	}
	if declaredDiffers(v, sum, 0, unit, h.declarer.Facts().Adaptive) {
		return nil, fmt.Errorf("the declared comparator has the value %v, and the losses of rounds 1 to "+
			"%d sum to %v at its action %v", v, t, sum, x)
	}
	return row, nil
}

// declaredDiffers reports whether the declared value v differs from another one by more than its
// gap and 10⁻⁶ of the sizes. The rounds that an adaptive stream reveals may be tangents, and the
// functions themselves are above them, so that its declared value may be higher.
func declaredDiffers(v, other, gap, unit float64, adaptive bool) bool {
	const tolerance = 1e-6 // as for certified values
	allowed := gap + float64(tolerance*(unit+max(math.Abs(v), math.Abs(other))))
	return other-v > allowed || !adaptive && v-other > allowed
}

// checkDeclared returns an error if the declared comparator of t rounds, a row of
// [Hindsight.queryDeclared], differs from the certified one over the same set.
func (h *Hindsight) checkDeclared(t int, row []float64, certified []Best) error {
	set := h.declarer.DeclaredSet()
	k := slices.IndexFunc(certified, func(b Best) bool { return b.Set == set })
	if k < 0 {
		return nil
	}
	v, best := row[0], certified[k]
	const remedy = `; if it is over another set, declare that set, or "own"`
	if best.Empty {
		return fmt.Errorf("the declared comparator over %s has the value %v, and no action is in "+
			"%[1]s after round %[3]d%[4]s", set, v, t, remedy)
	}
	_, unit, err := h.lossesAt(t, row[1:])
	if err != nil {
		return err
	}
	if declaredDiffers(v, best.Value, best.Gap, unit, h.declarer.Facts().Adaptive) {
		return fmt.Errorf("the declared comparator over %s has the value %v after round %d, and the "+
			"certified one %v with a gap of %.2g, a difference of %.3g%s", set, v, t, best.Value,
			best.Gap, v-best.Value, remedy)
	}
	return nil
}
