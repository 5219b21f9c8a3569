package table

import (
	"strings"
	"unicode/utf8"

	"ocobench/report/tex"
)

// texWidth returns an upper bound of the width of src, in points at 10 pt. It is
// computed from the plain form, as if scripts had full size and every relation had
// space on both sides.
func texWidth(src string) float64 {
	points := tex.Width(level.Replace(tex.Unicode(src)))
	for k, part := range strings.Split(src, "$") {
		if k%2 == 1 {
			relations := strings.Count(part, `\le`) + strings.Count(part, `\ge`) +
				strings.Count(part, `\pm`) + strings.Count(part, `\sim`)
			for _, sign := range "=<>+-" {
				relations += strings.Count(part, string(sign))
			}
			points += float64(6 * float64(relations))
		}
	}
	return points
}

// level sets scripts on the line.
var level = strings.NewReplacer("^", "", "_", "")

// chopped is before a piece that stands directly behind the piece before.
const chopped = `\allowbreak{}`

// pieces returns the words of a text as TeX. A plain word that is wider than 100 pt is chopped,
// behind a sign if it has one.
func (t Text) pieces() (all []string) {
	const widest = 100
	if t.TeX == "" || t.TeX == tex.Escape(t.Plain) {
		for _, word := range words(t.Plain, true) {
			if tex.Width(word) <= widest {
				all = append(all, strings.ReplaceAll(tex.Escape(word), " ", "~"))
				continue
			}
			for word := range strings.FieldsSeq(word) {
				for before := ""; word != ""; before = chopped {
					n, width := 0, 0. // how much of the word fits
					for i, r := range word {
						if width += tex.Width(string(r)); width > widest && i > 0 {
							break
						}
						n = i + utf8.RuneLen(r)
					}
					if sign := strings.LastIndexAny(word[:n], ":,=;/_-"); sign > 0 && n < len(word) {
						n = sign + 1
					}
					all = append(all, before+tex.Escape(word[:n]))
					word = word[n:]
				}
			}
		}
		return all
	}
	depth, math, begin := 0, false, 0
	src := t.TeX + " "
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case '$':
			math = !math
		case ' ':
			if depth == 0 && !math {
				if i > begin {
					all = append(all, src[begin:i])
				}
				begin = i + 1
			}
		}
	}
	return all
}

// fill breaks pieces into lines of LaTeX of at most width points of type of 10 pt, and returns
// also the width of the widest one. Only a single piece may be wider.
func fill(pieces []string, width float64) (lines []string, widest float64) {
	const blank = 3.4
	var now float64
	for _, piece := range pieces {
		bare, follows := strings.CutPrefix(piece, chopped)
		space, between := blank, " "
		if follows {
			space, between = 0, ""
		}
		wide := texWidth(bare)
		if last := len(lines) - 1; last >= 0 && now+space+wide <= width {
			lines[last] += between + tex.LaTeX(piece)
			now += space + wide
		} else {
			lines, now = append(lines, tex.LaTeX(bare)), wide
		}
		widest = max(widest, now)
	}
	return lines, widest
}
