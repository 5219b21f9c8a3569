package recorded_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ocobench/problems/recorded"
)

// said is a function of (u, v) in the notation, and what it is: its value there, and the size of
// the terms that add up to it.
type said struct {
	form  string
	value func(u, v float64) (value, size float64)
}

// A file says the same with its members in any order. A claim that is off by less than the
// rounding that is allowed is none, and one that is off by more is a fault of its function, in
// its column.
func TestMembersInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 1))
	object := func(members ...string) string {
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		return "{" + strings.Join(members, ",") + "}"
	}
	number := func() float64 { return math.Round(1000*(4*rng.Float64()-2)) / 1000 }
	names := []string{"the loss", "constraint 1", "constraint 2"}
	for game := range 300 {
		a, b, e := number(), number(), rng.Float64()
		header := object(`"domain":{"box":{"lower":[-2,-2],"upper":[3,3]}}`, `"constraints":2`,
			fmt.Sprintf(`"functions":{"below":{"const":-1,"lin":[%v,%v]},"bowl":{"quad":[[%v,0],[0,%[3]v]]}}`,
				a, b, e))
		draw := func(c, d float64) said {
			k := [4]float64{number(), number(), rng.Float64(), number()}
			quad := float64(rng.IntN(2))
			members := []string{fmt.Sprintf(`"const":%v`, k[0]), fmt.Sprintf(`"lin":[%v,%v]`, c, d)}
			if quad > 0 {
				members = append(members, fmt.Sprintf(`"quad":[[%v,0],[0,%v]]`, k[2], 2*k[2]))
			}
			terms := rng.IntN(2) > 0
			if terms {
				members = append(members, fmt.Sprintf(`"terms":[%s,{"of":"bowl"}]`,
					object(fmt.Sprintf(`"scale":%v`, k[3]), `"of":"below"`)))
			}
			return said{object(members...), func(u, v float64) (value, size float64) {
				parts := []float64{k[0], c * u, d * v, quad * k[2] * u * u / 2, quad * k[2] * v * v}
				if terms {
					parts = append(parts, -k[3], k[3]*a*u, k[3]*b*v, e*u*u/2, e*v*v/2)
				}
				for _, p := range parts {
					value, size = value+p, size+math.Abs(p)
				}
				return value, size
			}}
		}
		text, want := header+"\n", ""
		wrongRound, wrong := 1+rng.IntN(3), rng.IntN(6) // of six, three are none
		var all [3][3]said
		for round := 1; round <= 3; round++ {
			c, d, x := number(), number(), [2]float64{number(), number()}
			var functions [3]string
			mark := ""
			for j := range functions {
				f := draw(c, d)
				all[round-1][j] = f
				value, size := f.value(x[0], x[1])
				claim := value + (rng.Float64()-0.5)*1e-6*size
				if round == wrongRound && j == wrong {
					claim = value + 0.01*(1+math.Abs(value))
					mark = fmt.Sprintf(`"value":%v`, claim)
					want = fmt.Sprintf(" value of %s is %v,", strings.TrimPrefix(names[j], "the "), claim)
				}
				functions[j] = object(`"form":`+f.form, fmt.Sprintf(`"value":%v`, claim),
					`"subgradient":[1,2]`)
			}
			line := object(fmt.Sprintf(`"t":%d`, round), fmt.Sprintf(`"x":[%v,%v]`, x[0], x[1]),
				`"loss":`+functions[0], `"constraints":[`+functions[1]+","+functions[2]+"]")
			if mark != "" {
				want = fmt.Sprintf("f:%d:%d:%s", round+1, strings.Index(line, mark)+len(`"value":`)+1, want)
			}
			text += line + "\n"
		}
		rec, err := recorded.Read(strings.NewReader(text), "f")
		if want != "" {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Fatalf("game %d: the error is %v, want %q:\n%s", game, err, want, text)
			}
			continue
		}
		if err != nil {
			t.Fatalf("game %d: %v:\n%s", game, err, text)
		}
		for round, f := range all {
			x := []float64{number(), number()}
			var values [3]float64
			for j := range f {
				values[j], _ = f[j].value(x[0], x[1])
			}
			valued(t, fmt.Sprintf("game %d, round %d", game, round+1), roundOf(t, rec, round+1), x,
				values[0], values[1:]...)
		}
	}
}

