package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

var trace = Problem{
	Name:      "trace",
	Title:     "Recorded rounds",
	Doc:       "your own rounds, from a file of JSON lines as bench play writes it",
	Reference: "none: the rounds are yours; package problems/recorded describes the format",
	Definition: []string{
		"$D$, $f_t$ and $g_t$ are those of the $T$ rounds of file, in this order.",
		"With $W = window$ between 1 and $T − 1$, the rounds are $s + 1, …, s + W$ of the file, $s$ " +
			"uniform on $0, …, T − W$.",
	},
	Version: 1,
	Params:  TraceParams{},
	New:     Typed(newTrace),
}

// TraceParams are the parameters of trace. A stream without a window is deterministic. With one,
// the replicates of an experiment are moving blocks of the file. Intervals
// over the replicates then assume that the rounds are stationary, and that their
// dependence is short compared with W. They are about games of W rounds: with W near
// T the blocks overlap, and the intervals are too narrow.
//
// The facts are those of the first line of the file. What it does not say is computed from
// all rounds: bounds of gradients and values that hold on the whole domain, exact Lipschitz
// constants where all functions are affine, whether the constraints are affine and whether
// they are always the same, the curvature of the losses, and the margin of an action that satisfies
// the constraints of all rounds. That every round has a feasible action of its own is not found so;
// bench diagnose finds the rounds that have none.
//
// A file is a regular file or a pipe of at most 1 GiB; a pipe is read once, and serves a single
// game or hindsight, not an experiment. [recorded.Read] has the other limits,
// the time and the memory.
type TraceParams struct {
	File   string `name:"file" doc:"path of the rounds" required:"true"`
	Window int    `name:"window" doc:"W: play W consecutive rounds from a start that the seed draws; 0 plays the whole file" min:"0"`

	recording *recorded.Recording // of the file, once it has been read
}

// Load implements [Loader]. The fingerprint is the SHA-256 of the text, unzipped.
func (p TraceParams) Load() (params any, fingerprint string, err error) {
	if p.File == "" {
		return nil, "", fmt.Errorf("trace: no file given: write trace:file=PATH (%s)", recorded.Expected)
	}
	p.recording, fingerprint, err = recorded.Open(p.File)
	if err != nil {
		return nil, "", fmt.Errorf("trace: %w", err)
	}
	return p, fingerprint, nil
}

// CheckReloadable implements [ReloadChecker].
func (p TraceParams) CheckReloadable() error {
	if err := input.Rereadable(p.File); err != nil {
		return fmt.Errorf("trace: %s: %w", input.Shown(p.File), err)
	}
	return nil
}

// traceStream reveals the rounds of a recording, from a start on.
type traceStream struct {
	Instance
	recording *recorded.Recording
	start     int              // rounds of the recording before the first
	player    *recorded.Player // nil before the first round
	t         int              // the last round
	err       error
}

// newTrace loads the file, if that was not done before, draws the start of the window, and returns
// the stream at round 1.
func newTrace(p TraceParams, rng *rand.Rand) (Stream, error) {
	if p.recording == nil {
		loaded, _, err := p.Load()
		if err != nil {
			return nil, err
		}
		p = loaded.(TraceParams)
	}
	r := p.recording
	switch have := r.Facts.Rounds; {
	case p.Window > have:
		return nil, fmt.Errorf("trace: window %d is more than the %d rounds of %s: lower window",
			p.Window, have, input.Shown(p.File))
	case p.Window > 0 && p.Window < have:
		s := streamOf(r, rng.IntN(have-p.Window+1), p.Window)
		s.Declared.Deterministic = false
		return s, nil
	}
	return streamOf(r, 0, r.Facts.Rounds), nil
}

// streamOf returns the stream of count rounds of the recording after the first start ones.
func streamOf(r *recorded.Recording, start, count int) *traceStream {
	s := &traceStream{recording: r, start: start,
		Instance: Instance{Domain: r.Domain, M: r.Constraints, Declared: r.Facts, Shared: r.Bases}}
	s.Declared.Rounds = count
	if s.Declared.Fixed {
		s.Round.Constraints = r.Fixed
	}
	return s
}

// Expectation implements [Expecter] by what the first line has, or else by the fixed constraints.
func (s *traceStream) Expectation() []convex.Func {
	if s.recording.Expectation != nil {
		return s.recording.Expectation
	}
	return s.Instance.Expectation()
}

// Err implements [Fallible]: reading fails, for example, if the file is changed during the game.
func (s *traceStream) Err() error { return s.err }

// Reveal implements [Stream]. It panics beyond the last round.
func (s *traceStream) Reveal(t int, _ []float64) *convex.Round {
	if t < 1 || t > s.Declared.Rounds {
		panic(fmt.Sprintf("problems: round %d of a trace of %d rounds", t, s.Declared.Rounds))
	}
	if s.err == nil && (s.player == nil || t != s.t+1) {
		s.player, s.err = s.recording.Play(s.start + t - 1)
	}
	if s.err == nil {
		var r convex.Round
		if r, s.err = s.player.Next(); s.err == nil {
			s.t = t
			return s.Show(r.Loss, r.Constraints)
		}
	}
	nothing := &convex.Affine{A: make([]float64, s.Domain.Dim()), B: math.NaN()}
	return s.Show(nothing, slices.Repeat([]convex.Func{nothing}, s.M))
}
