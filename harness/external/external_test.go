package external_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/external/externaltest"
	"ocobench/harness/game"
	"ocobench/internal/errtest"
	"ocobench/internal/long"
	"ocobench/problems"
)

// With this variable the binary of the tests is a child.
const childVariable = "OCOBENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	// A worker of go test -fuzz has the variable too.
	if os.Getenv(childVariable) != "" && !strings.HasPrefix(os.Args[1], "-test.") {
		if pids, ok := strings.CutPrefix(os.Args[1], counting); ok {
			os.Setenv("CHILDREN", pids)
			os.Args = slices.Delete(os.Args, 1, 2)
		}
		switch os.Args[1] {
		case "replay":
			replayTranscript(os.Args[2], os.Args[3])
		case "worker":
			work(os.Args[2])
		default:
			externaltest.Main()
		}
		return
	}
	long.InMemory()
	os.Setenv(childVariable, "1")
	// Tests that are parallel wait for children most of the time, on few processors, too.
	flag.Parse()
	flag.Set("test.parallel", "16")
	os.Exit(m.Run())
}

// timeLimitOf returns how long a child may take to answer. One that never does is given up soon,
// and others have time on a machine with other work.
func timeLimitOf(mode string) time.Duration {
	if strings.Contains(mode, "hangs") {
		return 2 * time.Second
	}
	return 30 * time.Second
}

// counting begins the first word of a child that writes its process into a file, as all children
// do with the variable CHILDREN: tests side by side have files of their own. What follows a colon
// is no file of the command, whose change would end its games.
const counting = "pids:"

// startChild starts a child with the words of a mode, and returns what it declares.
func startChild(t testing.TB, mode ...string) algorithms.Algorithm {
	t.Helper()
	p, err := external.Start(t.Context(), "mine", append([]string{os.Args[0]}, mode...),
		external.Options{Timeout: timeLimitOf(mode[len(mode)-1])})
	if err != nil {
		t.Fatal(err)
	}
	a := p.Algorithm()
	t.Cleanup(func() { p.Close() })
	return a
}

