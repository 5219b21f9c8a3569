package quadprog

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/vec"
)

// minimum writes the minimiser to x, and fails the test on an error.
func minimum(t *testing.T, p *Solver, x []float64, obj Quadratic, prox Prox) Certificate {
	t.Helper()
	cert, err := p.Minimize(x, obj, prox, 0)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// nearestTo returns the regulariser ½‖x − center‖².
func nearestTo(center []float64) Prox { return Prox{Weight: 0.5, Center: center} }

// normal returns a vector of normally distributed numbers.
func normal(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// The certificates at (1, 0), over [−1, 1]²:
//
//   - x₁ + x₂ is 1 there and −2 at least; its tangent is itself.
//   - x₁ + ‖x‖² is 2 there and −¼ at least, at x₁ = −½. Its tangent there plus
//     ‖y − (1, 0)‖² is the function itself.
//   - 2x₁² is 2 there; the tangent falls by 4·2.
//   - −x₁ + 2·max(0, x₁ − ½) is 0 there and −½ at least, at x₁ = ½, where the multiplier is 1.
//     L(y) = −y₁ + (y₁ − ½) = −½: the gap is ½.
//   - The same with the weight 1 and γ = 2, and twice, which are merged.
//   - x₁ + 2·max(0, x₁ − ½) is least at −1, where the multiplier is 0. At (1, 0) it is 2, and
//     L(y) = y₁: the gap is 1 + 2.
func TestCertificateBoundsSuboptimalPoints(t *testing.T) {
	prox := Prox{Weight: 1, Center: []float64{0, 0}}
	for _, c := range []struct {
		what       string
		obj        Quadratic
		prox       Prox
		gamma      float64
		weights    []float64 // of hinges max(0, x₁ − ½)
		value, gap float64
	}{
		{"affine", Quadratic{Lin: []float64{1, 1}}, Prox{}, 1, nil, 1, 3},
		{"regularised", Quadratic{Lin: []float64{1, 0}}, prox, 1, nil, 2, 2.25},
		{"quadratic", Quadratic{Lin: []float64{0, 0}, Q: []float64{4, 0, 0, 0}}, Prox{}, 1, nil, 2, 8},
		{"hinge", Quadratic{Lin: []float64{-1, 0}}, Prox{}, 1, []float64{2}, 0, 0.5},
		{"hinge with γ", Quadratic{Lin: []float64{-1, 0}}, Prox{}, 2, []float64{1}, 0, 0.5},
		{"merged hinges", Quadratic{Lin: []float64{-1, 0}}, Prox{}, 1, []float64{1, 1}, 0, 0.5},
		{"inactive hinge", Quadratic{Lin: []float64{1, 0}}, Prox{}, 1, []float64{2}, 2, 3},
	} {
		t.Run(c.what, func(t *testing.T) {
			p := newSolver(cube(2, -1, 1))
			p.SetGamma(c.gamma)
			for _, w := range c.weights {
				p.AddHinge([]float64{1, 0}, -0.5, w)
			}
			minimum(t, p, make([]float64, 2), c.obj, c.prox)
			cert := p.certify([]float64{1, 0}, c.obj, c.prox)
			if math.Abs(cert.Value-c.value) > 1e-12 || math.Abs(cert.Gap-c.gap) > 1e-9 {
				t.Errorf("%+v, want the value %v and the gap %v", cert, c.value, c.gap)
			}
		})
	}
}

// With δ = 2⁻⁴⁶, max(0, x+1) + max(0, x+1+δ) becomes max(0, 2x+2+δ), which is less by δ/2 at
// −1 − δ/2; a bound is δ. The next hinge, max(0, x+1+δ), is off half of 2 + δ by δ/2.
func TestMergedHingesBoundTheirError(t *testing.T) {
	const delta = 0x1p-46
	p := newSolver(cube(1, -2, 2))
	p.AddHinge([]float64{1}, 1, 1)
	for k, want := range []float64{delta, 1.5 * delta} {
		p.AddHinge([]float64{1}, 1+delta, 1)
		if p.Len() != p.First()+1 || p.MergeError() != want {
			t.Errorf("%d hinges are %d rows with the error %g, want one with %g", k+2, p.Len()-p.First(),
				p.MergeError(), want)
		}
	}
	p.SetGamma(4)
	zero, least := Quadratic{Lin: []float64{0}}, []float64{-2}
	minimum(t, p, make([]float64, 1), zero, Prox{})
	if cert := p.certify(least, zero, Prox{}); cert.Gap != 6*delta {
		t.Errorf("at a minimiser the gap is %g, want γ times the error, %g", cert.Gap, 6*delta)
	}
}

// Of ½‖x − (2, 1, 0)‖² + h·max(0, x₁ + x₂ − 1) + 4·max(0, x₂ + x₃ + ½) the minimiser is at both
// kinks for h = 2: it is the nearest point of x₁ + x₂ = 1, x₂ + x₃ = −½. With
// x = (2, 1, 0) − (μ, μ + ν, ν) these say 2μ + ν = 2 and μ + 2ν = 3/2, so that μ = 5/6, ν = 1/3 and
// x = (7/6, −1/6, −1/3). For h = 8 it is the same, with a multiplier of 5/48 of the hinge's slope
// in place of 5/12: the hinge that is added again keeps its force.
func TestMergedHingeKeepsItsForceByHand(t *testing.T) {
	for what, from := range map[string]int{"range space": 2, "dense": never} {
		t.Run(what, func(t *testing.T) {
			restoreSizes(t)
			useRangeSpaceFrom(from)
			p, x := newSolver(cube(3, -5, 5)), make([]float64, 3)
			holds := func(mu float64) {
				t.Helper()
				if got := p.mu[slices.Index(p.active, p.First())]; math.Abs(got-mu) > 1e-14 {
					t.Errorf("the multiplier of the hinge is %v, want %v", got, mu)
				}
				for _, w := range audit(p) {
					t.Error(w)
				}
			}
			minimise := func() {
				t.Helper()
				obj := Quadratic{Lin: make([]float64, 3)}
				minimum(t, p, x, obj, nearestTo([]float64{2, 1, 0}))
				if want := []float64{7. / 6, -1. / 6, -1. / 3}; vec.Dist(x, want) > 1e-14 {
					t.Errorf("the minimiser is %v, want %v", x, want)
				}
			}
			p.AddHinge([]float64{1, 1, 0}, -1, 2)
			p.AddHinge([]float64{0, 1, 1}, 0.5, 4)
			minimise()
			holds(5. / 12)
			p.AddHinge([]float64{1, 1, 0}, -1, 6)
			holds(5. / 48)
			minimise()
			holds(5. / 48)
		})
	}
}

// The averages of a constraint that does not change are multiples of one hinge. They are one row,
// whether it is off, on or at its kink, and their sum has the minimiser of the hinge times the
// number of rounds.
func TestMultiplesOfAHingeAreOneRow(t *testing.T) {
	for what, loss := range map[string]float64{"off": -0.1, "on": 100, "kink": 1} {
		t.Run(what, func(t *testing.T) {
			set := cube(2, -1, 1)
			p, x, want := newSolver(set), make([]float64, 2), make([]float64, 2)
			for k := 1.0; k <= 100; k++ {
				p.AddHinge([]float64{k, k}, -0.3*k, 10/k)
				obj := Quadratic{Lin: []float64{-loss * k, 0.1 * k}}
				prox := Prox{Weight: math.Sqrt(k), Center: []float64{0, 0}}
				got := minimum(t, p, x, obj, prox)
				one := newSolver(set)
				one.AddHinge([]float64{1, 1}, -0.3, 10*k)
				cert := minimum(t, one, want, obj, prox)
				if vec.Dist(x, want) > 1e-11 || math.Abs(got.Value-cert.Value) > 1e-9*(1+math.Abs(cert.Value)) {
					t.Fatalf("round %v: %v at %v, want %v at %v", k, got, x, cert, want)
				}
			}
			if rows := p.Len() - p.First(); rows != 1 {
				t.Errorf("100 multiples of one hinge are %d rows, want one", rows)
			}
		})
	}
}

// The projection of (3, 2, −1) on {0 ≤ x ≤ 2, x₁ + x₂ ≤ 2}: with the multiplier μ = 3/2 the first
// coordinates are 3/2 and 1/2, and the last one is at its bound. No point has x₁ + x₃ ≥ 4½.
func TestRangeSpaceProjectsByHand(t *testing.T) {
	restoreSizes(t)
	useRangeSpaceFrom(2)
	p, x, zero := newSolver(cube(3, 0, 2)), make([]float64, 3), Quadratic{Lin: make([]float64, 3)}
	p.AddRow([]float64{1, 1, 0}, -2, math.Inf(1))
	cert := minimum(t, p, x, zero, nearestTo([]float64{3, 2, -1}))
	if want := []float64{1.5, 0.5, 0}; vec.Dist(x, want) > 1e-15 || cert.Gap > 1e-14 {
		t.Errorf("%+v at %v, want %v", cert, x, want)
	}
	if !p.UsesRangeSpace() || len(p.rangeSpace.others) != 1 {
		t.Errorf("range space: %v, with the rows %v, want one", p.UsesRangeSpace(), p.rangeSpace.others)
	}
	p.AddRow([]float64{-1, 0, -1}, 4.5, math.Inf(1))
	if _, err := p.Minimize(x, zero, nearestTo(x), 0); !errors.Is(err, ErrEmpty) {
		t.Errorf("%v, want %v", err, ErrEmpty)
	}
}

// A constraint that no point of the set satisfies is found, also where rows and bounds fix all
// coordinates and curvatures have very different sizes.
func TestNoPointIsFoundInBadlyScaledPrograms(t *testing.T) {
	restoreSizes(t)
	useRangeSpaceFrom(2)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(23, seed))
		n := 2 + r.IntN(8)
		at, obj := make([]float64, n), Quadratic{Lin: normal(r, n), Q: make([]float64, n*n)}
		p := newSolver(cube(n, 0, 1))
		for i := range n {
			at[i] = float64(r.IntN(2)) * r.Float64()
			obj.Q[i*n+i] = float64(r.IntN(2)) * math.Pow(10, float64(r.IntN(13)-6))
		}
		row := func() []float64 {
			a := normal(r, n)
			for i := range a {
				a[i] *= math.Pow(10, float64(r.IntN(7)-3))
			}
			return a
		}
		for range r.IntN(6) {
			a := row()
			p.AddRow(a, -vec.Dot(a, at), math.Inf(1))
		}
		a, least := row(), 0.0 // of a·x in the cube
		for _, v := range a {
			least += min(0, v)
		}
		p.AddRow(a, 1e-3-least, math.Inf(1))
		if cert, err := p.Minimize(at, obj, Prox{}, 0); !errors.Is(err, ErrEmpty) {
			t.Errorf("seed %d: %+v (%v), want %v", seed, cert, err, ErrEmpty)
		}
	}
}

