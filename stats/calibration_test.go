package stats

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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
	verdict Verdict // what an exact measurement would say
	claim   Claim   // the least that is true
}

var kinds = []kind{
	{"1", func(float64) float64 { return 1 }, Bounded, Claim{}},
	{"t^¼", raised(0.25), Power, Claim{Exponent: 0.25}},
	{"√t", math.Sqrt, Power, Claim{Exponent: 0.5}},
	{"t^⅔", raised(2.0 / 3), Power, Claim{Exponent: 2.0 / 3}},
	{"t^¾", raised(0.75), Power, Claim{Exponent: 0.75}},
	{"t", raised(1), Power, Claim{Exponent: 1}},
	{"log t", math.Log, Logarithmic, Claim{Log: 1}},
	{"√t log t", func(t float64) float64 { return math.Sqrt(t) * math.Log(t) }, Power, Claim{Exponent: 0.5, Log: 1}},
	{"20 + √t", func(t float64) float64 { return 20 + math.Sqrt(t) }, OffsetPower, Claim{Exponent: 0.5}},
	{"√t − 8", func(t float64) float64 { return math.Sqrt(t) - 8 }, OffsetPower, Claim{Exponent: 0.5}},
	{"t, then √t", func(t float64) float64 { return min(t, math.Sqrt(1000*t)) }, Transient, Claim{Exponent: 0.5}},
	{"√t, then t", func(t float64) float64 { return max(math.Sqrt(t), t/math.Sqrt(1000)) }, Transient, Claim{Exponent: 1}},
	{"1 − 9/√t", func(t float64) float64 { return 1 - 9/math.Sqrt(t) }, Transient, Claim{}},
}

// noises are of mean one. Rare replicates carry the mean of the last.
var noises = []struct {
	name  string
	draw  func(rng *rand.Rand, t, y []float64)
	heavy bool
}{
	{"quiet walk", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.05) }, false},
	{"walk", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.2) }, false},
	{"lognormal", lognormal, false},
	{"Pareto", func(rng *rand.Rand, t, y []float64) {
		geometric(rng, t, y, 0.2)
		level := 0.6 * math.Pow(1-rng.Float64(), -0.4) // index 2.5, variance 0.8
		for k := range t {
			y[k] *= level
		}
	}, true},
}

// rows are all kinds with all noises, and the paths of a random walk.
func rows() (all []row) {
	for _, k := range kinds {
		for _, n := range noises {
			all = append(all, row{kind: k, noise: n.name, heavy: n.heavy, planted: planted{mean: k.mean, paths: factor(k.mean, n.draw)}})
		}
	}
	for i, k := range []kind{
		2: {verdict: Power, claim: Claim{Exponent: 0.5}},
		3: {verdict: Power, claim: Claim{Exponent: 0.75}},
		4: {verdict: Power, claim: Claim{Exponent: 0.5}},
		5: {verdict: Power, claim: Claim{Exponent: 0.5}},
		6: {verdict: Bounded},
		7: {verdict: Power, claim: Claim{Exponent: 1}},
		8: {verdict: Power, claim: Claim{Exponent: 0.57}}, // the slope in the window; no bound holds beyond
		9: {verdict: Transient, claim: Claim{Exponent: 1}},
	} {
		if k.verdict != "" {
			k.name = models[i].name
			all = append(all, row{kind: k, noise: "–", heavy: models[i].heavy, planted: models[i]})
		}
	}
	for i := range all {
		all[i].seed = uint64(51 + i)
	}
	return all
}

type row struct {
	kind
	noise string
	heavy bool
	planted
	seed uint64
}

// A calibration counts what Fits of a row say.
type calibration struct {
	n                           int
	exponent, drift, increments tally
	verdicts                    map[Verdict]int
	within, above               int // the least claim that is true
	missed, caught              int // a claim lower by 0.2 in the exponent, or without its logarithm
}

func (r row) calibrate(t testing.TB, replicates, repetitions, resamples int) calibration {
	ts := checkpoints(100, 10000)
	truth := r.planted.slope(ts)
	drift := r.planted.slope(ts[16:]) - r.planted.slope(ts[:17])
	increments := r.increments(ts)
	wrong := Claim{Exponent: max(r.claim.Exponent-0.2, 0)}
	rng := rand.New(rand.NewPCG(r.seed, uint64(replicates)))
	c := calibration{n: repetitions, verdicts: make(map[Verdict]int)}
	for range repetitions {
		f := mustFit(t, Growth{Resamples: resamples}, r.draw(rng, ts, replicates))
		c.verdicts[f.Verdict]++
		if f.Verdict != NonPositive {
			c.exponent.add(f.Lower, f.Upper, truth)
			c.drift.add(f.Drift.Lower, f.Drift.Upper, drift)
		}
		if !math.IsNaN(f.Increments.Value) {
			c.increments.add(f.Increments.Lower, f.Increments.Upper, increments)
		}
		switch r.claim.Judge(f, r.claim.P(f)) {
		case Within:
			c.within++
		case Above:
			c.above++
		}
		switch wrong.Judge(f, wrong.P(f)) {
		case Within:
			c.missed++
		case Above:
			c.caught++
		}
	}
	return c
}

