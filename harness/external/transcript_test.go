package external_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/internal/tool"
	"ocobench/problems"
)

const document = "../../docs/protocol.md"

// The examples of the document, whose messages are its transcripts in this order.
const (
	mine    = "../../examples/mine.py"
	rain    = "../../examples/rain.py"
	pursuit = "../../examples/pursuit.py"
)

// readTranscript reads the messages of the document that are those of an example: the calls
// and the answers.
func readTranscript(example string) (calls, answers []string, err error) {
	text, err := os.ReadFile(document)
	blocks := strings.Split(string(text), "\n```\n→ ")
	if err != nil || len(blocks) != 4 {
		return nil, nil, fmt.Errorf("%d transcripts: %v", len(blocks)-1, err)
	}
	block := "→ " + blocks[slices.Index([]string{mine, rain, pursuit}, example)+1]
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		if call, ok := strings.CutPrefix(line, "→ "); ok {
			calls = append(calls, call)
		} else if answer, ok := strings.CutPrefix(line, "← "); ok {
			answers = append(answers, answer)
		}
	}
	return calls, answers, err
}

// replayTranscript answers the calls of a transcript, and only these. At the last one it writes its
// verdict to the file.
func replayTranscript(example, file string) {
	calls, answers, err := readTranscript(example)
	in := bufio.NewScanner(os.Stdin)
	for i, want := range calls {
		if in.Scan(); err == nil && in.Text() != want {
			err = fmt.Errorf("call %d is\n%s\nwant\n%s", i+1, in.Text(), want)
		}
		if err == nil && i < len(answers) {
			fmt.Println(answers[i])
		}
	}
	verdict := "as in the document"
	if err != nil {
		verdict = err.Error()
	}
	if err := os.WriteFile(file, []byte(verdict), 0o666); err != nil {
		panic(err)
	}
}

// The harness sends the calls of the document to a learner, a problem and an opaque problem, byte
// by byte.
func TestCallsAreThoseOfTheDocument(t *testing.T) {
	for example, play := range map[string]func(t *testing.T, p *external.Program){
		mine: func(t *testing.T, p *external.Program) {
			s := registeredStream(t, "alternating")
			l, err := resolvedAlgorithm(t, []algorithms.Algorithm{p.Algorithm()}, "mine:step=0.5").Learner(s, 1, 1, 3)
			if err == nil {
				err = game.Play(t.Context(), l, s, 3)
			}
			if err != nil {
				t.Error(err)
			}
		},
		rain: func(t *testing.T, p *external.Program) {
			entry, _ := p.Problem()
			s, err := experiment.Problem{Problem: entry, Params: entry.Params}.Stream(1, 1)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := algorithms.Lookup(algorithms.All, "ogd")
			if err := game.Play(t.Context(), beginGame(t, a, a.Params, s, 3), s, 3); err != nil {
				t.Error(err)
			}
		},
		pursuit: playPursuit,
	} {
		name := strings.TrimSuffix(filepath.Base(example), ".py")
		t.Run(name, func(t *testing.T) {
			verdict := filepath.Join(t.TempDir(), "verdict")
			p, err := external.Start(t.Context(), name, []string{os.Args[0], "replay", example, verdict},
				external.Options{})
			if err != nil {
				t.Fatal(err)
			}
			play(t, p)
			p.Close()
			if got, err := os.ReadFile(verdict); err != nil || string(got) != "as in the document" {
				t.Errorf("got other calls (%v), want those of the document: %s", err, got)
			}
		})
	}
}

