package doctest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestModuleOfOnesOwnRuns builds the program of another module, examples/own, from the module
// cache alone, runs its tests, and uses its algorithm and its problem as if they
// were the program's.
func TestModuleOfOnesOwnRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	offline := append(os.Environ(), "GOPROXY=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=readonly",
		"GOWORK=off")
	goTool := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = in, offline
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("in %s: go %s: %v\n%s", in, strings.Join(args, " "), err, out)
		}
	}
	own := filepath.Join(dir, "own")
	goTool("examples/own", "build", "-o", own, ".")
	goTool("examples/own", "vet", ".")
	goTool("examples/own", "test", ".")

	// run returns what a command prints on both outputs.
	run := func(code int, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) ||
			cmd.ProcessState.ExitCode() != code {
			t.Errorf("%s %s: %v, want exit code %d\n%s", filepath.Base(program), strings.Join(args, " "),
				err, code, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	says := func(what, out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not say %q:\n%s", what, want, out)
			}
		}
	}
	results := func(name string) (text string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "out", name, "*.*"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: got no results (%v), want some", name, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Error(err)
			}
			text += string(data)
		}
		return text
	}

	says("list", run(0, own, "list"), "\n  penalty-descent ", "\n  turning ", "\n  penalised-ftrl ",
		"\n  shrinking ")

	says("conform", run(0, own, "conform", "penalty-descent", "turning"),
		"algorithm penalty-descent\n", "problem turning\n", " 0 broken, ")

	game := func(spec string, horizon string) []string {
		out := run(0, own, "play", "--algorithm", spec, "--problem", "turning", "--horizon", horizon)
		return strings.Split(strings.TrimSpace(out), "\n")[1:]
	}
	short, long := game("penalty-descent:doubling=true", "8"),
		game("penalty-descent:doubling=true", "16")
	if len(short) != 8 || len(long) != 16 ||
		strings.Join(short, "\n") != strings.Join(long[:8], "\n") {
		t.Errorf("with doubling: got a game of 8 rounds\n%s\nwant the beginning of one of 16:\n%s",
			strings.Join(short, "\n"), strings.Join(long, "\n"))
	}
	if told := game("penalty-descent", "8"); strings.Join(told, "\n") == strings.Join(short, "\n") {
		t.Error("doubling: got the same game, want another")
	}

	experiment, err := os.ReadFile("examples/own/own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write("own.yaml", string(experiment))
	run(0, own, "run", "own.yaml")
	says("own", results("own"), "penalty-descent:rho=0.5", "turning:period=7")

	if testing.Short() {
		return // the rest plays every algorithm
	}
	// Its workers are itself.
	shared := results("own")
	run(0, own, "run", "own.yaml", "--isolate", "--store", "isolated")
	if results("own") != shared {
		t.Error("--isolate: got other results, want the same")
	}

	// Every algorithm is that of the running program.
	run(0, own, "run", "rates", "--horizon", "20", "--replicates", "1")
	says("rates", results("rates"), "penalty-descent", "yu-lee-lee")
}
