package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

// Each kind of import is a verb below bench import, with flags of its own:
//
//	Run of the kind → importColumns finds the columns → recorded.Kind.Read → writeRounds
//
// The flags come first, then these steps, and then the kinds.

// importCmd holds the verbs of bench import, one for each kind of rounds.
type importCmd struct {
	Portfolio     importPortfolio  `cmd:"" help:"Turn returns or prices of assets into rounds."`
	JobScheduling importJobs       `cmd:"" help:"Turn prices of power and a demand into rounds."`
	Regression    importRegression `cmd:"" help:"Turn features and labels that are numbers into rounds."`
	Logistic      importLogistic   `cmd:"" help:"Turn features and labels of two classes into rounds."`
	Experts       importExperts    `cmd:"" help:"Turn losses of experts into rounds."`
	Budgets       importBudgets    `cmd:"" help:"Turn costs of options and what they use of resources into rounds."`
}

// importFlags holds the flags of every kind of import.
type importFlags struct {
	File path `arg:"" help:"The CSV file, with a header." placeholder:"FILE.csv"`
	sheetFlags
	Time    []string `help:"The columns of the time, or none; default: those of dates, or named such as date." placeholder:"NAMES|none"`
	Reverse bool     `help:"Reverse the lines of a file whose time falls."`
	Out     path     `help:"The file of the rounds, gzipped if it ends in .gz; default: standard output." placeholder:"FILE.jsonl"`
}

// writeRounds writes the imported rounds and describes them. It writes nothing if a number is not
// finite.
func (f *importFlags) writeRounds(e *env, name string, r *recorded.Import) error {
	p := store.CurrentProvenance()
	h := recorded.Header{Problem: "import " + name + " " + string(f.File), Version: p.Version,
		Go: p.Go, GOARCH: p.GOARCH}
	write := func(to io.Writer) error { return r.Write(to, h) }
	if err := write(io.Discard); err != nil {
		return fmt.Errorf("%s: %w; are its numbers in the right units?", input.Shown(string(f.File)), err)
	}
	if f.Out != "" {
		if err := f.Out.writeRounds("--out", write); err != nil {
			return err
		}
	} else {
		out := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := errors.Join(write(out), out.Flush()); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintln(e.stderr, input.Message(note))
	}
	switch shortage, err := r.Shortage(); {
	case err != nil:
		fmt.Fprintf(e.stderr, "bench: warning: it could not be determined whether some fixed action "+
			"meets the constraints: %v\n", err)
	case shortage != "":
		e.warn(fmt.Errorf("no fixed action meets the constraints on average over the %s: X^max is "+
			"empty; %s", plural(r.Count, "round"), shortage))
	}
	fmt.Fprintf(e.stderr, "%s in %s with %s", plural(r.Count, "round"),
		plural(r.Domain.Dim(), "dimension"), plural(r.Constraints, "constraint"))
	if out := input.Shown(string(f.Out)); out != "" {
		fmt.Fprintf(e.stderr, " in %s; play them with --problem trace:file=%s --horizon %d", out, out,
			r.Count)
	}
	_, err := fmt.Fprintln(e.stderr)
	return err
}

// findColumns returns the positions of the columns that a flag names. A name may be a pattern such
// as r*, which stands for all columns that it matches, in the order of the file.
func findColumns(s *input.Sheet, flag string, names []string) (at []int, err error) {
	for _, name := range names {
		found := columnsNamed(s, name)
		if len(found) == 0 {
			err := spec.Unknown("column", name, readableColumns(s), spec.Pos{})
			return nil, fmt.Errorf("--%s: %s:1:1: %w", flag, input.Shown(s.Name), err)
		}
		for _, k := range found {
			if slices.Contains(at, k) {
				return nil, fmt.Errorf("--%s: the column %q comes twice", flag, s.Names[k])
			}
			at = append(at, k)
		}
	}
	return at, nil
}

// columnsNamed returns the position of the column of a name. If there is none, and the name is a
// pattern, it returns the positions of all columns that match: * stands for any characters, and ?
// for one.
func columnsNamed(s *input.Sheet, name string) (at []int) {
	if k, ok := s.At(name); ok {
		return []int{k}
	}
	if !strings.ContainsAny(name, "*?") {
		return nil
	}
	pattern := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(name))
	match := regexp.MustCompile("^(?s:" + pattern + ")$")
	for _, k := range s.Rest() {
		if match.MatchString(s.Names[k]) {
			at = append(at, k)
		}
	}
	return at
}

// columnChoice holds a flag that names the columns of a role, without its --, and its value.
type columnChoice struct {
	flag  string
	names []string
}

