package analysis

import (
	"context"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/run/process"
)

// A draft is finished in two steps. First the curves of all metrics are fitted and compared with
// the bounds of claims, the fits are judged, and the leads are tested: this takes most of the
// time, and depends neither on the metrics that the views are about nor on the baseline. Then come
// what the views show, and the comparison with the baseline. What the first step finds is kept
// under a digest of its own, so that other metrics or another baseline fit nothing again.

// judged is what the first step finds.
type judged struct {
	Pairs []Pair
	Leads []Lead // of the metrics that are fitted
}

// Fit finishes the analysis. It can be called once.
func (d *Draft) Fit(ctx context.Context) (*Analysis, error) {
	f, err := d.fit(ctx)
	if err != nil {
		return nil, err
	}
	return d.finish(ctx, f)
}

// fit is the first step.
func (d *Draft) fit(ctx context.Context) (f *judged, err error) {
	a := d.a
	if err = d.hold(ctx); err == nil {
		err = process.Each(ctx, len(a.Pairs), func(i int) error { return a.Pairs[i].measure(d.r, d.g) })
	}
	if err == nil {
		err = a.judge(ctx, d.r, d.g)
	}
	if err == nil {
		err = a.judgeRoot(ctx, d.r, d.g)
	}
	if err != nil {
		return nil, err
	}
	f = &judged{Pairs: a.Pairs}
	f.Leads, err = a.leads(ctx, d.r, d.g, nil, func(m Metric) bool { return m.Fitted })
	return f, err
}

// finish is the second step.
func (d *Draft) finish(ctx context.Context, f *judged) (*Analysis, error) {
	a, r := d.a, d.r
	for i := range f.Pairs {
		f.Pairs[i].entrant = a.Pairs[i].entrant
	}
	a.Pairs = f.Pairs
	a.adopt(a.focus(), r)
	for i := range a.Pairs {
		p := &a.Pairs[i]
		v := a.Focus.On(p.Problem)
		p.Root = together(p.Series[v.Regret].Root, p.Series[v.Violation].Root)
	}
	a.Equal, a.Standings, a.Fronts = a.equals(), a.standings(), a.fronts()
	var err error
	a.Leads, err = a.leads(ctx, r, d.g, f.Leads, func(m Metric) bool { return m.Shown || m.Fitted })
	if err == nil {
		err = a.rank()
	}
	if err != nil || len(r.Algorithms) < 2 {
		return a, err
	}
	var metrics []algorithms.Metric
	for _, m := range a.Metrics {
		if (m.Shown || a.Focus.Has(m.Name)) && m.Fitted && !m.OfRounds {
			metrics = append(metrics, m.Name)
		}
	}
	a.Comparison, err = compare(ctx, r, BaselineOf(r.Record), metrics, d.g.memos)
	return a, err
}

// base is the same draft of an experiment that names no metrics and no baseline: all that the
// first step depends on.
func (d *Draft) base() *Draft {
	r, a := *d.r, *d.a
	r.Record = r.Base()
	a.Experiment.Metrics, a.Focus, a.Metrics = nil, Focus{}, slices.Clone(a.Metrics)
	for i := range a.Metrics {
		a.Metrics[i].Shown = false
	}
	return &Draft{&a, &r, d.g, d.bounds}
}
