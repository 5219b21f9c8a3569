package stats

import "testing"

func TestLegendHasAllSigns(t *testing.T) {
	const want = "✓ at most √t (exponent shown below 0.6) · ▲ above √t (shown above 0.52) · " +
		"△ above so far, slowing · ? undecided · – too little evidence"
	if got := Legend("√t", 0.5); got != want {
		t.Errorf("the legend is %q, want %q", got, want)
	}
	signs := make(map[string]Verdict)
	for _, v := range append([]Verdict{""}, Verdicts...) {
		if other, ok := signs[v.Sign()]; ok {
			t.Errorf("%q and %q have the sign %s, want different ones", v, other, v.Sign())
		}
		signs[v.Sign()] = v
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown verdict has a sign, want a panic")
		}
	}()
	Verdict("within").Sign()
}

// One quantity that grows faster decides for all. Only then does a missing verdict not matter.
func TestWorstIsTheMostSevereVerdict(t *testing.T) {
	order := []Verdict{AtMost, TooLittle, Undecided, "", Slowing, Above} // from the best
	for i, a := range order {
		for j, b := range order {
			if got, want := Worst(a, b, AtMost), order[max(i, j)]; got != want {
				t.Errorf("of %q and %q the worst is %q, want %q", a, b, got, want)
			}
		}
	}
	if got := Worst(); got != "" {
		t.Errorf("of no verdict the worst is %q, want none", got)
	}
}
