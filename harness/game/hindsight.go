package game

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game/averages"
	"ocobench/problems"
)

// A hindsight adds up the losses and collects the constraints of each comparator set as a
// convex program while the rounds are played. It solves the programs only when it is asked
// to, at the checkpoints. A constraint that repeats itself is kept once, so that fixed
// constraints need no memory.

// Sets lists the comparator sets that every stream has: X^min (feasible in every round), X̂^max
// (every prefix of the constraints sums to ≤ 0) and X^max (they sum to ≤ 0 in the end).
var Sets = []string{"xmin", "xhat", "xmax"}

// comparatorSets returns the comparator sets of a hindsight cell: [Sets], and X^E (the
// constraints are ≤ 0 in expectation) where the stream knows it.
func comparatorSets(s problems.Stream) []string {
	if expectedConstraints(s) == nil {
		return Sets
	}
	return append(slices.Clip(Sets), "xe")
}

// expectedConstraints returns the expectation of the constraints of a stream, or nil if it is not
// known.
func expectedConstraints(s problems.Stream) []convex.Func {
	if e, ok := s.(problems.Expecter); ok {
		return e.Expectation()
	}
	return nil
}

// Best holds the best fixed action over one comparator set after t rounds.
type Best struct {
	Set      string
	Empty    bool
	Value    float64 // Σ_{i≤t} f_i at the action
	Gap      float64 // bounds Value minus the least value
	Residual float64 // the largest violation of a constraint at the action
	Action   []float64
}

// MarshalJSON implements [json.Marshaler]. An empty set has neither numbers nor an action.
func (b Best) MarshalJSON() ([]byte, error) {
	if b.Empty {
		return []byte(`{"empty":true}`), nil
	}
	return json.Marshal(struct {
		Value float64 `json:"value"`
		solution
	}{b.Value, b.solution()})
}

// solution lists the members of the JSON of a best fixed action that follow its value.
type solution struct {
	Action   []float64 `json:"action"`
	Gap      float64   `json:"gap"`
	Residual float64   `json:"residual"`
	Empty    bool      `json:"empty"`
}

// solution returns the best action as a solution of its program.
func (b Best) solution() solution { return solution{b.Action, b.Gap, b.Residual, false} }

// Hindsight observes a game, accumulates its rounds and solves for the best fixed actions. It
// does not look at the actions played.
type Hindsight struct {
	// Window K adds X_K, in which the constraints of every K rounds in a row
	// sum to ≤ 0: the whole domain until there are K. It costs the forms of K
	// rounds.
	Window int
	// BurnIn T₀ leaves prefixes of fewer than T₀ rounds out of X̂^max.
	BurnIn int

	set                      convex.Set
	loss                     *convex.Form
	averages                 *averages.Running // their sums make X̂^max and X^max
	round                    *convex.Form
	fixed                    []fixedConstraint    // of the constraints
	windows                  []*slidingSum        // of the constraints
	prefixes                 []*averages.Prefixes // of constraints whose sums have kinks; others nil
	xmin, xhat, xmax, xe, xk *convex.Program      // one a set; xe and xk may be nil
	point                    []float64            // the point of the domain nearest to the origin
	gradient                 []float64            // scratch
	size                     float64              // the largest |constraint| at point, in its unit
	reach                    float64              // the diameter of the domain
	// All programs are of functions in these units, and solutions are scaled back.
	lossUnit, constraintUnit, expectedUnit scaleUnit

	played int              // rounds so far
	opaque *opaqueHindsight // of opaque streams, which use no other field but played; else nil
}

