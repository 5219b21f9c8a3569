package algorithms_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
	"ocobench/internal/long"
	"ocobench/internal/race"
	"ocobench/problems"
)

// adversaryStream turns its losses, of norm 2, against the action. Its domain has three dimensions,
// and x_1 ≤ 1/4 is its fixed constraint.
type adversaryStream struct{ set convex.Set }

func newAdversary(domain string) adversaryStream {
	return adversaryStream{newScript(rand.New(rand.NewPCG(3, 11)), domain, "affine", 3, 0, 0).set}
}

func (a adversaryStream) Set() convex.Set { return a.set }

func (adversaryStream) Constraints() int { return 1 }

// Facts implements [problems.Stream].
func (a adversaryStream) Facts() convex.Facts {
	x := make([]float64, 3)
	low, high := -a.set.Support(x, []float64{-1, 0, 0}), a.set.Support(x, unit(3, 0))
	return convex.Facts{
		LossLipschitz: 2, ConstraintLipschitz: 1, LossRange: 2 * a.set.Diameter(),
		ConstraintBound: max(0.25-low, high-0.25),
		Slater:          0.25 - low, Diameter: a.set.Diameter(), Fixed: true, Affine: true,
		Adaptive: true,
	}
}

// Reveal implements [problems.Stream].
func (a adversaryStream) Reveal(t int, x []float64) *convex.Round {
	loss := against(x, 3, t)
	norm := distance(loss, make([]float64, 3))
	for i := range loss {
		loss[i] *= 2 / norm
	}
	r := newRound(affine(0, loss...), affine(-0.25, unit(3, 0)...))
	return &r
}

// checkpoints are the rounds at which bounds are compared with games.
var checkpoints = []int{1, 5, 30, 60, 300, 1000}

// comparators finds the best fixed actions of a game.
type comparators struct {
	n, t   int
	losses *convex.Form
	sets   map[algorithms.Metric]*convex.Program
	sums   []*convex.Form
	// of constraints whose sums have as many terms as rounds
	prefixes []*averages.Prefixes
}

// newComparators returns the comparators of a stream before its first round.
func newComparators(s problems.Stream) *comparators {
	n := s.Set().Dim()
	r := &comparators{n: n, losses: convex.NewForm(n), sets: map[algorithms.Metric]*convex.Program{}}
	for _, m := range []algorithms.Metric{
		algorithms.RegretXMin, algorithms.RegretXHat, algorithms.RegretDomain,
	} {
		r.sets[m] = convex.NewProgram(s.Set())
	}
	for range s.Constraints() {
		r.sums = append(r.sums, convex.NewForm(n))
	}
	r.prefixes = make([]*averages.Prefixes, s.Constraints())
	return r
}

// observe adds a round to the losses and to the comparator sets.
func (r *comparators) observe(round convex.Round) {
	r.t++
	round.Loss.AddTo(r.losses, 1)
	for j, g := range round.Constraints {
		g.AddTo(r.sums[j], 1)
		r.sets[algorithms.RegretXMin].Constrain(convex.Lower(g, r.n))
		switch {
		case r.prefixes[j] != nil:
			r.prefixes[j].Add(convex.Lower(g, r.n))
		case r.sums[j].IsKinkedAfterSplit():
			r.prefixes[j] = averages.NewPrefixes(r.sums[j], r.t)
			r.sets[algorithms.RegretXHat].Constrain(r.prefixes[j].Constraint())
		default:
			r.sets[algorithms.RegretXHat].Constrain(r.sums[j].Clone())
		}
	}
}

// best returns lower bounds of the least sums of losses over the sets; over an empty set it is NaN.
func (r *comparators) best() map[algorithms.Metric]float64 {
	values := map[algorithms.Metric]float64{}
	for metric, set := range r.sets {
		values[metric] = math.NaN()
		if s, err := set.Minimize(make([]float64, r.n), r.losses); err == nil {
			values[metric] = s.Value - s.Gap
		}
	}
	return values
}

// boundGame is a problem on which bounds are compared with games. If its best actions do not depend
// on the play, they are computed once.
type boundGame struct {
	testProblem
	seed       uint64
	bestOnce   sync.Once
	best       map[int]map[algorithms.Metric]float64 // by round
	movingOnce sync.Once
	// movingBest is the best action of each round, by the rounds t played.
	movingBest map[int]game.Moving // the same
}

