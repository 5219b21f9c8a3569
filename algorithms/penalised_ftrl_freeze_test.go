package algorithms_test

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// With gamma=adaptive, γ is fixed after ⌈√τ⌉ clean rounds in a row. On [−1, 1], with
// constraints x ≤ 0 and losses −a_τ·x, a round is clean if γ·τ ≥ Σ a, up to γ's being
// doubled: the sum of τ penalties is τ·max(0, x), and the minimiser is 0 then.
//
//	τ      1    2    3     4
//	a_τ   10   10   100    0     γ is 16 from round 1 on, and after round 3
//	                             64 ≥ 120/3: two clean rounds were needed, and there
//	                             was one, round 2
//	a_τ   10   10   10   1000    γ stays 16: rounds 2 and 3 were clean, and ⌈√3⌉ = 2
func TestGammaFreezes(t *testing.T) {
	for _, c := range []struct {
		slopes, gamma []float64
	}{
		{[]float64{10, 10, 100, 0}, []float64{16, 16, 64, 64}},
		{[]float64{10, 10, 10, 1000}, []float64{16, 16, 16, 16}},
	} {
		entry, _ := algorithms.Lookup(algorithms.All, "penalised-ftrl")
		params := entry.Params.(algorithms.PenalisedFTRLParams)
		params.Gamma = algorithms.Gamma{Adaptive: true}
		l, err := entry.Start(params, algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 1)
		for k, a := range c.slopes {
			l.Act(x)
			round := convex.Round{Loss: &convex.Affine{A: []float64{-a}},
				Constraints: []convex.Func{&convex.Affine{A: []float64{1}}}}
			if err := l.Observe(x, round); err != nil {
				t.Fatal(err)
			}
			if got := l.(interface{ Gamma() float64 }).Gamma(); got != c.gamma[k] {
				t.Errorf("losses with slopes %v: γ is %v after round %d, want %v", c.slopes, got, k+1,
					c.gamma[k])
			}
		}
	}
}
