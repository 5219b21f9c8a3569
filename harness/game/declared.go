package game

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
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

// declared asks a problem for the comparator that it declares, and checks the answers.
type declared struct {
	problems.Declarer
	setName string // the set that it is over, or [problems.OwnSet]
	set     convex.Set
	// oneSided is set for an adaptive stream: the rounds that it reveals may be tangents, and the
	// functions themselves are above them, so that the declared value may be higher.
	oneSided bool
	// sumOfLosses returns the sum of the losses of the first t rounds at x, and the unit that its
	// rounding errors are relative to.
	sumOfLosses func(t int, x []float64) (sum, unit float64, err error)
}

// declaredOf returns the declared comparator of a stream, or nil if it declares none.
func declaredOf(s problems.Stream, h *Hindsight) *declared {
	over := DeclaredSet(s)
	if over == "" {
		return nil
	}
	d := &declared{Declarer: s.(problems.Declarer), setName: over, set: s.Set(),
		oneSided: s.Facts().Adaptive, sumOfLosses: h.lossesAt}
	if h.opaque != nil {
		d.sumOfLosses = h.opaque.lossesAt
	}
	return d
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
func (h *Hindsight) Declared(s problems.Stream, certified []Best) (*Declared, error) {
	d := declaredOf(s, h)
	if d == nil {
		return nil, nil
	}
	row, err := d.query(h.played)
	if err == nil {
		err = d.checkCertified(h.played, row, certified)
	}
	if err != nil {
		return nil, err
	}
	return &Declared{d.setName, row[0], row[1:]}, nil
}

// lossesAt returns the sum of the losses so far at x, and the unit of losses.
func (h *Hindsight) lossesAt(_ int, x []float64) (sum, unit float64, err error) {
	unit = h.lossUnit.orOne()
	return float64(h.loss.Value(x) * unit), unit, nil
}

// lossesAt returns the sum of the losses of the first t rounds at x and, as the unit, how much it
// changes over the diameter of the domain by its subgradient.
func (h *opaqueHindsight) lossesAt(t int, x []float64) (sum, unit float64, err error) {
	sums, _, err := h.stream.Evaluate([]int{t}, nil, x)
	if err != nil {
		return 0, 0, err
	}
	o := sums[0].Loss
	return o.Value, float64(vec.Norm(o.Subgradient) * h.diameter), nil
}

// query returns a row with the declared comparator after t rounds: its value, then its action. It
// is an error if the value is not the sum of the losses at the action, unless the stream is
// adaptive and the value is higher.
func (d *declared) query(t int) ([]float64, error) {
	row := make([]float64, 1+d.set.Dim())
	x := row[1:]
	v, err := d.Hindsight(t, x)
	if err != nil {
		return nil, err
	}
	row[0] = v
	if !isFinite(v) {
		return nil, fmt.Errorf("the declared comparator has the value %v", v)
	}
	if err := problems.CheckAction(d.set, x); err != nil {
		return nil, fmt.Errorf("the declared comparator: %w", err)
	}
	sum, unit, err := d.sumOfLosses(t, x)
	if err != nil {
		return nil, err
	}
	if d.differsFrom(v, sum, 0, unit) {
		return nil, fmt.Errorf("the declared comparator has the value %v, and the losses of rounds 1 to "+
			"%d sum to %v at its action %v", v, t, sum, x)
	}
	return row, nil
}

// differsFrom reports whether the declared value v differs from another one by more than its gap
// and 10⁻⁶ of the sizes.
func (d *declared) differsFrom(v, other, gap, unit float64) bool {
	const tolerance = 1e-6 // as for certified values
	allowed := gap + float64(tolerance*(unit+max(math.Abs(v), math.Abs(other))))
	return other-v > allowed || !d.oneSided && v-other > allowed
}

// checkCertified returns an error if the declared comparator of t rounds, a row of query, differs
// from the certified one over the same set.
func (d *declared) checkCertified(t int, row []float64, certified []Best) error {
	k := slices.IndexFunc(certified, func(b Best) bool { return b.Set == d.setName })
	if k < 0 {
		return nil
	}
	v, best := row[0], certified[k]
	const remedy = `; if it is over another set, declare that set, or "own"`
	if best.Empty {
		return fmt.Errorf("the declared comparator over %s has the value %v, and no action is in "+
			"%[1]s after round %[3]d%[4]s", d.setName, v, t, remedy)
	}
	_, unit, err := d.sumOfLosses(t, row[1:])
	if err != nil {
		return err
	}
	if d.differsFrom(v, best.Value, best.Gap, unit) {
		return fmt.Errorf("the declared comparator over %s has the value %v after round %d, and the "+
			"certified one %v with a gap of %.2g, a difference of %.3g%s", d.setName, v, t, best.Value,
			best.Gap, v-best.Value, remedy)
	}
	return nil
}
