package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Which lines the tests of a package run, shortened or in full, is measured once, with a coverage
// profile of the whole module, and kept in a directory under a digest of the Go files of the
// packages that the tests depend on. A profile has the processes too that the tests start of
// themselves.

// A span is a stretch of a file, from its first place to the one after its last.
type span struct{ from, to place }

// A profile is what the tests of one package run.
type profile struct {
	known   map[string][]span // of each file, all code of functions
	covered map[string][]span // what ran
	failed  bool              // it is not measured: nothing is known
}

// A coverage has the profiles, measured when they are asked for.
type coverage struct {
	root    string
	dir     string // where profiles are kept
	timeout time.Duration
	mu      sync.Mutex
	all     map[attempt]*profile
}

// runs reports whether the tests of an attempt may run the place of the defect. Code
// outside of functions is always run, and so are scripts.
func (c *coverage) runs(ctx context.Context, h *house, a attempt, d defect) (bool, error) {
	if d.made == nil || !strings.HasSuffix(d.file, ".go") {
		return true, nil
	}
	p, err := c.of(ctx, h, attempt{pkg: a.pkg, short: a.short})
	if err != nil || p.failed {
		return true, err
	}
	within := func(s span) bool { return !d.at.before(s.from) && d.at.before(s.to) }
	return !slices.ContainsFunc(p.known[d.file], within) ||
		slices.ContainsFunc(p.covered[d.file], within), nil
}

func (a place) before(b place) bool {
	return a.line < b.line || a.line == b.line && a.column < b.column
}

// of returns the profile of the tests of a package.
func (c *coverage) of(ctx context.Context, h *house, a attempt) (*profile, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.all[a]; p != nil {
		return p, nil
	}
	digest, err := h.digest(c.root, a.pkg)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.dir, strings.ReplaceAll(a.pkg, "/", "_")+"-"+digest)
	if !a.short {
		file += "-full"
	}
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if err := c.measure(ctx, a, file); err != nil {
			return nil, err
		}
	}
	p, err := readProfile(file, h.module)
	if err == nil {
		c.all[a] = p
	}
	return p, err
}

// measure runs the tests of a package, and writes what they cover into a file, unless they
// do not end. A test that fails covers lines too.
func (c *coverage) measure(ctx context.Context, a attempt, file string) error {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "cover-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	out := filepath.Join(work, "profile")
	cmd := exec.CommandContext(ctx, "go", "test", fmt.Sprintf("-short=%v", a.short), "-vet=off",
		"-coverpkg=./...", "-coverprofile="+out, fmt.Sprintf("-timeout=%v", c.timeout), "./"+a.pkg)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+work)
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	all, missing := os.ReadFile(out)
	switch {
	case err != nil && missing == nil:
		fmt.Fprintf(os.Stderr, "mutants: tests of %s fail while their coverage is measured:\n%s", a.pkg,
			text)
	case missing != nil:
		fmt.Fprintf(os.Stderr, "mutants: the coverage of %s is not measured: %v\n%s", a.pkg, err, text)
		return nil
	}
	// what processes of the tests wrote
	if counters, _ := filepath.Glob(filepath.Join(work, "covcounters.*")); counters != nil {
		more := filepath.Join(work, "more")
		cmd := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+work, "-o="+more)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go tool covdata: %w\n%s", err, text)
		}
		rest, err := os.ReadFile(more)
		if err != nil {
			return err
		}
		all = append(all, rest...)
	}
	part := file + ".part"
	return errors.Join(os.WriteFile(part, all, 0o666), os.Rename(part, file))
}

// readProfile reads a coverage profile of a module.
func readProfile(file, module string) (*profile, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return &profile{failed: true}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &profile{known: make(map[string][]span), covered: make(map[string][]span)}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, rest, ok := strings.Cut(lines.Text(), ":")
		if !ok || name == "mode" {
			continue
		}
		var s span
		var statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &s.from.line, &s.from.column, &s.to.line,
			&s.to.column, &statements, &count); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, lines.Text(), err)
		}
		name = strings.TrimPrefix(name, module+"/")
		p.known[name] = append(p.known[name], s)
		if count > 0 {
			p.covered[name] = append(p.covered[name], s)
		}
	}
	return p, lines.Err()
}

// digest is of the Go files of all packages that the tests of a package depend on.
func (h *house) digest(root, pkg string) (string, error) {
	sum := fnv.New64a()
	for p := range h.importers {
		slices.Sort(h.importers[p])
	}
	var below []string
	for p := range h.tested {
		if p == pkg || slices.Contains(h.above(p), pkg) {
			below = append(below, p)
		}
	}
	slices.Sort(below)
	for _, p := range below {
		files, err := filepath.Glob(filepath.Join(root, p, "*.go"))
		if err != nil {
			return "", err
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") && p != pkg {
				continue
			}
			f, err := os.Open(name)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%s ", path.Join(p, filepath.Base(name)))
			_, err = io.Copy(sum, f)
			if err := errors.Join(err, f.Close()); err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%016x", sum.Sum64()), nil
}

// above are the packages that depend on a package, itself among them.
func (h *house) above(pkg string) []string {
	all := []string{pkg}
	seen := map[string]bool{pkg: true}
	for i := 0; i < len(all); i++ {
		for _, p := range h.importers[all[i]] {
			if !seen[p] {
				seen[p] = true
				all = append(all, p)
			}
		}
	}
	return all
}
