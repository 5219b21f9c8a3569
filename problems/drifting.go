package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var drifting = Problem{
	Name:  "drifting",
	Title: "Drifting comparator",
	Doc: "affine constraints whose common vertex, the best action of the round, moves along a " +
		"circle: the path length grows like T^p",
	Reference: "synthetic; dynamic regret and its path length are those of Chen, Ling, Giannakis, " +
		"An online convex optimization approach to proactive network resource allocation, IEEE TSP " +
		"65, 2017",
	Definition: []string{
		"$D = [−R, R]^n$ with $n = dim$ and $R = radius$. Orthonormal $q_1, …, q_n$ and $φ$, uniform " +
			"on $[0, 2π)$, are drawn once.",
		"$c_t = ρ(q_1·cos(φ + θ_t) + q_2·sin(φ + θ_t)),  ρ = orbit·R,$",
		"with $θ_t = speed·(t − 1)^p$, and $θ_t = speed·log t$ for $p = 0$, is the best action of " +
			"the round.",
		"$g_{t,j}(x) = a_j·(x − c_t)$ for $j ≤ m = constraints$, $a_j = q_j$ for $j ≤ n$; the other " +
			"$a_j$ are directions of $Σ_i μ_i q_i$ with $μ_i$ uniform on $[0, 1]$.",
		"By loss, $f_t(x) = ½‖x − c_t − βw‖²$ (quadratic) or $f_t(x) = −βw·x$ (affine), with $β = " +
			"pull$, $w = (q_1 + … + q_k)/√k$ and $k = min(m, n)$.",
	},
	Version: 1,
	Params: DriftingParams{Dim: 2, Constraints: 2, Radius: 1, P: 0.5, Speed: 0.5, Orbit: 0.5,
		Loss: "quadratic", Pull: 0.5},
	New: Typed(newDrifting),
}

// DriftingParams are the parameters of drifting. The a_j with j > n allow what the
// first n allow. Since ∇f_t(c_t) + Σ_{j≤k} λ_j·a_j = 0 with λ_j = β/√k > 0, the best
// action of round t is
//
//	x*_t = c_t,   f_t(c_t) = ½β², or −βw·c_t where losses are affine.
//
// It is the only one: the quadratic losses are strongly convex, and an action with
// w·(x − c_t) = 0 and q_j·(x − c_t) ≤ 0 for all j ≤ n is c_t.
//
// The steps θ_t − θ_{t−1} do not increase. With δ = θ_2, the first and largest one, and
// chords of length 2ρ·sin((θ_t − θ_{t−1})/2), the path length P_T = Σ_{t=2}^T ‖x*_t − x*_{t−1}‖ is
//
//	ρθ_T·(2/δ)sin(δ/2) ≤ P_T ≤ ρθ_T,
//
// with equality on the left for p = 1. So P_T ~ T^p, and P_T ~ log T for p = 0. The
// constraints change by numbers. V_T = Σ_{t=2}^T max_j |a_j·(c_t − c_{t−1})| is their variation,
//
//	P_T/√2 ≤ V_T ≤ P_T                                     m ≥ 2
//	|V_T − (2/π)ρθ_T| ≤ ρ(1/2 + (θ_T/π + 1)·δ²/4)           m = 1.
//
// For m = 1 it is the variation of ρ·cos between samples: F(θ) = ∫_0^θ |sin| − 2θ/π is
// between −0.22 and 0.22. Samples miss each extremum by at most 1 − cos(δ/2), which counts
// twice.
//
// The action c_t − sw has the margin s/√k in round t: every round is feasible. −Rw has
// the margin R/√k − ρ in all rounds. So X^min is not empty where orbit ≤ 1/√k. For
// larger orbits it may be empty once c_t has gone round.
type DriftingParams struct {
	Dim         int     `name:"dim" doc:"dimension n" min:"2" max:"1000"`
	Constraints int     `name:"constraints" doc:"number of constraints m; affine losses need n or more" min:"1" max:"1000"`
	Radius      float64 `name:"radius" doc:"R of the domain [−R, R]^n" above:"0" max:"1e6"`
	P           float64 `name:"p" doc:"p of the path length, which grows like T^p; 0: like log T" min:"0" max:"1"`
	Speed       float64 `name:"speed" doc:"ω: up to round t the best action has turned by ω(t−1)^p radians" above:"0" max:"1"`
	Orbit       float64 `name:"orbit" doc:"radius of the circle in units of R; up to 1/√min(m,n), one action is feasible in every round" above:"0" max:"1"`
	Loss        string  `name:"loss" doc:"quadratic: ½‖x − c_t − βw‖², with c_t the best action and w a direction that the constraints block; affine: −βw·x" enum:"quadratic,affine"`
	Pull        float64 `name:"pull" doc:"β: how hard the losses push against the constraints" above:"0" max:"1e6"`
}

// Validate implements the check across parameters of package spec.
func (p DriftingParams) Validate() error {
	if p.Loss == "affine" && p.Constraints < p.Dim {
		return fmt.Errorf("affine losses have one best action with constraints ≥ dim only: raise "+
			"constraints to %d, or set loss=quadratic", p.Dim)
	}
	return nil
}

