//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ocobench/internal/long"
)

// A lab has the copy of the tree with all defects, and the binaries of its tests, which are
// built when they are needed. Each test of a package that is needed is run once for itself, without
// a defect: then it is known which defects it reaches, how long it takes, and whether it passes.
// That is kept in the user's cache, under a digest of the copy.
type lab struct {
	root    string // of the copy
	dir     string // binaries
	temp    string // for temporary files
	house   *house
	defects *schemata
	workers int
	timeout time.Duration
	cache   string

	seats               chan *seat
	compiler            sync.Mutex // builds that share packages, one after the other
	mu                  sync.Mutex
	binaries            map[string]func() (string, error)
	records             map[attempt]func() ([]test, error)
	ask                 map[string]int // how many defects ask first for the tests of a package
	building, recording atomic.Int64   // how much CPU
}

// A test is what is known of a test of a package, or of a script of TestScripts.
type test struct {
	Name       string
	Clock, CPU time.Duration
	Reach      []int `json:",omitempty"` // which defects
	Fails      bool  `json:",omitempty"` // without any
}

// An attempt is how the tests of a package are run.
type attempt struct {
	pkg   string
	short bool
}

// newLab makes the copy in a directory.
func newLab(ctx context.Context, dir string, o options, defects []defect,
	broken map[int]bool) (*lab, error) {
	l := &lab{root: filepath.Join(dir, "tree"), dir: filepath.Join(dir, "bin"), workers: o.workers,
		timeout: o.timeout, seats: make(chan *seat, o.workers),
		binaries: make(map[string]func() (string, error)),
		records:  make(map[attempt]func() ([]test, error)), ask: make(map[string]int)}
	var err error
	if l.house, err = survey(ctx, "."); err != nil {
		return nil, err
	}
	for _, d := range defects {
		l.ask[l.house.first(d.pkg())]++
	}
	if err = copyTree(ctx, ".", l.root); err != nil {
		return nil, err
	}
	if l.defects, err = newSchemata(l.root, l.house.module, defects, broken); err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = dir
	}
	sum, err := digest(l.root)
	if err != nil {
		return nil, err
	}
	l.cache = filepath.Join(cache, "ocobench-mutants", sum)
	long.InMemory()
	if l.temp, err = os.MkdirTemp("", "mutants-"); err != nil {
		return nil, err
	}
	for i := range o.workers {
		s := &seat{filepath.Join(l.temp, strconv.Itoa(i))}
		if err := os.MkdirAll(filepath.Join(s.dir, "tmp"), 0o777); err != nil {
			return nil, err
		}
		l.seats <- s
	}
	return l, nil
}

// digest is of all files of a tree.
func digest(root string) (string, error) {
	h := fnv.New64a()
	fmt.Fprintln(h, runtime.Version(), os.Getenv("OCOBENCH_TESTS"))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", strings.TrimPrefix(path, root), len(text))
		h.Write(text)
		return err
	})
	return fmt.Sprintf("%016x", h.Sum64()), err
}

// A binary is of the tests of a package in a tree.
type binary struct{ root, pkg, file string }

// sound is the binary of a package with all defects, which is built once.
func (l *lab) sound(ctx context.Context, pkg string) (binary, error) {
	b := binary{l.root, pkg, filepath.Join(l.dir, strings.ReplaceAll(pkg, "/", "_")+".test")}
	l.mu.Lock()
	build := l.binaries[pkg]
	if build == nil {
		build = sync.OnceValues(func() (string, error) {
			l.compiler.Lock()
			defer l.compiler.Unlock()
			return l.build(ctx, b)
		})
		l.binaries[pkg] = build
	}
	l.mu.Unlock()
	text, err := build()
	if err == nil && text != "" {
		err = fmt.Errorf("the tests of %s do not compile with all defects:\n%s", pkg, text)
	}
	return b, err
}

// build builds a binary, and returns what the compiler says against it.
func (l *lab) build(ctx context.Context, b binary) (text string, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", b.file,
		"./"+b.pkg)
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		l.building.Add(int64(cpu(cmd)))
	}
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.As(err, &exit) {
		return string(out), nil
	}
	return "", err
}

func cpu(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// A seat is where a test runs: a directory for its temporary files, below the file that says
// which defect is on.
type seat struct{ dir string }

// run runs tests in a seat that is free, with a defect, none, or in order to record.
func (l *lab) run(ctx context.Context, b binary, defect int, limit time.Duration,
	args ...string) (v verdict, reach []int, err error) {
	s := <-l.seats
	defer func() { l.seats <- s }()
	record, temp := filepath.Join(s.dir, "reach"), filepath.Join(s.dir, "tmp")
	text := strconv.Itoa(defect)
	if defect < 0 {
		text = "record " + record
	}
	if err := os.WriteFile(filepath.Join(s.dir, control), []byte(text), 0o666); err != nil {
		return v, nil, err
	}
	defer func() {
		os.RemoveAll(temp)
		err = errors.Join(err, os.MkdirAll(temp, 0o777))
	}()
	v, err = b.run(ctx, temp, limit, args...)
	if err != nil || defect >= 0 {
		return v, nil, err
	}
	list, err := os.ReadFile(record)
	os.Remove(record)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for line := range strings.FieldsSeq(string(list)) {
		k, bad := strconv.Atoi(line)
		reach, err = append(reach, k), errors.Join(err, bad)
	}
	slices.Sort(reach)
	return v, slices.Compact(reach), err
}

var failed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// run runs tests of the binary in the directory of the package, as go test does. After the time
// limit it ends them, and what they started.
func (b binary) run(ctx context.Context, temp string, limit time.Duration,
	args ...string) (v verdict, err error) {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// tests that wait give up some time before the end
	args = append([]string{"-test.paniconexit0",
		fmt.Sprintf("-test.timeout=%v", limit+30*time.Second)}, args...)
	cmd := exec.CommandContext(within, b.file, args...)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(b.pkg))
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "PWD="+cmd.Dir,
		"PATH="+filepath.Join(goroot(), "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	err = cmd.Run()
	v = verdict{Outcome: survived, Clock: time.Since(begun), output: out.String()}
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if cmd.ProcessState != nil {
		v.CPU = cpu(cmd)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return v, ctx.Err()
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return v, nil
	case within.Err() != nil:
		v.Outcome = late
	case errors.As(err, &exit):
		v.Outcome = killed
	default:
		return v, err
	}
	v.Package = b.pkg
	for _, m := range failed.FindAllStringSubmatch(v.output, -1) {
		v.Tests = append(v.Tests, m[1])
	}
	return v, nil
}

var goroot = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out))
})

