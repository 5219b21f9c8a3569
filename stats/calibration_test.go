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

	"ocobench/internal/long"
	"ocobench/internal/race"
)

// A kind is a way to grow, with what is true of it.
type kind struct {
	name  string
	mean  func(t float64) float64
	shape Shape  // of the mean itself
	limit *Claim // the least that is true as t → ∞; nil where that is not known
}

func growthOf(exponent, log float64) *Claim { return &Claim{Exponent: exponent, Log: log} }

var kinds = []kind{
	{"1", func(float64) float64 { return 1 }, Bounded, growthOf(0, 0)},
	{"t^¼", powerOf(0.25), Power, growthOf(0.25, 0)},
	{"√t", math.Sqrt, Power, growthOf(0.5, 0)},
	{"t^¾", powerOf(0.75), Power, growthOf(0.75, 0)},
	{"t", powerOf(1), Power, growthOf(1, 0)},
	{"log t", math.Log, Logarithmic, growthOf(0, 1)},
	{"√t log t", func(t float64) float64 { return math.Sqrt(t) * math.Log(t) }, Power, growthOf(0.5, 1)},
	{"20 + √t", func(t float64) float64 { return 20 + math.Sqrt(t) }, OffsetPower, growthOf(0.5, 0)},
	{"√t − 8", func(t float64) float64 { return math.Sqrt(t) - 8 }, OffsetPower, growthOf(0.5, 0)},
	{"t^¾ − 2√t", func(t float64) float64 { return math.Pow(t, 0.75) - 2*math.Sqrt(t) }, OffsetPower,
		growthOf(0.75, 0)},
	{"t, then √t", func(t float64) float64 { return min(t, math.Sqrt(1000*t)) }, Transient, growthOf(0.5, 0)},
	{"√t, then t", func(t float64) float64 { return max(math.Sqrt(t), t/math.Sqrt(1000)) }, Transient,
		growthOf(1, 0)},
	{"t^0.7, then t^0.2", func(t float64) float64 {
		return min(math.Pow(t, 0.7), math.Sqrt(1000)*math.Pow(t, 0.2))
	}, Transient, growthOf(0.2, 0)},
	{"1 − 9/√t", func(t float64) float64 { return 1 - 9/math.Sqrt(t) }, Transient, growthOf(0, 0)},
	{"1 − 3/√t", func(t float64) float64 { return 1 - 3/math.Sqrt(t) }, Transient, growthOf(0, 0)},
	{"t/(t + 300)", func(t float64) float64 { return t / (t + 300) }, Transient, growthOf(0, 0)},
	{"t/(t + 3000)", func(t float64) float64 { return t / (t + 3000) }, Transient, growthOf(0, 0)},
	{"√t(1 + 0.3 sin 2π log₁₀ t)", periodic(0.3, 1), Transient, growthOf(0.5, 0)},
	{"√t(1 + 0.1 sin 4π log₁₀ t)", periodic(0.1, 2), Transient, growthOf(0.5, 0)},
}

// periodic is √t times a factor that goes up and down so often in a decade.
func periodic(size, often float64) func(t float64) float64 {
	return func(t float64) float64 {
		return math.Sqrt(t) * (1 + size*math.Sin(2*math.Pi*often*math.Log10(t)))
	}
}

// A noiseModel draws a factor of mean one for every checkpoint of a replicate.
type noiseModel struct {
	name  string
	draw  func(rng *rand.Rand, t, y []float64)
	heavy bool // rare replicates carry the mean
}

// walkOf returns the geometric walk of this size in log t.
func walkOf(name string, size float64) noiseModel {
	return noiseModel{name, func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, size) }, false}
}

