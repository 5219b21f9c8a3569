// Package diagnosis measures which conditions of the theory of Leith and Iosifidis,
// Penalised FTRL With Time-Varying Constraints, a problem satisfies.
//
// Let g_{i,j} be the constraints of round i. The conditions are about their running
// averages
//
//	a_{τ,j}(x) = (1/τ) Σ_{i≤τ} g_{i,j}(x),
//
// on the domain D, up to a horizon T. [Measure] plays the rounds and returns a
// [Diagnosis]. Its Findings say in words which conditions hold, which theorems apply,
// and which condition a theorem lacks.
//
// # Slater point
//
// z maximises the least margin of the averages at τ = T/100, T/30, T/10, T/3, T,
//
//	z = argmax over x in D of min over j and these τ of −a_{τ,j}(x),
//
// since a Slater point is one point for all τ: the point with the largest margin at T
// alone may owe that to noise. η is half of the least margin, and t_ε is the last
// round at which some a_{τ,j}(z) > −η, so that from round t_ε+1 to T
//
//	a_{τ,j}(z) ≤ −η   for all j.
//
// There is no Slater point if the margin is not positive. There is none in the limit
// if the margin of one constraint at z decays like t^{−0.1} or faster over the last
// decade, with an exponent of at least 0.7 times that of the decade before, so that
// the decay does not come to an end. The decay does not count if the margin of the
// single rounds, −g_{i,j}(z), stays positive.
//
// # Penalty growth
//
// The paper asks for k_τ ≥ (β/η)τ for all τ > t_ε, where k_τ is the least
// number of pairs (i, j) with a_{i,j}(x) = 0 at a point x of the boundary of
// X̂^max_τ. Here it is counted from t_ε on, with a tolerance:
//
//	X̂^max_τ = {x ∈ D : a_{i,j}(x) ≤ 0, t_ε < i ≤ τ, all j},
//	k_τ     = min over x of #{(i,j) : t_ε < i ≤ τ, |a_{i,j}(x)| ≤ ε/√i},
//
// over the points x where the segments from z to sampled points of the boundary of D
// leave X̂^max_τ. In one dimension these are all boundary points; in more dimensions
// the count is at least the true one. β = η·min k_τ/τ over the last two decades.
//
// The tolerance keeps the bounds of the theory. Let w = v + r(v−z) with v on the
// boundary of X̂^max_τ. A convex a with a(z) ≤ −η and a(v) ≥ −ε/√i has
// a(w) ≥ rη − (1+r)ε/√i. With k_τ ≥ (β/η)τ, the argument of Theorem 1 then gives
//
//	objective(w) − objective(v) ≥ rτ(γβ − E − L) − 2γm(1+r)ε√τ.
//
// The minimiser is therefore not in X̂^max_τ but within r = O(ε/√τ) of it, which still
// gives a violation of O(√t).
//
// # Rate of convergence
//
// The averages converge like t^{−r} if and only if their oscillation over octaves,
//
//	D_τ = max over τ ≤ s ≤ 2τ, j, x of |a_{s,j}(x) − a_{τ,j}(x)|,
//
// decays like t^{−r}, since |a_∞ − a_τ| ≤ Σ_k D_{2^k τ}. This needs no estimate of the
// limit, which would bias slow rates: with the average at T as the limit, t^{−1/4}
// looks like t^{−0.4}. If the stream knows the expectation of its constraints, the
// expectation takes the place of a_{τ,j}. The exponent of D is that of the mean over
// replicates (package stats).
//
// Noise that decays fast may hide a drift that decays slowly. The drift is therefore
// measured separately, as the mean over replicates of a_{τ,j}(x) − a_{2τ,j}(x) at the
// pair (x, j) where it is largest. If it differs significantly from zero, the upper
// end of the interval is the larger one of noise and drift.
//
// # γ
//
// Theorem 1 asks for γ > (E+L+1)/β with
//
//	E = max_{y∈D, i} (R_i(z) − R_i(y))/i,  R_i(y) = √i‖y‖²,   L = max_{y∈D, i} f_i(z) − f_i(y).
//
// (The paper has the differences the other way round; its proof needs these.)
// L is bounded by max_{y∈D} ∇f_i(z)·(z−y), which is exact for affine losses. The
// effective threshold is the least γ at which the minimiser of the average loss plus
// γ Σ_j max(0, a_{T,j}) satisfies a_{T,j} ≤ 0. It is the largest multiplier of the
// problem of minimising the average loss over X^max_T.
//
// # Cost
//
// Measure plays the rounds three times, and once for every further replicate. It
// stores O(n·m) numbers for the sums (O(n²·m) if constraints are quadratic), O(m·log T)
// for the sampled points at the checkpoints, and, for hindsight, the constraints that
// are not redundant.
package diagnosis

import (
	"context"
	"math"
	"runtime"
	"sync"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness"
	"ocobench/problems"
)

// Start returns the stream of a replicate before its first round, and the learner that
// plays on it, or nil. The same replicate has the same rounds every time.
type Start func(replicate int) (problems.Stream, algorithms.Learner, error)

