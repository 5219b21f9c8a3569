package doctest

import (
	"encoding/csv"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/internal/tool"
)

// duckRunner runs a statement of DuckDB from standard input, and prints its rows.
const duckRunner = `
const { DuckDBInstance } = require("@duckdb/node-api");
(async () => {
	const db = await (await DuckDBInstance.create()).connect();
	const answer = await db.runAndReadAll(require("fs").readFileSync(0, "utf8"));
	for (const row of answer.getRows()) console.log(row.join("\t"));
})();
`

// TestReadingProgramsPrintTheNumbers runs the programs that docs/reading.md shows, as they stand,
// each with its tool, on the files that its commands make. The numbers that they print are those of
// the CSV file.
func TestReadingProgramsPrintTheNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs other programs")
	}
	t.Parallel()
	text, err := os.ReadFile("docs/reading.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string][]string)
	for _, b := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(string(text),
		-1) {
		blocks[b[1]] = append(blocks[b[1]], b[2])
	}
	dir := newBenchDir(t)
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("examples")); err != nil {
		t.Fatal(err)
	}
	for _, command := range strings.Split(strings.TrimSpace(strings.Join(blocks["console"], "")),
		"\n") {
		if out, err := shell(dir, strings.TrimPrefix(command, "$ ")).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	file, err := os.ReadFile(filepath.Join(dir, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range rows[0] {
		if !strings.Contains(string(text), "\n| `"+column+"` |") {
			t.Errorf("docs/reading.md: got no column %s, want it documented", column)
		}
	}
	for _, row := range rows[1:] {
		if metric := "`" + row[6] + "`"; !strings.Contains(string(text), metric+" |") &&
			!strings.Contains(string(text), metric+", `") {
			t.Fatalf("docs/reading.md: got no metric %s, want it documented", metric)
		}
	}
	last := lastViolations(t, rows)
	var means, differences, medians []float64
	for _, problem := range slices.Sorted(maps.Keys(last)) {
		byAlgorithm := last[problem]
		ftrl, primalDual := byAlgorithm["penalised-ftrl"], byAlgorithm["primal-dual"]
		if len(byAlgorithm) != 2 || len(ftrl) != 10 || len(primalDual) != 10 {
			t.Fatalf("%s: got %v, want ten values of each of two algorithms", problem, byAlgorithm)
		}
		means = append(means, meanOf(ftrl), meanOf(primalDual))
		differences = append(differences, meanOf(primalDual)-meanOf(ftrl))
		for _, v := range [][]float64{ftrl, primalDual} {
			slices.Sort(v)
			medians = append(medians, (v[4]+v[5])/2)
		}
	}

	python := tool.Python()
	if shell(dir, "python3 -c 'import pandas'").Run() == nil {
		python = "python3"
	}
	if err := os.WriteFile(filepath.Join(dir, "duck.js"), []byte(duckRunner), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		language, tool, probe, run string
		together                   bool // one program of all blocks
		want                       [][]float64
		digits                     int
	}{
		{"python", "Debian's python3-pandas", python + " -c 'import pandas'", python + " -", true,
			[][]float64{slices.Concat(means, differences)}, 5},
		{"r", "Debian's r-base-core", "Rscript -e 'invisible(stats::aggregate)'", "Rscript /dev/stdin", true,
			[][]float64{slices.Concat(means, differences)}, 5},
		{"sql", "npm's @duckdb/node-api, and name its folder in NODE_PATH", `node -e 'require("@duckdb/node-api")'`, "node duck.js",
			false, [][]float64{means, differences}, 12},
		{"sh", "go", "go -C scripts build -o " + dir + "/benchstat golang.org/x/perf/cmd/benchstat", "sh",
			false, [][]float64{medians}, 3},
	} {
		t.Run(c.language, func(t *testing.T) {
			programs := blocks[c.language]
			if c.together {
				programs = []string{strings.Join(programs, "")}
			}
			if len(programs) != len(c.want) || programs[0] == "" {
				t.Fatalf("docs/reading.md shows %d programs, want %d", len(programs), len(c.want))
			}
			probe := exec.Command("sh", "-c", c.probe) // of the module, not of the directory
			if err := probe.Run(); err != nil {
				t.Skipf("%s fails: install %s (%v)", c.probe, c.tool, err)
			}
			for k, program := range programs {
				cmd := shell(dir, c.run)
				cmd.Stdin = strings.NewReader(program)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s%s", err, program, out)
				}
				for _, want := range c.want[k] {
					if !hasNumber(string(out), want, c.digits) {
						t.Errorf("%v is not among what is printed:\n%s%s", want, program, out)
					}
				}
			}
		})
	}
}

// lastViolations returns the soft violations at the horizon, by problem and algorithm, in the
// order of the replicates.
func lastViolations(t *testing.T, rows [][]string) map[string]map[string][]float64 {
	last := make(map[string]map[string][]float64)
	for _, r := range rows {
		algorithm, problem, horizon, round, metric, value := r[1], r[2], r[4], r[5], r[6], r[7]
		if round != horizon || metric != "violation_soft" {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		if last[problem] == nil {
			last[problem] = make(map[string][]float64)
		}
		last[problem][algorithm] = append(last[problem][algorithm], v)
	}
	return last
}

// meanOf returns the mean of some values.
func meanOf(all []float64) (m float64) {
	for _, v := range all {
		m += v / float64(len(all))
	}
	return m
}

// hasNumber reports whether a number is among those of a text, to so many digits.
func hasNumber(text string, want float64, digits int) bool {
	for _, s := range regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]?\d+)?`).FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(s, 64); err == nil &&
			math.Abs(v-want) <= math.Abs(want)*math.Pow10(1-digits) {
			return true
		}
	}
	return false
}
