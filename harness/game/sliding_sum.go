package game

import "ocobench/convex"

// slidingSum sums the last K of a sequence of forms by additions alone, so that nothing is left
// where terms cancel, and rounding errors do not accumulate. The sequence is cut into blocks of
// K: K forms in a row are the end of one block and the beginning of the next.
type slidingSum struct {
	// forms[:filled] are the forms of this block. forms[i] for i ≥ filled is the sum of the forms of
	// the block before from number i to its end.
	forms        []*convex.Form
	blockSum     *convex.Form // the sum of this block
	sum          *convex.Form // of the last K forms
	filled       int          // the number of forms in this block
	hasFullBlock bool         // there was a block before
}

// newSlidingSum returns a sum of the last k forms on ℝⁿ of an empty sequence.
func newSlidingSum(k, n int) *slidingSum {
	w := &slidingSum{blockSum: convex.NewForm(n), sum: convex.NewForm(n)}
	for range k {
		w.forms = append(w.forms, convex.NewForm(n))
	}
	return w
}

// addForm appends a form to the sequence and returns the sum of the last K, which is valid until
// the next call, or nil where there are fewer.
func (w *slidingSum) addForm(f *convex.Form) *convex.Form {
	f.AddTo(w.blockSum, 1)
	slot := w.forms[w.filled]
	slot.Reset()
	f.AddTo(slot, 1)
	if w.filled++; w.filled < len(w.forms) {
		if !w.hasFullBlock {
			return nil
		}
		w.sum.Reset()
		w.forms[w.filled].AddTo(w.sum, 1)
		w.blockSum.AddTo(w.sum, 1)
		return w.sum
	}
	// The block is full. The sum of all its forms is blockSum; forms[0] is not needed again.
	for i := len(w.forms) - 2; i > 0; i-- {
		w.forms[i+1].AddTo(w.forms[i], 1)
	}
	w.sum, w.blockSum = w.blockSum, w.sum
	w.blockSum.Reset()
	w.filled, w.hasFullBlock = 0, true
	return w.sum
}
