package convex

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/vec"
	"ocobench/internal/long"
)

// games are the sums of games of Penalised FTRL on random affine constraints:
// averages that converge, averages with opposite or unrelated directions,
// constraints that repeat, and independent ones.
var games = map[string]func(r *rand.Rand, j, t int, a []float64) (b float64){
	"average": func(r *rand.Rand, j, _ int, a []float64) float64 {
		for i := range a {
			a[i] = float64(i%3-1) + float64(r.Float64()) - 0.4
		}
		return -0.25 + 0.3*(r.Float64()-0.5)
	},
	"opposite": func(r *rand.Rand, j, t int, a []float64) float64 {
		for i := range a {
			a[i] = (1 + 0.1*r.Float64()) * float64(1-2*(j%2))
		}
		return 0.2 * (r.Float64() - 0.5)
	},
	"unrelated": func(r *rand.Rand, _, _ int, a []float64) float64 {
		for i := range a {
			a[i] = r.NormFloat64()
		}
		return r.NormFloat64()
	},
	"again": func(_ *rand.Rand, j, t int, a []float64) float64 {
		for i := range a {
			a[i] = float64((i+j+t)%3 - 1)
		}
		return float64(t%2) - 0.5
	},
}

// play plays rounds of a game and returns the actions.
func play(t *testing.T, kind string, set Set, m, rounds int, seed uint64) (actions [][]float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	n := set.Dim()
	s := NewSum(set)
	center, a, x := make([]float64, n), make([]float64, n), make([]float64, n)
	cum := make([]*Form, m)
	for j := range cum {
		cum[j] = NewForm(n)
	}
	for tau := 1; tau <= rounds; tau++ {
		for i := range a {
			a[i] = -float64(i%3-1) + 2*r.Float64() - 1
		}
		s.Add(1, &Affine{A: a})
		if tau == rounds/2 && kind == "again" {
			s.ResetHinges()
		}
		s.SetGamma(float64(5 + tau%7*(tau%2)))
		for j, g := range cum {
			(&Affine{A: a, B: games[kind](r, j, tau, a)}).AddTo(g, 1)
			s.AddHinge(1/float64(tau), g)
		}
		if _, err := s.Minimize(x, Prox{math.Sqrt(float64(tau)), center}); err != nil {
			t.Fatal(err)
		}
		actions = append(actions, slices.Clone(x))
	}
	return actions
}

// An active set with a screen has the same solutions as one that evaluates every
// row. They differ by rounding, since they may take tied rows in another order.
func TestScreenMissesNothing(t *testing.T) { long.Run(t, testScreenMissesNothing) }

func testScreenMissesNothing(t *testing.T, whole bool) {
	rounds := 120
	switch {
	case testing.Short():
		rounds = 60
	case whole:
		rounds = 250
	}
	for _, kind := range []string{"average", "opposite", "unrelated", "again"} {
		for _, n := range []int{2, 3, 7} {
			ball, _ := NewBall(make([]float64, n), 1)
			simplex, _ := NewSimplex(n, 1)
			for _, set := range []Set{Cube(n, -1, 1), ball, simplex} {
				for m := 1; m <= 3; m += 2 {
					t.Run(fmt.Sprintf("kind=%s/n=%d/m=%d/%T", kind, n, m, set), func(t *testing.T) {
						defer func(n int) { settleFrom = n }(settleFrom)
						got := play(t, kind, set, m, rounds, 7)
						settleFrom = 2
						settled := play(t, kind, set, m, rounds, 7)
						rescan = true
						defer func() { rescan = false }()
						want := play(t, kind, set, m, rounds, 7)
						for tau := range want {
							if vec.Dist(got[tau], want[tau]) > 1e-12 || vec.Dist(settled[tau], want[tau]) > 1e-12 {
								t.Fatalf("round %d: %v, or %v where screens settle, but %v when every row is evaluated",
									tau+1, got[tau], settled[tau], want[tau])
							}
						}
					})
				}
			}
		}
	}
}

