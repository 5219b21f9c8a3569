package spec

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ocobench/internal/errtest"
)

// ftrl has a field of every kind.
type ftrl struct {
	Gamma   weight    `name:"gamma" doc:"penalty weight" type:"number or adaptive"`
	Step    float64   `name:"step" doc:"first step" above:"0"`
	Power   float64   `name:"power" doc:"step decay" min:"0" below:"1"`
	Penalty string    `name:"penalty" doc:"what is penalised" enum:"average,per-round,difference"`
	Label   string    `name:"title" doc:"in figures"`
	Dim     int       `name:"dim" doc:"dimension" min:"1" max:"1000"`
	Salt    uint64    `name:"salt" doc:"of the hash"`
	Center  []float64 `name:"center" doc:"of the ball" min:"-10"`
	Tags    []string  `name:"tags" doc:"free texts"`
	Restart bool      `name:"restart" doc:"on a doubling schedule"`
}

// defaultFTRL returns the defaults of ftrl.
func defaultFTRL() ftrl {
	return ftrl{Gamma: weight{25}, Step: 1, Power: 0.5, Penalty: "average", Dim: 2}
}

// weight is a union of a number and the word adaptive, whose value is NaN.
type weight struct{ value float64 }

func (w weight) MarshalText() ([]byte, error) {
	if math.IsNaN(w.value) {
		return []byte("adaptive"), nil
	}
	return []byte(formatNumber(w.value)), nil
}

func (w *weight) UnmarshalText(text []byte) error {
	if string(text) == "adaptive" {
		w.value = math.NaN()
		return nil
	}
	x, err := parseNumber(string(text))
	w.value = x
	return err
}

// traceFile has a required parameter.
type traceFile struct {
	File string `name:"file" doc:"path of the rounds" required:"true"`
}

// interval has a condition on two parameters.
type interval struct {
	Lower float64 `name:"lower"`
	Upper float64 `name:"upper"`
}

func (i interval) Validate() error {
	if i.Lower > i.Upper {
		return errors.New("lower is above upper")
	}
	return nil
}

// embedding has the parameters of interval and its own.
type embedding struct {
	interval
	Rate float64 `name:"rate"`
}

