package analysis

import (
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/stats"
)

// The values of every pair are compared with the explicit bounds of theorems. A [boundReader] reads
// the games about which the theorem says something, each with the bound at its checkpoints. Then
// [Bound.checkEveryGame] compares every value of every game with its bound, or, where the bound is
// in expectation, [Bound.checkMean] compares the mean. [Bound.keepWorst] keeps the worst ratio.

// BoundState says what the values of a metric say of a bound.
type BoundState string

const (
	Held   BoundState = "held"
	Broken BoundState = "broken"
	// Unsettled: a bound in expectation lies within the interval of the mean.
	Unsettled BoundState = "unsettled"
	// Unstated: the theorem says nothing about these games.
	Unstated BoundState = "unstated"
)

// Bound compares a metric with the explicit bound b(t) of a theorem, at all checkpoints of
// all games at which the theorem says something. If the bound is in expectation, the mean
// is compared with the mean bound.
type Bound struct {
	State BoundState `json:"state"`
	// Reason says why the bound is unstated.
	Reason string `json:"reason,omitempty"`
	// Ratio is the largest value over b(t). It is at round T of the Replicate at
	// the Horizon. A bound in expectation has no replicate, and its ratio has an
	// interval, which allows for all checkpoints.
	Ratio     Estimate `json:"ratio"`
	T         float64  `json:"t,omitempty"`
	Replicate int      `json:"replicate,omitempty"`
	Horizon   int      `json:"horizon,omitempty"`
	// Until is the last checkpoint of a game at which the theorem says something, or 0 if
	// that is the last round.
	Until int `json:"until,omitempty"`
	// Mean is the mean of b(t) over the replicates. It is along the last horizon at which
	// the theorem says something, or across the horizons if the theorem is about the last
	// round.
	Mean Line `json:"mean"`
	// Ratios are the largest ratios of any game at the points of Mean or, where the bound is in
	// expectation, the ratios of the mean to the mean bound.
	Ratios Line `json:"ratios"`
}

// Line holds the values of a function of t at some points.
type Line struct {
	T     []float64 `json:"t"`
	Value Numbers   `json:"value"`
}