// movingComparators returns the best actions of the rounds up to each checkpoint.
func (b *boundGame) movingComparators(t *testing.T) map[int]game.Moving {
	b.movingOnce.Do(func() {
		s := b.stream(t, b.seed)
		m := game.NewMoving(s)
		b.movingBest = map[int]game.Moving{}
		for i := 1; i <= checkpoints[len(checkpoints)-1]; i++ {
			if err := m.Round(i, nil, s.Reveal(i, nil)); err != nil {
				t.Errorf("%v: round %d: %v", b, i, err)
				return
			}
			if slices.Contains(checkpoints, i) {
				b.movingBest[i] = *m
			}
		}
	})
	return b.movingBest
}

// bestFixed returns the least sums of losses over each comparator set, by checkpoint.
func (b *boundGame) bestFixed(t *testing.T) map[int]map[algorithms.Metric]float64 {
	b.bestOnce.Do(func() {
		s := b.stream(t, b.seed)
		r := newComparators(s)
		b.best = map[int]map[algorithms.Metric]float64{}
		for i := 1; i <= checkpoints[len(checkpoints)-1]; i++ {
			r.observe(*s.Reveal(i, nil))
			if slices.Contains(checkpoints, i) {
				b.best[i] = r.best()
			}
		}
	})
	return b.best
}

// boundGames are games on every kind of problem, domain and constraint that a bound may be about.
var boundGames = func() (list []*boundGame) {
	all := slices.Concat(testProblems, rectifiedProblems(0), rectifiedProblems(1))
	for _, domain := range domainKinds {
		all = append(all, testProblem{"adversary on a " + domain, newAdversary(domain)})
	}
	for _, k := range []int{2, 6, 7, 8, 14} { // of several constraints
		all = append(all, testProblem{testProblems[k].name + ":combine=max", testProblems[k].params})
	}
	all = append(all, testProblem{"iid:combine=max", problems.IIDParams{Space: space(3, "ball", 1),
		Constraints: 3, Slack: 0.25, Margin: 0.1, Spread: 0.5, LossNoise: 1, Direction: "random"}})
	for k, a := range all {
		list = append(list, &boundGame{testProblem: a, seed: uint64(k)})
	}
	return list
}()

// play plays T rounds and shows the metrics at the checkpoints and, if some bound depends
// on it, how far the rounds have moved, and the dynamic regret.
func (b *boundGame) play(t *testing.T, a algorithms.Algorithm, params any, T int, moves bool,
	show func(i int, metrics map[algorithms.Metric]float64, m algorithms.Motion)) {
	t.Helper()
	s := b.stream(t, b.seed)
	var inPlay *comparators
	var best map[int]map[algorithms.Metric]float64
	var moving map[int]game.Moving
	var movingInPlay *game.Moving
	switch adaptive := s.Facts().Adaptive; {
	case adaptive:
		inPlay, movingInPlay, moving = newComparators(s), game.NewMoving(s), map[int]game.Moving{}
	case moves:
		moving = b.movingComparators(t)
		fallthrough
	default:
		best = b.bestFixed(t)
	}
	l, err := a.Start(params, setupOf(s, T))
	if err != nil {
		t.Fatalf("%v: %v", b, err)
	}
	m := s.Constraints()
	x, sums, averages := make([]float64, s.Set().Dim()), make([]float64, m), make([]*convex.Form, m)
	for j := range averages {
		averages[j] = convex.NewForm(len(x))
	}
	var loss, hard, squared, largest, penalty, ccv, norm float64
	for i := 1; i <= T; i++ {
		l.Act(x)
		r := s.Reveal(i, x)
		loss += r.Loss.Value(x)
		most, squares := 0., 0.
		for j, g := range r.Constraints {
			v := g.Value(x)
			sums[j] += v
			most, squares = max(most, v), squares+max(0, v)*max(0, v)
			hard += max(0, v)
			squared += max(0, v) * max(0, v)
			largest = max(largest, v)
			g.AddTo(averages[j], 1)
			penalty += max(0, averages[j].Value(x)/float64(i))
		}
		ccv, norm = ccv+most, norm+math.Sqrt(squares)
		if inPlay != nil {
			inPlay.observe(*r)
		}
		if movingInPlay != nil && moves {
			if err := movingInPlay.Round(i, x, r); err != nil {
				t.Fatalf("%v: round %d: %v", b, i, err)
			}
			moving[i] = *movingInPlay
		}
		if err := l.Observe(x, *r); err != nil {
			if i == 1 && strings.Contains(err.Error(), "set x0") {
				return // an assumption about the first action is not met
			}
			t.Fatalf("%v: round %d: %v", b, i, err)
		}
		if !slices.Contains(checkpoints, i) {
			continue
		}
		metrics := map[algorithms.Metric]float64{
			algorithms.SoftViolation: 0, algorithms.HardViolation: hard,
			algorithms.PenaltyViolation: penalty, algorithms.SquaredViolation: squared,
			algorithms.MaxViolation: largest, algorithms.CCViolation: ccv, algorithms.NormViolation: norm,
		}
		for _, v := range sums {
			metrics[algorithms.SoftViolation] += max(0, v)
		}
		values := best[i]
		if inPlay != nil {
			values = inPlay.best()
		}
		for metric, value := range values {
			metrics[metric] = loss - value
		}
		// What holds in the mean against X^E holds in every game against X^min.
		metrics[algorithms.RegretXE] = metrics[algorithms.RegretXMin]
		metrics[algorithms.RegretDynamic] = loss - (moving[i].Value - moving[i].Gap)
		show(i, metrics, moving[i].Motion)
	}
}

