package claims

import (
	"errors"
	"fmt"
	"math"

	"ocobench/convex"
)

// Claim 14: per-round hinges are all zero on X^min_τ alone, and hinges of averages on X̂^max_τ
// alone. A point at which membership by the inequalities and by the sum of hinges differ refutes
// it: points looks at points with exact integers; programs at whole sets, each of which is empty
// if and only if the least sum of hinges over D is positive.
var zeroSets = checks{
	"points":   func(l *Lab) (Finding, error) { return zeroSetsPoints(l, 0) },
	"programs": func(l *Lab) (Finding, error) { return zeroSetsPrograms(l, 0) },
}

// zeroSetsPoints compares, in every round and at the points of a grid, the inequalities v ≤ 0 with
// the hinges max(0, v − slack). A test of the check passes a slack above 0.
func zeroSetsPoints(l *Lab, slack float64) (Finding, error) {
	rng := l.Rand("zero-sets")
	streams := l.Repeat(400)
	// Points looked at, those at which membership differs, sums that are exactly 0, points that are in
	// one set and not in another, and where membership differed last.
	looked, differ, ties, apart, where := 0, 0, 0, 0, ""
	for stream := range streams {
		m, rounds := 1+rng.IntN(3), 1+rng.IntN(20)
		// Constraint j of round i is g(x, y) = g[0]·x + g[1]·y + g[2] with g = a[(i−1)·m+j].
		a := make([][3]int, m*rounds)
		for k := range a {
			a[k] = [3]int{rng.IntN(5) - 2, rng.IntN(5) - 2, rng.IntN(9) - 7}
		}
		for x := -4; x <= 4; x++ {
			for y := -4; y <= 4; y++ {
				inMin, inHat, inMax := true, true, true
				roundHinges, averageHinges := 0.0, 0.0 // sums over the rounds so far
				allZero := true                        // averageHinges was 0 in every round so far
				cum := make([]int, m)
				for i := 1; i <= rounds; i++ {
					inMax = true // depends on the sums after this round alone
					for j := range m {
						g := a[(i-1)*m+j]
						v := g[0]*x + g[1]*y + g[2]
						cum[j] += v
						inMin, inHat, inMax = inMin && v <= 0, inHat && cum[j] <= 0, inMax && cum[j] <= 0
						roundHinges += max(0, float64(v)-slack)
						averageHinges += max(0, float64(cum[j])/float64(i)-slack)
						if cum[j] == 0 {
							ties++
						}
					}
					allZero = allZero && averageHinges == 0
					looked++
					if inMin != (roundHinges <= 0) || inHat != (averageHinges <= 0) || inHat != allZero {
						differ++
						where = fmt.Sprintf("(%d, %d) in round %d of stream %d", x, y, i, stream+1)
					}
					if inMin != inHat || inHat != inMax {
						apart++
					}
				}
			}
		}
	}
	f := Finding{Outcome: refutesIf(differ > 0), Text: fmt.Sprintf("membership by the inequalities "+
		"and by the hinges agrees at %d points, %d of which are in one of $X^{\\min}$, "+
		"$\\hat{X}^{\\max}$ and $X^{\\max}$ and not in another; %d sums of constraints are exactly 0",
		looked, apart, ties)}
	if differ > 0 {
		f.Text = fmt.Sprintf("membership by the inequalities and by the hinges differs at %d of %d "+
			"points, such as %s", differ, looked, where)
	}
	return f, nil
}

// zeroSetsPrograms compares, on streams with conflicting rounds, whether {v ≤ 0} is empty with the
// least sum of the hinges max(0, v + shift). A test of the check passes another shift.
func zeroSetsPrograms(l *Lab, shift float64) (Finding, error) {
	n, empty, differ := l.Repeat(100), 0, 0
	gap := math.Inf(1) // the least sum of an empty set
	err := l.eachTrial(100, []string{"conflicting"}, func(p *trial) error {
		for _, average := range []bool{false, true} {
			dim := p.Set().Dim()
			set, hinges, cum, x := convex.NewProgram(p.Set()), convex.NewSum(p.Set()), convex.NewForm(dim),
				make([]float64, dim)
			s, err := l.Stream(p.problem, p.replicate)
			if err != nil {
				return err
			}
			err = l.PlayLearner(nil, s, 12, roundObserver(func(t int, _ []float64, r *convex.Round) {
				w := 1 / float64(t)
				if !average {
					cum.Reset()
					w = 1
				}
				r.Constraints[0].AddTo(cum, 1)
				set.Constrain(cum)
				hinge := *cum
				hinge.Const += shift
				hinges.AddHinge(w, &hinge)
			}))
			if err != nil {
				return err
			}
			cert, err := hinges.Minimize(x, convex.Prox{})
			if err != nil {
				return err
			}
			_, err = set.Minimize(x, convex.NewForm(dim))
			switch none := errors.Is(err, convex.ErrEmpty); {
			case err != nil && !none:
				return err
			case none:
				empty++
				gap = min(gap, cert.Value-cert.Gap)
				if !(cert.Value-cert.Gap > 0) {
					differ++
				}
			case cert.Value > cert.Gap+1e-12:
				differ++
			}
		}
		return nil
	})
	f := Finding{
		Outcome: refutesIf(differ > 0),
		Text:    fmt.Sprintf(`on \texttt{conflicting} the least sum of the hinges is 0 if and only if the set is not empty, with %d exceptions among %d sets, of which %d are empty, with sums of at least %.3g`, differ, 2*n, empty, gap),
	}
	if empty == 0 || empty == 2*n {
		f.Outcome = Undecided
	}
	return f, err
}
