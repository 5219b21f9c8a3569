package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/race"
)

// leader is the minimisation of a round of Penalised FTRL, written out:
//
//	min  κ√τ‖x−x_0‖² + Σ_i f_i(x) + γ Σ_k w_k max(0, h_k(x))  over D,
//
// with every f_i kept, and every h_k as the list of functions whose sum it is.
type leader struct {
	set    convex.Set
	n      int
	weight float64 // κ√τ
	center []float64
	losses []smooth
	gamma  float64
	hinges []hinge
}

// hinge is w·max(0, h(x)) with h a sum of functions, all without norms or all
// with the same one.
type hinge struct {
	w     float64
	total smooth
}

// newHinge returns w·max(0, h(x)) with h the sum of functions.
func newHinge(w float64, sum []smooth) hinge {
	n := len(sum[0].a)
	h := hinge{w, smooth{a: make([]float64, n), z: make([]float64, n), y: sum[0].y}}
	for _, f := range sum {
		square := 0.0
		for i := range n { // ½w‖x−z‖² is ½w‖x‖² − wz·x + ½w‖z‖²
			h.total.a[i] += f.a[i] - f.w*f.z[i]
			square += f.z[i] * f.z[i]
		}
		h.total.c += f.c + f.w*square/2
		h.total.w += f.w
		h.total.u += f.u
	}
	return h
}

// penalty returns Σ w max(0, h(x)), without γ.
func (l leader) penalty(x []float64) float64 {
	v := 0.0
	for _, h := range l.hinges {
		v += h.w * math.Max(0, h.total.value(x))
	}
	return v
}

// value returns the value of the problem at x.
func (l leader) value(x []float64) float64 {
	d := distance(x, l.center)
	v := l.weight*d*d + l.gamma*l.penalty(x)
	for _, f := range l.losses {
		v += f.value(x)
	}
	return v
}

// quadratic returns q and c with ½q‖x‖² + c·x the smooth part but for a number.
func (l leader) quadratic() (q float64, c []float64) {
	c = make([]float64, l.n)
	q = 2 * l.weight
	for i := range c {
		c[i] = -2 * l.weight * l.center[i]
	}
	for _, f := range l.losses {
		q += f.w
		for i := range c {
			c[i] += f.a[i] - f.w*f.z[i]
		}
	}
	return q, c
}

// enumerate minimises in one dimension. The objective is quadratic between the
// zeros of the hinges; from left to right, the first interval at whose end the
// slope is not negative holds the minimiser.
func (l leader) enumerate() []float64 {
	at := make([]float64, 1)
	lo, hi := -l.set.Support(at, []float64{-1}), l.set.Support(at, []float64{1})
	q, c := l.quadratic()
	zeros := []float64{lo, hi}
	for _, h := range l.hinges {
		w, a, b := h.total.w, h.total.a[0], h.total.c
		var roots []float64
		if w > 0 {
			if disc := a*a - 2*w*b; disc > 0 {
				s := -(a + math.Copysign(math.Sqrt(disc), a))
				roots = []float64{s / w, 2 * b / s}
			}
		} else if a != 0 {
			roots = []float64{-b / a}
		}
		for _, r := range roots {
			if r > lo && r < hi {
				zeros = append(zeros, r)
			}
		}
	}
	slices.Sort(zeros)
	for k := range len(zeros) - 1 {
		left, right := zeros[k], zeros[k+1]
		middle := left + (right-left)/2
		curve, slope := q, c[0]
		for _, h := range l.hinges {
			w, a, b := h.total.w, h.total.a[0], h.total.c
			if (w*middle/2+a)*middle+b > 0 {
				curve += l.gamma * h.w * w
				slope += l.gamma * h.w * a
			}
		}
		if curve*left+slope >= 0 {
			return []float64{left}
		}
		if curve*right+slope >= 0 {
			return []float64{-slope / curve}
		}
	}
	return []float64{hi}
}

