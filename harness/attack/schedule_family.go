package attack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A schedule is drawn in two steps. The choices that its family shares are drawn first: numbers of
// dimensions, constraints and functions, and the laws by which a round chooses among the functions
// ([drawSchedule]). A point of the family then gives the numbers of an instance: losses, slopes and
// slack, and how fast they change ([scheduleFamily.specAt]).

// variation says what may change in the constraints from round to round, given what the algorithm
// assumes.
type variation int

const (
	free      variation = iota // slopes and slack
	perturbed                  // slack alone, as the fact Perturbed says: one function plus a number
	fixed                      // nothing
)

// The laws of [problems.ScheduleParams] by which a round chooses among the functions 1, …, K. A
// [clock] ticks in some rounds, by time alone.
const (
	lawTurns  = "turns"  // 1, 2, …, K in turn; each tick goes on to the next
	lawRare   = "rare"   // 1; in rounds with a tick the next one of 2, …, K
	lawIID    = "iid"    // one drawn uniformly
	lawSame   = "same"   // of losses: the one that the constraints have chosen
	lawWorst  = "worst"  // the one that is largest at the action
	lawStages = "stages" // 1 while its mean at the actions is above a threshold, 2 as long, 1 …
)

// scheduleFamilyFor draws a family of the problem schedule that meets the assumptions. With growth,
// its instances may be indexed by the horizon, see [Question.isIndexed].
func scheduleFamilyFor(rng *rand.Rand, dims []int, horizon int, growth bool,
	a assumptions) *family {
	s := drawSchedule(rng, dims, growth, a)
	s.horizon = horizon
	f := &family{name: s.describe(), dim: s.coordinateCount()}
	f.specAt = func(u []float64) string { return s.specAt(&pointReader{u: u}) }
	return f
}

// scheduleFamily holds the choices that the instances of a family of schedules share.
type scheduleFamily struct {
	assumptions
	horizon              int
	n, m, k              int    // dimensions, constraints of a round, and functions of each
	set                  string // the domain: box or ball
	law, lossLaw         string // of the constraints, and of the losses
	turning, lossTurning bool   // the slopes of constraints, or of losses, turn with time
	fading               bool   // the slack becomes smaller with time
	quadratic            bool   // constraints are quadratic
	indexed              bool   // the numbers depend on the horizon
}

// drawSchedule draws the choices, as far as the assumptions leave them open. If rounds are
// oblivious, the laws that read the actions, worst and stages, are left out.
func drawSchedule(rng *rand.Rand, dims []int, growth bool, a assumptions) *scheduleFamily {
	draw := rng.IntN
	s := &scheduleFamily{assumptions: a}
	s.n, s.m, s.k = dims[draw(len(dims))], 1+draw(2), 1+draw(4)
	s.set = []string{"box", "ball"}[draw(2)]
	laws, lossLaws := []string{lawTurns, lawRare}, []string{lawTurns, lawRare, lawSame}
	switch {
	case a.iid:
		laws = []string{lawIID}
	case !a.oblivious:
		laws = append(laws, lawWorst, lawStages)
	}
	if !a.oblivious {
		lossLaws = append(lossLaws, lawWorst)
	}
	s.law = laws[draw(len(laws))]
	s.lossLaw = lossLaws[draw(len(lossLaws))]
	if s.law == lawStages || s.law == lawRare {
		s.k = max(s.k, 2) // these laws tell function 1 from the others
	}
	s.turning = s.n > 1 && draw(2) == 0 && a.variation == free && !a.iid
	s.lossTurning = s.n > 1 && draw(2) == 0
	// Slack that fades would break the Slater condition that the algorithm assumes.
	s.fading = draw(3) == 0 && !a.slater && a.variation != fixed && !a.iid
	s.quadratic = draw(3) == 0 && !a.affine
	s.indexed = draw(2) == 0 && growth
	return s
}

// describe describes the family in progress and in findings.
func (s *scheduleFamily) describe() string {
	name := fmt.Sprintf("schedule, n = %d (%s), m = %d, K = %d, losses %s, constraints %s", s.n, s.set,
		s.m, s.k, s.lossLaw, s.law)
	if s.quadratic {
		name += ", quadratic"
	}
	if s.indexed {
		name += ", indexed by T"
	}
	return name
}

// slopeCount returns the number of constraint functions with slopes of their own.
func (s *scheduleFamily) slopeCount() int {
	if s.variation != free {
		return s.m
	}
	return s.k * s.m
}

// slackCount returns the number of constraint functions with slack of their own.
func (s *scheduleFamily) slackCount() int {
	if s.variation == fixed {
		return s.m
	}
	return s.k * s.m
}

// coordinateCount returns the number of coordinates of a point.
func (s *scheduleFamily) coordinateCount() int {
	// Beside losses, slopes, slack and the feasible point: two clocks of a period and a power each,
	// two angles, and one number for the threshold or the fade.
	dim := s.k*s.n + s.slopeCount()*s.n + s.slackCount() + s.n + 2*2 + 2 + 1
	if s.quadratic {
		dim += s.slopeCount()
	}
	if s.indexed {
		dim += 2 + 3 // the growth of both periods, and of both turns and the slack
	}
	return dim
}

