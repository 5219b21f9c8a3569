package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestLoopInCAgreesWithTheHarness holds the loop in C to the harness.
func TestLoopInCAgreesWithTheHarness(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc: the loop in C is not compiled, and not compared")
	}
	program := filepath.Join(t.TempDir(), "primal_dual")
	if out, err := exec.Command(gcc, "-O2", "-o", program, "primal_dual.c",
		"-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	agrees(t, "20000", program)
}

// TestLoopInPythonAgreesWithTheHarness holds the loop in Python to the harness.
func TestLoopInPythonAgreesWithTheHarness(t *testing.T) {
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import numpy").CombinedOutput(); err != nil {
		t.Skipf("there is no numpy: the loop in Python is not compared (%s: %v: %s)", python, err, out)
	}
	const script = "primal_dual_numpy.py"
	if _, err := os.ReadFile(script); err != nil { // so that go test runs again when it has changed
		t.Fatal(err)
	}
	agrees(t, "5000", python, script)
}

// agrees holds a program to the harness: at every checkpoint, on the same seeds, the
// cumulative loss and every violation agree.
func agrees(t *testing.T, horizon string, command ...string) {
	for _, test := range []struct{ problem, args string }{
		{"decaying-frequency", "decaying-frequency 1"},
		{"decaying-frequency:c=0.6", "decaying-frequency 0.6"},
		{"iid:dim=1", "iid 1 1"},
		{"iid:dim=10", "iid 10 1"},
		{"iid:dim=3,constraints=4", "iid 3 4"},
	} {
		for _, seeds := range []string{"1 2", "18446744073709551615 9223372036854775808"} {
			ours, err := playGame(append([]string{"primal-dual", test.problem, horizon},
				strings.Fields(seeds)...))
			if err != nil {
				t.Fatal(err)
			}
			args := append(command[1:], strings.Fields(test.args+" "+horizon+" 5 "+seeds)...)
			out, err := exec.Command(command[0], args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != len(ours.Rows) {
				t.Errorf("%s: got %d checkpoints of the program, want %d of the harness", test.problem,
					len(lines), len(ours.Rows))
				continue
			}
			for i, line := range lines {
				for k, field := range strings.Fields(line) {
					v, err := strconv.ParseFloat(field, 64)
					if err != nil {
						t.Fatal(err)
					}
					if w := float64(ours.Rows[i][k]); !(math.Abs(w-v) <= 1e-9*max(1, math.Abs(v))) {
						t.Fatalf("%s, seeds %s, t=%v: %s: got %v of the program, want %v of the harness",
							test.problem, seeds, ours.Rows[i][0], ours.Columns[k], v, w)
					}
				}
			}
		}
	}
}
