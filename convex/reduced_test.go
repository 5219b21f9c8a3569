package convex

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/vec"
)

// reduceFrom runs f with active sets that use reduced from n dimensions on.
func reduceFrom(n int, f func()) {
	defer func(a, b, c int) { reducedFrom, reducedDiagonalFrom, largeSeparable = a, b, c }(
		reducedFrom, reducedDiagonalFrom, largeSeparable)
	reducedFrom, reducedDiagonalFrom, largeSeparable = n, n, 1<<30
	f()
}

// rowsGame is a sequence of programs, or of sums, with affine rows: more from one to the next,
// and sometimes none again.
type rowsGame struct {
	set   Set
	bases bool // hinges are of bases plus constants
	steps []rowsStep
}

type rowsStep struct {
	reset bool
	rows  []Form // constraints of a program, hinges of a sum
	w     float64
	obj   *Form
	prox  Prox
}

// newRowsGame draws a game. Every row is ≤ 0 at a point of the set, some by little; many are
// sparse, repeat or nearly repeat a row before, or are multiples of one.
func newRowsGame(r *rand.Rand) (g rowsGame) {
	n := 2 + r.IntN(9)
	g.bases = r.IntN(3) == 0
	point := make([]float64, n)
	if r.IntN(3) == 0 {
		g.set = &Simplex{n, 1}
		for i := range point {
			point[i] = 1 / float64(n)
		}
	} else {
		box := &Box{make([]float64, n), make([]float64, n)}
		for i := range n {
			box.Lower[i] = float64(r.IntN(3) - 2)
			box.Upper[i] = box.Lower[i] + float64(r.IntN(4)) // some are points
			point[i] = box.Lower[i] + float64(r.Float64()*(box.Upper[i]-box.Lower[i]))
		}
		g.set = box
	}
	vector := func() []float64 {
		v := make([]float64, n)
		few := r.IntN(2) == 0
		for i := range v {
			if !few || r.IntN(4) == 0 {
				v[i] = r.NormFloat64()
			}
		}
		return v
	}
	var all []Form
	for range 1 + r.IntN(5) {
		s := rowsStep{reset: r.IntN(4) == 0, w: math.Ldexp(1, r.IntN(12)-4), obj: NewForm(n)}
		for range r.IntN(2 * n) {
			f := Form{Lin: vector()}
			if len(all) > 0 && r.IntN(3) == 0 {
				near := []float64{0, 1e-3, 1e-6}[r.IntN(3)]
				copy(f.Lin, all[r.IntN(len(all))].Lin)
				vec.Axpy(f.Lin, near, vector())
				vec.Scale(f.Lin, 1+float64(r.IntN(2)))
			}
			margin := []float64{1e-4, 0.1, 1}[r.IntN(3)]
			f.Const = -vec.Dot(f.Lin, point) - margin
			s.rows = append(s.rows, f)
			all = append(all, f)
		}
		copy(s.obj.Lin, vector())
		vec.Scale(s.obj.Lin, 10)
		if r.IntN(3) == 0 {
			q := s.obj.quad()
			for i := range n {
				q[i*n+i] = float64(r.IntN(3))
			}
		}
		if r.IntN(2) == 0 {
			s.prox = Prox{Weight: math.Ldexp(1, r.IntN(8)-4), Center: vector()}
		}
		g.steps = append(g.steps, s)
	}
	return g
}

// play returns a line for every solution that is wrong, and the certificates.
func (g rowsGame) play(sum bool) (certs []Cert, wrong []string) {
	n := g.set.Dim()
	program, s := NewProgram(g.set), NewSum(g.set)
	x := make([]float64, n)
	var rows []Form
	for k, step := range g.steps {
		if step.reset {
			program.Reset()
			s.ResetHinges()
			rows = nil
		}
		rows = append(rows, step.rows...)
		obj := step.obj.Clone()
		var cert Cert
		var err error
		var residual float64
		if sum {
			s.smooth.Reset()
			s.Add(1, obj)
			for _, f := range step.rows {
				if g.bases {
					f = Form{Const: f.Const, Lin: make([]float64, n),
						Terms: []Term{{NewBasis(&Affine{A: f.Lin}), 1}}}
				}
				s.AddHinge(step.w, &f)
			}
			cert, err = s.Minimize(x, step.prox)
			residual = g.set.Residual(x)
		} else {
			for _, f := range step.rows {
				program.Constrain(&f)
			}
			var sol Solution
			sol, err = program.minimize(x, obj, step.prox)
			cert, residual = sol.Cert, sol.Residual
			for _, f := range rows {
				if v := f.Value(x); v > 1e-11*(1+vec.Norm(f.Lin)) {
					wrong = append(wrong, fmt.Sprintf("step %d: a constraint is %g", k, v))
				}
			}
		}
		if err != nil || residual > 1e-10 || !(cert.Relative() <= 1e-9) {
			wrong = append(wrong, fmt.Sprintf("step %d: %+v, residual %g (%v)", k, cert, residual, err))
		}
		certs = append(certs, cert)
	}
	return certs, wrong
}

