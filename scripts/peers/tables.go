package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"ocobench/report/table"
)

// A family is a set of games of Penalised FTRL on one problem at growing horizons.
type family struct {
	problem, accuracy string
	horizons          []int
}

// ftrlTable measures how the cost of Penalised FTRL grows with the horizon, and compares it with
// targets. A heading with > aligns its column to the right.
func (m *measurement) ftrlTable() (*table.Table, error) {
	t := &table.Table{
		Title: table.Plain("Penalised FTRL, whole path of a game"),
		Columns: table.Columns("problem", "accuracy", ">T", ">ns a round", ">seconds", ">growth",
			">memory", ">gap", "target"),
		Notes: table.Plains(
			"Memory: the largest resident. The hinges grow like T at either accuracy; some 6 MB are the " +
				"program's.",
		),
	}
	short, mid, long := quickOr(m, []int{1e3}, []int{1e4, 1e5}),
		quickOr(m, []int{1e3, 1e4}, []int{1e4, 1e5}), quickOr(m, []int{1e3, 1e4}, []int{1e4, 1e5, 1e6})
	families := []family{
		{"decaying-frequency", "exact", quickOr(m, []int{1e4, 1e5}, []int{1e4, 1e5, 1e6, 1e7})},
		{"iid:dim=2", "exact", long}, {"iid:dim=10", "exact", mid},
		{"iid:dim=10,constraints=3", "exact", short}, {"iid:dim=50", "exact", short},
	}
	// An older program, measured for comparison, has no such parameter and fails.
	if _, err := m.game("penalised-ftrl:accuracy=certified", "iid", 10); err == nil {
		families = append(families, family{"iid:dim=10", "certified", mid})
	} else {
		t.Notes = append(t.Notes, table.Plain("There is no certified mode to measure."))
	}
	for _, f := range families {
		rows, err := m.measureFamily(f)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			t.Rows = append(t.Rows, table.Plains(row...))
			logRow(row...)
		}
	}
	return t, nil
}

// measureFamily measures a family, up to the first horizon for which there is no time.
func (m *measurement) measureFamily(f family) (rows [][]string, err error) {
	algorithm := "penalised-ftrl"
	if f.accuracy != "exact" {
		algorithm += ":accuracy=" + f.accuracy
	}
	var first, last *result
	for _, horizon := range f.horizons {
		longer := *m // with more time for the longest games, to see whether they end at all
		if horizon >= 1e7 {
			longer.budget *= 4
		}
		r, err := longer.repeated(algorithm, f.problem, horizon)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = r
		}
		done := r.Rounds == horizon
		// Without a row above there is no exponent; +Inf meets no target.
		seconds, growth, exponent := digits(r.Seconds), "", math.Inf(1)
		switch {
		case !done:
			seconds = fmt.Sprintf("stopped after %s at t=%d", seconds, r.Rounds)
		case last != nil:
			exponent = math.Log(r.Seconds/last.Seconds) / math.Log(float64(r.Rounds)/float64(last.Rounds))
			growth = fmt.Sprintf("%.2f", exponent)
		}
		gap := ""
		if done {
			gap = fmt.Sprintf("%.0e", r.worst("gap"))
		}
		target := ""
		switch {
		case f.problem == "decaying-frequency" && horizon == 1e6:
			times := r.cost() / first.cost()
			target = fmt.Sprintf("400 ns a round: %s; 2× that of T=%s: %s (%.2f×)",
				sayMet(done && r.cost() <= 400), formatHorizon(first.Rounds), sayMet(done && times <= 2), times)
		case f.problem == "decaying-frequency" && horizon == 1e7:
			target = "500 MB: " + sayMet(done && r.Memory <= 500)
		case f.problem == "iid:dim=10" && horizon == 1e5 && f.accuracy == "exact":
			target = fmt.Sprintf("30 s: %s; growth 1.6: %s", sayMet(done && r.Seconds <= 30),
				sayMet(exponent <= 1.6))
		case f.problem == "iid:dim=10" && horizon == 1e5:
			target = fmt.Sprintf("5 s: %s; growth 1.2: %s", sayMet(done && r.Seconds <= 5),
				sayMet(exponent <= 1.2))
		}
		rows = append(rows, []string{f.problem, f.accuracy, formatHorizon(horizon), digits(r.cost()),
			seconds, growth, formatMB(r.Memory), gap, target})
		if !done {
			break
		}
		last = r
	}
	return rows, nil
}

