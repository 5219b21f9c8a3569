package quadprog

import (
	"iter"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// rows stores affine functions a_i·x + b_i with weights w_i, numbered from 0: first those of the
// domain, then those that were added. There are three kinds, and all products go through dot and
// addTo, which choose by the kind:
//
//   - a bound ±x_k + b of the domain takes no storage: units[i] is ±(k+1);
//   - a row of n numbers is stored;
//   - from Sizes.Lists dimensions on, a row with few numbers that are not 0 has the list of these
//     coordinates besides.
//
// The domain's rows stay, and rows are added and removed at the end only. So the storage has the
// stored rows of the domain first, and the others in the order of their numbers ([rows.slot]); and
// a removed row leaves its numbers and its list behind, until the next row at its place overwrites
// them.
type rows struct {
	n          int
	blocks     [][]float64 // of up to blockRows rows each, so that storage grows without copies
	b, w, norm []float64   // norm is ‖a_i‖
	domainRows int         // the number of rows of the domain

	units  []int32 // of the domain's rows; 0: the row is stored
	stored int     // how many of the domain's rows are stored

	index   []int32 // the coordinates where rows are not 0, one row after the other
	indexAt []int32 // where in index the list of each stored row begins
	many    []bool  // the stored row has too many such coordinates, and no list

	hingeNorms float64 // Σ w_i‖a_i‖ over the rows of finite weight
	mergeError float64 // a bound on the error of the sum of hinges due to merged hinges
	written    int     // how many stored rows have ever been written; storage beyond them is 0
	repeats    Repeats
}

// blockRows is the number of rows in a block of storage.
const blockRows = 256

// reserve makes room for count rows of the domain.
func (r *rows) reserve(count int) {
	r.units = slices.Grow(r.units, count)
	r.b, r.w, r.norm = slices.Grow(r.b, count), slices.Grow(r.w, count), slices.Grow(r.norm, count)
}

// slot returns the number of row i among those that are stored.
func (r *rows) slot(i int) int {
	if i >= len(r.units) {
		i -= len(r.units) - r.stored
	}
	return i
}

// row returns a_i, which is not a bound, as n numbers.
func (r *rows) row(i int) []float64 {
	i = r.slot(i)
	at := i % blockRows * r.n
	return r.blocks[i/blockRows][at : at+r.n]
}

// unit returns k and s where a_i·x is s·x_k, and otherwise s = 0.
func (r *rows) unit(i int) (k int, s float64) {
	if i >= len(r.units) {
		return 0, 0
	}
	switch u := r.units[i]; {
	case u > 0:
		return int(u) - 1, 1
	case u < 0:
		return int(-u) - 1, -1
	}
	return 0, 0
}

// isBound reports whether row i is a bound of one coordinate.
func (r *rows) isBound(i int) bool { return i < len(r.units) && r.units[i] != 0 }

// list returns the coordinates where row i is not 0, or nil if they are not listed.
func (r *rows) list(i int) []int32 {
	if r.n < Sizes.Lists || r.isBound(i) {
		return nil
	}
	if i = r.slot(i); r.many[i] {
		return nil
	}
	return r.index[r.indexAt[i]:r.indexAt[i+1]]
}

// dot returns a_i·x. Like addTo, it may be given the first coordinates only.
func (r *rows) dot(i int, x []float64) float64 {
	if i < len(r.units) {
		switch k := int(r.units[i]); {
		case max(k, -k) > len(x):
			return 0
		case k > 0:
			return x[k-1] + 0 // + 0 makes −0 into 0, as in the product of stored rows
		case k < 0:
			return 0 - x[-k-1] // not −x, which may be −0
		}
	}
	if list := r.list(i); list != nil {
		a, sum := r.row(i), 0.0
		for _, k := range list {
			if int(k) < len(x) {
				sum += float64(a[k] * x[k])
			}
		}
		return sum
	}
	return vec.Dot(r.row(i)[:len(x)], x)
}

// addTo adds s·a_i to dst.
func (r *rows) addTo(dst []float64, s float64, i int) {
	if k, sign := r.unit(i); sign != 0 {
		if k < len(dst) {
			dst[k] += float64(s * sign)
		}
		return
	}
	if list := r.list(i); list != nil {
		a := r.row(i)
		for _, k := range list {
			if int(k) < len(dst) {
				dst[k] += float64(s * a[k])
			}
		}
		return
	}
	if a := r.row(i)[:len(dst)]; len(a) < vec.Long {
		vec.Axpy(dst, s, a)
	} else {
		vec.AxpyLong(dst, s, a)
	}
}

// appendBound appends the constraint s·x_k + b ≤ 0 of the domain, s being 1 or −1.
func (r *rows) appendBound(k int, s, b float64) {
	r.units = append(r.units, int32(s)*int32(k+1))
	r.b = append(r.b, b)
	r.w = append(r.w, math.Inf(1))
	r.norm = append(r.norm, 1)
}

// grow returns the storage of the next row, into which it writes a, followed by zeros. The first
// block grows row by row, since many programs have few rows, and the others are made whole. From
// Sizes.Big dimensions on only the part of a that is not zero is written where nothing was before:
// the system gives no memory to the rest.
func (r *rows) grow(a []float64) []float64 {
	at, block := r.slot(len(r.b)), r.slot(len(r.b))/blockRows
	if block == len(r.blocks) {
		r.blocks = append(r.blocks, nil)
		if block > 0 {
			r.blocks[block] = make([]float64, 0, blockRows*r.n)
		}
	}
	from := at % blockRows * r.n
	to := slices.Grow(r.blocks[block][:from], r.n)[:from+r.n]
	r.blocks[block] = to
	row := to[from:]
	if r.n < Sizes.Big {
		clear(row[copy(row, a):])
		return row
	}
	if at < r.written {
		clear(row)
	} else {
		r.written = at + 1
	}
	first, end := 0, len(a)
	for first < end && math.Float64bits(a[first]) == 0 {
		first++
	}
	for end > first && math.Float64bits(a[end-1]) == 0 {
		end--
	}
	copy(row[first:end], a[first:end])
	return row
}

// append appends w·(a, b), or the constraint a·x + b ≤ 0 where w is +Inf. A finite weight
// multiplies the row, and is 1 from then on.
func (r *rows) append(a []float64, b, w float64) {
	row := r.grow(a)
	if !math.IsInf(w, 1) {
		if w != 1 {
			vec.Scale(row, w)
		}
		b *= w
		w = 1
	}
	r.note(row, nil, vec.Norm(row), b, w)
}

// appendSparse appends s·a·x + b with weight 1, where a is 0 but in the coordinates at.
func (r *rows) appendSparse(at []int32, a []float64, s, b float64) {
	row := r.grow(nil)
	var squares lanes
	for _, k := range at {
		v := float64(s * a[k])
		row[k] = v
		squares[k&3] += float64(v * v)
	}
	const minSquares = 0x1p-900 // a smaller sum may have lost squares by underflow
	size := squares.sum()
	if size >= minSquares && size <= math.MaxFloat64 {
		size = math.Sqrt(size)
	} else {
		size = vec.Norm(row)
	}
	r.note(row, at, size, b, 1)
}

// lanes are the four partial sums of [vec.Dot]: number k is over the coordinates i with i mod 4 =
// k. Sums of listed coordinates in these lanes have the bits of Dot.
type lanes [4]float64

// sum returns the total, in the order of [vec.Dot].
func (s *lanes) sum() float64 { return (s[0] + s[1]) + (s[2] + s[3]) }

// DotSparse returns the product of s·a and x, where a is 0 but in the coordinates at, with the bits
// of the product of whole vectors.
func DotSparse(at []int32, a []float64, s float64, x []float64) float64 {
	var sums lanes
	for _, k := range at {
		sums[k&3] += float64(float64(s*a[k]) * x[k])
	}
	return sums.sum()
}

// note appends the offset b, the weight w and the norm size of the row that grow returned last. at
// lists the coordinates where it may be other than 0; if it is nil, row is searched for them.
func (r *rows) note(row []float64, at []int32, size, b, w float64) {
	r.b = append(r.b, b)
	r.w = append(r.w, w)
	r.norm = append(r.norm, size)
	if w == 1 {
		r.hingeNorms += size
	}
	if r.n >= Sizes.Lists {
		r.listCoordinates(r.slot(len(r.b)-1), row, at)
	}
}

// listCoordinates lists where the stored row number i, the last one, is not 0, unless that is in
// many coordinates. It first drops the lists of removed rows, those from number i on.
func (r *rows) listCoordinates(i int, row []float64, at []int32) {
	from := 0
	if i > 0 {
		from = int(r.indexAt[i])
	} else {
		r.indexAt = append(r.indexAt[:0], 0)
	}
	r.index, r.many, r.indexAt = r.index[:from], r.many[:i], r.indexAt[:i+1]
	const listedCost = 4 // a number of a list costs as much as four of a whole vector
	maxListed := len(row) / listedCost
	if at != nil {
		r.index = append(r.index, at...)
	} else {
		for k, v := range row {
			if v == 0 {
				continue
			}
			if r.index = append(r.index, int32(k)); len(r.index)-from > maxListed {
				break
			}
		}
	}
	many := len(r.index)-from > maxListed
	if many {
		r.index = r.index[:from]
	}
	r.many, r.indexAt = append(r.many, many), append(r.indexAt, int32(len(r.index)))
}

// addMultiple adds w·(a, b), a multiple of row i up to rounding, to row i.
func (r *rows) addMultiple(i int, a []float64, b, w float64) {
	row, oldNorm := r.row(i), r.norm[i]
	vec.Axpy(row[:len(a)], w, a)
	if r.n >= Sizes.Lists {
		r.many[r.slot(i)] = true // the multiple may have other numbers that are almost 0
	}
	r.b[i] += float64(w * b)
	r.norm[i] = vec.Norm(row)
	r.hingeNorms += r.norm[i] - oldNorm
}

// reset removes all rows but the first, bounds in number, which bound one coordinate each. It keeps
// the storage.
func (r *rows) reset(bounds int) {
	r.units, r.stored, r.domainRows = r.units[:bounds], 0, 0
	r.truncate(bounds)
	r.repeats, r.mergeError, r.hingeNorms = Repeats{}, 0, 0
}

// truncate removes all rows from number k on, and keeps the storage.
func (r *rows) truncate(k int) {
	r.b, r.w, r.norm = r.b[:k], r.w[:k], r.norm[:k]
	r.hingeNorms = 0
	for i, w := range r.w {
		if !math.IsInf(w, 1) {
			r.hingeNorms += float64(w * r.norm[i])
		}
	}
}

// Repeats remembers the row after the one that was repeated last.
type Repeats struct{ next int }

// Candidates yields those of the rows from first to end that a new row is likely
// to repeat. They are the row after the one that was repeated last, that row, and
// the first row, since constraints that do not change return in the same order;
// and the last few rows. The caller breaks the loop at the row that is repeated.
func (r *Repeats) Candidates(first, end int) iter.Seq[int] {
	return func(yield func(i int) bool) {
		const lookback = 8 // recent rows: about one round's constraints
		// offer reports whether the caller took row i; later calls then begin after it.
		offer := func(i int) bool {
			if i < first || i >= end || yield(i) {
				return false
			}
			r.next = i + 1
			return true
		}
		if offer(r.next) || offer(r.next-1) || offer(first) {
			return
		}
		for i := end - 1; i >= end-lookback; i-- {
			if offer(i) {
				return
			}
		}
	}
}
