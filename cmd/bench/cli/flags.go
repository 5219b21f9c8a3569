package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/cluster"
	"ocobench/harness/spec"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report/figure"
)

// The values of flags. The error of Decode is printed after the name of the flag.

// count is an integer ≥ 1, such as 10000 or 1e4.
type count int

// Decode implements [kong.MapperValue].
func (c *count) Decode(ctx *kong.DecodeContext) error {
	text, err := value(ctx, "an integer ≥ 1")
	if err == nil {
		*c, err = parseCount(text)
	}
	return err
}

func parseCount(text string) (count, error) {
	n, err := spec.ParseCount(text)
	return count(n), err
}

// horizons is an increasing list of integers ≥ 1.
type horizons []int

// Decode implements [kong.MapperValue].
func (h *horizons) Decode(ctx *kong.DecodeContext) error {
	text, err := value(ctx, "an integer ≥ 1 or an increasing list with commas")
	if err != nil {
		return err
	}
	*h = nil
	for s := range strings.SplitSeq(text, ",") {
		t, err := parseCount(s)
		if err != nil {
			return err
		}
		if n := len(*h); n > 0 && int(t) <= (*h)[n-1] {
			return fmt.Errorf("%d after %d (expected an increasing list)", t, (*h)[n-1])
		}
		*h = append(*h, int(t))
	}
	return nil
}

// seed is an integer ≥ 0 of 64 bits.
type seed uint64

// Decode implements [kong.MapperValue].
func (s *seed) Decode(ctx *kong.DecodeContext) error {
	text, err := value(ctx, spec.ExpectedSeed)
	if err == nil {
		*(*uint64)(s), err = spec.ParseSeed(text)
	}
	return err
}

// shard is part I of N of a run. The zero value is the whole run.
type shard struct{ i, n int }

// Decode implements [kong.MapperValue].
func (s *shard) Decode(ctx *kong.DecodeContext) error {
	const expected = "I/N with 1 ≤ I ≤ N, such as 2/8, or env/N"
	text, err := value(ctx, expected)
	if err != nil {
		return err
	}
	a, b, _ := strings.Cut(text, "/")
	n, errN := parseCount(b)
	i, errI := parseCount(a)
	if a == "env" && errN == nil {
		k, err := cluster.Index(int(n), os.Getenv)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		i, errI = count(k), nil
	}
	if errI != nil || errN != nil || i > n {
		return fmt.Errorf("%s is not a part (expected %s)", text, expected)
	}
	*s = shard{int(i), int(n)}
	return nil
}

// positive is a finite number > 0.
type positive float64

// Decode implements [kong.MapperValue].
func (p *positive) Decode(ctx *kong.DecodeContext) error {
	const expected = "a number > 0"
	text, err := value(ctx, expected)
	if err != nil {
		return err
	}
	v, err := input.ParseNumber(text)
	if err != nil || !(v > 0) {
		return fmt.Errorf("%s is not valid (expected %s)", text, expected)
	}
	*p = positive(v)
	return nil
}

// fraction is a number between 0 and 1.
type fraction float64

// Decode implements [kong.MapperValue].
func (f *fraction) Decode(ctx *kong.DecodeContext) error {
	const expected = "a number above 0 and below 1"
	text, err := value(ctx, expected)
	if err != nil {
		return err
	}
	v, err := input.ParseNumber(text)
	if err != nil || !(v > 0 && v < 1) {
		return fmt.Errorf("%s is not valid (expected %s)", text, expected)
	}
	*f = fraction(v)
	return nil
}

// duration is a length of time > 0, such as 90s or 1h30m.
type duration struct{ time.Duration }

// Decode implements [kong.MapperValue].
func (d *duration) Decode(ctx *kong.DecodeContext) error {
	const expected = "a length of time > 0, such as 90s or 1h30m"
	text, err := value(ctx, expected)
	if err != nil {
		return err
	}
	d.Duration, err = time.ParseDuration(text)
	if err != nil || d.Duration <= 0 {
		return fmt.Errorf("%s is not one (expected %s)", text, expected)
	}
	return nil
}

