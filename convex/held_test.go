package convex

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"ocobench/convex/vec"
)

// holdingFrom holds coordinates from n dimensions on, where a share of them is at a bound, and
// takes as large what has so many dimensions, until the end of the test.
func holdingFrom(t *testing.T, n, large int, share float64) {
	from, size, least := holdFrom, sparse, heldShare
	t.Cleanup(func() { holdFrom, sparse, heldShare = from, size, least })
	holdFrom, sparse, heldShare = n, large, share
}

// heldGame is a sequence of programs over a box or a simplex, whose minimisers are mostly at
// bounds: linear, definite and semidefinite objectives, constraints, and now and then one that
// leaves no feasible point.
type heldGame struct {
	r   *rand.Rand
	set Set
}

func newHeldGame(seed uint64) heldGame {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 6 + r.IntN(12)
	if seed%2 == 0 {
		return heldGame{r, &Simplex{n, 1 + r.Float64()}}
	}
	box := &Box{make([]float64, n), make([]float64, n)}
	for i := range n {
		box.Lower[i] = float64(r.IntN(3)) - 1
		box.Upper[i] = box.Lower[i] + float64(r.IntN(4)) // sometimes one point
	}
	return heldGame{r, box}
}

func (g heldGame) vector() []float64 {
	v := make([]float64, g.set.Dim())
	for i := range v {
		v[i] = g.r.NormFloat64()
	}
	return v
}

// objective is affine, or has a matrix of rank 1, 2, … or n.
func (g heldGame) objective(kind int) *Form {
	n := g.set.Dim()
	f := &Form{Lin: g.vector()}
	for i := range f.Lin { // many coordinates at a bound
		f.Lin[i] += 2 * float64(i%3)
	}
	for range []int{0, 1, n}[kind] {
		(&LeastSquares{H: g.vector(), Y: []float64{g.r.NormFloat64()}}).AddTo(f, 0.3)
	}
	return f
}

// constraint is satisfied at a point of the set with a margin, which may be negative.
func (g heldGame) constraint(margin float64) *Form {
	f := &Form{Lin: g.vector()}
	at := g.vector()
	g.set.Project(at, at)
	f.Const = -f.Value(at) - margin
	return f
}

// TestHeld: programs and sums of which most coordinates are held have the values of those of
// which none is, with the same certificates, from first solutions and from earlier ones, and the
// same programs have no feasible point.
func TestHeld(t *testing.T) {
	type answer struct {
		value float64
		empty bool
	}
	const games = 400
	play := func(seed uint64) (answers []answer, held int) {
		g := newHeldGame(seed)
		n := g.set.Dim()
		program, sum, x := NewProgram(g.set), NewSum(g.set), make([]float64, n)
		sum.SetGamma(5)
		note := func(what string, cert Cert, residual float64, err error, p *activeSet) {
			if p.held.any() {
				held++
			}
			if errors.Is(err, ErrEmpty) {
				answers = append(answers, answer{empty: true})
				return
			}
			if err != nil || cert.Relative() > 1e-9 || residual > 1e-9 || g.set.Residual(x) > 1e-12 {
				t.Errorf("game %d, %s: %v, residual %g: %v", seed, what, cert, residual, err)
			}
			answers = append(answers, answer{value: cert.Value})
		}
		margins := []float64{0.5, 0.2, 0.3, 0.1, -0.4, -1}
		var rows []*Form
		for k := range margins {
			rows = append(rows, g.constraint(margins[k]))
			program.Constrain(rows[k])
			if k%2 == 1 { // as the hindsight does for the sums up to a checkpoint
				program.Reset()
				for _, f := range rows {
					program.Constrain(f)
				}
			}
			sol, err := program.Minimize(x, g.objective((k+int(seed))%3))
			note("a program", sol.Cert, sol.Residual, err, program.rows)
			sum.AddHinge(1, g.constraint(0.1))
			sum.Add(1, g.objective((k+int(seed))%3))
			cert, err := sum.Minimize(x, Prox{Weight: math.Sqrt(float64(k)), Center: g.vector()})
			note("a sum", cert, 0, err, sum.rows)
		}
		return answers, held
	}
	total, empty := 0, 0
	for _, large := range []int{4, 1000} { // whether a first solution guesses what is at a bound
		for seed := range uint64(games) {
			holdingFrom(t, math.MaxInt, 1000, 0.75)
			want, none := play(seed)
			holdingFrom(t, 4, large, 0.4)
			got, held := play(seed)
			if none > 0 {
				t.Fatal("coordinates are held, but should not")
			}
			total += held
			for k, a := range got {
				b := want[k]
				if a.empty {
					empty++
				}
				if a.empty != b.empty || math.Abs(a.value-b.value) > 1e-9*max(1, math.Abs(b.value)) {
					t.Errorf("game %d, answer %d: %v, want %v", seed, k, a, b)
				}
			}
		}
	}
	if total < 2*games || empty < games/4 {
		t.Errorf("of %d games, only %d solutions held coordinates, and %d had no point", 2*games, total,
			empty)
	}
}

