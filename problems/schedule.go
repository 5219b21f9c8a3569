package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var schedule = Problem{
	Name:      "schedule",
	Title:     "Schedule",
	Doc:       "a few affine losses and constraints that a law chooses among in every round: in turn, rarely, at random, or against the action; slopes may turn and slack may fade",
	Reference: "none in the literature: rounds for a search (bench attack), whose X^min has a point by construction",
	Version:   1,
	Params: ScheduleParams{
		Space: Space{Dim: 2, Set: "box", Radius: 1}, Constraints: 1, Functions: 2,
		LossLaw: "turns", LossPeriod: 1, LossPower: 1, Law: "turns", Period: 1, Power: 1,
	},
	New: Typed(newSchedule),
}

// ScheduleParams are the parameters of schedule. With the clock s_p(t) = (t^p − 1)/p,
// and log t where p = 0, a stream reveals
//
//	f_t(x) = R(φ_t)b_k·x + ½σ‖x − z‖²      k by the law of the losses
//	g_{t,j}(x) = R(θ_t)a_{k,j}·(x − z) − ε_{k,j}·t^{−fade}      k by that of the constraints
//
// where b_k and a_{k,j} are the numbers of losses and slopes, each vector divided by its
// length where that exceeds 1, ε_{k,j} ≥ 0 are those of slack, and z is the projection
// of the parameter point on the domain. R(φ) turns the first two coordinates by φ_t =
// loss-turn·s_{loss-power}(t), θ_t = turn·s_power(t); on a line it is not there. As
// g_{t,j}(z) ≤ 0 in every round, z is in X^min, and the least slack is a Slater margin
// if none fades. All Lipschitz constants are 1 where σ = 0.
//
// The laws choose a function k of K in round t:
//
//	turns    k = 1 + ⌊s(t)/period⌋ mod K: with the power 1 each stays for period
//	         rounds, with ½ for numbers of rounds that grow like √t, with 0 geometrically
//	rare     k = 1, but for the rounds in which ⌊s(t)/period⌋ grows, which have the
//	         next one of 2, …, K
//	iid      drawn uniformly
//	worst    the largest at the action x_t: of the K losses less their value at z, or
//	         of the sums of positive parts of constraints. The first of several.
//	stages   k = 1 once, and then while the mean of g_{i,1}(x_i) over all rounds so far
//	         exceeds threshold; then k = 2 for as many rounds; and so on (Mannor,
//	         Tsitsiklis and Yu)
//	same     (losses only) that of the constraints
//
// Worst and stages make the stream adaptive. Empty lists are drawn: slopes from the unit
// ball, slack from [0, ½]. K·m functions with the law turns, K = T and period 1 are any
// T affine rounds with these Lipschitz constants and a point of X^min.
type ScheduleParams struct {
	Space
	Constraints int       `name:"constraints" doc:"number of constraints m" min:"1" max:"100"`
	Functions   int       `name:"functions" doc:"number K of losses, and of tuples of constraints" min:"1" max:"1000"`
	Losses      []float64 `name:"losses" doc:"K slopes b_k of losses, n numbers each, scaled to length ≤ 1; none: drawn" min:"-1e6" max:"1e6"`
	Slopes      []float64 `name:"slopes" doc:"K·m slopes a_{k,j} of constraints, n numbers each, scaled to length ≤ 1; none: drawn" min:"-1e6" max:"1e6"`
	Slack       []float64 `name:"slack" doc:"K·m numbers ε_{k,j}, the slack of constraints at z, or one for all; none: drawn" min:"0" max:"1e6"`
	Point       []float64 `name:"point" doc:"projected, the point z of X^min; none: the centre of the domain" min:"-1e6" max:"1e6"`
	Curvature   float64   `name:"curvature" doc:"σ: losses have ½σ‖x−z‖² added" min:"0" max:"1e6"`

	LossLaw    string  `name:"loss-law" doc:"how losses are chosen" enum:"turns,rare,iid,worst,same"`
	LossPeriod float64 `name:"loss-period" doc:"period of the law of the losses, on its clock" above:"0" max:"1e9"`
	LossPower  float64 `name:"loss-power" doc:"p of the clock (t^p − 1)/p of the losses; 0: log t" min:"0" max:"2"`
	LossTurn   float64 `name:"loss-turn" doc:"angle by which slopes of losses turn in a unit of their clock" min:"-1e3" max:"1e3"`

	Law       string  `name:"law" doc:"how constraints are chosen" enum:"turns,rare,iid,worst,stages"`
	Period    float64 `name:"period" doc:"period of the law of the constraints, on its clock" above:"0" max:"1e9"`
	Power     float64 `name:"power" doc:"p of the clock of the constraints" min:"0" max:"2"`
	Turn      float64 `name:"turn" doc:"angle by which slopes of constraints turn in a unit of their clock" min:"-1e3" max:"1e3"`
	Fade      float64 `name:"fade" doc:"slack is multiplied by t^(−fade)" min:"0" max:"2"`
	Threshold float64 `name:"threshold" doc:"of law=stages: the mean of g_1 above which a stage goes on" min:"-1e6" max:"1e6"`
}

