package spec

import (
	"math"
	"testing"
)

// −0 is read as 0: a generator that divides by the parameter, or prints it, sees no sign.
func TestNegativeZeroReadsAsZero(t *testing.T) {
	for _, text := range []string{"-0", "-0.0", "-0e5", "-.0"} {
		u, err := ParseSpec("x:a=" + text)
		if err != nil {
			t.Fatal(err)
		}
		p := struct {
			A float64 `name:"a" doc:"a number"`
		}{1}
		if err := u.Decode(&p); err != nil || p.A != 0 || math.Signbit(p.A) {
			t.Errorf("%s is %v: %v", text, p.A, err)
		}
	}
}
