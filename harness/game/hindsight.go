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

// While the rounds are played, a hindsight adds up the losses, and collects the constraints of each
// comparator set in a convex program. It solves the programs only when it is asked to, at the
// checkpoints. A constraint that is the same in every round is kept once.

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
	declarer                 problems.Declarer // the stream, or nil if it declares no comparator
	loss                     *convex.Form
	averages                 *averages.Running    // whose sums constrain X̂^max and X^max
	scaledForm               *convex.Form         // scratch: a constraint of the round, in its unit
	fixed                    []fixedConstraint    // by constraint
	windows                  []*slidingSum        // by constraint
	prefixes                 []*averages.Prefixes // by constraint; nil unless its sums have kinks
	xmin, xhat, xmax, xe, xk *convex.Program      // one per set; xe and xk are nil without the set
	nearOrigin               []float64            // the point of the domain nearest to the origin
	gradient                 []float64            // scratch
	constraintSize           float64              // max |g_t| at nearOrigin, over constraintUnit
	diameter                 float64              // of the domain
	// All programs are of functions in these units, and solutions are scaled back.
	lossUnit, constraintUnit, expectedUnit scaleUnit

	played int // rounds so far
	// opaque is set for opaque streams, which beside it use only played, set and declarer.
	opaque *opaqueHindsight
}

// NewHindsight returns the hindsight of a stream before its first round, when
// its options may be set.
func NewHindsight(s problems.Stream) *Hindsight {
	var declarer problems.Declarer
	if DeclaredSet(s) != "" {
		declarer = s.(problems.Declarer)
	}
	if s.Facts().Opaque {
		return &Hindsight{set: s.Set(), declarer: declarer, opaque: newOpaqueHindsight(s)}
	}
	n := s.Set().Dim()
	h := &Hindsight{
		set:        s.Set(),
		declarer:   declarer,
		loss:       convex.NewForm(n),
		averages:   averages.New(n, s.Constraints()),
		scaledForm: convex.NewForm(n),
		xmin:       convex.NewProgram(s.Set()),
		xhat:       convex.NewProgram(s.Set()),
		xmax:       convex.NewProgram(s.Set()),
		nearOrigin: make([]float64, n),
		gradient:   make([]float64, n),
		diameter:   s.Set().Diameter(),
	}
	h.set.Project(h.nearOrigin, h.nearOrigin)
	h.prefixes = make([]*averages.Prefixes, s.Constraints())
	for range s.Constraints() {
		h.fixed = append(h.fixed, fixedConstraint{form: convex.NewForm(n)})
	}
	if mean := expectedConstraints(s); mean != nil {
		h.xe = convex.NewProgram(h.set)
		scale := 1 / h.expectedUnit.updateUnit(mean, h.nearOrigin, h.diameter, h.gradient)
		for _, g := range mean {
			h.xe.Constrain(averages.Scaled(convex.Lower(g, n), scale))
		}
	}
	return h
}

// Round implements [Observer].
func (h *Hindsight) Round(t int, x []float64, r *convex.Round) error {
	if h.played++; h.opaque != nil {
		return h.checkOpaqueOptions()
	}
	if v := r.Loss.Value(h.nearOrigin); !isFinite(v) {
		return fmt.Errorf("the loss is %v", v)
	}
	h.averages.Unit = h.constraintUnit.updateUnit(r.Constraints, h.nearOrigin, h.diameter, h.gradient)
	if err := h.averages.Round(t, x, r); err != nil {
		return err
	}
	rounds := h.averages.T // this one included
	if rounds == 1 && h.Window > 0 {
		h.xk = convex.NewProgram(h.set)
		for range h.averages.Use {
			h.windows = append(h.windows, newSlidingSum(h.Window, h.set.Dim()))
		}
	}
	r.Loss.AddTo(h.loss, 1/h.lossUnit.updateUnit([]convex.Func{r.Loss}, h.nearOrigin, h.diameter,
		h.gradient))
	scale := 1 / h.averages.Unit
	for j, g := range r.Constraints {
		v := g.Value(h.nearOrigin)
		if !isFinite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		h.constraintSize = max(h.constraintSize, float64(math.Abs(v)*scale))
		h.scaledForm.Reset()
		g.AddTo(h.scaledForm, scale)
		repeated := h.fixed[j].isUnchanged(h.scaledForm, rounds)
		if !repeated {
			h.xmin.Constrain(h.scaledForm)
		}
		switch {
		case rounds < h.BurnIn: // this prefix is left out of X̂^max
		case repeated && rounds > h.BurnIn: // the prefix before implies this one
			h.fixed[j].lastLeftOut = rounds
		case h.prefixes[j] != nil: // X̂^max has their maximum, which now includes this prefix
			h.prefixes[j].Add(h.scaledForm)
		case h.averages.Sums[j].IsKinkedAfterSplit(): // from this prefix on X̂^max has the maximum
			h.prefixes[j] = averages.NewPrefixes(h.averages.Sums[j], rounds)
			h.xhat.Constrain(h.prefixes[j].Constraint())
		default:
			h.xhat.Constrain(h.averages.Sums[j])
		}
		if h.xk != nil {
			sum := h.windows[j].addForm(h.scaledForm)  // nil before round K
			isImplied := repeated && rounds > h.Window // by the sum of the K rounds before
			if sum != nil && !isImplied {
				h.xk.Constrain(sum)
			}
		}
	}
	return nil
}

// fixedConstraint tracks whether a constraint was the same function g in all rounds so far. As long
// as it was, X^min has it once; its prefixes t·g ≤ 0 are one constraint, and X̂^max has only the
// first of them; all sums of K rounds are one constraint, and X_K has only the first.
type fixedConstraint struct {
	form        *convex.Form // g
	changed     bool         // it was not the same in all rounds
	lastLeftOut int          // the last t whose prefix was left out of X̂^max, or 0
}

// isUnchanged reports whether the constraint of round t is the same as in all rounds before. It is
// false in round 1.
func (c *fixedConstraint) isUnchanged(round *convex.Form, t int) bool {
	if t == 1 {
		round.AddTo(c.form, 1)
		return false
	}
	c.changed = c.changed || !c.form.Equal(round)
	return !c.changed
}

// impliedResidual returns the largest value at x of the prefixes that were left out of X̂^max,
// since others imply them, or 0 if none is positive.
func (h *Hindsight) impliedResidual(x []float64) (worst float64) {
	for _, c := range h.fixed {
		if c.lastLeftOut > 0 {
			worst = max(worst, float64(float64(c.lastLeftOut)*c.form.Value(x)))
		}
	}
	return worst
}

// isExact reports whether a solution is exact enough: its relative gap is at most 10⁻⁶, and so is
// its residual in an average constraint, relative to the unit of the constraints plus the largest
// constraint at nearOrigin.
func (h *Hindsight) isExact(sol convex.Solution) bool {
	return isExact(sol, float64(float64(h.averages.T)*(1+h.constraintSize)))
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
		all, err := h.opaque.solveAll([]int{h.played})
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
