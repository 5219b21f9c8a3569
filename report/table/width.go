package table

import (
	"regexp"
	"strings"

	"ocobench/report/tex"
)

// texWidth returns an upper bound of the width of src, in points at 10 pt. It measures the plain
// form, as if scripts had full size and every sign had 3 points of space on both sides.
func texWidth(src string) float64 {
	plain := tex.Unicode(src)
	points := tex.Width(strings.NewReplacer("^", "", "_", "").Replace(plain))
	if strings.Contains(src, "$") {
		for _, sign := range "=<>≤≥±∼+-−" {
			points += float64(6 * strings.Count(plain, string(sign)))
		}
	}
	return points
}

// chopped begins a piece that continues the word of the piece before it.
const chopped = `\allowbreak{}`

// texWord matches a word of TeX, with its commands, formulas and groups whole; wordPart matches a
// piece of a long word, after which a line may break.
var (
	texWord  = regexp.MustCompile(`(\\.|\$(\\.|[^$])*\$|{([^{}]|{[^{}]*})*}|[^\s\\${}])+`)
	wordPart = regexp.MustCompile(`.{1,12}?[:,=;/_-]|.{1,12}`)
)

// texWords returns the words of a text as TeX. It chops plain words of more than 20 bytes.
func (t Text) texWords() (all []string) {
	if t.Sign != "" || t.TeX != "" && t.TeX != tex.Escape(t.Plain) {
		return texWord.FindAllString(t.TeX, -1)
	}
	const long = 20
	for _, term := range unbreakableParts(t.Plain, keepBrackets) {
		if len(term) <= long {
			all = append(all, strings.ReplaceAll(tex.Escape(term), " ", "~"))
			continue
		}
		for word := range strings.FieldsSeq(term) {
			parts := []string{word}
			if len(word) > long {
				parts = wordPart.FindAllString(word, -1)
			}
			for k, part := range parts {
				if part = tex.Escape(part); k > 0 {
					part = chopped + part
				}
				all = append(all, part)
			}
		}
	}
	return all
}

// breakLines breaks pieces into lines of LaTeX of at most width points, in type of 10 pt, and also
// returns the width of the widest line. Only a line of a single piece may be wider.
func breakLines(pieces []string, width float64) (lines []string, widest float64) {
	const blank = 3.4 // points, of a blank of Latin Modern
	var lineWidth float64
	for _, piece := range pieces {
		bare, continuesWord := strings.CutPrefix(piece, chopped)
		space, between := blank, " "
		if continuesWord {
			space, between = 0, ""
		}
		pieceWidth := texWidth(bare)
		if last := len(lines) - 1; last >= 0 && lineWidth+space+pieceWidth <= width {
			lines[last] += between + tex.LaTeX(piece)
			lineWidth += space + pieceWidth
		} else {
			lines, lineWidth = append(lines, tex.LaTeX(bare)), pieceWidth
		}
		widest = max(widest, lineWidth)
	}
	return lines, widest
}
