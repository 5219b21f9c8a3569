package game

import (
	"errors"
	"math"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
	"ocobench/internal/race"
)

// movingOver plays rounds for a Moving.
func movingOver(t testing.TB, set convex.Set, rounds ...convex.Round) (*Moving, error) {
	t.Helper()
	m := NewMoving(&harnesstest.Stream{Domain: set, Count: len(rounds[0].Constraints)})
	for i, r := range rounds {
		if err := m.Round(i+1, nil, &r); err != nil {
			return m, err
		}
	}
	return m, nil
}

// affineFunc returns the function a·x + b.
func affineFunc(b float64, a ...float64) convex.Func { return &convex.Affine{A: a, B: b} }

// roundOf returns a round with a loss and constraints.
func roundOf(f convex.Func, gs ...convex.Func) convex.Round {
	return convex.Round{Loss: f, Constraints: gs}
}

// Three rounds on [−2, 2]² by hand.
//
//	t   f_t                      g_t ≤ 0                       x*_t        f_t(x*_t)
//	1   −x                       x − 7/4,      −5              (7/4, 0)    −7/4
//	2   −x − y                   x + y − 2,    −4              (1, 1)      −2
//	3   ½(x − 1)² + ½(y + 3)²    −x,           −5              (1, −2)     1/2
//
// In round 1 the minimisers are the edge x = 7/4, in round 2 the part of the line x + y
// = 2 in the box; the ones of least norm are in the table. The steps have the lengths
// ‖(3/4, −1)‖ = 5/4 and 3. The first constraint changes by y − 1/4, which is between −9/4
// and 7/4, and by −2x − y + 2, between −4 and 8; the second one by 1 and −1.
func TestMovingByHand(t *testing.T) {
	m, err := movingOver(t, convex.Cube(2, -2, 2),
		roundOf(affineFunc(0, -1, 0), affineFunc(-7./4, 1, 0), affineFunc(-5, 0, 0)),
		roundOf(affineFunc(0, -1, -1), affineFunc(-2, 1, 1), affineFunc(-4, 0, 0)),
		roundOf(&convex.HalfSquaredDistance{Weight: 1, Center: []float64{1, -3}}, affineFunc(0, -1, 0),
			affineFunc(-5, 0, 0)),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"value", m.Value, -13. / 4},
		{"path", m.Path, 17. / 4},
		{"variation", m.Variation, 9./4 + 8},
		{"rise", m.Rise, 7./4 + 1 + 8},
		{"steepest", m.Steepest, 8},
	} {
		t.Run(c.what, func(t *testing.T) {
			if !isNear(c.got, c.want, 1e-12) {
				t.Errorf("%s %v, want %v", c.what, c.got, c.want)
			}
		})
	}
	if m.Empty != 0 || m.Upper || m.Gap > 1e-12 || m.Residual > 1e-12 {
		t.Errorf("got %+v, want no empty round, no bound, and no gap or residual", m)
	}
}

