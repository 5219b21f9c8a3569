package convex_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/long"
	"ocobench/internal/race"
)

// draw draws numbers of one kind for a test case. Each kind tests something else of
// a solver: integers give ties, running averages are nearly parallel, and scales
// test whether tolerances are relative.
type draw struct {
	*rand.Rand
	kind string
}

var kinds = []string{"integer", "normal", "tiny", "huge", "mixed", "average"}

func (d draw) number() float64 {
	switch d.kind {
	case "integer":
		return float64(d.IntN(5) - 2)
	case "tiny":
		return 1e-8 * d.NormFloat64()
	case "huge":
		return 1e8 * d.NormFloat64()
	case "mixed":
		return math.Pow(10, float64(d.IntN(7)-3)) * d.NormFloat64()
	}
	return d.NormFloat64()
}

func (d draw) vector(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = d.number()
	}
	return x
}

// psd returns a matrix BBᵀ of random rank.
func (d draw) psd(n int) []float64 {
	q := make([]float64, n*n)
	for range d.IntN(n + 1) {
		b := d.vector(n)
		s := 1.0
		if d.kind == "huge" || d.kind == "tiny" { // of the size of the vectors, not its square
			s = 1 / vec.Norm(b)
		}
		for i := range n {
			for j := range n {
				q[i*n+j] += s * (b[i] * b[j])
			}
		}
	}
	return q
}

// set returns a domain of dimension n around the origin, sometimes without interior.
func (d draw) set(n int) convex.Set {
	switch d.IntN(4) {
	case 0:
		if n > 1 {
			return simplex(n, float64(1+d.IntN(3)))
		}
		fallthrough
	case 1:
		c := make([]float64, n)
		for i := range c {
			c[i] = float64(d.IntN(3) - 1)
		}
		return ball(float64(1+d.IntN(3)), c...)
	}
	lo, hi := make([]float64, n), make([]float64, n)
	for i := range n {
		lo[i] = -float64(d.IntN(3))
		hi[i] = float64(d.IntN(3))
	}
	return box(lo, hi)
}

// sumAndTwin has a sum and its twin, and compares their answers.
type sumAndTwin struct {
	sum   *convex.Sum
	twin  *twinSum
	set   convex.Set
	x     []float64
	point []float64 // where the optimum was last, by the twin

	worst float64 // relative gap seen
}

func newBoth(set convex.Set) *sumAndTwin {
	return &sumAndTwin{sum: convex.NewSum(set), twin: newTwinSum(set), set: set,
		x: make([]float64, set.Dim())}
}

func (b *sumAndTwin) add(scale float64, f convex.Func) { b.sum.Add(scale, f); b.twin.Add(scale, f) }
func (b *sumAndTwin) hinge(w float64, f *convex.Form) {
	b.sum.AddHinge(w, f)
	b.twin.AddHinge(w,
		f)
}
func (b *sumAndTwin) gamma(g float64) { b.sum.SetGamma(g); b.twin.SetGamma(g) }
func (b *sumAndTwin) reset()          { b.sum.ResetHinges(); b.twin.ResetHinges() }