// importColumns makes rounds of a file and writes them. The columns have two roles. Only the
// columns that the flag of own names have the first role, such as the label. The columns that the
// flag of many names have the second role, such as the features; if it names none, all the rest do.
// A kind whose columns have one role, such as portfolio, has the zero value for own. The name is
// that of the kind.
func (f *importFlags) importColumns(e *env, name string, own, many columnChoice,
	kind recorded.Kind) error {
	s, err := f.openSheet(f.File, "round")
	if err != nil {
		return err
	}
	defer s.Close()
	ignored, err := findColumns(s, "ignore", f.Ignore)
	if err != nil {
		return err
	}
	ownColumns, err := findColumns(s, own.flag, own.names)
	if err != nil {
		return err
	}
	manyColumns, err := findColumns(s, many.flag, many.names)
	if err != nil {
		return err
	}
	manyWereNamed := len(manyColumns) > 0
	if !manyWereNamed {
		manyColumns = s.Rest(slices.Concat(ignored, ownColumns)...)
	}
	for _, k := range ownColumns {
		if slices.Contains(manyColumns, k) {
			return fmt.Errorf("--%s: the column %q is the %s", many.flag, s.Names[k], own.flag)
		}
	}
	c := recorded.Columns{Own: ownColumns, Many: manyColumns, ManyWereNamed: manyWereNamed,
		Reverse: f.Reverse, NoTime: slices.Equal(f.Time, []string{"none"})}
	if !c.NoTime {
		if c.Time, err = findColumns(s, "time", f.Time); err != nil {
			return err
		}
	}
	c.Others = s.Rest(slices.Concat(ignored, ownColumns, manyColumns)...)
	rounds, err := kind.Read(s, c)
	if err != nil {
		return err
	}
	return f.writeRounds(e, name, rounds)
}

// importPortfolio holds the flags of bench import portfolio, which makes rounds of returns or
// prices of assets.
type importPortfolio struct {
	importFlags
	Assets   []string `help:"Columns of the assets. Default: all." placeholder:"NAMES"`
	Cells    string   `help:"What the cells are: one percent is 0.01 (fraction), 1 (percent), 1.01 (factor); or price; default: what they look like." enum:",fraction,percent,factor,price" default:"" placeholder:"fraction|percent|factor|price"`
	Prices   bool     `help:"The same as --cells price: rounds p_t/p_(t-1) - 1, one less than lines."`
	Loss     string   `help:"The loss; default ${default}." enum:"linear,quadratic,log" default:"linear" placeholder:"linear|quadratic|log"`
	Budget   string   `help:"The constraint; default ${default}." enum:"risk,turnover" default:"risk" placeholder:"risk|turnover"`
	Risk     positive `help:"The budget of risk; default ${default}." default:"0.015" placeholder:"NUMBER"`
	Turnover positive `help:"The budget of turnover; default ${default}." default:"0.01" placeholder:"NUMBER"`
	Unit     positive `help:"The unit of the losses; default ${default}, one percent." default:"0.01" placeholder:"NUMBER"`
}

// Run implements the verb.
func (c *importPortfolio) Run(e *env) error {
	p := recorded.Portfolio{
		Cells: recorded.Cells(c.Cells), Loss: c.Loss, Turnover: c.Budget == "turnover",
		Budget: float64(c.Risk), Unit: float64(c.Unit),
	}
	if p.Turnover {
		p.Budget = float64(c.Turnover)
	}
	switch {
	case c.Prices && p.Cells != "" && p.Cells != recorded.Price:
		return fmt.Errorf("--prices says that cells are prices, and --cells %s that they are not",
			c.Cells)
	case c.Prices:
		p.Cells = recorded.Price
	}
	return c.importColumns(e, "portfolio", columnChoice{}, columnChoice{"assets", c.Assets}, p)
}

// importJobs holds the flags of bench import job-scheduling, which makes rounds of prices of power
// and a demand.
type importJobs struct {
	importFlags
	Demand   string   `help:"The column of the demand." required:"" placeholder:"NAME"`
	Prices   []string `help:"The columns of the prices, one a zone; default: all others." placeholder:"NAMES"`
	Servers  count    `help:"The number of servers N in every zone; default ${default}." default:"10" placeholder:"N"`
	Power    positive `help:"The largest power P of a server; default ${default}." default:"30" placeholder:"NUMBER"`
	Gain     positive `help:"The factor of the logarithm in h; default ${default}." default:"4" placeholder:"NUMBER"`
	Rate     positive `help:"The factor of p in h; default ${default}." default:"4" placeholder:"NUMBER"`
	Segments *count   `help:"Replace h by K chords, so that rounds are affine." placeholder:"K"`
}

// Run implements the verb.
func (c *importJobs) Run(e *env) error {
	j := recorded.Jobs{Servers: int(c.Servers)}
	if c.Segments != nil {
		j.Segments = int(*c.Segments)
	}
	j.Power, j.Gain, j.Rate = float64(c.Power), float64(c.Gain), float64(c.Rate)
	return c.importColumns(e, "job-scheduling", columnChoice{"demand", []string{c.Demand}},
		columnChoice{"prices", c.Prices},
		j)
}

