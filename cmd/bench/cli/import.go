package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
	"ocobench/internal/input"
	"ocobench/problems"
)

type importCmd struct {
	Portfolio     importPortfolio  `cmd:"" help:"Turn returns or prices of assets into rounds."`
	JobScheduling importJobs       `cmd:"" help:"Turn prices of power and a demand into rounds."`
	Regression    importRegression `cmd:"" help:"Turn features and labels into rounds."`
}

// maxImported is the largest dimension of imported rounds: a problem of more has
// matrices of more than a million entries in every round.
const maxImported = 1000

// importFlags are the flags of every kind of import.
type importFlags struct {
	File   path     `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	Ignore []string `help:"Columns that are not read, such as dates." placeholder:"NAMES"`
	Out    path     `help:"The file of the rounds. Default: standard output." placeholder:"FILE.jsonl"`
}

// rounds are the rounds of a file.
type rounds struct {
	domain      convex.Set
	constraints int
	count       int
	reveal      func(t int) convex.Round // t from 0; the round is valid until the next call
}

// empty tells whether X^max is empty: no action satisfies the sums of the
// constraints.
func (r *rounds) empty() (bool, error) {
	n := r.domain.Dim()
	sums := make([]*convex.Form, r.constraints)
	for j := range sums {
		sums[j] = convex.NewForm(n)
	}
	for t := range r.count {
		for j, g := range r.reveal(t).Constraints {
			g.AddTo(sums[j], 1)
		}
	}
	p := convex.NewProgram(r.domain)
	for _, sum := range sums {
		p.Constrain(sum)
	}
	_, err := p.Minimize(make([]float64, n), convex.NewForm(n))
	if errors.Is(err, convex.ErrEmpty) {
		return true, nil
	}
	return false, err
}

// open opens the file, reads its header, and finds the ignored columns.
func (f *importFlags) open() (s *sheet, ignored []int, err error) {
	if s, err = openSheet(string(f.File), "round"); err != nil {
		return nil, nil, err
	}
	if ignored, err = s.find("--ignore", f.Ignore); err != nil {
		s.file.Close()
	}
	return s, ignored, err
}

// write writes the rounds, or nothing if a number is not finite.
func (f *importFlags) write(e *env, kind string, r *rounds) error {
	write := func(to io.Writer) error {
		w := problems.NewRoundWriter(to)
		p := harness.Provenance()
		err := w.WriteHeader(problems.RoundHeader{
			Domain: r.domain, Constraints: r.constraints, Problem: "import " + kind + " " + string(f.File),
			Version: p.Version, Go: p.Go, GOARCH: p.GOARCH,
		})
		for t := 0; t < r.count && err == nil; t++ {
			err = w.WriteRound(t+1, nil, r.reveal(t))
		}
		return err
	}
	if err := write(io.Discard); err != nil {
		return fmt.Errorf("%s: %w; are its numbers in the right units?", input.Shown(string(f.File)), err)
	}
	switch empty, err := r.empty(); {
	case err != nil:
		fmt.Fprintf(e.stderr, "bench: warning: it could not be determined whether some fixed action meets the constraints: %v\n", err)
	case empty:
		fmt.Fprintf(e.stderr, "bench: warning: no fixed action meets the constraints on average over the %s: X^max is empty; is the budget in the right units?\n", plural(r.count, "round"))
	}
	summary := fmt.Sprintf("%s in %s with %s", plural(r.count, "round"), plural(r.domain.Dim(), "dimension"), plural(r.constraints, "constraint"))
	if f.Out == "" {
		out := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := write(out); err != nil {
			return err
		}
		fmt.Fprintln(e.stderr, summary)
		return out.Flush()
	}
	if err := writeFile(string(f.Out), write); err != nil {
		return fmt.Errorf("--out: %s: %w", f.Out, err)
	}
	out := input.Shown(string(f.Out))
	fmt.Fprintf(e.stderr, "%s in %s; play them with --problem trace:file=%s --horizon %d\n", summary, out, out, r.count)
	return nil
}

type importPortfolio struct {
	importFlags
	Assets   []string `help:"Columns of the assets. Default: all." placeholder:"NAMES"`
	Prices   bool     `help:"Cells are prices p_t. A round has the return p_t/p_(t-1) - 1, so there is one round less than lines."`
	Loss     string   `help:"The loss, linear or quadratic; default ${default}." enum:"linear,quadratic" default:"linear" placeholder:"linear|quadratic"`
	Budget   string   `help:"The constraint, risk or turnover; default ${default}." enum:"risk,turnover" default:"risk" placeholder:"risk|turnover"`
	Risk     positive `help:"The budget of risk; default ${default}." default:"0.015" placeholder:"NUMBER"`
	Turnover positive `help:"The budget of turnover; default ${default}." default:"0.01" placeholder:"NUMBER"`
	Unit     positive `help:"The unit of the losses; default ${default}, one percent." default:"0.01" placeholder:"NUMBER"`
}

// Help implements the verb's help.
func (*importPortfolio) Help() string {
	return `Every line is a round, every column an asset, and every cell the return of the
asset in the round: 0.01 is one percent. ρ_t are the returns, and x in the
simplex are the shares of wealth:

    linear      f_t(x) = −ρ_t·x/unit
    quadratic   f_t(x) = (−ρ_t·x + ½(ρ_t·x)²)/unit
    risk        g_t(x) = (ρ_t·x)²/risk² − 1
    turnover    g_t(x) = Σ_i |ρ_{t,i} − ρ̄_t| x_i/turnover − 1, ρ̄_t the mean of ρ_t

The loss of log-wealth is −log(1+ρ·x), but files of rounds have affine and
quadratic functions only. linear is its first-order approximation and a lower
bound. quadratic is its second-order approximation; its error is |ρ·x|³/3 to
leading order. (The problem portfolio has the logarithm, on synthetic returns.)
Under risk the sum of g_t is ≤ 0 if the mean of the squared returns is at most
risk². Under turnover it is ≤ 0 if a bound of the mean turnover of rebalancing
to x is at most the budget.

` + sheetLimits + `
There are at most 1000 assets.`
}

// Run implements the verb.
func (c *importPortfolio) Run(e *env) error {
	s, ignored, err := c.open()
	if err != nil {
		return err
	}
	defer s.file.Close()
	assets, err := s.find("--assets", c.Assets)
	if err != nil {
		return err
	}
	if len(assets) == 0 {
		assets = s.rest(ignored...)
	}
	if len(assets) < 2 {
		return fmt.Errorf("%s:1:1: %s chosen (expected at least two)", s.name, plural(len(assets), "asset"))
	}
	if len(assets) > maxImported {
		return fmt.Errorf("%s:1:1: %d assets chosen (expected at most %d; name them in --assets)", s.name, len(assets), maxImported)
	}
	var columns []column
	for _, at := range assets {
		if c.Prices {
			columns = append(columns, column{at, "a price > 0", func(v float64) bool { return v > 0 }})
		} else {
			columns = append(columns, column{at, "a return > -1, such as 0.01 for one percent", func(v float64) bool { return v > -1 }})
		}
	}
	rows, err := s.numbers(columns)
	if err != nil {
		return err
	}
	if c.Prices {
		if len(rows) < 2 {
			return fmt.Errorf("%s:3: the file ends after one line of prices (expected at least two, for a return)", s.name)
		}
		for t := range len(rows) - 1 {
			for i, p := range rows[t] {
				rows[t][i] = rows[t+1][i]/p - 1
			}
		}
		rows = rows[:len(rows)-1]
	}
	return c.write(e, "portfolio", c.rounds(rows))
}

func (c *importPortfolio) rounds(rows [][]float64) *rounds {
	n := len(rows[0])
	linear := &convex.Quadratic{A: make([]float64, n)}
	risk := &convex.Quadratic{Q: make([]float64, n*n), A: make([]float64, n), B: -1}
	turnover := &convex.Affine{A: make([]float64, n), B: -1}
	affine := &convex.Affine{A: linear.A}
	if c.Loss == "quadratic" {
		linear.Q = make([]float64, n*n)
	}
	return &rounds{&convex.Simplex{N: n, Scale: 1}, 1, len(rows), func(t int) (r convex.Round) {
		rho, mean := rows[t], 0.0
		for i, v := range rho {
			linear.A[i] = -v / float64(c.Unit)
			mean += v / float64(n)
		}
		r.Loss = affine
		if c.Loss == "quadratic" {
			outer(linear.Q, rho, 1/float64(c.Unit))
			r.Loss = linear
		}
		if c.Budget == "risk" {
			outer(risk.Q, rho, 2/float64(c.Risk)/float64(c.Risk))
			r.Constraints = []convex.Func{risk}
			return r
		}
		for i, v := range rho {
			turnover.A[i] = math.Abs(v-mean) / float64(c.Turnover)
		}
		r.Constraints = []convex.Func{turnover}
		return r
	}}
}

// outer sets the matrix q to scale·vvᵀ, symmetric to the last bit.
func outer(q, v []float64, scale float64) {
	for i, a := range v {
		for j, b := range v {
			q[i*len(v)+j] = scale * (a * b)
		}
	}
}

type importJobs struct {
	importFlags
	Demand   string   `help:"The column of the demand." required:"" placeholder:"NAME"`
	Prices   []string `help:"The columns of the prices, one for each zone. Default: all other columns." placeholder:"NAMES"`
	Servers  count    `help:"The number of servers N in every zone; default ${default}." default:"10" placeholder:"N"`
	Power    positive `help:"The largest power P of a server; default ${default}." default:"30" placeholder:"NUMBER"`
	Gain     positive `help:"The factor of the logarithm in h; default ${default}." default:"4" placeholder:"NUMBER"`
	Rate     positive `help:"The factor of p in h; default ${default}." default:"4" placeholder:"NUMBER"`
	Segments count    `help:"The number of chords K that approximate h; default ${default}." default:"8" placeholder:"K"`
}

// Help implements the verb's help.
func (*importJobs) Help() string {
	return `Every line is a round: the price of power in each zone, and the demand, which is
the number of jobs that arrive. Zone z buys power at the price c_{t,z} for N
servers, and a server with power p ≤ P does h(p) = gain·log(1+rate·p) jobs:

    f_t = Σ_z c_{t,z}·(power of z),   g_t = demand_t − (jobs done) ≤ 0.

Files of rounds have affine and quadratic functions only. So K chords replace h,
between powers at which log(1+rate·p) is evenly spaced. An action has for every
zone K powers 0 ≤ x_k ≤ N·(length of the k-th chord). The power x_k costs
c_{t,z}·x_k and does s_k·x_k jobs, where s_k is the slope of the chord. Since h
is concave, the slopes decrease, and the cheapest actions use the chords in
order. The chords are below h: the servers can do the jobs that the chords do.
The largest difference is printed on standard error.

` + sheetLimits + `
There are at most 1000 powers.`
}

// Run implements the verb.
func (c *importJobs) Run(e *env) error {
	s, ignored, err := c.open()
	if err != nil {
		return err
	}
	defer s.file.Close()
	demand, err := s.find("--demand", []string{c.Demand})
	if err != nil {
		return err
	}
	prices, err := s.find("--prices", c.Prices)
	if err != nil {
		return err
	}
	if len(prices) == 0 {
		prices = s.rest(append(ignored, demand...)...)
	}
	switch {
	case len(prices) == 0:
		return fmt.Errorf("%s:1:1: there is no column of prices (expected one for each zone, beside the demand)", s.name)
	case slices.Contains(prices, demand[0]):
		return fmt.Errorf("--prices: the column %q is the demand", c.Demand)
	case int(c.Segments) > maxImported/len(prices):
		return fmt.Errorf("--segments: %d chords for each of %s make more than %d dimensions", c.Segments, plural(len(prices), "zone"), maxImported)
	}
	columns := []column{{demand[0], "a number of jobs ≥ 0", func(v float64) bool { return v >= 0 }}}
	for _, at := range prices {
		columns = append(columns, column{at, "a price", anything})
	}
	rows, err := s.numbers(columns)
	if err != nil {
		return err
	}
	r, off, all, err := c.rounds(rows)
	if err != nil {
		return err
	}
	if err := c.write(e, "job-scheduling", r); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "the chords do at most %.3g jobs a round less than the servers can, of %.4g at full power\n", off, all)
	return nil
}

// rounds also returns the largest number of jobs by which the chords are below h for
// all servers, and the jobs of all servers at full power.
func (c *importJobs) rounds(rows [][]float64) (r *rounds, off, all float64, err error) {
	a, b, power, n := float64(c.Gain), float64(c.Rate), float64(c.Power), float64(c.Servers)
	zones, k := len(rows[0])-1, int(c.Segments)
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
		off = max(off, float64(a*vec.Log((1+float64(b*at))/(1+float64(b*before))))-float64(slope*(at-before)))
		upper, slopes = append(upper, n*(end-before)), append(slopes, -slope)
		before = end
	}
	domain, err := convex.NewBox(make([]float64, zones*k), slices.Repeat(upper, zones))
	if err != nil {
		return nil, 0, 0, fmt.Errorf("--power, --rate or --servers: %w", err)
	}
	loss := &convex.Affine{A: make([]float64, zones*k)}
	g := &convex.Affine{A: slices.Repeat(slopes, zones)}
	r = &rounds{domain, 1, len(rows), func(t int) convex.Round {
		g.B = rows[t][0]
		for i := range loss.A {
			loss.A[i] = rows[t][1+i/k]
		}
		return convex.Round{Loss: loss, Constraints: []convex.Func{g}}
	}}
	servers := n * float64(zones)
	return r, servers * off, servers * a * top, nil
}

type importRegression struct {
	importFlags
	Label     string   `help:"The column of the label." required:"" placeholder:"NAME"`
	Features  []string `help:"The columns of the features. Default: all other columns." placeholder:"NAMES"`
	Intercept bool     `help:"Add a last feature that is 1."`
	Radius    positive `help:"The largest absolute value of a weight; default ${default}." default:"10" placeholder:"NUMBER"`
	Bias      positive `help:"The largest absolute value of the mean error; default ${default}." default:"0.1" placeholder:"NUMBER"`
}

// Help implements the verb's help.
func (*importRegression) Help() string {
	return `Every line is a round: features h_t and a label y_t. With weights x in the box
[−radius, radius]^n:

    f_t(x) = ½(h_t·x − y_t)²
    g_t(x) = (h_t·x − y_t − bias,  y_t − h_t·x − bias)

The sums of g_t are ≤ 0 if the mean error is within ±bias, that is if the
predictions are right on average.

` + sheetLimits + `
There are less than 1000 features.`
}

// Run implements the verb.
func (c *importRegression) Run(e *env) error {
	s, ignored, err := c.open()
	if err != nil {
		return err
	}
	defer s.file.Close()
	label, err := s.find("--label", []string{c.Label})
	if err != nil {
		return err
	}
	features, err := s.find("--features", c.Features)
	if err != nil {
		return err
	}
	if len(features) == 0 {
		features = s.rest(append(ignored, label...)...)
	}
	switch {
	case len(features) == 0:
		return fmt.Errorf("%s:1:1: there is no column of features (expected at least one, beside the label)", s.name)
	case slices.Contains(features, label[0]):
		return fmt.Errorf("--features: the column %q is the label", c.Label)
	case len(features) >= maxImported:
		return fmt.Errorf("%s:1:1: %d features (expected less than %d; name them in --features)", s.name, len(features), maxImported)
	}
	columns := []column{{label[0], "a number", anything}}
	for _, at := range features {
		columns = append(columns, column{at, "a number", anything})
	}
	rows, err := s.numbers(columns)
	if err != nil {
		return err
	}
	if c.Intercept {
		for t := range rows {
			rows[t] = append(rows[t], 1)
		}
	}
	return c.write(e, "regression", c.rounds(rows))
}

func (c *importRegression) rounds(rows [][]float64) *rounds {
	n := len(rows[0]) - 1
	loss := &convex.LeastSquares{Y: make([]float64, 1)}
	over, under := &convex.Affine{}, &convex.Affine{A: make([]float64, n)}
	return &rounds{convex.Cube(n, -float64(c.Radius), float64(c.Radius)), 2, len(rows), func(t int) convex.Round {
		y, h := rows[t][0], rows[t][1:]
		loss.Y[0], loss.H = y, h
		over.A, over.B = h, -y-float64(c.Bias)
		for i, v := range h {
			under.A[i] = -v
		}
		under.B = y - float64(c.Bias)
		return convex.Round{Loss: loss, Constraints: []convex.Func{over, under}}
	}}
}
