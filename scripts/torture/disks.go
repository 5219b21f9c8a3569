//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A disk is a small file system in memory that holds one of the directories of a run.
type disk struct {
	place    string // the directory: store, out or tmp
	size     int    // in KB, 0 for one that is read-only
	isolate  bool   // the run plays games in processes of their own
	complete bool   // before the run the store has all cells, and out all files
}

// disks runs the experiment where one directory is on a disk that is full or
// read-only. The run says so and ends with 2, or does not need the directory. With
// room again the same command finishes with what it should be. Where nothing can be
// mounted, the size of files is limited instead.
func disks(r *rack) error {
	var all []disk
	for _, place := range []string{"store", "out", "tmp"} {
		for _, size := range []int{4, 16, 32, 48, 64, 128, 256, 512} {
			isolate := size%3 == 1 // for some of the sizes
			all = append(all, disk{place: place, size: size, isolate: isolate})
		}
		all = append(all, disk{place: place}, disk{place: place, complete: true},
			disk{place: place, complete: true, isolate: true})
	}
	if r.quick {
		all = slices.DeleteFunc(all, func(d disk) bool { return !d.isQuick() })
	}
	u, err := r.runUndisturbedExpecting(0, "bench", small)
	if err != nil {
		return err
	}
	mounts := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil
	if !mounts {
		r.notes = append(r.notes, "nothing can be mounted: the size of files is limited instead")
		all = nil
	}
	r.runTrials(len(all), func(i int) string { return fmt.Sprintf("%+v", all[i]) },
		func(t *trial, i int) error {
			d := all[i]
			if err := t.write("e.yaml", u.experiment); err != nil {
				return err
			}
			args := []string{"-rm", filepath.Join(t.programs, "torture"), "disk", t.programs, u.dir, t.dir,
				d.place, fmt.Sprint(d.size), fmt.Sprint(d.isolate), fmt.Sprint(d.complete)}
			p, err := t.runExpecting(0, "/usr/bin/unshare", args...)
			if err != nil {
				err = errors.New(p.lastStderr())
			}
			return err
		})
	if mounts {
		r.tryVerbs(u)
	}
	limits := []int{0, 1, 2, 4, 8, 16, 32, 64} // in blocks of 512 bytes
	if r.quick {
		limits = limits[1:4]
	}
	r.runTrials(len(limits), func(i int) string {
		return fmt.Sprintf("files of %d blocks", limits[i])
	}, func(t *trial, i int) error {
		if err := t.write("e.yaml", u.experiment); err != nil {
			return err
		}
		p, err := t.run("/bin/sh", "-c", fmt.Sprintf("ulimit -f %d; exec %s/bench %s", limits[i],
			t.programs, strings.Join(u.runArgs(), " ")))
		if err != nil {
			return err
		}
		if code := p.code(); code != 0 && (code != 2 ||
			!strings.Contains(p.err.String(), "file too large")) {
			return fmt.Errorf("exit code %d: %s", code, p.lastStderr())
		}
		return u.checkFinishes(t)
	})
	return nil
}

// writingVerbs lists verbs that write into a store. Each is tried on one that is full or becomes
// so.
var writingVerbs = [][]string{
	{"attack", "--algorithm=ogd", "--dim=1", "--horizon=100", "--budget=40"},
	{"attack", "--algorithm=ogd", "--dim=1", "--horizon=100", "--budget=40", "--isolate"},
	{"tune", "grid.yaml"},
	{"claims", "--quick", "--of=hutchinson-alizadeh"},
	{"store", "pack"},
	{"store", "pack", "--json"},
}

// tryVerbs runs [writingVerbs] with a store on a disk of a random size, and then again with room.
// On a full disk a verb has to end with 2 and say so, unless the room suffices, and to leave
// nothing half-written; with room it has to end with 0.
func (r *rack) tryVerbs(u *undisturbed) {
	// $0 is the directory of the undisturbed run, $1 the room in KB, and the rest the command. 99 says
	// that there is no disk.
	const script = `mkdir -p disk && mount -t tmpfs -o size=10m none disk && cp -r "$0"/store/. disk || exit 99
mount -o remount,size=$(($(du -sk disk | cut -f1) + $1))k disk || exit 99
shift
"$@" >said 2>&1
echo $? >code
find disk -name '.tmp-*' >left
mount -o remount,size=64m disk || exit 99
exec "$@"`
	r.runTrials(r.trials(len(writingVerbs)*8, len(writingVerbs)), func(i int) string {
		return fmt.Sprintf("%d: %v", i, writingVerbs[i%len(writingVerbs)])
	}, func(t *trial, i int) error {
		grid := strings.Replace(strings.Replace(small, "{use: ogd}", "{use: ogd, step: [1, 2]}", 1),
			"name: ", "name: grid-", 1)
		err := errors.Join(t.write("e.yaml", small), t.write("grid.yaml", grid))
		if err != nil {
			return err
		}
		args := append([]string{"-rm", "sh", "-c", script, u.dir, fmt.Sprint(t.rand.IntN(60)),
			filepath.Join(t.programs, "bench")}, writingVerbs[i%len(writingVerbs)]...)
		if _, err := t.runExpecting(0, "/usr/bin/unshare", append(args, "--store=disk")...); err != nil {
			return err
		}
		said, _ := os.ReadFile(t.path("said"))
		code, err := os.ReadFile(t.path("code"))
		left, leftErr := os.ReadFile(t.path("left"))
		if err := errors.Join(err, leftErr); err != nil {
			return err
		}
		switch full := strings.Contains(string(said), "no space left on device"); {
		case string(code) != "0\n" && (string(code) != "2\n" || !full):
			return fmt.Errorf("full: exit code %s: %.1000s", code, said)
		case len(left) > 0:
			return fmt.Errorf("%s is left", left)
		}
		return t.checkOrphans()
	})
}

