package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocobench/internal/golden"
)

var update = flag.Bool("update", false,
	"rewrite the answers in docs; only commit the changes if you understand them")

// servedBench is a running bench serve.
type servedBench struct {
	testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	last   int
}

// startServe starts bench serve, which is killed when the test ends.
func startServe(t testing.TB) *servedBench {
	t.Helper()
	t.Setenv("GORACE", "atexit_sleep_ms=10") // else os.Exit takes a second
	path, err := exec.LookPath("bench")
	if err != nil {
		t.Fatal(err)
	}
	h := &servedBench{TB: t, cmd: exec.Command(path, "serve")}
	h.cmd.Stderr = &h.stderr
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewReader(out)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.cmd.Process.Kill() })
	return h
}

// sendLine sends a line and returns the answer.
func (h *servedBench) sendLine(text string) string {
	h.Helper()
	if _, err := io.WriteString(h.in, text+"\n"); err != nil {
		h.Fatal(err)
	}
	answer, err := h.out.ReadString('\n')
	if err != nil {
		h.Fatalf("%s: %v\n%s", text, err, &h.stderr)
	}
	return strings.TrimSuffix(answer, "\n")
}

// call calls a method, and decodes its result into into. If the answer is an error, it returns its
// code and message.
func (h *servedBench) call(method, params string, into any) (code int, message string) {
	h.Helper()
	h.last++
	var answer struct {
		JSONRPC string
		ID      int
		Result  json.RawMessage
		Error   *struct {
			Code    int
			Message string
		}
	}
	text := h.sendLine(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, h.last, method,
		params))
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.JSONRPC != "2.0" ||
		answer.ID != h.last || (answer.Error == nil) == (answer.Result == nil) {
		h.Fatalf("%s %s: %v: %s", method, params, err, text)
	}
	if answer.Error != nil {
		return answer.Error.Code, answer.Error.Message
	}
	if into != nil {
		if err := json.Unmarshal(answer.Result, into); err != nil {
			h.Fatalf("%s: %v: %s", method, err, answer.Result)
		}
	}
	return 0, ""
}

// mustCall calls a method, and fails the test if the answer is an error.
func (h *servedBench) mustCall(method, params string, into any) {
	h.Helper()
	if code, message := h.call(method, params, into); code != 0 {
		h.Fatalf("%s %s: %d %s", method, params, code, message)
	}
}

// closeInput closes the input, and checks that the program then ends and says nothing more.
func (h *servedBench) closeInput() {
	h.Helper()
	h.in.Close()
	rest, err := io.ReadAll(h.out)
	if err != nil {
		h.Fatal(err)
	}
	if err := h.cmd.Wait(); err != nil || len(rest) > 0 || h.stderr.Len() > 0 {
		h.Errorf("at the end of the input: %v, stdout %q, stderr %q", err, rest, &h.stderr)
	}
}

