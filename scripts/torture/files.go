//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A fileTrial tries a way into the program or the store that is no cell, no experiment and no SPEC:
// an archive, a place of the store where something else is, a damaged pack, the memory that
// input asks for, a process that outlives its game.
type fileTrial struct {
	name string
	try  func(t *trial, u *undisturbed) error
}

// files runs the trials of type fileTrial, in a directory with the store of a finished run.
func files(r *rack) error {
	u, err := r.runUndisturbedExpecting(0, "bench", tiny)
	if err != nil {
		return err
	}
	t := &trial{rack: r, dir: u.dir}
	_, err = t.runExpecting(0, "bench", "export", "--store", "store", "--archive", "a.ocobench")
	if err != nil {
		return err
	}
	text, err := unarchived(t.path("a.ocobench"))
	if err != nil {
		return err
	}
	var all []fileTrial
	add := func(n int, name string, try func(*trial, *undisturbed) error) {
		for k := range n {
			all = append(all, fileTrial{fmt.Sprintf("%s, %d", name, k+1), try})
		}
	}
	add(r.trials(150, 25), "an archive that was changed", func(t *trial, _ *undisturbed) error {
		mutant := text
		for range 1 + t.rand.IntN(2) {
			all := value.FindAllStringIndex(mutant, -1)
			p := all[t.rand.IntN(len(all))]
			mutant = mutant[:p[0]] + values[t.rand.IntN(len(values))] + mutant[p[1]:]
		}
		return t.beside(sealed(mutant))
	})
	for name, data := range archiveBombs() {
		add(1, name, func(t *trial, _ *undisturbed) error { return t.beside(data) })
	}
	for _, place := range []string{"packs/x.zip", "packs/x.pack", "packs", "lock", "cells/XX",
		"analyses"} {
		for _, what := range slices.Sorted(maps.Keys(strays)) {
			if !r.quick || what == "a pipe" {
				add(1, what+" at "+place, func(t *trial, u *undisturbed) error {
					return u.tryStray(t, place, strays[what])
				})
			}
		}
	}
	add(r.trials(20, 4), "packs of a clock that is wrong", func(t *trial, u *undisturbed) error {
		return u.tryWrongClock(t)
	})
	add(r.trials(6, 2), "an end while a pack is written", func(t *trial, u *undisturbed) error {
		return u.tryUnfinished(t)
	})
	add(r.trials(6, 2), "a program that leaves its group", leavesGroup)
	add(r.trials(6, 2), "actions in a pipe, isolated", pipedActions)
	add(1, "more than the machine has", func(t *trial, _ *undisturbed) error { return askTooMuch(t) })
	r.runTrials(len(all), func(i int) string { return all[i].name }, func(t *trial, i int) error {
		if err := os.CopyFS(t.path("."), os.DirFS(u.dir)); err != nil {
			return err
		}
		return errors.Join(all[i].try(t, u), t.checkOrphans())
	})
	return nil
}

// value matches a value in JSON: a number, a text with the name before it or without, or a list of
// numbers.
var value = regexp.MustCompile(`-?[0-9.e-]+|"[^"]*"(:[0-9]+|:"[^"]*")?|\[[0-9.,e-]+\]|null|true`)

// values are put in the place of values of an archive, to damage it.
var values = []string{"null", "0", "-1", "1.5", "1e308", "99999999999", `""`, `"x"`, "[]", "{}",
	"[null]", "true", `"Infinity"`, `"x":1`, "", `"` + strings.Repeat("é", 5000) + `"`}

// unarchived returns the JSON of the experiments of an archive.
func unarchived(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	var a struct{ Experiments json.RawMessage }
	err = json.NewDecoder(z).Decode(&a)
	return string(a.Experiments), err
}

// sealed returns an archive of JSON of experiments, with the digest that belongs to it.
func sealed(experiments string) []byte {
	return zipped(fmt.Sprintf(`{"schema":"ocobench snapshot 1","experiments":%s,"digest":"sha256 %x"}`,
		experiments, sha256.Sum256([]byte(experiments))))
}

// zipped returns gzip of a text.
func zipped(text string) []byte { return zippedSpaces(text, 0) }

// zippedSpaces returns gzip of a text and n MiB of spaces. The spaces are never in memory at once,
// since the memory of this process counts for those that it starts.
func zippedSpaces(text string, n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	for range n {
		z.Write(spaces)
	}
	z.Close()
	return b.Bytes()
}

// archiveBombs returns archives that are small, and would take much memory or a deep stack to read.
func archiveBombs() map[string][]byte {
	many := func(n int, text string) string {
		return strings.TrimSuffix(strings.Repeat(text+",", n), ",")
	}
	begun := `{"analysis":{"schema":"ocobench analysis 9"`
	return map[string][]byte{
		"an archive of spaces":           zippedSpaces(`{"schema":`, 1024),
		"an archive of many experiments": sealed("[" + many(300_000, begun+"}}") + "]"),
		"an archive of many pairs": sealed("[" + begun + `,"pairs":[` + many(2_000_000,
			"{}") + "]}}]"),
		"an archive that is deep": sealed(strings.Repeat("[", 2_000_000)),
	}
}