// The force that holds a minimiser in a ball may be that of the matrix alone: 3‖x‖²/2 is least at
// (1, 0) in the ball around (2, 0), and at (10⁸, 0) in that around (10⁸ + 1, 0).
func TestMatrixAlonePressesAgainstTheBall(t *testing.T) {
	for _, far := range []float64{2, 1e8 + 1} {
		p, x := newSolver(ball{[]float64{far, 0}, 1}), make([]float64, 2)
		obj := Quadratic{Lin: []float64{0, 0}, Q: []float64{3, 0, 0, 3}}
		cert := minimum(t, p, x, obj, Prox{})
		if want := []float64{far - 1, 0}; vec.Dist(x, want) > 1e-15*far || cert.Relative() > 1e-14 {
			t.Errorf("%+v at %v, want %v", cert, x, want)
		}
	}
}

// A solution that ended at its limit of ascents says nothing of the next ones: x₁ ≤ 3 − c has a
// point in the square and in the disc around (3, 5) for c ≤ 1 only, and the least x₁ + 2x₂ is at
// a corner, and on the circle.
func TestUnsolvedIsForgotten(t *testing.T) {
	for _, set := range []Set{box{[]float64{2, 4}, []float64{4, 6}}, ball{[]float64{3, 5}, 1}} {
		p, x := newSolver(set), make([]float64, 2)
		for _, c := range []float64{0.5, 1.3, 1} {
			p.Reset()
			p.AddRow([]float64{1, 0}, c-3, math.Inf(1))
			p.unsolved = true
			cert, err := p.Minimize(x, Quadratic{Lin: []float64{1, 2}}, Prox{}, 0)
			want := []float64{3 - c, 5 - math.Sqrt(max(0, 1-c*c))}
			if _, ok := set.(box); ok {
				want = []float64{2, 4}
			}
			if empty := c > 1; empty != errors.Is(err, ErrEmpty) ||
				!empty && (err != nil || vec.Dist(x, want) > 1e-7) || p.unsolved {
				t.Errorf("%T, c = %v: %v at %v, want %v (%v)", set, c, cert, x, want, err)
			}
		}
	}
}