// A constraint that no point of the set satisfies is found, also where rows and bounds fix all
// coordinates and curvatures have very different sizes.
func TestReducedEmpty(t *testing.T) {
	reduceFrom(2, func() {
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(23, seed))
			n := 2 + r.IntN(8)
			set, obj, at := Cube(n, 0, 1), NewForm(n), make([]float64, n)
			p, q := NewProgram(set), obj.quad()
			for i := range n {
				at[i] = float64(r.IntN(2)) * r.Float64()
				obj.Lin[i] = r.NormFloat64()
				q[i*n+i] = float64(r.IntN(2)) * math.Pow(10, float64(r.IntN(13)-6))
			}
			row := func(at []float64, value float64) {
				f := NewForm(n)
				for i := range f.Lin {
					f.Lin[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(7)-3))
				}
				if at == nil {
					at = make([]float64, n)
					for i, v := range f.Lin { // where f is least
						at[i] = math.Ceil(-v / (1 + abs(v)))
					}
				}
				f.Const = value - f.Value(at)
				p.Constrain(f)
			}
			for range r.IntN(6) {
				row(at, 0)
			}
			row(nil, 1e-3)
			if sol, err := p.Minimize(at, obj); !errors.Is(err, ErrEmpty) {
				t.Errorf("seed %d: got %+v (%v), want no feasible point", seed, sol, err)
			}
		}
	})
}

// With L in the place of J and R the same least values are found, within what certificates allow:
// of programs and of sums, cold and warm, with rows that repeat and nearly repeat each other.
func TestReducedTwin(t *testing.T) {
	const cases = 1500
	for k := range cases {
		for _, sum := range []bool{false, true} {
			game := newRowsGame(rand.New(rand.NewPCG(17, uint64(k))))
			var got, want []Cert
			var wrong, wrongTwin []string
			reduceFrom(2, func() { got, wrong = game.play(sum) })
			reduceFrom(1<<30, func() { want, wrongTwin = game.play(sum) })
			if len(wrong) > 0 && len(wrongTwin) == 0 {
				t.Errorf("case %d, sum %v: %v", k, sum, wrong)
			}
			for i, w := range want {
				unit := 1 + abs(w.Value)
				if abs(got[i].Value-w.Value) > 1e-8*unit+got[i].Gap+w.Gap {
					t.Errorf("case %d, sum %v, step %d: %+v, with J and R %+v", k, sum, i, got[i], w)
				}
			}
		}
	}
}

// The projection of (3, 2, −1) on {0 ≤ x ≤ 2, x₁ + x₂ ≤ 2}: with the multiplier μ = 3/2 the first
// coordinates are 3/2 and 1/2, and the last one is at its bound.
func TestReducedByHand(t *testing.T) {
	reduceFrom(2, func() {
		p := NewProgram(Cube(3, 0, 2))
		p.Constrain(&Form{Lin: []float64{1, 1, 0}, Const: -2})
		x := make([]float64, 3)
		sol, err := p.Project(x, []float64{3, 2, -1})
		if err != nil || vec.Dist(x, []float64{1.5, 0.5, 0}) > 1e-15 || sol.Gap > 1e-14 {
			t.Errorf("%v at %v (%v)", sol, x, err)
		}
		if r := &p.rows.reduced; !r.on || len(r.rows) != 1 {
			t.Errorf("solved with J and R: %+v", r)
		}
		p.Constrain(&Form{Lin: []float64{-1, 0, -1}, Const: 4.5})
		if _, err := p.Project(x, x); !errors.Is(err, ErrEmpty) {
			t.Errorf("x₁ + x₃ ≥ 4.5 is possible: %v", err)
		}
	})
}

