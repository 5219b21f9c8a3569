// Package clients tests the clients of the protocol in other languages.
package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// interpreter is Debian's, whatever else is on the PATH: numpy and scipy are there.
const interpreter = "/usr/bin/python3"

// python returns a command of Python with these arguments in the directory of the
// client. The test skips where Python or one of the modules is missing.
func python(t *testing.T, modules string, args ...string) *exec.Cmd {
	t.Helper()
	if out, err := exec.Command(interpreter, "-c", "import "+modules).CombinedOutput(); err != nil {
		t.Skipf("no Python with %s: install Debian's python3 and python3-scipy (%s: %v: %s)", modules, interpreter, err, out)
	}
	// go test runs a test again when what it read has changed, and looks at
	// what it reads itself only.
	for _, dir := range []string{"python", "python/examples"} {
		if _, err := os.ReadDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, interpreter, args...)
	cmd.Dir = "python"
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// TestUnits runs the library's own tests, with the program built from this tree.
func TestUnits(t *testing.T) {
	cmd := python(t, "unittest", "-W", "error", "-m", "unittest")
	bench := filepath.Join(t.TempDir(), "bench")
	if out, err := exec.Command("go", "build", "-o", bench, "../cmd/bench").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd.Env = append(cmd.Env, "OCOBENCH="+bench)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nOK") {
		t.Errorf("unittest: %v\n%s", err, out)
	}
}

// TestTrajectories plays the examples beside the algorithms that they are written
// after, on the same rounds.
func TestTrajectories(t *testing.T) {
	const horizon = 300
	for _, c := range []struct {
		script, modules    string
		algorithm, problem string
		parameters         map[string]any
		horizon            int
		most               float64 // the largest difference of two coordinates
	}{
		{"ogd.py", "json", "ogd", "decaying-frequency", nil, horizon, 0},
		{"ogd.py", "json", "ogd", "iid:dim=10,constraints=3", nil, horizon, 0},
		{"ogd.py", "json", "ogd", "iid:dim=7,set=ball", nil, horizon, 0},
		{"ogd.py", "json", "ogd", "iid:dim=9,set=simplex", nil, horizon, 0},
		{"ogd.py", "json", "ogd:step=0.3,x0=[0.5]", "iid:dim=3", map[string]any{"step": 0.3, "x0": []float64{0.5}}, horizon, 0},
		{"ogd.py", "json", "ogd", "portfolio", nil, horizon, 0},
		{"ogd.py", "json", "ogd", "logistic", nil, horizon, 0},
		{"ogd.py", "json", "ogd", "mannor", nil, horizon, 0}, // adaptive
		{"primal_dual.py", "numpy", "primal-dual", "iid:dim=6,constraints=3", nil, horizon, 0},
		{"primal_dual.py", "numpy", "primal-dual:step=1", "iid:dim=5,set=simplex,constraints=2", map[string]any{"step": 1}, horizon, 0},
		{"penalised_ftrl.py", "scipy", "penalised-ftrl", "iid:dim=3,constraints=2", nil, 100, 1e-6},
		{"penalised_ftrl.py", "scipy", "penalised-ftrl:gamma=4,kappa=2", "iid:dim=4,set=simplex", map[string]any{"gamma": 4, "kappa": 2}, 100, 1e-6},
		{"penalised_ftrl.py", "scipy", "penalised-ftrl", "decaying-frequency", nil, 100, 1e-6},
	} {
		t.Run(c.script+"/"+c.problem, func(t *testing.T) {
			arena, contender := arenaOf(t, c.problem), contenderOf(t, c.algorithm)
			stream, err := arena.Stream(1, 1)
			if err != nil {
				t.Fatal(err)
			}
			mine, err := contender.Learner(stream, 1, 1, c.horizon)
			if err != nil {
				t.Fatal(err)
			}
			theirs := newChild(t, stream, python(t, c.modules, "examples/"+c.script), c.parameters)
			moved, worst := false, 0.
			watch := observer(func(_ int, x []float64, r convex.Round) error {
				want := make([]float64, len(x))
				mine.Act(want)
				for i, w := range want {
					if c.most == 0 && math.Float64bits(x[i]) != math.Float64bits(w) {
						return fmt.Errorf("plays %v, want %v", x, want)
					}
					worst = max(worst, math.Abs(x[i]-w))
					moved = moved || w != want[0] || w != 0
				}
				return mine.Observe(x, r)
			})
			if err := harness.Play(t.Context(), theirs, stream, c.horizon, watch); err != nil {
				t.Fatal(err)
			}
			if worst > c.most {
				t.Errorf("an action differs by %g, at most %g is right", worst, c.most)
			}
			if !moved {
				t.Error("the built-in algorithm does not move: nothing was compared")
			}
		})
	}
}

