//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// byRule makes the defects of a file of Go, each as "rule: new text of the line".
func byRule(t *testing.T, src string) (all []defect) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a/a.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue),
		Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: importer.Default()}
	if _, err := config.Check("a", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	return defectsOf(fset, info, f, "a/a.go", src)
}

func lines(all []defect) (texts []string) {
	for _, d := range all {
		texts = append(texts, d.rule+": "+strings.TrimSpace(d.new))
	}
	return texts
}

// Every operator, on a function of one line.
func TestOperators(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"comparison", "b = x < y", []string{"dropped: ", "comparison: b = x <= y",
			"comparison: b = x >= y"}},
		{"equality", "b = x == y", []string{"dropped: ", "comparison: b = x != y"}},
		{"at least", "b = x >= y", []string{"dropped: ", "comparison: b = x > y",
			"comparison: b = x < y"}},
		{"logic", "b = b && c", []string{"dropped: ", "logic: b = b || c"}},
		{"arithmetic", "x = x + y", []string{"dropped: ", "arithmetic: x = x - y"}},
		{"product", "x = x*y", []string{"dropped: ", "arithmetic: x = x/y"}},
		{"remainder", "i = i % j", []string{"dropped: ", "arithmetic: i = i * j"}},
		{"accumulation", "x += y", []string{"dropped: ", "arithmetic: x -= y"}},
		{"count", "i++", []string{"dropped: ", "arithmetic: i--"}},
		{"texts do not add", "s = s + s", []string{"dropped: "}},
		{"texts are not accumulated", "s += s", []string{"dropped: "}},
		{"integer", "i = 3", []string{"dropped: ", "off by one: i = 4", "doubled: i = 6"}},
		{"one", "i = 1", []string{"dropped: ", "off by one: i = 2"}}, // 2 is one change
		{"zero", "i = 0", []string{"dropped: ", "off by one: i = 1"}},
		{"float", "x = 1.5", []string{"dropped: ", "doubled: x = 3"}},
		{"integer as a float", "x = 3", []string{"dropped: ", "doubled: x = 6"}},
		{"mode", "i = 0o644", []string{"dropped: "}},
		{"slice", "v = v[i:j]", []string{"dropped: ", "off by one: v = v[i+1:j]",
			"off by one: v = v[i:j-1]"}},
		{"range", "for range i { call() }", []string{"off by one: for range i - 1 { call() }",
			"dropped: for range i {  }"}},
		{"negation", "b = !c", []string{"dropped: ", "negation: b = c"}},
		{"sign", "x = -y", []string{"dropped: ", "negation: x = y"}},
		{"if", "if b { return }", []string{"dropped: "}},
		{"if with else", "if b { return } else { return }", nil},
		{"definition", "z := x; _ = z", nil},
		{"call", "defer call()", []string{"dropped: "}},
		{"swapped", "two(x, y)", []string{"dropped: ", "swapped: two(y, x)"}},
		{"one type only", "mixed(x, i)", []string{"dropped: "}},
		{"equal arguments", "two(x, x)", []string{"dropped: "}},
		{"format", "text(\"%s\", s)", []string{"dropped: "}},
		{"min", "x = min(x, y)", []string{"dropped: ", "comparison: x = max(x, y)"}},
		{"panic", "panic(1 + i)", nil},
		{"printed", "_ = printed{Doc: 3}", nil},
		{"length of an array", "_ = [3]int{}", nil},
	} {
		src := "package a\n\ntype printed struct{ Doc int }\n\nfunc call() {}\n" +
			"func two(a, b float64) {}\nfunc mixed(a float64, b int) {}\nfunc text(a, b string) {}\n\n" +
			"func F(x, y float64, i, j int, b, c bool, s string, v []int) {\n\t" + c.line + "\n}\n"
		if got := lines(byRule(t, src)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// A defect knows its function, its place and the lines that it changes, and apply puts it
// there, also where an equal line stands before.
func TestPlaces(t *testing.T) {
	src := "package a\n\nconst c = 2\n\ntype T[P any] struct{}\n\nfunc (t *T[P]) F(i int) int {\n" +
		"\ti++\n\ti++\n\tif i == c {\n\t\treturn i\n\t}\n\treturn c\n}\n"
	all := byRule(t, src)
	var got []string
	for _, d := range all {
		got = append(got, fmt.Sprintf("%s %d.%d %d %s", d.fn, d.at.line, d.at.column, d.nth, d.rule))
	}
	want := []string{"top 3.11 0 off by one", "top 3.11 0 doubled", "*T[P].F 8.2 0 dropped",
		"*T[P].F 8.3 0 arithmetic", "*T[P].F 9.2 1 dropped", "*T[P].F 9.3 1 arithmetic",
		"*T[P].F 10.2 0 dropped", "*T[P].F 10.7 0 comparison"}
	if !slices.Equal(got, want) {
		t.Fatalf("got\n%q, want\n%q", got, want)
	}
	ids := make(map[string]bool)
	for _, d := range all {
		ids[d.id()] = true
	}
	if len(ids) != len(all) {
		t.Errorf("%d defects have %d names", len(all), len(ids))
	}
	tree(t, map[string]string{"a/a.go": src})
	_, text, err := all[5].apply(".")
	if want := strings.Replace(src, "\ti++\n\tif", "\ti--\n\tif", 1); err != nil ||
		string(text) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, text, want)
	}
	_, text, err = all[6].apply(".")
	if want := strings.Replace(src, "\tif i == c {\n\t\treturn i\n\t}\n", "\n", 1); err != nil ||
		string(text) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, text, want)
	}
}

