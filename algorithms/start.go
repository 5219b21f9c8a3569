package algorithms

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// This file sets the parameter x0 of any algorithm that has it, in two cases: a first action that
// is drawn for each game ([Algorithm.WithRandomStart]), and epochs of doubling length that begin at
// the last action of the epoch before ([Algorithm.WithWarmEpochs]).

// WithRandomStart returns the algorithm with a first action x_0 that is drawn for the game from
// Setup.Seed, uniformly on the domain ([Uniform]), in the place of the parameter x0. The draws of a
// replicate are the same for all algorithms of one name, and independent of the rounds.
//
// The rates are those of any first action. A bound that is the same for every first action is
// stated, and any other is not.
func (a Algorithm) WithRandomStart() (Algorithm, error) {
	if _, ok := firstActionOf(a.Params); !ok {
		return a, fmt.Errorf("%s has no parameter x0", a.Name)
	}
	if a.feasibleStart {
		return a, fmt.Errorf("%s needs a first action that is strictly feasible", a.Name)
	}
	original := a
	a.New = func(params any, s Setup) (Learner, error) {
		if x0, _ := firstActionOf(params); len(x0.X0) == 0 {
			params = WithFirstAction(params, Uniform(s.Set, rand.New(rand.NewPCG(s.Seed, firstActionDraws))))
		}
		return original.New(params, s)
	}
	a.drawnStartClaims = func(params any) []Claim {
		claims := slices.Clone(original.ClaimsOf(params))
		for k := range claims {
			claims[k].dropUnlessSameForAllStarts(func(x0 []float64) Claim {
				return original.ClaimsOf(WithFirstAction(params, x0))[k]
			})
		}
		return claims
	}
	a.Draws = true
	return a, nil
}

// firstActionDraws keeps the draw of x_0 apart from the draws of learners: "x0" in ASCII.
const firstActionDraws = 0x7830

// firstActionOf returns the first action among parameters, and whether there is one.
func firstActionOf(params any) (x0 FirstAction, ok bool) {
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Struct {
		return x0, false
	}
	f := v.FieldByName("FirstAction")
	if !f.IsValid() {
		return x0, false
	}
	x0, ok = f.Interface().(FirstAction)
	return x0, ok
}

// WithFirstAction returns parameters with this first action.
func WithFirstAction(params any, x0 []float64) any {
	p := reflect.New(reflect.TypeOf(params)).Elem()
	p.Set(reflect.ValueOf(params))
	p.FieldByName("FirstAction").Set(reflect.ValueOf(FirstAction{X0: x0}))
	return p.Interface()
}

// dropUnlessSameForAllStarts keeps the bound of a claim only if it is the same for three first
// actions that are drawn, at t = 1, 2, 4, … and the horizon and at some motion; otherwise the bound
// returns an error. claimFor returns the claim for the first action x0.
func (c *Claim) dropUnlessSameForAllStarts(claimFor func(x0 []float64) Claim) {
	if !c.Proven() {
		return
	}
	c.setLimit(func(s Setup) (b func(t int, m Motion) float64, err error) {
		rng := rand.New(rand.NewPCG(1, 2))
		var values [3][]float64
		for k := range values {
			claim := claimFor(Uniform(s.Set, rng))
			if b, err = claim.Limit(s); err != nil {
				return nil, err
			}
			// t doubles, with the horizon as its last value, and ends after it.
			for t := 1; t <= s.Horizon; t = min(2*t, max(s.Horizon, t+1)) {
				values[k] = append(values[k], b(t, Motion{Path: 1, Variation: 2, Rise: 3, Steepest: 0.1}))
			}
			for i, v := range values[k] { // NaN is the same as NaN
				if v != values[0][i] && (v == v || values[0][i] == values[0][i]) {
					return nil, errors.New("the bound depends on the first action, which is drawn")
				}
			}
		}
		return b, nil // the three are equal, so that the last is as good
	})
}

// Uniform draws a point, uniformly from the set: in a box every coordinate, in a ball a direction
// and the distance rU^{1/n} from the centre, and on a simplex the shares of n exponential numbers,
// which is Dirichlet's distribution with all parameters 1.
func Uniform(set convex.Set, rng *rand.Rand) []float64 {
	x := make([]float64, set.Dim())
	switch set := set.(type) {
	case *convex.Box:
		for i, lower := range set.Lower {
			u := float64(rng.Float64())
			x[i] = float64((1-u)*lower) + float64(u*set.Upper[i])
		}
	case *convex.Ball:
		for i := range x {
			x[i] = vec.Normal(rng)
		}
		norm := vec.Norm(x)
		distance := float64(set.Radius * vec.Pow(rng.Float64(), 1/float64(len(x))))
		for i, c := range set.Center {
			x[i] = c + float64(distance*(x[i]/norm))
		}
	case *convex.Simplex:
		for i := range x {
			x[i] = -vec.Log(1 - float64(rng.Float64()))
		}
		vec.Scale(x, set.Scale/vec.Sum(x))
	default:
		panic(fmt.Sprintf("algorithms: no uniform law is known on a %T", set))
	}
	set.Project(x, x) // rounding
	return x
}

// WithWarmEpochs returns the algorithm with doubling epochs of which each begins, as its first
// action, at the action that would have followed the last one of the epoch before, whatever the
// parameter doubling says. Rates are those of epochs that begin anew; bounds are not stated.
func (a Algorithm) WithWarmEpochs() (Algorithm, error) {
	_, ok := firstActionOf(a.Params)
	if _, epochs := a.Params.(interface{ doubling() bool }); !ok || !epochs {
		return a, fmt.Errorf("%s has no parameters doubling and x0", a.Name)
	}
	a.warm = true
	return a, nil
}

// Warm reports whether epochs begin at the last action.
func (a Algorithm) Warm() bool { return a.warm }
