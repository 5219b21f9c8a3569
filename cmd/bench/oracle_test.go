package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ocobench/internal/long"
	"ocobench/internal/tool"
)

// python is Debian's, whatever else is on the PATH: cvxopt and scipy are there.
var python = tool.Python()

// TestResultsAgreeWithIndependentSolvers compares what a user sees with independent solvers: the
// scripts of testdata/oracle solve with cvxopt and HiGHS what bench solves, on the rounds that
// bench printed. The sample has every case; of the games of Penalised FTRL it has every sixteenth
// round behind the twelfth, each of which is a program of its own.
func TestResultsAgreeWithIndependentSolvers(t *testing.T) {
	if testing.Short() {
		t.Skip("independent solvers take a minute")
	}
	tool.Find(t, "python3-cvxopt and python3-scipy", python, "-c", "import cvxopt, scipy")
	// go test runs a test again when what it read has changed, and looks at
	// what it reads itself only.
	if _, err := os.ReadDir(oracleScript("")); err != nil {
		t.Fatal(err)
	}
	long.Run(t, func(t *testing.T, whole bool) {
		o := startSolvers(t)
		t.Run("penalised-ftrl", func(t *testing.T) { o.penalisedFTRL(t, whole) })
		t.Run("hindsight", o.hindsight)
	})
}

// runCommand runs a command, returns its output, and decodes it into answer unless that is nil.
func runCommand(t *testing.T, answer any, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	if answer != nil {
		if err := json.Unmarshal(out, answer); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	return out
}

func oracleScript(name string) string { return filepath.Join("testdata", "oracle", name) }

// solvers are processes of serve.py, which wait for calls.
type solvers chan *solver

// solver is a process of serve.py.
type solver struct {
	cmd    *exec.Cmd
	calls  io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// startSolvers starts a solver for each processor, until the test ends.
func startSolvers(t *testing.T) solvers {
	all := make(solvers, runtime.GOMAXPROCS(0))
	for range cap(all) {
		s := &solver{cmd: exec.Command(python, oracleScript("serve.py"))}
		s.cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1")
		s.cmd.Stderr = &s.stderr
		stdout, err := s.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if s.calls, err = s.cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			s.calls.Close()
			s.cmd.Wait()
		})
		s.out = bufio.NewReader(stdout)
		all <- s
	}
	return all
}

