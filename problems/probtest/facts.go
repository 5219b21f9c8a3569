package probtest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// This file checks the laws about facts and expectations, except for those about single functions.

// checkFacts checks that Adaptive, Deterministic and Rounds are the same for all seeds, that every
// number is finite and not negative, that Diameter is the diameter of the set, and that the facts
// do not change while the stream is played.
func checkFacts(p *problemUnderTest) error {
	var before convex.Facts
	for seed := uint64(2); seed <= 9; seed++ {
		stream, _, err := p.start(seed)
		if err != nil {
			return err
		}
		f := stream.Facts()
		if seed > 2 && (f.Adaptive != before.Adaptive || f.Deterministic != before.Deterministic ||
			f.Rounds != before.Rounds) {
			return fmt.Errorf("seed %d: Adaptive, Deterministic and Rounds are %v, %v and %d, and with "+
				"seed %d %v, %v and %d", seed, f.Adaptive, f.Deterministic, f.Rounds, seed-1,
				before.Adaptive, before.Deterministic, before.Rounds)
		}
		before = f
		p.close()
	}
	stream, _, err := p.start(1)
	if err != nil {
		return err
	}
	before = stream.Facts()
	v := reflect.ValueOf(before)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Float64 && !(f.Float() >= 0 && allFinite(f.Float())) {
			return fmt.Errorf("%s is %v", v.Type().Field(i).Name, f.Float())
		}
	}
	if d := stream.Set().Diameter(); math.Abs(before.Diameter-d) > roundingTol*d {
		return fmt.Errorf("the fact Diameter is %v, that of the set %v", before.Diameter, d)
	}
	for t := 1; t <= roundsChecked(stream, maxRounds); t++ {
		stream.Reveal(t, newSampler(stream.Set(), 0).drawPoint())
	}
	if after := stream.Facts(); after != before {
		return fmt.Errorf("%+v became %+v", before, after)
	}
	return nil
}

// checkSlater solves for one point that satisfies the constraints of all examined rounds with the
// declared margin.
func checkSlater(p *problemUnderTest) error {
	return p.eachStream(3, func(seed uint64, stream problems.Stream) error {
		margin := stream.Facts().Slater
		if margin == 0 {
			return nil
		}
		n := stream.Set().Dim()
		program, sample := convex.NewProgram(stream.Set()), newSampler(stream.Set(), 0)
		for t := 1; t <= roundsChecked(stream, maxRounds/2); t++ {
			for _, g := range stream.Reveal(t, sample.drawPoint()).Constraints {
				form := convex.Lower(g, n)
				form.Const += margin - 1e-7*(1+margin) // a little less, for rounding
				program.Constrain(form)
			}
		}
		z := make([]float64, n)
		switch sol, err := program.Minimize(z, convex.NewForm(n)); {
		case err != nil:
			return fmt.Errorf("seed %d: no point with margin %v was found: %w", seed, margin, err)
		case sol.Residual > 1e-6:
			return fmt.Errorf("seed %d: no point with margin %v was found: the best is off by %v", seed,
				margin, sol.Residual)
		}
		return nil
	})
}

// checkFeasible checks that every round has an action that satisfies its constraints. It solves a
// program only for rounds whose constraints the last action found does not satisfy.
func checkFeasible(p *problemUnderTest) error {
	return p.eachStream(3, func(seed uint64, stream problems.Stream) error {
		if !stream.Facts().Feasible {
			return nil
		}
		n, slack := stream.Set().Dim(), roundingTol*(1+stream.Facts().ConstraintBound)
		program, sample, z := convex.NewProgram(stream.Set()), newSampler(stream.Set(), 0),
			make([]float64, n)
		stream.Set().Project(z, z)
		for t := 1; t <= roundsChecked(stream, maxRounds); t++ {
			constraints := stream.Reveal(t, sample.drawPoint()).Constraints
			if !slices.ContainsFunc(constraints, func(g convex.Func) bool { return g.Value(z) > 0 }) {
				continue
			}
			program.Reset()
			for _, g := range constraints {
				form := convex.Lower(g, n)
				form.Const -= slack
				program.Constrain(form)
			}
			if _, err := program.Minimize(z, convex.NewForm(n)); err != nil {
				return fmt.Errorf("seed %d, round %d: no action satisfies all constraints: %w", seed, t, err)
			}
			for j, g := range constraints {
				if v := g.Value(z); v > 1e-6+slack {
					return fmt.Errorf("seed %d, round %d: no action satisfies all constraints: at the best %s "+
						"is %v", seed, t, functionName(j+1), v)
				}
			}
		}
		return nil
	})
}

// checkFixed compares the normal forms of the constraints with those of round 1.
func checkFixed(p *problemUnderTest) error {
	var first []*convex.Form
	return p.eachRound(maxRounds, func(stream problems.Stream, t int, funcs []convex.Func) error {
		if !stream.Facts().Fixed {
			return errEnough
		}
		if t == 1 {
			first = nil
		}
		for j, f := range funcs[1:] {
			form := convex.Lower(f, stream.Set().Dim())
			if t == 1 {
				first = append(first, form)
				continue
			}
			// Equal coefficients and the same bases, by pointer: the kernel
			// recognises equal constraints by their forms.
			if a := first[j]; a.Const != form.Const || !slices.Equal(a.Lin, form.Lin) ||
				!slices.Equal(a.Quad, form.Quad) || !slices.Equal(a.Terms, form.Terms) {
				return fmt.Errorf("%s has the form %+v, in round 1 %+v", functionName(j+1), form, a)
			}
		}
		return nil
	})
}

