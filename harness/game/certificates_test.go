package game

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/harness/harnesstest"
)

// steepStream returns rounds in three dimensions with losses of the size 10⁻⁴ and constraints of
// the size 10⁸: rounding leaves residuals far above the gaps.
func steepStream(seed uint64) *harnesstest.Stream {
	return &harnesstest.Stream{Domain: convex.Cube(3, -1, 1), Count: 2, Round: func(t int, _ []float64) convex.Round {
		d := rand.New(rand.NewPCG(seed, uint64(t)))
		vector := func(size float64) []float64 {
			v := make([]float64, 3)
			for i := range v {
				v[i] = size * d.NormFloat64()
			}
			return v
		}
		return roundOf(affineFunc(0, vector(1e-4)...), affineFunc(-1e7*d.Float64(), vector(1e8)...),
			affineFunc(-1e7*d.Float64(), vector(1e8)...))
	}}
}

// The residual of a best action is its largest violation, in the units of the constraints,
// and its gap is in those of the losses: with constraints 10¹² times as steep as the losses
// they are not confused. The constraints of X̂^max are averages, those of X^min all rounds.
func TestResidualsAreViolations(t *testing.T) {
	const T = 4
	above := make(map[string]int)
	for seed := range uint64(60) {
		s := steepStream(seed)
		h := newHindsightRecorder(s, []int{T})
		var rounds []convex.Round
		for i := 1; i <= T; i++ {
			r := s.Round(i, nil)
			rounds = append(rounds, r)
			if err := h.Round(i, nil, &r); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range h.lastBests {
			if b.Empty {
				continue
			}
			violation := 0.0
			sums := make([]float64, s.Count)
			for i, r := range rounds {
				for j, g := range r.Constraints {
					sums[j] += g.Value(b.Action)
					switch v := g.Value(b.Action); {
					case b.Set == "xmin":
						violation = max(violation, v)
					case b.Set == "xhat", i == T-1:
						violation = max(violation, sums[j]/float64(i+1))
					}
				}
			}
			// A sum of products has the rounding 10⁻⁷ here.
			if math.Abs(b.Residual-violation) > 2e-7 || !(b.Gap <= 1e-15) {
				t.Errorf("seed %d, %s: got gap %v and residual %v, want 0 and the violation %v of the action",
					seed, b.Set, b.Gap, b.Residual, violation)
			}
			if violation > 1e-9 {
				above[b.Set]++
			}
			column := func(name string) float64 {
				return NewTable(h.Kept()).Column(b.Set + "_" + name)[0]
			}
			if column("gap") != b.Gap || column("residual") != b.Residual || column("value") != b.Value {
				t.Errorf("seed %d: got another row of %s, want %+v", seed, b.Set, b)
			}
		}
	}
	if above["xmin"] < 3 || above["xhat"] < 3 {
		t.Errorf("got %v actions that violate anything, want at least 3 of each set", above)
	}
}
