// Package diagnosis measures which conditions of the theory of Leith and Iosifidis, Penalised FTRL
// With Time-Varying Constraints, a problem satisfies.
//
// The conditions are about the running averages of the constraints g_{i,j} of rounds i,
//
//	a_{τ,j}(x) = (1/τ) Σ_{i≤τ} g_{i,j}(x),
//
// on the domain D, up to a horizon T. [Measure] plays the rounds and measures in this order:
//
//  1. constants of the functions, and the averages at sampled points of D; the best actions of
//     single rounds and in hindsight;
//  2. the same averages of the other replicates: rates of convergence, and penalties;
//  3. a Slater point z of the averages; the rounds are played again, for the averages at z and
//     for where segments from z leave X̂^max;
//  4. the rounds are played a third time, to count the averages that are active there.
//
// One function for each condition and each theorem then judges the measurements.
//
// # Verdicts
//
// A condition holds, fails or is open. A theorem applies if all that it asks for holds, and does
// not apply if a condition fails; otherwise it is open. The theory is about the limit T → ∞: a
// verdict says what becomes of the problem if it goes on as it did. A condition is therefore open
//
//   - if T < 100, and if a trend over T < 3000 rounds is all that speaks against it;
//   - if this trend comes to an end: the exponent of the second of two decades is less than 0.7
//     times that of the first one, or a rate is on its way to the one claimed;
//   - if bounds from both sides do not decide.
//
// # Lipschitz constants
//
// A declared constant that no round breaks holds for all rounds, except the constant of a file,
// which is the maximum over the rounds of the file. There, and where nothing is declared, the
// condition holds if the largest slope so far grows at most like t^0.05 over the last decade. It
// fails, from T = 100 on, if the slope grows faster, the growth does not come to an end, and more
// than 9 rounds have a slope above all before.
//
// # Slater point
//
// z maximises the least margin of the averages at τ = T/100, T/30, T/10, T/3, T,
//
//	z = argmax over x in D of min over j and these τ of −a_{τ,j}(x),
//
// since a Slater point is one point for all τ: the point with the largest margin at T alone may owe
// that margin to noise. The theory asks for it from t_ε on only: if no z has a positive margin at
// all five τ, as many of the last ones are taken as have such a z. η is half of the least margin,
// and t_ε is the last round at which some a_{τ,j}(z) > −η, so that a_{τ,j}(z) ≤ −η for all j from
// round t_ε+1 to T.
//
// The condition fails
//
//   - if the expectation of the constraints is known and is < 0 at no point;
//   - if no point has a positive margin at T, the expectation is not known, and the largest margin
//     at T is not above those at the other τ: an infeasible start would leave it rising;
//   - if the margin of one constraint at z vanishes: over the last decade it decays faster than
//     t^{−0.1}, with at least 0.7 times the exponent of the decade before, to at most 10^{−0.1}
//     times its least value from T/1000 to T/10. (Blocks that grow with t make it swing for ever,
//     but not so low.) This does not count if the expectation is < 0 at a point,
//     if the least margin of the single rounds, −g_{i,j}(z), does not decay so fast, or if the
//     margin of the averages stays at one of the sampled points.
//
// It holds if t_ε ≤ T/10, and no margin vanishes by this rule, or may do so.
//
// # Penalty growth
//
// The paper asks for k_τ ≥ (β/η)τ for all τ > t_ε, where k_τ is the least number of pairs (i, j)
// with a_{i,j}(x) = 0 at a point x of the boundary of
//
//	X̂^max_τ = {x ∈ D : a_{i,j}(x) ≤ 0, t_ε < i ≤ τ, all j}.
//
// Two bounds enclose k_τ. A pair with t_ε < i ≤ τ counts as active at x if |a_{i,j}(x)| ≤ ε/√i.
//
//	bound   n       least number of            at or on                       with ε
//	upper   n ≥ 1   active pairs               points where segments leave    η/10
//	lower   n = 1   active pairs               the same points                0
//	lower   n > 1   averages with one facet    facets of X̂^max_τ              –
//
// The segments go from z to sampled points of the boundary of D, and to the points where affine
// averages at T are largest. In one dimension they leave X̂^max_τ at all of its boundary points;
// the lower bound needs that no average up to t_ε cuts the set further. In more dimensions,
// averages of all rounds i ≤ τ that differ by no more than a factor and a constant bound the set by
// a facet that they have in common ([averages.Facets]).
//
// Penalty growth holds if the lower bound is linear, with an exponent of at least 0.95. It fails if
// the upper bound is not, with an exponent of at most 0.85 over the last two decades and over the
// last one. β = η·min k_τ/τ over the checkpoints from max(t_ε+1, T/100) on and after the last one
// at which no average is active yet, with the lower bound as k_τ if the condition holds, else the
// upper one.
//
// If the caller chooses ε, both bounds in one dimension have it. For w = v + r(v−z), a convex a
// with a(z) ≤ −η and a(v) ≥ −ε/√i has a(w) ≥ rη − (1+r)ε/√i. With k_τ ≥ (β/η)τ, the argument of
// Theorem 1 then gives
//
//	objective(w) − objective(v) ≥ rτ(γβ − E − L) − 2γm(1+r)ε√τ.
//
// The minimiser is within r = O(ε/√τ) of X̂^max_τ, which still gives a violation of O(√t).
//
// # Theorem 1 and early averages
//
// Theorem 1 is refuted for t_ε > 0 in general, where early averages cut X̂^max (bench claims 20).
// If they do not, its argument holds: the chord from z leaves X̂^max_τ at a point v where every
// early average is ≤ 0, so that beyond v their hinges can only grow, while k_τ averages later than
// t_ε grow from 0 with slopes of at least η along the chord. This is why the lower bound asks that
// no early average cuts the set, and a theorem applies only where it is linear.
//
// # Rate of convergence
//
// The averages converge like t^{−r} if and only if their oscillation over octaves,
//
//	D_τ = max over τ ≤ s ≤ 2τ, j, x of |a_{s,j}(x) − a_{τ,j}(x)|,
//
// decays like t^{−r}, since |a_∞ − a_τ| ≤ Σ_k D_{2^k τ}. This needs no estimate of the limit, which
// would bias slow rates: with the average at T as the limit, t^{−1/4} looks like t^{−0.4}. If the
// stream knows the expectation of its constraints, the expectation takes the place of a_{τ,j}. The
// exponent is fitted to the mean of D_τ over replicates (package stats).
//
// Noise that decays fast may hide a drift that decays slowly. The drift is therefore measured
// separately, as the mean over replicates of a_{τ,j}(x) − a_{2τ,j}(x) at the pair (x, j) where it
// is largest. If it differs significantly from zero, the upper end of the interval is the larger
// one of noise and drift.
//
// # γ
//
// Theorem 1 asks for γ > (E+L+1)/β with
//
//	E = max_{y∈D, i} (R_i(z) − R_i(y))/i,  R_i(y) = √i‖y‖²,   L = max_{y∈D, i} f_i(z) − f_i(y).
//
// (The paper has the opposite signs; its proof needs these.) L is bounded by max_{y∈D}
// ∇f_i(z)·(z−y), which is exact for affine losses. The effective threshold is the least γ at which
// the minimiser of the average loss plus γ Σ_j max(0, a_{T,j}) satisfies a_{T,j} ≤ 0. It is the
// largest multiplier of the problem of minimising the average loss over X^max_T.
//
// # Cost
//
// To solve a round of [Options.Moves] replicates takes microseconds where constraints are affine
// and losses affine or quadratic, and up to milliseconds otherwise. Measure stores O(n·m) numbers
// for the sums (O(n²·m) if constraints are quadratic), O(m·log T) for the sampled points at the
// checkpoints, and, for hindsight, the constraints that are not redundant.
package diagnosis

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
	"ocobench/harness/run/process"
	"ocobench/problems"
)

