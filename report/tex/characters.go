package tex

import "slices"

// Characters that are superscripts or subscripts by themselves, such as ⁻, ³ and ₁, are set as the
// script of a character that the fonts and LaTeX have: λ₁ is $\lambda_1$. Of all others, a document
// or a figure may lack some: Missing finds these.

// scriptChar is what a character is a script of.
type scriptChar struct {
	mark rune // ^ or _
	of   rune
}

// scriptChars has the superscripts and subscripts of Unicode whose character a formula has.
var scriptChars = func() map[rune]scriptChar {
	all := make(map[rune]scriptChar)
	for _, s := range []struct {
		mark      rune
		chars, of string
	}{
		{'^', "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ", "0123456789+-=()in"},
		{'^', "ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", "abcdefghjklmoprstuvwxyz"},
		{'^', "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ", "ABDEGHIJKLMNOPRTUVWαβγδεθϕχ"},
		{'_', "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()"},
		{'_', "ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥᵦᵧᵨᵩᵪ", "aeoxhklmnpstijruvβγρϕχ"},
	} {
		of := []rune(s.of)
		for i, r := range []rune(s.chars) {
			all[r] = scriptChar{s.mark, of[i]}
		}
	}
	return all
}()

// scriptsOf returns the formula of the characters at the beginning of nodes that are scripts of one
// kind, with nothing before it, and their number.
func scriptsOf(nodes []node) (f node, n int) {
	s := script{braced: true}
	for _, c := range nodes {
		of, ok := scriptChars[c.char]
		if c.kind != letter || !ok || n > 0 && of.mark != s.mark {
			break
		}
		s.mark = of.mark
		s.arg = append(s.arg, node{kind: letter, char: of.of})
		n++
	}
	return node{kind: group, args: [][]node{nil}, scripts: []script{s}}, n
}

// Missing returns the characters of a source that pdflatex or Latin Modern lacks, once each, in
// their order: each stands in a document or in a figure as its code point.
func Missing(src string) (chars []rune) {
	nodes, err := parse(src)
	if err != nil {
		return nil
	}
	visitSpelled(nodes, false, func(n node, _ string) {
		if !hasCharacter(n.char) && !slices.Contains(chars, n.char) {
			chars = append(chars, n.char)
		}
	})
	return chars
}

// hasCharacter reports whether documents and figures have a character.
func hasCharacter(r rune) bool {
	if _, ok := scriptChars[r]; ok {
		return true
	}
	_, roman := romanFace().glyph(r)
	_, math := mathFace().glyph(r)
	return (roman || math) && latexSpelling(r) != codePoint(r)
}
