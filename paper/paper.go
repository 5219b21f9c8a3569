// Package paper shows an analysis as a paper does, in tables and figures. It also
// embeds the experiments that come with the program.
package paper

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ocobench/harness/spec"
)

//go:embed experiments/*.yaml
var experiments embed.FS

// Default are the experiments that bench runs without a verb. They give the
// figures of the paper.
var Default = []string{"frequency", "sets"}

// Names returns the names of the experiments that come with the program.
func Names() []string {
	files, err := fs.Glob(experiments, "experiments/*.yaml")
	if err != nil {
		panic("paper: " + err.Error())
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "experiments/"), ".yaml")
	}
	slices.Sort(files)
	return files
}

// Source returns the file of an experiment that comes with the program.
func Source(name string) ([]byte, error) {
	data, err := experiments.ReadFile("experiments/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no experiment %q among those that come with the program (%s)", name, strings.Join(Names(), ", "))
	}
	return data, nil
}

// Experiment reads an experiment that comes with the program.
func Experiment(name string) (*spec.Experiment, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return spec.Parse(name+".yaml", data)
}

// QuickReplicates is the number of replicates of an experiment for a quick look, where a
// whole run has n.
func QuickReplicates(n int) int { return min(n, max(4, n/5)) }