// tortureDisk does one trial of [disks], in a process that may mount since unshare started it.
func tortureDisk(args []string) error {
	if len(args) != 7 {
		return errors.New("usage: torture disk PROGRAMS UNDISTURBED DIR store|out|tmp KB ISOLATE " +
			"COMPLETE")
	}
	size, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	u := &undisturbed{program: "bench", experiment: small, dir: args[1]}
	if err := u.read(); err != nil {
		return err
	}
	t := &trial{rack: &rack{programs: args[0]}, dir: args[2]}
	d := disk{place: args[3], size: size, isolate: args[5] == "true", complete: args[6] == "true"}
	if err := d.mount(t, u); err != nil {
		return err
	}
	before, err := readTree(t.path(d.place))
	if err != nil {
		return err
	}
	flags := u.runArgs()
	if d.isolate {
		flags = append(flags, "--isolate")
	}
	p, err := t.run("bench", flags...)
	if err != nil {
		return err
	}
	if err := errors.Join(d.checkRun(p), d.checkLeftovers(t, before)); err != nil {
		return err
	}
	if err := d.remount(t, 0, roomy); err != nil {
		return err
	}
	return u.checkFinishes(t)
}

// roomy is the option of a disk that has room for everything.
const roomy = "size=64m"

// isQuick reports whether a quick run tries the disk: a store of a middle size, or one with nothing
// left to write; files of output on the smallest disk; and temporary files on the largest disk, or
// on one that is read-only.
func (d *disk) isQuick() bool {
	switch d.place {
	case "store":
		return 32 <= d.size && d.size <= 64 || d.complete
	case "out":
		return d.size == 4
	}
	return d.size == 512 || d.isReadOnly()
}

// isReadOnly reports whether nothing can be written to the disk.
func (d *disk) isReadOnly() bool { return d.size == 0 }

// isNeeded reports whether a run has to write to the disk.
func (d *disk) isNeeded() bool { return d.place == "out" || d.place == "store" && !d.complete }

// mount puts the directory of the trial on the disk, with the files of an undisturbed run
// if it is complete.
func (d *disk) mount(t *trial, u *undisturbed) error {
	options := fmt.Sprintf("size=%dk", d.size)
	if d.isReadOnly() {
		options = roomy
	}
	dir := t.path(d.place)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if d.complete {
		for _, name := range []string{"store", "out"} {
			if err := os.CopyFS(t.path(name), os.DirFS(filepath.Join(u.dir, name))); err != nil {
				return err
			}
		}
	}
	if d.isReadOnly() {
		return d.remount(t, syscall.MS_RDONLY, options)
	}
	return nil
}

// remount mounts the disk with other options and what is on it.
func (d *disk) remount(t *trial, flags uintptr, options string) error {
	if err := syscall.Mount("none", t.path(d.place), "tmpfs", syscall.MS_REMOUNT|flags,
		options); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return nil
}

// checkRun returns an error unless exit code and messages of the run suit the disk.
func (d *disk) checkRun(p *process) error {
	said, code := p.err.String(), p.code()
	full := code == 2 && strings.Contains(said, "no space left on device")
	readOnly := code == 2 && strings.Contains(said, "read-only file system")
	switch {
	case d.isReadOnly() && d.isNeeded() && !readOnly:
		return fmt.Errorf("read-only: exit code %d: %s", code, p.lastStderr())
	case d.isReadOnly() && !d.isNeeded() && code != 0:
		return fmt.Errorf("exit code %d, and nothing has to be written there: %s", code, p.lastStderr())
	case !d.isReadOnly() && code != 0 && !full:
		return fmt.Errorf("full: exit code %d: %s", code, p.lastStderr())
	case len(said) > 4000: // such as one message for each cell
		return fmt.Errorf("it says %d bytes", len(said))
	}
	return nil
}

// checkLeftovers returns an error if the run has left a temporary file, a process, or something new
// on a disk that is read-only.
func (d *disk) checkLeftovers(t *trial, before tree) error {
	left, err := readTree(t.path(d.place))
	if err != nil {
		return err
	}
	if d.isReadOnly() {
		if err := before.diff(left); err != nil {
			return fmt.Errorf("%s: %w", d.place, err)
		}
	}
	for name := range left {
		if strings.HasPrefix(filepath.Base(name), ".tmp-") {
			return fmt.Errorf("%s is left", name)
		}
	}
	return t.checkOrphans()
}
