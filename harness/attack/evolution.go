package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// evolve maximises a score by CMA-ES from a starting point. It asks for the scores of a whole
// generation, so that many workers can compute them. It ends after so many evaluations, or when the
// best score has not risen for some generations. A point that cannot be played scores −Inf.
//
// This is the (μ/μ_w, λ)-CMA-ES of Hansen, The CMA Evolution Strategy: A Tutorial
// (arXiv:1604.00772), Figure 6, with its constants and positive weights. The method of
// gonum differs: it samples without its step size, and is still 0.01 above the minimum of a
// quadratic function in three variables after 1500 evaluations.
func evolve(ctx context.Context, start []float64, step float64, evaluations int, rng *rand.Rand,
	scores func([][]float64) ([]float64, error)) error {
	e := newEvolution(start, step)
	best, stale := math.Inf(-1), 0              // stale: generations since the best score rose
	patience := 10 + 30*len(start)/e.population // as in the stopping criteria of the tutorial
	for evaluations > 0 && stale < patience {
		points, ok := e.drawGeneration(rng)
		if !ok {
			return nil // the distribution has collapsed
		}
		values, err := scores(points)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		evaluations -= e.population
		stale++
		if highest := floats.Max(values); highest > best {
			best, stale = highest, 0
		}
		e.adaptToScores(values)
	}
	return nil
}

// evolution holds the state of CMA-ES: the normal distribution that points are drawn from, and
// the constants of Hansen's Table 1.
type evolution struct {
	population      int       // λ
	weights         []float64 // of the best half, w_i
	mu              float64   // μ_w, 1/Σ w_i²
	cSigma, damping float64   // of the step size
	cc, c1, cMu     float64   // of the covariance
	expectedNorm    float64   // E‖N(0, I)‖
	generation      int
	mean            []float64
	sigma           float64
	covariance      *mat.SymDense // C
	path, pathSigma *mat.VecDense
	basis           mat.Dense // B of C = B diag(rootEigenvalues²) Bᵀ
	rootEigenvalues []float64
	steps           []*mat.VecDense // of the points of this generation from the mean, over σ
}

// populationSize returns λ, the number of points of a generation in n dimensions.
func populationSize(n int) int { return 4 + int(3*math.Log(float64(n))) }

// newEvolution starts CMA-ES at a point with a step size.
func newEvolution(start []float64, step float64) *evolution {
	n := len(start)
	d := float64(n)
	population := populationSize(n)
	weights := make([]float64, population/2)
	for i := range weights {
		weights[i] = math.Log(float64(population+1)/2) - math.Log(float64(i+1))
	}
	floats.Scale(1/floats.Sum(weights), weights)
	mu := 1 / floats.Dot(weights, weights)
	cSigma := (mu + 2) / (d + mu + 5)
	c1 := 2 / (float64((d+1.3)*(d+1.3)) + mu)
	e := &evolution{
		population: population, weights: weights, mu: mu, cSigma: cSigma,
		damping:      1 + float64(2*max(0, math.Sqrt((mu-1)/(d+1))-1)) + cSigma,
		cc:           (4 + mu/d) / (d + 4 + float64(2*mu/d)),
		c1:           c1,
		cMu:          min(1-c1, 2*(mu-2+1/mu)/(float64((d+2)*(d+2))+mu)),
		expectedNorm: math.Sqrt(d) * (1 - 1/(4*d) + 1/(21*d*d)),
		mean:         slices.Clone(start), sigma: step,
		path: mat.NewVecDense(n, nil), pathSigma: mat.NewVecDense(n, nil),
		covariance: mat.NewSymDense(n, nil),
	}
	for i := range n {
		e.covariance.SetSym(i, i, 1)
	}
	return e
}

// drawGeneration draws the points of a generation. ok is false if the distribution has collapsed.
func (e *evolution) drawGeneration(rng *rand.Rand) (points [][]float64, ok bool) {
	var eigen mat.EigenSym
	const withVectors = true
	if !eigen.Factorize(e.covariance, withVectors) {
		return nil, false
	}
	e.generation++
	n := len(e.mean)
	eigen.VectorsTo(&e.basis)
	e.rootEigenvalues = eigen.Values(nil)
	for i, v := range e.rootEigenvalues {
		e.rootEigenvalues[i] = math.Sqrt(max(v, 1e-20)) // rounding may make it 0 or negative
	}
	points, e.steps = make([][]float64, e.population), make([]*mat.VecDense, e.population)
	for k := range points {
		z := mat.NewVecDense(n, nil)
		for i := range n {
			z.SetVec(i, e.rootEigenvalues[i]*rng.NormFloat64())
		}
		e.steps[k] = mat.NewVecDense(n, nil)
		e.steps[k].MulVec(&e.basis, z)
		points[k] = floats.AddScaledTo(make([]float64, n), e.mean, e.sigma, e.steps[k].RawVector().Data)
	}
	return points, true
}

// adaptToScores moves the distribution towards the best points of the generation, given the
// scores of all.
func (e *evolution) adaptToScores(values []float64) {
	n := len(e.mean)
	order := bestFirst(values)
	moved := mat.NewVecDense(n, nil)
	for i, w := range e.weights {
		moved.AddScaledVec(moved, w, e.steps[order[i]])
	}
	floats.AddScaled(e.mean, e.sigma, moved.RawVector().Data)
	// whitened is C^{−½} times the step of the mean.
	whitened := mat.NewVecDense(n, nil)
	whitened.MulVec(e.basis.T(), moved)
	for i := range n {
		whitened.SetVec(i, whitened.AtVec(i)/e.rootEigenvalues[i])
	}
	whitened.MulVec(&e.basis, whitened)
	e.pathSigma.ScaleVec(1-e.cSigma, e.pathSigma)
	e.pathSigma.AddScaledVec(e.pathSigma, math.Sqrt(e.cSigma*(2-e.cSigma)*e.mu), whitened)
	length := mat.Norm(e.pathSigma, 2)
	// lengthensPath is h_σ of the tutorial: 0 while the step size grows fast, and else 1.
	lengthensPath := 0.0
	if length/math.Sqrt(1-math.Pow(1-e.cSigma, 2*float64(e.generation))) < (1.4+
		2/(float64(n)+1))*e.expectedNorm {
		lengthensPath = 1
	}
	e.path.ScaleVec(1-e.cc, e.path)
	e.path.AddScaledVec(e.path, lengthensPath*math.Sqrt(e.cc*(2-e.cc)*e.mu), moved)
	e.covariance.ScaleSym(1-e.c1-e.cMu+float64((1-lengthensPath)*e.c1*e.cc*(2-e.cc)), e.covariance)
	e.covariance.SymRankOne(e.covariance, e.c1, e.path)
	for i, w := range e.weights {
		e.covariance.SymRankOne(e.covariance, e.cMu*w, e.steps[order[i]])
	}
	e.sigma *= math.Exp(e.cSigma / e.damping * (length/e.expectedNorm - 1))
}

// bestFirst returns the indices of the scores, the highest first.
func bestFirst(values []float64) []int {
	order := make([]int, len(values))
	floats.ArgsortStable(floats.ScaleTo(make([]float64, len(values)), -1, values), order)
	return order
}
