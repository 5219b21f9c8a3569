package stats

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ocobench/internal/race"
)

// A kind is a way to grow, with what is true of it.
type kind struct {
	name    string
	mean    func(t float64) float64
	verdict Verdict // on the mean itself
	limit   *Claim  // the least that is true as t → ∞; nil where that is not known
}

func o(exponent, log float64) *Claim { return &Claim{Exponent: exponent, Log: log} }

var kinds = []kind{
	{"1", func(float64) float64 { return 1 }, Bounded, o(0, 0)},
	{"t^¼", raised(0.25), Power, o(0.25, 0)},
	{"√t", math.Sqrt, Power, o(0.5, 0)},
	{"t^⅔", raised(2.0 / 3), Power, o(2.0/3, 0)},
	{"t^¾", raised(0.75), Power, o(0.75, 0)},
	{"t", raised(1), Power, o(1, 0)},
	{"log t", math.Log, Logarithmic, o(0, 1)},
	{"√t log t", func(t float64) float64 { return math.Sqrt(t) * math.Log(t) }, Power, o(0.5, 1)},
	{"20 + √t", func(t float64) float64 { return 20 + math.Sqrt(t) }, OffsetPower, o(0.5, 0)},
	{"√t − 8", func(t float64) float64 { return math.Sqrt(t) - 8 }, OffsetPower, o(0.5, 0)},
	{"t^¾ − 2√t", func(t float64) float64 { return math.Pow(t, 0.75) - 2*math.Sqrt(t) }, OffsetPower, o(0.75, 0)},
	{"t, then √t", func(t float64) float64 { return min(t, math.Sqrt(1000*t)) }, Transient, o(0.5, 0)},
	{"√t, then t", func(t float64) float64 { return max(math.Sqrt(t), t/math.Sqrt(1000)) }, Transient, o(1, 0)},
	{"t^0.7, then t^0.2", func(t float64) float64 { return min(math.Pow(t, 0.7), math.Sqrt(1000)*math.Pow(t, 0.2)) }, Transient, o(0.2, 0)},
	{"1 − 9/√t", func(t float64) float64 { return 1 - 9/math.Sqrt(t) }, Transient, o(0, 0)},
	{"1 − 3/√t", func(t float64) float64 { return 1 - 3/math.Sqrt(t) }, Transient, o(0, 0)},
	{"t/(t + 300)", func(t float64) float64 { return t / (t + 300) }, Transient, o(0, 0)},
	{"t/(t + 3000)", func(t float64) float64 { return t / (t + 3000) }, Transient, o(0, 0)},
}

// levels are the kinds that tend to a level from below.
var levels = []string{"1 − 9/√t", "1 − 3/√t", "t/(t + 300)", "t/(t + 3000)"}

// noises are of mean one. Rare replicates carry the mean of the last.
var noises = []struct {
	name  string
	draw  func(rng *rand.Rand, t, y []float64)
	heavy bool
}{
	{"quiet walk", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.05) }, false},
	{"walk", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.2) }, false},
	{"lognormal", lognormal, false},
	{"Pareto", paretoLevel(2.5), true},
}

// paretoLevel is the walk times a level apart at every replicate, with a tail of
// this index.
func paretoLevel(index float64) func(rng *rand.Rand, t, y []float64) {
	return func(rng *rand.Rand, t, y []float64) {
		geometric(rng, t, y, 0.2)
		level := pareto(rng, index)
		for k := range t {
			y[k] *= level
		}
	}
}

// A row is a kind of curve with its noise, measured in so many replicates over the
// window [100, to].
type row struct {
	kind
	noise string
	heavy bool // a few rare replicates carry the mean
	planted
	replicates int
	to         float64
	seed       uint64
}

