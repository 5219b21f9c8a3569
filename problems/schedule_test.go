package problems

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/errtest"
)

// scheduleInstances returns schedules of every law, on every domain.
func scheduleInstances() []testInstance {
	var all []testInstance
	for i, law := range []string{"turns", "rare", "iid", "worst", "stages"} {
		p := schedule.Params.(ScheduleParams)
		p.Set, p.Dim, p.Constraints, p.Functions = []string{"box", "ball", "simplex"}[i%3], 2+i%2, 1+i%2,
			3
		p.Law, p.LossLaw = law, []string{"same", "worst", "iid", "rare", "turns"}[i]
		p.Period, p.Power, p.LossPower = 1.5, 0.5, float64(i%2)
		p.Curvature = float64(i % 2)
		all = append(all, testInstance{"schedule " + law, schedule, p})
		p.Turn, p.LossTurn, p.Fade = 0.3, -0.2, 0.5
		all = append(all, testInstance{"schedule " + law + " turning and fading", schedule, p})
		p.Turn, p.Fade = 0, 0
		p.Quadratic = []float64{0.5}
		all = append(all, testInstance{"schedule " + law + " quadratic", schedule, p})
		p.Turn, p.Scale, p.PeriodGrowth, p.TurnGrowth, p.SlackGrowth, p.LossPeriodGrowth,
			p.LossTurnGrowth = 0.3, 100, 0.5, -0.25, -0.5, 0.25, 0.125
		all = append(all, testInstance{"schedule " + law + " with a scale", schedule, p})
	}
	return all
}

