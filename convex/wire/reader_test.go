package wire

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// TestIsNumber compares with encoding/json, on all short words and random
// longer ones.
func TestIsNumber(t *testing.T) {
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
		if got, want := isNumber(string(word)), json.Valid(word); got != want {
			t.Fatalf("%q: %v, want %v", word, got, want)
		}
	}
}
