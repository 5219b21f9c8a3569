package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/harness/run/runtest"
	"ocobench/internal/long"
	"ocobench/internal/tool"
	"ocobench/problems"
	"ocobench/report"
	"ocobench/report/page"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

var catalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

func TestMain(m *testing.M) {
	long.InMemory()
	flag.Set("test.parallel", "4") // of two processors, the tests wait for the browser
	os.Exit(m.Run())
}

// TestReaderFindsTheNumbersInABrowser uses pages as a reader does, in tabs of one Chromium: with
// the mouse and the keyboard, and by what is seen. Every subtest fails too if its page says
// anything on the console or asks the network for anything.
func TestReaderFindsTheNumbersInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("tests in a browser take half a minute")
	}
	b := start(t)
	a := play(t, small)
	u := user{b, a, write(t, a)}
	u.page(t, "") // or all tests wait for it
	for _, c := range []struct {
		name string
		test func(user, *testing.T)
	}{
		{"judged growth", user.judgedGrowth},
		{"empty sets", user.empty},
		{"numbers", user.numbers},
		{"opening by mouse", user.openingByMouse},
		{"downloads", user.downloads},
		{"history", user.history},
		{"names", user.names},
		{"without script", user.withoutScript},
		{"print", user.print},
		{"colours", user.colours},
		{"phone", user.phone},
		{"accessibility", user.accessibility},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(u, t)
		})
	}
}

// user is what the tests share: a browser, and an analysis with its page.
type user struct {
	chromium
	a    *analysis.Analysis
	file string
}

// title returns the name of an algorithm or a problem on the page.
func (u user) title(spec string) string { return tex.Unicode(report.Name(u.a.Entry(spec))) }

func (u user) page(t *testing.T, fragment string) *tab { return u.open(t, u.file, fragment) }

// small has a pair that is not played, a deterministic problem, claims that are met and
// claims that are open, and bounds.
const small = `
name: small
description: Four algorithms on two problems
horizon: 1000
replicates: 4
seed: 1
problems: [{use: iid, dim: 2}, {use: shrinking}]
algorithms: [{use: ogd}, {use: penalised-ftrl, label: Penalised FTRL}, {use: yu-neely-wei}, {use: mahdavi}]
`

// play plays an experiment and analyses it.
func play(t *testing.T, experiment string) *analysis.Analysis {
	t.Helper()
	return snapshot(t, experiment).Analysis
}

