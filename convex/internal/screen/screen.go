// Package screen finds, of many affine functions s_i(x) = a_i·x + b_i (rows), those that may
// have changed sign when x moved, without evaluating the other ones.
//
// The margin of a row is |s_i| at the point x₀ where it was last evaluated. The
// row has the same sign at x as long as |a_i·(x − x₀)| is less than the margin.
// Rows are in clusters around a common vector ā, since the hinges of running
// averages are nearly parallel, and
//
//	|a_i·d| ≤ |ā·d| + ‖a_i − ā‖·‖d‖,   d = x − x₀,
//
// where a move along the constraints makes the first term small.
//
// Within a cluster, rows whose margins, and whose deviations ‖a_i − ā‖, are of the same order of
// magnitude share a level. Its x₀ is the point x at which it was last empty. When the bound reaches
// the smallest margin of the level, its rows become pending: they are evaluated again, and the
// level is empty. Rows near x are in levels that are evaluated often and have few rows. A row far
// from x is evaluated once in as many moves as x needs to come near.
//
// The same bounds give the first row to change sign on a segment, without
// evaluating those that change sign later.
//
// No change of sign is missed, for any rows. Rows that are far from parallel are
// only evaluated more often. A move costs O(n) for each of the at most 16 clusters and for each
// level whose bound has to be computed, and an evaluation for each row that may have changed sign.
package screen

import (
	"cmp"
	"math"
	"slices"

	"ocobench/convex/vec"
)

// Screen holds what is known of the margins of rows at the present point. Rows are numbered from 0
// in the order of [Screen.Add]; the caller stores and evaluates them.
type Screen struct {
	Scale   float64   // a bound on ‖x‖, for tolerances; it may grow
	Pending []int32   // rows whose margin is not known: to be evaluated in any case
	X       []float64 // the present point

	n         int
	clusters  []*cluster
	levels    []*level
	clusterOf []uint8   // the cluster of each row
	deviation []float64 // ‖a_i − ā‖
	levelOf   []int32   // the level of each row, notPlaced or notScreened
	path      float64   // Σ‖Δx‖ over the moves
	moves     int
	step      []float64  // scratch: a difference of points
	queue     []crossing // scratch of FirstCrossing
}

// cluster is a set of rows that are nearly parallel to ā.
type cluster struct {
	center     []float64 // ā
	size       float64   // ‖ā‖
	path       float64   // Σ|ā·Δx| over the moves
	rate       float64   // |ā·d| for the segment d of FirstCrossing
	rows       int       // their number
	recenterAt int       // the number of rows at which ā is chosen again
	// levelAt has the level for each order of magnitude of the deviation and of the margin.
	levelAt [deviations][sizes]int32
}

// level has rows whose sign is the same as long as the bound of |a_i·d| is below
// width, where d is the move of x since the level was last empty. A row in rows
// with another levelOf has left the level.
type level struct {
	cluster          *cluster
	width, deviation float64   // its rows have margins of at least width, and deviation at most
	x                []float64 // where the level was last empty
	rows             []int32

	displacement float64 // the bound on |a_i·d| after move number atMove
	atMove       int
	// When displacement was last computed, the rows had margins of at least allowance, which is width
	// less the displacement, and the paths of the cluster and of x had these lengths. Since then no
	// margin has lost more than (growth of the cluster's path) + deviation·(growth of the path of x):
	// this is the cheap bound of [Screen.remaining].
	clusterPath, path, allowance float64
}

// crossing is the fraction of a segment before which no row of a level changes
// sign.
type crossing struct {
	after float64
	level int
}

const (
	None        = -1 // no row
	notPlaced   = -1 // the row is pending; for a cluster: no such level
	notScreened = -2 // the row is not screened until MarkPending
	sizes       = 64 // powers of 2 of margin/‖ā‖, up to 4
	deviations  = 16 // powers of 4 of deviation/‖ā‖, up to 4
	maxClusters = 16
	// rounding bounds the error of a computed s_i or displacement, in units of
	// ‖x‖·‖a‖.
	rounding = 1e-14
)

// Off turns screens off: callers then evaluate all rows. Tests and measurements compare with
// that. The build tag rescan sets it.
var Off bool

// New returns a screen of no rows in n dimensions at x = 0, where scale bounds ‖x‖.
func New(n int, scale float64) *Screen {
	return &Screen{n: n, Scale: scale, X: make([]float64, n), step: make([]float64, n)}
}