// check minimises both and returns what is wrong, if anything. Values are
// compared in units of max(1, |value|), plus the rounding of their terms.
func (b *sumAndTwin) check(prox convex.Prox) error {
	for i := range b.x {
		b.x[i] = math.NaN()
	}
	cert, err := b.sum.Minimize(b.x, prox)
	if err != nil {
		return fmt.Errorf("%w: %+v at %v, prox %v", err, cert, b.x, prox)
	}
	opt := b.twin.Minimize(prox)
	value := b.twin.Value(b.x, prox)
	unit := max(1, math.Abs(value))
	// Rounding errors at the answer, and far from it, at points of the twin.
	rounding := 1e-13 * (b.twin.Mass(b.x, prox) + b.twin.Mass(opt.X, prox))
	dir, far := make([]float64, len(b.x)), make([]float64, len(b.x))
	for i := range dir {
		for _, s := range []float64{-1, 1} {
			dir[i] = s
			b.set.Support(far, dir)
			rounding += 1e-15 * b.twin.Mass(far, prox)
		}
		dir[i] = 0
	}
	relative := (cert.Gap - rounding) / unit
	b.worst = max(b.worst, relative)
	uncertain := opt.Upper - opt.Lower
	switch {
	case !(b.set.Residual(b.x) <= 1e-12*max(1, vec.Norm(b.x))):
		return fmt.Errorf("%v is outside of the domain by %g", b.x, b.set.Residual(b.x))
	case !(math.Abs(cert.Value-value) <= 1e-12*unit+rounding):
		return fmt.Errorf("Value %v is not the value at x %v: %v (off %g, rounding %g)", cert.Value, b.x,
			value, cert.Value-value, rounding)
	case !(relative <= 1e-9):
		return fmt.Errorf("relative gap %g: %+v at %v; optimum in [%v, %v] at %v", relative, cert, b.x,
			opt.Lower, opt.Upper, opt.X)
	case !(opt.Upper >= cert.Value-cert.Gap-1e-9*unit-rounding):
		return fmt.Errorf("certificate lies: %+v at %v, but %v has %v", cert, b.x, opt.X, opt.Upper)
	case !(cert.Value <= opt.Upper+1e-8*unit+rounding):
		return fmt.Errorf("value %v, but %v has %v", cert.Value, opt.X, opt.Upper)
	case uncertain <= 1e-8*unit && !(cert.Value >= opt.Lower-1e-8*unit-rounding):
		return fmt.Errorf("value %v, but the optimum is at least %v", cert.Value, opt.Lower)
	case prox.Weight > 0:
		// f(y) ≥ f(x*) + weight‖y−x*‖² on the set.
		if d, most := vec.Dist(b.x, opt.X), math.Sqrt(
			(cert.Gap+uncertain+1e-12*unit+rounding)/prox.Weight)*2+
			1e-12*max(1, vec.Norm(b.x)); !(d <= most) {
			return fmt.Errorf("the minimiser %v is %g from the twin's %v, more than %g", b.x, d, opt.X, most)
		}
	}
	b.point = opt.X
	return nil
}

func (d draw) prox(n int) convex.Prox {
	switch d.IntN(3) {
	case 0:
		return convex.Prox{}
	case 1:
		return convex.Prox{Weight: 1, Center: make([]float64, n)}
	}
	return convex.Prox{Weight: math.Abs(d.number()), Center: d.vector(n)}
}

var (
	more = flag.Int("more", 1, "how many times as many random cases")
	only = flag.Int("only", -1, "the one random case to run")
)

// caseCount returns the number of cases to run, smaller in a sample, and with -short and the race
// detector.
func caseCount(count int, whole bool) int {
	switch {
	case testing.Short() || race.Enabled:
		count = count/10 + 1
	case !whole:
		count = count/3 + 1
	}
	return count * *more
}

// runCases runs f on that many seeded cases of every kind.
func runCases(t *testing.T, count int, f func(d draw) (*sumAndTwin, error)) {
	t.Helper()
	long.Run(t, func(t *testing.T, whole bool) { everyKind(t, caseCount(count, whole), f) })
}

func everyKind(t *testing.T, count int, f func(d draw) (*sumAndTwin, error)) {
	t.Helper()
	for _, kind := range kinds {
		t.Run("kind="+kind, func(t *testing.T) {
			worst, failed := 0.0, 0
			for k := range count {
				if *only >= 0 && *only != k {
					continue
				}
				b, err := f(draw{rand.New(rand.NewPCG(1, uint64(k))), kind})
				if b != nil {
					worst = max(worst, b.worst)
				}
				if err != nil {
					failed++
					if failed <= 3 {
						t.Errorf("case %d: %v", k, err)
					}
				}
			}
			if failed > 0 {
				t.Errorf("got %d failures in %d cases, want none", failed, count)
			}
			t.Logf("worst relative gap %.1e", worst)
		})
	}
}

