package tex

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ocobench/internal/tool"
)

// labels are names that users may give.
var labels = []string{
	"", `\`, `\\{}`, "$$", "a_b^c", "--x,,", "{", "}}", "%\n%", "≤×γ", "😀", "\xff", "[U+1F600]",
	"penalised-ftrl:gamma=25", "OGD^2 γ|", `"a" 'b' ` + "``c''", "<b> & ~x", `\input{x}`, "½² – x₁ₜ",
	"naïve Łódź", "漢字", "e\u0301", "\u202eright to left", "a\x00b", "---", "C:\\x", "100 %", "#1", "ﬁ",
}

// faults returns what is wrong with LaTeX that is to set a label: an active character, a
// ligature, a character without a spelling, or what is not balanced.
func faults(tex string) string {
	depth, math := 0, false
	for i, r := range tex {
		escaped := i > 0 && tex[i-1] == '\\' && !strings.HasSuffix(tex[:i], `\\`)
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			return "is no text"
		case r > '~' && !('À' <= r && r <= 'ÿ') && !strings.ContainsRune(latinExtended, r):
			return "has a character without a spelling"
		case escaped:
		case r == '{':
			depth++
		case r == '}':
			if depth--; depth < 0 {
				return "closes what it did not open"
			}
		case r == '$':
			math = !math
		case r == '^' || r == '_':
			if !math {
				return "has a script outside a formula"
			}
		case strings.ContainsRune("&%#~\"`<>|\n\t", r):
			return "has an active character"
		}
		if strings.HasPrefix(tex[i:], "--") || strings.HasPrefix(tex[i:], ",,") || !math && r == '\'' {
			return "has a ligature"
		}
	}
	if depth != 0 || math || strings.HasSuffix(tex, `\`) && !strings.HasSuffix(tex, `\\`) {
		return "is not balanced"
	}
	return ""
}

// FuzzLabelsAreSetAsWritten checks that a label is set as it is written, in all three outputs.
func FuzzLabelsAreSetAsWritten(f *testing.F) {
	for _, s := range labels {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		src := Escape(s)
		if err := Check(src); err != nil {
			t.Fatal(err)
		}
		want := strings.ToValidUTF8(oneLine(s), "\ufffd")
		if got := Unicode(src); utf8.ValidString(s) && got != want {
			t.Fatalf("%q: got %q in Unicode, want %q", s, got, want)
		}
		tex := LaTeX(src)
		if fault := faults(tex); fault != "" {
			t.Fatalf("%q: got %[3]q, which %[2]s, want none of these", s, fault, tex)
		}
		// The escaped form does not swallow a blank after it.
		again := LaTeX(Escape(s + " x"))
		if strings.TrimSpace(s) != "" && !strings.HasSuffix(again, " x") {
			t.Fatalf("%q: got %q, and %q before another word, want a blank between", s, tex, again)
		}
		b, err := LatinModern.Set(src, 10)
		if err != nil {
			t.Fatal(err)
		}
		if ink := len(strings.ReplaceAll(want, " ", "")) > 0; ink == b.Empty() {
			t.Errorf("%q: got %d glyphs, want some exactly if it has characters", s, len(b.ink))
		}
	})
}

// randomLabel returns a label of words of ASCII, Latin, Greek, signs and all of Unicode.
func randomLabel(r *rand.Rand) string {
	ranges := [][2]rune{{' ', '~'}, {' ', '~'}, {0xa0, 0x17f}, {0x370, 0x3ff}, {0x2000, 0x22ff},
		{0, 0x1ffff}}
	var out strings.Builder
	for range 1 + r.IntN(12) {
		span := ranges[r.IntN(len(ranges))]
		out.WriteRune(span[0] + r.Int32N(span[1]-span[0]+1))
	}
	return out.String()
}

// TestLabelsCompile compiles labels in text, in a caption and in a macro's argument.
func TestLabelsCompile(t *testing.T) {
	latex := tool.LaTeX(t)
	var doc bytes.Buffer
	doc.WriteString("\\documentclass{article}\n\\usepackage[T1]{fontenc}\n" +
		"\\usepackage{lmodern}\n\\begin{document}\n")
	r := rand.New(rand.NewPCG(1, 2))
	all := labels
	for range 400 {
		all = append(all, randomLabel(r))
	}
	for _, s := range all {
		tex := LaTeX(Escape(s))
		doc.WriteString(tex + " x, \\textbf{" + tex + "}\\par\n")
	}
	for _, s := range labels {
		doc.WriteString("\\begin{table}\\caption{" + LaTeX(Escape(s)) + "}\\end{table}\n")
	}
	for _, s := range symbols {
		doc.WriteString(`$x\` + s.name + "$\n")
	}
	doc.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "labels.tex"), doc.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "labels.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("Missing character")) {
		t.Errorf("pdflatex: %v\n%s", err, out)
	}
}