// Start returns the stream of a replicate before its first round, and the learner that plays on it,
// or nil. The same replicate has the same rounds every time.
type Start func(replicate int) (problems.Stream, algorithms.Learner, error)

// Options say what to measure.
type Options struct {
	Horizon    int
	Replicate  int // the replicate that is measured
	Replicates int // exponents are fitted to the mean over so many replicates, from Replicate on
	// Moves is the number of replicates, from Replicate on, whose rounds are solved one by one;
	// see [Motion]. 0 stands for 10 in up to 10 dimensions, but at most Replicates, and for 1 in more.
	Moves int
	Gamma float64 // the penalty weight in use
	// Epsilon is ε of k_τ, in units of the constraints. 0 stands for η/10 in the upper bound of k_τ
	// and for 0 in the lower one.
	Epsilon float64
}

// Verdict names the result for a condition or a theorem.
type Verdict string

// The verdicts. A condition holds, fails or is open; a theorem applies, does not apply or is open.
const (
	Holds        Verdict = "holds"
	Fails        Verdict = "fails"
	Applies      Verdict = "applies"
	Inapplicable Verdict = "does not apply"
	Open         Verdict = "open"
)

// Diagnosis holds the result of [Measure]. Numbers that do not exist are nil.
type Diagnosis struct {
	Rounds      int `json:"t"`
	Dim         int `json:"dim"`
	Constraints int `json:"constraints"`
	// Paths is the number of replicates that were played: 1 if they all have the same rounds, as in
	// the problem trace.
	Paths       int         `json:"paths"`
	Facts       []Fact      `json:"facts"`
	Sets        []Set       `json:"sets"`
	Slater      Slater      `json:"slater"`
	Growth      Growth      `json:"penalty_growth"`
	Convergence Convergence `json:"convergence"`
	Penalties   []Exponent  `json:"sum_penalty"` // one for each constraint
	Gamma       Gamma       `json:"gamma"`
	Motion      Motion      `json:"motion"`
	Findings    []Finding   `json:"findings"`
	Curves      Curves      `json:"curves"`
}

