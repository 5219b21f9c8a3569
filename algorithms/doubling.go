package algorithms

import (
	"errors"

	"ocobench/convex"
)

// epochsDefinition states the parameter of [Epochs].
var epochsDefinition = []string{
	"With doubling, the algorithm restarts on epochs of 1, 2, 4, … rounds, whose length takes the " +
		"place of $T$.",
}

// Epochs is the parameter doubling, for embedding in the parameters of an
// algorithm that is not anytime. [Algorithm.Start] does the rest: the learner
// itself sees only the horizons of the epochs.
type Epochs struct {
	Doubling bool `name:"doubling" doc:"restart on epochs of 1, 2, 4, … rounds, each told its length, so that the horizon need not be known; warm begins each at the last action"`
}

// doubling reports whether the parameter is set. Through this method [asksForDoubling] finds it in
// any parameters that embed Epochs.
func (e Epochs) doubling() bool { return e.Doubling }

// asksForDoubling reports whether parameters ask for doubling epochs.
func asksForDoubling(params any) bool {
	p, ok := params.(interface{ doubling() bool })
	return ok && p.doubling()
}

// usesDoubling reports whether games with these parameters are played on doubling epochs.
func (a Algorithm) usesDoubling(params any) bool { return a.warm || asksForDoubling(params) }

// AnytimeWith reports whether the algorithm is anytime at these parameters:
// because it is, because their method HorizonFree() bool says so, or because it
// restarts on doubling epochs.
func (a Algorithm) AnytimeWith(params any) bool {
	return a.horizonFree(params) || a.usesDoubling(params)
}

// horizonFree reports whether the learner itself does not use the horizon.
func (a Algorithm) horizonFree(params any) bool {
	p, ok := params.(interface{ HorizonFree() bool })
	return a.Anytime || ok && p.HorizonFree()
}

// Start starts a game with parameters of the type of a.Params.
//
// The horizon reaches the learner only where it is meant to: an anytime learner
// is given 0, unless its actions are [Recorded]. With doubling, it is given 2^i in
// epoch i = 0, 1, 2, …, which has as many rounds, and a new learner plays each
// epoch. A regret or violation O(T^p) of the learner becomes O(t^p) for every t,
// with a constant 2^p/(2^p−1) times as large. Every epoch begins at x0, unless they are warm
// ([Algorithm.WithWarmEpochs]).
//
// The error is that of a.New, or says that the horizon is missing.
func (a Algorithm) Start(params any, s Setup) (Learner, error) {
	switch {
	case a.usesDoubling(params):
		d := &doubled{}
		d.start = func(length int) (Learner, error) {
			s.Horizon = length
			if a.warm && d.Learner != nil {
				x := make([]float64, s.Set.Dim())
				d.Learner.Act(x)
				params = WithFirstAction(params, x)
			}
			return a.New(params, s)
		}
		return d, d.restart(1)
	case a.horizonFree(params) && a.Feedback != Recorded:
		s.Horizon = 0
	case s.Horizon < 1:
		return nil, errors.New("the horizon is not known; set doubling")
	}
	return a.New(params, s)
}

// doubled plays the epochs of [Algorithm.Start] with a new learner in each.
type doubled struct {
	Learner
	start  func(length int) (Learner, error)
	length int // rounds of this epoch
	left   int // rounds left in this epoch
}

// restart begins an epoch of this length with a new learner.
func (d *doubled) restart(length int) (err error) {
	d.length, d.left = length, length
	d.Learner, err = d.start(length)
	return err
}

// Cert implements [Certified]; it is zero if the learner is not certified.
func (d *doubled) Cert() convex.Cert { return certOf(d.Learner) }

// State implements [Stateful]; it is nil if the learner shows no state.
func (d *doubled) State() []State { return StateOf(d.Learner) }

// Observe implements [Learner].
func (d *doubled) Observe(x []float64, r convex.Round) error {
	if err := d.Learner.Observe(x, r); err != nil {
		return err
	}
	if d.left--; d.left > 0 {
		return nil
	}
	if !finiteAt(x, r) {
		return errors.New("the last round of an epoch has a number that is not finite")
	}
	return d.restart(2 * d.length)
}

// finiteAt reports whether the values and subgradients of a round at x are finite. A number that is
// not finite stays in the state of a learner, where it is noticed; a new learner would hide it.
func finiteAt(x []float64, r convex.Round) bool {
	sum, grad := 0.0, make([]float64, len(x))
	// v − v is 0 if v is finite, and NaN otherwise.
	for _, f := range append([]convex.Func{r.Loss}, r.Constraints...) {
		v := f.Value(x)
		sum += v - v
		f.Subgrad(grad, x)
		for _, v := range grad {
			sum += v - v
		}
	}
	return sum == 0
}
