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
	Portfolio     importPortfolio  `cmd:"" help:"Returns, or prices, of assets."`
	JobScheduling importJobs       `cmd:"" help:"Prices of power in zones, and the demand."`
	Regression    importRegression `cmd:"" help:"Features and labels."`
}

// maxImported is the largest dimension of imported rounds: a problem of more has
// matrices of more than a million entries in every round.
const maxImported = 1000

// importFlags are those of every kind.
type importFlags struct {
	File   path     `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	Ignore []string `help:"Columns that are not read, such as dates." placeholder:"NAMES"`
	Out    path     `help:"Where the rounds go; default: standard output." placeholder:"FILE.jsonl"`
}

// rounds are what a file comes to.
type rounds struct {
	domain      convex.Set
	constraints int
	count       int
	reveal      func(t int) convex.Round // from 0; valid until the next
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

// open reads the header and finds the columns that are for something, and
// those that are ignored.
func (f *importFlags) open() (s *sheet, ignored []int, err error) {
	if s, err = openSheet(string(f.File), "round"); err != nil {
		return nil, nil, err
	}
	if ignored, err = s.find("--ignore", f.Ignore); err != nil {
		s.file.Close()
	}
	return s, ignored, err
}

// write writes rounds that are known to be finite, or nothing.
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
	said := fmt.Sprintf("%s in %s with %s", plural(r.count, "round"), plural(r.domain.Dim(), "dimension"), plural(r.constraints, "constraint"))
	if f.Out == "" {
		out := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := write(out); err != nil {
			return err
		}
		fmt.Fprintln(e.stderr, said)
		return out.Flush()
	}
	if err := writeFile(string(f.Out), write); err != nil {
		return fmt.Errorf("--out: %s: %w", f.Out, err)
	}
	out := input.Shown(string(f.Out))
	fmt.Fprintf(e.stderr, "%s in %s; play them with --problem trace:file=%s --horizon %d\n", said, out, out, r.count)
	return nil
}

type importPortfolio struct {
	importFlags
	Assets   []string `help:"Columns of the assets; default: all." placeholder:"NAMES"`
	Prices   bool     `help:"Cells are prices; a round has the return p_t/p_(t-1) - 1, and there is one round fewer."`
	Loss     string   `help:"linear or quadratic; default ${default}." enum:"linear,quadratic" default:"linear"`
	Budget   string   `help:"risk or turnover; default ${default}." enum:"risk,turnover" default:"risk"`
	Risk     positive `help:"Budget of risk; default ${default}." default:"0.015" placeholder:"NUMBER"`
	Turnover positive `help:"Budget of turnover; default ${default}." default:"0.01" placeholder:"NUMBER"`
	Unit     positive `help:"Unit of the losses; default ${default}, a percent." default:"0.01" placeholder:"NUMBER"`
}

// Help implements the verb's help.
func (*importPortfolio) Help() string {
	return `Every line is a round, every column an asset, every cell its return in the
round: 0.01 is one percent. With ρ_t the returns, x_i the share of wealth in
asset i, x in the simplex:

    linear      f_t(x) = −ρ_t·x/unit
    quadratic   f_t(x) = (−ρ_t·x + ½(ρ_t·x)²)/unit
    risk        g_t(x) = (ρ_t·x)²/risk² − 1
    turnover    g_t(x) = Σ_i |ρ_{t,i} − ρ̄_t| x_i/turnover − 1, ρ̄_t the mean of ρ_t

Round files hold affine and quadratic functions. −log(1+ρ·x), what log-wealth
loses, is not one: linear is its first-order approximation, from below, and
quadratic its second-order one, off by |ρ·x|³/3 to leading order (the problem
portfolio has the function itself, on synthetic returns). The sums of g_t are
≤ 0 where the mean of squared returns is at most risk², and where a bound of
the mean turnover of trading back to x is at most the budget.

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
		return fmt.Errorf("%s:1:1: %s to choose from (expected two at least)", s.name, plural(len(assets), "asset"))
	}
	if len(assets) > maxImported {
		return fmt.Errorf("%s:1:1: %d assets to choose from (expected at most %d; name them in --assets)", s.name, len(assets), maxImported)
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
			return fmt.Errorf("%s:3: the file ends after one line of prices (expected two at least, for a return)", s.name)
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

// outer writes scale·vvᵀ to the matrix q, symmetric to the last bit.
func outer(q, v []float64, scale float64) {
	for i, a := range v {
		for j, b := range v {
			q[i*len(v)+j] = scale * (a * b)
		}
	}
}

type importJobs struct {
	importFlags
	Demand   string   `help:"Column of the demand." required:"" placeholder:"NAME"`
	Prices   []string `help:"Columns of the prices, one a zone; default: all others." placeholder:"NAMES"`
	Servers  count    `help:"Servers in every zone; default ${default}." default:"10" placeholder:"N"`
	Power    positive `help:"The most power that a server takes, P; default ${default}." default:"30" placeholder:"NUMBER"`
	Gain     positive `help:"a in the jobs h(p) = a log(1+bp) that a server does; default ${default}." default:"4" placeholder:"NUMBER"`
	Rate     positive `help:"b in the same; default ${default}." default:"4" placeholder:"NUMBER"`
	Segments count    `help:"Chords that stand for h, K; default ${default}." default:"8" placeholder:"K"`
}

// Help implements the verb's help.
func (*importJobs) Help() string {
	return `Every line is a round: what a unit of power costs in each zone, and the jobs
that come. Zone z buys power at the price c_{t,z} for N servers, each of which
does h(p) = gain·log(1+rate·p) jobs with power p ≤ P:

    f_t = Σ_z c_{t,z}·(power of z),   g_t = demand_t − (jobs done) ≤ 0.

Round files hold affine and quadratic functions, and h is neither. K chords
stand for it, between powers at which log(1+rate·p) is evenly spaced. As h is
concave, they are below it, and their slopes s_1 > s_2 > … fall, so that no
order need be imposed: an action has for every zone K powers 0 ≤ x_k ≤ N·(length
of the k-th chord), which cost c_{t,z} and do s_k x_k jobs, and constraints are
affine. What the chords serve, the servers can serve; how much more, at most, is
said on standard error.

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
		return fmt.Errorf("%s:1:1: there is no column of prices (expected one a zone, beside the demand)", s.name)
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
	fmt.Fprintf(e.stderr, "chords serve at most %.3g jobs a round less than the servers could, of %.4g\n", off, all)
	return nil
}

// rounds returns also by how much chords are below the jobs that all servers
// do, at most, and what that is at full power.
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
		// The chord is farthest below h where the slopes are the same.
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
	Label     string   `help:"Column of the label." required:"" placeholder:"NAME"`
	Features  []string `help:"Columns of the features; default: all others." placeholder:"NAMES"`
	Intercept bool     `help:"Add a feature that is 1, as the last one."`
	Radius    positive `help:"Weights are within plus or minus this; default ${default}." default:"10" placeholder:"NUMBER"`
	Bias      positive `help:"How far from 0 the mean error may be; default ${default}." default:"0.1" placeholder:"NUMBER"`
}

// Help implements the verb's help.
func (*importRegression) Help() string {
	return `Every line is a round: features h_t and a label y_t. With weights x in the box
[−radius, radius]^n:

    f_t(x) = ½(h_t·x − y_t)²
    g_t(x) = (h_t·x − y_t − bias,  y_t − h_t·x − bias)

Both are written out as they are. The sums of g_t are ≤ 0 where the mean error
is within ±bias: predictions that are right on average.

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
		return fmt.Errorf("%s:1:1: there is no column of features (expected one at least, beside the label)", s.name)
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
