package recorded_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ocobench/problems/recorded"
)

// Facts of one constraint on [0, 1]², worked by hand. The centre is (½, ½), and no point is farther
// from it than √½.
func TestFactsByHand(t *testing.T) {
	root, e := math.Sqrt(0.5), math.E
	for form, want := range map[string]struct {
		slope, value float64
		affine       bool
	}{
		`{"const":1,"lin":[1,0],"quad":[[2,0],[0,0]]}`:                          {2 + 2*root, 1.75, false},
		`{"const":5,"terms":[{"of":"g"}]}`:                                      {5, 8.5, true},
		`{"terms":[{"of":{"max":[{"lin":[3,4]},{"const":-9}]}}]}`:               {5, 3.5, false},
		`{"diag":[2,0],"terms":[{"of":{"linear":{"a":[3,4]}}}]}`:                {1 + 2*root + 5, 3.75, false},
		`{"terms":[{"scale":2,"of":{"halfsquares":{"rows":[[1,0]],"y":[2]}}}]}`: {4, 2.25, false},
		`{"terms":[{"of":{"separable":{"curve":"exp","rate":[-1,2],"offset":1}}}]}`: {
			math.Hypot(e, 2*e*e*e), math.Sqrt(e) + e*e, false},
	} {
		header := strings.Replace(boxLine, `"constraints"`, `"functions":{"g":{"lin":[3,4]}},"constraints"`, 1)
		rec, err := recorded.Read(strings.NewReader(header+`{"t":1,`+
			`"loss":{"form":{}},"constraints":[{"form":`+form+`}]}`), "f")
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		f, bound := rec.Facts, want.value+want.slope*root
		if math.Abs(f.ConstraintLipschitz-want.slope) > 1e-12*want.slope ||
			math.Abs(f.ConstraintBound-bound) > 1e-12*bound || f.Affine != want.affine {
			t.Errorf("%s: %+v, want the slope %v, the bound %v, affine %v", form, f, want.slope, bound,
				want.affine)
		}
	}
}

// On [0, 1] × [0, 2] the slope of exp(x₂) is at most e², and that of exp(x₁) at most e.
func TestSeparableFactsHaveTheBoundsOfTheirCoordinates(t *testing.T) {
	for rates, want := range map[string]float64{"1,0": math.E, "0,1": math.E * math.E} {
		t.Run(rates, func(t *testing.T) {
			rec, err := recorded.Read(strings.NewReader(fmt.Sprintf(
				`{"domain":{"box":{"lower":[0,0],"upper":[1,2]}},"constraints":1}`+"\n"+
					`{"t":1,"loss":{"form":{}},`+
					`"constraints":[{"form":{"terms":[{"of":{"separable":{"curve":"exp","rate":[%s]}}}]}}]}`,
				rates)), "f")
			if err != nil || math.Abs(rec.Facts.ConstraintLipschitz-want) > 1e-12 {
				t.Errorf("exp with the rates %s has %+v, %v, want the slope %v", rates, rec, err, want)
			}
		})
	}
}

// Constraints that come back with other constants or other linear parts are
// read as the file has them. In memory, there is no round after the last.
func TestRoundsThatComeBackAreRead(t *testing.T) {
	constraint := func(constant, slope int) string {
		return fmt.Sprintf(`{"const":%d,"lin":[%d,0],"quad":[[2,0],[0,2]]}`, constant, slope)
	}
	for _, list := range [][][2]int{ // constants and slopes
		{{3, 0}, {3, 0}, {3, 0}},
		{{3, 0}, {3, 0}, {4, 0}},
		{{1, 1}, {2, 1}, {2, 1}, {3, 1}, {4, 1}},
		{{1, 1}, {1, 2}, {1, 2}, {1, 1}},
		{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 2}},
	} {
		text, fixed := boxLine, true
		for i, c := range list {
			text += fmt.Sprintf(`{"t":%d,"loss":{"form":%s},"constraints":[{"form":%[2]s}]}`+"\n", i+1,
				constraint(c[0], c[1]))
			fixed = fixed && c == list[0]
		}
		rec, err := recorded.Read(strings.NewReader(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		if rec.Facts.Fixed != fixed || (rec.Fixed != nil) != fixed {
			t.Errorf("%v: got fixed %v, constraints %v, want fixed: %v", list, rec.Facts.Fixed, rec.Fixed,
				fixed)
		}
		for i, c := range list {
			r, x := roundOf(t, rec, i+1), []float64{0.5, 1}
			want := float64(c[0]) + float64(c[1])/2 + 0.25 + 1
			if u, v := r.Loss.Value(x), r.Constraints[0].Value(x); u != want || v != want {
				t.Errorf("%v: round %d has the values %v and %v, want %v", list, i+1, u, v, want)
			}
		}
		player, err := rec.Play(len(list))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := player.Next(); err == nil ||
			!strings.HasSuffix(err.Error(), fmt.Sprintf("no round %d", len(list)+1)) {
			t.Errorf("%v: after the last round: %v, want an error", list, err)
		}
	}
}
