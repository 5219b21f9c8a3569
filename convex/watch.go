package convex

import (
	"cmp"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// watch tells which of many affine functions s_i(x) = a_i·x + b_i may have
// changed sign while x moved, without looking at the others.
//
// Every row has a margin: |s_i| where it was last looked at. Its sign holds
// while |a_i·d| is below the margin, d being how far x is from there. Rows are
// kept in clusters around a direction ā, for hinges of running averages are
// nearly parallel, and
//
//	|a_i·d| ≤ |ā·d| + ‖a_i − ā‖·‖d‖,
//
// so that moves along the constraints, which change no sign, hardly count.
// Within a cluster, rows of one order of magnitude of margin and of deviation
// share a level, which knows where x was when it was last empty, and is due,
// all its rows to be looked at, when this bound reaches the margins' lower
// end. Rows that x comes near are in levels that are due often, and few; a row
// far away is looked at once in as many moves as x takes to come there.
//
// The same bounds tell which row is first to change its sign on the way to
// some point, without a look at those that do so later.
//
// Whatever the rows, no change of sign is missed; rows that are far from
// parallel are merely looked at more often.
type watch struct {
	n        int
	scale    float64 // the size of numbers in x
	clusters []*cluster
	levels   []*level
	of       []uint8   // the cluster of each row
	dev      []float64 // ‖a_i − ā‖
	seat     []int32   // the level of each row, nowhere or away
	hot      []int32   // rows to look at wherever x goes
	x        []float64 // where x is
	step     []float64
	queue    []crossing
	path     float64 // Σ‖Δx‖
	moves    int
}

// cluster is a direction ā that rows are nearly parallel to.
type cluster struct {
	center []float64 // ā
	size   float64   // ‖ā‖
	path   float64   // Σ|ā·Δx|
	rate   float64   // |ā·d| on the way d that first looks along
	rows   int
	renew  int // the number of rows at which ā is chosen anew
	level  [deviations][margins]int32
}

// level holds rows whose sign holds while x is within width of where it was
// when the level was last empty. A row whose seat is elsewhere by now is no
// longer in it.
type level struct {
	cluster    *cluster
	width, dev float64
	x          []float64
	rows       []int32

	reach float64 // the bound on |a_i·d| after the move at
	at    int
	// The level cannot be due before these clocks have run through rest.
	path, total, rest float64
}

// crossing is after which part of a way rows of a level may change sign.
type crossing struct {
	after float64
	level int
}

const (
	nowhere     = -1 // among the hot
	away        = -2 // not watched, until heat
	margins     = 64 // powers of 2 of margin/‖ā‖, up to 4
	deviations  = 16 // powers of 4 of deviation/‖ā‖, up to 4
	maxClusters = 16
	// rounding bounds, in units of the sizes of x and a, the error of a
	// computed s_i or reach.
	rounding = 1e-14
)

// rescan turns watches off: every scan of an active set then looks at all of
// its rows. Tests and measurements compare with that; the build tag rescan
// sets it.
var rescan bool

func newWatch(n int, scale float64) *watch {
	return &watch{n: n, scale: scale, x: make([]float64, n), step: make([]float64, n)}
}

// add begins to watch row a, the next in number; it is hot.
func (w *watch) add(a []float64) {
	size := vec.Norm(a)
	best, dist := -1, math.Inf(1)
	for k, c := range w.clusters {
		if d := vec.Dist(a, c.center); d < dist {
			best, dist = k, d
		}
	}
	if best < 0 || dist > size/2 && len(w.clusters) < maxClusters {
		best, dist = len(w.clusters), 0
		w.clusters = append(w.clusters, newCluster(a, size))
	}
	w.clusters[best].rows++
	w.of = append(w.of, uint8(best))
	w.dev = append(w.dev, dist)
	w.seat = append(w.seat, nowhere)
	w.hot = append(w.hot, int32(len(w.of)-1))
}

func newCluster(a []float64, size float64) *cluster {
	c := &cluster{center: slices.Clone(a), size: size, renew: 8}
	for d := range c.level {
		for m := range c.level[d] {
			c.level[d][m] = nowhere
		}
	}
	return c
}

// renew chooses the centre of the last row's cluster anew if the cluster has
// doubled since: running averages converge, and the latest is the nearest to
// those to come.
func (w *watch) renew(row func(i int) []float64) {
	last := len(w.of) - 1
	c := w.clusters[w.of[last]]
	if c.rows < c.renew {
		return
	}
	c.renew *= 2
	copy(c.center, row(last))
	c.size = vec.Norm(c.center)
	for i, k := range w.of {
		if w.clusters[k] == c {
			w.dev[i] = vec.Dist(row(i), c.center)
			w.heat(i)
		}
	}
	for _, l := range w.levels {
		if l.cluster == c {
			l.rows = l.rows[:0]
		}
	}
}

// truncate forgets all rows from the k-th on.
func (w *watch) truncate(k int) {
	gone := func(i int32) bool { return int(i) >= k }
	w.hot = slices.DeleteFunc(w.hot, gone)
	for _, l := range w.levels {
		l.rows = slices.DeleteFunc(l.rows, gone)
	}
	for _, i := range w.of[k:] {
		w.clusters[i].rows--
	}
	w.of, w.dev, w.seat = w.of[:k], w.dev[:k], w.seat[:k]
}

// change tells that row i is another one now.
func (w *watch) change(i int, a []float64) {
	w.dev[i] = vec.Dist(a, w.clusters[w.of[i]].center)
	w.heat(i)
}

// heat makes row i hot: its margin is no longer known.
func (w *watch) heat(i int) {
	if w.seat[i] != nowhere {
		w.seat[i] = nowhere
		w.hot = append(w.hot, int32(i))
	}
}

// move tells that x has moved, and makes the rows that are due hot.
func (w *watch) move(x []float64) {
	vec.SubTo(w.step, x, w.x)
	copy(w.x, x)
	length := vec.Norm(w.step)
	if length == 0 && w.moves > 0 {
		return
	}
	w.moves++
	length += float64(rounding * w.scale)
	w.path += length
	for _, c := range w.clusters {
		c.path += math.Abs(vec.Dot(c.center, w.step)) + float64(rounding*float64(c.size*(length+w.scale)))
	}
	for k, l := range w.levels {
		if len(l.rows) == 0 || w.left(l, 0) > 0 {
			continue
		}
		w.empty(k)
	}
}

// empty makes the rows of a level hot.
func (w *watch) empty(k int) {
	l := w.levels[k]
	for _, i := range l.rows {
		if w.seat[i] == int32(k) {
			w.seat[i] = nowhere
			w.hot = append(w.hot, i)
		}
	}
	l.rows = l.rows[:0]
}

// first returns the row that changes sign first on the straight way from x to
// y, or nowhere; the rows that are hot are left out. at returns after which
// part of the way row i does so, +Inf if it does not. Levels are looked at in
// the order of what their rows need at least, so that a way across all rows
// costs no more than one to the nearest.
func (w *watch) first(y []float64, at func(i int) float64) int {
	vec.SubTo(w.step, y, w.x)
	length := vec.Norm(w.step) + float64(rounding*w.scale)
	for _, c := range w.clusters {
		c.rate = math.Abs(vec.Dot(c.center, w.step)) + float64(rounding*float64(c.size*(length+w.scale)))
	}
	w.queue = w.queue[:0]
	for k, l := range w.levels {
		rate := l.cluster.rate + float64(l.dev*length)
		if len(l.rows) == 0 {
			continue
		}
		if left := w.left(l, rate); left < rate {
			w.queue = append(w.queue, crossing{left / rate, k})
		}
	}
	slices.SortFunc(w.queue, func(a, b crossing) int { return cmp.Compare(a.after, b.after) })
	row, best := nowhere, math.Inf(1)
	for _, c := range w.queue {
		if c.after >= best {
			break
		}
		for _, i := range w.levels[c.level].rows {
			if w.seat[i] != int32(c.level) {
				continue
			}
			if part := at(int(i)); part < best {
				row, best = int(i), part
			}
		}
		if l := w.levels[c.level]; l.rest < l.width/2 {
			w.empty(c.level) // or it would be looked at again and again
		}
	}
	return row
}

// sift tells that x has moved, and looks at the rows that are hot then.
func (w *watch) sift(x []float64, look func(i int) (margin float64, kept bool)) {
	w.move(x)
	w.calm(look)
}

// calm gives the hot rows their seats. look returns the margin of a row at x,
// negative if the row is violated, and whether it is to be watched any longer;
// heat brings it back.
func (w *watch) calm(look func(i int) (margin float64, kept bool)) {
	hot := w.hot[:0]
	for _, i := range w.hot {
		margin, kept := look(int(i))
		switch {
		case !kept:
			w.seat[i] = away
		case !w.settle(i, margin):
			hot = append(hot, i)
		}
	}
	w.hot = hot
}

// left bounds what the margins of a level's rows are now from below, within
// enough only if it is not above that.
func (w *watch) left(l *level, enough float64) float64 {
	left := l.rest - (l.cluster.path - l.path) - float64(l.dev*(w.path-l.total))
	if left > enough {
		return left
	}
	l.path, l.total, l.rest = l.cluster.path, w.path, l.width-w.reach(l)
	return l.rest
}

// reach bounds |a_i·d| over the rows of a level, d being how far x is from
// where it was when the level was empty.
func (w *watch) reach(l *level) float64 {
	if l.at != w.moves {
		vec.SubTo(w.step, w.x, l.x)
		c := l.cluster
		l.reach = math.Abs(vec.Dot(c.center, w.step)) + float64(l.dev*vec.Norm(w.step)) + float64(rounding*float64(w.scale*(c.size+l.dev)))
		l.at = w.moves
	}
	return l.reach
}

// settle gives a hot row with this margin at x a seat; the caller takes it off
// the hot ones. It refuses rows whose sign is not clear of rounding.
func (w *watch) settle(i int32, margin float64) bool {
	c, dev := w.clusters[w.of[i]], w.dev[i]
	margin -= float64(rounding * float64(w.scale*(c.size+dev)))
	if !(margin > 0) {
		return false
	}
	m := min(max(exponent(margin/c.size)+margins-3, 0), margins-1)
	d := min(max(exponent(dev/c.size)/2+deviations-2, 0), deviations-1)
	// The first level down from its own in which the margin is still above
	// the width, given how far x has come since the level was empty.
	for ; m >= 0; m-- {
		k := c.level[d][m]
		if k == nowhere {
			k = int32(len(w.levels))
			c.level[d][m] = k
			w.levels = append(w.levels, &level{cluster: c, x: make([]float64, w.n), width: float64(c.size * math.Ldexp(1, m-margins+2))})
		}
		l := w.levels[k]
		if len(l.rows) == 0 {
			if margin < l.width {
				continue
			}
			l.dev, l.reach, l.at = dev, 0, w.moves
			copy(l.x, w.x)
			l.path, l.total, l.rest = c.path, w.path, l.width
		} else {
			if dev > l.dev {
				l.dev, l.at = dev, -1
				l.path, l.total, l.rest = c.path, w.path, l.width-w.reach(l)
			}
			if margin-w.reach(l) < l.width {
				continue
			}
		}
		l.rows = append(l.rows, i)
		w.seat[i] = k
		return true
	}
	return false
}

// exponent returns e with 2^(e−1) ≤ |x| < 2^e, and a low number for 0.
func exponent(x float64) int { return int(math.Float64bits(x)>>52&0x7ff) - 1022 }