// L stays a factor of A D⁻¹ Aᵀ while rows come and go, and coordinates are fixed and free again.
func TestReducedFactor(t *testing.T) {
	reduceFrom(2, func() {
		r := rand.New(rand.NewPCG(3, 3))
		const n, m = 12, 8
		p := newActiveSet(n, Cube(n, -1, 1))
		for i := range n {
			p.reduced.h[i] = 0.5 + r.Float64()
		}
		p.reduced.plain = false
		for range m {
			a := make([]float64, n)
			for i := range a {
				a[i] = r.NormFloat64()
			}
			p.addRow(a, 0, math.Inf(1))
		}
		for step := range 3000 {
			i := r.IntN(len(p.b))
			if i < p.domainRows && r.IntN(8) > 0 {
				i = p.domainRows + r.IntN(m)
			}
			if k := slices.Index(p.active, i); k >= 0 {
				p.drop(k)
			} else if _, ok := p.project(i); ok && len(p.active) < n {
				p.push(i, 0)
			}
			if p.reduced.stale || len(p.active) == n {
				for len(p.active) > n/2 {
					p.drop(r.IntN(len(p.active)))
				}
				p.factor(nil)
			}
			for j, g := range p.reduced.rows {
				for k, h := range p.reduced.rows[:j+1] {
					want := 0.0
					for c := range n {
						if !p.reduced.fixed[c] {
							want += p.row(g)[c] * p.row(h)[c] / p.reduced.h[c]
						}
					}
					got := vec.Dot(p.reduced.l[j][:k+1], p.reduced.l[k][:k+1])
					if !(abs(got-want) <= 1e-8*(1+abs(want))) {
						t.Fatalf("step %d: entry %d, %d is %v, want %v", step, j, k, got, want)
					}
				}
			}
		}
	})
}

// Rows that are not evaluated because x has not come far enough are not violated: projections on
// rows that come, are tightened and go have the bits of those for which every row is evaluated.
func TestSafeRows(t *testing.T) {
	const n, m = 64, 150
	games := func() (all []float64, evaluated int) {
		r := rand.New(rand.NewPCG(7, 7))
		p, x := NewProgram(Cube(n, -1, 1)), make([]float64, n)
		for step := range 40 {
			if step%4 == 0 {
				p.Reset()
			}
			for j := range m {
				f := NewForm(n)
				for i := range f.Lin {
					f.Lin[i] = float64((j+i)%2) + r.NormFloat64()
				}
				f.Const = -0.1 - r.Float64()
				p.Constrain(f)
				if j%5 == 0 {
					f.Const /= 2
					p.Constrain(f)
				}
			}
			for range 3 {
				for i := range x {
					x[i] += 0.3 * r.NormFloat64()
				}
				s, err := p.Project(x, x)
				if err != nil || s.Residual > 1e-12 {
					t.Fatalf("step %d: %+v (%v)", step, s, err)
				}
				all = append(append(all, x...), s.Value, s.Gap, s.Residual)
			}
			for i := range p.rows.b[p.rows.domainRows:] {
				if !p.rows.reduced.isSafe(p.rows.domainRows+i, 0.01) {
					evaluated++
				}
			}
		}
		return all, evaluated
	}
	got, some := games()
	rescan = true
	defer func() { rescan = false }()
	want, every := games()
	if !slices.Equal(got, want) {
		t.Error("projections differ from those for which every row is evaluated")
	}
	if some > every/2 {
		t.Errorf("%d rows of %d would be evaluated again", some, every)
	}
}

// The products of a vector with the active rows have the same bits whether these are side by side
// or not, while rows come, go and are merged.
func TestRowsBeside(t *testing.T) {
	const n, m = 66, 60
	r := rand.New(rand.NewPCG(5, 5))
	p := newActiveSet(n, Cube(n, -1, 1))
	for range m {
		a := make([]float64, n)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		p.addRow(a, 0, 1)
	}
	products, v, beside := make([]float64, n), make([]float64, n), 0
	for step := range 600 {
		i := p.domainRows + r.IntN(m)
		switch k := slices.Index(p.active, i); {
		case k < 0:
			if _, ok := p.project(i); ok {
				p.state[i] = kink
				p.push(i, 0)
			}
		case step%3 == 0:
			p.mergeRow(i, p.row(i), 0, 0.5)
		case step%3 == 1:
			p.state[i] = off
			p.drop(k)
		}
		for c := range v {
			v[c] = float64(r.IntN(4)) * r.NormFloat64()
		}
		q := len(p.reduced.rows)
		p.dotActive(products[:q], v)
		if len(p.reduced.places) == q {
			beside++
		}
		for k, g := range p.reduced.rows {
			if want := p.dotRow(g, v); products[k] != want {
				t.Fatalf("step %d: product %d of %d is %v, want %v", step, k, q, products[k], want)
			}
		}
	}
	if beside < 300 {
		t.Errorf("the rows are side by side in %d steps of 600", beside)
	}
}

