package table_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"

	"ocobench/report/table"
)

// A reader of HTML finds the elements of a table and no others, whatever its texts are,
// and in them these texts.
func TestHTMLReadsBack(t *testing.T) {
	hostile := []string{"<script>alert(1)</script>", "</td></tr></table><script>", "<!-- ", "]]>",
		`"'>`, "&amp;", "a\u2028b", "</caption>", "<br>", "{{.}}"}
	tab := &table.Table{Title: table.Plain(hostile[7]), Keys: 2}
	for _, s := range hostile {
		tab.Columns = append(tab.Columns, table.Column{Name: table.Plain(s), Align: table.Center})
	}
	tab.Blocks = []table.Block{{Name: table.Plain(hostile[1]),
		Rows: [][]table.Text{table.Plains(hostile...)}}}
	tab.Notes = []table.Text{table.Plain(hostile[0]), {TeX: "for LaTeX only"}}
	var out bytes.Buffer
	if err := table.WriteHTML(&out, tab); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&out)
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var texts []string
	elements := make(map[string]int)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
		case xml.CharData:
			if s := string(token); s != "\n" {
				texts = append(texts, s)
			}
		default:
			if _, end := token.(xml.EndElement); !end {
				t.Errorf("got %T, want elements and text", token)
			}
		}
	}
	want := slices.Concat([]string{hostile[7]}, hostile, []string{hostile[1]}, hostile,
		[]string{hostile[0]})
	if !slices.Equal(texts, want) {
		t.Errorf("the texts are %q, want %q", texts, want)
	}
	for name, n := range map[string]int{
		"table": 1, "caption": 1, "thead": 1, "tbody": 1, "tr": 3, "th": 10 + 1 + 2, "td": 8, "p": 1,
	} {
		t.Run(name, func(t *testing.T) {
			if elements[name] != n {
				t.Errorf("%d elements %s, want %d", elements[name], name, n)
			}
			delete(elements, name)
		})
	}
	if len(elements) > 0 {
		t.Errorf("got other elements %v, want none", elements)
	}
}
