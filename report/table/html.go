package table

import (
	"bytes"
	"html/template"
	"io"
)

// WriteHTML writes t as an HTML table, with its title as the caption, a row group for
// each block, and its notes as paragraphs below. Column headings, key cells and names
// of blocks have a scope, so that a screen reader reads them out with each cell. The
// classes right and center align a cell. A note is a paragraph of class note.
func WriteHTML(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := htmlTable.Execute(&out, t.html()); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// An htmlPage is a table in the form that the template reads.
type htmlPage struct {
	Title   string
	Width   int // columns
	Heads   []htmlCell
	Groups  []htmlGroup
	Notes   []string
	Grouped bool
}

// An htmlGroup is a block of rows under a name.
type htmlGroup struct {
	Name string
	Rows [][]htmlCell
}

// An htmlCell is a cell, with a line for each Text below another.
type htmlCell struct {
	Key   bool   // names the row
	Class string // of an alignment that is not left
	Lines []string
}

// html returns the table in the form that the template reads.
func (t *Table) html() htmlPage {
	cells := func(row []Text) (cells []htmlCell) {
		for k, text := range row {
			c := htmlCell{Key: k < max(1, t.Keys),
				Class: map[Align]string{Right: "right", Center: "center"}[t.Columns[k].Align]}
			for _, line := range text.cellLines() {
				c.Lines = append(c.Lines, line.Plain)
			}
			cells = append(cells, c)
		}
		return cells
	}
	p := htmlPage{Title: t.Title.Plain, Width: len(t.Columns), Heads: cells(t.headings()),
		Grouped: t.Blocks != nil}
	for _, b := range t.allBlocks() {
		g := htmlGroup{Name: b.Name.Plain}
		for _, row := range b.Rows {
			g.Rows = append(g.Rows, cells(row))
		}
		p.Groups = append(p.Groups, g)
	}
	for _, note := range t.Notes {
		if note.Plain != "" { // a note without a plain form is for LaTeX only
			p.Notes = append(p.Notes, note.Plain)
		}
	}
	return p
}

// htmlTable is the template of a table, filled with an [htmlPage].
var htmlTable = template.Must(template.New("table").Parse(`<table>
{{- with .Title}}
<caption>{{.}}</caption>
{{- end}}
<thead>
<tr>{{range .Heads}}<th scope="col"{{template "class" .}}>{{template "lines" .}}</th>{{end}}</tr>
</thead>
{{- range .Groups}}
<tbody>
{{- if $.Grouped}}
<tr><th scope="rowgroup" colspan="{{$.Width}}">{{.Name}}</th></tr>
{{- end}}
{{- range .Rows}}
<tr>{{range .}}{{if .Key}}<th scope="row"{{template "class" .}}>{{template "lines" .}}</th>{{else}}<td{{template "class" .}}>{{template "lines" .}}</td>{{end}}{{end}}</tr>
{{- end}}
</tbody>
{{- end}}
</table>
{{- range .Notes}}
<p class="note">{{.}}</p>
{{- end}}
{{/* the parts */}}
{{- define "class"}}{{with .Class}} class="{{.}}"{{end}}{{end}}
{{- define "lines"}}{{range $k, $line := .Lines}}{{if $k}}<br>{{end}}{{$line}}{{end}}{{end}}`))
