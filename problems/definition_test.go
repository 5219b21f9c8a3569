package problems

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRoundsAreThoseOfTheDefinition computes rounds from the formulas of the field Definition, for
// problems and parameters that draw nothing, and compares values on a grid.
func TestRoundsAreThoseOfTheDefinition(t *testing.T) {
	type function = func(t float64, x []float64) float64
	sum := func(x []float64) (s float64) {
		for _, v := range x {
			s += v
		}
		return s
	}
	odd := func(t float64) bool { return math.Mod(t, 2) == 1 }
	r := func(t float64) float64 { return 0.75 + 0.25*math.Sin(2*math.Pi*math.Log(t)/math.Log(10)) }
	m := func(t float64) float64 {
		return 0.2 * math.Pow(t, -0.3) * math.Cos(0.5*2*math.Pi/math.Log(10)*math.Log(t))
	}
	average := func(of func(float64) float64, t float64) float64 { // t·of(t) − (t−1)·of(t−1)
		if t == 1 {
			return of(1)
		}
		return t*of(t) - (t-1)*of(t-1)
	}
	for _, c := range []struct {
		name   string
		entry  Problem
		params any
		low    float64 // of the domain, a box
		high   float64
		f      function
		g      []function
	}{
		{"alternating", alternating, AlternatingParams{Swing: 3}, 0, 1,
			func(t float64, x []float64) float64 {
				if odd(t) {
					return -(1 + 3) * x[0]
				}
				return -(1 - 3) * x[0]
			},
			[]function{func(t float64, x []float64) float64 {
				if odd(t) {
					return x[0] - 1
				}
				return x[0]
			}}},
		{"drifting-average", driftingAverage,
			DriftingAverageParams{Kind: "quadratic", Amplitude: 0.2, Rate: 0.3, Turns: 0.5}, -2, 2,
			func(_ float64, x []float64) float64 { return -x[0] },
			[]function{func(t float64, x []float64) float64 { return x[0]*x[0] + average(m, t) }}},
		{"gradual-slater, switch", gradualSlater,
			GradualSlaterParams{Dim: 3, Margin: 0.3, Period: 4, Targets: "switch"}, 0, 1,
			func(t float64, x []float64) (s float64) {
				c := 0.8
				if math.Mod(t-1, 8) >= 4 {
					c = 0.2
				}
				for _, v := range x {
					s += (v - c) * (v - c) / 2
				}
				return s
			},
			[]function{func(_ float64, x []float64) float64 { return sum(x) - 0.3 }}},
		{"gradual-slater, circle", gradualSlater,
			GradualSlaterParams{Dim: 3, Margin: 0.3, Period: 7, Targets: "circle"}, 0, 1,
			func(t float64, x []float64) (s float64) {
				for i, v := range x {
					c := 0.5 + 0.3*math.Cos(2*math.Pi*(t-1)/7-float64(i)*math.Pi/3)
					s += (v - c) * (v - c) / 2
				}
				return s
			},
			[]function{func(_ float64, x []float64) float64 { return sum(x) - 0.3 }}},
		{"pinned", pinned, PinnedParams{}, -1, 1,
			func(_ float64, x []float64) float64 { return -4 * x[0] },
			[]function{
				func(t float64, x []float64) float64 {
					switch t {
					case 1:
						return x[0] + 0.5
					case 2:
						return -3*x[0] - 1.5
					}
					return -x[0] - 0.5
				},
				func(t float64, x []float64) float64 { return x[0] - average(r, t) },
			}},
		{"regime-switch", regimeSwitch, RegimeSwitchParams{Switch: 9, Slope: 5}, -1, 1,
			func(t float64, x []float64) float64 {
				if t <= 9 {
					return x[0]
				}
				return -5 * x[0]
			},
			[]function{func(_ float64, x []float64) float64 { return x[0] }}},
		{"schedule", schedule, ScheduleParams{
			Space: Space{Dim: 2, Set: "box", Radius: 1}, Constraints: 1, Functions: 3,
			Losses: []float64{3, 4, 0.5, 0, 0, -0.25}, Slopes: []float64{0.6, 0, 0, 0.2, -0.3, 0.4},
			Quadratic: []float64{0, 0.1, 0.2}, Slack: []float64{0.6, 0.8, 1}, Point: []float64{0.5, 0},
			Curvature: 0.7, LossLaw: "turns", LossPeriod: 1, LossPower: 1, LossTurn: 0.1,
			Law: "rare", Period: 3, Power: 1, Turn: -0.6, Fade: 0.5, Scale: 4, LossPeriodGrowth: 0.5,
			LossTurnGrowth: 0.5, PeriodGrowth: 0.5, TurnGrowth: -0.5, SlackGrowth: -0.5,
		}, -1, 1, // 4 to the power ½ is 2: the loss period is 2, its turn 0.2, the period 6, its turn −0.3
			func(t float64, x []float64) float64 {
				k := int(math.Floor((t-1)/2)) % 3
				b := turned([][]float64{{0.6, 0.8}, {0.5, 0}, {0, -0.25}}[k], 0.2*(t-1)) // (3, 4) over 5
				u := x[0] - 0.5
				return b[0]*x[0] + b[1]*x[1] + 0.7/2*(u*u+x[1]*x[1])
			},
			[]function{func(t float64, x []float64) float64 {
				k, ticks := 0, int(math.Floor((t-1)/6))
				if t > 1 && ticks > int(math.Floor((t-2)/6)) {
					k = 1 + (ticks-1)%2
				}
				a := turned([][]float64{{0.6, 0}, {0, 0.2}, {-0.3, 0.4}}[k], -0.3*(t-1))
				c, slack := []float64{0, 0.1, 0.2}[k], []float64{0.3, 0.4, 0.5}[k]
				u := x[0] - 0.5
				return a[0]*u + a[1]*x[1] + c/2*(u*u+x[1]*x[1]) - slack/math.Sqrt(t)
			}}},
		{"shrinking", shrinking, ShrinkingParams{}, 0, 1,
			func(_ float64, x []float64) float64 { return -x[0] },
			[]function{func(t float64, x []float64) float64 { return x[0] - 1/math.Sqrt(t) }}},
		{"vaze-sinha", vazeSinha, VazeSinhaParams{A: 4, C: 3}, 1, 4,
			func(_ float64, x []float64) float64 { return 3 * x[0] * x[0] },
			[]function{func(_ float64, x []float64) float64 { return 2 - x[0] }}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			s, err := c.entry.New(c.params, rng)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, s.Set().Dim())
			for round := 1; round <= 40; round++ {
				revealed := s.Reveal(round, nil)
				if len(revealed.Constraints) != len(c.g) {
					t.Fatalf("round %d has %d constraints, want %d", round, len(revealed.Constraints), len(c.g))
				}
				for range 5 {
					for i := range x {
						x[i] = uniform(rng, c.low, c.high)
					}
					if !(s.Set().Residual(x) <= 1e-12) {
						t.Fatalf("got %v, want a point of the domain", x)
					}
					got, want := revealed.Loss.Value(x), c.f(float64(round), x)
					if !(math.Abs(got-want) <= 1e-9) {
						t.Fatalf("f_%d(%v) is %v, the formula gives %v", round, x, got, want)
					}
					for j, g := range revealed.Constraints {
						got, want := g.Value(x), c.g[j](float64(round), x)
						if !(math.Abs(got-want) <= 1e-9) {
							t.Fatalf("g_{%d,%d}(%v) is %v, the formula gives %v", round, j+1, x, got, want)
						}
					}
				}
			}
		})
	}
}

// turned returns v, turned by an angle.
func turned(v []float64, angle float64) []float64 {
	cos, sin := math.Cos(angle), math.Sin(angle)
	return []float64{cos*v[0] - sin*v[1], sin*v[0] + cos*v[1]}
}
