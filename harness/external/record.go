package external

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
)

// record holds hashes of the calls and of the answers of a game. The same calls must have the
// same answers. In rounds 1 to 32, 64, 128, …, and when the game is over, the hash of all answers
// so far is therefore compared with the hash in an earlier game with the same calls.
//
// The calls of a problem that is not adaptive do not depend on its answers: a difference in any
// round is found at the next comparison. A learner is told the action that it has played, so that
// after a difference its calls differ, too: a difference is found only in a round of comparison.
type record struct {
	program        *Program
	calls, answers maphash.Hash // of all calls and answers so far
	bits           []byte       // scratch of addAnswer
}

// newRecord returns the record of a game that begins with these parameters of initialize.
func newRecord(p *Program, game []byte) (r record) {
	r.program = p
	r.calls.SetSeed(p.hashSeed)
	r.answers.SetSeed(p.hashSeed)
	r.calls.Write(game)
	return r
}

// addCall adds a call.
func (r *record) addCall(method string, params []byte) {
	r.calls.WriteString(method)
	r.calls.Write(params)
}

// addAnswer adds the numbers of an answer.
func (r *record) addAnswer(numbers []float64) {
	r.bits = binary.LittleEndian.AppendUint64(r.bits[:0], uint64(len(numbers)))
	for _, v := range numbers {
		r.bits = binary.LittleEndian.AppendUint64(r.bits, math.Float64bits(v))
	}
	r.answers.Write(r.bits)
}

// isComparedIn reports whether games are compared in round t, even if it is not the last one.
func isComparedIn(t int) bool { return comparedBefore(t+1) == t }

// comparedBefore returns the last round before t in which games are compared.
func comparedBefore(t int) int {
	if t <= 33 { // in every round up to 32
		return max(0, t-1)
	}
	return 1 << (bits.Len(uint(t-1)) - 1) // the largest power of two below t
}

// agreesWithEarlier reports whether the answers so far are those of an earlier game with the same
// calls, or there was none. It then remembers the answers.
func (r *record) agreesWithEarlier() bool {
	if r.program.options.Forgetful {
		return true
	}
	p, calls, answers := r.program, r.calls.Sum64(), r.answers.Sum64()
	p.mu.Lock()
	defer p.mu.Unlock()
	earlier, known := p.earlierAnswers[calls]
	if !known {
		p.earlierAnswers[calls] = answers
	}
	return !known || earlier == answers
}

// differenceMessage returns the message about a game that was found in round t to differ from an
// earlier one: the difference lies after the previous comparison.
func (r *record) differenceMessage(t int) string {
	plays, round := "plays", fmt.Sprintf("round %d", t)
	if r.program.declared.Role == problemRole {
		plays = "reveals"
	}
	switch {
	case t == 0:
		round = "its start"
	case comparedBefore(t)+1 < t:
		round = fmt.Sprintf("one of the rounds %d to %d", comparedBefore(t)+1, t)
	}
	return fmt.Sprintf("it %s something else than before in the same game, in %s; all randomness "+
		"has to come from the seed, and what an earlier game has left has to be forgotten", plays, round)
}