// memory is a size as sbatch has it, such as 800M or 2G.
type memory string

var memorySize = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)

// Decode implements [kong.MapperValue].
func (m *memory) Decode(ctx *kong.DecodeContext) error {
	const expected = "a size such as 800M or 2G"
	text, err := value(ctx, expected)
	if err == nil && !memorySize.MatchString(text) {
		err = fmt.Errorf("%s is not one (expected %s)", text, expected)
	}
	*m = memory(text)
	return err
}

// option is an option of sbatch. What is not one sbatch takes for the script.
type option string

// Decode implements [kong.MapperValue].
func (o *option) Decode(ctx *kong.DecodeContext) error {
	text := ctx.Scan.Pop().String()
	name, _, _ := strings.Cut(text, "=")
	switch {
	case !strings.HasPrefix(text, "--") || text == "--" || strings.ContainsAny(text, "\n\r"):
		return fmt.Errorf("%s is not one (expected an option such as --account=ours)", input.Shown(text))
	case slices.Contains(own, name):
		return fmt.Errorf("%s is that of bench slurm (expected another option, such as --account=ours)", name)
	}
	*o = option(text)
	return nil
}

// own are the options of sbatch without which jobs are not what a submission needs.
var own = []string{"--array", "--chdir", "--dependency", "--wrap"}

// path is the nonempty name of a file or directory.
type path string

// yaml refuses a file of another ending than that of an experiment. The flag may be left out.
func (p path) yaml(flag string) error {
	if ext := filepath.Ext(string(p)); p != "" && ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s: unknown ending of %s (expected .yaml)", flag, input.Shown(string(p)))
	}
	return nil
}

// Decode implements [kong.MapperValue].
func (p *path) Decode(ctx *kong.DecodeContext) error {
	text, err := value(ctx, "a path")
	switch {
	case err != nil:
		return err
	case text == "":
		return errors.New("the path is empty (the working directory is .)")
	}
	text, err = atHome(text)
	*p = path(text)
	return err
}

// write writes the file of a flag, whole or not at all.
func (p path) write(flag string, write func(io.Writer) error) error {
	if err := file.Save(string(p), write); err != nil {
		return fmt.Errorf("%s: %s: %w", flag, p, err)
	}
	return nil
}

// text writes a text to it.
func (p path) text(flag string, text []byte) error {
	return p.write(flag, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// atHome expands a ~ at the beginning of a path: shells do not after an equals sign.
func atHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, rest), err
}

// picture is the file of a figure. The zero value stands for no figure.
type picture struct {
	file   path
	format figure.Format
}

// Decode implements [kong.MapperValue].
func (p *picture) Decode(ctx *kong.DecodeContext) error {
	if err := p.file.Decode(ctx); err != nil {
		return err
	}
	p.format = figure.Format(strings.TrimPrefix(filepath.Ext(string(p.file)), "."))
	if p.format != figure.PDF && p.format != figure.SVG && p.format != figure.PNG {
		return fmt.Errorf("unknown ending of %s (expected .pdf, .svg or .png)", p.file)
	}
	return nil
}

// draw writes the figure if the flag is given. If the figure is nil, it returns an
// error with the text nothing.
func (p picture) draw(f *figure.Figure, nothing string) error {
	if p.file == "" {
		return nil
	}
	if f == nil {
		return fmt.Errorf("--figure: %s: %s", p.file, nothing)
	}
	return p.file.write("--figure", func(w io.Writer) error { return f.Write(w, p.format) })
}

// metricsOf looks up the metrics that a flag names among those that a verb knows.
func metricsOf(flag string, names []string, known func(harness.Metric) bool) (metrics []algorithms.Metric, err error) {
	var all []string
	for _, m := range harness.Select(known) {
		all = append(all, string(m.Name))
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("--%s: %w", flag, spec.Unknown("metric", name, all, spec.Pos{}))
		}
		metrics = append(metrics, algorithms.Metric(name))
	}
	return metrics, nil
}