// The same rules on JavaScript.
func TestScript(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"comparison", "const b = x < y;", []string{"comparison: const b = x <= y;",
			"comparison: const b = x >= y;"}},
		{"equality", "const b = x !== y;", []string{"comparison: const b = x === y;"}},
		{"logic", "const b = x && y;", []string{"logic: const b = x || y;"}},
		{"arithmetic", "const b = x / y;", []string{"arithmetic: const b = x * y;"}},
		{"texts do not add", "const b = \"a\" + x + `b`;", nil},
		{"value of a template", "const b = `a${x - 1}b`;", []string{
			"arithmetic: const b = `a${x + 1}b`;", "off by one: const b = `a${x - 2}b`;"}},
		{"braces in a template", "const b = `${f({a: 1})} < ${`<${x}`} <`;",
			[]string{"off by one: const b = `${f({a: 2})} < ${`<${x}`} <`;"}},
		{"regular expression", "const b = x.match(/a*[/<]+/g);", nil},
		{"comment", "// x < y\n/* x - y */", nil},
		{"negation", "const b = !x;", []string{"negation: const b = x;"}},
		{"sign", "const b = [-x, y - x];", []string{"negation: const b = [x, y - x];",
			"arithmetic: const b = [-x, y + x];"}},
		{"number", "const b = 1.5;", []string{"doubled: const b = 3;"}},
		{"swapped", "const b = f(x.a, y, 1, 3.5);", []string{"swapped: const b = f(y, x.a, 1, 3.5);",
			"swapped: const b = f(x.a, y, 3.5, 1);", "off by one: const b = f(x.a, y, 2, 3.5);",
			"doubled: const b = f(x.a, y, 1, 7);"}},
		{"parameters", "function g(x, y) {}", nil},
		{"parameters of an arrow", "const g = (x, y) => x;", nil},
		{"parameters of a method", "const o = {g(x, y) {}};", nil},
		{"statement", "x.call(y);", []string{"dropped: "}},
		{"assignment", "x.y = y;", []string{"dropped: "}},
		{"if", "if (x) return;", []string{"dropped: "}},
		{"if with else", "if (x) return;\nelse y();", nil},
		{"return", "return x;", nil},
	} {
		src := "function F(x, y) {\n\t" + c.line + "\n}\n"
		got := lines(scriptDefects("p/a.js", src))
		if !slices.Equal(got, c.want) && !(len(got) == 0 && len(c.want) == 0) {
			t.Errorf("%s: got\n%q, want\n%q", c.name, got, c.want)
		}
	}
	for _, d := range scriptDefects("p/a.js", "const a = 1;\nfunction F() {\n\tx < y;\n}\n") {
		if want := map[int]string{1: "a", 3: "F"}[d.first]; d.fn != want {
			t.Errorf("line %d is in %s, want %s", d.first, d.fn, want)
		}
	}
}

// shapes is a module with what has no defects: generated code, tests, suites of tests, and
// packages that no program needs.
func shapes() map[string]string {
	main := "package main\n\nimport \"tiny/used\"\n\nfunc main() { used.F(1) }\n"
	f := "package %s\n\nfunc F(i int) bool { return i < 7 }\n"
	return map[string]string{
		"main.go": main, "used/used.go": fmt.Sprintf(f, "used"),
		"used/made.go": "// Code generated by hand. DO NOT EDIT.\n\npackage used\n\nconst c = 3\n",
		"used/used_test.go": "package used\n\nimport (\"testing\"; \"tiny/help\")\n\n" +
			"func TestF(t *testing.T) {\n\tif !F(2) || help.F(8) {\n\t\tt.Fail()\n\t}\n}\n",
		"used/page.js": "const unit = 2;\n", "help/help.go": fmt.Sprintf(f, "help"),
		"usedtest/usedtest.go": fmt.Sprintf(f, "usedtest"),
	}
}

