package table_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"ocobench/internal/golden"
	"ocobench/internal/tool"
	"ocobench/report/table"
	"ocobench/report/tex"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; commit them only if you understand the changes")

// writer writes a table in one of the formats, or for the page.
type writer struct {
	name, ext string
	write     func(io.Writer, *table.Table) error
}

var writers = func() []writer {
	all := []writer{{"html", "html", table.WriteHTML}}
	for _, f := range table.Formats {
		write := func(w io.Writer, t *table.Table) error { return f.Write(w, t) }
		all = append(all, writer{f.Name, f.Ext[1:], write})
	}
	return all
}()

// tables are written by every writer and compared with testdata.
var tables = map[string]*table.Table{
	"exponents": {
		Title: table.Text{
			Plain: "Growth exponents of Reg_T and V_T, 95% intervals",
			TeX:   `Growth exponents of $\mathrm{Reg}_T$ and $V_T$, 95\% intervals`,
		},
		Label: "tab:exponents",
		Columns: []table.Column{
			{Name: table.Plain("algorithm")},
			{Name: table.Plain("problem")},
			{Name: table.Text{Plain: "V_T", TeX: `$V_T$`}, Align: table.Right},
			{Name: table.Text{Plain: "≤ 1/2?", TeX: `$\le 1/2$?`}, Align: table.Center},
		},
		Rows: [][]table.Text{
			{table.Plain("penalised-ftrl:gamma=25"), table.Plain("decaying-frequency:c=0.5"),
				table.Exponent(0.523, 0.491, 0.554), table.Plain("within")},
			{table.Plain("primal-dual:step=5"), table.Plain("decaying-frequency:c=0.5"),
				table.Exponent(-0.001, -0.0304, 0.02), table.Plain("above")},
			{table.Plain("online-gradient"), table.Plain("i.i.d."), table.Number(math.NaN(), math.NaN()),
				table.Plain("open")},
		},
		Notes: []table.Text{
			table.Plain("30 replicates, T = 10000; intervals by bootstrap over replicates."),
			{Plain: "γ is the weight of the penalty.", TeX: `$\gamma$ is the weight of the penalty.`},
		},
	},
	// Characters that are syntax in some format.
	"hostile": {
		Title: table.Plain(`100% of "R&D" #1 {a_b} ~ $5 \x^2 | <tag> ≤ 3×γ`),
		Columns: []table.Column{
			{Name: table.Plain("a|b"), Align: table.Center},
			{Name: table.Plain("under_score")},
		},
		Rows: [][]table.Text{
			table.Plains("[begins with a bracket]", "x--y---z,,''``'"),
			table.Plains("two\nlines\tand tab", "`code` *bold* _it_ [a](b) <i> &amp; $x$"),
			table.Plains("café Łódź – “quoted”", "∑ √ ∞ ∈ x² ½ 😀 漢"),
			table.Plains("", `"a","b"`),
		},
	},
	// Groups of rows, and cells of two lines.
	"blocks": {
		Title: table.Plain("Violation at T by c"),
		Label: "tab:blocks",
		Columns: []table.Column{{Name: table.Plain("algorithm")},
			{Name: table.Plain("c = 0.5"), Align: table.Right},
			{Name: table.Plain("c = 0.75"), Align: table.Right},
			{Name: table.Plain("c = 1"), Align: table.Right}},
		Blocks: []table.Block{
			{Name: table.Text{Plain: "soft violation", TeX: `$V_t$`}, Rows: [][]table.Text{
				{table.Plain("penalised-ftrl"), two("10.5 ± 6.7", "t^0.39 [0.22, 0.56] transient"),
					two("861 ± 33", "t^0.94 [0.88, 1.01] a + b·t^0.73"), two("55 ± 42", "t^0.27 [0.11, 0.67]")},
				{table.Plain("ogd"), table.Plain("0 (rounding)"), two("843 ± 31", "t^0.74 [0.71, 0.78]"),
					table.Plain("failed")},
			}},
			{Name: table.Plain("[hard]"), Rows: [][]table.Text{
				{table.Plain("ogd"), two("-176063 ± 14744", "−t^1.28 [1.17, 1.55]"), table.Plain("–"),
					table.Plain("")},
			}},
		},
		Notes: []table.Text{table.Plain("Soft violation at T = 10000: penalised-ftrl 10.5 (c = 0.5), " +
			"861 (0.75), 55 (1). Against it: ogd lower at c = 0.75.")},
	},
	"bare": {Columns: []table.Column{{Name: table.Plain("nothing")}}},
}

