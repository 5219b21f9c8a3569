package analysis

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/stats"
)

// An analysis is computed once and kept in the store, under a digest of all that determines it.
// First a draft is made of the results, which is cheap, since it reads few of their numbers:
// everything that the registry says. Then the digest is taken, of
//
//   - the content of every cell, and what the record says: the options are part of it;
//   - the draft, what the problems declare, and the bounds of the claims at all checkpoints:
//     whatever of a catalog the analysis uses is here;
//   - the opening, the layout and the schema: see [opening]. A program that fits in another way
//     has other digests, whether or not a version was raised.
//
// What is kept under the digest is read; otherwise the curves are fitted and the analysis is
// kept. Both ways return what was read from an image, so that nothing can depend on which it was.
// The fits are kept too, under the digest of [Draft.base], and are read where only the metrics of
// the views or the baseline are others.

// A Draft is an analysis whose curves are not fitted yet.
type Draft struct {
	a      *Analysis
	r      *run.Results
	g      ground
	bounds func() []byte // [boundsOf]
}

// Prepare describes results.
func Prepare(c experiment.Catalog, r *run.Results) *Draft {
	d := &Draft{a: Describe(r), r: r, g: groundOf(c, r)}
	d.bounds = sync.OnceValue(func() []byte { return boundsOf(r, d.g) })
	for i := range d.a.Algorithms {
		registered(&d.a.Algorithms[i], c)
	}
	for i := range d.a.Problems {
		d.a.Problems[i].registered(c, d.g)
	}
	return d
}

// Curves is how many curves [Draft.Fit] analyses.
func (d *Draft) Curves() int { return len(d.a.Pairs) * len(d.r.Measured()) }

// Key is the digest under which the analysis is kept.
func (d *Draft) Key() store.Key {
	h := sha256.New()
	fmt.Fprintln(h, Schema, layout(reflect.TypeFor[Analysis]()), layout(reflect.TypeFor[judged]()),
		opening())
	fmt.Fprintln(h, d.r.Content(), BaselineOf(d.r.Record))
	h.Write(imageOf(d.a))
	for _, e := range d.r.Algorithms {
		h.Write(imageOf(d.g.claims[e.Spec]))
	}
	h.Write(d.bounds())
	for _, p := range d.r.Problems {
		s := d.g.setups[p.Spec]
		fmt.Fprintln(h, s.err)
		for _, at := range s.games() {
			h.Write(imageOf(s.all[at].Facts))
		}
	}
	return store.Key(hex.EncodeToString(h.Sum(nil)))
}

// boundsOf are the bounds of the claims at all checkpoints of the games whose problems meet the
// assumptions. A bound that does not move with the rounds is that of the game before where the
// setups are equal.
func boundsOf(r *run.Results, g ground) (values []byte) {
	type bound struct {
		algorithm, problem string
		claim, horizon     int
	}
	before := make(map[bound]algorithms.Setup)
	for _, game := range r.Games {
		if slices.ContainsFunc(r.Unmet, func(u experiment.Unmet) bool {
			return u.Algorithm == game.Algorithm && u.Problem == game.Problem
		}) {
			continue
		}
		for k, claim := range g.claims[game.Algorithm] {
			s := g.setups[game.Problem]
			if s.err != nil || !claim.Proven() {
				continue
			}
			setup, of := s.at(game.Replicate, game.Horizon),
				bound{game.Algorithm, game.Problem, k, game.Horizon}
			if claim.Moving == nil && reflect.DeepEqual(before[of], setup) {
				values = append(values, '=')
				continue
			}
			values, before[of] = appendBound(values, claim, game, setup), setup
		}
	}
	return values
}

// appendBound appends the bound of a claim on a game with this setup, or why there is none.
func appendBound(values []byte, claim algorithms.Claim, g *game.Game,
	setup algorithms.Setup) []byte {
	bound, err := claim.Limit(setup)
	if err != nil {
		return append(values, err.Error()...)
	}
	var motion []algorithms.Motion
	if claim.Moving != nil {
		motion = g.Motion()
	}
	for k, t := range game.Checkpoints(g.Horizon) {
		var m algorithms.Motion
		if k < len(motion) {
			m = motion[k]
		}
		values = binary.LittleEndian.AppendUint64(values, math.Float64bits(bound(t, m)))
	}
	return values
}

