package spec

import (
	"math"
	"strings"
	"testing"

	"ocobench/internal/errtest"
)

// The values were computed by hand, at T = 100, n = 4, m = 3, G = 2, Δ = 8.
func TestExpressionValuesByHand(t *testing.T) {
	values := map[string]float64{"T": 100, "n": 4, "m": 3, "G": 2, "Δ": 8}
	for _, c := range []struct {
		text, printed string
		value         float64
	}{
		{"0.5*Δ/(G*sqrt(T))", "0.5*Δ/(G*sqrt(T))", 0.2},
		{" Delta / G / n ", "Δ/G/n", 1},
		{"Δ/(G/n)", "Δ/(G/n)", 16},
		{"T − n − m", "T-n-m", 93},
		{"T-(n-m)", "T-(n-m)", 99},
		{"-n^2", "-n^2", -16},
		{"(-n)^2", "(-n)^2", 16},
		{"2^m^G", "2^m^G", 512}, // to the right
		{"(2^m)^2", "(2^m)^2", 64},
		{"T^-0.5", "T^-0.5", 0.1},
		{"2·n×m", "2*n*m", 24},
		{"min(n, m, 1e1) + max(1.5, G)", "min(n,m,10)+max(1.5,G)", 5},
		{"n*-m", "n*-m", -12},
		{"n--m", "n--m", 7},
		{"log(T)", "log(T)", math.Log(100)},
		{"sqrt(2)/2", "sqrt(2)/2", math.Sqrt2 / 2},
		{"T", "T", 100},
	} {
		t.Run(c.text, func(t *testing.T) {
			e, err := parseExpression(c.text)
			if err != nil {
				t.Fatalf("%q: %v", c.text, err)
			}
			if e.String() != c.printed {
				t.Errorf("%q is printed %q, want %q", c.text, e, c.printed)
			}
			if v := e.value(values); math.Abs(v-c.value) > 1e-15*math.Abs(c.value) {
				t.Errorf("%q is %v, want %v", c.text, v, c.value)
			}
			again, err := parseExpression(e.String())
			if err != nil || again.String() != e.String() || again.value(values) != e.value(values) {
				t.Errorf("%q: got %q, which reads as %v (%v), want the same", c.text, e, again, err)
			}
		})
	}
}

func TestBadExpressionsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"T+":                     "an operand is missing at the end",
		"(T":                     `"(" without its ")"`,
		"T)":                     `unexpected ")"`,
		"(1,2)":                  `unexpected ","`,
		"sqrt(1,2)":              "sqrt of 2 operands",
		"min(1)":                 "min of 1 operands",
		"2*x":                    `unknown name "x"`,
		"exp(T)":                 `unknown name "exp"`,
		"sqrt*2":                 `unknown name "sqrt"`,
		"2T*1":                   `"2T" is not a number`,
		"1.5.2*T":                `"1.5.2" is not a number`,
		"0x10*T":                 "0x10 is not written in decimal digits",
		"T*/2":                   `unexpected "/"`,
		"T %2*1":                 `unexpected "%"`,
		strings.Repeat("(", 201): "an expression of more than 200 bytes",
	} {
		t.Run(text, func(t *testing.T) {
			if e, err := parseExpression(text); err == nil || err.Error() != want {
				t.Errorf("%q: %v, error %v, want %s", text, e, err, want)
			}
		})
	}
}

// A use with expressions is decoded in two steps: the rest of it first.
func TestBindDecodesExpressionsInTwoSteps(t *testing.T) {
	type params struct {
		Step  float64 `name:"step" above:"0"`
		Count int     `name:"count" min:"1"`
		Kind  string  `name:"kind" enum:"a,b"`
	}
	defaults := params{1, 2, "a"}
	read := func(text string) Use {
		u, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	u := read(`x:kind=b,step="min(1,2/T)",count=n*2`)
	draft, open, err := u.ApplyClosed(defaults)
	if err != nil || draft != (params{1, 2, "b"}) || strings.Join(open, " ") != "step count" {
		t.Fatalf("got draft %v, open %v, error %v, want step and count open", draft, open, err)
	}
	text := u.FormatOpen(draft, defaults, "step")
	if want := `x:kind=b,step="min(1,2/T)",count=n*2`; text != want {
		t.Errorf("it is printed %s, want %s", text, want)
	}
	values := map[string]float64{"T": 8, "n": 3}
	bound, err := u.Bind(defaults, values)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := bound.Apply(defaults); err != nil || p != (params{0.25, 6, "b"}) {
		t.Errorf("bound: got %v, error %v, want 0.25, 6, b", p, err)
	}
	if _, err := u.Apply(defaults); err == nil {
		t.Error("Apply of an expression: got no error, want one")
	}
	for text, want := range map[string]string{
		"x:count=n/2":       "count: n/2 at n = 3: 1.5 is not an integer at character 9 (expected an integer ≥ 1)",
		"x:count=n-3":       "count: n-3 at n = 3: 0 is out of range at character 9 (expected an integer ≥ 1)",
		"x:step=-T":         "step: -T at T = 8: -8 is out of range at character 8 (expected a number > 0)",
		"x:step=T/(n-3)":    "step: T/(n-3) at T = 8, n = 3 is not finite at character 8 (expected a number > 0)",
		"x:step=G*T":        "step: G*T: G, the declared Lipschitz constant of the losses, is not known here at character 8 (write a number in its place)",
		"x:step=10^400*0+T": "10^400*0+T at T = 8 is not finite",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := read(text).Bind(defaults, values)
			errtest.Contains(t, err, want, "%s", text)
		})
	}
}