// twinFTRL plays Penalised FTRL as algorithms.md has it, every round solved from
// nothing, on a line. each is given the problem of a round and its solution, and in more dimensions
// the problem alone.
func twinFTRL(p algorithms.PenalisedFTRLParams, each func(t int, l leader, x []float64)) twin {
	return func(s script) [][]float64 {
		center := slices.Repeat(p.X0, s.n)
		xs := [][]float64{nearestPoint(s.set, center)}
		past := make([][]smooth, s.m)
		var hinges []hinge
		gamma, clean, frozen := p.Gamma.Value, 0, !p.Gamma.Adaptive
		if p.Gamma.Adaptive {
			gamma = p.GammaStart
		}
		for tau := 1; tau <= len(s.rounds); tau++ {
			l := leader{set: s.set, n: s.n, center: center, weight: p.Kappa * math.Sqrt(float64(tau)),
				gamma: gamma}
			for _, r := range s.rounds[:tau] {
				l.losses = append(l.losses, r.loss)
			}
			for j := range s.m {
				past[j] = append(past[j], s.rounds[tau-1].constraints[j]) // g_1, …, g_τ
				if tau <= p.BurnIn {
					continue
				}
				switch p.Penalty {
				case "average":
					hinges = append(hinges, newHinge(1/float64(tau), past[j]))
				case "per-round":
					hinges = append(hinges, newHinge(1, past[j][tau-1:]))
				case "difference": // that of the round before, s.m hinges ago, goes
					hinges = append(hinges, newHinge(1, past[j]))
					hinges = hinges[max(0, len(hinges)-s.m):]
				}
			}
			l.hinges = hinges
			if s.n > 1 {
				each(tau, l, nil)
				continue
			}
			x := l.enumerate()
			if !frozen {
				clean++
				for l.penalty(x) > p.Tolerance && l.gamma < p.GammaMax {
					l.gamma *= 2
					clean = 0
					x = l.enumerate()
				}
				gamma = l.gamma
				frozen = clean > 0 && clean >= int(math.Ceil(math.Sqrt(float64(tau))))
			}
			xs = append(xs, x)
			if each != nil {
				each(tau, l, x)
			}
		}
		return xs
	}
}

// ftrlParams returns parameters of penalised-ftrl with a change, which may be nil.
func ftrlParams(change func(*algorithms.PenalisedFTRLParams)) algorithms.PenalisedFTRLParams {
	p := algorithms.PenalisedFTRLParams{
		Gamma: algorithms.Gamma{Value: 5}, Kappa: 0.8,
		FirstAction: algorithms.FirstAction{X0: []float64{0.3}}, Penalty: "average", GammaStart: 0.01,
		GammaMax: 1 << 20, Tolerance: 1e-6,
	}
	if change != nil {
		change(&p)
	}
	return p
}

// ftrlVariants are parameters of every kind of penalty, with and without an adaptive γ and a
// burn-in.
var ftrlVariants = []struct {
	name   string
	params algorithms.PenalisedFTRLParams
}{
	{"average", ftrlParams(nil)},
	{"average, burn-in", ftrlParams(func(p *algorithms.PenalisedFTRLParams) { p.BurnIn = 7 })},
	{"average, adaptive", ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
		p.Gamma.Adaptive = true
	})},
	{"per-round", ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
		p.Penalty = "per-round"
		p.Gamma.Value = 0.5
	})},
	{"difference", ftrlParams(func(p *algorithms.PenalisedFTRLParams) { p.Penalty = "difference" })},
	{"difference, adaptive, burn-in", ftrlParams(func(p *algorithms.PenalisedFTRLParams) {
		p.Penalty, p.Gamma.Adaptive, p.BurnIn = "difference", true, 3
	})},
}

