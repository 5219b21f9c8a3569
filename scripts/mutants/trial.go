//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
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
	Unrun  bool   `json:"unrun,omitempty"` // no test that was to be run reaches the statement
	Near   bool   `json:"near,omitempty"`  // with -near: other tests might kill it
	Quick  bool   `json:"quick,omitempty"` // the slow tests are still to come
	output string
}

// A bench is where one defect at a time is tried.
type bench struct {
	*lab
	near  bool   // only the first tests, shortened
	plain string // a copy of the tree for what is compiled for itself
}

// A group is tests of one package that are run in one process.
type group struct {
	attempt
	tests []string // empty: all
	limit time.Duration
	known bool          // they pass without a defect
	cpu   time.Duration // that they take without a defect, if it is known
}

// try runs tests with a defect until one fails: at first those that are near or quick, and then,
// with what came of these, the others.
func (b *bench) try(ctx context.Context, d defect, number int, before verdict) (v verdict,
	err error) {
	others := before.Quick
	v = verdict{ID: d.id(), Outcome: survived, Unrun: !others || before.Unrun, CPU: before.CPU,
		Near: b.near, Quick: !b.near && !others}
	if d.made != nil {
		v.Place, v.Rule = fmt.Sprintf("%s:%d %s", d.file, d.first, d.fn), d.rule
		v.Old, v.New = strings.TrimSpace(d.old), strings.TrimSpace(d.new)
	}
	begun := time.Now()
	defer func() { v.Clock = before.Clock + time.Since(begun) }()
	t := &trial{bench: b, number: number}
	if b.defects.compiled[number] {
		if err := t.plant(ctx, d); err != nil {
			return v, err
		}
		defer func() { err = errors.Join(err, t.unplant()) }()
	}
	for g, err := range b.groups(ctx, d, number, others) {
		if err != nil {
			return v, err
		}
		v.Unrun = v.Unrun && !g.known && !b.near // or nothing is known of what the tests reach
		run, err := t.attempt(ctx, g)
		v.CPU += run.CPU
		if err != nil || run.Outcome != survived {
			v.Outcome, v.Package, v.Tests, v.output, v.Short = run.Outcome, run.Package, run.Tests,
				run.output, g.short
			v.Script, v.Unrun, v.Quick = run.Script, false, false
			return v, err
		}
	}
	return v, nil
}

// groups are the tests that may notice a defect, in the order of their trial. First come those that
// take up to a second, of its package, then of the nearest ones that depend on it, and so on. What
// survives these meets the others, once all defects have met the first. If few defects ask for the
// tests of a package, all of these come first, shortened, at once. A defect that is compiled for
// itself meets all of its package first. With near it is these only, shortened, and the script of a
// verb. A script of a page is run only by the tests of its own package, in full.
func (b *bench) groups(ctx context.Context, d defect, number int,
	others bool) iter.Seq2[group, error] {
	return func(yield func(group, error) bool) {
		around := b.house.around(d.pkg())
		if len(around) == 0 || others && b.near {
			return
		}
		page := strings.HasSuffix(d.file, ".js")
		if b.near || page {
			around = around[:1]
		}
		first := attempt{around[0], b.near && !page}
		if !others {
			whole, alone := b.verb(d), b.rare(first)
			if alone {
				whole = append(whole, group{attempt: attempt{first.pkg, !page}, limit: b.timeout})
			}
			for _, g := range whole {
				if !yield(g, nil) {
					return
				}
			}
			if alone && b.near {
				return // these were all
			}
		}
		for _, s := range b.stages(around, first, number, others) {
			known, err := b.known(ctx, s.attempt)
			if err != nil {
				yield(group{}, err)
				return
			}
			for _, g := range divide(s.attempt, known, s.wanted) {
				if !yield(g, nil) {
					return
				}
			}
		}
	}
}

// verb is the script of a verb, which is near to it.
func (b *bench) verb(d defect) (all []group) {
	if !b.near {
		return nil
	}
	for _, pkg := range b.house.importers[d.pkg()] {
		if verb := b.script(pkg, d.file); verb != "" {
			g := group{attempt: attempt{pkg, false}, tests: []string{scripts + "/" + verb}, limit: b.timeout}
			all = append(all, g)
		}
	}
	return all
}

// A stage is some of the tests of a package.
type stage struct {
	attempt
	wanted func(test) bool
}

// quick is how much CPU a test takes at most that is run before slow ones.
const quick = time.Second / 2

// stages are the tests of the packages that reach a defect.
func (b *bench) stages(around []string, first attempt, number int, others bool) (all []stage) {
	compiled, everywhere := b.defects.compiled[number], b.defects.everywhere[number]
	for _, slow := range []bool{false, true} {
		for i, pkg := range around {
			a := attempt{pkg, false}
			now := slow
			if i == 0 {
				a = first
			}
			if b.near {
				now = false
			} else if compiled && len(around) > 1 { // each build is dear
				now = i > 0
			}
			if now != others {
				continue
			}
			all = append(all, stage{a, func(t test) bool {
				return !t.Fails && (i == 0 && everywhere || slices.Contains(t.Reach, number)) &&
					slow == (t.CPU > quick)
			}})
		}
	}
	return all
}