// beside compares the experiment with an archive. The archive has to be taken or refused, within
// limits of time and memory.
func (t *trial) beside(archive []byte) error {
	if err := os.WriteFile(t.path("m.ocobench"), archive, 0o666); err != nil {
		return err
	}
	p := t.command("bench", "report", "tiny", "--store", "store", "--beside", "m.ocobench", "--out",
		"x.html")
	interrupted, err := p.runBounded(timeLimit)
	if err == nil && interrupted {
		err = errors.New("it takes long")
	}
	return errors.Join(err, p.checkBehaviour(interrupted))
}

// strays makes what else can be where the store has a file or a folder.
var strays = map[string]func(path string) error{
	"a file":            func(path string) error { return os.WriteFile(path, []byte("x"), 0o666) },
	"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o666) },
	"a link to nothing": func(path string) error { return os.Symlink("nowhere", path) },
	"a link to itself":  func(path string) error { return os.Symlink(filepath.Base(path), path) },
	"a device":          func(path string) error { return os.Symlink("/dev/zero", path) },
	"a socket": func(path string) error {
		return syscall.Mknod(path, syscall.S_IFSOCK|0o666, 0)
	},
}

// tryStray puts something into a place of the store. No verb waits, no line of the export is wrong,
// and a run leaves all cells as they were.
func (u *undisturbed) tryStray(t *trial, place string, spoil func(string) error) error {
	if strings.HasSuffix(place, "XX") {
		folders, err := filepath.Glob(t.path("store/cells/??"))
		if err != nil {
			return err
		}
		place = "cells/" + filepath.Base(folders[t.rand.IntN(len(folders))])
	}
	path := t.path("store", place)
	err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o777), spoil(path))
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"store", "ls", "--store", "store"},
		{"status", "--store", "store"}, {"verify", "--store", "store", "--sample", "1"},
		{"store", "gc", "--store", "store"}} {
		p := t.command("bench", args...)
		if err := p.start(); err != nil {
			return err
		}
		if err := p.wait(timeLimit); err != nil {
			return err
		}
		if code := p.code(); code != 0 && code != refusedCode && code != 3 {
			return fmt.Errorf("%s: exit code %d: %s", strings.Join(args, " "), code, p.lastStderr())
		}
	}
	if _, err := t.runExpecting(0, "bench", u.runArgs()...); err != nil {
		return err
	}
	got, err := readTree(t.path("store"))
	if err != nil {
		return err
	}
	for name := range u.store {
		if strings.HasPrefix(name, "cells/") && got[name] != u.store[name] {
			return fmt.Errorf("%s is not as it was", name)
		}
	}
	return errors.Join(u.out.checkDir(t.path("out")), u.checkExport(t))
}

// tryWrongClock packs the cells into a pack of the year 9999, and damages it anywhere. What is
// damaged is computed again, and packed again; the export is whole then, and nothing of it is
// damaged.
func (u *undisturbed) tryWrongClock(t *trial) error {
	if _, err := t.runExpecting(0, "bench", "store", "pack", "--store", "store"); err != nil {
		return err
	}
	first, err := filepath.Glob(t.path("store/packs/*.zip"))
	if err != nil || len(first) != 1 {
		return fmt.Errorf("packs %v, %v", first, err)
	}
	ahead := t.path("store/packs/99991231T235959.999999999-ffffffff.zip")
	if err := os.Rename(first[0], ahead); err != nil {
		return err
	}
	data, err := os.ReadFile(ahead)
	if err != nil {
		return err
	}
	for range 1 + t.rand.IntN(3) {
		data[t.rand.IntN(len(data))] ^= 1 << t.rand.IntN(8)
	}
	if err := os.WriteFile(ahead, data, 0o666); err != nil {
		return err
	}
	for range 2 {
		if _, err := t.runExpecting(0, "bench", u.runArgs()...); err != nil {
			return err
		}
		if _, err := t.runExpecting(0, "bench", "store", "pack", "--store", "store"); err != nil {
			return err
		}
		p, err := t.runExpecting(0, "bench", "export", "--store", "store", "--out", "all.csv")
		if err != nil {
			return err
		}
		if bytes.Contains(p.err.Bytes(), []byte("damaged")) {
			return fmt.Errorf("what was computed again is damaged: %s", p.lastStderr())
		}
	}
	return u.checkExport(t)
}

