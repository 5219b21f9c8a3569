package external_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/external"
)

// writeActions writes a file for each text and returns the name of them all.
func writeActions(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for k, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("mine-%d.jsonl", k+1)), []byte(text),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "mine-%d.jsonl")
}

func TestRecordedActionsArePlayed(t *testing.T) {
	const first, second = "{\"x\":[-0.0,1]}\n{\"x\":[0.1,-1]}\n{\"x\":[9,9]}",
		"{\"t\":1,\"x\":[0.5,0.25]}\n\n{\"t\":2,\"x\":[0,1e-300]}"
	file := writeActions(t, first, second)
	each, err := external.ReadActions("mine", file)
	if err != nil {
		t.Fatal(err)
	}
	one, err := external.ReadActions("mine", strings.Replace(file, "%d", "2", 1))
	if err != nil {
		t.Fatal(err)
	}
	if !each.Draws || one.Draws || !each.Anytime || each.Feedback != algorithms.Recorded ||
		each.Fingerprint == one.Fingerprint || len(each.Claims) != 0 {
		t.Errorf("got %+v and %+v, want recorded actions, the first drawn, of other fingerprints", each,
			one)
	}
	of1, of2 := [][]float64{{math.Copysign(0, -1), 1}, {0.1, -1}},
		[][]float64{{0.5, 0.25}, {0, 1e-300}}
	for _, c := range []struct {
		algorithm algorithms.Algorithm
		replicate int
		want      [][]float64
	}{{each, 0, of1}, {each, 1, of1}, {each, 2, of2}, {one, 0, of2}, {one, 1, of2}, {one, 7, of2}} {
		// The third action is no point of the domain, and after the horizon.
		l, err := c.algorithm.Start(nil, algorithms.Setup{
			Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: 2, Replicate: c.replicate,
		})
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, 2)
		for k, want := range c.want {
			for range 2 {
				l.Act(x)
				for i := range x {
					if math.Float64bits(x[i]) != math.Float64bits(want[i]) {
						t.Errorf("replicate %d, round %d: it plays %v, want %v", c.replicate, k+1, x, want)
					}
				}
			}
			if err := l.Observe(x, convex.Round{}); err != nil {
				t.Error(err)
			}
		}
	}
}

// The fingerprint depends on the actions alone: another bit, another round or another replicate
// changes it, and another way of writing the same numbers does not.
func TestRecordedActionsHaveAFingerprint(t *testing.T) {
	fingerprint := func(texts ...string) string {
		a, err := external.ReadActions("mine", writeActions(t, texts...))
		if err != nil {
			t.Fatal(err)
		}
		return a.Fingerprint
	}
	const a, b = "{\"x\":[0.5,1]}\n{\"x\":[0,1]}", "{\"x\":[1,1]}\n{\"x\":[1,1]}"
	want := fingerprint(a, b)
	if got := fingerprint("{\"domain\":{},\"seed\":7}\n{\"t\":1, \"x\": [5e-1, "+
		"1.0]}\n\n{\"x\":[0,1],\"loss\":{}}\n", b); got != want {
		t.Errorf("the same actions have the fingerprints %s and %s", got, want)
	}
	for _, texts := range [][]string{
		{"{\"x\":[0.5,1]}\n{\"x\":[-0,1]}", b}, {"{\"x\":[0.5,1]}\n{\"x\":[5e-324,1]}", b},
		{"{\"x\":[0.5,1]}", b},
		{b, a}, {a}, {a, a}, {a, b, b}, {"{\"x\":[0.5]}\n{\"x\":[1]}\n{\"x\":[0]}\n{\"x\":[1]}", b},
	} {
		if got := fingerprint(texts...); got == want {
			t.Errorf("%q: got the fingerprint of others, want another", texts)
		}
	}
	// Whichever number is another one, of any replicate.
	for k := range 8 {
		v := []any{.5, 1, 0, 1, 1, 1, 1, 1}
		v[k] = 0.25
		text := fmt.Sprintf("{\"x\":[%v,%v]}\n{\"x\":[%v,%v]}!{\"x\":[%v,%v]}\n{\"x\":[%v,%v]}", v...)
		if got := fingerprint(strings.Split(text, "!")...); got == want {
			t.Errorf("%q: got the fingerprint of others, want another", text)
		}
	}
}

// Actions cannot take the name of an algorithm, and a file that cannot be read adds no entry.
func TestActionsTakeNoNameOfAnother(t *testing.T) {
	file := writeActions(t, "{\"x\":[1]}")
	c := &experiment.Catalog{Algorithms: slices.Clone(algorithms.All)}
	for _, a := range algorithms.All {
		if err := external.AddActions(c, a.Name, file, ""); err == nil {
			t.Errorf("%s: got a taken name added, want an error", a.Name)
		}
	}
	before := len(c.Algorithms)
	err := external.AddActions(c, "mine", file+".gone", "")
	if err == nil || len(c.Algorithms) != before {
		t.Errorf("a file that is gone: got error %v, want one, and nothing added", err)
	}
	for k := range 2 {
		err := external.AddActions(c, "mine", file, "--actions mine")
		if (err == nil) != (k == 0) || len(c.Algorithms) != before+1 ||
			c.Algorithms[before].Flag != "--actions mine" {
			t.Errorf("attempt %d: got %d algorithms added, error %v, want one, by the first", k+1,
				len(c.Algorithms)-before, err)
		}
	}
}

func TestRecordedActionsThatCannotBePlayed(t *testing.T) {
	const good = "{\"x\":[0,1]}\n{\"x\":[1,1]}\n"
	for _, c := range []struct {
		texts []string
		setup algorithms.Setup
		fail  string
	}{
		{[]string{good}, algorithms.Setup{Set: convex.Cube(2, -1, 1), Horizon: 3},
			"mine-1.jsonl:2: the actions end after round 2, before the horizon 3; lower the horizon"},
		{[]string{good, good}, algorithms.Setup{Set: convex.Cube(2, -1, 1), Horizon: 2, Replicate: 3},
			"mine-3.jsonl: there are no actions of replicate 3; lower the replicates to 2, or write " +
				"the file"},
		{[]string{good}, algorithms.Setup{Set: convex.Cube(3, -1, 1), Horizon: 2},
			"mine-1.jsonl:1: the action has length 2, expected 3, the dimension of the domain"},
		{[]string{good, "\n" + good}, algorithms.Setup{
			Set: convex.Cube(2, -1, 0.5), Horizon: 2, Replicate: 2,
		}, "mine-2.jsonl:2: the action is outside of the domain by 0.5"},
	} {
		a, err := external.ReadActions("mine", writeActions(t, c.texts...))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Start(nil, c.setup); err == nil || !strings.HasSuffix(err.Error(), c.fail) {
			t.Errorf("%v, want %s", err, c.fail)
		}
	}
	for _, c := range []struct {
		texts []string
		fail  string
	}{
		{[]string{good, "{\"x\":[0,1]}\n{\"x\":[1]}\n"},
			"mine-2.jsonl:2:6: x has length 1, expected 2, the length of the first action"},
		{nil, `mine-1.jsonl: no such file or directory (expected a file with a line {"t":1,"x":[…]} for each round)`},
	} {
		if _, err := external.ReadActions("mine", writeActions(t, c.texts...)); err == nil ||
			!strings.HasSuffix(err.Error(), c.fail) {
			t.Errorf("%v, want %s", err, c.fail)
		}
	}
	if _, err := external.ReadActions("mine", "%d/%d"); err == nil || errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "%d/%d has %d twice") {
		t.Error(err)
	}
}
