package algorithms_test

import (
	"fmt"
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

// adversary turns losses of norm 2 against the action, over a domain of three
// dimensions, with the fixed constraint x_1 ≤ 1/4.
type adversary struct{ set convex.Set }

func newAdversary(domain string) adversary {
	return adversary{newScript(rand.New(rand.NewPCG(3, 11)), domain, "affine", 3, 0, 0).set}
}

func (a adversary) Set() convex.Set { return a.set }

func (adversary) Constraints() int { return 1 }

func (a adversary) Facts() convex.Facts {
	x := make([]float64, 3)
	low, high := -a.set.Support(x, []float64{-1, 0, 0}), a.set.Support(x, unit(3, 0))
	return convex.Facts{
		LossLipschitz: 2, ConstraintLipschitz: 1, LossRange: 2 * a.set.Diameter(),
		ConstraintBound: max(0.25-low, high-0.25),
		Slater:          0.25 - low, Diameter: a.set.Diameter(), Fixed: true, Affine: true,
		Adaptive: true,
	}
}

func (a adversary) Reveal(t int, x []float64) *convex.Round {
	loss := against(x, 3, t)
	norm := distance(loss, make([]float64, 3))
	for i := range loss {
		loss[i] *= 2 / norm
	}
	r := round(affine(0, loss...), affine(-0.25, unit(3, 0)...))
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

func (r *comparators) observe(round convex.Round) {
	r.t++
	round.Loss.AddTo(r.losses, 1)
	for j, g := range round.Constraints {
		g.AddTo(r.sums[j], 1)
		r.sets[algorithms.RegretXMin].Constrain(convex.Lower(g, r.n))
		switch {
		case r.prefixes[j] != nil:
			r.prefixes[j].Add(convex.Lower(g, r.n))
		case r.sums[j].IsKinked():
			r.prefixes[j] = averages.NewPrefixes(r.sums[j], r.t)
			r.sets[algorithms.RegretXHat].Constrain(r.prefixes[j].Constraint())
		default:
			r.sets[algorithms.RegretXHat].Constrain(r.sums[j].Clone())
		}
	}
}

// best returns lower bounds of the least sums of losses over the sets; NaN over one
// that is empty.
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

// bout is a problem to play on; what its best actions are is computed once, if it does
// not depend on the play.
type bout struct {
	arena
	seed   uint64
	once   sync.Once
	best   map[int]map[algorithms.Metric]float64 // by round
	moves  sync.Once
	moving map[int]game.Moving // the same
}

// comparator returns what the best actions of the rounds are up to the checkpoints.
func (b *bout) comparator(t *testing.T) map[int]game.Moving {
	b.moves.Do(func() {
		s := b.stream(t, b.seed)
		m := game.NewMoving(s)
		b.moving = map[int]game.Moving{}
		for i := 1; i <= checkpoints[len(checkpoints)-1]; i++ {
			if err := m.Round(i, nil, s.Reveal(i, nil)); err != nil {
				t.Errorf("%v: round %d: %v", b, i, err)
				return
			}
			if slices.Contains(checkpoints, i) {
				b.moving[i] = *m
			}
		}
	})
	return b.moving
}

func (b *bout) hindsight(t *testing.T) map[int]map[algorithms.Metric]float64 {
	b.once.Do(func() {
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

var bouts = func() (list []*bout) {
	all := slices.Concat(arenas, rectifiedArenas(0), rectifiedArenas(1))
	for _, domain := range domainKinds {
		all = append(all, arena{"adversary on a " + domain, newAdversary(domain)})
	}
	for _, k := range []int{2, 6, 7, 8, 14} { // of several constraints
		all = append(all, arena{arenas[k].name + ":combine=max", arenas[k].params})
	}
	all = append(all, arena{"iid:combine=max", problems.IIDParams{Space: space(3, "ball", 1),
		Constraints: 3, Slack: 0.25, Margin: 0.1, Spread: 0.5, LossNoise: 1, Direction: "random"}})
	for k, a := range all {
		list = append(list, &bout{arena: a, seed: uint64(k)})
	}
	return list
}()

// play plays T rounds and shows the metrics at the checkpoints and, if some bound depends
// on it, how far the rounds have moved, and the dynamic regret.
func (b *bout) play(t *testing.T, a algorithms.Algorithm, params any, T int, moves bool,
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
		moving = b.comparator(t)
		fallthrough
	default:
		best = b.hindsight(t)
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

// contest is an algorithm with parameters, and how near some game must come to
// its bounds, as a fraction, so that the comparison says something; below 0
// where the claim is not made or has no bound.
type contest struct {
	name              string
	params            any
	regret, violation float64
}

var epochs = algorithms.Epochs{Doubling: true}

func penalised(change func(p *algorithms.PenalisedFTRLParams)) any {
	p := algorithms.All[0].Params.(algorithms.PenalisedFTRLParams)
	change(&p)
	return p
}

var contests = []contest{
	{"penalised-ftrl", nil, 0.12, -1},
	{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) {
		p.Penalty, p.Gamma.Value, p.Kappa, p.X0 = "per-round", 1, 0.5, []float64{3}
	}), 0.37, -1},
	{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) {
		p.Gamma.Adaptive, p.GammaMax, p.Accuracy, p.BurnIn = true, 6, "certified", 5
	}), 0.39, -1},
	{"penalised-ftrl", penalised(func(p *algorithms.PenalisedFTRLParams) { p.Gamma.Value = 0 }), 0.59,
		-1},
	{"primal-dual-average", nil, 0.25, -1},
	{"primal-dual-average", averageParams(0.02, nil, false), 0.01, -1},
	{"ogd", nil, 0.8, -1},
	{"ogd", algorithms.OGDParams{Step: 0.3, FirstAction: algorithms.FirstAction{X0: []float64{5}}},
		0.43, -1},
	{"yu-neely-wei", nil, 0.14, 0.23},
	{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{V: 10, Alpha: 20}),
		0.17, 0.21},
	{"yu-neely-wei", driftParams("yu-neely-wei", algorithms.DriftPlusPenaltyParams{Tightening: 0.02}),
		0.1, 0.22},
	{"neely-yu", driftParams("neely-yu",
		algorithms.DriftPlusPenaltyParams{V: 10, Alpha: 20, Tightening: 0.05}), 0.55, 0.23},
	{"neely-yu", nil, 0.19, 0.23},
	{"neely-yu", driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{V: 100, Alpha: 300}), 0.72,
		0.26},
	{"neely-yu", driftParams("neely-yu", algorithms.DriftPlusPenaltyParams{Epochs: epochs}), 0.18,
		0.11},
	{"yu-neely", nil, 0.18, 0.06},
	{"yu-neely", algorithms.YuNeelyParams{
		Gamma: 3, Alpha: 100, FirstAction: algorithms.FirstAction{X0: []float64{-5}},
	}, 0.68, 0.23},
	{"yu-neely", algorithms.YuNeelyParams{Epochs: epochs}, 0.19, 0.072},
	{"valls", nil, 0.06, 0.092},
	{"valls", algorithms.VallsParams{Epsilon: 0.25}, 0.34, 0.1},
	{"valls", algorithms.VallsParams{Epsilon: 0.75, Step: 3}, 0.036, 0.018},
	{"liakopoulos", nil, 0.19, 0.23},
	{"liakopoulos", algorithms.LiakopoulosParams{Window: 1, Tradeoff: 0.2}, 0.1, 0.091},
	{"liakopoulos", algorithms.LiakopoulosParams{Window: 2, Tradeoff: 0.8}, 0.2, 0.46},
	{"chen", nil, 0.4, 0.4},
	{"chen", algorithms.ChenParams{Step: 0.5}, 0.68, 0.48},
	{"yi-2020", nil, 0.34, 0.036},
	{"yi-2020", algorithms.Yi2020Params{Kappa: 0.3}, 0.69, 0.029},
	{"yi-2020", algorithms.Yi2020Params{Kappa: 0.9, Step: 5}, 0.21, 0.023},
	{"guo", nil, 0.53, 0.04},
	{"guo", algorithms.GuoParams{Alpha: 1, Gamma: 2, Eta: 0.5, Epsilon: 0.1}, 0.53, 0.021},
	{"coldq", nil, 0.53, 0.29},
	{"coldq", algorithms.COLDQParams{Alpha: 1, Epsilon: 0.01}, 0.53, 0.23},
	{"yi-2021", nil, 0.2, 0.12},
	{"yi-2021", algorithms.Yi2021Params{C: 0.3, Alpha0: 1}, 0.47, 0.14},
	{"yi-2021", algorithms.Yi2021Params{C: 0.7, Epochs: epochs}, 0.24, 0.079},
	{"sinha-vaze", nil, 0.55, 0.35},
	{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Scale: 0.05, Lambda: 0.02}, 0.55,
		0.18},
	{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Curvature: 0.2}, 0.031, 0.1},
	{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Epochs: epochs}, 0.37, 0.21},
	{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Anytime: true}, 0.4, 0.35},
	{"sinha-vaze", algorithms.SinhaVazeParams{
		Losses: "convex", Anytime: true, Scale: 0.05, Lambda: 0.1,
	}, 0.45, 0.035},
	{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "convex", Anytime: true, Epochs: epochs}, 0.27,
		0.2},
	{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic"}, 0.6, 0.21},
	{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic", Scale: 0.1, Lambda: 0.5}, 0.6,
		0.2},
	{"sinha-vaze", algorithms.SinhaVazeParams{Potential: "quadratic", Anytime: true}, 0.12, 0.075},
	{"sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex", Anytime: true}, 0.065, 0.15},
	{"yu-lee-lee", nil, 0.27, 0.12},
	{"yu-lee-lee", algorithms.YuLeeLeeParams{Constraint: "clipped"}, 0.27, 0.12},
	{"vaze-sinha", nil, 0.8, 0.77},
	{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "once"}, 0.8, 0.77},
	{"vaze-sinha", algorithms.VazeSinhaParams{Projections: "once", Losses: "strongly-convex"}, 0.13,
		0.03},
	{"vaze-sinha", algorithms.VazeSinhaParams{Losses: "strongly-convex", Curvature: 0.3}, 0.045, 0.77},
	{"vaze-sinha", algorithms.VazeSinhaParams{
		Step: 0.3, FirstAction: algorithms.FirstAction{X0: []float64{1}},
	}, 0.28, 0.77},
	{"clasp", nil, 0.55, 0.08},
	{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Variant = "in-turn" }), 0.55, 0.08},
	{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Beta, p.Step = 0.3, 0.3 }), 0.55, 0.08},
	{"clasp", claspParams(func(p *algorithms.CLASPParams) { p.Losses = "strongly-convex" }), 0.14,
		0.002},
	{"clasp", claspParams(func(p *algorithms.CLASPParams) {
		p.Losses, p.Variant = "strongly-convex", "in-turn"
	}), 0.14, 0.002},
	{"polyak-feasibility", nil, 0.37, 0},
	{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Sigma: 0.5, Slater: 0.2}, 0.15, 0},
	{"polyak-feasibility", algorithms.PolyakFeasibilityParams{Epochs: epochs}, 0.03, 0},
	{"ftrl", nil, 0.54, 0.16},
	{"ftrl", algorithms.FTRLParams{Kappa: 0.3, FirstAction: algorithms.FirstAction{X0: []float64{-2}}},
		0.47, 0.48},
	{"mahdavi", nil, 0.61, 0.23},
	{"mahdavi", algorithms.MahdaviParams{Step: 0.02, Damping: 200}, 0.64, 0.18},
	{"mahdavi", algorithms.MahdaviParams{Epochs: epochs}, 0.8, 0.19},
	{"mahdavi-zero-violation", nil, 0.42, 0},
	{"mahdavi-zero-violation", algorithms.MahdaviZeroViolationParams{Margin: 0.05}, 0.19, 0.22},
	{"mahdavi-mirror-prox", nil, 0.53, 0.23},
	{"mahdavi-mirror-prox", algorithms.MahdaviMirrorProxParams{Step: 0.05, Damping: 3}, 0.36, 0.24},
	{"jenatton", nil, 0.43, 0.22},
	{"jenatton", jenattonParams("convex", 2./3), 0.43, 0.21},
	{"jenatton", jenattonParams("strongly-convex", 0.5), 0.058, 0.12},
	{"sun", nil, 0.61, 0.23},
	{"sun", algorithms.SunParams{Mirror: "entropy"}, 0.16, 0.19},
	{"castiglioni", nil, 0.1, 0.52},
	{"castiglioni", algorithms.CastiglioniParams{Cap: 1}, 0.1, -1},
}

