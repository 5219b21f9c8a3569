package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ocobench/harness/external/externaltest"
	"ocobench/internal/long"
	"ocobench/internal/race"
)

func TestMain(m *testing.M) {
	long.InMemory()
	flag.Set("test.parallel", "4") // of two processors, the tests wait for programs
	// else a command of the race detector takes a second to end
	os.Setenv("GORACE", "atexit_sleep_ms=10")
	testscript.Main(m, map[string]func(){"bench": main, "bad": badMain, "child": externaltest.Main})
}

// sideBySide are the scripts whose commands have several goroutines or processes at work: one
// of each verb, and what ends early.
var sideBySide = []string{"damaged", "failing", "resume", "sidebyside", "terminal"}

// TestScripts runs the scripts of testdata/script. Beside the commands of
// testscript they have
//
//	exits CODE COMMAND…       the command ends with this exit code
//	refuses REGEXP COMMAND…   exit code 2, nothing on stdout, and a message that matches
//	hangs REGEXP COMMAND…     exit code 3, and an output that matches, with an --external-timeout
//	                          of one second or, on a slow machine, of more
//	interrupt STORE COMMAND…  the command is interrupted once the store has a cell, and ends with 130
//	[!] json FILE PATH[=JSON] every value of the path is there, and is that JSON; a path
//	                          is .member, [index] and [] for each, and a file of several
//	                          values is the list of them
//	numbers FILE              every number of a file of JSON is in shortest round-trip form
//
// where FILE may be stdout.
//
// In the short mode the race detector sees those in which something happens side by side.
func TestScripts(t *testing.T) {
	dir, files := filepath.Join("testdata", "script"), []string(nil)
	if race.Enabled && testing.Short() {
		for _, name := range sideBySide {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	runScripts(t, dir, files...)
}

// TestFilesOfUsersHaveTheirOutcome reads the files of testdata/field, which are such as users have,
// each with the outcome that is right: exit code, place and remedy, or what a column is taken for.
func TestFilesOfUsersHaveTheirOutcome(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("many short processes, each of which does one thing")
	}
	runScripts(t, filepath.Join("testdata", "field"))
}

// runScripts runs the scripts of a directory and those in files, with the commands of TestScripts.
func runScripts(t *testing.T, dir string, files ...string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=10") // else a second for every command
			bench, err := exec.LookPath("bench")
			env.Setenv("BIN", filepath.Dir(bench)) // a PATH with these programs only
			return err
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "whole": // whether these are all tests, and not a sample
				return long.Whole(), nil
			case "race": // whether this is a build with the race detector
				return race.Enabled, nil
			case "root":
				return os.Geteuid() == 0, nil
			case "mounts": // whether unshare -rm gives a place to mount file systems in
				return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil, nil
			case "drops": // whether setpriv takes from root the right to read everything
				return exec.Command("setpriv", "--bounding-set=-dac_override,-dac_read_search",
					"true").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     withoutNegation(checkExit),
			"refuses":   withoutNegation(checkRefusal),
			"hangs":     withoutNegation(checkHang),
			"interrupt": withoutNegation(checkInterrupt),
			"json":      queryJSON,
			"numbers":   withoutNegation(checkNumbers),
		},
	})
}

// withoutNegation makes a command of a function that cannot be negated.
func withoutNegation(f func(*testscript.TestScript, []string)) func(*testscript.TestScript,
	bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("! does not apply")
		}
		f(ts, args)
	}
}

// exitCodeOf returns the exit code of a command that ended with an error or nil.
func exitCodeOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if exit != nil {
		return exit.ExitCode()
	}
	return 0
}

