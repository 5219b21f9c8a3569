package published

import (
	"fmt"
	"math"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/stats"
)

// State is a verdict on an entry.
type State string

const (
	Reproduced    State = "reproduced"
	Differs       State = "differs"
	NotDetermined State = "not determined"
)

// States are all of them, in the order in which they are counted.
var States = []State{Reproduced, Differs, NotDetermined}

// Agreement is a verdict on a value.
type Agreement string

const (
	Agrees    Agreement = "agrees"
	Apart     Agreement = "differs"
	Undecided Agreement = "undecided"
	Unsaid    Agreement = "·" // no number is published
)

// Measured is a value with what was measured.
type Measured struct {
	Value
	Mean       float64 // NaN where it could not be measured
	Error      float64 // e of the package comment; NaN where it is unknown, 0 without chance
	Replicates int
	Agreement  Agreement
}

// Compared is a game with its values. Played is false where its program was not given.
type Compared struct {
	Game
	Played bool
	Values []Measured
}

// Agrees reports whether all values of a game agree.
func (c Compared) Agrees() bool { return c.Played && worst(c.Values) == Agrees }

// Verdict is an entry with what was found.
type Verdict struct {
	Entry *Entry
	State State
	// Reason says why an entry is not determined.
	Reason string
	Games  []Compared // that of the entry, and those of its causes
}

// Judge returns the verdict on an entry from the results of its games, by their names. A game
// without results was not played.
func (e *Entry) Judge(quick bool, results map[string]*run.Results) Verdict {
	var games []Compared
	for _, g := range e.Games(quick) {
		c := Compared{Game: g}
		r := results[g.Name]
		c.Played = r != nil
		for _, v := range g.Values {
			m := Measured{Value: v, Mean: math.NaN(), Error: math.NaN()}
			if r != nil {
				m.Mean, m.Error, m.Replicates = measure(r, v, e.Replicates)
			}
			c.Values = append(c.Values, m)
		}
		games = append(games, c)
	}
	return e.Conclude(games)
}

// Conclude is the rule of the package comment. It fills in the agreement of the values.
func (e *Entry) Conclude(games []Compared) Verdict {
	for _, g := range games {
		for k := range g.Values {
			v := &g.Values[k]
			if v.Agreement = Unsaid; v.Published != nil {
				v.Agreement = agreement(v.Mean, *v.Published, *v.Within, v.Error)
			}
		}
	}
	v := Verdict{Entry: e, State: NotDetermined, Reason: e.Missing, Games: games}
	if e.Missing != "" {
		return v
	}
	switch worst(games[0].Values) {
	case Agrees:
		v.State = Reproduced
	case Apart:
		v.State = Differs
	default:
		v.Reason = "some values have more noise than their tolerance, or were not measured"
	}
	return v
}

// agreement compares a measured value with a published one.
func agreement(mean, published, within, e float64) Agreement {
	switch d := math.Abs(mean - published); {
	case d > within+e:
		return Apart
	case d <= within+e && e <= within:
		return Agrees
	}
	return Undecided
}

// worst is what the values of a game say together.
func worst(values []Measured) Agreement {
	all := Agrees
	for _, v := range values {
		switch {
		case v.Agreement == Apart:
			return Apart
		case v.Agreement != Agrees:
			all = Undecided
		}
	}
	return all
}

// measure returns the mean of a metric over the replicates of a pair, and the half width of the
// interval of its difference from the mean of as many replicates as the paper has. Where the
// paper does not say how many, its mean counts as one without error.
func measure(r *run.Results, v Value, published int) (mean, e float64, replicates int) {
	algorithm, problem := named(r.Algorithms, v.Curve), named(r.Problems, v.On)
	c := stats.Curve{T: []float64{1}}
	for replicate := 1; replicate <= r.Replicates; replicate++ {
		if y, ok := valueAt(r, algorithm.Spec, problem.Spec, replicate, v); ok {
			c.Y = append(c.Y, []float64{y})
		}
	}
	band, err := c.Band(0.95)
	if err != nil || math.IsNaN(band.Mean[0]) {
		return math.NaN(), math.NaN(), len(c.Y)
	}
	e = band.Upper[0] - band.Mean[0]
	if problem.Deterministic && !algorithm.Draws {
		e = 0
	} else if published > 0 {
		e *= math.Sqrt(1 + float64(len(c.Y))/float64(published))
	}
	return band.Mean[0], e, len(c.Y)
}

// named returns the entry with a label. Without one there is one entry.
func named(all []experiment.Entry, label string) experiment.Entry {
	for _, x := range all {
		if x.Label == label || label == "" {
			return x
		}
	}
	return experiment.Entry{}
}

// valueAt returns the value of one game.
func valueAt(r *run.Results, algorithm, problem string, replicate int, v Value) (y float64,
	known bool) {
	horizon, at := r.Last(), v.At
	for _, h := range r.Horizon {
		if h == at {
			horizon = h
		}
	}
	if at == 0 {
		at = horizon
	}
	g := r.Game(algorithm, problem, replicate, horizon)
	if g == nil {
		return 0, false
	}
	values := g.Metric(algorithms.Metric(v.Metric))
	for k, y := range values {
		if g.T()[k] == float64(at) {
			if v.Each {
				y /= float64(at)
			}
			return y, true
		}
	}
	return 0, false
}

// Command replays an entry.
func (e *Entry) Command() string {
	command := fmt.Sprintf("bench claims %s --of %s", e.Name, e.Paper)
	for _, c := range e.Causes {
		if c.External != "" {
			name, words, _ := strings.Cut(c.External, "=")
			command += fmt.Sprintf(" --external %s='%s'", name, words)
		}
	}
	return command
}