// A hinge at its kink that is added again, three times as much, keeps L a factor and its force.
// Of ½‖x − (2, 1, 0)‖² + h·max(0, x₁ + x₂ − 1) + 4·max(0, x₂ + x₃ + ½) the minimiser is at both
// kinks for h = 2: it is the nearest point of x₁ + x₂ = 1, x₂ + x₃ = −½. With
// x = (2, 1, 0) − (μ, μ + ν, ν) these say 2μ + ν = 2 and μ + 2ν = 3/2, so that μ = 5/6, ν = 1/3 and
// x = (7/6, −1/6, −1/3). For h = 8 it is the same, with a multiplier of 5/48 of the hinge's slope
// in place of 5/12.
func TestReducedMerge(t *testing.T) {
	reduceFrom(2, func() {
		s := NewSum(Cube(3, -5, 5))
		near := Prox{Weight: 0.5, Center: []float64{2, 1, 0}}
		x := make([]float64, 3)
		minimise := func() {
			t.Helper()
			cert, err := s.Minimize(x, near)
			if err != nil || cert.Gap > 1e-13 ||
				vec.Dist(x, []float64{7. / 6, -1. / 6, -1. / 3}) > 1e-14 {
				t.Errorf("%+v at %v (%v)", cert, x, err)
			}
		}
		holds := func(mu float64) {
			t.Helper()
			p := s.rows
			if !p.reduced.on || len(p.reduced.rows) != 2 {
				t.Fatalf("%d rows of L, on: %v", len(p.reduced.rows), p.reduced.on)
			}
			for j, g := range p.reduced.rows {
				for k, h := range p.reduced.rows[:j+1] {
					want := 0.0
					for c := range 3 {
						want += p.row(g)[c] * p.row(h)[c] / p.reduced.h[c]
					}
					if got := vec.Dot(p.reduced.l[j][:k+1], p.reduced.l[k][:k+1]); abs(got-want) > 1e-13*want {
						t.Errorf("entry %d, %d of LLᵀ is %v, want %v", j, k, got, want)
					}
				}
			}
			if got := p.mu[slices.Index(p.active, p.domainRows)]; abs(got-mu) > 1e-14 {
				t.Errorf("the multiplier of the hinge is %v, want %v", got, mu)
			}
		}
		hinge := &Form{Lin: []float64{1, 1, 0}, Const: -1}
		s.AddHinge(2, hinge)
		s.AddHinge(4, &Form{Lin: []float64{0, 1, 1}, Const: 0.5})
		minimise()
		holds(5. / 12)
		s.AddHinge(6, hinge)
		holds(5. / 48)
		minimise()
		holds(5. / 48)
	})
}

// Rounds of new rows allocate nothing, however many rows there are; with J and R a screen's
// levels grow now and then.
func TestReducedAllocation(t *testing.T) {
	for _, m := range []int{30, 100, 300} {
		if a := roundAllocations(t, 10, m); a > 6 {
			t.Errorf("m = %d: %v allocations a round with J and R", m, a)
		}
		if a := roundAllocations(t, 64, m); a != 0 {
			t.Errorf("m = %d: %v allocations a round", m, a)
		}
	}
}

// roundAllocations is how often a projection and a minimisation of hinges in n dimensions allocate
// where the m rows are new in every round.
func roundAllocations(t *testing.T, n, m int) float64 {
	r := rand.New(rand.NewPCG(5, uint64(m)))
	p, s := NewProgram(Cube(n, -1, 1)), NewSum(Cube(n, -1, 1))
	f, x, from := NewForm(n), make([]float64, n), make([]float64, n)
	round := func() {
		p.Reset()
		s.ResetHinges()
		for i := range from {
			from[i] = 2 * r.NormFloat64()
		}
		for range m {
			for i := range f.Lin {
				f.Lin[i] = r.NormFloat64()
			}
			f.Const = -0.1
			p.Constrain(f)
			s.AddHinge(1, f)
		}
		_, err := p.Project(x, from)
		_, wrong := s.Minimize(x, Prox{Weight: 1, Center: from})
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
	}
	for range 20 {
		round()
	}
	return testing.AllocsPerRun(20, round)
}

