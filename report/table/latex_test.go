package table_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ocobench/internal/long"
	"ocobench/internal/tool"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// documentClasses are the articles that tables have to fit into.
var documentClasses = map[string]string{
	"one column":  `\documentclass[10pt,a4paper]{article}`,
	"two columns": `\documentclass[10pt,a4paper,twocolumn]{article}`,
	"LNCS":        `\documentclass{llncs}`,
	"IEEE":        `\documentclass{IEEEtran}`,
}

// inClasses runs a subtest in each of some document classes, in the sample in the first of them.
func inClasses(t *testing.T, names []string, test func(t *testing.T, class string)) {
	if !long.Whole() {
		names = names[:1]
	}
	for _, name := range names {
		class := documentClasses[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool.LaTeX(t)
			if file := regexp.MustCompile(`{(llncs|IEEEtran)}`).FindStringSubmatch(class); file != nil {
				tool.Find(t, "texlive-publishers", "kpsewhich", file[1]+".cls")
			}
			test(t, class)
		})
	}
}

// unfit matches what LaTeX says of what does not fit or is not there.
var unfit = regexp.MustCompile(`(?m)^(Overfull .*|LaTeX Warning: Float too .*|` +
	`LaTeX Font Warning: Font shape.*|.*Missing character.*|! .*)$`)

// compiled compiles a document that has all tables, each on pages of its own. It returns the path
// of the PDF and what LaTeX said. What does not fit is an error of the test.
func compiled(t *testing.T, preamble string, tables ...*table.Table) (pdf, log string) {
	t.Helper()
	latex := tool.LaTeX(t)
	var doc bytes.Buffer
	fmt.Fprintf(&doc, "%s\n%s\\begin{document}\nProse.\n", preamble, table.Preamble)
	for k, x := range tables {
		fmt.Fprintf(&doc, "\\typeout{Table %d}\n", k)
		if err := table.WriteLaTeX(&doc, x); err != nil {
			t.Fatal(err)
		}
		doc.WriteString("\\clearpage\n")
	}
	doc.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), doc.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "max_print_line=1000")
	out, err := cmd.CombinedOutput()
	if faults := unfit.FindAllString(string(out), -1); err != nil || len(faults) > 0 {
		t.Errorf("want a PDF without complaints, got %v: %s", err, strings.Join(faults, "\n"))
	}
	return filepath.Join(dir, "all.pdf"), string(out)
}

