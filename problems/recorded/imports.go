package recorded

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/input"
)

// This file makes rounds from CSV files. The kinds are [Portfolio], [Jobs],
// [Regression], [Logistic], [Experts] and [Budgets]. Each reads chosen columns of a sheet, one
// line a round.
// Errors name the flags of bench import.

// Kind is a kind of rounds.
type Kind interface {
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

	// budget says what the budget of the constraints is, in its unit. Least is the least mean
	// of the constraint in hindsight, where there is one.
	budget func(least float64) string
	table  [][]float64 // a round a line
	// round returns the round of a line, and bases are what rounds share.
	round func(line []float64) convex.Round
	bases []*convex.Basis
	facts *convex.Facts // what is known of the rounds; nil leaves them to be computed
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

// Scarce returns an empty string if some action satisfies the sums of the constraints. Else
// X^max is empty, and it says what the budget is, in its unit.
func (r *Import) Scarce() (string, error) {
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
	least := math.NaN()
	if r.Constraints == 1 {
		if _, err := convex.NewProgram(r.Domain).Minimize(x, sums[0]); err != nil {
			return "", err
		}
		least = sums[0].Value(x) / float64(r.Count)
	}
	return r.budget(least), nil
}

// Portfolio makes rounds of the returns ρ_t of n assets. x in the simplex are the shares of
// wealth, and the loss is one of
//
//	linear     f_t(x) = −ρ_t·x/unit
//	quadratic  f_t(x) = (−ρ_t·x + ½(ρ_t·x)²)/unit
//	log        f_t(x) = −log(1 + ρ_t·x)/unit
//
// and the constraint
//
//	g_t(x) = (ρ_t·x)²/budget² − 1, or Σ_i |ρ_{t,i} − ρ̄_t| x_i/budget − 1
type Portfolio struct {
	Cells    Cells
	Loss     string // "" is linear
	Turnover bool   // the constraint is the second one
	Budget   float64
	Unit     float64
}

// Read implements [Kind]. Many are the columns of the assets.
func (p Portfolio) Read(s *input.Sheet, c Columns) (*Import, error) {
	if err := assets(s, max(2, len(c.Many))); err != nil { // too few are refused with the first line
		return nil, err
	}
	read, err := p.returns(s, c)
	if err != nil {
		return nil, err
	}
	for t, row := range read.rows {
		if err := p.check(row); err != nil {
			return nil, fmt.Errorf("%s: round %d cannot be written: %w", s.Name, t+1, err)
		}
	}
	r := p.rounds(read.rows)
	r.Notes = read.notes
	return r, nil
}

// check returns an error if a function of these returns is not finite on the simplex.
func (p Portfolio) check(row []float64) error {
	for _, v := range row {
		switch square := float64(v*v) * (2 / p.Budget / p.Budget); {
		case p.Loss == "log" && v <= -1: // > -1 before it was rounded
			return fmt.Errorf("a return is -1 (expected returns > -1: log-wealth is -log(1 + return))")
		case math.IsInf(square, 0) && !p.Turnover, math.IsInf(float64(v*v)/p.Unit, 0):
			return fmt.Errorf("a return is %v, its square is +Inf, and Inf is not a number of JSON; are "+
				"its numbers in the right units?", v)
		}
	}
	return nil
}

// assets returns an error if there cannot be that many.
func assets(s *input.Sheet, n int) error {
	switch {
	case n < 2:
		return fmt.Errorf("%s:1:1: %s chosen (expected at least two)", s.Name,
			input.Plural(n, "asset"))
	case n > MaxImported:
		return fmt.Errorf("%s:1:1: %d assets chosen (expected at most %d; name them in --assets)",
			s.Name, n, MaxImported)
	}
	return nil
}

// budgetOf says what the budget is.
func (p Portfolio) budgetOf(least float64) string {
	flag, is, at := "risk", "the root of the mean squared return", p.Budget*math.Sqrt(max(least+1, 0))
	if p.Turnover {
		flag, is, at = "turnover", "the mean turnover of rebalancing", p.Budget*(least+1)
	}
	return fmt.Sprintf("--%s %v is %s, as a fraction of wealth (%v is %.3g %%); the least of any "+
		"portfolio is %.3g", flag, p.Budget, is, p.Budget, 100*p.Budget, at)
}

// rounds returns the rounds of these returns, one row each.
func (p Portfolio) rounds(table [][]float64) *Import {
	n := len(table[0])
	return &Import{Domain: &convex.Simplex{N: n, Scale: 1}, Constraints: 1, Count: len(table),
		table: table, round: p.round, budget: p.budgetOf}
}

// round returns the round of these returns. All functions are multiples of those that have the
// returns as they are, so that the same digits are in the file twice.
func (p Portfolio) round(rho []float64) convex.Round {
	linear := func(scale float64, a []float64) convex.Part {
		return convex.Part{Scale: scale, Func: &convex.Linear{A: a}}
	}
	halfSquare := func(scale float64) convex.Part { // of ρ·x
		return convex.Part{Scale: scale, Func: &convex.LeastSquares{H: rho, Y: []float64{0}}}
	}
	loss := convex.Func(&convex.Composite{Parts: []convex.Part{linear(-1/p.Unit, rho)}})
	switch p.Loss {
	case "log":
		loss = &convex.Single{Of: &convex.Ridge{Curve: convex.NegLog{}, Weight: 1 / p.Unit, A: rho, B: 1}}
	case "quadratic":
		loss = &convex.Composite{Parts: []convex.Part{linear(-1/p.Unit, rho), halfSquare(1 / p.Unit)}}
	}
	g := halfSquare(2 / p.Budget / p.Budget)
	if p.Turnover {
		mean, traded := 0.0, make([]float64, len(rho))
		for _, v := range rho {
			mean += v / float64(len(rho))
		}
		for i, v := range rho {
			traded[i] = math.Abs(v - mean)
		}
		g = linear(1/p.Budget, traded)
	}
	return convex.Round{Loss: loss,
		Constraints: []convex.Func{&convex.Composite{Const: -1, Parts: []convex.Part{g}}}}
}

// Jobs makes rounds of the prices c_{t,z} of power in zones, and of a demand. A server with
// power p ≤ P does h(p) = gain·log(1+rate·p) jobs, and a zone has N servers:
//
//	f_t = Σ_z c_{t,z}·(power of z),   g_t = demand_t − (jobs done)
//
// An action is the power of each zone, 0 ≤ x_z ≤ N·P, of which every server has the same part: h
// is concave. With K > 0, K chords of h, between powers at which log(1+rate·p) is evenly spaced,
// replace it: an action has for each zone K powers 0 ≤ x_k ≤ N·(length of the k-th chord), and
// x_k does s_k·x_k jobs, s_k being the slope of the chord.
type Jobs struct {
	Servers           int // N
	Power, Gain, Rate float64
	Segments          int // K, 0 for h itself
}

// Read implements [Kind], with the column of the demand and those of the prices.
func (j Jobs) Read(s *input.Sheet, c Columns) (*Import, error) {
	jobs := input.Column{
		Expected: "a number of jobs ≥ 0", Valid: func(v float64) bool { return v >= 0 },
	}
	if err := j.zones(s, len(c.Many)); err != nil {
		return nil, err
	}
	read, err := c.read(s, jobs, input.Column{Expected: "a price"}, nil)
	if err != nil {
		return nil, err
	}
	if err := j.zones(s, len(read.names)-1); err != nil {
		return nil, err
	}
	of := j.rounds
	if j.Segments == 0 {
		of = j.exact
	}
	r, off, all, err := of(read.rows)
	if err != nil {
		return nil, err
	}
	read.note("%s: jobs that arrive; %s: prices", read.names[0], input.Few(read.names[1:], ", "))
	if j.Segments > 0 {
		read.note("the chords do at most %.3g jobs a round less than the servers can, of "+
			"%.4g at full power", off, all)
	}
	r.Notes = read.notes
	r.budget = func(least float64) string {
		return fmt.Sprintf("the demand is in jobs a round, %.4g on average, and all servers at full "+
			"power do %.4g", least+all, all)
	}
	return r, nil
}

// zones returns an error if there cannot be that many.
func (j Jobs) zones(s *input.Sheet, n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%s:1:1: there is no column of prices (expected one for each zone, "+
			"beside the demand)", s.Name)
	case n > MaxImported:
		return fmt.Errorf("%s:1:1: %d zones (expected at most %d; name them in --prices)", s.Name, n,
			MaxImported)
	case j.Segments > MaxImported/n:
		return fmt.Errorf("--segments: %d chords for each of %s make more than %d dimensions",
			j.Segments, input.Plural(n, "zone"), MaxImported)
	}
	return nil
}

