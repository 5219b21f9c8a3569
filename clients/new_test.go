package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocobench/internal/long"
	"ocobench/internal/tool"
)

// The commands of the README of a new folder run as they are written, on a small experiment, and
// so do those of its workflow and the cells of its notebook.
func TestNewFolderRuns(t *testing.T) {
	t.Parallel()
	needs(t, "numpy")
	long.Run(t, checkNewFolder)
}

// checkNewFolder runs the commands of a folder that bench new writes. The sample leaves out the
// laws of its problem.
func checkNewFolder(t *testing.T, whole bool) {
	shell := tool.Find(t, "bash", "bash")
	dir := filepath.Join(t.TempDir(), "first")
	bench := built(t)
	if out, err := exec.Command(bench, "new", dir, "--notebook").CombinedOutput(); err != nil {
		t.Fatalf("bench new: %v\n%s", err, out)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	small := strings.NewReplacer("horizon: 300", "horizon: 12", "replicates: 10", "replicates: 2")
	experiment := filepath.Join(dir, "experiment.yaml")
	text := []byte(small.Replace(read("experiment.yaml")))
	if err := os.WriteFile(experiment, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(command string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), shell, "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(bench)+":"+filepath.Dir(interpreter)+":"+
			os.Getenv("PATH"), "OCOBENCH="+bench)
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "it needs matplotlib") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	commands := regexp.MustCompile(`(?m)^       (.*)$`).FindAllStringSubmatch(read("README.md"), -1)
	if len(commands) != 5 {
		t.Fatalf("the README has %d commands, want 5", len(commands))
	}
	for _, c := range commands {
		command := c[1]
		if strings.HasPrefix(command, "bench conform ") && !whole {
			command += " mine"
		}
		run(command)
	}
	text = []byte(run("bench check --baseline reference.ocobench --externals programs"))
	if !strings.Contains(string(text), "the same") {
		t.Errorf("the check of what has not changed: want the same, got\n%s", text)
	}
	var notebook struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source string
		}
	}
	if err := json.Unmarshal([]byte(read("notebook.ipynb")), &notebook); err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, c := range notebook.Cells {
		if c.Type == "code" {
			code.WriteString(c.Source + "\n")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cells.py"), []byte(code.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := run("python3 cells.py"); !strings.Contains(text, "mine:step=1 own:budget=0.5") {
		t.Errorf("the cells of the notebook: want mine and own, got\n%s", text)
	}
}
