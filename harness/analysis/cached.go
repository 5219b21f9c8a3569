package analysis

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/stats"
)

// An analysis is computed once. The store then has it as gzipped JSON, under a digest of everything
// that determines it:
//
//   - the content of every cell, and the record of the experiment, which has all options;
//   - the program, see [programIdentity]: it stands for the code that fits, judges and compares,
//     and for what the registry says;
//   - what is said by programs and files that the command line names: the description of the
//     entries, and what every game declares.
//
// A computed analysis is returned as it is read back, so that no view can depend on what its JSON
// lacks.

// Cache says where analyses are cached. The zero value caches none.
type Cache struct {
	Store *store.Store
	// ReadOnly reports that cached analyses are used, and nothing is written.
	ReadOnly bool
	// Warn is told of damaged files and of analyses that could not be cached.
	Warn func(error)
	// Begin is called before curves are fitted, with the number of steps that this takes. Several
	// goroutines then call tick, each time with the number of steps just done; end is called last.
	Begin func(steps int) (tick func(n int), end func())
}

// Cached returns what [Unfitted.Fit] returns, and fits no curve where the analysis is cached. It
// caches what it computes, unless cells are still to come.
func Cached(ctx context.Context, c experiment.Catalog, r *run.Results, cache Cache) (*Analysis,
	error) {
	u := NewUnfitted(c, r)
	key := store.Key("")
	if cache.Store != nil {
		var err error
		if key, err = u.cacheKey(); err != nil {
			cache.warnNotCached(r, err)
			cache.Store = nil
		} else if a := cache.readCached(key, r); a != nil {
			return a, nil
		}
	}
	if cache.Begin != nil {
		tick, end := cache.Begin(u.countSteps())
		defer end()
		u.bounds.tick = tick
	}
	a, err := u.Fit(ctx)
	if err != nil {
		return nil, err
	}
	data, err := encodeAnalysis(a)
	if err != nil {
		return nil, err
	}
	if cache.Store != nil && !cache.ReadOnly && r.Missing <= len(r.Failed) {
		err := cache.Store.PutAnalysis(key,
			store.Analysis{Experiment: r.Name, Record: r.Sum(), Data: data})
		if err != nil && !store.Unwritable(err) {
			cache.warnNotCached(r, err)
		}
	}
	return decodeAnalysis(data)
}

// warnNotCached warns that an analysis could not be written to the store, so that it is fitted
// again.
func (c Cache) warnNotCached(r *run.Results, err error) {
	c.Warn(fmt.Errorf("the analysis of %s is not cached: %w", r.Name, err))
}

// readCached returns the analysis under a key, or nil where there is none. A damaged one is
// renamed, with a warning.
func (c Cache) readCached(key store.Key, r *run.Results) *Analysis {
	cached, err := c.Store.Analysis(key, r.Name, r.Sum())
	if err == nil {
		if a, err := decodeAnalysis(cached.Data); err == nil {
			return a
		}
	}
	damaged, ok := errors.AsType[*store.DamagedError](err)
	if !ok {
		return nil
	}
	if !c.ReadOnly {
		c.Store.SetAside(damaged) // records in damaged whether it could, for the warning
	}
	c.Warn(damaged.Warning(fmt.Sprintf("analysing %s again", r.Name)))
	return nil
}

// encodeAnalysis returns the gzipped JSON of an analysis.
func encodeAnalysis(a *Analysis) ([]byte, error) {
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	if err := json.NewEncoder(z).Encode(a); err != nil {
		return nil, err
	}
	err := z.Close()
	return data.Bytes(), err
}

// decodeAnalysis returns the analysis that [encodeAnalysis] wrote. Values that JSON cannot hold are
// lost, such as the bounds of claims, which are functions.
func decodeAnalysis(data []byte) (*Analysis, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	a := new(Analysis)
	return a, input.ReadJSON(z, a)
}

// cacheKey returns the digest under which the analysis is cached.
func (u *Unfitted) cacheKey() (store.Key, error) {
	program, err := programIdentity()
	if err != nil {
		return "", err
	}
	description, err := json.Marshal(u.analysis)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", Schema, program, u.results.Content(), description)
	for _, e := range u.results.Algorithms {
		for _, claim := range u.bounds.claims[e.Spec] {
			fmt.Fprintln(h, claim.Bound != nil, claim.Moving != nil)
		}
	}
	for _, p := range u.results.Problems {
		s := u.bounds.setups[p.Spec]
		fmt.Fprintln(h, s.err)
		for _, at := range s.sortedGames() {
			fmt.Fprintf(h, "%+v %d\n", s.byGame[at].Facts, s.byGame[at].Constraints)
		}
	}
	return store.Key(hex.EncodeToString(h.Sum(nil))), nil
}

// IsCached reports whether a store has the analysis.
func (u *Unfitted) IsCached(s *store.Store) bool {
	key, err := u.cacheKey()
	return err == nil && s.HasAnalysis(key)
}

// countSteps returns about how many steps [Unfitted.Fit] takes: one for each curve that it fits,
// for each verdict, and for each metric that algorithms are compared by on a problem.
func (u *Unfitted) countSteps() int {
	return 2*u.Curves() + len(u.analysis.Problems)*len(u.analysis.comparedMetrics())
}

// EstimateTime estimates how long it takes to fit the curves of an experiment with this record on
// the given number of processors. It fits one curve of that size; its values, near t, do not
// matter.
func EstimateTime(r experiment.Record, processors int) time.Duration {
	c := stats.Curve{}
	for _, t := range game.Checkpoints(r.Horizon[len(r.Horizon)-1]) {
		c.T = append(c.T, float64(t))
	}
	for replicate := range r.Replicates {
		c.Y = append(c.Y, nil)
		for k, t := range c.T {
			c.Y[replicate] = append(c.Y[replicate], t+float64((replicate+k)%7))
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
