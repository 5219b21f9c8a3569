package recorded

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ocobench/convex"
)

func TestActionsAreReadOrRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		most       int
		want       [][]float64
		lines      []int
		fail       string
	}{
		{name: "bare", text: "{\"x\":[1,-2]}\n\n{\"t\":2,\"x\":[0.1,1e-3]}",
			want: [][]float64{{1, -2}, {0.1, 1e-3}}, lines: []int{1, 3}},
		{name: "header", text: `{"domain":{"box":{"lower":[0,0],"upper":[1,1]}},"constraints":1,"algorithm":"a{","problem":"p","seed":1}` + "\n" +
			`{"t":1,"x":[1,0],"loss":{"value":1,"form":{"opaque":true},"subgradient":[1,"]",{}]},"constraints":[{},[]]}`,
			want: [][]float64{{1, 0}}, lines: []int{2}},
		{name: "most", text: "{\"x\":[1,2]}\n{\"x\":[3,4]}\nrubbish", most: 2,
			want: [][]float64{{1, 2}, {3, 4}}, lines: []int{1, 2}},
		{name: "fewer", text: "{\"x\":[1,2]}\n", most: 5, want: [][]float64{{1, 2}}, lines: []int{1}},
		{name: "negative zero", text: `{"x":[-0,0]}`, want: [][]float64{{math.Copysign(0, -1), 0}},
			lines: []int{1}},
		{name: "empty", fail: `f:1: the file ends before the first action (expected a line {"t":1,"x":[…]} for each round)`},
		{name: "only a header", text: `{"domain":{},"constraints":1}`,
			fail: "f:1: the file ends before the first action"},
		{name: "two headers", text: "{\"domain\":{}}\n{\"domain\":{}}",
			fail: `f:2:2: a round: unknown key "domain" (keys: t, x, loss, constraints)`},
		{name: "unknown key", text: `{"y":[1]}`,
			fail: `f:1:2: a round: unknown key "y" (keys: t, x, loss, constraints, domain, algorithm, problem, seed,`},
		{name: "no action", text: `{"t":1}`, fail: `f:1:8: a round: the key "x" is missing (needed: x)`},
		{name: "numbering", text: "{\"t\":1,\"x\":[1,2]}\n{\"t\":3,\"x\":[1,2]}",
			fail: "f:2:6: t is 3, expected 2: rounds are numbered 1, 2, 3, … without gaps"},
		{name: "dimension", text: `{"x":[1,2,3]}`,
			fail: "f:1:6: x has length 3, expected 2, the dimension of the domain"},
		{name: "null", text: `{"x":[1,null]}`, fail: "f:1:9: x: found null, expected a number"},
		{name: "not finite", text: `{"x":[1,NaN]}`,
			fail: "f:1:9: x: found NaN, expected a number; every number must be finite"},
		{name: "too large", text: `{"x":[1,1e999]}`, fail: "f:1:9: x: 1e999 is too large"},
		{name: "rest", text: `{"x":[1,2]} {}`,
			fail: "f:1:13: found an object after the end of the object"},
		{name: "cut", text: `{"x":[1,2],"loss":{"value":1`,
			fail: "f:1:19: loss: found an object, expected a value of JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions, err := ReadActions(strings.NewReader(c.text), "f", 2, c.most)
			if c.fail != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.fail) {
					t.Fatalf("%v, want %s", err, c.fail)
				}
				return
			}
			if err != nil || actions.Len() != len(c.want) {
				t.Fatalf("%v, %v; want %v", actions, err, c.want)
			}
			for k, want := range c.want {
				x := actions.At(k + 1)
				for i, v := range want {
					if math.Float64bits(x[i]) != math.Float64bits(v) {
						t.Errorf("round %d: %v, want %v", k+1, x, want)
					}
				}
				if got, want := actions.Place(k+1), fmt.Sprintf("f:%d", c.lines[k]); got != want ||
					len(x) != 2 {
					t.Errorf("round %d: %v is at %s, want %s", k+1, x, got, want)
				}
			}
		})
	}
}

