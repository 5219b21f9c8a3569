package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// evolve maximises a score by CMA-ES from a starting point, a generation at a time, so
// that a generation can be computed on many workers. It ends after so many evaluations,
// or when the best score has not risen for a while. A score of −Inf is that of a point
// that cannot be played.
//
// This is the (μ/μ_w, λ)-CMA-ES of Hansen, The CMA Evolution Strategy: A Tutorial
// (arXiv:1604.00772), Figure 6, with its constants and positive weights. The method of
// gonum is another: it samples without its step size, and is still 0.01 above the least
// value of a quadratic function in three variables after 1500 evaluations.
func evolve(ctx context.Context, start []float64, step float64, evaluations int, rng *rand.Rand, scores func([][]float64) ([]float64, error)) error {
	n := len(start)
	d := float64(n)
	population := 4 + int(3*math.Log(d))
	weights := make([]float64, population/2)
	for i := range weights {
		weights[i] = math.Log(float64(population+1)/2) - math.Log(float64(i+1))
	}
	floats.Scale(1/floats.Sum(weights), weights)
	mu := 1 / floats.Dot(weights, weights)
	cSigma := (mu + 2) / (d + mu + 5)
	damping := 1 + float64(2*max(0, math.Sqrt((mu-1)/(d+1))-1)) + cSigma
	cc := (4 + mu/d) / (d + 4 + float64(2*mu/d))
	c1 := 2 / (float64((d+1.3)*(d+1.3)) + mu)
	cMu := min(1-c1, 2*(mu-2+1/mu)/(float64((d+2)*(d+2))+mu))
	expected := math.Sqrt(d) * (1 - 1/(4*d) + 1/(21*d*d)) // E‖N(0, I)‖

	mean, sigma := slices.Clone(start), step
	path, pathSigma := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	covariance := mat.NewSymDense(n, nil)
	for i := range n {
		covariance.SetSym(i, i, 1)
	}
	best, stale := math.Inf(-1), 0
	for generation, patience := 1, 10+30*n/population; evaluations > 0 && stale < patience; generation++ {
		// C = B diag(λ) Bᵀ
		var eigen mat.EigenSym
		if !eigen.Factorize(covariance, true) {
			return nil // the distribution has collapsed
		}
		var basis mat.Dense
		eigen.VectorsTo(&basis)
		roots := eigen.Values(nil)
		for i, v := range roots {
			roots[i] = math.Sqrt(max(v, 1e-20))
		}
		points, moves := make([][]float64, population), make([]*mat.VecDense, population)
		for k := range points {
			z := mat.NewVecDense(n, nil)
			for i := range n {
				z.SetVec(i, roots[i]*rng.NormFloat64())
			}
			moves[k] = mat.NewVecDense(n, nil)
			moves[k].MulVec(&basis, z)
			points[k] = floats.AddScaledTo(make([]float64, n), mean, sigma, moves[k].RawVector().Data)
		}
		values, err := scores(points)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		evaluations -= population
		stale++
		order := make([]int, population)
		for k, v := range values {
			order[k] = k
			if v > best {
				best, stale = v, 0
			}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case values[a] > values[b]:
				return -1
			case values[a] < values[b]:
				return 1
			}
			return 0
		})
		moved := mat.NewVecDense(n, nil)
		for i, w := range weights {
			moved.AddScaledVec(moved, w, moves[order[i]])
		}
		floats.AddScaled(mean, sigma, moved.RawVector().Data)
		// C^{−½} of the move
		white := mat.NewVecDense(n, nil)
		white.MulVec(basis.T(), moved)
		for i := range n {
			white.SetVec(i, white.AtVec(i)/roots[i])
		}
		white.MulVec(&basis, white)
		pathSigma.ScaleVec(1-cSigma, pathSigma)
		pathSigma.AddScaledVec(pathSigma, math.Sqrt(cSigma*(2-cSigma)*mu), white)
		length := mat.Norm(pathSigma, 2)
		steady := 0.0
		if length/math.Sqrt(1-math.Pow(1-cSigma, 2*float64(generation))) < (1.4+2/(d+1))*expected {
			steady = 1
		}
		path.ScaleVec(1-cc, path)
		path.AddScaledVec(path, steady*math.Sqrt(cc*(2-cc)*mu), moved)
		covariance.ScaleSym(1-c1-cMu+float64((1-steady)*c1*cc*(2-cc)), covariance)
		covariance.SymRankOne(covariance, c1, path)
		for i, w := range weights {
			covariance.SymRankOne(covariance, cMu*w, moves[order[i]])
		}
		sigma *= math.Exp(cSigma / damping * (length/expected - 1))
	}
	return nil
}

// climb maximises a score from a point by steps along coordinates: of all 2n moves by ±step
// it takes the best, and halves the step where none is better. It ends after so many
// evaluations, or once the step is below least.
func climb(ctx context.Context, start []float64, value, step, least float64, evaluations int, scores func([][]float64) ([]float64, error)) error {
	at := slices.Clone(start)
	for ; step >= least && evaluations > 0; evaluations -= 2 * len(at) {
		var points [][]float64
		for i := range at {
			for _, by := range []float64{step, -step} {
				p := slices.Clone(at)
				p[i] += by
				points = append(points, p)
			}
		}
		values, err := scores(points)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// All moves that help are made together where that is better than the best of them.
		best := -1
		joint := slices.Clone(at)
		for k, v := range values {
			if v > value && (best < 0 || v > values[best]) {
				best = k
			}
		}
		if best < 0 {
			step /= 2
			continue
		}
		for i := range at {
			up, down := values[2*i], values[2*i+1]
			switch {
			case up > value && up >= down:
				joint[i] += step
			case down > value:
				joint[i] -= step
			}
		}
		both, err := scores([][]float64{joint})
		if err != nil {
			return err
		}
		evaluations--
		if both[0] > values[best] {
			at, value = joint, both[0]
		} else {
			at, value = points[best], values[best]
		}
	}
	return nil
}