// importRegression holds the flags of bench import regression, which makes rounds of features and
// labels that are numbers.
type importRegression struct {
	importFlags
	Label     string   `help:"The column of the label." required:"" placeholder:"NAME"`
	Features  []string `help:"The columns of the features; default: all others." placeholder:"NAMES"`
	Intercept bool     `help:"Add a last feature that is 1."`
	// Standardise is off by default: it uses the mean of the whole file, which an algorithm cannot
	// know in its first round.
	Standardise bool     `help:"Make (v − mean)/deviation of every column, also the label, over the file (with n-1)."`
	Radius      positive `help:"The largest absolute value of a weight; default ${default}." default:"10" placeholder:"NUMBER"`
	Bias        positive `help:"The largest absolute value of the mean error; default ${default}." default:"0.1" placeholder:"NUMBER"`
}

// Run implements the verb.
func (c *importRegression) Run(e *env) error {
	return c.importColumns(e, "regression", columnChoice{"label", []string{c.Label}},
		columnChoice{"features", c.Features},
		recorded.Regression{Intercept: c.Intercept, Standardise: c.Standardise, Radius: float64(c.Radius),
			Bias: float64(c.Bias)})
}

// importLogistic holds the flags of bench import logistic, which makes rounds of features and
// labels of two classes.
type importLogistic struct {
	importFlags
	Label       string    `help:"The column of the label: two numbers or two words." required:"" placeholder:"NAME"`
	Positive    string    `help:"The label that is +1, all others -1; default: the larger, or the later in the alphabet." placeholder:"WORD"`
	Features    []string  `help:"The columns of the features; default: all others." placeholder:"NAMES"`
	Intercept   bool      `help:"Add a last feature that is 1."`
	Standardise bool      `help:"Make (v − mean)/deviation of every feature, over the file (with n-1)."`
	L2          *positive `name:"l2" help:"The factor α of ½‖x‖²; default 0." placeholder:"NUMBER"`
	Rho         positive  `help:"The bound ρ of ‖x‖₁ + ½‖x‖²; default ${default}." default:"10" placeholder:"NUMBER"`
}

// Run implements the verb.
func (c *importLogistic) Run(e *env) error {
	g := recorded.Logistic{Intercept: c.Intercept, Standardise: c.Standardise, Positive: c.Positive,
		Rho: float64(c.Rho)}
	if c.L2 != nil {
		g.L2 = float64(*c.L2)
	}
	return c.importColumns(e, "logistic", columnChoice{"label", []string{c.Label}},
		columnChoice{"features", c.Features}, g)
}

// importExperts holds the flags of bench import experts, which makes rounds of losses of experts,
// and of costs if there is a budget.
type importExperts struct {
	importFlags
	Experts []string `help:"The columns of the losses, one an expert; default: all others." placeholder:"NAMES"`
	Cost    []string `help:"The columns of the costs, in the order of the experts." placeholder:"NAMES"`
	Budget  *finite  `help:"The largest mean cost." placeholder:"NUMBER"`
}

// Run implements the verb.
func (c *importExperts) Run(e *env) error {
	var x recorded.Experts
	if (c.Budget == nil) != (len(c.Cost) == 0) {
		return errors.New("--cost and --budget belong together: give both, or neither")
	}
	if c.Budget != nil {
		x.Budget = float64(*c.Budget)
	}
	return c.importColumns(e, "experts", columnChoice{"cost", c.Cost},
		columnChoice{"experts", c.Experts}, x)
}

// importBudgets holds the flags of bench import budgets, which makes rounds of costs of options and
// of what they use of resources.
type importBudgets struct {
	importFlags
	Cost   []string `help:"The columns of the costs, one an option; default: all others." placeholder:"NAMES"`
	Reward bool     `help:"The costs are rewards: their sum is maximised."`
	Use    []string `help:"The columns of the use: for each resource one an option, in their order; r* stands for all that begin with r, in the order of the file." required:"" placeholder:"NAMES"`
	Order  string   `help:"The columns of the use are resource after resource, or option after option; default: what their names say." enum:",resource,option" default:"" placeholder:"resource|option"`
	Budget []finite `help:"The largest mean use of each resource, or one number for all." required:"" placeholder:"NUMBERS"`
	Upper  positive `help:"How much of an option can be taken; default ${default}." default:"1" placeholder:"NUMBER"`
}

// Run implements the verb.
func (c *importBudgets) Run(e *env) error {
	b := recorded.Budgets{Rewards: c.Reward, Upper: float64(c.Upper),
		Order: recorded.UseOrder(c.Order)}
	for _, v := range c.Budget {
		b.Budget = append(b.Budget, float64(v))
	}
	return c.importColumns(e, "budgets", columnChoice{"use", c.Use}, columnChoice{"cost", c.Cost}, b)
}
