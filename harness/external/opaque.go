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

// The functions of an opaque problem are known by values and subgradients alone. A round is
// revealed with those at the action that was played. Anything else costs a call: value returns them
// at another point, and evaluate returns sums and maxima over rounds.
//
// Nothing guarantees that such a function is convex, that it stays the same, and that it is the
// same in another game. In the rounds in which games are compared, the functions are therefore
// evaluated at a second point too, which no learner chooses. The values there must be those of
// every other game, and each of the two points must lie above the tangent of the other. Before sums
// are used, and at the end, these rounds are evaluated again at their actions.

// opaqueStream adds [problems.Evaluator] to the stream of an opaque problem.
type opaqueStream struct{ *stream }

// opaque holds what a stream of an opaque problem knows of its rounds.
type opaque struct {
	origin      []float64      // the point of the domain next to 0: the action where nobody plays
	round       *opaqueRound   // the last one
	probed      []*opaqueRound // the rounds in which games are compared
	probeRecord record         // the values of probed rounds at points that no learner chooses
	verified    bool           // verifyProbed has been called before the first sums
}

// opaqueRound holds what is known of a round with opaque functions, which share it.
type opaqueRound struct {
	stream      *stream
	t           int
	opaqueFuncs []int        // the numbers of its opaque functions, 0 being the loss
	known       []knownPoint // the action that was played, then other points, the last one first
}

// knownPoint holds the values and subgradients of the functions of a round at a point: of the loss,
// then of every constraint. Of the action that was played it has only those of opaque functions.
type knownPoint struct {
	x       []float64
	oracles []problems.Oracle
}

// keptPoints limits the points of a round whose values are kept.
const keptPoints = 4

// newOpaqueRound returns round t, whose functions were just read and have their values at x.
func (s *stream) newOpaqueRound(t int, x []float64) *opaqueRound {
	r := &opaqueRound{stream: s, t: t, known: []knownPoint{{slices.Clone(x),
		make([]problems.Oracle, len(s.functions))}}}
	for k, f := range s.functions {
		if f.isOpaque {
			r.opaqueFuncs = append(r.opaqueFuncs, k)
			r.known[0].oracles[k] = problems.Oracle{Value: f.value,
				Subgradient: slices.Clone(f.subgradient)}
		}
	}
	return r
}

// revealedFunc returns a function of the last round as it is shown to learners.
func (s *stream) revealedFunc(f *function) convex.Func {
	if !f.isOpaque {
		return f.parsed.Func()
	}
	return opaqueFunc{&convex.Single{Of: functionOf{s.opaque.round, f.number}}}
}

// opaqueFunc is an opaque function of a round, as [convex.Func].
type opaqueFunc struct{ *convex.Single }

// Opaque marks the function.
func (opaqueFunc) Opaque() {}

// functionOf evaluates one function of an opaqueRound.
type functionOf struct {
	round *opaqueRound
	index int // 0 is the loss
}

// Value implements [convex.Evaluator]. It is NaN where the program has failed.
func (f functionOf) Value(x []float64) float64 { return f.round.oraclesAt(x)[f.index].Value }

// Subgrad implements [convex.Evaluator].
func (f functionOf) Subgrad(dst, x []float64) {
	copy(dst, f.round.oraclesAt(x)[f.index].Subgradient)
}

// oraclesAt returns the values and subgradients at x, and asks for them if they are not known.
func (r *opaqueRound) oraclesAt(x []float64) []problems.Oracle {
	for _, p := range r.known {
		if slices.Equal(p.x, x) {
			return p.oracles
		}
	}
	oracles := r.requestOracles(x)
	if len(r.known) == keptPoints {
		r.known = r.known[:keptPoints-1]
	}
	r.known = slices.Insert(r.known, 1, knownPoint{slices.Clone(x), oracles})
	return oracles
}

