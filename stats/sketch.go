package stats

import (
	"math"
	"slices"

	"ocobench/convex/vec"
)

// A sketched statistic tells of most samples that are near, like a [screen], and without their
// means: some sums over the drawn replicates bound the change and its standard error.
type sketched interface {
	// sketch returns the function that reports whether the sample of these replicates is certainly
	// near, or nil.
	sketch() func(drawn []int) bool
}

// sketch implements [sketched] where samples that are lower are near, and the rows are positive
// and grow, so that each mean is its own envelope. With z the rows over their means, each row is a
// level times a shape about 1,
//
//	z[r][k] = aᵣ (1 + b[r][k]),   aᵣ = Σₖ z[r][k] / K,   vᵣ = Σₖ wₖ b[r][k].
//
// Let A be the mean of a in the sample, and β and V those of b and v with the weights a/A. Since
// Σ w = 0, the sample has
//
//	θ* − θ = Σₖ wₖ log (1 + βₖ),   Uᵣ = aᵣ/A · Σₖ wₖ (1 + b[r][k])/(1 + βₖ),
//	se*²   = Σᵣ Uᵣ² / (n(n−1)).
//
// From |b| ≤ B and |β| ≤ h < 1 it follows that, with W = Σ |w|,
//
//	|θ* − θ − V| ≤ W·h²/(2(1−h)),
//	|Uᵣ·A/aᵣ − (vᵣ − V)| ≤ e = W·(B·h + (1+B)·h²/(1−h)),
//
// so that √Σ Uᵣ² ≥ (√Σ aᵣ²(vᵣ−V)² − e·√Σ aᵣ²) / A. The shape along w is v, and the rest of b is at
// most ρ: h = |V|·max |w|/Σ w² + ρ. The margins are far above rounding errors.
func (v envelope) sketch() func(drawn []int) bool {
	if !v.upwards || !(v.near > 0) || v.first > 0 || slices.ContainsFunc(v.rows,
		func(y []float64) bool { return !(y[0] > 0) || !slices.IsSorted(y) }) {
		return nil
	}
	w, n := v.last, float64(len(v.rows))
	size, along := 0.0, 0.0
	for _, x := range w {
		size += math.Abs(x)
		along = max(along, math.Abs(x))
	}
	squares := vec.Dot(w, w)
	along /= squares
	sums := make([][5]float64, len(v.rows)) // a, av, a², a²v, a²v²
	most, rest := 0.0, 0.0
	for r, z := range ratios(v.rows, columnMeans(v.rows)) {
		a := vec.Sum(z) / float64(len(z))
		for k := range z {
			z[k] = z[k]/a - 1
			most = max(most, math.Abs(z[k]))
		}
		u := vec.Dot(w, z)
		for k, b := range z {
			rest = max(rest, math.Abs(b-float64(float64(u/squares)*w[k])))
		}
		square := float64(a * a)
		sums[r] = [5]float64{a, float64(a * u), square, float64(square * u),
			float64(square * float64(u*u))}
	}
	scale := float64(v.near * n / math.Sqrt(float64(n*(n-1))))
	return func(drawn []int) bool {
		const margin = 1e-9
		var a, av, aa, aav, aavv float64
		for _, r := range drawn {
			s := &sums[r]
			a += s[0]
			av += s[1]
			aa += s[2]
			aav += s[3]
			aavv += s[4]
		}
		change := av / a
		h := float64(math.Abs(change)*along) + rest + margin
		if !(h < 1) {
			return false
		}
		bent := float64(h*h) / (1 - h)
		upper := change + float64(float64(size*bent)*0.5) + margin
		around := float64(change * change)
		spread := aavv - float64(2*float64(change*aav)) + float64(around*aa) -
			float64((aavv+float64(around*aa))*margin)
		off := float64(size*(float64(most*h)+float64((1+most)*bent))) + margin
		return upper < 0 || spread > 0 &&
			float64(upper*a) < float64(scale*(math.Sqrt(spread)-float64(off*math.Sqrt(aa))))
	}
}
