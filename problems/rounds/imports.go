package rounds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/convex/wire"
	"ocobench/internal/input"
)

// This file makes rounds from CSV files. The kinds are [Portfolio], [Jobs],
// [Regression], [Logistic] and [Experts]. Each reads chosen columns of a sheet, one line a round,
// and says once which functions a line stands for, in the notation of files of rounds: such a file
// is then about as large as the sheet. Errors name the flags of bench import.

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
	// facts are what is known of the rounds; nil leaves them to be computed.
	facts *convex.Facts
	// functions and rounds are these members of the first line: rounds says what a line of the table
	// means.
	functions, rounds string
}

// meaning is the member "rounds" with these names of the numbers and these forms.
func meaning(row, loss string, constraints ...string) string {
	return fmt.Sprintf(`{"row":[%s],"loss":{"form":%s},"constraints":[{"form":%s}]}`, row, loss,
		strings.Join(constraints, `},{"form":`))
}

// listed is a list of numbers in JSON.
func listed(v []float64) string {
	var w wire.Writer
	w.Numbers(v)
	return string(w.Line)
}

// Write writes the rounds. The domain, the number of constraints, the facts and the functions of
// the header are those of the rounds.
func (r *Import) Write(to io.Writer, h Header) error {
	w := NewWriter(to)
	if err := w.Header(r.header(h)); err != nil {
		return err
	}
	return r.each(func(t int, _ *roundReader) error { return w.row(t, r.table[t-1]) })
}

func (r *Import) header(h Header) Header {
	h.Domain, h.Constraints, h.Facts = r.Domain, r.Constraints, r.facts
	h.functions, h.rounds = r.functions, r.rounds
	return h
}

// each calls see after each round was read, as it is read from a file. It is an error if a round
// cannot be.
func (r *Import) each(see func(t int, read *roundReader) error) error {
	var first bytes.Buffer
	if err := NewWriter(&first).Header(r.header(Header{})); err != nil {
		return err
	}
	var p roundReader
	p.Reset(bytes.TrimSpace(first.Bytes()))
	refused := func(what string) error {
		_, fault, _ := strings.Cut(p.Err.Error(), ": ") // without the column
		return fmt.Errorf("problems: %s cannot be written: %s", what, fault)
	}
	if p.header(); p.Err != nil {
		return refused("the header")
	}
	for k, row := range r.table {
		p.ForgetVectors()
		if p.expand("column ", row); p.Err != nil {
			return refused(fmt.Sprintf("round %d", k+1))
		}
		if err := see(k+1, &p); err != nil {
			return err
		}
	}
	return p.Err
}

// Scarce returns an empty string if some action satisfies the sums of the constraints. Else
// X^max is empty, and it says what the budget is, in its unit.
func (r *Import) Scarce() (string, error) {
	n := r.Domain.Dim()
	sums := make([]*convex.Form, r.Constraints)
	for j := range sums {
		sums[j] = convex.NewForm(n)
	}
	zeros := make([]float64, n)
	if err := r.each(func(_ int, read *roundReader) error {
		for j := range sums {
			read.g[j].Func(zeros).AddTo(sums[j], 1)
		}
		return nil
	}); err != nil {
		return "", err
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

func (p Portfolio) rounds(table [][]float64) *Import {
	n := len(table[0])
	row := fmt.Sprintf(`["r",%d]`, n)
	const squared = `{"scale":%v,"of":{"squares":{"rows":["r"],"y":[0]}}}` // half of (ρ·x)²
	loss := fmt.Sprintf(`{"lin":{"of":"r","over":%v}}`, -p.Unit)
	switch p.Loss {
	case "log":
		loss = fmt.Sprintf(`{"terms":[{"scale":%v,"of":{"ridge":{"curve":"neglog","a":"r","b":1}}}]}`,
			1/p.Unit)
	case "quadratic":
		loss = fmt.Sprintf(`{"lin":{"of":"r","over":%v},"terms":[`+squared+`]}`, -p.Unit, 1/p.Unit)
	}
	g := fmt.Sprintf(`{"const":-1,"terms":[`+squared+`]}`, 2/p.Budget/p.Budget)
	if p.Turnover {
		row, g = fmt.Sprintf(`%s,["traded",%d]`, row, n), `{"const":-1,"lin":"traded"}`
		for t, rho := range table {
			mean := 0.0
			for _, v := range rho {
				mean += v / float64(n)
			}
			for _, v := range rho {
				table[t] = append(table[t], math.Abs(v-mean)/p.Budget)
			}
		}
	}
	return &Import{Domain: &convex.Simplex{N: n, Scale: 1}, Constraints: 1, Count: len(table),
		table: table, rounds: meaning(row, loss, g), budget: p.budgetOf}
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
	r = &Import{Domain: domain, Constraints: 1, Count: len(rows), table: rows,
		functions: fmt.Sprintf(`{"done":{"terms":[{"scale":%v,"of":{"separable":{"curve":"neglog",`+
			`"rate":%s,"offset":1}}}]}}`, n*j.Gain, listed(slices.Repeat([]float64{j.Rate / n}, zones))),
		rounds: meaning(fmt.Sprintf(`"jobs",["price",%d]`, zones), `{"lin":"price"}`,
			`{"const":"jobs","terms":[{"of":"done"}]}`)}
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
	names, lin := `"jobs"`, ""
	for z := range zones {
		name := fmt.Sprintf(`,"z%d"`, z+1)
		names, lin = names+name, lin+strings.Repeat(name, k)
	}
	r = &Import{Domain: domain, Constraints: 1, Count: len(rows), table: rows,
		rounds: meaning(names, fmt.Sprintf(`{"lin":[%s]}`, lin[1:]),
			fmt.Sprintf(`{"const":"jobs","lin":%s}`, listed(slices.Repeat(slopes, zones))))}
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

func (g Regression) rounds(table [][]float64) *Import {
	n := len(table[0]) - 1
	over := fmt.Sprintf(`{"const":{"of":"y","times":-1,"plus":%v},"lin":"h"}`, -g.Bias)
	under := fmt.Sprintf(`{"const":{"of":"y","plus":%v},"lin":{"of":"h","times":-1}}`, -g.Bias)
	return &Import{Domain: convex.Cube(n, -g.Radius, g.Radius), Constraints: 2, Count: len(table),
		table: table, rounds: meaning(fmt.Sprintf(`"y",["h",%d]`, n),
			`{"terms":[{"of":{"squares":{"rows":["h"],"y":["y"]}}}]}`, over, under)}
}