// No row changes its sign while it is in a level, for small steps, jumps, circles
// and returns of x, and for segments at whose end it settles. On segments of any length, the first
// row to change sign is found.
func TestScreenKeepsSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, rows = 4, 300
	for trial := range 20 {
		w := newScreen(n, 1)
		a, b, sign := make([][]float64, rows), make([]float64, rows), make([]bool, rows)
		for i := range a {
			a[i] = make([]float64, n)
			for k := range a[i] {
				a[i][k] = float64(k%2) + r.NormFloat64()/math.Sqrt(float64(1+i*trial))
			}
			b[i] = r.NormFloat64() / 3
			w.add(a[i])
			w.recenter(func(i int) []float64 { return a[i] })
		}
		x, y, looked, left, settled := make([]float64, n), make([]float64, n), 0, 0, 0
		for step := range 2000 {
			size := 1e-4
			if step%100 == 0 {
				size = 0.3
			}
			for k := range x {
				x[k] = max(-1, min(1, x[k]+size*r.NormFloat64()))
			}
			w.update(x, func(i int) (float64, bool) {
				looked++
				s := vec.Dot(a[i], x) + b[i]
				sign[i] = s > 0
				return math.Abs(s), true
			})
			for i := range a {
				if s := vec.Dot(a[i], x) + b[i]; w.levelOf[i] >= 0 && (s > 0) != sign[i] {
					t.Fatalf("trial %d, step %d: row %d changed its sign to %v without being evaluated", trial,
						step, i, s)
				}
			}
			vec.AxpyTo(y, math.Pow(10, -float64(step%5)), []float64{1, -1, r.Float64(), r.NormFloat64()}, x)
			after := func(i int) float64 {
				s, end := vec.Dot(a[i], x)+b[i], vec.Dot(a[i], y)+b[i]
				if (s > 0) == (end > 0) {
					return math.Inf(1)
				}
				return s / (s - end)
			}
			want := notPlaced
			for i := range a {
				if w.levelOf[i] >= 0 && after(i) < 1 && (want == notPlaced || after(i) < after(want)) {
					want = i
				}
			}
			margin := func(i int) float64 {
				looked++
				return math.Abs(vec.Dot(a[i], y) + b[i])
			}
			got := w.firstCrossing(y, func(i int, least float64) float64 {
				if least > 0 {
					left++
					w.noteLeft(i)
					if s := math.Abs(vec.Dot(a[i], y) + b[i]); s < least || after(i) < 1 {
						t.Fatalf("trial %d, step %d: row %d has the margin %v, want at least %v", trial, step, i, s,
							least)
					}
					return math.Inf(1)
				}
				w.note(i, margin(i))
				return after(i)
			})
			if got != want {
				t.Fatalf("trial %d, step %d: row %d is first to change its sign, want %d", trial, step, got,
					want)
			}
			if got == notPlaced {
				w.settle(y, margin)
				copy(x, y)
				settled++
			}
		}
		if settled < 100 {
			t.Errorf("trial %d: %d segments without a change of sign, want more", trial, settled)
		}
		if left < 300 {
			t.Errorf("trial %d: %d rows are left, want more", trial, left)
		}
		if all := 2000 * rows; looked > all/4 {
			t.Errorf("trial %d: %d evaluations, of %d without a screen", trial, looked, all)
		}
	}
}

// TestScreenTruncates removes rows and adds others with the same numbers.
func TestScreenTruncates(t *testing.T) {
	w := newScreen(1, 1)
	for range 3 {
		w.add([]float64{1})
	}
	see := func() (seen []int) {
		w.update([]float64{0.5}, func(i int) (float64, bool) { seen = append(seen, i); return 1, true })
		return seen
	}
	if got := see(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("first, %v are evaluated, want all three", got)
	}
	w.truncate(1)
	w.add([]float64{2})
	w.markPending(0)
	if got := see(); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("then %v are evaluated, want the new row and the pending one", got)
	}
	if got := see(); len(got) != 0 {
		t.Errorf("when x has not moved, %v are evaluated, want none", got)
	}
}

// The averages of constraints that do not change are multiples of one hinge. They
// are merged into one row, in every state of the row.
func TestParallelHingesMerge(t *testing.T) {
	for _, c := range []struct {
		name string
		loss float64 // of −x₁ a round, against 10·max(0, x₁ + x₂ − 0.3)
	}{{"off", -0.1}, {"on", 100}, {"kink", 1}} {
		t.Run(c.name, func(t *testing.T) {
			set := Cube(2, -1, 1)
			many, cum := NewSum(set), NewForm(2)
			g := &Affine{A: []float64{1, 1}, B: -0.3}
			x, y, center := make([]float64, 2), make([]float64, 2), make([]float64, 2)
			for tau := 1; tau <= 300; tau++ {
				many.Add(1, &Affine{A: []float64{-c.loss, 0.1}})
				g.AddTo(cum, 1)
				many.AddHinge(10/float64(tau), cum)
				prox := Prox{math.Sqrt(float64(tau)), center}
				got, err := many.Minimize(x, prox)
				if err != nil {
					t.Fatal(err)
				}
				one := NewSum(set)
				one.Add(float64(tau), &Affine{A: []float64{-c.loss, 0.1}})
				one.AddHinge(10*float64(tau), Lower(g, 2))
				want, err := one.Minimize(y, prox)
				if err != nil {
					t.Fatal(err)
				}
				if vec.Dist(x, y) > 1e-11 || math.Abs(got.Value-want.Value) > 1e-9*math.Max(1,
					math.Abs(want.Value)) || got.Relative() > 1e-12 {
					t.Fatalf("round %d: %v at %v, want %v at %v", tau, got, x, want, y)
				}
			}
			if rows := len(many.rows.b) - many.rows.domainRows; rows != 1 {
				t.Errorf("%d rows for 300 multiples of one hinge, want 1", rows)
			}
		})
	}
}

