// Command skipped prints what go test prints, and notes which tests skip for lack of a program.
//
//	go test -json ./... | skipped FILE
//
// Such a skip says "install Debian's PACKAGE", or "install npm's PACKAGE". FILE gets the arguments
// with which go test runs those tests, one a line: -run with a pattern, and the Go packages that
// have them. It is empty if no test lacks a program. .ci/run tests everything without these
// programs, and then runs these tests with them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json PACKAGES | skipped FILE")
		os.Exit(2)
	}
	arguments, err := copyAndCollect(os.Stdin, os.Stdout)
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(arguments), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// installRemedy matches the remedy in the message of a skipped test.
var installRemedy = regexp.MustCompile(`install (Debian|npm)'s `)

// copyAndCollect copies the lines of packages and the output of failed tests to w, with a line for
// each test that lacks a program. It returns the arguments of go test that run these tests.
func copyAndCollect(r io.Reader, w io.Writer) (arguments string, err error) {
	type test struct{ pkg, name string }
	output := make(map[test]string)
	var patterns, packages []string
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil { // go vet and go build write text
			fmt.Fprintln(w, in.Text())
			continue
		}
		t := test{e.Package, e.Test}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			fmt.Fprint(w, e.Output)
		case e.Action == "output" && !strings.HasPrefix(e.Output, "=== "):
			output[t] += e.Output
		case e.Action == "fail":
			fmt.Fprint(w, output[t])
		case e.Action == "skip" && installRemedy.MatchString(output[t]):
			fmt.Fprintf(w, "%s: %s\n", e.Package, strings.TrimSpace(output[t]))
			parts := strings.Split(e.Test, "/")
			for k, part := range parts {
				parts[k] = "^" + regexp.QuoteMeta(part) + "$"
			}
			patterns, packages = append(patterns, strings.Join(parts, "/")), append(packages, e.Package)
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(output, t)
		}
	}
	if patterns == nil {
		return "", in.Err()
	}
	slices.Sort(packages)
	return "-run=" + strings.Join(patterns, "|") + "\n" +
		strings.Join(slices.Compact(packages), "\n") + "\n", in.Err()
}
