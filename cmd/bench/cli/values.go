package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/run/slurm"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/figure"
)

// The values of flags. Each type reads its own, as a [kong.MapperValue]. What is wrong is
// printed after the name of the flag, with what was expected.

// readValue reads the value of a flag, which may begin with a minus sign.
func readValue(ctx *kong.DecodeContext, expected string) (string, error) {
	t := ctx.Scan.Pop()
	if t.IsEOL() || t.Type == kong.UntypedToken && strings.HasPrefix(t.String(), "--") {
		return "", fmt.Errorf("the value is missing (expected %s)", expected)
	}
	return t.String(), nil
}

// readFlag reads the value of a flag. The error says what parse found wrong, and what was expected.
func readFlag[T any](ctx *kong.DecodeContext, into *T, expected string,
	parse func(string) (T, error)) error {
	text, err := readValue(ctx, expected)
	if err != nil {
		return err
	}
	if *into, err = parse(text); err != nil {
		return fmt.Errorf("%w (expected %s)", err, expected)
	}
	return nil
}

// count is an integer ≥ 1, such as 10000 or 1e4.
type count int

// Decode implements [kong.MapperValue].
func (c *count) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, spec.ExpectedCount)
	if err != nil {
		return err
	}
	n, err := spec.ParseCount(text)
	*c = count(n)
	return err
}

// natural is an integer ≥ 0.
type natural int

// Decode implements [kong.MapperValue].
func (n *natural) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, n, "an integer ≥ 0", func(text string) (natural, error) {
		n, err := spec.ParseInt(text)
		if err == nil && n < 0 {
			err = fmt.Errorf("%s is out of range", text)
		}
		return natural(n), err
	})
}

// horizons is an increasing list of integers ≥ 1.
type horizons []int

// String returns the list as the flag has it.
func (h horizons) String() string {
	var all []string
	for _, t := range h {
		all = append(all, strconv.Itoa(t))
	}
	return strings.Join(all, ",")
}

// Decode implements [kong.MapperValue].
func (h *horizons) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, "an integer ≥ 1 or an increasing list with commas")
	if err != nil {
		return err
	}
	*h = nil
	for s := range strings.SplitSeq(text, ",") {
		t, err := spec.ParseCount(s)
		if err != nil {
			return err
		}
		if n := len(*h); n > 0 && t <= (*h)[n-1] {
			return fmt.Errorf("%d after %d (expected an increasing list)", t, (*h)[n-1])
		}
		*h = append(*h, t)
	}
	return nil
}

// seed is an integer ≥ 0 of 64 bits.
type seed uint64

// Decode implements [kong.MapperValue].
func (s *seed) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, spec.ExpectedSeed)
	if err != nil {
		return err
	}
	n, err := spec.ParseSeed(text)
	*s = seed(n)
	return err
}

// shard is part i of n of a run. The zero value stands for the whole run.
type shard struct{ i, n int }

// Decode implements [kong.MapperValue].
func (s *shard) Decode(ctx *kong.DecodeContext) error {
	const expected = "I/N with 1 ≤ I ≤ N, such as 2/8, or env/N"
	text, err := readValue(ctx, expected)
	if err != nil {
		return err
	}
	part, parts, _ := strings.Cut(text, "/")
	n, errN := spec.ParseCount(parts)
	i, errI := spec.ParseCount(part)
	if part == "env" && errN == nil {
		if i, errI = slurm.Index(n, os.Getenv); errI != nil {
			return fmt.Errorf("%s: %w", text, errI)
		}
	}
	if errI != nil || errN != nil || i > n {
		return fmt.Errorf("%s is not a part (expected %s)", text, expected)
	}
	*s = shard{i, n}
	return nil
}

// numberParser parses a finite number for which valid holds.
func numberParser[T ~float64](valid func(T) bool) func(string) (T, error) {
	return func(text string) (T, error) {
		v, err := input.ParseNumber(text)
		if err != nil || !valid(T(v)) {
			err = fmt.Errorf("%s is not valid", text)
		}
		return T(v), err
	}
}

// positive is a finite number > 0.
type positive float64

// Decode implements [kong.MapperValue].
func (p *positive) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, p, "a number > 0", numberParser(func(v positive) bool { return v > 0 }))
}

// finite is a finite number.
type finite float64

// Decode implements [kong.MapperValue].
func (f *finite) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, f, "a number", numberParser(func(finite) bool { return true }))
}

// fraction is a number between 0 and 1.
type fraction float64

// Decode implements [kong.MapperValue].
func (f *fraction) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, f, "a number above 0 and below 1",
		numberParser(func(v fraction) bool { return v > 0 && v < 1 }))
}

// duration is a length of time > 0, such as 90s or 1h30m.
type duration struct{ time.Duration }

// Decode implements [kong.MapperValue].
func (d *duration) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, d, "a length of time > 0, such as 90s or 1h30m",
		func(text string) (duration, error) {
			v, err := time.ParseDuration(text)
			if err != nil || v <= 0 {
				err = fmt.Errorf("%s is not one", text)
			}
			return duration{v}, err
		})
}

// memory is an amount of memory as sbatch writes it, such as 800M or 2G.
type memory string

// memorySize matches the sizes that sbatch reads.
var memorySize = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)

