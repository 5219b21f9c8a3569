package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ocobench/report/table"
)

// comparison is one row of the table of peers.
type comparison struct {
	Peer, What, Unit string
	Ours, Theirs     float64 // medians
	Noise            float64 // the larger spread of the two, 0 where measured once
	AtMost           float64 // the target of ours over theirs; 0 where there is none
	Agree            string  // up to which difference the two sides agree
	Note             string
	Skipped          string // why it was not measured, or failed
}

// set sets the medians of repeated times of the two sides, and their noise.
func (p *comparison) set(ours, theirs []float64) {
	p.Ours, p.Theirs = median(ours), median(theirs)
	p.Noise = max(spread(ours), spread(theirs))
}

// skip returns the comparison as skipped, with the reason.
func (p comparison) skip(why string) (comparison, error) {
	p.Skipped = "skipped: " + why
	return p, nil
}

// cells returns the row of the comparison.
func (p comparison) cells() []string {
	if p.Skipped != "" {
		return []string{p.Peer, p.What, "", "", p.Skipped, "", ""}
	}
	target := ""
	if p.AtMost > 0 {
		target = fmt.Sprintf("≤ %.4g× the time: ", p.AtMost)
		if p.AtMost < 1 {
			target = fmt.Sprintf("≥ %.4g× faster: ", 1/p.AtMost)
		}
		target += sayMet(p.Ours <= p.AtMost*p.Theirs)
	}
	return []string{p.Peer, p.What, p.quantity(p.Ours), p.quantity(p.Theirs), p.ratio(), target,
		p.Agree}
}

// quantity formats a median with its unit.
func (p comparison) quantity(v float64) string { return digits(v) + " " + p.Unit }

// ratio says how our time compares with theirs, and the noise.
func (p comparison) ratio() string {
	text := timeRatio(p.Ours / p.Theirs)
	if p.Noise > 0 {
		text += fmt.Sprintf(" ± %.0f %%", 100*p.Noise)
	}
	return text
}

// timeRatio says how a time compares with the peer's.
func timeRatio(ratio float64) string {
	if ratio >= 1 {
		return digits(ratio) + "× the time"
	}
	return digits(1/ratio) + "× faster"
}

// sayMet says whether a target is met.
func sayMet(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}

// digits prints three significant digits without an exponent.
func digits(v float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(max(v, 1e-9)))-2)
	return strconv.FormatFloat(math.Round(v/unit)*unit, 'f',
		max(0, int(-math.Round(math.Log10(unit)))), 64)
}

// formatHorizon formats a horizon, as a power of ten where it is one.
func formatHorizon(t int) string {
	if l := math.Log10(float64(t)); t >= 1000 && l == math.Trunc(l) {
		return "10" + string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[int(l)])
	}
	return strconv.Itoa(t)
}