// Validate implements the check across parameters of package spec.
func (p ScheduleParams) Validate() error {
	n, k, m := p.Dim, p.Functions, p.Constraints
	for _, list := range []struct {
		name string
		got  int
		want []int
	}{
		{"losses", len(p.Losses), []int{0, k * n}}, {"slopes", len(p.Slopes), []int{0, k * m * n}},
		{"slack", len(p.Slack), []int{0, 1, k * m}}, {"point", len(p.Point), []int{0, n}},
	} {
		last := list.want[len(list.want)-1]
		ok := false
		for _, w := range list.want {
			ok = ok || list.got == w
		}
		if !ok {
			return fmt.Errorf("%s has %d numbers, expected %d with dim=%d, functions=%d, constraints=%d, or none", list.name, list.got, last, n, k, m)
		}
	}
	if p.Law == "stages" && k < 2 {
		return fmt.Errorf("law=stages needs functions=2 or more")
	}
	_, err := p.Space.new()
	return err
}

// clock tells which functions a law chooses by time alone, and how far slopes have
// turned.
type clock struct {
	law                 string
	period, power, turn float64
	last                float64 // ⌊s(t)/period⌋ of the round before
	rare                int
}

func (c *clock) at(t int) float64 {
	if c.power == 0 {
		return vec.Log(float64(t))
	}
	return (vec.Pow(float64(t), c.power) - 1) / c.power
}

// choose returns the index from 0 of K functions that a law of time chooses.
func (c *clock) choose(t, functions int, rng *rand.Rand) int {
	if functions == 1 {
		return 0
	}
	if c.law == "iid" {
		return rng.IntN(functions)
	}
	// A clock that reaches a multiple of its period does so in spite of rounding.
	tick := math.Floor(c.at(t)/c.period + 1e-9)
	if c.law == "turns" {
		return int(math.Mod(tick, float64(functions)))
	}
	grown := tick > c.last
	c.last = tick
	if !grown {
		return 0
	}
	c.rare++
	return 1 + (c.rare-1)%(functions-1)
}

// direction writes to dst the slope v turned by the angle of round t.
func (c *clock) direction(dst, v []float64, t int) {
	copy(dst, v)
	if c.turn == 0 || len(v) < 2 {
		return
	}
	angle := float64(c.turn * c.at(t))
	cos, sin := vec.Cos(angle), vec.Sin(angle)
	dst[0] = float64(cos*v[0]) - float64(sin*v[1])
	dst[1] = float64(sin*v[0]) + float64(cos*v[1])
}

type scheduleStream struct {
	Instance
	p             ScheduleParams
	rng           *rand.Rand
	point         []float64
	losses, g     clock
	lossSlopes    [][]float64 // by function
	slopes        [][]float64 // constraint j of function k at k·m + j
	slack         []float64   // likewise
	linear        convex.Affine
	squared       convex.SquaredDistance
	now           []convex.Affine
	loss          []float64 // slope of the round
	slope         []float64 // m slopes of the round
	sum           float64   // Σ_i g_{i,1}(x_i)
	stage, remain int       // the length of the last stage of function 1, and what remains of one of function 2
}

