//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// tiny is an experiment of a few cells; broken has a learner that fails, for the damage
// of failures.
const (
	tiny = `name: tiny
horizon: 60
replicates: 2
problems: [{use: iid, dim: 2}]
algorithms: [{use: ogd}, {use: primal-dual}]
`
	broken = `name: tiny
horizon: 60
replicates: 2
assumptions: ignore
problems: [{use: iid, dim: 2}]
algorithms: [{use: ogd}, {use: panics-act}]
`
)

// harm is something that is done to a file: by do, or by text, which returns the new content. It
// may use another file of the same kind.
type harm struct {
	name string
	do   func(t *trial, path, other string) error
	text func(t *trial, data []byte, other []byte) []byte
	// newer is set if a newer program seems to have written the file, which is then refused, and
	// stays.
	newer bool
	// denied is set if the program has to run without the rights of root.
	denied bool
	// absent is set if nothing is left in the place of the file.
	absent bool
}

// harms lists all that is done to a file.
var harms = []harm{
	{name: "a flipped bit", text: func(t *trial, data, _ []byte) []byte {
		data[t.rand.IntN(len(data))] ^= 1 << t.rand.IntN(8)
		return data
	}},
	{name: "a flipped bit in its digest", text: func(t *trial, data, _ []byte) []byte {
		data[len(data)-2-t.rand.IntN(64)] ^= 1
		return data
	}},
	{name: "a block of garbage", text: func(t *trial, data, _ []byte) []byte {
		for i := range data[len(data)/3 : len(data)/2] {
			data[len(data)/3+i] = byte(t.rand.Uint32())
		}
		return data
	}},
	{name: "a block of NUL", text: func(t *trial, data, _ []byte) []byte {
		clear(data[len(data)/2:])
		return data
	}},
	{name: "garbage", text: func(t *trial, data, _ []byte) []byte {
		for i := range data {
			data[i] = byte(t.rand.Uint32())
		}
		return data
	}},
	{name: "NUL", text: func(_ *trial, data, _ []byte) []byte { clear(data); return data }},
	{name: "empty", text: func(*trial, []byte, []byte) []byte { return nil }},
	{name: "cut short", text: func(t *trial, data, _ []byte) []byte {
		return data[:t.rand.IntN(len(data))]
	}},
	{name: "cut before the last byte", text: func(_ *trial, data, _ []byte) []byte {
		return data[:len(data)-1]
	}},
	{name: "without its digest", text: func(_ *trial, data, _ []byte) []byte {
		return withoutDigest(data)
	}},
	{name: "a byte more", text: func(_ *trial, data, _ []byte) []byte { return append(data, '\n') }},
	{name: "junk at the end", text: func(_ *trial, data, _ []byte) []byte {
		return append(data, "junk\n"...)
	}},
	{name: "a mark of byte order", text: func(_ *trial, data, _ []byte) []byte {
		return append([]byte("\xef\xbb\xbf"), data...)
	}},
	{name: "CRLF", text: func(_ *trial, data, _ []byte) []byte {
		return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	}},
	{name: "a line twice", text: func(t *trial, data, _ []byte) []byte {
		lines := slices.Collect(bytes.Lines(data))
		k := t.rand.IntN(len(lines))
		return bytes.Join(slices.Insert(lines, k, lines[k]), nil)
	}},
	{name: "a line less", text: func(t *trial, data, _ []byte) []byte {
		lines := slices.Collect(bytes.Lines(data))
		k := t.rand.IntN(len(lines))
		return bytes.Join(slices.Delete(lines, k, k+1), nil)
	}},
	{name: "lines in another order", text: func(_ *trial, data, _ []byte) []byte {
		lines := slices.Collect(bytes.Lines(data))
		slices.Reverse(lines)
		return bytes.Join(lines, nil)
	}},
	{name: "twice", text: func(_ *trial, data, _ []byte) []byte { return append(data, data...) }},
	{name: "another file of its kind", text: func(_ *trial, _, other []byte) []byte { return other }},
	{name: "a link to another file", do: func(_ *trial, path, other string) error {
		return replace(path, func() error { return os.Symlink(other, path) })
	}},
	{name: "an older format", text: func(_ *trial, data, _ []byte) []byte {
		return withVersion(data, "0")
	}},
	{name: "a newer format", newer: true, text: func(_ *trial, data, _ []byte) []byte {
		return withVersion(data, "9")
	}},
	{name: "a format of another program", text: func(_ *trial, data, _ []byte) []byte {
		return withDigest(bytes.Replace(withoutDigest(data), []byte("ocobench"), []byte("another"), 1))
	}},
	{name: "the wrong name", do: func(_ *trial, path, _ string) error {
		base := []byte(filepath.Base(path))
		base[1] ^= 1
		return os.Rename(path, filepath.Join(filepath.Dir(path), string(base)))
	}, absent: true},
	{name: "a directory", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return os.Mkdir(path, 0o777) })
	}},
	{name: "a directory with a file", do: func(_ *trial, path, other string) error {
		return replace(path, func() error {
			return errors.Join(os.Mkdir(path, 0o777),
				os.Link(other, filepath.Join(path, filepath.Base(path))))
		})
	}},
	{name: "a link to itself", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return os.Symlink(filepath.Base(path), path) })
	}},
	{name: "a link to nothing", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return os.Symlink("nowhere", path) })
	}},
	{name: "a link to a directory", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return os.Symlink("..", path) })
	}},
	{name: "a link to a device", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return os.Symlink("/dev/zero", path) })
	}},
	{name: "a named pipe", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return syscall.Mkfifo(path, 0o666) })
	}},
	{name: "a socket", do: func(_ *trial, path, _ string) error {
		return replace(path, func() error { return syscall.Mknod(path, syscall.S_IFSOCK|0o666, 0) })
	}},
	{name: "a huge file", do: func(_ *trial, path, _ string) error {
		return os.Truncate(path, 1<<36)
	}},
	{name: "a file that may not be read",
		do: func(_ *trial, path, _ string) error { return os.Chmod(path, 0) }, denied: true},
}

