package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/problems"
)

// The opening of a cell is its first rounds. They are played when the plan is made, and their
// digest is part of the key of the cell.

// openingRounds limits the rounds of an opening.
const openingRounds = 64

// DigestOpening plays the first rounds of replicate 1 and returns their digest: of the actions and
// the functions revealed, and of the numbers of a comparator. It is part of the identity of a cell,
// so that a program that plays, reveals or solves something else has other cells, whether or not a
// version was raised. What a game measures is not part of it: a new metric leaves the keys alone. A
// learner that fails has an opening too: the way in which it fails. A learner that hangs or ends
// its process has none. lack is what the learner assumes and finds missing in these rounds, or "".
func (c *Cell) DigestOpening(ctx context.Context) (digest, lack string) {
	d := newRoundDigester()
	err := d.playOpening(ctx, c)
	if err != nil {
		// The lines after the first, such as a stack, differ between machines.
		line, _, _ := strings.Cut(err.Error(), "\n")
		d.hash.Write([]byte(line))
	}
	// 96 bits: two openings with one digest are out of the question.
	return hex.EncodeToString(d.hash.Sum(nil)[:12]), lackOf(err)
}

// roundDigester observes a game and digests its rounds.
type roundDigester struct {
	hash        hash.Hash
	buffer      []byte
	form        *convex.Form
	probe, grad []float64
	domain      convex.Set
}

// newRoundDigester returns a digester that has seen no round.
func newRoundDigester() *roundDigester { return &roundDigester{hash: sha256.New()} }

// playOpening plays the opening of the cell, a game or a comparator, and digests it.
func (d *roundDigester) playOpening(ctx context.Context, c *Cell) error {
	stream, learner, err := c.Begin(1)
	if err != nil {
		return err
	}
	rounds := min(openingRounds, c.Horizon)
	d.digestStart(stream)
	o := c.newRecorder(stream, learner, []int{rounds})
	err = game.Play(ctx, learner, stream, rounds, d, o)
	if c.Kind == store.Game { // the metrics of a game are no part of its identity
		return err
	}
	_, rows := o.Kept()
	for _, row := range rows {
		d.writeNumbers(row...)
	}
	return err
}

// digestStart digests what a stream says before its first round.
func (d *roundDigester) digestStart(s problems.Stream) {
	n := s.Set().Dim()
	d.domain, d.form = s.Set(), convex.NewForm(n)
	d.probe, d.grad = make([]float64, n), make([]float64, n)
	d.writeNumbers(float64(n), float64(s.Constraints()), d.domain.Diameter())
	// The extent of the domain: the projections of points far out, 1e6 in both directions of each
	// axis.
	for i := range 2 * n {
		clear(d.probe)
		d.probe[i/2] = float64(1-2*(i%2)) * 1e6
		d.domain.Project(d.probe, d.probe)
		d.writeNumbers(d.probe[i/2])
	}
}

// Round implements [game.Observer]. Each function is digested by its value and
// subgradient at the action and at a point of the domain that moves with t, and
// by the values there of the form that it lowers to.
func (d *roundDigester) Round(t int, x []float64, r *convex.Round) error {
	for i := range d.probe {
		// The points differ from round to round, and are the same on every machine.
		d.probe[i] = float64(d.domain.Diameter() * vec.Sin(float64(t*(i+1))))
	}
	d.domain.Project(d.probe, d.probe)
	d.writeNumbers(x...)
	d.digestFunc(r.Loss, x)
	for _, g := range r.Constraints {
		d.digestFunc(g, x)
	}
	return nil
}

// digestFunc digests a function by its value and subgradient at x and at the point of the round,
// and by its form.
func (d *roundDigester) digestFunc(f convex.Func, x []float64) {
	for _, point := range [][]float64{x, d.probe} {
		if point == nil { // the cell has no learner
			continue
		}
		f.Subgrad(d.grad, point)
		d.writeNumbers(f.Value(point))
		d.writeNumbers(d.grad...)
	}
	d.form.Reset()
	f.AddTo(d.form, 1)
	d.writeNumbers(d.form.Value(d.probe))
}

// writeNumbers digests the bits of numbers.
func (d *roundDigester) writeNumbers(v ...float64) {
	d.buffer = d.buffer[:0]
	for _, x := range v {
		d.buffer = binary.LittleEndian.AppendUint64(d.buffer, math.Float64bits(x))
	}
	d.hash.Write(d.buffer)
}

// playOpenings plays the openings of a plan and gives its cells their keys. Cells without
// an opening fail, and a pair in whose opening the learner finds that the problem lacks what
// it assumes is not played. Cells that differ only in the replicate share one opening, and so do
// cells of an anytime algorithm at different horizons.
func (p *Plan) playOpenings(ctx context.Context, s Starter) error {
	type openingKey struct {
		kind      string
		algorithm *Algorithm
		problem   *Problem
		horizon   int
	}
	known := make(map[openingKey]*opening)
	var openings []*opening
	for _, cell := range p.Cells {
		key := openingKey{cell.Kind, cell.Algorithm, cell.Problem, cell.Horizon}
		if cell.Algorithm == nil || cell.Algorithm.IsAnytime() {
			key.horizon = min(key.horizon, openingRounds)
		}
		if known[key] == nil {
			known[key] = &opening{cell: cell}
			openings = append(openings, known[key])
		}
		cell.pair.opening = known[key]
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, o := range openings {
		group.Go(func() error {
			if ctx.Err() == nil && o.cell.Broken == nil { // what is broken has no opening
				o.digest, o.lack, o.err = s.Opening(ctx, o.cell)
			}
			return nil
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, cell := range p.Cells {
		cell.Key = store.KeyOf(cell.Identity())
		if err := cell.pair.opening.err; cell.Broken == nil && err != nil {
			cell.Broken = fmt.Errorf("the opening of replicate 1: %w", err)
		}
	}
	for _, o := range openings {
		if o.lack != "" {
			p.dropPair(o.cell, o.lack)
		}
	}
	return nil
}

// opening holds what [Cell.DigestOpening] returns of a cell, for all cells that have the same
// opening.
type opening struct {
	cell         *Cell // the first of these cells
	digest, lack string
	err          error // why there is no digest
}

// dropPair notes what the problem of a cell lacks for its algorithm, and removes the cells of this
// pair from the plan unless the experiment ignores assumptions.
func (p *Plan) dropPair(first *Cell, lack string) {
	p.addUnmet(Unmet{first.Algorithm.Spec, first.Problem.Spec, []string{lack}})
	if p.Experiment.Assumptions == "ignore" {
		return
	}
	inPair := func(c *Cell) bool {
		return c.Algorithm == first.Algorithm && c.Problem == first.Problem
	}
	p.Cells = slices.DeleteFunc(p.Cells, inPair)
	p.Entries = slices.DeleteFunc(p.Entries, func(e CellAt) bool { return inPair(e.Cell) })
}
