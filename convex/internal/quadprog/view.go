package quadprog

import "slices"

// view selects the coordinates in which a program is solved: all n, or the free ones, while the
// others are held at a bound of the domain. The nil view selects all.
type view struct {
	n       int
	holding bool    // some coordinates are held
	frees   []int   // the coordinates that are not held, in increasing order
	places  []int32 // the place of each coordinate in frees, or −1

	slope   []float64    // the part of Hx that the held coordinates add to the free ones
	scratch [4][]float64 // of gather and gatherAll
}

// holds reports whether a coordinate is held.
func (v *view) holds() bool { return v != nil && v.holding }

// dim returns the number of coordinates, of n, that are not held.
func (v *view) dim(n int) int {
	if v.holds() {
		return len(v.frees)
	}
	return n
}

// place returns the place of coordinate k among those that are not held, or −1 if it is held.
func (v *view) place(k int) int {
	if v.holds() {
		return int(v.places[k])
	}
	return k
}

// gather returns the free coordinates of a, until the next call.
func (v *view) gather(a []float64) []float64 { return v.gatherTo(0, a) }

// gatherAll returns the free coordinates of three vectors, until the next call.
func (v *view) gatherAll(x, y, z []float64) (a, b, c []float64) {
	return v.gatherTo(1, x), v.gatherTo(2, y), v.gatherTo(3, z)
}

// gatherTo gathers into scratch vector k.
func (v *view) gatherTo(k int, a []float64) []float64 {
	to := slices.Grow(v.scratch[k][:0], len(v.frees))
	for _, c := range v.frees {
		to = append(to, a[c])
	}
	v.scratch[k] = to
	return to
}

// restrict appends the rows and columns of quad of the free coordinates to dst, and sets slope. A
// quad that is not n×n is already one in the free coordinates, and counts no held ones.
func (v *view) restrict(dst, quad, x []float64) []float64 {
	n, k := v.n, len(v.frees)
	v.slope = slices.Grow(v.slope[:0], k)[:k]
	clear(v.slope)
	if len(quad) == k*k {
		return append(dst, quad...)
	}
	for _, i := range v.frees {
		for _, j := range v.frees {
			dst = append(dst, quad[i*n+j])
		}
	}
	for j, place := range v.places {
		if s := x[j]; place < 0 && s != 0 {
			for r, i := range v.frees {
				v.slope[r] += float64(quad[i*n+j] * s)
			}
		}
	}
	return dst
}

// setFrees makes these coordinates the free ones.
func (v *view) setFrees(frees []int) {
	v.holding, v.frees = true, frees
	for i := range v.places {
		v.places[i] = -1
	}
	for r, i := range frees {
		v.places[i] = int32(r)
	}
}
