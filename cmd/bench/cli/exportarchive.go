package cli

import (
	"bytes"
	"fmt"

	"ocobench/harness/analysis"
	"ocobench/harness/run"
	"ocobench/internal/input"
)

// archive writes the analyses of experiments, for bench export --archive.
func (c *exportCmd) archive(w *workbench, results []*run.Results) error {
	var all []*analysis.Analysis
	pairs := 0
	for _, r := range results {
		a, err := w.analyse(r)
		if err != nil {
			return err
		}
		all, pairs = append(all, a), pairs+len(a.Pairs)
	}
	var archive bytes.Buffer
	if err := analysis.WriteArchive(&archive, all); err != nil {
		return err
	}
	size := float64(archive.Len()) / 1e6
	if err := c.Archive.text("--archive", archive.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(w.stderr, "%s with %s of an algorithm and a problem in %s, %.3g MB\n",
		plural(len(all), "experiment"), plural(pairs, "pair"), input.Shown(string(c.Archive)), size)
	return nil
}
