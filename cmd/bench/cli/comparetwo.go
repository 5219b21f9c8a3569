package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/table"
)

// two compares two algorithms.
func (c *compareCmd) two(e *env) error {
	switch {
	case c.Second == "":
		return fmt.Errorf("name two algorithms, or none to compare all with a baseline; one is named: "+
			"%s", input.Shown(c.First))
	case c.Baseline != "" || c.Benchstat != "":
		return errors.New("--baseline, --benchstat: two algorithms are named, and there is no baseline")
	}
	w, err := e.open(c.storeFlags)
	if err != nil {
		return err
	}
	r, _, err := w.only(c.Experiment)
	if err != nil {
		return err
	}
	var specs [2]string
	for k, text := range []string{c.First, c.Second} {
		if specs[k], err = e.catalog.NamedAlgorithm(text, r.Record); err != nil {
			return err
		}
	}
	if specs[0] == specs[1] {
		return fmt.Errorf("%s and %s are the same algorithm of experiment %s", input.Shown(c.First),
			input.Shown(c.Second), r.Name)
	}
	if err := e.about(r, c.Metric, ""); err != nil {
		return err
	}
	a, err := w.analyse(r)
	if err != nil {
		return err
	}
	against, err := a.Against(e.ctx, specs[0], specs[1])
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(report.AgainstJSON(a, against))
	} else {
		err = e.show(report.Against(a, against, c.All), table.Width)
	}
	if err != nil {
		return err
	}
	return whole(r)
}
