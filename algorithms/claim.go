package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Claim is a claimed rate, metric = O(t^Exponent · (log t)^Log), and the explicit
// bound that its proof gives.
type Claim struct {
	Metric   Metric  `json:"metric"`
	Exponent float64 `json:"exponent"`
	Log      float64 `json:"log,omitempty"`
	// Note says in a few words when the claim holds, or that the proof is not the paper's, such as
	// "if losses are strongly convex" or "re-derived".
	Note string `json:"note,omitempty"`
	// Expected says that rate and bound are of the mean over the random rounds,
	// not of every game.
	Expected bool `json:"expected,omitempty"`
	// Formula is the bound b(t) as text. It is empty where the proof gives no
	// constants; NoBound then says why.
	Formula string `json:"bound,omitempty"`
	NoBound string `json:"no_bound,omitempty"`
	// Bound returns b for a game with this setup: after t rounds the metric is at
	// most b(t), which is +Inf where the proof says nothing, as a theorem about
	// the horizon does of t < T. The error says which condition of the proof the
	// setup does not meet, or which constant the problem does not declare. Unlike
	// a learner that is anytime, it is always given the horizon of the game.
	Bound func(s Setup) (b func(t int) float64, err error) `json:"-"`

	// Growth is the rate as a formula where it is no power of t, such as "√t(1 + P_t)",
	// with P_t and V_t of [Motion]. Exponent and Log then mean nothing, and no slope is
	// judged by them.
	Growth string `json:"growth,omitempty"`
	// Moving takes the place of Bound, for any metric, where the bound depends on how the
	// rounds move. It does not decrease in any member of m. It is NaN or +Inf where the
	// proof says nothing about rounds that move so. Where no action
	// is feasible in a round, m.Path is NaN.
	Moving func(s Setup) (b func(t int, m Motion) float64, err error) `json:"-"`
}

// Motion says how far the rounds up to t have moved. Its sums are over the rounds τ from 2 to t.
type Motion struct {
	Path      float64 // P_t = Σ ‖x*_τ − x*_{τ−1}‖, see RegretDynamic
	Variation float64 // V_t = Σ max over x in D and j of |g_{τ,j}(x) − g_{τ−1,j}(x)|
	Rise      float64 // Σ_τ Σ_j max over x in D of [g_{τ,j}(x) − g_{τ−1,j}(x)]₊
	Steepest  float64 // the largest term of Rise, max over τ
}

// ClaimsOf returns the claims at these parameters: those of their method Claims, or else those of
// a.ClaimsAt, or else a.Claims. With two-point feedback it returns the claims of their method
// TwoPointClaims, or none. With doubling, the claims are about all epochs together. With a first
// action that is drawn ([Algorithm.WithRandomStart]), they are those that hold for every first
// action.
func (a Algorithm) ClaimsOf(params any) []Claim {
	if a.drawnStartClaims != nil && a.Feedback != TwoPoint {
		return a.drawnStartClaims(params)
	}
	claims := a.Claims
	p, hasClaims := params.(interface{ Claims() []Claim })
	switch {
	case a.Feedback == TwoPoint:
		claims = twoPointClaims(params)
	case hasClaims:
		claims = p.Claims()
	case a.ClaimsAt != nil:
		claims = a.ClaimsAt(params)
	}
	if !a.usesDoubling(params) {
		return claims
	}
	claims = slices.Clone(claims)
	for i, c := range claims {
		claims[i] = c.overEpochs()
		if a.warm && c.Proven() { // the bound of an epoch is proven for a start at x0
			claims[i].Bound, claims[i].Moving, claims[i].Formula = nil, nil, ""
			claims[i].NoBound = "the epochs begin at the last action of the one before"
		}
	}
	return claims
}

// Rate writes the claimed rate, such as "t^0.5 log t".
func (c Claim) Rate() string { return c.rate(fmt.Sprintf("%.3g", c.Exponent)) }

// ExactRate writes the rate with a fraction, such as "t^(1/2) log t", where the exponent is
// a fraction with a denominator of at most 12.
func (c Claim) ExactRate() string {
	for q := 1.; q <= 12; q++ {
		p := math.Round(c.Exponent * q)
		if math.Abs(c.Exponent-p/q) > 1e-12 {
			continue
		}
		if q == 1 {
			break // an integer
		}
		return c.rate(fmt.Sprintf("(%g/%g)", p, q))
	}
	return c.Rate()
}

// rate writes the rate with this text for the exponent.
func (c Claim) rate(exponent string) string {
	text := "t^" + exponent
	switch {
	case c.Growth != "":
		return c.Growth
	case c.Exponent == 0 && c.Log == 0:
		return "1"
	case c.Log == 0:
		return text
	case c.Exponent == 0:
		text = ""
	default:
		text += " "
	}
	text += "log"
	if c.Log != 1 {
		text += fmt.Sprintf("^%g", c.Log)
	}
	return text + " t"
}

