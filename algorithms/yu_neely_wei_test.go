package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/algorithms"
)

// driftParams returns parameters of yu-neely-wei or neely-yu.
func driftParams(name string, p algorithms.DriftPlusPenaltyParams) any {
	if name == "neely-yu" {
		return algorithms.NeelyYuParams{DriftPlusPenaltyParams: p}
	}
	return algorithms.YuNeelyWeiParams{DriftPlusPenaltyParams: p}
}

// pathDrift plays the drift-plus-penalty update; x0 nil is the origin.
func pathDrift(v, alpha float64, x0 []float64) func(script) path {
	return pathTight(v, alpha, 0, x0)
}

// pathTight plays the drift-plus-penalty update with a tightening.
func pathTight(v, alpha, tightening float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			x, queue := p.xs[t], p.duals[t]
			g := make([]float64, s.n)
			for i, d := range r.loss.gradient(x) {
				g[i] = v * d
				for k, c := range r.constraints {
					g[i] += queue[k] * c.gradient(x)[i]
				}
			}
			next := descend(s.set, x, 1/(2*alpha), g)
			dual := make([]float64, s.m)
			for k, c := range r.constraints {
				dual[k] = math.Max(0, queue[k]+tightening+linearised(c, x, next))
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, dual)
		}
		return p
	}
}

// path is a game of a twin: its actions and the duals at the start of rounds.
type path struct{ xs, duals [][]float64 }

func startPath(s script, x0 []float64) path {
	if x0 == nil {
		x0 = make([]float64, s.n)
	}
	return path{xs: [][]float64{nearestPoint(s.set, x0)}, duals: [][]float64{make([]float64, s.m)}}
}

func twinDrift(v, alpha float64, x0 []float64) twin {
	return func(s script) [][]float64 { return pathDrift(v, alpha, x0)(s).xs }
}

// linearised returns the tangent of f at x, at y.
func linearised(f smooth, x, y []float64) float64 {
	v := f.value(x)
	for i, d := range f.gradient(x) {
		v += d * (y[i] - x[i])
	}
	return v
}

// queueGames calls f with random games of all kinds of constraints and
// domains.
func queueGames(rounds int, f func(where string, s script)) {
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 4; n++ {
			for m := range 4 {
				for _, kind := range []string{"affine", "curved", "perturbed", "norm"} {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(10+m)))
					f(fmt.Sprintf("%s/%s/n=%d/m=%d", domain, kind, n, m),
						newScript(rng, domain, kind, n, m, rounds))
				}
			}
		}
	}
}

func (s script) horizon() algorithms.Setup {
	setup := s.setup()
	setup.Horizon = len(s.rounds)
	return setup
}

func TestDriftPlusPenaltyAgreesWithTwin(t *testing.T) {
	t.Parallel()
	queueGames(200, func(where string, s script) {
		x0 := make([]float64, s.n)
		T := float64(len(s.rounds))
		for _, name := range []string{"yu-neely-wei", "neely-yu"} {
			checkTwin(t, name+" on "+where, newLearner(t, name, nil, s.horizon()), s,
				twinDrift(math.Sqrt(T), T, x0)(s), 1e-9)
		}
		for i := range x0 {
			x0[i] = 0.3
		}
		p := algorithms.DriftPlusPenaltyParams{
			V: 3, Alpha: 8, FirstAction: algorithms.FirstAction{X0: []float64{0.3}},
		}
		checkTwin(t, where, newLearner(t, "neely-yu", driftParams("neely-yu", p), s.horizon()), s,
			twinDrift(3, 8, x0)(s), 1e-9)
		p.Tightening = 0.2
		checkTwin(t, where+" tightened", newLearner(t, "yu-neely-wei", driftParams("yu-neely-wei", p),
			s.horizon()), s, pathTight(3, 8, 0.2, x0)(s).xs, 1e-9)
	})
}