// tryUnfinished runs bench run, gc or pack on a store in which a writer that was killed has left a
// temporary file. The command has to remove it.
func (u *undisturbed) tryUnfinished(t *trial) error {
	verbs := [][]string{u.runArgs(), {"store", "gc", "--yes", "--store", "store"},
		{"store", "pack", "--store", "store"}}
	args := verbs[t.rand.IntN(len(verbs))]
	if err := os.MkdirAll(t.path("store/packs"), 0o777); err != nil {
		return err
	}
	temp := t.path(fmt.Sprintf("store/packs/.tmp-ocobench-%016x", t.rand.Uint64()))
	if err := os.WriteFile(temp, make([]byte, 1<<20), 0o666); err != nil {
		return err
	}
	if _, err := t.runExpecting(0, "bench", args...); err != nil {
		return err
	}
	if _, err := os.Stat(temp); err == nil {
		return fmt.Errorf("%s leaves the temporary file", strings.Join(args, " "))
	}
	return u.checkExport(t)
}

// leavesGroup plays a program that starts another in a session of its own, and hangs: its cell
// fails, and nothing goes on.
func leavesGroup(t *trial, _ *undisturbed) error {
	text := "name: left\n" + goodHead + "algorithms: [{use: mine}, {use: ogd}]\n"
	declaration := `{"protocol":1,"name":"mine","feedback":"FO","anytime":true}`
	program := "n=0\nwhile read -r line; do\nn=$((n+1))\ncase $line in\n*'\"initialize\"'*) " +
		"echo '{\"jsonrpc\":\"2.0\",\"id\":'$n',\"result\":" + declaration + "}' ;;\n" +
		"*) setsid sh -c 'setsid sleep 1000 & sleep 1000' & sleep 1000 ;;\nesac\ndone\n"
	if err := errors.Join(t.write("left.yaml", text), t.write("left.sh", program)); err != nil {
		return err
	}
	args := []string{"run", "left.yaml", "--store", "left", "--out", "out", "--external",
		"mine=sh left.sh", "--external-timeout", "300ms"}
	if t.rand.IntN(2) == 0 {
		args = append(args, "--isolate")
	}
	p, err := t.runExpecting(3, "bench", args...)
	if err == nil && !strings.Contains(p.err.String(), "not answered") {
		err = fmt.Errorf("it does not say that it is not answered: %s", p.lastStderr())
	}
	return err
}

// pipedActions plays the actions of a pipe in workers: they are read once. One in two runs is
// ended before there is a writer, and leaves nothing.
func pipedActions(t *trial, _ *undisturbed) error {
	p, err := t.runExpecting(0, "bench", "play", "--algorithm", "ogd", "--problem", "iid:dim=2",
		"--horizon", "200")
	if err != nil {
		return err
	}
	text := "name: piped\n" + goodHead + "algorithms: [{use: mine}, {use: ogd}]\n"
	if err := errors.Join(t.write("piped.yaml", text),
		syscall.Mkfifo(t.path("actions"), 0o666)); err != nil {
		return err
	}
	run := t.command("bench", "run", "piped.yaml", "--store", "piped", "--out", "out", "--actions",
		"mine=actions", "--isolate")
	if err := run.start(); err != nil {
		return err
	}
	if t.rand.IntN(2) == 0 {
		run.waitFor(time.Duration(t.rand.IntN(300)) * time.Millisecond)
		run.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGKILL}[t.rand.IntN(2)])
		return run.wait(timeLimit)
	}
	if err := os.WriteFile(t.path("actions"), p.out.Bytes(), 0o666); err != nil {
		return err
	}
	if err := run.wait(longTime); err != nil {
		return err
	}
	if run.code() != 0 {
		return fmt.Errorf("exit code %d: %s", run.code(), run.lastStderr())
	}
	return nil
}

// askTooMuch asks for dimensions and a horizon beyond the memory. bench has to refuse, with a
// figure.
func askTooMuch(t *trial) error {
	const n = 10_000
	text := fmt.Sprintf(`{"domain":{"simplex":{"dim":%d,"scale":1}},"constraints":1}`+"\n"+
		`{"t":1,"loss":{"form":{"const":1}},"constraints":[{"form":{"const":-1}}]}`+"\n", n)
	if err := t.write("big.jsonl", text); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"hindsight", "--problem", "trace:file=big.jsonl", "--horizon", "1"},
		{"play", "--algorithm", "penalised-ftrl", "--problem", "trace:file=big.jsonl", "--horizon", "1"},
		{"hindsight", "--problem", "iid", "--horizon", "1000000000"},
	} {
		p := t.command("bench", args...)
		p.Env = append(p.Env, "GOMEMLIMIT=1GiB")
		interrupted, err := p.runBounded(timeLimit)
		if err == nil {
			err = p.checkBehaviour(interrupted)
		}
		if err == nil && (interrupted || p.code() != refusedCode || !strings.Contains(p.lastStderr(),
			" GB")) {
			err = fmt.Errorf("%s is not refused with a figure: %s", strings.Join(args, " "), p.lastStderr())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
