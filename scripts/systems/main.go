// Command systems reports whether the packages of a module, and their tests, type-check on
// other operating systems. It reads source alone, which takes a tenth of the time of go vet: that
// compiles all that a package imports.
//
//	go -C scripts run ./systems DIR SYSTEM…
//
// A SYSTEM is a value of GOOS. Exit codes: 0 all packages type-check; 1 some do not, and the errors
// are printed; 2 bad usage, or packages that cannot be listed.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: systems DIR SYSTEM...")
		os.Exit(2)
	}
	code := 0
	for _, system := range os.Args[2:] {
		faults, err := typeErrors(os.Args[1], system)
		if err != nil {
			fmt.Fprintln(os.Stderr, "systems:", err)
			os.Exit(2)
		}
		for _, fault := range faults {
			fmt.Printf("%s: %v\n", system, fault)
			code = 1
		}
	}
	os.Exit(code)
}

// typeErrors returns the errors of the packages below dir on a system.
func typeErrors(dir, system string) (faults []packages.Error, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
			packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		Tests: true,
		// The bodies of functions outside of dir are dropped: only those of the module are checked.
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, dir+string(filepath.Separator)) {
				for _, d := range file.Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		// The main package that go test makes is outside of dir, too, and has lost its bodies.
		if !strings.HasSuffix(p.ID, ".test") {
			faults = append(faults, p.Errors...)
		}
	}
	return faults, nil
}