// Hinges of affine bases, with one kink each or several, and of bases that are not affine: in so
// many dimensions that the former are rows, a sum has the value of its functions at the point, and
// the minimum that it has where they are none.
func TestSinglesAndOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	rows := 0
	for game := range 150 {
		n := 2 + r.IntN(5)
		vector := func() []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			return v
		}
		type term struct{ w, scale, shift float64 }
		loss, center, gamma := vector(), vector(), 0.5+r.Float64()
		var bases []*Basis
		var hinges [][]term
		for range 1 + r.IntN(4) {
			f := Func(&Affine{A: vector(), B: r.NormFloat64()})
			if game%3 == 0 && r.IntN(3) == 0 {
				f = &SquaredDistance{Weight: 1 + r.Float64(), Center: vector(), Offset: -1}
			}
			var own []term
			for range 1 + r.IntN(1+game%4) {
				own = append(own, term{3 * r.Float64(), 0.5 + r.Float64(), r.NormFloat64()})
			}
			bases, hinges = append(bases, NewBasis(f)), append(hinges, own)
		}
		value := func(x []float64) float64 {
			v := vec.Dot(loss, x) + 0.5*square(vec.Dist(x, center))
			for k, own := range hinges {
				for _, h := range own {
					v += gamma * h.w * max(0, h.scale*bases[k].Value(x)+h.shift)
				}
			}
			return v
		}
		minimum := func() (lower, upper float64) {
			sum := NewSum(Cube(n, -1, 1))
			sum.Add(1, &Affine{A: loss})
			sum.SetGamma(gamma)
			for k, own := range hinges {
				for _, h := range own {
					f := NewForm(n)
					bases[k].AddTo(f, h.scale)
					f.Const += h.shift
					sum.AddHinge(h.w, f)
				}
			}
			x := make([]float64, n)
			if _, ok := sum.minimizeSingles(x, Prox{Weight: 0.5, Center: center}); ok {
				rows++
			}
			cert, err := sum.Minimize(x, Prox{Weight: 0.5, Center: center})
			if err != nil || !(cert.Gap <= 1e-7*(1+math.Abs(cert.Value))) {
				t.Fatalf("game %d: %+v, error %v", game, cert, err)
			}
			if v := value(x); !(math.Abs(v-cert.Value) <= 1e-10*(1+math.Abs(v))) {
				t.Fatalf("game %d: the value is %v, that of the functions %v", game, cert.Value, v)
			}
			return cert.Value - cert.Gap, cert.Value
		}
		lower, upper := minimum()
		var low, up float64
		reduceFrom(2, func() { low, up = minimum() })
		if slack := 1e-10 * (1 + math.Abs(upper)); low > upper+slack || lower > up+slack {
			t.Fatalf("game %d: the minima are in [%v, %v] and [%v, %v]", game, lower, upper, low, up)
		}
	}
	if rows < 30 || rows > 120 {
		t.Errorf("hinges of %d of 150 games are rows", rows)
	}
}

// The part of a row that is orthogonal to no other is the whole of it.
func TestSquareOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	for game := range 100 {
		n := 1 + rng.IntN(6)
		r := reduced{plain: game%2 == 0, h: make([]float64, n), e: make([]float64, n),
			z: make([]float64, n), fixed: make([]bool, n)}
		for i := range n {
			r.h[i], r.e[i] = 1, rng.NormFloat64()*float64(rng.IntN(3)/2+game%3)
			if !r.plain {
				r.h[i] = math.Exp2(float64(rng.IntN(9) - 4))
			}
		}
		if game%5 == 0 { // a row that is a coordinate
			clear(r.e)
			r.e[n-1] = -1
			if got, want := r.square(n-1, -1), 1/r.h[n-1]; got != want {
				t.Fatalf("e·D⁻¹e is %v, want %v", got, want)
			}
		}
		if got, want := r.square(0, 0), r.fillDirection(); !(math.Abs(got-want) <= 1e-14*want) {
			t.Fatalf("e·D⁻¹e is %v, want %v", got, want)
		}
	}
}
