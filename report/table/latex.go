package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ocobench/report/tex"
)

// Preamble is what a document loads before it reads tables of [WriteLaTeX] with
// \input. The class decides on the fonts: an article whose roman is still Computer Modern gets
// Latin Modern, which has its shapes and all characters as outlines. Any other article keeps
// its fonts and their encoding, and T1 is there for the characters that its encoding lacks. The
// digits of the bold series b are as wide as the others, so that columns stay aligned. Tables that
// follow one another may be more floats than the 52 that LaTeX keeps.
const Preamble = `\edef\ocofont{\rmdefault}\def\ococlassic{cmr}
\ifx\ocofont\ococlassic
  \usepackage[T1]{fontenc}
  \usepackage{lmodern}
\else
  \edef\ocofont{\noexpand\usepackage[T1,\encodingdefault]{fontenc}}\ocofont
  \def\ocofont#1{\ifx#1\relax\else\DeclareTextSymbolDefault#1{T1}\expandafter\ocofont\fi}
  \ocofont\textquotedbl\guillemetleft\guillemetright\guillemotleft\guillemotright\guilsinglleft
  \guilsinglright\quotedblbase\quotesinglbase\DH\dh\DJ\dj\TH\th\relax
  \DeclareTextAccentDefault{\k}{T1}
\fi
\usepackage{array,booktabs,siunitx}
\sisetup{detect-weight, mode=text, group-digits=none}
\ifdefined\extrafloats\extrafloats{500}\fi
`

// Widths and heights of an article of 10 pt on A4 and letter paper, in points.
const (
	narrow = 220 // a column of an article in two columns
	wide   = 345 // the text of an article in one column, less than that of two
	tall   = 500 // a float with its caption
	gap    = 8   // between columns
	beside = 2   // between a number and its small print
)

// A size is a size of type. Its factor is the width of Latin Modern at this size,
// divided by the width at 10 pt.
type size struct {
	command          string
	factor, baseline float64
}

var (
	small        = size{`\small`, 0.926, 11}
	footnotesize = size{`\footnotesize`, 0.85, 9.5}
	scriptsize   = size{`\scriptsize`, 0.8, 8}
)