// A byte order mark before the first line is skipped.
func TestByteOrderMarkIsSkipped(t *testing.T) {
	for name, text := range map[string]string{
		"before an action": "\ufeff{\"t\":1,\"x\":[1]}\n{\"x\":[2]}",
		"before a header":  "\ufeff{\"domain\":{}}\r\n{\"x\":[1]}\r\n{\"x\":[2]}\r\n",
		"on its own line":  "\ufeff\n{\"x\":[1]}\n{\"x\":[2]}",
	} {
		t.Run(name, func(t *testing.T) {
			a, err := ReadActions(strings.NewReader(text), "f", 1, 0)
			if err != nil || a.Len() != 2 || a.At(1)[0] != 1 || a.At(2)[0] != 2 {
				t.Errorf("read %v, %v; want the actions 1 and 2", a, err)
			}
		})
	}
}

// If the dimension is not known, all actions must have that of the first.
func TestFirstActionDecidesTheDimension(t *testing.T) {
	read := func(text string) (*Actions, error) {
		return ReadActions(strings.NewReader(text), "f", 0, 0)
	}
	header := `{"domain":{"box":{"lower":[0],"upper":[1]}}}` + "\n"
	a, err := read(header + "{\"x\":[1,2,3]}\n{\"x\":[4,5,6]}")
	if err != nil || a.Len() != 2 || !slices.Equal(a.At(2), []float64{4, 5, 6}) {
		t.Errorf("%v, %v, want two actions of three numbers", a, err)
	}
	for text, want := range map[string]string{
		"{\"x\":[1,2,3]}\n{\"x\":[4,5]}": "f:2:6: x has length 2, expected 3, the length of the first " +
			"action",
		`{"x":[]}`: "f:1:6: x has length 0, expected 1, the length of the first action",
	} {
		if _, err := read(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Actions cover every horizon up to their number.
func TestActionsCoverTheHorizon(t *testing.T) {
	a, err := ReadActions(strings.NewReader("{\"x\":[1]}\n\n{\"x\":[2]}\n"), "f", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.CheckHorizon(1), a.CheckHorizon(2)); err != nil {
		t.Error(err)
	}
	const want = "f:3: the actions end after round 2, before the horizon 3; lower the horizon"
	if err := a.CheckHorizon(3); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A stream without end is read no further than is needed.
func TestReadingStopsAtTheLimit(t *testing.T) {
	in := io.MultiReader(strings.NewReader("{\"x\":[1]}\n{\"x\":[2]}\n{\"x\":[3]}\n"),
		iotest.ErrReader(errors.New("read on")))
	if actions, err := ReadActions(in, "f", 1, 2); err != nil || actions.Len() != 2 {
		t.Errorf("%v, %v, want the first two actions", actions, err)
	}
}

// Actions of any bits come back as they were written, with a game around them.
func TestActionsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	w := NewWriter(&b)
	if err := w.Header(Header{Domain: convex.Cube(3, -1, 1), Constraints: 1}); err != nil {
		t.Fatal(err)
	}
	g := &convex.Affine{A: []float64{0, 0, 0}}
	var want [][]float64
	for k := range 200 {
		x := make([]float64, 3)
		for i := range x {
			for x[i] = math.NaN(); x[i]-x[i] != 0; {
				x[i] = math.Float64frombits(rng.Uint64())
			}
		}
		want = append(want, x)
		if err := w.Round(k+1, x, &convex.Round{Loss: g, Constraints: []convex.Func{g}}); err != nil {
			t.Fatal(err)
		}
	}
	actions, err := ReadActions(strings.NewReader(b.String()), "f", 3, 0)
	if err != nil || actions.Len() != len(want) {
		t.Fatalf("got %v, error %v, want %d actions", actions, err, len(want))
	}
	for k := range want {
		x := actions.At(k + 1)
		for i, v := range want[k] {
			if math.Float64bits(x[i]) != math.Float64bits(v) {
				t.Fatalf("action %d is %v, want %v", k+1, x, want[k])
			}
		}
	}
}
