//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// A disk is what one of the directories of a run is on.
type disk struct {
	place    string // store, out or tmp
	size     int    // in KB, 0 for one that is read-only
	isolate  bool
	complete bool // the store has all cells, and out all files
}

// disks runs the experiment where one directory is on a disk that is full or
// read-only. The run says so and ends with 2, or does not need the directory. With
// room again the same command finishes with what it should be. Where nothing can be
// mounted, the size of files is limited instead.
func disks(r *rack) error {
	var all []disk
	for _, place := range []string{"store", "out", "tmp"} {
		for _, size := range []int{4, 16, 32, 48, 64, 128, 256, 512} {
			all = append(all, disk{place, size, size%3 == 1, false})
		}
		all = append(all, disk{place, 0, false, false}, disk{place, 0, true, true}, disk{place, 0, false, true})
	}
	if r.quick {
		all = append(append(all[2:5], all[9:12]...), all[len(all)-4:]...)
	}
	u, err := r.undisturbed("bench", 0, small)
	if err != nil {
		return err
	}
	mounts := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").Run() == nil
	if !mounts {
		r.notes = append(r.notes, "nothing can be mounted: the size of files is limited instead")
		all = nil
	}
	r.each(len(all), func(i int) string { return fmt.Sprintf("%+v", all[i]) }, func(t *trial, i int) error {
		d := all[i]
		if err := t.write("e.yaml", u.experiment); err != nil {
			return err
		}
		args := []string{"-rm", filepath.Join(t.programs, "torture"), "disk", t.programs, u.dir, t.dir, d.place, fmt.Sprint(d.size), fmt.Sprint(d.isolate), fmt.Sprint(d.complete)}
		p, err := t.does(0, "/usr/bin/unshare", args...)
		if err != nil {
			err = errors.New(p.said())
		}
		return err
	})
	limits := []int{0, 1, 2, 4, 8, 16, 32, 64} // in blocks of 512 bytes
	if r.quick {
		limits = limits[1:4]
	}
	r.each(len(limits), func(i int) string { return fmt.Sprintf("files of %d blocks", limits[i]) }, func(t *trial, i int) error {
		if err := t.write("e.yaml", u.experiment); err != nil {
			return err
		}
		p := t.command("/bin/sh", "-c", fmt.Sprintf("ulimit -f %d; exec %s/bench %s", limits[i], t.programs, strings.Join(u.run(), " ")))
		if err := p.start(); err != nil {
			return err
		}
		if err := p.wait(long); err != nil {
			return err
		}
		if code := p.code(); code != 0 && (code != 2 || !strings.Contains(p.err.String(), "file too large")) {
			return fmt.Errorf("exit code %d: %s", code, p.said())
		}
		return u.finishes(t)
	})
	return nil
}

// tortureDisk is a trial in a process that can mount.
func tortureDisk(args []string) error {
	if len(args) != 7 {
		return errors.New("usage: torture disk PROGRAMS UNDISTURBED DIR store|out|tmp KB ISOLATE COMPLETE")
	}
	u := &undisturbed{program: "bench", experiment: small, dir: args[1]}
	t := &trial{rack: &rack{programs: args[0]}, dir: args[2]}
	place, size, isolate, complete := args[3], args[4], args[5] == "true", args[6] == "true"
	var err error
	if u.store, err = readTree(filepath.Join(u.dir, "store")); err != nil {
		return err
	}
	if u.out, err = readTree(filepath.Join(u.dir, "out")); err != nil {
		return err
	}
	export, err := os.ReadFile(filepath.Join(u.dir, "all.csv"))
	if err != nil {
		return err
	}
	u.export = string(export)
	options := "size=" + size + "k"
	if size == "0" {
		options = "size=64m"
	}
	dir := t.path(place)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if complete {
		for _, name := range []string{"store", "out"} {
			if err := os.CopyFS(t.path(name), os.DirFS(filepath.Join(u.dir, name))); err != nil {
				return err
			}
		}
	}
	if size == "0" {
		if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, options); err != nil {
			return fmt.Errorf("mount: %w", err)
		}
	}
	before, err := readTree(dir)
	if err != nil {
		return err
	}
	flags := u.run()
	if isolate {
		flags = append(flags, "--isolate")
	}
	p := t.command("bench", flags...)
	if err := p.start(); err != nil {
		return err
	}
	if err := p.wait(long); err != nil {
		return err
	}
	said := p.err.String()
	full, readOnly := strings.Contains(said, "no space left on device"), strings.Contains(said, "read-only file system")
	needed := place == "out" || place == "store" && !complete
	switch code := p.code(); {
	case size == "0" && needed && (code != 2 || !readOnly):
		return fmt.Errorf("read-only: exit code %d: %s", code, p.said())
	case size == "0" && !needed && code != 0:
		return fmt.Errorf("exit code %d, and nothing has to be written there: %s", code, p.said())
	case size != "0" && code != 0 && (code != 2 || !full):
		return fmt.Errorf("full: exit code %d: %s", code, p.said())
	case len(said) > 4000:
		return fmt.Errorf("it says %d bytes", len(said))
	}
	if size == "0" {
		if err := before.same(dir); err != nil {
			return err
		}
	}
	left, err := readTree(dir)
	if err != nil {
		return err
	}
	for name := range left {
		if strings.HasPrefix(filepath.Base(name), ".tmp-") {
			return fmt.Errorf("%s is left", name)
		}
	}
	if err := t.orphans(); err != nil {
		return err
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	return u.finishes(t)
}