// Fact holds a constant of the functions, measured at sampled and played points: the largest
// value there, or the least one for the curvature. It bounds the true constant from one side.
type Fact struct {
	Name     string   `json:"name"`
	Measured float64  `json:"measured"`
	Declared *float64 `json:"declared,omitempty"`
	Broken   bool     `json:"broken"` // the measurement contradicts the declaration
	// Grows is the exponent of the measured value over the last decade.
	Grows *float64 `json:"grows,omitempty"`

	bounded Verdict // whether it is a Lipschitz constant for all rounds
}

// Set names a comparator set and says whether it is empty.
type Set struct {
	Name  string `json:"name"`
	Empty bool   `json:"empty"`
}

// Slater describes the Slater point z of the running averages; see the package comment.
type Slater struct {
	Verdict Verdict   `json:"verdict"`
	Point   []float64 `json:"point,omitempty"`
	Margin  *float64  `json:"margin,omitempty"`  // min_j −a_{T,j}(z)
	Eta     *float64  `json:"eta,omitempty"`     // η
	Burn    int       `json:"t_epsilon"`         // t_ε
	Uniform *float64  `json:"uniform,omitempty"` // min over all τ ≤ T of the margin at z
	Round   *float64  `json:"round,omitempty"`   // min over all rounds of min_j −g_{i,j}(z)
	Limit   *float64  `json:"limit,omitempty"`   // max_x min_j −E g_j(x), if it is known
	// Other is the margin at T at another point where it stays, if that at z does not.
	Other *float64 `json:"other,omitempty"`
	// Exponent is the least exponent of the margins −a_{τ,j}(z) over the last decade, and Constraint
	// is its j, counted from 1.
	Exponent   *float64 `json:"exponent,omitempty"`
	Constraint int      `json:"constraint,omitempty"`

	noneInLimit bool // the expectation is known, and has no point with a positive margin
	// mayTurnPositive reports that there may be a Slater point even if no margin is positive at T: the
	// largest margin at T is above those at earlier rounds, or the expectation is known.
	mayTurnPositive bool

	vanishes bool // a margin at z vanishes
	unclear  bool // it is not clear whether a margin at z vanishes
	// unsettled reports that some average at z was above −η in the last decade, or that the horizon
	// is too short for a verdict.
	unsettled bool
}