// NewHindsight returns the hindsight of a stream before its first round, when
// its options may be set.
func NewHindsight(s problems.Stream) *Hindsight {
	if s.Facts().Opaque {
		return &Hindsight{opaque: newOpaqueHindsight(s)}
	}
	n := s.Set().Dim()
	h := &Hindsight{
		set:      s.Set(),
		loss:     convex.NewForm(n),
		averages: averages.New(n, s.Constraints()),
		round:    convex.NewForm(n),
		xmin:     convex.NewProgram(s.Set()),
		xhat:     convex.NewProgram(s.Set()),
		xmax:     convex.NewProgram(s.Set()),
		point:    make([]float64, n),
		gradient: make([]float64, n),
		reach:    s.Set().Diameter(),
	}
	h.set.Project(h.point, h.point)
	h.prefixes = make([]*averages.Prefixes, s.Constraints())
	for range s.Constraints() {
		h.fixed = append(h.fixed, fixedConstraint{form: convex.NewForm(n)})
	}
	if mean := expectedConstraints(s); mean != nil {
		h.xe = convex.NewProgram(h.set)
		scale := 1 / h.expectedUnit.updateUnit(mean, h.point, h.reach, h.gradient)
		for _, g := range mean {
			h.xe.Constrain(averages.Scaled(convex.Lower(g, n), scale))
		}
	}
	return h
}

// Round implements [Observer].
func (h *Hindsight) Round(t int, x []float64, r *convex.Round) error {
	if h.played++; h.opaque != nil {
		return h.checkOpaque()
	}
	if v := r.Loss.Value(h.point); !isFinite(v) {
		return fmt.Errorf("the loss is %v", v)
	}
	h.averages.Unit = h.constraintUnit.updateUnit(r.Constraints, h.point, h.reach, h.gradient)
	if err := h.averages.Round(t, x, r); err != nil {
		return err
	}
	rounds := h.averages.T
	if rounds == 1 && h.Window > 0 {
		h.xk = convex.NewProgram(h.set)
		for range h.averages.Use {
			h.windows = append(h.windows, newSlidingSum(h.Window, h.set.Dim()))
		}
	}
	r.Loss.AddTo(h.loss, 1/h.lossUnit.updateUnit([]convex.Func{r.Loss}, h.point, h.reach, h.gradient))
	scale := 1 / h.averages.Unit
	for j, g := range r.Constraints {
		v := g.Value(h.point)
		if !isFinite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		h.size = max(h.size, float64(math.Abs(v)*scale))
		h.round.Reset()
		g.AddTo(h.round, scale)
		repeated := h.fixed[j].isUnchanged(h.round, rounds)
		if !repeated {
			h.xmin.Constrain(h.round)
		}
		switch {
		case rounds < h.BurnIn: // X̂^max does without this prefix
		case repeated && rounds > h.BurnIn:
			h.fixed[j].left = rounds
		case h.prefixes[j] != nil:
			h.prefixes[j].Add(h.round)
		case h.averages.Sums[j].IsKinked():
			h.prefixes[j] = averages.NewPrefixes(h.averages.Sums[j], rounds)
			h.xhat.Constrain(h.prefixes[j].Constraint())
		default:
			h.xhat.Constrain(h.averages.Sums[j])
		}
		if h.xk != nil {
			if sum := h.windows[j].addForm(h.round); sum != nil && !(repeated && rounds > h.Window) {
				h.xk.Constrain(sum)
			}
		}
	}
	return nil
}

// fixedConstraint tracks a constraint g that was the same in all rounds so far. X^min has it
// once. Its prefixes t·g ≤ 0 are one constraint, and X̂^max has the first of them only; all sums
// of K are one, and X_K has the first.
type fixedConstraint struct {
	form    *convex.Form // g
	changed bool         // it was not the same in all rounds
	left    int          // the last t whose prefix was left out of X̂^max, or 0
}

// isUnchanged reports whether the constraint of round t is that of all rounds before. It is
// false in round 1.
func (c *fixedConstraint) isUnchanged(round *convex.Form, t int) bool {
	if t == 1 {
		round.AddTo(c.form, 1)
		return false
	}
	c.changed = c.changed || !c.form.Equal(round)
	return !c.changed
}

// slidingSum sums the last K of a sequence of forms by additions alone, so that nothing is left
// where terms cancel, and rounding errors do not accumulate. The sequence is cut into blocks of
// K: K forms in a row are the end of one block and the beginning of the next.
type slidingSum struct {
	// forms[:r] are the forms of this block. forms[i] for i ≥ r is the sum of the forms of the block
	// before from number i to its end.
	forms []*convex.Form
	begun *convex.Form // the sum of this block
	sum   *convex.Form
	r     int  // the number of forms in this block
	whole bool // there was a block before
}

