package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var schedule = Problem{
	Name:  "schedule",
	Title: "Schedule",
	Doc: "a few losses and constraints, affine or quadratic, that a law chooses among in " +
		"every round: in turn, rarely, at random, or against the action; slopes may turn and slack " +
		"may fade",
	Reference: "none in the literature: rounds for a search (bench attack), whose X^min has a point " +
		"by construction",
	Definition: slices.Concat(spaceDefinition, []string{
		"With $z$ the projection of point on $D$ (its centre without point), $m = constraints$ and " +
			"$K = functions$,",
		"$f_t(x) = R(φ_t)b_k·x + ½σ‖x − z‖²$",
		"$g_{t,j}(x) = R(θ_t)a_{k,j}·(x − z) + ½c_{k,j}‖x − z‖² − ε_{k,j}·t^{−fade}$",
		"with $b_k$ of losses, $σ = curvature$, $a_{k,j}$ of slopes, $c_{k,j}$ of quadratic and " +
			"$ε_{k,j}$ of slack. Empty lists are drawn once: $b_k$ and $a_{k,j}$ uniformly from $[−1, " +
			"1]^n$, slack from $[0, ½]$; $c_{k,j} = 0$. Then $b_k$ is divided by its length where that " +
			"exceeds 1, and $a_{k,j}$ with $c_{k,j}$ by $‖a_{k,j}‖ + ρc_{k,j}$, $ρ$ being the largest " +
			"distance of a point of $D$ from $z$.",
		"$R(φ)$ turns the first two coordinates by $φ$: $φ_t = loss-turn·s_q(t)$ with $q = " +
			"loss-power$, and $θ_t = turn·s_p(t)$ with $p = power$, on the clocks $s_p(t) = (t^p − " +
			"1)/p$, $s_0(t) = log t$.",
		"$k$ is chosen by loss-law for the losses and by law for the constraints, with their " +
			"loss-period or period $P$:",
		"turns: $k = 1 + ⌊s(t)/P⌋ mod K$;",
		"rare: $k = 1$, and the next of $2, …, K$ in the rounds in which $⌊s(t)/P⌋$ grows;",
		"iid: $k$ is drawn uniformly;",
		"worst: the first $k$ that is largest at $x_t$, in $R(φ_t)b_k·(x − z)$ or in $Σ_j " +
			"[g_{t,j}(x)]₊$ (where all are 0, in the largest constraint);",
		"stages: $k = 1$ once, and then while the mean of the first constraint of $k = 1$ at $x_1, " +
			"…, x_t$ is above threshold; then $k = 2$ for as many rounds; and so on;",
		"same (losses only): the $k$ of the constraints.",
		"With $N = scale$, loss-period, loss-turn, period, turn and slack are multiplied by $N$ to " +
			"the powers loss-period-growth, loss-turn-growth, period-growth, turn-growth and " +
			"slack-growth.",
	}),
	Version: 3,
	Params: ScheduleParams{
		Space: Space{Dim: 2, Set: "box", Radius: 1}, Constraints: 1, Functions: 2,
		LossLaw: "turns", LossPeriod: 1, LossPower: 1, Law: "turns", Period: 1, Power: 1, Scale: 1,
	},
	New: Typed(newSchedule),
}

