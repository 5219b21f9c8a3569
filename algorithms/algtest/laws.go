package algtest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
)

// Laws lists the rules that every learner keeps. A fault that breaks one law may also break later
// ones, so the first failure is the one to mend first. A law is skipped for programs outside this
// process that cannot break it, or where a breach cannot be seen.
var Laws = []Law{
	{
		Name: "deterministic",
		Doc:  "the same game is played with the same bits",
		Remedy: "Begin every game anew: keep all state in the learner, and none in a class, a module " +
			"or a default argument, where an earlier game leaves it; draw random numbers from the seed " +
			"of the game alone; and do not depend on the order of a map or a set.",
		Check: checkDeterministic,
	},
	{
		Name: "domain",
		Doc:  "every action is in the domain, and all coordinates of it are written",
		Remedy: "Project the action on the domain, and write every coordinate of it. In Go: " +
			"Set.Project(x, x).",
		Check: checkDomain,
	},
	{
		Name: "act",
		Doc:  "asking twice for an action gives the same answer",
		Remedy: "Compute the next action where a round ends, in Observe or tell, and the first one " +
			"where the game begins; let Act, or ask, only return it.",
		Check: checkAct,
	},
	{
		Name: "owner",
		Doc:  "a learner keeps nothing of what it is given",
		Remedy: "Copy what is needed after Observe returns: the slices and functions of a round are " +
			"overwritten by the next one. A convex.Form or convex.Sum copies what is added to it.",
		Skip:  skipExternal,
		Check: checkOwner,
	},
	{
		Name: "draws",
		Doc: "a learner plays the same for every seed, unless it is declared to draw, and then it " +
			"does not",
		Remedy: "Declare Draws (draws) if the seed is used, and only then.",
		Check:  checkDraws,
	},
	{
		Name: "hands off",
		Doc:  "a learner leaves what it is given as it was: the set, the action and the round",
		Remedy: "Write to the learner's own slices alone: copy a gradient (Subgrad writes to a slice " +
			"of yours) before vec.Scale, vec.Axpy or Project change it in place.",
		Skip:  skipExternal,
		Check: checkHandsOff,
	},
	{
		Name: "independent",
		Doc:  "two learners that play in turn do not influence each other",
		Remedy: "Keep all state in the learner that New returns, and none in variables of the " +
			"package or in what New captures. Processes of a program share no file.",
		Check: checkIndependent,
	},
	{
		Name: "horizon",
		Doc:  "an anytime learner plays the same for every horizon, and no other does",
		Remedy: "Declare Anytime (anytime) if the horizon is not used. If it is used, do not, and in " +
			"Go embed algorithms.Epochs in the parameters.",
		Skip: func(a algorithms.Algorithm) string {
			switch {
			case isExternal(a) && a.Anytime:
				return "a program that is anytime is not told the horizon"
			case a.Warm():
				return "its epochs begin at the last action"
			}
			return ""
		},
		Check: checkHorizon,
	},
	{
		Name: "doubling",
		Doc:  "with doubling, epochs of 1, 2, 4, … rounds are played like games of these lengths",
		Remedy: "Leave doubling to Algorithm.Start: New uses Setup.Horizon and ignores the field " +
			"Doubling.",
		Skip: func(a algorithms.Algorithm) string {
			if _, ok := withDoubling(a, true); !ok || a.Warm() {
				return "it has no parameter doubling, or its epochs begin at the last action"
			}
			return ""
		},
		Check: checkDoubling,
	},
	{
		Name: "feedback",
		Doc:  "a learner uses no more than its feedback class allows",
		Remedy: "Ask for what the class allows, FO: values and subgradients at x_t, FO+: also values " +
			"of constraints at x_{t+1}, FI: everything, two-point: two values of each function, the " +
			"same distance from x_t on both sides of it; or declare the wider class.",
		Skip: func(a algorithms.Algorithm) string {
			switch {
			case a.Feedback == algorithms.FullInfo:
				return "its class allows everything"
			case isExternal(a):
				return "a program is told what its class allows, and nothing else"
			}
			return ""
		},
		Check: checkFeedback,
	},
	{
		Name:   "loss shift",
		Doc:    "a constant added to the losses changes nothing",
		Remedy: "Use subgradients of the losses, or differences of their values, in place of values.",
		Check:  checkLossShift,
	},
	{
		Name: "units",
		Doc: "a learner that is declared to be unit-free plays the same in every unit of losses and " +
			"constraints, and no other does",
		Remedy: "Scale steps and weights by the constants that the problem declares (Setup.Facts), " +
			"and declare UnitFree; or do not declare it.",
		Skip: func(a algorithms.Algorithm) string {
			if isExternal(a) {
				return "a program does not declare whether it is unit-free"
			}
			return ""
		},
		Check: checkUnits,
	},
	{
		Name: "coordinates",
		Doc:  "permuted coordinates permute the actions",
		Remedy: "Treat all coordinates alike: look for an index that is a constant, and for ties " +
			"that are broken by index.",
		Skip:  skipRandomised,
		Check: checkCoordinates,
	},
	{
		Name: "order",
		Doc:  "the order of the constraints changes nothing",
		Remedy: "Treat all constraints alike: look for an index that is a constant, and for state " +
			"that is kept for one constraint and used for another.",
		Skip:  skipRandomised,
		Check: checkOrder,
	},
	{
		Name: "bounds",
		Doc: "the bounds of claims are ≥ 0, do not decrease, unless of the soft violation, which " +
			"can, and hold",
		Remedy: "Bound must return what is proven with the parameters of the entry: of the regret " +
			"against every point that is feasible in all rounds, and of the violation as the metric " +
			"counts it, summed over constraints. It returns an error where the proof does not apply.",
		Skip: func(a algorithms.Algorithm) string {
			if !slices.ContainsFunc(a.ClaimsOf(a.Params), algorithms.Claim.Proven) {
				return "it claims no bound"
			}
			return ""
		},
		Check: checkBounds,
	},
	{
		Name: "reaction",
		Doc:  "an algorithm that does not ignore constraints reacts to them",
		Remedy: "Use the constraints of the round. An algorithm that ignores them claims " +
			"regret_domain and nothing else.",
		Skip: func(a algorithms.Algorithm) string {
			switch {
			case ignoresConstraints(a):
				return "it claims regret_domain and nothing else, so that it may ignore them"
			case a.Feedback == algorithms.TwoPoint && len(a.ClaimsOf(a.Params)) == 0:
				return "it claims nothing with two-point feedback, so that it may ignore them"
			}
			return ""
		},
		Check: checkReaction,
	},
	{
		Name: "non-finite",
		Doc: "a number that is not finite gives an error or an action that is not finite, no panic " +
			"and no hang",
		Remedy: "Return an error from Observe where a number is not finite, or let it pass into the " +
			"action: max(0, v) keeps a NaN, if v > 0 drops it. Bound the number of iterations of every " +
			"loop.",
		Skip: func(a algorithms.Algorithm) string {
			if isExternal(a) {
				return "a program is told finite numbers, and a round with others fails its game"
			}
			return ""
		},
		Check: checkNonFinite,
	},
	{
		Name:   "allocations",
		Doc:    "first-order learners do not allocate",
		Remedy: "Allocate buffers in New and use them again in every round.",
		Skip: func(a algorithms.Algorithm) string {
			if a.Feedback == algorithms.FullInfo {
				return "its class is not first-order"
			}
			return skipExternal(a)
		},
		Check: checkAllocations,
	},
}