func TestSpecDecodesIntoParameters(t *testing.T) {
	for _, test := range []struct {
		spec string
		want func(*ftrl)
	}{
		{"ftrl", func(p *ftrl) {}},
		{"ftrl:gamma=adaptive", func(p *ftrl) { p.Gamma.value = math.NaN() }},
		{"ftrl:gamma=3,penalty=per-round", func(p *ftrl) { p.Gamma.value, p.Penalty = 3, "per-round" }},
		{"ftrl: step = 1e-3 , restart = true", func(p *ftrl) { p.Step, p.Restart = 1e-3, true }},
		{"ftrl:dim=1e2,salt=18446744073709551615", func(p *ftrl) { p.Dim, p.Salt = 100, math.MaxUint64 }},
		{"ftrl:center=[1,-.5,2e1]", func(p *ftrl) { p.Center = []float64{1, -0.5, 20} }},
		{"ftrl:center=3", func(p *ftrl) { p.Center = []float64{3} }},
		{`ftrl:title=a:b/c=d e`, func(p *ftrl) { p.Label = "a:b/c=d e" }},
		{`ftrl:title="a,b\"c",dim=3`, func(p *ftrl) { p.Label, p.Dim = `a,b"c`, 3 }},
		{`ftrl:title=2024`, func(p *ftrl) { p.Label = "2024" }},
		{`ftrl:title=""`, func(p *ftrl) { p.Label = "" }},
		{`ftrl:title=x[1]`, func(p *ftrl) { p.Label = "x[1]" }},
		{`ftrl:tags=[a,"b,]", c ]`, func(p *ftrl) { p.Tags = []string{"a", "b,]", "c"} }},
	} {
		t.Run(test.spec, func(t *testing.T) {
			u, err := ParseSpec(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			got, want := defaultFTRL(), defaultFTRL()
			test.want(&want)
			if err := u.Decode(&got); err != nil {
				t.Errorf("%v", err)
			} else if diff := cmp.Diff(Resolved(want, nil), Resolved(got, nil)); diff != "" {
				t.Errorf("got (+), want (-): %s", diff)
			}
		})
	}
}

func TestBadSpecIsRefusedWithPlaceAndRemedy(t *testing.T) {
	for _, test := range []struct {
		spec   string
		column int
		remedy string
	}{
		{"", 1, `expected name or name:key=value,key=value`},
		{"FTRL", 1, `a name has the characters`},
		{"ftrl:", 6, `expected key=value`},
		{"ftrl:dim", 6, `expected dim=value`},
		{"ftrl:dim=", 10, `an empty text is written ""`},
		{"ftrl:dim=3,", 12, `expected key=value`},
		{"ftrl:dim=3,dim=4", 12, `give it once`},
		{"ftrl:é=3", 6, `parameters: gamma`},
		{"ftrl:gama=25", 6, `did you mean "gamma"`},
		{"ftrl:dim=1.5", 10, `expected an integer ≥ 1 and ≤ 1000`},
		{"ftrl:dim=0", 10, `expected an integer ≥ 1 and ≤ 1000`},
		{"ftrl:dim=1e99", 10, `expected an integer ≥ 1 and ≤ 1000`},
		{"ftrl:dim=ten", 10, `expected an integer ≥ 1 and ≤ 1000`},
		{"ftrl:salt=-1", 11, `expected an integer ≥ 0`},
		{"ftrl:step=0", 11, `expected a number > 0`},
		{"ftrl:power=1", 12, `expected a number ≥ 0 and < 1`},
		{"ftrl:step=NaN", 11, `expected a number > 0`},
		{"ftrl:step=1e999", 11, `expected a number > 0`},
		{"ftrl:step=1e-999", 11, `expected a number > 0`},
		{`ftrl:step="1"`, 11, `expected a number > 0`},
		{"ftrl:step=[1,2]", 11, `expected a number > 0`},
		{"ftrl:center=[1,-11]", 16, `expected a number ≥ -10`},
		{"ftrl:center=[]", 13, `expected a list of numbers ≥ -10`},
		{"ftrl:center=[1", 13, `expected [value,value,…]`},
		{"ftrl:center=[1,,2]", 16, `an empty text is written ""`},
		{`ftrl:title="a`, 12, `expected a closing ", and \" and \\ inside`},
		{`ftrl:title="a"b`, 15, `expected ',' or the end`},
		{`ftrl:title="\xff"`, 12, `expected a text`},
		{"ftrl:penalty=avrage", 14, `did you mean "average"`},
		{"ftrl:restart=yes", 14, `expected true or false`},
		{"ftrl:gamma=NaN", 12, `expected a number or adaptive`},
		{"ftrl:gamma=fast", 12, `expected a number or adaptive`},
	} {
		u, err := ParseSpec(test.spec)
		p := defaultFTRL()
		if err == nil {
			err = u.Decode(&p)
			if _, _, err := u.ApplyClosed(defaultFTRL()); err == nil {
				t.Errorf("%s: got it accepted as a draft, want an error", test.spec)
			}
		}
		if err == nil {
			t.Errorf("%s: accepted", test.spec)
		} else if want := fmt.Sprintf("at character %d", test.column); !strings.Contains(err.Error(),
			want) || !strings.Contains(err.Error(), test.remedy) {
			t.Errorf("%s: the error is %v, want %s, %s", test.spec, err, want, test.remedy)
		}
		if diff := cmp.Diff(Resolved(defaultFTRL(), nil), Resolved(p, nil)); diff != "" {
			t.Errorf("%s: refused: got other parameters (+), want (-): %s", test.spec, diff)
		}
	}
}

func TestMissingParameterIsRefused(t *testing.T) {
	u, _ := ParseSpec("trace")
	var p traceFile
	want := `"trace": missing parameter file at character 1 (expected file: a text)`
	if err := u.Decode(&p); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := Format("trace", traceFile{}, traceFile{}); got != `trace:file=""` {
		t.Errorf("a required parameter: got %s, want it written", got)
	}
}

func TestEmbeddedParametersAreValidated(t *testing.T) {
	u, _ := ParseSpec("box:lower=2,rate=3")
	var p embedding
	want := `"box:lower=2,rate=3": box: lower is above upper at character 1`
	if err := u.Decode(&p); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	u, _ = ParseSpec("box:upper=2,rate=3")
	if err := u.Decode(&p); err != nil || p.Upper != 2 || p.Rate != 3 {
		t.Errorf("got %+v, error %v, want upper 2 and rate 3", p, err)
	}
}

func TestApplyLeavesDefaultsAlone(t *testing.T) {
	d := defaultFTRL()
	u, _ := ParseSpec("ftrl:dim=7")
	p, err := u.Apply(d)
	if err != nil || p.(ftrl).Dim != 7 || d.Dim != 2 {
		t.Errorf("got %+v, error %v, defaults %+v, want dim 7, and 2 of the defaults", p, err, d)
	}
	_, err = u.Apply(nil)
	errtest.Contains(t, err, "there are no parameters")
}

func TestDescribeListsTypesRangesDefaults(t *testing.T) {
	want := []Param{
		{Name: "gamma", Type: "number or adaptive", Default: "25", Doc: "penalty weight"},
		{Name: "step", Type: "number", Default: "1", Doc: "first step", Range: "> 0"},
		{Name: "power", Type: "number", Default: "0.5", Doc: "step decay", Range: "≥ 0 and < 1"},
		{Name: "penalty", Type: "text", Default: "average", Doc: "what is penalised",
			Enum: []string{"average", "per-round", "difference"}},
		{Name: "title", Type: "text", Default: `""`, Doc: "in figures"},
		{Name: "dim", Type: "integer", Default: "2", Doc: "dimension", Range: "≥ 1 and ≤ 1000"},
		{Name: "salt", Type: "integer", Default: "0", Doc: "of the hash", Range: "≥ 0"},
		{Name: "center", Type: "list of numbers", Default: "[]", Doc: "of the ball", Range: "≥ -10"},
		{Name: "tags", Type: "list of texts", Default: "[]", Doc: "free texts"},
		{Name: "restart", Type: "boolean", Default: "false", Doc: "on a doubling schedule"},
	}
	if diff := cmp.Diff(want, Describe(defaultFTRL())); diff != "" {
		t.Error(diff)
	}
	if got := Describe(nil); len(got) != 0 {
		t.Errorf("nil: got parameters %v, want none", got)
	}
	if got := Describe(&traceFile{}); len(got) != 1 || !got[0].Required || got[0].Default != "" {
		t.Errorf("got %+v, want one that is required", got)
	}
}

func TestResolvedIsCanonicalJSON(t *testing.T) {
	p := defaultFTRL()
	p.Step, p.Center, p.Label = 1e-7, []float64{math.Copysign(0, -1), 1.0 / 3, 1e21}, `é"`
	want := `{"center":[0,0.3333333333333333,1e+21],"dim":2,"gamma":"25","penalty":"average","power":0.5,"restart":false,"salt":0,"step":1e-7,"tags":[],"title":"é\""}`
	if got := Resolved(p, nil); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := Resolved(nil, nil); got != "{}" {
		t.Errorf("got %s, want {}", got)
	}
}

func TestParametersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finite := func(min float64) *rapid.Generator[float64] {
			return rapid.Float64Range(min, math.MaxFloat64)
		}
		want := ftrl{
			Gamma:   weight{rapid.OneOf(finite(-1e9), rapid.Just(math.NaN())).Draw(t, "gamma")},
			Step:    finite(math.SmallestNonzeroFloat64).Draw(t, "step"),
			Power:   rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(t, "power"),
			Penalty: rapid.SampledFrom([]string{"average", "per-round", "difference"}).Draw(t, "penalty"),
			Label:   rapid.String().Draw(t, "title"),
			Dim:     rapid.IntRange(1, 1000).Draw(t, "dim"),
			Salt:    rapid.Uint64().Draw(t, "salt"),
			Center:  rapid.SliceOf(finite(-10)).Draw(t, "center"),
			Tags:    rapid.SliceOf(rapid.StringMatching(`[a ,"\[\]=:é\n]*`)).Draw(t, "tags"),
			Restart: rapid.Bool().Draw(t, "restart"),
		}
		text := Format("ftrl", want, defaultFTRL())
		u, err := ParseSpec(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := defaultFTRL()
		if err := u.Decode(&got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if Resolved(got, nil) != Resolved(want, nil) {
			t.Fatalf("%s:\n got %s\nwant %s", text, Resolved(got, nil), Resolved(want, nil))
		}
		if again := Format("ftrl", got, defaultFTRL()); again != text {
			t.Fatalf("%s is formatted again as %s", text, again)
		}
	})
}

