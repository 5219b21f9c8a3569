package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/internal/long"
	"ocobench/internal/tool"
)

// interpreter runs the examples, which need numpy and scipy.
var interpreter = tool.Python()

// packages are Debian's that have the modules.
var packages = map[string]string{
	"json": "python3", "numpy": "python3-numpy", "pandas": "python3-pandas", "scipy": "python3-scipy",
}

// needs skips the test where Python or one of the modules is missing.
func needs(t *testing.T, module string) {
	t.Helper()
	tool.Find(t, packages[module], interpreter, "-c", "import "+module)
	// go test runs a test again when what it read has changed, and looks at
	// what it reads itself only.
	for _, dir := range []string{"python", "python/examples"} {
		if _, err := os.ReadDir(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// python returns a command of Python in the directory of the client.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	needs(t, "json")
	cmd := exec.CommandContext(t.Context(), interpreter, args...)
	cmd.Dir = "python"
	return cmd
}

// TestLibraryPassesItsOwnTests runs the library's own tests, with the program built from this tree.
func TestLibraryPassesItsOwnTests(t *testing.T) {
	t.Parallel()
	cmd := python(t, "-W", "error", "-m", "unittest")
	cmd.Env = append(os.Environ(), "OCOBENCH="+built(t))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nOK") {
		t.Errorf("unittest: got error %v, want OK:\n%s", err, out)
	}
}

// TestLibraryRunsOnEveryPython runs the library's own tests, but for those that need the program,
// with every Python from 3.9 to 3.13 that is on the PATH, in the sample with the oldest.
func TestLibraryRunsOnEveryPython(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	long.Run(t, func(t *testing.T, whole bool) {
		var there []string
		for minor := 9; minor <= 13; minor++ {
			version := fmt.Sprintf("3.%d", minor)
			if ofVersion(t, version, "-c", "").Run() == nil {
				there = append(there, version)
			}
		}
		if len(there) == 0 {
			t.Skip("no python3.9, …, python3.13 on the PATH")
		}
		if !whole {
			there = there[:1]
		}
		for _, version := range there {
			t.Run(version, func(t *testing.T) {
				t.Parallel()
				out, err := ofVersion(t, version, "-W", "error", "-m", "unittest").CombinedOutput()
				if err != nil || !strings.Contains(string(out), "\nOK") {
					t.Errorf("unittest: got error %v, want OK:\n%s", err, out)
				}
			})
		}
	})
}

// ofVersion returns a command of a version of Python in the directory of the client.
func ofVersion(t *testing.T, version string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "python"+version, args...)
	cmd.Dir = "python"
	cmd.Env = append(os.Environ(), "PYENV_VERSION="+version) // pyenv has commands of all versions
	return cmd
}

// TestLoopOfTheDocumentRuns runs the loop of docs/python.md with the bench that is on the PATH.
func TestLoopOfTheDocumentRuns(t *testing.T) {
	doc, err := os.ReadFile("../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## A loop of one's own\n")
	_, code, _ := strings.Cut(section, "```python\n")
	code, _, _ = strings.Cut(code, "```")
	cmd := python(t, "-W", "error", "-c", code)
	client, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	bench := built(t)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+
		filepath.Dir(bench)+string(os.PathListSeparator)+os.Getenv("PATH"), "PYTHONPATH="+client)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "'gap': ") != 3 {
		t.Errorf("got error %v, want three gaps:\n%s\n%s", err, code, out)
	}
	files, _ := filepath.Glob(filepath.Join(cmd.Dir, "mine-[123].jsonl"))
	if len(files) != 3 {
		t.Fatalf("got the files %q, want three", files)
	}
	// Then the experiment of docs/python.md plays what was recorded.
	experiment, err := filepath.Abs("../examples/played.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), bench, "run", experiment, "--actions",
		"mine=mine-%d.jsonl")
	run.Dir = cmd.Dir
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "│ mine ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRoundsOfADataFrameArePlayed runs the example of docs/data.md on examples/returns.csv, and
// plays what it writes.
func TestRoundsOfADataFrameArePlayed(t *testing.T) {
	t.Parallel()
	needs(t, "pandas")
	doc, err := os.ReadFile("../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## From arrays or a DataFrame\n")
	_, code, _ := strings.Cut(section, "```python\n")
	code, _, _ = strings.Cut(code, "```")
	returns, err := os.ReadFile("../examples/returns.csv")
	if err != nil {
		t.Fatal(err)
	}
	client, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	cmd := python(t, "-W", "error", "-c", code)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PYTHONPATH="+client)
	if err := os.WriteFile(filepath.Join(cmd.Dir, "returns.csv"), returns, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, code, out)
	}
	play := exec.CommandContext(t.Context(), built(t), "play", "--algorithm", "primal-dual",
		"--problem", "trace:file=returns.jsonl", "--horizon", "120")
	play.Dir = cmd.Dir
	if out, err := play.CombinedOutput(); err != nil || !strings.Contains(string(out), `{"t":120,`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// Programs that print before main are played. Of one that never answers the message says what is
// missing. What shapes of actions the library takes its own tests say.
func TestProgramsOfUsersArePlayedOrExplained(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	client, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	const learner = `
@ocobench.learner(name="shape", anytime=True)
class Shape:
    def __init__(self, game):
        self.n = game.dim
    def ask(self):
        return %s
    def tell(self, round):
        pass
`
	const main = "ocobench.main(Shape)\n"
	for name, c := range map[string]struct {
		module, before, ask, after string
		want                       string // nothing if it is played
	}{
		"a list":          {"json", "", "[0.0] * self.n", main, ""},
		"a print":         {"json", "print('loading')", "[0.0] * self.n", main, ""},
		"a child's print": {"json", "import subprocess; subprocess.run(['echo', 'loading'])", "[0.0] * self.n", main, ""},
		"a raw write":     {"json", "import os; os.write(1, b'loading\\n')", "[0.0] * self.n", main, ""},
		"no main":         {"json", "", "[0.0] * self.n", "", "its process ended (exit status 0) without an answer; a program answers calls until its input ends: the last line of a file in Python is ocobench.main(CLASS)"},
		"another main":    {"json", "", "[0.0] * self.n", "if __name__ == 'main':\n    " + main, "without an answer"},
		"a hang":          {"json", "import time; time.sleep(100)", "[0.0] * self.n", main, "initialize is not answered after 2s, the limit of --external-timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needs(t, c.module)
			file := filepath.Join(t.TempDir(), "shape.py")
			code := "import ocobench\n" + c.before + "\n" + fmt.Sprintf(learner, c.ask) + c.after
			if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
				t.Fatal(err)
			}
			limit := "60s"
			if name == "a hang" {
				limit = "2s"
			}
			play := exec.CommandContext(t.Context(), built(t), "play", "--external",
				"shape="+interpreter+" "+file, "--external-timeout", limit, "--algorithm", "shape",
				"--problem", "iid:dim=2", "--horizon", "2")
			play.Env = append(os.Environ(), "PYTHONPATH="+client)
			out, err := play.CombinedOutput()
			if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) ||
				strings.Contains(string(out), "Traceback") {
				t.Errorf("%v, want %q\n%s", err, c.want, out)
			}
		})
	}
}

