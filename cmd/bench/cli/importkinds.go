package cli

import (
	"ocobench/internal/input"
	"ocobench/problems/rounds"
)

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

` + input.SheetLimits + `
There are at most 1000 assets.`
}

// Run implements the verb.
func (c *importPortfolio) Run(e *env) error {
	p := rounds.Portfolio{
		Prices: c.Prices, Quadratic: c.Loss == "quadratic", Turnover: c.Budget == "turnover",
		Budget: float64(c.Risk), Unit: float64(c.Unit),
	}
	if p.Turnover {
		p.Budget = float64(c.Turnover)
	}
	return c.run(e, "portfolio", picked{}, picked{"assets", c.Assets}, p)
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

` + input.SheetLimits + `
There are at most 1000 powers.`
}

// Run implements the verb.
func (c *importJobs) Run(e *env) error {
	j := rounds.Jobs{Servers: int(c.Servers), Segments: int(c.Segments)}
	j.Power, j.Gain, j.Rate = float64(c.Power), float64(c.Gain), float64(c.Rate)
	return c.run(e, "job-scheduling", picked{"demand", []string{c.Demand}}, picked{"prices", c.Prices}, j)
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

` + input.SheetLimits + `
There are less than 1000 features.`
}

// Run implements the verb.
func (c *importRegression) Run(e *env) error {
	return c.run(e, "regression", picked{"label", []string{c.Label}}, picked{"features", c.Features},
		rounds.Regression{Intercept: c.Intercept, Radius: float64(c.Radius), Bias: float64(c.Bias)})
}
