package probtest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/problems"
)

// This file checks the laws about a stream as a whole: what its rounds depend on, and whether it
// reveals them again.

// checkFingerprint loads the parameters twice, whose fingerprints must be equal and not empty, and
// compares the rounds of the original parameters with those of the loaded ones.
func checkFingerprint(p *problemUnderTest) error {
	params, first, err := problems.Load(p.Params)
	if err != nil {
		return err
	}
	if reflect.TypeOf(params) != reflect.TypeOf(p.Params) {
		return fmt.Errorf("a %T is loaded as a %T", p.Params, params)
	}
	if _, again, err := problems.Load(p.Params); first == "" || again != first || err != nil {
		return fmt.Errorf("%q, then %q (%v)", first, again, err)
	}
	loaded := &problemUnderTest{Problem: p.Problem}
	defer loaded.close()
	loaded.Params = params
	a, err := p.newReader(1, nil)
	if err != nil {
		return err
	}
	b, err := loaded.newReader(1, nil)
	if err != nil {
		return err
	}
	if t := firstDifference(a, b, roundsChecked(a.stream, maxRounds)); t > 0 {
		return fmt.Errorf("round %d of the parameters and of what was loaded differ", t)
	}
	return nil
}

// checkReplay plays the stream of a seed twice, the second time in turn with the stream of another
// seed, and compares the rounds.
func checkReplay(p *problemUnderTest) error {
	for seed := range uint64(3) {
		first, err := p.newReader(seed, nil)
		if err != nil {
			return err
		}
		n := roundsChecked(first.stream, maxRounds)
		var want [][]float64
		for range n {
			want = append(want, first.next())
		}
		p.close()
		second, err := p.newReader(seed, nil)
		if err != nil {
			return err
		}
		other, err := p.newReader(seed+100, nil)
		if err != nil {
			return err
		}
		for t := range n {
			other.next()
			if !slices.Equal(second.next(), want[t]) {
				return fmt.Errorf("seed %d played twice differs in round %d", seed, t+1)
			}
		}
	}
	return nil
}

// comparePair plays the streams of seeds 1 and 2 side by side for n rounds. It returns the reader
// of the first stream, n, and the first round t in which the streams differ, or 0.
func (p *problemUnderTest) comparePair() (a *streamReader, n, t int, err error) {
	if a, err = p.newReader(1, nil); err != nil {
		return nil, 0, 0, err
	}
	b, err := p.newReader(2, nil)
	if err != nil {
		return nil, 0, 0, err
	}
	n = roundsChecked(a.stream, maxRounds)
	return a, n, firstDifference(a, b, n), nil
}

// checkSeeds checks that the streams of two seeds differ if numbers were drawn, and are equal if
// none were. It is not for problems of other programs, whose draws are not seen.
func checkSeeds(p *problemUnderTest) error {
	a, _, t, err := p.comparePair()
	switch {
	case err != nil:
		return err
	case a.source.draws > 0 && t == 0:
		return fmt.Errorf("%d draws were made, but seeds 1 and 2 give the same rounds", a.source.draws)
	case a.source.draws == 0 && t > 0:
		return fmt.Errorf("nothing was drawn, but two streams differ in round %d", t)
	}
	return nil
}

// checkDeterministic checks that a stream that declares Deterministic draws no numbers, and that
// one that does not declare it draws some. A problem of another program draws its seed in any case;
// what the program draws is not seen, and is judged by whether two seeds differ.
func checkDeterministic(p *problemUnderTest) error {
	a, n, t, err := p.comparePair()
	if err != nil {
		return err
	}
	draws := a.source.draws
	switch declared := a.stream.Facts().Deterministic; {
	case declared && draws > 0 && !isExternal(p.Problem):
		return fmt.Errorf("it is declared, and %d draws are made in %d rounds", draws, n)
	case declared && t > 0:
		return fmt.Errorf("it is declared, and seeds 1 and 2 differ in round %d", t)
	case !declared && (draws == 0 || t == 0 && isExternal(p.Problem)):
		return fmt.Errorf("it is not declared, and nothing is drawn in %d rounds", n)
	}
	return nil
}

// checkBlind compares the rounds under sampled actions with the rounds under one constant action:
// none (nil) or the origin. If Adaptive is declared, the rounds must differ under some of three
// constant actions: the origin or two opposite ends of the set.
func checkBlind(p *problemUnderTest) error {
	a, err := p.newReader(1, nil)
	if err != nil {
		return err
	}
	// The projected origin, and the two ends of the set along the first coordinate.
	n := a.stream.Set().Dim()
	origin, upper, lower := make([]float64, n), make([]float64, n), make([]float64, n)
	a.stream.Set().Project(origin, origin)
	direction := make([]float64, n)
	direction[0] = 1
	convex.Extremes(a.stream.Set(), direction, upper, lower)
	acts, adaptive := [][]float64{nil, origin}, a.stream.Facts().Adaptive
	if adaptive {
		acts = [][]float64{origin, upper, lower}
	}
	for _, x := range acts {
		a, err := p.newReader(1, nil)
		if err != nil {
			return err
		}
		b, err := p.newReader(1, func(int) []float64 { return x })
		if err != nil {
			return err
		}
		switch t := firstDifference(a, b, roundsChecked(a.stream, maxRounds)); {
		case adaptive && t > 0:
			return nil
		case t > 0:
			return fmt.Errorf("round %d depends on the actions", t)
		}
	}
	if adaptive {
		return errors.New("rounds are the same for all actions, but Adaptive is declared")
	}
	return nil
}

// checkAllocations counts the allocations of Reveal, if the constraints are affine.
func checkAllocations(p *problemUnderTest) error {
	stream, _, err := p.start(1)
	if err != nil || !stream.Facts().Affine {
		return err
	}
	x := newSampler(stream.Set(), 0).drawPoint()
	runs := roundsChecked(stream, 200) - 1 // AllocsPerRun calls the function once more, to warm up
	if runs < 1 {
		return nil
	}
	t := 0
	if n := testing.AllocsPerRun(runs, func() {
		t++
		stream.Reveal(t, x)
	}); n > 0 {
		return fmt.Errorf("%v allocations a round", n)
	}
	return nil
}