// checkExit implements the command exits.
func checkExit(ts *testscript.TestScript, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCodeOf(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	if strings.Contains(ts.ReadFile("stderr"), "goroutine ") {
		ts.Fatalf("it panicked")
	}
}

// checkRefusal implements the command refuses.
func checkRefusal(ts *testscript.TestScript, args []string) {
	message, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	checkExit(ts, append([]string{"2"}, args[1:]...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("something on stdout")
	}
	if said := ts.ReadFile("stderr"); !strings.HasPrefix(said, "bench: ") ||
		!message.MatchString(said) {
		ts.Fatalf("the message does not match %s", args[0])
	}
}

// checkHang implements the command hangs.
func checkHang(ts *testscript.TestScript, args []string) {
	message, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for _, limit := range []string{"1s", "5s", "25s"} {
		checkExit(ts, slices.Concat([]string{"3"}, args[1:], []string{"--external-timeout", limit}))
		if message.MatchString(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
			return
		}
	}
	ts.Fatalf("the output does not match %s", args[0])
}

// checkInterrupt implements the command interrupt.
func checkInterrupt(ts *testscript.TestScript, args []string) {
	store := ts.MkAbs(args[0])
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	for range 10 {
		var stderr bytes.Buffer
		cmd := exec.Command(path, args[2:]...)
		cmd.Dir, cmd.Stderr = ts.MkAbs("."), &stderr
		ts.Check(cmd.Start())
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		poll := time.NewTicker(time.Millisecond)
		for {
			<-poll.C
			cells, _ := filepath.Glob(filepath.Join(store, "cells/*/*.cell"))
			if len(cells) > 0 || len(done) > 0 {
				break
			}
		}
		poll.Stop()
		cmd.Process.Signal(os.Interrupt)
		switch got := exitCodeOf(ts, <-done); {
		case got == 0: // it was faster
			ts.Check(os.RemoveAll(store))
			continue
		case got != 130:
			ts.Fatalf("exit code %d, want 130\n%s", got, &stderr)
		case !strings.Contains(stderr.String(),
			"bench: interrupted; finished cells are stored, and the same command continues\n"):
			ts.Fatalf("unexpected message\n%s", &stderr)
		}
		return
	}
	ts.Fatalf("it always ended before it could be interrupted")
}

// pathStep matches the first step of a path: .member, [index] or [].
var pathStep = regexp.MustCompile(`^(?:\.?([\w-]+)|\[(\d*)\])`)

// queryJSON implements the command json.
func queryJSON(ts *testscript.TestScript, neg bool, args []string) {
	var values []any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if err == io.EOF {
			break
		}
		ts.Check(err)
		values = append(values, v)
	}
	if len(values) > 1 {
		values = []any{values}
	}
	path, want, compare := strings.Cut(args[1], "=")
	for rest := path; rest != ""; {
		step := pathStep.FindStringSubmatch(rest)
		if step == nil {
			ts.Fatalf("what is %s in the path %s?", rest, path)
		}
		rest = rest[len(step[0]):]
		var next []any
		for _, v := range values {
			list, _ := v.([]any)
			object, _ := v.(map[string]any)
			member, ok := object[step[1]]
			k, err := strconv.Atoi(step[2])
			switch {
			case step[0] == "[]" && list != nil:
				next = append(next, list...)
			case ok:
				next = append(next, member)
			case step[1] == "" && err == nil && k < len(list):
				next = append(next, list[k])
			case !neg:
				ts.Fatalf("no %s on the path %s", step[0], path)
			}
		}
		values = next
	}
	if neg {
		if len(values) > 0 {
			ts.Fatalf("%s is there", path)
		}
		return
	}
	if len(values) == 0 {
		ts.Fatalf("nothing is at %s", path)
	}
	for _, v := range values {
		text, err := json.Marshal(v)
		ts.Check(err)
		if compare && string(text) != want {
			ts.Fatalf("%s is %s, want %s", path, text, want)
		}
	}
}

// checkNumbers implements the command numbers.
func checkNumbers(ts *testscript.TestScript, args []string) {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	d.UseNumber()
	for count := 0; ; {
		token, err := d.Token()
		if err == io.EOF && count > 0 {
			return
		}
		ts.Check(err)
		n, ok := token.(json.Number)
		if !ok {
			continue
		}
		count++
		v, err := n.Float64()
		ts.Check(err)
		if string(n) != strconv.FormatFloat(v, 'f', -1, 64) &&
			string(n) != strconv.FormatFloat(v, 'e', -1, 64) {
			ts.Fatalf("%s is not in shortest form", n)
		}
	}
}
