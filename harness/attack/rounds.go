package attack

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/convex"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// unrolled is the family of all games of T rounds with the domain and the point of a
// schedule, affine if its constraints are, and the point of the family that has its rounds,
// those that the algorithm was shown; in domains of a radius below 1, quadratic constraints
// are those of the schedule up to a curvature of 1. It is nil for other instances.
func (x *Search) unrolled(text string) (*family, []float64, error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return nil, nil, err
	}
	arenas, err := x.catalog.Arenas(u)
	if err != nil {
		return nil, nil, err
	}
	p, ok := arenas[0].Params.(problems.ScheduleParams)
	if !ok || p.Curvature > 0 {
		return nil, nil, nil
	}
	s, err := arenas[0].Stream(x.Question.Seed, 1)
	if err != nil {
		return nil, nil, err
	}
	l, err := x.contender.Learner(s, x.Question.Seed, 1, x.Horizon)
	if err != nil {
		return nil, nil, err
	}
	n, m := p.Dim, p.Constraints
	z := make([]float64, n)
	copy(z, p.Point)
	s.Set().Project(z, z)
	var losses, slopes, slack, curved []float64
	unit := func(v float64) float64 { return (v + 1) / 2 }
	margin := x.assumptions().margin
	form := convex.NewForm(n)
	err = harness.Play(x.ctx, l, s, x.Horizon, observer(func(r convex.Round) {
		lower := func(f convex.Func) *convex.Form {
			form.Reset()
			f.AddTo(form, 1)
			return form
		}
		for _, v := range lower(r.Loss).Lin {
			losses = append(losses, unit(v))
		}
		for _, g := range r.Constraints {
			lower(g)
			c := 0.0 // of ½c‖x − z‖²
			if len(form.Quad) > 0 {
				c = form.Quad[0]
			}
			if len(p.Quadratic) > 0 {
				curved = append(curved, c)
			}
			for i, v := range form.Lin {
				slopes = append(slopes, unit(v+float64(c*z[i])))
			}
			slack = append(slack, math.Sqrt(max(0, min(1, (-form.Value(z)-margin)/(1-margin)))))
		}
	}))
	if err != nil {
		return nil, nil, err
	}
	start := slices.Concat(losses, slopes, slack, curved)
	point := make([]string, n)
	for i, v := range z {
		point[i] = number(v)
	}
	f := &family{name: fmt.Sprintf("the rounds, from %s", x.Best.Family), dim: len(start)}
	f.spec = func(u []float64) string {
		var texts []string
		for i, v := range u {
			switch {
			case i < x.Horizon*n*(1+m):
				texts = append(texts, number(between(v, -1, 1)))
			case i < x.Horizon*(n*(1+m)+m):
				texts = append(texts, number(slackOf(v, margin)))
			default:
				texts = append(texts, number(mirror(v)))
			}
		}
		cut := func(from, count int) string { return "[" + strings.Join(texts[from:from+count], ",") + "]" }
		T := x.Horizon
		text := fmt.Sprintf("schedule:dim=%d,set=%s,radius=%v,constraints=%d,functions=%d,losses=%s,slopes=%s,slack=%s,point=[%s]",
			n, p.Set, p.Radius, m, T, cut(0, T*n), cut(T*n, T*m*n), cut(T*n*(1+m), T*m), strings.Join(point, ","))
		if len(curved) > 0 {
			text += ",quadratic=" + cut(T*(n*(1+m)+m), T*m)
		}
		return text
	}
	return f, start, nil
}

type observer func(r convex.Round)

// Round implements [harness.Observer].
func (o observer) Round(_ int, _ []float64, r *convex.Round) error {
	o(*r)
	return nil
}
