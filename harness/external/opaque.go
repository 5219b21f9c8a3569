package external

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/problems"
)

// Of an opaque problem functions are known by values and subgradients alone. A round is revealed
// with those at the action that was played. What else is asked for costs a call: value has them at
// another point, and evaluate has sums and maxima over rounds.
//
// Nothing says of such a function that it is convex, that it stays the same, and that another game
// has the same one. In the rounds in which games are compared, the round is therefore evaluated at
// a second point too, which no learner chooses: the values there are those of every other game, and
// each of the two points lies above the tangent of the other. Before sums are used, and at the end,
// these rounds are evaluated again at their actions.

// opaqueStream is a stream of an opaque problem.
type opaqueStream struct{ *stream }

// opaque holds what a stream of an opaque problem knows of its rounds.
type opaque struct {
	origin []float64      // the point of the domain next to 0: the action where nobody plays
	round  *opaqueRound   // the last one
	probed []*opaqueRound // the rounds in which games are compared
	record record         // of their values at points that no learner chooses

	verified bool // before sums were used
}

// opaqueRound is a round of which some functions are opaque. These share it.
type opaqueRound struct {
	stream *stream
	t      int
	own    []int   // the numbers of its opaque functions, 0 being the loss
	known  []point // the action that was played, then other points, the last one first
}

// point holds the values and subgradients of the functions of a round at a point: of the loss, then
// of every constraint. At the action that was played it has those of opaque functions only.
type point struct {
	x  []float64
	at []problems.Oracle
}

// keptPoints is how many points of a round are kept.
const keptPoints = 4

// opaqueFunc is an opaque function of a round.
type opaqueFunc struct{ *convex.Single }

// Opaque marks the function.
func (opaqueFunc) Opaque() {}

// functionOf evaluates a function of an opaqueRound.
type functionOf struct {
	round *opaqueRound
	k     int // 0 is the loss
}

// Value implements [convex.Evaluator]. It is NaN where the program has failed.
func (f functionOf) Value(x []float64) float64 { return f.round.at(x)[f.k].Value }

// Subgrad implements [convex.Evaluator].
func (f functionOf) Subgrad(dst, x []float64) { copy(dst, f.round.at(x)[f.k].Subgradient) }

// at returns the values and subgradients at x, and asks for them if they are not known.
func (r *opaqueRound) at(x []float64) []problems.Oracle {
	for _, p := range r.known {
		if slices.Equal(p.x, x) {
			return p.at
		}
	}
	at := r.ask(x)
	if len(r.known) == keptPoints {
		r.known = r.known[:keptPoints-1]
	}
	r.known = slices.Insert(r.known, 1, point{slices.Clone(x), at})
	return at
}

// ask calls value. Where it fails, the stream has the error, and the numbers are NaN.
func (r *opaqueRound) ask(x []float64) []problems.Oracle {
	s := r.stream
	var at []problems.Oracle
	s.call("value", s.program.options.Timeout, func(w *wire.Writer) {
		w.Text(`"t":`)
		w.Int(r.t)
		w.Text(`,"x":`)
		w.Numbers(x)
	}, func() {
		at = make([]problems.Oracle, 1, 1+s.M)
		given := s.reader.Object("the answer", roundKeys, func(key string) {
			if key == "loss" {
				at[0] = s.oracle("the loss")
				return
			}
			at = append(at[:1], s.oracles("constraints")...)
		})
		s.reader.Require("the answer", given, roundKeys, roundKeys...)
	})
	if s.err != nil {
		nothing := problems.Oracle{Value: math.NaN(), Subgradient: slices.Repeat(
			[]float64{math.NaN()}, s.Domain.Dim())}
		return slices.Repeat([]problems.Oracle{nothing}, 1+s.M)
	}
	return at
}

// The members of a function at a point, of the answer to evaluate and of one of its sums.
var (
	oracleKeys = []string{"value", "subgradient", "round"}
	answerKeys = []string{"sums", "single"}
	sumsKeys   = []string{"loss", "total", "largest", "prefix"}
)

