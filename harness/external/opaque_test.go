package external_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/external/externaltest"
	"ocobench/harness/game"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// openStream starts a stream of a problem.
func openStream(t *testing.T, p problems.Problem) problems.Stream {
	t.Helper()
	s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { game.Close(s) })
	return s
}

// openTwins starts a built-in problem, and an opaque problem of another program with the same
// rounds.
func openTwins(t *testing.T, text string) (forms, own problems.Stream) {
	t.Helper()
	p := registeredProblem(t, text)
	own = openStream(t, startProblem(t, os.Args[0], "opaque", text))
	seed := rand.New(rand.NewPCG(1, 2)).Uint64()
	forms, err := p.New(p.Params, externaltest.Draw(seed>>11))
	if err != nil {
		t.Fatal(err)
	}
	return forms, own
}

var opaqueTwins = []string{"iid:dim=5,constraints=3", "logistic", "portfolio", "online-qp"}

// Sums and maxima over rounds are those of the functions of the rounds, one by one, at a point that
// no round was revealed with. Without an action rounds are revealed at the projection of 0.
func TestEvaluateSumsRounds(t *testing.T) {
	t.Parallel()
	const rounds = 12
	for _, text := range opaqueTwins {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			forms, own := openTwins(t, text)
			x := make([]float64, own.Set().Dim())
			for i := range x {
				x[i] = 1 / float64(2+i)
			}
			own.Set().Project(x, x)
			m := own.Constraints()
			got, err := []problems.Sums(nil), error(nil)
			var want []problems.Sums
			var now problems.Sums
			for k := 1; k <= rounds; k++ {
				r, f := own.Reveal(k, nil), forms.Reveal(k, x)
				if a, b := r.Loss.Value(x), f.Loss.Value(x); !isClose(a, b) {
					t.Errorf("the loss of round %d is %v, want %v", k, a, b)
				}
				now = addRound(now, f, x)
				want = append(want, now)
			}
			at := []int{1, 2, 5, 11, 12}
			got, _, err = own.(problems.Evaluator).Evaluate(at, nil, x)
			if err != nil || len(got) != len(at) {
				t.Fatalf("got %d sums, error %v, want %d", len(got), err, len(at))
			}
			for i, k := range at {
				checkSameOracle(t, fmt.Sprintf("Σf of %d rounds", k), got[i].Loss, want[k-1].Loss)
				for j := range m {
					checkSameOracle(t, fmt.Sprintf("Σg_%d of %d rounds", j, k), got[i].Total[j],
						want[k-1].Total[j])
					checkSameOracle(t, fmt.Sprintf("max g_%d of %d rounds", j, k), got[i].Largest[j],
						want[k-1].Largest[j])
					checkSameOracle(t, fmt.Sprintf("max Σg_%d of %d rounds", j, k), got[i].Prefix[j],
						want[k-1].Prefix[j])
				}
			}
			if err := game.Close(own); err != nil {
				t.Error(err)
			}
		})
	}
}

// addRound returns the sums with one round more.
func addRound(s problems.Sums, r *convex.Round, x []float64) (sum problems.Sums) {
	oracle := func(f convex.Func) problems.Oracle {
		o := problems.Oracle{Value: f.Value(x), Subgradient: make([]float64, len(x))}
		f.Subgrad(o.Subgradient, x)
		return o
	}
	plus := func(a, b problems.Oracle) problems.Oracle {
		if a.Subgradient == nil {
			return b
		}
		g := make([]float64, len(x))
		vec.AddTo(g, a.Subgradient, b.Subgradient)
		return problems.Oracle{Value: a.Value + b.Value, Subgradient: g}
	}
	larger := func(a, b problems.Oracle) problems.Oracle {
		if a.Subgradient == nil || b.Value > a.Value {
			return b
		}
		return a
	}
	sum.Loss = plus(s.Loss, oracle(r.Loss))
	for j, f := range r.Constraints {
		if s.Total == nil {
			s = problems.Sums{Loss: s.Loss, Total: make([]problems.Oracle, len(r.Constraints)),
				Largest: make([]problems.Oracle, len(r.Constraints)),
				Prefix:  make([]problems.Oracle, len(r.Constraints))}
		}
		g := oracle(f)
		sum.Total = append(sum.Total, plus(s.Total[j], g))
		sum.Largest = append(sum.Largest, larger(s.Largest[j], g))
		sum.Prefix = append(sum.Prefix, larger(s.Prefix[j], sum.Total[j]))
	}
	return sum
}

// isClose reports whether two numbers are equal up to rounding.
func isClose(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }

// checkSameOracle checks that value and subgradient are equal up to rounding.
func checkSameOracle(t *testing.T, what string, got, want problems.Oracle) {
	t.Helper()
	if !isClose(got.Value, want.Value) || vec.Dist(got.Subgradient, want.Subgradient) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// An adaptive problem may reveal other rounds in a game with other actions.
func TestAdaptiveOpaqueRoundsMayDiffer(t *testing.T) {
	p := startProblem(t, os.Args[0], "opaque", "mannor")
	var values []float64
	for _, v := range []float64{0, 1} {
		s := openStream(t, p)
		for k := range 20 {
			x := make([]float64, s.Set().Dim())
			x[0] = v
			s.Set().Project(x, x)
			r := s.Reveal(k+1, x)
			x[0] = 0.3
			s.Set().Project(x, x)
			values = append(values, r.Loss.Value(x), r.Constraints[0].Value(x))
		}
		if err := game.Close(s); err != nil {
			t.Error(err)
		}
	}
	if slices.Equal(values[:40], values[40:]) {
		t.Errorf("got the same rounds whatever is played, want others: %v", values)
	}
}

// An opaque function cannot be seen to be affine, or the same in every round.
func TestOpaqueConstraintsAreNotDeclared(t *testing.T) {
	for _, fact := range []string{"affine", "fixed"} {
		p := startProblem(t, instance(`{"domain":{"box":{"lower":[0],"upper":[1]}},"constraints":1,"facts":{`+
			`"opaque":true,"`+fact+`":true},"expectation":[{}]}`,
			`{"loss":{"value":1,"subgradient":[0]},"constraints":[{"value":1,"subgradient":[0]}]}`)...)
		s := openStream(t, p)
		s.Reveal(1, nil)
		errtest.Contains(t, s.(problems.Fallible).Err(),
			"constraint 1 has a value and a subgradient, and the constraints are declared to be "+
				"affine or fixed", "%s", fact)
	}
}
