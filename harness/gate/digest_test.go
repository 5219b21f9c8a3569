package gate

import (
	"math"
	"testing"

	"ocobench/stats"
)

// The digest of a curve is that of its checkpoints and of all its values.
func TestDigest(t *testing.T) {
	c := stats.Curve{T: []float64{1, 2}, Y: [][]float64{{3, 4}, {5, 6}}}
	if got := digest(stats.Curve{T: []float64{1, 2}, Y: [][]float64{{3, 4}, {5, 6}}}); got != digest(
		c) {
		t.Error("equal curves have different digests")
	}
	for what, other := range map[string]stats.Curve{
		"a checkpoint":        {T: []float64{1, 3}, Y: c.Y},
		"the last bit":        {T: c.T, Y: [][]float64{{3, 4}, {5, math.Nextafter(6, 7)}}},
		"the order":           {T: c.T, Y: [][]float64{{5, 6}, {3, 4}}},
		"a replicate less":    {T: c.T, Y: c.Y[:1]},
		"the sign of a value": {T: c.T, Y: [][]float64{{-3, 4}, {5, 6}}},
	} {
		if digest(other) == digest(c) {
			t.Errorf("the digest does not depend on %s", what)
		}
	}
}