// From the first round that no action satisfies, there is nothing to compare with, but
// the constraints are measured on.
func TestEmptyRoundEndsMovingSums(t *testing.T) {
	x := affineFunc(0, -1)
	m, err := movingOver(t, convex.Cube(1, -1, 1), roundOf(x, affineFunc(-.5, 1)), roundOf(x,
		affineFunc(1.5, 1)),
		roundOf(x, affineFunc(0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Empty != 2 || !math.IsNaN(m.Value+m.Path) || !math.IsNaN(m.Gap) || !math.IsNaN(m.Residual) {
		t.Errorf("%+v", m)
	}
	if m.Variation != 3.5 || m.Rise != 2 || m.Steepest != 2 {
		t.Errorf("variation %v, rise %v, steepest %v, want 3.5, 2, 2", m.Variation, m.Rise, m.Steepest)
	}
}

// A round that is not solved is an error.
func TestUnsolvedRoundIsAnError(t *testing.T) {
	nan := math.NaN()
	square := convex.Cube(2, -1, 1)
	for _, c := range []struct {
		r    convex.Round
		want string
	}{
		{roundOf(affineFunc(nan, 1, 1)), "the loss is NaN"},
		{roundOf(affineFunc(0, 1, 1), affineFunc(0, nan, 1)), "constraint 1 is NaN"},
		{roundOf(&convex.Quadratic{Q: []float64{-1, 0, 0, -1}, A: []float64{0, 0}}),
			"the best action of the round"},
	} {
		_, err := movingOver(t, square, c.r)
		errtest.Contains(t, err, c.want)
	}
	m, err := movingOver(t, square, roundOf(affineFunc(0, 1, 1), affineFunc(0, 1, -1)))
	if err != nil {
		t.Fatal(err)
	}
	// no residual is below 0
	errtest.Contains(t, m.solveRound(-1), "is not found: gap")
}

// The constraint changes from ‖x‖ to 2‖x‖, by at most √2 on [−1, 1]². The bound is the
// value at 2·e_1.
func TestVariationOfNormsIsAnUpperBound(t *testing.T) {
	norm := convex.NewBasis(&convex.Distance{Weight: 1, Center: []float64{0, 0}})
	twice := convex.NewForm(2)
	norm.AddTo(twice, 2)
	m, err := movingOver(t, convex.Cube(2, -1, 1), roundOf(affineFunc(0, 1, 1), norm),
		roundOf(affineFunc(0, 1, 1), twice))
	if err != nil || !m.Upper || !isNear(m.Variation, 2, 1e-12) || !isNear(m.Rise, 2, 1e-12) {
		t.Errorf("got %+v, error %v, want an upper bound with variation and rise 2", m, err)
	}
}

// plainMoving is a simple twin of Moving. It lowers every round anew, solves it by Minimize,
// and measures the changes of affine constraints.
type plainMoving struct {
	value, gap, residual float64
	variation, rise      float64
	affine               bool // all changes of constraints
	empty                bool
	set                  convex.Set
	old                  []*convex.Form
}

func (m *plainMoving) Round(t int, _ []float64, r *convex.Round) error {
	n := m.set.Dim()
	p := convex.NewProgram(m.set)
	var now []*convex.Form
	for _, g := range r.Constraints {
		now = append(now, convex.Lower(g, n))
		p.Constrain(now[len(now)-1])
	}
	largest, rise := 0.0, 0.0
	for j := range m.old {
		change := now[j].Clone()
		m.old[j].AddTo(change, -1)
		for _, v := range change.Quad {
			m.affine = m.affine && v == 0
		}
		for _, term := range change.Terms {
			m.affine = m.affine && term.Scale == 0
		}
		x := make([]float64, n)
		top := change.Const + m.set.Support(x, change.Lin)
		vec.Scale(change.Lin, -1)
		bottom := change.Const - m.set.Support(x, change.Lin)
		largest, rise = max(largest, top, -bottom), rise+max(0, top)
	}
	m.variation += largest
	m.rise += rise
	m.old = now
	sol, err := p.Minimize(make([]float64, n), convex.Lower(r.Loss, n))
	if errors.Is(err, convex.ErrEmpty) {
		m.empty, err = true, nil
	}
	m.value += sol.Value
	m.gap += sol.Gap
	m.residual = max(m.residual, sol.Residual)
	return err
}

// Moving agrees with its twin on all kinds of rounds, and every x*_t is feasible and has
// the value that counts.
func TestMovingAgreesWithTwin(t *testing.T) {
	race.SkipSequential(t)
	const T = 60
	for _, name := range probedProblems() {
		s := harnesstest.Start(t, name)
		m, twin := NewMoving(s), &plainMoving{set: s.Set(), affine: true}
		x := make([]float64, s.Set().Dim())
		s.Set().Project(x, x)
		value := 0.0
		for i := 1; i <= T; i++ {
			r := s.Reveal(i, x)
			if err := errors.Join(m.Round(i, x, r), twin.Round(i, x, r)); err != nil {
				t.Fatal(name, i, err)
			}
			if m.Empty > 0 {
				continue
			}
			best := m.now.x
			value += r.Loss.Value(best)
			violation := s.Set().Residual(best)
			for _, g := range r.Constraints {
				violation = max(violation, g.Value(best))
			}
			if violation > 1e-9 || !isNear(value, m.Value, 1e-12*float64(i)) || m.now.Relative() > 1e-6 {
				t.Errorf("%s, t=%d: violation %v, value %v, want %v; %+v", name, i, violation, m.Value, value,
					m.now.Solution)
			}
		}
		if twin.empty != (m.Empty > 0) {
			t.Errorf("%s: got empty from %d on, want empty as the twin: %v", name, m.Empty, twin.empty)
		}
		if !twin.empty && math.Abs(m.Value-twin.value) > m.Gap+twin.gap+1e-11*(1+math.Abs(twin.value)) {
			t.Errorf("%s: got value %v ± %v, want %v ± %v as the twin", name, m.Value, m.Gap, twin.value,
				twin.gap)
		}
		if twin.affine && (m.Upper || !isNear(m.Variation, twin.variation, 1e-12) ||
			!isNear(m.Rise, twin.rise, 1e-12)) {
			t.Errorf("%s: got variation %v, rise %v, upper %v, want %v and %v as the twin", name,
				m.Variation, m.Rise, m.Upper, twin.variation, twin.rise)
		}
	}
}