// skipExternal is the Skip of a law about memory, which other programs do not share.
func skipExternal(a algorithms.Algorithm) string {
	if isExternal(a) {
		return "a program shares no memory with this one"
	}
	return ""
}

// skipRandomised is the Skip of a law about a symmetry: what a learner draws is not permuted.
func skipRandomised(a algorithms.Algorithm) string {
	if a.Draws {
		return "it draws, and what it draws is not permuted"
	}
	return ""
}

// actionAccuracy returns how far two actions may differ that are equal mathematically. That is
// rounding; if constraints are not affine, it is also the distance from the minimiser that the
// certified gap allows for an objective with strong convexity 1. External programs certify no gap.
func (p *player) actionAccuracy(g *game) float64 {
	if g.facts().Affine {
		return 1e-8
	}
	return max(1e-8, 2*math.Sqrt(p.gap))
}

// checkDomain checks that every action is in the domain. Coordinates that the learner does not
// write are NaN, which is not.
func checkDomain(a algorithms.Algorithm) error {
	return eachPlayer(a, allGames(12), func(g *game, p *player) error {
		set, tol := g.set(), 1e-12
		if isExternal(a) { // the tolerance of games
			tol = 1e-9
		}
		return g.play(p, func(t int, x []float64) error {
			if r := set.Residual(x); !(r <= tol) {
				return fmt.Errorf("action %d, %v, is outside by %v", t, x, r)
			}
			return nil
		}, nil)
	})
}

