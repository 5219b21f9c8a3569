package cli

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ocobench/clients/python"
	"ocobench/internal/file"
	"ocobench/internal/input"
)

// newCmd holds the flags of bench new, which writes a folder with an experiment, a learner and a
// problem of one's own.
type newCmd struct {
	Name     path `arg:"" help:"The folder; its last part names the experiment." placeholder:"NAME"`
	Notebook bool `help:"Also write notebook.ipynb, which runs the experiment."`
}

// folder holds the templates of the files that bench new writes.
//
//go:embed folder
var folder embed.FS

// folderFiles lists the files of a new folder, each with the name of its template in [folder].
var folderFiles = []struct{ path, template string }{
	{"README.md", "README.md"}, {"experiment.yaml", "experiment.yaml"},
	{"learner.py", "learner.py"}, {"problem.py", "problem.py"}, {"figure.py", "figure.py"},
	{"programs", "programs"},
	{".github/workflows/check.yml", "check.yml"},
}

// experimentName matches names of experiments of new folders.
var experimentName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// Run implements the verb. It writes nothing if one of the files exists.
func (c *newCmd) Run(e *env) error {
	dir := string(c.Name)
	name := filepath.Base(dir)
	if !experimentName.MatchString(name) {
		return fmt.Errorf("NAME is %s, expected small letters, digits and hyphens, from which the "+
			"experiment has its name", input.Shown(name))
	}
	texts := map[string][]byte{"ocobench.py": python.Module}
	names := []string{"ocobench.py"}
	for _, f := range folderFiles {
		text, err := folder.ReadFile("folder/" + f.template)
		if err != nil {
			return err
		}
		names = append(names, f.path)
		texts[f.path] = []byte(strings.ReplaceAll(string(text), "NAME", name))
	}
	if c.Notebook {
		text, err := notebookText()
		if err != nil {
			return err
		}
		names = append(names, "notebook.ipynb")
		texts["notebook.ipynb"] = text
	}
	var existing []string
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			existing = append(existing, input.Shown(filepath.Join(dir, name)))
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if existing != nil {
		return fmt.Errorf("%s: there already, and is not overwritten; name another folder",
			strings.Join(existing, ", "))
	}
	for _, name := range names {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := file.Write(to, file.Bytes(texts[name])); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.stderr, "%s in %s; its README.md has the commands\n", plural(len(names), "file"),
		input.Shown(dir))
	return nil
}

// notebookText returns the notebook of a new folder. In its template a line # %% stands between two
// cells, and a cell of Markdown begins with the line # [markdown].
func notebookText() ([]byte, error) {
	text, err := folder.ReadFile("folder/notebook.py")
	if err != nil {
		return nil, err
	}
	type object map[string]any // of JSON
	var cells []object
	for k, source := range strings.Split(string(text), "# %%\n") {
		source = strings.TrimSpace(source)
		cell := object{"id": fmt.Sprintf("cell-%d", k+1), "metadata": object{}}
		if markdown, ok := strings.CutPrefix(source, "# [markdown]\n"); ok {
			cell["cell_type"], cell["source"] = "markdown", strings.ReplaceAll(markdown, "# ", "")
		} else {
			cell["cell_type"], cell["source"] = "code", source
			cell["execution_count"], cell["outputs"] = nil, []any{}
		}
		cells = append(cells, cell)
	}
	out, err := json.MarshalIndent(object{"cells": cells, "nbformat": 4, "nbformat_minor": 5,
		"metadata": object{"kernelspec": object{"display_name": "Python 3", "language": "python",
			"name": "python3"}}}, "", " ")
	return append(out, '\n'), err
}
