package problems

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Draws of a family that are balanced depend on those before, and are not i.i.d.,
// unless the family is one function.
func TestFamilyIID(t *testing.T) {
	for _, c := range []struct {
		draw           string
		spread, margin float64
		want           bool
	}{
		{"iid", 0.5, 0.1, true}, {"balanced", 0.5, 0.1, false}, {"balanced", 0, 0.1, false},
		{"balanced", 0.5, 0.25, false}, {"balanced", 0, 0.25, true},
	} {
		p := family.Params.(FamilyParams)
		p.Draw, p.Spread, p.Margin = c.draw, c.spread, c.margin
		facts := instanceOf{"family", family, p}.stream(t, 1).Facts()
		if facts.IID != c.want || facts.Fixed != (c.spread == 0 && c.margin == p.Slack) {
			t.Errorf("%+v: IID is declared as %v, and fixed as %v", c, facts.IID, facts.Fixed)
		}
	}
}

// recordedIn writes lines to a file and returns its path.
func recordedIn(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// The constraints of a trace are affine if all of them are, in every round.
func TestTraceAffine(t *testing.T) {
	const header = `{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":2}`
	affine, curved := `{"form":{"lin":[1]}}`, `{"form":{"quad":[[2]]}}`
	for _, c := range []struct {
		first, second [2]string
		want          bool
	}{
		{[2]string{affine, affine}, [2]string{affine, affine}, true},
		{[2]string{curved, affine}, [2]string{affine, affine}, false},
		{[2]string{affine, curved}, [2]string{affine, affine}, false},
		{[2]string{affine, affine}, [2]string{affine, curved}, false},
	} {
		lines := []string{header}
		for k, g := range [][2]string{c.first, c.second} {
			lines = append(lines, fmt.Sprintf(`{"t":%d,"loss":%s,"constraints":[%s,%s]}`, k+1, curved, g[0], g[1]))
		}
		s := instanceOf{"trace", trace, TraceParams{File: recordedIn(t, lines...)}}.stream(t, 1)
		if got := s.Facts().Affine; got != c.want {
			t.Errorf("%v, %v: affine is declared as %v", c.first, c.second, got)
		}
	}
}

// A value that the file claims agrees with the form to a millionth of the terms: the
// loss 3x + 1 is 2.5 at ½, and its terms sum to 2.5 in size, as the claim does.
func TestTraceValues(t *testing.T) {
	for _, c := range []struct {
		claim string
		want  bool
	}{{"2.5", true}, {"2.500004", true}, {"2.50001", false}, {"2.49999", false}, {"2.5025", false}, {"-2.5", false}} {
		file := recordedIn(t, `{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":1}`,
			`{"t":1,"x":[0.5],"loss":{"value":`+c.claim+`,"form":{"const":1,"lin":[3]}},"constraints":[{"form":{}}]}`)
		_, _, err := TraceParams{File: file}.Load()
		if (err == nil) != c.want || err != nil && !strings.Contains(err.Error(), "its form at x is 2.5") {
			t.Errorf("the claim %s: %v", c.claim, err)
		}
	}
}
