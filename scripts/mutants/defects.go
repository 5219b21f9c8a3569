//go:build unix

package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// list is the file of the defects, in the module.
const list = "scripts/mutants/defects.txt"

// A defect is a change of one line, or of a few, that a test should notice.
type defect struct {
	line     int    // of the list
	file     string // slash-separated, in the module
	wrong    string // what is wrong with it
	old, new string
	*made    // if it is made by rule
}

// pkg is the package that the defect is in, by its directory in the module.
func (d defect) pkg() string { return path.Dir(d.file) }

func (d defect) String() string {
	if d.made != nil {
		return fmt.Sprintf("%s:%d: %s", d.file, d.line, d.wrong)
	}
	return d.file + ": " + d.wrong
}

// full is the defect, and of one by rule its texts, as the file of equivalents would have them.
func (d defect) full() string {
	if d.made == nil {
		return d.String()
	}
	mark := func(mark, text string) string {
		return mark + " " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+mark+" ")
	}
	return fmt.Sprintf("%s\n%s\n%s", d, mark("-", d.old), mark("+", d.new))
}

// from is the file that the line of the defect is in.
func (d defect) from() string {
	if d.made != nil {
		return d.file
	}
	return list
}

// id tells the defect from others, and from what it was before it was edited.
func (d defect) id() string {
	h := fnv.New64a()
	if d.made == nil {
		fmt.Fprintf(h, "%q %q %q ", d.file, d.old, d.new)
	} else {
		fmt.Fprintf(h, "%q %d", d.name(), d.nth)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// parse reads a list of defects of the name, which are separated by empty lines:
//
//	FILE: what is wrong
//	- old text
//	+ new text
//
// Lines of one mark in a row are one text. A line of the form "# text" is a comment.
func parse(list, text string) (all []defect, err error) {
	var d defect
	plus := false // the defect has a new text
	end := func() error {
		switch {
		case d.file == "":
			return nil
		case d.old == "" || !plus || d.old == d.new:
			return fmt.Errorf("%s:%d: %s: expected an old text and another new text", list, d.line, d)
		}
		all, d = append(all, d), defect{}
		return nil
	}
	for i, line := range strings.Split(text, "\n") {
		mark, rest := line, ""
		if len(line) > 1 && strings.Contains("-+#", line[:1]) && line[1] == ' ' {
			mark, rest = line[:1], line[2:]
		}
		switch {
		case mark == "#":
		case mark == "":
			if err := end(); err != nil {
				return nil, err
			}
		case mark == "-" && d.file != "" && !plus:
			d.old += rest + "\n"
		case mark == "+" && d.old != "":
			plus = true
			d.new += rest + "\n"
		default:
			file, wrong, ok := strings.Cut(line, ": ")
			if !ok || d.file != "" {
				return nil, fmt.Errorf("%s:%d: %q is not FILE: what is wrong", list, i+1, line)
			}
			d, plus = defect{line: i + 1, file: file, wrong: wrong}, false
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	for i := range all {
		all[i].old, all[i].new = strings.TrimSuffix(all[i].old, "\n"),
			strings.TrimSuffix(all[i].new, "\n")
	}
	return all, nil
}

// apply returns the file of the defect in the tree at root, as it is and with the
// defect. It is an error if the old text does not occur exactly once, or where a rule
// found it.
func (d defect) apply(root string) (sound, defective []byte, err error) {
	sound, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(d.file)))
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w", list, d.line, err)
	}
	if d.made != nil {
		if !strings.HasPrefix(string(sound[min(d.start, len(sound)):]), d.old) {
			return nil, nil, fmt.Errorf("%s:%d: the line is not %q any more", d.file, d.line, d.old)
		}
		after := sound[d.start+len(d.old):]
		return sound, slices.Concat(sound[:d.start], []byte(d.new), after), nil
	}
	if n := strings.Count(string(sound), d.old); n != 1 {
		return nil, nil, fmt.Errorf("%s:%d: the old text occurs %d times in %s, expected once: %q", list,
			d.line, n, d.file, d.old)
	}
	return sound, []byte(strings.Replace(string(sound), d.old, d.new, 1)), nil
}

// load reads the list of the tree at root, and looks whether all old texts are there.
func load(root string) ([]defect, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(list)))
	if err != nil {
		return nil, err
	}
	all, err := parse(list, string(text))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var errs []error
	for _, d := range all {
		_, _, err := d.apply(root)
		if seen[d.id()] {
			err = fmt.Errorf("%s:%d: the defect is listed twice", list, d.line)
		}
		seen[d.id()] = true
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

// sample draws n of the defects, in the order of the list; the seed determines which.
func sample(all []defect, n int, seed uint64) []defect {
	if n >= len(all) {
		return all
	}
	at := rand.New(rand.NewPCG(seed, 0)).Perm(len(all))[:n]
	slices.Sort(at)
	var some []defect
	for _, i := range at {
		some = append(some, all[i])
	}
	return some
}