// snapshot plays an experiment, and takes a snapshot with its analysis.
func snapshot(t *testing.T, experiment string) *regression.Snapshot {
	t.Helper()
	e, err := spec.Parse("test.yaml", []byte(experiment))
	if err != nil {
		t.Fatal(err)
	}
	results := runtest.Play(t, t.TempDir(), catalog, e)
	snapshot := regression.TakeFitted(results)
	snapshot.Analysis, err = analysis.NewUnfitted(catalog, results).Fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// write writes the page of some analyses, each with a table.
func write(t *testing.T, all ...*analysis.Analysis) (file string) {
	t.Helper()
	var items []page.Item
	for _, a := range all {
		items = append(items, page.Item{Analysis: a, Tables: []*table.Table{{
			Title:   table.Plain("A first table"),
			Columns: []table.Column{{Name: table.Plain("algorithm")}, {Name: table.Plain("value")}},
			Rows:    [][]table.Text{{table.Plain("ogd"), table.Plain("4711")}},
		}}})
	}
	return writeItems(t, items...)
}

// writeItems writes a page.
func writeItems(t *testing.T, items ...page.Item) (file string) {
	t.Helper()
	var html bytes.Buffer
	if err := page.Write(&html, items); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(file, html.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// cell is a cell of the matrix as the page has it.
type cell struct{ Algorithm, Problem, Value, Verdict, Text string }

func (c cell) pair() [2]string { return [2]string{c.Algorithm, c.Problem} }

// value returns the number of the cell, and whether there is one.
func (c cell) value(t *testing.T) (v float64, ok bool) {
	t.Helper()
	if c.Value == "" {
		return math.NaN(), false
	}
	v, err := strconv.ParseFloat(c.Value, 64)
	if err != nil {
		t.Errorf("the data-value of %v: got error %v, want a number", c, err)
	}
	return v, err == nil
}

// cells returns the visible cells of the matrix by row; those of pairs that are not played have
// no algorithm.
func (p *tab) cells() (rows [][]cell) {
	p.Helper()
	return look[[][]cell](p, `
		const rows = [...document.querySelectorAll("#matrix-table tbody tr")].filter(r => r.checkVisibility());
		return rows.map(r => [...r.querySelectorAll("td")].filter(d => d.checkVisibility()).map(d => ({
			algorithm: d.classList.contains("none") ? "" : d.dataset.algorithm,
			problem: d.classList.contains("none") ? "" : d.dataset.problem,
			value: d.dataset.value ?? "", verdict: d.dataset.verdict ?? "", text: d.innerText,
		})))`)
}

// played returns the cells of pairs that are played, by algorithm and problem.
func (p *tab) played() map[[2]string]cell {
	p.Helper()
	all := make(map[[2]string]cell)
	for _, row := range p.cells() {
		for _, c := range row {
			if c.Algorithm != "" {
				all[c.pair()] = c
			}
		}
	}
	return all
}

// button returns the selector of the button in a cell.
func button(algorithm, problem string) string {
	return fmt.Sprintf("#matrix-table td[data-algorithm=%q][data-problem=%q] button", algorithm,
		problem)
}

// numbers checks that every number of the matrix has all bits of the analysis, and is shown rounded
// to its digits.
func (u user) numbers(t *testing.T) {
	p := u.page(t, "")
	metrics := p.options("#metric")
	for _, m := range u.a.Metrics {
		has := slices.ContainsFunc(u.a.Pairs,
			func(p analysis.Pair) bool { return len(p.Series[m.Name].Mean.Value) > 0 })
		if slices.Contains(metrics, string(m.Name)) != has {
			t.Errorf("%s: got offered %v, want %v as measured", m.Name, !has, has)
		}
	}
	for _, metric := range metrics {
		p.choose("#metric", metric)
		for _, show := range []string{"both", "final", "exponent", "verdict", "bound"} {
			p.choose("#show", show)
			cells := p.played()
			if len(cells) != len(u.a.Pairs) {
				t.Errorf("%s, %s: got %d pairs, want %d as played", metric, show, len(cells), len(u.a.Pairs))
			}
			for i := range u.a.Pairs {
				pair := &u.a.Pairs[i]
				c := cells[[2]string{pair.Algorithm, pair.Problem}]
				what := fmt.Sprintf("%s, %s of %s on %s", metric, show, pair.Algorithm, pair.Problem)
				want, verdict, other := shown(pair, algorithms.Metric(metric), show)
				got, ok := c.value(t)
				if ok != want.Defined() || ok && math.Float64bits(got) != math.Float64bits(float64(want)) {
					t.Errorf("%s: got %q, want %v of the analysis", what, c.Value, want)
				}
				if ok && !agrees(c.Text, got) && !strings.Contains(c.Text, "rounding") {
					t.Errorf("%s: got %q, want %v rounded", what, c.Text, got)
				}
				if c.Verdict != verdictKey(verdict) {
					t.Errorf("%s: got verdict %q, want %q of the analysis", what, c.Verdict, verdict)
				}
				if verdict != "" && show != "final" && !strings.Contains(c.Text, verdict.Sign()) {
					t.Errorf("%s: got %q, want the sign %q of this metric", what, c.Text, verdict.Sign())
				}
				if other != "" && !strings.Contains(c.Text, u.a.Metric(other).Title) {
					t.Errorf("%s: got %q, want the title of %s", what, c.Text, other)
				}
			}
		}
	}
}

// verdictKey returns a verdict as the script and the style sheet name it, such as at-most.
func verdictKey(v stats.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") }

// shown returns what the matrix shows of a pair: a number, a verdict, and the metric that both
// are about where it is not the one that is chosen.
func shown(p *analysis.Pair, metric algorithms.Metric, show string) (value analysis.Number,
	verdict stats.Verdict, other algorithms.Metric) {
	s := p.Series[metric]
	exponent := func(s *analysis.Series) analysis.Number {
		e, ok := s.Judged()
		if !ok || s.NeverPositive() || s.SqrtVerdict == stats.TooLittle || s.SqrtVerdict == "" {
			return none
		}
		return e.Value
	}
	var j analysis.Judgement
	switch {
	case strings.HasPrefix(string(metric), "regret"):
		j = p.Regret
	case strings.HasPrefix(string(metric), "violation"):
		j = p.Violation
	}
	switch {
	case show == "verdict" && j.Verdict != "":
		value, verdict = exponent(p.Series[j.Metric]), j.Verdict
	case show == "bound" && j.Bound != nil && j.Bound.State != "unstated":
		value = j.Bound.Ratio.Value
		verdict = map[analysis.BoundState]stats.Verdict{analysis.Held: stats.AtMost,
			analysis.Broken: stats.Above, analysis.Unsettled: stats.Undecided}[j.Bound.State]
	case show == "verdict", show == "bound", len(s.Mean.Value) == 0:
		return none, "", ""
	case show == "final", show == "both":
		return s.Mean.Last().Value, s.SqrtVerdict, ""
	default:
		return exponent(s), s.SqrtVerdict, ""
	}
	if j.Metric != metric {
		other = j.Metric
	}
	return value, verdict, other
}

// none is a number that is missing.
var none = analysis.Number(math.NaN())

// number is how a page shows one: with thin spaces, a minus, and as a power of ten.
var number = regexp.MustCompile(`([−-]?)(\d[\d\x{2009}\x{202f}]*)(?:\.(\d+))?(?:\s?[×·]\s?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|e([+-]?\d+))?(\s?%)?`)

// agrees reports whether the first number of a text is v rounded to the digits that the text has.
func agrees(text string, v float64) bool {
	if math.IsInf(v, 0) {
		return strings.Contains(text, "∞") && strings.ContainsAny(text, "−-") == (v < 0)
	}
	m := number.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if m[6] != "" {
		v = float64(v * 100)
	}
	power := 0
	for i, digit := range []string{"⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵",
		"5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9"} {
		if i%2 == 0 {
			m[4] = strings.ReplaceAll(m[4], digit,
				[]string{"-", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}[i/2])
		}
	}
	if s := m[4] + m[5]; s != "" {
		power, _ = strconv.Atoi(s)
	}
	whole := strings.Map(func(r rune) rune {
		if r == '\u2009' || r == '\u202f' {
			return -1
		}
		return r
	}, m[2])
	digits := whole + m[3]
	shown, err := strconv.ParseFloat(whole+"."+m[3]+"0", 64)
	if err != nil {
		return false
	}
	if m[1] != "" {
		shown = -shown
	}
	unit := -len(m[3]) // of the last digit
	if m[3] == "" {
		// which may stand in for others
		for n := len(digits); n > 3 && strings.HasSuffix(digits[:n], "0"); n-- {
			unit++
		}
	}
	return math.Abs(shown-v*math.Pow10(-power)) <= 0.5000001*math.Pow10(unit)
}

// opened checks that the open cell has an algorithm and a problem.
func (u user) opened(p *tab, algorithm, problem string) {
	p.Helper()
	if !look[bool](p, `return document.querySelector("#detail").checkVisibility()`) {
		p.Fatalf("%s on %s is not open", algorithm, problem)
	}
	p.focus("#detail-title")
	title := p.text("#detail-title")
	for _, name := range []string{u.title(algorithm), u.title(problem)} {
		if !strings.Contains(title, name) {
			p.Errorf("the title is %q, without %q", title, name)
		}
	}
	for _, selector := range []string{"#curves figure svg[role=img] title", "#curves figcaption",
		"#facts caption", "#facts td", "#members input:checked"} {
		p.there(selector)
	}
}

// openingByMouse opens and closes cells by clicks, and adds algorithms to the chart by clicks with
// Ctrl.
func (u user) openingByMouse(t *testing.T) {
	p := u.page(t, "")
	at := button("ogd", "iid")
	p.click(at)
	u.opened(p, "ogd", "iid")
	p.keys(kb.Escape)
	if look[bool](p, `return document.querySelector("#detail").checkVisibility()`) {
		t.Error("Escape: got the cell open, want it closed")
	}
	p.focus(at)
	p.click(at)
	p.click("#close")
	if look[bool](p, `return document.querySelector("#detail").checkVisibility()`) {
		t.Error("closed: got the cell open, want it closed")
	}
	p.focus(at)
	p.click(at)
	members := func(want ...string) {
		t.Helper()
		got := look[[]string](p, `return [...document.querySelectorAll("#members input:checked")].map(i => i.value)`)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("the chart has %q, want %q", got, want)
		}
	}
	members("ogd", "penalised-ftrl")
	with := chromedp.ButtonModifiers(chromedp.ModifierCtrl)
	p.click(button("mahdavi", "iid"), with)
	members("mahdavi", "ogd", "penalised-ftrl")
	p.click(at, with)
	members("mahdavi", "penalised-ftrl")
	p.click(button("ogd", "shrinking"), with) // there is nothing to join
	u.opened(p, "ogd", "shrinking")
}

// downloading is locked while a tab downloads: all tabs share the directory for it.
var downloading sync.Mutex

// download clicks and waits for the file that it brings.
func (p *tab) download(selector, suffix string) (text string) {
	p.Helper()
	downloading.Lock()
	defer downloading.Unlock()
	dir := p.TempDir()
	yes := true
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior,
		browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow,
			DownloadPath: dir, EventsEnabled: &yes})
	if err != nil {
		p.Fatal(err)
	}
	p.click(selector)
	for start := time.Now(); time.Since(start) < patience; time.Sleep(5 * time.Millisecond) {
		names, _ := filepath.Glob(filepath.Join(dir, "*"+suffix))
		if len(names) == 0 {
			continue
		}
		data, err := os.ReadFile(names[0])
		if err != nil {
			p.Fatal(err)
		}
		if len(data) > 0 {
			return string(data)
		}
	}
	found, _ := os.ReadDir(dir)
	p.Fatalf("no file *%s comes from %s, but %v", suffix, selector, found)
	return ""
}

// The file of a figure is what is seen, without the style of the page.
func (u user) downloads(t *testing.T) {
	p := u.page(t, "")
	p.click(button("ogd", "iid"))
	labels := look[[]string](p, `return [...document.querySelectorAll("#curves button")].map(b => b.dataset.test = b.innerText.trim())`)
	if !slices.Contains(labels, "SVG") {
		t.Fatalf("the figure has the buttons %q, want SVG among them", labels)
	}
	svg := p.download("#curves button[data-test=SVG]", ".svg")
	elements, words := make(map[string]int), ""
	d := xml.NewDecoder(strings.NewReader(svg))
	for root := ""; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if root == "" {
				if root = token.Name.Local; root != "svg" || token.Name.Space != "http://www.w3.org/2000/svg" {
					t.Errorf("got root %v, want svg", token.Name)
				}
			}
			elements[token.Name.Local]++
		case xml.CharData:
			words += string(token)
		}
	}
	if strings.Contains(svg, "var(") || strings.Contains(svg, "currentColor") {
		t.Error("got an SVG that needs the style of the page, want its own colours")
	}
	if n := elements["script"] + elements["foreignObject"] + elements["image"]; n > 0 {
		t.Errorf("got elements %v, want no script, foreignObject or image", elements)
	}
	for name, want := range look[map[string]int](p, `
		const all = {};
		for (const e of document.querySelectorAll("#curves svg :is(path, polyline, circle)")) all[e.localName] = (all[e.localName] ?? 0) + 1;
		return all`) {
		// but for what shows where the pointer is
		if elements[name] < want*9/10 || elements[name] > want {
			t.Errorf("the SVG has %d of %s, the page %d", elements[name], name, want)
		}
	}
	if !strings.Contains(words, u.title("ogd")) {
		t.Errorf("got texts %q, want the name of ogd", words)
	}
}