var noises = []noiseModel{
	walkOf("quiet walk", 0.05), walkOf("walk", 0.2), {"lognormal", lognormal, false},
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

// allRows returns all kinds with all noises, the paths of random walks, and games, in the
// settings of the experiments frequency (30 replicates to 10⁴) and rates (20 to 10⁵).
func allRows() (all []row) {
	add := func(k kind, noise string, heavy bool, p planted) {
		for _, replicates := range []int{10, 30} {
			all = append(all, row{k, noise, heavy, p, replicates, 1e4, 0})
		}
	}
	for _, k := range kinds {
		for _, n := range noises {
			add(k, n.name, n.heavy, times("", k.mean, n.draw))
		}
	}
	for _, name := range []string{"1", "√t"} {
		add(named(name), "Pareto 1.5", true, times("", named(name).mean, paretoLevel(1.5)))
	}
	for i, k := range []kind{
		{shape: Power, limit: growthOf(0.5, 0)},
		{shape: Power, limit: growthOf(0.75, 0)},
		{shape: Power, limit: growthOf(0.5, 0)},
		{shape: Power, limit: growthOf(0.5, 0)},
		{shape: Bounded, limit: growthOf(0, 0)},
		{shape: Power, limit: growthOf(1, 0)},
		{shape: Power},
		{shape: Transient, limit: growthOf(1, 0)},
		{shape: Power, limit: growthOf(0.5, 0)},
		{shape: Transient, limit: growthOf(1, 0)},
		{shape: Power, limit: growthOf(1, 0)},
	} {
		m := slices.Concat(models[2:], further)[i]
		k.name, k.mean = m.name, m.mean
		add(k, "–", m.heavy, m)
	}
	k, m := kind{name: "maximum of a reflected walk", limit: growthOf(0, 1)}.plant(reflectedWalks)
	add(k, "–", false, m)

	rates := func(k kind, noise string, heavy bool, p planted) {
		all = append(all, row{k, noise, heavy, p, 20, 1e5, 0})
	}
	for _, name := range []string{"√t", "log t", "√t log t", "20 + √t", "t^¾ − 2√t",
		"t^0.7, then t^0.2", "t/(t + 3000)"} {
		rates(named(name), "walk", false, times("", named(name).mean, noises[1].draw))
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

// A calibration counts what the fits of a row find.
type calibration struct {
	row
	n                           int
	slope                       float64 // of the mean, in the window
	ending, from                float64 // that of its envelope at the end of the window, from here on
	exponent, drift, increments tally   // increments only where the mean rises
	itself                      Shape   // of the mean itself
	shapes                      map[Shape]int
	limits                      map[Verdict]int // on the limit
	nears                       map[Verdict]int // on a claim that is lower by 0.1 in the exponent
	lows                        map[Verdict]int // on one lower by 0.2, or without its logarithm
}

func (r row) calibrate(t testing.TB, repetitions, resamples int) calibration {
	ts := checkpoints(100, r.to)
	half := len(ts) / 2
	drift := r.planted.slope(ts[half:]) - r.planted.slope(ts[:half+1])
	increments := r.increments(ts[:half+1], ts[half:])
	rng := rand.New(rand.NewPCG(r.seed, uint64(r.replicates)))
	c := calibration{row: r, n: repetitions, slope: r.planted.slope(ts), itself: r.itself(t).Shape,
		shapes: make(map[Shape]int), limits: make(map[Verdict]int), nears: make(map[Verdict]int),
		lows: make(map[Verdict]int)}
	c.ending, c.from = r.itself(t).End.Exponent.Value, r.itself(t).End.From
	for range repetitions {
		f := mustFit(t, Growth{Window: Window{From: 100}, Resamples: resamples},
			r.draw(rng, ts, r.replicates))
		c.shapes[f.Shape]++
		if f.Shape != NonPositive {
			c.exponent.add(f.Lower, f.Upper, c.slope)
			c.drift.add(f.Drift.Lower, f.Drift.Upper, drift)
		}
		if !math.IsNaN(f.Increments.Value) && !math.IsNaN(increments) {
			c.increments.add(f.Increments.Lower, f.Increments.Upper, increments)
		}
		if r.limit != nil {
			c.limits[judged(*r.limit, f)]++
			c.nears[judged(Claim{r.limit.Exponent - Near, r.limit.Log}, f)]++
			c.lows[judged(r.low(), f)]++
		}
	}
	return c
}

// hasLower reports whether a claim is known that is false. Nothing is below O(1), and
// a theorem about a game is an upper bound.
func (r row) hasLower() bool { return r.limit != nil && *r.limit != Claim{} && r.noise != "game" }

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

// itself is the fit of the mean itself.
func (r row) itself(t testing.TB) Fit {
	ts := checkpoints(100, r.to)
	mean := make([]float64, len(ts))
	for k := range ts {
		mean[k] = r.planted.mean(ts[k])
	}
	return mustFit(t, Growth{Window: Window{From: 100}}, Curve{ts, [][]float64{mean, mean}})
}

// keeps reports whether the mean agrees with its limit at the end of the window already.
func (c calibration) keeps() bool {
	if c.limit == nil {
		return false
	}
	ts := checkpoints(100, c.to)
	log := planted{mean: math.Log}.slope(ts[slices.Index(ts, c.from):])
	return c.ending <= c.limit.Exponent+c.limit.Log*log+Beyond
}

// tooMany says that k events in n trials would happen in fewer than one of
// 100000 tests if their probability were p at most.
func tooMany(k, n int, p float64) bool {
	return k > 0 && 1-distuv.Binomial{N: float64(n), P: p}.CDF(float64(k-1)) < 1e-5
}

// repetitions runs a test with many random draws. Where these cost more, and in a sample, it
// has fewer: what is asserted allows for their number.
func repetitions(t *testing.T, short, sample, whole int, test func(t *testing.T, n int)) {
	t.Helper()
	long.Run(t, func(t *testing.T, all bool) {
		switch {
		case race.Enabled || testing.Short():
			test(t, short)
		case all:
			test(t, whole)
		default:
			test(t, sample)
		}
	})
}

// The rates in testdata/calibration.md, for some rows. Of the 170 bounds here one
// would fail by chance in one of 600 choices of seeds.
func TestRatesAreThoseOfTheDocument(t *testing.T) { repetitions(t, 8, 40, 100, testCalibration) }

func testCalibration(t *testing.T, n int) {
	for _, r := range allRows() {
		if r.heavy || r.noise == "lognormal" || r.replicates == 10 {
			continue
		}
		t.Run(strings.ReplaceAll(r.kind.name, "/", "÷")+"/"+r.noise, func(t *testing.T) {
			t.Parallel()
			c := r.calibrate(t, n, 199)
			if r.shape != "" && c.itself != r.shape {
				t.Errorf("the shape of the mean is %s, want %s", c.itself, r.shape)
			}
			for what, got := range map[string]tally{"exponent": c.exponent, "drift": c.drift} {
				if tooMany(got.above+got.below, got.n, 0.06) {
					t.Errorf("the %s: got coverage %.3f, want 0.94 or more", what, got.coverage())
				}
			}
			if c.keeps() && tooMany(c.limits[Above], n, 0.05) {
				t.Errorf("a true claim is ▲ in %d of %d, want at most 5 %%", c.limits[Above], n)
			}
			if r.noise == "quiet walk" && tooMany(n-c.shapes[r.shape], n, 0.15) {
				t.Errorf("shapes %v, want %s", c.shapes, r.shape)
			}
		})
	}
}

// go test ./stats -run CalibrationTable -table 500 -timeout 1h writes
// testdata/calibration.md and the signs of docs/calibration.md, and -run CalibrationTable/growth
// one of five parts.
func TestCalibrationTable(t *testing.T) {
	if *tableRepetitions == 0 {
		t.Skip("-table N writes the calibration from N repetitions")
	}
	n := *tableRepetitions
	t.Run("growth", func(t *testing.T) {
		all := allRows()
		m := make(measured, len(all))
		concurrently(len(all), func(i int) { m[i] = all[i].calibrate(t, n, 499) })
		rewritePart(t, rowsFile, 1, m.write)
	})
	t.Run("signs", func(t *testing.T) {
		cells := signCells()
		concurrently(len(cells), func(i int) { cells[i].measure(t, n) })
		ends := endCells()
		concurrently(len(ends), func(i int) { ends[i].measure(t, n) })
		var table bytes.Buffer
		rewritePart(t, calibrationFile, 1, func(b *bytes.Buffer) {
			writeSigns(t, b, &table, cells)
			writeEnds(b, ends)
		})
		rewritePart(t, rowsFile, 2, func(b *bytes.Buffer) { b.Write(table.Bytes()) })
	})
	t.Run("pairs", func(t *testing.T) {
		replicates := []int{10, 50}
		m := make([]measurement, len(duels)*len(replicates))
		concurrently(len(m), func(i int) {
			m[i] = duels[i/len(replicates)].measure(t, replicates[i%len(replicates)], n, 499)
		})
		rewritePart(t, rowsFile, 3, func(b *bytes.Buffer) { writePairs(b, replicates, m) })
	})
	t.Run("levels", func(t *testing.T) {
		rows := make([][]falseLeads, len(nulls))
		concurrently(len(rows), func(i int) {
			for _, replicates := range levelReplicates {
				rows[i] = append(rows[i], nulls[i].measure(t, replicates, 10*n))
			}
		})
		rewritePart(t, rowsFile, 4, func(b *bytes.Buffer) { writeLevels(b, rows) })
	})
	t.Run("runs", func(t *testing.T) {
		kinds := []runKind{
			{false, 10, 100}, {false, 20, 100}, {false, 50, 100},
			{true, 10, 100}, {true, 20, 100}, {true, 50, 100},
		}
		m := make([]runRate, len(kinds))
		concurrently(len(m), func(i int) { m[i] = kinds[i].measure(t, n/4) })
		rewritePart(t, rowsFile, 5, func(b *bytes.Buffer) { writeRuns(b, m) })
	})
}

// concurrently calls f(0), …, f(n−1), two at a time.
func concurrently(n int, f func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() { f(i); <-slots })
	}
	group.Wait()
}

const (
	calibrationFile = "../docs/calibration.md"
	rowsFile        = "testdata/calibration.md"
	rowsHeading     = "## The rows: coverage and claims\n"
	signsHeading    = "## Signs\n"
	pairsHeading    = "## Paired comparison\n"
	runsHeading     = "## The regression test\n"
	otherHeading    = "## Other rates\n"
)

// headings begin the parts of a file but the first.
var headings = map[string][]string{
	calibrationFile: {signsHeading, otherHeading},
	rowsFile:        {rowsHeading, signsHeading, pairsHeading, levelsHeading, runsHeading},
}

// rewritePart replaces a part of a file: what is before the first of its headings, or the section
// of one.
func rewritePart(t *testing.T, file string, part int, write func(b *bytes.Buffer)) {
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	rest := string(old)
	for _, heading := range headings[file] {
		before, after, ok := strings.Cut(rest, heading)
		if !ok {
			t.Fatalf("%s: got no heading %q, want one", file, heading)
		}
		parts, rest = append(parts, before), heading+after
	}
	parts = append(parts, rest)
	var b bytes.Buffer
	write(&b)
	parts[part] = b.String()
	if err := os.WriteFile(file, []byte(strings.Join(parts, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// columns tell the row from others.
func (r row) columns() []string {
	return []string{r.kind.name, r.noise, fmt.Sprint(r.replicates),
		map[float64]string{1e4: "10⁴", 1e5: "10⁵"}[r.to]}
}

func escaped(cells []string) []string {
	out := make([]string, len(cells))
	for i := range cells {
		out[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return out
}

func writeRow(b *bytes.Buffer, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(escaped(cells), " | "))
}

func writeHead(b *bytes.Buffer, cells ...string) {
	writeRow(b, cells...)
	fmt.Fprintf(b, "|%s\n", strings.Repeat(" --- |", len(cells)))
}

func percent(part, of int) string { return fmt.Sprintf("%.1f", 100*float64(part)/float64(of)) }

// formatCoverage writes a coverage, marked where it is not that of a nominal 95 %, with the
// share of the samples that have the interval.
func formatCoverage(a tally, samples int) string {
	if a.n == 0 {
		return "–"
	}
	text := fmt.Sprintf("%.1f", 100*a.coverage())
	if a.coverage() < 0.93 || a.coverage() > 0.97 {
		text = "**" + text + "**"
	}
	if a.n < samples {
		text += fmt.Sprintf(" (of %s)", percent(a.n, samples))
	}
	return text
}

// o is the claim in writing.
func (c Claim) o() string {
	switch {
	case c == Claim{}:
		return "O(1)"
	case c.Exponent == 0:
		return "O(log t)"
	}
	p := fmt.Sprintf("t^%.3g", c.Exponent)
	if p == "t^1" {
		p = "t"
	}
	if c.Log == 1 {
		p += " log t"
	}
	return "O(" + p + ")"
}

// measured are the rows of the document.
type measured []calibration

// count returns how many of the verdicts are among v.
func count(verdicts map[Verdict]int, v ...Verdict) (n int) {
	for _, v := range v {
		n += verdicts[v]
	}
	return n
}

// write writes the tables with a line for each row.
func (m measured) write(table *bytes.Buffer) {
	table.WriteString(calibrationRows)
	writeHead(table, "mean", "noise", "replicates", "to", "slope", "exponent covered",
		"drift covered", "increments covered", "limit", "✓", "▲", "△", "0.1 lower ✓", "▲ or △",
		"0.2 lower ✓", "▲ or △")
	for _, c := range m {
		cells := append(c.columns(), fmt.Sprintf("%.2f", c.slope), formatCoverage(c.exponent, c.n),
			formatCoverage(c.drift, c.n), formatCoverage(c.increments, c.n))
		rates := func(known bool, verdicts map[Verdict]int, signs ...[]Verdict) {
			for _, v := range signs {
				if known {
					cells = append(cells, percent(count(verdicts, v...), c.n))
				} else {
					cells = append(cells, "–")
				}
			}
		}
		yes, faster := []Verdict{AtMost}, []Verdict{Above, Slowing}
		limit := "–"
		if c.limit != nil {
			limit = c.limit.o()
		}
		cells = append(cells, limit)
		rates(c.limit != nil, c.limits, yes, faster[:1], faster[1:])
		rates(c.hasLower() && c.limit.Exponent > 0, c.nears, yes, faster)
		rates(c.hasLower(), c.lows, yes, faster)
		writeRow(table, cells...)
	}

	shapes := []Shape{Power, OffsetPower, Logarithmic, Transient, Bounded, Undetermined,
		NonPositive}
	head := []string{"mean", "noise", "replicates", "to", "of the mean"}
	for _, v := range shapes {
		head = append(head, string(v))
	}
	table.WriteString("\n## The rows: shapes\n\n")
	writeHead(table, head...)
	for _, c := range m {
		cells := append(c.columns(), string(c.itself))
		for _, v := range shapes {
			cells = append(cells, percent(c.shapes[v], c.n))
		}
		writeRow(table, cells...)
	}
	table.WriteString("\n")
}

func writePairs(b *bytes.Buffer, replicates []int, m []measurement) {
	fmt.Fprintf(b, calibrationPairs, *tableRepetitions)
	writeHead(b, "pair", "replicates", "final covered", "exponent covered", "P(A<B) covered",
		"found at 5 %", "equivalent within 0.05")
	for i, m := range m {
		writeRow(b, duels[i/len(replicates)].name, fmt.Sprint(replicates[i%len(replicates)]),
			formatCoverage(m.final, *tableRepetitions), formatCoverage(m.exponent, *tableRepetitions),
			fmt.Sprintf("%.1f", 100*m.improvement),
			fmt.Sprintf("%.1f", 100*m.rejected), fmt.Sprintf("%.1f", 100*m.equivalent))
	}
	fmt.Fprint(b, "\n")
}

func writeRuns(b *bytes.Buffer, runs []runRate) {
	fmt.Fprintf(b, calibrationRuns, runs[0].runs)
	columns := []string{"seeds", "replicates", "from", "false alarms", "none open"}
	for _, m := range runModels[:5] {
		columns = append(columns, m.name)
	}
	writeHead(b, columns...)
	for _, g := range runs {
		seeds := "changed"
		if g.paired {
			seeds = "the same"
		}
		cells := []string{seeds, fmt.Sprint(g.replicates), fmt.Sprint(g.from), percent(g.alarms, g.runs),
			percent(g.passes, g.runs)}
		for k := range runModels[:5] {
			cells = append(cells, fmt.Sprintf("%s, %s (%.3f)", percent(g.caught[k], g.curves[k]),
				percent(g.fell[k], g.curves[k]), g.stdErr[k]))
		}
		writeRow(b, cells...)
	}
}

const (
	calibrationRows = rowsHeading + `
*to*: the end of the window, which begins at 10². *Covered*: the coverage of nominal 95 % intervals, bold
outside 93–97. The increments of a sample count if its mean rises in both halves of the window. *Limit*:
the least claim that is true as t → ∞, and how often the verdict on it is ✓ (at most), ▲ (above) and △
(above so far, slowing). *0.1 lower*, *0.2 lower*: the exponent of the claim is lower by so much, the
second also without a logarithm, so that the claim is false.

`
	calibrationPairs = `## Paired comparison

A minus B, from %d repetitions, with common random numbers (shared noise) and
without. *Found*: the p-value of the difference of exponents is at most 0.05. *Equivalent*: the
equivalence test with margin 0.05 rejects at level 0.05. Bold: a coverage outside 93–97.

`
	calibrationRuns = `## The regression test

A run has 24 curves, four of each of the five models below and four of −t + walk
(which has no exponent, so its final values are compared), with 4 checkpoints
a decade to 10⁴ and the margin 0.05. A row is from %d runs. *False alarms*: runs with a regression or a
suspicious curve although only the seed has changed; with the same seeds, every replicate is multiplied by
a geometric walk of 0.05. *None open*: such runs in which a change by the margin is excluded for every
curve. The other columns: how often a rise and a fall of the exponent by 0.1 in one curve are found, and in
brackets the standard error of the difference of exponents.

For a geometric walk of size s in log t that standard error is s·√(2.4/(L·R)) with R
replicates in a window of length L in log t: L = 4.6 for two decades, 6.9 for three.

`
)
