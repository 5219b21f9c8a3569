package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A measurement is one run of this program. Its methods measure, each for one row or table.
type measurement struct {
	quick  bool
	dir    string        // the directory of the programs peers, bench, primal_dual and peers-rescan
	python string        // the Python that runs the scripts
	budget time.Duration // CPU time of one game
}

// quickOr returns the first of two values in a quick run and else the second.
func quickOr[T any](m *measurement, quick, full T) T {
	if m.quick {
		return quick
	}
	return full
}

// program returns the path of a file in the directory of the programs.
func (m *measurement) program(name string) string { return filepath.Join(m.dir, name) }

// has reports whether peers.sh could build a program.
func (m *measurement) has(name string) bool {
	_, err := os.Stat(m.program(name))
	return err == nil
}

// runSelf runs the program name, this one (peers) or its twin (peers-rescan), on one core, and
// returns what it measured.
func (m *measurement) runSelf(name string, args ...string) (*result, error) {
	cmd := exec.Command(m.program(name), args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", budgetVariable+"="+m.budget.String())
	return answer[result](cmd)
}

// answer runs a command and decodes the JSON that it prints. The error has the line of stderr that
// says what went wrong.
func answer[T any](cmd *exec.Cmd) (*T, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		said := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		// A traceback of Python ends with the message; a panic of Go begins with it.
		last := said[len(said)-1]
		if strings.HasPrefix(said[0], "panic:") {
			last = said[0]
		}
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, last)
	}
	v := new(T)
	return v, json.Unmarshal(out, v)
}

// game plays a game in a process of its own.
func (m *measurement) game(algorithm, problem string, horizon int, seeds ...string) (*result,
	error) {
	return m.runSelf("peers", append([]string{"game", algorithm, problem, strconv.Itoa(horizon)},
		seeds...)...)
}

// takeTurns lets the two sides take turns, each so many times, and returns what both have measured.
func takeTurns(times int, measureOurs, measureTheirs func() (float64, error)) (ours,
	theirs []float64, err error) {
	for range times {
		our, err := measureOurs()
		if err != nil {
			return nil, nil, err
		}
		their, err := measureTheirs()
		if err != nil {
			return nil, nil, err
		}
		ours, theirs = append(ours, our), append(theirs, their)
	}
	return ours, theirs, nil
}

// median returns the median of v, which is not changed.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// spread returns half the distance of the quartiles relative to the median.
func spread(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v) - 1
	return (v[n-n/4] - v[n/4]) / 2 / median(v)
}

// A loop is primal-dual on one problem, as another program plays it.
type loop struct {
	problem string
	args    []string // arguments of the other program for the same problem
	horizon int
	times   int     // how often each side plays
	atMost  float64 // the target of our seconds over theirs; 0 where there is none
}

// inC compares with the loop in C.
func (m *measurement) inC(l loop) (comparison, error) {
	if !m.has("primal_dual") {
		return l.comparison("loop in C").skip("there is no gcc")
	}
	return m.loop("loop in C", l, m.program("primal_dual"))
}

// inNumpy compares with the loop in Python.
func (m *measurement) inNumpy(l loop) (comparison, error) {
	const peer = "Python with numpy"
	if exec.Command(m.python, "-c", "import numpy").Run() != nil {
		return l.comparison(peer).skip(m.python + " is missing or has no numpy")
	}
	return m.loop(peer, l, m.python, filepath.Join("scripts", "peers", "primal_dual_numpy.py"))
}

// comparison returns the comparison with another program before it is measured.
func (l loop) comparison(peer string) comparison {
	return comparison{
		Peer: peer, Unit: "ns a round", AtMost: l.atMost,
		What: fmt.Sprintf("primal-dual on %s, T=%s, whole path", l.problem, formatHorizon(l.horizon)),
	}
}