// requestOracles calls value. Where it fails, the stream has the error, and the numbers are NaN.
func (r *opaqueRound) requestOracles(x []float64) []problems.Oracle {
	s := r.stream
	var oracles []problems.Oracle
	s.call("value", s.program.options.Timeout, func(w *wire.Writer) {
		w.Text(`"t":`)
		w.Int(r.t)
		w.Text(`,"x":`)
		w.Numbers(x)
	}, func() {
		oracles = make([]problems.Oracle, 1, 1+s.M)
		given := s.reader.Object("the answer", roundKeys, func(key string) {
			if key == "loss" {
				oracles[0] = s.readOracle("the loss")
				return
			}
			oracles = append(oracles[:1], s.readOracles("constraints")...)
		})
		s.reader.Require("the answer", given, roundKeys, roundKeys...)
	})
	if s.err != nil {
		nothing := problems.Oracle{Value: math.NaN(), Subgradient: slices.Repeat(
			[]float64{math.NaN()}, s.Domain.Dim())}
		return slices.Repeat([]problems.Oracle{nothing}, 1+s.M)
	}
	return oracles
}

// The members of a function at a point, of the answer to evaluate and of one of its sums.
var (
	oracleKeys = []string{"value", "subgradient", "round"}
	answerKeys = []string{"sums", "single"}
	sumsKeys   = []string{"loss", "total", "largest", "prefix"}
)

// readOracle reads the value and the subgradient of a function at a point.
func (s *stream) readOracle(name string) (o problems.Oracle) {
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
	r.Require(name, given, oracleKeys, "value", "subgradient")
	return o
}

// readOracles reads a list of values and subgradients, one for every constraint.
func (s *stream) readOracles(what string) (list []problems.Oracle) {
	s.readPerConstraint(what, func(f *function) { list = append(list, s.readOracle(f.name)) })
	return list
}

// probeRound evaluates a round at a point that depends on the number of the round alone, and
// compares what is known of the round there and at the action.
func (s *stream) probeRound(r *opaqueRound) {
	o := s.opaque
	x, y := make([]float64, s.Domain.Dim()), make([]float64, s.Domain.Dim())
	rng := rand.New(rand.NewPCG(1, uint64(r.t)))
	// The mean of several random points, which are mostly on the boundary, is seldom on it.
	const points = 3
	for range points {
		for i := range y {
			y[i] = o.origin[i] + float64(s.Domain.Diameter()*(float64(rng.Float64())-0.5))
		}
		s.Domain.Project(y, y)
		vec.Axpy(x, 1./points, y)
	}
	s.Domain.Project(x, x)
	oracles := r.oraclesAt(x)
	if s.err != nil {
		return
	}
	o.probed = append(o.probed, r)
	o.probeRecord.addCall("value", strconv.AppendInt(nil, int64(r.t), 10))
	action := r.known[0]
	for _, k := range r.opaqueFuncs {
		o.probeRecord.addAnswer([]float64{oracles[k].Value})
		o.probeRecord.addAnswer(oracles[k].Subgradient)
		err := aboveTangent(action.x, x, action.oracles[k], oracles[k])
		if err == nil {
			err = aboveTangent(x, action.x, oracles[k], action.oracles[k])
		}
		if err != nil {
			s.fail("%s of round %d %w", s.functions[k].name, r.t, err)
			return
		}
	}
	// Rounds that do not adapt are the same whatever was played.
	if !s.Declared.Adaptive {
		s.compare(&o.probeRecord, r.t)
	}
}

// maxTangentError limits how far a tangent may be above the function, relative to the sizes of the
// numbers that were added: subgradients may be finite differences.
const maxTangentError = 1e-5

// aboveTangent returns an error if the value at y is below the tangent at x.
func aboveTangent(x, y []float64, atX, atY problems.Oracle) error {
	rise, size := 0.0, math.Abs(atX.Value)+math.Abs(atY.Value)
	for i, g := range atX.Subgradient {
		step := float64(g * (y[i] - x[i]))
		rise += step
		size += math.Abs(step)
	}
	if tangent := atX.Value + rise; !(atY.Value >= tangent-float64(maxTangentError*size)) {
		return fmt.Errorf("is %v at %s, below %v, its tangent at %s: it is not convex, or its gradient "+
			"is another function's, or none was given and it has a kink there", atY.Value, shownPoint(y),
			tangent, shownPoint(x))
	}
	return nil
}

