package problems

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/input"
)

var trace = Problem{
	Name:      "trace",
	Title:     "Recorded rounds",
	Doc:       "your own rounds, from a file of JSON lines as bench play writes it",
	Reference: "none: the rounds are yours; RoundWriter of package problems describes the format",
	Version:   1,
	Params:    TraceParams{},
	New:       Typed(newTrace),
}

// TraceParams are the parameters of trace. A stream reveals the T rounds of the
// file, and is deterministic. With a window W < T it reveals the rounds
//
//	s+1, …, s+W of the file, s uniform on {0, …, T−W},
//
// so that the replicates of an experiment are moving blocks of the file. Intervals
// over the replicates then assume that the rounds are stationary, and that their
// dependence is short compared with W. They are about games of W rounds: with W near
// T the blocks overlap, and the intervals are too narrow.
//
// The facts are computed from all rounds of the file: bounds of gradients and values
// that hold on the whole domain, exact Lipschitz constants where all functions are
// affine, whether the constraints are affine and whether they are always the same. That
// every round has a feasible action is not declared; bench diagnose says where it has not.
//
// A file has at most 1 GiB, 64 MiB in a line, 10⁷ rounds, 2·10⁷ losses and
// constraints, 10⁴ dimensions, and 10³ dimensions where a function is quadratic. It
// may be a pipe. It is read in a time and a memory in proportion to its length, but
// for the quadratic functions, each of which takes O(n³) to check.
//
// A quadratic constraint that changes by constants only, or takes two forms
// only, is revealed as a basis, so that package convex adds multiples of it and
// not matrices.
type TraceParams struct {
	File   string `name:"file" doc:"path of the rounds" required:"true"`
	Window int    `name:"window" doc:"W: play W consecutive rounds from a start that the seed draws; 0 plays the whole file" min:"0"`

	rounds *rounds // of the file, once it has been read
}

// Load implements [Loader]. The fingerprint is the SHA-256 of the file.
func (p TraceParams) Load() (params any, fingerprint string, err error) {
	f, err := p.open()
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	digest := sha256.New()
	rec, err := readRounds(io.TeeReader(f, digest), p.File)
	if err != nil {
		return nil, "", fmt.Errorf("trace: %w", err)
	}
	p.rounds = rec.freeze()
	return p, hex.EncodeToString(digest.Sum(nil)), nil
}

func (p TraceParams) open() (*input.File, error) {
	const expected = "expected a file of JSON lines as bench play writes it"
	if p.File == "" {
		return nil, fmt.Errorf("trace: no file given: write trace:file=PATH (%s)", expected)
	}
	f, err := input.Open(p.File, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("trace: %s: there is no such file (%s; a relative path starts at the working directory)", input.Shown(p.File), expected)
	case err != nil:
		return nil, fmt.Errorf("trace: %s: %w (%s)", input.Shown(p.File), err, expected)
	}
	return f, nil
}

type traceStream struct {
	Instance
	funcs []convex.Func // of rounds to be revealed, as in rounds
}

func newTrace(p TraceParams, rng *rand.Rand) (Stream, error) {
	if p.rounds == nil {
		loaded, _, err := p.Load()
		if err != nil {
			return nil, err
		}
		p = loaded.(TraceParams)
	}
	r := p.rounds
	switch have := r.facts.Rounds; {
	case p.Window > have:
		return nil, fmt.Errorf("trace: window %d is more than the %d rounds of %s: lower window", p.Window, have, input.Shown(p.File))
	case p.Window > 0 && p.Window < have:
		s := r.stream(rng.IntN(have-p.Window+1), p.Window)
		s.Declared.Deterministic = false
		return s, nil
	}
	return r.stream(0, r.facts.Rounds), nil
}

// rounds are the rounds of a recording as they are revealed. Nothing of them
// changes, so that streams may share them.
type rounds struct {
	domain convex.Set
	m      int
	funcs  []convex.Func // a round after the other: the loss and m constraints
	facts  convex.Facts
}

// stream returns the stream of count rounds after the first start ones.
func (r *rounds) stream(start, count int) *traceStream {
	s := &traceStream{Instance{Domain: r.domain, M: r.m, Declared: r.facts}, r.funcs[start*(1+r.m):]}
	s.Declared.Rounds = count
	if s.Declared.Fixed {
		s.Round.Constraints = r.funcs[1 : 1+r.m]
	}
	return s
}

// Reveal implements [Stream]. It panics beyond the last round.
func (s *traceStream) Reveal(t int, _ []float64) *convex.Round {
	if t < 1 || t > s.Declared.Rounds {
		panic(fmt.Sprintf("problems: round %d of a trace of %d rounds", t, s.Declared.Rounds))
	}
	funcs := s.funcs[(t-1)*(1+s.M) : t*(1+s.M)]
	return s.Show(funcs[0], funcs[1:])
}