// repeated plays a game, five times if it takes less than a second, and returns the result with the
// median of its times.
func (m *measurement) repeated(algorithm, problem string, horizon int) (*result, error) {
	var seconds []float64
	for {
		r, err := m.game(algorithm, problem, horizon)
		if err != nil {
			return nil, err
		}
		seconds = append(seconds, r.Seconds)
		if r.Seconds > 1 || len(seconds) == quickOr(m, 1, 5) {
			r.Seconds = median(seconds)
			return r, nil
		}
	}
}

// cost returns the nanoseconds that a round took.
func (r *result) cost() float64 { return 1e9 * r.Seconds / float64(r.Rounds) }

// formatMB formats megabytes; 0 is unknown, as on Windows.
func formatMB(v float64) string {
	if v == 0 {
		return "unknown"
	}
	return digits(v) + " MB"
}

// byItselfTable measures what no other program can be compared with: memory, hindsight, throughput,
// and the time of bench without arguments.
func (m *measurement) byItselfTable() (*table.Table, error) {
	t := &table.Table{Title: table.Plain("By itself"),
		Columns: table.Columns("what", ">measured", "target")}
	add := func(row ...string) {
		t.Rows = append(t.Rows, table.Plains(row...))
		logRow(row...)
	}
	long := quickOr(m, 100_000, 10_000_000)
	for _, game := range [][2]string{{"primal-dual", "decaying-frequency"},
		{"primal-dual", "iid:dim=10"}, {"ogd", "iid:dim=10"}} {
		var memory []float64
		for _, horizon := range []int{long / 10, long} {
			r, err := m.game(game[0], game[1], horizon)
			if err != nil {
				return nil, err
			}
			if r.Rounds < horizon {
				return nil, fmt.Errorf("%s on %s did not end in %v", game[0], game[1], m.budget)
			}
			memory = append(memory, r.Memory)
		}
		add(fmt.Sprintf("memory of %s on %s, T=%s (T=%s)", game[0], game[1], formatHorizon(long),
			formatHorizon(long/10)), fmt.Sprintf("%s (%s)", formatMB(memory[1]), formatMB(memory[0])),
			fmt.Sprintf("100 MB: %s; constant in T: %s", sayMet(memory[1] <= 100),
				sayMet(memory[1] <= 1.25*memory[0]+1)))
	}
	const problem = "iid:dim=10,constraints=3"
	horizon := quickOr(m, 10_000, 100_000)
	r, err := m.runSelf("peers", "hindsight", problem, strconv.Itoa(horizon))
	if err != nil {
		return nil, err
	}
	gap := 0.0
	for k, name := range r.Columns {
		if !strings.HasSuffix(name, "_gap") {
			continue
		}
		for _, row := range r.Rows { // the value is the column before
			gap = max(gap, float64(row[k])/max(1, math.Abs(float64(row[k-1]))))
		}
	}
	add(fmt.Sprintf("hindsight of three sets, all checkpoints, %s, T=%s", problem,
		formatHorizon(horizon)), fmt.Sprintf("%s s, %s, relative gap %.0e", digits(r.Seconds),
		formatMB(r.Memory), gap),
		fmt.Sprintf("20 s: %s; gap 1e-9: %s", sayMet(r.Seconds <= 20), sayMet(gap <= 1e-9)))
	const fixed = "doubly-stochastic"
	horizon = quickOr(m, 300, 3000)
	if r, err = m.runSelf("peers", "hindsight", fixed, strconv.Itoa(horizon)); err != nil {
		return nil, err
	}
	add(fmt.Sprintf("hindsight of fixed constraints, %s, T=%s", fixed, formatHorizon(horizon)),
		fmt.Sprintf("%s s, %s", digits(r.Seconds), formatMB(r.Memory)), "")
	one, two, cells, err := m.workers()
	if err != nil {
		return nil, err
	}
	add(fmt.Sprintf("throughput of two workers, %d cells", cells),
		fmt.Sprintf("%.2f× that of one", one/two), "1.9×: "+sayMet(one/two >= 1.9))
	first, again, err := m.timeBench()
	if err != nil {
		return nil, err
	}
	add("bench, the first time", first.text(), "2 s: "+sayMet(first.wall <= 2))
	add("bench, again: every cell is stored", again.text(), "1 s: "+sayMet(again.wall <= 1))
	return t, nil
}