// state returns all that a reader sees of what was chosen.
func (p *tab) state() map[string]any {
	p.Helper()
	p.frames(3)
	return look[map[string]any](p, `
		const all = {};
		for (const e of document.querySelectorAll("main select, main input"))
			if (e.checkVisibility()) all[(e.closest("section")?.id ?? "") + " " + (e.id || e.closest("label")?.innerText || e.name)] = e.type === "checkbox" ? e.checked : e.value;
		all.sort = [...document.querySelectorAll("#matrix-table th")].map(h => h.getAttribute("aria-sort") ?? "none").join();
		all.matrix = [...document.querySelectorAll("#matrix-table tr")].filter(r => r.checkVisibility()).map(r => r.innerText);
		all.detail = document.querySelector("#detail").checkVisibility() ? document.querySelector("#detail").innerText : "";
		all.figures = [...document.querySelectorAll("main svg")].filter(s => s.checkVisibility()).map(s => s.textContent);
		all.count = document.querySelector("#count").innerText;
		return all`)
}

// same compares two states.
func same(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: got (+), want (-):\n%s", what, diff)
	}
}

// A change of the fragment changes the view, and the history goes back and forth between
// open cells.
func (u user) history(t *testing.T) {
	p := u.page(t, "")
	start := p.state()
	look[any](p, "location.hash = 'metric=violation_hard&show=exponent'")
	p.frames(1)
	if got := look[string](p, "return document.querySelector('#metric').value + ' ' + "+
		"document.querySelector('#show').value"); got != "violation_hard exponent" {
		t.Errorf("got chosen %q, want violation_hard exponent", got)
	}
	p.visit("")
	p.click(button("ogd", "iid"))
	ogd := p.text("#detail-title")
	p.click(button("mahdavi", "iid"))
	mahdavi := p.text("#detail-title")
	p.click(button("mahdavi", "shrinking"))
	last := p.text("#detail-title")
	for _, step := range []struct{ by, title string }{{"back", mahdavi}, {"back", ogd}, {"back", ""}, {"forward", ogd}, {"forward", mahdavi}, {"forward", last}} {
		look[any](p, "history[$0]()", step.by)
		p.until(`document.querySelector("#detail").checkVisibility() === ($0 !== "") && ($0 === "" || document.querySelector("#detail-title").textContent === $0)`, step.title)
		if step.title == "" {
			same(t, "back to the start", p.state(), start)
		}
	}
}