// TestHeldFreesWhatLeaves: a minimiser whose support changes altogether from one minimisation to
// the next, in 200 dimensions. The objective ½‖x‖² + c·x over the simplex has the minimiser Π(−c).
func TestHeldFreesWhatLeaves(t *testing.T) {
	const n = 200
	defer func(was int) { reducedFrom = was }(reducedFrom)
	reducedFrom = n + 1 // which holds no coordinates
	simplex := &Simplex{n, 1}
	sum, x, want := NewSum(simplex), make([]float64, n), make([]float64, n)
	c := make([]float64, n)
	for k := range 20 {
		change := make([]float64, n)
		for i := range change {
			to := 10.0
			if i%20 == k {
				to = 0.01 * float64(i/20)
			}
			change[i] = to - c[i]
			c[i] = to
			want[i] = -to
		}
		sum.Add(1, &Affine{A: change})
		simplex.Project(want, want)
		cert, err := sum.Minimize(x, Prox{Weight: 0.5, Center: make([]float64, n)})
		if err != nil || cert.Relative() > 1e-12 {
			t.Fatal(cert, err)
		}
		for i, v := range x {
			if math.Abs(v-want[i]) > 1e-12 {
				t.Fatalf("step %d: coordinate %d is %v, want %v", k, i, v, want[i])
			}
		}
		if k > 0 && !sum.rows.held.any() {
			t.Errorf("step %d: no coordinate is held", k)
		}
	}
}

// TestHeldFreesWhatBlocks: of the least Σ i·x_i over [0, 1]¹² every coordinate is at its bound.
// With Σ x_i ≥ b, a row that those held leave no part in, the first ⌊b⌋ are 1 and the next one is
// the rest. A constraint that is constant has no coordinate to free: it changes nothing, or
// leaves no point.
func TestHeldFreesWhatBlocks(t *testing.T) {
	const n = 12
	holdingFrom(t, 4, 6, 0.4)
	obj, row := NewForm(n), NewForm(n)
	for i := range n {
		obj.Lin[i], row.Lin[i] = float64(i+1), -1
	}
	for _, b := range []float64{0, 0.5, 1, 2.25, 9, 10.75, 12, 12.5} {
		p, x := NewProgram(Cube(n, 0, 1)), make([]float64, n)
		if _, err := p.Minimize(x, obj); err != nil || !p.rows.held.any() {
			t.Fatalf("nothing is held at %v (%v)", x, err)
		}
		row.Const = b
		p.Constrain(row)
		for _, constant := range []float64{-1, 0, 1} {
			f := NewForm(n)
			NewBasis(&Affine{A: make([]float64, n), B: constant}).AddTo(f, 1)
			p.Constrain(f)
			sol, err := p.Minimize(x, obj)
			if b > n || constant > 0 {
				if !errors.Is(err, ErrEmpty) {
					t.Errorf("b = %v, constant %v: %v at %v (%v)", b, constant, sol, x, err)
				}
			} else {
				for i, v := range x {
					if err != nil || math.Abs(v-min(1, max(0, b-float64(i)))) > 1e-12 {
						t.Fatalf("b = %v, constant %v: %v at %v (%v)", b, constant, sol, x, err)
					}
				}
			}
		}
	}
}

