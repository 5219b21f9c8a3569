package table_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"ocobench/internal/golden"
	"ocobench/report/table"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; commit them only if you understand the changes")

// writer writes a table in one of the formats, or for the page.
type writer struct {
	name, ext string
	write     func(io.Writer, *table.Table) error
}

// writers has a writer for each format, and that of the page.
var writers = func() []writer {
	all := []writer{{"html", "html", table.WriteHTML}}
	for _, f := range table.Formats {
		write := func(w io.Writer, t *table.Table) error { return f.Write(w, t) }
		all = append(all, writer{f.Name, f.Ext[1:], write})
	}
	return all
}()

// tables are written by every writer, and compared with the files of testdata.
var tables = map[string]*table.Table{
	// Formulas, numbers with small print, a column with a number and none, notes.
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
				{table.Plain("penalised-ftrl"), twoLines("10.5 ± 6.7", "t^0.39 [0.22, 0.56] transient"),
					twoLines("861 ± 33", "t^0.94 [0.88, 1.01] a + b·t^0.73"), twoLines("55 ± 42", "t^0.27 [0.11, 0.67]")},
				{table.Plain("ogd"), table.Plain("0 (rounding)"), twoLines("843 ± 31", "t^0.74 [0.71, 0.78]"),
					table.Plain("failed")},
			}},
			{Name: table.Plain("[hard]"), Rows: [][]table.Text{
				{table.Plain("ogd"), twoLines("-176063 ± 14744", "−t^1.28 [1.17, 1.55]"), table.Plain("–"),
					table.Plain("")},
			}},
		},
		Notes: []table.Text{table.Plain("Soft violation at T = 10000: penalised-ftrl 10.5 (c = 0.5), " +
			"861 (0.75), 55 (1). Against it: ogd lower at c = 0.75.")},
	},
	// Neither title nor rows.
	"bare": {Columns: []table.Column{{Name: table.Plain("nothing")}}},
}

// twoLines returns a cell of two lines.
func twoLines(text, below string) table.Text {
	under := table.Plain(below)
	return table.Text{Plain: text, Below: &under}
}

// At every width a line fits unless it has only the keys and one column, no word is
// lost or broken, and every grid has the keys.
func TestFoldedLinesFitAndLoseNoWord(t *testing.T) {
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
					t.Errorf("at %d: got the key %s %d times, want at least %d", width, word, now[word], n)
				}
				continue
			}
			if now[word] != want {
				t.Errorf("at %d %q is there %d times, want %d", width, word, now[word], want)
			}
		}
		if now["algorithm"] != grids {
			t.Errorf("at %d: want %d grids with a heading of the keys each, got %d", width, grids,
				now["algorithm"])
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSpace(line)
			if n := utf8.RuneCountInString(line); n > width && strings.Count(line, "│") > 3 {
				t.Errorf("at %d: got a line of %d characters, want at most %[1]d: %[3]s", width, n, line)
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
func TestHeadingStandsOnce(t *testing.T) {
	for _, heading := range []string{"", "short", "nine nine", "a heading that is too long"} {
		var out strings.Builder
		f := table.Folded{W: &out, Width: 50}
		f.Item(10, heading, strings.Repeat("words ", 20))
		if heading != "" && strings.Count(out.String(), heading) != 1 {
			t.Errorf("want the heading %q once, got\n%s", heading, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if text := strings.Index(line, "words"); len(line) > 51 || text != 10 && line != heading+"\n" {
				t.Errorf("got line %q of %q, want words in column 10, up to 50", line, heading)
			}
		}
	}
}

// Every writer returns an error for a malformed table, and writes nothing.
func TestMalformedTablesAreRefused(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			for _, w := range writers {
				var out bytes.Buffer
				if err := w.write(&out, tab); err == nil || out.Len() > 0 {
					t.Errorf("%s as %s: got error %v and %q written, want an error and nothing", name, w.name, err,
						&out)
				}
			}
		})
	}
}

// fullWriter fails as a full disk does.
type fullWriter struct{}

var errFull = errors.New("disk full")

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func TestErrorOfTheWriterIsReturned(t *testing.T) {
	for _, w := range writers {
		if err := w.write(fullWriter{}, tables["exponents"]); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", w.name, err, errFull)
		}
	}
}

func TestWrapLosesNoWord(t *testing.T) {
	text := "γ = 25; Theorem 1 asks for more than 9.67; averyveryverylongword ends"
	lines := table.Wrap(text, 20)
	if strings.Join(lines, " ") != text {
		t.Errorf("got %q, want the words of %q", lines, text)
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); n > 20 && strings.Contains(l, " ") {
			t.Errorf("got %q of %d characters, want at most 20", l, n)
		}
	}
}