// hingeOf returns affine and quadratic hinges of this kind; for the kind average,
// running averages.
func (d draw) quadratic(n int) *convex.Form {
	f := convex.Lower(&convex.Affine{A: d.vector(n), B: d.number()}, n)
	if d.IntN(2) == 0 {
		(&convex.Quadratic{Q: d.psd(n), A: make([]float64, n)}).AddTo(f, 1)
	}
	return f
}

func TestLineHasTheMinimumOfTheTwin(t *testing.T) {
	runCases(t, 3000, func(d draw) (*sumAndTwin, error) {
		b := newBoth(d.set(1))
		total := convex.NewForm(1)
		for step := range 1 + d.IntN(12) {
			if d.IntN(3) == 0 {
				b.add(math.Abs(d.number()), d.quadratic(1))
			}
			switch d.IntN(12) {
			case 0:
				b.reset()
			case 1:
				b.gamma(math.Abs(d.number()))
			case 2:
				b.gamma(0)
			}
			for range d.IntN(4) {
				h := d.quadratic(1)
				if d.kind == "average" {
					h.AddTo(total, 1)
					total.AddTo(h, 1/float64(step+1))
				}
				w := math.Abs(d.number())
				if d.IntN(5) == 0 {
					w = 0
				}
				for range 1 + d.IntN(2) {
					b.hinge(w, h)
				}
			}
			if err := b.check(d.prox(1)); err != nil {
				return b, fmt.Errorf("step %d: %w", step, err)
			}
		}
		return b, nil
	})
}

// rowsCase is a game with affine hinges in n dimensions.
func rowsCase(d draw) (*sumAndTwin, error) {
	n := 2 + d.IntN(5)
	b := newBoth(d.set(n))
	total := convex.NewForm(n)
	var last *convex.Form
	for step := range 1 + d.IntN(6) {
		switch d.IntN(4) {
		case 0:
			b.add(1, &convex.Affine{A: d.vector(n), B: d.number()})
		case 1:
			b.add(1, &convex.Quadratic{Q: d.psd(n), A: d.vector(n)})
		}
		switch d.IntN(12) {
		case 0:
			b.reset()
		case 1:
			b.gamma(math.Abs(d.number()))
		case 2:
			b.gamma(0)
		}
		for range d.IntN(8) {
			h := convex.Lower(&convex.Affine{A: d.vector(n), B: d.number()}, n)
			switch {
			case d.kind == "average":
				total.AddTo(h, 1)
				h.AddTo(total, 0)
				total = h.Clone()
				h = convex.NewForm(n)
				total.AddTo(h, 1/float64(step+1))
			case last != nil && d.IntN(4) == 0: // parallel, opposite, the same again
				h = convex.NewForm(n)
				last.AddTo(h, float64(d.IntN(5)-2))
				h.Const += float64(d.IntN(3) - 1)
			}
			w := math.Abs(d.number())
			if d.IntN(8) == 0 {
				w = 0
			}
			b.hinge(w, h)
			last = h
		}
		if err := b.check(d.prox(n)); err != nil {
			return b, fmt.Errorf("step %d: %w", step, err)
		}
	}
	return b, nil
}