// TestHeldGrowth: where no quadratic part is, nothing n×n is allocated. A linear loss on a simplex
// takes memory in proportion to n, and the order of the factorisation is that of the support.
func TestHeldGrowth(t *testing.T) {
	const rounds = 20
	allocated := func(n int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		simplex := &Simplex{n, 1}
		sum, program, x := NewSum(simplex), NewProgram(simplex), make([]float64, n)
		r := rand.New(rand.NewPCG(7, 8))
		losses, center := NewForm(n), make([]float64, n)
		for k := range rounds {
			loss, row := &Affine{A: make([]float64, n)}, NewForm(n)
			for i := range n {
				loss.A[i], row.Lin[i] = r.NormFloat64(), r.Float64()
			}
			row.Const = -0.45
			loss.AddTo(losses, 1)
			sum.Add(1, loss)
			sum.AddHinge(1, row)
			prox := Prox{Weight: math.Sqrt(float64(k + 1)), Center: center}
			if _, err := sum.Minimize(x, prox); err != nil {
				t.Fatal(err)
			}
			program.Constrain(row)
			if _, err := program.Minimize(x, losses); err != nil {
				t.Fatal(err)
			}
			if most := max(sum.rows.k, program.rows.k); most > n/4 {
				t.Errorf("n = %d, round %d: %d coordinates are free", n, k+1, most)
			}
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	small, large := allocated(1000), allocated(4000)
	if large > 5*small {
		t.Errorf("%.3g MB in 1000 dimensions, %.3g MB in 4000", small/1e6, large/1e6)
	}
	if large > 8*4000*4000 {
		t.Errorf("%.3g MB in 4000 dimensions: a matrix of them takes %.3g MB", large/1e6,
			8*4000.0*4000/1e6)
	}
}

// The largest coordinate of a set is that of its support in all directions of a coordinate.
func TestMagnitude(t *testing.T) {
	for _, set := range []Set{
		&Box{[]float64{-3, 1}, []float64{2, 2}}, &Ball{[]float64{1, -2}, 0.5}, &Simplex{3, 2.5},
		&Simplex{1, 2},
	} {
		n := set.Dim()
		dir, at, want := make([]float64, n), make([]float64, n), 0.0
		for i := range n {
			for _, s := range []float64{-1, 1} {
				dir[i] = s
				want = max(want, abs(set.Support(at, dir)))
			}
			dir[i] = 0
		}
		if got := magnitude(set); got != want {
			t.Errorf("%T: %v, want %v", set, got, want)
		}
	}
}

// TestHeldModels: sums of ridges with curved hinges, and programs of them with curved constraints,
// have the same minimisers whether SQP holds coordinates or not. Each round adds a loss, so that
// Hessians are kept, and now and then a constraint.
func TestHeldModels(t *testing.T) {
	play := func(seed uint64) (values []float64, held int) {
		g := newHeldGame(2*seed + seed/2%2)
		n := g.set.Dim()
		var curve Curve = Softplus{}
		if _, ok := g.set.(*Simplex); ok {
			curve = NegLog{}
		}
		bases := make([]*Basis, 2)
		for k := range bases {
			q, a := make([]float64, n*n), make([]float64, n)
			for i := range n {
				q[i*n+i] = 1 + g.r.Float64()
				a[i] = 0.1 * g.r.NormFloat64()
			}
			inside := make([]float64, n)
			g.set.Project(inside, inside)
			f := &Quadratic{Q: q, A: a}
			f.B = -0.5 - f.Value(inside)
			bases[k] = NewBasis(f)
		}
		sum, program := NewSum(g.set), NewProgram(g.set)
		x, losses, mean := make([]float64, n), NewForm(n), NewForm(n)
		for k := range 12 {
			f := &Ridge{Curve: curve, Weight: 3, A: g.vector(), B: 1}
			for i := range f.A {
				f.A[i] *= 0.1 + float64(i%4)/4
				if curve == (NegLog{}) {
					f.A[i] = 0.1 * math.Abs(f.A[i])
				}
			}
			loss := NewBasis(f)
			sum.Add(1, loss)
			loss.AddTo(losses, 1)
			(&Affine{A: g.vector()}).AddTo(losses, 0.5)
			bases[g.r.IntN(2)].AddTo(mean, 1)
			sum.AddHinge(1/float64(k+1), mean)
			prox := Prox{Weight: 0.1 * math.Sqrt(float64(k)), Center: make([]float64, n)}
			cert, err := sum.Minimize(x, prox)
			if err != nil || cert.Relative() > 1e-9 {
				t.Errorf("game %d, sum %d: %v: %v", seed, k, cert, err)
			}
			values = append(values, cert.Value)
			if k%3 == 0 {
				program.Reset()
				program.Constrain(mean)
			}
			sol, err := program.Minimize(x, losses)
			if err != nil || sol.Relative() > 1e-9 || sol.Residual > 1e-9 {
				t.Errorf("game %d, program %d: %v: %v", seed, k, sol, err)
			}
			values = append(values, sol.Value)
			for _, p := range []*activeSet{sum.rows, program.rows} {
				if p.held.any() {
					held++
				}
			}
		}
		return values, held
	}
	const games = 120
	total := 0
	for _, large := range []int{4, 1000} {
		for seed := range uint64(games) {
			holdingFrom(t, math.MaxInt, 1000, 0.75)
			want, _ := play(seed)
			holdingFrom(t, 4, large, 0.4)
			got, held := play(seed)
			total += held
			for k, v := range got {
				if math.Abs(v-want[k]) > 1e-9*max(1, math.Abs(want[k])) {
					t.Errorf("game %d, value %d: %v, want %v", seed, k, v, want[k])
				}
			}
		}
	}
	if total < 8*games {
		t.Errorf("of %d games, only %d solutions held coordinates", 2*games, total)
	}
}

// TestHeldModelsAsTheyAre: models of smooth sums hold coordinates in as many dimensions as they do
// outside of tests, from the smallest on; where the Hessian is diagonal and large, reduced serves
// them.
func TestHeldModelsAsTheyAre(t *testing.T) {
	for _, n := range []int{holdFrom, reducedDiagonalFrom + 3} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		sum := NewSum(Cube(n, -1, 1))
		q := make([]float64, n*n)
		for i := range n {
			q[i*n+i] = 1 + r.Float64()
		}
		hinge := NewForm(n)
		NewBasis(&Quadratic{Q: q, A: make([]float64, n), B: -float64(n) / 4}).AddTo(hinge, 1)
		sum.AddHinge(1, hinge)
		for range 5 {
			f := &Separable{Curve: Softplus{}, Weight: 3, Rate: make([]float64, n), Offset: 1}
			lin := make([]float64, n)
			for i := range n {
				f.Rate[i], lin[i] = 0.1*r.NormFloat64(), 10*r.NormFloat64() // most are at a bound
			}
			sum.Add(1, NewBasis(f))
			sum.Add(1, &Affine{A: lin})
			x := make([]float64, n)
			cert, err := sum.Minimize(x, Prox{Weight: 0.5, Center: make([]float64, n)})
			if err != nil || cert.Relative() > 1e-9 {
				t.Errorf("%d dimensions: %v: %v", n, err, cert)
			}
		}
		if held := sum.rows.held.any(); held != (n < reducedDiagonalFrom) {
			t.Errorf("in %d dimensions coordinates are held: %v", n, held)
		}
	}
}

// TestPairBound: of the sums of two quadratic constraints a program keeps two, in the units in
// which they were added, and has the solution and the residual of one that keeps all.
func TestPairBound(t *testing.T) {
	const n = 5
	solve := func(seed uint64) (values, residuals []float64, most int) {
		r := rand.New(rand.NewPCG(seed, 9))
		bowl := func() *Basis {
			f := &Quadratic{Q: make([]float64, n*n), A: make([]float64, n), B: -0.3 - r.Float64()}
			for i := range n {
				f.Q[i*n+i], f.A[i] = 0.5+r.Float64(), 0.3*r.NormFloat64()
			}
			return NewBasis(f)
		}
		p, x := NewProgram(Cube(n, -2, 2)), make([]float64, n)
		first, second := bowl(), bowl()
		objective := NewForm(n)
		for i := range n {
			objective.Lin[i] = r.NormFloat64()
		}
		for round := range 4 {
			if round == 2 {
				p.Reset()
			}
			for range 6 {
				f, a, b := NewForm(n), first, second
				if r.IntN(2) == 0 {
					a, b = b, a
				}
				a.AddTo(f, 0.1+5*r.Float64())
				b.AddTo(f, 0.1+5*r.Float64())
				p.Constrain(f)
			}
			if round == 3 { // one with a constant is kept by itself
				f := NewForm(n)
				f.Const = 0.2
				first.AddTo(f, 1)
				second.AddTo(f, 1)
				p.Constrain(f)
			}
			sol, err := p.Minimize(x, objective)
			if err != nil || sol.Relative() > 1e-9 || sol.Residual > 1e-9 {
				t.Errorf("game %d: %v: %v", seed, sol, err)
			}
			far := []float64{2, -2, 2, -2, 2} // every constraint is violated there
			values, residuals = append(values, sol.Value), append(residuals, p.residual(far))
			most = max(most, p.Len())
		}
		return values, residuals, most
	}
	for seed := range uint64(200) {
		holdingFrom(t, math.MaxInt, 1000, 0.75)
		want, worst, all := solve(seed)
		holdingFrom(t, 4, 1000, 0.75)
		got, residuals, kept := solve(seed)
		if all != 13 || kept != 3 {
			t.Errorf("game %d: %d and %d constraints are kept, want 13 and 3", seed, all, kept)
		}
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Errorf("game %d: the value is %v, want %v", seed, got[k], want[k])
			}
			if math.Abs(residuals[k]-worst[k]) > 1e-12*max(1, worst[k]) {
				t.Errorf("game %d: the residual is %v, want %v", seed, residuals[k], worst[k])
			}
		}
	}
}

