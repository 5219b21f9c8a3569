package scalar

import "math"

// Breakpoints is an ordered set of breakpoints, each a key with an increment of a
// piece. The zero value is empty. It is a B-tree whose nodes have the sums of the increments in
// their subtrees. Adding a breakpoint, and a search by the running sums, cost O(log t). Sums are
// computed again from the leaves up, so that their rounding error grows with the depth and not
// with the number of breakpoints.
type Breakpoints struct {
	root *breakpointNode
}

// Increment is a piece ½qx² + ax + b, or the change of the piece at a breakpoint.
// Hinges of bases have their coefficients in a and b.
type Increment struct{ Q, A, B float64 }

// Plus returns the sum of two increments.
func (s Increment) Plus(d Increment) Increment {
	return Increment{s.Q + d.Q, s.A + d.A, s.B + d.B}
}

// fanout is the largest number of entries of a node.
const fanout = 32

// breakpointNode is a node of the tree. An entry of a leaf is a breakpoint; an entry of an inner
// node is a child, with the largest key and the total of the increments in its subtree. A leaf of
// affine hinges, the most frequent node, has all its data in place; other data is behind pointers.
type breakpointNode struct {
	n     int              // the number of entries
	inner *innerNode       // nil in a leaf
	key   [fanout]float64  // from n on +Inf, or a key larger than the first n
	sum   [fanout]line     // the increments or totals, but for their curvatures
	q     *[fanout]float64 // the curvatures of sum, nil where all are 0
}

// line is the affine part of an increment.
type line struct{ a, b float64 }

// innerNode holds what a node has besides its entries if it is no leaf.
type innerNode struct {
	running  [fanout]Increment // the running sums of the totals
	children [fanout]*breakpointNode
	latest   int // the child that was added to last: most often, the next one is near
}

// newBreakpointNode returns an empty leaf.
func newBreakpointNode() *breakpointNode {
	n := new(breakpointNode)
	n.reset()
	return n
}

// reset makes n an empty leaf.
func (n *breakpointNode) reset() {
	n.n, n.q = 0, nil
	for i := range n.key {
		n.key[i] = math.Inf(1)
	}
}

// largest returns the largest key in the subtree.
func (n *breakpointNode) largest() float64 { return n.key[n.n-1] }

// increment returns increment or total number i.
func (n *breakpointNode) increment(i int) Increment {
	d := Increment{A: n.sum[i].a, B: n.sum[i].b}
	if n.q != nil {
		d.Q = n.q[i]
	}
	return d
}

// set sets increment or total number i.
func (n *breakpointNode) set(i int, d Increment) {
	n.sum[i] = line{d.A, d.B}
	if d.Q != 0 && n.q == nil {
		n.q = new([fanout]float64)
	}
	if n.q != nil {
		n.q[i] = d.Q
	}
}

// sumFirst returns the sum of the first k increments or totals.
func (n *breakpointNode) sumFirst(k int) (s Increment) {
	if k == 0 {
		return s
	}
	if n.inner != nil {
		return n.inner.running[k-1]
	}
	for _, d := range n.sum[:k] {
		s.A += d.a
		s.B += d.b
	}
	if n.q != nil {
		for _, q := range n.q[:k] {
			s.Q += q
		}
	}
	return s
}

// total returns the sum of all increments in the subtree.
func (n *breakpointNode) total() Increment { return n.sumFirst(n.n) }

// rank returns the index of the first entry with a key not less than this one, or n.n
// if there is none. Its loops have no branches that depend on keys, since a processor could not
// predict them, and the loads of the first loop are independent, since the keys may not be in a
// cache.
func (n *breakpointNode) rank(key float64) int {
	i := 0 // keys that are known to be less: whole groups of eight, and then 4, 2 and 1
	for last := 7; last < fanout-1; last += 8 {
		less := 0
		if n.key[last] < key {
			less = 8
		}
		i += less
	}
	for step := 4; step > 0; step /= 2 {
		less := 0
		if n.key[(i+step-1)%fanout] < key {
			less = 1
		}
		i += step & -less
	}
	if i == fanout-1 && n.key[i] < key {
		i++
	}
	return min(i, n.n)
}