// divide makes groups of tests, the quickest first: quick ones that take up to a second together,
// and slow ones, which may share what they build. A script is one of its own.
func divide(a attempt, known []test, wanted func(test) bool) (all []group) {
	known = slices.DeleteFunc(slices.Clone(known), func(t test) bool { return !wanted(t) })
	slices.SortStableFunc(known, func(x, y test) int { return cmp.Compare(x.CPU, y.CPU) })
	script := func(t test) bool { return strings.HasPrefix(t.Name, scripts+"/") }
	var whole time.Duration
	for i, t := range known {
		whole += t.CPU
		if i == 0 || script(t) || script(known[i-1]) || t.CPU <= quick && whole > time.Second {
			all = append(all, group{attempt: a, limit: 20 * time.Second, known: true})
			whole = t.CPU
		}
		g := &all[len(all)-1]
		g.tests = append(g.tests, t.Name)
		g.limit += 10 * t.Clock
		g.cpu += t.CPU
	}
	return all
}

// A trial is of one defect. One that is compiled for itself has its own binaries.
type trial struct {
	*bench
	number int
	file   string // that has the defect
	text   []byte // of the file without it
	built  map[string]binary
}

// plant puts the defect into the plain copy.
func (t *trial) plant(ctx context.Context, d defect) (err error) {
	if _, err := os.Stat(t.plain); err != nil {
		if err := copyTree(ctx, ".", t.plain); err != nil {
			return err
		}
	}
	text, defective, err := d.apply(t.plain)
	if err != nil {
		return err
	}
	t.file, t.text = filepath.Join(t.plain, filepath.FromSlash(d.file)), text
	t.built = make(map[string]binary)
	return os.WriteFile(t.file, defective, 0o666)
}

func (t *trial) unplant() error {
	for _, b := range t.built {
		os.Remove(b.file)
	}
	return os.WriteFile(t.file, t.text, 0o666)
}

// defective is the binary of a package with the defect. The text is what the compiler says against
// it.
func (t *trial) defective(ctx context.Context, pkg string) (b binary, text string, err error) {
	if t.file == "" {
		b, err = t.sound(ctx, pkg)
		return b, "", err
	}
	b, built := t.built[pkg]
	if !built {
		b = binary{t.plain, pkg, filepath.Join(t.plain+".bin", strings.ReplaceAll(pkg, "/", "_"))}
		text, err = t.build(ctx, b)
		t.built[pkg] = b
	}
	return b, text, err
}

// attempt runs tests until one fails. To confirm it, tests that fail are run once more; those
// that then pass failed of the load of the machine, and the others go on without them. So they do
// without those that fail without the defect too.
func (t *trial) attempt(ctx context.Context, g group) (v verdict, err error) {
	b, text, err := t.defective(ctx, g.pkg)
	if text != "" {
		return verdict{Outcome: broken, Package: g.pkg, output: text}, nil
	}
	if err != nil {
		return v, err
	}
	base := []string{fmt.Sprintf("-test.short=%v", g.short), "-test.failfast"}
	if len(g.tests) > 0 {
		base = append(base, pattern(g.tests...))
	}
	var spent time.Duration
	run := func(b binary, defect int, args []string) (v verdict, err error) {
		v, _, err = t.run(ctx, b, defect, g.limit, args...)
		spent += v.CPU
		v.CPU = spent
		return v, err
	}
	args := base
	for void := []string(nil); ; {
		v, err = run(b, t.number, args)
		if err != nil || v.Outcome == survived {
			return v, err
		}
		only := base
		if len(v.Tests) > 0 && (len(g.tests) == 0 || !strings.Contains(g.tests[0], "/")) {
			only = append(slices.Clone(base), pattern(v.Tests...))
		}
		again, err := run(b, t.number, only)
		if err != nil {
			return again, err
		}
		if again.Outcome != survived && !g.known {
			sound, err := t.sound(ctx, g.pkg)
			if err != nil {
				return v, err
			}
			without, err := run(sound, 0, only)
			if err != nil {
				return v, err
			}
			if without.Outcome != survived {
				again.Outcome = survived
			}
		}
		v.CPU = spent
		if again.Outcome != survived {
			if len(g.tests) == 1 && strings.Contains(g.tests[0], "/") {
				_, v.Script, _ = strings.Cut(g.tests[0], "/")
			}
			return v, nil
		}
		if len(v.Tests) == 0 || slices.Equal(v.Tests, []string{scripts}) {
			v.Outcome = survived // it is not known which test it was
			return v, nil
		}
		void = append(void, v.Tests...)
		args = append(slices.Clone(base), "-test.skip=^("+strings.Join(void, "|")+")$")
	}
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