// The objective c·x + ½‖x‖² over the simplex has the minimiser Π(−c). Its support changes
// altogether from one minimisation to the next, in 200 dimensions of which most are held.
func TestCoordinatesThatLeaveTheirBoundsBecomeFree(t *testing.T) {
	restoreSizes(t)
	Sizes.RangeSpace = never
	const n = 200
	set := simplex{n, 1}
	p, x, want := newSolver(set), make([]float64, n), make([]float64, n)
	for k := range 20 {
		obj := Quadratic{Lin: make([]float64, n)}
		for i := range n {
			if obj.Lin[i] = 10; i%20 == k {
				obj.Lin[i] = 0.01 * float64(i/20)
			}
			want[i] = -obj.Lin[i]
		}
		set.Project(want, want)
		cert := minimum(t, p, x, obj, nearestTo(make([]float64, n)))
		if vec.Dist(x, want) > 1e-12 || cert.Relative() > 1e-12 || k > 0 && p.Free() == nil {
			t.Fatalf("step %d: %+v, %v off the minimiser, free are %v, want some only", k, cert,
				vec.Dist(x, want), p.Free())
		}
	}
}

// Of the least Σ i·x_i over [0, 1]¹² every coordinate is at its bound. With Σ x_i ≥ b, a row that
// those held leave no part in, the first ⌊b⌋ are 1 and the next one is the rest.
func TestCoordinatesThatBlockARowBecomeFree(t *testing.T) {
	restoreSizes(t)
	Sizes.Hold, Sizes.Big, Sizes.HoldShare = 4, 6, 0.4
	const n = 12
	obj, row := Quadratic{Lin: make([]float64, n)}, slices.Repeat([]float64{-1}, n)
	for i := range n {
		obj.Lin[i] = float64(i + 1)
	}
	for _, b := range []float64{0, 0.5, 1, 2.25, 9, 10.75, 12, 12.5} {
		p, x, want := newSolver(cube(n, 0, 1)), make([]float64, n), make([]float64, n)
		if minimum(t, p, x, obj, Prox{}); len(p.Free()) != 1 {
			t.Fatalf("free are %v, want one of %d", p.Free(), n)
		}
		p.AddRow(row, b, math.Inf(1))
		cert, err := p.Minimize(x, obj, Prox{}, 0)
		for i := range n {
			want[i] = min(1, max(0, b-float64(i)))
		}
		if b > n && !errors.Is(err, ErrEmpty) || b <= n && (err != nil || vec.Dist(x, want) > 1e-12) {
			t.Errorf("b = %v: %v at %v (%v), want %v", b, cert, x, err, want)
		}
	}
}