// dynamicFloors say how near some game of each contest must come to its bound of dynamic
// regret.
var dynamicFloors = map[string]float64{"chen": 0.15, "coldq": 0.6}

// closest are the bouts on which some contest comes nearest to a bound, by their places in
// the list.
var closest = []int{0, 1, 3, 5, 6, 10, 13, 16, 18, 20, 21, 24, 28, 38, 39, 45, 46, 50, 55,
	57, 59, 68, 69, 75, 81, 82, 83}

// TestBounds holds the bounds of every claim against games on problems that meet
// the assumptions: at the checkpoints of games of 30, 300 and 1000 rounds. A sample has the
// games of 1000 rounds on those bouts alone that come nearest to a bound, which are the first
// to cross it. With the race detector these bouts alone have games, of up to 300 rounds. A
// learner that is anytime plays the longest game alone: the others are its beginnings.
func TestBounds(t *testing.T) {
	for _, a := range algorithms.All {
		if len(a.Claims) > 0 && !slices.ContainsFunc(contests,
			func(c contest) bool { return c.name == a.Name }) && a.Claims[0].Proven() {
			t.Errorf("no game comes near the bounds of %s: add a row to contests, with how near", a.Name)
		}
	}
	t.Parallel()
	long.Run(t, func(t *testing.T, whole bool) {
		for _, c := range contests {
			a := entry(t, c.name)
			if c.params == nil {
				c.params = a.Params
			}
			t.Run(strings.ReplaceAll(fmt.Sprintf("%s%+v", c.name, c.params), "/", ":"), func(t *testing.T) {
				t.Parallel()
				c.fight(t, a, whole)
			})
		}
	})
}