// ScheduleParams are the parameters of schedule. With c_{k,j} > 0 the set g_{t,j} ≤ 0 is
// a ball that contains z, and every such ball can be written so. In one dimension R(φ) is the
// identity. As g_{t,j}(z) ≤ 0 in every round, z is in X^min, and the least slack is a Slater margin
// if none fades. All Lipschitz constants are 1 where σ = 0.
//
// With the law turns and the power 1 each function stays for period rounds, with ½ for numbers of
// rounds that grow like √t, with 0 geometrically. The stages are those of Mannor, Tsitsiklis and
// Yu. Worst and stages make the stream adaptive. K·m functions with the law turns, K = T and
// period 1 are any T affine rounds with these Lipschitz constants and a point of X^min.
//
// A stream does not know the horizon. To have one instance for each horizon T, set scale = T. For
// example, law=turns,scale=T,period-growth=1,period=0.5 switches after T/2 rounds.
type ScheduleParams struct {
	Space
	Constraints int       `name:"constraints" doc:"number of constraints m" min:"1" max:"100"`
	Functions   int       `name:"functions" doc:"number K of losses, and of tuples of constraints" min:"1" max:"1000"`
	Losses      []float64 `name:"losses" doc:"K slopes b_k of losses, n numbers each, scaled to length ≤ 1; none: drawn" min:"-1e6" max:"1e6"`
	Slopes      []float64 `name:"slopes" doc:"K·m slopes a_{k,j} of constraints, n numbers each, scaled to Lipschitz constants ≤ 1; none: drawn" min:"-1e6" max:"1e6"`
	Quadratic   []float64 `name:"quadratic" doc:"K·m numbers c_{k,j}: constraints have ½c‖x−z‖² added, and are scaled; or one for all; none: 0" min:"0" max:"1e6"`
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
	Threshold float64 `name:"threshold" doc:"of law=stages: the mean of the first constraint above which a stage goes on" min:"-1e6" max:"1e6"`

	Scale            int     `name:"scale" doc:"N of a family of instances, such as the horizon" min:"1" max:"1000000000"`
	LossPeriodGrowth float64 `name:"loss-period-growth" doc:"loss-period is multiplied by N to this power" min:"-1" max:"1"`
	LossTurnGrowth   float64 `name:"loss-turn-growth" doc:"loss-turn is multiplied by N to this power" min:"-1" max:"1"`
	PeriodGrowth     float64 `name:"period-growth" doc:"period is multiplied by N to this power" min:"-1" max:"1"`
	TurnGrowth       float64 `name:"turn-growth" doc:"turn is multiplied by N to this power" min:"-1" max:"1"`
	SlackGrowth      float64 `name:"slack-growth" doc:"slack is multiplied by N to this power" min:"-1" max:"1"`
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
		{"quadratic", len(p.Quadratic), []int{0, 1, k * m}}, {"slack", len(p.Slack), []int{0, 1, k * m}},
		{"point", len(p.Point), []int{0, n}},
	} {
		fullLength := list.want[len(list.want)-1]
		if !slices.Contains(list.want, list.got) {
			return fmt.Errorf("%s has %d numbers, expected %d with dim=%d, functions=%d, constraints=%d, "+
				"or none", list.name, list.got, fullLength, n, k, m)
		}
	}
	if p.Law == "stages" && k < 2 {
		return fmt.Errorf("law=stages needs functions=2 or more")
	}
	for _, period := range []struct {
		name  string
		grown float64
	}{
		{"loss-period", p.grown(p.LossPeriod, p.LossPeriodGrowth)},
		{"period", p.grown(p.Period, p.PeriodGrowth)},
	} {
		if !(period.grown >= 1e-9) {
			return fmt.Errorf("%s·scale^%s-growth is %v, less than 1e-9", period.name, period.name,
				period.grown)
		}
	}
	return p.Space.Validate()
}

// grown returns v·N^power.
func (p ScheduleParams) grown(v, power float64) float64 {
	return v * vec.Pow(float64(p.Scale), power)
}

// clock chooses functions by the laws that depend on time alone, and turns slopes. Its time in
// round t is s(t) = (t^power − 1)/power, or log t where power is 0.
type clock struct {
	law                 string
	period, power, turn float64
	lastTick            float64 // ⌊s/period⌋ at the last round
	rare                int     // law=rare: the rounds so far that did not have the first function
}

// timeAt returns s(t).
func (c *clock) timeAt(t int) float64 {
	if c.power == 0 {
		return vec.Log(float64(t))
	}
	return (vec.Pow(float64(t), c.power) - 1) / c.power
}

// byTime returns the index, from 0, of the function that the law turns, rare or iid chooses in
// round t.
func (c *clock) byTime(t, functions int, rng *rand.Rand) int {
	if functions == 1 {
		return 0
	}
	if c.law == "iid" {
		return rng.IntN(functions)
	}
	// The 1e-9 makes up for rounding where s(t) is a multiple of the period.
	tick := math.Floor(c.timeAt(t)/c.period + 1e-9)
	if c.law == "turns" {
		return int(math.Mod(tick, float64(functions)))
	}
	ticked := tick > c.lastTick
	c.lastTick = tick
	if !ticked {
		return 0
	}
	c.rare++
	return 1 + (c.rare-1)%(functions-1)
}