// Bounds compares the results of an experiment with the bounds of its claims, and analyses nothing
// else: the judgements of the pairs have no verdicts, and the pairs no series.
func Bounds(c experiment.Catalog, r *run.Results) (*Analysis, error) {
	a := Describe(r)
	inputs := newBoundInputs(c, r)
	for i := range a.Pairs {
		if err := a.Pairs[i].checkBounds(r, inputs); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// checkBounds compares the pair with the bounds of its claims.
func (p *Pair) checkBounds(r *run.Results, inputs boundInputs) (err error) {
	regret, violation := r.JudgedMetrics(p.entry, p.Problem)
	if p.Regret, err = p.boundJudgement(r, inputs, regret, algorithms.Regrets); err != nil {
		return err
	}
	if _, ok := algorithms.Claimed(inputs.claims[p.Algorithm], algorithms.DynamicRegrets); ok {
		j, err := p.boundJudgement(r, inputs, algorithms.RegretDynamic, algorithms.DynamicRegrets)
		if p.Dynamic = &j; err != nil {
			return err
		}
	}
	p.Violation, err = p.boundJudgement(r, inputs, violation, algorithms.Violations)
	return err
}

// boundJudgement compares a metric of the pair with the bound of the claim on one of the metrics
// in about. The growth is judged later, by [Analysis.judgeClaims].
func (p *Pair) boundJudgement(r *run.Results, inputs boundInputs, metric algorithms.Metric,
	about []algorithms.Metric) (Judgement, error) {
	j := Judgement{Metric: metric, P: none}
	claim, ok := algorithms.Claimed(inputs.claims[p.Algorithm], about)
	if !ok {
		return j, nil
	}
	j.Claim = &claim
	if !claim.Proven() {
		return j, nil
	}
	var err error
	if j.Bound, err = p.compareWithBound(r, inputs, metric, claim); err != nil {
		err = fmt.Errorf("%s of %s on %s: %w", metric, p.Algorithm, p.Problem, err)
	}
	return j, err
}

// compareWithBound compares a metric with the bound of a claim, at all checkpoints of all games.
func (p *Pair) compareWithBound(r *run.Results, inputs boundInputs, metric algorithms.Metric,
	claim algorithms.Claim) (*Bound, error) {
	b := &Bound{State: Unstated, Ratio: noEstimate, Mean: emptyLine(), Ratios: emptyLine()}
	setups := inputs.setups[p.Problem]
	switch m, _ := game.MetricNamed(claim.Metric); {
	case claim.Metric != metric && !m.Below: // a bound on a metric also holds for a smaller stand-in
		b.Reason = fmt.Sprintf("%s is not measured", m.Title)
		return b, nil
	case setups.err != nil:
		b.Reason = setups.err.Error()
		return b, nil
	case len(p.Unmet) > 0:
		b.Reason = "the problem does not meet the assumptions"
		return b, nil
	}
	reader := boundReader{
		pair: p, metric: metric, claim: claim, setups: setups,
		unstatedReason: "the theorem says nothing about these rounds",
	}
	mean, ratios := emptyLine(), emptyLine() // along the last horizon that has any games
	var meanEnds, ratioEnds []Line           // the last points at each horizon
	expected := claim.Expected && !p.Deterministic
	for _, horizon := range r.Horizon {
		games := reader.gamesAt(r, horizon)
		if len(games) == 0 {
			continue
		}
		mean = meanBound(games)
		ratios = boundRatios(games, mean, expected)
		if expected {
			if err := b.checkMean(games, mean, len(r.Horizon), r.Confidence); err != nil {
				return nil, err
			}
		} else {
			b.checkEveryGame(games)
		}
		if len(mean.T) > 0 {
			meanEnds = append(meanEnds, mean.lastPoint())
			ratioEnds = append(ratioEnds, ratios.lastPoint())
		}
	}
	switch {
	case b.State == Unstated:
		b.Reason = reader.unstatedReason
	case reader.until < r.Last():
		b.Until = reader.until
	}
	if len(mean.T) <= 1 && len(meanEnds) > 1 { // the theorem is about the last round only
		mean, ratios = joinLines(meanEnds), joinLines(ratioEnds)
	}
	b.Mean, b.Ratios = mean, ratios
	return b, nil
}

// boundReader reads the games of a pair with the bound of a claim.
type boundReader struct {
	pair           *Pair
	metric         algorithms.Metric
	claim          algorithms.Claim
	setups         gameSetups
	unstatedReason string // the last reason found why the theorem says nothing
	until          int    // the last checkpoint of any game at which it says something
}

// gamesAt returns the games at a horizon that have the metric and a bound. They have the same
// checkpoints.
func (reader *boundReader) gamesAt(r *run.Results, horizon int) (all []boundedGame) {
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		g := r.Game(reader.pair.Algorithm, reader.pair.Problem, replicate, horizon)
		if g == nil {
			continue
		}
		if bounded, ok := reader.boundedGameOf(g); ok {
			all = append(all, bounded)
		}
	}
	return all
}

// boundedGameOf returns a game with the bound at its checkpoints. ok is false if the game lacks the
// metric, or has no bound at all. It notes in unstatedReason why bounds are missing.
func (reader *boundReader) boundedGameOf(g *game.Game) (bounded boundedGame, ok bool) {
	motion := g.Motion()
	if motion == nil {
		if reader.claim.Moving != nil {
			reader.unstatedReason = "how far the rounds move is not known: their best actions are missing"
			return bounded, false
		}
		motion = make([]algorithms.Motion, len(g.T()))
	}
	value := g.Metric(reader.metric)
	if value == nil {
		return bounded, false
	}
	// No bound is checked where the value is NaN. The reason is shown only if no bound is checked at
	// any other checkpoint.
	if slices.ContainsFunc(value, math.IsNaN) {
		reader.unstatedReason = "the comparator set is empty"
		if reader.metric == algorithms.RegretDynamic {
			reader.unstatedReason = "no action is feasible in some round"
		}
	}
	limit, err := reader.claim.Limit(reader.setups.setupOf(g.Replicate, g.Horizon))
	if err != nil {
		reader.unstatedReason = err.Error()
		return bounded, false
	}
	bounded = boundedGame{replicate: g.Replicate, horizon: g.Horizon, t: g.T(), value: value,
		rounding: g.Rounding(reader.metric)}
	for k, t := range g.T() {
		bounded.bound = append(bounded.bound, limit(int(t), motion[k]))
		if bounded.hasBoundAt(k) {
			reader.until = max(reader.until, int(t))
		}
	}
	return bounded, true
}

// boundedGame holds the values of a game and the bound at its checkpoints.
type boundedGame struct {
	replicate, horizon int
	t, value, bound    []float64
	rounding           []float64 // the largest rounding errors of value; nil where not known
}

// roundingAt returns the largest rounding error at checkpoint k, or 0 where it is not known.
func (g *boundedGame) roundingAt(k int) float64 {
	if k >= len(g.rounding) {
		return 0
	}
	return g.rounding[k]
}

// hasBoundAt reports whether the theorem says something at checkpoint k, where its limit is a
// number (neither +Inf nor NaN), about a value that exists.
func (g *boundedGame) hasBoundAt(k int) bool {
	return !math.IsInf(g.bound[k], 1) && !math.IsNaN(g.bound[k]) && !math.IsNaN(g.value[k])
}

// emptyLine returns a line without points.
func emptyLine() Line { return Line{[]float64{}, []Number{}} }

// lastPoint returns the last point of a line.
func (l Line) lastPoint() Line {
	n := len(l.T)
	return Line{l.T[n-1:], l.Value[n-1:]}
}

// joinLines returns one line with the points of all lines.
func joinLines(lines []Line) Line {
	all := emptyLine()
	for _, l := range lines {
		all.T, all.Value = append(all.T, l.T...), append(all.Value, l.Value...)
	}
	return all
}

// boundRatios returns ratios of values to their bounds at the points of their [meanBound]: the
// largest ratio of any game, or, of a bound in expectation, the ratio of the mean value to the mean
// bound.
func boundRatios(games []boundedGame, mean Line, expected bool) Line {
	ratios := emptyLine()
	for i, t := range mean.T {
		k := slices.Index(games[0].t, t)
		sum, rounding, ratio := 0.0, 0.0, math.Inf(-1)
		for _, g := range games {
			sum += g.value[k]
			rounding = max(rounding, g.roundingAt(k))
			ratio = max(ratio, ratioToBound(g.value[k], g.bound[k], g.roundingAt(k)))
		}
		if expected {
			ratio = ratioToBound(sum/float64(len(games)), float64(mean.Value[i]), rounding)
		}
		ratios.T, ratios.Value = append(ratios.T, t), append(ratios.Value, Number(ratio))
	}
	return ratios
}

// meanBound returns the mean of the bounds of the games of a horizon, at the checkpoints where it
// is finite.
func meanBound(games []boundedGame) Line {
	line := emptyLine()
	for k, t := range games[0].t {
		sum := 0.0
		for _, g := range games {
			sum += g.bound[k]
		}
		if mean := sum / float64(len(games)); math.Abs(mean) <= math.MaxFloat64 {
			line.T, line.Value = append(line.T, t), append(line.Value, Number(mean))
		}
	}
	return line
}

// checkEveryGame compares every value of every game with its bound.
func (b *Bound) checkEveryGame(games []boundedGame) {
	for _, g := range games {
		for k, t := range g.t {
			if !g.hasBoundAt(k) {
				continue
			}
			ratio := Number(ratioToBound(g.value[k], g.bound[k], g.roundingAt(k)))
			b.keepWorst(Bound{Ratio: Estimate{ratio, ratio, ratio}, T: t, Replicate: g.replicate,
				Horizon: g.horizon})
		}
	}
}

// checkMean compares the mean of the games with line, their [meanBound], by an interval for the
// mean of value − b(t) at each checkpoint. Together the intervals at all checkpoints of all
// horizons have the given confidence, by Bonferroni's correction.
func (b *Bound) checkMean(games []boundedGame, line Line, horizons int,
	confidence float64) error {
	c := stats.Curve{T: line.T} // value − b(t), a row a game
	for _, g := range games {
		var y []float64
		for k, t := range g.t {
			if slices.Contains(line.T, t) {
				y = append(y, g.value[k]-g.bound[k])
			}
		}
		c.Y = append(c.Y, y)
	}
	if len(line.T) == 0 || hasNaN(c) { // without a value of each replicate there is no mean
		return nil
	}
	band, err := c.Band(1 - float64(1-confidence)/float64(len(line.T)*horizons))
	if err != nil {
		return err
	}
	for k, t := range line.T {
		bound, rounding := float64(line.Value[k]), 0.0
		index := slices.Index(games[0].t, t)
		for _, g := range games {
			rounding = max(rounding, g.roundingAt(index))
		}
		ratio := func(excess float64) Number {
			return Number(ratioToBound(bound+excess, bound, rounding))
		}
		interval := Estimate{ratio(band.Mean[k]), ratio(band.Lower[k]), ratio(band.Upper[k])}
		b.keepWorst(Bound{Ratio: interval, T: t, Horizon: games[0].horizon})
	}
	return nil
}

// keepWorst replaces b by the candidate, which has a ratio and its place, if its state is worse, or
// the state is the same and its ratio is larger.
func (b *Bound) keepWorst(candidate Bound) {
	switch {
	case candidate.Ratio.Lower > 1:
		candidate.State = Broken
	case candidate.Ratio.Upper <= 1:
		candidate.State = Held
	default:
		candidate.State = Unsettled
	}
	severity := func(s BoundState) int {
		return slices.Index([]BoundState{Unstated, Held, Unsettled, Broken}, s)
	}
	d := severity(candidate.State) - severity(b.State)
	if d > 0 || d == 0 && candidate.Ratio.Value > b.Ratio.Value {
		*b = candidate
	}
}

// ratioToBound returns value/bound for a bound ≥ 0, or 1 if the value exceeds the bound by rounding
// errors only: the value's own, at most rounding, and 1e-9 of the bound.
func ratioToBound(value, bound, rounding float64) float64 {
	switch {
	case value > bound && value <= float64(bound*(1+1e-9))+rounding:
		return 1
	case bound == 0 && value == 0:
		return 0
	}
	return value / bound
}