// horizonsOf returns the rounds of the games on a bout.
func horizonsOf(place int, whole bool) []int {
	if strings.HasSuffix(bouts[place].name, "iid:combine=max") { // a round takes the time of all
		return []int{30, 100}
	}
	if testing.Short() || race.Enabled || !whole && !slices.Contains(closest, place) {
		return []int{30, 300}
	}
	return []int{30, 300, 1000}
}

// limited is the bounds of the claims in a game of T rounds; nil where a claim has none.
type limited struct {
	T      int
	bounds []func(int, algorithms.Motion) float64
}

// limitsOf returns the bounds in games on a stream, and whether some depend on how the rounds
// move. A game in which no claim has a bound is left out.
func limitsOf(s problems.Stream, claims []algorithms.Claim, horizons []int) (all []limited,
	moves bool) {
	for _, T := range horizons {
		limit, proven := limited{T, make([]func(int, algorithms.Motion) float64, len(claims))}, false
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

// nearness is how near the games of a contest come to the bound of a claim, and where.
type nearness struct {
	games int
	ratio float64
	bout  int
	where string
}

// fight plays a contest on all bouts that meet the assumptions.
func (c contest) fight(t *testing.T, a algorithms.Algorithm, whole bool) {
	claims := a.ClaimsOf(c.params)
	nearest := make([]nearness, len(claims))
	for place, b := range bouts {
		if race.Enabled && !slices.Contains(closest, place) {
			continue
		}
		s := b.stream(t, b.seed)
		if len(a.Unmet(s.Facts())) > 0 {
			continue
		}
		all, moves := limitsOf(s, claims, horizonsOf(place, whole))
		for _, limit := range all {
			for k := range claims {
				if limit.bounds[k] != nil {
					nearest[k].games++
				}
			}
		}
		// compare holds the rounds of a game to the bounds of it and of its beginnings.
		compare := func(all ...limited) func(int, map[algorithms.Metric]float64, algorithms.Motion) {
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
							t.Errorf("%v, T=%d: %s is %.6g at t=%d, the bound is %.6g", b.arena, limit.T,
								claim.Metric, value, i, bound)
						}
						if ratio := value / bound; ratio > nearest[k].ratio && bound > 0 {
							nearest[k].ratio, nearest[k].bout = ratio, place
							nearest[k].where = fmt.Sprintf("%v, T=%d, t=%d", b.arena, limit.T, i)
						}
					}
				}
			}
		}
		switch n := len(all); {
		case n == 0:
		case a.AnytimeWith(c.params):
			b.play(t, a, c.params, all[n-1].T, moves, compare(all...))
		default:
			for _, limit := range all {
				b.play(t, a, c.params, limit.T, moves, compare(limit))
			}
		}
	}
	for k, claim := range claims {
		if claim.Proven() {
			c.judge(t, claim.Metric, nearest[k], whole)
		}
	}
}