// A program forgets pairs of functions that do not return.
func TestPairBoundForgets(t *testing.T) {
	holdingFrom(t, 2, 1000, 0.75)
	p := NewProgram(Cube(2, -1, 1))
	for range 5 {
		p.Reset()
		f := NewForm(2)
		for range 2 {
			NewBasis(&SquaredDistance{Weight: 1, Center: make([]float64, 2)}).AddTo(f, 1)
		}
		p.Constrain(f)
		if len(p.pairs) > 2 || p.Len() != 1 {
			t.Errorf("%d pairs are kept, and %d constraints", len(p.pairs), p.Len())
		}
	}
}

// The search for the minimiser of least norm returns x(ρ), near that minimiser, where coordinates
// are held, too.
func TestLeastNormOfHeldCoordinates(t *testing.T) {
	const n = 600
	p, obj, x := NewProgram(Cube(n, 0, 1)), NewForm(n), make([]float64, n)
	row := NewForm(n)
	row.Const, row.Lin[1], row.Lin[2] = 1, -1, -1
	p.Constrain(row)
	obj.Lin[0] = -1
	from, _, err := p.rows.minimizeFrom(x, p.set, obj, 1e-3, nil)
	if err != nil || vec.Dist(from, x) > 1e-12 || x[0] != 1 || abs(x[1]-0.5)+abs(x[2]-0.5) > 1e-12 {
		t.Errorf("from %v to %v (%v)", from[:4], x[:4], err)
	}
}