// turnSlope writes to dst the slope v turned by the angle of round t.
func (c *clock) turnSlope(dst, v []float64, t int) {
	copy(dst, v)
	if c.turn == 0 || len(v) < 2 {
		return
	}
	angle := float64(c.turn * c.timeAt(t))
	cos, sin := vec.Cos(angle), vec.Sin(angle)
	dst[0] = float64(cos*v[0]) - float64(sin*v[1])
	dst[1] = float64(sin*v[0]) + float64(cos*v[1])
}

// quadratic is the function affine(x) + square(x), square(x) being ½·Weight·‖x − Center‖².
type quadratic struct {
	affine convex.Affine
	square convex.HalfSquaredDistance
}

// Value implements [convex.Func].
func (f *quadratic) Value(x []float64) float64 { return f.affine.Value(x) + f.square.Value(x) }

// Subgrad implements [convex.Func].
func (f *quadratic) Subgrad(dst, x []float64) {
	f.square.Subgrad(dst, x)
	vec.Axpy(dst, 1, f.affine.A)
}

// AddTo implements [convex.Func].
func (f *quadratic) AddTo(dst *convex.Form, scale float64) {
	f.affine.AddTo(dst, scale)
	f.square.AddTo(dst, scale)
}

// Describe implements [convex.Describer].
func (f *quadratic) Describe() convex.Evaluator {
	return &convex.Composite{Const: f.affine.B, Lin: f.affine.A,
		Parts: []convex.Part{{Scale: 1, Func: &f.square}}}
}

// scheduleStream chooses among K losses and K tuples of constraints, each by a law of its own.
type scheduleStream struct {
	Instance
	p     ScheduleParams
	rng   *rand.Rand
	point []float64 // z

	lossClock  clock
	lossSlopes [][]float64                // b_k by function
	lossSlope  []float64                  // the turned b_k of the round
	affineLoss convex.Affine              // the loss of the round where σ = 0
	curvedLoss convex.HalfSquaredDistance // the loss of the round where σ > 0
	center     []float64                  // of curvedLoss

	constraintClock clock
	slopes          [][]float64 // a_{k,j} at k·m + j
	quadratic       []float64   // c_{k,j} at k·m + j
	slack           []float64   // ε_{k,j} at k·m + j
	turnedSlopes    []float64   // the m turned a_{k,j} of the round
	constraints     []quadratic // of the round

	// Of law=stages:
	stageSum float64 // Σ_i g_{i,1}(x_i), with the constraints of function 1
	stage    int     // the length of the last stage of function 1
	remain   int     // the rounds that remain of a stage of function 2
}

// newSchedule draws what the parameters leave out, and returns the stream at round 1.
func newSchedule(p ScheduleParams, rng *rand.Rand) (Stream, error) {
	space, err := p.Space.newSpace()
	if err != nil {
		return nil, err
	}
	n, k, m := p.Dim, p.Functions, p.Constraints
	s := &scheduleStream{
		p: p, rng: rng, point: space.center,
		lossClock: clock{law: p.LossLaw, period: p.grown(p.LossPeriod, p.LossPeriodGrowth),
			power: p.LossPower, turn: p.grown(p.LossTurn, p.LossTurnGrowth)},
		constraintClock: clock{law: p.Law, period: p.grown(p.Period, p.PeriodGrowth), power: p.Power,
			turn: p.grown(p.Turn, p.TurnGrowth)},
		constraints: make([]quadratic, m), lossSlope: make([]float64, n), center: make([]float64, n),
		turnedSlopes: make([]float64, m*n),
	}
	if len(p.Point) > 0 {
		s.point = make([]float64, n)
		space.set.Project(s.point, p.Point)
	}
	s.quadratic = fillList(p.Quadratic, k*m, func() float64 { return 0 })
	s.lossSlopes = unitSlopes(p.Losses, make([]float64, k), 0, n, rng)
	s.slopes = unitSlopes(p.Slopes, s.quadratic, convex.LargestDistance(space.set, s.point), n, rng)
	s.slack = fillList(p.Slack, k*m, func() float64 { return uniform(rng, 0, 0.5) })
	for i, v := range s.slack {
		s.slack[i] = p.grown(v, p.SlackGrowth)
	}
	s.Instance = Instance{
		Domain: space.set, M: m, Declared: s.facts(space.set.Diameter()),
		Round: convex.Round{Constraints: make([]convex.Func, m)},
	}
	// If the constraints are fixed, Expectation returns them before round 1. Function and time do not
	// matter then.
	for j := range s.constraints {
		s.writeConstraint(0, j, 1)
	}
	return s, nil
}