// pointReader reads the coordinates of a point one after another.
type pointReader struct {
	u    []float64
	read int
}

// next returns the next coordinate.
func (p *pointReader) next() float64 {
	p.read++
	return p.u[p.read-1]
}

// readList returns f of the next coordinates, so many of them, as a list that is repeated.
func (p *pointReader) readList(numbers, repeat int, f func(u float64) float64) string {
	texts := make([]string, numbers)
	for i := range texts {
		texts[i] = formatNumber(f(p.next()))
	}
	return bracketed(slices.Repeat(texts, repeat))
}

// bracketed returns a list in the syntax of a SPEC.
func bracketed(texts []string) string { return "[" + strings.Join(texts, ",") + "]" }

// clock times a law of a schedule. The law ticks in the rounds t in which ⌊s(t)/P⌋ grows. The
// period is P = period·N^growth with N = T in a family indexed by the horizon T, and P = period in
// any other.
type clock struct{ period, power, growth float64 }

// timeAt returns s(t) = (tᵖ − 1)/p for the power p, and log t for p = 0.
func (c clock) timeAt(t float64) float64 {
	if c.power > 0 {
		return (math.Pow(t, c.power) - 1) / c.power
	}
	return math.Log(t)
}

// readClock reads a clock. The number of ticks up to the horizon is drawn between one and one in
// every round, and gives the period. As s(T) grows like T^power, the growth of the period is at
// most the power: with that, the number of ticks is about the same at all horizons.
func (s *scheduleFamily) readClock(p *pointReader) (c clock) {
	T := float64(s.horizon)
	ticks := interpolate(p.next(), 1, float64(max(s.horizon, 10)))
	c.power = math.Round(10*interpolate(p.next(), 0, 1)) / 10
	if s.indexed {
		c.growth = math.Round(100*c.power*triangleWave(p.next())) / 100
	}
	c.period = max(c.timeAt(T), 1) / ticks / math.Pow(T, c.growth)
	return c
}

// specAt returns the SPEC of the instance at a point.
func (s *scheduleFamily) specAt(p *pointReader) string {
	slope := func(u float64) float64 { return interpolate(u, -1, 1) }
	functions := s.k * s.m // constraint functions
	losses := p.readList(s.k*s.n, 1, slope)
	slopes := p.readList(s.slopeCount()*s.n, functions/s.slopeCount(), slope)
	slack := p.readList(s.slackCount(), functions/s.slackCount(), func(u float64) float64 {
		return slackOf(u, s.margin)
	})
	z := p.readList(s.n, 1, slope)
	constraints, loss := s.readClock(p), s.readClock(p)
	angle, lossAngle := slope(p.next()), slope(p.next())
	thresholdOrFade := p.next() // the law stages has a threshold, fading slack an exponent
	var b strings.Builder
	fmt.Fprintf(&b, "schedule:dim=%d,set=%s,constraints=%d,functions=%d,losses=%s,slopes=%s,"+
		"slack=%s,point=%s",
		s.n, s.set, s.m, s.k, losses, slopes, slack, z)
	fmt.Fprintf(&b, ",loss-law=%s,law=%s,loss-period=%s,loss-power=%s,period=%s,power=%s",
		s.lossLaw, s.law, formatNumber(loss.period), formatNumber(loss.power),
		formatNumber(constraints.period), formatNumber(constraints.power))
	if s.quadratic {
		fmt.Fprintf(&b, ",quadratic=%s",
			p.readList(s.slopeCount(), functions/s.slopeCount(), triangleWave))
	}
	if s.indexed {
		turnGrowth, lossTurnGrowth, slackGrowth := -triangleWave(p.next()), -triangleWave(p.next()),
			-triangleWave(p.next())
		if s.slater {
			slackGrowth = 0
		}
		fmt.Fprintf(&b, ",scale=%d,period-growth=%v,loss-period-growth=%v,turn-growth=%s,"+
			"loss-turn-growth=%s,slack-growth=%s",
			s.horizon, constraints.growth, loss.growth, formatNumber(turnGrowth),
			formatNumber(lossTurnGrowth), formatNumber(slackGrowth))
	}
	if s.curvature > 0 {
		fmt.Fprintf(&b, ",curvature=%s", formatNumber(s.curvature))
	}
	// A turn is an angle per tick, in [−3, 3]. It is quadratic in the coordinate, so that slow turns
	// are more likely.
	turn := func(name string, turning bool, angle float64) {
		if v := 3 * angle * math.Abs(angle); turning && v != 0 {
			fmt.Fprintf(&b, ",%s=%s", name, formatNumber(v))
		}
	}
	turn("turn", s.turning, angle)
	turn("loss-turn", s.lossTurning, lossAngle)
	switch {
	case s.law == lawStages:
		fmt.Fprintf(&b, ",threshold=%s", formatNumber(slope(thresholdOrFade)))
	case s.fading:
		fmt.Fprintf(&b, ",fade=%s", formatNumber(triangleWave(thresholdOrFade)))
	}
	return b.String()
}

// slackOf maps [0, 1] to [margin, 1], quadratically: nearly tight constraints, which are the hard
// ones, are drawn more often.
func slackOf(u, margin float64) float64 {
	u = triangleWave(u)
	return margin + float64((1-margin)*u*u)
}
