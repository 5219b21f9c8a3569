package tex

import "slices"

// Characters that are superscripts or subscripts by themselves, such as ⁻, ³ and ₁, are set as the
// script of a character that the fonts and LaTeX have: λ₁ is $\lambda_1$. Of all others, a document
// or a figure may lack some: Missing finds these.

// A scriptForm is what a superscript or subscript character stands for: ₁ is 1 as a subscript.
type scriptForm struct {
	mark rune // ^ for superscripts, _ for subscripts
	base rune // the character that is raised or lowered
}

// scriptForms maps the superscripts and subscripts of Unicode to their forms, where formulas have
// the base.
var scriptForms = func() map[rune]scriptForm {
	all := make(map[rune]scriptForm)
	for _, s := range []struct {
		mark         rune
		chars, bases string
	}{
		{'^', "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ", "0123456789+-=()in"},
		{'^', "ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "abcdefghjklmoprstuvwxyz"},
		{'^', "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ", "ABDEGHIJKLMNOPRTUVWαβγδεθϕχ"},
		{'_', "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()"},
		{'_', "ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥᵦᵧᵨᵩᵪ", "aeoxhklmnpstijruvβγρϕχ"},
	} {
		bases := []rune(s.bases)
		for i, r := range []rune(s.chars) {
			all[r] = scriptForm{s.mark, bases[i]}
		}
	}
	return all
}()

// leadingScripts reads the leading run of superscript characters, or of subscript characters. It
// returns the run as one script on an empty base, and its length n.
func leadingScripts(nodes []node) (raised node, n int) {
	s := script{braced: true}
	for _, c := range nodes {
		form, ok := scriptForms[c.char]
		if c.kind != letter || !ok || n > 0 && form.mark != s.mark {
			break
		}
		s.mark = form.mark
		s.arg = append(s.arg, node{kind: letter, char: form.base})
		n++
	}
	return node{kind: group, args: [][]node{nil}, scripts: []script{s}}, n
}

// Missing returns the characters of a source that pdflatex or Latin Modern lacks, once each, in
// their order. Documents and figures show their code points instead.
func Missing(src string) (chars []rune) {
	nodes, err := parse(src)
	if err != nil {
		return nil
	}
	visitSpelled(nodes, textMode, func(n node, _ string) {
		if !hasCharacter(n.char) && !slices.Contains(chars, n.char) {
			chars = append(chars, n.char)
		}
	})
	return chars
}

// hasCharacter reports whether documents and figures have a character.
func hasCharacter(r rune) bool {
	if _, ok := scriptForms[r]; ok {
		return true
	}
	_, roman := romanFace().glyph(r)
	_, math := mathFace().glyph(r)
	return (roman || math) && latexSpelling(r) != codePoint(r)
}