func arenaOf(t *testing.T, text string) harness.Arena {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	arenas, err := harness.Catalog{Problems: problems.All}.Arenas(u)
	if err != nil {
		t.Fatal(err)
	}
	return arenas[0]
}

func contenderOf(t *testing.T, text string) harness.Contender {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	contenders, err := harness.Catalog{Algorithms: algorithms.All}.Contenders(u)
	if err != nil {
		t.Fatal(err)
	}
	return contenders[0]
}

type observer func(t int, x []float64, r convex.Round) error

func (o observer) Round(t int, x []float64, r convex.Round) error { return o(t, x, r) }

// child is a learner of another program, which is told all that the protocol has.
type child struct {
	in       io.Writer
	out      *bufio.Reader
	calls, t int
	x        []float64
	last     []*convex.Form // the constraints of the last round
}

// reply is what a child answers.
type reply struct {
	ID     int
	Result struct {
		Protocol int
		X        []float64
	}
	Error *struct{ Message string }
}

func newChild(t *testing.T, s problems.Stream, cmd *exec.Cmd, parameters map[string]any) *child {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("the child ends with %v: %s", err, &stderr)
		}
	})
	c := &child{in: in, out: bufio.NewReader(out)}
	r, err := c.call("initialize", map[string]any{"protocol": 1, "game": map[string]any{
		"domain": domain(s.Set()), "constraints": s.Constraints(), "facts": s.Facts(), "horizon": nil, "seed": 1, "parameters": parameters,
	}})
	if err != nil || r.Result.Protocol != 1 {
		t.Fatalf("initialize: %+v, %v", r, err)
	}
	if r, err = c.call("ask", struct{}{}); err != nil {
		t.Fatal(err)
	}
	c.x = r.Result.X
	return c
}

func (c *child) call(method string, params any) (r reply, err error) {
	c.calls++
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.calls, "method": method, "params": params})
	if err != nil {
		return r, err
	}
	if _, err := c.in.Write(append(message, '\n')); err != nil {
		return r, err
	}
	line, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	switch {
	case err != nil:
		return r, fmt.Errorf("%s: %w", method, err)
	case r.Error != nil:
		return r, fmt.Errorf("%s: %s", method, r.Error.Message)
	case r.ID != c.calls:
		return r, fmt.Errorf("%s: the answer is to call %d, want %d", method, r.ID, c.calls)
	}
	return r, nil
}

// Act implements [algorithms.Learner].
func (c *child) Act(dst []float64) {
	if len(c.x) != len(dst) {
		panic(fmt.Sprintf("the child plays %v, which should have %d coordinates", c.x, len(dst)))
	}
	copy(dst, c.x)
}

// Observe implements [algorithms.Learner].
func (c *child) Observe(x []float64, r convex.Round) error {
	c.t++
	params := map[string]any{"t": c.t, "x": x, "loss": function(r.Loss, x)}
	var constraints []any
	var ahead []float64
	for _, g := range r.Constraints {
		constraints = append(constraints, function(g, x))
	}
	for _, g := range c.last {
		ahead = append(ahead, g.Value(x))
	}
	params["constraints"] = constraints
	if c.t > 1 {
		params["ahead"] = ahead
	}
	c.last = c.last[:0]
	for _, g := range r.Constraints {
		form := convex.NewForm(len(x))
		g.AddTo(form, 1)
		c.last = append(c.last, form)
	}
	answer, err := c.call("tell", params)
	c.x = answer.Result.X
	return err
}

