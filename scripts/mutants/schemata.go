//go:build unix

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// All defects of a run are compiled once, together. A function with defects gets a clone for each,
// in the same file, and asks at its start whether a defect is on:
//
//	func (s *Set) Size(a int) int {
//		if mutant__.On(17) {
//			return s.mutant17Size(a)
//		}
//		…
//	}
//
// Package mutant, which exists in the copy only, reads from a file which defect is on: the file
// lies above the directory for temporary files, which programs that a test starts inherit. If the
// file asks for a record, it gets the numbers of the defects whose statement is run.
//
// What has no clone is compiled for itself: a defect outside of functions, in a script, or
// in a function that calls recover. Functions that mention what such a declaration declares are
// taken to run it.

// switches is package mutant.
const switches = `// Package mutant says which defect is on.
package mutant

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

var (
	on, file = find()
	seen     [%d]atomic.Bool
)

// find reads the nearest file above the temporary or the current directory.
func find() (int, string) {
	here, _ := os.Getwd()
	for _, dir := range []string{os.TempDir(), here} {
		for ; ; dir = filepath.Dir(dir) {
			if text, err := os.ReadFile(filepath.Join(dir, %q)); err == nil {
				if file, ok := strings.CutPrefix(string(text), "record "); ok {
					return -1, file
				}
				k, _ := strconv.Atoi(string(text))
				return k, ""
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return 0, ""
}

// On reports whether a defect is on.
func On(k int) bool { return k == on }

// Reach says that the statement of a defect is run.
func Reach(k int) {
	if on < 0 && !seen[k].Swap(true) {
		record(k)
	}
}

func record(k int) {
	if f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
		f.WriteString(strconv.Itoa(k) + "\n")
		f.Close()
	}
}
`

// control is the name of the file that says which defect is on.
const control = "mutant-on"

// A sheet is a file of Go with what is put into it.
type sheet struct {
	name, src string
	fset      *token.FileSet
	file      *ast.File
	in        map[int]string // what is put in, by the offset
	renamed   map[*ast.FieldList]string
	tail      strings.Builder
}

func readSheet(root, name string) (*sheet, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return newSheet(name, string(text))
}

func newSheet(name, src string) (*sheet, error) {
	s := &sheet{name: name, src: src, fset: token.NewFileSet(), in: make(map[int]string),
		renamed: make(map[*ast.FieldList]string)}
	var err error
	s.file, err = parser.ParseFile(s.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	return s, err
}

func (s *sheet) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *sheet) span(from, to token.Pos) string { return s.src[s.offset(from):s.offset(to)] }

func (s *sheet) text(n ast.Node) string { return s.span(n.Pos(), n.End()) }

// A schemata has the defects of a run as clones.
type schemata struct {
	root   string // of the copy
	module string
	sheets map[string]*sheet
	// compiled are the numbers of the defects that have no clone, and everywhere those of
	// which it is not known which tests of their own package run them.
	compiled, everywhere map[int]bool
}