// resum computes the running sums of increments or totals from number i on.
func (n *breakpointNode) resum(run *[fanout]Increment, i int) {
	var s Increment
	if i > 0 {
		s = run[i-1]
	}
	sums := run[i:n.n]
	for k, d := range n.sum[i:n.n] {
		s.A += d.a
		s.B += d.b
		sums[k] = s
	}
	if n.q != nil {
		for k, q := range n.q[i:n.n] {
			s.Q += q
			sums[k].Q = s.Q
		}
	}
}

// Reset removes all breakpoints.
func (b *Breakpoints) Reset() {
	switch {
	case b.root == nil:
	case b.root.inner == nil:
		b.root.reset()
	default:
		b.root = nil
	}
}

// Add inserts a breakpoint, or adds d to the increment of an equal key.
func (b *Breakpoints) Add(key float64, d Increment) {
	if b.root == nil {
		b.root = newBreakpointNode()
	}
	if right := b.root.add(key, d); right != nil {
		left := b.root
		b.root = newBreakpointNode()
		b.root.inner = new(innerNode)
		b.root.insert(0, left.largest(), left.total(), left)
		b.root.insert(1, right.largest(), right.total(), right)
	}
}

// add returns the new right half if the node had to be split, and otherwise nil.
func (n *breakpointNode) add(key float64, d Increment) *breakpointNode {
	if n.inner == nil {
		i := n.rank(key)
		if i < n.n && n.key[i] == key {
			n.set(i, n.increment(i).Plus(d))
			return nil
		}
		return n.insertOrSplit(i, key, d, nil)
	}
	i := n.inner.latest
	if !(key <= n.key[i] && (i == 0 || n.key[i-1] < key)) {
		i = min(n.rank(key), n.n-1)
		n.inner.latest = i
	}
	child := n.inner.children[i]
	extra := child.add(key, d)
	n.key[i] = child.largest()
	n.set(i, child.total())
	n.resum(&n.inner.running, i)
	if extra == nil {
		return nil
	}
	return n.insertOrSplit(i+1, extra.largest(), extra.total(), extra)
}

// insertOrSplit inserts an entry. It returns the new right half if the node had to
// be split, and otherwise nil.
func (n *breakpointNode) insertOrSplit(i int, key float64, d Increment,
	child *breakpointNode) *breakpointNode {
	if n.n < fanout {
		n.insert(i, key, d, child)
		return nil
	}
	right := n.split()
	if i > n.n {
		right.insert(i-n.n, key, d, child)
	} else {
		n.insert(i, key, d, child)
	}
	return right
}

// insert inserts an entry as number i into a node that is not full. child is its subtree, nil in a
// leaf.
func (n *breakpointNode) insert(i int, key float64, d Increment, child *breakpointNode) {
	copy(n.key[i+1:n.n+1], n.key[i:n.n])
	copy(n.sum[i+1:n.n+1], n.sum[i:n.n])
	if n.q != nil {
		copy(n.q[i+1:n.n+1], n.q[i:n.n])
	}
	n.key[i] = key
	n.set(i, d)
	n.n++
	if n.inner != nil {
		copy(n.inner.children[i+1:n.n], n.inner.children[i:n.n-1])
		n.inner.children[i] = child
		n.resum(&n.inner.running, i)
	}
}

// split moves the upper half of the entries to a new node, which it returns.
func (n *breakpointNode) split() *breakpointNode {
	const half = fanout / 2
	right := newBreakpointNode()
	right.n = fanout - half
	copy(right.key[:], n.key[half:])
	copy(right.sum[:], n.sum[half:])
	if n.q != nil {
		right.q = new([fanout]float64)
		copy(right.q[:], n.q[half:])
	}
	if n.inner != nil {
		right.inner = new(innerNode)
		n.inner.latest = 0
		copy(right.inner.children[:], n.inner.children[half:])
		clear(n.inner.children[half:])
		right.resum(&right.inner.running, 0)
	}
	n.n = half
	return right
}

