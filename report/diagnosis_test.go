package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/diagnosis"
	"ocobench/report/figure"
	"ocobench/report/table"
)

func num(v float64) *float64 { return &v }

// example returns a diagnosis with long words and numbers in every place.
func example() *diagnosis.Diagnosis {
	long := num(-1.2345678e-10)
	e := diagnosis.Exponent{Value: num(-0.512), Lower: num(-0.6), Upper: num(-0.4), From: 50000,
		To: 5000000}
	k := 9999999
	return &diagnosis.Diagnosis{
		Rounds: 10000000, Dim: 1000, Constraints: 5,
		Facts: []diagnosis.Fact{{Name: "departure_from_perturbed", Measured: 1.2345678e-10,
			Declared: num(1.2345e100), Broken: true}},
		Sets: []diagnosis.Set{{Name: "xmin", Empty: true}, {Name: "xhat"}, {Name: "xe"}},
		Slater: diagnosis.Slater{Point: slices.Repeat([]float64{*long}, 1000), Margin: long,
			Eta: long, Burn: 9999999, Uniform: long, Round: long, Exponent: num(-0.5), Constraint: 1000},
		Growth:      diagnosis.Growth{Epsilon: long, Count: &k, Exponent: num(0.123), Beta: long},
		Convergence: diagnosis.Convergence{Exponent: e, Of: "expectation"},
		Penalties:   []diagnosis.Exponent{e, e, {Zero: true}, e, e},
		Gamma: diagnosis.Gamma{Used: 25, E: long, L: long, Sufficient: long, Limit: long,
			Effective: nil},
		Motion: diagnosis.Motion{
			Paths: 10, Empty: 9999999, Empties: 10,
			Variation: diagnosis.Total{Exponent: e, Last: long, AtMost: true},
		},
		Findings: []diagnosis.Finding{{Name: "1/√t-convergence", Verdict: diagnosis.Inapplicable,
			Reason: strings.Repeat("averages ", 40)}},
		Curves: diagnosis.Curves{
			T: []int{1, 10, 100},
			Average: []diagnosis.Curve{
				{Name: "slater", Y: []*float64{num(-1), num(-0.5), num(-0.5)}},
				{Name: "xe", Y: []*float64{num(0.1), nil, num(-0.01)}},
				{Name: "anything_else", Y: []*float64{num(0.1), nil, num(-0.01)}},
			},
			Active:    diagnosis.Curve{Name: "active", Y: []*float64{nil, num(3), num(8)}},
			Deviation: diagnosis.Curve{Name: "expectation", Y: []*float64{num(1), num(0)}},
		},
	}
}

func TestDiagnosisFitsTheTerminal(t *testing.T) {
	var b bytes.Buffer
	for _, tab := range Diagnosis(example()) {
		if err := table.WriteTerminal(&b, tab, table.Width); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"broken by the rounds", "xmin", "t^-0.51 [-0.60, -0.40]",
		"(5 constraints)", "(1000)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not said in\n%s", want, &b)
		}
	}
}

// What is said of the sums over the rounds, by what is known of them.
func TestDiagnosisOfMotion(t *testing.T) {
	e := diagnosis.Exponent{Value: num(0.5), Lower: num(0.4), Upper: num(0.6), From: 10, To: 1000}
	zero, still := diagnosis.Exponent{Zero: true}, diagnosis.Exponent{Value: num(0), From: 10}
	for _, c := range []struct {
		motion          diagnosis.Motion
		path, variation string
	}{
		{diagnosis.Motion{Paths: 1, Path: diagnosis.Total{Exponent: e, Last: num(12.5)},
			Variation: diagnosis.Total{Exponent: zero, Last: num(0), Constant: true}},
			"12.5, t^0.50 [0.40, 0.60]", "0"},
		{diagnosis.Motion{Paths: 1, Path: diagnosis.Total{Exponent: still, Last: num(3), Constant: true},
			Variation: diagnosis.Total{Exponent: e, Last: num(7), AtMost: true}},
			"3, constant from round 10 on", "≤ 7, t^0.50 [0.40, 0.60], of an upper bound"},
		{diagnosis.Motion{Paths: 1, Empty: 7, Empties: 1, Variation: diagnosis.Total{Last: num(1)}},
			"none: no action satisfies round 7", "1, without an exponent"},
		{diagnosis.Motion{Paths: 9, Empty: 7, Empties: 3},
			"none: no action satisfies round 7; 3 of 9 replicates have such a round", "–"},
		{diagnosis.Motion{Unsolved: "why"}, "not known: why", "not known"},
	} {
		if path, variation := motionTexts(&c.motion); path != c.path || variation != c.variation {
			t.Errorf("%q and %q, want %q and %q", path, variation, c.path, c.variation)
		}
	}
}

// The numbers of Theorem 1 stand where their names say.
func TestDiagnosisOfWeight(t *testing.T) {
	var got []string
	for _, m := range weightMeasures(&diagnosis.Gamma{E: num(3), L: num(4), Used: 5, Sufficient: num(6),
		Limit: num(7), Effective: num(8)}) {
		got = append(got, m.value)
	}
	if want := "3 and 4, 5, 6, 7, 8"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDiagnosisFigure(t *testing.T) {
	f := DiagnosisFigure(example())
	if len(f.Panels) != 2 { // one point of the deviation has a logarithm, which is no curve
		t.Errorf("%d panels", len(f.Panels))
	}
	if err := f.Write(&bytes.Buffer{}, figure.SVG); err != nil {
		t.Error(err)
	}
	if s := f.Panels[0].Series[1]; len(s.X) != 2 || s.X[1] != 100 {
		t.Errorf("a value that does not exist is drawn: %+v", s)
	}
	d := example()
	d.Curves = diagnosis.Curves{T: []int{1}}
	if DiagnosisFigure(d) != nil {
		t.Error("a figure of nothing")
	}
}
