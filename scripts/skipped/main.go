// Command skipped prints what go test prints, and notes which tests skip for lack of a program.
//
//	go test -json ./... | skipped FILE
//
// Such a skip says "install Debian's PACKAGE", or "install npm's PACKAGE". FILE gets a line for
// each package that has one: the package, a tab, and the pattern by which go test -run runs those
// tests and no other. .ci/run tests everything without these programs, and then runs these tests
// with them.
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
	list, err := read(os.Stdin, os.Stdout)
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(list), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

var lack = regexp.MustCompile(`install (Debian|npm)'s `)

// read copies the lines of packages and the output of failed tests to w, and returns the list of
// the tests that lack a program.
func read(r io.Reader, w io.Writer) (list string, err error) {
	type test struct{ pkg, name string }
	said, patterns := make(map[test]string), make(map[string][]string)
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
			said[t] += e.Output
		case e.Action == "fail":
			fmt.Fprint(w, said[t])
		case e.Action == "skip" && lack.MatchString(said[t]):
			fmt.Fprintf(w, "%s: %s\n", e.Package, strings.TrimSpace(said[t]))
			parts := strings.Split(e.Test, "/")
			for k, part := range parts {
				parts[k] = "^" + regexp.QuoteMeta(part) + "$"
			}
			patterns[e.Package] = append(patterns[e.Package], strings.Join(parts, "/"))
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			delete(said, t)
		}
	}
	var lines []string
	for pkg, of := range patterns {
		lines = append(lines, pkg+"\t"+strings.Join(of, "|")+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), in.Err()
}
