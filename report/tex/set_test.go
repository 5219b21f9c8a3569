package tex

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/internal/errtest"
)

// mustSet sets a text in 10 points; an error ends the test.
func mustSet(t *testing.T, src string) Box {
	t.Helper()
	b, err := LatinModern.Set(src, 10)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestScriptsAreSmallerAndShifted(t *testing.T) {
	b := mustSet(t, "$x^2_i$")
	x, sup, sub := b.ink[0], b.ink[1], b.ink[2]
	if sup.y <= x.y || sup.size >= x.size || sup.x <= x.x {
		t.Errorf("got superscript %+v, want it smaller, and above right of %+v", sup, x)
	}
	if sub.y >= x.y || sub.size >= x.size || sub.x <= x.x {
		t.Errorf("got subscript %+v, want it smaller, and below right of %+v", sub, x)
	}
	two := mustSet(t, "$2^{2^{2^2}}$")
	for i, size := range []float64{10, 7, 5, 5} {
		if two.ink[i].size != size {
			t.Errorf("script %d is set at %v, want %v", i, two.ink[i].size, size)
		}
	}
	if a, b := mustSet(t, "$x_i^2$"), mustSet(t, "$x^2_i$"); a.Width != b.Width ||
		a.Height != b.Height {
		t.Error("other order of the scripts: got another box, want the same")
	}
	// A slanted letter moves its superscript to the right, and not its subscript.
	v := mustSet(t, "$V^1_1$")
	if v.ink[1].x <= v.ink[2].x {
		t.Errorf("V: got the superscript at %v, want it right of the subscript at %v", v.ink[1].x,
			v.ink[2].x)
	}
	// Superscript and subscript do not touch, even if they are high.
	s := mustSet(t, `$x^{g_g}_{\sqrt{h^h}}$`)
	g := glyphBox(mathFace(), s.ink[1].glyph, s.ink[1].size)
	bar := s.ink[len(s.ink)-2]
	for _, k := range s.ink {
		if k.face == nil {
			bar = k
		}
	}
	if bar.y+bar.size >= s.ink[1].y-g.Depth {
		t.Errorf("got the end of the superscript at %v, want it above the top of the subscript, %v",
			s.ink[1].y-g.Depth, bar.y+bar.size)
	}
}

func TestWidthsHaveTheSpacesOfTeX(t *testing.T) {
	sum := func(parts ...string) (w float64) {
		for _, p := range parts {
			w += mustSet(t, p).Width
		}
		return w
	}
	const mu = 10. / 18
	for _, c := range []struct {
		whole string
		parts []string
		space float64
	}{
		{"mn", []string{"m", "n"}, 0},
		{"$x$ and $y$", []string{"$x$", " and ", "$y$"}, 0},
		{"$12$", []string{"$1$", "$2$"}, 0},
		{"$1+2$", []string{"$1$", "$+$", "$2$"}, 8 * mu},  // binary: medium spaces
		{"$1=2$", []string{"$1$", "$=$", "$2$"}, 10 * mu}, // relation: thick spaces
		{"$-1$", []string{"$-$", "$1$"}, 0},               // a sign, not an operation
		{"$1=-2$", []string{"$1=2$", "$-$"}, 0},           // also after a relation
		{`$\max 1$`, []string{`$\max$`, "$1$"}, 3 * mu},   // operator: a thin space
		{`$\max(1)$`, []string{`$\max$`, "$(1)$"}, 0},     // but not before a bracket
		{"$(1,2)$", []string{"$($", "$1$", "$,$", "$2$", "$)$"}, 3 * mu},
		{`$1\,2$`, []string{"$1$", "$2$"}, 3 * mu},
		{`$1\;2$`, []string{"$1$", "$2$"}, 5 * mu},
		{"{a}$b$", []string{"a", "$b$"}, 0},
	} {
		if got, want := sum(c.whole), sum(c.parts...)+c.space; !near(got, want) {
			t.Errorf("%s is %v wide, want %v", c.whole, got, want)
		}
	}
	// In scripts only operators have spaces.
	if got, want := sum("$^{1+2=3}$"), sum("$^{1}$", "$^{+}$", "$^{2}$", "$^{=}$",
		"$^3$")-4*scriptSpace*10; !near(got, want) {
		t.Errorf("1+2=3 as a script is %v wide, want %v", got, want)
	}
}

// rules returns the bars in b.
func rules(b Box) (bars []ink) {
	for _, k := range b.ink {
		if k.face == nil {
			bars = append(bars, k)
		}
	}
	return bars
}

// The bar of a root spans its argument, and the sign is as high as the bar.
func TestRootsGrowWithTheirArgument(t *testing.T) {
	inside := mustSet(t, "$m$")
	b := mustSet(t, `$\sqrt{m}$`)
	bars := rules(b)
	if len(bars) != 1 || !near(bars[0].width, inside.Width) || bars[0].y <= inside.Height {
		t.Fatalf("a root over a box %v by %v: got bars %+v, want one of its width, above it",
			inside.Width, inside.Height, bars)
	}
	// The sign grows with its argument, and its top is that of the bar.
	for _, src := range []string{`$\sqrt{m}$`, `$\sqrt{\hat{X}^{\max}_t}$`,
		`$\sqrt{X^2_{\sqrt{Y_2}}}$`} {
		b := mustSet(t, src)
		sign := b.ink[0]
		m := sign.face.metric(sign.glyph)
		bar := b.ink[1]
		if top := sign.y + m.height*sign.size; !near(top, bar.y+bar.size) {
			t.Errorf("%s: got the end of the sign at %v, want it at the bar, %v", src, top, bar.y+bar.size)
		}
	}
}

// An accent is above its letter, and moves neither what follows nor the scripts.
func TestAccentsStandAboveTheirLetters(t *testing.T) {
	x, hat := mustSet(t, "$X$"), mustSet(t, `$\hat{X}$`)
	if hat.Width != x.Width || hat.Height <= x.Height {
		t.Errorf("X with its hat: got %v by %v, want as wide as %v by %v, and higher", hat.Width,
			hat.Height, x.Width, x.Height)
	}
	if lower := mustSet(t, `$\hat{x}$`); lower.Height >= hat.Height {
		t.Errorf("the hat of x: got height %v, want less than that of X", lower.Height)
	}
	// The scripts of an accented letter are at the same height as without the accent.
	bare, accented := mustSet(t, "$X^2$"), mustSet(t, `$\hat X^2$`)
	if a, b := bare.ink[1].y, accented.ink[2].y; !near(a, b) {
		t.Errorf("the exponent under a hat: got it at %[2]v, want %[1]v", a, b)
	}
}

func TestEveryCommandIsSet(t *testing.T) {
	for _, s := range slices.Concat(symbols, verdictSigns) {
		mustSet(t, `$\`+s.name+`$`)
		if _, ok := mathFace().glyph(mathChar(s.char)); !ok {
			t.Errorf(`Latin Modern: got no \%s, want it`, s.name)
		}
	}
	for name := range operators {
		mustSet(t, `$\`+name+`$`)
	}
	for name := range kerns {
		mustSet(t, `$a\`+name+` b$ a\`+name+` b`)
	}
	for name := range alphabets {
		letters := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if name != "mathcal" { // Latin Modern has only the capitals, like Computer Modern
			letters += "abcdefghijklmnopqrstuvwxyz0123456789"
		}
		mustSet(t, `$\`+name+`{`+letters+`}\`+name+` X$`)
	}
	for name := range textChars {
		mustSet(t, `\`+name)
	}
	for _, src := range []string{
		"", "$$", "${}$", "$^2$", "$x'$", `$\hat{x}\hat X\bar x$`, `$\mathrm{Reg}_T$`,
		`$\sqrt x$`, `100\% \& \# \{\}`, "≤ γ × naïve", "``a'' --- b", `$\text{a $x$}$`,
		`$\left(\operatorname{arg}\right)$`,
	} {
		mustSet(t, src)
	}
}

func TestBadTeXIsRefused(t *testing.T) {
	for src, want := range map[string]string{
		`$\foo$`:                            `unknown command \foo`,
		`\alpha`:                            `unknown command \alpha in text`,
		`$x`:                                "a $ without its second",
		`x$`:                                "a $ without its second",
		`${x$`:                              "a $ where } was to come first",
		`$x}$`:                              "a } where $ was to come first",
		`x}`:                                "a } without its {",
		`{x`:                                "a { without its }",
		`$\sqrt{x`:                          "a { without its }",
		`$x^{2`:                             "a { without its }",
		`$x^$`:                              "an argument is missing",
		`$\sqrt$`:                           "an argument is missing",
		`$\hat$`:                            "an argument is missing",
		`$x^2^3$`:                           "a second ^ on the same symbol",
		`$x^^2$`:                            "an argument is missing",
		`$x_^2$`:                            "an argument is missing",
		`$\sqrt_2$`:                         "an argument is missing",
		`$x_i^2_j$`:                         "a second _ on the same symbol",
		`$\mathcal{X$`:                      "a $ where } was to come first",
		`$\mathcal{X^2}$`:                   "plain characters between braces",
		`$\mathcal{}$`:                      "plain characters between braces",
		`$\mathrm`:                          "an argument is missing",
		`$\mathrm}$`:                        "an argument is missing",
		`x\`:                                "ends in a backslash",
		`a & b`:                             "a & without its backslash",
		`a^b`:                               "a ^ without its backslash in text",
		`$%$`:                               "a % without its backslash",
		`\emph x`:                           `\emph takes text between braces`,
		`\emph{x}`:                          `\emph cannot be drawn`,
		`$\frac{1}{2}$`:                     `\frac cannot be drawn`,
		"a\xff":                             "invalid UTF-8",
		"$\xff$":                            "invalid UTF-8",
		strings.Repeat("{", 1000):           "nested deeper than 100",
		"$" + strings.Repeat("{", 1000):     "nested deeper than 100",
		"$" + strings.Repeat(`\sqrt`, 1000): "nested deeper than 100",
	} {
		_, err := LatinModern.Set(src, 10)
		errtest.Contains(t, err, want, "%.30q", src)
	}
}

func FuzzSetReturnsABoxOrAnError(f *testing.F) {
	for _, s := range []string{`round $t$`, `$\hat{X}^{\max}_t$`, `$\sqrt{t}$`,
		`$\sum_{s=1}^t\max\{0,g_s(x_s)\}$`, `$x'^2$`, `\`, "$", "{", "$,+=<(!:$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		b, err := LatinModern.Set(src, 10)
		if err == nil && !(math.Abs(b.Width) < 1e6 && b.Height >= 0 && b.Height < 1e6 && b.Depth >= 0 &&
			b.Depth < 1e6) {
			t.Errorf("%q: got it %v wide, %v high and %v deep, want less than 10⁶", src, b.Width, b.Height,
				b.Depth)
		}
		if _, err := LatinModern.Set(Escape(src), 10); err != nil {
			t.Errorf("escaped: got error %v, want none", err)
		}
	})
}

// Texts in Times have the widths of Times New Roman, in thousandths of an em: letters of formulas
// those of its italics, and digits those of its upright face. What it lacks is of Latin Modern.
func TestTimesHasTheWidthsOfTimesNewRoman(t *testing.T) {
	for src, want := range map[string]float64{"M": 889, "a0": 944, "$a$": 500, "$3$": 500} {
		t.Run(src, func(t *testing.T) {
			b, err := Times.Set(src, 1000)
			if err != nil || math.Abs(b.Width-want) > 1 {
				t.Errorf("%s is %v wide, error %v, want %v", src, b.Width, err, want)
			}
		})
	}
	for _, s := range symbols {
		src := `$\` + s.name + `$`
		if b, err := Times.Set(src, 10); err != nil || b.Empty() {
			t.Errorf("%s in Times: got %+v, error %v, want glyphs", src, b, err)
		}
	}
}