// Proven reports whether the claim has a bound.
func (c Claim) Proven() bool { return c.Bound != nil || c.Moving != nil }

// Limit returns the bound of the claim, which is [Claim.Bound] or [Claim.Moving]: b(t, m)
// after t rounds that have moved by m. A bound that does not depend on how the rounds
// move ignores m. It panics unless the claim is [Claim.Proven].
func (c Claim) Limit(s Setup) (b func(t int, m Motion) float64, err error) {
	if c.Moving != nil {
		return c.Moving(s)
	}
	unmoved, err := c.Bound(s)
	if err != nil {
		return nil, err
	}
	return func(t int, _ Motion) float64 { return unmoved(t) }, nil
}

// setLimit sets Bound or Moving, whichever the claim has, so that [Claim.Limit] returns what limit
// does.
func (c *Claim) setLimit(limit func(s Setup) (b func(t int, m Motion) float64, err error)) {
	if c.Moving != nil {
		c.Moving = limit
		return
	}
	c.Bound = func(s Setup) (func(t int) float64, error) {
		b, err := limit(s)
		if err != nil {
			return nil, err
		}
		return func(t int) float64 { return b(t, Motion{}) }, nil
	}
}

// Claimed returns the first claim about one of these metrics, and whether there is one.
func Claimed(claims []Claim, metrics []Metric) (Claim, bool) {
	for _, c := range claims {
		if slices.Contains(metrics, c.Metric) {
			return c, true
		}
	}
	return Claim{}, false
}

// withNote returns the claim with one more note.
func (c Claim) withNote(note string) Claim {
	if c.Note != "" {
		note = c.Note + "; " + note
	}
	c.Note = note
	return c
}

// overEpochs returns the claim of a learner that restarts on the epochs of [Algorithm.Start], of 1,
// 2, 4, … rounds. Its regret, and its soft, hard and squared violation, are at most the sums of
// those of the epochs, so that a constant becomes log t. Its largest violation is the largest one
// of an epoch. An epoch that is too short for the bound of the claim has the trivial one
// ([Claim.trivialBound]). A bound that depends on how the rounds move uses the motion of all rounds
// in each epoch, which is no less than that of the epoch.
func (c Claim) overEpochs() Claim {
	combine, combined := func(a, b float64) float64 { return a + b }, "Σ"
	switch {
	case c.Metric == MaxViolation:
		combine, combined = math.Max, "the largest"
	case c.Growth != "":
		if rest, ok := strings.CutPrefix(c.Growth, "1 + "); ok {
			c.Growth = "log t + " + rest
		}
	case c.Exponent == 0:
		c.Log++
	}
	if !c.Proven() {
		return c
	}
	ofEpoch := c
	c.Formula = combined + " over the epochs, of t rounds each, of " + c.Formula
	c.setLimit(func(s Setup) (func(t int, m Motion) float64, error) {
		if s.Horizon < 1 {
			return nil, errors.New("the horizon is not known")
		}
		var epochs []func(t int, m Motion) float64
		for played, length := 0, 1; played < s.Horizon; played, length = played+length, 2*length {
			epoch := s
			epoch.Horizon = length
			b, err := ofEpoch.Limit(epoch)
			if err != nil {
				if isLongest := played+length >= s.Horizon; isLongest {
					return nil, err
				}
				trivial, err := c.trivialBound(s)
				if err != nil {
					return nil, err
				}
				b = func(t int, _ Motion) float64 { return trivial(t) }
			}
			epochs = append(epochs, b)
		}
		return func(t int, m Motion) (joined float64) {
			for i, b := range epochs {
				length := min(t, 1<<i)
				if length == 0 {
					break
				}
				joined = combine(joined, b(length, m))
				t -= length
			}
			return joined
		}, nil
	})
	return c
}

// trivialBound returns the largest value that the metric can have in any game, where m is the
// number of constraints, B bounds their values and F the range of the losses: mBt, Bt, √m·Bt, mB²t
// or B for a violation, and Ft for a regret.
func (c Claim) trivialBound(s Setup) (func(t int) float64, error) {
	k := boundInputs{Setup: s}
	switch c.Metric {
	case SoftViolation, HardViolation, PenaltyViolation:
		return affineBound(0, k.m()*k.constraintBound()), k.err
	case CCViolation:
		return affineBound(0, k.constraintBound()), k.err
	case NormViolation:
		return affineBound(0, math.Sqrt(k.m())*k.constraintBound()), k.err
	case SquaredViolation:
		return affineBound(0, k.m()*square(k.constraintBound())), k.err
	case MaxViolation:
		return constantBound(k.constraintBound()), k.err
	}
	return affineBound(0, k.lossRange()), k.err
}