// judge holds a contest to how near some game has to come to a bound.
func (c contest) judge(t *testing.T, metric algorithms.Metric, n nearness, whole bool) {
	floor := c.violation
	switch {
	case slices.Contains(algorithms.Regrets, metric):
		floor = c.regret
	case metric == algorithms.RegretDynamic:
		floor = dynamicFloors[c.name]
	}
	t.Logf("%s: %d games, up to %.3f of the bound, on bout %d: %s", metric, n.games, n.ratio, n.bout,
		n.where)
	if n.games == 0 || !testing.Short() && !race.Enabled && n.ratio < floor {
		t.Errorf("%s: %d games, and none nearer to the bound than %.3f; want %v; all bouts are fought, "+
			"and closest is checked, with OCOBENCH_TESTS=whole", metric, n.games, n.ratio, floor)
	}
	if whole && !testing.Short() && !race.Enabled && n.ratio > 0 && !slices.Contains(closest, n.bout) {
		t.Errorf("%s: bout %d comes nearest to the bound: add it to closest", metric, n.bout)
	}
}

// A constant that the problem does not declare is the parameter, if that is given: the bounds are
// those of a problem that declares it.
func TestConstantsByParameters(t *testing.T) {
	b := bouts[6] // fixed, three constraints in a ball
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
		t.Errorf("bounds that are stated, by the parameter: %v", stated)
	}
}