// TestResetSumHasTheBitsOfANewOne: after Reset, the minimisers of any sum have the same bits as
// those of a new one.
func TestResetSumHasTheBitsOfANewOne(t *testing.T) {
	runCases(t, 100, func(d draw) (*sumAndTwin, error) {
		n := 1 + d.IntN(5)
		set, bases := d.set(n), append(d.bases(n, 3, norm), elasticNet(d, n))
		used := convex.NewSum(set)
		for k := range 8 {
			used.Reset()
			sums := []*convex.Sum{used, convex.NewSum(set)}
			for step := range 1 + d.IntN(3) {
				loss, weight, prox := d.quadratic(n), float64(1+d.IntN(9)), d.prox(n)
				var hinges []*convex.Form
				for range d.IntN(12) {
					h := convex.Lower(&convex.Affine{A: d.vector(n), B: d.number()}, n)
					if k%3 == 2 {
						bases[d.IntN(len(bases))].AddTo(h, 1)
					}
					hinges = append(hinges, h)
				}
				var answers []string
				for _, s := range sums {
					s.Add(1, loss)
					s.SetGamma(weight)
					for _, h := range hinges {
						s.AddHinge(1, h)
					}
					x := make([]float64, n)
					cert, err := s.Minimize(x, prox)
					answers = append(answers, fmt.Sprintf("%x %+v %v", x, cert, err))
				}
				if answers[0] != answers[1] {
					return nil, fmt.Errorf("sum %d, step %d: reset %s, new %s", k, step, answers[0], answers[1])
				}
			}
		}
		return nil, nil
	})
}

// bend draws bases with kinks by norm or elasticNet; nil draws smooth ones.
type bend func(d draw, n int) *convex.Basis

func norm(d draw, n int) *convex.Basis {
	return distance(1+math.Abs(d.number()), -1, d.vector(n)...)
}

// elasticNet has kinks where a coordinate is 0, and so has sparse minimisers. It may
// be linear between the kinks.
func elasticNet(d draw, n int) *convex.Basis {
	return convex.NewBasis(&convex.ElasticNet{
		L1: math.Abs(d.number()), L2: float64(d.IntN(3)), Offset: -float64(d.IntN(3)),
	})
}

// bases returns k bases in n dimensions, some with kinks if bend is not nil.
func (d draw) bases(n, k int, bend bend) []*convex.Basis {
	var bs []*convex.Basis
	for range k {
		switch d.IntN(4) {
		case 0:
			bs = append(bs, convex.NewBasis(&convex.Affine{A: d.vector(n), B: d.number()}))
		case 1:
			if bend != nil {
				bs = append(bs, bend(d, n))
				continue
			}
			fallthrough
		default:
			bs = append(bs, convex.NewBasis(&convex.Quadratic{Q: d.psd(n), A: d.vector(n), B: d.number()}))
		}
	}
	return bs
}

// curvedCase returns a game whose constraints are drawn from some bases, with
// constants if perturbed, or are the sums of those drawn so far.
func curvedCase(k, steps int, perturbed bool, bend bend) func(d draw) (*sumAndTwin, error) {
	return func(d draw) (*sumAndTwin, error) {
		n := 2 + d.IntN(4)
		b := newBoth(d.set(n))
		bases := d.bases(n, k, bend)
		total := convex.NewForm(n)
		b.gamma(float64(1 + d.IntN(25)))
		for step := range 1 + d.IntN(steps) {
			switch d.IntN(4) {
			case 0:
				b.add(1, &convex.Affine{A: d.vector(n), B: d.number()})
			case 1:
				b.add(1, &convex.Quadratic{Q: d.psd(n), A: d.vector(n)})
			}
			if d.IntN(12) == 0 {
				b.reset()
			}
			for range d.IntN(6) {
				bases[d.IntN(k)].AddTo(total, 1)
				if perturbed {
					total.Const += d.number()
				}
				if d.IntN(2) == 0 {
					b.hinge(1/float64(step+1), total)
				} else {
					h := convex.NewForm(n)
					bases[d.IntN(k)].AddTo(h, 1)
					if k == 2 && d.IntN(2) == 0 { // both in any order
						bases[d.IntN(k)].AddTo(h, 1)
					}
					if perturbed {
						h.Const += d.number()
					}
					b.hinge(1, h)
				}
			}
			prox := convex.Prox{Weight: math.Sqrt(float64(step + 1)), Center: make([]float64, n)}
			if d.IntN(4) == 0 {
				prox = d.prox(n)
			}
			if err := b.check(prox); err != nil {
				return b, fmt.Errorf("step %d: %w", step, err)
			}
		}
		return b, nil
	}
}

