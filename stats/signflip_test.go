package stats

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pairsOf returns two curves whose final values differ by these differences.
func pairsOf(differences []float64) (a, b Curve) {
	a, b = Curve{T: []float64{1, 2}}, Curve{T: []float64{1, 2}}
	for _, d := range differences {
		a.Y, b.Y = append(a.Y, []float64{0, d}), append(b.Y, []float64{0, 0})
	}
	return a, b
}

func compareDifferences(t testing.TB, differences ...float64) Comparison {
	t.Helper()
	a, b := pairsOf(differences)
	return mustCompare(t, Growth{Resamples: 499}, a, b)
}

// Counted by hand. Of 1, 2, 4 only +++ and −−− reach the size 7: p = 2/8. Of 1, 2, −1 the sum
// is 2, and of the eight sums ±1 ± 2 ± 1 six have the size 2 or 4: 4, 2, 2, −2, −2, −4, 0, 0.
// Five equal ones have p = 2/32, six 2/64. Of −1, 2, 3, 4, 5, 6 the sum is 19: sizes of at
// least 19 have 21 (all alike) and 19 (only the 1 turned), p = 4/64. Zeros do not count: 1, 1, 1
// and seven zeros have p = 2/8.
func TestSignFlipsByHand(t *testing.T) {
	for _, test := range []struct {
		differences []float64
		p           float64
	}{
		{[]float64{1, 2, 4}, 2.0 / 8},
		{[]float64{1, 2, -1}, 6.0 / 8},
		{[]float64{3, 3, 3}, 2.0 / 8},
		{[]float64{-2, -2, -2, -2, -2}, 2.0 / 32},
		{[]float64{7, 7, 7, 7, 7, 7}, 2.0 / 64},
		{[]float64{-1, 2, 3, 4, 5, 6}, 4.0 / 64},
		{[]float64{0.1, 0.2, -0.3, 0.1, 0.1, -0.2}, 1},
		{[]float64{0, 1, 0, 0, 1, 0, 0, 1, 0, 0}, 2.0 / 8},
		{[]float64{0, 0, 0}, 1},
		{[]float64{1, 1 + 1e-16, 1 - 1e-16}, 2.0 / 8},
	} {
		if c := compareDifferences(t, test.differences...); c.Final.P() != test.p {
			t.Errorf("%v: p = %v, want %v", test.differences, c.Final.P(), test.p)
		}
		if joint := JointFlips([][]float64{test.differences}); joint[0] != test.p {
			t.Errorf("%v by itself: p = %v, want %v", test.differences, joint[0], test.p)
		}
	}
	// Rounding errors are no difference, however often they have one sign.
	a, b := pairsOf([]float64{1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15, 1e-15})
	for r := range a.Y {
		a.Y[r][1], b.Y[r][1] = 10+a.Y[r][1], 10
	}
	if c := mustCompare(t, Growth{}, a, b); c.Final.P() != 1 {
		t.Errorf("rounding errors have p = %v, want 1", c.Final.P())
	}
}

