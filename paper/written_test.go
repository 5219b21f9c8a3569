package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ocobench/harness/experiment/spec"
	"ocobench/paper/claims"
	"ocobench/paper/published"
)

// fill writes the name of each text of a struct into it, in capitals.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String && f.CanSet() {
			f.SetString(strings.ToUpper(v.Type().Field(i).Name) + " &")
		}
	}
}

// madeUp is a verdict on a claim with every text that there can be, of one check in each role.
func madeUp(state claims.State) claims.Verdict {
	c := &claims.Claim{Number: 77, Experiments: []string{"EXPERIMENT-1", "EXPERIMENT-2"}}
	fill(reflect.ValueOf(c).Elem())
	c.Name = "made-up"
	v := claims.Verdict{Claim: c, State: state}
	for k, role := range []claims.Role{claims.Stated, claims.Amended, claims.Beside} {
		ratio := 0.5 + float64(k)
		c.Checks = append(c.Checks, claims.Check{Role: role, What: fmt.Sprint("WHAT ", k),
			Command: fmt.Sprint("bench COMMAND ", k)})
		v.Findings = append(v.Findings, claims.Finding{Outcome: claims.Refutes,
			Text: fmt.Sprint("FOUND ", k), Ratio: &ratio, Values: []claims.Value{{Name: "share", Value: 7.25 + ratio}}})
	}
	return v
}

var allStates = []claims.State{claims.Holds, claims.HoldsIf, claims.Fails, claims.Open, claims.None}

// What is written of a claim in full, for a terminal, as a document and in JSON, has every text
// of it and of its checks. The condition is there where the claim holds under it and nowhere else,
// and JSON says what is true instead only where the claim does not hold as stated.
func TestAccountsAreWhole(t *testing.T) {
	for format, write := range map[string]func(io.Writer, claims.Verdict) error{
		"terminal": func(w io.Writer, v claims.Verdict) error { return WriteVerdict(w, v, 300) },
		"document": func(w io.Writer, v claims.Verdict) error {
			return WriteVerdictsMarkdown(w, []claims.Verdict{v}, false)
		},
		"JSON": func(w io.Writer, v claims.Verdict) error {
			return WriteVerdictsJSON(w, []claims.Verdict{v}, false)
		},
	} {
		for _, state := range allStates {
			v := madeUp(state)
			var out strings.Builder
			if err := write(&out, v); err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{"77": true, "made-up": true, strings.Fields(string(state))[0]: true,
				"CONDITION &": state == claims.HoldsIf,
				"INSTEAD &":   format != "JSON" || state == claims.HoldsIf || state == claims.Fails}
			for _, text := range []string{"PLACE", "SENTENCE", "HYPOTHESIS", "STATISTIC", "RULE", "OPINION",
				"PROOF", "DECIDE", "COST"} {
				want[text+" &"] = true
			}
			for k, f := range v.Findings {
				want[v.Claim.Checks[k].What], want[v.Claim.Checks[k].Command] = true, true
				want[f.Text], want[string(f.Outcome)], want[v.Claim.Experiments[k/2]] = true, true, true
				if format == "JSON" {
					want[fmt.Sprint(`"ratio": `, *f.Ratio)] = true
					want[fmt.Sprint(`"value": `, f.Values[0].Value)] = true
					want[fmt.Sprintf("%q", v.Claim.Checks[k].Role)] = true
				}
			}
			text := strings.ReplaceAll(out.String(), `\&`, "&")
			for part, there := range want {
				if strings.Contains(text, part) != there {
					t.Errorf("%s, %s: %q is there: %v, in\n%s", format, state, part, !there, text)
				}
			}
		}
	}
}