func TestSource(t *testing.T) {
	tree(t, shapes())
	s, err := readSource(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, d := range s.defects {
		counts[d.file]++
	}
	// main: the call is dropped, 1 to 2; used: <= and >=, 7 to 8 and 14; page: 3 and 4
	if want := map[string]int{"main.go": 2, "used/used.go": 4, "used/page.js": 2}; !maps.Equal(counts,
		want) {
		t.Errorf("got %v, want %v", counts, want)
	}
	// without the call, the import is not used
	all, err := s.draw(t.Context(), "", 0, 1)
	if err != nil || len(all.defects) != 7 || all.broken != 1 {
		t.Errorf("%d compile and %d do not, %v", len(all.defects), all.broken, err)
	}
	some, err := s.draw(t.Context(), "used", 3, 1)
	if err != nil || len(some.defects) != 3 || some.defects[0].pkg() != "used" {
		t.Errorf("%v, %v", some, err)
	}
	if more, err := s.draw(t.Context(), "used", 5, 1); err != nil || len(more.defects) != 5 ||
		!slices.EqualFunc(more.defects[:3], some.defects,
			func(a, b defect) bool { return a.id() == b.id() }) {
		t.Errorf("a larger sample does not start with the smaller one: %v, %v", more, err)
	}
	if other, err := s.draw(t.Context(), "", 7, 2); err != nil ||
		slices.EqualFunc(other.defects, all.defects,
			func(a, b defect) bool { return a.id() == b.id() }) {
		t.Errorf("the seed does not determine the sample: %v, %v", other, err)
	}
}

// Equivalent defects are passed over, and an entry that has no place any more is refused.
func TestEquivalents(t *testing.T) {
	files := shapes()
	files[equivalents] = "used/used.go F: a reason\n" +
		"- func F(i int) bool { return i < 7 }\n+ func F(i int) bool { return i <= 7 }\n"
	tree(t, files)
	s, err := readSource(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.draw(t.Context(), "", 0, 1)
	if err != nil || d.equivalent != 1 || len(d.defects) != 6 {
		t.Errorf("%d are equivalent and %d are not, %v", d.equivalent, len(d.defects), err)
	}
	write(t, equivalents, "used/used.go F: a reason\n- return i > 7\n+ return i >= 7\n")
	if _, err := s.draw(t.Context(), "", 0, 1); err == nil ||
		!strings.Contains(err.Error(), "not in used.go any more") {
		t.Errorf("an entry without a place: %v", err)
	}
}

// Every entry of the tree has its place, and says why nobody could see it.
func TestEquivalentsAreInTheTree(t *testing.T) {
	if _, err := readEquivalents("../.."); err != nil {
		t.Error(err)
	}
}

// By rule, a defect is tried with the tests that reach it: Add with its own test, Mul with that of
// twice, Neg with none.
func TestRunByRule(t *testing.T) {
	files := sums()
	files["main.go"] = "package main\n\nimport \"tiny/twice\"\n\nfunc main() { twice.Of(4) }\n"
	tree(t, files)
	if err := exec.Command("git", "add", "-A").Run(); err != nil {
		t.Fatal(err)
	}
	args := []string{"--rule", "--package", "sum", "--resume", "outcomes"}
	share, wanted, err := run(t.Context(), args)
	// Add, Sub, Mul and Neg have an operator each
	if err != nil || share != 0.75 || wanted != enoughByRule {
		t.Errorf("the share is %v of %v, %v, want 0.75", share, wanted, err)
	}
	text := read(t, "outcomes")
	for _, want := range []string{
		`"package":"sum","tests":["TestAdd"]`,
		`"package":"sum","tests":["TestSub"],"clock"`,
		`"package":"twice","tests":["TestOf"],"clock"`,
		`"place":"sum/sum.go:9 Neg","rule":"negation","old":"func Neg(a int) int { return -a }",` +
			`"new":"func Neg(a int) int { return a }","unrun":true}`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no outcome is %s in\n%s", want, text)
		}
	}
	// A survivor is tried again when it is asked for.
	for k, args := range [][]string{args, append(args, "--survivors", "--advisory")} {
		share, wanted, err := run(t.Context(), args)
		if lines := strings.Count(read(t, "outcomes"), "\n"); err != nil || share != 0.75 ||
			lines != 5+2*k || (wanted == 0) != (k == 1) {
			t.Errorf("again %d: %v of %v, %v, %d outcomes", k, share, wanted, err, lines)
		}
	}
	// Nothing is tried once the budget is spent.
	share, _, err = run(t.Context(), []string{"--rule", "--budget", "1ns"})
	if err != nil || share != 0 {
		t.Errorf("with no time, the share is %v, %v", share, err)
	}
}