// checkAffine checks that all constraints are affine if Affine is declared, and that some
// constraint is not if it is not declared.
func checkAffine(p *problemUnderTest) error {
	allAffine, declared := true, false
	err := p.eachRound(maxRounds, func(stream problems.Stream, t int, funcs []convex.Func) error {
		declared = stream.Facts().Affine
		n := stream.Set().Dim()
		for j, f := range funcs[1:] {
			form := convex.Lower(f, n)
			isAffine := allZero(form.Quad)
			for _, term := range form.Terms {
				basis, ok := term.Basis.Expand(n)
				isAffine = isAffine && ok && allZero(basis.Quad)
			}
			allAffine = allAffine && isAffine
			switch {
			case isAffine:
			case declared:
				return fmt.Errorf("%s is not affine", functionName(j+1))
			default: // one constraint is enough
				return errEnough
			}
		}
		return nil
	})
	if err == nil && allAffine && !declared {
		return errors.New("all constraints are affine, but Affine is not declared")
	}
	return err
}

// allZero reports whether all numbers are 0.
func allZero(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(v float64) bool { return v != 0 })
}

// checkIID checks, on 2000 rounds, that the mean of each number of a round is the same in both
// halves, and that neighbouring rounds are uncorrelated, within six standard errors.
func checkIID(p *problemUnderTest) error {
	for seed := range uint64(2) {
		r, err := p.newReader(seed, nil)
		if err != nil || !r.stream.Facts().IID {
			return err
		}
		n := roundsChecked(r.stream, 2000) / 2 * 2 // even, for two halves
		if n < 100 {
			return nil
		}
		var series [][]float64
		for range n {
			numbersOfLoss := len(r.points) * (1 + r.stream.Set().Dim())
			numbers := r.next()[numbersOfLoss:]
			for k, v := range numbers {
				if k == len(series) {
					series = append(series, nil)
				}
				series[k] = append(series[k], v)
			}
		}
		for k, xs := range series {
			m1, v1 := meanAndVariance(xs[:n/2])
			m2, v2 := meanAndVariance(xs[n/2:])
			mean, variance := meanAndVariance(xs)
			if gap := math.Abs(m1 - m2); gap > 6*math.Sqrt((v1+v2)/float64(n/2))+
				roundingTol*(math.Abs(m1)+math.Abs(m2)) {
				return fmt.Errorf("seed %d: number %d of a round has mean %v in the first %d rounds and %v "+
					"in the next", seed, k, m1, n/2, m2)
			}
			lagged := 0.0
			for i := 1; i < n; i++ {
				lagged += (xs[i] - mean) * (xs[i-1] - mean)
			}
			allowed := 6*variance/math.Sqrt(float64(n)) + roundingTol*mean*mean
			if c := lagged / float64(n); math.Abs(c) > allowed {
				return fmt.Errorf("seed %d: number %d of a round has correlation %v with the round before",
					seed, k, c/variance)
			}
		}
	}
	return nil
}

// meanAndVariance returns the mean of the numbers and their variance, with the divisor n.
func meanAndVariance(xs []float64) (mean, variance float64) {
	mean = vec.Sum(xs) / float64(len(xs))
	for _, x := range xs {
		variance += (x - mean) * (x - mean)
	}
	return mean, variance / float64(len(xs))
}

// checkExpectation checks that the declared expectations are m functions that do not change in 2000
// rounds. If the constraints are i.i.d., it also compares their mean values at three points with
// the expectations, within six standard errors.
func checkExpectation(p *problemUnderTest) error {
	return p.eachStream(2, func(seed uint64, stream problems.Stream) error {
		e, ok := stream.(problems.Expecter)
		if !ok || e.Expectation() == nil {
			return nil
		}
		means := e.Expectation()
		if m := stream.Constraints(); len(means) != m {
			return fmt.Errorf("seed %d: %d functions for %d constraints", seed, len(means), m)
		}
		points := newSampler(stream.Set(), 0).drawPoints(3)
		want := make([][]float64, len(means))
		for j, f := range means {
			for _, x := range points {
				want[j] = append(want[j], f.Value(x))
			}
		}
		n := roundsChecked(stream, 2000)
		samples := make([][][]float64, len(means)) // by constraint and point
		for j := range samples {
			samples[j] = make([][]float64, len(points))
		}
		for t := 1; t <= n; t++ {
			for j, g := range stream.Reveal(t, points[0]).Constraints {
				for k, x := range points {
					samples[j][k] = append(samples[j][k], g.Value(x))
				}
			}
		}
		for j, f := range means {
			for k, x := range points {
				if v := f.Value(x); v != want[j][k] {
					return fmt.Errorf("seed %d: the expectation of %s at %v was %v and is %v", seed,
						functionName(j+1), x, want[j][k], v)
				}
				mean, variance := meanAndVariance(samples[j][k])
				if off := math.Abs(mean - want[j][k]); stream.Facts().IID &&
					off > 6*math.Sqrt(variance/float64(n))+roundingTol*math.Abs(mean) {
					return fmt.Errorf("seed %d: %s is %v on average at %v, said is %v", seed, functionName(j+1),
						mean, x, want[j][k])
				}
			}
		}
		return nil
	})
}

// checkKnown checks that Fixed is declared where KnownConstraints is.
func checkKnown(p *problemUnderTest) error {
	stream, _, err := p.start(1)
	if err != nil {
		return err
	}
	if f := stream.Facts(); f.KnownConstraints && !f.Fixed {
		return errors.New("KnownConstraints is declared and Fixed is not: what is known of constraints " +
			"that change is only their shape")
	}
	return nil
}
