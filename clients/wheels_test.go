package clients

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"ocobench/internal/long"
)

// wheel makes the wheel of a system with a program, and returns its file.
func wheel(t *testing.T, dir, version, platform, program string) string {
	t.Helper()
	out, err := python(t, "wheels.py", dir, version, platform, program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// A wheel says for which systems it is and has the program, and is the same twice. The programs
// of other systems are not built here: scripts/wheels.sh does.
func TestWheelsAreForTheirSystems(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for platform, want := range map[string]string{
		"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
		"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
		"darwin/amd64":  "macosx_12_0_x86_64",
		"darwin/arm64":  "macosx_12_0_arm64",
		"windows/amd64": "win_amd64",
		"windows/arm64": "win_arm64",
	} {
		t.Run(platform, func(t *testing.T) {
			file := wheel(t, t.TempDir(), "1.2.0-dev-368f03b+dirty", platform, program)
			const version = "1.2.0.dev0+368f03b.dirty"
			if got := filepath.Base(file); got != "ocobench-"+version+"-py3-none-"+want+".whl" {
				t.Errorf("got name %s, want version %s for %s", got, version, want)
			}
			once, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			twice, err := os.ReadFile(wheel(t, t.TempDir(), "1.2.0-dev-368f03b+dirty", platform, program))
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("got other bytes of the second wheel (%v), want the same", err)
			}
			has := contents(t, file)
			name := "bench"
			if strings.HasPrefix(platform, "windows") {
				name = "bench.exe"
			}
			if got := has["ocobench-"+version+".data/scripts/"+name]; got != "a program" {
				t.Errorf("got program %q, want a program", got)
			}
			if !strings.Contains(has["ocobench/__init__.py"], "\n__version__ = \""+version+"\"\n") {
				t.Error("got another version of the module, want that of the wheel")
			}
			info := has["ocobench-"+version+".dist-info/WHEEL"]
			for tag := range strings.SplitSeq(want, ".") {
				if !strings.Contains(info, "\nTag: py3-none-"+tag+"\n") {
					t.Errorf("want the tag %s, got\n%s", tag, info)
				}
			}
		})
	}
}

// contents are the files of an archive, of which the programs can be executed.
func contents(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	has := make(map[string]string)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		has[f.Name] = string(text)
		if program := strings.Contains(f.Name, "/scripts/"); program != (f.Mode()&0o100 != 0) {
			t.Errorf("%s: got mode %v, want it executable: %v", f.Name, f.Mode(), program)
		}
	}
	return has
}

// After pip install of the directory the module is there, and after that of a wheel the program
// too, where there is no Go: what docs/python.md runs then works. An environment of Python and two
// installations take 10 s: in the sample, TestWheelsAreForTheirSystems reads what a wheel has.
func TestInstalledWheelNeedsNoGo(t *testing.T) {
	t.Parallel()
	if !long.Whole() {
		t.Skip("makes an environment of Python; set OCOBENCH_TESTS=whole")
	}
	if runtime.GOOS != "linux" {
		t.Skip("needs a wheel of this system")
	}
	needs(t, "json")
	dir := t.TempDir()
	run := func(cmd *exec.Cmd) string {
		t.Helper()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
		}
		return string(out)
	}
	bin := filepath.Join(dir, "env", "bin")
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + bin, "HOME=" + dir, "PYTHONDONTWRITEBYTECODE=1"}
		return cmd
	}
	venv := exec.CommandContext(t.Context(), interpreter, "-m", "venv", filepath.Dir(bin))
	if out, err := venv.CombinedOutput(); err != nil {
		t.Skipf("no environment of Python: install Debian's python3-venv (%v: %s)", err, out)
	}
	source, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	install := []string{"install", "--quiet", "--no-index", "--force-reinstall"}
	run(command("pip", append(install, source)...))
	release, err := os.ReadFile("../internal/build/version.go")
	if err != nil {
		t.Fatal(err)
	}
	development := regexp.MustCompile(`const development = "(.*)-dev"`).FindSubmatch(release)
	version := run(command("python", "-c", "import ocobench; print(ocobench.__version__)"))
	if want := string(development[1]) + ".dev0\n"; version != want {
		t.Errorf("__version__ is %q, and that of the program %q", version, want)
	}
	typed, _ := filepath.Glob(filepath.Join(dir, "env/lib/*/site-packages/ocobench/py.typed"))
	if len(typed) != 1 {
		t.Errorf("got py.typed %q, want one", typed)
	}

	file := wheel(t, dir, "1.2.0", "linux/"+runtime.GOARCH, built(t))
	run(command("pip", append(install, file)...))
	for _, name := range []string{"penalty.py", "penalty.yaml"} {
		text, err := os.ReadFile("../examples/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out := run(command("bench", "list", "mine", "--external", "mine=python3 penalty.py"))
	if !strings.Contains(out, "penalty-descent, as python3 penalty.py declares it") {
		t.Errorf("want penalty-descent listed, got\n%s", out)
	}
	out = run(command("python", "-c", `if True:
		import ocobench
		a = ocobench.run("penalty.yaml", external={"mine": "python3 penalty.py"}, replicates=2, horizon=20)
		print(ocobench._bench(None), repr(a), len(a.results()))
		print(str(a).splitlines()[0])
		with ocobench.Game("iid", 5) as game:
			print(game.step([0.0] * game.dim).t)`))
	if !regexp.MustCompile(`(?m)^\['` + regexp.QuoteMeta(bin) + `/bench'\] <ocobench.Analysis of penalty: ` +
		`7 algorithms on 3 problems> \d+\nWho keeps both .*\n1\n$`).MatchString(out) {
		t.Errorf("want the program and the analysis, got\n%s", out)
	}
}
