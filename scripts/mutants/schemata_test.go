//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const shapesGo = `package shape

type Box struct{ w, h int }

type Set[K comparable] struct{ all map[K]bool }

const Unit = 3

func (b *Box) Area() int { return b.w * b.h }

func (Box) Blank(_ int, n int) int { return n + 1 }

func Five(int, ...string) int { return 5 }

func Sum(all ...int) (n int) {
	for _, x := range all {
		n += x
	}
	return
}

func Fill(out *int) { *out = 6 }

func Map[T, U any](x T, f func(T) U) (U, bool) {
	return f(x), true
}

func (s *Set[_]) Len() int { return len(s.all) }

func Two(a int) int {
	b := a + 1
	switch b {
	case 3:
		return b * 2
	default:
		return 7
	}
}

func Lit() int {
	f := func(a int) int { return a - 1 }
	return f(3)
}

func Safe(f func()) (ok bool) {
	defer caught(&ok)
	f()
	return true
}

func caught(ok *bool) {
	if recover() != nil {
		*ok = false
	}
}

func Scaled(a int) int { return a * Unit }

func Child() int { return 8 }

func Nobody(a int) int { return a * a }
`

const shapesTest = `package shape

import (
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		os.Exit(Child())
	}
	os.Exit(m.Run())
}

func check(t *testing.T, good bool) {
	t.Helper()
	if !good {
		t.Fail()
	}
}

func TestArea(t *testing.T)  { check(t, (&Box{2, 3}).Area() == 6) }
func TestBlank(t *testing.T) { check(t, Box{}.Blank(1, 2) == 3) }
func TestFive(t *testing.T)  { check(t, Five(1, "") == 5) }
func TestSum(t *testing.T)   { check(t, Sum(1, 2) == 3) }
func TestFill(t *testing.T)  { n := 0; Fill(&n); check(t, n == 6) }
func TestLen(t *testing.T)   { check(t, (&Set[int]{map[int]bool{1: true}}).Len() == 1) }
func TestTwo(t *testing.T)   { check(t, Two(2) == 6) }
func TestThree(t *testing.T) { check(t, Two(3) == 7) }
func TestLit(t *testing.T)   { check(t, Lit() == 2) }
func TestSafe(t *testing.T)  { check(t, Safe(func() {}) && !Safe(func() { panic(0) })) }
func TestUnit(t *testing.T)  { check(t, Scaled(2) == 6) }

func TestMap(t *testing.T) {
	n, ok := Map("a", func(s string) int { return len(s) })
	check(t, n == 1 && ok)
}

func TestChild(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHILD=1")
	cmd.Run()
	check(t, cmd.ProcessState.ExitCode() == 8)
}
`

// Of functions of all shapes, each defect is found by the test that notices it, and one that
// changes nothing by none.
func TestShapes(t *testing.T) {
	cases := []struct{ old, new, want string }{
		{"w * b.h", "w + b.h", "TestArea"},
		{"n + 1", "n + 2", "TestBlank"},
		{"return 5", "return 6", "TestFive"},
		{"n += x", "n -= x", "TestSum"},
		{"*out = 6", "*out = 7", "TestFill"},
		{"f(x), true", "f(x), false", "TestMap"},
		{"len(s.all)", "len(s.all) + 1", "TestLen"},
		{"b * 2", "b * 3", "TestTwo"},
		{"return 7", "return 8", "TestThree"},
		{"b := a + 1", "b := 1 + a", ""},
		{"a - 1", "a - 2", "TestLit"},
		{"!= nil", "== nil", "TestSafe"},
		{"Unit = 3", "Unit = 4", "TestUnit"},
		{"return 8", "return 9", "TestChild"},
		{"func (s *Set[_]) Len() int { return len(s.all) }\n- \n- func Two(a int) int {\n- \tb := a",
			"func (s *Set[_]) Len() int { return len(s.all) }\n+ \n+ func Two(a int) int {\n+ \tb := 1 + a",
			"TestTwo"},
		{"a * a", "a + a", ""},
	}
	var text strings.Builder
	for _, c := range cases {
		text.WriteString("shape/shape.go: " + c.new[:1] + "\n- " + c.old + "\n+ " + c.new + "\n\n")
	}
	tree(t, map[string]string{"shape/shape.go": shapesGo, "shape/shape_test.go": shapesTest,
		list: text.String()})
	if _, _, err := run(t.Context(), []string{"--resume", "outcomes", "--workers", "2"}); err != nil {
		t.Fatal(err)
	}
	all, err := earlier("outcomes", true, false)
	if err != nil || len(all) != len(cases) {
		t.Fatalf("%d outcomes of %d, %v", len(all), len(cases), err)
	}
	for _, c := range cases {
		old, replaced := strings.ReplaceAll(c.old, "\n- ", "\n"), strings.ReplaceAll(c.new, "\n+ ", "\n")
		v := all[defect{file: "shape/shape.go", old: old, new: replaced}.id()]
		if strings.Join(v.Tests, " ") != c.want || (v.Outcome == killed) != (c.want != "") ||
			v.Unrun != (c.old == "a * a") {
			t.Errorf("%q for %q: %+v, want %s", c.new, c.old, v, c.want)
		}
	}
}

// What changes one function has a clone of it; what changes the head of a function, or what is
// outside, and a function that calls recover have none.
func TestClones(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "shape/shape.go", shapesGo)
	s, err := newSchemata(dir, "tiny", []defect{
		{file: "shape/shape.go", old: "\t\tn += x", new: "\t\tn -= x",
			made: &made{start: strings.Index(shapesGo, "\t\tn += x"), at: place{17, 5}}},
		{file: "shape/shape.go", old: "Unit = 3", new: "Unit = 4"},
		{file: "shape/shape.go", old: "!= nil", new: "== nil"},
		{file: "shape/shape.go", old: "Lit() int", new: "Lit() int64"},
	}, nil)
	if err != nil || s.compiled[1] || !s.compiled[2] || !s.compiled[3] || !s.compiled[4] {
		t.Errorf("compiled for themselves: %v, %v", s.compiled, err)
	}
	text := read(t, "shape/shape.go")
	for _, want := range []string{
		"func Sum(all ...int) (n int) { if mutant__.On(1) { return mutant1Sum(all...) }; \n",
		"\t\t mutant__.Reach(1); n += x\n",
		"\nfunc mutant1Sum(all ...int) (n int) {\n\tfor _, x := range all {\n\t\tn -= x\n",
		"func Scaled(a int) int { mutant__.Reach(2);  return a * Unit }",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// Tests that take too long are ended, with what they started, and that kills a defect.
func TestLate(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	text := "#!/bin/sh\nsleep 100 &\necho $! >pid\nwait\n"
	if err := os.WriteFile(program, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	v, err := binary{dir, ".", program}.run(t.Context(), dir, 2*time.Second)
	if err != nil || v.Outcome != late {
		t.Errorf("%+v, %v", v, err)
	}
	var pid int
	if _, err := fmt.Sscan(read(t, filepath.Join(dir, "pid")), &pid); err != nil {
		t.Fatal(err)
	}
	for state := "R"; state == "R" || state == "S"; time.Sleep(time.Millisecond) {
		state = ""
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
			state = strings.Fields(string(stat))[2]
		}
	}
}
