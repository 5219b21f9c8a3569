package main

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/report/figure"
)

// A game of T rounds in s seconds costs 10⁹·s/T nanoseconds a round: the median of three
// runs is the curve, and the others are the interval.
func TestCost(t *testing.T) {
	f, err := Cost(strings.NewReader(`goos: linux
BenchmarkFTRL/problem=iid/n=2/T=1000-2   	 100	  400000 ns/op	 12 B/op
BenchmarkFTRL/problem=iid/n=2/T=1000-2   	 100	  900000 ns/op
BenchmarkFTRL/problem=iid/n=2/T=1000-2   	 100	  500000 ns/op
BenchmarkFTRL/problem=iid/n=2/T=100-2   	 100	  10000 ns/op
BenchmarkFTRL/problem=iid/n=10/T=100-2   	 100	  20000 ns/op
BenchmarkPut-2   	 100	  7 ns/op
PASS
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 1 || f.Panels[0].Title != "FTRL" || len(f.Panels[0].Series) != 2 {
		t.Fatalf("the figure is %+v, want a panel FTRL with two curves", f)
	}
	s := f.Panels[0].Series[0]
	near := func(a, b []float64) bool { // up to the rounding of 10⁹·10⁻⁹
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-12*y })
	}
	if s.Label != "iid, $n = 2$" || !slices.Equal(s.X, []float64{100, 1000}) ||
		!near(s.Y, []float64{100, 500}) ||
		!near(s.Lower, []float64{100, 400}) || !near(s.Upper, []float64{100, 900}) {
		t.Errorf("the first curve is %+v", s)
	}
	if err := f.Write(io.Discard, figure.SVG); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "BenchmarkPut 100 7 ns/op\n", "BenchmarkFTRL/T=0 100 7 ns/op\n",
		"BenchmarkFTRL/T=10 x 7 ns/op\n"} {
		if f, err := Cost(strings.NewReader(bad)); err == nil {
			t.Errorf("%q gives %+v", bad, f)
		}
	}
}
