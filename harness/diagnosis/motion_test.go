package diagnosis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/internal/race"
)

// The path length of the problem drifting grows with the exponent p, and the variation not faster.
func TestDriftingMovesWithItsExponent(t *testing.T) {
	race.SkipSequential(t)
	for p, spec := range map[float64]string{
		0.25: "drifting:p=0.25", 0.5: "drifting:p=0.5,loss=affine", 0.75: "drifting:p=0.75,dim=3",
		1: "drifting:p=1",
	} {
		for _, moves := range []int{1, 4} {
			m := measure(t, startOn(t, spec, "", 1, 3000), Options{Horizon: 3000, Moves: moves}).Motion
			e := m.Path
			if m.Paths != moves || m.Empty != 0 || !isNear(*e.Value, p, 0.02) || *e.Lower > *e.Value ||
				*e.Value > *e.Upper || *e.Upper-*e.Lower > 0.02 {
				t.Errorf("%s: got %d paths, round %d empty, exponent %v [%v, %v], want %d, none, and %v ± 0.02",
					spec, m.Paths, m.Empty, *e.Value, *e.Lower, *e.Upper, moves, p)
			}
			if v := *m.Variation.Last / *e.Last; v > 1 || v < 0.7 || m.Variation.AtMost || e.AtMost {
				t.Errorf("%s: got a variation of %v times the path length, at most: %v, want 0.7 to 1, exact",
					spec, v, m.Variation.AtMost)
			}
		}
	}
}

// Losses −x on [−1, 1] with x ≤ c_t: x*_t = c_t, and P_T = V_T is the variation of c.
func TestMotionByHand(t *testing.T) {
	const T = 1000 // the window begins at round 10
	for _, c := range []struct {
		name     string
		bound    func(replicate, t int) float64
		last     float64
		empty    int
		empties  int
		constant bool
		exponent float64 // NaN: none
	}{
		{name: "zero", bound: func(int, int) float64 { return 0.5 }, constant: true,
			exponent: math.NaN()},
		{name: "constant", bound: func(_, t int) float64 { return float64(min(t, 5)) / 10 }, last: 0.4,
			constant: true},
		{name: "a step", bound: func(_, t int) float64 { return float64(t / 500 % 2) }, last: 2,
			exponent: math.NaN()},
		{name: "swings", bound: func(_, t int) float64 { return float64(t % 2) }, last: T - 1,
			exponent: 1},
		// Replicate r swings by r/2, of which the mean is 3/4.
		{name: "two replicates", bound: func(r, t int) float64 { return float64(t%2*r) / 2 },
			last: 0.75 * (T - 1), exponent: 1},
		{name: "an empty round", bound: func(r, t int) float64 {
			if r == 2 && t == 7 {
				return -1.5
			}
			return float64(t % 2)
		}, empty: 7, empties: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := measure(t, startOf(func(rng *rand.Rand) *made {
				replicate := 1
				if rng.Uint64() == rand.New(rand.NewPCG(1, 2)).Uint64() {
					replicate = 2
				}
				loss, g := affine(0, -1), affine(0, 1)
				return &made{convex.Cube(1, -1, 1), 1, convex.Facts{}, func(t int) convex.Round {
					g.B = -c.bound(replicate, t)
					return roundOf(loss, g)
				}}
			}), Options{Horizon: T, Moves: 2}).Motion
			if m.Empty != c.empty || m.Empties != c.empties {
				t.Errorf("got round %d empty in %d replicates, want %d in %d", m.Empty, m.Empties, c.empty,
					c.empties)
			}
			if c.empty > 0 {
				if m.Path.Last != nil || m.Path.Value != nil || m.Variation.Last == nil {
					t.Error("got a path length or no variation, want only the variation")
				}
				return
			}
			for name, s := range map[string]Total{"path": m.Path, "variation": m.Variation} {
				if s.Last == nil || !isNear(*s.Last, c.last, 1e-9*T) || s.Constant != c.constant ||
					s.Zero != (c.last == 0) || s.AtMost {
					t.Errorf("%s is %+v, want %v", name, s, c.last)
				}
				if has := s.Value != nil; has == math.IsNaN(c.exponent) ||
					has && !isNear(*s.Value, c.exponent, 0.02) {
					t.Errorf("the exponent of %s is %v, want %v", name, s.Value, c.exponent)
				}
			}
		})
	}
}

// A round that is not solved leaves the rest of the diagnosis as it is.
func TestUnsolvedRoundLeavesTheRest(t *testing.T) {
	m := &measurement{Options: Options{Moves: 1}}
	got, err := m.measureMotion(&roundSolver{err: errors.New("why")})
	if err != nil || got.Unsolved != "why" || got.Paths != 0 || got.Path.Last != nil {
		t.Errorf("got %+v, error %v, want it unsolved, without a path", got, err)
	}
}

// In more than ten dimensions one path is solved, and otherwise up to ten; of a deterministic
// problem, one.
func TestMotionPathsByDimension(t *testing.T) {
	for _, c := range []struct{ dim, replicates, want int }{
		{11, 0, 1}, {11, 5, 1}, {10, 0, 1}, {10, 5, 5}, {2, 12, 10},
	} {
		m := measure(t, startOn(t, fmt.Sprintf("iid:dim=%d", c.dim), "", 1, 30),
			Options{Horizon: 30, Replicates: c.replicates}).Motion
		if m.Paths != c.want {
			t.Errorf("%+v: got %d paths, want %d", c, m.Paths, c.want)
		}
	}
}

// On an adaptive problem the learner plays, and the motion is that of the rounds it is shown.
func TestMotionOfAdaptiveIsThatOfThePlay(t *testing.T) {
	m := measure(t, startOn(t, "mannor", "ogd", 1, 500), Options{Horizon: 500}).Motion
	if m.Paths != 1 || *m.Path.Last <= 0 {
		t.Errorf("got %d paths of length %v, want one that moves", m.Paths, *m.Path.Last)
	}
}
