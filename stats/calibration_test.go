package stats

import (
	"bytes"
	"cmp"
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
	name    string
	mean    func(t float64) float64
	verdict Shape  // on the mean itself
	limit   *Claim // the least that is true as t → ∞; nil where that is not known
}

func o(exponent, log float64) *Claim { return &Claim{Exponent: exponent, Log: log} }

var kinds = []kind{
	{"1", func(float64) float64 { return 1 }, Bounded, o(0, 0)},
	{"t^¼", raised(0.25), Power, o(0.25, 0)},
	{"√t", math.Sqrt, Power, o(0.5, 0)},
	{"t^¾", raised(0.75), Power, o(0.75, 0)},
	{"t", raised(1), Power, o(1, 0)},
	{"log t", math.Log, Logarithmic, o(0, 1)},
	{"√t log t", func(t float64) float64 { return math.Sqrt(t) * math.Log(t) }, Power, o(0.5, 1)},
	{"20 + √t", func(t float64) float64 { return 20 + math.Sqrt(t) }, OffsetPower, o(0.5, 0)},
	{"√t − 8", func(t float64) float64 { return math.Sqrt(t) - 8 }, OffsetPower, o(0.5, 0)},
	{"t^¾ − 2√t", func(t float64) float64 { return math.Pow(t, 0.75) - 2*math.Sqrt(t) }, OffsetPower,
		o(0.75, 0)},
	{"t, then √t", func(t float64) float64 { return min(t, math.Sqrt(1000*t)) }, Transient, o(0.5, 0)},
	{"√t, then t", func(t float64) float64 { return max(math.Sqrt(t), t/math.Sqrt(1000)) }, Transient,
		o(1, 0)},
	{"t^0.7, then t^0.2", func(t float64) float64 {
		return min(math.Pow(t, 0.7), math.Sqrt(1000)*math.Pow(t, 0.2))
	}, Transient, o(0.2, 0)},
	{"1 − 9/√t", func(t float64) float64 { return 1 - 9/math.Sqrt(t) }, Transient, o(0, 0)},
	{"1 − 3/√t", func(t float64) float64 { return 1 - 3/math.Sqrt(t) }, Transient, o(0, 0)},
	{"t/(t + 300)", func(t float64) float64 { return t / (t + 300) }, Transient, o(0, 0)},
	{"t/(t + 3000)", func(t float64) float64 { return t / (t + 3000) }, Transient, o(0, 0)},
	{"√t(1 + 0.3 sin 2π log₁₀ t)", periodic(0.3, 1), Transient, o(0.5, 0)},
	{"√t(1 + 0.1 sin 4π log₁₀ t)", periodic(0.1, 2), Transient, o(0.5, 0)},
}