// epochs plays an algorithm in epochs of doubling length.
var epochs = algorithms.Epochs{Doubling: true}

// penalised returns the defaults of penalised-ftrl with a change.
func penalised(change func(p *algorithms.PenalisedFTRLParams)) any {
	p := algorithms.All[0].Params.(algorithms.PenalisedFTRLParams)
	change(&p)
	return p
}

// TestBoundsHoldInGames holds the bounds of every claim, at the defaults and at other parameters,
// against games on problems that meet the assumptions: at the checkpoints of games of 30 and 300
// rounds, and where all tests run whole of 1000. A learner that is anytime plays the longest game
// alone: the others are its beginnings.
func TestBoundsHoldInGames(t *testing.T) {
	t.Parallel()
	long.Run(t, func(t *testing.T, whole bool) {
		specs := variants
		for _, a := range algorithms.All {
			specs = append(specs, a.Name)
		}
		for _, text := range specs {
			a, params := registeredWith(t, text)
			t.Run(text, func(t *testing.T) {
				t.Parallel()
				checkBounds(t, a, params, whole)
			})
		}
	})
}

// horizonsOf returns the rounds of the games on a bout.
func horizonsOf(b *boundGame, whole bool) []int {
	switch {
	case strings.HasSuffix(b.name, "iid:combine=max"): // a round takes the time of all
		return []int{30, 100}
	case race.Enabled:
		return []int{30}
	case whole && !testing.Short():
		return []int{30, 300, 1000}
	}
	return []int{30, 300}
}

// gameLimits has the bounds of claims in a game of T rounds; a claim without a bound has nil.
type gameLimits struct {
	T      int
	bounds []func(int, algorithms.Motion) float64
}

// gameLimitsOf returns the bounds in games on a stream, and whether some depend on how the rounds
// move. A game in which no claim has a bound is left out.
func gameLimitsOf(s problems.Stream, claims []algorithms.Claim, horizons []int) (all []gameLimits,
	moves bool) {
	for _, T := range horizons {
		limit, proven := gameLimits{T, make([]func(int, algorithms.Motion) float64, len(claims))}, false
		for k, claim := range claims {
			if !claim.Proven() {
				continue
			}
			if f, err := claim.Limit(setupOf(s, T)); err == nil {
				limit.bounds[k], proven, moves = f, true, moves || claim.Moving != nil
			}
		}
		if proven {
			all = append(all, limit)
		}
	}
	return all, moves
}