// driftingStream moves the best action c_t, and with it the loss and the constants of the
// constraints.
type driftingStream struct {
	Instance
	p      DriftingParams
	phase  float64     // φ
	basis  [][]float64 // q_1, q_2, …, as many as are used
	slopes [][]float64 // a_j
	push   []float64   // βw
	best   []float64   // c_t
	target []float64   // c_t + βw
	loss   convex.HalfSquaredDistance
	linear []convex.Func // a_j·x
	g      []convex.Shifted
}

// newDrifting draws the directions q_i and a_j and the phase φ, and returns the stream at round 1.
func newDrifting(p DriftingParams, rng *rand.Rand) (Stream, error) {
	k := min(p.Constraints, p.Dim)
	root, orbit := math.Sqrt(float64(k)), float64(p.Orbit*p.Radius)
	s := &driftingStream{
		Instance: Instance{
			Domain: convex.Cube(p.Dim, -p.Radius, p.Radius),
			M:      p.Constraints,
			Declared: convex.Facts{
				Slater: max(0, p.Radius/root-orbit), Feasible: true, Affine: true, Perturbed: true,
			},
		},
		p:     p,
		phase: uniform(rng, 0, 2*math.Pi),
		basis: orthonormalVectors(max(2, k), p.Dim, rng),
		push:  make([]float64, p.Dim),
		best:  make([]float64, p.Dim), target: make([]float64, p.Dim),
		g: make([]convex.Shifted, p.Constraints),
	}
	for _, q := range s.basis[:k] {
		vec.Axpy(s.push, p.Pull/root, q)
	}
	// largest returns the largest a·x over the domain. It uses target, which is not set yet.
	largest := func(a []float64) float64 { return s.Domain.Support(s.target, a) }
	f := &s.Declared
	for j := range s.g {
		var a []float64
		if j < p.Dim {
			a = s.basis[j]
		} else {
			a = make([]float64, p.Dim)
			for _, q := range s.basis {
				vec.Axpy(a, rng.Float64(), q)
			}
			vec.Scale(a, 1/vec.Norm(a))
		}
		s.slopes = append(s.slopes, a)
		s.linear = append(s.linear, convex.Freeze(&convex.Affine{A: a}))
		f.ConstraintLipschitz = max(f.ConstraintLipschitz, vec.Norm(a))
		f.ConstraintBound = max(f.ConstraintBound, largest(a)+orbit)
		s.Round.Constraints = append(s.Round.Constraints, &s.g[j])
	}
	f.Diameter = s.Domain.Diameter()
	switch p.Loss {
	case "quadratic":
		f.LossLipschitz = float64(f.Diameter/2) + orbit + p.Pull
		f.LossRange = float64(f.LossLipschitz*f.LossLipschitz) / 2
		f.Curvature = 1
		s.Round.Loss = &s.loss
	case "affine":
		a := make([]float64, p.Dim)
		vec.Axpy(a, -1, s.push)
		f.LossLipschitz, f.LossRange = vec.Norm(a), 2*largest(a)
		s.Round.Loss = convex.Freeze(&convex.Affine{A: a})
	}
	return s, nil
}

// orthonormalVectors returns count ≤ n orthonormal vectors of ℝⁿ: draws from [−1, 1]^n, each of
// which is made orthogonal to those before.
func orthonormalVectors(count, n int, rng *rand.Rand) [][]float64 {
	var basis [][]float64
	for len(basis) < count {
		q := make([]float64, n)
		for i := range q {
			q[i] = centredUniform(rng)
		}
		for range 2 { // the second time for what rounding has left
			for _, other := range basis {
				vec.Axpy(q, -vec.Dot(q, other), other)
			}
			norm := vec.Norm(q)
			if norm < 1e-3 {
				q = nil
				break
			}
			vec.Scale(q, 1/norm)
		}
		if q != nil {
			basis = append(basis, q)
		}
	}
	return basis
}

// angleAt returns θ_t, the angle by which the best action has turned up to round t.
func (p DriftingParams) angleAt(t int) float64 {
	switch {
	case p.P == 0:
		return p.Speed * vec.Log(float64(t))
	case t == 1:
		return 0
	}
	return p.Speed * vec.Pow(float64(t-1), p.P)
}

// Reveal implements [Stream].
func (s *driftingStream) Reveal(t int, _ []float64) *convex.Round {
	angle, orbit := s.phase+s.p.angleAt(t), s.p.Orbit*s.p.Radius
	clear(s.best)
	vec.Axpy(s.best, orbit*vec.Cos(angle), s.basis[0])
	vec.Axpy(s.best, orbit*vec.Sin(angle), s.basis[1])
	for j, a := range s.slopes {
		s.g[j] = convex.Shifted{Base: s.linear[j], Shift: -vec.Dot(a, s.best)}
	}
	vec.AxpyTo(s.target, 1, s.push, s.best)
	s.loss = convex.HalfSquaredDistance{Weight: 1, Center: s.target}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}

// Best writes to dst the best action x*_t = c_t of the round that was revealed last.
func (s *driftingStream) Best(dst []float64) { copy(dst, s.best) }
