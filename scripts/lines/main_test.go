package main

import (
	"slices"
	"strings"
	"testing"
)

// Each line of the file is of 101 characters or more, but for the first two and the braces.
// Code and comments are too long; raw strings, strings alone, addresses and directives may
// be; and composite literals may be in tests.
func TestLinesTooLongAreListed(t *testing.T) {
	x := strings.Repeat("x", 100)
	text := strings.Join([]string{
		"package p",
		"// " + strings.Repeat("é", 97), // 100 characters
		"// " + strings.Repeat("é", 98),
		"// https://example.org/" + x,
		"//go:generate " + x,
		"//\tf(x) = " + x,
		"var a" + x + " = 1",
		"var b = `" + x + "`",
		"var c = f(\"" + x + "\")",
		"var d = f(",
		"\t\"" + x + "\",",
		")",
		"var e = []string{",
		"\t\"a\", \"" + x + "\",",
		"}",
		"type s struct {",
		"\tf int `help:\"" + x + "\"`",
		"}",
		"// Output:",
		"// a " + x,
	}, "\n")
	for name, want := range map[string][]int{"p.go": {3, 7, 9, 14}, "p_test.go": {3, 7, 9}} {
		t.Run(name, func(t *testing.T) {
			if got, err := tooLong(name, text); err != nil || !slices.Equal(got, want) {
				t.Errorf("lines %v, %v, want %v", got, err, want)
			}
		})
	}
	if _, err := tooLong("p.go", "package"); err == nil {
		t.Error("a file that is not Go: got no error, want one")
	}
}