// rows are all kinds with all noises, the paths of random walks, and games, in the
// settings of the experiments frequency (30 replicates to 10⁴) and rates (20 to 10⁵).
func rows() (all []row) {
	add := func(k kind, noise string, heavy bool, p planted) {
		for _, replicates := range []int{10, 30} {
			all = append(all, row{k, noise, heavy, p, replicates, 1e4, 0})
		}
	}
	times := func(k kind, draw func(rng *rand.Rand, t, y []float64)) planted {
		return planted{mean: k.mean, paths: factor(k.mean, draw)}
	}
	for _, k := range kinds {
		for _, n := range noises {
			add(k, n.name, n.heavy, times(k, n.draw))
		}
	}
	for _, name := range []string{"1", "√t"} {
		add(named(name), "Pareto 1.5", true, times(named(name), paretoLevel(1.5)))
	}
	for i, k := range []kind{
		{verdict: Power, limit: o(0.5, 0)},
		{verdict: Power, limit: o(0.75, 0)},
		{verdict: Power, limit: o(0.5, 0)},
		{verdict: Power, limit: o(0.5, 0)},
		{verdict: Bounded, limit: o(0, 0)},
		{verdict: Power, limit: o(1, 0)},
		{verdict: Power},
		{verdict: Transient, limit: o(1, 0)},
		{verdict: Power, limit: o(0.5, 0)},
		{verdict: Transient, limit: o(1, 0)},
		{verdict: Power, limit: o(1, 0)},
	} {
		m := slices.Concat(models[2:], further)[i]
		k.name, k.mean = m.name, m.mean
		add(k, "–", m.heavy, m)
	}
	k, m := kind{name: "maximum of a reflected walk", limit: o(0, 1)}.plant(reflectedWalks)
	add(k, "–", false, m)

	rates := func(k kind, noise string, heavy bool, p planted) {
		all = append(all, row{k, noise, heavy, p, 20, 1e5, 0})
	}
	for _, name := range []string{"√t", "log t", "√t log t", "20 + √t", "t^¾ − 2√t", "t^0.7, then t^0.2", "t/(t + 3000)"} {
		rates(named(name), "walk", false, times(named(name), noises[1].draw))
	}
	for _, g := range playedGames {
		k, m := g.kind.plant(g.population)
		all = append(all, row{k, "game", g.heavy, m, g.replicates, g.to, 0})
	}
	for i := range all {
		all[i].seed = uint64(51 + i)
	}
	return all
}