// onlyRead has UnmarshalText without MarshalText.
type onlyRead struct{}

func (*onlyRead) UnmarshalText([]byte) error { return nil }

// onlyWritten has MarshalText without UnmarshalText.
type onlyWritten struct{}

func (onlyWritten) MarshalText() ([]byte, error) { return nil, nil }

func TestMisuseOfParametersPanics(t *testing.T) {
	for name, p := range map[string]any{
		"not a struct": 3,
		"no name":      struct{ X int }{},
		"unexported": struct {
			x int `name:"x"`
		}{},
		"twice": struct {
			X int `name:"x"`
			Y int `name:"x"`
		}{},
		"reserved": struct {
			X int `name:"use"`
		}{},
		"unsupported type": struct {
			X map[string]int `name:"x"`
		}{},
		"text that cannot be written": struct {
			X onlyRead `name:"x"`
		}{},
		"text that cannot be read": struct {
			X onlyWritten `name:"x"`
		}{},
		"bound of a text": struct {
			X string `name:"x" min:"0"`
		}{},
		"bad bound": struct {
			X int `name:"x" min:"zero"`
		}{},
		"enum of a number": struct {
			X int `name:"x" enum:"1,2"`
		}{},
		"default outside the range": struct {
			X int `name:"x" min:"1"`
		}{},
		"NaN": struct {
			X float64 `name:"x"`
		}{math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "spec: ") {
					t.Errorf("recovered %v", r)
				}
			}()
			Describe(p)
		})
	}
}