// checkAct compares the actions of a game with those of a game in which every action is asked for
// four times, and the answers are overwritten.
func checkAct(a algorithms.Algorithm) error {
	return eachReplay(a, fewGames(12), func(g *game, p *player, want [][]float64) error {
		return g.play(p, func(t int, x []float64) error {
			for k := range 3 { // the answer is overwritten after it was read
				again, err := p.act()
				if err != nil {
					return err
				}
				for _, y := range [][]float64{x, again} {
					if !slices.Equal(y, want[t-1]) {
						return fmt.Errorf("action %d is %v where it is asked for once, and %v where it is asked "+
							"for %d times", t, want[t-1], y, k+2)
					}
				}
				fillWithNaN(again)
			}
			return nil
		}, nil)
	})
}

// checkDeterministic plays every game twice, and compares the actions bit for bit.
func checkDeterministic(a algorithms.Algorithm) error {
	return eachGame(a, allGames(12), func(g *game) error {
		once, err := actionsOf(a, g)
		if err != nil {
			return err
		}
		twice, err := actionsOf(a, g)
		if err != nil {
			return err
		}
		return firstDifference(once, twice, 0)
	})
}

// checkOwner compares the actions of a game with those of a game in which every round and action is
// overwritten after the learner has seen it.
func checkOwner(a algorithms.Algorithm) error {
	return eachReplay(a, fewGames(24), func(g *game, p *player, want [][]float64) error {
		return g.play(p, func(t int, x []float64) error {
			if !slices.Equal(x, want[t-1]) {
				return fmt.Errorf("action %d is %v where the rounds before were overwritten, else %v", t, x,
					want[t-1])
			}
			return nil
		}, func(_ int, x []float64, r convex.Round) error {
			overwriteRound(r)
			fillWithNaN(x)
			return nil
		})
	})
}

// checkDraws plays every game with two seeds.
func checkDraws(a algorithms.Algorithm) error {
	run := func(g *game, k int) ([][]float64, error) {
		return g.playAll(startSeed(a, g, seed+uint64(k)<<32))
	}
	changed := func(*game) string { return "on two seeds" }
	return checkDependence(a, a.Draws, run, changed,
		"it is declared to draw, and plays the same on two seeds")
}

// checkDependence plays run 0 and run 1 of every game. If the learner is declared to depend on what
// differs between the runs, the actions must differ in some game, or else the error is unchanged.
// If it is not, they must be equal in every game, or else the error begins with changed.
func checkDependence(a algorithms.Algorithm, declared bool,
	run func(g *game, k int) ([][]float64, error),
	changed func(*game) string, unchanged string) error {
	same := true
	err := eachGame(a, fewGames(12), func(g *game) error {
		first, err := run(g, 0)
		if err != nil {
			return err
		}
		second, err := run(g, 1)
		if err != nil {
			return err
		}
		err = firstDifference(first, second, 0)
		same = same && err == nil
		if !declared && err != nil {
			return fmt.Errorf("%s, %w", changed(g), err)
		}
		return nil
	})
	if err == nil && same && declared {
		return errors.New(unchanged)
	}
	return err
}

// checkHandsOff compares the action, the round and the set that a learner was given with new ones
// of the same game, after every round.
func checkHandsOff(a algorithms.Algorithm) error {
	return eachPlayer(a, fewGames(12), func(g *game, p *player) error {
		var x []float64
		return g.play(p, func(_ int, shown []float64) error {
			x = slices.Clone(shown)
			return nil
		}, func(t int, shown []float64, r convex.Round) error {
			given := g.reveal(t)
			switch {
			case !slices.Equal(shown, x):
				return fmt.Errorf("round %d: Observe changed the action from %v to %v", t, x, shown)
			case !reflect.DeepEqual(r.Loss, given.Loss):
				return fmt.Errorf("round %d: Observe changed the loss from %+v to %+v", t, given.Loss, r.Loss)
			}
			for j, f := range given.Constraints {
				if !reflect.DeepEqual(r.Constraints[j], f) {
					return fmt.Errorf("round %d: Observe changed constraint %d from %+v to %+v", t, j+1, f,
						r.Constraints[j])
				}
			}
			if set := g.set(); !reflect.DeepEqual(p.set, set) {
				return fmt.Errorf("round %d: the set was %+v and is %+v", t, set, p.set)
			}
			return nil
		})
	})
}