// At 95 % the interval of fewer than 6 pairs is unbounded, that of 6 reaches from the least to
// the largest difference, and that of equal ones, which show no spread, is unbounded for any
// number. Nothing is as long as the reciprocal of a rounding error.
func TestSignFlipIntervalsAreUnboundedBelowSixPairs(t *testing.T) {
	inf := math.Inf(1)
	nearly := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 + 1e-9}
	for _, test := range []struct {
		differences  []float64
		lower, upper float64
	}{
		{[]float64{1, 2, 3}, -inf, inf},
		{[]float64{4, 4, 4, 4}, -inf, inf},
		{[]float64{1, 2, 3, 4, 5}, -inf, inf},
		{[]float64{5, 1, 2, 3, 4, 9}, 1, 9},
		{[]float64{4, 4, 4, 4, 4, 4, 4}, -inf, inf},
		{slices.Repeat([]float64{-3}, 15), -inf, inf},
		{slices.Repeat([]float64{0}, 3), 0, 0},
		{append(slices.Repeat([]float64{10}, 11), 10.5), -inf, inf},
		{append(slices.Repeat([]float64{-10}, 11), -10.5), -inf, inf},
	} {
		f := compareDifferences(t, test.differences...).Final
		if math.IsInf(test.lower, -1) != math.IsInf(f.Lower, -1) && len(test.differences) < 12 ||
			test.upper != inf && (f.Lower != test.lower || f.Upper != test.upper) {
			t.Errorf("%v: [%v, %v], want [%v, %v]", test.differences, f.Lower, f.Upper, test.lower,
				test.upper)
		}
		if math.Abs(f.Lower) > 1e6 && !math.IsInf(f.Lower, 0) ||
			math.Abs(f.Upper) > 1e6 && !math.IsInf(f.Upper, 0) {
			t.Errorf("%v: got [%v, %v], want ends below 1e6 or infinite", test.differences, f.Lower, f.Upper)
		}
	}
	if f := compareDifferences(t, nearly...).Final; f.P() > 0.05 && f.Lower > 0 {
		t.Errorf("got %+v with p = %v, want no interval above 0", f.Estimate, f.P())
	}
	for confidence, want := range map[float64]int{0.5: 2, 0.9: 5, 0.95: 6, 0.99: 8} {
		if got := LeastPairs(confidence); got != want {
			t.Errorf("%d pairs are needed at %v, want %d", got, confidence, want)
		}
	}
}

// bruteFlips returns the p-value of the differences less x, by trying all signs.
func bruteFlips(d []float64, x float64) float64 {
	observed := 0.0
	for _, v := range d {
		observed += v - x
	}
	count := 0
	for flip := range 1 << len(d) {
		sum := 0.0
		for r, v := range d {
			if flip>>r&1 == 1 {
				sum -= v - x
			} else {
				sum += v - x
			}
		}
		if math.Abs(sum) >= math.Abs(observed)-1e-9 {
			count++
		}
	}
	return float64(count) / float64(int(1)<<len(d))
}

// The test and its interval against all 2ⁿ signs: with integers, which have many ties, and
// with others. What lies in the interval is not rejected, and what lies outside is.
func TestSignFlipsAgreeWithTheirTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		d := make([]float64, 2+rng.IntN(9))
		for r := range d {
			if d[r] = rng.NormFloat64() + 0.8; len(d)%2 == 0 {
				d[r] = math.Round(2 * d[r])
			}
		}
		f := newFlipped(d, 1e-12)
		p := Difference{f.widened(math.Inf(1), math.Inf(-1), 0.95), nil, f}
		if want := bruteFlips(d, 0); !near(p.P(), want, 1e-12) {
			t.Errorf("%v: p = %v, want %v", d, p.P(), want)
		}
		for _, x := range []float64{p.Lower - 1e-6, p.Lower + 1e-6, p.Upper - 1e-6, p.Upper + 1e-6} {
			inside := p.Lower <= x && x <= p.Upper
			if brute := bruteFlips(d, x); !math.IsInf(x, 0) && (brute > 0.05) != inside {
				t.Errorf("%v: got [%v, %v], and p = %[5]v of %[4]v, want it inside exactly if p > 0.05", d,
					p.Lower, p.Upper, x, brute)
			}
		}
	}
}

