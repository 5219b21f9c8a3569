package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// shardedExperiment has 18 cells: those of two algorithms and the hindsights.
const shardedExperiment = "name: sharded\nhorizon: 50\nreplicates: 3\n" +
	"problems: [{use: iid}, {use: decaying-frequency}]\nalgorithms: [{use: ogd}, {use: primal-dual}]\n"

// runIn runs a program in dir and returns what it writes to standard error.
func runIn(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, &stderr)
	}
	return stderr.String()
}

// sameExport compares the results in two stores.
func sameExport(t *testing.T, dir, a, b string) {
	t.Helper()
	var text [2][]byte
	for k, store := range []string{a, b} {
		runIn(t, dir, "bench", "export", "--store", store, "--out", "export.csv")
		var err error
		if text[k], err = os.ReadFile(filepath.Join(dir, "export.csv")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(text[0], text[1]) {
		t.Errorf("got other exports of %s and %s, want the same", a, b)
	}
}

// examples/parallel.sh computes every cell once, and then finds them all.
func TestParallelScriptComputesEveryCellOnce(t *testing.T) {
	if out, err := exec.Command("parallel", "--version").Output(); err != nil ||
		!bytes.Contains(out, []byte("GNU parallel")) {
		t.Skip("no GNU parallel on PATH: install Debian's parallel")
	}
	script, err := filepath.Abs("../../examples/parallel.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "a folder's name")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "sharded.yaml")
	if err := os.WriteFile(file, []byte(shardedExperiment), 0o666); err != nil {
		t.Fatal(err)
	}
	said := runIn(t, dir, "sh", script, "sharded.yaml", "4", "--store", "a store", "--out", "an out")
	for k, want := range []string{"5 cells computed, 0 found", "5 cells computed, 0 found",
		"4 cells computed, 0 found", "4 cells computed, 0 found"} {
		if want := "sharded: part " + strconv.Itoa(k+1) + " of 4: " + want; !strings.Contains(said,
			want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	if want := "sharded: 0 cells computed, 18 found in a store; "; !strings.Contains(said, want) {
		t.Errorf("%q is missing in\n%s", want, said)
	}
	runIn(t, dir, "bench", "run", "sharded.yaml", "--store", "whole")
	sameExport(t, dir, "a store", "whole")
}