// playPursuit plays two actions, evaluates the first constraint at the second action and all rounds
// at a third point, and compares the values with the formulas of the problem.
func playPursuit(t *testing.T, p *external.Program) {
	t.Helper()
	entry, _ := p.Problem()
	s, err := experiment.Problem{Problem: entry, Params: entry.Params}.Stream(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	first, second := []float64{0.5, 0.5}, []float64{0.25, -0.5}
	g := s.Reveal(1, first).Constraints[0]
	rise := g.Value(second) - g.Value(first)
	if want := (1.0/256 + 1.0/16) - 2.0/16; math.Abs(rise-want) > 1e-15 {
		t.Errorf("the first constraint rises by %v, want %v", rise, want)
	}
	h := s.Reveal(2, second).Constraints[0].Value(second)
	sums, single, err := s.(problems.Evaluator).Evaluate([]int{1, 2}, []int{2}, second)
	if err != nil {
		t.Fatal(err)
	}
	if largest := sums[1].Largest[0]; largest.Round != 2 {
		t.Errorf("the largest constraint is that of round %d, want 2", largest.Round)
	}
	for i, want := range []problems.Oracle{sums[0].Total[0], sums[1].Total[0], sums[1].Largest[0],
		single[0][0]} {
		got := []float64{g.Value(second), g.Value(second) + h, max(g.Value(second), h), h}[i]
		if math.Abs(got-want.Value) > 1e-15 {
			t.Errorf("value %d is %v, want %v", i, got, want.Value)
		}
	}
	if err := game.Close(s); err != nil {
		t.Error(err)
	}
}

// The opaque problem of the document gives its answers.
func TestExampleOpaqueProblemAnswersAsTheDocument(t *testing.T) {
	t.Parallel()
	p, err := external.Start(t.Context(), "pursuit", []string{shown(t, pursuit), pursuit},
		external.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	playPursuit(t, p)
}

// shown returns Python, for an example that the document shows or links to and that gives the
// answers of its transcript.
func shown(t *testing.T, example string) (python string) {
	t.Helper()
	code, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if link := "(../" + strings.TrimPrefix(example, "../../") + ")"; err != nil ||
		!bytes.Contains(text, []byte("```python\n"+string(code)+"```")) &&
			!bytes.Contains(text, []byte(link)) {
		t.Errorf("%s: want %s as it is, or the link %s, got neither", document, example, link)
	}
	python = tool.Find(t, "python3", "python3", "-c", "import json")
	calls, answers, err := readTranscript(example)
	if err != nil || len(calls) < 6 || len(answers) != len(calls)-1 {
		t.Fatalf("got %d calls and %d answers (%v), want at least 6, all but the last answered",
			len(calls), len(answers), err)
	}
	// before shutdown
	calls = slices.Insert(calls, len(calls)-1, `{"jsonrpc":"2.0","id":99,"method":"dance"}`)
	answers = append(answers, `{"jsonrpc":"2.0","id":99,"error":{"code":-32601,"message":"there is no method dance"}}`)
	cmd := exec.Command(python, example)
	cmd.Stdin = strings.NewReader(strings.Join(calls, "\n") + "\n")
	if got, err := cmd.Output(); err != nil || string(got) != strings.Join(answers, "\n")+"\n" {
		t.Errorf("%v: its answers are\n%swant\n%s", err, got, strings.Join(answers, "\n"))
	}
	return python
}

// The problem of the document gives its answers, and its rounds are within what it
// declares: |g_t| ≤ 2 at the corners of the domain, and g_t(0) ≤ −1/4.
func TestExampleProblemKeepsItsDeclaration(t *testing.T) {
	t.Parallel()
	p := startProblem(t, shown(t, rain), rain)
	s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	defer game.Close(s)
	for i := range 300 {
		g := s.Reveal(i+1, nil).Constraints[0]
		if low, high := g.Value([]float64{0, 0}), g.Value([]float64{1, 1}); low < -2 ||
			low > -s.Facts().Slater || high > 2 {
			t.Fatalf("round %d: got a constraint from %v to %v, want it within [−2, 2], at most %v at 0",
				i+1, low, high, -s.Facts().Slater)
		}
	}
	if err := s.(problems.Fallible).Err(); err != nil || s.Facts().Slater != 0.25 {
		t.Errorf("got error %v, facts %+v, want a margin of 0.25", err, s.Facts())
	}
}

// The learner of the document gives its answers, and plays what the built-in one plays.
func TestExampleLearnerPlaysAsBuiltin(t *testing.T) {
	t.Parallel()
	p, err := external.Start(t.Context(), "mine", []string{shown(t, mine), mine},
		external.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const horizon = 500
	var got, want actions
	all := append([]algorithms.Algorithm{p.Algorithm()}, algorithms.All...)
	for _, player := range []struct {
		spec string
		into *actions
	}{{"mine:step=0.3", &got}, {"ogd:step=0.3", &want}} {
		t.Run(player.spec, func(t *testing.T) {
			s := registeredStream(t, "iid:dim=4")
			l, err := resolvedAlgorithm(t, all, player.spec).Learner(s, 1, 1, horizon)
			if err != nil {
				t.Fatal(err)
			}
			if err := game.Play(t.Context(), l, s, horizon, player.into); err != nil {
				t.Fatal(err)
			}
		})
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("got other actions, want those of ogd")
	}
}