// Decode implements [kong.MapperValue].
func (m *memory) Decode(ctx *kong.DecodeContext) error {
	return readFlag(ctx, m, "a size such as 800M or 2G", func(text string) (memory, error) {
		if !memorySize.MatchString(text) {
			return "", fmt.Errorf("%s is not one", text)
		}
		return memory(text), nil
	})
}

// sbatchOption is an option of sbatch, such as --account=ours. Other words are an error, since
// sbatch would take them for the script.
type sbatchOption string

// Decode implements [kong.MapperValue].
func (o *sbatchOption) Decode(ctx *kong.DecodeContext) error {
	text := ctx.Scan.Pop().String()
	name, _, _ := strings.Cut(text, "=")
	switch {
	case !strings.HasPrefix(text, "--") || text == "--" || strings.ContainsAny(text, "\n\r"):
		return fmt.Errorf("%s is not one (expected an option such as --account=ours)", input.Shown(text))
	case !slices.Contains(allowedOptions, strings.TrimPrefix(name, "--")):
		return fmt.Errorf("%s is not one that bench slurm passes on (expected --%s)", name,
			strings.Join(allowedOptions, ", --"))
	}
	*o = sbatchOption(text)
	return nil
}

// allowedOptions lists the options of sbatch that a submission may have. Others could change the
// jobs in ways that break them; sbatch accepts any abbreviation of a name.
var allowedOptions = []string{"account", "begin", "clusters", "comment", "constraint", "exclude",
	"exclusive", "gres", "hold", "licenses", "mail-type", "mail-user", "mem", "nice", "nodelist",
	"partition", "qos", "reservation", "time"}

// use is a SPEC, name or name:key=value,key=value. The zero value stands for no SPEC.
type use struct {
	spec.Use
	text string // as it was typed
}

// Decode implements [kong.MapperValue].
func (u *use) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, "name or name:key=value,key=value")
	if err == nil {
		u.text = text
		u.Use, err = spec.ParseSpec(text)
	}
	return err
}

// uses are SPECs with commas between them, as [spec.ParseSpecs] reads them. A text that is no SPEC
// is kept whole, since it may be a label. A flag that is repeated adds to them.
type uses []use

// Decode implements [kong.MapperValue].
func (u *uses) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, "name or name:key=value,key=value")
	if err != nil {
		return err
	}
	all, texts, err := spec.ParseSpecs(text)
	if text == "" {
		return err
	}
	if err != nil {
		*u = append(*u, use{text: text})
	}
	for i, one := range all {
		*u = append(*u, use{text: texts[i], Use: one})
	}
	return nil
}

// specTexts returns the SPECs as they were typed.
func (u uses) specTexts() (all []string) {
	for _, one := range u {
		all = append(all, one.text)
	}
	return all
}

// path is the nonempty name of a file or directory.
type path string

// Decode implements [kong.MapperValue].
func (p *path) Decode(ctx *kong.DecodeContext) error {
	text, err := readValue(ctx, "a path")
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

// atHome expands a ~ at the beginning of a path, which shells do not behind an equals sign.
func atHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, rest), err
}

// checkYAML returns an error if the path is given and has not the ending of an experiment.
func (p path) checkYAML(flag string) error {
	if ext := filepath.Ext(string(p)); p != "" && ext != ".yaml" && ext != ".yml" {
		return fmt.Errorf("%s: unknown ending of %s (expected .yaml)", flag, input.Shown(string(p)))
	}
	return nil
}

// checkWritable returns an error if the file of a flag cannot be written, so that this is known
// before its content is computed. It accepts an empty path.
func (p path) checkWritable(flag string) error {
	if p == "" {
		return nil
	}
	if err := file.Ready(string(p)); err != nil {
		return fmt.Errorf("%s: %s: %w; name a file that can be written", flag, p, err)
	}
	return nil
}

// writeFile writes the file of a flag, whole or not at all.
func (p path) writeFile(flag string, write func(io.Writer) error) error {
	if err := file.Save(string(p), write); err != nil {
		return fmt.Errorf("%s: %s: %w", flag, p, err)
	}
	return nil
}

// writeRounds writes rounds to the file of a flag, gzipped if its name ends in .gz.
func (p path) writeRounds(flag string, write func(io.Writer) error) error {
	if !strings.HasSuffix(string(p), ".gz") {
		return p.writeFile(flag, write)
	}
	return p.writeFile(flag, func(w io.Writer) error {
		zipped := gzip.NewWriter(w)
		return errors.Join(write(zipped), zipped.Close())
	})
}

// picture is the path of a figure; its ending gives the format. The zero value means no figure.
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

// writeFigure writes the figure to the file of --figure, if the flag is given. A figure that is nil
// is an error, which says why there is none.
func (p picture) writeFigure(f *figure.Figure, whyNone string) error {
	switch {
	case p.file == "":
		return nil
	case f == nil:
		return fmt.Errorf("--figure: %s: %s", p.file, whyNone)
	}
	return p.writeTo("--figure", f)
}

// writeTo writes a figure to the file of a flag.
func (p picture) writeTo(flag string, f *figure.Figure) error {
	var drawn bytes.Buffer
	if err := report.Attempt(flag+": "+string(p.file), func() error {
		return f.Write(&drawn, p.format)
	}); err != nil {
		return err
	}
	return p.file.writeFile(flag, file.Bytes(drawn.Bytes()))
}