// newSlidingSum returns the sum of no forms of n coefficients yet; it will sum k.
func newSlidingSum(k, n int) *slidingSum {
	w := &slidingSum{begun: convex.NewForm(n), sum: convex.NewForm(n)}
	for range k {
		w.forms = append(w.forms, convex.NewForm(n))
	}
	return w
}

// addForm appends a form to the sequence and returns the sum of the last K, which is valid until
// the next call, or nil where there are fewer.
func (w *slidingSum) addForm(f *convex.Form) *convex.Form {
	f.AddTo(w.begun, 1)
	slot := w.forms[w.r]
	slot.Reset()
	f.AddTo(slot, 1)
	if w.r++; w.r < len(w.forms) {
		if !w.whole {
			return nil
		}
		w.sum.Reset()
		w.forms[w.r].AddTo(w.sum, 1)
		w.begun.AddTo(w.sum, 1)
		return w.sum
	}
	for i := len(w.forms) - 2; i > 0; i-- {
		w.forms[i+1].AddTo(w.forms[i], 1)
	}
	w.sum, w.begun = w.begun, w.sum
	w.begun.Reset()
	w.r, w.whole = 0, true
	return w.sum
}

// impliedResidual returns the largest value at x of the prefixes that X̂^max does without.
func (h *Hindsight) impliedResidual(x []float64) (worst float64) {
	for _, c := range h.fixed {
		if c.left > 0 {
			worst = max(worst, float64(float64(c.left)*c.form.Value(x)))
		}
	}
	return worst
}

// isExact reports whether a solution is exact enough: its relative gap is at most 10⁻⁶, and so is
// the residual of an average constraint, in units of the unit of the constraints plus the largest
// of them at the origin's projection.
func (h *Hindsight) isExact(sol convex.Solution) bool {
	return isExact(sol, float64(float64(h.averages.T)*(1+h.size)))
}

// isExact reports whether the relative gap of a solution is at most 10⁻⁶, and so is its residual
// in these units.
func isExact(sol convex.Solution, unit float64) bool {
	const tolerance = 1e-6
	return sol.Relative() <= tolerance && sol.Residual <= float64(tolerance*unit)
}