// TestResetInManyDimensions: a program that is reset and given other constraints has the value of
// a new one, with affine, diagonal and dense objectives, and with one after the other where
// constraints stay for some rounds: each has linear algebra of its own.
func TestResetInManyDimensions(t *testing.T) {
	const n = 130
	r := rand.New(rand.NewPCG(31, 32))
	for _, set := range []Set{Cube(n, -1, 1), &Simplex{n, 1}} {
		for objectives := range 4 {
			p, x, y := NewProgram(set), make([]float64, n), make([]float64, n)
			sum, objective := NewForm(n), NewForm(n)
			var constraints []*Form
			for round := range 12 {
				sum.Const -= 0.3
				kind := objectives
				if kind == 3 {
					kind, objective = (2*round)%3, NewForm(n)
				}
				for i := range n {
					sum.Lin[i] += r.NormFloat64()
					objective.Lin[i] += r.NormFloat64() + 10*float64(i%2)
				}
				switch h := make([]float64, n); kind {
				case 1:
					(&SquaredDistance{Weight: 0.1, Center: h}).AddTo(objective, 1)
				case 2:
					for i := range h {
						h[i] = 0.1 * r.NormFloat64()
					}
					(&LeastSquares{H: h, Y: []float64{1}}).AddTo(objective, 1)
				}
				anew := NewProgram(set)
				if objectives < 3 || round%6 == 0 {
					p.Reset()
					constraints = constraints[:0]
				}
				constraints = append(constraints, sum.Clone())
				p.Constrain(sum)
				for _, f := range constraints {
					anew.Constrain(f)
				}
				got, err := p.Minimize(x, objective)
				want, err2 := anew.Minimize(y, objective)
				if err != nil || err2 != nil || got.Residual > 1e-9 || got.Relative() > 1e-9 ||
					math.Abs(got.Value-want.Value) > 1e-9*math.Abs(want.Value) {
					t.Errorf("%T, objective %d, round %d: %v (%v), want %v (%v)", set, objectives, round, got, err,
						want, err2)
				}
			}
		}
	}
}
