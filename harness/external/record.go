package external

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
)

// record has hashes of the calls and of the answers of a game. The same calls must have the
// same answers. In rounds 1 to 32, 64, 128, …, and when the game is over, the hash of all answers
// so far is therefore compared with that of an earlier game with the same calls. A problem that
// is not adaptive is called in the same way whatever it answers: a difference in any round is
// found in the next one of these. A learner is told of the action that it has played: the calls
// after a difference are others, and it is found only if it is in one of these rounds.
type record struct {
	program        *Program
	calls, answers maphash.Hash // of all calls and answers so far
	bits           []byte       // scratch
}

// newRecord returns the record of a game after the call of initialize.
func newRecord(p *Program, game []byte) (r record) {
	r.program = p
	r.calls.SetSeed(p.seed)
	r.answers.SetSeed(p.seed)
	r.calls.Write(game)
	return r
}

// call adds a call.
func (r *record) call(method string, params []byte) {
	r.calls.WriteString(method)
	r.calls.Write(params)
}

// answer adds what an answer says.
func (r *record) answer(numbers []float64) {
	r.bits = binary.LittleEndian.AppendUint64(r.bits[:0], uint64(len(numbers)))
	for _, v := range numbers {
		r.bits = binary.LittleEndian.AppendUint64(r.bits, math.Float64bits(v))
	}
	r.answers.Write(r.bits)
}

// due reports whether games are compared in round t, whether or not it is the last one.
func due(t int) bool { return before(t+1) == t }

// before returns the last round before t in which games are compared.
func before(t int) int {
	if t <= 33 {
		return max(0, t-1)
	}
	return 1 << (bits.Len(uint(t-1)) - 1)
}

// same reports whether the answers so far are those of an earlier game with the same calls. It
// is also true if there was none.
func (r *record) same() bool {
	if r.program.options.Forgetful {
		return true
	}
	p, calls, answers := r.program, r.calls.Sum64(), r.answers.Sum64()
	p.mu.Lock()
	defer p.mu.Unlock()
	before, known := p.said[calls]
	if !known {
		p.said[calls] = answers
	}
	return !known || before == answers
}

// complaint returns the message about a program that differs from an earlier game in round t, and
// did not where the two were compared before.
func (r *record) complaint(t int) string {
	plays, round := "plays", fmt.Sprintf("round %d", t)
	if r.program.declared.Role == problemRole {
		plays = "reveals"
	}
	switch {
	case t == 0:
		round = "its start"
	case before(t)+1 < t:
		round = fmt.Sprintf("one of the rounds %d to %d", before(t)+1, t)
	}
	return fmt.Sprintf("it %s something else than before in the same game, in %s; all randomness "+
		"has to come from the seed, and what an earlier game has left has to be forgotten", plays, round)
}
