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
	"ocobench/internal/long"
	"ocobench/problems"
	"ocobench/problems/probtest"
)

// What is held to which laws: a program that is right to all of them, which it keeps; one with
// a fault to all, of which it breaks those that are about the fault. The samples hold one with
// a fault to those that it breaks, and leave out the programs that TestTrajectories plays.

// breaks returns which of some laws, or of all if there are none, a learner in Python breaks,
// and whether that was a failure of the program.
func breaks(t *testing.T, of []string, script string) (laws []string, failed bool) {
	t.Helper()
	program, err := external.Start(t.Context(), "mine", []string{interpreter, script},
		external.Options{Timeout: time.Minute, Forgetful: true})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	all := append(slices.Clone(algtest.Laws),
		algtest.Law{Name: "messages", Check: func(a algorithms.Algorithm) error {
			return algtest.Equal(a, program.Reordered())
		}})
	for _, law := range all {
		if of != nil && !slices.Contains(of, law.Name) {
			continue
		}
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
	if testing.Short() {
		t.Skip("plays hundreds of games in Python")
	}
	long.Run(t, func(t *testing.T, whole bool) {
		for _, c := range []struct {
			script, module string
			plays          bool // in TestTrajectories, too
		}{
			{"../examples/mine.py", "json", false},
			{"../examples/penalty.py", "json", false},
			{"python/examples/ogd.py", "json", true},
			{"python/examples/primal_dual.py", "numpy", true},
			{"python/examples/penalised_ftrl.py", "scipy", true},
		} {
			if c.plays && !whole {
				continue
			}
			t.Run(filepath.Base(c.script), func(t *testing.T) {
				needs(t, c.module)
				t.Setenv("PYTHONPATH", "python")
				if laws, _ := breaks(t, nil, c.script); laws != nil {
					t.Errorf("it breaks %v", laws)
				}
			})
		}
	})
}

// A learner with a fault breaks the laws that are about it, and no others.
func TestConformFindsFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of games in Python")
	}
	const (
		mine    = "../examples/mine.py"
		penalty = "../examples/penalty.py"
	)
	// What is not the same twice breaks every law that plays a game twice.
	twice := []string{"deterministic", "act", "draws", "independent", "loss shift", "coordinates",
		"order", "messages"}
	needs(t, "json")
	t.Setenv("PYTHONPATH", "python")
	faults := []struct {
		fault, script string
		change        []string // old, new, …
		laws          []string
		fails         bool
	}{
		{fault: "tell and ask have different answers", script: mine, change: []string{
			`answer["result"] = {"x": x}` + "\n    elif method == \"shutdown\"",
			`answer["result"] = {"x": project([v + 0.01 for v in x])}` + "\n    elif method == \"shutdown\"",
		}, laws: []string{"act"}},
		{fault: "a counter that no game resets", script: mine, change: []string{
			"import sys", "import sys\nrounds = 0", "step / math.sqrt(params[\"t\"])",
			"step / math.sqrt(rounds := rounds + 1)",
		}, laws: twice},
		{fault: "a file that processes share", script: mine, change: []string{
			"import sys", "import os, pathlib, sys\nturn = pathlib.Path(__file__ + '.turn')",
			"                box, step", "                turn.unlink(missing_ok=True)\n                " +
				"box, step",
			"eta = step /", "mine = turn.exists() and turn.read_text() == str(os.getpid()); " +
				"turn.write_text(str(os.getpid()))\n        eta = step * (1 + mine) /",
		}, laws: []string{"independent"}},
		{fault: "parameters are taken in their order", script: mine, change: []string{
			`    "claims"`, `    "parameters": [{"name": name, "type": "number", "default": default} for name, default in (("step", 1), ("decay", 0.75))], "claims"`,
			`["parameters"]["step"]`, `["parameters"]`, "x = project([0.0]",
			"step, decay = step.values()\n                x = project([0.0]",
			`math.sqrt(params["t"])`, `params["t"] ** decay`,
		}, laws: []string{"messages"}},
		{fault: "facts that are not known are refused", script: mine, change: []string{
			"                box, step", "                known = \"loss_lipschitz constraint_lipschitz " +
				"loss_range constraint_bound curvature diameter slater affine fixed\"\n                if " +
				"set(game[\"facts\"]) - set(known.split()):\n                    raise ValueError\n          " +
				"      box, step",
		}, laws: []string{"messages"}, fails: true},
		{fault: "it dies in the third round", script: mine, change: []string{
			"eta = step /", `eta = step / (params["t"] != 3) /`,
		}, laws: slices.Insert(slices.Clone(twice), 1, "domain"), fails: true},
	}
	long.Run(t, func(t *testing.T, whole bool) {
		for _, c := range faults {
			t.Run(c.fault, func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(c.script)
				if err != nil {
					t.Fatal(err)
				}
				of := c.laws
				if whole {
					of = nil
				}
				laws, failed := breaks(t, of, changed(t, string(text), c.change))
				if !slices.Equal(laws, c.laws) || failed != c.fails {
					t.Errorf("it breaks %q (failed: %v), want %q (%v)", laws, failed, c.laws, c.fails)
				}
			})
		}
	})
}

