package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/attack"
	"ocobench/harness/conform"
	"ocobench/harness/diagnosis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/golden"
	"ocobench/report/table"
	"ocobench/stats"
)

// A planter makes outcomes at random: names and numbers that are all different, lists of several
// lengths, flags of both kinds, every word that a type has, and numbers that do not exist.
type planter struct {
	*rand.Rand
	n     int // names and numbers so far
	depth int
}

// words are those of the types that have some.
var words = map[reflect.Type][]any{
	reflect.TypeFor[stats.Verdict](): {stats.Verdict(""), stats.AtMost, stats.Above, stats.Undecided,
		stats.Trivial},
	reflect.TypeFor[stats.Shape](): {stats.Power, stats.OffsetPower, stats.Logarithmic,
		stats.Transient, stats.Bounded, stats.NonPositive, stats.Undetermined},
	reflect.TypeFor[stats.Design](): {stats.AlongT, stats.AcrossT},
	reflect.TypeFor[analysis.State](): {analysis.Measured, analysis.Measured, analysis.Measured,
		analysis.Failed, analysis.Empty, analysis.Rounding},
	reflect.TypeFor[analysis.BoundState](): {analysis.Held, analysis.Broken, analysis.Unsettled,
		analysis.Unstated},
	reflect.TypeFor[diagnosis.Verdict](): {diagnosis.Holds, diagnosis.Fails, diagnosis.Applies,
		diagnosis.Inapplicable, diagnosis.Open},
	reflect.TypeFor[attack.Goal](): {attack.Growth, attack.Value, attack.Lead, attack.Bound},
	reflect.TypeFor[algorithms.Feedback](): {algorithms.FullInfo, algorithms.FirstOrder,
		algorithms.TwoPoint},
	reflect.TypeFor[algorithms.Metric](): {algorithms.SoftViolation, algorithms.RegretXMin},
}

func (p *planter) next() float64 {
	p.n++
	return float64(p.n)
}

// fill plants everything below a value, but for what is very deep.
func (p *planter) fill(v reflect.Value) {
	if p.depth++; p.depth < 9 {
		p.plant(v)
	}
	p.depth--
}