// increments is what Fit.Increments is to find, by sums that owe nothing to
// the package: the slope of the mean on log t over the halves of the window.
func (r row) increments(t []float64) float64 {
	slope := func(t []float64, f func(t float64) float64) float64 {
		return planted{mean: func(t float64) float64 { return math.Exp(f(t)) }}.slope(t)
	}
	scale := 100 / r.planted.mean(t[len(t)-1])
	mean := func(t float64) float64 { return scale * r.planted.mean(t) }
	square := func(t float64) float64 { return math.Log(t) * math.Log(t) / 2 }
	early, late := t[:17], t[16:]
	return math.Log(slope(late, mean)/slope(early, mean)) / (slope(late, square) - slope(early, square))
}

// tooMany tells that k events in n trials would happen in fewer than one of
// 100000 tests if their probability were p at most.
func tooMany(k, n int, p float64) bool {
	return k > 0 && 1-distuv.Binomial{N: float64(n), P: p}.CDF(float64(k-1)) < 1e-5
}

// The rates in docs/calibration.md, for some rows. Of the 140 bounds here one
// would fail by chance in one of 700 choices of seeds.
func TestCalibration(t *testing.T) {
	n := 100
	if race.Enabled || testing.Short() {
		n = 8
	}
	for _, r := range rows() {
		if r.heavy || r.noise == "lognormal" {
			continue
		}
		t.Run(strings.ReplaceAll(r.kind.name, "/", "÷")+"/"+r.noise, func(t *testing.T) {
			t.Parallel()
			c := r.calibrate(t, 20, n, 199)
			for what, got := range map[string]tally{"exponent": c.exponent, "drift": c.drift} {
				if tooMany(got.above+got.below, got.n, 0.06) {
					t.Errorf("the %s is covered in %.3f", what, got.coverage())
				}
			}
			if r.verdict != Transient && tooMany(c.above, n, 0.025) {
				t.Errorf("a true claim is above in %d of %d", c.above, n)
			}
			if r.noise == "quiet walk" && tooMany(n-c.verdicts[r.verdict], n, 0.15) {
				t.Errorf("verdicts %v, want %s", c.verdicts, r.verdict)
			}
		})
	}
}

