package input

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

type inner struct {
	Exponent float64         `json:"exponent"`
	Raw      json.RawMessage `json:"raw"`
}

type outer struct {
	Name   string     `json:"name"`
	Count  int        `json:"count"`
	Sure   bool       `json:"sure"`
	X      []*float64 `json:"x"`
	Claims []inner    `json:"claims"`
	Error  *inner     `json:"error"`
	_      int
}

// Objects with the names of the fields are read as encoding/json reads them.
func TestJSONAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `{"name":"a\u003cb","count":-3,"sure":true,"x":[1,2.5e-7],"other":{"name":1}}`,
		`{"claims":[{"exponent":0.5,"raw":{"a":[1]}},{},null],"error":{"exponent":1}}`,
		`{"claims":[],"error":null,"x":null,"name":null,"count":null}`,
		`{"count":2,"error":{"exponent":1,"raw":null}}`,
	} {
		got, want := outer{Name: "before"}, outer{Name: "before"}
		err, wantErr := JSON([]byte(text), &got), json.Unmarshal([]byte(text), &want)
		if err != nil || wantErr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v, %v", text, got, err, want, wantErr)
		}
	}
}

// A member whose name has another case is another member.
func TestJSONMembersKeepTheirCase(t *testing.T) {
	const text = `{"Name":"a","NAME":"b","count":1,"Count":2,"claims":[{"Exponent":1,"exponent":2}],` +
		`"error":{"EXPONENT":3},"none":7,"Claims":0,"\u017fure":true}`
	got := outer{Name: "before"}
	want := outer{Name: "before", Count: 1, Claims: []inner{{Exponent: 2}}, Error: &inner{}}
	if err := JSON([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// What is wrong is said in terms of JSON.
func TestJSONErrorsAreInTermsOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:            "found a list, expected an object",
		`7`:             "found a number, expected an object",
		`{"name":7}`:    "name: found a number, expected a text",
		`{"count":"7"}`: "count: found a text, expected an integer",
		`{"count":1.5}`: "count: found 1.5, expected an integer",
		`{"count":1` + strings.Repeat("0", 300) + "}": "count: found 1" + strings.Repeat("0", 38) +
			"…, expected an integer",
		`{"sure":0}`:                            "sure: found a number, expected true or false",
		`{"x":{}}`:                              "x: found an object, expected a list of finite numbers",
		`{"x":[1,"a"]}`:                         "x: element 2: found a text, expected a finite number",
		`{"x":[1e999]}`:                         "x: element 1: found 1e999, expected a finite number",
		`{"claims":{}}`:                         "claims: found an object, expected a list",
		`{"claims":[{},[]]}`:                    "claims: element 2: found a list, expected an object",
		`{"claims":[{},{"exponent":true}]}`:     "claims: element 2: exponent: found true or false, expected a finite number",
		`{"error":{"exponent":"x"}}`:            "error: exponent: found a text, expected a finite number",
		`{"name":`:                              "its JSON is cut short",
		`{"error":{"exponent":1,"exponent":1}}`: "error: exponent: it is there twice",
		"{\"name\":\"\xff\"}":                   "name: invalid UTF-8",
	} {
		if err := JSON([]byte(text), new(outer)); err == nil || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

// Of a long text the beginning and the end are kept, and the rest is counted.
func TestCutKeepsBeginningAndEnd(t *testing.T) {
	whole := strings.Repeat("x", MaxReason)
	if got := Cut(whole); got != whole {
		t.Errorf("%d bytes: got %d, want all", len(whole), len(got))
	}
	half := strings.Repeat("a", MaxReason/2)
	if got, want := Cut(half+"yz"+half), half+" … (2 bytes left out) … "+half; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// é has 2 bytes: one at either edge of what is kept is left out whole
	edges := half[1:] + "é" + strings.Repeat("-", 10) + "é" + half[1:]
	if got, want := Cut(edges), half[1:]+" … (14 bytes left out) … "+half[1:]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// what is no UTF-8 is not looked through for the start of a letter
	garbage := strings.Repeat("\x80", 2*MaxReason)
	if kept := len(Cut(garbage)); kept < MaxReason-2*utf8.UTFMax {
		t.Errorf("%d bytes: got %d kept, want about %d", len(garbage), kept, MaxReason)
	}
}