// changed writes a program in which texts are replaced by others: old, new, ….
func changed(t *testing.T, code string, change []string) (script string) {
	t.Helper()
	for k := 0; k < len(change); k += 2 {
		if !strings.Contains(code, change[k]) {
			t.Fatalf("the program has no %q", change[k])
		}
		code = strings.Replace(code, change[k], change[k+1], 1)
	}
	script = filepath.Join(t.TempDir(), "wrong.py")
	if err := os.WriteFile(script, []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	return script
}

// market is a problem: two goods are sold at random prices, under a random quota.
const market = `
import json
import random
import sys

DECLARATION = {"protocol": 1, "role": "problem", "name": "market"}
FACTS = {"loss_lipschitz": 3, "loss_range": 4, "constraint_lipschitz": 1.5, "constraint_bound": 2,
         "slater": 0.5, "affine": True, "perturbed": True, "iid": True}

for line in sys.stdin:
    call = json.loads(line)
    method, params = call["method"], call.get("params")
    if method == "initialize":
        result = DECLARATION
        if "game" in params:
            rng = random.Random(params["game"]["seed"])
            result = DECLARATION | {"instance": {
                "domain": {"box": {"lower": [0, 0], "upper": [1, 1]}}, "constraints": 1, "facts": FACTS,
                "expectation": [{"const": -1, "lin": [1, 1]}],
            }}
    elif method == "reveal":
        prices = [1 + rng.random(), 1 + rng.random()]
        quota = 0.5 + rng.random()
        result = {"loss": {"form": {"lin": [-p for p in prices]}},
                  "constraints": [{"form": {"const": -quota, "lin": [1, 1]}}]}
    else:
        break
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
`

// A problem that is right keeps all laws, and one with a fault breaks those that are
// about it, and no others.
func TestConformProblems(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of games in Python")
	}
	needs(t, "json")
	// What reveals anything breaks, in the order of the laws.
	every := []string{"shapes", "convex", "replay", "deterministic", "blind", "facts", "lipschitz",
		"bounds", "curvature", "slater", "fixed", "affine", "iid", "expectation"}
	faults := []struct {
		fault  string
		change []string
		laws   []string
		fails  bool
	}{
		{fault: "none"},
		{fault: "a Lipschitz constant that is too small",
			change: []string{`"loss_lipschitz": 3`, `"loss_lipschitz": 2`}, laws: []string{"lipschitz"}},
		{fault: "random numbers that go on in the next stream", change: []string{
			"for line", "rng = random.Random(1)\nfor line", `rng = random.Random(params["game"]["seed"])`,
			"pass",
		}, laws: []string{"replay", "blind"}},
		{fault: "fixed, and it is not", change: []string{
			`"affine": True`, `"affine": True, "fixed": True`,
		}, laws: every, fails: true},
		{fault: "a number that is not finite",
			change: []string{`"const": -quota`, `"const": float("inf")`}, laws: every, fails: true},
	}
	long.Run(t, func(t *testing.T, whole bool) {
		for _, c := range faults {
			t.Run(c.fault, func(t *testing.T) {
				t.Parallel()
				all := probtest.Laws
				if !whole && c.laws != nil {
					all = slices.DeleteFunc(slices.Clone(all), func(l probtest.Law) bool {
						return !slices.Contains(c.laws, l.Name)
					})
				}
				laws, failed := problemBreaks(t, all, changed(t, market, c.change))
				if !slices.Equal(laws, c.laws) || failed != c.fails {
					t.Errorf("it breaks %q (failed: %v), want %q (%v)", laws, failed, c.laws, c.fails)
				}
			})
		}
	})
}

// problemBreaks returns which of some laws a problem in Python breaks, and whether that was a
// failure of the program.
func problemBreaks(t *testing.T, of []probtest.Law, script string) (laws []string, failed bool) {
	t.Helper()
	program, err := external.Start(t.Context(), "market", []string{interpreter, script},
		external.Options{Timeout: time.Minute, Forgetful: true})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	problem, ok := program.Problem()
	if !ok {
		t.Fatal("it is no problem")
	}
	for _, law := range of {
		_, err := law.Test(problem)
		var failure *problems.FailedError
		failed = failed || errors.As(err, &failure)
		if err != nil {
			laws = append(laws, law.Name)
			t.Logf("%s: %v", law.Name, err)
		}
	}
	return laws, failed
}
