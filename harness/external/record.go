package external

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
)

// record has hashes of the calls and of the answers of a game. The same calls must have the
// same answers. In rounds 1, 2, 4, 8, … the hash of all answers so far is therefore
// compared with that of an earlier game with the same calls.
type record struct {
	program        *Program
	calls, answers maphash.Hash
	bits           []byte
}

// newRecord is the record of a game after the call of initialize.
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

// same reports in round t whether the answers are those of an earlier game with the same
// calls. It is also true if there was none, or if t is not a power of two.
func (r *record) same(t int) bool {
	if r.program.options.Forgetful || t&(t-1) != 0 {
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

// complaint is the message for a program that is not same.
func (r *record) complaint(t int) string {
	plays, round := "plays", fmt.Sprintf("round %d", t)
	if r.program.declared.Role == problemRole {
		plays = "reveals"
	}
	switch {
	case t == 0:
		round = "its start"
	case t > 2:
		round = fmt.Sprintf("one of the rounds %d to %d", t/2+1, t)
	}
	return fmt.Sprintf("it %s something else than before in the same game, in %s; all randomness "+
		"has to come from the seed, and what an earlier game has left has to be forgotten", plays, round)
}
