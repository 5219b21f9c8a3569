package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex/vec"
)

// driftingMotion plays rounds of drifting and returns P_t and V_t after each. It checks c_t by the
// conditions of optimality of the revealed round: c_t is feasible, and minus the gradient of the
// loss is a sum of constraint gradients with positive weights, each of a constraint that is 0 at
// c_t.
func driftingMotion(t *testing.T, p DriftingParams, seed uint64,
	rounds int) (path, variation []float64, s *driftingStream) {
	t.Helper()
	s = testInstance{"drifting", drifting, p}.stream(t, seed).(*driftingStream)
	n, k := p.Dim, min(p.Dim, p.Constraints)
	now, last := make([]float64, n), make([]float64, n)
	shifts := make([]float64, p.Constraints)
	grad, row := make([]float64, n), make([]float64, n)
	P, V := 0.0, 0.0
	for i := 1; i <= rounds; i++ {
		r := s.Reveal(i, nil)
		s.Best(now)
		r.Loss.Subgrad(grad, now)
		largest := 0.0
		for j, g := range r.Constraints {
			if v := g.Value(now); math.Abs(v) > 1e-13 {
				t.Fatalf("round %d: constraint %d: got %v at the best action, want 0", i, j+1, v)
			}
			if g.Subgrad(row, now); j < k {
				vec.Axpy(grad, p.Pull/math.Sqrt(float64(k)), row)
			}
			shift := g.Value(make([]float64, n))
			largest = max(largest, math.Abs(shift-shifts[j]))
			shifts[j] = shift
		}
		if v := vec.Norm(grad); v > 1e-13 {
			t.Fatalf("round %d: got the gradient %v of the Lagrangian, want 0", i, v)
		}
		for x := range now {
			if math.Abs(now[x]) >= p.Radius && p.Orbit < 1 {
				t.Fatalf("round %d: got best action %v, want one inside of the domain", i, now)
			}
		}
		if i > 1 {
			P, V = P+vec.Dist(now, last), V+largest
		}
		copy(last, now)
		path, variation = append(path, P), append(variation, V)
	}
	return path, variation, s
}

// The path length and the variation are between their bounds, in every round.
func TestDriftingPathIsBetweenItsBounds(t *testing.T) {
	for seed, c := range []DriftingParams{
		{Dim: 2, Constraints: 2, Radius: 1, P: 0.5, Speed: 0.5, Orbit: 0.5, Loss: "quadratic", Pull: 0.5},
		{Dim: 2, Constraints: 2, Radius: 3, P: 1, Speed: 1, Orbit: 0.9, Loss: "affine", Pull: 2},
		{Dim: 3, Constraints: 1, Radius: 2, P: 0.75, Speed: 0.7, Orbit: 0.3, Loss: "quadratic",
			Pull: 0.1},
		{Dim: 2, Constraints: 1, Radius: 1, P: 1, Speed: 0.9, Orbit: 0.5, Loss: "quadratic", Pull: 0.5},
		{Dim: 5, Constraints: 2, Radius: 1, P: 0.25, Speed: 1, Orbit: 1, Loss: "quadratic", Pull: 0.5},
		{Dim: 3, Constraints: 7, Radius: 1, P: 0, Speed: 1, Orbit: 0.5, Loss: "affine", Pull: 0.5},
		{Dim: 4, Constraints: 9, Radius: 1, P: 0, Speed: 0.5, Orbit: 0.25, Loss: "quadratic", Pull: 0.5},
	} {
		const rounds = 5000
		path, variation, s := driftingMotion(t, c, uint64(seed), rounds)
		orbit := c.Orbit * c.Radius
		delta := c.angleAt(2)
		for i := 2; i <= rounds; i++ {
			theta, P, V := c.angleAt(i), path[i-1], variation[i-1]
			least, tol := orbit*theta*2/delta*math.Sin(delta/2), 1e-10*orbit*theta
			if P > orbit*theta+tol || P < least-tol || c.P == 1 && P > least+tol {
				t.Fatalf("%+v: P_%d = %v, want %v to %v", c, i, P, least, orbit*theta)
			}
			if c.Constraints > 1 && (V > P+tol || V < P/math.Sqrt2-tol) {
				t.Fatalf("%+v: V_%d = %v, want between P/√2 and P = %v", c, i, V, P)
			}
			if off := math.Abs(V - 2/math.Pi*orbit*theta); c.Constraints == 1 &&
				off > orbit*(0.5+(theta/math.Pi+1)*delta*delta/4) {
				t.Fatalf("%+v: V_%d = %v, %v off, want at most its error", c, i, V, off)
			}
		}
		// The margins of the documentation: of one point in a round, and of another in all.
		k := math.Sqrt(float64(min(c.Constraints, c.Dim)))
		z := make([]float64, c.Dim)
		vec.Axpy(z, -c.Radius/c.Pull, s.push)
		for i := 1; i <= 500; i++ {
			for j, g := range s.Reveal(i, nil).Constraints {
				x := make([]float64, c.Dim)
				vec.AxpyTo(x, -0.1/c.Pull, s.push, s.best)
				if v := g.Value(x); v > -0.1/k+1e-13 {
					t.Fatalf("%+v: constraint %d of round %d: got %v at c − w/10, want at most %v", c, j+1, i, v,
						-0.1/k)
				}
				if v := g.Value(z); v > -(c.Radius/k-orbit)+1e-13 {
					t.Fatalf("%+v: constraint %d of round %d: got %v at −Rw, want at most %v", c, j+1, i, v,
						-(c.Radius/k - orbit))
				}
			}
		}
	}
}

// driftingInstances returns drifting in several dimensions, with every loss and number of
// constraints.
func driftingInstances() (all []testInstance) {
	for _, n := range []int{2, 5} {
		for _, loss := range []string{"quadratic", "affine"} {
			for m := 1; m <= n+1; m += n {
				if m < n && loss == "affine" {
					continue
				}
				all = append(all, testInstance{fmt.Sprintf("drifting %d %d %s", n, m, loss), drifting,
					DriftingParams{Dim: n, Constraints: m, Radius: 1.5, P: 0.25 * float64(n-2), Speed: 0.5,
						Orbit: 0.5, Loss: loss, Pull: 0.75}})
			}
		}
	}
	return append(all, testInstance{"drifting", drifting, drifting.Params})
}

// A draw that is nearly dependent on those before is drawn again: in one dimension, a number
// near 0, which is one of a thousand.
func TestOrthonormalDrawsAgain(t *testing.T) {
	for seed := range uint64(10000) {
		if q := orthonormalVectors(1, 1, rand.New(rand.NewPCG(seed, 0))); math.Abs(q[0][0]) != 1 {
			t.Fatalf("seed %d: got %v, want ±1", seed, q)
		}
	}
}
