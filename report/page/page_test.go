package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/tool"
	"ocobench/problems"
	"ocobench/report/table"
)

var catalog = experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}

// planOf reads and plans an experiment.
func planOf(t testing.TB, source string) *experiment.Plan {
	t.Helper()
	x, err := spec.Parse("e.yaml", []byte(source))
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	p, err := run.NewPlan(catalog, x)
	if err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	return p
}

// resultsOf plays a plan, or those of its cells that the options select.
func resultsOf(t testing.TB, p *experiment.Plan, o run.Options) *run.Results {
	t.Helper()
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Run(t.Context(), p, s, o); err != nil {
		t.Fatal(err)
	}
	r, err := run.LoadExperiment(s, p.Experiment.Name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// analysed plays an experiment and analyses it.
func analysed(t testing.TB, source string) *analysis.Analysis {
	t.Helper()
	a, err := analysis.NewUnfitted(catalog,
		resultsOf(t, planOf(t, source), run.Options{Workers: 2})).Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// smallExperiment has two problems and four algorithms.
const smallExperiment = `name: small
description: "two problems"
horizon: 300
replicates: 4
problems: [{use: iid, dim: 2}, {use: shrinking}]
algorithms: [{use: penalised-ftrl, gamma: 25, label: "ours"}, {use: primal-dual, step: [1, 5]}, {use: ogd}]
`

// pageText returns the page of analyses.
func pageText(t testing.TB, all ...Item) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, all); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// dataElement matches the element of a page that has its data.
var dataElement = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// dataOf returns the data of a page.
func dataOf(t testing.TB, html string) (p pageData, raw string) {
	t.Helper()
	m := dataElement.FindStringSubmatch(html)
	if m == nil {
		t.Fatal("got no data in the page, want it")
	}
	d := json.NewDecoder(strings.NewReader(m[1]))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		t.Fatal(err)
	}
	return p, m[1]
}

// The data reads back as what was written, and has the numbers of the analysis: final
// values and fits to the last bit, and curves to the digits that they have.
func TestDataReadsBackAsWritten(t *testing.T) {
	a := analysed(t, smallExperiment)
	html := pageText(t, Item{Analysis: a})
	if again := pageText(t, Item{Analysis: a}); again != html {
		t.Error("got two pages of one analysis, want the same bytes")
	}
	p, raw := dataOf(t, html)
	if back, err := json.Marshal(p); err != nil || string(back) != raw {
		t.Errorf("got other data read back, want the same (%v)", err)
	}
	nils(t, reflect.ValueOf(p), "page")
	if p.Schema != Schema || len(p.Experiments) != 1 {
		t.Fatalf("got schema %s and %d experiments, want %s and one", p.Schema, len(p.Experiments),
			Schema)
	}
	x := p.Experiments[0]
	if len(x.Pairs) != len(a.Pairs) || len(x.Fronts) != len(a.Fronts) ||
		len(x.Ranks) != len(a.Ranks) || len(x.Profiles) != len(a.Profiles) {
		t.Errorf("got %d pairs, %d fronts, %d ranks, %d profiles, want %d, %d, %d, %d", len(x.Pairs),
			len(x.Fronts), len(x.Ranks), len(x.Profiles), len(a.Pairs), len(a.Fronts), len(a.Ranks),
			len(a.Profiles))
	}
	if got := x.Algorithms[0].Title + ", " +
		x.Algorithms[1].Title; got != "ours, Primal-dual, step 1" {
		t.Errorf("got algorithms called %s, want ours and Primal-dual, step 1", got)
	}
	curves, bounds := 0, 0
	for i, got := range x.Pairs {
		want := a.Pairs[i]
		if x.Algorithms[got.Algorithm].Spec != want.Algorithm ||
			x.Problems[got.Problem].Spec != want.Problem {
			t.Fatalf("pair %d: got %s on %s, want %s on %s", i, x.Algorithms[got.Algorithm].Spec,
				x.Problems[got.Problem].Spec, want.Algorithm, want.Problem)
		}
		for name, s := range want.Series {
			g := got.Series[string(name)]
			if s.State == analysis.Missing {
				if g != nil {
					t.Errorf("%s: got a series of what is missing, want none", name)
				}
				continue
			}
			if s.Known() {
				same(t, "final mean", g.Final.Value, s.Mean.Last().Value)
				same(t, "its lower end", g.Final.Lower, s.Mean.Last().Lower)
			}
			if s.Fit != nil {
				same(t, "exponent", g.Fit.Exponent.Value, s.Fit.Exponent.Value)
				same(t, "drift", g.Fit.Drift.Upper, s.Fit.Drift.Upper)
			}
			if g.Mean == nil {
				continue
			}
			if !slices.Equal(x.T[g.Mean.T], s.Mean.T) {
				t.Errorf("%s: got points %v, want %v", name, x.T[g.Mean.T], s.Mean.T)
			}
			curves++
			for k, v := range g.Mean.Value {
				near(t, string(name), float64(v), float64(s.Mean.Value[k]), 5e-5)
			}
			m, _ := game.MetricNamed(name)
			if has := g.Mean.Lower != nil; has != (m.Shown || m.Fitted) && !want.Deterministic {
				t.Errorf("%s: got an interval %v, want one if it is shown or fitted", name, has)
			}
			short(t, g.Mean.Value, 5)
			short(t, slices.Concat(g.Mean.Lower, g.Mean.Upper), 4)
			for k, v := range g.Mean.Lower {
				near(t, "lower end of "+string(name), float64(v), float64(s.Mean.Lower[k]), 1e-3)
				near(t, "upper end of "+string(name), float64(g.Mean.Upper[k]), float64(s.Mean.Upper[k]), 1e-3)
				if v > min(s.Mean.Lower[k], g.Mean.Value[k]) ||
					g.Mean.Upper[k] < max(s.Mean.Upper[k], g.Mean.Value[k]) {
					t.Errorf("%s at %g: got %v [%v, %v], want an interval around that of the analysis", name,
						s.Mean.T[k], g.Mean.Value[k], v, g.Mean.Upper[k])
				}
			}
		}
		if h := want.Regret.Bound; h != nil && h.State != analysis.Unstated {
			bounds++
			same(t, "ratio", got.Regret.Bound.Ratio.Value, h.Ratio.Value)
			if got.Regret.Bound.Formula != want.Regret.Claim.Formula ||
				got.Regret.Claim != want.Regret.Claim.Rate() {
				t.Errorf("got claim %s, bound %s, want %s, %s", got.Regret.Claim, got.Regret.Bound.Formula,
					want.Regret.Claim.Rate(), want.Regret.Claim.Formula)
			}
		}
	}
	if curves < 50 || bounds == 0 {
		t.Errorf("got %d curves and %d bounds compared, want at least 50 and one", curves, bounds)
	}
	for _, r := range a.Ranks {
		if r.Problem != "" {
			k := slices.IndexFunc(a.Pairs, func(p analysis.Pair) bool {
				return p.Problem == r.Problem && p.Algorithm == r.Algorithm
			})
			same(t, "rank", x.Pairs[k].Series[string(r.Metric)].Rank, r.Rank.Value)
		}
	}
}

// The page of an analysis of nothing, such as of a run that has only begun, has lists of nothing.
func TestEmptyAnalysisHasEmptyLists(t *testing.T) {
	a := new(analysis.Analysis)
	a.Experiment.Horizon, a.Metrics = []int{1000}, []analysis.Metric{}
	p, _ := dataOf(t, pageText(t, Item{Analysis: a}))
	nils(t, reflect.ValueOf(p), "page")
}

// nils finds lists that are null in JSON, which the script could not walk through.
func nils(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			nils(t, v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.Contains(f.Tag.Get("json"), "omitempty") {
				nils(t, v.Field(i), path+"."+f.Name)
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			t.Errorf("%s: got null, want a list", path)
		}
		for i := range v.Len() {
			nils(t, v.Index(i), path)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			nils(t, it.Value(), path)
		}
	}
}

// same checks that a number is another one to the last bit.
func same(t *testing.T, what string, got, want analysis.Number) {
	t.Helper()
	if got != want && (got.Defined() || want.Defined()) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// near checks that a number is another one but for a relative error.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tolerance*math.Abs(want)) &&
		!(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The script has every file, cannot end its own element, and is one strict function.
func TestScriptIsOneStrictFunction(t *testing.T) {
	names, err := fs.Glob(files, "*.js")
	if err != nil || !slices.Equal(names, slices.Sorted(slices.Values(scripts))) {
		t.Errorf("got files %q, want %q (%v)", names, scripts, err)
	}
	text := strings.ToLower(string(scriptText()))
	for _, bad := range []string{"</script", "<script", "<!--"} {
		if strings.Contains(text, bad) {
			t.Errorf("got %s in the script, want none", bad)
		}
	}
	if strings.Contains(strings.ToLower(string(styleSheet())), "</style") {
		t.Error("got an end of the element in the style, want none")
	}
	if !strings.HasPrefix(text, "(() => {\n\"use strict\";\n") || !strings.HasSuffix(text, "})();") {
		t.Error("got another script, want one strict function")
	}
}

// Charts and numbers of the script are as a reader reads them, of random values and without a
// browser.
func TestChartsReadAsTheirValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "numbers.json")
	if err := os.WriteFile(file, numbersOfTables(t), 0o666); err != nil {
		t.Fatal(err)
	}
	inNode(t, "charts.js", file)
}

// numbersOfTables returns random numbers with intervals, and what tables write of them, as JSON.
func numbersOfTables(t *testing.T) []byte {
	t.Helper()
	type texts struct {
		Number    string `json:"number"`
		PlusMinus string `json:"plusMinus"`
		Interval  string `json:"interval"`
		Exponent  string `json:"exponent"`
		P         string `json:"p"`
	}
	type number struct {
		Value float64         `json:"value"`
		Lower analysis.Number `json:"lower"`
		Upper analysis.Number `json:"upper"`
		Half  analysis.Number `json:"half"` // the end of the interval value ± half
		Text  texts           `json:"text"`
	}
	var all []number
	rng := rand.New(rand.NewPCG(3, 4))
	add := func(v, half float64) {
		lower, upper := v-half, v+half/2
		all = append(all, number{v, analysis.Number(lower), analysis.Number(upper),
			analysis.Number(v + half), texts{
				table.Number(v, math.NaN()).Plain, table.Number(v, v+half-v).Plain,
				table.Interval(v, lower, upper).Plain, table.Exponent(v, lower, upper).Plain,
				table.PValue(v).Plain}})
	}
	for range 2000 {
		v := (2*rng.Float64() - 1) * math.Pow(10, 24*rng.Float64()-12)
		if rng.IntN(4) == 0 {
			v = math.Round(v*8)/8 + 0 // ties, without −0
		}
		half := math.NaN()
		if rng.IntN(3) > 0 {
			half = math.Abs(v) * math.Pow(10, 8*rng.Float64()-6)
		}
		add(v, half)
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inNode runs a script of testdata in Node, and returns what it says.
func inNode(t *testing.T, script string, args ...string) string {
	t.Helper()
	node := tool.Find(t, "nodejs", "node")
	out, err := exec.Command(node, append([]string{filepath.Join("testdata", script)}, args...)...).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// saved writes the page of these items to a file, and returns its name.
func saved(t *testing.T, items ...Item) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(pageText(t, items...)), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// A number is rounded to a near one of so many digits, and the ends of an interval outwards.
func TestNumbersAreRoundedToDigits(t *testing.T) {
	for _, v := range []analysis.Number{none, analysis.Number(math.Inf(1)), analysis.Number(math.Inf(-1))} {
		for _, to := range []direction{down, toNearest, up} {
			same(t, "a rounded number", roundAll([]analysis.Number{v}, 4, to)[0], v)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		v := analysis.Number((r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(40)-20)))
		rounded := roundAll([]analysis.Number{v}, 4, toNearest)
		near(t, "a rounded number", float64(rounded[0]), float64(v), 5e-4)
		for _, to := range []direction{down, up} {
			end := roundAll([]analysis.Number{v}, 4, to)[0]
			near(t, "a number rounded outwards", float64(end), float64(v), 1e-3)
			if analysis.Number(to)*(end-v) < 0 || roundAll([]analysis.Number{end}, 4, to)[0] != end {
				t.Fatalf("%v: got %v in the direction %d, want it outwards, and stable", v, end, to)
			}
		}
		short(t, rounded, 4)
	}
}

// short checks that numbers have at most so many significant digits.
func short(t *testing.T, all analysis.Numbers, digits int) {
	t.Helper()
	for _, v := range all {
		text := strconv.FormatFloat(float64(v), 'e', digits-1, 64)
		if of, err := strconv.ParseFloat(text, 64); err != nil || v.Defined() && of != float64(v) {
			t.Errorf("got %v, want at most %d digits", v, digits)
		}
	}
}

// The head lists the runs as links from where the page is, whatever their names are, and the
// page itself as none; a page of one run has no list.
func TestRunsLinkFromThePage(t *testing.T) {
	item := Item{Analysis: &analysis.Analysis{Experiment: analysis.Experiment{Name: "now",
		Horizon: []int{10}, Replicates: 1}}}
	if html := pageText(t, item); strings.Contains(html, `id="runs"`) {
		t.Error("no runs: got a list, want none")
	}
	var out bytes.Buffer
	if err := Write(&out, []Item{item}, Run{"now", ""}, Run{"old", "old/index.html"},
		Run{"<b>", `a b#c?d:e"<f/index.html`}, Run{"js", "javascript:alert(1)"}); err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(out.String(), `<nav id="runs" aria-label="Runs">`)
	list, _, _ = strings.Cut(list, "</nav>")
	if want := `runs: <b aria-current="page">now</b> <a href="old/index.html">old</a> ` +
		`<a href="./a%20b%23c%3Fd:e%22%3Cf/index.html">&lt;b&gt;</a> ` +
		`<a href="./javascript:alert%281%29">js</a> `; list != want {
		t.Errorf("the list is\n%s\nwant\n%s", list, want)
	}
}

func TestPageNeedsAnExperiment(t *testing.T) {
	if err := Write(io.Discard, nil); err == nil {
		t.Error("a page of nothing: got no error, want one")
	}
}

// The page opens with the problem on which the most algorithms differ, and first of all in who
// keeps both.
func TestPageOpensWithTheMostDividedProblem(t *testing.T) {
	row := func(atMost, undecided, above int) problemAnswer {
		return problemAnswer{AtMost: make([]int, atMost), Undecided: make([]int, undecided),
			Above: make([]int, above)}
	}
	for _, c := range []struct {
		rows []problemAnswer
		want int
	}{
		{nil, 0}, {[]problemAnswer{row(3, 0, 0), row(0, 3, 0)}, 0}, {[]problemAnswer{row(3, 0, 0), row(2, 1, 0)}, 1},
		{[]problemAnswer{row(0, 2, 1), row(1, 2, 0)}, 1}, {[]problemAnswer{row(1, 2, 0), row(1, 0, 2)}, 1},
		{[]problemAnswer{row(1, 1, 1), row(1, 1, 1)}, 0},
	} {
		if got := mostDividedProblem(&experimentData{answers: c.rows}); got != c.want {
			t.Errorf("%v opens with %d, want %d", c.rows, got, c.want)
		}
	}
	x := experimentData{answers: []problemAnswer{row(1, 2, 0), row(1, 2, 0), row(1, 2, 0)},
		Problems: []problem{{Spec: "p"}, {Spec: "q"}, {Spec: "r"}},
		Focus:    analysis.Focus{Regret: algorithms.RegretXHat, Violation: algorithms.SoftViolation}}
	x.Compared = []comparisonList{
		{Problem: 0, Metric: string(algorithms.SoftViolation), Sign: []int{0, 0}},
		{Problem: 0, Metric: string(algorithms.HardViolation), Sign: []int{1, 1}}, // is not shown
		{Problem: 1, Metric: string(algorithms.SoftViolation), Sign: []int{1, -1}},
		{Problem: 2, Metric: string(algorithms.RegretXHat), Sign: []int{1, 0}},
	}
	if got := mostDividedProblem(&x); got != 1 {
		t.Errorf("of problems with the same answers, %d is opened, want 1", got)
	}
}

// What all titles begin with is said once, whole parts of them and never all of one.
func TestCommonBeginningOfTitlesIsSaidOnce(t *testing.T) {
	for _, c := range []struct {
		titles string
		shared string
		short  string
	}{
		{"Decaying frequency, c = 0.5|Decaying frequency, c = 1", "Decaying frequency", "c = 0.5|c = 1"},
		{"F, n = 3, m = 2|F, n = 3, m = 4", "F, n = 3", "m = 2|m = 4"},
		{"F, n = 3|F, n = 3, curved", "F", "n = 3|n = 3, curved"},
		{"Fixed|Fixing", "", "Fixed|Fixing"}, {"alone, c = 1", "", "alone, c = 1"}, {"F|F, c = 1", "", "F|F, c = 1"},
	} {
		b := &builder{out: &experimentData{}}
		for _, title := range strings.Split(c.titles, "|") {
			b.out.Problems = append(b.out.Problems, problem{Title: title})
		}
		b.shortenTitles()
		var short []string
		for _, p := range b.out.Problems {
			short = append(short, p.Short)
		}
		if got := strings.Join(short, "|"); got != c.short || b.out.Shared != c.shared {
			t.Errorf("%s becomes %s and %s, want %s and %s", c.titles, b.out.Shared, got, c.shared, c.short)
		}
	}
}

// The page has the comparisons of the analysis, each once, however few there are: the mean is
// rounded to five digits, and the ends of its interval outwards, to four.
func TestPageHasTheComparisons(t *testing.T) {
	for n := 1; n <= 3; n++ {
		a := analysed(t, "name: few\nhorizon: 20\nreplicates: 7\nproblems: [{use: iid}, {use: "+
			"shrinking}]\nalgorithms: ["+strings.Join([]string{"{use: ogd}", "{use: mahdavi}", "{use: ftrl}"}[:n], ", ")+"]")
		compared := 0
		for _, c := range build(a).Compared {
			k := 0
			for i, first := range c.Algorithms {
				for _, second := range c.Algorithms[i+1:] {
					row, ok := a.Comparisons.Between(a.Algorithms[first].Spec, a.Algorithms[second].Spec,
						a.Problems[c.Problem].Spec, algorithms.Metric(c.Metric))
					d := row.Difference
					if !ok || c.Sign[k] != row.Sign ||
						slices.Contains(c.Doubt, k) != (row.Sign != 0 && row.Warnings != nil) {
						t.Errorf("%d against %d by %s: sign %d, doubt %v, want those of %+v", first, second,
							c.Metric, c.Sign[k], c.Doubt, row)
					}
					near(t, "a p-value", float64(c.P[k]), float64(d.Adjusted), 5e-5)
					near(t, "a difference", float64(c.Value[k]), float64(d.Value), 5e-5)
					near(t, "its lower end", float64(c.Lower[k]), float64(d.Lower), 1e-3)
					near(t, "its upper end", float64(c.Upper[k]), float64(d.Upper), 1e-3)
					if c.Lower[k] > d.Lower || c.Upper[k] < d.Upper {
						t.Errorf("got [%v, %v], want it around [%v, %v]", c.Lower[k], c.Upper[k], d.Lower, d.Upper)
					}
					k++
				}
			}
			if len(c.Value) != k {
				t.Errorf("got %d differences of %d algorithms, want %d", len(c.Value), len(c.Algorithms), k)
			}
			short(t, slices.Concat(c.Value, c.P), 5)
			short(t, slices.Concat(c.Lower, c.Upper), 4)
			compared += k
		}
		if compared != len(a.Comparisons.Rows) || (compared > 0) != (n > 1) {
			t.Errorf("%d comparisons of %d algorithms, want %d", compared, n, len(a.Comparisons.Rows))
		}
	}
}

// A command has the flags of what it plays, each once: the experiment those of all its problems and
// of its own algorithms, and not those of the reference beside it, and a pair those of its two.
func TestCommandsHaveTheFlagsOfWhatTheyPlay(t *testing.T) {
	entry := func(spec, flag, source string) experiment.Entry {
		return experiment.Entry{Spec: spec, Flag: flag, Source: source}
	}
	b := &builder{beside: &regression.Joint{Sources: [2]string{"now", "then"}}}
	b.Analysis = &analysis.Analysis{
		Algorithms: []experiment.Entry{entry("a", "--a", "now"), entry("a:x=1", "--a", "now"),
			entry("b", "--b", "then"), entry("c", "", "now")},
		Problems: []analysis.Problem{{Entry: entry("p", "--p", "")}, {Entry: entry("q", "--q", "")}},
	}
	if got := b.externalFlags(nil); got != " --a --p --q" {
		t.Errorf("the experiment: got flags%s, want --a --p --q", got)
	}
	if got := b.externalFlags(&analysis.Pair{Algorithm: "a:x=1", Problem: "q"}); got != " --a --q" {
		t.Errorf("a pair: got flags%s, want --a --q", got)
	}
	b.beside = nil
	b.Algorithms = []experiment.Entry{entry("a", "--a", ""), entry("b", "--b", "")}
	if got := b.externalFlags(nil); got != " --a --b --p --q" {
		t.Errorf("one store: got flags%s, want --a --b --p --q", got)
	}
}

// What a lasting item adds to pages is made once: they all have what the first one has.
func TestLastingItemIsMadeOnce(t *testing.T) {
	a := &analysis.Analysis{Experiment: analysis.Experiment{Name: "now", Horizon: []int{10}, Replicates: 1}}
	item := Item{Analysis: a}.Lasting()
	before := pageText(t, item)
	if before != pageText(t, Item{Analysis: a}) {
		t.Error("got another page of a lasting item, want the same")
	}
	a.Experiment.Name = "later"
	if pageText(t, item) != before {
		t.Error("got a lasting item made twice, want once")
	}
}

// A page says of its experiment what was left out of the run, and leaves out a table that cannot be
// written.
func TestPageSaysWhatIsLeftOut(t *testing.T) {
	a := &analysis.Analysis{Experiment: analysis.Experiment{Name: "now", Horizon: []int{10}, Replicates: 1}}
	sound := &table.Table{Columns: []table.Column{{Name: table.Plain("a sound table")}}}
	html := pageText(t, Item{Analysis: a, Tables: []*table.Table{sound, {Title: table.Plain("odd")}},
		Omitted: []error{errors.New("figures/plane.pdf is left out")}})
	for _, want := range []string{"a sound table", "now: figures/plane.pdf is left out",
		"now: a table is left out: table &#34;odd&#34; has no columns"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// docs/report.md documents every key of the fragment.
func TestFragmentIsDocumented(t *testing.T) {
	document, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(document), "## The view is in the address")
	table, _, _ = strings.Cut(table, "\n## ")
	_, defaults, _ := strings.Cut(readEmbedded("state.js"), "const defaults = {")
	defaults, _, _ = strings.Cut(defaults, "\n};")
	keys := regexp.MustCompile(`(?m)(?:^\t|, )(\w+): `).FindAllStringSubmatch(
		regexp.MustCompile(`//.*`).ReplaceAllString(defaults, ""), -1)
	if len(keys) < 25 {
		t.Errorf("got keys %q, want at least 25", keys)
	}
	for _, key := range keys {
		if !strings.Contains(table, "`"+key[1]+"`") {
			t.Errorf("got no key %s in docs/report.md, want it explained", key[1])
		}
	}
}
