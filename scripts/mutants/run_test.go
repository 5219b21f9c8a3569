//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a module with these files, known to git, and works there.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds modules")
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of records
	t.Chdir(t.TempDir())
	files["go.mod"] = "module tiny\n\ngo 1.26\n"
	for name, text := range files {
		write(t, name, text)
	}
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A module of two packages: sum is tested by its own test, by one that is not run
// when shortened, and by that of twice, which imports it.
func sums() map[string]string {
	return map[string]string{
		"sum/sum.go": "package sum\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Sub(a, b " +
			"int) int { return a - b }\n\nfunc Mul(a, b int) int { return a * b }\n\nfunc Neg(a int) int " +
			"{ return -a }\n",
		"sum/sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif " +
			"Add(2, 3) != 5 {\n\t\tt.Fail()\n\t}\n}\n\nfunc TestSub(t *testing.T) {\n\tif testing.Short() " +
			"{\n\t\tt.Skip()\n\t}\n\tif Sub(2, 3) != -1 {\n\t\tt.Fail()\n\t}\n}\n",
		"twice/twice.go": "package twice\n\nimport \"tiny/sum\"\n\nfunc Of(a int) int { return " +
			"sum.Mul(2, a) }\n",
		"twice/two_test.go": "package twice\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) {\n\tif " +
			"Of(3) != 6 {\n\t\tt.Fail()\n\t}\n}\n",
	}
}

const sumDefects = `sum/sum.go: Add is wrong
- a + b
+ a - -b - b

sum/sum.go: Sub is wrong
- a - b
+ b - a

sum/sum.go: Mul is wrong
- a * b
+ a / b

sum/sum.go: Neg is wrong, and nobody tests it
- return -a
+ return a
`

// Each defect is found by the nearest test that notices it: the own test, the one that
// is run only in full, the one of the package that imports it, or none.
func TestRun(t *testing.T) {
	files := sums()
	files[list] = sumDefects
	tree(t, files)
	share, _, err := run(t.Context(), []string{"--resume", "outcomes"})
	if err != nil || share != 0.75 {
		t.Errorf("the share is %v, %v, want 0.75", share, err)
	}
	data, err := os.ReadFile("outcomes")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	// the survivor twice: when the quick tests have passed, and when all have
	for i, want := range []string{
		`"outcome":"killed","package":"sum","tests":["TestAdd"],"clock"`,
		`"outcome":"killed","package":"sum","tests":["TestSub"]`,
		`"outcome":"killed","package":"twice","tests":["TestOf"]`,
		`"outcome":"survived"`, `"outcome":"survived"`,
	} {
		if len(lines) != 5 || strings.Contains(lines[i], `"quick"`) != (i == 3) || !strings.Contains(lines[i], want) {
			t.Errorf("outcome %d is not %s in\n%s", i+1, want, data)
		}
	}
	// The tree is as it was, and what was killed is not tried again.
	if _, err := load("."); err != nil {
		t.Error(err)
	}
	if share, _, err := run(t.Context(), []string{"--resume", "outcomes"}); err != nil || share != 0.75 {
		t.Errorf("the second time the share is %v, %v", share, err)
	}
	if data, _ := os.ReadFile("outcomes"); strings.Count(string(data), "\n") != 7 {
		t.Errorf("the second time more than the survivor is tried:\n%s", data)
	}
	if share, _, err := run(t.Context(), []string{"--near", "--package", "sum/"}); err != nil ||
		share != 0.25 {
		t.Errorf("near the share is %v, %v", share, err)
	}
}

// A verb is near to its script, which is run in full, and no other script is.
func TestRunScript(t *testing.T) {
	tree(t, map[string]string{
		"cli/comparetwo.go": "package cli\n\nfunc Two() int { return 2 }\n",
		"bench/bench.go":    "package bench\n\nimport \"tiny/cli\"\n\nvar Two = cli.Two\n",
		"bench/script_test.go": "package bench\n\nimport \"testing\"\n\nfunc TestScripts(t *testing.T) " +
			"{\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\tt.Run(\"comp\", func(t *testing.T) { t.Fail() })\n\t" +
			"t.Run(\"compare\", func(t *testing.T) {\n\t\tif Two() != 2 {\n\t\t\tt.Fail()\n\t\t}\n\t})\n}\n",
		"bench/testdata/script/comp.txtar":    "",
		"bench/testdata/script/compare.txtar": "",
		list:                                  "cli/comparetwo.go: Two is wrong\n- return 2\n+ return 3\n",
	})
	share, _, err := run(t.Context(), []string{"--near", "--resume", "outcomes"})
	if text := read(t, "outcomes"); err != nil || share != 1 ||
		!strings.Contains(text, `"package":"bench","tests":["TestScripts"],"script":"compare"`) {
		t.Errorf("the share is %v, %v: %s", share, err, text)
	}
}

// Outcomes are noted in the order of the defects: one after an interrupt would come before its
// turn.
func TestInterrupt(t *testing.T) {
	tree(t, sums())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := defect{file: "sum/sum.go", old: "a + b", new: "b"}
	l := &lab{defects: &schemata{}, house: &house{}}
	_, err := (options{resume: "outcomes", workers: 1}).tryAll(ctx, l, []defect{d}, nil)
	if err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat("outcomes"); err == nil {
		t.Errorf("noted: %s", read(t, "outcomes"))
	}
}

// A test that fails once, of the load of a machine, kills nothing, and neither does one that fails
// without the defect; the tests after it are run.
func TestConfirmed(t *testing.T) {
	const flaky = "import (\"os\"; \"testing\")\n\nfunc TestFlaky(t *testing.T) {\n" +
		"\tif _, err := os.Stat(\"seen\"); err != nil {\n\t\tos.Mkdir(\"seen\", 0o777)\n" +
		"\t\tt.Fail()\n\t}\n}"
	const failing = "import \"testing\"\n\nfunc TestFails(t *testing.T) { t.Fail() }"
	const few = "sum/sum.go: the same\n- a + b\n+ a + b + 0\n\nsum/sum.go: wrong\n- a + b\n+ a * b\n"
	for _, c := range []struct{ name, first, defects string }{
		{"flaky of few", flaky, few}, {"failing of few", failing, few},
		{"flaky of many", flaky, few + "\n" + sumDefects},
		{"failing of many", failing, few + "\n" + sumDefects},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := sums()
			files["sum/sum_test.go"] = strings.Replace(files["sum/sum_test.go"], "import \"testing\"",
				c.first, 1)
			files[list] = c.defects
			tree(t, files)
			_, _, err := run(t.Context(), []string{"--near", "--resume", "outcomes"})
			lines := strings.Split(read(t, "outcomes"), "\n")
			if err != nil || !strings.Contains(lines[0], `"survived"`) ||
				!strings.Contains(lines[1], `"tests":["TestAdd"]`) {
				t.Errorf("%v: %q", err, lines)
			}
		})
	}
}

// What is no defect is refused: code that does not compile, an old text that is not there.
func TestRunRefuses(t *testing.T) {
	files := sums()
	files[list] = "sum/sum.go: no Go\n- a + b\n+ a +\n"
	tree(t, files)
	for text, want := range map[string]string{
		files[list]:                             "does not compile",
		"sum/sum.go: stale\n- a % b\n+ b % a\n": "occurs 0 times",
		"sum/sum.go: a\n- a + b\n+ b\n\n" + sumDefects + "x\n": "is not FILE: what is wrong",
	} {
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, args := range [][]string{{"--workers", "0"}, {"more"}, {"--package", "none"},
		{"--sample", "-1"}} {
		if _, _, err := run(t.Context(), args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