// function is a FUNC of the protocol.
func function(f convex.Func, x []float64) map[string]any {
	n := len(x)
	subgradient, form := make([]float64, n), convex.NewForm(n)
	f.Subgrad(subgradient, x)
	f.AddTo(form, 1)
	shown := map[string]any{"const": form.Const, "lin": form.Lin}
	if len(form.Quad) > 0 {
		shown["quad"] = slices.Collect(slices.Chunk(form.Quad, n))
	}
	if len(form.Terms) > 0 {
		shown = map[string]any{"opaque": true}
	}
	return map[string]any{"value": f.Value(x), "subgradient": subgradient, "form": shown}
}

// domain is a DOMAIN of the protocol.
func domain(s convex.Set) map[string]any {
	switch s := s.(type) {
	case *convex.Box:
		return map[string]any{"box": map[string]any{"lower": s.Lower, "upper": s.Upper}}
	case *convex.Ball:
		return map[string]any{"ball": map[string]any{"center": s.Center, "radius": s.Radius}}
	case *convex.Simplex:
		return map[string]any{"simplex": map[string]any{"dim": s.N, "scale": s.Scale}}
	}
	panic(fmt.Sprintf("a domain of type %T", s))
}

// project reads a domain and points, a line of JSON each, and writes the
// projections and the diameter.
const project = `
import json, sys
import ocobench
decode = json.JSONDecoder(parse_int=float).decode
for line in sys.stdin:
    case = decode(line)
    domain = ocobench._domain(case["domain"])
    print(json.dumps({"diameter": domain.diameter, "points": [domain.project(x) for x in case["points"]]}))
`

// TestProjections compares the bits of projections and diameters.
func TestProjections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 15))
	negative := math.Copysign(0, -1)
	special := []float64{0, negative, 1, -1, 0.5, 1e-300, -1e300, 5e-324, 1 << 53, 1.0 / 3}
	point := func(n int) []float64 {
		x := make([]float64, n)
		size := math.Ldexp(1, r.IntN(40)-20)
		for i := range x {
			if x[i] = size * r.NormFloat64(); r.IntN(4) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		return x
	}
	var sets []convex.Set
	for _, n := range []int{1, 2, 3, 4, 5, 10, 37} {
		lower, upper := point(n), point(n)
		for i := range lower {
			lower[i], upper[i] = min(lower[i], upper[i]), max(lower[i], upper[i])
		}
		box, err := convex.NewBox(lower, upper)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, box, convex.Cube(n, 0, 1), convex.Cube(n, -1, negative), convex.Cube(n, 0, 0))
		for _, size := range []float64{1, 0.1, 1e-8, 7e5} {
			ball, err := convex.NewBall(point(n), size)
			if err != nil {
				t.Fatal(err)
			}
			simplex, err := convex.NewSimplex(n, size)
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, ball, &convex.Ball{Center: make([]float64, n), Radius: size}, simplex)
		}
	}
	var in strings.Builder
	var points [][][]float64
	for _, set := range sets {
		var of [][]float64
		for range 100 {
			x := point(set.Dim())
			on := make([]float64, len(x)) // and a point that is a projection already
			set.Project(on, x)
			of = append(of, x, on)
		}
		points = append(points, of)
		if err := json.NewEncoder(&in).Encode(map[string]any{"domain": domain(set), "points": of}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := python(t, "json", "-c", project)
	cmd.Stdin = strings.NewReader(in.String())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	answers := json.NewDecoder(strings.NewReader(string(out)))
	for k, set := range sets {
		var got struct {
			Diameter float64
			Points   [][]float64
		}
		if err := answers.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(got.Diameter) != math.Float64bits(set.Diameter()) {
			t.Errorf("%+v: diameter %v, want %v", set, got.Diameter, set.Diameter())
		}
		want := make([]float64, set.Dim())
		for i, x := range points[k] {
			set.Project(want, x)
			if !slices.EqualFunc(got.Points[i], want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
				t.Errorf("%+v: the projection of %v is %v, want %v", set, x, got.Points[i], want)
				break
			}
		}
	}
}
