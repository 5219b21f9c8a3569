// Package tool finds the programs of others that tests run. A test skips where one of them is
// missing or incomplete, and says which package of Debian has it. .ci/run tries all tests without
// these programs first, and then those again whose skip says "install Debian's".
package tool

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Find returns the path of a program. The test skips if the program is not on PATH or, where
// there are arguments, if it fails with them: a program may be there without what it needs.
func Find(t testing.TB, debian, name string, args ...string) (path string) {
	t.Helper()
	path, fault := findProgram(debian, name, args)
	if fault != "" {
		t.Skip(fault)
	}
	return path
}

// findProgram returns the path of the program, or why the test skips.
func findProgram(debian, name string, args []string) (path, fault string) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Sprintf("%s is not on PATH: install Debian's %s", name, debian)
	}
	if len(args) == 0 {
		return path, ""
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		return "", fmt.Sprintf("%s does not run: install Debian's %s, whole (%s %s: %v: %s)", name,
			debian, path, strings.Join(args, " "), err, out)
	}
	return path, ""
}

// Python returns the name of the Python that has the modules of Debian's packages: the one in
// /usr/bin, whatever else is on PATH, if /usr/bin is.
func Python() string {
	if slices.Contains(filepath.SplitList(os.Getenv("PATH")), "/usr/bin") {
		return "/usr/bin/python3"
	}
	return "python3"
}

// styles are the packages of Debian that have files of LaTeX.
var styles = map[string]string{
	"article.cls":  "texlive-latex-base",
	"array.sty":    "texlive-latex-base",
	"fontenc.sty":  "texlive-latex-base",
	"graphicx.sty": "texlive-latex-base",
	"booktabs.sty": "texlive-latex-recommended",
	"siunitx.sty":  "texlive-science",
	"lmodern.sty":  "lmodern",
}

// LaTeX returns the path of pdflatex. The test skips if pdflatex is not on PATH, or if it does
// not have all files that documents of this program include.
func LaTeX(t testing.TB) (path string) {
	t.Helper()
	path, fault := findLaTeX()
	if fault != "" {
		t.Skip(fault)
	}
	return path
}

// findLaTeX returns the path of pdflatex, or why the test skips.
func findLaTeX() (path, fault string) {
	if path, fault = findProgram("texlive-latex-base", "pdflatex", nil); fault != "" {
		return "", fault
	}
	finder, fault := findProgram("texlive-binaries", "kpsewhich", nil)
	if fault != "" {
		return "", fault
	}
	// kpsewhich prints the paths of the files that it finds, and fails if it lacks one
	var missing []string
	for _, file := range slices.Sorted(maps.Keys(styles)) {
		if err := exec.Command(finder, file).Run(); err != nil {
			missing = append(missing, fmt.Sprintf("%s, which is in Debian's %s", file, styles[file]))
		}
	}
	if missing != nil {
		return "", "pdflatex is there, and lacks " + strings.Join(missing, "; ")
	}
	return path, ""
}
