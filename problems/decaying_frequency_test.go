package problems

import (
	"fmt"
	"math"
	"testing"
)

// Only with c = 1 are the constraints i.i.d.: with c < 1 the binding one comes with
// the probability 0.1c/t^{1−c}, so that half of the rounds has ever fewer of them, and
// there is no expectation.
func TestDecayingFrequencyFacts(t *testing.T) {
	const rounds = 20000
	for _, c := range []float64{0.3, 0.75, 0.99, 1} {
		for m := 1; m <= 2; m++ {
			name := fmt.Sprintf("c=%v with %d constraints", c, m)
			s := instanceOf{name, decayingFrequency, DecayingFrequencyParams{C: c, Constraints: m}}.stream(t,
				1)
			if got := s.Facts().IID; got != (c == 1) {
				t.Errorf("%s: IID is declared as %v", name, got)
			}
			if known := s.(Expecter).Expectation() != nil; known != (c == 1) {
				t.Errorf("%s: that the expectation is known is %v", name, known)
			}
			var halves [2]int
			for k := 1; k <= rounds; k++ {
				if s.Reveal(k, nil).Constraints[m-1].Value([]float64{1}) == 1 {
					halves[(k-1)*2/rounds]++
				}
			}
			if c <= 0.75 && halves[1] >= halves[0] {
				t.Errorf("%s: it binds in %d of the first half of the rounds, and in %d of the second", name,
					halves[0], halves[1])
			}
		}
	}
}

// With c = 1 a round is x with the probability 0.1, and else −0.01: the expectation is
// 0.1x − 0.9·0.01.
func TestDecayingFrequencyExpectation(t *testing.T) {
	s := instanceOf{"", decayingFrequency, DecayingFrequencyParams{C: 1, Constraints: 1}}.stream(t, 1)
	mean := s.(Expecter).Expectation()
	for _, x := range []float64{-10, 0, 0.09, 7} {
		if got, want := mean[0].Value([]float64{x}), 0.1*x-0.9*0.01; len(mean) != 1 ||
			math.Abs(got-want) > 1e-15 {
			t.Errorf("at %v the expectation is %v, want %v", x, got, want)
		}
	}
}
