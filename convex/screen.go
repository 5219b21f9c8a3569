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
type screen struct {
	n         int
	scale     float64 // the size of numbers in x
	clusters  []*cluster
	levels    []*level
	clusterOf []uint8   // the cluster of each row
	deviation []float64 // ‖a_i − ā‖
	levelOf   []int32   // the level of each row, nowhere or away
	pending   []int32   // rows to look at wherever x goes
	x         []float64 // where x is
	step      []float64
	queue     []crossing
	path      float64 // Σ‖Δx‖
	moves     int
}

// cluster is a direction ā that rows are nearly parallel to.
type cluster struct {
	center     []float64 // ā
	size       float64   // ‖ā‖
	path       float64   // Σ|ā·Δx|
	rate       float64   // |ā·d| on the way d that first looks along
	rows       int
	recenterAt int // the number of rows at which ā is chosen anew
	levelAt    [deviations][margins]int32
}

// level holds rows whose sign holds while x is within width of where it was
// when the level was last empty. A row whose seat is elsewhere by now is no
// longer in it.
type level struct {
	cluster          *cluster
	width, deviation float64
	x                []float64
	rows             []int32

	displacement float64 // the bound on |a_i·d| after the move at
	atMove       int
	// The level cannot be due before these clocks have run through rest.
	path, total, allowance float64
}

// crossing is after which part of a way rows of a level may change sign.
type crossing struct {
	after float64
	level int
}

