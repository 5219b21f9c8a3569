package doctest

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The recipes of CONTRIBUTING.md are lists of files, rows and commands. TestRecipes holds
// what they name to the tree: in `code`, a path is that of a file, where NAME stands for a new
// one, and a name is declared in Go, in the package of a file that the same step names, if it
// names one. In blocks of commands, tests, scripts and the flags of bench exist.

// recipes are the headings that have recipes.
var recipes = []string{
	"An algorithm", "A problem", "A metric", "A format", "A verb", "A claim",
	"A published comparison",
}

var (
	quoted     = regexp.MustCompile("`([^`\n]+)`")
	identifier = regexp.MustCompile(`^([A-Za-z]+\.)?[A-Za-z]+$`)
	steps      = regexp.MustCompile(`(?m)^(?:\d+\. |\n)`)
	codeBlocks = regexp.MustCompile("(?s)```(\\w*)\n(.*?)```\n")
)

// TestRecipes looks for what each recipe names.
func TestRecipes(t *testing.T) {
	text := documents(t)["CONTRIBUTING.md"]
	names := declared(t)
	for _, heading := range recipes {
		_, recipe, found := strings.Cut(text, "\n## "+heading+"\n")
		if !found {
			t.Errorf("CONTRIBUTING.md has no recipe for %q", heading)
			continue
		}
		recipe, _, _ = strings.Cut(recipe, "\n## ")
		t.Run(heading, func(t *testing.T) {
			commands := 0
			for _, b := range codeBlocks.FindAllStringSubmatch(recipe, -1) {
				if b[1] != "sh" {
					continue
				}
				for line := range strings.Lines(b[2]) {
					commands++
					checkCommand(t, names, strings.TrimSpace(line))
				}
			}
			if commands == 0 {
				t.Error("the recipe has no commands")
			}
			for _, step := range steps.Split(codeBlocks.ReplaceAllString(recipe, ""), -1) {
				checkStep(t, names, step)
			}
		})
	}
}

// checkStep looks for the files and names of a step, or of a paragraph.
func checkStep(t *testing.T, names map[string][]string, step string) {
	t.Helper()
	var files, idents []string
	for _, m := range quoted.FindAllStringSubmatch(step, -1) {
		switch name := m[1]; {
		case strings.HasPrefix(name, "bench "):
			checkCommand(t, names, name)
		case strings.Contains(name, "/"):
			if filepath.Ext(name) == ".go" {
				files = append(files, name)
			}
			if strings.Contains(name, "NAME") {
				name = filepath.Dir(name)
			}
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%v; the step is\n%s", err, step)
			}
		case identifier.MatchString(name) && name != "analysis.json" && name != "io.Closer":
			idents = append(idents, name)
		}
	}
	for _, name := range idents {
		in := names[name]
		if in == nil {
			t.Errorf("%s is declared in no file; the step is\n%s", name, step)
		} else if len(files) > 0 && !slices.ContainsFunc(in, beside(files)) {
			t.Errorf("%s is declared in %v; the step is\n%s", name, slices.Compact(in), step)
		}
	}
}

// beside returns a function that reports whether a file is in the directory of one of others.
func beside(others []string) func(file string) bool {
	return func(file string) bool {
		same := func(f string) bool { return filepath.Dir(file) == filepath.Dir(f) }
		return slices.ContainsFunc(others, same)
	}
}

// checkCommand looks for what a command names: the tests of a package and its flag -update,
// a script, a verb and its flags.
func checkCommand(t *testing.T, names map[string][]string, command string) {
	t.Helper()
	plain := strings.NewReplacer("'", "", "go run ./cmd/bench", "bench")
	words := strings.Fields(plain.Replace(command))
	switch {
	case words[0] == "bash":
		if _, err := os.Stat(words[1]); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	case words[0] == "bench":
		reference := documents(t)["docs/reference.md"]
		_, section, found := strings.Cut(reference, "\n## "+words[0]+" "+words[1]+"\n")
		if section, _, _ = strings.Cut(section, "\n## "); !found {
			t.Errorf("%s: bench has no verb %s", command, words[1])
		}
		for _, w := range words[2:] {
			if strings.HasPrefix(w, "--") && !strings.Contains(section, w) {
				t.Errorf("%s: bench %s has no flag %s", command, words[1], w)
			}
		}
	case words[0] == "go" && words[1] == "test":
		dir := strings.TrimSuffix(filepath.Clean(words[2]), "/...")
		in := func(name string) bool {
			return slices.ContainsFunc(names[name], func(f string) bool {
				return filepath.Dir(f) == dir && strings.HasSuffix(f, "_test.go")
			})
		}
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if k := slices.Index(words, "-run"); k > 0 {
			for pattern := range strings.SplitSeq(words[k+1], "|") {
				pattern, _, _ = strings.Cut(pattern, "/")
				begins := func(name string) bool { return strings.HasPrefix(name, pattern) && in(name) }
				if !slices.ContainsFunc(slices.Collect(maps.Keys(names)), begins) {
					t.Errorf("%s: no test %s in %s", command, pattern, dir)
				}
			}
		}
		if slices.Contains(words, "-update") && !in("update") {
			t.Errorf("%s: the tests of %s have no flag -update", command, dir)
		}
	default:
		t.Errorf("%s: not a command of a recipe", command)
	}
}

// declared returns the files that declare a name of Go, by the name and by what it is of: a
// package, and a type for its methods and fields. Keys and values of the tags of fields count.
func declared(t *testing.T) map[string][]string {
	t.Helper()
	names := make(map[string][]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (path == "scripts" || strings.HasPrefix(path, ".") && path != ".") {
			return cmp.Or(err, fs.SkipDir)
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add := func(of, name string) {
			for _, name := range []string{name, of + "." + name} {
				names[name] = append(names[name], path)
			}
		}
		within := file.Name.Name
		add("", within)
		of := within // the type whose methods or fields are next
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				add(within, n.Name.Name)
				if n.Recv != nil {
					receiver := strings.Trim(types.ExprString(n.Recv.List[0].Type), "*")
					add(receiver, n.Name.Name)
				}
			case *ast.TypeSpec:
				add(within, n.Name.Name)
				of = n.Name.Name
			case *ast.ValueSpec:
				for _, id := range n.Names {
					add(within, id.Name)
				}
			case *ast.Field:
				for _, id := range n.Names {
					add(of, id.Name)
				}
				if n.Tag != nil {
					for _, word := range regexp.MustCompile(`\w+`).FindAllString(n.Tag.Value, -1) {
						add(of, word)
					}
				}
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
						add(within, id.Name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
