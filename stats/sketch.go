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
// From |b[r]| ≤ Bᵣ and |β| ≤ h < 1 it follows that, with W = Σ |w| and q = h²/(1−h),
//
//	|θ* − θ − V| ≤ W·q/2,
//	|Uᵣ·A/aᵣ − (vᵣ − V)| ≤ W·(q + (h+q)·Bᵣ),
//
// so that √Σ Uᵣ² ≥ (√Σ aᵣ²(vᵣ−V)² − W·(q·√Σ aᵣ² + (h+q)·√Σ aᵣ²Bᵣ²)) / A. Along w, b[r] is
// vᵣ·w/Σ w², and the rest of it is at most ρᵣ: h = |V|·max |w|/Σ w² + ρ, with ρ weighted like b.
// The margins are far above rounding errors.
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
	sums := make([][7]float64, len(v.rows)) // a, av, a², a²v, a²v², a²B², aρ
	for r, z := range ratios(v.rows, columnMeans(v.rows)) {
		a, most, rest := vec.Sum(z)/float64(len(z)), 0.0, 0.0
		for k := range z {
			z[k] = z[k]/a - 1
			most = max(most, math.Abs(z[k]))
		}
		u := vec.Dot(w, z)
		for k, b := range z {
			rest = max(rest, math.Abs(b-float64(float64(u/squares)*w[k])))
		}
		square := float64(a * a)
		sums[r] = [7]float64{a, float64(a * u), square, float64(square * u),
			float64(square * float64(u*u)), float64(square * float64(most*most)), float64(a * rest)}
	}
	scale := n / math.Sqrt(float64(n*(n-1)))
	return func(drawn []int) bool {
		const margin = 1e-9
		var a, av, aa, aav, aavv, aabb, rest float64
		for _, r := range drawn {
			s := &sums[r]
			a += s[0]
			av += s[1]
			aa += s[2]
			aav += s[3]
			aavv += s[4]
			aabb += s[5]
			rest += s[6]
		}
		change := av / a
		h := float64(math.Abs(change)*along) + rest/a + margin
		if !(h < 1) {
			return false
		}
		bent := float64(h*h) / (1 - h)
		upper := change + float64(float64(size*bent)*0.5) + margin
		around := float64(change * change)
		spread := aavv - float64(2*float64(change*aav)) + float64(around*aa) -
			float64((aavv+float64(around*aa))*margin)
		off := float64(size*(float64(bent*math.Sqrt(aa))+float64((h+bent)*math.Sqrt(aabb)))) +
			float64(margin*math.Sqrt(aa))
		least := max(upper/v.near, margin)
		return upper < 0 || spread > 0 &&
			float64(least*a) < float64(scale*(math.Sqrt(spread)-off))
	}
}