// checkIndependent plays two games in turn, round by round, and compares the actions with those of
// each game played on its own.
func checkIndependent(a algorithms.Algorithm) error {
	return eachGame(a, fewGames(12), func(g *game) error {
		var players [2]*player
		var apart [2][][]float64
		pair := [2]*game{g, g.reseeded()}
		for k, g := range pair {
			var err error
			if apart[k], err = actionsOf(a, g); err != nil {
				return err
			}
			if players[k], err = startPlayer(a, g); err != nil {
				return err
			}
			defer players[k].close()
		}
		for t := 1; t <= g.rounds; t++ {
			for k, g := range pair {
				x, err := players[k].act()
				if err != nil {
					return err
				}
				if !slices.Equal(x, apart[k][t-1]) {
					return fmt.Errorf("action %d is %v in turn with another game, else %v", t, x, apart[k][t-1])
				}
				if err := players[k].observe(x, g.reveal(t)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// checkHorizon plays every game with the horizons T and 2T, without doubling, and compares the
// first T actions.
func checkHorizon(a algorithms.Algorithm) error {
	a, _ = withDoubling(a, false)
	run := func(g *game, k int) ([][]float64, error) {
		long := *g
		long.rounds *= 1 + k
		return long.playAll(startWith(a, g, long.rounds))
	}
	changed := func(g *game) string {
		return fmt.Sprintf("with the horizons %d and %d", g.rounds, 2*g.rounds)
	}
	return checkDependence(a, !a.AnytimeWith(a.Params), run, changed,
		"it is not declared anytime, but plays the same for every horizon")
}

// checkDoubling compares every epoch of a game with doubling with a game of the length of the epoch
// that is played without.
func checkDoubling(a algorithms.Algorithm) error {
	restarting, _ := withDoubling(a, true)
	return eachGame(a, fewGames(15), func(g *game) error {
		p, err := newPlayer(restarting, g, restarting.Start, 0, seed)
		if err != nil {
			return err
		}
		var epoch *player
		for t := 1; t <= g.rounds; t++ {
			if t&(t-1) == 0 {
				if epoch, err = startWith(a, g, t); err != nil {
					return err
				}
			}
			x, err := p.act()
			if err != nil {
				return err
			}
			want, err := epoch.act()
			if err != nil {
				return err
			}
			if !slices.Equal(x, want) {
				return fmt.Errorf("action %d is %v, and %v without doubling in an epoch of its own", t, x, want)
			}
			for _, p := range []*player{p, epoch} {
				if err := p.observe(x, g.reveal(t)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// withDoubling returns the algorithm with the parameter doubling set to on; ok is false if it has
// no such parameter.
func withDoubling(a algorithms.Algorithm, on bool) (algorithms.Algorithm, bool) {
	if a.Params == nil {
		return a, false
	}
	p := reflect.New(reflect.TypeOf(a.Params)).Elem()
	p.Set(reflect.ValueOf(a.Params))
	f := p.FieldByName("Epochs")
	if !f.IsValid() || f.Type() != reflect.TypeFor[algorithms.Epochs]() {
		return a, false
	}
	f.Set(reflect.ValueOf(algorithms.Epochs{Doubling: on}))
	a.Params = p.Interface()
	return a, true
}

// checkFeedback records the values, subgradients and forms that a learner asks for in a round, and
// checks that its feedback class allows each of them.
func checkFeedback(a algorithms.Algorithm) error {
	return eachPlayer(a, fewGames(12), func(g *game, p *player) error {
		x, err := p.act()
		if err != nil {
			return err
		}
		for t := 1; t <= g.rounds; t++ {
			var asked []query
			if err := p.observe(x, recordQueries(g.reveal(t), &asked)); err != nil {
				return err
			}
			next, err := p.act()
			if err != nil {
				return err
			}
			if a.Feedback == algorithms.TwoPoint {
				if err := checkTwoPointQueries(g, t, x, asked); err != nil {
					return fmt.Errorf("round %d: declared %s, %w", t, a.Feedback, err)
				}
				x = next
				continue
			}
			for _, q := range asked {
				atAction := q.method != "AddTo" && slices.Equal(q.x, x)
				ofConstraint := q.function > 0
				atNextAction := a.Feedback == algorithms.FirstOrderPlus && ofConstraint &&
					q.method == "Value" && slices.Equal(q.x, next)
				if !atAction && !atNextAction {
					return fmt.Errorf("round %d: declared %s, it asked for %v; x_t is %v and x_{t+1} %v", t,
						a.Feedback, q, x, next)
				}
			}
			x = next
		}
		return nil
	})
}

// checkTwoPointQueries checks what a learner with two-point feedback asked in round t: the values
// of every function at x + δ_t u and x − δ_t u, for one direction u, and nothing else.
func checkTwoPointQueries(g *game, t int, x []float64, asked []query) error {
	set := g.set()
	distance, err := algorithms.TwoPointDistance(set, t)
	if err != nil {
		return err
	}
	counts := make([]int, 1+g.m)
	var points [2][]float64
	for _, q := range asked {
		if q.method != "Value" {
			return fmt.Errorf("it asked for %v", q)
		}
		k := counts[q.function]
		if k == len(points) {
			return fmt.Errorf("it asked a third time for %v", q)
		}
		counts[q.function]++
		if points[k] == nil {
			points[k] = q.x
		}
		if !slices.Equal(points[k], q.x) {
			return fmt.Errorf("it asked for %v, and of another function at %v", q, points[k])
		}
		if r := set.Residual(q.x); !(r <= 1e-12) {
			return fmt.Errorf("it asked for %v, which is outside of the domain by %v", q, r)
		}
		if d := vec.Dist(q.x, x); !(math.Abs(d-distance) <= 1e-9*distance) {
			return fmt.Errorf("it asked for %v, at the distance %v from x_t and not %v", q, d, distance)
		}
	}
	for function, n := range counts {
		if n != len(points) {
			return fmt.Errorf("it asked for %d values of %v, want 2", n, functionName(function))
		}
	}
	for i := range x {
		if middle := points[0][i]/2 + points[1][i]/2; !(math.Abs(middle-x[i]) <= 1e-12) {
			return fmt.Errorf("it asked at %v and %v, whose middle is not x_t = %v", points[0], points[1], x)
		}
	}
	return nil
}

// query is one call of a method of a function by a learner.
type query struct {
	method   string // Value, Subgrad or AddTo
	function int    // 0 is the loss, j the constraint of this number
	x        []float64
}

// functionName names a function of a round: 0 is the loss, and j is constraint j.
func functionName(function int) string {
	if function == 0 {
		return "the loss"
	}
	return fmt.Sprintf("constraint %d", function)
}

// String says in messages what was asked.
func (q query) String() string {
	of := functionName(q.function)
	if q.method == "AddTo" {
		return "the whole of " + of
	}
	return fmt.Sprintf("the %s of %s at %v", q.method, of, q.x)
}

// recordingFunc records the calls of the methods of its function.
type recordingFunc struct {
	convex.Func
	function int
	queries  *[]query
}

// record appends a call of a method, with a copy of x.
func (s recordingFunc) record(method string, x []float64) {
	*s.queries = append(*s.queries, query{method, s.function, slices.Clone(x)})
}

// Value implements [convex.Func].
func (s recordingFunc) Value(x []float64) float64 {
	s.record("Value", x)
	return s.Func.Value(x)
}

// Subgrad implements [convex.Func].
func (s recordingFunc) Subgrad(dst, x []float64) {
	s.record("Subgrad", x)
	s.Func.Subgrad(dst, x)
}

// AddTo implements [convex.Func].
func (s recordingFunc) AddTo(dst *convex.Form, scale float64) {
	s.record("AddTo", nil)
	s.Func.AddTo(dst, scale)
}

// recordQueries returns the round with functions that append their calls to queries.
func recordQueries(r convex.Round, queries *[]query) convex.Round {
	recording := convex.Round{Loss: recordingFunc{r.Loss, 0, queries}}
	for j, g := range r.Constraints {
		recording.Constraints = append(recording.Constraints, recordingFunc{g, 1 + j, queries})
	}
	return recording
}

// compareVariants plays a game and a variant of it. The actions of the game, passed through image,
// must be those of the variant.
func compareVariants(a algorithms.Algorithm, g, variant *game,
	image func([]float64) []float64) error {
	var actions [2][][]float64
	tol := 0.0
	for k, g := range []*game{g, variant} {
		p, err := startPlayer(a, g)
		if err == nil {
			p.keepsGap = true
		}
		if actions[k], err = g.playAll(p, err); err != nil {
			return err
		}
		tol = max(tol, p.actionAccuracy(g))
	}
	for t, x := range actions[0] {
		actions[0][t] = image(x)
	}
	return firstDifference(actions[0], actions[1], tol)
}

// checkLossShift compares every game with the game in which a constant is added to all losses.
func checkLossShift(a algorithms.Algorithm) error {
	return eachGame(a, fewGames(12), func(g *game) error {
		return compareVariants(a, g, g.shifted(3.25), func(x []float64) []float64 { return x })
	})
}

// checkUnits compares every game with games in which the losses, the constraints and the facts
// about them are multiplied by a factor.
func checkUnits(a algorithms.Algorithm) error {
	const tolerance = 1e-6 // of the diameter, for rounding and for the accuracy of minimisations
	var difference error
	err := eachGame(a, fewGames(12), func(g *game) error {
		if difference != nil {
			return nil
		}
		want, err := actionsOf(a, g)
		if err != nil {
			return err
		}
		for _, by := range []float64{1e-9, 1e-3, 1e6, 1e12} {
			got, err := actionsOf(a, g.inUnit(by))
			if err == nil {
				err = firstDifference(want, got, tolerance*g.set().Diameter())
			}
			if err != nil && difference == nil {
				difference = fmt.Errorf("in the game %v, times %g: %w", g, by, err)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case a.UnitFree:
		return difference
	case difference == nil:
		return errors.New("it plays the same in every unit, and is not declared unit-free")
	}
	return nil
}

// checkCoordinates compares every game with the game whose coordinates are permuted.
func checkCoordinates(a algorithms.Algorithm) error {
	return eachGame(a, newGames(12, []int{2, 4}, []int{0, 2}), func(g *game) error {
		perm := []int{1, 0}
		if g.n == 4 {
			perm = []int{2, 0, 3, 1}
		}
		v := g.permuted(perm)
		return compareVariants(a, g, v, v.permute)
	})
}

// checkOrder compares every game with the game whose constraints are permuted.
func checkOrder(a algorithms.Algorithm) error {
	return eachGame(a, newGames(12, []int{1, 3}, []int{2, 3}), func(g *game) error {
		order := []int{1, 0}
		if g.m == 3 {
			order = []int{2, 0, 1}
		}
		return compareVariants(a, g, g.reordered(order), func(x []float64) []float64 { return x })
	})
}

// checkBounds compares, in every round of every game, the proven bounds of an algorithm with the
// metric that the claim is about. Games that lack the assumptions of the algorithm are not played.
func checkBounds(a algorithms.Algorithm) error {
	return eachGame(a, fewGames(40), func(g *game) error {
		if len(a.Unmet(g.facts())) > 0 {
			return nil
		}
		actions, err := actionsOf(a, g)
		if err != nil {
			return err
		}
		for _, c := range a.ClaimsOf(a.Params) {
			if !c.Proven() {
				continue
			}
			bound, err := c.Limit(g.setup(g.rounds))
			if err != nil {
				continue
			}
			values, lastBound := metricValues(g, actions, c.Metric), 0.0
			for t := 1; t <= g.rounds; t++ {
				value, b := values[t-1], bound(t, g.maxMotion(t))
				if !(b >= 0) || b < lastBound && c.Metric != algorithms.SoftViolation {
					return fmt.Errorf("the bound of %s is %v at round %d, after %v", c.Metric, b, t, lastBound)
				}
				if !math.IsInf(b, 1) {
					lastBound = b
				}
				if value > b*(1+1e-9)+1e-9*float64(t) {
					return fmt.Errorf("%s is %v at round %d, the bound is %v", c.Metric, value, t, b)
				}
			}
		}
		return nil
	})
}

// metricValues returns the values of a metric after each round of a game with these actions. For a
// regret of any kind it is the regret against the interior point, which is feasible in every round,
// so that the regret is no less.
func metricValues(g *game, actions [][]float64, metric algorithms.Metric) (values []float64) {
	regret, hard, squared, penalty, largest, ccv, norm := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	sums, functionSums := make([]float64, g.m), make([]*convex.Form, g.m)
	for j := range functionSums {
		functionSums[j] = convex.NewForm(g.n)
	}
	for t, x := range actions {
		r := g.reveal(t + 1)
		regret += r.Loss.Value(x) - r.Loss.Value(g.interiorPoint())
		soft, largestOfRound, squaresOfRound := 0.0, 0.0, 0.0
		for j, f := range r.Constraints {
			violation := max(0, f.Value(x))
			sums[j] += f.Value(x)
			soft += max(0, sums[j])
			hard += violation
			squaresOfRound += violation * violation
			largestOfRound = max(largestOfRound, violation)
			f.AddTo(functionSums[j], 1)
			penalty += max(0, functionSums[j].Value(x)) / float64(t+1)
		}
		squared += squaresOfRound
		largest = max(largest, largestOfRound)
		ccv += largestOfRound
		norm += math.Sqrt(squaresOfRound)
		value := regret
		switch metric {
		case algorithms.SoftViolation:
			value = soft
		case algorithms.HardViolation:
			value = hard
		case algorithms.SquaredViolation:
			value = squared
		case algorithms.PenaltyViolation:
			value = penalty
		case algorithms.MaxViolation:
			value = largest
		case algorithms.CCViolation:
			value = ccv
		case algorithms.NormViolation:
			value = norm
		}
		values = append(values, value)
	}
	return values
}

// maxMotion returns an upper bound on how far rounds 1, …, t can have moved.
func (g *game) maxMotion(t int) algorithms.Motion {
	f, before := g.facts(), float64(t-1)
	m := algorithms.Motion{Path: before * f.Diameter}
	if !f.Fixed && t > 1 {
		m.Variation, m.Steepest = before*2*f.ConstraintBound, 2*float64(g.m)*f.ConstraintBound
		m.Rise = before * m.Steepest
	}
	return m
}

// ignoresConstraints reports whether an algorithm is meant to use losses alone: it claims nothing
// but regret against the whole domain.
func ignoresConstraints(a algorithms.Algorithm) bool {
	claims := a.ClaimsOf(a.Params)
	return len(claims) == 1 && claims[0].Metric == algorithms.RegretDomain
}

// checkReaction plays every game twice, with constraints that are satisfied by far, and with
// constraints that are violated from the first action on, since a cautious learner may need many
// rounds to reach a constraint. The actions must differ. The losses have one minimiser, or are
// affine and alternate.
func checkReaction(a algorithms.Algorithm) error {
	return eachGame(a, newGames(40, []int{2}, []int{1, 3}), func(g *game) error {
		var actions [2][][]float64
		for k, offset := range []float64{-10, 0.1} {
			p, err := startPlayer(a, g)
			if err != nil {
				return err
			}
			defer p.close()
			for t := 1; t <= g.rounds; t++ {
				sign := float64(1 - 2*(t%2))
				r := convex.Round{Loss: &convex.Affine{A: []float64{0.8 * sign, 0.6 * sign}}}
				if g.kind == "quadratic" {
					r.Loss = &convex.HalfSquaredDistance{Weight: 1, Center: []float64{0.4, 0.3}}
				}
				for range g.m {
					r.Constraints = append(r.Constraints, &convex.Affine{A: []float64{1, -0.5}, B: offset})
				}
				x, err := p.act()
				if err == nil {
					actions[k] = append(actions[k], x)
					err = p.observe(x, r)
				}
				if err != nil && k == 1 { // a learner may demand a feasible first action
					return nil
				}
				if err != nil {
					return err
				}
			}
		}
		if firstDifference(actions[0], actions[1], 1e-12) == nil {
			return fmt.Errorf("it plays the same whether x_1 − x_2/2 ≤ 10 or ≤ −0.1, up to %v",
				actions[0][g.rounds-1])
		}
		return nil
	})
}

// checkNonFinite plays games in which one round has a number that is not finite, each kind of
// badNumbers in turn.
func checkNonFinite(a algorithms.Algorithm) error {
	for _, bad := range badNumbers {
		err := eachGame(a, newGames(6, []int{1, 3}, []int{2}), func(g *game) error {
			return withinTime(20*time.Second, func() error {
				noticed, err := playFault(a, g, bad.spoil)
				if err != nil {
					return err
				}
				mustNotice := bad.mustNotice && !(bad.inConstraint && ignoresConstraints(a))
				if mustNotice && !noticed {
					return errors.New("no error is returned by Observe, and all actions stayed finite")
				}
				return nil
			})
		})
		if err != nil {
			return fmt.Errorf("with %s: %w", bad.name, err)
		}
	}
	return nil
}

// badNumbers lists numbers that are not finite, or nearly so, and where they stand.
var badNumbers = []struct {
	name         string
	inConstraint bool
	// mustNotice says that every learner that looks at values and gradients at x_t must notice it.
	mustNotice bool
	spoil      func(r convex.Round, n int) // n is the dimension
}{
	{name: "a NaN in a loss's gradient", mustNotice: true, spoil: func(r convex.Round, n int) {
		r.Loss.(*convex.Affine).A[n-1] = math.NaN()
	}},
	{name: "an infinite loss", spoil: func(r convex.Round, _ int) {
		r.Loss.(*convex.Affine).A[0] = math.Inf(1)
	}},
	{name: "a NaN in a constraint's value", inConstraint: true, mustNotice: true,
		spoil: func(r convex.Round, _ int) {
			for _, g := range r.Constraints { // whichever is looked at
				g.(*convex.Affine).B = math.NaN()
			}
		}},
	{name: "a NaN in a constraint's gradient", inConstraint: true,
		spoil: func(r convex.Round, _ int) {
			r.Constraints[1].(*convex.Affine).A[0] = math.NaN()
		}},
	{name: "an infinite constraint", inConstraint: true, spoil: func(r convex.Round, _ int) {
		r.Constraints[0].(*convex.Affine).B = math.Inf(1)
	}},
	{name: "an infinitely steep constraint", inConstraint: true,
		spoil: func(r convex.Round, _ int) {
			r.Constraints[0].(*convex.Affine).A[0] = math.Inf(-1)
		}},
	{name: "numbers near the largest", inConstraint: true, spoil: func(r convex.Round, _ int) {
		r.Constraints[0].(*convex.Affine).A[0] = math.MaxFloat64
		r.Constraints[1].(*convex.Affine).B = -math.MaxFloat64
	}},
}

// playFault plays an affine game whose third round is spoilt. noticed is true if that leads to an
// error of the learner or to an action that is not a number. A panic is returned as err.
func playFault(a algorithms.Algorithm, g *game, spoil func(convex.Round, int)) (noticed bool,
	err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	affine := *g
	affine.kind = "affine"
	p, err := startPlayer(a, &affine)
	if err != nil {
		return false, err
	}
	for t := 1; t <= g.rounds; t++ {
		x, err := p.act()
		if err != nil || slices.ContainsFunc(x, math.IsNaN) {
			return true, nil
		}
		r := affine.reveal(t)
		if t == 3 {
			spoil(r, g.n)
		}
		if p.observe(x, r) != nil {
			return true, nil
		}
	}
	return false, nil
}

// withinTime returns the result of f, or an error if f does not return in time. Then f goes on in
// its goroutine.
func withinTime(limit time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("no result after %v", limit)
	}
}

// checkAllocations checks that a round of an affine game does not allocate.
func checkAllocations(a algorithms.Algorithm) error {
	allocs, err := Allocations(a)
	if err == nil && allocs != 0 {
		err = fmt.Errorf("a round makes %v allocations", allocs)
	}
	return err
}

// Allocations returns the largest number of allocations of a round of an affine game, in Act and
// Observe together.
func Allocations(a algorithms.Algorithm) (float64, error) {
	worst := 0.0
	games := slices.DeleteFunc(fewGames(1000), func(g *game) bool { return g.kind != "affine" })
	err := eachPlayer(a, games, func(g *game, p *player) (err error) {
		rounds := []convex.Round{g.reveal(1), g.reveal(2), g.reveal(3)}
		x := make([]float64, g.n)
		t := 0
		worst = max(worst, testing.AllocsPerRun(200, func() {
			p.learner.Act(x)
			if e := p.learner.Observe(x, rounds[t%3]); e != nil {
				err = e
			}
			t++
		}))
		return err
	})
	return worst, err
}
