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

// floors lists the packages of the house, the lowest floor first. A package imports only from
// floors below its own. A new package is given its floor here. The tools in scripts are a module
// of their own, which may import any of these.
var floors = [][]string{
	{"clients/python", "convex/vec", "internal/build", "internal/errtest", "internal/file",
		"internal/golden", "internal/input", "internal/long", "internal/race", "internal/tool"},
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
	// These test the documents and the floors, and the clients in other languages.
	{"internal/doctest", "clients"},
}

// allowedImports lists, for some packages, the only packages of the module that they may import.
// That is less than their floor lets them: a learner cannot see its adversary, statistics take
// and return numbers, and the parts of a floor stand for themselves.
var allowedImports = map[string][]string{
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
		"harness/experiment/spec", "harness/game", "harness/run/process", "harness/store",
		"internal/file", "internal/input",
		"problems/recorded",
	},
	"harness/run/process":     {"harness/game", "internal/input"},
	"harness/experiment/spec": {"convex/vec", "internal/input"},
	"harness/store":           {"internal/build", "internal/file"},
	"report/export": {"algorithms", "harness/experiment", "harness/game", "harness/run",
		"harness/store"},
	"report/tex":    {},
	"report/table":  {"report/tex"},
	"report/figure": {"internal/file", "report/tex"},
	"report": {
		"harness/analysis", "harness/attack", "harness/conform", "harness/diagnosis",
		"harness/experiment", "harness/experiment/spec", "harness/experiments", "harness/game",
		"harness/regression", "harness/run", "harness/store",
		"internal/file", "internal/input", "report/figure", "report/table", "report/tex", "stats",
		"algorithms", "convex", "problems",
	},
	"report/page": {"algorithms", "harness/analysis", "harness/experiment", "harness/experiment/spec",
		"harness/experiments", "harness/game", "harness/regression", "harness/run", "harness/store",
		"internal/input", "report", "report/table", "report/tex", "problems", "stats"},
}

// conformPackage is the only package that is not for tests and may import packages for tests: bench
// conform runs their laws on other people's programs, which have no tests in Go.
const conformPackage = "harness/conform"

// breaches describes each import that is against the order of the house. The keys of imports are
// packages, its values what they import, all by their paths within the module.
func breaches(imports map[string][]string) (faults []string) {
	floor := make(map[string]int)
	for level, packages := range floors {
		for _, p := range packages {
			floor[p] = level
		}
	}
	for _, importer := range slices.Sorted(maps.Keys(imports)) {
		ownFloor, known := floor[importer]
		if !known {
			faults = append(faults, fmt.Sprintf("%s has no floor: give it one in "+
				"internal/doctest/floors_test.go and in the design", importer))
			continue
		}
		for _, imported := range imports[importer] {
			importedFloor, known := floor[imported]
			allowed, limited := allowedImports[importer]
			switch {
			case isForTests(imported) && !isForTests(importer) && importer != conformPackage:
				faults = append(faults, fmt.Sprintf("%s imports %s, which is for tests", importer, imported))
			case !known:
				faults = append(faults, fmt.Sprintf("%s imports %s, which has no floor", importer, imported))
			case importedFloor >= ownFloor:
				faults = append(faults, fmt.Sprintf("%s on floor %d imports %s, which is on floor %d", importer,
					ownFloor, imported, importedFloor))
			case limited && !slices.Contains(allowed, imported):
				faults = append(faults, fmt.Sprintf("%s imports %s: of this module it may import %q", importer,
					imported, allowed))
			}
		}
	}
	return faults
}

// isForTests reports whether the name of a package says that it is for tests.
func isForTests(name string) bool { return strings.HasSuffix(name, "test") }

// goList runs go list in the module.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	// The cache of go test does not know what go list reads, but what the test itself reads:
	// walking the module makes the test run again when files come or go.
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

// TestPackagesImportFromBelow reads the imports of every package of the module from go list, and
// allows no breach.
func TestPackagesImportFromBelow(t *testing.T) {
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
			t.Errorf("go list: got no package %s, want the whole module", p)
		}
	}
	for _, fault := range breaches(imports) {
		t.Error(fault)
	}
}