// checkBounds plays an algorithm on all games whose problem meets its assumptions, and compares its
// metrics with the bounds.
func checkBounds(t *testing.T, a algorithms.Algorithm, params any, whole bool) {
	claims := a.ClaimsOf(params)
	games := make([]int, len(claims))
	for _, b := range boundGames {
		s := b.stream(t, b.seed)
		if len(a.Unmet(s.Facts())) > 0 {
			continue
		}
		all, moves := gameLimitsOf(s, claims, horizonsOf(b, whole))
		for _, limit := range all {
			for k := range claims {
				if limit.bounds[k] != nil {
					games[k]++
				}
			}
		}
		// compare holds the rounds of a game to the bounds of it and of its beginnings.
		compare := func(all ...gameLimits) func(int, map[algorithms.Metric]float64, algorithms.Motion) {
			return func(i int, metrics map[algorithms.Metric]float64, m algorithms.Motion) {
				for _, limit := range all {
					for k, claim := range claims {
						if limit.bounds[k] == nil || i > limit.T {
							continue
						}
						value, bound := metrics[claim.Metric], limit.bounds[k](i, m)
						if math.IsNaN(m.Path) && math.IsNaN(bound) { // a round is empty
							continue
						}
						if value > bound*(1+1e-9)+1e-9*float64(i) || math.IsNaN(bound) || bound < 0 {
							t.Errorf("%v, T=%d: got %s = %.6g at t=%d, want at most %.6g", b.testProblem, limit.T,
								claim.Metric, value, i, bound)
						}
					}
				}
			}
		}
		switch n := len(all); {
		case n == 0:
		case a.AnytimeWith(params):
			b.play(t, a, params, all[n-1].T, moves, compare(all...))
		default:
			for _, limit := range all {
				b.play(t, a, params, limit.T, moves, compare(limit))
			}
		}
	}
	for k, claim := range claims {
		if claim.Proven() && games[k] == 0 {
			t.Errorf("%s: got no game that tests the bound, want a problem that meets its assumptions",
				claim.Metric)
		}
	}
}

// A constant that the problem does not declare is the parameter, if that is given: the bounds are
// those of a problem that declares it.
func TestParametersStandInForUndeclaredConstants(t *testing.T) {
	b := boundGames[6] // fixed, three constraints in a ball
	setup := setupOf(b.stream(t, b.seed), 4000)
	facts := &setup.Facts
	facts.ConstraintLipschitz = facts.LossLipschitz
	stated := make(map[string]int)
	for _, a := range algorithms.All {
		if len(a.Unmet(*facts)) > 0 {
			continue
		}
		for field, value := range map[string]float64{"Lipschitz": facts.LossLipschitz,
			"Bound": facts.ConstraintBound, "LossRange": facts.LossRange} {
			p := reflect.New(reflect.TypeOf(a.Params)).Elem()
			p.Set(reflect.ValueOf(a.Params))
			if !p.FieldByName(field).IsValid() {
				continue
			}
			p.FieldByName(field).SetFloat(value)
			bare := setup
			switch field {
			case "Lipschitz":
				bare.Facts.LossLipschitz = 0
				if !p.FieldByName("LossConstants").IsValid() {
					bare.Facts.ConstraintLipschitz = 0
				}
			case "Bound":
				bare.Facts.ConstraintBound = 0
			case "LossRange":
				bare.Facts.LossRange = 0
			}
			for _, claim := range a.ClaimsOf(p.Interface()) {
				if !claim.Proven() {
					continue
				}
				want, err := claim.Limit(setup)
				if err != nil {
					continue
				}
				stated[field]++
				got, err := claim.Limit(bare)
				for _, n := range []int{1, 60, 4000} {
					m := algorithms.Motion{Path: 1, Variation: 2, Rise: 3, Steepest: 0.1}
					if err != nil || got(n, m) != want(n, m) {
						t.Errorf("%s, %s with the parameter %s = %v: not the bound of a problem that declares "+
							"it, %v after %d rounds (%v)", a.Name, claim.Metric, field, value, want(n, m), n, err)
						break
					}
				}
			}
		}
	}
	if stated["Lipschitz"] < 20 || stated["Bound"] < 4 || stated["LossRange"] < 1 {
		t.Errorf("got bounds stated by parameter %v, want at least 20, 4 and 1 for Lipschitz, Bound, "+
			"LossRange", stated)
	}
}
