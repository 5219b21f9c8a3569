package analysis

import (
	"math"
	"slices"

	"ocobench/stats"
)

// A curve of replicates becomes a series: its mean with intervals, then, if it is a number
// everywhere, the fit of its growth and the local exponents. A curve that consists of
// rounding errors is 0.

// State says what there is of a series.
type State string

const (
	Measured State = "measured"
	// Missing: no replicate has it.
	Missing State = "missing"
	// Failed: no replicate has it, since all cells that it needs failed.
	Failed State = "failed"
	// Empty: the metric is undefined in some replicate, since its comparator set is empty or, for
	// dynamic regret and path length, since no action is feasible in some round.
	Empty State = "empty"
	// Overflow: a value is not within ±1e300.
	Overflow State = "overflow"
	// Rounding: the values are rounding errors, at most [game.Negligible] of the magnitude of what
	// was added. They count as 0.
	Rounding State = "rounding"
)

// Series holds all that is shown of a metric of an algorithm on a problem, or of any other curve.
type Series struct {
	State State `json:"state"`
	// Replicates is the number of replicates that have it, and Of the number that
	// was to be played.
	Replicates int `json:"replicates"`
	Of         int `json:"of"`
	// Mean is the mean along t with pointwise intervals.
	Mean Band `json:"mean"`
	// Across is the mean of the final values across horizons, where there are several. It is
	// fitted where the design of Fit is [stats.AcrossT].
	Across *Band `json:"across,omitempty"`
	// Fit is the growth of the mean: null where it is not fitted.
	Fit *Fit `json:"fit"`
	// Slopes are the local exponents along the curve that is fitted, each over
	// half a decade.
	Slopes *Band `json:"slopes,omitempty"`
	// SqrtVerdict compares the growth with √t. It is empty where the growth is not fitted.
	// SqrtReason says what evidence is lacking. With the verdict "at most" it is empty, or
	// [stats.ReasonNeverPositive]. SqrtFactor is the least c with mean ≤ c·√t in the window.
	SqrtVerdict stats.Verdict `json:"sqrt_verdict,omitempty"`
	SqrtReason  string        `json:"why,omitempty"`
	SqrtFactor  *Factor       `json:"sqrt_factor,omitempty"`
	// NoVerdictReason says why the window has too little evidence for a verdict on growth. It is empty
	// where there is a verdict, or nothing is fitted.
	NoVerdictReason string `json:"no_verdict,omitempty"`
	// Finals are the values at the last round by replicate, from 1: null for a replicate
	// that lacks the metric, or has an empty comparator set. Rounding errors are 0. A
	// curve that is not of an experiment has none.
	Finals Numbers `json:"finals"`
	// Runs holds the single replicates of a metric that is shown and fitted, or that the pair is
	// judged by. It is nil where there is one replicate, or no mean.
	Runs *Runs `json:"runs,omitempty"`
}

// Runs holds single replicates along the last horizon at every fourth of its 16 checkpoints a
// decade, counted back from the last.
type Runs struct {
	T         []float64 `json:"t"`
	Replicate []int     `json:"replicate"`
	Value     []Numbers `json:"value"` // a row a replicate
}

// Band holds a line with an interval around each of its points. The ends are null where there is
// one replicate.
type Band struct {
	T     []float64 `json:"t"`
	Value Numbers   `json:"value"`
	Lower Numbers   `json:"lower"`
	Upper Numbers   `json:"upper"`
}

// At returns the estimate at t, if the band has that point.
func (b Band) At(t float64) (e Estimate, ok bool) {
	k := slices.Index(b.T, t)
	if k < 0 {
		return Estimate{}, false
	}
	return Estimate{b.Value[k], b.Lower[k], b.Upper[k]}, true
}

// Last returns the estimate at the last point.
func (b Band) Last() Estimate {
	k := len(b.T) - 1
	return Estimate{b.Value[k], b.Lower[k], b.Upper[k]}
}