// two returns a cell of two lines.
func two(text, below string) table.Text {
	under := table.Plain(below)
	return table.Text{Plain: text, Below: &under}
}

// narrow are widths at which the table blocks is written too.
var narrow = []int{80, 60, 40}

func TestNarrowGolden(t *testing.T) {
	for _, width := range narrow {
		var got bytes.Buffer
		if err := table.WriteTerminal(&got, tables["blocks"], width); err != nil {
			t.Fatal(err)
		}
		golden.File(t, fmt.Sprintf("blocks-%d.txt", width), got.String(), *update)
	}
}

// At every width a line fits unless it has only the keys and one column, no word is
// lost or broken, and every grid has the keys.
func TestFold(t *testing.T) {
	tab := tables["blocks"]
	texts := func(s string) (words []string) {
		for _, word := range strings.Fields(strings.NewReplacer("│", " ").Replace(s)) {
			if !strings.ContainsAny(word, "─") {
				words = append(words, word)
			}
		}
		return words
	}
	count := func(words []string) map[string]int {
		n := make(map[string]int)
		for _, w := range words {
			n[w]++
		}
		return n
	}
	write := func(width int) string {
		var out bytes.Buffer
		if err := table.WriteTerminal(&out, tab, width); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	whole := count(texts(write(0)))
	for width := 1; width <= 130; width++ {
		out := write(width)
		now := count(texts(out))
		grids := strings.Count(out, "┌")
		for word, n := range whole {
			want := n
			if word == "algorithm" || word == "ogd" || word == "penalised-ftrl" {
				if now[word] < n {
					t.Errorf("at %d the key %s is there %d times", width, word, now[word])
				}
				continue
			}
			if now[word] != want {
				t.Errorf("at %d %q is there %d times, want %d", width, word, now[word], want)
			}
		}
		if now["algorithm"] != grids {
			t.Errorf("at %d %d grids have %d headings of the keys", width, grids, now["algorithm"])
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSpace(line)
			if n := utf8.RuneCountInString(line); n > width && strings.Count(line, "│") > 3 {
				t.Errorf("at %d a line has %d characters: %s", width, n, line)
			}
		}
	}
}

func TestGolden(t *testing.T) {
	for name, tab := range tables {
		for _, w := range writers {
			var got bytes.Buffer
			if err := w.write(&got, tab); err != nil {
				t.Errorf("%s as %s: %v", name, w.name, err)
				continue
			}
			golden.File(t, name+"."+w.ext, got.String(), *update)
		}
	}
}

// TestWidthsDoNotDependOnTheLocale runs TestGolden with the variables that tablewriter reads when a
// program starts, some of which make it print × and γ two columns wide.
func TestWidthsDoNotDependOnTheLocale(t *testing.T) {
	for _, variable := range []string{"LC_ALL=C", "LC_ALL=zh_CN.UTF-8", "LC_ALL=ja_JP.UTF-8",
		"RUNEWIDTH_EASTASIAN=1"} {
		t.Run(variable, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestGolden$")
			cmd.Env = append(os.Environ(), "TERM=dumb", variable)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("want the same tables with %s: %v\n%s", variable, err, out)
			}
		})
	}
}

