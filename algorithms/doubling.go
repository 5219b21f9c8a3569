package algorithms

import (
	"errors"

	"ocobench/convex"
)

// Epochs is embedded in the parameters of algorithms that need the horizon.
type Epochs struct {
	Doubling bool `name:"doubling" doc:"restart on epochs of 1, 2, 4, … rounds, each told its length, so that the horizon need not be known"`
}

func (e Epochs) doubling() bool { return e.Doubling }

// aware adapts the constructor of a learner that needs the horizon to
// [Algorithm.New]. With doubling, the learner restarts on epochs.
func aware[P interface{ doubling() bool }](f func(p P, s Setup) (Learner, error)) func(any, Setup) (Learner, error) {
	return func(params any, s Setup) (Learner, error) {
		p := params.(P)
		if !p.doubling() {
			if s.Horizon < 1 {
				return nil, errors.New("the horizon is not known; set doubling")
			}
			return f(p, s)
		}
		d := &doubled{start: func(length int) (Learner, error) {
			s.Horizon = length
			return f(p, s)
		}}
		return d, d.restart(1)
	}
}

// doubled plays epochs of 2^i rounds, i = 0, 1, 2, …, each with a learner of
// its own that is told the epoch's length. A regret or violation O(T^p) of the
// learner becomes O(t^p) for every t, with a constant 2^p/(2^p−1) times as
// large.
type doubled struct {
	Learner
	start  func(length int) (Learner, error)
	length int // of the epoch
	left   int // rounds left in it
}

func (d *doubled) restart(length int) (err error) {
	d.length, d.left = length, length
	d.Learner, err = d.start(length)
	return err
}

// Cert implements [Certified]; it is zero where the learner has none.
func (d *doubled) Cert() convex.Cert {
	if l, ok := d.Learner.(Certified); ok {
		return l.Cert()
	}
	return convex.Cert{}
}

// Observe implements [Learner].
func (d *doubled) Observe(x []float64, r convex.Round) error {
	if err := d.Learner.Observe(x, r); err != nil {
		return err
	}
	if d.left--; d.left > 0 {
		return nil
	}
	return d.restart(2 * d.length)
}