// ofPlay refuses metrics of the rounds, which do not tell algorithms apart.
func ofPlay(flag string, metrics []algorithms.Metric) error {
	for _, name := range metrics {
		if m, _ := harness.MetricNamed(name); m.OfRounds {
			return fmt.Errorf("--%s: %s is of the rounds, the same for all who play them, and says nothing of an algorithm", flag, name)
		}
	}
	return nil
}

// asked refuses metrics that are on request where none of the experiments has them.
func asked(flag string, metrics []algorithms.Metric, names string, experiments ...*harness.Results) error {
	for _, name := range metrics {
		has := func(m harness.Metric) bool { return m.Name == name }
		if !slices.ContainsFunc(experiments, func(r *harness.Results) bool { return slices.ContainsFunc(r.Measured(), has) }) {
			if err := unasked(flag, name, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// unasked refuses a metric that an experiment does not have, if it is on request.
func unasked(flag string, m algorithms.Metric, experiment string) error {
	if !slices.Contains(spec.OnRequest, string(m)) {
		return nil
	}
	return fmt.Errorf("--%s: experiment %s does not measure %s; write metrics: [%s] into its file, and run it", flag, experiment, m, m)
}

// use is a SPEC. The zero value stands for no SPEC.
type use struct {
	spec.Use
	text string // as it was typed
}

// Decode implements [kong.MapperValue].
func (u *use) Decode(ctx *kong.DecodeContext) error {
	text, err := value(ctx, "name or name:key=value,key=value")
	if err == nil {
		u.text = text
		u.Use, err = spec.ParseSpec(text)
	}
	return err
}

// chosen returns the SPECs of the algorithms and of the problems that the flags --algorithm
// and --problem choose.
func (e *env) chosen(algorithms, problems []use, as, ps []harness.Entrant) (isAlgorithm, isProblem map[string]bool, err error) {
	if isAlgorithm, err = e.catalog.ChosenAlgorithms(texts(algorithms), as); err != nil {
		return nil, nil, fmt.Errorf("--algorithm: %w", err)
	}
	if isProblem, err = e.catalog.ChosenProblems(texts(problems), ps); err != nil {
		return nil, nil, fmt.Errorf("--problem: %w", err)
	}
	return isAlgorithm, isProblem, nil
}

func texts(uses []use) (all []string) {
	for _, u := range uses {
		all = append(all, u.text)
	}
	return all
}

// value reads the value of a flag, which may begin with a minus sign.
func value(ctx *kong.DecodeContext, expected string) (string, error) {
	t := ctx.Scan.Pop()
	if t.IsEOL() || t.Type == kong.UntypedToken && strings.HasPrefix(t.String(), "--") {
		return "", fmt.Errorf("the value is missing (expected %s)", expected)
	}
	return t.String(), nil
}

// storeFlags are the flags of verbs that read or write results.
type storeFlags struct {
	Store path `help:"The directory of stored results; default ${default}." default:"results" placeholder:"DIR"`
}

// words returns the command line that sets flags, all that are not zero, for another process
// of the program.
func words(flags any) (all []string) {
	parser, err := kong.New(flags, kong.NoDefaultHelp())
	if err != nil {
		panic("cli: " + err.Error())
	}
	for _, f := range parser.Model.Flags {
		v := f.Target
		switch {
		case v.IsZero():
		case f.IsBool():
			all = append(all, "--"+f.Name)
		case v.Kind() == reflect.Slice:
			for k := range v.Len() {
				all = append(all, fmt.Sprintf("--%s=%v", f.Name, v.Index(k)))
			}
		default:
			all = append(all, fmt.Sprintf("--%s=%v", f.Name, v))
		}
	}
	return all
}

// streamFlags are the flags of verbs that use one stream.
type streamFlags struct {
	Problem   use   `help:"The problem." required:"" placeholder:"SPEC" completes:"@problem"`
	Horizon   count `help:"The number of rounds T." required:"" placeholder:"T"`
	Seed      seed  `help:"The seed of all randomness; default ${default}." default:"1" placeholder:"S"`
	Replicate count `help:"The number of the replicate; default ${default}." default:"1" placeholder:"R"`
}
