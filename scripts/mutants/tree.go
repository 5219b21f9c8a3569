//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// copyTree copies the files of the module at root that git tracks or would track.
func copyTree(ctx context.Context, root, to string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard", "--deduplicate")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil || !info.Mode().IsRegular() { // deleted, or a link
			continue
		}
		if err := copyFile(filepath.Join(root, name), filepath.Join(to, name), info.Mode()); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string, mode os.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, mode.Perm())
}

// house knows whose tests reach which package. Packages are named by their
// directories in the module.
type house struct {
	module string
	tested map[string]bool
	// importers has for every package those that import it, tests included.
	importers map[string][]string
}

func survey(ctx context.Context, root string) (*house, error) {
	cmd := exec.CommandContext(ctx, "go", "list",
		"-json=ImportPath,Module,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	h := &house{tested: make(map[string]bool), importers: make(map[string][]string)}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath                                                    string
			Module                                                        struct{ Path string }
			Imports, TestImports, XTestImports, TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); err == io.EOF {
			return h, nil
		} else if err != nil {
			return nil, err
		}
		dir := func(path string) (string, bool) {
			if path == p.Module.Path {
				return ".", true
			}
			return strings.CutPrefix(path, p.Module.Path+"/")
		}
		name, _ := dir(p.ImportPath)
		h.module = p.Module.Path
		h.tested[name] = len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if i, ok := dir(i); ok && !slices.Contains(h.importers[i], name) {
				h.importers[i] = append(h.importers[i], name)
			}
		}
	}
}

// documents is the package of the tests that run every command of the documents, with the
// program.
const documents = "docs"

// around returns the packages whose tests may notice a defect of a package: first its
// own, then those that import it, then those that import these, and so on, and last
// the tests of the documents.
func (h *house) around(pkg string) (tests []string) {
	seen := map[string]bool{pkg: true, documents: true}
	ring := []string{pkg}
	for len(ring) > 0 {
		slices.Sort(ring)
		var next []string
		for _, p := range ring {
			if h.tested[p] {
				tests = append(tests, p)
			}
			for _, i := range h.importers[p] {
				if !seen[i] {
					seen[i] = true
					next = append(next, i)
				}
			}
		}
		ring = next
	}
	if h.tested[documents] {
		tests = append(tests, documents)
	}
	return tests
}

// first is the nearest package with tests that may notice a defect of a package, if there is one.
func (h *house) first(pkg string) string {
	for _, p := range h.around(pkg) {
		return p
	}
	return ""
}