// degenerateCase is a game with degenerate hinges: of equal bases or of one basis
// twice, with quadratic parts of their own, affine, constant, with weight 0, or
// repeated.
func degenerateCase(d draw) (*sumAndTwin, error) {
	n := 2 + d.IntN(3)
	b := newBoth(d.set(n))
	bases := d.bases(n, 1+d.IntN(4), nil)
	bases = append(bases, bases[0], convex.NewBasis(
		&convex.Affine{A: make([]float64, n), B: d.number()}))
	f := &convex.Quadratic{Q: d.psd(n), A: d.vector(n), B: d.number()}
	for range 2 {
		bases = append(bases, convex.NewBasis(f), convex.NewBasis(&opaque{F: f.Value, Grad: f.Subgrad}))
	}
	last, total := convex.NewForm(n), convex.NewForm(n)
	for step := range 1 + d.IntN(6) {
		b.add(1, &convex.Affine{A: d.vector(n), B: d.number()})
		switch d.IntN(12) {
		case 0:
			b.reset()
		case 1:
			b.gamma(math.Abs(d.number()))
		}
		for range d.IntN(8) {
			h := convex.NewForm(n)
			switch d.IntN(6) {
			case 0:
				d.quadratic(n).AddTo(h, 1)
			case 1:
				last.AddTo(h, float64(d.IntN(3)))
			case 2:
				for _, basis := range bases {
					basis.AddTo(h, float64(d.IntN(2)))
				}
				h.Const += d.number()
			default:
				bases[d.IntN(len(bases))].AddTo(total, 1)
				total.AddTo(h, 1/float64(step+1))
			}
			w := math.Abs(d.number())
			if d.IntN(6) == 0 {
				w = 0
			}
			for range 1 + d.IntN(2) {
				b.hinge(w, h)
			}
			last = h
		}
		if err := b.check(d.prox(n)); err != nil {
			return b, fmt.Errorf("step %d: %w", step, err)
		}
	}
	return b, nil
}

// Sums have the minimum of their twin, with hinges of every kind.
func TestSumsHaveTheMinimumOfTheTwin(t *testing.T) {
	for _, c := range []struct {
		hinges string
		count  int
		game   func(d draw) (*sumAndTwin, error)
	}{
		{"affine", 300, rowsCase},
		{"one basis", 130, curvedCase(1, 6, true, nil)},
		{"two bases", 130, curvedCase(2, 6, false, nil)},
		{"many bases", 130, curvedCase(4, 6, false, nil)},
		{"perturbed", 130, curvedCase(3, 6, true, nil)},
		{"norms", 130, curvedCase(3, 6, true, norm)},
		{"elastic nets, perturbed", 200, curvedCase(2, 6, true, elasticNet)},
		{"elastic nets", 200, curvedCase(4, 6, false, elasticNet)},
		{"degenerate", 100, degenerateCase},
		{"known by values", 100, opaqueCase},
	} {
		t.Run(c.hinges, func(t *testing.T) { runCases(t, c.count, c.game) })
	}
}

