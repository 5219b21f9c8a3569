package attack

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// hansen holds the state of the equations of Hansen's tutorial: m, σ, C, p_σ and p_c after g
// generations.
type hansen struct {
	g             float64
	m, pSigma, pC []float64
	sigma         float64
	c             *mat.SymDense
}

// matrixPower returns C^p.
func matrixPower(c *mat.SymDense, p float64) *mat.Dense {
	var eigen mat.EigenSym
	eigen.Factorize(c, true)
	var b, out mat.Dense
	eigen.VectorsTo(&b)
	d := eigen.Values(nil)
	for i := range d {
		d[i] = math.Pow(d[i], p)
	}
	out.Product(&b, mat.NewDiagDense(len(d), d), b.T())
	return &out
}

// matrixTimes returns a·x.
func matrixTimes(a *mat.Dense, x []float64) []float64 {
	y := mat.NewVecDense(len(x), nil)
	y.MulVec(a, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}

// norm returns ‖x‖.
func norm(x []float64) float64 { return mat.Norm(mat.NewVecDense(len(x), x), 2) }

// update computes a generation of Figure 6 with the constants of Table 1.
func (h *hansen) update(points [][]float64, values []float64) {
	n := float64(len(h.m))
	lambda := 4 + math.Floor(3*math.Log(n))
	var w []float64
	sum, squares := 0.0, 0.0
	for i := 1.0; i <= math.Floor(lambda/2); i++ {
		w = append(w, math.Log((lambda+1)/2)-math.Log(i))
		sum += w[len(w)-1]
	}
	for i := range w {
		w[i] /= sum
		squares += w[i] * w[i]
	}
	mu := 1 / squares
	cSigma := (mu + 2) / (n + mu + 5)
	dSigma := 1 + 2*max(0, math.Sqrt((mu-1)/(n+1))-1) + cSigma
	cC := (4 + mu/n) / (n + 4 + 2*mu/n)
	c1 := 2 / ((n+1.3)*(n+1.3) + mu)
	cMu := min(1-c1, 2*(mu-2+1/mu)/((n+2)*(n+2)+mu))
	chi := math.Sqrt(n) * (1 - 1/(4*n) + 1/(21*n*n))

	order := make([]int, len(points))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		if values[a] > values[b] {
			return -1
		}
		return 1
	})
	white := matrixPower(h.c, -0.5)
	yw := make([]float64, len(h.m))
	var best [][]float64 // y_{1:λ}, …
	for i, wi := range w {
		y := make([]float64, len(h.m))
		for d := range y {
			y[d] = (points[order[i]][d] - h.m[d]) / h.sigma
			yw[d] += wi * y[d]
		}
		best = append(best, y)
	}
	for d, z := range matrixTimes(white, yw) {
		h.m[d] += h.sigma * yw[d]
		h.pSigma[d] = (1-cSigma)*h.pSigma[d] + math.Sqrt(cSigma*(2-cSigma)*mu)*z
	}
	h.g++
	hSigma := 0.0
	if norm(h.pSigma)/math.Sqrt(1-math.Pow(1-cSigma, 2*h.g)) < (1.4+2/(n+1))*chi {
		hSigma = 1
	}
	for d := range yw {
		h.pC[d] = (1-cC)*h.pC[d] + hSigma*math.Sqrt(cC*(2-cC)*mu)*yw[d]
	}
	for i := range yw {
		for j := i; j < len(yw); j++ {
			v := (1+c1*(1-hSigma)*cC*(2-cC)-c1-cMu)*h.c.At(i, j) + c1*h.pC[i]*h.pC[j]
			for k, y := range best {
				v += cMu * w[k] * y[i] * y[j]
			}
			h.c.SetSym(i, j, v)
		}
	}
	h.sigma *= math.Exp(cSigma / dSigma * (norm(h.pSigma)/chi - 1))
}

