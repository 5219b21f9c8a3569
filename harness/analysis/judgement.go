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

// Claims are judged in two ways. First the values of every pair are compared with the
// explicit bounds of theorems ([Pair.checkBounds]), game by game, or by the mean where the bound
// is in expectation. Then the growth of every pair is judged against the claimed rate
// ([Analysis.judgeClaims]) and against √t ([Analysis.judgeSqrtT]). A verdict is a statement on its
// own metric of its own pair: of n exponents that equal the rate, 5 % of n are expected to have an
// interval above it.

// Judgement compares a measured metric with the claim about it: its growth with the claimed
// rate, and its values with the bound of the proof.
type Judgement struct {
	// Metric is the metric measured: that of the claim, its stand-in, or, where
	// nothing is claimed, regret against X^min and the soft violation.
	Metric algorithms.Metric `json:"metric"`
	// Claim is nil where nothing is claimed.
	Claim *algorithms.Claim `json:"claim"`
	// Verdict compares the growth with the claimed rate. It is empty if nothing is claimed, if
	// the claim is not about an exponent, or if the metric has no value. Why says what evidence is
	// lacking, or why a verdict of at most is about no exponent.
	Verdict stats.Verdict `json:"verdict,omitempty"`
	Why     string        `json:"why,omitempty"`
	// Factor is the c of the bound c·t^p log^q t that the mean keeps in the window: null where
	// nothing is judged.
	Factor *Factor `json:"factor,omitempty"`
	// P is the p-value of the hypothesis that the exponent agrees with the claim, by itself. It is
	// null without an interval, and where the pair is deterministic.
	P Number `json:"p"`
	// Bound is nil where the claim has no bound.
	Bound *Bound `json:"bound"`
}

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

// Factor is the least c with mean ≤ c·Unit·t^p log^q t in the window. The unit of a regret is
// G·Δ, the largest that one round can add by the problem's declaration, and that of a violation
// B. Where these are not declared, and of metrics that do not grow at most linearly, it is 1.
type Factor struct {
	Value Number `json:"value"`
	Unit  Number `json:"unit"`
	Name  string `json:"name,omitempty"` // of the unit: GΔ, B
}

// unit is that of a metric on the problem.
func (s gameSetups) unit(m game.Metric) Factor {
	unit := Factor{Unit: 1}
	if !m.Linear || !s.bounded(m) {
		return unit
	}
	unit.Unit, unit.Name = 0, "B"
	if m.Regret() {
		unit.Name = "GΔ"
	}
	for _, setup := range s.all {
		f := setup.Facts
		size := f.ConstraintBound
		if m.Regret() {
			if size = float64(f.LossLipschitz * f.Diameter); size == 0 {
				size = f.LossRange
			}
		}
		unit.Unit = max(unit.Unit, Number(size))
	}
	return unit
}

// factor returns the least c with mean ≤ c·unit·rate in the window, or nil where the growth is not
// judged.
func (t *growthTest) factor(g boundInputs) *Factor {
	s := t.pair.Series[t.metric]
	m, _ := game.MetricNamed(t.metric)
	if s == nil || s.Fit == nil || t.verdict == "" || t.verdict == stats.TooLittle {
		return nil
	}
	unit := g.setups[t.pair.Problem].unit(m)
	if s.State != Rounding {
		unit.Value = Number(t.rate.Factor(s.Fit.fit)) / unit.Unit
	}
	if !unit.Value.Defined() {
		return nil
	}
	return &unit
}

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
	// Ratios are the largest ratios at the points of Mean, or those of the means
	// where the bound is in expectation.
	Ratios Line `json:"ratios"`
}

// Line is a function of t at some points.
type Line struct {
	T     []float64 `json:"t"`
	Value Numbers   `json:"value"`
}