// hostile are names that would do something if they were not escaped.
var hostile = []string{
	`<script>window.pwned=1</script>`, `</script><script>window.pwned=2</script>`, `<img src=x onerror="window.pwned=3">`,
	`"onmouseover="window.pwned=4" x='`, `--><svg onload=window.pwned=5>`, `{{.}} ${window.pwned=6}`, `OGD^2 γ| &lt;b&gt; &amp;amp; \u003c`,
}

// Names do nothing and are shown as they are.
func (u user) names(t *testing.T) {
	a := *u.a
	a.Algorithms, a.Problems = slices.Clone(a.Algorithms), slices.Clone(a.Problems)
	a.Experiment.Name, a.Experiment.Description = hostile[3], hostile[0]+" "+hostile[1]
	a.Pairs = slices.Clone(a.Pairs)
	a.Pairs[0].Failed, a.Pairs[0].Failure, a.Algorithms[0].Doc = 1, hostile[0], hostile[1]
	for i := range a.Algorithms {
		a.Algorithms[i].Label = hostile[i]
	}
	for i := range a.Problems {
		a.Problems[i].Label = hostile[len(hostile)-1-i]
	}
	p := u.open(t, write(t, &a), "q="+strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22").Replace(hostile[0]))
	harmless := func(when string) {
		t.Helper()
		if v := look[any](p, "return window.pwned"); v != nil {
			t.Errorf("%s: got a name that ran: %v, want text", when, v)
		}
		if all := look[[]string](p, `return [...[...document.scripts].slice(2), ...document.querySelectorAll("img, [onerror], [onload], [onmouseover], svg svg")].map(e => e.outerHTML.slice(0, 200))`); len(all) > 0 {
			t.Errorf("%s: got elements of names %q, want text", when, all)
		}
	}
	harmless("opening")
	p.click("#clear")
	shows := func(name, selector string) {
		t.Helper()
		texts := look[[]string](p,
			"return [...document.querySelectorAll($0)].map(e => e.textContent)", selector)
		if !strings.Contains(strings.Join(texts, "\n"), name) {
			t.Errorf("%s: got texts %q, want %q", selector, texts, name)
		}
	}
	shows(a.Experiment.Name, "h1")
	shows(a.Experiment.Name, "title")
	shows(hostile[0], "body :not(script)")
	shows(hostile[1], "body :not(script)")
	for _, x := range a.Algorithms {
		shows(x.Label, "#matrix-table th[scope=row]")
	}
	for _, x := range a.Problems {
		shows(x.Label, "#matrix-table th[scope=col]")
		shows(x.Label, "#plane-problem option")
	}
	for i, x := range a.Algorithms {
		p.click(button(x.Spec, "iid"))
		shows(hostile[i], "#detail-title")
		shows(hostile[i][:15], "#curves svg text") // which has no room for all of it
		shows(hostile[i], "#members")
		p.keys(kb.Escape)
	}
	look[any](p, `for (const e of document.querySelectorAll("main *")) e.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))`)
	harmless("use")
	p.click(button("ogd", "iid"))
	svg := p.download("#curves button", "")
	if d := xml.NewDecoder(strings.NewReader(svg)); strings.HasPrefix(svg, "<") {
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("the SVG is no XML: %v", err)
			}
		}
	}
}

