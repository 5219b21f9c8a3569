// Command lines lists the lines of Go files that are longer than 100 characters, where a
// tab counts as one. It ends with 1 if there is any.
//
//	go -C scripts run ./lines DIR
//
// These lines may be longer:
//
//   - what cannot be broken: a raw string with the lines that it is in, a string that is alone on
//     its line, a line with an address on the web, and a directive such as //go:embed;
//   - formulas and tables in comments, which begin with a tab: gofmt leaves them as they are;
//   - in files _test.go, what an example prints, and composite literals: a row of a table of tests
//     is read across.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// width is the largest length of a line in characters.
const width = 100

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: lines DIR")
		os.Exit(2)
	}
	count := 0
	err := filepath.WalkDir(os.Args[1], func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != os.Args[1] && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		long, err := tooLong(path, string(text))
		for _, n := range long {
			fmt.Printf("%s:%d\n", path, n)
		}
		count += len(long)
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(2)
	}
	if count > 0 {
		fmt.Fprintf(os.Stderr, "lines: %d lines have more than %d characters\n", count, width)
		os.Exit(1)
	}
}

// tooLong returns the numbers of the lines of a file that are longer than they may be.
func tooLong(name, text string) (long []int, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	exempt := make(map[int]bool) // the lines that may be longer, by their numbers
	exemptLines := func(n ast.Node) {
		for k := files.Position(n.Pos()).Line; k <= files.Position(n.End()).Line; k++ {
			exempt[k] = true
		}
	}
	for _, c := range file.Comments {
		if strings.HasPrefix(c.Text(), "Output:") {
			exemptLines(c)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if strings.HasSuffix(name, "_test.go") {
				exemptLines(n)
			}
		case *ast.BasicLit:
			line := lines[files.Position(n.Pos()).Line-1]
			alone := strings.HasPrefix(strings.TrimSpace(line), n.Value) &&
				strings.Trim(strings.TrimSpace(line)[len(n.Value):], "+,:;(){} ") == ""
			if n.Kind == token.STRING && (n.Value[0] == '`' || alone) {
				exemptLines(n)
			}
		}
		return true
	})
	for k, line := range lines {
		unbreakable := strings.Contains(line, "://") || strings.HasPrefix(line, "//go:") ||
			strings.HasPrefix(strings.TrimSpace(line), "//\t")
		if utf8.RuneCountInString(line) > width && !exempt[k+1] && !unbreakable {
			long = append(long, k+1)
		}
	}
	return long, nil
}
