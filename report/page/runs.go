package page

import (
	"os"
	"path"
	"path/filepath"
	"slices"
)

// File is the name of the page in the directory of a run, and in the directory of all runs.
const File = "index.html"

// Latest leads from the page of a run, DIR/NAME/index.html, to the page of the latest run,
// DIR/index.html, which lists all of them.
var Latest = Run{Name: "the latest", Href: "../" + File}

// Runs returns the runs that the page DIR/index.html lists, in the order of their names: those that
// it shows, and those that have a page DIR/NAME/index.html. It returns nil if the page shows all of
// them, or if the directory cannot be read.
func Runs(dir string, shown []Item) (all []Run) {
	entries, _ := os.ReadDir(dir)
	others := false
	for _, e := range entries {
		r := Run{Name: e.Name()}
		isRun := func(i Item) bool { return i.Analysis.Experiment.Name == r.Name }
		if !slices.ContainsFunc(shown, isRun) {
			file := filepath.Join(dir, r.Name, File)
			info, err := os.Stat(file)
			if err != nil || !info.Mode().IsRegular() || CheckReplaceable(file) != nil {
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