// A browser without script shows the first tables, and says what is missing.
func (u user) withoutScript(t *testing.T) {
	p := &tab{T: t, file: u.file}
	ctx, stop := chromedp.NewContext(u.ctx, chromedp.WithListener(p.listen))
	defer stop()
	p.ctx = ctx
	p.do(func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	}, chromedp.Navigate(address(u.file, "")))
	text := runScript(p, chromedp.Evaluate[string](`document.querySelector("#tables").open = true, document.body.innerText`))
	for _, want := range []string{"4711", "script", "4 algorithms on 2 problems"} {
		if !strings.Contains(text, want) {
			t.Errorf("without script, %q is not seen in\n%s", want, text)
		}
	}
}

// printed returns the text of the printed page.
func (p *tab) printed() string {
	p.Helper()
	pdf := runScript(p, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		p.Fatalf("%d bytes that are no PDF", len(pdf))
	}
	cmd := exec.Command(tool.Find(p.T, "poppler-utils", "pdftotext"), "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		p.Fatal(err)
	}
	return string(out)
}

// The page prints whole tables and the open figure, without what is for the hand, and no head
// without its table.
func (u user) print(t *testing.T) {
	other := *u.a
	other.Experiment.Name = "other"
	p := u.open(t, write(t, u.a, &other), "")
	for room := 0; room < 1000; room += 150 {
		look[any](p, `document.querySelector("#matrix").style.marginBottom = $0 + "px"`, room)
		for k, text := range strings.Split(p.printed(), "\f") {
			if strings.Contains("\n"+text, "\nA against B\n") != strings.Contains(text, "A − B at T") {
				t.Errorf("with %d pixels above: got the head of A against B alone on page %d, want it with "+
					"its table", room, k+1)
			}
		}
	}
	look[any](p, `document.querySelector("#matrix").removeAttribute("style")`)
	p.click(button("penalised-ftrl", "iid"))
	title := p.text("#detail-title")
	out := p.printed()
	p.do(media("print"))
	if shown := look[[]string](p, `return [...document.querySelectorAll("select, input, #clear, #copy, #close, #matrix-csv, .chip, .chart-save, nav")].filter(e => e.checkVisibility()).map(e => e.id || e.className)`); len(shown) > 0 {
		t.Errorf("got %q printed, want no controls", shown)
	}
	if look[bool](p, `return !document.querySelector("#curves svg").checkVisibility()`) {
		t.Error("got no open figure printed, want it")
	}
	cut := look[[]string](p, `return [...document.querySelectorAll("main *")].filter(e => e.querySelector("table") && /auto|scroll|hidden/.test(getComputedStyle(e).overflowX + getComputedStyle(e).overflowY)).map(e => e.outerHTML.slice(0, 80))`)
	if len(cut) > 0 {
		t.Errorf("got tables cut: %q, want none", cut)
	}
	if pages := strings.Count(out, "\f"); pages < 2 {
		t.Errorf("got %d pages printed, want at least 2", pages)
	}
	text := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"experiment small", "4 algorithms on 2 problems", strings.Join(strings.Fields(title), " "), u.title("yu-neely-wei")} {
		if !strings.Contains(text, want) {
			t.Errorf("the print lacks %q:\n%s", want, out)
		}
	}
}

