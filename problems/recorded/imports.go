package recorded

import (
	"errors"
	"fmt"
	"io"
	"math"

	"ocobench/convex"
	"ocobench/internal/input"
)

// This file holds what the kinds of imported rounds share: [Portfolio], [Jobs], [Regression],
// [Logistic], [Experts] and [Budgets]. Each reads chosen columns of a sheet, and makes a round of
// each line. Errors name the flags of bench import.

// Kind is a kind of imported rounds, with its parameters.
type Kind interface {
	// Read reads all lines of the sheet. It returns an error if they do not make rounds of the kind.
	Read(s *input.Sheet, c Columns) (*Import, error)
}

// MaxImported is the largest dimension of imported rounds: a problem of more has matrices
// of more than a million entries in every round.
const MaxImported = 1000

// Import is the rounds that a kind made of the lines of a file.
type Import struct {
	Domain      convex.Set
	Constraints int
	Count       int
	Notes       []string // what the columns were taken for, and remarks on the rounds

	// budgetText says what the constraints demand, in their unit. leastMean is the least mean of the
	// constraint over the actions of the domain, or NaN with more than one constraint.
	budgetText func(leastMean float64) string
	table      [][]float64 // the numbers of each round
	round      func(line []float64) convex.Round
	bases      []*convex.Basis // the functions that rounds share
	facts      *convex.Facts   // the facts of the rounds; nil leaves them to be computed
}

// newImport returns rounds of m constraints, which round makes of the lines that were read.
func newImport(read *sheetNumbers, domain convex.Set, m int,
	round func(line []float64) convex.Round) *Import {
	return &Import{Domain: domain, Constraints: m, Count: len(read.rows), Notes: read.notes,
		table: read.rows, round: round}
}

// checkChosen returns an error if n columns of a role, which a flag names, are too few or too many.
func checkChosen(s *input.Sheet, n, least int, role, flag string) error {
	switch {
	case n < least:
		return fmt.Errorf("%s:1:1: %s chosen (expected at least two)", s.Name, input.Plural(n, role))
	case n > MaxImported:
		return fmt.Errorf("%s:1:1: %d %ss chosen (expected at most %d; name them in --%s)", s.Name, n,
			role, MaxImported, flag)
	}
	return nil
}

// Write writes the rounds. It sets the domain, the number of constraints, the facts and the bases
// of the header.
func (r *Import) Write(to io.Writer, h Header) error {
	if math.IsInf(r.Domain.Diameter(), 1) {
		return errors.New("the diameter of the domain is too large for a 64-bit number")
	}
	w := NewWriter(to)
	h.Domain, h.Constraints, h.Facts, h.Bases = r.Domain, r.Constraints, r.facts, r.bases
	if err := w.Header(h); err != nil {
		return err
	}
	for t, line := range r.table {
		round := r.round(line)
		if err := w.Round(t+1, nil, &round); err != nil {
			return err
		}
	}
	return nil
}

// Shortage returns an empty string if some action satisfies the sums of the constraints. Else
// X^max is empty, and it says what the constraints demand, in their unit.
func (r *Import) Shortage() (string, error) {
	n := r.Domain.Dim()
	sums := make([]*convex.Form, r.Constraints)
	for j := range sums {
		sums[j] = convex.NewForm(n)
	}
	for _, line := range r.table {
		for j, g := range r.round(line).Constraints {
			g.AddTo(sums[j], 1)
		}
	}
	p := convex.NewProgram(r.Domain)
	for _, sum := range sums {
		p.Constrain(sum)
	}
	x := make([]float64, n)
	_, err := p.Minimize(x, convex.NewForm(n))
	if !errors.Is(err, convex.ErrEmpty) {
		return "", err
	}
	leastMean := math.NaN()
	if r.Constraints == 1 {
		if _, err := convex.NewProgram(r.Domain).Minimize(x, sums[0]); err != nil {
			return "", err
		}
		leastMean = sums[0].Value(x) / float64(r.Count)
	}
	return r.budgetText(leastMean), nil
}