// loop compares with a program that prints the seconds of its loop on stderr.
func (m *measurement) loop(peer string, l loop, command ...string) (comparison, error) {
	p := l.comparison(peer)
	seeds := []string{"1", "2"}
	args := slices.Concat(command[1:], l.args, []string{strconv.Itoa(l.horizon), "5"}, seeds)
	perRound := 1e9 / float64(l.horizon)
	ours, theirs, err := takeTurns(l.times, func() (float64, error) {
		r, err := m.game("primal-dual", l.problem, l.horizon, seeds...)
		if err != nil {
			return 0, err
		}
		return r.Seconds * perRound, nil
	}, func() (float64, error) {
		cmd := exec.Command(command[0], args...)
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w: %s", peer, err, &stderr)
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(stderr.String()), 64)
		return v * perRound, err
	})
	if err != nil {
		return p, err
	}
	p.set(ours, theirs)
	p.Agree = "metrics to 1e-9 (tested)"
	return p, nil
}

// rounds writes the rounds that bench prints to a file.
func (m *measurement) rounds(algorithm, problem string, horizon int) (name string, err error) {
	name = m.program("rounds.jsonl")
	file, err := os.Create(name)
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(m.program("bench"), "play", "--algorithm", algorithm, "--problem", problem,
		"--horizon", strconv.Itoa(horizon))
	cmd.Stdout, cmd.Stderr = file, &stderr
	if err := errors.Join(cmd.Run(), file.Close()); err != nil {
		return "", fmt.Errorf("bench play: %w: %s", err, stderr.String())
	}
	return name, nil
}

// pythonHas reports whether Python has a package.
func (m *measurement) pythonHas(name string) bool {
	return exec.Command(m.python, "-c", "import numpy, "+name).Run() == nil
}

// A solver is the JSON that the scripts in Python print.
type solver struct {
	Seconds     float64 `json:"seconds"`
	Solved      int     `json:"solved"` // of the rounds or checkpoints
	Rounds      int     `json:"rounds"`
	Checkpoints int     `json:"checkpoints"`
	Difference  float64 `json:"difference"` // the largest one from our results
}

// script runs a script in Python, which reads the file rounds from stdin, on one core.
func (m *measurement) script(name, rounds string, args ...string) (*solver, error) {
	file, err := os.Open(rounds)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd := exec.Command(m.python, append([]string{filepath.Join("scripts", "peers", name)},
		args...)...)
	cmd.Stdin = file
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	return answer[solver](cmd)
}

// resolve compares Penalised FTRL with cvxopt, which solves every round anew.
func (m *measurement) resolve(problem string, horizon int) (comparison, error) {
	p := comparison{Peer: "cvxopt, every round anew", Unit: "s"}
	p.What = fmt.Sprintf("penalised-ftrl on %s, T=%s", problem, formatHorizon(horizon))
	if !m.pythonHas("cvxopt") {
		return p.skip(m.python + " has no cvxopt")
	}
	rounds, err := m.rounds("penalised-ftrl", problem, horizon)
	if err != nil {
		return p, err
	}
	var s *solver
	ours, theirs, err := takeTurns(quickOr(m, 1, 3), func() (float64, error) {
		r, err := m.game("penalised-ftrl", problem, horizon)
		if err != nil {
			return 0, err
		}
		return r.Seconds, nil
	}, func() (float64, error) {
		if s, err = m.script("resolve_cvxopt.py", rounds, quickOr(m, "8", "30")); err != nil {
			return 0, err
		}
		return s.Seconds, nil
	})
	if err != nil {
		return p, err
	}
	p.set(ours, theirs)
	p.AtMost, p.Agree = 1./100, fmt.Sprintf("actions to %.0e", s.Difference)
	if s.Solved < s.Rounds {
		p.Note = fmt.Sprintf("%d of the %d programs solved, evenly spaced; their time integrated over "+
			"the rounds", s.Solved, s.Rounds)
	}
	return p, checkDifference(s.Difference, 1e-5)
}