// periodic is √t times a factor that goes up and down so often in a decade.
func periodic(size, often float64) func(t float64) float64 {
	return func(t float64) float64 {
		return math.Sqrt(t) * (1 + size*math.Sin(2*math.Pi*often*math.Log10(t)))
	}
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
	for _, name := range []string{"√t", "log t", "√t log t", "20 + √t", "t^¾ − 2√t",
		"t^0.7, then t^0.2", "t/(t + 3000)"} {
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
	ending, from                float64 // that of its envelope at the end of the window, from here on
	exponent, drift, increments tally   // increments only where the mean rises
	itself                      Shape   // on the mean itself
	verdicts                    map[Shape]int
	within, above               int // of the limit
	tooLow, lowAbove            int // a claim lower by 0.2 in the exponent, or without its logarithm
	nearWithin, nearAbove       int // one lower by 0.1
}

func (r row) calibrate(t testing.TB, repetitions, resamples int) calibration {
	ts := checkpoints(100, r.to)
	half := len(ts) / 2
	drift := r.planted.slope(ts[half:]) - r.planted.slope(ts[:half+1])
	increments := r.increments(ts[:half+1], ts[half:])
	rng := rand.New(rand.NewPCG(r.seed, uint64(r.replicates)))
	c := calibration{row: r, n: repetitions, slope: r.planted.slope(ts), itself: r.itself(t).Shape,
		verdicts: make(map[Shape]int)}
	c.ending, c.from = r.itself(t).End.Exponent.Value, r.itself(t).End.From
	for range repetitions {
		f := mustFit(t, Growth{Window: Window{From: 100}, Resamples: resamples},
			r.draw(rng, ts, r.replicates))
		c.verdicts[f.Shape]++
		if f.Shape != NonPositive {
			c.exponent.add(f.Lower, f.Upper, c.slope)
			c.drift.add(f.Drift.Lower, f.Drift.Upper, drift)
		}
		if !math.IsNaN(f.Increments.Value) && !math.IsNaN(increments) {
			c.increments.add(f.Increments.Lower, f.Increments.Upper, increments)
		}
		if r.limit == nil {
			continue
		}
		switch judged(*r.limit, f) {
		case AtMost:
			c.within++
		case Above:
			c.above++
		}
		switch judged(r.low(), f) {
		case AtMost:
			c.tooLow++
		case Above:
			c.lowAbove++
		}
		switch judged(Claim{r.limit.Exponent - Near, r.limit.Log}, f) {
		case AtMost:
			c.nearWithin++
		case Above:
			c.nearAbove++
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

// The rates in docs/calibration.md, for some rows. Of the 170 bounds here one
// would fail by chance in one of 600 choices of seeds.
func TestCalibration(t *testing.T) { repetitions(t, 8, 40, 100, testCalibration) }

func testCalibration(t *testing.T, n int) {
	for _, r := range rows() {
		if r.heavy || r.noise == "lognormal" || r.replicates == 10 {
			continue
		}
		t.Run(strings.ReplaceAll(r.kind.name, "/", "÷")+"/"+r.noise, func(t *testing.T) {
			t.Parallel()
			c := r.calibrate(t, n, 199)
			if r.verdict != "" && c.itself != r.verdict {
				t.Errorf("the verdict on the mean is %s, want %s", c.itself, r.verdict)
			}
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

// go test ./stats -run CalibrationTable -table 500 -timeout 1h writes
// docs/calibration.md, and -run CalibrationTable/growth one of its four parts.
func TestCalibrationTable(t *testing.T) {
	if *tableRepetitions == 0 {
		t.Skip("-table N writes docs/calibration.md from N repetitions")
	}
	n := *tableRepetitions
	t.Run("growth", func(t *testing.T) {
		all := rows()
		m := make(measured, len(all))
		concurrently(len(all), func(i int) { m[i] = all[i].calibrate(t, n, 499) })
		rewrite(t, 0, m.write)
	})
	t.Run("words", func(t *testing.T) {
		horizons, replicates := []float64{1e3, 1e4, 1e5, 1e6}, []int{5, 20}
		m := make([]map[Verdict]int, len(transients)*len(horizons)*len(replicates)*len(wordNoises))
		concurrently(len(m), func(i int) {
			k, noise := i/len(wordNoises), wordNoises[i%len(wordNoises)]
			k, r := k/len(replicates), replicates[k%len(replicates)]
			m[i] = transients[k/len(horizons)].words(t, horizons[k%len(horizons)], r, n, noise)
		})
		replicates = []int{5, 10, 20, 30}
		ends := make([]ending, len(endMeans)*len(replicates)*len(endNoises))
		concurrently(len(ends), func(i int) {
			k, noise := i/len(endNoises), endNoises[i%len(endNoises)]
			ends[i] = noise.ending(t, endMeans[k/len(replicates)], replicates[k%len(replicates)], n)
		})
		rewrite(t, 1, func(b *bytes.Buffer) {
			writeWords(b, horizons, m)
			writeEnds(b, replicates, ends)
		})
	})
	t.Run("pairs", func(t *testing.T) {
		replicates := []int{10, 20, 50}
		m := make([]measurement, len(duels)*len(replicates))
		concurrently(len(m), func(i int) {
			m[i] = duels[i/len(replicates)].measure(t, replicates[i%len(replicates)], n, 499)
		})
		rewrite(t, 2, func(b *bytes.Buffer) { writePairs(b, replicates, m) })
	})
	t.Run("levels", func(t *testing.T) {
		rows := make([][]falseLeads, len(nulls))
		concurrently(len(rows), func(i int) {
			for _, replicates := range levelReplicates {
				rows[i] = append(rows[i], nulls[i].measure(t, replicates, 10*n))
			}
		})
		rewrite(t, 3, func(b *bytes.Buffer) { writeLevels(b, rows) })
	})
	t.Run("runs", func(t *testing.T) {
		kinds := []runKind{
			{false, 10, 100}, {false, 20, 100}, {false, 50, 100}, {false, 20, 10}, {false, 50, 10},
			{true, 10, 100}, {true, 20, 100}, {true, 50, 100},
		}
		m := make([]runRate, len(kinds))
		concurrently(len(m), func(i int) { m[i] = kinds[i].measure(t, n/4) })
		rewrite(t, 4, func(b *bytes.Buffer) { writeRuns(b, m) })
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

// writeWords writes, of each curve and horizon, the largest and smallest shares of a word over
// the replicates and the noises.
func writeWords(b *bytes.Buffer, horizons []float64, m []map[Verdict]int) {
	fmt.Fprintf(b, calibrationWords, *tableRepetitions)
	head := []string{"mean", "not"}
	for _, T := range horizons {
		head = append(head, "to 10"+string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[int(math.Round(math.Log10(T)))]))
	}
	writeHead(b, head...)
	each := len(m) / len(transients) / len(horizons)
	for k, c := range transients {
		not := Above
		if c.within {
			not = AtMost
		}
		cells := []string{c.name, string(not)}
		for i := range horizons {
			var cell []string
			for _, word := range []Verdict{AtMost, Above} {
				least, most := math.Inf(1), 0.0
				for _, got := range m[(k*len(horizons)+i)*each:][:each] {
					share := 100 * float64(got[word]) / float64(*tableRepetitions)
					least, most = min(least, share), max(most, share)
				}
				cell = append(cell, fmt.Sprintf("%.0f–%.0f", least, most))
			}
			cells = append(cells, strings.Join(cell, "; "))
		}
		writeRow(b, cells...)
	}
	fmt.Fprint(b, "\n")
}

// endMeans are the powers of t of the table on the ends of intervals.
var endMeans = []float64{0, 0.25, 0.5, 0.75}

// An endNoise is one of that table.
type endNoise struct {
	name string
	draw func(rng *rand.Rand, t, y []float64)
}

var endNoises = []endNoise{
	{"walk of 0.02", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.02) }},
	{"walk of 0.1", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.1) }},
	{"walk of 0.3", func(rng *rand.Rand, t, y []float64) { geometric(rng, t, y, 0.3) }},
	{"lognormal", lognormal}, {"Pareto", paretoLevel(2.5)},
}

// An ending counts what the ends of the interval of End.Exponent miss.
type ending struct{ n, below, above, within, said int }

// ending measures n samples of t^p with the noise, in a window of two decades to 10⁴. The exponent
// of the envelope is p. The claim is lower than p by 0.1.
func (z endNoise) ending(t testing.TB, p float64, replicates, n int) (e ending) {
	rng := rand.New(rand.NewPCG(uint64(100*p), uint64(replicates)))
	m := planted{paths: factor(raised(p), z.draw)}
	for range n {
		f := mustFit(t, Growth{Resamples: 399}, m.draw(rng, checkpoints(10, 10000), replicates))
		e.n++
		if f.End.Exponent.Lower > p {
			e.below++
		}
		if f.End.Exponent.Upper < p {
			e.above++
		}
		switch judged(Claim{Exponent: p - Near}, f) {
		case AtMost:
			e.within++
		case Above:
			e.said++
		}
	}
	return e
}

// The ends of the interval that stands beside a verdict. The upper one of 5 replicates with a walk
// of 0.3 misses in more than 5 %, as docs/calibration.md says.
func TestEnds(t *testing.T) { repetitions(t, 10, 40, 200, testEnds) }

func testEnds(t *testing.T, n int) {
	for _, p := range endMeans {
		for _, replicates := range []int{5, 20} {
			for _, z := range endNoises {
				e := z.ending(t, p, replicates, n)
				if tooMany(e.below, n, 0.035) || tooMany(e.above, n, 0.13) ||
					z.name == "walk of 0.02" && tooMany(e.above, n, 0.06) {
					t.Errorf("t^%v with %s, %d replicates: the exponent is below the interval in %d of %d, and "+
						"above in %d", p, z.name, replicates, e.below, n, e.above)
				}
			}
		}
	}
}

func writeEnds(b *bytes.Buffer, replicates []int, ends []ending) {
	fmt.Fprintf(b, calibrationEnds, *tableRepetitions)
	writeHead(b, "mean", "replicates", "exponent below the lower end", "above the upper end",
		"claim 0.1 lower within", "above")
	for i := 0; i < len(ends); i += len(endNoises) {
		cells := []string{fmt.Sprintf("t^%v", endMeans[i/len(endNoises)/len(replicates)]),
			fmt.Sprint(replicates[i/len(endNoises)%len(replicates)])}
		for _, of := range []func(e ending) int{func(e ending) int { return e.below },
			func(e ending) int { return e.above }, func(e ending) int { return e.within },
			func(e ending) int { return e.said }} {
			var rates []string
			for _, e := range ends[i : i+len(endNoises)] {
				rates = append(rates, percent(of(e), e.n))
			}
			cells = append(cells, strings.Join(rates, ", "))
		}
		if endMeans[i/len(endNoises)/len(replicates)] == 0 { // no claim is lower
			cells[4], cells[5] = "–", "–"
		}
		writeRow(b, cells...)
	}
	fmt.Fprint(b, "\n")
}

const (
	calibrationFile = "../docs/calibration.md"
	wordsHeading    = "## Words at several horizons\n"
	pairsHeading    = "## Paired comparison\n"
	runsHeading     = "## The regression test\n"
)

// rewrite replaces a part of docs/calibration.md: what is before the first of the headings, or
// the section of one.
func rewrite(t *testing.T, part int, write func(b *bytes.Buffer)) {
	old, err := os.ReadFile(calibrationFile)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	rest := string(old)
	for _, heading := range []string{wordsHeading, pairsHeading, levelsHeading, runsHeading} {
		before, after, ok := strings.Cut(rest, heading)
		if !ok {
			t.Fatalf("%s has not the heading %q", calibrationFile, heading)
		}
		parts, rest = append(parts, before), heading+after
	}
	parts = append(parts, rest)
	var b bytes.Buffer
	write(&b)
	parts[part] = b.String()
	if err := os.WriteFile(calibrationFile, []byte(strings.Join(parts, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The rows of the document are those that the tests know.
func TestCalibrationIsOfTheseRows(t *testing.T) {
	file, err := os.ReadFile(calibrationFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows() {
		if row := "\n| " + strings.Join(escaped(r.columns()), " | ") + " | "; strings.Count(string(file),
			row) != 2 {
			t.Errorf("%s has the row %q %d times, want 2", calibrationFile, row,
				strings.Count(string(file), row))
		}
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

// covered is a coverage, marked where it is not that of a nominal 95 %, with the
// share of the samples that have the interval.
func covered(a tally, samples int) string {
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

func (m measured) where(keep func(c calibration) bool) measured {
	return slices.DeleteFunc(slices.Clone(m), func(c calibration) bool { return !keep(c) })
}

// of are the rows of these kinds.
func (m measured) of(names ...string) measured {
	return m.where(func(c calibration) bool { return slices.Contains(names, c.kind.name) })
}

// except are the rows of all other kinds.
func (m measured) except(names ...string) measured {
	return m.where(func(c calibration) bool { return !slices.Contains(names, c.kind.name) })
}

func (m measured) rates(rate func(c calibration) float64) []float64 {
	var rates []float64
	for _, c := range m {
		if r := rate(c); !math.IsNaN(r) {
			rates = append(rates, 100*r)
		}
	}
	slices.Sort(rates)
	return rates
}

// from is the range of a rate over the rows.
func (m measured) from(rate func(c calibration) float64) string {
	r := m.rates(rate)
	least, largest := fmt.Sprintf("%.0f", r[0]), fmt.Sprintf("%.0f", r[len(r)-1])
	if least == largest {
		return least
	}
	return least + " to " + largest
}

func (m measured) most(rate func(c calibration) float64) string {
	return fmt.Sprintf("%.1f", slices.Max(m.rates(rate)))
}

func (m measured) average(rate func(c calibration) float64) string {
	r := m.rates(rate)
	sum := 0.0
	for _, v := range r {
		sum += v
	}
	return fmt.Sprintf("%.1f (%.1f to %.1f)", sum/float64(len(r)), r[0], r[len(r)-1])
}

func exponentCovered(c calibration) float64   { return c.exponent.coverage() }
func driftCovered(c calibration) float64      { return c.drift.coverage() }
func incrementsCovered(c calibration) float64 { return c.increments.coverage() }
func calledAbove(c calibration) float64       { return float64(c.above) / float64(c.n) }
func lowWithin(c calibration) float64         { return float64(c.tooLow) / float64(c.n) }
func nearWithin(c calibration) float64        { return float64(c.nearWithin) / float64(c.n) }
func nearAbove(c calibration) float64         { return float64(c.nearAbove) / float64(c.n) }
func called(v ...Shape) func(c calibration) float64 {
	return func(c calibration) float64 {
		n := 0
		for _, v := range v {
			n += c.verdicts[v]
		}
		return float64(n) / float64(c.n)
	}
}

func (m measured) write(b *bytes.Buffer) {
	say := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	noise := func(names ...string) func(c calibration) bool {
		return func(c calibration) bool { return slices.Contains(names, c.noise) }
	}
	light := func(c calibration) bool { return !c.heavy && c.noise != "game" }
	to := func(to float64) func(c calibration) bool {
		return func(c calibration) bool { return c.to == to }
	}
	games := func(to float64, words string) measured {
		return m.where(func(c calibration) bool {
			return c.noise == "game" && c.to == to && strings.HasPrefix(c.kind.name, words)
		})
	}
	stdErr := func(rate float64) float64 { return 100 * math.Sqrt(rate*(1-rate)/float64(m[0].n)) }

	lost := m.where(func(c calibration) bool { return c.exponent.n < c.n })
	worst := slices.MinFunc(m, func(a, b calibration) int {
		return cmp.Compare(a.exponent.n, b.exponent.n)
	})
	say(calibrationIntroduction, m[0].n, stdErr(0.95), stdErr(0.025), stdErr(0.5),
		len(lost), len(m), 100-100*float64(worst.exponent.n)/float64(worst.n), worst.kind.name,
		worst.replicates, populationSize())
	regular := m.where(light).where(func(c calibration) bool { return c.exponent.n == c.n })
	say(calibrationCoverage,
		regular.average(exponentCovered), regular.average(driftCovered),
		regular.average(incrementsCovered),
		m.of("√t/2 + walk").from(exponentCovered),
		m.where(noise("Pareto")).average(exponentCovered),
		m.where(noise("Pareto 1.5")).average(exponentCovered),
		m.of("t: sum of Pareto 1.5").average(exponentCovered),
		m.of("t^p, p normal(½, 0.1²)").from(exponentCovered),
		m.of("√t, one in five t/10").from(exponentCovered),
		m.of("√t, one in twenty t/10").from(exponentCovered),
		games(1e4, "primal-dual").from(exponentCovered),
		games(1e4, "penalised-ftrl, c = 0.75").from(exponentCovered),
		games(1e4, "penalised-ftrl, c = 1").from(exponentCovered),
		games(1e5, "primal-dual").from(exponentCovered),
		games(1e5, "penalised-ftrl").from(exponentCovered))

	limits := m.where(func(c calibration) bool { return c.limit != nil })
	keeping := limits.where(calibration.keeps)
	say(calibrationClaims, keeping.where(light).most(calledAbove),
		keeping.where(func(c calibration) bool { return !light(c) }).most(calledAbove))
	rarely := []string{"√t, one in five t/10", "√t, one in twenty t/10"}
	listed := make(map[string]bool)
	for _, c := range limits.where(func(c calibration) bool { return c.to == 1e4 && !c.keeps() }) {
		if !listed[c.kind.name] {
			listed[c.kind.name] = true
			say("  - *%s*, slope %.2f, %s: in %s\n", c.kind.name, c.slope, c.limit.o(),
				limits.of(c.kind.name).where(to(1e4)).from(calledAbove))
		}
	}
	lower := limits.where(calibration.hasLower)
	const falls = "√t(1 + 0.3 sin 2π log₁₀ t)"
	exact := m.of("t^¼", "√t", "t^¾", "t")
	say(calibrationLower, exact.where(noise("quiet walk")).from(nearAbove),
		exact.where(noise("walk")).where(to(1e4)).from(nearAbove),
		exact.where(noise("lognormal")).from(nearAbove), exact.where(light).most(nearWithin),
		lower.of("20 + √t").most(lowWithin), lower.of("√t, then t").most(lowWithin),
		lower.of(rarely...).most(lowWithin), lower.of(falls).most(lowWithin), falls,
		lower.except(append(rarely, "20 + √t", "√t, then t", falls)...).most(lowWithin))
	writeHead(b, "mean", "noise", "replicates", "to", "slope", "exponent covered", "drift covered",
		"increments covered", "limit", "within", "above", "0.1 lower within", "above", "0.2 lower within",
		"above")
	for _, c := range m {
		cells := append(c.columns(), fmt.Sprintf("%.2f", c.slope), covered(c.exponent, c.n),
			covered(c.drift, c.n), covered(c.increments, c.n))
		switch {
		case c.limit == nil:
			cells = append(cells, "–", "–", "–", "–", "–", "–", "–")
		case !c.hasLower():
			cells = append(cells, c.limit.o(), percent(c.within, c.n), percent(c.above, c.n), "–", "–", "–",
				"–")
		default:
			near := []string{"–", "–"}
			if c.limit.Exponent > 0 {
				near = []string{percent(c.nearWithin, c.n), percent(c.nearAbove, c.n)}
			}
			cells = append(cells, c.limit.o(), percent(c.within, c.n), percent(c.above, c.n), near[0],
				near[1], percent(c.tooLow, c.n), percent(c.lowAbove, c.n))
		}
		writeRow(b, cells...)
	}

	powers := m.of("t^¼", "√t", "t^¾", "t").where(light)
	kinks := m.of("t, then √t", "√t, then t")
	periodics := m.where(func(c calibration) bool { return strings.Contains(c.kind.name, "sin") })
	say(calibrationShapes,
		powers.most(called(OffsetPower)), powers.most(called(Transient)),
		powers.most(called(Logarithmic)), powers.most(called(Bounded)),
		m.of("1").where(light).most(called(Power, OffsetPower, Logarithmic, Transient)),
		m.of("log t").where(noise("quiet walk")).from(called(Logarithmic)),
		m.of("log t").where(noise("walk", "lognormal", "Pareto")).from(called(Logarithmic)),
		m.of("√t log t").from(called(OffsetPower)),
		m.of("20 + √t").from(called(OffsetPower)), m.of("√t − 8").from(called(OffsetPower)),
		m.of("t^¾ − 2√t").from(called(OffsetPower)),
		kinks.from(called(Transient)), kinks.from(called(OffsetPower)),
		m.of("t^0.7, then t^0.2").from(called(Logarithmic)),
		m.of("t^0.7, then t^0.2").from(called(Transient)),
		m.of("1 − 9/√t").from(called(Transient)), m.of("t/(t + 300)").from(called(Transient)),
		m.of("t/(t + 3000)").from(called(Transient)), m.of("1 − 3/√t").from(called(Transient)),
		m.of("1 − 3/√t").from(called(Power)), m.of("t/(t + 3000)").from(called(OffsetPower)),
		m.of("maximum of a reflected walk").from(called(Power)),
		m.of("maximum of a reflected walk").from(called(Logarithmic)),
		m.of(rarely...).from(called(Transient)),
		periodics.where(noise("quiet walk")).from(called(Transient)),
		periodics.where(noise("walk", "lognormal", "Pareto")).from(called(Transient)),
		periodics.from(called(Power)))
	verdicts := []Shape{Power, OffsetPower, Logarithmic, Transient, Bounded, Undetermined,
		NonPositive}
	head := []string{"mean", "noise", "replicates", "to", "of the mean"}
	for _, v := range verdicts {
		head = append(head, string(v))
	}
	writeHead(b, head...)
	for _, c := range m {
		cells := append(c.columns(), string(c.itself))
		for _, v := range verdicts {
			cells = append(cells, percent(c.verdicts[v], c.n))
		}
		writeRow(b, cells...)
	}
	fmt.Fprint(b, "\n")
}

func writePairs(b *bytes.Buffer, replicates []int, m []measurement) {
	fmt.Fprintf(b, calibrationPairs, *tableRepetitions)
	writeHead(b, "pair", "replicates", "final covered", "exponent covered", "P(A<B) covered",
		"found at 5 %", "equivalent within 0.05")
	for i, m := range m {
		writeRow(b, duels[i/len(replicates)].name, fmt.Sprint(replicates[i%len(replicates)]),
			covered(m.final, *tableRepetitions), covered(m.exponent, *tableRepetitions),
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
	calibrationIntroduction = `# Calibration of package stats

How often is the interval of an exponent right, and the word for a shape, and the
word for a claim? It is measured on curves whose mean is known, with fixed seeds.
` + "`go test ./stats -run CalibrationTable -table 500 -timeout 1h`" + ` measures it anew, in
about ten minutes of CPU time; each section says how many repetitions it has. The
sentences have their rates from the rows of the tables. A sentence holds for the
rows that it names, and for no other curve.

A row on coverage, claims and shapes is from %d repetitions. A rate near 95 %% has a
standard error of %.1f points, one near 2.5 %% of %.1f and one near 50 %% of %.1f; the
least and the largest of many rates lie further apart than the true ones. There are
16 checkpoints a decade in the window, which is from 10² to the column *to*, and a
bootstrap has 499 samples. All rates are per cent.

## What an interval is about

An exponent estimates the **slope in the window**: that of the least-squares line
through the log of the true mean over log t, at the checkpoints of the window. An
interval covers if it contains this slope, whether or not the mean is a power law.

A theorem claims a **limit**, O(t^ρ log^ℓ t) as t → ∞. No interval covers it: the
slope of t/(t + 3000) between 10² and 10⁴ is 0.71, and its limit is O(1).

Coverage is **conditional on a positive mean**. A sample whose mean is not positive
throughout the window has no interval, and is not counted. Where this happens, the
table has the share of the samples that are counted in brackets. %d of %d rows lost
some, at worst %.0f %% of them (*%s*, %d replicates).

An interval does not cover

- the exponent before the window or after it, or that of a single path;
- several exponents at once: each interval is right by itself, and of a hundred
  some are wrong;
- a mean that is carried by paths which most samples do not have: see the rows
  with rare paths below;
- a window that was chosen by its result, or replicates that depend on each other.

Windows of other lengths, other checkpoints, and fewer than 10 or more than 30
replicates are not measured here; the comment of package stats has 3 to 50
replicates of ten models.

## The rows

The noises multiply the mean and have mean one:

- *walk*: a geometric Brownian walk in log t; its logarithm has the standard
  deviation 0.2·√(log t), 0.6 at 10⁴.
- *quiet walk*: the same with a quarter of the standard deviation.
- *lognormal*: a random level for each replicate (0.5) and independent noise at
  each checkpoint (0.33).
- *Pareto*: the walk times a random level for each replicate, with a tail of index
  2.5, so that a few replicates dominate the mean. *Pareto 1.5*: the same with
  index 1.5, so that the variance is infinite.

Without a noise: paths of a random walk with increments of variance 1, functions of
them, a bounded process, rare paths, and sums of increments with a Pareto tail. The
reflected walk has the drift −0.05, and the limit 10·log t of its maximum.

*Game*: algorithms with their default parameters on the paper's Example
(decaying-frequency), *soft* and *penalty* violation, in the setting of the README
(30 replicates, two decades) and of the experiment rates (20, three decades). The
replicates are drawn, with replacement, from %d games played for this table, and the
true mean is the mean of these games. The maximum of the reflected walk is drawn in
the same way. The limit of a game is the bound of the paper's Theorem 2, where that
is about it.
`
	calibrationCoverage = `
## Coverage and claims

Coverage of the nominal 95 %% intervals of the exponent, of its drift between the
halves of the window, and of the exponent of the increments. Bold: outside 93–97.
Averages over rows, with the least and the largest:

- Rows without rare replicates, games left out, whose mean is positive in all samples:
  the exponent %s, the drift %s, the
  increments %s. The hull is the longer of two intervals, and with
  few replicates a little longer than necessary.
- *√t/2 + walk*, whose mean is positive in some samples only: %s. These have resamples
  without a positive mean, and most of their intervals are infinite.
- *Pareto*: the exponent %s. The replicates with the largest weight are
  too rare for a good estimate of their spread.
- Infinite variance: *Pareto 1.5* %s, the sum of such increments
  %s.
- Rare paths: *t^p, p normal* %s; one path in five linear %s; one in
  twenty %s. A sample may have too few of these paths, or none. The fit warns
  where few replicates are half of the mean, and cannot warn of what it has not
  seen.
- Games in the setting of the README: primal-dual %s, penalised-ftrl with
  c = 0.75 %s, with c = 1 %s. In that of rates: primal-dual %s,
  penalised-ftrl %s. With c = 1 a few games carry the mean of
  penalised-ftrl.
- The increments of a sample are counted if its mean rises in both halves of the
  window. Where the true mean does not rise they have no exponent: –.
`
	calibrationClaims = `
*Limit*: the least claim that is true as t → ∞. *Within* and *above*: how often that
claim is called so, by itself. The program corrects
all claims of an experiment together, and says above less often. The other samples
are open. *0.1 lower* and *0.2 lower*: the exponent of the claim is lower by so much, the
second without a logarithm, and false. What is above in the first is the power against an exponent
of the claim and 0.1; within is nominally 5 there, where the mean is a power of t.

- Where the mean keeps the true claim at the end of the window (its envelope has at most
  the exponent of the claim there, plus 0.02), the claim is called above in at most %s
  without rare replicates, and in at most %s with Pareto noise, rare paths or in games.
- Where it does not, the word above is right of the window and wrong of the limit.
  By itself it refutes no theorem. Measured to 10⁴, over the noises:
`
	calibrationLower = `- The power of the word above against t^¼ … t whose claim is 0.1 lower, without rare replicates,
  is %s with the quiet walk, %s with the walk and %s with the lognormal noise: 10
  replicates with much noise hardly see 0.1. Such a claim is called within in at most %s.
- A claim that is 0.2 lower, which is false, is called within where the exponent at the end of the
  window is lower than the limit, or noise or the lack of rare paths hides that it rises: in
  at most %s of *20 + √t*, %s of *√t, then t*, %s of rare linear paths, %s of
  *%s*, which falls at the end of the window, and %s of the
  other rows.

`
	calibrationWords = wordsHeading + `
What is said of O(√t) in a window of two decades to 10³ … 10⁶. In each cell the least and the
largest percentage of samples, over 5 and 20 replicates and three sizes of noise (a geometric
walk of 0.02, 0.1 and 0.3 in log t), that are called within; and above. *Not*: the word that is
wrong. For curves of the order √t it is above, for those that grow faster at the end of the
window it is within. Each share is of %d samples.

A multiplier that has to grow, or a burn-in, is a part A·√τ·(1 − exp(−t/τ)) beside √t, or a kink.
These have come to √t at the end of the window, and are not called above. Two other curves of the
order √t have a larger exponent there, and are: one that is linear to T/4 and turns to √t slowly
(the exponent at T is 0.67), and one that goes up and down about √t with log t and has a peak at
T. No window shows how they go on. √t·log t has the exponent ½ + 1/log t, 0.57 at 10⁶, and is
within where noise hides that this is above ½.

`
	calibrationEnds = `The interval that stands beside a verdict is that of the exponent at the end of the window. Its lower
end is nominally missed in 2.5 %% and its upper end in 5 %%. Each cell has five noises: the geometric
walk of 0.02, 0.1 and 0.3, the lognormal noise and Pareto. Each rate is of %d samples of two
decades to 10⁴. The claim is 0.1 lower than the exponent, so that within is nominally 5 and above
is the power. With the walk of 0.3 and with Pareto the upper end is missed twice as often as it
should be, with 5 replicates and with 30: the bound is somewhat short where the noise is skewed. A
longer one, that of the hull, is right there (4 to 8 at 5 %%), and infinite for a third of the
samples of a level, whose resamples are flat.

`
	calibrationShapes = `
## Shapes

How often each word is given. *Of the mean*: the word for the mean itself, without
noise. Power means that no other shape is shown, so that it is the word wherever
noise hides the shape. Every word is about the window.

- The power laws t^¼ to t without rare replicates are called offset-power in at most
  %s, transient in %s, logarithmic in %s, and bounded in %s. The
  constant mean is called one of growth in at most %s.
- log t is called logarithmic in %s with the quiet walk, and in %s with the
  other noises: over two decades it has the curvature of t^0.15 with an exponent
  that drifts by 0.05.
- √t log t is called offset-power in %s.
- The offset of 20 + √t is found in %s, that of √t − 8 in %s. The mean
  t^¾ − 2√t is called offset-power in %s.
- A kink (*t, then √t* and the reverse) is called transient in %s, and
  offset-power in %s, which it is close to.
- *t^0.7, then t^0.2* is called logarithmic in %s, and transient in %s.
- A mean that tends to a level is called transient: *1 − 9/√t* in %s, *t/(t +
  300)* in %s, *t/(t + 3000)* in %s, *1 − 3/√t* in %s. So the word
  transient does not tell a level from another change of the exponent. *1 − 3/√t* is called power in %s, and *t/(t +
  3000)* offset-power in %s.
- The maximum of a reflected walk, a logarithm in the limit, is called power in
  %s and logarithmic in %s.
- Rare linear paths are found (transient) in %s.
- A mean that goes up and down about √t with log t is called transient in %s with the quiet
  walk. With the other noises it is in %s, and power in %s of all.

`
	calibrationPairs = `## Paired comparison

A minus B, from %d repetitions, with common random numbers (shared noise) and
without. *Found*: the p-value of the difference of exponents is at most 0.05. This
is the rate of false alarms where A and B are alike, and the power elsewhere.
*Equivalent*: the equivalence test with margin 0.05 rejects at level 0.05. This is
its power where A and B are alike, and an error where the difference is 0.05
(5 %% allowed) or 0.1.

`
	calibrationRuns = `## The regression test

A run has 24 curves, four of each of the five models below and four of −t + walk
(which has no exponent, so its final values are compared). There are 4 checkpoints
a decade from 10² (or 10) to 10⁴, the margin is the default 0.05, and a row is from
%d runs.

- *False alarms*: runs with a regression or a suspicious curve although only the
  seed has changed. With the same seeds, every replicate is multiplied by a geometric
  walk of 0.05 instead.
- *None open*: such runs in which a change by the margin is excluded for every curve.
- The other columns: how often a rise and a fall of the exponent by 0.1 in one curve
  are called a regression and suspicious among the 24, and in brackets the standard
  error of the difference of exponents.

For a geometric walk of size s in log t that standard error is s·√(2.4/(L·R)) with R
replicates in a window of length L in log t: L = 4.6 for two decades, 6.9 for three.
With the same seeds the common noise cancels.

`
)