func newSchedule(p ScheduleParams, rng *rand.Rand) (Stream, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	space, err := p.Space.new()
	if err != nil {
		return nil, err
	}
	n, k, m := p.Dim, p.Functions, p.Constraints
	s := &scheduleStream{
		p: p, rng: rng, point: space.center,
		losses: clock{law: p.LossLaw, period: p.LossPeriod, power: p.LossPower, turn: p.LossTurn},
		g:      clock{law: p.Law, period: p.Period, power: p.Power, turn: p.Turn},
		slack:  p.Slack, now: make([]convex.Affine, m), loss: make([]float64, n), slope: make([]float64, m*n),
	}
	if len(p.Point) > 0 {
		s.point = make([]float64, n)
		space.set.Project(s.point, p.Point)
	}
	s.lossSlopes, s.slopes = unitSlopes(p.Losses, k, n, rng), unitSlopes(p.Slopes, k*m, n, rng)
	if len(s.slack) != k*m {
		s.slack = make([]float64, k*m)
		for i := range s.slack {
			if len(p.Slack) == 1 {
				s.slack[i] = p.Slack[0]
			} else {
				s.slack[i] = uniform(rng, 0, 0.5)
			}
		}
	}
	drawn := len(p.Losses) == 0 || len(p.Slopes) == 0 || len(p.Slack) == 0 || p.LossLaw == "iid" || p.Law == "iid"
	adaptive := p.Law == "worst" || p.Law == "stages" || p.LossLaw == "worst"
	least, most, parallel, equal := s.slack[0], 0.0, true, true
	for i, a := range s.slopes {
		least, most = min(least, s.slack[i]), max(most, s.slack[i])
		for c, v := range a {
			parallel = parallel && v == s.slopes[i%m][c]
		}
		equal = equal && s.slack[i] == s.slack[i%m]
	}
	still := p.Turn == 0 || n == 1
	fixed := still && p.Fade == 0 && parallel && equal
	diameter := space.set.Diameter()
	s.Instance = Instance{
		Domain: space.set, M: m,
		Declared: convex.Facts{
			LossLipschitz: 1 + float64(p.Curvature*diameter), ConstraintLipschitz: 1,
			LossRange: diameter + float64(p.Curvature*diameter*diameter/2), ConstraintBound: diameter + most,
			Diameter: diameter, Curvature: p.Curvature, Feasible: true,
			Fixed: fixed, Affine: true, Perturbed: still && parallel, IID: still && p.Fade == 0 && p.Law == "iid",
			Adaptive: adaptive, Deterministic: !drawn,
		},
		Round: convex.Round{Constraints: make([]convex.Func, m)},
	}
	if p.Fade == 0 {
		s.Declared.Slater = least
	}
	s.squared.Center = make([]float64, n)
	for j := range s.now {
		s.Round.Constraints[j] = &s.now[j]
		s.set(0, j, 1) // with Fixed, those of every round
	}
	return s, nil
}

// Expectation implements [Expecter] where the law of the constraints is iid and they do not
// change with t: the mean of the K functions.
func (s *scheduleStream) Expectation() []convex.Func {
	if s.p.Law != "iid" || !s.Declared.IID {
		return s.Instance.Expectation()
	}
	means := make([]convex.Func, s.M)
	for j := range means {
		a, slack := make([]float64, len(s.point)), 0.0
		for i := j; i < len(s.slopes); i += s.M {
			vec.Axpy(a, 1/float64(s.p.Functions), s.slopes[i])
			slack += s.slack[i] / float64(s.p.Functions)
		}
		means[j] = &convex.Affine{A: a, B: -vec.Dot(a, s.point) - slack}
	}
	return means
}