// Final returns the estimate at the last point as it is shown: what is below 1e-12 of the largest
// value of the curve is a rounding error, and 0.
func (b Band) Final() Estimate {
	largest := 0.0
	for _, v := range b.Value {
		if size := math.Abs(float64(v)); size > largest {
			largest = size
		}
	}
	shown := func(v Number) Number {
		if math.Abs(float64(v)) < 1e-12*largest {
			return 0
		}
		return v
	}
	e := b.Last()
	return Estimate{shown(e.Value), shown(e.Lower), shown(e.Upper)}
}

// finalValues returns the last value of a curve for each of n replicates. Row k of the curve is of
// replicate replicates[k], counted from 1; replicates without a row have no number.
func finalValues(c stats.Curve, replicates []int, n int) []Number {
	all := slices.Repeat([]Number{none}, n)
	for k, y := range c.Y {
		all[replicates[k]-1] = Number(y[len(y)-1])
	}
	return all
}

// runsOf returns every fourth checkpoint of a curve, counted back from the last. Row k of the curve
// is of replicate replicates[k].
func runsOf(c stats.Curve, replicates []int) *Runs {
	const every = 4
	thin := func(v []float64) (out []float64) {
		for k := (len(v) - 1) % every; k < len(v); k += every {
			out = append(out, v[k])
		}
		return out
	}
	runs := &Runs{T: thin(c.T), Replicate: replicates}
	for _, y := range c.Y {
		runs.Value = append(runs.Value, toNumbers(thin(y)))
	}
	return runs
}

// bandOf returns the JSON form of a band.
func bandOf(b stats.Band) *Band {
	return &Band{b.T, toNumbers(b.Mean), toNumbers(b.Lower), toNumbers(b.Upper)}
}

// Fit holds the growth exponent of a mean; see [stats.Fit].
type Fit struct {
	Design     stats.Design `json:"design"`
	Shape      stats.Shape  `json:"shape"`
	Exponent   Estimate     `json:"exponent"`
	Intercept  Number       `json:"intercept"` // mean ≈ exp(intercept)·t^exponent
	Confidence float64      `json:"confidence"`
	From       float64      `json:"from"` // the window
	To         float64      `json:"to"`
	Points     int          `json:"points"`
	Replicates int          `json:"replicates"`
	// Drift is the exponent over the second half of the window less that over
	// the first.
	Drift Estimate `json:"drift"`
	// Increments is the exponent q of a power law with an offset, a + b·t^q. Exponent is that of a
	// pure power law.
	Increments Estimate `json:"increments"`
	// NonPositive is the share of the points at which the mean is ≤ 0.
	NonPositive float64 `json:"non_positive"`
	// Negated is the fit of the negated curve, where the mean is ≤ 0 at every
	// point.
	Negated *Fit `json:"negated,omitempty"`
	// End is the growth of the envelope at the end of the window, by which claims are judged:
	// null where the window is too short, or the mean has become positive in its last part.
	End *End `json:"end,omitempty"`
	// Superlinear reports that the exponent is above 1 although the quantity grows at most like
	// t. It cannot stay above 1.
	Superlinear bool     `json:"superlinear,omitempty"`
	Warnings    []string `json:"warnings"`

	fit stats.Fit // what this is the JSON form of; zero in an analysis that was read from JSON
}

// End says how the envelope of a mean, max(0, max_{s ≤ t} ȳ(s)), grows at the end of the window;
// see [stats.End].
type End struct {
	From     float64  `json:"from"`     // the last part of the window
	Exponent Estimate `json:"exponent"` // over it
	Drift    Estimate `json:"drift"`    // from the part before, per decade
}

// Judged returns the exponent by which the growth of the series is judged, with its interval: the
// exponent of the envelope at the end of the window, see [End]. ok is false where nothing is
// fitted, or the mean has become positive in the last part of the window.
func (s *Series) Judged() (e Estimate, ok bool) {
	if s == nil || s.Fit == nil || s.Fit.End == nil {
		return noEstimate, false
	}
	return s.Fit.End.Exponent, s.Fit.End.Exponent.Value.Defined()
}

