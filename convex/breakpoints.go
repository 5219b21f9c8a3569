package convex

import "math"

// breaks is an ordered multiset of breakpoints, each a key with an increment
// of a piece: a B-tree whose nodes know the sum of the increments below them.
// Adding a breakpoint and searching along the running sums cost O(log t). Sums
// are re-computed from the leaves up, so that their rounding error grows with
// the depth and not with the number of breakpoints.
type breakpoints struct {
	root *breakpointNode
}

// increment is a piece ½qx² + ax + b, or what is added to one. Hinges of bases
// keep their weights in a and b.
type increment struct{ q, a, b float64 }

func (s increment) plus(d increment) increment {
	return increment{s.q + d.q, s.a + d.a, s.b + d.b}
}

const fanout = 32

type breakpointNode struct {
	n        int
	key      [fanout]float64          // of a leaf; above, the largest key of each child; none of the others is less than the first n
	sum      [fanout]increment        // of a leaf, the increments; above, the children's totals
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

// rank is the index of the first entry with a key not less than this one, or
// n.n without one. Keys come in no order that a processor could guess, so it
// takes no branches.
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

// resum makes the running sums from the i-th on.
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

// reset forgets all breakpoints.
func (b *breakpoints) reset() {
	switch {
	case b.root == nil:
	case b.root.children == nil:
		b.root.reset()
	default:
		b.root = nil
	}
}

// add inserts a breakpoint; one with a key that is there already joins it.
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

// add returns the new right half where the node had to be split.
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
	kid := n.children[i]
	extra := kid.add(key, d)
	n.key[i], n.sum[i] = kid.largest(), kid.total()
	n.resum(i)
	if extra == nil {
		return nil
	}
	return n.insertOrSplit(i+1, extra.largest(), extra.total(), extra)
}

// grow inserts an entry, and returns the new right half where the node had to
// be split.
func (n *breakpointNode) insertOrSplit(i int, key float64, d increment, kid *breakpointNode) *breakpointNode {
	if n.n < fanout {
		n.insert(i, key, d, kid)
		return nil
	}
	right := n.split()
	if i > n.n {
		right.insert(i-n.n, key, d, kid)
	} else {
		n.insert(i, key, d, kid)
	}
	return right
}

func (n *breakpointNode) insert(i int, key float64, d increment, kid *breakpointNode) {
	copy(n.key[i+1:n.n+1], n.key[i:n.n])
	copy(n.sum[i+1:n.n+1], n.sum[i:n.n])
	n.key[i], n.sum[i] = key, d
	if n.children != nil {
		copy(n.children[i+1:n.n+1], n.children[i:n.n])
		n.children[i] = kid
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

// search returns the first breakpoint for which pred holds, pred being
// monotone: once true for a breakpoint, true for all later ones. pred is
// given the key and the sum of all increments up to and with it. last is the
// key of the breakpoint before, −Inf without one, and before the sum of the
// increments up to there. Without a breakpoint found, ok is false and before
// the sum of all; otherwise at is the increment found.
func (b *breakpoints) search(pred func(key float64, sum increment) bool) (key, last float64, before, at increment, ok bool) {
	last = math.Inf(-1)
	n := b.root
	if n == nil {
		return 0, last, before, at, false
	}
	for {
		lo, hi := 0, n.n
		if n != b.root {
			// pred holds for the node's total; summed over its entries that
			// may differ by rounding.
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

// below returns the sum of the increments with keys less than u.
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

// open calls f with the increments of single breakpoints around key, and the
// totals of groups of them farther off, in order. Single are those in the leaf
// that key leads to and in the leaves on both sides of it, so that there are
// some on both sides of key; the groups are the nodes beside the paths there.
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

// open opens the way to some keys in order.
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
