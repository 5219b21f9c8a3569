package clients

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/harness/external"
)

// breaks returns the laws that a learner in Python breaks, and whether that was a
// failure of the program.
func breaks(t *testing.T, words ...string) (laws []string, failed bool) {
	t.Helper()
	program, err := external.Start(t.Context(), "mine", append([]string{interpreter}, words...), external.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	all := append(slices.Clone(algtest.Laws), algtest.Law{Name: "messages", Check: func(a algorithms.Algorithm) error {
		return algtest.Equal(a, program.Reordered())
	}})
	for _, law := range all {
		_, err := law.Test(program.Algorithm())
		var failure *algorithms.FailedError
		failed = failed || errors.As(err, &failure)
		if err != nil {
			laws = append(laws, law.Name)
			t.Logf("%s: %v", law.Name, err)
		}
	}
	return laws, failed
}

// Learners that are right keep all laws.
func TestConform(t *testing.T) {
	for script, modules := range map[string]string{
		"../examples/mine.py":               "json",
		"../examples/penalty.py":            "json",
		"python/examples/ogd.py":            "json",
		"python/examples/primal_dual.py":    "numpy",
		"python/examples/penalised_ftrl.py": "scipy",
	} {
		t.Run(filepath.Base(script), func(t *testing.T) {
			needs(t, modules)
			t.Setenv("PYTHONPATH", "python")
			if laws, _ := breaks(t, script); laws != nil {
				t.Errorf("it breaks %v", laws)
			}
		})
	}
}

// A learner with a fault breaks the laws that are about it, and no others.
func TestConformFindsFaults(t *testing.T) {
	const (
		mine    = "../examples/mine.py"
		penalty = "../examples/penalty.py"
	)
	// What is not the same twice breaks every law that plays a game twice.
	twice := []string{"act", "deterministic", "draws", "independent", "loss shift", "coordinates", "order", "messages"}
	needs(t, "json")
	t.Setenv("PYTHONPATH", "python")
	for _, c := range []struct {
		fault, script string
		change        []string // old, new, …
		laws          []string
		fails         bool
	}{
		{fault: "no projection", script: mine, change: []string{
			"return [min(max(v, l), u) for v, l, u in zip(x, box[\"lower\"], box[\"upper\"])]", "return x",
		}, laws: []string{"domain"}},
		{fault: "the second answer is another", script: mine, change: []string{
			`answer = {"result": {"x": x}}` + "\n    elif", `answer = {"result": {"x": x}}; x = project([v / 2 + 0.01 for v in x])` + "\n    elif",
		}, laws: []string{"act"}},
		{fault: "tell and ask have different answers", script: mine, change: []string{
			`answer = {"result": {"x": x}}` + "\n    else", `answer = {"result": {"x": project([v + 0.01 for v in x])}}` + "\n    else",
		}, laws: []string{"act"}},
		{fault: "unseeded randomness", script: mine, change: []string{
			"import sys", "import sys, random", "v - eta * g", "v - eta * g * random.random()",
		}, laws: twice},
		{fault: "a counter that no game resets", script: mine, change: []string{
			"import sys", "import sys\nrounds = 0", "step / math.sqrt(params[\"t\"])", "step / math.sqrt(rounds := rounds + 1)",
		}, laws: twice},
		{fault: "a list of the class, changed in place", script: penalty, change: []string{
			"    def __init__", "    seen = []\n\n    def __init__", "step = self.step", "self.seen.append(round.t)\n        step = self.step", "math.sqrt(round.t)", "math.sqrt(len(self.seen))",
		}, laws: twice},
		{fault: "a seed that is used and not declared", script: mine, change: []string{
			"import sys", "import sys, random", "            if box:", "            random.seed(params[\"game\"][\"seed\"])\n            if box:", "v - eta * g", "v - eta * g * random.random()",
		}, laws: []string{"draws", "coordinates"}},
		{fault: "a seed that is declared and not used", script: mine, change: []string{
			`"anytime": True`, `"anytime": True, "draws": True`,
		}, laws: []string{"draws"}},
		{fault: "a horizon that is not used, and anytime is not declared", script: mine, change: []string{
			`"anytime": True`, `"anytime": False`,
		}, laws: []string{"horizon"}},
		{fault: "the value of the loss is used", script: mine, change: []string{
			"eta = step /", `eta = step / (1 + abs(params["loss"]["value"])) /`,
		}, laws: []string{"loss shift"}},
		{fault: "the first coordinate is another", script: mine, change: []string{
			"x = project([v - eta", "x[0] /= 2; x = project([v - eta",
		}, laws: []string{"coordinates"}},
		{fault: "the first constraint alone is used", script: penalty, change: []string{
			"in round.constraints", "in round.constraints[:1]",
		}, laws: []string{"order"}},
		{fault: "constraints are ignored", script: penalty, change: []string{
			"if g.value > 0", "if g.value > 1000",
		}, laws: []string{"reaction"}},
		{fault: "a file that processes share", script: mine, change: []string{
			"import sys", "import os, pathlib, sys\nturn = pathlib.Path(__file__ + '.turn')",
			"            if box:", "            turn.unlink(missing_ok=True)\n            if box:",
			"eta = step /", "mine = turn.exists() and turn.read_text() == str(os.getpid()); turn.write_text(str(os.getpid()))\n        eta = step * (1 + mine) /",
		}, laws: []string{"independent"}},
		{fault: "parameters are taken in their order", script: mine, change: []string{
			`    "claims"`, `    "parameters": [{"name": name, "type": "number", "default": default} for name, default in (("step", 1), ("decay", 0.75))], "claims"`,
			`["parameters"]["step"]`, `["parameters"]`, "x = project([0.0]", "step, decay = step.values()\n                x = project([0.0]",
			`math.sqrt(params["t"])`, `params["t"] ** decay`,
		}, laws: []string{"messages"}},
		{fault: "facts that are not known are refused", script: mine, change: []string{
			"            if box:", "            known = \"loss_lipschitz constraint_lipschitz loss_range constraint_bound curvature diameter slater affine fixed\"\n            if set(params[\"game\"][\"facts\"]) - set(known.split()):\n                raise ValueError\n            if box:",
		}, laws: []string{"messages"}, fails: true},
		{fault: "it dies in the third round", script: mine, change: []string{
			"eta = step /", `eta = step / (params["t"] != 3) /`,
		}, laws: append([]string{"domain"}, twice...), fails: true},
		{fault: "a coordinate too many", script: mine, change: []string{
			"x = project([v - eta * g", "x = [0] + project([v - eta * g",
		}, laws: append([]string{"domain"}, twice...), fails: true},
		{fault: "no game is played", script: mine, change: []string{
			`.get("box")`, `.get("cube")`,
		}, laws: append([]string{"domain"}, twice...)},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(c.script)
			if err != nil {
				t.Fatal(err)
			}
			code := string(text)
			for k := 0; k < len(c.change); k += 2 {
				if !strings.Contains(code, c.change[k]) {
					t.Fatalf("%s has no %q", c.script, c.change[k])
				}
				code = strings.Replace(code, c.change[k], c.change[k+1], 1)
			}
			script := filepath.Join(t.TempDir(), "wrong.py")
			if err := os.WriteFile(script, []byte(code), 0o666); err != nil {
				t.Fatal(err)
			}
			laws, failed := breaks(t, script)
			if !slices.Equal(laws, c.laws) || failed != c.fails {
				t.Errorf("it breaks %q (failed: %v), want %q (%v)", laws, failed, c.laws, c.fails)
			}
		})
	}
}
