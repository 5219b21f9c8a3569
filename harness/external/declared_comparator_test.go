package external_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/internal/errtest"
)

// startScripted starts a program of the shell that answers initialize with the declaration, what
// the answers are cases for, in which $n is the number of the call, and all else with an action.
func startScripted(t *testing.T, declaration string, answers string) *external.Program {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	p, err := external.Start(t.Context(), "mine", []string{"sh", "-c", `n=0; while read -r line; do
		n=$((n+1))
		case $line in
		*'"initialize"'*) r='` + declaration + `';;
		*'"shutdown"'*) exit;;
		` + answers + `
		*) r='{"x":[0.5,0]}';;
		esac
		echo '{"jsonrpc":"2.0","id":'$n',"result":'$r'}'
	done`}, external.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// The state that a learner declares is asked for after checkpoints, and must then be in the answer.
func TestLearnerShowsItsState(t *testing.T) {
	const declaration = `{"protocol":1,"name":"a","anytime":true,"state":["calls","half"]}`
	for _, c := range []struct{ name, answer, fails string }{
		{"all numbers", `{"state":{"half":0.5,"calls":'$n',"more":1}}`, ""},
		{"one is missing", `{"state":{"half":0.5}}`, `without the number "calls", which "state" declares`},
		{"one is null", `{"state":{"half":null,"calls":1}}`, `without the number "half"`},
		{"a text", `{"state":{"half":"0.5","calls":1}}`, "state is answered by"},
		{"no state", `{}`, `without the number "calls"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := startScripted(t, declaration, `*'"state"'*) r='`+c.answer+`';;`).Algorithm()
			s := registeredStream(t, "iid")
			l := beginGame(t, a, a.Params, s, 5)
			names := game.StateMetrics(l)
			rec := game.NewTrace(l, s, []int{2, 5}, names...)
			err := game.Play(t.Context(), l, s, 5, rec)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), "round 2: ") ||
					!strings.Contains(err.Error(), c.fails) {
					t.Errorf("the error is %v, want %q in round 2", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := game.NewTable(rec.Kept())
			calls := got.View("state_calls")
			if want := fmt.Sprint([]float64{0.5, 0.5}); fmt.Sprint(got.View("state_half")) != want ||
				calls[1]-calls[0] != 4 { // three times tell, and state
				t.Errorf("it shows %v and %v, want %v and a difference of 4", got.View("state_half"), calls,
					want)
			}
		})
	}
}

func TestStateNamesAreChecked(t *testing.T) {
	for declared, want := range map[string]string{
		`["a b"]`: `"a b" of "state" is no name`, `["q","q"]`: `"state" has "q" twice`,
		`["_q"]`: `"_q" of "state" is no name`,
	} {
		t.Run(declared, func(t *testing.T) {
			_, err := external.Start(t.Context(), "mine", []string{"sh", "-c",
				`read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"name":"a","state":` +
					declared + `}}'; read -r line`}, external.Options{})
			errtest.Contains(t, err, want)
		})
	}
}

// A problem that declares a comparator is asked for it at checkpoints, and it is compared with what
// is certified: the loss is x with x ≥ −½, whose best action after t rounds has the value −t/2.
func TestProblemDeclaresItsComparator(t *testing.T) {
	declaration := func(set string) string {
		return `{"protocol":1,"role":"problem","name":"a","instance":{"domain":{"box":{"lower":[-1],` +
			`"upper":[1]}},"constraints":1,"hindsight":` + set + `}}`
	}
	const reveal = `*'"reveal"'*) r='{"loss":{"form":{"lin":[1]}},"constraints":[{"form":{"const":-0.5,` +
		`"lin":[-1]}}]}';;`
	for _, c := range []struct{ name, set, answer, fails string }{
		{"the certified one", `"xmin"`, `{"value":-1,"x":[-0.5]}`, ""},
		{"an unknown set", `"best"`, `{}`, `hindsight is "best", expected one of xmin, xhat, xmax, xe, own`},
		{"no expectation", `"xe"`, `{}`, `the "expectation" of the constraints is missing`},
		{"no value", `"own"`, `{"x":[0]}`, `the key "value" is missing`},
		{"too many coordinates", `"own"`, `{"value":0,"x":[0,0]}`, "hindsight is answered by"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, ok := startScripted(t, declaration(c.set), reveal+`*'"hindsight"'*) r='`+c.answer+`';;`).Problem()
			if !ok {
				t.Fatal("got no problem, want one")
			}
			s, err := p.New(p.Params, rand.New(rand.NewPCG(1, 2)))
			if err == nil {
				rec := game.NewHindsightRecorder(s, []int{2})
				if err = game.Play(t.Context(), nil, s, 2, rec); err == nil {
					columns, _ := rec.Kept()
					if !slices.Contains(columns, "declared_value") {
						t.Errorf("got columns %v, want declared_value among them", columns)
					}
				}
			}
			if c.fails == "" && err != nil || c.fails != "" && (err == nil ||
				!strings.Contains(err.Error(), c.fails)) {
				t.Errorf("the error is %v, want %q", err, c.fails)
			}
		})
	}
}