// Keeping says where analyses are kept. The zero value keeps none.
type Keeping struct {
	Store *store.Store
	// ReadOnly: what is there is used, and nothing is written.
	ReadOnly bool
	// Warn is told of damaged files and of what could not be kept.
	Warn func(error)
	// Begin is called before curves are fitted, with how many steps that takes. It returns what is
	// called, by several goroutines, with the number of steps that were done, and at the end.
	Begin func(steps int) (tick func(n int), end func())

	unkept *sync.Once // of the warning that something could not be kept
}

// Kept is [Of], and fits no curve where the analysis is kept.
func Kept(ctx context.Context, c experiment.Catalog, r *run.Results, k Keeping) (*Analysis,
	error) {
	d := Prepare(c, r)
	k.unkept = new(sync.Once)
	if r.Missing > len(r.Failed) { // more cells are to come
		k.ReadOnly = true
	}
	return recalled(k, d.Key(), r, r.Sum(), func() (*Analysis, error) {
		f, err := recalled(k, d.base().Key(), r, r.FitsSum(), func() (*judged, error) {
			if k.Begin != nil {
				tick, end := k.Begin(d.steps())
				defer end()
				d.g.tick = tick
			}
			return d.fit(ctx)
		})
		if err != nil {
			return nil, err
		}
		return d.finish(ctx, f)
	})
}

// recalled returns what is kept of results under a key and with a sum, or else what compute
// returns, which is then kept. It was read from an image either way.
func recalled[V any](k Keeping, key store.Key, r *run.Results, sum store.Key,
	compute func() (*V, error)) (*V, error) {
	out := new(V)
	if k.Store != nil {
		if image := k.recall(key, r, sum); image != nil && readImage(image, out) == nil {
			return out, nil
		}
	}
	v, err := compute()
	if err != nil {
		return nil, err
	}
	image := imageOf(v)
	if k.Store != nil && !k.ReadOnly {
		err := k.Store.PutAnalysis(key, store.Analysis{Experiment: r.Name, Record: sum, Data: image})
		if err != nil && !store.Unwritable(err) {
			k.unkept.Do(func() { k.Warn(fmt.Errorf("the analysis of %s is not kept: %w", r.Name, err)) })
		}
	}
	out = new(V)
	if err := readImage(image, out); err != nil {
		panic("analysis: " + err.Error())
	}
	return out, nil
}

// recall returns the image under a key, nil where there is none. A damaged one is set aside.
func (k Keeping) recall(key store.Key, r *run.Results, sum store.Key) []byte {
	kept, err := k.Store.Analysis(key, r.Name, sum)
	var damaged *store.DamagedError
	switch {
	case errors.As(err, &damaged):
		what := fmt.Sprintf("%s is damaged (%s)", damaged.Path, damaged.Reason)
		if !k.ReadOnly {
			if name, err := k.Store.SetAside(damaged); err == nil && name != "" {
				what += " and set aside as " + filepath.Base(name)
			}
		}
		k.Warn(fmt.Errorf("%s; analysing %s again", what, r.Name))
		return nil
	case err != nil:
		return nil
	}
	return kept.Data
}

// Fitted reports whether a store keeps the fits, or the whole analysis.
func (d *Draft) Fitted(s *store.Store) bool {
	return s.HasAnalysis(d.Key()) || s.HasAnalysis(d.base().Key())
}

// steps is how many steps [Draft.Fit] takes, about: one for each curve that it fits, for each
// verdict and for each test.
func (d *Draft) steps() int {
	return 2*d.Curves() + len(d.a.Problems)*len(d.r.Measured())
}

// Foresee estimates how long it takes to fit the curves of an experiment with this record on all
// processors: it fits one curve of that size.
func Foresee(r experiment.Record, processors int) time.Duration {
	c := stats.Curve{}
	for _, t := range game.Checkpoints(r.Horizon[len(r.Horizon)-1]) {
		c.T = append(c.T, float64(t))
	}
	for replicate := range r.Replicates {
		c.Y = append(c.Y, nil)
		for _, t := range c.T {
			c.Y[replicate] = append(c.Y[replicate], plantedValue(0.5, replicate, int(t)))
		}
	}
	curves := 0
	for _, m := range r.Measured() {
		if m.Fitted {
			curves += len(r.Algorithms)*len(r.Problems) - len(r.Unmet)
		}
	}
	begin := time.Now()
	SeriesOf(c, stats.Growth{Decades: r.Window, Confidence: r.Confidence})
	return time.Since(begin) * time.Duration(curves) / time.Duration(cmp.Or(processors, 1))
}
