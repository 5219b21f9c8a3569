package recorded_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/problems/recorded"
)

// The margin of an action in all rounds and the curvature of the losses are computed from the
// rounds, where the first line does not declare them.
func TestMarginAndCurvatureByHand(t *testing.T) {
	round := func(t int, loss string, constraints ...string) string {
		for j, g := range constraints {
			constraints[j] = `{"form":` + g + `}`
		}
		return fmt.Sprintf(`{"t":%d,"loss":{"form":%s},"constraints":[%s]}`+"\n", t, loss,
			strings.Join(constraints, ","))
	}
	const lin, half = `{"lin":[1,2]}`, `{"quad":[[1,0],[0,2]]}`
	for name, c := range map[string]struct {
		rounds            string
		slater, curvature float64
		feasible          bool
	}{
		// x₁ ≥ 0.75 in one round and x₁ ≤ 0.25 in the other
		"no common point": {round(1, lin, `{"const":0.75,"lin":[-1,0]}`) +
			round(2, lin, `{"const":-0.25,"lin":[1,0]}`), 0, 0, false},
		// x₁ ≤ ½ and x₁ ≥ ½, and x₂ ≤ ½: the margin is 0, at (½, 0)
		"a point without a margin": {round(1, lin, `{"const":-0.5,"lin":[1,0]}`) +
			round(2, half, `{"const":0.5,"lin":[-1,0]}`), 0, 0, true},
		// x₁ ≤ 0.75 and x₁ ≥ 0.25: the margin is ¼, at x₁ = ½
		"between two lines": {round(1, half, `{"const":-0.75,"lin":[1,0]}`) +
			round(2, half, `{"const":0.25,"lin":[-1,0]}`), 0.25, 1, true},
		// ½‖x‖² ≤ ½ and x₁ ≥ ¼: x₁ = −1 + √(1 + 3/2) has equal margins of x₁ − ¼
		"a ball and a line": {round(1, `{"quad":[[2,1],[1,2]]}`, `{"const":-0.5,"quad":[[1,0],[0,1]]}`) +
			round(2, half, `{"const":0.25,"lin":[-1,0]}`), math.Sqrt(2.5) - 1.25, 1, true},
		// the largest of −x₁ and x₁ − 1
		"a maximum": {round(1, `{"diag":[3,4],"terms":[{"scale":2,"of":{"halfsquareddistance":{"center":[0,1]}}}]}`,
			`{"terms":[{"of":{"max":[{"lin":[-1,0]},{"const":-1,"lin":[1,0]}]}}]}`), 0.5, 5, true},
		// 2·½‖x‖² + x₁, and the largest of 3x₁² + 4x₂² and 2x₁² + ½x₂² − 9
		"a scaled loss": {round(1, `{"terms":[{"scale":2,"of":{"elasticnet":{"l2":1}}},`+
			`{"of":{"linear":{"a":[1]}}}]}`, `{"const":-1}`), 1, 2, true},
		"a maximum as a loss": {round(1, `{"terms":[{"of":{"max":[{"diag":[6,8]},`+
			`{"const":-9,"diag":[4,1]}]}}]}`, `{"const":-1}`), 1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			rec, err := recorded.Read(strings.NewReader(boxLine+c.rounds), "f")
			if err != nil {
				t.Fatal(err)
			}
			f := rec.Facts
			if math.Abs(f.Slater-c.slater) > 1e-5 || math.Abs(f.Curvature-c.curvature) > 1e-5 ||
				f.Feasible != c.feasible || f.Slater > c.slater+1e-12 || f.Curvature > c.curvature {
				t.Errorf("slater %v, curvature %v, feasible %v; want at most, and near, %v, %v, %v",
					f.Slater, f.Curvature, f.Feasible, c.slater, c.curvature, c.feasible)
			}
		})
	}
}

// A large file, which is read again, has a margin too: |x₁ − c_t| ≤ 0.2 with c_t from 0.45 to 0.55
// leaves 0.15 at x₁ = ½, and the search is near it after three readings.
func TestMarginOfALargeFileIsFoundByReadingAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	var text strings.Builder
	text.WriteString(strings.Replace(boxLine, `"constraints":1`, `"constraints":2`, 1))
	blank := strings.Repeat(" ", 9000)
	for k := 1; k <= 1000; k++ {
		c := 0.5 + float64(0.05*math.Sin(float64(k)))
		fmt.Fprintf(&text, `{"t":%d,"loss":{"form":{"lin":[1,0]}},"constraints":[`+
			`{"form":{"const":%v,"lin":[1,0]}},{"form":{"const":%v,"lin":[-1,0]}}]%s}`+"\n",
			k, -0.2-c, c-0.2, blank)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, _, err := recorded.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := rec.Facts.Slater; s < 0.14 || s > 0.15+1e-4 {
		t.Errorf("slater is %v, want 0.15 or slightly less", s)
	}
}
