package convex

import "math"

// breakpoints is an ordered set of breakpoints, each a key with an increment of a
// piece. It is a B-tree whose nodes have the sums of the increments in their
// subtrees. Adding a breakpoint, and a search by the running sums, cost O(log t).
// Sums are computed again from the leaves up, so that their rounding error grows
// with the depth and not with the number of breakpoints.
type breakpoints struct {
	root *breakpointNode
}

// increment is a piece ½qx² + ax + b, or the change of the piece at a breakpoint.
// Hinges of bases have their coefficients in a and b.
type increment struct{ q, a, b float64 }

func (s increment) plus(d increment) increment {
	return increment{s.q + d.q, s.a + d.a, s.b + d.b}
}

const fanout = 32

type breakpointNode struct {
	n        int
	key      [fanout]float64          // of a leaf; of an inner node, the largest key of each child; from n on, +Inf or larger than the first n
	sum      [fanout]increment        // of a leaf, the increments; of an inner node, the children's totals
	running  [fanout]increment        // the running sums of sum
	children *[fanout]*breakpointNode // nil in a leaf
}

func newBreakpointNode() *breakpointNode {
	n := new(breakpointNode)
	n.reset()
	return n
}

func (n *breakpointNode) reset() {
	n.n = 0
	for i := range n.key {
		n.key[i] = math.Inf(1)
	}
}

func (n *breakpointNode) largest() float64 { return n.key[n.n-1] }
func (n *breakpointNode) total() increment { return n.running[n.n-1] }

// rank is the index of the first entry with a key not less than this one, or n.n
// if there is none. It has no branches, since a processor could not predict them.
func (n *breakpointNode) rank(key float64) int {
	i := 0
	for step := fanout / 2; step > 0; step /= 2 {
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

// resum computes the running sums from number i on.
func (n *breakpointNode) resum(i int) {
	var s increment
	if i > 0 {
		s = n.running[i-1]
	}
	sum, run := n.sum[i:n.n], n.running[i:n.n]
	for k, d := range sum {
		s = s.plus(d)
		run[k] = s
	}
}

// reset removes all breakpoints.
func (b *breakpoints) reset() {
	switch {
	case b.root == nil:
	case b.root.children == nil:
		b.root.reset()
	default:
		b.root = nil
	}
}

// add inserts a breakpoint, or adds d to the increment of an equal key.
func (b *breakpoints) add(key float64, d increment) {
	if b.root == nil {
		b.root = newBreakpointNode()
	}
	if right := b.root.add(key, d); right != nil {
		left := b.root
		b.root = newBreakpointNode()
		b.root.children = new([fanout]*breakpointNode)
		b.root.insert(0, left.largest(), left.total(), left)
		b.root.insert(1, right.largest(), right.total(), right)
	}
}

// add returns the new right half if the node had to be split, and otherwise nil.
func (n *breakpointNode) add(key float64, d increment) *breakpointNode {
	i := n.rank(key)
	if n.children == nil {
		if i < n.n && n.key[i] == key {
			n.sum[i] = n.sum[i].plus(d)
			n.resum(i)
			return nil
		}
		return n.insertOrSplit(i, key, d, nil)
	}
	i = min(i, n.n-1)
	child := n.children[i]
	extra := child.add(key, d)
	n.key[i], n.sum[i] = child.largest(), child.total()
	n.resum(i)
	if extra == nil {
		return nil
	}
	return n.insertOrSplit(i+1, extra.largest(), extra.total(), extra)
}

// insertOrSplit inserts an entry. It returns the new right half if the node had to
// be split, and otherwise nil.
func (n *breakpointNode) insertOrSplit(i int, key float64, d increment, child *breakpointNode) *breakpointNode {
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

func (n *breakpointNode) insert(i int, key float64, d increment, child *breakpointNode) {
	copy(n.key[i+1:n.n+1], n.key[i:n.n])
	copy(n.sum[i+1:n.n+1], n.sum[i:n.n])
	n.key[i], n.sum[i] = key, d
	if n.children != nil {
		copy(n.children[i+1:n.n+1], n.children[i:n.n])
		n.children[i] = child
	}
	n.n++
	n.resum(i)
}

func (n *breakpointNode) split() *breakpointNode {
	const half = fanout / 2
	right := newBreakpointNode()
	right.n = fanout - half
	copy(right.key[:], n.key[half:])
	copy(right.sum[:], n.sum[half:])
	if n.children != nil {
		right.children = new([fanout]*breakpointNode)
		copy(right.children[:], n.children[half:])
		clear(n.children[half:])
	}
	n.n = half
	right.resum(0)
	return right
}

// search returns the first breakpoint for which pred is true. pred must be
// monotone: if it is true for a breakpoint, it is true for all later ones. Its
// arguments are the key and the sum of the increments up to and including it.
//
// The results are the key found and its increment at; the key last of the
// breakpoint before it, −Inf if there is none; and before, the sum of the
// increments up to last. If no breakpoint is found, ok is false and before is the
// sum of all increments.
func (b *breakpoints) search(pred func(key float64, sum increment) bool) (key, last float64, before, at increment, ok bool) {
	last = math.Inf(-1)
	n := b.root
	if n == nil {
		return 0, last, before, at, false
	}
	for {
		lo, hi := 0, n.n
		if n != b.root {
			// pred is true for the node's total, and the sum over its entries
			// may differ from that by rounding.
			hi--
		}
		for lo < hi {
			mid := (lo + hi) / 2
			if pred(n.key[mid], before.plus(n.running[mid])) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		if lo > 0 {
			before = before.plus(n.running[lo-1])
			last = n.key[lo-1]
		}
		if lo == n.n {
			return 0, last, before, at, false
		}
		if n.children == nil {
			return n.key[lo], last, before, n.sum[lo], true
		}
		n = n.children[lo]
	}
}

// sumBelow returns the sum of the increments with keys less than u.
func (b *breakpoints) sumBelow(u float64) (sum increment) {
	for n := b.root; n != nil; {
		i := n.rank(u)
		if i > 0 {
			sum = sum.plus(n.running[i-1])
		}
		if i == n.n || n.children == nil {
			break
		}
		n = n.children[i]
	}
	return sum
}

// visitAround calls f, in order, with the increments of single breakpoints near key
// and with the totals of groups of breakpoints far from it. The single ones are
// those of the leaf of key and of the two leaves next to it, so that there are some
// on both sides of key. The groups are the subtrees that the paths to these leaves
// do not enter.
func (b *breakpoints) visitAround(key float64, f func(sum increment)) {
	n := b.root
	if n == nil {
		return
	}
	left, right := key, key
	for n.children != nil {
		at := min(n.rank(key), n.n-1)
		if at > 0 {
			left = n.key[at-1]
		}
		if at < n.n-1 {
			right = math.Nextafter(n.key[at], math.Inf(1))
		}
		n = n.children[at]
	}
	b.root.visitAround([]float64{left, key, right}, f)
}

// visitAround does this for the leaves of some keys, given in order.
func (n *breakpointNode) visitAround(keys []float64, f func(sum increment)) {
	for i, sum := range n.sum[:n.n] {
		to := 0
		for to < len(keys) && min(n.rank(keys[to]), n.n-1) == i {
			to++
		}
		if n.children == nil || to == 0 {
			f(sum)
		} else {
			n.children[i].visitAround(keys[:to], f)
		}
		keys = keys[to:]
	}
}

// total returns the sum of all increments.
func (b *breakpoints) total() increment {
	if b.root == nil {
		return increment{}
	}
	return b.root.total()
}