// facts returns the facts of the rounds, on a domain of this diameter.
func (s *scheduleStream) facts(diameter float64) convex.Facts {
	p, m := s.p, s.p.Constraints
	// With one function there is no choice.
	law := func(name string) bool { return p.Functions > 1 && (p.LossLaw == name || p.Law == name) }
	drawn := len(p.Losses) == 0 || len(p.Slopes) == 0 || len(p.Slack) == 0 || law("iid")
	// All K tuples of constraints are the same: up to the slack, and in the slack.
	parallel, equal := true, true
	for i, a := range s.slopes {
		parallel = parallel && slices.Equal(a, s.slopes[i%m]) && s.quadratic[i] == s.quadratic[i%m]
		equal = equal && s.slack[i] == s.slack[i%m]
	}
	unturned := p.Turn == 0 || p.Dim == 1
	facts := convex.Facts{
		LossLipschitz: 1 + float64(p.Curvature*diameter), ConstraintLipschitz: 1,
		LossRange:       diameter + float64(p.Curvature*diameter*diameter/2),
		ConstraintBound: diameter + slices.Max(s.slack),
		Diameter:        diameter, Curvature: p.Curvature, Feasible: true,
		Fixed:     unturned && p.Fade == 0 && parallel && equal,
		Affine:    slices.Max(s.quadratic) == 0,
		Perturbed: unturned && parallel,
		IID:       unturned && p.Fade == 0 && p.Law == "iid",
		Adaptive:  law("worst") || law("stages"), Deterministic: !drawn,
	}
	if p.Fade == 0 {
		facts.Slater = slices.Min(s.slack)
	}
	return facts
}

// Expectation implements [Expecter] where the law of the constraints is iid and they do not
// change with t: the mean of the K functions.
func (s *scheduleStream) Expectation() []convex.Func {
	if s.p.Law != "iid" || !s.Declared.IID {
		return s.Instance.Expectation()
	}
	means := make([]convex.Func, s.M)
	for j := range means {
		a, c, slack := make([]float64, len(s.point)), 0.0, 0.0
		for i := j; i < len(s.slopes); i += s.M {
			vec.Axpy(a, 1/float64(s.p.Functions), s.slopes[i])
			c += s.quadratic[i] / float64(s.p.Functions)
			slack += s.slack[i] / float64(s.p.Functions)
		}
		means[j] = new(quadratic).assign(a, slices.Clone(s.point), c, slack)
	}
	return means
}

// fillList returns count numbers: those of the list, or its one number count times, or, for an
// empty list, numbers that draw returns.
func fillList(list []float64, count int, draw func() float64) []float64 {
	out := make([]float64, count)
	for i := range out {
		switch len(list) {
		case 0:
			out[i] = draw()
		case 1:
			out[i] = list[0]
		default:
			out[i] = list[i]
		}
	}
	return out
}

// unitSlopes cuts a list into vectors a of n numbers, one for each number c of curved, or draws
// them from [−1, 1]^n where there is no list. It divides a, and c in place, so that the gradient of
// a·x + ½c‖x − z‖² has a length of at most 1 for all x within the radius about z.
func unitSlopes(list, curved []float64, radius float64, n int, rng *rand.Rand) [][]float64 {
	slopes := make([][]float64, len(curved))
	for i, c := range curved {
		v := make([]float64, n)
		if len(list) > 0 {
			copy(v, list[i*n:])
		} else {
			for k := range v {
				v[k] = centredUniform(rng)
			}
		}
		if length := vec.Norm(v) + float64(c*radius); length > 1 {
			vec.Scale(v, 1/length)
			curved[i] = c / length
		}
		slopes[i] = v
	}
	return slopes
}

// assign makes f the function a·(x − z) + ½c‖x − z‖² − slack, and returns it. It refers to a
// and z.
func (f *quadratic) assign(a, z []float64, c, slack float64) convex.Func {
	f.affine = convex.Affine{A: a, B: -vec.Dot(a, z) - slack}
	if c == 0 {
		return &f.affine
	}
	f.square = convex.HalfSquaredDistance{Weight: c, Center: z}
	return f
}