// With drawn flips, of which some turn nothing, the interval has the centres that neither tail
// rejects: its ends are not rejected, and what is a little outside is.
func TestDrawnIntervalsEndWhereTailsReject(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	bounded := 0
	for game := range 400 {
		f := flipped{empty: rng.IntN(5) * (game % 2)}
		for range 20 + rng.IntN(300) {
			f.means = append(f.means, math.Round(100*rng.NormFloat64())/10)
		}
		confidence := []float64{0.5, 0.9, 0.95, 0.99}[game/2%4]
		slices.Sort(f.means)
		sorted := f.means
		accepted := func(x float64) bool {
			below, above := 1+f.empty, 1+f.empty
			for _, v := range sorted {
				if v <= x {
					below++
				}
				if v >= x {
					above++
				}
			}
			least := (1 - confidence) / 2 * float64(1+len(sorted)+f.empty)
			return float64(min(below, above)) > least+1e-9
		}
		e := f.widened(math.Inf(1), math.Inf(-1), confidence)
		if math.IsInf(e.Lower, -1) != accepted(sorted[0]-1) ||
			math.IsInf(e.Upper, 1) != accepted(sorted[len(sorted)-1]+1) {
			t.Fatalf("%d of %d flips turn nothing, %v: got [%v, %v], want an infinite end exactly if all "+
				"is accepted", f.empty, len(sorted), confidence, e.Lower, e.Upper)
		}
		if math.IsInf(e.Lower, -1) {
			continue
		}
		bounded++
		if !accepted(e.Lower) || accepted(e.Lower-0.01) || !accepted(e.Upper) || accepted(e.Upper+0.01) {
			t.Fatalf("%d of %d flips turn nothing, %v: got [%v, %v], want the ends of what is accepted",
				f.empty, len(sorted), confidence, e.Lower, e.Upper)
		}
		wide := f.widened(sorted[0]-2, sorted[len(sorted)-1]+2, confidence) // which contains both
		if wide.Lower != sorted[0]-2 || wide.Upper != sorted[len(sorted)-1]+2 {
			t.Fatalf("a larger interval becomes [%v, %v], want itself", wide.Lower, wide.Upper)
		}
	}
	if bounded < 200 {
		t.Errorf("%d intervals are bounded, want 200", bounded)
	}
}

// bruteJoint follows the step-down procedure as the text says it: a family for each row, the
// largest statistic of it, Student's t in place of T, which orders flips alike.
func bruteJoint(rows [][]float64) []float64 {
	student := func(row []float64, flip int) float64 {
		sum, squares, n := 0.0, 0.0, 0.0
		for r, v := range row {
			if math.IsNaN(v) {
				v = 0
			}
			if flip>>r&1 == 1 {
				v = -v
			}
			sum, squares, n = sum+v, squares+v*v, n+1
		}
		rest := squares - sum*sum/n
		if squares == 0 {
			return 0
		}
		if rest < 1e-12*squares {
			return 1e9
		}
		return math.Abs(sum) / math.Sqrt(rest)
	}
	out := make([]float64, len(rows))
	for j := range rows {
		for i := range rows { // the largest over the rows i whose statistic is no less
			if student(rows[i], 0) < student(rows[j], 0)-1e-9 {
				continue
			}
			count := 0
			for flip := range 1 << len(rows[j]) {
				for k := range rows { // the family of i
					if student(rows[k], 0) <= student(rows[i], 0)+1e-9 &&
						student(rows[k], flip) >= student(rows[i], 0)*(1-1e-9) {
						count++
						break
					}
				}
			}
			out[j] = max(out[j], float64(count)/float64(int(1)<<len(rows[j])))
		}
	}
	return out
}

// Joint flips against the procedure written down; a row that stands thrice counts once, as does
// its negative; and the order of the replicates has no effect.
func TestJointFlipsAgreeWithTheirTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		n := 3 + rng.IntN(6)
		rows := make([][]float64, 1+rng.IntN(5))
		for j := range rows {
			for range n {
				v := rng.NormFloat64() + float64(j)/2
				if len(rows) == 3 {
					v = math.Round(v)
				}
				rows[j] = append(rows[j], v)
			}
		}
		if n > 4 {
			rows[0][1] = math.NaN()
		}
		got, want := JointFlips(rows), bruteJoint(rows)
		for j := range rows {
			if !near(got[j], want[j], 1e-12) {
				t.Errorf("%v: p = %v, want %v", rows, got, want)
			}
			if alone := JointFlips(rows[j : j+1])[0]; alone > got[j] {
				t.Errorf("row %d of %v: got %v, want at least %v as by itself", j, rows, got[j], alone)
			}
		}
		negated := slices.Clone(rows[0])
		for r := range negated {
			negated[r] = -negated[r]
		}
		again := JointFlips(slices.Concat(rows, rows[:1], rows[:1], [][]float64{negated}))
		if !slices.Equal(again[:len(rows)], got) || again[len(rows)] != got[0] {
			t.Errorf("%v with the first row four times: got p = %v, want %v", rows, again, got)
		}
	}
	many := make([][]float64, 4)
	for j := range many {
		for range 20 {
			many[j] = append(many[j], rng.NormFloat64()+float64(j)/3)
		}
	}
	p := JointFlips(many)
	for j := range many {
		slices.Reverse(many[j])
	}
	if again := JointFlips(many); !slices.Equal(again, p) {
		t.Errorf("p = %v, backwards %v, want the same", p, again)
	}
	for _, rows := range [][][]float64{nil, {{1}}, {{math.NaN(), 3, math.NaN()}}} {
		for _, p := range JointFlips(rows) {
			if !math.IsNaN(p) {
				t.Errorf("%v has p = %v, want NaN", rows, p)
			}
		}
	}
}