const (
	notPlaced   = -1 // among the hot
	notScreened = -2 // not watched, until heat
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

func newScreen(n int, scale float64) *screen {
	return &screen{n: n, scale: scale, x: make([]float64, n), step: make([]float64, n)}
}

// add begins to watch row a, the next in number; it is hot.
func (s *screen) add(a []float64) {
	size := vec.Norm(a)
	best, dist := -1, math.Inf(1)
	for k, c := range s.clusters {
		if d := vec.Dist(a, c.center); d < dist {
			best, dist = k, d
		}
	}
	if best < 0 || dist > size/2 && len(s.clusters) < maxClusters {
		best, dist = len(s.clusters), 0
		s.clusters = append(s.clusters, newCluster(a, size))
	}
	s.clusters[best].rows++
	s.clusterOf = append(s.clusterOf, uint8(best))
	s.deviation = append(s.deviation, dist)
	s.levelOf = append(s.levelOf, notPlaced)
	s.pending = append(s.pending, int32(len(s.clusterOf)-1))
}

func newCluster(a []float64, size float64) *cluster {
	c := &cluster{center: slices.Clone(a), size: size, recenterAt: 8}
	for d := range c.levelAt {
		for m := range c.levelAt[d] {
			c.levelAt[d][m] = notPlaced
		}
	}
	return c
}

// renew chooses the centre of the last row's cluster anew if the cluster has
// doubled since: running averages converge, and the latest is the nearest to
// those to come.
func (s *screen) recenter(row func(i int) []float64) {
	last := len(s.clusterOf) - 1
	c := s.clusters[s.clusterOf[last]]
	if c.rows < c.recenterAt {
		return
	}
	c.recenterAt *= 2
	copy(c.center, row(last))
	c.size = vec.Norm(c.center)
	for i, k := range s.clusterOf {
		if s.clusters[k] == c {
			s.deviation[i] = vec.Dist(row(i), c.center)
			s.markPending(i)
		}
	}
	for _, l := range s.levels {
		if l.cluster == c {
			l.rows = l.rows[:0]
		}
	}
}

// truncate forgets all rows from the k-th on.
func (s *screen) truncate(k int) {
	gone := func(i int32) bool { return int(i) >= k }
	s.pending = slices.DeleteFunc(s.pending, gone)
	for _, l := range s.levels {
		l.rows = slices.DeleteFunc(l.rows, gone)
	}
	for _, i := range s.clusterOf[k:] {
		s.clusters[i].rows--
	}
	s.clusterOf, s.deviation, s.levelOf = s.clusterOf[:k], s.deviation[:k], s.levelOf[:k]
}

// change tells that row i is another one now.
func (s *screen) change(i int, a []float64) {
	s.deviation[i] = vec.Dist(a, s.clusters[s.clusterOf[i]].center)
	s.markPending(i)
}

// heat makes row i hot: its margin is no longer known.
func (s *screen) markPending(i int) {
	if s.levelOf[i] != notPlaced {
		s.levelOf[i] = notPlaced
		s.pending = append(s.pending, int32(i))
	}
}

// move tells that x has moved, and makes the rows that are due hot.
func (s *screen) move(x []float64) {
	vec.SubTo(s.step, x, s.x)
	copy(s.x, x)
	length := vec.Norm(s.step)
	if length == 0 && s.moves > 0 {
		return
	}
	s.moves++
	length += float64(rounding * s.scale)
	s.path += length
	for _, c := range s.clusters {
		c.path += math.Abs(vec.Dot(c.center, s.step)) + float64(rounding*float64(c.size*(length+s.scale)))
	}
	for k, l := range s.levels {
		if len(l.rows) == 0 || s.remaining(l, 0) > 0 {
			continue
		}
		s.emptyLevel(k)
	}
}

// empty makes the rows of a level hot.
func (s *screen) emptyLevel(k int) {
	l := s.levels[k]
	for _, i := range l.rows {
		if s.levelOf[i] == int32(k) {
			s.levelOf[i] = notPlaced
			s.pending = append(s.pending, i)
		}
	}
	l.rows = l.rows[:0]
}

// first returns the row that changes sign first on the straight way from x to
// y, or nowhere; the rows that are hot are left out. at returns after which
// part of the way row i does so, +Inf if it does not. Levels are looked at in
// the order of what their rows need at least, so that a way across all rows
// costs no more than one to the nearest.
func (s *screen) firstCrossing(y []float64, at func(i int) float64) int {
	vec.SubTo(s.step, y, s.x)
	length := vec.Norm(s.step) + float64(rounding*s.scale)
	for _, c := range s.clusters {
		c.rate = math.Abs(vec.Dot(c.center, s.step)) + float64(rounding*float64(c.size*(length+s.scale)))
	}
	s.queue = s.queue[:0]
	for k, l := range s.levels {
		rate := l.cluster.rate + float64(l.deviation*length)
		if len(l.rows) == 0 {
			continue
		}
		if left := s.remaining(l, rate); left < rate {
			s.queue = append(s.queue, crossing{left / rate, k})
		}
	}
	slices.SortFunc(s.queue, func(a, b crossing) int { return cmp.Compare(a.after, b.after) })
	row, best := notPlaced, math.Inf(1)
	for _, c := range s.queue {
		if c.after >= best {
			break
		}
		for _, i := range s.levels[c.level].rows {
			if s.levelOf[i] != int32(c.level) {
				continue
			}
			if part := at(int(i)); part < best {
				row, best = int(i), part
			}
		}
		if l := s.levels[c.level]; l.allowance < l.width/2 {
			s.emptyLevel(c.level) // or it would be looked at again and again
		}
	}
	return row
}

// sift tells that x has moved, and looks at the rows that are hot then.
func (s *screen) update(x []float64, look func(i int) (margin float64, kept bool)) {
	s.move(x)
	s.lookAtPending(look)
}

// calm gives the hot rows their seats. look returns the margin of a row at x,
// negative if the row is violated, and whether it is to be watched any longer;
// heat brings it back.
func (s *screen) lookAtPending(look func(i int) (margin float64, kept bool)) {
	hot := s.pending[:0]
	for _, i := range s.pending {
		margin, kept := look(int(i))
		switch {
		case !kept:
			s.levelOf[i] = notScreened
		case !s.place(i, margin):
			hot = append(hot, i)
		}
	}
	s.pending = hot
}

// left bounds what the margins of a level's rows are now from below, within
// enough only if it is not above that.
func (s *screen) remaining(l *level, enough float64) float64 {
	left := l.allowance - (l.cluster.path - l.path) - float64(l.deviation*(s.path-l.total))
	if left > enough {
		return left
	}
	l.path, l.total, l.allowance = l.cluster.path, s.path, l.width-s.displacement(l)
	return l.allowance
}

// reach bounds |a_i·d| over the rows of a level, d being how far x is from
// where it was when the level was empty.
func (s *screen) displacement(l *level) float64 {
	if l.atMove != s.moves {
		vec.SubTo(s.step, s.x, l.x)
		c := l.cluster
		l.displacement = math.Abs(vec.Dot(c.center, s.step)) + float64(l.deviation*vec.Norm(s.step)) + float64(rounding*float64(s.scale*(c.size+l.deviation)))
		l.atMove = s.moves
	}
	return l.displacement
}

// settle gives a hot row with this margin at x a seat; the caller takes it off
// the hot ones. It refuses rows whose sign is not clear of rounding.
func (s *screen) place(i int32, margin float64) bool {
	c, dev := s.clusters[s.clusterOf[i]], s.deviation[i]
	margin -= float64(rounding * float64(s.scale*(c.size+dev)))
	if !(margin > 0) {
		return false
	}
	m := min(max(exponent(margin/c.size)+margins-3, 0), margins-1)
	d := min(max(exponent(dev/c.size)/2+deviations-2, 0), deviations-1)
	// The first level down from its own in which the margin is still above
	// the width, given how far x has come since the level was empty.
	for ; m >= 0; m-- {
		k := c.levelAt[d][m]
		if k == notPlaced {
			k = int32(len(s.levels))
			c.levelAt[d][m] = k
			s.levels = append(s.levels, &level{cluster: c, x: make([]float64, s.n), width: float64(c.size * math.Ldexp(1, m-margins+2))})
		}
		l := s.levels[k]
		if len(l.rows) == 0 {
			if margin < l.width {
				continue
			}
			l.deviation, l.displacement, l.atMove = dev, 0, s.moves
			copy(l.x, s.x)
			l.path, l.total, l.allowance = c.path, s.path, l.width
		} else {
			if dev > l.deviation {
				l.deviation, l.atMove = dev, -1
				l.path, l.total, l.allowance = c.path, s.path, l.width-s.displacement(l)
			}
			if margin-s.displacement(l) < l.width {
				continue
			}
		}
		l.rows = append(l.rows, i)
		s.levelOf[i] = k
		return true
	}
	return false
}

// exponent returns e with 2^(e−1) ≤ |x| < 2^e, and a low number for 0.
func exponent(x float64) int { return int(math.Float64bits(x)>>52&0x7ff) - 1022 }
