package external

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/input"
	"ocobench/problems"
	"ocobench/problems/recorded"
)

// recording holds the actions of earlier games.
type recording struct {
	file    string              // the name, with %d for the replicate if perGame is set
	perGame bool                // every replicate has a file of its own
	games   []*recorded.Actions // by replicate; one if all have the same actions
}

// ReadActions makes an entry of the registry of actions that were played elsewhere,
// in the format of [recorded.ReadActions]. The file has %d, once, in the place of the
// number of the replicate: then the files of replicates 1, 2, 3, … are read up to the
// first that does not exist. Without %d all replicates have the same actions.
//
// The actions are kept in memory, 8 bytes a number, and the fingerprint of the entry
// is their digest: what is played later is what was read here. A game starts if its
// replicate has actions, as many as the horizon, in the domain.
func ReadActions(name, file string) (a algorithms.Algorithm, err error) {
	r := &recording{file: file, perGame: strings.Contains(file, "%d")}
	if strings.Count(file, "%d") > 1 {
		return a, fmt.Errorf("%s has %%d twice (expected it once, for the number of the replicate, or "+
			"not at all)", input.Shown(file))
	}
	const anyDimension, allRounds = 0, 0
	for replicate := 1; r.perGame || replicate == 1; replicate++ {
		actions, err := recorded.OpenActions(r.fileOf(replicate), anyDimension, allRounds)
		if replicate > 1 && errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return a, err
		}
		r.games = append(r.games, actions)
	}
	a = algorithms.Algorithm{
		Name: name, Doc: "actions that were played elsewhere", Reference: input.Shown(file), Version: 1,
		Fingerprint: r.fingerprint(), Feedback: algorithms.Recorded, Anytime: true, Draws: r.perGame,
		Cost: "nothing", New: r.startLearner,
	}
	if r.perGame {
		a.Reference += fmt.Sprintf(", replicates 1 to %d", len(r.games))
	}
	return a, nil
}

// fileOf returns the name of the file of a replicate.
func (r *recording) fileOf(replicate int) string {
	return strings.Replace(r.file, "%d", strconv.Itoa(replicate), 1)
}

// fingerprint returns a digest of all actions.
func (r *recording) fingerprint() string {
	h := sha256.New()
	var buf []byte
	for _, a := range r.games {
		buf = binary.LittleEndian.AppendUint64(buf[:0], uint64(a.Len()))
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(a.At(1))))
		h.Write(buf)
		for t := 1; t <= a.Len(); t++ {
			buf = buf[:0]
			for _, v := range a.At(t) {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
			}
			h.Write(buf)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// startLearner returns the learner of a game. It is an error if the replicate has no actions, fewer
// than the horizon, or one outside of the domain.
func (r *recording) startLearner(_ any, s algorithms.Setup) (algorithms.Learner, error) {
	k := 1
	if r.perGame {
		k = max(1, s.Replicate)
	}
	if last := len(r.games); k > last {
		return nil, fmt.Errorf("%s: there are no actions of replicate %d; lower the replicates to %d, "+
			"or write the file", input.Shown(r.fileOf(k)), k, last)
	}
	a := r.games[k-1]
	if err := a.CheckHorizon(s.Horizon); err != nil {
		return nil, err
	}
	for t := 1; t <= s.Horizon; t++ {
		if err := problems.CheckAction(s.Set, a.At(t)); err != nil {
			return nil, fmt.Errorf("%s: %w", a.Place(t), err)
		}
	}
	return &player{a, 1}, nil
}

// player plays recorded actions.
type player struct {
	actions *recorded.Actions
	t       int // the round to be played
}

// Act implements [algorithms.Learner].
func (p *player) Act(dst []float64) { copy(dst, p.actions.At(p.t)) }

// Observe implements [algorithms.Learner].
func (p *player) Observe([]float64, convex.Round) error {
	p.t++
	return nil
}