// Options say what to measure.
type Options struct {
	Horizon    int
	Replicate  int     // the replicate that is measured
	Replicates int     // exponents are those of the mean over this number of replicates, from Replicate on
	Gamma      float64 // the penalty weight in use
	Epsilon    float64 // ε of k_τ, in units of the constraints; 0 for η/10
}

// Verdict is the result for a condition or a theorem.
type Verdict string

// The verdicts. A condition holds or fails; a theorem applies or does not.
const (
	Holds        Verdict = "holds"
	Fails        Verdict = "fails"
	Applies      Verdict = "applies"
	Inapplicable Verdict = "not applicable"
	Undetermined Verdict = "undetermined"
)

// Diagnosis is the result of [Measure]. Numbers that do not exist are nil.
type Diagnosis struct {
	Rounds      int `json:"t"`
	Dim         int `json:"dim"`
	Constraints int `json:"constraints"`
	// Paths is the number of replicates that were played: 1 if they all have the
	// same rounds, as those of the problem trace have.
	Paths       int         `json:"paths"`
	Facts       []Fact      `json:"facts"`
	Sets        []Set       `json:"sets"`
	Slater      Slater      `json:"slater"`
	Growth      Growth      `json:"penalty_growth"`
	Convergence Convergence `json:"convergence"`
	// Penalties has one entry for each constraint.
	Penalties []Exponent `json:"sum_penalty"`
	Gamma     Gamma      `json:"gamma"`
	Findings  []Finding  `json:"findings"`
	Curves    Curves     `json:"curves"`
}

// Fact is a constant of the functions, measured at sampled and played points: the
// largest value there, or the least one for the curvature. It bounds the true constant
// from one side.
type Fact struct {
	Name     string   `json:"name"`
	Measured float64  `json:"measured"`
	Declared *float64 `json:"declared,omitempty"`
	Broken   bool     `json:"broken"` // the measurement contradicts the declaration
	// Grows is the exponent of the measured value over the last decade.
	Grows *float64 `json:"grows,omitempty"`
}

// Set is a comparator set.
type Set struct {
	Name  string `json:"name"`
	Empty bool   `json:"empty"`
}

// Slater is the Slater point of the running averages; see the package comment.
type Slater struct {
	Verdict Verdict   `json:"verdict"`
	Point   []float64 `json:"point,omitempty"`
	Margin  *float64  `json:"margin,omitempty"`  // min_j −a_{T,j}(z)
	Eta     *float64  `json:"eta,omitempty"`     // η
	Burn    int       `json:"t_epsilon"`         // t_ε
	Uniform *float64  `json:"uniform,omitempty"` // min over all τ ≤ T of the margin at z
	Round   *float64  `json:"round,omitempty"`   // min over all rounds of min_j −g_{i,j}(z)
	// Exponent is the least exponent of the margins −a_{τ,j}(z) over the last
	// decade, and Constraint is its j, counted from 1.
	Exponent   *float64 `json:"exponent,omitempty"`
	Constraint int      `json:"constraint,omitempty"`
}

// Growth is the growth of the number of active averages; see the package comment.
type Growth struct {
	Verdict Verdict `json:"verdict"`
	// Vacuous tells that all segments stay in X̂^max_T: the penalty is zero.
	Vacuous  bool     `json:"vacuous"`
	Epsilon  *float64 `json:"epsilon,omitempty"`
	Count    *int     `json:"k,omitempty"`        // k_T
	Exponent *float64 `json:"exponent,omitempty"` // of k_τ over the last two decades
	Beta     *float64 `json:"beta,omitempty"`
}

// Exponent is the exponent p of a mean that grows like t^p.
type Exponent struct {
	Verdict    Verdict  `json:"verdict"` // of the claimed bound
	Value      *float64 `json:"exponent,omitempty"`
	Lower      *float64 `json:"lower,omitempty"`
	Upper      *float64 `json:"upper,omitempty"`
	Confidence float64  `json:"confidence"`
	From       int      `json:"from"` // the window
	To         int      `json:"to"`
	Zero       bool     `json:"zero"` // the curve is zero
}

// Convergence is the rate of the running averages. Its verdict is on convergence at the
// rate 1/√t or faster.
type Convergence struct {
	Exponent
	// Of is the curve that decays: the distance to the expectation, or the
	// oscillation.
	Of string `json:"of"`
	// Rate is constant, faster, 1/sqrt(t), slower or undetermined.
	Rate string `json:"rate"`
	// Drift tells that the mean over the replicates decays more slowly than the
	// noise.
	Drift bool `json:"drift"`
}

// Gamma compares the penalty weight in use with the thresholds of the theory.
type Gamma struct {
	Used       float64  `json:"used"`
	E          *float64 `json:"e,omitempty"`
	L          *float64 `json:"l,omitempty"`
	Sufficient *float64 `json:"sufficient,omitempty"` // (E+L+1)/β
	// Limit is (E+L+1) over the margin at T: the threshold if every round had the
	// constraints a_{T,j}, which are then all active at once.
	Limit *float64 `json:"limit,omitempty"`
	// Effective is the largest multiplier of the averaged problem.
	Effective *float64 `json:"effective,omitempty"`
}

