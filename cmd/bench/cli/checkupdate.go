package cli

import (
	"fmt"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/gate"
)

// update plays the experiment and writes a new reference.
func (c *checkCmd) update(e *env, x *spec.Experiment, source []byte) error {
	if err := c.Baseline.ready("--baseline"); err != nil {
		return err
	}
	r, err := e.afresh(x, &c.computeFlags)
	if err != nil {
		return err
	}
	ref := gate.NewReference(r, source)
	if len(ref.Curves) == 0 {
		return fmt.Errorf("experiment %s has no curve to compare: no metric is defined at two "+
			"checkpoints of the window", x.Name)
	}
	if err := c.Baseline.text("--baseline", ref.Encode()); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: %s of experiment %s, seed %d\n", c.Baseline,
		plural(len(ref.Curves), "curve"), x.Name, x.Seed)
	return nil
}
