package wire

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestNumbersAreThoseOfJSON compares with encoding/json, on all short words and random
// longer ones.
func TestNumbersAreThoseOfJSON(t *testing.T) {
	const alphabet = "+-.019eE"
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 200000 {
		n := i / 20000
		if i < 8*8*8*8 {
			n = 4
		}
		word := make([]byte, n)
		for k, rest := 0, i; k < n; k++ {
			word[k] = alphabet[rest%8]
			if rest /= 8; n != 4 {
				rest = rng.IntN(8)
			}
		}
		if got, want := isNumber(word), json.Valid(word); got != want {
			t.Fatalf("%q: %v, want %v", word, got, want)
		}
	}
}

// Members that are unknown are skipped by a reader that is open, and are else a fault.
func TestUnknownMembersAreSkippedIfOpen(t *testing.T) {
	for _, c := range []struct {
		text string
		open bool
		want string
	}{
		{`{"wings":[{"lin":2}],"lin":[1,2],"feet":null}`, true, ""},
		{`{"lin":[1,2],"feet":null}`, false,
			`at 14: the form of f: unknown key "feet" (keys: const, lin, quad, diag, terms, opaque)`},
		{`{"wings":}`, true, "at 10: wings: found '}', expected a value of JSON"},
		{`{"wings":{"lin":[1,+Inf]}}`, true, "at 20: wings: found +Inf, "},
		{`{"opaque":true}`, true,
			`at 11: the form of f is opaque; write it out with "const", "lin", "quad" and "terms"`},
		{`{"lin":[1,2,3]}`, true, "at 8: lin in the form of f has length 3, expected 2, the dimension " +
			"of the domain"},
		{`{"quad":[[0,1],[1,0]]}`, true, "at 9: quad in the form of f: "},
	} {
		t.Run(c.text, func(t *testing.T) {
			r := Reader{Place: "at ", Open: c.open}
			r.Reset([]byte(c.text))
			f := r.Function("f", 2)
			r.CheckConvex("f", &f)
			switch {
			case c.want == "" && (r.Err != nil || !slices.Equal(f.Lin, []float64{1, 2})):
				t.Errorf("%v, %v", f, r.Err)
			case c.want != "" && (r.Err == nil || !strings.HasPrefix(r.Err.Error(), c.want)):
				t.Errorf("the error is %v, want %s", r.Err, c.want)
			}
		})
	}
}
