package table

import (
	"math"
	"strings"
	"testing"
)

// A text is as wide as its parts, of which formulas have space around their relations, wherever
// they stand.
func TestWidthsAddAndRelationsTakeSpace(t *testing.T) {
	parts := []string{"$a = b$", "word", `$x \le y + 1$`, ",", "$-2$", `$t \sim u$`}
	if in, out := texWidth("$a=b$"), texWidth("a=b"); in < out+5 {
		t.Errorf("a formula with a relation: got width %v, want 5 more than the same text, %v", in, out)
	}
	for _, a := range parts {
		for _, b := range parts {
			for n := range 4 {
				whole := strings.Repeat(a+b, n)
				want := float64(n) * (texWidth(a) + texWidth(b))
				if got := texWidth(whole); math.Abs(got-want) > 1e-6*(1+want) {
					t.Errorf("%q is %v wide, and its parts %v", whole, got, want)
				}
			}
		}
	}
}