// ask runs a script on rounds.
func (all solvers) ask(t *testing.T, name string, rounds []byte, answer any, args ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(file, rounds, 0o666); err != nil {
		t.Fatal(err)
	}
	call, err := json.Marshal(append([]string{name, file}, args...))
	if err != nil {
		t.Fatal(err)
	}
	s := <-all
	defer func() { all <- s }()
	fmt.Fprintf(s.calls, "%s\n", call)
	out, err := s.out.ReadBytes('\n')
	if err != nil {
		s.cmd.Wait()
		t.Fatalf("%s %q: %v\n%s", name, args, err, s.stderr.Bytes())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// specText is the SPEC of a name and options, separated by spaces.
func specText(name, options string) string {
	if options == "" {
		return name
	}
	return name + ":" + strings.Join(strings.Fields(options), ",")
}

// replay is what a script says of a game that it played again.
type replay struct {
	Rounds     int
	Difference float64 // in an action, at most
	At         int     // the round where
	Defect     float64 // of the script's own solutions, at most
	Moved      float64 // from cvxopt's answers to those, at most
}

// penalisedFTRL: every action is the minimiser that a cold solve finds.
func (o solvers) penalisedFTRL(t *testing.T, whole bool) {
	every := "every=16"
	if whole {
		every = "every=1"
	}
	for _, c := range []struct{ options, problem, horizon string }{
		{"", "iid:dim=3", "200"},
		{"", "iid:dim=3,constraints=2", "200"},
		{"", "iid:dim=3,constraints=2,set=ball", "200"},
		{"", "iid:dim=3,constraints=2,set=simplex", "200"},
		{"gamma=5 kappa=0.3", "iid:dim=3", "200"},
		{"penalty=per-round", "iid:dim=3,constraints=2", "200"},
		{"penalty=difference", "iid:dim=3,constraints=2", "200"},
		// The domain is in the way too.
		{"gamma=0.5", "iid:dim=3,constraints=2,set=ball", "100"},
		{"gamma=5", "iid:dim=3,constraints=2,set=ball,radius=0.2", "100"},
		{"gamma=2 penalty=difference", "iid:dim=3,constraints=2,set=ball,radius=0.2", "100"},
		{"gamma=5 penalty=per-round", "iid:dim=3,constraints=2,set=simplex", "100"},
		{"gamma=5", "iid:dim=10,constraints=3,radius=0.1", "100"},
		{"gamma=adaptive", "iid:dim=3,constraints=2", "100"},
		{"gamma=3 burn-in=10 x0=0.4", "iid:dim=3,set=simplex", "100"},
		// The losses are quadratic.
		{"gamma=5 kappa=0.1", "fixed:dim=3,constraints=2,curvature=1,set=ball", "100"},
		{"gamma=5", "perturbed:dim=4,constraints=2,curvature=0.5", "100"},
		// One dimension is a program of its own.
		{"", "decaying-frequency:c=0.9", "200"},
		{"gamma=3 kappa=2", "decaying-frequency:constraints=2", "100"},
	} {
		algorithm := specText("penalised-ftrl", c.options)
		t.Run(algorithm+"/"+c.problem, func(t *testing.T) {
			t.Parallel()
			rounds := runCommand(t, nil, "bench", "play", "--algorithm", algorithm, "--problem", c.problem,
				"--horizon", c.horizon)
			var r replay
			o.ask(t, "ftrl.py", rounds, &r, append(strings.Fields(c.options), every)...)
			if strconv.Itoa(r.Rounds) != c.horizon {
				t.Errorf("got %d rounds, want %s", r.Rounds, c.horizon)
			}
			if !(r.Defect <= 1e-9) {
				t.Errorf("the reference: got a condition of optimality off by %v, want at most 1e-9", r.Defect)
			}
			if !(r.Difference <= 1e-6) {
				t.Errorf("round %d of %d: got x off by %v, want at most 1e-6", r.At, r.Rounds, r.Difference)
			}
			t.Logf("difference %.1e; reference: defect %.1e, %.1e from cvxopt alone", r.Difference, r.Defect,
				r.Moved)
		})
	}
}

// best is what bench says of a comparator set.
type best struct {
	Empty                bool
	Value, Gap, Residual float64
}

// reference is what the solvers say of it; hindsight.py explains the members.
type reference struct {
	Empty                         *bool
	Margin                        float64
	Upper, Lower, Value, Residual float64
}

// hindsight: values, emptiness and certificates stand up to other solvers.
func (o solvers) hindsight(t *testing.T) {
	const linear, curved = 1e-8, 1e-7 // relative
	for _, c := range []struct {
		problem, horizon string
		tolerance        float64
		empty            string
	}{
		{"iid:dim=3,constraints=2", "500", linear, ""},
		{"iid:dim=2,constraints=2", "500", linear, ""},
		{"iid:dim=10,constraints=2", "500", linear, ""},
		{"iid:dim=3,constraints=2,set=ball", "500", linear, ""},
		{"iid:dim=2,constraints=2,set=ball", "500", linear, ""},
		{"iid:dim=10,constraints=2,set=ball,radius=0.3", "500", linear, ""},
		{"iid:dim=3,constraints=2,set=simplex", "500", linear, ""},
		{"iid:dim=2,constraints=2,set=simplex", "500", linear, ""},
		{"iid:dim=10,constraints=2,set=simplex", "500", linear, ""},
		{"iid:dim=3,constraints=2,margin=-0.1,spread=1.5", "500", linear, "xmin"},
		{"iid:dim=3,constraints=2,margin=-0.1,spread=1.5,set=ball", "500", linear, "xmin"},
		{"iid:dim=3,constraints=2,margin=-0.1,spread=1.5,set=simplex", "500", linear, "xmin"},
		{"iid:dim=3,constraints=2", "1", linear, ""},
		{"decaying-frequency:c=0.75", "500", linear, ""},
		{"decaying-frequency:constraints=2", "500", linear, ""},
		{"shrinking", "500", linear, ""},
		{"fixed:dim=3,constraints=2,curvature=1", "200", curved, ""},
		{"fixed:dim=4,constraints=2,curvature=2,set=ball", "200", curved, ""},
		{"perturbed:dim=3,constraints=2,curvature=1,set=simplex", "200", curved, ""},
		{"perturbed:dim=3,constraints=2,curvature=1,noise=adversarial", "200", curved, ""},
		{"fixed:dim=3,constraints=2,kind=quadratic", "200", curved, ""},
		{"fixed:dim=4,constraints=2,kind=quadratic,set=ball,curvature=1", "200", curved, ""},
		{"perturbed:dim=3,constraints=2,kind=quadratic,noise=drift,amplitude=0.3,curvature=1", "200",
			curved, ""},
		{"fixed:dim=3,constraints=2,kind=norm", "200", curved, ""},
		{"fixed:dim=4,constraints=2,kind=norm,set=simplex", "200", curved, ""},
		{"perturbed:dim=3,constraints=2,kind=norm,noise=drift,amplitude=0.3,curvature=1", "200", curved,
			""},
		{"perturbed:dim=3,constraints=2,kind=norm,set=ball,noise=periodic", "200", curved, ""},
	} {
		t.Run(c.problem+"/"+c.horizon, func(t *testing.T) {
			t.Parallel()
			stream := []string{"--problem", c.problem, "--horizon", c.horizon, "--seed", "7", "--replicate",
				"2"}
			rounds := runCommand(t, nil, "bench", append([]string{"play", "--algorithm", "ogd"}, stream...)...)
			var got struct{ Sets map[string]best }
			answer := runCommand(t, &got, "bench", append([]string{"hindsight", "--json"}, stream...)...)
			file := filepath.Join(t.TempDir(), "answer.json")
			if err := os.WriteFile(file, answer, 0o666); err != nil {
				t.Fatal(err)
			}
			var want map[string]reference
			o.ask(t, "hindsight.py", rounds, &want, file)
			for _, set := range []string{"xmin", "xhat", "xmax"} {
				t.Run(set, func(t *testing.T) { compareBest(t, got.Sets[set], want[set], c.tolerance) })
			}
			if c.empty != "" && !got.Sets[c.empty].Empty {
				t.Errorf("got a point in %s, want it empty", c.empty)
			}
		})
	}
}

// compareBest compares a best action that bench found with the reference of other solvers.
func compareBest(t *testing.T, got best, want reference, tolerance float64) {
	const own = 1e-9 // what the solvers guarantee, and bench
	empty := want.Margin > own
	if want.Empty != nil && *want.Empty != empty {
		t.Fatalf("HiGHS contradicts itself: infeasible %v, least largest constraint %v", *want.Empty,
			want.Margin)
	}
	if got.Empty != empty {
		t.Fatalf("empty is %v, the least largest constraint %v", got.Empty, want.Margin)
	}
	if empty {
		return
	}
	size := max(1, math.Abs(got.Value))
	if !(math.Abs(got.Value-want.Upper) <= tolerance*size) {
		t.Errorf("value %v, another solver finds %v: off by %.1e", got.Value, want.Upper,
			got.Value-want.Upper)
	}
	if !(got.Value-got.Gap <= want.Upper+own*size) {
		t.Errorf("the certificate is wrong: %v − %v bounds the least value, another solver finds %v",
			got.Value, got.Gap, want.Upper)
	}
	if !(got.Value >= want.Lower-tolerance*size) {
		t.Errorf("got value %v, want at least the dual bound %v of another solver", got.Value, want.Lower)
	}
	if !(got.Gap >= 0 && got.Gap <= own*size) {
		t.Errorf("got gap %v, want at most %v, relative to value %v", got.Gap, own, got.Value)
	}
	if !(math.Abs(got.Value-want.Value) <= 1e-12*size) {
		t.Errorf("value %v, but the loss at the action is %v", got.Value, want.Value)
	}
	// The reference divides sums of constraints by their number of rounds.
	if !(want.Residual <= own && want.Residual <= got.Residual+1e-11) {
		t.Errorf("the action violates a constraint by %v; the residual says %v", want.Residual,
			got.Residual)
	}
}