// TestExamplesPlayAsTheirAlgorithms plays the examples beside the algorithms that they are written
// after, on the same rounds.
func TestExamplesPlayAsTheirAlgorithms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script     string // mine
		module     string
		algorithm  string
		parameters string // of both
		problem    string
		horizon    int
		most       float64 // the largest difference of two coordinates
	}{
		{"ogd.py", "json", "ogd", "", "iid:dim=10,constraints=3", 300, 0},
		{"ogd.py", "json", "ogd", "", "iid:dim=7,set=ball", 300, 0},
		{"ogd.py", "json", "ogd", "", "iid:dim=9,set=simplex", 300, 0},
		{"ogd.py", "json", "ogd", ":step=0.3,x0=[0.5]", "iid:dim=3", 300, 0},
		{"ogd.py", "json", "ogd", "", "mannor", 300, 0}, // adaptive
		{"primal_dual.py", "numpy", "primal-dual", "", "iid:dim=6,constraints=3", 300, 0},
		{"primal_dual.py", "numpy", "primal-dual", ":step=1", "iid:dim=5,set=simplex,constraints=2", 300,
			0},
		{"penalised_ftrl.py", "scipy", "penalised-ftrl", "", "iid:dim=3,constraints=2", 100, 1e-6},
		{"penalised_ftrl.py", "scipy", "penalised-ftrl", ":gamma=4,kappa=2", "iid:dim=4,set=simplex", 100,
			1e-6},
		{"penalised_ftrl.py", "scipy", "penalised-ftrl", "", "decaying-frequency", 100, 1e-6},
	} {
		t.Run(c.algorithm+c.parameters+"/"+c.problem, func(t *testing.T) {
			needs(t, c.module)
			follows(t, []string{interpreter, "python/examples/" + c.script}, c.algorithm, c.parameters,
				c.problem, c.horizon, c.most)
		})
	}
}

// stubPlots stands for matplotlib where it is not installed: figures take every call, and what is
// plotted is checked to be as long as t.
const stubPlots = `
import sys, types
from unittest import mock
plt = types.ModuleType("matplotlib.pyplot")
axes = mock.MagicMock()
axes.plot.side_effect = lambda t, y, **_: [mock.MagicMock()] if len(t) == len(y) > 0 else []
plt.subplots = lambda **_: (mock.MagicMock(), axes)
package = types.ModuleType("matplotlib")
package.pyplot = plt
sys.modules["matplotlib"], sys.modules["matplotlib.pyplot"] = package, plt
`

// TestFigureOfTheDocumentIsDrawn runs the last example of docs/python.md, with matplotlib where it
// is installed. A figure is then written; a stub draws nothing, and the example plots three curves.
func TestFigureOfTheDocumentIsDrawn(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "\n## A figure of one's own\n")
	_, code, _ := strings.Cut(section, "```python\n")
	code, _, _ = strings.Cut(code, "```")
	client, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	drawn := python(t, "-c", "import matplotlib").Run() == nil
	warnings := "default" // those of matplotlib are not ours
	if !drawn {
		warnings = "error"
		code = stubPlots + code + "\nassert axes.plot.call_count == 3, axes.plot.call_count\n"
	}
	cmd := python(t, "-W", warnings, "-c", code)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(built(t))+string(os.PathListSeparator)+
		os.Getenv("PATH"), "PYTHONPATH="+client, "MPLBACKEND=agg")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, code, out)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "ccv.pdf")); drawn && err != nil {
		t.Error(err)
	}
}