// Every text stands out against what is behind it, by day and by night.
func (u user) colours(t *testing.T) {
	p := u.page(t, "")
	p.click(button("penalised-ftrl", "iid"))
	backgrounds := make(map[string]bool)
	for _, scheme := range []string{"light", "dark"} {
		p.do(media("", "prefers-color-scheme", scheme))
		for _, show := range p.options("#show") {
			p.choose("#show", show)
			for _, poor := range look[[]string](p, contrast) {
				t.Errorf("%s, %s: %s", scheme, show, poor)
			}
		}
		backgrounds[look[string](p, "return getComputedStyle(document.body).backgroundColor + "+
			"getComputedStyle(document.documentElement).backgroundColor")] = true
	}
	if len(backgrounds) != 2 {
		t.Errorf("got backgrounds %v by day and by night, want two", backgrounds)
	}
}

// contrast lists the texts whose contrast, that of WCAG 2, is below 4.5.
const contrast = `
	const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d", {willReadFrequently: true});
	const seen = new Map();
	function rgba(colour) { // of any notation
		if (!seen.has(colour)) {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
			const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
			seen.set(colour, [r, g, b, a/255]);
		}
		return seen.get(colour);
	}
	const over = ([r, g, b, a], [R, G, B]) => [r*a + R*(1-a), g*a + G*(1-a), b*a + B*(1-a), 1];
	const behind = e => e ? over(rgba(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : rgba("Canvas");
	const linear = v => (v /= 255) <= 0.04045 ? v/12.92 : ((v + 0.055)/1.055)**2.4;
	const luminance = ([r, g, b]) => 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b);
	const poor = new Set();
	for (const e of document.querySelectorAll("main *")) {
		if (e.closest("svg") || !e.checkVisibility({visibilityProperty: true}) || e.matches(":disabled, option")) continue;
		if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())) continue;
		const ground = behind(e), style = getComputedStyle(e);
		const [a, b] = [luminance(over(rgba(style.color), ground)), luminance(ground)];
		const ratio = (Math.max(a, b) + 0.05)/(Math.min(a, b) + 0.05);
		if (ratio < 4.5) poor.add(e.localName + " " + (e.id || e.className || e.closest("[id]").id) + " " + style.color + " on " + ground.map(Math.round).slice(0, 3) + ": " + ratio.toFixed(2));
	}
	return [...poor]`

// On a phone, nothing but tables scrolls sideways, and of these neither the answers, nor a matrix
// of a few columns, nor A against B, nor the ranks.
func (u user) phone(t *testing.T) {
	p := u.open(t, u.file, "", chromedp.EmulateViewport(390, 800, chromedp.EmulateMobile))
	for _, when := range []string{"closed", "open", "problems"} {
		switch when {
		case "open":
			p.click(button("penalised-ftrl", "iid"))
		case "problems":
			p.choose("#rows", "problems")
		}
		if width := look[int](p, "return document.documentElement.scrollWidth"); width > 390 {
			wide := look[[]string](p, `return [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > 390 && !e.parentElement.closest("[role=region]")).map(e => e.localName + "#" + e.id + "." + e.getAttribute("class")).slice(0, 8)`)
			t.Errorf("%s: got a page %d wide, want at most 390, from %q", when, width, wide)
		}
		if loose := look[[]string](p, `return [...document.querySelectorAll("main table")].filter(t => t.checkVisibility() && t.getBoundingClientRect().width > 390 && !t.closest("[role=region][tabindex='0'][aria-label]")).map(t => t.id)`); len(loose) > 0 {
			t.Errorf("%s: got tables %q wider than a phone, want them in a region that a keyboard scrolls",
				when, loose)
		}
		if cut := look[[]string](p, `return ["answers", "matrix-table", "versus-rest", "ranks"].filter(id => {
			const e = document.getElementById(id), box = e.closest("[role=region]");
			return box.clientWidth === 0 || box.scrollWidth > box.clientWidth;
		})`); len(cut) > 0 {
			t.Errorf("%s: got %q cut, want none", when, cut)
		}
	}
}

