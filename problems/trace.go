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
	"os"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var trace = Problem{
	Name:      "trace",
	Doc:       "your own rounds, from a file of JSON lines as bench play writes it",
	Reference: "none: the rounds are yours; RoundWriter of package problems describes the format",
	Version:   1,
	Params:    TraceParams{},
	New:       Typed(newTrace),
}

// TraceParams are the parameters of trace. A stream reveals the rounds of
// the file. Its facts are computed from them: bounds of gradients
// and values that hold on the whole domain, exact Lipschitz constants where all
// functions are affine, whether the constraints are affine and whether they are
// always the same.
//
// A quadratic constraint that changes by constants only, or takes two forms
// only, is revealed as a basis, so that package convex adds multiples of it and
// not matrices.
type TraceParams struct {
	File string `name:"file" doc:"path of the rounds" required:"true"`
}

// Fingerprint implements [Fingerprinter]: the SHA-256 of the file.
func (p TraceParams) Fingerprint() (string, error) {
	f, err := p.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("trace: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (p TraceParams) open() (*os.File, error) {
	const expected = "expected a file of JSON lines as bench play writes it"
	if p.File == "" {
		return nil, fmt.Errorf("trace: no file given: write trace:file=PATH (%s)", expected)
	}
	f, err := os.Open(p.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("trace: %s: there is no such file (%s; a relative path starts at the working directory)", p.File, expected)
	case err != nil:
		return nil, fmt.Errorf("trace: %w (%s)", err, expected)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("trace: %s is a directory (%s)", p.File, expected)
	}
	return f, nil
}

type traceStream struct {
	Instance
	rec         *recording
	loss        slot
	constraints []slot
	bases       map[recorded]*convex.Basis
	shift       []bool // by constraint: its functions are one basis and a shift
	zeros       []float64
}

// slot holds the function that is revealed, in one of its three forms.
type slot struct {
	affine    convex.Affine
	quadratic convex.Quadratic
	shifted   convex.Shifted
}

func newTrace(p TraceParams, _ *rand.Rand) (Stream, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := readRounds(f, p.File)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return rec.stream(), nil
}

func (r *recording) stream() *traceStream {
	s := &traceStream{
		Instance:    Instance{Domain: r.domain, M: r.m, Declared: r.facts()},
		rec:         r,
		constraints: make([]slot, r.m),
		bases:       map[recorded]*convex.Basis{},
		shift:       make([]bool, r.m),
		zeros:       make([]float64, r.domain.Dim()),
	}
	s.Round.Constraints = make([]convex.Func, r.m)
	for j := range r.m {
		s.merge(j)
	}
	if s.Declared.Fixed {
		s.Reveal(1, nil) // what there is in every round
	}
	return s
}

// merge makes bases of the functions of constraint j if they are quadratic and
// there are few of them.
func (s *traceStream) merge(j int) {
	var whole, shapes []recorded // distinct ones, up to three
	note := func(seen []recorded, f recorded) []recorded {
		if len(seen) > 2 || slices.Contains(seen, f) {
			return seen
		}
		return append(seen, f)
	}
	for t := range s.rec.rounds() {
		f := s.rec.funcs[t*(1+s.rec.m)+1+j]
		if f.quad < 0 {
			return
		}
		whole = note(whole, f)
		f.constant = 0
		shapes = note(shapes, f)
	}
	switch {
	case len(whole) <= 2:
	case len(shapes) == 1:
		s.shift[j] = true
		whole = shapes
	default:
		return
	}
	for _, f := range whole {
		lin, quad := s.vectors(f)
		if s.bases[f] == nil {
			s.bases[f] = convex.NewBasis(&convex.Quadratic{Q: quad, A: lin, B: f.constant})
		}
	}
}

// vectors returns lin and quad of f, lin not nil.
func (s *traceStream) vectors(f recorded) (lin, quad []float64) {
	lin, quad = s.rec.vectors(f)
	if lin == nil {
		lin = s.zeros
	}
	return lin, quad
}

// Reveal implements [Stream]. It panics beyond the last round.
func (s *traceStream) Reveal(t int, _ []float64) convex.Round {
	if t < 1 || t > s.rec.rounds() {
		panic(fmt.Sprintf("problems: round %d of a trace of %d rounds", t, s.rec.rounds()))
	}
	funcs := s.rec.funcs[(t-1)*(1+s.rec.m):]
	s.Round.Loss = s.reveal(&s.loss, funcs[0], nil, false)
	for j := range s.constraints {
		s.Round.Constraints[j] = s.reveal(&s.constraints[j], funcs[1+j], s.bases, s.shift[j])
	}
	return s.Round
}

func (s *traceStream) reveal(to *slot, f recorded, bases map[recorded]*convex.Basis, shift bool) convex.Func {
	lin, quad := s.vectors(f)
	if quad == nil {
		to.affine = convex.Affine{A: lin, B: f.constant}
		return &to.affine
	}
	shape := f
	shape.constant = 0
	if shift {
		to.shifted = convex.Shifted{Base: bases[shape], Shift: f.constant}
		return &to.shifted
	}
	if b := bases[f]; b != nil {
		return b
	}
	to.quadratic = convex.Quadratic{Q: quad, A: lin, B: f.constant}
	return &to.quadratic
}

// facts computes the facts of the rounds.
func (r *recording) facts() convex.Facts {
	facts := convex.Facts{
		Diameter: r.domain.Diameter(),
		Rounds:   r.rounds(),
		Affine:   true,
		Fixed:    true,
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