// freeze returns the rounds with functions that cannot be changed. Functions that
// are equal in consecutive rounds are one.
func (r *recording) freeze() *rounds {
	out := &rounds{r.domain, r.m, make([]convex.Func, len(r.funcs)), r.facts()}
	zeros := make([]float64, r.domain.Dim())
	bases := make([]map[recorded]convex.Func, 1+r.m)
	shift := make([]bool, 1+r.m)
	for j := 1; j <= r.m; j++ {
		bases[j], shift[j] = r.bases(j, zeros)
	}
	for i, f := range r.funcs {
		j, before := i%(1+r.m), i-(1+r.m)
		shape := f
		shape.constant = 0
		switch {
		case before >= 0 && f == r.funcs[before]:
			out.funcs[i] = out.funcs[before]
		case shift[j]:
			out.funcs[i] = convex.Freeze(&convex.Shifted{Base: bases[j][shape], Shift: f.constant})
		case bases[j][f] != nil:
			out.funcs[i] = bases[j][f]
		default:
			out.funcs[i] = convex.Freeze(r.function(f, zeros))
		}
	}
	return out
}

// function returns f as an affine or quadratic function.
func (r *recording) function(f recorded, zeros []float64) convex.Func {
	lin, quad := r.vectors(f)
	if lin == nil {
		lin = zeros
	}
	if quad == nil {
		return &convex.Affine{A: lin, B: f.constant}
	}
	return &convex.Quadratic{Q: quad, A: lin, B: f.constant}
}

// bases returns bases of the functions of constraint j if they are quadratic and
// there are few of them, and whether all are one basis and a shift.
func (r *recording) bases(j int, zeros []float64) (bases map[recorded]convex.Func, shift bool) {
	var whole, shapes []recorded // distinct ones, up to three
	note := func(seen []recorded, f recorded) []recorded {
		if len(seen) > 2 || slices.Contains(seen, f) {
			return seen
		}
		return append(seen, f)
	}
	for i := j; i < len(r.funcs); i += 1 + r.m {
		f := r.funcs[i]
		if f.quad < 0 {
			return nil, false
		}
		whole = note(whole, f)
		f.constant = 0
		shapes = note(shapes, f)
	}
	if len(whole) > 2 {
		if len(shapes) > 1 {
			return nil, false
		}
		whole, shift = shapes, true
	}
	bases = make(map[recorded]convex.Func)
	for _, f := range whole {
		bases[f] = convex.NewBasis(r.function(f, zeros))
	}
	return bases, shift
}

// facts computes the facts of the rounds.
func (r *recording) facts() convex.Facts {
	facts := convex.Facts{
		Diameter: r.domain.Diameter(),
		Rounds:   r.rounds(),
		Affine:   true,
		Fixed:    true,

		Deterministic: true,
	}
	center, reach := middle(r.domain)
	for i, f := range r.funcs {
		lipschitz, value := r.bounds(f, center, reach)
		j := i % (1 + r.m)
		if j == 0 {
			facts.LossLipschitz = max(facts.LossLipschitz, lipschitz)
			continue
		}
		facts.ConstraintLipschitz = max(facts.ConstraintLipschitz, lipschitz)
		facts.ConstraintBound = max(facts.ConstraintBound, math.Abs(value)+float64(lipschitz*reach))
		facts.Affine = facts.Affine && f.quad < 0
		facts.Fixed = facts.Fixed && f == r.funcs[j]
	}
	facts.LossRange = facts.LossLipschitz * facts.Diameter
	for _, v := range []*float64{&facts.LossLipschitz, &facts.ConstraintLipschitz, &facts.LossRange, &facts.ConstraintBound, &facts.Diameter} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) { // numbers too large to bound
			*v = 0
		}
	}
	return facts
}

// bounds returns a Lipschitz constant of f on the ball around c with radius
// reach, ‖lin + quad c‖ + ‖quad‖·reach (Frobenius norm), and the value at c.
func (r *recording) bounds(f recorded, c []float64, reach float64) (lipschitz, value float64) {
	lin, quad := r.vectors(f)
	if lin == nil && quad == nil {
		return 0, f.constant
	}
	n := len(c)
	grad := make([]float64, n)
	copy(grad, lin)
	value = f.constant + vec.Dot(grad, c)
	if quad == nil {
		return vec.Norm(grad), value
	}
	for i := range c {
		g := vec.Dot(quad[i*n:(i+1)*n], c)
		grad[i] += g
		value += float64(float64(c[i]*g) / 2)
	}
	return vec.Norm(grad) + float64(vec.Norm(quad)*reach), value
}

// middle returns a point and a bound of the distances of the points of the set
// from it.
func middle(set convex.Set) (center []float64, reach float64) {
	n := set.Dim()
	center = make([]float64, n)
	switch d := set.(type) {
	case *convex.Box:
		for i := range center {
			center[i] = float64(d.Lower[i]/2) + float64(d.Upper[i]/2)
		}
		return center, vec.Dist(d.Lower, d.Upper) / 2
	case *convex.Ball:
		copy(center, d.Center)
		return center, d.Radius
	case *convex.Simplex:
		for i := range center {
			center[i] = d.Scale / float64(n)
		}
		return center, d.Scale * math.Sqrt(1-1/float64(n))
	}
	panic(fmt.Sprintf("problems: a domain of type %T", set))
}
