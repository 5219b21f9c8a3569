package external_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/external"
	"ocobench/harness/spec"
	"ocobench/problems"
)

const (
	document = "../../docs/protocol.md"
	example  = "../../examples/mine.py"
)

// transcript reads the messages of the document: the calls and the answers.
func transcript() (calls, answers []string, err error) {
	text, err := os.ReadFile(document)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if call, ok := strings.CutPrefix(line, "→ "); ok {
			calls = append(calls, call)
		} else if answer, ok := strings.CutPrefix(line, "← "); ok {
			answers = append(answers, answer)
		}
	}
	return calls, answers, err
}

// replay is a child that answers the calls of the document, and only these. At the
// last one it writes its verdict to the file.
func replay(file string) {
	calls, answers, err := transcript()
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

// contender is the learner mine of a command, as bench play --algorithm SPEC has it.
func contender(t *testing.T, words []string, text string) (harness.Contender, *external.Program) {
	t.Helper()
	p, err := external.Start(t.Context(), "mine", words, external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := p.Algorithm()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	all, err := harness.Catalog{Algorithms: append([]algorithms.Algorithm{a}, algorithms.All...), Problems: problems.All}.Contenders(u)
	if err != nil {
		t.Fatal(err)
	}
	return all[0], p
}

// The harness sends the calls of the document, byte by byte.
func TestTranscript(t *testing.T) {
	verdict := filepath.Join(t.TempDir(), "verdict")
	c, p := contender(t, []string{os.Args[0], "replay", verdict}, "mine:step=0.5")
	s := stream(t, "alternating")
	l, err := c.Learner(s, 1, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := harness.Play(t.Context(), l, s, 3); err != nil {
		t.Error(err)
	}
	p.Close()
	if got, err := os.ReadFile(verdict); err != nil || string(got) != "as in the document" {
		t.Errorf("%v: %s", err, got)
	}
}

// The example of the document gives the answers of the document, and plays what the
// built-in learner plays.
func TestExample(t *testing.T) {
	code, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(document); err != nil || !bytes.Contains(text, []byte("```python\n"+string(code)+"```")) {
		t.Errorf("%s does not show %s as it is", document, example)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	calls, answers, err := transcript()
	if err != nil || len(calls) != 7 || len(answers) != 6 {
		t.Fatalf("%d calls and %d answers: %v", len(calls), len(answers), err)
	}
	calls = slices.Insert(calls, 6, `{"jsonrpc":"2.0","id":7,"method":"dance"}`) // before shutdown
	answers = append(answers, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"there is no method dance"}}`)
	cmd := exec.Command(python, example)
	cmd.Stdin = strings.NewReader(strings.Join(calls, "\n") + "\n")
	if got, err := cmd.Output(); err != nil || string(got) != strings.Join(answers, "\n")+"\n" {
		t.Errorf("%v: its answers are\n%swant\n%s", err, got, strings.Join(answers, "\n"))
	}
	const horizon = 500
	var got, want actions
	for _, game := range []struct {
		spec string
		into *actions
	}{{"mine:step=0.3", &got}, {"ogd:step=0.3", &want}} {
		c, p := contender(t, []string{python, example}, game.spec)
		defer p.Close()
		s := stream(t, "iid:dim=4")
		l, err := c.Learner(s, 1, 1, horizon)
		if err != nil {
			t.Fatal(err)
		}
		if err := harness.Play(t.Context(), l, s, horizon, game.into); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("it plays something else than ogd")
	}
}