// Six replicates suffice for any number of rows whose differences all have one sign. Holm would
// ask for 15 of 560 rows.
func TestSixReplicatesSufficeForManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	rows := make([][]float64, 560)
	for j := range rows {
		for range LeastPairs(0.95) {
			rows[j] = append(rows[j], 1+0.001*rng.NormFloat64())
		}
	}
	if p := slices.Max(JointFlips(rows)); p != 2.0/64 {
		t.Errorf("the largest p-value is %v, want 2/64", p)
	}
}

// With 12 replicates or more flips are drawn: their p-values are near those of all flips.
func TestDrawnFlipsAreNearAllFlips(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 5 {
		var row []float64
		for range 13 {
			row = append(row, rng.NormFloat64())
		}
		want := bruteFlips(row, 0)
		if got := JointFlips([][]float64{row})[0]; !near(got, want, 6*math.Sqrt(want/1e4)) {
			t.Errorf("p = %v of drawn flips, want near %v, that of all", got, want)
		}
	}
}

// A null has differences of mean 0.
type null struct {
	name      string
	symmetric bool
	draw      func(rng *rand.Rand) float64
}

func sign(rng *rand.Rand) float64 { return float64(2*rng.IntN(2) - 1) }

var nulls = []null{
	{"±1", true, sign},
	{"−2, −1, 0, 1, 2", true, func(rng *rand.Rand) float64 { return float64(rng.IntN(5) - 2) }},
	{"0 in 80 %, else ±1", true, func(rng *rand.Rand) float64 {
		if rng.Float64() < 0.8 {
			return 0
		}
		return sign(rng)
	}},
	{"±1 with noise of 0.001", true,
		func(rng *rand.Rand) float64 { return sign(rng) * (1 + 0.001*rng.NormFloat64()) }},
	{"normal", true, (*rand.Rand).NormFloat64},
	{"Student, 2 degrees", true,
		func(rng *rand.Rand) float64 { return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) }},
	{"Cauchy", true, func(rng *rand.Rand) float64 { return rng.NormFloat64() / rng.NormFloat64() }},
	{"normal, ±100 in 5 %", true, func(rng *rand.Rand) float64 {
		if rng.Float64() < 0.05 {
			return 100 * sign(rng)
		}
		return rng.NormFloat64()
	}},
	{"−1, 19 in 5 %", false, func(rng *rand.Rand) float64 {
		if rng.Float64() < 0.05 {
			return 19
		}
		return -1
	}},
	{"lognormal, σ = 1", false,
		func(rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64()) - math.Exp(0.5) }},
	{"lognormal, σ = 1.5", false,
		func(rng *rand.Rand) float64 { return math.Exp(1.5*rng.NormFloat64()) - math.Exp(1.125) }},
	{"exponential", false, func(rng *rand.Rand) float64 { return rng.ExpFloat64() - 1 }},
	{"normal, mean 1", false, func(rng *rand.Rand) float64 { return rng.NormFloat64() + 1 }},
	// no null
}

// levelReplicates are those of the table.
var levelReplicates = []int{3, 5, 10, 20, 30}

// A rate of false leads, and how many of them have a warning.
type falseLeads struct{ n, leads, warned int }

func (d null) measure(t testing.TB, replicates, repetitions int) (f falseLeads) {
	rng := rand.New(rand.NewPCG(71, uint64(replicates)))
	for range repetitions {
		row := make([]float64, replicates)
		for r := range row {
			row[r] = d.draw(rng)
		}
		c := compareDifferences(t, row...)
		f.n++
		if c.Final.P() > 0.05 {
			continue
		}
		f.leads++
		if slices.ContainsFunc(c.Final.Warnings,
			func(w error) bool { return strings.Contains(w.Error(), "symmetric") }) {
			f.warned++
		}
	}
	return f
}

