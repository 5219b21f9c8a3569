package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An outcome is what became of a defect.
type outcome string

const (
	killed   outcome = "killed"
	late     outcome = "timed out" // which kills it too
	broken   outcome = "does not compile"
	survived outcome = "survived"
)

// verdict is the outcome of a trial, and what found it.
type verdict struct {
	ID      string        `json:"id"`
	Outcome outcome       `json:"outcome"`
	Package string        `json:"package,omitempty"` // whose tests failed
	Tests   []string      `json:"tests,omitempty"`   // that failed
	Short   bool          `json:"short,omitempty"`   // when shortened
	Script  string        `json:"script,omitempty"`  // which of TestScripts
	Clock   time.Duration `json:"clock"`
	CPU     time.Duration `json:"cpu"`
	// of a defect by rule, for who reads the outcomes
	Place  string `json:"place,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	Unrun  bool   `json:"unrun,omitempty"` // no test that was to be run covers the line
	Near   bool   `json:"near,omitempty"`  // with -near: other packages might kill it
	output string
}

// bench is a copy of the tree in which one defect at a time is tried.
type bench struct {
	root    string
	house   *house
	near    bool // only the first tests, shortened
	timeout time.Duration
	cover   *coverage // nil: all tests are run
}

// try puts the defect into the copy, and runs tests until one fails.
func (b *bench) try(ctx context.Context, d defect) (v verdict, err error) {
	v = verdict{ID: d.id(), Outcome: survived, Unrun: true, Near: b.near}
	if d.made != nil {
		v.Place, v.Rule = fmt.Sprintf("%s:%d %s", d.file, d.first, d.fn), d.rule
		v.Old, v.New = strings.TrimSpace(d.old), strings.TrimSpace(d.new)
	}
	sound, defective, err := d.apply(b.root)
	if err != nil {
		return v, err
	}
	file := filepath.Join(b.root, filepath.FromSlash(d.file))
	if err := os.WriteFile(file, defective, 0o666); err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(file, sound, 0o666)) }()
	begun := time.Now()
	defer func() { v.Clock = time.Since(begun) }()
	for _, a := range b.attempts(d) {
		if a.last && !v.Unrun {
			continue
		}
		if b.cover != nil && a.script == "" {
			if runs, err := b.cover.runs(ctx, b.house, a, d); err != nil || !runs {
				if err != nil {
					return v, err
				}
				continue
			}
		}
		v.Unrun = false
		run, err := b.attempt(ctx, a, d.made != nil)
		v.CPU += run.CPU
		if err != nil || run.Outcome != survived {
			v.Outcome, v.Package, v.Tests, v.output, v.Short = run.Outcome, run.Package, run.Tests,
				run.output, a.short
			v.Script = a.script
			return v, err
		}
	}
	return v, nil
}

// An attempt is a run of the tests of a package, or of one of its scripts.
type attempt struct {
	pkg    string
	short  bool
	script string
	last   bool // only if no test before runs the line
}

// flags are what the attempt is limited to.
func (a attempt) flags() []string {
	if a.script == "" {
		return nil
	}
	return []string{"-run=^TestScripts$/^" + a.script + "$"}
}

// attempt runs tests until one fails. To confirm it, tests that fail are run once more; those
// that then pass failed of the load of the machine, and the others go on without them.
func (b *bench) attempt(ctx context.Context, a attempt, confirm bool) (v verdict, err error) {
	var cpu time.Duration
	flags := append(a.flags(), "-failfast")
	for flaky := []string(nil); ; {
		if v, err = b.test(ctx, a.pkg, a.short, flags...); err != nil {
			return v, err
		}
		cpu += v.CPU
		if !confirm || v.Outcome != killed || len(v.Tests) == 0 {
			break
		}
		only := append([]string{"-run=^(" + strings.Join(v.Tests, "|") + ")$"}, a.flags()...)
		again, err := b.test(ctx, a.pkg, a.short, only...)
		if err != nil {
			return v, err
		}
		cpu += again.CPU
		if again.Outcome != survived {
			break
		}
		flaky = append(flaky, v.Tests...)
		flags = append(a.flags(), "-failfast", "-skip=^("+strings.Join(flaky, "|")+")$")
	}
	v.CPU = cpu
	return v, nil
}

// attempts are the runs that may notice a defect, the one first that most likely does: the tests
// of the package, shortened; those of the packages that depend on it, shortened, and of a verb its
// script before all others; and the tests of the package in full, and of the one above it in the
// tree if that depends on it. Where none of these runs the line, the others follow in full. Only
// the tests of its package in full run a script of the page. With near they are the tests of the
// nearest package, and the script of a verb.
func (b *bench) attempts(d defect) (all []attempt) {
	if strings.HasSuffix(d.file, ".js") {
		return []attempt{{pkg: d.pkg()}}
	}
	for i, pkg := range b.house.around(d.pkg()) {
		verb := b.script(pkg, d.file)
		if verb != "" && (!b.near || slices.Contains(b.house.importers[d.pkg()], pkg)) {
			all = append(all, attempt{pkg: pkg, script: verb})
		}
		if i == 0 || !b.near {
			all = append(all, attempt{pkg: pkg, short: true})
		}
	}
	for k, pkg := range []string{d.pkg(), path.Dir(d.pkg())} {
		if !b.near && b.shortens(pkg) && (k == 0 || slices.Contains(b.house.importers[d.pkg()], pkg)) {
			all = append(all, attempt{pkg: pkg})
		}
	}
	for _, pkg := range b.house.around(d.pkg()) {
		if !b.near && b.shortens(pkg) && !slices.Contains(all, attempt{pkg: pkg}) {
			all = append(all, attempt{pkg: pkg, last: true})
		}
	}
	return all
}

// script returns the script of a package that runs what is in a file, by its name: what is in
// comparetwo.go is run by compare.txtar. It returns an empty string if none does.
func (b *bench) script(pkg, file string) (verb string) {
	files, _ := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(pkg), "testdata", "script",
		"*.txtar"))
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		if strings.HasPrefix(path.Base(file), name) && len(name) > len(verb) {
			verb = name
		}
	}
	return verb
}

// shortens reports whether some test of a package is shortened.
func (b *bench) shortens(pkg string) bool {
	files, _ := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(pkg), "*_test.go"))
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), "testing.Short()") {
			return true
		}
	}
	return false
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// test runs the tests of a package with these flags.
func (b *bench) test(ctx context.Context, pkg string, short bool, flags ...string) (verdict,
	error) {
	args := append([]string{"test", "-vet=off", fmt.Sprintf("-short=%v", short),
		fmt.Sprintf("-timeout=%v", b.timeout)}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = b.root
	// go test ends the tests, too
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	v := verdict{Outcome: survived, output: string(out)}
	if cmd.ProcessState != nil {
		v.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return v, ctx.Err()
	case err == nil:
		return v, nil
	case !errors.As(err, &exit):
		return v, err
	}
	v.Package, v.Outcome = pkg, killed
	switch {
	case strings.Contains(v.output, "[build failed]"), strings.Contains(v.output, "[setup failed]"):
		v.Outcome = broken
	case strings.Contains(v.output, "panic: test timed out after"):
		v.Outcome = late
	}
	for _, m := range failed.FindAllStringSubmatch(v.output, -1) {
		v.Tests = append(v.Tests, m[1])
	}
	return v, nil
}
