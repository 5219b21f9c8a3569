package run

import (
	"strings"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/stats"
)

// Horizons that no fit across them can judge are known before anything is played.
func TestHorizonsWithoutVerdictAreFoundAtPlanning(t *testing.T) {
	for _, c := range []struct {
		name       string
		horizons   []int
		decades    float64
		singlePath bool
		want       string
	}{
		{"a decade", []int{300, 530, 950, 1700, 3000}, 2, false, ""},
		{"less than a decade", []int{300, 600, 1200, 2400}, 2, false, "[300, 2400] is shorter than a decade"},
		{"a window that a horizon precedes", []int{250, 500, 1000, 3000}, 1, false, ""},
		{"two such decades", []int{100, 1000, 15000, 60000}, 2, true, ""},
		{"few in the window", []int{1, 2, 10, 1000}, 2, false, "[10, 1000] has 2 checkpoints"},
		{"a path of a decade", []int{300, 950, 3000}, 2, true, "shorter than two decades"},
		{"a path of two decades", []int{30, 300, 3000}, 2, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := acrossReason(c.horizons, c.decades, c.singlePath)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("the reason is %q, want %q", got, c.want)
			}
			curve := stats.Curve{Y: [][]float64{{}}}
			for _, horizon := range c.horizons {
				curve.T = append(curve.T, float64(horizon))
				curve.Y[0] = append(curve.Y[0], float64(horizon))
			}
			f, err := stats.Growth{Design: stats.AcrossT, Decades: c.decades}.Fit(curve)
			if want := f.NoVerdictReason(c.singlePath); err != nil || got != want {
				t.Errorf("the reason is %q, and that of a fit %q (%v)", got, want, err)
			}
		})
	}
}

// A pair is played anew at every horizon if its algorithm needs the horizon, or its problem depends
// on it.
func TestPairsAreAcrossHorizonsIfTheyNeedThem(t *testing.T) {
	r := experiment.Record{
		Algorithms: []experiment.Entry{{Spec: "needs-T"}, {Spec: "anytime", Anytime: true},
			{Spec: "draws", Draws: true}},
		Problems: []experiment.Entry{{Spec: "random"}, {Spec: "fixed", Deterministic: true},
			{Spec: "indexed", Indexed: true}, {Spec: "unplayed"}},
	}
	for _, p := range r.Problems[:3] {
		for _, a := range r.Algorithms {
			r.Cells = append(r.Cells, experiment.RecordCell{Algorithm: a.Spec, Problem: p.Spec})
		}
	}
	want := map[bool]string{
		true: "needs-T on fixed",
		false: "needs-T on random, draws on random, draws on fixed, needs-T on indexed, " +
			"anytime on indexed, draws on indexed",
	}
	for singlePath, want := range want {
		if got := strings.Join(pairsAcross([]int{10, 100, 1000}, r, singlePath), ", "); got != want {
			t.Errorf("single paths %t: %s, want %s", singlePath, got, want)
		}
	}
}