// Three and five replicates never lead. Where the differences are symmetric the level is held;
// where they are skewed, nine of ten false leads have a warning.
func TestFalseLeadsKeepTheLevel(t *testing.T) { repetitions(t, 60, 160, 1000, testLevels) }

func testLevels(t *testing.T, n int) {
	for _, d := range nulls[:len(nulls)-1] {
		for _, replicates := range []int{3, 5, 6, 10, 12, 20} {
			n := n
			if replicates >= fewPairs { // flips and resamples are drawn
				n /= 4
			}
			f := d.measure(t, replicates, n)
			switch {
			case replicates < 6 && f.leads > 0:
				t.Errorf("%s: got %d leads of %d replicates, want none", d.name, f.leads, replicates)
			case d.symmetric && tooMany(f.leads, n, 0.05):
				t.Errorf("%s, %d replicates: got false leads in %d of %d, want at most 5 %%", d.name,
					replicates, f.leads, n)
			case !d.symmetric && d.name != "exponential" && tooMany(f.leads-f.warned, f.leads, 0.1):
				t.Errorf("%s, %d replicates: got warnings of %d of %d false leads, want at least 90 %%", d.name,
					replicates, f.warned, f.leads)
			}
		}
	}
}

func writeLevels(b *bytes.Buffer, rows [][]falseLeads) {
	worst := 0.0
	for i, row := range rows {
		for _, f := range row {
			if nulls[i].symmetric {
				worst = max(worst, float64(f.leads)/float64(f.n))
			}
		}
	}
	least, most := 1.0, 0.0
	for i, row := range rows[:len(rows)-1] {
		for _, f := range row {
			if strings.Contains(nulls[i].name, "exponential") || nulls[i].symmetric || f.leads == 0 {
				continue
			}
			least = min(least, float64(f.warned)/float64(f.leads))
			most = max(most, float64(f.leads)/float64(f.n))
		}
	}
	fmt.Fprintf(b, calibrationLevels, rows[0][0].n, 100*worst, 100*most, 100*least)
	head := []string{"differences"}
	for _, n := range levelReplicates {
		head = append(head, fmt.Sprint(n))
	}
	writeHead(b, head...)
	for i, row := range rows {
		cells := []string{nulls[i].name}
		for _, f := range row {
			cell := percent(f.leads, f.n)
			if f.leads > 0 {
				cell += fmt.Sprintf(" (%.0f)", 100*float64(f.warned)/float64(f.leads))
			}
			cells = append(cells, cell)
		}
		writeRow(b, cells...)
	}
	fmt.Fprintf(b, calibrationNeeded, LeastPairs(0.9), LeastPairs(0.95), LeastPairs(0.99))
	fmt.Fprint(b, "\n")
}

const (
	levelsHeading     = "## Leads without a difference\n"
	calibrationLevels = levelsHeading + `
How often is the mean of paired differences, which is 0, called different at 5 %%, in %d
repetitions? In brackets: how many per cent of these false leads have the warning that the differences are
skewed, have few distinct values, or are too few to see a skew. With fewer than 12 pairs the test is
by exact sign flips; from 12 on it is the more conservative of drawn flips and of the hull, with 499
resamples. The hull alone is wrong in 50 %% of the zeros with 3 replicates and in 7.9 %% with 12; the flips
alone in 12 %% of the lognormal ones with 20 replicates, the hull in 7 %%.

- Symmetric differences: at most %.1f. 3, 4 and 5 replicates never lead.
- Skewed differences exceed the level, by up to %.1f: a sample that lacks the rare
  large ones looks like a sure difference. At least %.0f %% of these false leads have a
  warning, in all rows but the exponential one.
- The last row is a true difference.

`
	calibrationNeeded = `
A lead needs at least %d replicates at 90 %%, %d at 95 %% and %d at 99 %%, for any number of rows.
`
)
