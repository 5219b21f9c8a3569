package claims

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// verdictOf judges a claim whose checks have these roles and outcomes.
func verdictOf(t *testing.T, c Claim, checks ...any) State {
	t.Helper()
	for k := 0; k < len(checks); k += 2 {
		f := Finding{Outcome: checks[k+1].(Outcome)}
		c.Checks = append(c.Checks, Check{Role: checks[k].(Role),
			Run: func(*Lab) (Finding, error) { return f, nil }})
	}
	v, err := c.Judge(&Lab{Context: context.Background()})
	if err != nil {
		t.Fatal(err)
	}
	return v.State
}

// TestState is the rule of the verdict, case by case.
func TestState(t *testing.T) {
	proved, bare := Claim{Proof: "p"}, Claim{}
	conditional := Claim{Proof: "p", Condition: "c"}
	for _, want := range []struct {
		state  State
		claim  Claim
		checks []any
	}{
		{Holds, proved, []any{Stated, Survives}},
		{Holds, proved, []any{Stated, Survives, Beside, Refutes}},
		{Open, bare, []any{Stated, Survives}}, // nobody has proved it
		{Open, proved, []any{Stated, Survives, Stated, Undecided}},
		{Fails, bare, []any{Stated, Survives, Stated, Refutes}},
		{Fails, proved, []any{Stated, Refutes, Stated, Undecided}},
		{HoldsIf, conditional, []any{Stated, Refutes, Amended, Survives}},
		{Fails, conditional, []any{Stated, Refutes, Amended, Survives, Amended, Refutes}},
		{Fails, conditional, []any{Stated, Refutes, Amended, Undecided}},
		// one check of the condition could not decide, whatever the others say
		{Fails, conditional, []any{Stated, Refutes, Amended, Survives, Amended, Undecided}},
		{Fails, conditional, []any{Stated, Refutes, Amended, Undecided, Amended, Survives}},
		// the condition is not shown to be needed
		{Open, conditional, []any{Stated, Survives, Amended, Survives}},
		{None, Claim{Opinion: "o", Proof: "p"}, []any{Stated, Refutes}},
	} {
		if got := verdictOf(t, want.claim, want.checks...); got != want.state {
			t.Errorf("%v: %s, want %s", want.checks, got, want.state)
		}
	}
}

// A check that cannot run, and one that panics, are errors that name the claim.
func TestJudgeErrors(t *testing.T) {
	for name, run := range map[string]func(*Lab) (Finding, error){
		"no rounds": func(*Lab) (Finding, error) { return Finding{}, errors.New("no rounds") },
		"panic":     func(*Lab) (Finding, error) { panic("a defect") },
	} {
		c := Claim{Name: "somebody-says", Checks: []Check{{Role: Stated, Run: run}}}
		if _, err := c.Judge(&Lab{Context: context.Background()}); err == nil ||
			!strings.Contains(err.Error(), "somebody-says") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// It is counted from 1 which of the checks could not run.
	fine := Check{Run: func(*Lab) (Finding, error) { return Finding{}, nil }}
	broken := Check{Run: func(*Lab) (Finding, error) { return Finding{}, errors.New("no rounds") }}
	third := Claim{Name: "somebody-says", Checks: []Check{fine, fine, broken, fine}}
	if _, err := third.Judge(&Lab{Context: context.Background()}); err == nil ||
		!slices.Equal(regexp.MustCompile(`\d+`).FindAllString(err.Error(), -1), []string{"3"}) {
		t.Errorf("the third check: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := Claim{Name: "late", Checks: []Check{
		{Run: func(*Lab) (Finding, error) { t.Error("it runs"); return Finding{}, nil }},
	}}
	if _, err := c.Judge(&Lab{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
}

// TestWorst is about the largest ratio, also of those that are not numbers.
func TestWorst(t *testing.T) {
	var w Worst
	if f := w.Finding("it is", 0); f.Outcome != Undecided {
		t.Errorf("of nothing: %s", f.Outcome)
	}
	w.See(-3, "the first")
	w.See(0.5, "the %s", "second")
	w.See(0.25, "the third")
	f := w.Finding("it is", 0)
	if f.Outcome != Survives || *f.Ratio != 0.5 ||
		!strings.Contains(f.Text, "at most 0.5 times the bound, at the second") {
		t.Errorf("%+v", f)
	}
	if f.Looked != 3 || *f.Mean != -0.75 {
		t.Errorf("the mean of -3, 0.5 and 0.25 is %v, of %d", *f.Mean, f.Looked)
	}
	// Of several, the largest ratio and the mean of all.
	var low Worst
	low.See(-9.25, "elsewhere")
	if f := (Finding{}).of(&low, new(Worst), &w); *f.Ratio != 0.5 || f.Looked != 4 || *f.Mean != -2.875 {
		t.Errorf("of two: %v, mean %v of %d", *f.Ratio, *f.Mean, f.Looked)
	}
	w.See(1.5, "the fourth")
	if f := w.Finding("it is", 0.4); f.Outcome != Refutes {
		t.Errorf("1.5 with tolerance 0.4: %s", f.Outcome)
	}
	if f := w.Finding("it is", 0.6); f.Outcome != Survives {
		t.Errorf("1.5 with tolerance 0.6: %s", f.Outcome)
	}
	var zero float64
	w.See(zero/zero, "the fifth")
	if f := w.Finding("it is", 10); f.Outcome != Refutes {
		t.Errorf("not a number: %s", f.Outcome)
	} else if f.Ratio != nil || f.Mean != nil || f.Looked != 5 { // JSON has no such number
		t.Errorf("not a number: %+v", f)
	}
	w.See(1, "the sixth")
	if f := w.Finding("it is", 10); f.Outcome != Refutes {
		t.Errorf("a number after it: %s", f.Outcome)
	}
}