// TestLongGamesKeepTheirCertificates plays long games with warm starts, as a learner does. The
// hinges are of running averages, γ changes, the regulariser grows with √t, and many kinks are near
// the minimiser. The test checks every certificate, and in some rounds it compares the answer with
// the twin and with a cold start.
func TestLongGamesKeepTheirCertificates(t *testing.T) {
	norm := func(d draw, n int) *convex.Basis { return distance(1, -.5, d.vector(n)...) }
	quad := func(d draw, n int) *convex.Basis {
		return convex.NewBasis(&convex.Quadratic{Q: d.psd(n), A: d.vector(n), B: -.1})
	}
	noise := func(d draw, total *convex.Form) {
		for i := range total.Lin {
			total.Lin[i] += d.NormFloat64()
		}
		total.Const += d.NormFloat64() - .1
	}
	drawn := func(k int, basis func(d draw, n int) *convex.Basis, perturbed bool) func(d draw,
		n int) func(total *convex.Form) {
		return func(d draw, n int) func(total *convex.Form) {
			var bs []*convex.Basis
			for range k {
				bs = append(bs, basis(d, n))
			}
			return func(total *convex.Form) {
				bs[d.IntN(k)].AddTo(total, 1)
				if perturbed {
					total.Const += d.NormFloat64()
				}
			}
		}
	}
	for _, g := range []struct {
		name   string
		n      int
		rounds int
		set    convex.Set
		next   func(d draw, n int) func(total *convex.Form)
	}{
		{"line", 1, 2000, convex.Cube(1, -1, 1),
			func(d draw, n int) func(*convex.Form) { return func(f *convex.Form) { noise(d, f) } }},
		{"line-bent", 1, 500, convex.Cube(1, -1, 1), drawn(1, norm, true)},
		{"rows-box", 3, 1000, convex.Cube(3, -1, 1),
			func(d draw, n int) func(*convex.Form) { return func(f *convex.Form) { noise(d, f) } }},
		{"rows-ball", 2, 500, ball(1, 0, 0),
			func(d draw, n int) func(*convex.Form) { return func(f *convex.Form) { noise(d, f) } }},
		{"rows-simplex", 4, 500, simplex(4, 1),
			func(d draw, n int) func(*convex.Form) { return func(f *convex.Form) { noise(d, f) } }},
		{"ray", 3, 1000, convex.Cube(3, -1, 1), drawn(1, quad, true)},
		{"ray-norm", 3, 300, ball(1, 0, 0, 0), drawn(1, norm, true)},
		{"fan", 3, 1000, convex.Cube(3, -1, 1), drawn(2, quad, false)},
		{"fan-norms", 3, 300, simplex(3, 1), drawn(2, norm, false)},
		{"family", 3, 200, convex.Cube(3, -1, 1), drawn(4, quad, false)},
		{"family-perturbed", 3, 200, convex.Cube(3, -1, 1), drawn(2, norm, true)},
	} {
		t.Run("path="+g.name, func(t *testing.T) {
			d := draw{rand.New(rand.NewPCG(21, 22)), "normal"}
			b := newBoth(g.set)
			b.gamma(25)
			next := g.next(d, g.n)
			total := convex.NewForm(g.n)
			loss := &convex.Affine{A: d.vector(g.n)}
			rounds, check := g.rounds, 1
			if testing.Short() || race.Enabled {
				rounds /= 10
			}
			worst := 0.0
			for round := 1; round <= rounds; round++ {
				b.add(1, loss)
				next(total)
				b.hinge(1/float64(round), total)
				switch round % 97 {
				case 50:
					b.gamma(100)
				case 90:
					b.gamma(5)
				}
				prox := convex.Prox{Weight: math.Sqrt(float64(round)), Center: make([]float64, g.n)}
				cert, err := b.sum.Minimize(b.x, prox)
				worst = max(worst, cert.Relative())
				if err != nil || cert.Relative() > 1e-9 {
					t.Fatalf("round %d: got %+v, error %v, want a gap of 1e-9", round, cert, err)
				}
				if round < check {
					continue
				}
				check = 3*check + 1
				if err := b.check(prox); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				cold := convex.NewSum(g.set)
				b.twin.Replay(cold)
				y := make([]float64, g.n)
				again, err := cold.Minimize(y, prox)
				if err != nil || math.Abs(again.Value-cert.Value) > 1e-9*max(1, math.Abs(cert.Value)) {
					t.Fatalf("round %d: got warm %+v at %v, want cold %+v at %v, error %v", round, cert, b.x,
						again, y, err)
				}
			}
			t.Logf("worst relative gap %.1e", worst)
		})
	}
}
