package stats

import (
	"cmp"
	"fmt"
	"math"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"

	"ocobench/convex/vec"
)

// Sign flips test whether paired differences have the mean 0.
//
// For one row of differences d₁ … dₙ the test is [flipped]. If both of a pair have the same law,
// given what they have in common, then dᵣ and −dᵣ have the same law, and all 2ⁿ ways to choose the
// signs are equally probable. The test is exact for every n and every symmetric law, and cannot say
// more than p = 2^(1−n) (Fisher). Its interval is the set of the means that it does not
// reject, whose ends are means of subsets of the differences (Hartigan).
//
// For many rows it is [JointFlips]. The signs of all rows are flipped together, so that whatever
// the rows have in common stays, and each row is compared with the largest statistic of all that
// are not yet rejected (Westfall and Young). The smallest p-value is still 2^(1−n), for any
// number of rows.
//
// References: R. A. Fisher, The Design of Experiments, 1935, section 21; J. A. Hartigan, Using
// subsample values as typical values, Journal of the American Statistical Association 64 (1969);
// P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing, 1993, sections 2.6 and 4.2.

const (
	// fewPairs is the number of pairs from which on the flips are drawn. The test of one row is
	// then the more conservative of the flips and the [pivot].
	fewPairs = 12
	// drawnFlips is the number of flips that are drawn.
	drawnFlips = 9999
)

// LeastPairs returns the least number of pairs with which a difference can be significant at a
// confidence, however large the difference and however many rows are tested: the least n with
// 2^(1−n) ≤ 1 − confidence, 6 at 0.95 and 8 at 0.99.
func LeastPairs(confidence float64) int {
	n, p := 1, 1.0
	for p > 1-confidence+1e-12 {
		n, p = n+1, p/2
	}
	return n
}

// LeastForSkew is the least number of pairs whose differences show a tail. With fewer, nobody can
// see whether the differences are symmetric, and a significant p-value has a warning.
const LeastForSkew = 10

// A locationTest returns p-values of hypotheses on a number.
type locationTest interface {
	above(x float64) float64 // of the hypothesis that the number is at most x
	below(x float64) float64 // of the hypothesis that it is at least x
}

// flipped is the sign-flip test of one row of two differences or more.
type flipped struct {
	value, stdErr float64 // the mean of the differences, and its standard error
	rounding      float64 // a difference of at most this counts as 0
	// means holds the means of all 2ⁿ−1 nonempty subsets of the differences or, from fewPairs on,
	// of drawn subsets, in ascending order. empty counts the drawn subsets without a member.
	means []float64
	empty int
}

// newFlipped takes differences of at most rounding for 0. O(2ⁿ), and O(n) times the number of
// drawn flips from fewPairs on.
func newFlipped(differences []float64, rounding float64) flipped {
	d := zeroRounding(differences, rounding)
	slices.Sort(d) // the sums do not depend on the order of the replicates
	f := flipped{rounding: rounding}
	statistic, mean := newMeanStatistic(d)
	f.value, f.stdErr = mean, statistic.stdErrs()[0]
	if len(d) < fewPairs {
		f.means = subsetMeans(d)
	} else {
		f.draw(d)
	}
	slices.Sort(f.means)
	return f
}

// subsetMeans returns the means of all subsets of d that have a member.
func subsetMeans(d []float64) (means []float64) {
	sums, sizes := make([]float64, 1<<len(d)), make([]float64, 1<<len(d))
	for r, v := range d {
		for subset := range 1 << r {
			with := subset | 1<<r
			sums[with], sizes[with] = sums[subset]+v, sizes[subset]+1
			means = append(means, sums[with]/sizes[with])
		}
	}
	return means
}

// draw sets the means to those of drawn subsets, with a seed from the differences.
func (f *flipped) draw(d []float64) {
	src := seeded(nil, [][]float64{d})
	f.means = make([]float64, 0, drawnFlips)
	for range drawnFlips {
		sum, size := 0.0, 0
		for first := 0; first < len(d); first += 64 {
			block := d[first:min(first+64, len(d))]
			drawn := src.Uint64()
			size += mathbits.OnesCount64(drawn << (64 - len(block)))
			for _, v := range block {
				sum += float64(v * float64(drawn&1)) // no branch, which would be guessed wrong
				drawn >>= 1
			}
		}
		if size == 0 {
			f.empty++
		} else {
			f.means = append(f.means, sum/float64(size))
		}
	}
}

// zeroRounding returns a copy of differences in which those of at most rounding are 0.
func zeroRounding(differences []float64, rounding float64) []float64 {
	d := slices.Clone(differences)
	for r, v := range d {
		if math.Abs(v) <= rounding {
			d[r] = 0
		}
	}
	return d
}