// registeredProblem resolves the SPEC of a problem of the program.
func registeredProblem(t testing.TB, text string) experiment.Problem {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := experiment.One(u, experiment.Catalog{Problems: problems.All}.ResolveProblems)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// registeredStream starts a problem by its SPEC.
func registeredStream(t testing.TB, text string) problems.Stream {
	t.Helper()
	p := registeredProblem(t, text)
	s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// resolvedAlgorithm resolves the SPEC of one of these algorithms.
func resolvedAlgorithm(t testing.TB, all []algorithms.Algorithm, text string) experiment.Algorithm {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := experiment.One(u, experiment.Catalog{Algorithms: all}.ResolveAlgorithms)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// paramsWith returns the parameters of an algorithm with some set.
func paramsWith(t testing.TB, a algorithms.Algorithm, args string) any {
	t.Helper()
	u, err := spec.ParseSpec(a.Name + ":" + args)
	if err != nil {
		t.Fatal(err)
	}
	params, err := u.Apply(a.Params)
	if err != nil {
		t.Fatal(err)
	}
	return params
}

// beginGame starts a learner on a stream.
func beginGame(t testing.TB, a algorithms.Algorithm, params any, s problems.Stream,
	horizon int) algorithms.Learner {
	t.Helper()
	l, err := a.Start(params, algorithms.Setup{
		Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(), Horizon: horizon, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// actions observes a game and keeps the bits of its actions.
type actions [][]uint64

func (a *actions) Round(_ int, x []float64, _ *convex.Round) error {
	var bits []uint64
	for _, v := range x {
		bits = append(bits, math.Float64bits(v))
	}
	*a = append(*a, bits)
	return nil
}

func TestDeclarationIsTheEntry(t *testing.T) {
	a := startChild(t, "ogd")
	if a.Name != "mine" || a.Title != "Learner of a test" || a.Version != 2 ||
		a.Doc != "a learner for tests" ||
		a.Feedback != algorithms.FirstOrder || !a.Anytime || a.Draws || len(a.Fingerprint) != 24 {
		t.Errorf("got %+v, want the declared entry", a)
	}
	want := []spec.Param{{Name: "step", Type: "number", Default: "0.5", Doc: "the step", Range: "> 0"}}
	if got := spec.Describe(a.Params); !reflect.DeepEqual(got, want) {
		t.Errorf("its parameters are %+v, want %+v", got, want)
	}
	if len(a.Claims) != 1 || a.Claims[0].Metric != algorithms.RegretXMin ||
		a.Claims[0].Exponent != 0.5 || a.Claims[0].NoBound == "" {
		t.Errorf("got claims %+v, want one of √t without a bound", a.Claims)
	}
	if got := a.AssumptionNames(); !slices.Equal(got,
		[]string{algorithms.Oblivious.Name, "good luck"}) || a.Assumes[0].Holds == nil ||
		a.Assumes[1].Holds != nil {
		t.Errorf("got assumptions %q, want a known one and good luck", got)
	}
	fingerprints := make(map[string]bool)
	for _, command := range [][]string{
		declaringCommand(`{"protocol":1,"name":"a"}`),
		declaringCommand(`{"protocol":1,"name":"b"}`),
		append(declaringCommand(`{"protocol":1,"name":"a"}`), "--an-argument"),
	} {
		p, err := external.Start(t.Context(), "mine", command, external.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := p.Algorithm()
		p.Close()
		fingerprints[a.Fingerprint] = true
	}
	if len(fingerprints) != 3 {
		t.Errorf("three commands: got fingerprints %v, want three", fingerprints)
	}
}

// A program declares its title and its definition, each sentence on a line.
func TestDeclaredDefinitionIsThatOfTheEntry(t *testing.T) {
	const members = `"title":"Ours","definition":["$f_t(x)   = x$","two"]}`
	for _, role := range []string{"learner", "problem"} {
		p, err := external.Start(t.Context(), "mine",
			declaringCommand(`{"protocol":1,"name":"a","role":"`+role+`",`+members), external.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		a := p.Algorithm()
		title, definition := a.Title, a.Definition
		if entry, ok := p.Problem(); ok {
			title, definition = entry.Title, entry.Definition
		}
		if want := []string{"$f_t(x) = x$", "two"}; title != "Ours" ||
			!slices.Equal(definition, want) {
			t.Errorf("%s: the title is %q and the definition %q, want Ours and %q", role, title, definition,
				want)
		}
	}
}

// A learner of another program has the trajectory of the built-in one, to the last
// bit, on domains of every kind: of gradient descent, and of primal-dual, which needs
// the constraints at the next action.
func TestTrajectoryIsThatOfTheBuiltin(t *testing.T) {
	for _, c := range []struct{ mode, builtin string }{
		{"ogd", "ogd"}, {"forms", "ogd"}, {"primal-dual", "primal-dual"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			a := startChild(t, c.mode)
			b, _ := algorithms.Lookup(algorithms.All, c.builtin)
			for _, problem := range []string{"iid:dim=5,constraints=3", "portfolio", "regression",
				"online-qp", "logistic", "mannor"} {
				for _, step := range []string{"step=0.5", "step=0.037"} {
					const horizon = 300
					var got, want actions
					for _, player := range []struct {
						a    algorithms.Algorithm
						into *actions
					}{{a, &got}, {b, &want}} {
						s := registeredStream(t, problem)
						l := beginGame(t, player.a, paramsWith(t, player.a, step), s, horizon)
						if err := game.Play(t.Context(), l, s, horizon, player.into); err != nil {
							t.Fatalf("%s on %s: %v", c.mode, problem, err)
						}
					}
					if len(got) != horizon || !reflect.DeepEqual(got, want) {
						t.Errorf("%s:%s on %s: got other actions, want those of %s", c.mode, step, problem, c.builtin)
					}
				}
			}
		})
	}
}

// A child that misbehaves fails its game with the reason, and leaves no process.
func TestMisbehaviourFailsTheGame(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	for _, c := range externaltest.All {
		t.Run(c.Mode, func(t *testing.T) {
			t.Parallel()
			learnerMisbehaves(t, c, pids)
		})
	}
	wrong := externaltest.Problems[len(externaltest.Twins):]
	for _, c := range wrong {
		for _, isolate := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/isolate=%t", c.Mode, isolate), func(t *testing.T) {
				t.Parallel()
				problemMisbehaves(t, c, isolate, pids)
			})
		}
	}
	t.Cleanup(func() { // when the parallel tests have ended, and their programs
		data, err := os.ReadFile(pids)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n < 2*len(externaltest.All)+2*len(wrong) {
			t.Errorf("got %d processes, want two of each program at least", n)
		}
		checkProcessesEnded(t, string(data))
	})
}

// learnerMisbehaves sees to it that two games of a learner fail with the reason and the end of
// its standard error: the second has another process.
func learnerMisbehaves(t *testing.T, c externaltest.Child, pids string) {
	a := startChild(t, counting+pids, c.Mode)
	for range 2 { // games
		s := registeredStream(t, "iid")
		l, err := a.Start(a.Params, algorithms.Setup{
			Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(),
		})
		if err != nil {
			err = fmt.Errorf(": %w", err)
		} else if err = game.Play(t.Context(), l, s, 200); err != nil {
			err = fmt.Errorf(": %w", err)
		}
		switch {
		case c.Fails == "" && err != nil:
			t.Errorf("got error %v, want none", err)
		case c.Fails != "" && (err == nil ||
			!regexp.MustCompile("(?m)"+c.Fails).MatchString(err.Error())):
			t.Errorf("it fails with %v, want %s", err, c.Fails)
		}
		if err == nil {
			continue
		}
		text := err.Error()
		for mode, words := range map[string]string{
			"dies":          "\n    Traceback:\n    \\x1b[1m  ZeroDivisionError",
			"dies-at-start": "\n    there is no licence",
		} {
			if c.Mode == mode && !strings.HasSuffix(text, words) {
				t.Errorf("got error %q, want one that ends with what it has said, %q", text, words)
			}
		}
	}
}

// checkProcessesEnded sees to it that no process is there any more.
func checkProcessesEnded(t *testing.T, pids string) {
	if runtime.GOOS == "windows" {
		return
	}
	for pid := range strings.FieldsSeq(pids) {
		var n int
		fmt.Sscan(pid, &n)
		long.Await(t, "the end of process "+pid, func() bool {
			p, err := os.FindProcess(n)
			return err != nil || p.Signal(syscall.Signal(0)) != nil
		})
	}
}

// A program whose name is taken is not added, and ends.
func TestAddRefusesTakenNames(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv("CHILDREN", pids)
	catalog := experiment.Catalog{Algorithms: slices.Clone(algorithms.All),
		Problems: slices.Clone(problems.All)}
	ctx := t.Context() // that of a subtest would end the processes
	for mode, c := range map[string]struct{ name, want string }{
		"ogd":  {"ogd", "there is another algorithm ogd; give this one another name"},
		"twin": {"iid", "there is another problem iid; give this one another name"},
	} {
		t.Run(mode, func(t *testing.T) {
			_, err := external.Add(ctx, &catalog, c.name, []string{os.Args[0], mode},
				external.Options{Timeout: timeLimitOf(mode)})
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	data, err := os.ReadFile(pids)
	if err != nil || strings.Count(string(data), "\n") != 2 {
		t.Fatalf("got processes %q, error %v, want two", data, err)
	}
	checkProcessesEnded(t, string(data))
}

// Parameters that are refused are no failure of the program, and its process goes on.
func TestRefusedParametersKeepTheProcess(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv("CHILDREN", pids)
	a := startChild(t, "ogd")
	s := registeredStream(t, "iid")
	setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints()}
	for range 3 {
		_, err := a.Start(paramsWith(t, a, "step=13"), setup)
		if err == nil || err.Error() != "a step of 13 brings bad luck" {
			t.Fatalf("got error %v, want a step of 13 brings bad luck", err)
		}
		if err := game.Play(t.Context(), beginGame(t, a, a.Params, s, 10), registeredStream(t, "iid"),
			10); err != nil {
			t.Fatal(err)
		}
	}
	if data, _ := os.ReadFile(pids); strings.Count(string(data), "\n") != 1 {
		t.Errorf("got processes %q, want one for all games", data)
	}
}

// Games at the same time have processes of their own, and give them back.
func TestConcurrentGamesHaveTheirOwnProcesses(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv("CHILDREN", pids)
	a := startChild(t, "ogd")
	var want actions
	s := registeredStream(t, "iid")
	if err := game.Play(t.Context(), beginGame(t, a, a.Params, s, 50), s, 50, &want); err != nil {
		t.Fatal(err)
	}
	const games, rounds = 3, 5
	for range rounds {
		var learners []algorithms.Learner
		for range games {
			learners = append(learners, beginGame(t, a, a.Params, s, 50))
		}
		done := make(chan error, games)
		for _, l := range learners {
			s := registeredStream(t, "iid")
			go func() {
				var got actions
				err := game.Play(context.Background(), l, s, 50, &got)
				if err == nil && !reflect.DeepEqual(got, want) {
					err = fmt.Errorf("it plays something else")
				}
				done <- err
			}()
		}
		for range games {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	if data, _ := os.ReadFile(pids); strings.Count(string(data), "\n") != games {
		t.Errorf("%d processes, want %d", strings.Count(string(data), "\n"), games)
	}
}

// A learner that differs in an early round, or in the last one, is found.
func TestLearnerThatDiffersIsFound(t *testing.T) {
	for _, c := range externaltest.Late {
		a := startChild(t, c.Mode)
		for i := range 3 {
			s := registeredStream(t, "iid")
			err := game.Play(t.Context(), beginGame(t, a, a.Params, s, 200), s, 200)
			if i == 0 && err != nil || i > 0 && (err == nil ||
				!regexp.MustCompile("^"+c.Fails[2:]).MatchString(err.Error())) {
				t.Errorf("game %d of %s: got error %v, want %s from the second on", i+1, c.Mode, err, c.Fails)
			}
		}
		// A game with fewer rounds is another one, until there is a second with as many.
		s := registeredStream(t, "iid")
		if err := game.Play(t.Context(), beginGame(t, a, a.Params, s, 19), s, 19); err != nil {
			t.Error(err)
		}
	}
}

// A program that misses three time limits in a row is not started again, but one that answers in
// between is.
func TestHungProgramIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode      string
		processes int // that do not answer in the games
		want      string
	}{
		// The process that declared is the first, and its game has a second one.
		{"hangs-at-start", 3, `^it is not started again: it hung 3 times in a row, with no answer ` +
			`between, and a later run tries again$`},
		{"hangs", 5, `^round 3: tell is not answered after 2s, the limit of --external-timeout$`},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			a := startChild(t, counting+pids, c.mode)
			var err error
			for range 5 {
				s := registeredStream(t, "iid")
				var l algorithms.Learner
				if l, err = a.Start(a.Params, algorithms.Setup{
					Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(),
				}); err == nil {
					err = game.Play(t.Context(), l, s, 5)
				}
			}
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("the last game fails with %v, want %s", err, c.want)
			}
			data, _ := os.ReadFile(pids)
			if n := strings.Count(string(data), "\n"); n != c.processes {
				t.Errorf("%d processes, want %d", n, c.processes)
			}
		})
	}
}

// When the context ends, so do the processes, also those that are not done with an
// answer.
func TestProcessesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := external.Start(ctx, "mine", []string{os.Args[0], "hangs"},
		external.Options{Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	a := p.Algorithm()
	defer p.Close()
	s := registeredStream(t, "iid")
	l := beginGame(t, a, a.Params, s, 10)
	time.AfterFunc(100*time.Millisecond, cancel)
	errtest.Contains(t, game.Play(context.Background(), l, s, 10), "its process ended")
	if _, err := a.Start(a.Params, algorithms.Setup{Set: s.Set(), Constraints: 1}); err == nil {
		t.Error("an ended program: got a game started, want an error")
	}
}

func TestFailedStartSaysWhy(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	const answers = `sh -c 'echo $$ >>"$0"; echo "{\"jsonrpc\":\"2.0\",\"id\":1,%s}"; exec sleep 100' `
	for _, c := range []struct{ command, want string }{
		{"no-such-program-anywhere", `it does not start: .*no-such-program-anywhere`},
		{"sh -c 'exit 4'", `its process ended \(exit status 4\)`},
		{"sh -c 'echo $0: no >&2; exit 4' me", `its process ended \(exit status 4\)\n    me: no`},
		{"sh -c 'echo hello; sleep 100'", `initialize is answered by "hello", not a message of .*standard error`},
		{"sh -c 'echo [0,0]; sleep 100'", `by "\[0,0\]", not a message of .*standard error`},
		{"sh -c 'exit 0'", `ended \(exit status 0\) without an answer; .*ocobench\.main`},
		{"sh -c 'read call; exit 0'", `ended \(exit status 0\) without an answer; .*ocobench\.main`},
		{"sh -c 'read call; echo note >&2'", `without an answer; .*ocobench\.main\(CLASS\)\n    note`},
		{"sleep 100", `initialize is not answered after 300ms, the limit of --external-timeout`},
		{fmt.Sprintf(answers, `\"error\":{\"code\":-32602,\"message\":\"never\"}`) + pids, "never"},
		{fmt.Sprintf(answers, `\"error\":{\"code\":-32000,\"message\":\"later\"}`) + pids, "later"},
		{fmt.Sprintf(answers, `\"result\":{\"protocol\":7}`) + pids, "7"},
	} {
		words := strings.Fields(c.command)
		if script, rest, ok := strings.Cut(strings.TrimPrefix(c.command, "sh -c '"), "'"); ok {
			words = append([]string{"sh", "-c", script}, strings.Fields(rest)...)
		}
		limit := time.Minute
		if words[0] == "sleep" {
			limit = 300 * time.Millisecond
		}
		_, err := external.Start(t.Context(), "mine", words, external.Options{Timeout: limit})
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: the error is %v, want %s", c.command, err, c.want)
		}
	}
	data, err := os.ReadFile(pids)
	if n := strings.Count(string(data), "\n"); err != nil || n != 3 {
		t.Errorf("got %d processes that answered (%v), want 3", n, err)
	}
	checkProcessesEnded(t, string(data)) // what waits for a call too
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
}

// A learner with the feedback FO+ that knows the horizon is not asked for the action
// after it. An anytime one is, for nobody knows that the game is over.
func TestNoActionIsAskedAfterTheHorizon(t *testing.T) {
	for anytime, asks := range map[string]int{"false": 3, "true": 4} {
		t.Run(anytime, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			p, err := external.Start(t.Context(), "mine", []string{"sh", "-c", `n=0; while read -r line; do
			n=$((n+1)); echo "$line" >> "$0"
			case $line in
			*'"initialize"'*) r='{"protocol":1,"name":"a","feedback":"FO+","anytime":'$1'}';;
			*'"ask"'*) r='{"x":[0.5,0]}';;
			*'"shutdown"'*) exit;;
			*) r='{}';;
			esac
			echo '{"jsonrpc":"2.0","id":'$n',"result":'$r'}'
		done`, log, anytime}, external.Options{})
			if err != nil {
				t.Fatal(err)
			}
			a := p.Algorithm()
			s := registeredStream(t, "iid")
			if err := game.Play(t.Context(), beginGame(t, a, a.Params, s, 3), s, 3); err != nil {
				t.Error(err)
			}
			p.Close()
			data, err := os.ReadFile(log)
			if got := strings.Count(string(data), `"ask"`); err != nil || got != asks {
				t.Errorf("anytime %s: it is asked %d times, want %d, %v", anytime, got, asks, err)
			}
			if ahead := regexp.MustCompile(`"ahead":\[-?[0-9.]+\]`).FindAll(data, -1); len(ahead) != 2 {
				t.Errorf("anytime %s: got constraints ahead %q, want 2", anytime, ahead)
			}
			if strings.Contains(a.Reference, "\n") {
				t.Errorf("got reference %q, want one line", a.Reference)
			}
		})
	}
}

// Declarations that are wrong are refused with what is expected.
func TestBadDeclarationsAreRefused(t *testing.T) {
	for _, c := range []struct{ declaration, want string }{
		{`5`, `initialize is answered by 5`},
		{`{}`, `"protocol" is 0, and this program speaks 1`},
		{`{"protocol":1}`, `"name" is missing`},
		{`{"protocol":1,"name":"a","version":-1}`, `"version" is -1`},
		{`{"protocol":1,"name":"a","feedback":"SO"}`,
			`unknown "feedback" "SO" \(expected FO, FO\+ or FI\)`},
		{`{"protocol":1,"name":"a","anytime":"yes"}`, `anytime: found a text, expected true or false$`},
		{`{"protocol":1,"Name":"a"}`, `"name" is missing`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"number","min":"a"}]}`,
			`parameters: element 1: min: found a text, expected a finite number$`},
		{`{"protocol":1,"name":"a","parameters":[` + strings.Repeat(`{"name":"b","type":"number"},`, 1000) +
			`{}]}`, `its declaration: "parameters" has 1001 elements, expected at most 1000$`},
		{`{"protocol":1,"name":"a","assumes":[` + strings.Repeat(`"a",`, 1000) + `"b"]}`,
			`"assumes" has 1001 elements, expected at most 1000$`},
		{`{"protocol":1,"name":"a","definition":["f","of $x"]}`,
			`"definition" has a dollar sign without its second: "of \$x"`},
		{`{"protocol":1,"name":"a","claims":[{"metric":"regret"}]}`,
			`unknown metric "regret" \(metrics: regret_xmin, `},
		{`{"protocol":1,"name":"a","claims":[{"metric":"regret_xmin"},{"metric":"regret_xmax"}]}`,
			`claims about regret_xmin and about regret_xmax`},
		{`{"protocol":1,"name":"a","claims":[{"metric":"regret_xmin","bound":"g*t"}]}`,
			`the bound of regret_xmin: "g\*t": unknown name "g" \(expected numbers, T, n, m, `},
		{`{"protocol":1,"name":"a","parameters":[{"name":"G","type":"number","default":1}],` +
			`"claims":[{"metric":"regret_xmin","bound":"G*t"}]}`,
			`the bound of regret_xmin: "G\*t": G is a parameter and a number of the game; give `},
		{`{"protocol":1,"name":"a","parameters":[{"type":"number"}]}`,
			`"" is not the name of a parameter`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"use","type":"number"}]}`,
			`"use" is not the name`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"float"}]}`,
			`parameter b has the unknown type "float" \(expected number, `},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"number"},{"name":"b","type":"number"}]}`, `two parameters "b"`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"number","default":"1"}]}`,
			`parameter b: the default "1" is not a number`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"integer","default":1.5}]}`,
			`the default 1.5 is not an integer`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"numbers","default":[1,null]}]}`,
			`the default \[1,null\] is not a list of numbers`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"number","default":0,"above":0}]}`,
			`the default 0 is out of its range`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"numbers","default":[0,3],"max":2}]}`,
			`out of its range`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"boolean","default":true,"max":2}]}`,
			`"max" is of numbers`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"string","enum":[]}]}`,
			`"enum" is a list of strings`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"string","enum":["a","b,c"]}]}`,
			`without commas`},
		{`{"protocol":1,"name":"a","parameters":[{"name":"b","type":"string","default":"c","enum":["a","b"]}]}`, `the default "c" is not one of a, b`},
	} {
		_, err := external.Start(t.Context(), "mine", declaringCommand(c.declaration), external.Options{})
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
			t.Errorf("%s: the error is %v, want %s", c.declaration, err, c.want)
		}
	}
}