// Growth describes how the number of active averages grows; see the package comment.
type Growth struct {
	Verdict Verdict `json:"verdict"`
	// Vacuous reports that all segments stay in X̂^max_T. If the condition holds, the penalty is 0.
	Vacuous bool     `json:"vacuous"`
	Epsilon *float64 `json:"epsilon,omitempty"`
	Count   *int     `json:"k,omitempty"`       // k_T, the upper bound
	Lower   *int     `json:"k_lower,omitempty"` // the lower bound; 0 if it is not known
	// Exponent and Beta, over the last two decades, belong to the lower bound if the condition holds,
	// and otherwise to the upper one. From is the checkpoint from which on β is taken.
	Exponent *float64 `json:"exponent,omitempty"`
	Beta     *float64 `json:"beta,omitempty"`
	From     int      `json:"from,omitempty"`
	// Early reports that an average up to t_ε is positive where X̂^max_T, counted from t_ε on, ends.
	Early bool `json:"early"`
	// Tolerant reports that the lower bound has the tolerance ε/√i.
	Tolerant bool `json:"tolerant"`
	// Unmoved reports that the averages have been constant so far, but differ from those of other
	// replicates, or from the expectation: they may still move.
	Unmoved bool `json:"still"`

	linear bool // the lower bound grows linearly
	slower bool // the upper bound grows more slowly
}

// Exponent holds the exponent p of a mean that grows like t^p.
type Exponent struct {
	Verdict    Verdict  `json:"verdict,omitempty"` // on the claimed bound, if there is one
	Value      *float64 `json:"exponent,omitempty"`
	Lower      *float64 `json:"lower,omitempty"`
	Upper      *float64 `json:"upper,omitempty"`
	Confidence float64  `json:"confidence"`
	From       int      `json:"from"` // the window
	To         int      `json:"to"`
	Zero       bool     `json:"zero"` // the curve is zero

	limit float64 // the exponent that the curve tends to; see extrapolateLimit
	wider float64 // how much either end of the interval is moved outwards for the verdict
}

// Convergence holds the rate of the running averages, with a verdict on whether it is 1/√t or
// faster.
type Convergence struct {
	Exponent
	Of   string `json:"of"`   // the curve that decays: expectation (the distance to it) or oscillation
	Rate string `json:"rate"` // constant, faster, 1/sqrt(t), slower or open
	// Drift reports that the mean over the replicates decays more slowly than the noise.
	Drift bool `json:"drift"`
}

// Gamma compares the penalty weight in use with the thresholds of the theory.
type Gamma struct {
	Used       float64  `json:"used"`
	E          *float64 `json:"e,omitempty"`
	L          *float64 `json:"l,omitempty"`
	Sufficient *float64 `json:"sufficient,omitempty"` // (E+L+1)/β, unless penalty growth fails
	// Limit is (E+L+1) over the margin at T: the threshold if every round had the constraints a_{T,j},
	// which are then all active at once.
	Limit     *float64 `json:"limit,omitempty"`
	Effective *float64 `json:"effective,omitempty"` // the largest multiplier of the averaged problem
}