func (p *planter) plant(v reflect.Value) {
	if all := words[v.Type()]; all != nil {
		v.Set(reflect.ValueOf(all[p.IntN(len(all))]))
		return
	}
	switch of := v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(p.next()))))
		return
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"n":%v}`, p.next()))
		return
	case analysis.Number:
		v.SetFloat(p.number(p.next() + 0.25))
		return
	case analysis.Band:
		of.T = []float64{1, 10, 100}
		for range of.T {
			x := analysis.Number(p.next())
			of.Value, of.Lower, of.Upper = append(of.Value, x), append(of.Lower, x-1), append(of.Upper, x+2)
		}
		v.Set(reflect.ValueOf(of))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				p.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), p.IntN(9)%5, 9))
		for i := range v.Len() {
			p.fill(v.Index(i))
		}
	case reflect.Pointer:
		if p.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			p.fill(v.Elem())
		}
	case reflect.Bool:
		v.SetBool(p.IntN(2) == 0)
	case reflect.Int:
		v.SetInt(int64(p.next()) * int64(min(1, p.IntN(4))))
	case reflect.Int64:
		v.SetInt(int64(p.next()) * 1e5)
	case reflect.Uint64:
		v.SetUint(uint64(p.next()))
	case reflect.Float64:
		v.SetFloat(p.number(p.next() + 0.5))
	case reflect.String:
		v.SetString(fmt.Sprint("n", p.next()))
	}
}

// number is x, or a number that is zero, negative, large or small.
func (p *planter) number(x float64) float64 {
	return []float64{x, x, x, x, 0, -x, x * 1e4, x / 1e5}[p.IntN(8)]
}

// perturb plants words, flags, counts and numbers in an analysis, and keeps all names.
func (p *planter) perturb(v reflect.Value) {
	switch of := v.Interface().(type) {
	case []float64: // the times of a line
		return
	case analysis.Band: // whose means are numbers
		for k, x := range of.Value {
			of.Value[k] = []analysis.Number{x, x, x, -1000 * x, x / 1000, 0}[p.IntN(6)]
		}
		p.perturb(v.FieldByName("Lower"))
		p.perturb(v.FieldByName("Upper"))
		return
	}
	if all := words[v.Type()]; all != nil {
		if v.Type() != reflect.TypeFor[algorithms.Metric]() && v.String() != string(analysis.Missing) &&
			v.String() != "" && p.IntN(3) == 0 {
			v.Set(reflect.ValueOf(all[p.IntN(len(all))]))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				p.perturb(v.Field(i))
			}
		}
		if f, ok := v.Addr().Interface().(*analysis.Fit); ok && p.IntN(8) == 0 {
			twin := *f
			twin.Negated = nil
			f.Negated, f.Shape = &twin, stats.NonPositive
		}
		if e, ok := v.Addr().Interface().(*analysis.Estimate); ok && e.Lower > e.Upper {
			e.Lower, e.Upper = e.Upper, e.Lower
		}
	case reflect.Slice:
		for i := range v.Len() {
			p.perturb(v.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys,
			func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			p.perturb(v.MapIndex(k))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if c, ok := v.Interface().(*algorithms.Claim); ok { // which the registry has too
			claim := *c
			claim.Exponent, claim.Log = float64(p.IntN(4))/4, []float64{0, 0, 1, 0.5}[p.IntN(4)]
			v.Set(reflect.ValueOf(&claim))
			return
		}
		p.perturb(v.Elem())
	case reflect.Bool:
		v.SetBool(v.Bool() != (p.IntN(5) == 0))
	case reflect.Int:
		if p.IntN(4) == 0 {
			v.SetInt(int64(p.IntN(9)))
		}
	case reflect.Float64:
		if v.Type() != reflect.TypeFor[analysis.Number]() {
			return
		}
		switch x := v.Float(); p.IntN(16) {
		case 0:
			v.SetFloat(math.NaN())
		case 1:
			v.SetFloat(math.Inf(1 - 2*p.IntN(2)))
		case 2, 3, 4:
			v.SetFloat(4*p.Float64() - 2)
		case 5, 6:
			v.SetFloat(p.Float64() / 10)
		case 7:
			v.SetFloat(-1000 * x)
		case 8:
			v.SetFloat(100 * x)
		}
	}
}

// planted plants in all of an analysis what may turn out otherwise.
func (p *planter) planted(a *analysis.Analysis) {
	a.Experiment.Confidence = []float64{0.9, 0.95, 0.99}[p.IntN(3)]
	a.Computed = nil
	for k := range p.IntN(3) {
		a.Computed = append(a.Computed, run.Computed{Cells: k + 3,
			Provenance: store.Provenance{Version: fmt.Sprint("v", k), Go: "go0", GOARCH: "none"}})
	}
	for k := range a.Algorithms {
		a.Algorithms[k].Tuned = []string{"", "grid"}[p.IntN(2)]
	}
	for k := range a.Pairs {
		q := &a.Pairs[k]
		for _, of := range []any{&q.Replicates, &q.Played, &q.Root, &q.Verdict, &q.Series, &q.Regret,
			&q.Violation, &q.Dynamic} {
			p.perturb(reflect.ValueOf(of).Elem())
		}
		if p.IntN(4) == 0 {
			q.Failed, q.Failure = 1+p.IntN(3), []string{"no memory\nat all", "too slow:"}[p.IntN(2)]
		}
		if p.IntN(5) == 0 {
			a.Unmet = append(a.Unmet, experiment.Unmet{Algorithm: q.Algorithm, Problem: q.Problem,
				Assumptions: []string{"convex sets", "bounded losses"}[:1+p.IntN(2)]})
		}
		if p.IntN(5) == 0 && len(a.Algorithms) > 2 {
			a.Equal = append(a.Equal, analysis.Equal{Problem: q.Problem,
				Algorithms: []string{a.Algorithms[0].Spec, a.Algorithms[1+p.IntN(2)].Spec}})
		}
	}
	if len(a.Unmet) > 4 {
		a.Unmet = a.Unmet[2:]
	}
	for k := range a.Comparisons.Rows {
		row := &a.Comparisons.Rows[k]
		row.Warnings, row.Equal = [][]string{nil, {"skewed"}}[p.IntN(2)], p.IntN(9) == 0
		row.Sign = p.IntN(3) - 1
	}
	for _, of := range []any{&a.Standings, &a.Ranks, &a.Comparisons} {
		p.perturb(reflect.ValueOf(of).Elem())
	}
}

// A facts writes the names and numbers of texts, and their signs, without other words.
type facts struct {
	strings.Builder
	names map[string]bool // besides those with a digit
}

func (f *facts) say(what, text string) {
	f.WriteString(what + ":")
	here := store.CurrentProvenance()
	text = strings.NewReplacer(here.Version, "", here.Go, "", here.GOARCH, "").Replace(text)
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ".,;:()")
		if f.names[word] || strings.ContainsAny(word, "0123456789✓▲?·*≤") {
			f.WriteString(" " + word)
		}
	}
	f.WriteString("\n")
}

// tell says the notes and the title of a table without words, and its cells with them.
func (f *facts) tell(what string, t *table.Table) {
	f.say(what, t.Title.Plain+"\t"+t.Title.TeX)
	for _, c := range t.Columns {
		fmt.Fprint(f, "  ", c.Name.Plain, c.Name.TeX, c.Align)
	}
	fmt.Fprintln(f, "", t.Keys, t.Label)
	for _, n := range t.Notes {
		f.say("  note", n.Plain+"\t"+n.TeX)
	}
	blocks := append(slices.Clone(t.Blocks), table.Block{Rows: t.Rows})
	for _, b := range blocks {
		f.say("  block", b.Name.Plain+"\t"+b.Name.TeX)
		for _, row := range b.Rows {
			var cells []string
			for _, c := range row {
				text := c.Plain
				if c.TeX != "" || c.Small != nil || c.Bold {
					text += fmt.Sprint(" (", c.TeX, c.Small, c.Bold, ")")
				}
				for below := c.Below; below != nil; below = below.Below {
					text += " / " + below.Plain
				}
				cells = append(cells, text)
			}
			fmt.Fprintf(f, "  | %s |\n", strings.Join(cells, " | "))
		}
	}
}

// TestPlanted freezes which names and numbers tables, lists and notes have, in which order, of
// outcomes that are planted at random. That they are those that were planted, a reader of a change
// of the file has to see; the words are free.
func TestPlanted(t *testing.T) {
	p := &planter{Rand: rand.New(rand.NewPCG(7, 6))}
	var f facts
	plant := func(v any) { p.fill(reflect.ValueOf(v).Elem()) }
	write := func(what string, print func(*table.Folded)) {
		var b bytes.Buffer
		print(&table.Folded{W: &b, Width: 300})
		for line := range strings.Lines(b.String()) {
			f.say(what+line[:len(line)-len(strings.TrimLeft(line, " "))], line) // as it is indented
		}
	}
	for range 5 {
		var l Listing
		plant(&l)
		for k := range l.Algorithms {
			if all := l.Algorithms[k].Parameters; len(all) > 0 && p.IntN(2) == 0 {
				all[0].Name = "doubling"
			}
		}
		write("list", l.print)
		l.Experiments = nil
		write("described", l.printWhole)
		for _, name := range append(l.names(), "algorithms", "problems", "all") {
			_, print, err := l.Part(name)
			if err != nil {
				t.Fatal(err)
			}
			write(name, print)
		}
		var h run.Inventory
		plant(&h)
		f.tell("holdings", Holdings(&h))
		f.say("held", strings.Join(Held("here", &h), "\n"))
		var c Cell
		c.Cell = &store.Cell{}
		plant(c.Cell)
		plant(&c.Experiments)
		c.Rows = slices.Repeat(c.Rows, 4)
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		f.say("cell", text.String())
		f.json(t, c)
		f.tuning(t, plant)
		f.games(plant)
		var finding attack.Finding
		plant(&finding)
		f.tell("finding", Finding(&finding))
		var d diagnosis.Diagnosis
		plant(&d)
		for k := range d.Facts {
			d.Facts[k].Name = []string{"curvature", "diameter", "departure_from_iid", "loss_lipschitz"}[k%4]
		}
		for _, of := range Diagnosis(&d) {
			f.tell("diagnosis", of)
		}
		drawn := example()
		plant(&drawn.Curves.Active.Y)
		plant(&drawn.Curves.Deviation.Y)
		drawn.Curves.T = []int{1, 2, 4, 8, 16}
		outline(&f.Builder, reflect.ValueOf(*DiagnosisFigure(drawn)), "")
		var laws conform.Result
		plant(&laws)
		for k := range laws.Laws {
			laws.Laws[k].Verdict = []string{conform.Holds, conform.Broken, conform.Skipped}[p.IntN(3)]
			write("law", func(w *table.Folded) { Verdict(laws.Laws[k], w) })
		}
		write("laws", func(w *table.Folded) { Verdicts(laws, w.W) })
		var end strings.Builder // which says where to begin, if several are broken
		Verdicts(laws, &end)
		fmt.Fprintln(&f, laws.Count(conform.Broken), "broken, with a hint:",
			strings.Contains(end.String(), ";"))
		fits := make([]Fitted, 1+p.IntN(9))
		for k := range fits {
			plant(&fits[k])
			fits[k].Fit = new(analysis.Fit)
			plant(fits[k].Fit)
			f.json(t, fits[k])
		}
		f.tell("fits", Fits("title", fits, store.Provenance{}))
		outline(&f.Builder, reflect.ValueOf(*FitsFigure(fits)), "")
	}
	golden.File(t, "planted.txt", f.String(), *update)
}

func (f *facts) json(t *testing.T, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "%s\n", provenance.ReplaceAll(text, nil))
}

// provenance is that of the program of the test.
var provenance = regexp.MustCompile(`"provenance":\{[^}]*\},`)

// tuning says a tuning of planted scores.
func (f *facts) tuning(t *testing.T, plant func(any)) {
	u := Tuning{Tuning: &run.Tuning{Experiment: new(spec.Experiment),
		Plan: &experiment.Plan{Experiment: new(spec.Experiment)}}}
	x := u.Plan.Experiment
	for _, of := range []any{&u.Metrics, &u.Unseeded, &u.Experiment.Name, &u.Experiment.Seed, &x.Seed,
		&x.Replicates} {
		plant(of)
	}
	x.Horizon = []int{77, 88}
	names := make([]string, 0)
	plant(&names)
	for _, name := range names {
		u.Plan.Problems = append(u.Plan.Problems, experiment.Problem{
			Configuration: experiment.Configuration{Spec: name}})
		u.Grids = append(u.Grids, run.Grid{Use: spec.Use{Name: name}})
		scores := make([]run.Score, 1+len(names)%3)
		for k := range scores {
			s := &scores[k]
			for _, of := range []any{&s.Spec, &s.Costs, &s.Ranks, &s.Mean, &s.Lowest, &s.NoCost,
				&s.Chosen} {
				plant(of)
			}
		}
		u.Scores = append(u.Scores, scores)
	}
	f.tell("tuning", u.Table())
	f.json(t, u)
}

// games says the tables of single games.
func (f *facts) games(plant func(any)) {
	var h game.Hindsight
	var bests []game.Best
	var moving *game.Moving
	for _, of := range []any{&h.Window, &h.BurnIn, &bests, &moving} {
		plant(of)
	}
	f.tell("hindsight", Hindsight("fixed", 1+h.Window, &h, bests, moving, "here"))
	o := game.Outcome{T: 9, Metrics: make(map[algorithms.Metric]float64),
		Regret: make(map[string]game.Regret)}
	for _, m := range game.Metered {
		var v float64
		var r game.Regret
		plant(&v)
		plant(&r)
		if o.Metrics[m.Name] = v; m.Set != "" && v != 0 {
			o.Regret[m.Set] = r
		}
	}
	f.tell("outcome", Outcome("fixed", &o, "here"))
}

// The digests of all that is shown of analyses whose outcomes are planted: cells and figures whole,
// and of other texts the names and numbers. TestWhole and the tests beside it say what they should
// be.

func TestPlantedSweeps(t *testing.T) {
	testPlanted(t, "sweeps", smallExperiment, "name: swept\nhorizon: 60\nreplicates: 6\nproblems: "+
		"[{use: iid}, {use: shrinking}]\nalgorithms: [{use: primal-dual, step: [1, 2, 3, 4, 5, 6, 7, "+
		"8]}]")
}

func TestPlantedComparisons(t *testing.T) {
	testPlanted(t, "comparisons", "name: many\nhorizon: 60\nreplicates: 2\nproblems: [{use: iid, "+
		"dim: [1, 2, 3, 4, 5, 6, 7]}, {use: fixed, dim: [1, 2, 3, 4, 5, 6]}]\nalgorithms: [{use: ogd, "+
		"step: [1, 2, 3, 4, 5]}, {use: primal-dual}, {use: mahdavi}, {use: ftrl}]")
}

func TestPlantedSingles(t *testing.T) {
	testPlanted(t, "singles", "name: one\nhorizon: 90\nreplicates: 3\nproblems: [{use: iid}]\n"+
		"algorithms: [{use: ogd}, {use: yu-neely-wei}, {use: primal-dual}, {use: penalised-ftrl}]",
		"name: still\nhorizon: 60\nreplicates: 2\nproblems: [{use: shrinking}, {use: alternating}]\n"+
			"algorithms: [{use: ogd}, {use: mahdavi}, {use: penalised-ftrl}]",
		"name: few\nhorizon: 60\nreplicates: 3\nproblems: [{use: iid, dim: [1, 2, 3]}, {use: fixed, "+
			"dim: [1, 2]}, {use: shrinking}, {use: alternating}, {use: decaying-frequency, c: [0.5, 1]}]\n"+
			"algorithms: [{use: ogd}, {use: mahdavi}]",
		"name: example\nhorizon: 200\nreplicates: 2\nproblems: [{use: decaying-frequency, c: [0.5, "+
			"1]}]\nalgorithms: [{use: penalised-ftrl}, {use: primal-dual}]")
}

func testPlanted(t *testing.T, name string, experiments ...string) {
	p := &planter{Rand: rand.New(rand.NewPCG(8, 6))}
	var out strings.Builder
	for _, text := range experiments {
		x, err := spec.Parse("e.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		a := analysed(t, x)
		f := &facts{names: make(map[string]bool)}
		for _, e := range a.Algorithms {
			f.names[e.Title()] = true
		}
		for _, e := range a.Problems {
			f.names[e.Title()] = true
		}
		for variant := range 3 {
			p.planted(a)
			of := subjectOf(a)
			end := func(what string) {
				fmt.Fprintf(&out, "%.8x %s %d %s\n", sha256.Sum256([]byte(f.String())), x.Name, variant, what)
				f.Reset()
			}
			tell := func(what string, tables ...*table.Table) {
				for _, tab := range tables {
					f.tell(what, tab)
					if err := table.WriteCSV(f, tab); err != nil {
						t.Fatal(err)
					}
				}
				end(what)
			}
			tell("first", First(a)...)
			tell("tables", Tables(a)...)
			for _, named := range tablesOf(of, of.metrics, of.glance) {
				tell(named.name, named.build()...)
			}
			values, _ := Values()
			for k, by := range [][3]Dim{{ByProblem, ByAlgorithm, ByMetric}, {ByMetric, ByProblem,
				ByAlgorithm}, {ByAlgorithm, ByMetric, ByProblem}} {
				g := Grid{Rows: by[:2], Columns: by[2], Values: values[k : k+3]}
				tell(fmt.Sprint("grid ", by, values[k:k+3]), g.Tables(a)...)
			}
			chosen := Grid{Rows: []Dim{ByAlgorithm}, Columns: ByMetric, Values: values[:2+variant],
				Metrics: []algorithms.Metric{a.Focus.Violation, a.Focus.Regret}, Caption: "Means of $V_t$",
				Algorithms: []string{a.Algorithms[len(a.Algorithms)-1].Spec, a.Algorithms[0].Spec}}
			for _, problem := range a.Problems[:min(len(a.Problems), 1+variant)] {
				chosen.Problems = append(chosen.Problems, problem.Spec)
			}
			tell("chosen", chosen.Tables(a)...)
			if base := a.Experiment.Baseline; len(a.Algorithms) > 1 {
				tell("versus", WithBaseline(a, base, a.Comparisons.Against(base)), Ranking(a, base))
				first, second := a.Algorithms[0].Spec, a.Algorithms[1].Spec
				tell("against", Against(a, first, second, true), Against(a, first, second, false))
			}
			f.say("words", strings.Join(Words(a), "\n"))
			for _, m := range macros(of, of.metrics) {
				fmt.Fprintln(f, m.name, m.value)
				f.say("macro", m.doc)
			}
			end("macros")
			for _, named := range of.figures(variant%2 == 0) {
				f.say(named.name, named.caption.Plain+named.caption.TeX)
				outline(&f.Builder, reflect.ValueOf(*named.figure), "")
			}
			end("figures")
		}
	}
	golden.File(t, "planted-"+name+".sha256", out.String(), *update)
}