// A heading stands once, beside its text or, where it is too long, above; the text begins at its
// column.
func TestFolded(t *testing.T) {
	for _, heading := range []string{"", "short", "nine nine", "a heading that is too long"} {
		var out strings.Builder
		f := table.Folded{W: &out, Width: 50}
		f.Item(10, heading, strings.Repeat("words ", 20))
		if heading != "" && strings.Count(out.String(), heading) != 1 {
			t.Errorf("%q stands in\n%s", heading, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if text := strings.Index(line, "words"); len(line) > 51 || text != 10 && line != heading+"\n" {
				t.Errorf("%q of %q", line, heading)
			}
		}
	}
}

// A terminal shows a long cell in one line and in full.
func TestTerminalKeepsNamesWhole(t *testing.T) {
	name := "penalised-ftrl:" + strings.Repeat("parameter=1.25,", 40) + "gamma=25"
	tab := &table.Table{
		Columns: []table.Column{{Name: table.Plain("algorithm")}},
		Rows:    [][]table.Text{{table.Plain(name)}},
	}
	var out bytes.Buffer
	if err := table.WriteTerminal(&out, tab, 80); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), name) {
		t.Errorf("the name is not whole in\n%s", &out)
	}
}

// Every writer returns an error for a malformed table, and writes nothing.
func TestMalformed(t *testing.T) {
	for name, tab := range map[string]*table.Table{
		"no columns": {Title: table.Plain("t")},
		"ragged block": {Columns: make([]table.Column, 2),
			Blocks: []table.Block{{Rows: [][]table.Text{table.Plains("a")}}}},
		"rows and blocks": {Columns: make([]table.Column, 1), Rows: [][]table.Text{table.Plains("a")},
			Blocks: []table.Block{{Rows: [][]table.Text{table.Plains("a")}}}},
		"too many keys": {Columns: make([]table.Column, 1), Keys: 2},
		"ragged": {Columns: make([]table.Column, 2),
			Rows: [][]table.Text{table.Plains("a", "b"), table.Plains("a")}},
		"bad alignment": {Columns: []table.Column{{Align: 7}}},
	} {
		for _, w := range writers {
			var out bytes.Buffer
			if err := w.write(&out, tab); err == nil || out.Len() > 0 {
				t.Errorf("%s as %s: error %v, wrote %q", name, w.name, err, &out)
			}
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	for _, w := range writers {
		if err := w.write(full{}, tables["exponents"]); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", w.name, err, errFull)
		}
	}
}

// TestCompile compiles every table, and every character that package tex spells, with
// the packages that WriteLaTeX names.
func TestCompile(t *testing.T) {
	latex := tool.LaTeX(t)
	var doc bytes.Buffer
	doc.WriteString("\\documentclass{article}\n" + table.Preamble + "\\begin{document}\n")
	for _, name := range []string{"exponents", "hostile", "blocks", "bare"} {
		if err := table.WriteLaTeX(&doc, tables[name]); err != nil {
			t.Fatal(err)
		}
		doc.WriteString("\n")
	}
	for r := rune(0); r < 0x2800; r++ {
		doc.WriteString(tex.LaTeX(tex.Escape(string(r))) + "\n")
	}
	doc.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), doc.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("Missing character")) ||
		bytes.Contains(out, []byte("LaTeX Font Warning: Font shape")) {
		t.Errorf("pdflatex: %v\n%s", err, out)
	}
}

// overfull is what LaTeX says of a float that does not fit, or of a box by 2 pt or more: letters of
// small type are as wide as large ones times a factor, up to a percent.
var overfull = regexp.MustCompile(`(?m)^(Overfull .*\(([2-9]|\d\d+)\..*|LaTeX Warning: Float too .*|! .*)$`)

