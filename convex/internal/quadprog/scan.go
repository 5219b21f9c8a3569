package quadprog

import (
	"math"

	"ocobench/convex/internal/screen"
	"ocobench/convex/vec"
)

// This file finds a row that is violated, and evaluates few of the others for it:
//
//   - With many rows a screen selects those whose sign may have changed (package screen).
//   - From Sizes.Watch dimensions on, rows that were violated when all were evaluated last are
//     looked at first; only if none of these is violated, the others are.

// maxHot bounds the number of rows that are looked at before the others.
const maxHot = 128

// watch is what is remembered of rows beyond the domain's.
type watch struct {
	screen    *screen.Screen // nil: there are few rows
	spare     *screen.Screen // the storage of a former screen
	screening bool           // whether there is a screen once there are many rows

	hot []int32 // rows that were violated when all were evaluated last
}

// manyRows returns the number of rows from which on a screen saves time. With a range
// space there are fewer scans.
func (p *Solver) manyRows() int {
	if p.UsesRangeSpace() {
		return 1000
	}
	return 64
}

// watchLast tells the screen, if there is one or should be one, of the row that was added last.
func (p *Solver) watchLast() {
	switch {
	case p.screen != nil:
		p.screenRow(len(p.b) - 1)
	case p.screening && len(p.b)-p.domainRows >= p.manyRows():
		if p.screen, p.spare = p.spare, nil; p.screen == nil {
			p.screen = screen.New(p.n, p.scale)
		}
		for i := p.domainRows; i < len(p.b); i++ {
			p.screenRow(i)
		}
	}
}

// screenRow adds row i, the next in number, to the screen.
func (p *Solver) screenRow(i int) {
	p.screen.Add(p.row(i))
	p.screen.Recenter(func(i int) []float64 { return p.row(p.domainRows + i) })
}

// dropScreen ends the screen, and keeps its storage for the next one.
func (p *Solver) dropScreen() {
	if p.screen != nil {
		p.screen.Reset()
		p.screen, p.spare = nil, p.screen
	}
}

// forgetRows forgets the rows from number k on.
func (p *Solver) forgetRows(k int) {
	switch {
	case k == p.domainRows:
		p.dropScreen()
	case p.screen != nil:
		p.screen.Truncate(k - p.domainRows)
	}
}

// forgetMargin notes that the state of row i has changed or will change now.
func (p *Solver) forgetMargin(i int) {
	if p.screen != nil && i >= p.domainRows {
		p.screen.MarkPending(i - p.domainRows)
	}
}

// scan returns a row that is violated at x by more than rounding, and the direction
// in which its multiplier must change, or direction 0 if no row is violated. Among
// the rows that it evaluates in any case, it returns the one whose kink is
// farthest from x. If none of these is violated, it returns the first screened row
// that changes sign on the segment from the last solution to x. The point x may be
// far away, when an active row was released and only the curvature bounds the
// step; it then violates very many rows, and the first one brings it back.
func (p *Solver) scan() (row int, dir float64) {
	worst := 1e-14 * p.scale
	// isViolated evaluates row i, and remembers it if it is the farthest from its kink so far.
	isViolated := func(i int) (violated bool) {
		if p.state[i] >= kink {
			return false
		}
		excess := p.excess(i, p.x)
		rounding := float64(1e-14 * float64(p.scale*p.norm[i]))
		switch {
		case excess <= rounding:
			return false
		case excess <= float64(worst*p.norm[i]):
			return true
		case p.norm[i] > 0:
			worst, row = excess/p.norm[i], i
		case p.state[i] == on || math.IsInf(p.w[i], 1) && excess <= float64(1e-14*p.scale):
			return false // a row with a = 0 is on or off without effect on x
		default:
			worst, row = math.Inf(1), i
		}
		dir = p.direction(i)
		return true
	}
	if p.view.holds() {
		for _, k := range p.view.frees {
			first, end := p.bounds(k)
			for i := first; i < end; i++ {
				isViolated(i)
			}
		}
	} else {
		for i := range p.domainRows {
			isViolated(i)
		}
	}
	if p.n >= Sizes.Watch {
		if p.visitHot(isViolated); dir != 0 {
			return row, dir
		}
	}
	if p.screen == nil {
		for i := p.domainRows; i < len(p.b); i++ {
			if isViolated(i) {
				p.addHot(i)
			}
		}
		return row, dir
	}
	p.screen.LookAtPending(func(i int) (margin float64, screened bool) {
		i += p.domainRows
		return -p.excess(i, p.screen.X), p.state[i] < kink
	})
	for _, i := range p.screen.Pending {
		if i := p.domainRows + int(i); isViolated(i) {
			p.addHot(i)
		}
	}
	if dir == 0 {
		return p.firstCrossing()
	}
	return row, dir
}

