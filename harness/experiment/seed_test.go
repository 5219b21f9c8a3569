package experiment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/harness/harnesstest"
	"ocobench/problems"
)

// The seed scheme is frozen: these are the first two draws for every use, on
// every machine, for ever. Another scheme has another name.
func TestSeedsAreFrozen(t *testing.T) {
	if SeedScheme != "sha256-pcg-1" {
		t.Fatalf("got seed scheme %s, want sha256-pcg-1, or the draws of another frozen here", SeedScheme)
	}
	for _, c := range []struct {
		seed      uint64
		name      string
		replicate int
		use       string
		want      [2]uint64
	}{
		{1, "decaying-frequency", 1, "stream", [2]uint64{0xf89f4173180c6402, 0xec8aa572a0990275}},
		{1, "decaying-frequency", 2, "stream", [2]uint64{0xd81b95ffa2ef0a74, 0x2cb038077d73e923}},
		{2, "decaying-frequency", 1, "stream", [2]uint64{0x4d3141806f08b6a8, 0x9aefea5bd3f7cb70}},
		{1, "iid", 1, "stream", [2]uint64{0xc88ea0d8c0053168, 0x971732e407502b65}},
		{1, "primal-dual", 1, "algorithm", [2]uint64{0x8082a70eb61d24f, 0x35e359e5a9aa8ea2}},
		{1<<64 - 1, "trace", 30, "stream", [2]uint64{0xbae4b25cb47576ef, 0xdc0aa34d4e1031a9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewSource(c.seed, c.name, c.replicate, c.use)
			if got := [2]uint64{s.Uint64(), s.Uint64()}; got != c.want {
				t.Errorf("seed %d, %s, replicate %d, %s: draws {%#x, %#x}, want %#x", c.seed, c.name,
					c.replicate, c.use, got[0], got[1], c.want)
			}
		})
	}
}

// Different seeds, names, replicates or uses have different draws, also where they agree when
// written one after another.
func TestDerivedSeedsDiffer(t *testing.T) {
	seen := make(map[uint64]string)
	for _, seed := range []uint64{0, 1, 2, 11, 12} {
		for _, name := range []string{"a", "b", "1", "11", "a\x001"} {
			for _, replicate := range []int{1, 2, 11, 111} {
				for _, use := range []string{"stream", "algorithm"} {
					what := string(spellSource(seed, name, replicate, use))
					v := NewSource(seed, name, replicate, use).Uint64()
					if other, taken := seen[v]; taken {
						t.Errorf("%q and %q: got the same draw, want two", what, other)
					}
					seen[v] = what
				}
			}
		}
	}
}

// spellSource returns a text that names the arguments of [NewSource].
func spellSource(seed uint64, name string, replicate int, use string) []byte {
	return fmt.Appendf(nil, "seed %d, %q, replicate %d, %s", seed, name, replicate, use)
}

// drawingEntries makes a problem and an algorithm that write down the seeds they get.
func drawingEntries(problemName, algorithmName string, stream, own *uint64) (Problem,
	Algorithm) {
	p := harnesstest.Problem(problemName, nil)
	p.New = func(_ any, rng *rand.Rand) (problems.Stream, error) {
		*stream = rng.Uint64()
		return harnesstest.LineRounds(1, harnesstest.Calm)(), nil
	}
	a := harnesstest.Algorithm(algorithmName, func(s algorithms.Setup) *harnesstest.Learner {
		*own = s.Seed
		return harnesstest.Still(s)
	})
	return Problem{Problem: p}, Algorithm{Algorithm: a}
}

// The stream draws from the use "stream", and the learner has a seed of its own: even a problem and
// an algorithm of the same name share no randomness.
func TestStreamAndLearnerShareNoRandomness(t *testing.T) {
	var stream, own uint64
	a, c := drawingEntries("same", "same", &stream, &own)
	s, err := a.Stream(5, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Learner(s, 5, 3, 10); err != nil {
		t.Fatal(err)
	}
	if want := NewSource(5, "same", 3, "stream").Uint64(); stream != want {
		t.Errorf("the stream draws %#x, want %#x", stream, want)
	}
	if want := NewSource(5, "same", 3, "algorithm").Uint64(); own != want {
		t.Errorf("the learner's seed is %#x, want %#x", own, want)
	}
	if stream == own {
		t.Error("got the same randomness of stream and learner, want two sources")
	}
}

// Rounds differ between replicates, seeds and problems, and a stream that is
// started again has the same ones.
func TestStreamsRepeatAndDiffer(t *testing.T) {
	rounds := func(text string, seed uint64, replicate int) []float64 {
		s, err := problemOf(t, text).Stream(seed, replicate)
		if err != nil {
			t.Fatal(err)
		}
		return harnesstest.FirstRounds(t, s, 20)
	}
	base := rounds("iid", 1, 1)
	if !slices.Equal(base, rounds("iid", 1, 1)) {
		t.Error("started twice: got other rounds, want the same")
	}
	if slices.Equal(base, rounds("iid", 1, 2)) {
		t.Error("two replicates: got the same rounds, want others")
	}
	if slices.Equal(base, rounds("iid", 2, 1)) {
		t.Error("two seeds: got the same rounds, want others")
	}
	if slices.Equal(rounds("fixed", 1, 1), rounds("perturbed:amplitude=0", 1, 1)) {
		t.Error("two problems: got the same rounds, want others")
	}
}

// The rounds of a replicate do not depend on the algorithm or on its actions: all games of a
// replicate are paired.
func TestStreamDoesNotDependOnTheAlgorithm(t *testing.T) {
	var rounds []float64
	played := make(map[string][]float64)
	for i, name := range []string{"ogd", "ogd:step=3", "primal-dual", "penalised-ftrl"} {
		s, err := problemOf(t, "iid:dim=2").Stream(1, 1)
		if err != nil {
			t.Fatal(err)
		}
		l, err := algorithmOf(t, name).Learner(s, 1, 1, 50)
		if err != nil {
			t.Fatal(err)
		}
		var seen, actions []float64
		err = game.Play(t.Context(), l, s, 50, observerFunc(func(_ int, x []float64,
			r *convex.Round) error {
			form := convex.Lower(r.Loss, 2)
			seen = append(append(seen, form.Lin...), convex.Lower(r.Constraints[0], 2).Lin...)
			actions = append(actions, x...)
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		for other, acts := range played {
			if slices.Equal(acts, actions) {
				t.Errorf("%s and %s: got the same actions, want others", name, other)
			}
		}
		played[name] = actions
		if i == 0 {
			rounds = seen
		} else if !slices.Equal(seen, rounds) {
			t.Errorf("%s: got other rounds, want those of the first", name)
		}
	}
}

// observerFunc observes a game by a function.
type observerFunc func(t int, x []float64, r *convex.Round) error

func (f observerFunc) Round(t int, x []float64, r *convex.Round) error { return f(t, x, r) }
