package clients

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/problems"
)

// compiled builds a program in C with the command of its comment.
func compiled(t *testing.T, file string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("c", file))
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
	name := "c-" + strings.TrimSuffix(file, ".c")
	program := filepath.Join(dir, name)
	for i, word := range build.Args {
		if word == name {
			build.Args[i] = program
		}
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	return program
}

// TestCProblemKeepsAllLaws builds the problem in C, whose losses are neither affine nor quadratic
// and whose constraint has a name: it keeps all laws of problems, and what is played is played
// again.
func TestCProblemKeepsAllLaws(t *testing.T) {
	program := compiled(t, "logistic.c")
	command := built(t)
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), command, args...).Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if laws := run("conform", "--external", "mine="+program, "mine"); !strings.Contains(laws,
		" 0 broken") {
		t.Error(laws)
	}
	played := run("play", "--external", "mine="+program, "--problem", "mine:dim=30",
		"--algorithm", "penalised-ftrl", "--horizon", "20")
	if !strings.Contains(played, `"at":[`) || strings.Count(played, `"elasticnet"`) != 1 ||
		strings.Contains(played, "opaque") {
		t.Errorf("got the rounds %s, want one elastic net, evaluated at points, nothing opaque", played)
	}
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(file, []byte(played), 0o666); err != nil {
		t.Fatal(err)
	}
	again := run("play", "--problem", "trace:file="+file, "--algorithm", "penalised-ftrl",
		"--horizon", "20")
	_, first, _ := strings.Cut(played, "\n")
	if _, second, _ := strings.Cut(again, "\n"); first != second {
		t.Errorf("played again:\n%s\nwant\n%s", second, first)
	}
}

// TestCOpaqueProblemKeepsAllLaws builds the problem in C with functions of its own. It keeps all
// laws of problems, and its sums are those of its rounds.
func TestCOpaqueProblemKeepsAllLaws(t *testing.T) {
	program := compiled(t, "pursuit.c")
	out, err := exec.CommandContext(t.Context(), built(t), "conform", "--external", "mine="+program,
		"mine").CombinedOutput()
	if err != nil || !strings.Contains(string(out), " 0 broken") {
		t.Errorf("got error %v: %s, want no broken law", err, out)
	}
	p, err := external.Start(t.Context(), "mine", []string{program}, external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	entry, _ := p.Problem()
	s, err := entry.New(entry.Params, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 20
	x := []float64{0.25, -0.5}
	var loss, total float64
	largest, prefix := math.Inf(-1), math.Inf(-1)
	for k := range rounds {
		r := s.Reveal(k+1, nil)
		g := r.Constraints[0].Value(x)
		loss, total = loss+r.Loss.Value(x), total+g
		largest, prefix = max(largest, g), max(prefix, total)
	}
	last := s.Reveal(rounds+1, nil).Constraints[0].Value(x)
	sums, single, err := s.(problems.Evaluator).Evaluate([]int{1, rounds}, []int{rounds + 1}, x)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][2]float64{
		"loss":    {sums[1].Loss.Value, loss},
		"total":   {sums[1].Total[0].Value, total},
		"largest": {sums[1].Largest[0].Value, largest},
		"prefix":  {sums[1].Prefix[0].Value, prefix},
		"single":  {single[0][0].Value, last},
	} {
		t.Run(name, func(t *testing.T) {
			if math.Abs(values[0]-values[1]) > 1e-12 {
				t.Errorf("%s is %v, want %v", name, values[0], values[1])
			}
		})
	}
	if err := game.Close(s); err != nil {
		t.Error(err)
	}
}

// The learner in C plays what ogd does, on every kind of domain and on adaptive rounds.
func TestCLearnerPlaysAsOGD(t *testing.T) {
	program := compiled(t, "ogd.c")
	for _, c := range []struct{ parameters, problem string }{
		{"", "iid:dim=10,constraints=3"},
		{"", "iid:dim=7,set=ball"},
		{"", "iid:dim=9,set=simplex"},
		{":step=0.3", "iid:dim=3"},
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
