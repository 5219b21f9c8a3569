package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes t as LaTeX for a document that loads booktabs and reads the
// table with \input:
//
//	\usepackage[T1]{fontenc}
//	\usepackage{lmodern,booktabs}
//
// A table with a title is a floating table environment with caption and label. A
// table without a title is a tabular alone. Notes follow the tabular in
// \footnotesize. The lines of a cell are lines of the tabular, and the name of a block
// is one above its rows.
func WriteLaTeX(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	var out bytes.Buffer
	floating := t.Title.latex() != ""
	if floating {
		fmt.Fprintf(&out, "\\begin{table}[tbp]\n\\centering\n\\caption{%s}\n", t.Title.latex())
		if t.Label != "" {
			fmt.Fprintf(&out, "\\label{%s}\n", t.Label)
		}
	}

	fmt.Fprint(&out, "\\begin{tabular}{@{}")
	for _, c := range t.Columns {
		out.WriteByte("lrc"[c.Align])
	}
	fmt.Fprint(&out, "@{}}\n\\toprule\n")
	writeRow(&out, t.header())
	for _, b := range t.blocks() {
		fmt.Fprint(&out, "\\midrule\n")
		if t.Blocks != nil {
			fmt.Fprintf(&out, "\\multicolumn{%d}{@{}l@{}}{%s} \\\\\n", len(t.Columns), b.Name.latex())
		}
		for _, row := range b.Rows {
			writeRow(&out, row)
		}
	}
	fmt.Fprint(&out, "\\bottomrule\n\\end{tabular}\n")

	for i, note := range t.Notes {
		if i == 0 {
			fmt.Fprint(&out, "\n\\smallskip\n")
		}
		fmt.Fprintf(&out, "{\\footnotesize %s\\par}\n", note.latex())
	}
	if floating {
		fmt.Fprint(&out, "\\end{table}\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// writeRow writes a row of a tabular, a line for each line of its cells. LaTeX would
// read a first cell that begins with [ as an argument of the \\ before it, so {} is
// written before the cell.
func writeRow(out *bytes.Buffer, row []Text) {
	for line, more := 0, true; more; line++ {
		more = false
		for i, cell := range row {
			if i > 0 {
				out.WriteString(" & ")
			}
			lines := cell.lines()
			if line >= len(lines) {
				continue
			}
			more = more || line+1 < len(lines)
			s := lines[line].latex()
			if i == 0 && strings.HasPrefix(s, "[") {
				s = "{}" + s
			}
			out.WriteString(s)
		}
		out.WriteString(` \\` + "\n")
	}
}

func (t Text) latex() string {
	if t.TeX != "" {
		return t.TeX
	}
	return EscapeTeX(t.Plain)
}

// EscapeTeX returns LaTeX that sets exactly s in text. It needs pdflatex with the
// T1 encoding and no package beyond the kernel of 2020. Special characters are
// escaped, and ligatures broken (-- would become a dash). Mathematical signs and
// Greek letters are set in math mode. A character without a LaTeX sign is written
// as its code point, such as [U+1F600]. White space of any kind is one blank.
func EscapeTeX(s string) string {
	var out strings.Builder
	var last rune
	for _, r := range oneLine(s) {
		if r == last && (r == '-' || r == ',') {
			out.WriteString("{}")
		}
		last = r
		switch tex, ok := texRune[r]; {
		case ok:
			out.WriteString(tex)
		case ' ' <= r && r <= '~', 'À' <= r && r <= 'ÿ', strings.ContainsRune(latinExtended, r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, "[U+%04X]", r)
		}
	}
	return out.String()
}

// latinExtended lists the letters beyond Latin-1 that the kernel's utf8 input
// and the T1 encoding know.
const latinExtended = "ĂăĄąĆćČčĎďĐđĒēĘęĚěĞğĪīĹĺĽľŁłŃńŇňŌōŐőŒœŔŕŘřŚśŞşŠšŢţŤťŪūŮůŰűŸŹźŻżŽž"

// texRune has the LaTeX of the characters that are not written as themselves.
var texRune = map[rune]string{
	'&': `\&`, '%': `\%`, '_': `\_`, '#': `\#`, '$': `\$`, '{': `\{`, '}': `\}`,
	'~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '\\': `\textbackslash{}`,
	'<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`, '"': `\symbol{34}`,
	'`': `\textasciigrave{}`, '\'': `\textquotesingle{}`,

	'–': `\textendash{}`, '—': `\textemdash{}`, '…': `\ldots{}`, '•': `\textbullet{}`,
	'‘': `\textquoteleft{}`, '’': `\textquoteright{}`,
	'“': `\textquotedblleft{}`, '”': `\textquotedblright{}`,
	'§': `\S{}`, '¶': `\P{}`, '°': `\textdegree{}`, 'µ': `$\mu$`, '€': `\texteuro{}`,
	'†': `\dag{}`, '‡': `\ddag{}`, '·': `$\cdot$`,

	'≤': `$\le$`, '≥': `$\ge$`, '≠': `$\ne$`, '≈': `$\approx$`, '∼': `$\sim$`,
	'≡': `$\equiv$`, '∝': `$\propto$`, '≪': `$\ll$`, '≫': `$\gg$`, '∈': `$\in$`,
	'∉': `$\notin$`, '⊂': `$\subset$`, '⊆': `$\subseteq$`, '∪': `$\cup$`, '∩': `$\cap$`,
	'∅': `$\emptyset$`, '∀': `$\forall$`, '∃': `$\exists$`, '¬': `$\neg$`,
	'∧': `$\wedge$`, '∨': `$\vee$`, '×': `$\times$`, '÷': `$\div$`, '±': `$\pm$`,
	'∓': `$\mp$`, '−': `$-$`, '∗': `$\ast$`, '∘': `$\circ$`, '√': `$\surd$`,
	'∞': `$\infty$`, '∂': `$\partial$`, '∇': `$\nabla$`, '∑': `$\sum$`, '∏': `$\prod$`,
	'∫': `$\int$`, '‖': `$\Vert$`, '⟨': `$\langle$`, '⟩': `$\rangle$`,
	'⌊': `$\lfloor$`, '⌋': `$\rfloor$`, '⌈': `$\lceil$`, '⌉': `$\rceil$`,
	'→': `$\rightarrow$`, '←': `$\leftarrow$`, '↔': `$\leftrightarrow$`, '⇒': `$\Rightarrow$`,
	'↑': `$\uparrow$`, '↓': `$\downarrow$`, 'ℓ': `$\ell$`, '′': `$'$`,
	'✓': `$\surd$`, '✗': `$\times$`,

	'⁰': `$^{0}$`, '¹': `$^{1}$`, '²': `$^{2}$`, '³': `$^{3}$`, '⁴': `$^{4}$`,
	'⁵': `$^{5}$`, '⁶': `$^{6}$`, '⁷': `$^{7}$`, '⁸': `$^{8}$`, '⁹': `$^{9}$`, '⁻': `$^{-}$`,
	'₀': `$_{0}$`, '₁': `$_{1}$`, '₂': `$_{2}$`, '₃': `$_{3}$`, '₄': `$_{4}$`,
	'₅': `$_{5}$`, '₆': `$_{6}$`, '₇': `$_{7}$`, '₈': `$_{8}$`, '₉': `$_{9}$`, 'ₜ': `$_{t}$`,
	'½': `$\frac{1}{2}$`, '¼': `$\frac{1}{4}$`, '¾': `$\frac{3}{4}$`,

	'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'ε': `$\varepsilon$`,
	'ϵ': `$\epsilon$`, 'ζ': `$\zeta$`, 'η': `$\eta$`, 'θ': `$\theta$`, 'ι': `$\iota$`,
	'κ': `$\kappa$`, 'λ': `$\lambda$`, 'μ': `$\mu$`, 'ν': `$\nu$`, 'ξ': `$\xi$`, 'π': `$\pi$`,
	'ρ': `$\rho$`, 'σ': `$\sigma$`, 'ς': `$\varsigma$`, 'τ': `$\tau$`, 'υ': `$\upsilon$`,
	'φ': `$\varphi$`, 'ϕ': `$\phi$`, 'χ': `$\chi$`, 'ψ': `$\psi$`, 'ω': `$\omega$`,
	'Γ': `$\Gamma$`, 'Δ': `$\Delta$`, 'Θ': `$\Theta$`, 'Λ': `$\Lambda$`, 'Ξ': `$\Xi$`,
	'Π': `$\Pi$`, 'Σ': `$\Sigma$`, 'Υ': `$\Upsilon$`, 'Φ': `$\Phi$`, 'Ψ': `$\Psi$`, 'Ω': `$\Omega$`,
}