// The equations of the tutorial give the same mean, step size and covariance from the same points,
// and the points are normal about the mean with covariance σ²C: for random scores, and for scores
// on a slope, on which the evolution path is long.
func TestEvolutionByEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 2, 3, 6, 12} {
		var count, mean, square, cross float64 // of the whitened points
		for game := range 20 {
			start, step := make([]float64, n), math.Exp(rng.NormFloat64())
			for i := range start {
				start[i] = rng.NormFloat64()
			}
			e := newEvolution(start, step)
			h := &hansen{m: slices.Clone(start), pSigma: make([]float64, n), pC: make([]float64, n),
				sigma: step, c: mat.NewSymDense(n, nil)}
			for i := range n {
				h.c.SetSym(i, i, 1)
			}
			for generation := range 12 {
				points, ok := e.drawGeneration(rng)
				if !ok || len(points) != 4+int(3*math.Log(float64(n))) {
					t.Fatalf("got %d points in %d dimensions, want %d", len(points), n,
						4+int(3*math.Log(float64(n))))
				}
				white, values := matrixPower(h.c, -0.5), make([]float64, len(points))
				for k, p := range points {
					y := make([]float64, n)
					for i := range y {
						y[i] = (p[i] - h.m[i]) / h.sigma
						values[k] += p[i] * float64(game%2)
					}
					values[k] += rng.Float64() * float64(1-game%2)
					z := matrixTimes(white, y)
					for i := range z {
						count, mean, square = count+1, mean+z[i], square+z[i]*z[i]
						cross += z[i] * z[(i+1)%n] * float64(min(n-1, 1))
					}
				}
				e.adaptToScores(values)
				h.update(points, values)
				off := math.Abs(e.sigma/h.sigma - 1)
				for i := range n {
					off = max(off, math.Abs(e.mean[i]-h.m[i])/(h.sigma*(1+norm(h.m)/h.sigma)))
					for j := range n {
						off = max(off, math.Abs(e.covariance.At(i, j)-h.c.At(i, j))/mat.Norm(h.c, 2))
					}
				}
				if !(off < 1e-9) {
					t.Fatalf("%d dimensions, generation %d: got mean, step and covariance off by %v, want at "+
						"most 1e-9", n, generation, off)
				}
			}
		}
		// six standard errors
		if six := 6 / math.Sqrt(count); math.Abs(mean/count) > six ||
			math.Abs(square/count-1) > six*math.Sqrt2 || math.Abs(cross/count) > six {
			t.Errorf("%d dimensions: got whitened points of mean %v, square %v and product %v, want 0, 1 "+
				"and 0", n, mean/count, square/count, cross/count)
		}
	}
}

// The steps along coordinates follow the definition: the best of all 2n moves is taken or, if that
// is better, all moves that help at once, the better one of each coordinate; if none helps, the
// step is halved.
func TestClimbByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	joint, alone, halved := 0, 0, 0
	for game := range 60 {
		n := 1 + game%4
		at, a := make([]float64, n), make([]float64, n*n)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		value := func(p []float64) (v float64) {
			for i := range n {
				u := -float64(game % 2) // else both moves along a coordinate are as good
				for j := range n {
					u += a[i*n+j] * p[j]
				}
				v -= a[i] * u * u
			}
			return math.Floor(8*v) / 8
		}
		var want, got [][]float64
		best, step := value(at), 0.5
		moved := func(p []float64, i int, by float64) []float64 {
			p = slices.Clone(p)
			p[i] += by
			want = append(want, p)
			return p
		}
		for start := slices.Clone(at); step >= 0.05 && len(want) < 80; {
			top, first, all := best, start, slices.Clone(start)
			for i := range n {
				up, down := moved(start, i, step), moved(start, i, -step)
				for _, p := range [][]float64{up, down} {
					if v := value(p); v > top {
						top, first = v, p
					}
				}
				switch u, d := value(up), value(down); {
				case max(u, d) <= best:
				case u >= d:
					all[i] = up[i]
				default:
					all[i] = down[i]
				}
			}
			if top == best {
				halved++
				step /= 2
				continue
			}
			if want = append(want, all); value(all) > top {
				joint++
				top, first = value(all), all
			} else {
				alone++
			}
			best, start = top, first
		}
		err := climbCoordinates(context.Background(), at, value(at), 0.5, 0.05, 80,
			func(points [][]float64) (values []float64, err error) {
				for _, p := range points {
					got, values = append(got, slices.Clone(p)), append(values, value(p))
				}
				return values, nil
			})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("in %d dimensions, %v: points\n%v, want\n%v", n, err, got, want)
		}
	}
	if joint < 20 || alone < 20 || halved < 20 {
		t.Errorf("got %d joint moves, %d single ones, %d halved steps, want at least 20 of each", joint,
			alone, halved)
	}
}