// exact makes rounds of h itself, and returns 0 and the jobs of all servers at full power.
func (j Jobs) exact(rows [][]float64) (r *Import, off, all float64, err error) {
	zones, n := len(rows[0])-1, float64(j.Servers)
	domain, err := convex.NewBox(make([]float64, zones), slices.Repeat([]float64{n * j.Power}, zones))
	if err != nil {
		return nil, 0, 0, fmt.Errorf("--power or --servers: %w", err)
	}
	done := convex.NewBasis(&convex.Separable{Curve: convex.NegLog{}, Weight: n * j.Gain,
		Rate: slices.Repeat([]float64{j.Rate / n}, zones), Offset: 1})
	r = &Import{Domain: domain, Constraints: 1, Count: len(rows), table: rows,
		bases: []*convex.Basis{done}, round: func(line []float64) convex.Round {
			return convex.Round{Loss: &convex.Affine{A: line[1:]},
				Constraints: []convex.Func{&convex.Shifted{Base: done, Shift: line[0]}}}
		}}
	return r, 0, n * float64(zones) * j.Gain * vec.Log(1+float64(j.Rate*j.Power)), nil
}

// rounds makes rounds of chords. It also returns the largest number of jobs by which the chords are
// below h for all servers, and the jobs of all servers at full power.
func (j Jobs) rounds(rows [][]float64) (r *Import, off, all float64, err error) {
	a, b, power, n := j.Gain, j.Rate, j.Power, float64(j.Servers)
	zones, k := len(rows[0])-1, j.Segments
	if b*power < 1e-9 { // where 1 + rate·p has few digits of p left
		return nil, 0, 0, fmt.Errorf("--rate: %v times the power %v is too small for chords (expected a "+
			"product ≥ 1e-9; below it h is nearly gain·rate·p)", b, power)
	}
	var upper, slopes []float64
	top := vec.Log(1 + float64(b*power))
	before := 0.0
	for i := range k {
		end := power
		if i+1 < k {
			end = (vec.Exp(top*float64(i+1)/float64(k)) - 1) / b
		}
		slope := a * (top / float64(k)) / (end - before)
		// The distance from the chord to h is largest where their slopes are equal.
		at := a/slope - 1/b
		gap := float64(a*vec.Log((1+float64(b*at))/(1+float64(b*before)))) - float64(slope*(at-before))
		off = max(off, gap)
		upper, slopes = append(upper, n*(end-before)), append(slopes, -slope)
		before = end
	}
	domain, err := convex.NewBox(make([]float64, zones*k), slices.Repeat(upper, zones))
	if err != nil {
		return nil, 0, 0, fmt.Errorf("--power, --rate or --servers: %w", err)
	}
	slopes = slices.Repeat(slopes, zones)
	r = &Import{Domain: domain, Constraints: 1, Count: len(rows), table: rows,
		round: func(line []float64) convex.Round {
			prices := make([]float64, 0, zones*k)
			for _, price := range line[1:] {
				prices = append(prices, slices.Repeat([]float64{price}, k)...)
			}
			return convex.Round{Loss: &convex.Affine{A: prices},
				Constraints: []convex.Func{&convex.Affine{A: slopes, B: line[0]}}}
		}}
	servers := n * float64(zones)
	return r, servers * off, servers * a * top, nil
}