// peersReport measures everything and returns the tables as Markdown. If a comparison fails, the
// others are measured all the same, and all their errors are returned together, with the tables.
// The error of another table is returned alone.
func (m *measurement) peersReport() (string, error) {
	var out strings.Builder
	out.WriteString(m.machine())

	const frequency, linear = "decaying-frequency", "iid:dim=10"
	const everyCheckpoint, everyEighth = 1, 8 // that linprog solves
	frequencyArgs, linearArgs := []string{"decaying-frequency", "1"}, []string{"iid", "10", "1"}
	var all []comparison
	var failed []error
	for _, f := range []func() (comparison, error){
		func() (comparison, error) {
			return m.inC(loop{problem: frequency, args: frequencyArgs,
				horizon: quickOr(m, 300_000, 3_000_000), times: quickOr(m, 5, 15), atMost: 3})
		},
		func() (comparison, error) {
			return m.inC(loop{problem: linear, args: linearArgs,
				horizon: quickOr(m, 100_000, 1_000_000), times: quickOr(m, 5, 15), atMost: 1.3})
		},
		func() (comparison, error) {
			return m.inNumpy(loop{problem: frequency, args: frequencyArgs,
				horizon: quickOr(m, 20_000, 200_000), times: quickOr(m, 1, 5)})
		},
		func() (comparison, error) {
			return m.inNumpy(loop{problem: linear, args: linearArgs,
				horizon: quickOr(m, 20_000, 200_000), times: quickOr(m, 1, 5)})
		},
		func() (comparison, error) { return m.rescan(linear, quickOr(m, 1000, 10_000)) },
		func() (comparison, error) { return m.rescan(linear, quickOr(m, 10_000, 100_000)) },
		func() (comparison, error) { return m.resolve(linear, quickOr(m, 300, 1000)) },
		func() (comparison, error) {
			return m.linprog(linear+",constraints=3", quickOr(m, 1000, 10_000), everyCheckpoint)
		},
		func() (comparison, error) {
			return m.linprog(linear+",constraints=3", quickOr(m, 10_000, 100_000), everyEighth)
		},
	} {
		p, err := f()
		if err != nil {
			p.Skipped = "FAILED: " + err.Error()
			failed = append(failed, fmt.Errorf("%s, %s: %w", p.Peer, p.What, err))
		}
		logRow(p.cells()...)
		all = append(all, p)
	}
	peers := &table.Table{Title: table.Plain("Side by side"),
		Columns: table.Columns("peer", "what", ">ours", ">theirs", "ratio", "target", "the two agree")}
	for _, p := range all {
		peers.Rows = append(peers.Rows, table.Plains(p.cells()...))
		if p.Note != "" {
			peers.Notes = append(peers.Notes, table.Plain(
				fmt.Sprintf("%s, %s: %s.", p.Peer, p.What, p.Note)))
		}
	}
	if err := writeTable(&out, peers); err != nil {
		return "", err
	}
	for _, part := range []func() (*table.Table, error){m.externalTable, m.ftrlTable, m.costTable,
		m.byItselfTable} {
		t, err := part()
		if err != nil {
			return "", err
		}
		if err := writeTable(&out, t); err != nil {
			return "", err
		}
	}
	return out.String(), errors.Join(failed...)
}

// writeTable appends a table as Markdown, without the columns that only the terminal shows
// ([logRow]).
func writeTable(out *strings.Builder, t *table.Table) error {
	short := *t
	short.Columns, short.Rows = nil, make([][]table.Text, len(t.Rows))
	for k, c := range t.Columns {
		if slices.Contains(onlyTerminal, c.Name.Plain) {
			continue
		}
		short.Columns = append(short.Columns, c)
		for i, row := range t.Rows {
			short.Rows[i] = append(short.Rows[i], row[k])
		}
	}
	out.WriteByte('\n')
	return table.WriteMarkdown(out, &short)
}

// onlyTerminal are the columns that matter to developers alone.
var onlyTerminal = []string{"target", "the two agree", "seconds", "growth", "gap"}

// machine says what it was measured on.
func (m *measurement) machine() string {
	var b strings.Builder
	version := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			return ""
		}
		line, _, _ := strings.Cut(string(out), "\n")
		return ", " + line
	}
	fmt.Fprintf(&b, "Machine: %s, %d cores; %s %s/%s%s%s.\n", processor(), runtime.NumCPU(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH,
		version("gcc", "--version"),
		version(m.python, "-c", "import cvxopt, numpy, scipy, sys; print('Python %d.%d' % "+
			"sys.version_info[:2] + ', numpy ' + numpy.__version__ + ', cvxopt ' + cvxopt.__version__ + "+
			"', scipy ' + scipy.__version__)"))
	if load := loadAverage(); load > 0.5 {
		fmt.Fprintf(&b, "\nOther work was running on it (load %.1f when this began): caches and "+
			"memory were shared, and the throughput of two workers means little.\n",
			load)
	}
	if m.quick {
		b.WriteString("\nA quick run: short games and few repetitions.\n")
	}
	return b.String()
}

// processor returns the name of the processor, on Linux.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, after, ok := strings.Cut(string(info), "model name")
	if !ok {
		return "unknown processor"
	}
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(strings.TrimLeft(line, "\t :"))
}

// loadAverage returns the average number of processes running in the last minute, 0 where it is
// unknown.
func loadAverage() float64 {
	data, _ := os.ReadFile("/proc/loadavg")
	v, _ := strconv.ParseFloat(strings.Fields(string(data) + " 0")[0], 64)
	return v
}

// insert writes text between the markers of a part of a file.
func insert(name, part, text string) error {
	begin, end := "<!-- "+part+": begin -->\n", "<!-- "+part+": end -->\n"
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(data, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no markers %q and %q", name, begin, end)
	}
	return os.WriteFile(name, []byte(string(before)+begin+text+end+string(after)), 0o666)
}