// linprog compares hindsight with HiGHS, which solves at one in every so many checkpoints.
func (m *measurement) linprog(problem string, horizon, every int) (comparison, error) {
	p := comparison{Peer: "scipy linprog (HiGHS)", Unit: "s"}
	p.What = fmt.Sprintf("hindsight of three sets, all checkpoints, %s, T=%s", problem,
		formatHorizon(horizon))
	if !m.pythonHas("scipy.optimize") {
		return p.skip(m.python + " has no scipy")
	}
	rounds, err := m.rounds("ogd", problem, horizon)
	if err != nil {
		return p, err
	}
	ourHindsight := m.program("hindsight.json")
	var s *solver
	ours, theirs, err := takeTurns(1, func() (float64, error) {
		r, err := m.runSelf("peers", "hindsight", problem, strconv.Itoa(horizon))
		if err != nil {
			return 0, err
		}
		data, err := json.Marshal(r)
		if err != nil {
			return 0, err
		}
		return r.Seconds, os.WriteFile(ourHindsight, data, 0o666)
	}, func() (float64, error) {
		if s, err = m.script("linprog.py", rounds, ourHindsight, strconv.Itoa(every)); err != nil {
			return 0, err
		}
		return s.Seconds, nil
	})
	if err != nil {
		return p, err
	}
	p.set(ours, theirs)
	p.Agree = fmt.Sprintf("values to %.0e", s.Difference)
	if s.Solved < s.Checkpoints {
		p.Note = fmt.Sprintf("solved at %d of the %d checkpoints; the time of the others between them",
			s.Solved, s.Checkpoints)
	}
	return p, checkDifference(s.Difference, 1e-8)
}

// checkDifference returns an error if the two sides of a comparison differ by more than most.
func checkDifference(difference, most float64) error {
	if !(difference <= most) {
		return fmt.Errorf("the two sides differ by %v, more than %v", difference, most)
	}
	return nil
}

// rescan compares Penalised FTRL with its twin that looks at every hinge in
// every scan, on as many rounds as the twin plays in its time.
func (m *measurement) rescan(problem string, horizon int) (comparison, error) {
	p := comparison{Peer: "rescanning twin", Unit: "s"}
	p.What = "penalised-ftrl on " + problem
	twin, err := m.runSelf("peers-rescan", "game", "penalised-ftrl", problem, strconv.Itoa(horizon))
	if err != nil {
		return p, err
	}
	ours, err := m.game("penalised-ftrl", problem, twin.Rounds)
	if err != nil {
		return p, err
	}
	p.What += fmt.Sprintf(", T=%d", twin.Rounds)
	p.set([]float64{ours.Seconds}, []float64{twin.Seconds})
	p.AtMost = 1. / 20
	if twin.Rounds < horizon {
		p.Note = fmt.Sprintf("the twin plays %d rounds in %v, and both are compared on these: at T=%s "+
			"it is further behind", twin.Rounds, m.budget, formatHorizon(horizon))
		return p, nil
	}
	difference := 0.0
	for k, name := range ours.Columns {
		if name == "gap" {
			continue
		}
		for i, row := range ours.Rows {
			our, their := float64(row[k]), float64(twin.Rows[i][k])
			difference = max(difference, math.Abs(our-their)/max(1, math.Abs(their)))
		}
	}
	p.Agree = fmt.Sprintf("metrics to %.0e", difference)
	if difference == 0 {
		p.Agree = "metrics to the bit"
	}
	return p, checkDifference(difference, 1e-6)
}

// workers measures the seconds of a sweep with one worker and with two, and its number of cells.
func (m *measurement) workers() (one, two float64, cells int, err error) {
	side := func(workers string) func() (float64, error) {
		return func() (float64, error) {
			replicates := quickOr(m, "10", "40")
			r, err := answer[result](exec.Command(m.program("peers"), "sweep", workers, replicates))
			if err != nil {
				return 0, err
			}
			cells = r.Rounds
			return r.Seconds, nil
		}
	}
	withOne, withTwo, err := takeTurns(quickOr(m, 3, 5), side("1"), side("2"))
	if err != nil {
		return 0, 0, 0, err
	}
	return median(withOne), median(withTwo), cells, nil
}