// Finding is one condition or theorem, and whether it applies.
type Finding struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
}

// Curves are the curves of the figure, at the checkpoints T.
type Curves struct {
	T []int `json:"t"`
	// Average is max_j a_{t,j} at the Slater point and at the best actions over
	// the comparator sets that are not empty.
	Average []Curve `json:"average"`
	// Active is k_t. Deviation is the mean over the replicates of the distance of
	// the averages to their expectation, or of D_t.
	Active    Curve `json:"active"`
	Deviation Curve `json:"deviation"`
}

// Curve is a named curve; a value that does not exist is nil.
type Curve struct {
	Name string     `json:"name"`
	Y    []*float64 `json:"y"`
}

// number returns v, or nil if it is not finite.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	if v == 0 {
		v = 0 // −0 is
	}
	return &v
}

// Measure plays the rounds of a problem and measures its properties. The learner plays
// every time if the stream is adaptive, and otherwise once, for its points.
func Measure(ctx context.Context, start Start, o Options) (*Diagnosis, error) {
	m := &measurement{ctx: ctx, start: start, Options: o, at: harness.Checkpoints(o.Horizon)}
	s, l, err := start(o.Replicate)
	if err != nil {
		return nil, err
	}
	m.set, m.facts, m.points = s.Set(), s.Facts(), newSample(s.Set())
	path, functions, hindsight := newPath(m, s), newFunctions(m, s.Constraints()), harness.NewHindsight(s)
	path.keep = looks(o.Horizon)
	if err := harness.Play(ctx, l, s, o.Horizon, path, functions, hindsight); err != nil {
		return nil, err
	}
	if m.bests, err = hindsight.Solve(); err != nil {
		return nil, err
	}
	m.loss, m.forms = path.averageLoss(), path.forms
	m.size = path.size()
	paths, err := m.replicates(path)
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{Rounds: o.Horizon, Dim: m.set.Dim(), Constraints: s.Constraints(), Paths: len(paths)}
	d.Facts = functions.report()
	for _, b := range m.bests {
		d.Sets = append(d.Sets, Set{b.Set, b.Empty})
	}
	d.Curves.T = m.at
	d.Convergence, d.Curves.Deviation = m.convergence(paths)
	var all, plus []int
	for j := range s.Constraints() {
		e := m.penalty(paths, j)
		d.Penalties = append(d.Penalties, e)
		all = append(all, j)
		if e.Verdict != Holds {
			plus = append(plus, j)
		}
	}
	c, err := m.condition(all)
	if err != nil {
		return nil, err
	}
	d.Slater, d.Growth, d.Gamma = c.slater, c.growth, c.gamma
	d.Curves.Average, d.Curves.Active = c.at, c.active
	relaxed := c
	if len(plus) > 0 && len(plus) < len(all) && !(c.slater.Verdict == Holds && c.growth.Verdict == Holds) {
		if relaxed, err = m.condition(plus); err != nil {
			return nil, err
		}
	}
	d.Findings = findings(d, m.facts, plus, relaxed)
	return d, nil
}

// measurement has what all plays of one problem have in common.
type measurement struct {
	ctx   context.Context
	start Start
	Options
	at     []int // checkpoints
	set    convex.Set
	facts  convex.Facts
	points sample
	bests  []harness.Best
	loss   *convex.Form     // average at the horizon
	forms  [][]*convex.Form // a_{τ,j} at looks, the last at the horizon
	size   float64          // the largest average seen
}

// looks are the rounds whose averages determine the Slater point: T/100, T/30, T/10,
// T/3 and T.
func looks(horizon int) []int {
	var at []int
	for _, share := range []int{100, 30, 10, 3, 1} {
		if t := max(1, horizon/share); len(at) == 0 || t > at[len(at)-1] {
			at = append(at, t)
		}
	}
	return at
}

// again plays the rounds of a replicate again, with the learner only if the rounds
// depend on it.
func (m *measurement) again(replicate int, observe func(problems.Stream) harness.Observer) error {
	s, l, err := m.start(replicate)
	if err != nil {
		return err
	}
	if !m.facts.Adaptive {
		l = nil
	}
	return harness.Play(m.ctx, l, s, m.Horizon, observe(s))
}

// replicates plays the further replicates, on all cores. If the second one has the
// averages of the first, it assumes that all have, and returns only the first.
func (m *measurement) replicates(first *path) ([]*path, error) {
	n := max(1, m.Replicates)
	paths, errs := make([]*path, n), make([]error, n)
	paths[0] = first
	play := func(r int) {
		errs[r] = m.again(m.Replicate+r, func(s problems.Stream) harness.Observer {
			paths[r] = newPath(m, s)
			return paths[r]
		})
	}
	if n == 1 {
		return paths, nil
	}
	if play(1); errs[1] != nil {
		return nil, errs[1]
	}
	if first.like(paths[1]) {
		return paths[:1], nil
	}
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for r := 2; r < n; r++ {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			play(r)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}
