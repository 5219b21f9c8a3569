package attack

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/problems"
)

// roundsFamily returns the family of all schedules of T rounds with a function of its own for every
// round. It has the domain and the point z of X^min of the schedule with the SPEC text. Losses are
// affine, and so are constraints if those of the schedule are. start is the point of the family
// that has the rounds that the schedule reveals to the algorithm, except for curvatures above 1,
// which a schedule may have in a ball of radius below 1: the family has none, and [triangleWave]
// replaces them. The family is nil if text is no schedule whose rounds can be written so.
func (search *Search) roundsFamily(text string) (f *family, start []float64, err error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return nil, nil, err
	}
	resolved, err := search.catalog.ResolveProblems(u)
	if err != nil {
		return nil, nil, err
	}
	problem, err := resolved[0].Bind(search.Horizon)
	if err != nil {
		return nil, nil, err
	}
	p, ok := problem.Params.(problems.ScheduleParams)
	if !ok || p.Curvature > 0 { // losses of the family are affine
		return nil, nil, nil
	}
	s, err := problem.Stream(search.Question.Seed, 1)
	if err != nil {
		return nil, nil, err
	}
	if s.Constraints() != p.Constraints { // combine=max has replaced them by their maximum
		game.Close(s)
		return nil, nil, nil
	}
	l, err := search.algorithm.Learner(s, search.Question.Seed, 1, search.Horizon)
	if err != nil {
		return nil, nil, err
	}
	// A schedule may be adaptive: its rounds are those of a game with the algorithm.
	reader := newRoundsReader(p, s, search.Horizon, search.instanceAssumptions().margin)
	if err := game.Play(search.ctx, l, s, search.Horizon, reader); err != nil {
		return nil, nil, err
	}
	start = slices.Concat(reader.losses, reader.slopes, reader.slack, reader.curvatures)
	f = &family{name: fmt.Sprintf("the rounds, from %s", search.Best.Family), dim: len(start),
		specAt: reader.specAt}
	return f, start, nil
}

// roundsReader observes a game of a schedule and computes the point of the family of its rounds.
type roundsReader struct {
	problems.ScheduleParams
	horizon                           int
	margin                            float64   // the least slack
	feasiblePoint                     []float64 // the point of X^min
	form                              *convex.Form
	losses, slopes, slack, curvatures []float64
}

// newRoundsReader returns an observer of a game of the schedule s with these parameters.
func newRoundsReader(p problems.ScheduleParams, s problems.Stream, horizon int,
	margin float64) *roundsReader {
	a := &roundsReader{
		ScheduleParams: p, horizon: horizon, margin: margin,
		feasiblePoint: make([]float64, p.Dim), form: convex.NewForm(p.Dim),
	}
	copy(a.feasiblePoint, p.Point)
	s.Set().Project(a.feasiblePoint, a.feasiblePoint)
	return a
}

// setForm sets a.form to a function.
func (a *roundsReader) setForm(f convex.Func) {
	a.form.Reset()
	f.AddTo(a.form, 1)
}

// Round implements [game.Observer].
func (a *roundsReader) Round(_ int, _ []float64, r *convex.Round) error {
	toUnit := func(v float64) float64 { return (v + 1) / 2 } // from [−1, 1] to [0, 1]
	a.setForm(r.Loss)
	for _, v := range a.form.Lin {
		a.losses = append(a.losses, toUnit(v))
	}
	for _, g := range r.Constraints {
		a.setForm(g)
		c := 0.0 // the curvature of ½c‖x − z‖²
		if len(a.form.Quad) > 0 {
			c = a.form.Quad[0]
		}
		if len(a.Quadratic) > 0 {
			a.curvatures = append(a.curvatures, c)
		}
		for i, v := range a.form.Lin {
			a.slopes = append(a.slopes, toUnit(v+float64(c*a.feasiblePoint[i])))
		}
		// The inverse of [slackOf], slack = margin + (1 − margin)·u².
		slack := (-a.form.Value(a.feasiblePoint) - a.margin) / (1 - a.margin)
		a.slack = append(a.slack, math.Sqrt(max(0, min(1, slack))))
	}
	return nil
}

// specAt returns the SPEC of a point of the family: the losses, the slopes, the slack and the
// curvatures of all rounds.
func (a *roundsReader) specAt(u []float64) string {
	T, n, m := a.horizon, a.Dim, a.Constraints
	readPart := func(from, count int, read func(v float64) float64) string {
		texts := make([]string, count)
		for i, v := range u[from : from+count] {
			texts[i] = formatNumber(read(v))
		}
		return bracketed(texts)
	}
	fromUnit := func(v float64) float64 { return interpolate(v, -1, 1) }
	slack := func(v float64) float64 { return slackOf(v, a.margin) }
	point := make([]string, n)
	for i, v := range a.feasiblePoint {
		point[i] = formatNumber(v)
	}
	text := fmt.Sprintf("schedule:dim=%d,set=%s,radius=%v,constraints=%d,functions=%d,losses=%s,"+
		"slopes=%s,slack=%s,point=%s",
		n, a.Set, a.Radius, m, T, readPart(0, T*n, fromUnit), readPart(T*n, T*m*n, fromUnit),
		readPart(T*n*(1+m), T*m, slack), bracketed(point))
	if len(a.curvatures) > 0 {
		text += ",quadratic=" + readPart(T*(n*(1+m)+m), T*m, triangleWave)
	}
	return text
}
