package analysis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"sync"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// The opening of the analysis is what it says of two small planted experiments. As the opening of
// a game stands for the code that plays it, this one stands for the code that fits, judges,
// compares and ranks: a program in which any of that gives another bit has another opening. The
// first experiment has curves of several shapes, positive and negative, with chance and without,
// along t and across horizons, equal games, and enough replicates and p-values for every way in
// which they are computed. The second names its metrics, and has what is no curve: an empty
// comparator set, rounding errors and numbers that are too large; and curves that are flat.

// opening is the digest of the opening. It takes some hundredths of a second, once.
var opening = sync.OnceValue(func() string {
	h := sha256.New()
	for _, d := range []*Draft{plantedDraft(), oddDraft()} {
		a, err := d.Fit(context.Background())
		if err != nil {
			h.Write([]byte(err.Error()))
			continue
		}
		a.Provenance = store.Provenance{}
		h.Write(imageOf(a))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
})

// oddDraft is the draft of the second planted experiment.
func oddDraft() *Draft {
	return draftOf(experiment.Record{
		Name: "odd", Seed: 1, Replicates: 6, Horizon: []int{100}, Window: 1, Confidence: 0.95,
		Metrics: []string{string(algorithms.RegretXHat), string(algorithms.HardViolation)},
		Algorithms: []experiment.Entry{{Spec: "one", Name: "one", Anytime: true},
			{Spec: "again", Name: "again", Anytime: true}, {Spec: "two", Name: "two", Anytime: true},
			{Spec: "flat", Name: "flat", Anytime: true}},
		Problems: []experiment.Entry{{Spec: "empty", Name: "empty"}, {Spec: "random", Name: "random"}},
	})
}

// plantedDraft is the draft of the first planted experiment.
func plantedDraft() *Draft {
	claims := []algorithms.Claim{{Metric: algorithms.RegretXHat, Exponent: 0.5},
		{Metric: algorithms.SoftViolation, Exponent: 0.05, Log: 0.1}}
	return draftOf(experiment.Record{
		Name: "planted", Seed: 1, Replicates: 13, Horizon: []int{31, 100, 316}, Window: 2,
		Confidence: 0.99,
		Algorithms: []experiment.Entry{
			{Spec: "one", Name: "one", Anytime: true, Claims: claims},
			{Spec: "two", Name: "two", Claims: claims[:1]},
			{Spec: "again", Name: "again", Anytime: true, Claims: claims},
		},
		Problems: []experiment.Entry{{Spec: "random", Name: "random"},
			{Spec: "still", Name: "still", Deterministic: true}},
	})
}

// draftOf is the draft of a planted experiment.
func draftOf(rec experiment.Record) *Draft {
	r := run.Synthetic(rec, plantedColumn)
	d := &Draft{a: Describe(r), r: r, g: ground{claims: make(map[string][]algorithms.Claim),
		setups: make(map[string]setups), memos: new(memos)}}
	for _, e := range r.Algorithms {
		d.g.claims[e.Spec] = e.Claims
	}
	facts := convex.Facts{LossLipschitz: 1, Diameter: 2, LossRange: 2, ConstraintBound: 3}
	for i, p := range r.Problems {
		d.g.setups[p.Spec] = setups{all: map[run.GameAt]algorithms.Setup{
			{Replicate: 1}: {Facts: facts, Constraints: 1},
		}}
		d.a.Problems[i].Loss, d.a.Problems[i].Constraint = 2, 3
	}
	return d
}

// plantedColumn is the value of a column of a planted experiment.
func plantedColumn(c experiment.RecordCell, column string, t int) float64 {
	if c.Kind == store.Hindsight {
		switch {
		case column == game.ValueColumn("xmin") && c.Problem == "still",
			column == game.ValueColumn("xhat") && c.Problem == "empty":
			return math.NaN()
		case column == game.ValueColumn("xmax"):
			return -plantedValue(0.3, 0, t)
		}
		return 0
	}
	if c.Problem == "empty" {
		switch {
		case column == string(algorithms.HardViolation) && c.Algorithm == "again":
			return game.Negligible / 2
		case column == string(algorithms.SquaredViolation) && c.Algorithm == "two":
			return 1e301
		}
	}
	if c.Algorithm == "flat" {
		switch column {
		case "loss": // in the later half of the window
			return 0.7 + math.Sqrt(float64(min(t, 20)))
		case string(algorithms.HardViolation): // up to rounding errors, of which others consist
			return game.Negligible/2 + float64(float64(c.Replicate%2)*(0.5+float64(1e-15*float64(t))))
		}
	}
	exponents := map[string]float64{"loss": 0.5, string(algorithms.SoftViolation): 0.4,
		string(algorithms.HardViolation): 0.9}
	p, own := exponents[column]
	if !own && slices.Contains(algorithms.Violations, algorithms.Metric(column)) {
		p, own = 0.4, true // equal curves
	}
	switch {
	case !own:
		return 0
	case c.Algorithm == "two" && column == string(algorithms.PenaltyViolation):
		return plantedValue(p, c.Replicate+50, t) // a difference by chance
	case c.Algorithm == "two":
		p += 0.3 + float64(0.001*float64(c.Horizon%7))
	}
	v := plantedValue(p, c.Replicate, t)
	switch {
	case column == "loss" && c.Problem == "still":
		return -v
	case column == string(algorithms.SoftViolation) && c.Algorithm == "two":
		return v - 6 // negative at first
	}
	return v
}

// plantedValue is about t^p, and differs from replicate to replicate.
func plantedValue(p float64, replicate, t int) float64 {
	x := vec.Log(float64(t))
	noise := vec.Sin(float64(float64(37*(replicate+1))*(1.3+x))) + vec.Sin(float64(91*(replicate+1)))
	return float64(vec.Exp(float64(p*x)) * (1 + float64(0.1*noise)))
}