// Tables of any shape fit into an article of two columns, whatever stands in them: no line is wider
// than its column, or than the page, and no float is taller.
func TestLaTeXFits(t *testing.T) {
	latex := tool.LaTeX(t)
	rng := rand.New(rand.NewPCG(5, 10))
	text := func(most int) table.Text {
		var words []string
		formula := rng.IntN(3) == 0 // whose words are not cut
		for range 1 + rng.IntN(most) {
			n := 1 + rng.IntN(12)
			if !formula && most < 10 && rng.IntN(4) == 0 {
				n = 60
			}
			words = append(words, strings.Repeat(string(rune('a'+rng.IntN(26))), n))
		}
		plain := strings.Join(words, " ")
		if formula {
			return table.Text{Plain: plain + " x", TeX: tex.Escape(plain) + ` $\hat{X}^{\max}_t$`}
		}
		return table.Plain(plain)
	}
	var doc bytes.Buffer
	doc.WriteString("\\documentclass[10pt,a4paper,twocolumn]{article}\n" + table.Preamble +
		"\\begin{document}\nProse.\n")
	for k := range 15 {
		x := &table.Table{Title: text(20), Keys: 1 + rng.IntN(2)}
		columns, size := x.Keys+rng.IntN(14), math.Pow(10, float64(rng.IntN(6)))
		for range columns {
			x.Columns = append(x.Columns, table.Column{Name: text(3), Align: table.Align(rng.IntN(3))})
		}
		rows := func() (rows [][]table.Text) {
			for range 1 + rng.IntN(4) {
				var row []table.Text
				for c := range columns {
					switch v := size * rng.NormFloat64(); {
					case c < x.Keys || c%3 == 2:
						row = append(row, text(3))
					case c%3 == 0:
						row = append(row, table.Interval(v, v-size, v+size))
					default:
						row = append(row, table.Number(v, math.NaN()))
					}
				}
				rows = append(rows, row)
			}
			return rows
		}
		if rng.IntN(2) == 0 {
			x.Rows = rows()
		} else {
			for range 1 + rng.IntN(3) {
				x.Blocks = append(x.Blocks, table.Block{Name: text(12), Rows: rows()})
			}
		}
		for range rng.IntN(4) {
			x.Notes = append(x.Notes, text(100))
		}
		fmt.Fprintf(&doc, "\\typeout{Table %d}\n", k)
		if err := table.WriteLaTeX(&doc, x); err != nil {
			t.Fatal(err)
		}
		doc.WriteString("\\clearpage\n")
	}
	long := &table.Table{Title: table.Plain("More floats than LaTeX keeps"), Keys: 1,
		Columns: []table.Column{{Name: table.Plain("row")}}}
	for k := range 2700 {
		long.Rows = append(long.Rows, table.Plains(fmt.Sprint(k)))
	}
	from := doc.Len()
	if err := table.WriteLaTeX(&doc, long); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(doc.String()[from:], `\end{table`); n < 60 {
		t.Errorf("%d floats are kept anyway", n)
	}
	doc.WriteString("\\end{document}\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), doc.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(latex, "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if faults := overfull.FindAllString(string(out), -1); err != nil || len(faults) > 0 {
		t.Errorf("%v: %s", err, strings.Join(faults, "\n"))
	}
}

// Columns of words that are not broken are as large as they fit into a column of an article, else
// as they fit into its page, and else as small as can be. Keys are all in one part.
func TestLaTeXChoosesTheWidth(t *testing.T) {
	type form struct{ float, size string }
	seen := make(map[form]bool)
	for columns := 1; columns < 6; columns++ {
		for letters := 1; letters < 12; letters++ {
			word := strings.Repeat("m", letters)
			x := &table.Table{Title: table.Plain("T"), Keys: columns, Rows: make([][]table.Text, 1)}
			for range columns {
				x.Columns = append(x.Columns, table.Column{Name: table.Plain("m")})
				x.Rows[0] = append(x.Rows[0], table.Plain(word))
			}
			var b strings.Builder
			if err := table.WriteLaTeX(&b, x); err != nil {
				t.Fatal(err)
			}
			room := func(factor float64) float64 { // what the columns take, with 8 pt between them
				return float64(columns)*tex.Width(word)*factor + 8*float64(columns-1)
			}
			want := form{"table*", `\footnotesize`}
			for _, c := range []struct {
				width, factor float64
				form
			}{
				{345, 0.926, form{"table*", `\small`}}, {220, 0.85, form{"table", `\footnotesize`}},
				{220, 0.926, form{"table", `\small`}},
			} {
				if room(c.factor) <= c.width {
					want = c.form
				}
			}
			seen[want] = true
			if out := b.String(); strings.Count(out, `\begin{`+want.float+`}`) != 1 ||
				strings.Count(out, want.size) != 1 || strings.Count(out, word+` \\`) == 0 {
				t.Errorf("%d columns of %d letters: want %v:\n%s", columns, letters, want, out)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("only %v", seen)
	}
}

// The class of an article decides on its fonts: Latin Modern is loaded in place of Computer
// Modern, and beside no other roman. Its encoding stays, and no font is one of bits.
func TestPreambleKeepsFonts(t *testing.T) {
	latex := tool.LaTeX(t)
	for _, x := range []struct {
		before   string
		encoding string
		modern   bool
	}{
		{"", "T1", true},
		{`\renewcommand{\rmdefault}{ptm}`, "OT1", false}, // as IEEEtran does
		{`\usepackage[T1]{fontenc}\usepackage{times}`, "T1", false},
		{`\usepackage{lmodern}`, "OT1", true},
	} {
		var doc bytes.Buffer
		doc.WriteString("\\documentclass{article}\n" + x.before + "\n" + table.Preamble +
			"\\begin{document}\\typeout{Now \\encodingdefault.}\nProse, \\textbf{bold}, \\texttt{code}.\n")
		for _, name := range []string{"exponents", "blocks"} {
			if err := table.WriteLaTeX(&doc, tables[name]); err != nil {
				t.Fatal(err)
			}
		}
		for r := rune(0); r < 0x2200; r++ {
			doc.WriteString(tex.LaTeX(tex.Escape(string(r))) + "\n")
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
		if err != nil || bytes.Contains(out, []byte("Missing character")) ||
			bytes.Contains(out, []byte("Font Warning: Font shape")) ||
			!bytes.Contains(out, []byte("Now "+x.encoding+".")) ||
			bytes.Contains(out, []byte("lmr10.pfb")) != x.modern || bytes.Contains(out, []byte(".pk>")) {
			t.Errorf("%q: want %s, Latin Modern %v: %v\n%s", x.before, x.encoding, x.modern, err, out)
		}
	}
}

// A table that is too tall or too wide is continued: no row and no column is lost, keys
// stand in every part, and there is one label, and one number.
func TestLaTeXParts(t *testing.T) {
	large := &table.Table{Title: table.Plain("Large"), Label: "tab:large",
		Columns: []table.Column{{Name: table.Plain("problem")}, {Name: table.Plain("algorithm")}},
		Keys:    2}
	for k := range 12 {
		large.Columns = append(large.Columns,
			table.Column{Name: table.Plain(fmt.Sprintf("column%d", k)), Align: table.Right})
	}
	for i := range 90 {
		row := table.Plains(fmt.Sprintf("problem%d", i/30), fmt.Sprintf("algorithm%d.", i%30))
		for k := range 12 {
			cell := table.Interval(float64(100*i+k+10), float64(100*i+k+5), float64(100*i+k+15))
			cell.Bold = i == 7 && k == 3
			row = append(row, cell)
		}
		large.Rows = append(large.Rows, row)
	}
	large.Notes = []table.Text{table.Plain("A note."), {Plain: "Not in LaTeX.", Aside: true},
		{TeX: "Only in LaTeX."}}
	var b bytes.Buffer
	if err := table.WriteLaTeX(&b, large); err != nil {
		t.Fatal(err)
	}
	tex := b.String()
	parts := strings.Count(tex, `\begin{table*}`)
	count := func(what string, want int) {
		t.Helper()
		if n := strings.Count(tex, what); n != want {
			t.Errorf("%q stands %d times in %d parts, want %d", what, n, parts, want)
		}
	}
	if parts < 6 {
		t.Errorf("there are %d parts", parts)
	}
	count(`\end{table*}`, parts)
	count(`\caption{`, parts)
	count("(continued)", parts-1)
	count(`\addtocounter{table}{-1}`, parts-1)
	count(`\label{`, 1)
	count("A note.", 1)
	count("Not in LaTeX.", 0)
	count("Only in LaTeX.", 1)
	count(`\fontseries{b}\selectfont 713.0`, 1)
	sides := strings.Count(tex, "algorithm29. &") / 3
	for i := range 90 {
		for k := range 12 {
			count(fmt.Sprintf(" %d.0 ", 100*i+k+10), 1)
		}
		count(fmt.Sprintf("algorithm%d. &", i%30), 3*sides)
	}
	fewest, most := 12, 0 // columns of a part
	for _, part := range strings.Split(tex, `\begin{tabular}`)[1:] {
		n := strings.Count(part, "column")
		fewest, most = min(fewest, n), max(most, n)
	}
	if most > fewest+1 {
		t.Errorf("a part has %d columns, and another one %d", most, fewest)
	}
	b.Reset()
	large.Title = table.Text{} // no float: parts are paragraphs, below each other
	if err := table.WriteLaTeX(&b, large); err != nil {
		t.Fatal(err)
	}
	for k, part := range strings.Split(b.String(), `\begin{tabular}`)[1:parts] {
		if _, after, _ := strings.Cut(part, `\end{tabular}`); !strings.Contains(after, "\n\n") {
			t.Errorf("part %d and the next one are beside each other: %q", k, after)
		}
	}
	var markdown bytes.Buffer
	if err := table.WriteMarkdown(&markdown, large); err != nil {
		t.Fatal(err)
	}
	if text := markdown.String(); !strings.Contains(text, "Not in LaTeX.") ||
		strings.Contains(text, "Only in") || strings.Contains(text, "\n\n\n") {
		t.Error("Markdown does not have its notes, or has others")
	}
}

// In LaTeX, rows with equal first keys are a block, where there are two of a kind on average. A
// small block stays on one page, and no page is empty, however little room its title leaves.
func TestLaTeXBlocks(t *testing.T) {
	latex := func(x table.Table) string {
		x.Label = "tab:blocks"
		var b bytes.Buffer
		if err := table.WriteLaTeX(&b, &x); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	columns := []table.Column{{Name: table.Plain("p")}, {Name: table.Plain("a")},
		{Name: table.Plain("v")}}
	flat := table.Table{Title: table.Plain("T"), Columns: columns, Keys: 2}
	blocks := table.Table{Title: table.Plain("T"), Columns: columns[1:], Keys: 1}
	for i := range 60 {
		row := table.Plains(fmt.Sprintf("p%d.", i/2), fmt.Sprintf("a%d.", i), "v")
		flat.Rows = append(flat.Rows, row)
		if i%2 == 0 {
			blocks.Blocks = append(blocks.Blocks, table.Block{Name: row[0]})
		}
		b := &blocks.Blocks[i/2]
		b.Rows = append(b.Rows, row[1:])
	}
	tex := latex(flat)
	if tex != latex(blocks) {
		t.Error("30 pairs of rows with equal first keys are not 30 blocks")
	}
	pages := strings.Split(tex, `\begin{table`)[1:]
	if len(pages) < 2 {
		t.Errorf("60 rows are on %d page", len(pages))
	}
	for i := range 30 {
		for k, page := range pages {
			name := strings.Count(page, fmt.Sprintf("p%d.", i))
			first := strings.Count(page, fmt.Sprintf("a%d.", 2*i))
			if second := strings.Count(page, fmt.Sprintf("a%d.", 2*i+1)); name != first || name != second {
				t.Errorf("page %d has block %d %d times, and its rows %d and %d times", k, i, name, first,
					second)
			}
		}
	}
	flat.Rows[1] = table.Plains("q", "a1.", "v") // 31 kinds
	if n := strings.Count(latex(flat), "p0."); n != 1 {
		t.Errorf("the first key stands %d times", n)
	}
	blocks.Blocks = blocks.Blocks[:1]
	blocks.Title = table.Plain(strings.Repeat("a long title ", 300))
	for k, page := range strings.Split(latex(blocks), `\begin{table`)[1:] {
		if !strings.Contains(page, fmt.Sprintf("a%d.", k)) {
			t.Errorf("page %d has not its row", k)
		}
	}
}

// What a page of LaTeX begins with has its keys, also where they are those of the row before. Notes
// stand with the last rows, and are on as many pages as they take: a line has about 120 characters,
// and a page 60 lines.
func TestLaTeXPages(t *testing.T) {
	pages := func(x *table.Table) []string {
		var b bytes.Buffer
		if err := table.WriteLaTeX(&b, x); err != nil {
			t.Fatal(err)
		}
		return strings.Split(b.String(), `\begin{table`)[1:]
	}
	rows := &table.Table{Title: table.Plain("T"), Keys: 2, Blocks: []table.Block{{Name: table.Plain("b")}},
		Columns: []table.Column{{Name: table.Plain("p")}, {Name: table.Plain("a")}}}
	for i := range 100 {
		rows.Blocks[0].Rows = append(rows.Blocks[0].Rows, table.Plains("same.", fmt.Sprintf("a%d.", i)))
	}
	for k, page := range pages(rows) {
		if n := strings.Count(page, "same."); n != 1 {
			t.Errorf("page %d has the first key %d times", k, n)
		}
	}
	x := &table.Table{Title: table.Plain("T"), Keys: 1, Columns: rows.Columns[1:]}
	for range 2 {
		x.Notes = append(x.Notes, table.Plain("note "+strings.Repeat("word ", 120)))
	}
	for n := range 120 { // rows in blocks of 12
		if n%12 == 0 {
			x.Blocks = append(x.Blocks, table.Block{Name: table.Plain("b")})
		}
		b, last := &x.Blocks[n/12], fmt.Sprintf("a%d.", n)
		b.Rows = append(b.Rows, table.Plains(last))
		one := &table.Table{Title: x.Title, Keys: 1, Columns: x.Columns, Notes: x.Notes}
		for _, b := range x.Blocks {
			one.Rows = append(one.Rows, b.Rows...)
		}
		for _, x := range []*table.Table{x, one} {
			all := pages(x)
			page := all[len(all)-1]
			if strings.Count(page, "note ") != 2 || !strings.Contains(page, last) ||
				n > 12 && !strings.Contains(page, fmt.Sprintf("a%d.", n-4)) && x == one {
				t.Fatalf("%d rows: the last page has not the last rows with all notes:\n%s", n+1, page)
			}
		}
	}
	for name, note := range map[string]table.Text{
		"plain": table.Plain("note " + strings.Repeat("word ", 120)),
		"TeX":   {TeX: "note " + strings.Repeat("word ", 120)},
	} {
		x := &table.Table{Title: table.Plain("T"), Columns: []table.Column{{Name: table.Plain("p")}},
			Rows: [][]table.Text{table.Plains("r")}}
		for range 40 {
			x.Notes = append(x.Notes, note)
		}
		all := 0
		for k, page := range pages(x) {
			n := strings.Count(page, "note ")
			if all += n; n > 12 {
				t.Errorf("%s: page %d has %d notes of 5 lines", name, k, n)
			}
		}
		if all != 40 {
			t.Errorf("%s: %d notes of 40 are there", name, all)
		}
	}
}

func TestWrap(t *testing.T) {
	text := "γ = 25; Theorem 1 asks for more than 9.67; averyveryverylongword ends"
	lines := table.Wrap(text, 20)
	if strings.Join(lines, " ") != text {
		t.Errorf("%q", lines)
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); n > 20 && strings.Contains(l, " ") {
			t.Errorf("%q has %d characters", l, n)
		}
	}
}
