package table

import (
	"math"
	"strings"

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

// A word is a piece of a text that LaTeX does not break, with its width at 10 pt.
type word struct {
	tex    string
	width  float64
	follow bool // no blank stands before it
}

// blank is the width of a blank between words.
const blank = 3.4

// words returns the words of a text. A word that is wider than widest points is
// chopped.
func (t Text) words(widest float64) (all []word) {
	if t.TeX == "" || t.TeX == tex.Escape(t.Plain) {
		for _, s := range words(t.Plain, true) {
			for follow := false; s != ""; {
				head := s
				if w := tex.Width(s); w > widest {
					runes := []rune(s)
					n := max(1, int(math.Floor(float64(len(runes))*widest/w)))
					for n > 1 && tex.Width(string(runes[:n])) > widest {
						n--
					}
					head = string(runes[:n])
				}
				all = append(all, word{tex.LaTeX(tex.Escape(head)), tex.Width(head), follow})
				s, follow = s[len(head):], true
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
					all = append(all, word{tex: tex.LaTeX(src[begin:i]), width: texWidth(src[begin:i])})
				}
				begin = i + 1
			}
		}
	}
	return all
}

// fill breaks words into lines of at most width points at 10 pt, and returns the lines
// and the width of the widest one. Only a single word may be wider.
func fill(words []word, width float64) (lines []string, widest float64) {
	var now float64
	for _, w := range words {
		between, space := " ", blank
		if w.follow {
			between, space = "", 0
		}
		if last := len(lines) - 1; last >= 0 && now+space+w.width <= width {
			lines[last] += between + w.tex
			now += space + w.width
		} else {
			lines, now = append(lines, w.tex), w.width
		}
		widest = max(widest, now)
	}
	return lines, widest
}