// WriteLaTeX writes t as LaTeX for a document that has the lines of [Preamble] and
// reads the table with \input. It fits into articles of 10 pt with one column and with
// two:
//
//   - A table with a title is a float with caption and label, and notes below: a
//     table if it fits into one of two columns, and a table* otherwise. A table without a
//     title is a tabular alone.
//   - Small print stands beside its number, or below it if there is no room beside it.
//   - If the table is too wide, texts are broken between words and the type is smaller.
//   - A table that is still too wide or too tall is continued in more floats, which have
//     the number of the first.
//
// Equal cells of the first key column are merged. If this column has groups of rows,
// each group has one heading. Otherwise only the first of the equal cells is printed. A
// column with numbers is an S column of siunitx. The lines of a cell are lines of the
// tabular.
func WriteLaTeX(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	s := newSheet(t.merged())
	var out bytes.Buffer
	out.WriteString("% Needs the lines of preamble.tex: fontenc with T1, array, booktabs, siunitx.\n")
	for k, p := range s.pages() {
		s.writePage(&out, p, k)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// merged returns the table with a block for each run of equal cells of the first key
// column, if these have two rows or more on average.
func (t *Table) merged() *Table {
	runs := 0
	for i, row := range t.Rows {
		if i == 0 || row[0].latex() != t.Rows[i-1][0].latex() {
			runs++
		}
	}
	if t.Blocks != nil || t.Keys < 2 || len(t.Rows) < 2*runs {
		return t
	}
	out := *t
	out.Columns, out.Rows, out.Keys = t.Columns[1:], nil, t.Keys-1
	for i, row := range t.Rows {
		if i == 0 || row[0].latex() != t.Rows[i-1][0].latex() {
			out.Blocks = append(out.Blocks, Block{Name: row[0]})
		}
		b := &out.Blocks[len(out.Blocks)-1]
		b.Rows = append(b.Rows, row[1:])
	}
	return &out
}

// A sheet is a table with its layout.
type sheet struct {
	*Table
	numbers []format // of the columns
	noted   []bool   // the columns in which numbers have small print
	extents [][]span // of the cells of the columns, the names first
	size    size
	beside  bool      // small print beside numbers
	limit   float64   // the width of a page
	widths  []float64 // of the columns, in points
	parts   [][]int   // the columns that stand side by side
}

// A format says how many characters the numbers of a column have. The zero value is the
// format of a column without numbers.
type format struct {
	sign             bool // a minus
	digits, decimals int
}

func (f format) add(number string) format {
	digits, decimals, _ := strings.Cut(number, ".")
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		f.sign, digits = true, rest
	}
	return format{f.sign, max(f.digits, len(digits)), max(f.decimals, len(decimals))}
}

func (f format) String() string {
	sign := ""
	if f.sign {
		sign = "-"
	}
	return fmt.Sprintf("%s%d.%d", sign, f.digits, f.decimals)
}

// width returns the width of the numbers at 10 pt.
func (f format) width() float64 {
	points := float64(5 * (f.digits + f.decimals))
	if f.decimals > 0 {
		points += 2.8
	}
	if f.sign {
		points += 7.8
	}
	return points
}

func newSheet(t *Table) *sheet {
	s := &sheet{Table: t, numbers: make([]format, len(t.Columns)), noted: make([]bool, len(t.Columns))}
	for _, b := range t.blocks() {
		for _, row := range b.Rows {
			for k, cell := range row {
				if cell.Number != "" {
					s.numbers[k] = s.numbers[k].add(cell.Number)
					s.noted[k] = s.noted[k] || cell.Small != nil
				}
			}
		}
	}
	for _, s.limit = range []float64{narrow, wide} {
		for _, s.size = range []size{small, footnotesize} {
			for _, s.beside = range []bool{true, false} {
				if s.fold(comfortable) && len(s.parts) == 1 {
					return s
				}
			}
		}
	}
	if !s.fold(comfortable) {
		s.fold(0)
	}
	return s
}

// comfortable is the width, in points, up to which a name is not broken.
const comfortable = 70

// columnWidths returns the widths that each column has where nothing is broken, and where all is
// that can be.
func (s *sheet) columnWidths() (natural, least []float64) {
	natural, least = make([]float64, len(s.Columns)), make([]float64, len(s.Columns))
	if s.extents == nil {
		for k, c := range s.Columns {
			s.extents = append(s.extents, []span{spanOf(c.Name)})
			for _, b := range s.blocks() {
				for _, row := range b.Rows {
					s.extents[k] = append(s.extents[k], spanOf(row[k]))
				}
			}
		}
	}
	for k, all := range s.extents {
		for i, e := range all {
			n, l := s.extent(e, k)
			if i == 0 {
				natural[k], least[k] = n, l
			} else {
				natural[k], least[k] = max(natural[k], n), max(least[k], l)
			}
		}
	}
	return natural, least
}

// fold sets the widths of the columns and splits them into parts. It reports whether
// each part fits the width of a page. A key column is at least as wide as its texts or
// as the given width, whichever is less.
func (s *sheet) fold(names float64) (fits bool) {
	natural, least := s.columnWidths()
	keys := min(max(1, s.Keys), len(s.Columns))
	for k := range keys {
		least[k] = max(least[k], min(natural[k], names))
	}
	s.widths = least
	total := func(columns []int) (points float64) {
		for _, k := range columns {
			points += s.widths[k] + gap
		}
		return points - gap
	}
	begin := func() (part []int) {
		for k := range keys {
			part = append(part, k)
		}
		return part
	}
	part := begin()
	s.parts = nil
	for k := keys; k < len(s.Columns); k++ {
		if len(part) > keys && total(append(part, k)) > s.limit {
			s.parts, part = append(s.parts, part), begin()
		}
		part = append(part, k)
	}
	s.parts = append(s.parts, part)
	// The number of parts stays, and all have about the same number of columns.
	if others := len(s.Columns) - keys; others > 0 {
		size := (others + len(s.parts) - 1) / len(s.parts)
		var even [][]int
		for k := range others {
			if k%size == 0 {
				even = append(even, begin())
			}
			even[k/size] = append(even[k/size], keys+k)
		}
		if !slices.ContainsFunc(even, func(part []int) bool { return total(part) > s.limit }) {
			s.parts = even
		}
	}
	// room reports whether all parts with column k have a point of room.
	room := func(k int) bool {
		return !slices.ContainsFunc(s.parts, func(part []int) bool {
			return slices.Contains(part, k) && total(part)+1 > s.limit
		})
	}
	fits = true
	// The rest of the room goes to the columns that are farthest from their natural width. Keys are
	// in all parts.
	for _, part := range s.parts {
		fits = fits && total(part) <= s.limit
		for {
			worst := -1
			for _, k := range part {
				if s.widths[k] < natural[k] && (worst < 0 ||
					natural[k]-s.widths[k] > natural[worst]-s.widths[worst]) && room(k) {
					worst = k
				}
			}
			if worst < 0 {
				break
			}
			s.widths[worst]++
		}
	}
	return fits
}

// A span is the width of a cell on one line, and that of its widest word, both at 10 pt.
type span struct {
	natural, least float64
	small          []float64 // of the small print
	number         bool
}

func spanOf(cell Text) (e span) {
	for _, line := range cell.lines() {
		words := line.words(longest)
		for _, one := range words {
			e.least = max(e.least, one.width)
		}
		_, w := fill(words, math.Inf(1))
		if e.natural = max(e.natural, w); cell.Small != nil {
			break
		}
	}
	for _, src := range cell.Small {
		e.small = append(e.small, texWidth(src))
	}
	e.number = cell.Number != ""
	return e
}

// extent returns the width of a cell of column k on one line, and the width of its
// widest word.
func (s *sheet) extent(e span, k int) (natural, least float64) {
	natural, least = e.natural, e.least
	if e.number {
		natural, least = s.numbers[k].width(), s.numbers[k].width()
	}
	natural, least = float64(natural*s.size.factor), float64(least*s.size.factor)
	for _, w := range e.small {
		w = float64(w * scriptsize.factor)
		if s.pair(k) && e.number {
			w += beside + float64(s.numbers[k].width()*s.size.factor)
		}
		natural, least = max(natural, w), max(least, w)
	}
	return natural, least
}

// longest is the width at 10 pt above which a word is chopped.
const longest = 100

// pair reports whether a column is two columns of the tabular: numbers, and their small
// print.
func (s *sheet) pair(k int) bool { return s.beside && s.noted[k] }

// A page is one float: some columns of some rows, and the notes below them.
type page struct {
	columns []int
	body    bytes.Buffer
	notes   []string
	room    float64
}

// lines is how many lines a text of this width takes.
func (s *sheet) lines(points float64) float64 { return math.Ceil(points / s.limit) }

// A note is a paragraph below a table.
type note struct {
	text   string
	height float64
}

// notes returns the notes of a table in LaTeX, and the height of all.
func (s *sheet) notes() (all []note, height float64) {
	for _, text := range s.Notes {
		if text.Aside {
			continue
		}
		width := tex.Width(text.Plain)
		if text.Plain == "" {
			width = texWidth(text.TeX)
		}
		n := note{text.prose(), float64(s.lines(float64(1.1*width*footnotesize.factor)) *
			footnotesize.baseline)}
		all, height = append(all, n), height+n.height
	}
	return all, height
}

// together is the number of rows that stand on the page where the notes begin, at least.
const together = 5

// pages returns the pages of a table, at least one. Notes follow the last rows.
func (s *sheet) pages() (all []*page) {
	begin := func(columns []int) {
		title := float64(s.lines(tex.Width(s.Title.Plain)+80)*12) + 20
		all = append(all, &page{columns: columns, room: tall - title - 10 - s.headingHeight(columns)})
	}
	now := func() *page { return all[len(all)-1] }
	notes, below := s.notes()
	blocks := s.blocks()
	for i, columns := range s.parts {
		begin(columns)
		for j, b := range blocks {
			end, last := 0., len(b.Rows) // of what is not parted from the last rows
			if i == len(s.parts)-1 && j == len(blocks)-1 {
				end, last = below, max(0, len(b.Rows)-together)
			}
			named := false // the block has its name on this page
			name, _ := fill(b.Name.words(s.limit/s.size.factor), s.limit/s.size.factor)
			nameHeight := float64(s.size.baseline*float64(len(name))) + 5
			var above []Text
			whole, tail := nameHeight, end
			for k, row := range b.Rows {
				_, height := s.row(row, b.Rows[max(0, k-1)], columns)
				if whole += height; k > last {
					tail += height
				}
			}
			if whole+end > now().room && whole < tall/2 && now().body.Len() > 0 {
				begin(columns) // a small block stays together
			}
			for k, row := range b.Rows {
				text, height := s.row(row, above, columns)
				if !named {
					height += nameHeight
				}
				need := height
				if k == last {
					need += tail
				}
				if need > now().room && now().body.Len() > 0 {
					begin(columns)
					named, above = false, nil
					text, height = s.row(row, nil, columns)
					height += nameHeight
				}
				if !named {
					s.writeName(&now().body, name, columns)
				}
				now().body.WriteString(text)
				now().room -= height
				named, above = true, row
			}
		}
	}
	for _, n := range notes {
		if n.height > now().room && now().room < tall/2 {
			begin(nil)
		}
		now().notes = append(now().notes, n.text)
		now().room -= n.height
	}
	return all
}

// writeName writes what stands above the rows of a block.
func (s *sheet) writeName(out *bytes.Buffer, lines []string, columns []int) {
	out.WriteString("\\midrule\n")
	if s.Blocks == nil {
		return
	}
	n := 0
	for _, k := range columns {
		if n++; s.pair(k) {
			n++
		}
	}
	for _, line := range lines {
		fmt.Fprintf(out, "\\multicolumn{%d}{@{}l@{}}{\\emph{%s}} \\\\\n", n, line)
	}
}

// row returns a row of a tabular and its height. A key that is equal to the one above
// is left out.
func (s *sheet) row(row, above []Text, columns []int) (tex string, height float64) {
	cells := make([][]string, len(columns))
	depth, same := 0, above != nil
	for i, k := range columns {
		same = same && k < s.Keys-1 && row[k].latex() == above[k].latex()
		if !same {
			cells[i] = s.cell(row[k], k)
		}
		depth = max(depth, len(cells[i]))
	}
	var out strings.Builder
	for n := range depth {
		for i, k := range columns {
			if i > 0 {
				out.WriteString(" & ")
			}
			switch {
			case n < len(cells[i]):
				out.WriteString(cells[i][n])
			case s.pair(k):
				out.WriteString(" & ")
			}
		}
		out.WriteString(` \\`)
		if n+1 == depth && depth > 1 {
			out.WriteString("[2pt]")
			height += 2
		}
		out.WriteString("\n")
		height += s.size.baseline
	}
	return out.String(), height
}

// cell returns the lines of a cell.
func (s *sheet) cell(cell Text, k int) (lines []string) {
	number := s.numbers[k] != format{}
	span := func(text string) string {
		switch {
		case s.pair(k):
			return `\multicolumn{2}{c}{` + text + "}"
		case number:
			return "{" + text + "}"
		case strings.HasPrefix(text, "["): // LaTeX would read it as an argument of the \\ before it
			return "{}" + text
		}
		return text
	}
	if cell.Number != "" {
		text := cell.Number
		if cell.Bold {
			text = `\fontseries{b}\selectfont ` + text
		}
		lines = append(lines, text)
		if s.pair(k) {
			lines[0] += " & "
		}
	} else {
		for _, line := range cell.lines() {
			filled, _ := fill(line.words(longest), s.widths[k]/s.size.factor+0.01)
			for _, text := range filled {
				if cell.Bold {
					text = `\textbf{` + text + "}"
				}
				lines = append(lines, span(text))
			}
			if cell.Small != nil {
				break
			}
		}
	}
	for i, src := range cell.Small {
		text := `{\scriptsize ` + src + "}"
		switch {
		case cell.Number == "" || !s.pair(k):
			lines = append(lines, span(text))
		case i == 0:
			lines[0] += text
		default:
			lines = append(lines, " & "+text)
		}
	}
	return lines
}

// heading returns the lines of the headings of columns. All headings end on the same
// line.
func (s *sheet) heading(columns []int) (lines [][]string) {
	depth := 0
	for i, k := range columns {
		lines = append(lines, s.cell(s.Columns[k].Name, k))
		depth = max(depth, len(lines[i]))
	}
	for i, k := range columns {
		empty := ""
		if s.pair(k) {
			empty = " & "
		}
		for len(lines[i]) < depth {
			lines[i] = append([]string{empty}, lines[i]...)
		}
	}
	return lines
}

func (s *sheet) headingHeight(columns []int) float64 {
	if columns == nil {
		return 0
	}
	return float64(s.size.baseline * float64(len(s.heading(columns)[0])))
}

// writePage writes page k.
func (s *sheet) writePage(out *bytes.Buffer, p *page, k int) {
	float := ""
	if title := s.Title.prose(); title != "" {
		if float = "table"; s.limit > narrow {
			float = "table*"
		}
		fmt.Fprintf(out, "\\begin{%s}[tbp]\n\\centering\n\\setlength{\\belowcaptionskip}{6pt}\n", float)
		if k > 0 {
			fmt.Fprint(out, "\\addtocounter{table}{-1}\n")
			title += " (continued)"
		}
		fmt.Fprintf(out, "\\caption{\\sloppy %s}\n", title)
		if s.Label != "" && k == 0 {
			fmt.Fprintf(out, "\\label{%s}\n", s.Label)
		}
	} else if k > 0 {
		fmt.Fprint(out, "\n\\medskip\n")
	}
	if p.columns != nil {
		s.writeTabular(out, p)
	}
	if p.notes != nil {
		fmt.Fprintf(out, "\n\\smallskip\n\\begin{minipage}{%s}\\footnotesize\\sloppy\n",
			map[bool]string{true: "\\columnwidth", false: "\\textwidth"}[float == "table"])
		for _, note := range p.notes {
			fmt.Fprintf(out, "%s\\par\n", note)
		}
		fmt.Fprint(out, "\\end{minipage}\n")
	}
	if float != "" {
		fmt.Fprintf(out, "\\end{%s}\n", float)
	}
}

func (s *sheet) writeTabular(out *bytes.Buffer, p *page) {
	fmt.Fprintf(out, "{%s\\setlength{\\tabcolsep}{%dpt}%%\n\\begin{tabular}{@{}", s.size.command,
		gap/2)
	for _, k := range p.columns {
		switch {
		case s.numbers[k] != format{}:
			fmt.Fprintf(out, "S[table-format=%s]", s.numbers[k])
			if s.pair(k) {
				fmt.Fprintf(out, "@{\\hspace{%dpt}}l", beside)
			}
		default:
			out.WriteByte("lrc"[s.Columns[k].Align])
		}
	}
	fmt.Fprint(out, "@{}}\n\\toprule\n")
	lines := s.heading(p.columns)
	for n := range lines[0] {
		for i := range lines {
			if i > 0 {
				out.WriteString(" & ")
			}
			out.WriteString(lines[i][n])
		}
		out.WriteString(" \\\\\n")
	}
	out.Write(p.body.Bytes())
	fmt.Fprint(out, "\\bottomrule\n\\end{tabular}}\n")
}

// latex returns a text as LaTeX.
func (t Text) latex() string { return tex.LaTeX(t.source(tex.Escape)) }

// prose returns a paragraph as LaTeX.
func (t Text) prose() string { return tex.LaTeX(t.source(tex.Prose)) }

// source returns the TeX of a text or, if it has none, its escaped plain form.
func (t Text) source(escape func(string) string) string {
	if t.TeX != "" {
		return t.TeX
	}
	return escape(t.Plain)
}
