//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"hash/fnv"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// equivalents is the file of the defects by rule that change nothing that anybody could see,
// each with the reason. It has the form of the list of defects, with "FILE FUNCTION: reason"
// in the first line, and whole lines as texts.
const equivalents = "scripts/mutants/equivalent.txt"

// A source is the production code with all its defects by rule.
type source struct {
	root     string
	packages map[string]*packages.Package // by the directory in the module, with suites of tests
	defects  []defect
}

// A drawn is a sample of defects that compile, and what was passed over for it.
type drawn struct {
	defects    []defect
	broken     int // do not compile
	equivalent int // are in the file of equivalents
}

const loaded = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
	packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax |
	packages.NeedTypesSizes | packages.NeedModule

// readSource makes all defects by rule of the module at root: of its programs and of what these
// import, but for generated files and for suites of tests, whose names end in test; and
// of scripts of pages.
func readSource(ctx context.Context, root string) (*source, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	all, err := packages.Load(&packages.Config{Mode: loaded, Context: ctx, Dir: root}, "./...")
	if err != nil {
		return nil, err
	}
	s := &source{root: root, packages: make(map[string]*packages.Package)}
	imported := make(map[string]bool)
	for _, p := range all {
		for i := range p.Imports {
			imported[i] = true
		}
	}
	slices.SortFunc(all, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })
	for _, p := range all {
		for _, e := range p.Errors {
			return nil, e
		}
		dir := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.Module.Path), "/")
		s.packages[cmp.Or(dir, ".")] = p
		if !imported[p.PkgPath] && p.Name != "main" || strings.HasSuffix(p.Name, "test") ||
			strings.HasPrefix(dir, "examples") {
			continue
		}
		for i, f := range p.Syntax {
			name, err := filepath.Rel(root, p.CompiledGoFiles[i])
			if err != nil {
				return nil, err
			}
			text, err := os.ReadFile(p.CompiledGoFiles[i])
			if err != nil {
				return nil, err
			}
			if !ast.IsGenerated(f) {
				s.defects = append(s.defects, defectsOf(p.Fset, p.TypesInfo, f, filepath.ToSlash(name),
					string(text))...)
			}
		}
		if err := s.scripts(p.Dir); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// scripts makes the defects of the scripts of a package.
func (s *source) scripts(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.js"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.root, file)
		if err != nil {
			return err
		}
		s.defects = append(s.defects, scriptDefects(filepath.ToSlash(name), string(text))...)
	}
	return err
}

// draw draws n of the defects of the package, or of all if pkg is empty, that compile and are not
// equivalent. The seed determines which: those whose name has the smallest hash. A change
// of the code somewhere else hardly changes the sample, so that a sample can be resumed.
func (s *source) draw(ctx context.Context, pkg string, n int, seed uint64) (d drawn, err error) {
	hash := func(d defect) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", seed, d.id())
		x := h.Sum64() // its high bits hardly depend on the last letters
		x ^= x >> 33
		x *= 0xff51afd7ed558ccd
		return x ^ x>>33
	}
	same, err := readEquivalents(s.root)
	if err != nil {
		return d, err
	}
	order := slices.Clone(s.defects)
	if pkg != "" {
		order = slices.DeleteFunc(order, func(d defect) bool { return d.pkg() != pkg })
	}
	slices.SortStableFunc(order, func(a, b defect) int { return cmp.Compare(hash(a), hash(b)) })
	for _, c := range order {
		switch {
		case n > 0 && len(d.defects) == n:
			return d, nil
		case ctx.Err() != nil:
			return d, ctx.Err()
		}
		if same[c.name()] {
			d.equivalent++
			continue
		}
		ok, err := s.compiles(ctx, c)
		if err != nil {
			return d, err
		}
		if !ok {
			d.broken++
			continue
		}
		d.defects = append(d.defects, c)
	}
	return d, nil
}

// compiles reports whether the types of the package are right with the defect, or whether Node
// reads the script.
func (s *source) compiles(ctx context.Context, d defect) (bool, error) {
	_, text, err := d.apply(s.root)
	if err != nil {
		return false, err
	}
	if strings.HasSuffix(d.file, ".js") {
		return checkScript(ctx, text)
	}
	p := s.packages[d.pkg()]
	if p == nil {
		return false, nil // the compiler says why
	}
	f, err := parser.ParseFile(p.Fset, d.file, text, parser.SkipObjectResolution)
	if err != nil {
		return false, nil
	}
	files := slices.Clone(p.Syntax)
	for i, name := range p.CompiledGoFiles {
		if name == filepath.Join(s.root, filepath.FromSlash(d.file)) {
			files[i] = f
		}
	}
	config := types.Config{Sizes: p.TypesSizes, GoVersion: "go" + p.Module.GoVersion,
		Importer: imports(p.Imports)}
	_, err = config.Check(p.PkgPath, p.Fset, files, nil)
	return err == nil, nil
}

// imports are the packages that a package imports.
type imports map[string]*packages.Package

func (m imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := m[path]
	if p == nil {
		return nil, fmt.Errorf("%s is not imported", path)
	}
	return p.Types, nil
}

// checkScript reports whether Node reads a script.
func checkScript(ctx context.Context, text []byte) (bool, error) {
	f, err := os.CreateTemp("", "*.js")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	err = exec.CommandContext(ctx, "node", "--check", f.Name()).Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return false, ctx.Err()
	}
	return err == nil, err
}

// name is what a defect by rule is called in the file of equivalents.
func (d defect) name() string {
	fn := ""
	if d.made != nil {
		fn = " " + d.fn
	}
	return fmt.Sprintf("%s%s\n%s\n%s", d.file, fn, strings.TrimSpace(d.old), strings.TrimSpace(d.new))
}

// readEquivalents reads the file of equivalents, if there is one. An entry whose old text is
// not in its file any more is an error.
func readEquivalents(root string) (map[string]bool, error) {
	same := make(map[string]bool)
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(equivalents)))
	if errors.Is(err, os.ErrNotExist) {
		return same, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := parse(equivalents, string(text))
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, d := range all {
		file, _, _ := strings.Cut(d.file, " ")
		code, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", equivalents, d.line, err))
		} else if !strings.Contains(string(code), strings.TrimSpace(d.old)) {
			errs = append(errs, fmt.Errorf("%s:%d: the old text is not in %s any more: drop the entry",
				equivalents, d.line, path.Base(file)))
		}
		same[d.name()] = true
	}
	return same, errors.Join(errs...)
}