// textOf returns what pdftotext prints of a PDF, the pages separated by form feeds.
func textOf(t *testing.T, pdf string, options ...string) string {
	t.Helper()
	reader := tool.Find(t, "poppler-utils", "pdftotext")
	out, err := exec.Command(reader, append(options, pdf, "-")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestRandomLaTeXTablesFitAndLoseNothing compiles tables of any shape in every class: no box is
// overfull, no float is too large, and every cell, heading and note is in the PDF once.
func TestRandomLaTeXTablesFitAndLoseNothing(t *testing.T) {
	inClasses(t, []string{"IEEE", "one column", "two columns", "LNCS"}, func(t *testing.T, class string) {
		rng := rand.New(rand.NewPCG(5, 10))
		var tables []*table.Table
		var once []string
		for k := range 16 {
			x, tokens := randomTable(rng, k%4 == 3)
			tables, once = append(tables, x), append(once, tokens...)
		}
		pdf, _ := compiled(t, class, tables...)
		count := make(map[string]int)
		for _, word := range regexp.MustCompile(`q\d+q`).FindAllString(textOf(t, pdf), -1) {
			count[word]++
		}
		for _, token := range once {
			if count[token] != 1 {
				t.Errorf("want %s once in the text of the PDF, got it %d times", token, count[token])
			}
		}
	})
}

// randomTable returns a table with rows or blocks, long and short words, formulas, cells of several
// lines, small print, bold numbers and notes, and the words that a document has once. Captions,
// headings and keys are repeated where a table is continued.
func randomTable(rng *rand.Rand, tall bool) (x *table.Table, once []string) {
	rarely := func() bool { return rng.IntN(4) == 0 }
	text := func(most int) table.Text {
		formula := rng.IntN(3) == 0 // the words beside it are not chopped
		words := []string{"word"}
		for range rng.IntN(most) {
			n := 1 + rng.IntN(12)
			if !formula && most < 10 && rarely() {
				n = 60
			}
			word := make([]byte, n)
			for i := range word {
				word[i] = byte('a' + rng.IntN(16))
			}
			words = append(words, string(word))
		}
		t := table.Plain(strings.Join(words, " "))
		if formula {
			t.TeX = tex.Escape(t.Plain) + ` $\hat{X}^{\max}_t$`
		}
		return t
	}
	unique := func(most int) table.Text {
		t, token := text(most), fmt.Sprintf("q%dq", rng.Int32())
		once = append(once, token)
		token = []string{"", "[", "*"}[rng.IntN(3)] + token + " "
		if t.Plain = token + t.Plain; t.TeX != "" {
			t.TeX = token + t.TeX
		}
		return t
	}
	x = &table.Table{Title: text(20), Keys: 1 + rng.IntN(2)}
	columns, size := x.Keys+rng.IntN(14), math.Pow(10, float64(rng.IntN(6)))
	for range columns {
		x.Columns = append(x.Columns, table.Column{Name: text(3), Align: table.Align(rng.IntN(3))})
	}
	rows := func(n int) (rows [][]table.Text) {
		for range n {
			var row []table.Text
			for c := range columns {
				v := size * rng.NormFloat64()
				cell := table.Number(v, math.NaN())
				switch {
				case c < x.Keys:
					cell = text(3)
				case c%3 == 0:
					cell = table.Interval(v, v-size, v+size)
				case c%3 == 1 && rarely():
					cell = unique(2)
				case c%3 == 2:
					if cell = unique(3); rarely() {
						below := unique(2)
						cell.Below = &below
					} else if rarely() {
						cell.Small = []string{"(20000 of 30000)", `$\checkmark$ $\blacktriangle$`}
					}
				}
				if cell.Bold = rarely(); c >= x.Keys && c%2 == 0 && rarely() {
					cell.TeX, cell.Sign = cmp.Or(cell.TeX, tex.Escape(cell.Plain)), "▲"
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
		return rows
	}
	most := 4
	if tall {
		most = 60
	}
	if rng.IntN(2) == 0 {
		x.Rows = rows(1 + rng.IntN(most))
	} else {
		for range 1 + rng.IntN(3) {
			x.Blocks = append(x.Blocks, table.Block{Name: text(12), Rows: rows(1 + rng.IntN(most))})
		}
	}
	for range rng.IntN(4) {
		x.Notes = append(x.Notes, unique(100))
	}
	return x, once
}

// TestLaTeXSetsEveryCharacter compiles the tables of the goldens and every character that
// package tex spells.
func TestLaTeXSetsEveryCharacter(t *testing.T) {
	var all []*table.Table
	for _, x := range tables {
		all = append(all, x)
	}
	compiled(t, `\documentclass{article}`, append(all, characters())...)
}

// characters returns a table whose notes have all characters.
func characters() *table.Table {
	x := &table.Table{Columns: []table.Column{{Name: table.Plain("c")}}}
	for r := rune(0); r < 0x2800; r += 16 {
		var line strings.Builder
		for c := r; c < r+16; c++ {
			line.WriteString(string(c) + " ")
		}
		x.Notes = append(x.Notes, table.Plain(line.String()))
	}
	return x
}

// TestPreambleKeepsFonts: the class of an article decides on its fonts. Latin Modern is loaded in
// place of Computer Modern, and with no other roman. The encoding stays, and no font is a bitmap.
func TestPreambleKeepsFonts(t *testing.T) {
	for name, c := range map[string]struct {
		before, encoding string
		modern           bool
	}{
		"Computer Modern": {"", "T1", true},
		"as in IEEEtran":  {`\renewcommand{\rmdefault}{ptm}`, "OT1", false},
		"Times":           {`\usepackage[T1]{fontenc}\usepackage{times}`, "T1", false},
		"Latin Modern":    {`\usepackage{lmodern}`, "OT1", true},
	} {
		t.Run(name, func(t *testing.T) {
			_, log := compiled(t, `\documentclass{article}`+c.before+
				`\AtBeginDocument{\typeout{Now \encodingdefault.}\textbf{bold}, \texttt{code}}`,
				tables["exponents"], tables["blocks"], characters())
			if !strings.Contains(log, "Now "+c.encoding+".") ||
				strings.Contains(log, "lmr10.pfb") != c.modern || strings.Contains(log, ".pk>") {
				t.Errorf("want %s, Latin Modern %v, and no fonts of bits, got\n%s", c.encoding, c.modern, log)
			}
		})
	}
}

// longTable returns a table of 90 rows in 3 blocks with 12 columns of numbers, all different, and a
// note.
func longTable() *table.Table {
	x := &table.Table{Title: table.Plain("Long"), Label: "tab:long", Keys: 2,
		Columns: []table.Column{{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}},
		Notes: []table.Text{table.Plain("A note."), {Plain: "Not in LaTeX.", NotInLaTeX: true},
			{TeX: "Only in LaTeX."}}}
	for k := range 12 {
		x.Columns = append(x.Columns, table.Column{Name: table.Plain(fmt.Sprintf("column%d.", k))})
	}
	for i := range 90 {
		row := table.Plains(fmt.Sprintf("problem%d.", i/30), fmt.Sprintf("algorithm%d.", i%30))
		for k := range 12 {
			row = append(row, table.Text{Number: fmt.Sprintf("%d.5", 100*i+k+1000),
				Small: []string{"$[-123.7,\\,123.7]$"}})
		}
		x.Rows = append(x.Rows, row)
	}
	return x
}

// TestLaTeXContinuesLongTables sees in the text of every page what a reader needs there.
func TestLaTeXContinuesLongTables(t *testing.T) {
	inClasses(t, []string{"one column", "IEEE"}, func(t *testing.T, class string) {
		x := longTable()
		pdf, _ := compiled(t, class+`\pagestyle{empty}`, x)
		text := textOf(t, pdf, "-raw")
		var pages []string // with a part of the table
		for _, page := range strings.Split(text, "\f") {
			if strings.Contains(page, "algorithm") {
				pages = append(pages, page)
			}
		}
		if len(pages) < 4 {
			t.Errorf("want the table on 4 pages or more, got %d", len(pages))
		}
		for i := range x.Rows {
			for _, cell := range x.Rows[i][2:] {
				if n := strings.Count(text, cell.Number); n != 1 {
					t.Errorf("want %s once, got it %d times", cell.Number, n)
				}
			}
		}
		for k, page := range pages {
			first, last := k == 0, k == len(pages)-1
			if got := strings.Contains(strings.ToLower(page), "long (continued)"); got == first {
				t.Errorf("page %d: want the caption to say that it is continued: %v", k, !first)
			}
			if !strings.Contains(strings.ToLower(page), "table 1") &&
				!strings.Contains(strings.ToLower(page), "table i\n") {
				t.Errorf("page %d: want the number of the first table:\n%s", k, page)
			}
			rows := strings.Index(page, "algorithm")
			if !regexp.MustCompile(`problem\d\.`).MatchString(page[rows:]) {
				t.Errorf("page %d: want the name of the block, got\n%s", k, page)
			}
			if got := strings.Contains(page, "A note."); got != last {
				t.Errorf("page %d: got the note %v, want %v", k, got, last)
			}
			if last && strings.Count(page, "\nalgorithm") < 5 {
				t.Errorf("want 5 rows or more beside the notes, got\n%s", page)
			}
		}
		if strings.Contains(text, "Not in LaTeX.") || !strings.Contains(text, "Only in LaTeX.") {
			t.Error("want the note that is for LaTeX, and not that for others")
		}
	})
}

// A table may be continued in more floats than the 52 that LaTeX keeps without the preamble.
func TestLaTeXKeepsManyFloats(t *testing.T) {
	x := &table.Table{Title: table.Plain("T"), Columns: []table.Column{{Name: table.Plain("row")}}}
	for k := range 3600 {
		x.Rows = append(x.Rows, table.Plains(fmt.Sprint(k)))
	}
	pdf, _ := compiled(t, documentClasses["one column"], x)
	text := textOf(t, pdf, "-raw")
	if n := strings.Count(text, "Table 1:"); n < 60 {
		t.Errorf("want 60 floats or more, got %d", n)
	}
	for k := range x.Rows {
		if !strings.Contains(text, fmt.Sprintf("\n%d\n", k)) {
			t.Fatalf("want row %d in the text of the PDF", k)
		}
	}
}

// TestLaTeXMergesEqualKeys writes rows with equal first keys as blocks, where there are two of a
// kind on average.
func TestLaTeXMergesEqualKeys(t *testing.T) {
	columns := []table.Column{{Name: table.Plain("p")}, {Name: table.Plain("a")}}
	pairs := &table.Table{Title: table.Plain("T"), Columns: columns, Keys: 2}
	blocks := &table.Table{Title: table.Plain("T"), Columns: columns[1:], Keys: 1}
	single := &table.Table{Title: table.Plain("T"), Columns: columns, Keys: 2}
	for i := range 6 {
		row := table.Plains(fmt.Sprint("p", i/2), fmt.Sprint("a", i))
		pairs.Rows = append(pairs.Rows, row)
		if i%2 == 0 {
			blocks.Blocks = append(blocks.Blocks, table.Block{Name: row[0]})
			single.Rows = append(single.Rows, row)
		}
		blocks.Blocks[i/2].Rows = append(blocks.Blocks[i/2].Rows, row[1:])
	}
	latex := func(x *table.Table) string {
		var out strings.Builder
		if err := table.WriteLaTeX(&out, x); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got, want := latex(pairs), latex(blocks); got != want {
		t.Errorf("want the table of blocks\n%s\ngot\n%s", want, got)
	}
	if got := latex(single); strings.Contains(got, `\ocoblock`) {
		t.Errorf("want no blocks of single rows, got\n%s", got)
	}
}

// TestLaTeXAlignsColumns reads in the PDF where each word stands: the numbers of a column have
// their points, and names their beginnings, at the same place, in both layouts of small print.
func TestLaTeXAlignsColumns(t *testing.T) {
	values := []string{"1.25", "-12.5", "123", "-0.02", "7777.1"}
	for name, columns := range map[string]int{"small print beside": 1, "small print below": 7} {
		t.Run(name, func(t *testing.T) {
			x := &table.Table{Title: table.Plain("T"), Columns: []table.Column{{Name: table.Plain("name")}}}
			for range columns {
				x.Columns = append(x.Columns, table.Column{Name: table.Plain("v")})
			}
			for k, v := range values {
				row := table.Plains(fmt.Sprint("name", k))
				for range columns {
					row = append(row, table.Text{Number: v, Small: []string{`$[4,\,5]$`}, Bold: k == 2})
				}
				x.Rows = append(x.Rows, row)
			}
			pdf, _ := compiled(t, documentClasses["one column"], x)
			word := regexp.MustCompile(`<word xMin="([0-9.]+)" .* xMax="([0-9.]+)" .*>(.*)</word>`)
			var left float64 // of names
			type box struct{ left, right float64 }
			boxes := make(map[string][]box)
			for _, m := range word.FindAllStringSubmatch(textOf(t, pdf, "-bbox"), -1) {
				var b box
				b.left, _ = strconv.ParseFloat(m[1], 64)
				b.right, _ = strconv.ParseFloat(m[2], 64)
				text := strings.Replace(m[3], "−", "-", 1)
				boxes[text] = append(boxes[text], b)
				if strings.HasPrefix(text, "name") {
					if left == 0 {
						left = b.left
					}
					if math.Abs(b.left-left) > 0.1 {
						t.Errorf("want %s at %v, got %v", text, left, b.left)
					}
				}
			}
			for _, v := range values {
				if len(boxes[v]) != columns {
					t.Fatalf("want %s %d times, got it %d times", v, columns, len(boxes[v]))
				}
			}
			one := boxes["123"][0]
			digit := (one.right - one.left) / 3
			two := boxes["1.25"][0]
			mark := two.right - two.left - 3*digit
			for k := range columns {
				for _, v := range values {
					point := boxes[v][k].right
					if _, decimals, ok := strings.Cut(v, "."); ok {
						point -= float64(digit*float64(len(decimals))) + mark
					}
					if want := boxes["123"][k].right; math.Abs(point-want) > 0.1 {
						t.Errorf("column %d: want the point of %s at %v, got %v", k, v, want, point)
					}
				}
			}
		})
	}
}

// TestLaTeXAlignsSigns reads in the PDF where the signs of verdicts stand: below each other, beside
// intervals of any width, texts among numbers, and cells of two lines.
func TestLaTeXAlignsSigns(t *testing.T) {
	below := table.Text{Plain: "1234567.", TeX: "1234567."}
	long := table.Text{Number: "0.5", Small: []string{`$[-12345.67,\,12345.67]$`}, Sign: "q"}
	cells := [][]table.Text{
		{{Number: "0.5", Small: []string{`$[4,\,5]$`}, Sign: "q"}, long, {Number: "12", Sign: "q"},
			{Plain: "none q", TeX: "none", Sign: "q"}, table.Plain("failed")},
		{{Plain: "short q", TeX: "short", Sign: "q"}, {Plain: "q", Sign: "q"},
			{Plain: "two lines q", TeX: "two lines", Sign: "q", Below: &below}, table.Plain("failed")},
	}
	for k, name := range []string{"numbers", "texts"} {
		t.Run(name, func(t *testing.T) {
			x := &table.Table{Title: table.Plain("T"), Columns: []table.Column{
				{Name: table.Plain("name")}, {Name: table.Plain("v"), Align: table.Right},
				{Name: table.Plain("last")}}}
			for _, cell := range cells[k] {
				x.Rows = append(x.Rows, []table.Text{table.Plain("name"), cell, table.Plain("end")})
			}
			pdf, _ := compiled(t, documentClasses["IEEE"], x)
			sign := regexp.MustCompile(`<word xMin="([0-9.]+)" .*>q</word>`)
			signs := sign.FindAllStringSubmatch(textOf(t, pdf, "-bbox"), -1)
			if want := len(cells[k]) - 1; len(signs) != want {
				t.Fatalf("want %d signs, got %d", want, len(signs))
			}
			want, _ := strconv.ParseFloat(signs[0][1], 64)
			for _, m := range signs {
				if at, _ := strconv.ParseFloat(m[1], 64); math.Abs(at-want) > 0.1 {
					t.Errorf("want every sign at %v, got one at %v", want, at)
				}
			}
		})
	}
}