// shownPoint writes a point as a list of at most ten numbers.
func shownPoint(x []float64) string {
	const maxCoordinates = 10
	var words []string
	for _, v := range x[:min(len(x), maxCoordinates)] {
		words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
	}
	if len(x) > maxCoordinates {
		words = append(words, "…")
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// maxRelativeChange limits the difference between two evaluations of a function, relative to its
// size: libraries may add numbers in another order.
const maxRelativeChange = 1e-9

// verifyProbed evaluates again, at their actions, the rounds in which games are compared. A
// function that has changed since it was revealed is an error.
func (s *stream) verifyProbed() {
	for _, r := range s.opaque.probed {
		action := r.known[0]
		again := r.requestOracles(action.x)
		for _, k := range r.opaqueFuncs {
			if s.err != nil {
				return
			}
			if !sameUpToRounding(again[k], action.oracles[k], s.Domain.Diameter()) {
				s.fail("%s of round %d was revealed with the value %v and the subgradient %s "+
					"at %s, and has the value %v and the subgradient %s there now; a function must not change: "+
					"it may read what a later round has replaced", s.functions[k].name, r.t,
					action.oracles[k].Value,
					shownPoint(action.oracles[k].Subgradient), shownPoint(action.x), again[k].Value,
					shownPoint(again[k].Subgradient))
			}
		}
	}
}

// sameUpToRounding reports whether two functions have the same value and subgradient at a point, up
// to rounding, on a domain of this diameter.
func sameUpToRounding(a, b problems.Oracle, diameter float64) bool {
	size := math.Abs(a.Value) + float64(diameter*vec.Norm(a.Subgradient))
	return math.Abs(a.Value-b.Value) <= float64(maxRelativeChange*size) &&
		float64(diameter*vec.Dist(a.Subgradient, b.Subgradient)) <= float64(maxRelativeChange*size)
}

// roundsPerSecond extends the time limit of an answer to evaluate by one second for so many rounds.
const roundsPerSecond = 1000

// maxNumbers limits the numbers of an answer to evaluate: of at most 26 bytes each, with a comma,
// they take half of the largest message.
const maxNumbers = maxMessage / 2 / 26

// Evaluate implements [problems.Evaluator]. It asks in batches that fit into one message.
func (s opaqueStream) Evaluate(rounds, single []int, x []float64) (all []problems.Sums,
	singles [][]problems.Oracle, err error) {
	if !s.opaque.verified {
		s.opaque.verified = true
		s.verifyProbed()
	}
	batchSize := max(1, maxNumbers/((1+3*s.M)*(1+len(x))))
	for len(rounds)+len(single) > 0 {
		batch, singleBatch := rounds[:min(batchSize, len(rounds))], single[:min(batchSize, len(single))]
		rounds, single = rounds[len(batch):], single[len(singleBatch):]
		limit := s.program.options.Timeout
		if len(batch) > 0 {
			limit += time.Duration(batch[len(batch)-1]) * time.Second / roundsPerSecond
		}
		s.call("evaluate", limit, func(w *wire.Writer) {
			w.Text(`"rounds":`)
			w.JSON(append([]int{}, batch...))
			w.Text(`,"x":`)
			w.Numbers(x)
			if len(singleBatch) > 0 {
				w.Text(`,"single":`)
				w.JSON(singleBatch)
			}
		}, func() {
			sums, constraints := s.readSums(batch, len(singleBatch))
			all, singles = append(all, sums...), append(singles, constraints...)
		})
		if s.err != nil {
			return nil, nil, s.err
		}
	}
	return all, singles, nil
}

// readSums reads the answer to evaluate: the sums up to each of some rounds, and the constraints of
// so many single rounds.
func (s *stream) readSums(rounds []int, single int) (all []problems.Sums,
	singles [][]problems.Oracle) {
	r := &s.reader
	given := r.Object("the answer", answerKeys, func(key string) {
		at := r.At
		if key == "single" {
			r.Array(key, func(int) { singles = append(singles, s.readOracles("an element of single")) })
			if r.Err == nil && len(singles) != single {
				r.Fault(at, "single has length %d, expected %d", len(singles), single)
			}
			return
		}
		r.Array("sums", func(int) {
			var sums problems.Sums
			given := r.Object("an element of sums", sumsKeys, func(key string) {
				switch key {
				case "loss":
					sums.Loss = s.readOracle("the loss")
				case "total":
					sums.Total = s.readOracles(key)
				case "largest":
					sums.Largest = s.readOracles(key)
				case "prefix":
					sums.Prefix = s.readOracles(key)
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
	required := answerKeys[:1]
	if single > 0 {
		required = answerKeys
	}
	r.Require("the answer", given, answerKeys, required...)
	return all, singles
}