// go test ./stats -run CalibrationTable -table 1000 -timeout 3h writes docs/calibration.md.
func TestCalibrationTable(t *testing.T) {
	if *tableRepetitions == 0 {
		t.Skip("-table N writes docs/calibration.md from N repetitions")
	}
	replicates := []int{10, 20, 50}
	all := rows()
	measured := make([][]calibration, len(all))
	duelled := make([][]measurement, len(duels))
	kinds := []runKind{
		{false, 10, 100}, {false, 20, 100}, {false, 50, 100}, {false, 20, 10}, {false, 50, 10},
		{true, 10, 100}, {true, 20, 100}, {true, 50, 100},
	}
	runs := make([]runRate, len(kinds))
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	do := func(f func()) {
		slots <- struct{}{}
		group.Go(func() { f(); <-slots })
	}
	for i := range all {
		measured[i] = make([]calibration, len(replicates))
		for j, n := range replicates {
			do(func() { measured[i][j] = all[i].calibrate(t, n, *tableRepetitions, 499) })
		}
	}
	for i := range duels {
		duelled[i] = make([]measurement, len(replicates))
		for j, n := range replicates {
			do(func() { duelled[i][j] = duels[i].measure(t, n, *tableRepetitions, 499) })
		}
	}
	for i := range runs {
		do(func() { runs[i] = kinds[i].measure(t, *tableRepetitions/4) })
	}
	group.Wait()
	var b bytes.Buffer
	writeCalibration(&b, all, replicates, measured, duelled, runs)
	if err := os.WriteFile("../docs/calibration.md", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func percent(part, of int) string { return fmt.Sprintf("%.1f", 100*float64(part)/float64(of)) }

// covered is a coverage, marked where it is not that of a nominal 95 %.
func covered(a tally) string {
	if a.n == 0 {
		return "–"
	}
	text := fmt.Sprintf("%.1f", 100*a.coverage())
	if a.coverage() < 0.93 || a.coverage() > 0.97 {
		text = "**" + text + "**"
	}
	return text
}

func writeCalibration(b *bytes.Buffer, all []row, replicates []int, measured [][]calibration, duelled [][]measurement, runs []runRate) {
	line := func(cells ...string) {
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	head := func(cells ...string) {
		line(cells...)
		line(strings.Split(strings.TrimSuffix(strings.Repeat("--- ", len(cells)), " "), " ")...)
	}
	fmt.Fprintf(b, calibrationIntroduction, *tableRepetitions)
	fmt.Fprint(b, calibrationCoverage)
	columns := []string{"mean", "noise"}
	for _, what := range []string{"exponent", "drift", "increments"} {
		for _, n := range replicates {
			columns = append(columns, fmt.Sprintf("%s, %d", what, n))
		}
	}
	head(columns...)
	for i, r := range all {
		cells := []string{r.kind.name, r.noise}
		for _, of := range []func(c calibration) tally{
			func(c calibration) tally { return c.exponent }, func(c calibration) tally { return c.drift }, func(c calibration) tally { return c.increments },
		} {
			for j := range replicates {
				cells = append(cells, covered(of(measured[i][j])))
			}
		}
		line(cells...)
	}
	fmt.Fprint(b, calibrationVerdicts)
	verdicts := []Verdict{Power, OffsetPower, Logarithmic, Transient, Bounded, Undetermined, NonPositive}
	columns = []string{"mean", "noise", "replicates", "true"}
	for _, v := range verdicts {
		columns = append(columns, string(v))
	}
	head(columns...)
	for i, r := range all {
		for j, n := range replicates {
			cells := []string{r.kind.name, r.noise, fmt.Sprint(n), string(r.verdict)}
			for _, v := range verdicts {
				cells = append(cells, percent(measured[i][j].verdicts[v], measured[i][j].n))
			}
			line(cells...)
		}
	}
	fmt.Fprint(b, calibrationClaims)
	head("mean", "noise", "replicates", "true claim supported", "refuted", "false claim supported", "refuted")
	for i, r := range all {
		for j, n := range replicates {
			c := measured[i][j]
			missed, caught := percent(c.missed, c.n), percent(c.caught, c.n)
			if r.claim == (Claim{}) { // which nothing is below
				missed, caught = "–", "–"
			}
			line(r.kind.name, r.noise, fmt.Sprint(n), percent(c.within, c.n), percent(c.above, c.n), missed, caught)
		}
	}
	fmt.Fprint(b, calibrationPairs)
	head("pair", "replicates", "final covered", "exponent covered", "P(A<B) covered", "found at 5 %", "equivalent within 0.05")
	for i, d := range duels {
		for j, n := range replicates {
			m := duelled[i][j]
			line(d.name, fmt.Sprint(n), covered(m.final), covered(m.exponent), fmt.Sprintf("%.1f", 100*m.improvement),
				fmt.Sprintf("%.1f", 100*m.rejected), fmt.Sprintf("%.1f", 100*m.equivalent))
		}
	}
	fmt.Fprintf(b, calibrationRuns, runs[0].runs)
	columns = []string{"seeds", "replicates", "from", "false alarms", "all pass"}
	for _, m := range runModels[:5] {
		columns = append(columns, m.name)
	}
	head(columns...)
	for _, g := range runs {
		seeds := "changed"
		if g.paired {
			seeds = "the same"
		}
		cells := []string{seeds, fmt.Sprint(g.replicates), fmt.Sprint(g.from), percent(g.alarms, g.runs), percent(g.passes, g.runs)}
		for k := range runModels[:5] {
			cells = append(cells, fmt.Sprintf("%s (%.3f)", percent(g.caught[k], g.curves[k]), g.stdErr[k]))
		}
		line(cells...)
	}
}

const (
	calibrationIntroduction = `# Calibration of package stats

Written by ` + "`go test ./stats -run CalibrationTable -table %d -timeout 3h`" + `; every
number is measured on curves whose growth is known, with fixed seeds, by that many
repetitions (the regression test: a quarter of them). From 1000 repetitions a rate
near 95 %% has a standard error of 0.7 points, one near 2.5 %% of 0.5, and one near
50 %% of 1.6. There are 16 checkpoints a decade from 10² to 10⁴, and a bootstrap has
499 samples. All numbers are per cent.

The noises multiply the mean and have mean one:

- *walk*: a geometric Brownian walk in log t; its logarithm has the standard
  deviation 0.2·√(log t), 0.6 at the end.
- *quiet walk*: the same with a quarter of the standard deviation.
- *lognormal*: a random level for each replicate (0.5) and independent noise at
  each checkpoint (0.33).
- *Pareto*: the walk times a random level for each replicate, with a tail of index
  2.5, so that a few replicates dominate the mean.

The last rows are paths of a random walk (with increments of variance 1),
functions of them, and a bounded process.
`
	calibrationCoverage = `
## Coverage of the nominal 95 % intervals

The exponent, its drift between the halves of the window, and the exponent of
the increments, each with 10, 20 and 50 replicates. Bold: outside 93–97.

The reasons for deviations from the nominal rate:

- The hull is the longer of two intervals, and with few replicates a little
  longer than necessary: over all rows without heavy tails it covers 95.4 (93.4 to
  97.8), the drift 95.5 (93.7 to 97.7), the increments 95.6 (93.2 to 97.8).
- *Pareto*: 94.0 (91.6 at worst), 94.4 (91.9) and 94.6 (92.6). The replicates
  with the largest weight are too rare for a good estimate of their spread.
- The exponent of the increments of a mean that does not rise is measured only
  where the mean of the sample rises by chance. Its interval is then nearly always
  infinite: 100.
- *t^p, p normal* and *√t, one in five t/10*: rare replicates dominate the mean,
  and a sample may have too few of them. The fit warns where few replicates are
  half of the mean.

`
	calibrationVerdicts = `
## Verdicts

The table shows how often each verdict is given. *True* is the verdict on the mean
itself.

- False alarms: the verdict on a power law is offset-power in 6.2 at most,
  transient in 2.2, logarithmic in 1.6, and bounded never. The verdict on a
  constant mean is one of growth in 2.9 at most.
- Misses: where noise hides the shape the verdict is power. A logarithm is
  detected only with the quiet walk (89 with 20 replicates): over two decades it has
  the curvature of t^0.15 with an exponent that drifts by 0.05. The offset of
  20 + √t is detected in 32 to 99, that of √t − 8 in 88 to 100.
- A kink (*t, then √t* and the reverse) is close to an offset power law, and has
  that verdict until there are enough replicates to tell the two apart: transient
  in 10 to 100. The verdict on a curve that tends to a constant is transient in 97
  to 100.

`
	calibrationClaims = `
## Claims

*True claim*: the least bound that holds, with its logarithm. *False claim*: the
exponent 0.2 lower and no logarithm. The other experiments are inconclusive. An
error is a true claim that is refuted, or a false claim that is supported.

- A true claim is refuted in 2.7 at most, in 5.2 with Pareto noise.
- A false claim is supported only where the exponent in the window is not the one of
  the limit and noise hides the difference. O(t^0.3) of 20 + √t, which has slope
  0.30 between 10² and 10⁴, is supported in up to 40. Where noise hides that the
  slope increases (*√t, then t*), or rare replicates cause the increase (*one in
  five*), a false claim is supported in up to 10.5. An interval is about its window
  only.

`
	calibrationPairs = `
## Paired comparison

A minus B, with common random numbers (shared noise) and without. *Found*: the
p-value of the difference of exponents is at most 0.05. This is the rate of false
alarms where A and B are alike, and the power elsewhere. *Equivalent*: the
equivalence test with margin 0.05 rejects at level 0.05. This is its power where A
and B are alike, and an error where the difference is 0.05 (5 % allowed) or 0.1.

`
	calibrationRuns = `
## The regression test

A run has 24 curves, four of each of the five models below and four of −t + walk
(which has no exponent, so its final values are compared). There are 4 checkpoints
a decade from 10² (or 10) to 10⁴, the margin is the default 0.05, and a row is from
%d runs.

- *False alarms*: runs with a regression although only the seed has changed. With
  the same seeds, every replicate is multiplied by a geometric walk of 0.05 instead.
- *All pass*: such runs in which every curve passes. The others are inconclusive.
- The other columns: how often a shift of the exponent by 0.1 in one curve is
  called a regression among the 24, and in brackets the standard error of the
  difference of exponents.

With independent seeds a shift of 0.1 among 24 curves is detected in 95 %% where
that standard error is at most 0.017. For a geometric walk of size s in log t it
is s·√(2.4/(L·R)) with R replicates in a window of length L in log t: L = 4.6 for
two decades, 6.9 for three. So walks of 0.1 need 20 replicates in two decades. Walks
of 0.2 need 80, or 50 in three decades. With the same seeds the common noise
cancels, and 20 replicates are more than enough.

`
)