// newSchemata puts the defects into the copy at root, numbered from 1. Those that are broken do
// not compile.
func newSchemata(root, module string, defects []defect, broken map[int]bool) (*schemata, error) {
	s := &schemata{root, module, make(map[string]*sheet), make(map[int]bool), make(map[int]bool)}
	for i, d := range defects {
		if err := s.put(i+1, d, broken[i]); err != nil {
			return nil, err
		}
	}
	if err := s.mention(defects); err != nil {
		return nil, err
	}
	code := fmt.Sprintf(switches, len(defects)+1, control)
	dir := filepath.Join(root, "internal", "mutant")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "mutant.go"), []byte(code), 0o666); err != nil {
		return nil, err
	}
	for name, h := range s.sheets {
		if len(h.in) == 0 {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.WriteFile(file, h.bytes(module), 0o666); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *schemata) sheet(name string) (h *sheet, err error) {
	if s.sheets[name] == nil {
		s.sheets[name], err = readSheet(s.root, name)
	}
	return s.sheets[name], err
}

// put makes the clones of a defect.
func (s *schemata) put(k int, d defect, broken bool) error {
	s.compiled[k], s.everywhere[k] = true, true
	if broken || !strings.HasSuffix(d.file, ".go") {
		return nil
	}
	_, text, err := d.apply(s.root)
	if err != nil {
		return err
	}
	h, err := s.sheet(d.file)
	if err != nil {
		return err
	}
	g, err := newSheet(d.file, string(text))
	if err != nil {
		return nil // the compiler says why
	}
	changed, ok := h.changed(g)
	if !ok {
		return nil
	}
	s.everywhere[k] = false
	s.compiled[k] = slices.ContainsFunc(changed, func(c twin) bool { return !clonable(c.from) })
	for _, c := range changed {
		at := h.offset(c.from.Body.Lbrace) + 1
		if d.made != nil {
			at = h.statement(c.from, d.made)
		}
		h.in[at] += fmt.Sprintf(" mutant__.Reach(%d); ", k)
	}
	for _, c := range changed {
		if !s.compiled[k] {
			h.clone(k, c.from, g.text(c.to.Body))
		}
	}
	return nil
}

// A twin is a function as it is, and with a defect.
type twin struct{ from, to *ast.FuncDecl }

// changed are the functions of a file that have other bodies in g. It is false if
// anything else is not the same.
func (s *sheet) changed(g *sheet) (all []twin, ok bool) {
	if len(s.file.Decls) != len(g.file.Decls) {
		return nil, false
	}
	for i, d := range s.file.Decls {
		if s.text(d) == g.text(g.file.Decls[i]) {
			continue
		}
		from, _ := d.(*ast.FuncDecl)
		to, _ := g.file.Decls[i].(*ast.FuncDecl)
		if from == nil || to == nil || from.Body == nil || to.Body == nil ||
			s.span(from.Pos(), from.Body.Pos()) != g.span(to.Pos(), to.Body.Pos()) {
			return nil, false
		}
		all = append(all, twin{from, to})
	}
	return all, len(all) > 0
}

// clonable reports whether a function does the same if it is called by another one.
func clonable(f *ast.FuncDecl) bool {
	yes := true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if name, ok := c.Fun.(*ast.Ident); ok && name.Name == "recover" {
				yes = false
			}
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	if f.Type.TypeParams != nil {
		for _, p := range f.Type.TypeParams.List {
			for _, name := range p.Names {
				yes = yes && name.Name != "_"
			}
		}
	}
	return yes
}

// statement is where the innermost statement starts that has the change.
func (s *sheet) statement(f *ast.FuncDecl, m *made) (at int) {
	at = s.offset(f.Body.Lbrace) + 1
	line := strings.SplitAfterN(s.src, "\n", m.at.line)
	place := len(s.src) - len(line[len(line)-1]) + m.at.column - 1
	ast.Inspect(f.Body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, stmt := range list {
			switch stmt.(type) {
			case *ast.CaseClause, *ast.CommClause:
				continue
			}
			if s.offset(stmt.Pos()) <= place && place < s.offset(stmt.End()) {
				at = s.offset(stmt.Pos())
			}
		}
		return true
	})
	return at
}

// clone adds a clone of a function with another body, and the question whether it is meant.
func (s *sheet) clone(k int, f *ast.FuncDecl, body string) {
	name := fmt.Sprintf("mutant%d%s", k, f.Name.Name)
	call, receiver := name, ""
	if f.Recv != nil {
		text, names := s.named(f.Recv, "receiver__")
		receiver, call = text+" ", names[0]+"."+name
	}
	generic := ""
	if f.Type.TypeParams != nil {
		var types []string
		for _, p := range f.Type.TypeParams.List {
			for _, n := range p.Names {
				types = append(types, n.Name)
			}
		}
		generic = s.text(f.Type.TypeParams)
		call += "[" + strings.Join(types, ", ") + "]"
	}
	parameters, names := s.named(f.Type.Params, "p__")
	call += "(" + strings.Join(names, ", ") + ")"
	results := ""
	if f.Type.Results != nil {
		results = s.text(f.Type.Results) + " "
	}
	if f.Type.Results.NumFields() > 0 {
		call = "return " + call
	} else {
		call += "; return"
	}
	s.in[s.offset(f.Body.Lbrace)+1] += fmt.Sprintf(" if mutant__.On(%d) { %s }; ", k, call)
	fmt.Fprintf(&s.tail, "\nfunc %s%s%s%s %s%s\n", receiver, name, generic, parameters, results, body)
}

