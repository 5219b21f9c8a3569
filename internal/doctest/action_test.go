package doctest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"ocobench/harness/experiment"
	"ocobench/harness/regression"
)

// An action is what the test reads of action.yml.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Runs              struct {
		Using string
		Steps []struct {
			Name, Uses, Shell, Run string
			With, Env              map[string]string
			WorkingDirectory       string `yaml:"working-directory"`
		}
	}
}

// TestActionAnswersOnKnownReferences runs the steps of action.yml with bash, as a runner does, on
// references whose answers are known.
func TestActionAnswersOnKnownReferences(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	t.Parallel()
	data, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.UnmarshalWithOptions(data, &a, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if a.Runs.Using != "composite" || a.Name == "" || a.Description == "" || len(a.Runs.Steps) != 3 {
		t.Fatalf("got %+v, want a composite action of three steps, with name and description", a)
	}
	for name, in := range a.Inputs {
		if in.Description == "" {
			t.Errorf("input %s: got no description, want one", name)
		}
	}

	dir := newBenchDir(t) // what is built already is not linked again
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// run runs the shell steps and returns their exit code, their output and the
	// summary of the job.
	run := func(inputs map[string]string) (code int, output, summary string) {
		t.Helper()
		value := func(text string) string {
			return regexp.MustCompile(`\$\{\{ inputs\.([a-z-]+) \}\}`).ReplaceAllStringFunc(text,
				func(m string) string {
					name := strings.TrimSuffix(strings.TrimPrefix(m, "${{ inputs."), " }}")
					in, ok := a.Inputs[name]
					if !ok {
						t.Errorf("got no input %s, want it declared", name)
					}
					if v, ok := inputs[name]; ok {
						return v
					}
					return in.Default
				})
		}
		job := write("summary.md", "before\n")
		os.Remove(filepath.Join(dir, "bench-check.md"))
		for k, s := range a.Runs.Steps {
			if k == 0 {
				// the directory of what is built
				const module = "${{ inputs.package == '' && github.action_path || " +
					"inputs.working-directory }}"
				if s.Uses != "actions/setup-go@v5" || s.With["go-version-file"] != module+"/go.mod" {
					t.Errorf("got the first step %+v, want actions/setup-go@v5 with the version of go.mod", s)
				}
				continue
			}
			// which a pull request could fill with commands
			if s.Shell != "bash" || s.Uses != "" || strings.Contains(s.Run, "${{") {
				t.Fatalf("got step %+v, want bash without expressions in the command", s)
			}
			cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
			cmd.Dir = value(s.WorkingDirectory)
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_STEP_SUMMARY="+job,
				"GITHUB_ACTION_PATH="+root)
			for name, text := range s.Env {
				cmd.Env = append(cmd.Env, name+"="+value(text))
			}
			out, err := cmd.CombinedOutput()
			output += string(out)
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(job)
		if err != nil {
			t.Fatal(err)
		}
		return code, output, string(text)
	}

	source := write("x.yaml", "name: x\nhorizon: 50\nreplicates: 2\nproblems: [{use: "+
		"shrinking}]\nalgorithms: [{use: ogd}]\n")
	baseline := filepath.Join(dir, "x.ocobench")
	if code, output, _ := run(map[string]string{"baseline": baseline}); code != 2 ||
		!strings.Contains(output, "x.ocobench: no such file") {
		t.Errorf("no reference: got exit code %d, want 2:\n%s", code, output)
	}
	if out, err := exec.Command(filepath.Join(dir, "bench"), "check", "--update", "--experiment",
		source, "--baseline", baseline).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ref, err := regression.Check{Baseline: baseline}.Reference()
	if err != nil {
		t.Fatal(err)
	}
	encoded := func() string {
		var file strings.Builder
		if err := regression.Write(&file, []*regression.Snapshot{ref}); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	ref.Curves[0].Bits = "0"
	for _, y := range ref.Curves[0].Y {
		y[len(y)-1]++
	}
	changed := write("changed.ocobench", encoded())
	ref.Algorithms = append(ref.Algorithms, experiment.Entry{Spec: "nobody", Name: "nobody"})
	ref.Curves = append(ref.Curves, ref.Curves[0])
	ref.Curves[len(ref.Curves)-1].Algorithm = "nobody"
	gone := write("gone.ocobench", encoded())

	for _, c := range []struct {
		baseline, strict, want string
		code                   int
	}{
		{baseline, "false", "## bench check: the same\n", 0},
		{baseline, "true", "## bench check: the same\n", 0},
		{changed, "false", "## bench check: changed\n", 0},
		{changed, "true", "## bench check: changed\n", 1},
		{gone, "false", "## bench check: regression\n", 1},
		{baseline, "perhaps", "", 2},
		{source, "false", "", 2}, // no reference
	} {
		code, output, summary := run(map[string]string{"baseline": c.baseline, "strict": c.strict})
		heading := strings.TrimPrefix(summary, "before\n")
		if code != c.code || !strings.HasPrefix(heading, c.want) || (heading == "") != (c.want == "") {
			t.Errorf("%s, strict %s: got exit code %d, summary\n%s\nwant %d, %s; output\n%s", c.baseline,
				c.strict, code, summary, c.code, c.want, output)
		}
	}
	// a repository without Go, whose paths are relative to it
	python := t.TempDir()
	if err := os.Rename(baseline, filepath.Join(python, "x.ocobench")); err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{"working-directory": python, "baseline": "x.ocobench"}
	if code, output, summary := run(inputs); code != 0 ||
		!strings.HasPrefix(summary, "before\n## bench check: the same\n") {
		t.Errorf("without Go: got exit code %d, want 0, the same; summary\n%s\n%s", code, summary, output)
	}
	inputs["externals"] = "programs"
	if code, output, _ := run(inputs); code != 2 ||
		!strings.Contains(output, "--externals: programs: no such file") {
		t.Errorf("no file of programs: got exit code %d, want 2:\n%s", code, output)
	}
	if code, output, summary := run(map[string]string{
		"package": "./nowhere", "baseline": baseline,
	}); code != 1 || summary != "before\n" {
		t.Errorf("no package: got exit code %d, want 1 and no summary\n%s\n%s", code, summary, output)
	}
}
