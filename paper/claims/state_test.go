package claims

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/internal/errtest"
	"ocobench/paper"
)

// verdictOf judges a claim whose checks have these roles and outcomes.
func verdictOf(t *testing.T, c Claim, checks ...any) string {
	t.Helper()
	for k := 0; k < len(checks); k += 2 {
		f := Finding{Outcome: checks[k+1].(Outcome)}
		c.Checks = append(c.Checks, Check{Role: checks[k].(paper.Role),
			Run: func(*Lab) (Finding, error) { return f, nil }})
	}
	v, err := c.Judge(&Lab{Context: context.Background()})
	if err != nil {
		t.Fatal(err)
	}
	return v.Verdict
}

// TestVerdictFollowsTheRule checks the rule of the verdict, case by case.
func TestVerdictFollowsTheRule(t *testing.T) {
	proved, bare := Claim{Entry: paper.Entry{Proof: "p"}}, Claim{}
	conditional := Claim{Entry: paper.Entry{Proof: "p", Condition: "c"}}
	read := Claim{Entry: paper.Entry{Proof: "p", ReadAs: "r"}}
	corrected := Claim{Entry: paper.Entry{Proof: "p", Condition: "c", Correction: "k"}}
	for _, want := range []struct {
		state  string
		claim  Claim
		checks []any
	}{
		{Holds, proved, []any{paper.Stated, Survives}},
		{Holds, proved, []any{paper.Stated, Survives, paper.Beside, Refutes}},
		{Open, bare, []any{paper.Stated, Survives}}, // nobody has proved it
		{Open, proved, []any{paper.Stated, Survives, paper.Stated, Undecided}},
		{Fails, bare, []any{paper.Stated, Survives, paper.Stated, Refutes}},
		{Fails, proved, []any{paper.Stated, Refutes, paper.Stated, Undecided}},
		{HoldsIf, conditional, []any{paper.Stated, Refutes, paper.Amended, Survives}},
		{HoldsIf, read, []any{paper.Stated, Refutes, paper.Amended, Survives}},
		{Open, read, []any{paper.Stated, Survives, paper.Amended, Survives}},
		// what is printed is false, be it proved as corrected or not
		{Fails, corrected, []any{paper.Stated, Refutes, paper.Amended, Survives}},
		{Fails, corrected, []any{paper.Stated, Refutes, paper.Amended, Refutes}},
		{Open, corrected, []any{paper.Stated, Survives, paper.Amended, Survives}},
		{Fails, conditional, []any{paper.Stated, Refutes, paper.Amended, Survives, paper.Amended, Refutes}},
		{Fails, conditional, []any{paper.Stated, Refutes, paper.Amended, Undecided}},
		// one check of the condition could not decide, whatever the others say
		{Fails, conditional, []any{paper.Stated, Refutes, paper.Amended, Survives, paper.Amended, Undecided}},
		{Fails, conditional, []any{paper.Stated, Refutes, paper.Amended, Undecided, paper.Amended, Survives}},
		// the condition is not shown to be needed
		{Open, conditional, []any{paper.Stated, Survives, paper.Amended, Survives}},
		{None, Claim{Entry: proved.Entry, Opinion: "o"}, []any{paper.Stated, Refutes}},
	} {
		if got := verdictOf(t, want.claim, want.checks...); got != want.state {
			t.Errorf("%v: %s, want %s", want.checks, got, want.state)
		}
	}
}

// All checks of the claim as stated decide that it holds or is open, those that refute it that it
// fails, and those of the claim as amended too if it holds so. An entry has only the texts that its
// verdict admits.
func TestVerdictAdmitsItsDecidingFindings(t *testing.T) {
	c := Claim{Opinion: "opinion",
		Entry: paper.Entry{Condition: "condition", Instead: "instead", Decide: "decide",
			Proof: "proof"},
		Checks: []Check{{Role: paper.Stated}, {Role: paper.Stated}, {Role: paper.Amended}, {Role: paper.Beside}}}
	findings := func(first, third Outcome) []Finding {
		return []Finding{{Outcome: first}, {Outcome: Survives}, {Outcome: third}, {Outcome: Refutes}}
	}
	for _, want := range []struct {
		name, verdict                      string
		decides                            []bool
		reason, condition, instead, decide paper.TeX
		claim                              func(c *Claim)
		findings                           []Finding
	}{
		{"holds", Holds, []bool{true, true, false, false}, "", "", "", "",
			func(c *Claim) { c.Opinion, c.Condition = "", "" }, findings(Survives, Survives)},
		{"holds if", HoldsIf, []bool{true, false, true, false}, "", "condition", "instead", "",
			func(c *Claim) { c.Opinion = "" }, findings(Refutes, Survives)},
		{"fails", Fails, []bool{true, false, false, false}, "", "", "instead", "",
			func(c *Claim) { c.Opinion = "" }, findings(Refutes, Refutes)},
		{"is corrected", Fails, []bool{true, false, true, false}, "", "condition", "instead", "",
			func(c *Claim) { c.Opinion, c.Correction = "", "correction" }, findings(Refutes, Survives)},
		{"is corrected in vain", Fails, []bool{true, false, false, false}, "", "", "instead", "",
			func(c *Claim) { c.Opinion, c.Correction = "", "correction" }, findings(Refutes, Refutes)},
		{"open", Open, []bool{true, true, false, false}, "", "", "", "decide",
			func(c *Claim) { c.Opinion = "" }, findings(Survives, Survives)},
		{"no verdict", None, []bool{true, true, true, true}, "opinion", "", "", "",
			func(*Claim) {}, findings(Refutes, Survives)},
	} {
		t.Run(want.name, func(t *testing.T) {
			c := c
			want.claim(&c)
			e := c.entry(want.findings)
			var decides []bool
			for _, f := range e.Findings {
				decides = append(decides, f.Decides)
			}
			if e.Verdict != want.verdict || !slices.Equal(decides, want.decides) ||
				e.Reason != want.reason || e.Condition != want.condition || e.Instead != want.instead ||
				e.Decide != want.decide || (e.Correction != "") != (want.name == "is corrected") {
				t.Errorf("%+v, decided by %v, want %+v", e, decides, want)
			}
		})
	}
}