// What is said to a reader who does not see: names, headings, captions, and an order.
func (u user) accessibility(t *testing.T) {
	p := u.page(t, "")
	p.click(button("penalised-ftrl", "iid"))
	tree := call(p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	value := func(v *accessibility.Value) (text string) {
		if v != nil {
			json.Unmarshal([]byte(v.Value), &text)
		}
		return strings.TrimSpace(text)
	}
	roles := make(map[string]int)
	for _, n := range tree.Nodes {
		role := value(n.Role)
		roles[role]++
		switch role {
		case "button", "combobox", "listbox", "textbox", "searchbox", "checkbox", "spinbutton",
			"slider", "radio", "link", "table", "grid", "region", "img", "image", "group", "heading":
			if !n.Ignored && value(n.Name) == "" {
				node := call(p, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: n.BackendDOMNodeID}).Node
				if node.LocalName != "details" { // whose summary has one
					t.Errorf("got no name of a %s, want one: %s %q", role, node.LocalName, node.Attributes)
				}
			}
		}
	}
	for role, least := range map[string]int{"button": 15, "combobox": 10, "searchbox": 1, "checkbox": 4, "heading": 5, "table": 3, "columnheader": 3, "rowheader": 4} {
		if roles[role] < least {
			t.Errorf("there are %d of %s, want %d: %v", roles[role], role, least, roles)
		}
	}
	found := look[struct {
		Headings       []string
		Bare, Repeated []string
		Positive       int
		Language       string
	}](p, `
		const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
		return {
			headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(h => h.checkVisibility()).map(h => h.localName),
			bare: [...document.querySelectorAll("table")].filter(t => t.checkVisibility() && !t.caption?.textContent.trim()).map(t => t.id || t.outerHTML.slice(0, 80)),
			repeated: ids.filter((id, k) => ids.indexOf(id) !== k),
			positive: document.querySelectorAll("[tabindex]:not([tabindex='0'], [tabindex='-1'])").length,
			language: document.documentElement.lang,
		}`)
	for k, h := range found.Headings {
		last := "h0"
		if k > 0 {
			last = found.Headings[k-1]
		}
		if (h == "h1") != (k == 0) || h > "h"+string(rune(last[1]+1)) {
			t.Errorf("heading %d of %q: got a gap, want levels in order", k, found.Headings)
		}
	}
	if len(found.Bare) > 0 || len(found.Repeated) > 0 || found.Positive > 0 || found.Language == "" {
		t.Errorf("got %+v, want captions, ids once, no own orders of focus, and the language", found)
	}

	p.keys(kb.Escape)
	p.visit("")
	var order []string
	for range 100 {
		p.do(chromedp.KeyEvent(kb.Tab))
		at := look[struct {
			Name, Place string
			Seen        bool
		}](p, `
			const e = document.activeElement;
			return {name: e.id || e.localName, seen: e.checkVisibility(), place: e.closest("#matrix-table td") ? "matrix" : ""}`)
		order = append(order, at.Name)
		if !at.Seen {
			t.Errorf("got the focus on %s, want it on what is seen", at.Name)
		}
		if at.Place == "matrix" {
			for _, id := range []string{"metric", "q", "clear"} {
				if !slices.Contains(order, id) {
					t.Errorf("got the focus on the matrix without %s, want it before: %q", id, order)
				}
			}
			return
		}
	}
	t.Errorf("got the order of focus %q, want the matrix in it", order)
}

// drawnOn returns the algorithms whose curves are in a figure of the first screen, with those that
// are grey.
func (p *tab) drawnOn(id string) (drawn map[string]bool) {
	p.Helper()
	return look[map[string]bool](p, `
		const grey = {};
		for (const line of document.querySelectorAll("#" + $0 + " svg g > path[fill]:not([d=''])[data-key], #" + $0 + " svg g > path[stroke-width][data-key]"))
			grey[line.dataset.key] = getComputedStyle(line).stroke === getComputedStyle(line.ownerSVGElement.querySelector(".chart-axes > path:nth-of-type(2)")).stroke;
		return grey`, id)
}