// above returns the p-value of the hypothesis that the differences are symmetric about a centre of
// at most x,
//
//	Pr{Σᵣ sᵣ(dᵣ−x) ≥ Σᵣ (dᵣ−x)} = (1 + number of the means of subsets ≤ x) / 2ⁿ,
//
// since flipping the signs of a subset makes the sum no smaller exactly if the mean of the
// subset is at most x.
func (f flipped) above(x float64) float64 {
	return f.pValue(atMost(f.means, x+f.rounding))
}

// below implements [locationTest].
func (f flipped) below(x float64) float64 {
	return f.pValue(atLeast(f.means, x-f.rounding))
}

// pValue returns the p-value of a count of subsets, those without a member included.
func (f flipped) pValue(count int) float64 {
	return float64(1+count+f.empty) / float64(1+len(f.means)+f.empty)
}

// widened returns the value with the smallest interval that contains [lower, upper] and the centres
// that the flips do not reject. An empty interval, with lower = +Inf and upper = −Inf, becomes that
// of the flips alone. The result is unbounded where the pairs are fewer than [LeastPairs].
func (f flipped) widened(lower, upper, confidence float64) Estimate {
	rank := tailRank(len(f.means)+f.empty, confidence) - f.empty
	if rank <= 0 {
		return Estimate{f.value, f.stdErr, math.Inf(-1), math.Inf(1)}
	}
	lower = math.Min(lower, f.means[rank-1])
	upper = math.Max(upper, f.means[len(f.means)-rank])
	return Estimate{f.value, f.stdErr, lower, upper}
}

// strictest is the most conservative of several tests: its p-values are the largest of theirs.
type strictest []locationTest

// above implements [locationTest].
func (s strictest) above(x float64) float64 {
	p := 0.0
	for _, e := range s {
		p = math.Max(p, e.above(x))
	}
	return p
}

// below implements [locationTest].
func (s strictest) below(x float64) float64 {
	p := 0.0
	for _, e := range s {
		p = math.Max(p, e.below(x))
	}
	return p
}

// symmetryWarnings returns why the p-value of differences, which is at most the level, may be too
// small. Sign flips hold their level for symmetric differences. Skewed ones of mean 0 look like a
// difference where the sample lacks the rare large ones: it then has few distinct values, or its
// longer tail points from the mean to 0 and beyond. Fewer than [LeastForSkew] show no tail.
//
//	skewness = Σᵣ (dᵣ−d̄)³/n / (Σᵣ (dᵣ−d̄)²/n)^(3/2),   doubtful if > 0.6·(1 − 10/n) towards 0
func symmetryWarnings(differences []float64, rounding float64) []error {
	d := zeroRounding(differences, rounding)
	slices.Sort(d)
	n := len(d)
	distinct := 1
	for r := 1; r < n; r++ {
		if d[r]-d[r-1] > rounding {
			distinct++
		}
	}
	if distinct <= n/2 {
		return []error{fmt.Errorf("the %d differences have few distinct values, %d: "+
			"the p-value is right only if they are symmetric", n, distinct)}
	}
	if n < LeastForSkew {
		return []error{fmt.Errorf("%d differences are too few to see a skew, which needs %d: "+
			"the p-value is right only if they are symmetric", n, LeastForSkew)}
	}
	centred, mean := newMeanStatistic(d)
	var squares, cubes float64
	for _, e := range centred.deviations {
		squares += float64(e * e)
		cubes += float64(float64(e*e) * e)
	}
	variance := squares / float64(n)
	skew := cubes / float64(n) / float64(variance*math.Sqrt(variance))
	if towards := -math.Copysign(skew, float64(skew*mean)); towards > float64(0.6*(1-10/float64(n))) {
		return []error{fmt.Errorf("the differences are skewed (%.2g), with the longer tail towards 0 "+
			"and beyond: the p-value is right only if they are symmetric", skew)}
	}
	return nil
}