// The macros of a claim have its verdict, its texts and the numbers of its checks, the condition
// where it holds under it, and how many claims have each verdict.
func TestMacrosOfClaims(t *testing.T) {
	for _, state := range allStates {
		var out strings.Builder
		all := []claims.Verdict{madeUp(state)}
		if err := WriteVerdictMacros(&out, all); err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for line := range strings.Lines(out.String()) {
			if name, value, ok := strings.Cut(strings.TrimPrefix(line, `\newcommand{\oco`), "}{"); ok {
				if _, twice := got[name]; twice {
					t.Errorf("%s is there twice", name)
				}
				got[name] = strings.TrimSuffix(value, "}\n")
			}
		}
		want := map[string]string{"Claims": "1", "ClaimMadeUp": string(state), "ClaimMadeUpNumber": "77",
			"ClaimMadeUpSentence": "SENTENCE &", "ClaimMadeUpHypothesis": "HYPOTHESIS &.",
			"ClaimMadeUpCondition": ""}
		if state == claims.HoldsIf {
			want["ClaimMadeUpCondition"] = "CONDITION &"
		}
		for k, which := range []string{"", "Two", "Three"} {
			want["ClaimMadeUp"+which+"Ratio"] = fmt.Sprintf(`\ensuremath{%v}`, 0.5+float64(k))
			want["ClaimMadeUp"+which+"Share"] = fmt.Sprintf(`\ensuremath{%v}`, 7.75+float64(k))
		}
		for k, name := range []string{"Holds", "HoldsIf", "Fails", "Open", "NoVerdict"} {
			want["Claims"+name] = "0"
			if allStates[k] == state {
				want["Claims"+name] = "1"
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
	}
	for x, want := range map[float64]string{1234567: `1.235\times 10^{6}`, -0.25: "-0.25",
		2e-7: `2\times 10^{-7}`, 12: "12"} {
		if got := quoted(x); got != `\ensuremath{`+want+"}" {
			t.Errorf("%v is quoted as %s, want %s", x, got, want)
		}
	}
}

// JSON of claims is read back with a list for what is empty, and says whether a run was quick.
func TestVerdictsOfNothing(t *testing.T) {
	for _, quick := range []bool{false, true} {
		var out strings.Builder
		v := claims.Verdict{Claim: &claims.Claim{Name: "bare"}, State: claims.Open}
		if err := WriteVerdictsJSON(&out, []claims.Verdict{v}, quick); err != nil {
			t.Fatal(err)
		}
		var read struct {
			Quick  bool
			Claims []struct{ Evidence, Experiments []any }
		}
		if err := json.Unmarshal([]byte(out.String()), &read); err != nil || read.Quick != quick ||
			len(read.Claims) != 1 || read.Claims[0].Evidence == nil || read.Claims[0].Experiments == nil {
			t.Errorf("read %+v, %v of\n%s", read, err, &out)
		}
	}
}

// What is written of a comparison in full has every text of it, and its values with what was
// measured: published 2 within 0.5, measured 2.25 ± 0.125 over 9 replicates.
func TestComparisonsAreWhole(t *testing.T) {
	two, half := 2.0, 0.5
	x := &spec.Experiment{Horizon: []int{10, 500}}
	value := published.Measured{Value: published.Value{Curve: "CURVE", On: "PROBLEM", Metric: "loss",
		Published: &two, Within: &half, Each: true}, Mean: 2.25, Error: 0.125, Replicates: 9}
	early := value
	early.At, early.Curve = 100, "EARLY"
	e := &published.Entry{Read: published.Stored}
	fill(reflect.ValueOf(e).Elem())
	e.Missing, e.Read = "", published.Stored
	v := e.Conclude([]published.Compared{
		{Game: published.Game{Experiment: x}, Played: true, Values: []published.Measured{value, early}},
		{Game: published.Game{Experiment: x, What: "WHAT &", External: "guo=python guo.py"}},
		{Game: published.Game{Experiment: x, What: "CHANGED &"}, Played: true,
			Values: []published.Measured{value}},
	})
	all := []published.Verdict{v}
	for format, write := range map[string]func(io.Writer) error{
		"terminal": func(w io.Writer) error { return WriteComparison(w, v, 300) },
		"document": func(w io.Writer) error { return WriteComparisonsMarkdown(w, all, false) },
		"JSON":     func(w io.Writer) error { return WriteComparisonsJSON(w, all, false) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(out.String(), `\&`, "&")
		want := []string{"NAME &", "SOURCE &", "PLACE &", "SHOWS &", "PARAMETERS &", "READING &",
			"KNOWN &", "WHAT &", "CHANGED &", "CURVE", "EARLY", "PROBLEM", "loss", "500", "100", "2", "0.5",
			"2.25", "0.125", string(v.State), string(published.Agrees), "stored", "python guo.py"}
		if format == "JSON" {
			want = slices.Concat(want, []string{"PAPER &", `"played": false`, `"agrees": true`, `"t": 500`,
				`"curve": "EARLY"`, `"problem": "PROBLEM"`, `"metric": "loss"`, `"each": true`,
				`"published": 2`, `"within": 0.5`, `"measured": 2.25`, `"error": 0.125`, `"replicates": 9`})
		} else {
			want = append(want, "CURVE on PROBLEM loss/t 500 2 0.5 2.250 ± 0.125 agrees",
				"EARLY on PROBLEM loss/t 100 2 0.5 2.250 ± 0.125 agrees", "WHAT &: not played",
				"CHANGED &: the published values come out")
			text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
				return unicode.IsSpace(r) || r == '|' || r == '│'
			}), " ")
		}
		if n := strings.Count(text, "published within measured"); format == "terminal" && n != 2 {
			t.Errorf("%d tables of 2 games that were played, and 1 that was not:\n%s", n, text)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in\n%s", format, part, text)
			}
		}
	}
	if row := Comparisons(all, false).Rows[0]; row[2].Plain != "2 of 2 agree" {
		t.Errorf("the table says %q", row[2].Plain)
	}
}