// named is a list of parameters, all of which have names, and the names as arguments. If the list
// itself lacks names, the sheet gets them.
func (s *sheet) named(list *ast.FieldList, prefix string) (text string, names []string) {
	var fields []string
	lacking := false
	for _, f := range list.List {
		var own []string
		for i := range max(1, len(f.Names)) {
			name := "_"
			if len(f.Names) > 0 {
				name = f.Names[i].Name
			}
			if name == "_" {
				lacking = true
				name = fmt.Sprint(prefix, len(names))
			}
			own = append(own, name)
			if _, variadic := f.Type.(*ast.Ellipsis); variadic {
				name += "..."
			}
			names = append(names, name)
		}
		fields = append(fields, strings.Join(own, ", ")+" "+s.text(f.Type))
	}
	text = "(" + strings.Join(fields, ", ") + ")"
	if lacking {
		s.renamed[list] = text
	}
	return text, names
}

// bytes is the file with all that is put in.
func (s *sheet) bytes(module string) []byte {
	type edit struct {
		from, to int
		text     string
	}
	edits := []edit{{s.offset(s.file.Name.End()), s.offset(s.file.Name.End()),
		fmt.Sprintf("; import mutant__ %q", module+"/internal/mutant")}}
	for at, text := range s.in {
		edits = append(edits, edit{at, at, text})
	}
	for list, text := range s.renamed {
		edits = append(edits, edit{s.offset(list.Opening), s.offset(list.Closing) + 1, text})
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(s.src[at:e.from] + e.text)
		at = e.to
	}
	out.WriteString(s.src[at:] + s.tail.String())
	return []byte(out.String())
}

// mention says of each defect outside of functions which functions mention what the declaration
// declares, or what others declare with it.
func (s *schemata) mention(defects []defect) error {
	var outside []int
	for i, d := range defects {
		if s.everywhere[i+1] && strings.HasSuffix(d.file, ".go") {
			outside = append(outside, i+1)
		}
	}
	if len(outside) == 0 {
		return nil
	}
	files, err := goFiles(s.root)
	if err != nil {
		return err
	}
	for _, name := range files {
		if _, err := s.sheet(name); err != nil {
			return err
		}
	}
	for _, k := range outside {
		d := defects[k-1]
		h := s.sheets[d.file]
		at := strings.Index(h.src, d.old)
		if d.made != nil {
			at = d.start
		}
		names := make(map[string]bool)
		s.specs(func(g *sheet, spec ast.Spec) {
			if g == h && h.offset(spec.Pos()) < at+len(d.old) && at < h.offset(spec.End()) {
				declare(g, spec, names)
			}
		})
		for n := -1; n < len(names); {
			n = len(names)
			s.specs(func(g *sheet, spec ast.Spec) {
				if mentions(g, spec, names) {
					declare(g, spec, names)
				}
			})
		}
		for _, g := range s.sheets {
			for _, f := range g.file.Decls {
				if f, ok := f.(*ast.FuncDecl); ok && f.Body != nil && mentions(g, f, names) {
					g.in[g.offset(f.Body.Lbrace)+1] += fmt.Sprintf(" mutant__.Reach(%d); ", k)
				}
			}
		}
	}
	return nil
}

// specs calls f for all declarations outside of functions.
func (s *schemata) specs(f func(*sheet, ast.Spec)) {
	for _, g := range s.sheets {
		for _, d := range g.file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, spec := range d.Specs {
					f(g, spec)
				}
			}
		}
	}
}

// key tells a name from those of other packages, unless it is exported.
func (s *sheet) key(name string) string {
	if ast.IsExported(name) {
		return name
	}
	return path.Dir(s.name) + "." + name
}

func declare(s *sheet, spec ast.Spec, names map[string]bool) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			names[s.key(n.Name)] = true
		}
	case *ast.TypeSpec:
		names[s.key(spec.Name.Name)] = true
	}
}

func mentions(s *sheet, n ast.Node, names map[string]bool) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && names[s.key(id.Name)] {
			yes = true
		}
		return !yes
	})
	return yes
}

// goFiles are the files of Go of a tree, but for tests and for modules within.
func goFiles(root string) (names []string, err error) {
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name, bad := filepath.Rel(root, file)
		if err := errors.Join(err, bad); err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(file, "go.mod"))
			if name != "." && (err == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	return names, err
}