// A number of a finding is in its values by name; the ratios are there as their largest and their
// mean, with their number.
func TestFindingHasItsNumbersByName(t *testing.T) {
	var w Worst
	w.Add(0.5, "here")
	w.Add(0.25, "there")
	c := Claim{Checks: make([]Check, 1)}
	f := w.Finding("it is", 0)
	f.Values = []Value{{"share", 7}}
	var got []string
	for _, v := range c.entry([]Finding{f}).Findings[0].Values {
		got = append(got, fmt.Sprint(v.Name, " ", v.Measured, " of ", v.Samples))
	}
	want := []string{"ratio 0.5 of 2", "mean-ratio 0.375 of 2", "share 7 of 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A check that cannot run, and one that panics, are errors that name the claim.
func TestErrorsNameTheClaim(t *testing.T) {
	for name, run := range map[string]func(*Lab) (Finding, error){
		"no rounds": func(*Lab) (Finding, error) { return Finding{}, errors.New("no rounds") },
		"panic":     func(*Lab) (Finding, error) { panic("a defect") },
	} {
		t.Run(name, func(t *testing.T) {
			c := Claim{Entry: paper.Entry{Name: "somebody-says"}, Checks: []Check{
				{Role: paper.Stated, Run: run}}}
			_, err := c.Judge(&Lab{Context: context.Background()})
			errtest.Contains(t, err, "somebody-says")
		})
	}
	// It is counted from 1 which of the checks could not run.
	fine := Check{Run: func(*Lab) (Finding, error) { return Finding{}, nil }}
	broken := Check{Run: func(*Lab) (Finding, error) { return Finding{}, errors.New("no rounds") }}
	third := Claim{Entry: paper.Entry{Name: "somebody-says"}, Checks: []Check{fine, fine, broken, fine}}
	if _, err := third.Judge(&Lab{Context: context.Background()}); err == nil ||
		!slices.Equal(regexp.MustCompile(`\d+`).FindAllString(err.Error(), -1), []string{"3"}) {
		t.Errorf("the third check: got error %v, want its number", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := Claim{Entry: paper.Entry{Name: "late"}, Checks: []Check{
		{Run: func(*Lab) (Finding, error) {
			t.Error("got a check that runs, want none")
			return Finding{}, nil
		}},
	}}
	if _, err := c.Judge(&Lab{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: got error %v, want %v", err, context.Canceled)
	}
}

// TestWorstIsTheLargestRatio checks the largest ratio, also of those that are not numbers.
func TestWorstIsTheLargestRatio(t *testing.T) {
	var w Worst
	if f := w.Finding("it is", 0); f.Outcome != Undecided {
		t.Errorf("of nothing: got %s, want %s", f.Outcome, Undecided)
	}
	w.Add(-3, "the first")
	w.Add(0.5, "the %s", "second")
	w.Add(0.25, "the third")
	f := w.Finding("it is", 0)
	if f.Outcome != Survives || f.Ratios.Ratio != 0.5 ||
		!strings.Contains(f.Text, "at most 0.5 times the bound, at the second") {
		t.Errorf("got %+v, want at most 0.5 times the bound, at the second", f)
	}
	if f.Ratios.seen != 3 || f.Ratios.sum != -2.25 {
		t.Errorf("-3, 0.5 and 0.25: got %d numbers of sum %v, want 3 and -2.25", f.Ratios.seen,
			f.Ratios.sum)
	}
	// Of several, the largest ratio and the mean of all.
	var low Worst
	low.Add(-9.25, "elsewhere")
	if r := worstOf(&low, new(Worst), &w); r.Ratio != 0.5 || r.seen != 4 || r.sum != -11.5 {
		t.Errorf("of two: %v, want the ratio 0.5, and the sum -11.5 of 4", r)
	}
	w.Add(1.5, "the fourth")
	if f := w.Finding("it is", 0.4); f.Outcome != Refutes {
		t.Errorf("1.5 with tolerance 0.4: got %s, want %s", f.Outcome, Refutes)
	}
	if f := w.Finding("it is", 0.6); f.Outcome != Survives {
		t.Errorf("1.5 with tolerance 0.6: got %s, want %s", f.Outcome, Survives)
	}
	var zero float64
	w.Add(zero/zero, "the fifth")
	if f := w.Finding("it is", 10); f.Outcome != Refutes {
		t.Errorf("not a number: got %s, want %s", f.Outcome, Refutes)
	}
	w.Add(1, "the sixth")
	if f := w.Finding("it is", 10); f.Outcome != Refutes {
		t.Errorf("a number after it: got %s, want %s", f.Outcome, Refutes)
	}
}