// Each of several constraints that do not change has one row, both in a sum, where
// the averages are hinges, and in a program. One round of ten has another
// constraint.
func TestRepeatedConstraintsMerge(t *testing.T) {
	const m, rounds = 30, 100
	set, rng := Cube(3, -1, 1), rand.New(rand.NewPCG(4, 9))
	line := func() *Affine {
		return &Affine{A: []float64{rng.Float64() - .5, rng.Float64() - .5, rng.Float64() - .5},
			B: -.2 * rng.Float64()}
	}
	sum, one := NewSum(set), NewSum(set)
	program, every := NewProgram(set), NewProgram(set)
	var fixed []*Affine
	for range m {
		fixed = append(fixed, line())
	}
	extra := 0
	for k := 1; k <= rounds; k++ {
		for j, g := range fixed {
			if k%10 == 0 && j == m/2 {
				f := Lower(line(), 3)
				sum.AddHinge(1, f)
				one.AddHinge(1, f)
				program.Constrain(f)
				every.Constrain(f)
				extra++
			}
			f := NewForm(3)
			g.AddTo(f, float64(k)) // Σ_{i≤k} g, weighed by 1/k
			sum.AddHinge(1/float64(k), f)
			program.Constrain(Lower(g, 3))
			if k == 1 {
				every.Constrain(f)
			}
			if k == rounds {
				one.AddHinge(rounds, Lower(g, 3))
			}
		}
	}
	for what, rows := range map[string]*activeSet{"sum": sum.rows, "program": program.rows} {
		if got := len(rows.b) - rows.domainRows; got != m+extra {
			t.Errorf("the %s has %d rows for %d constraints", what, got, m+extra)
		}
	}
	x, y, loss := make([]float64, 3), make([]float64, 3), &Affine{A: []float64{-30, -50, 20}}
	sum.Add(1, loss)
	one.Add(1, loss)
	prox := Prox{1, make([]float64, 3)}
	a, err := sum.Minimize(x, prox)
	if err != nil {
		t.Fatal(err)
	}
	b, err := one.Minimize(y, prox)
	if err != nil || vec.Dist(x, y) > 1e-10 || math.Abs(a.Value-b.Value) > 1e-9*math.Abs(b.Value) {
		t.Errorf("the sum has %v at %v, want %v at %v (%v)", a, x, b, y, err)
	}
	c, err := program.Minimize(x, Lower(loss, 3))
	if err != nil {
		t.Fatal(err)
	}
	d, err := every.Minimize(y, Lower(loss, 3))
	if err != nil || vec.Dist(x, y) > 1e-10 || math.Abs(c.Value-d.Value) > 1e-9*math.Abs(d.Value) {
		t.Errorf("the program has %v at %v, want %v at %v (%v)", c, x, d, y, err)
	}
}

// The violation of a program is that of its worst constraint, at the solution and elsewhere, where
// constraints that are active are violated too.
func TestViolationOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 94))
	screened, ofActive := 0, 0
	for _, n := range []int{2, 5, 20} {
		p, x, center := NewProgram(Cube(n, -1, 1)), make([]float64, n), make([]float64, n)
		var fs []*Affine
		for range 160 {
			f := &Affine{A: make([]float64, n), B: -0.1 - rng.Float64()}
			for i := range n {
				f.A[i], center[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			fs = append(fs, f)
			p.Constrain(Lower(f, n))
			if _, err := p.Project(x, center); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				want, worst := 0.0, 0
				for k, f := range fs {
					if v := f.Value(x); v > want {
						want, worst = v, k
					}
				}
				if got := p.rows.violation(x); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d dimensions, %d constraints: %v, want %v", n, len(fs), got, want)
				}
				if p.rows.screen != nil {
					screened++
				}
				if want > 0.01 && slices.Contains(p.rows.active, p.rows.domainRows+worst) {
					ofActive++
				}
				for i := range x {
					x[i] += 0.3 * rng.NormFloat64()
				}
			}
		}
	}
	if screened < 100 || ofActive < 100 {
		t.Errorf("%d violations with a screen, %d of active constraints", screened, ofActive)
	}
}
