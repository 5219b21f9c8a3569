package cli

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/internal/golden"
	"ocobench/problems"
)

var update = flag.Bool("update", false, "rewrite docs/reference.md")

var catalog = harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// verbs are those of the grammar, each with the arguments that select it.
func verbs() []*kong.Node {
	var c command
	return c.parser(io.Discard, io.Discard, func(int) {}).Model.Leaves(true)
}

// TestReference holds docs/reference.md to the help of every verb.
func TestReference(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	help := func(args ...string) string {
		var out, stderr bytes.Buffer
		if code := Main(append(args, "--help"), &out, &stderr, catalog); code != exitDone || stderr.Len() > 0 {
			t.Fatalf("%v --help: exit code %d, %s", args, code, &stderr)
		}
		var lines []string
		for line := range strings.Lines(out.String()) {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
		return "```text\n" + strings.TrimSpace(strings.Join(lines, "\n")) + "\n```\n"
	}
	text := `# The command line

This is what ` + "`bench --help` and `bench VERB --help`" + ` print. What the verbs are for, with
examples: [experiments.md](experiments.md), [comparing.md](comparing.md),
[report.md](report.md), [gate.md](gate.md). ` + "`bench completion SHELL`" + ` prints a script that
completes command lines in bash, zsh and fish.

` + help()
	for _, n := range verbs() {
		text += fmt.Sprintf("\n## %s\n\n%s", n.FullPath(), help(strings.Fields(n.Path())...))
	}
	golden.File(t, "../../../../docs/reference.md", text, *update)
}

// TestCompletes asks for words in place of every flag and argument whose tag completes
// says that there are some. Each that is a SPEC has the tag.
func TestCompletes(t *testing.T) {
	specs, tagged := 0, 0
	for _, n := range verbs() {
		values := n.Positional
		for _, f := range n.Flags {
			values = append(values, f.Value)
		}
		for _, v := range values {
			tag := v.Tag.Get("completes")
			if v.Target.Type() == reflect.TypeFor[use]() || v.Target.Type() == reflect.TypeFor[[]use]() {
				if specs++; tag != "@algorithm" && tag != "@problem" && tag != "@algorithm,@problem" {
					t.Errorf("%s: %s is a SPEC, and completes %q", n.FullPath(), v.Summary(), tag)
				}
			}
			if tag == "" || tag == "@stored" {
				continue
			}
			tagged++
			c := completer{catalog: catalog}
			for _, kind := range strings.Split(tag, ",") {
				names := c.names(kind)
				if len(names) == 0 || len(names) == 1 && names[0].word != kind || strings.HasPrefix(names[0].word, "@") {
					t.Errorf("%s: %s: nothing is known of %q", n.FullPath(), v.Summary(), kind)
				}
			}
		}
	}
	if specs < 10 || tagged < 20 {
		t.Errorf("only %d SPECs and %d flags with names", specs, tagged)
	}
}