// known returns what is known of the tests of a package, which are run for that if need be.
func (l *lab) known(ctx context.Context, a attempt) ([]test, error) {
	l.mu.Lock()
	get := l.records[a]
	if get == nil {
		get = sync.OnceValues(func() ([]test, error) { return l.record(ctx, a) })
		l.records[a] = get
	}
	l.mu.Unlock()
	return get()
}

// file is where the record of the tests of a package is kept.
func (l *lab) file(a attempt) string {
	name := strings.ReplaceAll(a.pkg, "/", "_")
	if a.short {
		name += "-short"
	}
	return filepath.Join(l.cache, name+".json")
}

// few is up to how many defects ask for the tests of a package, all of which are then run with each
// of them, since that is cheaper than to learn what each test does.
const few = 2

// rare reports whether few defects ask for the tests of a package, and nothing is known of these.
func (l *lab) rare(a attempt) bool {
	_, err := os.Stat(l.file(a))
	return err != nil && l.ask[a.pkg] <= few
}

// record runs each test of a package for itself.
func (l *lab) record(ctx context.Context, a attempt) (all []test, err error) {
	if text, err := os.ReadFile(l.file(a)); err == nil {
		return all, json.Unmarshal(text, &all)
	}
	b, err := l.sound(ctx, a.pkg)
	if err != nil {
		return nil, err
	}
	names, err := l.tests(ctx, b)
	if err != nil {
		return nil, err
	}
	all = make([]test, len(names))
	errs := make([]error, len(names))
	next := make(chan int)
	var wg sync.WaitGroup
	for range l.workers {
		wg.Go(func() {
			for i := range next {
				all[i], errs[i] = l.watch(ctx, b, names[i], a.short)
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var spent time.Duration
	for _, t := range all {
		spent += t.CPU
		if t.Fails {
			fmt.Printf("left out, since it fails without a defect: %s of %s\n", t.Name, a.pkg)
		}
	}
	fmt.Printf("recorded: %d tests of %s, %.0f s of CPU\n", len(all), a.pkg, spent.Seconds())
	text, err := json.Marshal(all)
	if err := errors.Join(err, os.MkdirAll(l.cache, 0o777)); err != nil {
		return nil, err
	}
	return all, os.WriteFile(l.file(a), text, 0o666)
}

// watch runs a test without a defect. One that fails gets a second chance.
func (l *lab) watch(ctx context.Context, b binary, name string, short bool) (t test, err error) {
	t.Name = name
	for range 2 {
		v, reach, err := l.run(ctx, b, -1, l.timeout, pattern(name), fmt.Sprintf("-test.short=%v", short))
		if err != nil {
			return t, err
		}
		l.recording.Add(int64(v.CPU))
		t.Clock, t.CPU, t.Reach, t.Fails = v.Clock, v.CPU, reach, v.Outcome != survived
		if !t.Fails {
			break
		}
	}
	return t, nil
}

// scripts is the test whose subtests are run for themselves, one of each script in
// testdata/script.
const scripts = "TestScripts"

// tests are the names of the tests of a binary, and of its scripts.
func (l *lab) tests(ctx context.Context, b binary) (names []string, err error) {
	v, _, err := l.run(ctx, b, 0, l.timeout, "-test.list=^(Test|Example|Fuzz)")
	if err != nil || v.Outcome != survived {
		return nil, errors.Join(err, fmt.Errorf("tests of %s are not listed: %s", b.pkg, v.output))
	}
	for name := range strings.FieldsSeq(v.output) {
		files, err := filepath.Glob(filepath.Join(b.root, b.pkg, "testdata", "script", "*.txtar"))
		if err != nil {
			return nil, err
		}
		if name != scripts || len(files) == 0 {
			names = append(names, name)
			continue
		}
		for _, f := range files {
			names = append(names, scripts+"/"+strings.TrimSuffix(filepath.Base(f), ".txtar"))
		}
	}
	return names, nil
}

// pattern is the flag that runs tests of these names, which are all scripts or none.
func pattern(names ...string) string {
	prefix, rest := "-test.run=^(", slices.Clone(names)
	if strings.HasPrefix(names[0], scripts+"/") {
		prefix = "-test.run=^" + scripts + "$/^("
		for i, name := range names {
			rest[i] = strings.TrimPrefix(name, scripts+"/")
		}
	}
	return prefix + strings.Join(rest, "|") + ")$"
}