// NeverPositive reports whether the metric is shown to be never positive, so that its growth has no
// exponent and is at most any rate.
func (s *Series) NeverPositive() bool {
	return s != nil && s.SqrtVerdict == stats.AtMost && s.SqrtReason == stats.ReasonNeverPositive
}

// SteepUntil returns the round up to which c·unit·√t, the bound that a series with the verdict "at
// most √t" keeps ([Factor]), is no less than unit·t, the most that the metric can be. Where the
// problem declares no unit, the largest step of the mean takes its place. ok is true only if that
// round is in the last part of the window ([End]), on which the verdict rests, or after it: the
// start was so steep that the bound says nothing up to there.
func (s *Series) SteepUntil() (t float64, ok bool) {
	if s == nil || s.SqrtVerdict != stats.AtMost || s.Fit == nil || s.Fit.End == nil ||
		s.SqrtFactor == nil {
		return 0, false
	}
	c := s.SqrtFactor.Value
	if s.SqrtFactor.Name == "" {
		c /= s.largestStep() / s.SqrtFactor.Unit
	}
	t = float64(c * c)
	return t, t >= float64(s.Fit.End.From)
}

// largestStep returns the largest increase of the mean by round, from one checkpoint to the next.
func (s *Series) largestStep() Number {
	largest, t, value := Number(0), Number(0), Number(0)
	for k, v := range s.Mean.Value {
		largest = max(largest, (v-value)/(Number(s.Mean.T[k])-t))
		t, value = Number(s.Mean.T[k]), v
	}
	return largest
}

// endOf returns the JSON form of the end of a window, or nil without an exponent.
func endOf(e stats.End) *End {
	if math.IsNaN(e.Exponent.Value) {
		return nil
	}
	return &End{e.From, EstimateOf(e.Exponent), EstimateOf(e.Drift)}
}

// fitOf returns the JSON form of a fit.
func fitOf(f stats.Fit) *Fit {
	out := &Fit{
		Design: f.Design, Shape: f.Shape,
		Exponent:  Estimate{Number(f.Exponent), Number(f.Lower), Number(f.Upper)},
		Intercept: Number(f.Intercept), Confidence: f.Confidence, From: f.Window.From, To: f.Window.To,
		Points: f.Points, Replicates: f.Replicates, Drift: EstimateOf(f.Drift),
		Increments:  EstimateOf(f.Increments),
		NonPositive: f.NonPositive, End: endOf(f.End), Warnings: errorTexts(f.Warnings), fit: f,
	}
	if f.Negated != nil {
		out.Negated = fitOf(*f.Negated)
	}
	return out
}

// At returns the fitted curve at t.
func (f *Fit) At(t float64) float64 {
	return stats.Fit{Intercept: float64(f.Intercept), Exponent: float64(f.Exponent.Value)}.At(t)
}

// markSuperlinear marks a fit whose exponent is above 1 although the quantity is linear, which
// means that it grows at most like t. The exponent is the mean's, or the q of a fit a + b·t^q.
func (f *Fit) markSuperlinear(linear bool) {
	if f.Negated != nil {
		f.Negated.markSuperlinear(linear)
	}
	lower := f.Exponent.Lower
	if !lower.Defined() {
		lower = f.Exponent.Value - stats.DefaultTolerance
	}
	const rounding = 0.005 // an exponent below 1.005 is 1.00 in tables
	f.Superlinear = linear && (lower > 1+rounding ||
		f.Shape == stats.OffsetPower && f.Increments.Lower > 1+stats.Beyond)
}

