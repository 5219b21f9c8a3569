package problems

import (
	"errors"
	"math"
	"testing"

	"ocobench/convex"
)

// TestConflictingKindsHaveTheirLaw: kinds come with their probabilities, within five standard
// errors; X^min is empty as soon as all have come, and in two dimensions not
// before; means are as E g; and the best expected loss over X^E is known by hand.
func TestConflictingKindsHaveTheirLaw(t *testing.T) {
	const rounds = 20000
	for _, n := range []int{1, 2, 3} {
		p := conflicting.Params.(ConflictingParams)
		p.Dim = n
		s := testInstance{"", conflicting, p}.stream(t, 6).(*conflictingStream)
		ones, zero, x := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range ones {
			ones[i] = 1
		}
		count := make([]float64, n+1)
		everywhere, sum, kinds := convex.NewProgram(s.Set()), convex.NewForm(n), 0
		for i := 1; i <= rounds; i++ {
			g := s.Reveal(i, nil).Constraints[0]
			g.AddTo(sum, 1./rounds)
			form := convex.Lower(g, n)
			kind := n
			for k, a := range form.Lin {
				if a == 1 {
					kind = k
				}
			}
			// By what they say at the origin and at (1, …, 1).
			low, high := g.Value(zero), g.Value(ones)
			if kind < n && (low != -0.4 || high != 0.6) ||
				kind == n && (low != 0.85 || math.Abs(high+1.15) > 1e-12) {
				t.Fatalf("n=%d round %d: kind %d has the values %v and %v", n, i, kind, low, high)
			}
			if count[kind]++; count[kind] == 1 {
				kinds++
				everywhere.Constrain(form)
				if _, err := everywhere.Minimize(x, convex.NewForm(n)); errors.Is(err,
					convex.ErrEmpty) != (kinds == n+1) {
					t.Errorf("n=%d: X^min of %d kinds has the error %v", n, kinds, err)
				}
			}
		}
		for k, c := range count {
			f := 0.9 / float64(n)
			if k == n {
				f = 0.1
			}
			if z := (c - f*rounds) / math.Sqrt(f*(1-f)*rounds); math.Abs(z) > 5 {
				t.Errorf("n=%d: kind %d came %v times, off by %.1f standard errors", n, k, c, z)
			}
		}
		mean := s.Expectation()[0]
		for _, at := range [][]float64{zero, ones} {
			if got, want := sum.Value(at), mean.Value(at); math.Abs(got-want) > 5/math.Sqrt(rounds) {
				t.Errorf("n=%d: g has the mean %v at %v, want %v", n, got, at, want)
			}
		}
		// As problems of two dimensions are written: 0.35(x_1 + x_2) − 0.275.
		if n == 2 {
			if v := mean.Value([]float64{0.3, 0.4}); math.Abs(v-(0.35*0.7-0.275)) > 1e-15 {
				t.Errorf("E g(0.3, 0.4) = %v", v)
			}
		}
		if v := mean.Value(zero); v != -0.275 {
			t.Errorf("n=%d: E g(0) = %v, want −0.275", n, v)
		}
		program := convex.NewProgram(s.Set())
		program.Constrain(convex.Lower(mean, n))
		drift := &convex.Form{Lin: make([]float64, n)}
		for i := range drift.Lin {
			drift.Lin[i] = -1 / math.Sqrt(float64(n))
		}
		sol, err := program.Minimize(x, drift)
		if want := -0.275 / 0.7 * math.Sqrt(float64(n)); err != nil || math.Abs(sol.Value-want) > 1e-9 {
			t.Errorf("n=%d: the best expected loss over X^E is %v (%v), want %v", n, sol.Value, err, want)
		}
	}
}