// The bound of a claim is that of the parameters of the game, in the program and in a record
// that is read without it.
func TestDeclaredBoundsAreThoseOfTheGame(t *testing.T) {
	p, err := external.Start(t.Context(), "mine", declaringCommand(strings.ReplaceAll(`{"protocol":1,"name":"a",
		"parameters":[{"name":"first-step","type":"number","default":2}],
		"claims":[{"metric":"violation_hard","exponent":0.5,"expected":true,"bound":"first_step*m*t"}]}`,
		"\n", "")), external.Options{Flag: "--external mine=a"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := p.Algorithm()
	setup := algorithms.Setup{Set: convex.Cube(2, 0, 1), Constraints: 3, Horizon: 10}
	entry := experiment.Entry{
		Spec: "mine:first-step=5", Name: "mine", Flag: a.Flag, Params: []byte(`{"first-step":5}`),
		Claims: []algorithms.Claim{{Metric: "violation_hard", Formula: "first_step*m*t"}},
	}
	open := entry // the step is 200 at T = 10
	open.Spec, open.Params = "mine:first-step=2*T^2", []byte(`{"first-step":"2*T^2"}`)
	for _, c := range []struct {
		claims []algorithms.Claim
		want   float64 // at t = 10
	}{
		{a.ClaimsOf(a.Params), 60}, {a.ClaimsOf(paramsWith(t, a, "first-step=5")), 150},
		{experiment.Catalog{}.Claims(entry), 150}, {experiment.Catalog{}.Claims(open), 6000},
	} {
		claims, want := c.claims, c.want
		if len(claims) != 1 || !claims[0].Proven() || claims[0].NoBound != "" {
			t.Fatalf("got claims %+v, want one with a bound", claims)
		}
		b, err := claims[0].Bound(setup)
		if got := b(10); err != nil || got != want {
			t.Errorf("the bound is %v, want %v, %v", got, want, err)
		}
	}
	if !a.Claims[0].Expected {
		t.Error("got a claim that always holds, want one in expectation")
	}
}

// Control characters in a declaration do not reach the terminal.
func TestControlCharactersAreEscaped(t *testing.T) {
	p, err := external.Start(t.Context(), "mine",
		declaringCommand(`{"protocol":1,"name":"a\\u001b[2Jb","doc":"one\\u001b[31m  word"}`), external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := p.Algorithm()
	defer p.Close()
	if text := a.Doc + a.Reference; strings.ContainsRune(text, 0x1b) ||
		!strings.HasPrefix(text, `one\x1b[31m word`) {
		t.Errorf("got %q, want the control character escaped", text)
	}
}

// declaringCommand returns the command of a program that answers initialize with a declaration.
func declaringCommand(declaration string) []string {
	return []string{"sh", "-c", `read line; echo '{"jsonrpc":"2.0","id":1,"result":` +
		declaration + `}'; read line`}
}

// Parameters of every type, with everything that they may declare, are those of a
// SPEC, and unknown members are ignored.
func TestDeclaredParametersAreThoseOfASpec(t *testing.T) {
	p, err := external.Start(t.Context(), "mine",
		declaringCommand(strings.ReplaceAll(`{"protocol":1,"name":"a","wings":2,"parameters":[
		{"name":"step_size","type":"number","default":1e-7,"doc":"a \"step\"  of size","min":0,"below":2},
		{"name":"K","type":"integer","default":3,"above":0,"max":9,"wings":2},
		{"name":"lazy","type":"boolean","default":true},
		{"name":"norm","type":"string","default":"l2","enum":["l1","l2"]},
		{"name":"weights","type":"numbers","default":[1,-0.5]},
		{"name":"none","type":"numbers","default":[]},
		{"name":"seed","type":"string"}]}`, "\n", "")), external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := p.Algorithm()
	defer p.Close()
	want := []spec.Param{
		{Name: "step_size", Type: "number", Default: "1e-7", Doc: `a "step" of size`,
			Range: "≥ 0 and < 2"},
		{Name: "K", Type: "integer", Default: "3", Range: "> 0 and ≤ 9"},
		{Name: "lazy", Type: "boolean", Default: "true"},
		{Name: "norm", Type: "text", Default: "l2", Enum: []string{"l1", "l2"}},
		{Name: "weights", Type: "list of numbers", Default: "[1,-0.5]"},
		{Name: "none", Type: "list of numbers", Default: "[]"},
		{Name: "seed", Type: "text", Required: true},
	}
	if got := spec.Describe(a.Params); !reflect.DeepEqual(got, want) {
		t.Errorf("the parameters are\n%+v, want\n%+v", got, want)
	}
	params := paramsWith(t, a, "seed=x,K=9,weights=[2]")
	if got, want := spec.Format("mine", params, a.Params), "mine:K=9,weights=[2],seed=x"; got != want {
		t.Errorf("the SPEC is %s, want %s", got, want)
	}
	if a.Anytime || a.Version != 1 || a.Feedback != algorithms.FirstOrder {
		t.Errorf("got defaults %+v, want first-order, version 1, not anytime", a)
	}
}