// errorTexts returns the texts of errors.
func errorTexts(errs []error) []string {
	out := []string{}
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

// SeriesOf analyses one curve, whose growth is fitted as g says.
func SeriesOf(c stats.Curve, g stats.Growth) (Series, error) {
	if err := c.Validate(); err != nil {
		return Series{}, err
	}
	s, err := meanSeries(c, g.Confidence)
	s.Of = s.Replicates
	if err == nil && s.State == Measured {
		err = s.fitGrowth(c, false, g)
	}
	return s, err
}

// meanSeries returns the series of a curve without a fit.
func meanSeries(c stats.Curve, confidence float64) (Series, error) {
	s := Series{State: Measured, Replicates: len(c.Y),
		Mean: Band{[]float64{}, []Number{}, []Number{}, []Number{}}, Finals: []Number{}}
	switch {
	case len(c.Y) == 0:
		s.State = Missing
		return s, nil
	case hasNaN(c):
		s.State = Empty
		return s, nil
	case len(c.T) == 1: // a horizon of one round
		s.Mean = Band{c.T, []Number{Number(c.FinalMean())}, []Number{none}, []Number{none}}
		return s, nil
	case c.Validate() != nil:
		s.State = Overflow
		return s, nil
	}
	b, err := c.Band(confidence)
	s.Mean = *bandOf(b)
	return s, err
}

// fitGrowth fits the growth of a curve: the curve whose mean the series has, or the final values
// across horizons. A deterministic curve has one replicate and no interval. Since shapes and
// verdicts need two replicates, two copies of it are fitted; more copies would give the same.
func (s *Series) fitGrowth(c stats.Curve, deterministic bool, g stats.Growth) error {
	if c.Validate() != nil {
		return nil
	}
	exact := deterministic && len(c.Y) == 1
	fit, err := g.Fit(c)
	if err != nil {
		return err
	}
	warnings := errorTexts(fit.Warnings)
	if exact {
		c.Y = slices.Repeat(c.Y, 2)
		if fit, err = g.Fit(c); err != nil {
			return err
		}
	}
	slopes, err := g.Slopes(c)
	if err != nil {
		return err
	}
	s.Fit = fitOf(fit)
	s.Fit.Warnings = warnings
	if s.NoVerdictReason = fit.NoVerdictReason(exact); s.NoVerdictReason != "" {
		s.Fit.Warnings = append(s.Fit.Warnings, s.NoVerdictReason)
		if s.Fit.Shape != stats.NonPositive {
			s.Fit.Shape = stats.Undetermined
		}
	}
	if len(slopes.T) > 0 {
		s.Slopes = bandOf(slopes)
	}
	if exact {
		s.Fit.dropIntervals()
		s.Slopes.dropIntervals()
	}
	return nil
}

// dropIntervals turns a fit to copies of one replicate into the fit of that replicate, without
// intervals.
func (f *Fit) dropIntervals() {
	if f == nil {
		return
	}
	f.Replicates = 1
	intervals := []*Estimate{&f.Exponent, &f.Drift, &f.Increments}
	if f.End != nil {
		intervals = append(intervals, &f.End.Exponent, &f.End.Drift)
	}
	for _, e := range intervals {
		e.Lower, e.Upper = none, none
	}
	f.Negated.dropIntervals()
}

// dropIntervals removes the intervals of a band.
func (b *Band) dropIntervals() {
	if b == nil {
		return
	}
	for k := range b.T {
		b.Lower[k], b.Upper[k] = none, none
	}
}

// setNoGrowth sets the fit of a curve of rounding errors, which count as 0, to no growth.
func (s *Series) setNoGrowth() {
	s.State = Rounding
	if s.Fit != nil {
		f := s.Fit.fit
		f.Shape, f.Exponent, f.Lower, f.Upper, f.Negated = stats.Bounded, 0, 0, 0, nil
		f.End = stats.End{}
		s.Fit, s.Slopes = fitOf(f), nil
	}
}

// hasNaN reports whether a curve has a NaN, as a regret has where its comparator set is
// empty.
func hasNaN(c stats.Curve) bool {
	return slices.ContainsFunc(slices.Concat(c.Y...), math.IsNaN)
}

// Known reports whether the series has values.
func (s *Series) Known() bool { return s != nil && (s.State == Measured || s.State == Rounding) }
