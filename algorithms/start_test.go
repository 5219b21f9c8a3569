package algorithms_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
)

// Points that are drawn are in the set and uniform: of 20000, the shares of parts of known volume
// are right within five standard errors.
func TestUniformPointsAreUniform(t *testing.T) {
	box, err := convex.NewBox([]float64{-1, 2, 5}, []float64{3, 2.5, 5})
	if err != nil {
		t.Fatal(err)
	}
	ball, err := convex.NewBall([]float64{1, -2, 0}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	simplex, err := convex.NewSimplex(4, 2)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 20000
	for name, c := range map[string]struct {
		set   convex.Set
		part  func(x []float64) bool
		share float64
	}{
		"box":        {box, func(x []float64) bool { return x[0] < 0 }, 0.25},
		"box corner": {box, func(x []float64) bool { return x[0] > 1 && x[1] > 2.25 && x[2] == 5 }, 0.25},
		"ball": {ball, func(x []float64) bool { return vec.Dist(x, ball.Center) < 0.4 },
			0.8 * 0.8 * 0.8},
		"half of a ball": {ball, func(x []float64) bool { return x[1]+2 > x[0]-1 }, 0.5},
		// a cap of height h = 1 − ½ of the ball has h²(3 − h)/4 of it
		"cap": {ball, func(x []float64) bool { return x[2] > 0.25 }, 0.25 * 2.5 / 4},
		// x_i/s > a on a simplex of n vertices has the share (1 − a)^{n−1}
		"simplex":     {simplex, func(x []float64) bool { return x[0] > 0.5 }, 0.75 * 0.75 * 0.75},
		"last vertex": {simplex, func(x []float64) bool { return x[3] > 1 }, 0.125},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 9))
			in := 0
			for range draws {
				x := algorithms.Uniform(c.set, rng)
				if r := c.set.Residual(x); !(r <= 1e-15) {
					t.Fatalf("got %v, which is %v outside, want a point of the set", x, r)
				}
				if c.part(x) {
					in++
				}
			}
			got, error5 := float64(in)/draws, 5*math.Sqrt(c.share*(1-c.share)/draws)
			if math.Abs(got-c.share) > error5 {
				t.Errorf("the share is %v, want %v ± %v", got, c.share, error5)
			}
		})
	}
}