// empty: where the set of a regret is empty there are no axes but words in their place, on the
// first screen, in the plane and in the open cell.
func (u user) empty(t *testing.T) {
	a := play(t, `
name: empty
horizon: 60
replicates: 2
problems: [{use: iid, dim: 1, margin: -5}, {use: iid, dim: 2}]
algorithms: [{use: ogd}, {use: primal-dual}]
`)
	if s := a.Pairs[0].Series[algorithms.RegretXHat]; s.State != analysis.Empty {
		t.Fatalf("got regret %s, want it empty", s.State)
	}
	p := u.open(t, write(t, a), "metric=regret_xhat")
	p.choose("#plane-problem", a.Problems[0].Spec)
	p.choose("#regret", string(algorithms.RegretXHat))
	p.click(button("ogd", a.Problems[0].Spec))
	for _, id := range []string{"regret-curves", "plane", "curves"} {
		text := p.text("#" + id)
		drawn := look[bool](p, `return document.querySelector("#" + $0 + " svg") !== null`, id)
		if drawn || strings.Contains(text, "10") {
			t.Errorf("%s: got axes, want none: %s", id, text)
		}
		for _, want := range []string{"There is no regret vs X̂max on", "no such action", "There is regret vs XE"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s says %q, without %q", id, text, want)
			}
		}
	}
	if n := len(p.drawnOn("violation-curves")); n < 2 {
		t.Errorf("got %d curves of the violation, want at least 2", n)
	}
	p.choose("#plane-problem", a.Problems[1].Spec)
	if n := len(p.drawnOn("regret-curves")); n < 2 {
		t.Errorf("got %d curves of the regret where its set is not empty, want at least 2", n)
	}
}

// growths returns the growths of the first screen or of A against B, by selector, as they are read.
func (p *tab) growths(cells string) []string {
	p.Helper()
	return look[[]string](p, `return [...document.querySelectorAll($0)].map(e => {
		const c = e.cloneNode(true);
		c.querySelectorAll("small, .hidden").forEach(n => n.remove());
		c.querySelectorAll("sup").forEach(n => n.prepend("^"));
		return c.textContent.trim();
	})`, cells)
}

// judged returns how a series grows as the tables have it: the exponent that is judged, or that it
// is never positive, and the sign of the verdict.
func judged(s *analysis.Series) string {
	e, _ := s.Judged()
	switch {
	case s.NeverPositive():
		return "≤ 0 ✓"
	case s.SqrtVerdict == stats.TooLittle:
		return "–"
	}
	return strings.ReplaceAll(fmt.Sprintf("t^%.2f ", float64(e.Value)), "-", "−") +
		s.SqrtVerdict.Sign()
}

// ends are the bounds of an exponent.
var ends = regexp.MustCompile(` \[[^]]*\]`)

// judgedGrowth checks the exponents beside verdicts: each is the judged one, a power of T if growth
// is judged across horizons. Only what is never positive is “≤ 0”.
func (u user) judgedGrowth(t *testing.T) {
	exponents, never, across := 0, 0, 0
	for _, a := range []*analysis.Analysis{u.a, play(t, `
name: across
horizon: [50, 100, 200, 400, 800, 1600]
replicates: 3
problems: [{use: iid, dim: 2}]
algorithms: [{use: yu-neely-wei}, {use: ogd}]
`)} {
		p := u.open(t, write(t, a), "")
		for _, pair := range a.Pairs {
			p.choose("#plane-problem", pair.Problem)
			got := p.growths(fmt.Sprintf("#answers tr[data-algorithm=%q] td", pair.Algorithm))
			for k, name := range []algorithms.Metric{algorithms.RegretXHat, algorithms.SoftViolation} {
				s := pair.Series[name]
				want := judged(s)
				if s.Fit.Design == stats.AcrossT {
					across++
					want = strings.Replace(want, "t^", "T^", 1)
				}
				if ends.ReplaceAllString(got[k], "") != want {
					t.Errorf("%s of %s on %s is shown as %q, and judged by %q", name, pair.Algorithm,
						pair.Problem, got[k], want)
				}
				if strings.Contains(want, "≤ 0") {
					never++
				}
				if strings.Contains(want, "^") {
					exponents++
					if e := s.Fit.End.Exponent; e.Lower.Defined() != strings.Contains(got[k], "[") {
						t.Errorf("%s of %s on %s: got %q, want the interval of %v", name, pair.Algorithm,
							pair.Problem, got[k], e)
					}
				}
			}
		}
	}
	if exponents < 5 || never == 0 || across == 0 {
		t.Errorf("got %d exponents, %d never positive, %d across horizons, want at least 5 and some "+
			"of each", exponents, never, across)
	}
}