// derivative is the slope (q + γ·sum.q)·x + a + γ·sum.a of a parabola and of the
// increments up to x.
type derivative struct{ q, a, gamma float64 }

// at returns the slope at x, where sum is the sum of the increments up to x.
func (d *derivative) at(x float64, sum Increment) float64 {
	return float64((d.q+float64(d.gamma*sum.Q))*x) + (d.a + float64(d.gamma*sum.A))
}

// search finds the first breakpoint with a slope ≥ 0 to its right. The slope must
// be nondecreasing from breakpoint to breakpoint.
//
// It returns the breakpoint's key and its increment at; last, the key of the
// breakpoint before it, −Inf if there is none; before, the sum of the increments up
// to last; and probes, the number of slopes that it computed. If there is no such breakpoint, ok
// is false and before is the sum of all increments.
func (b *Breakpoints) search(slope derivative) (key, last float64, before, at Increment, probes int,
	ok bool) {
	last = math.Inf(-1)
	n := b.root
	if n == nil {
		return 0, last, before, at, 0, false
	}
	var leaf [fanout]Increment // the running sums of a leaf
	for {
		running := &leaf
		if n.inner != nil {
			running = &n.inner.running
		} else {
			n.resum(running, 0)
		}
		lo, hi := 0, n.n
		if n != b.root {
			// The slope is ≥ 0 for the node's total, and the sum over its entries
			// may differ from that by rounding.
			hi--
		}
		for lo < hi {
			mid := (lo + hi) / 2
			probes++
			if slope.at(n.key[mid], before.Plus(running[mid])) >= 0 {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		if lo > 0 {
			before = before.Plus(running[lo-1])
			last = n.key[lo-1]
		}
		if lo == n.n {
			return 0, last, before, at, probes, false
		}
		if n.inner == nil {
			return n.key[lo], last, before, n.increment(lo), probes, true
		}
		n = n.inner.children[lo]
	}
}

// sumBelow returns the sum of the increments with keys less than u.
func (b *Breakpoints) sumBelow(u float64) (sum Increment) {
	for n := b.root; n != nil; {
		i := n.rank(u)
		if i > 0 {
			sum = sum.Plus(n.sumFirst(i))
		}
		if i == n.n || n.inner == nil {
			break
		}
		n = n.inner.children[i]
	}
	return sum
}

// VisitAround calls f, in order, with the increments of single breakpoints near key
// and with the totals of groups of breakpoints far from it. The single ones are
// those of the leaf of key and of the two leaves next to it, so that there are some
// on both sides of key. The groups are the subtrees that the paths to these leaves
// do not enter.
func (b *Breakpoints) VisitAround(key float64, f func(sum Increment)) {
	n := b.root
	if n == nil {
		return
	}
	left, right := key, key
	for n.inner != nil {
		at := min(n.rank(key), n.n-1)
		if at > 0 {
			left = n.key[at-1]
		}
		if at < n.n-1 {
			right = math.Nextafter(n.key[at], math.Inf(1))
		}
		n = n.inner.children[at]
	}
	b.root.visitAround([]float64{left, key, right}, f)
}

// visitAround is the visit of [Breakpoints.VisitAround] for the leaves of some keys, given in
// order.
func (n *breakpointNode) visitAround(keys []float64, f func(sum Increment)) {
	for i := range n.n {
		to := 0
		for to < len(keys) && min(n.rank(keys[to]), n.n-1) == i {
			to++
		}
		if n.inner == nil || to == 0 {
			f(n.increment(i))
		} else {
			n.inner.children[i].visitAround(keys[:to], f)
		}
		keys = keys[to:]
	}
}

// Total returns the sum of all increments.
func (b *Breakpoints) Total() Increment {
	if b.root == nil {
		return Increment{}
	}
	return b.root.total()
}

// Single returns the only breakpoint; ok is false if there is none, or more than one.
func (b *Breakpoints) Single() (key float64, sum Increment, ok bool) {
	n := b.root
	if n == nil || n.inner != nil || n.n != 1 {
		return 0, Increment{}, false
	}
	return n.key[0], n.increment(0), true
}