// Of two labels, numbers or words, the larger or later one is +1, whatever the order of the lines.
// The facts of the rounds are those of the equations: of one feature or many, the constraint is
// farthest from 0 at 0 or in a corner direction.
func TestLabelsInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 2))
	words := []string{"0", "1", "-1", "10", "9", "2.5", "1e2", "a", "b", "Spam", "ham", "9a", "x 1"}
	numbers := map[string]float64{"0": 0, "1": 1, "-1": -1, "10": 10, "9": 9, "2.5": 2.5, "1e2": 100}
	for game := range 150 {
		k := rng.Perm(len(words))
		first, second := words[k[0]], words[k[1]]
		u, isNumber := numbers[first]
		v, both := numbers[second]
		positive := second
		if isNumber && both && u > v || !(isNumber && both) && first > second {
			positive = first
		}
		g := recorded.Logistic{Rho: 3 * rng.Float64(), L2: float64(rng.IntN(2)) * rng.Float64()}
		n, lines := 1+rng.IntN(12), 2+rng.IntN(4)
		names, labels, table := "y", make([]string, lines), make([][]float64, lines)
		for i := range n {
			names += fmt.Sprintf(",h%d", i+1)
		}
		text, steepest := names+"\n", 0.0
		for i := range table {
			labels[i] = []string{first, second}[(i+game)%2]
			text += labels[i]
			squares := 0.0
			for range n {
				h := math.Round(100*rng.NormFloat64())/100 + 0.001
				table[i], squares = append(table[i], h), squares+h*h
				text += fmt.Sprintf(",%v", h)
			}
			steepest = max(steepest, math.Sqrt(squares))
			text += "\n"
		}
		_, rec := rewritten(t, g, sheetOfText(t, text), 0)
		slope := make([]float64, n)
		for i, h := range table {
			y := -1.0
			if labels[i] == positive {
				y = 1
			}
			roundOf(t, rec, i+1).Loss.Subgrad(slope, make([]float64, n)) // −½y·h
			for c, v := range slope {
				if math.Abs(v+0.5*y*h[c]) > 1e-12 {
					t.Fatalf("%q and %q: the slope of line %d is %v, want %v times %v", first, second, i+1,
						slope, -0.5*y, h)
				}
			}
		}
		r, root := math.Sqrt(1+2*g.Rho)-1, math.Sqrt(float64(n))
		f := rec.Facts
		for what, c := range map[string][2]float64{
			"slope of losses":      {f.LossLipschitz, steepest + g.L2*r},
			"range of losses":      {f.LossRange, r*steepest + g.L2*r*r/2},
			"slope of constraints": {f.ConstraintLipschitz, root + r},
			"bound of constraints": {f.ConstraintBound, max(g.Rho, root*r+r*r/2-g.Rho)},
			"Slater margin":        {f.Slater, g.Rho},
			"diameter":             {f.Diameter, 2 * r},
		} {
			if math.Abs(c[0]-c[1]) > 1e-9*c[1] {
				t.Errorf("%+v, %d features: the %s is %v, want %v", g, n, what, c[0], c[1])
			}
		}
	}
}

// A third label is named with the other two.
func TestThirdLabel(t *testing.T) {
	s := sheetOfText(t, "y,h\nham,1\neggs,2\nspam,3\n")
	_, err := recorded.Logistic{Rho: 1}.Read(s, recorded.Columns{Own: []int{0}, Many: s.Rest(0)})
	for _, word := range []string{"ham", "eggs", "spam", ":4:1:"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v, want one with %s", err, word)
		}
	}
}

// Returns whose squares over the square of the budget, or over the unit, are infinite are refused
// in their round, where the constraint or the loss has them.
func TestReturnsThatAreTooLarge(t *testing.T) {
	for _, c := range []struct {
		kind    recorded.Portfolio
		largest float64
		want    bool
	}{
		{recorded.Portfolio{Budget: 1e-60, Unit: 1}, 1e95, true},
		{recorded.Portfolio{Budget: 1e-60, Unit: 1}, 1e90, false},
		{recorded.Portfolio{Budget: 1e-60, Unit: 1, Turnover: true}, 1e95, false},
		{recorded.Portfolio{Budget: 1, Unit: 1e-120, Turnover: true}, 1e97, true},
		{recorded.Portfolio{Budget: 1, Unit: 1e-120, Turnover: true}, 1e90, false},
	} {
		c.kind.Cells = recorded.Fraction
		s := sheetOf(t, []string{"a", "b"}, [][]float64{{0.1, 0.2}, {0.1, c.largest}})
		_, err := c.kind.Read(s, recorded.Columns{Many: s.Rest()})
		if (err != nil) != c.want || err != nil && !strings.Contains(err.Error(), "round 2 ") {
			t.Errorf("%+v, a return of %v: error %v", c.kind, c.largest, err)
		}
	}
}