func TestUnknownNameSuggestsNearest(t *testing.T) {
	known := []string{"penalised-ftrl", "primal-dual", "omd"}
	for _, test := range []struct{ name, want string }{
		{"penalized-ftrl", `unknown algorithm "penalized-ftrl"; did you mean "penalised-ftrl"? (algorithms: penalised-ftrl, primal-dual, omd)`},
		{"odm", `unknown algorithm "odm"; did you mean "omd"? (algorithms: penalised-ftrl, primal-dual, omd)`},
		{"Primal-Dual", `unknown algorithm "Primal-Dual"; did you mean "primal-dual"? (algorithms: penalised-ftrl, primal-dual, omd)`},
		{"sgd", `unknown algorithm "sgd" (algorithms: penalised-ftrl, primal-dual, omd)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Unknown("algorithm", test.name, known, Pos{}).Error(); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestParseIntRefusesOtherNotations(t *testing.T) {
	if n, err := ParseInt("1e4"); n != 10000 || err != nil {
		t.Errorf("1e4: %d, %v", n, err)
	}
	for _, text := range []string{"", "-", "1e4.5", "010", "0x10", "1_0", "1.0", "9223372036854775808",
		"1e19", "1e99999999999"} {
		if n, err := ParseInt(text); err == nil {
			t.Errorf("%q is read as %d", text, n)
		}
	}
}

func FuzzParsedSpecsAreValidOrRefused(f *testing.F) {
	for _, s := range []string{"a", "a:b=c", `a:b="c,d",e=[1,"2",3]`, "a:=", "a:b=[",
		"ftrl:gamma=adaptive,center=[1,2]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseSpec(s)
		if err != nil {
			_ = err.Error()
			return
		}
		p := defaultFTRL()
		if err := u.Decode(&p); err != nil {
			_ = err.Error()
			return
		}
		text := Format(u.Name, p, defaultFTRL())
		again, err := ParseSpec(text)
		if err != nil {
			t.Fatalf("%q is formatted as %q: %v", s, text, err)
		}
		q := defaultFTRL()
		if err := again.Decode(&q); err != nil || Resolved(p, nil) != Resolved(q, nil) {
			t.Fatalf("%q is formatted as %q: %v, %s", s, text, err, Resolved(q, nil))
		}
		if _, err := u.Expand(defaultFTRL()); err != nil {
			_ = err.Error()
		}
	})
}