// replace removes a file and makes something else.
func replace(path string, something func() error) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return something()
}

// withoutDigest returns a file without the line of its digest.
func withoutDigest(data []byte) []byte {
	return data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1]
}

// withDigest appends the line of the digest to the contents of a file.
func withDigest(data []byte) []byte { return fmt.Appendf(data, "sha256 %x\n", sha256.Sum256(data)) }

// withVersion returns a file with another version of its format, and the digest that belongs to
// that.
func withVersion(data []byte, version string) []byte {
	return withDigest(formats.ReplaceAll(withoutDigest(data), []byte("${1}"+version)))
}

// formats matches the name of a format and its version.
var formats = regexp.MustCompile(`(ocobench (?:cell|record|failure|cached analysis) )\d+`)

// A target is a kind of file.
type target struct {
	name     string
	base     *undisturbed
	globs    []string
	contains string // a text that is in the file
	isOutput bool   // whether every run writes it anew
}

// damage does every harm to a file of every target of a finished run. A damaged file must never be
// exported wrong; the next run must name it, set it aside, and compute it again.
func damage(r *rack) error {
	sound, err := r.runUndisturbedExpecting(0, "bench", tiny)
	if err != nil {
		return err
	}
	failing, err := r.runUndisturbedExpecting(3, "bad", broken)
	if err != nil {
		return err
	}
	targets := []target{
		{"a game", sound, []string{"store/cells/*/*.cell"}, `"kind":"game"`, false},
		{"a hindsight", sound, []string{"store/cells/*/*.cell"}, `"kind":"hindsight"`, false},
		{"a record", sound, []string{"store/experiments/*.json"}, "", false},
		{"a failure", failing, []string{"store/cells/*/*.failed"}, "", false},
		{"an analysis", sound, []string{"store/analyses/*.analysis"}, "", false},
		{"an output", sound, []string{"out/tiny/analysis.json", "out/tiny/*/*"}, "", true},
	}
	type pair struct {
		target
		harm
	}
	var all []pair
	for i, h := range harms {
		for k, target := range targets {
			// An output has no digest, no format and no name that a run looks for.
			ofStoreOnly := h.newer || h.absent || strings.Contains(h.name, "digest") ||
				strings.Contains(h.name, "format")
			isChosen := !r.quick || (i+k)%6 == 0
			if isChosen && !(target.isOutput && ofStoreOnly) {
				all = append(all, pair{target, h})
			}
		}
	}
	if _, err := exec.LookPath("setpriv"); err != nil && os.Geteuid() == 0 {
		all = slices.DeleteFunc(all, func(p pair) bool { return p.denied })
		r.notes = append(r.notes, "setpriv is not on PATH: nothing is denied to root")
	}
	r.notes = append(r.notes, fmt.Sprintf("%d kinds", len(harms)))
	r.runTrials(len(all), func(i int) string { return all[i].target.name + ": " + all[i].harm.name },
		func(t *trial, i int) error {
			return all[i].harm.tryOn(t, all[i].target)
		})
	return nil
}

