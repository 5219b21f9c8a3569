package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Space are the parameters of problems whose domain is chosen; see [spaceDefinition].
type Space struct {
	Dim    int     `name:"dim" doc:"dimension n" min:"1" max:"1000"`
	Set    string  `name:"set" doc:"domain: the box [−radius, radius]^n, the ball ‖x‖ ≤ radius, or the simplex x ≥ 0, Σx = radius" enum:"box,ball,simplex"`
	Radius float64 `name:"radius" doc:"size of the domain" above:"0" max:"1e6"`
}

// spaceDefinition states the domain of [Space] and the draws of its vectors.
var spaceDefinition = []string{
	"$D$ is, by set, the box $[−R, R]^n$, the ball $‖x‖ ≤ R$ or the simplex $x ≥ 0$, $Σ_i x_i = " +
		"R$, with $n = dim$ and $R = radius$. Its centre $z$ is 0 or, in the simplex, $(R/n, …, " +
		"R/n)$.",
	"The drift $d$ is drawn once: the direction of a uniform vector of $[−1, 1]^n$, less its mean " +
		"on the simplex. A vector near $d$ is $(d + ρe)/‖d + ρe‖$ with $ρ$ uniform on $[0, 1]$ and " +
		"$e$ a random unit vector orthogonal to $d$.",
}

// space is a domain with the numbers that generators need.
type space struct {
	set    convex.Set
	n      int
	center []float64
	reach  float64 // largest distance of a point of the domain from the centre
	flat   bool    // a simplex: the domain is thin in the direction (1, …, 1)

	inradius float64 // least distance of a point of its boundary from the centre
}

// Validate implements the check across parameters of package spec, also of parameters that embed
// Space and have no check of their own.
func (p Space) Validate() error {
	_, err := p.newSpace()
	return err
}

// newSpace returns the domain, or an error if the parameters describe none.
func (p Space) newSpace() (space, error) {
	s := space{n: p.Dim, center: make([]float64, p.Dim), reach: p.Radius, inradius: p.Radius}
	switch p.Set {
	case "box":
		s.set = convex.Cube(p.Dim, -p.Radius, p.Radius)
		s.reach = p.Radius * math.Sqrt(float64(p.Dim))
	case "ball":
		ball, err := convex.NewBall(s.center, p.Radius)
		if err != nil {
			return space{}, err
		}
		s.set = ball
	case "simplex":
		if p.Dim < 2 {
			return space{}, fmt.Errorf("a simplex in one dimension is a point: give dim=2 or more, or " +
				"set=box")
		}
		simplex, err := convex.NewSimplex(p.Dim, p.Radius)
		if err != nil {
			return space{}, err
		}
		s.set, s.flat = simplex, true
		for i := range s.center {
			s.center[i] = p.Radius / float64(p.Dim)
		}
		s.reach = p.Radius * math.Sqrt(1-1/float64(p.Dim))
		s.inradius = p.Radius / math.Sqrt(float64(p.Dim*(p.Dim-1)))
	}
	return s, nil
}

// drawDirection draws a unit vector along the domain: a uniform draw from [−1, 1]^n, on a simplex
// less its mean, scaled to length 1.
func (s space) drawDirection(rng *rand.Rand) []float64 {
	d := make([]float64, s.n)
	for {
		for i := range d {
			d[i] = uniform(rng, -1, 1)
		}
		if s.flat {
			mean := vec.Sum(d) / float64(s.n)
			for i := range d {
				d[i] -= mean
			}
		}
		if norm := vec.Norm(d); norm > 1e-3 { // a shorter draw has lost digits: draw again
			vec.Scale(d, 1/norm)
			return d
		}
	}
}

// drawNear draws a unit vector at most 45° from the unit vector d: d plus an orthogonal vector
// whose length is uniform on [0, 1], scaled to length 1. On a line it is d.
func (s space) drawNear(d []float64, rng *rand.Rand) []float64 {
	across, rho := s.drawDirection(rng), rng.Float64()
	vec.Axpy(across, -vec.Dot(across, d), d)
	norm := vec.Norm(across)
	if norm < 1e-3 { // nearly parallel to d, as always on a line: no direction is left but rounding
		norm = 1
	}
	a := make([]float64, s.n)
	vec.AxpyTo(a, rho/norm, across, d)
	vec.Scale(a, 1/vec.Norm(a))
	return a
}

// pointBehind returns z − h·d for a unit vector d, where z is the centre and h the inradius. Where
// slopes are near the drift d, constraints fall in the direction −d: the point is likely feasible.
func (s space) pointBehind(d []float64) []float64 {
	x := make([]float64, s.n)
	vec.AxpyTo(x, -s.inradius, d, s.center)
	return x
}

// allAtMost reports whether all functions are at most v at x.
func allAtMost(fs []convex.Func, x []float64, v float64) bool {
	return !slices.ContainsFunc(fs, func(f convex.Func) bool { return f.Value(x) > v })
}
