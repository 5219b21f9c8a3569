// Package page makes a page of analyses: one HTML file that needs no network, with
// tables, curves and the data behind them. The page computes nothing but its layout, and
// the verdict on two metrics together where the reader chooses others than those of the analysis.
//
//	analyses and their tables → Write → index.html
//
//	page.go             items, Write, and the parts of the script
//	pagedata.go         the data of a page, as JSON has it
//	build.go            an analysis → the data of an experiment
//	rounding.go         numbers of curves with fewer digits
//	sentences.go        what came out, in sentences
//	verdicts.go         the verdicts of the page, with their signs and meanings
//	rerun.go            the file and the command that run the experiment again
//	runs.go             the list of other pages
//	overwrite.go        whether a page may replace a file
//
// [Write] fills a template with the sentences and the tables, which are shown without script
// too, and with the data of pagedata.go as JSON, from which the script draws all else. Every
// text is escaped where it stands, so that a name is shown and is never run as code.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/store"
	"ocobench/report/table"
)

// Schema names the form of the data in a page.
const Schema = "ocobench report 1"

// An Item holds an experiment on a page.
type Item struct {
	Analysis *analysis.Analysis
	Tables   []*table.Table // the tables of the analysis; may be empty
	Omitted  []error        // names the views of the run that could not be drawn, and says why
	// Beside is the comparison of two stores, set where Analysis joins them; else nil.
	Beside *regression.Joint

	lastingData func() (itemData, error) // computes the data once; nil unless the item is lasting
}

// Lasting returns the item for use on several pages: its data is computed only once.
func (i Item) Lasting() Item {
	i.lastingData = sync.OnceValues(i.buildData)
	return i
}

// An itemData holds what the template and the script read about an experiment.
type itemData struct {
	templateItem
	data []byte // the JSON of an experiment
}

// buildData computes the data of an item: the facts and tables for the template, and the JSON of
// the experiment for the script. A table that cannot be written becomes an entry of Omitted.
func (i Item) buildData() (p itemData, err error) {
	x := buildExperiment(i.Analysis, i.Beside)
	p.templateItem = templateItem{Name: x.Requested.Name, Description: x.Requested.Description,
		Settings: x.Settings, Sentences: x.Sentences}
	for _, err := range i.Omitted {
		p.Omitted = append(p.Omitted, x.Requested.Name+": "+err.Error())
	}
	for _, t := range i.Tables {
		var html strings.Builder
		if err := table.WriteHTML(&html, t); err != nil {
			p.Omitted = append(p.Omitted, fmt.Sprintf("%s: a table is left out: %v", x.Requested.Name, err))
			continue
		}
		p.Tables = append(p.Tables, template.HTML(typesetNumbers(html.String())))
	}
	p.data, err = json.Marshal(x) // escapes <, > and &
	return p, err
}

// A Run names another page in the list at the head of a page. Href leads there from the directory
// of the page, with / between names, such as runs/quick/index.html. It is "" for the page itself.
type Run struct {
	Name, Href string
}

// templateData holds what the template of the page reads.
type templateData struct {
	Title   string
	Runs    []Run
	Program store.Provenance
	Items   []templateItem
	// Verdicts lists the verdicts of the table of the page, in the order of legends.
	Verdicts []verdictData
	Style    template.CSS
	Script   template.JS
	Data     template.JS // JSON
}

// templateItem holds what the template reads about an experiment.
type templateItem struct {
	Name, Description, Settings string
	Sentences                   []string // what came out
	Omitted                     []string // what could not be drawn, and why
	Tables                      []template.HTML
}

// Write writes the page of one or more experiments, in their order, with a list of runs at its head
// if there are any. The same analyses and tables give the same bytes. It returns an error of w, or
// of an analysis that cannot be encoded. A table that cannot be written is named among the omitted
// views of the page.
func Write(w io.Writer, items []Item, runs ...Run) error {
	if len(items) == 0 {
		return errors.New("report: a page of no experiments")
	}
	s := templateData{Program: store.CurrentProvenance(), Verdicts: verdicts(), Style: styleSheet(),
		Script: scriptText()}
	for _, r := range runs {
		if r.Href != "" {
			r.Href = (&url.URL{Path: r.Href}).String() // a name may have any letters
		}
		s.Runs = append(s.Runs, r)
	}
	var names []string
	var data [][]byte
	for _, i := range items {
		build := i.buildData
		if i.lastingData != nil {
			build = i.lastingData
		}
		p, err := build()
		if err != nil {
			return err
		}
		data = append(data, p.data)
		s.Items, names = append(s.Items, p.templateItem), append(names, p.Name)
	}
	s.Title = strings.Join(names, ", ")
	head, err := json.Marshal(pageData{Schema: Schema, Program: s.Program, Verdicts: s.Verdicts})
	if err != nil {
		return err
	}
	// The experiments are JSON already. They are spliced into the head, since json.Marshal would
	// validate and copy their curves again.
	s.Data = template.JS(slices.Concat(head[:len(head)-1], []byte(`,"experiments":[`),
		bytes.Join(data, []byte{','}), []byte("]}")))
	var out bytes.Buffer
	out.Grow(2 * len(s.Data)) // room for the tables too, so that the curves are not copied
	if err := pageTemplate().Execute(&out, s); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

//go:embed page.html *.css *.js
var files embed.FS

// scripts lists the files of the script in the order in which they are joined: a file may use at
// once only what a file before it defines.
var scripts = []string{"data.js", "state.js", "svg.js", "scale.js", "labels.js", "chart.js",
	"hover.js", "figures.js", "overview.js", "matrix.js", "detail.js", "versus.js", "main.js"}

// pageTemplate returns the template of a page. It is parsed when the first page is written, since
// most commands write none.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "page.html"))
})

// styleSheet returns the style sheet of the page.
func styleSheet() template.CSS {
	return template.CSS(readEmbedded("style.css") + readEmbedded("chart.css"))
}

// scriptText returns the script of the page, all files in one function.
func scriptText() template.JS {
	var out strings.Builder
	out.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		out.WriteString(readEmbedded(name))
	}
	out.WriteString("})();")
	return template.JS(out.String())
}

// readEmbedded returns an embedded file. It panics if the file does not exist.
func readEmbedded(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("report: " + err.Error())
	}
	return string(data)
}