// Solve returns the best fixed actions so far, one for each comparator set:
// over [Sets], over X^E where the stream knows it, and over X_K with a Window.
func (h *Hindsight) Solve() ([]Best, error) {
	if h.opaque != nil {
		all, err := h.opaque.solve([]int{h.played})
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	h.xmax.Reset()
	for _, g := range h.averages.Sums {
		h.xmax.Constrain(g)
	}
	var bests []Best
	for _, c := range []struct {
		set     string
		program *convex.Program
	}{{"xmin", h.xmin}, {"xhat", h.xhat}, {"xmax", h.xmax}, {"xe", h.xe}, {"xk", h.xk}} {
		if c.program == nil {
			continue
		}
		b := Best{Set: c.set, Action: make([]float64, h.loss.Dim())}
		sol, err := c.program.Minimize(b.Action, h.loss)
		if c.program == h.xhat && err == nil {
			sol.Residual = max(sol.Residual, h.impliedResidual(b.Action))
		}
		switch {
		case errors.Is(err, convex.ErrEmpty):
			b.Empty = true
		case err != nil:
			return nil, fmt.Errorf("hindsight over %s: %w", b.Set, err)
		case !h.isExact(sol):
			return nil, fmt.Errorf("hindsight over %s is not solved: gap %.2g, residual %.2g", b.Set,
				sol.Gap, sol.Residual)
		case !isFinite(sol.Value):
			return nil, fmt.Errorf("hindsight over %s: the value is %v", b.Set, sol.Value)
		default:
			loss, constraint := h.lossUnit.orOne(), &h.constraintUnit
			if c.program == h.xe {
				constraint = &h.expectedUnit
			}
			b.Value, b.Gap = float64(sol.Value*loss), float64(sol.Gap*loss)
			b.Residual = float64(sol.Residual * constraint.orOne())
			for i := range b.Action {
				b.Action[i] += 0 // turns −0 into 0, so that equal actions have equal bits
			}
		}
		bests = append(bests, b)
	}
	return bests, nil
}

// hindsightRecorder solves for the best fixed actions at the checkpoints, and asks for those that
// the problem declares.
type hindsightRecorder struct {
	*Hindsight
	checkpoints
	columns  []string
	rows     [][]float64
	last     []Best // the best actions of the last checkpoint
	declared *declared

	// An opaque stream is solved at all checkpoints when the last one is reached. Until then these
	// are kept: the checkpoints, and the declared comparators there.
	reached  []int
	declares [][]float64
}

// NewHindsightRecorder returns the recorder of [Hindsight] at checkpoints that increase.
func NewHindsightRecorder(s problems.Stream, at []int) Recorder {
	return newHindsightRecorder(s, at)
}

// newHindsightRecorder returns a recorder that solves at these checkpoints.
func newHindsightRecorder(s problems.Stream, at []int) *hindsightRecorder {
	h := &hindsightRecorder{Hindsight: NewHindsight(s), checkpoints: checkpoints{at},
		columns: hindsightColumns(comparatorSets(s), s.Set().Dim())}
	if h.declared = declaredOf(s, h.Hindsight); h.declared != nil {
		h.columns = append(h.columns, declaredColumns(s.Set().Dim())...)
	}
	return h
}

// Round implements [Observer].
func (h *hindsightRecorder) Round(t int, x []float64, r *convex.Round) (err error) {
	if err := h.Hindsight.Round(t, x, r); err != nil || !h.isDue(t) {
		return err
	}
	var declared []float64
	if h.declared != nil {
		if declared, err = h.declared.ask(t); err != nil {
			return err
		}
	}
	if h.opaque != nil {
		h.reached, h.declares = append(h.reached, t), append(h.declares, declared)
		if len(h.at) > 0 {
			return nil
		}
		return h.solveOpaque()
	}
	bests, err := h.Solve()
	if err != nil {
		return err
	}
	return h.keep(t, bests, declared)
}

// solveOpaque solves at all checkpoints, when the last one is reached.
func (h *hindsightRecorder) solveOpaque() error {
	all, err := h.opaque.solve(h.reached)
	if err != nil {
		return err
	}
	for k, bests := range all {
		if err := h.keep(h.reached[k], bests, h.declares[k]); err != nil {
			return err
		}
	}
	return nil
}

// keep keeps the best actions of a checkpoint, and the declared comparator, or nil.
func (h *hindsightRecorder) keep(t int, bests []Best, declared []float64) error {
	h.last = bests
	row := []float64{float64(t)}
	for _, b := range bests {
		if b.Empty {
			b.Value, b.Gap, b.Residual = math.NaN(), math.NaN(), math.NaN()
			for i := range b.Action {
				b.Action[i] = math.NaN()
			}
		}
		row = append(row, b.Value, b.Gap, b.Residual)
		row = append(row, b.Action...)
	}
	if h.declared != nil {
		if err := h.declared.compare(t, declared, bests); err != nil {
			return err
		}
		row = append(row, declared...)
	}
	h.rows = append(h.rows, row)
	return nil
}

// hindsightColumns returns the columns of a hindsight cell over sets in n dimensions; the columns
// of an empty set are NaN.
func hindsightColumns(sets []string, n int) []string {
	cols := []string{TimeColumn}
	for _, s := range sets {
		cols = append(cols, ValueColumn(s), s+"_gap", s+"_residual")
		for i := range n {
			cols = append(cols, ActionColumn(s, i+1))
		}
	}
	return cols
}

// ValueColumn returns the column of a hindsight that has the value of the best action of a set.
func ValueColumn(set string) string { return set + "_value" }

// ActionColumn returns the column of a hindsight that has coordinate i, from 1, of the best action.
func ActionColumn(set string, i int) string { return fmt.Sprintf("%s_x%d", set, i) }

// Kept implements [Recorder].
func (h *hindsightRecorder) Kept() ([]string, [][]float64) { return h.columns, h.rows }