// A constraint that is constant leaves all points or none, whether coordinates are held or not.
func TestConstantConstraintLeavesAllPointsOrNone(t *testing.T) {
	restoreSizes(t)
	for _, hold := range []int{4, never} {
		useDenseOnly()
		Sizes.Hold, Sizes.HoldShare = hold, 0.4
		const n = 6
		p, x, obj := newSolver(cube(n, 0, 1)), make([]float64, n), Quadratic{Lin: make([]float64, n)}
		obj.Lin[0] = 1
		for _, b := range []float64{-1, 0, 1} {
			p.AddRow(make([]float64, n), b, math.Inf(1))
			cert, err := p.Minimize(x, obj, Prox{}, 0)
			if empty := b > 0; empty != errors.Is(err, ErrEmpty) || !empty && (err != nil || x[0] != 0) {
				t.Errorf("held from %d on, constant %v: %+v at %v (%v), want no point: %v", hold, b, cert, x,
					err, empty)
			}
		}
	}
}

// Steps with the Hessian in the free coordinates alone, as sequential programs take them, end at
// the minimiser that a step with the whole Hessian has: rows begin on, off or at their kinks, and
// coordinates become free where they would leave their bounds, and where those held leave no point.
func TestStepsInFreeCoordinatesEndAtTheMinimiser(t *testing.T) {
	restoreSizes(t)
	freed, begun := 0, 0
	for seed := range uint64(200) {
		useDenseOnly()
		Sizes.Hold, Sizes.HoldShare = 4, 0.3
		r := rand.New(rand.NewPCG(seed, 19))
		n := 8 + r.IntN(10)
		set := []Set{cube(n, 0, 1), simplex{n, 1}}[seed%2]
		c, h := normal(r, n), make([]float64, n*n)
		for k := range 3 {
			a := normal(r, n)
			for i := range n {
				c[i] += float64(i % 3) // many coordinates are at 0
				h[i*n+i] += 0.1 * float64(k+1)
				vec.Axpy(h[i*n:(i+1)*n], 0.2*a[i], a)
			}
		}
		whole, p := newSolver(set), newSolver(set)
		x := make([]float64, n)
		obj := Quadratic{Lin: c, Q: h}
		minimum(t, p, x, obj, Prox{}) // where most are held
		far := normal(r, n)           // a point that satisfies the rows
		set.Project(far, far)
		for range 4 {
			a := normal(r, n)
			for _, q := range []*Solver{p, whole} {
				q.AddRow(a, -vec.Dot(a, far), math.Inf(1))
				q.AddHinge(a, -vec.Dot(a, far)+0.1, 0.5)
			}
			switch i := p.Len() - 1; r.IntN(3) {
			case 0:
				p.BeginOn(i)
			case 1:
				p.BeginAtKink(i)
				begun++
			}
		}
		copy(whole.Linear(), c)
		if err := whole.Solve(0, h); err != nil {
			t.Fatal(err)
		}
		p.ChooseFree(x)
		for step := 0; ; step++ {
			copy(x, p.X())
			free, quad := p.Free(), h
			copy(p.Linear(), c)
			if free != nil {
				quad = nil
				for _, i := range free {
					for _, j := range free {
						quad = append(quad, h[i*n+j])
					}
				}
				for _, i := range free { // the gradient at x, less the product in the free coordinates
					p.Linear()[i] += vec.Dot(h[i*n:(i+1)*n], x)
					for _, j := range free {
						p.Linear()[i] -= h[i*n+j] * x[j]
					}
				}
			}
			err := p.Solve(0, quad)
			if errors.Is(err, ErrFreed) {
				freed++
				continue
			}
			if err != nil || step > 3*n {
				t.Fatalf("seed %d, step %d: got error %v, want the end within %d steps", seed, step, err, 3*n)
			}
			if free == nil {
				break
			}
			g := make([]float64, n)
			obj.Gradient(g, p.X())
			p.Lagrangian(g)
			if p.FreeLeaving(g); slices.Equal(free, p.Free()) || len(free) == len(p.Free()) {
				break
			}
		}
		if dist := vec.Dist(p.X(), whole.X()); dist > 1e-9 {
			t.Errorf("seed %d: got %v, %v away, want %v", seed, p.X(), dist, whole.X())
		}
	}
	if freed < 10 || begun < 100 {
		t.Errorf("coordinates became free for a point %d times, and %d rows began at kinks, want more",
			freed, begun)
	}
}

