package external_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/external"
)

// childCommand returns a learner written in shell that never moves. Its text ends with code.
func childCommand(code string) string {
	return `n=0; while read -r line; do
	n=$((n+1))
	case $line in
	*'"initialize"'*) r='{"protocol":1,"name":"a"}';;
	*'"shutdown"'*) exit;;
	*) r='{"x":[0.5,0]}';;
	esac
	echo '{"jsonrpc":"2.0","id":'$n',"result":'"$r"'}'
done
` + code
}

// The files that a command names are part of the fingerprint, and nothing else is: not where
// they are, what they read, or the program itself unless it is a script.
func TestFilesOfTheCommandAreItsCode(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	fingerprint := func(command ...string) string {
		p, err := external.Start(t.Context(), "mine", command, external.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		return p.Algorithm().Fingerprint
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	program := func(text string) { // a copy of the shell, with bytes at its end that say nothing
		code, err := os.ReadFile(shell)
		if err != nil {
			t.Fatal(err)
		}
		write("compiled", string(code)+text)
	}
	program("")
	write("mine.sh", childCommand(""))
	write("data.csv", "1,2\n")
	write("mine", "#!/bin/sh\n"+childCommand(""))
	bare := fingerprint("sh", "-c", childCommand(""))
	if again := fingerprint("sh", "-c", childCommand(""), "--", dir, "no-such-file"); again == bare {
		t.Error("got the fingerprint without the words, want another")
	}
	before := map[string]string{}
	commands := map[string][]string{
		"script": {"sh", "mine.sh"}, "argument": {"sh", "mine.sh", "data.csv"},
		"option":  {"sh", "mine.sh", "--data=data.csv"},
		"program": {filepath.Join(dir, "mine")}, "directory": {"sh", "mine.sh", dir},
		"compiled": {filepath.Join(dir, "compiled"), "-c", childCommand("")},
	}
	for name, command := range commands {
		before[name] = fingerprint(command...)
		if fingerprint(command...) != before[name] {
			t.Errorf("%s: got two fingerprints, want one", name)
		}
	}
	write("beside.sh", "true") // a file that is not named
	program("other")
	changed := func(want ...string) {
		t.Helper()
		for name, command := range commands {
			is := fingerprint(command...)
			if (is != before[name]) != strings.Contains(strings.Join(want, " "), name) {
				t.Errorf("%s: got fingerprint %s after %s, want another only of %v", name, is, before[name],
					want)
			}
			before[name] = is
		}
	}
	changed()
	write("data.csv", "1,3\n")
	changed("argument", "option")
	write("mine.sh", childCommand("# edited"))
	changed("script", "argument", "option", "directory")
	write("mine", "#!/bin/sh\n"+childCommand("# edited"))
	changed("program")
}

// A process that starts after the learner was edited plays no game under the old code.
func TestEditedLearnerPlaysNoGameOfBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.sh")
	if err := os.WriteFile(file, []byte(childCommand("")), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := external.Start(t.Context(), "mine", []string{"sh", file}, external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := p.Algorithm()
	s := registeredStream(t, "iid")
	setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts(), Horizon: 9}
	if _, err := a.Start(a.Params, setup); err != nil {
		t.Fatal(err) // the process of before
	}
	if err := os.WriteFile(file, []byte(childCommand("# edited")), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = a.Start(a.Params, setup)
	var failed *algorithms.FailedError
	if !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "mine.sh has changed since this command began") {
		t.Errorf("got error %v, want a failure that says mine.sh has changed", err)
	}
}
