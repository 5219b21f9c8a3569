package main

import (
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPrimalDual holds the loop in C to the harness: at every checkpoint, on
// the same seeds, the cumulative loss and every violation agree.
func TestPrimalDual(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc: the loop in C is not compiled, and not compared")
	}
	program := filepath.Join(t.TempDir(), "primal_dual")
	if out, err := exec.Command(gcc, "-O2", "-o", program, "primal_dual.c", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	for _, test := range []struct{ problem, args string }{
		{"decaying-frequency", "decaying-frequency 1"},
		{"decaying-frequency:c=0.6", "decaying-frequency 0.6"},
		{"iid:dim=1", "iid 1 1"},
		{"iid:dim=10", "iid 10 1"},
		{"iid:dim=3,constraints=4", "iid 3 4"},
	} {
		for _, seeds := range []string{"1 2", "18446744073709551615 9223372036854775808"} {
			const horizon = "20000"
			ours, err := game(append([]string{"primal-dual", test.problem, horizon}, strings.Fields(seeds)...))
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(program, strings.Fields(test.args+" "+horizon+" 5 "+seeds)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != len(ours.Rows) {
				t.Errorf("%s: %d checkpoints in C, %d in the harness", test.problem, len(lines), len(ours.Rows))
				continue
			}
			for i, line := range lines {
				for k, field := range strings.Fields(line) {
					c, err := strconv.ParseFloat(field, 64)
					if err != nil {
						t.Fatal(err)
					}
					if v := float64(ours.Rows[i][k]); !(math.Abs(v-c) <= 1e-9*max(1, math.Abs(c))) {
						t.Fatalf("%s, seeds %s, t=%v: %s is %v in C, %v in the harness", test.problem, seeds, ours.Rows[i][0], ours.Columns[k], c, v)
					}
				}
			}
		}
	}
}