// JointFlips tests rows of paired differences, whose means are 0 by hypothesis, and returns
// the p-value of each row, corrected for all of them. A row has a difference for each replicate,
// the same ones in every row, and NaN where the row has none. With
//
//	Tⱼ(s) = |Σᵣ sᵣ dⱼᵣ| / √(Σᵣ dⱼᵣ²),
//
// which grows with the size of Student's t, and the rows in the order T₍₁₎(1) ≥ T₍₂₎(1) ≥ … of
// what was observed, the corrected p-values are
//
//	p̃₍ⱼ₎ = max over i ≤ j of Pr{max over k ≥ i of T₍ₖ₎(s) ≥ T₍ᵢ₎(1)},
//
// where s has independent fair signs, the same for all rows (the step-down max-T procedure). The
// probability that any row without a difference is rejected at level α is at most α if the rows
// without a difference are jointly symmetric: the vectors of their differences and the negated
// ones have the same law. Rows that are equal count once, and so do those that are negated.
//
// With fewer than 12 replicates all flips are counted. Otherwise 9999 are drawn, with a seed
// from the differences, and the p-values are (1 + count)/(1 + 9999). A row with fewer than two
// differences has the p-value NaN. The order of the replicates does not matter.
// O(flips · rows · replicates).
//
// Reference: Westfall and Young, Resampling-Based Multiple Testing, 1993.
func JointFlips(rows [][]float64) []float64 {
	out := slices.Repeat([]float64{math.NaN()}, len(rows))
	var tested []int
	var columns [][]float64 // by replicate, the unit vectors of the tested rows
	for j, row := range rows {
		u, ok := unitVector(row)
		if !ok {
			continue
		}
		tested = append(tested, j)
		if columns == nil {
			columns = make([][]float64, len(row))
		}
		for r, v := range u {
			columns[r] = append(columns[r], v)
		}
	}
	if tested == nil {
		return out
	}
	columns = canonical(columns)
	src := seeded(nil, columns)
	observed := make([]float64, len(tested))
	weightedSums(observed, columns, slices.Repeat([]int{1}, len(columns)))
	order := make([]int, len(tested)) // the smallest last
	for k := range order {
		order[k], observed[k] = k, math.Abs(observed[k])
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(observed[k], observed[i]) })
	observed = permuted(observed, order)
	for r, column := range columns {
		columns[r] = permuted(column, order)
	}
	counts, sums := make([]int, len(tested)), make([]float64, len(tested))
	total := eachFlip(len(columns), src, func(signs []int) {
		weightedSums(sums, columns, signs)
		largest := 0.0
		for k := len(sums) - 1; k >= 0; k-- {
			if size := math.Abs(sums[k]); size > largest {
				largest = size
			}
			if largest >= observed[k]-flipRounding {
				counts[k]++
			}
		}
	})
	adjusted := 0.0 // p-values do not decrease in this order
	for rank, k := range order {
		adjusted = max(adjusted, float64(counts[rank])/float64(total))
		out[tested[k]] = adjusted
	}
	return out
}

// flipRounding bounds the rounding error of a statistic T, so that equal ones count as equal.
const flipRounding = 1e-9

// unitVector returns a row divided by its norm, with 0 in place of NaN. ok is false if it has fewer
// than two differences.
func unitVector(row []float64) (u []float64, ok bool) {
	u = slices.Clone(row)
	n, largest := 0, 0.0
	for r, v := range row {
		if math.IsNaN(v) {
			u[r] = 0
			continue
		}
		n, largest = n+1, max(largest, math.Abs(v))
	}
	if n < 2 || largest == 0 {
		return u, n >= 2
	}
	var squares []float64
	for r, v := range u {
		u[r] = v / largest // no square overflows
		squares = append(squares, float64(u[r]*u[r]))
	}
	slices.Sort(squares) // the sum does not depend on the order of the replicates
	norm := math.Sqrt(vec.Sum(squares))
	for r := range u {
		u[r] /= norm
	}
	return u, true
}

// permuted returns values[order[0]], values[order[1]], …
func permuted(values []float64, order []int) []float64 {
	out := make([]float64, len(order))
	for k, i := range order {
		out[k] = values[i]
	}
	return out
}

// eachFlip calls f with signs of n replicates, first all positive, and returns the number of calls.
// With fewer than fewPairs replicates it tries every choice of signs but for a common factor −1,
// which leaves the statistics as they are; otherwise it draws them from src.
func eachFlip(n int, src *rand.PCG, f func(signs []int)) (total int) {
	signs := slices.Repeat([]int{1}, n)
	set := func(from int, bits uint64) {
		for r := from; r < min(n, from+64); r++ {
			signs[r] = 1 - 2*int(bits&1)
			bits >>= 1
		}
	}
	if n < fewPairs {
		for flip := range 1 << (n - 1) {
			set(0, uint64(flip))
			f(signs)
		}
		return 1 << (n - 1)
	}
	f(signs)
	for range drawnFlips {
		for from := 0; from < n; from += 64 {
			set(from, src.Uint64())
		}
		f(signs)
	}
	return 1 + drawnFlips
}