// unitSlopes cuts a list into vectors of n numbers, each scaled to a length of at most 1. It
// draws them from the unit ball where there is no list.
func unitSlopes(list []float64, count, n int, rng *rand.Rand) [][]float64 {
	slopes := make([][]float64, count)
	for i := range slopes {
		v := make([]float64, n)
		if len(list) > 0 {
			copy(v, list[i*n:])
		} else {
			for c := range v {
				v[c] = centred(rng)
			}
		}
		if norm := vec.Norm(v); norm > 1 {
			vec.Scale(v, 1/norm)
		}
		slopes[i] = v
	}
	return slopes
}

// set writes constraint j of function k in round t.
func (s *scheduleStream) set(k, j, t int) {
	n := len(s.point)
	i := k*s.M + j
	a := s.slope[j*n : (j+1)*n]
	s.g.direction(a, s.slopes[i], t)
	slack := s.slack[i]
	if s.p.Fade > 0 {
		slack *= vec.Pow(float64(t), -s.p.Fade)
	}
	s.now[j] = convex.Affine{A: a, B: -vec.Dot(a, s.point) - slack}
}

// Reveal implements [Stream].
func (s *scheduleStream) Reveal(t int, x []float64) *convex.Round {
	if s.Declared.Adaptive {
		s.check(x)
	}
	k := s.chosen(t, x)
	b := s.lossSlope(t, x, k)
	for j := range s.now {
		s.set(k, j, t)
	}
	if s.p.Law == "stages" {
		s.sum += s.value(0, 0, t, x)
	}
	s.linear = convex.Affine{A: b}
	if sigma := s.p.Curvature; sigma > 0 {
		// b·x + ½σ‖x−z‖² = ½σ‖x − (z − b/σ)‖² + b·z − ‖b‖²/(2σ)
		s.squared = convex.SquaredDistance{Weight: sigma, Center: s.squared.Center, Offset: vec.Dot(b, s.point) - vec.Dot(b, b)/(2*sigma)}
		vec.AxpyTo(s.squared.Center, -1/sigma, b, s.point)
		return s.Show(&s.squared, s.Round.Constraints)
	}
	return s.Show(&s.linear, s.Round.Constraints)
}

// value is g_{t,j}(x) for function k. It writes constraint j.
func (s *scheduleStream) value(k, j, t int, x []float64) float64 {
	s.set(k, j, t)
	return s.now[j].Value(x)
}

// chosen is the function of the constraints in round t.
func (s *scheduleStream) chosen(t int, x []float64) (k int) {
	switch s.p.Law {
	case "worst":
		most := math.Inf(-1)
		for i := range s.p.Functions {
			sum, largest := 0.0, math.Inf(-1)
			for j := range s.M {
				v := s.value(i, j, t, x)
				sum, largest = sum+max(0, v), max(largest, v)
			}
			if sum == 0 {
				sum = largest
			}
			if sum > most+choice {
				k, most = i, sum
			}
		}
		return k
	case "stages":
		if s.remain > 0 {
			s.remain--
			return 1
		}
		if s.stage == 0 || s.sum > float64(s.p.Threshold*float64(t-1)) {
			s.stage++
			return 0
		}
		s.remain, s.stage = s.stage-1, 0
		return 1
	}
	return s.g.choose(t, s.p.Functions, s.rng)
}

// choice is how much larger a value has to be for an adversary that sees the action:
// rounding errors of learners do not decide.
const choice = 1e-9

// lossSlope is the slope of the loss in round t.
func (s *scheduleStream) lossSlope(t int, x []float64, constraints int) []float64 {
	k := constraints
	switch s.p.LossLaw {
	case "same":
	case "worst":
		most := math.Inf(-1)
		for i, b := range s.lossSlopes {
			s.losses.direction(s.loss, b, t)
			if v := vec.Dot(s.loss, x) - vec.Dot(s.loss, s.point); v > most+choice {
				k, most = i, v
			}
		}
	default:
		k = s.losses.choose(t, s.p.Functions, s.rng)
	}
	s.losses.direction(s.loss, s.lossSlopes[k], t)
	return s.loss
}
