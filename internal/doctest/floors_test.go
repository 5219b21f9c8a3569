package doctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "ocobench/"

// floors are the packages of the house, the lowest first. A package imports
// only from floors below its own. A new package is given its floor here. The tools
// in scripts are a module of their own, which may import any of these.
var floors = [][]string{
	{"clients/python", "convex/vec", "internal/build", "internal/file", "internal/golden", "internal/input", "internal/long",
		"internal/race", "internal/tool"},
	{"convex/internal/matrix", "convex/internal/scalar", "convex/internal/screen"},
	{"convex/internal/quadprog"},
	{"convex/internal/cuttingplane", "convex/internal/oracle", "convex/internal/separable",
		"convex/internal/sqp"},
	{"convex"},
	{"convex/wire"},
	{"problems/recorded"},
	{"algorithms", "problems", "stats"},
	{"algorithms/algtest", "problems/probtest"},
	{"harness/game/averages", "harness/experiment/spec", "harness/store"},
	{"harness/game", "harness/harnesstest"},
	{"harness/run/process", "harness/run/slurm"},
	{"harness/experiment", "harness/experiments"},
	{"harness/external", "harness/harnesstest/misbehave"},
	{"harness/run"},
	{"harness/analysis", "harness/diagnosis", "harness/run/runtest"},
	{"harness/attack", "harness/conform", "harness/external/externaltest", "harness/regression"},
	{"report/tex"},
	{"report/export", "report/table", "report/figure"},
	{"report"},
	{"report/page", "paper"},
	{"paper/claims", "paper/published"},
	{"cmd/bench/completion"},
	{"cmd/bench/cli"},
	{"cmd/bench"},
	{"internal/doctest", "clients"}, // test the documents and the floors, and clients in other languages
}

// only are the packages of the module that some may import, which is less
// than their floor lets them: a learner cannot see its adversary, statistics
// are numbers in, numbers out, and the parts of a floor stand for themselves.
var only = map[string][]string{
	"algorithms":        {"convex", "convex/vec"},
	"problems":          {"convex", "convex/vec", "internal/input", "problems/recorded"},
	"problems/recorded": {"convex", "convex/vec", "convex/wire", "internal/input"},
	"stats":             {"convex/vec"},
	"convex/internal/cuttingplane": {"convex/vec", "convex/internal/matrix",
		"convex/internal/quadprog"},
	"convex/internal/oracle": {"convex/vec", "convex/internal/matrix",
		"convex/internal/quadprog"},
	"convex/internal/separable": {"convex/vec", "convex/internal/matrix",
		"convex/internal/quadprog"},
	"harness/game/averages": {"convex", "convex/vec"},
	"harness/game": {"algorithms", "convex", "convex/vec", "harness/game/averages", "internal/input",
		"problems"},
	"harness/run/slurm": {"internal/file"},
	"harness/external": {
		"algorithms", "problems", "convex", "convex/vec", "convex/wire", "harness/experiment",
		"harness/experiment/spec", "harness/game", "harness/run/process", "harness/store", "internal/file", "internal/input",
		"problems/recorded",
	},
	"harness/run/process":     {"harness/game", "internal/input"},
	"harness/experiment/spec": {"convex/vec", "internal/input"},
	"harness/store":           {"internal/build", "internal/file"},
	"report/export":           {"algorithms", "harness/experiment", "harness/game", "harness/run", "harness/store"},
	"report/tex":              {},
	"report/table":            {"report/tex"},
	"report/figure":           {"internal/file", "report/tex"},
	"report": {
		"harness/analysis", "harness/attack", "harness/conform", "harness/diagnosis",
		"harness/experiment", "harness/experiment/spec", "harness/experiments", "harness/game",
		"harness/regression", "harness/run", "harness/store",
		"internal/file", "internal/input", "report/figure", "report/table", "report/tex", "stats",
		"algorithms", "convex", "problems",
	},
	"report/page": {"algorithms", "harness/analysis", "harness/experiment", "harness/experiment/spec",
		"harness/experiments", "harness/game", "harness/regression", "harness/run", "harness/store", "internal/input", "report", "report/table", "report/tex", "problems", "stats"},
}

// conforms is the only package that is not for tests and runs the laws of those that
// are: bench conform holds programs of others to them, which have no tests in Go.
const conforms = "harness/conform"

// breaches returns which imports, of packages by their paths within the module,
// are against the order of the house.
func breaches(imports map[string][]string) (faults []string) {
	floor := make(map[string]int)
	for k, packages := range floors {
		for _, p := range packages {
			floor[p] = k
		}
	}
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		k, known := floor[p]
		if !known {
			faults = append(faults, fmt.Sprintf("%s has no floor: give it one in "+
				"internal/doctest/floors_test.go and in the design", p))
			continue
		}
		for _, q := range imports[p] {
			at, known := floor[q]
			allowed, limited := only[p]
			switch {
			case strings.HasSuffix(q, "test") && !strings.HasSuffix(p, "test") && p != conforms:
				faults = append(faults, fmt.Sprintf("%s imports %s, which is for tests", p, q))
			case !known:
				faults = append(faults, fmt.Sprintf("%s imports %s, which has no floor", p, q))
			case at >= k:
				faults = append(faults, fmt.Sprintf("%s on floor %d imports %s, which is on floor %d", p, k, q,
					at))
			case limited && !slices.Contains(allowed, q):
				faults = append(faults, fmt.Sprintf("%s imports %s: of this module it may import %q", p, q,
					allowed))
			}
		}
	}
	return faults
}

// goList runs go list in the module.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	// What go list reads is not known to the cache of go test; what the test
	// itself looks at is.
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if name := d.Name(); d.IsDir() && (strings.HasPrefix(name, ".") && name != "." ||
			name == "testdata") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

func TestFloors(t *testing.T) {
	out := goList(t, "-json=ImportPath,Imports", "./...")
	imports := make(map[string][]string)
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		within := []string{}
		for _, q := range p.Imports {
			if rest, ok := strings.CutPrefix(q, module); ok {
				within = append(within, rest)
			}
		}
		path := strings.TrimPrefix(p.ImportPath, module)
		if path+"/" == module {
			path = "."
		}
		imports[path] = within
	}
	for _, p := range []string{"harness/run", "convex/vec", "cmd/bench"} {
		if imports[p] == nil {
			t.Errorf("go list does not know %s: is this the whole module?", p)
		}
	}
	for _, fault := range breaches(imports) {
		t.Error(fault)
	}
}