// In one dimension, with affine and with quadratic constraints, the twin is
// exact: it looks at all breakpoints.
func TestPenalisedFTRLAgreesWithTwinInOneDimension(t *testing.T) {
	t.Parallel()
	for _, v := range ftrlVariants {
		for _, kind := range []string{"affine", "curved"} {
			for m := range 4 {
				for seed := range uint64(4) {
					rng := rand.New(rand.NewPCG(seed, uint64(m)))
					s := newScript(rng, []string{"box", "ball"}[seed%2], kind, 1, m, 100)
					where := fmt.Sprintf("%s on %s/m=%d/seed=%d", v.name, kind, m, seed)
					l := newLearner(t, "penalised-ftrl", v.params, s.setup())
					checkTwin(t, where, l, s, twinFTRL(v.params, nil)(s), 1e-9)
				}
			}
		}
	}
}

// rounds returns a number of rounds, a third of it if tests are short or run with the race
// detector.
func rounds(n int) int {
	if testing.Short() || race.Enabled {
		return n / 3
	}
	return n
}

// The certificate of a round has the value of the problem at the action, by definition, and a
// gap that is as small as was asked for. On a line with constraints that are no norms the twin
// knows the minimiser x* of the value F, and tests the gap: by strong convexity
//
//	κ√τ‖x−x*‖² ≤ F(x) − F(x*) ≤ Gap.
func TestPenalisedFTRLCertifiesValueAndGap(t *testing.T) {
	t.Parallel()
	iterations := map[string]int{}
	for _, kind := range []string{"affine", "curved", "perturbed", "norm"} {
		for _, domain := range []string{"box", "ball", "simplex"} {
			for n := 1; n <= 3; n++ {
				if n == 1 && kind == "norm" {
					continue
				}
				for m := 1; m <= 4; m++ {
					accuracy := []string{"exact", "certified"}[m%2]
					where := fmt.Sprintf("%s/%s/n=%d/m=%d/accuracy=%s", domain, kind, n, (m+1)/2, accuracy)
					s := newScript(rand.New(rand.NewPCG(uint64(n), uint64((m+1)/2))), domain, kind, n, (m+1)/2,
						rounds(30))
					p := ftrlParams(nil)
					p.Accuracy = accuracy
					l := newLearner(t, "penalised-ftrl", p, s.setup()).(algorithms.Certified)
					x := make([]float64, n)
					twinFTRL(p, func(tau int, leader leader, best []float64) {
						l.Act(x)
						if err := l.Observe(x, s.rounds[tau-1].real); err != nil {
							t.Fatalf("%s: round %d: %v", where, tau, err)
						}
						l.Act(x)
						cert := l.Cert()
						value := leader.value(x)
						rounding := 1e-12 * (1 + math.Abs(value))
						if math.Abs(cert.Value-value) > 10*rounding {
							t.Errorf("%s: round %d: got certified value %v, want %v by definition", where, tau,
								cert.Value, value)
						}
						iterations[accuracy] += cert.Iterations
						allowed := 1e-9 * math.Max(1, math.Abs(value))
						if accuracy == "certified" {
							allowed = 1e-3 / math.Sqrt(float64(tau))
						}
						if cert.Gap > allowed {
							t.Errorf("%s: round %d: got gap %v at the value %v, want at most %v", where, tau, cert.Gap,
								value, allowed)
						}
						if best == nil {
							return
						}
						if least := leader.value(best); value-least > cert.Gap+rounding {
							t.Errorf("%s: round %d: got %v above the minimum, want at most the certified gap %v", where,
								tau, value-least, cert.Gap)
						}
						if d := distance(x, best); leader.weight*d*d > cert.Gap+rounding {
							t.Errorf("%s: round %d: got %v from the minimiser, want at most what the gap %v allows",
								where, tau, d, cert.Gap)
						}
					})(s)
				}
			}
		}
	}
	if iterations["certified"] >= iterations["exact"] {
		t.Errorf("got iterations %v, want fewer at the lower accuracy", iterations)
	}
}