// Bounds analyses only the bounds of the claims of an experiment. The judgements of the
// pairs have no slopes, and the pairs no series.
func Bounds(c experiment.Catalog, r *run.Results) (*Analysis, error) {
	a := Describe(r)
	g := newBoundInputs(c, r)
	for i := range a.Pairs {
		if err := a.Pairs[i].checkBounds(r, g); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// checkBounds compares the pair with the bounds of its claims.
func (p *Pair) checkBounds(r *run.Results, g boundInputs) (err error) {
	regret, violation := r.Watched(p.entry, p.Problem)
	if p.Regret, err = p.judgement(r, g, regret, algorithms.Regrets); err != nil {
		return err
	}
	if _, ok := algorithms.Claimed(g.claims[p.Algorithm], algorithms.DynamicRegrets); ok {
		j, err := p.judgement(r, g, algorithms.RegretDynamic, algorithms.DynamicRegrets)
		if p.Dynamic = &j; err != nil {
			return err
		}
	}
	p.Violation, err = p.judgement(r, g, violation, algorithms.Violations)
	return err
}

// judgement is the judgement of a metric without the verdict on its slope.
func (p *Pair) judgement(r *run.Results, g boundInputs, metric algorithms.Metric,
	about []algorithms.Metric) (Judgement, error) {
	j := Judgement{Metric: metric, P: none}
	claim, ok := algorithms.Claimed(g.claims[p.Algorithm], about)
	if !ok {
		return j, nil
	}
	j.Claim = &claim
	if !claim.Proven() {
		return j, nil
	}
	var err error
	if j.Bound, err = p.bound(r, g, metric, claim); err != nil {
		err = fmt.Errorf("%s of %s on %s: %w", metric, p.Algorithm, p.Problem, err)
	}
	return j, err
}

// growthTest judges the growth of a metric of a pair against a rate.
type growthTest struct {
	pair   *Pair
	metric algorithms.Metric
	rate   stats.Claim

	verdict stats.Verdict
	why     string // that there is too little evidence, or that the verdict is about no exponent
	p       Number // of the hypothesis that the exponent agrees with the rate
}

// newGrowthTest judges the growth by itself: no verdict depends on other pairs.
func newGrowthTest(p *Pair, metric algorithms.Metric, rate stats.Claim) *growthTest {
	g := &growthTest{pair: p, metric: metric, rate: rate, p: none}
	s := p.Series[metric]
	m, _ := game.MetricNamed(metric)
	if s == nil || s.Fit == nil || s.Fit.Points == 0 {
		return g
	}
	f := s.Fit.fit
	never := s.State == Rounding ||
		f.NeverPositive && slices.Contains(algorithms.Violations, metric)
	switch {
	case s.NoVerdict != "":
		g.verdict, g.why = stats.TooLittle, s.NoVerdict
	case m.Linear && rate.Exponent >= 1:
		g.verdict, g.why = stats.AtMost, "it grows at most linearly"
	case never && f.Replicates < 2:
		g.verdict, g.why = stats.TooLittle, "it is never positive in the only replicate"
	case never:
		g.verdict, g.why = stats.AtMost, "it is never positive"
	default:
		g.verdict, g.why = rate.Judge(f)
		if !p.Deterministic {
			g.p = Number(rate.P(f))
		}
	}
	return g
}

// judgeClaims judges the growth of every pair against the rates of its claims.
func (a *Analysis) judgeClaims(g boundInputs) {
	for i := range a.Pairs {
		p := &a.Pairs[i]
		verdicts := []stats.Verdict{}
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Claim.Growth == "" {
				t := newGrowthTest(p, j.Metric,
					stats.Claim{Exponent: j.Claim.Exponent, Log: j.Claim.Log})
				j.Verdict, j.Why, j.P, j.Factor = t.verdict, t.why, t.p, t.factor(g)
			}
			if j != p.Dynamic || j.Claim.Growth == "" {
				verdicts = append(verdicts, j.Verdict)
			}
		}
		p.ClaimVerdict = stats.Worst(verdicts...)
	}
}

// judgeSqrtT judges the growth of every metric of every pair against √t.
func (a *Analysis) judgeSqrtT(g boundInputs) {
	for _, m := range a.Metrics {
		for i := range a.Pairs {
			s := a.Pairs[i].Series[m.Name]
			t := newGrowthTest(&a.Pairs[i], m.Name, stats.Claim{Exponent: 0.5})
			s.SqrtVerdict, s.Why, s.SqrtFactor = t.verdict, t.why, t.factor(g)
			g.did(1)
		}
	}
}

// bound compares a metric with the bound of a claim.
func (p *Pair) bound(r *run.Results, g boundInputs, metric algorithms.Metric,
	claim algorithms.Claim) (*Bound, error) {
	b := &Bound{State: Unstated, Ratio: Estimate{none, none, none}, Mean: noLine(), Ratios: noLine()}
	setups := g.setups[p.Problem]
	switch m, _ := game.MetricNamed(claim.Metric); {
	case claim.Metric != metric && !m.Below:
		b.Reason = fmt.Sprintf("%s is not measured", m.Title)
		return b, nil
	case setups.err != nil:
		b.Reason = setups.err.Error()
		return b, nil
	case len(p.Unmet) > 0:
		b.Reason = "the problem does not meet the assumptions"
		return b, nil
	}
	games := boundReader{
		pair: p, metric: metric, claim: claim, setups: setups,
		silence: "the theorem says nothing about these rounds",
	}
	var last []boundedGame  // of the last horizon that has any
	var across, most []Line // the ends of the bounds of all, and of the ratios
	expected := claim.Expected && !p.Deterministic
	for _, horizon := range r.Horizon {
		all := games.at(r, horizon)
		if len(all) == 0 {
			continue
		}
		if expected {
			if err := b.expect(all, len(r.Horizon), r.Confidence); err != nil {
				return nil, err
			}
		} else {
			b.hold(all)
		}
		last = all
		if line := meanBound(all); len(line.T) > 0 {
			across, most = append(across, line.end()), append(most, ratios(all, expected).end())
		}
	}
	switch {
	case b.State == Unstated:
		b.Reason = games.silence
	case games.until < r.Last():
		b.Until = games.until
	}
	if len(last) > 0 {
		b.Mean, b.Ratios = meanBound(last), ratios(last, expected)
		if len(b.Mean.T) <= 1 && len(across) > 1 {
			b.Mean, b.Ratios = joined(across), joined(most)
		}
	}
	return b, nil
}

// boundReader reads the games of a pair with the bound of a claim.
type boundReader struct {
	pair    *Pair
	metric  algorithms.Metric
	claim   algorithms.Claim
	setups  gameSetups
	silence string // the last reason found why the theorem says nothing
	until   int    // the last checkpoint of any game at which it says something
}

// at returns the games at a horizon of which the theorem could say something.
func (g *boundReader) at(r *run.Results, horizon int) (all []boundedGame) {
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		game := r.Game(g.pair.Algorithm, g.pair.Problem, replicate, horizon)
		if game == nil {
			continue
		}
		if h, ok := g.hold(game, replicate, horizon); ok {
			all = append(all, h)
		}
	}
	return all
}