// A wound is a harm that was done to a file of a finished run.
type wound struct {
	harm    *harm
	target  target
	path    string
	program []string // the command line that starts bench, without its arguments
	harmed  tree     // the store with the harm
}

// name returns the base name of the file.
func (w *wound) name() string { return filepath.Base(w.path) }

// isCell reports whether the file is a cell.
func (w *wound) isCell() bool { return strings.HasSuffix(w.path, ".cell") }

// isFailure reports whether the file is the record of a failed cell.
func (w *wound) isFailure() bool { return strings.HasSuffix(w.path, ".failed") }

// isAnalysis reports whether the file is a cached analysis, which nothing needs and no export
// reads.
func (w *wound) isAnalysis() bool { return strings.HasSuffix(w.path, ".analysis") }

// isRecord reports whether the file is the record of an experiment in the store.
func (w *wound) isRecord() bool { return strings.HasSuffix(w.path, ".json") && !w.target.isOutput }

// tryOn does the harm to a file of a target, and checks an export and a run that follow.
func (h *harm) tryOn(t *trial, target target) error {
	if err := os.CopyFS(t.path("."), os.DirFS(target.base.dir)); err != nil {
		return err
	}
	path, other, err := target.choose(t)
	if err != nil {
		return err
	}
	if err := h.inflict(t, path, other); err != nil {
		return err
	}
	w := &wound{harm: h, target: target, path: path, program: h.command(t, target.base.program)}
	if w.harmed, err = readTree(t.path("store")); err != nil {
		return err
	}
	if err := w.checkExport(t); err != nil {
		return err
	}
	if h.newer && !w.isFailure() && !w.isAnalysis() {
		return w.checkRefusal(t)
	}
	return w.checkRepair(t)
}