// scheduleRounds reveals a round of a schedule for each action, and calls each with the slope of
// the loss, and with slopes and value at 0 of the first constraint.
func scheduleRounds(t *testing.T, p ScheduleParams, actions [][]float64,
	each func(t int, loss, g []float64)) {
	t.Helper()
	s, err := newSchedule(p, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	n := s.Set().Dim()
	zero := make([]float64, n)
	for i, x := range actions {
		r := s.Reveal(i+1, x)
		// the slope of the loss, and slope and value at 0 of the first constraint
		loss, g := make([]float64, n), make([]float64, n)
		r.Loss.Subgrad(loss, zero)
		r.Constraints[0].Subgrad(g, zero)
		each(i+1, loss, append(g, r.Constraints[0].Value(zero)))
	}
}

// lineSchedule returns a schedule of three affine functions on a line. Its losses tell which
// function a round has.
func lineSchedule(law string) ScheduleParams {
	p := schedule.Params.(ScheduleParams)
	p.Dim, p.Functions, p.Law, p.LossLaw = 1, 3, law, "same"
	p.Losses = []float64{0.25, 0.5, 0.75} // tells which function it is
	p.Slopes = []float64{1, -1, 0.5}
	p.Slack = []float64{0, 0.5, 0.25}
	p.Point = []float64{0.5}
	return p
}

// The laws choose the functions that are found by hand.
func TestScheduleLawsChooseByHand(t *testing.T) {
	rare := lineSchedule("rare")
	rare.Power, rare.Period = 0.5, 1 // ⌊2(√t − 1)⌋ grows at t = 3, 4, 7, 9, 13, 16 …
	blocks := lineSchedule("turns")
	blocks.Power, blocks.Period = 0, math.Ln2 // ⌊log₂ t⌋
	stay := lineSchedule("turns")
	stay.Period = 2
	for _, c := range []struct {
		name string
		p    ScheduleParams
		want []int
	}{
		{"turns", lineSchedule("turns"), []int{1, 2, 3, 1, 2, 3, 1}},
		{"turns for two rounds", stay, []int{1, 1, 2, 2, 3, 3, 1, 1}},
		{"turns geometrically", blocks, []int{1, 2, 2, 3, 3, 3, 3, 1}},
		{"rare", rare, []int{1, 1, 2, 3, 1, 1, 2, 1, 3, 1, 1, 1, 2, 1, 1, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			scheduleRounds(t, c.p, make([][]float64, len(c.want)), func(round int, loss, g []float64) {
				k := c.want[round-1]
				if got := int(4 * loss[0]); got != k {
					t.Errorf("round %d has function %d, want %d", round, got, k)
				}
				// g(x) = a(x − ½) − ε
				a, slack := c.p.Slopes[k-1], c.p.Slack[k-1]
				if g[0] != a || g[1] != -a/2-slack {
					t.Errorf("round %d has the constraint %vx %+v, want %vx %+v", round, g[0], g[1], a, -a/2-slack)
				}
			})
		})
	}
}

// Against the action come the largest constraint and the largest loss.
func TestWorstScheduleAnswersTheAction(t *testing.T) {
	p := lineSchedule("worst")
	// At 1: ½, −1, 0. At −1: −1.5, 1, −1. At 0.4: −.1, −.4, −.3: none is positive, the first is the
	// largest.
	scheduleRounds(t, p, [][]float64{{1}, {-1}, {0.4}}, func(round int, loss, _ []float64) {
		if got, want := int(4*loss[0]), []int{1, 2, 1}[round-1]; got != want {
			t.Errorf("constraints: round %d has function %d, want %d", round, got, want)
		}
	})
	p = lineSchedule("turns")
	p.LossLaw = "worst" // b(x − ½) is the largest for ¾ right of ½ and for ¼ left of it
	scheduleRounds(t, p, [][]float64{{1}, {0}}, func(round int, loss, _ []float64) {
		if got, want := int(4*loss[0]), []int{3, 1}[round-1]; got != want {
			t.Errorf("losses: round %d has function %d, want %d", round, got, want)
		}
	})
}

// With Mannor's two columns, scaled to slopes of 1, the stages are those of
// the problem mannor for the same actions.
func TestScheduleHasTheStagesOfMannor(t *testing.T) {
	m, err := newMannor(MannorParams{Threshold: 0.75}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := schedule.Params.(ScheduleParams)
	p.Dim, p.Law, p.LossLaw = 1, "stages", "same"
	p.Losses, p.Slopes, p.Slack, p.Point = []float64{1, 0.5}, []float64{1, 0}, []float64{0, 0.5},
		[]float64{0.5}
	// Mannor's column 2 has the sum of x above θ(t−1); here all rounds count with x − ½.
	p.Threshold = 0.25
	rng := rand.New(rand.NewPCG(3, 4))
	actions := make([][]float64, 3000)
	for i := range actions {
		actions[i] = []float64{min(1, 0.7+0.4*rng.Float64())}
		if i/100%2 == 1 {
			actions[i][0] = 0.2
		}
	}
	stages := 0
	scheduleRounds(t, p, actions, func(round int, loss, g []float64) {
		column := 1
		if r := m.Reveal(round, actions[round-1]); r.Constraints[0].Value([]float64{0}) == -1 &&
			r.Constraints[0].Value([]float64{1}) == 1 {
			column = 2
		}
		want := 2 - column // function 1 is column 2
		if got := map[float64]int{1: 0, 0.5: 1}[loss[0]]; got != want {
			t.Fatalf("round %d has function %d, want %d", round, got+1, want+1)
		}
		if a, slack := p.Slopes[want], p.Slack[want]; g[0] != a || g[1] != -a/2-slack {
			t.Fatalf("round %d has the constraint %vx %+v, want %vx %+v", round, g[0], g[1], a, -a/2-slack)
		}
		stages += column - 1
	})
	if stages == 0 || stages == len(actions) {
		t.Errorf("%d of %d rounds are of column 2, want both", stages, len(actions))
	}
}

// Whatever the numbers, z is feasible in every round, with the Slater margin, and slopes are at
// most 1 long.
func TestScheduleKeepsItsPointFeasible(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 200 {
		p := schedule.Params.(ScheduleParams)
		p.Set = []string{"box", "ball", "simplex"}[trial%3]
		p.Dim, p.Constraints, p.Functions = 2+rng.IntN(3), 1+rng.IntN(3), 2+rng.IntN(3)
		p.Law, p.LossLaw = []string{"turns", "rare", "iid", "worst", "stages"}[rng.IntN(5)],
			[]string{"turns", "rare", "iid", "worst", "same"}[rng.IntN(5)]
		p.Turn, p.LossTurn, p.Power, p.Fade = rng.Float64(), rng.Float64(), rng.Float64(),
			float64(rng.IntN(2))*rng.Float64()
		for range p.Dim {
			p.Point = append(p.Point, 4*rng.Float64()-2)
		}
		for range rng.IntN(2) * p.Functions * p.Constraints {
			p.Quadratic = append(p.Quadratic, float64(rng.IntN(2))*2*rng.Float64())
		}
		p.Scale, p.SlackGrowth = 1+rng.IntN(100), 2*rng.Float64()-1
		s, err := newSchedule(p, rng)
		if err != nil {
			t.Fatal(err)
		}
		z, x := s.(*scheduleStream).point, make([]float64, p.Dim)
		a := make([]float64, p.Dim)
		for round := 1; round <= 50; round++ {
			for i := range x {
				x[i] = 4*rng.Float64() - 2
			}
			s.Set().Project(x, x)
			for _, g := range s.Reveal(round, x).Constraints {
				g.Subgrad(a, x)
				if v := g.Value(z); v > -s.Facts().Slater+1e-12 || vec.Norm(a) > 1+1e-12 {
					t.Fatalf("trial %d, round %d: got g(z) = %v, want at most minus the margin %v; slope %v, "+
						"want at most 1", trial, round, v, s.Facts().Slater, vec.Norm(a))
				}
			}
		}
	}
}

// Quadratic constraints on [−1, 1] with z = ½, by hand. The
// distance of −1 from z is 3/2.
func TestQuadraticSchedulesAreScaledByHand(t *testing.T) {
	p := schedule.Params.(ScheduleParams)
	p.Dim, p.Functions, p.Losses, p.Slack, p.Point = 1, 1, []float64{1}, []float64{0.125},
		[]float64{0.5}
	for _, c := range []struct{ a, c, left, leftSlope, right, rightSlope float64 }{
		// ½(x − ½) + ⅛(x − ½)² − ⅛, as ½ + ¼·3/2 ≤ 1
		{0.5, 0.25, -0.59375, 0.125, 0.15625, 0.625},
		// a, c = −1, 2 are divided by 1 + 2·3/2 = 4: −¼(x − ½) + ¼(x − ½)² − ⅛
		{-1, 2, 0.8125, -1, -0.1875, 0},
		// no slope: c = 4 is divided by 6
		{0, 4, 0.625, -1, 1.0/12 - 0.125, 1.0 / 3},
	} {
		p.Slopes, p.Quadratic = []float64{c.a}, []float64{c.c}
		s, err := newSchedule(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, slope := s.Reveal(1, nil).Constraints[0], make([]float64, 1)
		form := convex.Lower(g, 1)
		for _, at := range []struct{ x, value, slope float64 }{
			{-1, c.left, c.leftSlope}, {1, c.right, c.rightSlope},
		} {
			x := []float64{at.x}
			g.Subgrad(slope, x)
			if v := g.Value(x); math.Abs(v-at.value)+math.Abs(form.Value(x)-at.value)+
				math.Abs(slope[0]-at.slope) > 1e-15 {
				t.Errorf("a = %v, c = %v: g(%v) = %v with slope %v, and its form %v, want %v and %v", c.a, c.c,
					at.x, v, slope[0], form.Value(x), at.value, at.slope)
			}
		}
	}
}

// The facts say what two functions on a line have in common.
func TestScheduleDeclaresWhatItsFunctionsShare(t *testing.T) {
	for _, c := range []struct {
		slopes, quadratic, slack []float64
		fade                     float64
		affine, perturbed, fixed bool
		slater                   float64
	}{
		{[]float64{1, 1}, nil, []float64{0.25, 0.25}, 0, true, true, true, 0.25},
		{[]float64{1, 1}, nil, []float64{0.25, 0.5}, 0, true, true, false, 0.25},
		{[]float64{1, 1}, nil, []float64{0.25}, 0.5, true, true, false, 0},
		{[]float64{1, 0.5}, nil, []float64{0.5, 0.25}, 0, true, false, false, 0.25},
		{[]float64{0.5, 0.5}, []float64{0.25}, []float64{0.25}, 0, false, true, true, 0.25},
		{[]float64{0.5, 0.5}, []float64{0.25, 0}, []float64{0.25}, 0, false, false, false, 0.25},
		{[]float64{0.5, 0.5}, []float64{0, 0.25}, []float64{0.25}, 0, false, false, false, 0.25},
		{[]float64{0.5, 0.5}, []float64{0, 0}, []float64{0.25}, 0, true, true, true, 0.25},
	} {
		for _, law := range []string{"turns", "iid"} {
			p := schedule.Params.(ScheduleParams)
			p.Dim, p.Losses, p.Law, p.LossLaw = 1, []float64{1, 1}, law, "same"
			p.Slopes, p.Quadratic, p.Slack, p.Fade = c.slopes, c.quadratic, c.slack, c.fade
			s, err := newSchedule(p, rand.New(rand.NewPCG(1, 2)))
			if err != nil {
				t.Fatal(err)
			}
			f := s.Facts()
			if f.Affine != c.affine || f.Perturbed != c.perturbed || f.Fixed != c.fixed ||
				f.Slater != c.slater || f.IID != (law == "iid" && c.fade == 0) ||
				f.Deterministic != (law == "turns") {
				t.Errorf("%+v, %s: got facts %+v, want those of the case", c, law, f)
			}
		}
	}
}

// Lists of another length, and periods that no clock resolves, are refused.
func TestBadSchedulesAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(p *ScheduleParams)
		want   string
	}{
		{func(p *ScheduleParams) { p.Quadratic = []float64{1, 2, 3} },
			"quadratic has 3 numbers, expected 2"},
		{func(p *ScheduleParams) { p.Slack = []float64{1, 2, 3} }, "slack has 3 numbers, expected 2"},
		{func(p *ScheduleParams) {
			p.Dim, p.Functions, p.Constraints, p.Losses = 3, 4, 5, []float64{1}
		}, "losses has 1 numbers, expected 12 with dim=3, functions=4, constraints=5"},
		{func(p *ScheduleParams) { p.Law, p.Functions = "stages", 1 }, "law=stages needs functions=2"},
		{func(p *ScheduleParams) { p.Period = 1e-310 },
			"period·scale^period-growth is 1e-310, less than 1e-9"},
		{func(p *ScheduleParams) { p.LossPeriod, p.Scale, p.LossPeriodGrowth = 0.5, 1e9, -1 },
			"loss-period·scale^loss-period-growth is 5e-10"},
	} {
		p := schedule.Params.(ScheduleParams)
		c.change(&p)
		errtest.Contains(t, p.Validate(), c.want, "%+v", p)
	}
}
