package page

import (
	"os"
	"path"
	"path/filepath"
	"slices"
)

// File is the name of the file of a page in the directory of a run, and in that of all runs.
const File = "index.html"

// Latest leads from the page of a run, DIR/NAME/index.html, to that of the latest run, which is
// DIR/index.html and lists all of them.
var Latest = Run{Name: "the latest", Href: "../" + File}

// Runs returns the runs that the page DIR/index.html lists, in the order of their names: those
// that it shows, and those that have a page DIR/NAME/index.html. There are none if it shows all
// of them, or if the directory cannot be read.
func Runs(dir string, shown []Item) (all []Run) {
	entries, _ := os.ReadDir(dir)
	others := false
	for _, e := range entries {
		r := Run{Name: e.Name()}
		here := func(i Item) bool { return i.Analysis.Experiment.Name == r.Name }
		if !slices.ContainsFunc(shown, here) {
			file := filepath.Join(dir, r.Name, File)
			info, err := os.Stat(file)
			if err != nil || !info.Mode().IsRegular() || Replaceable(file) != nil {
				continue
			}
			r.Href, others = path.Join(r.Name, File), true
		}
		all = append(all, r)
	}
	if !others {
		return nil
	}
	return all
}