// Regression makes rounds of features h_t and labels y_t, with weights x in the box
// [−radius, radius]^n:
//
//	f_t(x) = ½(h_t·x − y_t)²
//	g_t(x) = (h_t·x − y_t − bias,  y_t − h_t·x − bias)
type Regression struct {
	Intercept    bool // there is a last feature that is 1
	Standardise  bool // columns have their mean subtracted, and are divided by their deviation
	Radius, Bias float64
}

// Read implements [Kind], with the column of the label and those of the features.
func (g Regression) Read(s *input.Sheet, c Columns) (*Import, error) {
	if err := features(s, len(c.Many)); err != nil {
		return nil, err
	}
	c.features = true
	number := input.Column{Expected: "a number"}
	read, err := c.read(s, number, number, nil)
	if err != nil {
		return nil, err
	}
	if err := features(s, len(read.names)-1); err != nil {
		return nil, err
	}
	label := read.names[0]
	read.note("%s: the label; %s: %s", label, input.Few(read.names[1:], ", "),
		input.Plural(len(read.names)-1, "feature"))
	mean, deviation := moments(read.column(0))
	unit := fmt.Sprintf("the unit of %s, whose mean is %.4g and standard deviation %.4g", label, mean,
		deviation)
	if g.Standardise {
		if err := read.standardise(s, 0); err != nil {
			return nil, err
		}
		unit = fmt.Sprintf("standard deviations of %s, each %.4g", label, deviation)
	}
	if g.Intercept {
		for t := range read.rows {
			read.rows[t] = append(read.rows[t], 1)
		}
	}
	r := g.rounds(read.rows)
	r.Notes = read.notes
	r.budget = func(float64) string {
		return fmt.Sprintf("--bias %v is the largest mean error, in %s, with weights up to --radius %v",
			g.Bias, unit, g.Radius)
	}
	return r, nil
}