// TestRandomFirstActionIsOfTheSeed: the first action is drawn from the seed, the game continues as
// from this action, and a bound is stated only if it holds from every first action.
func TestRandomFirstActionIsOfTheSeed(t *testing.T) {
	stated := 0
	for _, a := range algorithms.All {
		drawn, err := a.WithRandomStart()
		if a.Name == "polyak-feasibility" {
			if err == nil {
				t.Errorf("%s: got a random first action, want an error", a.Name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", a.Name, err)
			continue
		}
		b := boundGames[6] // fixed, three constraints in a ball
		s := b.stream(t, b.seed)
		setup := setupOf(s, 40)
		if len(a.Unmet(s.Facts())) > 0 {
			continue
		}
		play := func(a algorithms.Algorithm, params any, seed uint64) (xs [][]float64) {
			setup.Seed = seed
			l, err := a.Start(params, setup)
			if err != nil {
				t.Fatalf("%s: %v", a.Name, err)
			}
			s := b.stream(t, b.seed)
			for i := 1; i <= 40; i++ {
				x := make([]float64, s.Set().Dim())
				l.Act(x)
				xs = append(xs, x)
				if err := l.Observe(x, *s.Reveal(i, x)); err != nil {
					t.Fatalf("%s: %v", a.Name, err)
				}
			}
			return xs
		}
		first, again := play(drawn, a.Params, 3), play(drawn, a.Params, 3)
		other := play(drawn, a.Params, 4)
		if slices.Equal(first[0], other[0]) || !slices.Equal(first[39], again[39]) {
			t.Errorf("%s: got first actions %v and %v, want others for another seed, and the same for "+
				"the same", a.Name, first[0], other[0])
		}
		fixed := play(a, algorithms.WithFirstAction(a.Params, first[0]), 3)
		for i := range fixed {
			if !slices.Equal(fixed[i], first[i]) {
				t.Errorf("%s, round %d: got %v from the drawn first action, want %v as from the same that "+
					"is given", a.Name, i+1, first[i], fixed[i])
				break
			}
		}
		for k, claim := range drawn.ClaimsOf(a.Params) {
			if !claim.Proven() {
				continue
			}
			here, err := claim.Limit(setup)
			want, wanted := a.ClaimsOf(a.Params)[k].Limit(setup)
			if err != nil && wanted == nil && a.Name != "sun" && // whose steps may be too long
				!strings.Contains(err.Error(), "first action, which is drawn") {
				t.Errorf("%s: %v", a.Name, err)
			}
			if err == nil {
				stated++
				m := algorithms.Motion{Path: 1}
				if wanted != nil || here(40, m) != want(40, m) {
					t.Errorf("%s, %s: the bound is %v, want %v (%v)", a.Name, claim.Metric, here(40, m),
						want(40, m), wanted)
				}
			}
			if depends := []string{"mahdavi", "ftrl", "sun"}; err == nil && slices.Contains(depends, a.Name) &&
				claim.Metric == algorithms.RegretXMin {
				t.Errorf("%s: got a bound that depends on the first action, want an error", a.Name)
			}
		}
	}
	if stated < 20 {
		t.Errorf("got %d bounds stated, want at least 20", stated)
	}
	if _, err := (algorithms.Algorithm{Name: "bare"}).WithRandomStart(); err == nil {
		t.Error("an algorithm without parameters: got a random first action, want an error")
	}
}

// Epochs of 1, 2, 4, … rounds are games of these lengths, each from where the last one ended.
func TestWarmEpochsBeginWhereTheLastEnded(t *testing.T) {
	for _, name := range []string{"yu-neely-wei", "sinha-vaze", "coldq", "mahdavi"} {
		a := registered(t, name)
		warm, err := a.WithWarmEpochs()
		if err != nil {
			t.Fatal(err)
		}
		b := boundGames[6]
		s, setup := b.stream(t, b.seed), setupOf(b.stream(t, b.seed), 100)
		l, err := warm.Start(a.Params, setup)
		if err != nil || !warm.AnytimeWith(a.Params) || !warm.Warm() {
			t.Fatalf("%s: got anytime %v, error %v, want warm epochs that are anytime", name,
				warm.AnytimeWith(a.Params), err)
		}
		params := a.Params
		var twin algorithms.Learner
		x, y := make([]float64, s.Set().Dim()), make([]float64, s.Set().Dim())
		moved := false
		for i := 1; i <= 31; i++ {
			if i&(i-1) == 0 { // the first of an epoch of i rounds
				if twin != nil {
					twin.Act(y)
					params = algorithms.WithFirstAction(a.Params, slices.Clone(y))
				}
				setup.Horizon = i
				if twin, err = a.Start(params, setup); err != nil {
					t.Fatal(err)
				}
			}
			l.Act(x)
			twin.Act(y)
			if !slices.Equal(x, y) {
				t.Fatalf("%s, round %d: %v, want %v", name, i, x, y)
			}
			moved = moved || i == 16 && vec.Norm(x) > 1e-3
			r := s.Reveal(i, x)
			if err := l.Observe(x, *r); err != nil {
				t.Fatal(err)
			}
			if err := twin.Observe(x, *r); err != nil {
				t.Fatal(err)
			}
		}
		if !moved {
			t.Errorf("%s: got epochs that begin at the origin, want one that begins elsewhere", name)
		}
		for _, claim := range warm.ClaimsOf(a.Params) {
			if claim.Proven() || claim.NoBound == "" || claim.Formula != "" {
				t.Errorf("%s: got a bound %[3]q of %[2]s, want none", name, claim.Metric, claim.Formula)
			}
		}
	}
	for _, name := range []string{"ogd", "clasp"} {
		if _, err := registered(t, name).WithWarmEpochs(); err == nil {
			t.Errorf("%s: got warm epochs, want an error", name)
		}
	}
}

// steepFunction is a function whose last slope is another number, which need not be finite.
type steepFunction struct {
	convex.Func
	slope float64
}

func (f steepFunction) Subgrad(dst, x []float64) {
	f.Func.Subgrad(dst, x)
	dst[len(dst)-1] = f.slope
}

// A slope that is not finite in the last round of an epoch, of any function, is an error: the next
// epoch would begin without it.
func TestEpochsEndFinite(t *testing.T) {
	a, err := registered(t, "yu-neely-wei").WithWarmEpochs()
	if err != nil {
		t.Fatal(err)
	}
	b := boundGames[6]
	for _, slope := range []float64{1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for function := range 2 {
			s := b.stream(t, b.seed)
			l, err := a.Start(a.Params, setupOf(s, 100))
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, s.Set().Dim())
			for i := 1; i <= 3 && err == nil; i++ {
				l.Act(x)
				r := *s.Reveal(i, x)
				if i == 3 {
					fs := append([]convex.Func{r.Loss}, r.Constraints...)
					fs[function] = steepFunction{fs[function], slope}
					r.Loss, r.Constraints = fs[0], fs[1:]
				}
				err = l.Observe(x, r)
			}
			if (err == nil) != (slope == 1) {
				t.Errorf("slope %v of function %d: got error %v, want one unless the slope is 1", slope,
					function, err)
			}
		}
	}
}