// oracle reads the value and the subgradient of a function at a point.
func (s *stream) oracle(name string) (o problems.Oracle) {
	r := &s.reader
	given := r.Object(name, oracleKeys, func(key string) {
		switch key {
		case "value":
			o.Value = r.Number("value of " + name)
		case "subgradient":
			o.Subgradient = r.Numbers("subgradient of "+name, nil, s.Domain.Dim())
		case "round":
			o.Round = r.Integer("round of "+name, 1, math.MaxInt32, "")
		}
	})
	r.Require(name, given, oracleKeys, oracleKeys[:2]...)
	return o
}

// oracles reads a list of what oracle reads, one for every constraint.
func (s *stream) oracles(what string) (list []problems.Oracle) {
	s.forms(what, func(f *function) { list = append(list, s.oracle(f.name)) })
	return list
}

// newRound returns the round of the functions that were read, which were revealed at x.
func (s *stream) newRound(t int, x []float64) *opaqueRound {
	r := &opaqueRound{stream: s, t: t, known: []point{{slices.Clone(x),
		make([]problems.Oracle, len(s.funcs))}}}
	for k, f := range s.funcs {
		if f.own {
			r.own = append(r.own, k)
			r.known[0].at[k] = problems.Oracle{Value: f.value,
				Subgradient: slices.Clone(f.subgradient)}
		}
	}
	return r
}

// probe evaluates a round at a point that depends on the number of the round alone, and compares
// what is known of the round there and at the action.
func (s *stream) probe(r *opaqueRound) {
	o := s.opaque
	x, y := make([]float64, s.Domain.Dim()), make([]float64, s.Domain.Dim())
	rng := rand.New(rand.NewPCG(1, uint64(r.t)))
	const corners = 3 // whose mean is seldom at the boundary
	for range corners {
		for i := range y {
			y[i] = o.origin[i] + float64(s.Domain.Diameter()*(float64(rng.Float64())-0.5))
		}
		s.Domain.Project(y, y)
		vec.Axpy(x, 1./corners, y)
	}
	s.Domain.Project(x, x)
	at := r.at(x)
	if s.err != nil {
		return
	}
	o.probed = append(o.probed, r)
	o.record.call("value", strconv.AppendInt(nil, int64(r.t), 10))
	action := r.known[0]
	for _, k := range r.own {
		o.record.answer([]float64{at[k].Value})
		o.record.answer(at[k].Subgradient)
		for _, pair := range [][2]point{{action, {x, at}}, {{x, at}, action}} {
			if s.err = aboveTangent(pair[0].x, pair[1].x, pair[0].at[k], pair[1].at[k]); s.err != nil {
				s.err = s.process.fail("%s of round %d %w", s.funcs[k].name, r.t, s.err)
				return
			}
		}
	}
	if !s.Declared.Adaptive && !o.record.same() { // with the rounds of any actions
		s.err = s.process.fail("%s", o.record.complaint(r.t))
	}
}

// tangentError is how far, as a part of the numbers that it is made of, a tangent may be above the
// function: subgradients may be differences.
const tangentError = 1e-5

// aboveTangent returns an error if the value at y is below the tangent at x.
func aboveTangent(x, y []float64, atX, atY problems.Oracle) error {
	rise, size := 0.0, math.Abs(atX.Value)+math.Abs(atY.Value)
	for i, g := range atX.Subgradient {
		step := float64(g * (y[i] - x[i]))
		rise += step
		size += math.Abs(step)
	}
	if tangent := atX.Value + rise; !(atY.Value >= tangent-float64(tangentError*size)) {
		return fmt.Errorf("is %v at %s, below %v, its tangent at %s: it is not convex, or its gradient "+
			"is another function's, or none was given and it has a kink there", atY.Value, shownPoint(y),
			tangent, shownPoint(x))
	}
	return nil
}

