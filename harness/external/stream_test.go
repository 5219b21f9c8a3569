package external_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/external/externaltest"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
	"ocobench/internal/errtest"
	"ocobench/internal/race"
	"ocobench/problems"
)

// startProblem starts a program that is the problem mine.
func startProblem(t testing.TB, words ...string) problems.Problem {
	t.Helper()
	p, err := external.Start(t.Context(), "mine", words,
		external.Options{Timeout: timeLimitOf(strings.Join(words[1:], " "))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	entry, ok := p.Problem()
	if !ok {
		t.Fatalf("%q: got no problem, want one", words)
	}
	return entry
}

// work runs a worker whose catalog has the problem mine, a child of a mode.
func work(mode string) {
	p, err := external.Start(context.Background(), "mine", []string{os.Args[0], mode},
		external.Options{Timeout: timeLimitOf(mode)})
	if err == nil {
		defer p.Close()
		entry, _ := p.Problem()
		err = run.Serve(experiment.Catalog{
			Algorithms: algorithms.All, Problems: append([]problems.Problem{entry}, problems.All...),
		}, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// playAll runs an experiment on the problem mine, and returns its cells and failures by
// their names.
func playAll(t *testing.T, h *process.Host, mine problems.Problem,
	text string) (map[string]*store.Cell, map[string]error) {
	t.Helper()
	e, err := spec.Parse("e.yaml", []byte("name: e\nproblems: [{use: mine}, {use: shrinking}]\n"+
		text))
	if err != nil {
		t.Fatal(err)
	}
	c := experiment.Catalog{Algorithms: algorithms.All,
		Problems: append([]problems.Problem{mine}, problems.All...)}
	plan, err := run.NewPlanOn(t.Context(), h, c, e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := run.Run(t.Context(), plan, s, run.Options{Host: h, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	cells, failed := make(map[string]*store.Cell), make(map[string]error)
	for _, f := range failures {
		failed[f.Cell.String()] = f.Err
	}
	for _, cell := range plan.Cells {
		if failed[cell.String()] == nil {
			if cells[cell.String()], err = s.Get(cell.Key); err != nil {
				t.Fatal(err)
			}
		}
	}
	return cells, failed
}

// adaptive wraps a stream and declares that it depends on the actions.
type adaptive struct{ problems.Stream }

func (s adaptive) Facts() convex.Facts {
	facts := s.Stream.Facts()
	facts.Adaptive = true
	return facts
}

// A program that reveals the rounds of a built-in problem has its games and its
// hindsights, to the last bit: by functions of any kind, and by values and subgradients where the
// functions are affine, so that they are their tangents.
func TestTwinsHaveTheCellsOfTheBuiltin(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ mode, of string }{
		{"twin", "decaying-frequency"}, {"twin", "decaying-frequency:c=0.5,constraints=2"},
		{"twin", "iid:dim=5,constraints=3"}, {"twin", "fixed:dim=3,constraints=2"},
		{"twin", "mannor"}, {"tangents", "alternating"},
		{"twin", "portfolio"}, {"twin", "logistic"}, {"twin", "fog-offloading:nodes=3"},
		{"twin", "perturbed:constraints=2,kind=norm"},
	} {
		t.Run(c.mode+" "+c.of, func(t *testing.T) {
			if i > 5 { // their goroutines are those of the others
				race.SkipSequential(t)
			}
			t.Parallel()
			of := registeredProblem(t, c.of)
			twin := startProblem(t, os.Args[0], c.mode, c.of)
			builtin := problems.Problem{Name: "mine", Doc: twin.Doc,
				New: func(_ any, rng *rand.Rand) (problems.Stream, error) {
					s, err := of.New(of.Params, externaltest.Draw(rng.Uint64()>>11))
					if err == nil && c.mode == "tangents" {
						s = adaptive{s}
					}
					return s, err
				}}
			const experiment = "horizon: 150\nreplicates: 2\nassumptions: ignore\nalgorithms: [{use: " +
				"ogd}, {use: primal-dual}, {use: penalised-ftrl}]\n"
			got, failed := playAll(t, new(process.Host), twin, experiment)
			want, _ := playAll(t, new(process.Host), builtin, experiment)
			if len(failed) > 0 || len(got) != len(want) || len(got) < 8 {
				t.Fatalf("%d cells, want %d; failed: %v", len(got), len(want), failed)
			}
			for name, cell := range want {
				if d := run.Difference(cell, got[name]); d != "" {
					t.Errorf("%s: got difference %s, want none", name, d)
				}
			}
		})
	}
}

// problemMisbehaves sees to it that a problem fails its own cells with the reason, in this
// process or in workers.
func problemMisbehaves(t *testing.T, c externaltest.Child, isolate bool, pids string) {
	h := new(process.Host)
	if isolate {
		h.Command = func() *exec.Cmd { return exec.Command(os.Args[0], counting+pids, "worker", c.Mode) }
		h.Stderr = io.Discard
	}
	cells, failed := playAll(t, h, startProblem(t, os.Args[0], counting+pids, c.Mode),
		"horizon: 70\nreplicates: 1\nalgorithms: [{use: ogd}]\n")
	h.Close()
	// The next process of one that remembers has nothing to remember, and what differs after the
	// opening, in rounds that are the same for the game and the hindsight, differs in one of the two.
	once := c.Mode == "ignores-t" || c.Mode == "other-rounds-at-the-end"
	if n := len(failed); n == 0 || n < 2 && !once || len(cells)+n != 4 {
		t.Fatalf("%d cells, want 2; failed: %v", len(cells), failed)
	}
	for name, err := range failed {
		if !strings.Contains(name, " on mine") ||
			!regexp.MustCompile("(?m)"+c.Fails).MatchString(err.Error()) {
			t.Errorf("it fails with %v, want %s", err, c.Fails)
		}
	}
}

// instance returns the command of a problem that answers with an instance and a round.
func instance(instance, round string) []string {
	const declaration = `{"protocol":1,"role":"problem","name":"a"`
	const script = `n=0; while read -r line; do
		n=$((n+1))
		case $line in
		*'"game"'*) r="$0";;
		*'"reveal"'*) r="$1";;
		*) r="$2";;
		esac
		echo '{"jsonrpc":"2.0","id":'$n',"result":'"$r"'}'
	done`
	return []string{"sh", "-c", script, declaration + `,"instance":` + instance + "}", round,
		declaration + "}"}
}

// Instances that are wrong are refused with the place and what is expected.
func TestBadInstancesAreRefusedWithTheirPlace(t *testing.T) {
	const box = `"domain":{"box":{"lower":[0,0],"upper":[1,1]}}`
	for _, c := range []struct{ instance, want string }{
		{`5`, `instance, column 1: instance: found 5, expected an object`},
		{`{}`, `the key "domain" is missing`},
		{`{"domain":{},"constraints":1}`, `domain has 0 members, expected one of`},
		{`{"domain":{"box":{"lower":[0],"upper":[1,1]}},"constraints":1}`, `column 11: domain: .*`},
		{`{"domain":{"box":{"lower":[-1e308],"upper":[1e308]}},"constraints":1}`,
			`column 11: domain: its diameter is too large .*`},
		{`{"domain":{"simplex":{"dim":0,"scale":1}},"constraints":1}`,
			`dim is 0, expected an integer from 1 to 10000`},
		{`{` + box + `,"constraints":0}`,
			`column 63: constraints is 0, expected an integer from 1 to 100000`},
		{`{` + box + `,"constraints":1,"facts":{"affine":"yes"}}`,
			`the fact affine: found the text "yes", expected true or false`},
		{`{` + box + `,"constraints":1,"facts":{"slater":-1}}`,
			`the fact slater is -1, expected a number ≥ 0`},
		{`{` + box + `,"constraints":1,"facts":{"fixed":true}}`,
			`instance with the fact fixed: the key "expectation" is missing`},
		{`{` + box + `,"constraints":2,"expectation":[{}]}`,
			`expectation has length 1, expected 2, the number of constraints`},
		{`{"expectation":[{"lin":[1]}],` + box + `,"constraints":1}`,
			`column 24: lin in the form of the expectation of constraint 1 has length 1, expected 2`},
		{`{` + box + `,"constraints":1,"expectation":[{"quad":[[-1,0],[0,1]]}]}`,
			`positive semidefinite`},
		{`{` + box + `,"constraints":1,"facts":{"affine":true},"expectation":[{"quad":[[1,0],[0,1]]}]}`,
			`constraint 1 is not affine, and the constraints are declared to be affine`},
	} {
		p := startProblem(t, instance(c.instance, "{}")...)
		_, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
		var failed *problems.FailedError
		if !errors.As(err, &failed) || !regexp.MustCompile(`: instance, column \d+: .*`).MatchString(
			err.Error()) || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: the error is %v, want %s", c.instance, err, c.want)
		}
	}
}

// An instance is what the stream says, and members that are unknown are ignored.
func TestInstanceIsWhatTheStreamSays(t *testing.T) {
	p := startProblem(t, instance(`{"wings":[{}],"constraints":2,"facts":{"slater":0.5,`+
		`"rounds":3,"affine":true,"diameter":7,"wings":2},`+
		`"domain":{"ball":{"center":[0,0],"radius":2},"wings":null},`+
		`"expectation":[{"const":-1,"lin":[1,2]},{}]}`,
		`{"loss":{"value":3,"wings":1,"form":{"const":1,"quad":[[2,0],[0,0]]}},`+
			`"constraints":[{"form":{"lin":[1,0]}},{"form":{}}]}`)...)
	s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	defer game.Close(s)
	if want := (convex.Facts{Slater: 0.5, Rounds: 3, Affine: true, Diameter: 4}); s.Facts() != want ||
		s.Constraints() != 2 || s.Set().Dim() != 2 {
		t.Errorf("got %+v, want the facts of the instance, two constraints in the plane", s)
	}
	mean := s.(problems.Expecter).Expectation()
	if x := []float64{1, 1}; len(mean) != 2 || mean[0].Value(x) != 2 || mean[1].Value(x) != 0 {
		t.Errorf("got expectation %v, want two functions, 2 and 0 at (1, 1)", mean)
	}
	r := s.Reveal(1, nil)
	if x := []float64{3, 1}; r.Loss.Value(x) != 10 || len(r.Constraints) != 2 ||
		r.Constraints[0].Value(x) != 3 || r.Constraints[1].Value(x) != 0 {
		t.Errorf("got round %+v, want loss 10 and constraints 3 and 0 at (3, 1)", r)
	}
	if err := s.(problems.Fallible).Err(); err != nil {
		t.Error(err)
	}
}

// The members of an instance and of a round come in any order, although functions use the names of
// others.
func TestMembersComeInAnyOrder(t *testing.T) {
	instanceMembers := []string{
		`"domain":{"box":{"lower":[0,0],"upper":[1,1]}}`, `"constraints":1`, `"facts":{"affine":true}`,
		`"functions":{"f":{"lin":[1,2],"const":-1}}`,
		`"expectation":[{"terms":[{"of":"f","scale":2}]}]`,
	}
	roundMembers := []string{
		`"loss":{"form":{"lin":[3,4],"const":0.5}}`,
		`"constraints":[{"form":{"const":1.5,"lin":[3,4],"terms":[{"of":"f"}]}}]`,
	}
	object := func(members []string, order []int) string {
		var some []string
		for _, k := range order {
			some = append(some, members[k])
		}
		return "{" + strings.Join(some, ",") + "}"
	}
	rng, x := rand.New(rand.NewPCG(1, 2)), []float64{1, 0.5}
	for range 8 {
		declared := object(instanceMembers, rng.Perm(len(instanceMembers)))
		round := object(roundMembers, rng.Perm(len(roundMembers)))
		p := startProblem(t, instance(declared, round)...)
		s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatalf("%s: %v", declared, err)
		}
		r := s.Reveal(1, nil)
		got := []float64{s.(problems.Expecter).Expectation()[0].Value(x), r.Loss.Value(x),
			r.Constraints[0].Value(x)}
		if want := []float64{2, 5.5, 7.5}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s, then %s: the values are %v, want %v, error %v", declared, round, got, want,
				s.(problems.Fallible).Err())
		}
		game.Close(s)
	}
}

// Every loss must have the declared curvature, which tangents do not have.
func TestDeclaredCurvatureIsChecked(t *testing.T) {
	const head = `{"domain":{"box":{"lower":[0,0],"upper":[1,1]}},"constraints":1,` +
		`"facts":{"adaptive":true,"curvature":2}}`
	for loss, sound := range map[string]bool{
		`{"form":{"quad":[[2,0],[0,3]]}}`:     true,
		`{"form":{"quad":[[2,0],[0,1.9]]}}`:   false,
		`{"form":{"lin":[1,1]}}`:              false,
		`{"value":1,"subgradient":[1,0]}`:     false,
		`{"form":{"quad":[[3,-1],[-1,3]]}}`:   true,
		`{"form":{"quad":[[3,1.1],[1.1,3]]}}`: false,
		// terms may be curved where the quadratic part is not
		`{"form":{"terms":[{"of":{"distance":{"center":[0,0]}}}]}}`:                      true,
		`{"form":{"quad":[[2,0],[0,1]],"terms":[{"of":{"distance":{"center":[0,0]}}}]}}`: true,
	} {
		p := startProblem(t, instance(head, `{"loss":`+loss+`,"constraints":[{"form":{}}]}`)...)
		s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		r := s.Reveal(1, []float64{0, 0})
		if err := s.(problems.Fallible).Err(); (err == nil) != sound ||
			err != nil && !strings.Contains(err.Error(),
				"not strongly convex with the declared curvature 2") {
			t.Errorf("%s: got error %v, want one on the curvature: %v", loss, err, !sound)
		}
		if !sound && !math.IsNaN(r.Loss.Value([]float64{0, 0})) {
			t.Errorf("%s: got %+v revealed, want NaN", loss, r)
		}
		game.Close(s)
	}
}

// A function has a form, or in an adaptive stream a value and a subgradient at the action. One of
// the two alone is no function. Where there is a form, it is what counts.
func TestFunctionsAreWhole(t *testing.T) {
	members := []string{`"form":{"const":1,"lin":[1,2]}`, `"value":5`, `"subgradient":[3,-1]`}
	const declared = `{"domain":{"box":{"lower":[0,0],"upper":[1,1]}},"constraints":1,` +
		`"facts":{"adaptive":%t}}`
	at, x := []float64{1, 0.5}, []float64{0.25, 0.75}
	for given := range 16 {
		adaptive := given&8 != 0
		var some []string
		for k, member := range members {
			if given&(1<<k) != 0 {
				some = append(some, member)
			}
		}
		want := math.NaN() // no function
		if given&1 != 0 {
			want = 1 + x[0] + 2*x[1]
		} else if given&6 == 6 && adaptive {
			want = 5 + 3*(x[0]-at[0]) - (x[1] - at[1])
		}
		f := "{" + strings.Join(some, ",") + "}"
		p := startProblem(t, instance(fmt.Sprintf(declared, adaptive),
			`{"loss":{"form":{}},"constraints":[`+f+`]}`)...)
		s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		r := s.Reveal(1, at)
		if err := s.(problems.Fallible).Err(); (err != nil) != math.IsNaN(want) ||
			err == nil && r.Constraints[0].Value(x) != want {
			t.Errorf("%s, adaptive %t: the value %v, want %v, error %v", f, adaptive,
				r.Constraints[0].Value(x), want, err)
		}
		game.Close(s)
	}
}

// A problem is an entry of the registry, as it is declared.
func TestProblemIsAnEntryOfTheRegistry(t *testing.T) {
	p := startProblem(t, os.Args[0], "twin")
	if p.Name != "mine" || p.Version != 3 || p.Doc != "a problem for tests" || p.Params != nil ||
		len(p.Fingerprint) != 24 || !strings.HasPrefix(p.Reference, "twin, as ") {
		t.Errorf("got %+v, want the declared entry", p)
	}
	if other := startProblem(t, os.Args[0], "twin", "fixed"); other.Fingerprint == p.Fingerprint {
		t.Error("another command: got the same fingerprint, want another")
	}
	_, err := external.Start(t.Context(), "mine",
		declaringCommand(`{"protocol":1,"role":"judge","name":"a"}`), external.Options{})
	errtest.Contains(t, err, `unknown "role" "judge" (expected learner or problem)`)
}

// A learner that writes to a round does not change the next one.
func TestLearnerCannotChangeLaterRounds(t *testing.T) {
	play := func(spoil bool) (values []float64) {
		p := startProblem(t, os.Args[0], "twin", "fixed")
		s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		defer game.Close(s)
		x := []float64{0.25, 0.5}
		for i := range 10 {
			r := s.Reveal(i+1, nil)
			values = append(values, r.Loss.Value(x), r.Constraints[0].Value(x))
			if spoil {
				r.Loss.(*convex.Affine).A[0] = 9
				r.Loss.(*convex.Affine).A = nil
				r.Constraints[0] = r.Loss
			}
		}
		return values
	}
	if got, want := play(true), play(false); !reflect.DeepEqual(got, want) {
		t.Errorf("the values are %v, want %v", got, want)
	}
}
