package convex

import (
	"math"
	"slices"
)

// breaks is an ordered multiset of breakpoints, each a key with an increment
// of three numbers: a B-tree whose nodes know the sum of the increments below
// them. Adding a breakpoint and searching along the running sums cost
// O(log t). Sums are re-computed from the leaves up, so that their rounding
// error grows with the depth and not with the number of breakpoints.
type breaks struct {
	root *breakNode
}

type increment [3]float64

func (s *increment) add(d increment) {
	s[0] += d[0]
	s[1] += d[1]
	s[2] += d[2]
}

const fanout = 32

type breakNode struct {
	n    int
	key  [fanout]float64     // of a leaf; above, the largest key of each child
	sum  [fanout]increment   // of a leaf, the increments; above, the children's totals
	run  [fanout]increment   // the running sums of sum
	kids *[fanout]*breakNode // nil in a leaf
}

func (n *breakNode) total() increment { return n.run[n.n-1] }

// resum makes the running sums from the i-th on.
func (n *breakNode) resum(i int) {
	var s increment
	if i > 0 {
		s = n.run[i-1]
	}
	for ; i < n.n; i++ {
		s.add(n.sum[i])
		n.run[i] = s
	}
}

// add inserts a breakpoint; one with a key that is there already joins it.
func (b *breaks) add(key float64, d increment) {
	if b.root == nil {
		b.root = new(breakNode)
	}
	if right := b.root.add(key, d); right != nil {
		left := b.root
		b.root = &breakNode{n: 2, kids: &[fanout]*breakNode{left, right}}
		for i, kid := range b.root.kids[:2] {
			b.root.key[i], b.root.sum[i] = kid.key[kid.n-1], kid.total()
		}
		b.root.resum(0)
	}
}

// add returns the new right half where the node had to be split.
func (n *breakNode) add(key float64, d increment) *breakNode {
	i, _ := slices.BinarySearch(n.key[:n.n], key)
	if n.kids == nil {
		if i < n.n && n.key[i] == key {
			n.sum[i].add(d)
			n.resum(i)
			return nil
		}
		if n.n == fanout {
			right := n.split()
			if i > n.n {
				right.insert(i-n.n, key, d, nil)
			} else {
				n.insert(i, key, d, nil)
			}
			return right
		}
		n.insert(i, key, d, nil)
		return nil
	}
	i = min(i, n.n-1)
	kid := n.kids[i]
	extra := kid.add(key, d)
	n.key[i], n.sum[i] = kid.key[kid.n-1], kid.total()
	n.resum(i)
	if extra == nil {
		return nil
	}
	if n.n == fanout {
		right := n.split()
		if i >= n.n {
			right.insert(i+1-n.n, extra.key[extra.n-1], extra.total(), extra)
		} else {
			n.insert(i+1, extra.key[extra.n-1], extra.total(), extra)
		}
		return right
	}
	n.insert(i+1, extra.key[extra.n-1], extra.total(), extra)
	return nil
}

func (n *breakNode) insert(i int, key float64, d increment, kid *breakNode) {
	copy(n.key[i+1:n.n+1], n.key[i:n.n])
	copy(n.sum[i+1:n.n+1], n.sum[i:n.n])
	n.key[i], n.sum[i] = key, d
	if n.kids != nil {
		copy(n.kids[i+1:n.n+1], n.kids[i:n.n])
		n.kids[i] = kid
	}
	n.n++
	n.resum(i)
}

func (n *breakNode) split() *breakNode {
	const half = fanout / 2
	right := &breakNode{n: fanout - half}
	copy(right.key[:], n.key[half:])
	copy(right.sum[:], n.sum[half:])
	if n.kids != nil {
		right.kids = new([fanout]*breakNode)
		copy(right.kids[:], n.kids[half:])
		clear(n.kids[half:])
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
func (b *breaks) search(pred func(key float64, sum increment) bool) (key, last float64, before, at increment, ok bool) {
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
			sum := before
			sum.add(n.run[mid])
			if pred(n.key[mid], sum) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		if lo > 0 {
			before.add(n.run[lo-1])
			last = n.key[lo-1]
		}
		if lo == n.n {
			return 0, last, before, at, false
		}
		if n.kids == nil {
			return n.key[lo], last, before, n.sum[lo], true
		}
		n = n.kids[lo]
	}
}

// below returns the sum of the increments with keys less than u.
func (b *breaks) below(u float64) increment {
	_, _, before, _, _ := b.search(func(key float64, _ increment) bool { return key >= u })
	return before
}

// open calls f with the increments of single breakpoints around key, and the
// totals of groups of them farther off, in order. Single are those in the leaf
// that key leads to and in the leaves on both sides of it, so that there are
// some on both sides of key; the groups are the nodes beside the paths there.
func (b *breaks) open(key float64, f func(sum increment)) {
	n := b.root
	if n == nil {
		return
	}
	left, right := key, key
	for n.kids != nil {
		at := n.child(key)
		if at > 0 {
			left = n.key[at-1]
		}
		if at < n.n-1 {
			right = math.Nextafter(n.key[at], math.Inf(1))
		}
		n = n.kids[at]
	}
	b.root.open([]float64{left, key, right}, f)
}

// child is the index of the first entry not less than key, or the last one.
func (n *breakNode) child(key float64) int {
	at := 0
	for at < n.n-1 && n.key[at] < key {
		at++
	}
	return at
}

// open opens the way to some keys in order.
func (n *breakNode) open(keys []float64, f func(sum increment)) {
	for i, sum := range n.sum[:n.n] {
		to := 0
		for to < len(keys) && n.child(keys[to]) == i {
			to++
		}
		if n.kids == nil || to == 0 {
			f(sum)
		} else {
			n.kids[i].open(keys[:to], f)
		}
		keys = keys[to:]
	}
}

// total returns the sum of all increments.
func (b *breaks) total() increment {
	if b.root == nil {
		return increment{}
	}
	return b.root.total()
}