// hold returns a game with the bound at its checkpoints, if there is one.
func (g *boundReader) hold(game *game.Game, replicate, horizon int) (h boundedGame, ok bool) {
	motion := game.Motion()
	if motion == nil {
		if g.claim.Moving != nil {
			g.silence = "how far the rounds move is not known: their best actions are missing"
			return h, false
		}
		motion = make([]algorithms.Motion, len(game.T()))
	}
	value := game.Metric(g.metric)
	if value == nil {
		return h, false
	}
	if slices.ContainsFunc(value, math.IsNaN) {
		if g.silence = "the comparator set is empty"; g.metric == algorithms.RegretDynamic {
			g.silence = "no action is feasible in some round"
		}
	}
	most, err := g.claim.Limit(g.setups.at(replicate, horizon))
	if err != nil { // at this horizon
		g.silence = err.Error()
		return h, false
	}
	h = boundedGame{replicate: replicate, horizon: horizon, t: game.T(), value: value,
		rounding: game.Rounding(g.metric)}
	for k, t := range game.T() {
		h.most = append(h.most, most(int(t), motion[k]))
		if h.says(k) {
			g.until = max(g.until, int(t))
		}
	}
	return h, true
}

// boundedGame is a game with the bound at its checkpoints.
type boundedGame struct {
	replicate, horizon int
	t, value, most     []float64
	rounding           []float64 // the largest rounding errors of value; nil where not known
}

// roundingAt returns the largest rounding error at checkpoint k.
func (h *boundedGame) roundingAt(k int) float64 {
	if k >= len(h.rounding) {
		return 0
	}
	return h.rounding[k]
}

// says reports whether the theorem says something at checkpoint k.
func (h *boundedGame) says(k int) bool {
	return !math.IsInf(h.most[k], 1) && !math.IsNaN(h.most[k]) && !math.IsNaN(h.value[k])
}

