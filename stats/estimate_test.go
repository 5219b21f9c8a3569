package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestDistributions holds quantiles and tails to those of another implementation, bit for bit
// once they are rounded, and to values that are known.
func TestDistributions(t *testing.T) {
	same := func(got, want float64) bool {
		return math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		degrees := math.Ceil(math.Exp(20*r.Float64())) / 2
		p := r.Float64()
		x := r.NormFloat64() * math.Exp(4*r.NormFloat64())
		student := distuv.StudentsT{Sigma: 1, Nu: degrees}
		if got, want := studentQuantile(degrees, p), round(student.Quantile(p), 1e9); !same(got, want) {
			t.Fatalf("the %v-quantile with %v degrees of freedom is %v, want %v", p, degrees, got, want)
		}
		if got, want := studentTail(degrees, x), round(student.Survival(x), 1e12); !same(got, want) {
			t.Fatalf("the tail above %v with %v degrees of freedom is %v, want %v", x, degrees, got, want)
		}
		b := distuv.Beta{Alpha: degrees, Beta: 1 + math.Floor(30*r.Float64())}
		if got, want := betaQuantile(b.Alpha, b.Beta, p), round(b.Quantile(p), 1e9); !same(got, want) {
			t.Fatalf("the %v-quantile of %+v is %v, want %v", p, b, got, want)
		}
	}
	for _, c := range []struct{ got, want float64 }{
		{studentQuantile(1, 0.5), 0}, {studentQuantile(1, 0.75), 1}, {studentQuantile(1, 0.25), -1},
		{studentQuantile(10, 0.975), 2.228138852}, {studentQuantile(0, 0.975), math.NaN()},
		{studentQuantile(3, 1), math.Inf(1)}, {studentQuantile(3, 0), math.Inf(-1)},
		{studentTail(1, 0), 0.5}, {studentTail(1, 1), 0.25}, {studentTail(1, -1), 0.75},
		{studentTail(5, math.Inf(1)), 0}, {studentTail(5, math.Inf(-1)), 1},
		{studentTail(0, 1), math.NaN()}, {studentTail(5, math.NaN()), math.NaN()},
		{betaQuantile(0, 3, 0.5), 0}, {betaQuantile(3, 0, 0.5), 1}, {betaQuantile(1, 1, 0.25), 0.25},
	} {
		if !same(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// A resample whose spread is rounding says nothing finite of the error, whichever way it moves
// the number; one that does not move it has the error 0.
func TestResamplesWithoutSpread(t *testing.T) {
	p := pivot{value: 1, stdErr: 0.1, degrees: 9, rounding: negligible}
	p.studentise([]float64{0.5, -0.2, 0.5, 1e-15, math.NaN()}, []float64{1e-17, 1e-17, 0.25, 0, 0.1})
	want := []float64{math.Inf(-1), 0, 2, math.Inf(1)}
	slices.Sort(p.ratios)
	if !slices.Equal(p.ratios, want) || p.undefined != 1 {
		t.Errorf("the ratios are %v and %d undefined, want %v and 1", p.ratios, p.undefined, want)
	}
}