// features returns an error if there cannot be that many.
func features(s *input.Sheet, n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%s:1:1: there is no column of features (expected at least one, beside "+
			"the label)", s.Name)
	case n >= MaxImported:
		return fmt.Errorf("%s:1:1: %d features (expected less than %d; name them in --features)",
			s.Name, n, MaxImported)
	}
	return nil
}

// standardise replaces the numbers v of each column from the first on by (v − mean)/deviation.
func (c *cells) standardise(s *input.Sheet, first int) error {
	for i := first; i < len(c.names); i++ {
		name := c.names[i]
		mean, deviation := moments(c.column(i))
		if !(deviation > 0) || math.IsInf(deviation, 0) {
			remedy := "; leave it out with --ignore"
			if i < c.own {
				remedy = ", and is the label"
			}
			return fmt.Errorf("%s: --standardise: %s has the standard deviation %v%s", s.Name, name,
				deviation, remedy)
		}
		for _, row := range c.rows {
			row[i] = (row[i] - mean) / deviation
		}
		c.note("%s is less its mean %v, divided by its standard deviation %v", name, mean, deviation)
	}
	return nil
}

// moments returns the mean and the standard deviation, with n−1, of n numbers.
func moments(v []float64) (mean, deviation float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		d := x - mean
		deviation += float64(d * d)
	}
	if n > 1 {
		deviation = math.Sqrt(deviation / (n - 1))
	}
	return mean, deviation
}

// rounds returns the rounds of these numbers, one row each.
func (g Regression) rounds(table [][]float64) *Import {
	n := len(table[0]) - 1
	return &Import{Domain: convex.Cube(n, -g.Radius, g.Radius), Constraints: 2, Count: len(table),
		table: table, round: func(line []float64) convex.Round {
			y, h, minus := line[0], line[1:], slices.Clone(line[1:])
			vec.Scale(minus, -1)
			return convex.Round{Loss: &convex.LeastSquares{H: h, Y: []float64{y}},
				Constraints: []convex.Func{&convex.Affine{A: h, B: -y - g.Bias},
					&convex.Affine{A: minus, B: y - g.Bias}}}
		}}
}
