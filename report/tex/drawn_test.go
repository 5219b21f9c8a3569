package tex

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"ocobench/internal/golden"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; commit them only if you understand the changes")

// randomFormula returns a formula that has any command, with scripts of any height.
func randomFormula(rng *rand.Rand, depth int) string {
	pick := func(all []string) string { return all[rng.IntN(len(all))] }
	var out strings.Builder
	for range 1 + rng.IntN(4) {
		inner := func() string { return "{" + randomFormula(rng, depth-1) + "}" }
		kind := rng.IntN(9)
		if depth == 0 {
			kind %= 5
		}
		part := pick([]string{"x", "V", "T", "g", "1", "25", "+", "-", "=", "<", "(", ")", ",", "!", " "})
		switch kind {
		case 2:
			part = `\` + symbols[rng.IntN(len(symbols))].name + " "
		case 3:
			part = `\` + pick(slices.Sorted(maps.Keys(operators))) + " "
		case 4:
			part = `\` + pick(slices.Sorted(maps.Keys(kerns))) + " "
		case 5:
			part = `\sqrt` + inner()
		case 6:
			part = `\` + pick(slices.Sorted(maps.Keys(accents))) + inner()
		case 7:
			part = `\` + pick(slices.Sorted(maps.Keys(alphabets))) + "{X}"
			if rng.IntN(3) == 0 {
				part = `\mathrm{Reg fi}`
			}
		case 8:
			part = inner()
		}
		if out.WriteString(part); depth == 0 || strings.HasSuffix(part, " ") {
			continue
		}
		for _, mark := range []string{"^", "_"} {
			if rng.IntN(4) == 0 {
				out.WriteString(mark + inner())
			}
		}
	}
	return out.String()
}

// TestDrawn freezes what is made of random texts and formulas: how large they are, where the ink
// is, and how LaTeX and Unicode have them. Where the parts should stand the tests beside say.
func TestDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 33))
	var out strings.Builder
	set := 0
	for k := range 200 {
		src := "$" + randomFormula(rng, 3) + "$"
		switch k % 4 {
		case 1:
			src = "of " + src + ", " + Escape(randomLabel(rng))
		case 2:
			src = Escape(randomLabel(rng)) + ` \textbf{` + src + "}"
		}
		b, err := LatinModern.Set(src, 10)
		if err == nil {
			set++
		}
		var ink strings.Builder
		number := func(v float64) { fmt.Fprintf(&ink, "%.5f ", math.Round(1e5*v)/1e5+0) }
		for _, v := range []float64{b.Width, b.Height, b.Depth} {
			number(v)
		}
		for _, upwards := range []bool{false, true} {
			for _, part := range b.Path(vg.Point{X: 3, Y: 7}, upwards) {
				fmt.Fprint(&ink, part.Type, " ")
				for _, p := range append(part.Control, part.Pos) {
					number(float64(p.X))
					number(float64(p.Y))
				}
			}
		}
		sum := sha256.Sum256([]byte(ink.String() + LaTeX(src) + "\n" + Unicode(src)))
		fmt.Fprintf(&out, "%.6x %+.40q\n", sum, src)
	}
	if set < 120 {
		t.Errorf("%d of 200 are set", set)
	}
	for _, name := range []string{"gamma", "c", "step", "dim", "unknown", "Z", "z", "@", "[", "`"} {
		for _, value := range []string{"1", "-0.5e3", "true", "false", "x_1", "", "9", "0"} {
			fmt.Fprintln(&out, name, value, Param(name, value))
		}
	}
	for _, s := range []string{"ff fi fl ffi ffl off", "--- -- ``a'' `b'", "😀", "e\u0301x", "漢字 −½",
		"AVAT"} {
		b, err := LatinModern.Set(s, 10)
		fmt.Fprintf(&out, "%+q is %.4f wide, %.4f in %d glyphs, %v\n", s, Width(s), b.Width, len(b.ink),
			err)
	}
	golden.File(t, "drawn.txt", out.String(), *update)
}