// benchOutput returns what a command of bench prints.
func benchOutput(t testing.TB, args ...string) []byte {
	t.Helper()
	out, err := exec.Command("bench", args...).Output()
	if err != nil {
		t.Fatalf("bench %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// seenFunc is a function as bench play writes it and as bench serve shows it.
type seenFunc struct{ Value, Form, Subgradient json.RawMessage }

// playedRound is a line of bench play, or an answer to a step.
type playedRound struct {
	T           int
	X           json.RawMessage
	Loss        seenFunc
	Constraints []seenFunc
	Ahead       []float64
	Metrics     map[string]float64
	Done        bool
}

// TestServedRoundsAreThoseOfPlay: bench serve reveals the rounds of bench play with the same
// problem, seed and replicate against the same actions, byte by byte except for names. Several
// games at once do not touch each other, and result says what bench score says of the actions.
func TestServedRoundsAreThoseOfPlay(t *testing.T) {
	const T = 40
	games := []struct{ algorithm, problem, seed, replicate string }{
		{"ogd", "iid:dim=3,constraints=2", "1", "1"},
		{"ogd", "iid:dim=3,constraints=2", "7", "3"},
		{"primal-dual", "mannor", "1", "1"},          // adaptive
		{"primal-dual", "fixed:kind=norm", "1", "1"}, // neither affine nor quadratic
		{"ogd", "portfolio:dim=12,loss=linear", "1", "1"},
		{"penalised-ftrl", "decaying-frequency", "18446744073709551615", "2"},
		{"ogd", "fixed:set=simplex,dim=4,kind=quadratic,curvature=1", "2", "1"},
	}
	h := startServe(t)
	var initialized struct {
		Protocol int
		Program  struct{ Version, Go, GOARCH string }
	}
	if h.mustCall("initialize", `{"protocol":1,"later":true}`, &initialized); initialized.Protocol != 1 ||
		initialized.Program.Version == "" || initialized.Program.GOARCH == "" {
		t.Errorf("initialize: got %+v, want protocol 1 and the program", initialized)
	}
	rounds := make([][]playedRound, len(games))
	files := make([]string, len(games))
	for k, g := range games {
		text := benchOutput(t, "play", "--algorithm", g.algorithm, "--problem", g.problem, "--horizon",
			fmt.Sprint(T), "--seed", g.seed, "--replicate", g.replicate)
		files[k] = filepath.Join(t.TempDir(), "played.jsonl")
		if err := os.WriteFile(files[k], text, 0o666); err != nil {
			t.Fatal(err)
		}
		header, lines, _ := strings.Cut(string(text), "\n")
		var said, answered struct {
			Domain      json.RawMessage
			Constraints int
			Game        int
			Seed        json.Number
			Horizon     int
			Functions   map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(header), &said); err != nil {
			t.Fatal(err)
		}
		h.mustCall("new", fmt.Sprintf(`{"problem":%q,"horizon":%d,"seed":%s,"replicate":%s,"feedback":"FI","terms":true}`,
			g.problem, T, g.seed, g.replicate), &answered)
		if answered.Game != k+1 || string(answered.Domain) != string(said.Domain) ||
			answered.Constraints != said.Constraints || answered.Seed.String() != g.seed ||
			answered.Horizon != T {
			t.Fatalf("%s: got it opened as %+v, want it as played, %+v", g.problem, answered, said)
		}
		for line := range strings.Lines(withoutNames(lines, said.Functions)) {
			var r playedRound
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			rounds[k] = append(rounds[k], r)
		}
	}
	same := func(a, b seenFunc) bool {
		return bytes.Equal(a.Value, b.Value) && bytes.Equal(a.Form, b.Form) && len(b.Subgradient) > 0 &&
			(a.Subgradient == nil || bytes.Equal(a.Subgradient, b.Subgradient))
	}
	for i := range T {
		for k, g := range games { // in turns
			var got playedRound
			want := rounds[k][i]
			h.mustCall("step", fmt.Sprintf(`{"game":%d,"x":%s}`, k+1, want.X), &got)
			if got.T != i+1 || got.Done != (i == T-1) || !same(want.Loss, got.Loss) ||
				len(got.Constraints) != len(want.Constraints) {
				t.Fatalf("%s on %s: round %d is %+v, want %+v", g.algorithm, g.problem, i+1, got, want)
			}
			for j := range want.Constraints {
				if !same(want.Constraints[j], got.Constraints[j]) {
					t.Fatalf("%s on %s: constraint %d of round %d is %s, want %s", g.algorithm, g.problem, j+1,
						i+1, got.Constraints[j], want.Constraints[j])
				}
			}
		}
	}
	for k, g := range games {
		type outcome struct {
			T       int
			Metrics map[string]float64
			Regret  map[string]struct {
				Value, Best, Gap, Residual float64
				Action                     []float64
				Empty                      bool
			}
		}
		var got, want outcome
		h.mustCall("result", fmt.Sprintf(`{"game":%d}`, k+1), &got)
		score := benchOutput(t, "score", files[k], "--problem", g.problem, "--seed", g.seed,
			"--replicate", g.replicate, "--json")
		if err := json.Unmarshal(score, &want); err != nil {
			t.Fatal(err)
		}
		if got.T != T || len(got.Metrics) < 8 || fmt.Sprint(got.Metrics) != fmt.Sprint(want.Metrics) ||
			len(got.Regret) != len(want.Regret) {
			t.Errorf("%s: result %+v, score %+v", g.problem, got, want)
		}
		for set, r := range got.Regret {
			w := want.Regret[set]
			if r.Empty != w.Empty || !r.Empty &&
				(r.Value != got.Metrics["loss"]-r.Best || r.Gap < 0 || r.Gap > 1e-6*max(1, abs(r.Best)) ||
					abs(r.Best-w.Best) > r.Gap+w.Gap+1e-9*T || len(r.Action) == 0) {
				t.Errorf("%s over %s: got result %+v, want %+v of the score", g.problem, set, r, w)
			}
		}
		h.mustCall("close", fmt.Sprintf(`{"game":%d}`, k+1), nil)
		if code, message := h.call("result", fmt.Sprintf(`{"game":%d}`, k+1), nil); code != -32602 ||
			!strings.Contains(message, "is open") {
			t.Errorf("after close: got %d %s, want -32602", code, message)
		}
	}
	h.closeInput()
}

// abs returns |x|.
func abs(x float64) float64 { return max(x, -x) }

// TestServeRefusesWithoutPlaying: a wrong message is refused by code and in words, and changes
// nothing: the round is still to come.
func TestServeRefusesWithoutPlaying(t *testing.T) {
	h := startServe(t)
	h.mustCall("new", `{"problem":"iid:dim=2","horizon":2}`, nil)
	h.mustCall("new", `{"problem":"iid:dim=2","horizon":2,"feedback":"FO+"}`, nil)
	for _, c := range []struct {
		method, params string
		code           int
		message        string
	}{
		{"step", `{"game":1,"x":[0]}`, -32602, "x: the action has length 1, expected 2"},
		{"step", `{"game":1}`, -32602, "x: the action has length 0, expected 2"},
		{"step", `{"game":1,"x":[0,1.5]}`, -32602, "x: the action is outside of the domain by 0.5"},
		{"step", `{"game":1,"x":[0,null]}`, -32602, "x: coordinate 2 of the action is null"},
		{"step", `{"game":1,"x":[0,1e999]}`, -32602,
			"x: element 2: found 1e999, expected a finite number"},
		{"step", `{"game":1,"x":"0"}`, -32602, "x: found a text, expected a list of finite numbers"},
		{"step", `{"game":3,"x":[0,0]}`, -32602, "game: no game 3 is open"},
		{"step", `{"game":"1","x":[0,0]}`, -32602, `game: no game "1" is open`},
		{"step", `{"x":[0,0]}`, -32602, "game: the number is missing"},
		{"step", `[1,[0,0]]`, -32602, "params: expected an object"},
		{"result", `{"game":1}`, -32000, "no round has been played"},
		{"result", `{}`, -32602, "game: the number is missing"},
		{"close", `{"game":0}`, -32602, "game: no game 0 is open"},
		{"new", `{"problem":"iidd","horizon":2}`, -32602, `^problem: .*did you mean "iid"\?`},
		{"new", `{"problem":"iid:dim=0","horizon":2}`, -32602, "^problem: .*dim"},
		{"new", `{"problem":"iid:dim=[1,2]","horizon":2}`, -32602, "2 values are swept; give one"},
		{"new", `{"problem":"trace:file=nothing","horizon":2}`, -32602, "nothing: there is no such file"},
		{"new", `{"problem":7,"horizon":2}`, -32602, "^problem: found a number, expected a text"},
		{"new", `{"problem":"iid"}`, -32602, "^horizon: "},
		{"new", `{"problem":"iid","horizon":0}`, -32602, "^horizon: 0 is out of range"},
		{"new", `{"problem":"iid","horizon":2.5}`, -32602, "^horizon: 2.5 is not an integer"},
		{"new", `{"problem":"iid","horizon":"2"}`, -32602, "^horizon: .* is not a number"},
		{"new", `{"problem":"iid","horizon":2,"seed":-1}`, -32602, "^seed: -1 is not a seed"},
		{"new", `{"problem":"iid","horizon":2,"replicate":0}`, -32602, "^replicate: 0 is out of range"},
		{"new", `{"problem":"iid","horizon":2,"feedback":"full"}`, -32602,
			`^feedback: unknown class "full".*FO, FO\+, FI`},
		{"initialize", `{"protocol":2}`, -32602, "protocol: found 2, expected 1"},
		{"initialize", `{}`, -32602, "protocol: found nothing, expected 1"},
		{"play", `{}`, -32601, `unknown method "play" .*initialize, new, step, result, close`},
	} {
		if code, message := h.call(c.method, c.params, nil); code != c.code ||
			!regexp.MustCompile(c.message).MatchString(message) {
			t.Errorf("%s %s: %d %s; want %d %s", c.method, c.params, code, message, c.code, c.message)
		}
	}
	for text, want := range map[string]string{
		`hello`: `^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,"message":"not a message of JSON-RPC 2.0: `,
		`{"jsonrpc":"2.0","id":5,"method":"step","params":{"game":1,"x":[NaN,0]}}`:                `^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,"message":".*invalid character 'N'`,
		`{"jsonrpc":"2.0","id":null,"method":"new","params":{"problem":"shrinking","horizon":2}}`: `^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,"message":".*id: found null, expected a string or an integer of 64 bits;`,
		`{"jsonrpc":"2.0","id":2.4,"method":"result","params":{"game":1}}`:                        `^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,"message":".*id: found 2.4, `,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"initialize","params":{"protocol":1}}`:   `^\{"jsonrpc":"2.0","id":9007199254740993,"result":`,
		`{"jsonrpc":"2.0","id":"a<b","method":"initialize","params":{"PROTOCOL":1}}`:              `^\{"jsonrpc":"2.0","id":"a\\u003cb","error":\{"code":-32602,"message":"protocol: found nothing, expected 1"`,
		`{"JSONRPC":"2.0","id":1,"method":"initialize"}`:                                          `^\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,`,
		`{"jsonrpc":"2.0","id":"five"}`:                                                           `^\{"jsonrpc":"2.0","id":"five","error":\{"code":-32600,`,
	} {
		if got := h.sendLine(text); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	// A notification is played and not answered.
	if _, err := io.WriteString(h.in, `{"jsonrpc":"2.0","method":"step","params":{"game":1,"x":[0.5,0]}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	var first, second playedRound
	h.mustCall("step", `{"game":1,"x":[0,0.5]}`, &second)
	if second.T != 2 || !second.Done || second.Loss.Form != nil || second.Ahead != nil {
		t.Errorf("got the second round %+v, want the last, without its form", second)
	}
	if code, message := h.call("step", `{"game":1,"x":[0,0]}`, nil); code != -32000 ||
		message != "the game is over after round 2" {
		t.Errorf("after the end: got %d %s, want -32000, the game is over after round 2", code, message)
	}
	// What is ahead are the constraints of the round before.
	h.mustCall("step", `{"game":2,"x":[0,0]}`, &first)
	var at float64
	var gradient []float64
	if json.Unmarshal(first.Constraints[0].Value, &at) != nil ||
		json.Unmarshal(first.Constraints[0].Subgradient, &gradient) != nil || first.Ahead != nil {
		t.Fatalf("got the first round %+v, want values and subgradients", first)
	}
	h.mustCall("step", `{"game":2,"x":[0,0.5]}`, &second)
	if want := at + gradient[1]/2; len(second.Ahead) != 1 || abs(second.Ahead[0]-want) > 1e-15 {
		t.Errorf("ahead are %v, want %v", second.Ahead, want)
	}
	h.closeInput()
}

// A game that overflows has failed, alone.
func TestServedGameFailsAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "huge.jsonl")
	const header = `{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":1}` + "\n"
	const round = `{"t":%d,"loss":{"form":{"lin":[1e308]}},"constraints":[{"form":{"const":-0.5,"lin":[1]}}]}` + "\n"
	if err := os.WriteFile(file, fmt.Appendf(nil, header+round+round+round, 1, 2, 3),
		0o666); err != nil {
		t.Fatal(err)
	}
	h := startServe(t)
	h.mustCall("new", fmt.Sprintf(`{"problem":"trace:file=%s","horizon":3}`, file), nil)
	h.mustCall("new", `{"problem":"shrinking","horizon":3}`, nil)
	h.mustCall("step", `{"game":1,"x":[1]}`, nil)
	for range 2 {
		if code, message := h.call("step", `{"game":1,"x":[1]}`, nil); code != -32000 ||
			!strings.HasPrefix(message, "the game failed in round 2: ") {
			t.Errorf("a failed game: got %d %s, want -32000, the game failed in round 2", code, message)
		}
	}
	if code, _ := h.call("result", `{"game":1}`, nil); code != -32000 {
		t.Errorf("result: got %d, want -32000", code)
	}
	h.mustCall("step", `{"game":2,"x":[0.25]}`, nil)
	h.closeInput()
}

// An interrupt ends it while its input is open, with the exit code of interrupted verbs.
func TestServeIsInterrupted(t *testing.T) {
	h := startServe(t)
	h.mustCall("new", `{"problem":"iid","horizon":2}`, nil)
	if err := h.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no interrupts here:", err)
	}
	rest, _ := io.ReadAll(h.out)
	if h.cmd.Wait(); h.cmd.ProcessState.ExitCode() != 130 || len(rest) > 0 ||
		!strings.Contains(h.stderr.String(), "bench: interrupted\n") {
		t.Errorf("got %v, stdout %q, stderr %q, want exit code 130, nothing, and interrupted",
			h.cmd.ProcessState, rest, &h.stderr)
	}
}

// A line without an end is refused.
func TestServeRefusesALineWithoutEnd(t *testing.T) {
	cmd := exec.Command("bench", "serve")
	cmd.Stdin = strings.NewReader(strings.Repeat(" ", 16<<20) + "\n")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 ||
		string(out) != "bench: standard input: a line has more than 16777216 bytes, the limit\n" {
		t.Errorf("got error %v: %s, want exit code 2 and the limit", err, out)
	}
}

// The transcript of the documentation is what happens; -update writes the answers anew.
func TestServeTranscript(t *testing.T) {
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	transcripts := 0
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(page), "<!-- bench serve: begin -->\n")
		if !found {
			continue
		}
		transcripts++
		text, _, _ := strings.Cut(rest, "<!-- bench serve: end -->")
		h := startServe(t)
		program := regexp.MustCompile(`"program":\{[^}]*\}`)
		masked := func(line string) string { return program.ReplaceAllString(line, `"program":{…}`) }
		sent, answer := 0, ""
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if message, ok := strings.CutPrefix(line, "→ "); ok {
				sent++
				answer = h.sendLine(message)
			} else if want, ok := strings.CutPrefix(line, "← "); ok && masked(want) != masked(answer) {
				if *update {
					page = bytes.Replace(page, []byte(want), []byte(answer), 1)
					continue
				}
				t.Errorf("%s: message %d is answered by\n%s\nwant\n%s\nif that is meant, write the answers "+
					"anew: %s", golden.InModule(name), sent, answer, want, golden.Command(t))
			}
		}
		if *update {
			if err := os.WriteFile(name, page, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if h.closeInput(); sent < 6 || strings.Count(text, "\n← ") != sent {
			t.Errorf("%s: got %d messages and %d answers in the transcript, want at least 6, each answered",
				name, sent, strings.Count(text, "\n← "))
		}
	}
	if transcripts != 1 {
		t.Errorf("%d transcripts of bench serve in docs, want 1", transcripts)
	}
}

// withoutNames returns lines whose functions have no names: the only term of a form is what its
// name stands for, and any other is a form.
func withoutNames(lines string, functions map[string]json.RawMessage) string {
	for name, f := range functions {
		of := fmt.Sprintf(`{"of":%q}`, name)
		lines = strings.ReplaceAll(lines, `{"terms":[`+of+`]}`, string(f))
		lines = strings.ReplaceAll(lines, of, `{"of":{"form":`+string(f)+`}}`)
	}
	return lines
}