// Reset removes all rows, and keeps the storage of clusters and levels: what follows has the bits
// of a new screen.
func (s *Screen) Reset() {
	s.clusters, s.levels = s.clusters[:0], s.levels[:0]
	s.clusterOf, s.deviation, s.levelOf = s.clusterOf[:0], s.deviation[:0], s.levelOf[:0]
	s.Pending = s.Pending[:0]
	clear(s.X)
	s.path, s.moves = 0, 0
}

// Add adds row a, the next in number, as a pending one.
func (s *Screen) Add(a []float64) {
	size := vec.Norm(a)
	best, dist := -1, math.Inf(1)
	for k, c := range s.clusters {
		if d := vec.Dist(a, c.center); d < dist {
			best, dist = k, d
		}
	}
	if best < 0 || dist > size/2 && len(s.clusters) < maxClusters {
		best, dist = len(s.clusters), 0
		s.clusters = slices.Grow(s.clusters, 1)[:best+1]
		if s.clusters[best] == nil {
			s.clusters[best] = new(cluster)
		}
		s.clusters[best].begin(a, size)
	}
	s.clusters[best].rows++
	s.clusterOf = append(s.clusterOf, uint8(best))
	s.deviation = append(s.deviation, dist)
	s.levelOf = append(s.levelOf, notPlaced)
	s.Pending = append(s.Pending, int32(len(s.clusterOf)-1))
}

// begin makes c a cluster of one row.
func (c *cluster) begin(a []float64, size float64) {
	*c = cluster{center: append(c.center[:0], a...), size: size, recenterAt: 8}
	for d := range c.levelAt {
		for m := range c.levelAt[d] {
			c.levelAt[d][m] = notPlaced
		}
	}
}

// Recenter makes the last row the centre of its cluster if the cluster has doubled
// since its centre was chosen: running averages converge, so that the last row is
// nearest to the next ones.
func (s *Screen) Recenter(row func(i int) []float64) {
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
			s.MarkPending(i)
		}
	}
	for _, l := range s.levels {
		if l.cluster == c {
			l.rows = l.rows[:0]
		}
	}
}

// Truncate removes all rows from number k on.
func (s *Screen) Truncate(k int) {
	removed := func(i int32) bool { return int(i) >= k }
	s.Pending = slices.DeleteFunc(s.Pending, removed)
	for _, l := range s.levels {
		l.rows = slices.DeleteFunc(l.rows, removed)
	}
	for _, i := range s.clusterOf[k:] {
		s.clusters[i].rows--
	}
	s.clusterOf, s.deviation, s.levelOf = s.clusterOf[:k], s.deviation[:k], s.levelOf[:k]
}

// Change notes that row i is now a.
func (s *Screen) Change(i int, a []float64) {
	s.deviation[i] = vec.Dist(a, s.clusters[s.clusterOf[i]].center)
	s.MarkPending(i)
}

// MarkPending makes row i pending: its margin is no longer known.
func (s *Screen) MarkPending(i int) {
	if s.levelOf[i] != notPlaced {
		s.levelOf[i] = notPlaced
		s.Pending = append(s.Pending, int32(i))
	}
}

// move sets the present point, and makes those rows pending that may have changed
// sign.
func (s *Screen) move(x []float64) {
	vec.SubTo(s.step, x, s.X)
	copy(s.X, x)
	length := vec.Norm(s.step)
	if length == 0 && s.moves > 0 {
		return
	}
	s.moves++
	length += float64(rounding * s.Scale)
	s.path += length
	for _, c := range s.clusters {
		c.path += math.Abs(vec.Dot(c.center, s.step)) + float64(rounding*float64(c.size*(length+s.Scale)))
	}
	for k, l := range s.levels {
		if len(l.rows) == 0 || s.remaining(l, 0) > 0 {
			continue
		}
		s.emptyLevel(k)
	}
}

// emptyLevel makes the rows of a level pending.
func (s *Screen) emptyLevel(k int) {
	l := s.levels[k]
	for _, i := range l.rows {
		if s.levelOf[i] == int32(k) {
			s.levelOf[i] = notPlaced
			s.Pending = append(s.Pending, i)
		}
	}
	l.rows = l.rows[:0]
}