func named(name string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// A calibration counts what Fits of a row say.
type calibration struct {
	row
	n                           int
	slope                       float64 // of the mean, in the window
	exponent, drift, increments tally   // increments only where the mean rises
	verdicts                    map[Verdict]int
	within, above               int // of the limit
	tooLow, lowAbove            int // a claim lower by 0.2 in the exponent, or without its logarithm
}

func (r row) calibrate(t testing.TB, repetitions, resamples int) calibration {
	ts := checkpoints(100, r.to)
	half := len(ts) / 2
	drift := r.planted.slope(ts[half:]) - r.planted.slope(ts[:half+1])
	increments := r.increments(ts[:half+1], ts[half:])
	rng := rand.New(rand.NewPCG(r.seed, uint64(r.replicates)))
	c := calibration{row: r, n: repetitions, slope: r.planted.slope(ts), verdicts: make(map[Verdict]int)}
	for range repetitions {
		f := mustFit(t, Growth{Window: Window{From: 100}, Resamples: resamples}, r.draw(rng, ts, r.replicates))
		c.verdicts[f.Verdict]++
		if f.Verdict != NonPositive {
			c.exponent.add(f.Lower, f.Upper, c.slope)
			c.drift.add(f.Drift.Lower, f.Drift.Upper, drift)
		}
		if !math.IsNaN(f.Increments.Value) && !math.IsNaN(increments) {
			c.increments.add(f.Increments.Lower, f.Increments.Upper, increments)
		}
		if r.limit == nil {
			continue
		}
		switch r.limit.Judge(f) {
		case Supported:
			c.within++
		case Refuted:
			c.above++
		}
		switch r.low().Judge(f) {
		case Supported:
			c.tooLow++
		case Refuted:
			c.lowAbove++
		}
	}
	return c
}

// low is a claim that is false: its exponent is lower by 0.2 than that of the limit,
// and has no logarithm.
func (r row) low() Claim { return Claim{Exponent: max(r.limit.Exponent-0.2, 0)} }

// increments is what Fit.Increments is to find, by sums that owe nothing to
// the package: the slope of the mean on log t over the halves of the window. It is
// NaN where the mean does not rise in both.
func (r row) increments(early, late []float64) float64 {
	slope := func(t []float64, f func(t float64) float64) float64 {
		return planted{mean: func(t float64) float64 { return math.Exp(f(t)) }}.slope(t)
	}
	scale := 100 / r.planted.mean(late[len(late)-1])
	mean := func(t float64) float64 { return scale * r.planted.mean(t) }
	square := func(t float64) float64 { return math.Log(t) * math.Log(t) / 2 }
	first, second := slope(early, mean), slope(late, mean)
	if min(first, second) < 1e-9 {
		return math.NaN()
	}
	return math.Log(second/first) / (slope(late, square) - slope(early, square))
}

// onItself is the verdict on the mean itself.
func (r row) onItself(t testing.TB) Verdict {
	ts := checkpoints(100, r.to)
	mean := make([]float64, len(ts))
	for k := range ts {
		mean[k] = r.planted.mean(ts[k])
	}
	return mustFit(t, Growth{Window: Window{From: 100}}, Curve{ts, [][]float64{mean, mean}}).Verdict
}

// claimed is the largest slope in the window that agrees with the limit.
func (c calibration) claimed() float64 {
	return c.limit.Limit(Fit{LogSlope: planted{mean: math.Log}.slope(checkpoints(100, c.to))})
}

// keeps tells whether the mean agrees with its limit in the window already.
func (c calibration) keeps() bool {
	return c.limit != nil && c.slope <= c.claimed()
}

// tooMany tells that k events in n trials would happen in fewer than one of
// 100000 tests if their probability were p at most.
func tooMany(k, n int, p float64) bool {
	return k > 0 && 1-distuv.Binomial{N: float64(n), P: p}.CDF(float64(k-1)) < 1e-5
}

// The rates in docs/calibration.md, for some rows. Of the 200 bounds here one
// would fail by chance in one of 500 choices of seeds.
func TestCalibration(t *testing.T) {
	n := 100
	if race.Enabled || testing.Short() {
		n = 8
	}
	for _, r := range rows() {
		if r.heavy || r.noise == "lognormal" || r.replicates == 10 {
			continue
		}
		t.Run(strings.ReplaceAll(r.kind.name, "/", "÷")+"/"+r.noise, func(t *testing.T) {
			t.Parallel()
			if v := r.onItself(t); r.verdict != "" && v != r.verdict {
				t.Errorf("the verdict on the mean is %s, want %s", v, r.verdict)
			}
			c := r.calibrate(t, n, 199)
			for what, got := range map[string]tally{"exponent": c.exponent, "drift": c.drift} {
				if tooMany(got.above+got.below, got.n, 0.06) {
					t.Errorf("the %s is covered in %.3f", what, got.coverage())
				}
			}
			if c.keeps() && tooMany(c.above, n, 0.025) {
				t.Errorf("a true claim is called above in %d of %d", c.above, n)
			}
			if r.noise == "quiet walk" && tooMany(n-c.verdicts[r.verdict], n, 0.15) {
				t.Errorf("verdicts %v, want %s", c.verdicts, r.verdict)
			}
		})
	}
}

func TestCalibrationTable(t *testing.T) {
	if *tableRepetitions == 0 {
		t.Skip("-table N writes docs/calibration.md from N repetitions")
	}
	all := rows()
	out := make([]calibration, len(all))
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range all {
		slots <- struct{}{}
		group.Go(func() { out[i] = all[i].calibrate(t, *tableRepetitions, 499); <-slots })
	}
	group.Wait()
	var b bytes.Buffer
	for _, c := range out {
		fmt.Fprintf(&b, "%s|%s|%d|%g|%.3f|%v|%.1f (%d)|%.1f|%.1f|%v|w %d a %d\n", c.kind.name, c.noise, c.replicates, c.to, c.slope, c.row.onItself(t), 100*c.exponent.coverage(), c.exponent.n, 100*c.drift.coverage(), 100*c.increments.coverage(), c.verdicts, c.within, c.above)
	}
	os.WriteFile("/tmp/stats-rows.txt", b.Bytes(), 0o644)
}
