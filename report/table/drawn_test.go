package table_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/internal/golden"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// randomTable returns a table of any shape: with rows or blocks, keys that repeat, cells of several
// lines, small print, bold numbers, values for CSV, and notes for some formats; a tall one has
// many rows.
func randomTable(rng *rand.Rand, tall bool) *table.Table {
	flag := func() bool { return rng.IntN(4) == 0 }
	text := func(most int) table.Text {
		var words []string
		for range 1 + rng.IntN(most) {
			words = append(words, strings.Repeat(string(rune('a'+rng.IntN(26))), 1+rng.IntN(9)))
		}
		t := table.Plain(strings.Join(words, " "))
		switch rng.IntN(6) {
		case 0:
			t.TeX = tex.Escape(t.Plain) + ` $\hat{X}^{\max}_t = \sqrt{25}$`
		case 1:
			t.Plain = strings.Join(words, "_") + ":c=0.5,dim=3"
		case 2:
			below := table.Plain(t.Plain + " below")
			t.Below = &below
		}
		return t
	}
	size := math.Pow(10, float64(rng.IntN(6)))
	x := &table.Table{Title: text(12), Label: []string{"", "tab:drawn"}[rng.IntN(2)]}
	keys := 1 + rng.IntN(2)
	x.Keys = keys * rng.IntN(2)
	columns := keys + rng.IntN(9)
	kinds := make([]int, columns)
	for c := range columns {
		kinds[c] = rng.IntN(4)
		column := table.Column{Name: text(3), Align: table.Align(rng.IntN(3))}
		if flag() {
			column.CSV = []string{fmt.Sprint("value", c), fmt.Sprint("other", c)}
		}
		x.Columns = append(x.Columns, column)
	}
	number := func(kind int) (t table.Text) {
		v := size * (2*rng.Float64() - 1)
		switch kind {
		case 0:
			t = table.Interval(v, v-size, v+size)
		case 1:
			t = table.Number(v, math.NaN())
		case 2:
			t = table.Number([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.001, 1e12}[rng.IntN(5)], 2*size)
		default:
			t = text(3)
		}
		if t.Bold = flag(); flag() {
			t.Small = append(t.Small, "?")
		}
		return t
	}
	rows := func(n int) (rows [][]table.Text) {
		key := text(2)
		for range n {
			if flag() {
				key = text(2)
			}
			row := []table.Text{key}
			for c := 1; c < columns; c++ {
				cell := text(2)
				if c >= keys {
					cell = number(kinds[c])
				}
				row = append(row, cell)
			}
			for c := range row {
				if x.Columns[c].CSV != nil && flag() {
					row[c].CSV = []string{"1.5", fmt.Sprint(rng.IntN(99))}
				}
			}
			rows = append(rows, row)
		}
		return rows
	}
	most := 8
	if tall {
		most = 90
	}
	if rng.IntN(2) == 0 {
		x.Rows = rows(rng.IntN(most))
	} else {
		for range 1 + rng.IntN(4) {
			x.Blocks = append(x.Blocks, table.Block{Name: text(5), Rows: rows(rng.IntN(most))})
		}
	}
	for range rng.IntN(4) {
		note := text(60)
		note.Below, note.Aside = nil, flag()
		x.Notes = append(x.Notes, note)
	}
	return x
}

// TestDrawn freezes random tables in the formats that no library draws, as TestGolden freezes those
// that were made by hand.
func TestDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 44))
	var out strings.Builder
	for k := range 40 {
		x := randomTable(rng, k%4 == 3)
		fmt.Fprintf(&out, "%d, %d columns:", k, len(x.Columns))
		for _, w := range writers {
			if w.name == "terminal" || w.name == "markdown" {
				continue
			}
			var b bytes.Buffer
			if err := w.write(&b, x); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, " %s %.6x", w.name, sha256.Sum256(b.Bytes()))
		}
		fmt.Fprintln(&out)
	}
	golden.File(t, "drawn.sha256", out.String(), *update)
}
