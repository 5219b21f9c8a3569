package report

import (
	"strings"
	"testing"

	"ocobench/harness/diagnosis"
)

func num(v float64) *float64 { return &v }

// What is said of the sums over the rounds, by what is known of them.
func TestMotionTextsFollowWhatIsKnown(t *testing.T) {
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
func TestNumbersOfTheWeightStandByTheirNames(t *testing.T) {
	var got []string
	for _, m := range weightMeasures(&diagnosis.Gamma{E: num(3), L: num(4), Used: 5, Sufficient: num(6),
		Limit: num(7), Effective: num(8)}) {
		got = append(got, m.value)
	}
	if want := "3 and 4, 5, 6, 7, 8"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A value that does not exist, or one point that has a logarithm alone, is no part of a curve, and
// without a curve there is no figure.
func TestDiagnosisFigureHasCurvesOfTwoPoints(t *testing.T) {
	curves := diagnosis.Curves{
		T:         []int{1, 10, 100},
		Average:   []diagnosis.Curve{{Name: "slater", Y: []*float64{num(-1), nil, num(-0.5)}}},
		Active:    diagnosis.Curve{Name: "active", Y: []*float64{nil, num(3), num(8)}},
		Deviation: diagnosis.Curve{Name: "expectation", Y: []*float64{num(1), num(0)}},
	}
	f := DiagnosisFigure(&diagnosis.Diagnosis{Curves: curves})
	if len(f.Panels) != 2 {
		t.Errorf("%d panels, want those of the averages and of the active constraints", len(f.Panels))
	}
	if s := f.Panels[0].Series[0]; len(s.X) != 2 || s.X[1] != 100 {
		t.Errorf("the averages are drawn at %v, want 1 and 100", s.X)
	}
	if f := DiagnosisFigure(&diagnosis.Diagnosis{Curves: diagnosis.Curves{T: []int{1}}}); f != nil {
		t.Errorf("without curves: got figure %+v, want none", f)
	}
}
