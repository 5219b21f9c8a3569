package main

import (
	"fmt"
	"math"

	"ocobench/report/figure"
)

// A growthLine is one line of the figure of growth: what is measured at each size.
type growthLine struct {
	label string
	sizes []int
	// cost measures the milliseconds that a round takes at a size.
	cost func(m *measurement, size int) (float64, error)
}

// dimensions are the sizes of most lines over n.
var dimensions = []int{3, 10, 30, 100, 300}

// rounds is the length of every game of the figure.
const rounds = 300

// growths are the panels of the figure: the cost of a round against the dimension n, and against
// the number m of constraints.
var growths = []struct {
	title, x string
	powers   []float64 // of the reference lines
	lines    []growthLine
}{
	{"Learners, linear losses, $m=3$", "n", []float64{1, 2, 3},
		append(learners("iid:dim=%d,constraints=3", dimensions),
			growthLine{"cvxopt, every round anew", []int{3, 10, 30, 100}, resolveCost})},
	{"Learners, linear losses, $n=20$", "m", []float64{1, 2},
		learners("iid:dim=20,constraints=%d", []int{1, 3, 10, 30, 100, 300})},
	{"Penalised FTRL and hindsight, other losses", "n", []float64{1, 2, 3}, []growthLine{
		{"penalised-ftrl, regression", dimensions, gameCost("penalised-ftrl",
			"regression:dim=%d")},
		{"penalised-ftrl, portfolio", dimensions, gameCost("penalised-ftrl", "portfolio:dim=%d")},
		{"hindsight, regression", dimensions, hindsightCost("regression:dim=%d")},
		{"hindsight, portfolio", dimensions, hindsightCost("portfolio:dim=%d")},
	}},
	{"Hindsight, linear losses, $m=3$", "n", []float64{1, 2, 3}, []growthLine{
		{"hindsight", dimensions, hindsightCost("iid:dim=%d,constraints=3")},
		{"HiGHS, from a cold start", dimensions, linprogCost("iid:dim=%d,constraints=3")},
	}},
	{"Hindsight, linear losses, $n=20$", "m", []float64{1, 2}, []growthLine{
		{"hindsight", []int{1, 3, 10, 30, 100, 300}, hindsightCost("iid:dim=20,constraints=%d")},
		{"HiGHS, from a cold start", []int{1, 3, 10, 30, 100}, linprogCost("iid:dim=20,constraints=%d")},
	}},
}

// learners returns a line for each of six learners; problem has the size in place of %d.
func learners(problem string, sizes []int) (all []growthLine) {
	for _, name := range []string{"ogd", "primal-dual", "clasp", "vaze-sinha", "guo",
		"penalised-ftrl"} {
		all = append(all, growthLine{name, sizes, gameCost(name, problem)})
	}
	return all
}

// gameCost returns the function that measures what a round of an algorithm on a problem costs.
func gameCost(algorithm, problem string) func(*measurement, int) (float64, error) {
	return func(m *measurement, size int) (float64, error) {
		r, err := m.repeated(algorithm, fmt.Sprintf(problem, size), rounds)
		if err != nil {
			return 0, err
		}
		return r.cost() / 1e6, nil
	}
}

// hindsightCost returns the function that measures what hindsight at all checkpoints costs, divided
// by the number of rounds.
func hindsightCost(problem string) func(*measurement, int) (float64, error) {
	return func(m *measurement, size int) (float64, error) {
		r, err := m.runSelf("peers", "hindsight", fmt.Sprintf(problem, size), fmt.Sprint(rounds))
		if err != nil {
			return 0, err
		}
		return r.cost() / 1e6, nil
	}
}

// resolveCost measures what a round costs that cvxopt solves anew.
func resolveCost(m *measurement, size int) (float64, error) {
	once := *m
	once.quick = true // with -quick, cvxopt solves eight of the programs, once each
	p, err := once.resolve(fmt.Sprintf("iid:dim=%d,constraints=3", size), rounds)
	return theirCost(p, err)
}

// linprogCost returns the function that measures what hindsight by HiGHS costs, divided by the
// number of rounds.
func linprogCost(problem string) func(*measurement, int) (float64, error) {
	return func(m *measurement, size int) (float64, error) {
		return theirCost(m.linprog(fmt.Sprintf(problem, size), rounds, 4))
	}
}

// theirCost returns the milliseconds that a round costs the other side, or NaN where it is missing.
func theirCost(p comparison, err error) (float64, error) {
	if err != nil || p.Skipped != "" {
		return math.NaN(), err
	}
	return 1000 * p.Theirs / rounds, nil
}

// growth measures how the cost of a round grows, prints the exponents at the largest sizes, and
// draws DIR/growth.png. The text for the document names the machine.
func (m *measurement) growth(dir string) (string, error) {
	f := &figure.Figure{Columns: 2, Width: 10.6, Height: 6.6}
	for _, g := range growths {
		p := figure.Panel{Title: g.title, Ends: true,
			X: figure.Axis{Label: "$" + g.x + "$", Scale: figure.Log},
			Y: figure.Axis{Label: "milliseconds a round", Scale: figure.Log}}
		lowestCost, leastSize := math.Inf(1), math.Inf(1)
		for k, line := range g.lines {
			s := figure.Series{Label: line.label, Style: k}
			for _, size := range quickOr(m, line.sizes[:3], line.sizes) {
				v, err := line.cost(m, size)
				if err != nil {
					return "", fmt.Errorf("%s, %s = %d: %w", line.label, g.x, size, err)
				}
				logRow("growth", line.label, fmt.Sprintf("%s = %d", g.x, size), digits(v)+" ms")
				if !math.IsNaN(v) {
					s.X, s.Y = append(s.X, float64(size)), append(s.Y, v)
					lowestCost, leastSize = min(lowestCost, v), min(leastSize, s.X[0])
				}
			}
			if n := len(s.X); n > 1 {
				p.Series = append(p.Series, s)
				exponent := math.Log(s.Y[n-1]/s.Y[n-2]) / math.Log(s.X[n-1]/s.X[n-2])
				logRow("growth", line.label, fmt.Sprintf("exponent at the end %.2f", exponent))
			}
		}
		for _, power := range g.powers {
			label := "$" + g.x + "$"
			if power != 1 {
				label = fmt.Sprintf("$%s^%v$", g.x, power)
			}
			p.Guides = append(p.Guides,
				figure.Guide{Slope: power, X: leastSize, Y: lowestCost, Label: label})
		}
		f.Panels = append(f.Panels, p)
	}
	if _, err := f.Save(dir, "growth", figure.PNG); err != nil {
		return "", err
	}
	return m.machine(), nil
}
