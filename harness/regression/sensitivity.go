package regression

import (
	"context"

	"ocobench/harness/run/process"
	"ocobench/stats"
)

// DetectionPower is the probability with which the changes of a [Sensitivity] are detected.
const DetectionPower = 0.8

// Sensitivity says which changes of a reference [Compare] detects with [DetectionPower], on another
// seed and if all curves have changed.
type Sensitivity struct {
	Replicates int
	Curves     []CurveSensitivity // those whose games have random numbers
}

// CurveSensitivity is the smallest change of a curve that is detected.
type CurveSensitivity struct {
	Key
	stats.Sensitivity
}

// Sensitivity returns the sensitivity of a check with this reference. It uses all processors.
func (s *Snapshot) Sensitivity(ctx context.Context) (Sensitivity, error) {
	out := Sensitivity{Replicates: s.Replicates}
	var curves []stats.Curve
	for _, c := range s.Curves {
		if !s.isDeterministic(c.Key) {
			rows, _ := s.replicateRows(c)
			out.Curves, curves = append(out.Curves, CurveSensitivity{Key: c.Key}), append(curves, rows)
		}
	}
	test := stats.RegressionTest{Growth: growthOf(s.Confidence)}
	err := process.Each(ctx, len(curves), func(i int) (err error) {
		out.Curves[i].Sensitivity, err = test.Sensitivity(curves[i], len(s.Curves), DetectionPower)
		return err
	})
	return out, err
}