// shownPoint writes a point as a list of at most ten numbers.
func shownPoint(x []float64) string {
	const most = 10
	var words []string
	for _, v := range x[:min(len(x), most)] {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	if len(x) > most {
		words = append(words, "…")
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// sameError is how far, as a part of its size, what is evaluated again may differ: libraries may
// add numbers in another order.
const sameError = 1e-9

// verify evaluates the rounds in which games are compared again, at their actions. A function that
// has changed since it was revealed is an error.
func (s *stream) verify() {
	for _, r := range s.opaque.probed {
		action := r.known[0]
		again := r.ask(action.x)
		for _, k := range r.own {
			if s.err != nil {
				return
			}
			if !near(again[k], action.at[k], s.Domain.Diameter()) {
				s.err = s.process.fail("%s of round %d was revealed with the value %v and the subgradient %s "+
					"at %s, and has the value %v and the subgradient %s there now; a function must not change: "+
					"it may read what a later round has replaced", s.funcs[k].name, r.t, action.at[k].Value,
					shownPoint(action.at[k].Subgradient), shownPoint(action.x), again[k].Value,
					shownPoint(again[k].Subgradient))
			}
		}
	}
}

// near reports whether two functions have the same value and subgradient at a point, up to
// rounding, on a domain of this diameter.
func near(a, b problems.Oracle, diameter float64) bool {
	size := math.Abs(a.Value) + float64(diameter*vec.Norm(a.Subgradient))
	return math.Abs(a.Value-b.Value) <= float64(sameError*size) &&
		float64(diameter*vec.Dist(a.Subgradient, b.Subgradient)) <= float64(sameError*size)
}

// roundsPerSecond is how many rounds a program has to evaluate in a second, at least, beyond the
// limit of an answer.
const roundsPerSecond = 1000

// maxNumbers is how many numbers an answer to evaluate may have.
const maxNumbers = maxMessage / 2 / 26

// Evaluate implements [problems.Evaluator].
func (s opaqueStream) Evaluate(rounds, single []int, x []float64) (all []problems.Sums,
	of [][]problems.Oracle, err error) {
	if !s.opaque.verified {
		s.opaque.verified = true
		s.verify()
	}
	most := max(1, maxNumbers/((1+3*s.M)*(1+len(x))))
	for len(rounds)+len(single) > 0 {
		some, ones := rounds[:min(most, len(rounds))], single[:min(most, len(single))]
		rounds, single = rounds[len(some):], single[len(ones):]
		limit := s.program.options.Timeout
		if len(some) > 0 {
			limit += time.Duration(some[len(some)-1]) * time.Second / roundsPerSecond
		}
		s.call("evaluate", limit, func(w *wire.Writer) {
			w.Text(`"rounds":`)
			w.JSON(append([]int{}, some...))
			w.Text(`,"x":`)
			w.Numbers(x)
			if len(ones) > 0 {
				w.Text(`,"single":`)
				w.JSON(ones)
			}
		}, func() {
			sums, constraints := s.sums(some, len(ones))
			all, of = append(all, sums...), append(of, constraints...)
		})
		if s.err != nil {
			return nil, nil, s.err
		}
	}
	return all, of, nil
}

// sums reads the answer to evaluate for some rounds, and so many single ones.
func (s *stream) sums(rounds []int, single int) (all []problems.Sums, of [][]problems.Oracle) {
	r := &s.reader
	given := r.Object("the answer", answerKeys, func(key string) {
		at := r.At
		if key == "single" {
			r.Array(key, func(int) { of = append(of, s.oracles("an element of single")) })
			if r.Err == nil && len(of) != single {
				r.Fault(at, "single has length %d, expected %d", len(of), single)
			}
			return
		}
		r.Array("sums", func(int) {
			var sums problems.Sums
			given := r.Object("an element of sums", sumsKeys, func(key string) {
				switch key {
				case "loss":
					sums.Loss = s.oracle("the loss")
				case "total":
					sums.Total = s.oracles(key)
				case "largest":
					sums.Largest = s.oracles(key)
				case "prefix":
					sums.Prefix = s.oracles(key)
				}
			})
			for _, o := range slices.Concat(sums.Largest, sums.Prefix) {
				if last := rounds[min(len(all), len(rounds)-1)]; r.Err == nil && o.Round > last {
					r.Fault(at, "a maximum over %d rounds is reached at round %d", last, o.Round)
				}
			}
			r.Require("an element of sums", given, sumsKeys, sumsKeys...)
			all = append(all, sums)
		})
		if r.Err == nil && len(all) != len(rounds) {
			r.Fault(at, "sums has length %d, expected %d, the number of rounds", len(all), len(rounds))
		}
	})
	r.Require("the answer", given, answerKeys, answerKeys[:1+min(single, 1)]...)
	return all, of
}

// function returns a function of the last round.
func (s *stream) function(f *function) convex.Func {
	if !f.own {
		return f.read.Func()
	}
	return opaqueFunc{&convex.Single{Of: functionOf{s.opaque.round, f.number}}}
}
