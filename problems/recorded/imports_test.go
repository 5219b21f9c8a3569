package recorded_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/internal/errtest"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

// sheetOf is a file of CSV with these names and lines.
func sheetOf(t *testing.T, names []string, lines [][]float64) *input.Sheet {
	t.Helper()
	text := strings.Join(names, ",") + "\n"
	for _, line := range lines {
		text += strings.Trim(strings.Join(strings.Fields(fmt.Sprint(line)), ","), "[]") + "\n"
	}
	return sheetOfText(t, text)
}

// sheetOfText is a file of CSV.
func sheetOfText(t *testing.T, text string) *input.Sheet {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := input.OpenSheet(file, "round", input.Format{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// rewritten is what an import writes, read again. Rounds that are written again are the same
// functions, bit for bit.
func rewritten(t *testing.T, k recorded.Kind, s *input.Sheet, own ...int) (*recorded.Import,
	*recorded.Recording) {
	t.Helper()
	r, err := k.Read(s, recorded.Columns{Own: own, Many: s.Rest(own...)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range s.Names { // what every column was taken for is said
		if !regexp.MustCompile(`(^|[^\w])`+regexp.QuoteMeta(name)+`($|[^\w])`).MatchString(
			strings.Join(r.Notes, "\n")) && len(s.Names) < 4 {
			t.Errorf("%T: want a note on the column %s, got %q", k, name, r.Notes)
		}
	}
	var text bytes.Buffer
	if err := r.Write(&text, recorded.Header{}); err != nil {
		t.Fatal(err)
	}
	rec, err := recorded.Read(&text, "rounds")
	if err != nil {
		t.Fatal(err)
	}
	if rec.Facts.Rounds != r.Count || rec.Constraints != r.Constraints ||
		rec.Domain.Dim() != r.Domain.Dim() {
		t.Fatalf("got %d rounds with %d constraints, want %d with %d", rec.Facts.Rounds, rec.Constraints,
			r.Count, r.Constraints)
	}
	out, err := recorded.Read(strings.NewReader(writtenAgain(t, rec, recorded.Header{Domain: rec.Domain,
		Constraints: rec.Constraints, Facts: &rec.Facts, Bases: rec.Bases})), "written again")
	if err != nil {
		t.Fatal(err)
	}
	same(t, fmt.Sprintf("%+v", k), rec, out)
	return r, rec
}

// same holds recordings to the same facts and functions.
func same(t *testing.T, what string, a, b *recorded.Recording) {
	t.Helper()
	if a.Facts != b.Facts {
		t.Fatalf("%s: got facts %+v, want %+v", what, b.Facts, a.Facts)
	}
	for i := range a.Facts.Rounds {
		r, o := roundOf(t, a, i+1), roundOf(t, b, i+1)
		fs, gs := append([]convex.Func{r.Loss}, r.Constraints...), append([]convex.Func{o.Loss}, o.Constraints...)
		for j, f := range fs {
			if !convex.Equal(f, gs[j]) {
				t.Fatalf("%s, round %d, function %d: got %+v, want %+v", what, i+1, j,
					convex.Describe(gs[j]), convex.Describe(f))
			}
		}
	}
}

// valued holds a round to the values of its loss and its constraints at x.
func valued(t *testing.T, what string, r convex.Round, x []float64, loss float64,
	constraints ...float64) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	if got := r.Loss.Value(x); !near(got, loss) {
		t.Errorf("%s: the loss of %v is %v, want %v", what, x, got, loss)
	}
	for j, g := range r.Constraints {
		if got := g.Value(x); !near(got, constraints[j]) {
			t.Errorf("%s: constraint %d of %v is %v, want %v", what, j+1, x, got, constraints[j])
		}
	}
}

// The rounds of five lines of returns, as fractions, in percent, as factors and as prices, by the
// equations of Portfolio. A column of dates is left out.
func TestPortfolioByEquations(t *testing.T) {
	const lines, n, budget, unit = 5, 3, 0.02, 0.5
	rng := rand.New(rand.NewPCG(31, 1))
	rho := make([][]float64, lines)
	price := [][]float64{{20240101, 50, 80, 120}}
	cells := make(map[recorded.Cells][][]float64)
	for r := range rho {
		day := float64(20240101 + r)
		line := map[recorded.Cells][]float64{recorded.Fraction: {day}, recorded.Percent: {day},
			recorded.Factor: {day}}
		next := []float64{day + 1}
		for i := range n {
			v := math.Round(1000*(rng.Float64()-0.4)) / 1e4
			rho[r] = append(rho[r], v)
			line[recorded.Fraction] = append(line[recorded.Fraction], v)
			line[recorded.Percent] = append(line[recorded.Percent], 100*v)
			line[recorded.Factor] = append(line[recorded.Factor], 1+v)
			next = append(next, price[r][i+1]*(1+v))
		}
		for is, row := range line {
			cells[is] = append(cells[is], row)
		}
		price = append(price, next)
	}
	cells[recorded.Price] = price
	for is, table := range cells {
		for k := range 6 {
			p := recorded.Portfolio{Cells: is, Loss: []string{"linear", "quadratic", "log"}[k/2],
				Turnover: k%2 > 0, Budget: budget, Unit: unit}
			r, rec := rewritten(t, p, sheetOf(t, []string{"day", "a", "b", "c"}, table))
			if r.Count != lines || !strings.Contains(strings.Join(r.Notes, "\n"),

				"day is left out: the time or the number of the line, from 20240101 to 2024010") {
				t.Fatalf("%s: got %d rounds and notes %q, want %d, and the column of days left out", is,
					r.Count, r.Notes, lines)
			}
			for i, returns := range rho {
				x := []float64{rng.Float64() / 2, rng.Float64() / 2, 0}
				x[2] = 1 - x[0] - x[1]
				won, mean, moved := 0.0, (returns[0]+returns[1]+returns[2])/n, 0.0
				for j, v := range returns {
					won += v * x[j]
					moved += math.Abs(v-mean) * x[j]
				}
				loss, g := -won/unit, won*won/budget/budget-1
				switch p.Loss {
				case "quadratic":
					loss = (-won + won*won/2) / unit
				case "log":
					loss = -math.Log(1+won) / unit
				}
				if p.Turnover {
					g = moved/budget - 1
				}
				valued(t, fmt.Sprintf("%+v, line %d", p, i+1), roundOf(t, rec, i+1), x, loss, g)
			}
		}
	}
}

// Of the returns 0.02 and 0.04 of one round the least root of the mean square is 0.02, and the
// least turnover 0.01: a budget below leaves nothing, and is told the least.
func TestShortageByHand(t *testing.T) {
	for _, c := range []struct {
		kind  recorded.Portfolio
		least string
	}{
		{recorded.Portfolio{Budget: 0.015}, "is 0.02"},
		{recorded.Portfolio{Budget: 0.021}, ""},
		{recorded.Portfolio{Budget: 0.009, Turnover: true}, "is 0.01"},
		{recorded.Portfolio{Budget: 0.011, Turnover: true}, ""},
	} {
		c.kind.Cells, c.kind.Unit = recorded.Fraction, 1
		r, _ := rewritten(t, c.kind, sheetOf(t, []string{"a", "b"}, [][]float64{{0.02, 0.04}}))
		got, err := r.Shortage()
		if err != nil || (got == "") != (c.least == "") || !strings.HasSuffix(got, c.least) {
			t.Errorf("%+v: %q, error %v, want %q", c.kind, got, err, c.least)
		}
		percent := fmt.Sprintf("(%v is %.3g %%)", c.kind.Budget, 100*c.kind.Budget)
		if got != "" && !strings.Contains(got, percent) {
			t.Errorf("%+v: %q, want %s", c.kind, got, percent)
		}
	}
}

// A zone whose first i chords are full has N servers at the power p_i with
// 1 + rate·p_i = (1 + rate·P)^(i/K), which is an end of a chord: it does N·gain·log(1 + rate·p_i)
// jobs, exactly. Between these the chords do less, by what a fine grid finds.
func TestJobsByEquations(t *testing.T) {
	j := recorded.Jobs{Servers: 10, Power: 3.3, Gain: 4, Rate: 0.3, Segments: 6}
	lines := [][]float64{{12, 3, 5}, {40, -1, 2}, {0, 7, 7}}
	r, rec := rewritten(t, j, sheetOf(t, []string{"jobs", "east", "west"}, lines), 0)
	power := func(i int) float64 {
		return (math.Pow(1+j.Rate*j.Power, float64(i)/float64(j.Segments)) - 1) / j.Rate
	}
	done := func(p float64) float64 { return j.Gain * math.Log(1+j.Rate*p) }
	all := 2 * 10 * done(j.Power)
	for round, line := range lines {
		for east := range j.Segments + 1 {
			west := (3*east + round) % (j.Segments + 1)
			x := make([]float64, 2*j.Segments)
			for i := range x {
				zone, k := []int{east, west}[i/j.Segments], i%j.Segments
				if k < zone {
					x[i] = 10 * (power(k+1) - power(k))
				}
			}
			valued(t, fmt.Sprintf("round %d", round+1), roundOf(t, rec, round+1), x,
				10*(line[1]*power(east)+line[2]*power(west)),
				line[0]-10*(done(power(east))+done(power(west))))
		}
	}
	full, outside := make([]float64, 2*j.Segments), make([]float64, 2*j.Segments)
	for i := range full {
		full[i], outside[i] = 1e9, -1
	}
	rec.Domain.Project(full, full)
	rec.Domain.Project(outside, outside)
	for i, v := range full {
		if want := 10 * (power(i%6+1) - power(i%6)); math.Abs(v-want) > 1e-9 || outside[i] != 0 {
			t.Errorf("coordinate %d is in [%v, %v], want [0, %v]", i, outside[i], v, want)
		}
	}
	off := 0.0
	for k := range j.Segments {
		a, b := power(k), power(k+1)
		for at := 0.0; at <= 1; at += 1e-4 {
			off = max(off, done(a+at*(b-a))-done(a)-at*(done(b)-done(a)))
		}
	}
	if want := fmt.Sprintf("the chords do at most %.3g jobs a round less than the servers can, of "+
		"%.4g at full power", 20*off, all); !strings.Contains(strings.Join(r.Notes, "\n"), want) {
		t.Errorf("the notes are %q, want %s", r.Notes, want)
	}
	few := recorded.Jobs{Servers: 1, Power: 1, Gain: 1, Rate: 1, Segments: 2}
	r, _ = rewritten(t, few, sheetOf(t, []string{"jobs", "east"}, [][]float64{{3, 1}, {1, 1}}), 0)
	if got, err := r.Shortage(); err != nil || !strings.HasSuffix(got,
		"2 on average, and all servers at full power do 0.6931") {
		t.Errorf("two jobs a round: got %q, error %v, want the shortage of servers", got, err)
	}
}

// The rounds of labels and features, with an intercept and standardised, by the equations.
func TestRegressionByEquations(t *testing.T) {
	lines := [][]float64{{1, 2, 10}, {4, 0, 20}, {1, 7, 60}}
	// means 2, 3 and 30, deviations √3, √13 and √700
	standard := make([][]float64, 3)
	for i, line := range lines {
		standard[i] = []float64{(line[0] - 2) / math.Sqrt(3), (line[1] - 3) / math.Sqrt(13),
			(line[2] - 30) / math.Sqrt(700)}
	}
	rng := rand.New(rand.NewPCG(31, 2))
	for k := range 4 {
		g := recorded.Regression{Intercept: k&1 > 0, Standardise: k&2 > 0, Radius: 2, Bias: 0.25}
		_, rec := rewritten(t, g, sheetOf(t, []string{"y", "h", "k"}, lines), 0)
		n, rows := 2+k&1, lines
		if g.Standardise {
			rows = standard
		}
		if got := rec.Domain.Dim(); got != n {
			t.Fatalf("%d weights, want %d", got, n)
		}
		for i, row := range rows {
			x, predicted := make([]float64, n), 0.0
			for c := range x {
				x[c] = 4*rng.Float64() - 2
				if c < 2 {
					predicted += x[c] * row[1+c]
				} else {
					predicted += x[c]
				}
			}
			e := predicted - row[0]
			valued(t, fmt.Sprintf("%+v, line %d", g, i+1), roundOf(t, rec, i+1), x, e*e/2, e-0.25, -e-0.25)
		}
		far := []float64{9, -9, 9}[:n]
		rec.Domain.Project(far, far)
		if far[0] != 2 || far[1] != -2 {
			t.Errorf("the weights reach %v, want ±2", far)
		}
	}
}

// The rounds of labels and features of two classes, by the equations: words, numbers, and one class
// against the rest; with an intercept, standardised, with a penalty. The facts are those of the
// rounds: no slope and no value at random points is beyond them.
func TestLogisticByEquations(t *testing.T) {
	rows := [][]float64{{2, 10}, {0, 20}, {7, 60}}
	standard := make([][]float64, 3) // means 3 and 30, deviations √13 and √700
	for i, row := range rows {
		standard[i] = []float64{(row[0] - 3) / math.Sqrt(13), (row[1] - 30) / math.Sqrt(700)}
	}
	rng := rand.New(rand.NewPCG(35, 2))
	for k, c := range []struct {
		labels   [3]string
		positive string
		want     [3]float64
	}{
		{[3]string{"0", "1", "0"}, "", [3]float64{-1, 1, -1}},
		{[3]string{"1", "-1", "1.0"}, "", [3]float64{1, -1, 1}},
		{[3]string{"10", "9", "9"}, "", [3]float64{1, -1, -1}},
		{[3]string{"spam", "ham", "ham"}, "", [3]float64{1, -1, -1}},
		{[3]string{"ham", "spam", "spam"}, "ham", [3]float64{1, -1, -1}},
		{[3]string{"3", "8", "5"}, "8", [3]float64{-1, 1, -1}},
		{[3]string{"b", "c", "a"}, "b", [3]float64{1, -1, -1}},
		{[3]string{"+", "-", "-"}, "+", [3]float64{1, -1, -1}},
		{[3]string{"\u200bb", "a", "a"}, "", [3]float64{1, -1, -1}}, // a space of no width
	} {
		text := "y,h,k\n"
		for i, row := range rows {
			text += fmt.Sprintf("%s,%v,%v\n", c.labels[i], row[0], row[1])
		}
		g := recorded.Logistic{Intercept: k%2 > 0, Standardise: k%3 > 0, Positive: c.positive,
			L2: 0.5 * float64(k%2), Rho: 1.5}
		_, rec := rewritten(t, g, sheetOfText(t, text), 0)
		n := rec.Domain.Dim()
		if want := 2 + k%2; n != want {
			t.Fatalf("%d weights, want %d", n, want)
		}
		f := rec.Facts
		if !f.Fixed || !f.KnownConstraints || !f.Feasible || f.Affine || f.Slater != 1.5 {
			t.Errorf("the facts are %+v, want fixed, known, feasible constraints with the margin 1.5", f)
		}
		for i, h := range rows {
			if g.Standardise {
				h = standard[i]
			}
			h = append(h[:2:2], 1)[:n]
			least, most := math.Inf(1), math.Inf(-1)
			for range 50 {
				x, grad, dot, l1, l2 := make([]float64, n), make([]float64, n), 0.0, 0.0, 0.0
				for c := range x {
					x[c] = 4*rng.Float64() - 2
				}
				rec.Domain.Project(x, x)
				for c, v := range x {
					dot, l1, l2 = dot+h[c]*v, l1+math.Abs(v), l2+v*v
				}
				if l2 > 1+1e-12 { // √(1+2·1.5) − 1
					t.Fatalf("got %v in the domain, want it outside", x)
				}
				r := roundOf(t, rec, i+1)
				loss := math.Log(1+math.Exp(-c.want[i]*dot)) + g.L2*l2/2
				valued(t, fmt.Sprintf("%+v, %v, line %d", g, c.labels, i+1), r, x, loss, l1+l2/2-1.5)
				least, most = min(least, loss), max(most, loss)
				r.Loss.Subgrad(grad, x)
				steep := 0.0
				for _, v := range grad {
					steep += v * v
				}
				if math.Sqrt(steep) > f.LossLipschitz*(1+1e-12) || most-least > f.LossRange ||
					math.Abs(l1+l2/2-1.5) > f.ConstraintBound*(1+1e-12) {
					t.Errorf("want at most %+v, got at %v a slope %v, losses in [%v, %v], a constraint %v", f, x,
						math.Sqrt(steep), least, most, l1+l2/2-1.5)
				}
			}
		}
	}
}

// The rounds of three experts with costs, and without.
func TestExpertsByHand(t *testing.T) {
	s := func() *input.Sheet {
		return sheetOf(t, []string{"p", "a", "q", "b"}, [][]float64{{1, -2, 3, 4}, {0, 5, 7, 0.5}})
	}
	x := []float64{0.25, 0.75}
	r, rec := rewritten(t, recorded.Experts{Budget: 2}, s(), 0, 2)
	valued(t, "round 1", roundOf(t, rec, 1), x, 2.5, 0.25+2.25-2) // −½+3
	valued(t, "round 2", roundOf(t, rec, 2), x, 1.625, 5.25-2)    // 1¼+⅜
	if got, err := r.Shortage(); got != "" || err != nil {
		t.Errorf("the cheapest costs ½ on average: got %q, error %v, want no shortage", got, err)
	}
	_, rec = rewritten(t, recorded.Experts{}, s())
	valued(t, "without costs", roundOf(t, rec, 1), []float64{0.5, 0.25, 0.25, 0}, 0.75, -1)
	r, _ = rewritten(t, recorded.Experts{Budget: 0.4}, s(), 0, 2)
	if got, err := r.Shortage(); err != nil || !strings.HasSuffix(got,
		"--budget 0.4 is the largest mean cost; that of the cheapest expert is 0.5") {
		t.Errorf("a budget of 0.4: got %q, error %v, want the mean cost of the cheapest", got, err)
	}
}

// A file of 1000 dimensions is imported, and one of more is refused with what to do.
func TestImportsHaveAtMostAThousandDimensions(t *testing.T) {
	for _, c := range []struct {
		kind   recorded.Kind
		most   int // columns
		own    []int
		remedy string
	}{
		{recorded.Portfolio{Cells: recorded.Fraction, Budget: 1, Unit: 1}, 1000, nil, "--assets"},
		{recorded.Jobs{Servers: 1, Power: 1, Gain: 1, Rate: 1, Segments: 100}, 11, []int{0}, "--segments"},
		{recorded.Regression{Radius: 1}, 1000, []int{0}, "--features"},
		{recorded.Experts{}, 1000, nil, "--experts"},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			names, line := make([]string, n), make([]float64, n)
			for i := range names {
				names[i], line[i] = fmt.Sprintf("c%d", i), 0.125
			}
			s := sheetOf(t, names, [][]float64{line, line})
			_, err := c.kind.Read(s, recorded.Columns{Own: c.own, Many: s.Rest(c.own...)})
			if (err != nil) != (n > c.most) || err != nil && !strings.Contains(err.Error(), c.remedy) {
				t.Errorf("%T of %d columns: %v, want an error beyond %d", c.kind, n, err, c.most)
			}
		}
	}
}

// Parameters that overflow a double, or whose chords have no slope, are refused and nothing
// panics; just below, rounds are written.
func TestParametersThatOverflowAreRefused(t *testing.T) {
	jobs := func(power, gain, rate float64, segments int) recorded.Jobs {
		return recorded.Jobs{Servers: 10, Power: power, Gain: gain, Rate: rate, Segments: segments}
	}
	for _, c := range []struct {
		kind  recorded.Kind
		sound bool
	}{
		{jobs(1e307, 4, 1e-300, 0), true}, {jobs(1e308, 4, 1e-300, 0), false},
		{jobs(1e307, 4, 1e-300, 3), true}, {jobs(1e308, 4, 1e-300, 3), false},
		{jobs(30, 1e304, 4, 0), true}, {jobs(30, 1e308, 4, 0), false},
		{jobs(30, 1e304, 4, 3), true}, {jobs(30, 1e308, 4, 1), false},
		{jobs(30, 4, 1e300, 3), true}, {jobs(30, 4, 1e308, 3), false},
		{jobs(30, 4, 1e-9, 3), true}, {jobs(30, 4, 1e-20, 3), false},
		{recorded.Regression{Radius: 1e150}, true}, {recorded.Regression{Radius: 1e308}, false},
	} {
		s := sheetOf(t, []string{"jobs", "east"}, [][]float64{{3, 1}, {1, 2}})
		r, err := c.kind.Read(s, recorded.Columns{Own: []int{0}, Many: s.Rest(0)})
		if err == nil {
			err = r.Write(io.Discard, recorded.Header{})
		}
		if (err == nil) != c.sound {
			t.Errorf("%+v: error %v, want one: %v", c.kind, err, !c.sound)
		}
	}
}

// A file whose other columns are all dates is refused, as texts and as numbers.
func TestDatesAloneAreRefused(t *testing.T) {
	for _, text := range []string{
		"y,day\n1,1991-07-01\n2,1991-07-02\n", "y,day\n1,19910701\n2,19910702\n",
		",y,day\n1,1,01.07.1991\n2,2,02.07.1991\n",
	} {
		for _, kind := range []recorded.Kind{
			recorded.Regression{Radius: 1}, recorded.Regression{Radius: 1, Intercept: true},
			recorded.Logistic{L2: 1, Rho: 1}, recorded.Logistic{L2: 1, Rho: 1, Intercept: true},
			recorded.Jobs{Servers: 1, Power: 1, Gain: 1, Rate: 1, Segments: 1},
			recorded.Portfolio{Cells: recorded.Fraction, Budget: 1, Unit: 1}, recorded.Experts{},
		} {
			s := sheetOfText(t, text)
			own := []int{slices.Index(s.Names, "y")}
			_, err := kind.Read(s, recorded.Columns{Own: own, Many: s.Rest(own...)})
			errtest.Contains(t, err, ":1:1: ", "%T of %q", kind, text)
		}
	}
}

// Beside the column of the time, the notes say why another one is left out: it has dates, or only
// the name of a time.
func TestNotesSayWhyAColumnIsLeftOut(t *testing.T) {
	for _, c := range []struct{ name, second, want string }{
		{"dates", "2020-01-03", "year is left out: it has dates"},
		{"numbers", "2020", "year is left out: its name says that it is a time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sheetOfText(t, "date,year,x,y\n2020-01-01,"+c.second+",0.01,0.02\n2020-01-02,"+c.second+
				",0.02,0.01\n")
			r, err := recorded.Portfolio{Cells: recorded.Fraction, Unit: 1, Budget: 0.015}.Read(s,
				recorded.Columns{Many: s.Rest()})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(r.Notes, c.want) {
				t.Errorf("the notes are %q, want %q", r.Notes, c.want)
			}
		})
	}
}