// Finding says whether one condition or theorem holds or applies, and why.
type Finding struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`

	number int    // of the paper's condition
	cause  string // the part of the reason that theorems repeat
}

// Curves holds the curves of the figure, at the checkpoints T.
type Curves struct {
	T []int `json:"t"`
	// Average is max_j a_{t,j} at the Slater point and at the best actions over the comparator sets
	// that are not empty.
	Average []Curve `json:"average"`
	Active  Curve   `json:"active"` // k_t
	// Deviation is the mean over the replicates of the distance of the averages to their expectation,
	// or of D_t.
	Deviation Curve `json:"deviation"`
}

// Curve holds the values of a named curve; a value that does not exist is nil.
type Curve struct {
	Name string     `json:"name"`
	Y    []*float64 `json:"y"`
}

// finiteOrNil returns v, with 0 in place of −0, or nil if v is not finite.
func finiteOrNil(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	if v == 0 {
		v = 0 // which −0 equals
	}
	return &v
}

// Measure plays the rounds of a problem, measures its properties and judges the conditions. The
// rounds are played several times: with the learner every time if the stream is adaptive, and
// otherwise with the learner once, since its actions are points at which functions are measured.
func Measure(ctx context.Context, start Start, o Options) (*Diagnosis, error) {
	m := &measurement{ctx: ctx, start: start, Options: o, checkpoints: game.Checkpoints(o.Horizon)}
	s, l, err := start(o.Replicate)
	if err != nil {
		return nil, err
	}
	m.set, m.facts, m.points = s.Set(), s.Facts(), newSamplePoints(s.Set())
	if e, ok := s.(problems.Expecter); ok {
		for _, g := range e.Expectation() {
			m.expected = append(m.expected, convex.Lower(g, m.set.Dim()))
		}
	}
	if err := m.checkMemory(s); err != nil {
		return nil, err
	}
	path, constants, rounds, hindsight := newSampledAverages(m, s),
		newFunctionConstants(m, s.Constraints()), newRoundSolver(m, s), game.NewHindsight(s)
	path.storeAt = slaterRounds(o.Horizon)
	if err := game.Play(ctx, l, s, o.Horizon, path, constants, hindsight, rounds); err != nil {
		return nil, err
	}
	if m.bests, err = hindsight.Solve(); err != nil {
		return nil, err
	}
	m.loss = averages.Scaled(path.loss, 1/float64(o.Horizon))
	m.forms, m.values, m.size = path.forms, path.values, path.maxAbsAverage()
	paths, err := playReplicates(m, o.Replicates, path, newSampledAverages,
		(*sampledAverages).hasSameAverages)
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{Rounds: o.Horizon, Dim: m.set.Dim(), Constraints: s.Constraints(),
		Paths: len(paths), Facts: constants.measuredFacts()}
	for _, b := range m.bests {
		d.Sets = append(d.Sets, Set{b.Set, b.Empty})
	}
	d.Curves.T = m.checkpoints
	if d.Motion, err = m.measureMotion(rounds); err != nil {
		return nil, err
	}
	d.Convergence, d.Curves.Deviation = m.measureConvergence(paths)
	var all, remaining []int // constraints; those that Corollary 1 cannot leave out remain
	for j := range s.Constraints() {
		d.Penalties = append(d.Penalties, m.penaltyExponent(paths, j))
		all = append(all, j)
		if d.Penalties[j].Verdict != Holds {
			remaining = append(remaining, j)
		}
	}
	c, err := m.judgePenaltyCondition(all)
	if err != nil {
		return nil, err
	}
	// A condition that holds on averages that have not moved yet may fail after their first move.
	if c.growth.Verdict == Holds && !d.Convergence.Zero && path.areConstant(float64(rounding*m.size)) {
		c.growth.Unmoved = true
		c.setVerdicts()
	}
	d.Slater, d.Growth, d.Gamma = c.slater, c.growth, c.gamma
	d.Curves.Average, d.Curves.Active = c.average, c.active
	// Corollary 1 asks for the condition of the remaining constraints alone, which may hold where that
	// of all constraints does not.
	ofRemaining := c
	if len(remaining) > 0 && len(remaining) < len(all) &&
		!(c.slater.Verdict == Holds && c.growth.Verdict == Holds) {
		if ofRemaining, err = m.judgePenaltyCondition(remaining); err != nil {
			return nil, err
		}
	}
	d.Findings = (&evidence{d, m.facts, c, remaining, ofRemaining}).judgeAll()
	return d, nil
}

// measurement holds what [Measure] has found so far, for the observers of later passes.
type measurement struct {
	ctx   context.Context
	start Start
	Options
	checkpoints []int
	set         convex.Set
	facts       convex.Facts
	points      samplePoints
	bests       []game.Best
	loss        *convex.Form     // the average loss at the horizon
	forms       [][]*convex.Form // a_{τ,j} at slaterRounds, the last at the horizon
	values      [][]float64      // by checkpoint τ: a_{τ,j} at sampled point p is at j·points + p
	size        float64          // the largest average seen

	expected []*convex.Form // the expectation of the constraints, or nil if it is not known
}

// slaterRounds returns the rounds whose averages determine the Slater point: T/100, T/30, T/10,
// T/3, T.
func slaterRounds(horizon int) []int {
	var at []int
	for _, share := range []int{100, 30, 10, 3, 1} {
		at = append(at, max(1, horizon/share))
	}
	return slices.Compact(at)
}

// checkMemory returns an error if the best actions of the rounds, or the averages that are kept of
// each replicate, would take more memory than there is.
func (m *measurement) checkMemory(s problems.Stream) error {
	// Of every constraint, its average at each point and one sum, at every checkpoint, in bytes.
	kept := float64(len(m.checkpoints)) * float64(s.Constraints()) * float64(8*len(m.points.points)+8)
	if n := max(m.Replicates, m.Moves); n > 1 {
		what := fmt.Sprintf("a diagnosis of %d replicates", n)
		if err := game.Afford(what, kept*float64(n)); err != nil {
			return err
		}
	}
	return game.AffordHindsight(m.ctx, s, true, m.Horizon,
		func() (algorithms.Learner, problems.Stream, []game.Observer, error) {
			s, l, err := m.start(m.Replicate)
			if err != nil {
				return nil, nil, nil, err
			}
			return l, s, []game.Observer{game.NewHindsight(s)}, nil
		})
}

// playReplicate plays the rounds of a replicate for an observer of its stream, with the learner
// only if the rounds depend on it.
func (m *measurement) playReplicate(replicate int,
	observer func(problems.Stream) game.Observer) error {
	s, l, err := m.start(replicate)
	if err != nil {
		return err
	}
	if !m.facts.Adaptive {
		game.Close(l)
		l = nil
	}
	return game.Play(m.ctx, l, s, m.Horizon, observer(s))
}

// playAgain plays the rounds of the replicate that is measured again.
func (m *measurement) playAgain(o game.Observer) error {
	return m.playReplicate(m.Replicate, func(problems.Stream) game.Observer { return o })
}

// playReplicates plays the replicates after the one that is measured, on all cores, and returns
// the observers of all n replicates. If the second replicate is like the first, it assumes that all
// are, and returns the first alone.
func playReplicates[O game.Observer](m *measurement, n int, first O,
	observer func(*measurement, problems.Stream) O, like func(a, b O) bool) ([]O, error) {
	all := make([]O, max(1, n))
	all[0] = first
	play := func(k int) error {
		return m.playReplicate(m.Replicate+k, func(s problems.Stream) game.Observer {
			all[k] = observer(m, s)
			return all[k]
		})
	}
	if n <= 1 {
		return all, nil
	}
	if err := play(1); err != nil || like(first, all[1]) {
		return all[:1], err
	}
	return all, process.Each(m.ctx, n-2, func(k int) error { return play(k + 2) })
}