// The search for the minimiser of least norm begins at x(ρ), near that minimiser, where coordinates
// are held, too: −x₁ with x₂ + x₃ ≥ 1 over [0, 1]⁶⁰⁰ is least at (1, ½, ½, 0, …).
func TestLeastNormWithHeldCoordinates(t *testing.T) {
	const n = 600
	p, x, row := newSolver(cube(n, 0, 1)), make([]float64, n), make([]float64, n)
	obj, want := Quadratic{Lin: make([]float64, n)}, make([]float64, n)
	row[1], row[2], obj.Lin[0] = -1, -1, -1
	want[0], want[1], want[2] = 1, 0.5, 0.5
	p.AddRow(row, 1, math.Inf(1))
	from, _, err := p.minimizeFrom(x, obj, 1e-3, nil)
	if err != nil || vec.Dist(from, want) > 1e-12 || vec.Dist(x, want) > 1e-12 {
		t.Errorf("from %v to %v (%v), want %v", from[:4], x[:4], err, want[:4])
	}
}

// A constant hinge that is not positive has no part in the Lagrangian, also where it is to begin
// on, and one that is positive is on: the least x₁ + 2·max(0, −3) over [−1, 1]² is −1, and with
// 2·max(0, 3) it is 5, without a gap.
func TestConstantHingesAreOnIfPositive(t *testing.T) {
	for constant, want := range map[float64]float64{-3: -1, 3: 5} {
		p, x := newSolver(cube(2, -1, 1)), make([]float64, 2)
		p.AddRow([]float64{0, 0}, constant, 2)
		if constant < 0 {
			p.BeginOn(p.First())
		}
		cert := minimum(t, p, x, Quadratic{Lin: []float64{1, 0}}, Prox{})
		if p.IsOn(p.First()) != (constant > 0) || cert.Value != want || cert.Gap > 1e-12 {
			t.Errorf("constant %v: %+v, on %v, want the value %v without a gap", constant, cert,
				p.IsOn(p.First()), want)
		}
	}
}