// inflict harms the file.
func (h *harm) inflict(t *trial, path, other string) error {
	if h.do != nil {
		return h.do(t, path, other)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	another, err := os.ReadFile(other)
	if err != nil {
		return err
	}
	return os.WriteFile(path, h.text(t, data, another), 0o666)
}

// checkExport exports the store: no line is wrong, what is missing is said, a cell is named, and
// the store stays as it is.
func (w *wound) checkExport(t *trial) error {
	args := append(w.program[1:], "export", "--store", "store", "--out", "damaged.csv")
	p, err := t.run(w.program[0], args...)
	if err != nil {
		return err
	}
	// A non-zero exit code says that something is missing.
	loud, want := p.code() != 0, w.target.base.export
	if csv, err := os.ReadFile(t.path("damaged.csv")); err == nil {
		known := make(map[string]bool)
		for line := range strings.Lines(want) {
			known[line] = true
		}
		for line := range strings.Lines(string(csv)) {
			if !known[line] {
				return fmt.Errorf("the export has the line %q", line)
			}
		}
		if string(csv) != want && !loud {
			return errors.New("the export lacks lines, and nobody says it")
		}
	}
	if err := w.harmed.checkDir(t.path("store")); err != nil {
		return fmt.Errorf("the export changed the store: %w", err)
	}
	if w.isCell() && !w.harm.absent && (!loud || !strings.Contains(p.err.String(), w.name())) {
		return fmt.Errorf("the export does not name it: exit code %d: %s", p.code(), p.lastStderr())
	}
	return nil
}

// checkRefusal runs the experiment where a newer program wrote the file: the run says so, ends,
// and changes nothing.
func (w *wound) checkRefusal(t *trial) error {
	p, err := t.runExpecting(2, "bench", w.target.base.runArgs()...)
	if err != nil {
		return err
	}
	if !strings.Contains(p.err.String(), "newer program") {
		return fmt.Errorf("it does not say that the file is newer: %s", p.lastStderr())
	}
	return w.harmed.checkDir(t.path("store"))
}

// checkRepair runs the experiment: the run names the file, sets it aside, and computes it again,
// so that everything is as it was.
func (w *wound) checkRepair(t *trial) error {
	u := w.target.base
	if err := w.clear(t); err != nil {
		return err
	}
	p, err := t.runExpecting(u.code, w.program[0], append(w.program[1:], u.runArgs()...)...)
	if err != nil {
		return err
	}
	said := p.err.String()
	named := strings.Contains(said, w.name()+" is damaged") && strings.Contains(said, "set aside")
	if (w.isCell() || w.isRecord() || w.isAnalysis() && !w.harm.newer) && !w.harm.absent && !named {
		return fmt.Errorf("it is not named: %s", p.lastStderr())
	}
	got, err := readTree(t.path("store"))
	if err != nil {
		return err
	}
	aside, err := w.removeAsides(t, got)
	if err != nil {
		return err
	}
	// Outputs and records of failures are written over, and a newer analysis is left alone.
	isReplaced := w.target.isOutput || w.isFailure() || w.isAnalysis() && w.harm.newer
	if !aside && !isReplaced {
		return errors.New("it is not set aside")
	}
	return errors.Join(u.store.diff(got), u.out.checkDir(t.path("out")), u.checkExport(t))
}

// clear removes a directory where an output belongs. It may be the user's own: a run says
// that it is in the way, and leaves it there.
func (w *wound) clear(t *trial) error {
	if info, err := os.Lstat(w.path); err != nil || !info.IsDir() || !w.target.isOutput {
		return nil
	}
	p, err := t.runExpecting(2, "bench", w.target.base.runArgs()...)
	if err != nil {
		return err
	}
	if !strings.Contains(p.err.String(), w.name()+": is a directory") {
		return fmt.Errorf("it does not say what is in the way: %s", p.lastStderr())
	}
	return os.RemoveAll(w.path)
}

// removeAsides removes what was set aside from the tree of the store, and what lies under a wrong
// name, which no run touches, and reports whether there is any. What lies under a wrong name
// is removed from the store too, since a record is named as long as it is there.
func (w *wound) removeAsides(t *trial, got tree) (found bool, err error) {
	directories, err := filepath.Glob(w.path + ".damaged-*") // the tree has no directories
	if err != nil {
		return false, err
	}
	found = len(directories) > 0
	for _, file := range slices.Collect(maps.Keys(got)) {
		stray := w.harm.absent && w.harmed[file] != "" && w.target.base.store[file] == ""
		if stray {
			if err := os.Remove(t.path("store", file)); err != nil {
				return false, err
			}
		}
		if stray || strings.Contains(file, ".damaged-") {
			delete(got, file)
			found = true
		}
	}
	return found, nil
}

// command returns how the program is started.
func (h *harm) command(t *trial, program string) []string {
	path := filepath.Join(t.programs, program)
	if h.denied && os.Geteuid() == 0 {
		return []string{"/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search",
			"--inh-caps=-dac_override,-dac_read_search", path}
	}
	return []string{path}
}

// choose draws a file of the target, and returns another one of its kind too.
func (k *target) choose(t *trial) (path, other string, err error) {
	var files []string
	for _, glob := range k.globs {
		more, err := filepath.Glob(t.path(glob))
		if err != nil {
			return "", "", err
		}
		files = append(files, more...)
	}
	var fit []string
	for _, file := range files {
		if info, err := os.Lstat(file); err != nil || info.IsDir() {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return "", "", err
		}
		if strings.Contains(string(data), k.contains) {
			fit = append(fit, file)
		}
	}
	if len(fit) == 0 {
		return "", "", fs.ErrNotExist
	}
	n := t.rand.IntN(len(fit))
	path = fit[n]
	if other = fit[(n+1)%len(fit)]; other != path {
		return path, other, nil
	}
	// The record of another experiment: the bytes of this one, of another name.
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	other = t.path("tmp-other")
	return path, other, os.WriteFile(other,
		withDigest(bytes.ReplaceAll(withoutDigest(data), []byte("tiny"), []byte("huge"))), 0o666)
}