// addHot adds row i to those that are looked at first, from Sizes.Watch dimensions on.
func (p *Solver) addHot(i int) {
	if p.n >= Sizes.Watch && len(p.hot) < maxHot {
		p.hot = append(p.hot, int32(i))
	}
}

// visitHot calls visit with the hot rows, and drops those that are not violated.
func (p *Solver) visitHot(visit func(i int) (violated bool)) {
	kept := p.hot[:0]
	for _, i := range p.hot {
		if int(i) < len(p.b) && visit(int(i)) {
			kept = append(kept, i)
		}
	}
	p.hot = kept
}

// firstCrossing returns the first screened row that changes sign on the segment from the last
// solution to x, and the direction in which its multiplier must change.
func (p *Solver) firstCrossing() (row int, dir float64) {
	i := p.screen.FirstCrossing(p.x, func(i int) float64 {
		if len(p.hot) == maxHot { // enough rows are violated: evaluate no others
			return math.Inf(1)
		}
		i += p.domainRows
		end := p.excess(i, p.x)
		if end > float64(1e-14*float64(p.scale*p.norm[i])) {
			p.addHot(i)
			start := min(0, p.excess(i, p.screen.X))
			return start / (start - end)
		}
		return math.Inf(1)
	})
	if i == screen.None {
		return 0, 0
	}
	i += p.domainRows
	return i, p.direction(i)
}

// slack returns, over all rows but those of the domain, the sum of γw·max(0, a·x+b)
// at x, and this sum minus Σ μ(a·x+b): the complementary slackness. A constraint
// contributes only −μ(a·x+b).
func (p *Solver) slack(x []float64) (hinges, slack float64) {
	// The rows that are on add γw(a·x+b) to hinges, whatever its sign, and nothing to slack. look
	// corrects this for the rows that are violated.
	hinges = float64(p.gamma * (vec.Dot(p.onA[:len(x)], x) + p.onB))
	look := func(i int) float64 {
		s := p.excess(i, x)
		if w := p.MaxMultiplier(i); s > 0 && !math.IsInf(w, 1) {
			hinges += float64(w * s)
			slack += float64(w * s)
		}
		return s
	}
	if p.screen != nil {
		p.screen.Update(x, func(i int) (margin float64, screened bool) {
			i += p.domainRows
			if p.state[i] >= kink {
				return 0, false
			}
			return -look(i), true
		})
	} else {
		for i := p.domainRows; i < len(p.b); i++ {
			if p.state[i] < kink && !math.IsInf(p.w[i], 1) {
				look(i)
			}
		}
	}
	for k, i := range p.active {
		if i < p.domainRows {
			continue
		}
		s := p.dot(i, x) + p.b[i]
		slack -= float64(p.mu[k] * s)
		if w := p.MaxMultiplier(i); !math.IsInf(w, 1) {
			hinges += float64(w * max(0, s))
			slack += float64(w * max(0, s))
		}
	}
	return hinges, slack
}

// Violation returns the largest violation max(0, a·x + b) at x of a constraint that
// is not of the domain.
func (p *Solver) Violation(x []float64) (worst float64) {
	look := func(i int) float64 {
		s := p.dot(i, x) + p.b[i]
		worst = max(worst, s)
		return s
	}
	if p.screen == nil {
		for i := p.domainRows; i < len(p.b); i++ {
			look(i)
		}
		return worst
	}
	p.screen.Update(x, func(i int) (margin float64, screened bool) {
		i += p.domainRows
		if p.state[i] >= kink {
			return 0, false
		}
		return -look(i), true
	})
	for _, i := range p.active {
		if i >= p.domainRows {
			look(i)
		}
	}
	return worst
}
