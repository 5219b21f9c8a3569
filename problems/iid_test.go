package problems

import (
	"math"
	"testing"

	"ocobench/convex"
)

// X^E of iid does not depend on the margin, which is that of the worst round: on a
// line the mean slope is d = ±1, and X^E = {d·x ≤ slack} in [−1, 1], whatever the
// margin and the spread. The losses decrease along d, so that slack·d is the best
// fixed action, as the average of the rounds says too.
func TestIIDExpectation(t *testing.T) {
	const rounds = 20000
	for _, margin := range []float64{-0.25, 0.125, 0.5} {
		p := iid.Params.(IIDParams)
		p.Dim, p.Slack, p.Margin, p.Spread = 1, 0.5, margin, 0.25
		s := instanceOf{"iid", iid, p}.stream(t, 3)
		mean := s.(Expecter).Expectation()[0]
		d := mean.Value([]float64{1}) - mean.Value([]float64{0})
		if math.Abs(math.Abs(d)-1) > 1e-12 || mean.Value([]float64{0}) != -p.Slack {
			t.Errorf("margin %v: the expectation is %v·x + %v, want ±x − %v", margin, d,
				mean.Value([]float64{0}), p.Slack)
		}
		program, obj := convex.NewProgram(s.Set()), convex.NewForm(1)
		program.Constrain(convex.Lower(mean, 1))
		obj.Lin[0] = -d
		x := make([]float64, 1)
		if _, err := program.Minimize(x, obj); err != nil || math.Abs(x[0]-p.Slack*d) > 1e-12 {
			t.Errorf("margin %v: X^E ends at %v, want %v: %v", margin, x[0], p.Slack*d, err)
		}
		sum := 0.0
		for k := 1; k <= rounds; k++ {
			sum += s.Reveal(k, nil).Constraints[0].Value([]float64{0})
		}
		if got := sum / rounds; math.Abs(got+p.Slack) > 5*(p.Slack-margin)/math.Sqrt(3*rounds)+1e-12 {
			t.Errorf("margin %v: rounds have %v at the centre on average, want %v", margin, got, -p.Slack)
		}
	}
}
