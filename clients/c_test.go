package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestC builds the learner in C with the command of its comment, and plays it beside ogd.
func TestC(t *testing.T) {
	source, err := os.ReadFile("c/ogd.c")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(source), "\n       cc ")
	line, _, _ = strings.Cut(line, "\n")
	dir := t.TempDir()
	probe := exec.CommandContext(t.Context(), "cc", "-x", "c", "-", "-o", filepath.Join(dir, "probe"),
		"-lcjson", "-lm")
	probe.Stdin = strings.NewReader("#include <cjson/cJSON.h>\nint main(void) { return " +
		"cJSON_Version() == 0; }\n")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("no C compiler with cJSON: install Debian's gcc and libcjson-dev (%v: %s)", err, out)
	}
	build := exec.CommandContext(t.Context(), "cc",
		append([]string{"-Wall", "-Wextra", "-Werror"}, strings.Fields(line)...)...)
	build.Dir = "c"
	program := filepath.Join(dir, "c-ogd")
	for i, word := range build.Args {
		if word == "c-ogd" {
			build.Args[i] = program
		}
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	for _, c := range []struct{ parameters, problem string }{
		{"", "decaying-frequency"},
		{"", "iid:dim=10,constraints=3"},
		{"", "iid:dim=7,set=ball"},
		{"", "iid:dim=9,set=simplex"},
		{":step=0.3", "iid:dim=3"},
		{"", "portfolio"},
		{"", "logistic"},
		{"", "mannor"},
	} {
		t.Run("ogd"+c.parameters+"/"+c.problem, func(t *testing.T) {
			follows(t, []string{program}, "ogd", c.parameters, c.problem, 300, 0)
		})
	}

	talk := exec.CommandContext(t.Context(), program)
	talk.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":"one","method":"dance","params":{}}
{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocol":1,"game":{"domain":{"cone":{}}}}}
{"jsonrpc":"2.0","method":"shutdown"}
{"jsonrpc":"2.0","id":3,"method":"ask","params":{}}
`)
	const want = `{"jsonrpc":"2.0","id":"one","error":{"code":-32601,"message":"an unknown method"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"an unknown domain"}}
`
	if out, err := talk.Output(); err != nil || string(out) != want {
		t.Errorf("got %s (%v), want %s", out, err, want)
	}
}
