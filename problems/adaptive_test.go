package problems

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
)

// column returns which column of mannor a round is.
func column(r convex.Round) int {
	if r.Constraints[0].Value([]float64{1}) == 1 {
		return 2
	}
	return 1
}

// Stages by hand, θ = ¾. The means before rounds 2, 3, 4 are 1, 1 and ⅔, so
// that the first stage A ends after 3 rounds; round 7 begins the next, after
// which the mean is 5/7; round 9 begins the third, after which it is 6/9.
func TestMannorStagesEndAsByHand(t *testing.T) {
	s := testInstance{"mannor", mannor, MannorParams{Threshold: 0.75}}.stream(t, 1)
	actions := []float64{1, 1, 0, 1, 1, 1, 0, 1, 0, 0.5}
	want := []int{2, 2, 2, 1, 1, 1, 2, 1, 2, 1}
	var got []int
	for i, x := range actions {
		got = append(got, column(*s.Reveal(i+1, []float64{x})))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the columns are %v, want %v", got, want)
	}
}

// The comparators of mannor are as its documentation says, whoever plays:
// with q the frequency of column 2 the least mean loss over X^max is −r*(q),
// that over X̂^max and X^min is q/2 − ½; at the end of every stage B, q = ½, 1 is
// in X^max with mean loss −1, and the learner's regret is at least (1−θ)(t−1).
func TestMannorComparatorsAreAsDocumented(t *testing.T) {
	const rounds = 400
	for _, threshold := range []float64{0.6, 0.75, 0.9} {
		for seed := range uint64(12) {
			s := testInstance{"mannor", mannor, MannorParams{Threshold: threshold}}.stream(t, 1)
			rng := rand.New(rand.NewPCG(seed, 3))
			lean := float64(seed) / 12 // from mostly 0 to mostly 1
			sumLoss, sumG := convex.NewForm(1), convex.NewForm(1)
			xmin, xhat := convex.NewProgram(s.Set()), convex.NewProgram(s.Set())
			best := func(p *convex.Program) float64 {
				var x [1]float64
				sol, err := p.Minimize(x[:], sumLoss)
				if err != nil {
					t.Fatal(err)
				}
				return sol.Value
			}
			suffered, second, ends := 0.0, 0, 0
			for i := 1; i <= rounds; i++ {
				x := []float64{rng.Float64()}
				if rng.Float64() < lean {
					x[0] = 1 - x[0]*x[0]/8
				}
				r := s.Reveal(i, x)
				before := second
				if column(*r) == 2 {
					second++
				}
				suffered += r.Loss.Value(x)
				r.Loss.AddTo(sumLoss, 1)
				r.Constraints[0].AddTo(sumG, 1)
				xmin.Constrain(convex.Lower(r.Constraints[0], 1))
				xhat.Constrain(sumG)
				xmax := convex.NewProgram(s.Set())
				xmax.Constrain(sumG)
				n, q := float64(i), float64(second)/float64(i)
				reward := 1.0
				if q > 0.5 {
					reward = 0.5 + 1/(2*q) - q
				}
				if v := best(xmax) / n; math.Abs(v+reward) > 1e-12 {
					t.Fatalf("θ=%v seed %d t=%d: the mean loss over X^max is %v, want −r*(%v) = %v", threshold,
						seed, i, v, q, -reward)
				}
				for name, p := range map[string]*convex.Program{"X^min": xmin, "X̂^max": xhat} {
					if v := best(p) / n; math.Abs(v-(q/2-0.5)) > 1e-12 {
						t.Fatalf("θ=%v seed %d t=%d: the mean loss over %s is %v, want %v", threshold, seed, i, name,
							v, q/2-0.5)
					}
				}
				if 2*second != i || second != before {
					continue
				}
				ends++
				one := []float64{1}
				if g, f := sumG.Value(one), sumLoss.Value(one)/n; g != 0 || f != -1 {
					t.Errorf("θ=%v seed %d t=%d: at the end of a stage B the constraints sum to %v at 1 and the "+
						"mean loss is %v, want 0 and −1", threshold, seed, i, g, f)
				}
				if suffered+n < (1-threshold)*(n-1)-1e-9 {
					t.Errorf("θ=%v seed %d t=%d: got regret %v at the end of a stage B, want at least %v",
						threshold, seed, i, suffered+n, (1-threshold)*(n-1))
				}
			}
			if ends == 0 && seed == 0 {
				t.Errorf("θ=%v seed %d: got no end of a stage B, want one", threshold, seed)
			}
		}
	}
}

// On soft-gap the signs follow the actions, the sum of r stays within √t + 1
// and turns there, and the violation of any learner is Σ|x_i| − bt.
func TestSoftGapFollowsTheAction(t *testing.T) {
	const rounds, b = 5000, 0.05
	for seed := range uint64(5) {
		s := testInstance{"soft-gap", softGap, softGap.Params}.stream(t, 1)
		rng := rand.New(rand.NewPCG(seed, 3))
		w, turns, last := 0.0, 0, 1.0
		for i := 1; i <= rounds; i++ {
			x := []float64{uniform(rng, -1, 1)}
			if rng.IntN(10) == 0 {
				x[0] = 0
			}
			r := s.Reveal(i, x)
			if g := r.Constraints[0].Value(x); math.Abs(g-(math.Abs(x[0])-b)) > 1e-15 {
				t.Fatalf("round %d: the constraint is %v at %v", i, g, x)
			}
			slope := r.Loss.Value([]float64{1})
			if outward := w*last > 0 && math.Abs(w) >= math.Sqrt(float64(i)); slope != last != outward {
				t.Fatalf("round %d: after %v, at the sum %v, comes %v", i, last, w, slope)
			}
			if slope != last {
				turns++
			}
			last, w = slope, w+slope
			if math.Abs(w) >= math.Sqrt(float64(i))+1 {
				t.Fatalf("round %d: the losses sum to %v", i, w)
			}
		}
		// A turn at time i and the next are 2√i rounds apart: about √t of them.
		if want := math.Sqrt(rounds); math.Abs(float64(turns)-want) > 2 {
			t.Errorf("%d turns in %d rounds, want about %.0f", turns, rounds, want)
		}
	}
	// The two opening rounds have no sign.
	s := testInstance{"soft-gap", softGap, SoftGapParams{Margin: b, Opening: 2}}.stream(t, 1)
	for i, want := range []float64{0, 0, 1, 1, 1, -1, -1} {
		x := []float64{[]float64{1, -1, 0, math.Copysign(0, -1), -1e-15, -1e-9, -1}[i]}
		if got := s.Reveal(i+1, x).Constraints[0].Value([]float64{1}) + b; math.Abs(got-want) > 1e-15 {
			t.Errorf("the sign of %v is %v, want %v", x[0], got, want)
		}
	}
}

// An adaptive stream cannot go on without an action.
func TestAdaptiveNeedsAction(t *testing.T) {
	for _, c := range testInstances() {
		s := c.stream(t, 1)
		if !s.Facts().Adaptive {
			continue
		}
		func() {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "problems: ") {
					t.Errorf("%s: without an action it panics with %q", c.name, v)
				}
			}()
			s.Reveal(1, nil)
		}()
	}
}