// FirstCrossing returns the row that changes sign first on the segment from x to
// y, or [None]. Pending rows do not count. at returns the
// fraction of the segment at which row i changes sign, +Inf if it does not.
// Levels are visited in the order of lower bounds of these fractions, so that a
// segment across all rows costs no more than one to the nearest row.
func (s *Screen) FirstCrossing(y []float64, at func(i int) float64) int {
	vec.SubTo(s.step, y, s.X)
	length := vec.Norm(s.step) + float64(rounding*s.Scale)
	for _, c := range s.clusters {
		c.rate = math.Abs(vec.Dot(c.center, s.step)) + float64(rounding*float64(c.size*(length+s.Scale)))
	}
	s.queue = s.queue[:0]
	for k, l := range s.levels {
		rate := l.cluster.rate + float64(l.deviation*length)
		if len(l.rows) == 0 {
			continue
		}
		if least := s.remaining(l, rate); least < rate {
			s.queue = append(s.queue, crossing{least / rate, k})
		}
	}
	slices.SortFunc(s.queue, func(a, b crossing) int { return cmp.Compare(a.after, b.after) })
	row, best := None, math.Inf(1)
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
			s.emptyLevel(c.level) // otherwise every later call would visit it again
		}
	}
	return row
}

// Update moves the present point to x, and calls lookAtPending.
func (s *Screen) Update(x []float64, look func(i int) (margin float64, screened bool)) {
	s.move(x)
	s.LookAtPending(look)
}

// LookAtPending places the pending rows in levels. look returns the margin of a
// row at x, which is negative if the row is violated, and whether the row is
// screened any longer; if not, only MarkPending brings it back.
func (s *Screen) LookAtPending(look func(i int) (margin float64, screened bool)) {
	pending := s.Pending[:0]
	for _, i := range s.Pending {
		margin, screened := look(int(i))
		switch {
		case !screened:
			s.levelOf[i] = notScreened
		case !s.place(i, margin):
			pending = append(pending, i)
		}
	}
	s.Pending = pending
}

// remaining returns a lower bound of the present margins of a level's rows. The
// bound is computed by the path lengths alone if these give more than enough.
func (s *Screen) remaining(l *level, enough float64) float64 {
	least := l.allowance - (l.cluster.path - l.clusterPath) - float64(l.deviation*(s.path-l.path))
	if least > enough {
		return least
	}
	l.clusterPath, l.path, l.allowance = l.cluster.path, s.path, l.width-s.displacement(l)
	return l.allowance
}

// displacement bounds |a_i·d| over the rows of a level, where d is the move of x
// since the level was last empty.
func (s *Screen) displacement(l *level) float64 {
	if l.atMove != s.moves {
		vec.SubTo(s.step, s.X, l.x)
		c := l.cluster
		l.displacement = math.Abs(vec.Dot(c.center, s.step)) + float64(l.deviation*vec.Norm(s.step)) +
			float64(rounding*float64(s.Scale*(c.size+l.deviation)))
		l.atMove = s.moves
	}
	return l.displacement
}

// place puts a pending row with this margin at x into a level; the caller removes
// it from the pending ones. It returns false if rounding may decide the sign of
// the row.
func (s *Screen) place(i int32, margin float64) bool {
	c, dev := s.clusters[s.clusterOf[i]], s.deviation[i]
	margin -= float64(rounding * float64(s.Scale*(c.size+dev)))
	if !(margin > 0) {
		return false
	}
	m := min(max(exponent(margin/c.size)+sizes-3, 0), sizes-1)
	d := min(max(exponent(dev/c.size)/2+deviations-2, 0), deviations-1)
	// The widest level, from the row's own order of magnitude down, whose width is below the margin
	// less the displacement. The width is counted from the point where the level was last empty; the
	// margin is that at x, and may have been larger or smaller by the displacement there.
	for ; m >= 0; m-- {
		k := c.levelAt[d][m]
		if k == notPlaced {
			k = int32(len(s.levels))
			c.levelAt[d][m] = k
			s.addLevel(c, float64(c.size*math.Ldexp(1, m-sizes+2)))
		}
		l := s.levels[k]
		if len(l.rows) == 0 {
			if margin < l.width {
				continue
			}
			l.deviation, l.displacement, l.atMove = dev, 0, s.moves
			copy(l.x, s.X)
			l.clusterPath, l.path, l.allowance = c.path, s.path, l.width
		} else {
			if dev > l.deviation {
				l.deviation, l.atMove = dev, -1
				l.clusterPath, l.path, l.allowance = c.path, s.path, l.width-s.displacement(l)
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

// addLevel adds an empty level of the cluster.
func (s *Screen) addLevel(c *cluster, width float64) {
	k := len(s.levels)
	s.levels = slices.Grow(s.levels, 1)[:k+1]
	if s.levels[k] == nil {
		s.levels[k] = &level{x: make([]float64, s.n)}
	}
	l := s.levels[k]
	*l = level{cluster: c, x: l.x, rows: l.rows[:0], width: width}
}

// exponent returns e with 2^(e−1) ≤ |x| < 2^e, and −1022 for 0.
func exponent(x float64) int { return int(math.Float64bits(x)>>52&0x7ff) - 1022 }