// writeConstraint makes constraint j of the round that of function k in round t.
func (s *scheduleStream) writeConstraint(k, j, t int) {
	n := len(s.point)
	i := k*s.M + j
	a := s.turnedSlopes[j*n : (j+1)*n]
	s.constraintClock.turnSlope(a, s.slopes[i], t)
	slack := s.slack[i]
	if s.p.Fade > 0 {
		slack *= vec.Pow(float64(t), -s.p.Fade)
	}
	s.Round.Constraints[j] = s.constraints[j].assign(a, s.point, s.quadratic[i], slack)
}

// Reveal implements [Stream].
func (s *scheduleStream) Reveal(t int, x []float64) *convex.Round {
	if s.Declared.Adaptive {
		s.checkAction(x)
	}
	k := s.constraintIndex(t, x)
	b := s.turnLossSlope(t, x, k)
	if s.p.Law == "stages" {
		s.stageSum += s.value(0, 0, t, x) // of function 1, its first constraint
	}
	for j := range s.constraints {
		s.writeConstraint(k, j, t)
	}
	s.affineLoss = convex.Affine{A: b}
	if sigma := s.p.Curvature; sigma > 0 {
		// b·x + ½σ‖x−z‖² = ½σ‖x − (z − b/σ)‖² + b·z − ‖b‖²/(2σ)
		s.curvedLoss = convex.HalfSquaredDistance{
			Weight: sigma, Center: s.center, Offset: vec.Dot(b, s.point) - vec.Dot(b, b)/(2*sigma),
		}
		vec.AxpyTo(s.center, -1/sigma, b, s.point)
		return s.Show(&s.curvedLoss, s.Round.Constraints)
	}
	return s.Show(&s.affineLoss, s.Round.Constraints)
}

// value returns g_{t,j}(x) for function k. It overwrites constraint j of the round: Reveal writes
// it again afterwards.
func (s *scheduleStream) value(k, j, t int, x []float64) float64 {
	s.writeConstraint(k, j, t)
	return s.Round.Constraints[j].Value(x)
}

// constraintIndex returns the function k of the constraints in round t. With one function the
// action does not matter.
func (s *scheduleStream) constraintIndex(t int, x []float64) (k int) {
	if s.p.Functions == 1 {
		return 0
	}
	switch s.p.Law {
	case "worst":
		worst := math.Inf(-1)
		for i := range s.p.Functions {
			sum, largest := 0.0, math.Inf(-1)
			for j := range s.M {
				v := s.value(i, j, t, x)
				sum, largest = sum+max(0, v), max(largest, v)
			}
			if sum == 0 { // nothing is violated: the least slack decides
				sum = largest
			}
			if sum > worst+minAdvantage {
				k, worst = i, sum
			}
		}
		return k
	case "stages": // function 2 stays for as many rounds as the stage of function 1 before it had
		if s.remain > 0 {
			s.remain--
			return 1
		}
		if s.stage == 0 || s.stageSum > float64(s.p.Threshold*float64(t-1)) {
			s.stage++
			return 0
		}
		s.remain, s.stage = s.stage-1, 0
		return 1
	}
	return s.constraintClock.byTime(t, s.p.Functions, s.rng)
}

// minAdvantage is the least amount by which a value must exceed those of the functions before it,
// so that an adversary that sees the action chooses its function. Rounding errors of learners then
// do not decide.
const minAdvantage = 1e-9

// turnLossSlope returns the turned slope of the loss in round t, where k is the function of the
// constraints. The law of the losses may choose another function.
func (s *scheduleStream) turnLossSlope(t int, x []float64, k int) []float64 {
	switch {
	case s.p.LossLaw == "same" || s.p.Functions == 1:
	case s.p.LossLaw == "worst":
		worst := math.Inf(-1)
		for i, b := range s.lossSlopes {
			s.lossClock.turnSlope(s.lossSlope, b, t)
			if v := vec.Dot(s.lossSlope, x) - vec.Dot(s.lossSlope, s.point); v > worst+minAdvantage {
				k, worst = i, v
			}
		}
	default:
		k = s.lossClock.byTime(t, s.p.Functions, s.rng)
	}
	s.lossClock.turnSlope(s.lossSlope, s.lossSlopes[k], t)
	return s.lossSlope
}