// A timing holds the seconds that a command took.
type timing struct{ wall, cpu float64 }

// text returns the timing for a cell of a table.
func (t timing) text() string {
	return fmt.Sprintf("%s s, %s s of CPU", digits(t.wall), digits(t.cpu))
}

// timeBench times bench without arguments, on all cores: first in a new directory, and again where
// all cells are stored. It returns medians of several directories.
func (m *measurement) timeBench() (first, again timing, err error) {
	var walls, cpus [2][]float64
	for range quickOr(m, 1, 5) {
		dir, err := os.MkdirTemp(m.dir, "bench")
		if err != nil {
			return first, again, err
		}
		for k := range walls {
			cmd := exec.Command(m.program("bench"))
			cmd.Dir = dir
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				return first, again, fmt.Errorf("bench: %w: %s", err, out)
			}
			walls[k] = append(walls[k], time.Since(start).Seconds())
			cpus[k] = append(cpus[k], (cmd.ProcessState.UserTime() +
				cmd.ProcessState.SystemTime()).Seconds())
		}
	}
	return timing{median(walls[0]), median(cpus[0])}, timing{median(walls[1]), median(cpus[1])}, nil
}

// costTable measures the rounds of algorithms that solve a program in each.
func (m *measurement) costTable() (*table.Table, error) {
	t := &table.Table{Title: table.Plain("Rounds that solve programs, whole path of a game"),
		Columns: table.Columns("algorithm", "problem", ">T", ">µs a round", "target")}
	long, short := quickOr(m, 10_000, 100_000), quickOr(m, 100, 1000)
	for _, g := range []struct {
		algorithm, problem string
		horizon            int
		maxMicroseconds    float64 // a round
	}{
		{"guo", "iid:dim=3", long, 3},
		{"coldq", "iid:dim=3", long, 3},
		{"chen", "iid:dim=3", long, 3},
		{"penalised-ftrl", "job-scheduling", short, 590},
		{"penalised-ftrl", "fog-offloading", short, 200},
		{"penalised-ftrl", "logistic", 3 * short, 200},
		{"penalised-ftrl", "portfolio", 3 * short, 160},
	} {
		r, err := m.repeated(g.algorithm, g.problem, g.horizon)
		if err != nil {
			return nil, err
		}
		cost := r.cost() / 1000
		row := []string{g.algorithm, g.problem, formatHorizon(r.Rounds), digits(cost),
			fmt.Sprintf("%v µs: %s", g.maxMicroseconds, sayMet(cost <= g.maxMicroseconds))}
		t.Rows = append(t.Rows, table.Plains(row...))
		logRow(row...)
	}
	return t, nil
}

// logRow prints a row of a table on stderr as soon as it is measured.
func logRow(row ...string) { fmt.Fprintf(os.Stderr, "peers: %s\n", strings.Join(row, " | ")) }