// noLine is a line without points.
func noLine() Line { return Line{[]float64{}, []Number{}} }

// end is the last point of a line.
func (l Line) end() Line {
	n := len(l.T)
	return Line{l.T[n-1:], l.Value[n-1:]}
}

// joined is one line of all points.
func joined(lines []Line) Line {
	all := noLine()
	for _, l := range lines {
		all.T, all.Value = append(all.T, l.T...), append(all.Value, l.Value...)
	}
	return all
}

// ratios are the values over their bounds at the points of [meanBound]: the largest of
// the games, or that of the means.
func ratios(all []boundedGame, expected bool) Line {
	line := meanBound(all)
	for i, t := range line.T {
		k := slices.Index(all[0].t, t)
		sum, rounding, ratio := 0.0, 0.0, math.Inf(-1)
		for _, h := range all {
			sum += h.value[k]
			rounding = max(rounding, h.roundingAt(k))
			ratio = max(ratio, share(h.value[k], h.most[k], h.roundingAt(k)))
		}
		if expected {
			ratio = share(sum/float64(len(all)), float64(line.Value[i]), rounding)
		}
		line.Value[i] = Number(ratio)
	}
	return line
}

// meanBound is the mean of the bounds, where they are numbers.
func meanBound(all []boundedGame) Line {
	line := noLine()
	for k, t := range all[0].t {
		sum := 0.0
		for _, h := range all {
			sum += h.most[k]
		}
		if mean := sum / float64(len(all)); mean-mean == 0 {
			line.T, line.Value = append(line.T, t), append(line.Value, Number(mean))
		}
	}
	return line
}

// hold compares every value of every game with its bound.
func (b *Bound) hold(all []boundedGame) {
	for _, h := range all {
		for k, t := range h.t {
			if !h.says(k) {
				continue
			}
			ratio := share(h.value[k], h.most[k], h.roundingAt(k))
			b.take(Bound{Ratio: Estimate{Number(ratio), Number(ratio), Number(ratio)}, T: t,
				Replicate: h.replicate, Horizon: h.horizon})
		}
	}
}

// expect compares the mean of the games with the mean of their bounds, by the mean of value
// − b(t). The confidence of each interval is corrected for the number of checkpoints and of
// horizons.
func (b *Bound) expect(all []boundedGame, horizons int, confidence float64) error {
	line := meanBound(all)
	c := stats.Curve{T: line.T}
	for _, h := range all {
		var y []float64
		for k, t := range h.t {
			if slices.Contains(line.T, t) {
				y = append(y, h.value[k]-h.most[k])
			}
		}
		c.Y = append(c.Y, y)
	}
	if len(line.T) == 0 || undefined(c) {
		return nil
	}
	band, err := c.Band(1 - float64(1-confidence)/float64(len(line.T)*horizons))
	if err != nil {
		return err
	}
	for k, t := range line.T {
		most, rounding := float64(line.Value[k]), 0.0
		at := slices.Index(all[0].t, t)
		for _, h := range all {
			rounding = max(rounding, h.roundingAt(at))
		}
		ratio := func(less float64) Number {
			return Number(share(most+less, most, rounding))
		}
		b.take(Bound{Ratio: Estimate{ratio(band.Mean[k]), ratio(band.Lower[k]), ratio(band.Upper[k])},
			T: t, Horizon: all[0].horizon})
	}
	return nil
}

// take keeps a ratio, with its place, if it is the worst so far.
func (b *Bound) take(at Bound) {
	switch {
	case at.Ratio.Lower > 1:
		at.State = Broken
	case at.Ratio.Upper <= 1:
		at.State = Held
	default:
		at.State = Unsettled
	}
	severity := func(s BoundState) int {
		return slices.Index([]BoundState{Unstated, Held, Unsettled, Broken}, s)
	}
	if d := severity(at.State) - severity(b.State); d > 0 || d == 0 && at.Ratio.Value > b.Ratio.Value {
		*b = at
	}
}

// share is value/most. It is 1 if the value exceeds most by rounding errors only.
func share(value, most, rounding float64) float64 {
	switch {
	case value > most && value <= float64(most*(1+1e-9))+rounding:
		return 1
	case most == 0 && value == 0:
		return 0
	}
	return value / most
}
